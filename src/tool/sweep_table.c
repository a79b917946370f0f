/* SPDX-License-Identifier: MIT */
/* The files of a sweep: rows are appended to a part, and the parts become the table. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "tool/cli.h"
#include "tool/sweep.h"

static const char *const fields[VKS_ROW_FIELDS + 1] = {
    [VKS_ROW_KEY] = "key",       [VKS_ROW_SCALARS] = "scalars", [VKS_ROW_STEPS] = "steps",
    [VKS_ROW_DIGEST] = "digest", [VKS_ROW_EXIT] = "exit",       [VKS_ROW_SECONDS] = "seconds",
    [VKS_ROW_DEVICE] = "device", [VKS_ROW_MESSAGE] = "message",
};

/* --- lines ------------------------------------------------------------------------------------ */

static void put_field(FILE *out, const char *text)
{
    fputc(',', out);
    vks_csv_put(out, text ? text : "");
}

/* "job,key,feed,kill": how all tables of the sweep begin. */
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

char *vks_sweep_line(const struct vks_sweep *sweep, size_t job,
                     const char *const texts[VKS_ROW_FIELDS])
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) {
        return NULL;
    }
    put_values(out, sweep, job, texts[VKS_ROW_KEY]);
    for (size_t i = VKS_ROW_KEY + 1; i < VKS_ROW_FIELDS; i++) {
        put_field(out, texts[i]);
    }
    fputc('\n', out);
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
    table->lines++;
    return error                   ? vks_fail_write(table->part, error)
           : fsync(table->fd) != 0 ? vks_fail_write(table->part, errno)
                                   : VKS_OK;
}

/* --- rows that are there ---------------------------------------------------------------------- */

/* What is known of a job: fields of one of the files that are open. */
struct row {
    const char *fields[VKS_ROW_FIELDS]; /* no exit code: there is no row */
    char *scalars;                      /* made from columns of the table; NULL: none were */
};

struct rows {
    struct row *rows; /* of every job */
    struct vks_csv *files;
    size_t count, capacity;
};

static void free_rows(const struct vks_sweep *sweep, struct rows *rows)
{
    for (size_t i = 0; rows->rows && i < sweep->count; i++) {
        free(rows->rows[i].scalars);
    }
    for (size_t i = 0; i < rows->count; i++) {
        vks_csv_free(&rows->files[i]);
    }
    free(rows->rows);
    free(rows->files);
}

static enum vks_result fail_other(const char *path)
{
    return vks_fail(VKS_ERROR_USAGE,
                    "'%s' belongs to another sweep, or to one of another version; choose another "
                    "--table, or remove it",
                    path);
}

/* Whether the file has jobs of this sweep. Within a file all keys differ from those of another
 * sweep or none does, so that one is compared. */
static enum vks_result check_rows(const struct vks_sweep *sweep, const char *path,
                                  const struct vks_csv *csv)
{
    bool compared = false;
    bool same = csv->columns > 2 + sweep->columns && strcmp(csv->cells[0], "job") == 0 &&
                strcmp(csv->cells[1], fields[VKS_ROW_KEY]) == 0;
    for (size_t i = 0; i < sweep->columns && same; i++) {
        same = strcmp(csv->cells[2 + i], vks_sweep_option(sweep, i)) == 0;
    }
    for (size_t row = 1; row < csv->rows && same; row++) {
        char *end;
        const unsigned long job = strtoul(vks_csv_cell(csv, row, 0), &end, 10);
        const char *key = vks_csv_cell(csv, row, 1);
        same = *end == '\0' && job < sweep->count;
        for (size_t i = 0; i < sweep->columns && same; i++) {
            same = strcmp(vks_csv_cell(csv, row, 2 + i), vks_sweep_value(sweep, job, i)) == 0;
        }
        if (same && !compared && key[0]) {
            struct vks_words words = {0};
            struct vks_call call = {0};
            char own[33] = "";
            enum vks_result result = vks_sweep_call(sweep, job, false, &words, &call);
            result = result == VKS_OK ? vks_job_key(&call, false, own) : result;
            vks_call_free(&call);
            vks_words_free(&words);
            same = result == VKS_OK && strcmp(own, key) == 0;
            compared = true;
        }
    }
    return same ? VKS_OK : fail_other(path);
}

/* "u=0.43;v=0.21" from the columns between the options and "steps". */
static char *join_scalars(const struct vks_sweep *sweep, const struct vks_csv *csv, size_t row)
{
    const size_t end = vks_csv_column(csv, fields[VKS_ROW_STEPS]);
    char *list = vks_strdup("");
    for (size_t i = 2 + sweep->columns; list && i < end; i++) {
        const char *value = vks_csv_cell(csv, row, i);
        char *more = value[0] ? vks_format("%s%s%s=%s", list, list[0] ? ";" : "",
                                           vks_csv_cell(csv, 0, i), value)
                              : vks_strdup(list);
        free(list);
        list = more;
    }
    return list;
}

/* Takes the rows of a file. A job that has succeeded keeps its row; `first` are fields that only
 * jobs without a row get, such as those of the table, which is older than the parts. */
static enum vks_result take_rows(const struct vks_sweep *sweep, struct rows *rows,
                                 const struct vks_csv *csv, bool older)
{
    const bool joined = vks_csv_column(csv, fields[VKS_ROW_SCALARS]) < csv->columns;
    for (size_t i = 1; i < csv->rows; i++) {
        struct row *row = &rows->rows[strtoul(vks_csv_cell(csv, i, 0), NULL, 10)];
        const char *before = row->fields[VKS_ROW_EXIT];
        if (before && (older || strcmp(before, "0") == 0)) {
            continue;
        }
        for (size_t k = 0; k < VKS_ROW_FIELDS; k++) {
            const size_t column = vks_csv_column(csv, fields[k]);
            row->fields[k] = column < csv->columns ? vks_csv_cell(csv, i, column) : "";
        }
        if (!joined) {
            free(row->scalars);
            row->fields[VKS_ROW_SCALARS] = row->scalars = join_scalars(sweep, csv, i);
            if (!row->scalars) {
                return vks_fail_memory();
            }
        }
    }
    return VKS_OK;
}

/* Takes a file, if it is there. One of another sweep is an error or, unless `strict`, left out. */
static enum vks_result take_file(const struct vks_sweep *sweep, struct rows *rows, const char *path,
                                 bool is_table, bool strict)
{
    struct vks_csv *files = vks_grow(rows->files, sizeof(*files), rows->count, &rows->capacity);
    if (!files) {
        return vks_fail_memory();
    }
    rows->files = files;
    if (access(path, F_OK) != 0) {
        return VKS_OK;
    }
    struct vks_csv *csv = &files[rows->count++];
    enum vks_result result = vks_csv_read(path, !is_table, csv);
    if (result == VKS_OK && csv->rows > 0) {
        result = check_rows(sweep, path, csv);
        result = result == VKS_OK ? take_rows(sweep, rows, csv, is_table) : result;
    }
    return result == VKS_ERROR_USAGE && !strict ? VKS_OK : result;
}

/* The times of jobs whose rows are in the table. */
static enum vks_result take_times(const struct vks_sweep *sweep, struct rows *rows,
                                  const char *path)
{
    if (access(path, F_OK) != 0) {
        return VKS_OK;
    }
    struct vks_csv *files = vks_grow(rows->files, sizeof(*files), rows->count, &rows->capacity);
    if (!files) {
        return vks_fail_memory();
    }
    rows->files = files;
    struct vks_csv *csv = &files[rows->count++];
    const enum vks_result result = vks_csv_read(path, false, csv);
    for (size_t i = 1; i < csv->rows && result == VKS_OK; i++) {
        const unsigned long job = strtoul(vks_csv_cell(csv, i, 0), NULL, 10);
        struct row *row = job < sweep->count ? &rows->rows[job] : NULL;
        for (size_t k = VKS_ROW_SECONDS; row && row->scalars && k < VKS_ROW_FIELDS; k++) {
            const size_t column = vks_csv_column(csv, fields[k]);
            row->fields[k] = column < csv->columns ? vks_csv_cell(csv, i, column) : "";
        }
    }
    return result;
}

/* The names of all parts that are there; free with globfree(). */
static enum vks_result find_parts(const struct vks_sweep_table *table, glob_t *found)
{
    const size_t length = strlen(table->path) - strlen(".csv");
    char *pattern = malloc(2 * length + 32), *to = pattern;
    if (!pattern) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < length; i++) { /* the name may have characters of patterns */
        *to = '\\';
        to += strchr("*?[]\\", table->path[i]) != NULL;
        *to++ = table->path[i];
    }
    memcpy(to, ".part-*.csv", sizeof(".part-*.csv"));
    const int result = glob(pattern, 0, NULL, found);
    free(pattern);
    return result == GLOB_NOSPACE ? vks_fail_memory() : VKS_OK;
}

/* Parts are read before the table: another process may write it from them and remove them. */
static enum vks_result read_rows(const struct vks_sweep *sweep, const struct vks_sweep_table *table,
                                 bool strict, struct rows *rows)
{
    glob_t parts = {0};
    *rows = (struct rows){.rows = calloc(sweep->count, sizeof(*rows->rows))};
    enum vks_result result = rows->rows ? find_parts(table, &parts) : vks_fail_memory();
    for (size_t i = 0; i < parts.gl_pathc && result == VKS_OK; i++) {
        result = take_file(sweep, rows, parts.gl_pathv[i], false, strict);
    }
    globfree(&parts);
    if (result == VKS_OK && !sweep->values.overwrite) {
        result = take_file(sweep, rows, table->path, true, strict);
        result = result == VKS_OK ? take_times(sweep, rows, table->times) : result;
    }
    return result;
}

/* --- the table -------------------------------------------------------------------------------- */

/* Names of scalars, in the order in which jobs have them first. */
struct scalars {
    char **names;
    size_t count, capacity;
};

/* The value of a scalar in a list, as a heap string, "" if it has none; NULL without memory. */
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

static enum vks_result add_scalar(struct scalars *scalars, const char *text)
{
    const size_t length = strcspn(text, "=");
    for (size_t i = 0; i < scalars->count; i++) {
        if (strlen(scalars->names[i]) == length && strncmp(scalars->names[i], text, length) == 0) {
            return VKS_OK;
        }
    }
    char **names = vks_grow(scalars->names, sizeof(*names), scalars->count, &scalars->capacity);
    if (!names) {
        return vks_fail_memory();
    }
    scalars->names = names;
    names[scalars->count] = vks_format("%.*s", (int)length, text);
    return names[scalars->count++] ? VKS_OK : vks_fail_memory();
}

static enum vks_result name_scalars(const struct vks_sweep *sweep, const struct rows *rows,
                                    struct scalars *scalars)
{
    enum vks_result result = VKS_OK;
    for (size_t job = 0; job < sweep->count; job++) {
        const char *at = rows->rows[job].fields[VKS_ROW_SCALARS];
        while (*at && result == VKS_OK) {
            result = add_scalar(scalars, at);
            at += strcspn(at, ";");
            at += *at == ';';
        }
    }
    return result;
}

struct page {
    const struct vks_sweep *sweep;
    const struct rows *rows;
    struct scalars scalars;
};

static enum vks_result print_table(FILE *out, const void *user)
{
    const struct page *page = user;
    const struct vks_sweep *sweep = page->sweep;
    put_options(out, sweep);
    for (size_t i = 0; i < page->scalars.count; i++) {
        put_field(out, page->scalars.names[i]);
    }
    for (size_t k = VKS_ROW_STEPS; k <= VKS_ROW_EXIT; k++) {
        put_field(out, fields[k]);
    }
    fputc('\n', out);
    for (size_t job = 0; job < sweep->count; job++) {
        const struct row *row = &page->rows->rows[job];
        put_values(out, sweep, job, row->fields[VKS_ROW_KEY]);
        for (size_t i = 0; i < page->scalars.count; i++) {
            char *value = find_scalar(row->fields[VKS_ROW_SCALARS], page->scalars.names[i]);
            if (!value) {
                return vks_fail_memory();
            }
            put_field(out, value);
            free(value);
        }
        for (size_t k = VKS_ROW_STEPS; k <= VKS_ROW_EXIT; k++) {
            put_field(out, row->fields[k]);
        }
        fputc('\n', out);
    }
    return VKS_OK;
}

static enum vks_result print_times(FILE *out, const void *user)
{
    const struct page *page = user;
    fputs("job", out);
    for (size_t k = VKS_ROW_SECONDS; k < VKS_ROW_FIELDS; k++) {
        put_field(out, fields[k]);
    }
    fputc('\n', out);
    for (size_t job = 0; job < page->sweep->count; job++) {
        fprintf(out, "%zu", job);
        for (size_t k = VKS_ROW_SECONDS; k < VKS_ROW_FIELDS; k++) {
            put_field(out, page->rows->rows[job].fields[k]);
        }
        fputc('\n', out);
    }
    return VKS_OK;
}

/* Removes the parts that no other process writes. */
static void remove_parts(struct vks_sweep_table *table)
{
    glob_t parts = {0};
    if (find_parts(table, &parts) != VKS_OK) {
        return;
    }
    for (size_t i = 0; i < parts.gl_pathc; i++) {
        const bool own = strcmp(parts.gl_pathv[i], table->part) == 0;
        const int fd = vks_open(parts.gl_pathv[i], O_RDONLY | O_CLOEXEC, 0);
        if (fd >= 0 && (own || flock(fd, LOCK_EX | LOCK_NB) == 0)) {
            (void)unlink(parts.gl_pathv[i]);
        }
        if (fd >= 0) {
            (void)close(fd);
        }
    }
    globfree(&parts);
}

enum vks_result vks_sweep_merge(const struct vks_sweep *sweep, struct vks_sweep_table *table,
                                size_t *missing)
{
    struct rows rows = {0};
    struct page page = {.sweep = sweep, .rows = &rows};
    enum vks_result result = read_rows(sweep, table, false, &rows);
    *missing = 0;
    for (size_t job = 0; job < sweep->count && result == VKS_OK; job++) {
        *missing += !rows.rows[job].fields[VKS_ROW_EXIT];
    }
    if (result == VKS_OK && *missing == 0) {
        result = name_scalars(sweep, &rows, &page.scalars);
        if (result == VKS_OK) {
            result = vks_print_file(table->times, true, print_times, &page);
        }
        if (result == VKS_OK) {
            result = vks_print_file(table->path, true, print_table, &page);
        }
        if (result == VKS_OK) {
            remove_parts(table);
        }
    }
    for (size_t i = 0; i < page.scalars.count; i++) {
        free(page.scalars.names[i]);
    }
    free(page.scalars.names);
    free_rows(sweep, &rows);
    return result;
}

/* --- beginning -------------------------------------------------------------------------------- */

enum { MAX_RECORD = 1 << 20 };

/* What --resume reads: a JSON array of the words that define the sweep. */
static char *make_record(const struct vks_sweep *sweep)
{
    const struct vks_call *call = sweep->call;
    struct vks_words words = {0};
    json_t *list = json_array();
    enum vks_result result = list ? vks_words_add_model(&words, call) : vks_fail_memory();
    for (size_t i = 0; i < call->word_count && result == VKS_OK; i++) {
        const struct vks_word *word = &call->words[i];
        if (!vks_call_is_own(call, word) || vks_sweep_varies(word)) {
            result = vks_words_add_option(&words, word->option, word->text);
        }
    }
    for (size_t i = 0; i < words.count && result == VKS_OK; i++) {
        result =
            json_array_append_new(list, json_string(words.words[i])) == 0 ? VKS_OK : VKS_ERROR_FILE;
    }
    json_t *record = json_pack("{s:s, s:I, s:O}", "vksim", VKS_VERSION, "jobs",
                               (json_int_t)sweep->count, "options", list);
    char *text = result == VKS_OK && record ? vks_json_dump(record, JSON_INDENT(2)) : NULL;
    char *line = text ? vks_format("%s\n", text) : NULL;
    json_decref(record);
    json_decref(list);
    vks_words_free(&words);
    free(text);
    return line;
}

/* map.NAME for a table map.csv, a heap string; NULL without memory. */
static char *beside(const char *table, const char *name)
{
    return vks_format("%.*s.%s", (int)(strlen(table) - strlen(".csv")), table, name);
}

enum vks_result vks_sweep_recall(const char *table, struct vks_words *words)
{
    char *text = NULL,
         *path = vks_has_extension(table, ".csv") ? beside(table, "sweep.json") : NULL;
    size_t size = 0;
    enum vks_result result =
        path ? vks_read_regular_file(path, MAX_RECORD, &text, &size) : VKS_ERROR_FILE;
    json_t *record = result == VKS_OK ? vks_json_load(text, size, 0, NULL) : NULL;
    const json_t *list = json_object_get(record, "options");
    if (!json_is_array(list)) {
        result = vks_fail(VKS_ERROR_FILE,
                          "there is no sweep with the table '%s' to resume; it would be described "
                          "in '%s'",
                          table, path ? path : "FILE.sweep.json");
    }
    for (size_t i = 0; i < json_array_size(list) && result == VKS_OK; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        result = word ? vks_words_add(words, word) : fail_other(path);
    }
    json_decref(record);
    free(text);
    free(path);
    return result;
}

/* Writes the record of the sweep, or compares it with one that is there. */
static enum vks_result record(const struct vks_sweep *sweep, struct vks_sweep_table *table,
                              bool dry)
{
    char *own = make_record(sweep), *there = NULL;
    size_t size;
    enum vks_result result = own ? VKS_OK : vks_fail_memory();
    const bool exists = access(table->record, F_OK) == 0;
    if (result == VKS_OK && exists && !sweep->values.overwrite && !sweep->values.resume) {
        result = vks_read_regular_file(table->record, MAX_RECORD, &there, &size);
        if (result == VKS_OK && strcmp(own, there) != 0) {
            result = fail_other(table->record);
        }
    } else if (result == VKS_OK && !dry) { /* one that is resumed may have grown */
        result = vks_write_file(table->record, true, own, strlen(own));
        table->has_record = result == VKS_OK && !exists;
    }
    free(there);
    free(own);
    return result;
}

/* Opens the part, locks it, and cuts a row that a killed process has begun. */
static enum vks_result open_part(const struct vks_sweep *sweep, struct vks_sweep_table *table)
{
    const bool fresh = sweep->values.overwrite;
    char *text = NULL, *head = NULL;
    size_t size = 0;
    table->is_new = access(table->part, F_OK) != 0;
    table->fd = vks_open(table->part, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (table->fd < 0) {
        return vks_fail_write(table->part, errno);
    }
    if (flock(table->fd, LOCK_EX | LOCK_NB) != 0) {
        return vks_fail(VKS_ERROR_FILE, "another process writes '%s'", table->part);
    }
    enum vks_result result =
        fresh ? VKS_OK : vks_read_regular_file(table->part, 1 << 30, &text, &size);
    const char *end = text ? strrchr(text, '\n') : NULL;
    const size_t keep = end ? (size_t)(end + 1 - text) : 0;
    if (result == VKS_OK && ftruncate(table->fd, (off_t)keep) != 0) {
        result = vks_fail_write(table->part, errno);
    }
    if (result == VKS_OK && keep == 0) {
        FILE *out = open_memstream(&head, &size);
        if (out) {
            put_options(out, sweep);
            for (size_t k = VKS_ROW_KEY + 1; k < VKS_ROW_FIELDS; k++) {
                put_field(out, fields[k]);
            }
            fputc('\n', out);
        }
        result = out && fclose(out) == 0 ? vks_sweep_append(table, head) : vks_fail_memory();
    }
    free(head);
    free(text);
    return result;
}

/* A sweep that is not resumed replaces no rows. */
static enum vks_result check_new(const struct vks_sweep *sweep, const struct vks_sweep_table *table)
{
    if (access(table->path, F_OK) == 0 && !sweep->values.overwrite) {
        return vks_fail_exists(table->path);
    }
    if (access(table->part, F_OK) == 0 && !sweep->values.overwrite) {
        return vks_fail_hint(VKS_ERROR_EXISTS, VKS_HINT_OVERWRITE,
                             "'%s' has rows of a sweep that was not completed; --resume '%s' "
                             "continues it",
                             table->part, table->path);
    }
    return VKS_OK;
}

static enum vks_result name_files(const struct vks_sweep *sweep, struct vks_sweep_table *table)
{
    char part[64];
    const char *path = sweep->values.table ? sweep->values.table : sweep->values.resume;
    if (!path) {
        return vks_fail(VKS_ERROR_USAGE, "sweep needs --table FILE.csv for its results");
    }
    if (!vks_has_extension(path, ".csv")) {
        return vks_fail(VKS_ERROR_USAGE, "--table '%s' must be the name of a .csv file", path);
    }
    snprintf(part, sizeof(part), "part-%zu.csv", sweep->part);
    table->path = vks_strdup(path);
    table->part = beside(path, part);
    table->times = beside(path, "times.csv");
    table->record = beside(path, "sweep.json");
    return table->path && table->part && table->times && table->record ? VKS_OK : vks_fail_memory();
}

enum vks_result vks_sweep_open(const struct vks_sweep *sweep, bool dry,
                               struct vks_sweep_table *table)
{
    struct rows rows = {0};
    *table = (struct vks_sweep_table){.fd = -1};
    enum vks_result result = name_files(sweep, table);
    if (result == VKS_OK && !sweep->values.resume) {
        result = check_new(sweep, table);
    }
    if (result == VKS_OK) {
        result = record(sweep, table, dry);
    }
    table->done = result == VKS_OK ? malloc(sweep->count * sizeof(*table->done)) : NULL;
    if (result == VKS_OK && !table->done) {
        result = vks_fail_memory();
    }
    if (result == VKS_OK) {
        memset(table->done, -1, sweep->count * sizeof(*table->done));
        table->begun = sweep->values.resume &&
                       (access(table->path, F_OK) == 0 || access(table->part, F_OK) == 0);
    }
    if (result == VKS_OK && sweep->values.resume) {
        result = read_rows(sweep, table, true, &rows);
        for (size_t job = 0; job < sweep->count && result == VKS_OK; job++) {
            const char *code = rows.rows[job].fields[VKS_ROW_EXIT];
            table->done[job] = code ? (int16_t)(atoi(code) & 255) : -1;
        }
        free_rows(sweep, &rows);
    }
    return result == VKS_OK && !dry ? open_part(sweep, table) : result;
}

void vks_sweep_close(struct vks_sweep_table *table)
{
    if (table->is_new && table->lines <= 1) { /* nothing has been done, as without a device */
        (void)unlink(table->part);
    }
    if (table->has_record && table->lines <= 1) {
        (void)unlink(table->record);
    }
    if (table->fd >= 0) {
        (void)close(table->fd);
    }
    free(table->path);
    free(table->part);
    free(table->times);
    free(table->record);
    free(table->done);
}
