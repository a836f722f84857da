/* The sparse side of an elastic body: stiffness in 3x3 blocks, S over the free unknowns, its factor. */
#ifndef VL_SOLID_ELASTIC_SYSTEM_H
#define VL_SOLID_ELASTIC_SYSTEM_H

#include "linear/csr.h"
#include "solid/elastic.h"

typedef struct vlElasticSystem vlElasticSystem;

vlCode vl_elastic_system_create(vlElasticSystem **system, const vlElastic *body, vlStatus *status);
void vl_elastic_system_destroy(vlElasticSystem **system);
/* Sums what elements give to their corners, each node in the fixed order of its elements. */
void vl_elastic_system_gather(const vlElasticSystem *system, const vlElastic *body, const vlVec3 *corner, vlVec3 *sum);
/* K at the shape that was last linearised, from body->turned or body->tangent. */
void vl_elastic_system_stiffness(vlElasticSystem *system, const vlElastic *body);
/* S = body->mass_share M + body->stiffness_share K over the unknowns that are not held, factored. */
vlCode vl_elastic_system_factor(vlElasticSystem *system, const vlElastic *body, vlStatus *status);
/* y = S^-1 r, as the kind of body has it (body.h); a factored S always solves. */
void vl_elastic_solve(vlBody *body, const vlVec3 *r, vlVec3 *y);
/* S as it was last factored, and the unknown 3 node + axis of each of its rows; NULL: not made yet. Unknowns that are held
 * may stand in it as rows of the identity. */
const vlCsr *vl_elastic_matrix(const vlBody *body, const int **unknown);
/* Memory of the body, its system among it. The factor is counted once the first step has made it, before that estimated. */
double vl_elastic_bytes(const vlBody *body);
/* After body->row was read: the pattern with those rows, so that factors come out the same to the last bit; or none, the
 * next step makes it. */
vlCode vl_elastic_system_restore(vlElasticSystem *system, const vlElastic *body, bool rows, vlStatus *status);

#endif
