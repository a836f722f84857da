/* Reduced bodies alone: weights, the two spaces, projection, mass and stiffness, steps as one medium with grains that go
 * where they want or where they are let. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reduced_bodies.h"

/* Weights sum to 1, reach no farther than they should; U reproduces the form at rest, B the grains. */
static void test_rest(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft);
  for (int v = 0; v < b->body.node_count; v++) {
    double sum = 0.0;
    for (int64_t e = b->start[v]; e < b->start[v + 1]; e++) {
      sum += b->weight[e];
      assert_true(b->weight[e] >= 1e-4 * 0.99 && (e == b->start[v] || b->of[e] > b->of[e - 1]));
      vlVec3 from = vl_add(b->handle[b->of[e]], b->center);
      assert_true(vl_norm(vl_sub(b->body.rest[v], from)) < b->radius); /* ways are no shorter than lines */
    }
    assert_true(fabs(sum - 1.0) < 1e-15 * 20);
  }
  assert_true(vl_norm(vl_sub(vl_add(b->handle[0], b->center), b->body.rest[0])) < 1e-15 * 8); /* the first vertex */
  /* coordinates to 4 m, sums of some 20 terms */
  assert_true(largest_gap(b->body.x, b->body.rest, b->body.node_count) < 1e-14);
  assert_true(largest_gap(b->grains.x, b->grains.rest, b->grains.count) < 1e-14);
  double volume = b->grains.count * pow(b->grains.spacing, 3);
  assert_true(fabs(volume / b->volume - 1.0) < 0.1); /* 6 grains across its thickness */
  assert_true(fabs(b->grains.mass * b->grains.count / (600 * 0.5) - 1.0) < 1e-12);
  assert_true(vl_reduced_energy(b) < 1e-20);
  drop(b);
}

/* P = B U by other sums, and U^T is its transpose. */
static void test_twin_spaces(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft);
  int n = b->body.node_count;
  vlVec3 *x = room(n), *f = room(n), *at = room(b->grains.count);
  double(*q)[4] = calloc((size_t)b->size, sizeof *q), (*back)[4] = calloc((size_t)b->size, sizeof *back);
  uint64_t seed = 8;
  random_rows(q, b->size, 5);
  vl_reduced_spread(b, (Rows)q, x);
  vl_reduced_to_grains(b, x, at);
  for (int p = 0; p < b->grains.count; p += 7) {
    vlVec3 sum = none;
    for (int c = 0; c < 4; c++) sum = vl_axpy(sum, b->grain_share[p][c], vl_reduced_row(b, (Rows)q, b->grain_node[p][c]));
    assert_true(vl_norm(vl_sub(sum, at[p])) < 1e-13);
  }
  vlVec3 *direct = room(b->grains.count), *back_to_nodes = room(n);
  vl_reduced_spread_grains(b, (Rows)q, direct);
  assert_true(largest_gap(direct, at, b->grains.count) < 1e-13);
  for (int p = 0; p < b->grains.count; p++) direct[p] = vl_vec(random_unit(&seed), random_unit(&seed), random_unit(&seed));
  double(*by_twin)[4] = calloc((size_t)b->size, sizeof *by_twin);
  vl_reduced_collect_grains(b, direct, by_twin);
  vl_reduced_from_grains(b, direct, back_to_nodes);
  vl_reduced_collect(b, back_to_nodes, back);
  for (int i = 0; i < 4 * b->size; i++)
    assert_true(fabs(by_twin[i / 4][i % 4] - back[i / 4][i % 4]) < 1e-13 * b->grains.count);
  free(direct);
  free(back_to_nodes);
  free(by_twin);
  double left = 0.0, right = 0.0;
  for (int i = 0; i < 3 * n; i++) f[i / 3].v[i % 3] = random_unit(&seed);
  vl_reduced_collect(b, f, back);
  for (int v = 0; v < n; v++) left += vl_dot(x[v], f[v]);
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 3; c++) right += q[i][c] * back[i][c];
  assert_true(fabs(left - right) < 1e-12 * n);
  memset(q, 0, (size_t)b->size * sizeof *q);
  for (int v = 0; v < n; v++) vl_reduced_add_row(b, v, f[v], q);
  for (int i = 0; i < 4 * b->size; i++) assert_true(fabs(q[i / 4][i % 4] - back[i / 4][i % 4]) < 1e-12 * n);
  free(x);
  free(f);
  free(at);
  free(q);
  free(back);
  drop(b);
}

/* Affine maps move nodes and grains alike; normals go with the cofactor. */
static void test_affine(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft);
  const vlMat3 L = {{{1.1, 0.3, -0.2}, {-0.4, 0.8, 0.1}, {0.05, 0.2, 1.3}}}, D = {{{0, -2, 1}, {2, 0.5, 0}, {-1, 0, 0.3}}};
  vlVec3 about = vl_vec(2, 2, 3), to = vl_vec(0.3, -1, 5), speed = vl_vec(1, 2, 3);
  vlMat3 inverse, normals;
  assert_true(vl_mat_inverse(L, &inverse));
  normals = vl_mat_transpose(inverse);
  vl_reduced_set_affine(b, about, L, to, D, speed);
  vl_reduced_follow(b);
  for (int v = 0; v < b->body.node_count; v++) {
    vlVec3 r = vl_sub(b->body.rest[v], about);
    assert_true(vl_norm(vl_sub(b->body.x[v], vl_add(to, vl_mat_apply(L, r)))) < 2e-14);
    assert_true(vl_norm(vl_sub(b->body.v[v], vl_add(speed, vl_mat_apply(D, r)))) < 2e-14);
  }
  int outer = 0;
  for (int p = 0; p < b->grains.count; p++) {
    vlVec3 r = vl_sub(b->grains.rest[p], about), n = b->grain_normal[p];
    assert_true(vl_norm(vl_sub(b->grains.x[p], vl_add(to, vl_mat_apply(L, r)))) < 2e-14);
    assert_true(vl_norm(vl_sub(b->grains.v[p], vl_add(speed, vl_mat_apply(D, r)))) < 2e-14);
    if (vl_norm(n) == 0.0) {
      assert_true(vl_norm(b->grains.normal[p]) == 0.0);
      continue;
    }
    outer++;
    assert_true(vl_norm(vl_sub(b->grains.normal[p], vl_unit(vl_mat_apply(normals, n)))) < 1e-12);
  }
  assert_true(outer > b->grains.count / 4 && outer < b->grains.count);
  drop(b);
}

/* Normals point out of the bar. */
static void test_normals(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft);
  for (int p = 0; p < b->grains.count; p++) {
    vlVec3 n = b->grain_normal[p], x = b->grains.rest[p];
    const double lo[3] = {1, 2, 3}, hi[3] = {3, 2.5, 3.5};
    double away = INFINITY;
    int side = 0;
    for (int i = 0; i < 6; i++) {
      double d = i % 2 ? hi[i / 2] - x.v[i / 2] : x.v[i / 2] - lo[i / 2];
      if (d < away) away = d, side = i;
    }
    assert_true((vl_norm(n) > 0.5) == (away <= b->grains.spacing));
    if (vl_norm(n) > 0.5) assert_true(n.v[side / 2] * (side % 2 ? 1.0 : -1.0) > 0.5); /* at edges means of three */
  }
  drop(b);
}

/* Mass as the grains have it, of affine motions exactly; K knows no translation; A is positive definite, A^-1 its inverse.
 */
static void test_matrices(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft);
  vlStatus status = {0};
  size_t n = (size_t)b->size;
  double stiffest = 0.0;
  for (size_t i = 0; i < n; i++) stiffest = fmax(stiffest, b->stiffness[i * n + i]);
  for (size_t i = 0; i < n; i++) {
    double moved = 0.0;
    for (size_t j = 3; j < n; j += 4) moved += b->stiffness[i * n + j];
    assert_true(fabs(moved) < 1e-13 * stiffest * (double)n);
    for (size_t j = 0; j < i; j++)
      assert_true(b->gram[i * n + j] == b->gram[j * n + i] && b->stiffness[i * n + j] == b->stiffness[j * n + i]);
  }
  const vlMat3 D = {{{0.2, -2, 1}, {2, 0.5, 0}, {-1, 0, 0.3}}};
  vl_reduced_set_affine(b, none, vl_mat_identity(), none, D, vl_vec(1, 2, 3));
  vl_reduced_follow(b);
  vlVec3 momentum = none, mean = none, spin = none;
  double kinetic = 0.0, m = b->grains.mass;
  for (int p = 0; p < b->grains.count; p++) mean = vl_axpy(mean, 1.0 / b->grains.count, b->grains.x[p]);
  for (int p = 0; p < b->grains.count; p++) {
    momentum = vl_axpy(momentum, m, b->grains.v[p]);
    spin = vl_axpy(spin, m, vl_cross(vl_sub(b->grains.x[p], mean), b->grains.v[p]));
    kinetic += 0.5 * m * vl_dot(b->grains.v[p], b->grains.v[p]);
  }
  vlReducedWhole w = whole(b);
  assert_true(vl_norm(vl_sub(w.momentum, momentum)) < 1e-11 * vl_norm(momentum)); /* sums of a thousand grains */
  assert_true(vl_norm(vl_sub(w.center, mean)) < 1e-12);
  assert_true(vl_norm(vl_sub(w.spin, spin)) < 1e-10 * vl_norm(momentum));
  assert_true(fabs(w.kinetic / kinetic - 1.0) < 1e-11);
  assert_int_equal(vl_reduced_build(b, DT, &status), VL_OK);
  double(*r)[4] = calloc(n, sizeof *r), (*x)[4] = calloc(n, sizeof *x), worst = 0.0;
  random_rows(r, b->size, 9);
  vl_reduced_answer(b, (Rows)r, x);
  for (size_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++)
      sum += (vl_reduced_inertia(b, DT) * b->gram[i * n + j] + vl_reduced_lambda(b) * b->stiffness[i * n + j]) * x[j][1];
    worst = fmax(worst, fabs(sum - r[i][1]));
  }
  assert_true(worst < 1e-9); /* condition 1e5 of numbers near 1 */
  free(r);
  free(x);
  drop(b);
}

/* In place and turned any way, at rest it stays so. */
static void test_rest_stays(void **state)
{
  (void)state;
  uint64_t seed = 21;
  for (int trial = 0; trial < 4; trial++) {
    vlReduced *b = new_bar(soft);
    vlMat3 zero = {0}, turn = trial ? random_rotation(&seed) : vl_mat_identity();
    vl_reduced_set_affine(b, b->center, turn, vl_vec(4, 4, 4), zero, none);
    vl_reduced_follow(b);
    step_alone(b, DT, none);
    for (int v = 0; v < b->body.node_count; v++) assert_true(vl_norm(b->body.v[v]) < 1e-12);
    drop(b);
  }
}

/* Free fall: v = g t at all nodes, with damping of momenta the recursion of backward Euler; no strain. */
static void test_falls(void **state)
{
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    vlReducedMaterial m = soft;
    m.mass_damping = damped ? 2.0 : 0.0;
    vlReduced *b = new_bar(m);
    double v = 0.0, y = 0.0, dt = 0.01;
    for (int s = 0; s < 50; s++) {
      step_alone(b, dt, vl_vec(0, -9.81, 0));
      v = (v - dt * 9.81) / (1.0 + m.mass_damping * dt);
      y += dt * v;
    }
    for (int i = 0; i < b->body.node_count; i++) {
      assert_true(vl_norm(vl_sub(b->body.v[i], vl_vec(0, v, 0))) < 1e-11);
      assert_true(vl_norm(vl_sub(vl_sub(b->body.x[i], b->body.rest[i]), vl_vec(0, y, 0))) < 1e-12);
    }
    drop(b);
  }
}

/* A spinning bar, not about an axis of its own, in vacuum: it flies straight and keeps its angular momentum. */
static void test_spins(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft);
  vlVec3 omega = vl_vec(1, 3, 0.5), start = whole(b).center, speed = vl_vec(0.4, 0, -0.3);
  vlMat3 turn = {{{0, -omega.z, omega.y}, {omega.z, 0, -omega.x}, {-omega.y, omega.x, 0}}};
  vl_reduced_set_affine(b, start, vl_mat_identity(), start, turn, speed);
  vl_reduced_follow(b);
  vlVec3 spin = whole(b).spin;
  for (int s = 0; s < 60; s++) step_alone(b, DT, none);
  vlReducedWhole w = whole(b);
  assert_true(vl_norm(vl_sub(vl_scale(w.momentum, 1.0 / w.mass), speed)) < 1e-11);
  assert_true(vl_norm(vl_sub(w.center, vl_axpy(start, 60 * DT, speed))) < 1e-11);
  /* given back twice a step, each time but for the square of a correction of (omega dt)^2 = 3e-3 of the spin */
  assert_true(vl_norm(vl_sub(w.spin, spin)) < 60 * 9e-6 * vl_norm(spin));
  assert_int_equal(vl_body_inverted(&b->body), 0);
  drop(b);
}

/* Grains anywhere: their mean and their first moments stay; an affine motion of all of them is taken as it is, and what lies
 * where it should is left there. */
static void test_projection(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft);
  vlStatus status = {0};
  vlGrains *g = &b->grains;
  vlVec3 *to = room(g->count), sum = none;
  uint64_t seed = 4;
  const vlMat3 L = {{{1.02, 0.03, -0.02}, {-0.04, 0.98, 0.01}, {0.005, 0.02, 1.03}}};
  vlMat3 moments = {{{0}}};
  assert_int_equal(b->body.type->predict(&b->body, DT, none, &status), VL_OK);
  for (int p = 0; p < g->count; p++) {
    to[p] = g->x[p];
    for (int a = 0; a < 3; a++) to[p].v[a] += 0.002 * random_unit(&seed);
  }
  assert_int_equal(b->body.type->settle(&b->body, to, DT, &status), VL_OK);
  for (int p = 0; p < g->count; p++) {
    vlVec3 miss = vl_sub(g->x[p], to[p]), arm = vl_sub(g->rest[p], b->center);
    sum = vl_add(sum, miss);
    for (int i = 0; i < 9; i++) moments.m[i / 3][i % 3] += miss.v[i / 3] * arm.v[i % 3];
  }
  assert_true(vl_norm(sum) < 1e-11 && vl_mat_norm(moments) < 1e-11); /* a thousand grains, misses of millimetres */
  vl_body_destroy((vlBody *[]){&b->body});
  b = new_bar(soft);
  g = &b->grains;
  assert_int_equal(b->body.type->predict(&b->body, DT, none, &status), VL_OK);
  for (int p = 0; p < g->count; p++) to[p] = vl_add(vl_vec(0.1, 0.2, -0.3), vl_mat_apply(L, g->rest[p]));
  assert_int_equal(b->body.type->settle(&b->body, to, DT, &status), VL_OK);
  assert_true(largest_gap(g->x, to, g->count) < 1e-11);
  for (int v = 0; v < b->body.node_count; v++)
    assert_true(vl_norm(vl_sub(b->body.x[v], vl_add(vl_vec(0.1, 0.2, -0.3), vl_mat_apply(L, b->body.rest[v])))) < 1e-11);
  vl_reduced_product(b->gram, b->size, (Rows)b->q, b->force); /* P q is taken as q: G^-1 G q = q */
  vl_reduced_project(b, (Rows)b->force, b->gone);
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 3; c++) assert_true(fabs(b->gone[i][c] - b->q[i][c]) < 1e-8);
  free(to);
  drop(b);
}

/* Stretched by half, sheared and let go: it comes back, loses its energy, and nothing turns inside out. */
static void test_comes_back(void **state)
{
  (void)state;
  vlReducedMaterial damped = soft;
  damped.mass_damping = 4.0;
  vlReduced *b = new_bar(damped);
  const vlMat3 L = {{{1.5, 0.4, 0}, {0, 0.8, 0.3}, {0, 0, 0.9}}}, zero = {0};
  vl_reduced_set_affine(b, b->center, L, b->center, zero, none);
  vl_reduced_follow(b);
  double first = vl_reduced_energy(b);
  vlVec3 center = whole(b).center;
  for (int s = 0; s < 150; s++) {
    step_alone(b, DT, none);
    assert_int_equal(vl_body_inverted(&b->body), 0);
  }
  vlBodyMeasure m = vl_body_measure(&b->body, none);
  assert_true(m.elastic < 1e-3 * first && vl_norm(vl_sub(whole(b).center, center)) < 1e-11);
  for (int i = 0; i < b->body.element_count; i += 50) {
    double s[6];
    b->body.type->stress(&b->body, i, s);
    assert_true(vl_von_mises(s) < 0.1 * vl_reduced_lambda(b));
  }
  drop(b);
}

/* The energy of its few unknowns is the sum over its tetrahedra, and those inside out are those whose det F is not above 0.
 */
static void test_energy(void **state)
{
  (void)state;
  vlReduced *b = new_bar(soft);
  for (int turned_over = 0; turned_over < 2; turned_over++) {
    const vlMat3 turn = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}, zero = {0};
    vl_reduced_set_affine(b, b->center, turn, vl_vec(5, 6, 7), zero, none);
    for (int i = 0; i < b->size; i++) /* turned and bent, then crumpled */
      for (int c = 0; c < 3; c++) b->q[i][c] += b->radius * (turned_over ? 1.5 : 0.1) * sin(7.0 * i + 3.0 * c);
    vl_reduced_follow(b);
    double sum = 0.0;
    int inverted = 0;
    vlMat3 *mean = calloc((size_t)b->cluster_count, sizeof *mean);
    for (int pass = 0; pass < 2; pass++)
      for (int e = 0; e < b->body.element_count; e++) {
        vlVec3 g[4];
        vlMat3 F = vl_reduced_deformation(b, e, b->body.x), *m = &mean[b->cluster[e]], R = vl_mat_identity();
        double volume = vl_reduced_gradients(b, e, g), part = volume / b->cluster_volume[b->cluster[e]];
        if (pass == 1) assert_true(vl_mat_polar(*m, &R));
        for (int i = 0; i < 9; i++) {
          if (pass == 0) m->m[i / 3][i % 3] += part * F.m[i / 3][i % 3];
          double strain = F.m[i / 3][i % 3] - R.m[i / 3][i % 3];
          if (pass == 1) sum += 0.5 * vl_reduced_lambda(b) * volume * strain * strain;
        }
        inverted += pass == 1 && !(vl_mat_determinant(F) > 0.0);
      }
    free(mean);
    assert_true(fabs(vl_reduced_energy(b) / sum - 1.0) < 1e-10); /* q of metres, sums of a thousand terms */
    assert_int_equal(vl_body_inverted(&b->body), inverted);
    assert_true((inverted > 0) == turned_over);
  }
  drop(b);
}

/* Set down hard, at a metre a second, on a floor that keeps its grains above it. */
static void test_dropped(void **state)
{
  (void)state;
  vlReducedMaterial rubbery = soft;
  rubbery.young = 2e5;
  vlReduced *b = new_bar(rubbery);
  vlStatus status = {0};
  vlGrains *g = &b->grains;
  vlVec3 *to = room(g->count);
  for (int s = 0; s < 120; s++) {
    assert_int_equal(b->body.type->predict(&b->body, DT, vl_vec(0, -9.81, 0), &status), VL_OK);
    for (int p = 0; p < g->count; p++) {
      to[p] = vl_axpy(g->x[p], DT, g->wanted[p]);
      to[p].y = fmax(to[p].y, 1.95);
    }
    assert_int_equal(b->body.type->settle(&b->body, to, DT, &status), VL_OK);
    assert_int_equal(vl_body_inverted(&b->body), 0);
  }
  assert_true(whole(b).center.y > 2.0 && whole(b).center.y < 2.25);
  free(to);
  drop(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),       cmocka_unit_test(test_twin_spaces), cmocka_unit_test(test_affine),
      cmocka_unit_test(test_normals),    cmocka_unit_test(test_matrices),    cmocka_unit_test(test_rest_stays),
      cmocka_unit_test(test_falls),      cmocka_unit_test(test_spins),       cmocka_unit_test(test_projection),
      cmocka_unit_test(test_comes_back), cmocka_unit_test(test_dropped),     cmocka_unit_test(test_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
