// SPDX-License-Identifier: MIT
// The agents' pass without windows: each agent adds itself to the counts, which are words.
#include "physarum/agents.glsl"

VKS_FIELD(4, , deposits, uint, counts);

void main()
{
    uint i = vks_item();
    if (i < AGENTS) {
        uvec2 at = advance(i);
        if (is_deposit(at)) {
            atomicAdd(VKS_AT(counts, at.x * constants.width + at.y), 1u);
        }
    }
}
