/* Symmetric sparse matrices in compressed rows, both triangles stored, columns ascending in each row. */
#ifndef VL_LINEAR_CSR_H
#define VL_LINEAR_CSR_H

#include "velella/types.h"

typedef struct vlCsr {
  int rows;
  int64_t *start; /* first entry of each row [rows + 1] */
  int *column;    /* [start[rows]] */
  double *value;  /* [start[rows]] */
} vlCsr;

vlCode vl_csr_create(vlCsr **csr, int rows, int64_t entries, vlStatus *status); /* arrays zeroed */
void vl_csr_destroy(vlCsr **csr);
void vl_csr_apply(const vlCsr *a, const double *x, double *y); /* y = A x */
/* Copies the diagonal. A row of zeros only is allowed and gives 0; any other diagonal must be positive and finite, else
 * VL_ERROR_SOLVER naming the row. */
vlCode vl_csr_diagonal(const vlCsr *a, double *diagonal, vlStatus *status);
/* Matrix Market, coordinate real symmetric (lower triangle), and array for vectors; 17 digits. Written to a temporary name,
 * then renamed. */
vlCode vl_csr_write(const vlCsr *a, const char *path, vlStatus *status);
vlCode vl_vector_write(const double *x, int n, const char *path, vlStatus *status);

#endif
