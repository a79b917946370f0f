/* SPDX-License-Identifier: MIT */
/* Preloaded by tests of memory that runs out: allocation number MEMORY_FAILS of those that vksim
 * itself asks for, not its libraries and drivers, fails, and all later ones if MEMORY_STAYS is set.
 * With MEMORY_OF=PREFIX those of libraries whose names begin so. The message about it is on
 * standard error once that number is reached. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

/* dladdr() may allocate memory itself. */
static _Thread_local bool inside;

/* Whether the address is in the tool or in libvksim.so, or in the library that is meant. */
static bool is_ours(const void *address)
{
    Dl_info info;
    inside = true;
    const bool found = dladdr(address, &info) != 0 && info.dli_fname;
    inside = false;
    const char *slash = found ? strrchr(info.dli_fname, '/') : NULL;
    const char *name = slash ? slash + 1 : found ? info.dli_fname : "";
    const char *prefix = getenv("MEMORY_OF");
    return prefix ? strncmp(name, prefix, strlen(prefix)) == 0
                  : strcmp(name, "vksim") == 0 || strncmp(name, "libvksim.so", 11) == 0;
}

static bool fails(const void *caller)
{
    static _Atomic unsigned long calls;
    static const char reached[] = "an allocation has failed\n";
    const char *number = getenv("MEMORY_FAILS");
    if (inside || !number || !is_ours(caller)) {
        return false;
    }
    const unsigned long call = ++calls, first = strtoul(number, NULL, 10);
    if (call == first) {
        (void)!write(STDERR_FILENO, reached, sizeof(reached) - 1);
    }
    const bool failed = call == first || (call > first && getenv("MEMORY_STAYS"));
    errno = failed ? ENOMEM : errno;
    return failed;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *block, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}
