/* Incomplete LU factors on the pattern of A, natural order: ILU(0) [saad2003, alg. 10.4].
 *
 * A ~ L U, L with unit diagonal. Row i is reduced by every earlier row k it has an entry for; what would fall outside the
 * pattern is dropped. A need not be symmetric nor definite: the coupled system has positive pivots in its fluid rows and
 * negative ones in its solid rows [zarifi2017, eq. 19]. A pivot below 1e-8 of the largest entry of its row is replaced by
 * that value with its own sign.
 *
 * vlCsr -> vlIlu; apply: r -> z = U^-1 L^-1 r, serial. Rows of zeros belong to no unknown and give z = 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/solve.h"

static const double smallest_pivot = 1e-8; /* as a share of the largest entry of the row */

struct vlIlu {
  vlCsr *factor;     /* L below the diagonal, U above */
  int64_t *diagonal; /* place of each diagonal entry, -1: a row of zeros [rows] */
  double *inverse;   /* 1 / u_ii, 0 for a row of zeros [rows] */
};

static vlCode allocate(vlIlu **ilu, const vlCsr *a, vlStatus *status)
{
  size_t n = (size_t)a->rows + 1;
  vlIlu *made = calloc(1, sizeof *made);
  if (made) {
    made->diagonal = malloc(n * sizeof *made->diagonal);
    made->inverse = calloc(n, sizeof *made->inverse);
  }
  vlCode code = made && made->diagonal && made->inverse ? VL_OK : vl_fail_memory(status, n * 16, "the incomplete LU factor");
  if (code == VL_OK) code = vl_csr_create(&made->factor, a->rows, a->start[a->rows], status);
  if (code != VL_OK) {
    vl_ilu_destroy(&made);
    return code;
  }
  size_t entries = (size_t)a->start[a->rows];
  memcpy(made->factor->start, a->start, n * sizeof *a->start);
  memcpy(made->factor->column, a->column, entries * sizeof *a->column);
  memcpy(made->factor->value, a->value, entries * sizeof *a->value);
  *ilu = made;
  return VL_OK;
}

/* Finds the diagonal entry of row i and the size of the row. */
static vlCode find_diagonal(vlIlu *ilu, int i, double *largest, vlStatus *status)
{
  const vlCsr *f = ilu->factor;
  ilu->diagonal[i] = -1;
  *largest = 0.0;
  for (int64_t e = f->start[i]; e < f->start[i + 1]; e++) {
    if (f->column[e] == i) ilu->diagonal[i] = e;
    if (!isfinite(f->value[e]))
      return vl_fail(status, VL_ERROR_SOLVER, "matrix row %d of %d: the entry in column %d is %g, it must be finite", i,
                     f->rows, f->column[e], f->value[e]);
    *largest = fmax(*largest, fabs(f->value[e]));
  }
  if (*largest == 0.0) ilu->diagonal[i] = -1;
  if (*largest > 0.0 && ilu->diagonal[i] < 0)
    return vl_fail(status, VL_ERROR_SOLVER, "matrix row %d of %d has no place for its diagonal, incomplete LU needs one", i,
                   f->rows);
  return VL_OK;
}

/* Subtracts l_ik times the part of row k right of its diagonal from the entries of row i behind e. */
static void reduce_row(vlCsr *f, int64_t e, int64_t end, double l_ik, int64_t k, int64_t k_end)
{
  for (; k < k_end; k++) {
    while (e < end && f->column[e] < f->column[k]) e++;
    if (e == end) return;
    if (f->column[e] == f->column[k]) f->value[e] -= l_ik * f->value[k];
  }
}

static void factor_row(vlIlu *ilu, int i, double largest)
{
  vlCsr *f = ilu->factor;
  int64_t end = f->start[i + 1];
  for (int64_t e = f->start[i]; e < ilu->diagonal[i]; e++) {
    int k = f->column[e];
    f->value[e] *= ilu->inverse[k];
    if (ilu->diagonal[k] >= 0) reduce_row(f, e + 1, end, f->value[e], ilu->diagonal[k] + 1, f->start[k + 1]);
  }
  double pivot = f->value[ilu->diagonal[i]];
  if (!(fabs(pivot) >= smallest_pivot * largest)) pivot = copysign(smallest_pivot * largest, pivot);
  ilu->inverse[i] = 1.0 / pivot;
}

vlCode vl_ilu_create(vlIlu **ilu, const vlCsr *a, vlStatus *status)
{
  vlIlu *made = NULL;
  *ilu = NULL;
  vlCode code = allocate(&made, a, status);
  for (int i = 0; code == VL_OK && i < a->rows; i++) {
    double largest;
    code = find_diagonal(made, i, &largest, status);
    if (code == VL_OK && largest > 0.0) factor_row(made, i, largest);
  }
  if (code != VL_OK) vl_ilu_destroy(&made);
  *ilu = made;
  return code;
}

void vl_ilu_destroy(vlIlu **ilu)
{
  if (!ilu || !*ilu) return;
  vl_csr_destroy(&(*ilu)->factor);
  free((*ilu)->diagonal);
  free((*ilu)->inverse);
  free(*ilu);
  *ilu = NULL;
}

static void apply_ilu(void *data, const double *r, double *z)
{
  const vlIlu *ilu = data;
  const vlCsr *f = ilu->factor;
  /* L y = r */
  for (int i = 0; i < f->rows; i++) {
    double sum = r[i];
    for (int64_t e = f->start[i]; e < ilu->diagonal[i]; e++) sum -= f->value[e] * z[f->column[e]];
    z[i] = ilu->diagonal[i] < 0 ? 0.0 : sum;
  }
  /* U z = y */
  for (int i = f->rows - 1; i >= 0; i--) {
    if (ilu->diagonal[i] < 0) continue;
    double sum = z[i];
    for (int64_t e = ilu->diagonal[i] + 1; e < f->start[i + 1]; e++) sum -= f->value[e] * z[f->column[e]];
    z[i] = sum * ilu->inverse[i];
  }
}

vlOperator vl_ilu_operator(vlIlu *ilu)
{
  return (vlOperator){.n = (size_t)ilu->factor->rows, .apply = apply_ilu, .data = ilu};
}
