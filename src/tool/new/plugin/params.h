/* Constants of the passes, read as C and as GLSL: only VKS_UINT and float. */
#ifndef PARAMS_H
#define PARAMS_H

#include "lib/shared.h"

struct start_params {
    VKS_UINT width, height; /* cells */
    VKS_UINT seed;
    VKS_UINT below; /* a cell is alive if its random number is below this */
    VKS_UINT side;  /* of the square of random cells in the middle */
    float alive;    /* value of a cell that is alive: its steps until it is dead */
};

struct step_params {
    VKS_UINT width, height;
    VKS_UINT stays, begins; /* sets of numbers of neighbours, a bit for each */
    float alive;
};

#endif
