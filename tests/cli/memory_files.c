/* SPDX-License-Identifier: MIT */
/* Preloaded by tests that limit the size of files (RLIMIT_FSIZE), which stand for a full disk: the
 * limit does not hold for memory. Software drivers allocate memory as files without a name
 * (memfd_create); where the limit stops those from growing, the driver is killed. With FILES_FREE,
 * every disk says that it has that many bytes free. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* With 64-bit offsets, which Meson asks for, its name is ftruncate64 in the object file, and in the
 * drivers. */
__attribute__((visibility("default"))) int ftruncate(int fd, off_t length)
{
    struct rlimit limit, raised;
    struct stat about;
    const int is_memory =
        fstat(fd, &about) == 0 && about.st_nlink == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0;
    if (is_memory) {
        raised = limit;
        raised.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_FSIZE, &raised);
    }
    const long result = syscall(SYS_ftruncate, fd, length);
    if (is_memory) {
        (void)setrlimit(RLIMIT_FSIZE, &limit); /* leaves errno alone when it succeeds */
    }
    return (int)result;
}

__attribute__((visibility("default"))) int statvfs(const char *path, struct statvfs *info)
{
    const char *bytes = getenv("FILES_FREE");
    struct statvfs disk = {.f_frsize = 1, .f_blocks = 1};
    (void)path;
    disk.f_bavail = bytes ? strtoull(bytes, NULL, 10) : 1ULL << 50;
    *info = disk;
    return 0;
}
