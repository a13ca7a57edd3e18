#ifndef CMALLOC_H
#define CMALLOC_H

#include <stddef.h>

/// Sets how many arenas glibc's allocator makes at most.
void limit_arenas(int count);

/// Gives blocks of so many bytes or more back to the system as soon as they are free, and the free end of the heap above
/// another count. glibc would otherwise raise both with the first large block that is freed.
void give_back_from(int block, int heap);

/// Gives the pages of the heap back to the system that hold nothing in use, wherever they are.
void give_back_heap(void);

/// Gives the pages of the program and its libraries back that were read from their files and cannot be written: code,
/// constants, symbols. The system keeps them in its page cache as long as it has room, and maps those that are used again,
/// sixteen at a time, without reading them anew.
///
/// Returns how many bytes these parts have, resident or not.
size_t give_back_program(void);

#endif
