/* SPDX-License-Identifier: MIT */
/* VTK image data: an XML header, then the raw values. Values are point data, one at the centre
 * of each cell, so that ParaView can draw volumes and contours without a conversion. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "frames/still.h"

enum vks_result vks_vti_still(const struct vks_still *still, const struct vks_frame *frame)
{
    const struct vks_sink_params *params = still->params;
    const uint32_t *cells = frame->cells;
    const uint64_t bytes = (uint64_t)cells[0] * cells[1] * cells[2] * sizeof(float);
    char *extent = vks_format("0 %" PRIu32 " 0 %" PRIu32 " 0 %" PRIu32, cells[0] - 1, cells[1] - 1,
                              cells[2] - 1);
    char *head = extent
                     ? vks_format("<?xml version=\"1.0\"?>\n"
                                  "<VTKFile type=\"ImageData\" version=\"1.0\" "
                                  "byte_order=\"%sEndian\" header_type=\"UInt64\">\n"
                                  "  <ImageData WholeExtent=\"%s\" Origin=\"0.5 0.5 0.5\" "
                                  "Spacing=\"1 1 1\">\n"
                                  "    <FieldData>\n"
                                  "      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                                  "NumberOfTuples=\"1\" format=\"ascii\">%" PRIu64 "</DataArray>\n"
                                  "    </FieldData>\n"
                                  "    <Piece Extent=\"%s\">\n"
                                  "      <PointData Scalars=\"%s\">\n"
                                  "        <DataArray type=\"Float32\" Name=\"%s\" "
                                  "format=\"appended\" offset=\"0\"/>\n"
                                  "      </PointData>\n"
                                  "    </Piece>\n"
                                  "  </ImageData>\n"
                                  "  <AppendedData encoding=\"raw\">\n_",
                                  vks_is_big_endian() ? "Big" : "Little", extent, frame->step,
                                  extent, params->field, params->field)
                     : NULL;
    static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
    free(extent);
    if (!head) {
        return vks_fail_memory();
    }
    int error = vks_write_all(still->fd, head, strlen(head));
    error = error ? error : vks_write_all(still->fd, &bytes, sizeof(bytes));
    error = error ? error : vks_write_all(still->fd, frame->planes[VKS_PLANE_CELLS], bytes);
    error = error ? error : vks_write_all(still->fd, tail, sizeof(tail) - 1);
    free(head);
    return error ? vks_fail_write(still->path, error) : VKS_OK;
}
