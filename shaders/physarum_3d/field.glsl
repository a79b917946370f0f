// SPDX-License-Identifier: MIT
// Deposit, diffuse over 3 x 3 x 3 cells, decay, and the trace: docs/sims/physarum-3d.md, "Field".
// An invocation moves along z with COLUMNS cells, 1 or 4, and keeps the sums of the last planes, so
// that each plane is summed once.
#include "lib/pass.glsl"
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "physarum_3d/params.h"

#if COLUMNS == 4
#define REALS vec4
#define COUNTS uvec4
#define FIRST(cells) (cells).x
#define LAST(cells) (cells).w
#else
#define REALS float
#define COUNTS uint
#define FIRST(cells) (cells)
#define LAST(cells) (cells)
#endif

VKS_CONSTANTS(physarum_3d_field);

layout(constant_id = 0) const bool fed = false;  // there is food
layout(constant_id = 1) const uint planes = 8u;  // of an invocation

VKS_FIELD(0, readonly, trail, REALS, trails);
VKS_FIELD(1, readonly, deposits, COUNTS, counts);
VKS_FIELD(2, readonly, food, REALS, foods);
VKS_FIELD(3, , trace, REALS, traces);
VKS_FIELD(4, writeonly, trail_next, REALS, trails_next);
VKS_FIELD(5, writeonly, deposits_next, COUNTS, counts_next);

// D of the cells with that index, or of the first or last of them.
REALS deposited(uint at)
{
    precise REALS d = VKS_AT(trails, at) + REALS(VKS_AT(counts, at)) * constants.deposit;
    if (fed) {
        d = d + VKS_AT(foods, at);
    }
    return d;
}

float deposited_first(uint at)
{
    precise float d =
        FIRST(VKS_AT(trails, at)) + float(FIRST(VKS_AT(counts, at))) * constants.deposit;
    if (fed) {
        d = d + FIRST(VKS_AT(foods, at));
    }
    return d;
}

float deposited_last(uint at)
{
    precise float d =
        LAST(VKS_AT(trails, at)) + float(LAST(VKS_AT(counts, at))) * constants.deposit;
    if (fed) {
        d = d + LAST(VKS_AT(foods, at));
    }
    return d;
}

// Sums of three cells in a row around each, from D of these and their neighbours.
REALS sum_of_row(float before, REALS d, float after)
{
#if COLUMNS == 4
    precise vec4 sum = vec4(before, d.xyz) + d;
    sum = sum + vec4(d.yzw, after);
#else
    precise float sum = before + d;
    sum = sum + after;
#endif
    return sum;
}

REALS flushed(REALS cells)
{
#if COLUMNS == 4
    return vec4(vks_flush(cells.x), vks_flush(cells.y), vks_flush(cells.z), vks_flush(cells.w));
#else
    return vks_flush(cells);
#endif
}

uint left, here, right; // columns of the invocation's neighbours and its own, in units of COLUMNS
uint above, row, below;

// D of the invocation's cells in that plane, and sums over the 3 x 3 cells around each.
void read_plane(uint z, out REALS centre, out REALS sum)
{
    uint line = z * constants.height;
    uint width = constants.width / COLUMNS;
    uint a = (line + above) * width, b = (line + row) * width, c = (line + below) * width;
    precise REALS d = deposited(b + here);
    precise REALS first = sum_of_row(deposited_last(a + left), deposited(a + here),
                                     deposited_first(a + right));
    precise REALS second = sum_of_row(deposited_last(b + left), d, deposited_first(b + right));
    precise REALS third = sum_of_row(deposited_last(c + left), deposited(c + here),
                                     deposited_first(c + right));
    precise REALS total = first + second;
    total = total + third;
    centre = d;
    sum = total;
}

void main()
{
    uint width = constants.width / COLUMNS;
    here = gl_GlobalInvocationID.x;
    row = gl_GlobalInvocationID.y % constants.height;
    uint top = gl_GlobalInvocationID.y / constants.height * planes;
    if (here >= width || top >= constants.depth) {
        return;
    }
    left = vks_before(here, width);
    right = vks_after(here, width);
    above = vks_before(row, constants.height);
    below = vks_after(row, constants.height);
    uint end = min(top + planes, constants.depth);
    REALS unused, now, next;
    REALS sum_before, sum_now, sum_next;
    read_plane(vks_before(top, constants.depth), unused, sum_before);
    read_plane(top, now, sum_now);
    uint z = top;
    do { // there is at least one plane, and if `planes` is 1, compilers see no loop
        read_plane(vks_after(z, constants.depth), next, sum_next);
        uint at = (z * constants.height + row) * width + here;
        precise REALS sum = sum_before + sum_now;
        sum = sum + sum_next;
        precise REALS mean = sum * constants.inverse_volume;
        precise REALS kept = constants.sharp * now;
        precise REALS blurred = constants.blurred * mean;
        precise REALS t = kept + blurred;
        t = constants.keep * t;
        precise REALS trace = VKS_AT(traces, at) * constants.hold;
        trace = trace + REALS(VKS_AT(counts, at));
        VKS_AT(trails_next, at) = flushed(t);
        VKS_AT(traces, at) = flushed(trace);
        VKS_AT(counts_next, at) = COUNTS(0u);
        sum_before = sum_now;
        sum_now = sum_next;
        now = next;
        z++;
    } while (planes > 1u && z < end);
}
