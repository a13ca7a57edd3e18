import CMalloc
import Foundation

// Two arenas instead of eight for each processor: memory that one thread gives back serves the others, which keeps a
// server under load smaller. Set in the environment, MALLOC_ARENA_MAX has the last word.
if getenv("MALLOC_ARENA_MAX") == nil { limit_arenas(2) }

exit(await OkaeriCommand.status(of: Array(CommandLine.arguments.dropFirst())))
