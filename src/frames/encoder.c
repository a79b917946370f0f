/* SPDX-License-Identifier: MIT */
#include "frames/encoder.h"

#include <stddef.h>

const char *const vks_encoder_names[] = {"auto", "h264", "h265", "vp9", "av1", NULL};
