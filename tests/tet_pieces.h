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

static inline TetSum clip_tet(const vlVec3 x[4], const double p[4])
{
  /* faces seen from outside, for a tetrahedron of positive volume; that opposite to corner f */
  static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  bool positive = vl_dot(vl_sub(x[1], x[0]), vl_cross(vl_sub(x[2], x[0]), vl_sub(x[3], x[0]))) > 0.0;
  vlMat3 edges, inverse;
  for (int e = 0; e < 3; e++)
    for (int a = 0; a < 3; a++) edges.m[e][a] = x[e + 1].v[a] - x[0].v[a];
  vl_mat_inverse(edges, &inverse);
  vlVec3 g = vl_mat_apply(inverse, vl_vec(p[1] - p[0], p[2] - p[0], p[3] - p[0]));
  double at0 = p[0] - vl_dot(g, x[0]);
  TetSum s = {0};
  vlVec3 corner[4][4], edge[4][2], inside = {0};
  int corners[4], total = 0;
  bool cut[4];
  for (int f = 0; f < 4; f++) {
    vlVec3 y[3];
    double q[3];
    for (int i = 0; i < 3; i++) {
      int from = face[f][positive ? i : 2 - i];
      y[i] = x[from];
      q[i] = p[from];
    }
    corners[f] = clip_face(y, q, corner[f], edge[f], &cut[f]);
    for (int i = 0; i < corners[f]; i++) inside = vl_add(inside, corner[f][i]);
    total += corners[f];
  }
  if (total == 0) return s;
  inside = vl_scale(inside, 1.0 / total);
  for (int f = 0; f < 4; f++) {
    vlVec3 area = {0};
    for (int i = 2; i < corners[f]; i++) {
      area = vl_axpy(area, 0.5, vl_cross(vl_sub(corner[f][i - 1], corner[f][0]), vl_sub(corner[f][i], corner[f][0])));
      add_tet(&s, inside, corner[f][0], corner[f][i - 1], corner[f][i], at0, g);
    }
    s.area[f] = vl_norm(area);
  }
  /* the surface phi = 0: a fan over its edges, each seen from the face it lies on, hence turned */
  vlVec3 middle = {0};
  int count = 0;
  for (int f = 0; f < 4; f++)
    if (cut[f]) {
      middle = vl_add(middle, edge[f][0]);
      count++;
    }
  if (count == 0) return s;
  middle = vl_scale(middle, 1.0 / count);
  for (int f = 0; f < 4; f++)
    if (cut[f]) {
      s.air = vl_axpy(s.air, 0.5, vl_cross(vl_sub(edge[f][1], middle), vl_sub(edge[f][0], middle)));
      add_tet(&s, inside, middle, edge[f][1], edge[f][0], at0, g);
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

/* Adds a triangle of a tetrahedron to the lists: of the cell's sides, or of what may be shared. */
static inline TetFace face_of(const int node[4], int opposite, int tet)
{
  TetFace face = {.tet = tet};
  for (int i = 0, to = 0; i < 4; i++)
    if (i != opposite) face.node[to++] = node[i]; /* nodes of a tetrahedron ascend */
  return face;
}

/* phi: at the nodes, x first. */
static inline TetPieces *tet_pieces(int r, const double *phi)
{
  static const int path[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  int side = r + 1, tets = 6 * r * r * r, faces = 0;
  const int stride[3] = {1, side, side * side};
  TetPieces *out = calloc(1, sizeof *out);
  TetSum *sum = calloc((size_t)tets, sizeof *sum);
  TetFace *face = malloc((size_t)tets * 4 * sizeof *face);
  double(*outer)[6] = calloc((size_t)tets, sizeof *outer);
  int *up = malloc((size_t)tets * sizeof *up), *number = malloc((size_t)tets * sizeof *number);
  for (int t = 0; t < tets; t++) {
    int fine = t / 6, at[3] = {fine % r, fine / r % r, fine / r / r}, node[4];
    vlVec3 x[4];
    double p[4];
    x[0] = vl_vec(at[0], at[1], at[2]);
    node[0] = at[0] + at[1] * stride[1] + at[2] * stride[2];
    for (int i = 0; i < 3; i++) {
      x[i + 1] = x[i];
      x[i + 1].v[path[t % 6][i]] += 1.0;
      node[i + 1] = node[i] + stride[path[t % 6][i]];
    }
    for (int i = 0; i < 4; i++) p[i] = phi[node[i]];
    sum[t] = clip_tet(x, p);
    up[t] = t;
    for (int f = 0; f < 4; f++) {
      if (!(sum[t].area[f] > 0.0)) continue;
      face[faces++] = face_of(node, f, t);
      for (int a = 0; a < 3; a++)
        for (int upper = 0; upper < 2; upper++) {
          bool on = true;
          for (int i = 0; i < 4; i++) on = on && (i == f || x[i].v[a] == (upper ? r : 0));
          if (on) outer[t][2 * a + upper] += sum[t].area[f];
        }
    }
  }
  qsort(face, (size_t)faces, sizeof *face, compare_faces);
  for (int f = 1; f < faces; f++)
    if (memcmp(face[f - 1].node, face[f].node, sizeof face[f].node) == 0) vl_group_join(up, face[f - 1].tet, face[f].tet);
  for (int fine = 0; fine < r * r * r; fine++) out->of_fine[fine] = -1;
  for (int t = 0; t < tets; t++) {
    if (!(sum[t].volume > 0.0)) continue;
    int root = vl_group_root(up, t);
    if (root == t) number[t] = out->count++;
    int n = number[root], *of = &out->of_fine[t / 6];
    TetPiece *piece = &out->piece[n];
    *of = *of == -1 || *of == n ? n : -2;
    piece->volume += sum[t].volume;
    piece->phi += sum[t].phi;
    piece->center = vl_add(piece->center, sum[t].moment);
    piece->air = vl_add(piece->air, sum[t].air);
    for (int f = 0; f < 6; f++) piece->face[f] += outer[t][f];
  }
  for (int n = 0; n < out->count; n++) {
    out->piece[n].phi /= out->piece[n].volume;
    out->piece[n].center = vl_scale(out->piece[n].center, 1.0 / out->piece[n].volume);
  }
  free(sum);
  free(face);
  free(outer);
  free(up);
  free(number);
  return out;
}

#endif
