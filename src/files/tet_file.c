/* A tetrahedral mesh as a file that other programs read.
 *
 * Gmsh 4.1, text: one volume, all nodes and tetrahedra in a block each, numbered from 1. Gmsh's first three corners are
 * counter-clockwise seen from the fourth, as ours. Positions have 17 digits, so that they are read back as they were.
 * VTU: by vl_vtu_write.
 * In: mesh. Out: one file. */
#include "files/tet_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"
#include "files/file.h"
#include "files/vtk.h"

static const char *ending_of(const char *path)
{
  const char *dot = strrchr(path, '.');
  return dot && !strchr(dot, '/') ? dot : "";
}

static bool is_vtu(const char *path) { return strcasecmp(ending_of(path), ".vtu") == 0; }

vlCode vl_tet_file_check_name(const char *path, vlStatus *status)
{
  if (is_vtu(path) || strcasecmp(ending_of(path), ".msh") == 0) return VL_OK;
  return vl_fail(status, VL_ERROR_USAGE, "%s: a name that ends in .msh (Gmsh) or .vtu (VTK) is wanted", path);
}

static vlCode write_msh(const char *path, const vlTetMesh *mesh, vlStatus *status)
{
  vlFile file;
  vlBox3 box = vl_tetmesh_bounds(mesh);
  vlCode code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;
  vl_file_print(&file,
                "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 %.17g %.17g %.17g %.17g %.17g %.17g 0 0\n",
                box.lo.x, box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z);
  vl_file_print(&file, "$EndEntities\n$Nodes\n1 %d 1 %d\n3 1 0 %d\n", mesh->node_count, mesh->node_count, mesh->node_count);
  for (int i = 0; i < mesh->node_count; i++) vl_file_print(&file, "%d\n", i + 1);
  for (int i = 0; i < mesh->node_count; i++)
    vl_file_print(&file, "%.17g %.17g %.17g\n", mesh->node[i].x, mesh->node[i].y, mesh->node[i].z);
  vl_file_print(&file, "$EndNodes\n$Elements\n1 %d 1 %d\n3 1 4 %d\n", mesh->tet_count, mesh->tet_count, mesh->tet_count);
  for (int t = 0; t < mesh->tet_count; t++) {
    const int *n = mesh->tet[t];
    vl_file_print(&file, "%d %d %d %d %d\n", t + 1, n[0] + 1, n[1] + 1, n[2] + 1, n[3] + 1);
  }
  vl_file_print(&file, "$EndElements\n");
  return vl_file_commit(&file, status);
}

static vlCode write_vtu(const char *path, const vlTetMesh *mesh, vlStatus *status)
{
  size_t count = (size_t)mesh->tet_count;
  int64_t *node = malloc(4 * count * sizeof *node), *end = malloc(count * sizeof *end);
  uint8_t *type = malloc(count);
  int32_t *number = malloc(count * sizeof *number);
  vlCode code = node && end && type && number ? VL_OK : vl_fail_memory(status, 4 * count * sizeof *node, path);
  for (size_t t = 0; t < count && code == VL_OK; t++) {
    for (size_t k = 0; k < 4; k++) node[4 * t + k] = mesh->tet[t][k];
    end[t] = (int64_t)(4 * t + 4);
    type[t] = VL_VTU_TET4;
    number[t] = (int32_t)t;
  }
  const vlVtuGrid grid = {mesh->node, node, end, type, number, "tetrahedron", mesh->node_count, mesh->tet_count};
  if (code == VL_OK) code = vl_vtu_write(path, &grid, 0.0, NULL, 0, NULL, 0, status);
  free(node);
  free(end);
  free(type);
  free(number);
  return code;
}

vlCode vl_tet_file_write(const char *path, const vlTetMesh *mesh, vlStatus *status)
{
  vlCode code = vl_tet_file_check_name(path, status);
  if (code != VL_OK) return code;
  return is_vtu(path) ? write_vtu(path, mesh, status) : write_msh(path, mesh, status);
}
