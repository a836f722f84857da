/* Stress inside of elastic bodies: none without strain, what a stretched bar must have, and the virial theorem, by which the
 * forces of the corners tell the mean stress of any deformed element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elastic_bodies.h"
#include "solid/elastic_parts.h"

enum { ELEMENTS = 2, KINDS = 4 }; /* linear, quadratic; the same two, neo-Hookean */

static vlElasticMaterial material(int kind)
{
  vlElasticMaterial m = rubber;
  m.model = (vlElasticModel)(kind / ELEMENTS);
  return m;
}

static vlElastic *new_cube(int kind)
{
  vlElasticElement element = (vlElasticElement)(kind % ELEMENTS);
  return new_body(vl_vec(1.0, 0.7, 0.5), 2, 2, 2, material(kind), element, VL_ELASTIC_BACKWARD_EULER);
}

static void deform(vlElastic *body, vlMat3 F, vlVec3 shift)
{
  for (int i = 0; i < body->body.node_count; i++) body->body.x[i] = vl_add(vl_mat_apply(F, body->body.rest[i]), shift);
}

/* xx yy zz xy yz xz of R diag(t, 0, 0) R^T */
static void uniaxial(vlMat3 R, double t, double s[6])
{
  vlVec3 n = vl_vec(R.m[0][0], R.m[1][0], R.m[2][0]);
  const double own[6] = {n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.y * n.z, n.x * n.z};
  for (int c = 0; c < 6; c++) s[c] = t * own[c];
}

static void assert_stress(const vlElastic *body, const double wanted[6], double tolerance)
{
  for (int e = 0; e < body->body.element_count; e++) {
    double s[6];
    vl_elastic_stress(&body->body, e, s);
    for (int c = 0; c < 6; c++)
      if (!(fabs(s[c] - wanted[c]) <= tolerance))
        fail_msg("element %d, component %d: %.17g Pa instead of %.17g", e, c, s[c], wanted[c]);
  }
}

/* Strains are differences of numbers near 1: E times round-off. */
static void test_rigid_motion_is_free(void **state)
{
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) {
    vlElastic *body = new_cube(kind);
    uint64_t seed = 5;
    for (int turn = 0; turn < 4; turn++) {
      deform(body, random_rotation(&seed), vl_vec(0.3, -0.2, 1.0));
      assert_stress(body, (const double[6]){0}, 1e-12 * rubber.young);
    }
    assert_int_equal(vl_elastic_inverted(&body->body), 0);
    free_body(body);
  }
}

/* A bar pulled to 1 + a along an axis, free across: lateral stretch 1 - nu a, force per area at rest E a, so per area now
 * E a / (1 - nu a)^2; whichever way the bar is turned. Neo-Hookean, with l = 1 + a and constants mu, lambda of its law:
 * J = 1 + (mu/lambda) (1 - 1/l) makes the sides free of force, and the force along is mu (l - J/l^2) per area at rest. */
static void test_stretched_bar(void **state)
{
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) {
    vlElastic *body = new_cube(kind);
    uint64_t seed = 7;
    for (int i = 0; i < 4; i++) {
      double a = 0.15 * (i - 1), across = 1.0 - rubber.poisson * a, pull = rubber.young * a, wanted[6];
      if (kind >= ELEMENTS) {
        double l = 1.0 + a, J = 1.0 + body->mu / (body->lambda + body->mu) * (1.0 - 1.0 / l);
        across = sqrt(J / l);
        pull = body->mu * (l - J / (l * l));
      }
      vlMat3 R = i ? random_rotation(&seed) : vl_mat_identity(), back = vl_mat_transpose(random_rotation(&seed));
      vlMat3 stretch = {{{1.0 + a, 0, 0}, {0, across, 0}, {0, 0, across}}};
      /* a turn of the body before it is stretched changes nothing: the material is the same along all axes */
      deform(body, vl_mat_multiply(vl_mat_multiply(R, stretch), back), vl_vec(0, 0, 0));
      double tension = pull / (across * across);
      uniaxial(R, tension, wanted);
      assert_stress(body, wanted, 1e-12 * rubber.young);
      assert_true(fabs(vl_von_mises(wanted) - fabs(tension)) <= 1e-12 * rubber.young);
    }
    free_body(body);
  }
}

/* sum_a f_a x_a^T over the nodes of an element is its present volume times its mean stress. A body of one element, so that
 * vl_elastic_force gives the forces of that element alone. */
static void test_virial(void **state)
{
  (void)state;
  static const vlVec3 corner[4] = {{{0, 0, 0}}, {{1, 0.1, 0}}, {{0.2, 0.9, 0}}, {{0.1, 0.2, 0.8}}};
  static const int tet[1][4] = {{0, 1, 2, 3}}, row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  vlStatus status = {0};
  for (int kind = 0; kind < KINDS; kind++) {
    vlTetMesh mesh = {0};
    vlElastic *body = NULL;
    vlElasticOptions options = {(vlElasticElement)(kind % ELEMENTS), VL_ELASTIC_BACKWARD_EULER};
    assert_int_equal(vl_tetmesh_from_arrays(&mesh, corner, 4, tet, 1, "one", &status), VL_OK);
    assert_int_equal(vl_elastic_create(&body, &mesh, material(kind), options, "one", &status), VL_OK);
    vl_tetmesh_clear(&mesh);
    shake(body, 0.06, 3);
    vl_elastic_linearise(body, body->body.x);
    vlVec3 *f = new_vectors(body, 0);
    vl_elastic_force(body, body->body.x, f);
    double volume = 0.0, s[6];
    for (int q = 0; q < body->points; q++) {
      vlMat3 F = {0};
      for (int a = 0; a < body->body.element_nodes; a++)
        for (int i = 0; i < 9; i++)
          F.m[i / 3][i % 3] +=
              body->body.x[body->body.node[a]].v[i / 3] * body->gradient[q * body->body.element_nodes + a].v[i % 3];
      volume += body->volume[0] * vl_mat_determinant(F);
    }
    vl_elastic_stress(&body->body, 0, s);
    assert_true(vl_von_mises(s) > 0.01 * rubber.young);
    for (int c = 0; c < 6; c++) {
      double virial = 0.0;
      for (int a = 0; a < body->body.element_nodes; a++)
        virial += f[body->body.node[a]].v[row[c]] * body->body.x[body->body.node[a]].v[column[c]];
      assert_true(fabs(virial / volume - s[c]) <= 1e-12 * rubber.young);
    }
    free(f);
    free_body(body);
  }
}

static void test_von_mises(void **state)
{
  (void)state;
  assert_true(vl_von_mises((const double[6]){7, 7, 7, 0, 0, 0}) == 0.0); /* pressure */
  assert_true(fabs(vl_von_mises((const double[6]){0, 0, 0, 0, 2, 0}) - 2.0 * sqrt(3.0)) < 1e-15);
  assert_true(vl_von_mises((const double[6]){0, -5, 0, 0, 0, 0}) == 5.0);
}

/* Flat, turned inside out, shrunk to a point: numbers all the same. */
static void test_always_finite(void **state)
{
  (void)state;
  static const double squeeze[] = {0.0, 1e-12, -1e-9, -0.5, -1.0};
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t i = 0; i < sizeof squeeze / sizeof *squeeze; i++)
      for (int all = 0; all < 2; all++) {
        vlElastic *body = new_cube(kind);
        vlMat3 F = vl_mat_identity();
        for (int a = 0; a < (all ? 3 : 1); a++) F.m[a][a] = squeeze[i];
        deform(body, F, vl_vec(0, 0, 0));
        for (int e = 0; e < body->body.element_count; e++) {
          double s[6];
          vl_elastic_stress(&body->body, e, s);
          for (int c = 0; c < 6; c++) assert_true(fabs(s[c]) < 1e4 * rubber.young);
        }
        if (squeeze[i] <= -0.5) assert_int_equal(vl_elastic_inverted(&body->body), body->body.element_count);
        free_body(body);
      }
}

/* One corner pushed through its element's opposite face: some are inside out, not all. */
static void test_counts_inverted(void **state)
{
  (void)state;
  vlElastic *body = new_cube(VL_ELASTIC_LINEAR);
  body->body.x[0] = vl_vec(1.0, 0.7, 0.5);
  int inverted = vl_elastic_inverted(&body->body);
  assert_true(inverted > 0 && inverted < body->body.element_count);
  free_body(body);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rigid_motion_is_free),
      cmocka_unit_test(test_stretched_bar),
      cmocka_unit_test(test_virial),
      cmocka_unit_test(test_von_mises),
      cmocka_unit_test(test_always_finite),
      cmocka_unit_test(test_counts_inverted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
