/* SPDX-License-Identifier: MIT */
/* Compiles volk, which loads the Vulkan loader. */
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include "base/library.h"

VKS_LIBRARY_NOTE(vulkan, "vulkan", "Computing on GPUs and processors", "required",
                 "libvulkan.so.1");
