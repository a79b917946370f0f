/* SPDX-License-Identifier: MIT */
/* Formulas, as scenes and state files of anyone may hold them: reads any text and makes its
 * shaders. A text that is not an object is an expression: the rate of a field. */
#include "fuzz.h"

#include "api/settings.h"
#include "formula/formula.h"
#include "sim/registry.h"
#include "words.h"

unsigned long fuzz_taken;
const struct vks_option_table *const fuzz_options = NULL;

static void check(enum vks_result result)
{
    fuzz_require(result == VKS_OK || result == VKS_ERROR_FILE || result == VKS_ERROR_USAGE ||
                     result == VKS_ERROR_INTERNAL,
                 "a failure is of the text");
    fuzz_require(result == VKS_OK || strlen(vks_error_text()) > 10, "a failure has a sentence");
}

/* The model of an expression, as text; NULL if it is not one of UTF-8. */
static char *model_of(const char *expression, size_t size)
{
    json_t *model = json_pack("{s:i, s:s, s:{s:{s:[i,i]}, s:{}}, s:{s:[f,f,f], s:i}, s:{s:s, s:o?},"
                              " s:{s:{s:s, s:s}}}",
                              "formula", 1, "name", "fuzz", "fields", "u", "range", -100, 100, "v",
                              "parameters", "p", 0.5, -2.0, 1e9, "q", 3, "rates", "v", "u - v", "u",
                              json_stringn(expression, size), "init", "noise", "u", "random()", "v",
                              "normal()");
    char *text = model ? json_dumps(model, JSON_COMPACT) : NULL;
    json_decref(model);
    return text;
}

/* Applies all presets; false if one of them is wrong. */
static int presets_apply(const struct vks_model *model)
{
    enum vks_result result = VKS_OK;
    for (const struct vks_preset *preset = vks_model_presets(model);
         preset->name && result == VKS_OK; preset++) {
        struct vks_settings settings = {0};
        result = vks_settings_init(&settings, model);
        if (result == VKS_OK) {
            result = vks_settings_preset(&settings, preset->name);
        }
        check(result);
        vks_settings_free(&settings);
    }
    return result == VKS_OK;
}

/* What a scene holds of it is the same formula, unless its name is that of another simulation. */
static void read_again(const struct vks_model *model)
{
    const struct vks_model *again = NULL;
    if (vks_model_known(model->name)) {
        return;
    }
    json_t *object = json_object();
    fuzz_require(object && vks_formula_embed(model, object) == VKS_OK, "a scene holds it");
    fuzz_require(vks_formula_compare(object, "scene", model) == VKS_OK, "it is the same");
    fuzz_require(vks_formula_take(object, "scene", &again) == VKS_OK && again, "it is read again");
    fuzz_require(vks_formula_equal(model, again), "which gives the same");
    vks_formula_free(again);
    json_decref(object);
}

static void read_formula(const char *text, size_t size)
{
    const struct vks_model *model = NULL;
    char *shaders = NULL;
    size_t length = 0;
    const enum vks_result result = vks_formula_parse(text, size, "fuzz", &model);
    check(result);
    if (result != VKS_OK) {
        return;
    }
    FILE *out = open_memstream(&shaders, &length);
    fuzz_require(out && vks_formula_show(model, out) == VKS_OK && fclose(out) == 0, "its shaders");
    fuzz_require(length == 0 || strstr(shaders, "void main()") != NULL,
                 "which are there, except of a compound without inputs");
    free(shaders);
    if (presets_apply(model)) {
        read_again(model);
        fuzz_taken++;
    }
    vks_formula_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    if (size > 0 && text[0] != '{') {
        char *model = model_of(text, size);
        if (model) {
            read_formula(model, strlen(model));
        }
        free(model);
    } else {
        read_formula(text, size);
    }
    return 0;
}
