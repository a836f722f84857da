/* A counting sort by one coordinate. Applied from the last key to the first it sorts by several, for each pass keeps the
 * order of the ones before: far fewer comparisons than sorting by all keys at once, which bodies would pay in every step. */
#include "cut/order.h"

#include <string.h>

void vl_order_along(const void *records, size_t size, int axis, int n, int count, const int *from, int *to, int *bucket)
{
  const char *first = (const char *)records + (size_t)axis * sizeof(int);
  memset(bucket, 0, ((size_t)n + 3) * sizeof *bucket);
  for (int c = 0; c < count; c++) bucket[*(const int *)(first + (size_t)c * size) + 2]++;
  for (int i = 1; i < n + 3; i++) bucket[i] += bucket[i - 1]; /* bucket[i + 1]: where those of coordinate i begin */
  for (int c = 0; c < count; c++) to[bucket[*(const int *)(first + (size_t)from[c] * size) + 1]++] = from[c];
}
