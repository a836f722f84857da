/* Of many contacts between things that do not yield a few are enough. */
#ifndef VL_SOLID_CONTACT_THIN_H
#define VL_SOLID_CONTACT_THIN_H

#include "solid/contact.h"

/* Drops contacts of rigid bodies, with each other and with what stands still, that follow from the ones that stay. Order is
 * kept. */
void vl_contacts_thin(vlContacts *contacts, const vlBodySet *scene);

#endif
