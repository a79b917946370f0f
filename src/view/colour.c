/* SPDX-License-Identifier: MIT */
#include "view/colour.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

const char *const vks_colour_names[] = {
#define VKS_COLOUR(name, rgb) name,
#include "view/colours.def"
#undef VKS_COLOUR
    NULL,
};

/* 0xRRGGBB, of the same rows. */
static const uint32_t values[] = {
#define VKS_COLOUR(name, rgb) rgb,
#include "view/colours.def"
#undef VKS_COLOUR
};

/* Six digits, or three that are doubled. */
static bool parse_digits(const char *text, uint32_t *rgb)
{
    static const char digits[] = "0123456789abcdef";
    const size_t length = strlen(text);
    uint32_t value = 0;
    if (length != 3 && length != 6) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        const char *digit = strchr(digits, tolower((unsigned char)text[i]));
        if (!digit) {
            return false;
        }
        const uint32_t number = (uint32_t)(digit - digits);
        value = length == 3 ? value << 8 | number * 0x11 : value << 4 | number;
    }
    *rgb = value;
    return true;
}

bool vks_colour_parse(const char *text, uint32_t *colour)
{
    uint32_t rgb = 0;
    bool found = text[0] == '#' && parse_digits(text + 1, &rgb);
    for (size_t i = 0; !found && vks_colour_names[i]; i++) {
        found = strcasecmp(text, vks_colour_names[i]) == 0;
        rgb = values[i];
    }
    if (found) {
        *colour = UINT32_C(0xff000000) | (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16;
    }
    return found;
}

enum vks_result vks_colour_fail(const char *option, const char *text)
{
    return vks_fail_option(VKS_ERROR_USAGE, option,
                           "'%s' is not a colour: # and six hexadecimal digits, such as #0b1026, "
                           "or three, such as #fff",
                           text);
}
