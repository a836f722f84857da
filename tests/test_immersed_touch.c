/* What bodies in the medium do where they touch: each other, walls, solids and scripted bodies; friction; liquid that stays
 * out of them and in a thin cup; a hand that holds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "immersed_scene.h"

static bool in_body(const vlBody *body, vlVec3 x)
{
  for (int e = 0; e < body->element_count; e++)
    if (in_element(body, e, x)) return true;
  return false;
}

static int particles_in(const vlSim *sim, int b)
{
  vlParticleView p = vl_sim_particles(sim);
  int count = 0;
  for (size_t i = 0; i < p.count; i++)
    count +=
        in_body(body_at(sim, b), vl_axpy(p.origin, p.dx, vl_vec((double)p.x[0][i], (double)p.x[1][i], (double)p.x[2][i])));
  return count;
}

static int grains_in(const vlSim *sim, int of, int b)
{
  const vlGrains *g = &((const vlReduced *)body_at(sim, of))->grains;
  int count = 0;
  for (int i = 0; i < g->count; i++) count += in_body(body_at(sim, b), g->x[i]);
  return count;
}

/* Two balls held against each other stay out of each other. */
static void test_pressed(void **state)
{
  (void)state;
  vlSim *sim =
      immersed("{engine: immersed, grid: {cells: 16}, gravity: [0, 0, 0], bodies: [{name: a, shape: sphere, center: "
               "[0.27, 0.5, 0.5], radius: 0.2, cell: 0.07, young: 1e5, pushes: [{force: [100, 0, 0]}]}, {name: b, "
               "shape: sphere, center: [0.73, 0.5, 0.5], radius: 0.2, cell: 0.07, young: 1e5, pushes: [{force: "
               "[-100, 0, 0]}]}]}",
               1);
  int most = 0;
  for (int s = 0; s < 300; s++) {
    one_step(sim, 1.0 / 60.0);
    if (s % 30 == 29) most = (int)fmax(most, grains_in(sim, 0, 1) + grains_in(sim, 1, 0));
  }
  print_message("pressed together for 5 s: %d grains inside at most, %d at the end\n", most,
                grains_in(sim, 0, 1) + grains_in(sim, 1, 0));
  assert_int_equal(grains_in(sim, 0, 1) + grains_in(sim, 1, 0), 0);
  for (int b = 0; b < 2; b++) assert_true(fabs(info_of(sim, b).volume / first_volume(sim, b) - 1.0) < 0.03);
  vl_sim_destroy(&sim);
}

/* A box that falls on the floor at 2.2 m/s is strained by about v/c = 0.13, c = sqrt(young/density), as in short steps,
 * comes to rest on it and is borne by it; a ball that falls into water is hardly strained. */
static void test_dropped(void **state)
{
  (void)state;
  vlSim *sim =
      immersed("{engine: immersed, grid: {cells: 16}, bodies: [{name: a, shape: box, center: [0.5, 0.4, 0.5], size: "
               "[0.3, 0.3, 0.3], cell: 0.075, young: 3e5, density: 1000}]}",
               1);
  double strain = 0.0, borne = 0.0;
  int inverted = 0;
  for (int s = 0; s < 180; s++) {
    one_step(sim, 1.0 / 60.0);
    strain = fmax(strain, strain_of(body_at(sim, 0)));
    inverted += info_of(sim, 0).inverted;
    vlVec3 force = vl_add(info_of(sim, 0).load_force, info_of(sim, 0).contact_force);
    if (s >= 120) borne += force.y / (60.0 * 9.81 * info_of(sim, 0).mass);
  }
  print_message("dropped: strain %.3f, %d inverted, borne with %.3f of its weight, middle at %.4f m; strain %.3f at rest\n",
                strain, inverted, borne, info_of(sim, 0).center.y, strain_of(body_at(sim, 0)));
  assert_true(strain < 0.2 && inverted == 0 && strain_of(body_at(sim, 0)) < 0.05);
  assert_true(fabs(borne - 1.0) < 0.03);
  assert_true(fabs(info_of(sim, 0).center.y - 0.15) < 0.01); /* a sixth of a cell */
  assert_true(fabs(info_of(sim, 0).volume / first_volume(sim, 0) - 1.0) < 0.02);
  vl_sim_destroy(&sim);
  sim = immersed(floating(16, 660, 0.78), 1);
  inverted = 0;
  strain = 0.0;
  for (int s = 0; s < 90; s++) {
    one_step(sim, 1.0 / 60.0);
    strain = fmax(strain, strain_of(body_at(sim, 0)));
    inverted += info_of(sim, 0).inverted;
  }
  print_message("dropped into water: strain %.3f at most\n", strain);
  assert_true(strain < 0.2 && inverted == 0);
  vl_sim_destroy(&sim);
}

/* m/s2: of a block on a slope of 20 degrees, along it, once it lies; its speed in the end. */
static double slides(const char *solid, vlVec3 gravity, double friction, double angle, double height, double *speed)
{
  char text[1024];
  snprintf(
      text, sizeof text,
      "{engine: immersed, grid: {size: [1.5, 1, 0.5], cells: 36}, gravity: [%.9g, %.9g, 0]%s, bodies: [{name: a, shape: "
      "box, center: [0.35, %g, 0.25], size: [0.25, 0.25, 0.25], rotate: z %g, cell: 0.0625, young: 3e5, density: 1000, "
      "mass_damping: 0, friction: %g}]}",
      gravity.x, gravity.y, solid, height, angle, friction);
  vlSim *sim = immersed(text, 1);
  while (vl_sim_time(sim) < 0.3 - 1e-9) one_step(sim, 1.0 / 60.0);
  double first = vl_norm(info_of(sim, 0).velocity);
  while (vl_sim_time(sim) < 0.6 - 1e-9) one_step(sim, 1.0 / 60.0);
  *speed = vl_norm(info_of(sim, 0).velocity);
  vl_sim_destroy(&sim);
  return (*speed - first) / 0.3;
}

static void test_friction(void **state)
{
  (void)state;
  const double g = 9.81, slope = 20.0 * 3.14159265 / 180.0, friction[] = {0.0, 0.2, 0.5};
  const char *solid = ", solids: [{shape: halfspace, center: [0.75, 0.3, 0.25], normal: [0.34202, 0.939693, 0]}]";
  const double height = 0.3 + 0.4 * tan(slope) + 0.13 / cos(slope);
  for (int k = 0; k < 3; k++) {
    double speed[2], a = fmax(0.0, g * (sin(slope) - friction[k] * cos(slope)));
    double flat = slides("", vl_vec(g * sin(slope), -g * cos(slope), 0), friction[k], 0, 0.128, &speed[0]);
    double steep = slides(solid, vl_vec(0, -g, 0), friction[k], -20, height, &speed[1]);
    print_message("friction %g: %.3g m/s2 on the floor, %.3g on a solid, of %.3g; %.3g and %.3g m/s\n", friction[k], flat,
                  steep, a, speed[0], speed[1]);
    if (a > 0.0)
      assert_true(fabs(flat - a) < 0.1 && fabs(steep - a) < 0.1); /* a thirtieth of g sin */
    else
      assert_true(speed[0] < 0.05 && speed[1] < 0.05); /* without friction 2 m/s */
  }
}

/* Particles of liquid in the wall of a cup that is filled to two thirds, less than two cells thick, in the mean of the
 * second half of a second; how many are outside of it then. */
static double in_wall(const char *more, int *outside)
{
  char text[1024];
  snprintf(
      text, sizeof text,
      "{engine: immersed, grid: {cells: 20}, liquid: {shapes: [{shape: cylinder, center: [0.5, 0.32, 0.5], radius: 0.21, "
      "height: 0.4}]}, bodies: [{name: cup, shape: difference, center: [0.5, 0.02, 0.5], parts: [{shape: cylinder, "
      "center: [0, 0.3, 0], radius: 0.3, height: 0.6}, {shape: cylinder, center: [0, 0.5, 0], radius: 0.21, height: "
      "0.8}], cell: 0.05, young: 3e5, density: 800}]%s}",
      more);
  vlSim *sim = immersed(text, 1);
  double inside = 0.0;
  for (int s = 0; s < 60; s++) {
    one_step(sim, 1.0 / 60.0);
    if (s >= 30 && s % 10 == 9) inside += particles_in(sim, 0) / 3.0;
  }
  vlParticleView p = vl_sim_particles(sim);
  vlVec3 c = info_of(sim, 0).center;
  *outside = 0;
  for (size_t i = 0; i < p.count; i++)
    *outside += hypot((double)p.x[0][i] * p.dx - c.x, (double)p.x[2][i] * p.dx - c.z) > 0.32;
  assert_true(p.count > 3000);
  vl_sim_destroy(&sim);
  return inside;
}

/* Liquid stays out of a ball, and in a cup and not in its wall. */
static void test_liquid(void **state)
{
  (void)state;
  vlSim *sim = immersed(floating(16, 540, 0.7), 1); /* falls in */
  for (int s = 0; s < 60; s++) one_step(sim, 1.0 / 60.0);
  print_message("in a ball that fell in: %d particles\n", particles_in(sim, 0));
  assert_true(particles_in(sim, 0) <= 5); /* of 1000 that have room there */
  vl_sim_destroy(&sim);
  int out = 0, ignored = 0;
  double with = in_wall("", &out), without = in_wall(", solver: {skins: no}", &ignored);
  print_message("in the wall of a cup: %.0f particles, %.0f without skins; out of it %d\n", with, without, out);
  assert_true(out == 0);
  assert_true(without > 500.0 && with < 0.05 * without); /* of the method: at least nine tenths fewer */
}

/* A scripted plate pushes a body along; a static container holds one. */
static void test_pushed(void **state)
{
  (void)state;
  vlSim *sim =
      immersed("{engine: immersed, grid: {cells: 20}, bodies: [{name: a, shape: sphere, center: [0.45, 0.16, 0.5], "
               "radius: 0.15, cell: 0.06, young: 1e5, density: 700, friction: 0}, {name: plate, shape: box, center: "
               "[0.15, 0.3, 0.5], size: [0.15, 0.6, 0.9], motion: [{move: slide, velocity: [0.4, 0, 0]}]}]}",
               1);
  for (int s = 0; s < 60; s++) one_step(sim, 1.0 / 60.0);
  vlBodyInfo a = info_of(sim, 0);
  print_message("a ball before a plate at 0.625 m: at %.3f m, %.3f m/s\n", a.center.x, a.velocity.x);
  assert_true(a.center.x > 0.625 + 0.1 && a.center.x < 0.9);
  assert_true(a.velocity.x > 0.3);
  vl_sim_destroy(&sim);
  sim = immersed(
      "{engine: immersed, grid: {cells: 20}, liquid: {shapes: [{shape: sphere, center: [0.5, 0.3, 0.5], radius: "
      "0.2}]}, solids: [{shape: difference, center: [0.5, 0.5, 0.5], parts: [{shape: box, size: [2, 2, 2]}, {shape: "
      "sphere, radius: 0.45}]}], bodies: [{name: a, shape: sphere, center: [0.45, 0.6, 0.5], radius: 0.15, cell: "
      "0.06, young: 1e5, density: 900}]}",
      1);
  for (int s = 0; s < 90; s++) one_step(sim, 1.0 / 60.0);
  double far = 0.0;
  const vlBody *body = body_at(sim, 0);
  for (int i = 0; i < body->node_count; i++) far = fmax(far, vl_norm(vl_sub(body->x[i], vl_vec(0.5, 0.5, 0.5))));
  print_message("in a round container: at most %.3f m from the middle of 0.45\n", far);
  assert_true(far < 0.45 + 0.03); /* a spacing of grains */
  assert_int_equal(info_of(sim, 0).inverted, 0);
  vl_sim_destroy(&sim);
}

static vlVec3 momentum_of(const vlSim *sim, int b) { return vl_scale(info_of(sim, b).velocity, info_of(sim, b).mass); }

/* What the grains of two bodies do to each other is equal and opposite, though grains of one have other partners. Before
 * they meet both fly freely, also where the grid between them has a velocity of its own; what the pressure then gives to one
 * it takes from the other but for some hundredths. */
static void test_collides(void **state)
{
  (void)state;
  vlSim *sim = immersed(
      "{engine: immersed, grid: {cells: 16}, gravity: [0, 0, 0], bodies: [{name: a, shape: sphere, center: "
      "[0.27, 0.5, 0.5], radius: 0.2, cell: 0.07, young: 1e5, velocity: [0.5, 0, 0], mass_damping: 0}, {name: b, shape: "
      "box, density: 2000, center: [0.7, 0.55, 0.5], size: [0.3, 0.3, 0.3], cell: 0.07, young: 1e5, "
      "velocity: [-0.2, 0, 0], mass_damping: 0}]}",
      1);
  const vlImmersed *im = vl_immersed(vl_sharp(sim));
  double most = 0.0, left = 0.0, exchanged = 0.0, lost = 0.0, flies = 0.0;
  vlVec3 first[2] = {momentum_of(sim, 0), momentum_of(sim, 1)};
  for (int s = 0; s < 40; s++) {
    one_step(sim, 1.0 / 60.0);
    vlVec3 change[2] = {vl_sub(momentum_of(sim, 0), first[0]), vl_sub(momentum_of(sim, 1), first[1])};
    exchanged = fmax(exchanged, vl_norm(change[0]));
    lost = vl_norm(vl_add(change[0], change[1]));
    if (s == 4) flies = vl_norm(change[0]) / vl_norm(first[0]);
    vlVec3 sum = vl_vec(0, 0, 0);
    for (int b = 0; b < 2; b++) {
      const vlGrains *g = im->guest[b].grains;
      vlVec3 own = vl_vec(0, 0, 0);
      for (int i = 0; i < g->count; i++) own = vl_axpy(own, g->mass / 60.0, g->touch[i]);
      most = fmax(most, vl_norm(own));
      sum = vl_add(sum, own);
    }
    left = fmax(left, vl_norm(sum));
  }
  print_message("two that collide: %.3g N s of contact in a step, their sum %.2g N s\n", most, left);
  print_message("of its momentum one of them loses %.1g while it flies; %.2g kg m/s exchanged, %.3f of it lost\n", flies,
                exchanged, lost / exchanged);
  assert_true(most > 0.1 && left < 1e-9 * most);
  assert_true(flies < 1e-4 && exchanged > 5.0 && lost < 0.08 * exchanged);
  vl_sim_destroy(&sim);
}

/* In vacuum and without gravity a body that spins stays where it is and goes on spinning, about any axis. */
static void test_spins(void **state)
{
  (void)state;
  static const char *const spin[] = {"[0, 0, 3]", "[1, 2, 2]"};
  for (int k = 0; k < 2; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "{engine: immersed, grid: {cells: 16}, gravity: [0, 0, 0], bodies: [{name: a, shape: box, center: [0.5, 0.5, "
             "0.5], size: [0.5, 0.2, 0.2], cell: 0.07, young: 1e5, density: 1000, mass_damping: 0, spin: %s}]}",
             spin[k]);
    vlSim *sim = immersed(text, 1);
    vlVec3 first = info_of(sim, 0).angular_momentum;
    double fastest = 0.0;
    for (int s = 0; s < 60; s++) {
      one_step(sim, 1.0 / 60.0);
      fastest = fmax(fastest, vl_norm(info_of(sim, 0).velocity));
    }
    double kept = vl_dot(info_of(sim, 0).angular_momentum, first) / vl_dot(first, first);
    print_message("spinning in vacuum with %s 1/s: %.3g m/s, %.3f of its spin after 1 s\n", spin[k], fastest, kept);
    assert_true(fastest < 0.005 && kept > 0.96 && kept < 1.005);
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pressed),  cmocka_unit_test(test_dropped),
                                     cmocka_unit_test(test_friction), cmocka_unit_test(test_liquid),
                                     cmocka_unit_test(test_pushed),   cmocka_unit_test(test_spins),
                                     cmocka_unit_test(test_collides)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
