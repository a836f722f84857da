/* Sweeps for A x = b, A symmetric positive (semi-)definite: Jacobi's iteration, where M is the diagonal of A.
 *
 *   z = P M^-1 r,  x += z,  r -= A z
 *
 * It is what programs on graphics cards take for their pressure [brandt2019, app. C]: each sweep is a pass over memory,
 * needs no sums and nothing prepared; but errors as long as n cells need about n^2 sweeps, so that the pressure of deep
 * liquid comes late. For comparison with the others. krylov.c says when to begin and when to end. */
#include <math.h>

#include "linear/krylov.h"

typedef struct Sweeps {
  vlKrylov k;
  double *z; /* [n] */
} Sweeps;

static vlSolveReason begin(vlKrylov *k)
{
  (void)k;
  return VL_SOLVE_CONVERGED;
}

static vlSolveReason step(vlKrylov *k)
{
  double *z = ((Sweeps *)k)->z;
  vl_operator_apply(k->preconditioner, k->r, z);
  vl_krylov_project(k, z);
  vl_operator_apply(k->a, z, k->q);
  k->rr = vl_vector_reduce(k->r, 1.0, k->q, k->n);
  if (!isfinite(k->rr)) return VL_SOLVE_NAN;
  vl_vector_add(k->x, 1.0, z, k->n);
  k->info.iterations++;
  return VL_SOLVE_CONVERGED;
}

vlSolveInfo vl_sweeps(vlOperator a, vlOperator preconditioner, vlProjector null_space, const double *b, double *x,
                      double *work, vlSolveOptions options)
{
  static const vlKrylovMethod method = {.begin = begin, .step = step, .slack = 4.0};
  Sweeps s = {.k = {.a = a, .preconditioner = preconditioner, .null_space = null_space, .b = b, .x = x, .options = options}};
  vl_krylov_lay(&s.k, work, (double **[]){&s.k.r, &s.z, &s.k.q}, 3);
  return vl_krylov_solve(&s.k, &method);
}
