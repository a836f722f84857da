/* Rigid bodies of all densities let go in a closed box full of liquid: nothing blows up, and energy only falls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solid/rigid_body.h"
#include "wet_body.h"

/* J: of the body, and of liquid that is where the body is not. */
static double potential(const vlBody *body, double volume, vlVec3 gravity)
{
  return -(vl_rigid_of(body)->mass - 1000.0 * volume) * vl_dot(gravity, vl_rigid_of(body)->pose.center);
}

/* In a full closed box all that can give energy is the body that sinks or rises. What liquid and body have in motion is
 * never more than what was released, but for 2 % of it, since the liquid's potential is told by the body's volume here and
 * by its slices in the solve, and at the start a thousandth of what a fall through a cell gives. */
static void test_energy_falls(void **state)
{
  (void)state;
  static const struct {
    double ratio;
    bool round;
  } cases[] = {{0.001, false}, {0.001, true}, {0.1, true}, {0.5, false}, {2.0, true}, {100.0, false}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    vlBodyDef body = turned_box(vl_vec(0.47, 0.55, 0.52), vl_vec(0.31, 0.23, 0.27), 1);
    body.kind = VL_BODY_RIGID;
    if (cases[c].round) {
      body.shape = VL_BODY_SPHERE;
      body.solid.radius = 0.17;
    }
    body.density = 1000.0 * cases[c].ratio;
    vlScene scene = coupled_scene(10, &body);
    scene.liquid.has_level = true;
    scene.liquid.level = 2.0;
    scene.liquid.transfer = VL_TRANSFER_FLIP;
    scene.pressure.tolerance = 1e-8;
    scene.check_level = 1;
    vlSim *sim = start_with(&scene, 1);
    const vlBody *b = vl_sharp(sim)->state.bodies.body[0];
    double volume = vl_rigid_of(b)->mass / body.density, first = potential(b, volume, scene.gravity), worst = -1.0,
           most = 0.0;
    double slack = 1e-3 * fabs(vl_rigid_of(b)->mass - 1000.0 * volume) * 9.81 * vl_sharp(sim)->grid.dx;
    for (int s = 0; s < 100; s++) {
      vlStepInfo info = step(sim);
      double moving = info.kinetic_energy + vl_body_measure(b, scene.gravity).kinetic;
      double released = first - potential(b, volume, scene.gravity);
      worst = fmax(worst, (moving - slack) / fmax(released, 1e-300));
      most = fmax(most, vl_norm(vl_rigid_velocity(vl_rigid_of(b))));
    }
    print_message("ratio %g: at most %.3f of what was released, fastest %.3g m/s\n", cases[c].ratio, worst, most);
    assert_true(worst <= 1.02);
    assert_true(most > 0.3 && most < 5.0);
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy_falls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
