/* Seeding: a jittered sub-cell lattice. Jitter comes from a hash of cell and sub-cell, so it is the same for any number of
 * threads and any order.
 *
 * For a source the lattice moves with the liquid, x = X + shift, and only points that came into the shape in this step get a
 * particle: those that lay outside of it, or of the grid, one step's way before. So the flow through the shape's upstream
 * side is the source's velocity times the area, whatever the time step. */
#include "liquid/seed.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/status.h"
#include "base/vec.h"

static const double OFF_SOLIDS = 0.02; /* cells kept from them */

static double distance_at(const vlGrid *g, const vlSeed *seed, const double x[3])
{
  return seed->liquid(seed->liquid_data, vl_grid_place(g, x));
}

static bool in_grid(const vlGrid *g, const double x[3])
{
  for (int a = 0; a < 3; a++)
    if (x[a] < 0.0 || x[a] >= g->n[a]) return false;
  return true;
}

static bool wanted(const vlParticles *p, const vlGrid *g, const vlSeed *seed, int full, const double x[3])
{
  if (!in_grid(g, x) || distance_at(g, seed, x) >= 0.0) return false;
  if (seed->sparing && 2 * vl_particles_in_cell(p, (const int[3]){(int)x[0], (int)x[1], (int)x[2]}) >= full) return false;
  if (seed->only_new) {
    const double before[3] = {x[0] - seed->way[0], x[1] - seed->way[1], x[2] - seed->way[2]};
    const int cell[3] = {(int)x[0], (int)x[1], (int)x[2]};
    if ((in_grid(g, before) && distance_at(g, seed, before) < 0.0) || 2 * vl_particles_in_cell(p, cell) >= 3 * full)
      return false;
  }
  return !seed->solid || seed->solid(seed->solid_data, vl_grid_place(g, x)) >= OFF_SOLIDS * g->dx;
}

/* Appends the particles of one cell of the lattice. */
/* Powers of 1/1.2207: their multiples, less what is whole, fill the unit interval as evenly as any along all axes. */
static const double EVEN[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};

/* A point of the lattice, cells, anywhere in its sub-cell; in its middle where the seed is even and the sub-cell lies
 * inside. */
static void place_point(const vlGrid *g, const vlSeed *seed, const int64_t cell[3], int s, double x[3])
{
  int m = seed->per_axis;
  const int sub[3] = {s % m, s / m % m, s / (m * m)};
  uint64_t place = ((uint64_t)cell[2] * 8191u + (uint64_t)cell[1]) * 8191u + (uint64_t)cell[0];
  for (int a = 0; a < 3; a++) x[a] = g->n[a] == 1 ? 0.5 : (double)cell[a] + (sub[a] + 0.5) / m + seed->shift[a];
  if (seed->even && distance_at(g, seed, x) < -0.499 * g->dx / m) return;
  for (int a = 0; a < 3; a++) {
    double even = 0.5 + 0.25 * a;
    for (int d = 0; d < 3; d++) even += EVEN[(a + d) % 3] * (double)(cell[d] * m + sub[d]);
    double jitter = seed->even
                        ? even - floor(even)
                        : vl_random(((place * 64u + (uint64_t)s) * 3u + (uint64_t)a) ^ seed->salt * 0x9e3779b97f4a7c15u);
    x[a] = g->n[a] == 1 ? 0.5 : (double)cell[a] + (sub[a] + jitter) / m + seed->shift[a];
  }
}

static vlCode seed_cell(vlParticles *p, const vlGrid *g, const vlSeed *seed, const int64_t cell[3], const float v[3],
                        vlStatus *status)
{
  int m = seed->per_axis, full = m * m * (g->n[2] == 1 ? 1 : m);
  vlCode code = vl_particles_reserve(p, p->count + (size_t)full, status);
  if (code) return code;
  for (int s = 0; s < full; s++) {
    double x[3];
    place_point(g, seed, cell, s, x);
    if (!wanted(p, g, seed, full, x)) continue;
    float at[3];
    for (int a = 0; a < 3; a++) at[a] = (float)fmin(x[a], g->n[a] - 1e-3); /* rounding must not leave the grid */
    vl_particles_add(p, at, v);
  }
  return VL_OK;
}

vlCode vl_seed(vlParticles *p, const vlGrid *g, const vlSeed *seed, size_t *added, vlStatus *status)
{
  int64_t lo[3], hi[3];
  size_t before = p->count;
  for (int a = 0; a < 3; a++) {
    double from = fmax((seed->bounds.lo.v[a] - g->origin.v[a]) / g->dx, 0.0),
           to = fmin((seed->bounds.hi.v[a] - g->origin.v[a]) / g->dx, g->n[a]);
    lo[a] = g->n[a] == 1 ? 0 : (int64_t)floor(from - seed->shift[a]);
    hi[a] = g->n[a] == 1 ? 1 : (int64_t)floor(to - seed->shift[a]) + 1;
  }
  const float v[3] = {(float)seed->velocity.x, (float)seed->velocity.y, g->n[2] > 1 ? (float)seed->velocity.z : 0.0f};
  double reach = 0.5 * sqrt(3.0) * g->dx;
  for (int64_t k = lo[2]; k < hi[2]; k++)
    for (int64_t j = lo[1]; j < hi[1]; j++)
      for (int64_t i = lo[0]; i < hi[0]; i++) {
        const double middle[3] = {(double)i + 0.5 + seed->shift[0], (double)j + 0.5 + seed->shift[1],
                                  (double)k + 0.5 + seed->shift[2]};
        const int64_t cell[3] = {i, j, k};
        if (distance_at(g, seed, middle) > reach) continue;
        vlCode code = seed_cell(p, g, seed, cell, v, status);
        if (code) return code;
      }
  *added = p->count - before;
  return VL_OK;
}

vlCode vl_seed_more(vlParticles *p, const vlGrid *g, const vlSeed *seed, size_t count, uint64_t key, size_t *added,
                    vlStatus *status)
{
  enum { TRIES = 1000 }; /* for each of them */
  int m = seed->per_axis, full = m * m * (g->n[2] == 1 ? 1 : m);
  const float v[3] = {(float)seed->velocity.x, (float)seed->velocity.y, g->n[2] > 1 ? (float)seed->velocity.z : 0.0f};
  vlCode code = vl_particles_reserve(p, p->count + count, status);
  if (code) return code;
  for (uint64_t t = 0; *added < count && t < TRIES * (uint64_t)count; t++) {
    double x[3];
    float at[3];
    for (int a = 0; a < 3; a++) {
      double part = vl_random((key * 0x2545f4914f6cdd1du + t) * 3u + (uint64_t)a), lo = seed->bounds.lo.v[a],
             place = lo + part * (seed->bounds.hi.v[a] - lo);
      x[a] = g->n[a] == 1 ? 0.5 : (place - g->origin.v[a]) / g->dx;
      at[a] = (float)fmin(x[a], g->n[a] - 1e-3);
    }
    if (!wanted(p, g, seed, full, x)) continue;
    vl_particles_add(p, at, v);
    ++*added;
  }
  return VL_OK;
}

/* The vortex of the stream function sin2 sin2 over a rectangle [batty2007, fig. 2], in coordinates X, Y from its corner,
 * with edges a and b and m the shorter of them:
 *
 *     psi = speed (m/pi) sin2(pi X/a) sin2(pi Y/b)        u = d psi/dY,  v = -d psi/dX
 *
 * It is free of divergence, stands still on the rectangle's edges, and nothing moves faster than `speed`. */
vlVec3 vl_swirl_velocity(const vlLiquidDef *liquid, vlVec3 x)
{
  vlVec3 r = vl_mat_apply(vl_mat_transpose(liquid->swirl_rotation), vl_sub(x, liquid->swirl_center));
  double a = liquid->swirl_size.x, b = liquid->swirl_size.y, m = fmin(a, b);
  if (!(liquid->swirl_speed != 0.0) || fabs(r.x) >= 0.5 * a || fabs(r.y) >= 0.5 * b) return vl_vec(0, 0, 0);
  double X = VL_PI * (r.x / a + 0.5), Y = VL_PI * (r.y / b + 0.5), u = m / b * sin(X) * sin(X) * sin(2.0 * Y),
         v = -m / a * sin(2.0 * X) * sin(Y) * sin(Y);
  return vl_mat_apply(liquid->swirl_rotation, vl_scale(vl_vec(u, v, 0.0), liquid->swirl_speed));
}

void vl_swirl_add(vlParticles *p, const vlGrid *g, const vlLiquidDef *liquid)
{
  const double step = 1e-3; /* cells: for differences */
  if (liquid->swirl_speed == 0.0) return;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < p->count; i++) {
    vlVec3 x = vl_axpy(g->origin, g->dx, vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]));
    vlVec3 v = vl_swirl_velocity(liquid, x);
    for (int a = 0; a < 3; a++)
      if (g->n[a] > 1) p->v[a][i] += (float)v.v[a];
    for (int b = 0; b < 3 && p->affine; b++) {
      vlVec3 before = x, after = x;
      if (g->n[b] == 1) continue;
      before.v[b] -= step * g->dx;
      after.v[b] += step * g->dx;
      vlVec3 change = vl_sub(vl_swirl_velocity(liquid, after), vl_swirl_velocity(liquid, before));
      for (int a = 0; a < 3; a++)
        if (g->n[a] > 1) p->c[a][b][i] += (float)(change.v[a] / (2.0 * step * g->dx));
    }
  }
}

/* Fitting seeded particles to their shape.
 *
 * Jittered particles tell a flat level to about 0.05 dx rms, and liquid at rest falls into these ripples as soon as it is
 * let go. So before the first step the particles within DEPTH of the surface are moved along the shape's normal n by GAIN w
 * (phi_k(x) - phi(x) - e),   w falling from 1 at the surface to 0 at DEPTH, phi_k the distance found from the particles, phi
 * the shape's and e = R^2/20 div n the part of phi_k that is due to the shape's curvature (surface_bend.c); PASSES times,
 * each from the places of the pass before. A particle stays inside the shape and off solids. Where the shape ends in a wall
 * there is no surface to fit. */

enum { PASSES = 12 };
static const double DEPTH = 1.0;   /* cells: particles deeper than this stay */
static const double GAIN = 1.0;    /* of the error, moved in a pass */
static const double STEP = 0.0625; /* cells: the longest way in a pass */
static const double BEND = 0.1;    /* cells: limit of e, as for the surface */

/* The shape's distance in cells, its gradient and the divergence of the gradient, by differences over a cell. */
static double shape_at(const vlGrid *g, const vlSeed *seed, const double x[3], double slope[3], double *bend)
{
  double here = distance_at(g, seed, x) / g->dx, norm = 0.0;
  *bend = 0.0;
  for (int a = 0; a < 3; a++) {
    double up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};
    slope[a] = 0.0;
    if (g->n[a] == 1) continue;
    up[a] += 0.5;
    down[a] -= 0.5;
    double upper = distance_at(g, seed, up) / g->dx, lower = distance_at(g, seed, down) / g->dx;
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
  return !seed->solid || seed->solid(seed->solid_data, vl_grid_place(g, x)) >= off * g->dx;
}

/* Where a particle goes in a pass; its own place if it stays. */
static void fit_one(const vlParticles *p, const vlGrid *g, const vlKernel *kernel, const double *open, const vlSeed *seed,
                    size_t i, float to[3])
{
  const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
  for (int a = 0; a < 3; a++) to[a] = p->x[a][i];
  if (distance_at(g, seed, x) < -DEPTH * g->dx) return;
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
  if (!is_open(g, seed, moved, OFF_SOLIDS)) return;
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
