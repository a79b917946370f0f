/* SPDX-License-Identifier: MIT */
/* The command `sweep`: a list of jobs, each of which is a command line of vksim, the processes that
 * run them, and the table of what they leave. docs/sweeps.md describes the files. */
#ifndef VKS_TOOL_SWEEP_H
#define VKS_TOOL_SWEEP_H

#include <sys/types.h>

#include "runs/csv.h"
#include "runs/vary.h"
#include "tool/command.h"

enum { VKS_MAX_JOBS = 1000000, VKS_MAX_WORKERS = 64 };

/* Values of vks_sweep_options. */
struct vks_sweep_values {
    char *vary; /* the last one; all of them are read from the call's words */
    char *seeds, *from, *table, *part, *resume, *devices;
    uint64_t jobs;
    bool list, dry_run, overwrite;
};

struct vks_sweep {
    struct vks_call *call;
    struct vks_sweep_values values;
    const struct vks_model *model;
    struct vks_csv from;   /* --from: rows of values; no columns: not given */
    struct vks_axis *axes; /* --vary and --seeds, the last fastest */
    size_t axis_count;
    size_t columns; /* options that vary: those of the file, then those of the axes */
    size_t count;   /* of all jobs, which are numbered from 0 */
    size_t part, parts;
};

/* Words of a command line, which end with a NULL. Zeroed: none. */
struct vks_words {
    char **words;
    size_t count, capacity;
};
enum vks_result vks_words_add(struct vks_words *words, const char *word);
void vks_words_free(struct vks_words *words);

/* --- the list of jobs (sweep_list.c) --------------------------------------------------------- */

/* Reads --vary, --seeds, --from and --part, and checks all values one by one. */
enum vks_result vks_sweep_read(struct vks_sweep *sweep);
void vks_sweep_free(struct vks_sweep *sweep);
/* An option that varies, and its value in a job; "": the job does not set it. */
const char *vks_sweep_option(const struct vks_sweep *sweep, size_t column);
const char *vks_sweep_value(const struct vks_sweep *sweep, size_t job, size_t column);
/* Adds the words that name the simulation, and those of the options that define the jobs. */
enum vks_result vks_sweep_define(const struct vks_sweep *sweep, struct vks_words *words);
/* Parses the command line of a job for vks_job_run(); it may replace files (`again`). Free both
 * either way; the words last. */
enum vks_result vks_sweep_call(const struct vks_sweep *sweep, size_t job, bool again,
                               struct vks_words *words, struct vks_call *call);
/* vks_job_key() of a job. */
enum vks_result vks_sweep_key(const struct vks_sweep *sweep, size_t job, bool warns, char key[33]);
/* Prints command lines, those of job `first` and of every `step`-th after it. */
enum vks_result vks_sweep_print(const struct vks_sweep *sweep, size_t first, size_t step);
/* Checks the files of the jobs of the part: VKS_ERROR_EXISTS if there is one, unless --overwrite.
 */
enum vks_result vks_sweep_check_new(const struct vks_sweep *sweep);

/* --- the table (sweep_table.c) --------------------------------------------------------------- */

struct vks_sweep_table {
    char *path, *part, *times; /* map.csv, map.part-0.csv, map.times.csv */
    char *head;                /* line that the parts of this sweep begin with */
    int fd;                    /* of the part, locked; -1: not open */
    off_t empty;               /* size of the part without the rows of this process */
    bool begun;                /* resumed, so files of jobs may be there */
    int16_t *done;             /* exit code of each job; -1: it has no row */
};

/* The fields of a row between its options and its end. Those from SECONDS on are not in the table,
 * but in that of times. */
enum vks_sweep_field {
    VKS_ROW_SCALARS,
    VKS_ROW_STEPS,
    VKS_ROW_DIGEST,
    VKS_ROW_EXIT,
    VKS_ROW_SECONDS,
    VKS_ROW_DEVICE,
    VKS_ROW_MESSAGE,
    VKS_ROW_FIELDS
};

/* True if the name of a file is that of a part of some table, which job files must not have. */
bool vks_sweep_is_part(const char *path);
/* Adds the words that define the sweep with that table. */
enum vks_result vks_sweep_recall(const char *table, struct vks_words *words);
/* Unless `dry`, opens and locks the part. Checks the files that are there, those of jobs too, and
 * reads the rows of earlier processes with --resume. `key`: of the first job. Close it either way.
 */
enum vks_result vks_sweep_open(const struct vks_sweep *sweep, const char *key, bool dry,
                               struct vks_sweep_table *table);
/* A row as a line, a heap string; NULL without memory. Fields that are NULL are empty. */
char *vks_sweep_line(const struct vks_sweep *sweep, size_t job, const char *key,
                     const char *const fields[VKS_ROW_FIELDS]);
/* Adds a line to the part and waits until it is on the disk. */
enum vks_result vks_sweep_append(struct vks_sweep_table *table, const char *line);
/* Writes the table from all parts. *missing: the jobs that have no row; if there are any, nothing
 * is written. */
enum vks_result vks_sweep_merge(const struct vks_sweep *sweep, struct vks_sweep_table *table,
                                size_t *missing);
void vks_sweep_close(struct vks_sweep_table *table);

/* --- the processes (sweep_workers.c) --------------------------------------------------------- */

/* Runs the jobs of the part that have no row or a failed one. VKS_INTERRUPTED after Ctrl-C. */
enum vks_result vks_sweep_run(const struct vks_sweep *sweep, struct vks_sweep_table *table);

#endif
