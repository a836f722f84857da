/* Memory follows the liquid, not the box: the same pool in a box eight times larger. The coarse version of
 * bench/bench_box.c, which also looks at the time. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "../bench/box_cost.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = true };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif
#else
enum { SANITIZED = false };
#endif

static void memory_follows_the_liquid(void **state)
{
  (void)state;
  if (SANITIZED) skip(); /* shadow memory is not ours to count */
  const double dx = 1.0 / 64;
  double empty = box_in_own_process(0.0, dx, 0).bytes;
  BoxCost small = box_in_own_process(1.0, dx, 2), large = box_in_own_process(2.0, dx, 2);
  double ratio = (large.bytes - empty) / (small.bytes - empty);
  print_message("%lld liquid cells: %.1f and %.1f MiB, ratio %.2f\n", (long long)small.cells,
                (small.bytes - empty) / 1048576, (large.bytes - empty) / 1048576, ratio);
  assert_true(small.cells > 80000);
  assert_int_equal(small.cells, large.cells);
  assert_true(small.bytes - empty > 1e7); /* or nothing was measured */
  assert_true(ratio <= 2.5);              /* the bound of the specification; the box grows by 8 */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_follows_the_liquid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
