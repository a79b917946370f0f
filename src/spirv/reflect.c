/* SPDX-License-Identifier: MIT */
#include "spirv/reflect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

enum {
    HEADER_WORDS = 5,
    ID_LIMIT = 4194303,     /* SPIR-V 2.17, universal limits: no larger id bound */
    FLOOR_CONSTANTS = 128,  /* bytes of push constants that every device has */
    FIRST_EXTENSION = 4096, /* opcodes from here on come with extensions */
};

enum {
    HAS_SET = 1,
    HAS_BINDING = 2,
    HAS_SPEC_ID = 4,
    NON_WRITABLE = 8,
    NON_READABLE = 16,
    LOADS = 32,
    STORES = 64,
    ATOMICS = 128,
    CHUNKED = 256, /* of a storage buffer's variable: it holds addresses */
    ADDRESS = 512, /* of a pointer: it is one of those, or made from one */
};

/* Cooperative matrices move elements from and to memory. Numbered here for headers that do not know
 * them. */
enum {
    COOPERATIVE_MATRIX_LOAD = 4457,
    COOPERATIVE_MATRIX_STORE = 4458,
    COOPERATIVE_MATRIX_LOAD_TENSOR = 5367,
    COOPERATIVE_MATRIX_STORE_TENSOR = 5368,
};

/* Accesses through such addresses are recorded that many bits higher. */
enum { BY_ADDRESS = 8 };

struct id {
    const uint32_t *at; /* the instruction that defines it; NULL: ignored here */
    size_t name;        /* word index of the text of OpName; 0: none */
    const char *text;   /* the same, kept with the facts; NULL until it is asked for */
    uint32_t set, binding, spec_id, stride;
    uint32_t flags; /* accesses: of a storage buffer's variable */
    uint32_t root;  /* of a pointer: the storage buffer's variable that it leads into, or that its
                     * address comes from; 0: none */
    uint32_t read_from; /* of a value: the storage buffer's variable it was loaded from; 0: none */
    uint32_t value;     /* of a constant; a specialization constant's default */
    uint32_t built_in;  /* of a variable and what is read from it: 1 + its number; 0: none */
    uint32_t axis;      /* of such a value: 1 + its component; 0: it is the vector */
    uint64_t bytes;     /* of a type as it is laid out in memory */
};

struct member {
    uint32_t type, index, decoration, value;
};

struct module {
    const uint32_t *words;
    size_t count;
    struct id *ids;
    uint32_t bound;
    struct member *members; /* decorations of structures' members, in the module's order */
    size_t member_count, member_room;
    unsigned entries;
    bool fixed_size;
    uint32_t group[3];                      /* ids of the workgroup size; 0: not given */
    size_t variables, spec_ids, name_bytes; /* upper bounds */
    bool inside;                            /* of a function */
    const uint32_t *at;                     /* the walk: the instruction */
    uint32_t length;                        /* its words */
    char *fault;
    bool failed;
    struct vks_spv_facts *facts;
    size_t names_used;
    uint32_t count_loads, count_products; /* of gl_NumWorkGroups, and with gl_WorkGroupID */
};

/* Keeps the first fault. */
__attribute__((format(printf, 2, 3))) static bool fail(struct module *m, const char *format, ...)
{
    if (!m->failed) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(m->fault, VKS_SPV_FAULT_SIZE, format, arguments);
        va_end(arguments);
    }
    m->failed = true;
    return false;
}

static bool damaged(struct module *m)
{
    return fail(m, "its SPIR-V is damaged at word %zu", (size_t)(m->at - m->words));
}

static bool out_of_memory(struct module *m)
{
    return fail(m, "not enough memory to read it");
}

static uint32_t opcode(const uint32_t *instruction)
{
    return instruction[0] & SpvOpCodeMask;
}

static uint32_t length(const uint32_t *instruction)
{
    return instruction[0] >> SpvWordCountShift;
}

static bool has_words(struct module *m, uint32_t count)
{
    return m->length >= count || damaged(m);
}

/* The id in word `index` of the instruction; NULL and a fault if it is invalid. */
static struct id *id_at(struct module *m, uint32_t index)
{
    if (!has_words(m, index + 1)) {
        return NULL;
    }
    if (m->at[index] == 0 || m->at[index] >= m->bound) {
        damaged(m);
        return NULL;
    }
    return &m->ids[m->at[index]];
}

/* The instruction that defines the id, if it is the one wanted. */
static const uint32_t *defined_as(const struct module *m, uint32_t id, uint32_t wanted)
{
    const uint32_t *at = id < m->bound ? m->ids[id].at : NULL;
    return at && opcode(at) == wanted ? at : NULL;
}

/* --- text ------------------------------------------------------------------------------------- */

/* SPIR-V packs text with its first byte in a word's lowest eight bits. */
static char text_byte(const struct module *m, size_t first_word, size_t i)
{
    return (char)(unsigned char)(m->words[first_word + i / 4] >> (8 * (i % 4)));
}

/* Word index of the text that starts in word `index` of the instruction, or 0 and a fault if it
 * does not end there. */
static size_t text_at(struct module *m, uint32_t index)
{
    for (uint32_t i = index; i < m->length; i++) {
        const uint32_t w = m->at[i];
        if ((w & 0xff) == 0 || (w & 0xff00) == 0 || (w & 0xff0000) == 0 || (w >> 24) == 0) {
            return (size_t)(m->at - m->words) + index;
        }
    }
    damaged(m);
    return 0;
}

/* The name of an id, "" if it has none; kept with the facts. A name that is not an identifier of
 * GLSL is a fault: it will be written into a C file. */
static const char *name_of(struct module *m, uint32_t id)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t first = m->ids[id].name;
    if (m->ids[id].text) {
        return m->ids[id].text;
    }
    if (first == 0 || text_byte(m, first, 0) == '\0') {
        return "";
    }
    char *const name = m->facts->names + m->names_used;
    size_t used = 0;
    do {
        name[used] = text_byte(m, first, used);
    } while (name[used++] != '\0');
    if (strspn(name, allowed) != used - 1) {
        fail(m, "it has a name that is not an identifier");
        return "";
    }
    m->names_used += used;
    m->ids[id].text = name;
    return name;
}

/* --- the walk --------------------------------------------------------------------------------- */

static bool decorate(struct module *m)
{
    struct id *target = id_at(m, 1);
    if (!target || !has_words(m, 3)) {
        return false;
    }
    const uint32_t decoration = m->at[2];
    switch (decoration) {
    case SpvDecorationNonWritable:
        target->flags |= NON_WRITABLE;
        return true;
    case SpvDecorationNonReadable:
        target->flags |= NON_READABLE;
        return true;
    case SpvDecorationSpecId:
    case SpvDecorationArrayStride:
    case SpvDecorationBinding:
    case SpvDecorationDescriptorSet:
    case SpvDecorationBuiltIn:
        break;
    default:
        return true;
    }
    if (!has_words(m, 4)) {
        return false;
    }
    if (decoration == SpvDecorationBuiltIn) {
        target->built_in = 1 + m->at[3];
    } else if (decoration == SpvDecorationSpecId) {
        target->spec_id = m->at[3];
        target->flags |= HAS_SPEC_ID;
        m->spec_ids++;
    } else if (decoration == SpvDecorationArrayStride) {
        target->stride = m->at[3];
    } else if (decoration == SpvDecorationBinding) {
        target->binding = m->at[3];
        target->flags |= HAS_BINDING;
    } else {
        target->set = m->at[3];
        target->flags |= HAS_SET;
    }
    return true;
}

static bool decorate_member(struct module *m)
{
    if (!id_at(m, 1) || !has_words(m, 4)) {
        return false;
    }
    if (m->at[3] == SpvDecorationOffset && !has_words(m, 5)) {
        return false;
    }
    if (m->member_count == m->member_room) {
        const size_t room = m->member_room ? 2 * m->member_room : 64;
        struct member *more = realloc(m->members, room * sizeof(*more));
        if (!more) {
            return out_of_memory(m);
        }
        m->members = more;
        m->member_room = room;
    }
    m->members[m->member_count++] =
        (struct member){m->at[1], m->at[2], m->at[3], m->length > 4 ? m->at[4] : 0};
    return true;
}

static const struct member *find_member(const struct module *m, uint32_t type, uint32_t index,
                                        uint32_t decoration)
{
    for (size_t i = 0; i < m->member_count; i++) {
        const struct member *member = &m->members[i];
        if (member->type == type && member->index == index && member->decoration == decoration) {
            return member;
        }
    }
    return NULL;
}

/* Sizes cannot overflow: each is bounded before others are computed from it. */
static uint64_t bounded(uint64_t bytes)
{
    return bytes < UINT32_MAX ? bytes : UINT32_MAX;
}

/* A type, whose parts precede it in the module. */
static bool define_type(struct module *m)
{
    static const struct {
        uint32_t opcode, words, first_id, ids;
    } shapes[] = {
        {SpvOpTypeBool, 2, 0, 0},         {SpvOpTypeInt, 4, 0, 0},    {SpvOpTypeFloat, 3, 0, 0},
        {SpvOpTypeVector, 4, 2, 1},       {SpvOpTypeMatrix, 4, 2, 1}, {SpvOpTypeArray, 4, 2, 2},
        {SpvOpTypeRuntimeArray, 3, 2, 1}, {SpvOpTypeStruct, 2, 2, 0}, {SpvOpTypePointer, 4, 3, 1},
        {SpvOpTypeImage, 9, 2, 1},
    };
    const uint32_t op = opcode(m->at);
    struct id *type = id_at(m, 1);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const uint32_t ids =
            op == SpvOpTypeStruct && m->length >= 2 ? m->length - 2 : shapes[i].ids;
        if (shapes[i].opcode != op) {
            continue;
        }
        if (!has_words(m, shapes[i].words)) {
            return false;
        }
        for (uint32_t k = 0; k < ids; k++) {
            if (!id_at(m, shapes[i].first_id + k)) {
                return false;
            }
        }
    }
    if (!type) {
        return false;
    }
    type->at = m->at;
    switch (op) {
    case SpvOpTypeBool:
        type->bytes = 4;
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        type->bytes = m->at[2] / 8;
        break;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        type->bytes = bounded(m->at[3] * m->ids[m->at[2]].bytes);
        break;
    case SpvOpTypeArray:
        type->bytes = bounded((uint64_t)m->ids[m->at[3]].value *
                              (type->stride ? type->stride : m->ids[m->at[2]].bytes));
        break;
    case SpvOpTypeStruct:
        type->bytes = 0;
        for (uint32_t i = 0; i + 2 < m->length; i++) {
            const struct member *offset = find_member(m, m->at[1], i, SpvDecorationOffset);
            const uint64_t end =
                (offset ? offset->value : type->bytes) + m->ids[m->at[2 + i]].bytes;
            type->bytes = bounded(end > type->bytes ? end : type->bytes);
        }
        break;
    default:
        break;
    }
    return true;
}

/* The value of an OpSpecConstantOp: the operations that lengths of shared arrays are made of, 0 for
 * any other. */
static uint32_t evaluate(struct module *m)
{
    const struct id *operands[3] = {0};
    for (uint32_t i = 0; i < 3 && 4 + i < m->length && m->at[4 + i] < m->bound; i++) {
        operands[i] = &m->ids[m->at[4 + i]];
    }
    if (!operands[1]) {
        return 0;
    }
    const uint32_t a = operands[0]->value, b = operands[1]->value;
    switch (m->at[3]) {
    case SpvOpIAdd:
        return a + b;
    case SpvOpISub:
        return a - b;
    case SpvOpIMul:
        return a * b;
    case SpvOpUDiv:
        return b ? a / b : 0;
    case SpvOpSelect:
        return a || !operands[2] ? b : operands[2]->value;
    default:
        return 0;
    }
}

static bool define_value(struct module *m)
{
    const uint32_t op = opcode(m->at);
    struct id *id = id_at(m, 2);
    if (!id || !id_at(m, 1)) {
        return false;
    }
    if (op == SpvOpVariable && !has_words(m, 4)) {
        return false;
    }
    id->at = m->at;
    m->variables += op == SpvOpVariable;
    if (op == SpvOpConstant || op == SpvOpSpecConstant) {
        if (!has_words(m, 4)) {
            return false;
        }
        id->value = m->at[3];
    } else if (op == SpvOpConstantTrue || op == SpvOpSpecConstantTrue) {
        id->value = 1;
    } else if (op == SpvOpSpecConstantOp && m->length > 5) {
        id->value = evaluate(m);
    }
    return true;
}

/* True for the variable of a storage buffer or of a texel buffer. */
static bool is_buffer(const uint32_t *variable)
{
    return variable[3] == SpvStorageClassStorageBuffer ||
           variable[3] == SpvStorageClassUniformConstant;
}

/* The buffer's variable that the pointer in word `index` leads into, or 0. */
static uint32_t root_at(struct module *m, uint32_t index)
{
    const struct id *id = id_at(m, index);
    const uint32_t *variable = id ? defined_as(m, m->at[index], SpvOpVariable) : NULL;
    if (variable) {
        return is_buffer(variable) ? m->at[index] : 0;
    }
    return id ? id->root : 0;
}

/* True if the type is that of an address. */
static bool is_address(const struct module *m, uint32_t type)
{
    const uint32_t *pointer = defined_as(m, type, SpvOpTypePointer);
    return pointer && pointer[2] == SpvStorageClassPhysicalStorageBuffer;
}

static bool hides_address(struct module *m)
{
    return fail(m, "it makes or keeps an address by itself, which hides what it does there; use "
                   "VKS_AT of lib/field.glsl");
}

/* A pointer made from the one in word 3. */
static bool follow(struct module *m)
{
    struct id *id = id_at(m, 2);
    const struct id *from = id_at(m, 3);
    if (id && from) {
        const struct id *index = m->length > 4 ? id_at(m, 4) : NULL;
        id->root = root_at(m, 3);
        id->built_in = from->built_in;
        id->axis = index ? 1 + index->value : from->axis;
    }
    if (m->failed || !is_address(m, m->at[1])) {
        return !m->failed;
    }
    id->flags |= ADDRESS;
    return id->root || hides_address(m);
}

/* The table of lib/field.glsl: two words of a storage buffer as an address. */
static bool bitcast(struct module *m)
{
    struct id *id = id_at(m, 2);
    const struct id *from = id_at(m, 3);
    if (!id || !from || !is_address(m, m->at[1])) {
        return !m->failed;
    }
    if (!from->read_from) {
        return hides_address(m);
    }
    id->root = from->read_from;
    id->flags |= ADDRESS;
    m->ids[id->root].flags |= CHUNKED;
    return true;
}

/* Records an access through the pointer in word `index`. */
static bool access_at(struct module *m, uint32_t index, uint32_t access)
{
    const struct id *pointer = id_at(m, index);
    const uint32_t root = root_at(m, index);
    if (root) {
        m->ids[root].flags |= pointer->flags & ADDRESS ? access << BY_ADDRESS : access;
    }
    return !m->failed;
}

static bool load(struct module *m)
{
    struct id *id = id_at(m, 2);
    const struct id *from = id_at(m, 3);
    if (id && from) {
        id->read_from = root_at(m, 3);
        id->built_in = from->built_in;
        id->axis = from->axis;
        m->count_loads += from->built_in == 1 + SpvBuiltInNumWorkgroups;
    }
    if (!m->failed && is_address(m, m->at[1])) {
        return hides_address(m);
    }
    return access_at(m, 3, LOADS);
}

/* A component of gl_WorkGroupID times one of gl_NumWorkGroups is part of a workgroup's number. */
static bool multiply(struct module *m)
{
    const struct id *a = id_at(m, 3), *b = id_at(m, 4);
    const bool swapped = b && b->built_in == 1 + SpvBuiltInWorkgroupId;
    const struct id *id = swapped ? b : a, *count = swapped ? a : b;
    if (id && count && id->built_in == 1 + SpvBuiltInWorkgroupId && id->axis > 0 && id->axis < 4 &&
        count->built_in == 1 + SpvBuiltInNumWorkgroups) {
        m->facts->reflection.numbered_axes |= 1U << (id->axis - 1);
        m->count_products++;
    }
    return !m->failed;
}

/* Calls and extension instructions could hide accesses. */
static bool refuse_pointers(struct module *m, uint32_t first)
{
    for (uint32_t i = first; m->inside && i < m->length; i++) {
        if (m->at[i] > 0 && m->at[i] < m->bound && root_at(m, i)) {
            return fail(m,
                        "its instruction %" PRIu32 " takes a pointer into a buffer, which hides "
                        "what it does there",
                        opcode(m->at));
        }
    }
    return true;
}

/* The word of an atomic instruction that holds its pointer; 0: it is not atomic. */
static uint32_t atomic_pointer(uint32_t op)
{
    switch (op) {
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear:
        return 1;
    case SpvOpAtomicFlagTestAndSet:
    case SpvOpAtomicFAddEXT:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        return 3;
    default:
        return op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor ? 3 : 0;
    }
}

static bool enter(struct module *m)
{
    m->entries++;
    if (!has_words(m, 4) || !text_at(m, 3)) {
        return false;
    }
    if (m->at[1] != SpvExecutionModelGLCompute) {
        return fail(m, "it is not a compute shader");
    }
    /* "main" and its end, as words */
    if (m->at[3] != 0x6e69616d || m->length < 5 || (m->at[4] & 0xff) != 0) {
        return fail(m, "its entry point is not 'main'");
    }
    return true;
}

static bool visit(struct module *m)
{
    const uint32_t op = opcode(m->at);
    struct id *id = NULL;
    switch (op) {
    case SpvOpCapability:
        if (has_words(m, 2) && (m->at[1] == SpvCapabilityVariablePointers ||
                                m->at[1] == SpvCapabilityVariablePointersStorageBuffer)) {
            fail(m, "it uses variable pointers, which hide what it does to its buffers");
        }
        return !m->failed;
    case SpvOpEntryPoint:
        return enter(m);
    case SpvOpExecutionMode:
        m->fixed_size = m->fixed_size || (m->length > 2 && m->at[2] == SpvExecutionModeLocalSize);
        return true;
    case SpvOpExecutionModeId:
        if (has_words(m, 3) && m->at[2] == SpvExecutionModeLocalSizeId && id_at(m, 3) &&
            id_at(m, 4) && id_at(m, 5)) {
            memcpy(m->group, m->at + 3, sizeof(m->group));
        }
        return !m->failed;
    case SpvOpName:
        id = id_at(m, 1);
        if (id) {
            id->name = text_at(m, 2);
            m->name_bytes += 4 * (size_t)m->length;
        }
        return !m->failed;
    case SpvOpDecorate:
        return decorate(m);
    case SpvOpMemberDecorate:
        return decorate_member(m);
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeStruct:
    case SpvOpTypePointer:
    case SpvOpTypeImage:
        return define_type(m);
    case SpvOpConstant:
    case SpvOpConstantTrue:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantOp:
    case SpvOpVariable:
        return define_value(m);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpCopyObject:
        return follow(m);
    case SpvOpBitcast:
        return bitcast(m);
    case SpvOpConvertUToPtr:
        return hides_address(m);
    case SpvOpLoad:
        return load(m);
    case SpvOpIMul:
        return multiply(m);
    case SpvOpStore:
    case COOPERATIVE_MATRIX_STORE:
    case COOPERATIVE_MATRIX_STORE_TENSOR:
        return access_at(m, 1, STORES);
    case COOPERATIVE_MATRIX_LOAD:
    case COOPERATIVE_MATRIX_LOAD_TENSOR:
        return access_at(m, 3, LOADS);
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return access_at(m, 1, STORES) && access_at(m, 2, LOADS);
    case SpvOpFunction:
    case SpvOpFunctionEnd:
        m->inside = op == SpvOpFunction;
        return true;
    case SpvOpFunctionCall:
    case SpvOpExtInst:
        return refuse_pointers(m, op == SpvOpExtInst ? 5 : 4);
    default:
        if (atomic_pointer(op)) {
            return access_at(m, atomic_pointer(op), ATOMICS);
        }
        return op < FIRST_EXTENSION || refuse_pointers(m, 1);
    }
}

static bool walk(struct module *m)
{
    for (size_t at = HEADER_WORDS; at < m->count; at += m->length) {
        m->at = m->words + at;
        m->length = length(m->at);
        if (m->length == 0 || m->length > m->count - at) {
            return damaged(m);
        }
        if (!visit(m)) {
            return false;
        }
    }
    return true;
}

/* --- the reflection -------------------------------------------------------------------------- */

/* Whether all members of the block, or the variable itself, have the decoration. */
static bool all_members(const struct module *m, uint32_t variable, uint32_t block,
                        uint32_t decoration)
{
    const uint32_t flag = decoration == SpvDecorationNonWritable ? NON_WRITABLE : NON_READABLE;
    const uint32_t members = length(m->ids[block].at) - 2;
    if (m->ids[variable].flags & flag) {
        return true;
    }
    for (uint32_t i = 0; i < members; i++) {
        if (!find_member(m, block, i, decoration)) {
            return false;
        }
    }
    return members > 0;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct vks_reflected_buffer *find_buffer(const struct module *m, uint32_t binding)
{
    for (size_t i = 0; i < m->facts->reflection.buffer_count; i++) {
        if (m->facts->buffers[i].binding == binding) {
            return &m->facts->buffers[i];
        }
    }
    return NULL;
}

/* Words per texel, from the name that VKS_INPUT of lib/field.glsl gives to the variable of a texel
 * buffer: vks_texels_TYPE_NAME. `name` becomes NAME. 0 for a variable with another name. */
static uint32_t texel_words(const char **name)
{
    static const struct {
        const char *prefix;
        uint32_t words;
    } kinds[] = {{"vks_texels_uint_", 1},
                 {"vks_texels_float_", 1},
                 {"vks_texels_uvec2_", 2},
                 {"vks_texels_uvec4_", 4},
                 {"vks_texels_vec4_", 4}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const size_t length_of_prefix = strlen(kinds[i].prefix);
        if (strncmp(*name, kinds[i].prefix, length_of_prefix) == 0) {
            *name += length_of_prefix;
            return kinds[i].words;
        }
    }
    return 0;
}

/* The name of a storage buffer, which is its block's, or NAME of a texel buffer's variable. `words`
 * receives the words per texel, 0 for a storage buffer. */
static const char *buffer_name(struct module *m, uint32_t id, uint32_t *words)
{
    const uint32_t *variable = m->ids[id].at;
    const uint32_t block = m->ids[variable[1]].at[3];
    const bool texels = variable[3] == SpvStorageClassUniformConstant;
    const char *name = texels                                  ? name_of(m, id)
                       : defined_as(m, block, SpvOpTypeStruct) ? name_of(m, block)
                                                               : "";
    *words = texels ? texel_words(&name) : 0;
    return name;
}

static bool add_buffer(struct module *m, uint32_t id, uint32_t block)
{
    const struct id *variable = &m->ids[id];
    const bool texels = defined_as(m, block, SpvOpTypeImage);
    uint32_t words;
    const char *name = buffer_name(m, id, &words);
    if (texels && words == 0) {
        return fail(m, "its texel buffer '%s' is not declared by VKS_INPUT of lib/field.glsl",
                    name);
    }
    if (name[0] == '\0') {
        return fail(m, "its storage buffer at binding %" PRIu32 " is not one block with a name",
                    variable->binding);
    }
    if (!(variable->flags & HAS_BINDING)) {
        return fail(m, "its buffer '%s' has no binding", name);
    }
    if (variable->set != 0 || !(variable->flags & HAS_SET)) {
        return fail(m, "its buffer '%s' is in set %" PRIu32 "; every buffer belongs in set 0", name,
                    variable->set);
    }
    const uint32_t members = texels ? 0 : length(m->ids[block].at) - 2;
    const uint32_t last = members ? m->ids[block].at[1 + members] : 0;
    const bool chunked = variable->flags & CHUNKED;
    const uint32_t accesses = chunked ? variable->flags >> BY_ADDRESS : variable->flags;
    const struct vks_reflected_buffer found = {
        .name = name,
        .binding = variable->binding,
        .stride = defined_as(m, last, SpvOpTypeRuntimeArray) ? m->ids[last].stride : 0,
        .read_only = texels || all_members(m, id, block, SpvDecorationNonWritable),
        .write_only = !texels && all_members(m, id, block, SpvDecorationNonReadable),
        .chunked = chunked,
        .texel_words = words,
        .loads = accesses & LOADS,
        .stores = accesses & STORES,
        .atomics = accesses & ATOMICS,
    };
    struct vks_reflected_buffer *same = find_buffer(m, found.binding);
    if (!same) {
        m->facts->buffers[m->facts->reflection.buffer_count++] = found;
        return true;
    }
    if (same->texel_words != found.texel_words) {
        return fail(
            m, "its binding %" PRIu32 " mixes texel sizes, or a texel buffer with a storage buffer",
            found.binding);
    }
    const struct vks_reflected_buffer *plain = same->chunked ? &found : same;
    if (same->chunked != found.chunked && (plain->loads || plain->stores || plain->atomics)) {
        return fail(m,
                    "its buffer '%s' is not declared by VKS_FIELD of lib/field.glsl, and another "
                    "view of it is",
                    plain->name);
    }
    same->chunked = same->chunked || found.chunked;
    same->name = strlen(found.name) < strlen(same->name) ? found.name : same->name;
    same->stride = common_divisor(same->stride, found.stride);
    same->read_only = same->read_only && found.read_only;
    same->write_only = same->write_only && found.write_only;
    same->loads = same->loads || found.loads;
    same->stores = same->stores || found.stores;
    same->atomics = same->atomics || found.atomics;
    return true;
}

static bool add_push_constants(struct module *m, uint32_t block)
{
    struct vks_reflection *reflection = &m->facts->reflection;
    const uint32_t *type = defined_as(m, block, SpvOpTypeStruct);
    const uint32_t *first = type && length(type) > 2 ? defined_as(m, type[2], SpvOpTypeInt) : NULL;
    const struct member *offset = find_member(m, block, 0, SpvDecorationOffset);
    if (!first || first[2] != 32 || !offset || offset->value != 0) {
        return fail(m, "its push constants do not begin with `uint step_in_batch`; declare them by "
                       "VKS_CONSTANTS of lib/pass.glsl");
    }
    if (reflection->push_size) {
        return fail(m, "it has several blocks of push constants");
    }
    reflection->push_size = (uint32_t)m->ids[block].bytes;
    return reflection->push_size <= FLOOR_CONSTANTS ||
           fail(m, "its push constants have %" PRIu32 " bytes, %d are possible",
                reflection->push_size, FLOOR_CONSTANTS);
}

/* True for a type `utextureBuffer`. */
static bool is_texel_buffer(const struct module *m, uint32_t type)
{
    const uint32_t *image = defined_as(m, type, SpvOpTypeImage);
    return image && image[3] == SpvDimBuffer && image[7] == 1;
}

static bool add_variable(struct module *m, uint32_t id)
{
    struct vks_reflection *reflection = &m->facts->reflection;
    const uint32_t *variable = m->ids[id].at;
    const uint32_t *pointer = defined_as(m, variable[1], SpvOpTypePointer);
    if (!pointer) {
        return fail(m, "its SPIR-V has a variable without a type");
    }
    const uint32_t type = pointer[3];
    switch (variable[3]) {
    case SpvStorageClassWorkgroup:
        reflection->shared_bytes = (uint32_t)bounded(reflection->shared_bytes + m->ids[type].bytes);
        return true;
    case SpvStorageClassPushConstant:
        return add_push_constants(m, type);
    case SpvStorageClassStorageBuffer:
        return add_buffer(m, id, type);
    case SpvStorageClassUniformConstant:
        if (is_texel_buffer(m, type)) {
            return add_buffer(m, id, type);
        } /* fall through */
    case SpvStorageClassUniform: {
        const char *name = name_of(m, id)[0] ? name_of(m, id) : name_of(m, type);
        return fail(m, "it binds '%s', which is not a storage buffer", name);
    }
    default:
        return true;
    }
}

static bool add_constant(struct module *m, uint32_t id)
{
    struct vks_reflection *reflection = &m->facts->reflection;
    const uint32_t spec_id = m->ids[id].spec_id;
    const char *name = name_of(m, id);
    if (name[0] == '\0') {
        /* glslang repeats the workgroup size's constants, which have no names. */
        return spec_id == VKS_GROUP_SIZE_ID || spec_id == VKS_GROUP_SIZE_ID + 1 ||
               fail(m, "its specialization constant %" PRIu32 " has no name", spec_id);
    }
    if (spec_id >= VKS_GROUP_SIZE_ID) {
        return fail(m, "its constant '%s' has the id %" PRIu32 "; %d and up are the core's", name,
                    spec_id, VKS_GROUP_SIZE_ID);
    }
    for (size_t i = 0; i < reflection->constant_count; i++) {
        const struct vks_reflected_constant *other = &m->facts->constants[i];
        if (strcmp(other->name, name) == 0) {
            return fail(m, "it has two specialization constants called '%s'", name);
        }
        if (other->id == spec_id) {
            return fail(m, "its constants '%s' and '%s' have the same id %" PRIu32, other->name,
                        name, spec_id);
        }
    }
    m->facts->constants[reflection->constant_count++] =
        (struct vks_reflected_constant){.name = name, .id = spec_id};
    return true;
}

/* Blocks of one binding are one field; different fields have different names. */
static bool check_names(struct module *m, uint32_t id)
{
    const struct vks_reflected_buffer *buffer = find_buffer(m, m->ids[id].binding);
    uint32_t words;
    const char *name = buffer_name(m, id, &words);
    const size_t stem = strlen(buffer->name);
    if (strcmp(name, buffer->name) != 0 &&
        (strncmp(name, buffer->name, stem) != 0 || name[stem] != '_')) {
        return fail(m,
                    "its buffers '%s' and '%s' share binding %" PRIu32
                    "; views of one field are called '%s' and '%s_...'",
                    buffer->name, name, buffer->binding, buffer->name, buffer->name);
    }
    for (size_t i = 0; i < m->facts->reflection.buffer_count; i++) {
        const struct vks_reflected_buffer *other = &m->facts->buffers[i];
        if (other != buffer && strcmp(other->name, buffer->name) == 0) {
            return fail(m, "its bindings %" PRIu32 " and %" PRIu32 " are both called '%s'",
                        buffer->binding, other->binding, buffer->name);
        }
    }
    return true;
}

static bool is_sized_by_constants(const struct module *m)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct id *size = &m->ids[m->group[i]];
        if (!(size->flags & HAS_SPEC_ID) || size->spec_id != VKS_GROUP_SIZE_ID + i) {
            return false;
        }
    }
    const struct id *depth = &m->ids[m->group[2]];
    return !m->fixed_size && m->group[0] && depth->value == 1 && !(depth->flags & HAS_SPEC_ID);
}

static bool finish(struct module *m)
{
    struct vks_spv_facts *facts = m->facts;
    facts->buffers = calloc(m->variables + 1, sizeof(*facts->buffers));
    facts->constants = calloc(m->spec_ids + 1, sizeof(*facts->constants));
    facts->names = malloc(m->name_bytes + 1);
    if (!facts->buffers || !facts->constants || !facts->names) {
        return out_of_memory(m);
    }
    facts->reflection.counts_groups = m->count_loads > m->count_products;
    facts->reflection.buffers = facts->buffers;
    facts->reflection.constants = facts->constants;
    if (m->entries != 1) {
        return fail(m, "it has %u entry points, not one", m->entries);
    }
    if (!is_sized_by_constants(m)) {
        return fail(m,
                    "its workgroup size is not that of lib/pass.glsl (local_size_x_id = %d, "
                    "local_size_y_id = %d)",
                    VKS_GROUP_SIZE_ID, VKS_GROUP_SIZE_ID + 1);
    }
    for (uint32_t id = 1; id < m->bound; id++) {
        if (defined_as(m, id, SpvOpVariable) && !add_variable(m, id)) {
            return false;
        }
        if ((m->ids[id].flags & HAS_SPEC_ID) && !add_constant(m, id)) {
            return false;
        }
    }
    for (uint32_t id = 1; id < m->bound; id++) {
        const uint32_t *variable = defined_as(m, id, SpvOpVariable);
        if (variable && is_buffer(variable) && !check_names(m, id)) {
            return false;
        }
    }
    return !m->failed;
}

bool vks_spv_reflect(const uint32_t *words, size_t count, struct vks_spv_facts *facts,
                     char fault[VKS_SPV_FAULT_SIZE])
{
    struct module m = {.words = words, .count = count, .fault = fault, .facts = facts};
    *facts = (struct vks_spv_facts){0};
    if (count < HEADER_WORDS || words[0] != SpvMagicNumber || words[3] == 0 ||
        words[3] > ID_LIMIT) {
        return fail(&m, "it is not a SPIR-V module");
    }
    m.bound = words[3];
    m.ids = calloc(m.bound, sizeof(*m.ids));
    (void)((m.ids || out_of_memory(&m)) && walk(&m) && finish(&m));
    free(m.ids);
    free(m.members);
    return !m.failed;
}

void vks_spv_facts_free(struct vks_spv_facts *facts)
{
    free(facts->buffers);
    free(facts->constants);
    free(facts->names);
    *facts = (struct vks_spv_facts){0};
}
