/* Scripted bodies and pushes in a step of the engine. */
#ifndef VL_ENGINE_BODY_DRIVE_H
#define VL_ENGINE_BODY_DRIVE_H

#include "engine/sim.h"
#include "solid/path.h"

/* Of a body of the scene; count 0: it is not scripted. */
vlPath vl_body_path(const vlScene *scene, int body);
/* Puts a rigid body of the scene to the beginning of its path, from now on driven. */
void vl_body_start_driven(vlElastic *body, const vlScene *scene, int index);
/* Tells scripted bodies where they are to be at time + dt, and all others what pushes them meanwhile; before
 * vl_elastic_begin. */
void vl_bodies_drive(vlBodies *bodies, const vlScene *scene, double time, double dt);
/* s: `dt`, or as much less as keeps scripted bodies from going farther than `way` or half of their own size in a step from
 * `time`. */
double vl_bodies_driven_step(const vlBodies *bodies, const vlScene *scene, double time, double dt, double way);
/* s: when a part of a scripted body is first outside the box, to a hundredth of a second; INFINITY: never up to the scene's
 * end. */
double vl_bodies_path_exit(const vlBodies *bodies, const vlScene *scene, int body, vlBox3 box);

/* Warns of what no solve can mend, once and again when it is ten times as bad: enclosed liquid that scripted bodies squeeze,
 * and bodies that they press into something. After a solve, before the bodies move. */
void vl_body_drive_warn(vlSim *sim, const vlStepInfo *info);

#endif
