/* Records ordered along axes, against comparing them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cut/cuts.h"

enum { COUNT = 500, SIDE = 9 };

typedef struct Record {
  int cell[3];
  double else_;
} Record;

/* By i, then j, then k is by (k, j, i), and those of a cell keep their order. */
static void test_three_passes(void **state)
{
  (void)state;
  static Record record[COUNT];
  int from[COUNT], to[COUNT], bucket[SIDE + 3];
  unsigned seed = 7;
  for (int c = 0; c < COUNT; c++) {
    from[c] = c;
    for (int a = 0; a < 3; a++) { /* from -1 to the side, both with it */
      seed = seed * 1664525u + 1013904223u;
      record[c].cell[a] = (int)(seed >> 16) % (SIDE + 2) - 1;
    }
  }
  for (int a = 0; a < 3; a++) {
    vl_order_along(record, sizeof *record, a, SIDE, COUNT, from, to, bucket);
    for (int c = 0; c < COUNT; c++) from[c] = to[c];
  }
  int equal = 0;
  for (int c = 1; c < COUNT; c++) {
    const int *p = record[from[c - 1]].cell, *q = record[from[c]].cell;
    int before = p[0] + 100 * p[1] + 10000 * p[2], after = q[0] + 100 * q[1] + 10000 * q[2];
    assert_true(before < after || (before == after && from[c - 1] < from[c]));
    equal += before == after;
  }
  assert_true(equal > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_three_passes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
