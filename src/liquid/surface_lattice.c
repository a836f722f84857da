/* Nodal distances for the liquid's surface, from particles; those from a finer level set: surface_fine.c.
 *
 * Cells are known as occupied (hold particles), air (open, no particles) or cut by solids. A node whose kernel reaches no
 * occupied cell is out of the liquid, one that reaches occupied cells but no air is deep inside; all others get the
 * calibrated distance from particles. Both shortcuts only save work: they agree in sign with what they replace, so nothing
 * switches. Node blocks are listed around the cell blocks that have a mixed neighbourhood; the rest of space costs nothing.
 *
 * Inside solids, where there is nothing to average, the distance is that of the nearest point of the solid's surface.
 * Last, surface_bend.c corrects the distances over curved surfaces and smooths them. */
#include "liquid/surface_lattice.h"

#include <stdlib.h>

#include "base/status.h"
#include "liquid/particles.h"

enum { LANES = VL_BLOCK, REACH = 2, HALF = 8 };
static const double SLIVER = 0.05; /* cells less open than this need not hold particles to be full */
/* Of the liquid under a flat surface: below THIN it is a sheet or drops, from THICK on it is not. */
static const double THIN = 0.3, THICK = 0.6;
static const double FAT = 0.12;  /* cells: sheets and drops half a cell wide are drawn wider, so that half cells see them */
static const double SEEN = 0.65; /* cells: they end so far from a particle */
static const float FAR = (float)VL_KERNEL_RADIUS;

/* A bit for each cell of a block. */
typedef struct Cells {
  uint16_t occupied, air, cut;
} Cells;

/* The same for the 48 cells of a block column and its two neighbours, united over some rows. */
typedef struct Window {
  uint64_t occupied, air, cut, beyond;
} Window;

typedef struct Near {
  vlBlocks blocks; /* cell blocks within REACH of particles */
  Cells *cells;    /* [blocks.count] */
} Near;

static int floor_div(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

static Cells cells_of(const vlSurfaceInput *in, vlBlockPosition p)
{
  Cells c = {0};
  int block = vl_blocks_find(&in->particles->home, p.bx, p.j, p.k);
  ptrdiff_t at = vl_blocks_field(in->grid, p);
  for (int l = 0; l < LANES && p.bx * LANES + l < in->grid->n[0]; l++) {
    int first = 0, last = 0;
    if (block >= 0) vl_particles_in(in->particles, block, l, l + 1, &first, &last);
    double open = in->open ? in->open[at + l] : 1.0;
    c.occupied |= (uint16_t)((last > first) << l);
    c.air |= (uint16_t)((last == first && open > SLIVER) << l);
    c.cut |= (uint16_t)((in->solid && (!in->open || open < 1.0)) << l);
  }
  return c;
}

static vlCode near_create(Near *near, const vlSurfaceInput *in, vlStatus *status)
{
  vlCode code = vl_blocks_create(&near->blocks, in->grid->n, status);
  if (!code) code = vl_wet_around(in->particles, NULL, 0, in->grid, REACH, &near->blocks, status);
  if (code) return code;
  near->cells = malloc(((size_t)near->blocks.count + 1) * sizeof *near->cells);
  if (!near->cells) return vl_fail_memory(status, (size_t)near->blocks.count * sizeof *near->cells, "the liquid's surface");
#pragma omp parallel for schedule(static)
  for (int b = 0; b < near->blocks.count; b++) near->cells[b] = cells_of(in, near->blocks.at[b]);
  return VL_OK;
}

static void near_clear(Near *near)
{
  vl_blocks_clear(&near->blocks);
  free(near->cells);
}

/* Unites rows j0..j1, k0..k1 around block column bx. */
static Window unite(const Near *near, int bx, int j0, int j1, int k0, int k1)
{
  const vlBlocks *b = &near->blocks;
  Window w = {0};
  for (int d = -1; d <= 1; d++) {
    int shift = (d + 1) * LANES, cells = b->n[0] - (bx + d) * LANES; /* cells from here to the domain's upper side */
    uint64_t valid = bx + d < 0 || cells <= 0 ? 0 : cells >= LANES ? 0xffff : (UINT64_C(1) << cells) - 1;
    w.beyond |= (valid ^ 0xffff) << shift;
    if (!valid) continue;
    for (int k = k0; k <= k1; k++)
      for (int j = j0; j <= j1; j++) {
        if (j < 0 || k < 0 || j >= b->n[1] || k >= b->n[2]) {
          w.beyond |= valid << shift;
          continue;
        }
        int at = vl_blocks_find(b, bx + d, j, k);
        Cells c = {.air = (uint16_t)valid};
        if (at >= 0) c = near->cells[at];
        w.occupied |= (uint64_t)c.occupied << shift;
        w.air |= (uint64_t)c.air << shift;
        w.cut |= (uint64_t)c.cut << shift;
      }
  }
  return w;
}

/* Marks the node blocks that hold a corner of a cube at a node of this cell block. */
static void mark_nodes(vlBlocks *nodes, vlBlockPosition p, int r)
{
  int lo[3] = {p.bx * LANES * r, p.j * r, p.k * r}, size[3] = {LANES, 1, 1};
  int hi[3];
  for (int a = 0; a < 3; a++) {
    int last = lo[a] + size[a] * r + 2;
    hi[a] = last < nodes->n[a] ? last : nodes->n[a] - 1;
  }
  for (int k = lo[2]; k <= hi[2]; k++)
    for (int j = lo[1]; j <= hi[1]; j++)
      for (int bx = lo[0] / LANES; bx <= hi[0] / LANES; bx++) nodes->map[vl_blocks_place(nodes, bx, j, k)] = 1;
}

/* Lists the node blocks around all cell blocks whose neighbourhood is not wholly full. */
static vlCode list_nodes(vlSurfaceLattice *lattice, const Near *near, vlStatus *status)
{
  const vlBlocks *b = &near->blocks;
  vlBlocks *nodes = &lattice->nodes;
  int r = lattice->in->refine, n[3];
  for (int a = 0; a < 3; a++) n[a] = r * b->n[a] + 3;
  vlCode code = vl_blocks_create(nodes, n, status);
  unsigned char *mixed = malloc((size_t)b->count + 1);
  bool ok = mixed != NULL;
  if (ok && !code) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = 0; i < b->count; i++) {
      vlBlockPosition p = b->at[i];
      Window w = unite(near, p.bx, p.j - REACH, p.j + REACH, p.k - REACH, p.k + REACH);
      mixed[i] = (w.air | w.cut | w.beyond) != 0;
    }
    for (int i = 0; i < b->count; i++)
      if (mixed[i]) mark_nodes(nodes, b->at[i], r);
    for (int k = b->count ? r * b->at[0].k : n[2]; k < n[2] && k <= r * (b->at[b->count - 1].k + 1) + 2; k++)
      for (int j = 0; j < n[1]; j++)
        for (int bx = 0; bx < nodes->columns; bx++)
          if (nodes->map[vl_blocks_place(nodes, bx, j, k)]) ok = vl_blocks_append(nodes, bx, j, k) && ok;
    vl_blocks_end(nodes);
  }
  free(mixed);
  return code ? code
         : ok ? VL_OK
              : vl_fail_memory(status, sizeof(vlBlockPosition) * (size_t)b->count, "the liquid's surface");
}

/* Sums of the kernel over particles at the nodes of a block: [moment x, y, z, mass][lane]; [4]: the largest 1 - d^2/R^2. */
typedef struct Sums {
  _Alignas(32) float at[5][LANES];
} Sums;

/* Adds one particle at (dx, dy, dz) from the block's first node, whose nodes are h apart, to the half block from lane `from`
 * on. */
static inline void add_particle(Sums *sums, int from, float h, float dx, float dy, float dz, float across)
{
  float *mx = sums->at[0] + from, *my = sums->at[1] + from, *mz = sums->at[2] + from, *m = sums->at[3] + from,
        *near = sums->at[4] + from;
  const float scale = 1.0f / (float)(VL_KERNEL_RADIUS * VL_KERNEL_RADIUS);
#pragma omp simd
  for (int l = 0; l < HALF; l++) {
    float d = dx - h * (float)l, u = 1.0f - scale * (d * d + across);
    u = 0.5f * (u + fabsf(u)); /* max(u, 0) without a branch */
    float w = u * u * u;
    near[l] = near[l] > u ? near[l] : u;
    mx[l] += w * d;
    my[l] += w * dy;
    mz[l] += w * dz;
    m[l] += w;
  }
}

/* Particles of the cells lo..hi of a row. x: of the block's first node. */
static void add_row(const vlParticles *p, int lo, int hi, int j, int k, const double x[3], float h, Sums *sums)
{
  const float R = FAR, half = h * (HALF - 1);
  for (int bx = lo / LANES; bx <= hi / LANES; bx++) {
    int block = vl_blocks_find(&p->home, bx, j, k), start = bx * LANES, first, last;
    if (block < 0) continue;
    vl_particles_in(p, block, lo > start ? lo - start : 0, hi < start + LANES - 1 ? hi - start + 1 : LANES, &first, &last);
    for (int i = first; i < last; i++) {
      float dy = p->x[1][i] - (float)x[1], dz = p->x[2][i] - (float)x[2], across = dy * dy + dz * dz;
      float dx = (float)((double)p->x[0][i] - x[0]);
      if (dx < half + R) add_particle(sums, 0, h, dx, dy, dz, across);
      if (dx > h * HALF - R) add_particle(sums, HALF, h, dx - h * HALF, dy, dz, across);
    }
  }
}

/* Cells that the kernel reaches from a to b along an axis, within the domain. */
static void reach(const vlGrid *g, int axis, double a, double b, int *lo, int *hi)
{
  int first = (int)floor(a - VL_KERNEL_RADIUS), last = (int)ceil(b + VL_KERNEL_RADIUS) - 1;
  *lo = g->n[axis] == 1 || first < 0 ? 0 : first;
  *hi = last < g->n[axis] ? last : g->n[axis] - 1;
}

/* Nodes of a block in terms of their surroundings, a bit each. */
typedef struct Kinds {
  uint16_t reached; /* has occupied cells in its kernel */
  uint16_t mixed;   /* and air */
  uint16_t cut;     /* and solids */
  uint16_t beyond;  /* out of the domain */
  bool bounded;     /* some kernel may leave the open space */
} Kinds;

static Kinds kinds_of(const vlSurfaceLattice *lattice, const Near *near, vlBlockPosition p)
{
  int r = lattice->in->refine, bx = p.bx / r, row[2] = {p.j - 1, p.k - 1}, lo[2], hi[2];
  for (int a = 0; a < 2; a++) {
    lo[a] = floor_div(row[a], r) - REACH;
    hi[a] = -floor_div(-row[a], r) + REACH - 1;
  }
  Window w = unite(near, bx, lo[0], hi[0], lo[1], hi[1]);
  Kinds kinds = {.bounded = (w.beyond | w.cut) != 0 || lattice->in->open};
  for (int l = 0; l < LANES; l++) {
    int node[3] = {p.bx * LANES + l, p.j, p.k}, i = node[0] - 1, base = (bx - 1) * LANES;
    int first = floor_div(i, r) - REACH - base, last = -floor_div(-i, r) + REACH - 1 - base;
    uint64_t cells = ((UINT64_C(1) << (last - first + 1)) - 1) << first;
    uint16_t bit = (uint16_t)(1 << l);
    if (vl_surface_lattice_beyond(lattice, node)) kinds.beyond |= bit;
    if (!(w.occupied & cells)) continue;
    kinds.reached |= bit;
    if (w.air & cells) kinds.mixed |= bit;
    if (w.cut & cells) kinds.cut |= bit;
  }
  return kinds;
}

/* Place of a node in cells; across the one cell of a slab its middle. */
static void node_place(const vlSurfaceLattice *lattice, const int node[3], double x[3])
{
  for (int a = 0; a < 3; a++) x[a] = lattice->in->grid->n[a] == 1 ? 0.5 : (node[a] - 1) / (double)lattice->in->refine;
}

double vl_surface_lattice_solid(const vlSurfaceInput *in, const double x[3])
{
  const vlGrid *g = in->grid;
  vlVec3 place;
  for (int a = 0; a < 3; a++) place.v[a] = g->origin.v[a] + x[a] * g->dx;
  return -in->solid(in->solid_data, place) / g->dx;
}

/* Distance to the free surface from a node at depth s inside a solid: that of the nearest point out of it. */
static double distance_in_solid(const vlSurfaceInput *in, double x[3], double s)
{
  vlVec3 slope = vl_vec(0, 0, 0);
  for (int a = 0; a < 3; a++) {
    double step = 0.1, y[3] = {x[0], x[1], x[2]};
    if (in->grid->n[a] == 1) continue;
    y[a] += step;
    double upper = vl_surface_lattice_solid(in, y);
    y[a] -= 2.0 * step;
    slope.v[a] = upper - vl_surface_lattice_solid(in, y);
  }
  slope = vl_unit(slope);
  for (int a = 0; a < 3; a++) {
    x[a] -= s * slope.v[a];
    x[a] = x[a] < 0.0 ? 0.0 : x[a] > in->grid->n[a] ? in->grid->n[a] : x[a];
  }
  return vl_kernel_distance(in->kernel, in->grid, in->particles, in->open, x);
}

/* Part of the kernel's mass below a flat surface that lies h below the point. */
static double part_below(double h)
{
  double t = fmin(fmax(h / VL_KERNEL_RADIUS, -1.0), 1.0), q = t * t;
  double sum = t * (1.0 + q * (-4.0 / 3.0 + q * (6.0 / 5.0 + q * (-4.0 / 7.0 + q / 9.0))));
  return 0.5 - 0.5 * sum / (128.0 / 315.0);
}

/* Where there is far less liquid than a flat surface at this height would have below it, there are sheets and drops: they
 * are made fat enough for the lattice to see them all, and reach no farther from their particles than that. What becomes of
 * their volume: surface_hold.c. */
static double see_thin(const vlSurfaceInput *in, double h, double mass, double closed, double nearest)
{
  if (in->per_cell <= 0.0) return h;
  double space = fmax(in->kernel->full - closed, 0.05 * in->kernel->full), part = mass / (in->per_cell * space);
  double t = fmin(fmax((part / (part_below(h) + 0.02) - THIN) / (THICK - THIN), 0.0), 1.0);
  double thin = 1.0 - t * t * (3.0 - 2.0 * t), fat = h - FAT * thin;
  return fat + thin * fmax(0.0, nearest - SEEN - fat);
}

/* Distances at the nodes of a block. */
static void sample_block(vlSurfaceLattice *lattice, const Near *near, int block)
{
  const vlSurfaceInput *in = lattice->in;
  vlBlockPosition p = lattice->nodes.at[block];
  Kinds kinds = kinds_of(lattice, near, p);
  float *liquid = lattice->liquid + (size_t)block * LANES, *solid = lattice->solid + (size_t)block * LANES;
  int first = LANES, last = -1;
  for (int l = 0; l < LANES; l++) {
    bool deep = kinds.reached >> l & 1;
    double x[3];
    liquid[l] = deep ? -FAR : FAR;
    solid[l] = -FAR;
    if (kinds.beyond >> l & 1) continue;
    node_place(lattice, (int[3]){p.bx * LANES + l, p.j, p.k}, x);
    if (kinds.cut >> l & 1) solid[l] = (float)vl_surface_lattice_solid(in, x);
    if (!(kinds.mixed >> l & 1)) continue;
    if (solid[l] > 0.0f) {
      liquid[l] = solid[l] < FAR ? (float)distance_in_solid(in, x, (double)solid[l]) : FAR;
      continue;
    }
    first = l < first ? l : first;
    last = l;
  }
  if (first > last) return;
  double x0[3], h = in->grid->n[0] == 1 ? 0.0 : 1.0 / in->refine;
  node_place(lattice, (int[3]){p.bx * LANES, p.j, p.k}, x0);
  int lo[3], hi[3];
  Sums sums = {0};
  for (int a = 0; a < 3; a++)
    reach(in->grid, a, x0[a] + (a == 0 ? first * h : 0.0), x0[a] + (a == 0 ? last * h : 0.0), &lo[a], &hi[a]);
  for (int k = lo[2]; k <= hi[2]; k++)
    for (int j = lo[1]; j <= hi[1]; j++) add_row(in->particles, lo[0], hi[0], j, k, x0, (float)h, &sums);
  for (int l = first; l <= last; l++) {
    if (!(kinds.mixed >> l & 1) || (kinds.beyond >> l & 1) || solid[l] > 0.0f) continue;
    double moment[4], closed[4] = {0}, x[3];
    for (int a = 0; a < 4; a++) moment[a] = (double)sums.at[a][l];
    node_place(lattice, (int[3]){p.bx * LANES + l, p.j, p.k}, x);
    if (kinds.bounded) vl_kernel_solid(in->grid, in->open, x, closed);
    double nearest = VL_KERNEL_RADIUS * sqrt(1.0 - (double)sums.at[4][l]);
    liquid[l] = (float)see_thin(in, vl_kernel_resolve(in->kernel, moment, closed), moment[3], closed[3], nearest);
  }
}

double vl_surface_lattice_liquid(const vlSurfaceLattice *lattice, const int node[3], const int cells[3])
{
  int to[3];
  for (int a = 0; a < 3; a++) {
    int i = node[a] + cells[a] * lattice->in->refine, last = lattice->nodes.n[a] - 2;
    to[a] = i < 1 ? 1 : i > last ? last : i;
  }
  ptrdiff_t at = vl_surface_lattice_find(lattice, to);
  if (at >= 0) return (double)lattice->liquid[at];
  bool in = vl_surface_lattice_inside(lattice, to[0] / LANES, to[1], to[2]) >> to[0] % LANES & 1;
  return in ? -VL_KERNEL_RADIUS : VL_KERNEL_RADIUS;
}

/* Nodes beyond the domain continue the nearest one inside; then the bits. */
static void finish_block(vlSurfaceLattice *lattice, int block)
{
  vlBlockPosition p = lattice->nodes.at[block];
  uint16_t inside = 0;
  for (int l = 0; l < LANES; l++) {
    size_t at = (size_t)block * LANES + (size_t)l;
    int node[3] = {p.bx * LANES + l, p.j, p.k};
    if (vl_surface_lattice_beyond(lattice, node))
      lattice->liquid[at] = (float)vl_surface_lattice_liquid(lattice, node, (int[3]){0, 0, 0});
    else if (lattice->liquid[at] < 0.0f && lattice->solid[at] < 0.0f)
      inside |= (uint16_t)(1 << l);
  }
  lattice->inside[block] = inside;
}

uint16_t vl_surface_lattice_inside(const vlSurfaceLattice *lattice, int bx, int j, int k)
{
  int block = vl_blocks_find(&lattice->nodes, bx, j, k);
  if (block >= 0) return lattice->inside[block];
  if (lattice->in->fine) return vl_surface_fine_inside(lattice, bx, j, k);
  /* all deep or all out: the cell above a node tells */
  const vlParticles *particles = lattice->in->particles;
  const int *n = lattice->in->grid->n;
  uint16_t inside = 0;
  for (int l = 0; l < LANES; l++) {
    int node[3] = {bx * LANES + l, j, k}, cell[3];
    if (vl_surface_lattice_beyond(lattice, node)) continue;
    for (int a = 0; a < 3; a++) {
      int c = (node[a] - 1) / lattice->in->refine;
      cell[a] = c < n[a] ? c : n[a] - 1;
    }
    inside |= (uint16_t)((vl_particles_in_cell(particles, cell) > 0) << l);
  }
  return inside;
}

vlCode vl_surface_lattice_reserve(vlSurfaceLattice *lattice, vlStatus *status)
{
  int blocks = lattice->nodes.count;
  size_t length = (size_t)blocks * LANES + 1;
  lattice->liquid = malloc(length * sizeof(float));
  lattice->solid = malloc(length * sizeof(float));
  lattice->inside = malloc(((size_t)blocks + 1) * sizeof(uint16_t));
  if (lattice->liquid && lattice->solid && lattice->inside) return VL_OK;
  return vl_fail_memory(status, 2 * length * sizeof(float), "the liquid's surface");
}

static vlCode sample_particles(vlSurfaceLattice *lattice, vlStatus *status)
{
  Near near = {0};
  vlCode code = near_create(&near, lattice->in, status);
  if (!code) code = list_nodes(lattice, &near, status);
  if (!code) code = vl_surface_lattice_reserve(lattice, status);
  if (!code) {
#pragma omp parallel for schedule(dynamic, 16)
    for (int b = 0; b < lattice->nodes.count; b++) sample_block(lattice, &near, b);
    code = vl_surface_lattice_unbend(lattice, status);
  }
  near_clear(&near);
  return code;
}

vlCode vl_surface_lattice_create(vlSurfaceLattice *lattice, const vlSurfaceInput *in, vlStatus *status)
{
  *lattice = (vlSurfaceLattice){.in = in};
  vlCode code = in->fine ? vl_surface_lattice_sample_fine(lattice, status) : sample_particles(lattice, status);
  if (code) return code;
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < lattice->nodes.count; b++) finish_block(lattice, b);
  return VL_OK;
}

void vl_surface_lattice_clear(vlSurfaceLattice *lattice)
{
  vl_blocks_clear(&lattice->nodes);
  free(lattice->liquid);
  free(lattice->solid);
  free(lattice->inside);
  *lattice = (vlSurfaceLattice){0};
}
