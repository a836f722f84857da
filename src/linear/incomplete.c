/* Incomplete factors as preconditioners, on the pattern of A in natural order: IC(0) and modified IC(0) here, ILU(0) below.
 *
 * A ~ M = (I + V)^T D (I + V), V strictly upper with the pattern of A. Eliminating row k subtracts u_ki u_kj / d_k from
 * every pair (i, j) of its neighbours. A pair outside the pattern is dropped; the modified factor subtracts the share
 * `modified` of it from the diagonals i and j instead, which keeps the row sums and so treats smooth errors nearly exactly
 * [gustafsson1978]. A pivot that falls below a quarter of a_kk is set back to a_kk [bridson2015]: every pivot is
 * then positive and M definite, also for the singular matrices of closed regions. Where entries have both signs, as in
 * elastic bodies, that lets V grow without bounds; there the whole diagonal is raised until no pivot is small
 * [manteuffel1980].
 *
 * vlCsr -> vlIncomplete; apply: r -> z = M^-1 r, one sweep forward and one back, serial. Rows of zeros give z = 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/solve.h"

static const double smallest_pivot = 0.25;   /* as a share of the matrix's own diagonal */
static const double smallest_shifted = 1e-3; /* the same where the diagonal is raised until no pivot is smaller */
static const double first_shift = 1e-3, largest_shift = 1e6;

struct vlIncomplete {
  int rows;
  int64_t *start;  /* first entry of each row of V [rows + 1] */
  int *column;     /* ascending, all greater than the row [start[rows]] */
  double *value;   /* V; while factoring U = D V in rows not yet eliminated [start[rows]] */
  double *inverse; /* 1 / D, 0 for a row of zeros; while factoring D itself [rows] */
};

static vlCode allocate(vlIncomplete **factor, int rows, int64_t entries, vlStatus *status)
{
  size_t n = (size_t)rows + 1, count = (size_t)entries + 1;
  vlIncomplete *made = calloc(1, sizeof *made);
  if (made) {
    made->rows = rows;
    made->start = malloc(n * sizeof *made->start);
    made->column = malloc(count * sizeof *made->column);
    made->value = malloc(count * sizeof *made->value);
    made->inverse = malloc(n * sizeof *made->inverse);
  }
  if (!made || !made->start || !made->column || !made->value || !made->inverse) {
    vl_incomplete_destroy(&made);
    return vl_fail_memory(status, n * 16 + count * 12, "the incomplete Cholesky factor");
  }
  *factor = made;
  return VL_OK;
}

static int64_t count_upper(const vlCsr *a)
{
  int64_t upper = 0;
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) upper += a->column[e] > i;
  return upper;
}

static void copy_upper(vlIncomplete *factor, const vlCsr *a)
{
  int64_t out = 0;
  for (int i = 0; i < a->rows; i++) {
    factor->start[i] = out;
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
      if (a->column[e] <= i) continue;
      factor->column[out] = a->column[e];
      factor->value[out++] = a->value[e];
    }
  }
  factor->start[a->rows] = out;
}

/* Subtracts v_ki u_kj from u_ij for all entries (k, j) in [e, end), which lie right of (k, i); both rows are ascending. */
static void update_row(vlIncomplete *factor, int i, double v_ki, int64_t e, int64_t end, double modified)
{
  double *d = factor->inverse;
  int64_t to = factor->start[i], to_end = factor->start[i + 1];
  for (; e < end; e++) {
    int j = factor->column[e];
    double fill = v_ki * factor->value[e];
    while (to < to_end && factor->column[to] < j) to++;
    if (to < to_end && factor->column[to] == j) {
      factor->value[to] -= fill;
    } else {
      d[i] -= modified * fill;
      d[j] -= modified * fill;
    }
  }
}

/* Returns whether the pivot was above the share `least` of the diagonal; if not, the diagonal stands in for it. */
static bool eliminate(vlIncomplete *factor, int k, double diagonal, double modified, double least)
{
  double *d = factor->inverse, *u = factor->value;
  int64_t begin = factor->start[k], end = factor->start[k + 1];
  bool good = d[k] >= least * diagonal;
  double pivot = good ? d[k] : diagonal;
  double inverse = diagonal > 0.0 ? 1.0 / pivot : 0.0;
  for (int64_t e = begin; e < end; e++) {
    int i = factor->column[e];
    double v_ki = u[e] * inverse;
    d[i] -= v_ki * u[e];
    update_row(factor, i, v_ki, e + 1, end, modified);
    u[e] = v_ki; /* later updates read only the rest of the row as U */
  }
  d[k] = inverse;
  return good;
}

/* The diagonal of A, to be freed, also after a failure, and a factor to be filled. */
static vlCode begin(vlIncomplete **made, double **diagonal, const vlCsr *a, vlStatus *status)
{
  size_t bytes = ((size_t)a->rows + 1) * sizeof(double);
  *diagonal = malloc(bytes);
  if (!*diagonal) return vl_fail_memory(status, bytes, "the incomplete Cholesky factor");
  vlCode code = vl_csr_diagonal(a, *diagonal, status);
  return code == VL_OK ? allocate(made, a->rows, count_upper(a), status) : code;
}

vlCode vl_incomplete_create(vlIncomplete **factor, const vlCsr *a, double modified, vlStatus *status)
{
  *factor = NULL;
  vlIncomplete *made = NULL;
  double *diagonal = NULL;
  vlCode code = begin(&made, &diagonal, a, status);
  if (code == VL_OK) {
    copy_upper(made, a);
    memcpy(made->inverse, diagonal, (size_t)a->rows * sizeof(double));
    for (int k = 0; k < a->rows; k++) eliminate(made, k, diagonal[k], modified, smallest_pivot);
    *factor = made;
  }
  free(diagonal);
  return code;
}

/* Factors A + shift diag(A); false when a pivot is too small. */
static bool factor_shifted(vlIncomplete *factor, const vlCsr *a, const double *diagonal, double shift)
{
  copy_upper(factor, a);
  for (int i = 0; i < a->rows; i++) factor->inverse[i] = (1.0 + shift) * diagonal[i];
  for (int k = 0; k < a->rows; k++)
    if (!eliminate(factor, k, diagonal[k], 0.0, smallest_shifted)) return false;
  return true;
}

vlCode vl_incomplete_create_shifted(vlIncomplete **factor, const vlCsr *a, double *shift, vlStatus *status)
{
  *factor = NULL;
  *shift = 0.0;
  vlIncomplete *made = NULL;
  double *diagonal = NULL;
  vlCode code = begin(&made, &diagonal, a, status);
  while (code == VL_OK && !factor_shifted(made, a, diagonal, *shift)) {
    *shift = *shift > 0.0 ? 2.0 * *shift : first_shift;
    if (!(*shift < largest_shift))
      code = vl_fail(status, VL_ERROR_SOLVER, "the matrix has no incomplete Cholesky factor: are all its values finite?");
  }
  if (code != VL_OK) vl_incomplete_destroy(&made);
  free(diagonal);
  *factor = made;
  return code;
}

void vl_incomplete_destroy(vlIncomplete **factor)
{
  if (!factor || !*factor) return;
  free((*factor)->start);
  free((*factor)->column);
  free((*factor)->value);
  free((*factor)->inverse);
  free(*factor);
  *factor = NULL;
}

static void apply_incomplete(void *data, const double *r, double *z)
{
  const vlIncomplete *factor = data;
  const int64_t *start = factor->start;
  const int *column = factor->column;
  const double *v = factor->value;
  memcpy(z, r, (size_t)factor->rows * sizeof *z);
  /* (I + V)^T y = r */
  for (int i = 0; i < factor->rows; i++) {
    double y = z[i];
    for (int64_t e = start[i]; e < start[i + 1]; e++) z[column[e]] -= v[e] * y;
  }
  /* (I + V) z = D^-1 y */
  for (int i = factor->rows - 1; i >= 0; i--) {
    double sum = z[i] * factor->inverse[i];
    for (int64_t e = start[i]; e < start[i + 1]; e++) sum -= v[e] * z[column[e]];
    z[i] = sum;
  }
}

vlOperator vl_incomplete_operator(vlIncomplete *factor)
{
  return (vlOperator){.n = (size_t)factor->rows, .apply = apply_incomplete, .data = factor};
}

/* Incomplete LU factors on the pattern of A, natural order: ILU(0) [saad2003, alg. 10.4].
 *
 * A ~ L U, L with unit diagonal. Row i is reduced by every earlier row k it has an entry for; what would fall outside the
 * pattern is dropped. A need not be symmetric nor definite: the coupled system has positive pivots in its fluid rows and
 * negative ones in its solid rows [zarifi2017, eq. 19]. A pivot below 1e-8 of the largest entry of its row is replaced by
 * that value with its own sign.
 *
 * vlCsr -> vlIlu; apply: r -> z = U^-1 L^-1 r, serial. Rows of zeros belong to no unknown and give z = 0. */

static const double smallest_of_row = 1e-8; /* as a share of the largest entry of the row */

struct vlIlu {
  vlCsr *factor;     /* L below the diagonal, U above */
  int64_t *diagonal; /* place of each diagonal entry, -1: a row of zeros [rows] */
  double *inverse;   /* 1 / u_ii, 0 for a row of zeros [rows] */
};

static vlCode allocate_ilu(vlIlu **ilu, const vlCsr *a, vlStatus *status)
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
  if (!(fabs(pivot) >= smallest_of_row * largest)) pivot = copysign(smallest_of_row * largest, pivot);
  ilu->inverse[i] = 1.0 / pivot;
}

vlCode vl_ilu_create(vlIlu **ilu, const vlCsr *a, vlStatus *status)
{
  vlIlu *made = NULL;
  *ilu = NULL;
  vlCode code = allocate_ilu(&made, a, status);
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
