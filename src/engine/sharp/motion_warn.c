/* A warning of liquid that is not where the scene would have it: what was taken away because bodies left no room for it. */
#include "base/status.h"
#include "engine/sharp/sharp.h"

static const double LOST = 0.01; /* of the liquid */

static void warn_of_lost(vlSharp *sim, const vlStepInfo *info, double particle)
{
  vlLost *lost = &sim->state.lost;
  if (info->lost == 0) return;
  lost->volume += (double)info->lost * particle;
  if (lost->volume < LOST * (info->particle_volume + lost->volume) || lost->volume < 10.0 * lost->told) return;
  vl_log(sim->log, VL_LOG_WARNING,
         "step %lld: %.3g m3 of liquid have been taken away so far, %.2g %% of it: bodies swept over it and left it no room "
         "(column lost of series.csv); shorter steps or finer cells help",
         (long long)info->step, lost->volume, 100.0 * lost->volume / (info->particle_volume + lost->volume));
  lost->told = lost->volume;
}

vlCode vl_motion_warn(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  const vlStepInfo *info = step->info;
  if (info->particles + info->lost == 0) return VL_OK;
  double dx = sim->grid.dx, particle = dx * dx * dx / sim->per_cell;
  warn_of_lost(sim, info, particle);
  return VL_OK;
}
