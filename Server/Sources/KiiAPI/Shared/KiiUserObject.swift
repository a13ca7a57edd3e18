import Domain
import HTTPSupport
import enum OkaeriWire.JSONValue

/// A user as Kii's clients read it. What is not set is left out.
enum KiiUserObject {
    /// Everything, for the user and for administrators.
    ///
    /// - Parameters:
    ///   - shown: Whom, as the reader may see it.
    ///   - options: Without a demand for verification Kii showed every address as verified.
    ///   - pending: Addresses that wait for their verification.
    /// - Returns: the members.
    static func full(
        _ shown: UserView, _ options: ForeignOptions, pending: [AddressKind: String] = [:]
    ) -> [String: JSONValue] {
        let user = shown.user
        // Custom fields first: none of them can stand in for what the server knows.
        var members = user.fields.filter { !isReserved($0.key) }
        if case .string? = user.fields["country"] { members["country"] = user.fields["country"] }
        members["userID"] = .string(user.id.rawValue)
        members["internalUserID"] = .integer(internalId(of: user.id))
        members["loginName"] = user.username.map { .string($0) }
        members["displayName"] = user.displayName.map { .string($0) }
        members["locale"] = user.locale.map { .string($0) }
        if let email = user.email {
            members["emailAddress"] = .string(email)
            members["emailAddressVerified"] = .bool(AddressKind.email.counts(of: user, options))
        }
        if let phone = user.phone {
            members["phoneNumber"] = .string(phone)
            members["phoneNumberVerified"] = .bool(AddressKind.phone.counts(of: user, options))
        }
        for (kind, address) in pending { members["_\(kind.member)Pending"] = .string(address) }
        members["_hasPassword"] = .bool(user.hasPassword)
        members["_disabled"] = .bool(user.isDisabled)
        let accounts = user.identities.compactMap { identity -> (String, JSONValue)? in
            guard let provider = KiiProvider(identity.provider) else { return nil }
            return (
                provider.accountName,
                [
                    "id": .string(ConfiguredProvider.parts(of: identity.subject).name),
                    "type": .string(provider.accountName),
                    "createdAt": .integer(identity.linkedAt.milliseconds),
                ]
            )
        }
        if !accounts.isEmpty {
            members["_thirdPartyAccounts"] = .object(Dictionary(accounts, uniquingKeysWith: { first, _ in first }))
        }
        return members
    }

    /// What other users see.
    static func limited(_ shown: UserView) -> [String: JSONValue] {
        full(shown, ForeignOptions()).filter { ["userID", "loginName", "displayName"].contains($0.key) }
    }

    /// A number below 2^53 that stands for the id, because clients read one. Nothing is looked up by it.
    private static func internalId(of id: Identifier<User>) -> Int64 {
        SecretDigest(of: id.rawValue.utf8).bytes.prefix(6).reduce(0) { $0 << 8 | Int64(truncatingIfNeeded: $1) } + 1
    }

    /// Names that clients echo, and names that are the server's: never stored as custom fields.
    static func isReserved(_ name: String) -> Bool {
        name.hasPrefix("_") || predefined.contains(name) || readOnly.contains(name)
    }

    static let predefined: Set<String> = [
        "loginName", "displayName", "country", "locale", "emailAddress", "phoneNumber", "password",
    ]
    private static let readOnly: Set<String> = [
        // JavaScript takes every answer with it for a failure.
        "errorCode",
        "userID", "internalUserID", "emailAddressVerified", "phoneNumberVerified",
    ]
}

/// What a registration or an update says.
struct KiiProfile: Sendable {
    var displayName: String?
    var locale: String?
    /// Custom fields, and the country.
    var fields: [String: JSONValue]
    var identifiers: NewIdentifiers
    var password: Secret?

    static let displayNameRule = TextRule(maximumCharacters: 50)

    /// - Throws: `KiiFault.invalid` with all fields that break their format.
    init(_ body: KiiBody, over present: User? = nil) throws(KiiFault) {
        displayName = try body.text("displayName")
        locale = try body.text("locale")
        password = try body.text("password").map(Secret.init(_:))
        fields = body.members.filter { !KiiUserObject.isReserved($0.key) }
        let country = try body.text("country")
        if let country { fields["country"] = .string(country) }
        var wrong: [String] = []
        if !Self.displayNameRule.faults(of: displayName, field: "").isEmpty { wrong.append("displayName") }
        if let country, country.utf8.count != 2 || !country.allSatisfy({ $0.isASCII && $0.isLetter }) {
            wrong.append("country")
        }
        identifiers = NewIdentifiers(rules: .kii)
        // What is echoed as it is changes nothing, and neither does the same written in another way.
        if let name = try body.text("loginName"), name != present?.username { identifiers.username = .set(name) }
        if let address = try body.text("emailAddress"), MailAddress(address)?.text ?? address != present?.email {
            identifiers.email = .set(address)
        }
        if let typed = try body.text("phoneNumber") {
            var home = country
            if home == nil, case .string(let stored)? = present?.fields["country"] { home = stored }
            if let number = KiiPhoneNumber.global(typed, country: home) {
                if PhoneNumber(number)?.text ?? number != present?.phone { identifiers.phone = .set(number) }
            } else {
                wrong.append("phoneNumber")
            }
        }
        guard wrong.isEmpty else { throw .invalid(wrong) }
    }
}
