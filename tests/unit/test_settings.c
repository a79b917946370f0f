/* SPDX-License-Identifier: MIT */
/* settings.h and the option tables of every model: presets, starts, scenes as JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/settings.h"
#include "api/simulation.h"
#include "sim/registry.h"
#include "volume_model.h"

static void assert_says(const char *words)
{
    if (!strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

/* Settings of Physarum as its default preset has them. */
static struct vks_settings make(const struct vks_model *model)
{
    struct vks_settings settings = {0};
    assert_non_null(model);
    if (vks_settings_init(&settings, model) != VKS_OK) {
        fail_msg("%s: %s", model->name, vks_error_text());
    }
    return settings;
}

static void set(struct vks_settings *settings, const char *name, const char *text)
{
    if (vks_settings_set(settings, name, text) != VKS_OK) {
        fail_msg("%s=%s: %s", name, text, vks_error_text());
    }
}

/* All values as JSON text, keys sorted: two settings are equal if their texts are. */
static char *text_of(const struct vks_settings *settings)
{
    json_t *object = json_object();
    assert_int_equal(vks_settings_to_json(settings, object), VKS_OK);
    char *text = json_dumps(object, JSON_SORT_KEYS);
    assert_non_null(text);
    json_decref(object);
    return text;
}

/* --- every model ------------------------------------------------------------------------------ */

static void test_tables(void **state)
{
    (void)state;
    size_t models = 0;
    for (const struct vks_model *model; (model = vks_model_at(models)) != NULL; models++) {
        assert_ptr_equal(vks_model_find(model->name), model);
        const struct vks_option_table tables[] = {model->options, vks_common_options};
        for (size_t t = 0; t < 2; t++) {
            for (size_t i = 0; i < tables[t].count; i++) {
                const struct vks_option *option = &tables[t].options[i];
                assert_non_null(option->help);
                assert_true(strlen(option->help) > 5);
                /* Only what changes no byte may be left out of scenes. */
                assert_true(!(option->flags & VKS_OPTION_NOT_SAVED) ||
                            strcmp(option->name, "variant") == 0);
                assert_int_equal(strspn(option->name, "abcdefghijklmnopqrstuvwxyz-0123456789"),
                                 strlen(option->name));
                /* A name means one thing. */
                assert_ptr_equal(vks_option_find(tables[t], option->name), option);
                assert_true(t == 1 || !vks_option_find(vks_common_options, option->name));
                if (option->same_as) {
                    const struct vks_option *other = vks_option_find(tables[t], option->same_as);
                    assert_non_null(other);
                    assert_int_equal(other->type, VKS_OPTION_REAL);
                    assert_int_equal(option->type, VKS_OPTION_REAL);
                }
                if (option->type == VKS_OPTION_CHOICE) {
                    assert_non_null(option->choices[0]);
                }
                if (option->type == VKS_OPTION_COUNT || option->type == VKS_OPTION_REAL) {
                    assert_true(option->min < option->max);
                    assert_non_null(option->unit);
                }
            }
        }
        assert_non_null(vks_model_starts(model)[0]);
        assert_string_equal(vks_model_presets(model)[0].name, "default");
        assert_true(!model->count_option || vks_option_find(model->options, model->count_option));
    }
    assert_true(models >= 1);
}

/* Every preset of every model can be set and declared, and keeps the seed, and the size unless it
 * names one. */
static void test_presets(void **state)
{
    (void)state;
    for (size_t m = 0; vks_model_at(m); m++) {
        const struct vks_model *model = vks_model_at(m);
        struct vks_settings settings = make(model);
        for (size_t i = 0; vks_model_presets(model)[i].name; i++) {
            const struct vks_preset *preset = &vks_model_presets(model)[i];
            set(&settings, "size", "96x64");
            set(&settings, "seed", "77");
            if (vks_settings_preset(&settings, preset->name) != VKS_OK ||
                vks_settings_finish(&settings) != VKS_OK) {
                fail_msg("%s: preset %s: %s", model->name, preset->name, vks_error_text());
            }
            const char *options = preset->options ? preset->options : "";
            const bool sized = strncmp(options, "size=", 5) == 0 || strstr(options, " size=");
            assert_true(sized ||
                        (settings.common.size.width == 96 && settings.common.size.height == 64));
            assert_int_equal(settings.common.seed, 77);
            struct vks_declaration steps = {0}, picture = {0};
            vks_declare_steps(&settings, &steps);
            vks_declare_picture(&settings, vks_plane_bit(VKS_PLANE_YUV), NULL, &steps, &picture);
            if (picture.result != VKS_OK) {
                fail_msg("%s: preset %s: %s", model->name, preset->name, vks_error_text());
            }
            assert_true(steps.pass_count >= 2 && picture.pass_count >= 2);
            vks_declaration_free(&steps);
            vks_declaration_free(&picture);
            assert_true(strlen(preset->summary) > 5);
            assert_ptr_equal(vks_preset_find(model, preset->name), preset);
            for (size_t j = 0; j < i; j++) {
                assert_string_not_equal(vks_model_presets(model)[j].name, preset->name);
            }
        }
        assert_null(vks_preset_find(model, "such a name has no preset at all"));
        assert_says("the nearest are");
        vks_settings_free(&settings);
    }
}

/* A preset is whole: nothing of the one before is left. */
static void test_preset_replaces(void **state)
{
    (void)state;
    for (size_t m = 0; vks_model_at(m); m++) {
        const struct vks_model *model = vks_model_at(m);
        for (size_t i = 0; vks_model_presets(model)[i].name; i++) {
            struct vks_settings fresh = make(model), used = make(model);
            for (size_t j = 0; vks_model_presets(model)[j].name; j++) {
                assert_int_equal(vks_settings_preset(&used, vks_model_presets(model)[j].name),
                                 VKS_OK);
            }
            set(&used, "gamma", "3");
            set(&used, "normalize", "frame");
            set(&used, "steps-per-frame", "9");
            assert_int_equal(vks_settings_preset(&fresh, vks_model_presets(model)[i].name), VKS_OK);
            assert_int_equal(vks_settings_preset(&used, vks_model_presets(model)[i].name), VKS_OK);
            char *a = text_of(&fresh), *b = text_of(&used);
            assert_string_equal(a, b);
            free(a);
            free(b);
            vks_settings_free(&fresh);
            vks_settings_free(&used);
        }
    }
}

static void test_starts(void **state)
{
    (void)state;
    for (size_t m = 0; vks_model_at(m); m++) {
        const struct vks_model *model = vks_model_at(m);
        struct vks_settings settings = make(model);
        for (uint32_t i = 0; vks_model_starts(model)[i]; i++) {
            set(&settings, "init", vks_model_starts(model)[i]);
            assert_int_equal(vks_settings_finish(&settings), VKS_OK);
            const struct vks_config config = vks_settings_config(&settings);
            assert_int_equal(config.start, i);
            assert_null(config.image);
        }
        if (model->starts_from_image) {
            set(&settings, "init", "image:some where/a:b.png");
            assert_int_equal(vks_settings_finish(&settings), VKS_OK);
            const struct vks_config config = vks_settings_config(&settings);
            assert_int_equal(config.start, 0);
            assert_string_equal(config.image, "some where/a:b.png");
        }
        static const char *const images[] = {"me.jpg", "a/b.JPEG", "x.png"};
        for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
            char words[64];
            snprintf(words, sizeof(words), "(did you mean 'image:%s'?)", images[i]);
            set(&settings, "init", images[i]);
            assert_int_equal(vks_settings_finish(&settings), VKS_ERROR_USAGE);
            assert_int_equal(strstr(vks_error_text(), words) != NULL, model->starts_from_image);
        }
        static const char *const wrong[] = {"", "image:", "image", "nothing-like-it", "Random"};
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
            set(&settings, "init", wrong[i]);
            assert_int_equal(vks_settings_finish(&settings), VKS_ERROR_USAGE);
            assert_says("init '");
            assert_says(vks_model_starts(model)[0]);
        }
        vks_settings_free(&settings);
    }
}

/* The size of a run that starts from an image of 9 x 7 pixels. */
static void test_image_size(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value;
        uint32_t width, height;
    } rows[] = {{"seed", "2", 1160, 904},
                {"size", "640x480", 640, 480},
                {"size", "1024x1024", 1024, 1024},
                {"init", NULL, 1024, 1024}}; /* another of the model */
    for (size_t m = 0; vks_model_at(m); m++) {
        const struct vks_model *model = vks_model_at(m);
        for (size_t i = 0; model->starts_from_image && i < sizeof(rows) / sizeof(rows[0]); i++) {
            struct vks_settings settings = make(model);
            set(&settings, "init", "image:tests/fuzz/image/rgb8.png");
            set(&settings, rows[i].option,
                rows[i].value ? rows[i].value : vks_model_init(model->name, 0));
            assert_int_equal(vks_settings_take_image_size(&settings), VKS_OK);
            assert_int_equal(vks_settings_finish(&settings), VKS_OK);
            assert_int_equal(settings.common.size.width, rows[i].width);
            assert_int_equal(settings.common.size.height, rows[i].height);
            vks_settings_free(&settings);
        }
        if (model->starts_from_image) {
            struct vks_settings settings = make(model);
            set(&settings, "init", "image:/nonexistent/me.png");
            assert_int_equal(vks_settings_take_image_size(&settings), VKS_ERROR_FILE);
            assert_says("/nonexistent/me.png");
            vks_settings_free(&settings);
        }
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static void test_unknown_names(void **state)
{
    (void)state;
    struct vks_settings settings = make(vks_model_find("physarum"));
    assert_int_equal(vks_settings_set(&settings, "agent", "5"), VKS_ERROR_USAGE);
    assert_says("physarum has no option 'agent' (did you mean 'agents'?)");
    assert_int_equal(vks_settings_set(&settings, "sensor-anlge", "5"), VKS_ERROR_USAGE);
    assert_says("(did you mean 'sensor-angle'?)");
    assert_int_equal(vks_settings_set(&settings, "colourmap", "ember"), VKS_ERROR_USAGE);
    assert_says("(did you mean 'colormap'?)");
    assert_int_equal(vks_settings_set(&settings, "zzzzzzzz", "5"), VKS_ERROR_USAGE);
    assert_null(strstr(vks_error_text(), "did you mean"));
    assert_int_equal(vks_settings_preset(&settings, "defualt"), VKS_ERROR_USAGE);
    assert_says("has no preset 'defualt'; the nearest are default, ");
    vks_settings_free(&settings);
    assert_null(vks_model_find("physarun"));
    assert_says("physarum");
    assert_null(vks_model_find(""));
    assert_null(vks_model_at(1000));
}

static void test_copy(void **state)
{
    (void)state;
    struct vks_settings settings = make(vks_model_find("physarum")), copy = {0};
    set(&settings, "agents", "1234");
    set(&settings, "init", "ring");
    set(&settings, "normalize", "fixed:0:2");
    assert_int_equal(vks_settings_copy(&copy, &settings), VKS_OK);
    assert_ptr_not_equal(copy.common.init, settings.common.init);
    char *a = text_of(&settings), *b = text_of(&copy);
    assert_string_equal(a, b);
    free(a);
    free(b);
    vks_settings_free(&settings);
    assert_string_equal(copy.common.init, "ring");
    vks_settings_free(&copy);
    vks_settings_free(&copy); /* twice is fine */
}

/* turn-angle as it is set, and as the model sees it. */
static void assert_follower(struct vks_settings *settings, const char *set_to, const char *seen)
{
    void *structure;
    const struct vks_option *turn = vks_settings_option(settings, "turn-angle", &structure);
    char text[64];
    assert_int_equal(vks_settings_finish(settings), VKS_OK);
    const struct vks_config config = vks_settings_config(settings);
    assert_string_equal(vks_option_get(turn, structure, text, sizeof(text)), set_to);
    assert_string_equal(vks_option_get(turn, config.settings, text, sizeof(text)), seen);
}

static void test_follows(void **state)
{
    (void)state;
    struct vks_settings settings = make(vks_model_find("physarum"));
    assert_int_equal(vks_settings_preset(&settings, "plain"), VKS_OK);
    set(&settings, "sensor-angle", "33");
    assert_follower(&settings, "sensor-angle", "33");
    set(&settings, "sensor-angle", "34"); /* also later */
    assert_follower(&settings, "sensor-angle", "34");
    set(&settings, "turn-angle", "-5");
    set(&settings, "sensor-angle", "35");
    assert_follower(&settings, "-5", "-5");
    set(&settings, "turn-angle", "sensor-angle"); /* again */
    assert_follower(&settings, "sensor-angle", "35");
    assert_int_equal(vks_settings_set(&settings, "turn-angle", "sensor"), VKS_ERROR_USAGE);
    assert_says("turn-angle 'sensor' is not a number from -180 to 180 deg, nor a list of 2 to 8 "
                "such numbers separated by commas, nor sensor-angle");
    assert_int_equal(vks_settings_set(&settings, "sensor-angle", "sensor-angle"), VKS_ERROR_USAGE);

    /* A scene or state file keeps that it follows. */
    struct vks_settings loaded = make(vks_model_find("physarum"));
    json_t *object = json_object();
    static const char *const known[] = {NULL};
    assert_int_equal(vks_settings_to_json(&settings, object), VKS_OK);
    assert_string_equal(json_string_value(json_object_get(object, "turn-angle")), "sensor-angle");
    assert_int_equal(vks_settings_from_json(&loaded, object, known, "a scene"), VKS_OK);
    set(&loaded, "sensor-angle", "36");
    assert_follower(&loaded, "sensor-angle", "36");
    json_decref(object);
    vks_settings_free(&loaded);
    void *structure;
    assert_null(vks_settings_option(&settings, "turn-angel", &structure));
    vks_settings_free(&settings);
}

/* The colours of a preset are for its view; another view has its own, and what is set stays. */
static void test_view_colours(void **state)
{
    (void)state;
    struct vks_settings settings = make(vks_model_find("gas"));
    const struct vks_look *look = &settings.common.look;
    assert_int_equal(vks_settings_preset(&settings, "shear"), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    assert_string_equal(look->colormap, "iris");
    set(&settings, "view", "vorticity");
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    assert_string_equal(look->colormap, "aurora");
    assert_string_equal(look->normalize, "symmetric");
    assert_true(look->gamma == 0.5 && look->values.range.symmetric);
    set(&settings, "gamma", "2"); /* while it runs */
    set(&settings, "view", "speed");
    struct vks_settings copy = {0};
    assert_int_equal(vks_settings_copy(&copy, &settings), VKS_OK);
    for (int i = 0; i < 2; i++) {
        struct vks_settings *one = i ? &copy : &settings;
        assert_int_equal(vks_settings_finish(one), VKS_OK);
        assert_string_equal(one->common.look.colormap, "abyss");
        assert_true(one->common.look.gamma == 2);
        set(one, "view", "density"); /* that of the preset */
        assert_int_equal(vks_settings_finish(one), VKS_OK);
        assert_string_equal(one->common.look.colormap, "iris");
        assert_string_equal(one->common.look.normalize, "fixed:0.8:2.2");
        assert_true(one->common.look.gamma == 2);
    }
    vks_settings_free(&copy);
    vks_settings_free(&settings);

    /* Of a scene or state file as of a preset. */
    settings = make(vks_model_find("gas"));
    json_t *object =
        json_pack("{s:s, s:s, s:s}", "method", "grid", "size", "64x64", "view", "speed");
    json_object_set_new(object, "colormap", json_string("gold"));
    const char *const none[] = {NULL};
    assert_int_equal(vks_settings_from_json(&settings, object, none, "scene"), VKS_OK);
    json_decref(object);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    assert_string_equal(look->colormap, "gold");
    assert_true(look->gamma == 0.7); /* the view's */
    set(&settings, "view", "pressure");
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    assert_string_equal(look->colormap, "orchid");
    vks_settings_free(&settings);

    for (size_t m = 0; vks_model_at(m); m++) {
        settings = make(vks_model_at(m));
        for (const struct vks_view *view = settings.model->views; view->name; view++) {
            set(&settings, "view", view->name);
            if (vks_settings_finish(&settings) == VKS_ERROR_INTERNAL) {
                fail_msg("%s: %s", settings.model->name, vks_error_text());
            }
        }
        vks_settings_free(&settings);
    }
}

static void test_normalize(void **state)
{
    (void)state;
    struct vks_settings settings = make(vks_model_find("physarum"));
    static const char *const good[] = {"frame",      "smooth",         "fixed:0:1",
                                       "fixed:-3:5", "fixed:1e-3:0.5", "fixed:0:0.00001",
                                       "symmetric",  "symmetric:0.5",  "symmetric:1e6"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        set(&settings, "normalize", good[i]);
        if (vks_settings_finish(&settings) != VKS_OK) {
            fail_msg("%s: %s", good[i], vks_error_text());
        }
    }
    static const char *const wrong[] = {
        "",
        "Frame",
        "fixed",
        "fixed:",
        "fixed:1",
        "fixed:1:",
        "fixed::1",
        "fixed:1:1",
        "fixed:2:1",
        "fixed:0:1:2",
        "fixed:0:1x",
        "fixed:nan:1",
        "fixed:0:nan",
        "fixed:-inf:inf",
        "fixed:0:1e300",
        "fixed:0:1e-7",
        "smoothly",
        "symmetrical",
        "symmetric:",
        "symmetric:0",
        "symmetric:-1",
        "symmetric:1:2",
        "symmetric:inf",
        "fixed:0 1",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        set(&settings, "normalize", wrong[i]);
        if (vks_settings_finish(&settings) != VKS_ERROR_USAGE) {
            fail_msg("--normalize '%s' was taken", wrong[i]);
        }
        assert_says("normalize '");
        assert_says("fixed:LOW:HIGH");
    }
    vks_settings_free(&settings);
}

static void test_size_limit(void **state)
{
    (void)state;
    struct vks_settings settings = make(vks_model_find("gray-scott"));
    set(&settings, "size", "65536x65535");
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    set(&settings, "size", "65536x65536");
    assert_int_equal(vks_settings_finish(&settings), VKS_ERROR_USAGE);
    assert_says("size 65536x65536 has");
    vks_settings_free(&settings);
}

/* A depth is for models of volumes; the others refuse it, and a scene that has one. */
static void test_depth(void **state)
{
    (void)state;
    for (size_t m = 0; vks_model_at(m); m++) {
        struct vks_settings settings = make(vks_model_at(m));
        char words[128];
        const bool deep = strcmp(vks_model_at(m)->name, "physarum-3d") == 0; /* only volumes */
        set(&settings, "size", "64x32x1");
        assert_int_equal(vks_settings_finish(&settings), deep ? VKS_ERROR_USAGE : VKS_OK);
        assert_int_equal(vks_settings_config(&settings).depth, 1);
        if (!vks_model_at(m)->volumes) {
            set(&settings, "size", "64x32x16");
            assert_int_equal(vks_settings_finish(&settings), VKS_ERROR_USAGE);
            snprintf(words, sizeof(words),
                     "'%s' is two-dimensional: size takes WIDTHxHEIGHT, not 64x32x16",
                     vks_model_at(m)->name);
            assert_string_equal(vks_error_text(), words);
        }
        vks_settings_free(&settings);
    }
    struct vks_settings settings = make(&volume_model);
    set(&settings, "size", "64x32x16");
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    const struct vks_config config = vks_settings_config(&settings);
    assert_int_equal(config.width, 64);
    assert_int_equal(config.height, 32);
    assert_int_equal(config.depth, 16);
    char *text = text_of(&settings);
    assert_non_null(strstr(text, "\"size\": \"64x32x16\""));
    free(text);
    assert_int_equal(vks_settings_preset(&settings, "default"), VKS_OK);
    assert_int_equal(settings.common.size.depth, 16); /* the size stays */
    set(&settings, "size", "1024x2048x2047");
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    set(&settings, "size", "1024x2048x2048");
    assert_int_equal(vks_settings_finish(&settings), VKS_ERROR_USAGE);
    assert_says("size 1024x2048x2048 has more than 4294967295 cells");
    set(&settings, "size", "65536x65536x65536");
    assert_int_equal(vks_settings_finish(&settings), VKS_ERROR_USAGE);
    vks_settings_free(&settings);
}

/* --- scenes ----------------------------------------------------------------------------------- */

static const char *const no_keys[] = {NULL};

/* Every option gets another value than its own; the scene brings all of them back. */
static void test_scene_round_trip(void **state)
{
    (void)state;
    for (size_t m = 0; vks_model_at(m); m++) {
        const struct vks_model *model = vks_model_at(m);
        struct vks_settings settings = make(model), back = make(model);
        const struct vks_option_table tables[] = {model->options, vks_common_options};
        void *const structures[] = {settings.own, &settings.common};
        size_t in_scene = 0;
        for (size_t t = 0; t < 2; t++) {
            for (size_t i = 0; i < tables[t].count; i++) {
                const struct vks_option *option = &tables[t].options[i];
                char text[64];
                size_t last = 0;
                while (option->choices && option->choices[last + 1]) {
                    last++;
                }
                switch (option->type) {
                case VKS_OPTION_COUNT:
                    snprintf(text, sizeof(text), "%.0f", option->min + 2);
                    break;
                case VKS_OPTION_REAL:
                    snprintf(text, sizeof(text), "%.17g",
                             option->min + (option->max - option->min) / 3);
                    break;
                case VKS_OPTION_CHOICE:
                    snprintf(text, sizeof(text), "%s", option->choices[last]);
                    break;
                case VKS_OPTION_SIZE:
                    snprintf(text, sizeof(text), "17x19");
                    break;
                case VKS_OPTION_FLAG:
                    snprintf(text, sizeof(text), "true");
                    break;
                case VKS_OPTION_TEXT:
                    snprintf(text, sizeof(text), "%s",
                             option->choices ? option->choices[last] : "a \"text\" \\ \xc3\xa4");
                    break;
                }
                in_scene += option->flags & VKS_OPTION_UNSAVED ? 0 : 1;
                if (vks_option_set(option, structures[t], text) != VKS_OK) {
                    fail_msg("%s", vks_error_text());
                }
            }
        }
        char *a = text_of(&settings);
        json_t *object = json_loads(a, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(object);
        /* Of a number and a density of items, the one that counts is there. */
        in_scene -= settings.model->density_option ? 1 : 0;
        assert_int_equal(json_object_size(object), in_scene);
        assert_int_equal(vks_settings_from_json(&back, object, no_keys, "a scene"), VKS_OK);
        char *b = text_of(&back);
        assert_string_equal(a, b);
        json_decref(object);
        free(a);
        free(b);
        vks_settings_free(&settings);
        vks_settings_free(&back);
    }
}

static void test_scene_keys(void **state)
{
    (void)state;
    static const char *const known[] = {"simulation", "frames", NULL};
    struct vks_settings settings = make(vks_model_find("physarum"));
    json_t *object = json_loads("{\"frames\": [], \"simulation\": 5, \"agents\": 12}", 0, NULL);
    assert_int_equal(vks_settings_from_json(&settings, object, known, "s.json"), VKS_OK);
    json_decref(object);

    object = json_loads("{\"agnets\": 12}", 0, NULL);
    assert_int_equal(vks_settings_from_json(&settings, object, known, "s.json"), VKS_ERROR_USAGE);
    assert_says("'s.json': physarum has no option \"agnets\" (did you mean \"agents\"?)");
    json_decref(object);

    object = json_loads("{\"agents\": -1}", 0, NULL);
    assert_int_equal(vks_settings_from_json(&settings, object, known, "s.json"), VKS_ERROR_USAGE);
    assert_says("'s.json': agents '-1' is not a whole number from 0 to 1000000000");
    json_decref(object);
    vks_settings_free(&settings);
}

/* The parsed number of agents of a field of that size. */
static uint64_t agents_of(struct vks_settings *settings, const char *size)
{
    const struct vks_option *row = vks_option_find(settings->model->options, "agents");
    assert_int_equal(vks_settings_set(settings, "size", size), VKS_OK);
    assert_int_equal(vks_settings_finish(settings), VKS_OK);
    return *(const uint64_t *)(const void *)((const char *)settings->resolved + row->offset);
}

/* A preset has as many agents per cell at any size; of a number and a density, the last counts. */
static void test_density(void **state)
{
    (void)state;
    static const char *const known[] = {NULL};
    struct vks_settings settings = make(vks_model_find("physarum"));
    assert_int_equal(agents_of(&settings, "1024x1024"), 450000);
    assert_int_equal(agents_of(&settings, "512x256"), 450000 / 8);
    assert_int_equal(agents_of(&settings, "1x1"), 1);
    assert_int_equal(vks_settings_set(&settings, "agents", "77"), VKS_OK);
    assert_int_equal(agents_of(&settings, "64x64"), 77);
    json_t *object = json_object();
    assert_int_equal(vks_settings_to_json(&settings, object), VKS_OK);
    assert_int_equal(json_integer_value(json_object_get(object, "agents")), 77);
    assert_null(json_object_get(object, "density"));
    json_decref(object);

    assert_int_equal(vks_settings_set(&settings, "density", "2.5"), VKS_OK);
    assert_int_equal(agents_of(&settings, "64x32"), 5120);
    object = json_object();
    assert_int_equal(vks_settings_to_json(&settings, object), VKS_OK);
    assert_null(json_object_get(object, "agents"));
    assert_int_equal(vks_settings_set(&settings, "agents", "77"), VKS_OK);
    assert_int_equal(vks_settings_from_json(&settings, object, known, "s.json"), VKS_OK);
    assert_int_equal(agents_of(&settings, "64x32"), 5120);
    assert_int_equal(json_object_set_new(object, "agents", json_integer(5)), 0);
    assert_int_equal(vks_settings_from_json(&settings, object, known, "s.json"), VKS_ERROR_USAGE);
    assert_says("'s.json': \"agents\" and \"density\" exclude each other");
    json_decref(object);

    assert_int_equal(vks_settings_set(&settings, "density", "16"), VKS_OK);
    assert_int_equal(vks_settings_set(&settings, "size", "8192x8192"), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_ERROR_USAGE);
    assert_says("16 is 1073741824 agents in 8192x8192 cells, and the maximum is 1000000000");
    vks_settings_free(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),          cmocka_unit_test(test_presets),
        cmocka_unit_test(test_preset_replaces), cmocka_unit_test(test_view_colours),
        cmocka_unit_test(test_starts),          cmocka_unit_test(test_image_size),
        cmocka_unit_test(test_unknown_names),   cmocka_unit_test(test_copy),
        cmocka_unit_test(test_follows),         cmocka_unit_test(test_normalize),
        cmocka_unit_test(test_size_limit),      cmocka_unit_test(test_scene_round_trip),
        cmocka_unit_test(test_scene_keys),      cmocka_unit_test(test_density),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
