/* Liquid that an elastic body carries, lumped to its nodes as its own mass is: a piece q of the surface gives node i the
 * mass share_i m n n^T and the weight b_i (weight) n.
 *
 * Pieces with m < 0 take away what links between cells count too much. At the nodes of thin or light elements that may be
 * more than there is, so that at a node no more than MOST of its own mass is taken. What is left to take goes inwards, along
 * n from node to node: what lies behind a piece moves along n as the piece does, so the sum along the way counts and not
 * where on it the mass is. What finds no room even so is not taken; then of the masses above 0 the same part counts as of
 * those below, since the two cancel on curved faces. The weight is counted whole: forces may have either sign. To bodies
 * lighter than a film of liquid that clings (layer.h), in all directions. In: pieces. Out: what S and w take, what counts of
 * each piece, and what went inwards, as pieces of one node. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "solid/elastic_parts.h"

static const double MOST = 0.75; /* of a node's mass that pieces may take away */
enum { WAY = 64 };               /* nodes along which an excess goes inwards */

/* Mass that a piece could not take at a node; it looks for room along n from x0. */
typedef struct vlExcess {
  vlVec3 x0, n;
  int node; /* -1: it went as far as it could */
  double mass;
} Excess;

static void take(vlElastic *b, int node, double mass) { b->carried_least[node] += fmin(mass, 0.0); }
static double room(const vlElastic *b, int node) { return fmax(MOST * b->mass[node] + b->carried_least[node], 0.0); }

static void find_wanted(vlElastic *b, const vlLayerPiece *piece, int count)
{
  memset(b->carried_least, 0, (size_t)b->body.node_count * sizeof *b->carried_least);
  for (int q = 0; q < count; q++)
    for (int k = 0; k < piece[q].nodes; k++) take(b, piece[q].node[k], piece[q].share[k] * piece[q].mass);
}

/* Largest part of its mass for which all nodes of a piece have room, by what pieces want of each. */
static double part_of(const vlElastic *b, const vlLayerPiece *q)
{
  double part = 1.0;
  for (int k = 0; k < q->nodes; k++) {
    double wanted = -b->carried_least[q->node[k]], most = MOST * b->mass[q->node[k]];
    if (wanted > most && q->share[k] > 0.0) part = fmin(part, most / wanted);
  }
  return part;
}

/* Pieces below 0 count by that part; what is beyond it is an excess at each of their nodes. */
static vlCode find_excess(vlElastic *b, vlLayerPiece *piece, int count, int *excesses, vlStatus *status)
{
  *excesses = 0;
  for (int q = 0; q < count; q++) {
    vlLayerPiece *p = &piece[q];
    double part = p->mass < 0.0 ? part_of(b, p) : 1.0;
    if (part == 1.0) continue;
    p->inertia = part * p->mass;
    size_t most = (size_t)*excesses + VL_PIECE_NODES;
    if (!vl_array_reserve((void **)&b->excess, &b->excess_capacity, most, sizeof *b->excess))
      return vl_fail_memory(status, most * sizeof *b->excess, "the liquid along a body");
    for (int k = 0; k < p->nodes; k++)
      if (p->share[k] > 0.0)
        b->excess[(*excesses)++] = (Excess){b->body.x[p->node[k]], p->n, p->node[k], p->share[k] * (p->mass - p->inertia)};
  }
  memset(b->carried_least, 0, (size_t)b->body.node_count * sizeof *b->carried_least);
  for (int q = 0; q < count; q++)
    for (int k = 0; k < piece[q].nodes; k++) take(b, piece[q].node[k], piece[q].share[k] * piece[q].inertia);
  return VL_OK;
}

/* The neighbour that lies further along n and least beside the line from x0; -1: none. */
static int next_inwards(const vlElastic *b, const Excess *e)
{
  const vlVec3 *x = b->body.x;
  const int *list;
  int count = vl_elastic_neighbours(b, e->node, &list), best = -1;
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    double ahead = vl_dot(e->n, vl_sub(x[list[i]], x[e->node]));
    double edge = vl_norm(vl_sub(x[list[i]], x[e->node]));
    if (!(ahead > 0.1 * edge)) continue;
    vlVec3 way = vl_sub(x[list[i]], e->x0);
    double beside = vl_norm(vl_axpy(way, -vl_dot(way, e->n), e->n)) / ahead;
    if (beside < least) least = beside, best = list[i];
  }
  return best;
}

static vlCode add_deeper(vlLayerPieces *deeper, const Excess *e, vlVec3 x, double mass, vlStatus *status)
{
  size_t count = (size_t)deeper->count + 1;
  if (!vl_array_reserve((void **)&deeper->piece, &deeper->capacity, count, sizeof *deeper->piece))
    return vl_fail_memory(status, count * sizeof *deeper->piece, "the liquid along a body");
  deeper->piece[deeper->count++] =
      (vlLayerPiece){.nodes = 1, .node = {e->node}, .share = {1.0}, .x = x, .n = e->n, .inertia = mass};
  return VL_OK;
}

/* Every node grants those that stand at it the same part of what they want. Returns whether anything is left to move on. */
static vlCode grant(vlElastic *b, int excesses, vlLayerPieces *deeper, bool *left, vlStatus *status)
{
  double *wanted = b->carried_wanted;
  *left = false;
  for (int i = 0; i < excesses; i++)
    if (b->excess[i].node >= 0) wanted[b->excess[i].node] = 0.0;
  for (int i = 0; i < excesses; i++)
    if (b->excess[i].node >= 0) wanted[b->excess[i].node] -= b->excess[i].mass;
  for (int i = 0; i < excesses; i++) /* from here on: the part that is granted, below 0 */
    if (b->excess[i].node >= 0 && wanted[b->excess[i].node] > 0.0)
      wanted[b->excess[i].node] = -fmin(1.0, room(b, b->excess[i].node) / wanted[b->excess[i].node]);
  for (int i = 0; i < excesses; i++) {
    Excess *e = &b->excess[i];
    if (e->node < 0 || !(e->mass < 0.0)) continue;
    double part = -wanted[e->node], mass = part * e->mass;
    if (part > 0.0) {
      vlCode code = add_deeper(deeper, e, b->body.x[e->node], mass, status);
      if (code) return code;
    }
    e->mass = part < 1.0 ? e->mass - mass : 0.0;
    *left = *left || e->mass < 0.0;
  }
  return VL_OK;
}

/* Out: kg below 0 that found no room. */
static vlCode go_inwards(vlElastic *b, int excesses, vlLayerPieces *deeper, double *lost, vlStatus *status)
{
  bool left = excesses > 0;
  for (int way = 0; way < WAY && left; way++) {
    int first = deeper->count;
    vlCode code = grant(b, excesses, deeper, &left, status);
    if (code) return code;
    for (int i = first; i < deeper->count; i++) take(b, deeper->piece[i].node[0], deeper->piece[i].inertia);
    for (int i = 0; i < excesses; i++)
      if (b->excess[i].node >= 0) b->excess[i].node = b->excess[i].mass < 0.0 ? next_inwards(b, &b->excess[i]) : -1;
  }
  *lost = 0.0;
  for (int i = 0; i < excesses; i++) *lost += b->excess[i].mass;
  return VL_OK;
}

/* Where some of what pieces below 0 take away was lost, those above 0 count by the same part. */
static void balance(vlLayerPiece *piece, int count, double lost)
{
  double below = 0.0;
  for (int q = 0; q < count; q++) below += fmin(piece[q].mass, 0.0);
  for (int q = 0; q < count && lost < 0.0; q++)
    if (piece[q].mass > 0.0) piece[q].inertia = (1.0 - lost / below) * piece[q].mass;
}

static void add_pieces(vlElastic *b, const vlLayerPiece *piece, int count)
{
  for (int i = 0; i < count; i++) {
    const vlLayerPiece *q = &piece[i];
    for (int k = 0; k < q->nodes; k++) {
      int node = q->node[k];
      b->carried_weight[node] = vl_axpy(b->carried_weight[node], q->b[k] * q->weight, q->n);
      for (int c = 0; c < 9; c++)
        b->carried[node].m[c / 3][c % 3] += q->share[k] * q->inertia * (q->n.v[c / 3] * q->n.v[c % 3]);
      for (int a = 0; a < 3; a++) b->carried[node].m[a][a] += q->share[k] * q->clings;
    }
  }
}

vlCode vl_elastic_carry(vlBody *body, vlLayerPiece *piece, int count, vlLayerPieces *deeper, vlStatus *status)
{
  vlElastic *b = (vlElastic *)body;
  int excesses, first = deeper->count;
  double lost = 0.0, mass = 0.0;
  for (int i = 0; i < body->node_count; i++) mass += b->mass[i];
  memset(b->carried, 0, (size_t)body->node_count * sizeof *b->carried);
  memset(b->carried_weight, 0, (size_t)body->node_count * sizeof *b->carried_weight);
  find_wanted(b, piece, count);
  vlCode code = find_excess(b, piece, count, &excesses, status);
  if (!code) code = go_inwards(b, excesses, deeper, &lost, status);
  if (code) return code;
  balance(piece, count, lost);
  (void)vl_pieces_cling(piece, count, mass);
  add_pieces(b, piece, count);
  if (deeper->count > first) add_pieces(b, deeper->piece + first, deeper->count - first);
  return VL_OK;
}
