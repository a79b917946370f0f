/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_FFT_H
#define VKS_CORE_FFT_H

#include "lib/shared.h"

struct fft_params {
    VKS_UINT groups; /* workgroups with lines to transform */
    float mean;      /* subtracted from the source */
    float factor;    /* times the reciprocal of the symbol; 1 / cells is in it */
};

#endif
