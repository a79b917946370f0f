/* SPDX-License-Identifier: MIT */
#include "bench/keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"

enum { MAX_FILE = 1 << 20, MAX_POINTS = 64 };

/* --- JSON ------------------------------------------------------------------------------------ */

json_t *vks_ceiling_json(const struct vks_ceiling *ceiling)
{
    json_t *object =
        json_pack("{s:s, s:s}", "name", ceiling->info->name, "unit", ceiling->info->unit);
    if (ceiling->missing) {
        if (object && json_object_set_new(object, "missing", json_string(ceiling->missing)) != 0) {
            json_decref(object);
            object = NULL;
        }
        return object;
    }
    object = vks_spread_json(object, &ceiling->value);
    json_t *points = json_array();
    bool whole =
        object && points &&
        (ceiling->bytes == 0 || json_object_set_new(object, "buffer_bytes",
                                                    json_integer((json_int_t)ceiling->bytes)) == 0);
    for (size_t i = 0; i < ceiling->point_count && whole; i++) {
        const struct vks_ceiling_point *point = &ceiling->points[i];
        json_t *entry = vks_spread_json(
            json_pack("{s:I}", "buffer_bytes", (json_int_t)point->bytes), &point->value);
        whole = entry && json_array_append_new(points, entry) == 0;
    }
    if (whole && ceiling->point_count > 0) {
        whole = json_object_set(object, "points", points) == 0;
    }
    json_decref(points);
    if (!whole) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

static bool read_spread(const json_t *object, struct vks_spread *spread)
{
    json_int_t samples = 0;
    /* Strict types: a damaged file may have anything. */
    if (json_unpack((json_t *)(uintptr_t)object, "{s:F, s:F, s:F, s:F, s:F, s:I}", "median",
                    &spread->median, "min", &spread->min, "max", &spread->max, "low_quartile",
                    &spread->low_quartile, "high_quartile", &spread->high_quartile, "samples",
                    &samples) != 0 ||
        samples < 1 || samples > VKS_MAX_REPEATS) {
        return false;
    }
    spread->samples = (uint32_t)samples;
    return vks_spread_is_valid(spread);
}

static bool read_bytes(const json_t *object, uint64_t *bytes)
{
    const json_int_t value = json_integer_value(json_object_get(object, "buffer_bytes"));
    *bytes = value > 0 ? (uint64_t)value : 0;
    return value >= 0;
}

/* Reads an entry into the zeroed ceiling; false if it is damaged. */
static bool read_ceiling(const json_t *object, struct vks_ceiling *ceiling)
{
    const json_t *points = json_object_get(object, "points");
    const size_t count = json_array_size(points);
    const char *unit = json_string_value(json_object_get(object, "unit"));
    if (!unit || strcmp(unit, ceiling->info->unit) != 0 || count > MAX_POINTS ||
        !read_spread(object, &ceiling->value) || !read_bytes(object, &ceiling->bytes)) {
        return false;
    }
    ceiling->points = count ? calloc(count, sizeof(*ceiling->points)) : NULL;
    if (count && !ceiling->points) {
        return false;
    }
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        struct vks_ceiling_point *point = &ceiling->points[i];
        const json_t *entry = json_array_get(points, i);
        if (!read_spread(entry, &point->value) || !read_bytes(entry, &point->bytes) ||
            point->bytes <= before) {
            return false;
        }
        before = point->bytes;
        ceiling->point_count++;
    }
    return true;
}

/* --- the file -------------------------------------------------------------------------------- */

/* The digest of the list of ceilings; false when memory ran out. */
static bool digest_of(const json_t *list, char hex[33])
{
    char *text = vks_json_dump(list, JSON_COMPACT | JSON_SORT_KEYS);
    if (text) {
        vks_digest_of(text, strlen(text), hex);
    }
    free(text);
    return text != NULL;
}

static bool has_text(const json_t *file, const char *key, const char *text)
{
    const char *found = json_string_value(json_object_get(file, key));
    return found && strcmp(found, text) == 0;
}

/* A file, and what it is of. */
struct place {
    char *path; /* NULL: nothing is kept */
    const char *device, *driver;
};

/* True if the file is whole, and of this version and device. */
static bool is_ours(const struct place *place, const json_t *file)
{
    const json_t *list = json_object_get(file, "ceilings");
    char hex[33];
    return has_text(file, "vksim", VKS_VERSION) && has_text(file, "device", place->device) &&
           has_text(file, "driver", place->driver) && json_is_array(list) && digest_of(list, hex) &&
           has_text(file, "digest", hex);
}

static void clear(struct vks_ceiling *ceiling)
{
    free(ceiling->points);
    *ceiling = (struct vks_ceiling){.info = ceiling->info, .missing = ceiling->missing};
}

static void read_list(const json_t *list, struct vks_ceilings *set)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(entry, "name"));
        for (size_t k = 0; name && k < set->count; k++) {
            struct vks_ceiling *ceiling = &set->items[k];
            if (strcmp(name, ceiling->info->name) == 0 && !ceiling->missing) {
                clear(ceiling);
                ceiling->kept = read_ceiling(entry, ceiling);
                if (!ceiling->kept) {
                    clear(ceiling);
                }
            }
        }
    }
}

static void read_file(const struct place *place, struct vks_ceilings *set)
{
    char *text = NULL;
    struct vks_error before; /* a missing file is not an error */
    vks_error_keep(VKS_OK, &before);
    if (place->path && vks_read_regular_file(place->path, MAX_FILE, &text, NULL) == VKS_OK) {
        json_t *file = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        if (is_ours(place, file)) {
            read_list(json_object_get(file, "ceilings"), set);
        } else {
            vks_message(VKS_LOG_VERBOSE, "'%s' is damaged or of another version or device: ignored",
                        place->path);
        }
        json_decref(file);
    }
    vks_fail_again(&before);
    free(text);
}

static void write_file(const struct place *place, const struct vks_ceilings *set)
{
    char *text = NULL, hex[33];
    json_t *list = json_array();
    for (size_t i = 0; list && i < set->count; i++) {
        if (set->items[i].value.samples > 0 &&
            json_array_append_new(list, vks_ceiling_json(&set->items[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    if (place->path && list && digest_of(list, hex)) {
        json_t *file =
            json_pack("{s:s, s:s, s:s, s:s, s:O}", "vksim", VKS_VERSION, "device", place->device,
                      "driver", place->driver, "digest", hex, "ceilings", list);
        text = vks_json_dump(file, JSON_INDENT(1));
        json_decref(file);
    }
    if (text) {
        vks_gpu_cache_keep(place->path, text, strlen(text));
    }
    json_decref(list);
    free(text);
}

/* --- of a device ------------------------------------------------------------------------------ */

/* Validation slows kernels down: then nothing is kept. */
static struct place place_of(const struct vks_gpu *gpu)
{
    return (struct place){
        .path = gpu->cache_path && !gpu->debug.messenger
                    ? vks_gpu_cache_name(gpu, "ceilings", "json")
                    : NULL,
        .device = gpu->info.name,
        .driver = gpu->info.driver,
    };
}

void vks_ceilings_read(const struct vks_gpu *gpu, struct vks_ceilings *set)
{
    const struct place place = place_of(gpu);
    read_file(&place, set);
    free(place.path);
}

void vks_ceilings_write(const struct vks_gpu *gpu, const struct vks_ceilings *set)
{
    const struct place place = place_of(gpu);
    write_file(&place, set);
    free(place.path);
}

/* --- of ranks --------------------------------------------------------------------------------- */

/* The UUIDs or drivers of devices; NULL without memory. */
static char *join(const struct vks_device_info *devices, size_t count, bool drivers)
{
    char *text = vks_strdup("");
    for (size_t i = 0; text && i < count; i++) {
        char *longer = vks_format("%s%s%s", text, i > 0 ? ", " : "",
                                  drivers ? devices[i].driver : devices[i].uuid);
        free(text);
        text = longer;
    }
    return text;
}

/* The place of ranks, with its texts. */
struct place_of_ranks {
    struct place place;
    char *uuids, *drivers;
};

static struct place_of_ranks place_of_ranks(const struct vks_device_info *devices, size_t count)
{
    struct place_of_ranks ranks = {.uuids = join(devices, count, false),
                                   .drivers = join(devices, count, true)};
    char hex[33], *file = NULL;
    if (ranks.uuids && ranks.drivers) {
        vks_digest_of(ranks.uuids, strlen(ranks.uuids), hex);
        file = vks_format("ranks-%s.json", hex);
    }
    ranks.place = (struct place){file ? vks_cache_name(file) : NULL, ranks.uuids, ranks.drivers};
    free(file);
    return ranks;
}

static void free_place_of_ranks(struct place_of_ranks *ranks)
{
    free(ranks->place.path);
    free(ranks->uuids);
    free(ranks->drivers);
}

void vks_ceilings_read_ranks(const struct vks_device_info *devices, size_t count,
                             struct vks_ceilings *set)
{
    struct place_of_ranks ranks = place_of_ranks(devices, count);
    read_file(&ranks.place, set);
    free_place_of_ranks(&ranks);
}

void vks_ceilings_write_ranks(const struct vks_device_info *devices, size_t count,
                              const struct vks_ceilings *set)
{
    struct place_of_ranks ranks = place_of_ranks(devices, count);
    write_file(&ranks.place, set);
    free_place_of_ranks(&ranks);
}
