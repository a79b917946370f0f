// SPDX-License-Identifier: MIT
// Deposit, diffuse over 3 x 3 x 3 cells, decay, and the trace: docs/sims/physarum-3d.md, "Field".
// An invocation moves along z with COLUMNS cells of a row, 1, 4 or 16, and keeps the sums of the
// last planes, so that each plane is summed once.
#include "lib/pass.glsl"
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "physarum_3d/params.h"

#if COLUMNS == 1
#define REALS float
#define COUNTS uint
#define PARTS 1u // of the invocation's cells, one element of a buffer each
#define FIRST(cells) (cells)
#define LAST(cells) (cells)
#else
#define REALS vec4
#define COUNTS uvec4
#define PARTS (COLUMNS / 4u)
#define FIRST(cells) (cells).x
#define LAST(cells) (cells).w
#endif

VKS_CONSTANTS(physarum_3d_field);

layout(constant_id = 0) const bool fed = false; // there is food
layout(constant_id = 1) const uint planes = 8u; // of an invocation

#if COLUMNS == 1
VKS_INPUT(0, trail, float, trails)
VKS_INPUT(1, deposits, uint, counts)
VKS_INPUT(2, food, float, foods)
#else
VKS_INPUT(0, trail, vec4, trails)
VKS_INPUT(1, deposits, uvec4, counts)
VKS_INPUT(2, food, vec4, foods)
#endif
VKS_FIELD(3, , trace, REALS, traces);
VKS_FIELD(4, writeonly, trail_next, REALS, trails_next);
VKS_FIELD(5, writeonly, deposits_next, COUNTS, counts_next);

// D of the cells of an element.
REALS deposited(uint at)
{
    precise REALS d = VKS_IN(trails, at) + REALS(VKS_IN(counts, at)) * constants.deposit;
    if (fed) {
        d = d + VKS_IN(foods, at);
    }
    return d;
}

// D of its first and its last cell.
float deposited_first(uint at)
{
    precise float d =
        FIRST(VKS_IN(trails, at)) + float(FIRST(VKS_IN(counts, at))) * constants.deposit;
    if (fed) {
        d = d + FIRST(VKS_IN(foods, at));
    }
    return d;
}

float deposited_last(uint at)
{
    precise float d =
        LAST(VKS_IN(trails, at)) + float(LAST(VKS_IN(counts, at))) * constants.deposit;
    if (fed) {
        d = d + LAST(VKS_IN(foods, at));
    }
    return d;
}

// Sums of three cells in a row around each, from D of these and their neighbours.
REALS sum_of_three(float before, REALS d, float after)
{
#if COLUMNS == 1
    precise float sum = before + d;
    sum = sum + after;
#else
    precise vec4 sum = vec4(before, d.xyz) + d;
    sum = sum + vec4(d.yzw, after);
#endif
    return sum;
}

REALS flushed(REALS cells)
{
#if COLUMNS == 1
    return vks_flush(cells);
#else
    return vec4(vks_flush(cells.x), vks_flush(cells.y), vks_flush(cells.z), vks_flush(cells.w));
#endif
}

// Of the invocation, in elements: the first of its own, those beside them, and its row and those
// beside it.
uint width, here, left, right;
uint above, row, below;

// Of the plane that was read last: D of the invocation's cells, and sums over the cells around each
// of them, of a row and of 3 x 3.
REALS centre[PARTS], row_sum[PARTS], plane_sum[PARTS];

void read_row(uint line)
{
    uint start = line * width;
    float before = deposited_last(start + left);
    float after = deposited_first(start + right);
    for (uint i = 0u; i < PARTS; i++) {
        centre[i] = deposited(start + here + i);
    }
    for (uint i = 0u; i < PARTS; i++) {
        row_sum[i] = sum_of_three(i == 0u ? before : LAST(centre[i - 1u]), centre[i],
                                  i + 1u == PARTS ? after : FIRST(centre[i + 1u]));
    }
}

void read_plane(uint z)
{
    uint line = z * constants.height;
    read_row(line + above);
    for (uint i = 0u; i < PARTS; i++) {
        plane_sum[i] = row_sum[i];
    }
    read_row(line + row);
    REALS own[PARTS];
    for (uint i = 0u; i < PARTS; i++) {
        own[i] = centre[i];
        precise REALS sum = plane_sum[i] + row_sum[i];
        plane_sum[i] = sum;
    }
    read_row(line + below);
    for (uint i = 0u; i < PARTS; i++) {
        centre[i] = own[i];
        precise REALS sum = plane_sum[i] + row_sum[i];
        plane_sum[i] = sum;
    }
}

// Writes the cells of an element, from their D and the sums over the cells around each.
void write_cells(uint at, REALS d, REALS sum)
{
    precise REALS mean = sum * constants.inverse_volume;
    precise REALS kept = constants.sharp * d;
    precise REALS blurred = constants.blurred * mean;
    precise REALS t = kept + blurred;
    t = constants.keep * t;
    precise REALS trace = VKS_AT(traces, at) * constants.hold;
    trace = trace + REALS(VKS_IN(counts, at));
    VKS_AT(trails_next, at) = flushed(t);
    VKS_AT(traces, at) = flushed(trace);
    VKS_AT(counts_next, at) = COUNTS(0u);
}

void main()
{
    width = constants.width / COLUMNS * PARTS;
    here = gl_GlobalInvocationID.x * PARTS;
    uint line = vks_row();
    row = line % constants.height;
    uint top = line / constants.height * planes;
    if (here >= width || top >= constants.depth) {
        return;
    }
    left = vks_before(here, width);
    right = vks_after(here + PARTS - 1u, width);
    above = vks_before(row, constants.height);
    below = vks_after(row, constants.height);
    uint end = min(top + planes, constants.depth);
    REALS sum_before[PARTS], sum_now[PARTS], now[PARTS];
    read_plane(vks_before(top, constants.depth));
    sum_before = plane_sum;
    read_plane(top);
    sum_now = plane_sum;
    now = centre;
    uint z = top;
    do { // there is at least one plane, and if `planes` is 1, compilers see no loop
        read_plane(vks_after(z, constants.depth));
        uint at = (z * constants.height + row) * width + here;
        for (uint i = 0u; i < PARTS; i++) {
            precise REALS sum = sum_before[i] + sum_now[i];
            sum = sum + plane_sum[i];
            write_cells(at + i, now[i], sum);
        }
        sum_before = sum_now;
        sum_now = plane_sum;
        now = centre;
        z++;
    } while (planes > 1u && z < end);
}
