import Domain
import OkaeriWire

/// A member as its readers see it.
struct MemberObject {
    let user: User
    private let caller: NCMBCaller

    init(_ user: User, for caller: NCMBCaller) {
        self.user = user
        self.caller = caller
    }

    /// Members made by a social or anonymous log-in have a generated name. It is made of the id, so that it needs no
    /// place of its own and leaves them anonymous.
    var userName: String { user.username ?? Self.generatedName(of: user.id) }

    static func generatedName(of id: Identifier<User>) -> String { String(id.rawValue.suffix(10)) }

    /// As a read or a log-in shows it to the member itself.
    func own(sessionToken: String? = nil, authData: JSONValue? = nil) -> NCMBObject {
        object(
            isOwn: true, authData: authData ?? AuthDataObject.value(of: user.identities), sessionToken: sessionToken)
    }

    /// As a sign-up by name and password answers: the five members of the documentation's sample. Objective-C takes the
    /// session over only when `authData` is there.
    func signedUp(sessionToken: String) -> NCMBObject {
        NCMBObject([
            ("createDate", .string(user.createdAt.text)), ("objectId", .string(user.id.rawValue)),
            ("sessionToken", .string(sessionToken)), ("userName", .string(user.username ?? "")), ("authData", .null),
        ])
    }

    /// As others see it: nothing of how the member logs in, and no mail address.
    var forOthers: NCMBObject { object(isOwn: false, authData: .null, sessionToken: nil) }

    private func object(isOwn: Bool, authData: JSONValue, sessionToken: String?) -> NCMBObject {
        let email = isOwn ? user.email : nil
        var object = NCMBObject([
            ("objectId", .string(user.id.rawValue)), ("userName", .string(userName)), ("authData", authData),
            ("mailAddress", email.map(JSONValue.string) ?? .null),
            ("mailAddressConfirm", email == nil ? .null : .bool(user.emailVerifiedAt != nil)),
            ("createDate", .string(user.createdAt.text)), ("updateDate", .string(user.updatedAt.text)),
            ("acl", acl),
        ])
        if let sessionToken { object.append("sessionToken", .string(sessionToken)) }
        let shown = user.shown(to: isOwn ? .owner : .others, in: caller.application).user
        for (name, value) in shown.fields.sorted(by: { $0.key < $1.key }) where !MemberFields.known.contains(name) {
            object.append(name, value)
        }
        return object
    }

    /// The list as it was set, or what holds without one.
    private var acl: JSONValue {
        let standard = caller.standard
        let list =
            user.acl
            ?? ACL(
                [.user(user.id): [.read, .write]].merging(
                    standard.isEmpty ? [:] : [.everybody: standard], uniquingKeysWith: { first, _ in first }))
        var entries: [String: JSONValue] = [:]
        for (subject, rights) in list.entries {
            var granted: [String: JSONValue] = [:]
            if rights.contains(.read) { granted["read"] = true }
            if rights.contains(.write) { granted["write"] = true }
            entries[subject.text] = .object(granted)
        }
        return .object(entries)
    }
}
