/* Reduced bodies for tests: a bar of tetrahedra, steps of the body alone. Include cmocka first. */
#ifndef VL_TESTS_REDUCED_BODIES_H
#define VL_TESTS_REDUCED_BODIES_H

#include <math.h>

#include "elastic_bodies.h"
#include "solid/reduced_parts.h"

typedef const double (*Rows)[4];

static const vlReducedMaterial soft = {.density = 600, .young = 2e4, .poisson = 0.3};
static const vlVec3 none = {.v = {0, 0, 0}};
static const double DT = 1.0 / 60.0;

static inline vlReduced *reduce(const vlTetMesh *mesh, vlReducedMaterial material, int handles, int clusters, double spacing)
{
  vlStatus status = {0};
  vlReduced *b = NULL;
  vlReducedOptions options = {handles, clusters, 0, spacing, vl_vec(0.013, 0.021, 0.034)};
  if (vl_reduced_create(&b, mesh, material, options, "body", &status)) fail_msg("%s", status.message);
  return b;
}

/* A bar of 1536 tetrahedra, inner nodes shaken; more tetrahedra than clusters. */
static inline vlReduced *new_bar(vlReducedMaterial material)
{
  vlTetMesh mesh;
  vlStatus status = {0};
  uint64_t seed = 3;
  const vlBox3 box = {vl_vec(1, 2, 3), vl_vec(3, 2.5, 3.5)};
  assert_int_equal(vl_tetmesh_box(&mesh, box, (const int[]){16, 4, 4}, &status), VL_OK);
  for (int i = 0; i < 3 * mesh.node_count; i++) {
    double *x = &mesh.node[i / 3].v[i % 3], shake = 0.015 * random_unit(&seed);
    if (*x > box.lo.v[i % 3] && *x < box.hi.v[i % 3]) *x += shake;
  }
  vlReduced *b = reduce(&mesh, material, 8, 200, 0.08);
  vl_tetmesh_clear(&mesh);
  assert_int_equal(b->handle_count, 8);
  assert_true(b->cluster_count > 150 && b->cluster_count <= 200);
  return b;
}

static inline void drop(vlReduced *b)
{
  vlBody *body = &b->body;
  vl_body_destroy(&body);
}

static inline double largest_gap(const vlVec3 *a, const vlVec3 *b, int count)
{
  double most = 0.0;
  for (int i = 0; i < count; i++) most = fmax(most, vl_norm(vl_sub(a[i], b[i])));
  return most;
}

static inline void random_rows(double (*q)[4], int count, uint64_t seed)
{
  for (int i = 0; i < count; i++)
    for (int c = 0; c < 4; c++) q[i][c] = c < 3 ? random_unit(&seed) : 0.0;
}

static inline vlVec3 *room(int count)
{
  vlVec3 *x = calloc((size_t)count, sizeof *x);
  assert_non_null(x);
  return x;
}

/* One step of the body alone: grains go where they want. */
static inline void step_alone(vlReduced *b, double dt, vlVec3 gravity)
{
  vlStatus status = {0};
  vlGrains *g = b->body.type->grains(&b->body);
  vlVec3 *x = room(g->count);
  if (b->body.type->predict(&b->body, dt, gravity, &status)) fail_msg("%s", status.message);
  for (int p = 0; p < g->count; p++) x[p] = vl_axpy(g->x[p], dt, g->wanted[p]);
  if (b->body.type->settle(&b->body, x, dt, &status)) fail_msg("%s", status.message);
  free(x);
}

static inline vlReducedWhole whole(const vlReduced *b) { return vl_reduced_whole(b, (Rows)b->q, (Rows)b->rate, b->force); }

#endif
