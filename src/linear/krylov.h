/* What the iterative solvers share: one driver from a first guess to a true residual, and passes over vectors. A method is
 * its recurrences; krylov.c tells when they begin and end. Sums are the same for any number of threads. */
#ifndef VL_LINEAR_KRYLOV_H
#define VL_LINEAR_KRYLOV_H

#include "linear/solve.h"

enum { VL_VECTOR_SERIAL = 32768 }; /* doubles; shorter vectors are not worth waking threads for */

/* A solve under way; the first member of a method's own state. */
typedef struct vlKrylov {
  vlOperator a, preconditioner;
  vlProjector null_space;
  const double *b; /* [n] */
  double *x;       /* [n] */
  vlSolveOptions options;
  vlSolveInfo info; /* the method counts iterations */
  double *r, *q;    /* residual, and what forming it may overwrite: A x [n] */
  size_t n;
  double rr, target; /* r.r as the method has it, and what it is to fall to */
  double scale;      /* while it is under way x and r are this times what they stand for */
} vlKrylov;

typedef struct vlKrylovMethod {
  double (*residual)(vlKrylov *k);     /* forms r from x and returns r.r; NULL: P b - A x */
  vlSolveReason (*begin)(vlKrylov *k); /* from the true residual in r */
  vlSolveReason (*step)(vlKrylov *k);  /* one iteration, gives rr; called while that is above the target */
  void (*end)(vlKrylov *k);            /* x catches up with r; may be NULL */
  double slack;                        /* converged: a true r.r of this times the target, for round-off */
} vlKrylovMethod;

/* Hands out `count` vectors of work, cleared with the room around them. */
void vl_krylov_lay(vlKrylov *k, double *work, double **const *vectors, int count);
vlSolveInfo vl_krylov_solve(vlKrylov *k, const vlKrylovMethod *method);
void vl_krylov_project(const vlKrylov *k, double *y);
/* r = P b - A x; returns r.r */
double vl_krylov_residual(vlKrylov *k);
/* Whether a form that must be positive is; the reason tells why not. */
bool vl_krylov_usable(double form, vlSolveReason *reason);

/* y += alpha x */
void vl_vector_add(double *y, double alpha, const double *x, size_t n);
/* r -= alpha q; returns r.r */
double vl_vector_reduce(double *r, double alpha, const double *q, size_t n);

static inline void vl_operator_apply(vlOperator a, const double *x, double *y) { a.apply(a.data, x, y); }

#endif
