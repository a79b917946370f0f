/* SPDX-License-Identifier: MIT */
/* Heights as files: 16-bit pictures and words, caves, and meshes (glTF, STL, PLY). All but .png are
 * little-endian. docs/terrain.md. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "frames/still.h"
#include "io/npy.h"

/* --- bytes ----------------------------------------------------------------------------------- */

enum { BUFFER = 1 << 16 };

struct writer {
    int fd, error; /* errno of the first failure */
    size_t used;
    uint8_t bytes[BUFFER];
};

static void flush(struct writer *writer)
{
    if (writer->error == 0) {
        writer->error = vks_write_all(writer->fd, writer->bytes, writer->used);
    }
    writer->used = 0;
}

static void put(struct writer *writer, const void *data, size_t size)
{
    for (const uint8_t *at = data; size > 0;) {
        const size_t room = BUFFER - writer->used, part = size < room ? size : room;
        memcpy(writer->bytes + writer->used, at, part);
        writer->used += part;
        at += part;
        size -= part;
        if (writer->used == BUFFER) {
            flush(writer);
        }
    }
}

static void put16(struct writer *writer, uint32_t value)
{
    put(writer, (uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, 2);
}

static void put32(struct writer *writer, uint32_t value)
{
    put16(writer, value & 0xffff);
    put16(writer, value >> 16);
}

static void put_float(struct writer *writer, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put32(writer, bits);
}

/* --- a frame's terrain ----------------------------------------------------------------------- */

struct heights {
    uint32_t width, height;
    uint32_t *values;
    uint8_t *levels; /* NULL: there are none */
};

static enum vks_result shape(const struct vks_still *still, const struct vks_frame *frame,
                             struct heights *heights)
{
    const size_t count = (size_t)frame->width * frame->height;
    *heights = (struct heights){
        .width = frame->width, .height = frame->height, .values = malloc(count * sizeof(uint32_t))};
    if (!heights->values) {
        return vks_fail_memory();
    }
    memcpy(heights->values, frame->planes[VKS_PLANE_HEIGHTS], count * sizeof(uint32_t));
    return vks_terrain_shape(&still->params->terrain, heights->values, frame->width, frame->height,
                             &heights->levels);
}

static void free_heights(struct heights *heights)
{
    free(heights->values);
    free(heights->levels);
}

/* --- words and pictures ---------------------------------------------------------------------- */

enum vks_result vks_r16_still(const struct vks_still *still, const struct vks_frame *frame)
{
    struct heights heights;
    struct writer *writer = calloc(1, sizeof(*writer));
    enum vks_result result = writer ? shape(still, frame, &heights) : vks_fail_memory();
    if (result == VKS_OK) {
        writer->fd = still->fd;
        for (size_t i = 0; i < (size_t)heights.width * heights.height; i++) {
            put16(writer, heights.values[i]);
        }
        flush(writer);
        result = writer->error ? vks_fail_write(still->path, writer->error) : VKS_OK;
    }
    if (writer) {
        free_heights(&heights);
    }
    free(writer);
    return result;
}

/* A grey PNG of 16 bits; frees the values. */
static enum vks_result write_grey(const struct vks_still *still, const struct vks_frame *frame,
                                  const uint32_t *values)
{
    const struct vks_png_params params = {.path = still->path,
                                          .fd = still->fd,
                                          .width = frame->width,
                                          .height = frame->height,
                                          .deep = true,
                                          .grey = true,
                                          .origin = &still->params->origin,
                                          .step = frame->step,
                                          .index = frame->index};
    uint16_t *row = malloc(frame->width * sizeof(*row));
    struct vks_png *png = NULL;
    enum vks_result result = row ? vks_png_begin(&params, &png) : vks_fail_memory();
    for (uint32_t y = 0; result == VKS_OK && y < frame->height; y++) {
        for (uint32_t x = 0; x < frame->width; x++) {
            row[x] = (uint16_t)values[(size_t)y * frame->width + x];
        }
        result = vks_png_write(png, row, 1);
    }
    if (result == VKS_OK) {
        result = vks_png_end(png);
    }
    vks_png_free(png);
    free(row);
    return result;
}

enum vks_result vks_heights_still(const struct vks_still *still, const struct vks_frame *frame)
{
    struct heights heights;
    enum vks_result result = shape(still, frame, &heights);
    if (result == VKS_OK) {
        result = write_grey(still, frame, heights.values);
    }
    free_heights(&heights);
    return result;
}

/* --- caves ----------------------------------------------------------------------------------- */

/* A cave: its label and where it lies. */
struct cave {
    uint32_t label, cells;
    uint32_t left, top, right, bottom; /* its cells' bounds, inclusive */
    double x, y;                       /* sums over its cells, then their means */
};

/* Numbers the caves from 1 on in order of their labels, which are replaced by these numbers. *caves
 * is to be freed. */
static enum vks_result list_caves(const struct vks_frame *frame, uint32_t *labels,
                                  struct cave **caves, size_t *count)
{
    const size_t pixels = (size_t)frame->width * frame->height;
    *count = 0;
    for (size_t i = 0; i < pixels; i++) {
        *count += labels[i] == i + 1;
    }
    *caves = calloc(*count + 1, sizeof(**caves));
    if (!*caves) {
        return vks_fail_memory();
    }
    size_t found = 0;
    for (size_t i = 0; i < pixels; i++) {
        const uint32_t x = (uint32_t)(i % frame->width), y = (uint32_t)(i / frame->width);
        if (labels[i] == 0) {
            continue;
        }
        if (labels[i] == i + 1) {
            (*caves)[found++] = (struct cave){.label = labels[i], .left = x, .top = y};
        }
        /* The first cell has its number already, unless this is it. */
        labels[i] = labels[i] == i + 1 ? (uint32_t)found : labels[labels[i] - 1];
        struct cave *cave = &(*caves)[labels[i] - 1];
        cave->cells++;
        cave->left = x < cave->left ? x : cave->left;
        cave->right = x > cave->right ? x : cave->right;
        cave->bottom = y;
        cave->x += x;
        cave->y += y;
    }
    for (size_t i = 0; i < *count; i++) {
        (*caves)[i].x /= (*caves)[i].cells;
        (*caves)[i].y /= (*caves)[i].cells;
    }
    return VKS_OK;
}

static enum vks_result find_caves(const struct vks_still *still, const struct vks_frame *frame,
                                  uint32_t **labels)
{
    struct heights heights;
    *labels = NULL;
    enum vks_result result = shape(still, frame, &heights);
    if (result == VKS_OK) {
        result = vks_terrain_caves(&still->params->terrain, heights.levels, frame->width,
                                   frame->height, labels);
    }
    free_heights(&heights);
    return result;
}

enum vks_result vks_caves_png_still(const struct vks_still *still, const struct vks_frame *frame)
{
    uint32_t *labels;
    struct cave *caves = NULL;
    size_t count = 0;
    enum vks_result result = find_caves(still, frame, &labels);
    if (result == VKS_OK) {
        result = list_caves(frame, labels, &caves, &count);
    }
    if (result == VKS_OK && count > VKS_MAX_HEIGHT) {
        result =
            vks_fail(VKS_ERROR_FILE,
                     "cannot write '%s': a picture of 16 bits has room for %d caves, and there "
                     "are %zu; use .npy, or a larger --cave-min",
                     still->path, VKS_MAX_HEIGHT, count);
    }
    if (result == VKS_OK) {
        result = write_grey(still, frame, labels);
    }
    free(caves);
    free(labels);
    return result;
}

enum vks_result vks_caves_npy_still(const struct vks_still *still, const struct vks_frame *frame)
{
    uint8_t header[VKS_NPY_HEADER_WRITTEN];
    uint32_t *labels;
    const uint64_t size[2] = {frame->height, frame->width};
    enum vks_result result = find_caves(still, frame, &labels);
    if (result == VKS_OK) {
        const size_t length = vks_npy_format(header, 'u', 4, 2, size);
        int error = vks_write_all(still->fd, header, length);
        error = error ? error : vks_write_all(still->fd, labels, size[0] * size[1] * 4);
        result = error ? vks_fail_write(still->path, error) : VKS_OK;
    }
    free(labels);
    return result;
}

enum vks_result vks_caves_csv_still(const struct vks_still *still, const struct vks_frame *frame)
{
    static const char head[] = "cave,label,cells,left,top,right,bottom,x,y\n";
    uint32_t *labels;
    struct cave *caves = NULL;
    size_t count = 0;
    enum vks_result result = find_caves(still, frame, &labels);
    if (result == VKS_OK) {
        result = list_caves(frame, labels, &caves, &count);
    }
    if (result == VKS_OK) {
        int error = vks_write_all(still->fd, head, sizeof(head) - 1);
        for (size_t i = 0; error == 0 && i < count; i++) {
            const struct cave *cave = &caves[i];
            char line[160];
            const int length = snprintf(line, sizeof(line),
                                        "%zu,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
                                        ",%" PRIu32 ",%" PRIu32 ",%.2f,%.2f\n",
                                        i + 1, cave->label, cave->cells, cave->left, cave->top,
                                        cave->right, cave->bottom, cave->x, cave->y);
            error = vks_write_all(still->fd, line, (size_t)length);
        }
        result = error ? vks_fail_write(still->path, error) : VKS_OK;
    }
    free(caves);
    free(labels);
    return result;
}

/* --- meshes ---------------------------------------------------------------------------------- */

/* A mesh of the picture: a vertex per pixel, y up, and two triangles between four pixels. A solid
 * one also has, in this order, three vertices per pixel of the border, walked clockwise: the upper
 * and the lower one of the sides, and the one of the bottom; and last the bottom's centre. */
struct mesh {
    struct heights heights;
    const uint8_t *rgba; /* NULL: no colours */
    double size, relief, base;
    uint64_t pixels, border; /* border 0: not solid */
};

struct vertex {
    float position[3], normal[3];
    uint8_t rgba[4];
};

static uint64_t border_of(const struct vks_terrain *terrain, uint32_t width, uint32_t height)
{
    return terrain->base > 0 ? 2 * ((uint64_t)width - 1 + height - 1) : 0;
}

uint64_t vks_mesh_vertices(const struct vks_terrain *terrain, uint32_t width, uint32_t height)
{
    const uint64_t border = border_of(terrain, width, height);
    return (uint64_t)width * height + (border > 0 ? 3 * border + 1 : 0);
}

static uint64_t triangles_of(const struct mesh *mesh)
{
    return 2 * (uint64_t)(mesh->heights.width - 1) * (mesh->heights.height - 1) + 3 * mesh->border;
}

/* Pixel number i of the border. */
static void walk(const struct mesh *mesh, uint64_t i, uint32_t *x, uint32_t *y)
{
    const uint32_t right = mesh->heights.width - 1, bottom = mesh->heights.height - 1;
    i %= mesh->border;
    if (i < right) {
        *x = (uint32_t)i, *y = 0;
    } else if (i < (uint64_t)right + bottom) {
        *x = right, *y = (uint32_t)(i - right);
    } else if (i < 2 * (uint64_t)right + bottom) {
        *x = (uint32_t)(2 * (uint64_t)right + bottom - i), *y = bottom;
    } else {
        *x = 0, *y = (uint32_t)(mesh->border - i);
    }
}

static double height_at(const struct mesh *mesh, uint32_t x, uint32_t y)
{
    return mesh->heights.values[(size_t)y * mesh->heights.width + x] / (double)VKS_MAX_HEIGHT *
           mesh->relief * mesh->size;
}

static void set_normal(struct vertex *vertex, double x, double y, double z)
{
    const double length = sqrt(x * x + y * y + z * z);
    vertex->normal[0] = (float)(x / length);
    vertex->normal[1] = (float)(y / length);
    vertex->normal[2] = (float)(z / length);
}

static struct vertex vertex_of_pixel(const struct mesh *mesh, uint32_t x, uint32_t y)
{
    const uint32_t left = x > 0 ? x - 1 : x, right = x + 1 < mesh->heights.width ? x + 1 : x;
    const uint32_t above = y > 0 ? y - 1 : y, below = y + 1 < mesh->heights.height ? y + 1 : y;
    struct vertex vertex = {.position = {(float)(x * mesh->size), (float)height_at(mesh, x, y),
                                         (float)(y * mesh->size)},
                            .rgba = {255, 255, 255, 255}};
    const double across = right > left ? (height_at(mesh, right, y) - height_at(mesh, left, y)) /
                                             ((right - left) * mesh->size)
                                       : 0;
    const double down = below > above ? (height_at(mesh, x, below) - height_at(mesh, x, above)) /
                                            ((below - above) * mesh->size)
                                      : 0;
    set_normal(&vertex, -across, 1, -down);
    if (mesh->rgba) {
        memcpy(vertex.rgba, mesh->rgba + 4 * ((size_t)y * mesh->heights.width + x), 3);
    }
    return vertex;
}

static struct vertex vertex_at(const struct mesh *mesh, uint64_t i)
{
    const uint32_t width = mesh->heights.width, height = mesh->heights.height;
    struct vertex vertex;
    uint32_t x = 0, y = 0;
    if (i < mesh->pixels) {
        return vertex_of_pixel(mesh, (uint32_t)(i % width), (uint32_t)(i / width));
    }
    i -= mesh->pixels;
    if (i < 3 * mesh->border) {
        walk(mesh, i / 3, &x, &y);
    }
    vertex = vertex_of_pixel(mesh, x, y);
    if (i == 3 * mesh->border) {
        vertex.position[0] = (float)((width - 1) / 2.0 * mesh->size);
        vertex.position[2] = (float)((height - 1) / 2.0 * mesh->size);
    }
    if (i % 3 != 0 || i == 3 * mesh->border) {
        vertex.position[1] = (float)(-mesh->base * mesh->size);
    }
    if (i % 3 == 2 || i == 3 * mesh->border) {
        set_normal(&vertex, 0, -1, 0);
    } else {
        set_normal(&vertex,
                   x == 0           ? -1
                   : x == width - 1 ? 1
                                    : 0,
                   0,
                   y == 0            ? -1
                   : y == height - 1 ? 1
                                     : 0);
    }
    return vertex;
}

/* The corners of triangle i, seen from outside counterclockwise. */
static void triangle_at(const struct mesh *mesh, uint64_t i, uint32_t corners[3])
{
    const uint32_t width = mesh->heights.width;
    const uint64_t quads = (uint64_t)(width - 1) * (mesh->heights.height - 1);
    uint64_t three[3];
    if (i < 2 * quads) {
        const uint64_t quad = i / 2, y = quad / (width - 1), x = quad % (width - 1);
        const uint64_t a = y * width + x, b = a + 1, c = a + width, d = c + 1;
        memcpy(three, i % 2 == 0 ? (uint64_t[]){a, d, b} : (uint64_t[]){a, c, d}, sizeof(three));
    } else {
        const uint64_t rest = i - 2 * quads, side = rest / 3;
        const uint64_t here = mesh->pixels + 3 * side;
        const uint64_t next = mesh->pixels + 3 * ((side + 1) % mesh->border);
        const uint64_t all[3][3] = {{here, next, next + 1},
                                    {here, next + 1, here + 1},
                                    {here + 2, next + 2, mesh->pixels + 3 * mesh->border}};
        memcpy(three, all[rest % 3], sizeof(three));
    }
    for (size_t k = 0; k < 3; k++) {
        corners[k] = (uint32_t)three[k];
    }
}

/* --- glTF ------------------------------------------------------------------------------------ */

enum { GLTF_MAGIC = 0x46546c67, GLTF_JSON = 0x4e4f534a, GLTF_BIN = 0x004e4942 };
enum { FLOAT = 5126, UNSIGNED_BYTE = 5121, UNSIGNED_INT = 5125 }; /* component types */
enum { ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963 };

static json_t *buffer_view(uint64_t offset, uint64_t bytes, int target)
{
    return json_pack("{s:i, s:I, s:I, s:i}", "buffer", 0, "byteOffset", (json_int_t)offset,
                     "byteLength", (json_int_t)bytes, "target", target);
}

/* The JSON chunk, padded with blanks to four bytes; NULL when memory ran out. */
static char *gltf_header(const struct mesh *mesh, uint64_t vertices, uint64_t indices)
{
    float low[3], high[3];
    for (uint64_t i = 0; i < vertices; i++) {
        const struct vertex vertex = vertex_at(mesh, i);
        for (size_t k = 0; k < 3; k++) {
            low[k] = i == 0 || vertex.position[k] < low[k] ? vertex.position[k] : low[k];
            high[k] = i == 0 || vertex.position[k] > high[k] ? vertex.position[k] : high[k];
        }
    }
    const json_int_t count = (json_int_t)vertices;
    json_t *root = json_pack(
        "{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:[{s:i}], s:[{s:[{s:{s:i, s:i, s:i}, s:i, s:i}]}],"
        " s:[{s:{s:f, s:f}}],"
        " s:[{s:i, s:i, s:I, s:s, s:[f,f,f], s:[f,f,f]}, {s:i, s:i, s:I, s:s},"
        " {s:i, s:i, s:b, s:I, s:s}, {s:i, s:i, s:I, s:s}],"
        " s:[o, o, o, o], s:[{s:I}]}",
        "asset", "version", "2.0", "generator", "vksim " VKS_VERSION, "scene", 0, "scenes", "nodes",
        0, "nodes", "mesh", 0, "meshes", "primitives", "attributes", "POSITION", 0, "NORMAL", 1,
        "COLOR_0", 2, "indices", 3, "material", 0, "materials", "pbrMetallicRoughness",
        "metallicFactor", 0.0, "roughnessFactor", 1.0, "accessors", "bufferView", 0,
        "componentType", FLOAT, "count", count, "type", "VEC3", "min", (double)low[0],
        (double)low[1], (double)low[2], "max", (double)high[0], (double)high[1], (double)high[2],
        "bufferView", 1, "componentType", FLOAT, "count", count, "type", "VEC3", "bufferView", 2,
        "componentType", UNSIGNED_BYTE, "normalized", 1, "count", count, "type", "VEC4",
        "bufferView", 3, "componentType", UNSIGNED_INT, "count", (json_int_t)indices, "type",
        "SCALAR", "bufferViews", buffer_view(0, 12 * vertices, ARRAY_BUFFER),
        buffer_view(12 * vertices, 12 * vertices, ARRAY_BUFFER),
        buffer_view(24 * vertices, 4 * vertices, ARRAY_BUFFER),
        buffer_view(28 * vertices, 4 * indices, ELEMENT_ARRAY_BUFFER), "buffers", "byteLength",
        (json_int_t)(28 * vertices + 4 * indices));
    char *text = root ? vks_json_dump(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    char *padded =
        text ? vks_format("%s%.*s", text, (int)((4 - strlen(text) % 4) % 4), "   ") : NULL;
    free(text);
    json_decref(root);
    return padded;
}

static enum vks_result write_gltf(const struct mesh *mesh, struct writer *writer)
{
    const uint64_t vertices = mesh->pixels + (mesh->border ? 3 * mesh->border + 1 : 0);
    const uint64_t triangles = triangles_of(mesh), bytes = 28 * vertices + 12 * triangles;
    char *header = gltf_header(mesh, vertices, 3 * triangles);
    if (!header) {
        return vks_fail_memory();
    }
    const uint32_t length = (uint32_t)strlen(header);
    put32(writer, GLTF_MAGIC);
    put32(writer, 2);
    put32(writer, (uint32_t)(12 + 8 + length + 8 + bytes));
    put32(writer, length);
    put32(writer, GLTF_JSON);
    put(writer, header, length);
    free(header);
    put32(writer, (uint32_t)bytes);
    put32(writer, GLTF_BIN);
    for (int part = 0; part < 3; part++) {
        for (uint64_t i = 0; i < vertices && writer->error == 0; i++) {
            const struct vertex vertex = vertex_at(mesh, i);
            for (size_t k = 0; part < 2 && k < 3; k++) {
                put_float(writer, part == 0 ? vertex.position[k] : vertex.normal[k]);
            }
            if (part == 2) {
                put(writer, vertex.rgba, 4);
            }
        }
    }
    for (uint64_t i = 0; i < triangles && writer->error == 0; i++) {
        uint32_t corners[3];
        triangle_at(mesh, i, corners);
        for (size_t k = 0; k < 3; k++) {
            put32(writer, corners[k]);
        }
    }
    return VKS_OK;
}

/* --- STL and PLY ----------------------------------------------------------------------------- */

static enum vks_result write_stl(const struct mesh *mesh, struct writer *writer)
{
    char head[80] = "vksim " VKS_VERSION;
    const uint64_t triangles = triangles_of(mesh);
    put(writer, head, sizeof(head));
    put32(writer, (uint32_t)triangles);
    for (uint64_t i = 0; i < triangles && writer->error == 0; i++) {
        uint32_t corners[3];
        struct vertex three[3], face;
        double edges[2][3];
        triangle_at(mesh, i, corners);
        for (size_t k = 0; k < 3; k++) {
            three[k] = vertex_at(mesh, corners[k]);
        }
        for (size_t k = 0; k < 3; k++) {
            edges[0][k] = (double)three[1].position[k] - (double)three[0].position[k];
            edges[1][k] = (double)three[2].position[k] - (double)three[0].position[k];
        }
        set_normal(&face, edges[0][1] * edges[1][2] - edges[0][2] * edges[1][1],
                   edges[0][2] * edges[1][0] - edges[0][0] * edges[1][2],
                   edges[0][0] * edges[1][1] - edges[0][1] * edges[1][0]);
        for (size_t k = 0; k < 3; k++) {
            put_float(writer, face.normal[k]);
        }
        for (size_t k = 0; k < 9; k++) {
            put_float(writer, three[k / 3].position[k % 3]);
        }
        put16(writer, 0);
    }
    return VKS_OK;
}

static enum vks_result write_ply(const struct mesh *mesh, struct writer *writer)
{
    const uint64_t vertices = mesh->pixels + (mesh->border ? 3 * mesh->border + 1 : 0);
    const uint64_t triangles = triangles_of(mesh);
    char *head = vks_format(
        "ply\nformat binary_little_endian 1.0\ncomment vksim %s\nelement vertex %" PRIu64
        "\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float "
        "ny\nproperty float nz\nproperty uchar red\nproperty uchar green\nproperty uchar "
        "blue\nelement face %" PRIu64 "\nproperty list uchar uint vertex_indices\nend_header\n",
        VKS_VERSION, vertices, triangles);
    if (!head) {
        return vks_fail_memory();
    }
    put(writer, head, strlen(head));
    free(head);
    for (uint64_t i = 0; i < vertices && writer->error == 0; i++) {
        const struct vertex vertex = vertex_at(mesh, i);
        for (size_t k = 0; k < 6; k++) {
            put_float(writer, k < 3 ? vertex.position[k] : vertex.normal[k - 3]);
        }
        put(writer, vertex.rgba, 3);
    }
    for (uint64_t i = 0; i < triangles && writer->error == 0; i++) {
        uint32_t corners[3];
        triangle_at(mesh, i, corners);
        put(writer, (uint8_t[]){3}, 1);
        for (size_t k = 0; k < 3; k++) {
            put32(writer, corners[k]);
        }
    }
    return VKS_OK;
}

static enum vks_result write_mesh(const struct vks_still *still, const struct vks_frame *frame,
                                  enum vks_result (*write)(const struct mesh *mesh,
                                                           struct writer *writer))
{
    const struct vks_terrain *terrain = &still->params->terrain;
    struct mesh mesh = {.rgba = frame->planes[VKS_PLANE_RGBA],
                        .size = terrain->size,
                        .relief = terrain->relief,
                        .base = terrain->base,
                        .pixels = (uint64_t)frame->width * frame->height,
                        .border = border_of(terrain, frame->width, frame->height)};
    struct writer *writer = calloc(1, sizeof(*writer));
    enum vks_result result = writer ? shape(still, frame, &mesh.heights) : vks_fail_memory();
    if (result == VKS_OK) {
        writer->fd = still->fd;
        result = write(&mesh, writer);
        flush(writer);
    }
    if (result == VKS_OK && writer->error) {
        result = vks_fail_write(still->path, writer->error);
    }
    free_heights(&mesh.heights);
    free(writer);
    return result;
}

enum vks_result vks_glb_still(const struct vks_still *still, const struct vks_frame *frame)
{
    return write_mesh(still, frame, write_gltf);
}

enum vks_result vks_stl_still(const struct vks_still *still, const struct vks_frame *frame)
{
    return write_mesh(still, frame, write_stl);
}

enum vks_result vks_ply_still(const struct vks_still *still, const struct vks_frame *frame)
{
    return write_mesh(still, frame, write_ply);
}
