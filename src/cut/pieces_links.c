/* Links between pieces, and between pieces and whole cells: for each face of cells with a cut cell at it, the liquid areas
 * of its fine faces added up for each pair of ends that meet there. Areas are computed once for a face, by the formula that
 * the pieces on either side used. */
#include <limits.h>

#include "base/memory.h"
#include "cut/pieces_parts.h"

/* A face between two wet cells. */
typedef struct Face {
  int axis, below, above; /* wet cells */
  int position[3];        /* of the cell above */
  double phi[(VL_PIECES_FINEST + 1) * (VL_PIECES_FINEST + 1)];
} Face;

static bool is_near(const vlFine *f, const int at[3]) { return vl_fine_is_near(f, at[0], at[1], at[2]); }

static void gather_nodes(Face *f, const vlPieceView *v)
{
  int r = v->fine->refine, b = f->axis == 0 ? 1 : 0, d = f->axis == 2 ? 1 : 2,
      below[3] = {f->position[0], f->position[1], f->position[2]};
  below[f->axis]--;
  bool known = is_near(v->fine, f->position) || is_near(v->fine, below);
  double least = VL_PIECES_OFF * v->fine->nodes.dx;
  const double *phi = v->fine->phi + vl_fine_node(v->fine, f->position, 0, 0, 0);
  for (int n = 0; n <= r; n++)
    for (int m = 0; m <= r; m++)
      f->phi[m + n * (r + 1)] =
          known ? vl_piece_off(phi[m * v->fine->nodes.stride[b] + n * v->fine->nodes.stride[d]], least) : -1.0;
}

/* The piece that a fine cell of a cell belongs to, or the whole cell. fine: number of the fine cell. */
static int end_of(const vlPieces *p, int cell, int fine)
{
  int cut = vl_pieces_cut(p, cell), cells = p->refine * p->refine * p->refine;
  if (cut < 0) return vl_pieces_whole(cell);
  int rank = p->rank_of[(size_t)cut * (size_t)cells + (size_t)fine];
  return rank == VL_PIECES_NONE ? INT_MAX : p->first_piece[cut] + rank;
}

/* Middle of the liquid part of a triangle times that part; corner a at x[0] and so on, in the face's plane. */
static void triangle_moment(const double p[3], const double (*x)[2], double moment[2])
{
  bool l[3] = {p[0] < 0.0, p[1] < 0.0, p[2] < 0.0};
  int o = l[1] == l[2] ? 0 : l[0] == l[2] ? 1 : 2, i = (o + 1) % 3, j = (o + 2) % 3;
  double whole[2] = {(x[0][0] + x[1][0] + x[2][0]) / 3.0, (x[0][1] + x[1][1] + x[2][1]) / 3.0};
  if (l[o] == l[i]) { /* all alike */
    for (int a = 0; a < 2; a++) moment[a] = l[o] ? whole[a] : 0.0;
    return;
  }
  double s = p[o] / (p[o] - p[i]), t = p[o] / (p[o] - p[j]);
  for (int a = 0; a < 2; a++) {
    double corner = s * t * (x[o][a] + (s * (x[i][a] - x[o][a]) + t * (x[j][a] - x[o][a])) / 3.0);
    moment[a] = l[o] ? corner : whole[a] - corner;
  }
}

/* Liquid part of fine face (m, n) and, times it, the middle in fine cells. */
static double fine_face(const double *phi, int row, int m, int n, double moment[2])
{
  static const double x[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {0, 1}, {1, 1}}};
  const double *p = phi + m + n * row;
  double part = vl_square_part(p[0], p[1], p[row], p[row + 1]), one[2] = {0.5, 0.5}, two[2] = {0.5, 0.5};
  if (part > 0.0 && part < 1.0) {
    triangle_moment((const double[3]){p[0], p[1], p[row + 1]}, x[0], one);
    triangle_moment((const double[3]){p[0], p[row], p[row + 1]}, x[1], two);
  }
  moment[0] = m * part + 0.5 * (one[0] + two[0]);
  moment[1] = n * part + 0.5 * (one[1] + two[1]);
  return part;
}

/* Links of one face while they are added up; centers times area, in fine cells. */
typedef struct Pairs {
  vlPieceLink link[VL_PIECES_FINEST * VL_PIECES_FINEST];
  int count;
} Pairs;

static vlPieceLink *pair_of(Pairs *pairs, int axis, int below, int above)
{
  for (int i = pairs->count - 1; i >= 0; i--)
    if (pairs->link[i].below == below && pairs->link[i].above == above) return &pairs->link[i];
  vlPieceLink *new = &pairs->link[pairs->count++];
  *new = (vlPieceLink){.axis = axis, .below = below, .above = above};
  return new;
}

/* Solids: a cut cell without their surface is open or has no piece, so that a look is needed only where all have it. */
static bool solids_at(const vlPieceView *v, const vlPieces *p, const Face *f)
{
  return (vl_pieces_cut(p, f->below) < 0 || vl_piece_walled(v, f->below)) &&
         (vl_pieces_cut(p, f->above) < 0 || vl_piece_walled(v, f->above));
}

/* Open part of fine face (m, n). */
static double open_part(const vlPieceView *v, const Face *f, int m, int n)
{
  int r = v->fine->refine, at[3] = {r * f->position[0], r * f->position[1], r * f->position[2]};
  at[f->axis == 0 ? 1 : 0] += m;
  at[f->axis == 2 ? 1 : 2] += n;
  return vl_cuts_open_area(v->open, f->axis, at[0], at[1], at[2]) / (v->open->grid.dx * v->open->grid.dx);
}

static void add_up(Pairs *pairs, const Face *f, const vlPieceView *v, const vlPieces *p)
{
  int r = p->refine, b = f->axis == 0 ? 1 : 0, d = f->axis == 2 ? 1 : 2;
  const int row[3] = {1, r, r * r};
  bool solids = v->open && solids_at(v, p, f);
  for (int n = 0; n < r; n++)
    for (int m = 0; m < r; m++) {
      double moment[2], part = fine_face(f->phi, r + 1, m, n, moment), open = 1.0;
      if (!(part > 0.0)) continue;
      int fine = m * row[b] + n * row[d];
      int below = end_of(p, f->below, fine + (r - 1) * row[f->axis]), above = end_of(p, f->above, fine);
      if (below == INT_MAX || above == INT_MAX) continue; /* solid */
      if (solids) open = open_part(v, f, m, n);
      if (!(open > 0.0)) continue;
      vlPieceLink *link = pair_of(pairs, f->axis, below, above);
      link->area += open * part;
      link->center.v[b] += open * moment[0];
      link->center.v[d] += open * moment[1];
    }
}

/* To metres, in order, to the end of the list. */
static bool keep(vlPiecePart *part, Pairs *pairs, const Face *f, const vlPieceView *v)
{
  int axis = f->axis;
  double h = v->fine->nodes.dx, dx = v->fine->grid->dx;
  size_t *count = &part->link_count[axis];
  if (pairs->count == 0) return true;
  if (!vl_array_reserve(&part->link[axis], &part->link_capacity[axis], *count + (size_t)pairs->count,
                        sizeof *part->link[axis]))
    return false;
  vlPieceLink *first = part->link[axis] + *count;
  for (int i = 0; i < pairs->count; i++) {
    vlPieceLink link = pairs->link[i];
    for (int a = 0; a < 3; a++)
      link.center.v[a] =
          v->fine->grid->origin.v[a] + f->position[a] * dx + (a == axis ? 0.0 : link.center.v[a] / link.area * h);
    link.area *= h * h;
    int to = i;
    for (; to > 0 &&
           (first[to - 1].below > link.below || (first[to - 1].below == link.below && first[to - 1].above > link.above));
         to--)
      first[to] = first[to - 1];
    first[to] = link;
  }
  *count += (size_t)pairs->count;
  return true;
}

/* Cells of the block with a cut cell at their lower face. */
static unsigned faces_of(const vlPieceView *v, const vlPieces *p, int block, int axis)
{
  vlBlockPosition at = v->wet->at[block];
  int before = vl_blocks_find(v->wet, at.bx - (axis == 0), at.j - (axis == 1), at.k - (axis == 2));
  unsigned inside = (1u << vl_blocks_width(v->wet, at)) - 1u, cut = before < 0 ? 0 : p->cut[before];
  if (axis > 0) return before < 0 ? 0 : (p->cut[block] | cut) & inside;
  unsigned below = (unsigned)p->cut[block] << 1 | cut >> (VL_BLOCK - 1);
  return (p->cut[block] | below) & inside & (before < 0 ? ~1u : ~0u);
}

void vl_piece_links(vlPiecePart *part, const vlPieceView *v, const vlPieces *p, int block)
{
  for (int axis = 0; axis < 3; axis++)
    for (unsigned left = faces_of(v, p, block, axis); left; left &= left - 1) {
      Face face = {.axis = axis, .above = block * VL_BLOCK + __builtin_ctz(left)};
      Pairs pairs;
      pairs.count = 0;
      face.below = vl_piece_neighbour(v, face.above, axis, -1);
      vl_piece_position(v, face.above, face.position);
      gather_nodes(&face, v);
      add_up(&pairs, &face, v, p);
      part->failed = part->failed || !keep(part, &pairs, &face, v);
    }
}
