/* Branches of the tree of fronts that threads can work off side by side. */
#ifndef VL_LINEAR_FRONTAL_BRANCHES_H
#define VL_LINEAR_FRONTAL_BRANCHES_H

#include "linear/frontal_tree.h"

/* Fronts first .. last, a front and all below it. */
typedef struct vlFrontBranch {
  int first, last;
  int64_t room; /* where its stack begins among those of all branches */
  int failed;   /* while factoring: the front whose pivot failed, -1: none; */
  int done;     /* and its column */
} vlFrontBranch;

typedef struct vlFrontBranches {
  vlFrontBranch *branch; /* [count], ascending */
  int count;
  int *of;      /* branch whose last front this is; -1: none [fronts] */
  int64_t room; /* doubles of all their stacks */
  double work;  /* products of the whole tree */
} vlFrontBranches;

/* They depend on the tree alone, not on the number of threads. */
vlCode vl_front_branches_find(vlFrontBranches *branches, const vlFrontTree *tree, vlStatus *status);
void vl_front_branches_clear(vlFrontBranches *branches); /* frees */

#endif
