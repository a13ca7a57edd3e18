import CMalloc
import Foundation
package import OkaeriServer

/// Runs the command that the arguments of the process name.
///
/// - Parameter providers: What plays identity providers for `serve --dev`; `nil` in the program for use.
/// - Returns: The exit status of the process.
package func runProgram(providers: (any ProviderStandIn)?) async -> Int32 {
    // Two arenas instead of eight for each processor: memory that one thread gives back serves the others, which keeps a
    // server under load smaller. Set in the environment, MALLOC_ARENA_MAX has the last word.
    if getenv("MALLOC_ARENA_MAX") == nil { limit_arenas(2) }
    // Large blocks are rare here, and would stay: exports of 20,000 users took 25 MiB for good, and take 6.
    if getenv("MALLOC_MMAP_THRESHOLD_") == nil { give_back_from(1 << 20, 4 << 20) }
    return await OkaeriCommand.status(of: Array(CommandLine.arguments.dropFirst()), providers: providers)
}
