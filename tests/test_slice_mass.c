/* Mass from slices: the translation rows of J in both forms, rest of neutral bodies, what changes from step to step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cut/patches.h"
#include "solid/rigid_body.h"
#include "wet_body.h"

enum { CELLS = 12 };

static vlBodyDef brick(double density)
{
  vlBodyDef body = turned_box(vl_vec(0.47, 0.45, 0.52), vl_vec(0.31, 0.23, 0.27), 1);
  body.kind = VL_BODY_RIGID;
  body.density = density;
  return body;
}

static vlBodyDef globe(double density)
{
  vlBodyDef body = brick(density);
  body.shape = VL_BODY_SPHERE;
  body.solid.radius = 0.17;
  return body;
}

/* A closed box full of liquid. */
static vlScene full(vlBodyDef *body)
{
  vlScene scene = coupled_scene(CELLS, body);
  scene.liquid.has_level = true;
  scene.liquid.level = 2.0;
  scene.pressure.tolerance = 1e-12;
  scene.check_level = 1;
  return scene;
}

static double wave(int i, int j, int k) { return sin(1.3 * i + 0.7 * j) + cos(0.9 * k - 0.4 * i) + 0.3 * sin(2.1 * j * k); }

/* Whatever the pressure: the sum of p s over patches is minus that of its differences over the slices of faces, since rows
 * close; and a closed body adds up to nothing, its turning about any point too. */
static void test_rows_of_j(void **state)
{
  (void)state;
  vlBodyDef defs[2] = {brick(700.0), globe(700.0)};
  for (int d = 0; d < 2; d++) {
    vlScene scene = full(&defs[d]);
    vlSim *sim = start_with(&scene, 1);
    const vlGrid *g = &vl_sharp(sim)->grid;
    const vlBody *body = vl_sharp(sim)->state.bodies.body[0];
    vlVec3 patches = vl_vec(0, 0, 0), slices = vl_vec(0, 0, 0), sum = vl_vec(0, 0, 0), turn = vl_vec(0, 0, 0);
    double area = 0.0;
    for (int q = 0; q < vl_sharp(sim)->work.patches.count; q++) {
      const vlPatch *p = &vl_sharp(sim)->work.patches.patch[q];
      vlVec3 c = vl_vec(0.3, 2.0, -1.0); /* about some point */
      for (int k = 0; k < 3; k++) c = vl_axpy(c, p->b[k], body->x[p->node[k]]);
      patches = vl_axpy(patches, wave(p->cell[0], p->cell[1], p->cell[2]), p->s);
      sum = vl_add(sum, p->s);
      turn = vl_add(turn, vl_cross(c, p->s));
      area += vl_norm(p->s);
    }
    for (int k = 0; k < CELLS; k++)
      for (int j = 0; j < CELLS; j++)
        for (int i = 0; i < CELLS; i++)
          for (int a = 0; a < 3; a++) {
            int low[3] = {i, j, k};
            if (low[a]-- == 0) continue;
            double closed = g->dx * g->dx - vl_cuts_open_area(vl_sharp(sim)->work.cuts, a, i, j, k);
            slices.v[a] -= closed * (wave(i, j, k) - wave(low[0], low[1], low[2])); /* vol dp/dx */
          }
    assert_true(vl_norm(sum) <= 1e-13 * area);
    assert_true(vl_norm(turn) <= 1e-13 * area * 3.0);
    assert_true(vl_norm(patches) > 0.01 * area);
    assert_true(vl_norm(vl_sub(patches, slices)) <= 1e-12 * area);
    /* the sums that mass is made of: those of the faces, and at the same time the push of an even rise */
    vlSlices s = vl_slices_of(&vl_sharp(sim)->work.patches, &vl_sharp(sim)->state.bodies, 0, vl_rigid_of(body)->pose.center,
                              vl_vec(0.3, -1.0, 0.2), false);
    for (int a = 0; a < 3; a++) {
      double faces = 0.0;
      for (int n = 0; n < CELLS * CELLS * CELLS; n++)
        faces += g->dx * (g->dx * g->dx -
                          vl_cuts_open_area(vl_sharp(sim)->work.cuts, a, n % CELLS, n / CELLS % CELLS, n / (CELLS * CELLS)));
      assert_true(fabs(s.volume.v[a] - faces) <= 1e-12 * faces);
      assert_true(fabs(s.push.v[a] + (const double[]){0.3, -1.0, 0.2}[a] * faces) <= 1e-12 * faces);
    }
    assert_true(s.whole);
    vl_sim_destroy(&sim);
  }
}

static double fastest(const vlSim *sim)
{
  double most = vl_bodies_fastest(&vl_sharp(sim)->state.bodies);
  return fmax(most, vl_sharp(sim)->state.max_speed);
}

/* As dense as the liquid, in a full closed box: at rest to 1e-8 m/s after 100 steps, what the solves' tolerance of 1e-12
 * leaves of g dt = 0.05 m/s in each adds up to less; with the exact mass patches turn it. Gravity may point anywhere. */
static void test_neutral_rests(void **state)
{
  (void)state;
  vlBodyDef defs[2] = {brick(1000.0), globe(1000.0)};
  for (int d = 0; d < 4; d++) {
    vlScene scene = full(&defs[d % 2]);
    defs[d % 2].rigid_mass = VL_RIGID_MASS_SLICE;
    if (d >= 2) scene.gravity = vl_vec(3.0, -8.0, 4.0);
    vlSim *sim = start_with(&scene, 1);
    for (int s = 0; s < (d < 2 ? 100 : 20); s++) step(sim);
    print_message("neutral %d: %.2e m/s\n", d, fastest(sim));
    assert_true(fastest(sim) <= 1e-8);
    vl_sim_destroy(&sim);
    defs[d % 2].rigid_mass = VL_RIGID_MASS_EXACT;
    if (d != 0) continue;
    sim = start_with(&scene, 1);
    for (int s = 0; s < 5; s++) step(sim);
    assert_true(fastest(sim) > 1e-6);
    vl_sim_destroy(&sim);
  }
}

/* With the exact mass a neutral ball rests too, for lift is that of its volume; where the faces carry the mass of their whole
 * cubes, it drifts by what its slices miss. That depends on how it lies among the cells, so the mean over places is looked
 * at: of second order in dx, between 8 and 32 cells. */
static void exact_drift(vlWeightsKind weights, double mean[3])
{
  for (int fine = 0; fine < 3; fine++)
    for (int place = 0; place < 5; place++) {
      vlBodyDef body = globe(1000.0);
      body.solid.radius = 0.23;
      body.center = vl_vec(0.5 + 0.011 * place, 0.5 - 0.017 * place, 0.5 + 0.007 * place);
      vlScene scene = full(&body);
      scene.grid.cells = 8 << fine;
      scene.pressure.tolerance = 1e-9;
      scene.pressure.weights = weights;
      scene.gravity = vl_vec(0, -9.81, 0);
      vlSim *sim = start_with(&scene, 1);
      step(sim);
      mean[fine] += vl_norm(vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0]))) / 5.0;
      vl_sim_destroy(&sim);
    }
  print_message("drift after a step: %.3e %.3e %.3e m/s\n", mean[0], mean[1], mean[2]);
}

static void test_exact_drifts_less(void **state)
{
  (void)state;
  double area[3] = {0.0}, volume[3] = {0.0};
  exact_drift(VL_WEIGHTS_AREA, area);
  exact_drift(VL_WEIGHTS_VOLUME, volume);
  assert_true(area[0] <= 1e-9 && area[1] <= 1e-9 && area[2] <= 1e-9); /* the tolerance, of g dt */
  assert_true(volume[2] < volume[0] / 10.0);                          /* 16 for second order, over two halvings */
}

/* A body and liquid that move together go on so while slices change: velocities and the mass are kept. */
static void test_free_stream(void **state)
{
  (void)state;
  vlBodyDef body = brick(700.0);
  body.rigid_mass = VL_RIGID_MASS_SLICE;
  body.velocity = vl_vec(0.6, -0.3, 0.45);
  vlShape liquid = ball(vl_vec(0.5, 0.5, 0.5), 0.35);
  vlScene scene = coupled_scene(24, &body);
  scene.gravity = vl_vec(0, 0, 0);
  scene.liquid.shapes = &liquid;
  scene.liquid.shape_count = 1;
  vlSim *sim = start_with(&scene, 1);
  const vlRigid *r = vl_rigid_of(vl_sharp(sim)->state.bodies.body[0]);
  double first = 0.0, change = 0.0;
  for (int s = 0; s < 5; s++) {
    set_velocity(sim, body.velocity);
    step(sim);
    if (s == 0) first = r->mass;
    change = fmax(change, fabs(r->mass / first - 1.0));
    assert_true(vl_norm(vl_sub(vl_rigid_velocity(r), body.velocity)) <= 1e-11);
  }
  assert_true(change <= 1e-12); /* slices and the layer together are the volume */
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_of_j), cmocka_unit_test(test_neutral_rests),
                                     cmocka_unit_test(test_exact_drifts_less), cmocka_unit_test(test_free_stream)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
