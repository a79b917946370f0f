/* SPDX-License-Identifier: MIT */
/* NumPy archives: what is written, what is read (files from NumPy itself lie in tests/fuzz/npz) and
 * what is refused. Damaged archives are put together with libzip. Runs from the source root. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include <zip.h>

#include "io/npz.h"
#include "../npz_add.h"
#include <vksim/result.h>

static char folder[256];
static char path[300];

static int make_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-npz-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/a.npz", folder);
    return 0;
}

/* Fails if a test has left a partial file behind. */
static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void done(enum vks_result result)
{
    if (result != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
}

static void refused(enum vks_result result, const char *words)
{
    assert_int_equal(result, VKS_ERROR_FILE);
    if (!strstr(vks_error_text(), path) || !strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

static void write_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static uint8_t *read_bytes(size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* Reads all there is, as a damaged archive may still open; false if any of it fails. */
static bool read_all(void)
{
    struct vks_npz *npz;
    if (vks_npz_open(path, &npz) != VKS_OK) {
        assert_null(npz);
        return false;
    }
    bool whole = true;
    for (size_t i = 0; i < vks_npz_count(npz); i++) {
        const struct vks_npy *array = vks_npz_at(npz, i);
        void *data = malloc(array->bytes + 1);
        assert_non_null(data);
        whole = vks_npz_read(npz, array, data, array->bytes) == VKS_OK && whole;
        free(data);
    }
    char *text;
    whole = vks_npz_text(npz, "vksim.json", &text) == VKS_OK && whole;
    free(text);
    vks_npz_close(npz);
    return whole;
}

static const float field[6] = {0.0f, 1.5f, -2.0f, 3.0f, 4.25f, 1e30f};
static const uint64_t field_shape[2] = {2, 3};
static const uint32_t heading[3] = {1, 0x80000000, 0xffffffff};
static const uint64_t heading_shape[1] = {3};
static const uint64_t empty_shape[3] = {4, 0, 5};
static const int64_t scalar = -7;
static const uint8_t bytes4[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const uint64_t bytes4_shape[4] = {2, 2, 2, 2};
static const char text[] = "{\"format\": 1}\n";

static void write_sample(bool overwrite)
{
    struct vks_npz_writer *writer;
    done(vks_npz_create(path, overwrite, &writer));
    done(npz_add(writer, "trail", 'f', 4, 2, field_shape, field));
    done(npz_add(writer, "heading", 'u', 4, 1, heading_shape, heading));
    done(vks_npz_add_text(writer, "vksim.json", text));
    done(npz_add(writer, "nothing", 'f', 8, 3, empty_shape, NULL));
    done(npz_add(writer, "one", 'i', 8, 0, NULL, &scalar));
    done(npz_add(writer, "bytes", 'u', 1, 4, bytes4_shape, bytes4));
    done(vks_npz_finish(writer));
}

static void check_array(struct vks_npz *npz, const char *name, char kind, uint32_t item_bytes,
                        uint32_t rank, const uint64_t *shape, const void *wanted, size_t size)
{
    const struct vks_npy *array = vks_npz_find(npz, name);
    assert_non_null(array);
    assert_string_equal(array->name, name);
    assert_int_equal(array->kind, kind);
    assert_int_equal(array->item_bytes, item_bytes);
    assert_int_equal(array->rank, rank);
    for (uint32_t i = 0; i < rank; i++) {
        assert_int_equal(array->shape[i], shape[i]);
    }
    assert_int_equal(array->bytes, size);
    uint8_t *data = malloc(size + 1);
    assert_non_null(data);
    data[size] = 0xa5;
    done(vks_npz_read(npz, array, data, size));
    assert_memory_equal(data, wanted, size);
    assert_int_equal(data[size], 0xa5);
    assert_int_equal(vks_npz_read(npz, array, data, size + 1), VKS_ERROR_FILE);
    assert_non_null(strstr(vks_error_text(), name));
    free(data);
}

static void round_trip(void **state)
{
    (void)state;
    unlink(path);
    write_sample(false);
    struct vks_npz *npz;
    done(vks_npz_open(path, &npz));
    assert_int_equal(vks_npz_count(npz), 5);
    check_array(npz, "trail", 'f', 4, 2, field_shape, field, sizeof(field));
    check_array(npz, "heading", 'u', 4, 1, heading_shape, heading, sizeof(heading));
    check_array(npz, "nothing", 'f', 8, 3, empty_shape, "", 0);
    check_array(npz, "one", 'i', 8, 0, NULL, &scalar, sizeof(scalar));
    check_array(npz, "bytes", 'u', 1, 4, bytes4_shape, bytes4, sizeof(bytes4));
    check_array(npz, "heading", 'u', 4, 1, heading_shape, heading, sizeof(heading)); /* again */
    assert_null(vks_npz_find(npz, "vksim"));
    assert_null(vks_npz_find(npz, "trail.npy"));
    assert_null(vks_npz_at(npz, 5));
    char *read;
    done(vks_npz_text(npz, "vksim.json", &read));
    assert_string_equal(read, text);
    free(read);
    done(vks_npz_text(npz, "other.json", &read));
    assert_null(read);

    struct vks_npy copy = *vks_npz_at(npz, 0);
    uint8_t data[sizeof(field)];
    refused(vks_npz_read(npz, &copy, data, sizeof(data)), "not in this archive");
    vks_npz_close(npz);
    vks_npz_close(NULL);
}

/* Other bytes would break digests that people keep of their state files. */
static void known_bytes(void **state)
{
    (void)state;
    write_sample(true);
    size_t size;
    uint8_t *bytes = read_bytes(&size);
    uint64_t digest = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    free(bytes);
    assert_int_equal(digest, UINT64_C(0x9bb3b2a4555716af));
}

static void writer_refuses(void **state)
{
    (void)state;
    struct vks_npz_writer *writer;
    write_sample(true);
    assert_int_equal(vks_npz_create(path, false, &writer), VKS_ERROR_EXISTS);
    assert_null(writer);

    done(vks_npz_create(path, true, &writer));
    done(npz_add(writer, "trail", 'f', 4, 2, field_shape, field));
    refused(npz_add(writer, "trail", 'f', 4, 2, field_shape, field), "'trail.npy'");
    refused(vks_npz_add_text(writer, "trail.npy", text), "'trail.npy'");
    static const char *const names[] = {
        "",
        "a/b",
        "a b",
        "../x",
        "\n",
        "\xc3\xa9",
        "a234567890123456789012345678901234567890123456789012345678901234"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        refused(npz_add(writer, names[i], 'f', 4, 2, field_shape, field), "not a name");
    }
    const uint64_t huge[2] = {UINT64_C(1) << 62, 2};
    refused(npz_add(writer, "a", 'f', 4, 2, huge, field), "'a'");
    refused(npz_add(writer, "a", 'f', 1, 2, field_shape, field), "'a'");
    refused(npz_add(writer, "a", 'c', 8, 2, field_shape, field), "'a'");
    refused(npz_add(writer, "a", 'f', 4, 5, field_shape, field), "'a'");
    refused(npz_add(writer, "a", 'u', 3, 2, field_shape, field), "'a'");
    done(vks_npz_finish(writer)); /* none of this has damaged the file */
    struct vks_npz *npz;
    done(vks_npz_open(path, &npz));
    assert_int_equal(vks_npz_count(npz), 1);
    check_array(npz, "trail", 'f', 4, 2, field_shape, field, sizeof(field));
    vks_npz_close(npz);

    unlink(path);
    done(vks_npz_create(path, false, &writer));
    done(npz_add(writer, "trail", 'f', 4, 2, field_shape, field));
    vks_npz_abort(writer);
    vks_npz_abort(NULL);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* An array that is written in pieces, and one that is not complete. */
static void pieces(void **state)
{
    (void)state;
    unlink(path);
    struct vks_npz_writer *writer;
    uint32_t wanted[1000];
    for (uint32_t i = 0; i < 1000; i++) {
        wanted[i] = i * i;
    }
    const uint64_t shape[1] = {1000};
    done(vks_npz_create(path, false, &writer));
    refused(vks_npz_write(writer, wanted, 4), "more bytes than");
    done(vks_npz_begin_array(writer, "squares", 'u', 4, 1, shape));
    for (size_t at = 0; at < sizeof(wanted);) {
        refused(vks_npz_add_text(writer, "vksim.json", text), "'squares.npy' lacks");
        const size_t left = sizeof(wanted) - at, size = left < 999 ? left : 999;
        done(vks_npz_write(writer, (const char *)wanted + at, size));
        at += size;
    }
    refused(vks_npz_write(writer, wanted, 1), "more bytes than");
    done(vks_npz_add_text(writer, "vksim.json", text));
    done(vks_npz_finish(writer));
    struct vks_npz *npz;
    done(vks_npz_open(path, &npz));
    check_array(npz, "squares", 'u', 4, 1, shape, wanted, sizeof(wanted));
    vks_npz_close(npz);

    unlink(path);
    done(vks_npz_create(path, false, &writer));
    done(vks_npz_begin_array(writer, "squares", 'u', 4, 1, shape));
    done(vks_npz_write(writer, wanted, sizeof(wanted) - 1));
    refused(vks_npz_finish(writer), "'squares.npy' lacks 1 bytes");
    assert_int_not_equal(access(path, F_OK), 0);
}

/* The system's limit on file sizes stands for a full disk. */
static void write_fails(void **state)
{
    (void)state;
    unlink(path);
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    struct rlimit small = {.rlim_cur = 1000, .rlim_max = old.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct vks_npz_writer *writer;
    done(vks_npz_create(path, false, &writer));
    done(npz_add(writer, "trail", 'f', 4, 2, field_shape, field));
    const uint64_t shape[1] = {2000};
    const uint8_t zeros[2000] = {0};
    enum vks_result too_much = npz_add(writer, "zeros", 'u', 1, 1, shape, zeros);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    refused(too_much, "larger than the limit");
    refused(npz_add(writer, "more", 'u', 1, 1, shape, zeros), "earlier write failed");
    refused(vks_npz_finish(writer), "earlier write failed");
    assert_int_not_equal(access(path, F_OK), 0);
}

static void empty_archive(void **state)
{
    (void)state;
    unlink(path);
    struct vks_npz_writer *writer;
    done(vks_npz_create(path, false, &writer));
    done(vks_npz_finish(writer));
    struct vks_npz *npz;
    done(vks_npz_open(path, &npz));
    assert_int_equal(vks_npz_count(npz), 0);
    vks_npz_close(npz);
}

static void open_seed(const char *name, struct vks_npz **npz)
{
    char seed[300];
    snprintf(seed, sizeof(seed), "tests/fuzz/npz/%s", name);
    done(vks_npz_open(seed, npz));
}

/* The arrays of tests/fuzz/make_seeds.py. */
static void files_of_numpy(void **state)
{
    (void)state;
    double grid[12], fortran[24];
    for (int i = 0; i < 12; i++) {
        grid[i] = 0.5 * i - 1;
    }
    for (int i = 0; i < 24; i++) {
        fortran[i] = i;
    }
    static const char *const names[] = {"plain.npz", "deflated.npz"};
    for (int i = 0; i < 2; i++) {
        struct vks_npz *npz;
        open_seed(names[i], &npz);
        assert_int_equal(vks_npz_count(npz), 6);
        check_array(npz, "trail", 'f', 8, 2, (uint64_t[]){3, 4}, grid, sizeof(grid));
        check_array(npz, "fortran", 'f', 8, 3, (uint64_t[]){2, 3, 4}, fortran, sizeof(fortran));
        check_array(npz, "one", 'u', 1, 0, NULL, (uint8_t[]){200}, 1);
        check_array(npz, "nothing", 'f', 4, 2, (uint64_t[]){0, 7}, "", 0);
        check_array(npz, "short", 'i', 2, 1, (uint64_t[]){3}, (int16_t[]){-1, 0, 300}, 6);
        check_array(npz, "half", 'f', 2, 1, (uint64_t[]){2}, (uint16_t[]){0x3c00, 0xc000}, 4);
        vks_npz_close(npz);
    }
    /* NumPy's own big Fortran arrays cross the blocks that are held at a time. */
    struct vks_npz *npz;
    open_seed("large.npz", &npz);
    enum { ROWS = 301, COLUMNS = 211 };
    uint32_t *wanted = malloc(sizeof(*wanted) * ROWS * COLUMNS);
    assert_non_null(wanted);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        wanted[i] = i / 7;
    }
    check_array(npz, "large", 'u', 4, 2, (uint64_t[]){ROWS, COLUMNS}, wanted,
                sizeof(*wanted) * ROWS * COLUMNS);
    free(wanted);
    vks_npz_close(npz);
}

struct part {
    const char *name;
    const void *bytes;
    size_t size;
    zip_int32_t method;
};

/* An archive of the parts, by libzip. */
static void write_zip(const struct part *parts, size_t count)
{
    unlink(path);
    int code;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_EXCL, &code);
    assert_non_null(zip);
    for (size_t i = 0; i < count; i++) {
        zip_source_t *source = zip_source_buffer(zip, parts[i].bytes, parts[i].size, 0);
        assert_non_null(source);
        zip_int64_t index = zip_file_add(zip, parts[i].name, source, 0);
        assert_true(index >= 0);
        assert_int_equal(zip_set_file_compression(zip, (zip_uint64_t)index, parts[i].method, 0), 0);
    }
    assert_int_equal(zip_close(zip), 0);
}

/* The member x.npy: this header after a prefix of the version, then `size` zero bytes. */
static enum vks_result open_header(unsigned version, const char *header, size_t size)
{
    static uint8_t bytes[1 << 17];
    memset(bytes, 0, sizeof(bytes));
    size_t length = strlen(header), start = version == 1 ? 10 : 12;
    assert_true(start + length + size <= sizeof(bytes));
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (uint8_t)version;
    for (size_t i = 8; i < start; i++) {
        bytes[i] = (uint8_t)(length >> (8 * (i - 8)));
    }
    memcpy(bytes + start, header, length);
    const struct part part = {"x.npy", bytes, start + length + size, ZIP_CM_STORE};
    write_zip(&part, 1);
    struct vks_npz *npz;
    enum vks_result result = vks_npz_open(path, &npz);
    assert_true((result == VKS_OK) == (npz != NULL));
    vks_npz_close(npz);
    return result;
}

static void headers_taken(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t size;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24},
        {"{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}", 24},
        {"{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":True}", 24},
        {" \n { 'descr' : '=u2' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , } \n ", 12},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (5,)}", 5},
        {"{'descr': '>i1', 'fortran_order': False, 'shape': (5,)}", 5},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': ()}", 8},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (1L, 2L)}", 16},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (0, 1000000)}", 0},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1, 1, 2)}", 16},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned version = 1; version <= 3; version++) {
            done(open_header(version, cases[i].header, cases[i].size));
        }
    }
}

static void headers_refused(void **state)
{
    (void)state;
#define ORDER "'fortran_order': False"
    static const struct {
        const char *header, *words;
        size_t size;
    } cases[] = {
        {"", "not a dictionary", 0},
        {"[]", "not a dictionary", 0},
        {"{}", "lacks", 0},
        {"{'descr': '<f4', " ORDER "}", "lacks", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (1,)", "damaged", 4},
        {"{'descr': '<f4' " ORDER ", 'shape': (1,)}", "damaged", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (1,)}x", "continues after", 4},
        {"{'descr': '<f4', 'descr': '<f4', " ORDER ", 'shape': (1,)}", "'descr' twice", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (1,), 'x': 1}", "unknown key 'x'", 4},
        {"{'descr: '<f4', " ORDER ", 'shape': (1,)}", "damaged", 4},
        {"{'descr': '<f4\", " ORDER ", 'shape': (1,)}", "type '<f4\", '", 4},
        {"{'descr': 'a long type of no use', " ORDER ", 'shape': (1,)}", "short string", 4},
        {"{'descr': '<\\n4', " ORDER ", 'shape': (1,)}", "short string", 4},
        {"{'descr': 4, " ORDER ", 'shape': (1,)}", "short string", 4},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "neither True nor", 4},
        {"{'descr': '>f4', " ORDER ", 'shape': (1,)}", "big-endian", 4},
        {"{'descr': '|f4', " ORDER ", 'shape': (1,)}", "byte order", 4},
        {"{'descr': '|O', " ORDER ", 'shape': (1,)}", "objects", 8},
        {"{'descr': [('a', '<f4')], " ORDER ", 'shape': (1,)}", "structured", 4},
        {"{'descr': '<c8', " ORDER ", 'shape': (1,)}", "'<c8'", 8},
        {"{'descr': '<f3', " ORDER ", 'shape': (1,)}", "'<f3'", 3},
        {"{'descr': '|f1', " ORDER ", 'shape': (1,)}", "'|f1'", 1},
        {"{'descr': '<f16', " ORDER ", 'shape': (1,)}", "'<f16'", 16},
        {"{'descr': '|b2', " ORDER ", 'shape': (1,)}", "'|b2'", 2},
        {"{'descr': '<U3', " ORDER ", 'shape': (1,)}", "'<U3'", 12},
        {"{'descr': '<f4', " ORDER ", 'shape': 1}", "tuple", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (1)}", "tuple", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (-1,)}", "tuple", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (1 1)}", "tuple", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (,)}", "tuple", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (1.0,)}", "tuple", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (1", "tuple", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (1,1,1,1,1)}", "more than 4", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (99999999999999999999,)}", "tuple", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (4294967296, 4294967296)}", "too large", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (4294967296, 4294967296, 0)}", "too large", 0},
        {"{'descr': '<f4', " ORDER ", 'shape': (0, 4294967296, 4294967296)}", "too large", 0},
        {"{'descr': '<f4', " ORDER ", 'shape': (4611686018427387904,)}", "too large", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (4611686018427387903,)}", "needs", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (2,)}", "needs 8 bytes, but it has 4", 4},
        {"{'descr': '<f4', " ORDER ", 'shape': (1,)}", "needs 4 bytes, but it has 5", 5},
        {"{'descr': '<f4', " ORDER ", 'shape': (0,)}", "needs 0 bytes, but it has 4", 4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned version = 1; version <= 3; version++) {
            refused(open_header(version, cases[i].header, cases[i].size), cases[i].words);
            assert_non_null(strstr(vks_error_text(), "'x'"));
        }
    }
#undef ORDER
    static const char plain[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}";
    refused(open_header(4, plain, 4), "version 4.0");
    refused(open_header(0, plain, 4), "version 0.0");
    char *long_header = malloc(60000);
    assert_non_null(long_header);
    memset(long_header, ' ', 59999);
    long_header[59999] = '\0';
    memcpy(long_header, plain, sizeof(plain) - 1);
    refused(open_header(1, long_header, 4), "59999 bytes");
    long_header[10000] = '\0';
    done(open_header(1, long_header, 4));
    free(long_header);
}

static void members_refused(void **state)
{
    (void)state;
    struct vks_npz *npz;
    const struct part no_magic = {"x.npy", "1234567890123", 13, ZIP_CM_STORE};
    write_zip(&no_magic, 1);
    refused(vks_npz_open(path, &npz), "does not begin as");
    const struct part nothing = {"x.npy", "", 0, ZIP_CM_STORE};
    write_zip(&nothing, 1);
    refused(vks_npz_open(path, &npz), "does not begin as");
    const struct part cut = {"x.npy", "\x93NUMPY\x02\x00\x76\x00\x00\x00{", 13, ZIP_CM_DEFLATE};
    write_zip(&cut, 1);
    refused(vks_npz_open(path, &npz), "cut short");
    const struct part control = {"x\n.npy", "1", 1, ZIP_CM_STORE};
    write_zip(&control, 1);
    refused(vks_npz_open(path, &npz), "control characters");
    const struct part too_long = {
        "a234567890123456789012345678901234567890123456789012345678901234.npy", "1", 1,
        ZIP_CM_STORE};
    write_zip(&too_long, 1);
    refused(vks_npz_open(path, &npz), "63 characters");

    /* libzip would not write one name twice; the file is made so afterwards. */
    struct vks_npz_writer *writer;
    done(vks_npz_create(path, true, &writer));
    done(npz_add(writer, "aa", 'f', 4, 2, field_shape, field));
    done(npz_add(writer, "ab", 'f', 4, 2, field_shape, field));
    done(vks_npz_finish(writer));
    assert_true(read_all());
    size_t size;
    uint8_t *bytes = read_bytes(&size);
    for (size_t i = 0; i + 6 <= size; i++) {
        if (memcmp(bytes + i, "ab.npy", 6) == 0) {
            bytes[i + 1] = 'a';
        }
    }
    write_bytes(bytes, size);
    free(bytes);
    refused(vks_npz_open(path, &npz), "twice");

    /* Text that is none, and members that are no arrays. */
    const struct part others[] = {
        {"nul.json", "a\0b", 3, ZIP_CM_STORE},
        {"empty.json", "", 0, ZIP_CM_STORE},
        {"vksim.json", "{}", 2, ZIP_CM_DEFLATE},
        {"folder/", "", 0, ZIP_CM_STORE},
    };
    write_zip(others, 4);
    done(vks_npz_open(path, &npz));
    assert_int_equal(vks_npz_count(npz), 0);
    char *read;
    refused(vks_npz_text(npz, "nul.json", &read), "NUL");
    assert_null(read);
    done(vks_npz_text(npz, "empty.json", &read));
    assert_string_equal(read, "");
    free(read);
    done(vks_npz_text(npz, "vksim.json", &read));
    assert_string_equal(read, "{}");
    free(read);
    vks_npz_close(npz);

    char *long_text = calloc(1, (16 << 20) + 2);
    assert_non_null(long_text);
    memset(long_text, ' ', (16 << 20) + 1);
    struct part text_part = {"vksim.json", long_text, (16 << 20) + 1, ZIP_CM_DEFLATE};
    done(vks_npz_create(path, true, &writer));
    refused(vks_npz_add_text(writer, "vksim.json", long_text), "16 MiB"); /* nor is it written */
    vks_npz_abort(writer);
    write_zip(&text_part, 1);
    done(vks_npz_open(path, &npz));
    refused(vks_npz_text(npz, "vksim.json", &read), "16 MiB");
    vks_npz_close(npz);
    text_part.size--;
    write_zip(&text_part, 1);
    done(vks_npz_open(path, &npz));
    done(vks_npz_text(npz, "vksim.json", &read));
    assert_int_equal(strlen(read), 16 << 20);
    free(read);
    vks_npz_close(npz);
    free(long_text);
}

static void damaged_files(void **state)
{
    (void)state;
    struct vks_npz *npz;
    unlink(path);
    refused(vks_npz_open(path, &npz), "no such file");
    write_bytes("", 0);
    refused(vks_npz_open(path, &npz), path);
    write_bytes("\x93NUMPY and so on", 16);
    refused(vks_npz_open(path, &npz), ".npz archive");
    assert_int_equal(vks_npz_open(folder, &npz), VKS_ERROR_FILE);
    assert_non_null(strstr(vks_error_text(), "not a regular file"));

    write_sample(true);
    size_t size;
    uint8_t *bytes = read_bytes(&size);
    for (size_t length = 0; length < size; length++) {
        write_bytes(bytes, length);
        assert_int_equal(vks_npz_open(path, &npz), VKS_ERROR_FILE);
    }
    /* A changed byte is noticed wherever it matters; in no case may it crash. */
    unsigned noticed = 0;
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        write_bytes(bytes, size);
        noticed += !read_all();
        bytes[i] ^= 0x10;
    }
    assert_true(noticed > size / 2);
    /* Among them every byte of the elements, by the checksum. */
    size_t element = 0;
    while (memcmp(bytes + element, bytes4, sizeof(bytes4)) != 0) {
        element++;
    }
    bytes[element + 7] ^= 1;
    write_bytes(bytes, size);
    done(vks_npz_open(path, &npz));
    uint8_t data[sizeof(bytes4)];
    refused(vks_npz_read(npz, vks_npz_find(npz, "bytes"), data, sizeof(data)), "CRC");
    vks_npz_close(npz);
    free(bytes);
}

/* A directory that promises 2 GiB in a file of some hundred bytes. */
static void lying_size(void **state)
{
    (void)state;
    static const char header[] = "\x93NUMPY\x01\x00\x76\x00"
                                 "{'descr': '|u1', 'fortran_order': False, 'shape': (2147483520,)}";
    uint8_t member[128];
    memset(member, ' ', sizeof(member));
    memcpy(member, header, sizeof(header) - 1);
    for (int deflate = 0; deflate < 2; deflate++) {
        const struct part part = {"x.npy", member, sizeof(member),
                                  deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE};
        write_zip(&part, 1);
        size_t size;
        uint8_t *bytes = read_bytes(&size);
        size_t entry = 0;
        while (memcmp(bytes + entry, "PK\1\2", 4) != 0) {
            entry++;
        }
        bytes[entry + 24] = 0; /* the size once it is unpacked */
        bytes[entry + 27] = 0x80;
        for (int both = 0; both < 2; both++) {
            if (both) {
                memcpy(bytes + entry + 20, bytes + entry + 24, 4);
            }
            write_bytes(bytes, size);
            struct vks_npz *npz;
            assert_int_equal(vks_npz_open(path, &npz), VKS_ERROR_FILE);
            assert_null(npz);
            if (deflate && !both) {
                refused(VKS_ERROR_FILE, "too short for the size");
            }
        }
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),      cmocka_unit_test(known_bytes),
        cmocka_unit_test(writer_refuses),  cmocka_unit_test(pieces),
        cmocka_unit_test(write_fails),     cmocka_unit_test(empty_archive),
        cmocka_unit_test(files_of_numpy),  cmocka_unit_test(headers_taken),
        cmocka_unit_test(headers_refused), cmocka_unit_test(members_refused),
        cmocka_unit_test(damaged_files),   cmocka_unit_test(lying_size),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
