/* Small coupled systems for tests: a grid Laplacian with air above it, patches that push random nodes, and a solid made of
 * masses and springs. */
#ifndef VL_TESTS_COUPLED_H
#define VL_TESTS_COUPLED_H

#include "linear/csr.h"
#include "matrices.h"
#include "pressure/forms.h"

/* rows x columns, about `each` entries in every `every`th row. */
static inline vlCsr *random_rectangle(int rows, int columns, int every, int each, double size, uint64_t seed)
{
  vlCsr *a = new_matrix(rows, (int64_t)rows * columns);
  int64_t out = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; i % every == 0 && j < columns; j++)
      if (fabs(next_random(&seed)) * columns < each) a->column[out] = j, a->value[out++] = size * next_random(&seed);
    a->start[i + 1] = out;
  }
  return a;
}

static inline void scale_matrix(vlCsr *a, double factor)
{
  for (int64_t e = 0; e < a->start[a->rows]; e++) a->value[e] *= factor;
}

/* Magnitudes as in a scene: dx 0.02 m, dt 0.01 s, water; `stiffness` is dt K against M / dt. */
static inline vlCoupledSystem random_coupled(int nx, int ny, int nz, int unknowns, double stiffness, uint64_t seed)
{
  vlStatus status = {0};
  vlCoupledSystem system = {.pressures = nx * ny * nz, .unknowns = unknowns};
  vlCsr *k = random_spd(unknowns, 3.0 / (unknowns + 1), 0.0, seed), *mass = NULL;
  system.l = poisson(nx, ny, nz, true);
  scale_matrix(system.l, 2e-7);                                                  /* dt dx / rho */
  system.j = random_rectangle(system.pressures, unknowns, 3, 6, 2e-4, seed + 1); /* dx^2 / 2 */
  system.mass = random_vector((size_t)unknowns, seed + 2);
  for (int i = 0; i < unknowns; i++) system.mass[i] = 0.4 * (1.5 + system.mass[i]); /* 4 g / dt, lighter and heavier */
  scale_matrix(k, 0.4 * stiffness);
  if (vl_rect_diagonal(&mass, system.mass, unknowns, &status) || vl_rect_add(&system.s, k, 1.0, mass, &status)) abort();
  system.b = random_vector((size_t)system.pressures, seed + 3);
  system.w = random_vector((size_t)unknowns, seed + 4);
  for (int i = 0; i < system.pressures; i++) system.b[i] *= 4e-5; /* dx^2 times 0.1 m/s */
  vl_csr_destroy(&k);
  vl_csr_destroy(&mass);
  return system;
}

/* Row-major copy. */
static inline double *to_dense(const vlCsr *a, int columns)
{
  double *dense = zero_vector((size_t)a->rows * (size_t)columns);
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      dense[(size_t)i * (size_t)columns + (size_t)a->column[e]] += a->value[e];
  return dense;
}

/* Gaussian elimination with row pivoting: x = A^-1 x; destroys A. */
static inline void eliminate(double *a, int n, double *x)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    for (int j = 0; best != k && j < n; j++) {
      double t = a[k * n + j];
      a[k * n + j] = a[best * n + j], a[best * n + j] = t;
    }
    double t = x[k];
    x[k] = x[best], x[best] = t;
    for (int i = k + 1; i < n; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= a[k * n + j] * x[j];
    x[k] /= a[k * n + k];
  }
}

#endif
