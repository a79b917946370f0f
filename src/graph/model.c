/* SPDX-License-Identifier: MIT */
#include "graph/model.h"

#include "base/error.h"

void vks_declare_model(const struct vks_model *model, const struct vks_config *config,
                       struct vks_declaration *declaration)
{
    const struct vks_config *kept = vks_declaration_copy(declaration, config, sizeof(*config));
    if (!kept) {
        return;
    }
    vks_declaration_grid(declaration, config->depth, config->height, config->width);
    declaration->image_fit = config->image_fit;
    declaration->software = config->limits.software;
    model->declare(kept, declaration);
    if (declaration->measures) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_INTERNAL,
                                      "%s declares that it measures; a simulation may only use "
                                      "exact shaders",
                                      model->name));
    }
}
