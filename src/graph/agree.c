/* SPDX-License-Identifier: MIT */
#include "graph/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Index in pass->uses of a shader's block ("trail", or "trail_next" for what VKS_NEXT writes), or
 * -1. */
int vks_use_of_block(const struct vks_pass *pass, const char *block)
{
    for (size_t i = 0; i < pass->use_count; i++) {
        const struct vks_use *use = &pass->uses[i];
        const char *name = use->as ? use->as : use->field;
        const size_t length = strlen(name);
        if (strncmp(name, block, length) == 0 &&
            strcmp(block + length, use->access & VKS_NEXT ? "_next" : "") == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* A declaration that disagrees with its shader is an error at start-up. */
static enum vks_result check_agreement(const struct vks_declaration *declaration,
                                       const struct vks_pass *pass,
                                       const struct vks_reflection *reflection)
{
    size_t named = 0;
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        const struct vks_reflected_buffer *buffer = &reflection->buffers[i];
        if (strcmp(buffer->name, "clock") == 0) {
            continue;
        }
        int use = vks_use_of_block(pass, buffer->name);
        if (use < 0) {
            return vks_fail(VKS_ERROR_GPU, "pass '%s' does not declare buffer '%s' of shader %s",
                            pass->name, buffer->name, pass->shader);
        }
        named++;
        const struct vks_field *field = &declaration->fields[pass->uses[use].index];
        bool reads_only = pass->uses[use].access == VKS_READ;
        if (reads_only != buffer->read_only) {
            return vks_fail(VKS_ERROR_GPU, "pass '%s' %s '%s', but shader %s has it %s", pass->name,
                            reads_only ? "only reads" : "writes", buffer->name, pass->shader,
                            buffer->read_only ? "readonly" : "writable");
        }
        /* A shader may take several elements at a time. */
        if (buffer->stride % vks_element_bytes(field->element) != 0) {
            return vks_fail(VKS_ERROR_GPU,
                            "shader %s has elements of %u bytes in '%s', the "
                            "field has %u",
                            pass->shader, buffer->stride, buffer->name,
                            vks_element_bytes(field->element));
        }
    }
    if (pass->use_count != named) {
        return vks_fail(VKS_ERROR_GPU, "pass '%s' declares a field that shader %s does not have",
                        pass->name, pass->shader);
    }
    if (reflection->push_size != (pass->constants_size ? 4 + pass->constants_size : 0) &&
        !(reflection->push_size == 4 && pass->constants_size == 0)) {
        return vks_fail(VKS_ERROR_GPU, "pass '%s' has %zu bytes of constants, shader %s %u",
                        pass->name, pass->constants_size, pass->shader, reflection->push_size - 4);
    }
    return VKS_OK;
}

enum vks_result vks_create_pass_pipeline(struct vks_gpu *gpu,
                                         const struct vks_declaration *declaration,
                                         const struct vks_pass *pass, struct vks_pipeline *pipeline)
{
    size_t count = 0;
    while (pass->specializations[count].name) {
        count++;
    }
    struct vks_constant *constants = calloc(count + 1, sizeof(*constants));
    if (!constants) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        constants[i] =
            (struct vks_constant){pass->specializations[i].name, pass->specializations[i].value};
    }
    enum vks_result result =
        vks_pipeline_create(gpu, pipeline,
                            &(struct vks_pipeline_params){.shader = pass->shader,
                                                          .group = {pass->group[0], pass->group[1]},
                                                          .subgroup = pass->subgroup,
                                                          .shared_bytes = pass->shared_bytes,
                                                          .constants = constants,
                                                          .constant_count = count});
    free(constants);
    if (result == VKS_OK) {
        vks_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline->pipeline, "pass '%s' (%s)",
                     pass->name, pass->shader);
    }
    return result == VKS_OK ? check_agreement(declaration, pass, &pipeline->reflection) : result;
}

enum vks_result vks_graph_compile(struct vks_gpu *gpu, const struct vks_declaration *declaration,
                                  void (*each)(void *user, const struct vks_pass *pass,
                                               VkPipeline pipeline),
                                  void *user)
{
    enum vks_result result = declaration->result;
    for (size_t i = 0; result == VKS_OK && i < declaration->pass_count; i++) {
        struct vks_pipeline pipeline = {0};
        result = vks_create_pass_pipeline(gpu, declaration, &declaration->passes[i], &pipeline);
        if (result == VKS_OK) {
            each(user, &declaration->passes[i], pipeline.pipeline);
        }
        vks_pipeline_destroy(gpu, &pipeline);
    }
    return result;
}
