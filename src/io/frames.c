/* A frame of fields: the box of cells around the liquid, as VTI. Pressure, level set, velocity at cell centres, open volume
 * of each cell. Only the liquid's neighbourhood is written, so a pool in a hall costs what the pool costs. */
#include "io/frames.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "engine/sim.h"
#include "io/vtk.h"

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

/* One array of the frame, filled on wet blocks, `background` elsewhere. */
typedef struct Arrays {
  float *pressure, *phi, *velocity, *open;
} Arrays;

static void fill_cell(const vlSim *sim, const vlCutCell *cut, ptrdiff_t at, size_t to, const Arrays *arrays)
{
  const vlGrid *g = &sim->grid;
  double full = g->dx * g->dx * g->dx;
  arrays->pressure[to] = (float)sim->state.p[at];
  arrays->phi[to] = (float)sim->state.phi[at];
  arrays->open[to] = (float)((cut ? cut->open[1] * g->dx + cut->moment.y : sim->work.area[1][at] * g->dx) / full);
  for (int a = 0; a < 3; a++)
    arrays->velocity[3 * to + (size_t)a] = (float)(0.5 * (sim->state.u[a][at] + sim->state.u[a][at + g->stride[a]]));
}

static void fill_arrays(const vlSim *sim, const Extent *e, size_t cells, const Arrays *arrays)
{
  const vlBlocks *wet = &sim->work.wet;
  size_t nx = (size_t)(e->hi[0] - e->lo[0]), ny = (size_t)(e->hi[1] - e->lo[1]);
  /* away from the liquid: air, a cell diagonal and a half from it */
  for (size_t i = 0; i < cells; i++) arrays->phi[i] = (float)(2.0 * sim->grid.dx);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    int last, next = vl_cuts_of_block(sim->cuts, p, &last);
    ptrdiff_t at = vl_blocks_field(&sim->grid, p);
    size_t row = nx * ((size_t)(p.j - e->lo[1]) + ny * (size_t)(p.k - e->lo[2])) + (size_t)(p.bx * VL_BLOCK - e->lo[0]);
    for (int l = 0; l < vl_blocks_width(wet, p); l++) {
      const vlCutCell *cut =
          next < last && sim->cuts->cut[next].cell[0] == p.bx * VL_BLOCK + l ? &sim->cuts->cut[next++] : NULL;
      fill_cell(sim, cut, at + l, row + (size_t)l, arrays);
    }
  }
}

vlCode vl_frame_write(const vlSim *sim, const char *folder, int frame, vlStatus *status)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/fields_%05d.vti", folder, frame);
  Extent e = wet_extent(sim);
  size_t cells = 1;
  for (int a = 0; a < 3; a++) cells *= (size_t)(e.hi[a] - e.lo[a]);
  float *memory = calloc(cells * 6, sizeof(float));
  if (!memory) return vl_fail_memory(status, cells * 6 * sizeof(float), "a frame");
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

vlCode vl_frame_solids_write(const vlSim *sim, const char *folder, vlStatus *status)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/solids.vtp", folder);
  return vl_vtp_write(path, vl_statics_surface(sim->statics), 0.0, NULL, 0, NULL, 0, status);
}
