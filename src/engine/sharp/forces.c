/* Forces on the liquid: u* = u + dt sum of f over the list below, on the lower faces of wet blocks. What acts on all of the
 * liquid alike acts on bodies and on particles in free flight too (vl_sharp_acceleration); what else pushes a body is its
 * own (vlBodyType.drive). Domain sides are walls at rest for the solve. */
#include "base/vec.h"
#include "engine/sharp/sharp.h"

/* m/s2; even: the same everywhere. */
typedef struct Force {
  bool even;
  vlVec3 (*acceleration)(const vlSharp *sim, vlVec3 x);
} Force;

static vlVec3 gravity(const vlSharp *sim, vlVec3 x)
{
  (void)x;
  return sim->scene->gravity;
}

static const Force forces[] = {{.even = true, .acceleration = gravity}};
enum { FORCES = sizeof forces / sizeof *forces };

vlVec3 vl_sharp_acceleration(const vlSharp *sim)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int f = 0; f < FORCES; f++)
    if (forces[f].even) sum = vl_add(sum, forces[f].acceleration(sim, vl_vec(0, 0, 0)));
  return sum;
}

/* m/s2 along an axis at a lower face, of the forces that are not even. */
static double uneven(const vlSharp *sim, const int cell[3], int a)
{
  double sum = 0.0;
  vlVec3 x = vl_grid_center(&sim->grid, cell[0], cell[1], cell[2]);
  x.v[a] -= 0.5 * sim->grid.dx;
  for (int f = 0; f < FORCES; f++)
    if (!forces[f].even) sum += forces[f].acceleration(sim, x).v[a];
  return sum;
}

double *const *vl_sharp_before(const vlSharp *sim) { return sim->state.particles ? sim->state.u_old : sim->state.u; }

vlCode vl_forces_add(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  const vlGrid *g = &sim->grid;
  const vlBlocks *wet = &sim->work.wet;
  double *const *before = vl_sharp_before(sim), dt = step->dt;
  vlVec3 even = vl_sharp_acceleration(sim);
  bool all_even = true;
  for (int f = 0; f < FORCES; f++) all_even = all_even && forces[f].even;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int a = 0; a < 3; a++)
      for (int l = 0; l < vl_blocks_width(wet, p); l++) {
        const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
        double f = all_even ? even.v[a] : even.v[a] + uneven(sim, cell, a);
        sim->work.u[a][at + l] = cell[a] == 0 ? 0.0 : before[a][at + l] + dt * f;
        if (cell[a] == g->n[a] - 1) sim->work.u[a][at + l + g->stride[a]] = 0.0;
      }
  }
  return VL_OK;
}
