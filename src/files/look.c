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
  look->def.sun = vl_vec(-0.6, 1.0, -0.45);
  look->def.water_color = vl_vec(0.2, 0.63, 0.79);
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

void vl_look_clear(vlLook *look)
{
  free(look->solids);
  free(look->bodies);
  look->solids = look->bodies = NULL;
  look->solid_count = look->body_count = 0;
}
