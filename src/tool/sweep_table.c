/* SPDX-License-Identifier: MIT */
/* The files of a sweep: rows are appended to parts, and the table is made from all parts. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "tool/sweep.h"

/* --- lines ----------------------------------------------------------------------------------- */

static const char *const names[VKS_ROW_FIELDS] = {
    [VKS_ROW_SCALARS] = "scalars", [VKS_ROW_STEPS] = "steps",     [VKS_ROW_DIGEST] = "digest",
    [VKS_ROW_EXIT] = "exit",       [VKS_ROW_SECONDS] = "seconds", [VKS_ROW_DEVICE] = "device",
    [VKS_ROW_MESSAGE] = "message",
};

static void put_field(FILE *out, const char *text)
{
    fputc(',', out);
    vks_csv_put(out, text ? text : "");
}

/* The fields from `first` to the one before `end`, and the end of the line. */
static void put_fields(FILE *out, const char *const *fields, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        put_field(out, fields[i]);
    }
    fputc('\n', out);
}

/* "job,key,feed,kill": how the header begins. */
static void put_options(FILE *out, const struct vks_sweep *sweep)
{
    fputs("job,key", out);
    for (size_t i = 0; i < sweep->columns; i++) {
        put_field(out, vks_sweep_option(sweep, i));
    }
}

static void put_values(FILE *out, const struct vks_sweep *sweep, size_t job, const char *key)
{
    fprintf(out, "%zu", job);
    put_field(out, key);
    for (size_t i = 0; i < sweep->columns; i++) {
        put_field(out, vks_sweep_value(sweep, job, i));
    }
}

char *vks_sweep_line(const struct vks_sweep *sweep, size_t job, const char *key,
                     const char *const fields[VKS_ROW_FIELDS])
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) {
        return NULL;
    }
    put_values(out, sweep, job, key);
    put_fields(out, fields, 0, VKS_ROW_FIELDS);
    const bool complete = !ferror(out);
    if (fclose(out) != 0 || !complete) {
        free(line);
        line = NULL;
    }
    return line;
}

enum vks_result vks_sweep_append(struct vks_sweep_table *table, const char *line)
{
    const int error = vks_write_all(table->fd, line, strlen(line));
    return error                   ? vks_fail_write(table->part, error)
           : fsync(table->fd) != 0 ? vks_fail_write(table->part, errno)
                                   : VKS_OK;
}

/* --- the identity of a sweep ----------------------------------------------------------------- */

/* The head of a part: "# sweep KEY [...]" with the words that define the sweep. The key covers the
 * version, these words, the values of --from and the key of the first job. */
static enum vks_result make_head(const struct vks_sweep *sweep, const char *key, char **head)
{
    struct vks_words words = {0};
    json_t *list = json_array();
    char hex[33];
    struct vks_digest *digest = vks_digest_create();
    enum vks_result result = list && digest ? vks_sweep_define(sweep, &words) : vks_fail_memory();
    for (size_t i = 0; i < words.count && result == VKS_OK; i++) {
        if (json_array_append_new(list, json_string(words.words[i])) != 0) {
            result = vks_fail(VKS_ERROR_USAGE, "'%s' is not UTF-8", words.words[i]);
        }
    }
    char *text = result == VKS_OK ? vks_json_dump(list, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    if (text) {
        vks_digest_update(digest, VKS_VERSION, sizeof(VKS_VERSION));
        vks_digest_update(digest, text, strlen(text));
        vks_digest_update(digest, key, strlen(key));
        for (size_t i = 0; i < sweep->from.columns * sweep->from.rows; i++) {
            vks_digest_update(digest, sweep->from.cells[i], strlen(sweep->from.cells[i]) + 1);
        }
        vks_digest_hex(digest, hex);
        *head = vks_format("# sweep %s %s\n", hex, text);
    }
    result = result == VKS_OK && !(text && *head) ? vks_fail_memory() : result;
    free(text);
    vks_digest_destroy(digest);
    json_decref(list);
    vks_words_free(&words);
    return result;
}

/* map.NAME for a table map.csv, a heap string; NULL without memory. */
static char *beside(const char *table, const char *name)
{
    return vks_format("%.*s.%s", (int)(strlen(table) - strlen(".csv")), table, name);
}

/* True for ".part-12.csv". */
static bool is_part_end(const char *text)
{
    const size_t length = strlen(".part-");
    const bool begins = strncmp(text, ".part-", length) == 0;
    const size_t digits = begins ? strspn(text + length, "0123456789") : 0;
    return digits > 0 && strcmp(text + length + digits, ".csv") == 0;
}

bool vks_sweep_is_part(const char *path)
{
    const char *at = strstr(path, ".part-");
    while (at && !is_part_end(at)) {
        at = strstr(at + 1, ".part-");
    }
    return at != NULL;
}

/* Names of files that may be parts: is_part_of() tells. Free with globfree(). */
static enum vks_result find_parts(const char *table, glob_t *found)
{
    const size_t length = strlen(table) - strlen(".csv");
    char *pattern = malloc(2 * length + 32), *to = pattern;
    if (!pattern) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < length; i++) { /* the name may have characters of patterns */
        *to = '\\';
        to += strchr("*?[]\\", table[i]) != NULL;
        *to++ = table[i];
    }
    memcpy(to, ".part-*.csv", sizeof(".part-*.csv"));
    const int result = glob(pattern, 0, NULL, found);
    free(pattern);
    return result == GLOB_NOSPACE ? vks_fail_memory() : VKS_OK;
}

/* True if a name that find_parts() found is that of a part. */
static bool is_part_of(const char *table, const char *path)
{
    return is_part_end(path + strlen(table) - strlen(".csv"));
}

static enum vks_result check_name(const char *path)
{
    return !vks_has_extension(path, ".csv")
               ? vks_fail(VKS_ERROR_USAGE, "--table '%s' must be the name of a .csv file", path)
           : vks_sweep_is_part(path)
               ? vks_fail(VKS_ERROR_USAGE, "--table '%s' has the name of a part of a sweep", path)
               : VKS_OK;
}

/* Adds the words in the first line of a part. */
static enum vks_result read_words(const char *path, const char *head, struct vks_words *words)
{
    const char *text = *head == '#' ? strchr(head, '[') : NULL;
    json_t *list = text ? vks_json_load(text, strcspn(text, "\n"), 0, NULL) : NULL;
    enum vks_result result = json_is_array(list)
                                 ? VKS_OK
                                 : vks_fail(VKS_ERROR_FILE, "'%s' is not a part of a sweep", path);
    for (size_t i = 0; i < json_array_size(list) && result == VKS_OK; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        result = vks_words_add(words, word ? word : "");
    }
    json_decref(list);
    return result;
}

enum vks_result vks_sweep_recall(const char *table, struct vks_words *words)
{
    glob_t parts = {0};
    bool found = false;
    enum vks_result result = check_name(table);
    result = result == VKS_OK ? find_parts(table, &parts) : result;
    for (size_t i = 0; i < parts.gl_pathc && result == VKS_OK && !found; i++) {
        const char *path = parts.gl_pathv[i];
        struct vks_csv csv = {.rows = 0};
        if (is_part_of(table, path)) {
            result = vks_csv_read(path, true, &csv);
            found = result == VKS_OK && csv.rows > 0; /* else it was killed while it wrote these */
            result = found ? read_words(path, csv.text, words) : result;
            vks_csv_free(&csv);
        }
    }
    globfree(&parts);
    return result == VKS_OK && !found
               ? vks_fail(VKS_ERROR_FILE,
                          "there is no sweep with the table '%s' to resume, because there are no "
                          "parts such as '%.*s.part-0.csv'",
                          table, (int)(strlen(table) - strlen(".csv")), table)
               : result;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* All parts, and the row of each job in them: the cell of its key; NULL: it has none. */
struct rows {
    struct vks_csv *files;
    size_t count;
    char ***rows;
    bool found, own; /* there is a part of this sweep; it is the one that this process writes */
};

static void free_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        vks_csv_free(&rows->files[i]);
    }
    free(rows->files);
    free(rows->rows);
}

static const char *const *fields_of(const struct vks_sweep *sweep, char **row)
{
    return (const char *const *)row + 1 + sweep->columns;
}

static bool is_number(const char *text, unsigned long max, unsigned long *number)
{
    char *end;
    *number = strtoul(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && *number <= max;
}

/* The exit code of a row; -1 for a damaged one. */
static int exit_of(const char *const *fields)
{
    unsigned long code;
    return is_number(fields[VKS_ROW_EXIT], 255, &code) && (code > 0 || fields[VKS_ROW_DIGEST][0])
               ? (int)code
               : -1;
}

/* Takes the rows of a part. A job keeps a row that has succeeded, otherwise it has its last. */
static void take_rows(const struct vks_sweep *sweep, const struct vks_csv *csv, struct rows *rows)
{
    for (size_t k = 1; k < csv->rows; k++) {
        char **row = &csv->cells[k * csv->columns];
        unsigned long job;
        if (is_number(row[0], sweep->count - 1, &job) && exit_of(fields_of(sweep, row + 1)) >= 0 &&
            !(rows->rows[job] && exit_of(fields_of(sweep, rows->rows[job])) == 0)) {
            rows->rows[job] = row + 1;
        }
    }
}

/* Reads the parts; this process's own is the last, so its failures replace older ones. A part
 * without a header is empty. A part of another sweep is an error or, unless `strict`, left out. */
static enum vks_result read_rows(const struct vks_sweep *sweep, const struct vks_sweep_table *table,
                                 bool strict, struct rows *rows)
{
    glob_t parts = {0};
    enum vks_result result = find_parts(table->path, &parts);
    *rows = (struct rows){.rows = calloc(sweep->count, sizeof(*rows->rows)),
                          .files = calloc(parts.gl_pathc + 1, sizeof(*rows->files))};
    result = result == VKS_OK && !(rows->rows && rows->files) ? vks_fail_memory() : result;
    for (size_t i = 0; i < 2 * parts.gl_pathc && result == VKS_OK; i++) {
        const char *path = parts.gl_pathv[i % parts.gl_pathc];
        const bool own = strcmp(path, table->part) == 0;
        if (own != (i >= parts.gl_pathc) || !is_part_of(table->path, path)) {
            continue;
        }
        struct vks_csv *csv = &rows->files[rows->count++];
        result = vks_csv_read(path, true, csv);
        if (result != VKS_OK || csv->rows == 0) {
            continue;
        }
        if (strncmp(csv->text, table->head, strlen(table->head)) == 0 &&
            csv->columns == 2 + sweep->columns + VKS_ROW_FIELDS) {
            take_rows(sweep, csv, rows);
            rows->own = rows->own || own;
            rows->found = true;
        } else if (strict) {
            result = vks_fail(VKS_ERROR_USAGE,
                              "'%s' belongs to another sweep, or to one of another version; choose "
                              "another --table, or --overwrite",
                              path);
        }
    }
    globfree(&parts);
    return result;
}

/* --- the table ------------------------------------------------------------------------------- */

struct page {
    const struct vks_sweep *sweep;
    struct rows rows;
    json_t *scalars; /* its keys are their names, in the order in which jobs have them first */
};

/* The scalars of a row, to be released; NULL: it has none. */
static json_t *scalars_of(const char *const *fields)
{
    const char *text = fields[VKS_ROW_SCALARS];
    return vks_json_load(text, strlen(text), 0, NULL);
}

static enum vks_result name_scalars(struct page *page)
{
    page->scalars = json_object();
    bool complete = page->scalars != NULL;
    for (size_t job = 0; job < page->sweep->count && complete; job++) {
        json_t *own = scalars_of(fields_of(page->sweep, page->rows.rows[job]));
        complete = !json_is_object(own) || json_object_update_missing(page->scalars, own) == 0;
        json_decref(own);
    }
    return complete ? VKS_OK : vks_fail_memory();
}

static enum vks_result print_table(FILE *out, const void *user)
{
    const struct page *page = user;
    const struct vks_sweep *sweep = page->sweep;
    const char *name;
    json_t *value;
    put_options(out, sweep);
    json_object_foreach(page->scalars, name, value)
    {
        put_field(out, name);
    }
    put_fields(out, names, VKS_ROW_STEPS, VKS_ROW_SECONDS);
    for (size_t job = 0; job < sweep->count; job++) {
        char **row = page->rows.rows[job];
        const char *const *fields = fields_of(sweep, row);
        put_values(out, sweep, job, row[0]);
        json_t *scalars = scalars_of(fields);
        json_object_foreach(page->scalars, name, value)
        {
            put_field(out, json_string_value(json_object_get(scalars, name)));
        }
        json_decref(scalars);
        put_fields(out, fields, VKS_ROW_STEPS, VKS_ROW_SECONDS);
    }
    return VKS_OK;
}

static enum vks_result print_times(FILE *out, const void *user)
{
    const struct page *page = user;
    fputs("job", out);
    put_fields(out, names, VKS_ROW_SECONDS, VKS_ROW_FIELDS);
    for (size_t job = 0; job < page->sweep->count; job++) {
        fprintf(out, "%zu", job);
        put_fields(out, fields_of(page->sweep, page->rows.rows[job]), VKS_ROW_SECONDS,
                   VKS_ROW_FIELDS);
    }
    return VKS_OK;
}

enum vks_result vks_sweep_merge(const struct vks_sweep *sweep, struct vks_sweep_table *table,
                                size_t *missing)
{
    struct page page = {.sweep = sweep};
    enum vks_result result = read_rows(sweep, table, false, &page.rows);
    *missing = 0;
    for (size_t job = 0; job < sweep->count && result == VKS_OK; job++) {
        *missing += !page.rows.rows[job];
    }
    if (result == VKS_OK && *missing == 0) {
        result = name_scalars(&page);
        result = result == VKS_OK ? vks_print_file(table->times, true, print_times, &page) : result;
        result = result == VKS_OK ? vks_print_file(table->path, true, print_table, &page) : result;
    }
    json_decref(page.scalars);
    free_rows(&page.rows);
    return result;
}

/* --- beginning ------------------------------------------------------------------------------- */

static bool is_same(int fd, const char *path)
{
    struct stat open, named;
    return fstat(fd, &open) == 0 && stat(path, &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

/* Opens and locks a part. */
static enum vks_result lock_part(const char *path, int *fd)
{
    *fd = vks_open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (*fd < 0) {
        return vks_fail_write(path, errno);
    }
    /* The process that had the lock may have removed the file since it was opened. */
    if (flock(*fd, LOCK_EX | LOCK_NB) != 0 || !is_same(*fd, path)) {
        (void)close(*fd);
        *fd = -1;
        return vks_fail(VKS_ERROR_FILE, "another process is writing '%s'", path);
    }
    return VKS_OK;
}

/* --overwrite: removes the parts that other divisions of the jobs have left. */
static enum vks_result remove_others(const struct vks_sweep_table *table)
{
    glob_t parts = {0};
    enum vks_result result = find_parts(table->path, &parts);
    for (size_t i = 0; i < parts.gl_pathc && result == VKS_OK; i++) {
        const char *path = parts.gl_pathv[i];
        int fd;
        if (strcmp(path, table->part) == 0 || !is_part_of(table->path, path)) {
            continue;
        }
        result = lock_part(path, &fd);
        if (result == VKS_OK) {
            result = unlink(path) == 0 ? VKS_OK : vks_fail_write(path, errno);
            (void)close(fd);
        }
    }
    globfree(&parts);
    return result;
}

/* Cuts a row that a killed process has begun, or everything and writes the head. */
static enum vks_result begin_part(const struct vks_sweep *sweep, struct vks_sweep_table *table,
                                  bool own)
{
    char *text = NULL;
    size_t size;
    enum vks_result result =
        own ? vks_read_regular_file(table->part, 1 << 30, &text, &size) : VKS_OK;
    const char *end = text ? strrchr(text, '\n') : NULL;
    if (result == VKS_OK && ftruncate(table->fd, end ? end + 1 - text : 0) != 0) {
        result = vks_fail_write(table->part, errno);
    }
    free(text);
    if (result != VKS_OK || own) {
        return result;
    }
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return vks_fail_memory();
    }
    fputs(table->head, out);
    put_options(out, sweep);
    put_fields(out, names, 0, VKS_ROW_FIELDS);
    result = fclose(out) == 0 ? vks_sweep_append(table, text) : vks_fail_memory();
    table->empty = (off_t)size;
    free(text);
    return result;
}

/* The tables can be written, and replace nothing unless that is allowed. */
static enum vks_result check_tables(const struct vks_sweep_table *table, bool replace)
{
    const char *const paths[] = {table->path, table->times};
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < VKS_COUNT(paths) && result == VKS_OK; i++) {
        struct vks_atomic_file file = {0};
        result = vks_atomic_file_begin(&file, paths[i], replace);
        vks_atomic_file_abort(&file);
    }
    return result;
}

/* Reads the rows of earlier processes, and checks that nothing is replaced that should not be.
 * *own: the part has a header. */
static enum vks_result check_files(const struct vks_sweep *sweep, struct vks_sweep_table *table,
                                   bool *own)
{
    const bool resumes = sweep->values.resume != NULL, replaces = sweep->values.overwrite;
    struct rows rows = {0};
    enum vks_result result = resumes ? VKS_OK : check_tables(table, replaces);
    if (result == VKS_OK && !replaces) {
        result = read_rows(sweep, table, true, &rows);
    }
    *own = rows.own;
    table->begun = resumes && rows.found;
    if (result == VKS_OK && resumes) {
        result = check_tables(table, table->begun);
    }
    if (result == VKS_OK && rows.own && !resumes) {
        result = vks_fail_hint(VKS_ERROR_EXISTS, VKS_HINT_OVERWRITE,
                               "'%s' has rows of a sweep that was not completed, which --resume "
                               "'%s' continues",
                               table->part, table->path);
    }
    for (size_t job = 0; job < sweep->count && result == VKS_OK; job++) {
        char **row = table->begun ? rows.rows[job] : NULL;
        table->done[job] = row ? (int16_t)exit_of(fields_of(sweep, row)) : -1;
    }
    free_rows(&rows);
    return result == VKS_OK && !table->begun ? vks_sweep_check_new(sweep) : result;
}

enum vks_result vks_sweep_open(const struct vks_sweep *sweep, const char *key, bool dry,
                               struct vks_sweep_table *table)
{
    const char *path = sweep->values.table ? sweep->values.table : sweep->values.resume;
    char part[64];
    bool own = false;
    *table = (struct vks_sweep_table){.fd = -1};
    if (!path) {
        return vks_fail(VKS_ERROR_USAGE, "sweep needs --table FILE.csv for its results");
    }
    enum vks_result result = check_name(path);
    if (result != VKS_OK) {
        return result;
    }
    snprintf(part, sizeof(part), "part-%zu.csv", sweep->part);
    table->path = vks_strdup(path);
    table->part = beside(path, part);
    table->times = beside(path, "times.csv");
    table->done = malloc(sweep->count * sizeof(*table->done));
    result = table->path && table->part && table->times && table->done
                 ? make_head(sweep, key, &table->head)
                 : vks_fail_memory();
    if (result == VKS_OK && !dry) {
        result = lock_part(table->part, &table->fd);
    }
    if (result == VKS_OK) {
        result = check_files(sweep, table, &own);
    }
    if (result == VKS_OK && !dry && sweep->values.overwrite) {
        result = remove_others(table);
    }
    return result == VKS_OK && !dry ? begin_part(sweep, table, own) : result;
}

void vks_sweep_close(struct vks_sweep_table *table)
{
    struct stat info;
    if (table->fd >= 0) {
        /* Nothing has been done, as without a device. The lock is held until after this. */
        if (fstat(table->fd, &info) == 0 && info.st_size == table->empty) {
            (void)unlink(table->part);
        }
        (void)close(table->fd);
    }
    free(table->path);
    free(table->part);
    free(table->times);
    free(table->head);
    free(table->done);
}
