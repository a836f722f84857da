/* A rigid body of a scene: S^-1 = N dt M^-1 N^T behind the nodes of its surface (rigid.h). w is zero, and what the body
 * would do without loads is given.
 *
 * In a slab it moves in the plane. Its mass is that inside its surface, or what the grid sees of it (weigh): with slices V_a
 * along the axes [batty2007, sec. 3] the mass is rho_s V, V = sum g_a^2 V_a / |g|^2 those along gravity, and the weight what
 * evenly rising pressure would lift it by (cut/slices.c). V changes a little as the body passes from cell to cell.
 * Velocities stay then and momenta follow: a body that moves along with the liquid must go on doing so. Where the slices say
 * nothing, of a body partly outside or smaller than two cells, the exact mass and weight are taken. In: a closed surface and
 * a density. Out: a kind of body. */
#include "solid/rigid_body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "solid/body_shape.h"
#include "solid/grab.h"

enum {
  ACROSS_SLAB = 1u << 2 | 1u << 3 | 1u << 4, /* along z, about x and y */
  MANY_NODES = 50000
};

static const double FAR_OFF = 0.5; /* part of the volume by which slices may be wrong */

vlRigid *vl_rigid_of(const vlBody *b)
{
  return b->type == &vl_rigid_type || b->type == &vl_scripted_type ? &((vlRigidBody *)b)->rigid : NULL;
}

/* `name` stands in messages. */
static vlCode create_of_surface(vlRigidBody **body, const vlBodyType *type, const vlTriMesh *surface, double density,
                                const char *name, vlStatus *status)
{
  *body = NULL;
  vlMassProperties p = vl_rigid_mass(surface->x, (const int(*)[3])surface->tri, surface->triangle_count, density);
  if (!(p.mass > 0.0) || isinf(p.mass))
    return vl_fail(status, VL_ERROR_MESH, "%s: a mass of %g kg is inside the surface; it must be above 0", name, p.mass);
  vlRigidBody *b = calloc(1, sizeof *b);
  if (!b) return vl_fail_memory(status, sizeof *b, "a rigid body");
  b->body.type = type;
  b->body.density = density;
  b->body.stiff = true;
  b->body.yields = type == &vl_rigid_type;
  vlCode code = vl_body_take_surface(&b->body, surface, status);
  if (code) {
    vlBody *own = &b->body;
    vl_body_destroy(&own);
    return code;
  }
  b->rigid = (vlRigid){.whole = p,
                       .mass = p.mass,
                       .inertia = p.inertia,
                       .rest_center = p.center,
                       .pose = {.center = p.center, .turn = vl_quat_identity()}};
  vl_rigid_body_follow(b);
  *body = b;
  return VL_OK;
}

/* A mass must give a density that the key density would take. */
static vlCode check_mass(const vlTriMesh *surface, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  const double least = 1e-3, most = 1e12; /* kg/m3 */
  double density = vl_body_surface_density(surface, scene, def);
  if (!(def->mass > 0.0) || (density >= least && density <= most)) return VL_OK;
  double volume = def->mass / density;
  return vl_fail(status, VL_ERROR_SCENE,
                 "mass is %g kg, a density of %g kg/m3; allowed are %g to %g kg/m3, a mass of %g to %g kg for this body",
                 def->mass, density, least, most, least * volume, most * volume);
}

vlCode vl_rigid_body_of_scene(vlRigidBody **body, const vlBodyType *type, const vlScene *scene, const vlBodyDef *def,
                              vlStatus *status)
{
  vlTriMesh *surface = NULL;
  *body = NULL;
  vlCode code = vl_body_surface(&surface, scene, def, status);
  if (!code) code = check_mass(surface, scene, def, status);
  if (!code) {
    double density = vl_body_surface_density(surface, scene, def);
    code = create_of_surface(body, type, surface, density, def->file ? def->file : "its surface", status);
  }
  vl_trimesh_destroy(&surface);
  return code;
}

/* It starts in the form at rest. */
static vlCode create(vlBody **body, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlRigidBody *b;
  vlCode code = vl_rigid_body_of_scene(&b, &vl_rigid_type, scene, def, status);
  if (code) return code;
  *body = &b->body;
  if (scene->grid.slab) b->rigid.locked = ACROSS_SLAB;
  b->body.sliced = def->rigid_mass == VL_RIGID_MASS_SLICE;
  vl_rigid_set_motion(&b->rigid, def->velocity, def->spin);
  vl_rigid_body_follow(b);
  return VL_OK;
}

/* A material that a rigid body does not have. */
static void doubt_material(const vlBodyDef *body, vlLog log)
{
  const vlBodyDef plain = vl_body_default();
  bool cells = false;
  for (int a = 0; a < 3; a++) cells = cells || body->cells[a] != plain.cells[a];
  const struct {
    const char *key;
    bool given;
  } keys[] = {{"young", body->young != plain.young},
              {"poisson", body->poisson != plain.poisson},
              {"model", body->model != plain.model},
              {"element", body->element != plain.element},
              {"integrator", body->scheme != plain.scheme},
              {"mass_damping", body->mass_damping != plain.mass_damping},
              {"stiffness_damping", body->stiffness_damping != plain.stiffness_damping},
              {"cells", cells}};
  char list[160] = "";
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    size_t used = strlen(list);
    if (keys[i].given) snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", keys[i].key);
  }
  if (!*list) return;
  vl_log(log, VL_LOG_WARNING, "body '%.63s' is rigid%s: without effect: %s", body->name,
         body->motion_count > 0 ? ", because it has a motion" : "", list);
}

/* A contour that is halved until thin walls are there may be far finer than the liquid can see. So may a mesh's own
 * triangles be; with a cell they are contoured too. */
void vl_rigid_body_doubt(const vlBody *b, vlBox3 box, vlLog log)
{
  (void)box;
  doubt_material(b->def, log);
  if (b->def->cell > 0.0 || b->node_count <= MANY_NODES) return;
  vl_log(
      log, VL_LOG_WARNING,
      "body '%.63s' has a surface of %d nodes, which makes steps slow; a cell makes it coarser, though walls much thinner "
      "than that get holes",
      b->def->name, b->node_count);
}

void vl_rigid_body_follow(vlRigidBody *b)
{
  vlVec3 v = vl_rigid_velocity(&b->rigid), omega = vl_rigid_omega(&b->rigid);
  for (int i = 0; i < b->body.node_count; i++) {
    b->body.x[i] = vl_rigid_place(&b->rigid, b->body.rest[i]);
    b->body.v[i] = vl_rigid_velocity_at(v, omega, b->rigid.pose.center, b->body.x[i]);
  }
}

void vl_rigid_body_halt(vlBody *body)
{
  vl_rigid_set_motion(vl_rigid_of(body), vl_vec(0, 0, 0), vl_vec(0, 0, 0));
  vl_rigid_body_follow((vlRigidBody *)body);
}

/* Slices count it anew before the next step. */
void vl_rigid_body_make(vlBody *body, vlBodyMaterial material)
{
  vlRigid *r = vl_rigid_of(body);
  vlMassProperties p = vl_rigid_mass(body->rest, (const int(*)[3])body->triangle, body->triangle_count, material.density);
  r->whole.mass = p.mass;
  r->whole.inertia = p.inertia;
  vl_rigid_set_mass(r, p.mass);
}

static void drive(vlBody *body, double time, double dt)
{
  if (body->def->push_count > 0 || body->control.pushed) vl_rigid_of(body)->push = vl_body_push(body, time, dt);
}

/* m3: slices along gravity; without gravity, the mean. */
static double slice_volume(const vlSlices *s, vlVec3 gravity)
{
  double sum = 0.0, weight = 0.0;
  for (int a = 0; a < s->axes; a++) {
    double share = vl_norm(gravity) > 0.0 ? gravity.v[a] * gravity.v[a] : 1.0;
    sum += share * s->volume.v[a];
    weight += share;
  }
  return sum / weight;
}

static void weigh(vlBody *body, const vlSlices *s, vlVec3 gravity)
{
  vlRigid *r = vl_rigid_of(body);
  double rho = body->density, exact = r->whole.mass / rho, volume = slice_volume(s, gravity);
  bool tells = s->whole && fabs(volume - exact) <= FAR_OFF * exact;
  vl_rigid_set_mass(r, rho * (tells ? volume : exact));
  r->weight = tells ? vl_scale(s->push, -rho) : vl_scale(gravity, r->mass);
  r->weight_torque = tells ? vl_scale(s->turn, -rho) : vl_vec(0, 0, 0);
}

void vl_rigid_body_given(vlRigidBody *b, double dt)
{
  const vlRigid *r = &b->rigid;
  for (int i = 0; i < b->body.node_count; i++) {
    b->body.base[i] = b->body.x[i];
    b->body.w[i] = vl_vec(0, 0, 0);
    b->body.given[i] = vl_rigid_velocity_at(r->free_v, r->free_omega, r->pose.center, b->body.x[i]);
  }
  b->body.dt = b->body.span = dt;
}

/* D and F_g; a held point moves as one of the body. */
static void begin_grabs(vlBody *body, double dt)
{
  vlRigid *r = vl_rigid_of(body);
  r->resistance = (vlMat6){{{0}}};
  r->pull = (vlRigidMode){0};
  vl_grabs_begin(body, r->mass, body->x, dt);
  for (int g = 0; g < body->control.grab_count; g++) {
    const vlGrab *grab = &body->control.grab[g];
    vlVec3 arm = vl_sub(vl_grab_mean(grab, body->x), r->pose.center);
    r->pull.v = vl_add(r->pull.v, grab->pull);
    r->pull.omega = vl_add(r->pull.omega, vl_cross(arm, grab->pull));
    for (int a = 0; a < 3; a++) {
      vlVec3 axis = vl_vec(0, 0, 0);
      axis.v[a] = 1.0;
      vlVec3 turn = vl_cross(arm, axis);
      const double h[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z};
      for (int i = 0; i < 36; i++) r->resistance.m[i / 6][i % 6] += grab->resistance * (h[i / 6] * h[i % 6]);
    }
  }
}

static vlCode begin(vlBody *body, double dt, vlVec3 gravity, vlStatus *status)
{
  (void)status;
  vlRigidBody *b = (vlRigidBody *)body;
  vlRigid *r = &b->rigid;
  vlVec3 force = vl_vec(0, 0, 0), torque = vl_vec(0, 0, 0);
  for (int i = 0; i < body->node_count; i++) {
    force = vl_add(force, body->force[i]);
    torque = vl_add(torque, vl_cross(vl_sub(body->x[i], r->pose.center), body->force[i]));
  }
  if (body->control.pushed) torque = vl_add(torque, body->control.torque);
  if (!body->sliced) r->weight = vl_scale(gravity, r->mass);
  begin_grabs(body, dt);
  vl_rigid_begin(r, body->kick > 0.0 ? body->kick : dt, force, torque);
  r->way = dt;
  vl_rigid_body_given(b, dt);
  body->mode_count = vl_rigid_modes(r, b->mode);
  body->mode_share = r->mass / r->dt;
  return VL_OK;
}

static void solve(vlBody *body, const vlVec3 *r, vlVec3 *y)
{
  vl_rigid_solve(vl_rigid_of(body), body->x, body->node_count, r, y);
}

vlCode vl_rigid_body_moved(vlRigidBody *b, vlStatus *status)
{
  if (!vl_finite(b->rigid.momentum) || !vl_finite(b->rigid.spin))
    return vl_fail(status, VL_ERROR_SOLVER, "a rigid body has lost its momentum: not finite");
  vl_rigid_body_follow(b);
  b->body.dt = 0.0;
  return VL_OK;
}

static vlCode finish(vlBody *body, const vlVec3 *load, vlStatus *status)
{
  vlRigid *r = vl_rigid_of(body);
  vlVec3 center = r->pose.center;
  vl_rigid_finish(r, body->x, body->node_count, load);
  for (int g = 0; g < body->control.grab_count; g++) { /* nodes lie as they did when it began */
    vlGrab *grab = &body->control.grab[g];
    vl_grab_finish(grab, vl_rigid_velocity_at(r->end.v, r->end.omega, center, vl_grab_mean(grab, body->x)));
  }
  return vl_rigid_body_moved((vlRigidBody *)body, status);
}

static vlVec3 mode(const vlBody *body, int k, int node)
{
  const vlRigidBody *b = (const vlRigidBody *)body;
  return vl_rigid_velocity_at(b->mode[k].v, b->mode[k].omega, b->rigid.pose.center, body->x[node]);
}

vlBodyMeasure vl_rigid_body_measure(const vlBody *b, vlVec3 gravity)
{
  const vlRigid *r = vl_rigid_of(b);
  vlVec3 v = vl_rigid_velocity(r), center = r->pose.center, reaction = vl_vec(0, 0, 0);
  for (int i = 0; i < b->node_count; i++) reaction = vl_add(reaction, b->reaction[i]);
  return (vlBodyMeasure){.kinetic = 0.5 * vl_dot(r->momentum, v) + 0.5 * vl_dot(r->spin, vl_rigid_omega(r)),
                         .potential = -r->mass * vl_dot(gravity, center),
                         .momentum = r->momentum,
                         .angular_momentum = vl_add(r->spin, vl_cross(center, r->momentum)),
                         .spin = r->spin,
                         .center = center,
                         .rotation = vl_rotation_vector(vl_quat_matrix(r->pose.turn)),
                         .omega = vl_rigid_omega(r),
                         .reaction = reaction,
                         .mass = r->mass,
                         .volume = vl_body_enclosed(b)};
}

double vl_rigid_body_bytes(const vlBody *b)
{
  return sizeof(vlRigidBody) + (double)b->node_count * (10 * sizeof(vlVec3) + 3 * sizeof(bool)) +
         (double)b->triangle_count * sizeof *b->triangle;
}

/* Pose and momenta lie one behind the other; slices change the mass from step to step, and momenta go with it. */
int vl_rigid_body_state(vlBody *body, vlBodyArray list[VL_BODY_ARRAYS])
{
  vlRigid *r = vl_rigid_of(body);
  int count = vl_body_state(body, list);
  list[count++] = (vlBodyArray){"rigid", &r->pose,      sizeof r->pose + sizeof r->momentum + sizeof r->spin,
                                1,       VL_BODY_TRIED, VL_NUMBERS_OTHER};
  list[count++] = (vlBodyArray){"mass", &r->mass, sizeof r->mass, 1, VL_BODY_TRIED, VL_NUMBERS_LEAST_0};
  return count;
}

_Static_assert(offsetof(vlRigid, spin) == offsetof(vlRigid, pose) + sizeof(vlPose) + sizeof(vlVec3),
               "pose, momentum and spin are one piece of state");

/* Its center, turn, momenta and mass are one piece of doubles; here each is what it must be for velocities to follow. */
static vlCode check_motion(const vlRigid *r, const char *name, vlStatus *status)
{
  vlVec3 v = vl_rigid_velocity(r);
  vlQuat q = r->pose.turn;
  double turn = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (!(r->mass > 0.0))
    return vl_fail(status, VL_ERROR_FILE, "its body '%.63s' has a mass of %g kg; more than 0 is possible", name, r->mass);
  if (!(fabs(turn - 1.0) < 1e-6))
    return vl_fail(status, VL_ERROR_FILE, "its body '%.63s' is turned by a quaternion of length %g; it must be 1", name,
                   sqrt(turn));
  vlCode code = vl_numbers_check("rigid: center", VL_NUMBERS_PLACE, r->pose.center.v, 3, status);
  return code ? code : vl_numbers_check("rigid: velocity", VL_NUMBERS_SPEED, v.v, 3, status);
}

/* Inertia follows from the mass, which is that of the scene where it is not sliced; velocities stay. */
vlCode vl_rigid_body_restored(vlBody *body, bool same_pins, double time, vlStatus *status)
{
  (void)same_pins, (void)time;
  vlRigid *r = vl_rigid_of(body);
  vlCode code = check_motion(r, body->def ? body->def->name : "", status);
  if (code) return code;
  vl_rigid_set_mass(r, r->mass);
  if (!body->sliced) vl_rigid_set_mass(r, r->whole.mass);
  return VL_OK;
}

const vlBodyType vl_rigid_type = {.name = "rigid",
                                  .grabbed = true,
                                  .create = create,
                                  .doubt = vl_rigid_body_doubt,
                                  .drive = drive,
                                  .weigh = weigh,
                                  .halt = vl_rigid_body_halt,
                                  .make = vl_rigid_body_make,
                                  .carry = vl_rigid_body_carry,
                                  .begin = begin,
                                  .solve = solve,
                                  .finish = finish,
                                  .mode = mode,
                                  .measure = vl_rigid_body_measure,
                                  .bytes = vl_rigid_body_bytes,
                                  .state = vl_rigid_body_state,
                                  .restored = vl_rigid_body_restored};
