/* Symmetric sparse matrices in compressed rows: storage, product, diagonal, and the preconditioner made of it.
 *
 * The product runs over fixed ranges of rows; every row is summed in the order of its columns, so the result does not depend
 * on the number of threads. Rows that belong to no unknown may stand in the matrix as rows of zeros: they give zero. */
#include "linear/csr.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "linear/krylov.h"

enum { SERIAL_ROWS = 8192 }; /* below this, waking threads costs more than the product */

vlCode vl_csr_create(vlCsr **csr, int rows, int64_t entries, vlStatus *status)
{
  assert(rows >= 0 && entries >= 0);
  *csr = NULL;
  vlCsr *a = calloc(1, sizeof *a);
  if (!a) return vl_fail_memory(status, sizeof *a, "a sparse matrix");
  size_t count = entries > 0 ? (size_t)entries : 1; /* calloc(0) may give NULL */
  a->rows = rows;
  a->start = calloc((size_t)rows + 1, sizeof *a->start);
  a->column = calloc(count, sizeof *a->column);
  a->value = calloc(count, sizeof *a->value);
  if (!a->start || !a->column || !a->value) {
    vl_csr_destroy(&a);
    size_t bytes = ((size_t)rows + 1) * sizeof *a->start + count * (sizeof *a->column + sizeof *a->value);
    return vl_fail_memory(status, bytes, "a sparse matrix");
  }
  *csr = a;
  return VL_OK;
}

void vl_csr_destroy(vlCsr **csr)
{
  if (!csr || !*csr) return;
  free((*csr)->start);
  free((*csr)->column);
  free((*csr)->value);
  free(*csr);
  *csr = NULL;
}

void vl_csr_apply(const vlCsr *a, const double *x, double *y)
{
#pragma omp parallel for schedule(static) if (a->rows > SERIAL_ROWS)
  for (int i = 0; i < a->rows; i++) {
    double sum = 0.0;
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) sum += a->value[e] * x[a->column[e]];
    y[i] = sum;
  }
}

static void apply_csr(void *data, const double *x, double *y) { vl_csr_apply(data, x, y); }

vlOperator vl_csr_operator(const vlCsr *a)
{
  return (vlOperator){.n = (size_t)a->rows, .apply = apply_csr, .data = (void *)a};
}

vlCode vl_csr_diagonal(const vlCsr *a, double *diagonal, vlStatus *status)
{
  for (int i = 0; i < a->rows; i++) {
    bool empty = true;
    diagonal[i] = 0.0;
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
      if (a->value[e] != 0.0) empty = false;
      if (a->column[e] == i) diagonal[i] = a->value[e];
    }
    if (!empty && !(diagonal[i] > 0.0 && isfinite(diagonal[i])))
      return vl_fail(status, VL_ERROR_SOLVER, "matrix row %d of %d: the diagonal is %g, it must be positive and finite", i,
                     a->rows, diagonal[i]);
  }
  return VL_OK;
}

/* The simplest preconditioner: z = diag(A)^-1 r. Rows of zeros, which belong to no unknown, give z = 0. */
struct vlJacobi {
  int rows;
  double *inverse; /* 1 / a_ii, 0 for a row of zeros [rows] */
};

vlCode vl_jacobi_create(vlJacobi **jacobi, const vlCsr *a, vlStatus *status)
{
  *jacobi = NULL;
  size_t n = (size_t)a->rows;
  vlJacobi *made = calloc(1, sizeof *made);
  if (made) made->inverse = malloc((n + 1) * sizeof *made->inverse);
  if (!made || !made->inverse) {
    vl_jacobi_destroy(&made);
    return vl_fail_memory(status, n * sizeof(double), "the Jacobi preconditioner");
  }
  made->rows = a->rows;
  vlCode code = vl_csr_diagonal(a, made->inverse, status);
  if (code != VL_OK) {
    vl_jacobi_destroy(&made);
    return code;
  }
  for (size_t i = 0; i < n; i++) made->inverse[i] = made->inverse[i] > 0.0 ? 1.0 / made->inverse[i] : 0.0;
  *jacobi = made;
  return VL_OK;
}

void vl_jacobi_destroy(vlJacobi **jacobi)
{
  if (!jacobi || !*jacobi) return;
  free((*jacobi)->inverse);
  free(*jacobi);
  *jacobi = NULL;
}

static void apply_jacobi(void *data, const double *r, double *z)
{
  const vlJacobi *jacobi = data;
#pragma omp parallel for schedule(static) if (jacobi->rows > VL_VECTOR_SERIAL)
  for (int i = 0; i < jacobi->rows; i++) z[i] = jacobi->inverse[i] * r[i];
}

vlOperator vl_jacobi_operator(vlJacobi *jacobi)
{
  return (vlOperator){.n = (size_t)jacobi->rows, .apply = apply_jacobi, .data = jacobi};
}
