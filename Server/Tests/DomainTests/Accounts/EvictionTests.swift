import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// What ends with a change, counted: for the person who asks, and in the audit log.
@Suite("What ends with a change of an account")
struct EvictionTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    enum Way: String, CaseIterable {
        /// By an operator.
        case everything
        /// By the user, who keeps session and key.
        case everythingElse
        case otherKeys

        /// Of three sessions, two of which are bound to a key each.
        var ended: (sessions: Int, keys: Int) {
            switch self {
            case .everything: (3, 2)
            case .everythingElse: (2, 1)
            case .otherKeys: (1, 1)
            }
        }

        var action: AuditEntry.Action {
            switch self {
            case .everything: AccountChange.allSessionsEnded.policy.action
            case .everythingElse: AccountChange.otherSessionsEnded.policy.action
            case .otherKeys: AccountChange.otherDeviceKeysRemoved.policy.action
            }
        }
    }

    /// - Returns: how much ended, as far as the way says it.
    private func end(_ way: Way, _ who: Authenticated) async throws -> (sessions: Int?, keys: Int) {
        switch way {
        case .everything:
            let evicted = try await world.modules.administration.users.endAllSessions(
                of: who.user.id, in: application, by: .local)
            return (evicted.sessions, evicted.deviceKeys)
        case .everythingElse:
            let evicted = try await world.modules.sessions.endOtherSessions(by: who, isProven: false, from: .local)
            return (evicted.sessions, evicted.deviceKeys)
        case .otherKeys:
            let keys = try await world.modules.accounts.removeDeviceKeys.others(
                of: who.user.id, in: application, by: .owner(who, isProven: false, from: .local))
            return (nil, keys)
        }
    }

    @Test("is counted in the answer and in the audit log, and nothing ends a second time", arguments: Way.allCases)
    func counted(way: Way) async throws {
        let (own, other) = (TestDevice(), TestDevice())
        let signUp = try await world.signUp("hana", to: application, with: own)
        _ = try await world.logIn("hana", to: application, with: other)
        _ = try await world.logIn("hana", to: application)
        let who = try await world.authenticate(signUp.token, in: application)
        let ended = try await end(way, who)
        #expect(ended.keys == way.ended.keys && ended.sessions ?? way.ended.sessions == way.ended.sessions)
        let left = try await world.modules.sessions.listSessions(of: who.user.id, in: application)
        #expect(left.count == 3 - way.ended.sessions)
        #expect(left.contains { $0.id == signUp.session.id } == (way != .everything))
        let filter = AuditFilter(action: way.action)
        let entries = try await world.modules.administration.audit.list(in: application.id, matching: filter)
        #expect(
            entries.map(\.details) == [["count": String(way.ended.sessions), "device-keys": String(way.ended.keys)]])
        #expect(entries.map(\.target) == [.user(who.user.id)])
        let again = try await end(way, who)
        #expect(again.keys == 0 && again.sessions ?? 0 == 0)
        #expect(try await world.modules.administration.audit.list(in: application.id, matching: filter).count == 2)
        // The device that is out gets an error instead of a new user.
        #expect(await world.refusal { _ = try await world.logIn(other, to: application) } != nil)
        if way != .everything { #expect(try await world.logIn(own, to: application).user.id == who.user.id) }
    }

    @Test("are the sessions of somebody kept out, unless nothing else leads to them", arguments: [true, false])
    func onlySessions(hasPassword: Bool) async throws {
        let logIn = try await world.signUp("hana", to: application)
        let (id, tenant) = (logIn.user.id, application.id)
        if !hasPassword {
            try await world.engine.write { transaction throws(DomainError) in
                try transaction.removePassword(of: id, in: tenant)
            }
        }
        let disable = world.modules.accounts.setUserDisabled
        try await disable(id, in: application, isDisabled: true, by: .local)
        #expect(await world.refusal { _ = try await world.authenticate(logIn.token, in: application) } != nil)
        try await disable(id, in: application, isDisabled: false, by: .local)
        let refusal = await world.refusal { _ = try await world.authenticate(logIn.token, in: application) }
        #expect(refusal == (hasPassword ? .sessionInvalid : nil))
        // “Log out everywhere” ends them all the same.
        let evicted = try await world.modules.administration.users.endAllSessions(of: id, in: application, by: .local)
        #expect(evicted == Evicted(sessions: hasPassword ? 0 : 1, deviceKeys: 0))
        await #expect(throws: DomainError.sessionInvalid) { try await world.authenticate(logIn.token, in: application) }
    }

    @Test("is never the last key of a guest, by any way", arguments: Way.allCases)
    func lastKey(way: Way) async throws {
        let device = TestDevice()
        let guest = try await world.logIn(device, to: application)
        let who = try await world.authenticate(guest.token, in: application)
        #expect(try await end(way, who).keys == 0)
        #expect(try await world.logIn(device, to: application).user.id == guest.user.id)
    }

    @Test("is one session, of the user alone, with its entry in the audit log")
    func oneSession() async throws {
        let hana = try await world.signUp("hana", to: application)
        let mika = try await world.signUp("mika", to: application)
        let second = try await world.logIn("hana", to: application)
        let third = try await world.logIn("hana", to: application)
        let who = try await world.authenticate(hana.token, in: application)
        let sessions = world.modules.sessions
        for id in [mika.session.id, Identifier(rawValue: "nothing")] {
            await #expect(throws: DomainError.sessionUnknown) {
                try await sessions.endSession(id, by: who, from: .local)
            }
        }
        await #expect(throws: DomainError.sessionUnknown) {
            try await sessions.endSession(second.session.id, of: mika.user.id, in: application.id, by: .local)
        }
        try await sessions.endSession(second.session.id, by: who, from: .local)
        try await sessions.endSession(third.session.id, of: hana.user.id, in: application.id, by: .local)
        try await sessions.endSession(mika.session.id, of: nil, in: application.id, by: .local)
        for ended in [second, third, mika] {
            await #expect(throws: DomainError.sessionInvalid) {
                try await world.authenticate(ended.token, in: application)
            }
            await #expect(throws: DomainError.sessionUnknown) {
                try await sessions.endSession(ended.session.id, of: nil, in: application.id, by: .local)
            }
        }
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .sessionEnded))
        for ended in [second, third, mika] {
            #expect(
                entries.count {
                    $0.target == .user(ended.user.id) && $0.details == ["session": ended.session.id.rawValue]
                } == 1)
        }
        #expect(entries.count == 3)
        #expect(entries.count { $0.actor == .user(hana.user.id) } == 1)
        _ = try await world.authenticate(hana.token, in: application)
    }
}

/// A request is authenticated before its body is read, and its sender may take a minute for that, or a provider, a hook or a hash
/// takes its time. What ends its session meanwhile has to count as if it had come first.
@Suite("A request whose session ends while it is under way")
struct EndedMeanwhileTests {
    private let world: TestWorld
    private let application: Application
    private let device = TestDevice()

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    /// What ends it.
    enum End: CaseIterable {
        case alone, everywhere, byOperator, deletion
    }

    /// What it asks for.
    enum Act: CaseIterable {
        case password, address, transferCode, furtherSession, deviceKey, otherKeys, otherSessions, erasure
    }

    private func end(_ end: End, _ thief: Authenticated, by owner: Authenticated) async throws {
        let modules = world.modules
        switch end {
        case .alone: try await modules.sessions.endSession(thief.session.id, by: owner, from: .local)
        case .everywhere: _ = try await modules.sessions.endOtherSessions(by: owner, isProven: false, from: .local)
        case .byOperator:
            _ = try await modules.administration.users.endAllSessions(of: owner.user.id, in: application, by: .local)
        case .deletion: _ = try await modules.deletion.requestDeletion(by: owner, isProven: false, from: .local)
        }
    }

    private func act(_ act: Act, _ who: Authenticated) async throws {
        let (accounts, id) = (world.modules.accounts, who.user.id)
        let author = AccountAuthor.owner(who, isProven: false, from: .local)
        switch act {
        case .password:
            _ = try await accounts.changePassword(
                .init(
                    current: nil, new: Secret("what the thief remembers"), address: TestWorld.address, rules: .native,
                    origin: .local), by: who, isProven: false)
        case .address:
            let identifiers = NewIdentifiers(email: .set("thief@example.com"), rules: .native)
            _ = try await accounts.editUser(
                UserEdit(identifiers: identifiers), of: id, in: application, by: author)
        case .transferCode:
            _ = try await world.modules.transfers.issueTransferCode(by: who, isProven: false, from: .local)
        case .furtherSession:
            var asked = OpenSession.Request(
                user: id, application: application, protocolName: .endless, method: .adoption, actor: .user(id),
                origin: .local)
            asked.source = who
            _ = try await world.modules.sessions.openSession(asked)
        case .deviceKey:
            try await accounts.removeDeviceKeys(device.thumbprint, of: id, in: application, by: author)
        case .otherKeys: _ = try await accounts.removeDeviceKeys.others(of: id, in: application, by: author)
        case .otherSessions:
            _ = try await world.modules.sessions.endOtherSessions(by: who, isProven: false, from: .local)
        case .erasure:
            try await world.modules.deletion.eraseAccessibleUser(
                id, in: application, by: AccountAuthor(.owner(id), of: id, session: who, from: .local),
                seesLeaving: true)
        }
    }

    /// The owner, on a device, and somebody who has another session.
    private func two() async throws -> (owner: Authenticated, thief: Authenticated) {
        let owner = try await world.signUp("hana", to: application, with: device)
        let thief = try await world.logIn("hana", to: application)
        return (
            try await world.authenticate(owner.token, in: application),
            try await world.authenticate(thief.token, in: application)
        )
    }

    @Test("changes nothing any more", arguments: Act.allCases, End.allCases)
    func ended(act: Act, end: End) async throws {
        let (owner, thief) = try await two()
        try await self.end(end, thief, by: owner)
        let before = try await world.modules.directory.readUser(owner.user.id, in: application.id)
        let refused = await world.refusal { try await self.act(act, thief) }
        #expect(refused == .sessionInvalid)
        #expect(try await world.modules.directory.readUser(owner.user.id, in: application.id) == before)
    }

    @Test("is what is refused: while the session is there, all of it happens", arguments: Act.allCases)
    func control(act: Act) async throws {
        let (_, thief) = try await two()
        let refused = await world.refusal { try await self.act(act, thief) }
        #expect(refused == nil)
    }

    @Test("writes no profile of a guest who was left in a merge: that would be lost", arguments: [true, false])
    func leftGuest(isMerged: Bool) async throws {
        let (hana, _) = try await two()
        let guest = try await world.logIn(TestDevice(), to: application)
        let who = try await world.authenticate(guest.token, in: application)
        if isMerged {
            let merge = world.modules.administration.users.merge
            _ = try await merge(who.user.id, into: hana.user.id, in: application, by: .local)
        }
        let refused = await world.refusal {
            try await world.modules.accounts.editUser(
                UserEdit(displayName: .set("level 7")), of: who.user.id, in: application,
                by: .owner(who, isProven: false, from: .local))
        }
        #expect(refused == (isMerged ? .sessionInvalid : nil))
    }

    @Test("may end the session itself, with the key that it removes")
    func own() async throws {
        let (owner, thief) = try await two()
        try await act(.deviceKey, owner)
        await #expect(throws: DomainError.sessionInvalid) { try await act(.transferCode, owner) }
        try await act(.transferCode, thief)
    }
}

/// Two users may become one while neither is kept out or on the way out.
@Suite("Users who may become one")
struct MergeStandingTests {
    enum Standing: CaseIterable { case usual, disabled, leaving }

    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func set(_ standing: Standing, of user: User) async throws {
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            var changed = user
            changed.disabledAt = standing == .disabled ? now : nil
            changed.deletionRequestedAt = standing == .leaving ? now : nil
            try transaction.updateStanding(of: changed)
        }
    }

    @Test("by an operator are neither kept out nor on the way out", arguments: Standing.allCases, Standing.allCases)
    func byOperator(left: Standing, into: Standing) async throws {
        let guest = try await world.logIn(TestDevice(), to: application).user
        let user = try await world.signUp("hana", to: application).user
        try await set(left, of: guest)
        try await set(into, of: user)
        let merge = world.modules.administration.users.merge
        let refusal = await world.refusal {
            _ = try await merge(guest.id, into: user.id, in: application, by: .local)
        }
        let isOffered = left == .usual && into == .usual
        #expect(
            refusal == (isOffered ? nil : .fieldsRefused([ValidationError(field: "into", rule: .notOffered)])))
    }

    @Test("by an operator are a guest and somebody else")
    func others() async throws {
        let guest = try await world.logIn(TestDevice(), to: application).user
        let user = try await world.signUp("hana", to: application).user
        let merge = world.modules.administration.users.merge
        let same = await world.refusal { _ = try await merge(guest.id, into: guest.id, in: application, by: .local) }
        #expect(same == .fieldsRefused([ValidationError(field: "into", rule: .notOffered)]))
        for (one, other, wanted) in [
            (user.id, guest.id, DomainError.alreadyRegistered), (Identifier(rawValue: "nobody"), user.id, .userUnknown),
            (guest.id, Identifier(rawValue: "nobody"), .userUnknown),
        ] {
            let refusal = await world.refusal { _ = try await merge(one, into: other, in: application, by: .local) }
            #expect(refusal == wanted)
        }
    }

    @Test("by a ticket are neither kept out nor on the way out", arguments: Standing.allCases, Standing.allCases)
    func byTicket(current: Standing, other: Standing) async throws {
        let guest = try await world.logIn(TestDevice(), to: application)
        let user = try await world.signUp("hana", to: application).user
        let who = try await world.authenticate(guest.token, in: application)
        try await insert(of: guest.user.id, other: user.id)
        try await set(current, of: guest.user)
        try await set(other, of: user)
        let refusal = await world.refusal { _ = try await world.modules.transfers.previewMerge("ticket", by: who) }
        #expect(refusal == (current == .usual && other == .usual ? nil : .mergeTicketRefused))
    }

    @Test(
        "are offered to a fresh session, while the other is neither kept out nor on the way out, nor the same",
        arguments: Standing.allCases, [true, false])
    func offered(other: Standing, isFresh: Bool) async throws {
        let guest = try await world.logIn(TestDevice(), to: application)
        let user = try await world.signUp("hana", to: application).user
        let who = try await world.authenticate(guest.token, in: application)
        try await set(other, of: user)
        if !isFresh { world.clock.advance(by: Session.freshness + .seconds(1)) }
        let key = try SealingKey.ofTests()
        let offerMerge = OfferMerge(
            store: world.engine, clock: world.clock, randomness: world.randomness,
            changes: AccountChanges(
                notice: MailNotice(
                    sealing: MailSealing(key: key, randomness: world.randomness), delivery: .outbox, pagesURL: nil),
                audit: AuditTrail(
                    clock: world.clock, randomness: world.randomness, seals: AuditSeals(key), hasLimits: false)))
        func offer(of other: Identifier<User>) async throws -> MergeOffer? {
            try await offerMerge(
                who, .owner(who, isProven: false, from: .local), other: other, by: .currentPassword,
                cause: .identifiers([.username]), from: .local)
        }
        guard isFresh else {
            #expect(await world.refusal { _ = try await offer(of: user.id) } == .reauthenticationRequired)
            return
        }
        #expect(try await offer(of: guest.user.id) == nil)
        let response = try await offer(of: user.id)
        #expect((response != nil) == (other == .usual))
        guard let made = response else { return }
        let preview = try await world.modules.transfers.previewMerge(made.ticket.revealed, by: who)
        #expect(preview.other.id == user.id && preview.expiresAt == made.expiresAt)
    }

    private func insert(of user: Identifier<User>, other: Identifier<User>) async throws {
        let ticket = MergeTicket(
            application: application.id, digest: MergeTicket.digest(of: "ticket"), user: user, other: other,
            expiresAt: world.clock.now + MergeTicket.lifetime)
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(ticket) }
    }

    @Test("by a ticket have ten minutes for it, once, in the session that it was given to")
    func ticket() async throws {
        let guest = try await world.logIn(TestDevice(), to: application)
        let registered = try await world.signUp("hana", to: application)
        let (who, other) = (
            try await world.authenticate(guest.token, in: application),
            try await world.authenticate(registered.token, in: application)
        )
        try await insert(of: guest.user.id, other: registered.user.id)
        let preview = world.modules.transfers.previewMerge
        await #expect(throws: DomainError.mergeTicketRefused) { try await preview("ticket", by: other) }
        await #expect(throws: DomainError.mergeTicketRefused) { try await preview("other", by: who) }
        world.clock.advance(by: MergeTicket.lifetime - .milliseconds(1))
        #expect(try await preview("ticket", by: who).other.id == registered.user.id)
        world.clock.advance(by: .milliseconds(1))
        await #expect(throws: DomainError.mergeTicketRefused) { try await preview("ticket", by: who) }
    }
}
