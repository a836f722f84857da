/* Matrices and vectors that several tests of linear/ share: Poisson on boxes, random diagonally dominant ones. */
#ifndef VL_TESTS_MATRICES_H
#define VL_TESTS_MATRICES_H

#include <math.h>
#include <stdlib.h>

#include "linear/csr.h"
#include "linear/solve.h"

/* A fixed sequence of numbers in [-1, 1) (xorshift). */
static inline double next_random(uint64_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static inline double *random_vector(size_t n, uint64_t seed)
{
  double *x = malloc((n + 1) * sizeof *x);
  if (!x) abort();
  for (size_t i = 0; i < n; i++) x[i] = next_random(&seed);
  return x;
}

static inline double *zero_vector(size_t n)
{
  double *x = calloc(n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

static inline vlCsr *new_matrix(int rows, int64_t entries)
{
  vlCsr *a = NULL;
  vlStatus status = {0};
  if (vl_csr_create(&a, rows, entries, &status) != VL_OK) abort();
  return a;
}

/* The seven-point (five-point for nz = 1) Laplacian. Dirichlet: walls of value 0 one cell outside; else Neumann: singular,
 * the constant vector in its null space. */
static inline vlCsr *poisson(int nx, int ny, int nz, bool dirichlet)
{
  vlCsr *a = new_matrix(nx * ny * nz, (int64_t)nx * ny * nz * 7);
  int size[3] = {nx, ny, nz}, stride[3] = {1, nx, nx * ny};
  int64_t out = 0;
  for (int i = 0; i < a->rows; i++) {
    int at[3] = {i % nx, i / nx % ny, i / (nx * ny)};
    int64_t lower[3] = {-1, -1, -1}, degree = 0;
    a->start[i] = out;
    for (int axis = 2; axis >= 0; axis--)
      if (at[axis] > 0) lower[axis] = out++;
    int64_t diagonal = out++;
    for (int axis = 0; axis < 3; axis++) {
      if (lower[axis] >= 0) a->column[lower[axis]] = i - stride[axis], a->value[lower[axis]] = -1.0;
      bool upper = at[axis] + 1 < size[axis];
      if (upper) a->column[out] = i + stride[axis], a->value[out++] = -1.0;
      degree += size[axis] == 1 ? 0 : dirichlet ? 2 : (lower[axis] >= 0) + upper;
    }
    a->column[diagonal] = i;
    a->value[diagonal] = (double)degree;
  }
  a->start[a->rows] = out;
  return a;
}

/* Random pattern and signs, symmetric, strictly diagonally dominant by `margin`: positive definite. */
static inline vlCsr *random_spd(int rows, double density, double margin, uint64_t seed)
{
  vlCsr *a = new_matrix(rows, (int64_t)rows * rows);
  double *full = zero_vector((size_t)rows * (size_t)rows);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < i; j++)
      if (fabs(next_random(&seed)) < density) full[i * rows + j] = full[j * rows + i] = next_random(&seed);
  int64_t out = 0;
  for (int i = 0; i < rows; i++) {
    double sum = margin;
    for (int j = 0; j < rows; j++) sum += fabs(full[i * rows + j]);
    full[i * rows + i] = sum;
    a->start[i] = out;
    for (int j = 0; j < rows; j++)
      if (full[i * rows + j] != 0.0) a->column[out] = j, a->value[out++] = full[i * rows + j];
  }
  a->start[rows] = out;
  free(full);
  return a;
}

/* ||b - A x|| / ||b||, summed plainly. */
static inline double relative_residual(const vlCsr *a, const double *x, const double *b)
{
  double *y = zero_vector((size_t)a->rows), rr = 0.0, bb = 0.0;
  vl_csr_apply(a, x, y);
  for (int i = 0; i < a->rows; i++) {
    rr += (b[i] - y[i]) * (b[i] - y[i]);
    bb += b[i] * b[i];
  }
  free(y);
  return sqrt(rr / bb);
}

/* Removes the mean: the projector for one closed region. data: the vlCsr, for its size. */
static inline void remove_mean(void *data, double *x)
{
  const vlCsr *a = data;
  double sum = 0.0;
  for (int i = 0; i < a->rows; i++) sum += x[i];
  for (int i = 0; i < a->rows; i++) x[i] -= sum / a->rows;
}

#endif
