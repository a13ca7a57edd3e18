#ifndef CGLIBC_H
#define CGLIBC_H

#include <spawn.h>
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

/// Has a program that is to be started close every file from a number on, before it runs. glibc 2.34 has it; Swift does not see
/// it.
///
/// Returns the system's number of what went wrong; 0 for nothing.
int close_in_child(posix_spawn_file_actions_t *actions, int first);

#endif
