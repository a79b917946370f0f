// SPDX-License-Identifier: MIT
// field.comp for widths that are a multiple of COLUMNS, which is 4, 8 or 16: an invocation moves
// down that many columns, so that memory is accessed 16 bytes at a time.
#define FOURS (COLUMNS / 4u)

#include "lib/pass.glsl"
#include "physarum/field.glsl"

layout(constant_id = 3) const uint rows = 8; // rows of cells per invocation

#if COLUMNS == 4
#define WORDS uint
#elif COLUMNS == 8
#define WORDS uvec2
#else
#define WORDS uvec4
#endif

VKS_FIELD(0, readonly, trail, vec4, trails);
VKS_FIELD(0, readonly, trail_cells, float, trail_at);
VKS_FIELD(1, readonly, deposits, WORDS, counts);
VKS_FIELD(1, readonly, deposits_words, uint, count_words);
VKS_FIELD(2, readonly, spill, uint, spills);
VKS_FIELD(4, writeonly, trail_next, vec4, trails_next);
VKS_FIELD(5, writeonly, deposits_next, WORDS, counts_next);
VKS_FIELD(6, writeonly, spill_next, uvec4, spills_next);

struct row {
    vec4 centre[FOURS]; // D of the cells themselves
    vec4 sum[FOURS];    // of D over the row of each, from left to right
};

// What is read of a row: its own cells and those beside them.
struct raw {
    vec4 trail[FOURS];
    WORDS words;
    float before, after;
    uint word_before, word_after;
};

// The line of a row, wrapped.
uint line_of(int y)
{
    return wrap_once(y, constants.height) * constants.width;
}

raw read_row(int y, uint left, uint x, uint right)
{
    raw r;
    uint line = line_of(y);
    for (uint i = 0u; i < FOURS; i++) {
        r.trail[i] = VKS_AT(trails, (line + x) / 4u + i);
    }
    r.words = VKS_AT(counts, (line + x) / COLUMNS);
    r.before = VKS_AT(trail_at, line + left);
    r.after = VKS_AT(trail_at, line + right);
    r.word_before = VKS_AT(count_words, (line + left) / 4u);
    r.word_after = VKS_AT(count_words, (line + right) / 4u);
    return r;
}

float deposited(float trail, uint count)
{
    precise float d = trail + float(count) * constants.deposit;
    return d;
}

row sum_row(raw r, int y, uint left, uint x, uint right, bool spilled)
{
    row result;
    bool outside = y < 0 || y >= int(constants.height);
    if (outside && boundary == PHYSARUM_ZERO) {
        for (uint i = 0u; i < FOURS; i++) {
            result.centre[i] = result.sum[i] = vec4(0.0f);
        }
        return result;
    }
    uvec4 count[FOURS];
    uint count_before = r.word_before >> 24;
    uint count_after = r.word_after & 255u;
    for (uint i = 0u; i < FOURS; i++) {
#if COLUMNS == 4
        count[i] = (uvec4(r.words) >> uvec4(0u, 8u, 16u, 24u)) & uvec4(255u);
#else
        count[i] = (uvec4(r.words[i]) >> uvec4(0u, 8u, 16u, 24u)) & uvec4(255u);
#endif
    }
    if (spilled) {
        uint line = line_of(y);
        count_before += VKS_AT(spills, line + left);
        count_after += VKS_AT(spills, line + right);
        for (uint i = 0u; i < FOURS; i++) {
            for (uint j = 0u; j < 4u; j++) {
                count[i][j] += VKS_AT(spills, line + x + 4u * i + j);
            }
        }
    }
    for (uint i = 0u; i < FOURS; i++) {
        precise vec4 d = r.trail[i] + vec4(count[i]) * vec4(constants.deposit);
        result.centre[i] = d;
    }
    if (constants.radius == 0u) {
        result.sum = result.centre;
        return result;
    }
    float before = deposited(r.before, count_before);
    float after = deposited(r.after, count_after);
    if (boundary == PHYSARUM_ZERO) {
        before = x == 0u ? 0.0f : before;
        after = x + COLUMNS == constants.width ? 0.0f : after;
    }
    for (uint i = 0u; i < FOURS; i++) {
        vec4 d = result.centre[i];
        precise vec4 sum = vec4(i == 0u ? before : result.centre[i - 1u].w, d.xyz) + d;
        sum = sum + vec4(d.yzw, i + 1u == FOURS ? after : result.centre[i + 1u].x);
        result.sum[i] = sum;
    }
    return result;
}

void main()
{
    uint x = gl_GlobalInvocationID.x * COLUMNS;
    uint top = gl_GlobalInvocationID.y * rows;
    if (x >= constants.width || top >= constants.height) {
        return;
    }
    uint left = x == 0u ? constants.width - 1u : x - 1u;
    uint right = x + COLUMNS == constants.width ? 0u : x + COLUMNS;
    raw first = read_row(int(top) - 1, left, x, right);
    raw second = read_row(int(top), left, x, right);
    raw ahead = read_row(int(top) + 1, left, x, right);
    spilling spilled = spilling_of(gl_WorkGroupID.y * constants.blocks + gl_WorkGroupID.x);
    row above = sum_row(first, int(top) - 1, left, x, right, spilled.now);
    row here = sum_row(second, int(top), left, x, right, spilled.now);
    for (uint i = 0u; i < rows; i++) {
        uint y = top + i;
        if (y >= constants.height) {
            break;
        }
        raw after_that = ahead;
        if (i + 1u < rows) {
            after_that = read_row(int(min(y + 2u, constants.height)), left, x, right);
        }
        row below = sum_row(ahead, int(y) + 1, left, x, right, spilled.now);
        uint four = (y * constants.width + x) / 4u;
        for (uint j = 0u; j < FOURS; j++) {
            precise vec4 sum = here.sum[j];
            if (constants.radius > 0u) {
                sum = above.sum[j] + here.sum[j];
                sum = sum + below.sum[j];
            }
            vec4 d = here.centre[j];
            VKS_AT(trails_next, four + j) = vec4(diffused(d.x, sum.x), diffused(d.y, sum.y),
                                                 diffused(d.z, sum.z), diffused(d.w, sum.w));
            if (spilled.before) {
                VKS_AT(spills_next, four + j) = uvec4(0u);
            }
        }
        VKS_AT(counts_next, four / FOURS) = WORDS(0u);
        above = here;
        here = below;
        ahead = after_that;
    }
}
