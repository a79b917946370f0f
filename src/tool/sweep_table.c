/* SPDX-License-Identifier: MIT */
/* The files of a sweep: rows are appended to parts, and the table is made from all parts. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
    table->added += error == 0;
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

/* The names of all parts; free with globfree(). */
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

static enum vks_result check_name(const char *path)
{
    return vks_has_extension(path, ".csv")
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE, "--table '%s' must be the name of a .csv file", path);
}

enum vks_result vks_sweep_recall(const char *table, struct vks_words *words)
{
    glob_t parts = {0};
    struct vks_csv csv = {.rows = 0};
    enum vks_result result = check_name(table);
    result = result == VKS_OK ? find_parts(table, &parts) : result;
    if (result == VKS_OK && parts.gl_pathc == 0) {
        result = vks_fail(VKS_ERROR_FILE,
                          "there is no sweep with the table '%s' to resume, because there are no "
                          "parts such as '%.*s.part-0.csv'",
                          table, (int)(strlen(table) - strlen(".csv")), table);
    }
    if (result == VKS_OK) {
        result = vks_csv_read(parts.gl_pathv[0], true, &csv);
    }
    const char *text = result == VKS_OK ? strchr(csv.text, '[') : NULL;
    json_t *list =
        text && csv.text[0] == '#' ? vks_json_load(text, strcspn(text, "\n"), 0, NULL) : NULL;
    if (result == VKS_OK && !json_is_array(list)) {
        result = vks_fail(VKS_ERROR_FILE, "'%s' is not a part of a sweep", parts.gl_pathv[0]);
    }
    for (size_t i = 0; i < json_array_size(list) && result == VKS_OK; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        result = vks_words_add(words, word ? word : "");
    }
    json_decref(list);
    vks_csv_free(&csv);
    globfree(&parts);
    return result;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* All parts, and the row of each job in them: the cell of its key; NULL: it has none. */
struct rows {
    struct vks_csv *files;
    size_t count;
    char ***rows;
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

/* Reads the parts. A job that has succeeded keeps that row, another has its last. A part of another
 * sweep is an error or, unless `strict`, left out. */
static enum vks_result read_rows(const struct vks_sweep *sweep, const struct vks_sweep_table *table,
                                 bool strict, struct rows *rows)
{
    glob_t parts = {0};
    enum vks_result result = find_parts(table->path, &parts);
    *rows = (struct rows){.rows = calloc(sweep->count, sizeof(*rows->rows)),
                          .files = calloc(parts.gl_pathc + 1, sizeof(*rows->files))};
    result = result == VKS_OK && !(rows->rows && rows->files) ? vks_fail_memory() : result;
    for (size_t i = 0; i < parts.gl_pathc && result == VKS_OK; i++) {
        struct vks_csv *csv = &rows->files[rows->count++];
        result = vks_csv_read(parts.gl_pathv[i], true, csv);
        const bool ours = result == VKS_OK &&
                          strncmp(csv->text, table->head, strlen(table->head)) == 0 &&
                          csv->columns == 2 + sweep->columns + VKS_ROW_FIELDS;
        if (result == VKS_OK && !ours && csv->text[0] && strict) {
            result = vks_fail(VKS_ERROR_USAGE,
                              "'%s' belongs to another sweep, or to one of another version; choose "
                              "another --table, or --overwrite",
                              parts.gl_pathv[i]);
        }
        for (size_t k = 1; ours && k < csv->rows; k++) {
            char **row = &csv->cells[k * csv->columns];
            const unsigned long job = strtoul(row[0], NULL, 10);
            char ***at = job < sweep->count ? &rows->rows[job] : NULL;
            if (at && !(*at && strcmp(fields_of(sweep, *at)[VKS_ROW_EXIT], "0") == 0)) {
                *at = row + 1;
            }
        }
    }
    globfree(&parts);
    return result;
}

/* --- the table ------------------------------------------------------------------------------- */

struct page {
    const struct vks_sweep *sweep;
    struct rows rows;
    struct vks_words scalars; /* names, in the order in which jobs have them first */
};

/* The value of a scalar in "u=0.43;v=0.21", as a heap string, "" if it has none; NULL without
 * memory. */
static char *find_scalar(const char *list, const char *name)
{
    const size_t length = strlen(name);
    while (*list && !(strncmp(list, name, length) == 0 && list[length] == '=')) {
        list += strcspn(list, ";");
        list += *list == ';';
    }
    list += *list ? length + 1 : 0;
    return vks_format("%.*s", (int)strcspn(list, ";"), list);
}

static enum vks_result name_scalars(struct page *page)
{
    struct vks_words *scalars = &page->scalars;
    enum vks_result result = VKS_OK;
    for (size_t job = 0; job < page->sweep->count; job++) {
        const char *at = fields_of(page->sweep, page->rows.rows[job])[VKS_ROW_SCALARS];
        while (*at && result == VKS_OK) {
            char *name = vks_format("%.*s", (int)strcspn(at, "="), at);
            size_t known = 0;
            while (name && known < scalars->count && strcmp(scalars->words[known], name) != 0) {
                known++;
            }
            result = !name                     ? vks_fail_memory()
                     : known == scalars->count ? vks_words_add(scalars, name)
                                               : VKS_OK;
            free(name);
            at += strcspn(at, ";");
            at += *at == ';';
        }
    }
    return result;
}

static enum vks_result print_table(FILE *out, const void *user)
{
    const struct page *page = user;
    const struct vks_sweep *sweep = page->sweep;
    put_options(out, sweep);
    for (size_t i = 0; i < page->scalars.count; i++) {
        put_field(out, page->scalars.words[i]);
    }
    put_fields(out, names, VKS_ROW_STEPS, VKS_ROW_SECONDS);
    for (size_t job = 0; job < sweep->count; job++) {
        char **row = page->rows.rows[job];
        const char *const *fields = fields_of(sweep, row);
        put_values(out, sweep, job, row[0]);
        for (size_t i = 0; i < page->scalars.count; i++) {
            char *value = find_scalar(fields[VKS_ROW_SCALARS], page->scalars.words[i]);
            if (!value) {
                return vks_fail_memory();
            }
            put_field(out, value);
            free(value);
        }
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
    vks_words_free(&page.scalars);
    free_rows(&page.rows);
    return result;
}

/* --- beginning ------------------------------------------------------------------------------- */

/* Opens the part and locks it, cuts a row that a killed process has begun, and begins a new one. */
static enum vks_result open_part(const struct vks_sweep *sweep, struct vks_sweep_table *table)
{
    char *text = NULL;
    size_t size;
    table->fd = vks_open(table->part, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (table->fd < 0) {
        return vks_fail_write(table->part, errno);
    }
    if (flock(table->fd, LOCK_EX | LOCK_NB) != 0) {
        return vks_fail(VKS_ERROR_FILE, "another process writes '%s'", table->part);
    }
    enum vks_result result = sweep->values.overwrite
                                 ? VKS_OK
                                 : vks_read_regular_file(table->part, 1 << 30, &text, &size);
    const char *end = text ? strrchr(text, '\n') : NULL;
    if (result == VKS_OK && ftruncate(table->fd, end ? end + 1 - text : 0) != 0) {
        result = vks_fail_write(table->part, errno);
    }
    free(text);
    FILE *out = result == VKS_OK && !end ? open_memstream(&text, &size) : NULL;
    if (out) {
        fputs(table->head, out);
        put_options(out, sweep);
        put_fields(out, names, 0, VKS_ROW_FIELDS);
        result = fclose(out) == 0 ? vks_sweep_append(table, text) : vks_fail_memory();
        table->added = 0;
        free(text);
    }
    return result;
}

/* A sweep that is not resumed replaces nothing. */
static enum vks_result check_new(const struct vks_sweep_table *table)
{
    if (access(table->path, F_OK) == 0) {
        return vks_fail_exists(table->path);
    }
    return table->begun ? vks_fail_hint(VKS_ERROR_EXISTS, VKS_HINT_OVERWRITE,
                                        "'%s' has rows of a sweep that was not completed, which "
                                        "--resume '%s' continues",
                                        table->part, table->path)
                        : VKS_OK;
}

enum vks_result vks_sweep_open(const struct vks_sweep *sweep, const char *key, bool dry,
                               struct vks_sweep_table *table)
{
    const char *path = sweep->values.table ? sweep->values.table : sweep->values.resume;
    const bool resumes = sweep->values.resume != NULL;
    struct rows rows = {0};
    char part[64];
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
    table->begun = result == VKS_OK && access(table->part, F_OK) == 0;
    if (result == VKS_OK && !resumes && !sweep->values.overwrite) {
        result = check_new(table);
    }
    if (result == VKS_OK && !sweep->values.overwrite) {
        result = read_rows(sweep, table, true, &rows);
    }
    for (size_t job = 0; job < sweep->count && result == VKS_OK; job++) {
        char **row = rows.rows && resumes ? rows.rows[job] : NULL;
        table->done[job] = row ? (int16_t)atoi(fields_of(sweep, row)[VKS_ROW_EXIT]) : -1;
    }
    free_rows(&rows);
    return result == VKS_OK && !dry ? open_part(sweep, table) : result;
}

void vks_sweep_close(struct vks_sweep_table *table)
{
    if (table->fd >= 0) {
        if (table->added == 0 && !table->begun) { /* nothing has been done, as without a device */
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
