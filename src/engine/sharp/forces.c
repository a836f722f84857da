/* Forces on the liquid: u* = u + kick (sum of f) over the list below, on the lower faces of wet blocks. What acts on all of
 * the liquid alike acts on bodies and on particles in free flight too (vl_sharp_acceleration); what else pushes a body is
 * its own (vlBodyType.drive). Domain sides are walls at rest for the solve,
 * but for outlets, where u* is that of the face before them. */
#include "base/vec.h"
#include "engine/sharp/sharp.h"

/* m/s2; even: the same everywhere; acts NULL: always. */
typedef struct Force {
  bool even;
  bool (*acts)(const vlSharp *sim);
  vlVec3 (*acceleration)(const vlSharp *sim, vlVec3 x, double time);
} Force;

static vlVec3 gravity(const vlSharp *sim, vlVec3 x, double time)
{
  (void)x, (void)time;
  return vl_sim_gravity(&sim->sim);
}

static bool has_field(const vlSharp *sim) { return sim->sim.control.field != NULL; }
/* The program's own. */
static vlVec3 field(const vlSharp *sim, vlVec3 x, double time)
{
  return sim->sim.control.field(sim->sim.control.field_data, x, time);
}

static const Force forces[] = {{.even = true, .acceleration = gravity}, {.acts = has_field, .acceleration = field}};
enum { FORCES = sizeof forces / sizeof *forces };

vlVec3 vl_sharp_acceleration(const vlSharp *sim)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int f = 0; f < FORCES; f++)
    if (forces[f].even) sum = vl_add(sum, forces[f].acceleration(sim, vl_vec(0, 0, 0), sim->state.time));
  return sum;
}

static bool acts_unevenly(const vlSharp *sim, const Force *f) { return !f->even && (!f->acts || f->acts(sim)); }

bool vl_sharp_uneven(const vlSharp *sim)
{
  bool any = false;
  for (int f = 0; f < FORCES; f++) any = any || acts_unevenly(sim, &forces[f]);
  return any;
}

vlVec3 vl_sharp_uneven_at(const vlSharp *sim, vlVec3 x, double time)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int f = 0; f < FORCES; f++)
    if (acts_unevenly(sim, &forces[f])) sum = vl_add(sum, forces[f].acceleration(sim, x, time));
  return sum;
}

vlVec3 vl_sharp_pull(const vlSharp *sim, vlVec3 x)
{
  vlVec3 f = vl_sharp_acceleration(sim);
  return vl_sharp_uneven(sim) ? vl_add(f, vl_sharp_uneven_at(sim, x, sim->state.time)) : f;
}

/* m/s2 along an axis at a lower face, of the forces that are not even. */
static double uneven(const vlSharp *sim, const int cell[3], int a)
{
  vlVec3 x = vl_grid_center(&sim->grid, cell[0], cell[1], cell[2]);
  x.v[a] -= 0.5 * sim->grid.dx;
  return vl_sharp_uneven_at(sim, x, sim->state.time).v[a];
}

double *const *vl_sharp_before(const vlSharp *sim) { return sim->state.particles ? sim->state.u_old : sim->state.u; }

vlCode vl_forces_add(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  vl_outlets_find(sim);
  vl_sinks_press(sim);
  const vlGrid *g = &sim->grid;
  const vlBlocks *wet = &sim->work.wet;
  double *const *before = vl_sharp_before(sim), dt = step->kick;
  vlVec3 even = vl_sharp_acceleration(sim);
  bool all_even = !vl_sharp_uneven(sim);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int a = 0; a < 3; a++)
      for (int l = 0; l < vl_blocks_width(wet, p); l++) {
        const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
        double f = all_even ? even.v[a] : even.v[a] + uneven(sim, cell, a);
        double here = before[a][at + l] + dt * f, next = before[a][at + l + g->stride[a]] + dt * f;
        sim->work.u[a][at + l] = cell[a] > 0 ? here : sim->outlet[2 * a].open ? next : 0.0;
        if (cell[a] == g->n[a] - 1) sim->work.u[a][at + l + g->stride[a]] = sim->outlet[2 * a + 1].open ? here : 0.0;
      }
  }
  return VL_OK;
}
