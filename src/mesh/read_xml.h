/* Inside the mesh readers: the tags of an XML text. Only read*.c include this. */
#ifndef VL_MESH_READ_XML_H
#define VL_MESH_READ_XML_H

#include "mesh/read.h"

typedef struct vlXmlTag {
  const char *begin, *end; /* '<', and one past '>' */
  vlWord name;
  bool closes; /* </name> */
  bool empty;  /* <name/> */
} vlXmlTag;

/* The next tag at or behind *at, which is moved behind it; declarations and comments are passed over. False: there is none.
 */
bool vl_xml_next(const char **at, const char *end, vlXmlTag *tag);
/* The text of an attribute, without its quotes and with no entity replaced; false: the tag has none of that name. */
bool vl_xml_attribute(const vlXmlTag *tag, const char *name, vlWord *value);
bool vl_xml_attribute_is(const vlXmlTag *tag, const char *name, const char *value);
/* A whole number from 0 on. */
bool vl_xml_attribute_count(const vlXmlTag *tag, const char *name, int64_t *value);

#endif
