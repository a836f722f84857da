/* Points of bodies against surfaces: distance, normal, the contact that comes of it. For the files that look for contacts.
 */
#ifndef VL_CONTACT_CONTACT_POINT_H
#define VL_CONTACT_CONTACT_POINT_H

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
bool vl_contacts_meet(vlContacts *contacts, const vlBodySet *scene, const vlOwnPoint *own, const vlTouch *touch, double dt);

#endif
