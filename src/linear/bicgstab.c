/* BiCGSTAB for A x = b with any square A, preconditioned from the right [vandervorst1992; saad2003, alg. 7.7].
 *
 *   p <- r + beta (p - omega v),  v = A M^-1 p,  alpha = (s.r)/(s.v),  r -= alpha v,  t = A M^-1 r,  omega = (t.r)/(t.t),
 *   x += M^-1 (alpha p + omega r),  r -= omega t
 *
 * with the shadow s, the residual it started from. Where s.r, s.v or omega vanish the recurrence cannot go on: it starts
 * again with a new shadow, and if that has gained nothing since the last time it says that it is stuck. As in cg.c the true
 * residual is formed at the end, and sums are the same for any number of threads. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "linear/solve.h"

enum { SERIAL = 32768, VECTORS = 7 }; /* shorter vectors are not worth waking threads for */

static const double vanishing = 1e-14; /* cosine between two vectors that counts as zero */

typedef struct Solve {
  vlOperator a, preconditioner;
  const double *b;
  double *x, *r, *shadow, *p, *v, *y, *z, *t; /* each [n] */
  size_t n;
  int max_iterations;
} Solve;

static void apply(vlOperator op, const double *x, double *y) { op.apply(op.data, x, y); }

/* y += alpha x */
static void add_scaled(double *restrict y, double alpha, const double *restrict x, size_t n)
{
#pragma omp parallel for schedule(static) if (n > SERIAL)
  for (size_t i = 0; i < n; i++) y[i] += alpha * x[i];
}

/* r = b - A x; returns r.r */
static double true_residual(const Solve *s)
{
  apply(s->a, s->x, s->t);
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) s->r[i] = s->b[i] - s->t[i];
  return vl_vector_dot(s->r, s->r, s->n);
}

static bool vanishes(double dot, double xx, double yy) { return fabs(dot) <= vanishing * sqrt(xx) * sqrt(yy); }

/* One step. false: it cannot go on from here, and x and r are as far as they came. */
static bool step(const Solve *s, double *rho, double *alpha, double *omega, double shadow_square, double *rr)
{
  size_t n = s->n;
  double next = vl_vector_dot(s->shadow, s->r, n); /* rho: s.r */
  if (vanishes(next, shadow_square, *rr)) return false;
  double beta = *rho != 0.0 ? next / *rho * (*alpha / *omega) : 0.0, w = *omega;
  *rho = next;
#pragma omp parallel for schedule(static) if (n > SERIAL)
  for (size_t i = 0; i < n; i++) s->p[i] = s->r[i] + beta * (s->p[i] - w * s->v[i]);
  apply(s->preconditioner, s->p, s->y);
  apply(s->a, s->y, s->v);
  double sv = vl_vector_dot(s->shadow, s->v, n);
  if (vanishes(sv, shadow_square, vl_vector_dot(s->v, s->v, n))) return false;
  *alpha = *rho / sv;
  add_scaled(s->x, *alpha, s->y, n);
  add_scaled(s->r, -*alpha, s->v, n);
  apply(s->preconditioner, s->r, s->z);
  apply(s->a, s->z, s->t);
  double tt = vl_vector_dot(s->t, s->t, n), tr = vl_vector_dot(s->t, s->r, n);
  *omega = tt > 0.0 ? tr / tt : 0.0;
  add_scaled(s->x, *omega, s->z, n);
  add_scaled(s->r, -*omega, s->t, n);
  *rr = vl_vector_dot(s->r, s->r, n);
  return tt == 0.0 || !vanishes(tr, tt, *rr + *omega * *omega * tt);
}

/* From the residual in r with r.r = rr until r.r <= target. */
static vlSolveReason iterate(const Solve *s, double rr, double target, int *iterations)
{
  double rho = 0.0, alpha = 1.0, omega = 1.0, shadow_square = 0.0, last_start = INFINITY;
  bool start = true;
  while (!(rr <= target)) {
    if (!isfinite(rr)) return VL_SOLVE_NAN;
    if (*iterations >= s->max_iterations) return VL_SOLVE_ITERATIONS;
    if (start) {
      if (rr > 0.99 * last_start) return VL_SOLVE_STUCK;
      last_start = shadow_square = rr;
      rho = 0.0, alpha = omega = 1.0;
      memcpy(s->shadow, s->r, s->n * sizeof *s->r);
    }
    start = !step(s, &rho, &alpha, &omega, shadow_square, &rr);
    (*iterations)++;
  }
  return VL_SOLVE_CONVERGED;
}

vlSolveInfo vl_bicgstab(vlOperator a, vlOperator preconditioner, const double *b, double *x, double *work,
                        vlSolveOptions options)
{
  size_t n = a.n, stride = n + 2 * a.pad;
  assert(preconditioner.n == n);
  double *w = work + a.pad;
  Solve s = {a,
             preconditioner,
             b,
             x,
             w,
             w + stride,
             w + 2 * stride,
             w + 3 * stride,
             w + 4 * stride,
             w + 5 * stride,
             w + 6 * stride,
             n,
             options.max_iterations};
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
    info.reason = iterate(&s, rr, target, &info.iterations);
    if (info.reason == VL_SOLVE_NAN) break;
    rr = true_residual(&s);
    if (!isfinite(rr)) info.reason = VL_SOLVE_NAN;
    if (info.reason != VL_SOLVE_CONVERGED || rr <= 4.0 * target) break; /* squares: within twice the tolerance */
    if (rr > 0.25 * before) info.reason = VL_SOLVE_ITERATIONS;          /* a restart that gains nothing is round-off */
  }
  info.residual = info.reason == VL_SOLVE_NAN ? NAN : sqrt(rr / bb);
  return info;
}
