#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>

/// Sets how many arenas glibc's allocator makes at most.
static inline void limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

/// Gives blocks of so many bytes or more back to the system as soon as they are free, and the free end of the heap above
/// another count. glibc would otherwise raise both with the first large block that is freed.
static inline void give_back_from(int block, int heap) {
    mallopt(M_MMAP_THRESHOLD, block);
    mallopt(M_TRIM_THRESHOLD, heap);
}
#else
/// Nothing to limit.
static inline void limit_arenas(int count) { (void)count; }

/// Nothing to give back.
static inline void give_back_from(int block, int heap) { (void)block; (void)heap; }
#endif
