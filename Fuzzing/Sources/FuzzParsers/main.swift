import CLibFuzzer
import Foundation
import FuzzTargets

// Gives what libFuzzer makes up to the parser that OKAERI_FUZZ_TARGET names; `list` tells their names.

let name = ProcessInfo.processInfo.environment["OKAERI_FUZZ_TARGET"] ?? ""
if name == "list" {
    for target in FuzzTarget.all { print(target.name, target.maximumBytes) }
    exit(0)
}
guard FuzzTarget.named(name) != nil else {
    print("OKAERI_FUZZ_TARGET must be one of: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    exit(2)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        Chosen.target?(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    })

/// Found once: libFuzzer's callback takes nothing along.
enum Chosen {
    static let target = FuzzTarget.named(ProcessInfo.processInfo.environment["OKAERI_FUZZ_TARGET"] ?? "")
}
