/* Solving the coupled step in one of its forms until eq. 19 of [zarifi2017] holds.
 *
 * The norms of a form are not those of eq. 19: in eq. 33 the transformed right side is far larger than b, and 1e-10 of it
 * can leave 1e-7 of b; in eq. 19 itself w is far larger than b. Eq. 33 also squares the stiffness, so that its own round-off
 * may forbid 1e-10. So each solver is only an inner one: both blocks of eq. 19 are measured, and the form is solved for a
 * correction with what is left of eq. 19 as b and w, as often as needed. Where an accurate correction does not halve the
 * residual it is round-off: the solve ends with VL_SOLVE_ITERATIONS and the residual that was reached.
 *
 * MINRES wants a positive preconditioner: IC(0) of L + J diag(S)^-1 J^T for p, IC(0) of S for v. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/csr.h"
#include "pressure/forms_schur.h"

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
  vlFormsSchur schur;
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
  vl_forms_schur_clear(&inner->schur);
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
  if (inner->form == VL_FORM_SCHUR) return vl_forms_schur_create(&inner->schur, system, status);
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
  if (inner->form == VL_FORM_SCHUR) return vl_forms_schur_solve(&inner->schur, r, r + m, options, x, x + m);
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
