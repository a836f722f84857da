/* What holds and moves parts of elastic bodies; for the engine's own files. */
#ifndef VL_ENGINE_BODY_PINS_H
#define VL_ENGINE_BODY_PINS_H

#include "base/vec.h"
#include "engine/bodies.h"

/* Puts "file:line:column: body 'name': " before the message and the line with a caret below; returns the code. */
vlCode vl_body_locate(vlCode code, const vlScene *scene, const vlBodyDef *def, vlSource where, vlStatus *status);
vlBox3 vl_body_bounds(const vlElastic *body); /* of its nodes */
/* Holds the nodes of the body's pins; owner: the pin of each unknown, -1: none [3 node_count]. */
vlCode vl_body_hold_pins(vlElastic *body, int *owner, const vlScene *scene, const vlBodyDef *def, vlStatus *status);

/* Where a pin carries a body out of the box. */
typedef struct vlPinExit {
  int pin, axis; /* pin -1: none does */
  double time;   /* s; INFINITY: none does */
} vlPinExit;

/* The first pin of a body to do so, up to the scene's end. */
vlPinExit vl_bodies_pin_exit(const vlBodies *bodies, const vlScene *scene, int body, vlBox3 box);

#endif
