/* SPDX-License-Identifier: MIT */
/* When a running simulation can take another value of an option: what the option's row says,
 * against what really differs in the declarations before and after, from every preset of every
 * model, or of the one that is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/simulation.h"
#include "base/error.h"
#include "sim/registry.h"

/* Values for options whose rows do not say which there are. */
static const struct {
    const char *name, *values[7]; /* ended by NULL */
} texts[] = {
    {"view", {NULL}}, /* those of the model */
    {"init", {NULL}}, /* those of the model */
    {"slice", {"0.25", "0.75"}},
    {"camera", {"30,20", "60,10"}},
    {"colormap", {"viridis", "magma"}},
    {"light", {"90,30", "0,60"}},
    {"normalize", {"fixed:0:1", "fixed:0:2", "frame", "smooth"}},
    {"background", {"#102030", "#405060", "transparent"}},
    {"crop", {"0,0,8x8", "4,4,8x8", "0,0,16x8"}},
    {"output-size", {"32x32", "64x48"}},
    {"variant", {"unsorted", "sorted-2-words", "sorted-8", "fused-2", "plain", "faces"}},
    {"map", {"0.01:0.1,0.045:0.07", "0.01:0.09,0.045:0.07"}},
    {"feed-map", {"tests/fuzz/image/rgb8.png", "tests/fuzz/image/grey16.png"}},
    {"kill-map", {"tests/fuzz/image/rgb8.png", "tests/fuzz/image/grey16.png"}},
    {"feed-range", {"0.01:0.09", "0.02:0.08"}},
    {"kill-range", {"0.01:0.09", "0.02:0.08"}},
    {"frequency", {"1:2", "2", "1:3"}},
    {"blend-to", {"silk", "worms"}},
    {"blend-map", {"tests/fuzz/image/rgb8.png", "tests/fuzz/image/grey16.png"}},
    {"blend-spot", {"0.5,0.5,20", "0.2,0.7,9"}},
    {"key", {"open sesame", "swordfish"}},
    {"key-file", {"LICENSE", "tests/sim/physarum_second.json"}},
    {"species-shares", {"3,1", "0,1", "1,2,1", "5,0,1"}},
    {"attraction", {"ignore", "chase", "random", "1,0.25/-0.5,1", "1,0,1/0,1,0/0.5,0,-1"}},
    {"points-box", {"0,0,0,16,10,12", "auto"}},
    {"species-colors", {"#ff0000,#0000ff", "viridis,#00ff00", "#ff0000,#0000ff,grey"}},
    {"wall-color", {"#ff0000", "#00ff00"}},
    {"walls", {"frame", "disc", "image:tests/sim/physarum_maze.png"}},
    {"food",
     {"points:0.3,0.4", "points:0.7,0.2/0.1,0.9", "image:tests/sim/physarum_food.png", "none",
      "points:tests/sim/physarum_3d_points.csv", "given"}},
    {"maps",
     {"decay=tests/sim/physarum_shares.png:0.5:2", "decay=tests/sim/physarum_shares.png:2:0.5",
      "step-size=tests/sim/physarum_shares.png:1:2"}},
};

/* What changes after the first preset, so that more options matter. */
static const char *const scenes[] = {
    "",
    "size=16x16x16",
    "size=16x16x16 view=points",
    "size=16x16x16 camera=30,20",
    "method=grid",
    "boltzmann=1 conductivity=0.1",
    "method=grid size=32x32",
    "size=32x32 view=points",
    "size=32x32 view=points-temperature",
    "bloom=1 hillshade=1",
    "background=#101010",
    "feed-map=tests/fuzz/image/rgb8.png",
    "size=16x16x16 food=points:tests/sim/physarum_3d_points.csv",
    "variant=sorted-8-words",
    "variant=sorted-8",
    "spin=1 view=points",
    "init=image:tests/fuzz/image/rgb8.png",
    "crop=8,8,8x8",
    "output-size=48x32",
    "kill-map=tests/fuzz/image/rgb8.png",
    "size=16x16x16 axis=x project=slice",
    "variant=joined agents=1000",
    "sensor-distance-gain=3 lifetime=9",
    "blend-to=worms",
    "blend-to=worms blend-map=tests/fuzz/image/rgb8.png",
    "blend-to=worms blend-spot=0.5,0.5,20",
    "species=3",
    "species=3 init=disc species-start=wedges",
    "species=2 infection=any infection-factor=0.5 infection-time=2",
    "species=2 sensor-distance-gain=9,2 turn-angle-gain=-30,60",
    "species=3 view=agents variant=sorted-8-bytes",
    "walls=disc food=points:0.5,0.5",
    "species=2 walls=frame wall-sight=open food=points:0.5,0.5 food-eaten=0.1",
    "walls=image:tests/sim/physarum_maze.png maps=decay=tests/sim/physarum_shares.png:1:2",
};

/* A change of the value for each kind of difference that one has made, as text; "": none. */
struct seen {
    char kinds[VKS_DIFFERS_IN_STRUCTURE + 1][256];
};

static bool was_seen(const struct seen *seen, enum vks_difference kind)
{
    return seen->kinds[kind][0] != '\0';
}

/* What settings declare. */
struct declared {
    struct vks_declaration steps, picture;
};

static void free_declared(struct declared *declared)
{
    vks_declaration_free(&declared->steps);
    vks_declaration_free(&declared->picture);
}

/* Settings that values are tried in. */
struct base {
    struct vks_settings settings;
    struct declared declared;
    const char *preset, *scene;
};

static bool apply_words(struct vks_settings *settings, const char *words)
{
    char text[128], *rest = text;
    snprintf(text, sizeof(text), "%s", words);
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value = '\0';
        if (vks_settings_set(settings, word, value + 1) != VKS_OK) {
            return false;
        }
    }
    return true;
}

/* The declarations of settings that make sense; false for others. */
static bool declare(struct vks_settings *settings, struct declared *declared)
{
    if (vks_settings_finish(settings) != VKS_OK) {
        return false;
    }
    vks_declare_steps(settings, &declared->steps);
    vks_declare_picture(settings, 0, NULL, &declared->steps, &declared->picture);
    return declared->picture.result == VKS_OK;
}

/* What differs, with the name of a field or pass. */
static const char *describe(enum vks_difference kind, const struct vks_declaration *old,
                            const struct vks_declaration *new)
{
    static char text[128];
    if (kind == VKS_DIFFERS_IN_STRUCTURE) {
        return vks_error_text();
    }
    for (size_t i = 0; i < new->pass_count; i++) {
        const struct vks_pass *a = &old->passes[i], *b = &new->passes[i];
        const bool of_start = b->when == VKS_AT_START || b->when == VKS_WHEN_READY;
        if (of_start == (kind == VKS_DIFFERS_AT_START) && a->constants_size == b->constants_size &&
            a->constants_size && memcmp(a->constants, b->constants, a->constants_size) != 0) {
            snprintf(text, sizeof(text), "it changes the constants of the pass '%s'", b->name);
            return text;
        }
    }
    return "it changes a pipeline, or what a field is filled from";
}

static void note(const struct base *base, const char *name, const char *value,
                 enum vks_difference kind, const char *what, struct seen *seen)
{
    if (kind != VKS_EQUAL && !was_seen(seen, kind)) {
        snprintf(seen->kinds[kind], sizeof(seen->kinds[kind]), "--%s %s after --preset %s%s%s: %s",
                 name, value, base->preset, *base->scene ? " and " : "", base->scene, what);
    }
}

/* Pictures can always change, also their structure. */
static void try_value(const struct base *base, const char *name, const char *value,
                      struct seen *seen)
{
    struct vks_settings settings = {0};
    struct declared new = {0};
    const struct declared *old = &base->declared;
    assert_int_equal(vks_settings_copy(&settings, &base->settings), VKS_OK);
    const bool is_set = vks_settings_set(&settings, name, value) == VKS_OK;
    const bool is_declared = is_set && declare(&settings, &new);
    if (is_set && !is_declared && strcmp(vks_error_last()->option, "variant") == 0) {
        note(base, name, value, VKS_DIFFERS_IN_STRUCTURE, "it does not fit the variant", seen);
    }
    if (is_declared) {
        const enum vks_difference kind = vks_declaration_compare(&old->steps, &new.steps);
        note(base, name, value, kind, describe(kind, &old->steps, &new.steps), seen);
        if (kind != VKS_DIFFERS_IN_STRUCTURE &&
            vks_declaration_compare(&old->picture, &new.picture) != VKS_EQUAL) {
            note(base, name, value, VKS_DIFFERS_LIVE, "it changes the picture", seen);
        }
    }
    free_declared(&new);
    vks_settings_free(&settings);
}

/* Tries values that the row allows: the ends of its range, and some in it. */
static void try_numbers(const struct base *base, const struct vks_option *option, struct seen *seen)
{
    static const double shares[] = {0, 1e-6, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.5, 1};
    char value[64];
    for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
        const double number = option->min + shares[i] * (option->max - option->min);
        if (option->type == VKS_OPTION_REAL) {
            snprintf(value, sizeof(value), "%.9g", number);
        } else {
            uint64_t whole = (uint64_t)number;
            whole += (option->flags & VKS_OPTION_ODD) && whole % 2 == 0;
            snprintf(value, sizeof(value), "%llu", (unsigned long long)whole);
        }
        try_value(base, option->name, value, seen);
    }
    const char *const small[] = {"1", "2", "3", "5", "100", "1000", "0.3"};
    for (size_t i = 0; i < sizeof(small) / sizeof(*small); i++) {
        try_value(base, option->name, small[i], seen);
    }
    const char *const lists[] = {"0.3,0.7", "0.7,0.3,0.4"};
    for (size_t i = 0; (option->flags & VKS_OPTION_LIST) && i < sizeof(lists) / sizeof(*lists);
         i++) {
        try_value(base, option->name, lists[i], seen);
    }
}

static void try_texts(const struct base *base, const struct vks_option *option, struct seen *seen)
{
    const char *value;
    for (size_t i = 0; option->choices && option->choices[i]; i++) {
        try_value(base, option->name, option->choices[i], seen);
    }
    for (size_t i = 0; strcmp(option->name, "view") == 0 &&
                       (value = vks_model_view(base->settings.model->name, i, NULL)) != NULL;
         i++) {
        try_value(base, option->name, value, seen);
    }
    for (size_t i = 0; strcmp(option->name, "init") == 0 &&
                       (value = vks_model_init(base->settings.model->name, i)) != NULL;
         i++) {
        try_value(base, option->name, value, seen);
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        for (size_t j = 0; strcmp(texts[i].name, option->name) == 0 && texts[i].values[j]; j++) {
            try_value(base, option->name, texts[i].values[j], seen);
        }
    }
}

static void try_option(const struct base *base, const struct vks_option *option, struct seen *seen)
{
    switch (option->type) {
    case VKS_OPTION_FLAG:
        try_value(base, option->name, "true", seen);
        try_value(base, option->name, "false", seen);
        break;
    case VKS_OPTION_COUNT:
    case VKS_OPTION_REAL:
        try_numbers(base, option, seen);
        break;
    case VKS_OPTION_SIZE:
        try_value(base, option->name, "64x32", seen);
        try_value(base, option->name, "32x16", seen);
        break;
    default:
        try_texts(base, option, seen);
    }
}

enum { MAX_OPTIONS = 128 };

/* Tries the options of one model, from each of its presets and, from the first, in each of the
 * scenes. */
static void try_model(const struct vks_model *model, struct seen seen[MAX_OPTIONS])
{
    const struct vks_preset *presets = vks_model_presets(model);
    for (size_t p = 0; presets[p].name; p++) {
        for (size_t s = 0; s < (p == 0 ? sizeof(scenes) / sizeof(*scenes) : 1); s++) {
            struct vks_option_info info = {.size = sizeof(info)};
            struct base base = {.preset = presets[p].name, .scene = scenes[s]};
            void *structure;
            assert_int_equal(vks_settings_init(&base.settings, model), VKS_OK);
            base.settings.limits = (struct vks_limits){
                .subgroup = 32, .min_subgroup = 32, .shared_bytes = 32768, .invocations = 1024};
            assert_int_equal(vks_settings_preset(&base.settings, presets[p].name), VKS_OK);
            assert_int_equal(vks_settings_set(&base.settings, "size", "64x64"), VKS_OK);
            if (apply_words(&base.settings, scenes[s]) && declare(&base.settings, &base.declared)) {
                for (size_t i = 0; vks_model_option(model->name, i, &info); i++) {
                    assert_true(i < MAX_OPTIONS);
                    try_option(&base, vks_settings_option(&base.settings, info.name, &structure),
                               &seen[i]);
                }
            }
            free_declared(&base.declared);
            vks_settings_free(&base.settings);
        }
    }
}

static const char *const claims[] = {
    [VKS_CHANGE_LIVE] = "VKS_CHANGE_LIVE (the next steps and pictures use it)",
    [VKS_CHANGE_START] = "VKS_CHANGE_START (it acts at the next restart)",
    [VKS_CHANGE_SOMETIMES] = "VKS_CHANGE_SOMETIMES (some values need a new simulation)",
    [VKS_CHANGE_NEVER] = "VKS_CHANGE_NEVER (every value needs a new simulation)",
};

/* True if the row says what was seen; else prints what it claims and a change of each kind. */
static bool check_row(const char *model, const struct vks_option_info *info,
                      const struct seen *seen)
{
    static const char *const kinds[] = {
        [VKS_DIFFERS_AT_START] = "acts at a restart",
        [VKS_DIFFERS_LIVE] = "acts at once",
        [VKS_DIFFERS_IN_STRUCTURE] = "needs a new simulation",
    };
    const bool live = was_seen(seen, VKS_DIFFERS_LIVE);
    const bool fine = live || was_seen(seen, VKS_DIFFERS_AT_START);
    const bool structure = was_seen(seen, VKS_DIFFERS_IN_STRUCTURE);
    const enum vks_option_change found = structure && fine ? VKS_CHANGE_SOMETIMES
                                         : structure       ? VKS_CHANGE_NEVER
                                         : live            ? VKS_CHANGE_LIVE
                                                           : VKS_CHANGE_START;
    const bool seen_any = fine || structure;
    /* The tool's count of steps; what is decided before anything is declared; what only the host's
     * filling of the state depends on. None of them may be seen. */
    const bool unseen =
        strcmp(info->name, "steps-per-frame") == 0 || strcmp(info->name, "field-strength") == 0;
    if (unseen ? !seen_any : seen_any && found == info->change) {
        return true;
    }
    print_message("%s, option '%s': its row claims %s, but\n", model, info->name,
                  unseen ? "nothing that a declaration shows" : claims[info->change]);
    for (size_t kind = VKS_DIFFERS_AT_START; kind <= VKS_DIFFERS_IN_STRUCTURE; kind++) {
        if (was_seen(seen, (enum vks_difference)kind)) {
            print_message("  %s: %s\n", kinds[kind], seen->kinds[kind]);
        }
    }
    if (!seen_any) {
        print_message("  no value that was tried changed a declaration\n");
    } else if (!unseen) {
        print_message("  so it should be %s\n", claims[found]);
    }
    return false;
}

static void add_seen(struct seen *sum, const struct seen *seen)
{
    for (size_t kind = 0; kind <= VKS_DIFFERS_IN_STRUCTURE; kind++) {
        if (!was_seen(sum, (enum vks_difference)kind)) {
            memcpy(sum->kinds[kind], seen->kinds[kind], sizeof(sum->kinds[kind]));
        }
    }
}

/* Options that every model has count as seen in any. */
static void test_models(void **state)
{
    const char *only = *state; /* NULL: all models */
    static struct seen seen[MAX_OPTIONS], common[MAX_OPTIONS];
    struct vks_option_info info = {.size = sizeof(info)};
    size_t wrong = 0;
    for (size_t m = 0; vks_model_at(m); m++) {
        const struct vks_model *model = vks_model_at(m);
        const size_t own = model->options.count;
        if (only && strcmp(model->name, only) != 0) {
            continue;
        }
        memset(seen, 0, sizeof(seen));
        try_model(model, seen);
        for (size_t i = 0; vks_model_option(model->name, i, &info); i++) {
            if (i < own) {
                wrong += !check_row(model->name, &info, &seen[i]);
            } else {
                add_seen(&common[i - own], &seen[i]);
            }
        }
    }
    const struct vks_model *first = vks_model_at(0);
    for (size_t i = 0; !only && vks_model_option(first->name, first->options.count + i, &info);
         i++) {
        wrong += !check_row("every model", &info, &common[i]);
    }
    if (wrong) {
        fail_msg("%zu rows claim something else in .change than what a new value does", wrong);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_models, argc > 1 ? argv[1] : NULL)};
    return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
