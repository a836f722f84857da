/* Constrained extrapolation at solids (compare [batty2007]).
 *
 * Particles beside a wall interpolate between faces that carry flow and faces in the solid. A face whose middle lies in the
 * solid, or less than INSIDE before it, takes its velocity from the point one cell before the wall, x1 = x + (1 - d) n with
 * d the distance to the solid and n its gradient: the part along the wall as it is, the part through the wall in proportion
 * to the distance, u_f = (v - (1 - d) ((v - v_wall).n) n)_a, v = u(x1). So what particles see runs along the wall and
 * vanishes through it. All faces are computed from the velocities before, so their order does not matter. v_wall is zero but
 * for bodies that move. */
#include "liquid/advect.h"

#include "base/memory.h"
#include "base/status.h"
#include "grid/sample.h"

static const double BEFORE = 1.0;  /* cells before the wall where the velocity is taken */
static const double INSIDE = 0.25; /* cells before the wall */
static const double CLEAR = 0.5;   /* a gradient shorter than this tells no direction */

/* The constrained velocity of a face, or the one it has where no wall is near. */
static double slide(const vlGrid *g, vlObstacles obstacles, double *const u[3], const double x[3], int axis, double has)
{
  double n[3], wall[3], v[3], to[3], d = vl_obstacle_distance(g, obstacles, x, n, wall);
  double norm = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), through = 0.0;
  if (d >= INSIDE || norm < CLEAR) return has;
  d = fmax(d, -BEFORE);
  for (int a = 0; a < 3; a++) {
    n[a] /= norm;
    to[a] = x[a] + (BEFORE - d) * n[a];
  }
  vl_sample_velocity(g, u, to, v);
  for (int a = 0; a < 3; a++) through += (v[a] - wall[a]) * n[a];
  return v[axis] - through * n[axis] * (1.0 - d / BEFORE);
}

static void slide_block(const vlGrid *g, const vlBlocks *wet, int b, vlObstacles obstacles, unsigned short *const *keep,
                        double *const u[3], double *value)
{
  vlBlockPosition p = wet->at[b];
  ptrdiff_t at = vl_blocks_field(g, p);
  for (int a = 0; a < 3; a++)
    for (int l = 0; l < VL_BLOCK; l++) {
      const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      double x[3], *to = &value[a * VL_BLOCK + l];
      *to = u[a][at + l];
      if (l >= vl_blocks_width(wet, p) || g->n[a] == 1 || cell[a] == 0 || (keep && keep[a][b] >> l & 1u)) continue;
      for (int c = 0; c < 3; c++) x[c] = g->n[c] == 1 ? 0.5 : cell[c] + (a == c ? 0.0 : 0.5);
      *to = slide(g, obstacles, u, x, a, *to);
    }
}

vlCode vl_slip(const vlGrid *g, const vlBlocks *wet, vlObstacles obstacles, unsigned short *const *keep, double *const u[3],
               vlSlipWork *work, vlStatus *status)
{
  enum { FACES = 3 * VL_BLOCK };
  if (!obstacles.distance && !obstacles.body_distance) return VL_OK;
  bool room = vl_array_reserve(&work->value, &work->capacity, ((size_t)wet->count + 1) * FACES, sizeof *work->value);
  if (!room) return vl_fail_memory(status, (size_t)wet->count * FACES * sizeof *work->value, "velocities at solids");
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    if (vl_obstacles_near(&obstacles, vl_blocks_place(wet, p.bx, p.j, p.k)))
      slide_block(g, wet, b, obstacles, keep, u, work->value + (ptrdiff_t)b * FACES);
  }
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    if (!vl_obstacles_near(&obstacles, vl_blocks_place(wet, p.bx, p.j, p.k))) continue;
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int f = 0; f < FACES; f++) u[f / VL_BLOCK][at + f % VL_BLOCK] = work->value[(ptrdiff_t)b * FACES + f];
  }
  return VL_OK;
}
