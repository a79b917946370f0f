/* SPDX-License-Identifier: MIT */
/* model_check.h: every fault that a new model's table can have gives a message that names the model
 * and the member, and what can have a default has one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "api/model_check.h"
#include "api/settings.h"
#include "api/simulation.h"
#include "graph/brush.h"
#include "sim/registry.h"

struct own {
    uint64_t count;
    double first, second;
    struct vks_list first_list, second_list;
    uint32_t kind;
};

static const char *const kinds[] = {"one", "two", NULL};
static const char *const no_names[] = {NULL};

#define AT(member) offsetof(struct own, member)
enum { COUNT, FIRST, SECOND, KIND, OPTIONS };
static const struct vks_option good_options[OPTIONS] = {
    [COUNT] = {.name = "count",
               .type = VKS_OPTION_COUNT,
               .offset = AT(count),
               .min = 1,
               .max = 9,
               .default_text = "3",
               .help = "how many there are"},
    [FIRST] = {.name = "first",
               .type = VKS_OPTION_REAL,
               .offset = AT(first),
               .min = 0,
               .max = 1,
               .default_text = "0.5",
               .help = "a number"},
    [SECOND] = {.name = "second",
                .type = VKS_OPTION_REAL,
                .offset = AT(second),
                .min = 0,
                .max = 1,
                .same_as = "first",
                .help = "another"},
    [KIND] = {.name = "kind",
              .type = VKS_OPTION_CHOICE,
              .offset = AT(kind),
              .choices = kinds,
              .help = "which kind"},
};

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    vks_declare_field(declaration, &(struct vks_field){.name = "plane",
                                                       .element = VKS_F32,
                                                       .rank = 2,
                                                       .shape = {config->height, config->width}});
}

static const struct vks_view plane_view[] = {{"plane", "plane", .help = "the plane"}, {0}};

/* A table without a fault, its options in `options` for a test to spoil. It has only the required
 * members. */
static struct vks_model model_with(struct vks_option options[OPTIONS])
{
    memcpy(options, good_options, sizeof(good_options));
    return (struct vks_model){
        .name = "test",
        .summary = "a model for tests",
        .options = {options, OPTIONS},
        .settings_size = sizeof(struct own),
        .views = plane_view,
        .declare = declare,
    };
}

static const struct vks_option_table nothing = {NULL, 0};

static void assert_wrong(const struct vks_model *model, const char *words)
{
    if (vks_model_check(model, nothing) != VKS_ERROR_INTERNAL) {
        fail_msg("taken, though %s", words);
    }
    if (!strstr(vks_error_text(), words) ||
        (model->name && !strstr(vks_error_text(), model->name))) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

static void test_members(void **state)
{
    (void)state;
    struct vks_option options[OPTIONS];
    static const struct vks_preset nameless[] = {{NULL, NULL, NULL}};
    static const struct vks_preset undefault[] = {{"plain", "without a default", ""},
                                                  {NULL, NULL, NULL}};
    static const struct vks_preset mute[] = {{"default", NULL, ""}, {NULL, NULL, NULL}};
    struct vks_model model = model_with(options);
    assert_int_equal(vks_model_check(&model, nothing), VKS_OK);

#define WRONG(member, value, words) \
    model = model_with(options);    \
    model.member = value;           \
    assert_wrong(&model, words)
    WRONG(name, NULL, "has no .name");
    WRONG(name, "", ".name has other characters");
    WRONG(name, "Test", ".name has other characters");
    WRONG(name, "two words", ".name has other characters");
    WRONG(summary, NULL, ".summary is missing");
    WRONG(views, NULL, ".views is missing");
    WRONG(views, plane_view + 1, ".views is missing");
    WRONG(views, VKS_VIEWS({"Plane", "plane", .help = ""}), "view 'Plane' has a .name with");
    WRONG(views, VKS_VIEWS({"plane", .help = ""}), "view 'plane' has no .field");
    WRONG(views, VKS_VIEWS({"plane", "plane", "plane", ""}),
          "view 'plane' has its own .field as .fallback");
    WRONG(views, VKS_VIEWS({"plane", "plane"}), "view 'plane' has no .help");
    WRONG(views, VKS_VIEWS({"dots", .help = "", .points = {"z", NULL, "x"}}),
          "view 'dots' has no .field");
    WRONG(views, VKS_VIEWS({"dots", "plane", .help = "", .points = {"z", "y", "x"}}),
          "view 'dots' has both a .field and .points");
    WRONG(views, VKS_VIEWS({"dots", .fallback = "plane", .help = "", .points = {"z", "y", "x"}}),
          "view 'dots' has a .fallback, which goes only with a .field");
    WRONG(views, VKS_VIEWS({"dots", .points = {"z", "y", "x"}}), "view 'dots' has no .help");
    WRONG(views, VKS_VIEWS({"plane", "plane", .help = "", .tint = {"heat"}}),
          "view 'plane' has a .tint, which is one field or three");
    WRONG(views, VKS_VIEWS({"dots", .help = "", .points = {"z", "y", "x"}, .tint = {"u", "v"}}),
          "view 'dots' has a .tint, which is one field or three");
    const struct vks_view flat[] = {{"dots", .help = "", .points = {NULL, "y", "x"}}, {0}};
    model = model_with(options);
    model.views = flat;
    assert_int_equal(vks_model_check(&model, nothing), VKS_OK);
    model.volumes = true;
    assert_wrong(&model, "view 'dots' has .points without a field for z");
    WRONG(views, VKS_VIEWS({"a", "plane", .help = ""}, {"a", "plane", .help = ""}),
          "view 'a' is there twice");
    struct vks_view many[VKS_MAX_VIEWS + 2] = {{0}};
    for (size_t i = 0; i <= VKS_MAX_VIEWS; i++) {
        many[i] = plane_view[0];
    }
    WRONG(views, many, ".views has more than 32 rows");
    WRONG(declare, NULL, ".declare is missing");
    WRONG(starts, no_names, ".starts is empty");
    WRONG(presets, nameless, "the first of .presets must be named \"default\"");
    WRONG(presets, undefault, "the first of .presets must be named \"default\"");
    WRONG(presets, mute, "preset 'default' has no .summary");
    WRONG(count_option, "cuont", ".count_option is not one of its options");
    WRONG(count_option, "first",
          ".count_option is an option of another type than VKS_OPTION_COUNT");
    WRONG(density_option, "first", ".density_option needs a .count_option that may be 0");
    WRONG(axis_options, VKS_AXIS_OPTIONS({"cuont", "plane", 3}), ".axis_options has 'cuont'");
    WRONG(axis_options, VKS_AXIS_OPTIONS({"first", "plane", 3}), ".axis_options has 'first'");
    WRONG(axis_options, VKS_AXIS_OPTIONS({"count", "plane", 0}), ".axis_options has 'count'");
    WRONG(reverse_option, "count", ".reverse_option and .reverse_field go together");
    WRONG(time.end_option, "first", ".time lacks some of its members");
    WRONG(time, ((struct vks_model_time){"count", "end", "clock", "time", "dt"}),
          ".time.end_option is not one of its options of type VKS_OPTION_REAL from 0 on");
    WRONG(needs_image, true, ".needs_image needs .starts_from_image");
    WRONG(inputs, VKS_INPUTS({"i", NULL, 0, 1, .options = "", .help = ""}), "'i' has no .field");
    WRONG(inputs, VKS_INPUTS({"i", "f", 1, 1, .options = "", .help = ""}), "'i' needs .min");
    WRONG(inputs, VKS_INPUTS({"i", "f", 0, 1, .options = "first=1 none", .help = ""}),
          "'i' has .options");
    WRONG(inputs, VKS_INPUTS({"i", "f", 0, 1, .times = "count", .options = "", .help = ""}),
          "'i' has .times");
    WRONG(chart.y, "first", ".chart has ''");
    WRONG(chart, ((struct vks_chart){"first", "count", {0, 0}, {1, 1}}), ".chart has 'count'");
    WRONG(chart, ((struct vks_chart){"first", "second", {0, 0}, {2, 1}}), ".chart has 'first'");
    WRONG(chart, ((struct vks_chart){"first", "second", {0, 1}, {1, 1}}), ".chart has 'second'");
    WRONG(options.options, NULL, ".options has a count but no table");
    WRONG(settings_size, 0, "option 'count' lies outside .settings_size");
    WRONG(settings_size, AT(kind), "option 'kind' lies outside .settings_size");
    WRONG(settings_size, AT(kind) + 3, "option 'kind' lies outside .settings_size");
#undef WRONG
}

static void test_options(void **state)
{
    (void)state;
    struct vks_option options[OPTIONS];
    struct vks_model model;
#define WRONG(option, member, value, words) \
    model = model_with(options);            \
    options[option].member = value;         \
    assert_wrong(&model, words)
    WRONG(FIRST, name, NULL, "option 2 has no .name");
    WRONG(FIRST, name, "First", "option 'First' has a .name with characters other than");
    WRONG(FIRST, name, "", "option '' has a .name with characters other than");
    WRONG(FIRST, name, "count", "option 'count' is declared twice");
    WRONG(FIRST, name, "seed", "option 'seed' has the name of an option that every simulation has");
    WRONG(COUNT, type, (enum vks_option_type)99, "option 'count' has a .type");
    WRONG(COUNT, help, NULL, "option 'count' has no .help");
    WRONG(COUNT, flags, VKS_OPTION_SECRET, "option 'count' has VKS_OPTION_SECRET or");
    WRONG(COUNT, min, 9, "option 'count' takes no value: .min must be under .max");
    WRONG(FIRST, max, -1, "option 'first' takes no value: .min must be under .max");
    WRONG(FIRST, soft_max, 1.5, "option 'first' needs .soft_min under .soft_max, and both inside");
    WRONG(FIRST, soft_min, 0.5, "option 'first' needs .soft_min under .soft_max, and both inside");
    WRONG(FIRST, soft_min, -1, "option 'first' needs .soft_min under .soft_max, and both inside");
    WRONG(FIRST, logarithmic, true, "option 'first' is .logarithmic, which needs .soft_min over 0");
    WRONG(KIND, soft_max, 1, "option 'kind' has .soft_min, .soft_max or .logarithmic, but is not");
    WRONG(KIND, choices, NULL, "option 'kind' has no .choices");
    WRONG(KIND, choices, no_names, "option 'kind' has no .choices");
    WRONG(SECOND, offset, AT(first), "the options 'first' and 'second' have the same .offset");
    WRONG(KIND, offset, AT(count) + 4, "the options 'count' and 'kind' have the same .offset");
    WRONG(FIRST, default_text, NULL, "option 'first' has no .default_text");
    WRONG(COUNT, default_text, NULL,
          "option 'count' has no .default_text, and without one it is 0");
    WRONG(FIRST, needs, "third", "option 'first' has a .needs or .unless with an unknown option");
    WRONG(FIRST, needs, "init|third", "option 'first' has a .needs or .unless");
    WRONG(FIRST, needs, "kind=blue|", "option 'first' has a .needs or .unless");
    WRONG(FIRST, needs, "init=nowhere", "option 'first' has a .needs or .unless");
    WRONG(FIRST, needs, "seed=1", "option 'first' has a .needs or .unless");
    WRONG(FIRST, unless, "third=1", "option 'first' has a .needs or .unless");
    WRONG(SECOND, same_as, "third", "option 'second' has a .same_as");
    WRONG(SECOND, same_as, "second", "option 'second' has a .same_as");
    WRONG(SECOND, same_as, "count", "option 'second' has a .same_as");
    WRONG(COUNT, same_as, "first", "option 'count' has a .same_as");
    WRONG(KIND, offset, sizeof(struct own), "option 'kind' lies outside .settings_size");
    WRONG(KIND, offset, SIZE_MAX, "option 'kind' lies outside .settings_size");
    WRONG(KIND, flags, VKS_OPTION_LIST, "option 'kind' has VKS_OPTION_LIST, which needs");
    WRONG(COUNT, flags, VKS_OPTION_LIST, "option 'count' has VKS_OPTION_LIST, which needs");
    WRONG(FIRST, flags, VKS_OPTION_LIST, "option 'first' has VKS_OPTION_LIST and a .list that");
#undef WRONG
    static const struct vks_option tool[] = {{.name = "kind"}};
    model = model_with(options);
    assert_int_equal(vks_model_check(&model, (struct vks_option_table){tool, 1}),
                     VKS_ERROR_INTERNAL);
    assert_string_equal(vks_error_text(),
                        "simulation 'test': option 'kind' has the name of an option that the "
                        "program has");
}

static void declare_brush(const struct vks_config *config, struct vks_declaration *declaration)
{
    (void)config;
    VKS_PASS(declaration, .name = "late", .shader = "core/brush", .items = {1});
}

static void test_brushes(void **state)
{
    (void)state;
    struct vks_option options[OPTIONS];
    const struct vks_brush good[] = {
        {"first", "adds", "removes", "kind", {{"plane", VKS_ADD(1), VKS_TO(0), -1, 1, "first"}}},
        {"second", "moves", "removes", .declare = declare_brush},
        {0},
    };
    struct vks_brush brushes[VKS_MAX_BRUSHES + 2];
    struct vks_model model = model_with(options);
    model.brushes = good;
    model.closed = "kind=two";
    assert_int_equal(vks_model_check(&model, nothing), VKS_OK);
    model.closed = "kind=none";
    assert_wrong(&model, ".closed is not an option");
    model.closed = NULL;
#define WRONG(member, value, words)      \
    memcpy(brushes, good, sizeof(good)); \
    model.brushes = brushes;             \
    brushes[0].member = value;           \
    assert_wrong(&model, words)
    WRONG(name, "First", "the brush 'First' has a .name with characters");
    WRONG(name, "second", "the brush 'second' is declared twice");
    WRONG(help, NULL, "the brush 'first' has no .help or .inverse");
    WRONG(inverse, NULL, "the brush 'first' has no .help or .inverse");
    WRONG(needs, "third", "the brush 'first' has a .needs with an unknown option");
    WRONG(effects[0].times, "count", "the brush 'first' has an effect with .times");
    WRONG(effects[0].max, -1, "the brush 'first' has an effect without a .max");
    WRONG(effects[0].field, NULL, "the brush 'first' has neither .effects nor .declare");
#undef WRONG
    static char names[VKS_MAX_BRUSHES + 1][2];
    for (size_t i = 0; i <= VKS_MAX_BRUSHES; i++) {
        names[i][0] = (char)('a' + i);
        brushes[i] = good[1];
        brushes[i].name = names[i];
    }
    brushes[VKS_MAX_BRUSHES + 1] = (struct vks_brush){0};
    model.brushes = brushes;
    assert_wrong(&model, "the brush 'i' is one too many");
}

/* Fields that are not painted, and passes that would never run. */
static void test_brush_declarations(void **state)
{
    (void)state;
    struct vks_option options[OPTIONS];
    const struct vks_model model = model_with(options);
    const struct vks_config config = {.width = 4, .height = 4, .depth = 1};
    const struct vks_brush late = {"late", "", "", .declare = declare_brush};
    const struct vks_brush lost = {"lost", "", "", .effects = {{"plain", .max = 1}}};
    struct vks_declaration base = {0};
    vks_declare_model(&model, &config, &base);
    for (int i = 0; i < 2; i++) {
        struct vks_declaration declaration = {0};
        const struct vks_strokes strokes = {{0}};
        vks_declare_brush(&model, &config, i == 0 ? &late : &lost, &strokes, 1, &base,
                          &declaration);
        assert_int_equal(declaration.result, VKS_ERROR_INTERNAL);
        assert_non_null(strstr(vks_error_text(), i == 0 ? "brush 'late': pass 'late' is not"
                                                        : "a brush paints 'plain'"));
        vks_declaration_free(&declaration);
    }
    vks_declaration_free(&base);
}

/* Options that may be lists. */
static void test_lists(void **state)
{
    (void)state;
    struct vks_option options[OPTIONS];
    struct vks_settings settings, back;
    struct vks_model model = model_with(options);
    options[FIRST].flags = options[SECOND].flags = VKS_OPTION_LIST;
    options[FIRST].list = AT(first_list);
    options[SECOND].list = AT(second_list);
    assert_int_equal(vks_model_check(&model, nothing), VKS_OK);
    options[FIRST].list = AT(first_list) - 8;
    assert_wrong(&model, "the options 'first' and 'second' have the same .offset or .list");
    options[FIRST].list = AT(second_list);
    assert_wrong(&model, "the options 'first' and 'second' have the same .offset or .list");
    options[FIRST].list = AT(first);
    assert_wrong(&model, "option 'first' has VKS_OPTION_LIST and a .list that overlaps its value");
    options[FIRST].list = sizeof(struct own) - 8;
    assert_wrong(&model, "option 'first' lies outside .settings_size");
    options[FIRST].list = SIZE_MAX;
    assert_wrong(&model, "option 'first' lies outside .settings_size");
    options[FIRST].list = AT(first_list);
    options[SECOND].flags = 0;
    assert_wrong(&model, "option 'second' has a .same_as with VKS_OPTION_LIST, which it lacks");
    options[SECOND].flags = VKS_OPTION_LIST;

    /* Settings: the follower has the whole list where they are resolved, presets and scenes bring
     * lists, and copies are complete. */
    static const struct vks_preset presets[] = {
        {"default", "as it is", NULL}, {"pair", "a list", "first=0.25,0.75"}, {NULL, NULL, NULL}};
    model.presets = presets;
    assert_int_equal(vks_settings_init(&settings, &model), VKS_OK);
    assert_int_equal(vks_settings_preset(&settings, "pair"), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    assert_int_equal(vks_settings_copy(&back, &settings), VKS_OK);
    const struct own *own = back.own, *resolved = back.resolved;
    assert_int_equal(own->first_list.count, 2);
    assert_int_equal(own->second_list.count, 0);
    assert_int_equal(resolved->second_list.count, 2);
    assert_true(resolved->second == 0.25 && resolved->second_list.values[1] == 0.75);
    json_t *object = json_object();
    assert_int_equal(vks_settings_to_json(&settings, object), VKS_OK);
    assert_int_equal(json_array_size(json_object_get(object, "first")), 2);
    assert_int_equal(vks_settings_preset(&back, "default"), VKS_OK);
    assert_int_equal(own->first_list.count, 0);
    assert_int_equal(vks_settings_from_json(&back, object, no_names, "a scene"), VKS_OK);
    assert_int_equal(own->first_list.count, 2);
    assert_true(own->first_list.values[1] == 0.75);
    json_decref(object);
    vks_settings_free(&settings);
    vks_settings_free(&back);
}

/* What the table leaves out has a default, and settings can be made of it. */
static void test_defaults(void **state)
{
    (void)state;
    struct vks_option options[OPTIONS];
    struct vks_settings settings;
    struct vks_model model = model_with(options);
    assert_int_equal(vks_settings_init(&settings, &model), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    assert_string_equal(settings.common.init, "default");
    assert_int_equal(((const struct own *)settings.own)->count, 3);
    const struct vks_config config = vks_settings_config(&settings);
    assert_int_equal(config.start, 0);
    assert_int_equal(config.depth, 1);
    assert_int_equal(vks_settings_set(&settings, "count", "7"), VKS_OK);
    assert_int_equal(vks_settings_preset(&settings, "default"), VKS_OK);
    assert_int_equal(((const struct own *)settings.own)->count, 3);
    assert_int_equal(vks_settings_preset(&settings, "plain"), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "has no preset 'plain', which belongs to "));
    vks_settings_free(&settings);

    /* No options at all, and a preset that sets none. */
    static const struct vks_preset presets[] = {
        {"default", "as it is", NULL},
        {"faulty", "names an option that is not there", "cuont=5"},
        {NULL, NULL, NULL},
    };
    model.presets = presets;
    model.options = nothing;
    model.settings_size = 0;
    assert_int_equal(vks_settings_init(&settings, &model), VKS_OK);
    assert_int_equal(vks_settings_preset(&settings, "faulty"), VKS_ERROR_INTERNAL);
    assert_non_null(
        strstr(vks_error_text(), "preset 'faulty' of test: test has no option 'cuont'"));
    vks_settings_free(&settings);

    /* A default that its option cannot have. */
    struct vks_model again = model_with(options);
    options[FIRST].default_text = "2";
    assert_int_equal(vks_settings_init(&settings, &again), VKS_ERROR_INTERNAL);
    assert_string_equal(vks_error_text(), "an option's default is wrong: first '2' is not a "
                                          "number from 0 to 1");
    vks_settings_free(&settings);

    /* A faulty table is found before anything is made of it. */
    model.declare = NULL;
    assert_int_equal(vks_settings_init(&settings, &model), VKS_ERROR_INTERNAL);
    assert_non_null(strstr(vks_error_text(), ".declare is missing"));
    vks_settings_free(&settings);
}

/* What is saved of a model's options: all but those that say otherwise. */
static void test_saved(void **state)
{
    (void)state;
    struct vks_option options[OPTIONS];
    struct vks_model model = model_with(options);
    struct vks_settings settings;
    options[KIND].flags = VKS_OPTION_NOT_SAVED;
    assert_int_equal(vks_settings_init(&settings, &model), VKS_OK);
    json_t *object = json_object();
    assert_int_equal(vks_settings_to_json(&settings, object), VKS_OK);
    assert_int_equal(json_integer_value(json_object_get(object, "count")), 3);
    assert_true(json_real_value(json_object_get(object, "first")) == 0.5);
    assert_null(json_object_get(object, "kind"));
    assert_string_equal(json_string_value(json_object_get(object, "size")), "1024x1024");
    json_decref(object);
    vks_settings_free(&settings);
}

/* Fields that cannot be shown, which the table alone does not tell. */
static const struct vks_field *declared;

static void declare_one(const struct vks_config *config, struct vks_declaration *declaration)
{
    (void)config;
    vks_declare_field(declaration, declared);
}

static void test_shown(void **state)
{
    (void)state;
    static const struct {
        struct vks_field field;
        const char *words;
    } cases[] = {
        {{.name = "plane", .element = VKS_F32, .rank = 2, .shape = {6, 8}}, NULL},
        {{.name = "plane", .element = VKS_F16, .rank = 2, .shape = {6, 8}}, NULL},
        {{.name = "plain", .element = VKS_F32, .rank = 2, .shape = {6, 8}},
         "the view's field 'plane' is not declared"},
        {{.name = "plane", .element = VKS_U32, .rank = 2, .shape = {6, 8}},
         "the field 'plane' cannot be shown: it must have rank 2"},
        {{.name = "plane", .element = VKS_F32, .rank = 1, .shape = {48}},
         "the field 'plane' cannot be shown: it must have rank 2"},
        {{.name = "plane", .element = VKS_F32, .rank = 3, .shape = {1, 6, 8}}, NULL},
        {{.name = "plane", .element = VKS_F32, .rank = 3, .shape = {2, 6, 8}},
         "its shape is (2, 6, 8), not (1, 6, 8) for a size of 8x6"},
        {{.name = "plane", .element = VKS_F32, .rank = 2, .shape = {8, 6}},
         "its shape is (8, 6), not (6, 8) for a size of 8x6"},
        {{.name = "plane", .element = VKS_F32, .rank = 2, .shape = {6, 16}},
         "its shape is (6, 16), not (6, 8) for a size of 8x6"},
    };
    struct vks_option options[OPTIONS];
    struct vks_model model = model_with(options);
    struct vks_settings settings;
    struct vks_declaration steps = {0}, picture = {0};
    model.declare = declare_one;
    assert_int_equal(vks_settings_init(&settings, &model), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "size", "8x6"), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        declared = &cases[i].field;
        vks_declare_steps(&settings, &steps);
        vks_declare_picture(&settings, 0, NULL, &steps, &picture);
        if ((picture.result == VKS_OK) != (cases[i].words == NULL)) {
            fail_msg("%zu: %s", i, vks_error_text());
        }
        if (cases[i].words && !strstr(vks_error_text(), cases[i].words)) {
            fail_msg("'%s' does not say '%s'", vks_error_text(), cases[i].words);
        }
        vks_declaration_free(&steps);
        vks_declaration_free(&picture);
    }
    /* The other field, where there is one. */
    model.views = VKS_VIEWS({"plane", "plane", "other", "the plane or the other"});
    declared = &cases[0].field;
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    vks_declare_steps(&settings, &steps);
    vks_declare_picture(&settings, 0, NULL, &steps, &picture);
    assert_true(picture.result != VKS_OK);
    assert_non_null(strstr(vks_error_text(), "the view's field 'other' is not declared"));
    vks_settings_free(&settings);
    vks_declaration_free(&steps);
    vks_declaration_free(&picture);
}

/* The mix of the only view. */
static struct vks_mix mix_of_view;

static void give_mix(const struct vks_config *config, struct vks_mix *mix)
{
    assert_int_equal(config->view, 0);
    assert_int_equal(mix->planes, 0);
    *mix = mix_of_view;
}

/* Colours of planes are read when settings are finished. */
static void test_mix(void **state)
{
    (void)state;
    static const struct {
        const char *colour;
        enum vks_result result;
        const char *words;
    } cases[] = {
        {"#3ca0ff", VKS_OK, NULL},
        {"#f00", VKS_OK, NULL},
        {"viridis_r", VKS_OK, NULL},
        {"#3ca0f", VKS_ERROR_USAGE, "colors '#3ca0f' is not a colour: # and six hexadecimal"},
        {"virids", VKS_ERROR_USAGE,
         "colors 'virids' is neither a colour such as #ff5040, nor a file"},
        {"/none.png", VKS_ERROR_FILE, "colors: cannot read '/none.png'"},
    };
    static const struct vks_field fields[] = {
        {.name = "plane", .element = VKS_F32, .rank = 3, .shape = {2, 6, 8}},
        {.name = "plane", .element = VKS_F32, .rank = 3, .shape = {3, 6, 8}},
        {.name = "plane", .element = VKS_F32, .rank = 2, .shape = {6, 8}},
    };
    struct vks_option options[OPTIONS];
    struct vks_model model = model_with(options);
    struct vks_settings settings;
    model.declare = declare_one;
    model.mix = give_mix;
    assert_int_equal(vks_settings_init(&settings, &model), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "size", "8x6"), VKS_OK);
    const struct vks_look_mix *mix = &settings.common.look.values.mix;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        mix_of_view = (struct vks_mix){
            .planes = 2, .colours = {"#ff8001", cases[i].colour}, .option = "colors"};
        assert_int_equal(vks_settings_finish(&settings), cases[i].result);
        if (cases[i].words) {
            assert_string_equal(vks_error_last()->option, "colors");
            if (strncmp(vks_error_text(), cases[i].words, strlen(cases[i].words)) != 0) {
                fail_msg("'%s' does not begin with '%s'", vks_error_text(), cases[i].words);
            }
            continue;
        }
        assert_int_equal(mix->maps[0].entries[0], 0xff000000);
        assert_int_equal(mix->maps[0].entries[1], 0xff000101);
        assert_int_equal(mix->maps[0].entries[254], 0xff017ffe);
        assert_int_equal(mix->maps[0].entries[255], 0xff0180ff);
        for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
            struct vks_declaration steps = {0}, picture = {0};
            declared = &fields[k];
            vks_declare_steps(&settings, &steps);
            vks_declare_picture(&settings, 0, NULL, &steps, &picture);
            assert_int_equal(picture.result, k == 0 ? VKS_OK : VKS_ERROR_INTERNAL);
            vks_declaration_free(&steps);
            vks_declaration_free(&picture);
        }
    }
    mix_of_view = (struct vks_mix){
        .planes = 2, .only = 2, .colours = {"#ff8001", "#0f0"}, .option = "colors"};
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    assert_int_equal(settings.common.look.values.map.entries[255], 0xff00ff00);
    mix_of_view.only = 3;
    assert_int_equal(vks_settings_finish(&settings), VKS_ERROR_INTERNAL);
    mix_of_view = (struct vks_mix){0};
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    assert_int_equal(mix->planes, 0);
    vks_settings_free(&settings);
}

/* Declares a field and a pass with what `misplaced` says. */
static struct {
    enum vks_when when;
    bool persistent;
} misplaced;

static void declare_misplaced(const struct vks_config *config, struct vks_declaration *declaration)
{
    assert_true(config->width == 8);
    VKS_FIELD(declaration, .name = "sums", .element = VKS_F32, .persistent = misplaced.persistent);
    VKS_PASS(declaration, .name = "add", .shader = "none", .when = misplaced.when,
             .uses = VKS_USES({"sums", VKS_WRITE}));
}

/* Steps do not see what pictures show, frames have no other passes and no state. */
static void test_frames(void **state)
{
    (void)state;
    static const struct {
        bool in_frame;
        enum vks_when when;
        bool persistent;
        const char *words;
    } cases[] = {
        {false, VKS_EACH_STEP, false, NULL},
        {false, VKS_EACH_FRAME, false, "pass 'add' runs in frames: declare it in .declare_frame"},
        {true, VKS_EACH_FRAME, false, NULL},
        {true, VKS_EACH_STEP, false, "pass 'add' does not run in frames: declare it in .declare"},
        {true, VKS_AT_START, false, "pass 'add' does not run in frames: declare it in .declare"},
        {true, VKS_EACH_FRAME, true, "field 'sums' is state: declare it in .declare"},
    };
    const struct vks_config config = {
        .width = 8, .height = 6, .depth = 1, .view = 3, .watch = true};
    struct vks_option options[OPTIONS];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vks_model model = model_with(options);
        struct vks_declaration steps = {0}, frame = {0};
        misplaced.when = cases[i].when;
        misplaced.persistent = cases[i].persistent;
        model.declare = cases[i].in_frame ? declare_one : declare_misplaced;
        model.declare_frame = cases[i].in_frame ? declare_misplaced : NULL;
        declared = &(const struct vks_field){.name = "plane", .element = VKS_F32};
        vks_declare_model(&model, &config, &steps);
        vks_declare_frame(&model, &config, &steps, &frame);
        assert_int_equal(frame.result == VKS_OK, cases[i].words == NULL);
        if (cases[i].words && !strstr(vks_error_text(), cases[i].words)) {
            fail_msg("'%s' does not say '%s'", vks_error_text(), cases[i].words);
        }
        if (i == 0) { /* the frame's declaration has the field, in the other's buffers */
            assert_true(frame.fields[0].bound);
            assert_int_equal(vks_declaration_bytes(&frame), 0);
            assert_int_equal(frame.bound_bytes, 8 * 6 * 4);
        }
        vks_declaration_free(&steps);
        vks_declaration_free(&frame);
    }
}

static void test_registry(void **state)
{
    (void)state;
    if (vks_models_check(nothing) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    static const struct vks_option tool[] = {{.name = "agents"}};
    assert_int_equal(vks_models_check((struct vks_option_table){tool, 1}), VKS_ERROR_INTERNAL);
    assert_non_null(strstr(vks_error_text(), "simulation 'physarum': option 'agents' has the"));
}

/* What a slider of the option could not show. */
static void check_soft(struct vks_option_table table, const void *values, const char *model,
                       const char *where)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        double low, high;
        vks_option_soft_range(option, &low, &high);
        const void *value = (const char *)values + option->offset;
        const struct vks_list *list = vks_option_list(option, values);
        const double single = option->type == VKS_OPTION_REAL    ? *(const double *)value
                              : option->type == VKS_OPTION_COUNT ? *(const uint64_t *)value
                                                                 : low;
        for (size_t j = 0; j < (list ? list->count : 1); j++) {
            const double number = list ? list->values[j] : single;
            if (number < low || number > high) { /* false for one that follows another */
                fail_msg("%s %s: %s is %g, outside %g to %g", model, where, option->name, number,
                         low, high);
            }
        }
    }
}

/* Sliders show the defaults and the values of every preset. */
static void test_soft_ranges(void **state)
{
    (void)state;
    const struct vks_model *model;
    for (size_t i = 0; (model = vks_model_at(i)); i++) {
        struct vks_settings settings;
        assert_int_equal(vks_settings_init(&settings, model), VKS_OK);
        assert_int_equal(vks_settings_reset(&settings), VKS_OK);
        check_soft(model->options, settings.own, model->name, "defaults");
        check_soft(vks_common_options, &settings.common, model->name, "defaults");
        for (const struct vks_preset *preset = vks_model_presets(model); preset->name; preset++) {
            assert_int_equal(vks_settings_preset(&settings, preset->name), VKS_OK);
            check_soft(model->options, settings.own, model->name, preset->name);
            check_soft(vks_common_options, &settings.common, model->name, preset->name);
        }
        vks_settings_free(&settings);
    }
    const struct vks_option_table physarum = vks_model_find("physarum")->options;
    const struct vks_option *decay = vks_option_find(physarum, "decay");
    assert_true(decay->logarithmic);
    assert_string_equal(vks_option_heading(physarum, decay), "trail");
    assert_string_equal(vks_option_heading(physarum, physarum.options), "agents");
    assert_string_equal(
        vks_option_heading((struct vks_option_table){good_options, OPTIONS}, &good_options[KIND]),
        "");
    double low, high;
    vks_option_soft_range(&good_options[COUNT], &low, &high);
    assert_true(low == 1 && high == 9);
}

static void test_view_names(void **state)
{
    (void)state;
    const char *help = NULL;
    assert_string_equal(vks_model_view("physarum", 0, NULL), "trail");
    assert_string_equal(vks_model_view("physarum", 1, &help), "agents");
    assert_string_equal(help, "agents in each cell");
    assert_string_equal(vks_model_view("physarum", 2, NULL), "headings");
    assert_string_equal(vks_model_view("physarum", 3, NULL), "food");
    assert_null(vks_model_view("physarum", 4, &help));
    assert_null(vks_model_view("physarmu", 0, &help));
    const struct vks_model *model = vks_model_find("gray-scott");
    assert_ptr_equal(vks_view_find(model, NULL), &model->views[0]);
    assert_ptr_equal(vks_view_find(model, "u"), &model->views[1]);
    assert_null(vks_view_find(model, "w"));
    assert_string_equal(
        vks_error_text(),
        "view 'w' is not a view of gray-scott, whose views are: v, u (did you mean 'v'?)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_view_names),
        cmocka_unit_test(test_mix),
        cmocka_unit_test(test_soft_ranges),
        cmocka_unit_test(test_brushes),
        cmocka_unit_test(test_brush_declarations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
