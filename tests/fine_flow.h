/* Fine level sets of planes and balls, the air that carries them, and what they are checked by. Include cmocka first. */
#ifndef VL_TESTS_FINE_FLOW_H
#define VL_TESTS_FINE_FLOW_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "grids.h"
#include "liquid/fine_parts.h"
#include "visit_memory.h"

typedef struct Plane {
  vlVec3 n, at;
} Plane;
static inline double plane_distance(const void *data, vlVec3 x)
{
  const Plane *p = data;
  return vl_dot(p->n, vl_sub(x, p->at));
}

typedef struct Ball {
  vlVec3 at;
  double r;
  bool flat; /* a disc */
} Ball;
static inline double ball_distance(const void *data, vlVec3 x)
{
  const Ball *b = data;
  vlVec3 d = vl_sub(x, b->at);
  if (b->flat) d.z = 0.0;
  return vl_norm(d) - b->r;
}

static inline vlFine make_fine(const vlGrid *grid, int refine, vlDistance *distance, const void *data)
{
  vlFine f;
  vlStatus status = {0};
  assert_int_equal(vl_fine_create(&f, grid, refine, &status), VL_OK);
  assert_int_equal(vl_fine_from_distance(&f, distance, data, vl_grid_box(grid), &status), VL_OK);
  return f;
}

/* A velocity on all faces, of the place of the face. */
typedef vlVec3 Wind(vlVec3 x, double t);
typedef struct Air {
  double *u[3];
} Air;
static inline Air make_air(const vlGrid *g)
{
  Air air;
  for (int a = 0; a < 3; a++) assert_non_null(air.u[a] = vl_field_create(g));
  return air;
}
static inline void blow(const vlGrid *g, Air *air, Wind *wind, double t)
{
  for (int k = 0; k <= g->n[2]; k++)
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i <= g->n[0]; i++)
        for (int a = 0; a < 3; a++) {
          vlVec3 x = vl_grid_center(g, i, j, k);
          x.v[a] -= 0.5 * g->dx;
          air->u[a][vl_grid_at(g, i, j, k)] = wind(x, t).v[a];
        }
}
static inline void clear_air(const vlGrid *g, Air *air)
{
  for (int a = 0; a < 3; a++) vl_field_destroy(g, &air->u[a]);
}
static inline vlVec3 even_wind(vlVec3 x, double t)
{
  (void)x, (void)t;
  return vl_vec(0.31, 0.17, -0.23);
}
static inline vlVec3 even_flat_wind(vlVec3 x, double t)
{
  (void)x, (void)t;
  return vl_vec(0.31, 0.17, 0.0);
}
static inline vlVec3 no_wind(vlVec3 x, double t)
{
  (void)x, (void)t;
  return vl_vec(0, 0, 0);
}

static inline void advect(vlFine *f, const Air *air, double dt)
{
  vlStatus status = {0};
  vlFineFlow flow = {.dt = dt, .u = air->u, .liquid_beyond = {true, true, true, true, true, true}};
  assert_int_equal(vl_fine_advect(f, &flow, &status), VL_OK);
  assert_int_equal(vl_fine_mend(f, &status), VL_OK);
}

/* Largest error against a distance at nodes of near cells, of nodes closer than `within` fine cells; and of sides elsewhere.
 */
static inline double largest_error(const vlFine *f, vlDistance *distance, const void *data, double within)
{
  double worst = 0.0, h = f->nodes.dx;
  for (int k = 0; k < f->grid->n[2]; k++)
    for (int j = 0; j < f->grid->n[1]; j++)
      for (int i = 0; i < f->grid->n[0]; i++) {
        double side = f->side[vl_grid_at(f->grid, i, j, k)];
        if (!vl_fine_is_near(f, i, j, k)) {
          double d = distance(data, vl_grid_center(f->grid, i, j, k));
          assert_true(side == (d < 0.0 ? -1.0 : 0.0));
          continue;
        }
        assert_true(side == 0.0);
        for (int n = 0; n <= f->refine; n++)
          for (int m = 0; m <= f->refine; m++)
            for (int l = 0; l <= f->refine; l++) {
              int c[3] = {i, j, k}, q[3] = {i * f->refine + l, j * f->refine + m, k * f->refine + n};
              vlVec3 x = vl_add(f->nodes.origin, vl_vec(q[0] * h, q[1] * h, q[2] * h));
              double d = distance(data, x);
              if (fabs(d) < within * h) worst = fmax(worst, fabs(f->phi[vl_fine_node(f, c, l, m, n)] - d));
            }
      }
  return worst / h;
}

/* Near cells are those within VL_FINE_BAND of a crossed one, by definition. */
static inline void assert_band(const vlFine *f)
{
  const int *n = f->grid->n, reach = VL_FINE_BAND;
  vlStatus status = {0};
  vlFineSet crossed;
  assert_int_equal(vl_fine_set_create(&crossed, n, &status), VL_OK);
  vlFineSet near = {f->band, f->near, f->near_capacity};
  assert_true(vl_fine_set_crossed(f, &near, f->phi, &crossed));
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++) {
        bool any = false;
        for (int c = k - reach; c <= k + reach && !any; c++)
          for (int b = j - reach; b <= j + reach && !any; b++)
            for (int a = i - reach; a <= i + reach && !any; a++)
              if (a >= 0 && b >= 0 && c >= 0 && a < n[0] && b < n[1] && c < n[2])
                any = vl_fine_set_bits(&crossed, (vlBlockPosition){a / VL_BLOCK, b, c}) >> a % VL_BLOCK & 1u;
        assert_int_equal(any, vl_fine_is_near(f, i, j, k));
      }
  vl_fine_set_clear(&crossed);
}

#endif
