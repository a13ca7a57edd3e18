import Domain
import Storage
import StorageSQLite
import TestWorld
import Testing

/// What the next mail costs while thousands of one application wait.
@Suite("Thousands of mails that wait")
struct MailPlanTests {
    private let folder = TemporaryFolder()

    @Test("are passed over in a step of an index when their application has its share")
    func passedOver() async throws {
        let engine = TracedEngine(try SQLiteStore(.folder(folder.path), role: .server), .sqlite)
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        @Sendable func mail(_ number: Int, of application: String, dueAfter wait: Duration) -> QueuedMail {
            QueuedMail(
                id: Identifier(rawValue: "mail-\(number)"), application: Identifier(rawValue: application),
                kind: .emailChanged, sealed: [1], createdAt: now, expiresAt: now + .days(1), nextTryAt: now + wait)
        }
        let other = mail(0, of: "third", dueAfter: .seconds(9))
        try await engine.write { transaction throws(DomainError) in
            for number in 1...2000 {
                try transaction.insert(mail(number, of: number.isMultiple(of: 2) ? "first" : "second", dueAfter: .zero))
            }
            try transaction.insert(other)
        }
        let plans = QueryPlans(folder)
        let statements = try await plans.statements {
            let next = try await engine.read { transaction throws(DomainError) in
                (
                    try transaction.nextMail(notOf: [Identifier(rawValue: "second")])?.application,
                    try transaction.nextMail(
                        notOf: [Identifier(rawValue: "first"), Identifier(rawValue: "second")])?.id,
                    try transaction.nextMail(
                        notOf: ["first", "second", "third"].reduce(into: []) { $0.insert(Identifier(rawValue: $1)) })
                )
            }
            #expect(next.0?.rawValue == "first")
            #expect(next.1 == other.id)
            #expect(next.2 == nil)
        }
        await engine.close()
        #expect(statements.count >= 5)
        for statement in statements {
            #expect(statement.rows <= 1, "\(statement)")
            for step in try plans.plan(of: statement.text) where step.contains("mail_queue") {
                #expect(step.hasPrefix("SEARCH") || step.contains("USING INDEX mail_queue_by_next_try"), "\(step)")
            }
        }
    }
}
