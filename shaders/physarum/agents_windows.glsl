// SPDX-License-Identifier: MIT
// The step of sorted agents: docs/sims/physarum-kernels.md, "Agents by windows". A workgroup moves
// several agents per invocation and counts those in a window of cells around their mean in shared
// memory, so that most agents add to the deposits by words or cells of the window instead of one by
// one. PHYSARUM_PAIRS: general agents, two at a time.
#define PHYSARUM_SORTED
#include "physarum/agents.glsl"
#ifdef PHYSARUM_GENERAL
#define PHYSARUM_PLANES kinds
#endif
#include "physarum/deposit.glsl"

layout(constant_id = 6) const uint per_lane = 4u;     // agents per invocation: 1 or an even number
layout(constant_id = 8) const uint window_words = 4u; // per invocation: 1 or 4
layout(constant_id = 9) const uint row_words = 16u;   // of four cells, in a row of the window

const uint LANES = gl_WorkGroupSize.x; // 128 or 256
const uint RUN = 32u;                  // invocations with consecutive agents
const uint SAMPLES = LANES / RUN;
const uint ROWS = LANES * window_words / row_words;
const uint STRIDE = LANES / row_words; // rows from one word of an invocation to its next
#if defined(PHYSARUM_GENERAL) && !defined(PHYSARUM_PAIRS)
const bool pairs = false; // half the shader, which some drivers compile much faster
#else
const bool pairs = per_lane > 1u;
#endif
const bool fours = window_words > 1u;

shared uint window[ROWS * row_words]; // counts, a byte per cell
shared uvec2 samples[SAMPLES];
#ifdef PHYSARUM_GENERAL
shared uint window_plane; // that of the first sample
#else
const uint window_plane = 0u;
#endif

uvec2 distance_of(uint sample_number)
{
    return uvec2(ivec2(samples[sample_number] - samples[0]) >> (SAMPLES == 8u ? 3 : 2));
}

// The first row, among those of all planes, and the first word of a window around the mean of the
// samples. It stays inside its plane, so that it is contiguous.
uvec2 place_window()
{
    // The mean of the distances from one of them, which may be negative, so it wraps correctly.
    // Without loops, which some drivers do not unroll.
    uvec2 mean = distance_of(1u) + distance_of(2u) + distance_of(3u);
    if (SAMPLES == 8u) {
        mean += distance_of(4u) + distance_of(5u) + distance_of(6u) + distance_of(7u);
    }
    uvec2 middle = cell(samples[0] + mean);
    uint rows = constants.height;
    uint words = (constants.width + 3u) / 4u;
    uint row = min(max(middle.x, ROWS / 2u) - ROWS / 2u, max(rows, ROWS) - ROWS);
    uint before = row_words / 2u;
    uint word = min(max(middle.y / 4u, before) - before, max(words, row_words) - row_words);
    return uvec2(window_plane * constants.height + row, word);
}

// Where the window has that word of a row: the rows of a tile are in different banks.
uint column_of(uint row, uint word)
{
    return word ^ (row & 6u);
}

// An agent that was counted in that cell: the word of its count before, 0 if there is no carry, and
// what was added to it, 1 in one of its bytes.
struct addition {
    uint before, amount;
    uvec2 at;
};

addition count(uvec2 corner, uvec2 at)
{
    if (!is_deposit(at)) {
        return addition(0u, 1u, at);
    }
    uint row = at.x - corner.x;
    uint word = (at.y >> 2) - corner.y;
    uint amount = 1u << (8u * (at.y & 3u));
    uint before;
    if (row < ROWS && word < row_words) {
        before = atomicAdd(window[row * row_words + column_of(row, word)], amount);
    } else if (bytes) {
        uint line = (constants.width + 3u) / 4u;
        before = atomicAdd(VKS_AT(counts, at.x * line + (at.y >> 2)), amount);
    } else {
        atomicAdd(VKS_AT(counts, at.x * constants.width + at.y), 1u);
        before = 0u;
    }
    return addition(before, amount, at);
}

// Notes the carry, if the byte was 255. Waits for the word before, so that it is best called late.
void finish(addition a)
{
    uint full = 255u * a.amount;
    if ((a.before & full) == full) {
        spill_carries(a.at.x, a.at.y >> 2, carries_of(a.before, a.amount));
    }
}

// Adds to a word of counts in memory. Returns the previous ones.
uint add(uint at, uint amounts)
{
    return amounts == 0u ? 0u : atomicAdd(VKS_AT(counts, at), amounts);
}

// Adds these words of the window to counts that are bytes. The first is at that row and word of the
// field, the others STRIDE rows apart.
void add_to_bytes(uint row, uint word, uvec4 amounts)
{
    uint line = (constants.width + 3u) / 4u;
    uint at = row * line + word;
    // All are added before the first carry is awaited.
    uvec4 before = uvec4(0u);
    before.x = add(at, amounts.x);
    if (fours) {
        before.y = add(at + STRIDE * line, amounts.y);
        before.z = add(at + 2u * STRIDE * line, amounts.z);
        before.w = add(at + 3u * STRIDE * line, amounts.w);
    }
    uvec4 carries = uvec4(carries_of(before.x, amounts.x), carries_of(before.y, amounts.y),
                          carries_of(before.z, amounts.z), carries_of(before.w, amounts.w));
    if (carries != uvec4(0u)) {
        for (uint k = 0u; k < window_words; k++) {
            if (carries.x != 0u) {
                spill_carries(row + k * STRIDE, word, carries.x);
            }
            carries = carries.yzwx;
        }
    }
}

// The same, to counts that are words. Carries past the end of a row are not part of them.
void add_to_words(uint row, uint word, uvec4 amounts)
{
    uint cells = min(4u, constants.width - 4u * word);
    uint at = row * constants.width + 4u * word;
    for (uint k = 0u; k < window_words; k++) {
        if (amounts.x != 0u) {
            for (uint i = 0u; i < 4u; i++) {
                uint amount = (amounts.x >> (8u * i)) & 255u;
                if (amount != 0u && i < cells) {
                    atomicAdd(VKS_AT(counts, at + i), amount);
                }
            }
        }
        amounts = amounts.yzwx;
        at += STRIDE * constants.width;
    }
}

// Adds the invocation's words of the window to the counts in memory.
void add_window(uvec2 corner)
{
    uint lane = gl_LocalInvocationID.x;
    uint row = lane / row_words;
    uint word = corner.y + column_of(row, lane % row_words); // in the rows below, too
    uvec4 amounts = uvec4(window[lane], 0u, 0u, 0u);
    if (fours) {
        amounts.yzw = uvec3(window[lane + LANES], window[lane + 2u * LANES],
                            window[lane + 3u * LANES]);
    }
    if (bytes) {
        add_to_bytes(corner.x + row, word, amounts);
    } else {
        add_to_words(corner.x + row, word, amounts);
    }
}

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint last = AGENTS - 1u;
    // Each run of invocations has its own part of the agents, so that the samples cover them all.
    uint i = group * LANES * per_lane + lane / RUN * RUN * per_lane + lane % RUN;
#ifdef PHYSARUM_RANKS
    if (group * LANES * per_lane >= AGENTS) {
        return; // the whole workgroup
    }
#endif
    // Two agents at a time, so that one is computed while the other waits for memory; the next are
    // loaded before these move.
    agent next = load(min(i, last)), next_second;
    if (pairs) {
        next_second = load(min(i + RUN, last));
    }
    if (lane % RUN == 0u) {
        samples[lane / RUN] = next.place;
    }
#ifdef PHYSARUM_GENERAL
    if (lane == 0u) {
        window_plane = SPECIES(next);
    }
#endif
    window[lane] = 0u;
    if (fours) {
        window[lane + LANES] = 0u;
        window[lane + 2u * LANES] = 0u;
        window[lane + 3u * LANES] = 0u;
    }
    uvec2 corner = uvec2(0u);
    addition previous = addition(0u, 1u, uvec2(0u)); // without a carry
    uint step = pairs ? 2u : 1u;
    for (uint k = 0u; k < per_lane; k += step, i += step * RUN) {
        uint j = i + RUN;
        agent first = next, second = next_second;
        prepare(first);
        vec3 seen = look(first), seen_second;
        if (pairs) {
            prepare(second);
            seen_second = look(second);
            if (k + step < per_lane) {
                next = load(min(i + 2u * RUN, last));
                next_second = load(min(i + 3u * RUN, last));
            }
        } else if (k + step < per_lane) {
            next = load(min(j, last));
        }
        uvec2 at = uvec2(0u), at_second = uvec2(0u);
        if (i <= last) {
            at = move(i, first, seen);
        }
        if (pairs && j <= last) {
            at_second = move(j, second, seen_second);
        }
        if (k == 0u) { // here, so that the first agents move before this wait
            barrier();
            corner = place_window();
        }
        finish(previous);
        previous.before = 0u;
        if (i <= last) {
            previous = count(corner, at);
        }
        if (pairs && j <= last) {
            finish(previous);
            previous = count(corner, at_second);
        }
    }
    finish(previous);
    barrier();
    add_window(corner);
}
