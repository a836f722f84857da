/* Where bodies touch each other, static solids and the sides of the box. */
#ifndef VL_SOLID_CONTACT_H
#define VL_SOLID_CONTACT_H

#include "solid/body_distance.h"
#include "solid/statics.h"

/* A node against a surface. The relative velocity of the node is u = sum over k of weight_k v(node_k) - that of a surface
 * which is no body's, zero. */
typedef struct vlContact {
  int node[4];      /* numbers among all nodes: the node, then the triangle's corners; -1: none */
  double weight[4]; /* 1, then minus the barycentric coordinates */
  int body[2];      /* of the node; of the triangle, -1: a static solid or a side of the box */
  vlVec3 frame[3];  /* unit: normal, out of the surface; two tangents */
  double gap;       /* m: distance at the step's beginning less the clearance, negative: too deep */
  double friction;  /* Coulomb's coefficient */
} vlContact;

typedef struct vlContacts {
  vlContact *list; /* [count], by body and node */
  int count;
  size_t capacity;
} vlContacts;

/* The bodies as they lie, and what they may touch. */
typedef struct vlContactScene {
  const vlGrid *grid;
  const vlStatics *statics; /* NULL: none */
  vlElastic *const *body;
  const int *first_node;          /* [count + 1] */
  const double *friction;         /* of each body [count] */
  int count;                      /* bodies */
  const vlBodyDistance *distance; /* trees of the bodies' surfaces as they lie */
} vlContactScene;

/* Every surface node that could touch something within a step of dt. */
vlCode vl_contacts_find(vlContacts *contacts, const vlContactScene *scene, double dt, vlStatus *status);
void vl_contacts_clear(vlContacts *contacts);

#endif
