/* The stage is set once, from what is known when a run starts: its box, solids and how high the liquid can come. So picture
 * and colours are the same for every choice of frames, and stay so while the run goes on. Frames of other programs come
 * without a box: a few of them, spread over all, tell where the liquid is.
 * The camera looks from the front, a little from the right and above, and stands so far back that the box up to the height
 * of the liquid is in the picture; a slab is looked at straight on. Containers are faint glass and take the place of the
 * box's own sides; obstacles are opaque. */
#include "stage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "io/file.h"

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

/* The number of the solid, or body, that a triangle belongs to. */
static float owner_of(const vlFrameMesh *frame, size_t t)
{
  const float *solid = vl_frame_mesh_array(frame, "solid", false, 1);
  if (!solid) solid = vl_frame_mesh_array(frame, "body", false, 1);
  const float *body = solid ? NULL : vl_frame_mesh_array(frame, "body", true, 1);
  return solid ? solid[t] : body ? body[frame->mesh->tri[t][0]] : 0.0f;
}

/* A material for each solid, and which of them each triangle has. */
static vlCode dress_solids(vlStage *s, vlStatus *status)
{
  int count = s->look.solid_count > 0 ? s->look.solid_count : 1;
  size_t triangles = s->solids.mesh ? (size_t)s->solids.mesh->triangle_count : 0;
  s->materials = calloc((size_t)count, sizeof *s->materials);
  s->opaque_of = malloc((triangles + 1) * sizeof *s->opaque_of);
  s->glass_of = malloc((triangles + 1) * sizeof *s->glass_of);
  if (!s->materials || !s->opaque_of || !s->glass_of) return vl_fail_memory(status, triangles * 8, "the solids' looks");
  for (int i = 0; i < count; i++) {
    vlLookSolid solid = i < s->look.solid_count ? s->look.solids[i] : (vlLookSolid){0};
    if (solid.material == VL_MATERIAL_AUTO) solid.material = solid.container ? VL_MATERIAL_GLASS : VL_MATERIAL_MATTE;
    bool glass = solid.material == VL_MATERIAL_GLASS;
    vlF3 color = solid.has_color ? vl_linear_color(solid.color) : glass ? f3(0.75f, 0.88f, 0.9f) : vl_palette_color(i);
    s->materials[i] = vl_material(solid.material, color);
    s->containers = s->containers || solid.container;
  }
  for (size_t t = 0; t < triangles; t++) {
    float owner = owner_of(&s->solids, t);
    int of = owner >= 0.0f && owner < (float)count ? (int)owner : 0;
    bool glass = s->materials[of].kind == VL_SURFACE_GLASS;
    s->opaque_of[t] = glass ? -1 : of;
    s->glass_of[t] = glass ? of : -1;
  }
  return VL_OK;
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
    if (s->glass_of[t] < 0) area = vl_vec(NAN, NAN, NAN);
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

/* The speed that all but a few vertices stay below; 0: unknown. */
static double usual_speed(const vlFrameMesh *frame)
{
  const float *v = vl_frame_mesh_array(frame, "velocity", true, 3);
  size_t n = (size_t)frame->mesh->vertex_count;
  float *speed = v && n ? malloc(n * sizeof *speed) : NULL;
  if (!speed) return 0.0;
  for (size_t i = 0; i < n; i++) {
    const float *w = v + 3 * i;
    speed[i] = sqrtf(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  }
  qsort(speed, n, sizeof *speed, compare_floats);
  double usual = speed[n - 1 - n / 50];
  free(speed);
  return usual;
}

/* The stress with the last colour. */
static double highest_stress(const vlStage *s)
{
  const float *stress = s->solids.mesh ? vl_frame_mesh_array(&s->solids, "stress", true, 1) : NULL;
  double highest = 0.0;
  for (int i = 0; stress && i < s->solids.mesh->vertex_count; i++) highest = fmax(highest, fabs((double)stress[i]));
  return highest;
}

/* Bounds and speeds of a few frames; one that cannot be read is spoken of when its turn comes. */
static void look_at_frames(vlStage *s, const vlFrameList *frames)
{
  int most = frames->count < LOOKED_AT ? frames->count : LOOKED_AT;
  for (int k = 0; k < most; k++) {
    int i = most > 1 ? (int)((long long)k * (frames->count - 1) / (most - 1)) : 0;
    vlFrameMesh frame;
    vlStatus ignored = {0};
    if (vl_frame_mesh_read(&frame, frames->files[i].path, &ignored) != VL_OK) continue;
    if (frame.mesh->vertex_count) s->look.liquid = vl_box_unite(s->look.liquid, vl_trimesh_bounds(frame.mesh));
    if (s->look.def.coloring == VL_COLORING_SPEED) s->fastest = fmax(s->fastest, usual_speed(&frame));
    vl_frame_mesh_clear(&frame);
  }
}

/* How high the picture goes. */
static double find_top(const vlStage *s, vlBox3 solids)
{
  double bottom = s->box.lo.y, size = s->box.hi.y - bottom;
  if (vl_box_is_empty(s->look.liquid)) return s->box.hi.y;
  double top = s->look.liquid.hi.y + SPRAY * (s->look.liquid.hi.y - bottom);
  if (!vl_box_is_empty(solids)) top = fmax(top, solids.hi.y);
  return fmin(s->box.hi.y, fmax(top, bottom + 0.15 * size) + 0.04 * size);
}

static void find_boxes(vlStage *s)
{
  vlBox3 solids = s->solids.mesh && s->solids.mesh->vertex_count ? vl_trimesh_bounds(s->solids.mesh) : vl_box_empty();
  s->box = s->look.box;
  if (vl_box_is_empty(s->box)) s->box = vl_box_unite(s->look.liquid, solids);
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

vlCode vl_stage_create(vlStage *s, const vlRenderOptions *options, const vlFrameList *frames, vlStatus *status)
{
  *s = (vlStage){0};
  vlCode code = vl_look_read(&s->look, options->run, status);
  if (code == VL_OK) code = read_solids(s, options->run, status);
  if (code == VL_OK) code = dress_solids(s, status);
  if (code == VL_OK) {
    apply_options(&s->look, options);
    if (s->look.def.coloring == VL_COLORING_STRESS) s->highest = highest_stress(s);
    s->fastest = s->look.def.coloring == VL_COLORING_SPEED ? QUICK * s->look.fastest : 0.0;
    bool known = !vl_box_is_empty(s->look.box) && (s->look.def.coloring != VL_COLORING_SPEED || s->fastest > 0.0);
    if (!known) look_at_frames(s, frames);
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
  free(s->materials);
  free(s->opaque_of);
  free(s->glass_of);
  *s = (vlStage){0};
}
