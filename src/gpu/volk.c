/* SPDX-License-Identifier: MIT */
/* The one place that compiles volk, the meta-loader. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
