/* A simulation of the sharp engine: made from a scene, rebuilt from its state, taken apart. */
#include "engine/sharp/sharp.h"

#include <stdlib.h>

#include "base/status.h"
#include "engine/sharp/body_step.h"
#include "engine/sharp/subgrid.h"
#include "grid/blocks.h"
#include "liquid/level_set.h"

vlFluid vl_sharp_fluid(const vlSharp *sim)
{
  return (vlFluid){.grid = &sim->grid,
                   .wet = &sim->work.wet,
                   .cuts = sim->work.cuts,
                   .area = (const double *const *)sim->work.area,
                   .phi = sim->work.level.phi,
                   .given = sim->work.given_now ? (const unsigned short *const *)sim->work.given.bits : NULL,
                   .tail = sim->subgrid ? &sim->subgrid->tail : NULL,
                   .outlet = sim->outlets ? sim->outlet : NULL,
                   .jump = sim->work.pressed ? (const double *const *)sim->work.beyond : NULL,
                   .light = sim->guest_count > 0 ? (const double *const *)sim->work.light : NULL,
                   .theta_min = sim->scene->pressure.theta_min,
                   .open = sim->work.open,
                   .swell = sim->work.swells > 0.0 ? sim->work.swell : NULL,
                   .parted = vl_separate_on(sim->scene) ? sim->work.separation.parted : NULL,
                   .bodies = &sim->apart,
                   .patches = sim->subgrid                                      ? &sim->subgrid->wet
                              : sim->scene->pressure.weights == VL_WEIGHTS_AREA ? &sim->work.patches
                                                                                : &sim->work.weights.patches,
                   .contact = sim->apart.count > 0 ? (vlContactSolve *)&sim->work.contact : NULL,
                   .bodies_given = sim->scene->coupling.kind == VL_COUPLING_WEAK};
}

vlObstacles vl_sharp_obstacles(const vlSharp *sim)
{
  return (vlObstacles){.distance = sim->work.solid_nodes.distance,
                       .near = sim->work.solid_nodes.near,
                       .shape = &sim->work.wet,
                       .fine = vl_subgrid_obstacles(sim),
                       .body_distance = sim->work.body_distance.distance,
                       .body_near = sim->work.body_distance.near,
                       .body_velocity = sim->work.body_distance.velocity};
}

double vl_sharp_solid_distance(const void *data, vlVec3 x)
{
  const vlSharp *sim = data;
  double d = sim->work.solid_nodes.any ? vl_statics_distance(sim->statics, x) : INFINITY;
  return fmin(d, vl_body_distance_at(&sim->work.body_distance, x));
}

static bool deep_in_solid(const void *data, vlVec3 center, double radius)
{
  return vl_sharp_solid_distance(data, center) < -radius;
}

/* Every field of the simulation, for making and freeing them: the state's, then those that are work. */
enum { STATE_FIELDS = 7, FIELDS = STATE_FIELDS + 31 };
static void list_fields(vlSharp *sim, double **fields[FIELDS])
{
  int count = 0;
  fields[count++] = &sim->state.p;
  for (int a = 0; a < 3; a++) fields[count++] = &sim->state.u[a];
  for (int a = 0; a < 3; a++) fields[count++] = &sim->state.u_old[a];
  fields[count++] = &sim->work.p;
  for (int a = 0; a < 3; a++) fields[count++] = &sim->work.u[a];
  for (int a = 0; a < 3; a++) fields[count++] = &sim->work.path[a];
  for (int a = 0; a < 3; a++) fields[count++] = &sim->work.area[a];
  for (int a = 0; a < 3; a++) fields[count++] = &sim->work.light[a];
  for (int a = 0; a < 3; a++) fields[count++] = &sim->work.mass[a];
  for (int a = 0; a < 3; a++) fields[count++] = &sim->work.spare[a];
  for (int a = 0; a < 3; a++) fields[count++] = &sim->work.beyond[a];
  fields[count++] = &sim->work.push;
  fields[count++] = &sim->work.push_area;
  fields[count++] = &sim->work.shown;
  fields[count++] = &sim->work.full;
  fields[count++] = &sim->work.level.phi;
  fields[count++] = &sim->work.density.filled;
  fields[count++] = &sim->work.density.excess;
  fields[count++] = &sim->work.open;
  fields[count++] = &sim->work.swell;
}

static void list_memory(const vlSharp *sim, void *memory[FIELDS])
{
  double **fields[FIELDS];
  list_fields((vlSharp *)sim, fields);
  for (int i = 0; i < FIELDS; i++) memory[i] = *fields[i];
}

static vlCode create_fields(vlSharp *sim, int first, int last, vlStatus *status)
{
  double **fields[FIELDS];
  list_fields(sim, fields);
  for (int i = first; i < last; i++) {
    *fields[i] = vl_field_create(&sim->grid);
    if (!*fields[i]) return vl_fail_memory(status, sim->grid.length * sizeof(double), "the address space of a field");
  }
  return VL_OK;
}

static void destroy_fields(vlSharp *sim, int first, int last)
{
  double **fields[FIELDS];
  list_fields(sim, fields);
  for (int i = first; i < last; i++) vl_field_destroy(&sim->grid, fields[i]);
}

static void warn_of_solids(const vlSharp *sim)
{
  const vlCuts *cuts = sim->static_cuts;
  if (cuts->clamped > 0)
    vl_log(sim->log, VL_LOG_WARNING, "%d faces have solids overlapping themselves; their open area was clamped",
           cuts->clamped);
  if (cuts->thin == 0) return;
  vlVec3 x = vl_grid_center(&sim->grid, cuts->thin_cell[0], cuts->thin_cell[1], cuts->thin_cell[2]);
  vl_log(sim->log, VL_LOG_WARNING,
         "both sides of a solid lie in one cell at %d place(s), the first at (%.4g, %.4g, %.4g) m: liquid passes through it "
         "there; walls are "
         "tight if they are thicker than the diagonal of a cell, %.4g m",
         cuts->thin, x.x, x.y, x.z, sqrt(3.0) * sim->grid.dx);
}

static vlCode create_solids(vlSharp *sim, vlStatus *status)
{
  vlCode code = vl_statics_create(&sim->statics, sim->scene, &sim->grid, sim->log, status);
  if (!code)
    code = vl_cuts_create(&sim->static_cuts, vl_statics_surface(sim->statics), vl_statics_solid_at_infinity(sim->statics),
                          &sim->grid, status);
  if (!code) code = vl_wall_patches_create(&sim->wall_patches, sim->statics, &sim->grid, status);
  if (!code) code = vl_walls_create(sim, status);
  if (!code) warn_of_solids(sim);
  return code;
}

vlCode vl_sharp_recut(vlSharp *sim, vlStatus *status)
{
  void *fields[FIELDS];
  list_memory(sim, fields);
  /* they are zero beyond the wet blocks, or nobody reads them there */
  vl_field_pages_follow(&sim->work.pages, &sim->grid, &sim->work.wet, fields, FIELDS);
  vlCode code = vl_body_step_cut(sim, status);
  if (code) return code;
  vl_cuts_fill_areas(sim->work.cuts, &sim->work.wet, sim->work.area);
  vl_cuts_fill_open(sim->work.cuts, &sim->work.wet, sim->work.area[1], sim->work.open);
  if (sim->scene->pressure.weights == VL_WEIGHTS_AREA) return VL_OK;
  if (sim->apart.count > 0)
    code = vl_weights_update(&sim->work.weights, &sim->apart, sim->static_cuts, sim->work.cuts, status);
  if (!code) vl_weights_apply(&sim->work.weights, &sim->work.wet, &sim->grid, sim->work.area);
  return code;
}

/* All that `work` holds. */
static void clear_work(vlSharp *sim)
{
  vlWork *work = &sim->work;
  destroy_fields(sim, STATE_FIELDS, FIELDS);
  vl_page_use_clear(&work->pages);
  vl_node_distance_clear(&work->solid_nodes, &sim->grid);
  vl_weights_clear(&work->weights);
  if (work->cuts != sim->static_cuts) vl_cuts_destroy(&work->cuts);
  vl_blocks_clear(&work->wet);
  vl_blocks_clear(&work->wet_before);
  vl_face_mask_clear(&work->given);
  free(work->blocked);
  free(work->pace);
  free(work->gone);
  vl_face_mask_clear(&work->touched);
  vl_face_mask_clear(&work->known);
  vl_face_mask_clear(&work->scratch);
  free(work->slip.value);
  vl_calm_clear(&work->calm);
  free(work->level_work.held);
  free(work->level_work.narrow);
  vl_pressure_destroy(&work->pressure);
  vl_separation_clear(&work->separation);
  vl_body_step_clear(sim);
  free(work->walls);
  *work = (vlWork){0};
}

/* Room for it, empty. */
static vlCode make_work(vlSharp *sim, vlStatus *status)
{
  vlWork *work = &sim->work;
  vlCode code = create_fields(sim, STATE_FIELDS, FIELDS, status);
  work->cuts = sim->apart.count > 0 ? calloc(1, sizeof *work->cuts) : sim->static_cuts;
  if (!code && !work->cuts) code = vl_fail_memory(status, sizeof *work->cuts, "the cut cells");
  size_t sources = (size_t)sim->scene->liquid.source_count;
  work->blocked = calloc(sources + 1, sizeof *work->blocked);
  work->pace = calloc(sources + 1, sizeof *work->pace);
  if (!code && !(work->blocked && work->pace)) code = vl_fail_memory(status, sources, "sources");
  if (!code) code = vl_weights_create(&work->weights, sim->scene->pressure.weights, sim->statics, sim->static_cuts, status);
  if (!code) code = vl_node_distance_create(&work->solid_nodes, &sim->grid, sim->statics, status);
  if (!code && !vl_field_pages_create(&sim->work.pages, &sim->grid))
    code = vl_fail_memory(status, sim->grid.length, "a list of pages");
  if (!code) code = vl_blocks_create(&sim->work.wet, sim->grid.n, status);
  if (!code) code = vl_blocks_create(&sim->work.wet_before, sim->grid.n, status);
  if (!code) code = vl_pressure_create(&sim->work.pressure, &sim->grid, status);
  if (!code) code = vl_walls_scratch(sim, status);
  return code ? code : vl_body_step_create(sim, status);
}

static void exchange_places(vlBodySet *bodies)
{
  for (int b = 0; b < bodies->count; b++) {
    vlVec3 *now = bodies->body[b]->x;
    bodies->body[b]->x = bodies->body[b]->first;
    bodies->body[b]->first = now;
  }
}

/* The surface of still liquid stays as the scene draws it around bodies that lie where they began: all that moves are these.
 */
static vlCode fill_still(vlSharp *sim, vlStatus *status)
{
  exchange_places(&sim->state.bodies);
  vlCode code = vl_body_step_distance(sim, NULL, status);
  if (!code)
    code = vl_level_set_from_shapes(&sim->scene->liquid, sim->scene->path, &sim->grid, deep_in_solid, sim,
                                    sim->work.level.phi, &sim->work.wet, status);
  exchange_places(&sim->state.bodies);
  if (!code) code = vl_body_step_distance(sim, NULL, status);
  return code ? code : vl_sharp_recut(sim, status);
}

static vlCode create_shapes(vlSdf ***list, const vlShape *shapes, size_t stride, int count, vlStatus *status)
{
  *list = calloc((size_t)count + 1, sizeof **list);
  if (!*list) return vl_fail_memory(status, (size_t)count * sizeof **list, "sources and sinks");
  vlCode code = VL_OK;
  for (int i = 0; i < count && !code; i++)
    code = vl_sdf_create(&(*list)[i], (const vlShape *)(const void *)((const char *)shapes + (size_t)i * stride), status);
  return code;
}

static vlCode create_moving(vlSharp *sim, vlStatus *status)
{
  const vlLiquidDef *liquid = &sim->scene->liquid;
  unsigned with = liquid->transfer == VL_TRANSFER_APIC ? VL_PARTICLES_AFFINE : 0;
  vl_kernel_create(&sim->kernel, &sim->grid);
  sim->per_cell = liquid->particles * liquid->particles * (sim->grid.n[2] > 1 ? liquid->particles : 1);
  vlCode code = create_shapes(&sim->sources, liquid->sources ? &liquid->sources[0].shape : NULL, sizeof(vlSourceDef),
                              liquid->source_count, status);
  if (!code)
    code = create_shapes(&sim->sinks, liquid->sinks ? &liquid->sinks[0].shape : NULL, sizeof(vlSinkDef), liquid->sink_count,
                         status);
  if (!code) code = vl_sources_create(sim, status);
  vl_outlets_find(sim);
  if (!code) code = vl_particles_create(&sim->state.particles, &sim->grid, with, status);
  sim->state.max_speed = vl_norm(liquid->velocity) + fabs(liquid->swirl_speed);
  return code ? code : vl_motion_seed(sim, status);
}

/* The bodies, and where they are. */
static vlCode create_bodies(vlSharp *sim, vlStatus *status)
{
  vlBodySet *bodies = &sim->state.bodies;
  vlCode code = vl_bodies_create(bodies, sim->scene, sim->log, status);
  bodies->grid = &sim->grid;
  bodies->statics = sim->statics;
  bodies->distance = &sim->work.body_distance;
  if (!code) code = vl_bodies_check_apart(bodies, sim->scene, status);
  sim->apart = *bodies;
  if (code || bodies->count == 0) return code;
  vl_bodies_doubt(bodies, vl_grid_box(&sim->grid), sim->log);
  return VL_OK;
}

vlCode vl_sharp_create(vlSim *base, vlStatus *status)
{
  vlSharp *sim = vl_sharp(base);
  sim->scene = base->scene;
  sim->log = base->log;
  bool fine = sim->scene->liquid.surface == VL_LIQUID_SURFACE_SUBGRID;
  sim->method = fine ? &vl_method_subgrid : &vl_method_sharp;
  vlCode code = vl_grid_create(&sim->grid, &sim->scene->grid, status);
  if (!code) code = create_fields(sim, 0, STATE_FIELDS, status);
  if (!code) code = create_solids(sim, status);
  if (!code) code = create_bodies(sim, status);
  if (!code) code = make_work(sim, status);
  if (!code && fine) code = vl_subgrid_create(sim, status);
  if (code) return code;
  vl_body_step_doubt(sim);
  return sim->scene->liquid.transfer == VL_TRANSFER_STILL ? fill_still(sim, status) : create_moving(sim, status);
}

vlCode vl_sharp_rebuild(vlSharp *sim, vlStatus *status)
{
  clear_work(sim);
  vlCode code = make_work(sim, status);
  if (!code && !sim->state.particles) return fill_still(sim, status);
  if (!code) code = sim->method->place(sim, status);
  return code ? code : sim->method->fill(sim, status);
}

static void destroy_shapes(vlSdf ***list, int count)
{
  for (int i = 0; *list && i < count; i++) vl_sdf_destroy(&(*list)[i]);
  free(*list);
  *list = NULL;
}

void vl_sharp_destroy(vlSim *base)
{
  vlSharp *s = vl_sharp(base);
  clear_work(s);
  destroy_fields(s, 0, STATE_FIELDS);
  vl_subgrid_destroy(s);
  vl_sources_destroy(s);
  destroy_shapes(&s->sources, s->scene ? s->scene->liquid.source_count : 0);
  destroy_shapes(&s->sinks, s->scene ? s->scene->liquid.sink_count : 0);
  vl_particles_destroy(&s->state.particles);
  if (s->apart.body == s->state.bodies.body) s->apart = (vlBodySet){0}; /* its arrays are these */
  vl_bodies_clear(&s->state.bodies);
  free(s->state.parted.place);
  free(s->state.walls);
  vl_wall_patches_clear(&s->wall_patches);
  vl_cuts_destroy(&s->static_cuts);
  vl_statics_destroy(&s->statics);
}

static int64_t count_liquid_cells(const vlSharp *sim)
{
  const vlBlocks *wet = &sim->work.wet;
  int64_t cells = 0;
#pragma omp parallel for schedule(static) reduction(+ : cells)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(&sim->grid, wet->at[b]);
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++) cells += sim->work.level.phi[at + l] < 0.0;
  }
  return cells;
}

static double count_body_bytes(const vlSharp *sim)
{
  double bytes = (double)(sim->work.patches.capacity + sim->work.patches.scratch_capacity) * sizeof(vlPatch) +
                 vl_body_distance_bytes(&sim->work.body_distance);
  for (int b = 0; b < sim->state.bodies.count; b++)
    bytes += sim->state.bodies.body[b]->type->bytes(sim->state.bodies.body[b]);
  return bytes;
}

static void add_bodies(vlSimFacts *facts, const vlSharp *sim)
{
  const vlBodySet *bodies = &sim->state.bodies;
  facts->bodies = bodies->count;
  for (int b = 0; b < bodies->count; b++) {
    vlBodyMeasure measure = vl_body_measure(bodies->body[b], vl_sim_gravity(&sim->sim));
    facts->body_nodes += bodies->body[b]->node_count;
    facts->body_elements += bodies->body[b]->element_count;
    facts->body_volume += measure.volume;
    facts->body_mass += measure.mass;
  }
  facts->body_bytes = count_body_bytes(sim);
}

vlSimFacts vl_sharp_facts(const vlSim *base)
{
  const vlSharp *sim = vl_sharp(base);
  vlSimFacts facts = {.n = {sim->grid.n[0], sim->grid.n[1], sim->grid.n[2]}, .dx = sim->grid.dx};
  facts.liquid_cells = count_liquid_cells(sim);
  facts.solid_triangles = vl_statics_surface(sim->statics)->triangle_count;
  facts.solid_volume = facts.solid_triangles > 0 ? vl_cuts_solid_volume(sim->static_cuts) : 0.0;
  add_bodies(&facts, sim);
  void *fields[FIELDS];
  list_memory(sim, fields);
  facts.bytes = vl_page_use_bytes(&sim->work.pages, fields, FIELDS) + vl_sharp_array_bytes(sim) + facts.body_bytes;
  return facts;
}

void vl_sharp_moment(const vlSim *sim, int64_t *step, double *time)
{
  *step = vl_sharp(sim)->state.step;
  *time = vl_sharp(sim)->state.time;
}

void vl_sharp_set_moment(vlSim *sim, int64_t step, double time)
{
  vl_sharp(sim)->state.step = step;
  vl_sharp(sim)->state.time = time;
}

const vlBodySet *vl_sharp_bodies(const vlSim *sim) { return &vl_sharp(sim)->state.bodies; }

const vlWallLoad *vl_sharp_walls(const vlSim *sim) { return vl_sharp(sim)->state.walls; }

vlCode vl_sharp_export_system(const vlSim *sim, const char *folder, vlStatus *status)
{
  return vl_pressure_export(vl_sharp(sim)->work.pressure, folder, status);
}

const vlEngine vl_engine_sharp = {.name = "sharp",
                                  .bytes = sizeof(vlSharp),
                                  .create = vl_sharp_create,
                                  .destroy = vl_sharp_destroy,
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
                                  .field = vl_sharp_field,
                                  .blocks = vl_sharp_blocks,
                                  .open = vl_sharp_open,
                                  .surface = vl_sharp_surface,
                                  .solids = vl_sharp_solids,
                                  .bodies = vl_sharp_bodies,
                                  .walls = vl_sharp_walls,
                                  .probe = vl_sharp_probe,
                                  .export_system = vl_sharp_export_system};
