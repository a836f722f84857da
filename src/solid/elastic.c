/* Elastic bodies: from tetrahedra to elements, making a body of them, holding nodes. The mechanics is in elastic_force.c,
 * time in elastic_step.c, matrices in elastic_system.c; what makes them a kind of body in elastic_body.c.
 *
 * From tetrahedra to elements: nodes, gradients of shape functions, masses, surface.
 *
 * A linear element has one integration point, and the gradient of its shape function a is that of the barycentric
 * coordinate: g_1..g_3 are the rows of Dm^-1 (Dm's columns are the edges from node 0), g_0 = -(g_1 + g_2 + g_3).
 * A quadratic element has a node more on the middle of every edge; with barycentric coordinates L
 *
 *     grad N_i  = (4 L_i - 1) g_i                corners
 *     grad N_ij = 4 (L_i g_j + L_j g_i)          edges
 *
 * and four points, at which products of two gradients, quadratic in L, are integrated exactly [zienkiewicz2013].
 * They give 24 independent strains: all but the 6 rigid motions of 30 unknowns, so there are no modes without stiffness.
 *
 * Masses are lumped: a quarter to each corner of a linear element; to nodes of a quadratic one in proportion to the
 * diagonal of the consistent mass [hinton1976]: 1/36 to corners, 4/27 to edges (equal sums of rows would make corners
 * negative). */
#include "solid/elastic.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "solid/elastic_parts.h"

enum { CORNERS = 4, EDGES = 6 };

static const int edge_corner[EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static int64_t edge_key(int a, int b) { return a < b ? (int64_t)a << 32 | b : (int64_t)b << 32 | a; }

static int compare_keys(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The different edges of the mesh, ascending. */
static vlCode list_edges(const vlTetMesh *mesh, int64_t **list, int *count, vlStatus *status)
{
  size_t most = (size_t)mesh->tet_count * EDGES, used = 0;
  int64_t *keys = malloc(most * sizeof *keys);
  if (!keys) return vl_fail_memory(status, most * sizeof *keys, "the edges of an elastic body");
  for (int e = 0; e < mesh->tet_count; e++)
    for (int k = 0; k < EDGES; k++)
      keys[(size_t)e * EDGES + (size_t)k] = edge_key(mesh->tet[e][edge_corner[k][0]], mesh->tet[e][edge_corner[k][1]]);
  qsort(keys, most, sizeof *keys, compare_keys);
  for (size_t i = 0; i < most; i++)
    if (used == 0 || keys[i] != keys[used - 1]) keys[used++] = keys[i];
  *list = keys;
  *count = (int)used;
  return VL_OK;
}

static int find_edge(const int64_t *keys, int count, int a, int b)
{
  int64_t key = edge_key(a, b);
  const int64_t *at = bsearch(&key, keys, (size_t)count, sizeof *keys, compare_keys);
  return (int)(at - keys);
}

/* Numbers of nodes and their places at rest; needs the list of edges for quadratic elements. */
static vlCode place_nodes(vlElastic *b, const vlTetMesh *mesh, const int64_t *keys, int edges, vlStatus *status)
{
  int n = b->body.element_nodes;
  size_t node_bytes = (size_t)b->body.node_count * sizeof *b->body.rest, list = (size_t)b->body.element_count * (size_t)n;
  b->body.rest = malloc(node_bytes);
  b->body.node = malloc(list * sizeof *b->body.node);
  if (!b->body.rest || !b->body.node)
    return vl_fail_memory(status, node_bytes + list * sizeof *b->body.node, "the nodes of an elastic body");
  memcpy(b->body.rest, mesh->node, (size_t)b->corner_count * sizeof *b->body.rest);
  for (int k = 0; k < edges; k++)
    b->body.rest[b->corner_count + k] = vl_scale(vl_add(mesh->node[keys[k] >> 32], mesh->node[keys[k] & INT_MAX]), 0.5);
  for (int e = 0; e < b->body.element_count; e++) {
    int *node = b->body.node + (size_t)e * (size_t)n;
    memcpy(node, mesh->tet[e], sizeof mesh->tet[e]);
    for (int k = 0; k < n - CORNERS; k++)
      node[CORNERS + k] = b->corner_count + find_edge(keys, edges, node[edge_corner[k][0]], node[edge_corner[k][1]]);
  }
  return VL_OK;
}

/* Gradients of the barycentric coordinates and six times the volume; false: flat or inside out. */
static bool barycentric_gradients(const vlVec3 *X, const int *node, vlVec3 g[CORNERS], double *volume6)
{
  vlMat3 Dm, inverse;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Dm.m[i][j] = X[node[j + 1]].v[i] - X[node[0]].v[i];
  *volume6 = vl_mat_determinant(Dm);
  if (!(*volume6 > 0.0) || !vl_mat_inverse(Dm, &inverse)) return false;
  g[0] = vl_vec(0, 0, 0);
  for (int a = 1; a < CORNERS; a++) {
    g[a] = vl_vec(inverse.m[a - 1][0], inverse.m[a - 1][1], inverse.m[a - 1][2]);
    g[0] = vl_sub(g[0], g[a]);
  }
  return true;
}

static void quadratic_gradients(const vlVec3 g[CORNERS], vlVec3 *out)
{
  const double far = 0.5854101966249685, near = 0.1381966011250105; /* (5 + 3 sqrt 5) / 20, (5 - sqrt 5) / 20 */
  for (int q = 0; q < 4; q++, out += CORNERS + EDGES) {
    double L[CORNERS];
    for (int a = 0; a < CORNERS; a++) L[a] = a == q ? far : near;
    for (int a = 0; a < CORNERS; a++) out[a] = vl_scale(g[a], 4.0 * L[a] - 1.0);
    for (int k = 0; k < EDGES; k++) {
      int i = edge_corner[k][0], j = edge_corner[k][1];
      out[CORNERS + k] = vl_add(vl_scale(g[j], 4.0 * L[i]), vl_scale(g[i], 4.0 * L[j]));
    }
  }
}

/* Lumped masses of the nodes. */
static void weigh_nodes(vlElastic *b)
{
  bool quadratic = b->options.element == VL_ELASTIC_QUADRATIC;
  double corner = quadratic ? 1.0 / 36.0 : 0.25, edge = 4.0 / 27.0;
  int n = b->body.element_nodes;
  for (int i = 0; i < b->body.node_count; i++) b->mass[i] = 0.0;
  for (int e = 0; e < b->body.element_count; e++) {
    double mass = b->material.density * (b->volume[e] * b->points);
    const int *node = b->body.node + (size_t)e * (size_t)n;
    for (int a = 0; a < n; a++) b->mass[node[a]] += mass * (a < CORNERS ? corner : edge);
  }
}

static vlCode measure_elements(vlElastic *b, const char *name, vlStatus *status)
{
  size_t n = (size_t)b->body.element_nodes, elements = (size_t)b->body.element_count, per = n * (size_t)b->points;
  b->gradient = malloc(elements * per * sizeof *b->gradient);
  b->volume = malloc(elements * sizeof *b->volume);
  b->mass = calloc((size_t)b->body.node_count, sizeof *b->mass);
  if (!b->gradient || !b->volume || !b->mass)
    return vl_fail_memory(status, elements * per * sizeof *b->gradient, "the elements of an elastic body");
  bool quadratic = b->options.element == VL_ELASTIC_QUADRATIC;
  for (size_t e = 0; e < elements; e++) {
    const int *node = b->body.node + e * n;
    vlVec3 g[CORNERS];
    double volume6;
    if (!barycentric_gradients(b->body.rest, node, g, &volume6))
      return vl_fail(status, VL_ERROR_MESH,
                     "%s: tetrahedron %zu (nodes %d %d %d %d) has the volume %g m3, it must be above 0", name, e, node[0],
                     node[1], node[2], node[3], volume6 / 6.0);
    if (quadratic)
      quadratic_gradients(g, b->gradient + e * per);
    else
      memcpy(b->gradient + e * per, g, sizeof g);
    b->volume[e] = volume6 / 6.0 / b->points;
  }
  weigh_nodes(b);
  return VL_OK;
}

/* Triangles of one face of the surface: itself, or the four between corners and midpoints. */
static int split_face(const vlElastic *b, const int64_t *keys, int edges, const int c[3], int (*out)[3])
{
  if (b->options.element == VL_ELASTIC_LINEAR) {
    memcpy(out[0], c, 3 * sizeof *c);
    return 1;
  }
  int m[3]; /* m[i] between corners i and i + 1 */
  for (int i = 0; i < 3; i++) m[i] = b->corner_count + find_edge(keys, edges, c[i], c[(i + 1) % 3]);
  for (int i = 0; i < 3; i++) {
    out[i][0] = c[i];
    out[i][1] = m[i];
    out[i][2] = m[(i + 2) % 3];
  }
  memcpy(out[3], m, sizeof m);
  return 4;
}

static vlCode find_surface(vlElastic *b, const vlTetMesh *mesh, const int64_t *keys, int edges, vlStatus *status)
{
  vlTriMesh *surface = NULL;
  int *node = NULL;
  b->body.curved = b->options.element == VL_ELASTIC_QUADRATIC;
  vlCode code = vl_tetmesh_surface(&surface, &node, mesh, status);
  if (code) return code;
  size_t bytes = (size_t)surface->triangle_count * 4 * sizeof *b->body.triangle;
  b->body.triangle = malloc(bytes);
  if (!b->body.triangle) code = vl_fail_memory(status, bytes, "the surface of an elastic body");
  for (int i = 0; i < surface->triangle_count && !code; i++) {
    int corner[3];
    for (int c = 0; c < 3; c++) corner[c] = node[surface->tri[i][c]];
    b->body.triangle_count += split_face(b, keys, edges, corner, b->body.triangle + b->body.triangle_count);
  }
  vl_trimesh_destroy(&surface);
  free(node);
  return code;
}

static vlCode build_mesh(vlElastic *b, const vlTetMesh *mesh, const char *name, vlStatus *status)
{
  bool quadratic = b->options.element == VL_ELASTIC_QUADRATIC;
  int64_t *keys = NULL;
  int edges = 0;
  vlCode code = vl_tetmesh_check(mesh, name, NULL, status);
  if (!code && quadratic) code = list_edges(mesh, &keys, &edges, status);
  b->corner_count = mesh->node_count;
  b->body.node_count = mesh->node_count + edges;
  b->body.element_count = mesh->tet_count;
  b->body.element_nodes = quadratic ? CORNERS + EDGES : CORNERS;
  b->points = quadratic ? 4 : 1;
  if (!code) code = place_nodes(b, mesh, keys, edges, status);
  if (!code) code = measure_elements(b, name, status);
  if (!code) code = find_surface(b, mesh, keys, edges, status);
  free(keys);
  return code;
}

/* NaN fails too. */
static vlCode check_material(vlElasticMaterial m, const char *name, vlStatus *status)
{
  if (!(m.density > 0.0) || isinf(m.density))
    return vl_fail(status, VL_ERROR_SCENE, "%s: density %g kg/m3 must be above 0", name, m.density);
  if (!(m.young > 0.0) || isinf(m.young))
    return vl_fail(status, VL_ERROR_SCENE, "%s: Young's modulus %g Pa must be above 0", name, m.young);
  if (!(m.poisson >= 0.0 && m.poisson <= 0.45))
    return vl_fail(status, VL_ERROR_SCENE, "%s: Poisson's ratio %g must be 0 to 0.45", name, m.poisson);
  if (!(m.mass_damping >= 0.0) || isinf(m.mass_damping))
    return vl_fail(status, VL_ERROR_SCENE, "%s: mass damping %g 1/s must be 0 or above", name, m.mass_damping);
  if (!(m.stiffness_damping >= 0.0) || isinf(m.stiffness_damping))
    return vl_fail(status, VL_ERROR_SCENE, "%s: stiffness damping %g s must be 0 or above", name, m.stiffness_damping);
  return VL_OK;
}

static vlCode make_state(vlElastic *b, vlStatus *status)
{
  size_t nodes = (size_t)b->body.node_count, corners = (size_t)b->body.element_count * (size_t)b->body.element_nodes,
         points = (size_t)b->body.element_count * (size_t)b->points;
  vlCode code = vl_body_reserve(&b->body, status);
  if (code) return code;
  b->x_old = calloc(nodes, sizeof *b->x_old);
  b->v_old = calloc(nodes, sizeof *b->v_old);
  b->scratch = calloc(nodes, sizeof *b->scratch);
  b->carried = calloc(nodes, sizeof *b->carried);
  b->carried_weight = calloc(nodes, sizeof *b->carried_weight);
  b->carried_least = calloc(nodes, sizeof *b->carried_least);
  b->carried_wanted = calloc(nodes, sizeof *b->carried_wanted);
  b->held_velocity = calloc(3 * nodes, sizeof *b->held_velocity);
  b->pin = malloc(3 * nodes * sizeof *b->pin);
  b->row = malloc(3 * nodes * sizeof *b->row);
  b->rotation = malloc(points * sizeof *b->rotation);
  b->turned = malloc(corners * (size_t)b->points * sizeof *b->turned);
  if (b->material.model == VL_ELASTIC_NEO_HOOKEAN) {
    b->tangent = malloc(points * sizeof *b->tangent);
    if (!b->tangent) return vl_fail_memory(status, points * sizeof *b->tangent, "the tangents of an elastic body");
  }
  b->corner_force = malloc(corners * sizeof *b->corner_force);
  bool good = b->x_old && b->v_old && b->scratch && b->held_velocity && b->pin && b->row;
  good = good && b->carried && b->carried_weight && b->carried_least && b->carried_wanted;
  if (!good || !b->rotation || !b->turned || !b->corner_force)
    return vl_fail_memory(status, points * (size_t)b->body.element_nodes * sizeof *b->turned,
                          "the state of an elastic body");
  for (size_t i = 0; i < 3 * nodes; i++) b->pin[i] = -1, b->row[i] = -2;
  for (size_t i = 0; i < points; i++) b->rotation[i] = vl_mat_identity();
  memcpy(b->turned, b->gradient, corners * (size_t)b->points * sizeof *b->turned);
  return VL_OK;
}

static void find_lame(vlElastic *b)
{
  double E = b->material.young, nu = b->material.poisson;
  b->lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  b->mu = E / (2.0 * (1.0 + nu));
}

vlCode vl_elastic_create(vlElastic **body, const vlTetMesh *mesh, vlElasticMaterial material, vlElasticOptions options,
                         const char *name, vlStatus *status)
{
  *body = NULL;
  vlElastic *b = calloc(1, sizeof *b);
  if (!b) return vl_fail_memory(status, sizeof *b, "an elastic body");
  b->body.type = &vl_elastic_type;
  b->body.yields = true;
  b->body.density = material.density;
  b->material = material;
  b->options = options;
  find_lame(b);
  vlCode code = check_material(material, name, status);
  if (!code) code = build_mesh(b, mesh, name, status);
  if (!code) code = make_state(b, status);
  if (!code) code = vl_elastic_system_create(&b->system, b, status);
  if (code) {
    vlBody *own = &b->body;
    vl_body_destroy(&own);
    return code;
  }
  *body = b;
  return VL_OK;
}

void vl_elastic_make(vlBody *body, vlBodyMaterial m)
{
  vlElastic *b = (vlElastic *)body;
  b->material = (vlElasticMaterial){m.density, m.young, m.poisson, m.mass_damping, m.stiffness_damping, b->material.model};
  find_lame(b);
  weigh_nodes(b);
}

void vl_elastic_hold(vlElastic *b, int node, int axis, double velocity)
{
  b->body.held[3 * node + axis] = true;
  b->held_velocity[3 * node + axis] = velocity;
}

void vl_elastic_release(vlElastic *b, int node, int axis)
{
  b->body.held[3 * node + axis] = false;
  b->held_velocity[3 * node + axis] = 0.0;
}
