/* Orders records of cells along the axes. */
#ifndef VL_CUT_ORDER_H
#define VL_CUT_ORDER_H

#include <stddef.h>

/* to = from, sorted by coordinate `axis` of the records they number, -1 to n; equal ones keep their order. Records begin
 * with int cell[3] and are `size` bytes apart; `bucket` has room for n + 3. */
void vl_order_along(const void *records, size_t size, int axis, int n, int count, const int *from, int *to, int *bucket);

#endif
