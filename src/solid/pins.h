/* The pins of a scene, for kinds of bodies that have them: which nodes each takes, and where it brings them. */
#ifndef VL_SOLID_PINS_H
#define VL_SOLID_PINS_H

#include "solid/body.h"

/* The pin of each unknown 3 node + axis of a body that lies where it begins, the last that claims it; -1: none. */
vlCode vl_pins_find(const vlBody *body, int *pin, vlStatus *status);
int vl_pins_count(const vlBody *body, const int *pin); /* nodes that a pin holds or moves along one axis or more */

/* m/s: along an axis, as the scene begins. */
double vl_pin_first_velocity(const vlPinDef *pin, int axis);
/* Whether it has released what it held, in a step from `time` on. */
bool vl_pin_over(const vlBody *body, int pin, double time, double dt);
/* m: where it brings an unknown at the end of the step. */
double vl_pin_target(const vlBody *body, int pin, int unknown, double time, double dt);

/* Where a pin carries a body out of the box. */
typedef struct vlPinExit {
  int pin, axis; /* pin -1: none does */
  double time;   /* s; INFINITY: none does */
} vlPinExit;

/* The first pin to do so, up to the scene's end; and a warning of it. */
vlPinExit vl_pins_exit(const vlBody *body, const int *pin, vlBox3 box);
void vl_pins_doubt(const vlBody *body, const int *pin, vlBox3 box, vlLog log);

#endif
