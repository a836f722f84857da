/* Nodal distances for the liquid's surface from a level set finer than the grid (liquid/fine.h).
 *
 * Inner nodes of the lattice are the level set's. The mesh passes only through cells on both sides of the surface, and
 * through cells of liquid that touch solids or the domain's sides; the node blocks around those are listed, so memory and
 * time follow the area of the mesh. Cells of one side that are neighbours and not near are on the same side: planes without
 * near cells are known from one cell.
 *
 * Facets between vertices on a bent surface sag, and phi is taken linearly along edges: both lose FACES h^2 (k1 + k2), with
 * h between nodes and k1 + k2 the divergence of the unit normal. The surface is drawn farther out by as much. At a node d
 * from the surface the divergence is that of a parallel surface; that of the surface itself is k/(1 - k d/2), exact for
 * balls. The mean over a node and those around it is taken, or ripples from node to node would be drawn twice as high. */
#include <stdlib.h>

#include "base/status.h"
#include "liquid/surface_lattice.h"

enum { LANES = VL_BLOCK };
static const float FAR = (float)VL_FINE_BAND; /* cells */
static const double WALL =
    1.2; /* cells: a cell whose centre is farther from solids touches none; half its diagonal is 0.87 */
static const double STEEP = 1.25;   /* a distance to solids changes by no more over a length of 1 */
static const double FACES = 0.1625; /* measured on balls and discs of 6 to 24 fine cells, which then lose nothing */
static const double MEET = 0.7;     /* of the square of a distance's slope: below, distances to two places are mixed */
static const double MOST = 0.5;     /* fine cells: the surface is drawn no farther out */
static const double BAND = 1.8,
                    FULL = 1.2; /* fine cells: nodes farther from the surface stay, nearer ones are wholly corrected */

/* Cells that the mesh may pass through. */
typedef struct Cells {
  vlBlocks blocks;  /* all that may hold some */
  float *wall;      /* cells: distance of centres to solids, at most FAR; compact */
  uint16_t *marked; /* a bit for each [blocks.count] */
} Cells;

/* FACES (k1 + k2) in fine cells, from the stencil of a node, or at the domain's sides from that of the next one inside; NAN
 * where distances to two sides of a sheet meet. */
static double sag(const vlFine *f, const int node[3], double phi)
{
  int p[3];
  for (int a = 0; a < 3; a++) {
    int last = f->nodes.n[a] - 2;
    p[a] = node[a] < 1 ? 1 : node[a] > last ? last : node[a];
  }
  ptrdiff_t at = vl_grid_at(&f->nodes, p[0], p[1], p[2]);
  const double *v = f->phi + at, scale = 1.0 / f->nodes.dx;
  const ptrdiff_t *s = f->nodes.stride;
  double g[3], second[3], bent = 0.0;
  for (int a = 0; a < 3; a++) {
    g[a] = 0.5 * scale * (v[s[a]] - v[-s[a]]);
    second[a] = scale * (v[s[a]] - 2.0 * v[0] + v[-s[a]]);
  }
  double squared = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  if (squared < MEET) return NAN;
  for (int a = 0; a < 3; a++) {
    ptrdiff_t up = s[a], side = s[(a + 1) % 3];
    double mixed = 0.25 * scale * (v[up + side] - v[up - side] - v[side - up] + v[-up - side]);
    bent += (squared - g[a] * g[a]) * second[a] - 2.0 * g[a] * g[(a + 1) % 3] * mixed;
  }
  double k = bent / (squared * sqrt(squared)), at_surface = k / fmax(1.0 - 0.5 * k * phi, 0.25);
  return MOST * tanh(FACES * at_surface / MOST);
}

/* Distance to the surface at a fine node, in cells. */
static float liquid_at(const vlFine *f, const int p[3])
{
  int cell[3];
  bool near = false;
  for (int a = 0; a < 3; a++) {
    int c = p[a] / f->refine, last = f->grid->n[a] - 1;
    cell[a] = c < last ? c : last;
  }
  for (int corner = 0; corner < 8 && !near; corner++) {
    int c[3];
    bool there = true;
    for (int a = 0; a < 3; a++) {
      c[a] = cell[a] - (corner >> a & 1);
      there = there && (c[a] == cell[a] || (c[a] >= 0 && p[a] == f->refine * cell[a]));
    }
    near = there && vl_fine_is_near(f, c[0], c[1], c[2]);
  }
  if (!near) return f->side[vl_grid_at(f->grid, cell[0], cell[1], cell[2])] < 0.0 ? -FAR : FAR;
  return (float)(f->phi[vl_grid_at(&f->nodes, p[0], p[1], p[2])] / f->grid->dx);
}

/* Distance from a cell's centre to solids, at most FAR. */
static float wall_at(const vlSurfaceInput *in, const int cell[3])
{
  const vlGrid *g = in->grid;
  if (!in->solid) return FAR;
  bool whole = in->open != NULL, closed = in->open != NULL;
  for (int i = 0; i < 27 && in->open; i++) {
    int at[3] = {cell[0] + i % 3 - 1, cell[1] + i / 3 % 3 - 1, cell[2] + i / 9 - 1};
    if (!vl_grid_holds(g, at)) continue;
    double open = in->open[vl_grid_at(g, at[0], at[1], at[2])];
    whole = whole && open >= 1.0;
    closed = closed && open <= 0.0;
  }
  if (whole || closed) return whole ? FAR : -FAR;
  double d = -vl_surface_lattice_solid(in, (double[]){cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5});
  return (float)fmin(fmax(d, -(double)FAR), (double)FAR);
}

/* Blocks of cells that are near, or deep where liquid may end. */
static vlCode list_cells(Cells *cells, const vlSurfaceInput *in, vlStatus *status)
{
  const vlFine *f = in->fine;
  vlBlocks *blocks = &cells->blocks;
  const int *n = in->grid->n;
  vlCode code = vl_blocks_create(blocks, n, status);
  if (code) return code;
  bool ok = true;
  vl_blocks_begin(blocks);
  for (int k = 0; k < n[2]; k++) {
    bool near = f->band.plane_start[k + 1] > f->band.plane_start[k];
    if (!near && !(f->side[vl_grid_at(in->grid, 0, 0, k)] < 0.0)) continue;
    for (int j = 0; j < n[1]; j++) {
      bool ends = in->solid || j == 0 || k == 0 || j == n[1] - 1 || k == n[2] - 1;
      for (int bx = 0; bx < blocks->columns; bx++) {
        bool deep = (ends || bx == 0 || bx == blocks->columns - 1) && f->side[vl_grid_at(in->grid, bx * LANES, j, k)] < 0.0;
        if (deep || (near && vl_blocks_find(&f->band, bx, j, k) >= 0)) ok = ok && vl_blocks_append(blocks, bx, j, k);
      }
    }
  }
  vl_blocks_end(blocks);
  cells->wall = malloc(((size_t)blocks->count * LANES + 1) * sizeof *cells->wall);
  cells->marked = malloc(((size_t)blocks->count + 1) * sizeof *cells->marked);
  return ok && cells->wall && cells->marked ? VL_OK
                                            : vl_fail_memory(status, sizeof(vlBlockPosition), "the liquid's surface");
}

static void cells_clear(Cells *cells)
{
  vl_blocks_clear(&cells->blocks);
  free(cells->wall);
  free(cells->marked);
}

/* Extremes of phi over a cell's nodes, in fine cells. */
static void extremes(const vlFine *f, const int cell[3], double *lo, double *hi)
{
  int r = f->refine;
  *lo = INFINITY;
  *hi = -INFINITY;
  for (int n = 0; n <= r; n++)
    for (int m = 0; m <= r; m++) {
      const double *row = f->phi + vl_fine_node(f, cell, 0, m, n);
      for (int l = 0; l <= r; l++) {
        *lo = row[l] < *lo ? row[l] : *lo;
        *hi = row[l] > *hi ? row[l] : *hi;
      }
    }
  *lo /= f->nodes.dx;
  *hi /= f->nodes.dx;
}

/* Whether the mesh may pass through a cell; nothing else may have nodes inside next to others outside. */
static bool may_pass(const vlSurfaceInput *in, const int cell[3], float wall)
{
  const vlFine *f = in->fine;
  bool ends = fabsf(wall) < (float)WALL;
  for (int a = 0; a < 3; a++) ends = ends || cell[a] == 0 || cell[a] == in->grid->n[a] - 1;
  if (wall <= -(float)WALL) return false;
  if (!vl_fine_is_near(f, cell[0], cell[1], cell[2]))
    return ends && f->side[vl_grid_at(in->grid, cell[0], cell[1], cell[2])] < 0.0;
  double lo, hi;
  extremes(f, cell, &lo, &hi);
  return lo < MOST && (ends || hi > -MOST);
}

static void mark_cells(Cells *cells, const vlSurfaceInput *in)
{
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < cells->blocks.count; b++) {
    vlBlockPosition p = cells->blocks.at[b];
    cells->marked[b] = 0;
    for (int l = 0; l < LANES; l++) {
      int cell[3] = {p.bx * LANES + l, p.j, p.k};
      float *wall = &cells->wall[(size_t)b * LANES + (size_t)l];
      *wall = FAR;
      if (cell[0] >= in->grid->n[0]) continue;
      bool liquid =
          vl_fine_is_near(in->fine, cell[0], p.j, p.k) || in->fine->side[vl_grid_at(in->grid, cell[0], p.j, p.k)] < 0.0;
      if (!liquid) continue;
      *wall = wall_at(in, cell);
      cells->marked[b] |= (uint16_t)(may_pass(in, cell, *wall) << l);
    }
  }
}

/* The last node around a cell of n. The first is r c: cubes on either side of the cell's sides, where edges may be crossed.
 */
static int last_node(int cell, int r, int n) { return r * cell + r + (cell < n - 1 ? 1 : 2); }

/* Node columns of the marked cells of a row of cells. */
static void add_columns(const vlBlocks *blocks, const uint16_t *marked, int j, int k, int r, unsigned char *column)
{
  int lo = blocks->plane_start[k], hi = blocks->plane_start[k + 1];
  while (lo < hi) { /* the row's first block */
    int middle = (lo + hi) / 2;
    if (blocks->at[middle].j < j)
      lo = middle + 1;
    else
      hi = middle;
  }
  for (int b = lo; b < blocks->plane_start[k + 1] && blocks->at[b].j == j; b++)
    for (int l = 0; l < LANES && marked[b]; l++) {
      if (!(marked[b] >> l & 1)) continue;
      int cell = blocks->at[b].bx * LANES + l, last = last_node(cell, r, blocks->n[0]);
      for (int c = r * cell / LANES; c <= last / LANES; c++) column[c] = 1;
    }
}

/* The one or two cells that a node is around. */
static int cells_around(int node, int r, int n, int cell[2])
{
  int count = 0;
  for (int c = node / r < n ? node / r : n - 1; c >= 0 && node <= last_node(c, r, n) && count < 2; c--) cell[count++] = c;
  return count;
}

/* Lists the node blocks around marked cells. */
static vlCode list_nodes(vlSurfaceLattice *lattice, const Cells *cells, vlStatus *status)
{
  vlBlocks *nodes = &lattice->nodes;
  const vlBlocks *blocks = &cells->blocks;
  const int *n = lattice->in->grid->n, r = lattice->in->refine;
  vlCode code = vl_blocks_create(nodes, (int[]){r * n[0] + 3, r * n[1] + 3, r * n[2] + 3}, status);
  if (code) return code;
  unsigned char *column = calloc((size_t)nodes->columns + 1, 1);
  bool ok = column != NULL;
  for (int k = 0; k < nodes->n[2] && ok; k++) {
    int planes[2], plane_count = cells_around(k, r, n[2], planes), any = 0;
    for (int s = 0; s < plane_count; s++) any += blocks->plane_start[planes[s] + 1] - blocks->plane_start[planes[s]];
    for (int j = 0; j < nodes->n[1] && any; j++) {
      int rows[2], row_count = cells_around(j, r, n[1], rows);
      for (int s = 0; s < plane_count; s++)
        for (int t = 0; t < row_count; t++) add_columns(blocks, cells->marked, rows[t], planes[s], r, column);
      for (int c = 0; c < nodes->columns; c++) {
        if (column[c]) ok = ok && vl_blocks_append(nodes, c, j, k);
        column[c] = 0;
      }
    }
  }
  vl_blocks_end(nodes);
  free(column);
  return ok ? VL_OK : vl_fail_memory(status, sizeof(vlBlockPosition) * (size_t)nodes->count, "the liquid's surface");
}

/* Minus the distance to solids at a fine node in cells; asked only where it may be small, bounded elsewhere. */
static float solid_at(const vlSurfaceInput *in, const Cells *cells, const int p[3])
{
  int cell[3], r = in->refine;
  double x[3], squared = 0.0;
  for (int a = 0; a < 3; a++) {
    int c = p[a] / r, last = in->grid->n[a] - 1;
    cell[a] = c < last ? c : last;
    x[a] = in->grid->n[a] == 1 ? 0.5 : p[a] / (double)r;
    squared += (x[a] - cell[a] - 0.5) * (x[a] - cell[a] - 0.5);
  }
  int block = vl_blocks_find(&cells->blocks, cell[0] / LANES, cell[1], cell[2]);
  if (block < 0) return -FAR;
  float wall = cells->wall[(size_t)block * LANES + (size_t)(cell[0] % LANES)];
  bool far = (double)fabsf(wall) - STEEP * sqrt(squared) > 2.0 / r || wall >= FAR || wall <= -FAR;
  return far ? -wall : (float)vl_surface_lattice_solid(in, x);
}

static void sample_block(vlSurfaceLattice *lattice, const Cells *cells, int block)
{
  vlBlockPosition at = lattice->nodes.at[block];
  float *liquid = lattice->liquid + (size_t)block * LANES, *solid = lattice->solid + (size_t)block * LANES;
  for (int l = 0; l < LANES; l++) {
    int node[3] = {at.bx * LANES + l, at.j, at.k}, p[3] = {node[0] - 1, node[1] - 1, node[2] - 1};
    liquid[l] = FAR;
    solid[l] = -FAR;
    if (vl_surface_lattice_beyond(lattice, node)) continue;
    liquid[l] = liquid_at(lattice->in->fine, p);
    if (lattice->in->solid) solid[l] = solid_at(lattice->in, cells, p);
  }
}

static bool is_near(const vlSurfaceLattice *lattice, const int node[3], size_t at)
{
  return fabs((double)lattice->liquid[at]) * lattice->in->refine < BAND && !vl_surface_lattice_beyond(lattice, node);
}

/* A node in liquid between two in air, a and b from the surface, in a sheet: its middle may lie on either side of the node,
 * and on that side phi is not linear along the edge. The liquid ends 1 - a/s from the node, s the slope farther out, so both
 * edges together hold T = 2 - a/s - b/s of it; with a depth f of the node they hold f/(f + a) + f/(f + b). */
static double depth_between(double a, double b, double slope_a, double slope_b)
{
  double up = 1.0 - a / fmin(fmax(slope_a, 0.05), 1.0), down = 1.0 - b / fmin(fmax(slope_b, 0.05), 1.0);
  double T = fmin(fmax(up, 0.0) + fmax(down, 0.0), 1.9), half = 0.5 * (a + b) * (1.0 - T);
  return (sqrt(half * half + T * (2.0 - T) * a * b) - half) / (2.0 - T);
}

/* phi of a node in a sheet, deeper where one node is all there is across it along axes: the mean over these. */
static double deepen(const vlFine *f, const int p[3], double phi)
{
  const double *v = f->phi + vl_grid_at(&f->nodes, p[0], p[1], p[2]), scale = 1.0 / f->nodes.dx;
  double depth = 0.0, squared = 0.0;
  int count = 0;
  for (int a = 0; a < 3; a++) {
    ptrdiff_t s = f->nodes.stride[a];
    if (p[a] < 1 || p[a] > f->nodes.n[a] - 2) continue;
    squared += 0.25 * scale * scale * (v[s] - v[-s]) * (v[s] - v[-s]);
    if (p[a] < 2 || p[a] > f->nodes.n[a] - 3 || v[s] < 0.0 || v[-s] < 0.0) continue;
    depth += depth_between(scale * v[s], scale * v[-s], scale * (v[2 * s] - v[s]), scale * (v[-2 * s] - v[-s]));
    count++;
  }
  double t = fmin(fmax((MEET - squared) / 0.3, 0.0), 1.0), more = count ? fmax(depth / count + phi, 0.0) : 0.0;
  return phi - t * t * (3.0 - 2.0 * t) * more;
}

/* What nodes near the surface lose, in fine cells; NAN where it is not known. */
static void sag_block(const vlSurfaceLattice *lattice, int block, float *lost)
{
  vlBlockPosition at = lattice->nodes.at[block];
  for (int l = 0; l < LANES; l++) {
    int node[3] = {at.bx * LANES + l, at.j, at.k}, p[3] = {node[0] - 1, node[1] - 1, node[2] - 1};
    size_t i = (size_t)block * LANES + (size_t)l;
    lost[i] =
        is_near(lattice, node, i) ? (float)sag(lattice->in->fine, p, (double)lattice->liquid[i] * lattice->in->refine) : NAN;
  }
}

/* Its mean over a node and those around it that have one, binomial weights. */
static double mean_around(const vlSurfaceLattice *lattice, const int node[3], const float *lost)
{
  double sum = 0.0, weights = 0.0;
  for (int row = 0; row < 9; row++) {
    int from[3] = {node[0] - 1, node[1] + row % 3 - 1, node[2] + row / 3 - 1};
    double across = (row % 3 == 1 ? 2.0 : 1.0) * (row / 3 == 1 ? 2.0 : 1.0);
    for (int i = 0; i < 3; i++, from[0]++) {
      ptrdiff_t at = vl_surface_lattice_find(lattice, from);
      if (at < 0 || isnan(lost[at])) continue;
      double w = i == 1 ? 2.0 * across : across;
      sum += w * (double)lost[at];
      weights += w;
    }
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

static void move_block(vlSurfaceLattice *lattice, int block, const float *lost)
{
  vlBlockPosition at = lattice->nodes.at[block];
  for (int l = 0; l < LANES; l++) {
    size_t i = (size_t)block * LANES + (size_t)l;
    int node[3] = {at.bx * LANES + l, at.j, at.k};
    if (!is_near(lattice, node, i)) continue;
    double phi = (double)lattice->liquid[i] * lattice->in->refine, t = fmin((BAND - fabs(phi)) / (BAND - FULL), 1.0);
    double out = t * t * (3.0 - 2.0 * t) * mean_around(lattice, node, lost);
    if (phi < 0.0) phi = deepen(lattice->in->fine, (int[]){node[0] - 1, node[1] - 1, node[2] - 1}, phi);
    lattice->liquid[i] = (float)((phi - out) / lattice->in->refine);
  }
}

/* Draws the surface farther out by what bent surfaces lose. */
static vlCode move_out(vlSurfaceLattice *lattice, vlStatus *status)
{
  size_t length = (size_t)lattice->nodes.count * LANES;
  float *lost = malloc((length + 1) * sizeof *lost);
  if (!lost) return vl_fail_memory(status, length * sizeof *lost, "the liquid's surface");
#pragma omp parallel for schedule(dynamic, 16)
  for (int b = 0; b < lattice->nodes.count; b++) sag_block(lattice, b, lost);
#pragma omp parallel for schedule(dynamic, 16)
  for (int b = 0; b < lattice->nodes.count; b++) move_block(lattice, b, lost);
  free(lost);
  return VL_OK;
}

/* No mesh passes: its nodes are alike, and none of them is inside where some lie beyond the domain. */
uint16_t vl_surface_fine_inside(const vlSurfaceLattice *lattice, int bx, int j, int k)
{
  const vlSurfaceInput *in = lattice->in;
  int last[3] = {bx * LANES + LANES - 1, j, k}, p[3] = {bx * LANES - 1, j - 1, k - 1}, cell[3];
  if (vl_surface_lattice_beyond(lattice, (int[]){bx * LANES, j, k}) || vl_surface_lattice_beyond(lattice, last)) return 0;
  if (liquid_at(in->fine, p) >= 0.0f) return 0;
  if (!in->solid) return 0xffff;
  for (int a = 0; a < 3; a++) {
    int c = p[a] / in->refine, most = in->grid->n[a] - 1;
    cell[a] = c < most ? c : most;
  }
  bool open = in->open ? in->open[vl_grid_at(in->grid, cell[0], cell[1], cell[2])] > 0.5
                       : vl_surface_lattice_solid(in, (double[]){cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5}) < 0.0;
  return open ? 0xffff : 0;
}

vlCode vl_surface_lattice_sample_fine(vlSurfaceLattice *lattice, vlStatus *status)
{
  Cells cells = {0};
  vlCode code = list_cells(&cells, lattice->in, status);
  if (!code) mark_cells(&cells, lattice->in);
  if (!code) code = list_nodes(lattice, &cells, status);
  if (!code) code = vl_surface_lattice_reserve(lattice, status);
  if (!code) {
#pragma omp parallel for schedule(dynamic, 16)
    for (int b = 0; b < lattice->nodes.count; b++) sample_block(lattice, &cells, b);
    code = move_out(lattice, status);
  }
  cells_clear(&cells);
  return code;
}
