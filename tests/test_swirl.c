/* The vortex that liquid may start with. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "liquid/seed.h"

static vlLiquidDef swirl(void)
{
  return (vlLiquidDef){.swirl_speed = 0.7,
                       .swirl_center = vl_vec(0.5, 0.4, 0.1),
                       .swirl_size = vl_vec(0.6, 0.4, 1.0),
                       .swirl_rotation = vl_mat_rotation(2, 0.4)};
}

/* Free of divergence to the differences' accuracy, at rest on the edges and beyond, no faster than it says. */
static void test_field(void **state)
{
  (void)state;
  vlLiquidDef liquid = swirl();
  double fastest = 0.0, h = 1e-5;
  for (int i = 0; i <= 60; i++)
    for (int j = 0; j <= 60; j++) {
      vlVec3 local = vl_vec((i / 50.0 - 0.6) * 0.6, (j / 50.0 - 0.6) * 0.4, 0.3);
      vlVec3 x = vl_add(liquid.swirl_center, vl_mat_apply(liquid.swirl_rotation, local));
      vlVec3 v = vl_swirl_velocity(&liquid, x);
      double divergence = 0.0;
      for (int a = 0; a < 2; a++) {
        vlVec3 lo = x, hi = x;
        lo.v[a] -= h;
        hi.v[a] += h;
        divergence += (vl_swirl_velocity(&liquid, hi).v[a] - vl_swirl_velocity(&liquid, lo).v[a]) / (2.0 * h);
      }
      fastest = fmax(fastest, vl_norm(v));
      assert_true(fabs(divergence) <= 1e-3); /* second differences of a kink on the edges: h times curvature */
      if (fabs(local.x) >= 0.3 || fabs(local.y) >= 0.2) assert_true(vl_norm(v) <= 1e-12);
    }
  assert_true(fastest <= 0.7 * (1.0 + 1e-12) && fastest > 0.65);
  /* counter-clockwise: to the left above the middle */
  vlVec3 above = vl_add(liquid.swirl_center, vl_mat_apply(liquid.swirl_rotation, vl_vec(0, 0.1, 0)));
  assert_true(vl_mat_apply(vl_mat_transpose(liquid.swirl_rotation), vl_swirl_velocity(&liquid, above)).x < 0.0);
}

/* The particles of a scene start with it, on top of the velocity of all; a rotation that is not there is none. */
static void test_scene(void **state)
{
  (void)state;
  const char text[] = "{grid: {slab: yes, size: [1, 1], cells: 32}, gravity: [0, 0], liquid: {level: 2, velocity: [0.1, 0], "
                      "transfer: apic, swirl_speed: 50 cm/s, swirl_center: [0.5, 0.5], swirl_size: [0.6, 0.8]}}";
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  if (vl_scene_parse(&scene, text, sizeof text - 1, "x.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  if (vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 2}, &status)) fail_msg("%s", status.message);
  vlParticleView p = vl_sim_particles(sim);
  double fastest = 0.0;
  for (size_t i = 0; i < p.count; i++) {
    vlVec3 x = vl_vec(p.origin.x + p.dx * (double)p.x[0][i], p.origin.y + p.dx * (double)p.x[1][i], 0.0);
    vlVec3 v = vl_swirl_velocity(&scene.liquid, x);
    assert_true(fabs((double)p.v[0][i] - 0.1 - v.x) <= 1e-6 && fabs((double)p.v[1][i] - v.y) <= 1e-6);
    assert_true((double)p.v[2][i] == 0.0);
    fastest = fmax(fastest, vl_norm(v));
  }
  assert_true(fastest > 0.45 && fastest <= 0.5);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_field), cmocka_unit_test(test_scene)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
