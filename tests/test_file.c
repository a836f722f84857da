/* Files are whole or not there: commit, abandon, failures on the way, a full disk; numbers as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file.h"
#include "place.h"

static void assert_content(const char *path, const char *expected)
{
  char *text;
  size_t length;
  assert_int_equal(vl_file_read(path, 1 << 20, &text, &length, NULL), VL_OK);
  assert_int_equal(length, strlen(expected));
  assert_string_equal(text, expected);
  free(text);
}

static void put_old_content(const Place *place)
{
  vlFile file;
  assert_int_equal(vl_file_open(&file, place->path, NULL), VL_OK);
  vl_file_print(&file, "old");
  assert_int_equal(vl_file_commit(&file, NULL), VL_OK);
}

static void test_commit_makes_it_whole(void **state)
{
  const Place *place = *state;
  vlFile file;
  vlStatus status = {0};
  assert_int_equal(vl_file_open(&file, place->path, &status), VL_OK);
  vl_file_print(&file, "%d and ", 7);
  vl_file_write(&file, "more", 4);
  assert_false(there(place->path));
  assert_int_equal(vl_file_commit(&file, &status), VL_OK);
  assert_false(there(place->part));
  assert_null(file.stream);
  assert_content(place->path, "7 and more");
}

static void test_abandon_keeps_the_old_one(void **state)
{
  const Place *place = *state;
  put_old_content(place);
  vlFile file;
  assert_int_equal(vl_file_open(&file, place->path, NULL), VL_OK);
  vl_file_print(&file, "new");
  vl_file_abandon(&file);
  vl_file_abandon(&file);
  assert_false(there(place->part));
  assert_content(place->path, "old");
}

static void test_open_names_path_and_reason(void **state)
{
  (void)state;
  vlFile file;
  vlStatus status = {0};
  assert_int_equal(vl_file_open(&file, "/nonexistent_vl/x.vti", &status), VL_ERROR_FILE);
  assert_int_equal(status.code, VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "/nonexistent_vl/x.vti"));
  assert_non_null(strstr(status.message, strerror(ENOENT)));
}

/* The partial file is a link to /dev/full, where every flush meets a full disk. */
static void test_full_disk(void **state)
{
  const Place *place = *state;
  if (access("/dev/full", W_OK) != 0) skip();
  put_old_content(place);
  /* a few bytes fail when flushed, many when written */
  for (size_t bytes = 1; bytes <= 1 << 20; bytes <<= 20) {
    assert_int_equal(symlink("/dev/full", place->part), 0);
    vlFile file;
    vlStatus status = {0};
    assert_int_equal(vl_file_open(&file, place->path, &status), VL_OK);
    char *data = calloc(bytes, 1);
    assert_non_null(data);
    vl_file_write(&file, data, bytes);
    vl_file_print(&file, "dropped");
    free(data);
    assert_int_equal(vl_file_commit(&file, &status), VL_ERROR_FILE);
    assert_non_null(strstr(status.message, place->path));
    assert_non_null(strstr(status.message, strerror(ENOSPC)));
    assert_false(there(place->part));
    assert_content(place->path, "old");
  }
}

static void test_size_limit(void **state)
{
  const Place *place = *state;
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 4096;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  vlFile file;
  vlStatus status = {0};
  static const char data[100000];
  vlCode opened = vl_file_open(&file, place->path, &status), committed = VL_OK;
  if (opened == VL_OK) {
    vl_file_write(&file, data, sizeof data);
    committed = vl_file_commit(&file, &status);
  }
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(opened, VL_OK);
  assert_int_equal(committed, VL_ERROR_FILE);
  assert_non_null(strstr(status.message, strerror(EFBIG)));
  assert_false(there(place->part));
  assert_false(there(place->path));
}

static void test_one_writer_at_a_time(void **state)
{
  const Place *place = *state;
  vlFile first, second;
  vlStatus status = {0};
  assert_int_equal(vl_file_open(&first, place->path, NULL), VL_OK);
  vl_file_print(&first, "first");
  assert_int_equal(vl_file_open(&second, place->path, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, place->path));
  assert_non_null(strstr(status.message, "another program is writing it"));
  assert_int_equal(vl_file_commit(&first, NULL), VL_OK);
  assert_content(place->path, "first");
  assert_int_equal(vl_file_open(&second, place->path, NULL), VL_OK);
  vl_file_print(&second, "second");
  assert_int_equal(vl_file_commit(&second, NULL), VL_OK);
  assert_content(place->path, "second");
}

/* A partial file that a killed program left is longer than what is written over it. */
static void test_leftovers_do_no_harm(void **state)
{
  const Place *place = *state;
  FILE *left = fopen(place->part, "wb");
  assert_non_null(left);
  fputs("half of something long", left);
  assert_int_equal(fclose(left), 0);
  vlFile file;
  assert_int_equal(vl_file_open(&file, place->path, NULL), VL_OK);
  vl_file_print(&file, "new");
  assert_int_equal(vl_file_commit(&file, NULL), VL_OK);
  assert_content(place->path, "new");
  assert_false(there(place->part));
}

static void test_folder_lock(void **state)
{
  const Place *place = *state;
  int first, second;
  vlStatus status = {0};
  assert_int_equal(vl_folder_lock(place->folder, &first, NULL), VL_OK);
  assert_int_equal(vl_folder_lock(place->folder, &second, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, place->folder));
  assert_true(second < 0);
  vl_folder_unlock(&second);
  vl_folder_unlock(&first);
  assert_int_equal(vl_folder_lock(place->folder, &second, NULL), VL_OK);
  vl_folder_unlock(&second);
  assert_true(second < 0);
  assert_int_equal(vl_folder_lock("/nonexistent_vl", &first, &status), VL_ERROR_FILE);
}

static void test_folder_with_parents(void **state)
{
  const Place *place = *state;
  char deep[160], below_file[160], empty[] = "";
  vlStatus status = {0};
  snprintf(deep, sizeof deep, "%s/a/b//c/", place->folder);
  assert_int_equal(vl_folder_create(deep, &status), VL_OK);
  assert_int_equal(vl_folder_create(deep, &status), VL_OK);
  assert_true(there(deep));
  put_old_content(place);
  snprintf(below_file, sizeof below_file, "%s/sub", place->path);
  assert_int_equal(vl_folder_create(below_file, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, place->path));
  assert_non_null(strstr(status.message, strerror(ENOTDIR)));
  assert_int_equal(vl_folder_create(empty, &status), VL_ERROR_FILE);
  static const char *const made[] = {"a/b/c", "a/b", "a"};
  for (int i = 0; i < 3; i++) {
    snprintf(deep, sizeof deep, "%s/%s", place->folder, made[i]);
    assert_int_equal(rmdir(deep), 0);
  }
}

static void test_read_refuses(void **state)
{
  const Place *place = *state;
  char *text;
  size_t length;
  vlStatus status = {0};
  assert_int_equal(vl_file_read(place->path, 10, &text, &length, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, place->path));
  assert_int_equal(vl_file_read(place->folder, 10, &text, &length, &status), VL_ERROR_FILE);
  assert_null(text);
  put_old_content(place);
  assert_int_equal(vl_file_read(place->path, 2, &text, &length, &status), VL_ERROR_FILE);
  assert_int_equal(vl_file_read(place->path, 3, &text, &length, &status), VL_OK);
  free(text);
}

static void test_path_join(void **state)
{
  (void)state;
  static const char *const cases[][3] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"/", "b", "/b"}};
  for (int i = 0; i < 3; i++) {
    char *path = vl_path_join(cases[i][0], cases[i][1]);
    assert_string_equal(path, cases[i][2]);
    free(path);
  }
}

static void test_numbers_read_back(void **state)
{
  (void)state;
  char text[VL_NUMBER_TEXT];
  static const double fixed[] = {0.0,      -0.0,         1.0 / 3.0, 0.1,     1e300, DBL_MIN,          DBL_MAX,
                                 -DBL_MAX, DBL_TRUE_MIN, -1e-5,     1234567, M_PI,  1.0 + DBL_EPSILON};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    double back = strtod(vl_number_text(fixed[i], text), NULL);
    assert_memory_equal(&back, &fixed[i], sizeof back);
  }
  /* any bit pattern, by a linear congruential walk */
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < 100000; i++) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    double value, back;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    back = strtod(vl_number_text(value, text), NULL);
    assert_memory_equal(&back, &value, sizeof back);
  }
  assert_string_equal(vl_number_text(0.1, text), "0.1");
  assert_string_equal(vl_number_text(-3.0, text), "-3");
  assert_string_equal(vl_number_text(-NAN, text), "nan");
  assert_string_equal(vl_number_text(-INFINITY, text), "-inf");
}

static void test_numbers_keep_their_point(void **state)
{
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF"};
  const char *found = NULL;
  for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_NUMERIC, names[i]);
  if (!found) skip();
  char text[VL_NUMBER_TEXT];
  vl_number_text(-1.5e-30, text);
  setlocale(LC_NUMERIC, "C");
  assert_string_equal(text, "-1.5e-30");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_commit_makes_it_whole, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_abandon_keeps_the_old_one, make_place, remove_place),
      cmocka_unit_test(test_open_names_path_and_reason),
      cmocka_unit_test_setup_teardown(test_full_disk, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_one_writer_at_a_time, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_leftovers_do_no_harm, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_folder_lock, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_size_limit, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_folder_with_parents, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_read_refuses, make_place, remove_place),
      cmocka_unit_test(test_path_join),
      cmocka_unit_test(test_numbers_read_back),
      cmocka_unit_test(test_numbers_keep_their_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
