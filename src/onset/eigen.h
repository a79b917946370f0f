/* SPDX-License-Identifier: MIT */
/* Eigenvalues of small dense complex matrices. */
#ifndef VKS_ONSET_EIGEN_H
#define VKS_ONSET_EIGEN_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

/* The eigenvalues of a matrix of n x n in C order, which is overwritten, in no particular order:
 * Householder reflections to Hessenberg form, then QR with shifts. Backward stable, so simple
 * eigenvalues are good to about n x 1e-16 of the matrix's norm. False if it has elements that are
 * not finite, or an eigenvalue does not converge. */
bool vks_eigenvalues(double complex *matrix, size_t n, double complex *values);

#endif
