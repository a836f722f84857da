/* Faces of a body's surface: which nodes a point of a triangle moves with, and by how much each. */
#ifndef VL_SOLID_FACE_H
#define VL_SOLID_FACE_H

#include "solid/body.h"

/* The face that a triangle of the surface is a part of. */
typedef struct vlFace {
  int nodes;                /* 3, the triangle itself; or 6 */
  int node[VL_PIECE_NODES]; /* of the body: corners, then middles of 01 12 20 */
  int own[3];               /* the triangle's corners among them */
} vlFace;

vlFace vl_face_of(const vlBody *body, int triangle);
/* The nodes' shape functions at barycentric coordinates of the triangle, sum 1 [nodes]. */
void vl_face_weights(const vlFace *face, const double lambda[3], double *weight);
/* Their slopes along coordinates 1 and 2 of it, where coordinate 0 is what is left of 1 [nodes]. */
void vl_face_slopes(const vlFace *face, const double lambda[3], double (*slope)[2]);
/* Means of shape functions over a piece of the triangle become those that turn it as the flat piece it is drawn as: sum b x
 * is over its centre, which has the coordinates lambda. x: the face's nodes as they lie, in any unit [nodes]. */
void vl_face_level(const vlFace *face, const vlVec3 *x, const double lambda[3], double *b);

#endif
