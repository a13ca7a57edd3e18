import Foundation
import Storage
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// Every way in which a user ends.
@Suite("The end of a user")
struct UserErasureTests {
    enum Way: CaseIterable {
        case requested, deletedByOperator, erasedByOperator, byOwnerInProtocol, byOperatorInProtocol, idle

        var reason: String {
            switch self {
            case .requested, .deletedByOperator, .byOwnerInProtocol, .byOperatorInProtocol: "deletion"
            case .erasedByOperator: "operator"
            case .idle: "idle"
            }
        }
    }

    /// A user with something in every table that can hold something of a user, in a folder whose tables can be read.
    private struct Erased {
        let folder = FileManager.default.temporaryDirectory.path + "/okaeri-erasure-\(UUID().uuidString)"
        let world: TestWorld
        let application: Application
        let logIn: LogIn
        let store: SQLiteStore

        init(isAnonymous: Bool) async throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            store = try SQLiteStore(.folder(folder), role: .server)
            world = try TestWorld(store)
            var settings = ApplicationSettings()
            settings.anonymousIdleLimit = .days(30)
            application = try await world.makeApplication(settings: settings)
            let device = TestDevice()
            logIn =
                isAnonymous
                ? try await world.logIn(device, to: application)
                : try await world.signUp("hana", to: application, with: device)
            let who = try await world.authenticate(logIn.token, in: application)
            _ = try await world.modules.transfers.issueTransferCode(by: who, isProven: false, from: .local)
            guard !isAnonymous else { return }
            let (user, now, id) = (logIn.user, world.clock.now, application.id)
            try await store.write { transaction throws(DomainError) in
                try transaction.markPassword(of: user.id, in: id, weakSince: now)
                try transaction.insert(
                    Identity(provider: .init(rawValue: "oidc:test"), subject: "subject", linkedAt: now),
                    for: user.id, in: id)
                try transaction.save(
                    ProviderAccount(
                        application: id, provider: .init(rawValue: "oidc:test"), subject: "subject",
                        audience: "audience", sealedGrant: [1, 2, 3], updatedAt: now))
            }
        }

        /// The tables with a row that names the user, or that is all of the user's.
        func tables() async throws -> [String: Int] {
            await store.close()
            defer { try? FileManager.default.removeItem(atPath: folder) }  // A folder for temporary files.
            let (tables, id) = (try SQLiteTables(folder: folder), logIn.user.id.rawValue)
            var found: [String: Int] = [:]
            for shape in try tables.shapes() {
                let rows = try tables.page(of: shape, after: nil, limit: 1000)
                let own = rows.count { row in
                    row.contains { value in
                        switch value {
                        case .text(let text): text.contains(id) || text == "subject"
                        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self).contains(id)
                        case .integer, .null: false
                        }
                    }
                }
                if own > 0 { found[shape.name] = own }
            }
            return found
        }
    }

    @Test("leaves no row of the user in any table but the audit log", arguments: Way.allCases)
    func noRow(way: Way) async throws {
        let erased = try await Erased(isAnonymous: way == .idle)
        let (world, application, user) = (erased.world, erased.application, erased.logIn.user)
        switch way {
        case .requested, .deletedByOperator:
            if way == .requested {
                let who = try await world.authenticate(erased.logIn.token, in: application)
                _ = try await world.modules.deletion.requestDeletion(by: who, isProven: false, from: .local)
            } else {
                _ = try await world.modules.deletion.deleteUser(user.id, in: application, by: .local)
            }
            #expect(try await world.modules.deletion.eraseDeletedUsers() == 0)
            #expect(try await world.modules.sessions.listSessions(of: user.id, in: application).isEmpty)
            world.clock.advance(by: .days(7))
            #expect(try await world.modules.deletion.eraseDeletedUsers() == 1)
        case .erasedByOperator: try await world.modules.deletion.eraseUser(user.id, in: application.id, by: .local)
        case .byOwnerInProtocol, .byOperatorInProtocol:
            try await world.modules.deletion.eraseAccessibleUser(
                user.id, in: application,
                by: AccountAuthor(
                    way == .byOwnerInProtocol ? .user(user.id, standard: []) : .operator, of: user.id, session: nil,
                    from: .local), seesLeaving: false)
        case .idle:
            #expect(try await world.modules.deletion.removeIdleUsers() == 0)
            world.clock.advance(by: .days(31))
            #expect(try await world.modules.deletion.removeIdleUsers() == 1)
        }
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .userErased, target: .user(user.id)))
        #expect(entries.map(\.details) == [["reason": way.reason]])
        let due = try await erased.store.read { transaction throws(DomainError) in
            try transaction.providerRevocations(dueAt: world.clock.now, limit: 10)
        }
        #expect(due.count == (way == .idle ? 0 : 1))
        #expect(Array(try await erased.tables().keys) == ["audit_entries"])
    }

    @Test(
        "comes for a guest from elsewhere when the limit has passed since the import, whatever is known of before",
        arguments: [nil, 31, 400] as [Int64?], [false, true])
    func takenIn(daysSinceLogIn: Int64?, isExportOfOurs: Bool) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        settings.anonymousIdleLimit = .days(30)
        let application = try await world.makeApplication(settings: settings)
        let now = world.clock.now
        var guest = User(
            id: Identifier(rawValue: "old-1"), application: application.id, createdAt: now - .days(500), updatedAt: now)
        guest.lastLogInAt = daysSinceLogIn.map { now - .days($0) }
        guest.identities = [Identity(provider: .anonymous, subject: "c3ViamVjdA", linkedAt: guest.createdAt)]
        var imported = ImportedUser(user: guest)
        if isExportOfOurs { imported.credentials = UserCredentials() }
        let outcomes = try await world.modules.imports.importUsers(
            [imported], into: application.id, of: .native, isRehearsal: false)
        #expect(outcomes == [.imported])
        let remove = world.modules.deletion.removeIdleUsers
        #expect(try await remove() == 0)
        world.clock.advance(by: .days(30))
        #expect(try await remove() == 0)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await remove() == 1)
    }

    @Test("that is a day late is found, with the guests alone who are idle in truth", arguments: [false, true])
    func overdue(isLate: Bool) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        (settings.anonymousIdleLimit, settings.deletionGrace) = (.days(30), .days(3))
        let application = try await world.makeApplication(settings: settings)
        typealias Overdue = FindOverdueErasures.Overdue
        let deletion = world.modules.deletion
        let tokens = [
            try await world.logIn(TestDevice(), to: application).token,
            try await world.logIn(TestDevice(), to: application).token,
        ]
        world.clock.advance(by: .days(28))
        let leaving = try await world.signUp("hana", to: application).user.id
        _ = try await deletion.deleteUser(leaving, in: application, by: .local)
        world.clock.advance(by: .days(1))
        _ = try await world.authenticate(tokens[0], in: application)
        try await world.modules.sessions.writeSessionActivity()
        // 31 days after the log-ins.
        world.clock.advance(by: .days(2) + .milliseconds(isLate ? 1 : 0))
        let idle = try await deletion.findOverdueErasures(in: application)
        #expect(idle == Overdue(idle: isLate ? 1 : 0))
        world.clock.advance(by: .days(1))
        #expect(try await deletion.findOverdueErasures(in: application) == Overdue(leaving: 1, idle: 1))
        #expect(try await deletion.eraseDeletedUsers() == 1)
        #expect(try await deletion.removeIdleUsers() == 1)
        #expect(try await deletion.findOverdueErasures(in: application) == Overdue())
        let other = try await world.makeApplication()
        #expect(try await deletion.findOverdueErasures(in: other) == Overdue())
    }

    @Test(
        "with a merge waits until that can be undone no more, however short the grace, at a server that goes on evenly",
        arguments: [1, 3, 6] as [Int64])
    func merged(graceDays: Int64) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        settings.deletionGrace = .days(graceDays)
        let application = try await world.makeApplication(settings: settings)
        let guest = try await world.logIn(TestDevice(), to: application).user.id
        let hana = try await world.signUp("hana", to: application).user.id
        let merge = try await world.modules.administration.users.merge(guest, into: hana, in: application, by: .local)
        let undoEnd = world.clock.now + Merge.undoSpan
        for _ in 0..<7 {
            #expect(try await world.modules.deletion.eraseDeletedUsers() == 0)
            world.clock.advance(by: .seconds(600))
        }
        world.clock.advance(by: undoEnd - world.clock.now - .milliseconds(1))
        #expect(try await world.modules.deletion.eraseDeletedUsers() == 0)
        try await world.modules.transfers.undoMerge(merge, of: hana, in: application.id, by: .local)
        let back = try await world.modules.directory.readUser(guest, in: application.id)
        #expect(back.deletionRequestedAt == nil && back.identities.count == 1)
    }

    @Test("is looked for in tables that hold the user before")
    func control() async throws {
        let tables = Set(try await Erased(isAnonymous: false).tables().keys)
        #expect(
            tables.isSuperset(of: [
                "users", "identities", "identifiers", "passwords", "sessions", "transfer_codes", "provider_accounts",
                "audit_entries",
            ]), "\(tables.sorted())")
    }

    @Test("in a protocol asks the one table of permissions", arguments: AccountRole.allCases, [false, true])
    func permission(role: AccountRole, isDisabled: Bool) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        if isDisabled {
            try await world.engine.write { transaction throws(DomainError) in
                var disabled = user
                disabled.disabledAt = user.createdAt
                try transaction.updateStanding(of: disabled)
            }
        }
        let actor: AccountActor =
            switch role {
            case .stranger: .user(nil, standard: [])
            case .writer: .user(nil, standard: [.read, .write])
            case .owner: .user(user.id, standard: [])
            case .operator: .operator
            case .holder: .holder(of: user.id)
            // Nobody who asks by a protocol has these roles.
            case .provider, .server: .user(nil, standard: [])
            }
        let refusal = await world.refusal {
            try await world.modules.deletion.eraseAccessibleUser(
                user.id, in: application, by: AccountAuthor(actor, of: user.id, session: nil, from: .local),
                seesLeaving: false)
        }
        let may = role == .operator || role == .owner && !isDisabled
        #expect(refusal == (may ? nil : .accessRefused))
    }

    @Test("of somebody on the way out is for operators who see such users", arguments: [false, true])
    func leaving(seesLeaving: Bool) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        _ = try await world.modules.deletion.deleteUser(user.id, in: application, by: .local)
        let refusal = await world.refusal {
            try await world.modules.deletion.eraseAccessibleUser(
                user.id, in: application, by: AccountAuthor(.operator, of: user.id, session: nil, from: .local),
                seesLeaving: seesLeaving)
        }
        #expect(refusal == (seesLeaving ? nil : .userUnknown))
    }

    @Test("is recorded once, however often it is asked for")
    func once() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        let first = try await world.modules.deletion.deleteUser(user.id, in: application, by: .local)
        world.clock.advance(by: .days(1))
        #expect(try await world.modules.deletion.deleteUser(user.id, in: application, by: .local) == first)
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .deletionRequested))
        #expect(entries.count == 1)
        try await world.modules.deletion.restoreUser(user.id, in: application.id, by: .local)
        world.clock.advance(by: .days(30))
        #expect(try await world.modules.deletion.eraseDeletedUsers() == 0)
    }

    @Test(
        "has the provider end its grant, however many passkeys led to the user before it",
        arguments: [Way.requested, .erasedByOperator], [0, 15, 16, 20])
    func grants(way: Way, passkeys: Int) async throws {
        let due = try await Self.revocations(after: way, passkeys: passkeys, grants: [[1, 2, 3]])
        #expect(due.map(\.provider) == [Self.provider] && due.map(\.sealedGrant) == [[1, 2, 3]])
    }

    @Test(
        "has each provider end its grant, however many there are",
        arguments: [Way.requested, .erasedByOperator], [16, 17, 40])
    func manyGrants(way: Way, count: Int) async throws {
        let grants = (0..<count).map { [UInt8($0)] }
        let due = try await Self.revocations(after: way, passkeys: 0, grants: grants)
        #expect(Set(due.map(\.sealedGrant)) == Set(grants))
    }

    private static let provider = Identity.Provider(rawValue: "oidc:test")

    /// What providers are asked to end when a user goes whom passkeys lead to, and after them an identity with each grant.
    private static func revocations(
        after way: Way, passkeys: Int, grants: [[UInt8]]
    ) async throws -> [ProviderRevocation] {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user.id
        let (id, now) = (application.id, world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in
            for number in 0..<passkeys {
                try transaction.insert(
                    Identity(provider: .passkey, subject: "key\(number)", linkedAt: now), for: user, in: id)
            }
            for (number, grant) in grants.enumerated() {
                let subject = "subject\(number)"
                try transaction.insert(
                    Identity(provider: provider, subject: subject, linkedAt: now + .seconds(1)), for: user, in: id)
                try transaction.save(
                    ProviderAccount(
                        application: id, provider: provider, subject: subject, audience: "audience",
                        sealedGrant: grant, updatedAt: now))
            }
        }
        if way == .requested {
            _ = try await world.modules.deletion.deleteUser(user, in: application, by: .local)
        } else {
            try await world.modules.deletion.eraseUser(user, in: id, by: .local)
        }
        return try await world.engine.read { transaction throws(DomainError) in
            try transaction.providerRevocations(dueAt: now, limit: 50)
        }
    }
}
