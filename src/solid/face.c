/* Faces of three nodes and of six.
 *
 * A face of a quadratic element has the shape functions
 *
 *     N_i = L_i (2 L_i - 1)      N_ij = 4 L_i L_j                 L: barycentric coordinates of its corners
 *
 * and is drawn, and cut, as four flat triangles. In one of them L is linear in the triangle's own coordinates lambda.
 * Pressure that is even on a flat face pushes its nodes by the integrals of these functions, 0 and A/3; weights that are
 * linear in each triangle would give A/12 and A/4.
 *
 * Means of N over a piece carry it by y = sum N x_i, on the curved face, which is not the centre c of the flat piece. What
 * is off along the piece's normal takes no volume as the body turns, s . (w x (y - c)) = 0. What is off in its plane,
 * delta = c - y, would; the triangle's corners have weights beta = grad lambda . delta for it, whose sum is 0:
 *
 *     b = mean N + beta       sum b = 1,  sum b x_i = c + (something along the normal)
 *
 * So turns are carried as by flat triangles, and even pressure has no torque however a body is bent. Where edges are
 * straight with their nodes in the middle, delta is 0. */
#include "solid/face.h"

#include <string.h>

#include "base/vec.h"

vlFace vl_face_of(const vlBody *body, int triangle)
{
  vlFace face = {.nodes = 3, .own = {0, 1, 2}};
  if (!body->curved) {
    memcpy(face.node, body->triangle[triangle], 3 * sizeof *face.node);
    return face;
  }
  const int(*of_face)[3] = (const int(*)[3])(body->triangle + triangle / 4 * 4);
  int part = triangle % 4;
  face.nodes = 6;
  for (int i = 0; i < 3; i++) {
    face.node[i] = of_face[i][0];
    face.node[3 + i] = of_face[3][i];
  }
  face.own[0] = part < 3 ? part : 3;
  face.own[1] = part < 3 ? 3 + part : 4;
  face.own[2] = part < 3 ? 3 + (part + 2) % 3 : 5;
  return face;
}

/* The face's coordinates of its node number i. */
static void place(int i, double L[3])
{
  for (int c = 0; c < 3; c++) L[c] = i < 3 ? c == i : 0.5 * (c == i - 3 || c == (i - 2) % 3);
}

/* The face's coordinates of a point of the triangle. */
static void in_face(const vlFace *face, const double lambda[3], double L[3])
{
  for (int c = 0; c < 3; c++) L[c] = 0.0;
  for (int k = 0; k < 3; k++) {
    double corner[3];
    place(face->own[k], corner);
    for (int c = 0; c < 3; c++) L[c] += lambda[k] * corner[c];
  }
}

void vl_face_weights(const vlFace *face, const double lambda[3], double *weight)
{
  if (face->nodes == 3) {
    memcpy(weight, lambda, 3 * sizeof *weight);
    return;
  }
  double L[3];
  in_face(face, lambda, L);
  for (int i = 0; i < 3; i++) {
    weight[i] = L[i] * (2.0 * L[i] - 1.0);
    weight[3 + i] = 4.0 * L[i] * L[(i + 1) % 3];
  }
}

void vl_face_slopes(const vlFace *face, const double lambda[3], double (*slope)[2])
{
  double L[3], first[3], along[3];
  in_face(face, lambda, L);
  place(face->own[0], first);
  for (int a = 0; a < 2; a++) {
    place(face->own[1 + a], along);
    for (int c = 0; c < 3; c++) along[c] -= first[c];
    for (int i = 0; i < 3; i++) {
      int next = (i + 1) % 3;
      slope[i][a] = face->nodes == 3 ? along[i] : (4.0 * L[i] - 1.0) * along[i];
      if (face->nodes == 6) slope[3 + i][a] = 4.0 * (L[i] * along[next] + L[next] * along[i]);
    }
  }
}

void vl_face_level(const vlFace *face, const vlVec3 *x, const double lambda[3], double *b)
{
  if (face->nodes == 3) return;
  const vlVec3 corner[3] = {x[face->own[0]], x[face->own[1]], x[face->own[2]]};
  vlVec3 area = vl_cross(vl_sub(corner[1], corner[0]), vl_sub(corner[2], corner[0])), delta = vl_vec(0, 0, 0);
  double square = vl_dot(area, area);
  if (!(square > 0.0)) return;
  for (int k = 0; k < 3; k++) delta = vl_axpy(delta, lambda[k], vl_sub(corner[k], corner[0]));
  for (int i = 0; i < face->nodes; i++) delta = vl_axpy(delta, -b[i], vl_sub(x[i], corner[0]));
  for (int k = 0; k < 3; k++)
    b[face->own[k]] += vl_dot(vl_cross(delta, vl_sub(corner[(k + 1) % 3], corner[(k + 2) % 3])), area) / square;
}
