/* Rays through the world.
 *
 * Shadow rays go straight through water and glass: a filter multiplies what each crossing lets pass and adds up the way
 * inside of water as the sum of distances at exits minus that at entries, so the order of crossings does not matter.
 * Opaque solids are cut off at the sides of the box: what lies beyond is passed over, and a ray that enters the box inside
 * of a solid meets the cut. */
#include "world_parts.h"

/* Tiles of the floor along the box's longest side; half the width of a joint in tiles, and how dark it is. */
static const float TILES = 6.0f, JOINT = 0.02f, JOINT_DARK = 0.3f;

static struct RTCRayHit start(vlRay ray, float near, float far)
{
  return (struct RTCRayHit){.ray = {.org_x = ray.origin.x,
                                    .org_y = ray.origin.y,
                                    .org_z = ray.origin.z,
                                    .tnear = near,
                                    .dir_x = ray.direction.x,
                                    .dir_y = ray.direction.y,
                                    .dir_z = ray.direction.z,
                                    .tfar = far,
                                    .mask = ~0u},
                            .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
}

/* Distance to the nearest edge of the pane that holds the point. */
static float rim_distance(const vlWorld *w, vlF3 p, vlF3 ng)
{
  float up = smaller(w->pane_hi.y - p.y, p.y - w->pane_lo.y);
  float x = smaller(w->pane_hi.x - p.x, p.x - w->pane_lo.x), z = smaller(w->pane_hi.z - p.z, p.z - w->pane_lo.z);
  return smaller(up, fabsf(ng.x) > 0.5f ? z : x);
}

static void describe(const vlWorld *w, int number, const struct RTCRayHit *found, vlRay ray, vlHit *hit)
{
  const vlPart *part = &w->parts[number];
  size_t t = found->hit.primID;
  float u = found->hit.u, v = found->hit.v, s = 1.0f - u - v;
  hit->t = found->ray.tfar;
  hit->point = f3_axpy(ray.origin, hit->t, ray.direction);
  hit->ng = f3_unit(f3(found->hit.Ng_x, found->hit.Ng_y, found->hit.Ng_z));
  const vlF3 *n = part->normals + 3 * t;
  hit->n = f3_unit(f3_axpy(f3_axpy(f3_scale(n[0], s), u, n[1]), v, n[2]));
  hit->material = part->materials[part->material_of ? part->material_of[t] : 0];
  if (part->colors) {
    const unsigned *c = part->tri + 3 * t;
    hit->material.albedo = f3_axpy(f3_axpy(f3_scale(part->colors[c[0]], s), u, part->colors[c[1]]), v, part->colors[c[2]]);
  }
  hit->rim = part->kind == VL_SURFACE_PANE ? rim_distance(w, hit->point, hit->ng) : 0.0f;
}

/* The floor is laid with tiles; their faint joints show how water bends the view. */
static float joint(const vlWorld *w, vlF3 p)
{
  float away = sqrtf(p.x * p.x + p.z * p.z) / (float)w->plan.fade, x = p.x * TILES + 0.5f, z = p.z * TILES + 0.5f;
  float edge = smaller(fabsf(x - roundf(x)), fabsf(z - roundf(z)));
  float dark = 1.0f - smooth_step(0.5f * JOINT, JOINT, edge);
  return 1.0f - JOINT_DARK * dark * (1.0f - smooth_step(0.1f, 0.4f, away));
}

static bool hit_ground(const vlWorld *w, vlRay ray, float far, vlHit *hit)
{
  if (!w->plan.ground || ray.direction.y >= 0.0f || ray.origin.y <= w->floor) return false;
  float t = (w->floor - ray.origin.y) / ray.direction.y;
  if (t >= far) return false;
  *hit = (vlHit){.t = t, .point = f3_axpy(ray.origin, t, ray.direction), .ng = {0, 1, 0}, .n = {0, 1, 0}};
  hit->material = vl_material(VL_MATERIAL_MATTE, f3_scale(w->plan.ground_albedo, joint(w, hit->point)));
  return true;
}

static bool inside_clip(const vlWorld *w, vlF3 p)
{
  return p.x >= w->clip_lo.x && p.y >= w->clip_lo.y && p.z >= w->clip_lo.z && p.x <= w->clip_hi.x && p.y <= w->clip_hi.y &&
         p.z <= w->clip_hi.z;
}

static bool is_cut_off(const vlWorld *w, int part, vlRay ray, float t)
{
  return w->clips && w->parts[part].kind == VL_SURFACE_COATED && !inside_clip(w, f3_axpy(ray.origin, t, ray.direction));
}

/* Where a ray from outside enters the box at which solids are cut off, and that side's normal; false: it does not. */
static bool enters(const vlWorld *w, vlRay ray, float *t, vlF3 *normal)
{
  const float o[3] = {ray.origin.x, ray.origin.y, ray.origin.z}, d[3] = {ray.direction.x, ray.direction.y, ray.direction.z};
  const float lo[3] = {w->clip_lo.x, w->clip_lo.y, w->clip_lo.z}, hi[3] = {w->clip_hi.x, w->clip_hi.y, w->clip_hi.z};
  float in = -INFINITY, out = INFINITY, n[3] = {0};
  int axis = 0;
  for (int a = 0; a < 3; a++) {
    float near = ((d[a] > 0.0f ? lo[a] : hi[a]) - o[a]) / d[a], far = ((d[a] > 0.0f ? hi[a] : lo[a]) - o[a]) / d[a];
    if (d[a] == 0.0f && (o[a] < lo[a] || o[a] > hi[a])) return false;
    if (d[a] == 0.0f) continue;
    if (near > in) {
      in = near;
      axis = a;
    }
    out = smaller(out, far);
  }
  n[axis] = d[axis] > 0.0f ? -1.0f : 1.0f;
  *normal = f3(n[0], n[1], n[2]);
  *t = in;
  return in > 0.0f && in < out;
}

/* The face where a solid is cut off, met by a ray from outside: it enters the box inside of the solid when the solid's own
 * surface is next met from within. */
static bool hit_cut(const vlWorld *w, vlRay ray, float far, vlHit *hit)
{
  float t;
  vlF3 normal;
  if (!enters(w, ray, &t, &normal) || t >= far) return false;
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  struct RTCRayHit found = start(ray, t, INFINITY);
  rtcIntersect1(w->solid, &context, &found);
  vlF3 ng = f3(found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z);
  if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID || f3_dot(ng, ray.direction) <= 0.0f) return false;
  describe(w, w->part_of_solid[found.hit.geomID], &found, ray, hit);
  hit->t = t;
  hit->point = f3_axpy(ray.origin, t, ray.direction);
  hit->ng = hit->n = normal;
  return true;
}

bool vl_world_hit(const vlWorld *w, vlRay ray, float far, vlHit *hit)
{
  struct RTCIntersectContext context;
  bool any = w->clips && hit_cut(w, ray, far, hit), other = true;
  float near = 0.0f;
  if (any) far = hit->t;
  while (other) {
    rtcInitIntersectContext(&context);
    struct RTCRayHit found = start(ray, near, far);
    rtcIntersect1(w->scene, &context, &found);
    other = found.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    if (other && is_cut_off(w, (int)found.hit.geomID, ray, found.ray.tfar)) {
      near = found.ray.tfar * (1.0f + 1e-6f) + 1e-7f;
      continue;
    }
    if (other) describe(w, (int)found.hit.geomID, &found, ray, hit);
    any = any || other;
    break;
  }
  return hit_ground(w, ray, any ? hit->t : far, hit) || any;
}

bool vl_world_solid_near(const vlWorld *w, vlRay ray, float far, vlHit *hit)
{
  if (hit_ground(w, ray, far, hit)) return true;
  if (!w->solid_count) return false;
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  struct RTCRayHit found = start(ray, 0.0f, far);
  rtcIntersect1(w->solid, &context, &found);
  if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
  int part = w->part_of_solid[found.hit.geomID];
  if (is_cut_off(w, part, ray, found.ray.tfar)) return false;
  describe(w, part, &found, ray, hit);
  return true;
}

/* What a shadow ray has met so far. */
typedef struct Shadow {
  struct RTCIntersectContext context; /* first: the filter gets a pointer to it */
  const vlWorld *world;
  float inside;  /* way in water */
  float through; /* part that passed */
} Shadow;

/* Called for single rays only: then ray and hit lie as in RTCRay and RTCHit. */
static void pass_clear(const struct RTCFilterFunctionNArguments *args)
{
  Shadow *shadow = (Shadow *)args->context;
  const struct RTCRay *ray = (const struct RTCRay *)args->ray;
  const struct RTCHit *hit = (const struct RTCHit *)args->hit;
  vlSurfaceKind kind = shadow->world->parts[hit->geomID].kind;
  if (args->valid[0] != -1) return;
  if (kind == VL_SURFACE_COATED) {
    vlRay own = {{ray->org_x, ray->org_y, ray->org_z}, {ray->dir_x, ray->dir_y, ray->dir_z}};
    if (is_cut_off(shadow->world, (int)hit->geomID, own, ray->tfar)) args->valid[0] = 0;
    return;
  }
  vlF3 ng = f3_unit(f3(hit->Ng_x, hit->Ng_y, hit->Ng_z)), d = f3(ray->dir_x, ray->dir_y, ray->dir_z);
  float cosine = f3_dot(d, ng), t = ray->tfar;
  if (kind == VL_SURFACE_WATER) {
    shadow->inside += cosine > 0.0f ? t : -t;
    shadow->through *= 1.0f - vl_fresnel(fabsf(cosine), VL_WATER_INDEX);
  } else {
    shadow->through *= 0.98f * (1.0f - vl_fresnel(fabsf(cosine), 1.5f));
  }
  args->valid[0] = 0;
}

vlF3 vl_world_visible(const vlWorld *w, vlRay ray)
{
  Shadow shadow = {.world = w, .through = 1.0f};
  rtcInitIntersectContext(&shadow.context);
  shadow.context.filter = pass_clear;
  struct RTCRayHit found = start(ray, 0.0f, INFINITY);
  rtcOccluded1(w->scene, &shadow.context, &found.ray);
  vlHit cut;
  if (found.ray.tfar < 0.0f || (w->clips && hit_cut(w, ray, INFINITY, &cut))) return f3_all(0.0f);
  float inside = larger(shadow.inside, 0.0f); /* less: it finds an entry without an exit, so the mesh has a hole */
  vlF3 a = w->plan.absorption;
  return f3_scale(f3(expf(-a.x * inside), expf(-a.y * inside), expf(-a.z * inside)), shadow.through);
}

bool vl_world_in_water(const vlWorld *w, vlF3 point)
{
  /* slightly off the vertical, so that no edge of a regular mesh is met */
  vlRay ray = {point, f3_unit(f3(0.0137f, 1.0f, 0.0071f))};
  vlHit hit;
  for (int i = 0; i < 64 && vl_world_hit(w, ray, INFINITY, &hit); i++) {
    if (hit.material.kind == VL_SURFACE_WATER) return f3_dot(hit.ng, ray.direction) > 0.0f;
    ray.origin = f3_axpy(hit.point, 10.0f * w->step, ray.direction);
  }
  return false;
}
