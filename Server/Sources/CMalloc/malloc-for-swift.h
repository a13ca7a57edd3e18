#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>

/// Sets how many arenas glibc's allocator makes at most.
static inline void limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }
#else
/// Nothing to limit.
static inline void limit_arenas(int count) { (void)count; }
#endif
