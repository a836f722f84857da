/* Fitting seeded particles to their shape.
 *
 * Jittered particles tell a flat level to about 0.05 dx rms, and liquid at rest falls into these ripples as soon as it is
 * let go. So before the first step the particles within DEPTH of the surface are moved along the shape's normal n by GAIN w
 * (phi_k(x) - phi(x) - e),   w falling from 1 at the surface to 0 at DEPTH, phi_k the distance found from the particles, phi
 * the shape's and e = R^2/20 div n the part of phi_k that is due to the shape's curvature (surface_bend.c); PASSES times,
 * each from the places of the pass before. A particle stays inside the shape and off solids. Where the shape ends in a wall
 * there is no surface to fit. */
#include "liquid/seed.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"

enum { PASSES = 12 };
static const double DEPTH = 1.0;   /* cells: particles deeper than this stay */
static const double GAIN = 1.0;    /* of the error, moved in a pass */
static const double STEP = 0.0625; /* cells: the longest way in a pass */
static const double BEND = 0.1;    /* cells: limit of e, as for the surface */
static const double OFF = 0.02;    /* cells kept from solids */

static vlVec3 place(const vlGrid *g, const double x[3])
{
  return vl_add(g->origin, vl_vec(x[0] * g->dx, x[1] * g->dx, x[2] * g->dx));
}

/* The shape's distance in cells, its gradient and the divergence of the gradient, by differences over a cell. */
static double shape_at(const vlGrid *g, const vlSeed *seed, const double x[3], double slope[3], double *bend)
{
  double here = seed->liquid(seed->liquid_data, place(g, x)) / g->dx, norm = 0.0;
  *bend = 0.0;
  for (int a = 0; a < 3; a++) {
    double up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};
    slope[a] = 0.0;
    if (g->n[a] == 1) continue;
    up[a] += 0.5;
    down[a] -= 0.5;
    double upper = seed->liquid(seed->liquid_data, place(g, up)) / g->dx,
           lower = seed->liquid(seed->liquid_data, place(g, down)) / g->dx;
    slope[a] = upper - lower;
    norm += slope[a] * slope[a];
    *bend += 4.0 * (upper - 2.0 * here + lower);
  }
  for (int a = 0; a < 3; a++) slope[a] = norm > 0.0 ? slope[a] / sqrt(norm) : 0.0;
  return here;
}

static bool is_open(const vlGrid *g, const vlSeed *seed, const double x[3], double off)
{
  for (int a = 0; a < 3; a++)
    if (x[a] < 0.0 || x[a] > g->n[a] - 1e-3) return false;
  return !seed->solid || seed->solid(seed->solid_data, place(g, x)) >= off * g->dx;
}

/* Where a particle goes in a pass; its own place if it stays. */
static void fit_one(const vlParticles *p, const vlGrid *g, const vlKernel *kernel, const double *open, const vlSeed *seed,
                    size_t i, float to[3])
{
  const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
  for (int a = 0; a < 3; a++) to[a] = p->x[a][i];
  if (seed->liquid(seed->liquid_data, place(g, x)) < -DEPTH * g->dx) return;
  double n[3], bend, phi = shape_at(g, seed, x, n, &bend), above[3], moved[3];
  /* is there air beyond the surface, or a wall? */
  for (int a = 0; a < 3; a++) above[a] = x[a] + (0.5 - phi) * n[a];
  if (!is_open(g, seed, above, 0.0)) return;
  double factor = VL_KERNEL_RADIUS * VL_KERNEL_RADIUS / (kernel->axes == 2 ? 18.0 : 20.0),
         wrong = vl_kernel_distance(kernel, g, p, open, x) - phi - BEND * tanh(factor * bend / BEND),
         way = GAIN * (1.0 + phi / DEPTH) * wrong;
  way = fmax(-STEP, fmin(STEP, way));
  way = fmin(way, fmax(0.0, -phi - 0.01));
  for (int a = 0; a < 3; a++) moved[a] = x[a] + way * n[a];
  if (!is_open(g, seed, moved, OFF)) return;
  for (int a = 0; a < 3; a++) to[a] = (float)moved[a];
}

vlCode vl_seed_fit(vlParticles *p, const vlGrid *g, const vlKernel *kernel, const double *open, const vlSeed *seed,
                   vlStatus *status)
{
  vlCode code = VL_OK;
  float(*to)[3] = malloc((p->count + 1) * sizeof *to);
  if (!to) return vl_fail_memory(status, p->count * sizeof *to, "fitting the liquid's surface");
  for (int pass = 0; pass < PASSES && !code; pass++) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (size_t i = 0; i < p->count; i++) fit_one(p, g, kernel, open, seed, i, to[i]);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < p->count; i++)
      for (int a = 0; a < 3; a++) p->x[a][i] = to[i][a];
    code = vl_particles_sort(p, g, status);
  }
  free(to);
  return code;
}
