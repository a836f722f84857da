/* A path tracer [kajiya1986, pharr2016].
 *
 * A path starts at the camera and is followed from surface to surface; `through` is the part of the light at its end that
 * reaches the camera. At water it is reflected or refracted by chance, with Fresnel's probabilities; inside of water it is
 * absorbed, exp(-a s) along the way s. At opaque surfaces the sun is looked at directly through water and glass (a shadow
 * ray that is not refracted, so there are no caustics and no black shadows under water), and the path goes on in a
 * direction of the surface's own reflection, which finds the sky. The sun's disc itself counts only where the path came by
 * mirrors. Water that ends just before an opaque solid wets it: there the surface between them is ignored, or total
 * reflection would silver the solid. Paths whose light is weak end by chance (Russian roulette), without bias. Inputs:
 * world, ray, random numbers. Outputs: radiance, and features for the denoiser. */
#include "trace.h"

enum { MOST_SURFACES = 48, LONG = 12, ROULETTE_FROM = 2, MOST_WALLS = 1 };

static const float RIM_WIDTH = 0.004f, RIM_OPACITY = 0.35f, WORTH_FOLLOWING = 0.1f, NOTHING_LOST = 0.85f;

typedef struct Path {
  const vlWorld *world;
  const vlTraceOptions *options;
  vlSampler *sampler;
  vlFeatures *features;
  vlRay ray;
  vlF3 light, through;
  bool in_water;
  bool mirrors; /* only mirrors and glass since the camera or the last diffuse surface's sampling of the sun */
  bool described;
  int bounces;
  int splits; /* times that it may still be followed both ways */
  int walls;  /* glass walls that have reflected it totally, from the water's side */
} Path;

static vlF3 follow(Path *p);

static void describe_normal(Path *p, vlF3 n)
{
  if (f3_dot(p->features->normal, p->features->normal) == 0.0f) p->features->normal = n;
}

static void describe_albedo(Path *p, vlF3 albedo)
{
  if (!p->described) p->features->albedo = f3_mul(p->through, albedo);
  p->described = true;
}

static void go_on(Path *p, const vlHit *hit, vlF3 direction)
{
  float side = f3_dot(direction, hit->ng) > 0.0f ? 1.0f : -1.0f;
  float step = vl_world_step(p->world);
  p->ray = (vlRay){f3_axpy(f3_axpy(hit->point, side * step, hit->ng), 0.1f * step, direction), direction};
}

static void absorb(Path *p, float way)
{
  vlF3 a = vl_world_plan(p->world)->absorption;
  p->through = f3_mul(p->through, f3(expf(-a.x * way), expf(-a.y * way), expf(-a.z * way)));
}

static void add_light(Path *p, vlF3 light) { p->light = f3_add(p->light, f3_mul(p->through, light)); }

static void meet_sky(Path *p)
{
  const vlSky *sky = &vl_world_plan(p->world)->sky;
  vlF3 light = vl_sky_radiance(sky, p->ray.direction);
  describe_albedo(p, f3(smaller(light.x, 1.0f), smaller(light.y, 1.0f), smaller(light.z, 1.0f)));
  if (p->mirrors) light = f3_add(light, vl_sky_disc(sky, p->ray.direction));
  add_light(p, light);
}

/* The smoothed normal on the ray's side, unless the ray would see it from behind. */
static vlF3 facing_normal(const vlHit *hit, vlF3 direction)
{
  float side = f3_dot(hit->ng, direction) > 0.0f ? -1.0f : 1.0f;
  vlF3 n = f3_scale(hit->n, side);
  return f3_dot(n, direction) < -1e-3f ? n : f3_scale(hit->ng, side);
}

/* Water is left right before an opaque solid, or the floor: the hit is moved there. A thin film is left with the solid
 * behind the path: what is met from within does not count, or the path would never leave the film. */
static bool wets(const Path *p, vlHit *hit)
{
  float cosine = fabsf(f3_dot(p->ray.direction, hit->ng)), gap = (float)vl_world_plan(p->world)->gap;
  float far = gap * (0.5f + 1.0f / larger(cosine, 0.2f));
  vlRay ahead = {f3_axpy(hit->point, -0.5f * gap, p->ray.direction), p->ray.direction};
  vlHit solid;
  if (!vl_world_solid_near(p->world, ahead, far, &solid)) return false;
  if (f3_dot(solid.ng, ahead.direction) > 0.0f) {
    float beyond = solid.t + vl_world_step(p->world);
    ahead.origin = f3_axpy(ahead.origin, beyond, ahead.direction);
    if (!vl_world_solid_near(p->world, ahead, far - beyond, &solid)) return false;
    if (f3_dot(solid.ng, ahead.direction) > 0.0f) return false;
  }
  float before = hit->t;
  *hit = solid;
  hit->t = before;
  return true;
}

/* Does water that is left here stand against a glass wall? */
static bool wets_glass(const Path *p, const vlHit *hit)
{
  float cosine = fabsf(f3_dot(p->ray.direction, hit->ng)), gap = (float)vl_world_plan(p->world)->gap;
  vlRay ahead = {f3_axpy(hit->point, vl_world_step(p->world), hit->ng), p->ray.direction};
  vlHit wall;
  return vl_world_hit(p->world, ahead, gap / larger(cosine, 0.2f), &wall) && wall.material.kind == VL_SURFACE_GLASS;
}

/* Where the camera looks at water or glass directly both ways are followed, which costs little and saves much noise: the
 * mirrored one here, with its part of the light (by chance when it is very small); the other one is left with the rest. */
static void split(Path *p, const vlHit *hit, vlF3 mirrored, float part, bool in_water)
{
  Path other = *p;
  float chance = smaller(1.0f, part / WORTH_FOLLOWING);
  p->through = f3_scale(p->through, 1.0f - part);
  p->splits--;
  if (vl_draw(p->sampler) >= chance) return;
  other.splits = 0;
  other.described = true;
  other.in_water = in_water;
  other.light = f3_all(0.0f);
  other.through = f3_scale(other.through, part / chance);
  go_on(&other, hit, mirrored);
  p->light = f3_add(p->light, follow(&other));
}

static void meet_water(Path *p, const vlHit *hit)
{
  vlF3 d = p->ray.direction, n = facing_normal(hit, d), inner;
  bool leaves = f3_dot(hit->ng, d) > 0.0f;
  float eta = leaves ? 1.0f / VL_WATER_INDEX : VL_WATER_INDEX, mirror = vl_fresnel(-f3_dot(d, n), eta);
  float side = leaves ? -1.0f : 1.0f;
  describe_normal(p, n);
  /* a smoothed normal may bend the path to the wrong side of the triangle */
  vlF3 mirrored = vl_reflect(d, n);
  if (side * f3_dot(mirrored, hit->ng) <= 0.0f) mirrored = vl_reflect(d, f3_scale(hit->ng, side));
  bool passes = vl_refract(d, n, eta, &inner);
  if (!passes && leaves && wets_glass(p, hit) && p->walls++ >= MOST_WALLS) {
    passes = true;
    mirror = 0.0f;
    inner = d;
  }
  if (passes && side * f3_dot(inner, hit->ng) >= 0.0f) inner = d;
  bool reflected = !passes;
  if (passes && p->splits > 0)
    split(p, hit, mirrored, mirror, leaves);
  else if (passes)
    reflected = vl_draw(p->sampler) < mirror;
  p->in_water = reflected ? leaves : !leaves;
  go_on(p, hit, reflected ? mirrored : inner);
}

static void meet_glass(Path *p, const vlHit *hit)
{
  vlF3 d = p->ray.direction, n = facing_normal(hit, d), mirrored = vl_reflect(d, n);
  float once = vl_fresnel(-f3_dot(d, n), 1.5f), mirror = hit->material.coat * 2.0f * once / (1.0f + once);
  bool wrong = f3_dot(mirrored, hit->ng) * f3_dot(d, hit->ng) >= 0.0f;
  bool reflected = p->splits <= 0 && !wrong && vl_draw(p->sampler) < mirror;
  if (p->splits > 0 && !wrong) split(p, hit, mirrored, mirror, p->in_water);
  if (!reflected) {
    vlF3 tint = f3_mix(f3_all(1.0f), hit->material.albedo, 0.06f / larger(-f3_dot(d, n), 0.12f));
    p->through = f3_mul(p->through, tint);
  }
  go_on(p, hit, reflected ? mirrored : d);
}

/* Light of the sun that an opaque surface sends back along the path. */
static void add_sun(Path *p, const vlHit *hit, vlF3 n, vlF3 out)
{
  const vlSky *sky = &vl_world_plan(p->world)->sky;
  float u[2];
  vl_draw_pair(p->sampler, u);
  if (f3_largest(sky->sun) <= 0.0f) return;
  vlF3 to_sun = vl_sample_cone(sky->sun_direction, sky->sun_cosine, u);
  vlF3 value = vl_coated_value(&hit->material, n, out, to_sun);
  if (f3_largest(value) <= 0.0f) return;
  float side = f3_dot(hit->ng, out) > 0.0f ? 1.0f : -1.0f;
  vlRay ray = {f3_axpy(hit->point, 2.0f * side * vl_world_step(p->world), hit->ng), to_sun};
  vlF3 visible = vl_world_visible(p->world, ray);
  /* paths do not count that radiance is n^2 larger in water: it falls again on the way out. But a straight ray has all of
   * the sun's light, where refracted ones would find 1 / n^2 of it */
  if (p->in_water) visible = f3_scale(visible, 1.0f / (VL_WATER_INDEX * VL_WATER_INDEX));
  add_light(p, f3_mul(f3_mul(value, sky->sun), visible));
}

/* The floor melts into the horizon far away, so that it has no edge. */
static void fade_floor(Path *p, const vlHit *hit)
{
  const vlWorldPlan *plan = vl_world_plan(p->world);
  float away = sqrtf(hit->point.x * hit->point.x + hit->point.z * hit->point.z), fade = (float)plan->fade;
  float part = hit->ng.y == 1.0f && away > 0.3f * fade ? smooth_step(0.3f * fade, fade, away) : 0.0f;
  if (part <= 0.0f) return;
  vlF3 level = f3_unit(f3(p->ray.direction.x, 0.0f, p->ray.direction.z));
  add_light(p, f3_scale(vl_sky_radiance(&plan->sky, level), part));
  p->through = f3_scale(p->through, 1.0f - part);
}

/* False: the path ends. */
static bool meet_opaque(Path *p, const vlHit *hit)
{
  vlF3 out = f3_scale(p->ray.direction, -1.0f), n = facing_normal(hit, p->ray.direction), in;
  bool smooth;
  describe_normal(p, n);
  describe_albedo(p, hit->material.albedo);
  if (p->bounces == 0) fade_floor(p, hit);
  add_sun(p, hit, n, out);
  vlF3 weight = vl_coated_sample(&hit->material, n, out, p->sampler, &in, &smooth);
  if (!smooth && p->bounces++ >= p->options->bounces) return false;
  float side = f3_dot(hit->ng, out) > 0.0f ? 1.0f : -1.0f;
  if (side * f3_dot(in, hit->ng) <= 0.0f) in = vl_reflect(in, f3_scale(hit->ng, side));
  p->through = f3_mul(p->through, weight);
  p->splits = 0;
  p->mirrors = false; /* the sun was sampled here, for the coat too */
  go_on(p, hit, in);
  return f3_largest(p->through) > 0.0f;
}

static bool meet_pane(Path *p, vlHit *hit)
{
  if (hit->rim < RIM_WIDTH && vl_draw(p->sampler) < RIM_OPACITY) {
    hit->material = vl_material(VL_MATERIAL_MATTE, hit->material.albedo);
    return meet_opaque(p, hit);
  }
  meet_glass(p, hit);
  return true;
}

/* Paths that have lost next to nothing go on for sure, or each clear pane would add noise; very long ones do not. */
static bool survives(Path *p, int surface)
{
  float chance = smaller(f3_largest(p->through) / NOTHING_LOST, surface < LONG ? 1.0f : 0.9f);
  if (chance == 1.0f) return true;
  if (vl_draw(p->sampler) >= chance) return false;
  p->through = f3_scale(p->through, 1.0f / chance);
  return true;
}

static bool meet(Path *p, vlHit *hit)
{
  bool water = hit->material.kind == VL_SURFACE_WATER, leaves = water && f3_dot(hit->ng, p->ray.direction) > 0.0f;
  if (water ? leaves : p->in_water) absorb(p, hit->t);
  if (leaves) {
    p->in_water = true;
    if (wets(p, hit)) return meet_opaque(p, hit);
  }
  switch (hit->material.kind) {
  case VL_SURFACE_WATER:
    meet_water(p, hit);
    return true;
  case VL_SURFACE_GLASS:
    meet_glass(p, hit);
    return true;
  case VL_SURFACE_PANE:
    return meet_pane(p, hit);
  default:
    return meet_opaque(p, hit);
  }
}

/* To the path's end; returns its light. */
static vlF3 follow(Path *p)
{
  for (int surface = 0; surface < MOST_SURFACES; surface++) {
    vlHit hit;
    if (!vl_world_hit(p->world, p->ray, INFINITY, &hit)) {
      meet_sky(p);
      break;
    }
    if (!meet(p, &hit) || (surface >= ROULETTE_FROM && !survives(p, surface))) break;
  }
  return p->light;
}

vlF3 vl_trace(const vlWorld *world, vlRay ray, bool in_water, const vlTraceOptions *options, vlSampler *sampler,
              vlFeatures *features)
{
  *features = (vlFeatures){0};
  Path p = {.world = world,
            .options = options,
            .sampler = sampler,
            .features = features,
            .ray = ray,
            .through = f3_all(1.0f),
            .in_water = in_water,
            .mirrors = true,
            .splits = options->splits};
  vlF3 light = follow(&p);
  float bright = f3_luminance(light);
  return bright > options->brightest ? f3_scale(light, options->brightest / bright) : light;
}
