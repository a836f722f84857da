/* Liquid that a program adds or takes away between two steps.
 *
 * Added is what the shape has of air: particles where the level set is above 0 and no solid is, on the lattice that the
 * scene's liquid was seeded on. Everything on the grid then follows from the particles as it does at the end of a step, so
 * that a resumed simulation, which has the particles alone, goes on with the same bits. Faces that had no liquid beside them
 * get the new liquid's velocity. A fine surface (liquid.surface: subgrid) is state beside the particles: it gains and loses
 * the shape. */
#include <math.h>

#include "engine/sharp/body_step.h"
#include "engine/sharp/subgrid.h"
#include "grid/sample.h"

typedef struct Filling {
  const vlSharp *sim;
  const vlSdf *shape;
} Filling;

static bool is_wet(const vlSharp *sim, const double x[3])
{
  int cell[3];
  for (int a = 0; a < 3; a++) {
    cell[a] = (int)floor(x[a]);
    if (cell[a] < 0 || cell[a] >= sim->grid.n[a]) return false;
  }
  return vl_blocks_find(&sim->work.wet, cell[0] / VL_BLOCK, cell[1], cell[2]) >= 0;
}

static double shape_distance(const void *shape, vlVec3 x) { return vl_sdf_distance(shape, x); }

/* m: to what of the shape is not liquid yet. */
static double air_distance(const void *data, vlVec3 at)
{
  const Filling *f = data;
  const vlGrid *g = &f->sim->grid;
  double d = vl_sdf_distance(f->shape, at), x[3];
  for (int a = 0; a < 3; a++) x[a] = (at.v[a] - g->origin.v[a]) / g->dx;
  if (d < 0.0 && f->sim->state.fine) return fmax(d, -vl_fine_at(f->sim->state.fine, x, NULL));
  if (d >= 0.0 || !is_wet(f->sim, x)) return d;
  vlStencil8 s = vl_sample_at(g, VL_CELLS, x);
  return fmax(d, -vl_sample_value(&s, f->sim->work.level.phi));
}

/* Whether the cells on both sides of a lower face had no liquid; where blocks became wet just now the level set is 0. */
static bool was_air(const vlSharp *sim, ptrdiff_t at, int axis)
{
  const double *phi = sim->work.level.phi;
  return !(phi[at] < 0.0) && !(phi[at - sim->grid.stride[axis]] < 0.0);
}

/* Particles tell the grid their velocities themselves; for those who read the field, and where velocities are traced on the
 * grid. */
static void give_velocity(vlSharp *sim, const vlSdf *shape, vlVec3 velocity)
{
  const vlGrid *g = &sim->grid;
  const vlBlocks *wet = &sim->work.wet;
  bool traced = sim->scene->liquid.transfer == VL_TRANSFER_SEMI_LAGRANGIAN;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int a = 0; a < 3; a++)
      for (int l = 0; l < vl_blocks_width(wet, p) && g->n[a] > 1; l++) {
        int place = a == 0 ? p.bx * VL_BLOCK + l : a == 1 ? p.j : p.k;
        vlVec3 x = vl_grid_center(g, p.bx * VL_BLOCK + l, p.j, p.k);
        x.v[a] -= 0.5 * g->dx;
        if (place == 0 || !was_air(sim, at + l, a) || vl_sdf_distance(shape, x) >= g->dx) continue;
        sim->state.u[a][at + l] = velocity.v[a];
        if (traced) sim->state.u_old[a][at + l] = velocity.v[a];
      }
  }
}

vlCode vl_sharp_add_liquid(vlSim *base, const vlSdf *shape, vlVec3 velocity, int64_t *added, vlStatus *status)
{
  vlSharp *sim = vl_sharp(base);
  vlStep none = {0};
  const Filling filling = {sim, shape};
  vlSeed seed = vl_motion_seed_in(sim, air_distance, &filling, vl_sdf_bounds(shape), velocity);
  size_t count = 0;
  if (vl_box_is_empty(seed.bounds)) return VL_OK;
  vlCode code = vl_seed(sim->state.particles, &sim->grid, &seed, &count, status);
  if (!code && count == 0 && sim->subgrid) code = vl_subgrid_seed_drop(sim, shape, velocity, &count, status);
  *added = (int64_t)count;
  if (code || count == 0) return code;
  if (sim->state.fine) code = vl_fine_unite(sim->state.fine, shape_distance, shape, vl_sdf_bounds(shape), status);
  if (code) return code;
  sim->state.max_speed = fmax(sim->state.max_speed, vl_norm(velocity));
  code = sim->method->settle(sim, &none, status);
  if (code) return code;
  give_velocity(sim, shape, velocity);
  return sim->method->fill(sim, status);
}

vlCode vl_sharp_remove_liquid(vlSim *base, const vlSdf *shape, int64_t *removed, vlStatus *status)
{
  vlSharp *sim = vl_sharp(base);
  vlStep none = {0};
  vlSdf *const shapes[] = {(vlSdf *)shape};
  vlCode code = vl_motion_remove(sim, shapes, 1, removed, status);
  if (!code && sim->state.fine) code = vl_fine_take(sim->state.fine, shape_distance, shape, vl_sdf_bounds(shape), status);
  if (code || (*removed == 0 && !sim->state.fine)) return code;
  code = sim->method->settle(sim, &none, status);
  return code ? code : sim->method->fill(sim, status);
}
