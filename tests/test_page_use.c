/* Pages in use: those that a round did not mark are given back and read as zero, the others keep what they hold; what is
 * counted is what is in memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum { PAGES = 9000, RANGES = 2 };

typedef struct Memory {
  size_t page;
  vlPageUse use;
  void *range[RANGES];
} Memory;

static Memory create(void)
{
  Memory m = {.page = (size_t)sysconf(_SC_PAGESIZE)};
  assert_true(vl_page_use_create(&m.use, PAGES * m.page - 100)); /* the last page is not a whole one */
  for (int r = 0; r < RANGES; r++) assert_non_null(m.range[r] = vl_pages_alloc(PAGES * m.page - 100));
  return m;
}

static void destroy(Memory *m)
{
  for (int r = 0; r < RANGES; r++) vl_pages_free(m->range[r], PAGES * m->page - 100);
  vl_page_use_clear(&m->use);
  assert_null(m->use.round_of);
}

/* Marks a page and writes to it. */
static void write_page(Memory *m, size_t page, int value)
{
  size_t at = page * m->page + page * 37 % (m->page - 200);
  vl_page_use_mark(&m->use, at, at + 1);
  for (int r = 0; r < RANGES; r++) ((unsigned char *)m->range[r])[at] = (unsigned char)value;
}

static int read_page(const Memory *m, int r, size_t page)
{
  return ((const unsigned char *)m->range[r])[page * m->page + page * 37 % (m->page - 200)];
}

static double page_bytes(const Memory *m)
{
  double list = m->use.last > m->use.first ? (double)(m->use.last - m->use.first) * sizeof(unsigned) : 0.0;
  return vl_page_use_bytes(&m->use, m->range, RANGES) - list;
}

static bool chosen(size_t page, unsigned round)
{
  return (page * 2654435761u ^ round * 40503u) % 7 < 2 || page == PAGES - 1;
}

static void keeps_what_a_round_marks(void **state)
{
  (void)state;
  Memory m = create();
  for (unsigned round = 1; round < 6; round++) {
    size_t count = 0;
    vl_page_use_begin(&m.use);
    for (size_t page = 0; page < PAGES; page++)
      if (chosen(page, round)) {
        write_page(&m, page, (int)round);
        count++;
      }
    assert_int_equal(m.use.used, count);
    assert_true(m.use.held >= count);
    vl_page_use_trim(&m.use, m.range, RANGES);
    assert_int_equal(m.use.held, count);
    assert_true(page_bytes(&m) == (double)(RANGES * count * m.page));
    for (size_t page = 0; page < PAGES; page++)
      for (int r = 0; r < RANGES; r++) assert_int_equal(read_page(&m, r, page), chosen(page, round) ? (int)round : 0);
  }
  vl_page_use_begin(&m.use);
  vl_page_use_trim(&m.use, m.range, RANGES);
  assert_int_equal(m.use.held, 0);
  assert_true(vl_page_use_bytes(&m.use, m.range, RANGES) == 0.0);
  destroy(&m);
}

/* 800 pages are used on: with so many others, how many are held after a trim that asks whether it is worth it? */
static size_t held_with(size_t others)
{
  Memory m = create();
  for (size_t page = 0; page < 800 + others; page++) write_page(&m, page, 5);
  vl_page_use_begin(&m.use);
  for (size_t page = 0; page < 800; page++) write_page(&m, page, 6);
  vl_page_use_trim_loose(&m.use, m.range, RANGES);
  size_t held = m.use.held;
  for (size_t page = 0; page < 800 + others; page++)
    for (int r = 0; r < RANGES; r++) assert_int_equal(read_page(&m, r, page), page < 800 ? 6 : page < held ? 5 : 0);
  destroy(&m);
  return held;
}

static void few_pages_stay(void **state)
{
  (void)state;
  assert_int_equal(held_with(100), 900);
  assert_int_equal(held_with(108), 908);
  assert_int_equal(held_with(109), 800);
  assert_int_equal(held_with(5000), 800);
}

/* Neither what was only read nor what was only marked takes memory. */
static void counts_what_is_written(void **state)
{
  (void)state;
  Memory m = create();
  size_t half = PAGES / 2 * m.page;
  vl_page_use_mark(&m.use, half, half + 100 * m.page);
  assert_int_equal(m.use.held, 100);
  assert_true(page_bytes(&m) == 0.0);
  memset((char *)m.range[0] + half, 1, 30 * m.page);
  assert_true(page_bytes(&m) == 30.0 * (double)m.page);
  for (size_t page = 0; page < 1000; page++) assert_int_equal(read_page(&m, 0, page), 0);
  assert_true(page_bytes(&m) == 30.0 * (double)m.page);
  destroy(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_what_a_round_marks), cmocka_unit_test(few_pages_stay),
                                     cmocka_unit_test(counts_what_is_written)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
