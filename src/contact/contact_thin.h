/* Of many contacts between things that do not yield a few are enough. */
#ifndef VL_CONTACT_CONTACT_THIN_H
#define VL_CONTACT_CONTACT_THIN_H

#include "contact/contact.h"

/* Drops contacts of rigid bodies, with each other and with what stands still, that follow from the ones that stay. Order is
 * kept. */
void vl_contacts_thin(vlContacts *contacts, const vlBodySet *scene);

#endif
