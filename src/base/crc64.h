/* CRC-64: a checksum of bytes that come piece by piece. */
#ifndef VL_BASE_CRC64_H
#define VL_BASE_CRC64_H

#include "velella/types.h"

typedef struct vlCrc64 {
  uint64_t table[8][256];
} vlCrc64;

void vl_crc64_create(vlCrc64 *crc); /* fills the table */
/* The checksum of the bytes whose checksum is `before` (0: none) followed by these. Any change of up to 64 neighbouring
 * bits changes it. */
uint64_t vl_crc64(const vlCrc64 *crc, uint64_t before, const void *data, size_t bytes);

#endif
