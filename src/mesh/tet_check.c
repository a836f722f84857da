/* Whether a tetrahedral mesh can be an elastic body at rest.
 *
 * Elasticity needs the inverse of each tetrahedron's edge matrix and a mass at each node; the liquid needs a surface that is
 * closed and points outwards. So volumes must be positive and not lost in rounding (1e-12 of the longest edge cubed is what
 * the coordinates' last digits make of a flat one), every node must belong to a tetrahedron, and a face must belong to one
 * tetrahedron or to two on its opposite sides. Two tetrahedra of positive volume lie on opposite sides of a face when they
 * see its nodes in opposite senses.
 *
 * mesh → nothing, or an error that names the first offender and how many there are. */
#include <assert.h>
#include <stdlib.h>

#include "base/status.h"
#include "mesh/tetmesh.h"

typedef struct Check {
  const vlTetMesh *mesh;
  const char *name;
  vlTetLabels labels;
  vlStatus *status;
} Check;

/* The numbers of four nodes, for a message. */
typedef struct Numbers {
  long long n[4];
} Numbers;

static long long tet_number(const Check *c, int t) { return c->labels.tet ? c->labels.tet[t] : t; }
static long long node_number(const Check *c, int i) { return c->labels.node ? c->labels.node[i] : i; }

static Numbers node_numbers(const Check *c, const int node[4])
{
  Numbers numbers;
  for (int k = 0; k < 4; k++) numbers.n[k] = node_number(c, node[k]);
  return numbers;
}

static vlCode check_indices(const Check *c)
{
  const vlTetMesh *mesh = c->mesh;
  for (int t = 0; t < mesh->tet_count; t++) {
    const int *n = mesh->tet[t];
    for (int k = 0; k < 4; k++)
      if (n[k] < 0 || n[k] >= mesh->node_count)
        return vl_fail(c->status, VL_ERROR_MESH, "%s: tetrahedron %lld has the node %d; there are 0 to %d", c->name,
                       tet_number(c, t), n[k], mesh->node_count - 1);
    for (int k = 1; k < 4; k++)
      for (int j = 0; j < k; j++)
        if (n[k] == n[j])
          return vl_fail(c->status, VL_ERROR_MESH, "%s: tetrahedron %lld has the node %lld twice, its nodes must differ",
                         c->name, tet_number(c, t), node_number(c, n[k]));
  }
  return VL_OK;
}

static vlCode check_nodes(const Check *c)
{
  for (int i = 0; i < c->mesh->node_count; i++) {
    vlVec3 x = c->mesh->node[i];
    if (!vl_finite(x))
      return vl_fail(c->status, VL_ERROR_MESH, "%s: node %lld is at (%g, %g, %g), it must be finite", c->name,
                     node_number(c, i), x.x, x.y, x.z);
  }
  return VL_OK;
}

static double longest_edge(const vlTetMesh *mesh, int t)
{
  double longest = 0.0;
  for (int k = 1; k < 4; k++)
    for (int j = 0; j < k; j++)
      longest = fmax(longest, vl_norm(vl_sub(mesh->node[mesh->tet[t][k]], mesh->node[mesh->tet[t][j]])));
  return longest;
}

static bool is_flat(const vlTetMesh *mesh, int t)
{
  double edge = longest_edge(mesh, t);
  return !(fabs(vl_tetmesh_tet_volume(mesh, t)) > 1e-12 * edge * edge * edge);
}

static bool is_inverted(const vlTetMesh *mesh, int t) { return vl_tetmesh_tet_volume(mesh, t) < 0.0; }

/* How many tetrahedra are `bad`; *first is the first of them. */
static int count_tets(const vlTetMesh *mesh, bool (*bad)(const vlTetMesh *, int), int *first)
{
  int count = 0;
  for (int t = 0; t < mesh->tet_count; t++)
    if (bad(mesh, t) && count++ == 0) *first = t;
  return count;
}

static vlCode check_volumes(const Check *c)
{
  const vlTetMesh *mesh = c->mesh;
  int first = 0, count = count_tets(mesh, is_flat, &first);
  Numbers nodes = node_numbers(c, mesh->tet[first]);
  if (count > 0)
    return vl_fail(c->status, VL_ERROR_MESH,
                   "%s: tetrahedron %lld (nodes %lld, %lld, %lld, %lld) is flat: its volume is %g m3, it must be more than "
                   "1e-12 of its longest edge cubed; %d of %d are flat",
                   c->name, tet_number(c, first), nodes.n[0], nodes.n[1], nodes.n[2], nodes.n[3],
                   vl_tetmesh_tet_volume(mesh, first), count, mesh->tet_count);
  count = count_tets(mesh, is_inverted, &first);
  nodes = node_numbers(c, mesh->tet[first]);
  if (count > 0)
    return vl_fail(c->status, VL_ERROR_MESH,
                   "%s: tetrahedron %lld (nodes %lld, %lld, %lld, %lld) is inverted at rest: its volume is %g m3, it must "
                   "be positive; %d of %d are inverted",
                   c->name, tet_number(c, first), nodes.n[0], nodes.n[1], nodes.n[2], nodes.n[3],
                   vl_tetmesh_tet_volume(mesh, first), count, mesh->tet_count);
  return VL_OK;
}

/* What is wrong with the faces [begin, end) on the same three nodes. */
typedef enum Fault { NONE, REPEATED, CROWDED, FOLDED } Fault;

static Fault fault_of(const vlTetFace *begin, const vlTetFace *end)
{
  for (const vlTetFace *f = begin + 1; f < end; f++)
    if (f[0].key[3] == f[-1].key[3]) return REPEATED;
  if (end - begin > 2) return CROWDED;
  return end - begin == 2 && begin[0].even == begin[1].even ? FOLDED : NONE;
}

/* The first face of a neighbouring pair that belongs to copies of one tetrahedron. */
static const vlTetFace *first_copy(const vlTetFace *f)
{
  while (f[0].key[3] != f[1].key[3]) f++;
  return f;
}

static vlCode fail_face(const Check *c, Fault fault, const vlTetFace *f, size_t count)
{
  if (fault == REPEATED) f = first_copy(f);
  Numbers nodes = node_numbers(c, f->key);
  long long a = tet_number(c, f[0].tet), b = tet_number(c, f[1].tet);
  if (fault == REPEATED) {
    nodes = node_numbers(c, c->mesh->tet[f[0].tet]);
    return vl_fail(c->status, VL_ERROR_MESH,
                   "%s: tetrahedra %lld and %lld have the same nodes %lld, %lld, %lld, %lld, each must be there once",
                   c->name, a, b, nodes.n[0], nodes.n[1], nodes.n[2], nodes.n[3]);
  }
  if (fault == CROWDED)
    return vl_fail(
        c->status, VL_ERROR_MESH,
        "%s: the face of nodes %lld, %lld, %lld belongs to %zu tetrahedra (%lld, %lld, %lld%s), it must be one or two",
        c->name, nodes.n[0], nodes.n[1], nodes.n[2], count, a, b, tet_number(c, f[2].tet), count > 3 ? ", ..." : "");
  return vl_fail(c->status, VL_ERROR_MESH,
                 "%s: tetrahedra %lld and %lld lie on the same side of their face of nodes %lld, %lld, %lld, it must be "
                 "opposite sides",
                 c->name, a, b, nodes.n[0], nodes.n[1], nodes.n[2]);
}

static vlCode check_faces(const Check *c)
{
  vlTetFace *faces = NULL;
  size_t count = 0, worst = 0, worst_end = 0;
  vlCode code = vl_tet_faces_sorted(&faces, &count, c->mesh, c->status);
  Fault worst_fault = NONE;
  for (size_t i = 0, end; i < count; i = end) {
    end = vl_tet_faces_end(faces, count, i);
    Fault fault = fault_of(faces + i, faces + end);
    /* copies explain crowded and folded faces, so they are told first */
    if (fault == NONE || (worst_fault != NONE && worst_fault <= fault)) continue;
    worst_fault = fault;
    worst = i;
    worst_end = end;
  }
  if (worst_fault != NONE) code = fail_face(c, worst_fault, faces + worst, worst_end - worst);
  free(faces);
  return code;
}

static vlCode check_use(const Check *c)
{
  const vlTetMesh *mesh = c->mesh;
  char *used = calloc((size_t)mesh->node_count + 1, 1);
  if (!used) return vl_fail_memory(c->status, (size_t)mesh->node_count + 1, "checking a tetrahedral mesh");
  for (int t = 0; t < mesh->tet_count; t++)
    for (int k = 0; k < 4; k++) used[mesh->tet[t][k]] = 1;
  int count = 0, first = 0;
  for (int i = 0; i < mesh->node_count; i++)
    if (!used[i] && count++ == 0) first = i;
  free(used);
  if (count == 0) return VL_OK;
  vlVec3 x = mesh->node[first];
  return vl_fail(c->status, VL_ERROR_MESH,
                 "%s: node %lld at (%g, %g, %g) belongs to no tetrahedron, so it has no mass; %d of %d nodes are unused and "
                 "must be removed",
                 c->name, node_number(c, first), x.x, x.y, x.z, count, mesh->node_count);
}

vlCode vl_tetmesh_check(const vlTetMesh *mesh, const char *name, const vlTetLabels *labels, vlStatus *status)
{
  Check check = {mesh, name, labels ? *labels : (vlTetLabels){0}, status};
  if (mesh->tet_count == 0) return vl_fail(status, VL_ERROR_MESH, "%s: has no tetrahedra, expected at least one", name);
  vlCode code = check_indices(&check);
  if (code == VL_OK) code = check_nodes(&check);
  if (code == VL_OK) code = check_volumes(&check);
  if (code == VL_OK) code = check_faces(&check);
  if (code == VL_OK) code = check_use(&check);
  return code;
}
