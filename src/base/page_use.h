/* Which pages of sparse memory (memory.h) are in use, so that the others can be given back.
 *
 * Whoever writes begins a round, marks the bytes it writes, and may then give back what the round did not mark. One of these
 * serves several ranges of equal length that are written alike. */
#ifndef VL_BASE_PAGE_USE_H
#define VL_BASE_PAGE_USE_H

#include "velella/types.h"

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
