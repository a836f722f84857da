/* Inside the checkpoints: the bytes of the file. Only checkpoint*.c and their tests include this.
 *
 *   header                                           64 bytes, laid out like this in every version of the format
 *   chunk: head, elements, zeros, checksum           64 bytes; size * count; so that all is a multiple of 64; 8
 *   ...
 *   tail                                             64 bytes
 * Each part carries a CRC-64 of its own bytes before it, and the tail's also covers the checksums of all parts before, in
 * their order. So a changed byte is found in the part it is in, and a lost, doubled or moved part at the end. */
#ifndef VL_FILES_CHECKPOINT_FORMAT_H
#define VL_FILES_CHECKPOINT_FORMAT_H

#include "base/crc64.h"
#include "files/checkpoint.h"

enum {
  VL_CHECKPOINT_FORMAT = 2, /* goes up whenever an older program could no longer read the file */
  VL_CHECKPOINT_UNIT = 64,  /* bytes: header, head and tail; the elements start at a multiple of it */
};
#define VL_CHECKPOINT_MAGIC "VELELLA\n"
#define VL_CHECKPOINT_ORDER 0x01020304u   /* reads as 0x04030201 where the other end of a number comes first */
#define VL_CHECKPOINT_CHUNK 0x6b6e756863u /* "chunk" */
#define VL_CHECKPOINT_TAIL 0x6c696174u    /* "tail" */

typedef struct vlCheckpointHeader {
  char magic[8];
  uint32_t order, format;
  char library[40]; /* version of Velella, with its NUL */
  uint64_t checksum;
} vlCheckpointHeader;

typedef struct vlCheckpointHead {
  uint64_t mark;
  char name[VL_CHECKPOINT_NAME]; /* zeros behind it */
  uint64_t size, count;          /* bytes of an element, elements */
  uint64_t checksum;
} vlCheckpointHead;

typedef struct vlCheckpointTail {
  uint64_t mark;
  uint64_t chunks; /* in the file */
  uint64_t bytes;  /* of the whole file */
  uint64_t spare[4];
  uint64_t checksum; /* of the checksums before, then of the bytes above */
} vlCheckpointTail;

_Static_assert(sizeof(vlCheckpointHeader) == VL_CHECKPOINT_UNIT, "packed");
_Static_assert(sizeof(vlCheckpointHead) == VL_CHECKPOINT_UNIT, "packed");
_Static_assert(sizeof(vlCheckpointTail) == VL_CHECKPOINT_UNIT, "packed");

/* Zeros between the elements and their checksum. */
static inline size_t vl_checkpoint_gap(uint64_t bytes)
{
  return (VL_CHECKPOINT_UNIT - (bytes + sizeof(uint64_t)) % VL_CHECKPOINT_UNIT) % VL_CHECKPOINT_UNIT;
}

#endif
