// SPDX-License-Identifier: MIT
// The step of sorted agents: docs/architecture.md, "Agents by windows". A workgroup moves several
// agents per invocation and counts those in a window of cells around their mean in shared memory,
// so that most agents add to the deposits by words of the window instead of one by one.
#version 460
#extension GL_GOOGLE_include_directive : require
#define PHYSARUM_SORTED
#include "physarum/agents.glsl"
#include "physarum/deposit.glsl"

layout(constant_id = 6) const uint per_lane = 4u;      // agents per invocation
layout(constant_id = 7) const uint window_words = 17u; // of four cells, in a row of the window
layout(constant_id = 8) const uint window_rows = 68u;

const uint RUN = 32u; // invocations with consecutive agents
const uint SAMPLES = 8u;
const uint WINDOW = window_words * window_rows;

shared uint window[WINDOW]; // counts, a byte per cell
shared uvec2 samples[SAMPLES];

// The first row and the first word of a window around the mean of the samples. It stays inside
// the field, so that it is contiguous.
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
    uint last = constants.agents - 1u;
    // Each run of invocations has its own part of the agents, so that the samples cover them all.
    uint i = group * lanes * per_lane + lane / RUN * RUN * per_lane + lane % RUN;
    if (lane % (lanes / SAMPLES) == 0u) {
        samples[lane / (lanes / SAMPLES)] = VKS_AT(positions, min(i, last));
    }
    for (uint j = lane; j < WINDOW; j += lanes) {
        window[j] = 0u;
    }
    uvec2 corner = uvec2(0u);
    for (uint k = 0u; k < per_lane; k++, i += RUN) {
        uvec2 at = uvec2(0u);
        if (i <= last) {
            at = advance(i);
        }
        if (k == 0u) { // here, so that the first agents move before this wait
            barrier();
            corner = place_window();
        }
        if (i <= last) {
            count(corner, at);
        }
    }
    barrier();
    for (uint j = lane; j < WINDOW; j += lanes) {
        uint amounts = window[j];
        if (amounts != 0u) {
            uint row = j / window_words;
            deposit(corner.x + row, corner.y + (j - row * window_words), amounts);
        }
    }
}
