/* Where bodies touch each other, themselves, static solids and the sides of the box. */
#ifndef VL_CONTACT_CONTACT_H
#define VL_CONTACT_CONTACT_H

#include "solid/body_set.h"

enum { VL_CONTACT_NODES = 6 }; /* three of a triangle, and three of another */

/* A point of a body against a surface. The relative velocity is u = sum over k of weight_k v(node_k); a surface that is no
 * body's stands still and has no nodes. */
typedef struct vlContact {
  int count, own;                  /* nodes; the first `own` are those of the point, the others the surface's */
  int node[VL_CONTACT_NODES];      /* numbers among all nodes */
  double weight[VL_CONTACT_NODES]; /* barycentric coordinates, the surface's with a minus */
  int body[2];                     /* of the point; of the surface, the same: against itself, -1: a static solid or a side */
  vlVec3 frame[3];                 /* unit: normal, out of the surface; two tangents, in a slab one and 0 */
  double gap;                      /* m: distance at the step's beginning less the clearance, negative: too deep */
  double friction;                 /* Coulomb's coefficient */
} vlContact;

/* What of a body can touch: nodes and edges of its surface. */
typedef struct vlSkin {
  int *node; /* of the surface, ascending [node_count] */
  int node_count;
  int (*edge)[2]; /* their nodes, lower one first [edge_count] */
  int (*side)[2]; /* triangles of the surface on both sides, -1: none [edge_count] */
  int edge_count;
} vlSkin;

typedef struct vlContacts {
  vlContact *list; /* [count], by body */
  int count;
  size_t capacity;
  double clearance; /* m: what surfaces keep from each other */
  /* Kept from step to step. */
  vlSkin *skin;     /* of each body [skin_count] */
  vlBox3 *bounds;   /* m: of each body, and how far it may get in the step [skin_count] */
  double *distance; /* m: scratch, of a body's nodes to what is tried [most nodes of a body] */
  int skin_count;
  int *group; /* scratch of thinning [group_room] */
  bool *keep; /* the same [keep_room] */
  size_t group_room, keep_room;
} vlContacts;

/* Everything that could touch within a step of dt. The bodies are those of the first call. */
vlCode vl_contacts_find(vlContacts *contacts, const vlBodySet *scene, double dt, vlStatus *status);
/* m: how deep surfaces lie in each other where contacts were found; 0: nowhere. */
double vl_contacts_overlap(const vlContacts *contacts);
void vl_contacts_clear(vlContacts *contacts);

#endif
