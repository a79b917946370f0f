/* SPDX-License-Identifier: MIT */
#include "io/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "arrays go to and from files as they lie in memory: little-endian machines only"
#endif

static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The rest of the header's text, a Python dictionary literal. */
struct text {
    const char *at, *end;
    struct vks_npy_place place;
};

static enum vks_result fail(struct vks_npy_place place, const char *what)
{
    return vks_fail(VKS_ERROR_FILE, "'%s': array '%s': %s", place.path, place.member, what);
}

static void skip_space(struct text *text)
{
    while (text->at < text->end && *text->at != '\0' && strchr(" \t\r\n\f", *text->at)) {
        text->at++;
    }
}

/* Consumes the character if it is next, after any space. */
static bool take(struct text *text, char wanted)
{
    skip_space(text);
    if (text->at < text->end && *text->at == wanted) {
        text->at++;
        return true;
    }
    return false;
}

static bool take_word(struct text *text, const char *word)
{
    skip_space(text);
    size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0) {
        return false;
    }
    text->at += length;
    return true;
}

/* A quoted string of printable ASCII without escapes, as NumPy writes for the supported types;
 * false if there is none or it does not fit. */
static bool take_string(struct text *text, char *string, size_t size)
{
    char quote;
    if (take(text, '\'')) {
        quote = '\'';
    } else if (take(text, '"')) {
        quote = '"';
    } else {
        return false;
    }
    size_t length = 0;
    while (text->at < text->end && *text->at != quote) {
        char c = *text->at++;
        if (c < ' ' || c > '~' || c == '\\' || length + 1 >= size) {
            return false;
        }
        string[length++] = c;
    }
    string[length] = '\0';
    return take(text, quote);
}

static bool take_number(struct text *text, uint64_t *number)
{
    skip_space(text);
    uint64_t value = 0;
    const char *start = text->at;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        uint64_t digit = (uint64_t)(*text->at - '0');
        if (!vks_multiply(value, 10, &value) || value > UINT64_MAX - digit) {
            return false;
        }
        value += digit;
    }
    *number = value;
    return text->at > start;
}

static enum vks_result parse_type(struct text *text, struct vks_npy *array)
{
    char type[16];
    skip_space(text);
    if (text->at < text->end && (*text->at == '[' || *text->at == '(')) {
        return fail(text->place, "structured types are not supported, only plain numbers");
    }
    if (!take_string(text, type, sizeof(type))) {
        return fail(text->place, "the type in its header is not a short string");
    }
    if (strchr(type, 'O')) {
        return fail(text->place, "Python objects are not supported, only plain numbers");
    }
    if (strlen(type) == 3 && strcmp(type + 1, "b1") == 0) { /* bools: bytes of 0 and 1 */
        type[1] = 'u';
    }
    bool known = strlen(type) == 3 && strchr("<>|=", type[0]) && type[2] >= '1' && type[2] <= '8' &&
                 vks_npy_type_valid(type[1], (uint32_t)(type[2] - '0'));
    if (!known) {
        return vks_fail(
            VKS_ERROR_FILE,
            "'%s': array '%s': type '%s' is not supported, only floats of 2, 4 or 8 bytes, "
            "integers of 1, 2, 4 or 8 bytes, and bools",
            text->place.path, text->place.member, type);
    }
    if (type[0] == '>' && type[2] != '1') {
        return fail(text->place, "big-endian numbers are not supported, only little-endian ones");
    }
    if (type[0] == '|' && type[2] != '1') {
        return fail(text->place, "the type in its header lacks a byte order");
    }
    array->kind = type[1];
    array->item_bytes = (uint32_t)(type[2] - '0');
    return VKS_OK;
}

static enum vks_result parse_shape(struct text *text, struct vks_npy *array)
{
    if (!take(text, '(')) {
        return fail(text->place, "the shape in its header is not a tuple");
    }
    array->rank = 0;
    bool comma = true; /* one was read since the last number */
    while (!take(text, ')')) {
        uint64_t side;
        if (!comma || !take_number(text, &side)) {
            return fail(text->place, "the shape in its header is not a tuple of counts");
        }
        if (array->rank == VKS_COUNT(array->shape)) {
            return fail(text->place, "it has more than 4 dimensions");
        }
        array->shape[array->rank++] = side;
        (void)take(text, 'L'); /* suffix of long integers in Python 2 */
        comma = take(text, ',');
    }
    if (array->rank == 1 && !comma) {
        return fail(text->place, "the shape in its header is not a tuple");
    }
    return VKS_OK;
}

static enum vks_result parse_order(struct text *text, bool *fortran)
{
    if (take_word(text, "True")) {
        *fortran = true;
        return VKS_OK;
    }
    if (take_word(text, "False")) {
        *fortran = false;
        return VKS_OK;
    }
    return fail(text->place, "fortran_order in its header is neither True nor False");
}

static enum vks_result parse_dictionary(struct text *text, struct vks_npy *array, bool *fortran)
{
    if (!take(text, '{')) {
        return fail(text->place, "its header is not a dictionary");
    }
    bool type_seen = false, order_seen = false, shape_seen = false;
    bool comma = true;
    while (!take(text, '}')) {
        char key[16];
        if (!comma || !take_string(text, key, sizeof(key)) || !take(text, ':')) {
            return fail(text->place, "its header is damaged");
        }
        bool *seen;
        enum vks_result result;
        if (strcmp(key, "descr") == 0) {
            seen = &type_seen;
            result = parse_type(text, array);
        } else if (strcmp(key, "fortran_order") == 0) {
            seen = &order_seen;
            result = parse_order(text, fortran);
        } else if (strcmp(key, "shape") == 0) {
            seen = &shape_seen;
            result = parse_shape(text, array);
        } else {
            return vks_fail(VKS_ERROR_FILE, "'%s': array '%s': its header has an unknown key '%s'",
                            text->place.path, text->place.member, key);
        }
        if (result != VKS_OK) {
            return result;
        }
        if (*seen) {
            return vks_fail(VKS_ERROR_FILE, "'%s': array '%s': its header has '%s' twice",
                            text->place.path, text->place.member, key);
        }
        *seen = true;
        comma = take(text, ',');
    }
    skip_space(text);
    if (text->at != text->end) {
        return fail(text->place, "its header continues after the dictionary");
    }
    if (!type_seen || !order_seen || !shape_seen) {
        return fail(text->place, "its header lacks descr, fortran_order or shape");
    }
    return VKS_OK;
}

enum vks_result vks_npy_parse(const uint8_t *bytes, size_t size, struct vks_npy_place place,
                              struct vks_npy *array, bool *fortran, size_t *data_offset)
{
    if (size < 10 || memcmp(bytes, magic, sizeof(magic)) != 0) {
        return fail(place, "it does not begin as a .npy file does");
    }
    unsigned version = bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0) {
        return vks_fail(VKS_ERROR_FILE,
                        "'%s': array '%s': .npy version %u.%u is not supported, only 1.0 to 3.0",
                        place.path, place.member, version, (unsigned)bytes[7]);
    }
    size_t start = version == 1 ? 10 : 12;
    if (size < start) {
        return fail(place, "its header is cut short");
    }
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (version > 1) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (length > VKS_NPY_MAX_HEADER - start) {
        return vks_fail(VKS_ERROR_FILE,
                        "'%s': array '%s': its header has %zu bytes; the limit is %d", place.path,
                        place.member, length, VKS_NPY_MAX_HEADER);
    }
    if (length > size - start) {
        return fail(place, "its header is cut short");
    }
    struct text text = {
        .at = (const char *)bytes + start,
        .end = (const char *)bytes + start + length,
        .place = place,
    };
    enum vks_result result = parse_dictionary(&text, array, fortran);
    if (result != VKS_OK) {
        return result;
    }
    if (!vks_npy_size(array->item_bytes, array->rank, array->shape, &array->bytes)) {
        return fail(place, "its shape is too large");
    }
    *data_offset = start + length;
    return VKS_OK;
}

bool vks_npy_type_valid(char kind, uint32_t item_bytes)
{
    bool number = kind == 'f' || kind == 'u' || kind == 'i';
    bool size = item_bytes == 1 || item_bytes == 2 || item_bytes == 4 || item_bytes == 8;
    return number && size && !(kind == 'f' && item_bytes == 1);
}

bool vks_npy_size(uint32_t item_bytes, uint32_t rank, const uint64_t *shape, uint64_t *bytes)
{
    uint64_t product = item_bytes;
    bool empty = false;
    for (uint32_t i = 0; i < rank; i++) {
        empty = empty || shape[i] == 0;
        if (!vks_multiply(product, shape[i] ? shape[i] : 1, &product)) {
            return false;
        }
    }
    *bytes = empty ? 0 : product;
    return true;
}

size_t vks_npy_format(uint8_t header[VKS_NPY_HEADER_WRITTEN], char kind, uint32_t item_bytes,
                      uint32_t rank, const uint64_t *shape)
{
    /* Four numbers of 20 digits keep the text under 160 characters. */
    char sides[100] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < rank; i++) {
        used += (size_t)snprintf(sides + used, sizeof(sides) - used, "%s%" PRIu64, i ? ", " : "",
                                 shape[i]);
    }
    char text[VKS_NPY_HEADER_WRITTEN];
    size_t length = (size_t)snprintf(
        text, sizeof(text), "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (%s%s), }",
        item_bytes == 1 ? '|' : '<', kind, (unsigned)item_bytes, sides, rank == 1 ? "," : "");

    size_t start = sizeof(magic) + 4;
    size_t total = (start + length + 1 + 63) / 64 * 64;
    memset(header, ' ', total);
    memcpy(header, magic, sizeof(magic));
    header[6] = 1;
    header[7] = 0;
    header[8] = (uint8_t)((total - start) & 0xff);
    header[9] = (uint8_t)((total - start) >> 8);
    memcpy(header + start, text, length);
    header[total - 1] = '\n';
    return total;
}
