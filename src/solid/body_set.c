/* The bodies of a scene, from their definitions to their first state.
 *
 * In: the scene. Out: bodies ready to step, or an error with file, line and the body's name. */
#include "solid/body_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"

static vlCode check_inside(const vlBody *body, const vlScene *scene, vlStatus *status)
{
  vlGrid grid;
  vlCode code = vl_grid_create(&grid, &scene->grid, status);
  if (code) return code;
  vlBox3 own = vl_body_bounds(body), box = vl_grid_box(&grid);
  for (int a = 0; a < (scene->grid.slab ? 2 : 3); a++) {
    double lo = box.lo.v[a], hi = box.hi.v[a], slack = 1e-9 * (hi - lo); /* 0.1 + 0.2 is not 0.3 */
    if (own.lo.v[a] >= lo - slack && own.hi.v[a] <= hi + slack) continue;
    return vl_fail(status, VL_ERROR_SCENE, "it begins from %c = %g to %g m; the box is from %g to %g m", 'x' + a,
                   own.lo.v[a], own.hi.v[a], lo, hi);
  }
  return VL_OK;
}

/* What is wrong with a mesh is said where its file is named. */
static vlSource place_of(const vlBodyDef *def, vlCode code)
{
  bool file = code == VL_ERROR_MESH && def->shape == VL_BODY_MESH && def->file && def->solid.where.line > 0;
  return file ? def->solid.where : def->where;
}

/* What goes its own way may leave the box. */
static vlCode create_one(vlBody **body, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlCode code = vl_body_type(def->kind)->create(body, scene, def, status);
  if (!code && !(*body)->type->way) code = check_inside(*body, scene, status);
  if (code) return vl_body_locate(code, scene, def, place_of(def, code), status);
  (*body)->scene = scene;
  (*body)->def = def;
  (*body)->friction = def->friction;
  memcpy((*body)->first, (*body)->x, (size_t)(*body)->node_count * sizeof *(*body)->x);
  return (*body)->type->hold ? (*body)->type->hold(*body, status) : VL_OK;
}

vlCode vl_bodies_create(vlBodySet *bodies, const vlScene *scene, vlStatus *status)
{
  size_t count = scene->body_count > 0 ? (size_t)scene->body_count : 0;
  *bodies = (vlBodySet){.body = calloc(count + 1, sizeof *bodies->body),
                        .first_node = calloc(count + 1, sizeof *bodies->first_node)};
  vlCode code = VL_OK;
  if (!bodies->body || !bodies->first_node) code = vl_fail_memory(status, count * sizeof *bodies->body, "the bodies");
  if (!code) bodies->count = (int)count;
  for (int i = 0; i < bodies->count && !code; i++) {
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

void vl_bodies_drive(vlBodySet *bodies, double time, double dt)
{
  for (int b = 0; b < bodies->count; b++)
    if (bodies->body[b]->type->drive) bodies->body[b]->type->drive(bodies->body[b], time, dt);
}

double vl_bodies_longest_step(const vlBodySet *bodies, double time, double dt, double way)
{
  enum { TRIES = 60 };
  for (int b = 0; b < bodies->count; b++) {
    const vlBody *body = bodies->body[b];
    if (!body->type->way) continue;
    double most = fmin(way, 0.5 * vl_body_size(body)); /* the latter is a turn of about a radian */
    if (!isfinite(dt)) dt = 1.0 / body->scene->time.frames_per_second;
    for (int i = 0; i < TRIES; i++) {
      double far = body->type->way(body, time, dt);
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
