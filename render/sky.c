/* Skies by a few colours: a gradient from the horizon to the zenith, a wide glow around the sun, and the sun, a disc a few
 * degrees wide: larger than the real one, for shadows as soft as those of a large lamp. The gradient is smooth, so
 * directions sampled by a surface's own reflection find it with little noise; the sun is sampled by itself. */
#include "sky.h"

typedef struct Preset {
  vlF3 horizon, zenith, below, glow, sun;
  float sun_radius; /* degrees */
} Preset;

static const Preset presets[VL_SKY_KIND_COUNT] = {
    [VL_SKY_STUDIO] =
        {{0.44f, 0.50f, 0.57f}, {0.22f, 0.31f, 0.45f}, {0.3f, 0.3f, 0.3f}, {2.6f, 2.4f, 2.1f}, {4.5f, 4.15f, 3.6f}, 3.0f},
    [VL_SKY_DAY] =
        {{0.90f, 0.97f, 1.05f}, {0.20f, 0.40f, 0.80f}, {0.4f, 0.4f, 0.4f}, {0.8f, 0.75f, 0.65f}, {3.0f, 2.85f, 2.6f}, 1.5f},
    [VL_SKY_EVENING] =
        {{0.95f, 0.60f, 0.40f}, {0.18f, 0.24f, 0.42f}, {0.3f, 0.25f, 0.25f}, {3.2f, 1.8f, 0.8f}, {6.0f, 3.6f, 1.9f}, 2.5f},
};

vlSky vl_sky(vlSkyKind kind, vlVec3 sun)
{
  const Preset *p = &presets[kind];
  return (vlSky){.horizon = p->horizon,
                 .zenith = p->zenith,
                 .below = p->below,
                 .glow = p->glow,
                 .sun_direction = f3_unit(f3_from(vl_unit(sun))),
                 .sun = p->sun,
                 .sun_cosine = cosf(p->sun_radius * (float)VL_PI / 180.0f)};
}

vlSky vl_sky_uniform(float radiance)
{
  return (vlSky){.horizon = f3_all(radiance),
                 .zenith = f3_all(radiance),
                 .below = f3_all(radiance),
                 .sun_direction = f3(0.0f, 1.0f, 0.0f),
                 .sun_cosine = 1.0f};
}

vlF3 vl_sky_radiance(const vlSky *sky, vlF3 d)
{
  float up = clamp01(d.y), down = clamp01(-d.y);
  vlF3 light = f3_mix(sky->horizon, sky->zenith, 1.0f - (1.0f - up) * (1.0f - up));
  light = f3_mix(light, sky->below, smooth_step(0.0f, 0.35f, down));
  float near = clamp01(f3_dot(d, sky->sun_direction));
  float near4 = near * near * near * near;
  return f3_axpy(light, near4 * near4 * near4, sky->glow);
}

vlF3 vl_sky_disc(const vlSky *sky, vlF3 d)
{
  float solid_angle = 2.0f * (float)VL_PI * (1.0f - sky->sun_cosine);
  if (solid_angle <= 0.0f || f3_dot(d, sky->sun_direction) < sky->sun_cosine) return f3_all(0.0f);
  return f3_scale(sky->sun, 1.0f / solid_angle);
}
