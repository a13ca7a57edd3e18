import Domain
import Testing

@testable import OutboundServices

@Suite("The shares of transfers")
struct TransferCountsTests {
    private let address = TransferShare.address(
        ClientAddress(text: "192.0.2.1", allowanceGroup: "192.0.2.1"), in: Identifier(rawValue: "a"), maximum: 1)
    private let neighbour = TransferShare.address(
        ClientAddress(text: "192.0.2.2", allowanceGroup: "192.0.2.2"), in: Identifier(rawValue: "a"), maximum: 1)
    private let application = TransferShare.application(Identifier(rawValue: "a"), maximum: 2)
    private let other = TransferShare.application(Identifier(rawValue: "b"), maximum: 2)

    @Test("are taken all or none, and given back with the transfer")
    func allOrNone() {
        var counts = TransferCounts()
        // The second one finds no room for its address, and takes nothing of the application's.
        let taken = [[application, address], [application, address], [application, neighbour], [application]]
            .map { counts.take($0, of: 3) }
        #expect(taken == [true, false, true, false])
        let further = [[other], [other]].map { counts.take($0, of: 3) }
        #expect(further == [true, false])
        counts.leave([application, address])
        let last = [[application, address], []].map { counts.take($0, of: 3) }
        #expect(last == [true, false])
    }

    @Test("of each application have a thread, which others use only while every thread has some")
    func lanes() {
        var choice = LaneChoice(lanes: 2)
        let (one, two, three) = (
            Identifier<Application>(rawValue: "a"), Identifier<Application>(rawValue: "b"),
            Identifier<Application>(rawValue: "c")
        )
        let first = [one, one, one, two, two, three].map { choice.take(for: $0) }
        // The third one comes to that which has less.
        #expect(first == [0, 0, 0, 1, 1, 1])
        // Three of one leave: its thread is free, and it has no claim to it.
        for _ in 0..<3 { choice.leave(one) }
        // Those of the others are woken where they are, and nobody for one that has none.
        let served = [one, two, three].map { choice.lane(of: $0) }
        #expect(served == [nil, 1, 1])
        let further = [two, three].map { choice.take(for: $0) }
        #expect(further == [1, 1])
        let last = [Identifier<Application>(rawValue: "d"), one].map { choice.take(for: $0) }
        #expect(last == [0, 0])
    }
}
