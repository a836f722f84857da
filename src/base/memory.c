/* Memory: growing arrays, sparse pages and which of them are in use, an arena. */
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

/* Pages in use: a number for each, the round that last marked it.
 *
 * Pages that were never marked cost nothing, so between two that go those in between go with them, in one call. What is in
 * memory the system tells (mincore). It also counts pages of the shared zeros that were only read, which take no memory; so
 * only marked ones are asked for. */

enum { FEW = 8, CHUNK = 4096 }; /* pages: fewer are never worth giving back; asked for in one call */

bool vl_page_use_create(vlPageUse *use, size_t bytes)
{
  *use = (vlPageUse){.round = 1};
  for (size_t page = (size_t)sysconf(_SC_PAGESIZE); page > 1; page /= 2) use->shift++;
  use->count = use->first = (bytes >> use->shift) + 1;
  use->round_of = vl_pages_alloc(use->count * sizeof *use->round_of);
  return use->round_of != NULL;
}

void vl_page_use_clear(vlPageUse *use)
{
  vl_pages_free(use->round_of, use->count * sizeof *use->round_of);
  *use = (vlPageUse){0};
}

void vl_page_use_begin(vlPageUse *use)
{
  use->round++;
  use->used = 0;
}

void vl_page_use_mark_page(vlPageUse *use, size_t page)
{
  use->held += use->round_of[page] == 0;
  use->used++;
  use->round_of[page] = use->round;
  if (page < use->first) use->first = page;
  if (page >= use->last) use->last = page + 1;
}

/* Pages [first, last) of all ranges, of which none is in use. */
static void give_back(vlPageUse *use, void *const *range, int count, size_t first, size_t last)
{
  for (int r = 0; r < count; r++)
    vl_pages_discard((char *)range[r] + (first << use->shift), (char *)range[r] + (last << use->shift));
  for (size_t page = first; page < last; page++) {
    use->held -= use->round_of[page] != 0;
    if (use->round_of[page]) use->round_of[page] = 0;
  }
}

void vl_page_use_trim(vlPageUse *use, void *const *range, int count)
{
  size_t first = use->first, last = use->last;
  use->first = use->count;
  use->last = 0;
  for (size_t page = first, end; page < last; page = end + 1) {
    bool any = false;
    for (end = page; end < last && use->round_of[end] != use->round; end++) any = any || use->round_of[end];
    if (any) give_back(use, range, count, page, end);
    if (end == last) break;
    if (end < use->first) use->first = end;
    use->last = end + 1;
  }
}

void vl_page_use_trim_loose(vlPageUse *use, void *const *range, int count)
{
  if (use->held - use->used > use->used / 8 + FEW) vl_page_use_trim(use, range, count);
}

static size_t count_resident(const vlPageUse *use, char *range)
{
  size_t pages = 0;
  unsigned char in_memory[CHUNK];
  for (size_t at = use->first; at < use->last; at += CHUNK) {
    size_t n = use->last - at < CHUNK ? use->last - at : CHUNK;
    /* where the system does not tell, what was marked counts */
    bool told = mincore(range + (at << use->shift), n << use->shift, in_memory) == 0;
    for (size_t i = 0; i < n; i++) pages += use->round_of[at + i] && (!told || in_memory[i] & 1u);
  }
  return pages;
}

double vl_page_use_bytes(const vlPageUse *use, void *const *range, int count)
{
  size_t pages = 0;
  for (int r = 0; r < count; r++) pages += count_resident(use, range[r]);
  size_t listed = use->last > use->first ? use->last - use->first : 0;
  return (double)(pages << use->shift) + (double)(listed * sizeof *use->round_of);
}
