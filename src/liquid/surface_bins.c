/* Drawn volume less that of the particles, cell by cell near the surface.
 *
 * A surface whose vertices all lie in the middle of their cubes encloses the cubes around the nodes inside; from there on
 * every move of vertices sweeps volumes that are known exactly (surface_hold.c). So nothing has to be cut, and sheets
 * thinner than a cube count for what they are. Whatever has a place, a node, a particle or a swept volume, is spread over
 * the two cells next to it along every axis, which makes sums continuous in the places; what would fall beyond the domain
 * falls to the last cell. */
#include <stdlib.h>

#include "base/status.h"
#include "liquid/particles.h"
#include "liquid/surface_hold.h"

enum { LANES = VL_BLOCK };

/* Inside bits of the nodes from `first` to first + 32 of a row. */
static uint64_t row_bits(const vlSurfaceLattice *l, int first, int j, int k)
{
  uint64_t bits = 0;
  for (int bx = first / LANES; bx <= (first + 2 * LANES) / LANES && bx < l->nodes.columns; bx++) {
    uint64_t block = vl_surface_lattice_inside(l, bx, j, k);
    int shift = bx * LANES - first;
    bits |= shift >= 0 ? block << shift : block >> -shift;
  }
  return bits;
}

/* Of the cubes around nodes, what is spread to the cells of a block; nodes on the sides of the domain count with all of
 * their cubes. */
static void add_nodes(const vlSurfaceBins *bins, vlBlockPosition p, double sum[LANES])
{
  const vlSurfaceLattice *l = bins->lattice;
  const int *n = l->in->grid->n;
  int r = l->in->refine, first = p.bx * LANES * r + 1, width = vl_blocks_width(&bins->near, p), cell[3] = {0, p.j, p.k};
  for (int c = 0; c < (r + 1) * (r + 1); c++) {
    int d[3] = {0, c % (r + 1), c / (r + 1)};
    double weight = 1.0 / (r * r * r);
    for (int a = 1; a < 3; a++) {
      bool between = d[a] == 0 ? cell[a] > 0 : d[a] == r ? cell[a] < n[a] - 1 : false;
      if (between) weight *= 0.5;
    }
    uint64_t bits = row_bits(l, first, p.j * r + 1 + d[1], p.k * r + 1 + d[2]);
    for (int i = 0; bits && i < width; i++)
      for (int s = 0; s <= r; s++) {
        if (!(bits >> (i * r + s) & 1)) continue;
        bool between = s == 0 ? p.bx * LANES + i > 0 : s == r ? p.bx * LANES + i < n[0] - 1 : false;
        sum[i] += between ? 0.5 * weight : weight;
      }
  }
}

/* Where something at x (cells) falls along an axis: this much to the upper of two cells. */
static double share(const vlGrid *g, int axis, double x, int *lower)
{
  double u = fmin(fmax(x - 0.5, 0.0), g->n[axis] - 1.0);
  *lower = (int)u;
  return u - *lower;
}

/* Takes off the particles of the cells lo to hi - 1 of a row as far as they fall to the cells of block p. */
static void take_row(const vlSurfaceBins *bins, vlBlockPosition p, int bx, int lo, int hi, int j, int k, double sum[LANES])
{
  const vlSurfaceInput *in = bins->lattice->in;
  const int to[3] = {p.bx * LANES, p.j, p.k};
  int block = vl_blocks_find(&in->particles->home, bx, j, k), first, last, c;
  if (block < 0) return;
  vl_particles_in(in->particles, block, lo, hi, &first, &last);
  for (int i = first; i < last; i++) {
    double volume = 1.0 / in->per_cell;
    for (int a = 1; a < 3; a++) {
      double upper = share(in->grid, a, (double)in->particles->x[a][i], &c);
      volume *= c == to[a] ? 1.0 - upper : c + 1 == to[a] ? upper : 0.0;
    }
    double upper = share(in->grid, 0, (double)in->particles->x[0][i], &c);
    c -= to[0];
    if (c >= 0 && c < LANES) sum[c] -= volume * (1.0 - upper);
    if (c >= -1 && c < LANES - 1) sum[c + 1] -= volume * upper;
  }
}

static void take_particles(const vlSurfaceBins *bins, vlBlockPosition p, double sum[LANES])
{
  const int *n = bins->near.n;
  for (int k = p.k - 1; k <= p.k + 1; k++)
    for (int j = p.j - 1; j <= p.j + 1; j++) {
      if (j < 0 || k < 0 || j >= n[1] || k >= n[2]) continue;
      if (p.bx > 0) take_row(bins, p, p.bx - 1, LANES - 1, LANES, j, k, sum);
      take_row(bins, p, p.bx, 0, LANES, j, k, sum);
      if (p.bx + 1 < bins->near.columns) take_row(bins, p, p.bx + 1, 0, 1, j, k, sum);
    }
}

static void fill(vlSurfaceBins *bins)
{
#pragma omp parallel for schedule(dynamic, 16)
  for (int b = 0; b < bins->near.count; b++) {
    double sum[LANES] = {0};
    ptrdiff_t at = vl_blocks_field(bins->lattice->in->grid, bins->near.at[b]);
    add_nodes(bins, bins->near.at[b], sum);
    take_particles(bins, bins->near.at[b], sum);
    for (int l = 0; l < LANES; l++) bins->excess[at + l] = sum[l];
  }
}

/* The cell blocks that the listed nodes lie in or touch. */
static vlCode list_near(vlSurfaceBins *bins, vlStatus *status)
{
  const vlBlocks *nodes = &bins->lattice->nodes;
  vlBlocks *near = &bins->near;
  int r = bins->lattice->in->refine;
  bool ok = true;
  for (int b = 0; b < nodes->count; b++) {
    vlBlockPosition p = nodes->at[b];
    int lo[3] = {p.bx * LANES - 1, p.j - 1, p.k - 1}, hi[3];
    for (int a = 0; a < 3; a++) {
      hi[a] = (lo[a] + (a == 0 ? LANES - 1 : 0)) / r;
      lo[a] = (lo[a] - 1) / r;
      lo[a] = lo[a] < 0 ? 0 : lo[a];
      hi[a] = hi[a] < near->n[a] ? hi[a] : near->n[a] - 1;
    }
    for (int k = lo[2]; k <= hi[2]; k++)
      for (int j = lo[1]; j <= hi[1]; j++)
        for (int bx = lo[0] / LANES; bx <= hi[0] / LANES; bx++) near->map[vl_blocks_place(near, bx, j, k)] = 1;
  }
  for (int k = 0; k < near->n[2]; k++)
    for (int j = 0; j < near->n[1]; j++)
      for (int bx = 0; bx < near->columns; bx++)
        if (near->map[vl_blocks_place(near, bx, j, k)]) ok = vl_blocks_append(near, bx, j, k) && ok;
  vl_blocks_end(near);
  return ok ? VL_OK : vl_fail_memory(status, sizeof(vlBlockPosition) * (size_t)nodes->count, "the liquid's surface");
}

vlCode vl_surface_bins_create(vlSurfaceBins *bins, const vlSurfaceLattice *lattice, vlStatus *status)
{
  const vlGrid *g = lattice->in->grid;
  *bins = (vlSurfaceBins){.lattice = lattice};
  vlCode code = vl_blocks_create(&bins->near, g->n, status);
  if (!code) code = list_near(bins, status);
  if (code) return code;
  double **fields[] = {&bins->excess, &bins->gain, &bins->share, &bins->around, &bins->each, &bins->spare};
  for (int f = 0; f < 6; f++)
    if (!(*fields[f] = vl_field_create(g)))
      return vl_fail_memory(status, g->length * sizeof(double), "the liquid's surface");
  fill(bins);
  return VL_OK;
}

void vl_surface_bins_clear(vlSurfaceBins *bins)
{
  double **fields[] = {&bins->excess, &bins->gain, &bins->share, &bins->around, &bins->each, &bins->spare};
  for (int f = 0; f < 6; f++) vl_field_destroy(bins->lattice->in->grid, fields[f]);
  vl_blocks_clear(&bins->near);
}

void vl_surface_bins_zero(const vlSurfaceBins *bins, double *field)
{
  for (int b = 0; b < bins->near.count; b++) {
    ptrdiff_t at = vl_blocks_field(bins->lattice->in->grid, bins->near.at[b]);
    for (int l = 0; l < LANES; l++) field[at + l] = 0.0;
  }
}

/* The eight cells around a place, and what falls to each. */
typedef struct Around {
  ptrdiff_t at[8];
  double weight[8];
} Around;

static Around around(const vlGrid *g, vlVec3 x)
{
  int lower[3];
  double upper[3];
  Around around;
  for (int a = 0; a < 3; a++) upper[a] = share(g, a, x.v[a], &lower[a]);
  for (int c = 0; c < 8; c++) {
    around.at[c] = vl_grid_at(g, lower[0], lower[1], lower[2]);
    around.weight[c] = 1.0;
    for (int a = 0; a < 3; a++) {
      bool up = c >> a & 1;
      around.weight[c] *= up ? upper[a] : 1.0 - upper[a];
      if (up && lower[a] + 1 < g->n[a]) around.at[c] += g->stride[a];
    }
  }
  return around;
}

void vl_surface_bins_add(const vlSurfaceBins *bins, double *field, vlVec3 x, double volume)
{
  Around to = around(bins->lattice->in->grid, x);
  for (int c = 0; c < 8; c++) field[to.at[c]] += to.weight[c] * volume;
}

double vl_surface_bins_at(const vlSurfaceBins *bins, vlVec3 x)
{
  Around from = around(bins->lattice->in->grid, x);
  double sum = 0.0;
  for (int c = 0; c < 8; c++) sum += from.weight[c] * bins->share[from.at[c]];
  return sum;
}

/* to = field and a quarter of the differences to both neighbours along an axis; nothing goes across the domain's sides. */
static void blur(const vlSurfaceBins *bins, const double *field, double *to, int axis)
{
  const vlGrid *g = bins->lattice->in->grid;
  ptrdiff_t stride = g->stride[axis];
#pragma omp parallel for schedule(static)
  for (int b = 0; b < bins->near.count; b++) {
    vlBlockPosition p = bins->near.at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int l = 0; l < vl_blocks_width(&bins->near, p); l++, at++) {
      int i = axis == 0 ? p.bx * LANES + l : axis == 1 ? p.j : p.k;
      double sum = 0.0;
      if (i > 0) sum += field[at - stride] - field[at];
      if (i < g->n[axis] - 1) sum += field[at + stride] - field[at];
      to[at] = field[at] + 0.25 * sum;
    }
  }
}

/* Once along each axis; field and to differ. */
static void blur_all(vlSurfaceBins *bins, const double *field, double *to)
{
  blur(bins, field, to, 0);
  blur(bins, to, bins->spare, 1);
  blur(bins, bins->spare, to, 2);
}

void vl_surface_bins_share(vlSurfaceBins *bins, double least)
{
  double *around = bins->around, *each = bins->each;
  blur_all(bins, bins->gain, around);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < bins->near.count; b++) {
    ptrdiff_t first = vl_blocks_field(bins->lattice->in->grid, bins->near.at[b]);
    for (ptrdiff_t at = first; at < first + LANES; at++)
      each[at] = bins->excess[at] * around[at] / (around[at] * around[at] + least * least);
  }
  blur_all(bins, each, bins->share);
}
