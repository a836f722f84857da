/* Warnings of bodies that go their own way whatever pushes them.
 *
 * Liquid that such bodies and walls enclose cannot give way when they squeeze it. What comes in too much is taken out of the
 * right-hand side (pressure/closed.c), and here it is told. So is a body that they press into something, and a step that is
 * too long for their way. */
#include "engine/sharp/body_step.h"

#include <math.h>

#include "base/status.h"

static const double CRUSHED = 0.25;  /* cells that a body lies in something while one that does not yield pushes it */
static const double SQUEEZED = 1e-3; /* of a cell's face times the speed of the fastest such body */

/* m/s: of the fastest body in the step that has begun which loads do not move; 0: there is none. */
static double fastest_given(const vlBodySet *bodies)
{
  double fastest = 0.0;
  for (int b = 0; b < bodies->count; b++)
    for (int i = 0; i < bodies->body[b]->node_count && !bodies->body[b]->yields; i++)
      fastest = fmax(fastest, vl_norm(bodies->body[b]->given[i]));
  return fastest;
}

static void warn_of_squeezed(vlSharp *sim, const vlStepInfo *info)
{
  double speed = fastest_given(&sim->apart), flux = info->discarded_flux, dx = sim->grid.dx;
  if (!(speed > 0.0) || flux <= SQUEEZED * dx * dx * speed || flux < 10.0 * sim->state.told.squeezed) return;
  vl_log(sim->log, VL_LOG_WARNING,
         "step %lld: bodies that go their own way squeeze liquid that they and walls enclose, %.3g m3/s: it has nowhere to "
         "go, so that "
         "much of the flow is left out (discarded_flux)",
         (long long)info->step, flux);
  sim->state.told.squeezed = flux;
}

/* The bodies of a contact, the one that loads do not move last; false: there is none or no other. */
static bool pressed(const vlBodySet *bodies, const vlContact *contact, int *own, int *by)
{
  if (contact->body[1] < 0 || contact->body[1] == contact->body[0]) return false;
  bool second = !bodies->body[contact->body[1]]->yields;
  *own = contact->body[second ? 0 : 1];
  *by = contact->body[second ? 1 : 0];
  return !bodies->body[*by]->yields;
}

/* A body that such a one pushes and that lies deep in it or in something else. */
static void warn_of_crushed(vlSharp *sim, const vlStepInfo *info)
{
  const vlContacts *contacts = &sim->work.contact.contacts;
  for (int c = 0; c < contacts->count; c++) {
    int own, by;
    double deepest = 0.0;
    if (!pressed(&sim->apart, &contacts->list[c], &own, &by)) continue;
    for (int k = 0; k < contacts->count; k++) {
      const vlContact *other = &contacts->list[k];
      if (other->body[0] == own || other->body[1] == own) deepest = fmax(deepest, -(other->gap + contacts->clearance));
    }
    if (deepest <= CRUSHED * sim->grid.dx || deepest < 10.0 * sim->state.told.crushed) continue;
    vl_log(sim->log, VL_LOG_WARNING,
           "step %lld: body '%.63s' is being crushed: %s body '%.63s' presses it %.3g m deep into it or into what is "
           "behind; it has nowhere to go",
           (long long)info->step, sim->apart.body[own]->def->name, sim->apart.body[by]->type->name,
           sim->apart.body[by]->def->name, deepest);
    sim->state.told.crushed = deepest;
  }
}

/* A prescribed step may be longer than vl_bodies_longest_step would have it: over half a turn in it is taken the short way,
 * which is the wrong one. */
static void warn_of_leaps(vlSharp *sim, const vlStepInfo *info)
{
  const vlScene *scene = sim->scene;
  bool any = scene->time.dt_fixed > 0.0 || scene->liquid.transfer == VL_TRANSFER_STILL;
  for (int b = 0; b < sim->apart.count && any && !sim->state.told.leap; b++) {
    const vlBody *body = sim->apart.body[b];
    double way = body->type->way ? body->type->way(body, info->time - info->dt, info->dt) : 0.0;
    if (!(way > 1.5 * vl_body_size(body))) continue;
    sim->state.told.leap = 1;
    vl_log(
        sim->log, VL_LOG_WARNING,
        "step %lld: the scripted body '%.63s' goes %.3g m in a step of %.3g s, farther than it is large: it and the liquid "
        "see the short way there; take a smaller time.dt_fixed",
        (long long)info->step, body->def->name, way, info->dt);
  }
}

vlCode vl_body_warn(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  warn_of_leaps(sim, step->info);
  warn_of_squeezed(sim, step->info);
  warn_of_crushed(sim, step->info);
  return VL_OK;
}
