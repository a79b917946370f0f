/* SPDX-License-Identifier: MIT */
#ifndef VKS_GPU_PIPELINE_H
#define VKS_GPU_PIPELINE_H

#include "gpu/device.h"
#include "gpu/reflect.h"

/* The shaders built into the library; the build generates this and the other tables from shaders/.
 */
struct vks_shader {
    const char *name; /* "physarum/agents" */
    const uint32_t *words;
    size_t count;
    bool exact;   /* follows the rules of exact arithmetic; others are only for benchmarks */
    bool outside; /* of a model's author: may index outside its buffers */
    /* The wide version of the same source, for fields in chunks (shaders/lib/field.glsl), or NULL.
     * It accesses the same buffers in the same way; `chunked` buffers are tables of addresses. */
    const struct vks_shader *wide;
    /* The one of a table that this one is used in place of, whose interface it has; NULL: it is of
     * a table. */
    const struct vks_shader *replaces;
    struct vks_reflection reflection;
};
extern const struct vks_shader vks_shaders[];
extern const size_t vks_shader_count;
const struct vks_shader *vks_shader_find(const char *name); /* or NULL */
/* A further table, of the tool, of tests or of models from files, searched before the library's. It
 * must outlive all devices. Adding it again does nothing. From any thread. */
enum vks_result vks_shader_add(const struct vks_shader *shaders, size_t count);
/* Takes a table back, of which no pipeline has been made. */
void vks_shader_remove(const struct vks_shader *shaders);
/* Whether one of them is from outside. */
bool vks_shaders_are_outside(void);
/* `find` may give vks_shader_find() another shader in place of one of a table: the returned one,
 * which must outlive the device. NULL: all are of the tables. */
void vks_shader_replace(const struct vks_shader *(*find)(void *user,
                                                         const struct vks_shader *shader),
                        void *user);

struct vks_constant {
    const char *name; /* of the shader's specialization constant */
    uint32_t value;
};

struct vks_pipeline {
    struct vks_reflection reflection; /* the shader's; shared_bytes as specialized */
    VkDescriptorSetLayout set_layout; /* both the device's, of all pipelines of the shader */
    VkPipelineLayout layout;
    VkPipeline pipeline;
    const struct vks_shader *shader; /* the narrow or the wide version */
};

struct vks_pipeline_params {
    const char *shader;
    bool wide;             /* use the wide version, which must exist */
    uint32_t group[2];     /* size of a workgroup */
    uint32_t subgroup;     /* required subgroup size; 0: the driver's choice */
    bool full_subgroups;   /* require full subgroups */
    uint32_t shared_bytes; /* of workgroup variables as specialized; 0: as reflected */
    bool sliced;           /* for vkCmdDispatchBase() */
    bool later;            /* only checks it and makes its layouts: another call builds it */
    const struct vks_constant *constants;
    size_t constant_count;
};

/* Builds a compute pipeline, or finds the same one among those kept (gpu/kept.c). The device's
 * limits are checked first. A constant that is not in the shader is an error. */
enum vks_result vks_pipeline_create(struct vks_gpu *gpu, struct vks_pipeline *pipeline,
                                    const struct vks_pipeline_params *params);
/* Work that has been submitted may still use it. A zeroed structure is fine. */
void vks_pipeline_destroy(struct vks_gpu *gpu, struct vks_pipeline *pipeline);

#endif
