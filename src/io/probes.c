/* Probes measure the state that a step left.
 *
 *   height     along the column of cells at x, z: the highest zero of the level set, linear between cell centres, above the
 *              probe's position; 0 when there is none
 *   pressure   mean of p_c + rho g.(x - x_c) over the liquid cells c around the point, with trilinear weights: trilinear
 *              where all eight are liquid, and exact for liquid at rest next to walls and the surface, too; 0 in air
 *   velocity   trilinear between the faces
 *   flux       sum of A u w over the faces of the nearest plane of faces, A their open area in the rectangle, w the liquid
 *              part of the cells beside them
 * Lines are "step,time,..." with all digits, so equal runs give equal bytes. */
#include "io/probes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "engine/sim.h"
#include "grid/sample.h"
#include "io/frame_files.h"
#include "io/number.h"
#include "io/table.h"
#include "liquid/level_set.h"

enum { CENTERS = -1 }; /* vl_sample_at: among the cell centres */

typedef struct Place {
  double x[3]; /* cells from the grid's lower corner */
  int cell[3]; /* the one it lies in, or next to which it lies */
} Place;

static Place place_of(const vlGrid *g, vlVec3 position)
{
  Place place;
  for (int a = 0; a < 3; a++) {
    place.x[a] = (position.v[a] - g->origin.v[a]) / g->dx;
    place.cell[a] = (int)fmin(fmax(floor(place.x[a]), 0.0), g->n[a] - 1.0);
  }
  return place;
}

static void measure_height(const vlSim *sim, const vlProbeDef *probe, double *value)
{
  const vlGrid *g = &sim->grid;
  Place place = place_of(g, probe->position);
  const double *phi = sim->work.level.phi + vl_grid_at(g, place.cell[0], 0, place.cell[2]);
  int j = g->n[1] - 1;
  while (j >= 0 && !(phi[j * g->stride[1]] < 0.0)) j--;
  double top = 0.0; /* cells */
  if (j == g->n[1] - 1) {
    top = g->n[1];
  } else if (j >= 0) {
    double below = phi[j * g->stride[1]], above = phi[(j + 1) * g->stride[1]];
    top = j + 0.5 + below / (below - above);
  }
  value[0] = j < 0 ? 0.0 : fmax(0.0, (top - place.x[1]) * g->dx);
}

/* Weight of one of the eight cells around a point, and where its centre lies from the point, m. */
static double corner_of(const vlGrid *g, const Place *place, int corner, int cell[3], vlVec3 *shift)
{
  double weight = 1.0;
  for (int a = 0; a < 3; a++) {
    int upper = corner >> a & 1;
    double q = place->x[a] - 0.5, lower = fmax(0.0, fmin(floor(q), g->n[a] - 2.0)), f = fmax(0.0, fmin(q - lower, 1.0));
    cell[a] = (int)lower + (g->n[a] > 1 ? upper : 0);
    weight *= upper ? f : 1.0 - f;
    shift->v[a] = g->n[a] > 1 ? (q - cell[a]) * g->dx : 0.0;
  }
  return weight;
}

static void measure_pressure(const vlSim *sim, const vlProbeDef *probe, double *value)
{
  const vlGrid *g = &sim->grid;
  Place place = place_of(g, probe->position);
  vlStencil8 s = vl_sample_at(g, CENTERS, place.x);
  double sum = 0.0, weights = 0.0, rho = sim->scene->liquid.density;
  value[0] = 0.0;
  if (!(vl_sample_value(&s, sim->work.level.phi) < 0.0)) return;
  for (int corner = 0; corner < 8; corner++) {
    int cell[3];
    vlVec3 shift;
    double weight = corner_of(g, &place, corner, cell, &shift);
    ptrdiff_t at = vl_grid_at(g, cell[0], cell[1], cell[2]);
    if (weight == 0.0 || !(sim->work.level.phi[at] < 0.0) || !(sim->work.open[at] > 0.0)) continue;
    sum += weight * (sim->state.p[at] + rho * vl_dot(sim->scene->gravity, shift));
    weights += weight;
  }
  if (weights > 0.0) value[0] = sum / weights;
}

static void measure_velocity(const vlSim *sim, const vlProbeDef *probe, double *value)
{
  Place place = place_of(&sim->grid, probe->position);
  vl_sample_velocity(&sim->grid, vl_frame_velocity(sim), place.x, value);
}

/* Length along axis a that cell i has in common with the rectangle, in cells. */
static double overlap(const vlGrid *g, const vlProbeDef *probe, int a, int i)
{
  if (g->n[a] == 1) return 1.0; /* a slab is measured over its whole thickness */
  double middle = (probe->position.v[a] - g->origin.v[a]) / g->dx, half = 0.5 * probe->size.v[a] / g->dx;
  return fmax(0.0, fmin(i + 1.0, middle + half) - fmax(i, middle - half));
}

/* Mean liquid part of the cells on both sides of a face; beyond the box there is none. */
static double liquid_part(const vlSim *sim, const int face[3], int axis)
{
  const vlGrid *g = &sim->grid;
  double sum = 0.0;
  int sides = 0;
  for (int side = -1; side <= 0; side++) {
    int cell[3] = {face[0], face[1], face[2]};
    cell[axis] += side;
    if (cell[axis] < 0 || cell[axis] >= g->n[axis]) continue;
    sides++;
    if (vl_blocks_find(&sim->work.wet, cell[0] / VL_BLOCK, cell[1], cell[2]) < 0) continue;
    sum += vl_level_set_cell_fraction(g, sim->work.level.phi, vl_grid_at(g, cell[0], cell[1], cell[2]));
  }
  return sum / sides;
}

static void measure_flux(const vlSim *sim, const vlProbeDef *probe, double *value)
{
  const vlGrid *g = &sim->grid;
  int axis = probe->axis, b = (axis + 1) % 3, c = (axis + 2) % 3, face[3];
  double plane = round((probe->position.v[axis] - g->origin.v[axis]) / g->dx), sum = 0.0;
  face[axis] = (int)fmin(fmax(plane, 0.0), g->n[axis]);
  for (face[c] = 0; face[c] < g->n[c]; face[c]++)
    for (face[b] = 0; face[b] < g->n[b]; face[b]++) {
      double part = overlap(g, probe, b, face[b]) * overlap(g, probe, c, face[c]);
      if (part > 0.0) part *= liquid_part(sim, face, axis);
      if (!(part > 0.0)) continue;
      ptrdiff_t at = vl_grid_at(g, face[0], face[1], face[2]);
      sum += part * sim->work.area[axis][at] * vl_frame_velocity(sim)[axis][at];
    }
  value[0] = sum;
}

static const struct {
  const char *unit;
  int count; /* values */
  void (*measure)(const vlSim *sim, const vlProbeDef *probe, double *value);
} kinds[VL_PROBE_KIND_COUNT] = {
    [VL_PROBE_HEIGHT] = {"m", 1, measure_height},
    [VL_PROBE_PRESSURE] = {"Pa", 1, measure_pressure},
    [VL_PROBE_VELOCITY] = {"m/s", 3, measure_velocity},
    [VL_PROBE_FLUX] = {"m3/s", 1, measure_flux},
};

int vl_probe_measure(const vlSim *sim, const vlProbeDef *probe, double value[3])
{
  kinds[probe->kind].measure(sim, probe, value);
  return kinds[probe->kind].count;
}

struct vlProbes {
  const vlSim *sim;
  vlTable table;
  char *line; /* room for a line of any kind [room] */
  size_t room;
};

/* "step,time [s],gauge [m],stream_x [m/s],..." */
static void header_line(vlProbes *probes)
{
  size_t n = (size_t)snprintf(probes->line, probes->room, "step,time [s]");
  for (int i = 0; i < probes->sim->scene->probe_count; i++) {
    const vlProbeDef *probe = &probes->sim->scene->probes[i];
    for (int v = 0; v < kinds[probe->kind].count; v++) {
      const char part[3] = {'_', "xyz"[v], '\0'};
      n += (size_t)snprintf(probes->line + n, probes->room - n, ",%s%s [%s]", probe->name,
                            kinds[probe->kind].count > 1 ? part : "", kinds[probe->kind].unit);
    }
  }
  snprintf(probes->line + n, probes->room - n, "\n");
}

vlCode vl_probes_create(vlProbes **probes, const vlSim *sim, const char *folder, vlStatus *status)
{
  *probes = NULL;
  if (sim->scene->probe_count == 0) return VL_OK;
  vlProbes *p = *probes = calloc(1, sizeof *p);
  if (!p) return vl_fail_memory(status, sizeof *p, "the probes");
  p->sim = sim;
  p->table = VL_TABLE_CLOSED;
  /* three columns of a probe, each with a name and a unit or a number */
  p->room = 128 + (size_t)sim->scene->probe_count * 3 * (sizeof sim->scene->probes->name + VL_NUMBER_TEXT);
  p->line = malloc(p->room);
  vlCode code = VL_OK;
  if (!p->line) {
    code = vl_fail_memory(status, p->room, "the probes");
  } else {
    header_line(p);
    code = vl_table_open(&p->table, folder, "probes.csv", p->line, status);
  }
  if (code) vl_probes_destroy(probes);
  return code;
}

vlCode vl_probes_keep(vlProbes *probes, int64_t step, vlStatus *status)
{
  return probes ? vl_table_keep(&probes->table, step, status) : VL_OK;
}

vlCode vl_probes_add(vlProbes *probes, vlStatus *status)
{
  if (!probes) return VL_OK;
  const vlSim *sim = probes->sim;
  char text[VL_NUMBER_TEXT];
  size_t n = (size_t)snprintf(probes->line, probes->room, "%lld,%s", (long long)sim->state.step,
                              vl_number_text(sim->state.time, text));
  for (int i = 0; i < sim->scene->probe_count; i++) {
    double value[3];
    int count = vl_probe_measure(sim, &sim->scene->probes[i], value);
    for (int v = 0; v < count; v++)
      n += (size_t)snprintf(probes->line + n, probes->room - n, ",%s", vl_number_text(value[v], text));
  }
  n += (size_t)snprintf(probes->line + n, probes->room - n, "\n");
  return vl_table_append(&probes->table, probes->line, n, status);
}

void vl_probes_destroy(vlProbes **probes)
{
  if (!probes || !*probes) return;
  vl_table_close(&(*probes)->table);
  free((*probes)->line);
  free(*probes);
  *probes = NULL;
}
