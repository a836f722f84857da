/* Warnings of liquid that is not where the scene would have it: more than the room that there is holds, which sources have
 * pressed into it, and what was taken away because bodies left no room for it. */
#include "base/status.h"
#include "engine/sharp/sharp.h"

static const double OVERFULL = 1.02; /* of the open volume of the cells around the liquid */
static const double LOST = 0.01;     /* of the liquid */

/* m3: open volume of the wet blocks. */
static double room(const vlSharp *sim)
{
  double sum = 0.0, dx = sim->grid.dx;
  const vlBlocks *wet = &sim->work.wet;
  for (int b = 0; b < wet->count; b++) {
    const double *open = sim->work.open + vl_blocks_field(&sim->grid, wet->at[b]);
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++) sum += open[l];
  }
  return sum * dx * dx * dx;
}

/* Told when the step has brought it above the limit, so that no state is needed. */
static void warn_of_overfull(const vlSharp *sim, const vlStepInfo *info, double particle)
{
  if (info->added == 0) return;
  double limit = OVERFULL * room(sim), before = info->particle_volume - (double)(info->added - info->removed) * particle;
  if (!(info->particle_volume > limit) || before > limit) return;
  vl_log(sim->log, VL_LOG_WARNING,
         "step %lld: sources have brought %.4g m3 of liquid to where %.4g m3 have room: it is crammed, and its pressure and "
         "volume are wrong; let it out by a sink, or stop the sources sooner",
         (long long)info->step, info->particle_volume, limit / OVERFULL);
}

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
  warn_of_overfull(sim, info, particle);
  warn_of_lost(sim, info, particle);
  return VL_OK;
}
