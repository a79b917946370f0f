// SPDX-License-Identifier: MIT
// Diffusion over larger squares, second half: the row sums from top to bottom, then decay. An
// invocation has four cells of a column.
#include "lib/pass.glsl"
#include "physarum/cells.glsl"

VKS_FIELD(4, readonly, row_sums, float, sums);
VKS_FIELD(5, writeonly, trail_next, float, trails_next);
VKS_FIELD(6, writeonly, deposits_next, uint, counts_next);
VKS_FIELD(7, writeonly, spill_next, uint, spills_next);

#define SUMMED float
#define COLUMNS_OF_LANE 1u
#include "physarum/column_window.glsl"

// Writes the next trail of a cell from the sum of the square around it.
void finish(uint y, uint x, float sum, spilling spilled)
{
    uint line = plane * constants.height + y;
    uint index = line * constants.width + x;
    float d = deposited(y, x, spilled.now);
#ifdef PHYSARUM_GENERAL
    VKS_AT(trails_next, index) = diffused_in(y * constants.width + x, d, sum);
    eat_in(y, x);
#else
    VKS_AT(trails_next, index) = diffused(d, sum);
#endif
    if (counted && !bytes) {
        VKS_AT(counts_next, index) = 0u;
    } else if (counted && x % 4u == 0u) {
        VKS_AT(counts_next, line * ((constants.width + 3u) / 4u) + x / 4u) = 0u;
    }
    if (counted && spilled.before) {
        VKS_AT(spills_next, index) = 0u;
    }
}

void main()
{
    if (!enter_columns()) {
        return;
    }
    float four[4] = column_sums();
    for (uint k = 0u; k < min(ROWS, constants.height - top); k++) {
        finish(top + k, column, four[k], spilling_near(plane, top + k, column));
    }
}
