/* Sparse Cholesky factors made of dense blocks: the multifrontal method [liu1992].
 *
 * P A P^T = L L^T. Fronts are worked off from the leaves of the tree to its roots. A front gathers its entries of A and the
 * updates of its children in a dense panel (own columns, all its rows) and a square U (rows below against themselves),
 *
 *     | P1   . |          L1 = chol(P1),  L2 = P2 L1^-T,  U <- U - L2 L2^T
 *     | P2   U |
 *
 * leaves L1, L2 in the panel, and passes U up. U lies on a stack; the children's are on top of it when it is their parent's
 * turn. Nearly all the work is U - L2 L2^T over dense columns, which runs at the speed of the processor's vectors; entry by
 * entry every sum has the same order whoever computes it, so threads may share the columns of large fronts, and branches of
 * the tree, each with a stack of its own.
 *
 * Pivots are held against round-off as cholesky.c does: a matrix that is singular or not positive is reported with its row.
 */
#include "linear/solve.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "linear/frontal_tree.h"

enum {
  QUAD = 4,
  STRIP = 8,
  BLOCK = 32,
  SERIAL_PRODUCTS = 4000000 /* below this, waking threads costs more than the work */
};

/* Updates on their way up, and the fronts they belong to. */
typedef struct Pile {
  double *stack;
  int64_t top;
  int *waiting;
  int waiting_count;
} Pile;

struct vlFrontal {
  vlFrontTree tree;
  vlFrontBranches branches;
  int64_t *start;   /* of the analysed pattern [rows + 1] */
  bool ready;       /* L holds a factor to solve with */
  double *value;    /* panels of L, and room behind them */
  double *stack;    /* of what is above the branches */
  double *room;     /* the stacks of the branches */
  int *waiting;     /* fronts whose updates lie on the stack, then those of the branches [2 fronts] */
  double *least;    /* what each pivot must exceed [rows] */
  double *x, *part; /* scratch [rows], [most_below] */
};

vlCode vl_frontal_create(vlFrontal **factor, const vlCsr *a, vlStatus *status)
{
  *factor = NULL;
  vlFrontal *f = calloc(1, sizeof *f);
  if (!f) return vl_fail_memory(status, sizeof *f, "a Cholesky factor");
  vlCode code = vl_front_tree_build(&f->tree, a, status);
  if (!code) code = vl_front_branches_find(&f->branches, &f->tree, status);
  if (!code) {
    const vlFrontTree *t = &f->tree;
    size_t values = (size_t)t->panel[t->fronts], stack = (size_t)t->stack;
    size_t n = (size_t)t->rows + 1;
    f->start = malloc(n * sizeof *f->start);
    f->value = vl_aligned_alloc((values + STRIP) * sizeof *f->value);
    f->stack = vl_aligned_alloc((stack + 1) * sizeof *f->stack);
    f->room = vl_aligned_alloc(((size_t)f->branches.room + 1) * sizeof *f->room);
    f->waiting = malloc(2 * n * sizeof *f->waiting);
    f->least = malloc(n * sizeof *f->least);
    f->x = malloc(n * sizeof *f->x);
    f->part = malloc(((size_t)t->most_below + 1) * sizeof *f->part);
    if (f->start && f->value && f->stack && f->room && f->waiting && f->least && f->x && f->part)
      memcpy(f->start, a->start, n * sizeof *f->start);
    else
      code = vl_fail_memory(status, (values + stack) * sizeof *f->value, "a Cholesky factor");
  }
  if (code)
    vl_frontal_destroy(&f);
  else
    *factor = f;
  return code;
}

void vl_frontal_destroy(vlFrontal **factor)
{
  if (!factor || !*factor) return;
  vlFrontal *f = *factor;
  vl_front_tree_clear(&f->tree);
  vl_aligned_free(f->value);
  vl_aligned_free(f->stack);
  vl_aligned_free(f->room);
  vl_front_branches_clear(&f->branches);
  free(f->start);
  free(f->waiting);
  free(f->least);
  free(f->x);
  free(f->part);
  free(f);
  *factor = NULL;
}

int64_t vl_frontal_entries(const vlFrontal *f) { return f->tree.panel[f->tree.fronts]; }

/* C(i, j) -= sum_t A(i, t) A(j, t) for STRIP rows i and QUAD columns j, of which `rows` and `columns` are written. What lies
 * beyond them is read: the arrays have room behind them. */
static void subtract_tile(double *C, int64_t ldc, const double *Ai, const double *Aj, int64_t lda, int depth, int rows,
                          int columns)
{
  double sum[QUAD][STRIP] = {{0.0}};
  for (int t = 0; t < depth; t++, Ai += lda, Aj += lda)
    for (int q = 0; q < QUAD; q++)
      for (int s = 0; s < STRIP; s++) sum[q][s] += Ai[s] * Aj[q];
  if (rows >= STRIP && columns >= QUAD) {
    for (int q = 0; q < QUAD; q++)
      for (int s = 0; s < STRIP; s++) C[q * ldc + s] -= sum[q][s];
    return;
  }
  for (int q = 0; q < QUAD && q < columns; q++)
    for (int s = 0; s < STRIP && s < rows; s++) C[q * ldc + s] -= sum[q][s];
}

/* C(i, j) -= sum_t A(i, t) A(j, t) for j < columns, j <= i < rows. In tiles on the diagonal entries above it change too;
 * nobody reads them. */
static void subtract_products(double *C, int64_t ldc, const double *A, int64_t lda, int rows, int columns, int depth)
{
#pragma omp parallel for schedule(dynamic) if ((double)rows * columns * depth > SERIAL_PRODUCTS)
  for (int j = 0; j < columns; j += QUAD)
    for (int i = j; i < rows; i += STRIP)
      subtract_tile(C + i + j * ldc, ldc, A + i, A + j, lda, depth, rows - i, columns - j);
}

/* Cholesky of the w columns of a panel with n rows. Returns the column whose pivot is not above least[column], or w. */
static int factor_panel(double *P, int n, int w, const double *least)
{
  for (int k = 0; k < w; k += BLOCK) {
    int end = k + BLOCK < w ? k + BLOCK : w;
    for (int j = k; j < end; j++) {
      double *Pj = P + (int64_t)j * n;
      for (int t = k; t < j; t++) {
        const double *Pt = P + (int64_t)t * n;
        double factor = Pt[j];
        for (int i = j; i < n; i++) Pj[i] -= factor * Pt[i];
      }
      if (!(Pj[j] > least[j]) || !isfinite(Pj[j])) return j;
      double root = sqrt(Pj[j]), inverse = 1.0 / root;
      Pj[j] = root;
      for (int i = j + 1; i < n; i++) Pj[i] *= inverse;
    }
    if (end < w) subtract_products(P + end + (int64_t)end * n, n, P + end + (int64_t)k * n, n, n - end, w - end, end - k);
  }
  return w;
}

/* Adds the update of child c, m x m, into its parent's panel (w columns, n rows) and square. */
static void add_child(const vlFrontTree *t, int c, const double *update, double *P, double *U, int n, int w)
{
  const int *up = t->up + t->row_start[c];
  int m = (int)(t->row_start[c + 1] - t->row_start[c]);
  for (int j = 0; j < m; j++, update += m) {
    double *column = up[j] < w ? P + (int64_t)up[j] * n : U + (int64_t)(up[j] - w) * (n - w) - w;
    for (int i = j; i < m; i++) column[up[i]] += update[i];
  }
}

/* Where the update of child c lies: at the beginning of its branch's stack, or on top of this one, which it leaves. */
static const double *take_update(const vlFrontal *f, const Pile *pile, int c, int64_t *base)
{
  int branch = f->branches.of[c];
  if (branch >= 0) return f->room + f->branches.branch[branch].room;
  int64_t size = f->tree.row_start[c + 1] - f->tree.row_start[c];
  *base -= size * size;
  return pile->stack + *base;
}

/* Front s: gathers, eliminates, leaves its update where those of its children began. Returns as factor_panel. */
static int work_off(vlFrontal *f, const vlCsr *a, int s, Pile *pile)
{
  const vlFrontTree *t = &f->tree;
  int w = t->first[s + 1] - t->first[s], m = (int)(t->row_start[s + 1] - t->row_start[s]), n = w + m;
  size_t square = (size_t)m * (size_t)m;
  double *P = f->value + t->panel[s], *U = pile->stack + pile->top;
  int64_t base = pile->top;
  memset(P, 0, (size_t)n * (size_t)w * sizeof *P);
  memset(U, 0, square * sizeof *U);
  for (int64_t e = t->entry_start[s]; e < t->entry_start[s + 1]; e++) P[t->entry_at[e]] = a->value[t->entry[e]];
  while (pile->waiting_count > 0 && t->parent[pile->waiting[pile->waiting_count - 1]] == s) {
    int c = pile->waiting[--pile->waiting_count];
    add_child(t, c, take_update(f, pile, c, &base), P, U, n, w);
  }
  int done = factor_panel(P, n, w, f->least + t->first[s]);
  if (done < w) return done;
  subtract_products(U, m, P + w, n, m, m, w);
  memmove(pile->stack + base, U, square * sizeof *U);
  pile->top = base + (int64_t)square;
  if (m > 0) pile->waiting[pile->waiting_count++] = s;
  return w;
}

/* All fronts of a branch; its update stays at the beginning of its stack. */
static void work_off_branch(vlFrontal *f, const vlCsr *a, vlFrontBranch *b)
{
  const vlFrontTree *t = &f->tree;
  Pile pile = {.stack = f->room + b->room, .waiting = f->waiting + t->fronts + b->first};
  b->failed = -1;
  for (int s = b->first; s <= b->last && b->failed < 0; s++) {
    b->done = work_off(f, a, s, &pile);
    if (b->done < t->first[s + 1] - t->first[s]) b->failed = s;
  }
}

/* The branches, then what is above them. Returns the first front whose pivot failed, and its column; -1: none. */
static int work_off_all(vlFrontal *f, const vlCsr *a, int *done)
{
  const vlFrontTree *t = &f->tree;
  vlFrontBranches *b = &f->branches;
#pragma omp parallel for schedule(dynamic) if (b->work > SERIAL_PRODUCTS)
  for (int i = 0; i < b->count; i++) work_off_branch(f, a, &b->branch[i]);
  Pile pile = {.stack = f->stack, .waiting = f->waiting};
  for (int s = 0, i = 0; s < t->fronts; s++) {
    if (i < b->count && b->branch[i].first == s) {
      const vlFrontBranch *branch = &b->branch[i++];
      s = branch->last;
      *done = branch->done;
      if (branch->failed >= 0) return branch->failed;
      if (t->row_start[s + 1] > t->row_start[s]) pile.waiting[pile.waiting_count++] = s;
      continue;
    }
    *done = work_off(f, a, s, &pile);
    if (*done < t->first[s + 1] - t->first[s]) return s;
  }
  return -1;
}

/* Pivots must be above the round-off of the elimination, as check_pivots of cholesky.c explains. */
static vlCode find_least_pivots(vlFrontal *f, const vlCsr *a, vlStatus *status)
{
  vlCode code = vl_csr_diagonal(a, f->x, status);
  for (int k = 0; k < f->tree.rows && !code; k++) f->least[k] = 8.0 * DBL_EPSILON * f->tree.rows * f->x[f->tree.order[k]];
  return code;
}

vlCode vl_frontal_factor(vlFrontal *f, const vlCsr *a, vlStatus *status)
{
  const vlFrontTree *t = &f->tree;
  f->ready = false;
  bool same = a->rows == t->rows;
  for (int i = 0; same && i <= t->rows; i++) same = a->start[i] == f->start[i];
  if (!same)
    return vl_fail(status, VL_ERROR_INTERNAL,
                   "factor: the matrix of %d rows has another pattern than the analysed one of %d", a->rows, t->rows);
  vlCode code = find_least_pivots(f, a, status);
  if (code) return code;
  int done, s = work_off_all(f, a, &done);
  if (s >= 0) {
    int k = t->first[s] + done;
    int64_t n = t->first[s + 1] - t->first[s] + t->row_start[s + 1] - t->row_start[s];
    return vl_fail(status, VL_ERROR_SOLVER,
                   "the matrix is singular or not positive definite: row %d of %d has the pivot %g, it must be above %g "
                   "(%.2g of its diagonal)",
                   t->order[k], t->rows, f->value[t->panel[s] + done * (n + 1)], f->least[k], 8.0 * DBL_EPSILON * t->rows);
  }
  f->ready = true;
  return VL_OK;
}

/* L y = b, front by front; x holds b, then y. */
static void solve_down(vlFrontal *f, double *x)
{
  const vlFrontTree *t = &f->tree;
  for (int s = 0; s < t->fronts; s++) {
    int w = t->first[s + 1] - t->first[s], m = (int)(t->row_start[s + 1] - t->row_start[s]), n = w + m;
    const int *row = t->row + t->row_start[s];
    double *own = x + t->first[s], *part = f->part;
    memset(part, 0, (size_t)m * sizeof *part);
    for (int j = 0; j < w; j++) {
      const double *Lj = f->value + t->panel[s] + (int64_t)j * n;
      double y = own[j] /= Lj[j];
      for (int i = j + 1; i < w; i++) own[i] -= y * Lj[i];
      for (int i = 0; i < m; i++) part[i] += y * Lj[w + i];
    }
    for (int i = 0; i < m; i++) x[row[i]] -= part[i];
  }
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* L^T x = y */
static void solve_up(vlFrontal *f, double *x)
{
  const vlFrontTree *t = &f->tree;
  for (int s = t->fronts - 1; s >= 0; s--) {
    int w = t->first[s + 1] - t->first[s], m = (int)(t->row_start[s + 1] - t->row_start[s]), n = w + m;
    const int *row = t->row + t->row_start[s];
    double *own = x + t->first[s];
    for (int i = 0; i < m; i++) f->part[i] = x[row[i]];
    for (int j = w - 1; j >= 0; j--) {
      const double *Lj = f->value + t->panel[s] + (int64_t)j * n;
      own[j] = (own[j] - dot(Lj + j + 1, own + j + 1, w - j - 1) - dot(Lj + w, f->part, m)) / Lj[j];
    }
  }
}

vlCode vl_frontal_solve(vlFrontal *f, const double *b, double *x, vlStatus *status)
{
  const vlFrontTree *t = &f->tree;
  if (!f->ready) return vl_fail(status, VL_ERROR_INTERNAL, "solve: there is no factor of the matrix of %d rows", t->rows);
  for (int k = 0; k < t->rows; k++) f->x[k] = b[t->order[k]];
  solve_down(f, f->x);
  solve_up(f, f->x);
  for (int k = 0; k < t->rows; k++) x[t->order[k]] = f->x[k];
  return VL_OK;
}
