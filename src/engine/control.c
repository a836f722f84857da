/* What a program tells a simulation while it runs (velella.h), and what of that a checkpoint holds: gravity, switches of
 * sources, forces and ways of bodies, hands that hold them (grabs.c). They are written down once any of it was used;
 * restoring, a checkpoint without them, or of a scene with other sources or bodies, leaves all as the scene has it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "engine/engine.h"

static const char *const GRAVITY = "control_gravity", *const SOURCES = "control_sources", *const BODIES = "control_bodies",
                         *const PINS = "control_pins", *const WAYS = "control_source_ways";

vlCode vl_control_create(vlSim *sim, vlStatus *status)
{
  size_t sources = (size_t)sim->scene->liquid.source_count;
  sim->control.source = calloc(sources + 1, sizeof *sim->control.source);
  sim->control.way = calloc(sources + 1, sizeof *sim->control.way);
  sim->control.drag = calloc((size_t)sim->scene->drag_count + 1, sizeof *sim->control.drag);
  return sim->control.source && sim->control.way && sim->control.drag
             ? VL_OK
             : vl_fail_memory(status, sources * sizeof(vlSourceWay), "switches and ways of sources");
}

void vl_control_clear(vlSim *sim)
{
  free(sim->control.source);
  free(sim->control.way);
  free(sim->control.drag);
  sim->control = (vlControl){0};
}

double vl_control_bytes(const vlSim *sim)
{
  return ((double)sim->scene->liquid.source_count + 1.0) * (sizeof(vlSourceControl) + sizeof(vlSourceWay)) +
         vl_grabs_bytes(sim);
}

vlCode vl_control_check_finite(const char *call, vlVec3 x, vlStatus *status)
{
  if (vl_finite(x)) return VL_OK;
  return vl_fail(status, VL_ERROR_USAGE, "%s: (%g, %g, %g) is not finite", call, x.x, x.y, x.z);
}

static vlCode check_index(const char *call, const char *what, int index, int count, vlStatus *status)
{
  if (index >= 0 && index < count) return VL_OK;
  return vl_fail(status, VL_ERROR_USAGE, "%s: %s %d; there are %d", call, what, index, count);
}

vlCode vl_control_check_body(const vlSim *sim, const char *call, int body, vlStatus *status)
{
  return check_index(call, "body", body, sim->engine->bodies(sim)->count, status);
}

vlCode vl_control_tell(vlCode code, const char *path, vlStatus *status)
{
  size_t length = strlen(path);
  if (code == VL_ERROR_SCENE) code = VL_ERROR_USAGE;
  if (!status || !code) return code;
  status->code = code;
  if (strncmp(status->message, path, length) == 0)
    memmove(status->message, status->message + length, strlen(status->message + length) + 1);
  return code;
}

vlVec3 vl_control_in_plane(const vlSim *sim, vlVec3 x, bool turn)
{
  if (!sim->scene->grid.slab) return x;
  return turn ? vl_vec(0, 0, x.z) : vl_vec(x.x, x.y, 0);
}

vlVec3 vl_sim_gravity(const vlSim *sim) { return sim->control.has_gravity ? sim->control.gravity : sim->scene->gravity; }

vlCode vl_sim_set_gravity(vlSim *sim, vlVec3 gravity, vlStatus *status)
{
  vlCode code = vl_control_check_finite("vl_sim_set_gravity", gravity, status);
  if (code) return code;
  sim->control.has_gravity = true;
  sim->control.gravity = vl_control_in_plane(sim, gravity, false);
  return VL_OK;
}

vlCode vl_sim_switch_source(vlSim *sim, int source, bool on, vlStatus *status)
{
  vlCode code = check_index("vl_sim_switch_source", "source", source, sim->scene->liquid.source_count, status);
  if (code) return code;
  double now = vl_sim_time(sim);
  bool goes_on = vl_control_source_runs(sim, source, now);
  double origin = goes_on ? vl_control_source_origin(sim, source) : now;
  sim->control.source[source] = (vlSourceControl){on ? VL_ON : VL_OFF, origin};
  return VL_OK;
}

bool vl_control_source_runs(const vlSim *sim, int source, double time)
{
  const vlSourceDef *def = &sim->scene->liquid.sources[source];
  if (sim->settling) return false;
  int64_t told = sim->control.source[source].told;
  return told == VL_AS_SCENE ? time >= def->start && time < def->end : told == VL_ON;
}

double vl_control_source_origin(const vlSim *sim, int source)
{
  const vlSourceControl *c = &sim->control.source[source];
  return c->told == VL_ON ? c->origin : sim->scene->liquid.sources[source].start;
}

vlCode vl_sim_move_source(vlSim *sim, int source, vlVec3 velocity, vlStatus *status)
{
  vlCode code = check_index("vl_sim_move_source", "source", source, sim->scene->liquid.source_count, status);
  if (!code) code = vl_control_check_finite("vl_sim_move_source", velocity, status);
  if (code) return code;
  double now = vl_sim_time(sim);
  vlVec3 shift = vl_control_source_shift(sim, source, now);
  sim->control.way[source] = (vlSourceWay){shift, vl_control_in_plane(sim, velocity, false), now};
  return VL_OK;
}

vlVec3 vl_control_source_shift(const vlSim *sim, int source, double time)
{
  const vlSourceWay *way = &sim->control.way[source];
  return vl_axpy(way->shift, time - way->since, way->velocity);
}

void vl_sim_set_field(vlSim *sim, vlForceField *field, void *data)
{
  sim->control.field = field;
  sim->control.field_data = data;
}

/* Of a body, for a call with two vectors; NULL: refused. */
static vlBody *find_body(vlSim *sim, const char *call, int index, vlVec3 a, vlVec3 b, vlStatus *status)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  vlCode code = vl_control_check_body(sim, call, index, status);
  if (!code) code = vl_control_check_finite(call, a, status);
  if (!code) code = vl_control_check_finite(call, b, status);
  return code ? NULL : bodies->body[index];
}

vlCode vl_sim_push(vlSim *sim, int index, vlVec3 force, vlVec3 torque, vlStatus *status)
{
  vlBody *body = find_body(sim, "vl_sim_push", index, force, torque, status);
  if (!body) return VL_ERROR_USAGE;
  double across = sim->scene->grid.slab ? sim->scene->grid.size.z : 1.0; /* of a metre across */
  body->control.pushed = true;
  body->control.force = vl_scale(vl_control_in_plane(sim, force, false), across);
  body->control.torque = vl_scale(vl_control_in_plane(sim, torque, true), across);
  return VL_OK;
}

vlCode vl_sim_steer(vlSim *sim, int index, vlVec3 velocity, vlVec3 omega, vlStatus *status)
{
  vlBody *body = find_body(sim, "vl_sim_steer", index, velocity, omega, status);
  if (!body) return VL_ERROR_USAGE;
  if (!body->type->steered)
    return vl_fail(status, VL_ERROR_USAGE, "vl_sim_steer: body '%.63s' is %s: only scripted ones are steered",
                   body->def->name, body->type->name);
  body->control.steered = true;
  body->control.velocity = vl_control_in_plane(sim, velocity, false);
  body->control.omega = vl_control_in_plane(sim, omega, true);
  return VL_OK;
}

static vlCode reserve_pins(vlBody *body, vlStatus *status)
{
  size_t count = (size_t)body->def->pin_count;
  if (!body->control.pin) body->control.pin = calloc(count + 1, sizeof *body->control.pin);
  return body->control.pin ? VL_OK : vl_fail_memory(status, count * sizeof(vlPinControl), "what pins are told");
}

vlCode vl_sim_move_pin(vlSim *sim, int index, int pin, vlVec3 velocity, vlStatus *status)
{
  vlBody *body = find_body(sim, "vl_sim_move_pin", index, velocity, velocity, status);
  if (!body) return VL_ERROR_USAGE;
  vlCode code = check_index("vl_sim_move_pin", "pin", pin, body->def->pin_count, status);
  if (!code) code = reserve_pins(body, status);
  if (!code) body->control.pin[pin] = (vlPinControl){1, vl_control_in_plane(sim, velocity, false)};
  return code;
}

/* As it stands in files. */
typedef struct Record {
  double force[3], torque[3], velocity[3], omega[3];
  int64_t pushed, steered;
} Record;

static void record_of(const vlBodyControl *c, Record *r)
{
  for (int a = 0; a < 3; a++) {
    r->force[a] = c->force.v[a];
    r->torque[a] = c->torque.v[a];
    r->velocity[a] = c->velocity.v[a];
    r->omega[a] = c->omega.v[a];
  }
  r->pushed = c->pushed;
  r->steered = c->steered;
}

static vlBodyControl control_of(const Record *r)
{
  return (vlBodyControl){.pushed = r->pushed != 0,
                         .steered = r->steered != 0,
                         .force = vl_vec(r->force[0], r->force[1], r->force[2]),
                         .torque = vl_vec(r->torque[0], r->torque[1], r->torque[2]),
                         .velocity = vl_vec(r->velocity[0], r->velocity[1], r->velocity[2]),
                         .omega = vl_vec(r->omega[0], r->omega[1], r->omega[2])};
}

static bool all_finite(const Record *r)
{
  const double *x = r->force;
  for (int i = 0; i < 12; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

_Static_assert(offsetof(Record, pushed) == 12 * sizeof(double), "the numbers of a record are one piece");

static vlCode restore_bodies(const vlBodySet *bodies, vlVisitor *v, vlStatus *status)
{
  size_t count = 0, pins = 0, before = 0;
  const Record *record = v->find(v->data, BODIES, sizeof *record, &count);
  if (count != (size_t)bodies->count) record = NULL;
  for (int b = 0; b < bodies->count; b++) pins += (size_t)bodies->body[b]->def->pin_count;
  const vlPinControl *pin = v->find(v->data, PINS, sizeof *pin, &count);
  if (count != pins) pin = NULL;
  for (int b = 0; b < bodies->count; b++) {
    vlBody *body = bodies->body[b];
    size_t own = (size_t)body->def->pin_count;
    free(body->control.pin);
    free(body->control.grab);
    body->control = record ? control_of(&record[b]) : (vlBodyControl){0};
    bool good = !record || all_finite(&record[b]);
    for (size_t i = 0; pin && i < own; i++) good = good && vl_finite(pin[before + i].velocity);
    if (!good) return vl_fail(status, VL_ERROR_FILE, "'%s' or '%s' has a number that is not finite", BODIES, PINS);
    vlCode code = pin && own > 0 ? reserve_pins(body, status) : VL_OK;
    if (code) return code;
    if (pin && own > 0) memcpy(body->control.pin, pin + before, own * sizeof *pin);
    before += own;
  }
  return VL_OK;
}

static vlCode restore_ways(vlSim *sim, vlVisitor *v, vlStatus *status)
{
  size_t count = 0, sources = (size_t)sim->scene->liquid.source_count;
  const vlSourceWay *way = v->find(v->data, WAYS, sizeof *way, &count);
  for (size_t s = 0; s < sources; s++) {
    sim->control.way[s] = way && count == sources ? way[s] : (vlSourceWay){0};
    const vlSourceWay *own = &sim->control.way[s];
    if (!vl_finite(own->shift) || !vl_finite(own->velocity) || !isfinite(own->since))
      return vl_fail(status, VL_ERROR_FILE, "'%s' has a number that is not finite", WAYS);
  }
  return VL_OK;
}

static vlCode restore(vlSim *sim, vlVisitor *v, vlStatus *status)
{
  size_t count = 0, sources = (size_t)sim->scene->liquid.source_count;
  const vlVec3 *gravity = v->find(v->data, GRAVITY, sizeof *gravity, &count);
  sim->control.has_gravity = gravity && count == 1;
  if (sim->control.has_gravity) sim->control.gravity = *gravity;
  if (sim->control.has_gravity && !vl_finite(*gravity)) return vl_fail(status, VL_ERROR_FILE, "'%s' is not finite", GRAVITY);
  const vlSourceControl *source = v->find(v->data, SOURCES, sizeof *source, &count);
  for (size_t s = 0; s < sources; s++) {
    bool there = source && count == sources && source[s].told >= 0 && source[s].told <= VL_OFF && isfinite(source[s].origin);
    sim->control.source[s] = there ? source[s] : (vlSourceControl){0};
  }
  vlCode code = restore_ways(sim, v, status);
  if (!code) code = restore_bodies(sim->engine->bodies(sim), v, status);
  if (!code) code = vl_grabs_visit(sim, v, status);
  return code ? code : vl_material_visit(sim, v, status);
}

static vlCode save_pins(const vlBodySet *bodies, vlVisitor *v, vlStatus *status)
{
  size_t pins = 0, before = 0;
  bool used = false;
  for (int b = 0; b < bodies->count; b++) {
    pins += (size_t)bodies->body[b]->def->pin_count;
    used = used || bodies->body[b]->control.pin;
  }
  if (!used) return VL_OK;
  vlPinControl *all = calloc(pins + 1, sizeof *all);
  if (!all) return vl_fail_memory(status, pins * sizeof *all, "what pins were told");
  for (int b = 0; b < bodies->count; b++) {
    size_t own = (size_t)bodies->body[b]->def->pin_count;
    if (bodies->body[b]->control.pin) memcpy(all + before, bodies->body[b]->control.pin, own * sizeof *all);
    before += own;
  }
  vlCode code = v->array(v->data, PINS, all, sizeof *all, pins, status);
  free(all);
  return code;
}

static vlCode save_bodies(const vlBodySet *bodies, vlVisitor *v, vlStatus *status)
{
  bool used = false;
  for (int b = 0; b < bodies->count; b++) used = used || bodies->body[b]->control.pushed || bodies->body[b]->control.steered;
  if (!used) return VL_OK;
  Record *record = calloc((size_t)bodies->count, sizeof *record);
  if (!record) return vl_fail_memory(status, (size_t)bodies->count * sizeof *record, "what bodies were told");
  for (int b = 0; b < bodies->count; b++) record_of(&bodies->body[b]->control, &record[b]);
  vlCode code = v->array(v->data, BODIES, record, sizeof *record, (size_t)bodies->count, status);
  free(record);
  return code;
}

vlCode vl_control_visit(vlSim *sim, vlVisitor *v, vlStatus *status)
{
  vlControl *c = &sim->control;
  size_t sources = (size_t)sim->scene->liquid.source_count;
  bool switched = false, moved = false;
  vlCode code = VL_OK;
  if (v->restoring) return restore(sim, v, status);
  for (size_t s = 0; s < sources; s++) switched = switched || c->source[s].told != VL_AS_SCENE;
  for (size_t s = 0; s < sources; s++) moved = moved || c->way[s].since != 0.0 || vl_norm(c->way[s].velocity) != 0.0;
  if (c->has_gravity) code = v->array(v->data, GRAVITY, &c->gravity, sizeof c->gravity, 1, status);
  if (!code && switched) code = v->array(v->data, SOURCES, c->source, sizeof *c->source, sources, status);
  if (!code && moved) code = v->array(v->data, WAYS, c->way, sizeof *c->way, sources, status);
  if (!code) code = save_bodies(sim->engine->bodies(sim), v, status);
  if (!code) code = save_pins(sim->engine->bodies(sim), v, status);
  if (!code) code = vl_grabs_visit(sim, v, status);
  return code ? code : vl_material_visit(sim, v, status);
}
