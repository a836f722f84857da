/* MINRES for A x = b with symmetric A, indefinite or not [paige1975], preconditioned by a symmetric positive M.
 *
 * Lanczos vectors of M^-1 A, three at a time, and Givens rotations (c, s) that keep their tridiagonal matrix triangular.
 * Each step takes x to the smallest residual in the norm of M^-1 over all vectors so far; |eta| is that residual. What is
 * asked for is the plain norm: once |eta| has fallen far enough the true residual is formed, and where it is still too large
 * the same recurrence goes on to a smaller |eta|. A true residual that no longer follows |eta| is round-off: krylov.c begins
 * again from it. */
#include <math.h>
#include <string.h>

#include "linear/krylov.h"

typedef struct Minres {
  vlKrylov k;
  double *v, *v_old, *z, *w, *w_old; /* each [n] */
  double gamma, gamma_old;           /* lengths of Lanczos vectors, (v.M^-1 v)^1/2 */
  double c, c_old, sine, sine_old;   /* the last two rotations */
  double eta;                        /* its size: the residual in the norm of M^-1 */
  double goal;                       /* the |eta| at which the true residual is formed */
} Minres;

static void swap(double **a, double **b)
{
  double *t = *a;
  *a = *b;
  *b = t;
}

/* gamma = (v.z)^1/2 for z = M^-1 v */
static vlSolveReason measure(Minres *s, const double *v, const double *z)
{
  double square = vl_vector_dot(v, z, s->k.n);
  if (!isfinite(square)) return VL_SOLVE_NAN;
  if (square < 0.0 || (square == 0.0 && vl_vector_dot(v, v, s->k.n) > 0.0)) return VL_SOLVE_BREAKDOWN;
  s->gamma = sqrt(square);
  return VL_SOLVE_CONVERGED;
}

/* Lanczos from the residual in r. */
static vlSolveReason begin(vlKrylov *k)
{
  Minres *s = (Minres *)k;
  size_t bytes = k->n * sizeof *k->r;
  memcpy(s->v, k->r, bytes);
  memset(s->v_old, 0, bytes);
  memset(s->w, 0, bytes);
  memset(s->w_old, 0, bytes);
  vl_operator_apply(k->preconditioner, s->v, s->z);
  s->gamma_old = 1.0;
  s->c = s->c_old = 1.0;
  s->sine = s->sine_old = 0.0;
  vlSolveReason reason = measure(s, s->v, s->z);
  s->eta = s->gamma;
  s->goal = s->eta * sqrt(k->target / k->rr);
  return reason;
}

/* x += step w, with w <- (z - a3 w_old - a2 w) / a1 */
static void move(Minres *s, double a1, double a2, double a3, double step)
{
  double *x = s->k.x;
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++) {
    double w = (s->z[i] - a3 * s->w_old[i] - a2 * s->w[i]) / a1;
    s->w_old[i] = w;
    x[i] += step * w;
  }
  swap(&s->w, &s->w_old);
}

/* The next Lanczos vector, and q = M^-1 v of it; z becomes a unit vector in the norm of M, delta = z.A z. */
static vlSolveReason lanczos(Minres *s, double *delta)
{
  vlKrylov *k = &s->k;
  size_t n = k->n;
  double inverse = 1.0 / s->gamma, back = s->gamma / s->gamma_old;
#pragma omp parallel for schedule(static) if (n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < n; i++) s->z[i] *= inverse;
  vl_operator_apply(k->a, s->z, k->q);
  double along = *delta = vl_vector_dot(k->q, s->z, n);
#pragma omp parallel for schedule(static) if (n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < n; i++) s->v_old[i] = k->q[i] - along * inverse * s->v[i] - back * s->v_old[i];
  swap(&s->v, &s->v_old);
  vl_operator_apply(k->preconditioner, s->v, k->q);
  s->gamma_old = s->gamma;
  return measure(s, s->v, k->q);
}

/* The true residual, once |eta| is small enough. gamma == 0: the vectors span all that A reaches, nothing can be added. */
static void look(Minres *s)
{
  vlKrylov *k = &s->k;
  if (fabs(s->eta) > s->goal && s->gamma != 0.0) return;
  double before = k->rr;
  k->rr = vl_krylov_residual(k);
  if (k->rr > 0.25 * before || s->gamma == 0.0) k->rr = 0.0; /* this run has nothing to add */
  s->goal = fabs(s->eta) * fmin(0.5 * sqrt(k->target / k->rr), 0.25);
}

static vlSolveReason step(vlKrylov *k)
{
  Minres *s = (Minres *)k;
  double gamma = s->gamma, delta;
  k->info.iterations++;
  vlSolveReason reason = lanczos(s, &delta);
  if (reason != VL_SOLVE_CONVERGED) return reason;
  double a0 = s->c * delta - s->c_old * s->sine * gamma, a1 = hypot(a0, s->gamma);
  double a2 = s->sine * delta + s->c_old * s->c * gamma, a3 = s->sine_old * gamma;
  if (!isfinite(a1)) return VL_SOLVE_NAN;
  if (a1 == 0.0) return VL_SOLVE_STUCK; /* A is singular and b not in its range */
  s->c_old = s->c, s->sine_old = s->sine;
  s->c = a0 / a1, s->sine = s->gamma / a1;
  move(s, a1, a2, a3, s->c * s->eta);
  s->eta *= -s->sine;
  swap(&s->z, &k->q);
  look(s);
  return VL_SOLVE_CONVERGED;
}

vlSolveInfo vl_minres(vlOperator a, vlOperator preconditioner, const double *b, double *x, double *work,
                      vlSolveOptions options)
{
  static const vlKrylovMethod method = {.begin = begin, .step = step, .slack = 1.0};
  Minres s = {.k = {.a = a, .preconditioner = preconditioner, .b = b, .x = x, .options = options}};
  vl_krylov_lay(&s.k, work, (double **[]){&s.k.r, &s.v, &s.v_old, &s.z, &s.k.q, &s.w, &s.w_old}, 7);
  return vl_krylov_solve(&s.k, &method);
}
