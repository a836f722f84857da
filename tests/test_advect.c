/* Particles along a velocity: order in time, walls, obstacles; velocities traced back; distances at corners. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "carry_parts.h"
#include "liquid/advect.h"
#include "mesh/sdf.h"
#include "pond.h"
#include "solid/node_distance.h"

static const vlFlight GROUND = {.phi = NULL}; /* nothing flies */

static const vlObstacles NONE = {0};

/* Rotation about the middle (mx, my) at one radian per second: linear, so exact on the grid. */
static Linear rotation(double mx, double my, double dx)
{
  return (Linear){{{0, -dx, 0, my * dx}, {dx, 0, 0, -mx * dx}, {0, 0, 0, 0}}};
}

/* Largest distance, in cells, from the exact place after one radian. */
static double rotation_error(vlIntegratorKind integrator, int steps)
{
  Pond pond;
  pond_create(&pond, 32, 32, 4, 0.1, false);
  Linear field = rotation(16, 16, 0.1);
  linear_fill(&field, &pond.grid, pond.u);
  const double lo[3] = {10, 10, 1}, hi[3] = {22, 22, 3};
  pond_scatter(&pond, 100, lo, hi, 3);
  vlParticles *p = pond.particles;
  double start[100][2], error = 0.0;
  for (int i = 0; i < 100; i++)
    for (int a = 0; a < 2; a++) start[i][a] = (double)p->x[a][i] - 16.0;
  for (int s = 0; s < steps; s++)
    assert_int_equal(move_only(p, &pond.grid, pond.u, 1.0 / steps, integrator, NONE, &GROUND), 0);
  for (int i = 0; i < 100; i++) {
    double x = cos(1.0) * start[i][0] - sin(1.0) * start[i][1], y = sin(1.0) * start[i][0] + cos(1.0) * start[i][1];
    error = fmax(error, hypot((double)p->x[0][i] - 16.0 - x, (double)p->x[1][i] - 16.0 - y));
  }
  pond_destroy(&pond);
  return error;
}

/* Halving dt divides the error by 4 (RK2) or 8 (RK3), while it is far above single precision. */
static void test_order(void **state)
{
  (void)state;
  double two[3], three[3];
  for (int n = 0; n < 3; n++) {
    two[n] = rotation_error(VL_INTEGRATOR_RK2, 2 << n);
    three[n] = rotation_error(VL_INTEGRATOR_RK3, 2 << n);
  }
  for (int n = 0; n < 2; n++) {
    assert_true(two[n] / two[n + 1] > 3.5 && two[n] / two[n + 1] < 4.7);
    assert_true(three[n] / three[n + 1] > 7.0 && three[n] / three[n + 1] < 9.5);
  }
  assert_true(three[2] < two[2]);
}

/* Whatever the velocity, particles end inside the domain, and what ran into the wall has stopped. */
static void test_stays_in_the_domain(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 6; nz += 5) {
    Pond pond;
    pond_create(&pond, 20, 9, nz, 0.1, false);
    const Linear out = {{{0, 0, 0, 3.0}, {0, 0, 0, -5.0}, {0, 0, 0, 0.0}}};
    linear_fill(&out, &pond.grid, pond.u);
    const double lo[3] = {0, 0, 0}, hi[3] = {20, 9, nz};
    pond_scatter(&pond, 500, lo, hi, 3);
    vlParticles *p = pond.particles;
    for (size_t i = 0; i < p->count; i++) {
      p->v[0][i] = 3.0f;
      p->v[1][i] = -5.0f;
    }
    for (int step = 0; step < 20; step++) move_only(p, &pond.grid, pond.u, 0.05, VL_INTEGRATOR_RK3, NONE, &GROUND);
    for (size_t i = 0; i < p->count; i++) {
      for (int a = 0; a < 3; a++) assert_true(p->x[a][i] > 0.0f && p->x[a][i] < (float)pond.grid.n[a]);
      assert_true(p->x[0][i] > 19.9f && p->x[1][i] < 0.1f); /* in the corner they were driven to */
      assert_true(fabsf(p->v[0][i]) < 1e-5f && fabsf(p->v[1][i]) < 1e-5f);
      if (nz == 1) assert_true(p->x[2][i] == 0.5f);
    }
    pond_sort(&pond);
    pond_destroy(&pond);
  }
}

typedef struct Solids {
  vlScene scene;
  vlSolidDef def;
  vlStatics *statics;
  vlNodeDistance nodes;
} Solids;

static void solids_create(Solids *solids, const Pond *pond, vlShape shape)
{
  vlStatus status = {0};
  *solids = (Solids){.def = {.name = "thing", .shape = shape}};
  vl_scene_default(&solids->scene);
  solids->scene.solids = &solids->def;
  solids->scene.solid_count = 1;
  vlCode code = vl_statics_create(&solids->statics, &solids->scene, &pond->grid, (vlLog){0}, &status);
  if (!code) code = vl_node_distance_create(&solids->nodes, &pond->grid, solids->statics, &status);
  if (!code) code = vl_node_distance_update(&solids->nodes, &pond->grid, solids->statics, &pond->wet, &status);
  if (code) fail_msg("%s", status.message);
}

static void solids_destroy(Solids *solids, const Pond *pond)
{
  vl_node_distance_clear(&solids->nodes, &pond->grid);
  vl_statics_destroy(&solids->statics);
}

/* A wind drives particles against a ball: none enters, they are pushed outward and lose the velocity against the push. */
static void test_ball_in_the_way(void **state)
{
  (void)state;
  Pond pond;
  Solids solids;
  pond_create(&pond, 37, 20, 20, 0.05, false);
  vlVec3 middle = vl_add(pond.grid.origin, vl_vec(0.9, 0.5, 0.5));
  solids_create(
      &solids, &pond,
      (vlShape){
          .kind = VL_SHAPE_SPHERE, .center = middle, .radius = 0.3, .scale = {{1, 1, 1}}, .rotation = vl_mat_identity()});
  vlObstacles obstacles = {.distance = solids.nodes.distance, .near = solids.nodes.near, .shape = &pond.wet};
  const Linear wind = {{{0, 0, 0, 1.0}, {0, 0, 0, 0.2}, {0, 0, 0, -0.1}}};
  linear_fill(&wind, &pond.grid, pond.u);
  const double lo[3] = {1, 1, 1}, hi[3] = {11, 19, 19};
  pond_scatter(&pond, 2000, lo, hi, 3);
  vlParticles *p = pond.particles;
  size_t stuck = 0, touched = 0;
  for (int step = 0; step < 60; step++) {
    double free_flight[2000][3];
    for (size_t i = 0; i < p->count; i++)
      for (int a = 0; a < 3; a++) {
        p->v[a][i] = (float)wind.c[a][3];
        free_flight[i][a] = (double)p->x[a][i] + wind.c[a][3] * 0.02 / 0.05;
      }
    stuck += move_only(p, &pond.grid, pond.u, 0.02, VL_INTEGRATOR_RK2, obstacles, &GROUND);
    for (size_t i = 0; i < p->count; i++) {
      const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
      vlVec3 d = vl_sub(vl_axpy(pond.grid.origin, 0.05, vl_vec(x[0], x[1], x[2])), middle);
      double gap = (vl_norm(d) - 0.3) / 0.05;
      /* 0.02 cells are kept from the interpolated distance, which lies up to h^2/(8 R) per axis, 0.02 cells, off */
      assert_true(gap > -0.05);
      double along = 0.0, square = 0.0, outward = 0.0;
      for (int c = 0; c < 3; c++) {
        double push = x[c] - free_flight[i][c];
        along += push * (double)p->v[c][i];
        square += push * push;
        outward += push * d.v[c] / vl_norm(d);
      }
      if (square < 1e-4 || gap > 1.0) continue; /* not pushed, or by the domain's sides */
      touched++;
      assert_true(along > -1e-5);                /* single precision of places */
      assert_true(outward > 0.8 * sqrt(square)); /* along the gradient, which turns by 0.1 over half a cell */
    }
  }
  assert_int_equal(stuck, 0);
  assert_true(touched > 100);
  solids_destroy(&solids, &pond);
  pond_destroy(&pond);
}

/* Particles that come at a plate two cells thick with three cells a step stay before it. */
static void test_plate_holds(void **state)
{
  (void)state;
  for (int flies = 0; flies < 2; flies++) {
    Pond pond;
    Solids solids;
    pond_create(&pond, 40, 12, 12, 0.05, false);
    vlVec3 middle = vl_add(pond.grid.origin, vl_vec(1.0, 0.3, 0.3));
    solids_create(&solids, &pond,
                  (vlShape){.kind = VL_SHAPE_BOX,
                            .center = middle,
                            .size = vl_vec(0.1, 2.0, 2.0),
                            .scale = {{1, 1, 1}},
                            .rotation = vl_mat_identity()});
    vlObstacles obstacles = {.distance = solids.nodes.distance, .near = solids.nodes.near, .shape = &pond.wet};
    vlFlight flight = {.phi = flies ? pond.phi : NULL};
    for (int k = 0; k < 12; k++)
      for (int j = 0; j < 12; j++)
        for (int i = 0; i < 40; i++) pond.phi[vl_grid_at(&pond.grid, i, j, k)] = 1.0;
    const Linear wind = {{{0, 0, 0, 3.0}, {0, 0, 0, 0.0}, {0, 0, 0, 0.0}}};
    linear_fill(&wind, &pond.grid, pond.u);
    const double lo[3] = {1, 1, 1}, hi[3] = {18, 11, 11};
    pond_scatter(&pond, 1000, lo, hi, 5);
    vlParticles *p = pond.particles;
    size_t stuck = 0;
    for (size_t i = 0; i < p->count; i++) p->v[0][i] = 3.0f;
    for (int step = 0; step < 8; step++)
      stuck += move_only(p, &pond.grid, pond.u, 0.05, VL_INTEGRATOR_RK2, obstacles, &flight);
    for (size_t i = 0; i < p->count; i++) assert_true(p->x[0][i] < 19.0f && p->x[0][i] > 18.0f);
    assert_int_equal(stuck, 0);
    solids_destroy(&solids, &pond);
    pond_destroy(&pond);
  }
}

/* Corner distances are those of the solids, in cells; places far from them say so. In a slab they are those of its middle.
 */
static void test_corner_distance(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 20; nz += 19) {
    Pond pond;
    Solids solids;
    pond_create(&pond, 70, 20, nz, 0.05, false);
    vlVec3 middle = vl_add(pond.grid.origin, vl_vec(0.9, 0.5, 0.5 * nz * 0.05));
    vlShape box = {
        .kind = VL_SHAPE_BOX, .center = middle, .size = vl_vec(0.4, 0.3, nz == 1 ? 0.05 : 0.3), .scale = {{1, 1, 1}}};
    box.rotation = vl_mat_identity();
    solids_create(&solids, &pond, box);
    vlObstacles obstacles = {.distance = solids.nodes.distance, .near = solids.nodes.near, .shape = &pond.wet};
    uint64_t seed = 1;
    int near = 0, far = 0;
    for (int n = 0; n < 3000; n++) {
      double x[3], slope[3];
      for (int a = 0; a < 3; a++) x[a] = pond.grid.n[a] == 1 ? 0.5 : floor(pond.grid.n[a] * pond_random(&seed));
      double exact = vl_statics_distance(solids.statics, vl_axpy(pond.grid.origin, 0.05, vl_vec(x[0], x[1], x[2]))) / 0.05;
      double d = vl_obstacle_distance(&pond.grid, obstacles, x, slope, NULL);
      if (d > 1e6) {
        assert_true(exact >= 3.0);
        far++;
      } else {
        assert_true(fabs(d - exact) < 1e-9);
        near++;
      }
    }
    assert_true(near > 500 && far > 500);
    solids_destroy(&solids, &pond);
    pond_destroy(&pond);
  }
}

/* A uniform field traced back along itself is itself; a linear one at second order in dt away from the sides. */
static void test_traced_back(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 6; nz += 5) {
    Pond pond;
    const Linear uniform = {{{0, 0, 0, 0.7}, {0, 0, 0, -0.4}, {0, 0, 0, nz == 1 ? 0.0 : 0.3}}};
    pond_create(&pond, 37, 9, nz, 0.1, false);
    const vlGrid *g = &pond.grid;
    linear_fill(&uniform, g, pond.u);
    vl_advect_faces(g, &pond.wet, pond.u, 0.3, pond.u_old);
    for (int a = 0; a < 3; a++)
      for (int k = 0; k < nz; k++)
        for (int j = 0; j < 9; j++)
          for (int i = 0; i < 37; i++) {
            const int cell[3] = {i, j, k};
            assert_true(fabs(pond.u_old[a][vl_grid_at(g, i, j, k)] - (cell[a] == 0 ? 0.0 : uniform.c[a][3])) < 1e-15);
          }
    pond_destroy(&pond);
  }
}

/* du/dt = -(u.grad)u for a shear u = (s y, 0.5, 0): after dt u_x = s (y - 0.5 dt). */
static void test_traced_shear(void **state)
{
  (void)state;
  Pond pond;
  const Linear shear = {{{0, 0.2, 0, 0.0}, {0, 0, 0, 0.5}, {0, 0, 0, 0}}};
  pond_create(&pond, 37, 12, 6, 0.1, false);
  linear_fill(&shear, &pond.grid, pond.u);
  vl_advect_faces(&pond.grid, &pond.wet, pond.u, 0.2, pond.u_old);
  for (int j = 3; j < 9; j++)
    for (int i = 8; i < 30; i++)
      assert_true(fabs(pond.u_old[0][vl_grid_at(&pond.grid, i, j, 3)] - 0.2 * (j + 0.5 - 1.0)) < 1e-13);
  pond_destroy(&pond);
}

static void test_same_bits_for_threads(void **state)
{
  (void)state;
  Pond pond[3];
  int before = omp_get_max_threads();
  for (int t = 0; t < 3; t++) {
    omp_set_num_threads(1 << t);
    pond_create(&pond[t], 32, 32, 4, 0.1, false);
    Linear field = rotation(14, 17, 0.1);
    linear_fill(&field, &pond[t].grid, pond[t].u);
    const double lo[3] = {0, 0, 0}, hi[3] = {32, 32, 4};
    pond_scatter(&pond[t], 3000, lo, hi, 3);
    for (int s = 0; s < 5; s++)
      move_only(pond[t].particles, &pond[t].grid, pond[t].u, 0.1, VL_INTEGRATOR_RK3, NONE, &GROUND);
    vl_advect_faces(&pond[t].grid, &pond[t].wet, pond[t].u, 0.1, pond[t].u_old);
    for (int a = 0; a < 3; a++) {
      assert_memory_equal(pond[t].particles->x[a], pond[0].particles->x[a], 3000 * sizeof(float));
      assert_memory_equal(pond[t].u_old[a], pond[0].u_old[a], pond[0].grid.length * sizeof(double));
    }
  }
  omp_set_num_threads(before);
  for (int t = 0; t < 3; t++) pond_destroy(&pond[t]);
}

/* Above the surface a particle moves by itself, and only there; what gravity gives it comes with the transfer. */
static void test_flight(void **state)
{
  (void)state;
  Pond pond;
  pond_create(&pond, 20, 12, 8, 0.1, false);
  const vlGrid *g = &pond.grid;
  for (int k = 0; k < 8; k++)
    for (int j = 0; j < 12; j++)
      for (int i = 0; i < 20; i++) pond.phi[vl_grid_at(g, i, j, k)] = (j + 0.5 - 6.2) * g->dx;
  vlParticles *p = pond.particles;
  const double lo[3] = {2, 2, 2}, hi[3] = {18, 10, 6};
  pond_scatter(&pond, 200, lo, hi, 7);
  const vlFlight flight = {.phi = pond.phi, .gain = {0.0, -0.5, 0.0}};
  float x[200], y[200], vx[200], vy[200];
  for (int i = 0; i < 200; i++) {
    x[i] = p->x[0][i];
    y[i] = p->x[1][i];
    vx[i] = p->v[0][i];
    vy[i] = p->v[1][i];
  }
  give_velocities(p, g, pond.u, pond.u_old, 0.0, &flight); /* the grid is at rest */
  move_only(p, g, pond.u, 0.02, VL_INTEGRATOR_RK2, NONE, &flight);
  int flying = 0;
  for (int i = 0; i < 200; i++) {
    bool flies = (double)y[i] - 6.2 > VL_FLIGHT_HEIGHT;
    flying += flies;
    assert_true(p->v[1][i] == (flies ? vy[i] - 0.5f : 0.0f));
    assert_true(fabsf(p->x[0][i] - x[i] - (flies ? 0.2f * vx[i] : 0.0f)) < 1e-5f);
  }
  assert_true(flying > 50 && flying < 150);
  pond_destroy(&pond);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flight),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_stays_in_the_domain),
      cmocka_unit_test(test_ball_in_the_way),
      cmocka_unit_test(test_plate_holds),
      cmocka_unit_test(test_corner_distance),
      cmocka_unit_test(test_traced_back),
      cmocka_unit_test(test_traced_shear),
      cmocka_unit_test(test_same_bits_for_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
