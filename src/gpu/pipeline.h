/* SPDX-License-Identifier: MIT */
#ifndef VKS_GPU_PIPELINE_H
#define VKS_GPU_PIPELINE_H

#include "gpu/device.h"
#include "gpu/reflect.h"

/* The shaders built into the library; the build generates the table from shaders/. */
struct vks_shader {
    const char *name; /* "physarum/agents" */
    const uint32_t *words;
    size_t count;
    bool exact; /* keeps to the rules of exact arithmetic; others are only measured */
    /* The same source for fields in chunks (shaders/lib/field.glsl); NULL: there is no such
     * variant. It accesses the same buffers in the same ways; those that are `chunked` are
     * tables. */
    const struct vks_shader *wide;
    struct vks_reflection reflection;
};
extern const struct vks_shader vks_shaders[];
extern const size_t vks_shader_count;
const struct vks_shader *vks_shader_find(const char *name); /* or NULL */
/* Tests only: another table, searched before the library's. It must outlive the device. */
void vks_shader_add(const struct vks_shader *shaders, size_t count);

struct vks_constant {
    const char *name; /* of the shader's specialization constant */
    uint32_t value;
};

struct vks_pipeline {
    struct vks_reflection reflection; /* the shader's; shared_bytes as specialized */
    VkDescriptorSetLayout set_layout; /* both the device's, of all pipelines of the shader */
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

struct vks_pipeline_params {
    const char *shader;
    bool wide;             /* its variant for fields in chunks, which must exist */
    uint32_t group[2];     /* size of a workgroup */
    uint32_t subgroup;     /* lanes that every subgroup must have; 0: as the driver likes */
    bool full_subgroups;   /* none with fewer lanes than it could have */
    uint32_t shared_bytes; /* of workgroup variables as specialized; 0: as reflection says */
    const struct vks_constant *constants;
    size_t constant_count;
};

/* Builds a compute pipeline. Limits of the device are checked first. A constant that the shader
 * does not have is an error. */
enum vks_result vks_pipeline_create(struct vks_gpu *gpu, struct vks_pipeline *pipeline,
                                    const struct vks_pipeline_params *params);
void vks_pipeline_destroy(struct vks_gpu *gpu, struct vks_pipeline *pipeline);

#endif
