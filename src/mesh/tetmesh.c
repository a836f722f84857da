/* Tetrahedral meshes: memory, measures, placing.
 *
 * The volume of a tetrahedron is (b - a) x (c - a) . (d - a) / 6, positive when d lies on the side to which the cross
 * product points. Edges are differences of nodes, so a body far from the origin keeps its digits. A mesh whose volumes are
 * all negative was written with the opposite convention and is turned over; a mesh of both kinds is left to the check.
 *
 * mesh → measures, or the same mesh placed elsewhere. */
#include "mesh/tetmesh.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

vlCode vl_tetmesh_create(vlTetMesh *mesh, int node_count, int tet_count, vlStatus *status)
{
  assert(node_count >= 0 && tet_count >= 0);
  *mesh = (vlTetMesh){.node_count = node_count, .tet_count = tet_count};
  mesh->node = calloc((size_t)node_count + 1, sizeof *mesh->node);
  mesh->tet = calloc((size_t)tet_count + 1, sizeof *mesh->tet);
  if (mesh->node && mesh->tet) return VL_OK;
  vl_tetmesh_clear(mesh);
  return vl_fail_memory(status, (size_t)node_count * sizeof *mesh->node + (size_t)tet_count * sizeof *mesh->tet,
                        "a tetrahedral mesh");
}

void vl_tetmesh_clear(vlTetMesh *mesh)
{
  if (!mesh) return;
  free(mesh->node);
  free(mesh->tet);
  *mesh = (vlTetMesh){0};
}

static bool has_indices_in_range(const vlTetMesh *mesh)
{
  for (int t = 0; t < mesh->tet_count; t++)
    for (int k = 0; k < 4; k++)
      if (mesh->tet[t][k] < 0 || mesh->tet[t][k] >= mesh->node_count) return false;
  return true;
}

vlCode vl_tetmesh_from_arrays(vlTetMesh *mesh, const vlVec3 *nodes, int node_count, const int (*tets)[4], int tet_count,
                              const char *name, vlStatus *status)
{
  *mesh = (vlTetMesh){0};
  if (!nodes || node_count < 0) node_count = 0;
  if (!tets || tet_count < 0) tet_count = 0;
  vlCode code = vl_tetmesh_create(mesh, node_count, tet_count, status);
  if (code != VL_OK) return code;
  if (node_count > 0) memcpy(mesh->node, nodes, (size_t)node_count * sizeof *nodes);
  if (tet_count > 0) memcpy(mesh->tet, tets, (size_t)tet_count * sizeof *tets);
  if (has_indices_in_range(mesh)) vl_tetmesh_orient(mesh);
  code = vl_tetmesh_check(mesh, name, NULL, status);
  if (code != VL_OK) vl_tetmesh_clear(mesh);
  return code;
}

double vl_tetmesh_tet_volume(const vlTetMesh *mesh, int tet)
{
  const int *n = mesh->tet[tet];
  vlVec3 a = mesh->node[n[0]];
  vlVec3 b = vl_sub(mesh->node[n[1]], a), c = vl_sub(mesh->node[n[2]], a), d = vl_sub(mesh->node[n[3]], a);
  return vl_dot(vl_cross(b, c), d) / 6.0;
}

double vl_tetmesh_volume(const vlTetMesh *mesh)
{
  double sum = 0.0;
  for (int t = 0; t < mesh->tet_count; t++) sum += vl_tetmesh_tet_volume(mesh, t);
  return sum;
}

vlBox3 vl_tetmesh_bounds(const vlTetMesh *mesh)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < mesh->node_count; i++) box = vl_box_add(box, mesh->node[i]);
  return box;
}

/* Gives every volume the other sign. */
static void turn_over(vlTetMesh *mesh)
{
  for (int t = 0; t < mesh->tet_count; t++) {
    int c = mesh->tet[t][2];
    mesh->tet[t][2] = mesh->tet[t][3];
    mesh->tet[t][3] = c;
  }
}

void vl_tetmesh_orient(vlTetMesh *mesh)
{
  for (int t = 0; t < mesh->tet_count; t++)
    if (!(vl_tetmesh_tet_volume(mesh, t) < 0.0)) return;
  turn_over(mesh);
}

void vl_tetmesh_transform(vlTetMesh *mesh, vlMat3 a, vlVec3 shift)
{
  for (int i = 0; i < mesh->node_count; i++) mesh->node[i] = vl_add(vl_mat_apply(a, mesh->node[i]), shift);
  vlVec3 row[3];
  for (int i = 0; i < 3; i++) row[i] = vl_vec(a.m[i][0], a.m[i][1], a.m[i][2]);
  double determinant = vl_dot(vl_cross(row[0], row[1]), row[2]);
  if (determinant < 0.0) turn_over(mesh);
}
