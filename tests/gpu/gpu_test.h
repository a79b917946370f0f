/* SPDX-License-Identifier: MIT */
/* Shared by the tests on a device: the device, fields in and out, random numbers. Include it
 * first. */
#ifndef VKS_TESTS_GPU_TEST_H
#define VKS_TESTS_GPU_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../numbers.h"
#include "gpu/pipeline.h"
#include "graph/graph.h"
#include "selftest/selftest.h"

static struct vks_gpu gpu;

/* The shaders of tests/gpu/, as "test/NAME"; those that the self-test has, too, are its own. */
extern const struct vks_shader test_shaders[];
extern const size_t test_shader_count;

/* Opens the device, or ends the program with a line that TAP readers count as a failure. */
static inline void open_gpu(const struct vks_gpu_params *params)
{
    vks_shader_add(test_shaders, test_shader_count);
    vks_selftest_add_shaders();
    if (vks_gpu_open(&gpu, params) != VKS_OK) {
        printf("Bail out! %s\n", vks_error_text());
        exit(1);
    }
    /* Not on standard output, where the first line is TAP's version. */
    fprintf(stderr, "# on %s (%s)\n", gpu.info.name, gpu.info.driver);
}

#define ASSERT_FINE(call)                                \
    do {                                                 \
        if ((call) != VKS_OK) {                          \
            fail_msg("%s: %s", #call, vks_error_text()); \
        }                                                \
    } while (0)

/* Waits, and copies the whole field to `data`. */
static inline void download(struct vks_graph *graph, const char *field, void *data)
{
    ASSERT_FINE(vks_graph_download_to(graph, field, data));
}

/* Compares a frame with its C twin, byte for byte. */
static inline void assert_same(const char *what, uint32_t frame, const void *got,
                               const void *expected, size_t size)
{
    const unsigned char *a = got, *b = expected;
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i]) {
            fail_msg("frame %u: byte %zu of %s is %u, the twin has %u", frame, i, what, a[i], b[i]);
        }
    }
}

/* Frees a heap declaration with its contents. */
static inline void free_declaration(struct vks_declaration *declaration)
{
    vks_declaration_free(declaration);
    free(declaration);
}

static inline void *allocate(size_t size)
{
    void *data = malloc(size);
    assert_non_null(data);
    return data;
}

/* A command buffer of the device's pool, in recording state. */
static inline VkCommandBuffer begin_commands(void)
{
    VkCommandBuffer commands;
    const VkCommandBufferAllocateInfo allocate_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu.pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(gpu.vk.vkAllocateCommandBuffers(gpu.device, &allocate_info, &commands),
                     VK_SUCCESS);
    assert_int_equal(gpu.vk.vkBeginCommandBuffer(commands, &begin), VK_SUCCESS);
    return commands;
}

#endif
