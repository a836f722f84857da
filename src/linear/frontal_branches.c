/* The largest subtrees that hold no more than a PART of all the work. Fronts are numbered from the leaves up, each after all
 * that is below it, so a subtree is a range of them. What is above the branches follows when all are done. */
#include "linear/frontal_branches.h"

#include <stdlib.h>

#include "base/status.h"

static const double PART = 0.125;

static int64_t update_size(const vlFrontTree *t, int s)
{
  int64_t m = t->row_start[s + 1] - t->row_start[s];
  return m * m;
}

/* Products of one front: w columns of n rows, and what they take from the rest. */
static double work_of(const vlFrontTree *t, int s)
{
  double w = t->first[s + 1] - t->first[s], n = w + (double)(t->row_start[s + 1] - t->row_start[s]);
  return w * n * n;
}

/* The most that lies on a branch's stack; `below` is zero for its fronts and counts what their children left. */
static int64_t stack_need(const vlFrontTree *t, int first, int last, int64_t *below)
{
  int64_t top = 0, most = 0;
  for (int s = first; s <= last; s++) {
    int64_t size = update_size(t, s);
    if (top + size > most) most = top + size;
    top += size - below[s];
    if (s < last) below[t->parent[s]] += size;
  }
  return most;
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

static void choose(vlFrontBranches *b, const vlFrontTree *t, const double *work, const int *low, int64_t *below)
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
  double *work = malloc(n * sizeof *work);
  int *low = malloc(n * sizeof *low);
  int64_t *below = calloc(n, sizeof *below);
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
