/* Elastic bodies: making them and holding nodes. The mechanics is in elastic_force.c, time in elastic_step.c, matrices in
 * elastic_system.c, meshes in elastic_mesh.c; what makes them a kind of body in elastic_body.c. */
#include "solid/elastic.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "solid/elastic_mesh.h"
#include "solid/elastic_system.h"

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
  size_t nodes = (size_t)b->body.node_count, corners = (size_t)b->body.element_count * (size_t)b->body.element_nodes,
         points = (size_t)b->body.element_count * (size_t)b->points;
  vlCode code = vl_body_reserve(&b->body, status);
  if (code) return code;
  b->x_old = calloc(nodes, sizeof *b->x_old);
  b->v_old = calloc(nodes, sizeof *b->v_old);
  b->scratch = calloc(nodes, sizeof *b->scratch);
  b->held_velocity = calloc(3 * nodes, sizeof *b->held_velocity);
  b->pin = malloc(3 * nodes * sizeof *b->pin);
  b->row = malloc(3 * nodes * sizeof *b->row);
  b->rotation = malloc(points * sizeof *b->rotation);
  b->turned = malloc(corners * (size_t)b->points * sizeof *b->turned);
  if (b->material.model == VL_ELASTIC_NEO_HOOKEAN) {
    b->tangent = malloc(points * sizeof *b->tangent);
    if (!b->tangent) return vl_fail_memory(status, points * sizeof *b->tangent, "the tangents of an elastic body");
  }
  b->corner_force = malloc(corners * sizeof *b->corner_force);
  bool good = b->x_old && b->v_old && b->scratch && b->held_velocity && b->pin && b->row;
  if (!good || !b->rotation || !b->turned || !b->corner_force)
    return vl_fail_memory(status, points * (size_t)b->body.element_nodes * sizeof *b->turned,
                          "the state of an elastic body");
  for (size_t i = 0; i < 3 * nodes; i++) b->pin[i] = -1, b->row[i] = -2;
  for (size_t i = 0; i < points; i++) b->rotation[i] = vl_mat_identity();
  memcpy(b->turned, b->gradient, corners * (size_t)b->points * sizeof *b->turned);
  return VL_OK;
}

vlCode vl_elastic_create(vlElastic **body, const vlTetMesh *mesh, vlElasticMaterial material, vlElasticOptions options,
                         const char *name, vlStatus *status)
{
  *body = NULL;
  vlElastic *b = calloc(1, sizeof *b);
  if (!b) return vl_fail_memory(status, sizeof *b, "an elastic body");
  double E = material.young, nu = material.poisson;
  b->body.type = &vl_elastic_type;
  b->body.yields = true;
  b->body.density = material.density;
  b->material = material;
  b->options = options;
  b->lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  b->mu = E / (2.0 * (1.0 + nu));
  vlCode code = check_material(material, name, status);
  if (!code) code = vl_elastic_mesh_build(b, mesh, name, status);
  if (!code) code = make_state(b, status);
  if (!code) code = vl_elastic_system_create(&b->system, b, status);
  if (code) {
    vlBody *own = &b->body;
    vl_body_destroy(&own);
    return code;
  }
  *body = b;
  return VL_OK;
}

void vl_elastic_hold(vlElastic *b, int node, int axis, double velocity)
{
  b->body.held[3 * node + axis] = true;
  b->held_velocity[3 * node + axis] = velocity;
}

void vl_elastic_release(vlElastic *b, int node, int axis)
{
  b->body.held[3 * node + axis] = false;
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
  for (int i = 0; i < b->body.node_count; i++) {
    if (!box_contains(box, b->body.rest[i])) continue;
    count++;
    for (int axis = 0; axis < 3; axis++)
      if (axes & 1u << axis) vl_elastic_hold(b, i, axis, 0.0);
  }
  return count;
}
