/* Between a program and its disk, by LD_PRELOAD: fails calls on files of one folder, and remembers what was not synchronised, so
 * that a loss of power can be put on after the program was killed (disk.py).
 *
 * OKAERI_DISK_FOLDER   the folder of the files
 * OKAERI_DISK_CONTROL  a file of eight numbers of 64 bits, which disk.py writes while the program runs; see `enum control`
 * OKAERI_DISK_LOGS     a folder for what was not synchronised, a file for each inode; without it nothing is remembered
 *
 * Shared memory of SQLite (-shm) and counters in memory (.epoch) are no durable files, and are left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SECTOR = 512, FILES = 65536 };
enum kind { WRITE = 1, SYNC = 2, TRUNCATE = 4 };

/* Calls of the chosen kinds until the first failure (0: none fails), how many fail from there, with which error, of which kinds;
 * then what happened: calls that failed, and calls in all. */
enum control { COUNTDOWN, LENGTH, ERROR, KINDS, FAILED, CALLS };

static int64_t *control;
static const char *folder, *logs;
static size_t folder_length;
/* The inode of each tracked descriptor, 0 for others. */
static uint64_t inodes[FILES];

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static int (*real_truncate)(int, off_t);
static int (*real_fsync)(int), (*real_fdatasync)(int), (*real_close)(int), (*real_unlink)(const char *);
static int (*real_open)(const char *, int, ...), (*real_openat)(int, const char *, int, ...);

__attribute__((constructor)) static void begin(void) {
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_writev = dlsym(RTLD_NEXT, "writev");
    real_truncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_close = dlsym(RTLD_NEXT, "close");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    real_open = dlsym(RTLD_NEXT, "open64");
    real_openat = dlsym(RTLD_NEXT, "openat64");
    const char *path = getenv("OKAERI_DISK_CONTROL");
    int file = path ? real_open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, 8 * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    real_close(file);
    if (mapped == MAP_FAILED) return;
    logs = getenv("OKAERI_DISK_LOGS");
    folder = getenv("OKAERI_DISK_FOLDER");
    folder_length = folder ? strlen(folder) : 0;
    control = mapped;
}

static int ends(const char *path, const char *end) {
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

static int is_tracked(const char *path) {
    return control && folder && path && strncmp(path, folder, folder_length) == 0 && !ends(path, "-shm") && !ends(path, ".epoch");
}

static int noted(int file, const char *path, int flags) {
    struct stat status;
    if (file < 0 || file >= FILES) return file;
    inodes[file] = 0;
    if ((flags & O_ACCMODE) != O_RDONLY && is_tracked(path) && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        inodes[file] = status.st_ino;
    return file;
}

static uint64_t inode(int file) { return control && file >= 0 && file < FILES ? inodes[file] : 0; }

/* Whether a call fails now, with errno set. */
static int fails(int file, enum kind kind) {
    if (!inode(file)) return 0;
    __atomic_add_fetch(&control[CALLS], 1, __ATOMIC_SEQ_CST);
    if (!(control[KINDS] & kind) || __atomic_load_n(&control[COUNTDOWN], __ATOMIC_SEQ_CST) == 0) return 0;
    int64_t left = __atomic_load_n(&control[COUNTDOWN], __ATOMIC_SEQ_CST);
    while (left > 1)
        if (__atomic_compare_exchange_n(&control[COUNTDOWN], &left, left - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return 0;
    if (left == 0 || __atomic_sub_fetch(&control[LENGTH], 1, __ATOMIC_SEQ_CST) < 0) return 0;
    __atomic_add_fetch(&control[FAILED], 1, __ATOMIC_SEQ_CST);
    errno = (int)control[ERROR];
    return 1;
}

/* The file that remembers, locked; -1 for none. */
static int open_log(uint64_t inode) {
    char path[4096];
    if (!logs || snprintf(path, sizeof path, "%s/%llu", logs, (unsigned long long)inode) >= (int)sizeof path) return -1;
    int log = real_open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log >= 0 && flock(log, LOCK_EX) != 0) abort();
    return log;
}

/* Remembers what stands in the sectors of a range before they change. What cannot be remembered would make the comparison worthless. */
static void remember(int log, int file, off_t offset, off_t length) {
    struct stat status;
    if (log < 0) return;
    if (fstat(file, &status) != 0) abort();
    off_t first = offset / SECTOR * SECTOR, end = (offset + length + SECTOR - 1) / SECTOR * SECTOR;
    off_t kept = end < status.st_size ? end - first : status.st_size > first ? status.st_size - first : 0;
    int64_t head[4] = {first, end - first, kept, status.st_size};
    char *record = malloc(sizeof head + (size_t)kept);
    if (!record) abort();
    memcpy(record, head, sizeof head);
    if (kept > 0) {
        /* A second descriptor is for files that are written alone: its end would end the program's locks on a database. */
        char path[64];
        int reader = file;
        if ((fcntl(file, F_GETFL) & O_ACCMODE) != O_RDWR) {
            snprintf(path, sizeof path, "/proc/self/fd/%d", file);
            reader = real_open(path, O_RDONLY | O_CLOEXEC);
        }
        if (reader < 0 || pread(reader, record + sizeof head, (size_t)kept, first) != kept) abort();
        if (reader != file) real_close(reader);
    }
    if (real_write(log, record, sizeof head + (size_t)kept) != (ssize_t)(sizeof head + (size_t)kept)) abort();
    free(record);
}

static ssize_t written(int file, const void *bytes, size_t count, off_t offset, int has_offset) {
    size_t allowed = count;
    if (fails(file, WRITE)) {
        /* A disk that fills up takes a part of the first call that does not fit. */
        allowed = errno == ENOSPC && control[FAILED] % 2 == 1 ? count / 2 : 0;
        if (allowed == 0) return -1;
    }
    uint64_t known = inode(file);
    int log = known ? open_log(known) : -1;
    if (log >= 0) {
        off_t start = offset;
        struct stat status;
        if (!has_offset) {
            int flags = fcntl(file, F_GETFL);
            start = flags & O_APPEND && fstat(file, &status) == 0 ? status.st_size : lseek(file, 0, SEEK_CUR);
        }
        remember(log, file, start, (off_t)allowed);
    }
    ssize_t done = has_offset ? real_pwrite(file, bytes, allowed, offset) : real_write(file, bytes, allowed);
    if (log >= 0) real_close(log);
    return done;
}

static int truncated(int file, off_t size) {
    if (fails(file, TRUNCATE)) return -1;
    uint64_t known = inode(file);
    int log = known ? open_log(known) : -1;
    struct stat status;
    if (log >= 0 && fstat(file, &status) == 0) {
        off_t start = size < status.st_size ? size : status.st_size, end = size < status.st_size ? status.st_size : size;
        remember(log, file, start, end - start);
    }
    int done = real_truncate(file, size);
    if (log >= 0) real_close(log);
    return done;
}

static int synced(int file, int (*real)(int)) {
    if (fails(file, SYNC)) return -1;
    uint64_t known = inode(file);
    int log = known ? open_log(known) : -1;
    /* The machine keeps its power: what is remembered decides, after as long as a disk takes, and a kill may come before. */
    int done = log >= 0 ? 0 : real(file);
    if (log >= 0) {
        usleep(8000);
        if (real_truncate(log, 0) != 0) abort();
        real_close(log);
    }
    return done;
}

static int mode_of(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0; }

#define OPENER(name)                                                                      \
    int name(const char *path, int flags, ...) {                                          \
        va_list list;                                                                     \
        va_start(list, flags);                                                            \
        int mode = mode_of(flags, list);                                                  \
        va_end(list);                                                                     \
        return noted(real_open(path, flags, mode), path, flags);                          \
    }
OPENER(open)
OPENER(open64)

#define OPENER_AT(name)                                                                   \
    int name(int at, const char *path, int flags, ...) {                                  \
        va_list list;                                                                     \
        va_start(list, flags);                                                            \
        int mode = mode_of(flags, list);                                                  \
        va_end(list);                                                                     \
        return noted(real_openat(at, path, flags, mode), path, flags);                    \
    }
OPENER_AT(openat)
OPENER_AT(openat64)

ssize_t write(int file, const void *bytes, size_t count) {
    return inode(file) ? written(file, bytes, count, 0, 0) : real_write(file, bytes, count);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return inode(file) ? written(file, bytes, count, offset, 1) : real_pwrite(file, bytes, count, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) { return pwrite(file, bytes, count, offset); }
ssize_t writev(int file, const struct iovec *parts, int count) {
    /* As short as a call may be: the caller writes the rest. */
    return inode(file) && count > 0 ? written(file, parts[0].iov_base, parts[0].iov_len, 0, 0) : real_writev(file, parts, count);
}
int ftruncate(int file, off_t size) { return truncated(file, size); }
int ftruncate64(int file, off64_t size) { return truncated(file, size); }
int fsync(int file) { return synced(file, real_fsync); }
int fdatasync(int file) { return synced(file, real_fdatasync); }
int close(int file) {
    if (file >= 0 && file < FILES) inodes[file] = 0;
    return real_close(file);
}
int unlink(const char *path) {
    struct stat status;
    int was_tracked = is_tracked(path) && logs && lstat(path, &status) == 0 && status.st_nlink == 1;
    int done = real_unlink(path);
    char log[4096];
    /* Its number may be another file's next. */
    if (was_tracked && done == 0 && snprintf(log, sizeof log, "%s/%llu", logs, (unsigned long long)status.st_ino) < (int)sizeof log)
        real_unlink(log);
    return done;
}
