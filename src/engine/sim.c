/* A simulation from a scene: grid, solids, liquid, memory. */
#include <omp.h>
#include <stdlib.h>

#include "base/status.h"
#include "engine/body_step.h"
#include "engine/sim.h"
#include "liquid/level_set.h"
#include "scene/data.h"
#include "solid/elastic_system.h"

enum { MOST_THREADS = 1024 }; /* OpenMP ends the process when it is asked for more than the machine can start */

const char *vl_version(void) { return VELELLA_VERSION; }

int vl_sim_enter(const vlSim *sim)
{
  int before = omp_get_max_threads();
  omp_set_num_threads(sim->threads);
  return before;
}

void vl_sim_leave(int before) { omp_set_num_threads(before); }

double *const *vl_sim_velocity(const vlSim *sim)
{
  return sim->state.particles && sim->state.step > 0 ? sim->work.u : sim->state.u_old;
}

vlFluid vl_sim_fluid(const vlSim *sim)
{
  return (vlFluid){.grid = &sim->grid,
                   .wet = &sim->work.wet,
                   .cuts = sim->cuts,
                   .area = (const double *const *)sim->work.area,
                   .phi = sim->work.level.phi,
                   .theta_min = sim->scene->pressure.theta_min,
                   .open = sim->work.open,
                   .parted = vl_parting_on(sim->scene) ? sim->work.separation.parted : NULL,
                   .bodies = vl_body_step_wet(sim),
                   .bodies_given = sim->scene->coupling.kind == VL_COUPLING_WEAK,
                   .gain = sim->state.particles && sim->scene->liquid.keep_volume ? sim->work.density.gain : NULL};
}

vlObstacles vl_sim_obstacles(const vlSim *sim)
{
  return (vlObstacles){.distance = sim->solid_nodes.distance,
                       .near = sim->solid_nodes.near,
                       .shape = &sim->work.wet,
                       .body_distance = sim->work.body_distance.distance,
                       .body_near = sim->work.body_distance.near,
                       .body_velocity = sim->work.body_distance.velocity};
}

double vl_sim_solid_distance(const void *data, vlVec3 x)
{
  const vlSim *sim = data;
  double d = sim->solid_nodes.any ? vl_statics_distance(sim->statics, x) : INFINITY;
  return fmin(d, vl_body_distance_at(&sim->work.body_distance, x));
}

static bool deep_in_solid(const void *data, vlVec3 center, double radius)
{
  return vl_sim_solid_distance(data, center) < -radius;
}

/* Every field of the simulation, for making and freeing them. */
enum { FIELDS = 17 };
static void list_fields(vlSim *sim, double **fields[FIELDS])
{
  int count = 0;
  for (int a = 0; a < 3; a++) {
    fields[count++] = &sim->state.u_old[a];
    fields[count++] = &sim->work.u[a];
    fields[count++] = &sim->work.area[a];
    fields[count++] = &sim->work.weight[a];
  }
  fields[count++] = &sim->state.p;
  fields[count++] = &sim->work.level.phi;
  fields[count++] = &sim->work.density.filled;
  fields[count++] = &sim->work.density.gain;
  fields[count++] = &sim->work.open;
}

static vlCode create_fields(vlSim *sim, vlStatus *status)
{
  double **fields[FIELDS];
  list_fields(sim, fields);
  for (int i = 0; i < FIELDS; i++) {
    *fields[i] = vl_field_create(&sim->grid);
    if (!*fields[i]) return vl_fail_memory(status, sim->grid.length * sizeof(double), "the address space of a field");
  }
  vlCode code = vl_blocks_create(&sim->work.wet, sim->grid.n, status);
  return code ? code : vl_blocks_create(&sim->work.wet_before, sim->grid.n, status);
}

static void warn_of_solids(const vlSim *sim)
{
  const vlCuts *cuts = sim->cuts;
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

static vlCode create_solids(vlSim *sim, vlStatus *status)
{
  vlCode code = vl_statics_create(&sim->statics, sim->scene, &sim->grid, sim->log, status);
  if (!code)
    code = vl_cuts_create(&sim->static_cuts, vl_statics_surface(sim->statics), vl_statics_solid_at_infinity(sim->statics),
                          &sim->grid, status);
  sim->cuts = sim->static_cuts;
  if (!code) code = vl_weights_create(&sim->weights, sim->scene->pressure.weights, sim->statics, sim->static_cuts, status);
  if (!code) code = vl_node_distance_create(&sim->solid_nodes, &sim->grid, sim->statics, status);
  if (!code) warn_of_solids(sim);
  return code;
}

vlCode vl_sim_recut(vlSim *sim, vlStatus *status)
{
  vlCode code = vl_body_step_cut(sim, status);
  if (code) return code;
  vl_cuts_fill_areas(sim->cuts, &sim->work.wet, sim->work.area);
  vl_cuts_fill_open(sim->cuts, &sim->work.wet, sim->work.area[1], sim->work.open);
  if (sim->scene->pressure.weights == VL_WEIGHTS_AREA) return VL_OK;
  if (sim->state.bodies.count > 0) code = vl_body_step_weigh(sim, status);
  if (!code) vl_weights_apply(&sim->weights, &sim->work.wet, &sim->grid, sim->work.area);
  return code;
}

/* The surface stays as the scene draws it. */
static vlCode create_still(vlSim *sim, vlStatus *status)
{
  vlCode code = vl_level_set_from_shapes(&sim->scene->liquid, sim->scene->path, &sim->grid, deep_in_solid, sim,
                                         sim->work.level.phi, &sim->work.wet, status);
  if (code) return code;
  return vl_sim_recut(sim, status);
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

static vlCode create_moving(vlSim *sim, vlStatus *status)
{
  const vlLiquidDef *liquid = &sim->scene->liquid;
  vlStepInfo ignored = {0};
  vl_kernel_create(&sim->kernel, &sim->grid);
  sim->per_cell = liquid->particles * liquid->particles * (sim->grid.n[2] > 1 ? liquid->particles : 1);
  vlCode code = create_shapes(&sim->sources, liquid->sources ? &liquid->sources[0].shape : NULL, sizeof(vlSourceDef),
                              liquid->source_count, status);
  if (!code) code = create_shapes(&sim->sinks, liquid->sinks, sizeof(vlShape), liquid->sink_count, status);
  if (!code) code = vl_particles_create(&sim->state.particles, &sim->grid, liquid->transfer == VL_TRANSFER_APIC, status);
  if (!code) code = vl_motion_seed(sim, status);
  sim->state.max_speed = vl_norm(liquid->velocity) + fabs(liquid->swirl_speed);
  return code ? code : vl_motion_settle(sim, 0.0, &ignored, status);
}

static vlCode build(vlSim *sim, vlStatus *status)
{
  vlCode code = vl_scene_complete(sim->scene, status);
  if (!code) code = vl_grid_create(&sim->grid, &sim->scene->grid, status);
  if (!code) code = create_fields(sim, status);
  if (!code) code = create_solids(sim, status);
  if (!code) code = vl_body_step_create(sim, status);
  if (!code) code = vl_pressure_create(&sim->work.pressure, &sim->grid, status);
  if (code) return code;
  return sim->scene->liquid.transfer == VL_TRANSFER_STILL ? create_still(sim, status) : create_moving(sim, status);
}

vlCode vl_sim_create(vlSim **sim, const vlScene *scene, vlSimOptions options, vlStatus *status)
{
  vlSim *s = *sim = calloc(1, sizeof *s);
  if (s) s->scene = calloc(1, sizeof *s->scene);
  if (!s || !s->scene) {
    free(s);
    *sim = NULL;
    return vl_fail_memory(status, sizeof *s, "the simulation");
  }
  s->log = options.log;
  s->threads = options.threads > 0 ? options.threads : omp_get_num_procs();
  if (s->threads > MOST_THREADS) s->threads = MOST_THREADS;
  int before = vl_sim_enter(s);
  vlCode code = vl_scene_copy(s->scene, scene, status);
  if (!code) code = build(s, status);
  vl_sim_leave(before);
  if (code) vl_sim_destroy(sim);
  return code;
}

static void destroy_shapes(vlSdf ***list, int count)
{
  for (int i = 0; *list && i < count; i++) vl_sdf_destroy(&(*list)[i]);
  free(*list);
  *list = NULL;
}

void vl_sim_destroy(vlSim **sim)
{
  if (!sim || !*sim) return;
  vlSim *s = *sim;
  double **fields[FIELDS];
  list_fields(s, fields);
  for (int i = 0; i < FIELDS; i++) vl_field_destroy(&s->grid, fields[i]);
  destroy_shapes(&s->sources, s->scene->liquid.source_count);
  destroy_shapes(&s->sinks, s->scene->liquid.sink_count);
  vl_particles_destroy(&s->state.particles);
  vl_blocks_clear(&s->work.wet);
  vl_blocks_clear(&s->work.wet_before);
  vl_face_mask_clear(&s->work.touched);
  vl_face_mask_clear(&s->work.known);
  vl_face_mask_clear(&s->work.scratch);
  free(s->work.slip.value);
  vl_calm_clear(&s->work.calm);
  free(s->work.level_work.held);
  free(s->work.level_work.narrow);
  vl_pressure_destroy(&s->work.pressure);
  vl_separation_clear(&s->work.separation);
  free(s->state.parted.place);
  vl_node_distance_clear(&s->solid_nodes, &s->grid);
  vl_body_step_clear(s);
  vl_weights_clear(&s->weights);
  if (s->cuts != s->static_cuts) vl_cuts_destroy(&s->cuts);
  vl_cuts_destroy(&s->static_cuts);
  vl_statics_destroy(&s->statics);
  vl_surface_clear(&s->surface);
  vl_scene_free(s->scene);
  free(s->scene);
  free(s);
  *sim = NULL;
}

vlCode vl_sim_advance(vlSim *sim, double time, vlStepInfo *info, vlStatus *status)
{
  double start = sim->state.time, rounding = 1e-9 * (time - start); /* nothing to make a step of */
  vlCode code = VL_OK;
  if (!isfinite(time)) return vl_fail(status, VL_ERROR_USAGE, "vl_sim_advance: the time is %g s, it must be finite", time);
  if (info) *info = (vlStepInfo){.step = sim->state.step, .time = start};
  for (double left; !code && (left = time - sim->state.time) > rounding;) code = vl_sim_step(sim, left, info, status);
  return code;
}

double vl_sim_time(const vlSim *sim) { return sim->state.time; }

int64_t vl_sim_step_count(const vlSim *sim) { return sim->state.step; }

vlCode vl_sim_export_system(const vlSim *sim, const char *folder, vlStatus *status)
{
  return vl_pressure_export(sim->work.pressure, folder, status);
}

static int64_t count_liquid_cells(const vlSim *sim)
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

static double count_body_bytes(const vlSim *sim)
{
  const vlBodyDistance *d = &sim->work.body_distance;
  double bytes =
      (double)sim->work.patches.capacity * sizeof(vlPatch) + (double)sim->work.patches.scratch_capacity * sizeof(vlPatch) +
      (double)d->corner_capacity * (sizeof(vlBodyCorner) + 4 * sizeof(double)) +
      (double)d->row_capacity * (sizeof(vlBodyRow) + sizeof(unsigned)) + (double)d->block_capacity * sizeof(vlBlockPosition);
  for (int b = 0; b < sim->state.bodies.count; b++) bytes += vl_elastic_bytes(sim->state.bodies.body[b]);
  return bytes;
}

static void add_bodies(vlSimFacts *facts, const vlSim *sim)
{
  const vlBodies *bodies = &sim->state.bodies;
  facts->bodies = bodies->count;
  for (int b = 0; b < bodies->count; b++) {
    vlElasticMeasure measure = vl_elastic_measure(bodies->body[b], sim->scene->gravity);
    facts->body_nodes += bodies->body[b]->node_count;
    facts->body_elements += bodies->body[b]->element_count;
    facts->body_volume += measure.volume;
    facts->body_mass += measure.mass;
  }
  facts->body_bytes = count_body_bytes(sim);
}

/* What a step holds, without the bodies, without the scratch of building solids and surfaces and without the trees of mesh
 * solids. */
static double estimate_bytes(const vlSim *sim)
{
  const vlTriMesh *surface = vl_statics_surface(sim->statics);
  const vlParticles *p = sim->state.particles;
  /* of a wet cell: fields; matrix 4 and vectors 6 doubles; 2 labels; multigrid 9 floats on all levels */
  double cell = (FIELDS + sim->solid_nodes.any) * 8.0 + 10 * 8 + 2 * 4 + 9 * 4 * 8.0 / 7.0;
  double particle = (p && p->affine ? 15 : 6) * 4 + 20; /* floats; id and the sort's scratch */
  return (double)sim->work.wet.count * VL_BLOCK * cell + (p ? (double)p->capacity * particle : 0.0) +
         (double)sim->cuts->count * (sizeof(vlCutCell) + 3 * sizeof(int)) + (double)surface->vertex_count * sizeof(vlVec3) +
         (double)surface->triangle_count * sizeof *surface->tri;
}

vlSimFacts vl_sim_facts(const vlSim *sim)
{
  vlSimFacts facts = {.n = {sim->grid.n[0], sim->grid.n[1], sim->grid.n[2]}, .dx = sim->grid.dx};
  facts.liquid_cells = count_liquid_cells(sim);
  facts.solid_triangles = vl_statics_surface(sim->statics)->triangle_count;
  facts.solid_volume = facts.solid_triangles > 0 ? vl_cuts_solid_volume(sim->static_cuts) : 0.0;
  add_bodies(&facts, sim);
  facts.bytes = estimate_bytes(sim) + facts.body_bytes;
  return facts;
}
