/* What a scene becomes by its engine, and what does not go with it. In engine immersed bodies that yield are reduced and in
 * the medium, walls hold liquid that pulls at them, and steps have at most as many iterations as are given. */
#include "scene/rules_engine.h"

#include <stdio.h>

#include "base/words.h"

enum {
  ITERATIONS = 4, /* of a step, begun from the last pressure: residuals of 1e-4 and less */
  SWEEPS = 200    /* as in [brandt2019, app. C] */
};
static const double NEAREST = 0.5; /* cells: to the surface, for steps of 1/60 s are long for short waves */

void vl_complete_engine(const vlCheck *c, void *base)
{
  vlScene *scene = base, plain;
  if (scene->engine != VL_ENGINE_IMMERSED) return;
  vl_scene_default(&plain);
  for (int b = 0; b < scene->body_count; b++) {
    vlBodyDef *body = &scene->bodies[b];
    char at[32];
    snprintf(at, sizeof at, "bodies[%d]", b);
    if (body->kind == VL_BODY_ELASTIC && body->motion_count == 0 && !vl_check_given(c, at, "reduced")) body->reduced = true;
  }
  if (!vl_check_given(c, "pressure", "separation")) scene->pressure.separation = VL_SEPARATION_NO;
  if (!vl_check_given(c, "pressure", "max_iterations") && scene->pressure.max_iterations == plain.pressure.max_iterations) {
    if (scene->pressure.solver == VL_SOLVER_MULTIGRID) scene->pressure.max_iterations = ITERATIONS;
    if (scene->pressure.solver == VL_SOLVER_SWEEPS) scene->pressure.max_iterations = SWEEPS;
  }
  if (!vl_check_given(c, "pressure", "theta_min") && scene->pressure.theta_min == plain.pressure.theta_min)
    scene->pressure.theta_min = NEAREST;
}

static vlCode refuse(const vlCheck *c, const char *at, const char *key, const char *why)
{
  return vl_check_fail(c, at, key, VL_AT_VALUE, "not with engine: %s: %s", vl_word(vl_engine_words, VL_ENGINE_IMMERSED),
                       why);
}

static const char no_parting[] = "liquid does not part from walls there; leave it out";

/* Solids and bodies have a word of their own about it. */
static vlCode check_parting(const vlCheck *c)
{
  const vlScene *scene = c->scene;
  for (int i = 0; i < scene->solid_count + scene->body_count; i++) {
    int b = i - scene->solid_count;
    char at[32];
    snprintf(at, sizeof at, b < 0 ? "solids[%d]" : "bodies[%d]", b < 0 ? i : b);
    if (b < 0 ? scene->solids[i].has_separation && scene->solids[i].separation
              : scene->bodies[b].has_separation && scene->bodies[b].separation)
      return refuse(c, at, "separation", no_parting);
  }
  return VL_OK;
}

static vlCode check_bodies(const vlCheck *c)
{
  for (int b = 0; b < c->scene->body_count; b++) {
    char at[32];
    snprintf(at, sizeof at, "bodies[%d]", b);
    if (c->scene->bodies[b].kind == VL_BODY_RIGID)
      return refuse(c, at, "rigid", "what moves in the medium yields; a body of large young is nearly rigid");
    if (c->scene->bodies[b].kind == VL_BODY_ELASTIC && c->scene->bodies[b].motion_count == 0 && !c->scene->bodies[b].reduced)
      return refuse(c, at, "reduced", "bodies that yield are reduced there");
  }
  return VL_OK;
}

/* What belongs to steps of so many iterations, and to bodies in the medium. */
static vlCode check_sharp(const vlCheck *c)
{
  static const char only[] = "only with engine: immersed", all[] = "each step is solved to its tolerance here";
  const vlPressureDef *pressure = &c->scene->pressure;
  if (pressure->solver == VL_SOLVER_SWEEPS)
    return vl_check_fail(c, "pressure", "solver", VL_AT_VALUE, "sweeps %s: %s", only, all);
  if (pressure->guess != VL_GUESS_LAST) return vl_check_fail(c, "pressure", "guess", VL_AT_VALUE, "zero %s: %s", only, all);
  if (!c->scene->coupling.skins)
    return vl_check_fail(c, "solver", "skins", VL_AT_VALUE, "no %s: bodies have a surface here", only);
  if (pressure->density != VL_DENSITY_FACES)
    return vl_check_fail(c, "pressure", "density", VL_AT_VALUE, "cells %s: bodies have a surface here", only);
  return VL_OK;
}

vlCode vl_check_engine(const vlCheck *c, const char *at, void *base)
{
  const vlScene *scene = base;
  (void)at;
  if (scene->engine != VL_ENGINE_IMMERSED) return check_sharp(c);
  vlTransferKind transfer = scene->liquid.transfer;
  if (transfer == VL_TRANSFER_STILL || transfer == VL_TRANSFER_SEMI_LAGRANGIAN)
    return refuse(c, "liquid", "transfer", "its liquid is particles; flip, apic and pic move them");
  if (scene->liquid.surface != VL_LIQUID_SURFACE_CELLS)
    return refuse(c, "liquid", "surface", "liquid and bodies are one medium there, whose surface is one of cells");
  if (scene->time.scheme != VL_TIME_EULER) return refuse(c, "time", "scheme", "it steps by euler");
  if (scene->pressure.separation != VL_SEPARATION_NO) return refuse(c, "pressure", "separation", no_parting);
  if (scene->pressure.weights != VL_WEIGHTS_AREA) return refuse(c, "pressure", "weights", "open areas of faces are used");
  vlCode code = check_parting(c);
  return code ? code : check_bodies(c);
}
