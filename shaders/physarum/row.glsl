// SPDX-License-Identifier: MIT
// The sum of three cells in a row, the first half of a sum over a square of 3 x 3.
#ifndef VKS_PHYSARUM_ROW_GLSL
#define VKS_PHYSARUM_ROW_GLSL
#include "physarum/field.glsl"

// Defined by who includes this: D of a cell.
float deposited(uint line, uint column, bool spilled);

struct row {
    float centre; // D of the cell itself
    float sum;    // of D over the row, from left to right
#ifdef PHYSARUM_GENERAL
    float first, last; // D of the cells beside it
    uint walls;        // in the three
#endif
};

// Beyond an end of the field.
row no_row()
{
#ifdef PHYSARUM_GENERAL
    return row(0.0f, 0.0f, 0.0f, 0.0f, 0u);
#else
    return row(0.0f, 0.0f);
#endif
}

// Without branches, so that all loads can be under way at once.
row read_row(int y, uint left, uint x, uint right, bool spilled)
{
    uint line = wrap_once(y, constants.height);
    precise float centre = deposited(line, x, spilled);
    precise float first = blurs ? deposited(line, left, spilled) : 0.0f;
    precise float last = blurs ? deposited(line, right, spilled) : 0.0f;
    if (boundary == PHYSARUM_ZERO) {
        bool outside = y < 0 || y >= int(constants.height);
        centre = outside ? 0.0f : centre;
        first = outside || x == 0u ? 0.0f : first;
        last = outside || x + 1u == constants.width ? 0.0f : last;
    }
    precise float sum = first + centre;
    sum = sum + last;
#ifdef PHYSARUM_GENERAL
    uint walls = among_walls ? walls_around(y, left, x, right, 1u) : 0u;
    return row(centre, blurs ? sum : centre, first, last, walls);
#else
    return row(centre, blurs ? sum : centre);
#endif
}
#endif
