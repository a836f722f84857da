/* Memory: growing arrays, sparse pages, an arena. */
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

#endif
