/* SPDX-License-Identifier: MIT */
#include "onset/eigen.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

/* |re| + |im|, which is cheaper than the absolute value and as good for comparisons. */
static double size_of(double complex value)
{
    return fabs(creal(value)) + fabs(cimag(value));
}

static bool is_finite(const double complex *matrix, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(creal(matrix[i])) || !isfinite(cimag(matrix[i]))) {
            return false;
        }
    }
    return true;
}

/* Reflects rows and columns after `k` so that column k has nothing below its subdiagonal: A becomes
 * P A P with P = 1 - 2 v v* / v* v, where v is stored in the column for the time being. */
static void reflect(double complex *a, size_t n, size_t k)
{
    double square = 0, below = 0;
    for (size_t i = k + 1; i < n; i++) {
        const double complex v = a[i * n + k];
        square += creal(v) * creal(v) + cimag(v) * cimag(v);
        below += i > k + 1 ? size_of(v) : 0;
    }
    if (below == 0) {
        return;
    }
    const double complex first = a[(k + 1) * n + k];
    const double length = sqrt(square), magnitude = cabs(first);
    const double complex turned = magnitude > 0 ? first / magnitude * length : length;
    a[(k + 1) * n + k] = first + turned;
    const double scale = 1 / (square + magnitude * length); /* 2 / v* v */
    for (size_t j = k + 1; j < n; j++) {
        double complex sum = 0;
        for (size_t i = k + 1; i < n; i++) {
            sum += conj(a[i * n + k]) * a[i * n + j];
        }
        sum *= scale;
        for (size_t i = k + 1; i < n; i++) {
            a[i * n + j] -= a[i * n + k] * sum;
        }
    }
    for (size_t i = 0; i < n; i++) {
        double complex sum = 0;
        for (size_t j = k + 1; j < n; j++) {
            sum += a[i * n + j] * a[j * n + k];
        }
        sum *= scale;
        for (size_t j = k + 1; j < n; j++) {
            a[i * n + j] -= sum * conj(a[j * n + k]);
        }
    }
    a[(k + 1) * n + k] = -turned;
    for (size_t i = k + 2; i < n; i++) {
        a[i * n + k] = 0;
    }
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its last element: Wilkinson's shift. */
static double complex shift_of(const double complex *a, size_t n, size_t last)
{
    const double complex d = a[last * n + last];
    const double complex half = 0.5 * (a[(last - 1) * n + last - 1] - d);
    const double complex product = a[(last - 1) * n + last] * a[last * n + last - 1];
    double complex root = csqrt(half * half + product);
    root = creal(root * conj(half)) < 0 ? -root : root;
    const double complex sum = half + root;
    return size_of(sum) > 0 ? d - product / sum : d;
}

/* One QR step with a shift on the rows and columns `first` to `last` of a Hessenberg matrix: Givens
 * rotations from the left make it triangular, and the same from the right Hessenberg again. Only
 * eigenvalues are wanted, so the rest of the matrix stays as it is. */
static void step(double complex *a, size_t n, size_t first, size_t last, double complex shift)
{
    double complex before[2] = {0, 0}; /* the rotation before, whose columns are still to turn */
    for (size_t i = first; i <= last; i++) {
        a[i * n + i] -= shift;
    }
    for (size_t k = first; k <= last; k++) {
        double complex c = 1, s = 0;
        if (k < last) {
            const double complex x = a[k * n + k], y = a[(k + 1) * n + k];
            const double length = hypot(cabs(x), cabs(y));
            c = length > 0 ? x / length : 1;
            s = length > 0 ? y / length : 0;
            for (size_t j = k; j <= last; j++) {
                const double complex upper = a[k * n + j], lower = a[(k + 1) * n + j];
                a[k * n + j] = conj(c) * upper + conj(s) * lower;
                a[(k + 1) * n + j] = c * lower - s * upper;
            }
        }
        for (size_t i = first; i <= k && k > first; i++) {
            const double complex left = a[i * n + k - 1], right = a[i * n + k];
            a[i * n + k - 1] = left * before[0] + right * before[1];
            a[i * n + k] = right * conj(before[0]) - left * conj(before[1]);
        }
        before[0] = c;
        before[1] = s;
    }
    for (size_t i = first; i <= last; i++) {
        a[i * n + i] += shift;
    }
}

bool vks_eigenvalues(double complex *a, size_t n, double complex *values)
{
    enum { MAX_STEPS = 60 };
    if (n == 0 || !is_finite(a, n * n)) {
        return n == 0;
    }
    for (size_t k = 0; k + 2 < n; k++) {
        reflect(a, n, k);
    }
    size_t last = n - 1;
    for (int steps = 0; last > 0;) {
        size_t first = last; /* of the block that ends with `last` */
        while (first > 0) {
            double near = size_of(a[first * n + first]) + size_of(a[(first - 1) * n + first - 1]);
            near = near > 0 ? near : 1;
            if (size_of(a[first * n + first - 1]) <= DBL_EPSILON * near) {
                a[first * n + first - 1] = 0;
                break;
            }
            first--;
        }
        if (first == last) {
            last--;
            steps = 0;
            continue;
        }
        if (++steps > MAX_STEPS) {
            return false;
        }
        /* Now and then a shift of no meaning ends a cycle. */
        const double complex shift = steps % 10 == 0
                                         ? a[last * n + last] + size_of(a[last * n + last - 1])
                                         : shift_of(a, n, last);
        step(a, n, first, last, shift);
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = a[i * n + i];
    }
    return true;
}
