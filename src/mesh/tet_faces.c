/* The faces of a tetrahedral mesh, found by sorting, and its surface.
 *
 * Each tetrahedron gives four faces; those on the same three nodes are one face of the mesh. Four stable counting sorts, by
 * the opposite node and then by the face's nodes from the highest to the lowest, bring them together in
 * O(tetrahedra + nodes), whatever the mesh, with the order (lowest, middle, highest, opposite node, tetrahedron). Copies of
 * one tetrahedron so become neighbours.
 *
 * mesh → faces sorted by their nodes. */
#include "mesh/tet_faces.h"

#include <assert.h>
#include <stdlib.h>

#include "base/status.h"

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
