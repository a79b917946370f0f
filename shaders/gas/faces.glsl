// SPDX-License-Identifier: MIT
// Faces of a tile in shared memory: those below its cells along each axis and those above its last
// cells. Each is computed once, by any invocation of the workgroup. The shader first defines
// put_face(slot, cell, axis), which stores the face below a cell (x, y, z).
// docs/sims/gas-kernels.md.
#ifndef VKS_GAS_FACES_GLSL
#define VKS_GAS_FACES_GLSL

// Index of the face below a cell of the tile (z, y, x), which may be the one after the last.
uint face_slot(uvec3 at, uint axis)
{
    if (axis == 0u) {
        return (at.x * tile_y + at.y) * tile_x + at.z;
    }
    return axis == 1u ? faces_z + (at.x * (tile_y + 1u) + at.y) * tile_x + at.z
                      : faces_z + faces_y + (at.x * tile_y + at.y) * (tile_x + 1u) + at.z;
}

uint face_above(uvec3 at, uint axis)
{
    at[axis]++;
    return face_slot(at, axis);
}

// A loop, so that the code of a face exists once. All invocations of the workgroup must call it.
void put_faces(TileNode here, uint t)
{
    uvec3 sides = uvec3(constants.depth, constants.height, constants.width);
    uint count = here.number < tile_count() ? face_count : 0u;
    [[dont_unroll]] for (uint slot = t; slot < count; slot += gl_WorkGroupSize.x)
    {
        uvec3 at;
        uint axis;
        if (slot < faces_z) {
            axis = 0u;
            at = uvec3(slot / (tile_y * tile_x), slot / tile_x % tile_y, slot % tile_x);
        } else if (slot < faces_z + faces_y) {
            axis = 1u;
            uint i = slot - faces_z;
            at = uvec3(i / ((tile_y + 1u) * tile_x), i / tile_x % (tile_y + 1u), i % tile_x);
        } else {
            axis = 2u;
            uint i = slot - faces_z - faces_y;
            at = uvec3(i / (tile_y * (tile_x + 1u)), i / (tile_x + 1u) % tile_y,
                       i % (tile_x + 1u));
        }
        uvec3 cell = here.tile * uvec3(tile_z, tile_y, tile_x) + at;
        uvec3 last = sides - 1u;
        last[axis]++;
        if (all(lessThanEqual(cell, last))) {
            cell[axis] = cell[axis] == sides[axis] ? 0u : cell[axis];
            put_face(slot, cell.zyx, axis);
        }
    }
    barrier();
}
#endif
