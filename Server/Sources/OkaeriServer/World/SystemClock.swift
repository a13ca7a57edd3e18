import Domain
import Foundation

/// The machine's own clock.
struct SystemClock: WallClock {
    var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// The system's cryptographic generator.
struct SystemRandomness: Randomness {
    /// The most bytes that the system gives at a time.
    private static let maximumAtOnce = 256

    func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count, let start = buffer.baseAddress {
                let part = min(Self.maximumAtOnce, count - initialized)
                if getentropy(start + initialized, part) != 0 {
                    // Swift's way asks for eight bytes at a time, and ends the process where the system has none.
                    var generator = SystemRandomNumberGenerator()
                    for index in initialized..<(initialized + part) { buffer[index] = generator.next() }
                }
                initialized += part
            }
        }
    }
}
