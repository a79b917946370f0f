/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_FFT_H
#define VKS_CORE_FFT_H

#include "lib/shared.h"

#define FFT_NO_WORD 0xffffffffu

struct fft_params {
    VKS_UINT groups;    /* workgroups with lines to transform */
    float mean;         /* subtracted from the source */
    VKS_UINT mean_word; /* of the field that has the mean instead, or FFT_NO_WORD */
    float factor;       /* times the reciprocal of the symbol; 1 / cells is in it */
};

#endif
