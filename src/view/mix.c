/* SPDX-License-Identifier: MIT */
/* The colours of a field of several planes. docs/pictures.md. */
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/nearest.h"
#include "view/colour.h"
#include "view/look.h"

/* Shades from black to a colour. */
static void fill_ramp(uint32_t colour, struct vks_colormap *map)
{
    map->discrete = false;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t entry = UINT32_C(0xff000000);
        for (uint32_t shift = 0; shift < 24; shift += 8) {
            entry |= (i * (colour >> shift & 0xff) + 127) / 255 << shift;
        }
        map->entries[i] = entry;
    }
}

static enum vks_result read_colours(const char *option, const char *text, struct vks_colormap *map)
{
    uint32_t colour;
    if (text[0] == '#' && !vks_colour_parse(text, &colour)) {
        return vks_colour_fail(option, text);
    }
    if (text[0] == '#') {
        fill_ramp(colour, map);
        return VKS_OK;
    }
    const enum vks_result result = vks_colormap_load(text, map);
    if (result == VKS_ERROR_USAGE) {
        char list[512], near[128];
        return vks_fail_option(result, option,
                               "'%s' is neither a colour such as #ff5040, nor a file, nor one of: "
                               "%s%s",
                               text, vks_join(vks_colormap_names, list, sizeof(list)),
                               vks_did_you_mean(text, vks_colormap_names, near, sizeof(near)));
    }
    /* Any other message begins with the option "colormap", or with what cannot be read. */
    const size_t other = strlen(vks_error_last()->option);
    if (result != VKS_OK && other > 0) {
        vks_fail_option(result, option, "%s", vks_error_text() + other + 1);
    } else if (result != VKS_OK) {
        vks_fail_option(result, option, ": %s", vks_error_text());
    }
    return vks_fail_file(result, text);
}

static enum vks_result digest_of(const struct vks_look_mix *mix, char hex[33])
{
    struct vks_digest *digest = vks_digest_create();
    if (!digest) {
        return vks_fail_memory();
    }
    for (uint32_t i = 0; i < mix->planes; i++) {
        vks_digest_update(digest, mix->maps[i].entries, sizeof(mix->maps[i].entries));
        vks_digest_update(digest, &mix->maps[i].discrete, sizeof(mix->maps[i].discrete));
    }
    vks_digest_hex(digest, hex);
    vks_digest_destroy(digest);
    return VKS_OK;
}

enum vks_result vks_look_mix(struct vks_look *look, const struct vks_mix *mix)
{
    struct vks_look_mix *made = &look->values.mix;
    *made = (struct vks_look_mix){0};
    if (mix->planes < 2) {
        return VKS_OK;
    }
    if (mix->planes > VKS_MAX_MIX || mix->only > mix->planes) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "a mix has %u planes, and shows plane %u; the limit is "
                        "%d",
                        mix->planes, mix->only, VKS_MAX_MIX);
    }
    made->only = mix->only;
    made->strongest = mix->strongest;
    made->planes = mix->planes;
    memcpy(made->names, mix->names, sizeof(made->names));
    for (uint32_t i = 0; i < mix->planes; i++) {
        const enum vks_result result = read_colours(mix->option, mix->colours[i], &made->maps[i]);
        if (result != VKS_OK) {
            return result;
        }
    }
    if (mix->only) {
        look->values.map = made->maps[mix->only - 1];
    }
    return digest_of(made, made->digest);
}

uint32_t vks_look_value_planes(const struct vks_look *look)
{
    const struct vks_look_mix *mix = &look->values.mix;
    return mix->planes > 1 && mix->only == 0 ? mix->planes : 1;
}
