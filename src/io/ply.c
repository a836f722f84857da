/* PLY: a triangle surface with the velocity of its vertices.
 *
 * A text header lists the properties of a vertex and of a face; behind it stand the vertices and then the faces, packed
 * without gaps, numbers little endian. Positions stay doubles, as in VTP; a face is a byte 3 and three 32-bit indices.
 * Records are put together in a small buffer, so the file takes no second copy of the mesh.
 * Inputs: mesh, velocity or none. Output: one file; without triangles it is a valid one without faces. */
#include "io/ply.h"

#include <math.h>
#include <string.h>

#include "io/vtk_xml.h"

enum {
  BUFFER = 1 << 15,
  POSITION_BYTES = 3 * sizeof(double),
  VELOCITY_BYTES = 3 * sizeof(float),
  FACE_BYTES = 1 + 3 * sizeof(int32_t)
};
_Static_assert(sizeof(int) == sizeof(int32_t), "indices are written as they lie in memory");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");

static vlCode check_mesh(const char *path, const vlTriMesh *mesh, const float *velocity, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < mesh->vertex_count && code == VL_OK; i++)
    for (int a = 0; a < 3 && code == VL_OK; a++) {
      if (isfinite(mesh->x[i].v[a])) continue;
      char what[64];
      snprintf(what, sizeof what, "vertex at index %d, component %d,", i, a);
      code = vl_vtk_check_number(path, what, mesh->x[i].v[a], status);
    }
  if (code == VL_OK && velocity)
    code = vl_vtk_check(path, &(vlVtkArray){"velocity", 3, velocity}, mesh->vertex_count, status);
  return code;
}

static void write_header(vlFile *file, const vlTriMesh *mesh, bool moves)
{
  vl_file_print(file, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", mesh->vertex_count);
  vl_file_print(file, "property double x\nproperty double y\nproperty double z\n");
  if (moves) vl_file_print(file, "property float vx\nproperty float vy\nproperty float vz\n");
  vl_file_print(file, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", mesh->triangle_count);
}

static void write_vertices(vlFile *file, const vlTriMesh *mesh, const float *velocity)
{
  char buffer[BUFFER];
  size_t filled = 0;
  for (int i = 0; i < mesh->vertex_count; i++) {
    memcpy(buffer + filled, mesh->x[i].v, POSITION_BYTES);
    filled += POSITION_BYTES;
    if (velocity) {
      memcpy(buffer + filled, velocity + 3 * (size_t)i, VELOCITY_BYTES);
      filled += VELOCITY_BYTES;
    }
    if (i + 1 < mesh->vertex_count && filled + POSITION_BYTES + VELOCITY_BYTES <= BUFFER) continue;
    vl_file_write(file, buffer, filled);
    filled = 0;
  }
}

static void write_faces(vlFile *file, const vlTriMesh *mesh)
{
  char buffer[BUFFER];
  size_t filled = 0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    buffer[filled] = 3;
    memcpy(buffer + filled + 1, mesh->tri[t], sizeof mesh->tri[t]);
    filled += FACE_BYTES;
    if (t + 1 < mesh->triangle_count && filled + FACE_BYTES <= BUFFER) continue;
    vl_file_write(file, buffer, filled);
    filled = 0;
  }
}

vlCode vl_ply_write_mesh(const char *path, const vlTriMesh *mesh, const float *velocity, vlStatus *status)
{
  vlFile file;
  vlCode code = check_mesh(path, mesh, velocity, status);
  if (code == VL_OK) code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;
  write_header(&file, mesh, velocity != NULL);
  write_vertices(&file, mesh, velocity);
  write_faces(&file, mesh);
  return vl_file_commit(&file, status);
}
