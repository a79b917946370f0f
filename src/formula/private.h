/* SPDX-License-Identifier: MIT */
/* The inside of a model of formulas: read.c makes its tables from JSON, program.c parses the
 * expressions, steps.c makes the passes of its scheme, formula.c declares them. */
#ifndef VKS_FORMULA_PRIVATE_H
#define VKS_FORMULA_PRIVATE_H

#include <jansson.h>
#include <vksim/model.h>

#include "formula/emit.h"
#include "formula/formula.h"

enum {
    VKS_FORMULA_STARTS = 16,
    VKS_FORMULA_PRESETS = 64,
    VKS_FORMULA_STAGES = 8,
    VKS_FORMULA_TERMS = 32,
    VKS_FORMULA_VIEWS = VKS_MAX_VIEWS,
    VKS_FORMULA_NAMED_IMAGES = 8,
    VKS_FORMULA_MAPS = VKS_FORMULA_IMAGES - VKS_FORMULA_NAMED_IMAGES,
    VKS_FORMULA_OPTIONS = VKS_FORMULA_PARAMETERS + VKS_FORMULA_NAMED_IMAGES + 2,
    VKS_FORMULA_OPTION_NAME = 64
};

enum vks_formula_scheme {
    VKS_SCHEME_EULER,
    VKS_SCHEME_HEUN,
    VKS_SCHEME_RK4,
    VKS_SCHEME_SYMPLECTIC,
    VKS_SCHEME_MAP,
};

enum vks_formula_boundary { VKS_FORMULA_PERIODIC, VKS_FORMULA_NO_FLUX, VKS_FORMULA_BY_SIDE };

/* NAME=FILE:LOW:HIGH, as places in the text of the option. */
struct vks_formula_map {
    size_t name, name_length, file, file_length;
    double low, high;
};

struct vks_formula_settings {
    uint32_t boundary; /* enum vks_formula_boundary */
    double parameters[VKS_FORMULA_PARAMETERS];
    uint64_t counts[VKS_FORMULA_PARAMETERS]; /* of models of shaders, as these: */
    uint32_t choices[VKS_FORMULA_PARAMETERS];
    char *images[VKS_FORMULA_NAMED_IMAGES];
    char *maps;
    struct vks_formula_map map[VKS_FORMULA_MAPS]; /* parsed */
    size_t map_count;
};

/* A pass, with its shaders for one cell and for four per invocation, which are compiled when they
 * are used. */
struct vks_formula_stage {
    const char *name;
    struct vks_formula_pass pass;
    char *shaders[2];
    const char *shader_names[2][2]; /* also without and with a wide version; NULL: not compiled */
};

/* A term of a rate that limits the time step: an operator of the field, times a constant or divided
 * by it. */
enum vks_formula_operation {
    VKS_TERM_LAP,
    VKS_TERM_BILAP,
    VKS_TERM_DX, /* the flow along an axis, by central differences */
    VKS_TERM_DY,
    VKS_TERM_DZ,
    VKS_TERMS
};
struct vks_formula_term {
    uint32_t field;
    enum vks_formula_operation operation;
    uint32_t node; /* the constant; UINT32_MAX: 1 */
    bool divides, negative;
};

/* The expressions and passes of a model, of which some names stand for images. */
struct vks_formula_program {
    struct vks_formula_program *next;
    uint32_t images; /* bits of those that are given */
    uint64_t maps;   /* bits of the parameters that images give */
    struct vks_expressions expressions;
    struct vks_formula_constants constants;
    uint32_t rates[VKS_FORMULA_FIELDS]; /* or new values: nodes */
    struct vks_formula_ghosts ghosts;
    bool edges_vary; /* values at edges are not only constants: one cell per invocation, because
                      * every value that is read has a copy of their expressions */
    struct vks_formula_stop stops[VKS_FORMULA_STOPS];
    size_t stop_count;
    struct vks_formula_term terms[VKS_FORMULA_TERMS];
    size_t term_count;
    struct vks_formula_stage steps[VKS_FORMULA_STAGES];
    size_t step_count;
    struct vks_formula_stage starts[VKS_FORMULA_STARTS];
};

struct vks_formula {
    struct vks_model model;
    json_t *json;                   /* has all texts */
    char *path;                     /* or what else messages begin with */
    bool has_file;                  /* it was read from there */
    unsigned version;               /* of those with its name: 0 is the first */
    const struct vks_model *before; /* the version before; NULL: it is the first */
    char *canonical;                /* the JSON in one line, which has the name */
    struct vks_expressions names;   /* those of fields and parameters only */
    enum vks_formula_scheme scheme;
    uint32_t field_count; /* of the model */
    const char *field_helps[VKS_FORMULA_FIELDS];
    struct {
        const char *name;
        const json_t *value;  /* the expression in its place; NULL: 0 */
        const json_t *points; /* its object, if it is drawn from points; NULL: it is an image */
    } images[VKS_FORMULA_NAMED_IMAGES];
    size_t image_count;
    bool by_side;           /* some edges have values of their own */
    uint32_t periodic_axes; /* bits of x, y, z; by_side only */
    const char *failures[VKS_FORMULA_FIELDS + VKS_FORMULA_STOPS + 1];
    struct vks_formula_program *programs; /* the last is without images of files */
    struct vks_folder *folder;            /* of a model of shaders; NULL: of formulas */
    struct vks_compound *compound;        /* of a model of other models; likewise */
    struct vks_input inputs[VKS_FORMULA_PARAMETERS + VKS_FORMULA_NAMED_IMAGES + 1];
    /* Tables of the model. */
    struct vks_option options[VKS_FORMULA_OPTIONS];
    size_t option_count;
    struct vks_view views[VKS_FORMULA_VIEWS + 1];
    size_t view_count;
    struct vks_preset presets[VKS_FORMULA_PRESETS + 1];
    const char *start_names[VKS_FORMULA_STARTS + 1];
    size_t start_count;
    bool lacks_memory; /* for one of these: */
    char **texts;      /* that are not of the JSON, to be freed */
    size_t text_count, text_capacity;
};

/* A text that lives as long as the formula; NULL if memory ran out. */
const char *vks_formula_text(struct vks_formula *formula, const char *format, ...) VKS_PRINTF(2, 3);

/* The same of zeroed bytes. */
void *vks_formula_keep(struct vks_formula *formula, size_t size);

/* --- what models from files have in common (file.c) ------------------------------------------ */

/* VKS_ERROR_USAGE: "'key' words". */
enum vks_result vks_formula_wrong(const char *key, const char *words);
/* Whether a list that ends with NULL has the name. */
bool vks_formula_is_listed(const char *const *list, const char *name);
/* Fails if the object has a key that is not in the list. */
enum vks_result vks_formula_check_keys(const json_t *object, const char *const *known,
                                       const char *where);
/* The text of a key, or `other` if it is missing. */
enum vks_result vks_formula_read_text(const json_t *object, const char *key, const char *other,
                                      const char **text);
/* The number of a text in a list that ends with NULL; the first if the key is missing. */
enum vks_result vks_formula_read_choice(const json_t *object, const char *key,
                                        const char *const *choices, uint32_t *choice);
/* Fails unless the text is a name that means nothing else in these expressions, or an image's. */
enum vks_result vks_formula_check_name(const struct vks_formula *formula,
                                       const struct vks_expressions *expressions, const char *name);
/* The same for a field: also not one of vksim's own in the graphs of pictures. */
enum vks_result vks_formula_check_field(const struct vks_formula *formula, const char *name);
/* The name of an option: "mean-c" for mean_C. Returns `text`. */
const char *vks_formula_option_name(const char *name, char text[VKS_FORMULA_OPTION_NAME]);
void vks_formula_add_option(struct vks_formula *formula, const struct vks_option *option);
/* Fails if two options or views have one name. */
enum vks_result vks_formula_check_options(const struct vks_formula *formula);
/* Adds a parameter with its option. */
enum vks_result vks_formula_add_parameter(struct vks_formula *formula, const char *name,
                                          double value, double low, double high, const char *help);
/* The same by a number, or by [default, low, high] with or without a line of help. */
enum vks_result vks_formula_read_parameter(struct vks_formula *formula, const char *name,
                                           const json_t *value);
/* Adds an image with its option, by an object with a line of help and the expression in its place.
 */
enum vks_result vks_formula_read_image(struct vks_formula *formula, const char *name,
                                       const json_t *image);
/* Adds the option of images[image_count], which is then one more, with these flags. */
enum vks_result vks_formula_add_image(struct vks_formula *formula, const char *name,
                                      const char *help, unsigned flags);
/* The names of initial conditions. */
enum vks_result vks_formula_read_starts(struct vks_formula *formula);
enum vks_result vks_formula_read_presets(struct vks_formula *formula);
/* The name in the file, or that of the file, and the summary. */
enum vks_result vks_formula_read_name(struct vks_formula *formula);

/* --- formulas -------------------------------------------------------------------------------- */

/* What an image is at black and white. */
struct vks_formula_levels {
    double low, high;
};

/* Fills a field of float32, and each plane of a volume, from its image; `user` is the levels. */
enum vks_result vks_formula_fill_image(const void *user, const struct vks_field *field,
                                       const struct vks_source *source, void *out);
/* Declares the fields of a program's constants and of its status. */
void vks_formula_declare_numbers(const struct vks_config *config,
                                 const struct vks_formula_program *program,
                                 struct vks_declaration *declaration);
void vks_formula_declare_stage(const struct vks_config *config, struct vks_formula_program *program,
                               struct vks_formula_stage *stage, bool start,
                               struct vks_declaration *declaration);

/* A formula's JSON in one line, as scenes and states hold it, to be freed; NULL if memory ran out.
 */
char *vks_formula_canonical(const json_t *json);

/* Fills a zeroed formula from its `json`. */
enum vks_result vks_formula_read(struct vks_formula *formula);
/* Parses the expressions and emits the passes of a zeroed program whose `images` and `maps` are
 * set. */
enum vks_result vks_formula_make(struct vks_formula *formula, struct vks_formula_program *program);
void vks_formula_program_free(struct vks_formula_program *program);
/* Makes the passes of a step, once all expressions are parsed. */
enum vks_result vks_formula_make_steps(struct vks_formula *formula,
                                       struct vks_formula_program *program);
/* Adds points, by their object (points.c). */
enum vks_result vks_formula_read_points(struct vks_formula *formula, const char *name,
                                        const json_t *points);
/* Of struct vks_model: reads the tables of points. */
enum vks_result vks_formula_check_points(const struct vks_config *config);
/* Declares the field of images[image], which is one of points. */
void vks_formula_declare_points(const struct vks_config *config, size_t image,
                                struct vks_declaration *declaration);
/* How often a step has values of all fields, with those at its start. */
uint32_t vks_formula_stages(enum vks_formula_scheme scheme);

#endif
