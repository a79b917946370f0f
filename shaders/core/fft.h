/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_FFT_H
#define VKS_CORE_FFT_H

#include "lib/shared.h"

#define FFT_NO_WORD 0xffffffffu

struct fft_params {
    VKS_UINT groups;    /* workgroups with lines to transform */
    float mean;         /* subtracted from the source */
    VKS_UINT mean_word; /* index of the mean in its field, or FFT_NO_WORD to use `mean` */
    float factor;       /* times the reciprocal of the symbol; includes 1 / cells */
};

#endif
