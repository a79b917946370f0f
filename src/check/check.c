/* SPDX-License-Identifier: MIT */
#include "check/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/task.h"
#include "graph/graph.h"

enum {
    SMALL_RANGE = 1000, /* bytes of a buffer's range with which small fields are split */
    OTHER_WORK = 5,     /* steps between a snapshot and the return to it */
};

/* How a run is interrupted, after two thirds of its steps. */
enum pause { NO_PAUSE, BY_SNAPSHOT, BY_FILE };

struct experiment {
    const char *name;
    struct vks_probe probe;
    enum pause pause;
    bool split;          /* fields into chunks */
    const char *variant; /* NULL: that of the settings */
};

static const struct experiment experiments[] = {
    {.name = "workgroups of 64", .probe = {.group = 64}},
    {.name = "workgroups of 128", .probe = {.group = 128}},
    {.name = "workgroups of 256", .probe = {.group = 256}},
    {.name = "workgroups in reverse order", .probe = {.reversed = true, .batch_steps = 1}},
    {.name = "batches of 64 steps", .probe = {.batch_steps = 64}},
    {.name = "fields in chunks", .split = true},
    {.name = "snapshot, other steps, return", .pause = BY_SNAPSHOT},
    {.name = "save, load", .pause = BY_FILE},
};

static const struct experiment base = {.name = "one step per batch", .probe = {.batch_steps = 1}};

/* A run that is compared: where it is made, and what it is compared with. */
struct run {
    vks_context *context;
    const struct vks_settings *settings;
    uint64_t steps;
    struct vks_check_history *history;
};

/* --- digests --------------------------------------------------------------------------------- */

/* Of the field of that index. */
static enum vks_result digest_field(vks_simulation *simulation, const struct vks_field_info *info,
                                    char hex[33])
{
    const size_t bytes = (size_t)info->bytes;
    void *data = malloc(bytes + 1);
    enum vks_result result =
        data ? vks_simulation_read(simulation, info->name, data, bytes) : vks_fail_memory();
    if (result == VKS_OK) {
        vks_digest_of(data, bytes, hex);
    }
    free(data);
    return result;
}

static enum vks_result digest_picture(vks_simulation *simulation, char hex[33])
{
    uint32_t width = 0, height = 0;
    vks_simulation_picture_size(simulation, &width, &height);
    const size_t bytes = (size_t)width * height * 3;
    uint8_t *rgb = malloc(bytes + 1);
    enum vks_result result =
        rgb ? vks_simulation_render(simulation, rgb, bytes) : vks_fail_memory();
    if (result == VKS_OK) {
        vks_digest_of(rgb, bytes, hex);
    }
    free(rgb);
    return result;
}

static size_t count_fields(const vks_simulation *simulation)
{
    struct vks_field_info info = {.size = sizeof(info)};
    size_t count = 0;
    while (vks_simulation_field(simulation, count, &info)) {
        count++;
    }
    return count;
}

/* --- runs ------------------------------------------------------------------------------------ */

static enum vks_result open_run(const struct run *run, const struct experiment *experiment,
                                vks_simulation **simulation)
{
    struct vks_gpu *gpu = &run->context->gpu;
    const uint64_t range = gpu->field_range;
    struct vks_settings settings = {0};
    enum vks_result result = vks_settings_copy(&settings, run->settings);
    if (result == VKS_OK && experiment->variant) {
        result = vks_settings_set(&settings, "variant", experiment->variant);
        result = result == VKS_OK ? vks_settings_finish(&settings) : result;
    }
    gpu->probe = experiment->probe;
    gpu->field_range = experiment->split ? SMALL_RANGE : range;
    if (result == VKS_OK) {
        result = vks_simulation_open(run->context, &settings, NULL, 0, simulation);
    }
    gpu->field_range = range;
    vks_settings_free(&settings);
    return result;
}

/* Whether some field of the state is in several buffers. */
static bool is_split(vks_simulation *simulation)
{
    const struct vks_graph *graph = vks_simulation_graph(simulation);
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    bool split = false;
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        split = split || (field->persistent &&
                          vks_graph_piece(graph, field->name, 0).size < vks_field_bytes(field));
    }
    return split;
}

static enum vks_result go_on_from_snapshot(vks_simulation *simulation)
{
    vks_snapshot *snapshot = NULL;
    enum vks_result result = vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &snapshot);
    if (result == VKS_OK) {
        result = vks_simulation_run(simulation, OTHER_WORK);
    }
    if (result == VKS_OK) {
        result = vks_simulation_restore(simulation, snapshot);
    }
    vks_snapshot_release(snapshot);
    return result;
}

/* Replaces the simulation by one that is loaded from its file. */
static enum vks_result go_on_from_file(const struct run *run, vks_simulation **simulation)
{
    const char *folder = getenv("TMPDIR");
    char *path = vks_format("%s/vksim-check-XXXXXX", folder && folder[0] ? folder : "/tmp");
    const int fd = path ? mkstemp(path) : -1;
    if (fd < 0) {
        enum vks_result failed =
            path ? vks_fail(VKS_ERROR_FILE, "cannot make the file '%s'", path) : vks_fail_memory();
        free(path);
        return failed;
    }
    close(fd);
    struct vks_state_file state = {0};
    enum vks_result result = vks_simulation_save(*simulation, path, true);
    vks_simulation_destroy(*simulation);
    *simulation = NULL;
    if (result == VKS_OK) {
        result = vks_state_file_open(&state, path, run->settings->model);
    }
    if (result == VKS_OK) {
        result = vks_simulation_open(run->context, run->settings, &state, 0, simulation);
    }
    vks_state_file_close(&state);
    unlink(path);
    free(path);
    return result;
}

/* Makes the first steps of a run. */
static enum vks_result advance(const struct run *run, const struct experiment *experiment,
                               uint64_t steps, vks_simulation **simulation)
{
    const uint64_t two_thirds = run->steps * 2 / 3;
    const uint64_t first = two_thirds < steps ? two_thirds : steps;
    enum vks_result result =
        vks_simulation_run(*simulation, experiment->pause == NO_PAUSE ? steps : first);
    if (result == VKS_OK && experiment->pause == BY_SNAPSHOT) {
        result = go_on_from_snapshot(*simulation);
    } else if (result == VKS_OK && experiment->pause == BY_FILE) {
        result = go_on_from_file(run, simulation);
    }
    if (result == VKS_OK && experiment->pause != NO_PAUSE) {
        result = vks_simulation_run(*simulation, steps - first);
    }
    return result == VKS_OK ? vks_simulation_wait(*simulation) : result;
}

/* --- the base -------------------------------------------------------------------------------- */

static enum vks_result begin_history(struct vks_check_history *history, vks_simulation *simulation,
                                     uint64_t steps)
{
    struct vks_field_info info = {.size = sizeof(info)};
    history->steps = steps;
    history->fields = count_fields(simulation);
    history->names = calloc(history->fields + 1, sizeof(*history->names));
    history->digests = calloc((size_t)(steps + 1) * history->fields + 1, sizeof(*history->digests));
    if (!history->names || !history->digests) {
        return vks_fail_memory();
    }
    for (size_t i = 0; vks_simulation_field(simulation, i, &info); i++) {
        snprintf(history->names[i], VKS_CHECK_NAME, "%s", info.name);
    }
    return VKS_OK;
}

static enum vks_result note_step(struct vks_check_history *history, vks_simulation *simulation,
                                 uint64_t step)
{
    struct vks_field_info info = {.size = sizeof(info)};
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && vks_simulation_field(simulation, i, &info); i++) {
        result = digest_field(simulation, &info, history->digests[step * history->fields + i]);
    }
    return result;
}

/* Runs the base step by step and notes all states. */
static enum vks_result make_history(const struct run *run)
{
    struct vks_check_history *history = run->history;
    vks_simulation *simulation = NULL;
    enum vks_result result = open_run(run, &base, &simulation);
    if (result == VKS_OK) {
        result = begin_history(history, simulation, run->steps);
    }
    for (uint64_t step = 0; result == VKS_OK && step <= run->steps; step++) {
        result = step > 0 ? vks_simulation_run(simulation, 1) : VKS_OK;
        result = result == VKS_OK ? note_step(history, simulation, step) : result;
        result = result == VKS_OK ? vks_task_advance(0) : result;
    }
    if (result == VKS_OK) {
        result = vks_simulation_digest(simulation, history->state);
    }
    if (result == VKS_OK) {
        result = digest_picture(simulation, history->picture);
    }
    vks_simulation_destroy(simulation);
    return result;
}

/* --- comparing ------------------------------------------------------------------------------- */

/* The first field that differs from the base after that step; `fields` if none does. */
static enum vks_result compare(const struct vks_check_history *history, vks_simulation *simulation,
                               uint64_t step, size_t *different)
{
    struct vks_field_info info = {.size = sizeof(info)};
    enum vks_result result = VKS_OK;
    *different = history->fields;
    for (size_t i = 0; result == VKS_OK && *different == history->fields &&
                       vks_simulation_field(simulation, i, &info);
         i++) {
        char hex[33];
        result = digest_field(simulation, &info, hex);
        if (result == VKS_OK && strcmp(hex, history->digests[step * history->fields + i]) != 0) {
            *different = i;
        }
    }
    return result;
}

/* Repeats the experiment with that number of steps. */
static enum vks_result repeat(const struct run *run, const struct experiment *experiment,
                              uint64_t steps, size_t *different)
{
    vks_simulation *simulation = NULL;
    enum vks_result result = open_run(run, experiment, &simulation);
    if (result == VKS_OK) {
        result = advance(run, experiment, steps, &simulation);
    }
    if (result == VKS_OK) {
        result = compare(run->history, simulation, steps, different);
    }
    vks_simulation_destroy(simulation);
    return result;
}

/* Finds the first step after which the experiment differs, by halving. */
static enum vks_result find_first(const struct run *run, const struct experiment *experiment,
                                  size_t different, struct vks_check_row *row)
{
    const struct vks_check_history *history = run->history;
    uint64_t same = 0, differs = run->steps;
    bool again = false; /* it has differed once more */
    enum vks_result result = repeat(run, experiment, 0, &different);
    if (result == VKS_OK && different < history->fields) {
        differs = 0;
        again = true;
        snprintf(row->field, sizeof(row->field), "%s", history->names[different]);
    }
    while (result == VKS_OK && differs > same + 1) {
        const uint64_t middle = same + (differs - same) / 2;
        result = repeat(run, experiment, middle, &different);
        if (result == VKS_OK && different < history->fields) {
            differs = middle;
            again = true;
            snprintf(row->field, sizeof(row->field), "%s", history->names[different]);
        } else {
            same = middle;
        }
    }
    if (result == VKS_OK && !again) { /* only after all steps? */
        result = repeat(run, experiment, run->steps, &different);
        again = result == VKS_OK && different < history->fields;
    }
    row->step = differs;
    if (result == VKS_OK && !again) {
        snprintf(row->why, sizeof(row->why), "not when repeated");
    }
    return result;
}

/* Compares the run after its last step, then its picture. */
static enum vks_result judge(const struct run *run, const struct experiment *experiment,
                             vks_simulation *simulation, struct vks_check_row *row)
{
    const struct vks_check_history *history = run->history;
    char picture[33];
    size_t different;
    enum vks_result result = compare(history, simulation, run->steps, &different);
    if (result == VKS_OK && different < history->fields) {
        row->outcome = VKS_CHECK_DIFFERS;
        snprintf(row->field, sizeof(row->field), "%s", history->names[different]);
        return find_first(run, experiment, different, row);
    }
    result = result == VKS_OK ? digest_picture(simulation, picture) : result;
    if (result == VKS_OK && strcmp(picture, history->picture) != 0) {
        row->outcome = VKS_CHECK_DIFFERS;
        row->step = run->steps;
        snprintf(row->field, sizeof(row->field), "picture");
    }
    return result;
}

static void leave_out(struct vks_check_row *row, const char *why)
{
    row->outcome = VKS_CHECK_LEFT_OUT;
    snprintf(row->why, sizeof(row->why), "%s", why);
}

/* Makes an experiment. One that these settings or this device exclude is left out; a run that ends
 * by itself, unlike the base, differs. */
static enum vks_result make(const struct run *run, const struct experiment *experiment,
                            struct vks_check_row *row)
{
    vks_simulation *simulation = NULL;
    enum vks_result result = open_run(run, experiment, &simulation);
    if (result == VKS_ERROR_USAGE) {
        leave_out(row, vks_error_text());
        return VKS_OK;
    }
    if (result == VKS_OK && experiment->split && !is_split(simulation)) {
        leave_out(row, "no field can be split");
    } else if (result == VKS_OK) {
        result = advance(run, experiment, run->steps, &simulation);
        result = result == VKS_OK ? judge(run, experiment, simulation, row) : result;
    }
    if (result == VKS_ERROR_STOPPED) {
        row->outcome = VKS_CHECK_DIFFERS;
        row->step = vks_simulation_steps(simulation);
        snprintf(row->why, sizeof(row->why), "%s", vks_error_text());
        result = VKS_OK;
    }
    vks_simulation_destroy(simulation);
    return result;
}

/* --- all experiments ------------------------------------------------------------------------- */

static struct vks_check_row *add_row(struct vks_check *check, const char *name)
{
    struct vks_check_row *grown =
        vks_grow(check->rows, sizeof(*grown), check->row_count, &check->row_capacity);
    if (!grown) {
        vks_fail_memory();
        return NULL;
    }
    check->rows = grown;
    grown = &grown[check->row_count++];
    *grown = (struct vks_check_row){.outcome = VKS_CHECK_SAME};
    snprintf(grown->name, sizeof(grown->name), "%s", name);
    return grown;
}

static enum vks_result add(const struct run *run, const struct experiment *experiment,
                           struct vks_check *check)
{
    struct vks_check_row *row = add_row(check, experiment->name);
    const enum vks_result result = row ? make(run, experiment, row) : vks_error_last()->result;
    run->context->gpu.probe = (struct vks_probe){0};
    return result == VKS_OK ? vks_task_advance(1) : result;
}

/* Variants of one number are tried with two of its values. */
static uint32_t variants_of(const struct vks_variant_row *row, uint32_t numbers[2])
{
    numbers[0] = row->min;
    numbers[1] = row->min + 2 < row->max ? row->min + 2 : row->max;
    return strchr(row->name, '#') && numbers[1] > numbers[0] ? 2 : 1;
}

/* All variants; those that are not for this run are left out together. */
static enum vks_result add_variants(const struct run *run, struct vks_check *check)
{
    const struct vks_variant_row *row = run->settings->model->variants;
    size_t unfit = 0;
    enum vks_result result = VKS_OK;
    for (; row && row->name && result == VKS_OK; row++) {
        uint32_t numbers[2];
        const uint32_t count = variants_of(row, numbers);
        for (uint32_t i = 0; i < count && result == VKS_OK; i++) {
            const struct vks_variant variant = vks_variant_of(row, numbers[i]);
            char name[VKS_CHECK_NAME];
            snprintf(name, sizeof(name), "variant %s", variant.name);
            result = add(run, &(struct experiment){.name = name, .variant = variant.name}, check);
            if (result == VKS_OK &&
                check->rows[check->row_count - 1].outcome == VKS_CHECK_LEFT_OUT) {
                check->row_count--;
                unfit++;
            }
        }
    }
    if (result == VKS_OK && unfit > 0) {
        struct vks_check_row *others = add_row(check, "other variants");
        result = others ? VKS_OK : vks_error_last()->result;
        if (others) {
            others->outcome = VKS_CHECK_LEFT_OUT;
            snprintf(others->why, sizeof(others->why), "%zu that are not for this run", unfit);
        }
    }
    return result;
}

/* Compares the base with that of another device. */
static enum vks_result add_device(const struct vks_check_history *own,
                                  const struct vks_check_history *other, const char *name,
                                  struct vks_check *check)
{
    char text[VKS_CHECK_NAME];
    snprintf(text, sizeof(text), "as on %s", name);
    struct vks_check_row *row = add_row(check, text);
    if (!row) {
        return vks_error_last()->result;
    }
    const size_t count = (size_t)(own->steps + 1) * own->fields;
    size_t at = 0;
    while (at < count && strcmp(own->digests[at], other->digests[at]) == 0) {
        at++;
    }
    if (at < count) {
        row->outcome = VKS_CHECK_DIFFERS;
        row->step = at / own->fields;
        snprintf(row->field, sizeof(row->field), "%s", own->names[at % own->fields]);
    } else if (strcmp(own->picture, other->picture) != 0) {
        row->outcome = VKS_CHECK_DIFFERS;
        row->step = own->steps;
        snprintf(row->field, sizeof(row->field), "picture");
    }
    return VKS_OK;
}

size_t vks_check_count(const struct vks_model *model)
{
    size_t count = VKS_COUNT(experiments);
    for (const struct vks_variant_row *row = model->variants; row && row->name; row++) {
        uint32_t numbers[2];
        count += variants_of(row, numbers);
    }
    return count;
}

enum vks_result vks_check_run(vks_context *context, const struct vks_settings *settings,
                              uint64_t steps, const struct vks_check_history *other,
                              const char *other_name, struct vks_check *check)
{
    *check = (struct vks_check){.row_count = 0};
    const struct run run = {context, settings, steps, &check->history};
    enum vks_result result = make_history(&run);
    context->gpu.probe = (struct vks_probe){0};
    for (size_t i = 0; i < VKS_COUNT(experiments) && result == VKS_OK; i++) {
        result = add(&run, &experiments[i], check);
    }
    if (result == VKS_OK) {
        result = add_variants(&run, check);
    }
    return result == VKS_OK && other ? add_device(&check->history, other, other_name, check)
                                     : result;
}

void vks_check_free(struct vks_check *check)
{
    free(check->history.names);
    free(check->history.digests);
    free(check->rows);
    *check = (struct vks_check){.row_count = 0};
}

enum vks_result vks_check_validate(const char *device, const struct vks_settings *settings,
                                   const struct vks_check_history *history,
                                   struct vks_check_row *row)
{
    static const struct experiment ordinary = {.name = "validation layers", .pause = BY_SNAPSHOT};
    const struct vks_gpu_params params = {
        .device = device, .validation = VKS_VALIDATION_SYNC, .quiet = true};
    struct vks_check_history copy = *history;
    struct run run = {NULL, settings, history->steps, &copy};
    *row = (struct vks_check_row){.outcome = VKS_CHECK_SAME};
    snprintf(row->name, sizeof(row->name), "%s", ordinary.name);
    enum vks_result result = vks_context_open(&params, &run.context);
    if (result != VKS_OK && vks_error_last()->hint == VKS_HINT_VALIDATION) {
        leave_out(row, "not installed (Debian: apt install vulkan-validationlayers)");
        return VKS_OK;
    }
    if (result != VKS_OK) {
        return result;
    }
    result = make(&run, &ordinary, row);
    struct vks_error why;
    vks_error_keep(result, &why);
    const uint64_t messages = vks_context_close(run.context);
    if (messages > 0) {
        row->outcome = VKS_CHECK_DIFFERS;
        snprintf(row->why, sizeof(row->why), "%" PRIu64 " messages", messages);
    }
    return vks_fail_again(&why);
}
