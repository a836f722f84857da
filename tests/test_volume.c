/* Volume that liquid is to gain: the velocity of places has just that outflow, walls feel nothing of it, liquid without air
 * shares it out; and the first accelerations of bodies and the force on walls are those without it, for steps of any length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "moving.h"
#include "tank.h"

/* w = path - u has the outflow that was asked for in liquid with air, to the tolerance of its solve, and none that the mean
 * of a region without air would not have. */
static void places_gain_volume(void **state)
{
  (void)state;
  for (int full = 0; full < 2; full++) {
    Tank t;
    uint64_t seed = 14;
    vlStatus status = {0};
    tank_noise(&t, 7, 15, full);
    tank_random_flow(&t, 16);
    vlFluid fluid = tank_fluid(&t);
    if (vl_pressure_assemble(t.pressure, &fluid, &status)) fail_msg("%s", status.message);
    vl_pressure_rhs(t.pressure, &fluid, t.u_star, NULL, t.dt, t.rho);
    double *excess = vl_field_create(&t.grid), *w[3], wanted = 0.0, off = 0.0;
    for (int k = 0; k < 7; k++)
      for (int j = 0; j < 9; j++)
        for (int i = 0; i < 37; i++) excess[vl_grid_at(&t.grid, i, j, k)] = random_between(&seed, -0.1, 0.3);
    vlGrowth growth = {.excess = excess, .shares = vl_density_shares(1.0), .dt = t.dt, .q = t.p};
    if (vl_pressure_grow(t.pressure, &fluid, growth, t.u_star, NULL, t.u, &status)) fail_msg("%s", status.message);
    for (int a = 0; a < 3; a++) {
      w[a] = vl_field_create(&t.grid);
      for (size_t i = 0; i < t.grid.length; i++) w[a][i] = t.u[a][i] - t.u_star[a][i];
    }
    double mean = 0.0, room = 0.0;
    for (int pass = full ? 0 : 1; pass < 2; pass++)
      for (int b = 0; b < t.wet.count; b++) {
        double outflow[VL_BLOCK] = {0};
        vl_links_outflow(&t.pressure->links, &fluid, b, w, outflow);
        for (unsigned left = t.pressure->links.active[b]; left; left &= left - 1u) {
          int l = __builtin_ctz(left),
              own = vl_blocks_find(&t.pressure->stencil.blocks, t.wet.at[b].bx, t.wet.at[b].j, t.wet.at[b].k);
          bool closed = t.pressure->region[own * VL_BLOCK + l] != VL_REGION_OPEN;
          ptrdiff_t at = vl_blocks_field(&t.grid, t.wet.at[b]) + l;
          double gain = vl_density_gain(excess[at], growth.shares) * pow(t.grid.dx, 3) / t.dt;
          if (pass == 0) {
            mean += closed ? gain : 0.0;
            room += closed;
          } else if (!closed || full) {
            double ask = closed ? gain - mean / room : gain;
            wanted += ask * ask;
            off += (outflow[l] - ask) * (outflow[l] - ask);
          }
        }
      }
    assert_true(wanted > 0.0);
    assert_true(off <= 1.1e-4 * wanted); /* the solve's tolerance is 1e-2 */
    for (int a = 0; a < 3; a++) vl_field_destroy(&t.grid, &w[a]);
    vl_field_destroy(&t.grid, &excess);
    tank_drain(&t);
  }
}

typedef struct First {
  double acceleration, wall; /* m/s2 of the ball; force over weight */
  int64_t particles;
} First;

static First first_step(bool keep, double dt)
{
  vlStatus status = {0};
  vlScene scene;
  char text[1024], kept[64], step[64], rate[64];
  snprintf(text, sizeof text, "%s",
           "grid: {size: [1, 1, 1], cells: 20}\nliquid: {level: 0.6}\n"
           "bodies: [{name: ball, rigid: yes, shape: sphere, center: [0.51, 0.47, 0.5], radius: 0.2, density: 500}]\n");
  snprintf(kept, sizeof kept, "liquid.keep_volume=%s", keep ? "yes" : "no");
  snprintf(step, sizeof step, "time.dt_fixed=%g", dt);
  snprintf(rate, sizeof rate, "time.frames_per_second=%g", 1.0 / dt);
  const vlSetting settings[] = {{kept}, {step}, {rate}};
  if (vl_scene_parse(&scene, text, strlen(text), "ball.yaml", settings, 3, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vlStepInfo info = one_step(sim, dt);
  First first = {vl_sim_body(sim, 0).v[0].y / dt, info.wall_force.y / info.weight.y, info.particles};
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return first;
}

/* At 0.01 to 1 of the usual step, which is 0.15 sqrt(dx/g). */
static void first_accelerations_know_nothing_of_it(void **state)
{
  (void)state;
  for (double part = 0.01; part < 1.5; part *= 10.0) {
    double dt = part * 0.15 * sqrt(0.05 / 9.81);
    First kept = first_step(true, dt), plain = first_step(false, dt);
    assert_true(kept.particles > 10000 && plain.acceleration > 1.0);
    assert_true(fabs(kept.acceleration - plain.acceleration) <= 1e-9 * plain.acceleration);
    assert_true(fabs(kept.wall - plain.wall) <= 1e-9);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_gain_volume),
      cmocka_unit_test(first_accelerations_know_nothing_of_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
