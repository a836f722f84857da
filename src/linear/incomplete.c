/* Incomplete Cholesky preconditioners on the pattern of A, natural order: IC(0) and modified IC(0).
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
