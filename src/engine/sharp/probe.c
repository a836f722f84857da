/* Probes measure the state that a step left.
 *
 *   height     along the column of cells at x, z: the highest zero of the level set, linear between cell centres, above the
 *              probe's position; 0 when there is none
 *   depth      along the same column, the first run of liquid cells at or above the position, if it stands on something or
 *              reaches down to the position: from its bottom, or the position if that is higher, up to its top; else 0
 *   pressure   mean of p_c + rho g.(x - x_c) over the liquid cells c around the point that had a pressure in the last solve,
 *              with trilinear weights: trilinear where all eight are liquid, and exact for liquid at rest next to walls and
 *              the surface, too; 0 in air. The point lies in air if the level set does, between cells that are not all
 *              solid: what it is continued with into solids does not count
 *   velocity   trilinear between the faces
 *   flux       sum of A u w over the faces of the nearest plane of faces, A their open area in the rectangle, w the liquid
 *              part of the cells beside them
 *   node       where a node of a body is against its place at rest; the node is the one that rests nearest
 * In: a simulation at any time and a probe, of its scene or not. Out: one value, or three. */
#include <math.h>
#include <string.h>

#include "engine/sharp/sharp.h"
#include "grid/sample.h"
#include "liquid/level_set.h"

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

/* Cells: where the level set is zero between the centres of cell j of a column, which is liquid, and the one above it. */
static double top_of(const vlGrid *g, const double *phi, int j)
{
  if (j == g->n[1] - 1) return g->n[1];
  double below = phi[j * g->stride[1]], above = phi[(j + 1) * g->stride[1]];
  return j + 0.5 + below / (below - above);
}

static void measure_height(const vlSharp *sim, const vlProbeDef *probe, double *value)
{
  const vlGrid *g = &sim->grid;
  Place place = place_of(g, probe->position);
  const double *phi = sim->work.level.phi + vl_grid_at(g, place.cell[0], 0, place.cell[2]);
  int j = g->n[1] - 1;
  while (j >= 0 && !(phi[j * g->stride[1]] < 0.0)) j--;
  value[0] = j < 0 ? 0.0 : fmax(0.0, (top_of(g, phi, j) - place.x[1]) * g->dx);
}

static void measure_depth(const vlSharp *sim, const vlProbeDef *probe, double *value)
{
  const vlGrid *g = &sim->grid;
  Place place = place_of(g, probe->position);
  ptrdiff_t column = vl_grid_at(g, place.cell[0], 0, place.cell[2]), up = g->stride[1];
  const double *phi = sim->work.level.phi + column, *open = sim->work.open + column;
  int first = place.cell[1], top, n = g->n[1];
  while (first < n && !(phi[first * up] < 0.0 && open[first * up] > 0.0)) first++;
  value[0] = 0.0;
  if (first == n) return;
  bool stands = first <= place.cell[1] || open[first * up] < 1.0 || open[(first - 1) * up] < 1.0;
  if (!stands) return; /* a drop above dry ground */
  for (top = first; top + 1 < n && phi[(top + 1) * up] < 0.0 && open[(top + 1) * up] > 0.0;) top++;
  double bottom = first + 1.0 - open[first * up];
  value[0] = fmax(0.0, (top_of(g, phi, top) - fmax(bottom, place.x[1])) * g->dx);
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

/* Whether a cell of liquid had a pressure to be found in the last solve: others hold 0, as parted ones do, which had. */
static bool had_pressure(const vlSharp *sim, const int cell[3], ptrdiff_t at)
{
  const vlPartedPlaces *parted = &sim->state.parted;
  if (sim->state.p[at] != 0.0) return true;
  const int *n = sim->grid.n;
  int64_t place = cell[0] + n[0] * (cell[1] + (int64_t)n[1] * cell[2]);
  for (int64_t i = 0; i < parted->count; i++)
    if (parted->place[i] == place) return true;
  return false;
}

/* m: the level set between the cells around a point, of which those in solids are left out unless all are. */
static double level_at(const vlSharp *sim, const Place *place)
{
  double sum = 0.0, weights = 0.0;
  for (int corner = 0; corner < 8; corner++) {
    int cell[3];
    vlVec3 shift;
    double weight = corner_of(&sim->grid, place, corner, cell, &shift);
    ptrdiff_t at = vl_grid_at(&sim->grid, cell[0], cell[1], cell[2]);
    bool wet = vl_blocks_find(&sim->work.wet, cell[0] / VL_BLOCK, cell[1], cell[2]) >= 0;
    if (wet && !(sim->work.open[at] > 0.0)) continue;
    sum += weight * sim->work.level.phi[at];
    weights += weight;
  }
  if (weights > 0.0) return sum / weights;
  vlStencil8 s = vl_sample_at(&sim->grid, VL_CELLS, place->x);
  return vl_sample_value(&s, sim->work.level.phi);
}

static void measure_pressure(const vlSharp *sim, const vlProbeDef *probe, double *value)
{
  const vlGrid *g = &sim->grid;
  Place place = place_of(g, probe->position);
  double sum = 0.0, weights = 0.0, rho = sim->scene->liquid.density;
  value[0] = 0.0;
  if (!(level_at(sim, &place) < 0.0)) return;
  for (int corner = 0; corner < 8; corner++) {
    int cell[3];
    vlVec3 shift;
    double weight = corner_of(g, &place, corner, cell, &shift);
    ptrdiff_t at = vl_grid_at(g, cell[0], cell[1], cell[2]);
    if (weight == 0.0 || !(sim->work.level.phi[at] < 0.0) || !(sim->work.open[at] > 0.0) || !had_pressure(sim, cell, at))
      continue;
    sum += weight * (sim->state.p[at] + rho * vl_dot(vl_sim_gravity(&sim->sim), shift));
    weights += weight;
  }
  if (weights > 0.0) value[0] = sum / weights;
}

static void measure_velocity(const vlSharp *sim, const vlProbeDef *probe, double *value)
{
  Place place = place_of(&sim->grid, probe->position);
  vl_sample_velocity(&sim->grid, sim->state.u, place.x, value);
}

/* Length along axis a that cell i has in common with the rectangle, in cells. */
static double overlap(const vlGrid *g, const vlProbeDef *probe, int a, int i)
{
  if (g->n[a] == 1) return 1.0; /* a slab is measured over its whole thickness */
  double middle = (probe->position.v[a] - g->origin.v[a]) / g->dx, half = 0.5 * probe->size.v[a] / g->dx;
  return fmax(0.0, fmin(i + 1.0, middle + half) - fmax(i, middle - half));
}

/* Mean liquid part of the cells on both sides of a face; beyond the box there is none. */
static double liquid_part(const vlSharp *sim, const int face[3], int axis)
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

static void measure_flux(const vlSharp *sim, const vlProbeDef *probe, double *value)
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
      sum += part * sim->work.area[axis][at] * sim->state.u[axis][at];
    }
  value[0] = sum;
}

/* The body that a probe names; NULL: none. */
static const vlBody *find_body(const vlSharp *sim, const char *name)
{
  for (int i = 0; i < sim->state.bodies.count; i++)
    if (strncmp(sim->scene->bodies[i].name, name, sizeof sim->scene->bodies[i].name) == 0) return sim->state.bodies.body[i];
  return NULL;
}

static void measure_node(const vlSharp *sim, const vlProbeDef *probe, double *value)
{
  const vlBody *body = find_body(sim, probe->body);
  int nearest = 0;
  double least = INFINITY;
  for (int i = 0; i < body->node_count; i++) {
    double distance = vl_norm(vl_sub(body->rest[i], probe->position));
    if (distance >= least) continue;
    least = distance;
    nearest = i;
  }
  for (int a = 0; a < 3; a++) value[a] = body->x[nearest].v[a] - body->rest[nearest].v[a];
}

static const struct {
  const char *unit;
  int count; /* values */
  void (*measure)(const vlSharp *sim, const vlProbeDef *probe, double *value);
} kinds[VL_PROBE_KIND_COUNT] = {
    [VL_PROBE_HEIGHT] = {"m", 1, measure_height},       [VL_PROBE_PRESSURE] = {"Pa", 1, measure_pressure},
    [VL_PROBE_VELOCITY] = {"m/s", 3, measure_velocity}, [VL_PROBE_NODE] = {"m", 3, measure_node},
    [VL_PROBE_FLUX] = {"m3/s", 1, measure_flux},        [VL_PROBE_DEPTH] = {"m", 1, measure_depth},
};

int vl_probe_count(vlProbeKind kind) { return kinds[kind].count; }
const char *vl_probe_unit(vlProbeKind kind) { return kinds[kind].unit; }

int vl_sharp_probe(const vlSim *base, const vlProbeDef *probe, double value[3])
{
  const vlSharp *sim = vl_sharp(base);
  bool known = probe->kind >= 0 && probe->kind < VL_PROBE_KIND_COUNT && vl_finite(probe->position);
  if (!known || (probe->kind == VL_PROBE_FLUX && (probe->axis < 0 || probe->axis > 2))) return 0;
  if (probe->kind == VL_PROBE_NODE && !find_body(sim, probe->body)) return 0;
  kinds[probe->kind].measure(sim, probe, value);
  return kinds[probe->kind].count;
}
