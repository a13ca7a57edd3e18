#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own loop, for programs with a main function of their own.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*read)(const uint8_t *bytes, size_t count));

/// Where in the code a counter counts, and whether a function begins there.
typedef struct {
    uintptr_t address;
    uintptr_t flags;
} ProgramCounter;

/// What the linker's `--wrap` leaves of libFuzzer's own functions: they are told of counters and of program counters.
void tellLibFuzzerOfCounters(uint8_t *start, uint8_t *end) __asm__("__real___sanitizer_cov_8bit_counters_init");
void tellLibFuzzerOfProgramCounters(const ProgramCounter *start, const ProgramCounter *end)
    __asm__("__real___sanitizer_cov_pcs_init");

/// Swift's runtime calls the hook, when there is one, with each job that belongs to its pool of threads.
typedef __attribute__((swiftcall)) void (*EnqueueOnPool)(void *job);
typedef __attribute__((swiftcall)) void (*EnqueueHook)(void *job, EnqueueOnPool original);
extern EnqueueHook swift_task_enqueueGlobal_hook;

/// Gets each such job (main.swift).
void okaeri_fuzz_enqueue(void *job);

static inline __attribute__((swiftcall)) void enqueueHere(void *job, EnqueueOnPool original) {
    (void)original;
    okaeri_fuzz_enqueue(job);
}

/// From now on, no job is given to the pool: threads that wake each other take longer than most parsers.
static inline void takeJobsOfPool(void) { swift_task_enqueueGlobal_hook = enqueueHere; }
