import Domain
import Synchronization
import Testing

/// Found by two hours of load: after 130,000 events the server ended with an overflow of its stack.
@Suite("An observer")
struct ObserverTests {
    @Test("is called as quickly, and on as small a stack, after a million times")
    func million() {
        let observer = Observer<DeliverEvents.Round>()
        let sum = Mutex(0)
        observer.set { round in sum.withLock { $0 += round.delivered } }
        var round = DeliverEvents.Round()
        round.delivered = 1
        for _ in 0..<1_000_000 { observer.note(round) }
        #expect(sum.withLock { $0 } == 1_000_000)
    }

    @Test("is called when there is one, and the last one that was set alone")
    func setting() {
        let observer = Observer<Int>()
        let noted = Mutex<[String]>([])
        observer.note(1)
        observer.set { number in noted.withLock { $0.append("first \(number)") } }
        observer.note(2)
        observer.set { number in noted.withLock { $0.append("second \(number)") } }
        observer.note(3)
        #expect(noted.withLock { $0 } == ["first 2", "second 3"])
    }
}
