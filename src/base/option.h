/* SPDX-License-Identifier: MIT */
/* Option tables. One row says everything about an option; the row feeds the command line, --help,
 * scene files, state-file headers, the window's controls and the generated documents. */
#ifndef VKS_BASE_OPTION_H
#define VKS_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vksim/vksim.h>

#include "base/nearest.h"

/* Values by enum vks_option_type: bool, uint64_t, double, uint32_t (index in `choices`), char * (on
 * the heap, NULL when unset) and struct vks_size (a third part with VKS_OPTION_DEPTH). With
 * VKS_OPTION_LIST there is a struct vks_list besides the double, which is then its first value. */

struct vks_size {
    uint32_t width, height;
    uint32_t depth; /* 1 when it was written without one */
};

enum {
    VKS_MAX_LIST = 8,
    VKS_VALUE_SIZE = 256, /* bytes of a buffer for vks_option_get() that holds any value */
};

/* The values of a list, such as one per species; count 0: the option has one value. Otherwise there
 * are at least two. */
struct vks_list {
    uint32_t count;
    double values[VKS_MAX_LIST];
};

enum {
    /* Changes no byte of state or pictures: left out of scenes and of state-file headers, which
     * hold all other options of a simulation. */
    VKS_OPTION_NOT_SAVED = 1,
    VKS_OPTION_ODD = 2,       /* a COUNT that must be odd */
    VKS_OPTION_DEPTH = 4,     /* a SIZE that may have a third part */
    VKS_OPTION_IN_SCENE = 8,  /* an option of the tool that scenes have, too */
    VKS_OPTION_COLOURS = 16,  /* changes only how values become colours */
    VKS_OPTION_OF_FILES = 32, /* an option of the tool for files of frames, which a window lacks */
    VKS_OPTION_IMAGE =
        64, /* a text that names an image, or may name one: see vks_settings_check_images() */
    VKS_OPTION_LIST = 128, /* a REAL that may be a list */
    VKS_OPTION_NAMES =
        256, /* with VKS_OPTION_IMAGE: an image is image:FILE, other texts are names */
    VKS_OPTION_MAPS = 512,   /* with VKS_OPTION_IMAGE: OPTION=FILE:LOW:HIGH */
    VKS_OPTION_PARTS = 1024, /* a text of parts separated by commas */
    /* A TEXT that no file, report, title or message contains: set by the command line and by
     * programs only, as scenes and state files do not have it. */
    VKS_OPTION_SECRET = 2048,
    /* A TEXT that is given as the name of a file, and has its first line as its value: see
     * vks_settings_set(). */
    VKS_OPTION_LINE = 4096,
    /* Says how far a run goes, and not what its state is: left out of state-file headers. */
    VKS_OPTION_NOT_IN_STATE = 8192,
    VKS_OPTION_VOLUME = 16384, /* has an effect only on pictures of a volume */
    VKS_OPTION_UNSAVED = VKS_OPTION_NOT_SAVED | VKS_OPTION_SECRET, /* either */
};

struct vks_option {
    const char *name; /* long option and scene key, without dashes */
    enum vks_option_type type;
    size_t offset;   /* of the value in the settings structure */
    size_t list;     /* VKS_OPTION_LIST: of the struct vks_list in that structure */
    double min, max; /* COUNT, REAL, each part of a SIZE or list: inclusive range */
    /* COUNT, REAL: the range of a slider, in which values have a useful effect; it has the default
     * and the values of all presets. 0, 0: the legal range. */
    double soft_min, soft_max;
    bool logarithmic;         /* equal distances on the slider are equal factors; soft_min > 0 */
    const char *default_text; /* the default, as a person would write it; NULL: unset */
    /* REAL: name of the option whose value is taken while this one is unset, also when that value
     * changes later. As text, an unset value is this name. */
    const char *same_as;
    const char *unit;     /* "cells", "deg", ...; "" for none */
    const char *argument; /* what --help shows for the value: "N", "FILE"; NULL: from the type */
    const char *help;     /* one line */
    const char *brief;    /* the line of the short --help; NULL: not in it */
    const char *topic;    /* section of the long help; NULL: that of the row before */
    const char *heading;  /* of a group of controls, in lower case; NULL: that of the row before */
    const char *const *choices; /* CHOICE: NULL-terminated. TEXT: the only values, which unlike a
                                 * CHOICE may be unset; NULL: any */
    const char *implied;        /* value when given without one */
    /* The option has an effect only if another option, of the simulation or a common one, is set
     * ("feed-map": a text, a number over 0 or a count over its minimum) or has one of these values
     * ("init=disc|ring"); NULL: always. */
    const char *needs;
    const char *unless;  /* options that replace it when they are set: "map|feed-map" */
    char letter;         /* of the short form, as in -o; 0: none */
    unsigned char group; /* options with the same number exclude each other or are given together;
                          * 0: none */
    enum vks_option_change change; /* when a running simulation can take another value */
    unsigned flags;
};

struct vks_option_table {
    const struct vks_option *options;
    size_t count;
};

/* The row, or NULL. */
const struct vks_option *vks_option_find(struct vks_option_table table, const char *name);
/* The nearest name in several tables, or NULL, as from vks_nearest(). */
const char *vks_option_nearest(const struct vks_option_table *tables, size_t count,
                               const char *name);
/* The row whose value is at that offset of the settings, which must exist. */
const struct vks_option *vks_option_at(struct vks_option_table table, size_t offset);

/* Sets one value, or a list such as "20,30,40", from text, checking type and range. The message
 * begins with the option's name and has the text and the range. A TEXT value is copied, and the
 * previous one freed. */
enum vks_result vks_option_set(const struct vks_option *option, void *settings, const char *text);

/* The same from a number. A REAL takes a count; any other type is an error. */
enum vks_result vks_option_set_real(const struct vks_option *option, void *settings, double real);
enum vks_result vks_option_set_count(const struct vks_option *option, void *settings,
                                     uint64_t count);
/* Sets a REAL to one value, or with VKS_OPTION_LIST to up to VKS_MAX_LIST. */
enum vks_result vks_option_set_list(const struct vks_option *option, void *settings,
                                    const double *values, size_t count);

/* The value as text that vks_option_set() reads back to the same value; "" for an unset one without
 * `same_as`. In `buffer`, or the value itself if that is a text, of any length. */
const char *vks_option_get(const struct vks_option *option, const void *settings, char *buffer,
                           size_t size);

/* The values of an option that is a list; NULL if it has one value. */
const struct vks_list *vks_option_list(const struct vks_option *option, const void *settings);

/* True if the option has a value (TEXT: not NULL; REAL: not following `same_as`). */
bool vks_option_is_set(const struct vks_option *option, const void *settings);

/* True if the value of a TEXT is set and not empty. */
bool vks_text_is_given(const char *text);

/* True if the value is not false, 0 (in a list: all 0), a count's minimum or an empty text,
 * nor "none" with VKS_OPTION_NAMES. */
bool vks_option_is_on(const struct vks_option *option, const void *settings);

/* True if the value is the option's default. */
bool vks_option_is_default(const struct vks_option *option, const void *settings);

/* Writes every default; the settings must be zeroed or hold values of this table. */
enum vks_result vks_options_reset(struct vks_option_table table, void *settings);

/* Fills in the values that follow another option. Only for copies, because values that are filled
 * in no longer follow. */
void vks_options_resolve(struct vks_option_table table, void *settings);

/* Copies a structure of `size` bytes: members without a row as they are, TEXT values duplicated.
 * `to` must be zeroed or hold values of this table. After a failure it can be freed. */
enum vks_result vks_options_copy(struct vks_option_table table, void *to, const void *from,
                                 size_t size);

/* Frees the TEXT values and zeroes them. */
void vks_options_free(struct vks_option_table table, void *settings);

/* The range of a slider: the soft one, or the legal one without it. */
void vks_option_soft_range(const struct vks_option *option, double *low, double *high);
/* The heading of a row of the table; "" if no row up to it has one. */
const char *vks_option_heading(struct vks_option_table table, const struct vks_option *option);

/* What stands for the value in --help: "N", "FILE"; "" for a flag. A static string. */
const char *vks_option_argument(const struct vks_option *option);

/* What a value may be and what it is by default: " (0 to 180 deg; default 45)", or "" where there
 * is nothing to say. Returns `buffer`. */
const char *vks_option_values(const struct vks_option *option, char *buffer, size_t size);

/* Prints one row of a page of that width: `head`, then `words` from the column `indent` on, on a
 * line of their own if the head is longer. */
void vks_put_row(FILE *out, const char *head, const char *words, unsigned indent, unsigned columns);

enum { VKS_HELP_INDENT = 28 }; /* column of the words in --help */

/* "  -o, --out PATH". Returns `buffer`. */
const char *vks_option_head(const struct vks_option *option, char *buffer, size_t size);

/* Prints one paragraph per option, for --help; `columns` is the width of the page. With `settings`
 * (NULL: none), values that are not the default are added after the words `source`, such as "preset
 * silk". */
void vks_options_help(FILE *out, struct vks_option_table table, unsigned columns,
                      const void *settings, const char *source);

#endif
