/* Inverses of a reduced body: A^-1 of its steps and G^-1 of its projection, dense, made anew when the step's length, its
 * material or what holds it has changed.
 *
 *     A = m_p G (1 + a dt)/dt^2 + lambda K + w C        C = mean over the clamped unknowns of an axis of U_i^T U_i
 *
 * w, a thousand times the mean diagonal without it, holds clamps to a thousandth of how far the body would give way; for
 * the projection, which must leave them where they are, the same weights count, in grains. Along axes on which the same is
 * clamped A is the same. The inverse is that of Cholesky's factor, A^-1 = L^-T L^-1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/solve.h"
#include "solid/reduced_parts.h"

enum { STRIP = 64 };
static const double FIRMNESS = 1e3;

double vl_reduced_lambda(const vlReduced *b) { return b->material.young / (1.0 + b->material.poisson); }

double vl_reduced_inertia(const vlReduced *b, double dt)
{
  return b->grains.mass * (1.0 + b->material.mass_damping * dt) / (dt * dt);
}

/* Rows of L^-1 below, columns [first, end) of it: x_i = (e_i - sum_j l_ij x_j) / l_ii. */
static void invert_strip(const double *L, double *X, size_t n, size_t first, size_t end)
{
  for (size_t i = first; i < n; i++) {
    double *x = X + i * n, pivot = 1.0 / L[i * n + i];
    size_t last = end < i + 1 ? end : i + 1;
    for (size_t c = first; c < end; c++) x[c] = c == i ? 1.0 : 0.0;
    for (size_t j = first; j < i; j++) {
      double l = L[i * n + j], *restrict to = x;
      const double *from = X + j * n;
      for (size_t c = first; c < last; c++) to[c] -= l * from[c];
    }
    for (size_t c = first; c < last; c++) x[c] *= pivot;
  }
}

/* In place; the factor's room is `X`. false: not positive definite. */
static bool invert(double *A, double *X, int size)
{
  size_t n = (size_t)size;
  if (!vl_dense_factor(A, size)) return false;
#pragma omp parallel for schedule(dynamic)
  for (size_t first = 0; first < n; first += STRIP) invert_strip(A, X, n, first, first + STRIP < n ? first + STRIP : n);
#pragma omp parallel for schedule(dynamic, 4)
  for (size_t i = 0; i < n; i++) {
    double *restrict row = A + i * n;
    memset(row, 0, (i + 1) * sizeof *row);
    for (size_t k = i; k < n; k++) {
      double x = X[k * n + i];
      const double *from = X + k * n;
      for (size_t j = 0; j <= i; j++) row[j] += x * from[j];
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) A[i * n + j] = A[j * n + i];
  return true;
}

/* A += weight U_v^T U_v */
static void add_clamp(const vlReduced *b, int v, double weight, double *A)
{
  vlVec3 X = vl_sub(b->body.rest[v], b->center);
  for (int64_t e = b->start[v]; e < b->start[v + 1]; e++) {
    vlVec3 y = vl_scale(vl_sub(X, b->handle[b->of[e]]), 1.0 / b->radius);
    const double own[4] = {y.x, y.y, y.z, 1.0};
    for (int64_t f = b->start[v]; f < b->start[v + 1]; f++) {
      vlVec3 z = vl_scale(vl_sub(X, b->handle[b->of[f]]), 1.0 / b->radius);
      const double other[4] = {z.x, z.y, z.z, 1.0};
      double *block = A + (size_t)(4 * b->of[e]) * (size_t)b->size + 4 * (size_t)b->of[f];
      for (int i = 0; i < 4; i++, block += b->size)
        for (int j = 0; j < 4; j++) block[j] += weight * b->weight[e] * b->weight[f] * own[i] * other[j];
    }
  }
}

static void add_clamps(const vlReduced *b, int axis, double weight, double *A)
{
  for (int v = 0; v < b->body.node_count && weight > 0.0; v++)
    if (b->clamped[3 * v + axis]) add_clamp(b, v, weight, A);
}

/* An axis before this one on which the same is clamped; the axis itself where there is none. */
static int alike(const vlReduced *b, int axis)
{
  for (int other = 0; other < axis; other++) {
    bool same = b->clamps[other] == b->clamps[axis];
    for (int v = 0; v < b->body.node_count && same && b->clamps[axis] > 0; v++)
      same = b->clamped[3 * v + other] == b->clamped[3 * v + axis];
    if (same) return other;
  }
  return axis;
}

static vlCode room(double **array, size_t n, vlStatus *status)
{
  if (!*array) *array = malloc(n * n * sizeof **array);
  return *array ? VL_OK : vl_fail_memory(status, n * n * sizeof **array, "the inverse of a reduced body");
}

static vlCode undone(vlStatus *status)
{
  return vl_fail(status, VL_ERROR_SOLVER, "the matrix of a reduced body is not positive definite");
}

/* A^-1 along an axis that is like none before. */
static vlCode build_axis(vlReduced *b, int axis, double dt, double *scratch, vlStatus *status)
{
  size_t n = (size_t)b->size;
  double mass = vl_reduced_inertia(b, dt), lambda = vl_reduced_lambda(b), trace = 0.0;
  vlCode code = room(&b->own_inverse[axis], n, status);
  if (code) return code;
  double *A = b->inverse[axis] = b->own_inverse[axis];
  for (size_t i = 0; i < n * n; i++) A[i] = mass * b->gram[i] + lambda * b->stiffness[i];
  for (size_t i = 0; i < n; i++) trace += A[i * n + i];
  b->clamp_weight[axis] = b->clamps[axis] > 0 ? FIRMNESS * trace / (double)n / b->clamps[axis] : 0.0;
  add_clamps(b, axis, b->clamp_weight[axis], A);
  if (!invert(A, scratch, b->size)) return undone(status);
  b->projection[axis] = b->free_projection;
  if (b->clamps[axis] == 0) return VL_OK;
  code = room(&b->own_projection[axis], n, status);
  if (code) return code;
  double *G = b->projection[axis] = b->own_projection[axis];
  memcpy(G, b->gram, n * n * sizeof *G);
  add_clamps(b, axis, b->clamp_weight[axis] / mass, G);
  return invert(G, scratch, b->size) ? VL_OK : undone(status);
}

/* G^-1 is needed once and for all. */
static vlCode build_free(vlReduced *b, double *scratch, vlStatus *status)
{
  size_t n = (size_t)b->size;
  if (b->free_projection) return VL_OK;
  vlCode code = room(&b->free_projection, n, status);
  if (code) return code;
  memcpy(b->free_projection, b->gram, n * n * sizeof *b->gram);
  if (invert(b->free_projection, scratch, b->size)) return VL_OK;
  free(b->free_projection);
  b->free_projection = NULL;
  return undone(status);
}

/* To nine digits, so that steps that differ by rounding have one matrix, and the same one in a run that was resumed. */
static double rounded(double dt)
{
  enum { BITS = 30 };
  int exponent;
  double digits = frexp(dt, &exponent);
  return ldexp(rint(ldexp(digits, BITS)), exponent - BITS);
}

vlCode vl_reduced_build(vlReduced *b, double dt_exact, vlStatus *status)
{
  const double dt = rounded(dt_exact);
  if (!b->stale && b->built_dt == dt) return VL_OK;
  size_t n = (size_t)b->size;
  double *scratch = malloc(n * n * sizeof *scratch);
  vlCode code = scratch ? VL_OK : vl_fail_memory(status, n * n * sizeof *scratch, "the inverse of a reduced body");
  b->built_dt = 0.0;
  for (int axis = 0; axis < 3; axis++)
    for (int v = b->clamps[axis] = 0; v < b->body.node_count; v++) b->clamps[axis] += b->clamped[3 * v + axis];
  if (!code) code = build_free(b, scratch, status);
  for (int axis = 0; axis < 3 && !code; axis++) {
    int other = alike(b, axis);
    if (other == axis) {
      code = build_axis(b, axis, dt, scratch, status);
      continue;
    }
    b->inverse[axis] = b->inverse[other];
    b->projection[axis] = b->projection[other];
    b->clamp_weight[axis] = b->clamp_weight[other];
  }
  free(scratch);
  if (code) return code;
  b->built_dt = dt;
  b->stale = false;
  return VL_OK;
}

/* out = matrix in, with a matrix for each axis. */
static void multiply(double *const matrix[3], int size, const double (*in)[4], double (*out)[4])
{
  if (matrix[0] == matrix[1] && matrix[0] == matrix[2]) {
    vl_reduced_product(matrix[0], size, in, out);
    return;
  }
#pragma omp parallel for schedule(static)
  for (int i = 0; i < size; i++) {
    for (int axis = 0; axis < 3; axis++) {
      const double *row = matrix[axis] + (size_t)i * (size_t)size;
      double sum = 0.0;
      for (int j = 0; j < size; j++) sum += row[j] * in[j][axis];
      out[i][axis] = sum;
    }
    out[i][3] = 0.0;
  }
}

void vl_reduced_answer(vlReduced *b, const double (*in)[4], double (*out)[4])
{
  multiply(b->inverse, b->size, in, out);
  if (vl_reduced_is_grabbed(b)) vl_reduced_grabs_correct(b, out);
}

void vl_reduced_project(vlReduced *b, const double (*in)[4], double (*out)[4]) { multiply(b->projection, b->size, in, out); }
