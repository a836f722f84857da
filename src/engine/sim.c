/* A simulation from a scene: grid, solids, liquid, memory. */
#include <omp.h>
#include <stdlib.h>

#include "base/status.h"
#include "engine/sim.h"
#include "liquid/level_set.h"

vlFluid vl_sim_fluid(const vlSim *sim)
{
  return (vlFluid){.grid = &sim->grid,
                   .wet = &sim->work.wet,
                   .cuts = sim->cuts,
                   .area = (const double *const *)sim->work.area,
                   .phi = sim->state.phi,
                   .theta_min = sim->scene->theta_min};
}

static bool deep_in_solid(const void *data, vlVec3 center, double radius)
{
  return vl_statics_distance(data, center) < -radius;
}

static vlCode create_fields(vlSim *sim, vlStatus *status)
{
  double **fields[] = {&sim->state.u[0],     &sim->state.u[1],     &sim->state.u[2],    &sim->state.p,
                       &sim->state.phi,      &sim->work.area[0],   &sim->work.area[1],  &sim->work.area[2],
                       &sim->work.u_star[0], &sim->work.u_star[1], &sim->work.u_star[2]};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    *fields[i] = vl_field_create(&sim->grid);
    if (!*fields[i]) return vl_fail_memory(status, sim->grid.length * sizeof(double), "the address space of a field");
  }
  return VL_OK;
}

static vlCode build(vlSim *sim, vlStatus *status)
{
  vlCode code = vl_grid_create(&sim->grid, sim->scene, status);
  if (!code) code = create_fields(sim, status);
  if (!code) code = vl_statics_create(&sim->statics, sim->scene, &sim->grid, sim->log, status);
  if (!code)
    code = vl_cuts_create(&sim->cuts, vl_statics_surface(sim->statics), vl_statics_solid_at_infinity(sim->statics),
                          &sim->grid, status);
  if (code) return code;
  if (sim->cuts->clamped > 0)
    vl_log(sim->log, VL_LOG_WARNING, "%d faces have solids overlapping themselves; their open area was clamped",
           sim->cuts->clamped);
  code = vl_blocks_create(&sim->work.wet, sim->grid.n, status);
  if (!code)
    code = vl_level_set_from_shapes(&sim->scene->liquid, &sim->grid, deep_in_solid, sim->statics, sim->state.phi,
                                    &sim->work.wet, status);
  if (code) return code;
  vl_cuts_fill_areas(sim->cuts, &sim->work.wet, sim->work.area);
  return vl_pressure_create(&sim->work.pressure, &sim->grid, status);
}

vlCode vl_sim_create(vlSim **sim, const vlScene *scene, vlSimOptions options, vlStatus *status)
{
  *sim = calloc(1, sizeof **sim);
  if (!*sim) return vl_fail_memory(status, sizeof **sim, "the simulation");
  (*sim)->scene = scene;
  (*sim)->log = options.log;
  (*sim)->threads = options.threads > 0 ? options.threads : omp_get_num_procs();
  omp_set_num_threads((*sim)->threads);
  vlCode code = build(*sim, status);
  if (code) vl_sim_destroy(sim);
  return code;
}

void vl_sim_destroy(vlSim **sim)
{
  vlSim *s = *sim;
  if (!s) return;
  for (int a = 0; a < 3; a++) {
    vl_field_destroy(&s->grid, &s->state.u[a]);
    vl_field_destroy(&s->grid, &s->work.area[a]);
    vl_field_destroy(&s->grid, &s->work.u_star[a]);
  }
  vl_field_destroy(&s->grid, &s->state.p);
  vl_field_destroy(&s->grid, &s->state.phi);
  vl_blocks_clear(&s->work.wet);
  vl_pressure_destroy(&s->work.pressure);
  vl_cuts_destroy(&s->cuts);
  vl_statics_destroy(&s->statics);
  free(s);
  *sim = NULL;
}

double vl_sim_time(const vlSim *sim) { return sim->state.time; }

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
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++) cells += sim->state.phi[at + l] < 0.0;
  }
  return cells;
}

vlSimFacts vl_sim_facts(const vlSim *sim)
{
  vlSimFacts facts = {.n = {sim->grid.n[0], sim->grid.n[1], sim->grid.n[2]}, .dx = sim->grid.dx};
  facts.liquid_cells = count_liquid_cells(sim);
  facts.solid_triangles = vl_statics_surface(sim->statics)->triangle_count;
  facts.solid_volume = vl_cuts_solid_volume(sim->cuts);
  /* per wet cell: 11 fields; per unknown: matrix 4, vectors 6 doubles and 2 integers, multigrid 8 floats on all levels */
  double wet_cells = (double)sim->work.wet.count * VL_BLOCK;
  facts.bytes = wet_cells * (11 * 8 + 10 * 8 + 2 * 4 + 8 * 4 * 8.0 / 7.0) + (double)sim->cuts->count * sizeof(vlCutCell);
  return facts;
}
