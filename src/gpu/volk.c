/* SPDX-License-Identifier: MIT */
/* Compiles volk, the meta-loader. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
