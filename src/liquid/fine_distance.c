/* Distances at the nodes of near cells, from the surface that phi describes and that stays.
 *
 * Nodes beside which phi changes its sign are next to the surface. Of each the closest point p of the surface is where
 * phi(p) = 0 and x - p is along grad phi: both are approached in turn [chopp2001],
 *   p <- p - phi g/|g|^2,   p <- p + (x - p) - ((x - p).g) g/|g|^2,   g = grad phi(p),
 * phi a cubic. With the normal n = g/|g| there and how it turns, S = grad n across it, p is an element of the surface. Other
 * nodes have the nearest of their neighbours' elements; with x - p = a n + t they are
 *   d = a + t.S t / (2 (1 + (a - b) k)),   k = t.S t/t^2
 * away from it, S found at the distance b: exact for planes, and to O(t^4) for spheres. Where t is long or S large, for
 * there is an edge, or the surface bends towards the node so much that 1 + a k is small, the distance is that of p. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "liquid/fine_parts.h"

enum { ITERATIONS = 6 };
static const double NEAR = 6.0, BENT = 0.05, SHARE = 0.01; /* fine cells; [chen2020] */
static const double SHARP = 0.3;                           /* 1/fine cells: what turns more is an edge */
static const double LEAST_TURN = 0.25;                     /* 1 + a k */
static const double ASIDE = 1.6; /* fine cells: elements whose t is longer are those at an edge of the surface */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static double apart(const double a[3], const double b[3])
{
  double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sqrt(dot(d, d));
}

/* From a first guess p of the closest point of x; n: the normal there. False: it does not settle within `reach` of x. Fine
 * cells. Steps shrink by rho = -|x - p|/radius from one to the next, outside; so each is taken as 1/(1 - rho) of itself at
 * once (Aitken). */
static bool closest(const vlFine *f, const double *phi, const double x[3], double tolerance, double reach, double p[3],
                    double n[3])
{
  double h = f->nodes.dx, last[3] = {0};
  for (int i = 0; i < ITERATIONS; i++) {
    double g[3], d[3], v = vl_fine_cubic(f, phi, p, g) / h;
    for (int a = 0; a < 3; a++) g[a] /= h;
    double gg = dot(g, g);
    if (!(gg > 0.1 && gg < 10.0)) return false;
    for (int a = 0; a < 3; a++) n[a] = g[a] / sqrt(gg);
    double e[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]}, along = (dot(e, g) + v) / gg;
    for (int a = 0; a < 3; a++) d[a] = e[a] - along * g[a];
    double before = dot(last, last), rho = before > 0.0 ? vl_clamp(dot(d, last) / before, -2.0, 0.6) : 0.0;
    for (int a = 0; a < 3; a++) {
      p[a] += d[a] / (1.0 - rho);
      last[a] = d[a] / (1.0 - rho);
    }
    if (!(apart(x, p) < reach)) return false;
    if (dot(d, d) < tolerance * tolerance) return true;
  }
  return false;
}

/* Nodes next to the surface, by its crossings of the three lines through a node: 1/d^2 = sum over axes of 1/d_a^2. 0: none.
 */
static double crossing_distance(const vlFine *f, const double *phi, ptrdiff_t at, double *least)
{
  double sum = 0.0;
  *least = INFINITY;
  for (int a = 0; a < (vl_fine_slab(f) ? 2 : 3); a++) {
    double nearest = INFINITY;
    for (int side = -1; side <= 1; side += 2) {
      double v = phi[at], n = phi[at + side * f->nodes.stride[a]];
      if ((v < 0.0) != (n < 0.0) && fabs(n) < 0.5 * vl_fine_far(f)) nearest = fmin(nearest, v / (v - n));
    }
    if (nearest < INFINITY) sum += 1.0 / fmax(nearest * nearest, 1e-24);
    *least = fmin(*least, nearest);
  }
  return sum > 0.0 ? 1.0 / sqrt(sum) : 0.0;
}

/* S at a node next to the surface, by differences around it, across its normal; false: there is an edge, or values are
 * unknown. */
static bool find_turn(const vlFine *f, const double *phi, const int q[3], double length, double turn[6])
{
  int axes = vl_fine_slab(f) ? 2 : 3, c[3] = {0};
  const ptrdiff_t *s = f->nodes.stride;
  for (int a = 0; a < axes; a++) c[a] = (int)vl_clamp(q[a], 1.0, f->nodes.n[a] - 2.0);
  const double *at = phi + vl_grid_at(&f->nodes, c[0], c[1], c[2]);
  double by = 1.0 / (fmax(length, 0.3) * f->nodes.dx);
  memset(turn, 0, 6 * sizeof *turn);
  for (int a = 0; a < axes; a++) {
    ptrdiff_t x = s[a], y = s[(a + 1) % 3];
    turn[a] = (at[x] - 2.0 * at[0] + at[-x]) * by;
    if (axes == 2 && a > 0) continue;
    turn[3 + a] = 0.25 * (at[x + y] - at[x - y] - at[y - x] + at[-x - y]) * by;
  }
  bool smooth = true;
  for (int i = 0; i < 6; i++) smooth = smooth && fabs(turn[i]) < SHARP;
  return smooth;
}

/* m: distance of a node next to the surface; its element. */
static double distance_near(const vlFine *f, const double *phi, ptrdiff_t at, const int q[3], vlFineElement *e)
{
  double least, v = phi[at], h = f->nodes.dx, sign = v < 0.0 ? -1.0 : 1.0, x[3] = {q[0], q[1], q[2]}, g[3];
  double d = crossing_distance(f, phi, at, &least);
  vl_fine_slope(f, phi, at, g);
  double length = sqrt(dot(g, g)), gg = fmax(length * length, 0.25);
  for (int a = 0; a < 3; a++) e->p[a] = x[a] - v / h * g[a] / gg;
  if (closest(f, phi, x, 1e-5, least + 0.3, e->p, e->n)) {
    d = apart(x, e->p);
    e->smooth = find_turn(f, phi, q, length, e->turn);
    e->away = sign * d;
  } else {
    for (int a = 0; a < 3; a++) {
      e->n[a] = g[a] / fmax(length, 1e-3);
      e->p[a] = x[a] - sign * d * e->n[a];
    }
    e->smooth = false;
  }
  return sign * h * (v < 0.0 ? fmax(d, 1e-12) : d);
}

/* Distance of x from an element, by its size; `sign`: of the side that x is on. Fine cells. */
static double distance_from(const vlFineElement *e, const double x[3], double sign)
{
  const double *S = e->turn;
  double t[3], a = 0.0;
  if (!e->smooth) return apart(x, e->p);
  for (int c = 0; c < 3; c++) a += (x[c] - e->p[c]) * e->n[c];
  for (int c = 0; c < 3; c++) t[c] = x[c] - e->p[c] - a * e->n[c];
  double tt = dot(t, t), bend = S[0] * t[0] * t[0] + S[1] * t[1] * t[1] + S[2] * t[2] * t[2] +
                                2.0 * (S[3] * t[0] * t[1] + S[4] * t[1] * t[2] + S[5] * t[2] * t[0]);
  a *= sign;
  bend *= sign;
  double turned = tt + (a - sign * e->away) * bend;
  double foot = turned > tt ? tt * tt / turned : tt; /* t^2 on the surface, from where normals part */
  return a > 0.0 && foot < ASIDE * ASIDE && turned >= LEAST_TURN * tt ? a + (tt > 0.0 ? 0.5 * bend * tt / turned : 0.0)
                                                                      : apart(x, e->p);
}

/* Eight nodes, and the elements that are nearest to them so far: others are taken where they are nearer. Loops are unrolled
 * so that all stays in registers. */
typedef float Eight __attribute__((vector_size(32)));
typedef int Whole __attribute__((vector_size(32)));
typedef struct Half {
  Eight p[3], x, square; /* points of the elements; places along x; squares of distances */
  Whole element;
} Half;

static inline Eight pick(Whole where, Eight a, Eight b) { return (Eight)((where & (Whole)a) | (~where & (Whole)b)); }

static inline Whole take(Half *own, float y, float z, const Eight p[3], Whole element)
{
  Eight u = p[0] - own->x, v = p[1] - y, w = p[2] - z, square = u * u + v * v + w * w;
  Whole nearer = square < own->square;
  own->square = pick(nearer, square, own->square);
#pragma GCC unroll 4
  for (int a = 0; a < 3; a++) own->p[a] = pick(nearer, p[a], own->p[a]);
  own->element = (nearer & element) | (~nearer & own->element);
  return nearer;
}

static inline void load(const vlFineNearest *from, int half, Eight p[3], Whole *element)
{
#pragma GCC unroll 4
  for (int a = 0; a < 3; a++) memcpy(&p[a], from->p[a] + 8 * half, sizeof p[a]);
  memcpy(element, from->element + 8 * half, sizeof *element);
}

/* Lanes moved by one; at the end comes the last or first one of `next`. */
static inline Whole moved_up(Whole v, Whole next) { return __builtin_shufflevector(next, v, 7, 8, 9, 10, 11, 12, 13, 14); }
static inline Whole moved_down(Whole v, Whole next) { return __builtin_shufflevector(v, next, 1, 2, 3, 4, 5, 6, 7, 8); }

static inline bool any(Whole where)
{
  int64_t part[4];
  memcpy(part, &where, sizeof part);
  return (part[0] | part[1] | part[2] | part[3]) != 0;
}

/* Elements of the neighbours before and behind along the row; first and last: those of the blocks there. */
static inline Whole take_along(Half own[2], float y, float z, const Half *first, const Half *last)
{
  const Half *row[4] = {first, &own[0], &own[1], last};
  Half up[2], down[2];
#pragma GCC unroll 4
  for (int h = 0; h < 2; h++) {
#pragma GCC unroll 4
    for (int a = 0; a < 3; a++) {
      up[h].p[a] = (Eight)moved_up((Whole)own[h].p[a], (Whole)row[h]->p[a]);
      down[h].p[a] = (Eight)moved_down((Whole)own[h].p[a], (Whole)row[h + 2]->p[a]);
    }
    up[h].element = moved_up(own[h].element, row[h]->element);
    down[h].element = moved_down(own[h].element, row[h + 2]->element);
  }
  Whole nearer = {0};
#pragma GCC unroll 4
  for (int h = 0; h < 2; h++)
    nearer |= take(&own[h], y, z, up[h].p, up[h].element) | take(&own[h], y, z, down[h].p, down[h].element);
  return nearer;
}

/* Takes a block's neighbours' elements; true: there was a nearer one. */
static bool take_elements(const struct vlFineWork *w, int b)
{
  vlBlockPosition at = w->nodes.blocks.at[b];
  const int *beside = w->beside[b];
  vlFineNearest *nearest = &w->nearest[b];
  float x = (float)(at.bx * VL_BLOCK), y = (float)at.j, z = (float)at.k;
  Half own[2], first, last;
  Whole all = {0}, nearer;
#pragma GCC unroll 4
  for (int h = 0; h < 2; h++) {
    load(nearest, h, own[h].p, &own[h].element);
    own[h].x = x + (float)(8 * h) + (Eight){0, 1, 2, 3, 4, 5, 6, 7};
    Eight u = own[h].p[0] - own[h].x, v = own[h].p[1] - y, s = own[h].p[2] - z;
    own[h].square = u * u + v * v + s * s;
#pragma GCC unroll 4
    for (int s4 = 2; s4 < 6; s4++) {
      Eight p[3];
      Whole element;
      if (beside[s4] < 0) continue;
      load(&w->nearest[beside[s4]], h, p, &element);
      all |= take(&own[h], y, z, p, element);
    }
  }
  load(&w->nearest[beside[0] < 0 ? b : beside[0]], 1, first.p, &first.element);
  load(&w->nearest[beside[1] < 0 ? b : beside[1]], 0, last.p, &last.element);
  do {
    nearer = take_along(own, y, z, &first, &last);
    all |= nearer;
  } while (any(nearer));
  if (!any(all)) return false;
#pragma GCC unroll 4
  for (int h = 0; h < 2; h++) {
#pragma GCC unroll 4
    for (int a = 0; a < 3; a++) memcpy(nearest->p[a] + 8 * h, &own[h].p[a], sizeof own[h].p[a]);
    memcpy(nearest->element + 8 * h, &own[h].element, sizeof own[h].element);
  }
  return true;
}

static int colour_of(vlBlockPosition p) { return (p.bx + p.j + p.k) & 1; }

/* Elements from neighbour to neighbour until none is nearer. Blocks of two colours take turns: those of one read of the
 * other alone, so that the result is the same in any order. w->turn: 1 where a neighbour has changed. */
static void spread_elements(const vlFine *f)
{
  const struct vlFineWork *w = f->work;
  const vlBlocks *blocks = &w->nodes.blocks;
  int still = 0;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks->count; b++) w->turn[b] = w->which[b] || vl_fine_around(w, w->which, b, false);
  for (int turn = 0; still < 2; turn ^= 1) {
    int changed = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : changed)
    for (int b = 0; b < blocks->count; b++) {
      if (!w->turn[b] || colour_of(blocks->at[b]) != turn) continue;
      w->turn[b] = 0;
      if (!take_elements(w, b)) continue;
      changed++;
      for (int s = 0; s < 6; s++) {
        int other = w->beside[b][s];
        if (other < 0) continue;
#pragma omp atomic write
        w->turn[other] = 1;
      }
    }
    still = changed ? 0 : still + 1;
  }
}

/* Distances of a block's nodes but those next to the surface, which have theirs. */
static void measure(const vlFine *f, int b)
{
  const struct vlFineWork *w = f->work;
  vlBlockPosition p = w->nodes.blocks.at[b];
  double *row = w->next + vl_blocks_field(&f->nodes, p), h = f->nodes.dx;
  for (unsigned bits = w->nodes.bits[b] & ~(unsigned)w->which[b]; bits; bits &= bits - 1u) {
    int l = __builtin_ctz(bits), e = w->nearest[b].element[l];
    double x[3] = {p.bx * VL_BLOCK + l, p.j, p.k}, sign = row[l] < 0.0 ? -1.0 : 1.0;
    row[l] = sign * h * (e < 0 ? VL_FINE_BAND * f->refine : distance_from(&w->element[e], x, sign));
  }
}

/* Nodes next to the surface -> w->which, how many there are before each block -> element of its first node; the number of
 * all. */
static int find_near(vlFine *f)
{
  struct vlFineWork *w = f->work;
  const vlFineSet *set = &w->nodes;
  int count = 0;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < set->blocks.count; b++) {
    const double *row = f->phi + vl_blocks_field(&f->nodes, set->blocks.at[b]);
    unsigned liquid = 0;
    for (int l = 0; l < VL_BLOCK; l++) liquid |= (unsigned)(row[l] < 0.0) << l;
    w->edge[b] = (unsigned short)(liquid & set->bits[b]);
    w->air[b] = (unsigned short)(~liquid & set->bits[b]);
  }
#pragma omp parallel for schedule(static)
  for (int b = 0; b < set->blocks.count; b++)
    w->which[b] = (unsigned short)((w->edge[b] & vl_fine_around(w, w->air, b, false)) |
                                   (w->air[b] & vl_fine_around(w, w->edge, b, false)));
  for (int b = 0; b < set->blocks.count; b++) {
    w->nearest[b].element[0] = count;
    count += __builtin_popcount(w->which[b]);
  }
  return count;
}

/* Elements and distances of the nodes next to the surface; the others are unknown. */
static void begin_near(const vlFine *f, int b)
{
  const struct vlFineWork *w = f->work;
  vlBlockPosition p = w->nodes.blocks.at[b];
  ptrdiff_t at = vl_blocks_field(&f->nodes, p);
  vlFineNearest *nearest = &w->nearest[b];
  int e = nearest->element[0];
  double far = vl_fine_far(f);
  for (int l = 0; l < VL_BLOCK; l++) {
    w->next[at + l] = f->phi[at + l] < 0.0 ? -far : far;
    nearest->element[l] = -1;
    for (int a = 0; a < 3; a++) nearest->p[a][l] = 1e9f;
  }
  for (unsigned bits = w->which[b]; bits; bits &= bits - 1u, e++) {
    int l = __builtin_ctz(bits);
    w->next[at + l] = distance_near(f, f->phi, at + l, (int[]){p.bx * VL_BLOCK + l, p.j, p.k}, &w->element[e]);
    nearest->element[l] = e;
    for (int a = 0; a < 3; a++) nearest->p[a][l] = (float)w->element[e].p[a];
  }
}

static vlCode make_room(vlFine *f, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  size_t blocks = (size_t)w->nodes.blocks.count + 1;
  vlCode code = vl_fine_room(&w->which, &w->which_capacity, blocks, sizeof *w->which, status);
  if (!code) code = vl_fine_room(&w->edge, &w->edge_capacity, blocks, sizeof *w->edge, status);
  if (!code) code = vl_fine_room(&w->air, &w->air_capacity, blocks, sizeof *w->air, status);
  if (!code) code = vl_fine_room(&w->turn, &w->turn_capacity, blocks, sizeof *w->turn, status);
  return code ? code : vl_fine_room(&w->nearest, &w->nearest_capacity, blocks, sizeof *w->nearest, status);
}

vlCode vl_fine_redistance(vlFine *f, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  vlCode code = make_room(f, status);
  if (code) return code;
  int count = find_near(f);
  code = vl_fine_room(&w->element, &w->element_capacity, (size_t)count + 1, sizeof *w->element, status);
  if (code) return code;
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < w->nodes.blocks.count; b++) begin_near(f, b);
  spread_elements(f);
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < w->nodes.blocks.count; b++) measure(f, b);
  vl_fine_surround(f, w->next);
  vl_fine_repeat(f, w->next);
  double *phi = w->next;
  w->next = f->phi;
  f->phi = phi;
  return VL_OK;
}

static bool is_bent(double gg) { return fabs(sqrt(gg) - 1.0) > BENT; }

/* Is |grad phi| other than 1 in all octants around a node? Where distances to two parts of the surface meet it is 1 in some.
 */
static bool is_bent_all_round(const vlFine *f, const double *phi, ptrdiff_t at)
{
  double far = 0.5 * vl_fine_far(f), hh = f->nodes.dx * f->nodes.dx, rise[3][2] = {0};
  for (int a = 0; a < (vl_fine_slab(f) ? 2 : 3); a++) {
    double lower = phi[at - f->nodes.stride[a]], upper = phi[at + f->nodes.stride[a]];
    rise[a][0] = fabs(lower) < far ? phi[at] - lower : upper - phi[at];
    rise[a][1] = fabs(upper) < far ? upper - phi[at] : rise[a][0];
  }
  for (int octant = 0; octant < 8; octant++) {
    double x = rise[0][octant & 1], y = rise[1][octant >> 1 & 1], z = rise[2][octant >> 2];
    if (!is_bent((x * x + y * y + z * z) / hh)) return false;
  }
  return true;
}

double vl_fine_bent(const vlFine *f)
{
  const vlFineSet *set = &f->work->nodes;
  long near = 0, bent = 0;
#pragma omp parallel for schedule(static) reduction(+ : near, bent)
  for (int b = 0; b < set->blocks.count; b++) {
    ptrdiff_t at = vl_blocks_field(&f->nodes, set->blocks.at[b]);
    for (int l = 0; l < VL_BLOCK; l++) {
      if (!(set->bits[b] >> l & 1) || !(fabs(f->phi[at + l]) < NEAR * f->nodes.dx)) continue;
      double g[3];
      vl_fine_slope(f, f->phi, at + l, g);
      near++;
      bent += is_bent(dot(g, g)) && is_bent_all_round(f, f->phi, at + l);
    }
  }
  return near ? (double)bent / (double)near : 0.0;
}

vlCode vl_fine_mend(vlFine *f, vlStatus *status) { return vl_fine_bent(f) > SHARE ? vl_fine_redistance(f, status) : VL_OK; }
