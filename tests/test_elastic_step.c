/* Elastic bodies in time: momentum, energy, orders of the schemes, held nodes and their reactions, loads, inside-out bodies
 * that come back, the same bits for any number of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <omp.h>

#include "elastic_bodies.h"

enum { ELEMENTS = 2, KINDS = 4 }; /* linear, quadratic; the same two, neo-Hookean */

static const int NEO = 3; /* kind: quadratic, neo-Hookean */
static const vlVec3 none = {.v = {0, 0, 0}};

static vlElastic *bar(int kind, vlElasticScheme scheme, vlElasticMaterial m)
{
  m.model = (vlElasticModel)(kind / ELEMENTS);
  return new_body(vl_vec(0.4, 0.1, 0.1), 4, 1, 1, m, (vlElasticElement)(kind % ELEMENTS), scheme);
}

/* A free body, shaken and thrown: its momentum stays, its centre moves straight. */
static void momentum_stays(void **state)
{
  (void)state;
  for (int kind = 0; kind < KINDS; kind++)
    for (int scheme = 0; scheme < 2; scheme++) {
      vlElastic *b = bar(kind, (vlElasticScheme)scheme, rubber);
      uint64_t seed = 4;
      shake(b, 0.01, 8);
      for (int i = 0; i < b->body.node_count; i++) b->body.v[i] = vl_vec(1 + random_unit(&seed), random_unit(&seed), 2);
      vlBodyMeasure first = vl_body_measure(&b->body, none), last;
      for (int s = 0; s < 40; s++) check_step(b, s % 3 ? 0.004 : 0.006, none);
      last = vl_body_measure(&b->body, none);
      double size = vl_norm(first.momentum), time = 40 * 0.004 + 14 * 0.002;
      assert_true(vl_norm(vl_sub(last.momentum, first.momentum)) < 1e-11 * size); /* 40 solves of condition 1e3 */
      vlVec3 moved = vl_scale(vl_sub(last.center, first.center), last.mass);
      assert_true(vl_norm(vl_axpy(moved, -time, first.momentum)) < 1e-10 * size);
      free_body(b);
    }
}

/* Free fall under tau_m: backward Euler's own recursion v <- (v + dt g) / (1 + dt tau_m), without deformation. */
static void falls_as_a_point(void **state)
{
  (void)state;
  vlElasticMaterial m = rubber;
  m.mass_damping = 2.0;
  m.stiffness_damping = 0.01;
  vlElastic *b = bar(VL_ELASTIC_QUADRATIC, VL_ELASTIC_BACKWARD_EULER, m);
  double v = 0.0;
  for (int s = 0; s < 50; s++) {
    check_step(b, 0.01, vl_vec(0, -9.81, 0));
    v = (v - 0.0981) / 1.02;
  }
  for (int i = 0; i < b->body.node_count; i++) assert_true(vl_norm(vl_sub(b->body.v[i], vl_vec(0, v, 0))) < 1e-9);
  assert_true(vl_elastic_energy(b, b->body.x) < 1e-16);
  free_body(b);
}

/* Clamped bar pulled aside and let go: backward Euler only loses energy; BDF2 at a hundredth of the period keeps it. */
static void energy_does_not_grow(void **state)
{
  (void)state;
  for (int run = 0; run < 4; run++) {
    int scheme = run % 2;
    vlElastic *b = bar(run / 2 ? NEO : VL_ELASTIC_QUADRATIC, (vlElasticScheme)scheme, rubber);
    clamp(b);
    for (int i = 0; i < b->body.node_count; i++) b->body.v[i].y = 1.0 * b->body.rest[i].x * b->body.rest[i].x;
    for (int i = 0; i < 3 * b->body.node_count; i++)
      if (b->body.held[i]) b->body.v[i / 3].v[i % 3] = 0.0;
    vlBodyMeasure m = vl_body_measure(&b->body, none);
    double first = m.kinetic + m.elastic, last = first;
    for (int s = 0; s < 200; s++) { /* the first period is about 1 s */
      check_step(b, 0.01, none);
      m = vl_body_measure(&b->body, none);
      double now = m.kinetic + m.elastic;
      if (scheme == VL_ELASTIC_BACKWARD_EULER) assert_true(now <= last * (1.0 + 1e-12));
      assert_true(now < first * (1.0 + 1e-3)); /* BDF2 keeps a near-energy that is not quite this one */
      last = now;
    }
    if (scheme == VL_ELASTIC_BDF2) assert_true(last > 0.9 * first);
    if (scheme == VL_ELASTIC_BACKWARD_EULER) assert_true(last < 0.7 * first);
    free_body(b);
  }
}

/* A thin soft beam falls round its clamp with steps far too long for it: the energy stays below what its fall can give. */
static void long_steps_do_not_blow_up(void **state)
{
  (void)state;
  vlElasticMaterial soft = {.density = 700, .young = 1e5, .poisson = 0.3};
  for (int kind = 0; kind < KINDS; kind++)
    for (int scheme = 0; scheme < 2; scheme++) {
      soft.model = (vlElasticModel)(kind / ELEMENTS);
      vlElastic *b =
          new_body(vl_vec(0.5, 0.05, 0.05), 10, 1, 1, soft, (vlElasticElement)(kind % ELEMENTS), (vlElasticScheme)scheme);
      clamp(b);
      for (int s = 0; s < 90; s++) {
        check_step(b, 1.0 / 30.0, vl_vec(0, -9.81, 0));
        vlBodyMeasure m = vl_body_measure(&b->body, none);
        assert_true(m.kinetic + m.elastic < m.mass * 9.81 * 0.5);
      }
      free_body(b);
    }
}

/* The tip of a bar that swings widely under its weight, after 0.3 s in n steps, alternating ones if uneven. */
static vlVec3 swing(int kind, vlElasticScheme scheme, int n, bool uneven)
{
  vlElasticMaterial m = rubber;
  m.young = 1e4;
  vlElastic *b = bar(kind, scheme, m);
  clamp(b);
  for (int s = 0; s < n; s++) check_step(b, 0.3 / n * (uneven ? (s % 2 ? 1.25 : 0.75) : 1.0), vl_vec(0, -9.81, 0));
  int tip = 0;
  for (int i = 0; i < b->body.node_count; i++)
    if (b->body.rest[i].x + b->body.rest[i].y + b->body.rest[i].z > 0.6 - 1e-9) tip = i;
  vlVec3 x = b->body.x[tip];
  free_body(b);
  return x;
}

/* Observed order from steps in the ratio 1 : 2 : 4; the tip falls by about the bar's length, so rotations and tangents that
 * are a step late would show: BDF2's order would be below 1, neo-Hookean below 1.5. */
static void schemes_have_their_orders(void **state)
{
  (void)state;
  for (int run = 0; run < 4; run++) {
    vlElasticScheme scheme = run ? VL_ELASTIC_BDF2 : VL_ELASTIC_BACKWARD_EULER;
    int kind = run == 3 ? NEO : VL_ELASTIC_QUADRATIC;
    vlVec3 a = swing(kind, scheme, 120, run == 2), b = swing(kind, scheme, 240, run == 2);
    vlVec3 c = swing(kind, scheme, 480, run == 2);
    double order = log2(vl_norm(vl_sub(a, b)) / vl_norm(vl_sub(b, c)));
    assert_true(a.y < -0.3);
    assert_true(order > (run ? 1.75 : 0.75) && order < (run ? 2.4 : 1.3));
  }
}

/* At rest the clamp carries the weight, and its moment about the root. */
static void reactions_carry_the_weight(void **state)
{
  (void)state;
  vlElasticMaterial m = rubber;
  m.mass_damping = 10.0;
  for (int kind = 0; kind < KINDS; kind++) {
    vlElastic *b = bar(kind, VL_ELASTIC_BACKWARD_EULER, m);
    assert_true(clamp(b) > 0);
    for (int s = 0; s < 400; s++) check_step(b, 0.02, vl_vec(0, -9.81, 0));
    vlBodyMeasure q = vl_body_measure(&b->body, none);
    double weight = q.mass * 9.81, moment = 0.0;
    assert_true(fabs(q.reaction.y / weight - 1.0) < 1e-9 && fabs(q.reaction.x) < 1e-9 * weight);
    for (int i = 0; i < b->body.node_count; i++) moment += vl_cross(b->body.x[i], b->body.reaction[i]).z;
    assert_true(fabs(moment / (weight * q.center.x) - 1.0) < 1e-8);
    free_body(b);
  }
}

/* Plane strain: z held everywhere, ends pulled apart by prescribed motion; stress E / (1 - nu^2) times strain, exact for
 * every element, and the ends exactly where they were sent, by either scheme. */
static void slab_stretches_in_plane_strain(void **state)
{
  (void)state;
  vlElasticMaterial m = rubber;
  m.mass_damping = 50.0;
  for (int kind = 0; kind < ELEMENTS; kind++)
    for (int scheme = 0; scheme < 2; scheme++) {
      vlElastic *b = bar(kind, (vlElasticScheme)scheme, m);
      hold_box(b, vl_box_everything(), 1u << VL_Z);
      hold_box(b, (vlBox3){vl_vec(-1, -1, -1), vl_vec(1e-9, 1, 1)}, 1u << VL_X);
      hold_box(b, (vlBox3){vl_vec(0.4 - 1e-9, -1, -1), vl_vec(1, 1, 1)}, 1u << VL_X);
      hold_box(b, (vlBox3){vl_vec(-1, -1, -1), vl_vec(1, 1e-9, 1)}, 1u << VL_Y);
      for (int s = 0; s < 400; s++) {
        double target = 0.4 + 1e-3 * fmin(s / 50.0, 1.0);
        for (int i = 0; i < b->body.node_count; i++)
          if (b->body.held[3 * i] && b->body.rest[i].x > 0.2)
            vl_elastic_hold(b, i, VL_X, vl_elastic_velocity_to(b, 0.02, i, VL_X, target));
        check_step(b, 0.02, none);
      }
      double pull = 0.0, strain = 1e-3 / 0.4;
      for (int i = 0; i < b->body.node_count; i++) {
        assert_true(b->body.x[i].z == b->body.rest[i].z);
        if (b->body.rest[i].x < 0.4 - 1e-9) continue;
        assert_true(fabs(b->body.x[i].x - 0.401) < 1e-14);
        pull += b->body.reaction[i].x;
      }
      assert_true(fabs(pull / (1e5 / (1 - 0.09) * strain * 0.01) - 1.0) < 1e-8); /* what is left of the motion */
      free_body(b);
    }
}

/* A bar that flies along with its clamp feels nothing: the share of the held unknowns in the rows of the free ones. */
static void flies_with_its_clamp(void **state)
{
  (void)state;
  const vlVec3 V = vl_vec(0.5, -0.3, 0.2);
  for (int run = 0; run < 4; run++) {
    vlElasticMaterial m = rubber;
    m.stiffness_damping = 0.01;
    vlElastic *b = bar(run / 2 ? NEO : VL_ELASTIC_QUADRATIC, (vlElasticScheme)(run % 2), m);
    clamp(b);
    for (int i = 0; i < b->body.node_count; i++) {
      b->body.v[i] = V;
      for (int a = 0; a < 3; a++) b->held_velocity[3 * i + a] = V.v[a];
    }
    for (int s = 0; s < 10; s++) check_step(b, 0.02, none);
    for (int i = 0; i < b->body.node_count; i++) {
      assert_true(vl_norm(vl_sub(b->body.x[i], vl_axpy(b->body.rest[i], 0.2, V))) < 1e-12);
      assert_true(vl_norm(b->body.reaction[i]) < 1e-8);
    }
    free_body(b);
  }
}

/* Holding from the start (left out of S) and holding later (rows of the identity) are the same; releasing frees again. */
static void holding_late_is_holding(void **state)
{
  (void)state;
  vlElastic *a = bar(VL_ELASTIC_QUADRATIC, VL_ELASTIC_BDF2, rubber), *b = bar(VL_ELASTIC_QUADRATIC, VL_ELASTIC_BDF2, rubber);
  clamp(a);
  vlStatus status = {0};
  assert_int_equal(vl_body_begin(&b->body, 0.01, none, &status), VL_OK); /* b's pattern has all unknowns */
  clamp(b);
  for (int s = 0; s < 20; s++) {
    check_step(a, 0.01, vl_vec(0, -9.81, 0));
    check_step(b, 0.01, vl_vec(0, -9.81, 0));
  }
  for (int i = 0; i < a->body.node_count; i++) {
    assert_true(vl_norm(vl_sub(a->body.x[i], b->body.x[i])) < 1e-11);
    assert_true(vl_norm(vl_sub(a->body.reaction[i], b->body.reaction[i])) < 1e-7);
  }
  for (int i = 0; i < a->body.node_count; i++)
    for (int axis = 0; axis < 3; axis++) {
      vl_elastic_release(a, i, axis);
      vl_elastic_release(b, i, axis);
    }
  vlVec3 before = vl_body_measure(&a->body, none).momentum;
  check_step(a, 0.01, vl_vec(0, -9.81, 0));
  check_step(b, 0.01, vl_vec(0, -9.81, 0));
  assert_true(largest(a->body.reaction, a->body.node_count) == 0.0);
  for (int i = 0; i < a->body.node_count; i++) assert_true(vl_norm(vl_sub(a->body.x[i], b->body.x[i])) < 1e-11);
  assert_true(fabs(vl_body_measure(&a->body, none).momentum.y - before.y) > 1e-3);
  free_body(a);
  free_body(b);
}

/* All unknowns held: S has no rows, the body goes where it is told. */
static void a_body_held_whole_follows(void **state)
{
  (void)state;
  vlElastic *b = bar(VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER, rubber);
  hold_box(b, vl_box_everything(), 7);
  for (int i = 0; i < b->body.node_count; i++) b->held_velocity[3 * i] = 2.0;
  check_step(b, 0.1, vl_vec(0, -9.81, 0));
  for (int i = 0; i < b->body.node_count; i++)
    assert_true(fabs(b->body.x[i].x - b->body.rest[i].x - 0.2) < 1e-14 && b->body.x[i].y == b->body.rest[i].y);
  assert_true(fabs(vl_body_measure(&b->body, none).reaction.y - 4.0 * 9.81) < 1e-9);
  free_body(b);
}

/* A load given to finish acts as the same external force, and a begin that is thrown away leaves no trace. */
static void loads_and_repeated_begins(void **state)
{
  (void)state;
  vlElastic *a = bar(NEO, VL_ELASTIC_BDF2, rubber), *b = bar(NEO, VL_ELASTIC_BDF2, rubber);
  vlVec3 *load = new_vectors(a, 12);
  vlStatus status = {0};
  clamp(a);
  clamp(b);
  for (int s = 0; s < 10; s++) {
    memcpy(a->body.force, load, (size_t)a->body.node_count * sizeof *load);
    check_step(a, 0.005, none);
    assert_int_equal(vl_body_begin(&b->body, 0.01, vl_vec(1, 2, 3), &status), VL_OK);
    assert_int_equal(vl_body_begin(&b->body, 0.005, none, &status), VL_OK);
    assert_int_equal(vl_body_finish(&b->body, load, &status), VL_OK);
  }
  for (int i = 0; i < a->body.node_count; i++) {
    assert_true(vl_norm(vl_sub(a->body.x[i], b->body.x[i])) < 1e-12);
    assert_true(vl_norm(vl_sub(a->body.reaction[i], b->body.reaction[i])) < 1e-8);
  }
  free(load);
  free_body(a);
  free_body(b);
}

/* Crushed flat, turned inside out along one axis, tangled, collapsed to a point: with damping each comes back to rest; in a
 * point the neo-Hookean law has no force. */
static void crushed_bodies_come_back(void **state)
{
  (void)state;
  vlElasticMaterial m = rubber;
  m.mass_damping = 20.0;
  m.stiffness_damping = 0.005;
  for (int kind = 0; kind < KINDS; kind++)
    for (int crush = 0; crush < (kind < ELEMENTS ? 4 : 3); crush++) {
      m.model = (vlElasticModel)(kind / ELEMENTS);
      int element = kind % ELEMENTS;
      vlElastic *b = new_body(vl_vec(0.1, 0.1, 0.1), 2, 2, 2, m, (vlElasticElement)element, VL_ELASTIC_BACKWARD_EULER);
      const double scale[4][3] = {{1, 0, 1}, {1, -0.5, 1}, {1, 1, 1}, {0, 0, 0}};
      for (int i = 0; i < b->body.node_count; i++)
        for (int a = 0; a < 3; a++) b->body.x[i].v[a] *= scale[crush][a];
      if (crush == 2) shake(b, element == VL_ELASTIC_LINEAR ? 0.05 : 0.025, 77); /* by the distance of nodes */
      if (crush == 1 || crush == 2) assert_true(vl_elastic_linearise(b, b->body.x) > 0);
      double first = vl_elastic_energy(b, b->body.x);
      for (int s = 0; s < 150; s++) check_step(b, 0.01, none);
      double last = vl_elastic_energy(b, b->body.x);
      assert_true(first > 1.0);
      assert_true(last < 1e-6 * first);
      assert_int_equal(b->body.inverted, 0);
      assert_true(fabs(vl_body_measure(&b->body, none).volume / 1e-3 - 1.0) < 1e-3);
      free_body(b);
    }
}

static void compare_threads(vlElasticMaterial m)
{
  vlElastic *b[2];
  for (int run = 0; run < 2; run++) {
    omp_set_num_threads(run ? 3 : 1);
    b[run] = new_body(vl_vec(0.4, 0.1, 0.1), 16, 4, 3, m, VL_ELASTIC_QUADRATIC, VL_ELASTIC_BDF2);
    vlElastic *other = bar(VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER, rubber);
    clamp(b[run]);
    for (int s = 0; s < 4; s++) {
      check_step(b[run], 0.05, vl_vec(0, -9.81, 0));
      if (run) check_step(other, 0.02, none); /* bodies do not know each other */
    }
    free_body(other);
  }
  omp_set_num_threads(1);
  size_t bytes = (size_t)b[0]->body.node_count * sizeof *b[0]->body.x;
  assert_memory_equal(b[0]->body.x, b[1]->body.x, bytes);
  assert_memory_equal(b[0]->body.v, b[1]->body.v, bytes);
  assert_memory_equal(b[0]->body.reaction, b[1]->body.reaction, bytes);
  for (int run = 0; run < 2; run++) free_body(b[run]);
}

/* A body large enough to be shared by threads, and a second one beside it: the same bits with 1 and with 3 threads. */
static void threads_do_not_matter(void **state)
{
  (void)state;
  vlElasticMaterial m = rubber;
  compare_threads(m);
  m.model = VL_ELASTIC_NEO_HOOKEAN;
  compare_threads(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momentum_stays),
      cmocka_unit_test(falls_as_a_point),
      cmocka_unit_test(energy_does_not_grow),
      cmocka_unit_test(long_steps_do_not_blow_up),
      cmocka_unit_test(schemes_have_their_orders),
      cmocka_unit_test(reactions_carry_the_weight),
      cmocka_unit_test(slab_stretches_in_plane_strain),
      cmocka_unit_test(flies_with_its_clamp),
      cmocka_unit_test(holding_late_is_holding),
      cmocka_unit_test(a_body_held_whole_follows),
      cmocka_unit_test(loads_and_repeated_begins),
      cmocka_unit_test(crushed_bodies_come_back),
      cmocka_unit_test(threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
