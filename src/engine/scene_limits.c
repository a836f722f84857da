/* A look at the numbers of a scene: those with which nothing can be computed are refused, naming the key of the scene file.
 * A loaded scene has none; one that a program has put together may. Also gives a slab its thickness and nameless bodies
 * their place as a name, and makes scripted ones rigid. What is wrong with a shape or a mesh is found when it is built. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "engine/scene_data.h"
#include "solid/path.h"

/* A number of the scene and what it may be: lo <= value <= hi, above lo when open. */
typedef struct Limit {
  const char *key;
  double value, lo, hi;
  bool open;
} Limit;

static vlCode check_limits(const Limit *limits, size_t count, vlStatus *status)
{
  for (size_t i = 0; i < count; i++) {
    const Limit *l = &limits[i];
    bool good = l->value <= l->hi && (l->open ? l->value > l->lo : l->value >= l->lo); /* false for NaN */
    if (!good)
      return vl_fail(status, VL_ERROR_SCENE, "%s: %g; allowed: %s %g up to %g", l->key, l->value, l->open ? "above" : "from",
                     l->lo, l->hi);
  }
  return VL_OK;
}

static vlCode check_vector(const char *key, vlVec3 v, vlStatus *status)
{
  if (vl_finite(v)) return VL_OK;
  return vl_fail(status, VL_ERROR_SCENE, "%s: (%g, %g, %g); every entry must be finite", key, v.x, v.y, v.z);
}

static vlCode check_sources(const vlLiquidDef *liquid, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < liquid->source_count && !code; i++) {
    const vlSourceDef *source = &liquid->sources[i];
    char key[64];
    snprintf(key, sizeof key, "liquid.sources[%d].velocity", i);
    code = check_vector(key, source->velocity, status);
    if (!code && (isnan(source->start) || isnan(source->end)))
      code = vl_fail(status, VL_ERROR_SCENE, "liquid.sources[%d]: runs from %g s to %g s; both must be numbers", i,
                     source->start, source->end);
  }
  return code;
}

/* A probe of a node needs its body. */
static vlCode check_node_probe(const vlScene *scene, int index, vlStatus *status)
{
  const vlProbeDef *probe = &scene->probes[index];
  if (probe->kind != VL_PROBE_NODE) return VL_OK;
  for (int i = 0; i < scene->body_count; i++)
    if (strncmp(scene->bodies[i].name, probe->body, sizeof probe->body) == 0) return VL_OK;
  return vl_fail(status, VL_ERROR_SCENE, "probes[%d].body: '%.63s'; it must be the name of one of the %d bodies", index,
                 probe->body, scene->body_count);
}

static vlCode check_probes(const vlScene *scene, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < scene->probe_count && !code; i++) {
    const vlProbeDef *probe = &scene->probes[i];
    char key[3][64];
    snprintf(key[0], sizeof key[0], "probes[%d].kind", i);
    snprintf(key[1], sizeof key[1], "probes[%d].axis", i);
    snprintf(key[2], sizeof key[2], "probes[%d].position", i);
    const Limit limits[] = {{key[0], probe->kind, 0, VL_PROBE_KIND_COUNT - 1, false}, {key[1], probe->axis, 0, 2, false}};
    code = check_limits(limits, probe->kind == VL_PROBE_FLUX ? 2 : 1, status);
    if (!code) code = check_vector(key[2], probe->position, status);
    if (!code) code = check_node_probe(scene, i, status);
  }
  return code;
}

static vlCode check_pins(const vlScene *scene, int index, vlStatus *status)
{
  const vlBodyDef *body = &scene->bodies[index];
  vlCode code = VL_OK;
  for (int i = 0; i < body->pin_count && !code; i++) {
    const vlPinDef *pin = &body->pins[i];
    char key[3][64];
    snprintf(key[0], sizeof key[0], "bodies[%d].pins[%d].axes", index, i);
    snprintf(key[1], sizeof key[1], "bodies[%d].pins[%d].velocity", index, i);
    snprintf(key[2], sizeof key[2], "bodies[%d].pins[%d].amplitude", index, i);
    if (pin->axes < 1 || pin->axes > 7)
      code = vl_fail(status, VL_ERROR_SCENE, "%s: %u; allowed: a sum of 1 (x), 2 (y) and 4 (z)", key[0], pin->axes);
    if (!code) code = check_vector(key[1], pin->velocity, status);
    if (!code) code = check_vector(key[2], pin->amplitude, status);
    if (!code && (!isfinite(pin->start) || isnan(pin->end) || !isfinite(pin->frequency)))
      code = vl_fail(status, VL_ERROR_SCENE,
                     "bodies[%d].pins[%d]: from %g s to %g s with %g 1/s; all must be numbers, only the end may be infinite",
                     index, i, pin->start, pin->end, pin->frequency);
  }
  return code;
}

static vlCode check_motion(const vlScene *scene, int index, vlStatus *status)
{
  const vlBodyDef *body = &scene->bodies[index];
  vlCode code = VL_OK;
  for (int i = 0; i < body->motion_count && !code; i++) {
    vlMotionProblem problem = vl_motion_problem(&body->motion[i], scene->grid.slab);
    char key[32] = "";
    if (problem.text && problem.index >= 0) snprintf(key, sizeof key, "keys[%d].", problem.index);
    if (problem.text)
      code = vl_fail(status, VL_ERROR_SCENE, "bodies[%d].motion[%d].%s%s: %s", index, i, key, problem.key, problem.text);
  }
  for (int i = 0; i < body->push_count && !code; i++) {
    const vlPushDef *push = &body->pushes[i];
    char key[64];
    snprintf(key, sizeof key, "bodies[%d].pushes[%d].force", index, i);
    code = check_vector(key, push->force, status);
    if (!code && (!isfinite(push->start) || isnan(push->end)))
      code = vl_fail(status, VL_ERROR_SCENE, "bodies[%d].pushes[%d]: from %g s to %g s; only the end may be infinite", index,
                     i, push->start, push->end);
  }
  return code;
}

/* A body of a slab moves in its plane. */
static vlCode check_slab_body(const vlBodyDef *b, int index, vlStatus *status)
{
  vlVec3 z = vl_mat_apply(b->rotation, vl_vec(0, 0, 1));
  const char *problem = NULL;
  if (b->shape != VL_BODY_BOX && b->kind == VL_BODY_ELASTIC) problem = "shape: it must be a box";
  if (b->cell != 0.0 && b->kind == VL_BODY_ELASTIC) problem = "cell: it must be 0";
  if (b->kind == VL_BODY_ELASTIC && (fabs(z.x) > 1e-12 || fabs(z.y) > 1e-12)) problem = "rotate: it must be about z only";
  if (b->spin.x != 0.0 || b->spin.y != 0.0) problem = "spin: it must be about z only";
  if (b->stretch.z != 1.0) problem = "stretch: it must be 1 along z";
  if (!problem) return VL_OK;
  return vl_fail(status, VL_ERROR_SCENE, "bodies[%d].%s, because the scene is a slab", index, problem);
}

static vlCode check_body(const vlScene *scene, int index, vlStatus *status)
{
  const vlBodyDef *b = &scene->bodies[index];
  bool box = b->shape == VL_BODY_BOX, cuboids = box && b->kind == VL_BODY_ELASTIC,
       deep = box && !scene->grid.slab; /* a slab gives its bodies their thickness */
  double most = 1e300;
  const Limit limits[] = {
      {"shape", b->shape, 0, VL_BODY_SHAPE_COUNT - 1, false},
      {"cell", b->cell, 0, most, false},
      {"density", b->density, 1e-3, 1e12, false},
      {"mass", b->mass, 0, most, false},
      {"rigid_mass", b->rigid_mass, 0, VL_RIGID_MASS_KIND_COUNT - 1, false},
      {"young", b->kind == VL_BODY_ELASTIC ? b->young : 1.0, 0, most, true},
      {"poisson", b->poisson, 0, 0.45, false},
      {"friction", b->friction, 0, 10, false},
      {"mass_damping", b->mass_damping, 0, most, false},
      {"stiffness_damping", b->stiffness_damping, 0, most, false},
      {"element", b->element, 0, VL_ELEMENT_KIND_COUNT - 1, false},
      {"integrator", b->scheme, 0, VL_SCHEME_KIND_COUNT - 1, false},
      {"model", b->model, 0, VL_MODEL_KIND_COUNT - 1, false},
      {"stretch, x", b->stretch.x, 0, most, true},
      {"stretch, y", b->stretch.y, 0, most, true},
      {"stretch, z", b->stretch.z, 0, most, true},
      {"scale", b->shape != VL_BODY_MESH ? 1.0 : b->scale, 0, most, true},
      {"size, x", box ? b->size.x : 1.0, 0, most, true},
      {"size, y", box ? b->size.y : 1.0, 0, most, true},
      {"size, z", deep ? b->size.z : 1.0, 0, most, true},
      {"cells, x", cuboids ? b->cells[0] : 1, 1, 1e6, false},
      {"cells, y", cuboids ? b->cells[1] : 1, 1, 1e6, false},
      {"cells, z", cuboids && deep ? b->cells[2] : 1, 1, 1e6, false},
  };
  static const char *const vectors[] = {"center", "velocity", "spin"};
  const vlVec3 values[] = {b->center, b->velocity, b->spin};
  char key[64];
  vlCode code = VL_OK;
  for (size_t i = 0; i < sizeof limits / sizeof *limits && !code; i++) {
    Limit limit = limits[i];
    snprintf(key, sizeof key, "bodies[%d].%s", index, limit.key);
    limit.key = key;
    code = check_limits(&limit, 1, status);
  }
  for (int i = 0; i < 3 && !code; i++) {
    snprintf(key, sizeof key, "bodies[%d].%s", index, vectors[i]);
    code = check_vector(key, values[i], status);
  }
  if (!code && scene->grid.slab) code = check_slab_body(b, index, status);
  if (!code && b->rigid_mass == VL_RIGID_MASS_SLICE && scene->pressure.weights != VL_WEIGHTS_AREA)
    code = vl_fail(status, VL_ERROR_SCENE, "bodies[%d].rigid_mass: slices go with the weights area only", index);
  if (!code) code = check_motion(scene, index, status);
  return code ? code : check_pins(scene, index, status);
}

/* Names tell bodies apart in probes and files. */
static vlCode check_bodies(vlScene *scene, vlStatus *status)
{
  const Limit limits[] = {
      {"solver.coupling", scene->coupling.kind, 0, VL_COUPLING_KIND_COUNT - 1, false},
      {"solver.sigma", scene->coupling.sigma, 0, 1, true},
      {"solver.alpha", scene->coupling.alpha, 0, 1e300, false},
  };
  vlCode code = scene->body_count ? check_limits(limits, sizeof limits / sizeof *limits, status) : VL_OK;
  for (int i = 0; i < scene->body_count && !code; i++) {
    vlBodyDef *body = &scene->bodies[i];
    if (!body->name[0]) snprintf(body->name, sizeof body->name, "bodies[%d]", i);
    for (int j = 0; j < i && !code; j++)
      if (strncmp(scene->bodies[j].name, body->name, sizeof body->name) == 0)
        code = vl_fail(status, VL_ERROR_SCENE, "bodies[%d].name: '%.63s'; bodies[%d] has this name too", i, body->name, j);
    if (body->motion_count > 0) body->kind = VL_BODY_SCRIPTED;
    if (!code) code = check_body(scene, i, status);
  }
  return code;
}

static vlCode check_swirl(const vlLiquidDef *liquid, vlStatus *status)
{
  if (liquid->swirl_speed == 0.0) return VL_OK;
  const Limit limits[] = {{"liquid.swirl_size, x", liquid->swirl_size.x, 0, 1e300, true},
                          {"liquid.swirl_size, y", liquid->swirl_size.y, 0, 1e300, true}};
  vlCode code = check_vector("liquid.swirl_center", liquid->swirl_center, status);
  return code ? code : check_limits(limits, 2, status);
}

vlCode vl_scene_complete(vlScene *scene, vlStatus *status)
{
  const vlLiquidDef *liquid = &scene->liquid;
  double longest = fmax(scene->grid.size.x, scene->grid.size.y), most = 1e300;
  if (!scene->grid.slab) longest = fmax(longest, scene->grid.size.z);
  double dx = scene->grid.dx > 0.0 ? scene->grid.dx : longest / scene->grid.cells;
  if (scene->grid.slab && dx > 0.0 && isfinite(dx)) {
    scene->grid.size.z = dx;
    scene->grid.origin.z = -0.5 * dx;
  }
  const Limit limits[] = {
      {"grid.size, x", scene->grid.size.x, 0, most, true},
      {"grid.size, y", scene->grid.size.y, 0, most, true},
      {"grid.size, z", scene->grid.size.z, 0, most, true},
      {"liquid.density", liquid->density, 0, most, true},
      {"liquid.swirl_speed", liquid->swirl_speed, -most, most, false},
      {"liquid.transfer", liquid->transfer, 0, VL_TRANSFER_KIND_COUNT - 1, false},
      {"liquid.integrator", liquid->integrator, 0, VL_INTEGRATOR_KIND_COUNT - 1, false},
      {"liquid.flip", liquid->flip, 0, 1, false},
      {"liquid.particles", liquid->particles, 1, 4, false},
      {"time.cfl", scene->time.cfl, 0, 100, true},
      {"time.dt_max", scene->time.dt_max, 0, INFINITY, true},
      {"time.dt_fixed", scene->time.dt_fixed, 0, most, false},
      {"pressure.solver", scene->pressure.solver, 0, VL_SOLVER_KIND_COUNT - 1, false},
      {"pressure.tolerance", scene->pressure.tolerance, 0, 1, true},
      {"pressure.max_iterations", scene->pressure.max_iterations, 1, 1e9, false},
      {"pressure.weights", scene->pressure.weights, 0, VL_WEIGHTS_KIND_COUNT - 1, false},
      {"pressure.theta_min", scene->pressure.theta_min, 0, 0.5, true},
  };
  vlCode code = check_limits(limits, sizeof limits / sizeof *limits, status);
  if (!code) code = check_vector("grid.origin", scene->grid.origin, status);
  if (!code) code = check_vector("gravity", scene->gravity, status);
  if (!code) code = check_vector("liquid.velocity", liquid->velocity, status);
  if (!code) code = check_swirl(liquid, status);
  if (!code) code = check_sources(liquid, status);
  if (!code) code = check_bodies(scene, status);
  if (!code) code = check_probes(scene, status);
  return code;
}
