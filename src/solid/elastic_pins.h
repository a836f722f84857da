/* What holds and moves parts of elastic bodies: the scene's pins. */
#ifndef VL_SOLID_ELASTIC_PINS_H
#define VL_SOLID_ELASTIC_PINS_H

#include "solid/elastic.h"

/* Holds the nodes of the body's pins, which were found in its place now. */
vlCode vl_elastic_hold_pins(vlBody *body, vlStatus *status);
/* Holds, moves and releases pinned unknowns for a step from `time` to time + dt. */
void vl_elastic_move_pins(vlElastic *body, double time, double dt);
/* Nodes that a pin holds or moves along one axis or more. */
int vl_elastic_pinned(const vlBody *body);

/* Where a pin carries a body out of the box. */
typedef struct vlPinExit {
  int pin, axis; /* pin -1: none does */
  double time;   /* s; INFINITY: none does */
} vlPinExit;

/* The first pin to do so, up to the scene's end. */
vlPinExit vl_elastic_pin_exit(const vlElastic *body, vlBox3 box);

#endif
