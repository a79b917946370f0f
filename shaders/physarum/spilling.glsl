// SPDX-License-Identifier: MIT
// Where counts of agents have spilled, for the field passes.
#ifndef VKS_PHYSARUM_SPILLING_GLSL
#define VKS_PHYSARUM_SPILLING_GLSL
#include "physarum/step.glsl"

layout(constant_id = 4) const bool bytes = true; // counts are bytes, not words

VKS_FIELD(3, readonly, spill_marks, uvec2, marks); // of a block of cells

// Spilled counts near a cell of a plane: whether the cells of its block and their neighbours have
// any in this step, and whether they had in the previous one, which are in the other buffer and no
// longer needed.
struct spilling {
    bool now, before;
};

spilling spilling_near(uint plane, uint row, uint column)
{
    if (!bytes) {
        return spilling(false, false);
    }
    // The last even and odd step in which there were any.
    uvec2 steps = VKS_AT(marks, block_of(plane, row, column));
    uint step = current_step();
    bool odd = (step & 1u) == 1u;
    return spilling((odd ? steps.y : steps.x) == step, (odd ? steps.x : steps.y) == step - 1u);
}
#endif
