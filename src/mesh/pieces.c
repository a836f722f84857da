/* Which way the pieces of a closed mesh face.
 *
 * Triangles joined by edges form a piece, oriented alike all over because the mesh is closed; the sign of its volume tells
 * which way. Pieces are taken from the largest down, so that those around a piece come before it. The parent is the
 * smallest piece around; a piece turns with its parent, and adds its sign to the winding number w there:
 *   w(piece) = w(parent) + sign,      w = 0 in the open.
 * Where that would be less than zero the piece is inside out and is turned over. "Around" means that the box encloses the
 * box and that a point of the piece sees the other one's inside all round [jacobson2013].
 *
 * mesh -> mesh, triangles of some pieces turned over. */
#include "mesh/trimesh.h"

#include <stdlib.h>

#include "base/groups.h"
#include "base/status.h"
#include "base/vec.h"

typedef struct {
  int first, count; /* its triangles, in Pieces.order */
  double volume;    /* m3, signed, as in the file */
  vlBox3 box;
  vlVec3 point; /* m: one of its vertices */
  int parent;   /* the smallest piece around it, -1: none */
  int winding;  /* inside it, after turning */
  bool turned;
} Piece;

typedef struct {
  const vlTriMesh *mesh;
  int *piece_of; /* [triangle_count] */
  int *order;    /* triangles, piece by piece [triangle_count] */
  Piece *piece;  /* from the largest volume down [count] */
  int count;
} Pieces;

/* Numbers the pieces by their first triangles. */
static vlCode join_triangles(Pieces *p, vlStatus *status)
{
  vlSide *sides = NULL;
  size_t count = 0;
  vlCode code = vl_sides_sorted(&sides, &count, p->mesh, status);
  int *parent = p->piece_of, *number = p->order; /* lent: filled with their own values at the end */
  for (int t = 0; t < p->mesh->triangle_count; t++) parent[t] = t;
  for (size_t i = 1; i < count && !code; i++) {
    if (sides[i].lo != sides[i - 1].lo || sides[i].hi != sides[i - 1].hi) continue;
    vl_group_join(parent, sides[i].triangle, sides[i - 1].triangle);
  }
  free(sides);
  for (int t = 0; t < p->mesh->triangle_count; t++) number[t] = vl_group_root(parent, t) == t ? p->count++ : -1;
  for (int t = 0; t < p->mesh->triangle_count; t++)
    if (number[t] < 0) number[t] = number[vl_group_root(parent, t)];
  for (int t = 0; t < p->mesh->triangle_count; t++) parent[t] = number[t];
  return code;
}

static void measure(Pieces *p)
{
  const vlTriMesh *m = p->mesh;
  for (int i = 0; i < p->count; i++) p->piece[i] = (Piece){.box = vl_box_empty(), .parent = -1};
  for (int t = 0; t < m->triangle_count; t++) {
    Piece *piece = &p->piece[p->piece_of[t]];
    if (piece->count++ == 0) piece->point = m->x[m->tri[t][0]];
    for (int c = 0; c < 3; c++) piece->box = vl_box_add(piece->box, m->x[m->tri[t][c]]);
    vlVec3 a = vl_sub(m->x[m->tri[t][0]], piece->point), b = vl_sub(m->x[m->tri[t][1]], piece->point);
    piece->volume += vl_dot(a, vl_cross(b, vl_sub(m->x[m->tri[t][2]], piece->point))) / 6.0;
  }
  for (int i = 1; i < p->count; i++) p->piece[i].first = p->piece[i - 1].first + p->piece[i - 1].count;
  for (int i = 0; i < p->count; i++) p->piece[i].count = 0;
  for (int t = 0; t < m->triangle_count; t++) {
    Piece *piece = &p->piece[p->piece_of[t]];
    p->order[piece->first + piece->count++] = t;
  }
}

static int compare_pieces(const void *a, const void *b)
{
  const Piece *p = a, *q = b;
  double v = fabs(p->volume), w = fabs(q->volume);
  return v != w ? (v > w ? -1 : 1) : (p->first > q->first) - (p->first < q->first);
}

static bool box_inside(vlBox3 inner, vlBox3 outer)
{
  for (int a = 0; a < 3; a++)
    if (inner.lo.v[a] < outer.lo.v[a] || inner.hi.v[a] > outer.hi.v[a]) return false;
  return true;
}

/* Half the solid angle of a triangle seen from x [vanoosterom1983]. */
static double half_angle(const vlTriMesh *m, int t, vlVec3 x)
{
  vlVec3 a = vl_sub(m->x[m->tri[t][0]], x), b = vl_sub(m->x[m->tri[t][1]], x), c = vl_sub(m->x[m->tri[t][2]], x);
  double la = vl_norm(a), lb = vl_norm(b), lc = vl_norm(c);
  return atan2(vl_dot(a, vl_cross(b, c)), la * lb * lc + vl_dot(a, b) * lc + vl_dot(b, c) * la + vl_dot(c, a) * lb);
}

static bool lies_inside(const Pieces *p, const Piece *inner, const Piece *outer)
{
  if (!box_inside(inner->box, outer->box)) return false;
  double sum = 0.0;
  for (int i = 0; i < outer->count; i++) sum += half_angle(p->mesh, p->order[outer->first + i], inner->point);
  return fabs(sum) > VL_PI; /* 2 pi inside */
}

static void orient(Pieces *p)
{
  qsort(p->piece, (size_t)p->count, sizeof *p->piece, compare_pieces);
#pragma omp parallel for schedule(dynamic)
  for (int i = 1; i < p->count; i++)
    for (int j = i - 1; j >= 0 && p->piece[i].parent < 0; j--)
      if (lies_inside(p, &p->piece[i], &p->piece[j])) p->piece[i].parent = j;
  for (int i = 0; i < p->count; i++) {
    Piece *piece = &p->piece[i];
    const Piece *parent = piece->parent >= 0 ? &p->piece[piece->parent] : NULL;
    int around = parent ? parent->winding : 0;
    piece->turned = parent && parent->turned;
    int sign = (piece->volume < 0.0) != piece->turned ? -1 : 1;
    if (around + sign < 0) {
      piece->turned = !piece->turned;
      sign = 1;
    }
    piece->winding = around + sign;
  }
}

vlCode vl_trimesh_orient_pieces(vlTriMesh *mesh, vlStatus *status)
{
  size_t n = (size_t)mesh->triangle_count + 1;
  Pieces p = {.mesh = mesh, .piece_of = malloc(n * sizeof *p.piece_of), .order = malloc(n * sizeof *p.order)};
  vlCode code = VL_OK;
  if (!p.piece_of || !p.order) code = vl_fail_memory(status, 2 * n * sizeof *p.order, "the pieces of a mesh");
  if (!code) code = join_triangles(&p, status);
  if (!code) {
    p.piece = calloc((size_t)p.count + 1, sizeof *p.piece);
    if (!p.piece) code = vl_fail_memory(status, (size_t)p.count * sizeof *p.piece, "the pieces of a mesh");
  }
  if (!code) {
    measure(&p);
    orient(&p);
    for (int i = 0; i < p.count; i++)
      for (int k = 0; p.piece[i].turned && k < p.piece[i].count; k++) {
        int *tri = mesh->tri[p.order[p.piece[i].first + k]], second = tri[1];
        tri[1] = tri[2];
        tri[2] = second;
      }
  }
  free(p.piece_of);
  free(p.order);
  free(p.piece);
  return code;
}
