/* Memory: growing arrays, an arena, sparse pages and which of them are in use. */
#ifndef VL_BASE_MEMORY_H
#define VL_BASE_MEMORY_H

#include "velella/types.h"

/* Makes room for at least `need` elements of `size` bytes in the array whose pointer lies at `array` (capacity in elements,
 * kept in *capacity, at least doubled when it grows). Returns false when memory ran out; the array stays as it was. */
bool vl_array_reserve(void *array, size_t *capacity, size_t need, size_t size);

/* 64-byte aligned zeroed memory of fixed size; free with vl_aligned_free. NULL when there is none. */
void *vl_aligned_alloc(size_t bytes);
void vl_aligned_free(void *memory);

/* Address space whose pages read as zero and exist only once written. `bytes` may be far larger than
 * the machine's memory. NULL when address space ran out. */
void *vl_pages_alloc(size_t bytes);
void vl_pages_free(void *memory, size_t bytes);
/* Gives whole pages inside [begin, end) back; they read as zero again. */
void vl_pages_discard(void *begin, void *end);

/* Many small pieces that live and die together. */
typedef struct vlArena vlArena;
vlArena *vl_arena_create(void);
void vl_arena_destroy(vlArena **arena);
void *vl_arena_alloc(vlArena *arena, size_t bytes); /* 64-byte aligned, not zeroed; NULL when memory ran out */

/* Which pages of sparse memory are in use, so that the others can be given back.
 *
 * Whoever writes begins a round, marks the bytes it writes, and may then give back what the round did not mark. One of these
 * serves several ranges of equal length that are written alike. */
typedef struct vlPageUse {
  unsigned *round_of; /* of each page: the last round that marked it, 0: none since it was given back [count] */
  size_t count;
  unsigned round;
  int shift;          /* a page has 2^shift bytes */
  size_t held, used;  /* pages with a round; of these, those of the present one */
  size_t first, last; /* all of them lie in [first, last) */
} vlPageUse;

/* For ranges of so many bytes that begin with a page; false: no memory. */
bool vl_page_use_create(vlPageUse *use, size_t bytes);
void vl_page_use_clear(vlPageUse *use);
/* Nothing is in use yet. */
void vl_page_use_begin(vlPageUse *use);
void vl_page_use_mark_page(vlPageUse *use, size_t page); /* one that this round has not marked */

/* Bytes [begin, end) of the ranges are written. */
static inline void vl_page_use_mark(vlPageUse *use, size_t begin, size_t end)
{
  for (size_t page = begin >> use->shift; page <= (end - 1) >> use->shift; page++)
    if (use->round_of[page] != use->round) vl_page_use_mark_page(use, page);
}

/* Gives back, in each range, all pages that are not in use; they read as zero again. */
void vl_page_use_trim(vlPageUse *use, void *const *range, int count);
/* The same, if they are more than an eighth of those in use and more than a few: then it is worth the calls. */
void vl_page_use_trim_loose(vlPageUse *use, void *const *range, int count);
/* Bytes in memory: the marked pages of all ranges, and the list of them itself. */
double vl_page_use_bytes(const vlPageUse *use, void *const *range, int count);

#endif
