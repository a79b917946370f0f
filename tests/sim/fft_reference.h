/* SPDX-License-Identifier: MIT */
/* vks_declare_fft() in C, line by line, to the bit: docs/architecture.md, "FFT". */
#ifndef VKS_TESTS_FFT_REFERENCE_H
#define VKS_TESTS_FFT_REFERENCE_H

#include <stddef.h>
#include <stdint.h>
#include <vksim/model.h>

struct fft_reference {
    size_t shape[3];        /* z, y, x: powers of two */
    float mean, factor;     /* as in struct vks_fft */
    const float *symbol[3]; /* NULL: 0 */
};

/* Solves for `target`, which may be `source`. Ends the program when memory runs out. */
void fft_reference(const struct fft_reference *fft, const float *source, float *target);

/* The root of j / count turns, count a power of two: (cos, -sin) to the nearest float32. */
void fft_reference_root(size_t j, size_t count, float root[2]);

#endif
