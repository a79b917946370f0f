// SPDX-License-Identifier: MIT
// The agents' pass with few of them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "physarum/agents_words.glsl"

void main()
{
    uint i = vks_item();
    if (i < constants.agents) {
        step_agent(i);
    }
}
