// SPDX-License-Identifier: MIT
//
// Exclusive scan of uint32, with the total after the last, in one pass over memory: a group of 256
// scans a tile of 8192 items (4096 if there are few), publishes the tile's sum, and looks back at
// what the preceding tiles have published. (Reduce-then-scan reads every item twice: 12 bytes
// instead of 8, at most two thirds of the bandwidth of a copy.)
//
// No group ever waits for another. If the preceding tile has published nothing, a group computes
// that tile's sum itself, from the items, publishes it on its behalf and continues; even if no
// other group ever runs, it reaches the first tile. So it needs no forward-progress guarantee,
// which Vulkan does not give. The method is Smith, Levien and Owens, "Decoupled Fallback" (2025),
// after Merrill and Garland's decoupled look-back (2016).
//
// A state is two words, each with half of a sum in its low bits and the tile's stage above. What a
// tile publishes at a given stage is always the same, stages only increase, and a reader accepts
// two halves only if their stages are equal. So no ordering is needed between the two words, or
// between a state and other memory.
//
// scan.comp completes this file with subgroups, scan_floor.comp with shared memory, for devices
// without subgroup arithmetic.
#ifndef VKS_CORE_SCAN_GLSL
#define VKS_CORE_SCAN_GLSL

#include "lib/pass.glsl"
#include "core/scan.h"

layout(constant_id = 3) const uint max_retries = 8u;     // failed reads before computing the sum
layout(constant_id = 4) const bool backwards = false; // tests: preceding tiles are never ready

VKS_CONSTANTS(scan_params);

layout(std430, set = 0, binding = 0) readonly buffer scan_in
{
    uvec4 values[];
};
layout(std430, set = 0, binding = 1) writeonly buffer scan_out
{
    uvec4 sums[];
};
layout(std430, set = 0, binding = 2) buffer states
{
    uvec2 state[]; // per tile: low and high half; initially 0
};
layout(std430, set = 0, binding = 3) writeonly buffer states_next
{
    uvec2 cleared[]; // for the next scan
};

// A tile is ROWS rows of 256 x 4 items; four rows are scanned together, as one uvec4. Small tiles
// occupy the device when there are few items.
layout(constant_id = 6) const uint row_fours = SCAN_ITEMS / 4096u;
#define FOURS row_fours
const uint ROWS = 4u * row_fours;
const uint TILE_FOURS = 1024u * row_fours;

#define STAGE_NOTHING 0u
#define STAGE_TILE 1u   // the sum of the tile
#define STAGE_PREFIX 2u // the sum of the tile and all before it

#define LOOK_AT(word) atomicLoad(word, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed)

// Defined by scan.comp and scan_floor.comp. A unique number for each of the 256 invocations.
uint invocation();
// From an invocation's sum of each row, computes the sum of the tile's items before its share of
// that row. Returns the sum of the tile. Called by whole groups.
uint scan_tile(uvec4 own[FOURS], out uvec4 starts[FOURS]);
// Publishes the sum of a tile and its prefix; returns the sum of all tiles before it. Called by
// whole groups.
uint look_back(uint tile, uint sum);

void publish(uint tile, uint stage, uint sum)
{
    atomicMax(state[tile].x, stage << 16 | (sum & 0xffffu));
    atomicMax(state[tile].y, stage << 16 | sum >> 16);
}

// Four items; those past the last are 0.
uvec4 load(uint four)
{
    uint first = 4u * four;
    if (constants.count >= 4u && first <= constants.count - 4u) {
        return values[four];
    }
    uvec4 items = uvec4(0u);
    for (uint i = 0u; i < 4u; i++) {
        if (first + i < constants.count) {
            items[i] = values[four][i];
        }
    }
    return items;
}

void store(uint four, uvec4 items)
{
    uint first = 4u * four;
    if (constants.count >= 4u && first <= constants.count - 4u) {
        sums[four] = items;
        return;
    }
    for (uint i = 0u; i < 4u; i++) {
        if (first + i < constants.count) {
            sums[four][i] = items[i];
        }
    }
}

void main()
{
    uint t = invocation();
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    // The groups of the last row may be past the tiles.
    if (tile >= constants.tiles) {
        return;
    }
    tile = backwards ? constants.tiles - 1u - tile : tile;

    uint four = tile * TILE_FOURS + t;
    uvec4 rows[ROWS];
    uvec4 own[FOURS];
    for (uint row = 0u; row < ROWS; row++) {
        rows[row] = load(four + row * 256u);
        own[row / 4u][row % 4u] = rows[row].x + rows[row].y + rows[row].z + rows[row].w;
    }
    uvec4 starts[FOURS];
    uint sum = scan_tile(own, starts);
    if (t == 0u) {
        cleared[tile] = uvec2(0u);
    }
    uint before = look_back(tile, sum);
    for (uint row = 0u; row < ROWS; row++) {
        uvec4 items = rows[row];
        uint first = starts[row / 4u][row % 4u] + before;
        uint second = first + items.x;
        uint third = second + items.y;
        store(four + row * 256u, uvec4(first, second, third, third + items.z));
    }
    if (tile + 1u == constants.tiles && t == 0u) {
        sums[constants.count >> 2][constants.count & 3u] = before + sum;
    }
}

#endif
