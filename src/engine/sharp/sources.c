/* Sources: regions of liquid with a velocity, from which liquid comes as fast as it goes through them.
 *
 * On the grid a source is the cells whose middle plane across v it covers in part, c >= LEAST_COVER. Where they are liquid,
 * the velocity of their faces is given, not found: v between them, 0 on the skin where v runs into the source or along it,
 * and where it comes out
 *
 *     u_f = k c v_f,        k = Q / sum of A_f c |v_f| over those faces,        Q = |v| times the section of the shape,
 *
 * so that what the pressure makes room for is what is brought, wherever the shape lies between the grid's planes: even a
 * full pipe is pushed on by Q. Such faces have no links (pressure/links.h), their u_f stands in u*. Particles come in on the
 * upstream side, on a lattice that moves with v, and go straight on by v until they are out. The section is counted in
 * columns along v.
 *
 * With liquid.surface: subgrid pieces of liquid within cells have velocities of their own: what a link of theirs (tail.h)
 * brings is given where its middle lies in the source, v, and the shape is liquid of the fine surface. So a source may be
 * thinner than a cell.
 *
 * A source that has no room stands still and brings nothing: where it would push into liquid that has no way out (a closed
 * region, pressure.h), or where as much liquid is there as the cells around it hold and no side is open. That is told once.
 * In: scene, state, the assembled system. Out: given faces and their u*, particles. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/sharp/subgrid.h"

enum {
  SAMPLES = 8,
  SAMPLES_ALONG = 4,
  SAMPLES_ACROSS = 16,
  FINER = 4,
}; /* in a cell: for its cover; for the section, by the velocity, so much denser with thin sources of a fine surface */
static const double THIN = 4.0; /* cells */
static const double LEAST_COVER = 0.1;
static const double GOLDEN = 0.6180339887498949;
static const double FULL = 0.999;          /* of the room */
static const double MOST_CORRECTION = 2.0; /* of k: more is no matter of grid planes */

static bool runs(const vlSharp *sim, int source) { return vl_control_source_runs(&sim->sim, source, sim->state.time); }

/* The cells that a source reaches into, and how much of each is the source's. */
typedef struct Cells {
  int lo[3], hi[3];
  double *cover;
} Cells;

static double cover_at(const Cells *c, const int cell[3])
{
  for (int a = 0; a < 3; a++)
    if (cell[a] < c->lo[a] || cell[a] > c->hi[a]) return 0.0;
  int nx = c->hi[0] - c->lo[0] + 1, ny = c->hi[1] - c->lo[1] + 1;
  return c->cover[((cell[2] - c->lo[2]) * ny + cell[1] - c->lo[1]) * nx + cell[0] - c->lo[0]];
}

/* The part of a cell's middle plane across the axis that lies in the source. */
static double find_cover(const vlSharp *sim, int source, const int cell[3], int axis)
{
  const vlGrid *g = &sim->grid;
  int b = (axis + 1) % 3, c = (axis + 2) % 3, nb = g->n[b] > 1 ? SAMPLES : 1, nc = g->n[c] > 1 ? SAMPLES : 1, inside = 0;
  for (int i = 0; i < nb; i++)
    for (int j = 0; j < nc; j++) {
      double x[3];
      x[axis] = cell[axis] + 0.5;
      x[b] = cell[b] + (i + 0.5) / nb;
      x[c] = cell[c] + (j + 0.5) / nc;
      inside += vl_sdf_distance(sim->sources[source], vl_grid_place(g, x)) < 0.0;
    }
  double cover = (double)inside / (nb * nc);
  return cover >= LEAST_COVER ? cover : 0.0;
}

static int main_axis(vlVec3 v)
{
  int most = 0;
  for (int a = 1; a < 3; a++) most = fabs(v.v[a]) > fabs(v.v[most]) ? a : most;
  return most;
}

/* Faces are counted as int: at most three of each cell, and of those beside them. */
vlCode vl_sources_fit(int source, const int lo[3], const int hi[3], vlStatus *status)
{
  double faces = 3.0, cells = 1.0;
  for (int a = 0; a < 3; a++) {
    faces *= hi[a] - lo[a] + 2.0;
    cells *= hi[a] - lo[a] + 1.0;
  }
  if (faces <= INT_MAX) return VL_OK;
  return vl_fail(status, VL_ERROR_SCENE,
                 "liquid.sources[%d] reaches into %.0f x %.0f x %.0f = %.3g cells; at most %.3g are possible: a source need "
                 "not be thicker than a few cells along its velocity",
                 source, hi[0] - lo[0] + 1.0, hi[1] - lo[1] + 1.0, hi[2] - lo[2] + 1.0, cells, INT_MAX / 3.0);
}

/* cells->cover is NULL where the source lies beside the grid. */
static vlCode find_cells(const vlSharp *sim, int source, Cells *cells, vlStatus *status)
{
  int *lo = cells->lo, *hi = cells->hi, axis = main_axis(sim->scene->liquid.sources[source].velocity);
  cells->cover = NULL;
  if (!vl_grid_cells_in(&sim->grid, vl_sdf_bounds(sim->sources[source]), lo, hi)) return VL_OK;
  vlCode code = vl_sources_fit(source, lo, hi, status);
  if (code) return code;
  int64_t nx = hi[0] - lo[0] + 1, ny = hi[1] - lo[1] + 1, count = nx * ny * (hi[2] - lo[2] + 1);
  cells->cover = malloc((size_t)count * sizeof *cells->cover);
  if (!cells->cover) return vl_fail_memory(status, (size_t)count * sizeof *cells->cover, "the cells of a source");
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t i = 0; i < count; i++)
    cells->cover[i] = find_cover(
        sim, source, (const int[3]){lo[0] + (int)(i % nx), lo[1] + (int)(i / nx % ny), lo[2] + (int)(i / (nx * ny))}, axis);
  return VL_OK;
}

static vlFeedFace face_of(const Cells *cells, const int cell[3], int a, vlVec3 v)
{
  int below[3] = {cell[0], cell[1], cell[2]};
  below[a]--;
  double lower = cover_at(cells, below), upper = cover_at(cells, cell);
  vlFeedFace face = {.cell = {cell[0], cell[1], cell[2]}, .axis = a, .below = lower > 0.0, .above = upper > 0.0};
  if (face.below && face.above)
    face.velocity = v.v[a];
  else if (face.below ? v.v[a] > 0.0 : v.v[a] < 0.0)
    face.velocity = (lower + upper) * v.v[a];
  return face;
}

/* Lists the faces, or counts them where there is no list. */
static int list_faces(const vlGrid *g, const Cells *cells, vlVec3 v, vlFeedFace *list)
{
  int count = 0, hi[3];
  for (int a = 0; a < 3; a++) hi[a] = cells->hi[a] + 1 < g->n[a] ? cells->hi[a] + 1 : g->n[a] - 1;
  for (int k = cells->lo[2]; k <= hi[2]; k++)
    for (int j = cells->lo[1]; j <= hi[1]; j++)
      for (int i = cells->lo[0]; i <= hi[0]; i++)
        for (int a = 0; a < 3; a++) {
          const int cell[3] = {i, j, k};
          vlFeedFace face = face_of(cells, cell, a, v);
          if (cell[a] == 0 || (!face.below && !face.above)) continue;
          if (list) list[count] = face;
          count++;
        }
  return count;
}

static bool is_open(const vlSharp *sim, int source, vlVec3 x)
{
  vlBox3 box = vl_grid_box(&sim->grid);
  for (int a = 0; a < 3; a++)
    if (x.v[a] < box.lo.v[a] || x.v[a] > box.hi.v[a]) return false;
  return vl_sdf_distance(sim->sources[source], x) < 0.0 && vl_statics_distance(sim->statics, x) >= 0.0;
}

/* Where a source is looked at to find its section: columns along its velocity, which is the first of the axes. */
typedef struct Columns {
  vlVec3 corner, axis[3];
  double step[3]; /* m */
  int first[3], last[3];
} Columns;

/* Columns in a cell along each axis. */
static int columns_across(const vlSharp *sim, int source)
{
  vlBox3 box = vl_sdf_bounds(sim->sources[source]);
  bool thin = false;
  for (int a = 0; a < 3; a++) thin = thin || (sim->grid.n[a] > 1 && box.hi.v[a] - box.lo.v[a] < THIN * sim->grid.dx);
  return thin && sim->subgrid ? FINER * SAMPLES_ACROSS : SAMPLES_ACROSS;
}

/* From the planes of the grid, so that sides that lie on them are found exactly. */
static Columns columns_of(const vlSharp *sim, int source, const int lo[3], const int hi[3])
{
  const vlGrid *g = &sim->grid;
  bool slab = g->n[2] == 1;
  vlVec3 v = vl_unit(sim->scene->liquid.sources[source].velocity), other = vl_vec(0, 0, 0);
  int least = slab ? 2 : 0, across = columns_across(sim, source);
  for (int a = 1; a < 3 && !slab; a++) least = fabs(v.v[a]) < fabs(v.v[least]) ? a : least;
  other.v[least] = 1.0;
  Columns c = {.corner = vl_grid_place(g, (const double[3]){lo[0], lo[1], slab ? 0.5 : lo[2]}),
               .axis = {v, vl_unit(vl_cross(other, v)), other}};
  c.axis[2] = slab ? other : vl_cross(v, c.axis[1]);
  for (int a = 0; a < 3; a++) {
    double reach[2] = {0.0, 0.0};
    c.step[a] = g->dx / (a == 0 ? SAMPLES_ALONG : slab && a == 2 ? 1 : across);
    for (int b = 0; b < (slab ? 2 : 3); b++) {
      double side = (hi[b] + 1 - lo[b]) * g->dx * c.axis[a].v[b];
      reach[side > 0.0] += side;
    }
    c.first[a] = (int)floor(reach[0] / c.step[a] - 0.5);
    c.last[a] = (int)ceil(reach[1] / c.step[a] + 0.5);
    if (slab && a == 2) c.first[a] = c.last[a] = 0;
  }
  return c;
}

/* m2: section across its velocity, of what is in the box and not in a solid. */
static double section_of(const vlSharp *sim, int source, const int lo[3], const int hi[3])
{
  Columns c = columns_of(sim, source, lo, hi);
  int64_t entries = 0;
  bool slab = sim->grid.n[2] == 1;
#pragma omp parallel for schedule(dynamic) reduction(+ : entries)
  for (int i = c.first[1]; i <= c.last[1]; i++)
    for (int j = c.first[2]; j <= c.last[2]; j++) {
      vlVec3 column = vl_axpy(c.corner, (i + 0.5) * c.step[1], c.axis[1]);
      if (!slab) column = vl_axpy(column, (j + 0.5) * c.step[2], c.axis[2]);
      bool before = false;
      for (int k = c.first[0]; k <= c.last[0]; k++) {
        bool open = is_open(sim, source, vl_axpy(column, (k + 0.5) * c.step[0], c.axis[0]));
        entries += open && !before;
        before = open;
      }
    }
  return (double)entries * c.step[1] * c.step[2];
}

/* Where it is now. */
static vlCode create_feed(vlSharp *sim, int source, vlStatus *status)
{
  vlFeed *feed = &sim->feeds[source];
  vlVec3 v = sim->scene->liquid.sources[source].velocity;
  Cells cells;
  vlCode code = find_cells(sim, source, &cells, status);
  feed->shift = vl_control_source_shift(&sim->sim, source, sim->state.time);
  feed->count = 0;
  feed->rate = 0.0;
  feed->scale = 1.0;
  if (code || !cells.cover) return code;
  size_t count = (size_t)list_faces(&sim->grid, &cells, v, NULL);
  free(feed->face);
  feed->face = malloc((count + 1) * sizeof *feed->face);
  if (!feed->face) code = vl_fail_memory(status, count * sizeof *feed->face, "the faces of a source");
  if (!code) feed->count = list_faces(&sim->grid, &cells, v, feed->face);
  if (!code && vl_norm(v) > 0.0) feed->rate = vl_norm(v) * section_of(sim, source, cells.lo, cells.hi);
  double wanted = sim->scene->liquid.sources[source].flow * (sim->grid.n[2] == 1 ? sim->grid.dx : 1.0);
  if (wanted > 0.0 && feed->rate > 0.0) feed->scale = wanted / feed->rate;
  feed->rate *= feed->scale;
  free(cells.cover);
  return code;
}

vlCode vl_sources_create(vlSharp *sim, vlStatus *status)
{
  int count = sim->scene->liquid.source_count;
  sim->feeds = calloc((size_t)count + 1, sizeof *sim->feeds);
  if (!sim->feeds) return vl_fail_memory(status, (size_t)count * sizeof *sim->feeds, "sources");
  vlCode code = VL_OK;
  for (int s = 0; s < count && !code; s++) code = create_feed(sim, s, status);
  return code;
}

void vl_sources_destroy(vlSharp *sim)
{
  for (int s = 0; sim->feeds && s < sim->scene->liquid.source_count; s++) free(sim->feeds[s].face);
  free(sim->feeds);
  sim->feeds = NULL;
}

/* Index of a face's wet block; -1: it lies on none. */
static int wet_block(const vlSharp *sim, const vlFeedFace *face)
{
  return vl_blocks_find(&sim->work.wet, face->cell[0] / VL_BLOCK, face->cell[1], face->cell[2]);
}

static ptrdiff_t field_at(const vlSharp *sim, const vlFeedFace *face)
{
  return vl_grid_at(&sim->grid, face->cell[0], face->cell[1], face->cell[2]);
}

/* A source of air gives nothing. */
static bool has_liquid(const vlSharp *sim, const vlFeedFace *face)
{
  const double *phi = sim->work.level.phi + field_at(sim, face);
  return (face->above && phi[0] < 0.0) || (face->below && phi[-sim->grid.stride[face->axis]] < 0.0);
}

/* Does liquid come out of the source through the face? */
static bool is_outlet(const vlFeedFace *face) { return face->below != face->above && face->velocity != 0.0; }

/* s: of full speed that a source has had after so long a time. */
static double run_up(const vlSourceDef *source, double since)
{
  since = fmax(since, 0.0);
  return since < source->ramp ? 0.5 * since * since / source->ramp : since - 0.5 * source->ramp;
}

/* The mean of a source's speed over the time that ends `since` after its start, over the scene's velocity; dt = 0: then. */
static double pace_of(const vlSharp *sim, int s, double since, double dt)
{
  const vlSourceDef *source = &sim->scene->liquid.sources[s];
  double part = dt > 0.0               ? (run_up(source, since) - run_up(source, since - dt)) / dt
                : since < source->ramp ? fmax(since, 0.0) / source->ramp
                                       : 1.0;
  return sim->feeds[s].scale * part;
}

double vl_sources_speed(const vlSharp *sim, int source)
{
  return sim->feeds[source].scale * vl_norm(sim->scene->liquid.sources[source].velocity);
}

static bool has_moved(const vlSharp *sim, int source)
{
  vlVec3 now = vl_control_source_shift(&sim->sim, source, sim->state.time);
  return vl_norm(vl_sub(now, sim->feeds[source].shift)) > 0.0;
}

vlCode vl_sources_find(vlSharp *sim, vlStep *step, vlStatus *status)
{
  vlFaceMask *given = &sim->work.given;
  bool any = false;
  sim->work.given_now = false;
  vlCode code = VL_OK;
  for (int s = 0; s < sim->scene->liquid.source_count && !code; s++) {
    any = any || runs(sim, s);
    if (runs(sim, s) && has_moved(sim, s)) code = create_feed(sim, s, status);
    double since = sim->state.time + step->dt - vl_control_source_origin(&sim->sim, s);
    sim->work.pace[s] = pace_of(sim, s, since, step->dt);
  }
  if (!any || code) return code;
  size_t count = (size_t)sim->work.wet.count;
  vlFluid fluid = vl_sharp_fluid(sim);
  if (!vl_face_mask_reserve(given, sim->work.wet.count)) return vl_fail_memory(status, count * 6, "faces of sources");
  for (int a = 0; a < 3; a++) memset(given->bits[a], 0, count * sizeof *given->bits[a]);
  for (int s = 0; s < sim->scene->liquid.source_count; s++)
    for (int f = 0; runs(sim, s) && f < sim->feeds[s].count; f++) {
      const vlFeedFace *face = &sim->feeds[s].face[f];
      int b = wet_block(sim, face);
      unsigned bit = 1u << face->cell[0] % VL_BLOCK;
      if (b < 0 || !has_liquid(sim, face) || (fluid.tail && vl_tail_faces(&fluid, b, face->axis) & bit)) continue;
      given->bits[face->axis][b] |= (unsigned short)bit;
    }
  sim->work.given_now = true;
  return VL_OK;
}

/* Does the face lead into liquid whose pressure has no zero? */
static bool leads_nowhere(const vlSharp *sim, const vlFeedFace *face)
{
  const vlPressure *pressure = sim->work.pressure;
  int out[3] = {face->cell[0], face->cell[1], face->cell[2]};
  if (face->above) out[face->axis]--;
  int b = vl_blocks_find(&pressure->stencil.blocks, out[0] / VL_BLOCK, out[1], out[2]);
  return b >= 0 && pressure->region[b * VL_BLOCK + out[0] % VL_BLOCK] >= 0;
}

/* m3: open volume of the wet blocks. */
static double find_room(const vlSharp *sim)
{
  double sum = 0.0, dx = sim->grid.dx;
  const vlBlocks *wet = &sim->work.wet;
  for (int b = 0; b < wet->count; b++) {
    const double *open = sim->work.open + vl_blocks_field(&sim->grid, wet->at[b]);
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++) sum += open[l];
  }
  return sum * dx * dx * dx;
}

static double volume_of(const vlSharp *sim)
{
  return (double)sim->state.particles->count * pow(sim->grid.dx, 3) / sim->per_cell;
}

static void tell_blocked(vlSharp *sim, int source, double room)
{
  if (sim->state.flows.blocked) return;
  sim->state.flows.blocked = 1;
  vl_log(sim->log, VL_LOG_WARNING,
         "step %lld at %.4g s: liquid.sources[%d] would bring %.4g m3/s to where there is no room for it: %.4g m3 of liquid "
         "are there, the cells around it hold %.4g m3, and none of it has a way out; sources stand still as long as that is "
         "so; let liquid out by a sink, or stop the sources sooner",
         (long long)sim->state.step + 1, sim->state.time, source, sim->feeds[source].rate, volume_of(sim), room);
}

/* k */
static double correction(const vlSharp *sim, const vlFeed *feed)
{
  double sum = 0.0;
  for (int f = 0; f < feed->count; f++) {
    const vlFeedFace *face = &feed->face[f];
    if (is_outlet(face) && wet_block(sim, face) >= 0)
      sum += sim->work.area[face->axis][field_at(sim, face)] * fabs(face->velocity);
  }
  double rate = feed->rate / feed->scale;
  return sum > 0.0 ? fmax(1.0 / MOST_CORRECTION, fmin(rate / sum, MOST_CORRECTION)) : 1.0;
}

static void give(vlSharp *sim, int source)
{
  const vlFeed *feed = &sim->feeds[source];
  double k = correction(sim, feed), pace = sim->work.blocked[source] ? 0.0 : sim->work.pace[source];
  for (int f = 0; f < feed->count; f++) {
    const vlFeedFace *face = &feed->face[f];
    int b = wet_block(sim, face);
    if (b < 0 || !(sim->work.given.bits[face->axis][b] >> face->cell[0] % VL_BLOCK & 1u)) continue;
    sim->work.u[face->axis][field_at(sim, face)] = pace * (is_outlet(face) ? k * face->velocity : face->velocity);
  }
}

vlCode vl_sources_give(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step, (void)status;
  if (!sim->work.given_now) return VL_OK;
  double room = find_room(sim);
  bool full = !sim->outlets && volume_of(sim) >= FULL * room;
  for (int s = 0; s < sim->scene->liquid.source_count; s++) {
    const vlFeed *feed = &sim->feeds[s];
    bool blocked = full;
    if (!runs(sim, s) || feed->rate == 0.0) continue;
    for (int f = 0; f < feed->count && !blocked; f++)
      blocked = is_outlet(&feed->face[f]) && has_liquid(sim, &feed->face[f]) && leads_nowhere(sim, &feed->face[f]);
    sim->work.blocked[s] = blocked;
    if (blocked) tell_blocked(sim, s, room);
  }
  for (int s = 0; s < sim->scene->liquid.source_count; s++)
    if (runs(sim, s)) give(sim, s);
  if (sim->subgrid) vl_subgrid_give(sim);
  return VL_OK;
}

void vl_sources_place(vlSharp *sim)
{
  for (int s = 0; sim->sources && s < sim->scene->liquid.source_count; s++)
    vl_sdf_shift(sim->sources[s], vl_control_source_shift(&sim->sim, s, sim->state.time));
}

vlCode vl_sources_move(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step, (void)status;
  vl_sources_place(sim);
  return VL_OK;
}

void vl_sources_hold(const vlSharp *sim, double *const u[3])
{
  for (int s = 0; s < sim->scene->liquid.source_count; s++)
    for (int f = 0; sim->feeds && runs(sim, s) && f < sim->feeds[s].count; f++) {
      const vlFeedFace *face = &sim->feeds[s].face[f];
      int b = wet_block(sim, face);
      bool given = b >= 0 && sim->work.given_now && sim->work.given.bits[face->axis][b] >> face->cell[0] % VL_BLOCK & 1u;
      /* given ones have it; between cells of the source others are to bring particles out of it */
      if (b >= 0 && !given && face->below == face->above)
        u[face->axis][field_at(sim, face)] = sim->work.pace[s] * face->velocity;
    }
}

bool vl_sources_have(const vlSharp *sim, vlVec3 at, vlVec3 *velocity)
{
  bool have = false;
  for (int s = 0; s < sim->scene->liquid.source_count; s++) {
    vlBox3 box = vl_sdf_bounds(sim->sources[s]);
    bool near = runs(sim, s);
    for (int a = 0; a < 3; a++) near = near && at.v[a] >= box.lo.v[a] && at.v[a] <= box.hi.v[a];
    if (!near || vl_sdf_distance(sim->sources[s], at) >= 0.0) continue;
    double pace = sim->work.blocked[s] ? 0.0 : sim->work.pace[s];
    *velocity = vl_scale(sim->scene->liquid.sources[s].velocity, pace);
    for (int a = 0; a < 3; a++)
      if (sim->grid.n[a] == 1) velocity->v[a] = 0.0;
    have = true;
  }
  return have;
}

bool vl_sources_hold_particle(const void *data, const double x[3], const double own[3], double v[3], double way[3])
{
  (void)own;
  const vlSharp *sim = data;
  vlVec3 velocity;
  if (!vl_sources_have(sim, vl_grid_place(&sim->grid, x), &velocity)) return false;
  for (int a = 0; a < 3; a++) v[a] = way[a] = velocity.v[a];
  return true;
}

/* Particles that a source has brought so long after its start. */
static double brought(const vlSharp *sim, int s, double since)
{
  double each = pow(sim->grid.dx, 3) / sim->per_cell;
  return floor(sim->feeds[s].rate * run_up(&sim->scene->liquid.sources[s], since) / each + GOLDEN * s);
}

/* Of a source a few particles wide the lattice brings what chance has it: added particles, the last ones, become as many as
 * the source says. */
static vlCode bring_even(vlSharp *sim, int s, const vlSeed *seed, double dt, size_t *added, vlStatus *status)
{
  vlParticles *p = sim->state.particles;
  double since = sim->state.time - vl_control_source_origin(&sim->sim, s);
  double wanted = brought(sim, s, since) - brought(sim, s, since - dt);
  size_t count = wanted > 0.0 ? (size_t)wanted : 0, more = 0;
  if (*added < count) {
    vlCode code =
        vl_seed_more(p, &sim->grid, seed, count - *added, (uint64_t)sim->state.step * 64u + (uint64_t)s, &more, status);
    *added += more;
    return code;
  }
  size_t surplus = *added - count;
  if (surplus == 0) return VL_OK;
  unsigned char *keep = malloc(p->count);
  if (!keep) return vl_fail_memory(status, p->count, "liquid of a source");
  memset(keep, 1, p->count);
  for (size_t k = 0; k < surplus; k++) keep[p->count - *added + (2 * k + 1) * *added / (2 * surplus)] = 0;
  vl_particles_filter(p, keep);
  free(keep);
  *added = count;
  return VL_OK;
}

/* A source that starts is filled where there is no liquid yet, unless a program has switched it on; then liquid comes in on
 * its upstream side. */
vlCode vl_sources_run(vlSharp *sim, double dt, vlStepInfo *info, vlStatus *status)
{
  const vlGrid *g = &sim->grid;
  for (int s = 0; s < sim->scene->liquid.source_count; s++) {
    const vlSourceDef *source = &sim->scene->liquid.sources[s];
    if (!runs(sim, s) || sim->work.blocked[s]) continue;
    vlLiquidShapes shape = {&sim->sources[s], 1};
    double origin = vl_control_source_origin(&sim->sim, s), since = sim->state.time - origin;
    double pace = pace_of(sim, s, since, dt), gone = sim->feeds[s].scale * run_up(source, since); /* s: at the velocity */
    vlVec3 velocity = vl_scale(source->velocity, pace);
    vlSeed seed = vl_motion_seed_in(sim, vl_liquid_shapes_distance, &shape, vl_sdf_bounds(sim->sources[s]), velocity);
    bool told = sim->sim.control.source[s].told != VL_AS_SCENE; /* there may be liquid in it by now */
    seed.sparing = !told && (dt == 0.0 || sim->state.time - dt < origin);
    seed.only_new = !seed.sparing;
    vlVec3 past = vl_sub(velocity, sim->sim.control.way[s].velocity); /* m/s: of the liquid past the shape */
    for (int a = 0; a < 3; a++) {
      seed.shift[a] = g->n[a] > 1 ? gone * source->velocity.v[a] / g->dx : 0.0;
      seed.way[a] = g->n[a] > 1 ? dt * past.v[a] / g->dx : 0.0;
    }
    size_t added = 0;
    if (vl_box_is_empty(seed.bounds)) continue;
    vlCode code = vl_particles_sort(sim->state.particles, g, status);
    if (!code) code = vl_seed(sim->state.particles, g, &seed, &added, status);
    if (!code && sim->subgrid && seed.only_new && dt > 0.0 && vl_norm(sim->sim.control.way[s].velocity) == 0.0)
      code = bring_even(sim, s, &seed, dt, &added, status);
    if (code) return code;
    info->added += (int64_t)added;
    if (sim->state.fine) code = vl_fine_unite(sim->state.fine, vl_liquid_shapes_distance, &shape, seed.bounds, status);
    if (code) return code;
  }
  return VL_OK;
}
