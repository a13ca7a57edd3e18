#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own loop, for programs with a main function of their own.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*read)(const uint8_t *bytes, size_t count));
