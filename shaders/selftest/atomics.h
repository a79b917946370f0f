/* SPDX-License-Identifier: MIT */
/* The operations of atomics.comp, also for src/selftest/memory.c. */
#define ATOMICS_ADD 0
#define ATOMICS_EXCHANGE 1
#define ATOMICS_SWAP 2
#define ATOMICS_MIN 3
#define ATOMICS_MAX 4
#define ATOMICS_AND 5
#define ATOMICS_OR 6
#define ATOMICS_XOR 7
