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
layout(constant_id = 12) const uint run = 32u; // lanes with consecutive agents
layout(constant_id = 13) const bool spread = false;
layout(constant_id = 15) const bool merge = false;

const uint SAMPLES = 8u;
const uint WINDOW = window_words * window_rows;

#ifdef PHYSARUM_WIDE_WINDOW
shared uint window[4u * WINDOW]; // a word per cell: the first of all fours, the second...
#else
shared uint window[WINDOW]; // a byte per cell
#endif
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

#ifdef PHYSARUM_WIDE_WINDOW
// Counts an agent in that cell.
void count(uvec2 corner, uvec2 at)
{
    if ((skip & 1u) != 0u && at.x != 123456u) {
        return;
    }
    uint row = at.x - corner.x;
    uint word = (at.y >> 2) - corner.y;
    if (row < window_rows && word < window_words) {
        atomicAdd(window[(at.y & 3u) * WINDOW + row * window_words + word], 1u);
    } else {
        deposit(at.x, at.y >> 2, 1u << (8u * (at.y & 3u)));
    }
}
#else
// Counts agents in four cells.
void count(uvec2 corner, uvec3 addend)
{
    if ((skip & 1u) != 0u && addend.x != 123456u) {
        return;
    }
    uint row = addend.x - corner.x;
    uint word = addend.y - corner.y;
    if (row < window_rows && word < window_words) {
        uint carries = carries_of(atomicAdd(window[row * window_words + word], addend.z), addend.z);
        if (carries != 0u) {
            spill_carries(addend.x, addend.y, carries);
        }
    } else {
        deposit(addend.x, addend.y, addend.z);
    }
}

uvec3 addend_of(uvec2 at)
{
    return uvec3(at.x, at.y >> 2, 1u << (8u * (at.y & 3u)));
}

void count(uvec2 corner, uvec2 at)
{
    count(corner, addend_of(at));
}
#endif

// Counts four agents, several at once where they are in the same four cells.
void count(uvec2 corner, uvec2 a, uvec2 b, uvec2 c, uvec2 d)
{
#ifdef PHYSARUM_WIDE_WINDOW
    count(corner, a);
    count(corner, b);
    count(corner, c);
    count(corner, d);
#else
    uvec3 pending = addend_of(a);
    uvec3 next = addend_of(b);
    if (next.xy == pending.xy) {
        next.z += pending.z;
    } else {
        count(corner, pending);
    }
    pending = next;
    next = addend_of(c);
    if (next.xy == pending.xy) {
        next.z += pending.z;
    } else {
        count(corner, pending);
    }
    pending = next;
    next = addend_of(d);
    if (next.xy == pending.xy) {
        next.z += pending.z;
    } else {
        count(corner, pending);
    }
    count(corner, next);
#endif
}

// Adds a word of the window to the deposits.
void flush(uvec2 corner, uint i)
{
#ifdef PHYSARUM_WIDE_WINDOW
    uvec4 counts = uvec4(window[i], window[i + WINDOW], window[i + 2u * WINDOW],
                         window[i + 3u * WINDOW]);
    uint amounts = counts.x | counts.y | counts.z | counts.w;
    bool large = amounts > 255u;
    amounts = amounts == 0u ? 0u : (counts.x & 255u) | (counts.y & 255u) << 8 |
                                       (counts.z & 255u) << 16 | (counts.w << 24);
#else
    uint amounts = window[i];
    bool large = false;
#endif
    if (amounts == 0u && !large) {
        return;
    }
    uint row = i / window_words;
    uint word = i - row * window_words;
    deposit(corner.x + row, corner.y + word, amounts);
#ifdef PHYSARUM_WIDE_WINDOW
    if (large) {
        spill_rest(corner.x + row, corner.y + word, counts & uvec4(0xffffff00u));
    }
#endif
}

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint lanes = gl_WorkGroupSize.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint first = group * lanes * per_lane;
    uint last = constants.agents - 1u;
    uint part = lane / run;
    if (spread) {
        part = (part & 3u) * (lanes / run / 4u) + (part >> 2);
    }
    for (uint i = lane; i < WINDOW; i += lanes) {
        window[i] = 0u;
#ifdef PHYSARUM_WIDE_WINDOW
        window[i + WINDOW] = 0u;
        window[i + 2u * WINDOW] = 0u;
        window[i + 3u * WINDOW] = 0u;
#endif
    }
    uvec2 corner = uvec2(0u);
    bool sampling = lane % (lanes / SAMPLES) == 0u;
#ifdef PHYSARUM_AT_ONCE
    uint i = first + part * run * per_lane + 4u * (lane % run);
    for (uint k = 0u; k < per_lane; k += 4u, i += 4u * run) {
        uvec2 at_a, at_b, at_c, at_d;
        bool all = i + 3u <= last;
        if (all) {
            uvec4 ab = VKS_AT(position_pair, i / 2u);
            uvec4 cd = VKS_AT(position_pair, i / 2u + 1u);
            uvec4 directions = VKS_AT(heading_four, i / 4u);
            uvec2 a = ab.xy;
            uvec2 b = ab.zw;
            uvec2 c = cd.xy;
            uvec2 d = cd.zw;
            if (sampling && k == 0u) {
                samples[lane / (lanes / SAMPLES)] = a;
            }
            at_a = advance(i, a, directions.x);
            at_b = advance(i + 1u, b, directions.y);
            at_c = advance(i + 2u, c, directions.z);
            at_d = advance(i + 3u, d, directions.w);
            if ((skip & 4u) == 0u || directions.x == 12345u) {
                VKS_AT(position_pair, i / 2u) = uvec4(a, b);
                VKS_AT(position_pair, i / 2u + 1u) = uvec4(c, d);
                VKS_AT(heading_four, i / 4u) = directions;
            }
        } else if (sampling && k == 0u) {
            samples[lane / (lanes / SAMPLES)] = VKS_AT(positions, last);
        }
        if (k == 0u) {
            barrier();
            corner = place_window();
        }
        if (all) {
            if (merge) {
                count(corner, at_a, at_b, at_c, at_d);
            } else {
                count(corner, at_a);
                count(corner, at_b);
                count(corner, at_c);
                count(corner, at_d);
            }
        } else {
            for (uint j = i; j <= last; j++) {
                uvec2 place = VKS_AT(positions, j);
                uint direction = VKS_AT(headings, j);
                uvec2 at = advance(j, place, direction);
                VKS_AT(positions, j) = place;
                VKS_AT(headings, j) = direction;
                count(corner, at);
            }
        }
    }
#else
    uint i = first + part * run * per_lane + lane % run;
    uvec2 place = VKS_AT(positions, min(i, last));
    uint direction = VKS_AT(headings, min(i, last));
    if (sampling) {
        samples[lane / (lanes / SAMPLES)] = place;
    }
    for (uint k = 0u; k < per_lane; k++) {
        uvec2 next_place = uvec2(0u);
        uint next_direction = 0u;
        if (prefetch && k + 1u < per_lane) {
            next_place = VKS_AT(positions, min(i + run, last));
            next_direction = VKS_AT(headings, min(i + run, last));
        }
        uvec2 at = uvec2(0u);
        if (i <= last) {
            at = advance(i, place, direction);
            if ((skip & 4u) == 0u || direction == 12345u) {
                VKS_AT(positions, i) = place;
                VKS_AT(headings, i) = direction;
            }
        }
        if (k == 0u) {
            barrier();
            corner = place_window();
        }
        if (!prefetch && k + 1u < per_lane) {
            next_place = VKS_AT(positions, min(i + run, last));
            next_direction = VKS_AT(headings, min(i + run, last));
        }
        if (i <= last) {
            count(corner, at);
        }
        i += run;
        place = next_place;
        direction = next_direction;
    }
#endif
    barrier();
    for (uint i = lane; i < WINDOW; i += lanes) {
        flush(corner, i);
    }
}
