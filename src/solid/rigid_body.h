/* Bodies that keep their form, a closed surface with the motion of a rigid body: free ones (rigid_body.c), and scripted
 * ones, which go their own way (scripted_body.c). */
#ifndef VL_SOLID_RIGID_BODY_H
#define VL_SOLID_RIGID_BODY_H

#include "mesh/trimesh.h"
#include "solid/body.h"
#include "solid/path.h"
#include "solid/rigid.h"

typedef struct vlRigidBody {
  vlBody body; /* nodes are the vertices of its surface */
  vlRigid rigid;
  vlRigidMode mode[6]; /* of the step [body.mode_count] */
  vlPath path;         /* scripted */
  vlPose target;       /* scripted: pose at the step's end */
} vlRigidBody;

extern const vlBodyType vl_rigid_type, vl_scripted_type;

/* The closed surface of a body of the scene as a body of the type, with mass, centre and inertia of what it encloses, of an
 * even density. It lies as given and stands still. VL_ERROR_MESH: the surface has no volume. */
vlCode vl_rigid_body_of_scene(vlRigidBody **body, const vlBodyType *type, const vlScene *scene, const vlBodyDef *def,
                              vlStatus *status);
/* The rigid motion of a body; NULL: it has none. */
vlRigid *vl_rigid_of(const vlBody *body);

/* Nodes where the pose has them, at its velocities; after these were written. */
void vl_rigid_body_follow(vlRigidBody *body);
/* What both kinds do alike. */
void vl_rigid_body_given(vlRigidBody *body, double dt);          /* base, w and given from the free velocities */
vlCode vl_rigid_body_moved(vlRigidBody *body, vlStatus *status); /* nodes, after pose and momenta were changed by finish */
void vl_rigid_body_halt(vlBody *body);
void vl_rigid_body_make(vlBody *body, vlBodyMaterial material);
vlCode vl_rigid_body_carry(vlBody *body, vlLayerPiece *piece, int count, vlLayerPieces *deeper, vlStatus *status);
vlBodyMeasure vl_rigid_body_measure(const vlBody *body, vlVec3 gravity);
double vl_rigid_body_bytes(const vlBody *body);
int vl_rigid_body_state(vlBody *body, vlBodyArray list[VL_BODY_ARRAYS]);
vlCode vl_rigid_body_restored(vlBody *body, bool same_pins, double time, vlStatus *status);
void vl_rigid_body_doubt(const vlBody *body, vlBox3 box, vlLog log);

#endif
