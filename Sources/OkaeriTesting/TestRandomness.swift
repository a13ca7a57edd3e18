public import Okaeri

/// Bytes that look random and are the same in every run.
public final class TestRandomness: Randomness {
    private let state: Protected<UInt64>

    /// Begins a sequence.
    ///
    /// - Parameter seed: Equal seeds give equal sequences.
    public init(seed: UInt64 = 1) {
        state = Protected(seed)
    }

    /// The next bytes of the sequence.
    public func bytes(_ count: Int) -> [UInt8] {
        state.withValue { state in (0..<count).map { _ in Self.next(&state) } }
    }

    /// SplitMix64 (Steele, Lea, Flood 2014); a byte from each step.
    private static func next(_ state: inout UInt64) -> UInt8 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return UInt8(truncatingIfNeeded: (mixed ^ (mixed >> 31)) >> 24)
    }
}
