import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("An address that waits for its code")
struct PendingAddressTests {
    @Test(
        "is another one than the user's, and waits until the code ends, to the millisecond",
        arguments: [-1, 0, 1], [true, false])
    func pending(offset: Int, isOwn: Bool) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let find = world.modules.accounts.findPendingAddress
        #expect(try await find(of: user, by: .emailVerification) == nil)
        let digest = SecretDigest(of: [1])
        let code = MailedCode(
            application: application.id, handle: digest, digest: digest, kind: .emailVerification, user: user.id,
            address: isOwn ? "hana@example.com" : "new@example.com", replaces: "hana@example.com",
            expiresAt: world.clock.now + .seconds(600))
        try await world.engine.write { transaction throws(DomainError) in try transaction.replaceCode(with: code) }
        world.clock.advance(by: .seconds(600) + .milliseconds(offset))
        let expected: String? = isOwn || offset >= 0 ? nil : "new@example.com"
        #expect(try await find(of: user, by: .emailVerification) == expected)
        #expect(try await find(of: user, by: .phoneVerification) == nil)
    }
}

@Suite("Somebody whom others look up")
struct LookedUpUserTests {
    @Test("is found sixty times an hour by each user, and by a backend as often as it likes")
    func limited() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        let application = try await world.makeApplication()
        let (hana, mika) = (
            try await world.signUp("hana", to: application).user.id,
            try await world.signUp("mika", to: application).user.id
        )
        func find(_ name: String, by user: Identifier<User>?) async throws -> Identifier<User>? {
            try await world.modules.directory.lookUpUser(
                LogInIdentifier(.username, shown: name), in: application.id, by: user)?.id
        }
        // One that is not there counts too.
        for number in 0..<60 {
            #expect(try await find(number == 0 ? "nobody" : "mika", by: hana) == (number == 0 ? nil : mika))
        }
        let wait = DomainError.rateLimited(retryAfter: .seconds(3600))
        #expect(await world.refusal { _ = try await find("mika", by: hana) } == wait)
        for _ in 0..<61 { #expect(try await find("HANA", by: nil) == hana) }
        #expect(try await find("hana", by: mika) == hana)
        world.clock.advance(by: .seconds(3600))
        #expect(try await find("mika", by: hana) == mika)
    }

    @Test("is found while disabled, and no more once on the way out")
    func leaving() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let hana = try await world.signUp("hana", to: application).user.id
        func isFound() async throws -> Bool {
            try await world.modules.directory.lookUpUser(
                LogInIdentifier(.username, shown: "hana"), in: application.id, by: nil) != nil
        }
        try await world.modules.accounts.setUserDisabled(hana, in: application, isDisabled: true, by: .local)
        #expect(try await isFound())
        _ = try await world.modules.deletion.deleteUser(hana, in: application, by: .local)
        #expect(try await !isFound())
    }
}
