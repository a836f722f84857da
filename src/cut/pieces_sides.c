/* What pieces of liquid touch of the sides of the domain.
 *
 * A fine face is two triangles, on each of which phi is linear (pieces_measure.c): its liquid part is a polygon, whose
 * middle is exact. Solids take their share of it evenly. In: fine level set, pieces. Out: wet area and its middle, by piece
 * and side. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "cut/pieces_parts.h"

typedef struct Wet {
  double area, moment[2]; /* of the face's plane; in fine cells */
} Wet;

/* Adds the part phi < 0 of the triangle x with phi p at its corners. */
static void add_triangle(Wet *wet, const double x[3][2], const double p[3])
{
  double kept[4][2];
  int count = 0;
  for (int i = 0; i < 3; i++) {
    int next = (i + 1) % 3;
    if (p[i] < 0.0) memcpy(kept[count++], x[i], sizeof kept[0]);
    if ((p[i] < 0.0) == (p[next] < 0.0)) continue;
    double t = p[i] / (p[i] - p[next]);
    for (int a = 0; a < 2; a++) kept[count][a] = x[i][a] + t * (x[next][a] - x[i][a]);
    count++;
  }
  for (int i = 1; i + 1 < count; i++) {
    const double *o = kept[0], *a = kept[i], *b = kept[i + 1];
    double area = 0.5 * fabs((a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]));
    wet->area += area;
    for (int d = 0; d < 2; d++) wet->moment[d] += area / 3.0 * (o[d] + a[d] + b[d]);
  }
}

/* The fine face at node `at`, whose plane's axes are a stride b and d away; its lower corner is at m, n. */
static Wet wet_part(const vlPieceCell *c, int at, int b, int d, double m, double n)
{
  const double p[4] = {c->phi[at], c->phi[at + b], c->phi[at + d], c->phi[at + b + d]};
  const double x[4][2] = {{m, n}, {m + 1.0, n}, {m, n + 1.0}, {m + 1.0, n + 1.0}};
  static const int corner[2][3] = {{0, 1, 3}, {0, 2, 3}};
  Wet wet = {0};
  for (int t = 0; t < 2; t++) {
    double at3[3][2], phi[3];
    for (int i = 0; i < 3; i++) {
      memcpy(at3[i], x[corner[t][i]], sizeof at3[i]);
      phi[i] = p[corner[t][i]];
    }
    add_triangle(&wet, (const double(*)[2])at3, phi);
  }
  return wet;
}

typedef struct Sides {
  vlPieceSide **side;
  size_t *capacity;
  int count;
} Sides;

/* One side of a cell, gathered in c. */
static bool add_side(Sides *out, const vlPieces *p, const vlPieceView *v, const vlPieceCell *c, int cut, int side)
{
  int r = p->refine, axis = side / 2, b = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2, before = out->count, position[3];
  const int row[3] = {1, r, r * r};
  const unsigned char *rank = p->rank_of + (size_t)cut * (size_t)(r * r * r);
  int first = p->first_piece[cut], pieces = p->first_piece[cut + 1] - first;
  double h = v->fine->nodes.dx;
  Wet sum[VL_PIECES_NONE];
  memset(sum, 0, (size_t)pieces * sizeof *sum);
  for (int n = 0; n < r; n++)
    for (int m = 0; m < r; m++) {
      int label = rank[m * row[b] + n * row[d] + (side % 2 ? (r - 1) * row[axis] : 0)];
      int at = m * c->stride[b] + n * c->stride[d] + (side % 2 ? r * c->stride[axis] : 0);
      double open = c->walled ? c->open[axis][at] : 1.0;
      if (label == VL_PIECES_NONE || !(open > 0.0)) continue;
      Wet wet = wet_part(c, at, c->stride[b], c->stride[d], m, n);
      sum[label].area += open * wet.area;
      for (int q = 0; q < 2; q++) sum[label].moment[q] += open * wet.moment[q];
    }
  if (!vl_array_reserve((void **)out->side, out->capacity, (size_t)(before + pieces) + 1, sizeof **out->side)) return false;
  if (pieces > 0) vl_piece_position(v, p->piece[first].cell, position);
  for (int i = 0; i < pieces; i++) {
    if (!(sum[i].area > 0.0)) continue;
    vlVec3 middle = vl_vec(0, 0, 0);
    middle.v[axis] = side % 2 ? r : 0.0;
    middle.v[b] = sum[i].moment[0] / sum[i].area;
    middle.v[d] = sum[i].moment[1] / sum[i].area;
    for (int a = 0; a < 3; a++) middle.v[a] = v->fine->grid->origin.v[a] + h * (r * position[a] + middle.v[a]);
    (*out->side)[out->count++] =
        (vlPieceSide){.piece = first + i, .side = side, .area = sum[i].area * h * h, .center = middle};
  }
  return true;
}

vlCode vl_pieces_sides(const vlPieces *p, const vlFine *fine, const vlCuts *open, const vlBlocks *wet, vlPieceSide **side,
                       size_t *capacity, int *count, vlStatus *status)
{
  vlPieceView v = {fine, open, wet, open ? p->work->walled : NULL};
  Sides out = {.side = side, .capacity = capacity};
  bool ok = true;
  vlPieceCell *c = calloc(1, sizeof *c);
  if (!c) return vl_fail_memory(status, sizeof *c, "a cell's pieces");
  vl_piece_shape(c, p->refine);
  for (int cut = 0; cut < p->cuts && ok; cut++) {
    if (p->first_piece[cut] == p->first_piece[cut + 1]) continue;
    int cell = p->piece[p->first_piece[cut]].cell, at[3], sides = 0;
    vl_piece_position(&v, cell, at);
    for (int s = 0; s < 6; s++) sides |= (at[s / 2] == (s % 2 ? wet->n[s / 2] - 1 : 0)) << s;
    if (sides) vl_piece_gather(c, &v, cell, vl_fine_is_near(fine, at[0], at[1], at[2]));
    for (int s = 0; s < 6 && ok; s++)
      if (sides >> s & 1) ok = add_side(&out, p, &v, c, cut, s);
  }
  free(c);
  *count = out.count;
  return ok ? VL_OK : vl_fail_memory(status, (size_t)out.count * sizeof **side, "the sides of pieces");
}
