/* Modified proportioning with reduced gradient projections [dostal2009, chapter 5], for quadratic programs with bounds.
 *
 * With g = A x - b the conditions of the solution are g_i = 0 where x_i is free and g_i >= 0 where it is held at its bound.
 * What is broken of them is split in two: phi, the gradient on the free entries, and beta, its negative part on the held
 * ones.
 *   beta small against phi   a step of CG on the free entries; one that would leave the bounds ends on them (expansion)
 *   else                     a step along -beta, which lets go of held entries (proportioning)
 * CG is preconditioned on the face: z = F M^-1 F g with F the free entries, positive definite there. An expansion projects
 * the whole step of CG if that lowers the energy [kruzik2020]; else it goes to the first bound and from there by a step of
 * projected gradients, of a length that does: halved, for good, where the estimate of the largest eigenvalue was too low.
 * Lengths of gradients are measured with D^-1, D the diagonal: links to
 * nearby fixed values make rows of A differ by orders of magnitude, and with D a fixed step suits them all. */
#include "linear/mprgp.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
  POWER_STEPS = 20,
  SERIAL = 32768 /* shorter vectors are not worth waking threads for */
};

static const double GAMMA = 1.0; /* proportion of beta to phi from which held entries are let go */

typedef struct Solve {
  const vlBoundedProblem *p;
  double *x, *g, *z, *d, *q, *trial, *scratch; /* each [n] */
  size_t n;
  double step; /* of projected gradients, times D^-1; 0: not known yet */
  vlSolveInfo *info;
  vlMprgpCount count;
} Solve;

static bool is_free(const Solve *s, size_t i) { return !s->p->bounded[i] || s->x[i] > 0.0; }

static void project(const Solve *s, double *y)
{
  if (s->p->null_space.apply) s->p->null_space.apply(s->p->null_space.data, y);
}

static void product(Solve *s, const double *x, double *y)
{
  s->p->a.apply(s->p->a.data, x, y);
  s->info->iterations++;
}

/* g = A x - b */
static void find_gradient(Solve *s, const double *x, double *g)
{
  product(s, x, g);
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) g[i] -= s->p->b[i];
  project(s, g);
}

static double energy(const Solve *s, const double *x, const double *g)
{
  return 0.5 * (vl_vector_dot(x, g, s->n) - vl_vector_dot(x, s->p->b, s->n));
}

/* phi.phi and beta.beta, plain and with D^-1. */
typedef struct Broken {
  double square, phi, beta;
} Broken;

static Broken find_broken(Solve *s)
{
  double *phi = s->trial, *beta = s->scratch;
  Broken broken;
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) {
    bool free = is_free(s, i);
    phi[i] = free ? s->g[i] : 0.0;
    beta[i] = !free && s->g[i] < 0.0 ? s->g[i] : 0.0;
  }
  broken.square = vl_vector_dot(phi, phi, s->n) + vl_vector_dot(beta, beta, s->n);
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) {
    double scale = s->p->diagonal[i] > 0.0 ? 1.0 / sqrt(s->p->diagonal[i]) : 0.0;
    phi[i] *= scale;
    beta[i] *= scale;
  }
  broken.phi = vl_vector_dot(phi, phi, s->n);
  broken.beta = vl_vector_dot(beta, beta, s->n);
  return broken;
}

/* z = F M^-1 F g */
static void precondition(Solve *s)
{
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) s->scratch[i] = is_free(s, i) ? s->g[i] : 0.0;
  s->p->preconditioner.apply(s->p->preconditioner.data, s->scratch, s->z);
  project(s, s->z);
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++)
    if (!is_free(s, i)) s->z[i] = 0.0;
}

/* How far along -d until the first bounded entry is zero. */
static double feasible_length(const Solve *s)
{
  double length = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : length) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++)
    if (s->p->bounded[i] && s->d[i] > 0.0) length = fmin(length, s->x[i] / s->d[i]);
  return length;
}

static double bounded_entry(const Solve *s, size_t i, double value) { return s->p->bounded[i] && value < 0.0 ? 0.0 : value; }

/* 1.9 over the largest eigenvalue of D^-1 A, by the power method. */
static double gradient_step(Solve *s)
{
  double *v = s->trial, *w = s->scratch, largest = 1.0;
  uint64_t seed = 1;
  for (size_t i = 0; i < s->n; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    v[i] = s->p->diagonal[i] > 0.0 ? (double)(seed >> 40) * 0x1p-24 - 0.5 : 0.0;
  }
  for (int k = 0; k < POWER_STEPS; k++) {
    product(s, v, w);
    for (size_t i = 0; i < s->n; i++) w[i] = s->p->diagonal[i] > 0.0 ? w[i] / s->p->diagonal[i] : 0.0;
    double size = sqrt(vl_vector_dot(w, w, s->n)), before = sqrt(vl_vector_dot(v, v, s->n));
    if (!(size > 0.0) || !(before > 0.0)) break;
    largest = size / before;
    for (size_t i = 0; i < s->n; i++) v[i] = w[i] / size;
  }
  return 1.9 / largest;
}

/* The whole step of CG cut off at the bounds; false where that would not lower the energy. */
static bool expand_whole(Solve *s, double alpha)
{
  double before = energy(s, s->x, s->g);
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) s->trial[i] = bounded_entry(s, i, s->x[i] - alpha * s->d[i]);
  find_gradient(s, s->trial, s->scratch);
  if (!(energy(s, s->trial, s->scratch) < before)) return false;
  memcpy(s->x, s->trial, s->n * sizeof *s->x);
  memcpy(s->g, s->scratch, s->n * sizeof *s->g);
  return true;
}

/* x -= alpha d, g -= alpha q */
static void move(Solve *s, double alpha)
{
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) {
    s->x[i] = bounded_entry(s, i, s->x[i] - alpha * s->d[i]);
    s->g[i] -= alpha * s->q[i];
  }
}

static void expand_by_gradient(Solve *s, double length)
{
  enum { HALVINGS = 30 };
  if (s->step == 0.0) s->step = gradient_step(s);
  move(s, length);
  double before = energy(s, s->x, s->g);
  for (int k = 0; k < HALVINGS; k++, s->step *= 0.5) {
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
    for (size_t i = 0; i < s->n; i++) {
      double phi = is_free(s, i) ? s->g[i] : 0.0, d = s->p->diagonal[i];
      s->trial[i] = d > 0.0 ? bounded_entry(s, i, s->x[i] - s->step * phi / d) : 0.0;
    }
    find_gradient(s, s->trial, s->scratch);
    if (!(energy(s, s->trial, s->scratch) > before)) break;
  }
  memcpy(s->x, s->trial, s->n * sizeof *s->x);
  memcpy(s->g, s->scratch, s->n * sizeof *s->g);
}

/* d = z, or made conjugate to the last one, whose product is q. */
static void turn_direction(Solve *s, double dq, bool restart)
{
  double along = restart ? 0.0 : vl_vector_dot(s->z, s->q, s->n) / dq;
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++) s->d[i] = restart ? s->z[i] : s->z[i] - along * s->d[i];
}

static bool usable(double square, vlSolveReason *reason)
{
  if (!isfinite(square))
    *reason = VL_SOLVE_NAN;
  else if (!(square > 0.0))
    *reason = VL_SOLVE_BREAKDOWN;
  return isfinite(square) && square > 0.0;
}

/* A step on the free entries; *restart: the next begins with the preconditioned gradient. */
static vlSolveReason step_free(Solve *s, double *dq, bool *restart)
{
  vlSolveReason reason = VL_SOLVE_CONVERGED;
  precondition(s);
  turn_direction(s, *dq, *restart);
  product(s, s->d, s->q);
  *dq = vl_vector_dot(s->d, s->q, s->n);
  if (!usable(*dq, &reason)) return reason;
  double alpha = vl_vector_dot(s->g, s->d, s->n) / *dq, length = feasible_length(s);
  *restart = alpha > length;
  if (*restart) {
    s->count.expansions++;
    if (!expand_whole(s, alpha)) expand_by_gradient(s, length);
    return reason;
  }
  s->count.gradients++;
  move(s, alpha);
  return reason;
}

/* Lets go of held entries that the gradient pulls off their bound. */
static vlSolveReason step_held(Solve *s)
{
  vlSolveReason reason = VL_SOLVE_CONVERGED;
#pragma omp parallel for schedule(static) if (s->n > SERIAL)
  for (size_t i = 0; i < s->n; i++)
    s->d[i] = !is_free(s, i) && s->g[i] < 0.0 && s->p->diagonal[i] > 0.0 ? s->g[i] / s->p->diagonal[i] : 0.0;
  product(s, s->d, s->q);
  double dq = vl_vector_dot(s->d, s->q, s->n);
  if (usable(dq, &reason)) move(s, vl_vector_dot(s->g, s->d, s->n) / dq);
  s->count.proportionings++;
  return reason;
}

/* Until the updated gradient meets the target, a square. */
static vlSolveReason iterate(Solve *s, double target, int most)
{
  vlSolveReason reason = VL_SOLVE_CONVERGED;
  double dq = 0.0;
  for (bool restart = true; reason == VL_SOLVE_CONVERGED;) {
    Broken broken = find_broken(s);
    if (!isfinite(broken.square)) return VL_SOLVE_NAN;
    if (broken.square <= target) return reason;
    if (s->info->iterations >= most) return VL_SOLVE_ITERATIONS;
    if (broken.beta <= GAMMA * GAMMA * broken.phi) {
      reason = step_free(s, &dq, &restart);
    } else {
      reason = step_held(s);
      restart = true;
    }
  }
  return reason;
}

vlSolveInfo vl_mprgp(const vlBoundedProblem *p, double *x, double *work, vlSolveOptions options, vlMprgpCount *count)
{
  size_t n = p->a.n, stride = n + 2 * p->a.pad;
  assert(p->preconditioner.n == n);
  vlSolveInfo info = {.reason = VL_SOLVE_CONVERGED};
  memset(work, 0, VL_MPRGP_VECTORS * stride * sizeof *work);
  double *first = work + p->a.pad;
  Solve s = {.p = p, .x = x, .n = n, .info = &info};
  double **vectors[VL_MPRGP_VECTORS] = {&s.g, &s.z, &s.d, &s.q, &s.trial, &s.scratch};
  for (int v = 0; v < VL_MPRGP_VECTORS; v++) *vectors[v] = first + (size_t)v * stride;
  memcpy(s.z, p->b, n * sizeof *x);
  project(&s, s.z);
  double bb = vl_vector_dot(s.z, s.z, n), target = options.tolerance * options.tolerance * bb;
  if (bb == 0.0) { /* x = 0, but for what the null space leaves open */
    memcpy(s.z, x, n * sizeof *x);
    project(&s, s.z);
    for (size_t i = 0; i < n; i++) x[i] -= s.z[i];
    return info;
  }
  for (size_t i = 0; i < n; i++) x[i] = bounded_entry(&s, i, x[i]);
  /* the updated gradient drifts by round-off: begin again from the true one until that meets the target too */
  for (double before = INFINITY;;) {
    find_gradient(&s, x, s.g);
    double square = find_broken(&s).square;
    info.residual = sqrt(square / bb);
    if (!isfinite(square) || !isfinite(bb)) info = (vlSolveInfo){VL_SOLVE_NAN, info.iterations, NAN};
    if (info.reason != VL_SOLVE_CONVERGED || square <= (isinf(before) ? 1.0 : 4.0) * target) break;
    if (square > 0.25 * before) {
      info.reason = VL_SOLVE_ITERATIONS;
      break;
    }
    before = square;
    info.reason = iterate(&s, target, options.max_iterations);
  }
  if (count) *count = s.count;
  return info;
}
