/* What an elastic body feels inside, for pictures and tables. */
#ifndef VL_SOLID_ELASTIC_STRESS_H
#define VL_SOLID_ELASTIC_STRESS_H

#include "solid/elastic.h"

/* Cauchy stress of an element in its present shape, Pa: xx yy zz xy yz xz, tension positive; the mean over its present
 * volume. Finite for every shape: an element of less than 1 % of its volume at rest, or inside out, counts as having 1 %. */
void vl_elastic_stress(const vlBody *body, int element, double stress[6]);
/* Elements with an integration point that is inside out in the present shape. */
int vl_elastic_inverted(const vlBody *body);

#endif
