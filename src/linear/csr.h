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

/* Algebra of sparse matrices that need not be square nor symmetric. They are kept as vlCsr; the number of columns, which it
 * does not hold, is given along. Columns ascend in every row of what comes out. Entries that cancel stay as zeros. */

/* A^T: `columns` rows. */
vlCode vl_rect_transpose(vlCsr **transpose, const vlCsr *a, int columns, vlStatus *status);
/* A B; B has `columns` columns. Terms are added in the order of A's columns, so that A A^T is symmetric to the last bit. */
vlCode vl_rect_multiply(vlCsr **product, const vlCsr *a, const vlCsr *b, int columns, vlStatus *status);
/* A + scale B. */
vlCode vl_rect_add(vlCsr **sum, const vlCsr *a, double scale, const vlCsr *b, vlStatus *status);
/* A diag(d). */
vlCode vl_rect_scaled(vlCsr **scaled, const vlCsr *a, const double *d, vlStatus *status);
vlCode vl_rect_diagonal(vlCsr **diagonal, const double *d, int n, vlStatus *status);
/* [ A  s B ; s B^T  t D ] of a symmetric matrix over two groups of unknowns; A and D are square, D has `columns` rows. */
vlCode vl_rect_join(vlCsr **joined, const vlCsr *a, const vlCsr *b, const vlCsr *d, int columns, double s, double t,
                    vlStatus *status);

/* Matrix Market, coordinate real general, as vl_csr_write otherwise (matrix_market.c). */
vlCode vl_rect_write(const vlCsr *a, int columns, const char *path, vlStatus *status);
/* Reads coordinate real files, general or symmetric (both triangles come out), and arrays of one column, as they are written
 * here. Errors name file and line. */
vlCode vl_rect_read(vlCsr **a, int *columns, const char *path, vlStatus *status);
vlCode vl_vector_read(double **x, int *n, const char *path, vlStatus *status);

#endif
