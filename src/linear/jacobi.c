/* The simplest preconditioner: z = diag(A)^-1 r. Rows of zeros, which belong to no unknown, give z = 0. */
#include <stdlib.h>

#include "base/status.h"
#include "linear/solve.h"

enum { SERIAL_ROWS = 32768 }; /* below this, waking threads costs more than the product */

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
#pragma omp parallel for schedule(static) if (jacobi->rows > SERIAL_ROWS)
  for (int i = 0; i < jacobi->rows; i++) z[i] = jacobi->inverse[i] * r[i];
}

vlOperator vl_jacobi_operator(vlJacobi *jacobi)
{
  return (vlOperator){.n = (size_t)jacobi->rows, .apply = apply_jacobi, .data = jacobi};
}
