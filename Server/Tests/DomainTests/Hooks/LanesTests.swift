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
        #expect(own == count / 2)
        let others = (0..<count).count { lanes.take(for: Self.application(2 + $0)) }
        #expect(others == count - count / 2 && lanes.taken == count)
        var isTaken = lanes.take(for: Self.application(9999))
        #expect(!isTaken)
        lanes.leave(Self.application(1))
        isTaken = lanes.take(for: Self.application(9999))
        #expect(isTaken)
    }

    @Test("leaves one of eight to who has none while five others take what they may", arguments: UInt64(0)..<60)
    func fair(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        var (lanes, underWay) = (Lanes(8, share: .thirdOfFree), [Int]())
        for step in 0..<300 {
            let application = draw.number(below: 5)
            let own = underWay.count { $0 == application }
            if draw.number(below: 4) > 0 {
                let hasRoom = own * 3 < 8 - underWay.count
                let isTaken = lanes.take(for: Self.application(application))
                #expect(isTaken == hasRoom && !(isTaken && own == 2), "\(seed) \(step)")
                if isTaken { underWay.append(application) }
            } else if let index = underWay.firstIndex(of: application) {
                lanes.leave(Self.application(application))
                underWay.remove(at: index)
            }
            var copy = lanes
            let isOpen = copy.take(for: Self.application(5))
            #expect(isOpen, "\(seed) \(step)")
        }
    }

    @Test("names who has some, who may have no more, and whether nobody may")
    func underWay() {
        var lanes = Lanes(8, share: .thirdOfFree)
        #expect(lanes.underWay?.busy == [] && lanes.underWay?.full == [])
        for number in [1, 1, 2] { _ = lanes.take(for: Self.application(number)) }
        #expect(lanes.underWay?.busy == [Self.application(1), Self.application(2)])
        #expect(lanes.underWay?.full == [Self.application(1)])
        for number in 3...7 { _ = lanes.take(for: Self.application(number)) }
        let isOpen = lanes.underWay != nil
        #expect(lanes.taken == 8 && !isOpen)
        lanes.leave(Self.application(7))
        #expect(lanes.underWay?.busy.count == 6 && lanes.underWay?.full == lanes.underWay?.busy)
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

    @Test("is over when the work is, however it ends; what is too much does not begin")
    func work() async throws {
        func part(_ provider: String, of application: Int = 1) -> ProviderLanes.Part {
            ProviderLanes.Part(provider, of: Self.application(application))
        }
        let (lanes, apple) = (ProviderLanes(8), part("apple"))
        func refusal(of work: () async throws(DomainError) -> Void) async -> DomainError? {
            do throws(DomainError) {
                try await lanes.run(apple, work)
                return nil
            } catch {
                return error
            }
        }
        for _ in 0..<3 {
            let refused = await refusal(of: { () async throws(DomainError) -> Void in throw .credentialRefused })
            #expect(refused == .credentialRefused)
            let answer = try await lanes.run(apple) { () async throws(DomainError) -> Int in 7 }
            #expect(answer == 7)
        }
        for _ in 0..<3 { #expect(lanes.take(apple)) }
        var isBegun = false
        let refused = await refusal(of: { () async throws(DomainError) -> Void in isBegun = true })
        #expect(refused == .providerUnavailable && !isBegun)
        // Another provider of the application has what is left of its half, and others have theirs.
        #expect(lanes.take(part("google")) && !lanes.take(part("google")) && !lanes.take(part("line")))
        let other = try await lanes.run(part("apple", of: 2)) { () async throws(DomainError) -> Int in 8 }
        #expect(other == 8)
        lanes.leave(part("google"))
        lanes.leave(apple)
        let again = await refusal(of: { () async throws(DomainError) -> Void in isBegun = true })
        #expect(again == nil && isBegun)
    }
}
