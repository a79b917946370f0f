// SPDX-License-Identifier: MIT
// column.glsl for widths that are a multiple of COLUMNS, which is 4 or 16: an invocation moves
// down that many columns, so that memory is accessed 16 bytes at a time. With 16, counts are words.
// PHYSARUM_GENERAL is for 4.
#include "physarum/fours.glsl"

layout(constant_id = 3) const uint rows = 8; // rows of cells per invocation

struct row {
    vec4 centre[FOURS]; // D of the cells themselves
    vec4 sum[FOURS];    // of D over the row of each, from left to right
#ifdef PHYSARUM_GENERAL
    float before, after; // D of the cells beside them
    uint walls;          // in all of these
#endif
};

#ifdef PHYSARUM_GENERAL
// The sums around each of four cells, from D of three rows; before, after and walls: of the rows
// above, here and below.
vec4 sums_among_walls(vec4 a, vec4 h, vec4 b, vec3 before, vec3 after, uvec3 walls)
{
    uint wa = walls.x, wh = walls.y, wb = walls.z;
    return vec4(sum_among_walls(vec3(before.x, a.xy), vec3(before.y, h.xy), vec3(before.z, b.xy),
                                wa, wh, wb),
                sum_among_walls(a.xyz, h.xyz, b.xyz, wa >> 1, wh >> 1, wb >> 1),
                sum_among_walls(a.yzw, h.yzw, b.yzw, wa >> 2, wh >> 2, wb >> 2),
                sum_among_walls(vec3(a.zw, after.x), vec3(h.zw, after.y), vec3(b.zw, after.z),
                                wa >> 3, wh >> 3, wb >> 3));
}
#endif

// Beyond an end of the field.
row no_row()
{
    row r;
    for (uint i = 0u; i < FOURS; i++) {
        r.centre[i] = r.sum[i] = vec4(0.0f);
    }
#ifdef PHYSARUM_GENERAL
    r.before = r.after = 0.0f;
    r.walls = 0u;
#endif
    return r;
}

row read_row(int y, uint left, uint x, uint right, bool spilled)
{
    row r;
    bool outside = y < 0 || y >= int(constants.height);
    if (outside && boundary == PHYSARUM_ZERO) {
        return no_row();
    }
    uint line = (plane * constants.height + wrap_once(y, constants.height)) * constants.width;
    for (uint i = 0u; i < FOURS; i++) {
        r.centre[i] = deposited_four((line + x) / 4u + i, spilled);
    }
#ifdef PHYSARUM_GENERAL
    r.before = r.after = 0.0f;
    r.walls = among_walls ? walls_around(y, left, x, right, COLUMNS) : 0u;
#endif
    if (!blurs) {
        r.sum = r.centre;
        return r;
    }
    float before = deposited((line + left) / 4u, 3u, spilled);
    float after = deposited((line + right) / 4u, 0u, spilled);
    if (boundary == PHYSARUM_ZERO) {
        before = x == 0u ? 0.0f : before;
        after = x + COLUMNS == constants.width ? 0.0f : after;
    }
#ifdef PHYSARUM_GENERAL
    r.before = before;
    r.after = after;
#endif
    for (uint i = 0u; i < FOURS; i++) {
        vec4 d = r.centre[i];
        r.sum[i] = sums_of_three(i == 0u ? before : r.centre[i - 1u].w, d,
                                 i + 1u == FOURS ? after : r.centre[i + 1u].x);
    }
    return r;
}

void main()
{
    uint x = gl_GlobalInvocationID.x * COLUMNS;
    uint top = enter_plane(gl_GlobalInvocationID.y, (constants.height + rows - 1u) / rows) * rows;
    if (x >= constants.width || top >= constants.height || plane >= planes) {
        return;
    }
    uint left = x == 0u ? constants.width - 1u : x - 1u;
    uint right = x + COLUMNS == constants.width ? 0u : x + COLUMNS;
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
    uint y = top;
    do { // there is at least one row, and if `rows` is 1, compilers see no loop
        row below, after_seam;
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
        uint four = ((plane * constants.height + y) * constants.width + x) / 4u;
        for (uint i = 0u; i < FOURS; i++) {
            precise vec4 sum = here.sum[i];
            if (blurs) {
                sum = above.sum[i] + here.sum[i];
                sum = sum + below.sum[i];
            }
            vec4 d = here.centre[i];
#ifdef PHYSARUM_GENERAL
            if (blurs && (above.walls | here.walls | below.walls) != 0u) {
                sum = sums_among_walls(above.centre[0], here.centre[0], below.centre[0],
                                       vec3(above.before, here.before, below.before),
                                       vec3(above.after, here.after, below.after),
                                       uvec3(above.walls, here.walls, below.walls));
            }
            bvec4 open = equal(uvec4(here.walls) & uvec4(2u, 4u, 8u, 16u), uvec4(0u));
            VKS_AT(trails_next, four) =
                mix(vec4(0.0f), diffused_in((y * constants.width + x) / 4u, d, sum), open);
            eat_in(y, x);
#else
            VKS_AT(trails_next, four + i) = vec4(diffused(d.x, sum.x), diffused(d.y, sum.y),
                                                 diffused(d.z, sum.z), diffused(d.w, sum.w));
#endif
            if (counted && spilled.before) {
                VKS_AT(spills_next, four + i) = uvec4(0u);
            }
            if (counted) {
                clear_counts(four + i);
            }
        }
        above = here;
        here = below;
        if (seamed && y + 1u == SEAM) {
            here = after_seam;
        }
        y++;
    } while (rows > 1u && y < end);
}
