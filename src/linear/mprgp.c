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
 * Lengths of gradients are measured with D^-1, D the diagonal: links to nearby fixed values make rows of A differ by orders
 * of magnitude, and with D a fixed step suits them all. The residual that krylov.c drives to its target is what is broken of
 * the conditions. */
#include <math.h>
#include <string.h>

#include "linear/krylov.h"

enum { POWER_STEPS = 20 };

static const double GAMMA = 1.0; /* proportion of beta to phi from which held entries are let go */

/* phi.phi + beta.beta, and both with D^-1. */
typedef struct Broken {
  double square, phi, beta;
} Broken;

typedef struct Mprgp {
  vlKrylov k; /* q: A d */
  const vlBoundedProblem *p;
  double *g, *z, *d, *trial, *scratch; /* each [n]; g is what k has for r */
  double step;                         /* of projected gradients, times D^-1; 0: not known yet */
  double dq;                           /* d.A d of the last step */
  bool restart;                        /* the next d is the preconditioned gradient */
  Broken broken;
} Mprgp;

static bool is_free(const Mprgp *s, size_t i) { return !s->p->bounded[i] || s->k.x[i] > 0.0; }

static void product(Mprgp *s, const double *x, double *y)
{
  vl_operator_apply(s->k.a, x, y);
  s->k.info.iterations++;
}

/* g = A x - b */
static void find_gradient(Mprgp *s, const double *x, double *g)
{
  product(s, x, g);
  vl_vector_add(g, -s->k.scale, s->k.b, s->k.n);
  vl_krylov_project(&s->k, g);
}

/* Of x with gradient g; z, which d is made of by then, takes b at its scale. */
static double energy(const Mprgp *s, const double *x, const double *g)
{
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++) s->z[i] = s->k.scale * s->k.b[i];
  return 0.5 * (vl_vector_dot(x, g, s->k.n) - vl_vector_dot(x, s->z, s->k.n));
}

static Broken find_broken(Mprgp *s)
{
  double *phi = s->trial, *beta = s->scratch;
  Broken broken;
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++) {
    bool free = is_free(s, i);
    phi[i] = free ? s->g[i] : 0.0;
    beta[i] = !free && s->g[i] < 0.0 ? s->g[i] : 0.0;
  }
  broken.square = vl_vector_dot(phi, phi, s->k.n) + vl_vector_dot(beta, beta, s->k.n);
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++) {
    double scale = s->p->diagonal[i] > 0.0 ? 1.0 / sqrt(s->p->diagonal[i]) : 0.0;
    phi[i] *= scale;
    beta[i] *= scale;
  }
  broken.phi = vl_vector_dot(phi, phi, s->k.n);
  broken.beta = vl_vector_dot(beta, beta, s->k.n);
  return broken;
}

/* z = F M^-1 F g */
static void precondition(Mprgp *s)
{
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++) s->scratch[i] = is_free(s, i) ? s->g[i] : 0.0;
  vl_operator_apply(s->k.preconditioner, s->scratch, s->z);
  vl_krylov_project(&s->k, s->z);
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++)
    if (!is_free(s, i)) s->z[i] = 0.0;
}

/* How far along -d until the first bounded entry is zero. */
static double feasible_length(const Mprgp *s)
{
  double length = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : length) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++)
    if (s->p->bounded[i] && s->d[i] > 0.0) length = fmin(length, s->k.x[i] / s->d[i]);
  return length;
}

static double bounded_entry(const Mprgp *s, size_t i, double value) { return s->p->bounded[i] && value < 0.0 ? 0.0 : value; }

/* 1.9 over the largest eigenvalue of D^-1 A, by the power method. */
static double gradient_step(Mprgp *s)
{
  double *v = s->trial, *w = s->scratch, largest = 1.0;
  uint64_t seed = 1;
  for (size_t i = 0; i < s->k.n; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    v[i] = s->p->diagonal[i] > 0.0 ? (double)(seed >> 40) * 0x1p-24 - 0.5 : 0.0;
  }
  for (int k = 0; k < POWER_STEPS; k++) {
    product(s, v, w);
    for (size_t i = 0; i < s->k.n; i++) w[i] = s->p->diagonal[i] > 0.0 ? w[i] / s->p->diagonal[i] : 0.0;
    double size = sqrt(vl_vector_dot(w, w, s->k.n)), before = sqrt(vl_vector_dot(v, v, s->k.n));
    if (!(size > 0.0) || !(before > 0.0)) break;
    largest = size / before;
    for (size_t i = 0; i < s->k.n; i++) v[i] = w[i] / size;
  }
  return 1.9 / largest;
}

/* The whole step of CG cut off at the bounds; false where that would not lower the energy. */
static bool expand_whole(Mprgp *s, double alpha)
{
  double before = energy(s, s->k.x, s->g);
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++) s->trial[i] = bounded_entry(s, i, s->k.x[i] - alpha * s->d[i]);
  find_gradient(s, s->trial, s->scratch);
  if (!(energy(s, s->trial, s->scratch) < before)) return false;
  memcpy(s->k.x, s->trial, s->k.n * sizeof *s->k.x);
  memcpy(s->g, s->scratch, s->k.n * sizeof *s->g);
  return true;
}

/* x -= alpha d, g -= alpha q */
static void move(Mprgp *s, double alpha)
{
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++) {
    s->k.x[i] = bounded_entry(s, i, s->k.x[i] - alpha * s->d[i]);
    s->g[i] -= alpha * s->k.q[i];
  }
}

static void expand_by_gradient(Mprgp *s, double length)
{
  enum { HALVINGS = 30 };
  if (s->step == 0.0) s->step = gradient_step(s);
  move(s, length);
  double before = energy(s, s->k.x, s->g);
  for (int k = 0; k < HALVINGS; k++, s->step *= 0.5) {
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
    for (size_t i = 0; i < s->k.n; i++) {
      double phi = is_free(s, i) ? s->g[i] : 0.0, d = s->p->diagonal[i];
      s->trial[i] = d > 0.0 ? bounded_entry(s, i, s->k.x[i] - s->step * phi / d) : 0.0;
    }
    find_gradient(s, s->trial, s->scratch);
    if (!(energy(s, s->trial, s->scratch) > before)) break;
  }
  memcpy(s->k.x, s->trial, s->k.n * sizeof *s->k.x);
  memcpy(s->g, s->scratch, s->k.n * sizeof *s->g);
}

/* d = z, or made conjugate to the last one, whose product is q. */
static void turn_direction(Mprgp *s)
{
  double along = s->restart ? 0.0 : vl_vector_dot(s->z, s->k.q, s->k.n) / s->dq;
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++) s->d[i] = s->restart ? s->z[i] : s->z[i] - along * s->d[i];
}

/* A step on the free entries. */
static vlSolveReason step_free(Mprgp *s)
{
  vlSolveReason reason = VL_SOLVE_CONVERGED;
  precondition(s);
  turn_direction(s);
  product(s, s->d, s->k.q);
  s->dq = vl_vector_dot(s->d, s->k.q, s->k.n);
  if (!vl_krylov_usable(s->dq, &reason)) return reason;
  double alpha = vl_vector_dot(s->g, s->d, s->k.n) / s->dq, length = feasible_length(s);
  s->restart = alpha > length;
  if (s->restart) {
    if (!expand_whole(s, alpha)) expand_by_gradient(s, length);
    return reason;
  }
  move(s, alpha);
  return reason;
}

/* Lets go of held entries that the gradient pulls off their bound. */
static vlSolveReason step_held(Mprgp *s)
{
  vlSolveReason reason = VL_SOLVE_CONVERGED;
#pragma omp parallel for schedule(static) if (s->k.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < s->k.n; i++)
    s->d[i] = !is_free(s, i) && s->g[i] < 0.0 && s->p->diagonal[i] > 0.0 ? s->g[i] / s->p->diagonal[i] : 0.0;
  product(s, s->d, s->k.q);
  double dq = vl_vector_dot(s->d, s->k.q, s->k.n);
  if (vl_krylov_usable(dq, &reason)) move(s, vl_vector_dot(s->g, s->d, s->k.n) / dq);
  s->restart = true;
  return reason;
}

static double residual(vlKrylov *k)
{
  Mprgp *s = (Mprgp *)k;
  find_gradient(s, k->x, s->g);
  s->broken = find_broken(s);
  return s->broken.square;
}

static vlSolveReason begin(vlKrylov *k)
{
  ((Mprgp *)k)->restart = true;
  return VL_SOLVE_CONVERGED;
}

static vlSolveReason step(vlKrylov *k)
{
  Mprgp *s = (Mprgp *)k;
  vlSolveReason reason = s->broken.beta <= GAMMA * GAMMA * s->broken.phi ? step_free(s) : step_held(s);
  s->broken = find_broken(s);
  k->rr = s->broken.square;
  return reason;
}

vlSolveInfo vl_mprgp(const vlBoundedProblem *p, double *x, double *work, vlSolveOptions options)
{
  static const vlKrylovMethod method = {.residual = residual, .begin = begin, .step = step, .slack = 4.0};
  Mprgp s = {.k = {.a = p->a, .preconditioner = p->preconditioner, .null_space = p->null_space, .b = p->b, .x = x}, .p = p};
  s.k.options = options;
  vl_krylov_lay(&s.k, work, (double **[]){&s.k.r, &s.z, &s.d, &s.k.q, &s.trial, &s.scratch}, VL_MPRGP_VECTORS);
  s.g = s.k.r;
  for (size_t i = 0; i < p->a.n; i++) x[i] = bounded_entry(&s, i, x[i]);
  return vl_krylov_solve(&s.k, &method);
}
