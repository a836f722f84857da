/* look.json read back, with a default for everything: a run of an older version, or one put together from frames of another
 * program, is shown as well as can be. */
#include "files/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "files/file.h"
#include "files/json.h"

enum { LARGEST = 64 << 20, MOST_SOLIDS = 100000 };
static const double FARTHEST = 1e15; /* m: places beyond are none; as for the vertices of frames */

static bool find_vector(const char *text, const char *path, vlVec3 *v)
{
  vlVec3 found;
  for (int a = 0; a < 3; a++) {
    char entry[96];
    snprintf(entry, sizeof entry, "%s.%d", path, a);
    if (!vl_json_find_number(text, entry, &found.v[a]) || !(fabs(found.v[a]) <= FARTHEST)) return false;
  }
  *v = found;
  return true;
}

static void find_number(const char *text, const char *path, double lo, double hi, double *value)
{
  double found;
  if (vl_json_find_number(text, path, &found) && found >= lo && found <= hi) *value = found;
}

/* One of an enum's `count` values. */
static int find_kind(const char *text, const char *path, int count, int otherwise)
{
  double found = -1.0;
  vl_json_find_number(text, path, &found);
  return found >= 0.0 && found < count ? (int)found : otherwise;
}

static void find_color(const char *text, const char *path, vlVec3 *color)
{
  if (find_vector(text, path, color)) *color = vl_min(vl_max(*color, vl_vec(1e-3, 1e-3, 1e-3)), vl_vec(1, 1, 1));
}

static void read_def(const char *text, vlLookDef *def)
{
  def->has_camera = find_vector(text, "render.camera", &def->camera);
  def->has_target = find_vector(text, "render.target", &def->target);
  find_number(text, "render.fov", 1.0, 160.0, &def->fov);
  vlVec3 sun;
  if (find_vector(text, "render.sun", &sun) && vl_norm(sun) > 0.0) def->sun = sun;
  def->sky = (vlSkyKind)find_kind(text, "render.sky", VL_SKY_KIND_COUNT, def->sky);
  find_number(text, "render.exposure", -10.0, 10.0, &def->exposure);
  find_color(text, "render.water_color", &def->water_color);
  find_number(text, "render.water_depth", 0.0, 1e15, &def->water_depth);
  vl_json_find_bool(text, "render.ground", &def->ground);
  vl_json_find_bool(text, "render.walls", &def->walls);
  def->coloring = (vlColoringKind)find_kind(text, "render.coloring", VL_COLORING_KIND_COUNT, def->coloring);
}

/* The entries of `list`, "solids" or "bodies". */
static vlCode read_things(const char *text, const char *list, vlLookSolid **things, int *count, vlStatus *status)
{
  for (int i = 0; i < MOST_SOLIDS; i++) {
    vlLookSolid thing = {0};
    double material;
    char path[64];
    snprintf(path, sizeof path, "%s.%d.container", list, i);
    bool there = vl_json_find_bool(text, path, &thing.container);
    snprintf(path, sizeof path, "%s.%d.material", list, i);
    if (!vl_json_find_number(text, path, &material) && !there) break;
    thing.material = (vlMaterialKind)find_kind(text, path, VL_MATERIAL_KIND_COUNT, VL_MATERIAL_AUTO);
    snprintf(path, sizeof path, "%s.%d.color", list, i);
    thing.has_color = find_vector(text, path, &thing.color);
    find_color(text, path, &thing.color);
    vlLookSolid *more = realloc(*things, (size_t)(i + 1) * sizeof *more);
    if (!more) return vl_fail_memory(status, (size_t)(i + 1) * sizeof *more, "the looks of solids and bodies");
    *things = more;
    more[(*count)++] = thing;
  }
  return VL_OK;
}

static void find_box(const char *text, const char *path, vlBox3 *box)
{
  char lo[64], hi[64];
  snprintf(lo, sizeof lo, "%slo", path);
  snprintf(hi, sizeof hi, "%shi", path);
  if (!find_vector(text, lo, &box->lo) || !find_vector(text, hi, &box->hi)) *box = vl_box_empty();
}

static vlCode read_text(const char *text, const char *path, vlLook *look, vlStatus *status)
{
  if (text[strspn(text, " \t\r\n")] != '{') return vl_fail(status, VL_ERROR_FILE, "%s is no JSON object", path);
  double fall = 0.0;
  find_box(text, "", &look->box);
  find_box(text, "liquid.", &look->liquid);
  find_box(text, "body_start.", &look->body_start);
  find_number(text, "liquid.fastest", 0.0, 1e15, &look->fastest);
  find_number(text, "body_start.fastest", 0.0, 1e15, &fall);
  look->fastest = fmax(look->fastest, fall);
  find_number(text, "dx", 0.0, 1e15, &look->dx);
  vl_json_find_bool(text, "slab", &look->slab);
  find_number(text, "frames_per_second", 1e-3, 1e6, &look->frames_per_second);
  read_def(text, &look->def);
  vlCode code = read_things(text, "solids", &look->solids, &look->solid_count, status);
  return code == VL_OK ? read_things(text, "bodies", &look->bodies, &look->body_count, status) : code;
}

vlCode vl_look_read(vlLook *look, const char *folder, vlStatus *status)
{
  *look = (vlLook){.box = vl_box_empty(), .frames_per_second = 30.0};
  look->liquid = look->body_start = vl_box_empty();
  look->def = (vlLookDef){.fov = 28.0, .ground = true, .walls = true};
  look->def.sun = vl_vec(-0.7, 1.0, 0.4);
  look->def.water_color = vl_vec(0.2, 0.58, 0.92);
  char *path = vl_path_join(folder, "look.json"), *text = NULL;
  size_t length;
  vlCode code = path ? VL_OK : vl_fail_memory(status, strlen(folder), "a file's name");
  if (code == VL_OK && access(path, F_OK) == 0) {
    code = vl_file_read(path, LARGEST, &text, &length, status);
    if (code == VL_OK) code = read_text(text, path, look, status);
  }
  if (code != VL_OK) vl_look_clear(look);
  free(text);
  free(path);
  return code;
}

/* One of full colour and brightness by its hue, 0 to 1. */
static vlVec3 hue_color(double hue)
{
  vlVec3 color;
  for (int c = 0; c < 3; c++) {
    double away = fabs(fmod(hue + 1.0 - c / 3.0, 1.0) - 0.5); /* 0.5 at the channel's own hue */
    color.v[c] = fmin(1.0, fmax(0.0, 6.0 * away - 1.0));
  }
  return color;
}

/* The first ones are chosen by eye: neighbours in the list differ in hue and in brightness, and none is that of water. After
 * them come hues by the golden section, which never meets the same one twice, paled, and darker in turns. */
vlVec3 vl_look_color(int index)
{
  static const vlVec3 chosen[] = {{{0.91, 0.35, 0.25}}, {{0.98, 0.77, 0.27}}, {{0.45, 0.70, 0.30}}, {{0.67, 0.42, 0.74}},
                                  {{0.95, 0.56, 0.17}}, {{0.94, 0.60, 0.72}}, {{0.50, 0.32, 0.20}}, {{0.94, 0.91, 0.82}},
                                  {{0.72, 0.22, 0.42}}, {{0.77, 0.83, 0.36}}};
  const int count = sizeof chosen / sizeof *chosen, at = index > 0 ? index : 0;
  if (at < count) return chosen[at];
  const double bright = at % 2 ? 0.62 : 0.90;
  return vl_scale(vl_axpy(vl_vec(0.35, 0.35, 0.35), 0.65, hue_color(fmod(0.6180339887498949 * at, 1.0))), bright);
}

vlVec3 vl_look_body_color(const vlLook *look, int body)
{
  bool own = body >= 0 && body < look->body_count && look->bodies[body].has_color;
  return own ? look->bodies[body].color : vl_look_color(body);
}

void vl_look_clear(vlLook *look)
{
  free(look->solids);
  free(look->bodies);
  look->solids = look->bodies = NULL;
  look->solid_count = look->body_count = 0;
}
