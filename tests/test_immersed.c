/* Liquid and bodies as one medium: exact free fall, momentum on the grid, pools and what floats in them, hard cases, the
 * same bits for any number of threads and after a restart, what scenes may not say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "immersed_scene.h"
#include "visit_memory.h"

/* Before anything is met all falls with g, liquid and bodies of any density. */
static void test_falls(void **state)
{
  (void)state;
  vlSim *sim =
      immersed("{engine: immersed, grid: {cells: 16}, liquid: {velocity: [0.1, 0, 0], shapes: [{shape: sphere, "
               "center: [0.2, 0.75, 0.5], radius: 0.15}]}, bodies: [{name: a, shape: sphere, center: [0.7, 0.75, "
               "0.3], radius: 0.14, cell: 0.07, density: 300, mass_damping: 0, velocity: [0, 0.5, -0.1]}, {name: b, "
               "shape: box, size: [0.2, 0.2, 0.2], center: [0.7, 0.75, 0.7], cell: 0.07, density: 3000, "
               "mass_damping: 0}]}",
               1);
  vlStepInfo info = {0};
  double apart = 0.0;
  for (int s = 0; s < 15; s++) info = one_step(sim, 1.0 / 60.0);
  vlVec3 a = info_of(sim, 0).velocity, b = info_of(sim, 1).velocity;
  assert_true(vl_norm(vl_sub(a, vl_vec(0, 0.5 - 9.81 * info.time, -0.1))) < 1e-6);
  assert_true(vl_norm(vl_sub(b, vl_vec(0, -9.81 * info.time, 0))) < 1e-6);
  vlParticleView p = vl_sim_particles(sim);
  for (size_t i = 0; i < p.count; i++)
    apart =
        fmax(apart, fabs((double)p.v[0][i] - 0.1) + fabs((double)p.v[1][i] + 9.81 * info.time) + fabs((double)p.v[2][i]));
  assert_true(apart < 1e-5); /* floats */
  assert_true(info_of(sim, 0).elastic_energy + info_of(sim, 1).elastic_energy < 1e-6);
  vl_sim_destroy(&sim);
}

/* Momentum on the grid, sum over faces of M u, is that of particles and grains, whatever their masses. */
static void test_momentum(void **state)
{
  (void)state;
  vlSim *sim =
      immersed("{engine: immersed, grid: {cells: 16}, liquid: {velocity: [1, -2, 0.5], shapes: [{shape: sphere, "
               "center: [0.5, 0.5, 0.5], radius: 0.3}]}, bodies: [{name: a, shape: sphere, center: [0.6, 0.5, 0.5], "
               "radius: 0.15, cell: 0.06, density: 350, velocity: [-1, 0, 3]}, {name: b, shape: box, size: [0.2, "
               "0.2, 0.2], center: [0.3, 0.5, 0.5], cell: 0.07, density: 2500}]}",
               1);
  const vlSharp *base = vl_sharp(sim);
  const vlImmersed *im = vl_immersed(base);
  vlVec3 grid = vl_vec(0, 0, 0), sum = vl_vec(0, 0, 0);
  const vlBlocks *wet = &base->work.wet;
  for (int b = 0; b < wet->count; b++)
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++)
      for (int a = 0; a < 3; a++) {
        ptrdiff_t at = vl_blocks_field(&base->grid, wet->at[b]) + l;
        grid.v[a] += base->work.mass[a][at] * base->state.u_old[a][at];
      }
  const vlParticles *p = base->state.particles;
  for (size_t i = 0; i < p->count; i++)
    for (int a = 0; a < 3; a++) sum.v[a] += (double)p->v[a][i];
  for (int s = 0; s < im->guest_count; s++)
    for (int i = 0; i < im->guest[s].grains->count; i++) {
      sum = vl_axpy(sum, im->guest[s].scale, im->guest[s].grains->v[i]);
    }
  assert_int_equal(im->guest_count, 2);
  assert_true(vl_norm(sum) > 1000.0 &&
              vl_norm(vl_sub(grid, sum)) < 1e-6 * vl_norm(sum)); /* places and velocities are floats */
  vl_sim_destroy(&sim);
}

/* Grains are sorted by cell, each once; faces inside of liquid and bodies have the mass that is there. */
static void test_sorted(void **state)
{
  (void)state;
  vlSim *sim = immersed(floating(16, 1000, 0.4), 1);
  for (int s = 0; s < 3; s++) one_step(sim, 1.0 / 60.0);
  const vlImmersed *im = vl_immersed(vl_sharp(sim));
  const vlParticles *p = im->guest[0].points;
  unsigned char *seen = calloc(p->count, 1);
  assert_int_equal(p->count, im->guest[0].grains->count);
  for (int b = 0; b < p->home.count; b++)
    for (int l = 0; l < VL_BLOCK; l++)
      for (int i = p->cell_start[b * VL_BLOCK + l]; i < p->cell_start[b * VL_BLOCK + l + 1]; i++) {
        assert_int_equal((int)p->x[0][i], p->home.at[b].bx * VL_BLOCK + l);
        assert_int_equal((int)p->x[1][i], p->home.at[b].j);
        assert_int_equal((int)p->x[2][i], p->home.at[b].k);
        assert_false(seen[p->id[i]]++);
      }
  free(seen);
  vl_sim_destroy(&sim);
}

/* A pool whose level lies between rows of particles rests from the first step on. Elsewhere a row is there in part, which
 * tells the level to a particle in a cell, dx/8, and so ripples of sqrt(pi g/dx) dx/16 = 0.1 m/s go over it for a moment. */
static void test_pool(void **state)
{
  (void)state;
  static const double levels[] = {0.5, 0.52};
  for (int k = 0; k < 2; k++) {
    char text[128];
    snprintf(text, sizeof text, "{engine: immersed, grid: {cells: 12}, liquid: {level: %g}}", levels[k]);
    vlSim *sim = immersed(text, 1);
    const vlProbeDef probe = {.kind = VL_PROBE_HEIGHT, .position = vl_vec(0.4, 0, 0.6)};
    double most = 0.0, late = 0.0, volume = 0.0, level[3] = {0};
    for (int s = 0; s < 600; s++) {
      vlStepInfo info = one_step(sim, 1.0 / 60.0);
      if (s == 0) volume = info.volume;
      most = fmax(most, fastest_particle(sim));
      if (s >= 570) late = fmax(late, fastest_particle(sim));
      assert_true(fabs(info.volume / volume - 1.0) < 0.02);
    }
    vl_sim_probe(sim, &probe, level);
    print_message("a pool of %g m: %.3g m/s at most, %.3g m/s after ten; %.4f m deep\n", levels[k], most, late, level[0]);
    assert_true(k == 0 ? most < 1e-3 : most < 0.2 && late < 0.01);
    assert_true(fabs(level[0] - levels[k]) < 0.01); /* an eighth of a cell */
    vl_sim_destroy(&sim);
  }
}

/* Balls float as deep as they are dense, and one like water stays. */
static void test_floats(void **state)
{
  (void)state;
  static const double density[] = {300, 540, 800};
  for (int k = 0; k < 3; k++) {
    double ratio = density[k] / 1000.0, under = 0.0, push = 0.0;
    vlSim *sim = immersed(floating(16, density[k], 0.5 + 0.3 * (0.5 - ratio)), 1);
    for (int s = 0; s < 120; s++) one_step(sim, 1.0 / 60.0);
    for (int s = 0; s < 60; s++) {
      vlStepInfo info = one_step(sim, 1.0 / 60.0);
      assert_true(vl_norm(vl_sub(info.body_force, info_of(sim, 0).load_force)) < 1e-9 * vl_norm(info.body_force));
      under += under_water(sim, 0) / 60;
      push += info_of(sim, 0).load_force.y / (9.81 * info_of(sim, 0).mass) / 60;
    }
    print_message("%g kg/m3: %.3f under water, carried with %.3f of its weight\n", density[k], under, push);
    assert_true(fabs(under - ratio) < 0.05);
    assert_true(fabs(push - 1.0) < 0.05); /* it still moves up and down a little */
    assert_int_equal(info_of(sim, 0).inverted, 0);
    assert_true(fabs(info_of(sim, 0).volume / first_volume(sim, 0) - 1.0) < 0.02);
    vl_sim_destroy(&sim);
  }
}

static void test_hovers(void **state)
{
  (void)state;
  vlSim *sim = immersed(floating(16, 1000, 0.3), 1);
  double fastest = 0.0;
  for (int s = 0; s < 90; s++) {
    one_step(sim, 1.0 / 60.0);
    fastest = fmax(fastest, vl_norm(info_of(sim, 0).velocity));
  }
  print_message("as dense as water: %.3g m/s at most\n", fastest);
  assert_true(fastest < 0.05 && vl_norm(vl_sub(info_of(sim, 0).center, vl_vec(0.5, 0.3, 0.5))) < 0.005);
  vl_sim_destroy(&sim);
  sim = immersed(floating(16, 1850, 0.35), 1);
  for (int s = 0; s < 90; s++) one_step(sim, 1.0 / 60.0);
  assert_true(info_of(sim, 0).center.y < 0.21); /* on the ground */
  vl_sim_destroy(&sim);
}

/* Densities far apart, long steps and short ones, fast bodies: every step is taken. */
static void test_hard(void **state)
{
  (void)state;
  static const struct {
    double density, dt, speed;
  } runs[] = {{300, 1.0 / 30, 0},   {3000, 1.0 / 30, 0},  {300, 1.0 / 240, -2},
              {3000, 1.0 / 240, 2}, {600, 1.0 / 60, -10}, {3000, 1.0 / 60, -10}};
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{engine: immersed, grid: {cells: 12}, time: {dt_fixed: %.9g}, liquid: {level: 0.4}, bodies: [{name: a, shape: "
             "sphere, center: [0.5, 0.6, 0.5], radius: 0.17, cell: 0.08, young: 1e5, density: %g, velocity: [0.3, %g, 0], "
             "spin: [0, 0, 5]}]}",
             runs[k].dt, runs[k].density, runs[k].speed);
    vlSim *sim = immersed(text, 1);
    double fastest = 0.0;
    while (vl_sim_time(sim) < 0.7) {
      vlStepInfo info = one_step(sim, 1.0);
      assert_true(fabs(info.dt - runs[k].dt) < 1e-9);
      fastest = fmax(fastest, fmax(info.max_speed, vl_norm(info_of(sim, 0).velocity)));
    }
    print_message("%g kg/m3, steps of 1/%.0f s, %g m/s: at most %.3g m/s\n", runs[k].density, 1.0 / runs[k].dt,
                  runs[k].speed, fastest);
    assert_true(fastest < 15.0 + fabs(runs[k].speed));
    assert_true(fabs(info_of(sim, 0).volume / first_volume(sim, 0) - 1.0) < 0.1);
    vl_sim_destroy(&sim);
  }
}

static const char *busy =
    "{engine: immersed, grid: {cells: 14}, liquid: {level: 0.35, sources: [{shape: box, center: [0.1, 0.85, 0.5], size: "
    "[0.15, "
    "0.15, 0.2], velocity: [1, 0, 0]}], sinks: [{shape: box, center: [0.95, 0.05, 0.95], size: [0.1, 0.1, 0.1]}]}, solids: "
    "[{shape: sphere, center: [0.8, 0.1, 0.3], radius: 0.2}], bodies: [{name: a, shape: sphere, center: [0.4, 0.42, 0.5], "
    "radius: 0.15, cell: 0.07, young: 1e5, density: 500, velocity: [0.5, -1, 0]}, {name: b, shape: box, center: [0.45, 0.7, "
    "0.5], size: [0.3, 0.15, 0.3], cell: 0.07, young: 1e5, density: 900}, {name: c, shape: sphere, radius: 0.1, center: "
    "[0.85, "
    "0.6, 0.7], motion: [{move: slide, velocity: [0, -0.5, 0]}]}], drags: [{body: a, point: [0.4, 0.55, 0.5], radius: 0.05, "
    "start: 0.05, "
    "end: "
    "0.2, path: [{time: 0.2, position: [0.5, 0.65, 0.5]}]}]}";

static void test_bits(void **state)
{
  (void)state;
  vlSim *one = immersed(busy, 1), *other = immersed(busy, 2);
  Memory memory;
  for (int s = 0; s < 16; s++) {
    vlStepInfo a = one_step(one, 1.0 / 60.0), b = one_step(other, 1.0 / 60.0);
    memset(a.seconds, 0, sizeof a.seconds);
    memset(b.seconds, 0, sizeof b.seconds);
    assert_memory_equal(&a, &b, sizeof a);
    if (s == 6) {
      assert_true(vl_sim_grab_count(one) == 1 && a.added > 0);
      remember(one, &memory);
      recall(other, &memory);
      forget(&memory);
    }
  }
  assert_same_bodies(one, other);
  vlParticleView p = vl_sim_particles(one), q = vl_sim_particles(other);
  assert_int_equal(p.count, q.count);
  for (int a = 0; a < 3; a++) {
    assert_memory_equal(p.x[a], q.x[a], p.count * sizeof *p.x[a]);
    assert_memory_equal(p.v[a], q.v[a], p.count * sizeof *p.v[a]);
  }
  vl_sim_destroy(&one);
  vl_sim_destroy(&other);
}

static void test_refused(void **state)
{
  (void)state;
  static const struct {
    const char *scene, *says;
  } cases[] = {
      {"{engine: immersed, bodies: [{name: a, rigid: yes, shape: sphere, radius: 0.1, center: [0.5, 0.5, 0.5]}]}",
       "not with engine: immersed: what moves in the medium yields"},
      {"{engine: immersed, liquid: {level: 0.5, transfer: still}}", "its liquid is particles"},
      {"{engine: immersed, time: {scheme: leapfrog}}", "it steps by euler"},
      {"{engine: immersed, pressure: {separation: yes}}", "liquid does not part from walls"},
      {"{engine: immersed, bodies: [{name: a, shape: sphere, radius: 0.1, center: [0.5, 0.5, 0.5], separation: yes}]}",
       "bodies[0].separation: not with engine: immersed: liquid does not part from walls"},
      {"{engine: immersed, bodies: [{name: a, shape: sphere, radius: 0.1, center: [0.5, 0.5, 0.5], element: quadratic}]}",
       "engine: immersed makes every body that yields a reduced one"},
      {"{engine: immersed, bodies: [{name: a, shape: sphere, radius: 0.1, center: [0.5, 0.5, 0.5], reduced: no}]}",
       "bodies[0].reduced: not with engine: immersed: bodies that yield are reduced"},
      {"{engine: immersed, solids: [{name: a, shape: sphere, radius: 0.1, center: [0.5, 0.5, 0.5], separation: yes}]}",
       "solids[0].separation: not with engine: immersed: liquid does not part from walls"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    vlScene scene;
    vlStatus status = {0};
    assert_int_not_equal(vl_scene_parse(&scene, cases[k].scene, strlen(cases[k].scene), "no.yaml", NULL, 0, &status), VL_OK);
    if (!strstr(status.message, cases[k].says)) fail_msg("%s", status.message);
    assert_non_null(strstr(status.message, "no.yaml:1:"));
  }
}

/* Bodies do not settle there, and that is said at once. */
static void test_unsettled(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim =
      immersed("{engine: immersed, grid: {cells: 8}, bodies: [{name: a, shape: sphere, radius: 0.2, cell: 0.1, center: "
               "[0.5, 0.5, 0.5]}]}",
               1);
  assert_int_equal(vl_sim_settle(sim, (vlSettleOptions){0}, NULL, NULL, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "engine: sharp"));
  vl_sim_destroy(&sim);
}

/* A slip of units: 100 m of ball in a box of a metre is told before it is made of 10^10 grains. */
static void test_too_large(void **state)
{
  (void)state;
  static const char text[] =
      "{engine: immersed, grid: {cells: 16}, bodies: [{name: a, shape: sphere, radius: 100, center: [0.5, 0.5, 0.5]}]}";
  vlScene scene;
  vlSim *sim = NULL;
  vlStatus status = {0};
  assert_int_equal(vl_scene_parse(&scene, text, strlen(text), "large.yaml", NULL, 0, &status), VL_OK);
  assert_int_equal(vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status), VL_ERROR_SCENE);
  if (!strstr(status.message, "it begins from x = -99.5 to 100.5 m")) fail_msg("%s", status.message);
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_falls),     cmocka_unit_test(test_momentum), cmocka_unit_test(test_sorted),
      cmocka_unit_test(test_pool),      cmocka_unit_test(test_floats),   cmocka_unit_test(test_hovers),
      cmocka_unit_test(test_hard),      cmocka_unit_test(test_bits),     cmocka_unit_test(test_refused),
      cmocka_unit_test(test_unsettled), cmocka_unit_test(test_too_large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
