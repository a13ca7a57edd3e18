import Domain
import Storage
import TestWorld

/// What holds at any time, looked up in the database while nothing is under way.
extension Simulation {
    /// Questions whose answer is 0.
    private static let zeros: [(name: String, question: Query)] = [
        (
            "sessions without a user",
            """
            SELECT COUNT(*) FROM sessions s LEFT JOIN users u
            ON u.application_id = s.application_id AND u.id = s.user_id WHERE u.id IS NULL
            """
        ),
        (
            "identities without a user",
            """
            SELECT COUNT(*) FROM identities i LEFT JOIN users u
            ON u.application_id = i.application_id AND u.id = i.user_id WHERE u.id IS NULL
            """
        ),
        (
            "identifiers without a user",
            """
            SELECT COUNT(*) FROM identifiers i LEFT JOIN users u
            ON u.application_id = i.application_id AND u.id = i.user_id WHERE u.id IS NULL
            """
        ),
        (
            "passwords without a user",
            """
            SELECT COUNT(*) FROM passwords p LEFT JOIN users u
            ON u.application_id = p.application_id AND u.id = p.user_id WHERE u.id IS NULL
            """
        ),
        (
            "keys with two users",
            "SELECT COUNT(*) FROM (SELECT 1 FROM identities GROUP BY application_id, provider, subject HAVING COUNT(*) > 1)"
        ),
        (
            "names with two users",
            "SELECT COUNT(*) FROM (SELECT 1 FROM identifiers GROUP BY application_id, kind, value HAVING COUNT(*) > 1)"
        ),
    ]

    func check() async {
        guard let world else { return }
        do {
            try await checkTables(world)
            try await checkUsers(world)
            try await checkAudit(world)
        } catch {
            violate("a check cannot be made: \(error)")
        }
        if world.modules.sessions.cachedSessions > 500 { violate("the session cache is larger than it may be") }
        if let log = disk.files[Self.database + "-wal"], log.count > 128 << 20 { violate("the log grows without end") }
    }

    private func checkTables(_ world: TestWorld) async throws {
        let found = try await world.engine.read { transaction throws(DomainError) -> [String] in
            guard let connection = (transaction as? SQLTransaction)?.connection else { throw .storageUnavailable }
            var found: [String] = []
            for (name, question) in Self.zeros {
                let count = try connection.rows(question, []) { row throws(DomainError) in
                    row.only.integer
                }
                if count != [0] { found.append("\(name): \(count)") }
            }
            let words = try connection.rows("PRAGMA integrity_check(10)", []) { row throws(DomainError) in row.only.text
            }
            return found + words.filter { $0 != "ok" }
        }
        for fault in found { violate(fault) }
    }

    /// Everybody whose user was made and not taken away is there, with the name that was answered; all together add up.
    private func checkUsers(_ world: TestWorld) async throws {
        guard let application else { return }
        for _ in 0..<min(300, everyone.count) {
            let person = generator.pick(everyone)
            let user = try await world.engine.read { transaction throws(DomainError) in
                try transaction.user(person.id, in: application.id)
            }
            if user == nil, person.standing == .active, person.leavingSince == nil { violate("a user is lost") }
            if let user, !person.hasUnsureNames, person.standing != .erased, user.username != person.username {
                violate("a user has another name than was answered")
            }
        }
    }

    private func checkAudit(_ world: TestWorld) async throws {
        guard let application else { return }
        try await world.modules.administration.chainAuditEntries()
        let verdicts = try await world.modules.administration.verifyAudit(application.id, known: auditHead)
        for verdict in verdicts {
            if !verdict.faults.isEmpty { violate("the audit log does not fit: \(verdict.faults.prefix(3))") }
            auditHead = verdict.head.map { .init(number: $0.number, digest: $0.digest) } ?? auditHead
        }
    }
}
