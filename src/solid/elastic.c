/* Elastic bodies: making and destroying them, holding nodes, measuring. The mechanics is in elastic_force.c, time in
 * elastic_step.c, matrices in elastic_system.c, meshes in elastic_mesh.c. */
#include "solid/elastic.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "solid/elastic_mesh.h"
#include "solid/elastic_system.h"
#include "solid/rigid.h"

/* NaN fails too. */
static vlCode check_material(vlElasticMaterial m, const char *name, vlStatus *status)
{
  if (!(m.density > 0.0) || isinf(m.density))
    return vl_fail(status, VL_ERROR_SCENE, "%s: density %g kg/m3 must be above 0", name, m.density);
  if (!(m.young > 0.0) || isinf(m.young))
    return vl_fail(status, VL_ERROR_SCENE, "%s: Young's modulus %g Pa must be above 0", name, m.young);
  if (!(m.poisson >= 0.0 && m.poisson <= 0.45))
    return vl_fail(status, VL_ERROR_SCENE, "%s: Poisson's ratio %g must be 0 to 0.45", name, m.poisson);
  if (!(m.mass_damping >= 0.0) || isinf(m.mass_damping))
    return vl_fail(status, VL_ERROR_SCENE, "%s: mass damping %g 1/s must be 0 or above", name, m.mass_damping);
  if (!(m.stiffness_damping >= 0.0) || isinf(m.stiffness_damping))
    return vl_fail(status, VL_ERROR_SCENE, "%s: stiffness damping %g s must be 0 or above", name, m.stiffness_damping);
  return VL_OK;
}

static vlCode make_state(vlElastic *b, vlStatus *status)
{
  size_t nodes = (size_t)b->node_count, corners = (size_t)b->element_count * (size_t)b->element_nodes,
         points = (size_t)b->element_count * (size_t)b->points;
  vlVec3 **per_node[] = {&b->x,    &b->v, &b->x_old, &b->v_old,    &b->force,
                         &b->base, &b->w, &b->given, &b->reaction, &b->scratch};
  bool good = true;
  for (size_t i = 0; i < sizeof per_node / sizeof *per_node; i++) {
    *per_node[i] = calloc(nodes, sizeof **per_node[i]);
    good &= *per_node[i] != NULL;
  }
  b->held = calloc(3 * nodes, sizeof *b->held);
  b->held_velocity = calloc(3 * nodes, sizeof *b->held_velocity);
  b->load = calloc(nodes, sizeof *b->load);
  b->rotation = malloc((points + 1) * sizeof *b->rotation);
  b->turned = malloc((points * (size_t)b->element_nodes + 1) * sizeof *b->turned);
  if (b->material.model == VL_ELASTIC_NEO_HOOKEAN) {
    b->tangent = malloc(points * sizeof *b->tangent);
    if (!b->tangent) return vl_fail_memory(status, points * sizeof *b->tangent, "the tangents of an elastic body");
  }
  b->corner_force = malloc((corners + 1) * sizeof *b->corner_force);
  if (!good || !b->held || !b->held_velocity || !b->load || !b->rotation || !b->turned || !b->corner_force)
    return vl_fail_memory(status, points * (size_t)b->element_nodes * sizeof *b->turned, "the state of an elastic body");
  memcpy(b->x, b->rest, nodes * sizeof *b->x);
  for (size_t i = 0; i < points; i++) b->rotation[i] = vl_mat_identity();
  if (points > 0) memcpy(b->turned, b->gradient, points * (size_t)b->element_nodes * sizeof *b->turned);
  return VL_OK;
}

vlCode vl_elastic_create(vlElastic **body, const vlTetMesh *mesh, vlElasticMaterial material, vlElasticOptions options,
                         const char *name, vlStatus *status)
{
  *body = NULL;
  vlElastic *b = calloc(1, sizeof *b);
  if (!b) return vl_fail_memory(status, sizeof *b, "an elastic body");
  double E = material.young, nu = material.poisson;
  b->material = material;
  b->options = options;
  b->lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  b->mu = E / (2.0 * (1.0 + nu));
  vlCode code = check_material(material, name, status);
  if (!code) code = vl_elastic_mesh_build(b, mesh, name, status);
  if (!code) code = make_state(b, status);
  if (!code) code = vl_elastic_system_create(&b->system, b, status);
  if (code)
    vl_elastic_destroy(&b);
  else
    *body = b;
  return code;
}

/* Nodes and triangles of a closed surface. */
static vlCode take_surface(vlElastic *b, const vlTriMesh *surface, vlStatus *status)
{
  size_t nodes = (size_t)surface->vertex_count, triangles = (size_t)surface->triangle_count;
  b->node_count = b->corner_count = surface->vertex_count;
  b->triangle_count = surface->triangle_count;
  b->element_nodes = 4;
  b->points = 1;
  b->rest = malloc((nodes + 1) * sizeof *b->rest);
  b->triangle = malloc((triangles + 1) * sizeof *b->triangle);
  if (!b->rest || !b->triangle)
    return vl_fail_memory(status, nodes * sizeof *b->rest + triangles * sizeof *b->triangle, "the surface of a rigid body");
  memcpy(b->rest, surface->x, nodes * sizeof *b->rest);
  memcpy(b->triangle, surface->tri, triangles * sizeof *b->triangle);
  return make_state(b, status);
}

vlCode vl_elastic_create_rigid(vlElastic **body, const vlTriMesh *surface, double density, const char *name,
                               vlStatus *status)
{
  *body = NULL;
  vlMassProperties p = vl_rigid_mass(surface->x, (const int(*)[3])surface->tri, surface->triangle_count, density);
  if (!(p.mass > 0.0) || isinf(p.mass))
    return vl_fail(status, VL_ERROR_MESH, "%s: a mass of %g kg is inside the surface; it must be above 0", name, p.mass);
  vlElastic *b = calloc(1, sizeof *b);
  if (!b) return vl_fail_memory(status, sizeof *b, "a rigid body");
  b->material.density = density;
  vlCode code = take_surface(b, surface, status);
  if (!code && !(b->rigid = calloc(1, sizeof *b->rigid))) code = vl_fail_memory(status, sizeof *b->rigid, "a rigid body");
  if (code) {
    vl_elastic_destroy(&b);
    return code;
  }
  *b->rigid = (vlRigid){.whole = p,
                        .mass = p.mass,
                        .inertia = p.inertia,
                        .rest_center = p.center,
                        .pose = {.center = p.center, .turn = vl_quat_identity()}};
  vl_elastic_follow_rigid(b);
  *body = b;
  return VL_OK;
}

bool vl_elastic_driven(const vlElastic *b) { return b->rigid && b->rigid->driven; }

void vl_elastic_follow_rigid(vlElastic *b)
{
  vlVec3 v = vl_rigid_velocity(b->rigid), omega = vl_rigid_omega(b->rigid);
  for (int i = 0; i < b->node_count; i++) {
    b->x[i] = vl_rigid_place(b->rigid, b->rest[i]);
    b->v[i] = vl_rigid_velocity_at(v, omega, b->rigid->pose.center, b->x[i]);
  }
}

void vl_elastic_destroy(vlElastic **body)
{
  if (!body || !*body) return;
  vlElastic *b = *body;
  free(b->rigid);
  vl_elastic_system_destroy(&b->system);
  void *arrays[] = {b->rest,  b->mass,  b->node,     b->gradient, b->volume,       b->triangle,      b->x,      b->v,
                    b->x_old, b->v_old, b->rotation, b->force,    b->held,         b->held_velocity, b->load,   b->base,
                    b->w,     b->given, b->turned,   b->reaction, b->corner_force, b->scratch,       b->tangent};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(b);
  *body = NULL;
}

void vl_elastic_hold(vlElastic *b, int node, int axis, double velocity)
{
  b->held[3 * node + axis] = true;
  b->held_velocity[3 * node + axis] = velocity;
}

void vl_elastic_release(vlElastic *b, int node, int axis)
{
  b->held[3 * node + axis] = false;
  b->held_velocity[3 * node + axis] = 0.0;
}

static bool box_contains(vlBox3 box, vlVec3 x)
{
  for (int i = 0; i < 3; i++)
    if (!(x.v[i] >= box.lo.v[i] && x.v[i] <= box.hi.v[i])) return false;
  return true;
}

int vl_elastic_hold_box(vlElastic *b, vlBox3 box, unsigned axes)
{
  int count = 0;
  for (int i = 0; i < b->node_count; i++) {
    if (!box_contains(box, b->rest[i])) continue;
    count++;
    for (int axis = 0; axis < 3; axis++)
      if (axes & 1u << axis) vl_elastic_hold(b, i, axis, 0.0);
  }
  return count;
}

static double enclosed_volume(const vlElastic *b)
{
  double volume = 0.0;
  for (int t = 0; t < b->triangle_count; t++) { /* about the first node: small numbers */
    const int *c = b->triangle[t];
    vlVec3 o = b->x[0], p = vl_sub(b->x[c[0]], o), q = vl_sub(b->x[c[1]], o), r = vl_sub(b->x[c[2]], o);
    volume += vl_dot(p, vl_cross(q, r)) / 6.0;
  }
  return volume;
}

static vlElasticMeasure measure_rigid(const vlElastic *b, vlVec3 gravity)
{
  const vlRigid *r = b->rigid;
  vlVec3 v = vl_rigid_velocity(r), center = r->pose.center, reaction = vl_vec(0, 0, 0);
  for (int i = 0; i < b->node_count; i++) reaction = vl_add(reaction, b->reaction[i]);
  return (vlElasticMeasure){.kinetic = 0.5 * vl_dot(r->momentum, v) + 0.5 * vl_dot(r->spin, vl_rigid_omega(r)),
                            .potential = -r->mass * vl_dot(gravity, center),
                            .momentum = r->momentum,
                            .angular_momentum = vl_add(r->spin, vl_cross(center, r->momentum)),
                            .center = center,
                            .reaction = reaction,
                            .mass = r->mass,
                            .volume = enclosed_volume(b)};
}

vlElasticMeasure vl_elastic_measure(const vlElastic *b, vlVec3 gravity)
{
  if (b->rigid) return measure_rigid(b, gravity);
  vlElasticMeasure m = {.elastic = vl_elastic_energy(b, b->x)};
  for (int i = 0; i < b->node_count; i++) {
    vlVec3 mv = vl_scale(b->v[i], b->mass[i]);
    m.mass += b->mass[i];
    m.kinetic += 0.5 * vl_dot(mv, b->v[i]);
    m.potential -= b->mass[i] * vl_dot(gravity, b->x[i]);
    m.momentum = vl_add(m.momentum, mv);
    m.angular_momentum = vl_add(m.angular_momentum, vl_cross(b->x[i], mv));
    m.center = vl_axpy(m.center, b->mass[i], b->x[i]);
    m.reaction = vl_add(m.reaction, b->reaction[i]);
  }
  m.center = vl_scale(m.center, 1.0 / m.mass);
  m.volume = enclosed_volume(b);
  return m;
}
