/* The bodies of a scene, from their definitions to their first state.
 *
 * In: the scene. Out: bodies ready to step, or an error with file, line and the body's name. */
#include "solid/body_set.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc64.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "grid/visitor.h"
#include "solid/body_shape.h"
#include "solid/grab.h"

/* What may leave the box has to end somewhere all the same. */
static vlCode check_size(const vlBody *body, vlStatus *status)
{
  const double MOST = 1e12; /* m */
  for (int i = 0; i < 3 * body->node_count; i++) {
    double x = body->x[i / 3].v[i % 3];
    if (!(fabs(x) <= MOST))
      return vl_fail(status, VL_ERROR_SCENE, "it reaches to %c = %g m; at most %g m from 0 is possible", 'x' + i % 3, x,
                     MOST);
  }
  return VL_OK;
}

/* What is wrong with a mesh is said where its file is named. */
static vlSource place_of(const vlBodyDef *def, vlCode code)
{
  bool file = code == VL_ERROR_MESH && def->shape == VL_BODY_MESH && def->file && def->solid.where.line > 0;
  return file ? def->solid.where : def->where;
}

/* Bends it into the modes that it starts with, and sets it going. They hang on what is held. */
static vlCode start_modes(vlBody *body, vlStatus *status)
{
  const vlBodyDef *def = body->def;
  size_t nodes = (size_t)body->node_count, most = 0;
  for (int m = 0; m < def->mode_count; m++) most = (size_t)def->modes[m].mode > most ? (size_t)def->modes[m].mode : most;
  vlBodyMode *mode = calloc(most, sizeof *mode);
  vlVec3 *shape = calloc(most * nodes, sizeof *shape);
  vlCode code = mode && shape ? VL_OK : vl_fail_memory(status, most * nodes * sizeof *shape, "the modes of a body");
  if (!code) code = body->type->modes(body, (int)most, mode, shape, status);
  for (int m = 0; m < def->mode_count && !code; m++) {
    const vlVec3 *u = shape + (size_t)(def->modes[m].mode - 1) * nodes;
    for (size_t i = 0; i < nodes; i++) {
      body->x[i] = vl_axpy(body->x[i], def->modes[m].amplitude, u[i]);
      body->v[i] = vl_axpy(body->v[i], def->modes[m].speed, u[i]);
    }
  }
  if (!code && body->type->inverted && body->type->inverted(body) > 0)
    code = vl_fail(status, VL_ERROR_SCENE, "its amplitude turns %d of its %d elements inside out; modes are small motions",
                   body->type->inverted(body), body->element_count);
  if (code) vl_status_prefix(status, "modes: ");
  free(mode);
  free(shape);
  return code;
}

/* What goes its own way may leave the box. */
static vlCode create_one(vlBody **body, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  const vlBodyType *type = vl_body_type(def->kind);
  assert(type->create && type->begin && type->solve && type->finish && type->measure && type->bytes && type->state &&
         type->restored && type->halt && (!type->matrix || type->mass_part));
  vlCode code = type->create(body, scene, def, status);
  if (!code)
    code = type->leaves ? check_size(*body, status) : vl_body_check_inside(vl_body_bounds(*body), scene, def, status);
  if (code) return vl_body_locate(code, scene, def, place_of(def, code), status);
  (*body)->scene = scene;
  (*body)->def = def;
  (*body)->friction = def->friction;
  (*body)->first_material = (*body)->material =
      (vlBodyMaterial){(*body)->density, def->young, def->poisson, def->mass_damping, def->stiffness_damping};
  memcpy((*body)->first, (*body)->x, (size_t)(*body)->node_count * sizeof *(*body)->x);
  if (type->hold) code = type->hold(*body, status); /* which has told where */
  if (code || def->mode_count == 0) return code;
  code = start_modes(*body, status);
  if (!code) code = vl_body_check_inside(vl_body_bounds(*body), scene, def, status);
  memcpy((*body)->first, (*body)->x, (size_t)(*body)->node_count * sizeof *(*body)->x);
  return vl_body_locate(code, scene, def, def->modes[0].where, status);
}

vlCode vl_bodies_create(vlBodySet *bodies, const vlScene *scene, vlLog log, vlStatus *status)
{
  size_t count = scene->body_count > 0 ? (size_t)scene->body_count : 0;
  *bodies = (vlBodySet){.body = calloc(count + 1, sizeof *bodies->body),
                        .first_node = calloc(count + 1, sizeof *bodies->first_node)};
  vlCode code = VL_OK;
  if (!bodies->body || !bodies->first_node) code = vl_fail_memory(status, count * sizeof *bodies->body, "the bodies");
  if (!code) bodies->count = (int)count;
  for (int i = 0; i < bodies->count && !code; i++) {
    vl_log(log, VL_LOG_INFO, "preparing body '%.63s', %d of %d", scene->bodies[i].name, i + 1, bodies->count);
    code = create_one(&bodies->body[i], scene, &scene->bodies[i], status);
    if (!code) bodies->first_node[i + 1] = bodies->first_node[i] + bodies->body[i]->node_count;
  }
  if (code) vl_bodies_clear(bodies);
  return code;
}

void vl_bodies_clear(vlBodySet *bodies)
{
  if (!bodies) return;
  for (int i = 0; i < bodies->count; i++) vl_body_destroy(&bodies->body[i]);
  free(bodies->body);
  free(bodies->first_node);
  *bodies = (vlBodySet){0};
}

void vl_bodies_doubt(const vlBodySet *bodies, vlBox3 box, vlLog log)
{
  for (int b = 0; b < bodies->count; b++)
    if (bodies->body[b]->type->doubt) bodies->body[b]->type->doubt(bodies->body[b], box, log);
}

void vl_bodies_halt(const vlBodySet *bodies)
{
  for (int b = 0; b < bodies->count; b++) bodies->body[b]->type->halt(bodies->body[b]);
}

void vl_bodies_drive(vlBodySet *bodies, double time, double dt)
{
  for (int b = 0; b < bodies->count; b++) {
    if (bodies->body[b]->type->drive) bodies->body[b]->type->drive(bodies->body[b], time, dt);
    vl_grabs_aim(bodies->body[b], time, dt);
  }
}

double vl_bodies_longest_step(const vlBodySet *bodies, double time, double dt, double way)
{
  enum { TRIES = 60 };
  for (int b = 0; b < bodies->count; b++) {
    const vlBody *body = bodies->body[b];
    if (!body->type->way && body->control.grab_count == 0) continue;
    double most = fmin(way, 0.5 * vl_body_size(body)); /* the latter is a turn of about a radian */
    if (!isfinite(dt)) dt = 1.0 / body->scene->time.frames_per_second;
    for (int i = 0; i < TRIES; i++) {
      double far = fmax(body->type->way ? body->type->way(body, time, dt) : 0.0, vl_grabs_way(body, time, dt));
      if (!(far > most)) break;
      dt *= fmax(0.25, 0.98 * most / far);
    }
  }
  return dt;
}

double vl_bodies_fastest(const vlBodySet *bodies)
{
  double fastest = 0.0;
  for (int b = 0; b < bodies->count; b++)
    for (int i = 0; i < bodies->body[b]->node_count; i++) fastest = fmax(fastest, vl_norm(bodies->body[b]->v[i]));
  return fastest;
}

/* Bodies shown to a visitor of the state (grid/visitor.h).
 *
 * Shown of each body: what its kind says decides about the bits of the next step (vlBodyType.state), and its mesh at rest,
 * to know it again. What follows from pins is read where the scene's pins are the same; where they have changed since, what
 * they say now counts, as everything else in a scene that may change. Names and materials may differ too, motions from the
 * time of the state on. Other bodies are refused before anything is changed. Pieces: "bodies", and "body0.x" ... */

enum { NAME = 32 };

typedef struct Head {
  char name[64], kind[16];
  int64_t nodes, elements, element_nodes;
  uint64_t mesh; /* checksum of the nodes of triangles and elements */
} Head;

static const char *piece(char name[static NAME], int body, const char *array)
{
  snprintf(name, NAME, "body%d.%s", body, array);
  return name;
}

static Head head_of(const vlBody *b)
{
  size_t corners = (size_t)b->element_count * (size_t)b->element_nodes;
  vlCrc64 crc;
  vl_crc64_create(&crc);
  Head head = {.nodes = b->node_count, .elements = b->element_count, .element_nodes = b->element_nodes};
  snprintf(head.name, sizeof head.name, "%s", b->def->name);
  snprintf(head.kind, sizeof head.kind, "%s", b->type->name);
  head.mesh = vl_crc64(&crc, 0, b->triangle, (size_t)b->triangle_count * sizeof *b->triangle);
  if (corners > 0) head.mesh = vl_crc64(&crc, head.mesh, b->node, corners * sizeof *b->node);
  return head;
}

static vlCode save(const vlBodySet *bodies, vlVisitor *v, vlStatus *status)
{
  Head *heads = calloc((size_t)bodies->count, sizeof *heads);
  if (!heads) return vl_fail_memory(status, (size_t)bodies->count * sizeof *heads, "the bodies");
  for (int i = 0; i < bodies->count; i++) heads[i] = head_of(bodies->body[i]);
  vlCode code = v->array(v->data, "bodies", heads, sizeof *heads, (size_t)bodies->count, status);
  free(heads);
  for (int i = 0; i < bodies->count && !code; i++) {
    vlBody *b = bodies->body[i];
    vlBodyArray list[VL_BODY_ARRAYS];
    char name[NAME];
    code = v->array(v->data, piece(name, i, "rest"), b->rest, sizeof *b->rest, (size_t)b->node_count, status);
    for (int a = 0, arrays = b->type->state(b, list); a < arrays && !code; a++)
      code = v->array(v->data, piece(name, i, list[a].name), list[a].memory, list[a].size, list[a].count, status);
  }
  return code;
}

/* The largest distance of places at rest, over the size of the body: those of another compiler may differ in a last bit. */
static double largest_shift(const vlBody *b, const vlVec3 *rest)
{
  double shift = 0.0;
  for (int n = 0; n < b->node_count; n++) shift = fmax(shift, vl_norm(vl_sub(b->rest[n], rest[n])));
  return shift / vl_body_size(b);
}

static vlCode check_body(const vlBody *b, int i, const Head *found, const vlVisitor *v, vlStatus *status)
{
  Head own = head_of(b);
  char text[NAME];
  size_t count;
  if (strncmp(found->kind, own.kind, sizeof own.kind) != 0)
    return vl_fail(status, VL_ERROR_FILE, "its body '%.63s' is %.15s; body '%s' of this scene is %s", found->name,
                   found->kind, own.name, own.kind);
  if (found->nodes != own.nodes || found->elements != own.elements || found->element_nodes != own.element_nodes)
    return vl_fail(status, VL_ERROR_FILE,
                   "its body '%.63s' has %lld nodes and %lld elements of %lld nodes; body '%s' of this scene has %lld and "
                   "%lld of %lld",
                   found->name, (long long)found->nodes, (long long)found->elements, (long long)found->element_nodes,
                   own.name, (long long)own.nodes, (long long)own.elements, (long long)own.element_nodes);
  const vlVec3 *rest = v->find(v->data, piece(text, i, "rest"), sizeof *rest, &count);
  if (!rest || found->mesh != own.mesh || count != (size_t)b->node_count || !(largest_shift(b, rest) <= 1e-9))
    return vl_fail(status, VL_ERROR_FILE,
                   "its body '%.63s' rests in another place or form than body '%s' of this scene; mesh, size, place and "
                   "rotation must be the same",
                   found->name, own.name);
  return VL_OK;
}

static vlCode check(const vlBodySet *bodies, const vlVisitor *v, vlStatus *status)
{
  size_t count = 0;
  const Head *found = v->find(v->data, "bodies", sizeof *found, &count);
  if (count != (size_t)bodies->count)
    return vl_fail(status, VL_ERROR_FILE, "written with %zu bodies; this scene has %d", count, bodies->count);
  vlCode code = VL_OK;
  for (int i = 0; i < bodies->count && !code; i++) code = check_body(bodies->body[i], i, &found[i], v, status);
  return code;
}

/* Are the pins those of the state? */
static bool same_pins(const vlVisitor *v, int i, const vlBodyArray *list, int arrays)
{
  char name[NAME];
  size_t count;
  for (int a = 0; a < arrays; a++) {
    if (list[a].role != VL_BODY_PINS) continue;
    const void *found = v->find(v->data, piece(name, i, list[a].name), list[a].size, &count);
    if (!found || count != list[a].count || memcmp(found, list[a].memory, count * list[a].size) != 0) return false;
  }
  return true;
}

/* Into its memory, and looked at there. */
static vlCode restore_array(const vlBodyArray *array, int i, vlVisitor *v, vlStatus *status)
{
  char name[NAME];
  vlCode code = v->array(v->data, piece(name, i, array->name), array->memory, array->size, array->count, status);
  size_t numbers = array->count * (array->size / vl_numbers_bytes(array->numbers));
  return code ? code : vl_numbers_check(name, array->numbers, array->memory, numbers, status);
}

static vlCode restore(vlBody *b, int i, vlVisitor *v, double time, vlStatus *status)
{
  vlBodyArray list[VL_BODY_ARRAYS];
  int arrays = b->type->state(b, list);
  bool same = same_pins(v, i, list, arrays);
  vlCode code = VL_OK;
  for (int a = 0; a < arrays && !code; a++)
    if (list[a].role <= VL_BODY_TRIED || (list[a].role == VL_BODY_OF_PINS && same))
      code = restore_array(&list[a], i, v, status);
  if (!code) code = b->type->restored(b, same, time, status);
  return code;
}

/* Copies what a step tries to and from the mark, NULL: only counts its bytes. */
static size_t copy_tried(const vlBodySet *bodies, unsigned char *mark, bool back)
{
  size_t length = 0;
  for (int i = 0; i < bodies->count; i++) {
    vlBodyArray list[VL_BODY_ARRAYS];
    for (int a = 0, arrays = bodies->body[i]->type->state(bodies->body[i], list); a < arrays; a++) {
      if (list[a].role != VL_BODY_TRIED) continue;
      size_t bytes = list[a].size * list[a].count;
      if (mark) memcpy(back ? list[a].memory : mark + length, back ? mark + length : list[a].memory, bytes);
      length += bytes;
    }
  }
  return length;
}

vlCode vl_bodies_mark(const vlBodySet *bodies, vlBodyMark *mark, vlStatus *status)
{
  size_t bytes = copy_tried(bodies, NULL, false);
  if (!vl_array_reserve(&mark->bytes, &mark->capacity, bytes + 1, 1)) return vl_fail_memory(status, bytes, "the bodies");
  copy_tried(bodies, mark->bytes, false);
  return VL_OK;
}

void vl_bodies_back(vlBodySet *bodies, const vlBodyMark *mark) { copy_tried(bodies, mark->bytes, true); }

vlCode vl_bodies_visit(vlBodySet *bodies, vlVisitor *v, double time, vlStatus *status)
{
  if (!v->restoring) return bodies->count > 0 ? save(bodies, v, status) : VL_OK;
  vlCode code = check(bodies, v, status);
  for (int i = 0; i < bodies->count && !code; i++) code = restore(bodies->body[i], i, v, time, status);
  return code;
}
