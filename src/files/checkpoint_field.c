/* Checkpoints of fields over sets of blocks.
 *
 * A field is dense in address space and almost empty, so only the blocks that a stage works on are saved: VL_BLOCK doubles
 * for each, in the order of the list. Blocks that are neighbours in a row are neighbours in memory and go out in one piece.
 * The values alone do not say where they belong: the first element of a field's chunk therefore holds the grid's size and
 * the checksum of the block list, and reading over another list is refused.
 * Inputs: blocks, fields. Outputs: chunks; and back. */
#include <assert.h>
#include <string.h>

#include "base/status.h"
#include "files/checkpoint_format.h"

/* First element of a field's chunk; as large as the values of a block. */
typedef struct FieldHead {
  int32_t n[3], count;
  uint64_t blocks; /* checksum of the list */
  char spare[VL_BLOCK * sizeof(double) - 4 * sizeof(int32_t) - sizeof(uint64_t)];
} FieldHead;
_Static_assert(sizeof(FieldHead) == VL_BLOCK * sizeof(double), "one element");
_Static_assert(sizeof(vlBlockPosition) == 3 * sizeof(int32_t), "positions are written as they lie in memory");

static FieldHead describe(const vlBlocks *blocks)
{
  vlCrc64 crc;
  vl_crc64_create(&crc);
  FieldHead head = {.n = {blocks->n[0], blocks->n[1], blocks->n[2]}, .count = blocks->count};
  head.blocks = vl_crc64(&crc, 0, blocks->at, (size_t)blocks->count * sizeof *blocks->at);
  return head;
}

static bool same_size(const int a[3], const int32_t b[3]) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

/* One past the last block that continues block b's piece of memory. */
static int run_end(const vlBlocks *blocks, int b)
{
  const vlBlockPosition *at = blocks->at;
  do b++;
  while (b < blocks->count && at[b].k == at[b - 1].k && at[b].j == at[b - 1].j && at[b].bx == at[b - 1].bx + 1);
  return b;
}

void vl_checkpoint_add_field(vlCheckpointWriter *writer, const char *name, const double *field, const vlGrid *grid,
                             const vlBlocks *blocks)
{
  assert(same_size(grid->n, blocks->n));
  FieldHead head = describe(blocks);
  vl_checkpoint_begin(writer, name, sizeof head, (size_t)blocks->count + 1);
  vl_checkpoint_append(writer, &head, sizeof head);
  for (int b = 0, end; b < blocks->count; b = end) {
    end = run_end(blocks, b);
    vl_checkpoint_append(writer, field + vl_blocks_field(grid, blocks->at[b]), (size_t)(end - b) * sizeof head);
  }
  vl_checkpoint_end(writer);
}

vlCode vl_checkpoint_read_field(const vlCheckpointReader *reader, const char *name, const vlGrid *grid,
                                const vlBlocks *blocks, double *field, vlStatus *status)
{
  assert(same_size(grid->n, blocks->n));
  size_t count;
  const FieldHead *from = vl_checkpoint_find(reader, name, sizeof *from, &count, status);
  if (!from) return VL_ERROR_FILE;
  if (count == 0) return vl_fail(status, VL_ERROR_FILE, "the checkpoint's '%s' is no field", name);
  FieldHead here = describe(blocks);
  if (!same_size(here.n, from->n))
    return vl_fail(status, VL_ERROR_FILE, "the checkpoint's '%s' is of a grid of %d x %d x %d cells, not of %d x %d x %d",
                   name, from->n[0], from->n[1], from->n[2], here.n[0], here.n[1], here.n[2]);
  if (from->count != here.count || from->blocks != here.blocks || count != (size_t)here.count + 1)
    return vl_fail(status, VL_ERROR_FILE, "the checkpoint's '%s' covers %d blocks, not the %d blocks it is read over", name,
                   from->count, here.count);
  from++;
  for (int b = 0, end; b < blocks->count; b = end) {
    end = run_end(blocks, b);
    memcpy(field + vl_blocks_field(grid, blocks->at[b]), from + b, (size_t)(end - b) * sizeof *from);
  }
  return VL_OK;
}
