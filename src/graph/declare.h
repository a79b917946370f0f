/* SPDX-License-Identifier: MIT */
/* Declarations as the core sees them; vksim/model.h has what models declare. No Vulkan here. */
#ifndef VKS_GRAPH_DECLARE_H
#define VKS_GRAPH_DECLARE_H

#include <vksim/model.h>

/* The layout of a field's elements. */
struct vks_element_info {
    const char *name; /* of a scalar, as in NumPy */
    uint32_t bytes;   /* of an element: `scalars` of equal size */
    uint32_t scalars;
    char kind; /* 'f' float, 'u' unsigned integer */
};

/* NULL for a number that is not an element. */
const struct vks_element_info *vks_element_info(enum vks_element element);

/* Items of vks_declare_items(). */
struct vks_items {
    const char *name;
    uint64_t count; /* of all ranks */
    uint64_t room;  /* elements of this rank's fields */
    bool sorted;
};

/* What ranks exchange between two passes of the same time: all have run the passes before it, and
 * those after it see what the others have. The fields have one buffer each. */
struct vks_meeting {
    enum vks_when when;
    const struct vks_slab *slab; /* with a count of 0 or 1 there is no meeting */
    const char *const *halos;    /* fields with the slab's rows, whose halos become exact; ends with
                                  * NULL. NULL: none */
    const char *sent, *received; /* the first becomes the second of the rank after this one, or of
                                  * the first rank. NULL: none */
    const char *highest;         /* U32: each word becomes the highest of all ranks'; F32: so does
                                  * every second one, and the others the lowest. NULL: none */
    const char *summed; /* U32 or U32X2: its first `sums` pairs, 64-bit integers with the low
                         * word first, become the sums over all ranks. NULL: none */
    uint32_t sums;
    const char *part, *whole; /* the own rows of the first, of all ranks, become the second, which
                               * has the whole grid's shape. NULL: none */
};

/* A declared meeting: fields by index, -1: none. */
struct vks_declared_meeting {
    enum vks_when when;
    size_t place; /* the pass that follows */
    struct vks_slab slab;
    uint32_t *halos;
    size_t halo_count;
    int sent, received, highest, summed, part, whole;
    uint32_t sums;
};

/* Fields and passes in order of declaration. Everything is copied, including strings and constants.
 * A failure is sticky: later calls do nothing, and the function that uses the declaration reports
 * it. Start from a zeroed structure; free with vks_declaration_free(). */
struct vks_declaration {
    struct vks_field *fields;
    size_t field_count, field_capacity;
    struct vks_pass *passes;
    size_t pass_count, pass_capacity;
    struct vks_items *items;
    size_t items_count, items_capacity;
    struct vks_declared_meeting *meetings;
    size_t meeting_count, meeting_capacity;
    uint64_t grid[3];     /* cells of the model's grid: (D, H, W), D 1 on a flat one; zero: none */
    struct vks_slab slab; /* the config's */
    struct {
        uint32_t *fields; /* by index */
        size_t count;
        uint32_t reach, grain; /* a reach of 0: nothing is declared */
        bool closed, moves;
        const char *items;        /* NULL: none */
        uint32_t position;        /* field, with items */
    } exchange;                   /* struct vks_exchange */
    uint32_t image_fit;           /* the config's */
    struct vks_software software; /* of the config's limits */
    const char *scope;            /* NULL: none */
    /* Only for benchmarks: shaders need not be exact; passes are timed in every batch of one step,
     * and longer batches only as a whole. */
    bool measures;
    bool continues; /* frames continue an earlier one, which has reported the watched words */
    bool addressed; /* the fields' buffers have addresses, for a bound graph whose fields split */
    bool exported;  /* the first field is in memory that other APIs can import */
    uint64_t bound_bytes;      /* of the fields of the declaration that this one binds */
    const char **bound_passes; /* names of its passes */
    size_t bound_pass_count;
    enum vks_result result;
    struct vks_kept *blocks; /* storage of strings, lists and constants */
};

/* Frees and zeroes it; a zeroed structure is fine. */
void vks_declaration_free(struct vks_declaration *declaration);
/* The default shape of fields and number of items of passes. */
void vks_declaration_grid(struct vks_declaration *declaration, uint64_t depth, uint64_t height,
                          uint64_t width);

/* Declared items, or NULL; valid until the next are declared. */
struct vks_items *vks_find_items(const struct vks_declaration *declaration, const char *name);
/* Index of a declared field, or -1. */
int vks_find_field(const struct vks_declaration *declaration, const char *name);
/* Whether arrays are checked against the field's range. */
static inline bool vks_field_has_range(const struct vks_field *field)
{
    return field->range[0] < field->range[1];
}
/* Two without a pass of the same `when` between them are one, and differ in what they are for.
 * Between two with `part` there is one with `highest` or `summed`. */
void vks_declare_meeting(struct vks_declaration *declaration, const struct vks_meeting *meeting);
/* True if the pass uses the field of that index. */
bool vks_pass_uses(const struct vks_pass *pass, size_t field);
/* What all passes together do with the field of that index; 0: none uses it. */
unsigned vks_field_access(const struct vks_declaration *declaration, size_t field);
/* Index of a declared pass, or -1. */
int vks_find_pass(const struct vks_declaration *declaration, const char *name);
/* True if a pass of that name is declared, here or in what the declaration binds. */
bool vks_has_pass(const struct vks_declaration *declaration, const char *name);
/* Begins a scope, for one of several models in a declaration; NULL ends it. Names of fields,
 * passes, items and scalars get this prefix, and are found without it; shaders have the names
 * without it, too. Other passes may run between the steps of a scope, so those of fused steps and
 * joined passes are left out. */
void vks_declaration_scope(struct vks_declaration *declaration, const char *prefix);
/* Moves the last pass to a place before others. */
void vks_declaration_move_pass(struct vks_declaration *declaration, size_t to);
/* Begins the declaration of a graph that binds the buffers of another one
 * (vks_graph_create_bound()): with the grid and the fields of that graph's declaration, which keep
 * their values and scalars. Its passes are EACH_FRAME, and cannot write the next buffer of a bound
 * field. */
void vks_declaration_bind(struct vks_declaration *declaration, const struct vks_declaration *base);
/* Makes the bound fields that passes use, or that are watched, fields of its own, whose values the
 * caller uploads. */
void vks_declaration_unbind(struct vks_declaration *declaration);
/* Continues one that is bound to a graph with this declaration: it also has the fields of a second
 * graph with an equal declaration, named "twin.FIELD" (vks_graph_create_twins()). */
void vks_declaration_bind_twin(struct vks_declaration *declaration,
                               const struct vks_declaration *base);

#endif
