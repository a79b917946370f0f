/* SPDX-License-Identifier: MIT */
#include "graph/model.h"

#include "base/error.h"

/* Fails unless all passes run in frames, or none does; and in frames if there is state. */
static void check_times(const struct vks_model *model, bool frames,
                        struct vks_declaration *declaration)
{
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        if ((pass->when == VKS_EACH_FRAME) != frames) {
            vks_declaration_fail(declaration,
                                 vks_fail(VKS_ERROR_INTERNAL,
                                          "%s: pass '%s' %s in frames: declare it in .%s",
                                          model->name, pass->name, frames ? "does not run" : "runs",
                                          frames ? "declare" : "declare_frame"));
        }
    }
    for (size_t i = 0; frames && i < declaration->field_count; i++) {
        if (declaration->fields[i].persistent) {
            vks_declaration_fail(declaration,
                                 vks_fail(VKS_ERROR_INTERNAL,
                                          "%s: field '%s' is state: declare it in .declare",
                                          model->name, declaration->fields[i].name));
        }
    }
}

void vks_declare_model(const struct vks_model *model, const struct vks_config *config,
                       struct vks_declaration *declaration)
{
    struct vks_config *kept = vks_declaration_copy(declaration, config, sizeof(*config));
    if (!kept) {
        return;
    }
    kept->view = kept->views = kept->vectors = 0;
    kept->watch = false;
    declaration->slab = config->slab;
    if (config->depth > 1) {
        vks_declaration_grid(declaration, vks_slab_length(&config->slab, config->depth),
                             config->height, config->width);
    } else {
        vks_declaration_grid(declaration, 1, vks_slab_length(&config->slab, config->height),
                             config->width);
    }
    declaration->image_fit = config->image_fit;
    declaration->software = config->limits.software;
    model->declare(kept, declaration);
    check_times(model, false, declaration);
    if (declaration->measures) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL,
                                      "%s declares that it measures; a simulation may only use "
                                      "exact shaders",
                                      model->name));
    }
}

void vks_declare_frame(const struct vks_model *model, const struct vks_config *config,
                       const struct vks_declaration *base, struct vks_declaration *declaration)
{
    vks_declaration_bind(declaration, base);
    declaration->slab = config->slab;
    const struct vks_config *kept = vks_declaration_copy(declaration, config, sizeof(*config));
    if (kept && model->declare_frame) {
        model->declare_frame(kept, declaration);
        check_times(model, true, declaration);
    }
}
