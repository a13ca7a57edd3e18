@testable import Domain
import StorageSQLite
import TestWorld
import Testing

/// Walks every row of the table of changes through the function that all protocols use, with the real store.
@Suite("Every row of the table of changes")
struct AccountPolicyTests {
    private let world: TestWorld
    private let changes: AccountChanges

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
        let key = try SealingKey.ofTests()
        changes = AccountChanges(
            notice: MailNotice(
                sealing: MailSealing(key: key, randomness: world.randomness), delivery: .outbox, pagesURL: nil),
            audit: AuditTrail(
                clock: world.clock, randomness: world.randomness, seals: AuditSeals(key), hasLimits: false))
    }

    /// An account with one way in of each kind, and the owner's own session and key.
    private struct Account {
        let application: Application
        let user: User
        let kept: KeptAccess

        static let thiefsKey = "thief"
    }

    private func account() async throws -> Account {
        let application = try await world.makeApplication()
        let device = TestDevice()
        let logIn = try await world.logIn(device, to: application)
        _ = try await world.upgrade(
            logIn, NewIdentifiers(username: .set("hana"), email: .set("hana@example.com"), rules: .native),
            in: application)
        _ = try await world.logIn("hana", to: application)
        let (id, now) = (logIn.user.id, world.clock.now)
        let ticket = MergeTicket(
            application: application.id, digest: MergeTicket.digest(of: "ticket"), user: id, other: id,
            expiresAt: now + .seconds(600))
        _ = try await world.modules.transfers.issueTransferCode(to: id, in: application, by: .local)
        let code = MailedCode(
            application: application.id, handle: SecretDigest(of: "handle".utf8), digest: SecretDigest(of: "code".utf8),
            kind: .logInCode, user: id, address: "hana@example.com", replaces: nil, expiresAt: now + .days(1))
        let waiting = MailedCode(
            application: application.id, handle: SecretDigest(of: "other".utf8), digest: SecretDigest(of: "code".utf8),
            kind: .emailVerification, user: id, address: "new@example.com", replaces: "hana@example.com",
            expiresAt: now + .days(1))
        try await world.engine.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
            user.emailVerifiedAt = now
            try transaction.updateIdentifiers(of: user)
            for provider in [Identity.Provider.device, .anonymous] {
                try transaction.insert(
                    Identity(provider: provider, subject: Account.thiefsKey, linkedAt: now), for: id, in: application.id
                )
            }
            try transaction.insert(ticket)
            try transaction.replaceCode(with: code)
            try transaction.replaceCode(with: waiting)
        }
        _ = try await world.modules.messaging.deliverMail()
        let user = try await world.modules.directory.readUser(id, in: application.id)
        let own = user.identities.first { $0.provider == .device && $0.subject != Account.thiefsKey }
        return Account(
            application: application, user: user,
            kept: KeptAccess(session: logIn.session.id, deviceKey: own?.subject))
    }

    /// The ways in that are there, but for those that the caller uses.
    private func waysIn(_ account: Account) async throws -> Set<Eviction> {
        let (id, application) = (account.user.id, account.application.id)
        let before = account.user
        return try await world.engine.write { transaction throws(DomainError) in
            guard let user = try transaction.user(id, in: application) else { throw .userUnknown }
            var ways: Set<Eviction> = []
            let sessions = try transaction.sessions(of: id, in: application)
            if sessions.contains(where: { $0.id != account.kept.session }) { ways.insert(.sessions) }
            if !sessions.contains(where: { $0.id == account.kept.session }) { throw .sessionUnknown }
            if user.identities.contains(where: { $0.provider == .device && $0.subject != account.kept.deviceKey }) {
                ways.insert(.deviceKeys)
            }
            if !user.identities.contains(where: { $0.subject == account.kept.deviceKey }) { throw .identityUnknown }
            if user.identities.contains(where: { $0.provider == .anonymous }) { ways.insert(.anonymousIds) }
            if try transaction.mailedAddress(of: .emailVerification, user: id, in: application) != nil {
                ways.insert(.newAddresses)
            }
            try transaction.removeCode(of: .emailVerification, user: id, in: application)
            if try transaction.removeCodes(of: id, in: application, except: nil) > 0 { ways.insert(.mailedCodes) }
            if try transaction.removeTransferCode(of: id, in: application) { ways.insert(.transferCodes) }
            if try transaction.removeMergeTickets(of: id, in: application) > 0 { ways.insert(.mergeTickets) }
            if user.credentialsVersion == before.credentialsVersion { ways.insert(.tickets) }
            return ways
        }
    }

    @Test("ends, records and notifies what it says, once", arguments: AccountChange.allCases)
    func row(change: AccountChange) async throws {
        let account = try await account()
        world.clock.advance(by: .seconds(1))
        let (now, policy) = (world.clock.now, change.policy)
        let ready = try changes.ready(
            [change], of: account.user, in: account.application,
            by: try #require(Self.author(of: change, of: account.user)), at: now)
        try await world.engine.write { transaction throws(DomainError) in
            guard var user = try transaction.user(account.user.id, in: account.application.id) else {
                throw .userUnknown
            }
            try ready.settle([change: ["of": "test"]], of: &user, keeping: account.kept, in: transaction)
        }
        let entries = try await world.modules.administration.audit.list(in: account.application.id).filter {
            $0.at == now
        }
        #expect(entries.map(\.action) == [policy.action])
        #expect(entries.first?.target == .user(account.user.id) && entries.first?.result == .done)
        #expect(entries.first?.details["of"] == "test")
        #expect(try await waysIn(account) == Eviction.everything.subtracting(policy.evicts))
        _ = try await world.modules.messaging.deliverMail()
        let mails = try await world.modules.messaging.readOutbox(of: account.application.id)
        // The first one is of the upgrade that made the account.
        #expect(mails.count == (policy.mail == nil ? 1 : 2), "\(mails.map(\.subject))")
        let thief = try await world.engine.read { transaction throws(DomainError) in
            try transaction.removedDeviceKey(Account.thiefsKey, in: account.application.id)
        }
        #expect(thief?.reason.rawValue == (policy.evicts.contains(.deviceKeys) ? change.rawValue : nil))
    }

    /// Somebody who may make a change, with what must be fresh.
    private static func author(of change: AccountChange, of user: User) -> AccountAuthor? {
        let authors: [(AccountRole, AccountAuthor)] = [
            (
                .owner,
                change.policy.fresh.reduce(AccountAuthor(.owner(user.id), of: user.id, session: nil, from: .local)) {
                    $0.showing($1)
                }
            ),
            (.operator, .operator(.local)), (.provider, .provider(.apple, from: .local)),
            (.server, .server),
            (
                .holder,
                .holder(
                    of: user.id, showing: change.policy.fresh.first ?? .code, from: .local, keeping: .nothing)
            ),
            (.stranger, .newcomer(.unknown, from: .local)),
        ]
        return authors.first { change.policy.who.contains($0.0) }?.1
    }

    @Test("is refused of those who may not, and without what must be fresh", arguments: AccountChange.allCases)
    func enforced(change: AccountChange) async throws {
        let account = try await account()
        let user = account.user
        let application = account.application.id
        let session = try await world.engine.read { transaction throws(DomainError) in
            try transaction.sessions(of: user.id, in: application).first { $0.id == account.kept.session }
        }
        let old = Authenticated(
            application: account.application, session: try #require(session), user: user,
            tokenDigest: SecretDigest(of: "token".utf8))
        world.clock.advance(by: .seconds(3600))
        let (now, policy) = (world.clock.now, change.policy)
        let stale = AccountAuthor.owner(old, isProven: true, from: .local)
        let authors: [(AccountAuthor, AccountRole, Set<AccountPolicy.Proof>, isAsked: Bool)] = [
            (stale, .owner, [], true), (stale.showing(.recentLogIn), .owner, [.recentLogIn], true),
            (stale.showing(.currentPassword), .owner, [.currentPassword], true),
            (.holder(of: user.id, showing: .code, from: .local, keeping: .nothing), .holder, [.code], true),
            (
                .holder(of: user.id, showing: .mergeTicket, from: .local, keeping: .nothing), .holder,
                [.mergeTicket], true
            ),
            (.unknown(showing: .recentLogIn, from: .local), .stranger, [.recentLogIn], true),
            (.operator(.local), .operator, [], false), (.provider(.apple, from: .local), .provider, [], false),
            (.server, .server, [], false),
        ]
        for (author, role, shown, isAsked) in authors {
            let isFresh = !isAsked || policy.fresh.isEmpty || !policy.fresh.isDisjoint(with: shown)
            let isRefused = await world.refusal {
                let ready = try changes.ready([change], of: user, in: account.application, by: author, at: now)
                try await world.engine.write { transaction throws(DomainError) in
                    var present = user
                    try ready.settle([change: [:]], of: &present, keeping: account.kept, in: transaction)
                    // Nothing stays.
                    throw .storageUnavailable
                }
            }
            if policy.who.contains(role), isFresh {
                #expect(isRefused == .storageUnavailable, "\(role) \(shown)")
            } else {
                #expect([.accessRefused, .reauthenticationRequired].contains(isRefused), "\(role) \(shown)")
            }
        }
    }

    @Test("does not happen without a trace", arguments: AccountChange.allCases)
    func notReady(change: AccountChange) async throws {
        let account = try await account()
        let author = try #require(Self.author(of: change, of: account.user))
        let ready = try changes.audit.ready([], in: account.application.id, by: author, at: world.clock.now)
        await #expect(throws: DomainError.secretUnreadable) {
            try await world.engine.write { transaction throws(DomainError) in
                var user = account.user
                try ready.settle([change: [:]], of: &user, keeping: account.kept, in: transaction)
            }
        }
        #expect(try await waysIn(account) == Eviction.everything)
    }

    @Test("refuses those who may not", arguments: AccountChange.allCases)
    func refusal(change: AccountChange) throws {
        var user = User(
            id: Identifier(rawValue: "owner"), application: Identifier(rawValue: "app"),
            createdAt: world.clock.now, updatedAt: world.clock.now)
        let writer = Identifier<User>(rawValue: "writer")
        user.acl = ACL([.user(writer): [.read, .write], .everybody: [.read]])
        let actors: [(AccountActor, AccountRole)] = [
            (.user(nil, standard: []), .stranger), (.user(Identifier(rawValue: "x"), standard: [.write]), .stranger),
            (.user(writer, standard: []), .writer), (.owner(user.id), .owner), (.operator, .operator),
            (.holder(of: user.id), .holder), (.holder(of: writer), .stranger), (.newcomer, .stranger),
            (.provider(.apple), .provider), (.server, .server),
        ]
        for (actor, role) in actors {
            #expect(actor.role(towards: user) == role)
            #expect(actor.may(change, user) == change.policy.who.contains(role), "\(actor)")
            var refusal: DomainError?
            do throws(DomainError) { try actor.require([change], of: user) } catch { refusal = error }
            #expect(refusal == (change.policy.who.contains(role) ? nil : .accessRefused))
        }
        user.disabledAt = world.clock.now
        #expect(AccountActor.owner(user.id).role(towards: user) == .stranger)
    }

    @Test("tells the device whose key goes, and by mail of what concerns ways in or the whole account")
    func notices() {
        for change in AccountChange.allCases {
            let policy = change.policy
            #expect(!policy.who.isEmpty)
            if policy.evicts.contains(.deviceKeys) { #expect(policy.tells.contains(.oldDevice), "\(change)") }
            let isOfAccount = [
                .upgraded, .disabled, .enabled, .deletionRequested, .restored, .erased, .erasedAtOnce,
            ].contains(change)
            let isWayIn = [
                .identifiersChanged, .identityLinked, .identityUnlinked, .passkeyAdded, .passkeyRemoved,
                .secondFactorAdded, .secondFactorRemoved, .secondFactorsReset, .recoveryCodesReplaced,
                .recoveryCodeUsed, .transferCodeRedeemed, .mergedByOperator, .identifierYielded,
            ].contains(change)
            if isOfAccount || isWayIn {
                #expect(policy.mail != nil, "\(change)")
            } else if policy.mail != nil {
                #expect(policy.evicts.isSuperset(of: Eviction.everything), "\(change)")
            }
            if policy.who == [.holder] { #expect(!policy.fresh.isEmpty, "\(change)") }
        }
    }

    @Test("stands in the table that people read, in one line")
    func table() {
        let lines = AccountChange.policyTable.split(separator: "\n")
        #expect(lines.count == AccountChange.allCases.count + 2)
        for (change, line) in zip(AccountChange.allCases, lines.dropFirst(2)) {
            #expect(line.hasPrefix("| `\(change.rawValue)` | ") && line.contains("`\(change.policy.action.rawValue)`"))
            #expect(line.split(separator: "|").count == 7)
        }
        #expect(Set(AccountChange.allCases.map(\.rawValue)).count == AccountChange.allCases.count)
    }
}
