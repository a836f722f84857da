/* Hands that hold bodies: what programs say of them (velella.h), the drags of the scene, and how all are saved. How they
 * pull is in solid/grab.h.
 *
 * A drag closes its hand before the first step that begins at its start or later and opens it before the first that begins
 * at its end or later; that it has done so is part of what is saved, as the hands are. A checkpoint of a scene with another
 * number of drags restores the hands of the program alone, and drags begin as their times have it. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "engine/engine.h"
#include "solid/grab.h"

static const char *const GRABS = "control_grabs", *const NUMBER = "control_grab_number", *const DRAGS = "control_drags";

/* Closes a hand and gives it the next number. */
static vlCode close_hand(vlSim *sim, vlBody *body, int64_t drag, vlVec3 point, double radius, double *distance,
                         vlStatus *status)
{
  vlGrab grab = {.hold = {.id = sim->control.grabs, .drag = drag, .rate = vl_grab_rate(sim->engine->grid(sim).dx)}};
  vlCode code = vl_grab_close(&grab, body, point, radius, distance, status);
  if (!code) code = vl_grab_add(body, &grab, status);
  if (!code) sim->control.grabs++;
  return code;
}

/* The hand of that number, and its body and place there; NULL: there is none. */
static vlGrab *find(const vlSim *sim, int64_t id, vlBody **body, int *index)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  for (int b = 0; b < bodies->count; b++)
    for (int g = 0; g < bodies->body[b]->control.grab_count; g++) {
      if (bodies->body[b]->control.grab[g].hold.id != id) continue;
      *body = bodies->body[b];
      *index = g;
      return &bodies->body[b]->control.grab[g];
    }
  return NULL;
}

static vlGrab *find_for(const vlSim *sim, const char *call, int id, vlBody **body, int *index, vlStatus *status)
{
  vlGrab *grab = find(sim, id, body, index);
  if (!grab) vl_fail(status, VL_ERROR_USAGE, "%s: there is no grab %d, or it was released", call, id);
  return grab;
}

static void leave_path(vlSim *sim, vlGrab *grab)
{
  if (grab->hold.drag >= 0) sim->control.drag[grab->hold.drag] = VL_DRAG_OVER;
  grab->hold.drag = -1;
}

vlCode vl_sim_grab(vlSim *sim, int index, vlVec3 point, double radius, int *grab, vlStatus *status)
{
  double distance;
  vlCode code = vl_control_check_body(sim, "vl_sim_grab", index, status);
  if (!code) code = vl_control_check_finite("vl_sim_grab", point, status);
  if (code) return code;
  vlBody *body = sim->engine->bodies(sim)->body[index];
  if (!(radius > 0.0) || isinf(radius))
    return vl_fail(status, VL_ERROR_USAGE, "vl_sim_grab: the radius is %g m; it must be above 0", radius);
  if (!body->type->grabbed)
    return vl_fail(status, VL_ERROR_USAGE, "vl_sim_grab: body '%.63s' is %s: nothing pulls it", body->def->name,
                   body->type->name);
  if (sim->control.grabs >= INT_MAX) return vl_fail(status, VL_ERROR_USAGE, "vl_sim_grab: there were too many of them");
  code = close_hand(sim, body, -1, vl_control_in_plane(sim, point, false), radius, &distance, status);
  if (!code && grab) *grab = (int)(sim->control.grabs - 1);
  return code;
}

vlCode vl_sim_move_grab(vlSim *sim, int id, vlVec3 target, double within, vlStatus *status)
{
  vlBody *body;
  int index;
  vlGrab *grab = find_for(sim, "vl_sim_move_grab", id, &body, &index, status);
  if (!grab) return VL_ERROR_USAGE;
  vlCode code = vl_control_check_finite("vl_sim_move_grab", target, status);
  if (code) return code;
  if (!(within >= 0.0) || isinf(within))
    return vl_fail(status, VL_ERROR_USAGE, "vl_sim_move_grab: within %g s; it must be 0 or more", within);
  double now = vl_sim_time(sim);
  vlVec3 from = vl_grab_target(grab, body, now);
  leave_path(sim, grab);
  grab->hold.from = from;
  grab->hold.to = vl_control_in_plane(sim, target, false);
  grab->hold.since = now;
  grab->hold.until = now + within;
  return VL_OK;
}

vlCode vl_sim_release(vlSim *sim, int id, vlStatus *status)
{
  vlBody *body;
  int index;
  vlGrab *grab = find_for(sim, "vl_sim_release", id, &body, &index, status);
  if (!grab) return VL_ERROR_USAGE;
  leave_path(sim, grab);
  vl_grab_remove(body, index);
  return VL_OK;
}

int vl_sim_grab_count(const vlSim *sim)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  int count = 0;
  for (int b = 0; b < bodies->count; b++) count += bodies->body[b]->control.grab_count;
  return count;
}

vlGrabView vl_sim_grab_at(const vlSim *sim, int index)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  for (int b = 0; b < bodies->count && index >= 0; b++) {
    const vlBody *body = bodies->body[b];
    if (index >= body->control.grab_count) {
      index -= body->control.grab_count;
      continue;
    }
    const vlGrab *grab = &body->control.grab[index];
    return (vlGrabView){.grab = (int)grab->hold.id,
                        .body = b,
                        .drag = (int)grab->hold.drag,
                        .held = vl_grab_held(grab, body),
                        .target = vl_grab_target(grab, body, vl_sim_time(sim)),
                        .force = grab->hold.force,
                        .node_count = (int)grab->hold.count};
  }
  return (vlGrabView){.grab = -1, .body = -1, .drag = -1};
}

/* The scene's check has found it. */
static vlBody *body_named(const vlSim *sim, const char *name)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  for (int b = 0; b < bodies->count; b++)
    if (strncmp(bodies->body[b]->def->name, name, sizeof bodies->body[b]->def->name) == 0) return bodies->body[b];
  return NULL;
}

static vlCode begin_drag(vlSim *sim, int d, vlStatus *status)
{
  const vlDragDef *drag = &sim->scene->drags[d];
  vlBody *body = body_named(sim, drag->body);
  double distance;
  sim->control.drag[d] = VL_DRAG_OVER;
  if (!body || !body->type->grabbed) return VL_OK;
  vlCode code = close_hand(sim, body, d, vl_control_in_plane(sim, drag->point, false), drag->radius, &distance, status);
  if (code) return code;
  sim->control.drag[d] = VL_DRAG_HOLDS;
  if (distance > drag->radius)
    vl_log(
        sim->log, VL_LOG_WARNING,
        "drags[%d]: at %.4g s the surface of body '%.63s' is %.3g m from its point, more than its radius, %.3g m: it takes "
        "what is nearest and drags it in parallel",
        d, vl_sim_time(sim), body->def->name, distance, drag->radius);
  return VL_OK;
}

static void end_drag(vlSim *sim, int d)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  sim->control.drag[d] = VL_DRAG_OVER;
  for (int b = 0; b < bodies->count; b++)
    for (int g = bodies->body[b]->control.grab_count - 1; g >= 0; g--)
      if (bodies->body[b]->control.grab[g].hold.drag == d) vl_grab_remove(bodies->body[b], g);
}

vlCode vl_drags_turn(vlSim *sim, vlStatus *status)
{
  double now = vl_sim_time(sim);
  vlCode code = VL_OK;
  for (int d = 0; d < sim->scene->drag_count && !sim->settling && !code; d++) {
    const vlDragDef *drag = &sim->scene->drags[d];
    bool on = now >= drag->start - 1e-9 * drag->start, over = now >= drag->end - 1e-9 * drag->end; /* times are sums */
    if (over && sim->control.drag[d] != VL_DRAG_OVER) end_drag(sim, d);
    if (on && sim->control.drag[d] == VL_DRAG_WAITS) code = begin_drag(sim, d, status);
  }
  return code;
}

double vl_grabs_bytes(const vlSim *sim)
{
  return ((double)sim->scene->drag_count + 1.0) * sizeof *sim->control.drag +
         vl_sim_grab_count(sim) * (double)sizeof(vlGrab);
}

/* As it stands in files. */
typedef struct Record {
  int64_t body;
  vlGrabHold hold;
} Record;

static bool is_good(const Record *r, const vlSim *sim)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  const vlGrabHold *h = &r->hold;
  if (r->body < 0 || r->body >= bodies->count || h->count < 1 || h->count > VL_GRAB_NODES) return false;
  const vlBody *body = bodies->body[r->body];
  bool good = body->type->grabbed && h->id >= 0 && h->id < sim->control.grabs && h->drag >= -1 &&
              h->drag < sim->scene->drag_count && h->rate > 0.0 && h->rate < 1e6 && vl_finite(h->offset) &&
              vl_finite(h->from) && vl_finite(h->to) && vl_finite(h->force) && isfinite(h->since) && isfinite(h->until);
  for (int i = 0; i < h->count && good; i++)
    good = h->node[i] >= 0 && h->node[i] < body->node_count && fabs(h->share[i]) <= 1.0;
  return good;
}

static vlCode restore(vlSim *sim, vlVisitor *v, vlStatus *status)
{
  size_t count = 0, drags = (size_t)sim->scene->drag_count;
  const int64_t *number = v->find(v->data, NUMBER, sizeof *number, &count);
  sim->control.grabs = number && count == 1 && *number > 0 && *number <= INT_MAX ? *number : 0;
  const int64_t *drag = v->find(v->data, DRAGS, sizeof *drag, &count);
  bool same = drag && count == drags;
  for (size_t d = 0; d < drags; d++)
    sim->control.drag[d] = same && drag[d] >= VL_DRAG_WAITS && drag[d] <= VL_DRAG_OVER ? drag[d] : VL_DRAG_WAITS;
  const Record *record = v->find(v->data, GRABS, sizeof *record, &count);
  for (size_t i = 0; record && i < count; i++) {
    vlGrab grab = {.hold = record[i].hold};
    if (grab.hold.drag >= 0 && !same) continue;
    if (!is_good(&record[i], sim))
      return vl_fail(status, VL_ERROR_FILE, "'%s': entry %zu is no hand that could hold a body of this scene", GRABS, i);
    vlCode code = vl_grab_add(sim->engine->bodies(sim)->body[record[i].body], &grab, status);
    if (code) return code;
  }
  return VL_OK;
}

static vlCode save_grabs(const vlSim *sim, vlVisitor *v, vlStatus *status)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  size_t count = (size_t)vl_sim_grab_count(sim), at = 0;
  if (count == 0) return VL_OK;
  Record *record = calloc(count, sizeof *record);
  if (!record) return vl_fail_memory(status, count * sizeof *record, "the hands on bodies");
  for (int b = 0; b < bodies->count; b++)
    for (int g = 0; g < bodies->body[b]->control.grab_count; g++)
      record[at++] = (Record){b, bodies->body[b]->control.grab[g].hold};
  vlCode code = v->array(v->data, GRABS, record, sizeof *record, count, status);
  free(record);
  return code;
}

vlCode vl_grabs_visit(vlSim *sim, vlVisitor *v, vlStatus *status)
{
  bool turned = false;
  if (v->restoring) return restore(sim, v, status);
  for (int d = 0; d < sim->scene->drag_count; d++) turned = turned || sim->control.drag[d] != VL_DRAG_WAITS;
  vlCode code = VL_OK;
  if (sim->control.grabs > 0) code = v->array(v->data, NUMBER, &sim->control.grabs, sizeof sim->control.grabs, 1, status);
  if (!code && turned)
    code = v->array(v->data, DRAGS, sim->control.drag, sizeof *sim->control.drag, (size_t)sim->scene->drag_count, status);
  return code ? code : save_grabs(sim, v, status);
}
