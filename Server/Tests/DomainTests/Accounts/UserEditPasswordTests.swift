import StorageSQLite
import Synchronization
import TestWorld
import Testing

@testable import Domain

/// What an edit does with a password and with an access list, by the state that the user is in.
@Suite("An edit of a password or an access list")
struct UserEditPasswordTests {
    private static let now = StandingClock().now
    private static let later = now + .seconds(60)
    private static let password = Secret("a long enough secret")
    private static let nameless = ValidationError(field: "", rule: .noneOf(["username", "email", "phone"]))
    private static let missing = ValidationError(field: "password", rule: .required)

    private static func user(name: String?, hasPassword: Bool = false) -> User {
        var user = User(
            id: Identifier(rawValue: "owner"), application: Identifier(rawValue: "app"),
            identities: [Identity(provider: .device, subject: "key", linkedAt: now)], createdAt: now, updatedAt: now)
        user.username = name
        user.passwordSetAt = hasPassword ? now : nil
        return user
    }

    private static func edit(
        _ password: UserEdit.PasswordEdit?, _ manner: UserEdit.Manner, name: ValueChange<String> = .unchanged
    ) -> UserEdit {
        var edit = UserEdit(identifiers: NewIdentifiers(username: name, rules: .native))
        (edit.password, edit.manner) = (password, manner)
        return edit
    }

    private struct Case: Sendable {
        var name: String
        var user: User
        var edit: UserEdit
        var faults: [ValidationError] = []
        /// The row that stands for the password; `nil` when there is none.
        var change: AccountChange?
    }

    private static let cases: [Case] = [
        Case(
            name: "another password, of somebody with a name", user: user(name: "hana", hasPassword: true),
            edit: edit(.set(password, renewal: nil), .native), change: .passwordChanged),
        Case(
            name: "a password for somebody with a name", user: user(name: "hana"),
            edit: edit(.set(password, renewal: nil), .compatible), change: .passwordChanged),
        Case(
            name: "a password of somebody without a name", user: user(name: nil),
            edit: edit(.set(password, renewal: nil), .native), faults: [nameless]),
        Case(
            name: "the same in the manner of the backends", user: user(name: nil),
            edit: edit(.set(password, renewal: nil), .compatible), faults: [nameless]),
        Case(
            name: "an upgrade to a name", user: user(name: nil),
            edit: edit(.first(password), .native, name: .set("hana")), change: .upgraded),
        Case(
            name: "an upgrade to no name", user: user(name: nil), edit: edit(.first(password), .native),
            faults: [nameless]),
        Case(
            name: "a first password with a name, in the manner of the backends", user: user(name: nil),
            edit: edit(.first(password), .compatible, name: .set("hana")), change: .upgraded),
        Case(
            name: "a first password of somebody who has a name", user: user(name: "hana"),
            edit: edit(.first(password), .compatible), change: .upgraded),
        Case(
            name: "a first password of somebody without a name", user: user(name: nil),
            edit: edit(.first(password), .compatible), faults: [nameless]),
        Case(
            name: "a first password of somebody who has one is passed over",
            user: user(name: "hana", hasPassword: true),
            edit: edit(.first(password), .compatible)),
        Case(
            name: "a name without the password that it needs", user: user(name: nil),
            edit: edit(.first(nil), .compatible, name: .set("hana")), faults: [missing]),
        Case(
            name: "neither name nor password", user: user(name: nil), edit: edit(.first(nil), .compatible)),
        Case(
            name: "another name beside a password that is there", user: user(name: "hana", hasPassword: true),
            edit: edit(.first(nil), .compatible, name: .set("mika"))),
    ]

    @Test("gives a password to who has a name, and to nobody else", arguments: cases.indices)
    func password(index: Int) throws {
        let example = Self.cases[index]
        let done = try example.edit.outcome(
            of: example.user, by: .owner(example.user.id), FieldRules(), at: Self.later)
        #expect(done.faults == example.faults, "\(example.name)")
        let isSet = example.change != nil
        #expect(done.user.passwordSetAt == (isSet ? Self.later : example.user.passwordSetAt), "\(example.name)")
        // What is refused is not stored, whatever else the outcome says.
        guard example.faults.isEmpty else { return }
        let changes = done.changes.keys.filter { $0 == .upgraded || $0 == .passwordChanged }
        #expect(changes == (example.change.map { [$0] } ?? []), "\(example.name)")
    }

    @Test("gives nobody a first password twice in Okaeri's own manner")
    func twice() {
        #expect(throws: DomainError.alreadyRegistered) {
            try Self.edit(.first(Self.password), .native).outcome(
                of: Self.user(name: "hana"), by: .owner(Identifier(rawValue: "owner")), FieldRules(), at: Self.later)
        }
    }

    private static let writer = Identifier<User>(rawValue: "writer")

    @Test("lets the owner write the own entry of the list, which gives nobody anything", arguments: [true, false])
    func ownEntry(isOwner: Bool) throws {
        var user = Self.user(name: "hana")
        let before = ACL([.user(Self.writer): [.read, .write]])
        user.acl = before
        var after = before
        after.entries[.user(user.id)] = [.read, .write]
        var edit = UserEdit(displayName: .set("Hana"))
        edit.acl = .set(after)
        let done = try edit.outcome(
            of: user, by: isOwner ? .owner(user.id) : .owner(Self.writer), FieldRules(), at: Self.later)
        #expect(done.faults.isEmpty && done.user.displayName == "Hana")
        // A writer sends the whole object back, and changes the list no more than that.
        #expect(done.user.acl == (isOwner ? after : before))
        #expect(Array(done.changes.keys) == (isOwner ? [.aclChanged] : []))
    }

    @Test("lets nobody but owner and operator give others more or less")
    func othersEntry() throws {
        var user = Self.user(name: "hana")
        user.acl = ACL([.user(Self.writer): [.read, .write]])
        var edit = UserEdit()
        for acl in [ValueChange<ACL>.removed, .set(ACL()), .set(ACL([.everybody: [.write]]))] {
            edit.acl = acl
            #expect(throws: DomainError.accessRefused) {
                try edit.outcome(of: user, by: .owner(Self.writer), FieldRules(), at: Self.later)
            }
            for actor in [AccountActor.owner(user.id), .operator] {
                #expect(
                    try edit.outcome(of: user, by: actor, FieldRules(), at: Self.later).user.acl == acl.applied(to: nil)
                )
            }
        }
    }

    @Test(
        "stores a first password by which the user logs in, in either manner",
        arguments: [UserEdit.Manner.native, .compatible])
    func stored(manner: UserEdit.Manner) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let guest = try await world.logIn(TestDevice(), to: application)
        let upgraded = try await world.edit(
            guest.user.id, in: application, Self.edit(.first(Self.password), manner, name: .set("hana")))
        #expect(upgraded.username == "hana" && upgraded.hasPassword)
        #expect(try await world.logIn("hana", to: application).user.id == guest.user.id)
        // A second first password changes nothing, or is refused.
        let again = await world.refusal {
            try await world.edit(
                guest.user.id, in: application, Self.edit(.first(Secret("an even longer secret")), manner))
        }
        #expect(again == (manner == .native ? .alreadyRegistered : nil))
        _ = try await world.logIn("hana", to: application)
    }

    /// Allows everything, the first time only once its gate is open.
    private final class SlowFirst: HookCarrier {
        let gate = Gate()
        /// A value once the first question has arrived.
        let arrival: AsyncStream<Void>
        private let arrived: AsyncStream<Void>.Continuation
        private let isFirst = Mutex(true)

        init() { (arrival, arrived) = AsyncStream<Void>.makeStream() }

        func mayAsk(_ url: String) -> Bool { true }

        func ask(_ request: HookRequest) async -> HookOutcome {
            let isHeld = isFirst.withLock { first -> Bool in
                defer { first = false }
                return first
            }
            if isHeld {
                arrived.yield()
                await gate.pass()
            }
            return .allowed(fields: [:], claims: [:])
        }
    }

    @Test("keeps the first of two first passwords that come at once, as the mobile backends leave out any later one")
    func twoAtOnce() async throws {
        let hook = SlowFirst()
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hooks: hook)
        let id = try await world.makeApplication().id
        _ = try await world.modules.hooks.manage.set(
            .upgrade, to: .init(url: "https://app.example.com", whenDown: .refuse), in: id, by: .local)
        let application = try await world.modules.applications.findApplication(id)
        let guest = try await world.logIn(TestDevice(), to: application).user.id
        let late = Task {
            try await world.edit(
                guest, in: application,
                Self.edit(.first(Secret("a secret that is late")), .compatible, name: .set("hana")))
        }
        var arrivals = hook.arrival.makeAsyncIterator()
        _ = await arrivals.next()
        try await world.edit(
            guest, in: application, Self.edit(.first(Self.password), .compatible, name: .set("hana")))
        hook.gate.open()
        _ = try await late.value
        #expect(try await world.logIn("hana", Self.password, to: application).user.id == guest)
        let refusal = await world.refusal {
            _ = try await world.logIn("hana", Secret("a secret that is late"), to: application)
        }
        #expect(refusal == .credentialRefused)
    }
}
