/* Liquid that lets go of walls: p >= 0, net outflow >= 0, one of them zero; and what follows from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wet_body.h"

static vlScene tank(int cells)
{
  vlScene scene = coupled_scene(cells, NULL);
  scene.separation = true;
  scene.dt_fixed = 0.01;
  return scene;
}

static vlShape block(vlVec3 center, vlVec3 size)
{
  vlShape shape = vl_shape_default(VL_SHAPE_BOX);
  shape.center = center;
  shape.size = size;
  return shape;
}

/* Over all liquid cells at walls: least pressure over the largest, largest net inflow over the largest outflow that was to
 * be removed, and the largest product of both, as the solve left them. */
static void assert_complementary(const vlSim *sim, double tolerance)
{
  const vlSeparation *s = &sim->work.separation;
  const vlPressure *p = sim->work.pressure;
  double most = 0.0, removed = 0.0;
  for (size_t i = 0; i < vl_stencil_length(&p->stencil); i++) {
    most = fmax(most, fabs(p->p[i]));
    removed = fmax(removed, fabs(p->b[i]) * sim->scene->dt_fixed / (1000.0 * sim->grid.dx * sim->grid.dx));
  }
  assert_true(s->loops <= 10);
  assert_true(s->worst_pull <= tolerance * most);
  assert_true(s->worst_gain <= tolerance * removed);
}

/* A slab that hangs from the ceiling, wall to wall: the equality holds it up by its pull, the inequality lets it fall. */
static void test_ceiling(void **state)
{
  (void)state;
  for (int separating = 0; separating < 2; separating++) {
    vlScene scene = tank(16);
    scene.separation = separating;
    vlShape slab = block(vl_vec(0.5, 1.0, 0.5), vl_vec(2, 0.63, 2));
    scene.liquid.shapes = &slab;
    scene.liquid.shape_count = 1;
    vlSim *sim = start(&scene);
    vlStepInfo info = step(sim);
    double fall = 9.81 * 0.01;
    assert_true(info.max_speed <= (separating ? 1.01 : 0.01) * fall);
    if (separating) {
      assert_complementary(sim, 1e-9);
      const vlGrid *g = &sim->grid; /* still liquid: the velocities after the step stand in u_old */
      for (int k = 0; k < 16; k++)
        for (int j = 12; j < 16; j++)
          for (int i = 0; i < 16; i++) assert_true(fabs(sim->state.u_old[1][vl_grid_at(g, i, j, k)] + fall) <= 0.01 * fall);
    }
    vl_sim_destroy(&sim);
  }
}

/* Liquid thrown against a wall and sliding off it, in a corner, on a ball: conditions hold in every step. */
static void test_thrown(void **state)
{
  (void)state;
  for (int way = -1; way <= 1; way += 2) {
    vlScene scene = tank(20);
    vlShape blob = ball(vl_vec(0.18, 0.7, 0.4), 0.25);
    vlSolidDef post = {.shape = ball(vl_vec(0.3, 0.45, 0.5), 0.15)};
    post.shape.radius = 0.15;
    scene.solids = &post;
    scene.solid_count = 1;
    scene.liquid.shapes = &blob;
    scene.liquid.shape_count = 1;
    scene.liquid.velocity = vl_vec(3.0 * way, 0.5, 0.0);
    vlSim *sim = start(&scene);
    set_velocity(sim, scene.liquid.velocity);
    step(sim);
    assert_complementary(sim, 1e-9);
    /* away from the wall all of it goes; towards it some stays and is pushed */
    assert_true(sim->work.separation.count > (way > 0 ? 20 : 0));
    vl_sim_destroy(&sim);
  }
}

/* Water at rest and a full tank: nothing pulls, nothing parts, the solution is that of the equality. */
static void test_rest(void **state)
{
  (void)state;
  double level[] = {0.53, 2.0};
  for (int full = 0; full < 2; full++) {
    vlScene scene = tank(16);
    scene.liquid.has_level = true;
    scene.liquid.level = level[full];
    vlSim *sim = start(&scene);
    vlStepInfo info = step(sim);
    assert_int_equal(sim->work.separation.count, 0);
    assert_true(info.max_speed <= 1e-9);
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ceiling), cmocka_unit_test(test_thrown),
                                     cmocka_unit_test(test_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
