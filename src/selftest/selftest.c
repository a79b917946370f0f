/* SPDX-License-Identifier: MIT */
#include "selftest/selftest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/task.h"
#include "gpu/pipeline.h"

extern const struct vks_shader vks_selftest_shaders[];
extern const size_t vks_selftest_shader_count;

const struct vks_selftest_group *const vks_selftest_groups[VKS_SELFTEST_GROUPS] = {
    &vks_selftest_operations, &vks_selftest_functions,   &vks_selftest_memory,
    &vks_selftest_primitives, &vks_selftest_simulations, &vks_selftest_pictures,
    &vks_selftest_soak,
};

void vks_selftest_add_shaders(void)
{
    vks_shader_add(vks_selftest_shaders, vks_selftest_shader_count);
}

enum vks_result vks_selftest_run(const struct vks_selftest *test,
                                 const struct vks_selftest_group *group, size_t row,
                                 struct vks_selftest_result *result)
{
    const double begin = vks_seconds();
    struct vks_task own; /* what the row advances by itself */
    *result = (struct vks_selftest_result){.outcome = VKS_SELFTEST_PASSED};
    vks_task_begin(&own, NULL, 0);
    const enum vks_result ended = group->run(test, row, result);
    vks_task_end(&own);
    if (ended == VKS_INTERRUPTED) {
        return ended;
    }
    if (ended != VKS_OK) {
        vks_selftest_fail(result, "%s", vks_error_text());
    }
    result->seconds = vks_seconds() - begin;
    return vks_task_advance(1);
}

void vks_selftest_fail(struct vks_selftest_result *result, const char *format, ...)
{
    if (result->outcome == VKS_SELFTEST_FAILED) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->text, sizeof(result->text), format, arguments);
    va_end(arguments);
    result->outcome = VKS_SELFTEST_FAILED;
}

void vks_selftest_compare(struct vks_selftest_result *result, const char *what,
                          const uint32_t *found, const uint32_t *expected, size_t count)
{
    result->count += count;
    vks_digest_of(found, count * sizeof(*found), result->digest);
    for (size_t i = 0; i < count; i++) {
        if (found[i] != expected[i]) {
            vks_selftest_fail(result, "word %zu of %s: expected %08x, found %08x", i, what,
                              (unsigned)expected[i], (unsigned)found[i]);
            return;
        }
    }
}

void vks_selftest_compare_digests(struct vks_selftest_result *result, const char *what,
                                  const char *found, const char *expected)
{
    snprintf(result->digest, sizeof(result->digest), "%s", found);
    if (strcmp(found, expected) != 0) {
        vks_selftest_fail(result, "%s: expected the digest %s, found %s", what, expected, found);
    }
}
