/* Speeds that cannot be.
 *
 * What falls through the box reaches sqrt(2 g L), what a push F drives through it sqrt(2 F/m L), a wave in a body
 * sqrt(E/rho); besides there are the speeds that the scene gives and those at which it, or a hand, moves things. Nothing
 * becomes ABSURD times as fast as the fastest of these: a step that has such a speed, or one that is no number, has gone
 * wrong, whatever the cause. In: the step as it was solved. Out: its largest speed, and what is possible. */
#include "engine/sharp/speed.h"

#include <math.h>

#include "solid/grab.h"

static const double ABSURD = 1e4;

static double fall(double acceleration, double way) { return sqrt(2.0 * acceleration * way); }

/* m/s: what the scene says of the liquid. */
static double of_liquid(const vlLiquidDef *liquid)
{
  double v = vl_norm(liquid->velocity) + fabs(liquid->swirl_speed);
  for (int s = 0; s < liquid->source_count; s++) v = fmax(v, vl_norm(liquid->sources[s].velocity));
  return v;
}

/* m/s: what the scene says of a body, the speed at which its holders move it among it. */
static double of_body(const vlBody *body, double mass, double box)
{
  const vlBodyDef *def = body->def;
  double v = vl_norm(def->velocity) + vl_norm(def->spin) * vl_body_size(body), pushes = 0.0;
  for (int p = 0; p < def->push_count; p++) pushes += vl_norm(def->pushes[p].force);
  for (int p = 0; p < def->pin_count; p++)
    v = fmax(v, vl_norm(def->pins[p].velocity) + 2.0 * VL_PI * def->pins[p].frequency * vl_norm(def->pins[p].amplitude));
  for (int i = 0; i < body->node_count && !body->yields; i++) v = fmax(v, vl_norm(body->given[i]));
  if (mass > 0.0) v = fmax(v, fall(pushes / mass, box));
  v = fmax(v, vl_grabs_speed(body));
  if (!body->stiff && body->density > 0.0) v = fmax(v, sqrt(body->material.young / body->density));
  return v;
}

double vl_speed_limit(const vlSharp *sim)
{
  const vlBodySet *bodies = &sim->state.bodies;
  vlBox3 box = vl_grid_box(&sim->grid);
  double size = vl_norm(vl_sub(box.hi, box.lo)), v = of_liquid(&sim->scene->liquid);
  v = fmax(v, fall(vl_norm(vl_sharp_acceleration(sim)), size));
  for (int b = 0; b < bodies->count; b++) {
    const vlBody *body = bodies->body[b];
    double mass = body->def->push_count > 0 ? vl_body_measure(body, vl_vec(0, 0, 0)).mass : 0.0;
    v = fmax(v, of_body(body, mass, size));
  }
  return ABSURD * (v > 0.0 ? v : size * sim->scene->time.frames_per_second);
}

double vl_speed_of_step(const vlSharp *sim, const vlStepInfo *info)
{
  const vlBodySet *bodies = &sim->apart;
  double v = info->max_speed;
  for (int i = 0; i < vl_bodies_nodes(bodies); i++) {
    double speed = vl_norm(sim->work.pressure->coupling.velocity[i]);
    if (!(speed <= v)) v = speed;
    if (isnan(v)) return NAN;
  }
  return isfinite(info->kinetic_energy) && isfinite(info->max_divergence) ? v : NAN;
}
