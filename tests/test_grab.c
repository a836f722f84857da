/* Hands that hold bodies: their S^-1 against what it must be, the balance of momentum, how near the held point stays, and
 * that runs with them repeat themselves. */
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
#include "solid/grab.h"

static vlSim *start_text(const char *text, int threads)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "grab.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, threads);
  vl_scene_clear(&scene);
  return sim;
}

static void ok(vlCode code, const vlStatus *status)
{
  if (code) fail_msg("%s", status->message);
}

static int grab(vlSim *sim, int body, vlVec3 point, double radius)
{
  vlStatus status = {0};
  int id = -1;
  ok(vl_sim_grab(sim, body, point, radius, &id, &status), &status);
  return id;
}

static void assert_vector(const char *what, vlVec3 found, vlVec3 wanted, double tolerance)
{
  if (!(vl_norm(vl_sub(found, wanted)) <= tolerance))
    fail_msg("%s: (%.12g, %.12g, %.12g) instead of (%.12g, %.12g, %.12g)", what, found.x, found.y, found.z, wanted.x,
             wanted.y, wanted.z);
}

/* The second jelly is pinned through the patch that is held. */
static const char *const DRY =
    "{grid: {size: [2, 2, 2], cells: 8}, gravity: [0, 0, 0], time: {dt_fixed: 0.01}, bodies: [{name: crate, rigid: yes, "
    "shape: box, center: [0.4, 1, 1], size: [0.2, 0.3, 0.4], rotate: \"z 20, x 10\", density: 500}, {name: jelly, shape: "
    "box, center: [1, 1, 1], size: [0.3, 0.2, 0.2], cells: [3, 2, 2], young: 1e5, mass_damping: 0}, {name: pinned, shape: "
    "box, center: [1.6, 1, 1], size: [0.3, 0.2, 0.2], cells: [3, 2, 2], young: 1e5, model: neo_hookean, element: quadratic, "
    "pins: [{shape: box, center: [1.6, 1.1, 1], size: [0.02, 0.02, 1], axes: yz, velocity: [0, 0.1, 0]}]}, {name: wheel, "
    "shape: box, center: [1, 0.4, 1], size: [0.2, 0.2, 0.2], motion: [{move: slide, velocity: [0.1, 0, 0]}]}]}";

/* Two hands on each body, of which those of the jellies overlap. */
static void grab_all(vlSim *sim)
{
  vlStatus status = {0};
  static const double at[3][2][3] = {
      {{0.5, 1.05, 1.1}, {0.3, 0.9, 1}}, {{1.1, 1.1, 1.1}, {1.1, 1.1, 1}}, {{1.6, 1.1, 1.1}, {1.6, 1.1, 1}}};
  for (int b = 0; b < 3; b++)
    for (int k = 0; k < 2; k++) {
      vlVec3 point = vl_vec(at[b][k][0], at[b][k][1], at[b][k][2]);
      int id = grab(sim, b, point, 0.12);
      ok(vl_sim_move_grab(sim, id, vl_add(point, vl_vec(0.1, 0.05, -0.05)), 0.2, &status), &status);
    }
}

static void begin(vlSim *sim, double dt)
{
  vlStatus status = {0};
  vlBodySet *bodies = &vl_sharp(sim)->state.bodies;
  vl_bodies_drive(bodies, vl_sim_time(sim), dt);
  for (int b = 0; b < bodies->count; b++) ok(vl_body_begin(bodies->body[b], dt, vl_vec(0, -9.81, 0), &status), &status);
}

static void fill_random(vlVec3 *r, int count, unsigned seed)
{
  for (int i = 0; i < 3 * count; i++) {
    seed = seed * 1664525u + 1013904223u;
    r[i / 3].v[i % 3] = (double)(seed >> 8) / 16777216.0 - 0.5;
  }
}

static double dot(const vlVec3 *a, const vlVec3 *b, int count)
{
  double sum = 0.0;
  for (int i = 0; i < count; i++) sum += vl_dot(a[i], b[i]);
  return sum;
}

/* S_g^-1 is symmetric and positive, and y = S_g^-1 r solves y + S^-1 C D C^T y = S^-1 r with the S^-1 of nobody's hands; the
 * modes of one, or the matrix of the other kind, say the same. */
static void check_inverse(vlBody *held, vlBody *free_one)
{
  int n = held->node_count;
  vlVec3 *r = calloc((size_t)n, sizeof *r), *q = calloc((size_t)n, sizeof *q), *y = calloc((size_t)n, sizeof *y),
         *z = calloc((size_t)n, sizeof *z), *f = calloc((size_t)n, sizeof *f);
  fill_random(r, n, 3);
  fill_random(q, n, 7);
  vl_body_solve(held, r, y);
  vl_body_solve(held, q, z);
  double size = sqrt(dot(y, y, n));
  assert_true(fabs(dot(q, y, n) - dot(r, z, n)) <= 1e-11 * sqrt(dot(q, q, n)) * size);
  assert_true(dot(r, y, n) > 0.0 && dot(q, z, n) > 0.0);
  memcpy(f, r, (size_t)n * sizeof *f);
  for (int g = 0; g < held->control.grab_count; g++) {
    const vlGrab *grab = &held->control.grab[g];
    vlVec3 drag = vl_scale(vl_grab_mean(grab, y), -grab->resistance);
    for (int i = 0; i < grab->hold.count; i++)
      f[grab->hold.node[i]] = vl_axpy(f[grab->hold.node[i]], grab->hold.share[i], drag);
  }
  vl_body_solve(free_one, f, z);
  for (int i = 0; i < n; i++) assert_vector("S^-1 (r - C D C^T y)", z[i], y[i], 1e-10 * size);
  if (held->type->mode) {
    memset(z, 0, (size_t)n * sizeof *z);
    for (int k = 0; k < held->mode_count; k++) {
      double along = 0.0;
      for (int i = 0; i < n; i++) along += vl_dot(held->type->mode(held, k, i), r[i]);
      for (int i = 0; i < n; i++) z[i] = vl_axpy(z[i], along, held->type->mode(held, k, i));
    }
    for (int i = 0; i < n; i++) assert_vector("modes", z[i], y[i], 1e-11 * size);
  } else {
    const int *unknown;
    const vlCsr *S = held->type->matrix(held, &unknown);
    for (int row = 0; row < S->rows; row++) {
      double sum = 0.0;
      if (held->held[unknown[row]]) continue;
      for (int64_t e = S->start[row]; e < S->start[row + 1]; e++)
        sum += S->value[e] * y[unknown[S->column[e]] / 3].v[unknown[S->column[e]] % 3];
      assert_true(fabs(sum - r[unknown[row] / 3].v[unknown[row] % 3]) <= 1e-9);
    }
  }
  free(r);
  free(q);
  free(y);
  free(z);
  free(f);
}

static void test_inverse(void **state)
{
  (void)state;
  vlSim *held = start_text(DRY, 1), *free_one = start_text(DRY, 1);
  for (int s = 0; s < 3; s++) {
    one_step(held, 1.0);
    one_step(free_one, 1.0);
  }
  grab_all(held);
  begin(held, 0.01);
  begin(free_one, 0.01);
  for (int b = 0; b < 3; b++) check_inverse(vl_sharp(held)->state.bodies.body[b], vl_sharp(free_one)->state.bodies.body[b]);
  vl_sim_destroy(&held);
  vl_sim_destroy(&free_one);
}

static vlVec3 force_on(const vlSim *sim, int body, vlVec3 *torque)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  *torque = vl_vec(0, 0, 0);
  for (int i = 0; i < vl_sim_grab_count(sim); i++) {
    vlGrabView view = vl_sim_grab_at(sim, i);
    if (view.body != body) continue;
    sum = vl_add(sum, view.force);
  }
  const vlBody *b = vl_sharp((vlSim *)(uintptr_t)sim)->state.bodies.body[body];
  for (int g = 0; g < b->control.grab_count; g++)
    *torque = vl_add(*torque, vl_cross(vl_grab_mean(&b->control.grab[g], b->x), b->control.grab[g].hold.force));
  return sum;
}

/* What hands and pins push with is how momentum changes; of the rigid one the angular momentum, too. Where nobody pulls more
 * the held point comes to the target. */
static void test_momentum(void **state)
{
  (void)state;
  vlSim *sim = start_text(DRY, 1);
  grab_all(sim);
  for (int s = 0; s < 100; s++) {
    vlVec3 before[3], spin = vl_sim_body(sim, 0).info.angular_momentum, torque, arm[2];
    vlBody *crate = vl_sharp(sim)->state.bodies.body[0];
    vlVec3 center = vl_sim_body(sim, 0).info.center;
    for (int g = 0; g < 2; g++) arm[g] = vl_sub(vl_grab_mean(&crate->control.grab[g], crate->x), center);
    for (int b = 0; b < 3; b++) before[b] = vl_sim_body(sim, b).info.momentum;
    one_step(sim, 1.0);
    for (int b = 0; b < 3; b++) {
      vlBodyInfo info = vl_sim_body(sim, b).info;
      vlVec3 force = vl_add(force_on(sim, b, &torque), info.reaction), slowed = vl_scale(info.momentum, b == 2 ? 0.1 : 0.0);
      vlVec3 wanted = vl_axpy(before[b], 0.01, vl_sub(force, slowed));
      assert_vector("momentum", info.momentum, wanted, 1e-9 * (1.0 + vl_norm(wanted)));
    }
    for (int g = 0; g < 2; g++) spin = vl_axpy(spin, 0.01, vl_cross(arm[g], crate->control.grab[g].hold.force));
    assert_vector("spin", vl_sim_body(sim, 0).info.angular_momentum, spin, 1e-10);
  }
  for (int i = 0; i < 4; i++) {
    vlGrabView view = vl_sim_grab_at(sim, i);
    assert_vector("held", view.held, view.target, i < 2 ? 0.015 : 0.005);
  }
  vl_sim_destroy(&sim);
}

/* A box that is heavy or light, in a pool or in the air, dragged at half a metre in a second. */
static double worst_error(const char *kind, double density, double from, double to, double *liquid)
{
  char text[1024];
  snprintf(
      text, sizeof text,
      "{grid: {size: [0.6, 0.6, 0.3], cells: 12}, liquid: {level: 0.3}, bodies: [{name: box, shape: box, size: [0.12, "
      "0.12, 0.12], center: [0.2, %g, 0.15], density: %g, %s}], drags: [{body: box, point: [0.2, %g, 0.15], end: 0.6 s, "
      "path: [{time: 0.1 s, position: [0.2, %g, 0.15]}, {time: 0.45 s, position: [0.35, %g, 0.15]}]}]}",
      from, density, kind, from + 0.06, from + 0.06, to + 0.06);
  vlSim *sim = start_text(text, 1);
  double worst = 0.0;
  *liquid = 0.0;
  while (vl_sim_time(sim) < 0.58) {
    vlStepInfo info = one_step(sim, 1.0);
    vlGrabView view = vl_sim_grab_at(sim, 0);
    assert_int_equal(view.drag, 0);
    worst = fmax(worst, vl_norm(vl_sub(view.held, view.target)));
    *liquid = fmax(*liquid, info.max_speed);
  }
  vl_sim_destroy(&sim);
  return worst;
}

static void test_held(void **state)
{
  (void)state;
  static const struct {
    const char *kind;
    double density, from, to;
  } boxes[] = {{"rigid: yes", 20, 0.12, 0.17},
               {"rigid: yes", 8000, 0.45, 0.45},
               {"rigid: yes", 20, 0.45, 0.4},
               {"cells: [2, 2, 2], young: 1e5", 100, 0.12, 0.4},
               {"cells: [2, 2, 2], young: 1e6", 3000, 0.4, 0.2}};
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
    double speed, worst = worst_error(boxes[i].kind, boxes[i].density, boxes[i].from, boxes[i].to, &speed);
    print_message("%s, %g kg/m3, from %g to %g m: held to %.2f mm, liquid %.2f m/s\n", boxes[i].kind, boxes[i].density,
                  boxes[i].from, boxes[i].to, 1000.0 * worst, speed);
    assert_true(worst < 0.015);
    assert_true(speed < 4.0); /* of splashes: what falls half a box */
  }
}

/* Whatever the scheme in time, its step, and in slabs. */
static void test_schemes(void **state)
{
  (void)state;
  static const struct {
    const char *time, *scheme, *slab;
  } runs[] = {{"dt_fixed: 0.03", "backward_euler", ""},
              {"dt_fixed: 0.01", "bdf2", ""},
              {"{scheme: leapfrog, dt_fixed: 0.01}", "backward_euler", ""},
              {"dt_fixed: 0.01", "backward_euler", "slab: yes, "}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char text[1024];
    const char *z = *runs[i].slab ? "" : ", 0.5";
    bool leaps = strstr(runs[i].time, "leapfrog");
    snprintf(
        text, sizeof text,
        "{grid: {%ssize: [1, 1%s], cells: 10}, time: %s%s%s, bodies: [{name: a, rigid: yes, shape: box, center: [0.3, "
        "0.5%s], size: [0.1, 0.1%s]}, {name: b, shape: box, center: [0.6, 0.5%s], size: [0.1, 0.1%s], cells: [2, 2, 1], "
        "young: 3e5%s%s}], drags: [{body: a, point: [0.3, 0.55%s], path: [{time: 0.3, position: [0.2, 0.6%s]}]}, {body: "
        "b, point: [0.6, 0.55%s], path: [{time: 0.3, position: [0.7, 0.6%s]}]}]}",
        runs[i].slab, *z ? ", 1" : "", leaps ? "" : "{", runs[i].time, leaps ? "" : "}", z, *z ? ", 0.1" : "", z,
        *z ? ", 0.1" : "", leaps ? "" : ", integrator: ", leaps ? "" : runs[i].scheme, z, z, z, z);
    vlSim *sim = start_text(text, 1);
    double worst = 0.0;
    while (vl_sim_time(sim) < 0.6) {
      one_step(sim, 1.0);
      for (int g = 0; g < 2; g++)
        worst = fmax(worst, vl_norm(vl_sub(vl_sim_grab_at(sim, g).held, vl_sim_grab_at(sim, g).target)));
    }
    print_message("%s, %s: held to %.2f mm\n", runs[i].time, runs[i].scheme, 1000.0 * worst);
    assert_true(worst < 0.015);
    vl_sim_destroy(&sim);
  }
}

/* A target half a metre off does not throw anything. */
static void test_jump(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim =
      start_text("{grid: {size: [1.2, 0.8, 0.4], cells: 18}, liquid: {level: 0.3}, bodies: [{name: cork, shape: box, "
                 "center: [0.3, 0.3, 0.2], size: [0.1, 0.1, 0.1], density: 20, rigid: yes}, {name: jelly, shape: "
                 "box, center: [0.3, 0.6, 0.2], size: [0.12, 0.12, 0.12], cells: [3, 3, 3], young: 5e4}]}",
                 1);
  int cork = grab(sim, 0, vl_vec(0.3, 0.35, 0.2), 0.05), jelly = grab(sim, 1, vl_vec(0.3, 0.66, 0.2), 0.05);
  ok(vl_sim_move_grab(sim, cork, vl_vec(0.9, 0.4, 0.2), 0.0, &status), &status);
  ok(vl_sim_move_grab(sim, jelly, vl_vec(0.9, 0.7, 0.2), 0.01, &status), &status);
  double fastest = 0.0;
  int inverted = 0;
  while (vl_sim_time(sim) < 0.9) {
    vlStepInfo info = one_step(sim, 0.01);
    for (int b = 0; b < 2; b++) fastest = fmax(fastest, vl_norm(vl_sim_body(sim, b).info.velocity));
    inverted += info.inverted;
  }
  print_message("fastest %.2f m/s, %d inverted, off by %.1f and %.1f mm\n", fastest, inverted,
                1000.0 * vl_norm(vl_sub(vl_sim_grab_at(sim, 0).held, vl_sim_grab_at(sim, 0).target)),
                1000.0 * vl_norm(vl_sub(vl_sim_grab_at(sim, 1).held, vl_sim_grab_at(sim, 1).target)));
  for (int g = 0; g < 2; g++) assert_vector("held", vl_sim_grab_at(sim, g).held, vl_sim_grab_at(sim, g).target, 0.015);
  assert_true(fastest < 6.0);
  assert_int_equal(inverted, 0);
  vl_sim_destroy(&sim);
}

static void assert_same(const vlSim *a, const vlSim *b)
{
  for (int i = 0; i < vl_sim_body_count(a); i++) {
    vlBodyView p = vl_sim_body(a, i), q = vl_sim_body(b, i);
    assert_memory_equal(p.x, q.x, (size_t)p.node_count * sizeof *p.x);
    assert_memory_equal(p.v, q.v, (size_t)p.node_count * sizeof *p.v);
  }
  assert_int_equal(vl_sim_grab_count(a), vl_sim_grab_count(b));
  for (int g = 0; g < vl_sim_grab_count(a); g++) {
    vlGrabView p = vl_sim_grab_at(a, g), q = vl_sim_grab_at(b, g);
    assert_memory_equal(&p.held, &q.held, 3 * sizeof p.held);
    assert_true(p.grab == q.grab && p.body == q.body && p.drag == q.drag);
  }
}

static void go_on_from(vlSim *from, vlSim *to)
{
  vlStatus status = {0};
  char path[] = "/tmp/vl_test_grab_XXXXXX";
  close(mkstemp(path));
  ok(vl_sim_save(from, path, &status), &status);
  ok(vl_sim_resume(to, path, &status), &status);
  unlink(path);
}

static const char *const WET =
    "{grid: {size: [1, 1, 1], cells: 16}, time: {dt_fixed: 0.005}, liquid: {level: 0.3}, bodies: [{name: crate, rigid: yes, "
    "shape: box, center: [0.2, 0.5, 0.5], size: [0.2, 0.2, 0.2], density: 500}, {name: jelly, shape: box, center: [0.8, "
    "0.3, 0.5], size: [0.2, 0.2, 0.2], cells: [2, 2, 2], young: 1e5}], drags: [{body: jelly, point: [0.8, 0.4, 0.5], start: "
    "0.01, end: 0.06, path: [{time: 0.03, position: [0.8, 0.38, 0.5]}, {time: 0.05, position: [0.77, 0.4, 0.5]}]}]}";

/* Hands of the program and of the scene, in the middle of their ways, with one thread and with two. */
static void test_resume(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim = start_text(WET, 1), *again = start_text(WET, 2);
  int id = grab(sim, 0, vl_vec(0.2, 0.6, 0.5), 0.05), gone = grab(sim, 1, vl_vec(0.8, 0.2, 0.5), 0.05);
  ok(vl_sim_move_grab(sim, id, vl_vec(0.25, 0.55, 0.5), 0.05, &status), &status);
  ok(vl_sim_release(sim, gone, &status), &status);
  assert_int_equal(vl_sim_release(sim, gone, &status), VL_ERROR_USAGE);
  for (int s = 0; s < 5; s++) one_step(sim, 1.0);
  assert_int_equal(vl_sim_grab_count(sim), 2);
  go_on_from(sim, again);
  for (int s = 0; s < 10; s++) {
    assert_same(sim, again);
    assert_int_equal(vl_sim_grab_count(sim), vl_sim_time(sim) < 0.061 ? 2 : 1);
    one_step(sim, 1.0);
    one_step(again, 1.0);
  }
  assert_int_equal(grab(sim, 0, vl_vec(0, 0, 0), 0.1), grab(again, 0, vl_vec(0, 0, 0), 0.1));
  vl_sim_destroy(&sim);
  vl_sim_destroy(&again);
}

/* What was let go steps like what never was held: the same bits as one that gets its state. */
static void test_release(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim = start_text(DRY, 1), *other = start_text(DRY, 1);
  grab_all(sim);
  for (int s = 0; s < 5; s++) one_step(sim, 1.0);
  while (vl_sim_grab_count(sim) > 0) ok(vl_sim_release(sim, vl_sim_grab_at(sim, 0).grab, &status), &status);
  go_on_from(sim, other);
  for (int s = 0; s < 5; s++) {
    one_step(sim, 1.0);
    one_step(other, 1.0);
    assert_same(sim, other);
  }
  vl_sim_destroy(&sim);
  vl_sim_destroy(&other);
}

/* All forms of the coupled system move a held body alike. */
static void test_forms(void **state)
{
  (void)state;
  static const char *const forms[] = {"schur", "spd", "indefinite", "minres"};
  vlVec3 first = {{0}};
  for (int f = 0; f < 4; f++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{grid: {size: [1, 1, 1], cells: 8}, time: {dt_fixed: 0.01}, liquid: {level: 0.7}, solver: {coupling: %s}, "
             "pressure: {tolerance: 1e-10, max_iterations: 5000, separation: no}, bodies: [{name: jelly, shape: box, "
             "center: [0.5, 0.5, 0.5], "
             "size: [0.3, 0.3, 0.3], cells: [2, 2, 2], young: 1e5, density: 700}], drags: [{body: jelly, point: [0.6, 0.65, "
             "0.5], radius: 20 cm, path: [{time: 0.1, position: [0.63, 0.65, 0.5]}]}]}",
             forms[f]);
    vlSim *sim = start_text(text, 1);
    for (int s = 0; s < 2; s++) one_step(sim, 1.0);
    vlVec3 v = vl_sim_body(sim, 0).info.velocity;
    if (f == 0) first = v;
    assert_vector(forms[f], v, first, 1e-6 * vl_norm(first));
    vl_sim_destroy(&sim);
  }
}

/* Nothing moves where nothing has to: a floating body whose hand has closed stays as it is. */
static void test_calm(void **state)
{
  (void)state;
  vlSim *sim = start_text("{grid: {size: [0.6, 0.6, 0.6], cells: 10}, liquid: {level: 0.3}, pressure: {tolerance: 1e-8}, "
                          "bodies: [{name: neutral, shape: box, center: [0.3, 0.15, 0.3], size: [0.15, 0.15, 0.15], "
                          "density: 1000, rigid: yes}]}",
                          1);
  grab(sim, 0, vl_vec(0.3, 0.225, 0.3), 0.05);
  vlStepInfo info = {0};
  for (int s = 0; s < 30; s++) info = one_step(sim, 0.01);
  vlGrabView view = vl_sim_grab_at(sim, 0);
  assert_vector("held", view.held, view.target, 1e-4);
  assert_true(vl_norm(vl_sim_body(sim, 0).info.velocity) < 2e-3 && info.max_speed < 0.05);
  vl_sim_destroy(&sim);
}

/* A hand that closes far from its point tells so, holds on all the same and opens at its end. */
static void keep_line(void *user, vlLogLevel level, const char *line)
{
  if (level == VL_LOG_WARNING && strstr(line, "drags[")) snprintf(user, 512, "%s", line);
}

static void test_far(void **state)
{
  (void)state;
  char said[512] = "";
  vlStatus status = {0};
  vlScene scene = moving_scene(8);
  vlBodyDef crate = vl_body_default();
  vlDragDef drag = vl_drag_default();
  crate.kind = VL_BODY_RIGID;
  crate.center = vl_vec(0.5, 0.5, 0.5);
  crate.size = vl_vec(0.2, 0.2, 0.2);
  strcpy(crate.name, "crate");
  strcpy(drag.body, "crate");
  drag.point = vl_vec(0.5, 0.8, 0.5);
  drag.end = 0.02;
  ok(vl_scene_add_body(&scene, &crate, &status), &status);
  ok(vl_scene_add_drag(&scene, &drag, &status), &status);
  drag.start = 5.0;
  drag.end = INFINITY;
  ok(vl_scene_add_drag(&scene, &drag, &status), &status);
  vlSim *sim = NULL;
  ok(vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1, .log = {.write = keep_line, .user = said}}, &status), &status);
  vl_scene_clear(&scene);
  one_step(sim, 0.01);
  assert_non_null(strstr(said, "drags[0]: at 0 s the surface of body 'crate' is 0.2 m from its point"));
  assert_int_equal(vl_sim_grab_count(sim), 1);
  assert_vector("held", vl_sim_grab_at(sim, 0).held, vl_vec(0.5, 0.8, 0.5), 0.015);
  for (int s = 0; s < 3; s++) one_step(sim, 0.01);
  assert_int_equal(vl_sim_grab_count(sim), 0);
  vl_sim_destroy(&sim);
}

static void test_refused(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlVec3 none = vl_vec(0, 0, 0), bad = vl_vec(0, NAN, 0);
  int id;
  vlSim *sim = start_text(DRY, 1);
  assert_int_equal(vl_sim_grab(sim, 4, none, 0.1, &id, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "body 4; there are 4"));
  assert_int_equal(vl_sim_grab(sim, 3, none, 0.1, &id, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "body 'wheel' is scripted"));
  assert_int_equal(vl_sim_grab(sim, 0, bad, 0.1, &id, &status), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_grab(sim, 0, none, 0.0, &id, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "the radius is 0 m"));
  assert_int_equal(vl_sim_move_grab(sim, 0, none, 0.0, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "there is no grab 0"));
  id = grab(sim, 0, none, 0.1);
  assert_int_equal(vl_sim_move_grab(sim, id, bad, 0.0, &status), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_move_grab(sim, id, none, -1.0, &status), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_grab_at(sim, 1).body, -1);
  assert_int_equal(vl_sim_grab_at(sim, -1).body, -1);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inverse), cmocka_unit_test(test_momentum), cmocka_unit_test(test_held),
      cmocka_unit_test(test_jump),    cmocka_unit_test(test_resume),   cmocka_unit_test(test_release),
      cmocka_unit_test(test_forms),   cmocka_unit_test(test_calm),     cmocka_unit_test(test_far),
      cmocka_unit_test(test_refused), cmocka_unit_test(test_schemes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
