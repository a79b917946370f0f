// SPDX-License-Identifier: MIT
// field.comp for widths that are a multiple of four: an invocation moves down four columns, so that
// memory is accessed 16 bytes at a time.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/field.glsl"

layout(constant_id = 3) const uint rows = 8; // rows of cells per invocation

VKS_FIELD(0, readonly, trail, vec4, trails);
VKS_FIELD(0, readonly, trail_cells, float, trail_at);
VKS_FIELD(1, readonly, deposits, uvec4, counts);
VKS_FIELD(1, readonly, deposits_cells, uint, count_at);
VKS_FIELD(2, writeonly, trail_next, vec4, trails_next);
VKS_FIELD(3, writeonly, deposits_next, uvec4, counts_next);

struct row {
    vec4 centre; // D of the cells themselves
    vec4 sum;    // of D over the row of each, from left to right
};

float deposited(uint index)
{
    precise float d = VKS_AT(trail_at, index) + float(VKS_AT(count_at, index)) * constants.deposit;
    return d;
}

row read_row(int y, uint left, uint x, uint right)
{
    bool outside = y < 0 || y >= int(constants.height);
    if (outside && boundary == PHYSARUM_ZERO) {
        return row(vec4(0.0f), vec4(0.0f));
    }
    uint line = (outside ? wrap(y, constants.height) : uint(y)) * constants.width;
    uint four = (line + x) / 4u;
    precise vec4 d = VKS_AT(trails, four) + vec4(VKS_AT(counts, four)) * vec4(constants.deposit);
    if (constants.radius == 0u) {
        return row(d, d);
    }
    precise float before = deposited(line + left);
    precise float after = deposited(line + right);
    if (boundary == PHYSARUM_ZERO) {
        before = x == 0u ? 0.0f : before;
        after = x + 4u == constants.width ? 0.0f : after;
    }
    precise vec4 sum = vec4(before, d.xyz) + d;
    sum = sum + vec4(d.yzw, after);
    return row(d, sum);
}

void main()
{
    uint x = gl_GlobalInvocationID.x * 4u;
    uint top = gl_GlobalInvocationID.y * rows;
    if (x >= constants.width || top >= constants.height) {
        return;
    }
    uint left = x == 0u ? constants.width - 1u : x - 1u;
    uint right = x + 4u == constants.width ? 0u : x + 4u;
    uint end = min(top + rows, constants.height);
    row above = row(vec4(0.0f), vec4(0.0f));
    if (constants.radius > 0u) {
        above = read_row(int(top) - 1, left, x, right);
    }
    row here = read_row(int(top), left, x, right);
    for (uint y = top; y < end; y++) {
        row below = row(vec4(0.0f), vec4(0.0f));
        precise vec4 sum = here.sum;
        if (constants.radius > 0u || y + 1u < end) {
            below = read_row(int(y) + 1, left, x, right);
        }
        if (constants.radius > 0u) {
            sum = above.sum + here.sum;
            sum = sum + below.sum;
        }
        uint four = (y * constants.width + x) / 4u;
        VKS_AT(trails_next, four) =
            vec4(diffused(here.centre.x, sum.x), diffused(here.centre.y, sum.y),
                 diffused(here.centre.z, sum.z), diffused(here.centre.w, sum.w));
        VKS_AT(counts_next, four) = uvec4(0u);
        above = here;
        here = below;
    }
}
