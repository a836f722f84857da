/* A body against itself. */
#ifndef VL_CONTACT_CONTACT_SELF_H
#define VL_CONTACT_CONTACT_SELF_H

#include "contact/contact.h"

/* Nodes of a body's surface against its own triangles. False: no memory. */
bool vl_contacts_try_self(vlContacts *contacts, const vlBodySet *scene, int body, double dt);

#endif
