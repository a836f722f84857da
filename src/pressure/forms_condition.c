/* Condition numbers of the forms' matrices, for the table of [zarifi2017].
 *
 * Lanczos on the matrix gives its largest |eigenvalue|, Lanczos on its inverse the smallest (linear/lanczos.c). All inverses
 * come from one Schur solve:
 *
 *   eq. 19:  A^-1 [y1; y2] is the solution of L p + J v = y1, J^T p - S v = y2
 *   eq. 33:  A33 = D T A D with D = diag(1, alpha) and T = [ I  J Z1^-1 ; 0  -Z2 Z1^-1 ], so with a factor of Z2
 *            A33^-1 = D^-1 A^-1 T^-1 D^-1,  T^-1 [y1; y2] = [y1 + J Z2^-1 y2; -Z1 Z2^-1 y2] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/csr.h"
#include "pressure/forms_schur.h"

enum { MAX_STEPS = 200 };

static const vlSolveOptions accurate = {.tolerance = 1e-10, .max_iterations = 5000};

typedef struct Inverse {
  vlFormsSchur schur;
  double sigma, alpha;
  vlFrontal *z2;    /* of eq. 33; NULL otherwise */
  double *y1, *y2;  /* [pressures], [unknowns] */
  double *none;     /* zeros [unknowns] */
  vlSolveInfo last; /* the worst solve so far */
} Inverse;

static void solve(Inverse *inverse, const double *b, const double *w, double *p, double *v)
{
  memset(p, 0, (size_t)inverse->schur.system->pressures * sizeof *p);
  vlSolveInfo info = vl_forms_schur_solve(&inverse->schur, b, w, accurate, p, v);
  if (info.reason != VL_SOLVE_CONVERGED) inverse->last = info;
}

static void apply_indefinite(void *data, const double *y, double *x)
{
  Inverse *inverse = data;
  int m = inverse->schur.system->pressures;
  solve(inverse, y, y + m, x, x + m);
}

static void apply_schur(void *data, const double *y, double *x)
{
  Inverse *inverse = data;
  solve(inverse, y, inverse->none, x, inverse->y2);
}

static void apply_spd(void *data, const double *y, double *x)
{
  Inverse *inverse = data;
  const vlCoupledSystem *system = inverse->schur.system;
  int m = system->pressures, n = system->unknowns;
  for (int i = 0; i < n; i++) inverse->y2[i] = y[m + i] / inverse->alpha;
  if (inverse->z2) vl_frontal_solve(inverse->z2, inverse->y2, inverse->y2, NULL);
  vl_csr_apply(system->j, inverse->y2, inverse->y1);
  for (int i = 0; i < m; i++) inverse->y1[i] += y[i];
  for (int i = 0; i < n; i++) inverse->y2[i] *= -inverse->sigma * system->mass[i];
  solve(inverse, inverse->y1, inverse->y2, x, x + m);
  for (int i = 0; i < n; i++) x[m + i] /= inverse->alpha;
}

static vlCode factor_z2(Inverse *inverse, const vlCoupledSystem *system, vlStatus *status)
{
  vlCsr *mass = NULL, *z2 = NULL;
  vlCode code = vl_rect_diagonal(&mass, system->mass, system->unknowns, status);
  if (code == VL_OK) code = vl_rect_add(&z2, system->s, -inverse->sigma, mass, status);
  if (code == VL_OK) code = vl_frontal_create(&inverse->z2, z2, status);
  if (code == VL_OK) code = vl_frontal_factor(inverse->z2, z2, status);
  vl_csr_destroy(&mass);
  vl_csr_destroy(&z2);
  return code;
}

static vlCode estimate(Inverse *inverse, vlCoupledForm form, vlCondition *condition, vlStatus *status)
{
  const vlCoupledSystem *system = inverse->schur.system;
  vlCsr *a = NULL;
  double *rhs = NULL;
  vlCode code = VL_OK;
  if (form == VL_FORM_SPD) {
    code = vl_forms_spd(system, inverse->sigma, &inverse->alpha, &a, &rhs, status);
    if (code == VL_OK && system->unknowns > 0) code = factor_z2(inverse, system, status);
  } else if (form != VL_FORM_SCHUR) {
    code = vl_forms_indefinite(system, &a, &rhs, status);
  }
  if (code == VL_OK) {
    vlOperator op = a ? vl_csr_operator(a) : vl_forms_schur_operator(&inverse->schur);
    vlOperator back = {.n = op.n, .data = inverse};
    back.apply = form == VL_FORM_SPD ? apply_spd : form == VL_FORM_SCHUR ? apply_schur : apply_indefinite;
    code = vl_condition_estimate(op, back, MAX_STEPS, condition, status);
  }
  if (code == VL_OK && inverse->last.reason != VL_SOLVE_CONVERGED)
    code = vl_fail(status, VL_ERROR_SOLVER,
                   "condition number: a solve with the matrix of the form '%s' ended at a residual of %g: %s",
                   vl_coupled_form_name(form), inverse->last.residual, vl_solve_reason_text(inverse->last.reason));
  vl_csr_destroy(&a);
  free(rhs);
  return code;
}

vlCode vl_coupled_condition(const vlCoupledSystem *system, vlCoupledForm form, double sigma, double alpha,
                            vlCondition *condition, vlStatus *status)
{
  size_t m = (size_t)system->pressures + 1, n = (size_t)system->unknowns + 1;
  Inverse inverse = {.sigma = sigma, .alpha = alpha};
  vlCode code = vl_coupled_check(system, status);
  if (code == VL_OK) {
    inverse.y1 = calloc(m, sizeof(double));
    inverse.y2 = calloc(n, sizeof(double));
    inverse.none = calloc(n, sizeof(double));
    if (!inverse.y1 || !inverse.y2 || !inverse.none)
      code = vl_fail_memory(status, (m + 2 * n) * sizeof(double), "the condition number");
  }
  if (code == VL_OK) code = vl_forms_schur_create(&inverse.schur, system, status);
  if (code == VL_OK) code = estimate(&inverse, form, condition, status);
  vl_forms_schur_clear(&inverse.schur);
  vl_frontal_destroy(&inverse.z2);
  free(inverse.y1);
  free(inverse.y2);
  free(inverse.none);
  return code;
}
