/* The method of liquid finer than the grid: its stages, its making and its end; see subgrid.h. What is not its own are the stages of
 * the sharp engine (step.c, motion.c). */
#include "engine/sharp/subgrid.h"

#include <stdlib.h>

#include "base/status.h"
#include "engine/sharp/body_step.h"

static vlStageRun find_level;

static const vlStage tried[] = {{VL_STAGE_FORCES, vl_sources_find},    {VL_STAGE_FORCES, vl_forces_add},
                                {VL_STAGE_FORCES, vl_subgrid_star},    {VL_STAGE_FORCES, vl_body_step_begin},
                                {VL_STAGE_SETUP, vl_step_assemble},    {VL_STAGE_SOLVE, vl_step_solve},
                                {0, NULL}};
static const vlStage measured[] = {{VL_STAGE_VELOCITY, vl_step_velocity}, {VL_STAGE_VELOCITY, vl_subgrid_spread},
                                   {VL_STAGE_MEASURE, vl_step_describe},  {VL_STAGE_MEASURE, vl_body_step_layer},
                                   {VL_STAGE_MEASURE, vl_measure},        {0, NULL}};
static const vlStage judged[] = {{VL_STAGE_MEASURE, vl_check_invariants},
                                 {VL_STAGE_MEASURE, vl_body_step_check},
                                 {VL_STAGE_MEASURE, vl_body_warn},
                                 {0, NULL}};
static const vlStage taken[] = {{VL_STAGE_MEASURE, vl_walls_measure},
                                {VL_STAGE_VELOCITY, vl_step_accept},
                                {VL_STAGE_BODIES, vl_body_step_finish},
                                {VL_STAGE_BODIES, vl_step_keep_parted},
                                {0, NULL}};
static const vlStage moved[] = {{VL_STAGE_MOTION, vl_sources_move},     {VL_STAGE_SOLVE, vl_motion_grow},
                                {VL_STAGE_SOLVE, vl_subgrid_spread_path}, {VL_STAGE_VELOCITY, vl_motion_extend},
                                {VL_STAGE_LEVEL_SET, vl_subgrid_carry}, {VL_STAGE_TRANSFER, vl_motion_reseed},
                                {VL_STAGE_MOTION, vl_motion_carry},     {VL_STAGE_MOTION, vl_motion_exchange},
                                {VL_STAGE_MOTION, vl_motion_settle},    {VL_STAGE_LEVEL_SET, vl_subgrid_mend},
                                {VL_STAGE_TRANSFER, vl_motion_to_grid}, {VL_STAGE_LEVEL_SET, find_level},
                                {VL_STAGE_MEASURE, vl_measure_particles}, {VL_STAGE_MEASURE, vl_motion_warn},
                                {0, NULL}};

/* All that follows from the surface and the particles. */
static vlCode find_all(vlSharp *sim, vlStatus *status)
{
  vlCode code = vl_subgrid_find(sim, status);
  if (code) return code;
  vl_density_compare(&sim->work.density, &sim->grid, sim->state.particles, sim->per_cell, sim->work.level.phi,
                     &sim->work.wet);
  vl_motion_free_sides(sim, false, sim->state.u_old);
  vl_motion_free_sides(sim, true, sim->state.u);
  vl_subgrid_weigh(sim);
  return VL_OK;
}

static vlCode find_level(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step;
  return find_all(sim, status);
}

static vlCode fill(vlSharp *sim, vlStatus *status)
{
  vlStep none = {0};
  vlCode code = vl_motion_to_grid(sim, &none, status);
  if (!code) code = find_all(sim, status);
  if (!code && sim->state.step == 0) vl_motion_begin(sim);
  return code;
}

static double filled(const vlSharp *sim, ptrdiff_t at)
{
  return sim->work.open[at] > 0.0 ? sim->work.density.filled[at] / sim->work.open[at] : 0.0;
}

const vlMethod vl_method_subgrid = {.tried = tried,
                                    .measured = measured,
                                    .judged = judged,
                                    .taken = taken,
                                    .moved = moved,
                                    .natural_step = vl_natural_step,
                                    .filled = filled,
                                    .place = vl_motion_place,
                                    .seed = vl_subgrid_seed,
                                    .held = vl_subgrid_hold,
                                    .flies = vl_subgrid_flies,
                                    .settle = vl_motion_settle,
                                    .fill = fill};

/* The grid of fine cells. */
static vlGrid refined(const vlGrid *grid, int refine)
{
  vlGrid fine = *grid;
  fine.dx = grid->dx / refine;
  for (int a = 0; a < 3; a++) fine.n[a] = refine * grid->n[a];
  vl_grid_lay_out(&fine);
  return fine;
}

vlCode vl_subgrid_create(vlSharp *sim, vlStatus *status)
{
  int refine = sim->scene->liquid.refine;
  vlSubgrid *s = sim->subgrid = calloc(1, sizeof *s);
  sim->state.fine = calloc(1, sizeof *sim->state.fine);
  if (!s || !sim->state.fine) return vl_fail_memory(status, sizeof *s, "liquid finer than the grid");
  s->cells = refined(&sim->grid, refine);
  s->pieces.air.wanted = sim->scene->liquid.air == VL_LIQUID_AIR_TRAPPED;
  s->air.now.count = s->air.before.count = -1;
  vlCode code = vl_fine_create(sim->state.fine, &sim->grid, refine, status);
  bool solids = vl_statics_surface(sim->statics)->triangle_count > 0 || vl_statics_solid_at_infinity(sim->statics);
  if (!code && (solids || sim->apart.count > 0))
    code = vl_cuts_create(&s->statics, vl_statics_surface(sim->statics), vl_statics_solid_at_infinity(sim->statics), &s->cells,
                          status);
  s->cuts = s->statics;
  if (!code && sim->apart.count > 0) {
    s->cuts = calloc(1, sizeof *s->cuts);
    if (!s->cuts) code = vl_fail_memory(status, sizeof *s->cuts, "the cut cells");
  }
  return code;
}

void vl_subgrid_destroy(vlSharp *sim)
{
  vlSubgrid *s = sim->subgrid;
  if (sim->state.fine) vl_fine_clear(sim->state.fine);
  free(sim->state.fine);
  sim->state.fine = NULL;
  if (!s) return;
  if (s->cuts != s->statics) vl_cuts_destroy(&s->cuts);
  vl_cuts_destroy(&s->statics);
  vl_patches_clear(&s->patches);
  vl_pieces_clear(&s->pieces);
  vl_air_clear(s);
  free(sim->state.pockets.pocket);
  sim->state.pockets = (vlPockets){0};
  void *arrays[] = {s->motion, s->fit,   s->link, s->source, s->extra_cell, s->extra_piece, s->u,
                    s->path,   s->p, s->flow, s->main,   s->group,      s->ball};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(s);
  sim->subgrid = NULL;
}

vlCode vl_subgrid_seed(vlSharp *sim, const vlLiquidShapes *shapes, vlStatus *status)
{
  return vl_fine_from_distance(sim->state.fine, vl_liquid_shapes_distance, shapes,
                               vl_box_intersect(vl_liquid_shapes_bounds(shapes), vl_grid_box(&sim->grid)), status);
}
