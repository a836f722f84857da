/* Inside the mesh readers: numbers stored as bytes, and bytes stored as text. Only read*.c include this. */
#ifndef VL_MESH_READ_BYTES_H
#define VL_MESH_READ_BYTES_H

#include "mesh/read.h"

typedef enum vlValueType {
  VL_INT8,
  VL_UINT8,
  VL_INT16,
  VL_UINT16,
  VL_INT32,
  VL_UINT32,
  VL_FLOAT32,
  VL_FLOAT64,
  VL_INT64,
  VL_UINT64,
  VL_VALUE_TYPES
} vlValueType;

int vl_value_bytes(vlValueType type);
/* The first `count` bytes, up to 8, as a whole number without sign; big: the highest byte comes first. */
uint64_t vl_bytes_integer(const char *bytes, int count, bool big);
/* A value as a double, which holds all but the largest whole numbers of 64 bits exactly. */
double vl_value_decode(const char *bytes, vlValueType type, bool big);
/* Decodes base64 from [*at, end) until `count` bytes are there and moves *at behind what it took; blanks and line ends are
 * passed over, and padding may stand between parts. Returns how many bytes it found before the end or a foreign letter. */
size_t vl_base64_decode(const char **at, const char *end, char *bytes, size_t count);

#endif
