import Domain
import StoragePostgreSQL
import TestPostgreSQL
import Testing

@Suite("The clock of a node on PostgreSQL", .serialized)
struct ClockComparisonTests {
    /// A clock that is off by as much as it says.
    private struct Off: WallClock {
        let lead: Duration
        var now: Timestamp { MachineClock().now + lead }
    }

    @Test(
        "is in the log with its difference from the database's, which all nodes have in common",
        arguments: [(Duration.seconds(600), "seconds ahead of"), (.seconds(-600), "seconds behind")])
    func off(_ lead: Duration, _ words: String) async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let store = try await cluster.store(clock: Off(lead: lead))
        let (faults, fault) = AsyncStream<String>.makeStream()
        store.observeFaults { fault.yield($0) }
        let sentence = try #require(await faults.first { _ in true })
        #expect(sentence.contains(words) && sentence.contains("time server"), "\(sentence)")
        try await cluster.end(store)
    }
}
