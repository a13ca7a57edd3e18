#define _GNU_SOURCE
#include "CGlibc.h"

#if defined(__GLIBC__)
int close_in_child(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
#else
// Elsewhere the caller has other means.
int close_in_child(posix_spawn_file_actions_t *actions, int first) {
    (void)actions;
    (void)first;
    return 0;
}
#endif
