// SPDX-License-Identifier: MIT
// Deposit, diffuse over 1 x 1 or 3 x 3 cells, decay: docs/sims/physarum.md, "Field". For any width:
// an invocation moves down a column of cells and keeps the last three row sums, so that each row is
// summed once.
#include "lib/pass.glsl"
#include "physarum/cells.glsl"
#include "physarum/row.glsl"

layout(constant_id = 3) const uint rows = 8; // cells per invocation

VKS_FIELD(4, writeonly, trail_next, float, trails_next);
VKS_FIELD(5, writeonly, deposits_next, uint, counts_next);
VKS_FIELD(6, writeonly, spill_next, uint, spills_next);

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint top = enter_plane(gl_GlobalInvocationID.y, (constants.height + rows - 1u) / rows) * rows;
    if (x >= constants.width || top >= constants.height || plane >= planes) {
        return;
    }
    uint first = plane * constants.height;
    uint left = x == 0u ? constants.width - 1u : x - 1u;
    uint right = x + 1u == constants.width ? 0u : x + 1u;
    uint end = min(top + rows, constants.height);
    spilling spilled = spilling_near(plane, top, x);
#ifdef PHYSARUM_GENERAL
    among_walls = walled && has_walls(PHYSARUM_BESIDE, top, x);
#endif
    row above;
    if (blurs) {
        above = read_row(int(top) - 1, left, x, right, spilled.now);
    }
    row here = read_row(int(top), left, x, right, spilled.now);
    for (uint y = top; y < end; y++) {
        row below, after_seam;
        precise float sum = here.sum;
        if (blurs || y + 1u < end) {
            below = read_row(int(y) + 1, left, x, right, spilled.now);
        }
        if (seamed && y == SEAM) {
            above = no_row();
        }
        if (seamed && y + 1u == SEAM) {
            after_seam = below;
            below = no_row();
        }
        if (blurs) {
            sum = above.sum + here.sum;
            sum = sum + below.sum;
        }
        uint line = first + y;
        float t = 0.0f;
#ifdef PHYSARUM_GENERAL
        if (blurs && ((above.walls | here.walls | below.walls) != 0u)) {
            sum = sum_among_walls(vec3(above.first, above.centre, above.last),
                                  vec3(here.first, here.centre, here.last),
                                  vec3(below.first, below.centre, below.last), above.walls,
                                  here.walls, below.walls);
        }
        if ((here.walls & 2u) == 0u) {
            t = diffused_in(y * constants.width + x, here.centre, sum);
        }
        eat_in(y, x);
#else
        t = diffused(here.centre, sum);
#endif
        VKS_AT(trails_next, line * constants.width + x) = t;
        if (counted && !bytes) {
            VKS_AT(counts_next, line * constants.width + x) = 0u;
        } else if (counted && x % 4u == 0u) {
            VKS_AT(counts_next, line * ((constants.width + 3u) / 4u) + x / 4u) = 0u;
        }
        if (counted && spilled.before) {
            VKS_AT(spills_next, line * constants.width + x) = 0u;
        }
        above = here;
        here = below;
        if (seamed && y + 1u == SEAM) {
            here = after_seam;
        }
    }
}
