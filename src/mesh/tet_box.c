/* A box as a regular tetrahedral mesh, after Kuhn's division of the cube [kuhn1960].
 *
 * Each cell is split into six tetrahedra, one for each order of the axes: from the lowest corner one step along the first
 * axis, one along the second, one along the third ends at the highest corner. Every side of a cell gets the diagonal from
 * its lowest to its highest corner, the same from both sides, so neighbours match without a pattern. All six have a sixth of
 * the cell's volume; odd orders of the axes swap two nodes to keep it positive.
 *
 * box, cells along the axes → nodes, tetrahedra. */
#include <limits.h>

#include "base/status.h"
#include "mesh/tetmesh.h"

static vlCode check_box(vlBox3 box, const int cells[3], vlStatus *status)
{
  double nodes = 1.0, tets = 6.0;
  for (int a = 0; a < 3; a++) {
    double side = box.hi.v[a] - box.lo.v[a];
    if (!(side > 0.0) || !isfinite(side))
      return vl_fail(status, VL_ERROR_SCENE,
                     "mesh of a box: its %c side is from %g to %g m, it must be finite and more than zero", 'x' + a,
                     box.lo.v[a], box.hi.v[a]);
    if (cells[a] < 1)
      return vl_fail(status, VL_ERROR_SCENE, "mesh of a box: %d x %d x %d cells, it must be 1 or more along each axis",
                     cells[0], cells[1], cells[2]);
    nodes *= cells[a] + 1.0;
    tets *= cells[a];
  }
  if (nodes > INT_MAX || tets > INT_MAX)
    return vl_fail(status, VL_ERROR_SCENE,
                   "mesh of a box: %d x %d x %d cells make %.0f tetrahedra, it must be up to %d of them and of nodes",
                   cells[0], cells[1], cells[2], tets, INT_MAX);
  return VL_OK;
}

/* The last node along an axis lies on the box's side exactly. */
static double node_place(double lo, double hi, int i, int cells) { return i == cells ? hi : lo + (hi - lo) * i / cells; }

static void place_nodes(vlTetMesh *mesh, vlBox3 box, const int cells[3])
{
  vlVec3 *node = mesh->node;
  for (int k = 0; k <= cells[2]; k++)
    for (int j = 0; j <= cells[1]; j++)
      for (int i = 0; i <= cells[0]; i++)
        *node++ = vl_vec(node_place(box.lo.x, box.hi.x, i, cells[0]), node_place(box.lo.y, box.hi.y, j, cells[1]),
                         node_place(box.lo.z, box.hi.z, k, cells[2]));
}

/* The six tetrahedra of the cell whose lowest node is `corner`; step: from a node to the next along each axis. */
static void split_cell(int (*tet)[4], int corner, const int step[3])
{
  for (int order = 0; order < 6; order++) {
    int a = order % 3;
    bool odd = order >= 3;
    int b = (a + (odd ? 2 : 1)) % 3, c = 3 - a - b;
    tet[order][0] = corner;
    tet[order][odd ? 2 : 1] = corner + step[a];
    tet[order][odd ? 1 : 2] = corner + step[a] + step[b];
    tet[order][3] = corner + step[a] + step[b] + step[c];
  }
}

vlCode vl_tetmesh_box(vlTetMesh *mesh, vlBox3 box, const int cells[3], vlStatus *status)
{
  *mesh = (vlTetMesh){0};
  vlCode code = check_box(box, cells, status);
  if (code != VL_OK) return code;
  const int step[3] = {1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
  code = vl_tetmesh_create(mesh, step[2] * (cells[2] + 1), 6 * cells[0] * cells[1] * cells[2], status);
  if (code != VL_OK) return code;
  place_nodes(mesh, box, cells);
  int(*tet)[4] = mesh->tet;
  for (int k = 0; k < cells[2]; k++)
    for (int j = 0; j < cells[1]; j++)
      for (int i = 0; i < cells[0]; i++, tet += 6) split_cell(tet, i * step[0] + j * step[1] + k * step[2], step);
  return VL_OK;
}
