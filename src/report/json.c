/* SPDX-License-Identifier: MIT */
/* A report as JSON. */
#include "report/report.h"

#include "report/conclude.h"

enum { MAX_TIMELINE = 4000 }; /* slices of "timeline" */

json_t *vks_report_string(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : json_string("?");
}

json_t *vks_report_command(const char *const *words, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++) {
        json_array_append_new(list, vks_report_string(words[i]));
    }
    return list;
}

static json_t *device(const struct vks_report *report)
{
    const struct vks_device_info *info = &report->device;
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:I}", "name", info->name, "driver", info->driver, "vulkan",
                  info->api_version, "uuid", info->uuid, "memory", (json_int_t)info->memory);
    if (object && report->timestamp_period > 0) {
        json_object_set_new(object, "timestamps",
                            json_pack("{s:f, s:i}", "period_ns", report->timestamp_period * 1e9,
                                      "valid_bits", (int)report->timestamp_bits));
    }
    return object;
}

static json_t *shares_of(const struct vks_pass_timing *pass, const struct vks_report *report,
                         bool cached, enum vks_limit *bound)
{
    double shares[VKS_LIMITS];
    json_t *object = json_object();
    vks_pass_shares(pass, report->ceilings, report->ceiling_count, shares);
    *bound = vks_pass_bound(shares, cached);
    for (size_t i = 0; object && i < VKS_LIMITS; i++) {
        if (shares[i] > 0) {
            json_object_set_new(object, vks_limit_ceiling((enum vks_limit)i), json_real(shares[i]));
        }
    }
    return object;
}

static json_t *list_passes(const struct vks_report *report)
{
    const double total = vks_report_passes(report);
    json_t *list = json_array();
    for (size_t i = 0; list && i < report->pass_count; i++) {
        const struct vks_pass_timing *pass = &report->passes[i];
        enum vks_limit bound;
        const bool cached = vks_pass_is_cached(pass, report->ceilings, report->ceiling_count);
        json_t *shares = shares_of(pass, report, cached, &bound);
        const json_t *copy = json_object_get(shares, "copy");
        const double of_copy = json_real_value(copy);
        json_array_append_new(
            list,
            json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
                      "s:f, s:o, s:b, s:s?}",
                      "name", pass->name, "calls", (json_int_t)pass->calls, "samples",
                      (json_int_t)pass->samples, "total_s", pass->total, "mean_s", pass->mean,
                      "p50_s", pass->p50, "p95_s", pass->p95, "min_s", pass->min, "max_s",
                      pass->max, "share", vks_share(pass->total, total), "bytes", pass->bytes,
                      "operations", pass->operations, "atomics", pass->atomics, "bytes_per_s",
                      vks_share(pass->bytes, pass->p50), "operations_per_s",
                      vks_share(pass->operations, pass->p50), "share_of_copy", of_copy, "ceilings",
                      shares, "cached", (int)cached, "bound",
                      bound == VKS_LIMIT_NONE ? NULL : vks_limit_name(bound)));
    }
    return list;
}

static json_t *list_ceilings(const struct vks_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < report->ceiling_count; i++) {
        const struct vks_report_ceiling *ceiling = &report->ceilings[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "name", ceiling->name, "unit",
                                              ceiling->unit, "median", ceiling->value));
    }
    return list;
}

/* Phases of each thread in which it spent time, then those of the GPU. */
static json_t *list_phases(const struct vks_report *report)
{
    const struct {
        enum vks_phase phase;
        double seconds;
        uint64_t count;
    } gpu[] = {
        {VKS_PHASE_SIMULATE, report->gpu_steps, report->steps},
        {VKS_PHASE_DRAW, report->gpu_frames, report->frames},
        {VKS_PHASE_COPY, report->copies, report->encoded ? report->frames : 0},
    };
    json_t *list = json_array();
    const struct vks_thread_profile *thread = report->profile->threads;
    for (; list && thread; thread = thread->next) {
        for (int i = 0; i < VKS_PHASES; i++) {
            if (thread->count[i] > 0) {
                json_array_append_new(
                    list, json_pack("{s:s, s:s, s:f, s:I}", "thread", thread->name, "name",
                                    vks_phase_name((enum vks_phase)i), "seconds",
                                    thread->seconds[i], "count", (json_int_t)thread->count[i]));
            }
        }
    }
    for (size_t i = 0; list && i < sizeof(gpu) / sizeof(gpu[0]); i++) {
        if (gpu[i].seconds > 0) {
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:f, s:I}", "thread", "GPU", "name",
                                            vks_phase_name(gpu[i].phase), "seconds", gpu[i].seconds,
                                            "count", (json_int_t)gpu[i].count));
        }
    }
    return list;
}

static json_t *list_batches(const struct vks_profile *profile)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < profile->batch_count; i++) {
        const struct vks_batch_time *time = &profile->batches[i];
        json_array_append_new(
            list, json_pack("{s:I, s:I, s:f, s:f, s:f}", "step", (json_int_t)time->step, "steps",
                            (json_int_t)time->steps, "seconds", time->seconds / (double)time->steps,
                            "min_s", time->min, "max_s", time->max));
    }
    return list;
}

static bool is_in_timeline(const struct vks_slice *slice)
{
    return slice->kind != VKS_SLICE_BATCH;
}

/* The earliest begin; copies are recorded by another thread, so slices are not in order. */
static uint64_t find_origin(const struct vks_report *report)
{
    const struct vks_profile *profile = report->profile;
    bool any = false;
    uint64_t origin = 0;
    for (size_t i = 0; i < profile->slice_count; i++) {
        const struct vks_slice *slice = &profile->slices[i];
        const uint64_t before = (origin - slice->begin) & report->timestamp_mask;
        if (is_in_timeline(slice) && (!any || before < report->timestamp_mask / 2)) {
            origin = slice->begin;
            any = true;
        }
    }
    return origin;
}

/* The slices of the passes and copies that were traced, with times from the first of them. */
static json_t *list_timeline(const struct vks_report *report)
{
    const struct vks_profile *profile = report->profile;
    json_t *list = json_array();
    const uint64_t origin = find_origin(report);
    size_t used = 0;
    for (size_t i = 0; list && i < profile->slice_count && used < MAX_TIMELINE; i++) {
        const struct vks_slice *slice = &profile->slices[i];
        if (!is_in_timeline(slice)) {
            continue;
        }
        used++;
        const double begin = (double)((slice->begin - origin) & report->timestamp_mask);
        const double end = (double)((slice->end - origin) & report->timestamp_mask);
        json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:f}", "pass", slice->name, "step",
                                              (json_int_t)slice->step, "begin_s",
                                              begin * report->timestamp_period, "end_s",
                                              end * report->timestamp_period));
    }
    return list;
}

static json_t *list_watched(const struct vks_report *report)
{
    json_t *watched = json_object();
    for (size_t i = 0; watched && i < report->watched_count; i++) {
        json_t *value = json_real(report->watched[i].value); /* NULL if it is not finite */
        json_object_set_new(watched, report->watched[i].name, value ? value : json_null());
    }
    return watched;
}

static json_t *list_memory(const struct vks_report *report)
{
    json_t *memory = json_pack("{s:I, s:I}", "allocated_bytes", (json_int_t)report->allocated,
                               "peak_bytes", (json_int_t)report->peak);
    if (memory && report->budget_known) {
        json_object_set_new(memory, "budget_bytes", json_integer((json_int_t)report->budget));
        json_object_set_new(memory, "free_bytes", json_integer((json_int_t)report->free));
    }
    return memory;
}

static json_t *list_encoding(const struct vks_report *report)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "gpu_waits_s", report->gpu_waits,
                     "encoder_waits_s", report->encoder_waits, "copies_s", report->copies,
                     "encoder_busy_s", report->encoder_busy, "digest_busy_s", report->digest_busy,
                     "gpu_busy_s", vks_report_busy(report), "ending_s", report->ending,
                     "over_slower_side", vks_report_over_slower_side(report));
}

json_t *vks_report_json(const struct vks_report *report)
{
    const double copy = vks_find_ceiling(report->ceilings, report->ceiling_count, "copy");
    json_t *root = json_pack(
        "{s:s, s:o, s:s, s:i, s:i, s:i, s:o, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i, "
        "s:o, s:o, s:o, s:I}",
        "version", VKS_VERSION, "command",
        vks_report_command(report->command, report->command_count), "simulation", report->model,
        "width", (int)report->width, "height", (int)report->height, "depth", (int)report->depth,
        "device", device(report), "steps", (json_int_t)report->steps, "frames",
        (json_int_t)report->frames, "wall_s", report->wall, "seconds", report->seconds, "step_s",
        report->step_seconds, "copy_bytes_per_s", copy, "startup_s", report->startup,
        "first_frame_s", report->first_frame, "pipelines", (int)report->pipelines,
        "pipelines_cached", (int)report->pipelines_cached, "memory", list_memory(report), "passes",
        list_passes(report), "ceilings", list_ceilings(report), "dropped_samples",
        (json_int_t)report->dropped);
    bool complete = root != NULL;
    const struct {
        const char *key;
        bool has;
        json_t *(*list)(const struct vks_report *report);
    } parts[] = {
        {"phases", report->profile != NULL, list_phases},
        {"timeline", report->profile && report->profile->slice_count > 0, list_timeline},
        {"watched", report->watched_count > 0, list_watched},
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && complete; i++) {
        complete =
            !parts[i].has || json_object_set_new(root, parts[i].key, parts[i].list(report)) == 0;
    }
    if (complete && report->profile && report->profile->batch_count > 0) {
        complete = json_object_set_new(root, "step_times", list_batches(report->profile)) == 0;
    }
    if (complete && report->encoded) {
        complete = json_object_update_new(root, list_encoding(report)) == 0;
    }
    if (!complete || !vks_report_conclude(root)) {
        json_decref(root);
        return NULL;
    }
    return root;
}
