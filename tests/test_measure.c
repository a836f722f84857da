/* What a step tells of itself, against sums over what programs can read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "moving.h"

static vlSim *start_text(const char *text)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "measure.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

static void assert_near(const char *what, double found, double wanted, double relative)
{
  if (!(fabs(found - wanted) <= relative * fabs(wanted)))
    fail_msg("%s: %.12g instead of %.12g, off by %.2e", what, found, wanted, fabs(found / wanted - 1.0));
}

/* A block that flies as one: momentum and energies are the particles' own, and faces, which tell the weight, agree with them
 * as well as the surface is known. */
static void test_flying_block(void **state)
{
  (void)state;
  vlSim *sim = start_text("{grid: {size: [1, 1, 1], cells: 32}, liquid: {velocity: [0, 3, 0], keep_volume: no, shapes: "
                          "[{shape: box, center: [0.5, 0.4, 0.5], size: [0.5, 0.5, 0.5]}]}, pressure: {tolerance: 1e-10}}");
  vlVec3 g = sim->scene->gravity;
  for (int s = 0; s < 3; s++) {
    vlStepInfo info = one_step(sim, 2e-3);
    vlParticleView p = vl_sim_particles(sim);
    double mass = p.volume * sim->scene->liquid.density, energy = 0.0, height = 0.0;
    vlVec3 momentum = vl_vec(0, 0, 0);
    for (size_t i = 0; i < p.count; i++) {
      vlVec3 v = vl_vec((double)p.v[0][i], (double)p.v[1][i], (double)p.v[2][i]);
      momentum = vl_axpy(momentum, mass, v);
      energy += 0.5 * mass * vl_dot(v, v);
      height -= mass * g.y * p.dx * (double)p.x[1][i];
    }
    double speed = 3.0 + info.time * g.y, all = mass * (double)p.count;
    assert_int_equal(info.particles, p.count);
    assert_near("particle volume", info.particle_volume, p.volume * (double)p.count, 1e-12);
    assert_near("momentum of the particles", info.momentum.y, momentum.y, 1e-12);
    assert_near("mass times velocity", info.momentum.y, all * speed, 1e-6);
    assert_true(fabs(info.momentum.x) + fabs(info.momentum.z) < 1e-6 * info.momentum.y);
    assert_near("potential energy", info.potential_energy, height, 1e-12);
    assert_near("mass by the weight of faces", info.weight.y / g.y, all, 0.01);
    assert_near("energy of the particles", energy, 0.5 * all * speed * speed, 1e-6);
    assert_near("energy", info.kinetic_energy, energy, 1e-6);
    assert_near("volume", info.volume, info.particle_volume, 0.01);
    assert_near("largest speed", info.max_speed, speed, 1e-6);
  }
  vl_sim_destroy(&sim);
}

/* Still liquid in the air begins to fall: what its faces carry is its mass times its speed. */
static void test_momentum_of_faces(void **state)
{
  (void)state;
  vlSim *sim =
      start_text("{grid: {size: [1, 1, 1], cells: 32}, liquid: {transfer: still, shapes: [{shape: box, center: [0.5, "
                 "0.5, 0.5], size: [0.5, 0.5, 0.5]}]}, pressure: {tolerance: 1e-10}}");
  vlStepInfo info = one_step(sim, 2e-3);
  double mass = info.weight.y / sim->scene->gravity.y;
  assert_near("mass", mass, 125.0, 0.01);
  assert_near("momentum", info.momentum.y, mass * info.dt * sim->scene->gravity.y, 1e-6);
  assert_true(fabs(info.momentum.x) + fabs(info.momentum.z) < 1e-6 * fabs(info.momentum.y));
  vl_sim_destroy(&sim);
}

/* Water at rest around a body that is held: walls and body carry what the faces weigh. */
static void test_weight_on_walls_and_body(void **state)
{
  (void)state;
  vlSim *sim = start_text(
      "{grid: {size: [1, 1, 1], cells: 20}, liquid: {transfer: still, level: 0.7}, solids: "
      "[{shape: sphere, center: [0.2, 0.1, 0.3], radius: 0.15}], bodies: [{name: held, shape: box, center: [0.52, 0.4, "
      "0.49], size: [0.31, 0.27, 0.3], motion: [{move: slide, velocity: [0, 0, 0]}]}], pressure: {tolerance: 1e-10}}");
  vlStepInfo info = one_step(sim, 0.01);
  vlVec3 sum = vl_add(info.wall_force, info.body_force), load = vl_sim_body(sim, 0).info.load_force;
  double heavy = vl_norm(info.weight), lift = 1000.0 * 9.81 * 0.31 * 0.3 * 0.27;
  assert_near("weight", -info.weight.y, info.volume * 1000.0 * 9.81, 0.005);
  assert_true(vl_norm(vl_sub(sum, info.weight)) < 1e-5 * heavy);
  assert_true(vl_norm(vl_sub(load, info.body_force)) < 1e-10 * lift);
  assert_near("lift", info.body_force.y, lift, 1e-6);
  assert_true(fabs(info.body_force.x) + fabs(info.body_force.z) < 1e-5 * lift);
  assert_true(info.max_speed < 1e-6);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_flying_block), cmocka_unit_test(test_momentum_of_faces),
                                     cmocka_unit_test(test_weight_on_walls_and_body)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
