/* Where bodies and liquid come to rest: dynamic relaxation.
 *
 * The simulation makes its own steps, in which pins and scripted bodies stand, sources and sinks rest and time does not go
 * on. Whenever the energy of motion, of liquid and bodies together, has passed a peak, all velocities are cut to zero
 * ("kinetic damping"): a single mode is then where its forces balance, and of several the fastest growing one goes first.
 * What is left over of forces is told by how the nodes of a body are accelerated,
 *
 *     r = sqrt(mean over nodes of |a|^2) / |g|,        a <- a + SHARE (dv/dt - a) in each step,
 *
 * of a rigid body that does not turn the force on it over its weight. a is a mean over time, for particles at a surface push
 * to and fro from step to step. It is settled once r and the speeds of all bodies stay small. In: a simulation between two
 * steps. Out: the same at rest, at the same time; how much is left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "engine/engine.h"

enum { CALM_STEPS = 10, USUAL_STEPS = 10000 };
static const double PAST_PEAK = 0.9; /* of the most energy since the last cut: less is noise */
static const double SHARE = 0.1;
static const double USUAL_TOLERANCE = 1e-3;

typedef struct Relax {
  vlSim *sim;
  vlSettleOptions options;
  vlSettleInfo *info;
  vlSettleBody *body; /* [bodies] */
  vlVec3 *before;     /* m/s: of all nodes, before the step */
  vlVec3 *mean;       /* m/s2: a of all nodes */
  double gravity;     /* m/s2 */
  double most;        /* J: of motion since the last cut */
  int calm;           /* steps in a row in which all was small */
} Relax;

static void set_settling(vlSim *sim, bool settling)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  sim->settling = settling;
  for (int b = 0; b < bodies->count; b++) bodies->body[b]->control.still = settling;
}

static void cut(Relax *r)
{
  r->sim->engine->halt(r->sim);
  r->info->cuts++;
  r->most = 0.0;
}

static void remember(Relax *r)
{
  const vlBodySet *bodies = r->sim->engine->bodies(r->sim);
  for (int b = 0; b < bodies->count; b++)
    memcpy(r->before + bodies->first_node[b], bodies->body[b]->v, (size_t)bodies->body[b]->node_count * sizeof *r->before);
}

static vlSettleBody measure_body(Relax *r, int index, double dt)
{
  const vlBodySet *bodies = r->sim->engine->bodies(r->sim);
  const vlBody *body = bodies->body[index];
  const vlVec3 *before = r->before + bodies->first_node[index];
  vlVec3 *mean = r->mean + bodies->first_node[index];
  double share = r->info->steps > 0 ? SHARE : 1.0;
  vlSettleBody m = {0};
  double sum = 0.0;
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 a = vl_scale(vl_sub(body->v[i], before[i]), 1.0 / dt);
    mean[i] = vl_axpy(mean[i], share, vl_sub(a, mean[i]));
    sum += vl_dot(mean[i], mean[i]);
    m.speed = fmax(m.speed, vl_norm(body->v[i]));
  }
  m.residual = body->node_count > 0 ? sqrt(sum / body->node_count) / r->gravity : 0.0;
  return m;
}

/* m/s: mean of the liquid's. */
static double liquid_speed(const Relax *r, const vlStepInfo *step)
{
  double mass = r->sim->scene->liquid.density * (step->particle_volume > 0.0 ? step->particle_volume : step->volume);
  return mass > 0.0 ? sqrt(2.0 * step->kinetic_energy / mass) : 0.0;
}

/* Returns the energy of motion. */
static double measure(Relax *r, const vlStepInfo *step)
{
  const vlBodySet *bodies = r->sim->engine->bodies(r->sim);
  vlSettleInfo *info = r->info;
  double energy = step->kinetic_energy;
  info->residual = info->speed = 0.0;
  info->liquid_speed = liquid_speed(r, step);
  for (int b = 0; b < bodies->count; b++) {
    r->body[b] = measure_body(r, b, step->dt);
    energy += vl_body_measure(bodies->body[b], vl_vec(0, 0, 0)).kinetic;
    if (r->body[b].residual >= info->residual) info->worst = b;
    info->residual = fmax(info->residual, r->body[b].residual);
    info->speed = fmax(info->speed, r->body[b].speed);
  }
  return energy;
}

static bool is_calm(const Relax *r)
{
  const vlSettleOptions *o = &r->options;
  return r->info->residual <= o->tolerance && r->info->speed <= o->speed;
}

static vlCode one_step(Relax *r, vlStatus *status)
{
  vlSim *sim = r->sim;
  vlStepInfo step;
  double time = vl_sim_time(sim);
  remember(r);
  vlCode code = vl_sim_step(sim, 1.0 / sim->scene->time.frames_per_second, &step, status);
  if (code) return code;
  sim->engine->set_moment(sim, vl_sim_step_count(sim), time);
  double energy = measure(r, &step);
  r->info->steps++;
  r->calm = is_calm(r) ? r->calm + 1 : 0;
  if (energy < PAST_PEAK * r->most)
    cut(r);
  else
    r->most = fmax(r->most, energy);
  if (r->options.told) r->options.told(r->options.user, r->info);
  return VL_OK;
}

static vlCode fail_moving(const Relax *r, vlStatus *status)
{
  const vlSettleInfo *i = r->info;
  const vlBody *body = r->sim->engine->bodies(r->sim)->body[i->worst];
  return vl_fail(
      status, VL_ERROR_SOLVER,
      "after %lld steps it has not settled: body '%.63s' is still pushed with %.3g of its weight, wanted %.3g, "
      "and moves at %.3g m/s, wanted %.3g m/s; more steps or a larger tolerance may help, unless there is no place "
      "where it can rest",
      (long long)i->steps, body->def->name, r->body[i->worst].residual, r->options.tolerance, r->body[i->worst].speed,
      r->options.speed);
}

static vlCode relax(Relax *r, vlStatus *status)
{
  vlCode code = VL_OK;
  cut(r);
  r->info->cuts = 0;
  while (!code && r->calm < CALM_STEPS) {
    if (r->info->steps >= r->options.most_steps) return fail_moving(r, status);
    code = one_step(r, status);
  }
  return code;
}

static vlCode check_options(vlSim *sim, vlSettleOptions *o, vlStatus *status)
{
  vlVec3 g = vl_sim_gravity(sim);
  if (!(vl_norm(g) > 0.0)) return vl_fail(status, VL_ERROR_SCENE, "nothing settles without gravity");
  if (o->tolerance == 0.0) o->tolerance = USUAL_TOLERANCE;
  /* what floats some cells deep then swings by a hundredth of a cell at most */
  if (o->speed == 0.0) o->speed = 3.0 * o->tolerance * sqrt(vl_norm(g) * sim->engine->grid(sim).dx);
  if (o->most_steps == 0) o->most_steps = USUAL_STEPS;
  if (!(o->tolerance > 0.0 && o->speed > 0.0) || o->most_steps < 0)
    return vl_fail(status, VL_ERROR_USAGE, "vl_sim_settle: tolerance %g, speed %g m/s, %lld steps; all must be above 0",
                   o->tolerance, o->speed, (long long)o->most_steps);
  if (sim->engine->unsettled)
    return vl_fail(status, VL_ERROR_SCENE, "engine %s cannot settle bodies: %s; engine: sharp can", sim->engine->name,
                   sim->engine->unsettled);
  if (vl_sim_body_count(sim) == 0) return vl_fail(status, VL_ERROR_SCENE, "there is no body that could settle");
  return VL_OK;
}

vlCode vl_sim_settle(vlSim *sim, vlSettleOptions options, vlSettleInfo *info, vlSettleBody *bodies, vlStatus *status)
{
  vlSettleInfo own;
  const vlBodySet *set = sim->engine->bodies(sim);
  int64_t step = vl_sim_step_count(sim);
  Relax r = {.sim = sim, .options = options, .info = info ? info : &own};
  *r.info = (vlSettleInfo){0};
  vlCode code = check_options(sim, &r.options, status);
  if (code) return code;
  r.gravity = vl_norm(vl_sim_gravity(sim));
  r.before = calloc((size_t)vl_bodies_nodes(set) + 1, sizeof *r.before);
  r.mean = calloc((size_t)vl_bodies_nodes(set) + 1, sizeof *r.mean);
  r.body = calloc((size_t)set->count, sizeof *r.body);
  if (!r.before || !r.mean || !r.body)
    code = vl_fail_memory(status, (size_t)vl_bodies_nodes(set) * sizeof *r.before, "settling");
  set_settling(sim, true);
  if (!code) code = relax(&r, status);
  set_settling(sim, false);
  sim->engine->set_moment(sim, step, vl_sim_time(sim));
  if (!code) sim->engine->halt(sim);
  if (bodies && r.body) memcpy(bodies, r.body, (size_t)set->count * sizeof *bodies);
  free(r.before);
  free(r.mean);
  free(r.body);
  return code;
}

void vl_sim_halt(vlSim *sim) { sim->engine->halt(sim); }
