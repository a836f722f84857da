/* Memory: growing arrays, sparse pages, an arena. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool vl_array_reserve(void *array, size_t *capacity, size_t need, size_t size)
{
  if (need <= *capacity) return true;
  void *data;
  memcpy(&data, array, sizeof data); /* whatever type it points to */
  size_t grown = *capacity < 8 ? 16 : *capacity * 2;
  if (grown < need) grown = need;
  if (grown > SIZE_MAX / size) return false;
  data = realloc(data, grown * size);
  if (!data) return false;
  memcpy(array, &data, sizeof data);
  *capacity = grown;
  return true;
}

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

void *vl_aligned_alloc(size_t bytes)
{
  void *memory = aligned_alloc(64, round_up(bytes ? bytes : 1, 64));
  if (memory) memset(memory, 0, round_up(bytes ? bytes : 1, 64));
  return memory;
}

void vl_aligned_free(void *memory) { free(memory); }

void *vl_pages_alloc(size_t bytes)
{
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  madvise(memory, bytes, MADV_NOHUGEPAGE); /* a huge page would exist for a word written in it */
  return memory;
}

void vl_pages_free(void *memory, size_t bytes)
{
  if (memory) munmap(memory, bytes);
}

void vl_pages_discard(void *begin, void *end)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uintptr_t lo = round_up((uintptr_t)begin, page), hi = (uintptr_t)end / page * page;
  if (lo < hi) madvise((char *)begin + (lo - (uintptr_t)begin), hi - lo, MADV_DONTNEED);
}

/* Arena: a list of chunks, newest first. */
typedef struct Chunk Chunk;
struct Chunk {
  Chunk *older;
  size_t size, used;
  char *memory;
};

struct vlArena {
  Chunk *newest;
};

enum { FIRST_CHUNK = 1 << 20 };

vlArena *vl_arena_create(void) { return calloc(1, sizeof(vlArena)); }

void vl_arena_destroy(vlArena **arena)
{
  if (!arena || !*arena) return;
  for (Chunk *chunk = (*arena)->newest, *older; chunk; chunk = older) {
    older = chunk->older;
    free(chunk->memory);
    free(chunk);
  }
  free(*arena);
  *arena = NULL;
}

static bool add_chunk(vlArena *arena, size_t size)
{
  Chunk *chunk = calloc(1, sizeof *chunk);
  if (!chunk) return false;
  chunk->memory = aligned_alloc(64, size);
  if (!chunk->memory) {
    free(chunk);
    return false;
  }
  chunk->size = size;
  chunk->older = arena->newest;
  arena->newest = chunk;
  return true;
}

void *vl_arena_alloc(vlArena *arena, size_t bytes)
{
  bytes = round_up(bytes ? bytes : 1, 64);
  Chunk *chunk = arena->newest;
  if (!chunk || chunk->size - chunk->used < bytes) {
    size_t size = chunk ? chunk->size : FIRST_CHUNK;
    if (!add_chunk(arena, size < bytes ? bytes : size)) return NULL;
    chunk = arena->newest;
  }
  void *memory = chunk->memory + chunk->used;
  chunk->used += bytes;
  return memory;
}
