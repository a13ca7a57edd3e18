import Foundation
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// A user name may look like a mail address or a phone number: other protocols let people choose such names.
@Suite("What a person types to log in")
struct TypedNameTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private enum Kind: CaseIterable {
        case username, email, phone

        func identifiers(_ text: String) -> NewIdentifiers {
            switch self {
            case .username: NewIdentifiers(username: .set(text), rules: .samples)
            case .email: NewIdentifiers(email: .set(text), rules: .samples)
            case .phone: NewIdentifiers(phone: .set(text), rules: .samples)
            }
        }
    }

    @discardableResult
    private func signUp(
        _ kind: Kind, _ text: String, _ password: String = "a long enough secret"
    ) async throws -> Identifier<User> {
        try await world.modules.logIns.signUp(
            SignUp.Request(
                application: application, identifiers: kind.identifiers(text), password: Secret(password),
                client: LogInClient(.native, from: TestWorld.address, origin: .local))
        ).user.id
    }

    private static let pairs: [(String, Kind, Kind)] = [
        ("bob@example.org", .username, .email), ("bob@example.org", .email, .username),
        ("+819012345678", .username, .phone), ("+819012345678", .phone, .username),
        ("BOB@example.org", .username, .email),
    ]

    @Test(
        "leads to one user: nobody new gets as a name what is another's address or number, nor the reverse",
        arguments: pairs.indices)
    func newUser(index: Int) async throws {
        let (text, first, second) = Self.pairs[index]
        let owner = try await signUp(first, text)
        let typed = text.trimmingCharacters(in: .whitespaces).lowercased()
        let refused = await world.refusal { try await signUp(second, typed, "a stranger's secret") }
        #expect(refused?.code == .identifiersTaken)
        #expect(refused?.identifierKinds == [second == .username ? .username : second == .email ? .email : .phone])
        #expect(try await world.logIn(text, to: application).user.id == owner)
    }

    @Test("leads to one user after a change too; the own name may be the own address")
    func changedUser() async throws {
        let owner = try await signUp(.username, "bob@example.org")
        let stranger = try await signUp(.username, "mallory")
        let taken = await world.refusal {
            try await world.edit(
                stranger, in: application, UserEdit(identifiers: Kind.email.identifiers("bob@example.org")))
        }
        #expect(taken?.identifierKinds == [.email])
        try await world.edit(owner, in: application, UserEdit(identifiers: Kind.email.identifiers("bob@example.org")))
        #expect(try await world.logIn("bob@example.org", to: application).user.id == owner)
    }

    @Test("is no reason to refuse an address that its owner has proved")
    func provedAddress() async throws {
        let stranger = try await signUp(.username, "bob@example.org", "a stranger's secret")
        let owner = try await signUp(.username, "bob")
        let edited = try await world.modules.accounts.editUser(
            UserEdit(proving: LogInIdentifier(.email, shown: "bob@example.org")), of: owner, in: application,
            by: .holder(of: owner, showing: .code, from: .local, keeping: .nothing)
        ).user
        #expect(edited.email == "bob@example.org" && edited.emailVerifiedAt != nil)
        let logIn = try await world.logIn("bob@example.org", to: application)
        #expect(logIn.user.id == owner && logIn.user.id != stranger)
    }

    @Test(
        "means the user name before an address that nobody has proved, where an import left both, and the address after that",
        arguments: [true, false])
    func importedPair(isVerified: Bool) async throws {
        let named = try await signUp(.username, "bob@example.org")
        let addressed = try await world.makeUser(in: application, email: "bob@example.org", isVerified: isVerified)
        let id = addressed.id
        let hash = CountingPasswords.hash(try #require(Password("another secret of mine")))
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.setPassword(hash, of: id, in: application.id, at: now)
        }
        let byName = await world.refusal {
            let logIn = try await world.logIn("bob@example.org", to: application)
            #expect(logIn.user.id == named)
        }
        let byAddress = await world.refusal {
            let logIn = try await world.logIn("bob@example.org", Secret("another secret of mine"), to: application)
            #expect(logIn.user.id == id)
        }
        #expect((byName == nil) == !isVerified && (byAddress == nil) == isVerified)
    }

    @Test("has the spaces that belong to a name of another protocol")
    func spaces() async throws {
        let user = User(
            id: Identifier(rawValue: "spaced"), application: application.id, createdAt: world.clock.now,
            updatedAt: world.clock.now)
        var spaced = user
        spaced.username = " hana "
        let made = spaced
        let hash = CountingPasswords.hash(try #require(Password("a long enough secret")))
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(made)
            try transaction.updateIdentifiers(of: made)
            try transaction.setPassword(hash, of: made.id, in: application.id, at: now)
        }
        #expect(try await world.logIn(" hana ", to: application).user.id == made.id)
    }
}
