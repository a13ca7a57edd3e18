#define _GNU_SOURCE
#include "CGlibc.h"
// Names the C library by __GLIBC__.
#include <stdlib.h>

#if defined(__GLIBC__)
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

void give_back_from(int block, int heap) {
    mallopt(M_MMAP_THRESHOLD, block);
    mallopt(M_TRIM_THRESHOLD, heap);
}

void give_back_heap(void) { malloc_trim(0); }

/// A segment that cannot be written is as its file is: a copy of a page would exist only after a relocation of code, which
/// no linker makes for this processor's shared objects unless it is asked to (DT_TEXTREL).
static int has_text_relocations(const struct dl_phdr_info *object) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL) return 1;
            if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)) return 1;
        }
    }
    return 0;
}

static int give_back_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    size_t *given = context;
    if (has_text_relocations(object)) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
        const uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
        const uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & ~(page - 1);
        if (madvise((void *)start, end - start, MADV_DONTNEED) == 0) *given += end - start;
    }
    return 0;
}

size_t give_back_program(void) {
    size_t given = 0;
    dl_iterate_phdr(give_back_object, &given);
    return given;
}
#else
void limit_arenas(int count) { (void)count; }

void give_back_from(int block, int heap) { (void)block, (void)heap; }

void give_back_heap(void) {}

size_t give_back_program(void) { return 0; }
#endif
