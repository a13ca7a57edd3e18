import TestWorld
import Testing

@testable import Domain

@Suite("When something that failed is tried again")
struct RetryScheduleTests {
    /// Bytes that are all the same.
    private struct SameBytes: Randomness {
        let byte: UInt8
        func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
    }

    private static let doubling = RetrySchedule(doublingFrom: .seconds(60), upTo: .seconds(200))
    private static let listed = RetrySchedule(.seconds(5), .seconds(300))

    @Test(
        "doubles up to the longest wait and never ends",
        arguments: [(1, 60), (2, 120), (3, 200), (4, 200), (5000, 200), (.max, 200)] as [(Int, Int64)])
    func doubles(tries: Int, seconds: Int64) {
        #expect(Self.doubling.meanWait(after: tries) == .seconds(seconds))
    }

    @Test(
        "follows a list, and ends with it",
        arguments: [(1, 5), (2, 300), (3, nil), (.max, nil)] as [(Int, Int64?)])
    func follows(tries: Int, seconds: Int64?) {
        #expect(Self.listed.meanWait(after: tries) == seconds.map { .seconds($0) })
        #expect((Self.listed.wait(after: tries, by: CountingRandomness()) == nil) == (seconds == nil))
    }

    @Test(
        "of an event follows nine waits, which are three days together",
        arguments: [
            (1, 5), (2, 300), (3, 1800), (4, 7200), (5, 18_000), (6, 36_000), (7, 50_400), (8, 72_000), (9, 86_400),
            (10, nil),
        ] as [(Int, Int64?)])
    func events(tries: Int, seconds: Int64?) {
        #expect(DeliverEvents.retries.meanWait(after: tries) == seconds.map { .seconds($0) })
    }

    @Test("takes a count that makes no sense for the first try", arguments: [0, -1, .min])
    func senseless(tries: Int) {
        #expect(Self.doubling.meanWait(after: tries) == .seconds(60))
        #expect(Self.listed.meanWait(after: tries) == .seconds(5))
    }

    @Test("has one wait when the first is the longest, or longer", arguments: [60, 59] as [Int64])
    func single(longest: Int64) {
        let schedule = RetrySchedule(doublingFrom: .seconds(60), upTo: .seconds(longest))
        #expect(schedule.meanWait(after: 1) == .seconds(60) && schedule.meanWait(after: 9) == .seconds(60))
    }

    @Test(
        "is a quarter less at the least, and less than a quarter more",
        arguments: [(0, 45_000), (128, 60_058), (255, 74_999)] as [(UInt8, Int64)])
    func bounds(byte: UInt8, milliseconds: Int64) {
        let wait = Self.doubling.wait(after: 1, by: SameBytes(byte: byte))
        #expect(wait == .milliseconds(milliseconds))
    }

    @Test("differs for those that failed together")
    func differs() {
        let randomness = CountingRandomness()
        let waits = (0..<20).map { _ in Self.doubling.wait(after: 9, by: randomness) }
        #expect(Set(waits).count > 15)
        #expect(waits.allSatisfy { $0.map { $0 >= .seconds(150) && $0 < .seconds(250) } == true })
    }
}
