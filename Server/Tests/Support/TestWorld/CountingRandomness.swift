import Domain
import Synchronization

/// Bytes that look random, never repeat, and are the same in each run.
package final class CountingRandomness: Randomness {
    private let generator: Mutex<SeededGenerator>

    package init(seed: UInt64 = 0) {
        generator = Mutex(SeededGenerator(state: seed))
    }

    package func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            // Each step leads to a new state.
            (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }
    }
}
