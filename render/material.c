/* Materials. Dielectric surfaces follow Fresnel's equations and Snell's law. A coated surface is a Lambertian body under a
 * clear coat: the coat reflects its Fresnel part from facets with the GGX distribution and Smith's shadowing [walter2007],
 * sampled by the facets that are seen [heitz2018]; what it does not reflect reaches the body. Matte has no coat, glossy a
 * smooth one, rubber a rough, weak one; what nothing is said of has one in between, which shows shape by its highlights. */
#include "material.h"

#include <stddef.h>

static const float COAT_INDEX = 1.5f, SMOOTH_BELOW = 0.15f;

vlMaterial vl_material(vlMaterialKind kind, vlF3 albedo)
{
  switch (kind) {
  case VL_MATERIAL_GLOSSY:
    return (vlMaterial){VL_SURFACE_COATED, albedo, 1.0f, 0.06f};
  case VL_MATERIAL_RUBBER:
    return (vlMaterial){VL_SURFACE_COATED, albedo, 0.6f, 0.45f};
  case VL_MATERIAL_AUTO:
    return (vlMaterial){VL_SURFACE_COATED, albedo, 1.0f, 0.2f};
  case VL_MATERIAL_GLASS:
    return (vlMaterial){VL_SURFACE_GLASS, albedo, 1.0f, 0.0f};
  default:
    return (vlMaterial){VL_SURFACE_COATED, albedo, 0.0f, 1.0f};
  }
}

static float linear(double x) { return (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)); }

vlF3 vl_linear_color(vlVec3 screen) { return f3(linear(screen.x), linear(screen.y), linear(screen.z)); }

static vlF3 choose(const vlVec3 *colors, int count, int index)
{
  return vl_linear_color(colors[((index % count) + count) % count]);
}

vlF3 vl_palette_color(int index)
{
  static const vlVec3 colors[] = {{{0.52, 0.55, 0.58}}, {{0.74, 0.45, 0.33}}, {{0.88, 0.74, 0.46}},
                                  {{0.36, 0.56, 0.48}}, {{0.72, 0.30, 0.34}}, {{0.55, 0.47, 0.66}}};
  return choose(colors, sizeof colors / sizeof *colors, index);
}

vlF3 vl_ramp_color(float x)
{
  static const vlVec3 colors[] = {
      {{0.08, 0.13, 0.35}}, {{0.09, 0.36, 0.62}}, {{0.13, 0.63, 0.67}}, {{0.78, 0.86, 0.52}}, {{0.98, 0.66, 0.25}}};
  enum { LAST = sizeof colors / sizeof *colors - 1 };
  float at = clamp01(x) * LAST;
  int i = at < LAST ? (int)at : LAST - 1;
  return f3_mix(vl_linear_color(colors[i]), vl_linear_color(colors[i + 1]), at - (float)i);
}

float vl_fresnel(float cosine, float eta)
{
  float c = clamp01(cosine), behind2 = 1.0f - (1.0f - c * c) / (eta * eta);
  if (behind2 <= 0.0f) return 1.0f;
  float b = sqrtf(behind2);
  float across = (c - eta * b) / (c + eta * b), along = (eta * c - b) / (eta * c + b);
  return 0.5f * (across * across + along * along);
}

vlF3 vl_reflect(vlF3 d, vlF3 n) { return f3_axpy(d, -2.0f * f3_dot(d, n), n); }

bool vl_refract(vlF3 d, vlF3 n, float eta, vlF3 *out)
{
  float c = -f3_dot(d, n), k = 1.0f / eta, behind2 = 1.0f - k * k * (1.0f - c * c);
  if (behind2 <= 0.0f) return false;
  *out = f3_unit(f3_axpy(f3_scale(d, k), k * c - sqrtf(behind2), n));
  return true;
}

/* Smith's masking by the facets on the side of v. */
static float masking(float cosine, float alpha)
{
  float c2 = cosine * cosine, a2 = alpha * alpha;
  return 2.0f * cosine / (cosine + sqrtf(a2 + (1.0f - a2) * c2));
}

static float coat_part(const vlMaterial *m, float cosine) { return m->coat * vl_fresnel(cosine, COAT_INDEX); }

vlF3 vl_coated_value(const vlMaterial *m, vlF3 n, vlF3 out, vlF3 in)
{
  float ci = f3_dot(n, in), co = f3_dot(n, out);
  if (ci <= 0.0f || co <= 0.0f) return f3_all(0.0f);
  vlF3 value = f3_scale(m->albedo, (1.0f - coat_part(m, co)) * ci / (float)VL_PI);
  if (m->coat <= 0.0f) return value;
  vlF3 h = f3_unit(f3_add(in, out));
  float ch = f3_dot(n, h), a2 = m->roughness * m->roughness, q = ch * ch * (a2 - 1.0f) + 1.0f;
  float facets = a2 / ((float)VL_PI * q * q);
  float shine = coat_part(m, f3_dot(out, h)) * facets * masking(ci, m->roughness) * masking(co, m->roughness) / (4.0f * co);
  return f3_add(value, f3_all(shine));
}

/* A facet among those that are seen from `out`, in the frame of n. */
static vlF3 sample_facet(vlF3 n, vlF3 out, float alpha, const float u[static 2])
{
  vlF3 s, t;
  f3_frame(n, &s, &t);
  vlF3 v = f3_unit(f3(alpha * f3_dot(out, s), alpha * f3_dot(out, t), f3_dot(out, n)));
  float length2 = v.x * v.x + v.y * v.y;
  vlF3 t1 = length2 > 0.0f ? f3_scale(f3(-v.y, v.x, 0.0f), 1.0f / sqrtf(length2)) : f3(1.0f, 0.0f, 0.0f);
  vlF3 t2 = f3_cross(v, t1);
  float r = sqrtf(u[0]), angle = 2.0f * (float)VL_PI * u[1], p1 = r * cosf(angle), p2 = r * sinf(angle);
  float k = 0.5f * (1.0f + v.z);
  p2 = (1.0f - k) * sqrtf(larger(0.0f, 1.0f - p1 * p1)) + k * p2;
  vlF3 h = f3_scale(v, sqrtf(larger(0.0f, 1.0f - p1 * p1 - p2 * p2)));
  h = f3_axpy(f3_axpy(h, p1, t1), p2, t2);
  h = f3_unit(f3(alpha * h.x, alpha * h.y, larger(1e-6f, h.z)));
  return f3_unit(f3_axpy(f3_axpy(f3_scale(n, h.z), h.x, s), h.y, t));
}

vlF3 vl_coated_sample(const vlMaterial *m, vlF3 n, vlF3 out, vlSampler *s, vlF3 *in, bool *smooth)
{
  float u[2], co = f3_dot(n, out), shine = coat_part(m, co), which = m->coat > 0.0f ? vl_draw(s) : 1.0f;
  vl_draw_pair(s, u);
  *smooth = false;
  if (which >= shine) {
    *in = vl_sample_cosine(n, u);
    return m->albedo;
  }
  vlF3 h = sample_facet(n, out, m->roughness, u);
  *in = vl_reflect(f3_scale(out, -1.0f), h);
  *smooth = m->roughness < SMOOTH_BELOW;
  float ci = f3_dot(n, *in);
  if (ci <= 0.0f) return f3_all(0.0f);
  return f3_all(coat_part(m, f3_dot(out, h)) / shine * masking(ci, m->roughness));
}
