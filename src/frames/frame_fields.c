/* A frame of fields: the box of cells around the liquid, as VTI. Pressure, level set, velocity at cell centres, open volume
 * of each cell. Only the liquid's neighbourhood is written, so a pool in a hall costs what the pool costs. The fields are
 * known on blocks around the liquid; elsewhere in the box pressure and velocity are 0 and the level set is 2 dx. */
#include "frames/frame_files.h"

#include <stdlib.h>

#include "base/status.h"
#include "files/vtk.h"

/* Floats of a cell: pressure, level set, velocity, open part; bytes of a file besides them. */
enum { CELL_FLOATS = 6, HEAD_BYTES = 1024 };

typedef struct Extent {
  int lo[3], hi[3];
} Extent;

static int width_of(const vlBlockView *blocks, int b, int n)
{
  int left = n - blocks->at[b][0] * blocks->width;
  return left < blocks->width ? left : blocks->width;
}

static Extent wet_extent(const vlSim *sim)
{
  vlBlockView blocks = vl_sim_blocks(sim);
  int n = vl_sim_grid(sim).n[0];
  Extent e = {{0, 0, 0}, {1, 1, 1}};
  for (int b = 0; b < blocks.count; b++) {
    const int *at = blocks.at[b], lo[3] = {at[0] * blocks.width, at[1], at[2]},
              hi[3] = {lo[0] + width_of(&blocks, b, n), at[1] + 1, at[2] + 1};
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

static double value_at(const vlFieldView *f, int i, int j, int k)
{
  return f->data[i * f->stride[0] + j * f->stride[1] + k * f->stride[2]];
}

static void fill_arrays(const vlSim *sim, const Extent *e, size_t cells, const Arrays *arrays)
{
  vlBlockView blocks = vl_sim_blocks(sim);
  vlGridView g = vl_sim_grid(sim);
  vlFieldView p = vl_sim_field(sim, VL_FIELD_PRESSURE), phi = vl_sim_field(sim, VL_FIELD_LEVEL_SET), u[3];
  for (int a = 0; a < 3; a++) u[a] = vl_sim_field(sim, (vlFieldKind)(VL_FIELD_VELOCITY_X + a));
  size_t nx = (size_t)(e->hi[0] - e->lo[0]), ny = (size_t)(e->hi[1] - e->lo[1]);
  vl_sim_open(sim, e->lo, e->hi, arrays->open);
  for (size_t i = 0; i < cells; i++) arrays->phi[i] = (float)(2.0 * g.dx);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks.count; b++) {
    int i = blocks.at[b][0] * blocks.width, j = blocks.at[b][1], k = blocks.at[b][2];
    size_t to = nx * ((size_t)(j - e->lo[1]) + ny * (size_t)(k - e->lo[2])) + (size_t)(i - e->lo[0]);
    for (int end = i + width_of(&blocks, b, g.n[0]); i < end; i++, to++) {
      arrays->pressure[to] = (float)value_at(&p, i, j, k);
      arrays->phi[to] = (float)value_at(&phi, i, j, k);
      for (int a = 0; a < 3; a++)
        arrays->velocity[3 * to + (size_t)a] =
            (float)(0.5 * (value_at(&u[a], i, j, k) + value_at(&u[a], i + (a == 0), j + (a == 1), k + (a == 2))));
    }
  }
}

vlCode vl_frame_fields(const char *path, vlFrameFormat format, const vlSim *sim, const vlMeshView *surface, vlStatus *status)
{
  (void)format, (void)surface;
  Extent e = wet_extent(sim);
  vlGridView g = vl_sim_grid(sim);
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
  vlCode code = vl_vti_write(path, e.lo, e.hi, g.origin, g.dx, vl_sim_time(sim), list, 4, status);
  free(memory);
  return code;
}

vlFrameSize vl_frame_fields_size(vlFrameFormat format, const vlSim *sim, const vlMeshView *surface)
{
  (void)format, (void)surface;
  Extent e = wet_extent(sim);
  vlGridView g = vl_sim_grid(sim);
  double cells = 1.0, all = 1.0;
  for (int a = 0; a < 3; a++) {
    cells *= e.hi[a] - e.lo[a];
    all *= g.n[a];
  }
  return (vlFrameSize){cells * CELL_FLOATS * sizeof(float) + HEAD_BYTES, all * CELL_FLOATS * sizeof(float) + HEAD_BYTES};
}
