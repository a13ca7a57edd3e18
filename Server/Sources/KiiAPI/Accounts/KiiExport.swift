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
        _ id: String, _ members: [String: JSONValue], of application: Identifier<Application>, at now: Timestamp
    ) throws(Fault) -> ImportedUser {
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
        let faults = profile.identifiers.apply(to: &user)
        guard faults.isEmpty else {
            let names = Set(faults.map { KiiFault.fieldName($0.field) }).sorted()
            throw Fault(description: "\(names.joined(separator: ", ")): not valid")
        }
        if user.email != nil, members["emailAddressVerified"] == .bool(true) { user.emailVerifiedAt = user.updatedAt }
        if user.phone != nil, members["phoneNumberVerified"] == .bool(true) { user.phoneVerifiedAt = user.updatedAt }
        if members["_disabled"] == .bool(true) { user.disabledAt = now }
        // Kii kept the hash to itself. SDKs must not take a user with a password for a pseudo user all the same.
        if !user.typedIdentifiers.isEmpty, members["_hasPassword"] != .bool(false) {
            user.passwordSetAt = user.updatedAt
        }
        var imported = ImportedUser(user: user, tokens: try tokens(members))
        imported.faults = times.faults
        if let hash = text("password", members), hash.hasPrefix("$") { imported.hash = PasswordHash(text: hash) }
        imported.providerNames = try accounts(members)
        guard
            !user.typedIdentifiers.isEmpty || !imported.tokens.isEmpty || !imported.providerNames.isEmpty
        else { throw Fault(description: "nothing leads to the user, neither a name nor a token") }
        return imported
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
    private static func accounts(_ members: [String: JSONValue]) throws(Fault) -> [Identity.Provider: String] {
        guard let value = members["_thirdPartyAccounts"], value != .null else { return [:] }
        guard case .object(let accounts) = value else { throw Fault(description: "_thirdPartyAccounts: not valid") }
        var names: [Identity.Provider: String] = [:]
        for (name, value) in accounts {
            guard case .object(let account) = value, let id = text("id", account) else {
                throw Fault(description: "_thirdPartyAccounts.\(name): not valid")
            }
            switch name {
            case "facebook": names[.facebook] = id
            case "twitter": names[.twitter] = id
            // Kii's paths say google, its objects googleplus too.
            case "google", "googleplus": names[.google] = id
            default: continue
            }
        }
        return names
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
