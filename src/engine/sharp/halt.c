/* Liquid and bodies made to stand still where they are: no particle and no face has a velocity any more. */
#include <string.h>

#include "engine/sharp/sharp.h"

static void halt_particles(vlParticles *p)
{
  if (p->count == 0) return;
  for (int a = 0; a < 3; a++) {
    memset(p->v[a], 0, p->count * sizeof *p->v[a]);
    for (int b = 0; b < 3 && p->affine; b++) memset(p->c[a][b], 0, p->count * sizeof *p->c[a][b]);
  }
}

void vl_sharp_halt(vlSim *base)
{
  vlSharp *sim = vl_sharp(base);
  const vlBlocks *wet = &sim->work.wet;
  if (sim->state.particles) halt_particles(sim->state.particles);
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3; a++)
      for (int upper = 0; upper < 2; upper++) {
        ptrdiff_t at = vl_blocks_field(&sim->grid, wet->at[b]) + upper * sim->grid.stride[a];
        memset(sim->state.u[a] + at, 0, VL_BLOCK * sizeof(double));
        memset(sim->state.u_old[a] + at, 0, VL_BLOCK * sizeof(double));
      }
  vl_bodies_halt(&sim->state.bodies);
  sim->state.max_speed = 0.0;
  sim->state.last_dt = 0.0; /* these velocities are of now, not of the middle of a step */
}
