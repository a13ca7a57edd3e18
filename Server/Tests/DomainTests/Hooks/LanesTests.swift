import TestWorld
import Testing

@testable import Domain

/// Calls that are under way, compared with a list of them.
@Suite("How much is under way at once")
struct LanesTests {
    private static func application(_ number: Int) -> Identifier<Application> {
        Identifier(rawValue: "app\(number)")
    }

    @Test("is bounded in all, and to half for each application", arguments: UInt64(0)..<60)
    func model(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let count = 2 + draw.number(below: 12)
        var (lanes, underWay) = (Lanes(count), [Int]())
        for step in 0..<300 {
            let application = draw.number(below: 4)
            let own = underWay.count { $0 == application }
            if draw.isOne(in: 2) {
                let hasRoom = underWay.count < count && own < count / 2
                let isTaken = lanes.take(for: Self.application(application))
                #expect(isTaken == hasRoom, "\(seed) \(step)")
                if hasRoom { underWay.append(application) }
            } else {
                lanes.leave(Self.application(application))
                if let index = underWay.firstIndex(of: application) { underWay.remove(at: index) }
            }
            #expect(lanes.taken == underWay.count, "\(seed) \(step)")
        }
    }

    @Test("has room for others whatever one application does", arguments: [2, 3, 8, 9, 64])
    func shares(count: Int) {
        var lanes = Lanes(count)
        let own = (0..<count).count { _ in lanes.take(for: Self.application(1)) }
        #expect(own == count / 2 && lanes.ofApplication == count / 2)
        let others = (0..<count).count { lanes.take(for: Self.application(2 + $0)) }
        #expect(others == count - count / 2 && lanes.taken == count)
        var isTaken = lanes.take(for: Self.application(9999))
        #expect(!isTaken)
        lanes.leave(Self.application(1))
        isTaken = lanes.take(for: Self.application(9999))
        #expect(isTaken)
    }

    @Test("does not fall below nothing for who left already")
    func leaving() {
        var lanes = Lanes(4)
        lanes.leave(Self.application(1))
        #expect(lanes.taken == 0)
        let isTaken = lanes.take(for: Self.application(1))
        #expect(isTaken)
        for _ in 0..<3 { lanes.leave(Self.application(1)) }
        #expect(lanes.taken == 0)
    }

    @Test("is one count for tasks that take at once")
    func shared() async {
        let lanes = SharedLanes(8)
        let taken = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 { group.addTask { lanes.take(for: Self.application(number % 5)) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 8)
    }
}
