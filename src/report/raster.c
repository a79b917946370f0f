/* SPDX-License-Identifier: MIT */
#include "report/raster.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/program.h"

/* Runs rsvg-convert. Returns its exit status as of waitpid(), or -1 with errno. */
static int convert(const char *const *arguments, int in, int out)
{
    pid_t child;
    const int error = vks_program_start(arguments, (const int[]){in, out, STDERR_FILENO}, &child);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return vks_program_wait(child);
}

enum vks_result vks_raster_available(void)
{
    static const char *const arguments[] = {"rsvg-convert", "--version", NULL};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int status = nowhere < 0 ? -1 : convert(arguments, nowhere, nowhere);
    if (nowhere >= 0) {
        close(nowhere);
    }
    return status == 0 ? VKS_OK
                       : vks_fail(VKS_ERROR_USAGE, "a PNG picture of a plot needs the program "
                                                   "rsvg-convert (librsvg), which does not run "
                                                   "here; an SVG picture does not need it");
}

static enum vks_result draw(const char *path, FILE *svg, int out)
{
    static const char *const arguments[] = {"rsvg-convert", "--format=png", "--zoom=2", NULL};
    const int status = convert(arguments, fileno(svg), out);
    if (status < 0) {
        return vks_fail(VKS_ERROR_FILE, "cannot run rsvg-convert: %s", vks_errno_text(errno));
    }
    return status == 0 && lseek(out, 0, SEEK_END) > 0
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE, "rsvg-convert could not draw '%s'", path);
}

enum vks_result vks_raster_write(const char *path, bool overwrite, const char *svg)
{
    struct vks_atomic_file file;
    enum vks_result result = vks_atomic_file_begin(&file, path, overwrite);
    if (result != VKS_OK) {
        return result;
    }
    FILE *input = tmpfile();
    const int out = vks_open(file.part.path, O_WRONLY | O_TRUNC | O_CLOEXEC, 0);
    if (!input || out < 0) {
        result = vks_fail_write(path, errno);
    } else if (fputs(svg, input) < 0 || fflush(input) != 0 ||
               lseek(fileno(input), 0, SEEK_SET) != 0) {
        result = vks_fail_write(path, errno);
    } else {
        result = draw(path, input, out);
    }
    if (input) {
        fclose(input);
    }
    if (out >= 0 && close(out) != 0 && result == VKS_OK) {
        result = vks_fail_write(path, errno);
    }
    if (result != VKS_OK) {
        vks_atomic_file_abort(&file);
        return result;
    }
    return vks_atomic_file_commit(&file);
}
