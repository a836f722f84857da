/* The elastic bodies of a scene. */
#ifndef VL_ENGINE_BODIES_H
#define VL_ENGINE_BODIES_H

#include "mesh/stuff.h"
#include "solid/elastic.h"
#include "velella/scene.h"

typedef struct vlBodies {
  vlElastic **body; /* [count], in the scene's order */
  int count;
  vlStuffInfo *stuffed; /* what was met when each was filled with tetrahedra [count] */
  vlVec3 **first;       /* m: where the nodes of each body began, stretch included [count][node_count] */
  int **pin; /* pin of the scene's body that moves each unknown, the last that claims it; -1: none [count][3 node_count] */
} vlBodies;

/* Meshes, places and pins the scene's bodies. Errors name file, line and the body. */
vlCode vl_bodies_create(vlBodies *bodies, const vlScene *scene, vlStatus *status);
void vl_bodies_clear(vlBodies *bodies);
/* Holds, moves and releases pinned unknowns for a step from `time` to time + dt; before vl_elastic_begin. */
void vl_bodies_pin(vlBodies *bodies, const vlScene *scene, double time, double dt);
/* Nodes of a body that a pin of the scene holds or moves along one axis or more. */
int vl_bodies_pinned(const vlBodies *bodies, int body);
/* Largest speed of any node, m/s; 0 without bodies. */
double vl_bodies_fastest(const vlBodies *bodies);

#endif
