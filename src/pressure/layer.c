/* Which liquid goes along with bodies, and what it does to them: layer.h. */
#include "pressure/layer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"

static const double FILM = 0.01; /* of a cell's thickness: what clings to a light body */

void vl_layer_clear(vlLayer *layer)
{
  free(layer->surface.piece);
  free(layer->deeper.piece);
  free(layer->first);
  *layer = (vlLayer){0};
}

static bool was_parted(const vlPartedPlaces *parted, const vlGrid *g, const int cell[3])
{
  int64_t place = cell[0] + (int64_t)g->n[0] * (cell[1] + (int64_t)g->n[1] * cell[2]), lo = 0, hi = parted->count;
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (parted->place[mid] < place)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < parted->count && parted->place[lo] == place;
}

/* Shares of the mass. Weights that are below 0, of quadratic faces, would make masses of the wrong sign: the others do
 * without them. */
static void share_mass(vlLayerPiece *piece)
{
  double sum = 0.0;
  for (int k = 0; k < piece->nodes; k++) sum += fmax(piece->b[k], 0.0);
  for (int k = 0; k < piece->nodes; k++) piece->share[k] = fmax(piece->b[k], 0.0) / sum;
}

static vlLayerPiece make_piece(const vlPatch *q, const vlFluid *fluid, int b, vlVec3 middle, double rho, vlPull pull)
{
  const vlBody *body = fluid->bodies->body[b];
  int first_node = fluid->bodies->first_node[b];
  double area = vl_norm(q->s);
  vlLayerPiece piece = {.nodes = q->nodes, .cell = {q->cell[0], q->cell[1], q->cell[2]}, .area = area};
  piece.n = area > 0.0 ? vl_scale(q->s, 1.0 / area) : vl_vec(0, 0, 0);
  for (int k = 0; k < q->nodes; k++) {
    piece.node[k] = q->node[k] - first_node;
    piece.b[k] = q->b[k];
    piece.x = vl_axpy(piece.x, q->b[k], body->x[piece.node[k]]);
  }
  if (body->curved) { /* from the curved face along n to the flat part of it that closes the cell (solid/face.c) */
    vlVec3 drawn = body->x[body->triangle[q->triangle][0]];
    piece.x = vl_axpy(piece.x, vl_dot(piece.n, vl_sub(drawn, piece.x)), piece.n);
  }
  share_mass(&piece);
  bool told = fluid->tail && fluid->tail->arm;
  piece.arm = vl_scale(told ? fluid->tail->arm(fluid->tail->data, q, piece.x) : vl_sub(piece.x, middle), rho * area);
  piece.mass = piece.inertia = vl_dot(piece.arm, piece.n);
  piece.weight = vl_dot(piece.arm, pull.at(pull.data, piece.x));
  piece.film = rho * area * FILM * fluid->grid->dx;
  return piece;
}

double vl_layer_hold(const vlFluid *fluid, const int cell[3], double rho, vlVec3 pull)
{
  return rho * vl_norm(pull) * fabs(fluid->phi[vl_grid_at(fluid->grid, cell[0], cell[1], cell[2])]);
}

/* Liquid that has parted does not go along. What it weighs matters where it is joined again; parted, nothing is left of it
 * (engine/sharp/lift.c), so it weighs no more than can be held. hold: Pa. */
static void leave(vlLayerPiece *piece, double hold)
{
  piece->arm = vl_vec(0, 0, 0);
  piece->mass = piece->inertia = 0.0;
  piece->weight = fmax(-hold * piece->area, fmin(hold * piece->area, piece->weight));
}

/* Counts the pieces of each body, or with room for them makes them; next: where the next one of each body goes. */
static void walk(vlLayer *layer, const vlFluid *fluid, const vlPartedPlaces *parted, double rho, vlPull pull, int *next)
{
  const vlPatches *patches = fluid->patches;
  for (int first = 0, last; first < patches->count; first = last) {
    const int *cell = patches->patch[first].cell;
    last = vl_patches_of_cell(patches, first);
    int node = vl_tail_find(fluid, &patches->patch[first]); /* one for all patches of the cell, unless it is in pieces */
    bool pieces = fluid->tail && fluid->tail->find;
    if (!pieces && node == VL_TAIL_SURFACE) continue;
    bool apart = layer && parted && was_parted(parted, fluid->grid, cell);
    vlVec3 middle = vl_grid_center(fluid->grid, cell[0], cell[1], cell[2]);
    for (int q = first; q < last; q++) {
      if (pieces) node = vl_tail_find(fluid, &patches->patch[q]);
      if (node == VL_TAIL_SURFACE || (pieces && vl_tail_is_air(fluid->tail, node))) continue;
      int b = vl_bodies_owner(fluid->bodies, patches->patch[q].node[0]);
      int at = next[b]++;
      if (!layer) continue;
      layer->surface.piece[at] = make_piece(&patches->patch[q], fluid, b, middle, rho, pull);
      layer->surface.piece[at].extra = node < 0;
      if (apart && node >= 0) leave(&layer->surface.piece[at], vl_layer_hold(fluid, cell, rho, pull.at(pull.data, middle)));
    }
  }
}

static vlCode reserve(vlLayerPieces *list, int count, vlStatus *status)
{
  list->count = count;
  if (!vl_array_reserve((void **)&list->piece, &list->capacity, (size_t)count + 1, sizeof *list->piece))
    return vl_fail_memory(status, (size_t)count * sizeof *list->piece, "the liquid along bodies");
  return VL_OK;
}

/* first[b] is where the pieces of body b - 1 begin while they are made, and where they end when they are. */
static vlCode find_surface(vlLayer *layer, const vlFluid *fluid, const vlPartedPlaces *parted, double rho, vlPull pull,
                           vlStatus *status)
{
  bool any = !fluid->patches->of_faces;
  if (any) walk(NULL, fluid, parted, rho, pull, layer->first + 2);
  for (int b = 0; b < fluid->bodies->count; b++) layer->first[b + 2] += layer->first[b + 1];
  vlCode code = reserve(&layer->surface, layer->first[fluid->bodies->count + 1], status);
  if (!code && any) walk(layer, fluid, parted, rho, pull, layer->first + 1);
  return code;
}

vlCode vl_layer_find(vlLayer *layer, const vlFluid *fluid, const vlPartedPlaces *parted, double rho, vlPull pull,
                     vlStatus *status)
{
  size_t bodies = (size_t)fluid->bodies->count, length = 2 * (bodies + 2);
  if (!vl_array_reserve((void **)&layer->first, &layer->first_capacity, length, sizeof *layer->first))
    return vl_fail_memory(status, length * sizeof *layer->first, "the liquid along bodies");
  memset(layer->first, 0, length * sizeof *layer->first);
  layer->first_deeper = layer->first + bodies + 2;
  layer->deeper.count = 0;
  vlCode code = find_surface(layer, fluid, parted, rho, pull, status);
  for (size_t b = 0; b < bodies && !code; b++) {
    vlBody *body = fluid->bodies->body[b];
    int first = layer->first[b], count = layer->first[b + 1] - first;
    vlLayerPiece *own = count > 0 ? layer->surface.piece + first : NULL;
    if (body->type->carry) code = body->type->carry(body, own, count, &layer->deeper, status);
    layer->first_deeper[b + 1] = layer->deeper.count;
  }
  return code;
}

/* What pieces first to last - 1 do to their body. */
static void push_pieces(const vlLayerPiece *piece, int first, int last, const vlBody *body, const vlVec3 *v1, double dt,
                        vlVec3 gravity, vlLayerSums *sums, vlVec3 *force)
{
  for (int i = first; i < last; i++) {
    const vlLayerPiece *q = &piece[i];
    vlVec3 v = vl_vec(0, 0, 0), change = vl_vec(0, 0, 0);
    for (int k = 0; k < q->nodes; k++) {
      v = vl_axpy(v, q->share[k], v1[q->node[k]]);
      change = vl_axpy(change, q->share[k], vl_sub(v1[q->node[k]], body->v[q->node[k]]));
    }
    double u = vl_dot(q->n, v);
    vlVec3 back = vl_scale(vl_axpy(vl_scale(q->n, q->inertia * vl_dot(q->n, change)), q->clings, change), 1.0 / dt);
    for (int k = 0; k < q->nodes; k++) {
      vlVec3 push = vl_axpy(vl_scale(q->n, q->b[k] * q->weight), -q->share[k], back);
      force[q->node[k]] = vl_add(force[q->node[k]], push);
    }
    sums->force = vl_add(sums->force, vl_sub(vl_scale(q->n, q->weight), back));
    sums->weight = vl_axpy(sums->weight, vl_dot(q->arm, gravity), q->n);
    sums->momentum = vl_axpy(vl_axpy(sums->momentum, q->inertia * u, q->n), q->clings, v);
    sums->energy += 0.5 * (q->inertia * u * u + q->clings * vl_dot(v, v));
  }
}

vlLayerSums vl_layer_push(const vlLayer *layer, const vlBodySet *bodies, const vlVec3 *v1, double dt, vlVec3 gravity,
                          vlVec3 *force)
{
  vlLayerSums sums = {0};
  memset(force, 0, (size_t)vl_bodies_nodes(bodies) * sizeof *force);
  for (int b = 0; b < bodies->count; b++) {
    const vlBody *body = bodies->body[b];
    const vlVec3 *now = v1 + bodies->first_node[b];
    vlVec3 *f = force + bodies->first_node[b];
    push_pieces(layer->surface.piece, layer->first[b], layer->first[b + 1], body, now, dt, gravity, &sums, f);
    push_pieces(layer->deeper.piece, layer->first_deeper[b], layer->first_deeper[b + 1], body, now, dt, gravity, &sums, f);
  }
  return sums;
}
