/* A reduced body of a mesh of tetrahedra: its nodes and surface, and in turn grains, handles, clusters and matrices, each in
 * a file of its own. How many grains there are limits the handles, of which each needs a dozen. In: tetrahedra, material,
 * options. Out: a body at rest in the mesh's form. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "solid/reduced_parts.h"

enum { ITERATIONS = 10 };

static vlCode take_mesh(vlReduced *b, const vlTetMesh *mesh, const char *name, vlStatus *status)
{
  vlTriMesh *surface = NULL;
  int *node = NULL;
  vlBody *body = &b->body;
  vlCode code = vl_tetmesh_check(mesh, name, NULL, status);
  if (!code) code = vl_tetmesh_surface(&surface, &node, mesh, status);
  if (code) return code;
  size_t nodes = (size_t)mesh->node_count, tets = (size_t)mesh->tet_count, triangles = (size_t)surface->triangle_count;
  body->node_count = mesh->node_count;
  body->element_count = mesh->tet_count;
  body->element_nodes = 4;
  body->triangle_count = surface->triangle_count;
  body->rest = malloc(nodes * sizeof *body->rest);
  body->node = malloc(tets * 4 * sizeof *body->node);
  body->triangle = malloc(triangles * sizeof *body->triangle);
  if (body->rest && body->node && body->triangle) {
    memcpy(body->rest, mesh->node, nodes * sizeof *body->rest);
    memcpy(body->node, mesh->tet, tets * 4 * sizeof *body->node);
    for (size_t i = 0; i < 3 * triangles; i++) body->triangle[i / 3][i % 3] = node[surface->tri[i / 3][i % 3]];
  } else {
    code = vl_fail_memory(status, tets * 4 * sizeof *body->node, "the nodes of a reduced body");
  }
  vl_trimesh_destroy(&surface);
  free(node);
  return code ? code : vl_body_reserve(body, status);
}

/* Volumes of the nodes, the middle of the whole. */
static vlCode weigh_nodes(vlReduced *b, const char *name, vlStatus *status)
{
  b->node_volume = calloc((size_t)b->body.node_count, sizeof *b->node_volume);
  if (!b->node_volume) return vl_fail_memory(status, (size_t)b->body.node_count * sizeof *b->node_volume, "a reduced body");
  for (int e = 0; e < b->body.element_count; e++) {
    vlVec3 g[4];
    double volume = vl_reduced_gradients(b, e, g);
    if (!(volume > 0.0) || !vl_finite(g[0]))
      return vl_fail(status, VL_ERROR_MESH, "%s: tetrahedron %d has the volume %g m3, it must be above 0", name, e, volume);
    for (int c = 0; c < 4; c++) b->node_volume[b->body.node[4 * (size_t)e + (size_t)c]] += 0.25 * volume;
  }
  for (int v = 0; v < b->body.node_count; v++) b->volume += b->node_volume[v];
  for (int v = 0; v < b->body.node_count; v++)
    b->center = vl_axpy(b->center, b->node_volume[v] / b->volume, b->body.rest[v]);
  return VL_OK;
}

static vlCode make_state(vlReduced *b, vlStatus *status)
{
  size_t nodes = (size_t)b->body.node_count, n = (size_t)b->size;
  double(**rows[])[4] = {&b->q,     &b->rate, &b->next,   &b->force,  &b->held_force,
                         &b->moved, &b->gone, &b->pushed, &b->fallen, &b->borne};
  bool good = true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) good = (*rows[i] = calloc(n, sizeof **rows[i])) && good;
  b->turned = malloc((size_t)b->cluster_count * sizeof *b->turned);
  b->pieces = malloc(VL_REDUCED_PIECES * n * 4 * sizeof *b->pieces);
  b->linear = malloc(nodes * 9 * sizeof *b->linear);
  b->pin = malloc(3 * nodes * sizeof *b->pin);
  b->clamped = calloc(3 * nodes, sizeof *b->clamped);
  b->target = calloc(3 * nodes, sizeof *b->target);
  b->carried = calloc(nodes, sizeof *b->carried);
  if (!good || !b->turned || !b->pieces || !b->linear || !b->pin || !b->clamped || !b->target || !b->carried)
    return vl_fail_memory(status, nodes * 16 * sizeof(double), "the state of a reduced body");
  for (size_t i = 0; i < 3 * nodes; i++) b->pin[i] = -1;
  const vlMat3 none = {0};
  vl_reduced_set_affine(b, b->center, vl_mat_identity(), b->center, none, vl_vec(0, 0, 0));
  vl_reduced_follow(b);
  return VL_OK;
}

/* NaN fails too. */
static vlCode check_material(vlReducedMaterial m, const char *name, vlStatus *status)
{
  if (!(m.density > 0.0) || isinf(m.density))
    return vl_fail(status, VL_ERROR_SCENE, "%s: density %g kg/m3 must be above 0", name, m.density);
  if (!(m.young > 0.0) || isinf(m.young))
    return vl_fail(status, VL_ERROR_SCENE, "%s: Young's modulus %g Pa must be above 0", name, m.young);
  if (!(m.poisson >= 0.0 && m.poisson <= 0.45))
    return vl_fail(status, VL_ERROR_SCENE, "%s: Poisson's ratio %g must be 0 to 0.45", name, m.poisson);
  if (!(m.mass_damping >= 0.0) || isinf(m.mass_damping))
    return vl_fail(status, VL_ERROR_SCENE, "%s: mass damping %g 1/s must be 0 or above", name, m.mass_damping);
  return VL_OK;
}

vlCode vl_reduced_create(vlReduced **body, const vlTetMesh *mesh, vlReducedMaterial material, vlReducedOptions options,
                         const char *name, vlStatus *status)
{
  *body = NULL;
  vlReduced *b = calloc(1, sizeof *b);
  if (!b) return vl_fail_memory(status, sizeof *b, "a reduced body");
  b->body.type = &vl_reduced_type;
  b->body.yields = true;
  b->body.density = material.density;
  b->material = material;
  b->iterations = options.iterations > 0 ? options.iterations : ITERATIONS;
  b->stale = true;
  vlCode code = check_material(material, name, status);
  if (!code) code = take_mesh(b, mesh, name, status);
  if (!code) code = weigh_nodes(b, name, status);
  if (!code) code = vl_reduced_find_grains(b, options.spacing, options.origin, status);
  if (!code) code = vl_reduced_find_handles(b, options.handles, options.clusters, status);
  if (!code) code = vl_reduced_find_twin(b, status);
  if (!code) code = vl_reduced_find_matrices(b, status);
  if (!code) b->grains.mass = material.density * b->volume / b->grains.count;
  if (!code) code = make_state(b, status);
  if (code) {
    vlBody *own = &b->body;
    vl_body_destroy(&own);
    return code;
  }
  *body = b;
  return VL_OK;
}
