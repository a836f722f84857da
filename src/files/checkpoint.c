/* Checkpoints: the writer.
 *
 * A run must be able to go on from its last checkpoint after any end, so a checkpoint is written beside the older one and
 * takes its place only when it is on the disk as a whole (files/file.h). Chunks go to the file as they come, their checksums
 * are computed on the way and follow them: nothing is copied and nothing but the names is kept.
 * The first failure, of the disk or of the caller, sticks and is reported by the commit.
 * Inputs: named arrays. Output: one file in the format of files/checkpoint_format.h. */
#include "files/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
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
