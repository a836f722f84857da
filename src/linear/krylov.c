/* The driver of the iterative solvers for A x = b: conjugate gradients, BiCGSTAB, MINRES, and MPRGP under bounds.
 *
 * P removes the known null space from b; for P b = 0 what is left of the first guess is its part in the null space. The
 * method iterates until the residual that it updates meets the target. Then the true one, P b - A x, is formed; where
 * round-off has let the updated one drift below it, the method begins again from it, and a run that gains nothing ends the
 * solve. A value that is not finite ends it at once. Where b is so small or large that squares leave the range of doubles,
 * all is multiplied by a power of two.
 *
 * Sums are the same for any number of threads: the vector is cut into at most MAX_BLOCKS blocks whose size depends on n
 * only, each is summed in eight fixed lanes, and the blocks' sums are added pairwise. */
#include "linear/krylov.h"

#include <assert.h>
#include <math.h>

enum {
  MAX_BLOCKS = 4096, /* their sums stand on the stack: 32 KiB */
  MIN_BLOCK = 4096,  /* doubles */
  LANES = 8
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
static double reduce_block(double *restrict r, double alpha, const double *restrict q, size_t n)
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
#pragma omp parallel for schedule(static) if (n > VL_VECTOR_SERIAL)
  for (int k = 0; k < blocks.count; k++) {
    size_t begin = (size_t)k * blocks.size;
    sum[k] = dot_block(x + begin, y + begin, block_length(blocks, k));
  }
  return sum_pairwise(sum, blocks.count);
}

double vl_vector_reduce(double *r, double alpha, const double *q, size_t n)
{
  Blocks blocks = make_blocks(n);
  double sum[MAX_BLOCKS];
#pragma omp parallel for schedule(static) if (n > VL_VECTOR_SERIAL)
  for (int k = 0; k < blocks.count; k++) {
    size_t begin = (size_t)k * blocks.size;
    sum[k] = reduce_block(r + begin, alpha, q + begin, block_length(blocks, k));
  }
  return sum_pairwise(sum, blocks.count);
}

/* y += alpha x */
void vl_vector_add(double *restrict y, double alpha, const double *restrict x, size_t n)
{
#pragma omp parallel for schedule(static) if (n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < n; i++) y[i] += alpha * x[i];
}

/* y = scale x; y may be x. */
static void copy(double *y, double scale, const double *x, size_t n)
{
#pragma omp parallel for schedule(static) if (n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < n; i++) y[i] = scale * x[i];
}

static void clear(double *y, size_t n)
{
#pragma omp parallel for schedule(static) if (n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < n; i++) y[i] = 0.0;
}

void vl_krylov_lay(vlKrylov *k, double *work, double **const *vectors, int count)
{
  k->n = k->a.n;
  assert(k->preconditioner.n == k->n);
  size_t stride = k->n + 2 * k->a.pad;
  /* Operators may leave entries alone that belong to no unknown: they must not find old contents there. */
  clear(work, (size_t)count * stride);
  for (int v = 0; v < count; v++) *vectors[v] = work + k->a.pad + (size_t)v * stride;
}

void vl_krylov_project(const vlKrylov *k, double *y)
{
  if (k->null_space.apply) k->null_space.apply(k->null_space.data, y);
}

bool vl_krylov_usable(double form, vlSolveReason *reason)
{
  if (isfinite(form) && form > 0.0) return true;
  *reason = isfinite(form) ? VL_SOLVE_BREAKDOWN : VL_SOLVE_NAN;
  return false;
}

static void project_right_side(const vlKrylov *k)
{
  copy(k->r, k->scale, k->b, k->n);
  vl_krylov_project(k, k->r);
}

double vl_krylov_residual(vlKrylov *k)
{
  project_right_side(k);
  vl_operator_apply(k->a, k->x, k->q);
  return vl_vector_reduce(k->r, 1.0, k->q, k->n);
}

/* x <- x - P x: the solution for b = 0 that the first guess is nearest to. */
static void keep_null_part(const vlKrylov *k)
{
  if (!k->null_space.apply) {
    clear(k->x, k->n);
    return;
  }
  copy(k->r, 1.0, k->x, k->n);
  vl_krylov_project(k, k->r);
  vl_vector_add(k->x, -1.0, k->r, k->n);
}

/* Until the method's own residual meets the target. */
static vlSolveReason iterate(vlKrylov *k, const vlKrylovMethod *method)
{
  vlSolveReason reason = method->begin(k);
  while (reason == VL_SOLVE_CONVERGED && k->rr > k->target) {
    reason = k->info.iterations < k->options.max_iterations ? method->step(k) : VL_SOLVE_ITERATIONS;
    if (!isfinite(k->rr)) reason = VL_SOLVE_NAN;
  }
  if (method->end) method->end(k);
  return reason;
}

vlSolveInfo vl_krylov_solve(vlKrylov *k, const vlKrylovMethod *method)
{
  double (*residual)(vlKrylov *) = method->residual ? method->residual : vl_krylov_residual;
  k->scale = 1.0;
  project_right_side(k);
  double bb = vl_vector_dot(k->r, k->r, k->n);
  if (bb < 1e-200 || bb > 1e200) {
    k->scale = bb < 1.0 ? 0x1p650 : 0x1p-650;
    project_right_side(k);
    bb = vl_vector_dot(k->r, k->r, k->n);
  }
  if (bb == 0.0) {
    keep_null_part(k);
    return k->info;
  }
  if (k->scale != 1.0) copy(k->x, k->scale, k->x, k->n);
  k->target = k->options.tolerance * k->options.tolerance * bb;
  k->rr = isfinite(bb) ? residual(k) : NAN;
  vlSolveReason reason = isfinite(k->rr) ? VL_SOLVE_CONVERGED : VL_SOLVE_NAN;
  while (reason == VL_SOLVE_CONVERGED && k->rr > k->target) {
    double before = k->rr;
    reason = iterate(k, method);
    if (reason == VL_SOLVE_NAN) break;
    k->rr = residual(k);
    if (!isfinite(k->rr)) reason = VL_SOLVE_NAN;
    if (k->rr <= k->target) reason = VL_SOLVE_CONVERGED; /* whatever the method says of itself */
    if (reason != VL_SOLVE_CONVERGED || k->rr <= method->slack * k->target) break;
    if (k->rr > 0.25 * before) reason = VL_SOLVE_ITERATIONS; /* a run that gains nothing is round-off */
  }
  if (k->scale != 1.0) copy(k->x, 1.0 / k->scale, k->x, k->n);
  k->info.reason = reason;
  k->info.residual = reason == VL_SOLVE_NAN ? NAN : sqrt(k->rr / bb);
  return k->info;
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
