/* A simulation of the immersed engine: one of the sharp engine whose steps are another method's, with bodies that are in the
 * medium. */
#include "engine/immersed/immersed.h"

#include <stdlib.h>

#include "base/status.h"

static vlCode create(vlSim *base, vlStatus *status)
{
  vlImmersed *sim = vl_immersed(vl_sharp(base));
  vlCode code = vl_sharp_create(base, status); /* bodies stand in the liquid while it is seeded */
  if (!code) code = vl_guests_create(sim, status);
  if (code) return code;
  sim->base.method = &vl_method_immersed;
  return vl_sharp_rebuild(&sim->base, status);
}

static void destroy(vlSim *base)
{
  vlImmersed *sim = vl_immersed(vl_sharp(base));
  vl_sharp_destroy(base);
  vl_meet_clear(sim);
  vl_guests_clear(sim);
}

/* The level set, which steps do not need, for one look. */
static void show_level(vlSharp *sim)
{
  vlStatus ignored;
  double *phi = sim->work.level.phi;
  sim->work.level.phi = sim->work.shown;
  (void)vl_particle_level(&sim->kernel, &sim->grid, sim->state.particles, sim->per_cell, sim->work.open, &sim->work.wet,
                          &sim->work.level_work, &sim->work.level, &ignored);
  vl_wall_level(&sim->grid, &sim->work.wet, sim->state.particles, sim->work.open, sim->work.area, &sim->work.level_work,
                sim->work.shown);
  sim->work.level.phi = phi;
  sim->work.level.filling.cells = 0;
  sim->work.shows = true;
}

static int probe(const vlSim *base, const vlProbeDef *def, double value[3])
{
  vlSharp *sim = vl_sharp(base);
  double *phi = sim->work.level.phi;
  if (!sim->work.shows) show_level(sim);
  sim->work.level.phi = sim->work.shown;
  int count = vl_sharp_probe(base, def, value);
  sim->work.level.phi = phi;
  return count;
}

static vlFieldView field(const vlSim *base, vlFieldKind kind)
{
  vlSharp *sim = vl_sharp(base);
  double *phi = sim->work.level.phi;
  if (kind == VL_FIELD_LEVEL_SET && !sim->work.shows) show_level(sim);
  sim->work.level.phi = sim->work.shown;
  vlFieldView view = vl_sharp_field(base, kind);
  sim->work.level.phi = phi;
  return view;
}

/* What of the work tells where bodies are that the liquid stands around. */
typedef struct Around {
  vlBodySet apart;
  vlCuts *cuts;
  vlPatches patches;
  vlBodyDistance distance;
} Around;

static Around take_around(vlSharp *sim)
{
  return (Around){sim->apart, sim->work.cuts, sim->work.patches, sim->work.body_distance};
}

static void put_around(vlSharp *sim, const Around *around)
{
  sim->apart = around->apart;
  sim->work.cuts = around->cuts;
  sim->work.patches = around->patches;
  sim->work.body_distance = around->distance;
}

/* Drawn liquid ends at all bodies, also those in the medium. */
static vlCode surface(const vlSim *base, vlSurface *surface, vlStatus *status)
{
  vlSharp *sim = vl_sharp(base);
  if (sim->guest_count == 0) return vl_sharp_surface(base, surface, status);
  Around before = take_around(sim), all = {.apart = sim->state.bodies, .cuts = calloc(1, sizeof *all.cuts)};
  if (!all.cuts) return vl_fail_memory(status, sizeof *all.cuts, "the cut cells");
  put_around(sim, &all);
  vlCode code = vl_body_distance_create(&sim->work.body_distance, &sim->grid, sim->apart.count, status);
  if (!code) code = vl_body_step_cut(sim, status);
  if (!code) code = vl_body_step_distance(sim, NULL, status);
  if (!code) code = vl_sharp_surface(base, surface, status);
  vl_cuts_destroy(&sim->work.cuts);
  vl_patches_clear(&sim->work.patches);
  vl_body_distance_clear(&sim->work.body_distance, &sim->grid);
  put_around(sim, &before);
  return code;
}

const vlEngine vl_engine_immersed = {.name = "immersed",
                                     .bytes = sizeof(vlImmersed),
                                     .unsettled = "liquid and bodies in one medium do not come to rest to the last digits",
                                     .create = create,
                                     .destroy = destroy,
                                     .step = vl_sharp_step,
                                     .visit = vl_sharp_visit,
                                     .moment = vl_sharp_moment,
                                     .set_moment = vl_sharp_set_moment,
                                     .halt = vl_sharp_halt,
                                     .add_liquid = vl_sharp_add_liquid,
                                     .remove_liquid = vl_sharp_remove_liquid,
                                     .grid = vl_sharp_grid,
                                     .facts = vl_sharp_facts,
                                     .particles = vl_sharp_particles,
                                     .column = vl_sharp_column,
                                     .field = field,
                                     .blocks = vl_sharp_blocks,
                                     .open = vl_sharp_open,
                                     .surface = surface,
                                     .solids = vl_sharp_solids,
                                     .bodies = vl_sharp_bodies,
                                     .walls = vl_sharp_walls,
                                     .probe = probe,
                                     .export_system = vl_sharp_export_system};
