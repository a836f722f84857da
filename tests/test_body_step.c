/* Elastic bodies in moving liquid, through whole steps of the engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "place.h"
#include "wet_body.h"

static vlSim *start_threads(const vlScene *scene, int threads)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  if (vl_sim_create(&sim, scene, (vlSimOptions){.threads = threads}, &status)) fail_msg("%s", status.message);
  return sim;
}

/* A pool with a body in it or above it; FLIP, steps as the engine chooses. */
static vlScene pool(int cells, double level, vlBodyDef *body)
{
  vlScene scene = coupled_scene(cells, body);
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  scene.liquid.has_level = true;
  scene.liquid.level = level;
  scene.pressure.tolerance = 1e-8;
  scene.time.dt_fixed = 0.0;
  return scene;
}

static void assert_same(const vlSim *a, const vlSim *b)
{
  const vlBody *x = vl_sharp(a)->state.bodies.body[0], *y = vl_sharp(b)->state.bodies.body[0];
  const vlParticles *p = vl_sharp(a)->state.particles, *q = vl_sharp(b)->state.particles;
  assert_memory_equal(x->x, y->x, (size_t)x->node_count * sizeof *x->x);
  assert_memory_equal(x->v, y->v, (size_t)x->node_count * sizeof *x->v);
  assert_int_equal(p->count, q->count);
  for (int c = 0; c < 3; c++) assert_memory_equal(p->x[c], q->x[c], p->count * sizeof(float));
}

/* The same bits for one thread, two, and a run that went on from a checkpoint; the body has reached the floor by then, so
 * contact is among what is saved. */
static void test_same_bits(void **state)
{
  const char *path = ((const Place *)*state)->path;
  vlStatus status = {0};
  vlBodyDef body = turned_box(vl_vec(0.5, 0.26, 0.5), vl_vec(0.3, 0.3, 0.3), 2);
  body.density = 4000.0;
  body.velocity = vl_vec(0.2, -2.0, 0.0);
  body.scheme = VL_SCHEME_BDF2;
  vlScene scene = pool(16, 0.4, &body);
  vlSim *one = start_threads(&scene, 1), *two = start_threads(&scene, 2), *resumed = start_threads(&scene, 2);
  for (int s = 0; s < 12; s++) {
    step(one);
    step(two);
    if (s != 6) continue;
    assert_true(vl_sharp(one)->work.contact.active_count > 0);
    assert_int_equal(vl_sim_save(two, path, &status), VL_OK);
    assert_int_equal(vl_sim_resume(resumed, path, &status), VL_OK);
  }
  assert_same(one, two);
  while (vl_sim_step_count(resumed) < vl_sim_step_count(two)) step(resumed);
  assert_same(two, resumed);
  vl_sim_destroy(&one);
  vl_sim_destroy(&two);
  vl_sim_destroy(&resumed);
}

/* A body a thousand times lighter than water, let go below the surface: it rises as fast as the water it moves allows, stays
 * whole, and the water stays calm. It cannot get faster than by all the work of its lift going into half its volume of
 * water, the least that a compact body drags along. */
static void test_light(void **state)
{
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    vlBodyDef body = turned_box(vl_vec(0.5, 0.22, 0.5), vl_vec(0.22, 0.22, 0.22), 3);
    body.density = 1.0;
    body.young = 1e5;
    body.mass_damping = damped * 0.1;
    body.stiffness_damping = damped * 1e-3;
    vlScene scene = pool(20, 0.6, &body);
    vlSim *sim = start(&scene);
    const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
    vlBodyMeasure first = vl_body_measure(e, scene.gravity), now = first;
    int64_t lost = 0;
    while (vl_sim_time(sim) < 0.25) {
      vlStepInfo info = step(sim);
      now = vl_body_measure(e, scene.gravity);
      lost += info.lost;
      assert_true(info.iterations <= 80);
      assert_true(info.max_speed < 4.0);
      assert_true(fabs(now.momentum.y) <= now.mass * (sqrt(4.0 * 9.81 * fmax(0.0, now.center.y - first.center.y)) + 0.5));
      assert_true(now.volume > 0.9 * first.volume && now.volume < 1.1 * first.volume);
      assert_int_equal(e->inverted, 0);
    }
    assert_true(now.center.y > first.center.y + 0.15);
    assert_int_equal(lost, 0);
    vl_sim_destroy(&sim);
  }
}

/* The same by weak coupling: added mass makes every step overshoot by more than the last. */
static void test_weak_fails(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlBodyDef body = turned_box(vl_vec(0.5, 0.22, 0.5), vl_vec(0.22, 0.22, 0.22), 3);
  body.density = 1.0;
  body.young = 1e5;
  vlScene scene = pool(20, 0.6, &body);
  scene.coupling.kind = VL_COUPLING_WEAK;
  vlSim *sim = start(&scene);
  vlCode code = VL_OK;
  double fastest = 0.0;
  for (int s = 0; s < 12 && !code; s++) {
    code = vl_sim_step(sim, INFINITY, NULL, &status);
    if (!code) fastest = fmax(fastest, vl_bodies_fastest(&vl_sharp(sim)->state.bodies));
  }
  assert_true(code || fastest > 20.0);
  vl_sim_destroy(&sim);
}

/* Half as heavy as water: in the end it floats with half its volume below the surface, and no liquid is inside it. */
static void test_floats(void **state)
{
  (void)state;
  vlBodyDef body = turned_box(vl_vec(0.5, 0.5, 0.5), vl_vec(0.3, 0.3, 0.3), 2);
  body.rotation = vl_mat_identity();
  body.density = 500.0;
  body.young = 1e6;
  body.mass_damping = 3.0;
  vlScene scene = pool(16, 0.45, &body);
  vlSim *sim = start(&scene);
  const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  double lift = 0.0, weight = 500.0 * 0.027 * 9.81;
  int count = 0;
  while (vl_sim_time(sim) < 1.6) {
    vlStepInfo info = step(sim);
    if (info.time < 0.8) continue;
    lift += info.body_force.y;
    count++;
  }
  assert_true(fabs(lift / count / weight - 1.0) < 0.05);
  const vlParticles *p = vl_sharp(sim)->state.particles;
  int inside = 0;
  for (size_t i = 0; i < p->count; i++) {
    vlVec3 x = vl_axpy(vl_sharp(sim)->grid.origin, vl_sharp(sim)->grid.dx,
                       vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]));
    /* interpolation between corners rounds the body's edges */
    inside += vl_body_distance_at(&vl_sharp(sim)->work.body_distance, x) < -0.25 * vl_sharp(sim)->grid.dx;
  }
  assert_int_equal(inside, 0);
  /* the pool of 0.45 m less what the body pushes up: the body's middle is at the surface */
  double surface = 0.45 + 0.5 * 0.027;
  assert_true(fabs(vl_body_measure(e, scene.gravity).center.y - surface) < 0.5 * vl_sharp(sim)->grid.dx);
  vl_sim_destroy(&sim);
}

/* Particles that are found deep inside a body are put back before it; none is lost, and the liquid has its volume again
 * before long. */
static void test_rescue(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlBodyDef body = turned_box(vl_vec(0.5, 0.3, 0.5), vl_vec(0.4, 0.3, 0.4), 3);
  vlPinDef pin = {.region = ball(vl_vec(0.5, 0.3, 0.5), 2.0), .axes = 7, .end = INFINITY};
  body.pins = &pin;
  body.pin_count = 1;
  vlScene scene = pool(20, 0.6, &body);
  vlSim *sim = start(&scene);
  vlStepInfo info = step(sim);
  int64_t particles = info.particles;
  double volume = info.volume;
  vlParticles *p = vl_sharp(sim)->state.particles;
  for (int i = 0; i < 400; i++)
    for (int a = 0; a < 3; a++) p->x[a][7 * i] = (float)((body.center.v[a] + 0.05 * sin(3.0 * i + a)) * 20.0);
  info = (vlStepInfo){0};
  assert_int_equal(vl_body_step_rescue(vl_sharp(sim), &info, &status), VL_OK);
  assert_int_equal(info.rescued, 400);
  assert_int_equal(info.lost, 0);
  for (int i = 0; i < 400; i++) {
    vlVec3 x = vl_scale(vl_vec((double)p->x[0][7 * i], (double)p->x[1][7 * i], (double)p->x[2][7 * i]), 0.05);
    assert_true(vl_body_distance_at(&vl_sharp(sim)->work.body_distance, x) > 0.05 * vl_sharp(sim)->grid.dx);
  }
  while (vl_sim_time(sim) < 0.5) info = step(sim);
  assert_int_equal(info.particles, particles);
  assert_true(fabs(info.volume / volume - 1.0) < 0.02);
  vl_sim_destroy(&sim);
}

/* Without liquid: a soft block falls on the floor, none of its nodes passes it, and it comes to rest on it. */
static void test_floor(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    vlBodyDef body = turned_box(vl_vec(0.5, 0.4, 0.5), vl_vec(0.3, 0.2, 0.3), 3);
    body.young = 5e4;
    body.scheme = kind ? VL_SCHEME_BDF2 : VL_SCHEME_BACKWARD_EULER;
    body.mass_damping = 2.0;
    body.stiffness_damping = 5e-3;
    vlScene scene = pool(16, -1.0, &body);
    scene.time.dt_max = 0.005;
    vlSim *sim = start(&scene);
    const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
    double lowest = 1.0;
    while (vl_sim_time(sim) < 2.0) {
      step(sim);
      for (int i = 0; i < e->node_count; i++) lowest = fmin(lowest, e->x[i].y);
    }
    vlBodyMeasure now = vl_body_measure(e, scene.gravity);
    assert_true(lowest > -0.05 * vl_sharp(sim)->grid.dx);
    assert_true(vl_norm(now.momentum) < 0.02 * now.mass);
    assert_true(now.center.y < 0.16 && now.center.y > 0.05);
    vl_sim_destroy(&sim);
  }
}

/* Liquid slides down a plate at 30 degrees as on ice: g sin 30 within 2 % over 0.2 s. */
static void test_free_slip(void **state)
{
  (void)state;
  const double tilt = -VL_PI / 6.0, length = 0.5, depth = 0.12;
  vlVec3 along = vl_vec(cos(tilt), sin(tilt), 0), up = vl_vec(-sin(tilt), cos(tilt), 0);
  vlBodyDef plate = turned_box(vl_vec(0.9, 0.5, 0), vl_vec(1.6, 0.1, 1), 1);
  plate.rotation = vl_mat_rotation(2, tilt);
  plate.cells[0] = 8;
  vlPinDef pin = {.region = ball(vl_vec(0.9, 0.5, 0), 5.0), .axes = 7, .end = INFINITY};
  plate.pins = &pin;
  plate.pin_count = 1;
  vlScene scene = pool(100, -1.0, &plate);
  scene.grid.size = vl_vec(1.8, 1.2, 1);
  scene.grid.slab = true;
  vlShape liquid = vl_shape_default(VL_SHAPE_BOX);
  liquid.center = vl_axpy(vl_axpy(plate.center, -0.4, along), 0.05 + 0.5 * depth - 0.02, up);
  liquid.rotation = plate.rotation;
  liquid.size = vl_vec(length, depth + 0.04, 1);
  scene.liquid.shapes = &liquid;
  scene.liquid.shape_count = 1;
  vlSim *sim = start(&scene);
  vlStepInfo info = {0};
  while (vl_sim_time(sim) < 0.2) info = step(sim);
  double speed = vl_dot(info.momentum, along) / (1000.0 * info.particle_volume), wanted = 0.5 * 9.81 * info.time;
  assert_true(info.particles > 600);
  assert_true(fabs(speed / wanted - 1.0) < 0.02);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_same_bits, make_place, remove_place),
      cmocka_unit_test(test_light),
      cmocka_unit_test(test_weak_fails),
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_floor),
      cmocka_unit_test(test_rescue),
      cmocka_unit_test(test_free_slip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
