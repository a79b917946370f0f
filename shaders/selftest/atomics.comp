// SPDX-License-Identifier: MIT
// Each item changes a word by one of the atomic operations and keeps what the operation returned.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "selftest/atomics.h"

layout(constant_id = 2) const uint operation = ATOMICS_ADD;

struct atomics_params {
    uint count, words;
};
VKS_CONSTANTS(atomics_params);

layout(std430, set = 0, binding = 0) buffer words
{
    uint changed[];
};
layout(std430, set = 0, binding = 1) writeonly buffer returned
{
    uint results[];
};

// As many tries as there are items: each failure of one is the success of another.
uint swap(uint word)
{
    uint before = 0u;
    for (uint i = 0u; i < constants.count; i++) {
        uint found = atomicCompSwap(changed[word], before, before + 1u);
        if (found == before) {
            return before;
        }
        before = found;
    }
    return 0xffffffffu;
}

void main()
{
    uint i = vks_item();
    if (i >= constants.count) {
        return;
    }
    uint word = i % constants.words;
    uint value = vks_random(1u, i, 0u, 0u).x;
    switch (operation) {
    case ATOMICS_ADD:
        results[i] = atomicAdd(changed[word], 1u);
        break;
    case ATOMICS_EXCHANGE:
        results[i] = atomicExchange(changed[word], i / constants.words + 1u);
        break;
    case ATOMICS_SWAP:
        results[i] = swap(word);
        break;
    case ATOMICS_MIN:
        results[i] = atomicMin(changed[word], value);
        break;
    case ATOMICS_MAX:
        results[i] = atomicMax(changed[word], value);
        break;
    case ATOMICS_AND:
        results[i] = atomicAnd(changed[word], value);
        break;
    case ATOMICS_OR:
        results[i] = atomicOr(changed[word], value);
        break;
    default:
        results[i] = atomicXor(changed[word], value);
        break;
    }
}
