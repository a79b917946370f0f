/* SPDX-License-Identifier: MIT */
#include "gpu/features.h"
#include "graph/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "graph/agree.h"

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

/* Checks the qualifiers of the block. */
static enum vks_result check_qualifiers(const struct vks_pass *pass, unsigned access,
                                        const struct vks_reflected_buffer *buffer)
{
    const bool only_reads = access == VKS_READ, only_writes = access == VKS_WRITE;
    if (only_reads != buffer->read_only) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' %s '%s', but shader %s has it %s",
                        pass->name, only_reads ? "only reads" : "writes", buffer->name,
                        pass->shader, buffer->read_only ? "readonly" : "writable");
    }
    if (only_writes != buffer->write_only) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' %s '%s', but shader %s has it %s",
                        pass->name, only_writes ? "only writes" : "reads", buffer->name,
                        pass->shader,
                        buffer->write_only ? "writeonly" : "readable; it should be writeonly");
    }
    return VKS_OK;
}

/* The accesses in the code must equal the declared ones, so that no barrier is missing or
 * superfluous. */
static enum vks_result check_code(const struct vks_pass *pass, unsigned access,
                                  const struct vks_reflected_buffer *buffer)
{
    const struct {
        bool declared, done;
        const char *verb;
    } kinds[] = {
        {access & VKS_READ, buffer->loads, "reads"},
        {access & VKS_WRITE, buffer->stores, "writes"},
        {access & VKS_ATOMIC, buffer->atomics, "has atomic operations on"},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (kinds[i].done && !kinds[i].declared) {
            return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' does not declare that shader %s %s '%s'",
                            pass->name, pass->shader, kinds[i].verb, buffer->name);
        }
        if (kinds[i].declared && !kinds[i].done) {
            return vks_fail(VKS_ERROR_INTERNAL,
                            "pass '%s' declares that shader %s %s '%s', which it "
                            "never does",
                            pass->name, pass->shader, kinds[i].verb, buffer->name);
        }
    }
    return VKS_OK;
}

static enum vks_result check_buffer(const struct vks_declaration *declaration,
                                    const struct vks_pass *pass,
                                    const struct vks_reflected_buffer *buffer)
{
    const int use = vks_use_of_block(pass, buffer->name);
    if (use < 0) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' does not declare buffer '%s' of shader %s",
                        pass->name, buffer->name, pass->shader);
    }
    const unsigned access = pass->uses[use].access & ~(unsigned)VKS_NEXT;
    const struct vks_field *field = &declaration->fields[pass->uses[use].index];
    enum vks_result result = check_qualifiers(pass, access, buffer);
    if (result == VKS_OK) {
        result = check_code(pass, access, buffer);
    }
    /* A shader may access several elements as one. */
    if (result == VKS_OK && buffer->stride % vks_element_bytes(field->element) != 0) {
        result =
            vks_fail(VKS_ERROR_INTERNAL,
                     "shader %s has elements of %u bytes in '%s', the "
                     "field has %u",
                     pass->shader, buffer->stride, buffer->name, vks_element_bytes(field->element));
    }
    return result;
}

enum vks_result vks_check_agreement(const struct vks_declaration *declaration,
                                    const struct vks_pass *pass, const struct vks_shader *shader)
{
    const struct vks_reflection *reflection = &shader->reflection;
    size_t named = 0;
    if (!shader->exact && !declaration->measures) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "pass '%s': shader %s is a benchmark kernel; only exact shaders can "
                        "be part of a simulation",
                        pass->name, pass->shader);
    }
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        const struct vks_reflected_buffer *buffer = &reflection->buffers[i];
        enum vks_result result = VKS_OK;
        if (strcmp(buffer->name, "clock") != 0) {
            result = check_buffer(declaration, pass, buffer);
            named++;
        } else if (!buffer->read_only) {
            result = vks_fail(VKS_ERROR_INTERNAL, "shader %s has the clock writable; use VKS_CLOCK",
                              pass->shader);
        }
        if (result != VKS_OK) {
            return result;
        }
    }
    if (pass->use_count != named) {
        return vks_fail(VKS_ERROR_INTERNAL,
                        "pass '%s' declares a field that shader %s does not have", pass->name,
                        pass->shader);
    }
    /* A shader that reads no constants has none once it is optimized. */
    if (reflection->push_size != 0 && reflection->push_size != 4 + pass->constants_size) {
        return vks_fail(VKS_ERROR_INTERNAL, "pass '%s' has %zu bytes of constants, shader %s %u",
                        pass->name, pass->constants_size, pass->shader, reflection->push_size - 4);
    }
    return VKS_OK;
}

const struct vks_shader *vks_pass_shader(const struct vks_gpu *gpu, const struct vks_pass *pass)
{
    const bool lacks = pass->without && !vks_gpu_has(gpu, pass->feature);
    return vks_shader_find(lacks ? pass->without : pass->shader);
}

/* Selects the shader that the device can run. */
static enum vks_result choose_shader(const struct vks_gpu *gpu, const struct vks_pass *declared,
                                     struct vks_pass *pass)
{
    char who[128];
    *pass = *declared;
    if (vks_gpu_has(gpu, pass->feature)) {
        return VKS_OK;
    }
    if (pass->without) {
        pass->shader = pass->without;
        pass->feature = VKS_FEATURE_NONE;
        return VKS_OK;
    }
    snprintf(who, sizeof(who), "pass '%s'", pass->name);
    return vks_gpu_need(gpu, pass->feature, who);
}

void vks_pass_group(const struct vks_gpu *gpu, const struct vks_pass *pass, uint32_t group[2])
{
    const struct vks_shader *shader =
        gpu->probe.group > 0 && pass->shader ? vks_pass_shader(gpu, pass) : NULL;
    const bool is_free = shader && shader->reflection.shared_bytes == 0 &&
                         pass->shared_bytes == 0 && pass->subgroup == 0 &&
                         pass->feature != VKS_FEATURE_SUBGROUP_SUMS &&
                         pass->feature != VKS_FEATURE_SUBGROUP_SHUFFLES &&
                         memcmp(pass->per_group, pass->group, sizeof(pass->group)) == 0;
    const uint32_t across = pass->items[1] == 1 ? gpu->probe.group : 16;
    group[0] = is_free ? across : pass->group[0];
    group[1] = is_free ? gpu->probe.group / across : pass->group[1];
}

enum vks_result vks_create_pass_pipeline(struct vks_gpu *gpu,
                                         const struct vks_declaration *declaration,
                                         const struct vks_pass *declared, uint64_t range,
                                         enum vks_pass_build build, struct vks_pipeline *pipeline)
{
    struct vks_pass chosen;
    const struct vks_pass *pass = &chosen;
    uint32_t group[2];
    size_t count = 0;
    enum vks_result result = choose_shader(gpu, declared, &chosen);
    if (result == VKS_OK) {
        const struct vks_shader *shader = vks_shader_find(pass->shader);
        result = shader ? vks_check_agreement(declaration, pass, shader) : VKS_OK;
    }
    if (result != VKS_OK) {
        return result;
    }
    while (pass->specializations[count].name) {
        count++;
    }
    struct vks_constant *constants = calloc(count + 2, sizeof(*constants));
    if (!constants) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        constants[i] =
            (struct vks_constant){pass->specializations[i].name, pass->specializations[i].value};
    }
    if (range > 0) {
        constants[count++] = (struct vks_constant){VKS_CHUNK_BITS, vks_chunk_bits(range)};
    }
    vks_pass_group(gpu, declared, group);
    result = vks_pipeline_create(
        gpu, pipeline,
        &(struct vks_pipeline_params){.shader = pass->shader,
                                      .wide = range > 0,
                                      .group = {group[0], group[1]},
                                      .subgroup = pass->subgroup,
                                      .full_subgroups = pass->feature == VKS_FEATURE_SUBGROUP_SUMS,
                                      .shared_bytes = pass->shared_bytes,
                                      .sliced = build == VKS_BUILD_SLICED,
                                      .later = build == VKS_BUILD_LATER,
                                      .constants = constants,
                                      .constant_count = count});
    free(constants);
    if (result == VKS_OK && pipeline->pipeline) {
        vks_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline->pipeline, "pass '%s' (%s)",
                     pass->name, pass->shader);
    }
    return result;
}

/* Compiles the narrow, then the wide version of a pass's shader. */
static enum vks_result compile_pass(struct vks_gpu *gpu, const struct vks_declaration *declaration,
                                    const struct vks_pass *pass,
                                    void (*each)(void *user, const struct vks_pass *pass, bool wide,
                                                 VkPipeline pipeline),
                                    void *user)
{
    const struct vks_shader *shader = vks_shader_find(pass->shader);
    const int variants = shader && shader->wide ? 2 : 1;
    enum vks_result result = VKS_OK;
    for (int wide = 0; result == VKS_OK && wide < variants; wide++) {
        struct vks_pipeline pipeline = {0};
        result = vks_create_pass_pipeline(gpu, declaration, pass, wide ? gpu->field_range : 0,
                                          VKS_BUILD_WHOLE, &pipeline);
        if (result == VKS_OK) {
            each(user, pass, wide == 1, pipeline.pipeline);
        }
        vks_pipeline_destroy(gpu, &pipeline);
    }
    return result;
}

enum vks_result vks_graph_compile(struct vks_gpu *gpu, const struct vks_declaration *declaration,
                                  void (*each)(void *user, const struct vks_pass *pass, bool wide,
                                               VkPipeline pipeline),
                                  void *user)
{
    enum vks_result result = declaration->result;
    for (size_t i = 0; result == VKS_OK && i < declaration->pass_count; i++) {
        struct vks_pass pass = declaration->passes[i];
        for (bool more = true; result == VKS_OK && more;) {
            result = compile_pass(gpu, declaration, &pass, each, user);
            more = pass.without != NULL; /* also the shader for devices that lack the feature */
            pass.shader = more ? pass.without : pass.shader;
            pass.feature = VKS_FEATURE_NONE;
            pass.without = NULL;
        }
    }
    return result;
}
