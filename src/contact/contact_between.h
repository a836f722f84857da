/* What of a body meets a surface between its nodes. */
#ifndef VL_CONTACT_CONTACT_BETWEEN_H
#define VL_CONTACT_CONTACT_BETWEEN_H

#include "contact/contact.h"

/* Edges against another body or the static solids; contacts->distance holds the distances of nodes, NAN: not found yet.
 * `fastest`: m/s, no faster do both sides come together. False: no memory. */
bool vl_contacts_try_edges(vlContacts *contacts, const vlBodySet *scene, int body, int other, double fastest, double dt);
/* Triangles against the static solids; all distances are there. */
bool vl_contacts_try_faces(vlContacts *contacts, const vlBodySet *scene, int body, double fastest, double dt);

#endif
