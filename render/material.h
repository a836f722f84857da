/* What surfaces do to light. */
#ifndef VL_RENDER_MATERIAL_H
#define VL_RENDER_MATERIAL_H

#include "sampling.h"
#include "velella/scene.h"

typedef enum vlSurfaceKind {
  VL_SURFACE_COATED, /* opaque: a diffuse body under a clear coat, which may be absent */
  VL_SURFACE_GLASS,  /* thin and faint: light goes straight through, a little is reflected */
  VL_SURFACE_PANE,   /* the same with visible rims: the sides of the box */
  VL_SURFACE_WATER
} vlSurfaceKind;

typedef struct vlMaterial {
  vlSurfaceKind kind;
  vlF3 albedo;
  float coat;      /* strength of the coat's reflection, 0 to 1 */
  float roughness; /* of the coat: GGX alpha */
} vlMaterial;

#define VL_WATER_INDEX 1.333f

vlMaterial vl_material(vlMaterialKind kind, vlF3 albedo);
vlF3 vl_linear_color(vlVec3 screen); /* red, green, blue as on a screen (sRGB) to amounts of light */
vlF3 vl_palette_color(int index);    /* a colour for the solid with this number */
vlF3 vl_ramp_color(float x);         /* 0..1: from slow to fast */

/* Part of unpolarised light that a smooth surface reflects. `cosine` >= 0: of the angle of incidence; eta: refractive
 * index behind the surface over that before it. 1: total reflection. */
float vl_fresnel(float cosine, float eta);
vlF3 vl_reflect(vlF3 d, vlF3 n);
/* Direction d (unit) behind a surface with normal n against d; false: total reflection. */
bool vl_refract(vlF3 d, vlF3 n, float eta, vlF3 *out);

/* Reflected over incident radiance times cosine, for a coated surface seen along `out` (away from it) and lit from `in`. */
vlF3 vl_coated_value(const vlMaterial *m, vlF3 n, vlF3 out, vlF3 in);
/* A direction to go on, with the factor on the light from there. *smooth: the direction is (nearly) a mirror's. */
vlF3 vl_coated_sample(const vlMaterial *m, vlF3 n, vlF3 out, vlSampler *s, vlF3 *in, bool *smooth);

#endif
