@testable import Domain
import enum OkaeriWire.JSONValue
import TestWorld
import Testing

/// Properties of edits, over many that are drawn by chance from a seed.
@Suite("An edit of a user")
struct UserEditTests {
    private static let now = Timestamp(milliseconds: 1_795_252_542_000)
    private static let later = now + .seconds(60)
    private static let writer = Identifier<User>(rawValue: "writer")

    private static func user(_ draw: inout SeededGenerator) -> User {
        var user = User(
            id: Identifier(rawValue: "owner"), application: Identifier(rawValue: "app"),
            displayName: draw.pick([nil, "Hana"]), locale: draw.pick([nil, "ja"]),
            fields: draw.pick([[:], ["score": 1], ["score": 1, "team": ["name": "A"]]]),
            identities: [Identity(provider: .device, subject: "key", linkedAt: now)], createdAt: now, updatedAt: now)
        user.username = "hana"
        user.email = draw.pick([nil, "hana@example.com"])
        user.phone = draw.pick([nil, "+819012345678"])
        user.acl = draw.pick([nil, ACL([.user(writer): [.read, .write]]), ACL([.everybody: [.read]])])
        user.emailVerifiedAt = user.email == nil ? nil : draw.pick([nil, now])
        user.passwordSetAt = now
        return user
    }

    private static func change(_ draw: inout SeededGenerator, _ values: [String]) -> ValueChange<String> {
        draw.pick([.unchanged, .removed] + values.map { .set($0) })
    }

    private static func edit(_ draw: inout SeededGenerator) -> UserEdit {
        var edit = UserEdit(
            displayName: change(&draw, ["Hana", "花"]), locale: change(&draw, ["ja", "ko"]),
            fields: draw.pick([.unchanged, .removed, .set(["score": 2]), .set(["new": true])]),
            identifiers: NewIdentifiers(
                username: draw.pick([.unchanged, .set("hana"), .set("mika")]),
                email: change(&draw, ["hana@example.com", "new@example.com"]), phone: change(&draw, ["+819087654321"]),
                rules: .native))
        edit.manner = draw.pick([.native, .compatible])
        edit.acl = draw.pick([.unchanged, .removed, .set(ACL([.everybody: [.read, .write]]))])
        edit.anonymousId = draw.pick([nil, AnonymousId(subject: "client")])
        edit.isDisabled = draw.pick([nil, true, false])
        edit.isEmailVerified = draw.pick([nil, true, false])
        edit.password = draw.pick([nil, .set(Secret("a long enough secret"), renewal: nil)])
        return edit
    }

    @Test(
        "takes the proof from no address of a user with a second factor, which a reset would then take away",
        arguments: [false, true])
    func proofOfAddress(hasFactor: Bool) throws {
        var user = User(
            id: Identifier(rawValue: "owner"), application: Identifier(rawValue: "app"), createdAt: Self.now,
            updatedAt: Self.now)
        (user.email, user.emailVerifiedAt) = ("hana@example.com", Self.now)
        (user.phone, user.phoneVerifiedAt) = ("+819012345678", Self.now)
        user.secondFactorAt = hasFactor ? Self.now : nil
        var edit = UserEdit(compatible: .unchanged, identifiers: NewIdentifiers(rules: .native))
        (edit.isEmailVerified, edit.isPhoneVerified) = (false, false)
        let outcome = try edit.outcome(of: user, by: .operator, FieldRules(), at: Self.later)
        let fields = ["emailVerified", "phoneVerified"]
        #expect(outcome.faults == (hasFactor ? fields.map { ValidationError(field: $0, rule: .readOnly) } : []))
        // What is proved already can be said again.
        (edit.isEmailVerified, edit.isPhoneVerified) = (true, true)
        #expect(try edit.outcome(of: user, by: .operator, FieldRules(), at: Self.later).faults.isEmpty)
    }

    private static func outcome(
        _ edit: UserEdit, of user: User, by actor: AccountActor
    ) -> Result<UserEditOutcome, DomainError> {
        do throws(DomainError) {
            return .success(try edit.outcome(of: user, by: actor, FieldRules(), at: later))
        } catch {
            return .failure(error)
        }
    }

    /// An edit that gives a user the values of another one.
    private static func edit(to user: User) -> UserEdit {
        func set(_ value: String?) -> ValueChange<String> { value.map { .set($0) } ?? .removed }
        var edit = UserEdit(
            compatible: .replaced(user.fields, keeping: []),
            identifiers: NewIdentifiers(
                username: set(user.username), email: set(user.email), phone: set(user.phone), rules: .native))
        edit.displayName = set(user.displayName)
        edit.locale = set(user.locale)
        edit.acl = user.acl.map { .set($0) } ?? .removed
        edit.isDisabled = user.isDisabled
        edit.isEmailVerified = user.emailVerifiedAt != nil
        edit.unlinked = [.anonymous]
        return edit
    }

    @Test("that is taken back leaves the user as it was, but for times", arguments: UInt64(0)..<200)
    func inverse(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let (before, edit) = (Self.user(&draw), Self.edit(&draw))
        guard case .success(let done) = Self.outcome(edit, of: before, by: .operator), done.faults.isEmpty else {
            return
        }
        let back = try Self.outcome(Self.edit(to: before), of: done.user, by: .operator).get()
        #expect(back.faults.isEmpty)
        #expect(back.user.untimed == before.untimed)
        #expect(back.user.isDisabled == before.isDisabled)
        #expect((back.user.emailVerifiedAt == nil) == (before.emailVerifiedAt == nil))
    }

    @Test("by others than the owner touches fields alone, or is refused", arguments: UInt64(0)..<200)
    func others(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let (before, edit) = (Self.user(&draw), Self.edit(&draw))
        for actor in [
            AccountActor.user(Self.writer, standard: []), .user(nil, standard: [.write]), .holder(of: before.id),
        ] {
            guard case .success(let done) = Self.outcome(edit, of: before, by: actor) else { continue }
            #expect(actor.role(towards: before) == .writer)
            #expect(done.user.typedIdentifiers == before.typedIdentifiers && done.user.acl == before.acl)
            #expect(done.user.identities == before.identities && done.user.passwordSetAt == before.passwordSetAt)
            #expect(done.user.isDisabled == before.isDisabled && done.user.emailVerifiedAt == before.emailVerifiedAt)
            #expect(done.changes.isEmpty && done.unlinked.isEmpty)
        }
    }

    @Test("by the owner neither locks nor unlocks, nor vouches for an address", arguments: UInt64(0)..<200)
    func owner(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let (before, edit) = (Self.user(&draw), Self.edit(&draw))
        guard case .success(let done) = Self.outcome(edit, of: before, by: .owner(before.id)) else { return }
        #expect(done.user.isDisabled == before.isDisabled)
        #expect(done.user.emailVerifiedAt == nil || done.user.emailVerifiedAt == before.emailVerifiedAt)
        #expect(done.user.emailVerifiedAt == nil || done.user.email == before.email)
    }

    @Test("that says what holds already changes nothing and records nothing", arguments: UInt64(0)..<100)
    func unchanged(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let user = Self.user(&draw)
        var edit = Self.edit(to: user)
        edit.manner = .native
        edit.unlinked = []
        for actor in [AccountActor.owner(user.id), .operator] {
            let done = try Self.outcome(edit, of: user, by: actor).get()
            #expect(done.faults.isEmpty && done.user == user && done.changes.isEmpty && done.unlinked.isEmpty)
        }
    }

    @Test("records each change that it makes, and what it may record was made ready", arguments: UInt64(0)..<300)
    func recorded(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let (before, edit) = (Self.user(&draw), Self.edit(&draw))
        for actor in [AccountActor.owner(before.id), .operator] {
            guard case .success(let done) = Self.outcome(edit, of: before, by: actor), done.faults.isEmpty else {
                continue
            }
            #expect(edit.possible(by: actor).isSuperset(of: done.changes.keys), "\(done.changes)")
            if done.user.typedIdentifiers != before.typedIdentifiers {
                #expect(!done.changes.keys.filter { [.identifiersChanged, .addressChanged].contains($0) }.isEmpty)
            }
            #expect((done.changes[.aclChanged] != nil) == (done.user.acl != before.acl))
            #expect((done.changes[.disabled] != nil) == (done.user.isDisabled && !before.isDisabled))
            #expect((done.changes[.passwordChanged] != nil) == (edit.password != nil))
            // Names and kinds, and never a value.
            #expect(!"\(done.changes)".contains("example.com"))
        }
    }

    /// An access list by which the writer may write, with more entries.
    private static func list(_ entries: [ACL.Subject: ACL.Rights]) -> ACL {
        ACL(entries.merging([.user(writer): [.read, .write]]) { $1 })
    }

    private static let ownEntry = ACL.Subject.user(Identifier(rawValue: "owner"))

    /// What a user has and gets, and whether others may more or less by it.
    private static let lists: [(before: ACL, sent: ValueChange<ACL>, isForOthers: Bool)] = [
        (list([:]), .set(list([ownEntry: [.read, .write]])), false),
        (list([ownEntry: [.read]]), .set(list([:])), false),
        (list([ownEntry: [.read]]), .set(list([ownEntry: [.write]])), false),
        (list([.everybody: [.read]]), .set(list([.everybody: [.read], ownEntry: [.read]])), false),
        // An entry that lets nobody do anything.
        (list([:]), .set(list([.everybody: []])), false),
        (list([:]), .set(list([.everybody: [.read]])), true), (list([:]), .set(ACL([ownEntry: [.read]])), true),
        (list([:]), .removed, true),
    ]

    @Test(
        "of the access list keeps the user's own entry, and changes nothing by a writer whom it lets write",
        arguments: lists.indices)
    func accessList(index: Int) throws {
        let (before, sent, isForOthers) = Self.lists[index]
        var draw = SeededGenerator(state: 1)
        var user = Self.user(&draw)
        user.acl = before
        var edit = UserEdit(compatible: .unchanged, identifiers: NewIdentifiers(rules: .native))
        edit.acl = sent
        for actor in [AccountActor.owner(user.id), .operator] {
            let done = try Self.outcome(edit, of: user, by: actor).get()
            #expect(done.faults.isEmpty && done.user.acl == sent.applied(to: before), "\(actor)")
            #expect(Array(done.changes.keys) == [.aclChanged], "\(actor)")
        }
        let written = Self.outcome(edit, of: user, by: .user(Self.writer, standard: []))
        guard !isForOthers else {
            #expect(written == .failure(.accessRefused))
            return
        }
        let done = try written.get()
        #expect(done.user.acl == before && done.changes.isEmpty)
    }

    @Test("is the same however often it is asked for", arguments: UInt64(0)..<100)
    func pure(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let (before, edit) = (Self.user(&draw), Self.edit(&draw))
        #expect(Self.outcome(edit, of: before, by: .operator) == Self.outcome(edit, of: before, by: .operator))
    }

    @Test("of a version that is past is refused, and a new version follows in the same millisecond")
    func version() throws {
        var draw = SeededGenerator(state: 1)
        var user = Self.user(&draw)
        var edit = UserEdit(displayName: .set("another"))
        edit.version = Self.now
        user.updatedAt = Self.later
        #expect(Self.outcome(edit, of: user, by: .operator) == .failure(.administration(.changedMeanwhile)))
        edit.version = Self.later
        #expect(try Self.outcome(edit, of: user, by: .operator).get().user.updatedAt == Self.later + .milliseconds(1))
    }

    @Test("never takes the last way in, but in the manner of the mobile backends")
    func lastWayIn() throws {
        var draw = SeededGenerator(state: 1)
        var user = Self.user(&draw)
        (user.identities, user.passwordSetAt, user.emailVerifiedAt) = ([], nil, nil)
        user.identities = [Identity(provider: .google, subject: "g", linkedAt: Self.now)]
        var edit = UserEdit(unlinking: .google)
        #expect(Self.outcome(edit, of: user, by: .owner(user.id)) == .failure(.lastWayIn))
        #expect(Self.outcome(UserEdit(unlinking: .apple), of: user, by: .owner(user.id)) == .failure(.identityUnknown))
        edit.manner = .compatible
        let done = try Self.outcome(edit, of: user, by: .owner(user.id)).get()
        #expect(done.user.identities.isEmpty && done.unlinked == [.google])
        #expect(done.changes == [.identityUnlinked: ["provider": "google"]])
    }

    @Test("that proves an address counts for its holder alone", arguments: LogInIdentifier.Kind.allCases)
    func proof(kind: LogInIdentifier.Kind) throws {
        guard kind != .username else { return }
        var draw = SeededGenerator(state: 3)
        var user = Self.user(&draw)
        (user.email, user.phone) = ("hana@example.com", "+819012345678")
        for (address, isSame) in [
            (user.identifier(kind) ?? "", true), (kind == .email ? "n@example.com" : "+81901", false),
        ] {
            let edit = UserEdit(proving: LogInIdentifier(kind, shown: address))
            #expect(Self.outcome(edit, of: user, by: .owner(user.id)) == .failure(.accessRefused))
            let done = try Self.outcome(edit, of: user, by: .holder(of: user.id)).get()
            let change: AccountChange =
                kind == .email ? (isSame ? .emailVerified : .emailReplaced) : (isSame ? .phoneVerified : .phoneReplaced)
            #expect(Array(done.changes.keys) == [change] && done.user.identifier(kind) == address)
            #expect((kind == .email ? done.user.emailVerifiedAt : done.user.phoneVerifiedAt) == Self.later)
        }
    }
}

extension User {
    /// Without times.
    fileprivate var untimed: User {
        var user = self
        user.updatedAt = createdAt
        user.passwordSetAt = passwordSetAt.map { _ in createdAt }
        user.emailVerifiedAt = nil
        user.disabledAt = nil
        return user
    }
}
