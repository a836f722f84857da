/* A scripted body of a scene: rigid, and M^-1 = 0 [batty2007, sec. 3]. In the solve only its velocity stands, on the
 * right-hand side. The velocity of a step is the one that brings it from its pose at t to that at t + dt, and there it then
 * is, to the bit: poses come from the path (path.h), not from sums of steps.
 * In: the scene's motion. Out: a kind of body. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "solid/rigid_body.h"

static const double FIRST_LOOK = 1e-4; /* s: over which the velocity at the start is taken */

/* It begins where its path does. */
static vlCode create(vlBody **body, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlRigidBody *b;
  vlVec3 v, omega;
  vlCode code = vl_rigid_body_of_scene(&b, &vl_scripted_type, scene, def, status);
  if (code) return code;
  *body = &b->body;
  vlRigid *r = &b->rigid;
  b->path = vl_path_of(scene, def);
  memset(b->body.held, true, 3 * (size_t)b->body.node_count * sizeof *b->body.held);
  r->pose = vl_path_pose(&b->path, r->rest_center, 0.0);
  vl_rigid_velocity_to(r, vl_path_pose(&b->path, r->rest_center, FIRST_LOOK), FIRST_LOOK, &v, &omega);
  vl_rigid_set_motion(r, v, omega);
  vl_rigid_body_follow(b);
  return VL_OK;
}

static bool is_out(const vlRigidBody *b, vlBox3 box, double time)
{
  vlPose pose = vl_path_pose(&b->path, vl_vec(0, 0, 0), time);
  for (int i = 0; i < b->body.node_count; i++) {
    vlVec3 x = vl_path_place(pose, b->body.rest[i]);
    for (int a = 0; a < 3; a++) {
      double slack = 1e-9 * (box.hi.v[a] - box.lo.v[a]);
      if (x.v[a] < box.lo.v[a] - slack || x.v[a] > box.hi.v[a] + slack) return true;
    }
  }
  return false;
}

/* s: when a part of it is first outside the box, to a hundredth of a second; INFINITY: never up to the scene's end. */
static double exit_time(const vlRigidBody *b, vlBox3 box)
{
  enum { IN_A_SECOND = 100, MOST = 2000 };
  double last = b->body.scene->time.end, end = isfinite(last) ? last : 0.0, wanted = ceil(end * IN_A_SECOND);
  int samples = wanted < 1.0 ? 1 : wanted < MOST ? (int)wanted : MOST;
  for (int i = 0; i <= samples; i++)
    if (is_out(b, box, end * i / samples)) return end * i / samples;
  return INFINITY;
}

static void doubt(const vlBody *body, vlBox3 box, vlLog log)
{
  vl_rigid_body_doubt(body, box, log);
  double exit = exit_time((const vlRigidBody *)body, box);
  if (exit == 0.0)
    vl_log(log, VL_LOG_WARNING,
           "body '%.63s': a part of it is out of the box from the beginning; what is outside does not push the liquid",
           body->def->name);
  else if (isfinite(exit))
    vl_log(
        log, VL_LOG_WARNING,
        "body '%.63s': its motion takes a part of it out of the box at t = %.4g s; what is outside does not push the liquid",
        body->def->name, exit);
}

static void drive(vlBody *body, double time, double dt)
{
  vlRigidBody *b = (vlRigidBody *)body;
  const vlPose *now = &b->rigid.pose;
  if (body->control.still)
    b->target = *now;
  else if (body->control.steered)
    b->target = (vlPose){.center = vl_axpy(now->center, dt, body->control.velocity),
                         .turn = vl_quat_multiply(vl_quat_turn(vl_scale(body->control.omega, dt)), now->turn)};
  else
    b->target = vl_path_pose(&b->path, b->rigid.rest_center, time + dt);
}

static double way(const vlBody *body, double time, double dt)
{
  const vlBodyControl *c = &body->control;
  if (c->steered) return dt * (vl_norm(c->velocity) + vl_norm(c->omega) * vl_body_size(body));
  return vl_path_way(&((const vlRigidBody *)body)->path, body->rest, body->node_count, time, dt);
}

static vlCode begin(vlBody *body, double dt, vlVec3 gravity, vlStatus *status)
{
  (void)gravity, (void)status;
  vlRigidBody *b = (vlRigidBody *)body;
  vl_rigid_velocity_to(&b->rigid, b->target, dt, &b->rigid.free_v, &b->rigid.free_omega);
  vl_rigid_body_given(b, dt);
  return VL_OK;
}

static void solve(vlBody *body, const vlVec3 *r, vlVec3 *y)
{
  (void)r;
  memset(y, 0, (size_t)body->node_count * sizeof *y);
}

/* What drives it holds against all that pushes it. */
static vlCode finish(vlBody *body, const vlVec3 *load, vlStatus *status)
{
  vlRigidBody *b = (vlRigidBody *)body;
  b->rigid.pose = b->target;
  vl_rigid_set_motion(&b->rigid, b->rigid.free_v, b->rigid.free_omega);
  for (int i = 0; i < body->node_count; i++) body->reaction[i] = load ? vl_scale(load[i], -1.0) : vl_vec(0, 0, 0);
  return vl_rigid_body_moved(b, status);
}

/* It is where its motion has it, unless that was another. One that differs later goes on. */
static vlCode restored(vlBody *body, bool same_pins, double time, vlStatus *status)
{
  vlRigidBody *b = (vlRigidBody *)body;
  vlCode code = vl_rigid_body_restored(body, same_pins, time, status);
  if (code || body->control.steered) return code;
  vlPose own = vl_path_pose(&b->path, b->rigid.rest_center, time), found = b->rigid.pose;
  vlVec3 off = vl_sub(own.center, found.center),
         turn = vl_quat_vector(vl_quat_multiply(own.turn, vl_quat_inverse(found.turn)));
  bool there = vl_norm(off) <= 1e-9 * (vl_norm(own.center) + vl_body_size(body));
  if (there && vl_norm(turn) <= 1e-9) return VL_OK;
  if (there)
    return vl_fail(status, VL_ERROR_FILE,
                   "at t = %g s its body '%.63s' is turned by %.3g degrees against what the motion of this scene makes of "
                   "it; up to the checkpoint the motion must be the same",
                   time, body->def->name, vl_norm(turn) * 180.0 / VL_PI);
  return vl_fail(status, VL_ERROR_FILE,
                 "at t = %g s its body '%.63s' is at (%g, %g, %g) m; the motion of this scene has it at (%g, %g, %g) m "
                 "then, turned against it by %.3g degrees; up to the checkpoint the motion must be the same",
                 time, body->def->name, found.center.x, found.center.y, found.center.z, own.center.x, own.center.y,
                 own.center.z, vl_norm(turn) * 180.0 / VL_PI);
}

const vlBodyType vl_scripted_type = {.name = "scripted",
                                     .leaves = true,
                                     .steered = true,
                                     .create = create,
                                     .doubt = doubt,
                                     .drive = drive,
                                     .halt = vl_rigid_body_halt,
                                     .way = way,
                                     .begin = begin,
                                     .solve = solve,
                                     .finish = finish,
                                     .measure = vl_rigid_body_measure,
                                     .bytes = vl_rigid_body_bytes,
                                     .state = vl_rigid_body_state,
                                     .restored = restored};
