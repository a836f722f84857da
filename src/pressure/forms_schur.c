/* The Schur form: the solid's unknowns are eliminated by a direct factor of S,
 *
 *   (L + J S^-1 J^T) p = b + J S^-1 w,   v = S^-1 (J^T p - w)
 *
 * the limit Z1 = S, Z2 = 0 of [zarifi2017, eq. 28]. Conjugate gradients with MIC(0) of L alone as preconditioner; the solid
 * equation holds to round-off. */
#include "pressure/forms_schur.h"

#include <stdlib.h>

#include "base/status.h"
#include "linear/csr.h"

static const double modified = 0.97; /* share of dropped fill that goes to the diagonal */

vlCode vl_forms_schur_create(vlFormsSchur *schur, const vlCoupledSystem *system, vlStatus *status)
{
  size_t m = (size_t)system->pressures + 1, n = (size_t)system->unknowns + 1;
  *schur = (vlFormsSchur){.system = system,
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
  if (code != VL_OK) vl_forms_schur_clear(schur);
  return code;
}

void vl_forms_schur_clear(vlFormsSchur *schur)
{
  vl_csr_destroy(&schur->jt);
  vl_frontal_destroy(&schur->s);
  vl_incomplete_destroy(&schur->l);
  free(schur->t);
  free(schur->u);
  free(schur->q);
  free(schur->rhs);
  free(schur->work);
  *schur = (vlFormsSchur){0};
}

/* x = S^-1 b; cannot fail once S was factored. */
static void solve_solid(vlFormsSchur *schur, const double *b, double *x)
{
  if (schur->s) vl_frontal_solve(schur->s, b, x, NULL);
}

static void apply_schur(void *data, const double *p, double *y)
{
  vlFormsSchur *schur = data;
  vl_csr_apply(schur->system->l, p, y);
  vl_csr_apply(schur->jt, p, schur->t);
  solve_solid(schur, schur->t, schur->u);
  vl_csr_apply(schur->system->j, schur->u, schur->q);
  for (int i = 0; i < schur->system->pressures; i++) y[i] += schur->q[i];
}

vlOperator vl_forms_schur_operator(vlFormsSchur *schur)
{
  return (vlOperator){.n = (size_t)schur->system->pressures, .apply = apply_schur, .data = schur};
}

vlSolveInfo vl_forms_schur_solve(vlFormsSchur *schur, const double *b, const double *w, vlSolveOptions options, double *p,
                                 double *v)
{
  const vlCoupledSystem *system = schur->system;
  solve_solid(schur, w, schur->u);
  vl_csr_apply(system->j, schur->u, schur->rhs);
  for (int i = 0; i < system->pressures; i++) schur->rhs[i] += b[i];
  vlSolveInfo info = vl_cg(vl_forms_schur_operator(schur), vl_incomplete_operator(schur->l), (vlProjector){0}, schur->rhs, p,
                           schur->work, options);
  vl_csr_apply(schur->jt, p, schur->t);
  for (int i = 0; i < system->unknowns; i++) schur->t[i] -= w[i];
  solve_solid(schur, schur->t, v);
  return info;
}
