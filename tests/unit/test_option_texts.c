/* SPDX-License-Identifier: MIT */
/* settings.h: texts of options are parsed once, into typed values of the model, and a text without
 * a meaning gives a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/settings.h"
#include "api/simulation.h"
#include "base/error.h"
#include "sim/registry.h"

/* --- a model of one text ---------------------------------------------------------------------- */

struct texts {
    char *word;
    size_t letters; /* of the word: what it means */
};

static unsigned parsed, checked, seen;

/* A word means its number of letters. */
static enum vks_result parse_word(const struct vks_model *model, void *settings)
{
    struct texts *texts = settings;
    (void)model;
    parsed++;
    assert_int_equal(texts->letters, 0); /* not what an earlier call has written */
    if (strcmp(texts->word, "wrong") == 0) {
        return vks_fail(VKS_ERROR_USAGE, "word 'wrong' means nothing");
    }
    texts->letters = strlen(texts->word);
    return VKS_OK;
}

static enum vks_result check_word(const struct vks_config *config)
{
    const struct texts *texts = config->settings;
    checked++;
    return texts->letters < 9 ? VKS_OK : vks_fail(VKS_ERROR_USAGE, "the word is too long");
}

static void declare_word(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct texts *texts = config->settings;
    seen = (unsigned)texts->letters;
    VKS_FIELD(declaration, .name = "plane", .element = VKS_F32);
}

static void assert_letters(const struct vks_settings *settings, unsigned letters)
{
    struct vks_declaration declaration = {0};
    vks_declare_steps(settings, &declaration);
    assert_int_equal(declaration.result, VKS_OK);
    assert_int_equal(seen, letters);
    vks_declaration_free(&declaration);
}

/* Declarations and copies have the values. */
static void test_once(void **state)
{
    (void)state;
    static const struct vks_option words[] = {{.name = "word",
                                               .type = VKS_OPTION_TEXT,
                                               .offset = offsetof(struct texts, word),
                                               .default_text = "one",
                                               .help = "a word"}};
    const struct vks_model model = {
        .name = "words",
        .summary = "a model for tests",
        .options = {words, 1},
        .settings_size = sizeof(struct texts),
        .views = VKS_VIEWS({"plane", "plane", .help = "the plane"}),
        .parse = parse_word,
        .check = check_word,
        .declare = declare_word,
    };
    struct vks_settings settings, copy = {0};
    assert_int_equal(vks_settings_init(&settings, &model), VKS_OK);
    assert_int_equal(vks_settings_finish(&settings), VKS_OK);
    assert_letters(&settings, 3);
    assert_int_equal(vks_settings_copy(&copy, &settings), VKS_OK);
    vks_settings_free(&settings);
    assert_letters(&copy, 3);
    assert_int_equal(parsed, 1);
    assert_int_equal(checked, 1);

    assert_int_equal(vks_settings_set(&copy, "word", "seven"), VKS_OK);
    assert_int_equal(vks_settings_finish(&copy), VKS_OK);
    assert_letters(&copy, 5);
    assert_int_equal(vks_settings_set(&copy, "word", "wrong"), VKS_OK);
    assert_int_equal(vks_settings_finish(&copy), VKS_ERROR_USAGE);
    assert_string_equal(vks_error_text(), "word 'wrong' means nothing");
    assert_int_equal(parsed, 3);
    assert_int_equal(checked, 2);

    /* Values that the check rejects can be declared, to learn which fields there are. */
    assert_int_equal(vks_settings_set(&copy, "word", "everywhere"), VKS_OK);
    assert_int_equal(vks_settings_finish(&copy), VKS_ERROR_USAGE);
    assert_int_equal(vks_settings_parse(&copy), VKS_OK);
    assert_letters(&copy, 10);
    vks_settings_free(&copy);
}

/* --- the models' texts ---------------------------------------------------------------------- */

/* Texts that a model, the list of views or that of initial conditions gives a meaning. */
static void test_meanings(void **state)
{
    (void)state;
    static const char map[] = "is not F0:F1,K0:K1 with 0 <= F0 < F1 <= 1 and 0 <= K0 < K1 <= 1, "
                              "as in 0.01:0.1,0.045:0.07";
    static const char range[] = "is not LOW:HIGH with 0 <= LOW < HIGH <= 1";
    static const char variant[] = "is neither auto nor a variant of ";
    static const char frequency[] =
        "is not LOW:HIGH with 0 <= LOW <= HIGH <= 1e6, or one such number";
    static const struct {
        const char *model, *option, *good, *wrong[6], *words;
    } rows[] = {
        {"gray-scott",
         "map",
         "0.01:0.1,0.045:0.07",
         {"0.01:0.1", "0.1:0.01,0:1", "0:1,0:1 ", "0:1,0:1.1", "-1:1,0:1", "0:1,"},
         map},
        {"gray-scott", "feed-range", "0:0.5", {"", "0.5", "0:2", "1:0", "0:0", "0:1x"}, range},
        {"gray-scott", "kill-range", "0:1", {"", "0.5", "0:2", "1:0", "nan:1", "0:1,"}, range},
        {"gray-scott",
         "variant",
         "fused-16",
         {"fused-1", "fused-17", "fused-4x", "tile", "tile-1-8x8", "tile-8-8x8x"},
         variant},
        {"gray-scott", "variant", "tile-8-8x8", {"tile-17-8x8", "title-8-8x8", "-1"}, variant},
        {"gray-scott",
         "view",
         "u",
         {"w", ""},
         "is not a view of gray-scott, whose views are: v, u"},
        {"gray-scott", "init", "spots", {"spot", "image:"}, "is not one of: square, disc, ring, "},
        {"physarum",
         "variant",
         "sorted-1000-words",
         {"sorted-1001-words", "sorted--1-words", "sorted-2.5-words", "sorted-5x-words",
          "sorted-0x5-words", "sorted-00005-words"},
         variant},
        {"gas", "variant", "sorted-5", {"sorted-1001", "always", "Auto", " sorted-5", ""}, variant},
        {"gas", "frequency", "0.5:1.5", {"", "3:1", "-1:1", "0:1e7", "1:2:3", "nan"}, frequency},
        {"gas", "frequency", "2", {"x", "-2", "1e7", "2 ", "1:", ":1"}, frequency},
        {"gas",
         "view",
         "points",
         {"point"},
         "is not a view of gas, whose views are: density, temperature, "},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct vks_settings settings;
        assert_int_equal(vks_settings_init(&settings, vks_model_find(rows[i].model)), VKS_OK);
        for (size_t j = 0; j < 6 && rows[i].wrong[j]; j++) {
            char sentence[256];
            assert_int_equal(vks_settings_set(&settings, rows[i].option, rows[i].wrong[j]), VKS_OK);
            assert_int_equal(vks_settings_finish(&settings), VKS_ERROR_USAGE);
            snprintf(sentence, sizeof(sentence), "%s '%s' %s", rows[i].option, rows[i].wrong[j],
                     rows[i].words);
            if (strncmp(vks_error_text(), sentence, strlen(sentence)) != 0) {
                fail_msg("'%s' instead of '%s'", vks_error_text(), sentence);
            }
        }
        assert_int_equal(vks_settings_set(&settings, rows[i].option, rows[i].good), VKS_OK);
        if (vks_settings_finish(&settings) != VKS_OK) {
            fail_msg("%s", vks_error_text());
        }
        vks_settings_free(&settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_meanings),
    };
    return cmocka_run_group_tests_name("option_texts", tests, NULL, NULL);
}
