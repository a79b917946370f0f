/* SPDX-License-Identifier: MIT */
#ifndef VKS_TESTS_FAULTY_H
#define VKS_TESTS_FAULTY_H

#include "lib/shared.h"

#define FAULTY_NONE 0  /* none */
#define FAULTY_RACE 1  /* reads a neighbour in the buffer that it writes */
#define FAULTY_GROUP 2 /* depends on the workgroup's size */
#define FAULTY_BATCH 3 /* depends on the number of steps per batch */
#define FAULTY_FILE 4  /* needs a field that is not part of the state */

struct faulty_params {
    VKS_UINT width, height; /* cells */
};

#endif
