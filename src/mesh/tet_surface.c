/* The surface of a tetrahedral mesh: the faces that belong to exactly one tetrahedron.
 *
 * Seen from outside a tetrahedron of positive volume its faces are counter-clockwise, so those on the surface point out of
 * the body; the area vectors of each tetrahedron's four faces cancel, and so do both sides of an inner face, so the area
 * vectors of the surface sum to zero and its volume by the divergence theorem is that of the tetrahedra.
 *
 * mesh → triangles over the nodes they use, and the node of each vertex. */
#include <stdlib.h>

#include "base/status.h"
#include "mesh/tet_faces.h"

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
