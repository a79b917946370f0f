/* SPDX-License-Identifier: MIT */
/* Snapshots of all simulations: N steps, snapshot, other work with other settings, restore and M
 * steps give the digest recorded after N + M steps, and the same picture. TAP on standard output.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cipher_cases.h"
#include "gas_cases.h"
#include "graph/internal.h"
#include "graph/snapshot.h"
#include "gray_scott_cases.h"
#include "physarum_3d_cases.h"
#include "physarum_cases.h"
#include "sim_test.h"

/* Chunks of 512 bytes, which split even small fields. */
enum { WIDE_RANGE = 1000 };

static bool is_refused(enum vks_result result, enum vks_result expected, const char *words)
{
    const bool good = result == expected && strstr(vks_error_text(), words);
    if (!good) {
        printf("# %d, '%s' does not say '%s'\n", (int)result, vks_error_text(), words);
    }
    return good;
}

static bool is_usage(enum vks_result result, const char *words)
{
    return is_refused(result, VKS_ERROR_USAGE, words);
}

/* --- other work ------------------------------------------------------------------------------ */

/* Fills everything that a snapshot could have forgotten with NaN: all buffers but tables, which
 * follow the settings. */
static void record_garbage(void *user, VkCommandBuffer commands)
{
    const struct vks_graph *graph = user;
    const struct vks_declaration *declaration = &graph->declaration;
    for (size_t i = 0; i < declaration->field_count; i++) {
        bool written = declaration->fields[i].persistent;
        for (size_t j = 0; j < declaration->pass_count; j++) {
            const struct vks_pass *pass = &declaration->passes[j];
            for (size_t k = 0; pass->when != VKS_AT_CHANGE && k < pass->use_count; k++) {
                written = written || (pass->uses[k].index == i && pass->uses[k].access != VKS_READ);
            }
        }
        for (size_t k = 0; written && k < 2; k++) {
            const struct vks_pieces *pieces = &graph->pieces[2 * i + k];
            for (size_t piece = 0; piece < pieces->count; piece++) {
                graph->gpu->vk.vkCmdFillBuffer(commands, pieces->buffers[piece].buffer, 0,
                                               VK_WHOLE_SIZE, UINT32_MAX);
            }
        }
    }
}

/* Other settings, another seed, another order of items, and garbage. */
static bool disturb(vks_simulation *simulation, const char *changes)
{
    const uint32_t seed = (uint32_t)vks_simulation_settings(simulation)->common.seed;
    struct vks_graph *graph = vks_simulation_graph(simulation);
    return sim_set(simulation, changes) && fine(vks_simulation_run(simulation, 3)) &&
           fine(vks_simulation_draw(simulation)) &&
           fine(vks_simulation_restart(simulation, seed + 1)) &&
           fine(vks_simulation_run(simulation, 2)) && fine(vks_simulation_wait(simulation)) &&
           fine(vks_transfer(graph, record_garbage, graph));
}

/* --- the law --------------------------------------------------------------------------------- */

/* Whether the snapshot's memory and steps are as asked. */
static bool has_info(const vks_snapshot *snapshot, bool in_host, uint64_t steps)
{
    struct vks_snapshot_info info = {.size = sizeof(info)};
    return fine(vks_snapshot_describe(snapshot, &info)) && info.steps == steps && info.bytes > 0 &&
           info.in_host_memory == in_host;
}

/* Draws, so that the range of smooth pictures has a history. */
static bool go(vks_simulation *simulation, uint32_t steps, uint8_t *rgb, size_t size)
{
    return fine(vks_simulation_run(simulation, steps)) &&
           fine(vks_simulation_render(simulation, rgb, size));
}

struct law {
    struct sim_run run;
    const char *changes;
    uint32_t before, after; /* steps: N and M */
    const char *digest;     /* after N + M; NULL: that of the first time */
};

static void test_law(vks_context *context, const struct law *law, bool wide, bool in_host)
{
    if (!sim_due()) {
        return;
    }
    const uint64_t range = context->gpu.field_range;
    char digest[33] = "";
    vks_snapshot *snapshot = NULL, *later = NULL;
    context->gpu.field_range = wide ? WIDE_RANGE : range;
    vks_simulation *simulation = sim_open(context, &law->run);
    if (!simulation && strstr(vks_error_text(), "does not fit this device")) {
        context->gpu.field_range = range; /* a variant for other subgroups */
        return;
    }
    uint32_t width = 0, height = 0;
    if (simulation) {
        vks_simulation_picture_size(simulation, &width, &height);
    }
    const size_t size = (size_t)width * height * 3;
    uint8_t *first = malloc(size + 1), *again = malloc(size + 1);
    bool good =
        simulation && go(simulation, law->before, first, size) &&
        fine(vks_simulation_snapshot(simulation, in_host ? VKS_SNAPSHOT_HOST : VKS_SNAPSHOT_DEVICE,
                                     &snapshot)) &&
        has_info(snapshot, in_host, law->before) && go(simulation, law->after, first, size) &&
        fine(vks_simulation_digest(simulation, digest)) &&
        (!law->digest || sim_has_digest(simulation, law->digest));
    for (int i = 0; good && i < 2; i++) {
        good = disturb(simulation, law->changes) &&
               fine(vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &later)) &&
               fine(vks_simulation_restore(simulation, snapshot)) &&
               vks_simulation_steps(simulation) == law->before;
        vks_snapshot_release(later);
        later = NULL;
        const uint32_t piece = i == 0 ? 1 : law->after; /* batches of other lengths */
        for (uint32_t done = 0; good && done < law->after - piece; done += piece) {
            good = fine(vks_simulation_run(simulation, piece));
        }
        good = good && go(simulation, piece, again, size) && sim_has_digest(simulation, digest);
        if (good && memcmp(first, again, size) != 0) {
            printf("# another picture\n");
            good = false;
        }
    }
    free(first);
    free(again);
    vks_snapshot_release(snapshot);
    vks_simulation_destroy(simulation);
    context->gpu.field_range = range;
    report(good, "%s %s: %s, in %s memory%s", law->run.model, law->run.name, law->run.options,
           in_host ? "the host's" : "the device's", wide ? ", in chunks" : "");
}

/* --- all cases ------------------------------------------------------------------------------- */

#define GRAY_SCOTT_BASIS                                                              \
    "feed=0.037 kill=0.06 du=0.16 dv=0.08 dt=1 stencil=five-point boundary=periodic " \
    "precision=float32"
#define GRAY_SCOTT_CHANGES "feed=0.03 kill=0.055 dt=0.5 gamma=1 colormap=viridis"
#define PHYSARUM_CHANGES "sensor-angle=10 decay=0.3 deposit=2 gamma=1 colormap=viridis"
#define CIPHER_CHANGES "view=trail gamma=2 colormap=viridis"
#define GAS_CHANGES "dt=0.05 gamma=1 colormap=viridis"

static struct law law_of(const char *model, const char *name, uint32_t width, uint32_t height,
                         uint32_t seed, const char *start, const char *options)
{
    const bool chemical = strcmp(model, "gray-scott") == 0;
    return (struct law){
        .run = {.name = name,
                .model = model,
                .preset = "plain",
                .basis = chemical ? GRAY_SCOTT_BASIS : "",
                .width = width,
                .height = height,
                .seed = seed,
                .start = start,
                .options = options},
        .changes = chemical ? GRAY_SCOTT_CHANGES : PHYSARUM_CHANGES,
        .before = 17,
        .after = 33,
    };
}

/* One in three of the recorded runs, for what a snapshot holds depends on the fields and not on
 * what is computed; every second in chunks and every third in host memory. */
static void test_cases(vks_context *context)
{
    size_t count = 0;
    for (size_t i = 0; i < physarum_case_count; i += 3, count++) {
        const struct physarum_case *row = &physarum_cases[i];
        struct law law = law_of("physarum", row->name, row->width, row->height, row->seed,
                                row->start, row->options);
        law.digest = row->digests[2];
        test_law(context, &law, count % 2 == 1, count % 3 == 2);
    }
    for (size_t i = 0; i < physarum_3d_case_count; i += 3, count++) {
        const struct physarum_3d_case *row = &physarum_3d_cases[i];
        struct law law = law_of("physarum-3d", row->name, row->width, row->height, PHYSARUM_3D_SEED,
                                "default", row->options);
        law.run.depth = row->depth;
        law.before = 3;
        law.after = 5;
        law.digest = row->digests[1];
        test_law(context, &law, count % 2 == 1, count % 3 == 2);
    }
    for (size_t i = 0; i < gray_scott_case_count; i += 3, count++) {
        const struct gray_scott_case *row = &gray_scott_cases[i];
        struct law law = law_of("gray-scott", row->name, row->width, row->height, row->seed,
                                row->start, row->options);
        law.digest = row->digests[3];
        test_law(context, &law, count % 2 == 1, count % 3 == 2);
    }
    for (size_t i = 0; i < gas_case_count; i += 3, count++) {
        const struct gas_case *row = &gas_cases[i];
        struct law law =
            law_of("gas", row->name, row->width, row->height, GAS_SEED, row->start, row->options);
        law.run.depth = row->depth;
        law.run.basis = gas_case_is_grid(row) ? "method=grid" : "method=particles";
        law.changes = GAS_CHANGES;
        law.before = 5;
        law.after = 7;
        law.digest = row->digests[2];
        if (law.digest) {
            test_law(context, &law, count % 2 == 1, count % 3 == 2);
        }
    }
    for (size_t i = 0; i < cipher_case_count; i++, count++) {
        const struct cipher_case *row = &cipher_cases[i];
        struct law law =
            law_of("cipher", row->name, row->width, row->height, 1, row->start, row->options);
        law.changes = CIPHER_CHANGES;
        law.before = 3;
        law.after = 7;
        law.digest = row->digests[2];
        test_law(context, &law, count % 2 == 1, count % 3 == 2);
    }
}

/* Variants of the step, orders of items, and what pictures show. */
static void test_variants(vks_context *context)
{
    static const struct {
        const char *model;
        uint32_t width, height;
        const char *start, *options;
    } runs[] = {
        {"physarum", 64, 48, "random", "agents=3000 variant=sorted-4-bytes jitter=9"},
        {"physarum", 64, 48, "point", "agents=3000 variant=sorted-3-words"},
        {"physarum", 61, 40, "point", "agents=3000 variant=sorted-2-bytes diffuse-size=5"},
        {"physarum", 200, 40, "point", "agents=3000 variant=sorted-2-bytes"},
        {"physarum", 64, 48, "disc", "agents=900 variant=unsorted"},
        {"physarum", 61, 48, "ring", "agents=900 view=agents tone=log"},
        {"physarum", 64, 48, "ring", "agents=300 output-size=31x20 hillshade=1 bloom=1"},
        {"gray-scott", 61, 37, "noise", "variant=plain map=0.02:0.09,0.05:0.065"},
        {"gray-scott", 66, 48, "noise", "variant=plain precision=float16 boundary=no-flux"},
        {"gray-scott", 64, 48, "noise", "variant=tile-4-8x8 stencil=nine-point"},
        {"gray-scott", 95, 40, "noise", "variant=block-4-8x4 boundary=no-flux"},
        {"gray-scott", 128, 21, "noise", "variant=block-2-4x4 precision=float16"},
        {"gray-scott", 64, 48, "noise", "variant=march-3-7x2 map=0.02:0.09,0.05:0.065"},
        {"gray-scott", 128, 21, "noise", "variant=march-8-40x2 precision=float16"},
        {"physarum-3d", 20, 8, "default", "agents=3000 variant=sorted-2 view=trail"},
        {"physarum-3d", 16, 8, "default", "agents=900 view=points lifetime=5"},
        {"gas", 64, 48, "shear", "method=grid view=vorticity ratio=2 speed=1"},
        {"gas", 64, 32, "waves", "method=grid view=potential gravity=1"},
        {"gas", 61, 48, "blast", "particles=3000 view=temperature"},
        {"gas", 64, 48, "cloud", "particles=3000 view=points tone=log variant=sorted-2"},
    };
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        struct law law = law_of(runs[i].model, "", runs[i].width, runs[i].height, 3, runs[i].start,
                                runs[i].options);
        if (strcmp(runs[i].model, "gas") == 0) {
            law.changes = GAS_CHANGES;
        }
        law.run.depth = strcmp(runs[i].model, "physarum-3d") == 0 ? 5 : 1;
        test_law(context, &law, false, i % 2 == 1);
    }
}

/* --- memory, and what is refused ------------------------------------------------------------- */

static PFN_vkAllocateMemory allocate_memory;
static PFN_vkWaitSemaphores wait_semaphores;
static unsigned failures, waits; /* of the next allocations; counted */

static VKAPI_ATTR VkResult VKAPI_CALL allocate_or_fail(VkDevice device,
                                                       const VkMemoryAllocateInfo *info,
                                                       const VkAllocationCallbacks *callbacks,
                                                       VkDeviceMemory *memory)
{
    failures -= failures > 0;
    return failures > 0 ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                        : allocate_memory(device, info, callbacks, memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL count_wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                 uint64_t timeout)
{
    waits++;
    return wait_semaphores(device, info, timeout);
}

static vks_simulation *open_small(vks_context *context, const char *options)
{
    const struct law law = law_of("gray-scott", "", 48, 32, 1, "noise", options);
    return sim_open(context, &law.run);
}

/* Little memory: the host's instead of the device's, or none, and the simulation continues. */
static void test_memory(vks_context *context)
{
    struct vks_gpu *gpu = &context->gpu;
    vks_simulation *simulation = open_small(context, "variant=plain");
    vks_simulation *other = open_small(context, "variant=plain");
    vks_snapshot *snapshot = NULL, *none = NULL;
    char digest[33], bytes[64];
    bool good = simulation && other && fine(vks_simulation_run(simulation, 9));
    allocate_memory = gpu->vk.vkAllocateMemory;
    gpu->vk.vkAllocateMemory = allocate_or_fail;
    struct vks_snapshot_info info = {.size = sizeof(info)};
    /* At first none of the device's allocations fails, then some, finally all. */
    for (unsigned failing = 1; good && !info.in_host_memory && failing < 20; failing++) {
        vks_snapshot_release(snapshot);
        snapshot = NULL;
        failures = failing;
        good = fine(vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &snapshot)) &&
               fine(vks_snapshot_describe(snapshot, &info));
    }
    good = good && info.in_host_memory;
    failures = UINT32_MAX;
    snprintf(bytes, sizeof(bytes), "(%llu bytes)", (unsigned long long)info.bytes);
    const enum vks_result refused = vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &none);
    if (refused != VKS_ERROR_MEMORY || none || !strstr(vks_error_text(), bytes)) {
        printf("# %d, %s\n", (int)refused, vks_error_text());
        good = false;
    }
    gpu->vk.vkAllocateMemory = allocate_memory;
    good = good && fine(vks_simulation_run(simulation, 5)) && fine(vks_simulation_run(other, 14)) &&
           fine(vks_simulation_digest(other, digest)) && sim_has_digest(simulation, digest) &&
           fine(vks_simulation_restore(simulation, snapshot)) &&
           fine(vks_simulation_run(simulation, 5)) && sim_has_digest(simulation, digest);
    vks_snapshot_release(snapshot);
    vks_simulation_destroy(other);
    vks_simulation_destroy(simulation);
    report(good, "a snapshot in little memory");
}

/* Taking one does not wait; it outlives its simulation, and continues in another. */
static void test_life(vks_context *context)
{
    struct vks_gpu *gpu = &context->gpu;
    vks_simulation *simulation = open_small(context, "variant=plain");
    const char *const options[] = {"feed=0.05", "variant=plain", NULL};
    vks_simulation *other = NULL; /* whose pictures have more planes, and scalars */
    vks_snapshot *snapshot = NULL;
    struct vks_watched mean = {.size = sizeof(mean)};
    char digest[33], text[32];
    bool good = simulation &&
                fine(vks_simulation_create(
                    context,
                    &VKS_SIMULATION_PARAMS(.model = "gray-scott", .width = 48, .height = 32,
                                           .planes = 1U << VKS_PLANE_VALUES, .watch = true,
                                           .options = options),
                    &other)) &&
                fine(vks_simulation_run(simulation, 400));
    wait_semaphores = gpu->vk.vkWaitSemaphores;
    gpu->vk.vkWaitSemaphores = count_wait;
    waits = 0;
    good = good && fine(vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &snapshot)) &&
           waits == 0 && fine(vks_simulation_wait(simulation)) && waits > 0;
    gpu->vk.vkWaitSemaphores = wait_semaphores;
    good = good && fine(vks_simulation_run(simulation, 7)) &&
           fine(vks_simulation_digest(simulation, digest));
    vks_simulation_destroy(simulation);
    good = good && fine(vks_simulation_restore(other, snapshot)) &&
           fine(vks_simulation_get(other, "feed", text, sizeof(text))) &&
           strcmp(text, "0.037") == 0 && fine(vks_simulation_run(other, 7)) &&
           sim_has_digest(other, digest) && vks_simulation_steps(other) == 407 &&
           fine(vks_simulation_draw(other)) && fine(vks_simulation_wait(other)) &&
           vks_simulation_watched(other, 0, &mean) && mean.known && mean.step == 407;
    vks_snapshot_release(snapshot);
    vks_simulation_destroy(other);
    report(good, "a snapshot in another simulation");
}

static void test_refused(vks_context *context)
{
    const struct law law = law_of("physarum", "", 48, 32, 1, "random", "agents=50");
    vks_simulation *one = open_small(context, "variant=plain"),
                   *agents = sim_open(context, &law.run);
    vks_simulation *half = open_small(context, "variant=plain precision=float16");
    vks_snapshot *snapshot = NULL, *none = NULL;
    struct vks_snapshot_info info = {.size = 0};
    char digest[33] = "";
    bool good = one && half && agents &&
                fine(vks_simulation_snapshot(one, VKS_SNAPSHOT_DEVICE, &snapshot)) &&
                fine(vks_simulation_digest(half, digest)) &&
                is_usage(vks_simulation_restore(half, snapshot), "changes the field 'u'") &&
                sim_has_digest(half, digest) &&
                is_usage(vks_simulation_restore(agents, snapshot), "another context or model") &&
                is_usage(vks_simulation_restore(NULL, snapshot), "NULL") &&
                is_usage(vks_simulation_restore(one, NULL), "NULL") &&
                is_usage(vks_simulation_snapshot(NULL, VKS_SNAPSHOT_DEVICE, &none), "NULL") &&
                is_usage(vks_simulation_snapshot(one, VKS_SNAPSHOT_DEVICE, NULL), "NULL") &&
                is_usage(vks_simulation_snapshot(one, (enum vks_snapshot_memory)7, &none),
                         "not a kind of memory") &&
                is_usage(vks_snapshot_describe(NULL, &info), "NULL") &&
                is_usage(vks_snapshot_describe(snapshot, NULL), "NULL") &&
                is_usage(vks_snapshot_describe(snapshot, &info), "size 0") && !none;
    vks_snapshot_release(NULL);
    vks_snapshot_release(snapshot);
    vks_simulation_destroy(agents);
    vks_simulation_destroy(half);
    vks_simulation_destroy(one);
    report(good, "snapshots that are refused");
}

/* --- files ----------------------------------------------------------------------------------- */

struct saving {
    const vks_snapshot *snapshot;
    const char *path;
    enum vks_result result;
    char text[256];
};

static void *save(void *user)
{
    struct saving *saving = user;
    saving->result = vks_snapshot_save(saving->snapshot, saving->path, false);
    snprintf(saving->text, sizeof(saving->text), "%s", vks_error_text());
    return NULL;
}

static bool same_files(const char *one, const char *other)
{
    FILE *a = fopen(one, "rb"), *b = fopen(other, "rb");
    int x = 0, y = 0;
    size_t size = 0;
    for (; a && b && x == y && x != EOF; size++) {
        x = fgetc(a);
        y = fgetc(b);
    }
    const bool same = a && b && x == y && size > 100;
    if (a) {
        fclose(a);
    }
    if (b) {
        fclose(b);
    }
    return same;
}

/* A snapshot that a thread writes while steps go on is the same file as one that the simulation
 * saved then, and so is the state that is loaded from it. */
static void test_saved(vks_context *context, const char *model, const char *options, bool wide,
                       bool in_host)
{
    if (!sim_due()) {
        return;
    }
    const struct law law = law_of(model, "", 62, 47, 3, NULL, options);
    const uint64_t range = context->gpu.field_range;
    char threaded[320], direct[320], digest[33];
    struct saving saving = {.path = threaded};
    vks_snapshot *snapshot = NULL;
    pthread_t thread;
    snprintf(threaded, sizeof(threaded), "%s", in_folder("threaded.npz"));
    snprintf(direct, sizeof(direct), "%s", in_folder("direct.npz"));
    context->gpu.field_range = wide ? WIDE_RANGE : range;
    vks_simulation *simulation = sim_open(context, &law.run);
    bool good = simulation && fine(vks_simulation_run(simulation, 9)) &&
                fine(vks_simulation_snapshot(
                    simulation, in_host ? VKS_SNAPSHOT_HOST : VKS_SNAPSHOT_DEVICE, &snapshot)) &&
                fine(vks_simulation_save(simulation, direct, false));
    saving.snapshot = snapshot;
    good = good && pthread_create(&thread, NULL, save, &saving) == 0;
    if (good) {
        for (int i = 0; good && i < 20; i++) {
            good = fine(vks_simulation_run(simulation, 1)) &&
                   fine(vks_simulation_draw(simulation)) && fine(vks_simulation_wait(simulation));
        }
        pthread_join(thread, NULL);
    }
    if (good && saving.result != VKS_OK) {
        printf("# %s\n", saving.text);
    }
    good = good && saving.result == VKS_OK && same_files(threaded, direct) &&
           fine(vks_simulation_digest(simulation, digest)) &&
           fine(vks_simulation_load(simulation, threaded)) &&
           vks_simulation_steps(simulation) == 9 && fine(vks_simulation_run(simulation, 20)) &&
           sim_has_digest(simulation, digest) &&
           fine(vks_simulation_restart(simulation, law.run.seed)) &&
           vks_simulation_steps(simulation) == 9;
    if (good) { /* the file exists now */
        save(&saving);
        good = saving.result == VKS_ERROR_EXISTS;
    }
    vks_snapshot_release(snapshot);
    vks_simulation_destroy(simulation);
    context->gpu.field_range = range;
    remove(threaded);
    remove(direct);
    report(good, "%s %s saved from %s memory by a thread%s", model, options,
           in_host ? "the host's" : "the device's", wide ? ", in chunks" : "");
}

static void test_files(vks_context *context)
{
    test_saved(context, "gray-scott", "variant=plain feed=0.03", false, false);
    test_saved(context, "gray-scott", "variant=plain precision=float16 boundary=no-flux", true,
               true);
    test_saved(context, "physarum", "agents=3000 variant=sorted-2-bytes", false, true);
    test_saved(context, "physarum", "agents=3000 variant=sorted-3-words", true, false);
    test_saved(context, "gas", "particles=3000 variant=sorted-2", true, false);
    test_saved(context, "gas", "method=grid", false, true);
}

/* Files that do not fit leave the simulation as it was. */
static void test_bad_files(vks_context *context)
{
    static const char *const wrong[] = {"u.npz", "missing.npz", "physarum.npz"};
    const struct law agents = law_of("physarum", "", 48, 32, 1, "random", "agents=50");
    vks_simulation *simulation = open_small(context, "variant=plain dt=0.5"), *same = NULL;
    vks_simulation *large = NULL, *other = sim_open(context, &agents.run);
    struct law law = law_of("gray-scott", "", 64, 32, 1, "noise", "variant=plain");
    char digest[33], path[320], text[32];
    large = sim_open(context, &law.run);
    same = open_small(context, "variant=plain dt=0.25");
    bool good = simulation && large && other && same && fine(vks_simulation_run(simulation, 9)) &&
                fine(vks_simulation_digest(simulation, digest)) &&
                fine(vks_simulation_save(large, in_folder("u.npz"), false)) &&
                fine(vks_simulation_save(other, in_folder("physarum.npz"), false));
    for (size_t i = 0; good && i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        snprintf(path, sizeof(path), "%s", in_folder(wrong[i]));
        const enum vks_result result = vks_simulation_load(simulation, path);
        if ((result != VKS_ERROR_FILE && result != VKS_ERROR_USAGE) ||
            !strstr(vks_error_text(), wrong[i]) || !sim_has_digest(simulation, digest) ||
            vks_simulation_steps(simulation) != 9) {
            printf("# %s: %d, %s\n", wrong[i], (int)result, vks_error_text());
            good = false;
        }
    }
    /* A state with NaN is found only while it is loaded, after the settings have changed. */
    snprintf(path, sizeof(path), "%s", in_folder("nan.npz"));
    struct vks_graph *graph = good ? vks_simulation_graph(same) : NULL;
    good = good && fine(vks_transfer(graph, record_garbage, graph)) &&
           fine(vks_simulation_save(same, path, false)) &&
           is_refused(vks_simulation_load(simulation, path), VKS_ERROR_FILE, "it must be 0 to 1") &&
           sim_has_digest(simulation, digest) && vks_simulation_steps(simulation) == 9 &&
           fine(vks_simulation_get(simulation, "dt", text, sizeof(text))) &&
           strcmp(text, "0.5") == 0 && is_usage(vks_simulation_load(simulation, NULL), "NULL") &&
           is_usage(vks_simulation_load(NULL, path), "NULL") &&
           is_usage(vks_snapshot_save(NULL, path, true), "NULL");
    vks_simulation_destroy(other);
    vks_simulation_destroy(large);
    vks_simulation_destroy(same);
    vks_simulation_destroy(simulation);
    remove(in_folder("u.npz"));
    remove(in_folder("physarum.npz"));
    remove(in_folder("nan.npz"));
    report(good, "states that cannot be loaded");
}

static void test_all(vks_context *context)
{
    context->gpu.copies_by_shader = true; /* on software drivers, too */
    test_files(context);
    test_bad_files(context);
    test_memory(context);
    test_life(context);
    test_refused(context);
    test_variants(context);
    test_cases(context);
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "snapshot", test_all, NULL);
}
