/* What every kind of body keeps to, whatever it is (solid/body.h): S^-1, the one formula of velocities, modes and matrix,
 * begin, held unknowns, state. Bodies of scenes, in a box and in a slab; they step alone, under made-up loads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scene/scene.h"
#include "solid/body_set.h"
#include "solid/elastic.h"
#include "solid/rigid_body.h"

static const double DT = 0.01;
static const vlVec3 gravity = {{0.5, -9.81, 0}};

/* Elastic ones of both elements, pinned with a sway and free; rigid ones, of exact mass and of slices; a scripted one;
 * reduced ones, free and pinned. */
static const char *const scenes[] = {
    "{grid: {size: [1, 1, 1], cells: 10}, bodies: ["
    "{shape: box, center: [0.2, 0.5, 0.5], size: [0.1, 0.3, 0.1], cells: [1, 3, 2], rotate: z 20, young: 1e5, integrator: "
    "bdf2, stiffness_damping: 0.002, pins: [{shape: halfspace, center: [0.2, 0.4, 0.5], amplitude: [0.02, 0, 0.01], "
    "frequency: 2}]}, "
    "{shape: box, center: [0.5, 0.7, 0.5], size: [0.2, 0.2, 0.2], cells: [2, 1, 1], rotate: \"z 30, x 20\", element: "
    "quadratic, model: neo_hookean, young: 3e4, stretch: [1.05, 1, 0.97], velocity: [0.1, 0.2, 0.3], spin: [1, 2, 3], "
    "pushes: [{force: [3, 1, 2]}]}, "
    "{rigid: yes, shape: cylinder, center: [0.5, 0.3, 0.5], radius: 0.1, height: 0.15, rotate: x 40, density: 300, "
    "velocity: [0.3, 0, -0.2], spin: [2, -5, 4], pushes: [{force: [1, 2, 0]}]}, "
    "{rigid: yes, rigid_mass: slice, shape: box, center: [0.8, 0.7, 0.5], size: [0.1, 0.2, 0.15], spin: [3, 1, 2]}, "
    "{shape: box, center: [0.8, 0.3, 0.5], size: [0.1, 0.2, 0.15], rotate: y 25, motion: [{move: slide, velocity: [-0.4, "
    "0.1, 0]}, {move: spin, axis: [1, 2, 0], rate: 3}]}, "
    "{reduced: yes, handles: 4, shape: box, center: [0.5, 0.12, 0.8], size: [0.8, 0.2, 0.2], cells: [8, 2, 2], young: 3e4, "
    "velocity: [0.1, 0.2, 0.3], spin: [1, 2, 3], pushes: [{force: [3, 1, 2]}]}, "
    "{reduced: yes, handles: 9, shape: box, center: [0.5, 0.85, 0.85], size: [0.9, 0.2, 0.2], cells: [8, 2, 2], young: "
    "1e5, pins: [{shape: halfspace, center: [0.2, 0.4, 0.5], normal: [1, 0, 0], axes: yz, amplitude: [0, 0.02, 0.01], "
    "frequency: 2}]}]}",
    "{grid: {slab: yes, size: [1, 1], cells: 10}, bodies: ["
    "{shape: box, center: [0.2, 0.5], size: [0.1, 0.3], cells: [1, 3], young: 1e5, integrator: bdf2, pins: [{shape: "
    "halfspace, center: [0.2, 0.4], axes: y, amplitude: [0, 0.02], frequency: 2}]}, "
    "{shape: box, center: [0.5, 0.7], size: [0.2, 0.1], cells: [2, 1], rotate: z 30, element: quadratic, integrator: bdf2, "
    "young: 3e4, spin: [0, 0, 3]}, "
    "{rigid: yes, shape: box, center: [0.5, 0.3], size: [0.2, 0.1], rotate: z 40, velocity: [0.3, 0.1], spin: [0, 0, -4]}, "
    "{shape: box, center: [0.8, 0.3], size: [0.1, 0.2], motion: [{move: sway, amplitude: [0.1, 0.05], frequency: 1}, {move: "
    "spin, rate: 3}]}]}",
};
enum { SCENES = sizeof scenes / sizeof *scenes, MOST_BODIES = 7 };

typedef struct Made {
  vlScene scene;
  vlBodySet bodies;
  double time;
  int step;
} Made;

static void make(Made *made, int scene)
{
  vlStatus status = {0};
  *made = (Made){.time = 0.0};
  if (vl_scene_parse(&made->scene, scenes[scene], strlen(scenes[scene]), "test.yaml", NULL, 0, &status) ||
      vl_bodies_create(&made->bodies, &made->scene, (vlLog){0}, &status))
    fail_msg("%s", status.message);
  assert_true(made->bodies.count <= MOST_BODIES);
}

static void unmake(Made *made)
{
  vl_bodies_clear(&made->bodies);
  vl_scene_clear(&made->scene);
}

static double random_unit(uint64_t *seed) /* -1 .. 1 */
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static vlVec3 *room(const vlBody *body)
{
  vlVec3 *x = calloc((size_t)body->node_count, sizeof *x);
  assert_non_null(x);
  return x;
}

/* N: of about the body's weight all together. */
static vlVec3 *random_loads(const vlBody *body, uint64_t seed)
{
  double size = 10.0 * vl_body_measure(body, gravity).mass / body->node_count;
  vlVec3 *load = room(body);
  for (int i = 0; i < 3 * body->node_count; i++) load[i / 3].v[i % 3] = size * random_unit(&seed);
  return load;
}

static double dot(const vlVec3 *a, const vlVec3 *b, int count)
{
  double sum = 0.0;
  for (int i = 0; i < count; i++) sum += vl_dot(a[i], b[i]);
  return sum;
}

static double largest(const vlVec3 *f, int count)
{
  double most = 0.0;
  for (int i = 0; i < count; i++) most = fmax(most, vl_norm(f[i]));
  return most;
}

/* All that the engine does before a solve; slices, where they tell the mass, miss a little that changes with time. */
static void begin(Made *made, double dt)
{
  vlStatus status = {0};
  vl_bodies_drive(&made->bodies, made->time, dt);
  for (int b = 0; b < made->bodies.count; b++) {
    vlBody *body = made->bodies.body[b];
    double volume = vl_body_enclosed(body) * (0.97 + 0.02 * sin(100.0 * made->time));
    vlSlices slices = {vl_vec(volume, volume, volume), vl_scale(gravity, -volume), vl_vec(1e-4, 2e-4, 0), true, 3};
    if (body->sliced) body->type->weigh(body, &slices, gravity);
    if (vl_body_begin(body, dt, gravity, &status)) fail_msg("%s", status.message);
  }
}

static void finish(Made *made, double dt)
{
  vlStatus status = {0};
  for (int b = 0; b < made->bodies.count; b++) {
    vlBody *body = made->bodies.body[b];
    vlVec3 *load = random_loads(body, (uint64_t)(1000 * made->step + b));
    if (vl_body_finish(body, load, &status)) fail_msg("%s", status.message);
    assert_true(body->dt == 0.0);
    free(load);
  }
  made->time += dt;
  made->step++;
}

static void steps(Made *made, int count)
{
  for (int s = 0; s < count; s++) {
    begin(made, DT);
    finish(made, DT);
  }
}

/* Holds some unknowns that no pin holds, of those bodies where that can be: once there is a matrix, they stay in it. */
static void hold_more(Made *made)
{
  for (int b = 0; b < made->bodies.count; b++) {
    vlElastic *body = (vlElastic *)made->bodies.body[b];
    for (int i = 0; body->body.type == &vl_elastic_type && i < 5; i++)
      vl_elastic_hold(body, body->body.node_count - 1 - i, i % 2, 0.1);
  }
}

/* Calls `check` for every body of every scene, some steps under way, between begin and finish; and once more with more of it
 * held. */
static void with_every_body(void (*check)(vlBody *body))
{
  for (int trial = 0; trial < 2 * SCENES; trial++) {
    Made made;
    make(&made, trial / 2);
    steps(&made, 3);
    if (trial % 2) hold_more(&made);
    begin(&made, DT);
    for (int b = 0; b < made.bodies.count; b++) {
      assert_true(made.bodies.body[b]->dt == DT);
      check(made.bodies.body[b]);
    }
    unmake(&made);
  }
}

/* The table knows each; every kind is among the bodies here, of elastic ones both elements. */
static void test_kinds(void **state)
{
  (void)state;
  for (int scene = 0; scene < SCENES; scene++) {
    Made made;
    int met[VL_BODY_KIND_COUNT] = {0}, linear = 0, quadratic = 0;
    make(&made, scene);
    for (int b = 0; b < made.bodies.count; b++) {
      const vlBody *body = made.bodies.body[b];
      assert_true(body->def == &made.scene.bodies[b] && body->scene == &made.scene);
      assert_ptr_equal(vl_body_type(body->def->kind), body->type);
      assert_true(!body->type->matrix || !body->type->mode);
      met[body->def->kind]++;
      linear += body->element_count > 0 && body->element_nodes == 4;
      quadratic += body->element_count > 0 && body->element_nodes == 10;
    }
    for (int kind = 0; kind < VL_BODY_KIND_COUNT; kind++)
      assert_true(met[kind] > 0 || (kind == VL_BODY_REDUCED && made.scene.grid.slab));
    assert_true(linear > 0 && quadratic > 0);
    unmake(&made);
  }
}

/* x . S^-1 y = y . S^-1 x and x . S^-1 x >= 0, more for what loads move; the answer may overwrite the load. */
static void check_symmetry(vlBody *body)
{
  int n = body->node_count;
  vlVec3 *Sx = room(body), *Sy = room(body);
  for (uint64_t k = 0; k < 10; k++) {
    vlVec3 *x = random_loads(body, 2 * k), *y = random_loads(body, 2 * k + 1);
    vl_body_solve(body, x, Sx);
    vl_body_solve(body, y, Sy);
    double xx = dot(x, Sx, n), yy = dot(y, Sy, n);
    assert_true(body->yields ? xx > 0.0 && yy > 0.0 : xx == 0.0 && yy == 0.0);
    assert_true(fabs(dot(x, Sy, n) - dot(y, Sx, n)) <= 1e-11 * sqrt(xx * yy)); /* as exact as factors */
    vl_body_solve(body, y, y);
    assert_memory_equal(y, Sy, (size_t)n * sizeof *y);
    free(x);
    free(y);
  }
  free(Sx);
  free(Sy);
}

static void test_symmetric(void **state)
{
  (void)state;
  with_every_body(check_symmetry);
}

/* Velocities that finish has left, of the nodes as they lay when the step began: of a rigid motion those of its momenta
 * there. A scripted one keeps its angular velocity while it turns, a free one its angular momentum. */
static void left_velocities(const vlBody *body, const vlVec3 *x, vlVec3 center, vlMat3 inertia, vlVec3 *v)
{
  const vlRigid *r = vl_rigid_of(body);
  vlMat3 inverse;
  memcpy(v, body->v, (size_t)body->node_count * sizeof *v);
  if (!r) return;
  assert_true(vl_mat_inverse(inertia, &inverse));
  vlVec3 omega = body->yields ? vl_mat_apply(inverse, r->spin) : vl_rigid_omega(r);
  for (int i = 0; i < body->node_count; i++) v[i] = vl_rigid_velocity_at(vl_rigid_velocity(r), omega, center, x[i]);
}

/* v = S^-1 (load - w) + given is what finish makes of it, to round-off; also without a load, and over the load. Of a body
 * that is not stiff x = base + reach v as well. */
static void check_velocity(vlBody *body, bool loaded)
{
  int n = body->node_count;
  size_t bytes = (size_t)n * sizeof(vlVec3);
  vlStatus status = {0};
  vlVec3 *load = random_loads(body, 5), *formula = room(body), *v = room(body), *x = room(body);
  const vlRigid *r = vl_rigid_of(body);
  vlVec3 center = r ? r->pose.center : vl_vec(0, 0, 0);
  vlMat3 inertia = r ? vl_rigid_inertia(r) : vl_mat_identity();
  memcpy(x, body->x, bytes);
  for (int i = 0; i < n; i++) v[i] = vl_sub(loaded ? load[i] : vl_vec(0, 0, 0), body->w[i]);
  vl_body_solve(body, v, v);
  for (int i = 0; i < n; i++) v[i] = vl_add(v[i], body->given[i]);
  vl_body_velocity(body, loaded ? load : NULL, formula);
  assert_memory_equal(formula, v, bytes);
  memcpy(v, load, bytes);
  vl_body_velocity(body, v, v);
  if (loaded) assert_memory_equal(formula, v, bytes);
  if (vl_body_finish(body, loaded ? load : NULL, &status)) fail_msg("%s", status.message);
  left_velocities(body, x, center, inertia, v);
  double size = largest(formula, n);
  assert_true(size > 0.01);
  for (int i = 0; i < n; i++) {
    assert_true(vl_norm(vl_sub(v[i], formula[i])) <= 1e-13 * size);
    vlVec3 there = vl_axpy(body->base[i], body->span, formula[i]);
    if (!body->stiff) assert_true(vl_norm(vl_sub(body->x[i], there)) <= 1e-15);
  }
  free(load);
  free(formula);
  free(v);
  free(x);
}

static void check_velocity_loaded(vlBody *body) { check_velocity(body, true); }
static void check_velocity_alone(vlBody *body) { check_velocity(body, false); }

static void test_velocity(void **state)
{
  (void)state;
  with_every_body(check_velocity_loaded);
  with_every_body(check_velocity_alone);
}

/* S^-1 r = sum_k f_k (f_k . r); six modes, in a slab three, each of about one m/s times the root of the share. */
static void check_modes(vlBody *body)
{
  int n = body->node_count;
  if (!body->type->mode) {
    assert_int_equal(body->mode_count, 0);
    return;
  }
  assert_int_equal(body->mode_count, body->scene->grid.slab ? 3 : 6);
  vlVec3 *r = random_loads(body, 7), *y = room(body), *sum = room(body), *f = room(body);
  vl_body_solve(body, r, y);
  for (int k = 0; k < body->mode_count; k++) {
    for (int i = 0; i < n; i++) f[i] = body->type->mode(body, k, i);
    double part = dot(f, r, n), speed = sqrt(body->mode_share) * largest(f, n);
    assert_true(speed > 0.3 && speed < 3.0); /* a turn: its arm over the radius of gyration */
    for (int i = 0; i < n; i++) sum[i] = vl_axpy(sum[i], part, f[i]);
  }
  for (int i = 0; i < n; i++) assert_true(vl_norm(vl_sub(sum[i], y[i])) <= 1e-12 * largest(y, n));
  free(r);
  free(y);
  free(sum);
  free(f);
}

static void test_modes(void **state)
{
  (void)state;
  with_every_body(check_modes);
}

/* S (S^-1 r) = r in the rows of unknowns that are not held; the mass's part is what a free body's motion as a whole meets,
 * as nothing strains then. */
static void check_matrix(vlBody *body)
{
  if (!body->type->matrix) return;
  const int *unknown;
  const vlCsr *S = body->type->matrix(body, &unknown);
  vlVec3 *r = random_loads(body, 9), *y = room(body), whole = vl_vec(1, -2, 3);
  bool free_body = true;
  for (int i = 0; i < 3 * body->node_count; i++) free_body = free_body && !body->held[i];
  vl_body_solve(body, r, y);
  int rows = 0;
  for (int row = 0; row < S->rows; row++) {
    int n = unknown[row] / 3, axis = unknown[row] % 3;
    if (body->held[unknown[row]]) continue;
    double sum = 0.0, moved = 0.0, share = body->type->mass_part(body, n) * whole.v[axis], stiffest = 0.0;
    for (int64_t e = S->start[row]; e < S->start[row + 1]; e++) {
      int c = unknown[S->column[e]];
      sum += S->value[e] * y[c / 3].v[c % 3];
      moved += S->value[e] * whole.v[c % 3];
      stiffest = fmax(stiffest, fabs(S->value[e]));
    }
    assert_true(fabs(sum - r[n].v[axis]) <= 1e-9 * largest(r, body->node_count));
    if (free_body) assert_true(fabs(moved - share) <= 1e-12 * stiffest);
    rows++;
  }
  int wanted = 0;
  for (int i = 0; i < 3 * body->node_count; i++) wanted += !body->held[i];
  assert_int_equal(rows, wanted);
  free(r);
  free(y);
}

static void test_matrix(void **state)
{
  (void)state;
  with_every_body(check_matrix);
}

/* What is held gets nothing from solve, has the velocity that is given, and loads on it move nothing. */
static void check_held(vlBody *body)
{
  int n = body->node_count;
  vlVec3 *r = random_loads(body, 11), *y = room(body), *v = room(body), *other = room(body);
  vl_body_solve(body, r, y);
  vl_body_velocity(body, r, v);
  for (int i = 0; i < 3 * n; i++) {
    if (!body->held[i]) continue;
    assert_true(y[i / 3].v[i % 3] == 0.0);
    assert_true(v[i / 3].v[i % 3] == body->given[i / 3].v[i % 3]);
    r[i / 3].v[i % 3] += 1.0;
  }
  vl_body_solve(body, r, other);
  assert_memory_equal(other, y, (size_t)n * sizeof *y);
  free(r);
  free(y);
  free(v);
  free(other);
}

static void test_held(void **state)
{
  (void)state;
  with_every_body(check_held);
  Made made;
  make(&made, 0);
  for (int b = 0; b < made.bodies.count; b++) { /* of the pinned one some, of the scripted one all */
    const vlBody *body = made.bodies.body[b];
    int held = 0;
    for (int i = 0; i < 3 * body->node_count; i++) held += body->held[i];
    assert_true(b == 0 ? held > 0 && held < 3 * body->node_count : held == (body->yields ? 0 : 3 * body->node_count));
  }
  unmake(&made);
}

/* The same bits in all arrays of their states, and in what is measured of them. */
static void assert_same(const Made *a, const Made *b)
{
  for (int i = 0; i < a->bodies.count; i++) {
    vlBody *p = a->bodies.body[i], *q = b->bodies.body[i];
    vlBodyArray one[VL_BODY_ARRAYS], two[VL_BODY_ARRAYS];
    vlBodyMeasure first = vl_body_measure(p, gravity), second = vl_body_measure(q, gravity);
    assert_memory_equal(&first, &second, sizeof first);
    int count = p->type->state(p, one);
    assert_true(count > 0 && count <= VL_BODY_ARRAYS);
    assert_int_equal(q->type->state(q, two), count);
    for (int k = 0; k < count; k++) {
      assert_string_equal(one[k].name, two[k].name);
      assert_memory_equal(one[k].memory, two[k].memory, one[k].count * one[k].size);
    }
  }
}

/* A step that is begun, asked and begun again with another dt leaves no trace of the first try. */
static void test_begin_again(void **state)
{
  (void)state;
  for (int scene = 0; scene < SCENES; scene++) {
    Made once, twice;
    make(&once, scene);
    make(&twice, scene);
    for (int s = 0; s < 6; s++) {
      double dt = s % 2 ? 0.5 * DT : DT;
      begin(&twice, s < 3 ? 1.7 * dt : 0.3 * dt);
      for (int b = 0; b < twice.bodies.count; b++) {
        vlVec3 *load = random_loads(twice.bodies.body[b], 13);
        vl_body_velocity(twice.bodies.body[b], load, load);
        free(load);
      }
      begin(&twice, dt);
      finish(&twice, dt);
      begin(&once, dt);
      finish(&once, dt);
      assert_same(&once, &twice);
    }
    unmake(&once);
    unmake(&twice);
  }
}

/* All arrays of the state, which includes those that follow from pins: these are the scene's in both. */
static void copy_state(const Made *from, Made *to)
{
  vlStatus status = {0};
  for (int b = 0; b < from->bodies.count; b++) {
    vlBody *p = from->bodies.body[b], *q = to->bodies.body[b];
    vlBodyArray source[VL_BODY_ARRAYS], target[VL_BODY_ARRAYS];
    int count = p->type->state(p, source);
    assert_int_equal(q->type->state(q, target), count);
    for (int k = 0; k < count; k++) {
      size_t bytes = source[k].count * source[k].size;
      assert_true(target[k].count * target[k].size == bytes && target[k].role == source[k].role);
      if (target[k].role == VL_BODY_PINS) assert_memory_equal(target[k].memory, source[k].memory, bytes);
      if (target[k].role != VL_BODY_PINS) memcpy(target[k].memory, source[k].memory, bytes);
    }
    if (q->type->restored(q, true, from->time, &status)) fail_msg("%s", status.message);
  }
  to->time = from->time;
  to->step = from->step;
}

/* Bodies that took over the state of others go on with the same bits: such as have just been made, such as have gone
 * elsewhere in other steps, and such as take it before its first step. What is held since may be told by the state alone. */
static void test_state(void **state)
{
  (void)state;
  static const int before[][2] = {{5, 0}, {5, 3}, {0, 3}}; /* steps of the one, and of the other */
  for (int scene = 0; scene < SCENES; scene++)
    for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
      Made one, other;
      make(&one, scene);
      make(&other, scene);
      steps(&one, before[k][0] / 2);
      hold_more(&one);
      steps(&one, before[k][0] - before[k][0] / 2);
      for (int s = 0; s < before[k][1]; s++) {
        begin(&other, 0.4 * DT);
        finish(&other, 0.4 * DT);
      }
      copy_state(&one, &other);
      assert_same(&one, &other);
      for (int s = 0; s < 3; s++) {
        steps(&one, 1);
        steps(&other, 1);
        assert_same(&one, &other);
      }
      unmake(&one);
      unmake(&other);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),       cmocka_unit_test(test_symmetric),
                                     cmocka_unit_test(test_velocity),    cmocka_unit_test(test_modes),
                                     cmocka_unit_test(test_matrix),      cmocka_unit_test(test_held),
                                     cmocka_unit_test(test_begin_again), cmocka_unit_test(test_state)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
