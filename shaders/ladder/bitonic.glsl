// SPDX-License-Identifier: MIT
// Merging in a tile of SORT_TILE items in shared memory. Every comparison puts the smaller key
// first, so that the padding behind the last item, the largest key, stays where it is.
#ifndef VKS_LADDER_BITONIC_GLSL
#define VKS_LADDER_BITONIC_GLSL

shared uint tile_key[SORT_TILE];
shared uint tile_value[SORT_TILE];

void exchange(uint low, uint high)
{
    uint a = SHARED_LOAD(tile_key, low), b = SHARED_LOAD(tile_key, high);
    if (a > b) {
        uint value = SHARED_LOAD(tile_value, low);
        SHARED_STORE(tile_key, low, b);
        SHARED_STORE(tile_key, high, a);
        SHARED_STORE(tile_value, low, SHARED_LOAD(tile_value, high));
        SHARED_STORE(tile_value, high, value);
    }
}

// Sorts bitonic sequences of `span` items, a power of two.
void merge_tile(uint span)
{
    for (uint apart = span / 2u; apart > 0u; apart /= 2u) {
        for (uint i = gl_LocalInvocationID.x; i < SORT_TILE / 2u; i += 256u) {
            uint low = i / apart * 2u * apart + i % apart;
            exchange(low, low + apart);
        }
        BARRIER();
    }
}

uint first_of_tile()
{
    return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * SORT_TILE;
}

#endif
