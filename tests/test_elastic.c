/* Elastic bodies, the mechanics: rotations cost nothing, linear displacements give uniform stress, forces are the slope of
 * the energy and have no moment, S is symmetric positive definite in any state, bad input is named. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "elastic_bodies.h"

enum { ELEMENTS = 2, KINDS = 4 }; /* linear, quadratic; the same two, neo-Hookean */

static vlElastic *brick(int kind)
{
  vlElasticMaterial m = rubber;
  m.model = (vlElasticModel)(kind / ELEMENTS);
  return new_body(vl_vec(0.3, 0.2, 0.1), 3, 2, 2, m, (vlElasticElement)(kind % ELEMENTS), VL_ELASTIC_BACKWARD_EULER);
}

static bool on_surface(const vlElastic *b, int node)
{
  const double size[3] = {0.3, 0.2, 0.1};
  for (int a = 0; a < 3; a++)
    if (b->body.rest[node].v[a] == 0.0 || fabs(b->body.rest[node].v[a] - size[a]) < 1e-12) return true;
  return false;
}

static void mass_surface_and_counts(void **state)
{
  (void)state;
  for (int kind = 0; kind < ELEMENTS; kind++) {
    vlElastic *b = brick(kind);
    vlBodyMeasure m = vl_body_measure(&b->body, vl_vec(0, 0, 0));
    assert_int_equal(b->body.node_count,
                     kind == VL_ELASTIC_LINEAR ? 4 * 3 * 3 : 7 * 5 * 5); /* midpoints make a grid twice as fine */
    assert_int_equal(b->body.triangle_count, 2 * 2 * (3 * 2 + 2 * 2 + 3 * 2) * (kind == VL_ELASTIC_LINEAR ? 1 : 4));
    assert_true(fabs(m.mass / 6.0 - 1.0) < 1e-13 && fabs(m.volume / 6e-3 - 1.0) < 1e-13); /* sums of a few hundred terms */
    for (int i = 0; i < b->body.node_count; i++) assert_true(b->mass[i] > 0.0);
    vlVec3 area = vl_vec(0, 0, 0);
    for (int t = 0; t < b->body.triangle_count; t++) {
      vlVec3 p = b->body.x[b->body.triangle[t][0]];
      area =
          vl_add(area, vl_cross(vl_sub(b->body.x[b->body.triangle[t][1]], p), vl_sub(b->body.x[b->body.triangle[t][2]], p)));
    }
    assert_true(vl_norm(area) < 1e-15);
    vlBody *any = &b->body;
    vl_body_destroy(&any);
    assert_null(any);
    vl_body_destroy(&any);
  }
}

/* Rigid motion: |f_el| < 1e-10 E V^(2/3), no energy. */
static void rotation_is_free(void **state)
{
  (void)state;
  uint64_t seed = 1;
  for (int kind = 0; kind < KINDS; kind++) {
    vlElastic *b = brick(kind);
    vlVec3 *f = new_vectors(b, 0);
    for (int k = 0; k < 20; k++) {
      vlMat3 R = k == 0 ? vl_mat_rotation(2, 0.5 * VL_PI) : k == 1 ? vl_mat_rotation(0, VL_PI) : random_rotation(&seed);
      for (int i = 0; i < b->body.node_count; i++) b->body.x[i] = vl_add(vl_mat_apply(R, b->body.rest[i]), vl_vec(3, -2, 1));
      assert_int_equal(vl_elastic_linearise(b, b->body.x), 0);
      vl_elastic_force(b, b->body.x, f);
      assert_true(largest(f, b->body.node_count) < 1e-10 * 1e5 * pow(6e-3, 2.0 / 3.0));
      assert_true(vl_elastic_energy(b, b->body.x) < 1e-20 * 1e5 * 6e-3);
    }
    free(f);
    free_body(b);
  }
}

/* x = R (I + eps) X: stress uniform, so inner nodes carry no force, the moments of forces give the stress, and the energy is
 * V times its density, in a mesh without regularity. */
static void patch_test(void **state)
{
  (void)state;
  const double E = 1e5, nu = 0.3, mu = E / (2 * (1 + nu));
  const vlMat3 stretch = {{{1.02, 0.01, -0.03}, {0.01, 0.97, 0.02}, {-0.03, 0.02, 1.01}}};
  uint64_t seed = 5;
  for (int kind = 0; kind < ELEMENTS; kind++) {
    vlElastic *b = brick(kind);
    vlVec3 *f = new_vectors(b, 0), virial = vl_vec(0, 0, 0);
    vlMat3 R = random_rotation(&seed), F = vl_mat_multiply(R, stretch), sigma;
    double square = 0.0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double eps = stretch.m[i][j] - (i == j);
        square += eps * eps;
        sigma.m[i][j] = 2 * mu * eps; /* the trace of eps is 0 here */
      }
    for (int i = 0; i < b->body.node_count; i++) b->body.x[i] = vl_mat_apply(F, b->body.rest[i]);
    vl_elastic_linearise(b, b->body.x);
    vl_elastic_force(b, b->body.x, f);
    vlVec3 expected = vl_scale(vl_mat_apply(R, vl_mat_apply(sigma, vl_vec(1, 0, 0))), 6e-3); /* sum X_x f = V sigma e_x */
    int inner = 0;
    for (int i = 0; i < b->body.node_count; i++) {
      virial = vl_axpy(virial, b->body.rest[i].x, f[i]);
      if (on_surface(b, i)) continue;
      inner++;
      assert_true(vl_norm(f[i]) < 1e-12 * E * 0.02);
    }
    assert_true(inner >= 2);
    assert_true(vl_norm(vl_sub(virial, expected)) < 1e-12 * E * 6e-3);
    assert_true(fabs(vl_elastic_energy(b, b->body.x) / (6e-3 * mu * square) - 1.0) < 1e-10);
    free(f);
    free_body(b);
  }
}

/* f_el is the gradient of the energy, also where elements are inside out: central differences, error h^2 and round-off / h.
 */
static void force_is_the_slope_of_the_energy(void **state)
{
  (void)state;
  for (int kind = 0; kind < KINDS; kind++)
    for (int amount = 0; amount < 3; amount++) {
      vlElastic *b = brick(kind);
      vlVec3 *f = new_vectors(b, 0), *d = new_vectors(b, 17);
      shake(b, 0.01 * (1 << 2 * amount), 3);
      int inverted = vl_elastic_linearise(b, b->body.x);
      if (amount == 2) assert_true(inverted > 0);
      vl_elastic_force(b, b->body.x, f);
      const double h = 1e-8;
      for (int i = 0; i < b->body.node_count; i++) b->body.x[i] = vl_axpy(b->body.x[i], h, d[i]);
      double up = vl_elastic_energy(b, b->body.x);
      for (int i = 0; i < b->body.node_count; i++) b->body.x[i] = vl_axpy(b->body.x[i], -2 * h, d[i]);
      double slope = (up - vl_elastic_energy(b, b->body.x)) / (2 * h), expected = dot(f, d, b->body.node_count);
      assert_true(fabs(slope - expected) < 1e-6 * largest(f, b->body.node_count) * b->body.node_count);
      free(f);
      free(d);
      free_body(b);
    }
}

/* Internal forces move nothing and turn nothing, in any state. */
static void forces_have_no_sum_and_no_moment(void **state)
{
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) {
    vlElastic *b = brick(kind);
    vlVec3 *f = new_vectors(b, 0), sum = vl_vec(0, 0, 0), moment = vl_vec(0, 0, 0);
    shake(b, 0.05, 9);
    assert_true(vl_elastic_linearise(b, b->body.x) > 0);
    vl_elastic_force(b, b->body.x, f);
    for (int i = 0; i < b->body.node_count; i++) {
      sum = vl_add(sum, f[i]);
      moment = vl_add(moment, vl_cross(b->body.x[i], f[i]));
    }
    double size = largest(f, b->body.node_count);
    assert_true(size > 1.0);
    assert_true(vl_norm(sum) < 1e-12 * size && vl_norm(moment) < 1e-12 * size);
    free(f);
    free_body(b);
  }
}

/* Crumpled bodies with some unknowns held: S (S^-1 r) = r on the free ones, r.S^-1 r > 0, and S^-1 symmetric. */
static void system_is_symmetric_positive(void **state)
{
  (void)state;
  vlElasticMaterial m = rubber;
  m.mass_damping = 0.4;
  m.stiffness_damping = 0.002;
  for (int kind = 0; kind < KINDS; kind++) {
    m.model = (vlElasticModel)(kind / ELEMENTS);
    vlElastic *b = new_body(vl_vec(0.3, 0.2, 0.1), 3, 2, 2, m, (vlElasticElement)(kind % ELEMENTS), VL_ELASTIC_BDF2);
    vlStatus status = {0};
    clamp(b);
    shake(b, 0.05, 31);
    assert_int_equal(vl_body_begin(&b->body, 0.01, vl_vec(0, 0, 0), &status), VL_OK);
    assert_true(b->body.inverted > 0);
    vlVec3 *y = new_vectors(b, 0), *z = new_vectors(b, 0), *K = new_vectors(b, 0), *last = new_vectors(b, 99);
    for (int k = 0; k < 20; k++) {
      vlVec3 *r = new_vectors(b, (uint64_t)(100 + k));
      for (int i = 0; i < 3 * b->body.node_count; i++)
        if (b->body.held[i]) r[i / 3].v[i % 3] = 0.0;
      vl_body_solve(&b->body, r, y);
      vl_body_solve(&b->body, last, z);
      vl_elastic_stiffness_apply(b, y, K);
      for (int i = 0; i < 3 * b->body.node_count; i++) {
        int n = i / 3, a = i % 3;
        double S_y = b->mass_share * b->mass[n] * y[n].v[a] + b->stiffness_share * K[n].v[a];
        if (b->body.held[i])
          assert_true(y[n].v[a] == 0.0);
        else
          assert_true(fabs(S_y - r[n].v[a]) < 1e-9);
      }
      double positive = dot(r, y, b->body.node_count), cross = dot(last, y, b->body.node_count),
             other = dot(r, z, b->body.node_count);
      assert_true(positive > 0.0);
      assert_true(fabs(cross - other) < 1e-11 * sqrt(positive * dot(last, z, b->body.node_count)));
      free(last);
      last = r;
    }
    free(y);
    free(z);
    free(K);
    free(last);
    free_body(b);
  }
}

/* S = a M + b K with the shares that the paper gives for backward Euler. */
static void shares_follow_the_paper(void **state)
{
  (void)state;
  vlElasticMaterial m = rubber;
  m.mass_damping = 0.4;
  m.stiffness_damping = 0.002;
  vlElastic *b = new_body(vl_vec(0.3, 0.2, 0.1), 1, 1, 1, m, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER);
  vlStatus status = {0};
  assert_int_equal(vl_body_begin(&b->body, 0.01, vl_vec(0, -10, 0), &status), VL_OK);
  assert_true(fabs(b->mass_share - 100.4) < 1e-10 && fabs(b->stiffness_share - 0.012) < 1e-15);
  for (int i = 0; i < b->body.node_count; i++)
    assert_true(fabs(b->body.w[i].y - 10 * b->mass[i]) < 1e-9); /* -(1/dt) M (v + dt g) */
  free_body(b);
}

static void refuse(vlTetMesh *mesh, vlElasticMaterial material, vlCode code, const char *part)
{
  vlElastic *b = NULL;
  vlStatus status = {0};
  assert_int_equal(vl_elastic_create(&b, mesh, material, (vlElasticOptions){0}, "fish", &status), code);
  assert_null(b);
  assert_non_null(strstr(status.message, "fish"));
  assert_non_null(strstr(status.message, part));
}

static void bad_input_is_named(void **state)
{
  (void)state;
  vlTetMesh mesh;
  vlStatus status = {0};
  assert_int_equal(vl_tetmesh_box(&mesh, (vlBox3){vl_vec(0, 0, 0), vl_vec(1, 1, 1)}, (const int[]){1, 1, 1}, &status),
                   VL_OK);
  const vlElasticMaterial bad[] = {{0, 1e5, 0.3, 0, 0, 0},     {1000, -1, 0.3, 0, 0, 0},      {1000, 1e5, 0.46, 0, 0, 0},
                                   {1000, 1e5, -0.1, 0, 0, 0}, {1000, 1e5, 0.3, -1, 0, 0},    {1000, 1e5, 0.3, 0, -1, 0},
                                   {NAN, 1e5, 0.3, 0, 0, 0},   {1000, INFINITY, 0.3, 0, 0, 0}};
  const char *part[] = {"density", "Young", "0.46", "-0.1", "mass damping", "stiffness damping", "density", "Young"};
  for (int i = 0; i < 8; i++) refuse(&mesh, bad[i], VL_ERROR_SCENE, part[i]);
  int swap = mesh.tet[3][0];
  mesh.tet[3][0] = mesh.tet[3][1];
  mesh.tet[3][1] = swap;
  refuse(&mesh, rubber, VL_ERROR_MESH, "3");
  vl_tetmesh_clear(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_surface_and_counts),
      cmocka_unit_test(rotation_is_free),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(force_is_the_slope_of_the_energy),
      cmocka_unit_test(forces_have_no_sum_and_no_moment),
      cmocka_unit_test(system_is_symmetric_positive),
      cmocka_unit_test(shares_follow_the_paper),
      cmocka_unit_test(bad_input_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
