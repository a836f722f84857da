/* Inside the reader of VTU files: its data arrays. Only read_vtu*.c include this. */
#ifndef VL_MESH_READ_VTU_H
#define VL_MESH_READ_VTU_H

#include "mesh/read_tet.h"
#include "mesh/read_xml.h"

/* What the whole file says about its arrays. */
typedef struct vlVtuStore {
  bool big;
  int size_bytes;         /* of the number of bytes in front of a block: 4 or 8 */
  const char *appended;   /* first byte behind the underscore, NULL: none */
  bool appended_is_bytes; /* else base64 */
} vlVtuStore;

/* One <DataArray>. */
typedef struct vlVtuArray {
  const char *what; /* for messages: "Points", "connectivity", "offsets", "types" */
  bool found;
  vlXmlTag tag;
  double *value; /* [count] */
  size_t count;
} vlVtuArray;

/* Fills array->value, to be freed with free(), also after a failure. */
vlCode vl_vtu_load(vlTetReader *t, const vlVtuStore *store, vlVtuArray *array);

#endif
