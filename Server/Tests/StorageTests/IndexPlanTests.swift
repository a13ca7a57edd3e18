import Domain
import Storage
import StorageSQLite
import TestWorld
import Testing

/// What one user, session or token costs beside the rows of everybody else. Without statistics SQLite takes all rows of an application
/// for ten, and looks through them rather than into another index.
@Suite("The rows of one user, session or token")
struct IndexPlanTests {
    private let folder = TemporaryFolder()
    private static let application = Identifier<Application>(rawValue: "application")

    /// The statements of some work that look through all rows of a table, or of an application.
    private func scans(
        _ work: @escaping @Sendable (any Transaction) throws(DomainError) -> Void
    ) async throws -> [String] {
        let engine = TracedEngine(try SQLiteStore(.folder(folder.path), role: .server), .sqlite)
        let plans = QueryPlans(folder)
        let statements = try await plans.statements { try await engine.write(work) }
        await engine.close()
        #expect(!statements.isEmpty)
        return try statements.map(\.text).filter { $0.contains("application_id") }.filter { text in
            try plans.plan(of: text).contains { step in
                step.hasPrefix("SCAN") || step.hasSuffix("(application_id=?)")
                    || step.hasSuffix("(application_id=? AND provider=?)")
            }
        }
    }

    @Test("are found by an index that has the user, when one is erased")
    func erasure() async throws {
        let found = try await scans { transaction throws(DomainError) in
            try transaction.erase(Identifier(rawValue: "user"), in: Self.application)
        }
        #expect(found.isEmpty, "\(found)")
    }

    @Test("are found by an index that has the former token")
    func formerToken() async throws {
        let found = try await scans { transaction throws(DomainError) in
            _ = try transaction.session(refreshedFrom: SecretDigest(of: [1]), in: Self.application)
        }
        #expect(found.isEmpty, "\(found)")
    }

    @Test("are found by an index that has the name at the team before, when an app moves to another Apple team")
    func transferSubject() async throws {
        let found = try await scans { transaction throws(DomainError) in
            _ = try transaction.providerAccount(.apple, transferSubject: "before", in: Self.application)
        }
        #expect(found.isEmpty, "\(found)")
    }

    @Test("are found by an index that has a passkey's id, whosever it is")
    func passkey() async throws {
        let engine = TracedEngine(try SQLiteStore(.folder(folder.path), role: .server), .sqlite)
        let plans = QueryPlans(folder)
        let statements = try await plans.statements {
            try await engine.write { transaction throws(DomainError) in _ = try transaction.hasPasskey("id") }
        }
        await engine.close()
        let plan = try plans.plan(of: try #require(statements.first { $0.text.contains("passkeys") }).text)
        #expect(plan.contains { $0.contains("passkeys_by_credential") }, "\(plan)")
    }

    @Test("are found by the session's id in old protocols; those of this one are looked through")
    func owner() async throws {
        let names: [(name: Session.ProtocolName?, count: Int)] = [
            (Session.ProtocolName(rawValue: "parse"), 0), (nil, 1),
        ]
        for (name, count) in names {
            let found = try await scans { transaction throws(DomainError) in
                _ = try transaction.owner(
                    of: Identifier(rawValue: "session"), in: Self.application, openedBy: name)
            }
            #expect(found.count == count && !found.contains { $0.contains("protocol <>") }, "\(found)")
        }
    }
}
