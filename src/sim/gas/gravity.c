/* SPDX-License-Identifier: MIT */
/* The gas's own gravity: docs/sims/gas.md. */
#include "base/memory.h"
#include "sim/gas/gas.h"

void vks_gas_declare_gravity(const struct vks_config *config, struct vks_declaration *declaration)
{
    (void)config;
    (void)declaration;
}
