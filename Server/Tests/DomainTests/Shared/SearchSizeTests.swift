import Domain
import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@Suite("A search is refused before it begins")
struct SearchSizeTests {
    private static let field = UserField.custom(["a"])
    private static let long = String(repeating: "a", count: UserSearch.maximumBytes + 1)

    @Test(
        "when it compares with too many or too long values",
        arguments: [
            .isOneOf(field, (0..<200).map { .number(Double($0)) }),
            .all((0..<200).map { .equals(field, .number(Double($0))) }),
            .any((0..<200).map { .equals(field, .number(Double($0))) }),
            .equals(field, .text(long)), .compares(field, .less, .text(long)), .not(.equals(field, .text(long))),
            .equals(field, .structure(.array([.object(["a": .string(long)])]))), .exists(.custom([long])),
            .isOneOf(field, (0..<100).map { _ in .text(String(long.prefix(1000))) }),
            .matches(field, TextPattern([.anything, .text(String(long.prefix(512)))])),
            .any((0..<20).map { _ in .matches(field, TextPattern([.text("a234567890123456789012345"), .anything])) }),
        ] as [UserCondition])
    func tooLarge(condition: UserCondition) async throws {
        let engine = ScriptedSearches(try SQLiteStore(.memory, role: .server))
        let world = try TestWorld(engine)
        let application = try await world.makeApplication()
        let error = await #expect(throws: DomainError.self) {
            try await world.modules.directory.searchUsers(
                UserSearch(condition: condition, reader: .everything), in: application,
                for: SearchRequest(by: .backend))
        }
        guard let faults = error?.validationErrors else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(faults.map(\.field) == ["where"])
        #expect(engine.limits.isEmpty)
    }

    @Test("and one that is not has the look at its findings as a part of it: in its turn, on its reader, in its time")
    func look() async throws {
        let engine = ScriptedSearches(try SQLiteStore(.memory, role: .server))
        let world = try TestWorld(engine, searchLimits: SearchLimits())
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", to: application)
        let (count, underWay) = try await world.modules.directory.searchUsers(
            UserSearch(reader: .everything), in: application, for: SearchRequest(by: .backend)
        ) { found throws(DomainError) in (found.users.count, engine.underWay) }
        #expect(count == 1 && underWay == 1 && engine.underWay == 0)
        engine.play(.takes(.milliseconds(200)))
        let request = SearchRequest(by: .backend)
        await #expect(throws: DomainError.searchTooSlow) {
            try await world.modules.directory.searchUsers(
                UserSearch(reader: .everything), in: application, for: request
            ) { _ throws(DomainError) -> Int in throw .searchTooSlow }
        }
        // What is left for the request is what the look has left of it.
        _ = try await world.modules.directory.searchUsers(
            UserSearch(reader: .everything), in: application, for: request)
        #expect(engine.limits == [.milliseconds(300), .milliseconds(300), .milliseconds(100)])
    }

    @Test("but not when it is as large as it may be")
    func largest() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        for condition: UserCondition in [
            .isOneOf(Self.field, (0..<199).map { .number(Double($0)) }),
            .all((0..<199).map { .equals(Self.field, .text("\($0)")) }),
            .equals(Self.field, .text(String(Self.long.dropLast(2)))),
            .matches(Self.field, TextPattern([.anything, .text(String(repeating: "é", count: 255)), .anything])),
        ] {
            let found = try await world.modules.directory.searchUsers(
                UserSearch(condition: condition, counts: true, reader: .everything), in: application,
                for: SearchRequest(by: .backend))
            #expect(found.count == 0)
        }
    }
}
