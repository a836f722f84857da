/* Solving A x = b for symmetric positive (semi-)definite A: conjugate gradients over any operator and
 * preconditioner, with deflation of known null vectors. Knows no physics. */
#ifndef VL_LINEAR_SOLVE_H
#define VL_LINEAR_SOLVE_H

#include "linear/csr.h"

/* y = A x on vectors of n doubles. Entries that belong to no unknown are zero on input and must stay zero. */
typedef struct vlOperator {
  size_t n;
  size_t pad; /* doubles before and after a vector that apply may read and that must be zero */
  void (*apply)(void *data, const double *x, double *y);
  void *data;
} vlOperator;

/* Removes the null space from x, in place; apply == NULL: there is none. */
typedef struct vlProjector {
  void (*apply)(void *data, double *x);
  void *data;
} vlProjector;

typedef enum vlSolveReason {
  VL_SOLVE_CONVERGED,
  VL_SOLVE_ITERATIONS, /* ran out of iterations, or round-off keeps the true residual above the tolerance */
  VL_SOLVE_BREAKDOWN,  /* A or the preconditioner turned out not to be positive definite */
  VL_SOLVE_NAN
} vlSolveReason;

typedef struct vlSolveInfo {
  vlSolveReason reason;
  int iterations;
  double residual; /* ||b - A x|| / ||b||, the true one, recomputed at the end; NaN with VL_SOLVE_NAN */
} vlSolveInfo;

typedef struct vlSolveOptions {
  double tolerance; /* on ||r|| / ||b|| */
  int max_iterations;
} vlSolveOptions;

/* Preconditioned CG. x holds the first guess and returns the solution. work: 4 (n + 2 a.pad) doubles, any contents. b counts
 * only with its null space removed; x keeps whatever part of the null space the first guess had. "Converged" allows the true
 * residual twice the tolerance, for round-off. Same bits for any number of threads (fixed blocks, fixed reduction tree). */
vlSolveInfo vl_cg(vlOperator a, vlOperator preconditioner, vlProjector null_space, const double *b, double *x, double *work,
                  vlSolveOptions options);

/* Deterministic dot product: partial sums over fixed blocks, added pairwise. */
double vl_vector_dot(const double *x, const double *y, size_t n);

const char *vl_solve_reason_text(vlSolveReason reason);

/* z = M^-1 r with an incomplete factor of a CSR matrix. */
typedef struct vlIncomplete vlIncomplete;
/* modified 0: IC(0). modified 0..1: MIC(0), that share of the dropped fill goes to the diagonal (0.97 is usual). A pivot
 * below 0.25 of the matrix's own diagonal is replaced by that diagonal. */
vlCode vl_incomplete_create(vlIncomplete **factor, const vlCsr *a, double modified, vlStatus *status);
void vl_incomplete_destroy(vlIncomplete **factor);
vlOperator vl_incomplete_operator(vlIncomplete *factor);

typedef struct vlJacobi vlJacobi;
vlCode vl_jacobi_create(vlJacobi **jacobi, const vlCsr *a, vlStatus *status);
void vl_jacobi_destroy(vlJacobi **jacobi);
vlOperator vl_jacobi_operator(vlJacobi *jacobi);

vlOperator vl_csr_operator(const vlCsr *a);

/* Sparse Cholesky through CHOLMOD, simplicial (same bits for any number of threads). The symbolic analysis is kept:
 * vl_cholesky_refactor takes a matrix of the same pattern. A matrix that is singular to round-off or not positive gives
 * VL_ERROR_SOLVER naming the row; another refactor may follow. */
typedef struct vlCholesky vlCholesky;
vlCode vl_cholesky_create(vlCholesky **factor, const vlCsr *a, vlStatus *status);
vlCode vl_cholesky_refactor(vlCholesky *factor, const vlCsr *a, vlStatus *status);
vlCode vl_cholesky_solve(vlCholesky *factor, const double *b, double *x, vlStatus *status);
void vl_cholesky_destroy(vlCholesky **factor);

/* Dense Cholesky of a small matrix, row-major n x n, in place (lower triangle); false when a pivot is not positive. */
bool vl_dense_factor(double *a, int n);
void vl_dense_solve(const double *factor, int n, double *x);

#endif
