/* Solving A x = b: conjugate gradients over any symmetric positive (semi-)definite operator and preconditioner, with
 * deflation of known null vectors; BiCGSTAB and MINRES for others; MPRGP under bounds; factors; condition numbers. Knows no
 * physics. */
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
  VL_SOLVE_NAN,
  VL_SOLVE_STUCK /* BiCGSTAB or MINRES: the recurrence would divide by zero, and starting again gains nothing */
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

/* Sweeps x += M^-1 (b - A x) with the diagonal for M^-1: Jacobi's iteration. The residual, in the norm of M^-1, falls with
 * each sweep where 2 M - A is positive; where it is not, as in regions without a fixed value, a part of it may stay or grow.
 * work: 3 (n + 2 a.pad) doubles, any contents. Guess, null space, reasons, residual and bits as in vl_cg. */
vlSolveInfo vl_sweeps(vlOperator a, vlOperator preconditioner, vlProjector null_space, const double *b, double *x,
                      double *work, vlSolveOptions options);

/* BiCGSTAB, for any square A, preconditioned from the right; an iteration takes two products. MINRES, for symmetric A that
 * may be indefinite; its preconditioner must be symmetric and positive. x holds the first guess and returns the last
 * iterate. work: 7 (n + 2 a.pad) doubles, any contents. Reasons, residual and bits as in vl_cg. */
vlSolveInfo vl_bicgstab(vlOperator a, vlOperator preconditioner, const double *b, double *x, double *work,
                        vlSolveOptions options);
vlSolveInfo vl_minres(vlOperator a, vlOperator preconditioner, const double *b, double *x, double *work,
                      vlSolveOptions options);

/* Least of 1/2 x.A x - b.x under x_i >= 0 on some of the entries, A symmetric positive (semi-)definite. */
typedef struct vlBoundedProblem {
  vlOperator a;
  vlOperator preconditioner;    /* of A as a whole; used on the free entries alone */
  vlProjector null_space;       /* may not reach bounded entries */
  const double *diagonal;       /* of A or near it, more than 0 where there are unknowns [n] */
  const unsigned char *bounded; /* 1: x_i >= 0 [n] */
  const double *b;              /* [n] */
} vlBoundedProblem;

enum { VL_MPRGP_VECTORS = 6 };
/* x holds the first guess, feasible or not, and returns the solution, feasible. work: VL_MPRGP_VECTORS (n + 2 a.pad)
 * doubles, any contents. The residual is that of the conditions: the gradient where x_i is free, its negative part where
 * x_i = 0, over ||b||. An iteration is a product with A. Same bits for any number of threads. */
vlSolveInfo vl_mprgp(const vlBoundedProblem *problem, double *x, double *work, vlSolveOptions options);

/* Deterministic dot product: partial sums over fixed blocks, added pairwise. */
double vl_vector_dot(const double *x, const double *y, size_t n);

const char *vl_solve_reason_text(vlSolveReason reason);

/* z = M^-1 r with an incomplete factor of a CSR matrix. */
typedef struct vlIncomplete vlIncomplete;
/* modified 0: IC(0). modified 0..1: MIC(0), that share of the dropped fill goes to the diagonal (0.97 is usual). A pivot
 * below 0.25 of the matrix's own diagonal is replaced by that diagonal. */
vlCode vl_incomplete_create(vlIncomplete **factor, const vlCsr *a, double modified, vlStatus *status);
/* IC(0) for matrices whose off-diagonal entries have both signs, as those of elastic bodies: the diagonal is multiplied by
 * 1 + shift with the first of 0, 0.001, 0.002, 0.004 ... that leaves all pivots positive. Replacing them one by one would
 * let the factor grow without bounds. */
vlCode vl_incomplete_create_shifted(vlIncomplete **factor, const vlCsr *a, double *shift, vlStatus *status);
void vl_incomplete_destroy(vlIncomplete **factor);
vlOperator vl_incomplete_operator(vlIncomplete *factor);

/* z = U^-1 L^-1 r with ILU(0) of any square CSR matrix that has its diagonal in the pattern. A row without it, or a value
 * that is not finite, gives VL_ERROR_SOLVER naming the row. */
typedef struct vlIlu vlIlu;
vlCode vl_ilu_create(vlIlu **ilu, const vlCsr *a, vlStatus *status);
void vl_ilu_destroy(vlIlu **ilu);
vlOperator vl_ilu_operator(vlIlu *ilu);

typedef struct vlJacobi vlJacobi;
vlCode vl_jacobi_create(vlJacobi **jacobi, const vlCsr *a, vlStatus *status);
void vl_jacobi_destroy(vlJacobi **jacobi);
vlOperator vl_jacobi_operator(vlJacobi *jacobi);

vlOperator vl_csr_operator(const vlCsr *a);

/* Sparse Cholesky through CHOLMOD, simplicial (same bits for any number of threads). A matrix that is singular to
 * round-off or not positive gives VL_ERROR_SOLVER naming the row. */
typedef struct vlCholesky vlCholesky;
vlCode vl_cholesky_create(vlCholesky **factor, const vlCsr *a, vlStatus *status);
vlCode vl_cholesky_solve(vlCholesky *factor, const double *b, double *x, vlStatus *status);
void vl_cholesky_destroy(vlCholesky **factor);

/* Condition number of a symmetric operator in the 2-norm, by Lanczos on A and on its inverse. */
typedef struct vlCondition {
  double largest, smallest; /* |eigenvalue| */
  double condition;
  int steps; /* products taken */
} vlCondition;
/* Largest |eigenvalue|, from below. */
vlCode vl_lanczos_largest(vlOperator a, int max_steps, double *largest, int *steps, vlStatus *status);
vlCode vl_condition_estimate(vlOperator a, vlOperator inverse, int max_steps, vlCondition *condition, vlStatus *status);

/* Dense Cholesky of a small matrix, row-major n x n, in place (lower triangle); false when a pivot is not positive. */
bool vl_dense_factor(double *a, int n);
void vl_dense_solve(const double *factor, int n, double *x);
/* Eigenvalues of a symmetric matrix, row-major n x n, by Jacobi's rotations: they stand on its diagonal afterwards, in no
 * order, and row k of `vectors` [n][n] is the eigenvector of unit length that belongs to the k-th. */
void vl_dense_eigen(double *a, int n, double *vectors);

/* Sparse Cholesky factors made of dense blocks, for matrices that are factored anew in every step with the same pattern. */
typedef struct vlFrontal vlFrontal;

/* Orders and analyses the pattern of a symmetric matrix; its values do not count. */
vlCode vl_frontal_create(vlFrontal **factor, const vlCsr *a, vlStatus *status);
/* Factors a matrix of the analysed pattern. One that is singular to round-off or not positive gives VL_ERROR_SOLVER naming
 * the row; another may follow. Takes nothing from the heap. Same bits for any number of threads. */
vlCode vl_frontal_factor(vlFrontal *factor, const vlCsr *a, vlStatus *status);
/* x = A^-1 b; b may be x. VL_ERROR_INTERNAL when the last factoring failed. */
vlCode vl_frontal_solve(vlFrontal *factor, const double *b, double *x, vlStatus *status);
int64_t vl_frontal_entries(const vlFrontal *factor); /* stored entries of the factor, zeros of merged blocks among them */
void vl_frontal_destroy(vlFrontal **factor);

#endif
