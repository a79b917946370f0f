/* SPDX-License-Identifier: MIT */
/* Plug-ins: simulations in a shared library of their own, which vksim loads (docs/plugins.md). A
 * plug-in is compiled with VKS_PLUGIN, as vksim-model.pc says, and includes vksim/model.h, which
 * includes this. It has
 *
 *     VKS_DEFINE_PLUGIN(waves_shaders, &waves)
 *
 * in one of its files, where `waves` is a struct vks_model and `waves_shaders` the table that
 * spv_embed makes. It calls the functions of vksim/model.h, none of vksim/vksim.h, and is not
 * linked with vksim. */
#ifndef VKSIM_PLUGIN_H
#define VKSIM_PLUGIN_H

#include <stdarg.h>
#include <vksim/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when vksim can no longer load plug-ins that were made before. */
enum { VKS_PLUGIN_ABI = 1 };

/* A compute shader as SPIR-V. vksim checks when it loads it that it is exact. */
struct vks_plugin_shader {
    const char *name; /* as in vks_pass.shader, "waves/step"; NULL ends a table */
    const uint32_t *words;
    size_t count; /* words */
    /* The same shader compiled with VKS_WIDE, for fields in chunks; NULL: it has none. */
    const uint32_t *wide_words;
    size_t wide_count;
};

/* Structures whose size a plug-in tells, because later versions may append members. New rows come
 * last. */
#define VKS_STRUCTURES(X) \
    X(host)               \
    X(model)              \
    X(option)             \
    X(preset)             \
    X(view)               \
    X(vector)             \
    X(axis_option)        \
    X(shape_option)       \
    X(member)             \
    X(variant_row)        \
    X(brush)              \
    X(chart_label)        \
    X(input)              \
    X(plugin_shader)      \
    X(field)              \
    X(scalar)             \
    X(pass)               \
    X(use)                \
    X(specialization)     \
    X(fft)                \
    X(sorting)            \
    X(exchange)

struct vks_sizes {
    uint32_t size; /* of this structure */
#define VKS_SIZE(name) uint32_t name;
    VKS_STRUCTURES(VKS_SIZE)
#undef VKS_SIZE
};

/* The functions of vksim/model.h. */
struct vks_host {
    enum vks_result (*fail)(enum vks_result result, const char *option, const char *format,
                            va_list arguments);
    float (*real)(double value);
    uint32_t (*binary_angle)(double degrees);
    float (*flush)(float x);
    float (*divide)(float a, float b);
    float (*sqrt)(float x);
    float (*exp)(float x);
    float (*log)(float x);
    float (*pow)(float x, float y);
    vks_vec2 (*sincos)(uint32_t angle);
    vks_uvec4 (*random)(uint32_t seed, uint32_t item, uint32_t step, uint32_t stream);
    double (*parse_real)(const char *text, const char **end);
    struct vks_variant (*variant_of)(const struct vks_variant_row *row, uint32_t number);
    void (*candidate_add)(struct vks_candidates *candidates, const struct vks_variant *variant);
    double (*source_number)(const struct vks_source *source, uint64_t index);
    uint64_t (*field_count)(const struct vks_field *field);
    enum vks_result (*fill_places)(const struct vks_field *field, const struct vks_source *source,
                                   const uint32_t *sides, uint32_t axes, uint32_t *places);
    void (*declare_field)(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                          const struct vks_field *field);
    void (*declare_pass)(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                         const struct vks_pass *pass);
    void (*declare_watch)(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                          const char *field, const struct vks_scalar *scalars);
    const char *(*declaration_name)(struct vks_declaration *declaration, const char *format,
                                    va_list arguments);
    void *(*declaration_copy)(struct vks_declaration *declaration, const void *data, size_t size);
    void (*declaration_fail)(struct vks_declaration *declaration, enum vks_result result);
    void (*declare_range)(struct vks_declaration *declaration, const char *field,
                          const char *result, enum vks_when when);
    void (*declare_sum)(struct vks_declaration *declaration, const char *field, int exponent,
                        const char *result, enum vks_when when);
    void (*declare_mean)(struct vks_declaration *declaration, const char *field, double max,
                         const char *name);
    void (*declare_scan)(struct vks_declaration *declaration, const char *field, const char *result,
                         enum vks_when when);
    void (*declare_fft)(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                        const struct vks_fft *fft);
    void (*declare_items)(struct vks_declaration *declaration, const char *name, uint64_t count);
    void (*declare_numbers)(struct vks_declaration *declaration, const char *items);
    void (*declare_ranks)(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                          const struct vks_sorting *sorting);
    void (*declare_sorting)(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                            const struct vks_sorting *sorting);
    void (*declare_exchange)(struct vks_declaration *declaration, const struct vks_sizes *sizes,
                             const struct vks_exchange *exchange);
    uint64_t (*items_room)(const struct vks_declaration *declaration, const char *name);
};

struct vks_plugin {
    size_t size;  /* of this structure */
    uint32_t abi; /* VKS_PLUGIN_ABI */
    uint32_t reserved;
    const struct vks_sizes *sizes;
    const struct vks_host **host;          /* vksim sets it before it calls anything */
    const struct vks_model *const *models; /* up to NULL */
    const struct vks_plugin_shader *shaders;
};

#ifdef VKS_PLUGIN

#if defined(__GNUC__)
#define VKS_HIDDEN __attribute__((visibility("hidden")))
#else
#define VKS_HIDDEN
#endif

/* Defines the one symbol that vksim looks for, `vks_plugin`: a table of shaders, and the addresses
 * of one or more models, of which the first is the one that the file's name stands for. */
#define VKS_DEFINE_PLUGIN(table, ...)                                               \
    extern const struct vks_plugin_shader table[];                                  \
    static const struct vks_model *const vks_plugin_models[] = {__VA_ARGS__, NULL}; \
    const struct vks_host *vks_host;                                                \
    const struct vks_plugin vks_plugin = {                                          \
        sizeof(struct vks_plugin), VKS_PLUGIN_ABI, 0, &vks_own_sizes, &vks_host,    \
        vks_plugin_models,         table};

extern VKS_API const struct vks_plugin vks_plugin;
extern VKS_HIDDEN const struct vks_host *vks_host;

static const struct vks_sizes vks_own_sizes = {sizeof(struct vks_sizes),
#define VKS_SIZE(name) sizeof(struct vks_##name),
                                               VKS_STRUCTURES(VKS_SIZE)
#undef VKS_SIZE
};

/* --- the functions of vksim/model.h ----------------------------------------------------------- */

static inline enum vks_result vks_fail(enum vks_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result = vks_host->fail(result, NULL, format, arguments);
    va_end(arguments);
    return result;
}

static inline enum vks_result vks_fail_option(enum vks_result result, const char *option,
                                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result = vks_host->fail(result, option, format, arguments);
    va_end(arguments);
    return result;
}

static inline float vks_real(double value)
{
    return vks_host->real(value);
}

static inline uint32_t vks_binary_angle(double degrees)
{
    return vks_host->binary_angle(degrees);
}

static inline float vks_flush(float x)
{
    return vks_host->flush(x);
}

static inline float vks_divide(float a, float b)
{
    return vks_host->divide(a, b);
}

static inline float vks_sqrt(float x)
{
    return vks_host->sqrt(x);
}

static inline float vks_exp(float x)
{
    return vks_host->exp(x);
}

static inline float vks_log(float x)
{
    return vks_host->log(x);
}

static inline float vks_pow(float x, float y)
{
    return vks_host->pow(x, y);
}

static inline vks_vec2 vks_sincos(uint32_t angle)
{
    return vks_host->sincos(angle);
}

static inline vks_uvec4 vks_random(uint32_t seed, uint32_t item, uint32_t step, uint32_t stream)
{
    return vks_host->random(seed, item, step, stream);
}

static inline double vks_parse_real(const char *text, const char **end)
{
    return vks_host->parse_real(text, end);
}

static inline struct vks_variant vks_variant_of(const struct vks_variant_row *row, uint32_t number)
{
    return vks_host->variant_of(row, number);
}

static inline void vks_candidate_add(struct vks_candidates *candidates,
                                     const struct vks_variant *variant)
{
    vks_host->candidate_add(candidates, variant);
}

static inline double vks_source_number(const struct vks_source *source, uint64_t index)
{
    return vks_host->source_number(source, index);
}

static inline uint64_t vks_field_count(const struct vks_field *field)
{
    return vks_host->field_count(field);
}

static inline enum vks_result vks_fill_places(const struct vks_field *field,
                                              const struct vks_source *source,
                                              const uint32_t *sides, uint32_t axes,
                                              uint32_t *places)
{
    return vks_host->fill_places(field, source, sides, axes, places);
}

static inline void vks_declare_field(struct vks_declaration *declaration,
                                     const struct vks_field *field)
{
    vks_host->declare_field(declaration, &vks_own_sizes, field);
}

static inline void vks_declare_pass(struct vks_declaration *declaration,
                                    const struct vks_pass *pass)
{
    vks_host->declare_pass(declaration, &vks_own_sizes, pass);
}

static inline void vks_declare_watch(struct vks_declaration *declaration, const char *field,
                                     const struct vks_scalar *scalars)
{
    vks_host->declare_watch(declaration, &vks_own_sizes, field, scalars);
}

static inline const char *vks_declaration_name(struct vks_declaration *declaration,
                                               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *name = vks_host->declaration_name(declaration, format, arguments);
    va_end(arguments);
    return name;
}

static inline void *vks_declaration_copy(struct vks_declaration *declaration, const void *data,
                                         size_t size)
{
    return vks_host->declaration_copy(declaration, data, size);
}

static inline void vks_declaration_fail(struct vks_declaration *declaration, enum vks_result result)
{
    vks_host->declaration_fail(declaration, result);
}

static inline void vks_declare_range(struct vks_declaration *declaration, const char *field,
                                     const char *result, enum vks_when when)
{
    vks_host->declare_range(declaration, field, result, when);
}

static inline void vks_declare_sum(struct vks_declaration *declaration, const char *field,
                                   int exponent, const char *result, enum vks_when when)
{
    vks_host->declare_sum(declaration, field, exponent, result, when);
}

static inline void vks_declare_mean(struct vks_declaration *declaration, const char *field,
                                    double max, const char *name)
{
    vks_host->declare_mean(declaration, field, max, name);
}

static inline void vks_declare_scan(struct vks_declaration *declaration, const char *field,
                                    const char *result, enum vks_when when)
{
    vks_host->declare_scan(declaration, field, result, when);
}

static inline void vks_declare_fft(struct vks_declaration *declaration, const struct vks_fft *fft)
{
    vks_host->declare_fft(declaration, &vks_own_sizes, fft);
}

static inline void vks_declare_items(struct vks_declaration *declaration, const char *name,
                                     uint64_t count)
{
    vks_host->declare_items(declaration, name, count);
}

static inline void vks_declare_numbers(struct vks_declaration *declaration, const char *items)
{
    vks_host->declare_numbers(declaration, items);
}

static inline void vks_declare_ranks(struct vks_declaration *declaration,
                                     const struct vks_sorting *sorting)
{
    vks_host->declare_ranks(declaration, &vks_own_sizes, sorting);
}

static inline void vks_declare_sorting(struct vks_declaration *declaration,
                                       const struct vks_sorting *sorting)
{
    vks_host->declare_sorting(declaration, &vks_own_sizes, sorting);
}

static inline void vks_declare_exchange(struct vks_declaration *declaration,
                                        const struct vks_exchange *exchange)
{
    vks_host->declare_exchange(declaration, &vks_own_sizes, exchange);
}

static inline uint64_t vks_items_room(const struct vks_declaration *declaration, const char *name)
{
    return vks_host->items_room(declaration, name);
}

#endif

#ifdef __cplusplus
}
#endif
#endif
