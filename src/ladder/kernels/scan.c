/* SPDX-License-Identifier: MIT */
/* Exclusive prefix sums of a vector of uint32, modulo 2^32. */
#include "ladder/ladder.h"

#include <string.h>
#include <vksim/model.h>

#include "ladder/scan.h"

/* The field with the sums of the rung `core`, which declares it itself. */
static const char core_result[] = "scanned";

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_U32, task->size.axis[0], 1, .bits = 20};
    *buffer = (struct vks_ladder_buffer){"result", VKS_U32, task->size.axis[0], 1};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 8 * (double)task->size.axis[0];
}

static double operations(const struct vks_ladder_task *task)
{
    return task->size.axis[0];
}

/* --- the check ------------------------------------------------------------------------------- */

struct sums {
    const struct vks_ladder_task *task;
    struct vks_ladder_reader source;
    uint32_t before; /* the sum of the words before `at` */
    uint32_t at;
};

static enum vks_result compare(void *user, const void *bytes_of_sums, size_t size)
{
    struct sums *sums = user;
    for (size_t i = 0; i < size / 4 && sums->at < sums->task->size.axis[0]; i++, sums->at++) {
        uint32_t found;
        memcpy(&found, (const char *)bytes_of_sums + 4 * i, 4);
        if (found != sums->before) {
            return vks_ladder_wrong(sums->task, 0, sums->at, found, sums->before);
        }
        sums->before += (uint32_t)vks_ladder_at(&sums->source, 0, sums->at);
    }
    return VKS_OK;
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    struct sums sums = {.task = task, .source = vks_ladder_read(task, "source")};
    const bool core = vks_find_field(vks_graph_declaration(graph), core_result) >= 0;
    (void)runs;
    return vks_graph_download(graph, core ? core_result : "result", compare, &sums);
}

/* --- rungs ----------------------------------------------------------------------------------- */

static void declare_words(struct vks_declaration *declaration, const char *name, uint32_t count)
{
    /* Shaders access four words at once. */
    VKS_FIELD(declaration, .name = name, .element = VKS_U32, .rank = 1,
              .shape = {((uint64_t)count + 3) / 4 * 4});
}

static void declare_doubling(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                             struct vks_declaration *declaration)
{
    const uint32_t count = task->size.axis[0];
    uint32_t passes = 1;
    (void)gpu;
    while (UINT64_C(1) << passes < count) {
        passes++;
    }
    if (passes > 1) {
        declare_words(declaration, "spare", count);
    }
    const char *from = "source";
    for (uint32_t i = 0; i < passes; i++) {
        const struct scan_rung_params params = {count, i == 0, UINT32_C(1) << i};
        const char *to = (passes - i) % 2 ? "result" : "spare";
        vks_rung_pass(task,
                      &(const struct vks_pass){
                          .name = vks_declaration_name(declaration, "doubling %u", i),
                          .shader = task->rung->shader,
                          .uses = VKS_USES({from, VKS_READ, "sums"}, {to, VKS_WRITE, "doubled"}),
                          VKS_PUSH(params),
                          .items = {count}},
                      declaration);
        from = to;
    }
}

/* Scans groups of `words` of a vector, then the groups' sums in the same way, and adds those to the
 * groups. */
static void declare_levels(const struct vks_ladder_task *task, uint32_t words,
                           struct vks_declaration *declaration)
{
    enum { MAX_LEVELS = 5 };
    uint32_t counts[MAX_LEVELS];
    const char *starts[MAX_LEVELS];
    const char *from = "source";
    int level = 0;
    counts[0] = task->size.axis[0];
    starts[0] = "result";
    for (uint32_t groups = 2; groups > 1; level++) {
        const struct scan_rung_params params = {.count = counts[level]};
        const char *totals = vks_declaration_name(declaration, "totals %d", level);
        groups = (uint32_t)(((uint64_t)counts[level] + words - 1) / words);
        declare_words(declaration, totals, groups);
        if (level > 0) {
            starts[level] = vks_declaration_name(declaration, "starts %d", level);
            declare_words(declaration, starts[level], counts[level]);
        }
        vks_rung_pass(
            task,
            &(const struct vks_pass){.name = vks_declaration_name(declaration, "scan %d", level),
                                     .shader = task->rung->shader,
                                     .uses = VKS_USES({from, VKS_READ, "words"},
                                                      {starts[level], VKS_WRITE, "starts"},
                                                      {totals, VKS_WRITE, "totals"}),
                                     VKS_PUSH(params),
                                     .items = {(uint64_t)groups * 256}},
            declaration);
        if (groups > 1) {
            counts[level + 1] = groups;
        }
        from = totals;
    }
    for (level -= 2; level >= 0; level--) {
        const struct scan_rung_params params = {.count = counts[level], .reach = words};
        vks_rung_pass(
            task,
            &(const struct vks_pass){.name = vks_declaration_name(declaration, "add %d", level),
                                     .shader = "ladder/scan_add",
                                     .uses = VKS_USES({starts[level + 1], VKS_READ, "starts"},
                                                      {starts[level], VKS_READ_WRITE, "sums"}),
                                     VKS_PUSH(params),
                                     .items = {counts[level]}},
            declaration);
    }
}

static void declare_tiles(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                          struct vks_declaration *declaration)
{
    (void)gpu;
    declare_levels(task, 256, declaration);
}

static void declare_blelloch(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                             struct vks_declaration *declaration)
{
    (void)gpu;
    declare_levels(task, 512, declaration);
}

static void declare_several(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                            struct vks_declaration *declaration)
{
    const struct scan_rung_params params = {.count = task->size.axis[0]};
    const struct scan_rung_params sums = {.count = (params.count - 1) / SCAN_TILE + 1};
    (void)gpu;
    declare_words(declaration, "totals", sums.count);
    declare_words(declaration, "starts", sums.count);
    vks_rung_pass(task,
                  &(const struct vks_pass){.name = "reduce",
                                           .shader = "ladder/scan_reduce",
                                           .uses = VKS_USES({"source", VKS_READ, "words"}),
                                           VKS_PUSH(params),
                                           .items = {(uint64_t)sums.count * 256}},
                  declaration);
    vks_rung_pass(task,
                  &(const struct vks_pass){
                      .name = "sums", .shader = "ladder/scan_sums", VKS_PUSH(sums), .items = {256}},
                  declaration);
    vks_rung_pass(task,
                  &(const struct vks_pass){.name = "scan",
                                           .shader = "ladder/scan_several",
                                           .uses = VKS_USES({"source", VKS_READ, "words"},
                                                            {"result", VKS_WRITE, "sums"}),
                                           VKS_PUSH(params),
                                           .items = {(uint64_t)sums.count * 256}},
                  declaration);
}

static void declare_core(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                         struct vks_declaration *declaration)
{
    (void)gpu;
    (void)task;
    vks_declare_scan(declaration, "source", core_result, VKS_EACH_STEP);
}

static const struct vks_rung rungs[] = {
    {"doubling", "ladder/scan_doubling", "log2(n) passes over all words",
     .declare = declare_doubling},
    {"tiles", "ladder/scan_tiles", "the rounds of 256 words in shared memory",
     .declare = declare_tiles},
    {"blelloch", "ladder/scan_blelloch", "a tree: about two additions per word",
     .declare = declare_blelloch},
    {"several", "ladder/scan_several", "16 words per lane, subgroups, three dispatches",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .declare = declare_several},
    {"core", NULL, "the core's scan: one dispatch that reads every word once",
     .declare = declare_core},
    {0},
};

const struct vks_ladder_kernel vks_kernel_scan = {
    .name = "scan",
    .help = "exclusive prefix sums of uint32: work, rounds and passes over memory",
    .axes = "ELEMENTS",
    .sizes = "1048576,16777216,268435456",
    .software_sizes = "65536,262144",
    .awkward_sizes = "1,2,3,255,257,4097,8191,131073,300007",
    .ceiling = "copy",
    .element = VKS_U32,
    .buffers = buffers,
    .bytes = bytes,
    .operations = operations,
    .check = check,
    .rungs = rungs,
};
