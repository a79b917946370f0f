// SPDX-License-Identifier: MIT
// column_sums.glsl for widths that are a multiple of 4: an invocation has four cells of each of
// four columns.
#define COLUMNS 4
#include "physarum/fours.glsl"

VKS_FIELD(9, readonly, row_sums, vec4, sums);

#define SUMMED vec4
#define COLUMNS_OF_LANE 4u
#include "physarum/column_window.glsl"

void main()
{
    if (!enter_columns()) {
        return;
    }
    vec4 squares[4] = column_sums();
    for (uint k = 0u; k < min(ROWS, constants.height - top); k++) {
        uint y = top + k;
        spilling spilled = spilling_near(plane, y, column);
        uint four = ((plane * constants.height + y) * constants.width + column) / 4u;
        vec4 d = deposited_four(four, spilled.now), sum = squares[k];
#ifdef PHYSARUM_GENERAL
        VKS_AT(trails_next, four) = diffused_in((y * constants.width + column) / 4u, d, sum);
        eat_in(y, column);
#else
        VKS_AT(trails_next, four) = vec4(diffused(d.x, sum.x), diffused(d.y, sum.y),
                                         diffused(d.z, sum.z), diffused(d.w, sum.w));
#endif
        if (counted && spilled.before) {
            VKS_AT(spills_next, four) = uvec4(0u);
        }
        if (counted) {
            clear_counts(four);
        }
    }
}
