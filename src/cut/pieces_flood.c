/* The fine cells of one cell: their nodes, what of them is open to liquid, and its connected parts.
 *
 * Two fine cells are joined when the face between them has a liquid node and is open. A layer of fine cells across z is a
 * word of refine^2 <= 64 bits, and a part grows from its first fine cell by shifting words against those of the joins. */
#include <stdint.h>
#include <string.h>

#include "cut/pieces_parts.h"

void vl_piece_shape(vlPieceCell *c, int refine)
{
  int side = refine + 1;
  c->refine = refine;
  c->stride[0] = 1;
  c->stride[1] = side;
  c->stride[2] = side * side;
  c->nodes = side * side * side;
}

static void copy_nodes(vlPieceCell *c, const vlFine *fine, const int cell[3], bool known)
{
  double least = VL_PIECES_OFF * fine->nodes.dx;
  int side = c->refine + 1;
  for (int n = 0, at = 0; n < side; n++)
    for (int m = 0; m < side; m++) {
      const double *row = fine->phi + vl_fine_node(fine, cell, 0, m, n);
      for (int l = 0; l < side; l++) c->raw[at++] = row[l];
    }
  if (!known)
    for (int at = 0; at < c->nodes; at++) c->raw[at] = -VL_FINE_BAND * fine->grid->dx;
  for (int at = 0; at < c->nodes; at++) {
    c->phi[at] = vl_piece_off(c->raw[at], least);
    c->liquid[at] = c->raw[at] < 0.0;
  }
}

/* Which faces and fine cells have liquid nodes; what lies beyond the last of a row means nothing. */
static void spread(vlPieceCell *c)
{
  const unsigned char *x = c->liquid;
  for (int axis = 0; axis < 3; axis++) {
    int b = c->stride[axis == 0 ? 1 : 0], d = c->stride[axis == 2 ? 1 : 2];
    for (int at = 0; at < c->nodes - b - d; at++) c->face[axis][at] = x[at] | x[at + b] | x[at + d] | x[at + b + d];
  }
  int b = c->stride[1], d = c->stride[2];
  for (int at = 0; at < c->nodes - b - d - 1; at++) {
    c->some[at] = c->face[0][at] | c->face[0][at + 1];
    c->all[at] =
        x[at] & x[at + 1] & x[at + b] & x[at + b + 1] & x[at + d] & x[at + d + 1] & x[at + b + d] & x[at + b + d + 1];
  }
}

static void close_faces(vlPieceCell *c)
{
  for (int axis = 0; axis < 3; axis++)
    for (int at = 0; at < c->nodes; at++) c->face[axis][at] &= c->open[axis][at] > 0.0;
  for (int at = 0; at < c->nodes; at++) c->some[at] &= c->part[at] > 0.0;
}

void vl_piece_gather(vlPieceCell *c, const vlPieceView *v, int cell, bool known)
{
  int position[3];
  vl_piece_position(v, cell, position);
  copy_nodes(c, v->fine, position, known);
  spread(c);
  c->walled = vl_piece_walled(v, cell);
  if (c->walled) {
    vl_piece_open(c, v->open, position);
    close_faces(c);
  } else if (v->open) { /* open or solid as a whole */
    int r = c->refine;
    double open = vl_cuts_open_area(v->open, 0, r * position[0], r * position[1], r * position[2]);
    if (!(open > 0.5 * v->open->grid.dx * v->open->grid.dx)) memset(c->some, 0, (size_t)c->nodes);
  }
}

void vl_piece_turn(vlPieceCell *c)
{
  for (int at = 0; at < c->nodes; at++) c->liquid[at] = !c->liquid[at];
  spread(c);
  if (c->walled) close_faces(c);
}

/* Bits of fine cells l + refine m in each layer n, and joins to the one before along each axis. */
typedef struct Layers {
  uint64_t some[VL_PIECES_FINEST], join[3][VL_PIECES_FINEST];
} Layers;

static void pack(const vlPieceCell *c, Layers *w)
{
  int r = c->refine;
  for (int n = 0; n < r; n++) {
    uint64_t some = 0, x = 0, y = 0, z = 0;
    for (int m = 0, l = 0; m < r; m++)
      for (int i = 0; i < r; i++, l++) {
        int at = i + m * c->stride[1] + n * c->stride[2];
        some |= (uint64_t)c->some[at] << l;
        x |= (uint64_t)(c->face[0][at] & (i > 0)) << l;
        y |= (uint64_t)(c->face[1][at] & (m > 0)) << l;
        z |= (uint64_t)(c->face[2][at] & (n > 0)) << l;
      }
    w->some[n] = some;
    w->join[0][n] = x & some & some << 1;
    w->join[1][n] = y & some & some << r;
    w->join[2][n] = n > 0 ? z & some & w->some[n - 1] : 0;
  }
}

static uint64_t grow_layer(uint64_t g, uint64_t x, uint64_t y, int r)
{
  for (uint64_t before = 0; g != before;) {
    before = g;
    g |= (g << 1 & x) | (g & x) >> 1;
    g |= (g << r & y) | (g & y) >> r;
  }
  return g;
}

/* Grows the part until nothing is added, upwards and downwards in turns. */
static void grow(const Layers *w, int r, uint64_t part[VL_PIECES_FINEST])
{
  for (bool more = true; more;) {
    more = false;
    for (int s = 0; s < 2 * r; s++) {
      int n = s < r ? s : 2 * r - 1 - s;
      uint64_t g = part[n];
      if (n > 0) g |= part[n - 1] & w->join[2][n];
      if (n + 1 < r) g |= part[n + 1] & w->join[2][n + 1];
      if (!g) continue;
      g = grow_layer(g, w->join[0][n], w->join[1][n], r);
      more = more || g != part[n];
      part[n] = g;
    }
  }
}

int vl_piece_flood(vlPieceCell *c)
{
  Layers w;
  int r = c->refine, parts = 0;
  pack(c, &w);
  memset(c->label, VL_PIECES_NONE, (size_t)(r * r * r));
  for (int first = 0; first < r; first++)
    while (w.some[first]) {
      uint64_t part[VL_PIECES_FINEST] = {0};
      part[first] = w.some[first] & -w.some[first];
      grow(&w, r, part);
      int label = parts < VL_PIECES_NONE - 1 ? parts++ : parts - 1; /* more than that are one */
      for (int n = first; n < r; n++) {
        w.some[n] &= ~part[n];
        for (uint64_t left = part[n]; left; left &= left - 1)
          c->label[n * r * r + __builtin_ctzll(left)] = (unsigned char)label;
      }
    }
  return parts;
}
