/* The multigrid at full size: the number of iterations does not depend on it. About 6 million unknowns at the largest. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>

#include "liquid_blob.h"
#include "multigrid_solve.h"

static void iterations_do_not_grow(void **state)
{
  (void)state;
  int least = 1000, most = 0;
  for (int n = 64; n <= 256; n *= 2) {
    vlStencil s;
    vlStatus status = {0};
    assert_int_equal(blob_stencil(&s, n, n, &status), VL_OK);
    int iterations = multigrid_iterations(&s, false, NULL);
    print_message("%d^3: %lld unknowns, %d iterations\n", n, (long long)s.unknowns, iterations);
    vl_stencil_clear(&s);
    assert_true(iterations <= 20);
    least = iterations < least ? iterations : least;
    most = iterations > most ? iterations : most;
  }
  assert_true(most - least <= 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(iterations_do_not_grow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
