// SPDX-License-Identifier: MIT
// The step of sorted agents: docs/architecture.md, "Agents by windows". A workgroup takes several
// agents per lane and counts those in a window of cells around their middle in shared memory, so
// that most agents add to the deposits by words of the window instead of one by one.
#define PHYSARUM_SORTED
#include "physarum/agents.glsl"

layout(constant_id = 5) const uint per_lane = 4u;       // agents
layout(constant_id = 6) const uint window_words = 17u;  // of four cells, in a row of the window
layout(constant_id = 7) const uint window_rows = 64u;
layout(constant_id = 10) const bool prefetch = false;

const uint SAMPLES = 8u;
const uint WINDOW = window_words * window_rows;

shared uint window[WINDOW];
shared uvec2 samples[SAMPLES];

// The first row and the first word of a window around the middle of the samples. It stays inside
// the field, so that it is one piece.
uvec2 place_window()
{
    // The mean of the distances from one of them, which may be negative, so it wraps correctly.
    ivec2 sum = ivec2(0);
    for (uint i = 1u; i < SAMPLES; i++) {
        sum += ivec2(samples[i] - samples[0]) / int(SAMPLES);
    }
    uvec2 middle = samples[0] + uvec2(sum);
    uint row = vks_high(middle.x, constants.height);
    uint word = vks_high(middle.y, constants.width) / 4u;
    uint rows = constants.height;
    uint words = (constants.width + 3u) / 4u;
    row = min(max(row, window_rows / 2u) - window_rows / 2u, max(rows, window_rows) - window_rows);
    word = min(max(word, window_words / 2u) - window_words / 2u,
               max(words, window_words) - window_words);
    return uvec2(row, word);
}

// Counts an agent in that cell.
void count(uvec2 corner, uvec2 at)
{
    if ((skip & 1u) != 0u && at.x != 123456u) {
        return;
    }
    uint row = at.x - corner.x;
    uint word = (at.y >> 2) - corner.y;
    uint amount = 1u << (8u * (at.y & 3u));
    if (row < window_rows && word < window_words) {
        uint carries = carries_of(atomicAdd(window[row * window_words + word], amount), amount);
        if (carries != 0u) {
            spill_carries(at.x, at.y >> 2, carries);
        }
    } else {
        deposit(at.x, at.y >> 2, amount);
    }
}

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint lanes = gl_WorkGroupSize.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint first = group * lanes * per_lane;
    uint last = constants.agents - 1u;
    if (lane < SAMPLES) {
        samples[lane] = VKS_AT(positions, min(first + lane * (lanes * per_lane / SAMPLES), last));
    }
    for (uint i = lane; i < WINDOW; i += lanes) {
        window[i] = 0u;
    }
    barrier();
    uvec2 corner = place_window();
#ifdef PHYSARUM_AT_ONCE
    for (uint k = 0u; k < per_lane; k += 4u) {
        uint i = first + k * lanes + 4u * lane;
        if (i + 3u <= last) {
            uvec4 ab = VKS_AT(position_pair, i / 2u);
            uvec4 cd = VKS_AT(position_pair, i / 2u + 1u);
            uvec4 directions = VKS_AT(heading_four, i / 4u);
            uvec2 a = ab.xy;
            uvec2 b = ab.zw;
            uvec2 c = cd.xy;
            uvec2 d = cd.zw;
            uvec2 at_a = advance(i, a, directions.x);
            uvec2 at_b = advance(i + 1u, b, directions.y);
            uvec2 at_c = advance(i + 2u, c, directions.z);
            uvec2 at_d = advance(i + 3u, d, directions.w);
            if ((skip & 4u) == 0u || directions.x == 12345u) {
                VKS_AT(position_pair, i / 2u) = uvec4(a, b);
                VKS_AT(position_pair, i / 2u + 1u) = uvec4(c, d);
                VKS_AT(heading_four, i / 4u) = directions;
            }
            count(corner, at_a);
            count(corner, at_b);
            count(corner, at_c);
            count(corner, at_d);
            continue;
        }
        for (; i <= last; i++) {
            uvec2 place = VKS_AT(positions, i);
            uint direction = VKS_AT(headings, i);
            uvec2 at = advance(i, place, direction);
            VKS_AT(positions, i) = place;
            VKS_AT(headings, i) = direction;
            count(corner, at);
        }
    }
#else
    uint i = first + lane;
    uvec2 place = VKS_AT(positions, min(i, last));
    uint direction = VKS_AT(headings, min(i, last));
    for (uint k = 0u; k < per_lane && i <= last; k++) {
        uint next = min(i + lanes, last);
        uvec2 next_place = uvec2(0u);
        uint next_direction = 0u;
        if (prefetch) {
            next_place = VKS_AT(positions, next);
            next_direction = VKS_AT(headings, next);
        }
        uvec2 at = advance(i, place, direction);
        if ((skip & 4u) == 0u || direction == 12345u) {
            VKS_AT(positions, i) = place;
            VKS_AT(headings, i) = direction;
        }
        if (!prefetch) {
            next_place = VKS_AT(positions, next);
            next_direction = VKS_AT(headings, next);
        }
        i += lanes;
        place = next_place;
        direction = next_direction;
        count(corner, at);
    }
#endif
    barrier();
    for (uint i = lane; i < WINDOW; i += lanes) {
        uint amounts = window[i];
        if (amounts != 0u) {
            uint row = i / window_words;
            deposit(corner.x + row, corner.y + (i - row * window_words), amounts);
        }
    }
}
