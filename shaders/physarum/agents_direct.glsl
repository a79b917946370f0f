// SPDX-License-Identifier: MIT
// The agents' pass without windows: each agent adds itself to the counts in memory.
#include "physarum/agents.glsl"
#include "physarum/deposit.glsl"

void main()
{
    uint i = vks_item();
    if (i < constants.agents) {
        deposit_one(advance(i));
    }
}
