// SPDX-License-Identifier: MIT
// How many particles there are in memory. GAS_RANKS: one of several ranks has some of them.
// docs/sims/gas.md.
#ifndef VKS_GAS_PRESENT_GLSL
#define VKS_GAS_PRESENT_GLSL

#ifdef GAS_RANKS
VKS_FIELD(23, readonly, particles_alive, uint, alive);
#define PARTICLES min(VKS_AT(alive, 0u), constants.particles)
#else
#define PARTICLES constants.particles
#endif
#endif
