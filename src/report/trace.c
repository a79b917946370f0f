/* SPDX-License-Identifier: MIT */
#include "report/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"

enum { HOST = 1, GPU = 2 };     /* processes */
enum { QUEUE = 1, COPIES = 2 }; /* threads of the GPU */

/* A trace being written. */
struct trace {
    FILE *out;
    const struct vks_report *report;
    const struct vks_profile *profile;
    bool started; /* an event has been written */
};

/* --- events ---------------------------------------------------------------------------------- */

/* Begins an event; the caller adds members and closes the brace. */
static void begin_event(struct trace *trace, const char *kind, int process, size_t thread)
{
    fprintf(trace->out, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%zu", trace->started ? "," : "",
            kind, process, thread);
    trace->started = true;
}

/* Whole nanoseconds since the process started. */
static long long nanos(const struct trace *trace, double time)
{
    const long long since = llround((time - trace->profile->begin) * 1e9);
    return since > 0 ? since : 0;
}

/* A member of that name, in microseconds. */
static void write_time(struct trace *trace, const char *name, long long time)
{
    fprintf(trace->out, ",\"%s\":%lld.%03lld", name, time / 1000, time % 1000);
}

static void write_string(FILE *out, const char *text)
{
    json_t *string = vks_report_string(text);
    char *escaped = string ? vks_json_dump(string, JSON_ENCODE_ANY) : NULL;
    fputs(escaped ? escaped : "\"?\"", out); /* no memory */
    free(escaped);
    json_decref(string);
}

static void name_track(struct trace *trace, const char *what, int process, size_t thread,
                       const char *name)
{
    begin_event(trace, "M", process, thread);
    fprintf(trace->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    write_string(trace->out, name);
    fputs("}}", trace->out);
}

/* "step" and "frame" of an event, and its end. */
static void write_numbers(struct trace *trace, uint64_t step, uint64_t frame)
{
    if (step == VKS_NO_NUMBER && frame == VKS_NO_NUMBER) {
        fputs("}", trace->out);
        return;
    }
    const char *separator = "";
    fputs(",\"args\":{", trace->out);
    if (step != VKS_NO_NUMBER) {
        fprintf(trace->out, "\"step\":%" PRIu64, step);
        separator = ",";
    }
    if (frame != VKS_NO_NUMBER) {
        fprintf(trace->out, "%s\"frame\":%" PRIu64, separator, frame);
    }
    fputs("}}", trace->out);
}

/* A slice. Viewers add the duration to the beginning as floating-point numbers, and some take the
 * smallest overlap for nesting, so it ends `margin` nanoseconds early: before the next one begins,
 * and before the one around it ends. */
static void write_slice(struct trace *trace, int process, size_t thread, const char *category,
                        const char *name, double begin, double end, int margin)
{
    begin_event(trace, "X", process, thread);
    fprintf(trace->out, ",\"cat\":\"%s\",\"name\":", category);
    write_string(trace->out, name);
    const long long first = nanos(trace, begin), last = nanos(trace, end) - margin;
    write_time(trace, "ts", first);
    write_time(trace, "dur", last > first ? last - first : 0);
}

/* One end of an arrow, at a time within a slice of that track. */
static void write_arrow(struct trace *trace, bool end, int process, size_t thread,
                        const char *category, uint64_t id, double time)
{
    begin_event(trace, end ? "f" : "s", process, thread);
    fprintf(trace->out, ",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%" PRIu64, category, category, id);
    write_time(trace, "ts", nanos(trace, time));
    fputs(end ? ",\"bp\":\"e\"}" : "}", trace->out);
}

/* --- threads --------------------------------------------------------------------------------- */

/* By their beginnings; the enclosing span first. */
static int compare_spans(const void *a, const void *b)
{
    const struct vks_span *x = a, *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return (x->end < y->end) - (x->end > y->end);
}

/* Slices by submission, passes in order of time. */
static int compare_slices(const void *a, const void *b)
{
    const struct vks_slice *x = a, *y = b;
    if (x->submission != y->submission) {
        return x->submission < y->submission ? -1 : 1;
    }
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The first slice of that kind in a submission; NULL if there is none. */
static const struct vks_slice *find_slice(const struct vks_profile *profile, uint64_t submission,
                                          enum vks_slice_kind kind)
{
    size_t low = 0, high = profile->slice_count;
    while (low < high) { /* the first that is not before (submission, kind) */
        const size_t middle = low + (high - low) / 2;
        const struct vks_slice *slice = &profile->slices[middle];
        if (slice->submission < submission ||
            (slice->submission == submission && slice->kind < kind)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct vks_slice *found = low < profile->slice_count ? &profile->slices[low] : NULL;
    return found && found->submission == submission && found->kind == kind ? found : NULL;
}

static double host_time(const struct trace *trace, const struct vks_slice *slice, uint64_t ticks)
{
    return vks_profile_host_time(trace->profile, ticks, trace->report->timestamp_mask,
                                 trace->report->timestamp_period, slice->seen);
}

/* A span, and the arrow that leaves or reaches it. */
static void write_span(struct trace *trace, size_t thread, const struct vks_span *span)
{
    write_slice(trace, HOST, thread, "host", vks_phase_name(span->phase), span->begin, span->end,
                1);
    write_numbers(trace, span->step, span->frame);
    const struct vks_slice *slice;
    if (span->phase == VKS_PHASE_SUBMIT) {
        slice = find_slice(trace->profile, span->submission, VKS_SLICE_PASS);
        if (slice) {
            write_arrow(trace, false, HOST, thread, "submit", span->submission, span->begin);
            write_arrow(trace, true, GPU, QUEUE, "submit", span->submission,
                        host_time(trace, slice, slice->begin));
        }
    } else if (span->phase == VKS_PHASE_ENCODE || span->phase == VKS_PHASE_DIGEST) {
        slice = find_slice(trace->profile, span->submission, VKS_SLICE_COPY);
        if (slice) {
            const uint64_t id = 2 * span->submission + (span->phase == VKS_PHASE_DIGEST);
            write_arrow(trace, false, GPU, COPIES, "frame", id,
                        host_time(trace, slice, slice->begin));
            write_arrow(trace, true, HOST, thread, "frame", id, span->begin);
        }
    }
}

static void write_threads(struct trace *trace)
{
    size_t number = 1;
    struct vks_thread_profile *thread = trace->profile->threads;
    name_track(trace, "process_name", HOST, 0, "vksim");
    for (; thread; thread = thread->next, number++) {
        name_track(trace, "thread_name", HOST, number, thread->name);
        if (thread->span_count > 0) {
            qsort(thread->spans, thread->span_count, sizeof(*thread->spans), compare_spans);
        }
        for (size_t i = 0; i < thread->span_count; i++) {
            write_span(trace, number, &thread->spans[i]);
        }
    }
}

/* --- the GPU --------------------------------------------------------------------------------- */

static void write_gpu(struct trace *trace)
{
    const struct vks_profile *profile = trace->profile;
    name_track(trace, "process_name", GPU, 0, trace->report->device.name);
    name_track(trace, "thread_name", GPU, QUEUE, "queue");
    name_track(trace, "thread_name", GPU, COPIES, "copies of frames");
    for (size_t i = 0; i < profile->slice_count; i++) {
        const struct vks_slice *slice = &profile->slices[i];
        static const char *const categories[] = {
            [VKS_SLICE_BATCH] = "batch", [VKS_SLICE_PASS] = "pass", [VKS_SLICE_COPY] = "copy"};
        write_slice(trace, GPU, slice->kind == VKS_SLICE_COPY ? COPIES : QUEUE,
                    categories[slice->kind], slice->name, host_time(trace, slice, slice->begin),
                    host_time(trace, slice, slice->end), slice->kind == VKS_SLICE_PASS ? 2 : 1);
        write_numbers(trace, slice->step, slice->frame);
    }
}

static void write_counters(struct trace *trace)
{
    static const struct {
        const char *name, *unit;
    } counters[VKS_COUNTERS] = {
        [VKS_COUNTER_MEMORY] = {"device memory", "bytes"},
        [VKS_COUNTER_RING] = {"frames in the ring", "frames"},
        [VKS_COUNTER_QUEUE] = {"queue depth", "submissions"},
    };
    for (size_t i = 0; i < trace->profile->sample_count; i++) {
        const struct vks_sample *sample = &trace->profile->samples[i];
        begin_event(trace, "C", HOST, 0);
        fprintf(trace->out, ",\"name\":\"%s\"", counters[sample->counter].name);
        write_time(trace, "ts", nanos(trace, sample->time));
        fprintf(trace->out, ",\"args\":{\"%s\":%.0f}}", counters[sample->counter].unit,
                sample->value);
    }
}

/* --- the file -------------------------------------------------------------------------------- */

/* What the viewers show as the trace's metadata. */
static json_t *describe(const struct vks_report *report)
{
    const struct vks_profile *profile = report->profile;
    json_t *data = json_pack("{s:s, s:s, s:s, s:s, s:I}", "program", "vksim " VKS_VERSION,
                             "simulation", report->model, "device", report->device.name, "driver",
                             report->device.driver, "first_step", (json_int_t)profile->from);
    if (data && profile->to != UINT64_MAX) {
        json_object_set_new(data, "end_step", json_integer((json_int_t)profile->to));
    }
    if (data && profile->clock_count == 0) {
        json_object_set_new(data, "gpu_clock", json_string("none: the GPU is not traced"));
    } else if (data) {
        const struct vks_clock_pair *last = &profile->clocks[profile->clock_count - 1];
        const double deviation = profile->clocks[0].deviation > last->deviation
                                     ? profile->clocks[0].deviation
                                     : last->deviation;
        json_object_set_new(data, "gpu_clock",
                            json_string(last->estimated
                                            ? "estimated from the time of submissions"
                                            : "calibrated (VK_EXT_calibrated_timestamps)"));
        json_object_set_new(data, "gpu_clock_deviation_us", json_real(deviation * 1e6));
    }
    if (data && profile->cut) {
        json_object_set_new(data, "cut",
                            json_string("the trace reached its limit of events and is incomplete;"
                                        " choose fewer steps"));
    }
    return data;
}

enum vks_result vks_trace_write(FILE *out, const struct vks_report *report)
{
    json_t *data = describe(report);
    char *text = data ? vks_json_dump(data, JSON_COMPACT) : NULL;
    struct trace trace = {.out = out, .report = report, .profile = report->profile};
    if (text) {
        fprintf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":%s,\"traceEvents\":[", text);
        if (report->profile->slice_count > 0) {
            qsort(report->profile->slices, report->profile->slice_count,
                  sizeof(*report->profile->slices), compare_slices);
        }
        write_threads(&trace);
        if (report->profile->clock_count > 0) {
            write_gpu(&trace);
        }
        write_counters(&trace);
        fputs("\n]}\n", out);
    }
    free(text);
    json_decref(data);
    return text ? VKS_OK : vks_fail_memory();
}
