import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// An admin gives up the password for passkeys, as the database has the admin at that moment.
@Suite("The password of an admin")
struct AdminPasswordRemovalTests {
    private let world: TestWorld
    private var ownPasskeys: ManageAdminPasskeys { world.modules.administration.admins.ownPasskeys }

    init() throws { world = try TestWorld(try SQLiteStore(.memory, role: .server)) }

    private func admin() -> Admin {
        var admin = Admin(
            id: Identifier(rawValue: "mika"), name: "Mika", role: .owner, applications: nil,
            createdAt: world.clock.now)
        admin.passwordHash = PasswordHash(text: "hash")
        admin.sealedTOTP = [1]
        admin.recoveryDigests = [SecretDigest(of: [2])]
        return admin
    }

    private func store(_ admin: Admin, withPasskey: Bool) async throws {
        let passkey = Passkey(
            .init(
                id: "k", userHandle: "handle", publicKey: [1], aaguid: "kind", signCount: 0, transports: [],
                isBackupEligible: false, isBackedUp: false),
            application: AuditEntry.server, name: "phone", createdAt: world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(admin)
            guard withPasskey else { return }
            try transaction.insert(passkey)
            try transaction.link(passkey, to: admin.id)
        }
    }

    private func stored() async throws -> Admin? {
        try await world.engine.read { transaction throws(DomainError) in
            try transaction.admin(Identifier<Admin>(rawValue: "mika"))
        }
    }

    private func refusal(of admin: Admin) async -> DomainError? {
        let (own, access) = (ownPasskeys, AdminAccess(admin, authenticatedAt: world.clock.now))
        return await world.refusal { try await own.removePassword(of: access, keeping: Secret("t"), from: .local) }
    }

    @Test(
        "goes when a passkey leads in and the admin is neither disabled nor gone",
        arguments: [true, false], [true, false])
    func removed(hasPasskey: Bool, isDisabled: Bool) async throws {
        let admin = admin()
        var present = admin
        if isDisabled { present.disabledAt = world.clock.now }
        try await store(present, withPasskey: hasPasskey)
        // The request was let in before somebody disabled the admin.
        let refused = await refusal(of: admin)
        let expected: DomainError? = isDisabled ? .administration(.adminRequired) : hasPasskey ? nil : .lastWayIn
        #expect(refused == expected)
        let after = try #require(try await stored())
        guard expected == nil else {
            #expect(after == present)
            return
        }
        #expect(after.usesPasskeysOnly && after.passwordHash == nil && after.sealedTOTP == nil)
        #expect(after.recoveryDigests.isEmpty && after.updatedAt == admin.updatedAt + .milliseconds(1))
        let entries = try await world.modules.administration.audit.list(in: AuditEntry.server)
        #expect(entries.map(\.action) == [.adminPasswordRemoved] && entries.first?.target == .admin(admin.id))
    }

    @Test("of somebody who is gone is not removed")
    func gone() async throws {
        #expect(await refusal(of: admin()) == .administration(.adminRequired))
        #expect(try await stored() == nil)
    }
}
