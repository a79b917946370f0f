/* SPDX-License-Identifier: MIT */
/* Multiplies matrices of float32 or float16, with sums of float32. */
#include "ladder/ladder.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "gpu/matrix.h"
#include "ladder/gemm.h"
#include "ladder/gemm_check.h"

/* Workgroups of 32 x 8, of which every device takes 65535 in each direction. Sums of more products
 * could not be exact. */
enum { MAX_ROWS = 65535 * 8, MAX_COLUMNS = 65535 * 32, MAX_DEPTH = 1 << 22 };

static const char *refuse(const struct vks_ladder_size *size, char text[128])
{
    snprintf(text, 128, "it takes at most %d rows and %d columns, and a depth of at most %d",
             MAX_ROWS, MAX_COLUMNS, MAX_DEPTH);
    return size->axis[0] > MAX_ROWS || size->axis[1] > MAX_COLUMNS || size->axis[2] > MAX_DEPTH
               ? text
               : NULL;
}

/* Inputs are integers of so many bits, from -2^(bits-1), that a sum of products is at most 2^24:
 * float32 is then exact in any order. float16 holds all integers up to 2048. */
static uint32_t integer_bits(uint32_t depth)
{
    uint32_t log = 0;
    while (log < 24 && UINT32_C(1) << log < depth) {
        log++;
    }
    const uint32_t bits = (24 - log) / 2 + 1;
    return bits < 12 ? bits : 12;
}

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t rows = task->size.axis[0], columns = task->size.axis[1];
    const uint32_t depth = task->size.axis[2];
    const enum vks_element element = task->element;
    const uint32_t fraction_bits = element == VKS_F16 ? 11 : 20;
    const uint32_t bits = task->fractions ? fraction_bits : integer_bits(depth);
    const float half = (float)(1 << (bits - 1)), scale = task->fractions ? 1 / half : 1;
    *buffer++ = (struct vks_ladder_buffer){"left", element, depth, rows, bits, half, scale};
    *buffer++ = (struct vks_ladder_buffer){"right", element, columns, depth, bits, half, scale};
    *buffer = (struct vks_ladder_buffer){"result", VKS_F32, columns, rows};
}

static double bytes(const struct vks_ladder_task *task)
{
    const double rows = task->size.axis[0], columns = task->size.axis[1];
    return vks_element_bytes(task->element) * (rows + columns) * task->size.axis[2] +
           4 * rows * columns;
}

static double operations(const struct vks_ladder_task *task)
{
    return 2.0 * task->size.axis[0] * task->size.axis[1] * task->size.axis[2];
}

/* --- rungs ----------------------------------------------------------------------------------- */

static uint32_t pitch_of(const struct vks_ladder_task *task, const char *name)
{
    const struct vks_ladder_buffer buffer = vks_ladder_buffer(task, name);
    return vks_ladder_pitch(&buffer);
}

/* Declares the pass with its workgroups of `lanes` lanes for tiles of rows x columns. */
static void declare_tiles(const struct vks_ladder_task *task, uint32_t rows, uint32_t columns,
                          struct vks_pass *pass, struct vks_declaration *declaration)
{
    const struct gemm_params params = {
        .rows = task->size.axis[0],
        .columns = task->size.axis[1],
        .depth = task->size.axis[2],
        .left_pitch = pitch_of(task, "left"),
        .right_pitch = pitch_of(task, "right"),
        .result_pitch = pitch_of(task, "result"),
    };
    pass->name = task->rung->name;
    pass->shader = task->rung->shader;
    pass->items[0] = params.columns;
    pass->items[1] = params.rows;
    pass->per_group[0] = columns;
    pass->per_group[1] = rows;
    pass->constants = &params;
    pass->constants_size = sizeof(params);
    vks_rung_pass(task, pass, declaration);
}

static void declare_naive(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                          struct vks_declaration *declaration)
{
    struct vks_pass pass = {.group = {32, 8}};
    (void)gpu;
    declare_tiles(task, 8, 32, &pass, declaration);
}

static void declare_tile(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                         struct vks_declaration *declaration)
{
    struct vks_pass pass = {.group = {32, 8}};
    (void)gpu;
    declare_tiles(task, 32, 32, &pass, declaration);
}

static void declare_registers(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                              struct vks_declaration *declaration)
{
    const uint32_t *size = task->size.axis;
    const bool whole = size[0] % 128 == 0 && size[1] % 128 == 0 && size[2] % 16 == 0;
    struct vks_pass pass = {
        .group = {256, 1},
        .specializations = VKS_SPECIALIZATIONS({"whole", whole}),
    };
    (void)gpu;
    declare_tiles(task, 128, 128, &pass, declaration);
}

/* --- the tuned rung -------------------------------------------------------------------------- */

enum { LANES_X, LANES_Y, LANE_ROWS, LANE_COLUMNS, DEPTH, PAD, BUFFERS };

/* The first values are good ones on an NVIDIA H200, and fit every device. */
static const struct vks_tuned_constant tuned_constants[] = {
    [LANES_X] = {"lanes_x", {16, 8, 32}},    [LANES_Y] = {"lanes_y", {8, 16, 32}},
    [LANE_ROWS] = {"lane_rows", {8, 4, 16}}, [LANE_COLUMNS] = {"lane_columns", {8, 4, 16}},
    [DEPTH] = {"depth", {8, 16, 32}},        [PAD] = {"pad", {2, 1}},
    [BUFFERS] = {"buffers", {1, 2}},         {0},
};

/* What the shader derives from its constants (shaders/ladder/gemm_sizes.glsl). */
struct tiles {
    uint32_t lanes, rows, columns;
    uint32_t left_loads, right_loads; /* of a lane, 16 bytes each */
    bool whole_loads;                 /* equally many for all lanes */
    uint32_t shared_bytes;
    uint32_t registers; /* of a lane, about */
};

static struct tiles tiles_of(const uint32_t *values, bool transposed)
{
    const uint32_t depth = values[DEPTH];
    struct tiles tiles = {
        .lanes = values[LANES_X] * values[LANES_Y],
        .rows = values[LANES_Y] * values[LANE_ROWS],
        .columns = values[LANES_X] * values[LANE_COLUMNS],
    };
    const uint32_t left = tiles.rows * depth / 4, right = tiles.columns * depth / 4;
    tiles.left_loads = left / tiles.lanes;
    tiles.right_loads = right / tiles.lanes;
    tiles.whole_loads = left % tiles.lanes == 0 && right % tiles.lanes == 0;
    const uint32_t pad = (values[PAD] - 1) * (transposed ? depth : tiles.rows);
    tiles.shared_bytes = 16 * values[BUFFERS] * (left + pad + right);
    tiles.registers = values[LANE_ROWS] * values[LANE_COLUMNS] +
                      (transposed ? 1 : 4) * values[LANE_ROWS] + values[LANE_COLUMNS] +
                      4 * (tiles.left_loads + tiles.right_loads) + 24;
    return tiles;
}

static bool is_transposed(const struct vks_ladder_task *task)
{
    return strcmp(task->rung->name, "transposed") == 0;
}

static bool fits(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    const uint32_t *values = task->values;
    const struct tiles tiles = tiles_of(values, is_transposed(task));
    const uint32_t sums = values[LANE_ROWS] * values[LANE_COLUMNS];
    return tiles.lanes >= 64 && tiles.lanes <= 512 && tiles.lanes <= limits->invocations &&
           tiles.whole_loads && tiles.shared_bytes <= limits->shared_bytes &&
           tiles.registers <= 248 && sums >= 32;
}

static void declare_tuned(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                          struct vks_declaration *declaration)
{
    const struct tiles tiles = tiles_of(task->values, is_transposed(task));
    const uint32_t *size = task->size.axis;
    const uint32_t whole = size[0] % tiles.rows == 0 && size[1] % tiles.columns == 0 &&
                           size[2] % task->values[DEPTH] == 0;
    struct vks_pass pass = {
        .group = {tiles.lanes, 1},
        .shared_bytes = tiles.shared_bytes,
        .specializations = VKS_SPECIALIZATIONS({"whole", whole}),
    };
    (void)gpu;
    declare_tiles(task, tiles.rows, tiles.columns, &pass, declaration);
}

static const struct vks_rung_space tuned_space = {tuned_constants, fits};

/* --- cooperative matrices -------------------------------------------------------------------- */

enum { SUBGROUPS_X, SUBGROUPS_Y, TILES_X, TILES_Y, BLOCK_DEPTH };
enum { LINE = 64 }; /* elements of the left matrix that the tuned rung reads at once */

static const struct vks_tuned_constant block_constants[] = {
    [SUBGROUPS_X] = {"subgroups_x", {4, 2, 1}}, [SUBGROUPS_Y] = {"subgroups_y", {2, 1, 4}},
    [TILES_X] = {"tiles_x", {4, 2, 8}},         [TILES_Y] = {"tiles_y", {4, 2, 8}},
    [BLOCK_DEPTH] = {"depth", {32, LINE}},      {0},
};

/* What the shaders derive from their constants (shaders/ladder/gemm_blocks.glsl). */
struct blocks {
    uint32_t lanes, rows, columns;
    bool whole_loads;                   /* equally many for all lanes */
    uint32_t shared_bytes, stage_bytes; /* stage: of matrices of sums, one per subgroup */
    uint32_t registers;                 /* of a lane, about */
};

static struct blocks blocks_of(const uint32_t *values, const struct vks_matrix_size *matrix,
                               uint32_t subgroup)
{
    const uint32_t depth = values[BLOCK_DEPTH];
    const uint32_t subgroups = values[SUBGROUPS_X] * values[SUBGROUPS_Y];
    const uint32_t tiles = values[TILES_X] * values[TILES_Y];
    struct blocks blocks = {
        .lanes = subgroup * subgroups,
        .rows = values[SUBGROUPS_Y] * values[TILES_Y] * matrix->rows,
        .columns = values[SUBGROUPS_X] * values[TILES_X] * matrix->columns,
    };
    const uint32_t left = blocks.rows * LINE / 8, right = blocks.columns * depth / 8;
    blocks.whole_loads =
        left % (2 * blocks.lanes) == 0 && right % blocks.lanes == 0 && depth % matrix->depth == 0;
    blocks.shared_bytes = 16 * (blocks.rows * (depth / 8 + 1) + depth * (blocks.columns / 8 + 1));
    blocks.stage_bytes = 4 * subgroups * matrix->rows * matrix->columns;
    blocks.registers =
        (tiles * matrix->rows * matrix->columns +
         values[TILES_Y] * matrix->rows * matrix->depth / 2 + matrix->depth * matrix->columns / 2) /
            subgroup +
        4 * (left + right) / blocks.lanes + 24;
    return blocks;
}

static bool blocks_fit(const struct vks_limits *limits, const struct blocks *blocks)
{
    return blocks->lanes <= limits->invocations && blocks->whole_loads &&
           blocks->shared_bytes <= limits->shared_bytes &&
           blocks->stage_bytes <= blocks->shared_bytes;
}

/* The usual size; declare_blocks() reports it if those of the device do not fit. */
static bool fits_blocks(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    const struct vks_matrix_size usual = {16, 16, 16};
    const uint32_t subgroup = limits->subgroup ? limits->subgroup : 32;
    const struct blocks blocks = blocks_of(task->values, &usual, subgroup);
    return blocks_fit(limits, &blocks) && blocks.lanes >= 2 * subgroup && blocks.lanes <= 512 &&
           blocks.registers <= 248 && blocks.rows >= 64 && blocks.columns >= 64;
}

/* The device's matrices and subgroups. False after marking the declaration as failed. */
static bool find_matrix(const struct vks_gpu *gpu, struct vks_matrix_size *matrix,
                        uint32_t *subgroup, struct vks_declaration *declaration)
{
    enum vks_result result = vks_gpu_matrix_size(gpu, matrix);
    *subgroup = vks_graph_limits(gpu).subgroup;
    if (result == VKS_OK && *subgroup == 0) {
        result = vks_fail(VKS_ERROR_DEVICE, "%s does not report the size of its subgroups",
                          gpu->info.name);
    }
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
    }
    return result == VKS_OK;
}

static void declare_matrix(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    struct vks_matrix_size matrix;
    uint32_t subgroup;
    if (!find_matrix(gpu, &matrix, &subgroup, declaration)) {
        return;
    }
    struct vks_pass pass = {
        .group = {subgroup, 1},
        .subgroup = subgroup,
        .shared_bytes =
            2 * (matrix.rows + matrix.columns) * matrix.depth + 4 * matrix.rows * matrix.columns,
        .specializations =
            VKS_SPECIALIZATIONS({"M", matrix.rows}, {"N", matrix.columns}, {"K", matrix.depth}),
    };
    declare_tiles(task, matrix.rows, matrix.columns, &pass, declaration);
}

static void declare_blocks(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    static const uint32_t staged[] = {2, 2, 4, 4, 32}; /* the shader's defaults */
    const struct vks_limits limits = vks_graph_limits(gpu);
    const uint32_t *values = task->rung->space ? task->values : staged, *size = task->size.axis;
    struct vks_matrix_size matrix;
    uint32_t subgroup;
    if (!find_matrix(gpu, &matrix, &subgroup, declaration)) {
        return;
    }
    const struct blocks blocks = blocks_of(values, &matrix, subgroup);
    if (!blocks_fit(&limits, &blocks)) {
        vks_declaration_fail(declaration,
                             vks_fail(VKS_ERROR_DEVICE,
                                      "the tiles of the rung %s do not fit the matrices of %s, "
                                      "%u x %u times %u x %u",
                                      task->rung->name, gpu->info.name, matrix.rows, matrix.depth,
                                      matrix.depth, matrix.columns));
        return;
    }
    const bool whole =
        size[0] % blocks.rows == 0 && size[1] % blocks.columns == 0 && size[2] % LINE == 0;
    struct vks_pass pass = {
        .group = {blocks.lanes, 1},
        .subgroup = subgroup,
        .shared_bytes = blocks.shared_bytes,
        .specializations =
            VKS_SPECIALIZATIONS({"M", matrix.rows}, {"N", matrix.columns}, {"K", matrix.depth},
                                {"whole", whole}, {"lanes", blocks.lanes}),
    };
    declare_tiles(task, blocks.rows, blocks.columns, &pass, declaration);
}

static const struct vks_rung_space block_space = {block_constants, fits_blocks};

/* --- matrices of workgroups ------------------------------------------------------------------ */

enum { GROUP_ROWS, GROUP_COLUMNS, GROUP_DEPTH, GROUP_LANES };

static const struct vks_tuned_constant group_constants[] = {
    [GROUP_ROWS] = {"tile_rows", {128, 256, 64}},
    [GROUP_COLUMNS] = {"tile_columns", {128, 256, 64}},
    [GROUP_DEPTH] = {"depth", {32, 64, 16}},
    [GROUP_LANES] = {"lanes", {128, 256}},
    {0},
};

static bool fits_group(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    const uint32_t *values = task->values;
    const uint32_t sums = values[GROUP_ROWS] * values[GROUP_COLUMNS] / values[GROUP_LANES];
    return values[GROUP_LANES] <= limits->invocations && sums <= 128;
}

static void declare_group(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                          struct vks_declaration *declaration)
{
    const uint32_t *values = task->values, *size = task->size.axis;
    const struct vks_matrix_size matrix = {values[GROUP_ROWS], values[GROUP_COLUMNS],
                                           values[GROUP_DEPTH]};
    const enum vks_result result = vks_gpu_workgroup_matrix(gpu, values[GROUP_LANES], &matrix);
    if (result != VKS_OK) {
        vks_declaration_fail(declaration, result);
        return;
    }
    const bool whole =
        size[0] % matrix.rows == 0 && size[1] % matrix.columns == 0 && size[2] % matrix.depth == 0;
    struct vks_pass pass = {
        .group = {values[GROUP_LANES], 1},
        .specializations = VKS_SPECIALIZATIONS({"whole", whole}),
    };
    declare_tiles(task, matrix.rows, matrix.columns, &pass, declaration);
}

static const struct vks_rung_space group_space = {group_constants, fits_group};

static const struct vks_rung rungs[] = {
    {"naive", "ladder/gemm_naive", "one dot product per lane", .declare = declare_naive},
    {"tile", "ladder/gemm_tile", "tiles in shared memory", .declare = declare_tile},
    {"registers", "ladder/gemm_registers", "8 x 8 sums per lane, accesses of 16 bytes",
     .elements = VKS_LADDER_ELEMENT(VKS_F32), .declare = declare_registers},
    {"double", "ladder/gemm_double", "two buffers: the next tiles are loaded during arithmetic",
     .elements = VKS_LADDER_ELEMENT(VKS_F32), .declare = declare_registers},
    {"tuned", "ladder/gemm_tuned", "all sizes chosen by the tuner",
     .elements = VKS_LADDER_ELEMENT(VKS_F32), .space = &tuned_space, .declare = declare_tuned},
    {"transposed", "ladder/gemm_transposed", "the same, with the left tile transposed",
     .elements = VKS_LADDER_ELEMENT(VKS_F32), .space = &tuned_space, .declare = declare_tuned},
    {"matrix", "ladder/gemm_matrix", "a cooperative matrix per subgroup, from memory",
     .feature = VKS_FEATURE_COOPERATIVE_MATRIX, .elements = VKS_LADDER_ELEMENT(VKS_F16),
     .ceiling = "float16-matrix", .declare = declare_matrix},
    {"staged", "ladder/gemm_staged", "4 x 4 matrices per subgroup, through shared memory",
     .feature = VKS_FEATURE_COOPERATIVE_MATRIX, .elements = VKS_LADDER_ELEMENT(VKS_F16),
     .ceiling = "float16-matrix", .declare = declare_blocks},
    {"matrix-tuned", "ladder/gemm_matrix_tuned",
     "whole cache lines, loaded ahead; sizes by the tuner",
     .feature = VKS_FEATURE_COOPERATIVE_MATRIX, .elements = VKS_LADDER_ELEMENT(VKS_F16),
     .ceiling = "float16-matrix", .space = &block_space, .declare = declare_blocks},
    {"workgroup", "ladder/gemm_workgroup", "matrices of a workgroup: the driver stages them",
     .feature = VKS_FEATURE_WORKGROUP_MATRIX, .elements = VKS_LADDER_ELEMENT(VKS_F16),
     .ceiling = "float16-matrix", .space = &group_space, .declare = declare_group},
    {0},
};

const struct vks_ladder_kernel vks_kernel_gemm = {
    .name = "gemm",
    .help = "multiplies two matrices: reuse in shared memory and registers, and tuning",
    .axes = "MxNxK",
    .sizes = "1024x1024x1024,2048x2048x2048,4096x4096x4096",
    .software_sizes = "128x128x128,257x131x67",
    .awkward_sizes = "1x1x1,1x100x1,100x1x1,1x1x1000,7x5x3,31x33x127,128x64x64,131x257x67",
    .ceiling = "float32",
    .elements = VKS_LADDER_ELEMENT(VKS_F32) | VKS_LADDER_ELEMENT(VKS_F16),
    .element = VKS_F32,
    .refuse = refuse,
    .buffers = buffers,
    .bytes = bytes,
    .operations = operations,
    .check = vks_gemm_check,
    .rungs = rungs,
};
