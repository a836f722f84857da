/* look.json, written once when a run starts: the renderer reads frames and this, and nothing of the scene. */
#include "engine/sim.h"
#include "io/file.h"
#include "io/json.h"
#include "io/look.h"

#include <stdlib.h>
#include <string.h>

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

vlCode vl_look_write(const vlSim *sim, const char *folder, vlStatus *status)
{
  const vlGrid *g = &sim->grid;
  vlVec3 hi = g->origin;
  for (int a = 0; a < 3; a++) hi.v[a] += g->n[a] * g->dx;
  vlJson json;
  vl_json_begin(&json, true);
  vl_json_object(&json, NULL);
  add_vector(&json, "lo", g->origin);
  add_vector(&json, "hi", hi);
  vl_json_number(&json, "dx", g->dx);
  vl_json_bool(&json, "slab", sim->scene->slab);
  vl_json_number(&json, "frames_per_second", sim->scene->frames_per_second);
  vl_json_object(&json, "render");
  add_look(&json, &sim->scene->look);
  vl_json_end(&json);
  add_solids(&json, sim->scene);
  vl_json_end(&json);

  char *path = vl_path_join(folder, "look.json");
  vlFile file;
  vlCode code = vl_json_finish(&json, status);
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
