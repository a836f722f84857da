/* A frame of fields: the box of cells around the liquid, as VTI. Pressure, level set, velocity at cell centres, open volume
 * of each cell. Only the liquid's neighbourhood is written, so a pool in a hall costs what the pool costs. The fields are
 * known on wet blocks; elsewhere in the box pressure and velocity are 0 and the level set is 2 dx. The open volume follows
 * from the cuts of each row along x, for every cell: with A the open area of a face,
 *   cell without a cut   A_lower / dx^2
 *   cut cell             (A_upper dx + moment) / dx^3, and A_upper is the A_lower of the next cell. */
#include "io/frame_files.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "io/vtk.h"

/* Floats of a cell: pressure, level set, velocity, open part; bytes of a file besides them. */
enum { CELL_FLOATS = 6, HEAD_BYTES = 1024 };

typedef struct Extent {
  int lo[3], hi[3];
} Extent;

static Extent wet_extent(const vlSim *sim)
{
  const vlBlocks *wet = &sim->work.wet;
  Extent e = {{0, 0, 0}, {1, 1, 1}};
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    const int lo[3] = {p.bx * VL_BLOCK, p.j, p.k}, hi[3] = {lo[0] + vl_blocks_width(wet, p), p.j + 1, p.k + 1};
    for (int a = 0; a < 3; a++) {
      if (b == 0 || lo[a] < e.lo[a]) e.lo[a] = lo[a];
      if (b == 0 || hi[a] > e.hi[a]) e.hi[a] = hi[a];
    }
  }
  return e;
}

typedef struct Arrays {
  float *pressure, *phi, *velocity, *open;
} Arrays;

static void fill_cell(const vlSim *sim, ptrdiff_t at, size_t to, const Arrays *arrays)
{
  const vlGrid *g = &sim->grid;
  double *const *velocity = vl_sim_velocity(sim);
  arrays->pressure[to] = (float)sim->state.p[at];
  arrays->phi[to] = (float)sim->work.level.phi[at];
  for (int a = 0; a < 3; a++)
    arrays->velocity[3 * to + (size_t)a] = (float)(0.5 * (velocity[a][at] + velocity[a][at + g->stride[a]]));
}

static float part(double x) { return (float)fmin(fmax(x, 0.0), 1.0); }

/* `width` cells of a block; *area: open area of its first face along x, then of its last. */
static void fill_open_block(const vlCuts *cuts, vlBlockPosition p, int width, double *area, float *row)
{
  double dx = cuts->grid.dx, full = dx * dx;
  int last, first = vl_cuts_of_block(cuts, p, &last), l = 0;
  for (int c = first; c < last; c++) {
    const vlCutCell *cut = &cuts->cut[c];
    int at = cut->cell[0] - p.bx * VL_BLOCK;
    if (at < 0 || at >= width) continue;
    while (l < at) row[l++] = part(*area / full);
    row[l++] = part((cut->open[0] * dx + cut->moment.x) / (full * dx));
    *area = cut->open[0];
  }
  while (l < width) row[l++] = part(*area / full);
}

static void fill_open(const vlSim *sim, const Extent *e, float *open)
{
  size_t nx = (size_t)(e->hi[0] - e->lo[0]), ny = (size_t)(e->hi[1] - e->lo[1]);
#pragma omp parallel for schedule(static)
  for (int k = e->lo[2]; k < e->hi[2]; k++)
    for (int j = e->lo[1]; j < e->hi[1]; j++) {
      float *row = open + nx * ((size_t)(j - e->lo[1]) + ny * (size_t)(k - e->lo[2]));
      double area = vl_cuts_open_area(sim->cuts, 0, e->lo[0], j, k);
      for (int i = e->lo[0]; i < e->hi[0]; i += VL_BLOCK) {
        int left = e->hi[0] - i, width = left < VL_BLOCK ? left : VL_BLOCK;
        fill_open_block(sim->cuts, (vlBlockPosition){i / VL_BLOCK, j, k}, width, &area, row + (i - e->lo[0]));
      }
    }
}

static void fill_arrays(const vlSim *sim, const Extent *e, size_t cells, const Arrays *arrays)
{
  const vlBlocks *wet = &sim->work.wet;
  size_t nx = (size_t)(e->hi[0] - e->lo[0]), ny = (size_t)(e->hi[1] - e->lo[1]);
  fill_open(sim, e, arrays->open);
  for (size_t i = 0; i < cells; i++) arrays->phi[i] = (float)(2.0 * sim->grid.dx);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(&sim->grid, p);
    size_t row = nx * ((size_t)(p.j - e->lo[1]) + ny * (size_t)(p.k - e->lo[2])) + (size_t)(p.bx * VL_BLOCK - e->lo[0]);
    for (int l = 0; l < vl_blocks_width(wet, p); l++) fill_cell(sim, at + l, row + (size_t)l, arrays);
  }
}

vlCode vl_frame_fields_vti(const char *path, const vlSim *sim, const vlSurface *surface, vlStatus *status)
{
  (void)surface;
  Extent e = wet_extent(sim);
  size_t cells = 1;
  for (int a = 0; a < 3; a++) cells *= (size_t)(e.hi[a] - e.lo[a]);
  float *memory = calloc(cells * CELL_FLOATS, sizeof(float));
  if (!memory) return vl_fail_memory(status, cells * CELL_FLOATS * sizeof(float), "a frame");
  Arrays arrays = {memory, memory + cells, memory + 2 * cells, memory + 5 * cells};
  fill_arrays(sim, &e, cells, &arrays);
  const vlVtkArray list[] = {{"pressure", 1, arrays.pressure},
                             {"liquid", 1, arrays.phi},
                             {"velocity", 3, arrays.velocity},
                             {"open", 1, arrays.open}};
  vlCode code = vl_vti_write(path, e.lo, e.hi, sim->grid.origin, sim->grid.dx, sim->state.time, list, 4, status);
  free(memory);
  return code;
}

vlFrameSize vl_frame_fields_vti_size(const vlSim *sim, const vlSurface *surface)
{
  (void)surface;
  Extent e = wet_extent(sim);
  double cells = 1.0, all = 1.0;
  for (int a = 0; a < 3; a++) {
    cells *= e.hi[a] - e.lo[a];
    all *= sim->grid.n[a];
  }
  return (vlFrameSize){cells * CELL_FLOATS * sizeof(float) + HEAD_BYTES, all * CELL_FLOATS * sizeof(float) + HEAD_BYTES};
}
