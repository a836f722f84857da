/* Inside of elastic bodies: what their files share. */
#ifndef VL_SOLID_ELASTIC_PARTS_H
#define VL_SOLID_ELASTIC_PARTS_H

#include "linear/csr.h"
#include "solid/elastic.h"

/* Time steps, as the kind has them (body.h). */
vlCode vl_elastic_begin(vlBody *body, double dt, vlVec3 gravity, vlStatus *status);
vlCode vl_elastic_finish(vlBody *body, const vlVec3 *load, vlStatus *status);

/* Liquid that it carries, as the kind has it (body.h). */
vlCode vl_elastic_carry(vlBody *body, vlLayerPiece *piece, int count, vlLayerPieces *deeper, vlStatus *status);

/* Holds the nodes of the body's pins, which were found in its place now. */
vlCode vl_elastic_hold_pins(vlBody *body, vlStatus *status);
/* Holds, moves and releases pinned unknowns for a step from `time` to time + dt. */
void vl_elastic_move_pins(vlElastic *body, double time, double dt);
/* Nodes that a pin holds or moves along one axis or more. */
int vl_elastic_pinned(const vlBody *body);

/* Cauchy stress of an element in its present shape, Pa: xx yy zz xy yz xz, tension positive; the mean over its present
 * volume. Finite for every shape: an element of less than 1 % of its volume at rest, or inside out, counts as having 1 %. */
void vl_elastic_stress(const vlBody *body, int element, double stress[6]);
/* Elements with an integration point that is inside out in the present shape. */
int vl_elastic_inverted(const vlBody *body);

/* The lowest modes, as the kind has them (body.h). */
vlCode vl_elastic_modes(vlBody *body, int count, vlBodyMode *mode, vlVec3 *shape, vlStatus *status);

/* The sparse side: stiffness in 3x3 blocks, S over the free unknowns, its factor. */
typedef struct vlElasticSystem vlElasticSystem;

vlCode vl_elastic_system_create(vlElasticSystem **system, const vlElastic *body, vlStatus *status);
void vl_elastic_system_destroy(vlElasticSystem **system);
/* Nodes that share an element with a node, itself among them. Returns how many; the list lives as long as the body. */
int vl_elastic_neighbours(const vlElastic *body, int node, const int **list);
/* Sums what elements give to their corners, each node in the fixed order of its elements. */
void vl_elastic_system_gather(const vlElasticSystem *system, const vlElastic *body, const vlVec3 *corner, vlVec3 *sum);
/* K at the shape that was last linearised, from body->turned or body->tangent. */
void vl_elastic_system_stiffness(vlElasticSystem *system, const vlElastic *body);
/* S = body->mass_share M + body->stiffness_share K + body->carried_share (carried) over the unknowns that are not held,
 * factored. */
vlCode vl_elastic_system_factor(vlElasticSystem *system, const vlElastic *body, vlStatus *status);
/* y = S^-1 r without grabs; a factored S always solves. */
void vl_elastic_system_solve(vlElasticSystem *system, const vlElastic *body, const vlVec3 *r, vlVec3 *y);
/* S without grabs as it was last factored, and the unknown 3 node + axis of each of its rows; NULL: not made yet. Unknowns
 * that are held may stand in it as rows of the identity. */
const vlCsr *vl_elastic_system_matrix(const vlElasticSystem *system, const int **unknown);

/* Grabs (elastic_grab.c). y = S^-1 r, and S, as the kind of body has them (body.h). */
void vl_elastic_solve(vlBody *body, const vlVec3 *r, vlVec3 *y);
const vlCsr *vl_elastic_matrix(const vlBody *body, const int **unknown);
/* Takes them out of S and w's way: until they begin, S is without them. */
void vl_elastic_grabs_rest(vlElastic *body);
/* After S was factored and `given` written: they are in S and w from here on. */
vlCode vl_elastic_grabs_begin(vlElastic *body, vlStatus *status);
/* Their forces with the velocities of the step's end, and their share of the reactions. */
void vl_elastic_grabs_finish(vlElastic *body, const vlVec3 *v);
void vl_elastic_grabs_destroy(struct vlElasticGrabs **grabs);
double vl_elastic_grabs_bytes(const vlElastic *body);
/* Memory of the body, its system among it. The factor is counted once the first step has made it, before that estimated. */
double vl_elastic_bytes(const vlBody *body);
/* After body->row was read: the pattern with those rows, so that factors come out the same to the last bit; or none, the
 * next step makes it. */
vlCode vl_elastic_system_restore(vlElasticSystem *system, const vlElastic *body, bool rows, vlStatus *status);

#endif
