// SPDX-License-Identifier: MIT
// Places of the items of a tile in the order of a digit of 8 bits, by votes of subgroups.
#ifndef VKS_LADDER_RADIX8_GLSL
#define VKS_LADDER_RADIX8_GLSL

// Numbers of items per subgroup and digit, then the items themselves.
const uint rank_words = 256u * subgroups, stage_words = items * lanes;
shared uint stage[rank_words > stage_words ? rank_words : stage_words];
shared uint sums[subgroups];
shared uint bases[256]; // what turns a place in the tile into one in the result, per digit

// The lanes of the subgroup with the same digit.
uvec4 find_equal(uint digit)
{
    uvec4 equal = subgroupBallot(true);
    [[unroll]] for (uint bit = 0u; bit < 8u; bit++) {
        bool is_set = (digit >> bit & 1u) != 0u;
        uvec4 votes = subgroupBallot(is_set);
        equal &= is_set ? votes : ~votes;
    }
    return equal;
}

// Among the lanes with the same digit: how many are before this one, and how many there are in the
// second byte.
uint votes_for(uint digit)
{
    uvec4 equal = find_equal(digit);
    return subgroupBallotExclusiveBitCount(equal) | subgroupBallotBitCount(equal) << 8;
}

// The number of earlier items of this subgroup with that digit.
uint rank_item(uint digit, uint votes)
{
    uint at = 256u * gl_SubgroupID + digit;
    uint before = SHARED_LOAD(stage, at);
    subgroupMemoryBarrierShared();
    subgroupBarrier();
    if ((votes & 255u) == 0u) {
        SHARED_STORE(stage, at, before + (votes >> 8));
    }
    subgroupMemoryBarrierShared();
    subgroupBarrier();
    return before + (votes & 255u);
}

const uint range = 256u > lanes ? 256u / lanes : 1u; // digits of a lane

// Where the items of a lane's digits in the tile begin in the result. Read before it is needed,
// because a tile waits for memory several times anyway.
void load_starts(uint lane, uint tile, out uint starts[range])
{
    for (uint i = 0u; i < range; i++) {
        uint digit = lane * range + i;
        starts[i] = digit < 256u ? LOAD(start, digit * constants.tiles + tile) : 0u;
    }
}

// Makes places in the tile of the numbers of items per subgroup and digit: in the order of digits,
// then of subgroups.
void place_digits(uint lane, uint starts[range])
{
    uint before_each[range * subgroups];
    uint sum = 0u;
    [[unroll]] for (uint i = 0u; i < range * subgroups; i++) {
        uint digit = lane * range + i / subgroups;
        before_each[i] = sum;
        sum += digit < 256u ? SHARED_LOAD(stage, 256u * (i % subgroups) + digit) : 0u;
    }
    uint before = subgroupExclusiveAdd(sum);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u) {
        SHARED_STORE(sums, gl_SubgroupID, before + sum);
    }
    BARRIER();
    for (uint i = 0u; i < gl_SubgroupID; i++) {
        before += SHARED_LOAD(sums, i);
    }
    [[unroll]] for (uint i = 0u; i < range * subgroups; i++) {
        uint digit = lane * range + i / subgroups;
        if (digit < 256u) {
            SHARED_STORE(stage, 256u * (i % subgroups) + digit, before + before_each[i]);
        }
        if (digit < 256u && i % subgroups == 0u) {
            SHARED_STORE(bases, digit, starts[i / subgroups] - before - before_each[i]);
        }
    }
    BARRIER();
}

// The places of the lane's items in the tile; the order of equal digits is kept.
void place_items(uint own[items], uint lane, uint starts[range], out uint place[items])
{
    for (uint i = lane; i < 256u * subgroups; i += lanes) {
        SHARED_STORE(stage, i, 0u);
    }
    BARRIER();
    [[unroll]] for (uint i = 0u; i < items; i++) {
        place[i] = votes_for(own[i] >> constants.shift & 255u);
    }
    [[unroll]] for (uint i = 0u; i < items; i++) {
        place[i] = rank_item(own[i] >> constants.shift & 255u, place[i]);
    }
    BARRIER();
    place_digits(lane, starts);
    [[unroll]] for (uint i = 0u; i < items; i++) {
        uint digit = own[i] >> constants.shift & 255u;
        place[i] += SHARED_LOAD(stage, 256u * gl_SubgroupID + digit);
    }
    BARRIER(); // the items follow
}

#endif
