/* Algebra of sparse matrices in compressed rows: transpose, product, sum, two-by-two blocks.
 *
 * What the forms of the coupled system are assembled with [zarifi2017, eq. 19, 29, 33]. The product goes row by row
 * [gustavson1978]: the columns of a row of A B are collected with marks, sorted, and their terms added into a dense row.
 * Everything is serial and allocates its result once: assembly here is for comparisons, not for every step. */
#include "linear/csr.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

vlCode vl_rect_transpose(vlCsr **transpose, const vlCsr *a, int columns, vlStatus *status)
{
  int64_t entries = a->start[a->rows];
  vlCsr *t = NULL;
  vlCode code = vl_csr_create(transpose, columns, entries, status);
  if (code != VL_OK) return code;
  t = *transpose;
  for (int64_t e = 0; e < entries; e++) t->start[a->column[e] + 1]++;
  for (int j = 0; j < columns; j++) t->start[j + 1] += t->start[j];
  /* start[j] walks to the end of row j, which is the start of row j + 1 */
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
      int64_t to = t->start[a->column[e]]++;
      t->column[to] = i;
      t->value[to] = a->value[e];
    }
  memmove(t->start + 1, t->start, (size_t)columns * sizeof *t->start);
  t->start[0] = 0;
  return VL_OK;
}

static int compare_columns(const void *a, const void *b)
{
  int i = *(const int *)a, j = *(const int *)b;
  return (i > j) - (i < j);
}

/* The columns of row i of A B, unordered; mark[j] == i: already there. */
static int collect_row(const vlCsr *a, const vlCsr *b, int i, int *mark, int *found)
{
  int count = 0;
  for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
    int k = a->column[e];
    for (int64_t f = b->start[k]; f < b->start[k + 1]; f++) {
      int j = b->column[f];
      if (mark[j] == i) continue;
      mark[j] = i;
      found[count++] = j;
    }
  }
  return count;
}

static void fill_row(vlCsr *c, const vlCsr *a, const vlCsr *b, int i, double *row)
{
  for (int64_t e = c->start[i]; e < c->start[i + 1]; e++) row[c->column[e]] = 0.0;
  for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
    int k = a->column[e];
    for (int64_t f = b->start[k]; f < b->start[k + 1]; f++) row[b->column[f]] += a->value[e] * b->value[f];
  }
  for (int64_t e = c->start[i]; e < c->start[i + 1]; e++) c->value[e] = row[c->column[e]];
}

vlCode vl_rect_multiply(vlCsr **product, const vlCsr *a, const vlCsr *b, int columns, vlStatus *status)
{
  size_t n = (size_t)columns + 1;
  int *mark = malloc(n * sizeof *mark), *found = malloc(n * sizeof *found);
  double *row = malloc(n * sizeof *row);
  vlCode code = VL_OK;
  int64_t entries = 0;
  *product = NULL;
  if (!mark || !found || !row) code = vl_fail_memory(status, n * 16, "a product of sparse matrices");
  if (code == VL_OK) {
    memset(mark, 0xff, n * sizeof *mark); /* -1 */
    for (int i = 0; i < a->rows; i++) entries += collect_row(a, b, i, mark, found);
    code = vl_csr_create(product, a->rows, entries, status);
  }
  if (code == VL_OK) {
    vlCsr *c = *product;
    memset(mark, 0xff, n * sizeof *mark);
    for (int i = 0; i < a->rows; i++) {
      int count = collect_row(a, b, i, mark, c->column + c->start[i]);
      c->start[i + 1] = c->start[i] + count;
      qsort(c->column + c->start[i], (size_t)count, sizeof *c->column, compare_columns);
      fill_row(c, a, b, i, row);
    }
  }
  free(mark);
  free(found);
  free(row);
  return code;
}

/* Merges row i of A and of scale B into c from place `out` on; c NULL: only counts. Returns the place behind. */
static int64_t merge_row(vlCsr *c, const vlCsr *a, double scale, const vlCsr *b, int i, int64_t out)
{
  int64_t e = a->start[i], f = b->start[i], e_end = a->start[i + 1], f_end = b->start[i + 1];
  for (; e < e_end || f < f_end; out++) {
    bool from_a = f == f_end || (e < e_end && a->column[e] <= b->column[f]);
    bool from_b = e == e_end || (f < f_end && b->column[f] <= a->column[e]);
    if (c) {
      c->column[out] = from_a ? a->column[e] : b->column[f];
      c->value[out] = (from_a ? a->value[e] : 0.0) + (from_b ? scale * b->value[f] : 0.0);
    }
    e += from_a;
    f += from_b;
  }
  return out;
}

vlCode vl_rect_add(vlCsr **sum, const vlCsr *a, double scale, const vlCsr *b, vlStatus *status)
{
  assert(a->rows == b->rows);
  int64_t entries = 0;
  for (int i = 0; i < a->rows; i++) entries = merge_row(NULL, a, scale, b, i, entries);
  vlCode code = vl_csr_create(sum, a->rows, entries, status);
  if (code != VL_OK) return code;
  for (int i = 0; i < a->rows; i++) (*sum)->start[i + 1] = merge_row(*sum, a, scale, b, i, (*sum)->start[i]);
  return VL_OK;
}

vlCode vl_rect_scaled(vlCsr **scaled, const vlCsr *a, const double *d, vlStatus *status)
{
  int64_t entries = a->start[a->rows];
  vlCode code = vl_csr_create(scaled, a->rows, entries, status);
  if (code != VL_OK) return code;
  memcpy((*scaled)->start, a->start, ((size_t)a->rows + 1) * sizeof *a->start);
  memcpy((*scaled)->column, a->column, (size_t)entries * sizeof *a->column);
  for (int64_t e = 0; e < entries; e++) (*scaled)->value[e] = a->value[e] * d[a->column[e]];
  return VL_OK;
}

vlCode vl_rect_diagonal(vlCsr **diagonal, const double *d, int n, vlStatus *status)
{
  vlCode code = vl_csr_create(diagonal, n, n, status);
  if (code != VL_OK) return code;
  for (int i = 0; i < n; i++) {
    (*diagonal)->start[i + 1] = i + 1;
    (*diagonal)->column[i] = i;
    (*diagonal)->value[i] = d[i];
  }
  return VL_OK;
}

/* Row i of a block, its columns moved by `shift`, its values scaled. */
static int64_t append_row(vlCsr *to, int64_t out, const vlCsr *from, int i, int shift, double scale)
{
  for (int64_t e = from->start[i]; e < from->start[i + 1]; e++, out++) {
    to->column[out] = from->column[e] + shift;
    to->value[out] = scale * from->value[e];
  }
  return out;
}

vlCode vl_rect_join(vlCsr **joined, const vlCsr *a, const vlCsr *b, const vlCsr *d, int columns, double s, double t,
                    vlStatus *status)
{
  assert(a->rows == b->rows && d->rows == columns);
  vlCsr *bt = NULL;
  int64_t entries = a->start[a->rows] + 2 * b->start[b->rows] + d->start[d->rows];
  *joined = NULL;
  vlCode code = vl_rect_transpose(&bt, b, columns, status);
  if (code == VL_OK) code = vl_csr_create(joined, a->rows + columns, entries, status);
  if (code == VL_OK) {
    int64_t out = 0;
    for (int i = 0; i < a->rows; i++) {
      out = append_row(*joined, out, a, i, 0, 1.0);
      (*joined)->start[i + 1] = out = append_row(*joined, out, b, i, a->rows, s);
    }
    for (int i = 0; i < columns; i++) {
      out = append_row(*joined, out, bt, i, 0, s);
      (*joined)->start[a->rows + i + 1] = out = append_row(*joined, out, d, i, a->rows, t);
    }
  }
  vl_csr_destroy(&bt);
  return code;
}
