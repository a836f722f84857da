/* The world in Embree: one geometry for each part, its triangles' shading normals, the floor as a plane of its own.
 *
 * A corner's normal is the mean of the triangles around its vertex, by their areas, that bend less than the crease angle
 * away from its own triangle: smooth surfaces look smooth, edges of boxes and the line where water meets a wall stay sharp.
 * Embree builds its trees with one thread: then they, and all pictures, are the same for any number of threads. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "world_normals.h"
#include "world_parts.h"

static const float CLIP_MARGIN = 0.0015f; /* beside the box, whose panes stand at 0.003 */

static vlCode fail_embree(RTCDevice device, vlStatus *status)
{
  enum RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_OUT_OF_MEMORY) return vl_fail(status, VL_ERROR_MEMORY, "not enough memory for the ray tracer");
  return vl_fail(status, VL_ERROR_INTERNAL, "Embree failed with error %d", (int)error);
}

static enum RTCBuildQuality build_quality(const vlWorld *w)
{
  return w->plan.quick ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM;
}

vlCode vl_world_create(vlWorld **world, const vlWorldPlan *plan, vlStatus *status)
{
  vlWorld *w = *world = calloc(1, sizeof *w);
  if (!w) return vl_fail_memory(status, sizeof *w, "the world");
  vlVec3 size = vl_sub(plan->box.hi, plan->box.lo);
  w->plan = *plan;
  w->middle = vl_scale(vl_add(plan->box.lo, plan->box.hi), 0.5);
  w->scale = 1.0 / fmax(size.x, fmax(size.y, size.z));
  w->plan.absorption = f3_scale(plan->absorption, (float)(1.0 / w->scale));
  w->plan.gap = plan->gap * w->scale;
  w->floor = (float)((plan->floor - w->middle.y) * w->scale);
  w->clip_lo = f3_sub(vl_world_place(w, plan->box.lo), f3_all(CLIP_MARGIN));
  w->clip_hi = f3_add(vl_world_place(w, plan->box.hi), f3_all(CLIP_MARGIN));
  w->step = 1e-5f;
  w->device = rtcNewDevice("threads=1");
  w->scene = w->device ? rtcNewScene(w->device) : NULL;
  w->solid = w->device ? rtcNewScene(w->device) : NULL;
  if (!w->scene || !w->solid) {
    vlCode code = fail_embree(w->device, status);
    vl_world_destroy(world);
    return code;
  }
  rtcSetSceneFlags(w->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
  rtcSetSceneFlags(w->solid, RTC_SCENE_FLAG_ROBUST);
  rtcSetSceneBuildQuality(w->scene, build_quality(w));
  rtcSetSceneBuildQuality(w->solid, build_quality(w));
  return VL_OK;
}

void vl_world_destroy(vlWorld **world)
{
  if (!world || !*world) return;
  vlWorld *w = *world;
  for (int i = 0; i < w->part_count; i++) {
    free(w->parts[i].normals);
    free(w->parts[i].materials);
    free(w->parts[i].material_of);
    free(w->parts[i].colors);
  }
  if (w->solid) rtcReleaseScene(w->solid);
  if (w->scene) rtcReleaseScene(w->scene);
  if (w->device) rtcReleaseDevice(w->device);
  free(w);
  *world = NULL;
}

vlF3 vl_world_place(const vlWorld *w, vlVec3 x) { return f3_from(vl_scale(vl_sub(x, w->middle), w->scale)); }
const vlWorldPlan *vl_world_plan(const vlWorld *world) { return &world->plan; }
float vl_world_step(const vlWorld *world) { return world->step; }

static void *copy(const void *data, size_t bytes)
{
  void *memory = malloc(bytes);
  if (memory) memcpy(memory, data, bytes);
  return memory;
}

static bool on_floor(const vlPart *part, const float tolerance, float floor, const int tri[3])
{
  for (int c = 0; c < 3; c++)
    if (part->x[3 * (size_t)tri[c] + 1] > floor + tolerance) return false;
  return true;
}

/* Triangles into Embree's memory; returns how many are kept, and where each came from. */
static size_t fill_triangles(const vlWorld *w, vlPart *part, const vlWorldPart *in, int *from)
{
  size_t kept = 0;
  for (int t = 0; t < in->mesh->triangle_count; t++) {
    const int *tri = in->mesh->tri[t];
    if (in->material_of && in->material_of[t] < 0) continue;
    if (in->drop_floor && on_floor(part, 0.1f * (float)w->plan.gap + 1e-6f, w->floor, tri)) continue;
    for (int c = 0; c < 3; c++) part->tri[3 * kept + (size_t)c] = (unsigned)tri[c];
    from[kept++] = t;
  }
  return kept;
}

static bool keep_arrays(vlPart *part, const vlWorldPart *in, const int *from, size_t kept)
{
  const vlTriMesh *mesh = in->mesh;
  part->materials = copy(in->materials, (size_t)in->material_count * sizeof *part->materials);
  part->normals = malloc((3 * kept + 1) * sizeof *part->normals);
  if (in->colors) part->colors = copy(in->colors, (size_t)mesh->vertex_count * sizeof *part->colors);
  if (in->material_of) part->material_of = malloc((kept + 1) * sizeof *part->material_of);
  if (!part->materials || !part->normals || (in->colors && !part->colors) || (in->material_of && !part->material_of))
    return false;
  for (size_t t = 0; t < kept && in->material_of; t++) part->material_of[t] = in->material_of[from[t]];
  return vl_corner_normals(part->x, (size_t)mesh->vertex_count, part->tri, kept, in->crease, part->normals);
}

/* That of the first triangle which is not left out. */
static vlSurfaceKind kind_of(const vlWorldPart *in)
{
  for (int t = 0; in->material_of && t < in->mesh->triangle_count; t++)
    if (in->material_of[t] >= 0) return in->materials[in->material_of[t]].kind;
  return in->materials[0].kind;
}

static bool goes_beyond(const vlWorld *w, const vlPart *part, size_t kept)
{
  for (size_t i = 0; i < 3 * kept; i++) {
    const float *x = part->x + 3 * (size_t)part->tri[i];
    if (x[0] < w->clip_lo.x || x[1] < w->clip_lo.y || x[2] < w->clip_lo.z) return true;
    if (x[0] > w->clip_hi.x || x[1] > w->clip_hi.y || x[2] > w->clip_hi.z) return true;
  }
  return false;
}

static bool attach(vlWorld *w, RTCGeometry geometry, vlPart *part)
{
  rtcSetGeometryBuildQuality(geometry, build_quality(w));
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(w->scene, geometry, (unsigned)w->part_count);
  if (part->kind == VL_SURFACE_COATED) {
    rtcAttachGeometryByID(w->solid, geometry, (unsigned)w->solid_count);
    w->part_of_solid[w->solid_count++] = w->part_count;
  }
  w->part_count++;
  return rtcGetDeviceError(w->device) == RTC_ERROR_NONE;
}

vlCode vl_world_add(vlWorld *w, const vlWorldPart *in, vlStatus *status)
{
  const vlTriMesh *mesh = in->mesh;
  if (!mesh || !mesh->triangle_count) return VL_OK;
  if (w->part_count == VL_MOST_PARTS)
    return vl_fail(status, VL_ERROR_INTERNAL, "more than %d parts in a picture", VL_MOST_PARTS);
  size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
  vlPart *part = &w->parts[w->part_count];
  *part = (vlPart){.kind = kind_of(in)};
  int *from = malloc(triangles * sizeof *from);
  unsigned *kept_tri = malloc(3 * triangles * sizeof *kept_tri);
  RTCGeometry geometry = rtcNewGeometry(w->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  part->x = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), vertices);
  vlCode code = VL_OK;
  if (!from || !kept_tri || !geometry || !part->x) {
    code = vl_fail_memory(status, triangles * 12, "the ray tracer's triangles");
  } else {
    for (size_t i = 0; i < vertices; i++) {
      vlF3 x = vl_world_place(w, mesh->x[i]);
      memcpy(part->x + 3 * i, &x, sizeof x);
    }
    part->tri = kept_tri;
    size_t kept = fill_triangles(w, part, in, from);
    part->tri = kept ? rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, kept) : NULL;
    if (part->tri) memcpy(part->tri, kept_tri, kept * 12);
    if (kept && (!part->tri || !keep_arrays(part, in, from, kept)))
      code = vl_fail_memory(status, kept * 36, "the ray tracer's triangles");
    else if (kept && !attach(w, geometry, part))
      code = fail_embree(w->device, status);
    if (code == VL_OK && kept && part->kind == VL_SURFACE_COATED) w->clips = w->clips || goes_beyond(w, part, kept);
  }
  if (code != VL_OK && part == &w->parts[w->part_count]) {
    free(part->normals);
    free(part->materials);
    free(part->material_of);
    free(part->colors);
  }
  if (geometry) rtcReleaseGeometry(geometry);
  free(from);
  free(kept_tri);
  return code;
}

vlCode vl_world_add_panes(vlWorld *w, vlBox3 box, vlStatus *status)
{
  /* corners 0..3 around the lower edge, 4..7 around the upper one */
  vlVec3 x[8];
  int tri[8][3];
  for (int i = 0; i < 8; i++) {
    int k = i & 3;
    x[i] = vl_vec(k == 1 || k == 2 ? box.hi.x : box.lo.x, i < 4 ? box.lo.y : box.hi.y, k >= 2 ? box.hi.z : box.lo.z);
  }
  for (int k = 0; k < 4; k++) {
    int a = k, b = (k + 1) & 3, first[3] = {a, b, b + 4}, second[3] = {a, b + 4, a + 4};
    memcpy(tri[2 * k], first, sizeof first);
    memcpy(tri[2 * k + 1], second, sizeof second);
  }
  w->pane_lo = vl_world_place(w, box.lo);
  w->pane_hi = vl_world_place(w, box.hi);
  vlTriMesh mesh = {.x = x, .tri = tri, .vertex_count = 8, .triangle_count = 8};
  vlMaterial pane = {VL_SURFACE_PANE, f3(0.80f, 0.90f, 0.90f), 0.35f, 0.0f};
  return vl_world_add(w, &(vlWorldPart){.mesh = &mesh, .materials = &pane, .material_count = 1, .crease = 1.0f}, status);
}

vlCode vl_world_commit(vlWorld *w, vlStatus *status)
{
  rtcCommitScene(w->scene);
  rtcCommitScene(w->solid);
  return rtcGetDeviceError(w->device) == RTC_ERROR_NONE ? VL_OK : fail_embree(w->device, status);
}
