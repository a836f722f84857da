/* Checkpoints: the reader.
 *
 * The file is mapped read-only, checked from its first to its last byte, and its chunks are listed; from then on a chunk is
 * a pointer into the map. Sizes are compared with what is left of the file before anything is read through them, so a
 * damaged or hostile file is refused with its reason and nothing worse.
 * Which reason: the header says whether it is ours and of our version, the checksum of each head makes its sizes
 * trustworthy, so a part that would end behind the file means that the file is cut off.
 * Inputs: a file. Output: named arrays in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "files/checkpoint_format.h"

typedef struct Chunk {
  const vlCheckpointHead *head;
  const void *data;
} Chunk;

struct vlCheckpointReader {
  char *path;
  const char *map; /* the whole file [length] */
  size_t length;
  Chunk *chunks;
  size_t chunk_count, chunk_capacity;
};

/* Where the check has come to. */
typedef struct Scan {
  vlCheckpointReader *reader;
  vlCrc64 crc;
  size_t at;
  uint64_t total; /* checksum of the checksums so far */
  bool ended;
  vlStatus *status;
} Scan;

static vlCode map_file(vlCheckpointReader *reader, vlStatus *status)
{
  int file = open(reader->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return vl_fail(status, VL_ERROR_FILE, "cannot read %s: %s", reader->path, strerror(errno));
  struct stat info;
  vlCode code = VL_OK;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    code = vl_fail(status, VL_ERROR_FILE, "cannot read %s: not a plain file", reader->path);
  } else if (info.st_size > 0) {
    void *map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED) {
      code = vl_fail(status, VL_ERROR_FILE, "cannot read %s: %s", reader->path, strerror(errno));
    } else {
      madvise(map, (size_t)info.st_size, MADV_SEQUENTIAL);
      reader->map = map;
      reader->length = (size_t)info.st_size;
    }
  }
  close(file);
  return code;
}

static vlCode fail_truncated(const Scan *scan, const char *what)
{
  return vl_fail(scan->status, VL_ERROR_FILE, "%s is truncated after byte %zu, in %s", scan->reader->path,
                 scan->reader->length, what);
}

/* The checksum behind `covered` bytes at scan->at; it joins the total when it is right. */
static bool verify(Scan *scan, size_t covered, uint64_t before)
{
  const char *bytes = scan->reader->map + scan->at;
  uint64_t stored, found = vl_crc64(&scan->crc, before, bytes, covered);
  memcpy(&stored, bytes + covered, sizeof stored);
  scan->total = vl_crc64(&scan->crc, scan->total, &stored, sizeof stored);
  return stored == found;
}

static vlCode check_header(Scan *scan)
{
  const vlCheckpointReader *reader = scan->reader;
  const vlCheckpointHeader *header = (const void *)reader->map;
  size_t seen = reader->length < sizeof header->magic ? reader->length : sizeof header->magic;
  if (seen > 0 && memcmp(header->magic, VL_CHECKPOINT_MAGIC, seen) != 0)
    return vl_fail(scan->status, VL_ERROR_FILE, "%s is not a Velella checkpoint", reader->path);
  if (reader->length < VL_CHECKPOINT_UNIT) return fail_truncated(scan, "its header");
  if (header->order == __builtin_bswap32(VL_CHECKPOINT_ORDER))
    return vl_fail(scan->status, VL_ERROR_FILE, "%s was written by a machine that stores numbers in the other byte order",
                   reader->path);
  if (!verify(scan, VL_CHECKPOINT_UNIT - sizeof(uint64_t), 0) || header->order != VL_CHECKPOINT_ORDER ||
      header->library[sizeof header->library - 1] != '\0')
    return vl_fail(scan->status, VL_ERROR_FILE, "%s is damaged: the checksum of its header does not match", reader->path);
  if (header->format != VL_CHECKPOINT_FORMAT)
    return vl_fail(scan->status, VL_ERROR_FILE,
                   "%s was written by version %u of the format (Velella %s); this program reads version %d", reader->path,
                   header->format, header->library, VL_CHECKPOINT_FORMAT);
  scan->at += VL_CHECKPOINT_UNIT;
  return VL_OK;
}

static vlCode list_chunk(Scan *scan, const vlCheckpointHead *head)
{
  vlCheckpointReader *reader = scan->reader;
  void *chunks = reader->chunks;
  bool room = vl_array_reserve(&chunks, &reader->chunk_capacity, reader->chunk_count + 1, sizeof *reader->chunks);
  reader->chunks = chunks;
  if (!room) return vl_fail_memory(scan->status, reader->chunk_count * sizeof *reader->chunks, reader->path);
  reader->chunks[reader->chunk_count++] = (Chunk){head, head + 1};
  return VL_OK;
}

/* The head at scan->at has been verified. */
static vlCode check_chunk(Scan *scan, const vlCheckpointHead *head)
{
  const vlCheckpointReader *reader = scan->reader;
  if (!head->name[0] || head->name[VL_CHECKPOINT_NAME - 1] || head->size == 0)
    return vl_fail(scan->status, VL_ERROR_FILE, "%s is damaged: the chunk at byte %zu has no name or no size", reader->path,
                   scan->at);
  scan->at += VL_CHECKPOINT_UNIT;
  uint64_t bytes, left = reader->length - scan->at;
  bool whole = !__builtin_mul_overflow(head->size, head->count, &bytes) && bytes <= left &&
               left - bytes >= vl_checkpoint_gap(bytes) + sizeof(uint64_t);
  if (!whole) {
    char what[VL_CHECKPOINT_NAME + 16];
    snprintf(what, sizeof what, "chunk '%s'", head->name);
    return fail_truncated(scan, what);
  }
  size_t covered = bytes + vl_checkpoint_gap(bytes);
  if (!verify(scan, covered, 0))
    return vl_fail(scan->status, VL_ERROR_FILE, "%s is damaged: the checksum of chunk '%s' does not match", reader->path,
                   head->name);
  scan->at += covered + sizeof(uint64_t);
  return list_chunk(scan, head);
}

/* A chunk, or the tail. */
static vlCode check_part(Scan *scan)
{
  const vlCheckpointReader *reader = scan->reader;
  if (reader->length - scan->at < VL_CHECKPOINT_UNIT) return fail_truncated(scan, "the head of a chunk or the tail");
  const char *part = reader->map + scan->at;
  uint64_t mark;
  memcpy(&mark, part, sizeof mark);
  bool tail = mark == VL_CHECKPOINT_TAIL;
  if (!verify(scan, VL_CHECKPOINT_UNIT - sizeof(uint64_t), tail ? scan->total : 0) || (!tail && mark != VL_CHECKPOINT_CHUNK))
    return vl_fail(scan->status, VL_ERROR_FILE, "%s is damaged: the checksum of the %s at byte %zu does not match",
                   reader->path, tail ? "tail" : "chunk's head", scan->at);
  if (!tail) return check_chunk(scan, (const void *)part);

  const vlCheckpointTail *end = (const void *)part;
  scan->at += VL_CHECKPOINT_UNIT;
  scan->ended = true;
  if (end->chunks != reader->chunk_count || end->bytes != scan->at)
    return vl_fail(scan->status, VL_ERROR_FILE,
                   "%s is damaged: it holds %zu chunks in %zu bytes, its tail says %llu in %llu", reader->path,
                   reader->chunk_count, scan->at, (unsigned long long)end->chunks, (unsigned long long)end->bytes);
  if (scan->at != reader->length)
    return vl_fail(scan->status, VL_ERROR_FILE, "%s is damaged: %zu bytes follow its end at byte %zu", reader->path,
                   reader->length - scan->at, scan->at);
  return VL_OK;
}

vlCode vl_checkpoint_open(vlCheckpointReader **reader, const char *path, vlStatus *status)
{
  *reader = calloc(1, sizeof **reader);
  Scan *scan = calloc(1, sizeof *scan);
  if (*reader) (*reader)->path = strdup(path);
  vlCode code = VL_OK;
  if (!*reader || !scan || !(*reader)->path) code = vl_fail_memory(status, sizeof *scan, path);
  if (code == VL_OK) code = map_file(*reader, status);
  if (code == VL_OK) {
    scan->reader = *reader;
    scan->status = status;
    vl_crc64_create(&scan->crc);
    code = check_header(scan);
    while (code == VL_OK && !scan->ended) code = check_part(scan);
  }
  if (code != VL_OK) vl_checkpoint_close(reader);
  free(scan);
  return code;
}

void vl_checkpoint_close(vlCheckpointReader **reader)
{
  vlCheckpointReader *r = *reader;
  if (!r) return;
  if (r->map) munmap((void *)r->map, r->length);
  free(r->chunks);
  free(r->path);
  free(r);
  *reader = NULL;
}

static const Chunk *find_chunk(const vlCheckpointReader *reader, const char *name)
{
  for (size_t i = 0; i < reader->chunk_count; i++)
    if (strcmp(reader->chunks[i].head->name, name) == 0) return &reader->chunks[i];
  return NULL;
}

bool vl_checkpoint_has(const vlCheckpointReader *reader, const char *name) { return find_chunk(reader, name) != NULL; }

const void *vl_checkpoint_find(const vlCheckpointReader *reader, const char *name, size_t size, size_t *count,
                               vlStatus *status)
{
  *count = 0;
  const Chunk *chunk = find_chunk(reader, name);
  if (!chunk) {
    vl_fail(status, VL_ERROR_FILE, "%s has no chunk '%s'", reader->path, name);
    return NULL;
  }
  if (chunk->head->size != size) {
    vl_fail(status, VL_ERROR_FILE, "%s: chunk '%s' has elements of %llu bytes, expected %zu", reader->path, name,
            (unsigned long long)chunk->head->size, size);
    return NULL;
  }
  *count = chunk->head->count;
  return chunk->data;
}

vlCode vl_checkpoint_read(const vlCheckpointReader *reader, const char *name, void *data, size_t size, size_t count,
                          vlStatus *status)
{
  size_t found;
  const void *from = vl_checkpoint_find(reader, name, size, &found, status);
  if (!from) return VL_ERROR_FILE;
  if (found != count)
    return vl_fail(status, VL_ERROR_FILE, "%s: chunk '%s' has %zu elements, expected %zu", reader->path, name, found, count);
  if (count > 0) memcpy(data, from, size * count);
  return VL_OK;
}
