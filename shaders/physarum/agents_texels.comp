// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define VKS_TEXELS
#include "physarum/agents.glsl"
#include "physarum/deposit.glsl"

void main()
{
    uint i = vks_item();
    if (i < constants.agents) {
        deposit_one(advance(i));
    }
}
