/* SPDX-License-Identifier: MIT */
#include "gpu/reflect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The few numbers of the SPIR-V specification (sections 3.2 to 3.52) that reflection needs. */
enum {
    MAGIC = 0x07230203,
    OP_NAME = 5,
    OP_ENTRY_POINT = 15,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_RUNTIME_ARRAY = 29,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_EXECUTION_MODE_ID = 331,
    DECORATION_SPEC_ID = 1,
    DECORATION_ARRAY_STRIDE = 6,
    DECORATION_NON_WRITABLE = 24,
    DECORATION_NON_READABLE = 25,
    DECORATION_BINDING = 33,
    DECORATION_DESCRIPTOR_SET = 34,
    DECORATION_OFFSET = 35,
    STORAGE_UNIFORM_CONSTANT = 0,
    STORAGE_UNIFORM = 2,
    STORAGE_WORKGROUP = 4,
    STORAGE_PUSH_CONSTANT = 9,
    STORAGE_BUFFER = 12,
    MODE_LOCAL_SIZE_ID = 38,
    MAX_MEMBERS = 32,
    MAX_IDS = 1 << 20,
};

struct id {
    const uint32_t *definition; /* first word of the instruction that makes it */
    const char *name;
    uint32_t set, binding, spec_id, stride;
    bool has_spec_id;
    uint32_t read_only_members, write_only_members;
    uint32_t offsets[MAX_MEMBERS];
};

struct module {
    struct id *ids;
    uint32_t bound;
};

static uint32_t opcode(const uint32_t *instruction)
{
    return instruction[0] & 0xffff;
}

static uint32_t length(const uint32_t *instruction)
{
    return instruction[0] >> 16;
}

static const uint32_t *definition(const struct module *module, uint32_t id)
{
    return id < module->bound ? module->ids[id].definition : NULL;
}

/* The value of a constant, a specialization constant's default. */
static uint32_t constant_value(const struct module *module, uint32_t id)
{
    const uint32_t *d = definition(module, id);
    return d && length(d) >= 4 && (opcode(d) == OP_CONSTANT || opcode(d) == OP_SPEC_CONSTANT) ? d[3]
                                                                                              : 0;
}

/* Bytes of a type as std430 lays it out (scalars, vectors, arrays and structures of 32-bit). */
static uint32_t type_size(const struct module *module, uint32_t type, int depth)
{
    const uint32_t *d = definition(module, type);
    if (!d || depth > 8) {
        return 0;
    }
    switch (opcode(d)) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        return d[2] / 8;
    case OP_TYPE_VECTOR:
        return d[3] * type_size(module, d[2], depth + 1);
    case OP_TYPE_ARRAY:
        return constant_value(module, d[3]) * (module->ids[type].stride
                                                   ? module->ids[type].stride
                                                   : type_size(module, d[2], depth + 1));
    case OP_TYPE_STRUCT: {
        uint32_t size = 0;
        for (uint32_t i = 0; i + 2 < length(d) && i < MAX_MEMBERS; i++) {
            uint32_t member = type_size(module, d[2 + i], depth + 1);
            uint32_t end = module->ids[type].offsets[i] ? module->ids[type].offsets[i] + member
                                                        : size + member;
            size = end > size ? end : size;
        }
        return size;
    }
    default:
        return 0;
    }
}

static bool all_members(uint32_t mask, uint32_t count)
{
    return count > 0 && count <= MAX_MEMBERS && mask == (uint32_t)((UINT64_C(1) << count) - 1);
}

/* Words that a type's instruction must have for type_size() to look at them. */
static uint32_t least_length(uint32_t type)
{
    switch (type) {
    case OP_TYPE_STRUCT:
        return 2;
    case OP_TYPE_VECTOR:
    case OP_TYPE_ARRAY:
        return 4;
    default:
        return 3;
    }
}

/* Collects names, decorations and definitions. False if the words make no sense. */
static bool collect(struct module *module, const uint32_t *words, size_t count,
                    struct vks_reflection *reflection, unsigned *entries)
{
    for (size_t at = 5; at < count;) {
        const uint32_t *w = words + at;
        uint32_t n = length(w);
        if (n == 0 || n > count - at) {
            return false;
        }
        struct id *target = n > 1 && w[1] < module->bound ? &module->ids[w[1]] : NULL;
        switch (opcode(w)) {
        case OP_ENTRY_POINT:
            (*entries)++;
            break;
        case OP_EXECUTION_MODE_ID:
            reflection->sized_by_constant =
                reflection->sized_by_constant || (n > 2 && w[2] == MODE_LOCAL_SIZE_ID);
            break;
        case OP_NAME: /* strings are padded with zero bytes, so the last word ends them */
            if (target && n > 2 && (w[n - 1] >> 24) == 0) {
                target->name = (const char *)(w + 2);
            }
            break;
        case OP_DECORATE:
            if (!target || n < 3) {
                break;
            }
            if (n > 3 && w[2] == DECORATION_SPEC_ID) {
                target->spec_id = w[3];
                target->has_spec_id = true;
            } else if (n > 3 && w[2] == DECORATION_ARRAY_STRIDE) {
                target->stride = w[3];
            } else if (n > 3 && w[2] == DECORATION_BINDING) {
                target->binding = w[3];
            } else if (n > 3 && w[2] == DECORATION_DESCRIPTOR_SET) {
                target->set = w[3];
            }
            break;
        case OP_MEMBER_DECORATE:
            if (!target || n < 4 || w[2] >= MAX_MEMBERS) {
                break;
            }
            if (w[3] == DECORATION_NON_WRITABLE) {
                target->read_only_members |= UINT32_C(1) << w[2];
            } else if (w[3] == DECORATION_NON_READABLE) {
                target->write_only_members |= UINT32_C(1) << w[2];
            } else if (w[3] == DECORATION_OFFSET && n > 4) {
                target->offsets[w[2]] = w[4];
            }
            break;
        case OP_TYPE_INT:
        case OP_TYPE_FLOAT:
        case OP_TYPE_VECTOR:
        case OP_TYPE_ARRAY:
        case OP_TYPE_RUNTIME_ARRAY:
        case OP_TYPE_STRUCT:
        case OP_TYPE_POINTER:
            if (target && n >= least_length(opcode(w))) {
                target->definition = w;
            }
            break;
        case OP_CONSTANT:
        case OP_SPEC_CONSTANT:
        case OP_SPEC_CONSTANT_TRUE:
        case OP_SPEC_CONSTANT_FALSE:
        case OP_VARIABLE:
            if (n > 2 && w[2] < module->bound) {
                module->ids[w[2]].definition = w;
            }
            break;
        default:
            break;
        }
        at += n;
    }
    return true;
}

static enum vks_result add_variable(const char *shader, const struct module *module, uint32_t id,
                                    struct vks_reflection *reflection)
{
    const uint32_t *variable = module->ids[id].definition;
    uint32_t storage = length(variable) > 3 ? variable[3] : UINT32_MAX;
    const uint32_t *pointer = definition(module, variable[1]);
    if (!pointer || opcode(pointer) != OP_TYPE_POINTER || length(pointer) < 4) {
        return vks_fail(VKS_ERROR_GPU, "shader %s: a variable without a type", shader);
    }
    uint32_t type = pointer[3];
    const uint32_t *block = definition(module, type);
    if (storage == STORAGE_WORKGROUP) {
        reflection->shared_bytes += type_size(module, type, 0);
    } else if (storage == STORAGE_PUSH_CONSTANT) {
        reflection->push_size = type_size(module, type, 0);
    } else if (storage == STORAGE_UNIFORM || storage == STORAGE_UNIFORM_CONSTANT) {
        return vks_fail(VKS_ERROR_GPU, "shader %s binds something that is no storage buffer",
                        shader);
    } else if (storage == STORAGE_BUFFER) {
        if (!block || opcode(block) != OP_TYPE_STRUCT || !module->ids[type].name) {
            return vks_fail(VKS_ERROR_GPU, "shader %s: a storage buffer without a named block",
                            shader);
        }
        for (size_t i = 0; i < reflection->buffer_count; i++) {
            struct vks_reflected_buffer *same = &reflection->buffers[i];
            if (same->binding == module->ids[id].binding) {
                const uint32_t count = length(block) - 2;
                same->read_only =
                    same->read_only && all_members(module->ids[type].read_only_members, count);
                if (strlen(module->ids[type].name) < strlen(same->name)) {
                    snprintf(same->name, sizeof(same->name), "%s", module->ids[type].name);
                }
                return VKS_OK;
            }
        }
        if (module->ids[id].set != 0 || reflection->buffer_count == VKS_MAX_BINDINGS) {
            return vks_fail(VKS_ERROR_GPU,
                            "shader %s: buffer %s is not in set 0 or is one of more than %d",
                            shader, module->ids[type].name, VKS_MAX_BINDINGS);
        }
        struct vks_reflected_buffer *buffer = &reflection->buffers[reflection->buffer_count++];
        uint32_t members = length(block) - 2;
        snprintf(buffer->name, sizeof(buffer->name), "%s", module->ids[type].name);
        buffer->binding = module->ids[id].binding;
        buffer->read_only = all_members(module->ids[type].read_only_members, members);
        buffer->write_only = all_members(module->ids[type].write_only_members, members);
        uint32_t last = members ? block[1 + members] : 0;
        const uint32_t *array = definition(module, last);
        if (array && opcode(array) == OP_TYPE_RUNTIME_ARRAY) {
            buffer->stride = module->ids[last].stride;
        }
    }
    return VKS_OK;
}

/* glslang repeats the workgroup size's constants. */
static bool has_constant(const struct vks_reflection *reflection, uint32_t id)
{
    for (size_t i = 0; i < reflection->constant_count; i++) {
        if (reflection->constants[i].id == id) {
            return true;
        }
    }
    return false;
}

enum vks_result vks_reflect(const char *shader, const uint32_t *words, size_t count,
                            struct vks_reflection *reflection)
{
    *reflection = (struct vks_reflection){0};
    if (count < 5 || words[0] != MAGIC || words[3] > MAX_IDS) {
        return vks_fail(VKS_ERROR_GPU, "shader %s is not SPIR-V", shader);
    }
    struct module module = {.bound = words[3]};
    module.ids = calloc(module.bound ? module.bound : 1, sizeof(*module.ids));
    if (!module.ids) {
        return vks_fail_memory();
    }
    unsigned entries = 0;
    enum vks_result result = VKS_OK;
    if (!collect(&module, words, count, reflection, &entries) || entries != 1) {
        result =
            vks_fail(VKS_ERROR_GPU, "shader %s is damaged or has several entry points", shader);
    }
    for (uint32_t id = 0; result == VKS_OK && id < module.bound; id++) {
        const struct id *at = &module.ids[id];
        if (at->definition && opcode(at->definition) == OP_VARIABLE) {
            result = add_variable(shader, &module, id, reflection);
        } else if (at->has_spec_id && !has_constant(reflection, at->spec_id) &&
                   reflection->constant_count < VKS_MAX_SPEC_IDS) {
            struct vks_reflected_constant *constant =
                &reflection->constants[reflection->constant_count++];
            constant->id = at->spec_id;
            snprintf(constant->name, sizeof(constant->name), "%s", at->name ? at->name : "");
        }
    }
    free(module.ids);
    return result;
}
