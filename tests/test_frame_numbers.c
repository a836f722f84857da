/* Frames by their files' names: all of a kind, in order, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "files/file.h"
#include "files/read_frame.h"
#include "place.h"

static void test_names(void **state)
{
  (void)state;
  assert_int_equal(vl_frame_number("frame_00012.png", "frame", "png"), 12);
  assert_int_equal(vl_frame_number("frame_100000.png", "frame", "png"), 100000);
  static const char *const others[] = {"frame_12.png",    "frame_00012.png.part", "frame_00012.jpg",
                                       "frame_00012png",  "frame_-0012.png",      "frame_+0012.png",
                                       "frame_ 0012.png", "frames_00012.png",     "frame00012.png",
                                       "frame_",          "frame_1234567890.png", ""};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_int_equal(vl_frame_number(others[i], "frame", "png"), -1);
}

static void test_folder(void **state)
{
  const Place *place = *state;
  static const char *const names[] = {"fields_00010.vti", "fields_00002.vti", "fields_00002.vti.part", "fields_100000.vti",
                                      "fields_00007.vtp"};
  enum { NAMES = sizeof names / sizeof *names };
  char *paths[NAMES];
  int *numbers, count;
  assert_int_equal(vl_frame_numbers(place->folder, "fields", "vti", &numbers, &count, NULL), VL_OK);
  assert_int_equal(count, 0);
  assert_null(numbers);
  for (int i = 0; i < NAMES; i++) {
    paths[i] = vl_path_join(place->folder, names[i]);
    FILE *file = fopen(paths[i], "w");
    assert_non_null(file);
    fclose(file);
  }
  assert_int_equal(vl_frame_numbers(place->folder, "fields", "vti", &numbers, &count, NULL), VL_OK);
  const int wanted[] = {2, 10, 100000};
  assert_int_equal(count, 3);
  assert_memory_equal(numbers, wanted, sizeof wanted);
  free(numbers);
  vlStatus status = {0};
  assert_int_equal(vl_frame_numbers(paths[0], "fields", "vti", &numbers, &count, &status), VL_OK); /* no folder: none */
  assert_int_equal(count, 0);
  for (int i = 0; i < NAMES; i++) {
    unlink(paths[i]);
    free(paths[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test_setup_teardown(test_folder, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
