/* The pieces of one cell: volumes, mean level set and areas, added up over its fine cells.
 *
 * A fine cell is six tetrahedra around its long diagonal, on each of which phi is linear and the liquid phi < 0 convex. Of
 * the liquid we need w_i = integral of node i's hat function over the liquid, q_i = integral of it over the free surface,
 * over |grad phi|, for volume = sum w_i, first moment = sum w_i x_i, integral of phi = sum w_i phi_i, and the surface's
 * middle is sum q_i x_i / sum q_i: right to rounding wherever phi is linear. The liquid of a tetrahedron is a corner of it,
 * or a prism that falls into three tetrahedra; with s the part of an edge that is wet, all have volumes that are products of
 * s and 1 - s, and nothing is lost by subtracting.
 *
 * The free surface's area vector closes what the faces leave open, sum of faces + air = 0; solids take their part of both,
 * and what is missing then is theirs: solid = -(sum of open faces) - air. */
#include <string.h>

#include "cut/pieces_parts.h"

/* Of a fine cell; node l + 2 m + 4 n. */
typedef struct Weights {
  double w[8], q[8]; /* in sixths of a fine cell; any scale */
} Weights;

static const unsigned char tetrahedron[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                                {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
/* Corners of a tetrahedron, liquid ones first, by which are liquid, a bit each. */
static const unsigned char liquid_first[16][4] = {
    {0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 3}, {2, 0, 1, 3}, {0, 2, 1, 3}, {1, 2, 0, 3}, {0, 1, 2, 3},
    {3, 0, 1, 2}, {0, 3, 1, 2}, {1, 3, 0, 2}, {0, 1, 3, 2}, {2, 3, 0, 1}, {0, 2, 3, 1}, {1, 2, 3, 0}, {0, 1, 2, 3}};

/* Liquid at a alone: the corner a, B, C, D of the tetrahedron. */
static void add_corner(Weights *s, const double p[8], int a, int b, int c, int d)
{
  double B = p[a] / (p[a] - p[b]), C = p[a] / (p[a] - p[c]), D = p[a] / (p[a] - p[d]);
  double v = 0.25 * B * C * D, f = v / -p[a], sum = B + C + D;
  s->w[a] += v * (4.0 - sum);
  s->w[b] += v * B;
  s->w[c] += v * C;
  s->w[d] += v * D;
  s->q[a] += f * (3.0 - sum);
  s->q[b] += f * B;
  s->q[c] += f * C;
  s->q[d] += f * D;
}

/* Liquid at a and b: the prism between triangles a, C, D and b, E, F; C and E lie on edges to c, D and F to d. */
static void add_wedge(Weights *s, const double p[8], int a, int b, int c, int d)
{
  double C = p[a] / (p[a] - p[c]), D = p[a] / (p[a] - p[d]), E = p[b] / (p[b] - p[c]), F = p[b] / (p[b] - p[d]);
  double v1 = 0.25 * C * D;             /* a, C, D, b */
  double v2 = 0.25 * (1.0 - C) * E * F; /* b, E, F, C */
  double v3 = 0.25 * C * (1.0 - D) * F; /* b, C, D, F */
  double v = v1 + v2 + v3, f2 = v2 / -p[b], f3 = v3 / -p[b], f = f2 + f3;
  s->w[a] += v1 + v * (1.0 - C) + (v1 + v3) * (1.0 - D);
  s->w[b] += v + v2 * (1.0 - E) + (v2 + v3) * (1.0 - F);
  s->w[c] += v * C + v2 * E;
  s->w[d] += (v1 + v3) * D + (v2 + v3) * F;
  s->q[a] += f * (1.0 - C) + f3 * (1.0 - D);
  s->q[b] += f2 * (1.0 - E) + f * (1.0 - F);
  s->q[c] += f * C + f2 * E;
  s->q[d] += f3 * D + f * F;
}

/* Air at d alone: the prism between triangles a, b, c and A, B, C on the edges to d. */
static void add_stump(Weights *s, const double p[8], int a, int b, int c, int d)
{
  double A = p[a] / (p[a] - p[d]), B = p[b] / (p[b] - p[d]), C = p[c] / (p[c] - p[d]);
  double v1 = 0.25 * A;                         /* a, b, c, A */
  double v2 = 0.25 * (1.0 - A) * B;             /* b, c, A, B */
  double v3 = 0.25 * (1.0 - A) * (1.0 - B) * C; /* c, A, B, C */
  double v = v1 + v2 + v3, f = v3 / -p[c];
  s->w[a] += v1 + v * (1.0 - A);
  s->w[b] += v1 + v2 + (v2 + v3) * (1.0 - B);
  s->w[c] += v + v3 * (1.0 - C);
  s->w[d] += v * A + (v2 + v3) * B + v3 * C;
  s->q[a] += f * (1.0 - A);
  s->q[b] += f * (1.0 - B);
  s->q[c] += f * (1.0 - C);
  s->q[d] += f * (A + B + C);
}

/* `liquid`: bits of the eight nodes. */
static void add_tetrahedra(Weights *s, const double p[8], unsigned liquid)
{
  for (int t = 0; t < 6; t++) {
    const unsigned char *x = tetrahedron[t];
    unsigned bits =
        (liquid >> x[0] & 1u) | (liquid >> x[1] & 1u) << 1 | (liquid >> x[2] & 1u) << 2 | (liquid >> x[3] & 1u) << 3;
    const unsigned char *o = liquid_first[bits];
    int a = x[o[0]], b = x[o[1]], c = x[o[2]], d = x[o[3]];
    switch (__builtin_popcount(bits)) {
    case 1:
      add_corner(s, p, a, b, c, d);
      break;
    case 2:
      add_wedge(s, p, a, b, c, d);
      break;
    case 3:
      add_stump(s, p, a, b, c, d);
      break;
    case 4:
      for (int i = 0; i < 4; i++) s->w[x[i]] += 0.25;
      break;
    default:
      break;
    }
  }
}

/* What the fine cells of a piece add up to; lengths in fine cells, phi in m. */
typedef struct Sum {
  double volume, phi, deepest, air_area, open;
  vlVec3 moment, air, air_moment, solid, side;
} Sum;

static void node_values(const vlPieceCell *c, const double *x, int at, double p[8])
{
  int b = c->stride[1], d = c->stride[2];
  const int node[8] = {0, 1, b, b + 1, d, d + 1, b + d, b + d + 1};
  for (int i = 0; i < 8; i++) p[i] = x[at + node[i]];
}

static void lower(double *least, const double p[8])
{
  for (int i = 0; i < 8; i++) *least = p[i] < *least ? p[i] : *least;
}

/* Sum of the liquid parts of the faces, outwards; open: of their open parts only. */
static vlVec3 outward(const vlPieceCell *c, int at, bool open)
{
  vlVec3 sum;
  for (int a = 0; a < 3; a++) {
    int up = at + c->stride[a];
    sum.v[a] = open ? c->open[a][up] * c->area[a][up] - c->open[a][at] * c->area[a][at] : c->area[a][up] - c->area[a][at];
  }
  return sum;
}

/* A fine cell whose nodes are all liquid: the hat functions have 1/4 of it at the ends of its long diagonal, 1/12 elsewhere.
 */
static void add_full(Sum *s, const vlPieceCell *c, int at, vlVec3 corner, double part)
{
  double p[8];
  node_values(c, c->raw, at, p);
  s->volume += part;
  s->phi += part * (0.25 * (p[0] + p[7]) + (p[1] + p[2] + p[3] + p[4] + p[5] + p[6]) / 12.0);
  for (int a = 0; a < 3; a++) s->moment.v[a] += part * (corner.v[a] + 0.5);
  lower(&s->deepest, p);
}

/* Place of the middle of weights at the corners of the unit cube, times their sum. */
static vlVec3 first_moment(const double w[8])
{
  return vl_vec((w[1] + w[3]) + (w[5] + w[7]), (w[2] + w[3]) + (w[6] + w[7]), (w[4] + w[5]) + (w[6] + w[7]));
}

static void add_mixed(Sum *s, const vlPieceCell *c, int at, vlVec3 corner, double part)
{
  double p[8], volume = 0.0, surface = 0.0, phi = 0.0;
  Weights weights = {0};
  unsigned liquid = 0;
  node_values(c, c->phi, at, p);
  for (unsigned i = 0; i < 8; i++) liquid |= (unsigned)(p[i] < 0.0) << i;
  add_tetrahedra(&weights, p, liquid);
  node_values(c, c->raw, at, p);
  for (int i = 0; i < 8; i++) {
    volume += weights.w[i];
    surface += weights.q[i];
    phi += weights.w[i] * p[i];
  }
  double scale = part / 6.0;
  s->volume += scale * volume;
  s->phi += scale * phi;
  s->moment = vl_axpy(s->moment, scale, vl_axpy(first_moment(weights.w), volume, corner));
  lower(&s->deepest, p);
  vlVec3 air = vl_scale(outward(c, at, false), -part);
  double area = vl_norm(air);
  s->air = vl_add(s->air, air);
  s->air_area += area;
  s->air_moment = vl_axpy(s->air_moment, area, vl_axpy(corner, 1.0 / surface, first_moment(weights.q)));
  if (c->walled) s->solid = vl_sub(s->solid, air);
}

double vl_piece_fine(const vlPieceCell *c, int at, vlVec3 *air, vlVec3 *middle)
{
  double p[8], volume = 0.0, surface = 0.0;
  Weights weights = {0};
  unsigned liquid = 0;
  node_values(c, c->phi, at, p);
  for (unsigned i = 0; i < 8; i++) liquid |= (unsigned)(p[i] < 0.0) << i;
  add_tetrahedra(&weights, p, liquid);
  for (int i = 0; i < 8; i++) {
    volume += weights.w[i];
    surface += weights.q[i];
  }
  *air = vl_scale(outward(c, at, false), -1.0);
  *middle = vl_scale(first_moment(weights.q), 1.0 / surface);
  return volume / 6.0;
}

static void add_fine_cells(vlPieceCell *c, Sum *sum)
{
  int r = c->refine;
  for (int n = 0, l = 0; n < r; n++)
    for (int m = 0; m < r; m++)
      for (int i = 0; i < r; i++, l++) {
        if (c->label[l] == VL_PIECES_NONE) continue;
        int at = i + m * c->stride[1] + n * c->stride[2];
        Sum *s = &sum[c->label[l]];
        double part = c->walled ? c->part[at] : 1.0;
        if (c->all[at])
          add_full(s, c, at, vl_vec(i, m, n), part);
        else
          add_mixed(s, c, at, vl_vec(i, m, n), part);
        if (c->walled) s->solid = vl_sub(s->solid, outward(c, at, true));
      }
}

static void fill_areas(vlPieceCell *c)
{
  const unsigned char *x = c->liquid;
  for (int axis = 0; axis < 3; axis++) {
    int b = c->stride[axis == 0 ? 1 : 0], d = c->stride[axis == 2 ? 1 : 2];
    for (int at = 0; at < c->nodes - b - d; at++) {
      int liquid = x[at] + x[at + b] + x[at + d] + x[at + b + d];
      const double *p = c->phi + at;
      c->area[axis][at] = liquid == 0 ? 0.0 : liquid == 4 ? 1.0 : vl_square_part(p[0], p[b], p[d], p[b + d]);
    }
  }
}

/* Faces of the cell: links' areas, or those of the domain's sides. */
static void add_outer_faces(const vlPieceCell *c, const vlPieceView *view, int cell, Sum *sum)
{
  int r = c->refine;
  for (int axis = 0; axis < 3; axis++)
    for (int upper = 0; upper < 2; upper++) {
      bool linked = vl_piece_neighbour(view, cell, axis, upper ? 1 : -1) >= 0;
      int b = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2;
      const int row[3] = {1, r, r * r};
      for (int n = 0; n < r; n++)
        for (int m = 0; m < r; m++) {
          int label = c->label[m * row[b] + n * row[d] + (upper ? (r - 1) * row[axis] : 0)];
          if (label == VL_PIECES_NONE) continue;
          int at = m * c->stride[b] + n * c->stride[d] + (upper ? r * c->stride[axis] : 0);
          double area = c->walled ? c->open[axis][at] * c->area[axis][at] : c->area[axis][at];
          if (linked)
            sum[label].open += area;
          else
            sum[label].side.v[axis] += upper ? area : -area;
        }
    }
}

static vlPiece finished(const Sum *s, const vlPieceView *view, int cell)
{
  double h = view->fine->nodes.dx, dx = view->fine->grid->dx, h2 = h * h;
  int at[3];
  vl_piece_position(view, cell, at);
  vlVec3 corner = vl_add(view->fine->grid->origin, vl_vec(at[0] * dx, at[1] * dx, at[2] * dx));
  vlPiece p = {
      .cell = cell, .volume = s->volume * h2 * h, .deepest = s->deepest, .air_area = s->air_area * h2, .open = s->open * h2};
  /* no deeper than the shallowest corner can be once its node is kept off 0 */
  p.phi = fmin(s->phi / s->volume, -0.25 * VL_PIECES_OFF * h);
  p.center = vl_axpy(corner, h / s->volume, s->moment);
  p.air_center = s->air_area > 0.0 ? vl_axpy(corner, h / s->air_area, s->air_moment) : p.center;
  p.air = vl_scale(s->air, h2);
  p.solid = vl_scale(s->solid, h2);
  p.side = vl_scale(s->side, h2);
  return p;
}

int vl_piece_measure(vlPieceCell *c, const vlPieceView *view, int cell, vlPiece piece[VL_PIECES_NONE], unsigned char *rank)
{
  Sum sum[VL_PIECES_NONE];
  unsigned char order[VL_PIECES_NONE], rank_of[VL_PIECES_NONE + 1];
  int count = vl_piece_flood(c);
  memset(sum, 0, (size_t)count * sizeof *sum);
  if (count > 0) {
    fill_areas(c);
    add_fine_cells(c, sum);
    add_outer_faces(c, view, cell, sum);
  }
  for (int i = 0; i < count; i++) { /* by volume, those of equal volume as they come */
    int to = i;
    for (; to > 0 && sum[order[to - 1]].volume < sum[i].volume; to--) order[to] = order[to - 1];
    order[to] = (unsigned char)i;
  }
  for (int i = 0; i < count; i++) {
    piece[i] = finished(&sum[order[i]], view, cell);
    piece[i].rank = i;
    rank_of[order[i]] = (unsigned char)i;
  }
  rank_of[VL_PIECES_NONE] = VL_PIECES_NONE;
  for (int l = 0; l < c->refine * c->refine * c->refine; l++) rank[l] = rank_of[c->label[l]];
  return count;
}
