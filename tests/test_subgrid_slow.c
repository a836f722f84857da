/* Liquid finer than the grid: planes at rest, drops in free fall, pools and drops from particles, slits narrower than a
 * cell, the same bits for any number of threads and after a restart, what scenes may not say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "subgrid_scene.h"
#include "visit_memory.h"

/* Under a plane across gravity nothing moves, whatever its tilt and its place in the grid: distances are those of phi. */
static void test_planes(void **state)
{
  (void)state;
  static const struct {
    double n[3], at[3];
  } planes[] = {{{0, 1, 0}, {0.5, 0.5, 0.5}},    {{0, 1, 0}, {0.5, 0.53, 0.5}},
                {{0.3, 1, 0}, {0.5, 0.5, 0.5}},  {{0.4, 1, 0.7}, {0.51, 0.47, 0.52}},
                {{1, 1, 1}, {0.5, 0.5, 0.5}},    {{-0.2, 0.9, 0.05}, {0.43, 0.56, 0.5}},
                {{1, 0.02, 0}, {0.5, 0.5, 0.5}}, {{0.01, 1, 0.003}, {0.5, 0.5, 0.5}}};
  for (size_t k = 0; k < sizeof planes / sizeof *planes; k++) {
    vlVec3 n = vl_unit(vl_vec(planes[k].n[0], planes[k].n[1], planes[k].n[2])), g = vl_scale(n, -9.81);
    char text[1024];
    snprintf(text, sizeof text,
             "{grid: {cells: 12}, gravity: [%.17g, %.17g, %.17g], pressure: {tolerance: 1e-13, separation: no}, liquid: "
             "{surface: subgrid, "
             "keep_volume: no, shapes: [{shape: halfspace, center: [%g, %g, %g], normal: [%.17g, %.17g, %.17g]}]}}",
             g.x, g.y, g.z, planes[k].at[0], planes[k].at[1], planes[k].at[2], n.x, n.y, n.z);
    vlSim *sim = subgrid(text, 1);
    vlSharp *s = vl_sharp(sim);
    vlStatus status = {0};
    vlStepInfo info = {0};
    double dt = 1e-3, most = 0.0;
    if (vl_sim_step(sim, dt, &info, &status)) fail_msg("%s", status.message);
    for (int b = 0; b < s->work.wet.count; b++)
      for (int l = 0; l < vl_blocks_width(&s->work.wet, s->work.wet.at[b]); l++)
        for (int a = 0; a < 3; a++) {
          ptrdiff_t at = vl_blocks_field(&s->grid, s->work.wet.at[b]) + l;
          bool flows = s->subgrid->carry[a] && s->subgrid->carry[a][b] >> l & 1u;
          if (flows) most = fmax(most, fabs(s->state.u[a][at]));
        }
    print_message("normal %.2f %.2f %.2f: %.2e g dt\n", n.x, n.y, n.z, most / (9.81 * info.dt));
    assert_true(s->subgrid->pieces.count > 20);
    assert_true(most < 1e-9 * 9.81 * info.dt);
    vl_sim_destroy(&sim);
  }
}

/* Drops of a quarter of a cell to a cell fall with g exactly, beside each other and alone. */
static void test_beads(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status = {0};
  assert_int_equal(vl_scene_load(&scene, "beads", NULL, 0, &status), VL_OK);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  vlSharp *s = vl_sharp(sim);
  vlStepInfo info = advance_to(sim, 0.15);
  const vlParticles *p = s->state.particles;
  double off = 0.0, most = 0.0;
  for (size_t i = 0; i < p->count; i++)
    off = fmax(off, fabs((double)p->v[0][i]) + fabs((double)p->v[1][i] + 9.81 * info.time) + fabs((double)p->v[2][i]));
  for (int b = 0; b < s->work.wet.count; b++)
    for (int l = 0; l < VL_BLOCK; l++) most = fmax(most, fabs(s->state.p[vl_blocks_field(&s->grid, s->work.wet.at[b]) + l]));
  print_message("beads: %.2e m/s off, %.2e Pa; %.3f of their volume\n", off, most, info.volume / info.particle_volume);
  assert_true(off < 1e-6 * 9.81 && most < 1e-6 * 1000.0); /* places and velocities are floats */
  vl_sim_destroy(&sim);
}

static void test_pool(void **state)
{
  (void)state;
  static const double level[] = {0.5, 0.47, 0.535};
  for (int k = 0; k < 3; k++) {
    char text[256];
    snprintf(text, sizeof text, "{grid: {cells: 12}, liquid: {surface: subgrid, level: %g}}", level[k]);
    vlSim *sim = subgrid(text, 1);
    double late = 0.0, volume = 0.0;
    advance_to(sim, 0.6);
    while (vl_sim_time(sim) < 1.2) {
      vlStepInfo info = one_step(sim, 1.0);
      late = fmax(late, info.max_speed);
      volume = info.volume;
      assert_true(fabs(info.volume / info.particle_volume - 1.0) < 0.01);
    }
    print_message("pool to %g m: %.2e sqrt(gH), %.5f m3\n", level[k], late / sqrt(9.81 * level[k]), volume);
    assert_true(late < 0.005 * sqrt(9.81 * level[k]));
    vl_sim_destroy(&sim);
  }
}

/* Three drops, the smallest less than half a cell in radius: all fall into the pool, none hangs above it. */
static void test_drops(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status = {0};
  assert_int_equal(vl_scene_load(&scene, "drops", NULL, 0, &status), VL_OK);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  double worst = 0.0;
  while (vl_sim_time(sim) < 0.35) {
    vlStepInfo info = one_step(sim, 0.35 - vl_sim_time(sim));
    worst = fmax(worst, fabs(info.volume / info.particle_volume - 1.0));
  }
  const vlParticles *p = vl_sharp(sim)->state.particles;
  int above = 0;
  for (size_t i = 0; i < p->count; i++) {
    double v = vl_norm(vl_vec((double)p->v[0][i], (double)p->v[1][i], (double)p->v[2][i]));
    above += (double)p->x[1][i] / 16.0 > 0.3 && v < 0.1;
  }
  print_message("drops: %d particles hang, volume within %.2f %%\n", above, 100.0 * worst);
  assert_int_equal(above, 0);
  assert_true(worst < 0.01);
  vl_sim_destroy(&sim);
}

/* What leaves a tank through a slit, against 0.61 A sqrt(2 g H), wherever the slit lies in the grid. */
static void test_slits(void **state)
{
  (void)state;
  static const struct {
    double width, offset; /* cells */
  } slits[] = {{0.4, 0.3}, {0.6, 0.0}, {0.6, 0.6}, {0.8, 0.3}};
  for (size_t k = 0; k < sizeof slits / sizeof *slits; k++) {
    double dx = 1.0 / 16, width = slits[k].width * dx, below = 0.125 + slits[k].offset * dx, above = below + width;
    char text[1024];
    snprintf(text, sizeof text,
             "{grid: {size: [1, 1], cells: 16, slab: yes}, liquid: {surface: subgrid, particles: 4, shapes: [{shape: box, "
             "center: [0.2, "
             "0.3], size: [0.6, 0.6]}]}, solids: [{shape: box, center: [0.51, %.17g], size: [0.02, %.17g]}, {shape: box, "
             "center: [0.51, "
             "%.17g], size: [0.02, %.17g]}]}",
             0.5 * (below - 0.2), below + 0.2, 0.5 * (above + 1.2), 1.2 - above);
    vlSim *sim = subgrid(text, 1);
    double theory = 0.0, first = 0.0;
    while (vl_sim_time(sim) < 0.5 - 1e-9) {
      vlStepInfo info = one_step(sim, 0.5 - vl_sim_time(sim));
      double out = volume_beyond(sim, 0.52), H = (0.3 - out / dx) / 0.5 - 0.5 * (below + above);
      if (vl_sim_time(sim) < 0.1)
        first = out; /* until the jet is there */
      else
        theory += 0.61 * width * dx * sqrt(2.0 * 9.81 * H) * info.dt;
    }
    double ratio = (volume_beyond(sim, 0.52) - first) / theory;
    print_message("slit of %g cells, %g off: %.3f of theory\n", slits[k].width, slits[k].offset, ratio);
    assert_true(fabs(ratio - 1.0) < 0.25);
    vl_sim_destroy(&sim);
  }
}

static const char busy[] = "{grid: {cells: 16}, liquid: {surface: subgrid, level: 0.3, shapes: [{shape: sphere, center: "
                           "[0.3, 0.5, 0.4], radius: 0.1}, {shape: "
                           "sphere, center: [0.7, 0.45, 0.6], radius: 0.03}, {shape: box, center: [0.9, 0.4, 0.5], size: "
                           "[0.2, 0.3, 1]}]}, solids: [{shape: "
                           "sphere, center: [0.5, 0.25, 0.5], radius: 0.15}]}";

static void assert_same(const vlSim *one, const vlSim *other)
{
  const vlSharp *s = vl_sharp(one), *t = vl_sharp(other);
  const vlParticles *p = s->state.particles, *q = t->state.particles;
  assert_int_equal(p->count, q->count);
  for (int a = 0; a < 3; a++) {
    assert_memory_equal(p->x[a], q->x[a], p->count * sizeof *p->x[a]);
    assert_memory_equal(p->v[a], q->v[a], p->count * sizeof *p->v[a]);
  }
  const vlFine *f = s->state.fine, *e = t->state.fine;
  for (int b = 0; b < f->band.count; b++)
    for (int l = 0; l < VL_BLOCK; l++) {
      const int cell[3] = {f->band.at[b].bx * VL_BLOCK + l, f->band.at[b].j, f->band.at[b].k};
      if (!(f->near[b] >> l & 1u)) continue;
      assert_true(vl_fine_is_near(e, cell[0], cell[1], cell[2]));
      ptrdiff_t at = vl_fine_node(f, cell, 1, 2, 3);
      assert_memory_equal(&f->phi[at], &e->phi[at], sizeof(double));
    }
}

static void test_bits(void **state)
{
  (void)state;
  vlSim *one = subgrid(busy, 1), *other = subgrid(busy, 2);
  Memory memory;
  for (int step = 0; step < 16; step++) {
    one_step(one, 0.02);
    one_step(other, 0.02);
    if (step == 7) {
      assert_same(one, other);
      remember(one, &memory);
      vl_sim_destroy(&other);
      other = subgrid(busy, 2);
      recall(other, &memory);
      forget(&memory);
    }
  }
  assert_same(one, other);
  vl_sim_destroy(&one);
  vl_sim_destroy(&other);
}

static void test_refused(void **state)
{
  (void)state;
  static const struct {
    const char *scene, *says;
  } cases[] = {{"{liquid: {level: 0.5, surface: subgrid, transfer: still}}", "its liquid is particles"},
               {"{liquid: {level: 0.5, refine: 3}}", "a cell is divided by 2, 4 or 8, not by 3"},
               {"{engine: immersed, liquid: {level: 0.5, surface: subgrid}}", "one medium there"},
               {"{liquid: {level: 0.5, surface: fine}}", "cells"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    vlScene scene;
    vlStatus status = {0};
    assert_int_not_equal(vl_scene_parse(&scene, cases[k].scene, strlen(cases[k].scene), "no.yaml", NULL, 0, &status), VL_OK);
    if (!strstr(status.message, cases[k].says)) fail_msg("%s", status.message);
    assert_non_null(strstr(status.message, "no.yaml:1:"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_planes), cmocka_unit_test(test_beads),
                                     cmocka_unit_test(test_pool),   cmocka_unit_test(test_drops),
                                     cmocka_unit_test(test_slits),  cmocka_unit_test(test_bits),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
