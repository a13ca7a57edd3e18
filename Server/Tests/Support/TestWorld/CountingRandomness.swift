import Domain
import Synchronization

/// Bytes that look random, never repeat, and are the same in each run.
package final class CountingRandomness: Randomness {
    private let state: Mutex<UInt64>

    package init(seed: UInt64 = 0) {
        state = Mutex(seed)
    }

    package func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            (0..<count).map { _ in
                // SplitMix64: each step visits a new state.
                state &+= 0x9E37_79B9_7F4A_7C15
                var word = state
                word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
                word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
                return UInt8(truncatingIfNeeded: word ^ (word >> 31))
            }
        }
    }
}
