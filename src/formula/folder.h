/* SPDX-License-Identifier: MIT */
/* The inside of a model of shaders (docs/shaders.md): folder.c reads model.json, folder_declare.c
 * declares what it has. */
#ifndef VKS_FORMULA_FOLDER_H
#define VKS_FORMULA_FOLDER_H

#include <vksim/model.h>

#include "base/digest.h"
#include "formula/private.h"

enum {
    VKS_FOLDER_FIELDS = 64,
    VKS_FOLDER_PASSES = 64,
    VKS_FOLDER_ITEMS = 8,
    VKS_FOLDER_USES = 24,
    VKS_FOLDER_SCALARS = 16,
    VKS_FOLDER_SPECIALIZATIONS = 16,
    VKS_FOLDER_CONSTANTS = VKS_MAX_CONSTANTS / 4
};

/* The first names of expressions, before those of the options. */
enum vks_folder_name {
    VKS_FOLDER_WIDTH,
    VKS_FOLDER_HEIGHT,
    VKS_FOLDER_DEPTH,
    VKS_FOLDER_SEED,
    VKS_FOLDER_START,
    VKS_FOLDER_NAMES
};

/* What the words of JSON become; a node is an expression of those names. */
struct vks_folder_items {
    const char *name;
    uint32_t count; /* node */
};

struct vks_folder_field {
    const char *name, *help, *items, *image;
    enum vks_element element;
    uint32_t rank;     /* 0: the grid's */
    uint32_t shape[3]; /* nodes */
    bool persistent, ping_pong;
    struct vks_scalar scalars[VKS_FOLDER_SCALARS + 1];
};

struct vks_folder_constant {
    bool real;
    const char *name;
    uint32_t node;
};

enum vks_folder_kind {
    VKS_FOLDER_PASS,
    VKS_FOLDER_RANGE,
    VKS_FOLDER_SUM,
    VKS_FOLDER_MEAN,
    VKS_FOLDER_SCAN,
    VKS_FOLDER_SORT,
    VKS_FOLDER_FFT,
};

/* A pass, or a primitive in its place. */
struct vks_folder_pass {
    enum vks_folder_kind kind;
    const char *name; /* of a primitive: its result; of an FFT: its prefix */
    enum vks_when when;
    uint32_t every;
    /* A pass: */
    const char *shader; /* the compiled one */
    const char *file;   /* its source */
    struct vks_compiled_shader *compiled;
    struct vks_use uses[VKS_FOLDER_USES + 1];
    struct vks_folder_constant constants[VKS_FOLDER_CONSTANTS];
    size_t constant_count;
    struct {
        const char *name;
        uint32_t node;
    } specializations[VKS_FOLDER_SPECIALIZATIONS];
    size_t specialization_count;
    bool has_items;
    uint32_t items[2]; /* nodes */
    uint32_t group[2];
    /* A primitive: */
    const char *source, *target; /* fields; of a sort the items and their key */
    uint32_t number;             /* node: maximum of a mean, bins, factor */
    int exponent;                /* of a sum */
};

struct vks_folder {
    char *path;                /* of the folder */
    struct vks_digest *digest; /* of what has been read of it */
    char version[33];          /* of all of it */
    struct vks_expressions expressions;
    struct vks_folder_items items[VKS_FOLDER_ITEMS];
    size_t item_count;
    struct vks_folder_field fields[VKS_FOLDER_FIELDS];
    size_t field_count;
    struct vks_folder_pass passes[VKS_FOLDER_PASSES];
    size_t pass_count;
};

/* Fills a zeroed formula from its `json`, which has shaders, and compiles these. */
enum vks_result vks_folder_read(struct vks_formula *formula);
void vks_folder_free(struct vks_folder *folder);
bool vks_is_folder(const struct vks_model *model);
/* Whether both are of one version of a folder, wherever that is. */
bool vks_folder_equal(const struct vks_model *a, const struct vks_model *b);
/* Sets the functions of the model. */
void vks_folder_set(struct vks_model *model);

#endif
