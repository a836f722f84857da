/* Triangles in the plane with larger angles.
 *
 * In rounds: a triangle with an angle below LEAST degrees, and those around it, are changed in the way that leaves the
 * largest least angle of them,
 *
 *     one of its edges is flipped in the quad of the two triangles that share it,
 *     one of its edges is drawn together into one of its ends, an inner point into any, a boundary point into the next on
 *     the boundary if that cuts off next to nothing,
 *
 * if there is one that makes it larger; then inner points move to the middle of their neighbours where that does. What is
 * near a change waits for the next round, so that who is around whom need be found once a round.
 * triangles -> triangles, in an order that depends on them alone. */
#include "mesh/section_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"

static const double LEAST = 0.42;   /* sine of 25 degrees */
static const double CUT_OFF = 0.03; /* squares: a boundary point that is as near to the line of its neighbours may go */
static const double FLAT = 0.02;    /* sine: nothing is lost without such a triangle */
static const double BETTER = 1e-9;

enum { ROUNDS = 12, GONE = -1 };

/* Triangles of each point: those of p are list[first[p]] to list[first[p + 1] - 1]. */
typedef struct Tidy {
  vlTriangles *t;
  int *first, *list;
  bool *changed; /* around this point, in this round [point_count] */
} Tidy;

typedef struct Change {
  double least;   /* sine of the smallest angle that it leaves; only what is better than before counts */
  int from, to;   /* drawn together; from = GONE: a flip */
  int one, other; /* triangles of a flip */
  int quad[4];    /* of a flip: the new edge is from 0 to 2 */
} Change;

double vl_least_sine(vlVec3 a, vlVec3 b, vlVec3 c)
{
  double ab = vl_norm(vl_sub(b, a)), bc = vl_norm(vl_sub(c, b)), ca = vl_norm(vl_sub(a, c));
  double longest = fmax(ab, fmax(bc, ca)), shortest = fmin(ab, fmin(bc, ca)), middle = ab + bc + ca - longest - shortest;
  return longest > 0.0 && middle > 0.0 ? vl_twice_area(a, b, c) / (longest * middle) : 0.0;
}

static double sine_of(const vlTriangles *t, const int c[3]) { return vl_least_sine(t->x[c[0]], t->x[c[1]], t->x[c[2]]); }

static bool has(const int c[3], int p) { return c[0] == p || c[1] == p || c[2] == p; }

static vlCode look_around(Tidy *a, vlStatus *status)
{
  const vlTriangles *t = a->t;
  size_t points = (size_t)t->point_count + 2, corners = 3 * (size_t)t->tri_count + 1;
  if (!a->first) {
    a->first = malloc(points * sizeof *a->first);
    a->list = malloc(corners * sizeof *a->list);
    a->changed = malloc(points);
  }
  if (!a->first || !a->list || !a->changed) return vl_fail_memory(status, (points + corners) * sizeof *a->list, "a section");
  memset(a->first, 0, points * sizeof *a->first);
  memset(a->changed, 0, points);
  for (int i = 0; i < t->tri_count; i++)
    for (int k = 0; k < 3; k++) a->first[t->tri[i][k] + 2]++;
  for (int p = 0; p < t->point_count; p++) a->first[p + 2] += a->first[p + 1];
  for (int i = 0; i < t->tri_count; i++)
    for (int k = 0; k < 3; k++) a->list[a->first[t->tri[i][k] + 1]++] = i;
  return VL_OK;
}

/* Triangles with both points. */
static int sharing(const Tidy *a, int p, int q, int found[2])
{
  int count = 0;
  for (int i = a->first[p]; i < a->first[p + 1]; i++) {
    if (!has(a->t->tri[a->list[i]], q)) continue;
    if (count < 2) found[count] = a->list[i];
    count++;
  }
  return count;
}

static void take(Change *best, Change c, double before)
{
  if (c.least > before + BETTER && c.least > best->least + BETTER) *best = c;
}

/* The edge of triangle i from its corner k on. */
static void try_flip(const Tidy *a, int i, int k, Change *best)
{
  const vlTriangles *t = a->t;
  const int *c = t->tri[i];
  int found[2], p = c[k], q = c[(k + 1) % 3];
  if (sharing(a, p, q, found) != 2) return;
  Change flip = {.from = GONE, .one = i, .other = found[found[0] == i]};
  const int *d = t->tri[flip.other];
  int far = d[0] != p && d[0] != q ? d[0] : d[1] != p && d[1] != q ? d[1] : d[2], near = c[(k + 2) % 3];
  const int quad[4] = {near, p, far, q};
  memcpy(flip.quad, quad, sizeof quad);
  flip.least = fmin(sine_of(t, (const int[3]){near, p, far}), sine_of(t, (const int[3]){near, far, q}));
  take(best, flip, fmin(sine_of(t, c), sine_of(t, d)));
}

/* The other neighbour on the boundary of p beside q. */
static int beyond(const Tidy *a, int p, int q)
{
  for (int i = a->first[p]; i < a->first[p + 1]; i++)
    for (int k = 0; k < 3; k++) {
      int found[2], o = a->t->tri[a->list[i]][k];
      if (o != p && o != q && a->t->edge[o] && sharing(a, p, o, found) == 1) return o;
    }
  return GONE;
}

static bool may_leave(const Tidy *a, int p, int q)
{
  const vlTriangles *t = a->t;
  int found[2];
  if (!t->edge[p]) return true;
  int w = t->edge[q] && sharing(a, p, q, found) == 1 ? beyond(a, p, q) : GONE;
  if (w == GONE || w == q) return false;
  double span = vl_norm(vl_sub(t->x[w], t->x[q]));
  return fabs(vl_twice_area(t->x[q], t->x[p], t->x[w])) <= CUT_OFF * t->h * span;
}

static bool are_neighbours(const Tidy *a, int p, int q)
{
  int found[2];
  return sharing(a, p, q, found) > 0;
}

/* Points beside both: as many as triangles share the edge, or the surface would be pinched. */
static bool is_clean(const Tidy *a, int p, int q)
{
  int found[2], common = 0, shared = sharing(a, p, q, found);
  for (int i = a->first[p]; i < a->first[p + 1]; i++) {
    const int *c = a->t->tri[a->list[i]];
    int k = c[0] == p ? 0 : c[1] == p ? 1 : 2, next = c[(k + 1) % 3], last = c[(k + 2) % 3];
    common += next != q && are_neighbours(a, next, q);
    /* the last of an open fan is no triangle's next */
    if (a->t->edge[p] && last != q && a->t->edge[last] && sharing(a, p, last, found) == 1)
      common += are_neighbours(a, last, q);
  }
  return common == shared;
}

/* Point p goes to q. */
static void try_merge(const Tidy *a, int p, int q, Change *best)
{
  const vlTriangles *t = a->t;
  double before = 1.0, after = 1.0;
  for (int i = a->first[p]; i < a->first[p + 1]; i++) {
    const int *c = t->tri[a->list[i]];
    before = fmin(before, sine_of(t, c));
    if (has(c, q)) continue;
    const int moved[3] = {c[0] == p ? q : c[0], c[1] == p ? q : c[1], c[2] == p ? q : c[2]};
    after = fmin(after, sine_of(t, moved));
  }
  if (after > before && may_leave(a, p, q) && is_clean(a, p, q))
    take(best, (Change){.least = after, .from = p, .to = q}, before);
}

static void mark(Tidy *a, int p)
{
  for (int i = a->first[p]; i < a->first[p + 1]; i++)
    for (int k = 0; k < 3; k++) a->changed[a->t->tri[a->list[i]][k]] = true;
}

static void set(int c[3], int x, int y, int z)
{
  c[0] = x;
  c[1] = y;
  c[2] = z;
}

/* Triangles that go are left without area: all corners the same. */
static void make(Tidy *a, const Change *change)
{
  vlTriangles *t = a->t;
  if (change->from == GONE) {
    const int *q = change->quad;
    for (int k = 0; k < 4; k++) mark(a, q[k]);
    set(t->tri[change->one], q[0], q[1], q[2]);
    set(t->tri[change->other], q[0], q[2], q[3]);
    return;
  }
  int p = change->from, q = change->to;
  mark(a, p);
  mark(a, q);
  t->edge[p] = false; /* it is nowhere any more */
  for (int i = a->first[p]; i < a->first[p + 1]; i++) {
    int *c = t->tri[a->list[i]];
    if (has(c, q)) set(c, q, q, q);
    for (int k = 0; k < 3; k++) c[k] = c[k] == p ? q : c[k];
  }
}

static bool is_near_change(const Tidy *a, int i)
{
  const int *c = a->t->tri[i];
  for (int k = 0; k < 3; k++)
    for (int j = a->first[c[k]]; j < a->first[c[k] + 1]; j++) {
      const int *d = a->t->tri[a->list[j]];
      if (a->changed[d[0]] || a->changed[d[1]] || a->changed[d[2]]) return true;
    }
  return false;
}

/* Whether there were any. */
static bool drop_gone(vlTriangles *t)
{
  int kept = 0, count = t->tri_count;
  for (int i = 0; i < count; i++) {
    if (t->tri[i][0] == t->tri[i][1]) continue;
    memmove(t->tri[kept++], t->tri[i], sizeof t->tri[i]);
  }
  t->tri_count = kept;
  return kept < count;
}

/* Whether anything changed. */
static bool change_round(Tidy *a)
{
  vlTriangles *t = a->t;
  bool any = false;
  for (int i = 0; i < t->tri_count; i++) {
    const int *c = t->tri[i];
    if (c[0] == c[1] || sine_of(t, c) >= LEAST || is_near_change(a, i)) continue;
    Change best = {.least = -INFINITY, .from = GONE, .one = GONE};
    for (int k = 0; k < 3; k++) {
      try_flip(a, i, k, &best);
      try_merge(a, c[k], c[(k + 1) % 3], &best);
      try_merge(a, c[(k + 1) % 3], c[k], &best);
    }
    if (best.from == GONE && best.one == GONE) continue;
    make(a, &best);
    any = true;
  }
  drop_gone(t);
  return any;
}

static double worst_around(const Tidy *a, int p)
{
  double worst = 1.0;
  for (int i = a->first[p]; i < a->first[p + 1]; i++) worst = fmin(worst, sine_of(a->t, a->t->tri[a->list[i]]));
  return worst;
}

/* Inner points to the middle of those around them, where that is better. */
static void smooth(const Tidy *a)
{
  vlTriangles *t = a->t;
  for (int p = 0; p < t->point_count; p++) {
    vlVec3 sum = vl_vec(0, 0, 0), before = t->x[p];
    int count = 0;
    for (int i = a->first[p]; i < a->first[p + 1] && !t->edge[p]; i++)
      for (int k = 0; k < 3; k++) {
        int other = t->tri[a->list[i]][k];
        if (other == p) continue;
        sum = vl_add(sum, t->x[other]);
        count++;
      }
    if (!count) continue;
    double worst = worst_around(a, p);
    t->x[p] = vl_scale(sum, 1.0 / count);
    if (worst_around(a, p) <= worst + BETTER) t->x[p] = before;
  }
}

/* Takes away triangles without area that lie on the boundary, unless their removal would leave a point where two parts only
 * touch. Whether there was one. */
static bool peel(const Tidy *a)
{
  vlTriangles *t = a->t;
  for (int i = 0; i < t->tri_count; i++) {
    int *c = t->tri[i], outer = 0, behind = GONE, found[2];
    if (sine_of(t, c) >= FLAT || is_near_change(a, i)) continue;
    for (int k = 0; k < 3; k++) {
      if (sharing(a, c[k], c[(k + 1) % 3], found) > 1) continue;
      outer++;
      behind = c[(k + 2) % 3];
    }
    if (outer == 0 || (outer == 1 && t->edge[behind])) continue;
    for (int k = 0; k < 3; k++) a->changed[c[k]] = t->edge[c[k]] = true;
    set(c, c[0], c[0], c[0]);
  }
  return drop_gone(t);
}

vlCode vl_triangles_tidy(vlTriangles *t, vlStatus *status)
{
  Tidy a = {.t = t};
  vlCode code = VL_OK;
  bool any = true;
  for (int round = 0; round < ROUNDS && !code; round++) {
    code = look_around(&a, status);
    if (!code && any) any = change_round(&a);
    if (!code) code = look_around(&a, status);
    if (!code) smooth(&a);
  }
  for (bool flat = true; flat && !code;) {
    code = look_around(&a, status);
    flat = !code && peel(&a);
  }
  free(a.first);
  free(a.list);
  free(a.changed);
  return code;
}
