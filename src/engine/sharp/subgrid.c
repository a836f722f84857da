/* The method of liquid finer than the grid: its stages, its making and its end; see subgrid.h. What is not its own are the
 * stages of the sharp engine (step.c, motion.c). */
#include "engine/sharp/subgrid.h"

#include <stdlib.h>

#include "base/status.h"
#include "engine/sharp/body_step.h"

static const double OFF_SOLIDS = 0.02; /* cells that new particles keep from them */

static vlStageRun find_level;

static const vlStage tried[] = {{VL_STAGE_FORCES, vl_sources_find},
                                {VL_STAGE_FORCES, vl_forces_add},
                                {VL_STAGE_FORCES, vl_subgrid_star},
                                {VL_STAGE_FORCES, vl_body_step_begin},
                                {VL_STAGE_SETUP, vl_step_assemble},
                                {VL_STAGE_SOLVE, vl_step_solve},
                                {0, NULL}};
static const vlStage measured[] = {{VL_STAGE_VELOCITY, vl_step_velocity},
                                   {VL_STAGE_VELOCITY, vl_subgrid_spread},
                                   {VL_STAGE_MEASURE, vl_step_describe},
                                   {VL_STAGE_MEASURE, vl_body_step_layer},
                                   {VL_STAGE_MEASURE, vl_subgrid_walls},
                                   {VL_STAGE_MEASURE, vl_measure},
                                   {0, NULL}};
static const vlStage judged[] = {{VL_STAGE_MEASURE, vl_check_invariants},
                                 {VL_STAGE_MEASURE, vl_body_step_check},
                                 {VL_STAGE_MEASURE, vl_body_warn},
                                 {0, NULL}};
static const vlStage taken[] = {{VL_STAGE_MEASURE, vl_walls_measure},
                                {VL_STAGE_VELOCITY, vl_step_accept},
                                {VL_STAGE_BODIES, vl_body_step_finish},
                                {VL_STAGE_BODIES, vl_step_keep_parted},
                                {0, NULL}};
static const vlStage moved[] = {{VL_STAGE_MOTION, vl_sources_move},       {VL_STAGE_SOLVE, vl_motion_grow},
                                {VL_STAGE_SOLVE, vl_subgrid_spread_path}, {VL_STAGE_VELOCITY, vl_motion_extend},
                                {VL_STAGE_LEVEL_SET, vl_subgrid_carry},   {VL_STAGE_TRANSFER, vl_motion_reseed},
                                {VL_STAGE_MOTION, vl_motion_carry},       {VL_STAGE_MOTION, vl_motion_exchange},
                                {VL_STAGE_MOTION, vl_motion_settle},      {VL_STAGE_LEVEL_SET, vl_subgrid_mend},
                                {VL_STAGE_TRANSFER, vl_motion_to_grid},   {VL_STAGE_TRANSFER, vl_subgrid_narrow},
                                {VL_STAGE_LEVEL_SET, find_level},         {VL_STAGE_MEASURE, vl_measure_particles},
                                {VL_STAGE_MEASURE, vl_motion_warn},       {0, NULL}};

/* All that follows from the surface and the particles. */
static vlCode find_all(vlSharp *sim, vlStatus *status)
{
  vlCode code = vl_subgrid_find(sim, status);
  if (!code) code = vl_subgrid_balance(sim, status);
  if (!code) code = vl_subgrid_wet_bodies(sim, status);
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
  if (!code) code = vl_subgrid_narrow(sim, &none, status);
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
    code = vl_cuts_create(&s->statics, vl_statics_surface(sim->statics), vl_statics_solid_at_infinity(sim->statics),
                          &s->cells, status);
  if (!code && solids) code = vl_wall_patches_create(&s->walls, sim->statics, &s->cells, status);
  s->cuts = s->statics;
  if (!code) code = vl_blocks_create(&s->beside, s->cells.n, status);
  if (!code) code = vl_node_distance_create(&s->solid_nodes, &s->cells, sim->statics, status);
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
  vl_patches_clear(&s->wet);
  vl_patches_clear(&s->dry);
  vl_wall_patches_clear(&s->walls);
  vl_node_distance_clear(&s->solid_nodes, &s->cells);
  vl_blocks_clear(&s->beside);
  for (int a = 0; a < 3; a++) {
    free(s->carry[a]);
    free(s->keep[a]);
  }
  vl_pieces_clear(&s->pieces);
  vl_air_clear(s);
  free(sim->state.pockets.pocket);
  sim->state.pockets = (vlPockets){0};
  void *arrays[] = {s->motion, s->fit, s->link, s->source, s->extra_cell, s->extra_piece, s->u,
                    s->path,   s->p,   s->gap,  s->pull,   s->flow,       s->main,        s->group,
                    s->ball,   s->arm, s->wall, s->sides,  s->touched};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(s);
  sim->subgrid = NULL;
}

vlCode vl_subgrid_seed_drop(vlSharp *sim, const vlSdf *shape, vlVec3 velocity, size_t *added, vlStatus *status)
{
  const vlGrid *g = &sim->grid;
  vlBox3 box = vl_sdf_bounds(shape);
  vlVec3 middle = vl_scale(vl_add(box.lo, box.hi), 0.5);
  double x[3];
  float at[3], v[3];
  for (int a = 0; a < 3; a++) {
    x[a] = g->n[a] == 1 ? 0.5 : (middle.v[a] - g->origin.v[a]) / g->dx;
    if (!(x[a] >= VL_SIDE_MARGIN && x[a] <= g->n[a] - VL_SIDE_MARGIN)) return VL_OK;
    at[a] = (float)x[a];
    v[a] = g->n[a] == 1 ? 0.0f : (float)velocity.v[a];
  }
  middle = vl_grid_place(g, x);
  bool liquid = vl_fine_at(sim->state.fine, x, NULL) < 0.0;
  if (liquid || vl_sdf_distance(shape, middle) >= 0.0 || vl_sharp_solid_distance(sim, middle) < OFF_SOLIDS * g->dx)
    return VL_OK;
  vlCode code = vl_particles_reserve(sim->state.particles, sim->state.particles->count + 1, status);
  if (code) return code;
  vl_particles_add(sim->state.particles, at, v);
  ++*added;
  return VL_OK;
}

static bool has_particles(const vlSharp *sim, const vlSdf *shape)
{
  const vlParticles *p = sim->state.particles;
  int lo[3], hi[3], first, last;
  if (!vl_grid_cells_in(&sim->grid, vl_sdf_bounds(shape), lo, hi)) return false;
  for (int k = lo[2]; k <= hi[2]; k++)
    for (int j = lo[1]; j <= hi[1]; j++)
      for (int i = lo[0]; i <= hi[0]; i++) {
        int home = vl_blocks_find(&p->home, i / VL_BLOCK, j, k);
        if (home < 0) continue;
        vl_particles_in(p, home, i % VL_BLOCK, i % VL_BLOCK + 1, &first, &last);
        for (int q = first; q < last; q++) {
          const double x[3] = {(double)p->x[0][q], (double)p->x[1][q], (double)p->x[2][q]};
          if (vl_sdf_distance(shape, vl_grid_place(&sim->grid, x)) < 0.0) return true;
        }
      }
  return false;
}

/* Of the shapes smaller than a cell those that the lattice missed, before they are liquid. */
static vlCode seed_drops(vlSharp *sim, const vlLiquidShapes *shapes, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < shapes->count && !code; i++) {
    vlBox3 box = vl_sdf_bounds(shapes->sdf[i]);
    double dx = sim->grid.dx;
    bool small = true;
    size_t ignored = 0;
    for (int a = 0; a < (sim->grid.n[2] == 1 ? 2 : 3); a++) small = small && box.hi.v[a] - box.lo.v[a] < dx;
    if (!small || has_particles(sim, shapes->sdf[i])) continue;
    code = vl_subgrid_seed_drop(sim, shapes->sdf[i], sim->scene->liquid.velocity, &ignored, status);
  }
  return code;
}

vlCode vl_subgrid_seed(vlSharp *sim, const vlLiquidShapes *shapes, vlStatus *status)
{
  vlCode code = seed_drops(sim, shapes, status);
  if (!code)
    code = vl_fine_from_distance(sim->state.fine, vl_liquid_shapes_distance, shapes,
                                 vl_box_intersect(vl_liquid_shapes_bounds(shapes), vl_grid_box(&sim->grid)), status);
  return code ? code : vl_subgrid_at_walls(sim, status);
}
