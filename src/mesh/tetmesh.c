/* Tetrahedral meshes: memory, measures, placing; boxes.
 *
 * The volume of a tetrahedron is (b - a) x (c - a) . (d - a) / 6, positive when d lies on the side to which the cross
 * product points. Edges are differences of nodes, so a body far from the origin keeps its digits. A mesh whose volumes are
 * all negative was written with the opposite convention and is turned over; a mesh of both kinds is left to the check.
 *
 * mesh → measures, or the same mesh placed elsewhere. */
#include "mesh/tetmesh.h"

#include <assert.h>
#include <limits.h>
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

/* A box as a regular tetrahedral mesh, after Kuhn's division of the cube [kuhn1960].
 *
 * Each cell is split into six tetrahedra, one for each order of the axes: from the lowest corner one step along the first
 * axis, one along the second, one along the third ends at the highest corner. Every side of a cell gets the diagonal from
 * its lowest to its highest corner, the same from both sides, so neighbours match without a pattern. All six have a sixth of
 * the cell's volume; odd orders of the axes swap two nodes to keep it positive.
 *
 * box, cells along the axes → nodes, tetrahedra. */

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

/* The faces of a tetrahedral mesh, found by sorting, and its surface.
 *
 * Each tetrahedron gives four faces; those on the same three nodes are one face of the mesh. Four stable counting sorts, by
 * the opposite node and then by the face's nodes from the highest to the lowest, bring them together in
 * O(tetrahedra + nodes), whatever the mesh, with the order (lowest, middle, highest, opposite node, tetrahedron). Copies of
 * one tetrahedron so become neighbours.
 *
 * mesh → faces sorted by their nodes. */

const int vl_tet_face_corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/* Exchanges key[i] and key[i + 1] where they descend. */
static void order_pair(vlTetFace *face, int i)
{
  int low = face->key[i + 1];
  if (low >= face->key[i]) return;
  face->key[i + 1] = face->key[i];
  face->key[i] = low;
  face->even = !face->even;
}

static void collect_faces(const vlTetMesh *mesh, vlTetFace *faces)
{
  for (int t = 0; t < mesh->tet_count; t++)
    for (int k = 0; k < 4; k++) {
      vlTetFace *face = faces++;
      *face = (vlTetFace){.tet = t, .corner = k, .even = true};
      for (int c = 0; c < 3; c++) face->key[c] = mesh->tet[t][vl_tet_face_corner[k][c]];
      face->key[3] = mesh->tet[t][k];
      order_pair(face, 0);
      order_pair(face, 1);
      order_pair(face, 0);
      assert(face->key[0] >= 0 && face->key[2] < mesh->node_count);
    }
}

/* Stable; start: scratch [node_count + 1]. */
static void counting_sort(vlTetFace *to, const vlTetFace *from, size_t n, int digit, size_t *start, int node_count)
{
  for (int v = 0; v <= node_count; v++) start[v] = 0;
  for (size_t i = 0; i < n; i++) start[from[i].key[digit] + 1]++;
  for (int v = 0; v < node_count; v++) start[v + 1] += start[v];
  for (size_t i = 0; i < n; i++) to[start[from[i].key[digit]]++] = from[i];
}

vlCode vl_tet_faces_sorted(vlTetFace **faces, size_t *count, const vlTetMesh *mesh, vlStatus *status)
{
  size_t n = 4 * (size_t)mesh->tet_count, buckets = (size_t)mesh->node_count + 1;
  vlTetFace *sorted = malloc((n + 1) * sizeof *sorted), *scratch = malloc((n + 1) * sizeof *scratch);
  size_t *start = malloc(buckets * sizeof *start);
  vlCode code = VL_OK;
  *faces = NULL;
  *count = 0;
  if (!sorted || !scratch || !start) {
    code = vl_fail_memory(status, 2 * n * sizeof *sorted + buckets * sizeof *start, "the faces of a tetrahedral mesh");
  } else {
    collect_faces(mesh, sorted);
    counting_sort(scratch, sorted, n, 3, start, mesh->node_count);
    counting_sort(sorted, scratch, n, 2, start, mesh->node_count);
    counting_sort(scratch, sorted, n, 1, start, mesh->node_count);
    counting_sort(sorted, scratch, n, 0, start, mesh->node_count);
    *faces = sorted;
    *count = n;
    sorted = NULL;
  }
  free(sorted);
  free(scratch);
  free(start);
  return code;
}

size_t vl_tet_faces_end(const vlTetFace *faces, size_t count, size_t first)
{
  const int *a = faces[first].key;
  size_t end = first + 1;
  while (end < count && faces[end].key[0] == a[0] && faces[end].key[1] == a[1] && faces[end].key[2] == a[2]) end++;
  return end;
}

/* The surface of a tetrahedral mesh: the faces that belong to exactly one tetrahedron.
 *
 * Seen from outside a tetrahedron of positive volume its faces are counter-clockwise, so those on the surface point out of
 * the body; the area vectors of each tetrahedron's four faces cancel, and so do both sides of an inner face, so the area
 * vectors of the surface sum to zero and its volume by the divergence theorem is that of the tetrahedra.
 *
 * mesh → triangles over the nodes they use, and the node of each vertex. */

/* outer[t]: bit k is set where the face opposite to corner k is on the surface. Returns how many are. */
static int mark_outer_faces(const vlTetFace *faces, size_t count, unsigned char *outer)
{
  int found = 0;
  for (size_t i = 0, end; i < count; i = end) {
    end = vl_tet_faces_end(faces, count, i);
    if (end - i > 1) continue;
    outer[faces[i].tet] |= (unsigned char)(1 << faces[i].corner);
    found++;
  }
  return found;
}

/* vertex[i] = place of node i among the nodes on the surface, -1: inside. Returns how many are on it. */
static int number_vertices(const vlTetMesh *mesh, const unsigned char *outer, int *vertex)
{
  int n = 0;
  for (int i = 0; i < mesh->node_count; i++) vertex[i] = -1;
  for (int t = 0; t < mesh->tet_count; t++)
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < 3 && outer[t] >> k & 1; c++) vertex[mesh->tet[t][vl_tet_face_corner[k][c]]] = 0;
  for (int i = 0; i < mesh->node_count; i++)
    if (vertex[i] == 0) vertex[i] = n++;
  return n;
}

static void fill_surface(vlTriMesh *surface, int *node, const vlTetMesh *mesh, const unsigned char *outer, const int *vertex)
{
  for (int i = 0; i < mesh->node_count; i++) {
    if (vertex[i] < 0) continue;
    node[vertex[i]] = i;
    surface->x[vertex[i]] = mesh->node[i];
  }
  int n = 0;
  for (int t = 0; t < mesh->tet_count; t++)
    for (int k = 0; k < 4; k++) {
      if (!(outer[t] >> k & 1)) continue;
      for (int c = 0; c < 3; c++) surface->tri[n][c] = vertex[mesh->tet[t][vl_tet_face_corner[k][c]]];
      n++;
    }
}

vlCode vl_tetmesh_surface(vlTriMesh **surface, int **node, const vlTetMesh *mesh, vlStatus *status)
{
  size_t face_count = 0, n = (size_t)mesh->node_count + 1;
  vlTetFace *faces = NULL;
  unsigned char *outer = calloc((size_t)mesh->tet_count + 1, 1);
  int *vertex = malloc(n * sizeof *vertex);
  *surface = NULL;
  *node = malloc(n * sizeof **node);
  vlCode code = VL_OK;
  if (!outer || !vertex || !*node)
    code = vl_fail_memory(status, 2 * n * sizeof *vertex, "the surface of a tetrahedral mesh");
  if (code == VL_OK) code = vl_tet_faces_sorted(&faces, &face_count, mesh, status);
  if (code == VL_OK) {
    int triangles = mark_outer_faces(faces, face_count, outer);
    *surface = vl_trimesh_create(number_vertices(mesh, outer, vertex), triangles);
    if (!*surface) code = vl_fail_memory(status, n * sizeof(vlVec3), "the surface of a tetrahedral mesh");
  }
  if (code == VL_OK) {
    fill_surface(*surface, *node, mesh, outer, vertex);
  } else {
    free(*node);
    *node = NULL;
  }
  free(faces);
  free(outer);
  free(vertex);
  return code;
}
