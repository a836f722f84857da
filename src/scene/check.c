/* Checks of a whole scene, where a single key is right and the sum is not: the number of cells, steps against frames,
 * shapes in themselves, sources, bodies and probes against the rest. Two-entry vectors of slabs get their third entry here.
 * In: the scene as read and the tree for the places. Out: the completed scene, or the first mistake with its place. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "scene/keys.h"
#include "base/words.h"
#include "scene/read.h"
#include "solid/path.h"

enum { MOST_CELLS_ALONG = 4096 };

/* The value at section.key, or the section, or the scene: the best place for a message about the key. */
static const vlNode *best_place(const vlTree *tree, const char *section, const char *key)
{
  const vlNode *group = vl_node_find(tree->root, section);
  const vlNode *node = vl_node_find(group, key);
  return node ? node : group ? group : tree->root;
}

/* Directions of a slab lie in its plane. */
static vlCode check_flat(const vlScene *scene, vlVec3 v, const vlTree *tree, const vlNode *node, vlStatus *status)
{
  if (!scene->grid.slab || v.z == 0.0) return VL_OK;
  return vl_tree_fail(tree, status, node, VL_AT_VALUE, "the z entry must be 0 in a slab");
}

static vlCode check_slab(vlScene *scene, const vlTree *tree, vlStatus *status)
{
  static const char *const keys[] = {"origin", "size"};
  for (int i = 0; i < 2; i++) {
    const vlNode *node = vl_node_find(vl_node_find(tree->root, "grid"), keys[i]);
    if (scene->grid.slab && node && node->count != 2)
      return vl_tree_fail(tree, status, node, VL_AT_VALUE,
                          "two entries are expected: the scene is a slab, one cell thick along z");
  }
  const vlNode *liquid = vl_node_find(tree->root, "liquid");
  vlCode code = check_flat(scene, scene->gravity, tree, vl_node_find(tree->root, "gravity"), status);
  if (code == VL_OK) code = check_flat(scene, scene->liquid.velocity, tree, vl_node_find(liquid, "velocity"), status);
  return code;
}

static vlCode check_grid(vlScene *scene, const vlTree *tree, vlStatus *status)
{
  vlCode code = check_slab(scene, tree, status);
  if (code != VL_OK) return code;
  double longest = fmax(scene->grid.size.x, scene->grid.size.y);
  if (!scene->grid.slab) longest = fmax(longest, scene->grid.size.z);
  if (scene->grid.dx > 0.0) scene->grid.cells = 0;
  double dx = scene->grid.cells ? longest / scene->grid.cells : scene->grid.dx, total = 1.0;
  if (scene->grid.slab) {
    scene->grid.size.z = dx;
    scene->grid.origin.z = -0.5 * dx;
  }
  double n[3];
  for (int a = 0; a < 3; a++) {
    n[a] = fmax(1.0, round(scene->grid.size.v[a] / dx));
    total *= n[a];
  }
  const vlNode *place = best_place(tree, "grid", scene->grid.cells ? "cells" : "dx");
  for (int a = 0; a < 3; a++)
    if (!(n[a] <= MOST_CELLS_ALONG))
      return vl_tree_fail(tree, status, place, VL_AT_VALUE, "%.0f cells along %c; at most %d are possible", n[a], "xyz"[a],
                          MOST_CELLS_ALONG);
  if (total > 2147483648.0)
    return vl_tree_fail(tree, status, place, VL_AT_VALUE, "%.0f x %.0f x %.0f = %.0f cells; at most 2147483648 are possible",
                        n[0], n[1], n[2], total);
  if (!(dx > 0.0)) return vl_tree_fail(tree, status, place, VL_AT_VALUE, "the cells are too small to be numbers");
  return VL_OK;
}

static vlCode check_time(const vlScene *scene, const vlTree *tree, vlStatus *status)
{
  char frame[32], fixed[32], most[32];
  double length = 1.0 / scene->time.frames_per_second;
  vl_quantity_text(length, frame);
  vl_quantity_text(scene->time.dt_fixed, fixed);
  vl_quantity_text(scene->time.dt_max, most);
  /* 1e-6: room for a frame written in a few decimals */
  if (scene->time.dt_fixed > length * (1.0 + 1e-6))
    return vl_tree_fail(tree, status, best_place(tree, "time", "dt_fixed"), VL_AT_VALUE,
                        "%s s is longer than a frame; steps end at frames, so at most %s s is possible", fixed, frame);
  if (scene->time.dt_fixed > scene->time.dt_max)
    return vl_tree_fail(tree, status, best_place(tree, "time", "dt_fixed"), VL_AT_VALUE, "%s s is longer than dt_max, %s s",
                        fixed, most);
  return VL_OK;
}

static double round_limit(const vlShape *s)
{
  if (s->kind == VL_SHAPE_BOX) return 0.5 * fmin(s->size.x, fmin(s->size.y, s->size.z));
  return fmin(0.5 * s->height, fmax(s->radius, s->radius_top));
}

static vlCode check_shapes(const vlScene *scene, vlShape *shapes, int count, const vlTree *tree, const vlNode *list,
                           vlStatus *status);

static vlCode check_shape(const vlScene *scene, vlShape *s, const vlTree *tree, const vlNode *node, vlStatus *status)
{
  char limit[32];
  /* a box of two entries is thicker than the slab */
  if (scene->grid.slab && s->kind == VL_SHAPE_BOX && s->size.z == 0.0)
    s->size.z = 2.0 * fmax(scene->grid.size.x, scene->grid.size.y);
  if (s->kind == VL_SHAPE_TORUS && s->tube_radius >= s->radius)
    return vl_tree_fail(tree, status, vl_node_find(node, "tube_radius"), VL_AT_VALUE,
                        "the tube must be thinner than radius, %s m", vl_quantity_text(s->radius, limit));
  if (s->round > 0.0 && s->round > round_limit(s))
    return vl_tree_fail(tree, status, vl_node_find(node, "round"), VL_AT_VALUE,
                        "at most half of the thinnest side is possible, %s m", vl_quantity_text(round_limit(s), limit));
  if (s->kind == VL_SHAPE_HALFSPACE) {
    double length = vl_norm(s->normal);
    if (!(length > 0.0) || !isfinite(length))
      return vl_tree_fail(tree, status, vl_node_find(node, "normal"), VL_AT_VALUE, "a direction must not have length zero");
    s->normal = vl_unit(s->normal);
  }
  const vlNode *parts = vl_node_find(node, "parts");
  return parts ? check_shapes(scene, s->parts, s->part_count, tree, parts, status) : VL_OK;
}

static vlCode check_shapes(const vlScene *scene, vlShape *shapes, int count, const vlTree *tree, const vlNode *list,
                           vlStatus *status)
{
  vlCode code = VL_OK;
  const vlNode *item = list ? list->first : NULL;
  for (int i = 0; i < count && code == VL_OK; i++, item = item->next)
    code = check_shape(scene, &shapes[i], tree, item, status);
  return code;
}

static vlCode check_source(const vlScene *scene, vlSourceDef *source, const vlTree *tree, const vlNode *node,
                           vlStatus *status)
{
  char start[32], end[32];
  vlCode code = check_flat(scene, source->velocity, tree, vl_node_find(node, "velocity"), status);
  if (code == VL_OK && source->end <= source->start)
    code = vl_tree_fail(tree, status, vl_node_find(node, "end"), VL_AT_VALUE, "%s s is not after its start, %s s",
                        vl_quantity_text(source->end, end), vl_quantity_text(source->start, start));
  return code == VL_OK ? check_shape(scene, &source->shape, tree, node, status) : code;
}

/* Still liquid has no velocity at the start either. */
static vlCode check_still(const vlLiquidDef *liquid, const vlTree *tree, const vlNode *keys, vlStatus *status)
{
  bool drifts = vl_norm(liquid->velocity) > 0.0;
  if (liquid->transfer != VL_TRANSFER_STILL || (!drifts && liquid->swirl_speed == 0.0)) return VL_OK;
  const char *what = drifts ? "velocity" : "swirl_speed";
  vl_tree_fail(tree, status, vl_node_find(keys, what), VL_AT_KEY, "nothing moves with liquid.transfer: still");
  return vl_tree_note(status, "leave out %s, or choose another transfer", what);
}

static vlCode check_liquid(vlScene *scene, const vlTree *tree, vlStatus *status)
{
  vlLiquidDef *liquid = &scene->liquid;
  const vlNode *keys = vl_node_find(tree->root, "liquid");
  const vlNode *sources = vl_node_find(keys, "sources"), *sinks = vl_node_find(keys, "sinks");
  if (liquid->transfer == VL_TRANSFER_STILL && liquid->source_count + liquid->sink_count > 0) {
    const char *what = liquid->source_count ? "sources" : "sinks";
    vl_tree_fail(tree, status, liquid->source_count ? sources : sinks, VL_AT_KEY,
                 "nothing moves with liquid.transfer: still, so there can be no %s", what);
    return vl_tree_note(status, "leave out %s, or choose another transfer", what);
  }
  vlCode code = check_still(liquid, tree, keys, status);
  if (code == VL_OK)
    code = check_shapes(scene, liquid->shapes, liquid->shape_count, tree, vl_node_find(keys, "shapes"), status);
  if (code == VL_OK) code = check_shapes(scene, liquid->sinks, liquid->sink_count, tree, sinks, status);
  const vlNode *item = sources ? sources->first : NULL;
  for (int i = 0; i < liquid->source_count && code == VL_OK; i++, item = item->next)
    code = check_source(scene, &liquid->sources[i], tree, item, status);
  return code;
}

static vlCode check_pin(const vlScene *scene, vlPinDef *pin, const vlTree *tree, const vlNode *node, vlStatus *status)
{
  static const char *const keys[] = {"velocity", "amplitude"};
  const vlVec3 vectors[] = {pin->velocity, pin->amplitude};
  char start[32], end[32];
  vlCode code = VL_OK;
  for (int i = 0; i < 2 && code == VL_OK; i++) {
    const vlNode *place = vl_node_find(node, keys[i]);
    code = check_flat(scene, vectors[i], tree, place, status);
    for (int a = 0; a < 3 && code == VL_OK; a++)
      if (vectors[i].v[a] != 0.0 && !(pin->axes & 1u << a))
        code = vl_tree_fail(tree, status, place, VL_AT_VALUE, "the %c entry must be 0: the nodes are free along %c",
                            "xyz"[a], "xyz"[a]);
  }
  if (code == VL_OK && vl_norm(pin->amplitude) > 0.0 && pin->frequency == 0.0)
    code = vl_tree_fail(tree, status, vl_node_find(node, "amplitude"), VL_AT_VALUE, "nothing sways without a frequency");
  if (code == VL_OK && pin->end <= pin->start)
    code = vl_tree_fail(tree, status, vl_node_find(node, "end"), VL_AT_VALUE, "%s s is not after its start, %s s",
                        vl_quantity_text(pin->end, end), vl_quantity_text(pin->start, start));
  const vlNode *release = vl_node_find(node, "release");
  if (code == VL_OK && pin->release && isinf(pin->end))
    code = vl_tree_fail(tree, status, release, VL_AT_VALUE, "the nodes are never released without an end");
  return code == VL_OK ? check_shape(scene, &pin->region, tree, node, status) : code;
}

/* A body of a slab moves in its plane. */
static vlCode check_slab_body(const vlBodyDef *body, const vlTree *tree, const vlNode *node, vlStatus *status)
{
  vlVec3 z = vl_mat_apply(body->rotation, vl_vec(0, 0, 1));
  if (body->shape != VL_BODY_BOX && body->kind == VL_BODY_ELASTIC)
    return vl_tree_fail(tree, status, vl_node_find(node, "shape"), VL_AT_VALUE,
                        "in a slab elastic bodies are boxes, as thick as the slab");
  if (body->cell > 0.0 && body->kind == VL_BODY_ELASTIC)
    return vl_tree_fail(tree, status, vl_node_find(node, "cell"), VL_AT_KEY, "in a slab boxes are made of cells");
  if (body->kind == VL_BODY_ELASTIC && (fabs(z.x) > 1e-12 || fabs(z.y) > 1e-12)) /* sin 180 degrees is not 0 */
    return vl_tree_fail(tree, status, vl_node_find(node, "rotate"), VL_AT_VALUE,
                        "in a slab elastic bodies turn about z only");
  if (body->spin.x != 0.0 || body->spin.y != 0.0)
    return vl_tree_fail(tree, status, vl_node_find(node, "spin"), VL_AT_VALUE,
                        "the x and y entries must be 0 in a slab: bodies turn about z only");
  if (body->stretch.z != 1.0)
    return vl_tree_fail(tree, status, vl_node_find(node, "stretch"), VL_AT_VALUE, "the z entry must be 1 in a slab");
  return VL_OK;
}

/* What is filled is a shape; its kind only matters for what is looked at. */
static vlCode check_filled(const vlScene *scene, vlBodyDef *body, const vlTree *tree, const vlNode *node, vlStatus *status)
{
  const vlNode *round = vl_node_find(node, "round");
  body->solid.size = body->size;
  body->solid.kind = body->shape == VL_BODY_BOX     ? VL_SHAPE_BOX
                     : body->shape == VL_BODY_TORUS ? VL_SHAPE_TORUS
                                                    : VL_SHAPE_CYLINDER;
  bool filled = body->shape != VL_BODY_BOX && body->shape != VL_BODY_MESH;
  if (filled && body->cell == 0.0 && body->kind == VL_BODY_ELASTIC) {
    vl_tree_fail(tree, status, node, VL_AT_VALUE, "cell is missing");
    vl_tree_note(status, "it is the edge length of the tetrahedra that fill it; a body with rigid: yes needs none");
    return vl_tree_note(status, "for example: cell: 3 cm");
  }
  if (body->shape == VL_BODY_BOX && body->solid.round > 0.0 && body->cell == 0.0 && body->kind == VL_BODY_ELASTIC)
    return vl_tree_fail(tree, status, round, VL_AT_KEY, "cuboids have no round edges; give cell instead of cells");
  return check_shape(scene, &body->solid, tree, node, status);
}

static vlCode check_rigid(const vlBodyDef *body, const vlTree *tree, const vlNode *node, vlStatus *status)
{
  if (body->pin_count > 0)
    return vl_tree_fail(tree, status, vl_node_find(node, "pins"), VL_AT_KEY,
                        "pins hold nodes of elastic bodies; a rigid one is free");
  if (body->stretch.x != 1.0 || body->stretch.y != 1.0 || body->stretch.z != 1.0)
    return vl_tree_fail(tree, status, vl_node_find(node, "stretch"), VL_AT_KEY, "a rigid body cannot be stretched");
  return VL_OK;
}

/* Slices are those of open areas. */
static vlCode check_slices(const vlScene *scene, const vlBodyDef *body, const vlTree *tree, const vlNode *node,
                           vlStatus *status)
{
  if (body->rigid_mass != VL_RIGID_MASS_SLICE || scene->pressure.weights == VL_WEIGHTS_AREA) return VL_OK;
  return vl_tree_fail(tree, status, vl_node_find(node, "rigid_mass"), VL_AT_VALUE,
                      "slice goes with pressure.weights: area only; the scene has %s",
                      vl_weights_words[scene->pressure.weights]);
}

/* Keys that only rigid bodies take. */
static vlCode check_elastic(const vlTree *tree, const vlNode *node, vlStatus *status)
{
  static const char *const keys[] = {"mass", "rigid_mass"};
  for (int i = 0; i < 2; i++) {
    const vlNode *key = vl_node_find(node, keys[i]);
    if (!key) continue;
    vl_tree_fail(tree, status, key, VL_AT_KEY, "only rigid bodies take this key");
    return vl_tree_note(status, i ? "give rigid: yes too" : "give density instead, or rigid: yes too");
  }
  return VL_OK;
}

/* The entry of a list in the file. */
static const vlNode *entry_of(const vlNode *list, int index)
{
  const vlNode *item = list ? list->first : NULL;
  while (item && index-- > 0) item = item->next;
  return item;
}

static vlCode check_motion(const vlScene *scene, const vlBodyDef *body, const vlTree *tree, const vlNode *node,
                           vlStatus *status)
{
  static const char *const free_ones[] = {"velocity", "spin", "pushes"};
  if (body->motion_count > 0 && body->kind == VL_BODY_ELASTIC) {
    const vlNode *rigid = vl_node_find(node, "rigid");
    if (rigid) return vl_tree_fail(tree, status, rigid, VL_AT_VALUE, "a body with a motion is rigid; leave out one of them");
  }
  for (int i = 0; i < 3 && body->motion_count > 0; i++) {
    const vlNode *own = vl_node_find(node, free_ones[i]);
    if (own) return vl_tree_fail(tree, status, own, VL_AT_KEY, "motion says how it moves; this is for bodies without one");
  }
  for (int i = 0; i < body->motion_count; i++) {
    vlMotionProblem problem = vl_motion_problem(&body->motion[i], scene->grid.slab);
    if (!problem.text) continue;
    const vlNode *item = entry_of(vl_node_find(node, "motion"), i);
    const vlNode *owner = problem.index < 0 ? item : entry_of(vl_node_find(item, "keys"), problem.index);
    const vlNode *place = vl_node_find(owner, problem.key);
    return vl_tree_fail(tree, status, place ? place : owner, VL_AT_VALUE, "%s", problem.text);
  }
  return VL_OK;
}

static vlCode check_pushes(const vlScene *scene, const vlBodyDef *body, const vlTree *tree, const vlNode *node,
                           vlStatus *status)
{
  char start[32], end[32];
  vlCode code = VL_OK;
  for (int i = 0; i < body->push_count && code == VL_OK; i++) {
    const vlPushDef *push = &body->pushes[i];
    const vlNode *item = entry_of(vl_node_find(node, "pushes"), i);
    code = check_flat(scene, push->force, tree, vl_node_find(item, "force"), status);
    if (code == VL_OK && push->end <= push->start)
      code = vl_tree_fail(tree, status, vl_node_find(item, "end"), VL_AT_VALUE, "%s s is not after its start, %s s",
                          vl_quantity_text(push->end, end), vl_quantity_text(push->start, start));
  }
  return code;
}

static vlCode check_body(const vlScene *scene, vlBodyDef *body, const vlTree *tree, const vlNode *node, vlStatus *status)
{
  vlCode code = check_flat(scene, body->center, tree, vl_node_find(node, "center"), status);
  if (code == VL_OK) code = check_motion(scene, body, tree, node, status);
  if (body->motion_count > 0) body->kind = VL_BODY_SCRIPTED;
  if (code == VL_OK) code = check_flat(scene, body->velocity, tree, vl_node_find(node, "velocity"), status);
  if (code == VL_OK && scene->grid.slab) code = check_slab_body(body, tree, node, status);
  if (code == VL_OK) code = check_pushes(scene, body, tree, node, status);
  if (code == VL_OK)
    code = body->kind == VL_BODY_ELASTIC ? check_elastic(tree, node, status) : check_rigid(body, tree, node, status);
  if (code == VL_OK) code = check_slices(scene, body, tree, node, status);
  if (code == VL_OK) code = check_filled(scene, body, tree, node, status);
  const vlNode *pins = vl_node_find(node, "pins"), *item = pins ? pins->first : NULL;
  for (int i = 0; i < body->pin_count && code == VL_OK; i++, item = item->next)
    code = check_pin(scene, &body->pins[i], tree, item, status);
  return code;
}

static vlCode check_bodies(vlScene *scene, const vlTree *tree, vlStatus *status)
{
  const vlNode *bodies = vl_node_find(tree->root, "bodies");
  vlCode code = VL_OK;
  const vlNode *item = bodies ? bodies->first : NULL;
  for (int i = 0; i < scene->body_count && code == VL_OK; i++, item = item->next)
    code = check_body(scene, &scene->bodies[i], tree, item, status);
  return code;
}

/* Is there a body of this name? */
static vlCode check_node(const vlScene *scene, const vlProbeDef *probe, const vlTree *tree, const vlNode *node,
                         vlStatus *status)
{
  enum { MOST = 32 };
  const char *names[MOST];
  char all[400] = "", shown[260];
  int count = 0;
  if (probe->kind != VL_PROBE_NODE) return VL_OK;
  for (int i = 0; i < scene->body_count; i++) {
    const char *name = scene->bodies[i].name;
    if (strcmp(name, probe->body) == 0) return VL_OK;
    if (count == MOST) continue;
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", count ? ", " : "", name);
    names[count++] = name;
  }
  vl_tree_fail(tree, status, vl_node_find(node, "body"), VL_AT_VALUE, "%s: there is no body of this name",
               vl_shown(probe->body, strlen(probe->body), 40, shown, sizeof shown));
  if (!count) return vl_tree_note(status, "the scene has no bodies");
  vl_tree_note(status, "bodies: %s", all);
  const char *near = vl_nearest(probe->body, names, count);
  return near ? vl_tree_note(status, "did you mean '%s'?", near) : VL_ERROR_SCENE;
}

static vlCode check_flux(const vlScene *scene, const vlProbeDef *probe, const vlTree *tree, const vlNode *node,
                         vlStatus *status)
{
  if (probe->kind != VL_PROBE_FLUX) return VL_OK;
  if (scene->grid.slab && probe->axis == 2)
    return vl_tree_fail(tree, status, vl_node_find(node, "axis"), VL_AT_VALUE, "nothing flows along z in a slab");
  for (int a = 0; a < 3; a++)
    if (a != probe->axis && !(probe->size.v[a] > 0.0))
      return vl_tree_fail(tree, status, vl_node_find(node, "size"), VL_AT_VALUE,
                          "the %c entry must be more than 0; only that along axis, %c, may be 0", "xyz"[a],
                          "xyz"[probe->axis]);
  return VL_OK;
}

static vlCode check_probe(const vlScene *scene, const vlProbeDef *probe, const vlTree *tree, const vlNode *node,
                          vlStatus *status)
{
  const vlNode *position = vl_node_find(node, "position");
  for (int a = 0; a < 3; a++) {
    char x[32], low[32], high[32];
    double lo = scene->grid.origin.v[a], hi = lo + scene->grid.size.v[a],
           slack = 1e-9 * scene->grid.size.v[a]; /* 0.1 + 0.2 is not 0.3 */
    if (probe->position.v[a] >= lo - slack && probe->position.v[a] <= hi + slack) continue;
    vl_tree_fail(tree, status, position, VL_AT_VALUE, "%c = %s m is outside of the box", "xyz"[a],
                 vl_quantity_text(probe->position.v[a], x));
    return vl_tree_note(status, "allowed: %s to %s m", vl_quantity_text(lo, low), vl_quantity_text(hi, high));
  }
  vlCode code = check_node(scene, probe, tree, node, status);
  return code == VL_OK ? check_flux(scene, probe, tree, node, status) : code;
}

static vlCode check_look(const vlLookDef *look, const vlTree *tree, vlStatus *status)
{
  const vlNode *keys = vl_node_find(tree->root, "render");
  if (!(vl_norm(look->sun) > 0.0))
    return vl_tree_fail(tree, status, vl_node_find(keys, "sun"), VL_AT_VALUE, "a direction must not have length zero");
  if (look->has_camera && look->has_target && !(vl_norm(vl_sub(look->camera, look->target)) > 0.0))
    return vl_tree_fail(tree, status, vl_node_find(keys, "target"), VL_AT_VALUE, "the camera is at this very point");
  return VL_OK;
}

vlCode vl_scene_check(vlScene *scene, const vlTree *tree, vlStatus *status)
{
  vlCode code = check_grid(scene, tree, status);
  if (code == VL_OK) code = check_time(scene, tree, status);
  if (code == VL_OK) code = check_liquid(scene, tree, status);
  if (code == VL_OK) code = check_look(&scene->look, tree, status);
  const vlNode *solids = vl_node_find(tree->root, "solids");
  const vlNode *item = solids ? solids->first : NULL;
  for (int i = 0; i < scene->solid_count && code == VL_OK; i++, item = item->next)
    code = check_shape(scene, &scene->solids[i].shape, tree, item, status);
  if (code == VL_OK) code = check_bodies(scene, tree, status);
  const vlNode *probes = vl_node_find(tree->root, "probes");
  item = probes ? probes->first : NULL;
  for (int i = 0; i < scene->probe_count && code == VL_OK; i++, item = item->next)
    code = check_probe(scene, &scene->probes[i], tree, item, status);
  return code;
}
