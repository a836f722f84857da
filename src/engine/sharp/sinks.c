/* Sinks: shapes in which liquid is taken away. In the solve one is a hole in the liquid, whose surface has the pressure
 *
 *     p_s = pressure, or max(0, rho g (level - y)) at the place where the link to the hole meets it, theta as in links.c
 *
 * instead of the air's (none with liquid.surface: subgrid), so that liquid at rest up to the level stays so. Where the
 * velocity points out of the hole into liquid, particles come in as at outlets (outlets.c). In: the level set, gravity. Out:
 * p_s at faces; particles. */
#include <math.h>

#include "base/vec.h"
#include "engine/sharp/sharp.h"

static const double AROUND = 1.0; /* cells: as far around the shape what is no liquid belongs to the hole */

static bool has_pressure(const vlSinkDef *sink) { return sink->has_level || sink->pressure != 0.0; }

/* A face between a cell of the hole and liquid. */
typedef struct Face {
  int cell[3], side; /* of the liquid; 2 axis + upper */
  ptrdiff_t at;      /* of the face */
  vlVec3 meets;      /* m: where its link meets the surface */
} Face;

typedef vlCode See(void *data, const vlSinkDef *sink, const Face *face, vlStatus *status);

/* The faces of a cell of the hole. */
static vlCode see_cell(const vlSharp *sim, const vlSinkDef *sink, const int cell[3], See *see, void *data, vlStatus *status)
{
  const vlGrid *g = &sim->grid;
  ptrdiff_t own = vl_grid_at(g, cell[0], cell[1], cell[2]);
  double phi = sim->work.level.phi[own];
  vlCode code = VL_OK;
  for (int side = 0; side < 6 && !code; side++) {
    int a = side / 2, way = side % 2 ? 1 : -1;
    Face face = {.cell = {cell[0], cell[1], cell[2]}, .side = side ^ 1, .at = own + (way > 0 ? g->stride[a] : 0)};
    face.cell[a] += way;
    if (face.cell[a] < 0 || face.cell[a] >= g->n[a]) continue;
    double there = sim->work.level.phi[own + way * g->stride[a]];
    if (!(there < 0.0) || vl_blocks_find(&sim->work.wet, face.cell[0] / VL_BLOCK, face.cell[1], face.cell[2]) < 0) continue;
    double theta = fmax(sim->scene->pressure.theta_min, fmin(there / (there - phi), 1.0));
    face.meets = vl_grid_center(g, face.cell[0], face.cell[1], face.cell[2]);
    face.meets.v[a] -= way * theta * g->dx;
    code = see(data, sink, &face, status);
  }
  return code;
}

/* Calls `see` for the faces of all sinks that have a pressure. Cells of liquid are no hole yet. */
static vlCode see_faces(const vlSharp *sim, See *see, void *data, vlStatus *status)
{
  vlCode code = VL_OK;
  double around = AROUND * sim->grid.dx;
  for (int s = 0; s < sim->scene->liquid.sink_count && !code; s++) {
    const vlSinkDef *sink = &sim->scene->liquid.sinks[s];
    int lo[3], hi[3];
    if (!has_pressure(sink) || !vl_grid_cells_in(&sim->grid, vl_box_grow(vl_sdf_bounds(sim->sinks[s]), around), lo, hi))
      continue;
    for (int k = lo[2]; k <= hi[2]; k++)
      for (int j = lo[1]; j <= hi[1]; j++)
        for (int i = lo[0]; i <= hi[0] && !code; i++) {
          const int cell[3] = {i, j, k};
          bool hole = vl_blocks_find(&sim->work.wet, i / VL_BLOCK, j, k) >= 0 &&
                      sim->work.level.phi[vl_grid_at(&sim->grid, i, j, k)] >= 0.0 &&
                      vl_sdf_distance(sim->sinks[s], vl_grid_center(&sim->grid, i, j, k)) < around;
          if (hole) code = see_cell(sim, sink, cell, see, data, status);
        }
  }
  return code;
}

static vlCode press(void *data, const vlSinkDef *sink, const Face *face, vlStatus *status)
{
  (void)status;
  vlSharp *sim = data;
  double weight = -sim->scene->liquid.density * vl_sim_gravity(&sim->sim).y;
  double p = sink->has_level ? fmax(0.0, weight * (sink->level - face->meets.y)) : sink->pressure;
  sim->work.beyond[face->side / 2][face->at] = p;
  sim->work.pressed = true;
  return VL_OK;
}

static vlCode clear(void *data, const vlSinkDef *sink, const Face *face, vlStatus *status)
{
  (void)sink, (void)status;
  ((vlSharp *)data)->work.beyond[face->side / 2][face->at] = 0.0;
  return VL_OK;
}

void vl_sinks_press(vlSharp *sim)
{
  sim->work.pressed = false;
  if (!sim->sim.settling) see_faces(sim, press, sim, NULL);
}

typedef struct Inflow {
  vlSharp *sim;
  double dt;
  int64_t added;
} Inflow;

static vlCode let_in(void *data, const vlSinkDef *sink, const Face *face, vlStatus *status)
{
  (void)sink;
  Inflow *in = data;
  return vl_outlets_let_in(in->sim, face->cell, face->side, in->dt, &in->added, status);
}

vlCode vl_sinks_exchange(vlSharp *sim, double dt, vlStepInfo *info, vlStatus *status)
{
  int64_t removed = 0;
  Inflow in = {.sim = sim, .dt = dt};
  if (sim->sim.settling || sim->scene->liquid.sink_count == 0) return VL_OK;
  see_faces(sim, clear, sim, NULL); /* the next step's may be others */
  vlCode code = vl_motion_remove(sim, sim->sinks, sim->scene->liquid.sink_count, &removed, status);
  for (int s = 0; sim->state.fine && s < sim->scene->liquid.sink_count && !code; s++) {
    const vlLiquidShapes shape = {&sim->sinks[s], 1};
    code = vl_fine_take(sim->state.fine, vl_liquid_shapes_distance, &shape, vl_sdf_bounds(sim->sinks[s]), status);
  }
  if (!code) code = see_faces(sim, let_in, &in, status);
  info->removed += removed;
  info->added += in.added;
  return code;
}
