/* SPDX-License-Identifier: MIT */
/* What the rows of options say about changes of a running simulation, tested from every preset of
 * every model with two values of every option: what is refused with both, and what is accepted, by
 * turns, with the first or the second.
 *
 * - VKS_CHANGE_LIVE: the change is accepted, and state and picture equal those of a simulation that
 *   continues from the same state with the value from its beginning. In at least one case they
 *   differ from those without the change.
 * - VKS_CHANGE_START: accepted, without effect on the running simulation; a restart equals a new
 *   simulation with the value.
 * - VKS_CHANGE_SOMETIMES: accepted as if live, or refused. Options of fields that a state may have,
 *   such as walls, are accepted without effect on the running simulation, or refused.
 * - VKS_CHANGE_NEVER: refused with VKS_ERROR_USAGE, and nothing changes. */
#include "sim_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/registry.h"

enum {
    BEFORE = 2,
    AFTER = 3,
    SEED = 77,
    MAX_OPTIONS = 128,
    VALUES = 2,
    WORDS = 8192, /* bytes of two values of every option */
};

/* Values for options whose rows do not say which there are. */
static const struct {
    const char *name, *values[10];
} texts[] = {
    {"slice", {"0.25", "0.75"}},
    {"end-time", {"0.001"}}, /* most of its range is after the end of the test */
    {"camera", {"30,20", "60,10"}},
    {"colormap", {"viridis", "magma"}},
    {"normalize", {"fixed:0:1", "fixed:0:2", "frame"}},
    {"background", {"#102030", "#405060"}},
    {"crop", {"0,0,8x8", "4,4,8x8"}},
    {"light", {"315,30", "90,60"}},
    {"output-size", {"32x32", "24x20"}},
    {"variant",
     {"unsorted", "sorted-2-words", "sorted-2", "plain", "tile-2-4x4", "faces", "runs-8"}},
    {"map", {"0.01:0.1,0.045:0.07", "0.01:0.09,0.045:0.07"}},
    {"feed-map", {"tests/fuzz/image/rgb8.png", "tests/fuzz/image/grey16.png"}},
    {"kill-map", {"tests/fuzz/image/rgb8.png", "tests/fuzz/image/grey16.png"}},
    {"feed-range", {"0.01:0.09", "0.02:0.08"}},
    {"kill-range", {"0.05:0.06", "0.04:0.07"}},
    {"frequency", {"1:2", "2", "1:3"}},
    {"blend-to", {"silk", "worms"}},
    {"blend-map", {"tests/fuzz/image/rgb8.png", "tests/fuzz/image/grey16.png"}},
    {"blend-spot", {"0.5,0.5,20", "0.2,0.7,9"}},
    {"key", {"open sesame", "swordfish"}},
    {"key-file", {"LICENSE", "tests/sim/physarum_second.json"}},
    {"species-shares", {"3,1", "0,1", "1,2,1", "5,0,1"}},
    {"attraction", {"random", "1,0.25/-0.5,1", "1,0,1/0,1,0/0.5,0,-1", "chase"}},
    {"points-box", {"0,0,0,16,10,12", "-3,0,0,16,10,12"}},
    {"species-colors",
     {"#ff0000,#0000ff", "viridis,#00ff00", "#ff0000,#0000ff,grey", "ember,#ffffff,#00ff00"}},
    {"wall-color", {"#ff0000", "#00ff00"}},
    {"walls", {"frame", "disc", "image:tests/sim/physarum_maze.png"}},
    {"food",
     {"points:0.3,0.4", "points:0.7,0.2/0.1,0.9", "image:tests/sim/physarum_food.png", "none",
      "points:tests/sim/physarum_3d_points.csv", "given"}},
    {"maps",
     {"decay=tests/sim/physarum_shares.png:0.5:2", "decay=tests/sim/physarum_shares.png:2:0.5",
      "step-size=tests/sim/physarum_shares.png:1:2"}},
};

/* Values for options that may be lists; all have these in their ranges. */
static const char *const lists[] = {"0.3,0.7", "0.7,0.3,0.4"};

static const char *const images[] = {"image:tests/fuzz/image/grey16.png",
                                     "image:tests/fuzz/image/grey.jpg"};

/* Options with which others have an effect, set in addition to a model's first preset. Those of
 * other models are skipped. */
static const char *const scenes[] = {
    "size=8x8x4",
    "size=8x8x4 view=points",
    "size=8x8x4 view=points camera=30,20 spin=1",
    "size=8x8x4 view=points-speed bloom=1",
    "size=8x8x4 view=density axis=x project=slice",
    "size=8x8x4 food=points:tests/sim/physarum_3d_points.csv",
    "method=grid",
    "method=grid size=8x8x4 gravity=1",
    "boltzmann=1 conductivity=0.1 exchange-time=0.5 temperature=1 frequency=1:2",
    "bloom=1 hillshade=1 background=#101010 tone=log",
    "output-size=10x16",
    "output-size=120x90",
    "crop=4,4,8x8",
    "view=agents",
    "diffuse-size=5 turn-angle=30",
    "init=ring",
    "init=image:tests/fuzz/image/rgb8.png",
    "feed-map=tests/fuzz/image/rgb8.png kill-map=tests/fuzz/image/rgb8.png",
    "map=0.01:0.1,0.045:0.07",
    "dt=0.25",
    "size=16x12 variant=march-4-5x1 steps-per-frame=4",
    "variant=sorted-2-words",
    "variant=joined",
    "sensor-distance-gain=9 sensor-angle-gain=40 turn-angle-gain=30 step-size-gain=2 trail-full=2",
    "blend-to=worms trail-full=2",
    "blend-to=worms blend-map=tests/fuzz/image/rgb8.png",
    "blend-to=worms blend-spot=0.5,0.5,20",
    "deposit-power=0.5 deposit-limit=2 lifetime=3",
    "species=3 attraction=random sensor-distance=5,2,7",
    "species=3 init=disc species-start=wedges",
    "species=3 view=agents variant=sorted-2-bytes",
    "species=2 infection=any infection-factor=0.5 infection-time=2 infection-trail=0.1",
    "species=2 sensor-distance-gain=9,2 turn-angle-gain=-30,60 trail-full=2,1",
    "walls=image:tests/sim/physarum_maze.png food=points:0.5,0.5 food-eaten=0.1 step-size=3",
    "species=2 walls=disc food=image:tests/sim/physarum_food.png food-eaten=0.1",
    "maps=decay=tests/sim/physarum_shares.png:1:2",
};

/* The state and the picture after some steps. */
struct outcome {
    char digest[33];
    uint64_t picture;
    uint32_t width, height;
};

struct run {
    vks_context *context;
    const struct vks_model *model;
    const char *preset;
    char words[256]; /* of the scene */
    vks_simulation *simulation;
    vks_snapshot *snapshot;
    struct outcome plain; /* without changes */
    size_t turn;          /* which of the values is set; differs between runs */
    bool good;
};

/* --- outcomes --------------------------------------------------------------------------------- */

static bool look(vks_simulation *simulation, struct outcome *outcome)
{
    struct vks_plane_info info = {.size = sizeof(info)};
    if (!fine(vks_simulation_draw(simulation)) ||
        !fine(vks_simulation_plane(simulation, VKS_PLANE_RGBA, &info))) {
        return false;
    }
    unsigned char *pixels = malloc(info.bytes);
    const bool good =
        pixels && fine(vks_simulation_read_plane(simulation, VKS_PLANE_RGBA, pixels, info.bytes));
    outcome->picture = UINT64_C(14695981039346656037); /* FNV-1a */
    outcome->width = info.width;
    outcome->height = info.height;
    for (uint64_t i = 0; good && i < info.bytes; i++) {
        outcome->picture = (outcome->picture ^ pixels[i]) * UINT64_C(1099511628211);
    }
    free(pixels);
    return good;
}

/* Zero after a failure. */
static struct outcome go_on(vks_simulation *simulation)
{
    struct outcome outcome;
    memset(&outcome, 0, sizeof(outcome));
    if (!fine(vks_simulation_run(simulation, AFTER)) ||
        !fine(vks_simulation_digest(simulation, outcome.digest)) || !look(simulation, &outcome)) {
        memset(&outcome, 0, sizeof(outcome));
    }
    return outcome;
}

static bool same(const struct outcome *a, const struct outcome *b)
{
    return a->digest[0] && strcmp(a->digest, b->digest) == 0 && a->picture == b->picture &&
           a->width == b->width && a->height == b->height;
}

/* Prints what an option wrongly does. */
static void complain(struct run *run, const char *name, const char *what)
{
    printf("# --%s %s (%s, --preset %s%s%s)\n", name, what, run->model->name, run->preset,
           run->words[0] ? " and " : "", run->words);
    run->good = false;
}

/* --- values ----------------------------------------------------------------------------------- */

static bool get_text(const struct vks_settings *settings, const char *name, char text[256])
{
    char number[VKS_VALUE_SIZE];
    void *structure;
    const struct vks_option *option =
        vks_settings_option((struct vks_settings *)(uintptr_t)settings, name, &structure);
    snprintf(text, 256, "%s",
             option ? vks_option_get(option, structure, number, sizeof(number)) : "");
    return option != NULL;
}

/* Whether the value is new, and valid in a new simulation with these settings. */
static bool is_another(const struct vks_settings *settings, const char *name, const char *value)
{
    struct vks_settings other = {0};
    char now[256], then[256];
    const bool good = vks_settings_copy(&other, settings) == VKS_OK &&
                      vks_settings_set(&other, name, value) == VKS_OK &&
                      vks_settings_finish(&other) == VKS_OK && get_text(settings, name, now) &&
                      get_text(&other, name, then) && strcmp(now, then) != 0;
    vks_settings_free(&other);
    return good;
}

struct list {
    char values[VALUES][64];
    size_t count;
};

static void offer(struct list *list, const struct vks_settings *settings, const char *name,
                  const char *value)
{
    bool known = list->count == VALUES;
    for (size_t i = 0; i < list->count; i++) {
        known = known || strcmp(list->values[i], value) == 0;
    }
    if (!known && is_another(settings, name, value)) {
        snprintf(list->values[list->count++], sizeof(list->values[0]), "%s", value);
    }
}

static void offer_numbers(struct list *list, const struct vks_settings *settings,
                          const struct vks_option_info *info)
{
    const bool whole = info->type == VKS_OPTION_COUNT;
    char text[256], value[64];
    const double now = get_text(settings, info->name, text) ? strtod(text, NULL) : 0;
    const double numbers[] = {whole ? now + 1 : 0.75 * now,
                              whole ? now + 2 : 0.5 * now,
                              whole ? now + 4 : 0.5,
                              1,
                              2,
                              0.25,
                              3,
                              5,
                              info->min,
                              info->max};
    for (size_t i = 0; i < VKS_COUNT(numbers); i++) {
        snprintf(value, sizeof(value), whole ? "%.0f" : "%.9g", numbers[i]);
        offer(list, settings, info->name, value);
    }
}

/* Other values of an option. */
static struct list list_values(const struct vks_settings *settings,
                               const struct vks_option_info *info)
{
    struct list list = {.count = 0};
    const char *name = info->name, *value, *model = settings->model->name;
    if (info->type == VKS_OPTION_COUNT || info->type == VKS_OPTION_REAL) {
        offer_numbers(&list, settings, info);
    }
    for (size_t i = 0; info->type == VKS_OPTION_REAL && i < VKS_COUNT(lists); i++) {
        if (is_another(settings, name, lists[i])) { /* where lists are valid, one is the last */
            list.count = list.count < VALUES ? list.count : VALUES - 1;
            offer(&list, settings, name, lists[i]);
        }
    }
    for (size_t i = 0; info->choices && info->choices[i]; i++) {
        offer(&list, settings, name, info->choices[i]);
    }
    for (size_t i = 0; info->type == VKS_OPTION_FLAG && i < 2; i++) {
        offer(&list, settings, name, i ? "false" : "true");
    }
    for (size_t i = 0; info->type == VKS_OPTION_SIZE && i < 2; i++) {
        offer(&list, settings, name, i ? "32x8" : "24x16");
    }
    for (size_t i = 0; strcmp(name, "view") == 0 && (value = vks_model_view(model, i, NULL)); i++) {
        offer(&list, settings, name, value);
    }
    const bool is_init = strcmp(name, "init") == 0, needs_image = settings->model->needs_image;
    for (size_t i = 0; is_init && !needs_image && (value = vks_model_init(model, i)); i++) {
        offer(&list, settings, name, value);
    }
    for (size_t i = 0; is_init && needs_image && i < VKS_COUNT(images); i++) {
        offer(&list, settings, name, images[i]);
    }
    for (size_t i = 0; i < VKS_COUNT(texts); i++) {
        for (size_t j = 0; strcmp(texts[i].name, name) == 0 && texts[i].values[j]; j++) {
            list.count = list.count < VALUES ? list.count : VALUES - 1;
            offer(&list, settings, name, texts[i].values[j]);
        }
    }
    return list;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Whether the preset's pictures have a size of their own, which software draws slowly. */
static bool has_own_output_size(const struct run *run)
{
    struct vks_settings settings = {0};
    const bool found = fine(vks_settings_init(&settings, run->model)) &&
                       fine(vks_settings_preset(&settings, run->preset)) &&
                       settings.common.look.output_size;
    vks_settings_free(&settings);
    return found;
}

/* A simulation with the options of the run and `more`, from the state file if there is a path; NULL
 * with a message after a failure. */
static vks_simulation *open_run(const struct run *run, const char *more, const char *path)
{
    char count[64] = "", words[WORDS];
    const char *options[VALUES * MAX_OPTIONS + 16];
    size_t used = 0;
    if (run->model->count_option) {
        snprintf(count, sizeof(count), "%s=200", run->model->count_option);
    }
    snprintf(words, sizeof(words), "size=16x16 %s %s %s %s %s", count,
             has_own_output_size(run) ? "output-size=24x20" : "",
             run->model->needs_image ? "init=image:tests/fuzz/image/rgb8.png" : "", run->words,
             more);
    char *rest = words;
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        options[used++] = word;
    }
    options[used] = NULL;
    vks_simulation *simulation = NULL;
    (void)vks_simulation_create(run->context,
                                &VKS_SIMULATION_PARAMS(.model = run->model->name,
                                                       .preset = run->preset, .options = options,
                                                       .load_state = path),
                                &simulation);
    return simulation;
}

static bool restore(struct run *run)
{
    return fine(vks_simulation_restore(run->simulation, run->snapshot));
}

/* Sets the words on the running simulation, which has been restored, and compares it with one that
 * has them from its beginning; so too after a restart. */
static bool equals_new(struct run *run, const char *words)
{
    if (!restore(run) || !sim_set(run->simulation, words)) {
        return false;
    }
    vks_simulation *other = open_run(run, words, in_folder("state.npz"));
    if (!other) {
        return fine(VKS_ERROR_INTERNAL);
    }
    const struct outcome a = go_on(run->simulation), b = go_on(other);
    bool good = same(&a, &b) && fine(vks_simulation_restart(run->simulation, SEED)) &&
                fine(vks_simulation_restart(other, SEED));
    if (good) {
        const struct outcome c = go_on(run->simulation), d = go_on(other);
        good = same(&c, &d);
    }
    vks_simulation_destroy(other);
    return good;
}

/* --- claims ----------------------------------------------------------------------------------- */

/* A row of the options: whether it is tried, its claim, and whether a live one has acted. */
struct row {
    struct vks_option_info info;
    bool tried, acted;
};

static void try_never(struct run *run, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct vks_option_info *info = &rows[i].info;
        if (!rows[i].tried || info->change != VKS_CHANGE_NEVER) {
            continue;
        }
        const struct list list =
            list_values(vks_simulation_settings(run->simulation), &rows[i].info);
        for (size_t j = 0; j < list.count; j++) {
            const enum vks_result result =
                vks_simulation_set(run->simulation, info->name, list.values[j]);
            if (result != VKS_ERROR_USAGE) {
                printf("# %s: result %d, %s\n", list.values[j], (int)result,
                       result == VKS_OK ? "accepted" : vks_error_text());
                complain(run, info->name, "is not refused");
            }
        }
    }
    const struct outcome after = go_on(run->simulation);
    if (!same(&after, &run->plain)) {
        complain(run, "OPTION", "changes something although it is refused");
    }
}

/* Sets one of the values: true if it is accepted, which is added to `words`. */
static bool set_value(struct run *run, const struct vks_option_info *info, char *words, size_t size)
{
    const struct list list = list_values(vks_simulation_settings(run->simulation), info);
    if (list.count == 0) {
        return false;
    }
    const char *value = list.values[run->turn % list.count];
    const bool accepted = vks_simulation_set(run->simulation, info->name, value) == VKS_OK;
    if (!accepted && info->change != VKS_CHANGE_SOMETIMES) {
        printf("# %s\n", vks_error_text());
        complain(run, info->name, "is refused");
    }
    if (accepted) {
        const size_t used = strlen(words);
        snprintf(words + used, size - used, "%s=%s ", info->name, value);
    }
    return accepted;
}

/* Whether the option's value belongs to fields of the state, which a change leaves as they are. */
static bool is_of_state(const struct run *run, const struct vks_option_info *info)
{
    const struct vks_shape_option *row = run->model->shape_options;
    while (row && row->option && !(row->instead_of && strcmp(row->option, info->name) == 0)) {
        row++;
    }
    return row && row->option;
}

static void try_start(struct run *run, const struct row *rows, size_t count)
{
    char words[WORDS] = "";
    for (size_t i = 0; i < count; i++) {
        if (rows[i].tried &&
            (rows[i].info.change == VKS_CHANGE_START || is_of_state(run, &rows[i].info))) {
            (void)set_value(run, &rows[i].info, words, sizeof(words));
        }
    }
    const struct outcome after = go_on(run->simulation);
    if (!same(&after, &run->plain)) {
        complain(run, words, "changes the running simulation");
    }
}

/* Whether a change of the option alone shows. */
static void see_effect(struct run *run, struct row *row)
{
    char words[256] = "";
    if (restore(run) && set_value(run, &row->info, words, sizeof(words))) {
        const struct outcome after = go_on(run->simulation);
        row->acted = after.digest[0] && !same(&after, &run->plain);
    }
}

/* All options together and, if that is not as it would be in a new simulation, each of them. */
static void try_live(struct run *run, const struct row *rows, size_t count)
{
    char all[WORDS] = "";
    const bool restored = restore(run);
    for (size_t j = 0; restored && j < count; j++) {
        if (rows[j].tried && rows[j].info.change != VKS_CHANGE_NEVER &&
            !is_of_state(run, &rows[j].info)) {
            (void)set_value(run, &rows[j].info, all, sizeof(all));
        }
    }
    if (equals_new(run, all)) {
        return;
    }
    complain(run, "OPTIONS", "do not act as in a new simulation");
    for (size_t j = 0; j < count; j++) {
        char words[256] = "";
        if (rows[j].tried && rows[j].info.change != VKS_CHANGE_NEVER &&
            !is_of_state(run, &rows[j].info) && restore(run) &&
            set_value(run, &rows[j].info, words, sizeof(words)) && !equals_new(run, words)) {
            complain(run, rows[j].info.name, "alone does not");
        }
    }
}

static bool begin(struct run *run)
{
    char *path = vks_format("%s", in_folder("state.npz"));
    const bool good =
        path && fine(vks_simulation_run(run->simulation, BEFORE)) &&
        fine(vks_simulation_save(run->simulation, path, true)) &&
        fine(vks_simulation_snapshot(run->simulation, VKS_SNAPSHOT_DEVICE, &run->snapshot));
    free(path);
    run->plain = good ? go_on(run->simulation) : (struct outcome){.width = 0};
    return good && run->plain.digest[0] && restore(run);
}

/* False if the model does not have the scene. */
static bool test_run(vks_context *context, const struct vks_model *model, const char *preset,
                     const char *scene, struct row *rows, size_t count, bool look_too)
{
    static size_t runs;
    struct run run = {
        .context = context, .model = model, .preset = preset, .turn = runs++, .good = true};
    snprintf(run.words, sizeof(run.words), "%s", scene);
    run.simulation = open_run(&run, "", NULL);
    if (!run.simulation && !scene[0] && model->volumes) { /* a look of volumes */
        snprintf(run.words, sizeof(run.words), "size=8x8x4");
        run.simulation = open_run(&run, "", NULL);
    }
    if (!run.simulation && scene[0]) {
        return false;
    }
    if (!run.simulation || !begin(&run)) {
        printf("# %s\n", vks_error_text());
        run.good = false;
    }
    for (size_t i = 0; i < count; i++) {
        rows[i].tried = look_too || i < model->options.count; /* looks are the same in presets */
    }
    if (run.good) {
        try_never(&run, rows, count);
    }
    if (run.good && restore(&run)) {
        try_start(&run, rows, count);
    }
    for (size_t i = 0; run.good && look_too && i < count; i++) {
        if (rows[i].info.change == VKS_CHANGE_LIVE && !rows[i].acted) {
            see_effect(&run, &rows[i]);
        }
    }
    if (run.good) {
        try_live(&run, rows, count);
    }
    vks_simulation_destroy(run.simulation);
    vks_snapshot_release(run.snapshot);
    remove(in_folder("state.npz"));
    report(run.good, "%s, preset %s%s%s", model->name, preset, scene[0] ? ", " : "", scene);
    return true;
}

static size_t list_rows(const struct vks_model *model, struct row *rows)
{
    size_t count = 0;
    rows[0].info.size = sizeof(rows[0].info);
    while (count < MAX_OPTIONS && vks_model_option(model->name, count, &rows[count].info)) {
        if (++count < MAX_OPTIONS) {
            rows[count].info.size = sizeof(rows[count].info);
        }
    }
    return count;
}

/* Common options have acted if they have in any model. */
static void test_models(vks_context *context)
{
    static struct row rows[MAX_OPTIONS], common[MAX_OPTIONS];
    bool complete = true;
    size_t shared = 0;
    for (size_t m = 0; vks_model_at(m); m++) {
        const struct vks_model *model = vks_model_at(m);
        const struct vks_preset *presets = vks_model_presets(model);
        const size_t own = model->options.count;
        memset(rows, 0, sizeof(rows));
        const size_t count = list_rows(model, rows);
        for (size_t i = 0; i < count - own; i++) {
            rows[own + i].acted = common[i].acted;
        }
        for (size_t p = 0; presets[p].name; p++) {
            if (sim_due()) {
                (void)test_run(context, model, presets[p].name, "", rows, count, p == 0);
            } else {
                complete = false;
            }
        }
        for (size_t s = 0; s < VKS_COUNT(scenes); s++) {
            if (sim_due()) {
                (void)test_run(context, model, presets[0].name, scenes[s], rows, count, true);
            } else {
                complete = false;
            }
        }
        for (size_t i = 0; complete && i < own; i++) {
            if (rows[i].info.change == VKS_CHANGE_LIVE) {
                report(rows[i].acted, "%s: --%s acts on a running simulation", model->name,
                       rows[i].info.name);
            }
        }
        shared = count - own;
        memcpy(common, rows + own, shared * sizeof(*common));
    }
    for (size_t i = 0; complete && i < shared; i++) {
        /* The number of steps between frames is for the program that runs them. */
        if (common[i].info.change == VKS_CHANGE_LIVE &&
            strcmp(common[i].info.name, "steps-per-frame") != 0) {
            report(common[i].acted, "--%s acts on a running simulation", common[i].info.name);
        }
    }
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "options", test_models, NULL);
}
