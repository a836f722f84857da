/* Scripted bodies and pushes in a step.
 *
 * A scripted body has M^-1 = 0 [batty2007, sec. 3]: in the solve only its velocity stands, on the right-hand side. The
 * velocity of a step is the one that brings it from its pose at t to that at t + dt, and there it then is, to the bit: poses
 * come from the path (solid/path.h), not from sums of steps.
 * Liquid that such bodies and walls enclose cannot give way when they squeeze it. What comes in too much is taken out of the
 * right-hand side (pressure/closed.c), and here it is told. */
#include "engine/body_drive.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

static const double CRUSHED = 0.25;    /* cells that a free body lies in something while a scripted one pushes it */
static const double SQUEEZED = 1e-3;   /* of a cell's face times the speed of the fastest scripted body */
static const double FIRST_LOOK = 1e-4; /* s: over which the velocity at the start is taken */

vlPath vl_body_path(const vlScene *scene, int body)
{
  const vlBodyDef *def = &scene->bodies[body];
  vlVec3 center = def->center;
  if (scene->grid.slab) center.z = 0.0;
  return (vlPath){def->motion, def->motion_count, center};
}

void vl_body_start_driven(vlElastic *body, const vlScene *scene, int index)
{
  vlRigid *r = body->rigid;
  vlPath path = vl_body_path(scene, index);
  vlVec3 v, omega;
  r->driven = true;
  r->locked = 0;
  r->pose = vl_path_pose(&path, r->rest_center, 0.0);
  vl_rigid_velocity_to(r, vl_path_pose(&path, r->rest_center, FIRST_LOOK), FIRST_LOOK, &v, &omega);
  vl_rigid_set_motion(r, v, omega);
  vl_elastic_follow_rigid(body);
}

/* N, in a slab of a metre across: what pushes the body on average from t to t + dt. */
static vlVec3 push_at(const vlBodyDef *def, double t, double dt)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int i = 0; i < def->push_count; i++) {
    const vlPushDef *push = &def->pushes[i];
    double lasts = fmin(t + dt, push->end) - fmax(t, push->start);
    if (lasts > 0.0) sum = vl_axpy(sum, fmin(lasts / dt, 1.0), push->force);
  }
  return sum;
}

static void push(vlElastic *body, vlVec3 force)
{
  double mass = 0.0;
  if (body->rigid) {
    body->rigid->push = force;
    return;
  }
  for (int i = 0; i < body->node_count; i++) mass += body->mass[i];
  for (int i = 0; i < body->node_count; i++) body->force[i] = vl_scale(force, body->mass[i] / mass);
}

void vl_bodies_drive(vlBodies *bodies, const vlScene *scene, double time, double dt)
{
  double across = scene->grid.slab ? scene->grid.size.z : 1.0;
  for (int b = 0; b < bodies->count; b++) {
    vlElastic *body = bodies->body[b];
    vlPath path = vl_body_path(scene, b);
    if (path.count > 0) body->rigid->target = vl_path_pose(&path, body->rigid->rest_center, time + dt);
    if (scene->bodies[b].push_count > 0) push(body, vl_scale(push_at(&scene->bodies[b], time, dt), across));
  }
}

static vlBox3 rest_bounds(const vlElastic *body)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < body->node_count; i++) box = vl_box_add(box, body->rest[i]);
  return box;
}

double vl_bodies_driven_step(const vlBodies *bodies, const vlScene *scene, double time, double dt, double way)
{
  enum { TRIES = 60 };
  for (int b = 0; b < bodies->count; b++) {
    vlPath path = vl_body_path(scene, b);
    if (path.count == 0) continue;
    const vlElastic *body = bodies->body[b];
    vlBox3 rest = rest_bounds(body);
    double most = fmin(way, 0.5 * vl_norm(vl_sub(rest.hi, rest.lo))); /* the latter is a turn of about a radian */
    if (!isfinite(dt)) dt = 1.0 / scene->time.frames_per_second;
    for (int i = 0; i < TRIES; i++) {
      double far = vl_path_way(&path, body->rest, body->node_count, time, dt);
      if (!(far > most)) break;
      dt *= fmax(0.25, 0.98 * most / far);
    }
  }
  return dt;
}

static bool is_out(const vlPath *path, const vlElastic *body, vlBox3 box, double time)
{
  vlPose pose = vl_path_pose(path, vl_vec(0, 0, 0), time);
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 x = vl_path_place(pose, body->rest[i]);
    for (int a = 0; a < 3; a++) {
      double slack = 1e-9 * (box.hi.v[a] - box.lo.v[a]);
      if (x.v[a] < box.lo.v[a] - slack || x.v[a] > box.hi.v[a] + slack) return true;
    }
  }
  return false;
}

double vl_bodies_path_exit(const vlBodies *bodies, const vlScene *scene, int body, vlBox3 box)
{
  enum { IN_A_SECOND = 100, MOST = 2000 };
  vlPath path = vl_body_path(scene, body);
  if (path.count == 0) return INFINITY;
  double end = isfinite(scene->time.end) ? scene->time.end : 0.0, wanted = ceil(end * IN_A_SECOND);
  int samples = wanted < 1.0 ? 1 : wanted < MOST ? (int)wanted : MOST;
  for (int i = 0; i <= samples; i++)
    if (is_out(&path, bodies->body[body], box, end * i / samples)) return end * i / samples;
  return INFINITY;
}

/* m/s: of the fastest scripted body in the step that has begun; 0: there is none. */
static double fastest_driven(const vlBodies *bodies)
{
  double fastest = 0.0;
  for (int b = 0; b < bodies->count; b++)
    for (int i = 0; i < bodies->body[b]->node_count && vl_elastic_driven(bodies->body[b]); i++)
      fastest = fmax(fastest, vl_norm(bodies->body[b]->given[i]));
  return fastest;
}

static void warn_of_squeezed(vlSim *sim, const vlStepInfo *info)
{
  double speed = fastest_driven(&sim->state.bodies), flux = info->discarded_flux, dx = sim->grid.dx;
  if (!(speed > 0.0) || flux <= SQUEEZED * dx * dx * speed || flux < 10.0 * sim->work.squeezed_told) return;
  vl_log(sim->log, VL_LOG_WARNING,
         "step %lld: scripted bodies squeeze liquid that they and walls enclose, %.3g m3/s: it has nowhere to go, so that "
         "much of the flow is left out (discarded_flux)",
         (long long)info->step, flux);
  sim->work.squeezed_told = flux;
}

/* The bodies of a contact, the scripted one last; false: there is none or no free one. */
static bool pressed(const vlBodies *bodies, const vlContact *contact, int *own, int *by)
{
  if (contact->body[1] < 0 || contact->body[1] == contact->body[0]) return false;
  bool second = vl_elastic_driven(bodies->body[contact->body[1]]);
  *own = contact->body[second ? 0 : 1];
  *by = contact->body[second ? 1 : 0];
  return vl_elastic_driven(bodies->body[*by]);
}

/* A body that a scripted one pushes and that lies deep in it or in something else. */
static void warn_of_crushed(vlSim *sim, const vlStepInfo *info)
{
  const vlContacts *contacts = &sim->work.contact.contacts;
  for (int c = 0; c < contacts->count; c++) {
    int own, by;
    double deepest = 0.0;
    if (!pressed(&sim->state.bodies, &contacts->list[c], &own, &by)) continue;
    for (int k = 0; k < contacts->count; k++) {
      const vlContact *other = &contacts->list[k];
      if (other->body[0] == own || other->body[1] == own) deepest = fmax(deepest, -(other->gap + contacts->clearance));
    }
    if (deepest <= CRUSHED * sim->grid.dx || deepest < 10.0 * sim->work.crushed_told) continue;
    vl_log(sim->log, VL_LOG_WARNING,
           "step %lld: body '%.63s' is being crushed: scripted body '%.63s' presses it %.3g m deep into it or into what is "
           "behind; it has nowhere to go",
           (long long)info->step, sim->scene->bodies[own].name, sim->scene->bodies[by].name, deepest);
    sim->work.crushed_told = deepest;
  }
}

/* A prescribed step may be longer than vl_bodies_driven_step would have it: over half a turn in it is taken the short way,
 * which is the wrong one. */
static void warn_of_leaps(vlSim *sim, const vlStepInfo *info)
{
  const vlScene *scene = sim->scene;
  bool any = scene->time.dt_fixed > 0.0 || scene->liquid.transfer == VL_TRANSFER_STILL;
  for (int b = 0; b < sim->state.bodies.count && any && !sim->work.leap_told; b++) {
    vlPath path = vl_body_path(scene, b);
    const vlElastic *body = sim->state.bodies.body[b];
    if (path.count == 0) continue;
    vlBox3 rest = rest_bounds(body);
    double way = vl_path_way(&path, body->rest, body->node_count, info->time - info->dt, info->dt);
    if (!(way > 1.5 * vl_norm(vl_sub(rest.hi, rest.lo)))) continue;
    sim->work.leap_told = true;
    vl_log(
        sim->log, VL_LOG_WARNING,
        "step %lld: the scripted body '%.63s' goes %.3g m in a step of %.3g s, farther than it is large: it and the liquid "
        "see the short way there; take a smaller time.dt_fixed",
        (long long)info->step, scene->bodies[b].name, way, info->dt);
  }
}

void vl_body_drive_warn(vlSim *sim, const vlStepInfo *info)
{
  warn_of_leaps(sim, info);
  warn_of_squeezed(sim, info);
  warn_of_crushed(sim, info);
}
