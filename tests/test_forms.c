/* The forms of the coupled step: each agrees with a dense direct solution of eq. 19, the transformed matrix is symmetric and
 * positive, residuals are those of eq. 19, condition numbers match known ones, files read back to the same bits. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "coupled.h"

static const vlSolveOptions tight = {.tolerance = 1e-10, .max_iterations = 20000};

/* [p; v] of eq. 19 by elimination, its unknowns scaled so that pivots are alike. */
static double *dense_solution(const vlCoupledSystem *system)
{
  vlStatus status = {0};
  vlCsr *a = NULL;
  double *x = NULL;
  int n = system->pressures + system->unknowns;
  assert_int_equal(vl_forms_indefinite(system, &a, &x, &status), VL_OK);
  assert_int_equal(a->rows, n);
  double *dense = to_dense(a, n), *scale = zero_vector((size_t)n);
  for (int i = 0; i < n; i++) scale[i] = 1.0 / sqrt(fabs(dense[i * n + i]));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) dense[i * n + j] *= scale[i] * scale[j];
    x[i] *= scale[i];
  }
  eliminate(dense, n, x);
  for (int i = 0; i < n; i++) x[i] *= scale[i];
  free(scale);
  free(dense);
  vl_csr_destroy(&a);
  return x;
}

static double distance(const double *x, const double *y, int n)
{
  double dd = 0.0, yy = 0.0;
  for (int i = 0; i < n; i++) dd += (x[i] - y[i]) * (x[i] - y[i]), yy += y[i] * y[i];
  return sqrt(dd / yy);
}

static void check_form(const vlCoupledSystem *system, vlCoupledForm form, double alpha, const double *exact)
{
  vlStatus status = {0};
  vlSolveInfo info;
  vlCoupledResidual residual;
  double *p = zero_vector((size_t)system->pressures), *v = zero_vector((size_t)system->unknowns);
  assert_int_equal(vl_coupled_solve(system, form, 0.9, alpha, tight, p, v, &info, &status), VL_OK);
  assert_int_equal(vl_coupled_residual(system, p, v, NULL, &residual, &status), VL_OK);
  print_message("%-8s alpha %g: %d iterations, fluid %.1e solid %.1e, p %.1e v %.1e\n", vl_coupled_form_name(form), alpha,
                info.iterations, residual.fluid, residual.solid, distance(p, exact, system->pressures),
                distance(v, exact + system->pressures, system->unknowns));
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  assert_true(info.iterations > 0);
  assert_true(residual.worst <= 1e-10 && residual.worst == info.residual);
  assert_true(residual.total <= residual.worst * (1.0 + 1e-12));
  /* a residual of 1e-10 through condition numbers of some 100 on either side (the scaled system's) */
  assert_true(distance(p, exact, system->pressures) < 1e-8);
  assert_true(distance(v, exact + system->pressures, system->unknowns) < 1e-8);
  free(p);
  free(v);
}

static void all_forms_agree_with_the_dense_solution(void **state)
{
  (void)state;
  static const double stiffness[] = {0.0, 1.0, 100.0};
  for (int k = 0; k < 3; k++) {
    vlCoupledSystem system = random_coupled(7, 6, 5, 60, stiffness[k], 11 + (uint64_t)k);
    double *exact = dense_solution(&system);
    print_message("stiffness %g\n", stiffness[k]);
    static const double alphas[] = {1.0, 1e-3, 1e-5, 0.0};
    for (int a = 0; a < 4; a++) check_form(&system, VL_FORM_SPD, alphas[a], exact);
    check_form(&system, VL_FORM_BICGSTAB, 0.0, exact);
    check_form(&system, VL_FORM_MINRES, 0.0, exact);
    check_form(&system, VL_FORM_SCHUR, 0.0, exact);
    free(exact);
    vl_coupled_clear(&system);
  }
}

/* A22 and A11 of eq. 29 from dense products. */
static void transformed_matrix_is_eq_33(void **state)
{
  (void)state;
  enum { M = 24, N = 15, ALL = M + N };
  const double sigma = 0.7;
  vlStatus status = {0};
  vlCoupledSystem system = random_coupled(4, 3, 2, N, 2.0, 5);
  vlCsr *a = NULL;
  double *rhs = NULL, alpha = 0.03;
  assert_int_equal(vl_forms_spd(&system, sigma, &alpha, &a, &rhs, &status), VL_OK);
  double *full = to_dense(a, ALL), *j = to_dense(system.j, N), *s = to_dense(system.s, N), *l = to_dense(system.l, M);
  double t[ALL][ALL] = {{0.0}}, eq19[ALL][ALL] = {{0.0}}, rhs19[ALL];
  /* T = [ I  J Z1^-1 ; 0  -Z2 Z1^-1 ] times eq. 19, then scaled by alpha on both sides */
  for (int i = 0; i < M; i++) {
    t[i][i] = 1.0;
    for (int k = 0; k < N; k++) t[i][M + k] = j[i * N + k] / (sigma * system.mass[k]);
    for (int k = 0; k < M; k++) eq19[i][k] = l[i * M + k];
    for (int k = 0; k < N; k++) eq19[i][M + k] = eq19[M + k][i] = j[i * N + k];
    rhs19[i] = system.b[i];
  }
  for (int i = 0; i < N; i++) {
    rhs19[M + i] = system.w[i];
    for (int k = 0; k < N; k++) {
      double z1 = sigma * system.mass[k];
      t[M + i][M + k] = -(s[i * N + k] - (i == k ? z1 : 0.0)) / z1;
      eq19[M + i][M + k] = -s[i * N + k];
    }
  }
  for (int i = 0; i < ALL; i++) {
    double right = 0.0, right_size = 0.0, d = i < M ? 1.0 : alpha;
    for (int k = 0; k < ALL; k++) right += t[i][k] * rhs19[k], right_size += fabs(t[i][k] * rhs19[k]);
    assert_true(fabs(d * right - rhs[i]) <= ALL * 4.5e-16 * d * right_size);
    for (int c = 0; c < ALL; c++) {
      double sum = 0.0, size = 0.0, e = d * (c < M ? 1.0 : alpha);
      for (int k = 0; k < ALL; k++) sum += t[i][k] * eq19[k][c], size += fabs(t[i][k] * eq19[k][c]);
      assert_true(fabs(e * sum - full[i * ALL + c]) <= ALL * 4.5e-16 * e * size); /* a few roundings in each term */
      assert_true(full[i * ALL + c] == full[c * ALL + i]);
    }
  }
  free(full);
  free(j);
  free(s);
  free(l);
  free(rhs);
  vl_csr_destroy(&a);
  vl_coupled_clear(&system);
}

static void transformed_matrix_is_positive(void **state)
{
  (void)state;
  static const double alphas[] = {1.0, 1e-3, 0.0};
  vlStatus status = {0};
  vlCoupledSystem system = random_coupled(8, 7, 6, 90, 10.0, 23);
  for (int k = 0; k < 3; k++) {
    vlCsr *a = NULL;
    vlCholesky *factor = NULL;
    double *rhs = NULL, alpha = alphas[k];
    assert_int_equal(vl_forms_spd(&system, 0.9, &alpha, &a, &rhs, &status), VL_OK);
    size_t n = (size_t)a->rows;
    double *y = zero_vector(n);
    for (int r = 0; r < 100; r++) {
      double *x = random_vector(n, 1000 + (uint64_t)r);
      vl_csr_apply(a, x, y);
      assert_true(vl_vector_dot(x, y, n) > 0.0);
      free(x);
    }
    assert_int_equal(vl_cholesky_create(&factor, a, &status), VL_OK);
    if (alphas[k] == 0.0) { /* what the heuristic is for */
      double one = vl_vector_dot(rhs, rhs, (size_t)system.pressures);
      double two = vl_vector_dot(rhs + system.pressures, rhs + system.pressures, (size_t)system.unknowns);
      assert_true(fabs(one / two - 1.0) < 1e-12);
    }
    vl_cholesky_destroy(&factor);
    free(y);
    free(rhs);
    vl_csr_destroy(&a);
  }
  /* the indefinite one is not: Cholesky says so */
  vlCsr *a = NULL;
  vlCholesky *factor = NULL;
  double *rhs = NULL;
  assert_int_equal(vl_forms_indefinite(&system, &a, &rhs, &status), VL_OK);
  assert_int_equal(vl_cholesky_create(&factor, a, &status), VL_ERROR_SOLVER);
  free(rhs);
  vl_csr_destroy(&a);
  vl_coupled_clear(&system);
}

/* A chain of light masses on stiff springs. Eq. 33 holds the square of the stiffness: solved once, to whatever residual of
 * its own, its round-off keeps eq. 19 from being solved to 1e-10. Corrections get there. */
static void corrections_mend_round_off(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlCoupledSystem system = random_coupled(7, 6, 5, 60, 1.0, 11);
  vlCsr *chain = poisson(60, 1, 1, false), *mass = NULL, *a = NULL;
  vl_csr_destroy(&system.s);
  assert_int_equal(vl_rect_diagonal(&mass, system.mass, 60, &status), VL_OK);
  assert_int_equal(vl_rect_add(&system.s, mass, 1e4, chain, &status), VL_OK);
  double *rhs = NULL, alpha = 1e-3, shift;
  vlIncomplete *ic = NULL;
  assert_int_equal(vl_forms_spd(&system, 0.9, &alpha, &a, &rhs, &status), VL_OK);
  assert_int_equal(vl_incomplete_create_shifted(&ic, a, &shift, &status), VL_OK);
  size_t n = (size_t)a->rows;
  double *x = zero_vector(n), *work = zero_vector(4 * n);
  vl_cg(vl_csr_operator(a), vl_incomplete_operator(ic), (vlProjector){0}, rhs, x, work, (vlSolveOptions){1e-14, 20000});
  for (size_t i = (size_t)system.pressures; i < n; i++) x[i] *= alpha;
  vlCoupledResidual once;
  assert_int_equal(vl_coupled_residual(&system, x, x + system.pressures, NULL, &once, &status), VL_OK);
  vlSolveInfo info;
  memset(x, 0, n * sizeof *x);
  assert_int_equal(vl_coupled_solve(&system, VL_FORM_SPD, 0.9, alpha, tight, x, x + system.pressures, &info, &status),
                   VL_OK);
  print_message("eq. 33 once: fluid %.1e solid %.1e; with corrections %.1e\n", once.fluid, once.solid, info.residual);
  assert_true(once.worst > 1e-10);
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  assert_true(info.residual <= 1e-10);
  free(x);
  free(work);
  free(rhs);
  vl_incomplete_destroy(&ic);
  vl_csr_destroy(&a);
  vl_csr_destroy(&chain);
  vl_csr_destroy(&mass);
  vl_coupled_clear(&system);
}

/* The first guess counts: from the answer nothing is left to do. */
static void the_answer_needs_no_iterations(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlCoupledSystem system = random_coupled(7, 6, 5, 60, 1.0, 11);
  double *x = dense_solution(&system);
  vlSolveInfo info;
  for (int form = VL_FORM_SPD; form <= VL_FORM_SCHUR; form++) {
    assert_int_equal(
        vl_coupled_solve(&system, (vlCoupledForm)form, 0.9, 0.0, tight, x, x + system.pressures, &info, &status), VL_OK);
    assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
    assert_int_equal(info.iterations, 0);
  }
  free(x);
  vl_coupled_clear(&system);
}

static void failures_give_reasons(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSolveInfo info;
  vlCoupledSystem system = random_coupled(7, 6, 5, 60, 1.0, 11);
  double *p = zero_vector(210), *v = zero_vector(60);
  for (int form = VL_FORM_SPD; form <= VL_FORM_SCHUR; form++) {
    /* out of iterations */
    memset(p, 0, 210 * sizeof *p);
    memset(v, 0, 60 * sizeof *v);
    vlSolveOptions few = {.tolerance = 1e-10, .max_iterations = 3};
    assert_int_equal(vl_coupled_solve(&system, (vlCoupledForm)form, 0.9, 0.0, few, p, v, &info, &status), VL_OK);
    assert_int_equal(info.reason, VL_SOLVE_ITERATIONS);
    assert_int_equal(info.iterations, 3);
    assert_true(info.residual > 1e-10);
    /* below round-off */
    vlSolveOptions absurd = {.tolerance = 1e-19, .max_iterations = 5000};
    assert_int_equal(vl_coupled_solve(&system, (vlCoupledForm)form, 0.9, 0.0, absurd, p, v, &info, &status), VL_OK);
    assert_int_equal(info.reason, VL_SOLVE_ITERATIONS);
    assert_true(info.iterations < 5000 && info.residual < 1e-10 && info.residual > 1e-19);
    /* not a number */
    double keep = system.b[5];
    system.b[5] = NAN;
    assert_int_equal(vl_coupled_solve(&system, (vlCoupledForm)form, 0.9, 0.0, tight, p, v, &info, &status), VL_OK);
    assert_int_equal(info.reason, VL_SOLVE_NAN);
    system.b[5] = keep;
  }
  /* sigma and alpha out of range, a node without mass */
  assert_int_equal(vl_coupled_solve(&system, VL_FORM_SPD, 1.0, 0.0, tight, p, v, &info, &status), VL_ERROR_SOLVER);
  assert_non_null(strstr(status.message, "sigma is 1"));
  assert_int_equal(vl_coupled_solve(&system, VL_FORM_SPD, 0.9, -1.0, tight, p, v, &info, &status), VL_ERROR_SOLVER);
  assert_non_null(strstr(status.message, "alpha is -1"));
  system.mass[7] = 0.0;
  assert_int_equal(vl_coupled_solve(&system, VL_FORM_SPD, 0.9, 0.0, tight, p, v, &info, &status), VL_ERROR_SOLVER);
  assert_non_null(strstr(status.message, "solid unknown 7 of 60"));
  free(p);
  free(v);
  vl_coupled_clear(&system);
}

/* Dry bodies, no bodies, and right sides that are zero. */
static void degenerate_systems_are_solved(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSolveInfo info;
  vlCoupledResidual residual;
  for (int k = 0; k < 4; k++) {
    int unknowns = k == 0 ? 0 : 30;
    vlCoupledSystem system = random_coupled(5, 5, 4, unknowns, 1.0, 3);
    if (k == 1) scale_matrix(system.j, 0.0);
    if (k == 2) memset(system.b, 0, 100 * sizeof *system.b);
    if (k == 3) memset(system.w, 0, 30 * sizeof *system.w);
    for (int form = VL_FORM_SPD; form <= VL_FORM_SCHUR; form++) {
      double *p = zero_vector(100), *v = zero_vector(30);
      assert_int_equal(vl_coupled_solve(&system, (vlCoupledForm)form, 0.9, 0.0, tight, p, v, &info, &status), VL_OK);
      assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
      assert_int_equal(vl_coupled_residual(&system, p, v, NULL, &residual, &status), VL_OK);
      assert_true(residual.fluid <= 1e-10 && residual.solid <= 1e-10);
      free(p);
      free(v);
    }
    vl_coupled_clear(&system);
  }
}

/* Lanczos against the eigenvalues a dense power iteration finds; and unscaled eq. 28 is worse conditioned than eq. 33. */
static double dense_condition(const double *dense, int n)
{
  double size[2];
  for (int k = 0; k < 2; k++) {
    double *x = random_vector((size_t)n, 77), *y = zero_vector((size_t)n), length = 0.0;
    for (int it = 0; it < 400; it++) {
      if (k == 0)
        for (int i = 0; i < n; i++) y[i] = vl_vector_dot(dense + (size_t)i * (size_t)n, x, (size_t)n);
      if (k == 1) {
        double *copy = malloc((size_t)n * (size_t)n * sizeof *copy);
        assert_non_null(copy);
        memcpy(copy, dense, (size_t)n * (size_t)n * sizeof *copy);
        memcpy(y, x, (size_t)n * sizeof *y);
        eliminate(copy, n, y);
        free(copy);
      }
      length = sqrt(vl_vector_dot(y, y, (size_t)n));
      for (int i = 0; i < n; i++) x[i] = y[i] / length;
    }
    size[k] = length;
    free(x);
    free(y);
  }
  return size[0] * size[1];
}

static void condition_numbers_are_found(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlCoupledSystem system = random_coupled(4, 4, 3, 15, 5.0, 31);
  double log_condition[2];
  for (int form = VL_FORM_SPD; form <= VL_FORM_BICGSTAB; form++) {
    vlCsr *a = NULL;
    vlCondition found;
    double *rhs = NULL, alpha = 1e-3;
    vlCode code = form == VL_FORM_SPD ? vl_forms_spd(&system, 0.9, &alpha, &a, &rhs, &status)
                                      : vl_forms_indefinite(&system, &a, &rhs, &status);
    assert_int_equal(code, VL_OK);
    double *dense = to_dense(a, a->rows), exact = dense_condition(dense, a->rows);
    assert_int_equal(vl_coupled_condition(&system, (vlCoupledForm)form, 0.9, 1e-3, &found, &status), VL_OK);
    print_message("%s: condition %.4e, Lanczos %.4e in %d steps\n", vl_coupled_form_name((vlCoupledForm)form), exact,
                  found.condition, found.steps);
    assert_true(fabs(found.condition / exact - 1.0) < 0.01);
    log_condition[form] = log10(found.condition);
    free(dense);
    free(rhs);
    vl_csr_destroy(&a);
  }
  vlCondition unscaled, schur;
  assert_int_equal(vl_coupled_condition(&system, VL_FORM_SPD, 0.9, 1.0, &unscaled, &status), VL_OK);
  assert_int_equal(vl_coupled_condition(&system, VL_FORM_SCHUR, 0.9, 1.0, &schur, &status), VL_OK);
  assert_true(log10(unscaled.condition) > log_condition[0] + 1.0);
  assert_true(log10(schur.condition) < log_condition[0] && log10(schur.condition) < log_condition[1]);
  vl_coupled_clear(&system);
}

static void same_matrix(const vlCsr *a, const vlCsr *b)
{
  assert_int_equal(a->rows, b->rows);
  assert_memory_equal(a->start, b->start, ((size_t)a->rows + 1) * sizeof *a->start);
  assert_memory_equal(a->column, b->column, (size_t)a->start[a->rows] * sizeof *a->column);
  assert_memory_equal(a->value, b->value, (size_t)a->start[a->rows] * sizeof *a->value);
}

static const char *const file_names[] = {"L.mtx", "J.mtx", "S.mtx", "mass.mtx", "b.mtx", "w.mtx"};

static void files_read_back(void **state)
{
  (void)state;
  char folder[] = "/tmp/vl_test_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  vlStatus status = {0};
  vlCoupledSystem system = random_coupled(5, 4, 3, 20, 1.0, 41);
  assert_int_equal(vl_coupled_write(&system, folder, &status), VL_OK);
  const vlCsr *matrices[] = {system.l, system.j, system.s};
  const double *vectors[] = {system.mass, system.b, system.w};
  const int columns[] = {60, 20, 20}, lengths[] = {20, 60, 20};
  for (int k = 0; k < 6; k++) {
    int found;
    snprintf(path, sizeof path, "%s/%s", folder, file_names[k]);
    if (k < 3) {
      vlCsr *back = NULL;
      assert_int_equal(vl_rect_read(&back, &found, path, &status), VL_OK);
      assert_int_equal(found, columns[k]);
      same_matrix(matrices[k], back);
      vl_csr_destroy(&back);
    } else {
      double *back = NULL;
      assert_int_equal(vl_vector_read(&back, &found, path, &status), VL_OK);
      assert_int_equal(found, lengths[k - 3]);
      assert_memory_equal(vectors[k - 3], back, (size_t)found * sizeof(double));
      free(back);
    }
    assert_int_equal(unlink(path), 0);
  }
  assert_int_equal(rmdir(folder), 0);
  assert_int_equal(vl_coupled_write(&system, folder, &status), VL_ERROR_FILE);
  vl_coupled_clear(&system);
  vl_coupled_clear(&system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_forms_agree_with_the_dense_solution),
      cmocka_unit_test(transformed_matrix_is_eq_33),
      cmocka_unit_test(transformed_matrix_is_positive),
      cmocka_unit_test(corrections_mend_round_off),
      cmocka_unit_test(the_answer_needs_no_iterations),
      cmocka_unit_test(failures_give_reasons),
      cmocka_unit_test(degenerate_systems_are_solved),
      cmocka_unit_test(condition_numbers_are_found),
      cmocka_unit_test(files_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
