/* SPDX-License-Identifier: MIT */
/* VTK's XML files, for ParaView: image data (.vti) and points (.vtp). A header, then the raw values
 * of each array after their length. Values of cells are point data, at the places of the values, so
 * that ParaView can draw volumes and contours without a conversion. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "frames/still.h"

enum { PIECE = 1 << 16 }; /* elements that are converted at a time */

/* A file in progress. */
struct vtk {
    const struct vks_still *still;
    const struct vks_frame *frame;
    char *head;      /* the XML so far */
    size_t size;     /* of it */
    uint64_t offset; /* of the next array in the appended data */
    int error;       /* errno of the first failed write */
    bool no_memory;
};

/* --- the header ------------------------------------------------------------------------------ */

static void VKS_PRINTF(2, 3) put(struct vtk *vtk, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char *longer = vtk->no_memory ? NULL : realloc(vtk->head, vtk->size + (size_t)length + 1);
    if (!longer) {
        vtk->no_memory = true;
        return;
    }
    memcpy(longer + vtk->size, text, (size_t)length + 1);
    vtk->head = longer;
    vtk->size += (size_t)length;
}

static void put_start(struct vtk *vtk, const char *type)
{
    put(vtk,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%sEndian\" header_type=\"UInt64\">\n",
        type, vks_is_big_endian() ? "Big" : "Little");
}

static void put_time(struct vtk *vtk)
{
    char time[64];
    put(vtk,
        "    <FieldData>\n"
        "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
        "format=\"ascii\">%s</DataArray>\n"
        "    </FieldData>\n",
        vks_format_real(vtk->frame->time, time, sizeof(time)));
}

/* An array of `count` elements of four bytes. */
static void put_array(struct vtk *vtk, const char *type, const char *name, uint32_t components,
                      uint64_t count)
{
    put(vtk,
        "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%" PRIu32
        "\" format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
        type, name, components, vtk->offset);
    vtk->offset += sizeof(uint64_t) + count * components * 4;
}

/* The element with the arrays of a plane from number `first` on. The first scalar and the first
 * vector are the active ones. */
static void put_point_data(struct vtk *vtk, const struct vks_exports *exports, size_t first,
                           uint64_t count)
{
    const char *active[2] = {NULL, NULL};
    static const char *const kinds[] = {"Scalars", "Vectors"};
    for (size_t i = exports->count; i-- > first;) {
        active[exports->list[i].is_vector] = exports->list[i].name;
    }
    put(vtk, "      <PointData");
    for (size_t k = 0; k < 2; k++) {
        if (active[k]) {
            put(vtk, " %s=\"%s\"", kinds[k], active[k]);
        }
    }
    put(vtk, ">\n");
    for (size_t i = first; i < exports->count; i++) {
        const struct vks_export *array = &exports->list[i];
        put_array(vtk, array->is_integer ? "UInt32" : "Float32", array->name,
                  vks_export_components(array), count);
    }
    put(vtk, "      </PointData>\n");
}

/* --- the data -------------------------------------------------------------------------------- */

static void write_bytes(struct vtk *vtk, const void *data, uint64_t size)
{
    vtk->error = vtk->error ? vtk->error : vks_write_all(vtk->still->fd, data, size);
}

static void write_head(struct vtk *vtk, const char *type)
{
    put(vtk, "  </%s>\n  <AppendedData encoding=\"raw\">\n_", type);
    if (!vtk->no_memory) {
        write_bytes(vtk, vtk->head, vtk->size);
    }
}

static void write_length(struct vtk *vtk, uint64_t bytes)
{
    write_bytes(vtk, &bytes, sizeof(bytes));
}

/* Fractions of the sides as places; other words as they are. */
struct scale {
    bool of_places;
    double per_word[3]; /* x, y, z */
};

static void scale_words(const struct scale *scale, uint32_t component, const uint32_t *words,
                        uint64_t count, uint32_t *out, uint32_t stride)
{
    for (uint64_t i = 0; i < count; i++) {
        const float place = (float)(scale->per_word[component] * words[i]);
        memcpy(&out[i * stride], scale->of_places ? (const void *)&place : (const void *)&words[i],
               sizeof(*out));
    }
}

/* One array: its components along z, y and x, one after the other, become x, y, z of each element.
 */
static void write_array(struct vtk *vtk, const uint32_t *words, uint32_t components, uint64_t count,
                        const struct scale *scale)
{
    write_length(vtk, components * count * sizeof(*words));
    if (components == 1 && !scale->of_places) {
        write_bytes(vtk, words, count * sizeof(*words));
        return;
    }
    uint32_t *piece = malloc(PIECE * components * sizeof(*piece));
    vtk->no_memory = vtk->no_memory || !piece;
    for (uint64_t at = 0; piece && at < count; at += PIECE) {
        const uint64_t left = count - at < PIECE ? count - at : PIECE;
        for (uint32_t c = 0; c < components; c++) {
            scale_words(scale, c, words + (components - 1 - c) * count + at, left, piece + c,
                        components);
        }
        write_bytes(vtk, piece, left * components * sizeof(*piece));
    }
    free(piece);
}

static void write_arrays(struct vtk *vtk, const struct vks_exports *exports, unsigned plane,
                         uint64_t count, const struct scale *places)
{
    static const struct scale plain = {.of_places = false};
    const uint32_t *words = vtk->frame->planes[plane];
    for (size_t i = 0; i < exports->count; i++) {
        const uint32_t components = vks_export_components(&exports->list[i]);
        write_array(vtk, words, components, count, places && i == 0 ? places : &plain);
        words += components * count;
    }
}

static enum vks_result finish(struct vtk *vtk)
{
    static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
    write_bytes(vtk, tail, sizeof(tail) - 1);
    free(vtk->head);
    return vtk->no_memory ? vks_fail_memory()
           : vtk->error   ? vks_fail_write(vtk->still->path, vtk->error)
                          : VKS_OK;
}

/* --- files ----------------------------------------------------------------------------------- */

enum vks_result vks_vti_still(const struct vks_still *still, const struct vks_frame *frame)
{
    const struct vks_sink_params *params = still->params;
    const uint32_t *cells = frame->extents.cells;
    const uint64_t count = (uint64_t)cells[0] * cells[1] * cells[2];
    struct vtk vtk = {.still = still, .frame = frame};
    char extent[64], origin[32], spacing[32];
    snprintf(extent, sizeof(extent), "0 %" PRIu32 " 0 %" PRIu32 " 0 %" PRIu32, cells[0] - 1,
             cells[1] - 1, cells[2] - 1);
    vks_format_real(params->first_place, origin, sizeof(origin));
    vks_format_real(params->spacing, spacing, sizeof(spacing));
    put_start(&vtk, "ImageData");
    put(&vtk, "  <ImageData WholeExtent=\"%s\" Origin=\"%s %s %s\" Spacing=\"%s %s %s\">\n", extent,
        origin, origin, origin, spacing, spacing, spacing);
    put_time(&vtk);
    put(&vtk, "    <Piece Extent=\"%s\">\n", extent);
    put_point_data(&vtk, &params->cells, 0, count);
    put(&vtk, "    </Piece>\n");
    write_head(&vtk, "ImageData");
    write_arrays(&vtk, &params->cells, VKS_PLANE_CELLS, count, NULL);
    return finish(&vtk);
}

/* Each point is also a vertex: ParaView draws those. `first`: of the numbers. */
static void write_numbers(struct vtk *vtk, uint64_t count, uint32_t first)
{
    uint32_t *piece = malloc(PIECE * sizeof(*piece));
    vtk->no_memory = vtk->no_memory || !piece;
    write_length(vtk, count * sizeof(*piece));
    for (uint64_t at = 0; piece && at < count; at += PIECE) {
        const uint64_t left = count - at < PIECE ? count - at : PIECE;
        for (uint64_t i = 0; i < left; i++) {
            piece[i] = (uint32_t)(at + i) + first;
        }
        write_bytes(vtk, piece, left * sizeof(*piece));
    }
    free(piece);
}

enum vks_result vks_vtp_still(const struct vks_still *still, const struct vks_frame *frame)
{
    const struct vks_sink_params *params = still->params;
    const uint64_t count = frame->extents.items;
    struct vtk vtk = {.still = still, .frame = frame};
    struct scale places = {.of_places = true};
    for (size_t axis = 0; axis < 3; axis++) {
        places.per_word[axis] = params->grid[axis] * params->spacing * 0x1p-32;
    }
    put_start(&vtk, "PolyData");
    put(&vtk, "  <PolyData>\n");
    put_time(&vtk);
    put(&vtk,
        "    <Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfVerts=\"%" PRIu64
        "\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n      <Points>\n",
        count, count);
    put_array(&vtk, "Float32", params->items.list[0].name, 3, count);
    put(&vtk, "      </Points>\n");
    put_point_data(&vtk, &params->items, 1, count);
    put(&vtk, "      <Verts>\n");
    put_array(&vtk, "Int32", "connectivity", 1, count);
    put_array(&vtk, "Int32", "offsets", 1, count);
    put(&vtk, "      </Verts>\n    </Piece>\n");
    write_head(&vtk, "PolyData");
    write_arrays(&vtk, &params->items, VKS_PLANE_ITEMS, count, &places);
    write_numbers(&vtk, count, 0);
    write_numbers(&vtk, count, 1);
    return finish(&vtk);
}
