/* Condition numbers of symmetric operators by the Lanczos method [lanczos1950].
 *
 * From a fixed start vector, A v_k = beta_k-1 v_k-1 + alpha_k v_k + beta_k v_k+1 gives a tridiagonal matrix whose extreme
 * eigenvalues, found by counting signs [barth1967], approach those of A from inside. Without reorthogonalisation copies of
 * converged values appear, but no value outside the spectrum. The eigenvalue nearest zero is no extreme one of A, and for
 * large condition numbers out of reach from A; it is 1 over the largest one of A^-1, also if A is indefinite: the caller
 * gives the inverse. The estimate ends when five more steps change the largest value by less than 1e-4. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/status.h"
#include "linear/krylov.h"

enum { CHECK_EVERY = 5 };

static const double settled = 1e-4;

/* Number of eigenvalues of the tridiagonal matrix below x. */
static int count_below(const double *alpha, const double *beta, int n, double x)
{
  int count = 0;
  double d = 1.0;
  for (int i = 0; i < n; i++) {
    d = alpha[i] - x - (i > 0 ? beta[i - 1] * beta[i - 1] / d : 0.0);
    if (d == 0.0) d = -DBL_MIN;
    count += d < 0.0;
  }
  return count;
}

/* The eigenvalue with `rank` others below it. */
static double eigenvalue(const double *alpha, const double *beta, int n, int rank)
{
  double bound = 0.0;
  for (int i = 0; i < n; i++)
    bound = fmax(bound, fabs(alpha[i]) + (i > 0 ? beta[i - 1] : 0.0) + (i + 1 < n ? beta[i] : 0.0));
  double lo = -bound, hi = bound;
  for (int k = 0; k < 60; k++) {
    double mid = 0.5 * (lo + hi);
    *(count_below(alpha, beta, n, mid) > rank ? &hi : &lo) = mid;
  }
  return 0.5 * (lo + hi);
}

static double largest_size(const double *alpha, const double *beta, int n)
{
  return fmax(fabs(eigenvalue(alpha, beta, n, 0)), fabs(eigenvalue(alpha, beta, n, n - 1)));
}

/* v, v_old, q: [n]; q = A v on return made orthogonal to both. Returns its length, and v.A v in alpha. */
static double lanczos_step(vlOperator a, const double *v, const double *v_old, double beta_old, double *q, double *alpha)
{
  a.apply(a.data, v, q);
  double along = *alpha = vl_vector_dot(q, v, a.n);
#pragma omp parallel for schedule(static) if (a.n > VL_VECTOR_SERIAL)
  for (size_t i = 0; i < a.n; i++) q[i] -= along * v[i] + beta_old * v_old[i];
  return sqrt(vl_vector_dot(q, q, a.n));
}

static void first_vector(double *v, size_t n)
{
  for (size_t i = 0; i < n; i++) v[i] = 2.0 * vl_random(i) - 1.0;
  double inverse = 1.0 / sqrt(vl_vector_dot(v, v, n));
  for (size_t i = 0; i < n; i++) v[i] *= inverse;
}

vlCode vl_lanczos_largest(vlOperator a, int max_steps, double *largest, int *steps, vlStatus *status)
{
  assert(a.n > 0 && max_steps > 0);
  size_t stride = a.n + 2 * a.pad, bytes = (3 * stride + 2 * (size_t)max_steps) * sizeof(double);
  double *memory = calloc(1, bytes);
  if (!memory) return vl_fail_memory(status, bytes, "Lanczos vectors");
  double *v = memory + a.pad, *v_old = v + stride, *q = v_old + stride, *alpha = memory + 3 * stride,
         *beta = alpha + max_steps;
  first_vector(v, a.n);
  double value = 0.0, last = 0.0, length = 0.0;
  int k = 0;
  bool done = false;
  while (!done && k < max_steps) {
    length = lanczos_step(a, v, v_old, length, q, &alpha[k]);
    beta[k++] = length;
    double *t = v_old;
    v_old = v, v = q, q = t;
    for (size_t i = 0; length > 0.0 && i < a.n; i++) v[i] /= length;
    bool full = !isfinite(length) || length <= DBL_EPSILON * fabs(alpha[k - 1]) || (size_t)k >= a.n;
    if (!full && k % CHECK_EVERY != 0 && k < max_steps) continue;
    last = value;
    value = largest_size(alpha, beta, k);
    done = full || fabs(value - last) <= settled * value;
  }
  free(memory);
  *largest = value;
  *steps = k;
  if (!isfinite(length)) return vl_fail(status, VL_ERROR_SOLVER, "Lanczos met a value that is not finite in step %d", k);
  return VL_OK;
}

vlCode vl_condition_estimate(vlOperator a, vlOperator inverse, int max_steps, vlCondition *condition, vlStatus *status)
{
  double largest = 0.0, of_inverse = 0.0;
  int steps = 0, inverse_steps = 0;
  *condition = (vlCondition){0};
  vlCode code = vl_lanczos_largest(a, max_steps, &largest, &steps, status);
  if (code == VL_OK) code = vl_lanczos_largest(inverse, max_steps, &of_inverse, &inverse_steps, status);
  if (code != VL_OK) return code;
  *condition = (vlCondition){
      .largest = largest, .smallest = 1.0 / of_inverse, .condition = largest * of_inverse, .steps = steps + inverse_steps};
  return VL_OK;
}
