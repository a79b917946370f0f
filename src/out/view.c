/* SPDX-License-Identifier: MIT */
#define VKS_C
#include "out/view.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/number.h"
#include "view/params.h"

/* The mode, and for fixed: the range. False if the text is none of them. */
static bool parse_normalize(const char *text, uint32_t *mode, double *low, double *high)
{
    *low = 0;
    *high = 1;
    if (strcmp(text, "frame") == 0) {
        *mode = VIEW_FRAME;
        return true;
    }
    if (strcmp(text, "smooth") == 0) {
        *mode = VIEW_SMOOTH;
        return true;
    }
    if (strncmp(text, "fixed:", 6) != 0) {
        return false;
    }
    const char *end;
    *mode = VIEW_FIXED;
    *low = vks_parse_real(text + 6, &end);
    if (end == text + 6 || *end != ':') {
        return false;
    }
    const char *second = end + 1;
    *high = vks_parse_real(second, &end);
    return end != second && *end == '\0' && fabs(*low) < 1e9 && fabs(*high) < 1e9 &&
           (float)*high - (float)*low > 2e-6f;
}

enum vks_result vks_look_check(const struct vks_look *look)
{
    uint32_t mode;
    double low, high;
    if (!parse_normalize(look->normalize, &mode, &low, &high)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--normalize '%s' is not frame, smooth, or fixed:LOW:HIGH with LOW below "
                        "HIGH",
                        look->normalize);
    }
    return VKS_OK;
}

void vks_coded_size(uint32_t width, uint32_t height, uint32_t *coded_width, uint32_t *coded_height)
{
    *coded_width = (width + 7) / 8 * 8;
    *coded_height = (height + 1) / 2 * 2;
}

void vks_rgb_from_rgba(uint8_t *rgb, const uint8_t *rgba, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        rgb[3 * i] = rgba[4 * i];
        rgb[3 * i + 1] = rgba[4 * i + 1];
        rgb[3 * i + 2] = rgba[4 * i + 2];
    }
}

void vks_declare_view(struct vks_declaration *declaration, const char *shown,
                      const struct vks_look *look, bool yuv)
{
    int index = vks_find_field(declaration, shown);
    if (declaration->result != VKS_OK || index < 0) {
        return;
    }
    const uint64_t height = declaration->fields[index].extent[0];
    const uint64_t width = declaration->fields[index].extent[1];
    const double pixels = (double)(width * height);
    uint32_t mode = VIEW_FRAME;
    double low = 0, high = 1;
    if (!parse_normalize(look->normalize, &mode, &low, &high)) {
        vks_declaration_fail(declaration, vks_look_check(look));
        return;
    }
    struct view_params params = {
        .width = (uint32_t)width,
        .height = (uint32_t)height,
        .low = vks_flush((float)low),
        .high = vks_flush((float)high),
        .follow = 0.05f,
        .gamma = (float)look->gamma,
        .contrast = vks_flush((float)look->contrast),
    };
    vks_coded_size(params.width, params.height, &params.coded_width, &params.coded_height);
    vks_declare_field(
        declaration,
        &(struct vks_field){.name = "view_level", .element = VKS_F32, .rank = 1, .extent = {4}});
    vks_declare_field(
        declaration,
        &(struct vks_field){.name = "palette", .element = VKS_U32, .rank = 1, .extent = {256}});
    vks_declare_field(declaration, &(struct vks_field){.name = "picture",
                                                       .element = VKS_U32,
                                                       .rank = 2,
                                                       .extent = {height, width}});
    vks_declare_range(declaration, shown, "view_range", VKS_EACH_FRAME);
    vks_declare_pass(declaration, &(struct vks_pass){.name = "level",
                                                     .shader = "view/level",
                                                     .when = VKS_EACH_FRAME,
                                                     .uses = {{"view_range", VKS_READ},
                                                              {"view_level", VKS_READ_WRITE}},
                                                     .specializations = {{"mode", mode}},
                                                     .constants = &params,
                                                     .constants_size = sizeof(params),
                                                     .items = {1},
                                                     .group = {1, 1}});
    vks_declare_pass(declaration, &(struct vks_pass){.name = "colour",
                                                     .shader = "view/colour",
                                                     .when = VKS_EACH_FRAME,
                                                     .uses = {{shown, VKS_READ, "shown"},
                                                              {"view_level", VKS_READ},
                                                              {"palette", VKS_READ},
                                                              {"picture", VKS_WRITE}},
                                                     .constants = &params,
                                                     .constants_size = sizeof(params),
                                                     .items = {width * height},
                                                     .bytes = 8 * pixels,
                                                     .operations = 60 * pixels});
    if (yuv) {
        const uint64_t coded = (uint64_t)params.coded_width * params.coded_height;
        vks_declare_field(declaration, &(struct vks_field){.name = "planes",
                                                           .element = VKS_U32,
                                                           .rank = 1,
                                                           .extent = {coded / 8 * 3}});
        vks_declare_pass(declaration,
                         &(struct vks_pass){
                             .name = "yuv",
                             .shader = "view/yuv",
                             .when = VKS_EACH_FRAME,
                             .uses = {{"picture", VKS_READ}, {"planes", VKS_WRITE}},
                             .constants = &params,
                             .constants_size = sizeof(params),
                             .items = {params.coded_width / 8, params.coded_height / 2},
                             .group = {32, 4},
                             .bytes = 5.5 * pixels,
                             .operations = 10 * pixels,
                         });
    }
}
