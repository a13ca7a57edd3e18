import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// A person whom Apple vouched for, and what became of them there.
private struct ApplePeople {
    static let team = "TEAM"

    let world: ProviderWorld
    let application: Application

    init() async throws {
        world = try ProviderWorld()
        application = try await world.makeApplication()
        try await world.set(.apple, of: application, team: Self.team)
    }

    static func subject(_ name: String, team: String = team) -> String { "\(team)/\(name)" }

    /// A user with an identity of Apple's, and what is kept beside it.
    func make(_ name: String, team: String = team, alsoBy others: [Identity] = []) async throws -> User {
        let now = world.clock.now
        let subject = Self.subject(name, team: team)
        let user = User(
            id: Identifier(rawValue: "user of \(subject)"), application: application.id,
            identities: [Identity(provider: .apple, subject: subject, linkedAt: now)] + others, createdAt: now,
            updatedAt: now)
        let sealed = try SealingKey.ofTests().seal(
            Array("grant".utf8), purpose: ProviderAccount.purpose(.apple, in: application.id))
        let account = ProviderAccount(
            application: application.id, provider: .apple, subject: subject, audience: "ios", sealedGrant: sealed,
            email: ProviderEmail(address: "r@privaterelay.appleid.com", isVerified: true, isRelay: true), updatedAt: now
        )
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(user)
            for identity in user.identities { try transaction.insert(identity, for: user.id, in: user.application) }
            try transaction.save(account)
        }
        return user
    }

    func account(_ name: String, team: String = team) async throws -> ProviderAccount? {
        try await world.engine.read { transaction throws(DomainError) in
            try transaction.providerAccount(.apple, subject: Self.subject(name, team: team), in: application.id)
        }
    }

    func user(_ id: Identifier<User>) async throws -> User? {
        try await world.engine.read { transaction throws(DomainError) in try transaction.user(id, in: application.id) }
    }
}

@Suite("A notification of Apple's")
struct AppleNotificationTests {
    private static let day = 86_400_000
    private let people: ApplePeople
    private var world: ProviderWorld { people.world }

    init() async throws { people = try await ApplePeople() }

    private func send(
        _ kinds: [ProviderNotification.Kind], about name: String = "hana", id: String = "n", audience: String = "ios",
        age: Duration = .zero, email: ProviderEmail? = nil, happenedAt: Timestamp? = nil
    ) async throws(DomainError) {
        world.apple.set(
            ProviderNotification(
                id: id, audience: audience, issuedAt: world.clock.now - age,
                events: kinds.map { .init(kind: $0, name: name, email: email, happenedAt: happenedAt) }), as: id)
        try await world.modules.providers.takeAppleNotification(id, from: .local)
    }

    private func entries() async throws -> [AuditEntry] {
        try await world.modules.administration.audit.list(
            in: people.application.id, matching: AuditFilter(action: .providerNotified))
    }

    @Test("says whether mail to a relay address arrives, and a new address")
    func mail() async throws {
        _ = try await people.make("hana")
        try await send([.emailDisabled], id: "1")
        var account = try #require(try await people.account("hana"))
        #expect(!account.isEmailForwarded && account.email?.address == "r@privaterelay.appleid.com")
        let address = ProviderEmail(address: "s@privaterelay.appleid.com", isVerified: true, isRelay: true)
        try await send([.emailEnabled], id: "2", email: address)
        account = try #require(try await people.account("hana"))
        #expect(account.isEmailForwarded && account.email == address && account.sealedGrant != nil)
        // Of somebody whom nobody knows nothing is kept.
        try await send([.emailDisabled], about: "nobody", id: "3")
        #expect(try await people.account("nobody") == nil)
    }

    @Test("of an end of consent takes the grant, and leaves the identity: the person may come back")
    func consent() async throws {
        let user = try await people.make("hana")
        try await send([.consentRevoked])
        #expect(try await people.account("hana")?.sealedGrant == nil)
        let after = try #require(try await people.user(user.id))
        #expect(after.identities.map(\.provider) == [.apple] && after.deletionRequestedAt == nil)
        let entries = try await entries()
        #expect(entries.map(\.actor) == [.provider(.apple)] && entries.first?.target == .user(user.id))
        #expect(entries.first?.details["event"] == "consent-revoked")
    }

    @Test(
        "of an end of consent that is older than the grant, by a minute that clocks may differ, changes nothing: the person came back",
        arguments: [(60, true, true), (61, true, false), (60, false, true), (61, false, false), (-1, true, true)])
    func lateConsent(seconds: Int, hasOwnTime: Bool, isTaken: Bool) async throws {
        let user = try await people.make("hana")
        let happenedAt = world.clock.now - .seconds(seconds)
        world.clock.advance(by: .seconds(3600))
        // News about mail say nothing of the consent.
        try await send([.emailDisabled], id: "mail")
        try await send(
            [.consentRevoked], age: hasOwnTime ? .zero : world.clock.now - happenedAt,
            happenedAt: hasOwnTime ? happenedAt : nil)
        let grant = try await people.account("hana")?.sealedGrant
        #expect((grant == nil) == isTaken)
        #expect(try await entries().count == (isTaken ? 1 : 0))
        #expect(try await people.user(user.id)?.identities.map(\.provider) == [.apple])
    }

    @Test(
        "of a deleted account takes the identity, and lets a user whom nothing else leads to go after the grace",
        arguments: [true, false])
    func deleted(hasOther: Bool) async throws {
        let other = Identity(provider: .google, subject: "g", linkedAt: world.clock.now)
        let user = try await people.make("hana", alsoBy: hasOther ? [other] : [])
        try await send([.accountDeleted])
        #expect(try await people.account("hana") == nil)
        let after = try #require(try await people.user(user.id))
        #expect(after.identities.map(\.provider) == (hasOther ? [.google] : []))
        #expect((after.deletionRequestedAt != nil) == !hasOther)
        #expect(try await entries().first?.details["event"] == "account-delete")
    }

    @Test("counts once, however often it comes")
    func once() async throws {
        _ = try await people.make("hana")
        for _ in 0..<3 { try await send([.consentRevoked], id: "same") }
        #expect(try await entries().count == 1)
        try await send([.consentRevoked], id: "another")
        #expect(try await entries().count == 2)
    }

    @Test("counts for thirty days", arguments: [30 * day - 1, 30 * day, 30 * day + 1])
    func age(milliseconds: Int) async throws {
        _ = try await people.make("hana")
        let error = await world.refusal { try await send([.consentRevoked], age: .milliseconds(milliseconds)) }
        #expect(error == (milliseconds < 30 * Self.day ? nil : .providerTokenRefused(.expired)))
    }

    @Test("is for the applications with its audience alone")
    func audiences() async throws {
        _ = try await people.make("hana")
        try await send([.accountDeleted], audience: "another")
        #expect(try await people.account("hana") != nil)
        try await send([.accountDeleted], id: "2", audience: "web")
        #expect(try await people.account("hana") == nil)
    }

    @Test("may hold several events, and some that nobody knows")
    func several() async throws {
        _ = try await people.make("hana")
        try await send([.other("what"), .emailDisabled, .consentRevoked])
        let account = try #require(try await people.account("hana"))
        #expect(!account.isEmailForwarded && account.sealedGrant == nil)
        #expect(try await entries().count == 1)
    }

    @Test("that Apple did not sign is refused")
    func unsigned() async throws {
        let error = await world.refusal {
            try await world.modules.providers.takeAppleNotification("none", from: .local)
        }
        #expect(error == .providerTokenRefused(.malformed))
    }
}

@Suite("A transfer to another team of Apple's")
struct TransferTeamTests {
    private let people: ApplePeople
    private var world: ProviderWorld { people.world }

    init() async throws { people = try await ApplePeople() }

    private func run(_ step: TransferTeam.Step, isDryRun: Bool = false) async throws(DomainError) -> TransferTeam.Report
    {
        try await world.modules.providers.transferTeam(
            step, of: people.application.id, by: .local, isDryRun: isDryRun)
    }

    private func newPerson(_ name: String) -> ExternalIdentity {
        ExternalIdentity(provider: .apple, subject: ApplePeople.subject(name, team: "NEW"), audience: "ios")
    }

    @Test("names everybody of the old team once, and can be repeated", arguments: [0, 1, 5, 100, 101, 250])
    func prepared(count: Int) async throws {
        for number in 0..<count {
            _ = try await people.make("p\(number)")
            world.apple.set(transfer: "t\(number)", of: "p\(number)")
        }
        let dry = try await run(.prepare(newTeam: "NEW"), isDryRun: true)
        #expect(dry.people == count && dry.done == count && dry.alreadyDone == 0 && world.apple.calls == 0)
        let first = try await run(.prepare(newTeam: "NEW"))
        #expect(first.people == count && first.done == count && first.unknown == 0)
        let again = try await run(.prepare(newTeam: "NEW"))
        #expect(again.people == count && again.done == 0 && again.alreadyDone == count)
        #expect(world.apple.calls == count)
        if count > 0 { #expect(try await people.account("p0")?.transferSubject == "t0") }
    }

    @Test("counts whom Apple does not know any more, and asks about them again")
    func unknown() async throws {
        _ = try await people.make("hana")
        _ = try await people.make("mika")
        world.apple.set(transfer: "t", of: "hana")
        let report = try await run(.prepare(newTeam: "NEW"))
        #expect(report.people == 2 && report.done == 1 && report.unknown == 1)
        world.apple.set(transfer: "u", of: "mika")
        let again = try await run(.prepare(newTeam: "NEW"))
        #expect(again.done == 1 && again.alreadyDone == 1 && again.unknown == 0)
    }

    @Test("gives everybody the new name, under which they log in, without the old team's grant")
    func finished() async throws {
        let hana = try await people.make("hana")
        _ = try await people.make("mika")
        world.apple.set(transfer: "t", of: "hana")
        _ = try await run(.prepare(newTeam: "NEW"))
        try await world.set(.apple, of: people.application, team: "NEW")
        world.apple.set(newPerson("h2"), transferredAs: "t")
        let dry = try await run(.finish, isDryRun: true)
        #expect(dry.people == 2 && dry.done == 1 && dry.unknown == 1)
        let report = try await run(.finish)
        // Mika was not named by the first step.
        #expect(report.people == 2 && report.done == 1 && report.unknown == 1 && report.taken == 0)
        #expect(try await people.account("hana") == nil)
        let account = try #require(try await people.account("h2", team: "NEW"))
        #expect(account.transferSubject == nil && account.sealedGrant == nil && account.audience == "ios")
        let user = try #require(try await people.user(hana.id))
        #expect(user.identities.map(\.subject) == ["NEW/h2"])
        // Again there is only Mika left.
        let again = try await run(.finish)
        #expect(again.people == 1 && again.done == 0 && again.unknown == 1)
    }

    @Test("changes nothing where the new name leads to somebody else already")
    func taken() async throws {
        let hana = try await people.make("hana")
        let other = try await people.make("h2", team: "NEW")
        world.apple.set(transfer: "t", of: "hana")
        _ = try await run(.prepare(newTeam: "NEW"))
        try await world.set(.apple, of: people.application, team: "NEW")
        world.apple.set(newPerson("h2"), transferredAs: "t")
        let report = try await run(.finish)
        #expect(report.people == 1 && report.taken == 1 && report.done == 0)
        #expect(try await people.user(hana.id)?.identities.map(\.subject) == ["TEAM/hana"])
        #expect(try await people.user(other.id)?.identities.map(\.subject) == ["NEW/h2"])
    }

    @Test("needs the settings of Apple, with a team")
    func settings() async throws {
        try await world.set(.apple, of: people.application)
        #expect(await world.refusal { _ = try await run(.finish) } == .providerMisconfigured)
        try await world.modules.providers.removeProvider(.apple, of: people.application.id, by: .local)
        #expect(await world.refusal { _ = try await run(.finish) } == .providerNotEnabled)
    }
}
