/* The air of one cut cell: its connected parts, their volumes, and which of them the free surface of each piece borders.
 *
 * Parts are found as pieces are, with liquid and air changed about: fine cells with an air node, joined through open faces
 * with one. A fine cell with both belongs to a piece and to a part of the air, and the free surface in it to both; so a film
 * parts the air where a layer of nodes is liquid. Most cells have one part, whose facets are the pieces' surfaces; in others
 * they are added up anew, fine cell by fine cell. */
#include <string.h>

#include "base/memory.h"
#include "cut/pieces_parts.h"

static bool reserve(vlPiecePart *part, int pieces, int parts)
{
  return vl_array_reserve(&part->air, &part->air_capacity, part->airs + (size_t)parts, sizeof *part->air) &&
         vl_array_reserve(&part->facet, &part->facet_capacity, part->facets + (size_t)pieces * (size_t)parts,
                          sizeof *part->facet);
}

static int node_of(const vlPieceCell *c, int fine)
{
  int r = c->refine;
  return fine % r + fine / r % r * c->stride[1] + fine / r / r * c->stride[2];
}

/* All air of the cell is one part: what of its room the pieces leave. */
static void add_whole(const vlPieceCell *c, double h, vlPiecePart *part, int first, int pieces)
{
  double open = 0.0;
  int cells = c->refine * c->refine * c->refine;
  for (int l = 0; l < cells; l++) open += c->walled ? c->part[node_of(c, l)] : 1.0;
  open *= h * h * h;
  for (int i = first; i < first + pieces; i++) {
    const vlPiece *piece = &part->piece[i];
    open -= piece->volume;
    if (piece->air_area > 0.0)
      part->facet[part->facets++] = (vlPieceFacet){i, (int)part->airs, piece->air_area, piece->air, piece->air_center};
  }
  part->air[part->airs] = open > 0.0 ? open : 0.0;
}

static void add_parts(const vlPieceCell *c, double h, vlVec3 corner, vlPiecePart *part, int first, int pieces, int parts,
                      const unsigned char *rank)
{
  vlPieceFacet *facet = part->facet + part->facets; /* of every pair at first */
  double *volume = part->air + part->airs;
  int r = c->refine, count = pieces * parts, kept = 0;
  memset(volume, 0, (size_t)parts * sizeof *volume);
  for (int f = 0; f < count; f++) facet[f] = (vlPieceFacet){.piece = first + f / parts, .part = (int)part->airs + f % parts};
  for (int l = 0; l < r * r * r; l++) {
    int label = c->label[l], at = node_of(c, l);
    if (label == VL_PIECES_NONE) continue;
    double room = c->walled ? c->part[at] : 1.0;
    if (c->all[at] || rank[l] == VL_PIECES_NONE) {
      volume[label] += room * h * h * h;
      continue;
    }
    vlVec3 air, middle;
    volume[label] += room * h * h * h * (1.0 - vl_piece_fine(c, at, &air, &middle));
    vlPieceFacet *to = &facet[rank[l] * parts + label];
    double area = room * h * h * vl_norm(air);
    vlVec3 place = vl_axpy(corner, h, vl_add(vl_vec(l % r, l / r % r, l / r / r), middle));
    to->air = vl_axpy(to->air, room * h * h, air);
    to->area += area;
    to->center = vl_axpy(to->center, area, place);
  }
  for (int f = 0; f < count; f++) {
    if (!(facet[f].area > 0.0)) continue;
    facet[f].center = vl_scale(facet[f].center, 1.0 / facet[f].area);
    facet[kept++] = facet[f];
  }
  part->facets += (size_t)kept;
}

int vl_piece_air(vlPieceCell *c, const vlPieceView *view, int cell, vlPiecePart *part, int piece_first, int pieces,
                 const unsigned char *rank, unsigned char *part_of)
{
  int cells = c->refine * c->refine * c->refine, parts = 0, at[3];
  memset(part_of, VL_PIECES_NONE, (size_t)cells);
  if (!c->walled && pieces == 0) return 0; /* solid as a whole */
  vl_piece_turn(c);
  parts = vl_piece_flood(c);
  if (!reserve(part, pieces, parts)) {
    part->failed = true;
    return 0;
  }
  double h = view->fine->nodes.dx;
  memcpy(part_of, c->label, (size_t)cells);
  if (parts == 1 || pieces == 0) {
    for (int i = 1; i < parts; i++) part->air[part->airs + (size_t)i] = 0.0;
    if (parts > 0) add_whole(c, h, part, piece_first, pieces);
  } else if (parts > 1) {
    vl_piece_position(view, cell, at);
    vlVec3 corner = view->fine->grid->origin;
    for (int a = 0; a < 3; a++) corner.v[a] += at[a] * view->fine->grid->dx;
    add_parts(c, h, corner, part, piece_first, pieces, parts, rank);
  }
  part->airs += (size_t)parts;
  return parts;
}
