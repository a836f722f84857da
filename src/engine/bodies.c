/* Bodies from their definitions in the scene to their first state.
 *
 * An elastic body is meshed about its own origin (body_fill.c), turned and moved: its form at rest X. With the centre of
 * mass c and the rotation Q of its axes it starts at
 *
 *     x = c + Q diag(stretch) Q^T (X - c)        v = velocity + spin x (x - c)
 *
 * In a slab elastic bodies are boxes across its thickness, one cuboid deep, whose nodes are held along z: plane strain. Pins
 * are in body_pins.c. A rigid body is its surface (body_surface.c).
 * In: the scene. Out: bodies ready to step, or an error with file, line and the body's name. */
#include "engine/bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/body_drive.h"
#include "engine/body_fill.h"
#include "engine/body_pins.h"
#include "engine/body_surface.h"
#include "grid/grid.h"
#include "solid/rigid.h"

static vlCode make_body(vlElastic **body, vlStuffInfo *stuffed, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlVec3 center = def->center;
  if (scene->grid.slab) center.z = 0.0;
  const vlElasticMaterial material = {
      .density = def->density,
      .young = def->young,
      .poisson = def->poisson,
      .mass_damping = def->mass_damping,
      .stiffness_damping = def->stiffness_damping,
      .model = def->model == VL_MODEL_NEO_HOOKEAN ? VL_ELASTIC_NEO_HOOKEAN : VL_ELASTIC_COROTATIONAL,
  };
  const vlElasticOptions options = {
      def->element == VL_ELEMENT_QUADRATIC ? VL_ELASTIC_QUADRATIC : VL_ELASTIC_LINEAR,
      def->scheme == VL_SCHEME_BDF2 ? VL_ELASTIC_BDF2 : VL_ELASTIC_BACKWARD_EULER,
  };
  vlTetMesh mesh;
  vlCode code = vl_body_fill(&mesh, stuffed, scene, def, status);
  if (!code) vl_tetmesh_transform(&mesh, def->rotation, center);
  if (!code) code = vl_elastic_create(body, &mesh, material, options, def->file ? def->file : "its mesh", status);
  vl_tetmesh_clear(&mesh);
  return code;
}

/* First positions and velocities. */
static void start(vlElastic *body, const vlBodyDef *def)
{
  vlVec3 c = vl_elastic_measure(body, vl_vec(0, 0, 0)).center;
  vlMat3 Q = def->rotation, back = vl_mat_transpose(Q);
  bool stretched = def->stretch.x != 1.0 || def->stretch.y != 1.0 || def->stretch.z != 1.0;
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 r = vl_mat_apply(back, vl_sub(body->rest[i], c));
    for (int a = 0; a < 3; a++) r.v[a] *= def->stretch.v[a];
    if (stretched) body->x[i] = vl_add(c, vl_mat_apply(Q, r));
    body->v[i] = vl_add(def->velocity, vl_cross(def->spin, vl_sub(body->x[i], c)));
  }
  vl_elastic_restart(body);
}

/* A mass must give a density that the key density would take: far below it pressure moves a body beyond all numbers. */
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

/* A rigid body starts in the form at rest; in a slab it moves in the plane. */
static vlCode make_rigid(vlElastic **body, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  enum { ACROSS_SLAB = 1u << 2 | 1u << 3 | 1u << 4 }; /* along z, about x and y */
  vlTriMesh *surface = NULL;
  vlCode code = vl_body_surface(&surface, scene, def, status);
  if (!code) code = check_mass(surface, scene, def, status);
  if (!code) {
    double density = vl_body_surface_density(surface, scene, def);
    code = vl_elastic_create_rigid(body, surface, density, def->file ? def->file : "its surface", status);
  }
  vl_trimesh_destroy(&surface);
  if (code) return code;
  if (def->motion_count > 0) {
    vl_body_start_driven(*body, scene, (int)(def - scene->bodies));
    return VL_OK;
  }
  if (scene->grid.slab) (*body)->rigid->locked = ACROSS_SLAB;
  (*body)->rigid->sliced = def->rigid_mass == VL_RIGID_MASS_SLICE;
  vl_rigid_set_motion((*body)->rigid, def->velocity, def->spin);
  vl_elastic_follow_rigid(*body);
  return VL_OK;
}

static vlCode make_elastic(vlElastic **body, vlStuffInfo *stuffed, const vlScene *scene, const vlBodyDef *def,
                           vlStatus *status)
{
  vlCode code = make_body(body, stuffed, scene, def, status);
  if (!code) start(*body, def);
  return code;
}

static vlCode check_inside(const vlElastic *body, const vlScene *scene, vlStatus *status)
{
  vlGrid grid;
  vlCode code = vl_grid_create(&grid, &scene->grid, status);
  if (code) return code;
  vlBox3 own = vl_body_bounds(body), box = vl_grid_box(&grid);
  for (int a = 0; a < (scene->grid.slab ? 2 : 3); a++) {
    double lo = box.lo.v[a], hi = box.hi.v[a], slack = 1e-9 * (hi - lo); /* 0.1 + 0.2 is not 0.3 */
    if (own.lo.v[a] >= lo - slack && own.hi.v[a] <= hi + slack) continue;
    return vl_fail(status, VL_ERROR_SCENE, "it begins from %c = %g to %g m; the box is from %g to %g m", 'x' + a,
                   own.lo.v[a], own.hi.v[a], lo, hi);
  }
  return VL_OK;
}

/* What is wrong with a mesh is said where its file is named. */
static vlSource place_of(const vlBodyDef *def, vlCode code)
{
  bool file = code == VL_ERROR_MESH && def->shape == VL_BODY_MESH && def->file && def->solid.where.line > 0;
  return file ? def->solid.where : def->where;
}

static vlCode create_one(vlBodies *bodies, const vlScene *scene, int index, vlStatus *status)
{
  const vlBodyDef *def = &scene->bodies[index];
  vlCode code = def->kind == VL_BODY_ELASTIC
                    ? make_elastic(&bodies->body[index], &bodies->stuffed[index], scene, def, status)
                    : make_rigid(&bodies->body[index], scene, def, status);
  vlElastic *body = bodies->body[index];
  if (!code && def->motion_count == 0) code = check_inside(body, scene, status);
  if (code) return vl_body_locate(code, scene, def, place_of(def, code), status);
  size_t nodes = (size_t)body->node_count;
  bodies->first[index] = malloc(nodes * sizeof *bodies->first[index]);
  bodies->pin[index] = malloc(3 * nodes * sizeof *bodies->pin[index]);
  if (!bodies->first[index] || !bodies->pin[index])
    return vl_fail_memory(status, nodes * sizeof *bodies->first[index], "the pins of an elastic body");
  memcpy(bodies->first[index], body->x, nodes * sizeof *body->x);
  return vl_body_hold_pins(body, bodies->pin[index], scene, def, status);
}

vlCode vl_bodies_create(vlBodies *bodies, const vlScene *scene, vlStatus *status)
{
  *bodies = (vlBodies){0};
  if (scene->body_count <= 0) return VL_OK;
  size_t count = (size_t)scene->body_count;
  bodies->body = calloc(count, sizeof *bodies->body);
  bodies->stuffed = calloc(count, sizeof *bodies->stuffed);
  bodies->first = calloc(count, sizeof *bodies->first);
  bodies->pin = calloc(count, sizeof *bodies->pin);
  vlCode code = VL_OK;
  if (bodies->body && bodies->stuffed && bodies->first && bodies->pin)
    bodies->count = scene->body_count;
  else
    code = vl_fail_memory(status, count * sizeof *bodies->body, "the elastic bodies");
  for (int i = 0; i < bodies->count && !code; i++) code = create_one(bodies, scene, i, status);
  if (code) vl_bodies_clear(bodies);
  return code;
}

void vl_bodies_clear(vlBodies *bodies)
{
  if (!bodies) return;
  for (int i = 0; i < bodies->count; i++) {
    vl_elastic_destroy(&bodies->body[i]);
    free(bodies->first[i]);
    free(bodies->pin[i]);
  }
  free(bodies->body);
  free(bodies->stuffed);
  free(bodies->first);
  free(bodies->pin);
  *bodies = (vlBodies){0};
}

double vl_bodies_fastest(const vlBodies *bodies)
{
  double fastest = 0.0;
  for (int b = 0; b < bodies->count; b++)
    for (int i = 0; i < bodies->body[b]->node_count; i++) fastest = fmax(fastest, vl_norm(bodies->body[b]->v[i]));
  return fastest;
}
