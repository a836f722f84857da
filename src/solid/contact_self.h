/* A body against itself. */
#ifndef VL_SOLID_CONTACT_SELF_H
#define VL_SOLID_CONTACT_SELF_H

#include "solid/contact.h"

/* Nodes of a body's surface against its own triangles. False: no memory. */
bool vl_contacts_try_self(vlContacts *contacts, const vlBodySet *scene, int body, double dt);

#endif
