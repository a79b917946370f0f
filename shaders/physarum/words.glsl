// SPDX-License-Identifier: MIT
// The field's part of a step with few agents, whose counts are words. Widths are a multiple of 4.
// docs/sims/physarum-kernels.md, "Few agents".
#ifndef VKS_PHYSARUM_WORDS_GLSL
#define VKS_PHYSARUM_WORDS_GLSL
#include "physarum/row.glsl"

layout(constant_id = 6) const uint rows = 1u; // of cells per invocation, in four columns

VKS_FIELD(0, readonly, trail, float, trails);
VKS_FIELD(0, readonly, trail_fours, vec4, fours_of_trail);
VKS_FIELD(4, readonly, deposits, uint, counts);
VKS_FIELD(4, readonly, deposits_fours, uvec4, fours_of_counts);
VKS_FIELD(7, writeonly, trail_next, vec4, fours_of_trail_next);

float deposited(uint line, uint column, bool spilled)
{
    uint index = line * constants.width + column;
    return with_deposits(VKS_AT(trails, index), VKS_AT(counts, index));
}

// The trail of a cell after this step's deposits, diffusion and decay.
float next_trail(uint y, uint x)
{
    uint left = x == 0u ? constants.width - 1u : x - 1u;
    uint right = x + 1u == constants.width ? 0u : x + 1u;
    row here = read_row(int(y), left, x, right, false);
    precise float sum = here.sum;
    if (blurs) {
        sum = read_row(int(y) - 1, left, x, right, false).sum + here.sum;
        sum = sum + read_row(int(y) + 1, left, x, right, false).sum;
    }
    return diffused(here.centre, sum);
}

struct four {
    vec4 centre, sum; // as in `row`
};

four read_four(int y, uint left, uint x, uint right)
{
    uint line = wrap_once(y, constants.height);
    uint at = (line * constants.width + x) / 4u;
    vec4 d = with_deposits(VKS_AT(fours_of_trail, at), VKS_AT(fours_of_counts, at));
    float before = blurs ? deposited(line, left, false) : 0.0f;
    float after = blurs ? deposited(line, right, false) : 0.0f;
    if (boundary == PHYSARUM_ZERO) {
        bool outside = y < 0 || y >= int(constants.height);
        d = outside ? vec4(0.0f) : d;
        before = outside || x == 0u ? 0.0f : before;
        after = outside || x + 4u == constants.width ? 0.0f : after;
    }
    return four(d, blurs ? sums_of_three(before, d, after) : d);
}

// Writes the trail of the next step in that column of fours from row `top` on.
void move_down(uint x, uint top)
{
    uint left = x == 0u ? constants.width - 1u : x - 1u;
    uint right = x + 4u == constants.width ? 0u : x + 4u;
    uint end = min(top + rows, constants.height);
    four above = read_four(int(top) - 1, left, x, right);
    four here = read_four(int(top), left, x, right);
    for (uint y = top; y < end; y++) {
        four below = read_four(int(y) + 1, left, x, right);
        precise vec4 sum = here.sum;
        if (blurs) {
            sum = above.sum + here.sum;
            sum = sum + below.sum;
        }
        vec4 d = here.centre;
        VKS_AT(fours_of_trail_next, (y * constants.width + x) / 4u) =
            vec4(diffused(d.x, sum.x), diffused(d.y, sum.y), diffused(d.z, sum.z),
                 diffused(d.w, sum.w));
        above = here;
        here = below;
    }
}

// Number `item` of the columns.
void move_column(uint item)
{
    uint fours = constants.width / 4u;
    uint top = item / fours;
    if (top * rows < constants.height) {
        move_down((item - top * fours) * 4u, top * rows);
    }
}
#endif
