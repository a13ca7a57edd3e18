import Domain
import Foundation
import Synchronization

/// A clock that stands still until a test moves it.
final class StandingClock: WallClock {
    private let time = Mutex(Timestamp(milliseconds: 1_800_000_000_000))

    var now: Timestamp { time.withLock { $0 } }

    func advance(by span: Duration) {
        time.withLock { $0 = $0 + span }
    }
}

/// Random bytes, different at each call.
struct TestRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }
}

/// What a test needs and did not get.
struct Missing: Error, CustomStringConvertible {
    var description: String
}
