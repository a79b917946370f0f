/* SPDX-License-Identifier: MIT */
#include "view_reference.h"

#include "base/exact.h"

static float clip(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

/* shaders/view/level.comp */
static void move_level(struct view_reference *view, const float *values)
{
    const size_t cells = (size_t)view->width * view->height;
    float least = values[0], most = values[0];
    float *level = view->level;
    for (size_t i = 1; i < cells; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    float low = view->low, high = view->high;
    if (view->mode == VIEW_OF_FRAME || (view->mode == VIEW_OF_SMOOTH && level[3] == 0.0f)) {
        low = least;
        high = most;
    } else if (view->mode == VIEW_OF_SMOOTH) {
        float to_low = least - level[0], to_high = most - level[1];
        low = level[0] + 0.05f * to_low;
        high = level[1] + 0.05f * to_high;
        low = vks_flush(low);
        high = vks_flush(high);
    }
    float extent = high - low;
    level[0] = low;
    level[1] = high;
    level[2] = extent > 1e-6f ? vks_reciprocal(extent) : 0.0f;
    level[3] = extent > 1e-6f ? 1.0f : 0.0f;
}

void view_draw(struct view_reference *view, const float *values, uint32_t *pixels)
{
    const size_t cells = (size_t)view->width * view->height;
    move_level(view, values);
    for (size_t i = 0; i < cells; i++) {
        float value = values[i] - view->level[0];
        value = clip(value * view->level[2]);
        if (view->gamma == 0.5f) {
            value = vks_sqrt(value);
        } else if (view->gamma != 1.0f) {
            value = vks_pow(value, view->gamma);
        }
        if (view->contrast != 1.0f) {
            float centred = value - 0.5f;
            value = centred * view->contrast + 0.5f;
        }
        float entry = clip(value) * 255.0f;
        pixels[i] = view->palette[(uint32_t)entry];
    }
}

uint8_t view_luma(int red, int green, int blue)
{
    return (uint8_t)((1081344 + 11966 * red + 40254 * green + 4064 * blue) >> 16);
}

uint8_t view_blue(int red4, int green4, int blue4)
{
    return (uint8_t)((-6596 * red4 - 22189 * green4 + 28785 * blue4 + (128 << 18) + (1 << 17)) >>
                     18);
}

uint8_t view_red(int red4, int green4, int blue4)
{
    return (uint8_t)((28785 * red4 - 26145 * green4 - 2640 * blue4 + (128 << 18) + (1 << 17)) >>
                     18);
}

void view_planes(uint32_t width, uint32_t height, const uint32_t *pixels, uint8_t *planes)
{
    const uint32_t coded_width = (width + 7) / 8 * 8, coded_height = (height + 1) / 2 * 2;
    uint8_t *blues = planes + (size_t)coded_width * coded_height;
    uint8_t *reds = blues + (size_t)coded_width * coded_height / 4;
    for (uint32_t y = 0; y < coded_height; y += 2) {
        for (uint32_t x = 0; x < coded_width; x += 2) {
            int sums[3] = {0, 0, 0};
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t column = x + (k & 1), row = y + (k >> 1);
                uint32_t pixel = pixels[(size_t)(row < height ? row : height - 1) * width +
                                        (column < width ? column : width - 1)];
                int red = pixel & 0xff, green = pixel >> 8 & 0xff, blue = pixel >> 16 & 0xff;
                planes[(size_t)row * coded_width + column] = view_luma(red, green, blue);
                sums[0] += red;
                sums[1] += green;
                sums[2] += blue;
            }
            size_t at = (size_t)(y / 2) * (coded_width / 2) + x / 2;
            blues[at] = view_blue(sums[0], sums[1], sums[2]);
            reds[at] = view_red(sums[0], sums[1], sums[2]);
        }
    }
}
