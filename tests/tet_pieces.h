/* Pieces of a cell by tetrahedra, the long way: each of the six tetrahedra of a fine cell is clipped to the polyhedron where
 * phi is below 0, face by face, and polyhedra that share a part of a triangle are one piece. Lengths are in fine cells, from
 * the cell's lower corner. */
#ifndef VL_TESTS_TET_PIECES_H
#define VL_TESTS_TET_PIECES_H

#include <stdlib.h>
#include <string.h>

#include "base/groups.h"
#include "base/vec.h"

enum { TET_FINEST = 8, TET_MOST = 6 * TET_FINEST * TET_FINEST * TET_FINEST };

typedef struct TetPiece {
  double volume, phi; /* phi: mean */
  vlVec3 center, air;
  double face[6]; /* area at the cell's faces: 2 axis + upper */
} TetPiece;

typedef struct TetPieces {
  int count;
  TetPiece piece[TET_MOST];
  int of_fine[TET_FINEST * TET_FINEST * TET_FINEST]; /* -1: none, -2: two or more pieces meet in it */
} TetPieces;

/* A triangle of a tetrahedron, by its nodes in order. */
typedef struct TetFace {
  int node[3], tet;
} TetFace;

/* Corners of a triangle where phi < 0, in turn; edge: the two that lie on phi = 0, in the order they are met. */
static inline int clip_face(const vlVec3 x[3], const double p[3], vlVec3 corner[4], vlVec3 edge[2], bool *cut)
{
  int count = 0;
  *cut = false;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (p[i] < 0.0) corner[count++] = x[i];
    if ((p[i] < 0.0) == (p[j] < 0.0)) continue;
    vlVec3 at = vl_axpy(x[i], p[i] / (p[i] - p[j]), vl_sub(x[j], x[i]));
    corner[count++] = at;
    edge[p[i] < 0.0 ? 0 : 1] = at; /* out of the liquid, into it */
    *cut = true;
  }
  return count;
}

typedef struct TetSum {
  double volume, phi;
  vlVec3 moment, air;
  double area[4]; /* opposite to each corner */
} TetSum;

/* The tetrahedron between apex and triangle, phi = at(0) + g.x. */
static inline void add_tet(TetSum *s, vlVec3 apex, vlVec3 a, vlVec3 b, vlVec3 c, double at0, vlVec3 g)
{
  double v = vl_dot(vl_sub(a, apex), vl_cross(vl_sub(b, apex), vl_sub(c, apex))) / 6.0;
  vlVec3 middle = vl_scale(vl_add(vl_add(apex, a), vl_add(b, c)), 0.25);
  s->volume += v;
  s->phi += v * (at0 + vl_dot(g, middle));
  s->moment = vl_axpy(s->moment, v, middle);
}

/* phi = at(0) + g.x on a tetrahedron. */
static inline vlVec3 slope_of(const vlVec3 x[4], const double p[4], double *at0)
{
  vlMat3 edges, inverse = {0};
  for (int e = 0; e < 3; e++)
    for (int a = 0; a < 3; a++) edges.m[e][a] = x[e + 1].v[a] - x[0].v[a];
  vl_mat_inverse(edges, &inverse);
  vlVec3 g = vl_mat_apply(inverse, vl_vec(p[1] - p[0], p[2] - p[0], p[3] - p[0]));
  *at0 = p[0] - vl_dot(g, x[0]);
  return g;
}

/* The clipped faces of a tetrahedron, each in turn as seen from outside. */
typedef struct TetFaces {
  vlVec3 corner[4][4], edge[4][2]; /* edge: where it meets phi = 0 */
  int corners[4], cuts;
  bool cut[4];
  vlVec3 inside, middle; /* some point of the liquid, and of phi = 0 */
} TetFaces;

static inline bool clip_faces(const vlVec3 x[4], const double p[4], TetFaces *s)
{
  /* that opposite to each corner, of a tetrahedron of positive volume */
  static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  bool positive = vl_dot(vl_sub(x[1], x[0]), vl_cross(vl_sub(x[2], x[0]), vl_sub(x[3], x[0]))) > 0.0;
  int total = 0;
  *s = (TetFaces){0};
  for (int f = 0; f < 4; f++) {
    vlVec3 y[3];
    double q[3];
    for (int i = 0; i < 3; i++) {
      int from = face[f][positive ? i : 2 - i];
      y[i] = x[from];
      q[i] = p[from];
    }
    s->corners[f] = clip_face(y, q, s->corner[f], s->edge[f], &s->cut[f]);
    for (int i = 0; i < s->corners[f]; i++) s->inside = vl_add(s->inside, s->corner[f][i]);
    total += s->corners[f];
    s->cuts += s->cut[f];
    if (s->cut[f]) s->middle = vl_add(s->middle, s->edge[f][0]);
  }
  if (total > 0) s->inside = vl_scale(s->inside, 1.0 / total);
  if (s->cuts > 0) s->middle = vl_scale(s->middle, 1.0 / s->cuts);
  return total > 0;
}

static inline TetSum clip_tet(const vlVec3 x[4], const double p[4])
{
  TetSum s = {0};
  TetFaces c;
  double at0;
  vlVec3 g = slope_of(x, p, &at0);
  if (!clip_faces(x, p, &c)) return s;
  for (int f = 0; f < 4; f++) {
    const vlVec3 *y = c.corner[f];
    vlVec3 area = {0};
    for (int i = 2; i < c.corners[f]; i++) {
      area = vl_axpy(area, 0.5, vl_cross(vl_sub(y[i - 1], y[0]), vl_sub(y[i], y[0])));
      add_tet(&s, c.inside, y[0], y[i - 1], y[i], at0, g);
    }
    s.area[f] = vl_norm(area);
    if (!c.cut[f]) continue;
    /* the surface phi = 0 is a fan over its edges, each turned: it is seen from the other side */
    s.air = vl_axpy(s.air, 0.5, vl_cross(vl_sub(c.edge[f][1], c.middle), vl_sub(c.edge[f][0], c.middle)));
    add_tet(&s, c.inside, c.middle, c.edge[f][1], c.edge[f][0], at0, g);
  }
  return s;
}

static inline int compare_faces(const void *a, const void *b)
{
  const TetFace *x = a, *y = b;
  for (int i = 0; i < 3; i++)
    if (x->node[i] != y->node[i]) return x->node[i] < y->node[i] ? -1 : 1;
  return x->tet < y->tet ? -1 : x->tet > y->tet;
}

/* All tetrahedra of a cell while they are joined. */
typedef struct TetWork {
  int r, tets, faces, *up;
  TetSum *sum;        /* [tets] */
  double (*outer)[6]; /* areas at the cell's faces [tets] */
  TetFace *face;      /* those with liquid [faces] */
} TetWork;

/* Corners of tetrahedron t, from one end of the fine cell's long diagonal to the other. */
static inline void place_tet(int r, int t, int node[4], vlVec3 x[4])
{
  static const int path[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const int fine = t / 6, stride[3] = {1, r + 1, (r + 1) * (r + 1)};
  x[0] = vl_vec(fine % r, fine / r % r, fine / r / r);
  node[0] = fine % r + fine / r % r * stride[1] + fine / r / r * stride[2];
  for (int i = 0; i < 3; i++) {
    x[i + 1] = x[i];
    x[i + 1].v[path[t % 6][i]] += 1.0;
    node[i + 1] = node[i] + stride[path[t % 6][i]];
  }
}

static inline void clip_and_list(TetWork *w, int t, const double *phi)
{
  int node[4];
  vlVec3 x[4];
  double p[4];
  place_tet(w->r, t, node, x);
  for (int i = 0; i < 4; i++) p[i] = phi[node[i]];
  w->sum[t] = clip_tet(x, p);
  for (int f = 0; f < 4; f++) {
    if (!(w->sum[t].area[f] > 0.0)) continue;
    TetFace *face = &w->face[w->faces++];
    face->tet = t;
    for (int i = 0, to = 0; i < 4; i++)
      if (i != f) face->node[to++] = node[i]; /* nodes of a tetrahedron ascend */
    for (int side = 0; side < 6; side++) {
      bool on = true;
      for (int i = 0; i < 4; i++) on = on && (i == f || x[i].v[side / 2] == (side % 2 ? w->r : 0));
      if (on) w->outer[t][side] += w->sum[t].area[f];
    }
  }
}

static inline void join_tets(TetWork *w)
{
  for (int t = 0; t < w->tets; t++) w->up[t] = t;
  qsort(w->face, (size_t)w->faces, sizeof *w->face, compare_faces);
  for (int f = 1; f < w->faces; f++)
    if (memcmp(w->face[f - 1].node, w->face[f].node, sizeof w->face[f].node) == 0)
      vl_group_join(w->up, w->face[f - 1].tet, w->face[f].tet);
}

static inline void add_up_tets(TetWork *w, TetPieces *out)
{
  int *number = calloc((size_t)w->tets, sizeof *number);
  for (int fine = 0; fine < w->r * w->r * w->r; fine++) out->of_fine[fine] = -1;
  for (int t = 0; t < w->tets; t++) {
    const TetSum *s = &w->sum[t];
    if (!(s->volume > 0.0)) continue;
    int root = vl_group_root(w->up, t);
    if (root == t) number[t] = out->count++;
    int n = number[root], *of = &out->of_fine[t / 6];
    TetPiece *piece = &out->piece[n];
    *of = *of == -1 || *of == n ? n : -2;
    piece->volume += s->volume;
    piece->phi += s->phi;
    piece->center = vl_add(piece->center, s->moment);
    piece->air = vl_add(piece->air, s->air);
    for (int f = 0; f < 6; f++) piece->face[f] += w->outer[t][f];
  }
  for (int n = 0; n < out->count; n++) {
    out->piece[n].phi /= out->piece[n].volume;
    out->piece[n].center = vl_scale(out->piece[n].center, 1.0 / out->piece[n].volume);
  }
  free(number);
}

/* phi: at the nodes, x first. To be freed. */
static inline TetPieces *tet_pieces(int r, const double *phi)
{
  TetWork w = {.r = r, .tets = 6 * r * r * r};
  size_t tets = (size_t)w.tets;
  TetPieces *out = calloc(1, sizeof *out);
  w.sum = calloc(tets, sizeof *w.sum);
  w.face = malloc(tets * 4 * sizeof *w.face);
  w.outer = calloc(tets, sizeof *w.outer);
  w.up = malloc(tets * sizeof *w.up);
  for (int t = 0; t < w.tets; t++) clip_and_list(&w, t, phi);
  join_tets(&w);
  add_up_tets(&w, out);
  free(w.sum);
  free(w.face);
  free(w.outer);
  free(w.up);
  return out;
}

#endif
