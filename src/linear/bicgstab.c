/* BiCGSTAB for A x = b with any square A, preconditioned from the right [vandervorst1992; saad2003, alg. 7.7].
 *
 *   p <- r + beta (p - omega v),  v = A M^-1 p,  alpha = (s.r)/(s.v),  r -= alpha v,  t = A M^-1 r,  omega = (t.r)/(t.t),
 *   x += M^-1 (alpha p + omega r),  r -= omega t
 *
 * with the shadow s, the residual it started from. Where s.r, s.v or omega vanish the recurrence cannot go on: it starts
 * again with a new shadow, and if that has gained nothing since the last time it says that it is stuck. krylov.c
 * says when to begin and when to end. */
#include <math.h>
#include <string.h>

#include "linear/krylov.h"

static const double vanishing = 1e-14; /* cosine between two vectors that counts as zero */

typedef struct Bicgstab {
  vlKrylov k;
  double *shadow, *p, *v, *y, *z; /* each [n]; t is k.q */
  double rho, alpha, omega;       /* s.r, and the last step's two lengths */
  double shadow_square;           /* s.s, the r.r of the last start; infinite: none yet */
  bool start;                     /* the next step takes a new shadow */
} Bicgstab;

static bool vanishes(double dot, double xx, double yy) { return fabs(dot) <= vanishing * sqrt(xx) * sqrt(yy); }

static vlSolveReason begin(vlKrylov *k)
{
  Bicgstab *s = (Bicgstab *)k;
  s->shadow_square = INFINITY;
  s->start = true;
  return VL_SOLVE_CONVERGED;
}

static vlSolveReason take_shadow(Bicgstab *s)
{
  if (s->k.rr > 0.99 * s->shadow_square) return VL_SOLVE_STUCK;
  s->shadow_square = s->k.rr;
  s->rho = 0.0, s->alpha = s->omega = 1.0;
  memcpy(s->shadow, s->k.r, s->k.n * sizeof *s->shadow);
  return VL_SOLVE_CONVERGED;
}

/* A value that is not finite ends the solve before it reaches x. */
static bool usable(vlKrylov *k, double value)
{
  if (!isfinite(value)) k->rr = NAN;
  return isfinite(value);
}

/* v = A y with y = M^-1 p for the next p, and alpha. */
static bool turn(Bicgstab *s)
{
  vlKrylov *k = &s->k;
  size_t n = k->n;
  double next = vl_vector_dot(s->shadow, k->r, n);
  if (vanishes(next, s->shadow_square, k->rr)) return false;
  double beta = s->rho != 0.0 ? next / s->rho * (s->alpha / s->omega) : 0.0, w = s->omega;
  s->rho = next;
#pragma omp parallel for schedule(static) if (n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < n; i++) s->p[i] = k->r[i] + beta * (s->p[i] - w * s->v[i]);
  vl_operator_apply(k->preconditioner, s->p, s->y);
  vl_operator_apply(k->a, s->y, s->v);
  double sv = vl_vector_dot(s->shadow, s->v, n), vv = vl_vector_dot(s->v, s->v, n);
  if (!usable(k, vv) || vanishes(sv, s->shadow_square, vv)) return false;
  s->alpha = s->rho / sv;
  return usable(k, s->alpha);
}

/* false: the recurrence cannot go on from here, and x and r are as far as they came. */
static bool advance(Bicgstab *s)
{
  vlKrylov *k = &s->k;
  double *t = k->q;
  size_t n = k->n;
  if (!turn(s)) return false;
  vl_vector_add(k->x, s->alpha, s->y, n);
  vl_vector_add(k->r, -s->alpha, s->v, n);
  vl_operator_apply(k->preconditioner, k->r, s->z);
  vl_operator_apply(k->a, s->z, t);
  double tt = vl_vector_dot(t, t, n), tr = vl_vector_dot(t, k->r, n);
  s->omega = tt != 0.0 ? tr / tt : 0.0;
  if (!usable(k, tt + s->omega)) return false;
  vl_vector_add(k->x, s->omega, s->z, n);
  k->rr = vl_vector_reduce(k->r, s->omega, t, n);
  return tt == 0.0 || !vanishes(tr, tt, k->rr + s->omega * s->omega * tt);
}

static vlSolveReason step(vlKrylov *k)
{
  Bicgstab *s = (Bicgstab *)k;
  vlSolveReason reason = s->start ? take_shadow(s) : VL_SOLVE_CONVERGED;
  if (reason != VL_SOLVE_CONVERGED) return reason;
  s->start = !advance(s);
  k->info.iterations++;
  return reason;
}

vlSolveInfo vl_bicgstab(vlOperator a, vlOperator preconditioner, const double *b, double *x, double *work,
                        vlSolveOptions options)
{
  static const vlKrylovMethod method = {.begin = begin, .step = step, .slack = 4.0};
  Bicgstab s = {.k = {.a = a, .preconditioner = preconditioner, .b = b, .x = x, .options = options}};
  vl_krylov_lay(&s.k, work, (double **[]){&s.k.r, &s.shadow, &s.p, &s.v, &s.y, &s.z, &s.k.q}, 7);
  return vl_krylov_solve(&s.k, &method);
}
