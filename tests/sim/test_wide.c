/* SPDX-License-Identifier: MIT */
/* All simulations with their fields in chunks, as for fields larger than a buffer's range. Here the
 * range is 1000 bytes (chunks of 512), which splits even small fields: the same digests as in one
 * piece, recorded or from a separate run, and the same pictures. TAP on standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cipher_cases.h"
#include "gas_cases.h"
#include "graph/internal.h"
#include "gray_scott_cases.h"
#include "physarum_3d_cases.h"
#include "physarum_cases.h"
#include "sim_test.h"

enum { RANGE = 1000, LONGEST = 50 };

/* Pictures that are resized, except for some below. */
#define RESIZED "output-size=23x18 fit=stretch"

static struct sim_run run_of(const char *model, const char *name, uint32_t width, uint32_t height,
                             uint32_t seed, const char *start, const char *options)
{
    return (struct sim_run){
        .name = name,
        .model = model,
        .preset = "plain",
        .basis = strcmp(model, "gray-scott") != 0 ? RESIZED
                                                  : RESIZED
                     " feed=0.037 kill=0.06 du=0.16 dv=0.08 dt=1 stencil=five-point "
                     "boundary=periodic precision=float32",
        .width = width,
        .height = height,
        .seed = seed,
        .start = start,
        .options = options,
    };
}

static struct sim_run gas_run_of(const struct gas_case *row)
{
    return (struct sim_run){
        .name = row->name,
        .model = "gas",
        .preset = "plain",
        .basis = gas_case_is_grid(row) ? RESIZED " method=grid" : RESIZED " method=particles",
        .width = row->width,
        .height = row->height,
        .depth = row->depth,
        .seed = GAS_SEED,
        .start = row->start,
        .options = row->options,
    };
}

/* Number of fields of the state in several buffers, and of those that are larger than the range.
 * What other fields there are depends on the variant, and some are never split. */
struct split {
    size_t fields, large;
};

static struct split count_split(vks_simulation *simulation)
{
    const struct vks_graph *graph = vks_simulation_graph(simulation);
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    struct split count = {0};
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (field->persistent) {
            count.fields += vks_graph_piece(graph, field->name, 0).size < vks_field_bytes(field);
            count.large += vks_field_bytes(field) > RANGE;
        }
    }
    return count;
}

static bool is_split(vks_simulation *simulation)
{
    const struct split count = count_split(simulation);
    return count.fields > 0 && count.fields == count.large;
}

static vks_simulation *open_wide(vks_context *context, const struct sim_run *run)
{
    const uint64_t before = context->gpu.field_range;
    context->gpu.field_range = RANGE;
    vks_simulation *simulation = sim_open(context, run);
    context->gpu.field_range = before;
    return simulation;
}

/* The recorded digests, of moments up to LONGEST; NULL ends them. */
static void test_moments(vks_context *context, const struct sim_run *run, const uint32_t *moments,
                         const char *const *digests, size_t count)
{
    if (!sim_due()) {
        return;
    }
    vks_simulation *simulation = open_wide(context, run);
    const struct split split = simulation ? count_split(simulation) : (struct split){0};
    bool same = simulation != NULL;
    uint32_t done = 0;
    for (size_t i = 0; same && i < count && digests[i] && moments[i] <= LONGEST; i++) {
        same = fine(vks_simulation_run(simulation, moments[i] - done)) &&
               sim_has_digest(simulation, digests[i]);
        done = moments[i];
    }
    /* The smallest fields fit a buffer. */
    const bool small = (uint64_t)run->width * run->height * 2 <= RANGE;
    vks_simulation_destroy(simulation);
    report(same && split.fields == split.large && (split.fields > 0 || small),
           "%s %s in chunks, %zu of %zu large fields of the state", run->model, run->name,
           split.fields, split.large);
}

/* One in two of the recorded runs. */
static void test_cases(vks_context *context)
{
    for (size_t i = 0; i < physarum_case_count; i += 2) {
        const struct physarum_case *row = &physarum_cases[i];
        const struct sim_run run = run_of("physarum", row->name, row->width, row->height, row->seed,
                                          row->start, row->options);
        test_moments(context, &run, physarum_moments, row->digests, PHYSARUM_MOMENTS);
    }
    for (size_t i = 0; i < physarum_3d_case_count; i += 2) {
        const struct physarum_3d_case *row = &physarum_3d_cases[i];
        struct sim_run run = run_of("physarum-3d", row->name, row->width, row->height,
                                    PHYSARUM_3D_SEED, "default", row->options);
        run.depth = row->depth;
        test_moments(context, &run, physarum_3d_moments, row->digests, PHYSARUM_3D_MOMENTS);
    }
    for (size_t i = 0; i < gray_scott_case_count; i += 2) {
        const struct gray_scott_case *row = &gray_scott_cases[i];
        const struct sim_run run = run_of("gray-scott", row->name, row->width, row->height,
                                          row->seed, row->start, row->options);
        test_moments(context, &run, gray_scott_moments, row->digests, GRAY_SCOTT_MOMENTS);
    }
    static const struct {
        const char *method, *name;
    } of_gas[] = {
        {"grid", "a blast"},
        {"grid", "gravity in a flat box"},
        {"grid", "shear in 3-D"},
        {"particles", "7x5x3"},
        {"particles", "gravity in a flat box"},
        {"particles", "shear in 3-D"},
        {"particles", "a flat cloud"},
    };
    for (size_t i = 0; i < sizeof(of_gas) / sizeof(of_gas[0]); i++) {
        const struct gas_case *row = gas_find_case(of_gas[i].method, of_gas[i].name);
        const struct sim_run run = gas_run_of(row);
        test_moments(context, &run, gas_moments, row->digests, GAS_MOMENTS);
    }
    for (size_t i = 0; i < cipher_case_count; i++) {
        const struct cipher_case *row = &cipher_cases[i];
        const struct sim_run run =
            run_of("cipher", row->name, row->width, row->height, 1, row->start, row->options);
        test_moments(context, &run, cipher_moments, row->digests, CIPHER_MOMENTS);
    }
}

/* Same digest and same picture, in chunks and in one piece. */
static bool same_run(vks_simulation *wide, vks_simulation *narrow, uint32_t steps, size_t size)
{
    char hex[33];
    uint8_t *one = malloc(size), *other = malloc(size);
    const bool same =
        one && other && fine(vks_simulation_run(wide, steps)) &&
        fine(vks_simulation_run(narrow, steps)) && fine(vks_simulation_digest(narrow, hex)) &&
        sim_has_digest(wide, hex) && fine(vks_simulation_render(wide, one, size)) &&
        fine(vks_simulation_render(narrow, other, size)) && memcmp(one, other, size) == 0;
    free(one);
    free(other);
    return same;
}

/* Every shader that steps, and those that draw. */
static void test_equal(vks_context *context)
{
    static const struct {
        const char *model;
        uint32_t width, height;
        const char *start, *options;
    } runs[] = {
        {"physarum", 64, 48, "random", "agents=300 output-size=64x20"},
        {"physarum", 61, 40, "image:tests/fuzz/image/rgb8.png", "agents=300 output-size=30x40"},
        {"physarum", 48, 64, "disc", "agents=900 diffuse-size=5 output-size=100x100"},
        {"physarum", 64, 48, "random", "agents=3000 variant=sorted-4-bytes jitter=9"},
        {"physarum", 64, 48, "point", "agents=3000 variant=sorted-3-words"},
        {"physarum", 64, 48, "point", "agents=3000"},
        {"physarum", 61, 40, "point", "agents=3000 variant=sorted-2-bytes diffuse-size=5"},
        {"gray-scott", 64, 48, "noise", "variant=plain"},
        {"gray-scott", 64, 48, "noise", "variant=plain precision=float16 map=0.02:0.09,0.05:0.065"},
        {"gray-scott", 66, 48, "noise", "variant=plain precision=float16 boundary=no-flux"},
        {"gray-scott", 61, 37, "noise", "variant=plain map=0.02:0.09,0.05:0.065"},
        {"gray-scott", 64, 48, "noise", "variant=tile-4-8x8 stencil=nine-point"},
        {"gray-scott", 95, 40, "noise", "variant=block-4-8x4 boundary=no-flux"},
        {"gray-scott", 128, 21, "noise", "variant=block-2-4x4 precision=float16"},
        {"gray-scott", 64, 48, "noise", "variant=march-3-7x2 map=0.02:0.09,0.05:0.065"},
        {"gray-scott", 128, 21, "noise", "variant=march-8-40x2 precision=float16"},
        {"physarum", 64, 48, "disc", "agents=900 view=agents tone=log"},
        {"gas", 64, 48, "shear", "method=grid view=vorticity ratio=2 speed=1"},
        {"gas", 64, 32, "waves", "method=grid view=potential gravity=1"},
        {"gas", 61, 48, "blast", "particles=3000 view=temperature"},
        {"gas", 64, 48, "cloud", "particles=3000 view=points tone=log variant=sorted-2"},
        {"gas", 64, 48, "cloud", "particles=3000 view=points-speed variant=sorted-2"},
        {"physarum", 61, 48, "ring", "agents=900 view=agents variant=sorted-4-bytes"},
        {"cipher", 64, 48, "image:tests/fuzz/image/rgb8.png", "agents=3000 registers=3"},
        {"cipher", 64, 48, "image:tests/fuzz/image/rgb8.png", "agents=300 view=trail key=wide"},
        /* Directly from the field. */
        {"physarum", 64, 48, "ring", "agents=300 output-size=64x48"},
        {"physarum", 64, 48, "ring", "agents=300 output-size=64x48 hillshade=1 bloom=1"},
        {"physarum-3d", 61, 8, "default", "agents=3000 variant=sorted-3 lifetime=9"},
        {"physarum-3d", 64, 8, "default", "agents=3000 project=column tone=log"},
        {"physarum-3d", 20, 8, "default", "agents=3000 view=points camera=30,20"},
        {"gray-scott", 64, 48, "noise", "output-size=64x48 variant=plain"},
        /* v has no range: u is displayed. */
        {"gray-scott", 64, 48, "square", "feed=0.1 kill=0.8 dt=0.9 variant=plain"},
    };
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        if (!sim_due()) {
            continue;
        }
        struct sim_run run = run_of(runs[i].model, "", runs[i].width, runs[i].height, 3,
                                    runs[i].start, runs[i].options);
        run.depth = strcmp(runs[i].model, "physarum-3d") == 0 ? 5 : 1;
        vks_simulation *wide = open_wide(context, &run);
        if (!wide && strstr(vks_error_text(), "does not fit this device")) {
            continue;
        }
        vks_simulation *narrow = sim_open(context, &run);
        uint32_t width = 0, height = 0;
        bool same = wide && narrow && is_split(wide) && count_split(narrow).fields == 0;
        if (same) {
            vks_picture_size(vks_simulation_settings(narrow), &width, &height);
        }
        for (uint32_t steps = 3; same && steps < 30; steps += 11) {
            same = same_run(wide, narrow, steps, (size_t)width * height * 3);
        }
        vks_simulation_destroy(narrow);
        vks_simulation_destroy(wide);
        report(same, "%s %ux%u %s %s in chunks and in one piece", runs[i].model, runs[i].width,
               runs[i].height, runs[i].start, runs[i].options);
    }
}

/* Simulations from formulas, by ones and by fours, with several stages and with stored values. */
static void test_formulas(vks_context *context)
{
    static const struct {
        const char *model;
        uint32_t width, height;
        const char *options;
    } runs[] = {
        {"fitzhugh-nagumo", 64, 48, ""},
        {"barkley", 61, 40, "boundary=no-flux"},
        {"cahn-hilliard", 64, 48, "output-size=64x48"},
        {"cahn-hilliard", 63, 41, ""},
        {"wave", 64, 48, ""},
    };
    static const char *const files[] = {"barkley", "cahn-hilliard", "fitzhugh-nagumo", "wave"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        const char *name;
        char path[64];
        snprintf(path, sizeof(path), "models/%s.json", files[i]);
        report(fine(vks_model_load(path, &name)), "%s", path);
    }
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        struct sim_run run =
            run_of(runs[i].model, "", runs[i].width, runs[i].height, 3, NULL, runs[i].options);
        if (!sim_due()) {
            continue;
        }
        run.preset = NULL;
        run.basis = RESIZED;
        vks_simulation *wide = open_wide(context, &run), *narrow = sim_open(context, &run);
        bool same = wide && narrow && is_split(wide) && count_split(narrow).fields == 0;
        uint32_t width = 0, height = 0;
        if (same) {
            vks_picture_size(vks_simulation_settings(narrow), &width, &height);
        }
        for (uint32_t steps = 3; same && steps < 30; steps += 11) {
            same = same_run(wide, narrow, steps, (size_t)width * height * 3);
        }
        vks_simulation_destroy(narrow);
        vks_simulation_destroy(wide);
        report(same, "%s %ux%u %s in chunks and in one piece", runs[i].model, runs[i].width,
               runs[i].height, runs[i].options);
    }
}

/* A state saved from one piece continues in chunks. */
static void test_load(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    const struct sim_run run =
        run_of("physarum", "", 64, 48, 5, "random", "agents=400 variant=sorted-3-bytes");
    vks_simulation *narrow = sim_open(context, &run);
    bool good = narrow && fine(vks_simulation_run(narrow, 9)) &&
                fine(vks_simulation_save(narrow, in_folder("state.npz"), true));
    const uint64_t before = context->gpu.field_range;
    context->gpu.field_range = RANGE;
    vks_simulation *wide = good ? sim_load(context, &run, in_folder("state.npz")) : NULL;
    context->gpu.field_range = before;
    good = wide && is_split(wide) && same_run(wide, narrow, 9, (size_t)23 * 18 * 3);
    remove(in_folder("state.npz"));
    vks_simulation_destroy(wide);
    vks_simulation_destroy(narrow);
    report(good, "a state saved in one piece and loaded in chunks");
}

/* A simulation of 90 x 70 cells whose means are watched. */
static vks_simulation *open_watched(vks_context *context)
{
    static const char *const options[] = {"output-size=90x70", NULL};
    vks_simulation *simulation = NULL;
    (void)fine(vks_simulation_create(context,
                                     &VKS_SIMULATION_PARAMS(.model = "gray-scott", .width = 90,
                                                            .height = 70, .init = "noise",
                                                            .options = options, .watch = true),
                                     &simulation));
    return simulation;
}

static bool has_mean(vks_simulation *simulation, double *mean)
{
    struct vks_watched watched = {.size = sizeof(watched)};
    const bool known =
        fine(vks_simulation_run(simulation, 12)) && fine(vks_simulation_draw(simulation)) &&
        fine(vks_simulation_wait(simulation)) && vks_simulation_watched(simulation, 1, &watched) &&
        watched.known && watched.step == vks_simulation_steps(simulation);
    *mean = known ? watched.value : 0;
    return known;
}

/* Frames without a picture have the same scalars. */
static void test_means(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    const uint64_t before = context->gpu.field_range;
    double a = 0, b = 1;
    context->gpu.field_range = RANGE;
    vks_simulation *wide = open_watched(context);
    context->gpu.field_range = before;
    vks_simulation *narrow = open_watched(context);
    bool good = wide && narrow && is_split(wide) && count_split(narrow).fields == 0;
    for (int frame = 0; good && frame < 3; frame++) {
        good = has_mean(wide, &a) && has_mean(narrow, &b) && a == b && a > 0;
    }
    vks_simulation_destroy(narrow);
    vks_simulation_destroy(wide);
    report(good, "means of fields in chunks");
}

static void test_all(vks_context *context)
{
    test_means(context);
    test_cases(context);
    test_equal(context);
    test_formulas(context);
    test_load(context);
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "wide", test_all, NULL);
}
