/* SPDX-License-Identifier: MIT */
#include "bench/ladder.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "bench/rows.h"
#include "gpu/memory.h"

/* Sides of matrices: workgroups of 32 x 8, of which every device takes 65535 in each direction. */
enum { MAX_NAMES = 16, MAX_COLUMNS = 65535 * 32, MAX_ROWS = 65535 * 8 };

/* --- names and sizes ------------------------------------------------------------------------- */

const struct vks_ladder_kernel *vks_ladder_find(const char *name)
{
    const struct vks_ladder_kernel *kernel = vks_ladder;
    while (kernel->name && strcmp(kernel->name, name) != 0) {
        kernel++;
    }
    return kernel->name ? kernel : NULL;
}

bool vks_ladder_has_rung(const char *names, const struct vks_rung *rung)
{
    const size_t length = strlen(rung->name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, rung->name, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return !names;
}

static bool is_rung(const struct vks_ladder_kernel *kernel, const char *name)
{
    const struct vks_rung *rung = kernel->rungs;
    while (rung->name && strcmp(rung->name, name) != 0) {
        rung++;
    }
    return rung->name != NULL;
}

enum vks_result vks_ladder_check_rungs(const struct vks_ladder_kernel *kernel, const char *names)
{
    const char *rungs[MAX_NAMES + 1] = {NULL};
    for (size_t i = 0; i < MAX_NAMES && kernel->rungs[i].name; i++) {
        rungs[i] = kernel->rungs[i].name;
    }
    for (const char *at = names; at;) {
        char name[64], near[64], all[256];
        const size_t length = strcspn(at, ",");
        const size_t kept = length < sizeof(name) - 1 ? length : sizeof(name) - 1;
        memcpy(name, at, kept);
        name[kept] = '\0';
        if (!is_rung(kernel, name)) {
            return vks_fail(VKS_ERROR_USAGE, "%s has no rung '%s'%s; there are: %s", kernel->name,
                            name, vks_did_you_mean(name, rungs, near, sizeof(near)),
                            vks_join(rungs, all, sizeof(all)));
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return VKS_OK;
}

/* A whole number from 1 to 2^31 - 1, or 0. */
static uint32_t parse_number(const char **text)
{
    uint64_t number = 0;
    while (**text >= '0' && **text <= '9') {
        number = 10 * number + (uint64_t)(*(*text)++ - '0');
        number = number < (UINT64_C(1) << 31) ? number : UINT64_C(1) << 31;
    }
    return number >> 31 ? 0 : (uint32_t)number;
}

enum vks_result vks_ladder_parse_size(const struct vks_ladder_kernel *kernel, const char **text,
                                      struct vks_ladder_size *size)
{
    const char *at = *text;
    *size = (struct vks_ladder_size){.width = parse_number(&at), .height = 1};
    if (kernel->matrix && size->width > 0) {
        size->height = *at == 'x' ? (at++, parse_number(&at)) : 0;
    }
    if (size->width == 0 || size->height == 0 || (*at != ',' && *at != '\0') ||
        (*at == ',' && at[1] == '\0') ||
        vks_ladder_bytes(kernel, size) / 4 / (kernel->sources + 1) >> 31) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' does not begin with a size of %s: %s, with 1 to 2^31 - 1 elements",
                        *text, kernel->name, kernel->matrix ? "WIDTHxHEIGHT" : "a whole number");
    }
    *text = *at ? at + 1 : at;
    return VKS_OK;
}

/* Words of a source, and of the result, with the padding of all rows. */
static uint64_t source_words(const struct vks_ladder_size *size)
{
    return (uint64_t)vks_ladder_pitch(size->width) * size->height;
}

static uint64_t result_words(const struct vks_ladder_kernel *kernel,
                             const struct vks_ladder_size *size)
{
    return kernel->total        ? 1
           : kernel->transposed ? (uint64_t)vks_ladder_pitch(size->height) * size->width
                                : source_words(size);
}

uint64_t vks_ladder_bytes(const struct vks_ladder_kernel *kernel,
                          const struct vks_ladder_size *size)
{
    return 4 * (kernel->sources * source_words(size) + result_words(kernel, size));
}

enum vks_result vks_ladder_check_size(const struct vks_gpu *gpu,
                                      const struct vks_ladder_kernel *kernel,
                                      const struct vks_ladder_size *size)
{
    const uint64_t from = source_words(size), to = result_words(kernel, size);
    const uint64_t largest = 4 * (from > to ? from : to);
    const uint64_t needs = vks_ladder_bytes(kernel, size);
    const struct vks_budget budget = vks_gpu_budget(gpu);
    char text[32], has[32];
    if (kernel->matrix && (size->width > MAX_COLUMNS || size->height > MAX_ROWS)) {
        return vks_fail(VKS_ERROR_USAGE, "%s takes at most %d columns and %d rows, not %u x %u",
                        kernel->name, MAX_COLUMNS, MAX_ROWS, size->width, size->height);
    }
    if (largest > gpu->info.largest_buffer) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%s of %u x %u elements needs a buffer of %s, but a buffer of %s has at "
                        "most %s",
                        kernel->name, size->width, size->height, vks_format_bytes(largest, text),
                        gpu->info.name, vks_format_bytes(gpu->info.largest_buffer, has));
    }
    if (needs > budget.free) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%s of %u x %u elements needs %s, but %s has %s of free memory",
                        kernel->name, size->width, size->height, vks_format_bytes(needs, text),
                        gpu->info.name, vks_format_bytes(budget.free, has));
    }
    return VKS_OK;
}

/* --- the declaration ------------------------------------------------------------------------- */

static const char *const source_names[] = {"source", "second"};

/* Sets the rung's items and workgroups. Returns the number of lanes of a one-dimensional one. */
static uint32_t set_layout(const struct vks_gpu *gpu, const struct vks_rung *rung,
                           const struct vks_ladder_size *size, struct vks_pass *pass)
{
    const uint32_t fours = vks_ladder_pitch(size->width) / 4, most = vks_resident_lanes(gpu);
    const uint32_t groups = (fours + 255) / 256;
    uint64_t lanes = size->width;
    switch (rung->layout) {
    case VKS_RUNG_FOURS:
        lanes = fours;
        break;
    case VKS_RUNG_LOOP:
        lanes = groups < most / 256 ? 256 * groups : most;
        break;
    case VKS_RUNG_ROWS:
        lanes = UINT64_C(256) * size->height;
        break;
    case VKS_RUNG_BLOCKS:
    case VKS_RUNG_TILES:
        pass->items[1] = size->height;
        pass->group[0] = 32;
        pass->group[1] = 8;
        if (rung->layout == VKS_RUNG_TILES) {
            pass->per_group[0] = pass->per_group[1] = 32;
        }
        break;
    default:
        break;
    }
    pass->items[0] = lanes;
    return (uint32_t)lanes;
}

void vks_rung_declare(const struct vks_gpu *gpu, const struct vks_ladder_kernel *kernel,
                      const struct vks_rung *rung, const struct vks_ladder_size *size, bool spoiled,
                      struct vks_declaration *declaration)
{
    struct rung_params params = {
        .width = size->width,
        .height = size->height,
        .source_pitch = vks_ladder_pitch(size->width),
        .result_pitch = vks_ladder_pitch(kernel->transposed ? size->height : size->width),
    };
    struct vks_use uses[5] = {{0}};
    size_t used = 0;
    struct vks_pass pass = {.name = rung->name, .shader = rung->shader, .feature = rung->feature};
    params.lanes = set_layout(gpu, rung, size, &pass);
    declaration->measures = true;
    for (uint32_t i = 0; i < kernel->sources; i++) {
        /* The padding behind the last row stays zero. */
        const uint64_t words = source_words(size) - params.source_pitch + size->width;
        const struct rung_params fill = {.lanes = (uint32_t)words,
                                         .addend = vks_ladder_addend(i) + spoiled * 8192U};
        VKS_FIELD(declaration, .name = source_names[i], .element = VKS_U32, .rank = 1,
                  .shape = {source_words(size)});
        VKS_PASS(declaration, .name = i ? "fill second" : "fill",
                 .shader = kernel->real ? "bench/fill_float" : "bench/fill_uint",
                 .when = VKS_AT_START,
                 .uses = VKS_USES({source_names[i], VKS_WRITE, .as = "source"}), VKS_PUSH(fill),
                 .items = {words});
        uses[used++] = (struct vks_use){.field = source_names[i], .access = VKS_READ};
    }
    VKS_FIELD(declaration, .name = "result", .element = VKS_U32, .rank = 1,
              .shape = {result_words(kernel, size)});
    uses[used++] = (struct vks_use){.field = "result",
                                    .access = rung->partial   ? VKS_READ_WRITE
                                              : kernel->total ? VKS_ATOMIC
                                                              : VKS_WRITE};
    if (rung->partial) {
        VKS_FIELD(declaration, .name = "partial", .element = VKS_U32, .rank = 1,
                  .shape = {1 + params.lanes / 256});
        uses[used++] = (struct vks_use){.field = "partial", .access = VKS_ATOMIC | VKS_READ_WRITE};
    }
    pass.uses = uses;
    pass.constants = &params;
    pass.constants_size = sizeof(params);
    vks_declare_pass(declaration, &pass);
}

/* --- the check ------------------------------------------------------------------------------- */

enum { CHECK_RUNS = 2 }; /* the second finds what the first left behind */

struct check {
    const struct vks_ladder_kernel *kernel;
    const struct vks_rung *rung;
    const struct vks_ladder_size *size;
    uint64_t at; /* words seen */
};

static enum vks_result compare(void *user, const void *bytes, size_t size)
{
    struct check *check = user;
    const struct vks_ladder_kernel *kernel = check->kernel;
    const uint32_t width = kernel->transposed ? check->size->height : check->size->width;
    for (size_t i = 0; i < size / 4; i++, check->at++) {
        const uint32_t column = (uint32_t)(check->at % vks_ladder_pitch(width));
        const uint32_t row = (uint32_t)(check->at / vks_ladder_pitch(width));
        uint32_t found;
        if (column >= width) {
            continue;
        }
        const uint32_t expected = (kernel->total ? CHECK_RUNS : 1) *
                                  kernel->reference(check->size, kernel->transposed ? row : column,
                                                    kernel->transposed ? column : row);
        memcpy(&found, (const char *)bytes + 4 * i, 4);
        if (found != expected) {
            return vks_fail(VKS_ERROR_STOPPED,
                            "the rung %s of %s is wrong at %u x %u elements: element (%u, %u) of "
                            "its result is 0x%08x instead of 0x%08x",
                            check->rung->name, kernel->name, check->size->width,
                            check->size->height, column, row, found, expected);
        }
    }
    return VKS_OK;
}

enum vks_result vks_rung_measure(struct vks_gpu *gpu, const struct vks_ladder_kernel *kernel,
                                 const struct vks_rung *rung, const struct vks_ladder_size *size,
                                 const struct vks_effort *effort, struct vks_spread *seconds)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    double samples[VKS_MAX_REPEATS];
    enum vks_result result = vks_ladder_check_size(gpu, kernel, size);
    if (result == VKS_OK) {
        vks_rung_declare(gpu, kernel, rung, size, effort->spoiled, &declaration);
        result = vks_graph_create(gpu, &declaration, &graph);
    }
    if (result == VKS_OK) {
        result = vks_graph_start(graph, 0, true);
    }
    for (int i = 0; i < CHECK_RUNS && result == VKS_OK; i++) {
        result = vks_graph_run(graph, 1);
    }
    if (result == VKS_OK) {
        struct check check = {.kernel = kernel, .rung = rung, .size = size};
        result = vks_graph_download(graph, "result", compare, &check);
    }
    if (result == VKS_OK && effort->repeats > 0) {
        result = vks_steps_measure(graph, 1, effort, samples);
    }
    if (result == VKS_OK && effort->repeats > 0) {
        *seconds = vks_spread_of(samples, effort->repeats);
    }
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    return result;
}
