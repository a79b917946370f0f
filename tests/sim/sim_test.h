/* SPDX-License-Identifier: MIT */
/* Shared by the tests of simulations on a device: TAP on standard output, simulations by words,
 * recorded runs, and laws of every simulation. */
#ifndef VKS_TESTS_SIM_SIM_TEST_H
#define VKS_TESTS_SIM_SIM_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "api/simulation.h"

/* The context of the one device, and a folder for temporary files that must be empty at the end.
 * Runs `tests`, or `few` of them with the argument --fast, and returns the program's exit status.
 * `few` may be NULL. With --every N one case in N runs, spread over all tests. */
int sim_test_main(int argc, char **argv, const char *model, void (*tests)(vks_context *context),
                  void (*few)(vks_context *context));

/* A line of TAP. */
void report(bool good, const char *format, ...) VKS_PRINTF(2, 3);

/* Whether the next case is due: false if --every leaves it out. Called before each case. */
bool sim_due(void);
/* True if all cases run: for those that take too long in a selection. */
bool sim_runs_all(void);

/* True for VKS_OK; otherwise reports the error. */
bool fine(enum vks_result result);

/* Path of a name in the temporary folder; valid until the next call. */
const char *in_folder(const char *name);

/* A run whose digests were recorded after some steps. */
struct sim_run {
    const char *name; /* for the reports */
    const char *model;
    const char *preset;
    const char *basis; /* options before those of the run, which makes it independent of presets */
    uint32_t width, height, seed;
    uint32_t depth;      /* 0: 1 */
    const char *start;   /* as --init takes it */
    const char *options; /* "name=value name=value ..." */
    bool watch;          /* scalars that cost time, too */
};

/* NULL after a failure, which it reports. */
vks_simulation *sim_open(vks_context *context, const struct sim_run *run);
/* From a state file. */
vks_simulation *sim_load(vks_context *context, const struct sim_run *run, const char *path);

/* True if the state has the digest now. */
bool sim_has_digest(vks_simulation *simulation, const char *expected);

/* vks_simulation_set() for each of these words, "name=value name=value ...". */
bool sim_set(vks_simulation *simulation, const char *words);
/* True if that word is refused with VKS_ERROR_USAGE (or VKS_ERROR_FILE, if `of_file`) and a message
 * that contains `words`, and neither state nor picture has changed. */
bool sim_refuses(vks_simulation *simulation, const char *word, bool of_file, const char *words);

/* --- laws; each is one or more lines of TAP -------------------------------------------------- */

/* The digests after these steps (ascending). */
void sim_test_moments(vks_context *context, const struct sim_run *run, const uint32_t *moments,
                      const char *const *digests, size_t count);
/* Runs of `pieces` steps (0 ends) give the digest, also with frames in between. */
void sim_test_pieces(vks_context *context, const struct sim_run *run, const uint32_t *pieces,
                     bool draw, const char *digest);
/* `steps` steps, save, load and `more` steps equal a single run. */
void sim_test_save_and_load(vks_context *context, const struct sim_run *run, uint32_t steps,
                            const char *digest, uint32_t more, const char *last);
/* A restart reproduces the run of its seed. The digest is after `steps` steps. */
void sim_test_restart(vks_context *context, const struct sim_run *run, uint32_t steps,
                      const char *digest);
/* After `change` (words for sim_set()) in the middle of a run, a restart equals a run that started
 * with it, and so does its picture. The restart builds no pipeline. */
void sim_test_changed_restart(vks_context *context, const struct sim_run *run, const char *change,
                              uint32_t steps);
/* `change` alters the picture and not the state, and the picture equals that of a run with it. */
void sim_test_changed_look(vks_context *context, const struct sim_run *run, const char *change,
                           uint32_t steps);

#endif
