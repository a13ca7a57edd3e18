import Domain
import Foundation
import Storage
import StoragePostgreSQL
import StorageSQLite
import TestPostgreSQL
import Testing

/// How the engines find users: by an index, in its order, whatever the filter.
@Suite("Lists of users")
struct UserListPlanTests {
    static let leaders: [UserLeader] = [
        .all, .registered, .anonymous, .disabled, .leaving, .weak, .provider(.init(rawValue: "apple")),
        .protocolName(.init(rawValue: "ncmb")), .days(20_000...20_100),
    ]

    private static func statement(_ leader: UserLeader, _ dialect: Dialect) -> String {
        let (query, values) = SQLTransaction.question(
            leader, in: Identifier(rawValue: "application"), from: nil, limit: 50)
        return written(query, values, dialect)
    }

    /// The statement with its values written out, as PostgreSQL explains it.
    private static func written(_ query: Query, _ values: [Value], _ dialect: Dialect) -> String {
        var text = query.text(in: dialect)
        for (position, value) in values.enumerated().reversed() {
            let written =
                switch value {
                case .integer(let number): String(number)
                case .text(let text): "'\(text)'"
                case .null, .bytes: "NULL"
                }
            text = text.replacing("$\(position + 1)", with: written)
        }
        return text
    }

    private static func sqlitePlan(of text: String) async throws -> [String] {
        let folder = TemporaryFolder()
        await (try SQLiteStore(.folder(folder.path), role: .server)).close()
        return try QueryPlans(folder).plan(of: text)
    }

    @Test("are read from an index in SQLite, and never sorted", arguments: leaders)
    func sqlite(leader: UserLeader) async throws {
        let plan = try await Self.sqlitePlan(of: Self.statement(leader, .sqlite))
        #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH"), "\(plan)")
        let index =
            switch leader {
            case .all, .anonymous, .search: "PRIMARY KEY"
            case .registered: "users_registered"
            case .disabled: "users_disabled"
            case .leaving: "users_leaving"
            case .weak: "users_weak"
            case .provider: "identities_by_provider"
            case .protocolName: "sessions_by_protocol"
            case .days: "users_by_day"
            }
        #expect(plan[0].contains(index), "\(plan)")
    }

    @Test("are read from an index in PostgreSQL, and never sorted", arguments: leaders)
    func postgreSQL(leader: UserLeader) async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        // Without rows a scan costs nothing: it is forbidden, so that the plan tells whether there is another way.
        let plan = try await cluster.run(
            """
            SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off;
            SET enable_incremental_sort = off;
            EXPLAIN (COSTS OFF) \(Self.statement(leader, .postgresql))
            """, in: database
        ).compactMap { $0.first ?? nil }
        #expect(plan.contains { $0.contains("Index") } && !plan.contains { $0.contains("Seq Scan") }, "\(plan)")
        #expect(!plan.contains { $0.contains("Sort") && !$0.contains("Sort Key") }, "\(plan)")
    }
    @Test("have the identities of their users read by the users, and not by the application")
    func identities() async throws {
        let query = SQLTransaction.identitiesOfUsers
        let values = [Value.text("application")] + (1...50).map { Value.text("user \($0)") }
        let plan = try await Self.sqlitePlan(of: Self.written(query, values, .sqlite))
        #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH"), "\(plan)")
        #expect(plan[0].contains("identities_by_user (application_id=? AND user_id=?)"), "\(plan)")
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let other = try await cluster.run(
            """
            SET enable_seqscan = off; SET enable_bitmapscan = off;
            EXPLAIN (COSTS OFF) \(Self.written(query, values, .postgresql))
            """, in: database
        ).compactMap { $0.first ?? nil }
        #expect(other.contains { $0.contains("Index Scan using identities_by_user") }, "\(other)")
    }
}
