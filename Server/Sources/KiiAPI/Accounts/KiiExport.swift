package import Domain
package import OkaeriWire

/// A user of a backup of Kii Cloud: the object that its API showed, with the access tokens that an operator has.
package enum KiiExport {
    /// Why a record is no user, in words for the operator.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        /// The record's id, when it has one.
        package var id: String?
        package let description: String
    }

    /// - Parameters:
    ///   - record: One object of the backup.
    ///   - application: Where the user comes to.
    ///   - now: The time for users whose record tells none; Kii's objects do not.
    /// - Returns: the user.
    /// - Throws: `Fault`.
    package static func user(
        _ record: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(Fault) -> ImportedUser {
        guard case .object(let members) = record else { throw Fault(description: "is no object") }
        guard let id = text("userID", members) else { throw Fault(description: "userID is missing") }
        do {
            return try user(id, members, of: application, at: now)
        } catch {
            throw Fault(id: id, description: error.description)
        }
    }

    private static func user(
        _ id: String, _ record: [String: JSONValue], of application: Identifier<Application>, at now: Timestamp
    ) throws(Fault) -> ImportedUser {
        let (members, formFaults) = wellFormed(record)
        let profile: KiiProfile
        do throws(KiiFault) {
            profile = try KiiProfile(KiiBody(members: members))
        } catch {
            throw Fault(description: error.message)
        }
        var times = ImportedTimes()
        let created = times.first(of: ["_created", "createdAt"], members) ?? now
        var user = User(
            id: Identifier(rawValue: id), application: application, displayName: profile.displayName,
            locale: profile.locale, fields: profile.fields, createdAt: created,
            updatedAt: times.first(of: ["_modified", "modifiedAt"], members) ?? created)
        let faults = formFaults + profile.identifiers.apply(to: &user)
        if faults.contains(where: { $0.field == "username" }) { user.username = nil }
        if user.email != nil, members["emailAddressVerified"] == .bool(true) { user.emailVerifiedAt = user.updatedAt }
        if user.phone != nil, members["phoneNumberVerified"] == .bool(true) { user.phoneVerifiedAt = user.updatedAt }
        if members["_disabled"] == .bool(true) { user.disabledAt = now }
        // Kii kept the hash to itself. SDKs must not take a user with a password for a pseudo user all the same.
        if !user.typedIdentifiers.isEmpty, members["_hasPassword"] != .bool(false) {
            user.passwordSetAt = user.updatedAt
        }
        var imported = ImportedUser(user: user, tokens: try tokens(members))
        imported.faults = times.faults + faults
        if let hash = text("password", members), hash.hasPrefix("$") { imported.hash = PasswordHash(text: hash) }
        takeAccounts(members, into: &imported)
        guard
            !user.typedIdentifiers.isEmpty || !imported.tokens.isEmpty || !imported.providerNames.isEmpty
                || !imported.faults.isEmpty
        else { throw Fault(description: "nothing leads to the user, neither a name nor a token") }
        return imported
    }

    /// The record without members of Kii's own that are empty, which are none, and those that break their format.
    ///
    /// - Returns: what is left, and a fault for each that is wrong, which an import may leave out.
    private static func wellFormed(_ record: [String: JSONValue]) -> ([String: JSONValue], [ValidationError]) {
        var (members, faults) = (record, [ValidationError]())
        // The country comes first: a number without a plus sign is one of its own.
        for name in KiiUserObject.predefined.sorted() {
            guard let value = members[name] else { continue }
            if value == "" {
                members[name] = nil
                continue
            }
            do throws(KiiFault) {
                _ = try KiiProfile(KiiBody(members: members.filter { [name, "country"].contains($0.key) }))
            } catch {
                members[name] = nil
                faults.append(Self.fault(in: name, value))
            }
        }
        return (members, faults)
    }

    private static func fault(in name: String, _ value: JSONValue) -> ValidationError {
        let fields = [
            "loginName": "username", "emailAddress": "email", "phoneNumber": "phone", "country": "fields.country",
        ]
        let field = fields[name] ?? name
        let other = ValidationError(field: field, rule: .otherType)
        guard case .string(let text) = value else { return other }
        switch name {
        case "phoneNumber": return ValidationError(field: field, rule: .notAPhoneNumber)
        case "country": return ValidationError(field: field, rule: .notListed)
        default: return KiiProfile.displayNameRule.faults(of: text, field: field).first ?? other
        }
    }

    private static func tokens(_ members: [String: JSONValue]) throws(Fault) -> [Secret] {
        var tokens = text("_accessToken", members).map { [Secret($0)] } ?? []
        switch members["_accessTokens"] {
        case nil, .null?: break
        case .array(let list)?:
            for value in list {
                guard case .string(let token) = value else { throw Fault(description: "_accessTokens: not valid") }
                tokens.append(Secret(token))
            }
        default: throw Fault(description: "_accessTokens: not valid")
        }
        return tokens
    }

    /// Accounts at services that this server does not know are left out: nothing could ask them.
    private static func takeAccounts(_ members: [String: JSONValue], into imported: inout ImportedUser) {
        guard let value = members["_thirdPartyAccounts"], value != .null else { return }
        guard case .object(let accounts) = value else {
            imported.faults.append(ValidationError(field: "identities._thirdPartyAccounts", rule: .otherType))
            return
        }
        for (name, value) in accounts.sorted(by: { $0.key < $1.key }) where value != .null {
            // Kii's paths say google, its objects googleplus too.
            let providers: [String: Identity.Provider] = [
                "facebook": .facebook, "twitter": .twitter, "google": .google, "googleplus": .google,
            ]
            guard let provider = providers[name] else { continue }
            guard case .object(let account) = value, let id = text("id", account) else {
                imported.faults.append(ValidationError(field: "identities.\(provider.rawValue)", rule: .required))
                continue
            }
            imported.providerNames[provider] = id
        }
    }

    private static func text(_ name: String, _ members: [String: JSONValue]) -> String? {
        guard case .string(let text)? = members[name], !text.isEmpty else { return nil }
        return text
    }
}

extension ImportedTimes {
    /// The first of these members that is a number: milliseconds since 1970. Others may be the app's own fields.
    fileprivate mutating func first(of names: [String], _ members: [String: JSONValue]) -> Timestamp? {
        for name in names {
            switch members[name] {
            case .integer(let milliseconds)?: return time(.milliseconds(milliseconds), name)
            case .number(let milliseconds)?: return time(.number(milliseconds), name)
            default: continue
            }
        }
        return nil
    }
}
