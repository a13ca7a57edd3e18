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
            try await checkTotals(world)
            try await checkUsers(world)
            try await checkImports(world)
            try await checkMails(world)
            try await checkAudit(world)
        } catch {
            violate("a check cannot be made: \(error)")
        }
        if nodes.contains(where: { $0.world.modules.sessions.cachedSessions > 500 }) {
            violate("the session cache is larger than it may be")
        }
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

    /// Who was made and not taken away is there, and nobody else but those whom a lost response would have named.
    private func checkTotals(_ world: TestWorld) async throws {
        let found = try await world.engine.read { transaction throws(DomainError) -> [String] in
            guard let connection = (transaction as? SQLTransaction)?.connection else { throw .storageUnavailable }
            return try connection.rows("SELECT id FROM users", []) { row throws(DomainError) in row.only.text }
        }
        let ids = Set(found)
        let sure = everyone.filter { [.active, .disabled].contains($0.standing) && $0.leavingSince == nil }
        let lost = sure.filter { !ids.contains($0.id.rawValue) }
        if let first = lost.first {
            violate("\(lost.count) of \(sure.count) users are lost, \(first.id.rawValue) among them")
        }
        let strangers = ids.count { !$0.hasPrefix("import") && persons[Identifier(rawValue: $0)] == nil }
        if strangers > unansweredCreations {
            violate(
                "\(strangers) users are there of whom nobody knows, and \(unansweredCreations) requests went unanswered"
            )
        }
    }

    /// Some of those whose users were made and not taken away have the name that was answered.
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

    /// Everybody whose import was answered is there; of one that was not, all or nobody.
    private func checkImports(_ world: TestWorld) async throws {
        let found = try await world.engine.read { transaction throws(DomainError) -> [String] in
            guard let connection = (transaction as? SQLTransaction)?.connection else { throw .storageUnavailable }
            return try connection.rows("SELECT username FROM users WHERE id LIKE 'import%'", []) {
                row throws(DomainError) in row.only.text
            }
        }
        let names = Set(found)
        if names.count != found.count { violate("an imported user is there twice") }
        for file in imports {
            let present = (0..<ImportFile.count).count { names.contains(file.name($0)) }
            let isRight = present == ImportFile.count || present == 0 && !file.isDone
            if !isRight { violate("of an import \(present) users are there") }
        }
        if found.count > imports.count * ImportFile.count {
            violate("there are more imported users than were imported")
        }
    }

    /// A mail whose order was answered leaves the server, though the mail server has its moods at first.
    private func checkMails(_ world: TestWorld) async throws {
        guard let application else { return }
        for member in members.filter({ $0.isVerified && $0.isActive && $0.order == nil }).prefix(10) {
            let before = mailServer.tokenCount(of: member.address)
            _ = try await world.modules.messaging.requestPasswordReset(
                email: member.address, in: application, languages: [], from: Self.address)
            member.order = (now, before)
        }
        mailServer.hasFaults = options.hasFaults
        _ = try await world.modules.messaging.deliverMail()
        mailServer.hasFaults = false
        // Earlier ones may have waited too long.
        let awaited = members.filter { member in
            guard let order = member.order, member.isActive else { return false }
            return order.at <= now && now - order.at < .seconds(1800)
        }
        for _ in 0..<50 {
            guard let next = try await world.modules.messaging.deliverMail().nextAt else { break }
            if next > now { clock.advance(by: next - now) }
        }
        for member in awaited {
            guard let order = member.order else { continue }
            if mailServer.tokenCount(of: member.address) <= order.tokensBefore {
                violate("an order of a mail that was answered is lost")
            }
        }
        for member in members { member.order = nil }
    }

    private func checkAudit(_ world: TestWorld) async throws {
        guard let application else { return }
        try await world.modules.administration.audit.chain()
        let verdicts = try await world.modules.administration.audit.verify(application.id, known: auditHead)
        for verdict in verdicts {
            if !verdict.faults.isEmpty { violate("the audit log does not fit: \(verdict.faults.prefix(3))") }
            auditHead = verdict.head.map { .init(number: $0.number, digest: $0.digest) } ?? auditHead
        }
    }
}
