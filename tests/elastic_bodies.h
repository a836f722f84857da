/* Elastic bodies for tests: boxes of tetrahedra, cantilevers, random shapes. Include cmocka first. */
#ifndef VL_TESTS_ELASTIC_BODIES_H
#define VL_TESTS_ELASTIC_BODIES_H

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "solid/elastic.h"

static const vlElasticMaterial rubber = {.density = 1000, .young = 1e5, .poisson = 0.3};

static inline double random_unit(uint64_t *seed) /* -1 .. 1 */
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static inline vlMat3 random_rotation(uint64_t *seed)
{
  vlMat3 r = vl_mat_identity();
  for (int axis = 0; axis < 3; axis++) r = vl_mat_multiply(r, vl_mat_rotation(axis, 4.0 * random_unit(seed)));
  return r;
}

/* The box from 0 to `size`; inner nodes are shaken so that no two elements are alike. */
static inline vlElastic *new_body(vlVec3 size, int nx, int ny, int nz, vlElasticMaterial material, vlElasticElement element,
                                  vlElasticScheme scheme)
{
  vlTetMesh mesh;
  vlStatus status = {0};
  vlElastic *body = NULL;
  uint64_t seed = 11;
  assert_int_equal(vl_tetmesh_box(&mesh, (vlBox3){vl_vec(0, 0, 0), size}, (const int[]){nx, ny, nz}, &status), VL_OK);
  const int cells[3] = {nx, ny, nz};
  for (int i = 0; i < mesh.node_count; i++)
    for (int a = 0; a < 3; a++) {
      double *x = &mesh.node[i].v[a], shake = 0.12 * size.v[a] / cells[a] * random_unit(&seed);
      if (*x > 0.0 && *x < size.v[a]) *x += shake;
    }
  vlElasticOptions options = {element, scheme};
  assert_int_equal(vl_elastic_create(&body, &mesh, material, options, "body", &status), VL_OK);
  vl_tetmesh_clear(&mesh);
  return body;
}

static inline void free_body(vlElastic *body)
{
  vlBody *any = &body->body;
  vl_body_destroy(&any);
}

static inline void check_step(vlElastic *body, double dt, vlVec3 gravity)
{
  vlStatus status = {0};
  if (vl_body_begin(&body->body, dt, gravity, &status) || vl_body_finish(&body->body, NULL, &status))
    fail_msg("%s", status.message);
}

static inline bool box_contains(vlBox3 box, vlVec3 x)
{
  for (int i = 0; i < 3; i++)
    if (!(x.v[i] >= box.lo.v[i] && x.v[i] <= box.hi.v[i])) return false;
  return true;
}

/* Holds all nodes whose rest position lies in the box, along the axes of the mask (bit a: axis a); returns how many. */
static inline int hold_box(vlElastic *b, vlBox3 box, unsigned axes)
{
  int count = 0;
  for (int i = 0; i < b->body.node_count; i++) {
    if (!box_contains(box, b->body.rest[i])) continue;
    count++;
    for (int axis = 0; axis < 3; axis++)
      if (axes & 1u << axis) vl_elastic_hold(b, i, axis, 0.0);
  }
  return count;
}

/* Holds the side x = 0. */
static inline int clamp(vlElastic *body)
{
  return hold_box(body, (vlBox3){vl_vec(-1, -1e9, -1e9), vl_vec(1e-9, 1e9, 1e9)}, 7);
}

static inline void shake(vlElastic *body, double amount, uint64_t seed)
{
  for (int i = 0; i < body->body.node_count; i++)
    for (int a = 0; a < 3; a++) body->body.x[i].v[a] += amount * random_unit(&seed);
  vl_elastic_restart(body);
}

static inline vlVec3 *new_vectors(const vlElastic *body, uint64_t seed) /* random; seed 0: zero */
{
  vlVec3 *x = calloc((size_t)body->body.node_count, sizeof *x);
  assert_non_null(x);
  for (int i = 0; seed && i < body->body.node_count; i++)
    for (int a = 0; a < 3; a++) x[i].v[a] = random_unit(&seed);
  return x;
}

static inline double largest(const vlVec3 *f, int count)
{
  double most = 0.0;
  for (int i = 0; i < count; i++) most = fmax(most, vl_norm(f[i]));
  return most;
}

static inline double dot(const vlVec3 *a, const vlVec3 *b, int count)
{
  double sum = 0.0;
  for (int i = 0; i < count; i++) sum += vl_dot(a[i], b[i]);
  return sum;
}

#endif
