/* Preconditioned conjugate gradients for A x = b, A symmetric positive (semi-)definite [hestenes1952; saad2003, alg. 9.1].
 *
 *   z = P M^-1 r,  p <- z + (r.z)_new/(r.z)_old p,  q = A p,  alpha = r.z / p.q,  x += alpha p,  r -= alpha q
 *
 * P removes the known null space, from b first and then from every preconditioned residual. Vectors stream through memory,
 * so passes are joined: the update of x waits for the next p (both read the old p), and r is updated and squared in one
 * pass. At the end the true residual b - A x is formed; where round-off has let the updated one drift below it, CG starts
 * again from it.
 *
 * Sums are the same for any number of threads: the vector is cut into at most MAX_BLOCKS blocks whose size depends on n
 * only, each is summed in eight fixed lanes, and the blocks' sums are added pairwise. */
#include <assert.h>
#include <math.h>

#include "linear/solve.h"

enum {
  MAX_BLOCKS = 4096, /* their sums stand on the stack: 32 KiB */
  MIN_BLOCK = 4096,  /* doubles */
  LANES = 8,
  SERIAL = 32768 /* shorter vectors are not worth waking threads for */
};

typedef struct Blocks {
  size_t n, size;
  int count;
} Blocks;

static Blocks make_blocks(size_t n)
{
  size_t size = (n + MAX_BLOCKS - 1) / MAX_BLOCKS;
  size = (size + LANES - 1) / LANES * LANES;
  if (size < MIN_BLOCK) size = MIN_BLOCK;
  return (Blocks){.n = n, .size = size, .count = (int)((n + size - 1) / size)};
}

static size_t block_length(Blocks blocks, int block)
{
  size_t begin = (size_t)block * blocks.size;
  return blocks.n - begin < blocks.size ? blocks.n - begin : blocks.size;
}

static double sum_pairwise(const double *sum, int count)
{
  if (count == 0) return 0.0;
  if (count == 1) return sum[0];
  int half = (count + 1) / 2;
  return sum_pairwise(sum, half) + sum_pairwise(sum + half, count - half);
}

static double sum_lanes(const double s[LANES]) { return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); }

static double dot_block(const double *x, const double *y, size_t n)
{
  double sum[LANES] = {0.0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) sum[l] += x[i + l] * y[i + l];
  for (; i < n; i++) sum[0] += x[i] * y[i];
  return sum_lanes(sum);
}

/* r -= alpha q; returns r.r */
static double step_block(double *restrict r, const double *restrict q, double alpha, size_t n)
{
  double sum[LANES] = {0.0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) {
      r[i + l] -= alpha * q[i + l];
      sum[l] += r[i + l] * r[i + l];
    }
  for (; i < n; i++) {
    r[i] -= alpha * q[i];
    sum[0] += r[i] * r[i];
  }
  return sum_lanes(sum);
}

double vl_vector_dot(const double *x, const double *y, size_t n)
{
  Blocks blocks = make_blocks(n);
  double sum[MAX_BLOCKS];
#pragma omp parallel for schedule(static) if (n > SERIAL)
  for (int k = 0; k < blocks.count; k++) {
    size_t begin = (size_t)k * blocks.size;
    sum[k] = dot_block(x + begin, y + begin, block_length(blocks, k));
  }
  return sum_pairwise(sum, blocks.count);
}

static double step_residual(double *r, const double *q, double alpha, size_t n)
{
  Blocks blocks = make_blocks(n);
  double sum[MAX_BLOCKS];
#pragma omp parallel for schedule(static) if (n > SERIAL)
  for (int k = 0; k < blocks.count; k++) {
    size_t begin = (size_t)k * blocks.size;
    sum[k] = step_block(r + begin, q + begin, alpha, block_length(blocks, k));
  }
  return sum_pairwise(sum, blocks.count);
}

/* x += alpha p, then p = z + beta p */
static void step_solution(double *restrict x, double *restrict p, const double *restrict z, double alpha, double beta,
                          size_t n)
{
#pragma omp parallel for schedule(static) if (n > SERIAL)
  for (size_t i = 0; i < n; i++) {
    x[i] += alpha * p[i];
    p[i] = z[i] + beta * p[i];
  }
}

/* y += alpha x */
static void add_scaled(double *restrict y, double alpha, const double *restrict x, size_t n)
{
#pragma omp parallel for schedule(static) if (n > SERIAL)
  for (size_t i = 0; i < n; i++) y[i] += alpha * x[i];
}

static void copy(double *restrict y, const double *restrict x, size_t n)
{
#pragma omp parallel for schedule(static) if (n > SERIAL)
  for (size_t i = 0; i < n; i++) y[i] = x[i];
}

static void clear(double *y, size_t n)
{
#pragma omp parallel for schedule(static) if (n > SERIAL)
  for (size_t i = 0; i < n; i++) y[i] = 0.0;
}

typedef struct Solve {
  vlOperator a, preconditioner;
  vlProjector null_space;
  const double *b;
  double *x, *r, *z, *p, *q; /* each [n] */
  size_t n;
  int max_iterations;
} Solve;

static void project(const Solve *s, double *y)
{
  if (s->null_space.apply) s->null_space.apply(s->null_space.data, y);
}

/* x <- x - P x: the solution for b = 0 that the first guess is nearest to. */
static void keep_null_part(const Solve *s)
{
  if (!s->null_space.apply) {
    clear(s->x, s->n);
    return;
  }
  copy(s->r, s->x, s->n);
  project(s, s->r);
  add_scaled(s->x, -1.0, s->r, s->n);
}

/* r = P b - A x; returns r.r */
static double true_residual(const Solve *s)
{
  copy(s->r, s->b, s->n);
  project(s, s->r);
  s->a.apply(s->a.data, s->x, s->q);
  return step_residual(s->r, s->q, 1.0, s->n);
}

/* r.M^-1 r and p.A p must be positive. */
static bool usable(double form, vlSolveReason *reason)
{
  if (isfinite(form) && form > 0.0) return true;
  *reason = isfinite(form) ? VL_SOLVE_BREAKDOWN : VL_SOLVE_NAN;
  return false;
}

/* From the residual in r with r.r = rr until r.r <= target. x gets only steps whose residual is finite. */
static vlSolveReason iterate(const Solve *s, double rr, double target, int *iterations)
{
  vlSolveReason reason = VL_SOLVE_CONVERGED;
  double alpha = 0.0; /* the step along p that x has yet to take */
  double rz = 0.0;
  while (rr > target) {
    if (*iterations >= s->max_iterations) {
      reason = VL_SOLVE_ITERATIONS;
      break;
    }
    s->preconditioner.apply(s->preconditioner.data, s->r, s->z);
    project(s, s->z);
    double last_rz = rz;
    rz = vl_vector_dot(s->r, s->z, s->n);
    if (!usable(rz, &reason)) break;
    step_solution(s->x, s->p, s->z, alpha, last_rz > 0.0 ? rz / last_rz : 0.0, s->n);
    alpha = 0.0;
    s->a.apply(s->a.data, s->p, s->q);
    double pq = vl_vector_dot(s->p, s->q, s->n);
    if (!usable(pq, &reason)) break;
    rr = step_residual(s->r, s->q, rz / pq, s->n);
    if (!isfinite(rr)) {
      reason = VL_SOLVE_NAN;
      break;
    }
    alpha = rz / pq;
    (*iterations)++;
  }
  if (alpha != 0.0) add_scaled(s->x, alpha, s->p, s->n);
  return reason;
}

vlSolveInfo vl_cg(vlOperator a, vlOperator preconditioner, vlProjector null_space, const double *b, double *x, double *work,
                  vlSolveOptions options)
{
  size_t n = a.n;
  assert(preconditioner.n == n);
  size_t stride = n + 2 * a.pad;
  double *r = work + a.pad;
  Solve s = {a, preconditioner, null_space, b, x, r, r + stride, r + 2 * stride, r + 3 * stride, n, options.max_iterations};
  vlSolveInfo info = {.reason = VL_SOLVE_CONVERGED};

  /* Operators may leave entries alone that belong to no unknown: they must not find old contents there. */
  clear(work, 4 * stride);
  copy(s.r, b, n);
  project(&s, s.r);
  double bb = vl_vector_dot(s.r, s.r, n);
  if (bb == 0.0) {
    keep_null_part(&s);
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

const char *vl_solve_reason_text(vlSolveReason reason)
{
  switch (reason) {
  case VL_SOLVE_CONVERGED:
    return "converged";
  case VL_SOLVE_ITERATIONS:
    return "did not reach the tolerance";
  case VL_SOLVE_BREAKDOWN:
    return "the matrix or the preconditioner is not positive definite";
  case VL_SOLVE_NAN:
    return "met a value that is not finite";
  case VL_SOLVE_STUCK:
    return "the recurrence would divide by zero";
  }
  return "unknown";
}
