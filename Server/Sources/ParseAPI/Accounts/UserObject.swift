import Domain
import HTTPSupport
import OkaeriWire

/// A user as its readers see it.
struct UserObject {
    let user: User
    private let caller: ParseCaller

    init(_ user: User, for caller: ParseCaller) {
        self.user = user
        self.caller = caller
    }

    /// Users made by a provider's or an anonymous log-in have a made-up name. It is made of the id, so that nothing
    /// is stored for it, and they stay anonymous.
    static func madeUpName(of id: Identifier<User>) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let bytes = SecretDigest(of: "parse user name \(id)".utf8).bytes.prefix(25)
        return String(decoding: bytes.map { alphabet[Int(truncatingIfNeeded: $0) % alphabet.count] }, as: UTF8.self)
    }

    var userName: String { user.username ?? Self.madeUpName(of: user.id) }

    /// As the user itself and administrators see it.
    ///
    /// - Parameters:
    ///   - token: The session's token, when the answer has it.
    ///   - sent: `authData` that was just presented: SDKs read their own words back.
    /// - Returns: the members.
    func own(token: String? = nil, sent: [String: JSONValue] = [:]) -> [String: JSONValue] {
        var members = common(for: caller.isMaster ? .server : .owner)
        if let email = user.email {
            members["email"] = .string(email)
            members["emailVerified"] = .bool(user.emailVerifiedAt != nil)
        }
        let authData = AuthDataObject.members(of: user.identities, sent: sent)
        if !authData.isEmpty { members["authData"] = .object(authData) }
        if let token { members["sessionToken"] = .string(token) }
        return members
    }

    /// As others see it: nothing of how the user logs in, and no mail address.
    var forOthers: [String: JSONValue] { common(for: .others) }

    /// Fields by name, as the caller sees them. Those that are hidden are not there, and none to who may write and not read.
    func fields(_ names: some Sequence<String>, isOwn: Bool) -> [String: JSONValue] {
        guard isOwn || user.isVisible(to: caller.reader) else { return [:] }
        let shown = user.shown(to: caller.isMaster ? .server : isOwn ? .owner : .others, in: caller.application).user
        return shown.fields.filter { Set(names).contains($0.key) }
    }

    private func common(for actor: FieldActor) -> [String: JSONValue] {
        var members = user.shown(to: actor, in: caller.application).user.fields.filter {
            UserFields.isName($0.key) && !UserFields.known.contains($0.key)
        }
        members["objectId"] = .string(user.id.rawValue)
        members["username"] = .string(userName)
        members["createdAt"] = .string(user.createdAt.text)
        members["updatedAt"] = .string(user.updatedAt.text)
        members["ACL"] = acl
        return members
    }

    /// The list as it was set, or what holds without one. The user itself always may, but for one that is locked out.
    private var acl: JSONValue {
        let standard: [ACL.Subject: ACL.Rights] =
            caller.standard.isEmpty ? [:] : [.everybody: caller.standard]
        var entries = user.acl?.entries ?? standard
        if !(user.isDisabled && entries.isEmpty) { entries[.user(user.id)] = [.read, .write] }
        var members: [String: JSONValue] = [:]
        for (subject, rights) in entries where !rights.isEmpty {
            var granted: [String: JSONValue] = [:]
            if rights.contains(.read) { granted["read"] = true }
            if rights.contains(.write) { granted["write"] = true }
            members[subject.text] = .object(granted)
        }
        return .object(members)
    }
}

extension ParseCaller {
    /// A user as this caller sees it; `nil` when it does not.
    func view(_ user: User) -> [String: JSONValue]? {
        guard user.isVisible(to: reader) else { return nil }
        let object = UserObject(user, for: self)
        return isMaster || session?.user.id == user.id ? object.own() : object.forOthers
    }
}
