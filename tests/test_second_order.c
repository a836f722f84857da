/* time.scheme: leapfrog (docs/theory/time.md): order and amplitude of bodies that swing with water on them, with equal steps
 * and with unequal ones; still water stays still, splashes stay in bounds, runs go on with the same bits; what does not go
 * with it is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "../validate/swings.h"
#include "engine/sharp/sharp.h"

enum { MOST_STEPS = 2000 };

static const double PI = 3.14159265358979323846;

static void trace(const Swing *swing, const SwingScheme *scheme, double dt, int steps, double *y)
{
  vlStatus status = {0};
  if (!swing_trace(swing, scheme, dt, steps, y, &status)) fail_msg("%s: %s", swing->name, status.message);
}

/* Where it is after five quarters of a period, in so many steps. */
static double place_after(const Swing *swing, const SwingScheme *scheme, int steps)
{
  static double y[MOST_STEPS];
  trace(swing, scheme, 1.25 * swing->period / steps, steps, y);
  return y[steps - 1];
}

/* Of what one halving of the steps changes and what the next does. */
static double observed_order(const Swing *swing, const SwingScheme *scheme, int steps)
{
  double coarse = place_after(swing, scheme, steps), middle = place_after(swing, scheme, 2 * steps),
         fine = place_after(swing, scheme, 4 * steps);
  return log2(fabs(coarse - middle) / fabs(middle - fine));
}

static void places_are_of_second_order(void **state)
{
  (void)state;
  /* higher shapes, of which the bar starts with a little, die out: the step does not resolve them */
  const SwingScheme damped = {"leapfrog, damped", {"time.scheme=leapfrog", "bodies[0].stiffness_damping=1e-3"}};
  double bar = observed_order(&swing_bar, &damped, 40), box = observed_order(&swing_float, &swing_leapfrog, 40);
  if (!(bar >= 1.9 && box >= 1.9)) fail_msg("orders %g and %g", bar, box);
  assert_true(observed_order(&swing_float, &swing_euler, 40) <= 1.3); /* so it can be told */
}

/* At 350 steps a period, where backward Euler takes 5.4 % and BDF2 of the body alone 1.5. */
static void amplitudes_stay(void **state)
{
  (void)state;
  enum { STEPS = 350 };
  static double y[MOST_STEPS];
  const Swing *const swings[] = {&swing_bar, &swing_float};
  for (int i = 0; i < 2; i++) {
    double dt = swings[i]->period / STEPS;
    trace(swings[i], &swing_leapfrog, dt, 3 * STEPS / 2, y);
    SwingFit fit = swing_fit(y, 3 * STEPS / 2, STEPS / 6, dt);
    if (!(fabs(fit.loss) <= 1e-3)) fail_msg("%s: loses %g in a period", swings[i]->name, fit.loss);
    assert_true(fabs(fit.period / swings[i]->period - 1.0) <= 0.01);
  }
}

static const char *const dry_bar =
    "grid: {size: [1, 0.5], cells: 10, slab: yes, origin: [0, -0.25]}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: [{name: bar, shape: box, center: [0.5, 0], size: [1, 0.1], cells: [10, 1], element: quadratic, density: 1000, "
    "young: 1e6, poisson: 0, mass_damping: %g, stiffness_damping: %g, modes: [{mode: 1, amplitude: 1e-4}],\n"
    "  pins: [{shape: box, center: [0, 0], size: [0.001, 1]}, {shape: box, center: [1, 0], size: [0.001, 1]}]}]\n";

static SwingFit swing_of_dry_bar(double mass_damping, double stiffness_damping, int steps)
{
  static double y[MOST_STEPS];
  char text[1024];
  snprintf(text, sizeof text, dry_bar, mass_damping, stiffness_damping);
  const Swing dry = {"dry bar", text, 0.32, false};
  double dt = dry.period / steps;
  trace(&dry, &swing_leapfrog, dt, 4 * steps, y);
  return swing_fit(y, 4 * steps, steps / 6, dt);
}

static void assert_part(double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance * fabs(wanted))) fail_msg("%g instead of %g", found, wanted);
}

static double lost_by_vortex(const SwingScheme *scheme)
{
  vlStatus status = {0};
  double loss = vortex_loss(scheme, 25, &status);
  if (isnan(loss)) fail_msg("%s", status.message);
  return loss;
}

/* The pressure turns it and takes nothing away. */
static void a_vortex_keeps_turning(void **state)
{
  (void)state;
  double loss = lost_by_vortex(&swing_leapfrog), euler = lost_by_vortex(&swing_euler);
  if (!(fabs(loss) <= 0.01 && euler >= 0.05)) fail_msg("loses %g in a turn, with euler %g", loss, euler);
}

/* By as much as theory says (docs/theory/time.md). */
static void a_body_alone_loses_next_to_nothing(void **state)
{
  (void)state;
  SwingFit fit = swing_of_dry_bar(0.0, 0.0, 40);
  assert_part(fit.loss, 0.1 * PI * pow(2.0 * PI / (40 * fit.period / 0.32), 3), 0.15);
}

/* 1 - exp(-(tau_m + tau_k omega^2) T/2) */
static void damping_takes_what_it_should(void **state)
{
  (void)state;
  double omega = 2.0 * PI / swing_of_dry_bar(0.0, 0.0, 80).period;
  assert_part(swing_of_dry_bar(0.5, 0.0, 80).loss, 1.0 - exp(-0.25 * 2.0 * PI / omega), 0.02);
  assert_part(swing_of_dry_bar(0.0, 2e-3, 80).loss, 1.0 - exp(-1e-3 * omega * 2.0 * PI), 0.02);
}

/* Steps by turns longer and shorter, by two fifths. */
static double unequal_place(const Swing *swing, int steps)
{
  vlStatus status = {0};
  double mean = 1.25 * swing->period / steps;
  vlSim *sim = swing_start(swing, &swing_leapfrog, mean, &status);
  if (!sim) fail_msg("%s", status.message);
  for (int s = 0; s < steps; s++) {
    double part = s % 2 ? 0.8 : 1.2;
    for (double left = part * mean; left > 1e-6 * mean; left -= mean)
      if (vl_sim_step(sim, fmin(left, mean), NULL, &status)) fail_msg("%s", status.message);
  }
  double y = vl_sim_body(sim, 0).info.center.y;
  vl_sim_destroy(&sim);
  return y;
}

static void unequal_steps_too(void **state)
{
  (void)state;
  double y[3];
  for (int i = 0; i < 3; i++) y[i] = unequal_place(&swing_float, 32 << i);
  double order = log2(fabs(y[0] - y[1]) / fabs(y[1] - y[2]));
  if (!(order >= 1.8)) fail_msg("order %g", order);
}

static vlSim *start_with(const char *text, int threads)
{
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  const vlSetting settings[] = {{"time.scheme=leapfrog"}};
  if (vl_scene_parse(&scene, text, strlen(text), "test.yaml", settings, 1, &status)) fail_msg("%s", status.message);
  if (vl_sim_create(&sim, &scene, (vlSimOptions){.threads = threads}, &status)) fail_msg("%s", status.message);
  vl_scene_clear(&scene);
  return sim;
}

static void one_step(vlSim *sim, double limit, vlStepInfo *info)
{
  vlStatus status = {0};
  if (vl_sim_step(sim, limit, info, &status)) fail_msg("%s", status.message);
}

/* Places are exact in free fall, whatever the steps, from the start and from where all was made to stand still. */
static void free_fall_is_exact(void **state)
{
  (void)state;
  vlStepInfo info;
  vlSim *sim =
      start_with("grid: {size: [1, 4], cells: 32, slab: yes}\n"
                 "bodies: [{name: stone, rigid: yes, shape: box, center: [0.5, 3.5], size: [0.2, 0.2], density: 2000}]\n",
                 1);
  for (int again = 0; again < 2; again++) {
    double start = vl_sim_time(sim), y = vl_sim_body(sim, 0).info.center.y;
    for (int s = 0; s < 12; s++) one_step(sim, s % 3 ? 0.01 : 0.03, &info);
    double fallen = y - vl_sim_body(sim, 0).info.center.y, time = vl_sim_time(sim) - start;
    assert_part(fallen, 0.5 * 9.81 * time * time, 1e-12);
    vl_sharp_halt(sim);
  }
  vl_sim_destroy(&sim);
}

/* Forces act from middle to middle of the steps: of one that comes and goes in between nothing is lost. */
static void pushes_give_their_momentum(void **state)
{
  (void)state;
  vlStepInfo info;
  vlSim *sim = start_with("grid: {size: [1, 1, 1], cells: 8}\ngravity: [0, 0, 0]\n"
                          "bodies: [{name: ball, rigid: yes, shape: sphere, center: [0.5, 0.5, 0.5], radius: 0.2, mass: 30, "
                          "pushes: [{force: [12, 0, 0], start: 0.013, end: 0.047}]}]\n",
                          1);
  for (int s = 0; s < 10; s++) one_step(sim, s % 3 ? 0.01 : 0.006, &info);
  assert_part(vl_sim_body(sim, 0).info.momentum.x, 12.0 * 0.034, 1e-12);
  vl_sim_destroy(&sim);
}

/* Whatever the steps' lengths. */
static void rest_stays_rest(void **state)
{
  (void)state;
  vlStepInfo info;
  vlSim *sim = start_with("grid: {size: [1, 1], cells: 16, slab: yes}\n"
                          "liquid: {level: 0.61, transfer: still}\nchecks: 3\npressure: {tolerance: 1e-12}\n"
                          "bodies: [{name: neutral, rigid: yes, rigid_mass: slice, shape: box, center: [0.5, 0.3], size: "
                          "[0.3, 0.2], density: 1000}]\n",
                          1);
  for (int s = 0; s < 12; s++) one_step(sim, s % 3 ? 0.004 : 0.009, &info);
  if (!(info.max_speed <= 1e-10)) fail_msg("%g m/s", info.max_speed);
  assert_true(fabs(info.wall_force.y + info.body_force.y - info.weight.y) <= 1e-9 * fabs(info.weight.y));
  vl_sim_destroy(&sim);
}

static const char *const splash =
    "grid: {size: [1, 0.8], cells: 24, slab: yes}\n"
    "liquid: {shapes: [{shape: box, center: [0.15, 0.3], size: [0.3, 0.6]}]}\nchecks: 2\n"
    "bodies:\n"
    "  - {name: fin, shape: box, center: [0.6, 0.15], size: [0.06, 0.3], cells: [1, 4], "
    "element: quadratic, density: 1100, young: 4e5,\n"
    "     pins: [{shape: box, center: [0.6, 0], size: [0.2, 0.02]}]}\n"
    "  - {name: block, rigid: yes, shape: box, center: [0.42, 0.06], size: [0.1, 0.1], density: "
    "300}\n";

/* A column breaks over an elastic fin and a light block: nothing gains energy beyond what lagging velocities are off by. */
static void splashes_stay_in_bounds(void **state)
{
  (void)state;
  vlStepInfo info;
  vlSim *sim = start_with(splash, 1);
  double most = 1000 * 9.81 * 0.6 * 0.3 * 0.6 / 24; /* J: about the floor; by far more than the column can give */
  for (int s = 0; s < 150; s++) {
    one_step(sim, 0.01, &info);
    vlBodyInfo fin = vl_sim_body(sim, 0).info, block = vl_sim_body(sim, 1).info;
    assert_true(info.kinetic_energy + fin.kinetic_energy + fin.elastic_energy + block.kinetic_energy < 0.5 * most);
    assert_true(info.inverted == 0);
  }
  vl_sim_destroy(&sim);
}

/* On another number of threads too. Steps of changing length: how far before the end velocities are is a part of the state.
 */
static void resumed_runs_have_the_same_bits(void **state)
{
  (void)state;
  char folder[] = "/tmp/vl_second_XXXXXX", path[64];
  vlStatus status = {0};
  vlStepInfo info;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/one", folder);
  vlSim *a = start_with(splash, 1), *b = start_with(splash, 2);
  for (int s = 0; s < 20; s++) one_step(a, s % 3 ? 0.004 : 0.007, &info);
  if (vl_sim_save(a, path, &status) || vl_sim_resume(b, path, &status)) fail_msg("%s", status.message);
  for (int s = 0; s < 10; s++) {
    one_step(a, 0.003, &info);
    one_step(b, 0.003, &info);
  }
  vlParticleView p = vl_sim_particles(a), q = vl_sim_particles(b);
  assert_true(p.count == q.count && p.count > 300);
  for (int axis = 0; axis < 2; axis++) {
    assert_memory_equal(p.x[axis], q.x[axis], p.count * sizeof(float));
    assert_memory_equal(p.v[axis], q.v[axis], p.count * sizeof(float));
  }
  for (int i = 0; i < 2; i++) {
    vlBodyView x = vl_sim_body(a, i), y = vl_sim_body(b, i);
    assert_memory_equal(x.x, y.x, (size_t)x.node_count * sizeof *x.x);
    assert_memory_equal(x.v, y.v, (size_t)x.node_count * sizeof *x.v);
  }
  vl_sim_destroy(&a);
  vl_sim_destroy(&b);
  unlink(path);
  rmdir(folder);
}

static void assert_refused(const char *setting, const char *words)
{
  vlScene scene;
  vlStatus status = {0};
  const vlSetting settings[] = {{"time.scheme=leapfrog"}, {setting}};
  if (!vl_scene_parse(&scene, splash, strlen(splash), "splash.yaml", settings, 2, &status)) fail_msg("%s is taken", setting);
  if (!strstr(status.message, words)) fail_msg("'%s' is not said in: %s", words, status.message);
}

static void what_moves_bodies_apart_is_refused(void **state)
{
  (void)state;
  assert_refused("solver.coupling=weak", "time.scheme: leapfrog moves them together");
  assert_refused("solver.coupling=damping_only", "allowed with leapfrog: schur, spd, indefinite, minres");
  assert_refused("bodies[0].integrator=bdf2", "leave out integrator");
  assert_refused("bodies[0].integrator=backward_euler", "leave out integrator");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_are_of_second_order),
      cmocka_unit_test(amplitudes_stay),
      cmocka_unit_test(a_body_alone_loses_next_to_nothing),
      cmocka_unit_test(damping_takes_what_it_should),
      cmocka_unit_test(a_vortex_keeps_turning),
      cmocka_unit_test(free_fall_is_exact),
      cmocka_unit_test(unequal_steps_too),
      cmocka_unit_test(pushes_give_their_momentum),
      cmocka_unit_test(rest_stays_rest),
      cmocka_unit_test(splashes_stay_in_bounds),
      cmocka_unit_test(resumed_runs_have_the_same_bits),
      cmocka_unit_test(what_moves_bodies_apart_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
