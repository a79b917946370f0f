/* SPDX-License-Identifier: MIT */
/* Compiles every pipeline of every model, in every setup, on a device that need not compute (the
 * null devices of RADV and Intel's no-op shim), and reports what the compiler says: registers,
 * shared memory, spills. A spill is a failure, and so is a device that says nothing. Of the
 * variants that a model would measure some may spill, which makes them slow; one besides the plain
 * variant must not. TAP.
 *
 * With `--share I/N`, of each list of setups and grids only one in N, and the setups marked
 * `every`: N chips with all shares, from 0, compile every setup between them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vksim/model.h>

#include "base/memory.h"
#include "ladder/ladder.h"
#include "ladder/occupancy.h"
#include "bench/rows.h"
#include "gpu/features.h"
#include "gpu/statistics.h"
#include "api/simulation.h"
#include "sim/registry.h"

struct report {
    struct vks_gpu *gpu;
    const char *setup;
    unsigned test, failed;
    bool may_spill; /* then spills are only counted */
    unsigned spilled;
};

/* A line of a setup: options over "plain". */
struct setup {
    const char *name;
    const char *options[13]; /* "name=value", NULL ends */
    bool variants;           /* in all variants of the model */
    bool deep;               /* 16 bits per channel are wanted too */
    bool every;              /* in every share */
};

#define MAP(option) option "=tests/sim/physarum_shares.png:0.5:2"
#define ALL_MAPS                                                                          \
    "maps=" MAP("sensor-distance") "," MAP("sensor-angle") "," MAP("turn-angle") "," MAP( \
        "step-size") "," MAP("jitter") "," MAP("deposit") "," MAP("diffuse") "," MAP("decay")

static const struct setup physarum_setups[] = {
    {"plain", {NULL}, .every = true},
    {"odd width", {"size=333x77"}},
    {"bilinear", {"sampling=bilinear"}},
    {"jones", {"steering=jones"}},
    {"bilinear jones jitter", {"sampling=bilinear", "steering=jones", "jitter=10"}},
    {"jitter", {"jitter=10"}},
    {"zero boundary", {"boundary=zero"}},
    {"zero boundary, odd width", {"boundary=zero", "size=333x77"}},
    {"no blur", {"diffuse-size=1"}},
    {"wide blur", {"diffuse-size=9"}},
    {"wide blur, zero boundary", {"diffuse-size=9", "boundary=zero"}},
    {"sorted", {"variant=sorted-8-bytes"}},
    {"sorted, words", {"variant=sorted-8-words"}},
    {"sorted, many agents", {"variant=sorted-8-bytes", "agents=1000000"}},
    {"sorted, many agents, words", {"variant=sorted-8-words", "agents=1000000"}},
    {"sorted, bilinear, jones", {"variant=sorted-8-bytes", "sampling=bilinear", "steering=jones"}},
    {"form", {"sensor-distance-gain=9", "turn-angle-gain=30"}},
    {"form, sorted, spot",
     {"sensor-distance-gain=9", "blend-to=silk", "blend-spot=0.5,0.5,90", "variant=sorted-8-bytes",
      "agents=1000000"}},
    {"form, sorted, words, map, bilinear, jones",
     {"blend-to=silk", "blend-map=tests/fuzz/image/rgb8.png", "variant=sorted-8-words",
      "sampling=bilinear", "steering=jones", "lifetime=9"}},
    {"form, sorted one by one", {"turn-angle-gain=9", "variant=software-8", "lifetime=9"}},
    {"deposits of crowds", {"deposit-power=0.7", "deposit-limit=9", "lifetime=9"}},
    {"deposits of crowds, wide blur", {"deposit-power=0.5", "diffuse-size=9"}},
    {"three species", {"species=3"}, .every = true},
    {"three species, zero boundary, odd width", {"species=3", "boundary=zero", "size=333x77"}},
    {"three species, wide blur", {"species=3", "diffuse-size=9"}},
    {"three species, wedges", {"species=3", "init=disc", "species-start=wedges"}},
    {"three species, sorted, infection",
     {"species=3", "infection=any", "variant=sorted-8-bytes", "agents=1000000"}},
    {"three species, sorted, words, one view",
     {"species=3", "variant=sorted-8-words", "agents=1000000", "species-view=2"}},
    {"three species, sorted one by one", {"species=3", "variant=software-8", "view=agents"}},
    {"eight species, infection, jones, jitter, crowds",
     {"species=8", "infection=rising", "steering=jones", "jitter=10", "deposit-power=0.7"}},
    {"eight species, sorted, cycle, bilinear, form",
     {"species=8", "infection=cycle", "variant=sorted-8-bytes", "agents=1000000",
      "sampling=bilinear", "steering=jones", "turn-angle-gain=9"}},
    {"eight species, sorted, words, any, bilinear, form, spot",
     {"species=8", "infection=any", "variant=sorted-8-words", "agents=1000000", "sampling=bilinear",
      "blend-to=silk", "blend-spot=0.5,0.5,90", "lifetime=9"}},
    {"eight species, agents of one", {"species=8", "view=agents", "species-view=3"}},
    {"walls, food, sorted",
     {"walls=disc", "food=points:0.5,0.5", "food-eaten=0.1", "variant=sorted-8-bytes"}},
    {"walls, odd width, zero boundary, all maps, words",
     {"walls=disc", "size=333x77", "boundary=zero", "variant=sorted-8-words", "at-wall=turn",
      ALL_MAPS}},
    {"eight species, walls, food, maps, sorted, many agents, form, infection, bilinear",
     {"species=8", "walls=disc", "food=points:0.5,0.5", "food-eaten=0.1", "infection=any",
      "variant=sorted-8-bytes", "agents=1000000", "sampling=bilinear", "lifetime=9",
      "sensor-distance=30", "deposit-power=0.7", ALL_MAPS}},
    {"food, maps, wide blur",
     {"food=points:0.5,0.5", "diffuse-size=9", "food-eaten=0.1", ALL_MAPS}},
    {"joined passes", {"size=256x256", "agents=1000", "variant=joined"}},
    {"joined passes, bilinear, jones, jitter, zero boundary",
     {"size=256x256", "agents=1000", "variant=joined", "sampling=bilinear", "steering=jones",
      "jitter=10", "boundary=zero"}},
    {"one workgroup", {"size=48x48", "agents=1000", "variant=together-2"}},
    {"one workgroup, bilinear, jones, jitter, zero boundary",
     {"size=48x48", "agents=1000", "variant=together-2", "sampling=bilinear", "steering=jones",
      "jitter=10", "boundary=zero"}},
    {"disc, frame range", {"init=disc", "normalize=frame"}},
    {"ring, fixed range, gamma 1", {"init=ring", "normalize=fixed:0:10", "gamma=1"}},
    {"point, gamma 0.4", {"init=point", "gamma=0.4", "contrast=1.2"}},
    {"small field", {"size=256x256", "agents=100"}},
    {"large field", {"size=16384x16384", "agents=100000000"}},
    {"small picture", {"output-size=1920x1080", "fit=crop"}},
    {"relief, glow, background", {"hillshade=1", "bloom=1", "background=#102030"}},
    {"16 bits", {NULL}, .deep = true},
    {"agents, log tone", {"view=agents", "tone=log"}},
    {"log tone, relief, glow, 16 bits", {"tone=log", "hillshade=1", "bloom=1"}, .deep = true},
    {"relief, glow, 16 bits", {"hillshade=1", "bloom=1"}, .deep = true},
};

static const struct setup cipher_setups[] = {
    {"forward", {NULL}},
    {"backward", {"reverse=true"}},
    {"the trail's values", {"view=trail", "registers=256"}},
};

static const struct setup gray_scott_setups[] = {
    {"plain", {NULL}, .variants = true, .every = true},
    {"nine-point", {"stencil=nine-point"}},
    {"no flux", {"boundary=no-flux"}},
    {"halves", {"precision=float16"}},
    {"map", {"map=0.01:0.1,0.045:0.07"}},
    {"all at once",
     {"stencil=nine-point", "boundary=no-flux", "precision=float16", "map=0.01:0.1,0.045:0.07",
      "dt=0.5"},
     true},
    {"odd width", {"size=333x77", "feed=0"}, true},
    {"halves, width of twos", {"size=334x77", "precision=float16"}},
    {"noise", {"init=noise", "start-noise=0.1"}},
    {"spots", {"init=spots"}},
    {"large field", {"size=16384x16384"}},
    {"halves, small picture", {"precision=float16", "output-size=1920x1080"}},
    {"u, log tone", {"view=u", "tone=log"}},
};

static const struct setup gas_setups[] = {
    {"particles", {NULL}, .variants = true, .every = true},
    {"particles, gravity", {"gravity=1", "conductivity=0.1"}},
    {"particles, sorted, gravity", {"gravity=1", "variant=sorted-4", "size=256x256x256"}},
    {"particles, sorted, odd sides", {"variant=sorted-1", "size=77x33x15", "init=cloud"}},
    {"particles, flat, tube", {"size=512x512", "init=tube", "view=vorticity"}},
    {"particles, blast", {"init=blast", "view=temperature"}},
    {"particles, shear", {"init=shear", "view=speed"}},
    {"particles, potential", {"gravity=1", "view=potential"}},
    {"particles, points", {"view=points", "tone=log"}},
    {"particles, exchange", {"exchange-time=1", "boltzmann=1", "view=oscillators"}},
    {"grid", {"method=grid"}, .every = true},
    {"grid, faces", {"method=grid", "variant=faces"}},
    {"grid, tracers, exchange",
     {"method=grid", "particles=100000", "exchange-time=1", "boltzmann=1", "gravity=1",
      "view=oscillators"}},
    {"grid, gravity", {"method=grid", "gravity=1", "conductivity=0.1"}},
    {"grid, flat, tube", {"method=grid", "size=512x512", "init=tube", "view=pressure"}, true},
    {"grid, odd sides, cloud", {"method=grid", "size=77x33x15", "init=cloud", "view=heat"}},
    {"grid, blast", {"method=grid", "init=blast", "view=temperature"}},
    {"grid, shear", {"method=grid", "init=shear", "tone=log"}},
};

static const struct setup physarum_3d_setups[] = {
    {"volume", {NULL}, .variants = true},
    {"volume, food, lifetime, large",
     {"food=given", "lifetime=9", "size=256x256x256", "agents=10000000", "variant=sorted-16"}},
    {"volume, odd sides", {"size=77x33x15", "distance-spread=off", "view=trail"}},
    {"volume, points", {"view=points", "tone=log", "camera=30,20", "variant=unsorted"}},
};

static unsigned long share, shares = 1;

static bool is_due(size_t index)
{
    return index % shares == share;
}

static bool contains(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* The statistics worth a column: registers, spills, shared and scratch memory, in any driver's
 * words. */
static bool is_shown(const char *name)
{
    static const char *const words[] = {"SGPR", "VGPR",       "egister", "pill",
                                        "LDS",  "cratch",     "hared",   "ode size",
                                        "SIMD", "nstruction", "ycle"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (contains(name, words[i])) {
            return true;
        }
    }
    return false;
}

/* Whether it counts what is spilled to memory. AMD's scalar registers are spilled to lanes of
 * vector registers. */
static bool is_spill(const char *name)
{
    return (contains(name, "pill") && !contains(name, "SGPR")) || contains(name, "cratch");
}

static void each_statistic(void *user, const char *name, double value)
{
    double *spills = user;
    if (is_spill(name)) {
        *spills += value;
    }
    if (is_shown(name)) {
        printf(" %s %.0f;", name, value);
    }
}

static void each_pipeline(void *user, const struct vks_pass *pass, bool wide, VkPipeline pipeline)
{
    struct report *report = user;
    double spills = 0;
    printf("# %s | %s (%s%s):", report->setup, pass->name, pass->shader, wide ? ", wide" : "");
    const unsigned statistics =
        vks_pipeline_statistics(report->gpu, pipeline, each_statistic, &spills);
    printf("\n");
    report->test++;
    report->spilled += spills > 0;
    bool fine = statistics > 0 && (spills == 0 || report->may_spill);
    report->failed += !fine;
    printf("%s %u - %s | %s%s%s\n", fine ? "ok" : "not ok", report->test, report->setup, pass->name,
           wide ? ", wide" : "",
           fine         ? ""
           : statistics ? " spills"
                        : " has no statistics");
}

/* A heap declaration and what it holds. */
static void free_declaration(struct vks_declaration *declaration)
{
    vks_declaration_free(declaration);
    free(declaration);
}

/* Compiles what the settings declare. */
static enum vks_result compile_settings(struct report *report, const struct vks_settings *settings,
                                        bool deep)
{
    const unsigned planes =
        vks_plane_bit(VKS_PLANE_YUV) | (deep ? vks_plane_bit(VKS_PLANE_YUV10) : 0);
    struct vks_declaration *steps = calloc(1, sizeof(*steps));
    struct vks_declaration *picture = calloc(1, sizeof(*picture));
    vks_declare_steps(settings, steps);
    vks_declare_picture(settings, planes, NULL, steps, picture);
    const char *field = settings->common.view->field; /* NULL: points */
    vks_declare_sum(picture, field ? field : settings->model->views[0].field, 20, "total",
                    VKS_EACH_FRAME);
    enum vks_result result = vks_graph_compile(report->gpu, steps, each_pipeline, report);
    if (result == VKS_OK) {
        result = vks_graph_compile(report->gpu, picture, each_pipeline, report);
    }
    free_declaration(steps);
    free_declaration(picture);
    return result;
}

/* Compiles the solution of an equation by FFT on a grid of that shape: along its sides lines go
 * through all numbers of stages, and through groups along and across them. */
static enum vks_result compile_fft(struct report *report, const char *setup,
                                   const uint64_t shape[3])
{
    static const float symbol[2048] = {0};
    struct vks_declaration declaration = {0};
    report->setup = setup;
    vks_declaration_grid(&declaration, shape[0], shape[1], shape[2]);
    VKS_FIELD(&declaration, .name = "density", .element = VKS_F32);
    VKS_FIELD(&declaration, .name = "potential", .element = VKS_F32);
    vks_declare_fft(&declaration, &(struct vks_fft){.name = "gravity",
                                                    .source = "density",
                                                    .target = "potential",
                                                    .factor = 1,
                                                    .symbol = {symbol, symbol, symbol}});
    enum vks_result result = vks_graph_compile(report->gpu, &declaration, each_pipeline, report);
    vks_declaration_free(&declaration);
    if (result != VKS_OK) {
        printf("# %s: %s\n", setup, vks_error_text());
    }
    return result;
}

/* Compiles the projections of a volume of either type. */
static enum vks_result compile_volume(struct report *report, enum vks_element element,
                                      const char *project)
{
    struct vks_declaration declaration = {0};
    struct vks_look look = {.normalize = (char *)(uintptr_t) "frame",
                            .gamma = 1,
                            .contrast = 1,
                            .colormap = (char *)(uintptr_t) "ember",
                            .project = (char *)(uintptr_t)project,
                            .zoom = 1};
    enum vks_result result = vks_look_finish(&look, (struct vks_size){64, 64, 64}, false);
    report->setup = "volume";
    VKS_FIELD(&declaration, .name = "density", .element = element, .rank = 3,
              .shape = {64, 64, 64});
    vks_declare_view(&declaration,
                     &(struct vks_view_params){.displayed = "density", .look = &look});
    if (result == VKS_OK) {
        result = vks_graph_compile(report->gpu, &declaration, each_pipeline, report);
    }
    vks_declaration_free(&declaration);
    if (result != VKS_OK) {
        printf("# a volume: %s\n", vks_error_text());
    }
    return result;
}

/* Compiles the picture of a field of that many planes, with all that the look can add: their sum,
 * or the strongest. */
static enum vks_result compile_mix(struct report *report, uint32_t planes, bool strongest)
{
    struct vks_declaration declaration = {0};
    struct vks_look look = {.normalize = (char *)(uintptr_t) "frame",
                            .tone = VKS_TONE_LOG,
                            .gamma = 0.4,
                            .contrast = 1.2,
                            .colormap = (char *)(uintptr_t) "ember",
                            .hillshade = 1,
                            .bloom = 1,
                            .background = (char *)(uintptr_t) "transparent",
                            .output_size = (char *)(uintptr_t) "100x40",
                            .zoom = 1};
    struct vks_mix mix = {.planes = planes, .strongest = strongest, .option = "colours"};
    for (uint32_t i = 0; i < planes; i++) {
        mix.colours[i] = "#ffffff";
    }
    enum vks_result result = vks_look_finish(&look, (struct vks_size){64, 64, 1}, false);
    if (result == VKS_OK) {
        result = vks_look_mix(&look, &mix);
    }
    report->setup = "mix";
    VKS_FIELD(&declaration, .name = "trails", .element = VKS_F32, .rank = 3,
              .shape = {planes, 64, 64});
    vks_declare_view(&declaration,
                     &(struct vks_view_params){.displayed = "trails",
                                               .look = &look,
                                               .planes = vks_plane_bit(VKS_PLANE_RGBA16)});
    if (result == VKS_OK) {
        result = vks_graph_compile(report->gpu, &declaration, each_pipeline, report);
    }
    vks_declaration_free(&declaration);
    if (result != VKS_OK) {
        printf("# a mix: %s\n", vks_error_text());
    }
    return result;
}

/* Compiles the picture of points in a volume, seen along an axis or by a camera. */
static enum vks_result compile_points(struct report *report, const char *camera)
{
    static const char *const names[] = {"z", "y", "x"};
    struct vks_declaration declaration = {0};
    struct vks_look look = {.normalize = (char *)(uintptr_t) "frame",
                            .gamma = 1,
                            .contrast = 1,
                            .colormap = (char *)(uintptr_t) "ember",
                            .camera = (char *)(uintptr_t)camera,
                            .zoom = 1};
    enum vks_result result = vks_look_finish(&look, (struct vks_size){64, 64, 64}, true);
    report->setup = "points";
    vks_declaration_grid(&declaration, 64, 64, 64);
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        VKS_FIELD(&declaration, .name = names[i], .element = VKS_U32, .rank = 1, .shape = {100000});
    }
    vks_declare_view(&declaration, &(struct vks_view_params){.points = names, .look = &look});
    if (result == VKS_OK) {
        result = vks_graph_compile(report->gpu, &declaration, each_pipeline, report);
    }
    vks_declaration_free(&declaration);
    if (result != VKS_OK) {
        printf("# points: %s\n", vks_error_text());
    }
    return result;
}

/* Compiles the primitives that no model above has. */
static enum vks_result compile_primitives(struct report *report)
{
    struct vks_declaration declaration = {0};
    const uint64_t count = 100000;
    report->setup = "primitives";
    vks_declare_items(&declaration, "items", count);
    VKS_FIELD(&declaration, .name = "place", .element = VKS_U32X2, .rank = 1, .shape = {count},
              .items = "items");
    VKS_FIELD(&declaration, .name = "value", .element = VKS_F32, .rank = 1, .shape = {count},
              .items = "items");
    VKS_FIELD(&declaration, .name = "tile", .element = VKS_U32, .rank = 1, .shape = {count});
    vks_declare_sorting(&declaration,
                        &(struct vks_sorting){.items = "items", .key = "tile", .bins = 1000});
    vks_declare_sum(&declaration, "value", 20, "total", VKS_EACH_STEP);
    enum vks_result result = vks_graph_compile(report->gpu, &declaration, each_pipeline, report);
    vks_declaration_free(&declaration);
    if (result != VKS_OK) {
        printf("# primitives: %s\n", vks_error_text());
    }
    return result;
}

/* Compiles the kernels of all ceilings: one that spills measures its own memory. */
static enum vks_result compile_ceilings(struct report *report)
{
    enum vks_result result = VKS_OK;
    report->setup = "ceilings";
    for (size_t i = 0; result == VKS_OK && vks_ceiling_info(i); i++) {
        struct vks_declaration declaration = {0};
        struct vks_kernel kernel;
        if (!vks_ceiling_missing(report->gpu, i) &&
            vks_ceiling_kernel(report->gpu, i, VKS_SMALLEST_BUFFER, &kernel)) {
            /* From Mesa 25 on, matrices are emulated on Intel chips that have no units for them. */
            report->may_spill = strcmp(vks_ceiling_info(i)->name, "float16-matrix") == 0 &&
                                report->gpu->min_subgroup < 32;
            vks_kernel_declare(&kernel, false, &declaration);
            result = vks_graph_compile(report->gpu, &declaration, each_pipeline, report);
            report->may_spill = false;
        }
        vks_declaration_free(&declaration);
    }
    if (result != VKS_OK) {
        printf("# ceilings: %s\n", vks_error_text());
    }
    return result;
}

static enum vks_result compile_rung(struct report *report, const struct vks_ladder_task *task)
{
    struct vks_declaration declaration = {0};
    enum vks_result result = VKS_OK;
    if (!task->rung->measure && vks_ladder_takes(task->kernel, task->rung, task->element) &&
        !vks_rung_missing(report->gpu, task->rung, task->element)) {
        /* 64 sums per lane are what rungs of gemm teach; GPUs with small subgroups have too few
         * registers for them. */
        report->may_spill =
            strcmp(task->kernel->name, "gemm") == 0 && report->gpu->min_subgroup < 32;
        vks_rung_declare(report->gpu, task, &declaration);
        result = vks_graph_compile(report->gpu, &declaration, each_pipeline, report);
        report->may_spill = false;
    }
    vks_declaration_free(&declaration);
    return result;
}

/* Compiles every rung of the ladder for every type of data. */
static enum vks_result compile_ladder(struct report *report)
{
    static const enum vks_element elements[] = {VKS_U32, VKS_F32, VKS_F16};
    enum vks_result result = VKS_OK;
    report->setup = "ladder";
    for (size_t i = 0; vks_ladder[i] && result == VKS_OK; i++) {
        const char *sizes = vks_ladder[i]->sizes;
        struct vks_ladder_task task = {.kernel = vks_ladder[i]};
        result = vks_ladder_parse_size(task.kernel, &sizes, &task.size);
        for (task.rung = task.kernel->rungs; task.rung->name && result == VKS_OK; task.rung++) {
            for (size_t k = 0; k < VKS_COUNT(elements) && result == VKS_OK; k++) {
                task.element = elements[k];
                result = compile_rung(report, &task);
            }
        }
    }
    if (result != VKS_OK) {
        printf("# ladder: %s\n", vks_error_text());
    }
    return result;
}

/* Access pictures find registers and shared memory in the words of the driver: AMD's have them. */
static void describe_occupancy(struct report *report)
{
    enum { AMD = 0x1002 };
    static char texts[TRACE_PASSES][VKS_OCCUPANCY_TEXT];
    const struct vks_ladder_kernel *kernel = vks_ladder_find("transpose");
    const struct vks_rung *rung = kernel->rungs;
    while (strcmp(rung->name, "tile") != 0) {
        rung++;
    }
    const struct vks_ladder_task task = {
        .kernel = kernel, .rung = rung, .element = VKS_U32, .size = {{256, 256, 1, 1}}};
    const bool described = vks_occupancy_describe(report->gpu, &task, texts) == VKS_OK;
    const bool registers = contains(texts[0], " per lane") && contains(texts[0], "by the driver");
    const bool fine = described && contains(texts[0], "Shared memory: 4.0 KiB.") &&
                      (registers || report->gpu->properties.vendorID != AMD);
    printf("# %.*s\n", (int)strcspn(texts[0], "\n"), texts[0]);
    report->test++;
    report->failed += !fine;
    printf("%s %u - registers and occupancy of a rung\n", fine ? "ok" : "not ok", report->test);
}

/* Compiles the step in all variants that would be measured. */
static enum vks_result compile_variants(struct report *report, struct vks_settings *settings)
{
    struct vks_config config = vks_settings_config(settings);
    struct vks_candidates candidates = {.count = 0};
    unsigned fine = 0;
    enum vks_result result = VKS_OK;
    settings->model->candidates(&config, &candidates);
    report->may_spill = true;
    for (size_t i = 1; result == VKS_OK && i < candidates.count; i++) {
        struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
        report->spilled = 0;
        config.variant = candidates.variants[i];
        printf("# variant %s\n", config.variant.name);
        vks_declare_model(settings->model, &config, declaration);
        result = vks_graph_compile(report->gpu, declaration, each_pipeline, report);
        fine += report->spilled == 0;
        free_declaration(declaration);
    }
    report->may_spill = false;
    if (result == VKS_OK) {
        report->test++;
        report->failed += fine == 0;
        printf("%s %u - %s: of %zu fused variants %u without spills\n", fine ? "ok" : "not ok",
               report->test, report->setup, candidates.count - 1, fine);
    }
    return result;
}

static bool compile_variant(struct report *report, const struct vks_model *model,
                            const char *preset, const struct setup *setup)
{
    struct vks_settings settings = {0};
    enum vks_result result = vks_settings_init(&settings, model);
    if (result == VKS_OK) {
        result = vks_settings_preset(&settings, preset);
    }
    for (size_t i = 0; result == VKS_OK && setup->options[i]; i++) {
        char option[512];
        snprintf(option, sizeof(option), "%s", setup->options[i]);
        char *equals = strchr(option, '=');
        *equals = '\0';
        result = vks_settings_set(&settings, option, equals + 1);
    }
    if (result == VKS_OK) {
        result = vks_settings_finish(&settings);
    }
    if (result == VKS_OK) {
        report->setup = setup->name;
        settings.limits = vks_graph_limits(report->gpu);
        settings.watch = true;
        result = compile_settings(report, &settings, setup->deep);
    }
    if (result == VKS_OK && setup->variants) {
        result = compile_variants(report, &settings);
    }
    if (result != VKS_OK) {
        printf("# %s: %s\n", setup->name, vks_error_text());
    }
    vks_settings_free(&settings);
    return result == VKS_OK;
}

static void compile_setups(struct report *report, const char *model, const char *preset,
                           const struct setup *setups, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((setups[i].every || is_due(i)) &&
            !compile_variant(report, vks_model_find(model), preset, &setups[i])) {
            report->failed++;
        }
    }
}

int main(int argc, char **argv)
{
    struct vks_gpu gpu;
    if (argc > 1 && (argc != 3 || strcmp(argv[1], "--share") != 0 ||
                     sscanf(argv[2], "%lu/%lu", &share, &shares) != 2 || share >= shares)) {
        printf("Bail out! usage: compile_report [--share I/N]\n");
        return 1;
    }
    vks_bench_add_shaders();
    vks_ladder_add_shaders();
    if (vks_gpu_open(&gpu, &(struct vks_gpu_params){.no_disk_cache = true,
                                                    .statistics = true,
                                                    .compile_only = true}) != VKS_OK) {
        printf("1..1\nnot ok 1 - %s\n", vks_error_text());
        return 1;
    }
    printf("# %s (%s)\n", gpu.info.name, gpu.info.driver);
    struct report report = {.gpu = &gpu};
    if (!vks_gpu_has(&gpu, VKS_FEATURE_PIPELINE_STATISTICS)) {
        printf("1..1\nnot ok 1 - the device has no VK_KHR_pipeline_executable_properties\n");
        return 1;
    }
    compile_setups(&report, "physarum", "plain", physarum_setups, VKS_COUNT(physarum_setups));
    compile_setups(&report, "gray-scott", "default", gray_scott_setups,
                   VKS_COUNT(gray_scott_setups));
    compile_setups(&report, "gas", "plain", gas_setups, VKS_COUNT(gas_setups));
    compile_setups(&report, "cipher", "default", cipher_setups, VKS_COUNT(cipher_setups));
    compile_setups(&report, "physarum-3d", "plain", physarum_3d_setups,
                   VKS_COUNT(physarum_3d_setups));
    report.failed += compile_volume(&report, VKS_F32, "mean") != VKS_OK;
    report.failed += compile_volume(&report, VKS_F16, "max") != VKS_OK;
    report.failed += compile_mix(&report, 2, false) != VKS_OK;
    report.failed += compile_mix(&report, VKS_MAX_MIX, true) != VKS_OK;
    report.failed += compile_points(&report, NULL) != VKS_OK;
    report.failed += compile_points(&report, "30,20") != VKS_OK;
    report.failed += compile_primitives(&report) != VKS_OK;
    report.failed += compile_ceilings(&report) != VKS_OK;
    report.failed += compile_ladder(&report) != VKS_OK;
    describe_occupancy(&report);
    static const struct {
        const char *name;
        uint64_t shape[3];
    } grids[] = {
        {"FFT 64^3", {64, 64, 64}},     {"FFT 256^3", {256, 256, 256}},
        {"FFT 512^3", {512, 512, 512}}, {"FFT 2048 16 1024", {2048, 16, 1024}},
        {"FFT 2048 32", {1, 2048, 32}}, {"FFT 2048", {1, 1, 2048}},
        {"FFT 16 8 2", {16, 8, 2}},
    };
    for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++) {
        if (is_due(i)) {
            report.failed += compile_fft(&report, grids[i].name, grids[i].shape) != VKS_OK;
        }
    }
    printf("1..%u\n", report.test);
    vks_gpu_close(&gpu);
    return report.failed != 0;
}
