import Domain
import OkaeriWire

/// A member as its readers see it.
struct MemberObject {
    let user: User
    private let caller: NCMBCaller
    /// The id that the member's client made, when the member itself reads.
    private let anonymousId: Secret?

    init(_ user: User, for caller: NCMBCaller, anonymousId: Secret? = nil) {
        self.user = user
        self.caller = caller
        self.anonymousId = anonymousId
    }

    /// Members made by a social or anonymous log-in have a generated name. It is made of the id: nothing is stored, and the
    /// member stays anonymous. Imported ones keep the one that NCMB had made.
    var userName: String { user.username ?? importedName ?? Self.generatedName(of: user.id) }

    /// Where the import puts a generated name: no client of NCMB can write a field of this name.
    static let generatedNameField = "userName"

    /// Only a name of that form: a field can be written by other protocols, and must not pass for a name that a person chose.
    private var importedName: String? {
        guard user.isAnonymous, case .string(let name)? = user.fields[Self.generatedNameField],
            Self.isGenerated(name)
        else { return nil }
        return name
    }

    /// Whether a name has the form of those that NCMB made.
    static func isGenerated(_ name: String) -> Bool {
        name.utf8.count == 10 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// Moves at every change and, unless the application has it otherwise, at every log-in: the sample of automatic log-in
    /// saves it as the time of the log-in.
    var updateDate: Timestamp { caller.options.logInMovesUpdateTime ? user.changedOrLoggedInAt : user.updatedAt }

    static func generatedName(of id: Identifier<User>) -> String { String(id.rawValue.suffix(10)) }

    /// As a read or a log-in shows it to the member itself.
    func own(sessionToken: String? = nil, authData: JSONValue? = nil) -> NCMBObject {
        object(
            isOwn: true, authData: authData ?? AuthDataObject.value(of: user.identities, anonymousId: anonymousId),
            sessionToken: sessionToken)
    }

    /// As a sign-up by name and password answers: the five members of the documentation's sample, and `updateDate`, which
    /// the sample of automatic log-in saves. Objective-C takes the session over only when `authData` is there.
    func signedUp(sessionToken: String) -> NCMBObject {
        NCMBObject([
            ("createDate", .string(user.createdAt.text)), ("objectId", .string(user.id.rawValue)),
            ("sessionToken", .string(sessionToken)), ("userName", .string(user.username ?? "")), ("authData", .null),
            ("updateDate", .string(updateDate.text)),
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
            ("createDate", .string(user.createdAt.text)), ("updateDate", .string(updateDate.text)),
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
        // JavaScript cannot read an entry without rights, and loses the whole answer.
        for (subject, rights) in list.entries where !rights.isEmpty {
            var granted: [String: JSONValue] = [:]
            if rights.contains(.read) { granted["read"] = true }
            if rights.contains(.write) { granted["write"] = true }
            entries[subject.text] = .object(granted)
        }
        return .object(entries)
    }
}
