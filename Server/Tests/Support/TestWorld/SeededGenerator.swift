import Domain
import Synchronization

/// Numbers that follow from a seed (SplitMix64), so that a case that fails can be repeated: a test names its seed as an
/// argument, and its message the case that was drawn.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0, and smaller than a limit of at least 1.
    package mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// True once in so many cases.
    package mutating func isOne(in cases: Int) -> Bool { number(below: cases) == 0 }

    package mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }

    /// So many elements, each drawn anew.
    package mutating func list<Element>(
        of count: Int, _ draw: (inout SeededGenerator) -> Element
    ) -> [Element] {
        (0..<count).map { _ in draw(&self) }
    }

    /// Signs from an alphabet.
    package mutating func text(of count: Int, from alphabet: String) -> String {
        let signs = Array(alphabet.unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<count { text.append(signs[number(below: signs.count)]) }
        return String(text)
    }
}

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
