/* Bodies of another material while a simulation runs: to the bit as a scene would have made them, against mechanics, and a
 * resumed simulation repeats it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "moving.h"

/* Four bodies, of other materials than each other. */
static const char *const SCENE =
    "{grid: {size: [2, 1, 1], cells: 16}, gravity: [0, -9.81, 0], time: {dt_fixed: 0.004}, liquid: {level: 0.4}, bodies: ["
    "{name: crate, rigid: yes, shape: box, center: [0.3, 0.5, 0.5], size: [0.3, 0.3, 0.3], density: %g%s}, "
    "{name: beam, shape: box, center: [0.8, 0.6, 0.5], size: [0.2, 0.2, 0.4], cells: [2, 2, 3], density: %g, young: %g, "
    "poisson: %g, mass_damping: %g, stiffness_damping: %g, velocity: [0, 0.2, 0], pins: [{shape: box, center: [0.8, 0.6, "
    "0.3], size: [1, 1, 0.01]}]}, "
    "{name: jelly, shape: box, center: [1.3, 0.5, 0.5], size: [0.2, 0.2, 0.2], cells: [1, 1, 1], element: quadratic, "
    "integrator: bdf2, model: neo_hookean, density: %g, young: 4e4}, "
    "{name: bob, rigid: yes, shape: sphere, center: [1.7, 0.5, 0.5], radius: 0.15, %s}]}";

static vlSim *start_scene(double crate, const char *motion, vlBodyMaterial beam, double jelly, const char *bob)
{
  char text[2048];
  vlStatus status = {0};
  vlScene scene;
  snprintf(text, sizeof text, SCENE, crate, motion, beam.density, beam.young, beam.poisson, beam.mass_damping,
           beam.stiffness_damping, jelly, bob);
  if (vl_scene_parse(&scene, text, strlen(text), "material.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

static const vlBodyMaterial SOFT = {700, 1e5, 0.3, 0.1, 1e-3}, STIFF = {900, 3e5, 0.4, 0.7, 2e-3};

static vlSim *start_first(void)
{
  return start_scene(400, ", velocity: [0.3, 0, 0], spin: [0, 0, 1]", SOFT, 1100, "mass: 5");
}

static void make(vlSim *sim, int body, vlBodyMaterial material)
{
  vlStatus status = {0};
  if (vl_sim_set_material(sim, body, material, &status)) fail_msg("%s", status.message);
  vlBodyMaterial now = vl_sim_material(sim, body);
  assert_memory_equal(&now, &material, sizeof now);
}

static void make_dense(vlSim *sim, int body, double density)
{
  vlBodyMaterial material = vl_sim_material(sim, body);
  material.density = density;
  make(sim, body, material);
}

static void assert_same_steps(vlSim *a, vlSim *b, int steps)
{
  for (int s = 0; s < steps; s++) {
    vlStepInfo first = one_step(a, 1.0), second = one_step(b, 1.0);
    assert_memory_equal(&first.momentum, &second.momentum, sizeof first.momentum);
  }
  for (int i = 0; i < vl_sim_body_count(a); i++) {
    vlBodyView first = vl_sim_body(a, i), second = vl_sim_body(b, i);
    assert_memory_equal(first.x, second.x, (size_t)first.node_count * sizeof *first.x);
    assert_memory_equal(first.v, second.v, (size_t)first.node_count * sizeof *first.v);
    assert_memory_equal(&first.info, &second.info, offsetof(vlBodyInfo, inverted));
    assert_int_equal(first.info.inverted, second.info.inverted); /* bytes behind it say nothing */
    assert_memory_equal(&first.info.velocity, &second.info.velocity, 2 * sizeof first.info.velocity);
  }
}

/* Told before the first step it is as if the scene said so; bodies that move have momenta to the last bit but one. */
static void test_as_scene(void **state)
{
  (void)state;
  vlSim *told = start_scene(400, "", SOFT, 1100, "mass: 5"), *made = start_scene(850, "", STIFF, 500, "density: 444");
  make_dense(told, 0, 850);
  make(told, 1, STIFF);
  make_dense(told, 2, 500);
  make_dense(told, 3, 444);
  assert_same_steps(told, made, 6);
  vl_sim_destroy(&told);
  vl_sim_destroy(&made);
}

/* Velocities stay, momenta are those of the new mass; a push moves it as that, and its modes are its own. */
static void test_mechanics(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim = start_first();
  vlBodyMode before, after;
  for (int s = 0; s < 3; s++) one_step(sim, 1.0);
  for (int b = 0; b < 4; b++) {
    vlBodyInfo was = vl_sim_body(sim, b).info;
    make_dense(sim, b, 2.0 * vl_sim_material(sim, b).density);
    vlBodyInfo is = vl_sim_body(sim, b).info;
    assert_true(fabs(is.mass - 2.0 * was.mass) < 1e-12 * is.mass);
    assert_true(vl_norm(vl_sub(is.velocity, was.velocity)) < 1e-12 * (1.0 + vl_norm(was.velocity)));
    assert_true(vl_norm(vl_sub(is.momentum, vl_scale(was.momentum, 2.0))) < 1e-12 * (1.0 + vl_norm(is.momentum)));
    assert_true(vl_norm(vl_sub(is.angular_velocity, was.angular_velocity)) < 1e-9 * (1.0 + vl_norm(was.angular_velocity)));
  }
  vlVec3 *shape = malloc((size_t)vl_sim_body(sim, 1).node_count * sizeof *shape);
  assert_int_equal(vl_sim_body_modes(sim, 1, 1, &before, shape, &status), VL_OK);
  vlBodyMaterial beam = vl_sim_material(sim, 1);
  beam.young *= 4.0;
  make(sim, 1, beam);
  assert_int_equal(vl_sim_body_modes(sim, 1, 1, &after, shape, &status), VL_OK);
  assert_true(fabs(after.frequency / before.frequency - 2.0) < 1e-6);
  free(shape);
  vl_sim_destroy(&sim);
}

/* A box at rest in still water that becomes lighter is lifted by what is over; as heavy as water it is not. */
static void test_lift(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlScene scene;
  const char *text = "{grid: {size: [1, 1, 1], cells: 16}, time: {dt_fixed: 1e-4}, liquid: {transfer: still, level: 1}, "
                     "pressure: {tolerance: 1e-10}, "
                     "bodies: [{name: box, rigid: yes, shape: box, center: [0.5, 0.5, 0.5], size: [0.25, 0.25, 0.25]}]}";
  if (vl_scene_parse(&scene, text, strlen(text), "lift.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  one_step(sim, 1.0);
  double rest = vl_sim_body(sim, 0).info.velocity.y;
  make_dense(sim, 0, 500);
  one_step(sim, 1.0);
  double light = vl_sim_body(sim, 0).info.velocity.y - rest;
  assert_true(fabs(rest) < 1e-7);
  assert_true(light > 0.3 * 9.81e-4 && light < 9.81e-4); /* g (1000 - 500)/(500 + added mass) dt, the added below 1000 V */
  vl_sim_destroy(&sim);
}

static void test_resume(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim = start_first(), *again = start_first();
  for (int s = 0; s < 3; s++) one_step(sim, 1.0);
  char plain[] = "/tmp/vl_test_material_XXXXXX", path[] = "/tmp/vl_test_material_XXXXXX";
  close(mkstemp(plain));
  close(mkstemp(path));
  assert_int_equal(vl_sim_save(sim, plain, &status), VL_OK);
  make_dense(sim, 0, 850);
  make(sim, 1, STIFF);
  make_dense(sim, 3, 444);
  for (int s = 0; s < 3; s++) one_step(sim, 1.0);
  assert_int_equal(vl_sim_save(sim, path, &status), VL_OK);
  if (vl_sim_resume(again, path, &status)) fail_msg("%s", status.message);
  assert_same_steps(sim, again, 4);
  vl_sim_destroy(&again);
  again = start_first();
  /* and one that was told otherwise forgets it where a checkpoint knows of nothing */
  if (vl_sim_resume(sim, plain, &status) || vl_sim_resume(again, plain, &status)) fail_msg("%s", status.message);
  assert_same_steps(sim, again, 3);
  unlink(plain);
  unlink(path);
  vl_sim_destroy(&sim);
  vl_sim_destroy(&again);
}

static void test_refused(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim = start_first();
  vlBodyMaterial bad = vl_sim_material(sim, 1), none = {0}, away = vl_sim_material(sim, 4);
  assert_memory_equal(&away, &none, sizeof none);
  bad.young = -1.0;
  assert_int_equal(vl_sim_set_material(sim, 1, bad, &status), VL_ERROR_USAGE);
  assert_memory_equal(status.message, "vl_sim_set_material: body 'beam': young: -1: ", 44);
  bad = (vlBodyMaterial){NAN, 1e5, 0.3, 0, 0};
  assert_int_equal(vl_sim_set_material(sim, 0, bad, NULL), VL_ERROR_USAGE);
  bad = (vlBodyMaterial){1000, 1e5, 0.5, 0, 0};
  assert_int_equal(vl_sim_set_material(sim, 0, bad, &status), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_set_material(sim, -1, SOFT, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "body -1; there are 4"));
  vlBodyMaterial now = vl_sim_material(sim, 1);
  assert_memory_equal(&now, &SOFT, sizeof now);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_scene), cmocka_unit_test(test_mechanics), cmocka_unit_test(test_lift),
      cmocka_unit_test(test_resume),   cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
