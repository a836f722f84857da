/* Inside of finding contacts: points of bodies against surfaces, with distance, normal and the contact that comes of it; and
 * the parts of the search. */
#ifndef VL_CONTACT_CONTACT_PARTS_H
#define VL_CONTACT_CONTACT_PARTS_H

#include "contact/contact.h"

enum { VL_TOUCH_STATICS = -1 };

/* A point of a body. */
typedef struct vlOwnPoint {
  int body, count; /* nodes */
  int node[3];     /* of the body */
  double weight[3];
} vlOwnPoint;

/* The surface at a point. */
typedef struct vlTouch {
  double distance;  /* m, negative inside */
  vlVec3 normal;    /* unit, out of the surface; zero: there is none */
  vlVec3 velocity;  /* m/s */
  int body, count;  /* -1: no body's; nodes */
  int node[3];      /* of that body */
  double weight[3]; /* barycentric coordinates of the nearest point */
} vlTouch;

/* m: to another body, or to the static solids. */
double vl_touch_distance(const vlBodySet *scene, int other, vlVec3 x);
vlTouch vl_touch_at(const vlBodySet *scene, int other, vlVec3 x);
vlVec3 vl_own_place(const vlBodySet *scene, const vlOwnPoint *own);
/* m: how near something that moves at `speed`, m/s, relative to the surface must be to touch it within the step. */
double vl_contact_reach(const vlBodySet *scene, double speed, double dt);
/* Adds the contact if it can close within the step. False: no memory. */
bool vl_contacts_push(vlContacts *contacts, const vlBodySet *scene, const vlOwnPoint *own, const vlTouch *touch, double dt);
/* The same, but in another body no deeper than the nearest surface tells the way out. */
bool vl_contacts_meet(vlContacts *contacts, const vlBodySet *scene, const vlOwnPoint *own, const vlTouch *touch, double dt);

/* The mesh's vertices are nodes of the body, not all of them on the surface. */
vlCode vl_skin_create(vlSkin *skin, const vlTriMesh *surface, vlStatus *status);
void vl_skin_clear(vlSkin *skin);
/* Outward, unit: of an edge with the surface as it lies. */
vlVec3 vl_skin_edge_normal(const vlSkin *skin, const vlTriMesh *surface, int edge);
vlVec3 vl_skin_face_normal(const vlTriMesh *surface, int triangle);

/* What meets a surface between its nodes (contact_between.c): edges against another body or the static solids;
 * contacts->distance holds the distances of nodes, NAN: not found yet. `fastest`: m/s, no faster do both sides come
 * together. False: no memory, here and below. */
bool vl_contacts_try_edges(vlContacts *contacts, const vlBodySet *scene, int body, int other, double fastest, double dt);
/* Triangles against the static solids; all distances are there. */
bool vl_contacts_try_faces(vlContacts *contacts, const vlBodySet *scene, int body, double fastest, double dt);
/* Bodies that began inside each other, while they are deep in (contact_deep.c): their only contacts then. */
bool vl_contacts_try_deep(vlContacts *contacts, const vlBodySet *scene, int body, int other, double dt, bool *deep);
/* Nodes of a body's surface against its own triangles (contact_self.c). */
bool vl_contacts_try_self(vlContacts *contacts, const vlBodySet *scene, int body, double dt);
/* Of many contacts between things that do not yield a few are enough (contact_thin.c): drops those of rigid bodies, with
 * each other and with what stands still, that follow from the ones that stay. Order is kept. */
void vl_contacts_thin(vlContacts *contacts, const vlBodySet *scene);

#endif
