// SPDX-License-Identifier: MIT
// A tile of SCAN_TILE words: four rows of 256 x 4, so that neighbouring lanes have neighbouring
// accesses of 16 bytes. `from` holds the words.
#ifndef VKS_LADDER_SCAN_TILE_GLSL
#define VKS_LADDER_SCAN_TILE_GLSL

// Four words; those behind the last are 0.
uvec4 load_four(uint four)
{
    uvec4 place = 4u * four + uvec4(0u, 1u, 2u, 3u);
    uvec4 words = 4u * four < constants.count ? LOAD(from, four) : uvec4(0u);
    return mix(uvec4(0u), words, lessThan(place, uvec4(constants.count)));
}

uint sum_four(uvec4 words)
{
    return words.x + words.y + words.z + words.w;
}

#ifdef VKS_LADDER_GROUP_SCAN_GLSL
// Scans a tile from `before` and stores the sums in `to`. Returns the sum of the tile.
uint scan_tile(uint tile, uint before)
{
    uint first = tile * (SCAN_TILE / 4u) + scan_lane();
    uvec4 rows[4];
    uvec4 own, total;
    for (uint row = 0u; row < 4u; row++) {
        rows[row] = load_four(first + row * 256u);
        own[row] = sum_four(rows[row]);
    }
    uvec4 start = group_scan(own, total);
    start += before + uvec4(0u, total.x, total.x + total.y, total.x + total.y + total.z);
    for (uint row = 0u; row < 4u; row++) {
        uvec4 sums = uvec4(0u, rows[row].xyz);
        sums.zw += sums.y;
        sums.w += rows[row].y;
        if (4u * (first + row * 256u) < constants.count) {
            STORE(to, first + row * 256u, sums + start[row]);
        }
    }
    return sum_four(total);
}
#endif

#endif
