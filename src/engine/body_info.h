/* What one elastic body does: its measures for tables and programs. */
#ifndef VL_ENGINE_BODY_INFO_H
#define VL_ENGINE_BODY_INFO_H

#include "solid/elastic.h"
#include "velella/velella.h"

/* `zero`: where the potential energy is 0; `load`: N, of the liquid on each node [node_count], NULL: none. */
vlBodyInfo vl_body_info(const vlElastic *body, vlVec3 gravity, vlVec3 zero, const vlVec3 *load);
/* Axis times angle, 0 .. pi, of a proper rotation; right to round-off for all angles. */
vlVec3 vl_rotation_vector(vlMat3 rotation);

#endif
