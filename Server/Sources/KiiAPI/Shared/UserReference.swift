import Domain
import HTTPSupport
import Hummingbird

/// The segment of a path that names a user.
enum UserReference: Sendable {
    case me
    case id(Identifier<User>)
    case identifier(LogInIdentifier, field: String, value: String)

    /// - Throws: `KiiFault` when an address has no form of one.
    init(_ context: ServerContext, in application: String) throws(KiiFault) {
        let sent = context.parameters.get("user") ?? ""
        if sent == "me" {
            self = .me
            return
        }
        // A plus sign in a path is a plus sign.
        guard let text = PercentEncoding.text(ofSegment: sent), !text.utf8.contains(0),
            text.utf8.count <= LogInIdentifier.maximumBytes
        else {
            throw .userNotFound("userID", "", in: application)
        }
        if text == "me" {
            self = .me
        } else if let name = text.after("LOGIN_NAME:") {
            self = .identifier(LogInIdentifier(.username, shown: name), field: "loginName", value: name)
        } else if let address = text.after("EMAIL:") {
            self = .identifier(LogInIdentifier(.email, shown: address), field: "emailAddress", value: address)
        } else if let typed = text.after("PHONE:") {
            guard let number = KiiPhoneNumber.global(typed) else {
                throw .userNotFound("phoneNumber", MemberFault.printable(typed), in: application)
            }
            self = .identifier(LogInIdentifier(.phone, shown: number), field: "phoneNumber", value: typed)
        } else {
            self = .id(Identifier(rawValue: text))
        }
    }

    /// Whether it names this user.
    func names(_ user: User) -> Bool {
        switch self {
        case .me: true
        case .id(let id): id == user.id
        case .identifier(let identifier, _, _): user.typedIdentifiers.contains { $0.isSame(as: identifier) }
        }
    }

    /// The refusal when nobody is named so.
    func notFound(in application: String) -> KiiFault {
        switch self {
        case .me: .unauthorized(in: application)
        case .id(let id): .userNotFound("userID", MemberFault.printable(id.rawValue), in: application)
        case .identifier(_, let field, let value):
            .userNotFound(field, MemberFault.printable(value), in: application)
        }
    }
}

extension LogInIdentifier {
    /// What `username` of a token request may mean, the likeliest first.
    static func candidates(ofKii username: String) -> [LogInIdentifier] {
        if let name = username.after("LOGIN_NAME:") { return [LogInIdentifier(.username, shown: name)] }
        if let address = username.after("EMAIL:") { return [LogInIdentifier(.email, shown: address)] }
        if let typed = username.after("PHONE:") {
            return [LogInIdentifier(.phone, shown: KiiPhoneNumber.global(typed) ?? typed)]
        }
        return candidates(of: username)
    }
}

extension String {
    /// What stands behind a prefix; `nil` without it.
    fileprivate func after(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
