/* SPDX-License-Identifier: MIT */
/* The text of an expression: recursive descent over the grammar in docs/formulas.md. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "formula/expression.h"

struct parser {
    struct vks_expressions *expressions;
    const char *key, *text, *at;
    uint32_t depth;
    enum vks_result result;
};

static const struct {
    const char *name;
    uint32_t args;
    enum vks_op op;
} functions[] = {
    {"min", 2, VKS_OP_MIN},     {"max", 2, VKS_OP_MAX},       {"abs", 1, VKS_OP_ABS},
    {"floor", 1, VKS_OP_FLOOR}, {"sign", 1, VKS_OP_SIGN},     {"sqrt", 1, VKS_OP_SQRT},
    {"exp", 1, VKS_OP_EXP},     {"log", 1, VKS_OP_LOG},       {"sin", 1, VKS_OP_SIN},
    {"cos", 1, VKS_OP_COS},     {"tanh", 1, VKS_OP_TANH},     {"sigmoid", 1, VKS_OP_SIGMOID},
    {"clamp", 3, VKS_OP_MIN},   {"random", 0, VKS_OP_RANDOM}, {"normal", 0, VKS_OP_NORMAL},
    {NULL, 0, VKS_OP_NUMBER},
};

static const struct {
    const char *name;
    enum vks_op op;
} variables[] = {
    {"x", VKS_OP_X},    {"y", VKS_OP_Y},       {"z", VKS_OP_Z},
    {"t", VKS_OP_STEP}, {"step", VKS_OP_STEP}, {NULL, VKS_OP_NUMBER},
};

static uint32_t parse_choice(struct parser *p);

static bool failed(const struct parser *p)
{
    return p->result != VKS_OK || p->expressions->result != VKS_OK;
}

/* Records what is wrong at a place of the text; further failures are left out. Returns 0. */
static uint32_t complain(struct parser *p, const char *at, const char *format, const char *word)
{
    char what[256];
    if (failed(p)) {
        return 0;
    }
    snprintf(what, sizeof(what), format, word);
    p->result =
        vks_fail(VKS_ERROR_USAGE, "%s, column %zu: %s", p->key, (size_t)(at - p->text) + 1, what);
    vks_fail_at(p->result, p->text, (size_t)(at - p->text));
    return 0;
}

static uint32_t make(struct parser *p, enum vks_op op, uint32_t a, uint32_t b, uint32_t c)
{
    return failed(p) ? 0 : vks_node_make(p->expressions, op, a, b, c);
}

static uint32_t number(struct parser *p, double value)
{
    return failed(p) ? 0 : vks_node_number(p->expressions, value);
}

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') {
        p->at++;
    }
}

/* Takes a sign, unless it begins a longer one that begins with it and one of `longer`. */
static bool take(struct parser *p, const char *sign, const char *longer)
{
    const size_t length = strlen(sign);
    skip_blanks(p);
    if (failed(p) || strncmp(p->at, sign, length) != 0 ||
        (p->at[length] != '\0' && strchr(longer, p->at[length]))) {
        return false;
    }
    p->at += length;
    return true;
}

static void expect(struct parser *p, const char *sign)
{
    if (!take(p, sign, "")) {
        complain(p, p->at,
                 isalnum((unsigned char)*p->at) ? "an operator or '%s' is missing"
                                                : "'%s' is missing",
                 sign);
    }
}

/* Takes the sign after what began at `open`, which the message is about if nothing that could
 * belong there follows. */
static void expect_end(struct parser *p, const char *open, const char *sign)
{
    skip_blanks(p);
    if (*p->at != *sign && (*p->at == '\0' || strchr(*sign == ')' ? ",:]" : ":)", *p->at))) {
        complain(p, open, "this bracket has no '%s'", sign);
    }
    expect(p, sign);
}

/* --- names ----------------------------------------------------------------------------------- */

enum { NAMES = 256, LONGEST_NAME = 64 };

/* All names, of functions or of values, for messages. */
static void list_names(const struct vks_expressions *e, bool called, const char **names)
{
    size_t count = 0;
    for (size_t i = 0; called && functions[i].name; i++) {
        names[count++] = functions[i].name;
    }
    for (size_t i = 0; called && vks_operators[i].name; i++) {
        names[count++] = vks_operators[i].name;
    }
    for (size_t i = 0; !called && i < e->field_count; i++) {
        names[count++] = e->fields[i].name;
    }
    for (size_t i = 0; !called && i < e->parameter_count; i++) {
        names[count++] = e->parameters[i].name;
    }
    for (size_t i = 0; !called && i < e->let_count; i++) {
        names[count++] = e->lets[i].name;
    }
    for (size_t i = 0; !called && i < e->image_count; i++) {
        names[count++] = e->images[i].name;
    }
    for (size_t i = 0; !called && variables[i].name; i++) {
        names[count++] = variables[i].name;
    }
    names[count] = called ? NULL : "pi";
    names[count + 1] = NULL;
}

/* What other programs call functions, and what to write. */
static const struct {
    const char *name, *instead;
} foreign[] = {
    {"bilaplacian", "bilap(a)"}, {"grad", "dx(a) and dy(a)"},
    {"heaviside", "a > 0"},      {"if", "a ? b : c"},
    {"laplacian", "lap(a)"},     {"ln", "log(a)"},
    {"mod", "a - b*floor(a/b)"}, {"pow", "a^b"},
    {"tan", "sin(a)/cos(a)"},
};

static bool is_operator(const char *name)
{
    size_t i = 0;
    while (vks_operators[i].name && strcmp(vks_operators[i].name, name) != 0) {
        i++;
    }
    return vks_operators[i].name != NULL;
}

/* What to write for a name of another program: also dxx(u) for u_xx. "": it is none. */
static void translate(const struct vks_expressions *e, const char *name, bool called, char text[80])
{
    const char *ending = strrchr(name, '_');
    char derivative[LONGEST_NAME + 1];
    text[0] = '\0';
    for (size_t i = 0; called && i < VKS_COUNT(foreign); i++) {
        if (strcmp(name, foreign[i].name) == 0) {
            snprintf(text, 80, "; write %s", foreign[i].instead);
        }
    }
    snprintf(derivative, sizeof(derivative), "d%s", ending ? ending + 1 : "");
    for (size_t i = 0; !called && is_operator(derivative) && i < e->field_count; i++) {
        const char *field = e->fields[i].name;
        const size_t length = (size_t)(ending - name);
        if (strlen(field) == length && strncmp(name, field, length) == 0) {
            snprintf(text, 80, "; write %s(%s)", derivative, field);
        }
    }
}

static uint32_t unknown(struct parser *p, const char *at, const char *name, bool called)
{
    const char *names[NAMES];
    char near[128], other[80], what[256];
    translate(p->expressions, name, called, other);
    list_names(p->expressions, called, names);
    snprintf(what, sizeof(what), "there is no %s '%s'%s", called ? "function" : "value", name,
             other[0] ? other : vks_did_you_mean(name, names, near, sizeof(near)));
    return complain(p, at, "%s", what);
}

/* Reads a name into `name`. */
static void read_name(struct parser *p, char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_' ||
           (p->expressions->foreign && p->at[length] == '.' && length > 0)) {
        length++;
    }
    if (length >= LONGEST_NAME) {
        complain(p, p->at, "this name is longer than 63 characters%s", "");
        length = LONGEST_NAME - 1;
    }
    memcpy(name, p->at, length);
    name[length] = '\0';
    p->at += length;
}

static int find_name(const struct vks_formula_name *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* A whole number from -max to max after an optional sign. */
static int whole(struct parser *p, int max)
{
    const bool negative = take(p, "-", "");
    const char *end;
    skip_blanks(p);
    const double value = vks_parse_real(p->at, &end);
    if (end == p->at || value != floor(value) || !(value >= 0 && value <= max)) {
        char text[16];
        snprintf(text, sizeof(text), "%d", max);
        complain(p, p->at, "an offset is a whole number up to %s", text);
        return 0;
    }
    p->at = end;
    return negative ? -(int)value : (int)value;
}

/* A field, or that of a neighbour: u[1,0]. */
static uint32_t parse_field(struct parser *p, int field)
{
    int offset[3] = {0, 0, 0};
    if (take(p, "[", "")) {
        const char *open = p->at - 1;
        for (uint32_t axis = 0; axis < p->expressions->dimensions && !failed(p); axis++) {
            if (axis > 0) {
                expect(p, ",");
            }
            offset[axis] = whole(p, VKS_FORMULA_OFFSET);
        }
        expect_end(p, open, "]");
    }
    if (failed(p)) {
        return 0;
    }
    const uint32_t node = vks_node_leaf(p->expressions, VKS_OP_FIELD, (uint32_t)field);
    return failed(p) ? 0 : vks_node_at(p->expressions, node, offset[0], offset[1], offset[2]);
}

static uint32_t parse_value(struct parser *p, const char *at, const char *name)
{
    struct vks_expressions *e = p->expressions;
    const int field = find_name(e->fields, e->field_count, name);
    if (field >= 0) {
        return parse_field(p, field);
    }
    const int parameter = find_name(e->parameters, e->parameter_count, name);
    if (parameter >= 0) {
        return e->maps[parameter] ? vks_node_leaf(e, VKS_OP_IMAGE, e->maps[parameter] - 1U)
                                  : vks_node_leaf(e, VKS_OP_PARAMETER, (uint32_t)parameter);
    }
    const int image = find_name(e->images, e->image_count, name);
    if (image >= 0) {
        return vks_node_leaf(e, VKS_OP_IMAGE, (uint32_t)image);
    }
    for (size_t i = 0; i < e->let_count; i++) {
        if (strcmp(e->lets[i].name, name) == 0) {
            return e->lets[i].node;
        }
    }
    for (size_t i = 0; variables[i].name; i++) {
        if (strcmp(variables[i].name, name) == 0) {
            const uint32_t value = vks_node_leaf(e, variables[i].op, 0);
            return strcmp(name, "t") == 0
                       ? make(p, VKS_OP_MULTIPLY, value,
                              vks_node_leaf(e, VKS_OP_PARAMETER, VKS_PARAMETER_DT), 0)
                       : value;
        }
    }
    if (strcmp(name, "pi") == 0) {
        return number(p, 3.141592653589793);
    }
    return unknown(p, at, name, false);
}

/* --- calls ----------------------------------------------------------------------------------- */

static void parse_arguments(struct parser *p, const char *at, const char *name, uint32_t count,
                            uint32_t args[3])
{
    const char *open = p->at - 1;
    uint32_t given = 0;
    char what[128];
    if (!take(p, ")", "")) {
        do {
            const uint32_t arg = parse_choice(p);
            if (given < 3) {
                args[given] = arg;
            }
            given++;
        } while (take(p, ",", ""));
        expect_end(p, open, ")");
    }
    if (given != count) {
        snprintf(what, sizeof(what), "%s takes %u argument%s, not %u", name, count,
                 count == 1 ? "" : "s", given);
        complain(p, at, "%s", what);
    }
}

static uint32_t call_function(struct parser *p, size_t function, const uint32_t args[3])
{
    const enum vks_op op = functions[function].op;
    if (failed(p)) {
        return 0;
    }
    if (functions[function].args == 0) { /* each call has numbers of its own */
        return vks_node_leaf(p->expressions, op, p->expressions->randoms++);
    }
    if (functions[function].args == 3) {
        return make(p, VKS_OP_MIN, make(p, VKS_OP_MAX, args[0], args[1], 0), args[2], 0);
    }
    return make(p, op, args[0], args[1], 0);
}

static uint32_t call_operator(struct parser *p, const char *at, size_t index,
                              const uint32_t args[3])
{
    const struct vks_operator *operator= & vks_operators[index];
    const size_t length = strlen(operator->name);
    if (failed(p)) {
        return 0;
    }
    if (p->expressions->dimensions == 2 && operator->name[length - 1] == 'z') {
        return complain(p, at, "%s needs a model with volumes", operator->name);
    }
    if (strcmp(operator->name, "mean") == 0) {
        const struct vks_node *reach = &p->expressions->nodes[args[1]];
        if (reach->op != VKS_OP_NUMBER || reach->number != floor(reach->number) ||
            reach->number < 1 || reach->number > VKS_FORMULA_OFFSET) {
            return complain(p, at,
                            "the second argument of %s is a number from 1 to 4", operator->name);
        }
    }
    return operator->make(p->expressions, args);
}

static uint32_t parse_call(struct parser *p, const char *at, const char *name)
{
    uint32_t args[3] = {0};
    for (size_t i = 0; functions[i].name; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            parse_arguments(p, at, name, functions[i].args, args);
            return call_function(p, i, args);
        }
    }
    for (size_t i = 0; vks_operators[i].name; i++) {
        if (strcmp(vks_operators[i].name, name) == 0) {
            parse_arguments(p, at, name, vks_operators[i].args, args);
            return call_operator(p, at, i, args);
        }
    }
    return unknown(p, at, name, true);
}

/* --- the grammar ----------------------------------------------------------------------------- */

static uint32_t parse_number(struct parser *p)
{
    const char *end;
    const double value = vks_parse_real(p->at, &end);
    if (end == p->at) {
        return complain(p, p->at,
                        *p->at == '\0'                   ? "the text ends too early%s"
                        : isdigit((unsigned char)*p->at) ? "this is not a decimal number%s"
                        : (unsigned char)*p->at < 0x80   ? "a value is missing%s"
                                                         : "names are of a-z, A-Z, 0-9 and _%s",
                        "");
    }
    if (!(value <= 0x1p62)) {
        return complain(p, p->at, "this number is larger than 4.6e18%s", "");
    }
    p->at = end;
    return number(p, value);
}

static uint32_t parse_atom(struct parser *p)
{
    skip_blanks(p);
    const char *at = p->at;
    if (take(p, "(", "")) {
        const uint32_t node = parse_choice(p);
        expect_end(p, at, ")");
        return node;
    }
    if (!isalpha((unsigned char)*at) && *at != '_') {
        return parse_number(p);
    }
    char name[LONGEST_NAME];
    read_name(p, name);
    if (failed(p)) {
        return 0;
    }
    return take(p, "(", "") ? parse_call(p, at, name) : parse_value(p, at, name);
}

static uint32_t parse_unary(struct parser *p);

/* a^n for n = 2 to 16, by squaring: from the second bit of n on, squares, and multiplies by a where
 * the bit is 1. */
static uint32_t whole_power(struct parser *p, uint32_t a, uint32_t n)
{
    uint32_t bit = 16, power = a;
    while (bit > n) {
        bit /= 2;
    }
    while ((bit /= 2) > 0) {
        power = make(p, VKS_OP_MULTIPLY, power, power, 0);
        if (n & bit) {
            power = make(p, VKS_OP_MULTIPLY, power, a, 0);
        }
    }
    return power;
}

static uint32_t raised(struct parser *p, uint32_t a, uint32_t b)
{
    if (failed(p)) {
        return 0;
    }
    const struct vks_node *node = &p->expressions->nodes[b];
    const bool negative = node->op == VKS_OP_NEGATE;
    if (negative) {
        node = &p->expressions->nodes[node->args[0]];
    }
    const double n = node->op == VKS_OP_NUMBER ? node->number : 0.5;
    if (n != floor(n) || n < 1 || n > (negative ? 8 : 16)) {
        return make(p, VKS_OP_POWER, a, b, 0);
    }
    const uint32_t power = whole_power(p, a, (uint32_t)n);
    return negative ? make(p, VKS_OP_DIVIDE, number(p, 1), power, 0) : power;
}

static uint32_t parse_power(struct parser *p)
{
    const uint32_t base = parse_atom(p);
    return take(p, "^", "") || take(p, "**", "") ? raised(p, base, parse_unary(p)) : base;
}

static uint32_t parse_signed(struct parser *p)
{
    if (take(p, "-", "")) {
        return make(p, VKS_OP_NEGATE, parse_unary(p), 0, 0);
    }
    if (take(p, "!", "=")) {
        return make(p, VKS_OP_NOT, parse_unary(p), 0, 0);
    }
    return parse_power(p);
}

/* Every way to nest passes here. */
static uint32_t parse_unary(struct parser *p)
{
    if (failed(p)) {
        return 0;
    }
    if (p->depth == VKS_FORMULA_DEPTH) {
        return complain(p, p->at, "the expression is nested too deeply%s", "");
    }
    p->depth++;
    const uint32_t node = parse_signed(p);
    p->depth--;
    return node;
}

static uint32_t parse_product(struct parser *p)
{
    uint32_t a = parse_unary(p);
    while (!failed(p)) {
        if (take(p, "*", "*")) {
            a = make(p, VKS_OP_MULTIPLY, a, parse_unary(p), 0);
        } else if (take(p, "/", "")) {
            a = make(p, VKS_OP_DIVIDE, a, parse_unary(p), 0);
        } else {
            break;
        }
    }
    return a;
}

static uint32_t parse_sum(struct parser *p)
{
    uint32_t a = parse_product(p);
    while (!failed(p)) {
        if (take(p, "+", "")) {
            a = make(p, VKS_OP_ADD, a, parse_product(p), 0);
        } else if (take(p, "-", "")) {
            a = make(p, VKS_OP_SUBTRACT, a, parse_product(p), 0);
        } else {
            break;
        }
    }
    return a;
}

static uint32_t parse_comparison(struct parser *p)
{
    static const struct {
        const char *sign, *longer;
        enum vks_op op;
        bool swapped; /* a > b is b < a */
    } signs[] = {
        {"<=", "", VKS_OP_LESS_EQUAL, false}, {">=", "", VKS_OP_LESS_EQUAL, true},
        {"==", "", VKS_OP_EQUAL, false},      {"!=", "", VKS_OP_NOT_EQUAL, false},
        {"<", "=", VKS_OP_LESS, false},       {">", "=", VKS_OP_LESS, true},
    };
    const uint32_t a = parse_sum(p);
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (take(p, signs[i].sign, signs[i].longer)) {
            const uint32_t b = parse_sum(p);
            return make(p, signs[i].op, signs[i].swapped ? b : a, signs[i].swapped ? a : b, 0);
        }
    }
    return a;
}

static uint32_t parse_and(struct parser *p)
{
    uint32_t a = parse_comparison(p);
    while (take(p, "&&", "")) {
        a = make(p, VKS_OP_AND, a, parse_comparison(p), 0);
    }
    return a;
}

static uint32_t parse_or(struct parser *p)
{
    uint32_t a = parse_and(p);
    while (take(p, "||", "")) {
        a = make(p, VKS_OP_OR, a, parse_and(p), 0);
    }
    return a;
}

static uint32_t parse_choice(struct parser *p)
{
    const uint32_t condition = parse_or(p);
    if (!take(p, "?", "")) {
        return condition;
    }
    if (p->depth == VKS_FORMULA_DEPTH) {
        return complain(p, p->at, "the expression is nested too deeply%s", "");
    }
    p->depth++;
    const uint32_t yes = parse_choice(p);
    expect(p, ":");
    const uint32_t no = parse_choice(p);
    p->depth--;
    return make(p, VKS_OP_CHOOSE, condition, yes, no);
}

enum vks_result vks_expression_parse(struct vks_expressions *expressions, const char *key,
                                     const char *text, uint32_t *node)
{
    struct parser p = {.expressions = expressions, .key = key, .text = text, .at = text};
    if (strlen(text) > VKS_FORMULA_TEXT) {
        return vks_fail(VKS_ERROR_USAGE, "%s has more than %d characters", key, VKS_FORMULA_TEXT);
    }
    *node = parse_choice(&p);
    skip_blanks(&p);
    if (*p.at != '\0') {
        complain(&p, p.at, "%s",
                 *p.at == ')' || *p.at == ']' ? "this bracket closes none"
                                              : "an operator is missing");
    }
    return p.result != VKS_OK ? p.result : expressions->result;
}
