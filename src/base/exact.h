/* SPDX-License-Identifier: MIT */
/* Arithmetic with identical bits on the host and on every GPU. The functions are those of
 * shaders/lib/exact.glsl and fixed.glsl, which give the domain and error of each; src/base/exact.c
 * compiles the same text as C. */
#ifndef VKS_BASE_EXACT_H
#define VKS_BASE_EXACT_H

#include <vksim/model.h>

typedef struct {
    uint32_t x, y;
} vks_uvec2;

typedef struct {
    int32_t x, y, z;
} vks_ivec3;

float vks_reciprocal(float x);
float vks_exp2(float x);
float vks_log2(float x);
uint32_t vks_half(float x);
float vks_from_half(uint32_t half_bits);
uint32_t vks_high(uint32_t a, uint32_t b);
uint32_t vks_displacement(float cosine, float length);

/* The functions of formulas, for every argument */
float vks_limit(float x, float low, float high);
float vks_clamped(float x);
float vks_formula_reciprocal(float x);
float vks_formula_sqrt(float x);
float vks_formula_exp(float x);
float vks_formula_log(float x);
vks_vec2 vks_formula_sincos(float x);
float vks_formula_sin(float x);
float vks_formula_cos(float x);
float vks_formula_tanh(float x);
float vks_formula_sigmoid(float x);
float vks_formula_power(float x, float y);
float vks_formula_normal(uint32_t a, uint32_t b);

/* 64-bit fixed point; x: low word, y: high word */
float vks_power_of_two(int32_t exponent);
vks_uvec2 vks_fixed_add(vks_uvec2 a, vks_uvec2 b);
vks_uvec2 vks_fixed_subtract(vks_uvec2 a, vks_uvec2 b);
vks_uvec2 vks_fixed_negate(vks_uvec2 a);
vks_ivec3 vks_limbs(float top);
float vks_top_scale(int32_t exponent);
vks_ivec3 vks_carried(vks_ivec3 limbs);
vks_uvec2 vks_from_limbs(vks_ivec3 limbs);
vks_uvec2 vks_fixed(float a, float scale);
float vks_from_fixed(vks_uvec2 a, float unit);

/* vks_binary_angle() of a largest random turn to either side: at most half a turn, as a positive
 * int. */
uint32_t vks_jitter_angle(double degrees);
/* The largest random word of an event that happens once in `mean` draws; 0: of none. */
uint32_t vks_event_words(uint64_t mean);

#endif
