/* Memory: pages cost nothing until written and can be given back; arrays grow; the parts of an arena do not touch. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static const size_t MEGABYTE = (size_t)1 << 20;

/* Bytes of this process in memory. */
static size_t resident(void)
{
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  unsigned long total, pages;
  assert_int_equal(fscanf(file, "%lu %lu", &total, &pages), 2);
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void pages_cost_what_is_written(void **state)
{
  (void)state;
  size_t bytes = (size_t)64 << 30, before = resident();
  unsigned char *memory = vl_pages_alloc(bytes);
  assert_non_null(memory);
  for (size_t i = 0; i < 1000; i++) assert_int_equal(memory[i * (bytes / 1000)], 0);
  assert_true(resident() < before + 8 * MEGABYTE); /* reading maps the shared page of zeros */

  memset(memory + 10 * MEGABYTE, 7, 64 * MEGABYTE);
  size_t written = resident();
  assert_true(written > before + 63 * MEGABYTE);
  assert_true(written < before + 66 * MEGABYTE);
  vl_pages_discard(memory + 10 * MEGABYTE, memory + 74 * MEGABYTE);
  assert_true(resident() < before + 8 * MEGABYTE);
  for (size_t i = 0; i < 64 * MEGABYTE; i += 4096) assert_int_equal(memory[10 * MEGABYTE + i], 0);
  vl_pages_free(memory, bytes);
  vl_pages_free(NULL, 1);
}

static void discard_keeps_the_neighbours(void **state)
{
  (void)state;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 8 * page;
  unsigned char *memory = vl_pages_alloc(bytes);
  assert_non_null(memory);
  memset(memory, 5, bytes);
  vl_pages_discard(memory + page + 1, memory + 4 * page - 1); /* only page 2 lies wholly inside */
  for (size_t i = 0; i < bytes; i++) assert_int_equal(memory[i], i / page == 2 ? 0 : 5);
  vl_pages_discard(memory + 5 * page + 10, memory + 5 * page + 20);
  vl_pages_discard(memory + 5 * page, memory + 5 * page);
  vl_pages_discard(memory + 6 * page - 1, memory + 6 * page + 1);
  for (size_t i = 5 * page; i < bytes; i++) assert_int_equal(memory[i], 5);
  vl_pages_free(memory, bytes);
}

static void arrays_double(void **state)
{
  (void)state;
  void *data = NULL;
  size_t capacity = 0, moves = 0, last = 0;
  for (size_t n = 1; n <= 100000; n++) {
    assert_true(vl_array_reserve(&data, &capacity, n, sizeof(int)));
    assert_true(capacity >= n);
    if (capacity != last) {
      assert_true(capacity >= 2 * last);
      moves++;
    }
    last = capacity;
    ((int *)data)[n - 1] = (int)n;
  }
  assert_true(moves < 20);
  for (int n = 1; n <= 100000; n++) assert_int_equal(((int *)data)[n - 1], n);

  /* more than there is: refused, nothing lost */
  assert_false(vl_array_reserve(&data, &capacity, SIZE_MAX / 2, sizeof(int)));
  assert_int_equal(capacity, last);
  assert_int_equal(((int *)data)[99999], 100000);
  free(data);
}

static void aligned_memory_is_zero(void **state)
{
  (void)state;
  for (size_t bytes = 0; bytes < 1000; bytes += 37) {
    unsigned char *memory = vl_aligned_alloc(bytes);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % 64, 0);
    for (size_t i = 0; i < bytes; i++) assert_int_equal(memory[i], 0);
    memset(memory, 255, bytes); /* so that the next one does not find zeros by chance */
    vl_aligned_free(memory);
  }
}

/* Sizes from a byte to a few MiB, each filled and checked at the end. */
static void arena_parts_do_not_touch(void **state)
{
  (void)state;
  enum { PARTS = 60 };
  unsigned char *part[PARTS];
  size_t size[PARTS];
  vlArena *arena = vl_arena_create();
  assert_non_null(arena);
  for (size_t i = 0; i < PARTS; i++) {
    size[i] = i % 7 == 3 ? 3 * MEGABYTE / (i + 1) : i * 997 % 5000;
    part[i] = vl_arena_alloc(arena, size[i]);
    assert_non_null(part[i]);
    assert_int_equal((uintptr_t)part[i] % 64, 0);
    memset(part[i], (int)i, size[i]);
  }
  for (size_t i = 0; i < PARTS; i++)
    for (size_t j = 0; j < size[i]; j++)
      if (part[i][j] != (unsigned char)i) fail_msg("part %zu was overwritten at %zu", i, j);
  vl_arena_destroy(&arena);
  assert_null(arena);
  vl_arena_destroy(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pages_cost_what_is_written),
      cmocka_unit_test(discard_keeps_the_neighbours),
      cmocka_unit_test(arrays_double),
      cmocka_unit_test(aligned_memory_is_zero),
      cmocka_unit_test(arena_parts_do_not_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
