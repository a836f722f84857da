/* The stage is set once, from what is known when a run starts: its box, solids, where bodies begin and how high the liquid
 * can come. So picture and colours are the same for every choice of frames, and stay so while the run goes on; only how
 * high stresses come is seen from frames. Frames of other programs come without a box: a few of them, spread over all, tell
 * where the liquid is.
 * The camera looks from the front, a little from the right and above, and stands so far back that the box up to the height
 * of the liquid is in the picture; a slab is looked at straight on. Containers are faint glass and take the place of the
 * box's own sides; obstacles are opaque. */
#include "stage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "files/file.h"

enum { LOOKED_AT = 16 };                /* frames from which the stage is set without a box */
static const double GLASS_BACK = 0.002; /* of the longest side */
static const double QUICK = 0.5;        /* speed with the last colour, as part of the highest that a fall can give */
static const double SPRAY = 0.35;       /* room above the liquid's height, as part of it */

static void apply_options(vlLook *look, const vlRenderOptions *o)
{
  vlLookDef *def = &look->def;
  if (o->has_camera) {
    def->has_camera = true;
    def->camera = o->camera;
  }
  if (o->has_target) {
    def->has_target = true;
    def->target = o->target;
  }
  if (o->has_coloring) def->coloring = o->coloring;
  if (!isnan(o->fov)) def->fov = o->fov;
  if (!isnan(o->exposure)) def->exposure = o->exposure;
}

static vlCode read_solids(vlStage *s, const char *run, vlStatus *status)
{
  char *path = vl_path_join(run, "solids.vtp");
  if (!path) return vl_fail_memory(status, strlen(run), "a file's name");
  vlCode code = access(path, F_OK) == 0 ? vl_frame_mesh_read(&s->solids, path, status) : VL_OK;
  free(path);
  return code;
}

static vlCode dress(vlStage *s, vlStatus *status)
{
  const vlLook *look = &s->look;
  vlCode code = vl_dress_solids(&s->solid_dress, look->solids, look->solid_count, status);
  if (code == VL_OK) code = vl_dress_bodies(&s->body_dress, look->bodies, look->body_count, status);
  if (code == VL_OK) code = vl_dress_wear(&s->solid_dress, &s->solids, &s->solids_worn, status);
  for (int i = 0; i < look->solid_count; i++) s->containers = s->containers || look->solids[i].container;
  return code;
}

/* Water that touches glass has the same surface as the glass, up to rounding: rays would meet the two in any order and show
 * patches. So glass is set back into its solid a little, along the normals of its vertices; those that an opaque triangle
 * shares stay. */
static vlCode set_glass_back(vlStage *s, vlStatus *status)
{
  vlTriMesh *mesh = s->solids.mesh;
  if (!mesh || !mesh->vertex_count) return VL_OK;
  vlVec3 *normal = calloc((size_t)mesh->vertex_count, sizeof *normal);
  if (!normal) return vl_fail_memory(status, (size_t)mesh->vertex_count * sizeof *normal, "the solids' looks");
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *tri = mesh->tri[t];
    vlVec3 a = mesh->x[tri[0]], area = vl_cross(vl_sub(mesh->x[tri[1]], a), vl_sub(mesh->x[tri[2]], a));
    if (s->solids_worn.glass_of[t] < 0) area = vl_vec(NAN, NAN, NAN);
    for (int c = 0; c < 3; c++) normal[tri[c]] = vl_add(normal[tri[c]], area);
  }
  vlVec3 size = vl_sub(s->box.hi, s->box.lo);
  double back = GLASS_BACK * fmax(size.x, fmax(size.y, size.z));
  for (int i = 0; i < mesh->vertex_count; i++)
    if (vl_norm(normal[i]) > 0.0) mesh->x[i] = vl_axpy(mesh->x[i], -back / vl_norm(normal[i]), normal[i]);
  free(normal);
  return VL_OK;
}

static int compare_floats(const void *a, const void *b)
{
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* The length of the vectors at the vertices, or the size of the numbers, that all but a few stay below; 0: unknown. */
static double usual(const vlFrameMesh *frame, const float *values, int components)
{
  size_t n = (size_t)frame->mesh->vertex_count;
  float *size = values && n ? malloc(n * sizeof *size) : NULL;
  if (!size) return 0.0;
  for (size_t i = 0; i < n; i++) {
    float sum = 0.0f;
    for (int c = 0; c < components; c++, values++) sum += *values * *values;
    size[i] = sqrtf(sum);
  }
  qsort(size, n, sizeof *size, compare_floats);
  double found = size[n - 1 - n / 50];
  free(size);
  return found;
}

const float *vl_stage_stress(const vlFrameMesh *frame)
{
  const float *stress = frame->mesh ? vl_frame_mesh_array(frame, "von_mises", true, 1) : NULL;
  return stress || !frame->mesh ? stress : vl_frame_mesh_array(frame, "stress", true, 1);
}

/* Bounds, speeds and stresses of a few frames; one that cannot be read is spoken of when its turn comes. */
static void look_at_frames(vlStage *s, const vlFrameList *frames, vlBox3 *bounds)
{
  int most = frames->count < LOOKED_AT ? frames->count : LOOKED_AT;
  for (int k = 0; k < most; k++) {
    int i = most > 1 ? (int)((long long)k * (frames->count - 1) / (most - 1)) : 0;
    vlFrameMesh frame;
    vlStatus ignored = {0};
    if (vl_frame_mesh_read(&frame, frames->files[i].path, &ignored) != VL_OK) continue;
    if (frame.mesh->vertex_count) *bounds = vl_box_unite(*bounds, vl_trimesh_bounds(frame.mesh));
    if (s->look.def.coloring == VL_COLORING_SPEED)
      s->fastest = fmax(s->fastest, usual(&frame, vl_frame_mesh_array(&frame, "velocity", true, 3), 3));
    if (s->look.def.coloring == VL_COLORING_STRESS) s->highest = fmax(s->highest, usual(&frame, vl_stage_stress(&frame), 1));
    vl_frame_mesh_clear(&frame);
  }
}

/* What the last colours stand for, and where things are when the run does not say. */
static void look_around(vlStage *s, const vlFrameList *liquid, const vlFrameList *bodies)
{
  bool speed = s->look.def.coloring == VL_COLORING_SPEED, stress = s->look.def.coloring == VL_COLORING_STRESS;
  bool known = !vl_box_is_empty(s->look.box);
  vlBox3 ignored = vl_box_empty();
  if (speed) s->fastest = QUICK * s->look.fastest;
  if (stress && s->solids.mesh) s->highest = usual(&s->solids, vl_stage_stress(&s->solids), 1);
  if (!known || (speed && !(s->fastest > 0.0))) look_at_frames(s, liquid, known ? &ignored : &s->look.liquid);
  if (!known || stress) look_at_frames(s, bodies, known ? &ignored : &s->look.body_start);
}

/* How high the picture goes. */
static double find_top(const vlStage *s, vlBox3 solids)
{
  double bottom = s->box.lo.y, size = s->box.hi.y - bottom;
  if (vl_box_is_empty(s->look.liquid)) return s->box.hi.y;
  double top = s->look.liquid.hi.y + SPRAY * (s->look.liquid.hi.y - bottom);
  if (!vl_box_is_empty(solids)) top = fmax(top, solids.hi.y);
  if (!vl_box_is_empty(s->look.body_start)) top = fmax(top, s->look.body_start.hi.y);
  return fmin(s->box.hi.y, fmax(top, bottom + 0.15 * size) + 0.04 * size);
}

static void find_boxes(vlStage *s)
{
  vlBox3 solids = s->solids.mesh && s->solids.mesh->vertex_count ? vl_trimesh_bounds(s->solids.mesh) : vl_box_empty();
  s->box = s->look.box;
  if (vl_box_is_empty(s->box)) s->box = vl_box_unite(vl_box_unite(s->look.liquid, s->look.body_start), solids);
  if (vl_box_is_empty(s->box)) s->box = (vlBox3){vl_vec(0, 0, 0), vl_vec(1, 1, 1)};
  vlVec3 size = vl_sub(s->box.hi, s->box.lo);
  /* a flat box would have no middle to look at */
  double least = 1e-3 * fmax(size.x, fmax(size.y, size.z)) + 1e-12;
  for (int a = 0; a < 3; a++)
    if (size.v[a] < least) s->box = vl_box_grow(s->box, 0.5 * least);
  solids = vl_box_intersect(solids, s->box);
  /* containers stand on the ground wherever they are */
  bool alone = s->containers && !vl_box_is_empty(solids);
  s->floor = alone ? solids.lo.y - 0.02 * size.y : s->box.lo.y;
  vlBox3 bodies = vl_box_intersect(s->look.body_start, s->box);
  if (alone && !vl_box_is_empty(bodies)) solids = vl_box_unite(solids, bodies);
  s->seen = alone ? solids : s->box;
  s->seen.hi.y = alone ? fmin(s->box.hi.y, solids.hi.y + 0.04 * size.y) : find_top(s, solids);
}

static void place_camera(vlStage *s, double aspect)
{
  const vlLookDef *def = &s->look.def;
  vlVec3 direction = s->look.slab ? vl_vec(0, 0, -1) : vl_vec(-0.50, -0.36, -0.80);
  vlVec3 middle = vl_scale(vl_add(s->seen.lo, s->seen.hi), 0.5), target = def->has_target ? def->target : middle;
  s->camera = vl_camera_frame(s->seen, direction, def->fov, aspect);
  if (def->has_camera)
    s->camera = vl_camera(def->camera, target, def->fov, aspect);
  else if (def->has_target)
    s->camera = vl_camera(vl_add(s->camera.position, vl_sub(target, middle)), target, def->fov, aspect);
}

/* Rays of a camera that is too far away, or looks nowhere, are none. */
static vlCode check_camera(const vlStage *s, vlStatus *status)
{
  const double most = 1e6; /* longest sides of the box */
  vlVec3 size = vl_sub(s->box.hi, s->box.lo), at = s->camera.position;
  double away = vl_norm(vl_sub(at, vl_stage_middle(s))) / fmax(size.x, fmax(size.y, size.z));
  if (!(away <= most))
    return vl_fail(status, VL_ERROR_USAGE,
                   "the camera at (%g, %g, %g) m is too far away; at most %g times the box's longest side is allowed", at.x,
                   at.y, at.z, most);
  if (!(vl_norm(s->camera.forward) > 0.5))
    return vl_fail(status, VL_ERROR_USAGE, "the camera at (%g, %g, %g) m looks at the point where it is", at.x, at.y, at.z);
  return VL_OK;
}

vlVec3 vl_stage_middle(const vlStage *s) { return vl_scale(vl_add(s->seen.lo, s->seen.hi), 0.5); }

vlCode vl_stage_create(vlStage *s, const vlRenderOptions *options, const vlFrameList *liquid, const vlFrameList *bodies,
                       vlStatus *status)
{
  *s = (vlStage){0};
  vlCode code = vl_look_read(&s->look, options->run, status);
  if (code == VL_OK) code = read_solids(s, options->run, status);
  if (code == VL_OK) code = dress(s, status);
  if (code == VL_OK) {
    apply_options(&s->look, options);
    look_around(s, liquid, bodies);
    find_boxes(s);
    place_camera(s, (double)options->width / options->height);
    code = check_camera(s, status);
  }
  if (code == VL_OK) code = set_glass_back(s, status);
  if (code != VL_OK) vl_stage_clear(s);
  return code;
}

void vl_stage_clear(vlStage *s)
{
  vl_look_clear(&s->look);
  vl_frame_mesh_clear(&s->solids);
  vl_dress_clear(&s->solid_dress);
  vl_dress_clear(&s->body_dress);
  vl_worn_clear(&s->solids_worn);
  *s = (vlStage){0};
}
