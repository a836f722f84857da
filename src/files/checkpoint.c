/* Checkpoints: the writer.
 *
 * A run must be able to go on from its last checkpoint after any end, so a checkpoint is written beside the older one and
 * takes its place only when it is on the disk as a whole (files/file.h). Chunks go to the file as they come, their checksums
 * are computed on the way and follow them: nothing is copied and nothing but the names is kept.
 * The first failure, of the disk or of the caller, sticks and is reported by the commit.
 * Inputs: named arrays. Output: one file in the format of files/checkpoint_format.h. */
#include "files/checkpoint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "files/checkpoint_format.h"
#include "files/file.h"
#include "velella/velella.h"

struct vlCheckpointWriter {
  vlFile file;
  vlCrc64 crc;
  vlStatus status; /* the first failure that is not the disk's */
  char (*names)[VL_CHECKPOINT_NAME];
  size_t chunk_count, name_capacity;
  uint64_t bytes; /* written so far */
  uint64_t total; /* checksum of the checksums so far */
  /* of the open chunk: */
  bool open;
  uint64_t wanted, written; /* bytes of its elements */
  uint64_t checksum;
};

static void write_bytes(vlCheckpointWriter *writer, const void *data, size_t bytes)
{
  vl_file_write(&writer->file, data, bytes);
  writer->bytes += bytes;
}

/* Writes a part of VL_CHECKPOINT_UNIT bytes whose last 8 are its checksum, continued from `before`. */
static void write_part(vlCheckpointWriter *writer, void *part, uint64_t before)
{
  char *bytes = part;
  size_t covered = VL_CHECKPOINT_UNIT - sizeof(uint64_t);
  uint64_t checksum = vl_crc64(&writer->crc, before, bytes, covered);
  memcpy(bytes + covered, &checksum, sizeof checksum);
  write_bytes(writer, bytes, VL_CHECKPOINT_UNIT);
  writer->total = vl_crc64(&writer->crc, writer->total, &checksum, sizeof checksum);
}

vlCode vl_checkpoint_create(vlCheckpointWriter **writer, const char *path, vlStatus *status)
{
  _Static_assert(sizeof VELELLA_VERSION <= sizeof((vlCheckpointHeader *)0)->library, "the version has room");
  *writer = NULL;
  vlCheckpointWriter *w = calloc(1, sizeof *w);
  if (!w) return vl_fail_memory(status, sizeof *w, path);
  vlCode code = vl_file_open(&w->file, path, status);
  if (code != VL_OK) {
    free(w);
    return code;
  }
  vl_crc64_create(&w->crc);
  vlCheckpointHeader header = {.order = VL_CHECKPOINT_ORDER, .format = VL_CHECKPOINT_FORMAT, .library = VELELLA_VERSION};
  memcpy(header.magic, VL_CHECKPOINT_MAGIC, sizeof header.magic);
  write_part(w, &header, 0);
  *writer = w;
  return VL_OK;
}

/* Notes the name, so that no two chunks share one. */
static void take_name(vlCheckpointWriter *writer, const char *name)
{
  size_t length = strlen(name);
  vlCode code = VL_OK;
  if (length == 0 || length >= VL_CHECKPOINT_NAME)
    code = vl_fail(&writer->status, VL_ERROR_INTERNAL, "a chunk is called '%s'; names have 1 to %d letters", name,
                   VL_CHECKPOINT_NAME - 1);
  for (size_t i = 0; i < writer->chunk_count && code == VL_OK; i++)
    if (strcmp(writer->names[i], name) == 0)
      code = vl_fail(&writer->status, VL_ERROR_INTERNAL, "two chunks are called '%s'; names must differ", name);
  void *names = writer->names;
  bool room = vl_array_reserve(&names, &writer->name_capacity, writer->chunk_count + 1, sizeof *writer->names);
  writer->names = names;
  if (!room && code == VL_OK) code = vl_fail_memory(&writer->status, sizeof *writer->names, "a chunk's name");
  if (code == VL_OK) strcpy(writer->names[writer->chunk_count++], name);
}

void vl_checkpoint_begin(vlCheckpointWriter *writer, const char *name, size_t size, size_t count)
{
  if (writer->status.code != VL_OK) return;
  if (writer->open) {
    vl_fail(&writer->status, VL_ERROR_INTERNAL, "chunk '%s' begins before chunk '%s' has ended", name,
            writer->names[writer->chunk_count - 1]);
    return;
  }
  if (size == 0 || __builtin_mul_overflow(size, count, &writer->wanted)) {
    vl_fail(&writer->status, VL_ERROR_INTERNAL, "chunk '%s' has %zu elements of %zu bytes; it must be addressable", name,
            count, size);
    return;
  }
  take_name(writer, name);
  if (writer->status.code != VL_OK) return;
  vlCheckpointHead head = {.mark = VL_CHECKPOINT_CHUNK, .size = size, .count = count};
  strcpy(head.name, name);
  write_part(writer, &head, 0);
  writer->open = true;
  writer->written = writer->checksum = 0;
}

void vl_checkpoint_append(vlCheckpointWriter *writer, const void *data, size_t bytes)
{
  if (writer->status.code != VL_OK || !writer->open) return;
  writer->written += bytes;
  if (writer->written > writer->wanted || writer->file.error) return;
  writer->checksum = vl_crc64(&writer->crc, writer->checksum, data, bytes);
  write_bytes(writer, data, bytes);
}

void vl_checkpoint_end(vlCheckpointWriter *writer)
{
  if (writer->status.code != VL_OK || !writer->open) return;
  writer->open = false;
  if (writer->written != writer->wanted) {
    vl_fail(&writer->status, VL_ERROR_INTERNAL, "chunk '%s' got %llu bytes; its elements take %llu",
            writer->names[writer->chunk_count - 1], (unsigned long long)writer->written, (unsigned long long)writer->wanted);
    return;
  }
  static const char zeros[VL_CHECKPOINT_UNIT];
  size_t gap = vl_checkpoint_gap(writer->wanted);
  uint64_t checksum = vl_crc64(&writer->crc, writer->checksum, zeros, gap);
  write_bytes(writer, zeros, gap);
  write_bytes(writer, &checksum, sizeof checksum);
  writer->total = vl_crc64(&writer->crc, writer->total, &checksum, sizeof checksum);
}

void vl_checkpoint_add(vlCheckpointWriter *writer, const char *name, const void *data, size_t size, size_t count)
{
  vl_checkpoint_begin(writer, name, size, count);
  if (writer->open) vl_checkpoint_append(writer, data, size * count);
  vl_checkpoint_end(writer);
}

vlCode vl_checkpoint_commit(vlCheckpointWriter **writer, vlStatus *status)
{
  vlCheckpointWriter *w = *writer;
  if (w->open && w->status.code == VL_OK)
    vl_fail(&w->status, VL_ERROR_INTERNAL, "chunk '%s' has not been ended", w->names[w->chunk_count - 1]);
  vlCode code = w->status.code;
  if (code == VL_OK) {
    vlCheckpointTail tail = {.mark = VL_CHECKPOINT_TAIL, .chunks = w->chunk_count, .bytes = w->bytes + VL_CHECKPOINT_UNIT};
    write_part(w, &tail, w->total);
    code = vl_file_commit(&w->file, status);
  } else {
    vl_fail(status, code, "%s is not written: %s", w->file.path, w->status.message);
  }
  vl_checkpoint_abandon(writer);
  return code;
}

void vl_checkpoint_abandon(vlCheckpointWriter **writer)
{
  vl_file_abandon(&(*writer)->file);
  free((*writer)->names);
  free(*writer);
  *writer = NULL;
}

/* Checkpoints of fields over sets of blocks.
 *
 * A field is dense in address space and almost empty, so only the blocks that a stage works on are saved: VL_BLOCK doubles
 * for each, in the order of the list. Blocks that are neighbours in a row are neighbours in memory and go out in one piece.
 * The values alone do not say where they belong: the first element of a field's chunk therefore holds the grid's size and
 * the checksum of the block list, and reading over another list is refused.
 * Inputs: blocks, fields. Outputs: chunks; and back. */

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
