/* The neo-Hookean law: slopes by differences, a positive tangent, Hooke's law for small strains, the curve of a bar that is
 * pulled long; then bodies made of it: their stiffness, their period, their spin under pressure. What holds for every law,
 * free rotation, momentum, energy in time, orders, crushed bodies, threads, is in test_elastic.c and test_elastic_step.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "elastic_bodies.h"
#include "solid/elastic_neo.h"

static const vlVec3 none = {.v = {0, 0, 0}};
static const vlNeo flesh = {.mu = 1.0, .lambda = 2.5};

static vlElasticMaterial neo_rubber(void)
{
  vlElasticMaterial m = rubber;
  m.model = VL_ELASTIC_NEO_HOOKEAN;
  return m;
}

/* Number 0 .. 39: near rest, far from it, flat, inside out, with equal stretches, a point. */
static vlMat3 sample(int i, uint64_t *seed)
{
  vlMat3 R = random_rotation(seed), Q = random_rotation(seed), S = {0};
  static const double special[][3] = {{1, 1, 1},   {1, 0, 1},      {1, -0.5, 1}, {-1, -1, -1}, {0.9, 0.9, 0.9},
                                      {2, 2, 0.1}, {0.3, 0, 1e-9}, {3, 0.1, 0},  {0, 0, 0},    {1.1, 1.1, 1.1}};
  for (int a = 0; a < 3; a++) S.m[a][a] = i < 10 ? special[i][a] : 1.0 + 0.1 * (i - 10) * random_unit(seed);
  return vl_mat_multiply(vl_mat_multiply(R, S), Q);
}

/* Central differences: errors h^2 times third derivatives, below 100 here, and round-off / h. */
static void stress_is_the_slope_of_the_energy(void **state)
{
  (void)state;
  const double h = 1e-5;
  uint64_t seed = 3;
  for (int i = 0; i < 40; i++) {
    vlMat3 F = sample(i, &seed), P = vl_neo_stress(flesh, F);
    for (int c = 0; c < 9; c++) {
      vlMat3 up = F, down = F;
      up.m[c / 3][c % 3] += h;
      down.m[c / 3][c % 3] -= h;
      double slope = (vl_neo_energy(flesh, up) - vl_neo_energy(flesh, down)) / (2.0 * h);
      assert_true(fabs(slope - P.m[c / 3][c % 3]) < 1e-7 * (1.0 + vl_mat_norm(P)));
    }
  }
}

static void tangent_is_the_slope_of_the_stress(void **state)
{
  (void)state;
  const double h = 1e-5;
  uint64_t seed = 4;
  for (int i = 0; i < 40; i++) {
    vlMat3 F = sample(i, &seed);
    double H[9][9], size = 0.0;
    vl_neo_tangent(flesh, F, false, H);
    for (int c = 0; c < 81; c++) size = fmax(size, fabs(H[c / 9][c % 9]));
    for (int c = 0; c < 9; c++) {
      vlMat3 up = F, down = F;
      up.m[c / 3][c % 3] += h;
      down.m[c / 3][c % 3] -= h;
      vlMat3 high = vl_neo_stress(flesh, up), low = vl_neo_stress(flesh, down);
      for (int r = 0; r < 9; r++) {
        double slope = (high.m[r / 3][r % 3] - low.m[r / 3][r % 3]) / (2.0 * h);
        assert_true(fabs(slope - H[r][c]) < 1e-7 * (1.0 + size));
        assert_true(H[r][c] == H[c][r]);
      }
    }
  }
}

/* Whether H + shift I has a Cholesky factor: all eigenvalues above -shift. */
static bool is_positive(double H[9][9], double shift)
{
  double L[9][9] = {{0}};
  for (int i = 0; i < 9; i++)
    for (int j = 0; j <= i; j++) {
      double sum = H[i][j] + (i == j ? shift : 0.0);
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      if (i == j && !(sum > 0.0)) return false;
      L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
    }
  return true;
}

/* In every state; where the tangent is positive by itself it stays as it is, else it grows. */
static void positive_tangent(void **state)
{
  (void)state;
  uint64_t seed = 5;
  int changed = 0;
  for (int i = 0; i < 40; i++) {
    vlMat3 F = sample(i, &seed);
    double H[9][9], exact[9][9], more[9][9], size = 0.0, change = 0.0;
    vl_neo_tangent(flesh, F, true, H);
    vl_neo_tangent(flesh, F, false, exact);
    for (int c = 0; c < 81; c++) {
      int r = c / 9, q = c % 9;
      more[r][q] = H[r][q] - exact[r][q];
      size = fmax(size, fabs(H[r][q]));
      change = fmax(change, fabs(more[r][q]));
    }
    double round_off = 1e-13 * size;
    assert_true(size > 0.0);
    assert_true(is_positive(H, round_off) && is_positive(more, round_off));
    assert_true((change < round_off) == is_positive(exact, round_off));
    changed += change > round_off;
  }
  assert_true(changed > 5 && changed < 35);
}

/* P of I + t e is t times Hooke's stress, but for t^2; in the turned frame too. No stress and no energy in a rotation. */
static void small_strains_are_hookes(void **state)
{
  (void)state;
  const double E = 1e5, poisson[] = {0.0, 0.3, 0.45}, t = 1e-6;
  const vlMat3 e = {{{0.2, 0.5, -0.3}, {0.5, -0.7, 0.1}, {-0.3, 0.1, 0.4}}};
  uint64_t seed = 6;
  for (int i = 0; i < 3; i++) {
    double nu = poisson[i], lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu)), square = 0.0;
    vlNeo neo = vl_neo_from_lame(lambda, mu);
    vlMat3 R = random_rotation(&seed), F = vl_mat_identity(), hooke;
    double trace = e.m[0][0] + e.m[1][1] + e.m[2][2];
    for (int c = 0; c < 9; c++) {
      F.m[c / 3][c % 3] += t * e.m[c / 3][c % 3];
      hooke.m[c / 3][c % 3] = 2 * mu * e.m[c / 3][c % 3] + (c % 4 ? 0.0 : lambda * trace);
      square += e.m[c / 3][c % 3] * e.m[c / 3][c % 3];
    }
    vlMat3 P = vl_neo_stress(neo, vl_mat_multiply(R, F)), wanted = vl_mat_multiply(R, hooke);
    for (int c = 0; c < 9; c++) assert_true(fabs(P.m[c / 3][c % 3] / t - wanted.m[c / 3][c % 3]) < 1e-4 * E);
    double energy = mu * square + 0.5 * lambda * trace * trace;
    assert_true(fabs(vl_neo_energy(neo, vl_mat_multiply(R, F)) / (t * t) - energy) < 1e-4 * E);
    assert_true(vl_mat_norm(vl_neo_stress(neo, R)) < 1e-14 * E * 10 && fabs(vl_neo_energy(neo, R)) < 1e-28 * E * 10);
  }
}

/* A bar pulled to `l` times its length between faces that slide, after it has come to rest; returns the force. */
static double pull(vlElasticElement element, double l, double *volume)
{
  vlElasticMaterial m = neo_rubber();
  m.mass_damping = 20.0;
  vlElastic *b = new_body(vl_vec(0.4, 0.1, 0.1), 2, 1, 1, m, element, VL_ELASTIC_BACKWARD_EULER);
  for (int axis = 0; axis < 3; axis++) {
    vlBox3 side = vl_box_everything();
    side.hi.v[axis] = 1e-9;
    hold_box(b, side, 1u << axis);
  }
  hold_box(b, (vlBox3){vl_vec(0.4 - 1e-9, -1, -1), vl_vec(1, 1, 1)}, 1u << VL_X);
  for (int s = 0; s < 300; s++) {
    for (int i = 0; i < b->body.node_count; i++)
      if (b->body.rest[i].x > 0.4 - 1e-9)
        vl_elastic_hold(b, i, VL_X,
                        vl_elastic_velocity_to(b, 0.02, i, VL_X, 0.4 * (1.0 + (l - 1.0) * fmin(s / 100.0, 1.0))));
    check_step(b, 0.02, none);
  }
  double force = 0.0;
  for (int i = 0; i < b->body.node_count; i++)
    if (b->body.rest[i].x > 0.4 - 1e-9) force += b->body.reaction[i].x;
  *volume = vl_body_measure(&b->body, none).volume;
  free_body(b);
  return force;
}

/* Sides without stress: mu across + s l across = 0, so J = 1 + (mu/lambda) (1 - 1/l), and P along is mu (l - J/l^2). */
static void a_bar_follows_the_curve(void **state)
{
  (void)state;
  const double length[] = {0.7, 0.8, 1.5, 2.5}, mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1.3 * 0.4) + mu;
  for (int i = 0; i < 4; i++)
    for (int element = 0; element < 2; element++) {
      double l = length[i], J = 1.0 + mu / lambda * (1.0 - 1.0 / l), volume;
      double force = pull((vlElasticElement)element, l, &volume), wanted = 0.01 * mu * (l - J / (l * l));
      assert_true(fabs(force / wanted - 1.0) < 1e-8); /* what is left of the motion */
      assert_true(fabs(volume / (0.004 * J) - 1.0) < 1e-8);
    }
}

/* Uniformly stretched, a little shaken, every tangent is positive and K is the slope of the forces. */
static void stiffness_is_the_slope_of_the_force(void **state)
{
  (void)state;
  const double h = 1e-7;
  for (int element = 0; element < 2; element++) {
    vlElastic *b = new_body(vl_vec(0.3, 0.2, 0.1), 3, 2, 2, neo_rubber(), (vlElasticElement)element, VL_ELASTIC_BDF2);
    vlVec3 *d = new_vectors(b, 8), *K = new_vectors(b, 0), *high = new_vectors(b, 0), *low = new_vectors(b, 0);
    vlStatus status = {0};
    for (int i = 0; i < b->body.node_count; i++) b->body.x[i] = vl_scale(b->body.x[i], 1.1);
    shake(b, 1e-3, 9);
    assert_int_equal(vl_body_begin(&b->body, 0.01, none, &status), VL_OK);
    vl_elastic_stiffness_apply(b, d, K);
    for (int i = 0; i < b->body.node_count; i++) b->body.x[i] = vl_axpy(b->body.x[i], h, d[i]);
    vl_elastic_force(b, b->body.x, high);
    for (int i = 0; i < b->body.node_count; i++) b->body.x[i] = vl_axpy(b->body.x[i], -2.0 * h, d[i]);
    vl_elastic_force(b, b->body.x, low);
    for (int i = 0; i < b->body.node_count; i++) {
      vlVec3 slope = vl_scale(vl_sub(high[i], low[i]), 0.5 / h);
      assert_true(vl_norm(vl_sub(slope, K[i])) < 1e-6 * largest(K, b->body.node_count));
    }
    free(d);
    free(K);
    free(high);
    free(low);
    free_body(b);
  }
}

/* Time of the third passage of the tip through its place at rest. */
static double third_passage(vlElasticModel model, vlElasticElement element)
{
  vlElasticMaterial m = rubber;
  m.model = model;
  vlElastic *b = new_body(vl_vec(0.4, 0.1, 0.1), 4, 1, 1, m, element, VL_ELASTIC_BDF2);
  int tip = 0, passages = 0;
  const double dt = 0.005;
  double time = 0.0, before = 0.0;
  clamp(b);
  for (int i = 0; i < b->body.node_count; i++) {
    b->body.v[i].y = 0.05 * b->body.rest[i].x * b->body.rest[i].x;
    if (b->body.rest[i].x > b->body.rest[tip].x) tip = i;
  }
  for (int s = 0; s < 1000 && passages < 3; s++, time += dt) {
    before = b->body.x[tip].y - b->body.rest[tip].y;
    check_step(b, dt, none);
    passages += before * (b->body.x[tip].y - b->body.rest[tip].y) < 0.0;
  }
  double after = b->body.x[tip].y - b->body.rest[tip].y;
  assert_int_equal(passages, 3);
  free_body(b);
  return time - dt * after / (after - before);
}

static void small_swings_take_the_same_time(void **state)
{
  (void)state;
  for (int element = 0; element < 2; element++) {
    double own = third_passage(VL_ELASTIC_NEO_HOOKEAN, (vlElasticElement)element);
    double other = third_passage(VL_ELASTIC_COROTATIONAL, (vlElasticElement)element);
    assert_true(fabs(own / other - 1.0) < 1e-3);
  }
}

/* A cube that turns, with a pressure on its sides that squeezes it by a tenth: it keeps its spin, though twists have
 * negative eigenvalues there. Taken by their size instead of 0 they would stop it in tenths of a second. Linear elements,
 * to whose nodes thirds of the triangles' forces belong. */
static void turns_under_pressure(void **state)
{
  (void)state;
  const vlVec3 c = vl_vec(0.1, 0.1, 0.1), spin = vl_vec(0, 0, 3);
  vlElasticMaterial m = {.density = 1000, .young = 5e4, .poisson = 0.4, .model = VL_ELASTIC_NEO_HOOKEAN};
  vlElastic *b = new_body(vl_vec(0.2, 0.2, 0.2), 2, 2, 2, m, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER);
  for (int i = 0; i < b->body.node_count; i++) b->body.v[i] = vl_cross(spin, vl_sub(b->body.x[i], c));
  double first = vl_body_measure(&b->body, none).angular_momentum.z; /* the centre is at rest */
  for (int s = 0; s < 100; s++) {
    memset(b->body.force, 0, (size_t)b->body.node_count * sizeof *b->body.force);
    for (int t = 0; t < b->body.triangle_count; t++) {
      const int *n = b->body.triangle[t];
      vlVec3 area =
          vl_scale(vl_cross(vl_sub(b->body.x[n[1]], b->body.x[n[0]]), vl_sub(b->body.x[n[2]], b->body.x[n[0]])), 0.5);
      for (int k = 0; k < 3; k++) b->body.force[n[k]] = vl_axpy(b->body.force[n[k]], -8e3 / 3.0, area);
    }
    check_step(b, 0.01, none);
  }
  vlBodyMeasure last = vl_body_measure(&b->body, none);
  assert_true(last.volume < 0.93 * 0.008 && last.volume > 0.8 * 0.008);
  assert_true(fabs(last.angular_momentum.z / first - 1.0) < 1e-3);
  free_body(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stress_is_the_slope_of_the_energy),
      cmocka_unit_test(tangent_is_the_slope_of_the_stress),
      cmocka_unit_test(positive_tangent),
      cmocka_unit_test(small_strains_are_hookes),
      cmocka_unit_test(a_bar_follows_the_curve),
      cmocka_unit_test(stiffness_is_the_slope_of_the_force),
      cmocka_unit_test(small_swings_take_the_same_time),
      cmocka_unit_test(turns_under_pressure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
