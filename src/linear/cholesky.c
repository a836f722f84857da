/* Sparse Cholesky through CHOLMOD: P A P^T = L D L^T, P from approximate minimum degree [chen2008].
 *
 * Simplicial, so that no threaded BLAS has a say in the bits. CHOLMOD itself stops only at a pivot of exactly 0, so the
 * pivots are looked at here: one that is not positive, or that is no more than the round-off of the elimination, means that
 * A is singular or indefinite, and is reported with its row in A.
 *
 * The rows of a symmetric CSR matrix are also its columns: CHOLMOD reads our arrays in place, only `start` is narrowed to
 * int. Solves keep their scratch vectors: no heap use after the first. */
#include <cholmod.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/solve.h"

struct vlCholesky {
  int rows;
  int *start;       /* of A, as int [rows + 1] */
  double *diagonal; /* of A [rows] */
  cholmod_common common;
  cholmod_factor *factor;
  cholmod_dense *solution, *scratch[2];
};

static vlCode cholmod_failure(const vlCholesky *f, const char *verb, vlStatus *status)
{
  if (f->common.status == CHOLMOD_OUT_OF_MEMORY)
    return vl_fail(status, VL_ERROR_MEMORY, "not enough memory to %s a sparse matrix of %d rows, %d entries", verb, f->rows,
                   f->start[f->rows]);
  if (f->common.status == CHOLMOD_TOO_LARGE)
    return vl_fail(status, VL_ERROR_SOLVER, "cannot %s a sparse matrix of %d rows: its Cholesky factor has over %d entries",
                   verb, f->rows, INT_MAX);
  return vl_fail(status, VL_ERROR_INTERNAL, "cannot %s a sparse matrix of %d rows: CHOLMOD status %d", verb, f->rows,
                 f->common.status);
}

static cholmod_sparse as_cholmod(const vlCholesky *f, const vlCsr *a)
{
  size_t n = (size_t)f->rows;
  return (cholmod_sparse){.nrow = n,
                          .ncol = n,
                          .nzmax = (size_t)f->start[n],
                          .p = f->start,
                          .i = a->column,
                          .x = a->value,
                          .stype = 1, /* symmetric; the lower triangle is skipped */
                          .itype = CHOLMOD_INT,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

static void start_cholmod(cholmod_common *common)
{
  cholmod_start(common);
  common->print = 0; /* the library never prints */
  common->supernodal = CHOLMOD_SIMPLICIAL;
  common->final_ll = 0;
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_AMD;
  common->postorder = 1;
}

/* Every pivot must stand clear of round-off. For a null vector of equal entries the errors of all n eliminations gather in
 * the last pivot: up to n epsilon of its diagonal on closed boxes, measured; 8 leaves room. A free body passes as long as
 * the inertia of a node is above 8 epsilon of its stiffness, since its last pivot holds the inertia of all n. */
static vlCode check_pivots(const vlCholesky *f, vlStatus *status)
{
  const cholmod_factor *L = f->factor;
  const int *start = L->p, *order = L->Perm;
  const double *value = L->x;
  double least = 8.0 * DBL_EPSILON * f->rows;
  for (size_t k = 0; k < L->n; k++) {
    int row = order[k];
    double pivot = k < L->minor ? value[start[k]] : 0.0; /* CHOLMOD stopped at minor, n if it did not */
    if (pivot > least * f->diagonal[row] && isfinite(pivot)) continue;
    return vl_fail(status, VL_ERROR_SOLVER,
                   "the matrix is singular or not positive definite: row %d of %d has the pivot %g, it must be above %g "
                   "(%.2g of its diagonal)",
                   row, f->rows, pivot, least * f->diagonal[row], least);
  }
  return VL_OK;
}

static vlCode find_factor(vlCholesky *f, const vlCsr *a, vlStatus *status)
{
  vlCode code = vl_csr_diagonal(a, f->diagonal, status);
  if (code != VL_OK) return code;
  cholmod_sparse matrix = as_cholmod(f, a);
  f->factor = cholmod_analyze(&matrix, &f->common);
  if (!f->factor) return cholmod_failure(f, "analyse", status);
  if (!cholmod_factorize(&matrix, f->factor, &f->common)) return cholmod_failure(f, "factor", status);
  return check_pivots(f, status);
}

vlCode vl_cholesky_create(vlCholesky **factor, const vlCsr *a, vlStatus *status)
{
  *factor = NULL;
  size_t n = (size_t)a->rows;
  if (a->start[n] > INT_MAX)
    return vl_fail(status, VL_ERROR_SOLVER, "a sparse matrix of %lld entries is too large to factor: at most %d",
                   (long long)a->start[n], INT_MAX);
  vlCholesky *f = calloc(1, sizeof *f);
  if (!f) return vl_fail_memory(status, sizeof *f, "a Cholesky factor");
  start_cholmod(&f->common);
  f->rows = a->rows;
  f->start = malloc((n + 1) * sizeof *f->start);
  f->diagonal = malloc((n + 1) * sizeof *f->diagonal);
  vlCode code = VL_OK;
  if (!f->start || !f->diagonal) {
    code = vl_fail_memory(status, (n + 1) * (sizeof *f->start + sizeof *f->diagonal), "a Cholesky factor");
  } else {
    for (size_t i = 0; i <= n; i++) f->start[i] = (int)a->start[i];
    code = find_factor(f, a, status);
  }
  if (code == VL_OK)
    *factor = f;
  else
    vl_cholesky_destroy(&f);
  return code;
}

vlCode vl_cholesky_solve(vlCholesky *f, const double *b, double *x, vlStatus *status)
{
  size_t n = (size_t)f->rows;
  cholmod_dense right = {
      .nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = (void *)b, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
  if (!cholmod_solve2(CHOLMOD_A, f->factor, &right, NULL, &f->solution, NULL, &f->scratch[0], &f->scratch[1], &f->common))
    return cholmod_failure(f, "solve with", status);
  memcpy(x, f->solution->x, n * sizeof *x);
  return VL_OK;
}

void vl_cholesky_destroy(vlCholesky **factor)
{
  if (!factor || !*factor) return;
  vlCholesky *f = *factor;
  cholmod_free_dense(&f->solution, &f->common);
  for (int i = 0; i < 2; i++) cholmod_free_dense(&f->scratch[i], &f->common);
  cholmod_free_factor(&f->factor, &f->common);
  cholmod_finish(&f->common);
  free(f->start);
  free(f->diagonal);
  free(f);
  *factor = NULL;
}
