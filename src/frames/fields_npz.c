/* SPDX-License-Identifier: MIT */
/* Fields as a NumPy archive: an array for each, and for each component of a vector. */
#include <stdio.h>

#include "base/error.h"
#include "frames/still.h"
#include "io/npz.h"

/* An array of the cells: (D, H, W), or (H, W) of a plane. */
static enum vks_result write_cells(struct vks_npz_writer *writer, const char *name,
                                   const uint32_t cells[3], const float *values)
{
    const uint64_t shape[3] = {cells[2], cells[1], cells[0]};
    const uint32_t flat = cells[2] == 1;
    const enum vks_result result =
        vks_npz_begin_array(writer, name, 'f', sizeof(*values), 3 - flat, shape + flat);
    return result == VKS_OK
               ? vks_npz_write(writer, values, shape[0] * shape[1] * shape[2] * sizeof(*values))
               : result;
}

enum vks_result vks_fields_npz_still(const struct vks_still *still, const struct vks_frame *frame)
{
    const struct vks_exports *exports = &still->params->cells;
    const uint32_t *cells = frame->extents.cells;
    const uint64_t count = (uint64_t)cells[0] * cells[1] * cells[2];
    const float *values = frame->planes[VKS_PLANE_CELLS];
    struct vks_npz_writer *writer;
    enum vks_result result = vks_npz_create_in(still->fd, still->path, &writer);
    if (result != VKS_OK) {
        return result;
    }
    for (size_t i = 0; result == VKS_OK && i < exports->count; i++) {
        const struct vks_export *array = &exports->list[i];
        for (uint32_t c = 0; result == VKS_OK && c < vks_export_components(array); c++) {
            char name[sizeof(array->name)];
            snprintf(name, sizeof(name), "%.60s%c%c", array->name, array->is_vector ? '_' : '\0',
                     "zyx"[c]);
            result = write_cells(writer, name, cells, values);
            values += count;
        }
    }
    if (result != VKS_OK) {
        vks_npz_abort(writer);
        return result;
    }
    return vks_npz_finish(writer);
}
