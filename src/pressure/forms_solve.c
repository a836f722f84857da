/* Solving the coupled step in its forms, and their condition numbers. First the Schur form, on which the others and the
 * condition numbers lean: the solid's unknowns are eliminated by a direct factor of S,
 *
 *   (L + J S^-1 J^T) p = b + J S^-1 w,   v = S^-1 (J^T p - w)
 *
 * the limit Z1 = S, Z2 = 0 of [zarifi2017, eq. 28]. Conjugate gradients with MIC(0) of L alone as preconditioner; the solid
 * equation holds to round-off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/csr.h"
#include "linear/solve.h"
#include "pressure/forms.h"

typedef struct Schur {
  const vlCoupledSystem *system;
  vlCsr *jt;
  vlFrontal *s;       /* NULL without solid unknowns */
  vlIncomplete *l;    /* MIC(0) of L */
  double *t, *u;      /* [unknowns] */
  double *q;          /* [pressures] */
  double *rhs, *work; /* [pressures], [4 pressures] */
} Schur;

static const double modified = 0.97; /* share of dropped fill that goes to the diagonal */

static void schur_clear(Schur *schur)
{
  vl_csr_destroy(&schur->jt);
  vl_frontal_destroy(&schur->s);
  vl_incomplete_destroy(&schur->l);
  free(schur->t);
  free(schur->u);
  free(schur->q);
  free(schur->rhs);
  free(schur->work);
  *schur = (Schur){0};
}

static vlCode schur_create(Schur *schur, const vlCoupledSystem *system, vlStatus *status)
{
  size_t m = (size_t)system->pressures + 1, n = (size_t)system->unknowns + 1;
  *schur = (Schur){.system = system,
                   .t = calloc(n, sizeof(double)),
                   .u = calloc(n, sizeof(double)),
                   .q = calloc(m, sizeof(double)),
                   .rhs = calloc(m, sizeof(double)),
                   .work = calloc(4 * m, sizeof(double))};
  bool ok = schur->t && schur->u && schur->q && schur->rhs && schur->work;
  vlCode code = ok ? VL_OK : vl_fail_memory(status, (6 * m + 2 * n) * sizeof(double), "the Schur form");
  if (code == VL_OK) code = vl_rect_transpose(&schur->jt, system->j, system->unknowns, status);
  if (code == VL_OK) code = vl_incomplete_create(&schur->l, system->l, modified, status);
  if (code == VL_OK && system->unknowns > 0) code = vl_frontal_create(&schur->s, system->s, status);
  if (code == VL_OK && system->unknowns > 0) code = vl_frontal_factor(schur->s, system->s, status);
  if (code != VL_OK) schur_clear(schur);
  return code;
}

/* x = S^-1 b; cannot fail once S was factored. */
static void solve_solid(Schur *schur, const double *b, double *x)
{
  if (schur->s) vl_frontal_solve(schur->s, b, x, NULL);
}

static void apply_eliminated(void *data, const double *p, double *y)
{
  Schur *schur = data;
  vl_csr_apply(schur->system->l, p, y);
  vl_csr_apply(schur->jt, p, schur->t);
  solve_solid(schur, schur->t, schur->u);
  vl_csr_apply(schur->system->j, schur->u, schur->q);
  for (int i = 0; i < schur->system->pressures; i++) y[i] += schur->q[i];
}

static vlOperator schur_operator(Schur *schur)
{
  return (vlOperator){.n = (size_t)schur->system->pressures, .apply = apply_eliminated, .data = schur};
}

static vlSolveInfo schur_solve(Schur *schur, const double *b, const double *w, vlSolveOptions options, double *p, double *v)
{
  const vlCoupledSystem *system = schur->system;
  solve_solid(schur, w, schur->u);
  vl_csr_apply(system->j, schur->u, schur->rhs);
  for (int i = 0; i < system->pressures; i++) schur->rhs[i] += b[i];
  vlSolveInfo info =
      vl_cg(schur_operator(schur), vl_incomplete_operator(schur->l), (vlProjector){0}, schur->rhs, p, schur->work, options);
  vl_csr_apply(schur->jt, p, schur->t);
  for (int i = 0; i < system->unknowns; i++) schur->t[i] -= w[i];
  solve_solid(schur, schur->t, v);
  return info;
}

/* Solving the coupled step in one of its forms until eq. 19 of [zarifi2017] holds.
 *
 * The norms of a form are not those of eq. 19: in eq. 33 the transformed right side is far larger than b, and 1e-10 of it
 * can leave 1e-7 of b; in eq. 19 itself w is far larger than b. Eq. 33 also squares the stiffness, so that its own round-off
 * may forbid 1e-10. So each solver is only an inner one: both blocks of eq. 19 are measured, and the form is solved for a
 * correction with what is left of eq. 19 as b and w, as often as needed. Where an accurate correction does not halve the
 * residual it is round-off: the solve ends with VL_SOLVE_ITERATIONS and the residual that was reached.
 *
 * MINRES wants a positive preconditioner: IC(0) of L + J diag(S)^-1 J^T for p, IC(0) of S for v. */

enum { VECTORS = 7 }; /* that the inner solvers need */

static const double smallest_tolerance = 1e-12; /* of an inner solve: below it there is little but round-off */

typedef struct Inner {
  vlCoupledForm form;
  vlCsr *a;
  double *rhs, *work;
  double *r, *x;       /* what is left of eq. 19, and a correction [pressures + unknowns] */
  double sigma, alpha; /* of eq. 33 */
  vlIncomplete *ic, *solid_ic;
  vlIlu *ilu;
  Schur schur;
} Inner;

const char *vl_coupled_form_name(vlCoupledForm form)
{
  static const char *const name[] = {"spd", "bicgstab", "minres", "schur"};
  return name[form];
}

static void apply_blocks(void *data, const double *r, double *z)
{
  const Inner *inner = data;
  vlOperator fluid = vl_incomplete_operator(inner->ic), solid = vl_incomplete_operator(inner->solid_ic);
  fluid.apply(fluid.data, r, z);
  solid.apply(solid.data, r + fluid.n, z + fluid.n);
}

/* IC(0) of L + J diag(S)^-1 J^T, which unlike L is positive also in cells that only elastic walls enclose, and of S. */
static vlCode make_blocks(Inner *inner, const vlCoupledSystem *system, vlStatus *status)
{
  int n = system->unknowns;
  vlCsr *jh = NULL, *jht = NULL, *jj = NULL, *fluid = NULL;
  double shift, *half = malloc(((size_t)n + 1) * sizeof *half);
  vlCode code = half ? VL_OK : vl_fail_memory(status, (size_t)n * sizeof *half, "the preconditioner of MINRES");
  if (code == VL_OK) code = vl_csr_diagonal(system->s, half, status);
  for (int i = 0; code == VL_OK && i < n; i++) half[i] = half[i] > 0.0 ? 1.0 / sqrt(half[i]) : 0.0;
  if (code == VL_OK) code = vl_rect_scaled(&jh, system->j, half, status);
  if (code == VL_OK) code = vl_rect_transpose(&jht, jh, n, status);
  if (code == VL_OK) code = vl_rect_multiply(&jj, jh, jht, system->pressures, status);
  if (code == VL_OK) code = vl_rect_add(&fluid, system->l, 1.0, jj, status);
  if (code == VL_OK) code = vl_incomplete_create_shifted(&inner->ic, fluid, &shift, status);
  if (code == VL_OK) code = vl_incomplete_create_shifted(&inner->solid_ic, system->s, &shift, status);
  vl_csr_destroy(&jh);
  vl_csr_destroy(&jht);
  vl_csr_destroy(&jj);
  vl_csr_destroy(&fluid);
  free(half);
  return code;
}

static void clear_inner(Inner *inner)
{
  vl_csr_destroy(&inner->a);
  vl_incomplete_destroy(&inner->ic);
  vl_incomplete_destroy(&inner->solid_ic);
  vl_ilu_destroy(&inner->ilu);
  schur_clear(&inner->schur);
  free(inner->rhs);
  free(inner->work);
  free(inner->r);
  free(inner->x);
}

static vlCode make_inner(Inner *inner, const vlCoupledSystem *system, vlStatus *status)
{
  size_t n = (size_t)system->pressures + (size_t)system->unknowns + 1;
  double shift;
  inner->r = malloc(n * sizeof(double));
  inner->x = malloc(n * sizeof(double));
  inner->work = malloc(VECTORS * n * sizeof(double));
  if (!inner->r || !inner->x || !inner->work)
    return vl_fail_memory(status, (VECTORS + 2) * n * sizeof(double), "the coupled solve");
  if (inner->form == VL_FORM_SCHUR) return schur_create(&inner->schur, system, status);
  vlCode code = inner->form == VL_FORM_SPD
                    ? vl_forms_spd(system, inner->sigma, &inner->alpha, &inner->a, &inner->rhs, status)
                    : vl_forms_indefinite(system, &inner->a, &inner->rhs, status);
  if (code != VL_OK) return code;
  if (inner->form == VL_FORM_SPD) return vl_incomplete_create_shifted(&inner->ic, inner->a, &shift, status);
  return inner->form == VL_FORM_BICGSTAB ? vl_ilu_create(&inner->ilu, inner->a, status) : make_blocks(inner, system, status);
}

/* Solves for the correction x = [dp; dv] whose b and w are in r. */
static vlSolveInfo run_inner(Inner *inner, const vlCoupledSystem *system, vlSolveOptions options, const double *r, double *x)
{
  size_t m = (size_t)system->pressures, n = m + (size_t)system->unknowns;
  memset(x, 0, n * sizeof *x);
  if (inner->form == VL_FORM_SCHUR) return schur_solve(&inner->schur, r, r + m, options, x, x + m);
  vlOperator a = vl_csr_operator(inner->a);
  if (inner->form == VL_FORM_BICGSTAB) return vl_bicgstab(a, vl_ilu_operator(inner->ilu), r, x, inner->work, options);
  if (inner->form == VL_FORM_MINRES) {
    vlOperator blocks = {.n = a.n, .apply = apply_blocks, .data = inner};
    return vl_minres(a, blocks, r, x, inner->work, options);
  }
  vl_forms_spd_rhs(system, inner->sigma, inner->alpha, r, r + m, inner->rhs);
  vlSolveInfo info = vl_cg(a, vl_incomplete_operator(inner->ic), (vlProjector){0}, inner->rhs, x, inner->work, options);
  for (size_t i = m; i < n; i++) x[i] *= inner->alpha;
  return info;
}

static void add(double *restrict y, double scale, const double *restrict x, int n)
{
  for (int i = 0; i < n; i++) y[i] += scale * x[i];
}

static bool hopeless(vlSolveReason reason) { return reason != VL_SOLVE_CONVERGED && reason != VL_SOLVE_ITERATIONS; }

/* Adds the correction in x to p and v; takes it back when it makes matters worse. */
static vlCode correct(const Inner *inner, const vlCoupledSystem *system, double *p, double *v, vlCoupledResidual *residual,
                      vlStatus *status)
{
  int m = system->pressures, n = system->unknowns;
  double before = residual->worst;
  add(p, 1.0, inner->x, m);
  add(v, 1.0, inner->x + m, n);
  vlCode code = vl_coupled_residual(system, p, v, inner->r, residual, status);
  if (code != VL_OK || residual->worst <= before) return code;
  add(p, -1.0, inner->x, m);
  add(v, -1.0, inner->x + m, n);
  return vl_coupled_residual(system, p, v, inner->r, residual, status);
}

/* Corrects p and v until eq. 19 holds. A correction that does not halve what is left is tried again with a tolerance a
 * thousand times smaller: the norm of the form may be blind to what matters in eq. 19. */
static vlCode iterate(Inner *inner, const vlCoupledSystem *system, vlSolveOptions options, double *p, double *v,
                      vlSolveInfo *info, vlStatus *status)
{
  vlCoupledResidual residual;
  vlSolveInfo pass = {.reason = VL_SOLVE_CONVERGED};
  double strict = 1.0;
  vlCode code = vl_coupled_residual(system, p, v, inner->r, &residual, status);
  while (code == VL_OK && residual.worst > options.tolerance && info->iterations < options.max_iterations) {
    double before = residual.worst;
    vlSolveOptions inner_options = {.tolerance = strict * fmin(0.5 * options.tolerance / before, 0.1),
                                    .max_iterations = options.max_iterations - info->iterations};
    pass = run_inner(inner, system, inner_options, inner->r, inner->x);
    info->iterations += pass.iterations;
    if (pass.reason == VL_SOLVE_NAN) break;
    code = correct(inner, system, p, v, &residual, status);
    if (hopeless(pass.reason)) break;
    if (residual.worst <= 0.5 * before) continue;
    if (inner_options.tolerance < smallest_tolerance) break;
    strict *= 1e-3;
  }
  info->residual = residual.worst;
  info->reason = residual.worst <= options.tolerance ? VL_SOLVE_CONVERGED
                 : hopeless(pass.reason)             ? pass.reason
                                                     : VL_SOLVE_ITERATIONS;
  if (isnan(residual.worst)) info->reason = VL_SOLVE_NAN;
  return code;
}

vlCode vl_coupled_solve(const vlCoupledSystem *system, vlCoupledForm form, double sigma, double alpha,
                        vlSolveOptions options, double *p, double *v, vlSolveInfo *info, vlStatus *status)
{
  Inner inner = {.form = form, .sigma = sigma, .alpha = alpha};
  *info = (vlSolveInfo){0};
  vlCode code = vl_coupled_check(system, status);
  if (code == VL_OK) code = make_inner(&inner, system, status);
  if (code == VL_OK) code = iterate(&inner, system, options, p, v, info, status);
  clear_inner(&inner);
  return code;
}

/* Condition numbers of the forms' matrices, for the table of [zarifi2017].
 *
 * Lanczos on the matrix gives its largest |eigenvalue|, Lanczos on its inverse the smallest (linear/lanczos.c). All inverses
 * come from one Schur solve:
 *
 *   eq. 19:  A^-1 [y1; y2] is the solution of L p + J v = y1, J^T p - S v = y2
 *   eq. 33:  A33 = D T A D with D = diag(1, alpha) and T = [ I  J Z1^-1 ; 0  -Z2 Z1^-1 ], so with a factor of Z2
 *            A33^-1 = D^-1 A^-1 T^-1 D^-1,  T^-1 [y1; y2] = [y1 + J Z2^-1 y2; -Z1 Z2^-1 y2] */

enum { MAX_STEPS = 200 };

static const vlSolveOptions accurate = {.tolerance = 1e-10, .max_iterations = 5000};

typedef struct Inverse {
  Schur schur;
  double sigma, alpha;
  vlFrontal *z2;    /* of eq. 33; NULL otherwise */
  double *y1, *y2;  /* [pressures], [unknowns] */
  double *none;     /* zeros [unknowns] */
  vlSolveInfo last; /* the worst solve so far */
} Inverse;

static void solve(Inverse *inverse, const double *b, const double *w, double *p, double *v)
{
  memset(p, 0, (size_t)inverse->schur.system->pressures * sizeof *p);
  vlSolveInfo info = schur_solve(&inverse->schur, b, w, accurate, p, v);
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
    vlOperator op = a ? vl_csr_operator(a) : schur_operator(&inverse->schur);
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
  if (code == VL_OK) code = schur_create(&inverse.schur, system, status);
  if (code == VL_OK) code = estimate(&inverse, form, condition, status);
  schur_clear(&inverse.schur);
  vl_frontal_destroy(&inverse.z2);
  free(inverse.y1);
  free(inverse.y2);
  free(inverse.none);
  return code;
}
