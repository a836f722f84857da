/* What no single key of a scene can know: the number of cells, steps against frames, shapes in themselves, liquid that
 * stands still, sources, bodies, their pins, motions and pushes, drags, probes, the camera. Each rule stands here once, for
 * scenes of files and of programs (check.h). In a file a key counts as given when it is written, in a program's scene when
 * it says something else than its default. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "base/words.h"
#include "scene/check.h"
#include "scene/rules_engine.h"
#include "solid/path.h"

enum { MOST_CELLS_ALONG = 4096 };
static const double MOST_STEPS = 1e10; /* no run ends after more */

static double longest_side(const vlGridDef *grid)
{
  double longest = fmax(grid->size.x, grid->size.y);
  return grid->slab ? longest : fmax(longest, grid->size.z);
}

static double cell_size(const vlGridDef *grid) { return grid->dx > 0.0 ? grid->dx : longest_side(grid) / grid->cells; }

static void complete_grid(const vlCheck *c, void *base)
{
  (void)base;
  vlGridDef *grid = &c->scene->grid;
  if (grid->dx > 0.0) grid->cells = 0;
  double dx = cell_size(grid);
  if (!grid->slab || !(dx > 0.0) || !isfinite(dx)) return;
  grid->size.z = dx;
  grid->origin.z = -0.5 * dx;
}

static vlCode check_grid(const vlCheck *c, const char *at, void *base)
{
  (void)base;
  const vlGridDef *grid = &c->scene->grid;
  const char *key = grid->cells ? "cells" : "dx";
  double n[3], dx = cell_size(grid), total = 1.0;
  for (int a = 0; a < 3; a++) {
    n[a] = fmax(1.0, round(grid->size.v[a] / dx));
    total *= n[a];
  }
  for (int a = 0; a < 3; a++)
    if (!(n[a] <= MOST_CELLS_ALONG))
      return vl_check_fail(c, at, key, VL_AT_VALUE, "%.0f cells along %c; at most %d are possible", n[a], "xyz"[a],
                           MOST_CELLS_ALONG);
  if (total > 2147483648.0)
    return vl_check_fail(c, at, key, VL_AT_VALUE, "%.0f x %.0f x %.0f = %.0f cells; at most 2147483648 are possible", n[0],
                         n[1], n[2], total);
  if (!(dx > 0.0)) return vl_check_fail(c, at, key, VL_AT_VALUE, "the cells are too small to be numbers");
  return VL_OK;
}

static vlCode check_time(const vlCheck *c, const char *at, void *base)
{
  (void)base;
  const vlTimeDef *time = &c->scene->time;
  char frame[32], fixed[32], most[32];
  double length = 1.0 / time->frames_per_second;
  vl_quantity_text(length, frame);
  vl_quantity_text(time->dt_fixed, fixed);
  vl_quantity_text(time->dt_max, most);
  /* 1e-6: room for a frame written in a few decimals */
  if (time->dt_fixed > length * (1.0 + 1e-6))
    return vl_check_fail(c, at, "dt_fixed", VL_AT_VALUE,
                         "%s s is longer than a frame; steps end at frames, so at most %s s is possible", fixed, frame);
  if (time->dt_fixed > time->dt_max)
    return vl_check_fail(c, at, "dt_fixed", VL_AT_VALUE, "%s s is longer than dt_max, %s s", fixed, most);
  if (time->dt_fixed > 0.0 && time->end / time->dt_fixed > MOST_STEPS)
    return vl_check_fail(c, at, "dt_fixed", VL_AT_VALUE, "steps of %s s are %.3g until the end; at most %.0g are possible",
                         fixed, time->end / time->dt_fixed, MOST_STEPS);
  if (time->end / time->dt_max > MOST_STEPS)
    return vl_check_fail(c, at, "dt_max", VL_AT_VALUE, "steps of %s s are %.3g until the end; at most %.0g are possible",
                         most, time->end / time->dt_max, MOST_STEPS);
  return VL_OK;
}

/* Leapfrog moves all together: what moves bodies apart from the liquid does not go with it. */
static vlCode check_scheme(const vlCheck *c, const char *at, void *base)
{
  (void)base;
  const vlScene *scene = c->scene;
  vlCouplingKind kind = scene->coupling.kind;
  if (scene->time.scheme != VL_TIME_LEAPFROG) return VL_OK;
  if (kind == VL_COUPLING_WEAK || kind == VL_COUPLING_DAMPING_ONLY) {
    vl_check_fail(c, at, "coupling", VL_AT_VALUE,
                  "%s moves bodies apart from the liquid; time.scheme: leapfrog moves them together",
                  vl_word(vl_coupling_words, kind));
    return vl_tree_note(c->status, "allowed with leapfrog: schur, spd, indefinite, minres");
  }
  return VL_OK;
}

static vlCode check_direction(const vlCheck *c, const char *at, const char *key, vlVec3 v)
{
  double length = vl_norm(v);
  if (length > 0.0 && isfinite(length)) return VL_OK;
  return vl_check_fail(c, at, key, VL_AT_VALUE, "a direction must not have length zero");
}

static vlCode check_look(const vlCheck *c, const char *at, void *base)
{
  (void)base;
  const vlLookDef *look = &c->scene->look;
  if (look->has_camera && look->has_target && !(vl_norm(vl_sub(look->camera, look->target)) > 0.0))
    return vl_check_fail(c, at, "target", VL_AT_VALUE, "the camera is at this very point");
  return check_direction(c, at, "sun", look->sun);
}

/* A box of two entries is thicker than the slab. */
static void complete_shape(const vlCheck *c, void *base)
{
  vlShape *s = base;
  double length = vl_norm(s->normal);
  if (c->scene->grid.slab && s->kind == VL_SHAPE_BOX && s->size.z == 0.0) s->size.z = 2.0 * longest_side(&c->scene->grid);
  /* once only: 2e-15 is what rounding leaves */
  if (s->kind == VL_SHAPE_HALFSPACE && isfinite(length) && fabs(length - 1.0) > 2e-15) s->normal = vl_unit(s->normal);
}

static double round_limit(const vlShape *s)
{
  if (s->kind == VL_SHAPE_BOX) return 0.5 * fmin(s->size.x, fmin(s->size.y, s->size.z));
  return fmin(0.5 * s->height, fmax(s->radius, s->radius_top));
}

static vlCode check_shape(const vlCheck *c, const char *at, void *base)
{
  const vlShape *s = base;
  char limit[32];
  bool rounded = s->kind == VL_SHAPE_BOX || s->kind == VL_SHAPE_CYLINDER || s->kind == VL_SHAPE_CONE;
  if (s->kind == VL_SHAPE_TORUS && s->tube_radius >= s->radius)
    return vl_check_fail(c, at, "tube_radius", VL_AT_VALUE, "the tube must be thinner than radius, %s m",
                         vl_quantity_text(s->radius, limit));
  if (rounded && s->round > round_limit(s))
    return vl_check_fail(c, at, "round", VL_AT_VALUE, "at most half of the thinnest side is possible, %s m",
                         vl_quantity_text(round_limit(s), limit));
  return s->kind == VL_SHAPE_HALFSPACE ? check_direction(c, at, "normal", s->normal) : VL_OK;
}

static vlCode check_span(const vlCheck *c, const char *at, double from, double until)
{
  char start[32], end[32];
  if (until > from) return VL_OK;
  return vl_check_fail(c, at, "end", VL_AT_VALUE, "%s s is not after its start, %s s", vl_quantity_text(until, end),
                       vl_quantity_text(from, start));
}

static vlCode check_source(const vlCheck *c, const char *at, void *base)
{
  const vlSourceDef *source = base;
  if (source->flow > 0.0 && !(vl_norm(source->velocity) > 0.0))
    return vl_check_fail(c, at, "flow", VL_AT_VALUE, "without a velocity it is not known which way it flows");
  return check_span(c, at, source->start, source->end);
}

static vlCode check_push(const vlCheck *c, const char *at, void *base)
{
  const vlPushDef *push = base;
  return check_span(c, at, push->start, push->end);
}

static vlCode check_mode(const vlCheck *c, const char *at, void *base)
{
  const vlModeDef *mode = base;
  if (mode->amplitude != 0.0 || mode->speed != 0.0) return VL_OK;
  return vl_check_fail(c, at, "mode", VL_AT_VALUE, "without amplitude and speed nothing starts in it; give one of them");
}

static vlCode check_outlet(const vlCheck *c, const char *at, void *base)
{
  const vlLiquidDef *liquid = &c->scene->liquid;
  const vlOutletDef *outlet = base;
  if (c->scene->grid.slab && outlet->side >= VL_BOX_Z_MINUS)
    return vl_check_fail(c, at, "side", VL_AT_VALUE, "a slab has no liquid flowing along z; x-, x+, y- and y+ are possible");
  for (const vlOutletDef *other = liquid->outlets; other < outlet; other++)
    if (other->side == outlet->side)
      return vl_check_fail(c, at, "side", VL_AT_VALUE, "another outlet has side %s already",
                           vl_word(vl_box_side_words, (int)outlet->side));
  return VL_OK;
}

/* What pieces of liquid within cells know nothing of. */
static vlCode check_subgrid(const vlCheck *c)
{
  const vlScene *scene = c->scene;
  const char *where = "";
  if (scene->liquid.transfer == VL_TRANSFER_STILL || scene->liquid.transfer == VL_TRANSFER_SEMI_LAGRANGIAN)
    return vl_check_fail(c, where, "liquid.transfer", VL_AT_VALUE,
                         "not with liquid.surface: subgrid: its liquid is particles; flip, apic and pic move them");
  if (scene->time.scheme == VL_TIME_LEAPFROG)
    return vl_check_fail(
        c, where, "time.scheme", VL_AT_VALUE,
        "not with liquid.surface: subgrid: what keeps the volume between the middles of steps is known of whole cells only");
  if (scene->pressure.weights != VL_WEIGHTS_AREA)
    return vl_check_fail(c, where, "pressure.weights", VL_AT_VALUE,
                         "not with liquid.surface: subgrid: pieces of liquid have areas; area is possible");
  for (int k = 0; k < scene->liquid.sink_count; k++) {
    char key[40];
    const vlSinkDef *sink = &scene->liquid.sinks[k];
    if (!sink->has_level && sink->pressure == 0.0) continue;
    snprintf(key, sizeof key, "liquid.sinks[%d].%s", k, sink->has_level ? "level" : "pressure");
    vl_check_fail(c, where, key, VL_AT_VALUE,
                  "not with liquid.surface: subgrid: the pressure of its pieces belongs to levels of the distance to a "
                  "surface that has one pressure");
    return vl_tree_note(c->status, "leave it out: the sink then takes away what comes into it; or use surface: cells");
  }
  return VL_OK;
}

/* Liquid that stands still has no velocity at the start either. */
static vlCode check_liquid(const vlCheck *c, const char *at, void *base)
{
  (void)base;
  const vlLiquidDef *liquid = &c->scene->liquid;
  if (liquid->refine != 2 && liquid->refine != 4 && liquid->refine != 8)
    return vl_check_fail(c, at, "refine", VL_AT_VALUE, "a cell is divided by 2, 4 or 8, not by %d", liquid->refine);
  if (liquid->surface == VL_LIQUID_SURFACE_SUBGRID) {
    vlCode code = check_subgrid(c);
    if (code) return code;
  }
  if (liquid->air == VL_LIQUID_AIR_TRAPPED && liquid->surface != VL_LIQUID_SURFACE_SUBGRID) {
    vl_check_fail(c, at, "air", VL_AT_VALUE, "air is trapped with liquid.surface: subgrid only");
    return vl_tree_note(c->status, "give surface: subgrid, or leave out air");
  }
  bool drifts = vl_norm(liquid->velocity) > 0.0;
  if (liquid->transfer != VL_TRANSFER_STILL) return VL_OK;
  const char *what = liquid->source_count ? "sources"
                     : liquid->sink_count ? "sinks"
                                          : "outlets",
             *start = drifts ? "velocity" : "swirl_speed";
  if (liquid->source_count + liquid->sink_count + liquid->outlet_count > 0) {
    vl_check_fail(c, at, what, VL_AT_KEY, "nothing moves with liquid.transfer: still, so there can be no %s", what);
    return vl_tree_note(c->status, "leave out %s, or choose another transfer", what);
  }
  if (!drifts && liquid->swirl_speed == 0.0) return VL_OK;
  vl_check_fail(c, at, start, VL_AT_KEY, "nothing moves with liquid.transfer: still");
  return vl_tree_note(c->status, "leave out %s, or choose another transfer", start);
}

static vlCode check_pin(const vlCheck *c, const char *at, void *base)
{
  const vlPinDef *pin = base;
  static const char *const keys[] = {"velocity", "amplitude"};
  const vlVec3 vectors[] = {pin->velocity, pin->amplitude};
  for (int i = 0; i < 2; i++)
    for (int a = 0; a < 3; a++)
      if (vectors[i].v[a] != 0.0 && !(pin->axes & 1u << a))
        return vl_check_fail(c, at, keys[i], VL_AT_VALUE, "the %c entry must be 0: the nodes are free along %c", "xyz"[a],
                             "xyz"[a]);
  if (vl_norm(pin->amplitude) > 0.0 && pin->frequency == 0.0)
    return vl_check_fail(c, at, "amplitude", VL_AT_VALUE, "nothing sways without a frequency");
  if (pin->release && isinf(pin->end))
    return vl_check_fail(c, at, "release", VL_AT_VALUE, "the nodes are never released without an end");
  return check_span(c, at, pin->start, pin->end);
}

static vlCode check_motion(const vlCheck *c, const char *at, void *base)
{
  vlMotionProblem problem = vl_motion_problem(base, c->scene->grid.slab);
  char entry[32] = "", key[64];
  if (!problem.text) return VL_OK;
  if (problem.index >= 0) snprintf(entry, sizeof entry, "keys[%d].", problem.index);
  snprintf(key, sizeof key, "%s%s", entry, problem.key);
  return vl_check_fail(c, at, key, VL_AT_VALUE, "%s", problem.text);
}

/* A body of a slab moves in its plane, and is as thick as the slab. */
static vlCode check_slab_body(const vlCheck *c, const char *at, const vlBodyDef *body)
{
  const vlMat3 Q = body->rotation;
  vlVec3 own = vl_mat_apply(vl_mat_transpose(Q), vl_vec(0, 0, 1)), longer = own;
  for (int a = 0; a < 3; a++) longer.v[a] *= body->stretch.v[a];
  double across = vl_norm(vl_sub(longer, own)), tilt = hypot(own.x, own.y), rounding = 1e-12; /* sin 180 degrees is not 0 */
  bool cuboids = body->kind == VL_BODY_ELASTIC && body->shape == VL_BODY_BOX && body->cell == 0.0;
  if (cuboids && tilt > rounding) {
    vl_check_fail(c, at, "rotate", VL_AT_VALUE, "in a slab boxes made of cells turn about z only");
    return vl_tree_note(c->status, "give cell instead of cells: then what is cut at z = 0 is filled");
  }
  if (body->spin.x != 0.0 || body->spin.y != 0.0)
    return vl_check_fail(c, at, "spin", VL_AT_VALUE, "the x and y entries must be 0 in a slab: bodies turn about z only");
  if (across <= rounding) return VL_OK;
  if (tilt <= rounding) return vl_check_fail(c, at, "stretch", VL_AT_VALUE, "the z entry must be 1 in a slab");
  return vl_check_fail(c, at, "stretch", VL_AT_VALUE,
                       "the body is turned, and its own axes that lead across the slab must not be stretched");
}

/* What a motion leaves no room for; a body that has one is scripted from here on. */
static vlCode check_scripted(const vlCheck *c, const char *at, vlBodyDef *body)
{
  static const char *const keys[] = {"velocity", "spin", "pushes"};
  const bool said[] = {vl_norm(body->velocity) > 0.0, vl_norm(body->spin) > 0.0, body->push_count > 0};
  if (body->reduced)
    return vl_check_fail(c, at, "reduced", VL_AT_KEY, "a body with a motion is rigid; leave out one of them");
  if (body->kind == VL_BODY_ELASTIC && vl_check_given(c, at, "rigid"))
    return vl_check_fail(c, at, "rigid", VL_AT_VALUE, "a body with a motion is rigid; leave out one of them");
  for (int i = 0; i < 3; i++)
    if (said[i] || vl_check_given(c, at, keys[i]))
      return vl_check_fail(c, at, keys[i], VL_AT_KEY, "motion says how it moves; this is for bodies without one");
  body->kind = VL_BODY_SCRIPTED;
  return VL_OK;
}

static vlCode check_rigid(const vlCheck *c, const char *at, const vlBodyDef *body)
{
  const vlVec3 s = body->stretch;
  if (body->pin_count > 0)
    return vl_check_fail(c, at, "pins", VL_AT_KEY, "pins hold nodes of elastic bodies; a rigid one is free");
  if (body->mode_count > 0)
    return vl_check_fail(c, at, "modes", VL_AT_KEY, "only elastic bodies have modes: a rigid one keeps its form");
  if (s.x != 1.0 || s.y != 1.0 || s.z != 1.0)
    return vl_check_fail(c, at, "stretch", VL_AT_KEY, "a rigid body cannot be stretched");
  /* slices are those of open areas */
  if (body->rigid_mass == VL_RIGID_MASS_SLICE && c->scene->pressure.weights != VL_WEIGHTS_AREA)
    return vl_check_fail(c, at, "rigid_mass", VL_AT_VALUE, "slice goes with pressure.weights: area only; the scene has %s",
                         vl_word(vl_weights_words, c->scene->pressure.weights));
  return VL_OK;
}

/* Keys that only rigid bodies take, and what it is made of. */
static vlCode check_elastic(const vlCheck *c, const char *at, const vlBodyDef *body)
{
  if (body->mass > 0.0) {
    vl_check_fail(c, at, "mass", VL_AT_KEY, "only rigid bodies take this key");
    return vl_tree_note(c->status, "give density instead, or rigid: yes too");
  }
  if (body->rigid_mass != VL_RIGID_MASS_EXACT || vl_check_given(c, at, "rigid_mass")) {
    vl_check_fail(c, at, "rigid_mass", VL_AT_KEY, "only rigid bodies take this key");
    return vl_tree_note(c->status, "give rigid: yes too");
  }
  if (body->shape == VL_BODY_BOX && body->solid.round > 0.0 && body->cell == 0.0)
    return vl_check_fail(c, at, "round", VL_AT_KEY, "cuboids have no round edges; give cell instead of cells");
  return VL_OK;
}

/* How the scene's engine and scheme must be for a reduced body. */
static vlCode check_reduced_scene(const vlCheck *c, const char *at)
{
  const vlScene *scene = c->scene;
  vlCouplingKind coupling = scene->coupling.kind;
  if (scene->grid.slab)
    return vl_check_fail(c, at, "reduced", VL_AT_KEY,
                         "in a slab bodies cannot be reduced: their grains fill three dimensions");
  if (scene->time.scheme == VL_TIME_LEAPFROG)
    return vl_check_fail(c, at, "reduced", VL_AT_KEY,
                         "a reduced body steps by backward Euler; the scene has time.scheme: %s",
                         vl_word(vl_time_scheme_words, VL_TIME_LEAPFROG));
  if (coupling == VL_COUPLING_SCHUR || coupling == VL_COUPLING_WEAK) return VL_OK;
  vl_check_fail(c, at, "reduced", VL_AT_KEY, "a reduced body has no sparse matrix; the scene has solver.coupling: %s",
                vl_word(vl_coupling_words, coupling));
  return vl_tree_note(c->status, "allowed with reduced bodies: schur, weak");
}

/* What a reduced body is not made of. */
static vlCode check_made(const vlCheck *c, const char *at, const vlBodyDef *body)
{
  if (body->element != VL_ELEMENT_LINEAR)
    return vl_check_fail(c, at, "element", VL_AT_VALUE, "a reduced body has linear elements; leave out one of them");
  if (body->model != VL_MODEL_COROTATIONAL)
    return vl_check_fail(c, at, "model", VL_AT_VALUE, "a reduced body is corotational; leave out one of them");
  if (body->scheme != VL_SCHEME_BACKWARD_EULER)
    return vl_check_fail(c, at, "integrator", VL_AT_VALUE, "a reduced body steps by backward Euler; leave out one of them");
  if (body->mode_count > 0)
    return vl_check_fail(c, at, "modes", VL_AT_KEY, "modes are found of elastic bodies that are not reduced");
  vlCode code = check_elastic(c, at, body);
  return code == VL_OK ? check_reduced_scene(c, at) : code;
}

/* In engine immersed the scene need not have said that it is one. */
static vlCode check_reduced(const vlCheck *c, const char *at, const vlBodyDef *body)
{
  vlCode code = check_made(c, at, body);
  if (code == VL_OK || c->scene->engine != VL_ENGINE_IMMERSED) return code;
  return vl_tree_note(c->status, "engine: immersed makes every body that yields a reduced one");
}

/* Which kind it is, where keys other than its own say so; and keys that are for reduced bodies alone, which a program may
 * leave at 0. */
static vlCode find_kind(const vlCheck *c, const char *at, vlBodyDef *body)
{
  const vlBodyDef plain = vl_body_default();
  static const char *const keys[] = {"handles", "clusters"};
  int *const value[] = {&body->handles, &body->clusters};
  const int usual[] = {plain.handles, plain.clusters};
  if (body->reduced && body->kind == VL_BODY_RIGID)
    return vl_check_fail(c, at, "reduced", VL_AT_KEY, "a rigid body does not yield; leave out rigid or reduced");
  if (body->reduced) body->kind = VL_BODY_REDUCED;
  body->reduced = body->kind == VL_BODY_REDUCED;
  for (int i = 0; i < 2; i++) {
    if (*value[i] == 0) *value[i] = usual[i];
    if (body->reduced || !vl_check_given(c, at, keys[i])) continue;
    vl_check_fail(c, at, keys[i], VL_AT_KEY, "only reduced bodies take this key");
    return vl_tree_note(c->status, "give reduced: yes too");
  }
  return VL_OK;
}

static vlCode check_integrator(const vlCheck *c, const char *at, const vlBodyDef *body)
{
  if (c->scene->time.scheme != VL_TIME_LEAPFROG || body->kind != VL_BODY_ELASTIC) return VL_OK;
  if (body->scheme == VL_SCHEME_BACKWARD_EULER && !vl_check_given(c, at, "integrator")) return VL_OK;
  vl_check_fail(c, at, "integrator", VL_AT_KEY,
                "with time.scheme: leapfrog bodies step as the liquid does, by no integrator of their own");
  return vl_tree_note(c->status, "leave out integrator, or choose time.scheme: euler");
}

static vlCode check_body(const vlCheck *c, const char *at, void *base)
{
  static vlCode (*const of_kind[VL_BODY_KIND_COUNT])(const vlCheck *, const char *,
                                                     const vlBodyDef *) = {[VL_BODY_ELASTIC] = check_elastic,
                                                                           [VL_BODY_RIGID] = check_rigid,
                                                                           [VL_BODY_SCRIPTED] = check_rigid,
                                                                           [VL_BODY_REDUCED] = check_reduced};
  vlBodyDef *body = base;
  vlCode code = VL_OK;
  if ((unsigned)body->kind >= VL_BODY_KIND_COUNT)
    return vl_check_fail(c, at, "rigid", VL_AT_VALUE, "%d: there is no such kind of body", (int)body->kind);
  if (body->kind != VL_BODY_SCRIPTED) code = find_kind(c, at, body);
  if (code != VL_OK) return code;
  if (body->motion_count > 0)
    code = check_scripted(c, at, body);
  else if (body->kind == VL_BODY_SCRIPTED)
    return vl_check_fail(c, at, "motion", VL_AT_KEY, "a scripted body has at least one");
  if (code == VL_OK && c->scene->grid.slab) code = check_slab_body(c, at, body);
  if (code == VL_OK) code = of_kind[body->kind](c, at, body);
  if (code == VL_OK) code = check_integrator(c, at, body);
  if (code != VL_OK) return code;
  vlShape shape = body->solid; /* of its kinds only those with limits of their own matter */
  shape.size = body->size;
  shape.kind = body->shape == VL_BODY_BOX ? VL_SHAPE_BOX : body->shape == VL_BODY_TORUS ? VL_SHAPE_TORUS : VL_SHAPE_CYLINDER;
  complete_shape(c, &shape);
  return check_shape(c, at, &shape);
}

/* Is there a body of this name? */
static vlCode check_body_name(const vlCheck *c, const char *at, const char wanted[64])
{
  enum { MOST = 32 };
  const char *names[MOST];
  char all[400] = "", shown[260];
  int count = 0;
  if (vl_check_mistaken(c, "bodies", "")) return VL_OK;
  for (int i = 0; i < c->scene->body_count; i++) {
    const char *name = c->scene->bodies[i].name;
    if (strncmp(name, wanted, 64) == 0) return VL_OK;
    if (count == MOST) continue;
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%.63s", count ? ", " : "", name);
    names[count++] = name;
  }
  vl_check_fail(c, at, "body", VL_AT_VALUE, "%s: there is no body of this name",
                vl_shown(wanted, strnlen(wanted, 64), 40, shown, sizeof shown));
  if (!count) return vl_tree_note(c->status, "the scene has no bodies");
  vl_tree_note(c->status, "bodies: %s", all);
  const char *near = vl_nearest(wanted, names, count);
  return near ? vl_tree_note(c->status, "did you mean '%s'?", near) : VL_ERROR_SCENE;
}

/* A body whose kind the check of bodies has told, as they come before. */
static vlCode check_drag(const vlCheck *c, const char *at, void *base)
{
  const vlDragDef *drag = base;
  double before = drag->start;
  char own[32], last[32], key[32];
  vlCode code = check_body_name(c, at, drag->body);
  for (int i = 0; i < c->scene->body_count && !code; i++)
    if (strncmp(c->scene->bodies[i].name, drag->body, sizeof drag->body) == 0 &&
        (c->scene->bodies[i].kind == VL_BODY_SCRIPTED || c->scene->bodies[i].motion_count > 0))
      code =
          vl_check_fail(c, at, "body", VL_AT_VALUE, "%.63s has a motion and goes its own way: nobody drags it", drag->body);
  if (!code) code = check_span(c, at, drag->start, drag->end);
  for (int k = 0; k < drag->path_count && !code; k++) {
    double time = drag->path[k].time;
    snprintf(key, sizeof key, "path[%d].time", k);
    if (!(time > before))
      code = vl_check_fail(c, at, key, VL_AT_VALUE, "%s s is not after %s, %s s", vl_quantity_text(time, own),
                           k ? "the place before" : "the start", vl_quantity_text(before, last));
    before = time;
  }
  return code;
}

static vlCode check_flux(const vlCheck *c, const char *at, const vlProbeDef *probe)
{
  if (probe->kind != VL_PROBE_FLUX) return VL_OK;
  if (c->scene->grid.slab && probe->axis == 2)
    return vl_check_fail(c, at, "axis", VL_AT_VALUE, "nothing flows along z in a slab");
  for (int a = 0; a < 3; a++)
    if (a != probe->axis && !(probe->size.v[a] > 0.0))
      return vl_check_fail(c, at, "size", VL_AT_VALUE,
                           "the %c entry must be more than 0; only that along axis, %c, may be 0", "xyz"[a],
                           "xyz"[probe->axis]);
  return VL_OK;
}

/* Two entries: across the slab. */
static void complete_probe(const vlCheck *c, void *base)
{
  vlProbeDef *probe = base;
  if (c->scene->grid.slab && probe->kind == VL_PROBE_FLUX && probe->size.z == 0.0)
    probe->size.z = 2.0 * longest_side(&c->scene->grid);
}

static vlCode check_probe(const vlCheck *c, const char *at, void *base)
{
  const vlProbeDef *probe = base;
  const vlGridDef *grid = &c->scene->grid;
  for (int a = 0; a < 3; a++) {
    char x[32], low[32], high[32];
    double lo = grid->origin.v[a], hi = lo + grid->size.v[a], slack = 1e-9 * grid->size.v[a]; /* 0.1 + 0.2 is not 0.3 */
    if (probe->position.v[a] >= lo - slack && probe->position.v[a] <= hi + slack) continue;
    vl_check_fail(c, at, "position", VL_AT_VALUE, "%c = %s m is outside of the box", "xyz"[a],
                  vl_quantity_text(probe->position.v[a], x));
    return vl_tree_note(c->status, "allowed: %s to %s m", vl_quantity_text(lo, low), vl_quantity_text(hi, high));
  }
  vlCode code = probe->kind == VL_PROBE_NODE ? check_body_name(c, at, probe->body) : VL_OK;
  return code == VL_OK ? check_flux(c, at, probe) : code;
}

const vlRule vl_rules[VL_GROUP_COUNT] = {
    [VL_GROUP_SCENE] = {vl_complete_engine, vl_check_engine},
    [VL_GROUP_GRID] = {complete_grid, check_grid},
    [VL_GROUP_LIQUID] = {NULL, check_liquid},
    [VL_GROUP_OUTLET] = {NULL, check_outlet},
    [VL_GROUP_SOURCE] = {NULL, check_source},
    [VL_GROUP_SHAPE] = {complete_shape, check_shape},
    [VL_GROUP_BODY] = {NULL, check_body},
    [VL_GROUP_PIN] = {NULL, check_pin},
    [VL_GROUP_MOTION] = {NULL, check_motion},
    [VL_GROUP_PUSH] = {NULL, check_push},
    [VL_GROUP_MODE] = {NULL, check_mode},
    [VL_GROUP_DRAG] = {NULL, check_drag},
    [VL_GROUP_PROBE] = {complete_probe, check_probe},
    [VL_GROUP_SOLVER] = {NULL, check_scheme},
    [VL_GROUP_TIME] = {NULL, check_time},
    [VL_GROUP_RENDER] = {NULL, check_look},
};
