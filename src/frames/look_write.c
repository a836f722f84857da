/* look.json, written once when a run starts: the renderer reads frames and this, and nothing of the scene.
 *
 * Where the liquid will go is not known yet, but how high it can: what starts at the height y with the speed v against
 * gravity g rises to y + v^2 / 2g, and only spray, which gets its push from other liquid, goes beyond. So the pictures of a
 * run can be framed before it has ended, and alike before and after it goes on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "files/file.h"
#include "files/json.h"
#include "files/look.h"
#include "liquid/level_set.h"
#include "mesh/sdf.h"

static void add_vector(vlJson *json, const char *key, vlVec3 v)
{
  vl_json_array(json, key);
  for (int a = 0; a < 3; a++) vl_json_number(json, NULL, v.v[a]);
  vl_json_end(json);
}

static void add_look(vlJson *json, const vlLookDef *look)
{
  if (look->has_camera) add_vector(json, "camera", look->camera);
  if (look->has_target) add_vector(json, "target", look->target);
  vl_json_number(json, "fov", look->fov);
  add_vector(json, "sun", look->sun);
  vl_json_integer(json, "sky", look->sky);
  vl_json_number(json, "exposure", look->exposure);
  add_vector(json, "water_color", look->water_color);
  vl_json_number(json, "water_depth", look->water_depth);
  vl_json_bool(json, "ground", look->ground);
  vl_json_bool(json, "walls", look->walls);
  vl_json_integer(json, "coloring", look->coloring);
}

static void add_solids(vlJson *json, const vlScene *scene)
{
  vl_json_array(json, "solids");
  for (int i = 0; i < scene->solid_count; i++) {
    const vlSolidDef *solid = &scene->solids[i];
    vl_json_object(json, NULL);
    vl_json_string(json, "name", solid->name);
    vl_json_bool(json, "container", solid->container);
    if (solid->has_color) add_vector(json, "color", solid->color);
    vl_json_integer(json, "material", solid->material);
    vl_json_end(json);
  }
  vl_json_end(json);
}

static void add_bodies(vlJson *json, const vlSim *sim, vlBox3 box)
{
  const vlScene *scene = vl_sim_scene(sim);
  vlBox3 start = vl_box_empty();
  double speed2 = 0.0;
  vl_json_array(json, "bodies");
  for (int i = 0; i < scene->body_count; i++) {
    const vlBodyDef *body = &scene->bodies[i];
    vl_json_object(json, NULL);
    vl_json_string(json, "name", body->name);
    if (body->has_color) add_vector(json, "color", body->color);
    vl_json_integer(json, "material", body->material);
    vl_json_end(json);
    speed2 = fmax(speed2, vl_dot(body->velocity, body->velocity));
  }
  vl_json_end(json);
  for (int i = 0; i < vl_sim_body_count(sim); i++) {
    vlBodyView body = vl_sim_body(sim, i);
    for (int n = 0; n < body.node_count; n++) start = vl_box_add(start, body.first[n]);
  }
  if (vl_box_is_empty(start)) return;
  vl_json_object(json, "body_start");
  add_vector(json, "lo", start.lo);
  add_vector(json, "hi", start.hi);
  double fall = fmax(0.0, start.hi.y - box.lo.y);
  vl_json_number(json, "fastest", sqrt(2.0 * vl_norm(scene->gravity) * fall + speed2));
  vl_json_end(json);
}

/* The part of `start` inside of the box, made as high as liquid of that velocity rises. */
static vlBox3 lift(vlBox3 start, vlBox3 box, vlVec3 velocity, vlVec3 gravity)
{
  vlBox3 in = vl_box_intersect(start, box);
  double g = vl_norm(gravity), up = g > 0.0 ? fmax(0.0, -vl_dot(velocity, gravity) / g) : vl_norm(velocity);
  if (vl_box_is_empty(in)) return vl_box_empty();
  if (up > 0.0) in.hi.y = g > 0.0 ? fmin(box.hi.y, in.hi.y + up * up / (2.0 * g)) : box.hi.y;
  return in;
}

static vlCode add_liquid(vlJson *json, const vlSim *sim, vlBox3 box, vlStatus *status)
{
  const vlScene *scene = vl_sim_scene(sim);
  const vlLiquidDef *def = &scene->liquid;
  vlLiquidShapes shapes;
  vlCode code = vl_liquid_shapes_create(&shapes, def, scene->path, status);
  if (code != VL_OK) return code;
  vlBox3 all = vl_box_empty();
  double speed2 = vl_dot(def->velocity, def->velocity);
  if (shapes.count) all = lift(vl_liquid_shapes_bounds(&shapes), box, def->velocity, scene->gravity);
  for (int i = 0; i < def->source_count && code == VL_OK; i++) {
    vlVec3 v = def->sources[i].velocity;
    vlSdf *source = NULL;
    code = vl_sdf_create(&source, &def->sources[i].shape, status);
    if (code == VL_OK) all = vl_box_unite(all, lift(vl_sdf_bounds(source), box, v, scene->gravity));
    vl_sdf_destroy(&source);
    speed2 = fmax(speed2, vl_dot(v, v));
  }
  vl_liquid_shapes_clear(&shapes);
  if (code != VL_OK || vl_box_is_empty(all)) return code;
  vl_json_object(json, "liquid");
  add_vector(json, "lo", all.lo);
  add_vector(json, "hi", all.hi);
  vl_json_number(json, "fastest", sqrt(2.0 * vl_norm(scene->gravity) * (all.hi.y - box.lo.y) + speed2));
  vl_json_end(json);
  return VL_OK;
}

vlCode vl_look_write(const vlSim *sim, const char *folder, vlStatus *status)
{
  vlGridView g = vl_sim_grid(sim);
  vlBox3 box = {g.origin, vl_axpy(g.origin, g.dx, vl_vec(g.n[0], g.n[1], g.n[2]))};
  vlJson json;
  vl_json_begin(&json, true);
  vl_json_object(&json, NULL);
  add_vector(&json, "lo", box.lo);
  add_vector(&json, "hi", box.hi);
  vl_json_number(&json, "dx", g.dx);
  vl_json_bool(&json, "slab", vl_sim_scene(sim)->grid.slab);
  vl_json_number(&json, "frames_per_second", vl_sim_scene(sim)->time.frames_per_second);
  vlCode code = add_liquid(&json, sim, box, status);
  vl_json_object(&json, "render");
  add_look(&json, &vl_sim_scene(sim)->look);
  vl_json_end(&json);
  add_solids(&json, vl_sim_scene(sim));
  add_bodies(&json, sim, box);
  vl_json_end(&json);

  char *path = vl_path_join(folder, "look.json");
  vlFile file;
  if (code == VL_OK) code = vl_json_finish(&json, status);
  if (code == VL_OK && !path) code = vl_fail_memory(status, strlen(folder), "a file's name");
  if (code == VL_OK) code = vl_file_open(&file, path, status);
  if (code == VL_OK) {
    vl_file_write(&file, json.text, json.length);
    code = vl_file_commit(&file, status);
  }
  free(path);
  vl_json_clear(&json);
  return code;
}
