import Domain
import Storage
import StorageSQLite
import TestWorld
import Testing

/// What it costs to end some of a user's sessions while others have very many.
@Suite("Sessions that end with what came from them")
struct SessionPlanTests {
    private let folder = TemporaryFolder()

    @Test("are looked for among the user's own, by the primary key")
    func ownAlone() async throws {
        let engine = TracedEngine(try SQLiteStore(.folder(folder.path), role: .server), .sqlite)
        let (user, application) = (Identifier<User>(rawValue: "user"), Identifier<Application>(rawValue: "app"))
        let plans = QueryPlans(folder)
        let statements = try await plans.statements {
            try await engine.write { transaction throws(DomainError) in
                let session = Identifier<Session>(rawValue: "session")
                _ = try transaction.endSession(session, of: user, in: application)
                _ = try transaction.endSessions(of: user, in: application, deviceKeys: ["key", "other key"])
                _ = try transaction.endSessions(of: user, openedBy: .automatic, in: application, except: session)
                try transaction.reparentSessions(from: session, to: session, of: user, in: application)
            }
        }
        await engine.close()
        let texts = Set(statements.map(\.text).filter { $0.contains("sessions") })
        #expect(texts.count == 4, "\(texts)")
        for text in texts {
            let steps = try plans.plan(of: text).filter { $0.contains("sessions") || $0.contains("derived") }
            #expect(!steps.isEmpty, "\(text)")
            for step in steps {
                #expect(step.hasPrefix("SEARCH") && step.hasSuffix("(application_id=? AND user_id=?)"), "\(step)")
            }
        }
    }
}
