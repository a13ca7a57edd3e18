import Domain
import Foundation
import OkaeriWire
import Storage
import StorageSQLite
import TestWorld

/// Every kind of user whose making over the wire would take long, in an application with every kind of secret.
enum SeededUsers {
    /// - Parameters:
    ///   - id: Their application.
    ///   - folder: Where its database is.
    /// - Returns: how many.
    /// - Throws: what the database throws.
    static func write(to id: Identifier<Application>, in folder: String) async throws -> Int {
        let store = try SQLiteStore(.folder(folder), role: .command)
        let key = try SealingKey.ofTests()
        @Sendable func time(_ second: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_123 + second * 1000) }
        func user(_ name: String, _ change: (inout Domain.User) -> Void) -> Domain.User {
            var user = Domain.User(
                id: Identifier(rawValue: name), application: id, createdAt: time(0), updatedAt: time(50))
            change(&user)
            return user
        }
        let full = user("full") {
            ($0.username, $0.email, $0.phone) = ("Hana", "hana@example.com", "+819012345678")
            ($0.emailVerifiedAt, $0.phoneVerifiedAt) = (time(1), time(2))
            ($0.displayName, $0.locale) = ("花 \"\\/", "ja-JP")
            $0.fields = ["list": [1, 2.5, nil, true, "x"], "deep": ["a": ["b": [:]]]]
            ($0.lastLogInAt, $0.previousLogInAt) = (time(40), time(30))
            $0.acl = ACL([.everybody: .read, .user(Identifier(rawValue: "other")): [.read, .write], .role("r"): []])
            $0.secondFactorAt = time(5)
            $0.identities = [
                Identity(provider: .apple, subject: "TEAM123456/000.abc", linkedAt: time(3)),
                Identity(provider: .passkey, subject: "AAAA", linkedAt: time(4)),
                Identity(provider: .anonymous, subject: "c3ViamVjdA", linkedAt: time(5)),
            ]
            var device = Identity(provider: .device, subject: "thumbprint", linkedAt: time(6))
            (device.secondFactorAt, device.joinedBy) = (time(7), Session.LogInMethod(rawValue: "apple"))
            $0.identities.append(device)
        }
        let others = [
            user("disabled") { ($0.email, $0.disabledAt) = ("off@example.com", time(9)) },
            user("leaving") { ($0.username, $0.deletionRequestedAt) = ("leaving", time(10)) },
            // Twins, as some services had them.
            user("twin 1") { $0.username = "Twin" },
            user("twin 2") { $0.username = "twin" },
            // Hashes stayed where the user came from.
            user("hashless") { ($0.username, $0.passwordSetAt) = ("hashless", time(0)) },
            user("nobody") { _ in },
        ]
        let grant = try key.seal(Array("refresh".utf8), purpose: ProviderAccount.purpose(.apple, in: id))
        let factor = TOTPFactor(
            id: Identifier(rawValue: "factor"), of: full.id, in: id, name: "phone",
            // As the module has it.
            sealedKey: try key.seal([UInt8](repeating: 5, count: 20), purpose: TOTPFactor.purpose(full.id, id)),
            lastStep: 57, createdAt: time(5), lastUsedAt: time(8))
        let passkey = Passkey(
            .init(
                id: "AAAA", userHandle: "BBBB", publicKey: [1, 2, 3], aaguid: "00000000-0000-0000-0000-000000000000",
                signCount: 9, transports: ["internal"], isBackupEligible: true, isBackedUp: false),
            application: id, name: "laptop", createdAt: time(4), lastUsedAt: time(8))
        let secret = try key.seal(Array("client".utf8), purpose: StoredProvider.purpose(.google, in: id))
        let sessions = sessions(in: id, since: time(0))
        try await store.write { transaction throws(DomainError) in
            guard var application = try transaction.application(id) else { throw .applicationUnknown }
            try SeededSecrets.add(to: &application.settings, of: id, sealedBy: key, at: time(0))
            try transaction.update(application)
            let roles = application.settings.access.grants
            for var user in [full] + others {
                if user.id == full.id { user.grants = Set(roles.keys) }
                try transaction.insert(user)
                if !user.typedIdentifiers.isEmpty { try transaction.updateIdentifiers(of: user) }
                for identity in user.identities { try transaction.insert(identity, for: user.id, in: id) }
                try transaction.updateStanding(of: user)
                if let since = user.passwordSetAt {
                    try transaction.noteUnknownPassword(of: user.id, in: id, since: since)
                }
                if user.id.rawValue == "twin 2" { for _ in 0..<3 { try transaction.voidTickets(of: &user) } }
                guard user.id == full.id else { continue }
                // The device went on with its session for weeks after the log-in.
                try transaction.noteDays([UserPresence(of: full.id, in: id, at: time(20 * 86_400))])
                try transaction.setPassword(PasswordHash(text: Self.hash), of: user.id, in: id, at: time(20))
                try transaction.markPassword(of: user.id, in: id, weakSince: time(21))
                try transaction.updateGrants(of: user)
                try transaction.updateSecondFactor(of: user)
                try transaction.insert(factor)
                try transaction.insert(passkey)
                try transaction.replaceRecoveryCodes(
                    of: user.id, in: id, with: [SecretDigest(of: [1]), SecretDigest(of: [2])])
                var account = ProviderAccount(
                    application: id, provider: .apple, subject: "TEAM123456/000.abc", audience: "com.example",
                    sealedGrant: grant, updatedAt: time(3))
                account.email = ProviderEmail(address: "h@example.com", isVerified: true, isRelay: false)
                account.isEmailForwarded = false
                account.formerNames = ["000.before", "000.former"]
                try transaction.save(account)
            }
            for (session, token) in sessions {
                let isOwn = session.protocolName == .native
                try transaction.insert(
                    session, token: SessionToken.Reference(token.digest, of: isOwn ? session.user : nil), attempt: nil,
                    replacing: nil)
            }
            try transaction.save(
                StoredProvider(
                    application: id, settings: ProviderSettings(provider: .google, audiences: ["g"]),
                    sealedSecret: secret, updatedAt: time(0)))
        }
        await store.close()
        return others.count + 1
    }

    /// The token of a session of Parse, which goes on.
    static let parseToken = "r:0123456789abcdef0123456789abcdef"
    /// The token of one that has ended.
    static let endedToken = "r:1123456789abcdef0123456789abcdef"

    /// Sessions of `twin 1`: one that an app of Parse holds, one that has ended, and one of this server's own protocol.
    private static func sessions(
        in application: Identifier<Application>, since start: Timestamp
    ) -> [(session: Session, token: Secret)] {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        func session(_ name: String, _ protocolName: Session.ProtocolName, until end: Timestamp) -> Session {
            Session(
                id: Identifier(rawValue: name), application: application, user: Identifier(rawValue: "twin 1"),
                client: .init(address: "192.0.2.7"), protocolName: protocolName, method: .password,
                times: .init(createdAt: start, lastUsedAt: now, expiresAt: end, authenticatedAt: start))
        }
        var live = session("live", .init(rawValue: "parse"), until: now + .days(100))
        live.device = DeviceDescription(
            name: "phone", model: "A1", system: "Android 9", appVersion: "3.1", installation: "1f0c")
        (live.fields, live.updatedAt, live.secondFactorAt) = (["level": [3, nil]], now, start)
        live.methods = [.password, .timeBasedCode]
        return [
            (live, Secret(parseToken)),
            (session("ended", .init(rawValue: "parse"), until: start + .seconds(60)), Secret(endedToken)),
            (session("own", .native, until: now + .days(100)), Secret("oks_own")),
        ]
    }

    private static let hash = "$2y$10$nVFTEVbpTsnCmnyWMBWMc.wHaIdr5N267pyPeoPVQWkeY51Qk2yEC"
}
