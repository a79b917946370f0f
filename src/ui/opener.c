/* SPDX-License-Identifier: MIT */
#include "ui/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/program.h"

static const char program[] = "xdg-open";

/* Its exit code if the desktop has no program for folders. */
enum { NO_PROGRAM = 3 };

/* Returns 0 or an errno. */
static int start(const char *folder, pid_t *process)
{
    const char *const arguments[] = {program, folder, NULL};
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) {
        return errno;
    }
    const int error = vks_program_start(arguments, (const int[]){null, null, null}, process);
    close(null);
    return error;
}

enum vks_result vks_opener_start(struct vks_opener *opener, const char *folder)
{
    if (opener->process) {
        return vks_fail(VKS_ERROR_FILE, "'%s' is being opened already", opener->folder);
    }
    char *copy = vks_strdup(folder);
    if (!copy) {
        return vks_fail_memory();
    }
    const int error = start(folder, &opener->process);
    if (error) {
        opener->process = 0;
        free(copy);
        return error == ENOENT
                   ? vks_fail(VKS_ERROR_FILE,
                              "cannot open '%s': %s is missing (Debian: apt install xdg-utils)",
                              folder, program)
                   : vks_fail(VKS_ERROR_FILE, "cannot open '%s': %s", folder,
                              vks_errno_text(error));
    }
    free(opener->folder);
    opener->folder = copy;
    return VKS_OK;
}

enum vks_result vks_opener_poll(struct vks_opener *opener)
{
    int status = 0;
    const pid_t found = opener->process ? waitpid(opener->process, &status, WNOHANG) : 0;
    if (found == 0) {
        return VKS_OK;
    }
    opener->process = 0;
    if (found > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return VKS_OK;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM
               ? vks_fail(VKS_ERROR_FILE,
                          "cannot open '%s': the desktop has no program for folders",
                          opener->folder)
               : vks_fail(VKS_ERROR_FILE, "cannot open '%s': %s failed", opener->folder, program);
}

void vks_opener_end(struct vks_opener *opener)
{
    free(opener->folder);
    *opener = (struct vks_opener){0};
}
