/* From tetrahedra to elements: what vl_elastic_create needs besides memory for state. */
#ifndef VL_SOLID_ELASTIC_MESH_H
#define VL_SOLID_ELASTIC_MESH_H

#include "solid/elastic.h"

/* Fills the constant part of the body: nodes, elements, gradients, volumes, masses, surface. */
vlCode vl_elastic_mesh_build(vlElastic *body, const vlTetMesh *mesh, const char *name, vlStatus *status);

#endif
