/* SPDX-License-Identifier: MIT */
/* model.json of folders with shaders: reads any text and declares what it has, in every preset. The
 * shaders stay as they are, so they are not compiled. */
#include "fuzz.h"

#include "api/settings.h"
#include "api/simulation.h"
#include "base/error.h"
#include "formula/formula.h"
#include "formula/shader.h"
#include "sim/registry.h"
#include "words.h"

unsigned long fuzz_taken;
const struct vks_option_table *const fuzz_options = NULL;

/* In place of the library's. */
enum vks_result vks_shader_compile(const struct vks_shader_source *source,
                                   struct vks_compiled_shader **compiled)
{
    *compiled = NULL;
    char *text = vks_shader_splice(source);
    const enum vks_result result = text ? VKS_OK : vks_error_last()->result;
    free(text);
    return result;
}

void vks_shader_discard(struct vks_compiled_shader *compiled)
{
    fuzz_require(!compiled, "no shader was compiled");
}

static void check(enum vks_result result)
{
    fuzz_require(result == VKS_OK || result == VKS_ERROR_FILE || result == VKS_ERROR_USAGE ||
                     result == VKS_ERROR_INTERNAL,
                 "a failure is of the text");
    fuzz_require(result == VKS_OK || strlen(vks_error_text()) > 10, "a failure has a sentence");
}

/* The folder, with start.comp and step.comp. */
static void make_folder(void)
{
    static const char text[] =
        "#include \"lib/grid.glsl\"\n#include \"constants.glsl\"\nVKS_FIELD\n";
    fuzz_enter_folder();
    fuzz_write_file("start.comp", text, strlen(text));
    fuzz_write_file("step.comp", text, strlen(text));
}

/* Declares a run with the preset. */
static enum vks_result declare(const struct vks_model *model, const char *preset)
{
    struct vks_settings settings = {0};
    struct vks_declaration steps = {0}, picture = {0};
    enum vks_result result = vks_settings_init(&settings, model);
    if (result == VKS_OK) {
        result = vks_settings_preset(&settings, preset);
    }
    if (result == VKS_OK) {
        result = vks_settings_finish(&settings);
    }
    if (result == VKS_OK) {
        settings.watch = true;
        vks_declare_steps(&settings, &steps);
        result = steps.result;
    }
    if (result == VKS_OK) {
        vks_declare_picture(&settings, 0, NULL, &steps, &picture);
        result = picture.result;
    }
    check(result);
    vks_declaration_free(&picture);
    vks_declaration_free(&steps);
    vks_settings_free(&settings);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct vks_model *model = NULL;
    json_t *object = json_object();
    if (fuzz_folder[0] == '\0') {
        make_folder();
    }
    fuzz_write_file("model.json", data, size);
    enum vks_result result = vks_formula_load("./model.json", &model);
    check(result);
    for (size_t i = 0; result == VKS_OK && vks_model_presets(model)[i].name; i++) {
        result = declare(model, vks_model_presets(model)[i].name);
    }
    if (model) {
        fuzz_require(object && vks_formula_embed(model, object) == VKS_OK, "a scene names it");
        fuzz_require(vks_formula_compare(object, "scene", model) == VKS_OK, "it is the same");
        vks_formula_free(model);
    }
    fuzz_taken += result == VKS_OK;
    json_decref(object);
    return 0;
}
