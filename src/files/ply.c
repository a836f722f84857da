/* PLY: a triangle surface with the velocity of its vertices, and other numbers of them.
 *
 * A text header lists the properties of a vertex and of a face; behind it stand the vertices and then the faces, packed
 * without gaps, numbers little endian. Positions stay doubles, as in VTP; a face is a byte 3 and three 32-bit indices.
 * Records are put together in a small buffer, so the file takes no second copy of the mesh.
 * Inputs: mesh, arrays or none, time or none. Output: one file; without triangles it is a valid one without faces. */
#include "files/ply.h"

#include <math.h>
#include <string.h>

#include "files/file.h"
#include "files/vtk_xml.h"

enum { BUFFER = 1 << 15, POSITION_BYTES = 3 * sizeof(double), FACE_BYTES = 1 + 3 * sizeof(int32_t) };
_Static_assert(sizeof(int) == sizeof(int32_t), "indices are written as they lie in memory");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");

static vlCode check_mesh(const char *path, const vlTriMesh *mesh, const vlVtkArray *arrays, int count, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < mesh->vertex_count && code == VL_OK; i++)
    for (int a = 0; a < 3 && code == VL_OK; a++) {
      if (isfinite(mesh->x[i].v[a])) continue;
      char what[64];
      snprintf(what, sizeof what, "vertex at index %d, component %d,", i, a);
      code = vl_vtk_check_number(path, what, mesh->x[i].v[a], status);
    }
  for (int i = 0; i < count && code == VL_OK; i++) code = vl_vtk_check(path, &arrays[i], mesh->vertex_count, status);
  return code;
}

static void write_header(vlFile *file, const vlTriMesh *mesh, const vlVtkArray *arrays, int count, double time)
{
  char text[VL_NUMBER_TEXT];
  vl_file_print(file, "ply\nformat binary_little_endian 1.0\n");
  if (!isnan(time)) vl_file_print(file, "comment time %s s\n", vl_number_text(time, text));
  vl_file_print(file, "element vertex %d\n", mesh->vertex_count);
  vl_file_print(file, "property double x\nproperty double y\nproperty double z\n");
  for (int i = 0; i < count; i++)
    if (arrays[i].components == 3)
      vl_file_print(file, "property float vx\nproperty float vy\nproperty float vz\n");
    else
      vl_file_print(file, "property float %s\n", arrays[i].name);
  vl_file_print(file, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", mesh->triangle_count);
}

static void write_vertices(vlFile *file, const vlTriMesh *mesh, const vlVtkArray *arrays, int count)
{
  char buffer[BUFFER];
  size_t filled = 0, record = POSITION_BYTES;
  for (int j = 0; j < count; j++) record += (size_t)arrays[j].components * sizeof(float);
  for (int i = 0; i < mesh->vertex_count; i++) {
    memcpy(buffer + filled, mesh->x[i].v, POSITION_BYTES);
    filled += POSITION_BYTES;
    for (int j = 0; j < count; j++) {
      size_t width = (size_t)arrays[j].components;
      memcpy(buffer + filled, arrays[j].data + width * (size_t)i, width * sizeof(float));
      filled += width * sizeof(float);
    }
    if (i + 1 < mesh->vertex_count && filled + record <= BUFFER) continue;
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

vlCode vl_ply_write_arrays(const char *path, const vlTriMesh *mesh, double time, const vlVtkArray *arrays, int count,
                           vlStatus *status)
{
  vlFile file;
  vlCode code = check_mesh(path, mesh, arrays, count, status);
  if (code == VL_OK) code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;
  write_header(&file, mesh, arrays, count, time);
  write_vertices(&file, mesh, arrays, count);
  write_faces(&file, mesh);
  return vl_file_commit(&file, status);
}

vlCode vl_ply_write_mesh(const char *path, const vlTriMesh *mesh, const float *velocity, double time, vlStatus *status)
{
  return vl_ply_write_arrays(path, mesh, time, &(vlVtkArray){"velocity", 3, velocity}, velocity != NULL, status);
}
