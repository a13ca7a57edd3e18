import Domain
import Foundation
import HTTPSupport
import OkaeriWire

/// A user as a line of an export: the documented form that every import of users reads, and what only Okaeri has, as
/// `okaeri`.
enum OkaeriUserRecord {
    private static let ours = "okaeri"

    /// - Returns: the members of the line.
    static func members(of exported: ExportedUser) -> [String: JSONValue] {
        let user = exported.user
        var record: [String: JSONValue] = ["id": .string(user.id.rawValue), "createdAt": value(user.createdAt)]
        record["username"] = user.username.map(JSONValue.string)
        record["email"] = user.email.map(JSONValue.string)
        record["emailVerified"] = user.emailVerifiedAt.map(value)
        record["phone"] = user.phone.map(JSONValue.string)
        record["phoneVerified"] = user.phoneVerifiedAt.map(value)
        record["displayName"] = user.displayName.map(JSONValue.string)
        record["locale"] = user.locale.map(JSONValue.string)
        record["updatedAt"] = value(user.updatedAt)
        record["lastLogInAt"] = user.lastLogInAt.map(value)
        record["disabled"] = user.disabledAt.map(value)
        record["passwordHash"] = exported.hash.map { .string($0.text) }
        if !user.fields.isEmpty { record["fields"] = .object(user.fields) }
        var providers: [String: JSONValue] = [:]
        for identity in user.identities where identity.provider.registers && identity.provider != .passkey {
            // At Apple the team stands in front, which is the developer's and no part of the name.
            let name =
                identity.provider == .apple
                ? ConfiguredProvider.parts(of: identity.subject).name : identity.subject
            providers[identity.provider.rawValue] = .string(name)
        }
        if !providers.isEmpty { record["providers"] = .object(providers) }
        record[ours] = .object(ownMembers(of: exported))
        return record
    }

    private static func ownMembers(of exported: ExportedUser) -> [String: JSONValue] {
        let (user, credentials) = (exported.user, exported.credentials)
        var own: [String: JSONValue] = [:]
        own["previousLogInAt"] = user.previousLogInAt.map(value)
        own["passwordSetAt"] = user.passwordSetAt.map(value)
        own["weakPasswordAt"] = user.weakPasswordAt.map(value)
        own["deletionRequestedAt"] = user.deletionRequestedAt.map(value)
        own["secondFactorAt"] = user.secondFactorAt.map(value)
        own["seenAt"] = credentials.seenAt.map(value)
        if let acl = user.acl {
            let entries = acl.entries.map { subject, rights in
                (
                    subject.text,
                    JSONValue.array(
                        (rights.contains(.read) ? ["read"] : []) + (rights.contains(.write) ? ["write"] : []))
                )
            }
            own["accessList"] = .object(Dictionary(entries) { $1 })
        }
        own["roles"] = list(user.grants.map(\.rawValue).sorted().map(JSONValue.string))
        own["identities"] = list(user.identities.map { identity in value(identity, credentials.accounts) })
        own["passkeys"] = list(credentials.passkeys.map(value))
        own["totp"] = list(credentials.factors.map(value))
        own["sessions"] = list(credentials.sessions.map(OkaeriSessionRecord.value))
        if user.credentialsVersion > 0 { own["credentialsVersion"] = .integer(user.credentialsVersion) }
        own["recoveryCodes"] = list(credentials.recoveryCodes.map { value($0.bytes) })
        return own
    }

    private static func value(_ time: Timestamp) -> JSONValue { .string(time.wire.description) }

    private static func value(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.text(of: bytes)) }

    private static func list(_ values: [JSONValue]) -> JSONValue? { values.isEmpty ? Optional.none : .array(values) }

    private static func value(_ identity: Identity, _ accounts: [ProviderAccount]) -> JSONValue {
        var members: [String: JSONValue] = [
            "provider": .string(identity.provider.rawValue), "subject": .string(identity.subject),
            "linkedAt": value(identity.linkedAt),
        ]
        members["secondFactorAt"] = identity.secondFactorAt.map(value)
        members["joinedBy"] = identity.joinedBy.map { .string($0.rawValue) }
        let account = accounts.first { $0.provider == identity.provider && $0.subject == identity.subject }
        if let account {
            var kept: [String: JSONValue] = [
                "audience": .string(account.audience), "updatedAt": value(account.updatedAt),
                "isEmailForwarded": .bool(account.isEmailForwarded),
            ]
            kept["grant"] = account.sealedGrant.map(value)
            kept["transferSubject"] = account.transferSubject.map(JSONValue.string)
            kept["formerNames"] = list(account.formerNames.map(JSONValue.string))
            kept["email"] = account.email.map {
                ["address": .string($0.address), "isVerified": .bool($0.isVerified), "isRelay": .bool($0.isRelay)]
            }
            members["account"] = .object(kept)
        }
        return .object(members)
    }

    private static func value(_ passkey: Passkey) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(passkey.id), "userHandle": .string(passkey.userHandle),
            "publicKey": value(passkey.publicKey), "name": .string(passkey.name), "aaguid": .string(passkey.aaguid),
            "signCount": .integer(passkey.signCount), "transports": .array(passkey.transports.map(JSONValue.string)),
            "isBackupEligible": .bool(passkey.isBackupEligible), "isBackedUp": .bool(passkey.isBackedUp),
            "createdAt": value(passkey.createdAt),
        ]
        members["lastUsedAt"] = passkey.lastUsedAt.map(value)
        return .object(members)
    }

    private static func value(_ factor: TOTPFactor) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(factor.id.rawValue), "name": .string(factor.name), "key": value(factor.sealedKey),
            "lastStep": .integer(factor.lastStep), "createdAt": value(factor.createdAt),
        ]
        members["lastUsedAt"] = factor.lastUsedAt.map(value)
        return .object(members)
    }
}

extension OkaeriUserRecord {
    /// What a line makes: the same user.
    ///
    /// - Parameters:
    ///   - value: The line.
    ///   - application: Where the user comes to.
    ///   - now: The time of the import.
    ///   - readsDigests: Whether digests of recovery codes say something here.
    /// - Returns: the user, with open secrets.
    /// - Throws: `ImportFault` for a line that has another form.
    static func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp, readsDigests: Bool
    ) throws(ImportFault) -> ImportedUser {
        var (imported, record) = try RecordMapping.documented.user(value, of: application, at: now)
        let id = imported.user.id
        let whole = try RecordMembers(value, of: id.rawValue)
        guard let own = try whole.object(ours) else {
            throw ImportFault(
                id: id.rawValue, sentence: "has no “okaeri”: “okaeri import users” takes records of other services")
        }
        imported = imported.with(record)
        imported.user.displayName = try whole.optionalText("displayName")
        imported.hash = try whole.optionalText("passwordHash").map(PasswordHash.init(text:))
        // Identities have all of them, as they are stored.
        imported.providerNames = [:]
        var user = imported.user
        user.previousLogInAt = try own.optionalTime("previousLogInAt")
        user.passwordSetAt = try own.optionalTime("passwordSetAt")
        user.weakPasswordAt = imported.hash == nil ? nil : try own.optionalTime("weakPasswordAt")
        user.deletionRequestedAt = try own.optionalTime("deletionRequestedAt")
        user.acl = try own.object("accessList").map { list throws(ImportFault) in try acl(list, of: id) }
        if own["credentialsVersion"] != nil {
            // It is counted up: no number of a file comes near the end of the numbers.
            user.credentialsVersion = min(try own.count("credentialsVersion"), UserCredentials.maximumVersion)
        }
        user.grants = Set(try own.texts("roles").map(Identifier<Grant>.init(rawValue:)))
        var credentials = UserCredentials()
        // A day to come would keep a guest for as long.
        credentials.seenAt = try own.optionalTime("seenAt").map { min($0, now) }
        for object in try own.objects("passkeys") { credentials.passkeys.append(try passkey(object, application)) }
        for object in try own.objects("sessions") {
            credentials.sessions.append(try OkaeriSessionRecord.session(object, of: id, application))
        }
        for object in try own.objects("totp") { credentials.factors.append(try factor(object, of: id, application)) }
        // Without an authenticator app nobody could ever show the second factor.
        user.secondFactorAt = credentials.factors.isEmpty ? nil : try own.optionalTime("secondFactorAt")
        if readsDigests, user.secondFactorAt != nil {
            for text in try own.texts("recoveryCodes") {
                guard let digest = Base64URL.bytes(of: text.utf8).flatMap(SecretDigest.init(stored:)) else {
                    throw ImportFault(
                        id: id.rawValue, sentence: "okaeri.recoveryCodes holds something that is no digest")
                }
                credentials.recoveryCodes.append(digest)
            }
        }
        for object in try own.objects("identities") {
            var identity = Identity(
                provider: .init(rawValue: try object.text("provider")), subject: try object.text("subject"),
                linkedAt: try object.time("linkedAt"))
            identity.secondFactorAt = user.secondFactorAt == nil ? nil : try object.optionalTime("secondFactorAt")
            identity.joinedBy = try object.optionalText("joinedBy").map(Session.LogInMethod.init(rawValue:))
            user.identities.append(identity)
            guard let kept = try object.object("account") else { continue }
            credentials.accounts.append(try account(kept, of: identity, application))
        }
        (imported.user, imported.credentials) = (user, credentials)
        return imported
    }

    private static func acl(_ list: RecordMembers, of id: Identifier<User>) throws(ImportFault) -> ACL {
        var acl = ACL()
        for name in list.names {
            var rights: ACL.Rights = []
            for right in try list.texts(name) {
                switch right {
                case "read": rights.insert(.read)
                case "write": rights.insert(.write)
                default:
                    throw ImportFault(id: id.rawValue, sentence: "okaeri.accessList has a right that is not known")
                }
            }
            acl.entries[ACL.Subject(text: name)] = rights
        }
        return acl
    }

    private static func passkey(
        _ object: RecordMembers, _ application: Identifier<Application>
    ) throws(ImportFault) -> Passkey {
        let credential = Passkey.Credential(
            id: try object.text("id"), userHandle: try object.text("userHandle"),
            publicKey: try object.bytes("publicKey"), aaguid: try object.text("aaguid"),
            signCount: try object.count("signCount"), transports: try object.texts("transports"),
            isBackupEligible: try object.flag("isBackupEligible"), isBackedUp: try object.flag("isBackedUp"))
        return Passkey(
            credential, application: application, name: try object.text("name"),
            createdAt: try object.time("createdAt"),
            lastUsedAt: try object.optionalTime("lastUsedAt"))
    }

    private static func factor(
        _ object: RecordMembers, of user: Identifier<User>, _ application: Identifier<Application>
    ) throws(ImportFault) -> TOTPFactor {
        TOTPFactor(
            id: Identifier(rawValue: try object.text("id")), of: user, in: application, name: try object.text("name"),
            sealedKey: try object.bytes("key"), lastStep: try object.count("lastStep"),
            createdAt: try object.time("createdAt"), lastUsedAt: try object.optionalTime("lastUsedAt"))
    }

    private static func account(
        _ object: RecordMembers, of identity: Identity, _ application: Identifier<Application>
    ) throws(ImportFault) -> ProviderAccount {
        var account = ProviderAccount(
            application: application, provider: identity.provider, subject: identity.subject,
            audience: try object.text("audience"), sealedGrant: try object.optionalBytes("grant"),
            transferSubject: try object.optionalText("transferSubject"), updatedAt: try object.time("updatedAt"))
        account.isEmailForwarded = try object.flag("isEmailForwarded")
        account.formerNames = Array(try object.texts("formerNames").suffix(ProviderAccount.maximumFormerNames))
        account.email = try object.object("email").map { email throws(ImportFault) in
            ProviderEmail(
                address: try email.text("address"), isVerified: try email.flag("isVerified"),
                isRelay: try email.flag("isRelay"))
        }
        return account
    }
}
