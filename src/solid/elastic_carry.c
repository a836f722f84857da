/* Liquid that an elastic body carries, lumped to its nodes as its own mass is: a piece q of the surface with weights b gives
 * node i the mass b_i m n n^T and the weight b_i (weight) n.
 *
 * Pieces with m < 0 take away what links between cells count too much. Of a light body they might leave no mass, so that at
 * a node no more than MOST of its own is taken; of the masses above 0 the same part counts that is left of those below on the
 * whole, since the two cancel on curved faces. The weight is counted whole: forces may have either sign. In: pieces. Out:
 * what S and w take, and what of each piece's mass counts. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "solid/elastic_parts.h"

static const double MOST = 0.75; /* of a node's mass that pieces may take away */

/* Largest part that all nodes of a piece let count, by what pieces would take from each. */
static double part_of(const vlElastic *b, const vlLayerPiece *q)
{
  double part = 1.0;
  for (int k = 0; k < q->nodes; k++) {
    double taken = -b->carried_least[q->node[k]], most = MOST * b->mass[q->node[k]];
    if (taken > most && q->b[k] > 0.0) part = fmin(part, most / taken);
  }
  return part;
}

static void limit(vlElastic *b, vlLayerPiece *piece, int count)
{
  double below = 0.0, left = 0.0;
  for (int q = 0; q < count; q++) {
    if (!(piece[q].mass < 0.0)) continue;
    piece[q].inertia = part_of(b, &piece[q]) * piece[q].mass;
    below += piece[q].mass;
    left += piece[q].inertia;
  }
  for (int q = 0; q < count && left > below; q++)
    if (piece[q].mass > 0.0) piece[q].inertia = left / below * piece[q].mass;
}

static void find_least(vlElastic *b, const vlLayerPiece *piece, int count)
{
  memset(b->carried_least, 0, (size_t)b->body.node_count * sizeof *b->carried_least);
  for (int q = 0; q < count; q++)
    for (int k = 0; k < piece[q].nodes; k++) b->carried_least[piece[q].node[k]] += fmin(piece[q].b[k] * piece[q].inertia, 0.0);
}

static void add_piece(vlElastic *b, const vlLayerPiece *q)
{
  for (int k = 0; k < q->nodes; k++) {
    int node = q->node[k];
    b->carried_weight[node] = vl_axpy(b->carried_weight[node], q->b[k] * q->weight, q->n);
    for (int i = 0; i < 9; i++) b->carried[node].m[i / 3][i % 3] += q->b[k] * q->inertia * (q->n.v[i / 3] * q->n.v[i % 3]);
  }
}

void vl_elastic_carry(vlBody *body, vlLayerPiece *piece, int count)
{
  vlElastic *b = (vlElastic *)body;
  memset(b->carried, 0, (size_t)body->node_count * sizeof *b->carried);
  memset(b->carried_weight, 0, (size_t)body->node_count * sizeof *b->carried_weight);
  find_least(b, piece, count);
  limit(b, piece, count);
  find_least(b, piece, count);
  for (int q = 0; q < count; q++) add_piece(b, &piece[q]);
}
