/* SPDX-License-Identifier: MIT */
/* What the lanes of a workgroup access, as the shaders record it, and what it costs in the model.
 */
#include "gpu_test.h"

#include "base/memory.h"
#include "ladder/access.h"
#include "ladder/access_internal.h"
#include "ladder/access_picture.h"

/* Of one array: the worst request's sectors, or degree of conflicts of a shared array; 0: there are
 * no such requests. */
struct expected {
    const char *kernel, *rung, *size, *array;
    uint32_t requests;
    uint32_t load, ideal_load, store, ideal_store;
};

static const struct expected cases[] = {
    {"copy", "scalar", "65536", "source", 8, 4, 4, 0, 0},
    {"copy", "scalar", "65536", "result", 8, 0, 0, 4, 4},
    {"copy", "four", "65536", "source", 8, 16, 16, 0, 0},
    {"copy", "four", "65536", "result", 8, 0, 0, 16, 16},
    {"add", "scalar", "65536", "second", 8, 4, 4, 0, 0},
    {"add", "four", "65536", "result", 8, 0, 0, 16, 16},
    {"transpose", "rows", "256x256", "source", 8, 4, 4, 0, 0},
    {"transpose", "rows", "256x256", "result", 8, 0, 0, 32, 4},
    {"transpose", "coalesced", "256x256", "source", 8, 4, 4, 0, 0},
    {"transpose", "coalesced", "256x256", "result", 8, 0, 0, 32, 4},
    {"transpose", "tile", "256x256", "source", 32, 4, 4, 0, 0},
    {"transpose", "tile", "256x256", "result", 32, 0, 0, 4, 4},
    {"transpose", "tile", "256x256", "tile", 32, 32, 1, 1, 1},
    {"transpose", "padded", "256x256", "tile", 32, 1, 1, 1, 1},
    {"transpose", "padded", "256x256", "result", 32, 0, 0, 4, 4},
    {"transpose", "four", "256x256", "source", 8, 16, 16, 0, 0},
    {"transpose", "four", "256x256", "tile", 32, 1, 1, 1, 1},
    {"transpose", "registers", "256x256", "result", 32, 0, 0, 16, 16},
    {"transpose", "swizzled", "256x256", "source", 32, 16, 16, 0, 0},
    {"transpose", "swizzled", "256x256", "tile", 32, 1, 4, 1, 4},
    {"transpose", "swizzled", "256x256", "result", 32, 0, 0, 16, 16},
    {"transpose", "ahead", "256x256", "source", 64, 16, 16, 0, 0},
    {"transpose", "ahead", "256x256", "tile", 64, 1, 4, 1, 4},
    {"transpose", "tuned", "256x256", "tile", 32, 1, 4, 1, 4},
};

static struct vks_ladder_task find_task(const char *kernel, const char *rung, const char *size)
{
    struct vks_ladder_task task = {.kernel = vks_ladder_find(kernel)};
    assert_non_null(task.kernel);
    task.element = task.kernel->element;
    ASSERT_FINE(vks_ladder_parse_size(task.kernel, &size, &task.size));
    task.rung = task.kernel->rungs;
    while (task.rung->name && strcmp(task.rung->name, rung) != 0) {
        task.rung++;
    }
    assert_non_null(task.rung->name);
    return task;
}

static size_t find_array(const struct vks_access_trace *trace, const char *name)
{
    size_t i = 0;
    while (i < trace->array_count && strcmp(trace->arrays[i].name, name) != 0) {
        i++;
    }
    assert_true(i < trace->array_count);
    return i;
}

static void check_total(const struct expected *expected, const struct vks_access_trace *trace,
                        uint32_t kind, uint32_t worst, uint32_t ideal)
{
    const size_t array = find_array(trace, expected->array);
    const struct vks_access_total total = vks_access_total(
        trace, -1, array, trace->arrays[array].shared ? kind + TRACE_SHARED_LOAD : kind);
    const uint32_t found = total.worst && vks_access_is_shared(total.worst->kind) ? total.degree
                           : total.worst ? total.worst->cost
                                         : 0;
    if (found != worst || total.requests != (worst ? expected->requests : 0) ||
        total.ideal != ideal * total.requests) {
        fail_msg("%s %s, %s: %u in the worst of %u requests, ideally %u in all", expected->kernel,
                 expected->rung, expected->array, found, (unsigned)total.requests,
                 (unsigned)total.ideal);
    }
}

static void test_recorded(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        const struct expected *expected = &cases[i];
        const struct vks_ladder_task task =
            find_task(expected->kernel, expected->rung, expected->size);
        struct vks_access_trace trace;
        ASSERT_FINE(vks_access_record(&gpu, &task, &trace));
        assert_int_equal(trace.lost, 0);
        assert_int_equal(trace.pass_count, 1);
        assert_int_equal(trace.passes[0].lanes, 256);
        check_total(expected, &trace, TRACE_LOAD, expected->load, expected->ideal_load);
        check_total(expected, &trace, TRACE_STORE, expected->store, expected->ideal_store);
        vks_access_free(&trace);
    }
}

/* Each element of both inputs of a product of side 128 is read 128 times: by whom, differs. */
static void test_reuse(void **state)
{
    (void)state;
    static const struct {
        const char *rung, *array;
        double lanes, requests, groups;
    } arrays[] = {
        {"naive", "left", 32, 1, 4},     {"naive", "right", 1, 8, 16},
        {"tile", "left", 1, 1, 4},       {"tile", "right", 1, 1, 4},
        {"tile", "left_tile", 32, 1, 1}, {"tile", "right_tile", 1, 8, 1},
        {"naive", "result", 0, 0, 0},
    };
    for (size_t i = 0; i < VKS_COUNT(arrays); i++) {
        const struct vks_ladder_task task = find_task("gemm", arrays[i].rung, "128x128x128");
        struct vks_access_trace trace;
        ASSERT_FINE(vks_access_record(&gpu, &task, &trace));
        const struct vks_access_reuse reuse =
            vks_access_reuse(&trace, find_array(&trace, arrays[i].array));
        if (reuse.lanes != arrays[i].lanes || reuse.requests != arrays[i].requests ||
            reuse.groups != arrays[i].groups) {
            fail_msg("%s %s: %g x %g x %g", arrays[i].rung, arrays[i].array, reuse.lanes,
                     reuse.requests, reuse.groups);
        }
        vks_access_free(&trace);
    }
}

/* The padded tile turns a load of 32 cycles into one; nothing else differs. */
static void test_padding(void **state)
{
    (void)state;
    static const struct {
        const char *rung;
        uint32_t degree;
    } rungs[] = {{"tile", 32}, {"padded", 1}};
    for (size_t r = 0; r < VKS_COUNT(rungs); r++) {
        const struct vks_ladder_task task = find_task("transpose", rungs[r].rung, "256x256");
        struct vks_access_trace trace;
        ASSERT_FINE(vks_access_record(&gpu, &task, &trace));
        uint32_t loads = 0, barriers = 0;
        for (size_t i = 0; i < trace.request_count; i++) {
            const struct vks_access_request *request = &trace.requests[i];
            assert_int_equal(request->lanes, UINT32_MAX);
            barriers += request->kind == TRACE_BARRIER;
            if (request->kind == TRACE_SHARED_LOAD) {
                loads++;
                assert_int_equal(request->epoch, 1);
                assert_int_equal(request->degree, rungs[r].degree);
                assert_int_equal(request->cost, rungs[r].degree);
            } else {
                assert_int_equal(request->degree, request->kind <= TRACE_SHARED_STORE);
            }
        }
        assert_int_equal(loads, 32);
        assert_int_equal(barriers, 8);
        vks_access_free(&trace);
    }
}

/* The drawing says the same: the degree in figures and yellow cells, or neither. */
static void test_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *rung, *finding;
        bool conflict, strided;
    } rungs[] = {
        {"rows", "result: stores touch 32 sectors per request instead of 4.", false, true},
        {"tile",
         "tile: loads have up to 32-way bank conflicts: 32 cycles per request instead of 1.", true,
         false},
        {"padded", "Every request is coalesced", false, false},
    };
    for (size_t r = 0; r < VKS_COUNT(rungs); r++) {
        struct vks_access_figure figure = {.task =
                                               find_task("transpose", rungs[r].rung, "256x256")};
        char *svg;
        ASSERT_FINE(vks_access_record(&gpu, &figure.task, &figure.trace));
        ASSERT_FINE(vks_access_svg(&figure, 1, &gpu.info, &svg));
        assert_non_null(strstr(svg, rungs[r].finding));
        assert_int_equal(strstr(svg, "class=\"degree halo\"") != NULL, rungs[r].conflict);
        assert_int_equal(strstr(svg, ">32</text>") != NULL, rungs[r].conflict);
        assert_int_equal(strstr(svg, "<path class=\"cells clash\"") != NULL, rungs[r].conflict);
        assert_int_equal(strstr(svg, "<path class=\"outline bad\"") != NULL, rungs[r].strided);
        assert_non_null(strstr(svg, "<path class=\"outline good\""));
        free(svg);
        vks_access_free(&figure.trace);
    }
}

/* Occupancy in the model, without a device. */
static void test_occupancy(void **state)
{
    (void)state;
    const struct vks_multiprocessor has = {
        .lanes = 2048, .registers = 65536, .shared_bytes = 164 << 10};
    static const struct {
        struct vks_occupancy needs;
        uint32_t lanes;
        const char *limit;
    } cases_of[] = {
        {{.registers = 32, .lanes = 256}, 2048, "the number of lanes"},
        {{.registers = 33, .lanes = 256}, 1536, "registers"},
        {{.registers = 255, .lanes = 256}, 256, "registers"},
        {{.shared_bytes = 48 << 10, .lanes = 256}, 768, "shared memory"},
        {{.registers = 16, .lanes = 32}, 1024, "the number of workgroups"},
        {{.registers = 255, .lanes = 1024}, 0, "registers"},
    };
    for (size_t i = 0; i < VKS_COUNT(cases_of); i++) {
        const char *limit;
        assert_int_equal(vks_occupancy_lanes(&has, &cases_of[i].needs, &limit), cases_of[i].lanes);
        assert_string_equal(limit, cases_of[i].limit);
    }
}

/* Lanes that a condition leaves out do not shift the requests of the others: each level of the tree
 * has half the lanes of the one before. */
static void test_divergence(void **state)
{
    (void)state;
    const struct vks_ladder_task task = find_task("reduce", "tree", "65536");
    struct vks_access_trace trace;
    uint32_t lanes[9] = {0};
    ASSERT_FINE(vks_access_record(&gpu, &task, &trace));
    for (size_t i = 0; i < trace.request_count; i++) {
        const struct vks_access_request *request = &trace.requests[i];
        if (request->kind == TRACE_SHARED_STORE) {
            for (uint32_t lane = 0; lane < VKS_ACCESS_LANES; lane++) {
                lanes[request->epoch] += request->lanes >> lane & 1;
            }
        }
    }
    for (uint32_t level = 0; level < VKS_COUNT(lanes); level++) {
        assert_int_equal(lanes[level], 256 >> level);
    }
    assert_int_equal(
        vks_access_total(&trace, -1, find_array(&trace, "result"), TRACE_ATOMIC).requests, 1);
    vks_access_free(&trace);
}

/* The model, without a device. */
static void test_costs(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind, bytes, stride, offset, lanes;
        uint32_t cost, ideal, degree;
    } requests[] = {
        {TRACE_LOAD, 4, 1, 0, 32, 4, 4, 1},
        {TRACE_LOAD, 4, 1, 1, 32, 5, 4, 1}, /* off the sector */
        {TRACE_LOAD, 4, 0, 5, 32, 1, 1, 1}, /* all the same */
        {TRACE_LOAD, 4, 2, 0, 32, 8, 4, 1},
        {TRACE_LOAD, 4, 8, 0, 32, 32, 4, 1},
        {TRACE_STORE, 16, 1, 0, 32, 16, 16, 1},
        {TRACE_LOAD, 2, 1, 0, 32, 2, 2, 1},
        {TRACE_LOAD, 4, 1, 0, 3, 1, 1, 1},
        {TRACE_ATOMIC, 4, 1, 0, 32, 4, 4, 1},
        {TRACE_ATOMIC, 4, 0, 3, 32, 32, 1, 32}, /* all on one word */
        {TRACE_ATOMIC, 4, 8, 0, 32, 32, 4, 1},
        {TRACE_SHARED_LOAD, 4, 1, 7, 32, 1, 1, 1},
        {TRACE_SHARED_LOAD, 4, 0, 7, 32, 1, 1, 1}, /* broadcast */
        {TRACE_SHARED_LOAD, 4, 2, 0, 32, 2, 1, 2},
        {TRACE_SHARED_LOAD, 4, 32, 0, 32, 32, 1, 32},
        {TRACE_SHARED_LOAD, 4, 33, 0, 32, 1, 1, 1},
        {TRACE_SHARED_LOAD, 4, 32, 0, 5, 5, 1, 5},
        {TRACE_SHARED_ATOMIC, 4, 0, 3, 32, 32, 1, 32},
        {TRACE_SHARED_STORE, 2, 1, 0, 32, 1, 1, 1},
        {TRACE_SHARED_STORE, 8, 1, 0, 32, 2, 2, 1},
        {TRACE_SHARED_STORE, 8, 2, 0, 32, 4, 2, 2},
        {TRACE_SHARED_STORE, 16, 1, 0, 32, 4, 4, 1},
        {TRACE_SHARED_STORE, 16, 8, 0, 32, 32, 4, 8},
        {TRACE_SHARED_STORE, 16, 1, 0, 8, 1, 1, 1},
    };
    for (size_t i = 0; i < VKS_COUNT(requests); i++) {
        struct vks_access_request request = {.kind = requests[i].kind, .bytes = requests[i].bytes};
        for (uint32_t lane = 0; lane < requests[i].lanes; lane++) {
            request.lanes |= UINT32_C(1) << lane;
            request.index[lane] = requests[i].offset + lane * requests[i].stride;
        }
        vks_access_cost(&request);
        if (request.cost != requests[i].cost || request.ideal != requests[i].ideal ||
            request.degree != requests[i].degree) {
            fail_msg("case %zu: cost %u, ideal %u, degree %u", i, request.cost, request.ideal,
                     request.degree);
        }
    }
}

/* --- the whole trace of one rung -------------------------------------------------------------- */

/* "source load 8: 32 of 32": the requests, what they cost and would cost at best, and the degree of
 * a conflict. */
static void describe_totals(const struct vks_access_trace *trace, char text[512])
{
    static const char *const kinds[] = {"load", "store", "atomic", "load", "store", "atomic"};
    size_t used = 0;
    for (size_t array = 0; array < trace->array_count; array++) {
        for (uint32_t kind = 0; kind < VKS_COUNT(kinds); kind++) {
            const struct vks_access_total total = vks_access_total(trace, -1, array, kind);
            if (total.requests) {
                assert_int_equal(vks_access_is_shared(kind), trace->arrays[array].shared);
                used += (size_t)snprintf(text + used, 512 - used, "%s%s %s %u: %u of %u",
                                         used ? ", " : "", trace->arrays[array].name, kinds[kind],
                                         (unsigned)total.requests, (unsigned)total.cost,
                                         (unsigned)total.ideal);
            }
            if (total.degree > 1) {
                used += (size_t)snprintf(text + used, 512 - used, " %u-way", total.degree);
            }
        }
    }
}

/* "L32 s32 | l16": the time line of a subgroup, in phases between barriers: loads, stores and
 * atomic operations of buffers (in capitals) and shared memory, with the number of lanes. */
static void describe_time(const struct vks_access_trace *trace, uint32_t subgroup, char text[512])
{
    static const char letters[] = "LSAlsa";
    size_t used = 0;
    uint32_t epoch = 0;
    for (size_t i = 0; i < trace->request_count; i++) {
        const struct vks_access_request *request = &trace->requests[i];
        uint32_t lanes = 0;
        if (request->subgroup != subgroup) {
            continue;
        }
        for (uint32_t lane = 0; lane < VKS_ACCESS_LANES; lane++) {
            lanes += request->lanes >> lane & 1;
        }
        assert_int_equal(request->epoch, epoch);
        text[used++] = ' ';
        if (request->kind == TRACE_BARRIER) {
            assert_int_equal(lanes, 32);
            text[used++] = '|';
            epoch++;
        } else if (request->kind < VKS_COUNT(letters) - 1) {
            used +=
                (size_t)snprintf(text + used, 512 - used, "%c%u", letters[request->kind], lanes);
        }
    }
    text[used] = '\0';
}

static const struct {
    const char *kernel, *rung, *size, *arrays, *totals;
    const char *first, *last; /* time lines of these subgroups */
} traces[] = {
    {"copy", "scalar", "65536", "source result",
     "source load 8: 32 of 32, result store 8: 32 of 32", " L32 S32", " L32 S32"},
    {"copy", "four", "65536", "source result",
     "source load 8: 128 of 128, result store 8: 128 of 128", " L32 S32", " L32 S32"},
    /* 200 words for 256 lanes: the seventh subgroup has 8 lanes, the last none. */
    {"copy", "scalar", "200", "source result", "source load 7: 25 of 25, result store 7: 25 of 25",
     " L32 S32", ""},
    {"transpose", "rows", "256x256", "source result",
     "source load 8: 32 of 32, result store 8: 256 of 32", " L32 S32", " L32 S32"},
    {"transpose", "tile", "256x256", "source result tile",
     "source load 32: 128 of 128, result store 32: 128 of 128, tile load 32: 1024 of 32 32-way, "
     "tile store 32: 32 of 32",
     " L32 s32 L32 s32 L32 s32 L32 s32 | l32 S32 l32 S32 l32 S32 l32 S32",
     " L32 s32 L32 s32 L32 s32 L32 s32 | l32 S32 l32 S32 l32 S32 l32 S32"},
    {"transpose", "padded", "256x256", "source result tile",
     "source load 32: 128 of 128, result store 32: 128 of 128, tile load 32: 32 of 32, "
     "tile store 32: 32 of 32",
     " L32 s32 L32 s32 L32 s32 L32 s32 | l32 S32 l32 S32 l32 S32 l32 S32",
     " L32 s32 L32 s32 L32 s32 L32 s32 | l32 S32 l32 S32 l32 S32 l32 S32"},
    {"reduce", "atomic", "65536", "source result",
     "source load 8: 32 of 32, result atomic 8: 256 of 8 32-way", " L32 A32", " L32 A32"},
    {"reduce", "tree", "65536", "source result tile",
     "source load 8: 32 of 32, result atomic 1: 1 of 1, tile load 95: 95 of 95, "
     "tile store 55: 55 of 55",
     " L32 s32 | l16 l16 s16 | l8 l8 s8 | l4 l4 s4 | l2 l2 s2 | l1 l1 s1 | l1 l1 s1 | l1 l1 s1 | "
     "l1 l1 s1 | l1 A1",
     " L32 s32 | l16 l16 s16 | l8 l8 s8 | l4 l4 s4 | l2 l2 s2 | l1 l1 s1 | | | |"},
    {"reduce", "dense", "65536", "source result tile",
     "source load 8: 32 of 32, result atomic 1: 1 of 1, tile load 25: 25 of 25, "
     "tile store 20: 20 of 20",
     " L32 s32 | l32 l32 s32 | l32 l32 s32 | l32 l32 s32 | l16 l16 s16 | l8 l8 s8 | l4 l4 s4 | "
     "l2 l2 s2 | l1 l1 s1 | l1 A1",
     " L32 s32 | | | | | | | | |"},
};

static void test_traces(void **state)
{
    (void)state;
    for (size_t i = 0; i < VKS_COUNT(traces); i++) {
        const struct vks_ladder_task task =
            find_task(traces[i].kernel, traces[i].rung, traces[i].size);
        struct vks_access_trace trace;
        char arrays[256] = "", text[512] = "";
        ASSERT_FINE(vks_access_record(&gpu, &task, &trace));
        for (size_t k = 0; k < trace.array_count; k++) {
            const size_t used = strlen(arrays);
            snprintf(arrays + used, sizeof(arrays) - used, "%s%s", k ? " " : "",
                     trace.arrays[k].name);
        }
        assert_string_equal(arrays, traces[i].arrays);
        assert_string_equal(trace.passes[0].name, traces[i].rung);
        describe_totals(&trace, text);
        assert_string_equal(text, traces[i].totals);
        describe_time(&trace, 0, text);
        assert_string_equal(text, traces[i].first);
        describe_time(&trace, 7, text);
        assert_string_equal(text, traces[i].last);
        vks_access_free(&trace);
    }
}

/* Requests name what they access, and all subgroups of a pass meet at each of its barriers. */
static void check_trace(const struct vks_access_trace *trace)
{
    uint32_t barriers[TRACE_PASSES][32] = {{0}};
    assert_true(trace->request_count > 0 && trace->lost == 0);
    for (size_t i = 0; i < trace->array_count; i++) {
        assert_int_equal(find_array(trace, trace->arrays[i].name), i); /* each once */
    }
    for (size_t i = 0; i < trace->request_count; i++) {
        const struct vks_access_request *request = &trace->requests[i];
        const struct vks_access_pass *pass = &trace->passes[request->pass];
        assert_true(request->pass < trace->pass_count);
        assert_true(request->lanes != 0 && request->subgroup < (pass->lanes + 31) / 32);
        if (vks_access_is_shared(request->kind) || vks_access_is_buffer(request->kind)) {
            assert_true(request->array < trace->array_count);
            assert_int_equal(trace->arrays[request->array].shared,
                             vks_access_is_shared(request->kind));
            assert_true(request->ideal > 0 && request->cost >= request->ideal);
        }
        barriers[request->pass][request->subgroup] += request->kind == TRACE_BARRIER;
    }
    for (size_t p = 0; p < trace->pass_count; p++) {
        for (uint32_t s = 1; s < (trace->passes[p].lanes + 31) / 32; s++) {
            assert_int_equal(barriers[p][s], barriers[p][0]);
        }
    }
}

/* Every rung with a shader of its own is traced. */
static void test_all(void **state)
{
    (void)state;
    for (size_t i = 0; vks_ladder[i]; i++) {
        const char *sizes = vks_ladder[i]->software_sizes;
        struct vks_ladder_task task = {.kernel = vks_ladder[i], .element = vks_ladder[i]->element};
        ASSERT_FINE(vks_ladder_parse_size(task.kernel, &sizes, &task.size));
        for (task.rung = task.kernel->rungs; task.rung->name; task.rung++) {
            struct vks_access_trace trace;
            const bool has_shader = !task.rung->measure && strcmp(task.rung->name, "core") != 0;
            if (vks_ladder_takes(task.kernel, task.rung, task.element) &&
                !vks_rung_missing(&gpu, task.rung, task.element)) {
                assert_int_equal(vks_access_is_recorded(&gpu, &task), has_shader);
                if (has_shader) {
                    ASSERT_FINE(vks_access_record(&gpu, &task, &trace));
                    check_trace(&trace);
                    vks_access_free(&trace);
                }
            }
        }
    }
}

/* Any number of barriers fits the width of the picture. */
static void test_barriers(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 50, 139, 160, 2000};
    for (size_t k = 0; k < VKS_COUNT(counts); k++) {
        const size_t count = counts[k] + 1, drawn = counts[k] < 159 ? counts[k] : 159;
        struct vks_access_request *requests = calloc(count, sizeof(*requests));
        assert_non_null(requests);
        for (size_t i = 0; i < count; i++) {
            requests[i] = (struct vks_access_request){.kind = i ? TRACE_BARRIER : TRACE_LOAD,
                                                      .epoch = i ? (uint32_t)i - 1 : 0,
                                                      .cost = 4,
                                                      .ideal = 4,
                                                      .degree = 1};
        }
        const struct vks_access_trace trace = {.requests = requests, .request_count = count};
        char *text = NULL;
        size_t size, blocks = 0, lines = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        bool waits;
        vks_access_put_time(out, &trace, 0, 0, &waits);
        assert_false(waits);
        fclose(out);
        for (const char *at = strchr(text, 'M'); at; at = strchr(at + 1, 'M')) {
            double x, y, width = 0;
            const int found = sscanf(at, "M%lf %lfh%lf", &x, &y, &width);
            assert_true(found >= 2 && x >= VKS_ACCESS_MARGIN &&
                        x + width <= VKS_ACCESS_WIDTH - VKS_ACCESS_MARGIN);
            assert_true(found == 2 || width > 0);
            lines += found == 2;
            blocks += found == 3;
        }
        assert_int_equal(lines, drawn);
        assert_int_equal(blocks, 1);
        free(text);
        free(requests);
    }
}

static int close_device(void **state)
{
    (void)state;
    vks_gpu_close(&gpu);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),   cmocka_unit_test(test_padding),
        cmocka_unit_test(test_divergence), cmocka_unit_test(test_costs),
        cmocka_unit_test(test_traces),     cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_all),        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_occupancy),  cmocka_unit_test(test_reuse),
    };
    vks_bench_add_shaders();
    vks_ladder_add_shaders();
    open_gpu(&(struct vks_gpu_params){.device = NULL});
    return cmocka_run_group_tests(tests, NULL, close_device);
}
