/* Numbers with units: "30 cm", "9.81 m/s^2", "1/30 s" into SI. */
#ifndef VL_SCENE_QUANTITY_H
#define VL_SCENE_QUANTITY_H

#include "velella/types.h"

typedef enum vlDimension {
  VL_DIM_NONE,
  VL_DIM_LENGTH,
  VL_DIM_TIME,
  VL_DIM_RATE,
  VL_DIM_SPEED,
  VL_DIM_ACCELERATION,
  VL_DIM_DENSITY,
  VL_DIM_MASS,
  VL_DIM_PRESSURE,
  VL_DIM_ANGLE, /* plain numbers are degrees, the result is radians */
  VL_DIM_SPIN,  /* plain numbers are rad/s */
  VL_DIM_FORCE,
  VL_DIM_FLOW,
  VL_DIM_COUNT
} vlDimension;

enum { VL_WHY = 256 }; /* bytes of an explanation */

/* Reads text[length]. On failure says in `why` what is wrong and what is expected, without repeating the value. */
bool vl_quantity_read(const char *text, size_t length, vlDimension dimension, double *value, char why[VL_WHY]);

const char *vl_dimension_name(vlDimension dimension);  /* "a length" */
const char *vl_dimension_unit(vlDimension dimension);  /* unit of a plain number, "m"; empty for VL_DIM_NONE */
const char *vl_dimension_units(vlDimension dimension); /* "m, cm, mm, ..."; empty for VL_DIM_NONE */
/* Units of the dimension as alternatives of a regular expression; compound units by their letters only. */
const char *vl_dimension_pattern(vlDimension dimension);

/* "%.10g" with a point whatever the locale; returns `text`. */
const char *vl_quantity_text(double value, char text[static 32]);

#endif
