// SPDX-License-Identifier: MIT
// Counts words of the reservoirs that are not 0: CIPHER_COUNTERS invocations.
#include "cipher/cipher.glsl"

VKS_FIELD(0, readonly, reservoir, uint, reservoirs);

// Of the words counter, counter + CIPHER_COUNTERS, ...
uint residue_of(uint counter)
{
    uint words = constants.reservoirs * constants.width * constants.height;
    uint rounds = counter < words ? (words - 1u - counter) / CIPHER_COUNTERS + 1u : 0u;
    uint count = 0u;
    for (uint i = 0u; i < rounds; i++) {
        count += VKS_AT(reservoirs, counter + i * CIPHER_COUNTERS) != 0u ? 1u : 0u;
    }
    return count;
}
