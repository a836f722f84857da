/* Inside of reduced bodies: what their files share. */
#ifndef VL_SOLID_REDUCED_PARTS_H
#define VL_SOLID_REDUCED_PARTS_H

#include "base/vec.h"
#include "solid/reduced.h"

enum { VL_REDUCED_PIECES = 16 }; /* sums have so many, whatever the threads */

/* Handles and their weights, clusters of tetrahedra (reduced_handles.c). */
vlCode vl_reduced_find_handles(vlReduced *body, int handles, int clusters, vlStatus *status);
/* Grains and where they lie in tetrahedra (reduced_grains.c). */
vlCode vl_reduced_find_grains(vlReduced *body, double spacing, vlVec3 origin, vlStatus *status);
/* G, K, the blocks of clusters (reduced_matrices.c). */
vlCode vl_reduced_find_matrices(vlReduced *body, vlStatus *status);
/* A^-1 for steps of dt, and the projection's, if they are not there. */
vlCode vl_reduced_build(vlReduced *body, double dt, vlStatus *status);
/* kg/s2: what G is multiplied with in A. */
double vl_reduced_inertia(const vlReduced *body, double dt);
double vl_reduced_lambda(const vlReduced *body); /* Pa */

/* Gradients of the barycentric coordinates, 1/m, and the volume of a tetrahedron at rest. */
double vl_reduced_gradients(const vlReduced *body, int element, vlVec3 gradient[4]);
/* Deformation gradient of a tetrahedron whose nodes are at x. */
vlMat3 vl_reduced_deformation(const vlReduced *body, int element, const vlVec3 *x);

/* Between subspace and nodes (reduced_space.c). */
void vl_reduced_spread(const vlReduced *body, const double (*q)[4], vlVec3 *x);         /* x = U q */
void vl_reduced_collect(const vlReduced *body, const vlVec3 *f, double (*q)[4]);        /* q = U^T f */
void vl_reduced_to_grains(const vlReduced *body, const vlVec3 *x, vlVec3 *grain_x);     /* B x */
void vl_reduced_from_grains(const vlReduced *body, const vlVec3 *grain_f, vlVec3 *f);   /* B^T f */
void vl_reduced_spread_grains(const vlReduced *body, const double (*q)[4], vlVec3 *x);  /* x = P q */
void vl_reduced_collect_grains(const vlReduced *body, const vlVec3 *f, double (*q)[4]); /* q = P^T f */
/* The same of grains in a list, whose places and forces lie in its order. */
void vl_reduced_spread_some(const vlReduced *body, const int *list, int count, const double (*q)[4], vlVec3 *x);
void vl_reduced_collect_some(const vlReduced *body, const int *list, int count, const vlVec3 *f, double (*q)[4]);
vlCode vl_reduced_find_twin(vlReduced *body, vlStatus *status);                     /* P, of handles and grains */
vlVec3 vl_reduced_row(const vlReduced *body, const double (*q)[4], int node);       /* (U q) of one node */
void vl_reduced_add_row(const vlReduced *body, int node, vlVec3 f, double (*q)[4]); /* q += U^T f of one node */
void vl_reduced_product(const double *matrix, int size, const double (*in)[4], double (*out)[4]);
/* A^-1 with what is clamped and grabbed, or the projection's. */
void vl_reduced_answer(vlReduced *body, const double (*in)[4], double (*out)[4]);
void vl_reduced_project(vlReduced *body, const double (*in)[4], double (*out)[4]);

/* Its hands (reduced_grab.c): what they do in a step of dt, once A^-1 is there; their forces at the shape y, added; what
 * they make of x = A^-1 b; and what they pulled with, of the rate at the step's end. */
vlCode vl_reduced_grabs_begin(vlReduced *body, double dt, vlStatus *status);
bool vl_reduced_is_grabbed(const vlReduced *body);
void vl_reduced_grabs_pull(const vlReduced *body, const double (*y)[4], double (*force)[4]);
void vl_reduced_grabs_correct(const vlReduced *body, double (*x)[4]);
void vl_reduced_grabs_finish(vlReduced *body, const double (*rate)[4]);
double vl_reduced_grabs_bytes(const vlReduced *body);
void vl_reduced_grabs_clear(vlReduced *body);

/* Mass as a whole, of any q and rate: about the centre of mass. */
typedef struct vlReducedWhole {
  double mass;
  vlVec3 center, momentum, spin;
  vlMat3 inertia;
  double kinetic;
} vlReducedWhole;
vlReducedWhole vl_reduced_whole(const vlReduced *body, const double (*q)[4], const double (*rate)[4], double (*scratch)[4]);

vlVec3 vl_reduced_turn(const vlReduced *body); /* rad: of the body as it lies, axis times angle */

/* Steps, as the kind has them (body.h; reduced_step.c). */
vlCode vl_reduced_begin(vlBody *body, double dt, vlVec3 gravity, vlStatus *status);
vlCode vl_reduced_carry(vlBody *body, vlLayerPiece *piece, int count, vlLayerPieces *deeper, vlStatus *status);
void vl_reduced_solve(vlBody *body, const vlVec3 *r, vlVec3 *y);
vlCode vl_reduced_finish(vlBody *body, const vlVec3 *load, vlStatus *status);
vlCode vl_reduced_predict(vlBody *body, double dt, vlVec3 gravity, vlStatus *status);
vlCode vl_reduced_settle(vlBody *body, const vlVec3 *grain_x, double dt, vlStatus *status);

/* The elastic step from rates b->next, without elasticity, to those with it and with more forces, N in the subspace, or NULL
 * (reduced_step.c). */
void vl_reduced_relax(vlReduced *body, double dt, const double (*more)[4]);
bool vl_reduced_is_free(const vlReduced *body); /* nothing holds it: its spin is kept */
/* Of forces in the subspace, about the centre of the body as it lies. */
vlVec3 vl_reduced_torque(const vlReduced *body, vlVec3 center, const double (*force)[4]);
void vl_reduced_add_gone(vlReduced *body, double scale); /* next += scale gone */
/* The largest strain, |sym R^T dF|, that the change b->gone makes in a cluster of the shape b->moved. */
double vl_reduced_strains(const vlReduced *body);
/* Where the medium strains a body in a step by more than one step can carry: b->next without b->gone -> with what is left
 * of it once elasticity resists it (reduced_limit.c). */
vlCode vl_reduced_limit(vlReduced *body, double dt, vlStatus *status);
/* Walls: b->next, with elasticity -> the same with forces that keep grains out of them, grains.borne
 * (reduced_stop.c). */
vlCode vl_reduced_stop(vlReduced *body, double dt, vlStatus *status);

#endif
