/* Things that swing, alone or with water, and how much of the swing a scheme in time takes away. */
#ifndef VL_VALIDATE_SWINGS_H
#define VL_VALIDATE_SWINGS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <velella/velella.h>

typedef struct Swing {
  const char *name, *scene;
  double period;  /* s: about what it is */
  bool of_liquid; /* what swings is the liquid's momentum along x, else the height of the first body's centre */
} Swing;

/* A bar that is held at both ends swings in its first shape under water one and a half times as heavy as itself; a box bobs
 * about where it floats; for both the surface stays as drawn, so that all is linear. Water sways, which takes particles. */
static const Swing swing_bar = {
    "bar under a column",
    "grid: {size: [1, 0.5], cells: 16, slab: yes, origin: [0, -0.1]}\n"
    "gravity: [0, 0, 0]\n"
    "liquid: {transfer: still, shapes: [{shape: box, center: [0.5, 0.13], size: [1, 0.33]}]}\n"
    "pressure: {tolerance: 1e-11, separation: no}\n"
    "bodies: [{name: bar, shape: box, center: [0.5, -0.027], size: [1, 0.1], cells: [10, 1], element: quadratic, density: "
    "2000, young: 2e7, poisson: 0.3, mass_damping: 0, stiffness_damping: 0, modes: [{mode: 1, amplitude: 1e-4}],\n"
    "  pins: [{shape: box, center: [0, 0], size: [0.001, 1]}, {shape: box, center: [1, 0], size: [0.001, 1]}]}]\n",
    0.1422, false};
static const Swing swing_float = {
    "floating box",
    "grid: {size: [1, 1], cells: 20, slab: yes}\n"
    "liquid: {transfer: still, level: 0.61}\n"
    "pressure: {tolerance: 1e-11, separation: no}\n"
    "bodies: [{name: box, rigid: yes, shape: box, center: [0.5, 0.609], size: [0.43, 0.3], density: 500}]\n",
    1.363, false};
static const Swing swing_water = {
    "sloshing",
    "grid: {size: [1, 0.8], cells: 24, slab: yes}\n"
    "liquid: {transfer: apic, keep_volume: no, shapes: [{shape: halfspace, center: [0.5, 0.5, 0], normal: [0.03, 1, 0]}]}\n"
    "pressure: {separation: no}\n",
    1.175, true};

/* A scheme: settings of the scene. */
typedef struct SwingScheme {
  const char *name, *settings[4]; /* ended by NULL */
} SwingScheme;
static const SwingScheme swing_euler = {"euler", {"time.scheme=euler"}},
                         swing_leapfrog = {"leapfrog", {"time.scheme=leapfrog"}},
                         swing_bdf2 = {"euler, bodies bdf2", {"time.scheme=euler", "bodies[0].integrator=bdf2"}};

typedef struct SwingFit {
  double loss, period; /* of the amplitude in a period; s */
} SwingFit;

static inline vlSim *swing_start(const Swing *swing, const SwingScheme *scheme, double dt, vlStatus *status)
{
  vlScene scene;
  vlSim *sim = NULL;
  char step[64], rate[64];
  snprintf(step, sizeof step, "time.dt_fixed=%.17g", dt);
  snprintf(rate, sizeof rate, "time.frames_per_second=%.17g", 0.5 / dt);
  vlSetting settings[6] = {{step}, {rate}};
  int count = 2;
  for (int s = 0; scheme->settings[s]; s++) settings[count++].text = scheme->settings[s];
  if (vl_scene_parse(&scene, swing->scene, strlen(swing->scene), swing->name, settings, count, status)) return NULL;
  vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, status);
  vl_scene_clear(&scene);
  return sim;
}

/* Where it is after each of so many steps; false: a step has failed. */
static inline bool swing_trace(const Swing *swing, const SwingScheme *scheme, double dt, int steps, double *y,
                               vlStatus *status)
{
  vlStepInfo info;
  vlCode code = VL_OK;
  vlSim *sim = swing_start(swing, scheme, dt, status);
  for (int s = 0; sim && s < steps && !code; s++) {
    code = vl_sim_step(sim, dt, &info, status);
    y[s] = swing->of_liquid ? info.momentum.x : vl_sim_body(sim, 0).info.center.y;
  }
  bool done = sim && !code;
  vl_sim_destroy(&sim);
  return done;
}

/* y = c + A r^n cos(n phi + psi): its changes d obey d_(n+k) = 2 R cos(Phi) d_n - R^2 d_(n-k), R = r^k, Phi = k phi, for any
 * stride k; both factors by least squares. */
static inline SwingFit swing_fit(const double *y, int count, int stride, double dt)
{
  double aa = 0, ab = 0, bb = 0, ac = 0, bc = 0;
  for (int n = stride; n + 2 * stride < count; n++) {
    double a = y[n + stride] - y[n], b = y[n] - y[n - stride], c = y[n + 2 * stride] - y[n + stride];
    aa += a * a, ab += a * b, bb += b * b, ac += a * c, bc += b * c;
  }
  double det = aa * bb - ab * ab, p = (ac * bb - bc * ab) / det, q = (bc * aa - ac * ab) / det;
  double R = sqrt(-q), Phi = acos(p / (2.0 * R)), period = 2.0 * 3.14159265358979323846 * stride * dt / Phi;
  return (SwingFit){.loss = 1.0 - pow(R, period / (stride * dt)), .period = period};
}

/* Part of the speed that a vortex in a closed box loses in a turn of its middle, on average over two; NAN: a step failed. */
static inline double vortex_loss(const SwingScheme *scheme, int steps_a_turn, vlStatus *status)
{
  static const Swing vortex = {
      "vortex",
      "grid: {size: [1, 1], cells: 32, slab: yes}\n"
      "gravity: [0, 0, 0]\n"
      "liquid: {level: 2, transfer: apic, keep_volume: no, swirl_speed: 1, swirl_center: [0.5, 0.5, "
      "0], swirl_size: [1, 1, 1]}\n"
      "pressure: {separation: no}\nchecks: 1\n",
      1.0, true};
  double dt = vortex.period / steps_a_turn, first = 0.0;
  vlStepInfo info = {0};
  vlCode code = VL_OK;
  vlSim *sim = swing_start(&vortex, scheme, dt, status);
  for (int s = 0; sim && s <= 2 * steps_a_turn && !code; s++) {
    code = vl_sim_step(sim, dt, &info, status);
    if (s == 0) first = info.kinetic_energy;
  }
  bool done = sim && !code;
  vl_sim_destroy(&sim);
  return done ? 1.0 - pow(info.kinetic_energy / first, 0.25) : NAN;
}

#endif
