/* Distances at the nodes of near cells.
 *
 * A node's closest point p on the surface lies where phi(p) = 0 and x - p is along grad phi: both are approached in turn
 * [chopp2001],
 *   p <- p - phi g/|g|^2,   p <- p + (x - p) - ((x - p).g) g/|g|^2,   g = grad phi(p),
 * phi a cubic. Unknown nodes next to known ones begin at the closest point of the known one that is nearest to the surface,
 * and so on outwards. Made a distance again, nodes next to the surface are the first: the surface is that of the old phi,
 * and stays. The error of p along the surface shrinks by |x - p| over the surface's radius each time; where that does not
 * settle, the distance is the one to the point that it began from. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "liquid/fine_parts.h"

enum { ITERATIONS = 6 };
static const double NEAR = 6.0, BENT = 0.05, SHARE = 0.01; /* fine cells; [chen2020] */
/* Fine cells: closest points that are nearer or farther by more than this than neighbours say are those of something else. A
 * node whose known neighbours lie beside it alone is nearer by 1 than they say. */
static const double LESS = 1.2, MORE = 0.5;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static double apart(const double a[3], const double b[3])
{
  double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sqrt(dot(d, d));
}

/* From a first guess p of the closest point of x. False: it does not settle within `reach` of x. Fine cells. Steps shrink by
 * rho = -|x - p|/radius from one to the next, outside; so each is taken as 1/(1 - rho) of itself at once (Aitken). */
static bool closest(const vlFine *f, const double *phi, const double x[3], double tolerance, double reach, double p[3])
{
  double h = f->nodes.dx, last[3] = {0};
  for (int i = 0; i < ITERATIONS; i++) {
    double g[3], d[3], v = vl_fine_cubic(f, phi, p, g) / h;
    for (int a = 0; a < 3; a++) g[a] /= h;
    double gg = dot(g, g);
    if (!(gg > 0.1 && gg < 10.0)) return false;
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

/* Unknown nodes outwards from known ones. */

static unsigned known_bits(const vlFine *f, const double *row)
{
  unsigned bits = 0;
  double far = 0.5 * vl_fine_far(f);
  for (int l = 0; l < VL_BLOCK; l++) bits |= (unsigned)(fabs(row[l]) < far) << l;
  return bits;
}

/* The known node around one that is nearest to the surface, on the same side; false: there is none. */
static bool nearest_known(const vlFine *f, const double *phi, ptrdiff_t at, int step[3])
{
  double best = 0.5 * vl_fine_far(f), sign = phi[at] < 0.0 ? -1.0 : 1.0;
  int deep = vl_fine_slab(f) ? 0 : 1;
  bool any = false;
  for (int k = -deep; k <= deep; k++)
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++) {
        double v = sign * phi[at + i + j * f->nodes.stride[1] + k * f->nodes.stride[2]];
        if (!(v >= 0.0 && v < best)) continue;
        best = v;
        step[0] = i, step[1] = j, step[2] = k;
        any = true;
      }
  return any;
}

/* d >= all a with sum over axes of max(d - a, 0)^2 = 1: distance of a node from those of its known neighbours along the axes
 * that are nearer to the surface, in fine cells [sethian1996]. `upper`: where there is none. */
static double marched(const vlFine *f, const double *phi, ptrdiff_t at, double upper)
{
  double sign = phi[at] < 0.0 ? -1.0 : 1.0, far = 0.5 * vl_fine_far(f), sum = 0.0, squares = 0.0, d = upper;
  double v[3] = {far, far, far};
  for (int a = 0; a < (vl_fine_slab(f) ? 2 : 3); a++)
    for (int side = -1; side <= 1; side += 2) {
      double n = sign * phi[at + side * f->nodes.stride[a]];
      if (n >= 0.0 && n < v[a]) v[a] = n;
    }
  for (int a = 0; a < 2; a++) /* least first */
    for (int b = 0; b < 2 - a; b++)
      if (v[b] > v[b + 1]) {
        double least = v[b + 1];
        v[b + 1] = v[b];
        v[b] = least;
      }
  for (int n = 0; n < 3 && v[n] < far && (n == 0 || v[n] / f->nodes.dx < d); n++) {
    double x = v[n] / f->nodes.dx;
    sum += x;
    squares += x * x;
    d = (sum + sqrt(fmax(sum * sum - (n + 1) * (squares - 1.0), 0.0))) / (n + 1);
  }
  return d;
}

/* Distance of an unknown node, with its sign. */
static double distance_from_known(const vlFine *f, const double *phi, const double *surface, const vlFineFront *node)
{
  int step[3] = {0};
  double sign = phi[node->at] < 0.0 ? -1.0 : 1.0, h = f->nodes.dx, g[3], p[3], x[3], n[3];
  if (!nearest_known(f, phi, node->at, step)) return sign * VL_FINE_BAND * f->grid->dx;
  ptrdiff_t from = node->at + step[0] + step[1] * f->nodes.stride[1] + step[2] * f->nodes.stride[2];
  vl_fine_slope(f, phi, from, g);
  double v = phi[from] / h, length = fmax(sqrt(dot(g, g)), 1e-3);
  for (int a = 0; a < 3; a++) {
    x[a] = node->q[a];
    n[a] = x[a] + step[a];
    p[a] = n[a] - v * g[a] / length;
  }
  double most = fabs(v) + apart(x, n), guess = fmin(marched(f, phi, node->at, most), most);
  bool settled = closest(f, surface, x, 0.02, most + 0.5, p);
  double d = apart(x, p);
  return sign * h * (settled && d > guess - LESS && d < guess + MORE ? d : guess);
}

/* Of each block, unknown nodes with a known neighbour along an axis -> edge; how many. */
static int find_edge(vlFine *f)
{
  struct vlFineWork *w = f->work;
  const vlFineSet *set = &w->nodes;
  const unsigned short *unknown = w->which;
  int count = 0, blocks = set->blocks.count;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (int b = 0; b < blocks; b++) {
    w->edge[b] = 0;
    if (!unknown[b]) continue;
    vlBlockPosition p = set->blocks.at[b];
    unsigned known = set->bits[b] & ~(unsigned)unknown[b], beside = known << 1 | known >> 1;
    for (int s = 0; s < 4; s++) {
      int n = w->beside[b][s];
      if (n < blocks) beside |= set->bits[n] & ~(unsigned)unknown[n];
    }
    int lower = b > 0 ? b - 1 : b, upper = b + 1 < blocks ? b + 1 : b;
    vlBlockPosition lo = set->blocks.at[lower], hi = set->blocks.at[upper];
    if (lo.bx == p.bx - 1 && lo.j == p.j && lo.k == p.k) beside |= (set->bits[lower] & ~(unsigned)unknown[lower]) >> 15;
    if (hi.bx == p.bx + 1 && hi.j == p.j && hi.k == p.k) beside |= (set->bits[upper] & ~(unsigned)unknown[upper] & 1u) << 15;
    w->edge[b] = (unsigned short)(beside & unknown[b]);
    count += __builtin_popcount(w->edge[b]);
  }
  return count;
}

/* The edge as a list; it is known from now on. */
static void take_edge(vlFine *f, bool all)
{
  struct vlFineWork *w = f->work;
  vlFineFront *front = w->front;
  for (int b = 0; b < w->nodes.blocks.count; b++) {
    unsigned bits = all ? w->which[b] : w->edge[b];
    vlBlockPosition p = w->nodes.blocks.at[b];
    w->which[b] &= (unsigned short)~bits;
    for (; bits; bits &= bits - 1u) {
      int l = __builtin_ctz(bits);
      *front++ = (vlFineFront){.at = vl_blocks_field(&f->nodes, p) + l, .q = {p.bx * VL_BLOCK + l, p.j, p.k}};
    }
  }
}

static vlCode fill_edge(vlFine *f, double *phi, const double *surface, int count, bool all, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  vlCode code = vl_fine_room(&w->front, &w->front_capacity, (size_t)count, sizeof *w->front, status);
  if (code) return code;
  take_edge(f, all);
#pragma omp parallel for schedule(dynamic, 256)
  for (int i = 0; i < count; i++) w->front[i].value = distance_from_known(f, phi, surface, &w->front[i]);
  for (int i = 0; i < count; i++) phi[w->front[i].at] = w->front[i].value;
  return VL_OK;
}

vlCode vl_fine_fill(vlFine *f, double *phi, const double *surface, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  const vlBlocks *nodes = &w->nodes.blocks;
  size_t blocks = (size_t)nodes->count;
  vlCode code = vl_fine_room(&w->which, &w->which_capacity, blocks, sizeof *w->which, status);
  if (!code) code = vl_fine_room(&w->edge, &w->edge_capacity, blocks, sizeof *w->edge, status);
  if (!code) code = vl_fine_room(&w->beside, &w->beside_capacity, blocks, sizeof *w->beside, status);
  if (code) return code;
  int left = 0;
#pragma omp parallel for schedule(static) reduction(+ : left)
  for (int b = 0; b < nodes->count; b++) {
    const double *row = phi + vl_blocks_field(&f->nodes, nodes->at[b]);
    w->which[b] = (unsigned short)(w->nodes.bits[b] & ~known_bits(f, row));
    left += __builtin_popcount(w->which[b]);
  }
  if (left) vl_blocks_sides(nodes, w->beside);
  while (left > 0 && !code) {
    int count = find_edge(f);
    bool none = count == 0; /* no known node beside any that is left: these get the least distance that they may have */
    if (none) count = left;
    code = fill_edge(f, phi, surface, count, none, status);
    left -= count;
  }
  return code;
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

/* Distance of a node next to the surface, m; unknown for the others. */
static double distance_near(const vlFine *f, const double *phi, ptrdiff_t at, const int q[3])
{
  double least, v = phi[at], h = f->nodes.dx, sign = v < 0.0 ? -1.0 : 1.0;
  double crossing = crossing_distance(f, phi, at, &least);
  if (crossing == 0.0) return sign * vl_fine_far(f);
  double x[3] = {q[0], q[1], q[2]}, p[3], g[3], d = crossing;
  vl_fine_slope(f, phi, at, g);
  double gg = fmax(dot(g, g), 0.25);
  for (int a = 0; a < 3; a++) p[a] = x[a] - v / h * g[a] / gg;
  if (closest(f, phi, x, 1e-5, least + 0.3, p)) d = apart(x, p);
  return sign * h * (v < 0.0 ? fmax(d, 1e-12) : d);
}

vlCode vl_fine_redistance(vlFine *f, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  const vlBlocks *nodes = &w->nodes.blocks;
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < nodes->count; b++) {
    vlBlockPosition p = nodes->at[b];
    ptrdiff_t at = vl_blocks_field(&f->nodes, p);
    for (int l = 0; l < VL_BLOCK; l++)
      if (w->nodes.bits[b] >> l & 1)
        w->next[at + l] = distance_near(f, f->phi, at + l, (int[]){p.bx * VL_BLOCK + l, p.j, p.k});
  }
  vl_fine_surround(f, w->next);
  vlCode code = vl_fine_fill(f, w->next, f->phi, status);
  if (code) return code;
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
