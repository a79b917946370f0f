/* SPDX-License-Identifier: MIT */
/* XXH3-128 of a stream of bytes. */
#ifndef VKS_BASE_DIGEST_H
#define VKS_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

struct vks_digest;

struct vks_digest *vks_digest_create(void);         /* NULL when memory ran out */
void vks_digest_destroy(struct vks_digest *digest); /* NULL is fine */
void vks_digest_update(struct vks_digest *digest, const void *bytes, size_t size);
/* The digest of all bytes so far: 32 hex digits of the canonical form. */
void vks_digest_hex(const struct vks_digest *digest, char hex[33]);
/* The same of bytes in one piece. */
void vks_digest_of(const void *bytes, size_t size, char hex[33]);
/* The digest as text, from which a later process can continue it; the same on all machines. */
enum { VKS_DIGEST_STATE_CHARS = 8 * 16 + 3 * 16 + 512 };
void vks_digest_save(const struct vks_digest *digest, char text[VKS_DIGEST_STATE_CHARS + 1]);
/* Continues such a digest. False if it is not one. */
bool vks_digest_load(struct vks_digest *digest, const char *text);

#endif
