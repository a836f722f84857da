/* Preconditioned conjugate gradients for A x = b, A symmetric positive (semi-)definite [hestenes1952; saad2003, alg. 9.1].
 *
 *   z = P M^-1 r,  p <- z + (r.z)_new/(r.z)_old p,  q = A p,  alpha = r.z / p.q,  x += alpha p,  r -= alpha q
 *
 * P removes the known null space from every preconditioned residual. Vectors stream through memory, so passes are joined:
 * the update of x waits for the next p (both read the old p), and r is updated and squared in one pass. krylov.c says when
 * to begin and when to end. */
#include <math.h>

#include "linear/krylov.h"

typedef struct Cg {
  vlKrylov k;
  double *z, *p; /* each [n] */
  double alpha;  /* the step along p that x has yet to take */
  double rz;     /* r.z; 0: p begins anew */
} Cg;

static vlSolveReason begin(vlKrylov *k)
{
  Cg *s = (Cg *)k;
  s->alpha = s->rz = 0.0;
  return VL_SOLVE_CONVERGED;
}

/* x += alpha p, then p = z + beta p */
static void step_solution(double *restrict x, double *restrict p, const double *restrict z, double alpha, double beta,
                          size_t n)
{
#pragma omp parallel for schedule(static) if (n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < n; i++) {
    x[i] += alpha * p[i];
    p[i] = z[i] + beta * p[i];
  }
}

/* x gets only steps whose residual is finite. */
static vlSolveReason step(vlKrylov *k)
{
  Cg *s = (Cg *)k;
  vlSolveReason reason = VL_SOLVE_CONVERGED;
  size_t n = k->n;
  vl_operator_apply(k->preconditioner, k->r, s->z);
  vl_krylov_project(k, s->z);
  double last_rz = s->rz;
  s->rz = vl_vector_dot(k->r, s->z, n);
  if (!vl_krylov_usable(s->rz, &reason)) return reason;
  step_solution(k->x, s->p, s->z, s->alpha, last_rz > 0.0 ? s->rz / last_rz : 0.0, n);
  s->alpha = 0.0;
  vl_operator_apply(k->a, s->p, k->q);
  double pq = vl_vector_dot(s->p, k->q, n);
  if (!vl_krylov_usable(pq, &reason)) return reason;
  k->rr = vl_vector_reduce(k->r, s->rz / pq, k->q, n);
  if (!isfinite(k->rr)) return VL_SOLVE_NAN;
  s->alpha = s->rz / pq;
  k->info.iterations++;
  return VL_SOLVE_CONVERGED;
}

static void end(vlKrylov *k)
{
  Cg *s = (Cg *)k;
  if (s->alpha != 0.0) vl_vector_add(k->x, s->alpha, s->p, k->n);
}

vlSolveInfo vl_cg(vlOperator a, vlOperator preconditioner, vlProjector null_space, const double *b, double *x, double *work,
                  vlSolveOptions options)
{
  static const vlKrylovMethod method = {.begin = begin, .step = step, .end = end, .slack = 4.0};
  Cg s = {.k = {.a = a, .preconditioner = preconditioner, .null_space = null_space, .b = b, .x = x, .options = options}};
  vl_krylov_lay(&s.k, work, (double **[]){&s.k.r, &s.z, &s.p, &s.k.q}, 4);
  return vl_krylov_solve(&s.k, &method);
}
