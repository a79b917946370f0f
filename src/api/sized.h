/* SPDX-License-Identifier: MIT */
/* Structures of the public interface, which begin with their size and may have another one in the
 * program than here: see <vksim/vksim.h>. */
#ifndef VKS_API_SIZED_H
#define VKS_API_SIZED_H

#include <stdbool.h>
#include <stddef.h>

#include <vksim/result.h>

/* Copies a program's parameters into a structure of `size` bytes; what the program does not have is
 * zero. VKS_ERROR_USAGE for a size of 0, and for members that are unknown here and not zero. */
enum vks_result vks_take_sized(void *to, size_t size, const void *given);

/* Copies a structure of `size` bytes into the program's, as far as that reaches; its own size stays
 * as it is. VKS_ERROR_USAGE for a size of 0. */
enum vks_result vks_give_sized(void *to, const void *from, size_t size);

#endif
