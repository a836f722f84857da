/* Where pressure on bodies may not pull: at their surface.
 *
 * Liquid parts from a body where pressure on it would be below zero. Pressure p is known at the middles of cells; on the
 * surface it is p + w, w the weight of the liquid between (pressure/layer.h), which is as large as p itself where a body
 * just touches. So what may part are cells with q = p + w < 0, and those that do have no force on the body at all:
 *
 *     q >= 0,   net outflow >= 0,   one of the two is zero,                  p = q + P,  P = -w
 *
 * P stands where it is known, on both sides of the equations: it drives the liquid, u* - (dt/rho) grad P, and the body, J^T
 * P, which is its layer's weight the other way; all solves are then for q, with bounds at zero. A piece's normals may differ
 * within a cell, so w is what the weights come to along the sum of its areas.
 *
 * Where the surface is nearer to the middle than the body, P would blow liquid out through it. A link to air bears no more
 * than free fall does (vl_layer_hold): with the middle in the liquid, P itself is no larger, and the pressure is near zero
 * there whatever the body does; with the middle in the body the air beside it is given what P exceeds that by, p_s. In:
 * layer, cells that may part. Out: lifts, and u*, w with them; put back when the solve is over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "engine/sharp/body_step.h"
#include "engine/sharp/subgrid.h"

static const double PIERCED = 0.25; /* of their area: as if patches of both sides of a thin body added up to no less */

static int compare(const void *a, const void *b)
{
  const vlLift *x = a, *y = b;
  return x->cell != y->cell ? (x->cell < y->cell ? -1 : 1) : (x->order > y->order) - (x->order < y->order);
}

/* The cell of a piece among those of wet blocks, if liquid may part there; else -1. */
static int may_part(const vlSharp *sim, const vlLayerPiece *q)
{
  int b = vl_blocks_find(&sim->work.wet, q->cell[0] / VL_BLOCK, q->cell[1], q->cell[2]), l = q->cell[0] % VL_BLOCK;
  return b >= 0 && !q->extra && sim->work.separation.wall[b] >> l & 1u ? VL_BLOCK * b + l : -1;
}

/* The first piece of a cell that the surface cuts, -1: it is whole. */
static int piece_of(const vlSharp *sim, int cell)
{
  int cut = sim->subgrid ? vl_pieces_cut(&sim->subgrid->pieces, cell) : -1,
      i = cut < 0 ? -1 : sim->subgrid->pieces.first_piece[cut];
  while (i >= 0 && sim->subgrid->motion[i].node != cell) i++;
  return i;
}

/* Pa: the most that links to air may bear. */
static double hold_of(const vlSharp *sim, const vlFluid *fluid, int of)
{
  vlBlockPosition b = fluid->wet->at[of / VL_BLOCK];
  const int cell[3] = {b.bx * VL_BLOCK + of % VL_BLOCK, b.j, b.k};
  vlVec3 pull = vl_sharp_pull(sim, vl_grid_center(fluid->grid, cell[0], cell[1], cell[2]));
  int piece = piece_of(sim, of);
  if (piece >= 0)
    return sim->scene->liquid.density * vl_norm(pull) * fmin(fabs(sim->subgrid->motion[piece].phi), fluid->grid->dx);
  return vl_layer_hold(fluid, cell, sim->scene->liquid.density, pull);
}

/* What holds the weight of a cell's pieces, and its air. */
static void weigh(vlLift *lift, double hold, bool piece)
{
  double size = fmax(vl_norm(lift->s), PIERCED * lift->area);
  double p = size > 0.0 ? -vl_dot(lift->weight, lift->s) / (size * size) : 0.0, bearable = fmax(-hold, fmin(hold, p));
  lift->p = lift->along < 0.0 && !piece ? p : bearable;
  lift->air = lift->p - bearable;
}

/* A lift for each piece, then one for each cell. */
static vlCode find(vlSharp *sim, vlStatus *status)
{
  vlLifts *lifts = &sim->work.lifts;
  const vlLayerPieces *pieces = &sim->work.layer.surface;
  if (!vl_array_reserve((void **)&lifts->lift, &lifts->capacity, (size_t)pieces->count + 1, sizeof *lifts->lift))
    return vl_fail_memory(status, (size_t)pieces->count * sizeof *lifts->lift, "liquid that parts from bodies");
  int count = 0;
  for (int i = 0; i < pieces->count; i++) {
    const vlLayerPiece *q = &pieces->piece[i];
    int cell = may_part(sim, q);
    if (cell >= 0)
      lifts->lift[count++] = (vlLift){.cell = cell,
                                      .order = i,
                                      .s = vl_scale(q->n, q->area),
                                      .weight = vl_scale(q->n, q->weight),
                                      .area = q->area,
                                      .along = q->inertia};
  }
  qsort(lifts->lift, (size_t)count, sizeof *lifts->lift, compare);
  lifts->count = 0;
  for (int i = 0; i < count; i++) {
    vlLift *last = lifts->lift + lifts->count - 1;
    const vlLift now = lifts->lift[i];
    if (lifts->count == 0 || last->cell != now.cell) {
      lifts->lift[lifts->count++] = now;
      continue;
    }
    last->s = vl_add(last->s, now.s);
    last->weight = vl_add(last->weight, now.weight);
    last->area += now.area;
    last->along += now.along;
  }
  vlFluid fluid = vl_sharp_fluid(sim);
  for (vlLift *at = lifts->lift; at < lifts->lift + lifts->count; at++) {
    weigh(at, hold_of(sim, &fluid, at->cell), piece_of(sim, at->cell) >= 0);
  }
  return VL_OK;
}

/* The first one at or behind a cell. */
static int first_lift(const vlLifts *lifts, int cell)
{
  int lo = 0, hi = lifts->count;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (lifts->lift[mid].cell < cell)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* J^T P, N, of the pieces: into lifts->force [nodes of all bodies]. */
static void find_force(vlSharp *sim)
{
  const vlLifts *lifts = &sim->work.lifts;
  const vlLayer *layer = &sim->work.layer;
  const vlBodySet *bodies = &sim->apart;
  memset(lifts->force, 0, (size_t)vl_bodies_nodes(bodies) * sizeof *lifts->force);
  for (int b = 0; b < bodies->count; b++)
    for (int i = layer->first[b]; i < layer->first[b + 1]; i++) {
      const vlLayerPiece *q = &layer->surface.piece[i];
      int cell = may_part(sim, q);
      if (cell < 0) continue;
      double p = lifts->lift[first_lift(lifts, cell)].p;
      for (int k = 0; k < q->nodes; k++) {
        vlVec3 *f = &lifts->force[bodies->first_node[b] + q->node[k]];
        *f = vl_axpy(*f, q->b[k] * q->area * p, q->n);
      }
    }
}

/* w -= force, or back. */
static void push_bodies(vlSharp *sim, double sign)
{
  const vlBodySet *bodies = &sim->apart;
  for (int b = 0; b < bodies->count; b++)
    for (int i = 0; i < bodies->body[b]->node_count; i++)
      bodies->body[b]->w[i] = vl_axpy(bodies->body[b]->w[i], -sign, sim->work.lifts.force[bodies->first_node[b] + i]);
}

/* The same on the links of the tail at a cell's main node. */
static void push_tail(const vlLinks *links, const vlLift *at, double step)
{
  const vlTailEnds *ends = &links->ends;
  for (int i = ends->first[at->cell / VL_BLOCK]; i < ends->first[at->cell / VL_BLOCK + 1]; i++) {
    const vlTailLink *link = &links->tail->link[ends->end[i] / 2];
    int above = ends->end[i] % 2;
    if ((above ? link->above : link->below) != at->cell || link->given) continue;
    links->tail->u[ends->end[i] / 2] += (above ? -step : step) * at->p / link->distance;
  }
}

/* u* -= (dt/rho) grad P, or back, with air's pressure in the links beside that of sinks. */
static void push_liquid(vlSharp *sim, double sign)
{
  vlFluid fluid = vl_sharp_fluid(sim);
  const vlLinks *links = &sim->work.pressure->links;
  double step = sign * sim->work.pressure->step.dt / sim->work.pressure->step.rho;
  for (const vlLift *at = sim->work.lifts.lift; at < sim->work.lifts.lift + sim->work.lifts.count; at++) {
    if (fluid.tail) push_tail(links, at, step);
    for (int side = 0; side < 6; side++) {
      int b = at->cell / VL_BLOCK, l = at->cell % VL_BLOCK, a = side / 2;
      vlLinkSide faces = vl_links_side(links, fluid.wet, b, a, side % 2);
      if (!((faces.inner | faces.surface) >> l & 1u)) continue;
      vlLink link = vl_links_at(links, &fluid, faces.first + l, a);
      bool surface = faces.surface >> l & 1u;
      sim->work.u[a][link.at] += (side % 2 ? step : -step) * (surface ? at->p - at->air : at->p) / link.distance;
      if (surface && sign < 0.0) vl_links_surface(links, faces.first + l, a)->pressure += at->air;
    }
  }
}

vlCode vl_lift_begin(vlSharp *sim, vlStatus *status)
{
  sim->work.lifts.count = 0;
  if (sim->apart.count == 0) return VL_OK;
  vlCode code = find(sim, status);
  if (code || sim->work.lifts.count == 0) return code;
  find_force(sim);
  push_bodies(sim, 1.0);
  push_liquid(sim, 1.0);
  return VL_OK;
}

void vl_lift_end_liquid(vlSharp *sim)
{
  if (sim->work.lifts.count == 0) return;
  push_liquid(sim, -1.0);
  for (const vlLift *at = sim->work.lifts.lift; at < sim->work.lifts.lift + sim->work.lifts.count; at++)
    sim->work.p[vl_blocks_field(&sim->grid, sim->work.wet.at[at->cell / VL_BLOCK]) + at->cell % VL_BLOCK] += at->p;
}

void vl_lift_end_bodies(vlSharp *sim)
{
  vlVec3 *load = sim->work.pressure->coupling.load;
  if (sim->work.lifts.count == 0) return;
  push_bodies(sim, -1.0);
  for (int i = 0; i < vl_bodies_nodes(&sim->apart); i++) load[i] = vl_add(load[i], sim->work.lifts.force[i]);
}

void vl_lift_add_areas(const vlSharp *sim, int wet, vlVec3 area[VL_BLOCK])
{
  const vlLifts *lifts = &sim->work.lifts;
  int last = VL_BLOCK * (wet + 1);
  for (int i = first_lift(lifts, VL_BLOCK * wet); i < lifts->count && lifts->lift[i].cell < last; i++) {
    int l = lifts->lift[i].cell % VL_BLOCK;
    if (sim->work.separation.parted[wet] >> l & 1u) area[l] = vl_add(area[l], lifts->lift[i].s);
  }
}
