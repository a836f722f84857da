/* MINRES for A x = b with symmetric A, indefinite or not [paige1975], preconditioned by a symmetric positive M.
 *
 * Lanczos vectors of M^-1 A, three at a time, and Givens rotations (c, s) that keep their tridiagonal matrix triangular.
 * Each step takes x to the smallest residual in the norm of M^-1 over all vectors so far; |eta| is that residual. What is
 * asked for is the plain norm: once |eta| has fallen far enough the true residual is formed, and where it is still too large
 * the same recurrence goes on to a smaller |eta|. A true residual that no longer follows |eta| is round-off: Lanczos starts
 * again from it, and if that gains nothing the solve ends and says so. Sums are the same for any number of threads. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "linear/solve.h"

enum { SERIAL = 32768, VECTORS = 7 }; /* shorter vectors are not worth waking threads for */

typedef struct Solve {
  vlOperator a, preconditioner;
  const double *b;
  double *x, *r, *v, *v_old, *z, *q, *w, *w_old; /* each [n] */
  size_t n;
  int max_iterations;
  double gamma, gamma_old;         /* lengths of Lanczos vectors, (v.M^-1 v)^1/2 */
  double c, c_old, sine, sine_old; /* the last two rotations */
  double eta;                      /* its size: the residual in the norm of M^-1 */
} Solve;

static void swap(double **a, double **b)
{
  double *t = *a;
  *a = *b;
  *b = t;
}

/* r = b - A x; returns r.r */
static double true_residual(const Solve *s)
{
  s->a.apply(s->a.data, s->x, s->r);
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) s->r[i] = s->b[i] - s->r[i];
  return vl_vector_dot(s->r, s->r, s->n);
}

/* gamma = (v.z)^1/2 for z = M^-1 v */
static vlSolveReason measure(Solve *s, const double *v, const double *z)
{
  double square = vl_vector_dot(v, z, s->n);
  if (!isfinite(square)) return VL_SOLVE_NAN;
  if (square < 0.0 || (square == 0.0 && vl_vector_dot(v, v, s->n) > 0.0)) return VL_SOLVE_BREAKDOWN;
  s->gamma = sqrt(square);
  return VL_SOLVE_CONVERGED;
}

/* Lanczos from the residual in r. */
static vlSolveReason begin(Solve *s)
{
  size_t bytes = s->n * sizeof *s->r;
  memcpy(s->v, s->r, bytes);
  memset(s->v_old, 0, bytes);
  memset(s->w, 0, bytes);
  memset(s->w_old, 0, bytes);
  s->preconditioner.apply(s->preconditioner.data, s->v, s->z);
  s->gamma_old = 1.0;
  s->c = s->c_old = 1.0;
  s->sine = s->sine_old = 0.0;
  vlSolveReason reason = measure(s, s->v, s->z);
  s->eta = s->gamma;
  return reason;
}

/* x += step w, with w <- (z - a3 w_old - a2 w) / a1 */
static void move(Solve *s, double a1, double a2, double a3, double step)
{
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) {
    double w = (s->z[i] - a3 * s->w_old[i] - a2 * s->w[i]) / a1;
    s->w_old[i] = w;
    s->x[i] += step * w;
  }
  swap(&s->w, &s->w_old);
}

static vlSolveReason step(Solve *s)
{
  double gamma = s->gamma, inverse = 1.0 / gamma;
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) s->z[i] *= inverse;
  s->a.apply(s->a.data, s->z, s->q);
  double delta = vl_vector_dot(s->q, s->z, s->n), back = gamma / s->gamma_old;
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) s->v_old[i] = s->q[i] - delta * inverse * s->v[i] - back * s->v_old[i];
  swap(&s->v, &s->v_old);
  s->preconditioner.apply(s->preconditioner.data, s->v, s->q);
  vlSolveReason reason = measure(s, s->v, s->q);
  if (reason != VL_SOLVE_CONVERGED) return reason;

  double a0 = s->c * delta - s->c_old * s->sine * gamma, a1 = hypot(a0, s->gamma);
  double a2 = s->sine * delta + s->c_old * s->c * gamma, a3 = s->sine_old * gamma;
  if (!isfinite(a1)) return VL_SOLVE_NAN;
  if (a1 == 0.0) return VL_SOLVE_STUCK; /* A is singular and b not in its range */
  s->c_old = s->c, s->sine_old = s->sine;
  s->c = a0 / a1, s->sine = s->gamma / a1;
  move(s, a1, a2, a3, s->c * s->eta);
  s->eta *= -s->sine;
  s->gamma_old = gamma;
  swap(&s->z, &s->q);
  return VL_SOLVE_CONVERGED;
}

/* One run of Lanczos from the residual in r with r.r = *rr, until that is <= target or round-off stops it. */
static vlSolveReason iterate(Solve *s, double *rr, double target, int *iterations)
{
  vlSolveReason reason = begin(s);
  double goal = fabs(s->eta) * sqrt(target / *rr);
  while (reason == VL_SOLVE_CONVERGED) {
    /* gamma == 0: the vectors span all that A reaches, nothing can be added */
    if (fabs(s->eta) <= goal || s->gamma == 0.0) {
      double before = *rr;
      *rr = true_residual(s);
      if (!isfinite(*rr)) return VL_SOLVE_NAN;
      if (*rr <= target || *rr > 0.25 * before || s->gamma == 0.0) return VL_SOLVE_CONVERGED;
      goal = fabs(s->eta) * fmin(0.5 * sqrt(target / *rr), 0.25);
    }
    if (*iterations >= s->max_iterations) return VL_SOLVE_ITERATIONS;
    reason = step(s);
    (*iterations)++;
  }
  return reason;
}

vlSolveInfo vl_minres(vlOperator a, vlOperator preconditioner, const double *b, double *x, double *work,
                      vlSolveOptions options)
{
  size_t n = a.n, stride = n + 2 * a.pad;
  assert(preconditioner.n == n);
  double *w = work + a.pad;
  Solve s = {.a = a, .preconditioner = preconditioner, .b = b, .x = x, .n = n, .max_iterations = options.max_iterations};
  double **vectors[VECTORS] = {&s.r, &s.v, &s.v_old, &s.z, &s.q, &s.w, &s.w_old};
  for (int k = 0; k < VECTORS; k++) *vectors[k] = w + (size_t)k * stride;
  vlSolveInfo info = {.reason = VL_SOLVE_CONVERGED};
  memset(work, 0, VECTORS * stride * sizeof *work); /* operators may leave entries alone that belong to no unknown */
  double bb = vl_vector_dot(b, b, n);
  if (bb == 0.0) {
    memset(x, 0, n * sizeof *x);
    return info;
  }
  double target = options.tolerance * options.tolerance * bb;
  double rr = isfinite(bb) ? true_residual(&s) : NAN;
  if (!isfinite(rr)) info.reason = VL_SOLVE_NAN;

  while (info.reason == VL_SOLVE_CONVERGED && rr > target) {
    double before = rr;
    info.reason = iterate(&s, &rr, target, &info.iterations);
    if (info.reason == VL_SOLVE_NAN) break;
    rr = true_residual(&s);
    if (!isfinite(rr)) info.reason = VL_SOLVE_NAN;
    if (info.reason == VL_SOLVE_CONVERGED && rr > target && rr > 0.25 * before) info.reason = VL_SOLVE_ITERATIONS;
  }
  info.residual = info.reason == VL_SOLVE_NAN ? NAN : sqrt(rr / bb);
  return info;
}
