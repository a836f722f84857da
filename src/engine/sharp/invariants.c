/* Invariants that a run may check as it goes (scene key `checks`):
 *   1  every value is finite, the net outflow of every cell is within the solver's tolerance
 *   2  the matrix is symmetric: x.Ly = y.Lx for two fixed vectors
 *   3  every cell closes: open face areas and surface add up to nothing */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "engine/sharp/sharp.h"

static vlCode check_finite(const vlStepInfo *info, vlStatus *status)
{
  bool finite = isfinite(info->max_speed) && isfinite(info->max_divergence) && isfinite(info->kinetic_energy) &&
                vl_finite(info->wall_force);
  if (finite) return VL_OK;
  return vl_fail(status, VL_ERROR_SOLVER, "step %lld at %.6g s: a velocity or pressure is not finite", (long long)info->step,
                 info->time);
}

/* The residual of the system is the remaining outflow: ||outflow|| <= tolerance ||b||, both scaled back to 1/s. */
static vlCode check_divergence(const vlSharp *sim, const vlStepInfo *info, vlStatus *status)
{
  const vlPressure *pressure = sim->work.pressure;
  size_t n = vl_stencil_length(&pressure->stencil);
  double dx = sim->grid.dx, rho = sim->scene->liquid.density;
  double scale = pressure->step.dt / (rho * dx * dx), norm = sqrt(vl_vector_dot(pressure->b, pressure->b, n));
  double rounding = 1e-13 * (info->max_speed + info->dt * vl_norm(vl_sim_gravity(&sim->sim))) / dx;
  rounding += 1e-11 * vl_bodies_fastest(&sim->apart) / dx; /* solves with S lose that much of what bodies bring along */
  double allowed =
      scale * norm * fmax(4.0 * sim->scene->pressure.tolerance, 1e-13) + info->discarded_flux / (dx * dx * dx) + rounding;
  if (info->max_divergence <= allowed) return VL_OK;
  return vl_fail(status, VL_ERROR_SOLVER,
                 "step %lld at %.6g s: divergence %.3e 1/s is above what the solve promised, %.3e 1/s",
                 (long long)info->step, info->time, info->max_divergence, allowed);
}

static vlCode check_symmetry(const vlSharp *sim, vlStatus *status)
{
  const vlStencil *s = &sim->work.pressure->stencil;
  size_t n = vl_stencil_length(s), blocks = vl_stencil_blocks(s);
  double *x = vl_stencil_vector_create(blocks), *y = vl_stencil_vector_create(blocks),
         *lx = vl_stencil_vector_create(blocks);
  vlCode code = x && y && lx ? VL_OK : vl_fail_memory(status, 3 * n * sizeof(double), "checks");
  if (!code) {
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      bool unknown = s->diagonal[i] > 0.0;
      x[i] = unknown ? (double)(seed >> 40) * 0x1p-24 - 0.5 : 0.0;
      y[i] = unknown ? (double)(seed >> 16 & 0xffffff) * 0x1p-24 - 0.5 : 0.0;
    }
    vl_stencil_apply(s, x, lx);
    double a = vl_vector_dot(y, lx, n);
    vl_stencil_apply(s, y, lx);
    double b = vl_vector_dot(x, lx, n), size = sqrt(vl_vector_dot(x, x, n) * vl_vector_dot(lx, lx, n));
    if (fabs(a - b) > 1e-12 * size)
      code = vl_fail(status, VL_ERROR_SOLVER, "step %lld: the pressure matrix is not symmetric: x.Ly = %.17g, y.Lx = %.17g",
                     (long long)sim->state.step, a, b);
  }
  vl_stencil_vector_free(x);
  vl_stencil_vector_free(y);
  vl_stencil_vector_free(lx);
  return code;
}

static vlCode check_closure(const vlSharp *sim, vlStatus *status)
{
  const vlGrid *g = &sim->grid;
  if (sim->subgrid && sim->outlets) return VL_OK; /* there areas are those of liquid */
  if (sim->work.cuts->clamped > 0 || sim->scene->pressure.weights != VL_WEIGHTS_AREA) return VL_OK;
  for (int b = 0; b < sim->work.wet.count; b++) {
    vlBlockPosition p = sim->work.wet.at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    int last, next = vl_cuts_of_block(sim->work.cuts, p, &last);
    for (int l = 0; l < vl_blocks_width(&sim->work.wet, p); l++) {
      int i = p.bx * VL_BLOCK + l;
      const vlCutCell *cut = next < last && sim->work.cuts->cut[next].cell[0] == i ? &sim->work.cuts->cut[next++] : NULL;
      for (int a = 0; a < 3; a++) {
        double gap = sim->work.area[a][at + l + g->stride[a]] - sim->work.area[a][at + l] + (cut ? cut->s.v[a] : 0.0);
        if (fabs(gap) > 1e-9 * g->dx * g->dx)
          return vl_fail(status, VL_ERROR_SOLVER, "cell (%d, %d, %d) is not closed along %c: %.3e of a face is missing", i,
                         p.j, p.k, "xyz"[a], gap / (g->dx * g->dx));
      }
    }
  }
  return VL_OK;
}

vlCode vl_check_invariants(vlSharp *sim, vlStep *step, vlStatus *status)
{
  int level = sim->scene->check_level;
  if (level == 0) return VL_OK;
  vlCode code = check_finite(step->info, status);
  if (!code && level >= 1) code = check_divergence(sim, step->info, status);
  if (!code && level >= 2) code = check_symmetry(sim, status);
  if (!code && level >= 3) code = check_closure(sim, status);
  return code;
}
