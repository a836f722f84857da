/* The tree of fronts of a sparse Cholesky factor, and branches of it that threads can work off side by side: what frontal.c
 * works on. */
#ifndef VL_LINEAR_FRONTAL_TREE_H
#define VL_LINEAR_FRONTAL_TREE_H

#include "linear/csr.h"

/* Front f eliminates the columns first[f] .. first[f + 1] - 1 (of the permuted matrix) and reaches the rows row_start[f] ..
 * row_start[f + 1] - 1 of `row`. Its panel is a dense column-major block: own columns, then rows below. */
typedef struct vlFrontTree {
  int rows, fronts;
  int *order;           /* row of A at each place [rows] */
  int *place;           /* its inverse [rows] */
  int *first;           /* [fronts + 1] */
  int *parent;          /* -1: root [fronts] */
  int64_t *row_start;   /* [fronts + 1] */
  int *row;             /* places below the own columns, ascending [row_start[fronts]] */
  int *up;              /* each of them counted in the parent's columns and rows [row_start[fronts]] */
  int64_t *panel;       /* first entry of each panel [fronts + 1] */
  int64_t *entry_start; /* [fronts + 1] */
  int64_t *entry;       /* entries of A that begin in a front: place in its CSR arrays [entry_start[fronts]] */
  int64_t *entry_at;    /* and in the panel [entry_start[fronts]] */
  int64_t stack;        /* doubles that updates on their way up need at most */
  int most_below;       /* largest number of rows below */
} vlFrontTree;

vlCode vl_front_tree_build(vlFrontTree *tree, const vlCsr *a, vlStatus *status);
void vl_front_tree_clear(vlFrontTree *tree);

/* A branch: fronts first .. last, a front and all below it. */
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
