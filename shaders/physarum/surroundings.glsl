// SPDX-License-Identifier: MIT
// What the field passes read of walls, food and maps: docs/sims/physarum.md, "Walls", "Food",
// "Maps". An invocation has one cell or four, whose values and counts are CELLS and COUNTS. They
// are numbered from 0 on in each plane. PHYSARUM_ROWS: only D. PHYSARUM_COLUMNS: without walls,
// which need smaller squares.
#ifdef PHYSARUM_FOURS
#define CELLS vec4
#define COUNTS uvec4
#else
#define CELLS float
#define COUNTS uint
#endif

#if !defined(PHYSARUM_ROWS) && !defined(PHYSARUM_COLUMNS)
layout(constant_id = 21) const bool walled = false;
#endif
layout(constant_id = 22) const bool fed = false;    // food adds to this trail
layout(constant_id = 23) const uint eaters = 0u;    // species that eat it, all of them or none
layout(constant_id = 24) const bool counted = true; // agents add to this trail
layout(constant_id = 26) const uint maps = 0u;      // bits of PHYSARUM_MAP_...

VKS_FIELD(16, readonly, map_deposit, CELLS, factors_of_deposit);
VKS_FIELD(19, readonly, food, CELLS, foods);

CELLS flush_all(CELLS t)
{
#ifdef PHYSARUM_FOURS
    return vec4(vks_flush(t.x), vks_flush(t.y), vks_flush(t.z), vks_flush(t.w));
#else
    return vks_flush(t);
#endif
}

// The deposit of an agent.
CELLS deposit_in(uint at)
{
    precise CELLS deposit = CELLS(DEPOSIT);
    if ((maps & PHYSARUM_MAP_DEPOSIT) != 0u) {
        deposit = deposit * VKS_AT(factors_of_deposit, at);
    }
    return deposit;
}

// D of these cells.
CELLS deposited_in(uint at, CELLS trail, COUNTS count)
{
    precise CELLS d = trail;
    if (counted) {
        d = trail + deposits_of(count) * deposit_in(at);
    }
    if (fed) {
        d = d + VKS_AT(foods, at);
    }
    return d;
}

#ifndef PHYSARUM_ROWS
VKS_FIELD(17, readonly, map_diffuse, CELLS, factors_of_diffuse);
VKS_FIELD(18, readonly, map_decay, CELLS, factors_of_decay);
VKS_FIELD(20, writeonly, food_next, CELLS, foods_next);

// The part of the trail that stays where it is, and that diffuses, before decay; and the part that
// remains after it.
CELLS blurred_in(uint at)
{
    precise CELLS blurred = CELLS(BLURRED);
    if ((maps & PHYSARUM_MAP_DIFFUSE) != 0u) {
        blurred = min(blurred * VKS_AT(factors_of_diffuse, at), CELLS(1.0f));
        blurred = flush_all(blurred);
    }
    return blurred;
}

CELLS sharp_in(CELLS blurred)
{
    if ((maps & PHYSARUM_MAP_DIFFUSE) == 0u) {
        return CELLS(SHARP);
    }
    precise CELLS sharp = CELLS(1.0f) - blurred;
    return flush_all(sharp);
}

CELLS keep_in(uint at)
{
    if ((maps & PHYSARUM_MAP_DECAY) == 0u) {
        return CELLS(KEEP);
    }
    precise CELLS decay =
        of_plane(PHYSARUM_DECAY, 0.0f) * VKS_AT(factors_of_decay, at);
    decay = CELLS(1.0f) - min(decay, CELLS(1.0f));
    return flush_all(decay);
}

// T of the next step from D and the sum of the square around each.
CELLS diffused_in(uint at, CELLS d, CELLS sum)
{
    CELLS blurred = blurred_in(at);
    precise CELLS mean = sum * constants.inverse_area;
    precise CELLS kept = sharp_in(blurred) * d;
    precise CELLS spread = blurred * mean;
    precise CELLS t = kept + spread;
    t = keep_in(at) * t;
    return flush_all(t);
}

#ifndef PHYSARUM_COLUMNS
#include "physarum/wall_blocks.glsl"
#include "physarum/walls.glsl"

bool among_walls = false; // some are in the invocation's cells or beside them

// The bits of the walls in the columns before x, from x on, `count` in number, and behind them, in
// that row, which may be outside by one.
uint walls_around(int y, uint left, uint x, uint right, uint count)
{
    bool outside = y < 0 || y >= int(constants.height);
    if (boundary == PHYSARUM_ZERO && outside) {
        return 0u;
    }
    uint row = whole_row(y);
    uint words = (constants.width + 31u) / 32u;
    uint bits = (VKS_AT(wall_words, row * words + (x >> 5)) >> (x & 31u)) & ((1u << count) - 1u);
    bool before = is_wall(row, left), after = is_wall(row, right);
    if (boundary == PHYSARUM_ZERO) {
        before = before && x > 0u;
        after = after && x + count < constants.width;
    }
    return (bits << 1) | (before ? 1u : 0u) | (after ? 2u << count : 0u);
}

// The sum of D over 3 x 3 cells, each row with its left, own and right column, and their walls in
// the lowest bits. Instead of a wall, or what is behind two walls beside a diagonal, D of the
// middle counts.
float sum_among_walls(vec3 above, vec3 here, vec3 below, uint walls_above, uint walls_here,
                      uint walls_below)
{
    uint beside = walls_here & 5u;
    uint a = walls_above | ((walls_above & 2u) != 0u ? beside : 0u);
    uint b = walls_below | ((walls_below & 2u) != 0u ? beside : 0u);
    float d = here.y;
    precise float sum_above = ((a & 1u) != 0u ? d : above.x) + ((a & 2u) != 0u ? d : above.y);
    sum_above = sum_above + ((a & 4u) != 0u ? d : above.z);
    precise float sum = ((beside & 1u) != 0u ? d : here.x) + d;
    sum = sum + ((beside & 4u) != 0u ? d : here.z);
    precise float sum_below = ((b & 1u) != 0u ? d : below.x) + ((b & 2u) != 0u ? d : below.y);
    sum_below = sum_below + ((b & 4u) != 0u ? d : below.z);
    sum = sum_above + sum;
    sum = sum + sum_below;
    return sum;
}
#endif

// Food after that many agents have eaten of each cell.
void eat(uint at, COUNTS count)
{
    float amount = uintBitsToFloat(
        VKS_AT(plane_words, eaters * PHYSARUM_BLOCK_WORDS + PHYSARUM_FOOD_EATEN));
    precise CELLS left = VKS_AT(foods, at) - CELLS(count) * amount;
    VKS_AT(foods_next, at) = flush_all(max(left, CELLS(0.0f)));
}
#endif
