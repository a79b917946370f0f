// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#define GAS_RANKS
#include "gas/particle_energies.glsl"
