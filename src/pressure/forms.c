/* The matrices of the coupled step [zarifi2017, eq. 19, 28, 33] and what is left of eq. 19.
 *
 *   eq. 19:  [ L  J ; J^T  -S ] [p; v] = [b; w]                                   symmetric, indefinite
 *   eq. 33:  S = Z1 + Z2, Z1 = sigma mass:
 *            [ A11  alpha A12 ; alpha A12^T  alpha^2 A22 ] [p; v/alpha] = [b + J Z1^-1 w; -alpha Z2 Z1^-1 w]
 *            A11 = L + J Z1^-1 J^T,  A12 = -J Z1^-1 Z2,  A22 = Z2 + Z2 Z1^-1 Z2    symmetric, positive definite
 *
 * The second is T times the first with T = [ I  J Z1^-1 ; 0  -Z2 Z1^-1 ]. Products are formed as X X^T with X = J Z1^-1/2
 * and Z2 Z1^-1/2, so the assembled matrices are symmetric to the last bit. */
#include "pressure/forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/csr.h"

void vl_coupled_clear(vlCoupledSystem *system)
{
  vl_csr_destroy(&system->l);
  vl_csr_destroy(&system->j);
  vl_csr_destroy(&system->s);
  free(system->mass);
  free(system->b);
  free(system->w);
  *system = (vlCoupledSystem){0};
}

static vlCode check_matrix(const vlCsr *a, const char *name, int rows, int columns, vlStatus *status)
{
  if (a->rows != rows) return vl_fail(status, VL_ERROR_SOLVER, "%s has %d rows, it must have %d", name, a->rows, rows);
  for (int64_t e = 0; e < a->start[rows]; e++)
    if (a->column[e] < 0 || a->column[e] >= columns)
      return vl_fail(status, VL_ERROR_SOLVER, "%s has an entry in column %d, it has %d columns", name, a->column[e],
                     columns);
  return VL_OK;
}

vlCode vl_coupled_check(const vlCoupledSystem *system, vlStatus *status)
{
  int m = system->pressures, n = system->unknowns;
  vlCode code = check_matrix(system->l, "L", m, m, status);
  if (code == VL_OK) code = check_matrix(system->j, "J", m, n, status);
  if (code == VL_OK) code = check_matrix(system->s, "S", n, n, status);
  for (int i = 0; code == VL_OK && i < n; i++)
    if (!(system->mass[i] > 0.0 && isfinite(system->mass[i])))
      code = vl_fail(status, VL_ERROR_SOLVER, "solid unknown %d of %d: its mass term is %g, it must be positive and finite",
                     i, n, system->mass[i]);
  return code;
}

static double *new_vector(const vlCoupledSystem *system, vlStatus *status, vlCode *code)
{
  size_t bytes = ((size_t)system->pressures + (size_t)system->unknowns + 1) * sizeof(double);
  double *x = calloc(1, bytes);
  if (!x) *code = vl_fail_memory(status, bytes, "a vector of the coupled system");
  return x;
}

vlCode vl_forms_indefinite(const vlCoupledSystem *system, vlCsr **a, double **rhs, vlStatus *status)
{
  *a = NULL;
  vlCode code = VL_OK;
  *rhs = new_vector(system, status, &code);
  if (code == VL_OK) code = vl_rect_join(a, system->l, system->j, system->s, system->unknowns, 1.0, -1.0, status);
  if (code != VL_OK) {
    free(*rhs);
    *rhs = NULL;
    return code;
  }
  memcpy(*rhs, system->b, (size_t)system->pressures * sizeof **rhs);
  memcpy(*rhs + system->pressures, system->w, (size_t)system->unknowns * sizeof **rhs);
  return VL_OK;
}

/* What eq. 28 is put together from. */
typedef struct Parts {
  vlCsr *diagonal, *z2;
  vlCsr *jh, *jht;   /* J Z1^-1/2 and its transpose */
  vlCsr *z2h, *z2ht; /* Z2 Z1^-1/2 and its transpose */
  vlCsr *jj, *zz;    /* J Z1^-1 J^T, Z2 Z1^-1 Z2 */
  vlCsr *a11, *a12, *a22;
  double *z1, *half; /* Z1 and Z1^-1/2 [unknowns] */
} Parts;

static void clear_parts(Parts *parts)
{
  vlCsr **matrix[] = {&parts->diagonal, &parts->z2, &parts->jh,  &parts->jht, &parts->z2h, &parts->z2ht,
                      &parts->jj,       &parts->zz, &parts->a11, &parts->a12, &parts->a22};
  for (size_t k = 0; k < sizeof matrix / sizeof *matrix; k++) vl_csr_destroy(matrix[k]);
  free(parts->z1);
  free(parts->half);
}

static vlCode make_parts(Parts *parts, const vlCoupledSystem *system, double sigma, vlStatus *status)
{
  int n = system->unknowns, m = system->pressures;
  vlCode code = VL_OK;
  parts->z1 = new_vector(system, status, &code);
  if (code == VL_OK) parts->half = new_vector(system, status, &code);
  for (int i = 0; code == VL_OK && i < n; i++) {
    parts->z1[i] = sigma * system->mass[i];
    parts->half[i] = 1.0 / sqrt(parts->z1[i]);
  }
  if (code == VL_OK) code = vl_rect_diagonal(&parts->diagonal, parts->z1, n, status);
  if (code == VL_OK) code = vl_rect_add(&parts->z2, system->s, -1.0, parts->diagonal, status); /* eq. 30 */
  if (code == VL_OK) code = vl_rect_scaled(&parts->jh, system->j, parts->half, status);
  if (code == VL_OK) code = vl_rect_transpose(&parts->jht, parts->jh, n, status);
  if (code == VL_OK) code = vl_rect_scaled(&parts->z2h, parts->z2, parts->half, status);
  if (code == VL_OK) code = vl_rect_transpose(&parts->z2ht, parts->z2h, n, status);
  /* eq. 29 */
  if (code == VL_OK) code = vl_rect_multiply(&parts->jj, parts->jh, parts->jht, m, status);
  if (code == VL_OK) code = vl_rect_add(&parts->a11, system->l, 1.0, parts->jj, status);
  if (code == VL_OK) code = vl_rect_multiply(&parts->a12, parts->jh, parts->z2ht, n, status); /* its sign comes with alpha */
  if (code == VL_OK) code = vl_rect_multiply(&parts->zz, parts->z2h, parts->z2ht, n, status);
  if (code == VL_OK) code = vl_rect_add(&parts->a22, parts->z2, 1.0, parts->zz, status);
  return code;
}

/* (A Z1^-1 w)_i */
static double row_over_z1(const vlCoupledSystem *system, const vlCsr *a, int i, double sigma, const double *w)
{
  double sum = 0.0;
  for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
    int k = a->column[e];
    sum += a->value[e] * (w[k] / (sigma * system->mass[k]));
  }
  return sum;
}

void vl_forms_spd_rhs(const vlCoupledSystem *system, double sigma, double alpha, const double *b, const double *w,
                      double *rhs)
{
  int m = system->pressures, n = system->unknowns;
  for (int i = 0; i < m; i++) rhs[i] = b[i] + row_over_z1(system, system->j, i, sigma, w);
  /* Z2 Z1^-1 w = S Z1^-1 w - w */
  for (int i = 0; i < n; i++) rhs[m + i] = -alpha * (row_over_z1(system, system->s, i, sigma, w) - w[i]);
}

/* alpha = ||rhs1|| / ||rhs2|| gives both blocks the same weight. */
static double balance(const vlCoupledSystem *system, double sigma, double *rhs)
{
  size_t m = (size_t)system->pressures, n = (size_t)system->unknowns;
  vl_forms_spd_rhs(system, sigma, 1.0, system->b, system->w, rhs);
  double ratio = sqrt(vl_vector_dot(rhs, rhs, m) / vl_vector_dot(rhs + m, rhs + m, n));
  return isfinite(ratio) && ratio > 0.0 ? ratio : 1.0;
}

vlCode vl_forms_spd(const vlCoupledSystem *system, double sigma, double *alpha, vlCsr **a, double **rhs, vlStatus *status)
{
  Parts parts = {0};
  *a = NULL;
  *rhs = NULL;
  if (!(sigma > 0.0 && sigma < 1.0))
    return vl_fail(status, VL_ERROR_SOLVER, "sigma is %g, it must lie between 0 and 1", sigma);
  if (!(*alpha >= 0.0 && isfinite(*alpha)))
    return vl_fail(status, VL_ERROR_SOLVER, "alpha is %g, it must be positive, or 0 for the heuristic value", *alpha);
  vlCode code = make_parts(&parts, system, sigma, status);
  if (code == VL_OK) *rhs = new_vector(system, status, &code);
  if (code == VL_OK) {
    if (*alpha == 0.0) *alpha = balance(system, sigma, *rhs);
    vl_forms_spd_rhs(system, sigma, *alpha, system->b, system->w, *rhs);
    code = vl_rect_join(a, parts.a11, parts.a12, parts.a22, system->unknowns, -*alpha, *alpha * *alpha, status);
  }
  if (code != VL_OK) {
    free(*rhs);
    *rhs = NULL;
  }
  clear_parts(&parts);
  return code;
}

/* r = rhs - x - y; returns r.r, and the larger of the terms' squares in `term`. */
static double subtract(const double *rhs, const double *x, const double *y, double *r, int n, double *term)
{
  size_t count = (size_t)n;
  *term = fmax(vl_vector_dot(x, x, count), vl_vector_dot(y, y, count));
  for (int i = 0; i < n; i++) r[i] = rhs[i] - x[i] - y[i];
  return vl_vector_dot(r, r, count);
}

static double relative(double rr, double rhs, double term)
{
  if (rr == 0.0) return 0.0;
  return sqrt(rr / (rhs > 0.0 ? rhs : term));
}

vlCode vl_coupled_residual(const vlCoupledSystem *system, const double *p, const double *v, double *r,
                           vlCoupledResidual *residual, vlStatus *status)
{
  int m = system->pressures, n = system->unknowns;
  vlCode code = VL_OK;
  vlCsr *jt = NULL;
  double *x = new_vector(system, status, &code), *y = code == VL_OK ? new_vector(system, status, &code) : NULL;
  if (code == VL_OK) code = vl_rect_transpose(&jt, system->j, n, status);
  if (code == VL_OK) {
    double fluid_term, solid_term;
    double bb = vl_vector_dot(system->b, system->b, (size_t)m), ww = vl_vector_dot(system->w, system->w, (size_t)n);
    vl_csr_apply(system->l, p, x);
    vl_csr_apply(system->j, v, y);
    double fluid = subtract(system->b, x, y, r ? r : x, m, &fluid_term);
    vl_csr_apply(jt, p, x);
    vl_csr_apply(system->s, v, y);
    for (int i = 0; i < n; i++) y[i] = -y[i];
    double solid = subtract(system->w, x, y, r ? r + m : x, n, &solid_term);
    *residual = (vlCoupledResidual){.fluid = relative(fluid, bb, fluid_term),
                                    .solid = relative(solid, ww, solid_term),
                                    .total = relative(fluid + solid, bb + ww, fluid_term + solid_term)};
    residual->worst = residual->fluid > residual->solid ? residual->fluid : residual->solid;
    if (isnan(residual->fluid + residual->solid)) residual->worst = NAN;
  }
  vl_csr_destroy(&jt);
  free(x);
  free(y);
  return code;
}

/* A coupled system as six Matrix Market files in one folder: L and S symmetric, J general, the vectors as arrays. Seventeen
 * digits bring every number back exactly. */

/* "folder/name" in new memory. */
static char *path_of(const char *folder, const char *name, vlStatus *status)
{
  size_t bytes = strlen(folder) + strlen(name) + 2;
  char *path = malloc(bytes);
  if (!path) {
    vl_fail_memory(status, bytes, "a file name");
    return NULL;
  }
  snprintf(path, bytes, "%s/%s", folder, name);
  return path;
}

static vlCode write_matrix(const vlCsr *a, int columns, const char *folder, const char *name, vlStatus *status)
{
  char *path = path_of(folder, name, status);
  if (!path) return VL_ERROR_MEMORY;
  vlCode code = columns < 0 ? vl_csr_write(a, path, status) : vl_rect_write(a, columns, path, status);
  free(path);
  return code;
}

static vlCode write_vector(const double *x, int n, const char *folder, const char *name, vlStatus *status)
{
  char *path = path_of(folder, name, status);
  if (!path) return VL_ERROR_MEMORY;
  vlCode code = vl_vector_write(x, n, path, status);
  free(path);
  return code;
}

vlCode vl_coupled_write(const vlCoupledSystem *system, const char *folder, vlStatus *status)
{
  int m = system->pressures, n = system->unknowns;
  vlCode code = write_matrix(system->l, -1, folder, "L.mtx", status);
  if (code == VL_OK) code = write_matrix(system->j, n, folder, "J.mtx", status);
  if (code == VL_OK) code = write_matrix(system->s, -1, folder, "S.mtx", status);
  if (code == VL_OK) code = write_vector(system->mass, n, folder, "mass.mtx", status);
  if (code == VL_OK) code = write_vector(system->b, m, folder, "b.mtx", status);
  if (code == VL_OK) code = write_vector(system->w, n, folder, "w.mtx", status);
  return code;
}
