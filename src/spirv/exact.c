/* SPDX-License-Identifier: MIT */
#include "spirv/exact.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "spirv/rules.h"

enum {
    HEADER_WORDS = 5,
    ID_LIMIT = 4194303, /* SPIR-V 2.17, universal limits: no larger id bound */
};

/* --- a module ------------------------------------------------------------------------------- */

enum {
    ID_DEFINED = 1,       /* some instruction has it as its result */
    ID_UNCONTRACTED = 2,  /* decorated NoContraction */
    ID_FLOAT = 4,         /* a float type, or a vector of floats */
    ID_FUNCTION = 8,      /* a function with its body */
    ID_CALLED = 16,       /* a function that an entry point or a call names */
    ID_GLSL = 32,         /* the import of GLSL.std.450 */
    ID_NON_SEMANTIC = 64, /* an import that computes nothing */
    ID_RELAXED = 128,     /* decorated RelaxedPrecision */
    ID_BUILT_IN = 256,    /* a built-in input, or its value as it was loaded */
    ID_POINTER = 512,     /* a pointer type */
};

struct id {
    uint16_t flags;
    uint32_t type; /* of a value; 0 if none */
    uint32_t name; /* word index of the text of OpName or OpString; 0: none */
};

struct module {
    const char *name;
    FILE *out;
    const uint32_t *words;
    size_t count;
    struct id *ids;
    uint32_t bound;
    bool malformed; /* one sentence has been printed */
    /* the walk: */
    size_t at;          /* first word of the instruction */
    uint32_t length;    /* its words */
    uint32_t function;  /* id of the function around it, 0 outside */
    uint32_t line_file; /* id of the OpString in force, 0: none */
    uint32_t line;
    uint64_t arithmetic; /* operations found so far */
    uint64_t offences;
};

__attribute__((format(printf, 2, 3))) static bool malformed(struct module *m, const char *format,
                                                            ...)
{
    if (!m->malformed) {
        va_list arguments;
        va_start(arguments, format);
        fprintf(m->out, "%s: ", m->name);
        vfprintf(m->out, format, arguments);
        fputc('\n', m->out);
        va_end(arguments);
    }
    m->malformed = true;
    return false;
}

static uint32_t word(const struct module *m, uint32_t index)
{
    return m->words[m->at + index];
}

/* True if the instruction has `least` words or more. */
static bool has_words(struct module *m, uint32_t least)
{
    if (m->length < least) {
        return malformed(m,
                         "not a valid SPIR-V module: instruction %" PRIu32
                         " at word %zu has %" PRIu32 " words, at least %" PRIu32 " are needed",
                         word(m, 0) & 0xffffu, m->at, m->length, least);
    }
    return true;
}

/* The id in word `index` of the instruction, NULL (and malformed) if there is none. */
static struct id *id_at(struct module *m, uint32_t index)
{
    if (!has_words(m, index + 1)) {
        return NULL;
    }
    const uint32_t id = word(m, index);
    if (id == 0 || id >= m->bound) {
        malformed(m,
                  "not a valid SPIR-V module: id %" PRIu32
                  " at word %zu is outside the bound %" PRIu32,
                  id, m->at + index, m->bound);
        return NULL;
    }
    return &m->ids[id];
}

/* True if the text that starts in word `index` ends inside the instruction. */
static bool text_ends(struct module *m, uint32_t index)
{
    for (uint32_t i = index; i < m->length; i++) {
        const uint32_t w = word(m, i);
        if ((w & 0xffu) == 0 || (w & 0xff00u) == 0 || (w & 0xff0000u) == 0 || (w >> 24) == 0) {
            return true;
        }
    }
    return malformed(m, "not a valid SPIR-V module: text at word %zu does not end", m->at + index);
}

/* SPIR-V packs text with its first byte in a word's lowest eight bits. */
static char text_byte(const struct module *m, size_t first_word, size_t i)
{
    return (char)(unsigned char)(m->words[first_word + i / 4] >> (8 * (i % 4)));
}

/* Compares checked text with `with`, up to its end, or as a prefix. */
static bool text_is(const struct module *m, size_t first_word, const char *with, bool prefix)
{
    for (size_t i = 0; with[i] != '\0'; i++) {
        if (text_byte(m, first_word, i) != with[i]) {
            return false;
        }
    }
    return prefix || text_byte(m, first_word, strlen(with)) == '\0';
}

/* Writes checked text up to its end or `last`, without control characters. */
static void print_text(const struct module *m, size_t first_word, char last)
{
    for (size_t i = 0; text_byte(m, first_word, i) != '\0'; i++) {
        const char c = text_byte(m, first_word, i);
        if (c == last) {
            break;
        }
        fputc((unsigned char)c < 32 || c == 127 ? '?' : c, m->out);
    }
}

static const struct rule *find_rule(uint32_t opcode)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].opcode == opcode) {
            return &rules[i];
        }
    }
    return NULL;
}

/* --- offences ------------------------------------------------------------------------------- */

/* Prints the name of an id, for a function without its parameters' types, else its number. */
static void print_id(const struct module *m, uint32_t id)
{
    if (m->ids[id].name != 0 && text_byte(m, m->ids[id].name, 0) != '\0') {
        print_text(m, m->ids[id].name, '(');
    } else {
        fprintf(m->out, "%%%" PRIu32, id);
    }
}

/* Begins the line of an offence with its location: the line of the source if the module has lines
 * (glslc -g), otherwise the module's name; the function; and without lines, the id `result` (0:
 * none). */
static void begin_offence(struct module *m, uint32_t result)
{
    const uint32_t source = m->line_file != 0 ? m->ids[m->line_file].name : 0;
    m->offences++;
    if (source != 0) {
        print_text(m, source, '\0');
        fprintf(m->out, ":%" PRIu32 ": ", m->line);
    } else {
        fprintf(m->out, "%s: ", m->name);
    }
    if (m->function != 0) {
        fprintf(m->out, "in function ");
        print_id(m, m->function);
        fprintf(m->out, ": ");
    }
    if (result != 0 && source == 0) {
        print_id(m, result);
        fprintf(m->out, " = ");
    }
}

__attribute__((format(printf, 3, 4))) static void offence(struct module *m, uint32_t result,
                                                          const char *format, ...)
{
    begin_offence(m, result);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(m->out, format, arguments);
    va_end(arguments);
    fputc('\n', m->out);
}

static void check_extended(struct module *m)
{
    const struct id *set = id_at(m, 3);
    if (set == NULL || !has_words(m, 5)) {
        return;
    }
    const uint32_t number = word(m, 4);
    if (set->flags & ID_NON_SEMANTIC) {
        return;
    }
    if (!(set->flags & ID_GLSL)) {
        offence(m, word(m, 2), "instruction %" PRIu32 " of a set that is not GLSL.std.450", number);
        return;
    }
    for (size_t i = 0; i < sizeof(exact_glsl) / sizeof(exact_glsl[0]); i++) {
        if (exact_glsl[i] == number) {
            return;
        }
    }
    for (size_t i = 0; i < sizeof(glsl_names) / sizeof(glsl_names[0]); i++) {
        if (glsl_names[i].number == number) {
            offence(m, word(m, 2), "GLSL.std.450 %s is not exact; see lib/exact.glsl",
                    glsl_names[i].name);
            return;
        }
    }
    offence(m, word(m, 2), "GLSL.std.450 instruction %" PRIu32 " is not known to be exact", number);
}

static void check_decoration(struct module *m, uint32_t index)
{
    if (id_at(m, 1) == NULL || !has_words(m, index + 1)) {
        return;
    }
    const uint32_t target = word(m, 1);
    switch (word(m, index)) {
    case SpvDecorationNoContraction:
        m->ids[target].flags |= ID_UNCONTRACTED;
        break;
    case SpvDecorationRelaxedPrecision:
        m->ids[target].flags |= ID_RELAXED;
        break;
    case SpvDecorationBuiltIn:
        m->ids[target].flags |= ID_BUILT_IN;
        break;
    case SpvDecorationFPFastMathMode:
    case SpvDecorationFPRoundingMode:
        offence(m, 0, "%%%" PRIu32 " is decorated with a fast-math or rounding mode", target);
        break;
    default:
        break;
    }
}

static void check_capability(struct module *m)
{
    for (size_t i = 0; has_words(m, 2) && i < sizeof(widths) / sizeof(widths[0]); i++) {
        if (widths[i].number == word(m, 1)) {
            offence(m, 0, "capability %s: " WHY_WIDTH, widths[i].name);
        }
    }
}

static void check_group_decorate(struct module *m)
{
    const struct id *group = id_at(m, 1);
    const uint16_t flags = group == NULL ? 0 : group->flags & ID_UNCONTRACTED;
    for (uint32_t i = 2; i < m->length && !m->malformed; i++) {
        struct id *target = id_at(m, i);
        if (target != NULL) {
            target->flags |= flags;
        }
    }
}

/* Float atomics: loads, stores and exchanges share their opcode with the integer ones. */
static void check_atomic(struct module *m, uint32_t opcode)
{
    const bool store = opcode == SpvOpAtomicStore;
    const struct id *value = id_at(m, store ? 4 : 2);
    if (value == NULL) {
        return;
    }
    const uint32_t type = value->type;
    if (type != 0 && (m->ids[type].flags & ID_FLOAT)) {
        offence(m, store ? 0 : word(m, 2), "atomic access to a float: " WHY_FLOAT_ATOMIC);
    }
}

static void check_function(struct module *m, uint32_t opcode)
{
    if (opcode == SpvOpFunctionEnd) {
        if (m->function == 0) {
            malformed(m, "not a valid SPIR-V module: a function ends at word %zu, none began",
                      m->at);
        }
        m->function = 0;
        m->line_file = 0;
        return;
    }
    struct id *function = id_at(m, 2);
    if (function == NULL) {
        return;
    }
    if (m->function != 0) {
        malformed(m, "not a valid SPIR-V module: a function begins inside another at word %zu",
                  m->at);
    }
    function->flags |= ID_FUNCTION;
    m->function = word(m, 2);
}

/* Instructions that define names, imports and decorations, which others refer to. */
static void collect(struct module *m, uint32_t opcode)
{
    struct id *id = NULL;
    switch (opcode) {
    case SpvOpName:
    case SpvOpString:
        id = id_at(m, 1);
        if (id != NULL && has_words(m, 3) && text_ends(m, 2)) {
            id->name = (uint32_t)(m->at + 2);
        }
        break;
    case SpvOpExtInstImport:
        id = id_at(m, 1);
        if (id != NULL && has_words(m, 3) && text_ends(m, 2)) {
            if (text_is(m, m->at + 2, "GLSL.std.450", false)) {
                id->flags |= ID_GLSL;
            } else if (text_is(m, m->at + 2, "NonSemantic.", true)) {
                id->flags |= ID_NON_SEMANTIC;
            }
        }
        break;
    case SpvOpCapability:
        check_capability(m);
        break;
    case SpvOpEntryPoint:
        id = id_at(m, 2);
        if (id != NULL) {
            id->flags |= ID_CALLED;
            if (word(m, 1) != SpvExecutionModelGLCompute) {
                offence(m, 0, "the entry point %%%" PRIu32 " is not a compute shader", word(m, 2));
            }
        }
        break;
    case SpvOpExecutionMode:
        if (id_at(m, 1) != NULL && has_words(m, 3) &&
            word(m, 2) == SpvExecutionModeRoundingModeRTZ) {
            offence(m, 0, "execution mode RoundingModeRTZ: results must round to nearest even");
        }
        break;
    case SpvOpDecorate:
        check_decoration(m, 2);
        break;
    case SpvOpLoad:
        if (has_words(m, 4) && id_at(m, 3) != NULL && (m->ids[word(m, 3)].flags & ID_BUILT_IN)) {
            m->ids[word(m, 2)].flags |= ID_BUILT_IN;
        }
        break;
    case SpvOpMemberDecorate:
        if (has_words(m, 4) && word(m, 3) != SpvDecorationNoContraction) {
            check_decoration(m, 3);
        }
        break;
    case SpvOpGroupDecorate:
        check_group_decorate(m);
        break;
    case SpvOpTypeInt:
        if (id_at(m, 1) != NULL && has_words(m, 4) && word(m, 2) != 32) {
            offence(m, 0, "type %%%" PRIu32 " is %sint%" PRIu32 ": " WHY_WIDTH, word(m, 1),
                    word(m, 3) == 0 ? "u" : "", word(m, 2));
        }
        break;
    case SpvOpTypeFloat:
        id = id_at(m, 1);
        if (id != NULL && has_words(m, 3)) {
            id->flags |= ID_FLOAT;
            if (word(m, 2) != 32) {
                offence(m, 0, "type %%%" PRIu32 " is float%" PRIu32 ": " WHY_WIDTH, word(m, 1),
                        word(m, 2));
            }
        }
        break;
    case SpvOpTypePointer:
        id = id_at(m, 1);
        if (id != NULL) {
            id->flags |= ID_POINTER;
        }
        break;
    case SpvOpTypeVector:
        id = id_at(m, 1);
        if (id != NULL && id_at(m, 2) != NULL) {
            id->flags |= id_at(m, 2)->flags & ID_FLOAT;
        }
        break;
    default:
        break;
    }
}

static void look(struct module *m, uint32_t opcode)
{
    struct id *id = NULL;
    const struct rule *inner = NULL;
    switch (opcode) {
    case SpvOpLine:
        if (id_at(m, 1) != NULL && has_words(m, 4)) {
            m->line_file = word(m, 1);
            m->line = word(m, 2);
        }
        break;
    case SpvOpNoLine:
        m->line_file = 0;
        break;
    case SpvOpFunction:
    case SpvOpFunctionEnd:
        check_function(m, opcode);
        break;
    case SpvOpFunctionCall:
        id = id_at(m, 3);
        if (id != NULL) {
            id->flags |= ID_CALLED;
        }
        break;
    case SpvOpExtInst:
        check_extended(m);
        break;
    case SpvOpSpecConstantOp:
        if (has_words(m, 4)) {
            /* Computed by the driver when a pipeline is made: nothing there can be uncontracted. */
            inner = find_rule(word(m, 3));
            if (inner == NULL || inner->verdict != EXACT) {
                offence(m, word(m, 2), "OpSpecConstantOp with %s, which is not exact there",
                        inner == NULL ? "an unknown opcode" : inner->name);
            }
        }
        break;
    case SpvOpAtomicLoad:
    case SpvOpAtomicStore:
    case SpvOpAtomicExchange:
        check_atomic(m, opcode);
        break;
    case SpvOpTypeImage:
        /* Texel buffers of integers are read as they are; SpvOpTypeInt sees to the 32 bits. */
        if (has_words(m, 9) && id_at(m, 2) != NULL &&
            ((m->ids[word(m, 2)].flags & ID_FLOAT) || word(m, 3) != SpvDimBuffer ||
             word(m, 7) != 1)) {
            offence(m, word(m, 1), "OpTypeImage: " WHY_IMAGE);
        }
        break;
    case SpvOpBitcast:
        /* Numbers may become addresses (lib/field.glsl), but not the other way round. */
        id = id_at(m, 3);
        if (id != NULL && (m->ids[id->type].flags & ID_POINTER)) {
            offence(m, word(m, 2), "OpBitcast of an address: " WHY_ADDRESS);
        }
        break;
    default:
        break;
    }
}

static void check_arithmetic(struct module *m, const struct rule *rule)
{
    for (uint32_t i = 3; i < 5 && !m->malformed; i++) {
        (void)id_at(m, i);
    }
    if (m->malformed) {
        return;
    }
    m->arithmetic++;
    if (!(m->ids[word(m, 2)].flags & ID_UNCONTRACTED)) {
        offence(m, word(m, 2), "%s without NoContraction; declare its result `precise`",
                rule->name);
    }
}

/* --- the walks ------------------------------------------------------------------------------ */

/* Notes that the instruction defines its result. */
static void define_result(struct module *m, enum shape shape)
{
    if (shape == BARE) {
        return;
    }
    const uint32_t index = shape == TYPED_RESULT ? 2 : 1;
    struct id *result = id_at(m, index);
    if (result == NULL || (shape == TYPED_RESULT && id_at(m, 1) == NULL)) {
        return;
    }
    if (result->flags & ID_DEFINED) {
        malformed(m, "not a valid SPIR-V module: id %" PRIu32 " is defined twice", word(m, index));
    }
    result->flags |= ID_DEFINED;
    result->type = shape == TYPED_RESULT ? word(m, 1) : 0;
}

/* GLSL declares the numbers of subgroups and their invocations mediump: whole numbers that 16 bits
 * hold. Whatever is computed must be highp. */
static void check_precision(struct module *m, enum shape shape)
{
    const uint32_t result = shape == BARE ? 0 : word(m, shape == RESULT ? 1 : 2);
    if ((m->ids[result].flags & (ID_RELAXED | ID_BUILT_IN)) == ID_RELAXED) {
        offence(m, 0, "%%%" PRIu32 " is decorated RelaxedPrecision; write highp, not mediump",
                result);
    }
}

static void check_instruction(struct module *m, uint32_t opcode, const struct rule *rule)
{
    if (rule == NULL) {
        offence(m, 0, "opcode %" PRIu32 " is not on the list of exact instructions", opcode);
        return;
    }
    check_precision(m, (enum shape)rule->shape);
    switch ((enum verdict)rule->verdict) {
    case EXACT:
        break;
    case ARITHMETIC:
        check_arithmetic(m, rule);
        break;
    case INSPECT:
        look(m, opcode);
        break;
    case REFUSED:
        offence(m, rule->shape == BARE ? 0 : word(m, rule->shape == RESULT ? 1 : 2),
                "%s is not exact: %s", rule->name, rule->why);
        break;
    }
}

/* Goes over all instructions, first to collect what others refer to, then to judge. */
static void walk(struct module *m, bool judge)
{
    m->at = HEADER_WORDS;
    while (m->at < m->count && !m->malformed) {
        const uint32_t opcode = m->words[m->at] & 0xffffu;
        m->length = m->words[m->at] >> 16;
        if (m->length == 0 || m->length > m->count - m->at) {
            malformed(
                m,
                "not a valid SPIR-V module: the instruction at word %zu has a length of %" PRIu32
                " words, %zu are left",
                m->at, m->length, m->count - m->at);
            break;
        }
        const struct rule *rule = find_rule(opcode);
        if (judge) {
            check_instruction(m, opcode, rule);
        } else {
            define_result(m, rule == NULL ? BARE : (enum shape)rule->shape);
            if (!m->malformed) {
                collect(m, opcode);
            }
        }
        m->at += m->length;
    }
}

static bool check_header(struct module *m)
{
    if (m->count < HEADER_WORDS) {
        return malformed(m, "not a SPIR-V module: %zu words are no header", m->count);
    }
    if (m->words[0] != SpvMagicNumber) {
        return malformed(m, "not a SPIR-V module: it starts with 0x%08" PRIx32 ", not 0x%08" PRIx32,
                         m->words[0], (uint32_t)SpvMagicNumber);
    }
    if ((m->words[1] & 0xff0000ffu) != 0 || (m->words[1] >> 16) != 1) {
        return malformed(m, "SPIR-V version word 0x%08" PRIx32 " is not known; 1.0 to 1.6 are",
                         m->words[1]);
    }
    m->bound = m->words[3];
    if (m->bound == 0 || m->bound > ID_LIMIT) {
        return malformed(
            m, "not a valid SPIR-V module: its id bound is %" PRIu32 ", it must be 1 to %d",
            m->bound, ID_LIMIT);
    }
    m->ids = calloc(m->bound, sizeof(*m->ids));
    if (m->ids == NULL) {
        return malformed(m, "out of memory for %" PRIu32 " ids", m->bound);
    }
    return true;
}

/* After the walks: is it a whole module? */
static void check_whole(struct module *m)
{
    bool entry = false;
    if (m->function != 0) {
        malformed(m, "not a valid SPIR-V module: the last function does not end");
    }
    for (uint32_t i = 1; i < m->bound; i++) {
        const bool called = m->ids[i].flags & ID_CALLED;
        entry = entry || called;
        if (called && !(m->ids[i].flags & ID_FUNCTION)) {
            malformed(m, "not a valid SPIR-V module: the function %%%" PRIu32 " is missing", i);
        }
    }
    if (!entry) {
        malformed(m, "not a shader: the SPIR-V module has no entry point");
    }
}

enum vks_spv_verdict vks_spv_exact(const char *name, const uint32_t *words, size_t count, FILE *out,
                                   struct vks_spv_counts *counts)
{
    struct module m = {.name = name, .out = out, .words = words, .count = count};
    if (check_header(&m)) {
        walk(&m, false);
        if (!m.malformed) {
            walk(&m, true);
        }
        if (!m.malformed) {
            check_whole(&m);
        }
    }
    free(m.ids);
    *counts = (struct vks_spv_counts){m.arithmetic, m.offences};
    return m.malformed ? VKS_SPV_MALFORMED : m.offences > 0 ? VKS_SPV_INEXACT : VKS_SPV_EXACT;
}
