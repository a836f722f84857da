/* Least of 1/2 x.A x - b.x under x_i >= 0 on some of the entries, A symmetric positive (semi-)definite. Knows no physics. */
#ifndef VL_LINEAR_MPRGP_H
#define VL_LINEAR_MPRGP_H

#include "linear/solve.h"

typedef struct vlBoundedProblem {
  vlOperator a;
  vlOperator preconditioner;    /* of A as a whole; used on the free entries alone */
  vlProjector null_space;       /* may not reach bounded entries */
  const double *diagonal;       /* of A or near it, more than 0 where there are unknowns [n] */
  const unsigned char *bounded; /* 1: x_i >= 0 [n] */
  const double *b;              /* [n] */
} vlBoundedProblem;

/* How its iterations were spent. */
typedef struct vlMprgpCount {
  int gradients, expansions, proportionings;
} vlMprgpCount;

enum { VL_MPRGP_VECTORS = 6 };

/* x holds the first guess, feasible or not, and returns the solution, feasible. work: VL_MPRGP_VECTORS (n + 2 a.pad)
 * doubles, any contents. The residual is that of the conditions: the gradient where x_i is free, its negative part where
 * x_i = 0, over ||b||. An iteration is a product with A. count may be NULL. Same bits for any number of threads. */
vlSolveInfo vl_mprgp(const vlBoundedProblem *problem, double *x, double *work, vlSolveOptions options, vlMprgpCount *count);

#endif
