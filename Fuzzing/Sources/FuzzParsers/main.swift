import CLibFuzzer
import Foundation
import FuzzTargets

// Gives what libFuzzer makes up to the parser that OKAERI_FUZZ_TARGET names; `list` tells their names.

@_cdecl("okaeri_fuzz_enqueue")
func enqueue(_ job: UnsafeMutableRawPointer) {
    runHere(unsafeBitCast(job, to: UnownedJob.self))
}

takeJobsOfPool()
let environment = ProcessInfo.processInfo.environment
let name = environment["OKAERI_FUZZ_TARGET"] ?? ""
if name == "list" {
    for target in FuzzTarget.all { print(target.name, target.maximumBytes) }
    exit(0)
}
guard let target = FuzzTarget.named(name) else {
    print("OKAERI_FUZZ_TARGET must be one of: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    exit(2)
}
let corpora = CommandLine.arguments.dropFirst().filter { argument in
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder) && isFolder.boolValue
}
if corpora.isEmpty || environment["OKAERI_FUZZ_FOLLOW"] == "all" {
    FollowedCounters.followAll()
} else {
    try FollowedCounters.followWhatIsReached(by: corpora) { target($0) }
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        Chosen.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    })

/// Found once: libFuzzer's callback takes nothing along.
enum Chosen {
    private static let target = FuzzTarget.named(ProcessInfo.processInfo.environment["OKAERI_FUZZ_TARGET"] ?? "")
    /// Of the processor's time: on a busy machine, a parser is not to blame for what others took.
    private static let mostSeconds = 5

    static func read(_ input: [UInt8]) {
        let start = ContinuousClock.now
        target?(input)
        // To ask for the processor's time takes a seventh of the time of a small parser.
        guard ContinuousClock.now - start >= .seconds(mostSeconds) else { return }
        let again = clock()
        target?(input)
        let taken = clock() - again
        precondition(taken < mostSeconds * Int(CLOCKS_PER_SEC), "took more than \(mostSeconds) s of processor time")
    }
}
