// SPDX-License-Identifier: MIT
// The slab of one of several ranks: rows along the slowest axis, planes of a volume, with halos.
// Around them the box is wrong, and periodic as the whole box is. docs/sims/gas.md.
#ifndef VKS_GAS_SLAB_GLSL
#define VKS_GAS_SLAB_GLSL

layout(constant_id = 16) const uint slab_side = 0u;   // rows of the whole box; 0: there is one rank
layout(constant_id = 17) const uint slab_origin = 0u; // the whole box's row that is the first here
layout(constant_id = 18) const uint slab_begin = 0u;  // the first own row here
layout(constant_id = 19) const uint slab_rows = 0u;   // own rows

// The row here of a row of the whole box.
uint row_here(uint row)
{
    return row < slab_origin ? row + slab_side - slab_origin : row - slab_origin;
}

uint row_of_all(uint row)
{
    uint all = row + slab_origin;
    return all < slab_side ? all : all - slab_side;
}

bool is_own_row(uint row)
{
    return slab_side == 0u || row - slab_begin < slab_rows;
}
#endif
