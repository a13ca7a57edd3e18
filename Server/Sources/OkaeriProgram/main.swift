import CMalloc
import Foundation

// Two arenas instead of eight for each processor: memory that one thread gives back serves the others, which keeps a
// server under load smaller. Set in the environment, MALLOC_ARENA_MAX has the last word.
if getenv("MALLOC_ARENA_MAX") == nil { limit_arenas(2) }
// Large blocks are rare here, and would stay: exports of 20,000 users took 25 MiB for good, and take 6.
if getenv("MALLOC_MMAP_THRESHOLD_") == nil { give_back_from(1 << 20, 4 << 20) }

exit(await OkaeriCommand.status(of: Array(CommandLine.arguments.dropFirst())))
