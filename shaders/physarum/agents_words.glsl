// SPDX-License-Identifier: MIT
// The agents' part of a step with few of them. An agent takes back the count that it added to the
// same buffer two steps ago, so that nothing needs to clear the counts.
#include "physarum/agents.glsl"

VKS_FIELD(5, , deposits_next, uint, counts_next);
// 1 + the index of the cell of an agent's last deposit and of the one before; 0: none.
VKS_FIELD(6, , deposited_cells, uvec2, deposited_at);

void step_agent(uint i)
{
    uvec2 before = VKS_AT(deposited_at, i);
    uvec2 at = advance(i);
    uint now = at.x * constants.width + at.y + 1u;
    if (before.y != now) {
        if (before.y != 0u) {
            atomicAdd(VKS_AT(counts_next, before.y - 1u), 0xffffffffu);
        }
        atomicAdd(VKS_AT(counts_next, now - 1u), 1u);
    }
    VKS_AT(deposited_at, i) = uvec2(now, before.x);
}
