import CLibFuzzer
import Foundation

/// What libFuzzer looks through after each input: one counter for each branch of our modules, with its program counter.
///
/// There are three quarters of a million, and one parser reaches a few hundred. To look through all of them took four
/// fifths of the time. So the linker brings what the modules announce to libFuzzer at the start here (`--wrap`), and
/// libFuzzer learns of the neighbourhoods alone that the corpus reaches. What a run finds widens them for the next.
enum FollowedCounters {
    nonisolated(unsafe) fileprivate static var counters = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    nonisolated(unsafe) fileprivate static var programCounters = UnsafePointer<ProgramCounter>(bitPattern: 0)

    /// Counters in a row that are followed when one of them is reached: some functions' worth.
    private static let neighbourhood = 256

    /// Tells libFuzzer of all counters, as a program without this would.
    static func followAll() {
        follow(counters.indices)
    }

    /// Gives the files of the folders to the parser, and tells libFuzzer of what they reach.
    static func followWhatIsReached(by folders: [String], reading read: ([UInt8]) -> Void) throws {
        counters.update(repeating: 0)
        for folder in folders {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
                if let bytes = try? Data(contentsOf: file) { read(Array(bytes)) }
            }
        }
        var reached: [Range<Int>] = []
        for start in stride(from: 0, to: counters.count, by: neighbourhood) {
            let range = start..<min(start + neighbourhood, counters.count)
            guard counters[range].contains(where: { $0 != 0 }) else { continue }
            if let last = reached.last, last.upperBound == start {
                reached[reached.count - 1] = last.lowerBound..<range.upperBound
            } else {
                reached.append(range)
            }
        }
        counters.update(repeating: 0)
        for range in reached { follow(range) }
    }

    private static func follow(_ range: Range<Int>) {
        guard !range.isEmpty, let start = counters.baseAddress, let programCounters else { return }
        tellLibFuzzerOfCounters(start + range.lowerBound, start + range.upperBound)
        tellLibFuzzerOfProgramCounters(programCounters + range.lowerBound, programCounters + range.upperBound)
    }
}

/// Called by each module at the start, always with the limits of all modules' counters.
@_cdecl("__wrap___sanitizer_cov_8bit_counters_init")
func keepCounters(_ start: UnsafeMutablePointer<UInt8>, _ end: UnsafeMutablePointer<UInt8>) {
    FollowedCounters.counters = UnsafeMutableBufferPointer(start: start, count: end - start)
}

/// Called by each module at the start, always with the limits of all modules' program counters.
@_cdecl("__wrap___sanitizer_cov_pcs_init")
func keepProgramCounters(_ start: UnsafePointer<ProgramCounter>, _ end: UnsafePointer<ProgramCounter>) {
    FollowedCounters.programCounters = start
}
