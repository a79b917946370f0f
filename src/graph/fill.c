/* SPDX-License-Identifier: MIT */
/* Fills fields from the host: tables, images, and arrays of the user. */
#include "graph/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/number.h"
#include "base/task.h"

/* Bytes of a field that is staged as a whole. To fill a larger one takes seconds anyway, and
 * staging as large again may be too much for the host. */
enum { MAX_STAGED = 256 << 20 };

double vks_source_number(const struct vks_source *source, uint64_t index)
{
    return vks_array_number(source->array, source->kind, source->item_bytes, index);
}

/* A fraction that rounds to a whole side is 0. */
static uint32_t fraction_of(double cells, uint32_t side)
{
    const double turns = cells / side;
    const double part = turns - floor(turns); /* 1 for tiny negative numbers */
    const double fraction = part * 4294967296.0;
    if (fraction >= 4294967295.5) {
        return 0;
    }
    uint32_t place = (uint32_t)(fraction + 0.5);
    /* Rounding must not move it to the previous cell. */
    const uint32_t cell = (uint32_t)(part * side);
    while (cell < side && vks_high(place, side) < cell) {
        place++; /* at most twice */
    }
    return place;
}

static enum vks_result fail_infinite(const struct vks_field *field, const struct vks_source *source,
                                     uint64_t index)
{
    return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is not a finite number", field->name,
                    (unsigned long long)(source->first + index));
}

enum vks_result vks_fill_places(const struct vks_field *field, const struct vks_source *source,
                                const uint32_t *sides, uint32_t axes, uint32_t *places)
{
    for (uint64_t i = 0; source->array && i < source->count; i++) {
        const double cells = vks_source_number(source, i);
        if (!isfinite(cells)) {
            return fail_infinite(field, source, i);
        }
        places[i] = fraction_of(cells, sides[i % axes]);
    }
    return VKS_OK;
}

enum { HALF_EXPONENT = 0x7c00 };

/* Halves below 2^-14 are 0. */
static uint16_t flush_half(uint32_t half)
{
    return (half & HALF_EXPONENT) != 0 ? (uint16_t)half : 0;
}

/* Floats of a field with a range, from floats of any size. */
static enum vks_result take_range(const struct vks_field *field, const struct vks_source *source,
                                  void *out)
{
    for (uint64_t i = 0; i < source->count; i++) {
        const double value = vks_source_number(source, i);
        if (!(value >= field->range[0] && value <= field->range[1])) {
            return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is %g; it must be %g to %g",
                            field->name, (unsigned long long)(source->first + i), value,
                            field->range[0], field->range[1]);
        }
        if (field->element == VKS_F16) {
            ((uint16_t *)out)[i] = flush_half(vks_half(vks_real(value)));
        } else {
            ((float *)out)[i] = vks_real(value);
        }
    }
    return VKS_OK;
}

/* Floats of a field without range and fill(): must be finite; values below 2^-60 are flushed to 0.
 */
static enum vks_result take_floats(const struct vks_field *field, const struct vks_source *source,
                                   float *out)
{
    const float *from = source->array;
    for (uint64_t i = 0; i < source->count; i++) {
        if (!isfinite(from[i])) {
            return fail_infinite(field, source, i);
        }
        out[i] = vks_flush(from[i]);
    }
    return VKS_OK;
}

/* Halves, likewise. */
static enum vks_result take_halves(const struct vks_field *field, const struct vks_source *source,
                                   uint16_t *out)
{
    const uint16_t *from = source->array;
    for (uint64_t i = 0; i < source->count; i++) {
        if ((from[i] & HALF_EXPONENT) == HALF_EXPONENT) {
            return fail_infinite(field, source, i);
        }
        out[i] = flush_half(from[i]);
    }
    return VKS_OK;
}

/* The function knows the field by the name that the model gave it. */
static enum vks_result fill_plain(const struct vks_field *field, const struct vks_source *source,
                                  void *out)
{
    struct vks_field plain = *field;
    plain.name = field->plain;
    return field->fill(field->user, &plain, source, out);
}

static enum vks_result fill_piece(const struct vks_field *field, const struct vks_source *source,
                                  void *out)
{
    const bool has_range = vks_field_has_range(field);
    if (has_range && source->kind == 'f') {
        return take_range(field, source, out);
    }
    if (field->fill && (field->integers ? source->kind != 'f' : source->kind == 'f')) {
        return fill_plain(field, source, out);
    }
    if (field->element == VKS_F32 && source->kind == 'f' && source->item_bytes == 4) {
        return take_floats(field, source, out);
    }
    if (field->element == VKS_F16 && source->kind == 'f' && source->item_bytes == 2) {
        return take_halves(field, source, out);
    }
    const char *own = vks_element_info(field->element)->name;
    const bool takes_floats = has_range || (field->fill && !field->integers && !field->mask_width);
    return vks_fail(VKS_ERROR_FILE, "'%s' has elements of type %s%u; it takes %s%s", field->name,
                    source->kind == 'f'   ? "float"
                    : source->kind == 'u' ? "uint"
                                          : "int",
                    8 * source->item_bytes,
                    takes_floats      ? "floats"
                    : field->integers ? "integers"
                                      : own,
                    takes_floats && own[0] == 'u' ? " or uint32" : "");
}

enum vks_result vks_fill_from_array(const struct vks_field *field, const struct vks_source *source,
                                    void *out)
{
    enum { PIECE = 1 << 20 }; /* scalars: whole elements, a few milliseconds */
    const struct vks_element_info *info = vks_element_info(field->element);
    const uint64_t scalar_bytes = info->bytes / info->scalars;
    enum vks_result result;
    uint64_t at = 0;
    do {
        struct vks_source piece = *source;
        piece.array = (const char *)source->array + at * source->item_bytes;
        piece.count = source->count - at < PIECE ? source->count - at : PIECE;
        piece.first = at;
        result = fill_piece(field, &piece, (char *)out + at * scalar_bytes);
        if (result == VKS_OK) {
            result = vks_task_advance(piece.count * source->item_bytes);
        }
        at += PIECE;
    } while (result == VKS_OK && at < source->count);
    return result;
}

void vks_fill_mask(const struct vks_field *field, const struct vks_source *source, uint32_t *words)
{
    for (uint64_t i = 0; i < source->count; i++) {
        const uint64_t row = i / field->mask_width, column = i % field->mask_width;
        if (vks_source_number(source, i) != 0) {
            words[row * field->shape[1] + column / 32] |= 1u << column % 32;
        }
    }
}

/* Fills one field at the start. */
static enum vks_result fill_field(struct vks_graph *graph, const struct vks_field *declared,
                                  const struct vks_images *images)
{
    const struct vks_field whole = vks_whole_field(&graph->declaration, declared);
    const struct vks_field *field = &whole;
    struct vks_source source = {0};
    enum vks_result result = VKS_OK;
    if (field->image) {
        const uint32_t width =
            field->mask_width ? field->mask_width : (uint32_t)field->shape[field->rank - 1];
        const uint32_t height = field->rank > 1 ? (uint32_t)field->shape[field->rank - 2] : 1;
        source.count = (uint64_t)width * height;
        result = images->read(images->user, field, width, height, &source.brightness);
    }
    void *out = result == VKS_OK ? calloc(1, vks_field_bytes(field)) : NULL;
    if (result == VKS_OK) {
        result = out ? fill_plain(field, &source, out) : vks_fail_memory();
    }
    if (result == VKS_OK) {
        const bool large = vks_field_bytes(field) > MAX_STAGED;
        const bool split = vks_is_split(&graph->declaration, declared);
        result = field->persistent || field->items || large || split
                     ? vks_graph_upload(graph, field->name, out)
                     : vks_graph_stage(graph, (int)(declared - graph->declaration.fields), out);
    }
    free(out);
    return result;
}

/* True if the passes that run before vks_graph_fill() only read the field. */
static bool is_table(const struct vks_declaration *declaration, size_t field)
{
    bool is_read = false;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        const bool early = pass->when == VKS_AT_START || pass->when == VKS_AT_CHANGE;
        for (size_t j = 0; early && j < pass->use_count; j++) {
            const struct vks_use *use = &pass->uses[j];
            if (use->index == field && use->access != VKS_READ) {
                return false;
            }
            is_read = is_read || use->index == field;
        }
    }
    return is_read;
}

enum vks_result vks_fill_tables(struct vks_graph *graph, const struct vks_images *images)
{
    const struct vks_declaration *declaration = &graph->declaration;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (graph->unfilled[i] && field->made_from && (images || !field->image) &&
            !field->persistent && is_table(declaration, i)) {
            result = fill_field(graph, field, images);
            graph->unfilled[i] = result != VKS_OK;
        }
    }
    return result;
}

enum vks_result vks_graph_fill(struct vks_graph *graph, bool has_state,
                               const struct vks_images *images)
{
    const struct vks_declaration *declaration = &graph->declaration;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (graph->unfilled[i] && field->made_from && !(has_state && field->persistent) &&
            (images || !field->image)) {
            result = fill_field(graph, field, images);
        }
        graph->unfilled[i] = graph->unfilled[i] && result != VKS_OK;
    }
    return result;
}
