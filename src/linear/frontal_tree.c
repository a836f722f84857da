/* The tree of fronts, and its branches: symbolic analysis for frontal.c.
 *
 * The order comes from approximate minimum degree with postordering, through CHOLMOD, which also counts the entries of L's
 * columns [chen2008]. The elimination tree follows from the pattern [liu1990]. Columns whose patterns nest, parent(j) = j +
 * 1 and one entry less, form a front; a front and the one that follows it as its parent are merged when that stores few
 * zeros, since larger dense blocks are worth more than the zeros cost.
 *
 * A symmetric CSR matrix → vlFrontTree. */
#include "linear/frontal_tree.h"

#include <cholmod.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

/* Order, its inverse and column counts. */
static vlCode find_order(vlFrontTree *t, const vlCsr *a, int *count, vlStatus *status)
{
  size_t n = (size_t)a->rows;
  int *start = malloc((n + 1) * sizeof *start);
  if (!start) return vl_fail_memory(status, (n + 1) * sizeof *start, "the order of a sparse matrix");
  for (size_t i = 0; i <= n; i++) start[i] = (int)a->start[i];
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  common.supernodal = CHOLMOD_SIMPLICIAL;
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_AMD;
  common.postorder = 1;
  cholmod_sparse matrix = {.nrow = n,
                           .ncol = n,
                           .nzmax = (size_t)start[n],
                           .p = start,
                           .i = a->column,
                           .stype = 1,
                           .itype = CHOLMOD_INT,
                           .xtype = CHOLMOD_PATTERN,
                           .dtype = CHOLMOD_DOUBLE,
                           .sorted = 1,
                           .packed = 1};
  cholmod_factor *f = cholmod_analyze(&matrix, &common);
  vlCode code = VL_OK;
  if (f) {
    memcpy(t->order, f->Perm, n * sizeof *t->order);
    memcpy(count, f->ColCount, n * sizeof *count);
    for (size_t k = 0; k < n; k++) t->place[t->order[k]] = (int)k;
  } else {
    code = common.status == CHOLMOD_OUT_OF_MEMORY
               ? vl_fail(status, VL_ERROR_MEMORY, "not enough memory to order a sparse matrix of %zu rows", n)
               : vl_fail(status, VL_ERROR_INTERNAL, "cannot order a sparse matrix of %zu rows: CHOLMOD status %d", n,
                         common.status);
  }
  cholmod_free_factor(&f, &common);
  cholmod_finish(&common);
  free(start);
  return code;
}

/* Parents of the columns in the elimination tree; shortcuts: scratch [rows]. */
static void find_parents(const vlFrontTree *t, const vlCsr *a, int *parent, int *shortcut)
{
  for (int k = 0; k < t->rows; k++) {
    parent[k] = shortcut[k] = -1;
    int row = t->order[k];
    for (int64_t e = a->start[row]; e < a->start[row + 1]; e++)
      for (int i = t->place[a->column[e]], next; i >= 0 && i < k; i = next) {
        next = shortcut[i];
        shortcut[i] = k;
        if (next < 0) parent[i] = k;
      }
  }
}

/* Whether two neighbouring fronts of together `columns` columns may be one that stores this share of zeros. */
static bool worth_merging(int columns, double zeros, double entries)
{
  double share = zeros / entries;
  return columns <= 8 || (columns <= 24 && share < 0.5) || (columns <= 64 && share < 0.15) || share < 0.05;
}

/* Fills first and returns the number of fronts. below: rows under each front; zeros: scratch; both [rows]. */
static int form_fronts(vlFrontTree *t, const int *parent, const int *count, int *below, double *zeros)
{
  int f = 0;
  for (int k = 0; k < t->rows;) {
    int end = k + 1;
    while (end < t->rows && parent[end - 1] == end && count[end] == count[end - 1] - 1) end++;
    t->first[f] = k;
    below[f] = count[end - 1] - 1;
    zeros[f] = 0.0;
    while (f > 0 && parent[k - 1] >= k && parent[k - 1] < end) { /* the front before is a child */
      int w1 = k - t->first[f - 1], w2 = end - k;
      double added = zeros[f - 1] + zeros[f] + (double)w1 * (w2 + below[f] - below[f - 1]);
      double w = w1 + w2, entries = w * (w + 1.0) / 2.0 + w * below[f];
      if (!worth_merging(w1 + w2, added, entries)) break;
      below[f - 1] = below[f];
      zeros[f - 1] = added;
      k = t->first[--f];
    }
    f++;
    k = end;
  }
  t->first[f] = t->rows;
  return f;
}

static int compare_ints(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Rows below every front: those of A and of its children. owner: front of each column; mark: scratch [rows]. */
static void find_rows(vlFrontTree *t, const vlCsr *a, const int *owner, const int *child, const int *sibling, int *mark)
{
  for (int i = 0; i < t->rows; i++) mark[i] = -1;
  for (int f = 0; f < t->fronts; f++) {
    int64_t out = t->row_start[f];
    int end = t->first[f + 1];
    for (int k = t->first[f]; k < end; k++)
      for (int64_t e = a->start[t->order[k]]; e < a->start[t->order[k] + 1]; e++) {
        int i = t->place[a->column[e]];
        if (i < end || mark[i] == f) continue;
        mark[i] = f;
        t->row[out++] = i;
      }
    for (int c = child[f]; c >= 0; c = sibling[c])
      for (int64_t r = t->row_start[c]; r < t->row_start[c + 1]; r++) {
        int i = t->row[r];
        if (i < end || mark[i] == f) continue;
        mark[i] = f;
        t->row[out++] = i;
      }
    qsort(t->row + t->row_start[f], (size_t)(out - t->row_start[f]), sizeof *t->row, compare_ints);
    t->row_start[f + 1] = out; /* as counted */
    t->parent[f] = out > t->row_start[f] ? owner[t->row[t->row_start[f]]] : -1;
  }
}

/* Where front f's columns and rows count `i`. */
static int local_place(const vlFrontTree *t, int f, int i)
{
  if (i < t->first[f + 1]) return i - t->first[f];
  const int *row = t->row + t->row_start[f];
  const int *at = bsearch(&i, row, (size_t)(t->row_start[f + 1] - t->row_start[f]), sizeof *row, compare_ints);
  return t->first[f + 1] - t->first[f] + (int)(at - row);
}

/* Panels, and where updates of children and entries of A go in them. */
static void place_entries(vlFrontTree *t, const vlCsr *a)
{
  int64_t entries = 0;
  t->most_below = 0;
  for (int f = 0; f < t->fronts; f++) {
    int64_t w = t->first[f + 1] - t->first[f], m = t->row_start[f + 1] - t->row_start[f];
    t->panel[f + 1] = t->panel[f] + w * (w + m);
    t->most_below = m > t->most_below ? (int)m : t->most_below;
    for (int64_t r = t->row_start[f]; r < t->row_start[f + 1]; r++) t->up[r] = local_place(t, t->parent[f], t->row[r]);
    for (int k = t->first[f]; k < t->first[f + 1]; k++)
      for (int64_t e = a->start[t->order[k]]; e < a->start[t->order[k] + 1]; e++) {
        int i = t->place[a->column[e]];
        if (i < k) continue;
        t->entry[entries] = e;
        t->entry_at[entries++] = (k - t->first[f]) * (w + m) + local_place(t, f, i);
      }
    t->entry_start[f + 1] = entries;
  }
}

static int64_t update_size(const vlFrontTree *t, int f)
{
  int64_t m = t->row_start[f + 1] - t->row_start[f];
  return m * m;
}

/* The most that lies on the stack while the fronts first .. last are made: a front's update is made while those of its
 * children are there. below: zero for these fronts, counts what their children left. */
static int64_t stack_need(const vlFrontTree *t, int first, int last, double *below)
{
  int64_t top = 0, most = 0;
  for (int f = first; f <= last; f++) {
    int64_t size = update_size(t, f);
    if (top + size > most) most = top + size;
    top += size - (int64_t)below[f];
    if (f < last && t->parent[f] >= 0) below[t->parent[f]] += (double)size;
  }
  return most;
}

static vlCode allocate(vlFrontTree *t, size_t n, vlStatus *status)
{
  t->order = malloc((n + 1) * sizeof *t->order);
  t->place = malloc((n + 1) * sizeof *t->place);
  t->first = malloc((n + 1) * sizeof *t->first);
  t->parent = malloc((n + 1) * sizeof *t->parent);
  t->row_start = calloc(n + 1, sizeof *t->row_start);
  t->panel = calloc(n + 1, sizeof *t->panel);
  t->entry_start = calloc(n + 1, sizeof *t->entry_start);
  if (t->order && t->place && t->first && t->parent && t->row_start && t->panel && t->entry_start) return VL_OK;
  return vl_fail_memory(status, n * 40, "the analysis of a sparse matrix");
}

/* Needs the column counts and parents of columns; scratch: [5 rows]. */
static vlCode build_fronts(vlFrontTree *t, const vlCsr *a, const int *count, const int *parent, int *scratch, double *zeros,
                           vlStatus *status)
{
  size_t n = (size_t)t->rows;
  int *below = scratch, *owner = scratch + n, *child = scratch + 2 * n, *sibling = scratch + 3 * n, *mark = scratch + 4 * n;
  int64_t rows = 0;
  t->fronts = form_fronts(t, parent, count, below, zeros);
  for (int f = 0; f < t->fronts; f++) {
    rows += below[f];
    child[f] = -1;
    for (int k = t->first[f]; k < t->first[f + 1]; k++) owner[k] = f;
  }
  for (int f = t->fronts - 1; f >= 0; f--) { /* backwards: children end up ascending */
    int up = parent[t->first[f + 1] - 1];
    if (up < 0) continue;
    sibling[f] = child[owner[up]];
    child[owner[up]] = f;
  }
  size_t entries = (size_t)(a->start[n] / 2) + n + 1;
  t->row = malloc((size_t)(rows + 1) * sizeof *t->row);
  t->up = malloc((size_t)(rows + 1) * sizeof *t->up);
  t->entry = malloc(entries * sizeof *t->entry);
  t->entry_at = malloc(entries * sizeof *t->entry_at);
  if (!t->row || !t->up || !t->entry || !t->entry_at)
    return vl_fail_memory(status, entries * 16 + (size_t)rows * 8, "the analysis of a sparse matrix");
  find_rows(t, a, owner, child, sibling, mark);
  place_entries(t, a);
  return VL_OK;
}

vlCode vl_front_tree_build(vlFrontTree *t, const vlCsr *a, vlStatus *status)
{
  size_t n = (size_t)a->rows;
  *t = (vlFrontTree){.rows = a->rows};
  if (a->start[n] > INT_MAX)
    return vl_fail(status, VL_ERROR_SOLVER, "a sparse matrix of %lld entries is too large to factor: at most %d",
                   (long long)a->start[n], INT_MAX);
  int *scratch = malloc((7 * n + 1) * sizeof *scratch);
  double *zeros = malloc((n + 1) * sizeof *zeros);
  vlCode code = allocate(t, n, status);
  if (!code && (!scratch || !zeros))
    code = vl_fail_memory(status, 9 * n * sizeof *scratch, "the analysis of a sparse matrix");
  if (!code && n > 0) code = find_order(t, a, scratch, status);
  if (!code) {
    find_parents(t, a, scratch + n, scratch + 2 * n);
    code = build_fronts(t, a, scratch, scratch + n, scratch + 2 * n, zeros, status);
  }
  if (!code) {
    for (int f = 0; f < t->fronts; f++) zeros[f] = 0.0;
    t->stack = stack_need(t, 0, t->fronts - 1, zeros);
  }
  free(scratch);
  free(zeros);
  if (code) vl_front_tree_clear(t);
  return code;
}

void vl_front_tree_clear(vlFrontTree *t)
{
  void *arrays[] = {t->order, t->place, t->first,       t->parent, t->row_start, t->row,
                    t->up,    t->panel, t->entry_start, t->entry,  t->entry_at};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  *t = (vlFrontTree){0};
}

/* Branches: the largest subtrees that hold no more than a PART of all the work. Fronts are numbered from the leaves up, each
 * after all that is below it, so a subtree is a range of them. What is above the branches follows when all are done. */

static const double PART = 0.125;

/* Products of one front: w columns of n rows, and what they take from the rest. */
static double work_of(const vlFrontTree *t, int s)
{
  double w = t->first[s + 1] - t->first[s], n = w + (double)(t->row_start[s + 1] - t->row_start[s]);
  return w * n * n;
}

/* work: of each front and all below it; low: the first of these. */
static void add_up(const vlFrontTree *t, double *work, int *low)
{
  for (int s = 0; s < t->fronts; s++) {
    work[s] = work_of(t, s);
    low[s] = s;
  }
  for (int s = 0; s < t->fronts; s++) {
    int p = t->parent[s];
    if (p < 0) continue;
    work[p] += work[s];
    if (low[s] < low[p]) low[p] = low[s];
  }
}

static void choose(vlFrontBranches *b, const vlFrontTree *t, const double *work, const int *low, double *below)
{
  for (int s = 0; s < t->fronts; s++)
    if (t->parent[s] < 0) b->work += work[s];
  for (int s = 0; s < t->fronts; s++) {
    int p = t->parent[s];
    b->of[s] = -1;
    if (work[s] > PART * b->work || (p >= 0 && work[p] <= PART * b->work)) continue;
    b->of[s] = b->count;
    b->branch[b->count++] = (vlFrontBranch){.first = low[s], .last = s, .room = b->room};
    b->room += stack_need(t, low[s], s, below);
  }
}

vlCode vl_front_branches_find(vlFrontBranches *b, const vlFrontTree *t, vlStatus *status)
{
  size_t n = (size_t)t->fronts + 1;
  *b = (vlFrontBranches){.branch = malloc(n * sizeof *b->branch), .of = malloc(n * sizeof *b->of)};
  double *work = malloc(n * sizeof *work), *below = calloc(n, sizeof *below);
  int *low = malloc(n * sizeof *low);

  bool ok = b->branch && b->of && work && low && below;
  if (ok) {
    add_up(t, work, low);
    choose(b, t, work, low, below);
  }
  free(work);
  free(low);
  free(below);
  return ok ? VL_OK : vl_fail_memory(status, n * sizeof *b->branch, "a Cholesky factor");
}

void vl_front_branches_clear(vlFrontBranches *b)
{
  free(b->branch);
  free(b->of);
  *b = (vlFrontBranches){0};
}
