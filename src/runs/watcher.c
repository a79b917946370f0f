/* SPDX-License-Identifier: MIT */
#include "runs/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"

struct vks_watcher {
    struct vks_graph *graph;
    struct vks_atomic_file file;
    FILE *out;
    char *columns;
    int error;      /* errno of the first failed write, or 0 */
    bool is_json;   /* an array with one object per row; else one line per row */
    uint64_t rows;  /* in the file */
    uint64_t frame; /* number of the next row's frame: 0 again after a restart */
    uint64_t step;  /* of the last row */
};

enum vks_result vks_watcher_check_name(const char *path)
{
    return vks_has_extension(path, ".csv") || vks_has_extension(path, ".json")
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE, "--watch '%s' must be the name of a .csv or .json file",
                          path);
}

/* Records the first failed write; `written` is the result of a call of stdio. */
static void note(struct vks_watcher *watcher, int written)
{
    if (written < 0 && watcher->error == 0) {
        watcher->error = errno ? errno : EIO;
    }
}

static void add_row(void *user, const struct vks_row *row)
{
    struct vks_watcher *watcher = user;
    const bool again = watcher->rows > 0 && row->step == watcher->step; /* a paused window */
    if (!row->frame || again || watcher->error != 0) {
        return;
    }
    watcher->frame = row->step < watcher->step ? 0 : watcher->frame;
    watcher->step = row->step;
    note(watcher, watcher->is_json
                      ? fprintf(watcher->out, "%s{\"frame\": %" PRIu64 ", \"step\": %" PRIu64,
                                watcher->rows ? ",\n" : "", watcher->frame, row->step)
                      : fprintf(watcher->out, "%" PRIu64 ",%" PRIu64, watcher->frame, row->step));
    for (size_t i = 0; i < row->count; i++) {
        const double value = row->values[i];
        char number[64];
        vks_format_real(value, number, sizeof(number));
        if (watcher->is_json) {
            note(watcher,
                 fprintf(watcher->out, ", \"%s\": %s", vks_graph_scalar(watcher->graph, i)->name,
                         isfinite(value) ? number : "null"));
        } else {
            note(watcher, fprintf(watcher->out, ",%s", number));
        }
    }
    note(watcher, fputs(watcher->is_json ? "}" : "\n", watcher->out));
    watcher->rows++;
    watcher->frame++;
}

/* "frame,step,u,v": what each row has, to be freed; NULL if memory ran out. */
static char *columns_of(struct vks_graph *graph)
{
    const struct vks_scalar *scalar;
    char *columns = vks_strdup("frame,step");
    for (size_t i = 0; columns && (scalar = vks_graph_scalar(graph, i)) != NULL; i++) {
        char *more = vks_format("%s,%s", columns, scalar->name);
        free(columns);
        columns = more;
    }
    return columns;
}

static enum vks_result check_columns(const struct vks_watcher *watcher, const char *path,
                                     const json_t *resume)
{
    const char *columns = json_string_value(json_object_get(resume, "columns"));
    return columns && strcmp(columns, watcher->columns) == 0
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE,
                          "cannot continue '%s' with rows of '%s': it was begun with '%s'", path,
                          watcher->columns, columns ? columns : "others");
}

/* Opens the file, at its end. */
static enum vks_result open_file(struct vks_watcher *watcher, const char *path, bool overwrite,
                                 const json_t *resume)
{
    enum vks_result result = vks_atomic_file_resume(&watcher->file, path, overwrite, resume);
    if (result == VKS_OK) {
        const int fd = vks_open(watcher->file.part.path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
        watcher->out = fd >= 0 ? fdopen(fd, "a") : NULL;
        result = watcher->out ? VKS_OK : vks_fail_write(path, errno);
        if (!watcher->out && fd >= 0) {
            close(fd);
        }
    }
    return result;
}

enum vks_result vks_watcher_open(struct vks_graph *graph, const char *path, bool overwrite,
                                 const json_t *resume, struct vks_watcher **out)
{
    if (!vks_graph_scalar(graph, 0)) {
        return vks_fail(VKS_ERROR_USAGE, "--watch: this simulation has no scalars to watch");
    }
    struct vks_watcher *watcher = calloc(1, sizeof(*watcher));
    if (!watcher) {
        return vks_fail_memory();
    }
    watcher->graph = graph;
    watcher->is_json = vks_has_extension(path, ".json");
    watcher->rows = vks_json_count(resume, "rows");
    watcher->frame = vks_json_count(resume, "frame");
    watcher->step = vks_json_count(resume, "step");
    watcher->columns = columns_of(graph);
    enum vks_result result = watcher->columns ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK && resume) {
        result = check_columns(watcher, path, resume);
    }
    if (result == VKS_OK) {
        result = open_file(watcher, path, overwrite, resume);
    }
    if (result != VKS_OK) {
        vks_watcher_abort(watcher);
        return result;
    }
    if (!resume) {
        note(watcher, watcher->is_json ? fputs("[\n", watcher->out)
                                       : fprintf(watcher->out, "%s\n", watcher->columns));
    }
    vks_graph_on_row(graph, add_row, watcher);
    *out = watcher;
    return VKS_OK;
}

enum vks_result vks_watcher_check(const struct vks_watcher *watcher)
{
    return watcher->error == 0 ? VKS_OK : vks_fail_write(watcher->file.path, watcher->error);
}

enum vks_result vks_watcher_wait(struct vks_watcher *watcher)
{
    return vks_graph_wait(watcher->graph);
}

enum vks_result vks_watcher_hold(struct vks_watcher *watcher, json_t **position)
{
    note(watcher, fflush(watcher->out));
    enum vks_result result = vks_watcher_check(watcher);
    json_t *held = json_pack("{s:s, s:s, s:I, s:I, s:I}", "path", watcher->file.path, "columns",
                             watcher->columns, "rows", (json_int_t)watcher->rows, "frame",
                             (json_int_t)watcher->frame, "step", (json_int_t)watcher->step);
    if (result == VKS_OK) {
        result = held ? vks_atomic_file_hold(&watcher->file, held) : vks_fail_memory();
    }
    if (result != VKS_OK) {
        json_decref(held);
        held = NULL;
    }
    *position = held;
    return result;
}

enum vks_result vks_watcher_keep_old(struct vks_watcher *watcher, char **name)
{
    const enum vks_result result =
        watcher->rows > 0 ? vks_atomic_file_keep_old(&watcher->file) : VKS_OK;
    *name = result == VKS_OK ? vks_strdup(watcher->file.path) : NULL;
    return result == VKS_OK && !*name ? vks_fail_memory() : result;
}

enum vks_result vks_watcher_finish(struct vks_watcher *watcher, uint64_t *rows)
{
    if (!watcher) {
        return VKS_OK;
    }
    note(watcher, watcher->is_json ? fputs("\n]\n", watcher->out) : 0);
    note(watcher, fclose(watcher->out));
    watcher->out = NULL;
    *rows = watcher->rows;
    enum vks_result result = vks_watcher_check(watcher);
    if (result == VKS_OK && watcher->rows > 0) {
        result = vks_atomic_file_commit(&watcher->file);
    }
    vks_watcher_abort(watcher);
    return result;
}

void vks_watcher_abort(struct vks_watcher *watcher)
{
    if (watcher) {
        vks_graph_on_row(watcher->graph, NULL, NULL);
        if (watcher->out) {
            (void)fclose(watcher->out);
        }
        vks_atomic_file_abort(&watcher->file);
        free(watcher->columns);
        free(watcher);
    }
}

const char *vks_watched_text(struct vks_graph *graph, char *buffer, size_t size)
{
    struct vks_row row;
    const struct vks_scalar *scalar;
    size_t used = 0;
    buffer[0] = '\0';
    if (!vks_graph_watched(graph, &row)) {
        return buffer;
    }
    for (size_t i = 0; (scalar = vks_graph_scalar(graph, i)) != NULL; i++) {
        char text[128];
        const int length = snprintf(text, sizeof(text), "%s%s %.4g", used ? "  " : "", scalar->name,
                                    row.values[i]);
        if (scalar->failures) {
            continue;
        }
        if (length < 0 || (size_t)length >= sizeof(text) || used + (size_t)length >= size) {
            break;
        }
        memcpy(buffer + used, text, (size_t)length + 1);
        used += (size_t)length;
    }
    return buffer;
}
