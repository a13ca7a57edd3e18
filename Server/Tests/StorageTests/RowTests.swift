import Domain
import Storage
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

/// What is read is what was written, and no column is forgotten.
@Suite("Rows")
struct RowTests {
    /// A kind of row with contents whose columns are all filled in, and others with as few as there may be.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable () throws -> Void

        /// - Parameters:
        ///   - row: The kind of row.
        ///   - full: No column of it is null.
        ///   - others: Other contents.
        ///   - unread: Columns that only conditions read.
        init<Tested: StoredRow>(
            _ row: Tested.Type, _ full: Tested.Content, _ others: [Tested.Content] = [], unread: Set<String> = []
        ) where Tested.Content: Equatable & Sendable {
            testDescription = "\(row)"
            check = {
                for content in [full] + others {
                    let values = try row.values(of: content)
                    #expect(values.count == row.width && values.count == row.names.count)
                    let read = try row.content(ColumnReader(ValueRow(values: values)))
                    #expect(read == content)
                    let shifted = try row.content(ColumnReader(ValueRow(values: [.null, .null] + values), from: 2))
                    #expect(shifted == content)
                }
                let values = try row.values(of: full)
                for (position, name) in row.names.enumerated() where !unread.contains(name) {
                    #expect(!values[position].isNull, "\(name) is null in the full content")
                    var mutated = values
                    mutated[position] = values[position].mutated
                    do throws(DomainError) {
                        let read = try row.content(ColumnReader(ValueRow(values: mutated)))
                        #expect(read != full, "\(name) is not read")
                    } catch {
                        #expect(error == .storageUnavailable, "\(name)")
                    }
                }
            }
        }
    }

    private static let application = Identifier<Application>(rawValue: "application")
    private static let user = Identifier<User>(rawValue: "user")
    private static let time = Timestamp(milliseconds: 1_800_000_000_000)
    private static let device = DeviceDescription(name: "n", model: "m", system: "s", appVersion: "1")
    private static func digest(_ number: UInt8) -> SecretDigest { SecretDigest(of: [number]) }

    private static let cases = accounts + sessions + administration + providers + messaging

    @Test("are read as they were written, and every column counts", arguments: cases)
    func columns(row: Case) throws { try row.check() }

    private static var fullUser: User {
        var full = User(
            id: user, application: application, displayName: "花", locale: "ja", fields: ["level": 1], createdAt: time,
            updatedAt: time)
        full.username = "hana"
        full.email = "hana@example.com"
        full.phone = "+819012345678"
        full.lastLogInAt = time
        full.previousLogInAt = time
        full.emailVerifiedAt = time
        full.phoneVerifiedAt = time
        full.passwordSetAt = time
        full.disabledAt = time
        full.deletionRequestedAt = time
        full.weakPasswordAt = time
        full.credentialsVersion = .max - 1
        full.secondFactorAt = time
        full.acl = ACL([.everybody: .read])
        full.grants = [.init(rawValue: "group"), .init(rawValue: "role")]
        return full
    }

    private static var passedDevice: Identity {
        var device = Identity(provider: .device, subject: "key", linkedAt: time)
        device.secondFactorAt = time
        device.joinedBy = .password
        return device
    }

    private static var accounts: [Case] {
        [
            Case(
                UserRow.self, fullUser, [User(id: user, application: application, createdAt: time, updatedAt: time)]),
            Case(IdentityRow.self, passedDevice, [Identity(provider: .apple, subject: "subject", linkedAt: time)]),
            Case(IdentityOwnerRow.self, IdentityOwnerRow.Content(application: application, user: user)),
            Case(
                RemovedDeviceKeyRow.self,
                RemovedDeviceKey(
                    application: application, thumbprint: "key", user: user, reason: .init(rawValue: "disabled"),
                    removedAt: time)),
            Case(
                TOTPFactorRow.self,
                TOTPFactor(
                    id: .init(rawValue: "factor"), of: user, in: application, name: "name", sealedKey: [1, 2],
                    lastStep: 7, createdAt: time, lastUsedAt: time)),
            Case(
                PasskeyRow.self,
                Passkey(
                    Passkey.Credential(
                        id: "credential", userHandle: "handle", publicKey: [1], aaguid: "kind", signCount: 7,
                        transports: ["usb", "nfc"], isBackupEligible: true, isBackedUp: false),
                    application: application, name: "name", createdAt: time, lastUsedAt: time)),
            Case(
                PasswordSchemeRow.self,
                PasswordSchemeUse(application: application, scheme: PasswordScheme(text: "$argon2id$"), usedAt: time)),
            Case(
                TransferCodeRow.self,
                StoredTransferCode(application: application, user: user, digest: digest(1), issuedAt: time)),
            Case(TransferRow.self, transfer(full: true), [transfer(full: false)]),
            Case(
                MergeTicketRow.self,
                MergeTicket(
                    application: application, digest: digest(1), user: user, other: .init(rawValue: "other"),
                    expiresAt: time, shownBy: .password)),
            Case(
                MergeRow.self,
                Merge(
                    id: .init(rawValue: "merge"), application: application, user: user,
                    leftUser: .init(rawValue: "other"),
                    moved: Merge.Moved(
                        identities: [Identity(provider: .apple, subject: "subject", linkedAt: time)],
                        before: Merge.Profile(displayName: "a", locale: "ja", fields: ["level": 1]),
                        after: Merge.Profile(displayName: nil, locale: nil, fields: [:]),
                        transfers: [.init(rawValue: "transfer")]), mergedAt: time)),
            Case(
                EventRow.self, event(position: 7), [event(position: nil)]),
            Case(
                EventEndpointRow.self, endpoint(full: true), [endpoint(full: false)]),
            Case(
                EventDeliveryRow.self, delivery(full: true), [delivery(full: false)]),
            Case(
                ApplicationRow.self,
                Application(
                    id: application, name: "App", adminKeyDigest: digest(1), settings: ApplicationSettings(),
                    createdAt: time)),
            Case(
                ProtocolKeyRow.self,
                ProtocolKeySet(
                    application: application, protocolName: .init(rawValue: "other"), publicKey: "public",
                    sealed: [.clientKey: [1]], digests: [.digested: digest(2)])),
        ]
    }

    private static func transfer(full: Bool) -> Transfer {
        var transfer = Transfer(
            id: .init(rawValue: "transfer"), application: application, user: user,
            to: .init(key: "key", device: full ? device : DeviceDescription(), address: full ? "::1" : nil),
            codeDigest: digest(1), leftUser: full ? .init(rawValue: "other") : nil, redeemedAt: time)
        transfer.acknowledgedAt = full ? time : nil
        transfer.undoneAt = full ? time : nil
        return transfer
    }

    private static func session(full: Bool) -> Session {
        var described = device
        described.installation = "installation"
        var session = Session(
            id: .init(rawValue: "session"), application: application, user: user,
            client: .init(
                deviceKey: full ? "key" : nil, device: full ? described : DeviceDescription(),
                address: full ? "::1" : nil), protocolName: .native, method: .automatic,
            times: .init(
                createdAt: time, lastUsedAt: time, expiresAt: time, authenticatedAt: full ? time : nil))
        if full {
            (session.fields, session.updatedAt) = (["theme": "dark"], time)
            session.methods = [.password, .timeBasedCode]
            (session.secondFactorAt, session.origin) = (time, "key")
            session.parent = Identifier(rawValue: "parent")
        }
        return session
    }

    private static var sessions: [Case] {
        let attempt = SessionAttempt(digest: digest(2), request: digest(3), isNew: true, previousLogInAt: time)
        return [
            Case(SessionRow.self, session(full: true), [session(full: false)]),
            Case(
                SessionSecretRow.self,
                SessionSecretRow.Content(slot: "slot", token: digest(1), isNamed: false, attempt: attempt),
                [SessionSecretRow.Content(slot: "other", token: digest(1), isNamed: true, attempt: nil)],
                // Whether it is there says all.
                unread: ["token_lookup"]),
            Case(SigningKeyRow.self, SealedSigningKey(id: "key", sealed: [0, 255], createdAt: time)),
            Case(
                UsedProofRow.self,
                UsedProofRow.Content(application: application, proof: UsedProof(key: [1, 2], end: time))),
        ]
    }

    private static func admin(full: Bool) -> Admin {
        var admin = Admin(
            id: .init(rawValue: "admin"), name: "Hana", role: .support, applications: full ? [application] : nil,
            createdAt: time)
        admin.updatedAt = time + .seconds(1)
        admin.lastTOTPStep = 7
        guard full else { return admin }
        admin.passwordHash = PasswordHash(text: "$argon2id$hash")
        admin.sealedTOTP = [1, 2]
        admin.recoveryDigests = [digest(1), digest(2)]
        admin.lastLogInAt = time
        admin.disabledAt = time
        admin.usesPasskeysOnly = true
        return admin
    }

    private static func event(position: Int64?) -> Event {
        var event = Event(
            id: .init(rawValue: "event"), application: application, type: .userMerged, user: user,
            leftUser: .init(rawValue: "other"), at: time, details: ["left-user": "other"])
        event.position = position
        return event
    }

    private static func endpoint(full: Bool) -> EventEndpoint {
        var endpoint = EventEndpoint(
            id: .init(rawValue: "endpoint"), application: application, url: "https://example.com",
            types: [.userMerged], includesUser: true, createdAt: time, sealedSecret: [1, 2])
        guard full else { return endpoint }
        (endpoint.sealedFormer, endpoint.formerUntil, endpoint.goneAt) = ([3, 4], time, time)
        return endpoint
    }

    private static func delivery(full: Bool) -> EventDelivery {
        var delivery = EventDelivery(
            application: application, endpoint: .init(rawValue: "endpoint"), event: .init(rawValue: "event"),
            user: user, position: 7, nextTryAt: time)
        if full { (delivery.lastFault, delivery.leftUser, delivery.claim) = ("refused", .init(rawValue: "other"), "a") }
        return delivery
    }

    private static var administration: [Case] {
        var session = AdminSession(digest: digest(1), admin: .init(rawValue: "admin"), createdAt: time)
        session.lastUsedAt = time + .seconds(1)
        session.authenticatedAt = time + .seconds(2)
        session.passkey = "credential"
        session.identity = "identity"
        return [
            Case(AdminRow.self, admin(full: true), [admin(full: false)], unread: ["folded_name"]),
            Case(
                AdminSessionRow.self, session,
                [AdminSession(digest: digest(1), admin: .init(rawValue: "admin"), createdAt: time)]),
            Case(
                AdminLinkRow.self,
                AdminLink(digest: digest(1), admin: .init(rawValue: "admin"), sealedTOTP: [1], expiresAt: time),
                [AdminLink(digest: digest(1), admin: nil, sealedTOTP: [1], expiresAt: time)]),
            Case(
                AdminKeyRow.self,
                AdminKey(
                    id: .init(rawValue: "key"), digest: digest(1), name: "CI", scopes: [.readUsers],
                    reach: .init(
                        applications: [application],
                        networks: ["10.0.0.7/8", "2001:db8::7"].compactMap { IPNetwork($0) }),
                    maker: .init(id: .init(rawValue: "admin"), name: "Hana"), createdAt: time, expiresAt: time),
                [
                    AdminKey(
                        id: .init(rawValue: "key"), digest: digest(1), name: "CI", scopes: [.readUsers],
                        reach: .init(applications: nil, networks: []),
                        maker: .init(id: .init(rawValue: "admin"), name: "Hana"), createdAt: time, expiresAt: time)
                ]),
            Case(
                AuditEntryRow.self,
                AuditEntry(
                    id: .init(rawValue: "entry"), application: application, at: time,
                    by: Operator(
                        actor: .operator,
                        origin: RequestOrigin(address: "::1", userAgent: "agent", requestId: "request")),
                    did: .init(.userDisabled, on: .signingKey("key"), result: .done, details: ["a": "b"]),
                    seal: digest(1))),
            Case(
                AuditHeadRow.self,
                AuditHead(application: application, number: 3, digest: digest(1), seal: digest(2))),
        ]
    }

    private static var fullAccount: ProviderAccount {
        var full = ProviderAccount(
            application: application, provider: .apple, subject: "subject", audience: "app", sealedGrant: [1],
            email: ProviderEmail(address: "hana@example.com", isVerified: true, isRelay: true),
            transferSubject: "former", updatedAt: time)
        full.formerNames = ["before", "last"]
        return full
    }

    private static var providers: [Case] {
        [
            Case(
                ProviderRow.self,
                StoredProvider(
                    application: application,
                    settings: ProviderSettings(
                        provider: .apple, audiences: ["app"], teamId: "T", keyId: "K", issuer: "I",
                        redirectURIs: ["https://example.com"]), sealedSecret: [1], updatedAt: time)),
            Case(
                ProviderAccountRow.self, fullAccount,
                [
                    ProviderAccount(
                        application: application, provider: .apple, subject: "s", audience: "", updatedAt: time)
                ]),
            Case(
                ProviderRevocationRow.self,
                ProviderRevocation(
                    application: application, id: .init(rawValue: "revocation"), provider: .apple, audience: "app",
                    sealedGrant: [1], failures: 2, dueAt: time, createdAt: time)),
        ]
    }

    private static var messaging: [Case] {
        var mail = QueuedMail(
            id: .init(rawValue: "mail"), application: application, kind: .logInCode, sealed: [1], createdAt: time,
            expiresAt: time, nextTryAt: time)
        mail.attempts = 3
        mail.claim = "claim"
        mail.lastFault = "451"
        var code = MailedCode(
            application: application, handle: digest(1), digest: digest(2), kind: .emailVerification, user: user,
            address: "hana@example.com", replaces: "old@example.com", expiresAt: time)
        code.usedBy = digest(3)
        code.origin = "session"
        return [
            Case(QueuedMailRow.self, mail),
            Case(
                OutboxMailRow.self,
                OutboxMail(id: .init(rawValue: "mail"), application: application, sealed: [1], createdAt: time)),
            Case(MailedCodeRow.self, code),
        ]
    }
}

/// A row of values as they were bound.
private struct ValueRow: RowReader {
    let values: [Value]

    func isNull(_ column: Int) -> Bool { values[column].isNull }

    func integer(_ column: Int) -> Int64 {
        if case .integer(let number) = values[column] { number } else { 0 }
    }

    func text(_ column: Int) -> String {
        if case .text(let text) = values[column] { text } else { "" }
    }

    func bytes(_ column: Int) -> [UInt8] {
        if case .bytes(let bytes) = values[column] { bytes } else { [] }
    }
}

extension Value {
    fileprivate var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Another value of the same type.
    fileprivate var mutated: Value {
        switch self {
        case .null: .null
        case .integer(let number): .integer(number + 1)
        case .text(let text): .text(text + "x")
        case .bytes(let bytes): .bytes(bytes.isEmpty ? [0] : [bytes[0] ^ 1] + bytes.dropFirst())
        }
    }
}
