/* Hands that hold bodies: what the kinds of bodies share of grabs (body.h: vlGrab).
 *
 * Where a scene's drag or a program grabs a body, a spring with a damper pulls the mean of some of its nodes, held = offset
 * + sum c_i x_i, to a target t that moves at the velocity v_t, implicitly in time: at the end of a step with x = base + beta
 * v
 *
 *     F = k (t - held) - d (sum c_i v_i - v_t) = pull - resistance (sum c_i v_i)
 *     resistance = k beta + d,      pull = k (t - offset - sum c_i base_i) + d v_t
 *
 * so that S of the body gets the rank-one terms (resistance) c c^T, one along each axis, and its loads c pull.
 *
 * k = m rate^2 and d = 2 m rate, with m the mass of the body and of the liquid that it displaces: whether the body is heavy
 * in air or light in liquid, it hangs by at most g / rate^2 below or above the target, and nothing swings. A target that is
 * further off than REACH of these sags pulls no more than at that distance, and of its velocity no more is followed than
 * MOST sqrt(9.81 sag): whatever a hand does, it accelerates m by about REACH g. */
#ifndef VL_SOLID_GRAB_H
#define VL_SOLID_GRAB_H

#include "solid/body.h"

/* 1/s: of the spring, for cells of that width. */
double vl_grab_rate(double dx);
/* Closes the hand at a point of the body, as it lies: of one that keeps its form at the nearest point of its surface, else
 * at the mean of its surface's nodes within the radius, the nearest ones at most; of those that are further, the nearest
 * point too. The target is where the held point is. Returns m: how far the surface is from the point. */
vlCode vl_grab_close(vlGrab *grab, const vlBody *body, vlVec3 point, double radius, double *distance, vlStatus *status);
/* Puts it at the end of the body's list; takes it out. */
vlCode vl_grab_add(vlBody *body, const vlGrab *grab, vlStatus *status);
void vl_grab_remove(vlBody *body, int index);
/* Sum of its shares of a: where a is x, the mean of the held nodes. */
vlVec3 vl_grab_mean(const vlGrab *grab, const vlVec3 *a);
vlVec3 vl_grab_held(const vlGrab *grab, const vlBody *body); /* m: the held point, now */
vlVec3 vl_grab_target(const vlGrab *grab, const vlBody *body, double time);

/* For a step from `time` to time + dt: where the targets go. */
void vl_grabs_aim(vlBody *body, double time, double dt);
/* m: about how far its grabs may move the body in that step; 0 without any. */
double vl_grabs_way(const vlBody *body, double time, double dt);
double vl_grabs_speed(const vlBody *body); /* m/s: at which they move it at most */
/* For kinds, in begin: pull and resistance of all grabs of a body of the mass, kg, whose nodes will be at base + span v. */
void vl_grabs_begin(vlBody *body, double mass, const vlVec3 *base, double span);
/* And in finish: the force, with the sum c_i v_i of the step's end. */
void vl_grab_finish(vlGrab *grab, vlVec3 velocity);

#endif
