/* JSON: what is written reads back, whatever the strings hold; NaN is refused by name; damaged text is not found, never
 * a crash; run.json says what was run and how it ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/file.h"
#include "files/json.h"
#include "frames/run_json.h"

static void build(vlJson *json, bool lines)
{
  vl_json_begin(json, lines);
  vl_json_object(json, NULL);
  vl_json_string(json, "text", "a \"quoted\" \\ line\nnext\ttab \x01 \x7f end");
  vl_json_number(json, "third", 1.0 / 3.0);
  vl_json_integer(json, "big", INT64_MIN);
  vl_json_bool(json, "yes", true);
  vl_json_string(json, "none", NULL);
  vl_json_array(json, "list");
  for (int i = 0; i < 3; i++) vl_json_integer(json, NULL, i);
  vl_json_object(json, NULL);
  vl_json_end(json);
  vl_json_end(json);
  vl_json_object(json, "outer");
  vl_json_object(json, "inner");
  vl_json_number(json, "value", -0.1);
  vl_json_end(json);
  vl_json_array(json, "empty");
  vl_json_end(json);
  vl_json_end(json);
  vl_json_end(json);
}

static void test_one_line(void **state)
{
  (void)state;
  vlJson json;
  build(&json, false);
  assert_int_equal(vl_json_finish(&json, NULL), VL_OK);
  assert_string_equal(json.text, "{\"text\": \"a \\\"quoted\\\" \\\\ line\\nnext\\ttab \\u0001 \\u007f end\", "
                                 "\"third\": 0.3333333333333333, \"big\": -9223372036854775808, \"yes\": true, "
                                 "\"none\": null, \"list\": [0, 1, 2, {}], "
                                 "\"outer\": {\"inner\": {\"value\": -0.1}, \"empty\": []}}\n");
  assert_int_equal(json.length, strlen(json.text));
  vl_json_clear(&json);
  assert_null(json.text);
}

static void test_reads_back(void **state)
{
  (void)state;
  for (int lines = 0; lines < 2; lines++) {
    vlJson json;
    build(&json, lines);
    assert_int_equal(vl_json_finish(&json, NULL), VL_OK);
    char *text;
    double value;
    assert_true(vl_json_find_string(json.text, "text", &text));
    assert_string_equal(text, "a \"quoted\" \\ line\nnext\ttab \x01 \x7f end");
    free(text);
    assert_true(vl_json_find_number(json.text, "third", &value));
    assert_true(value == 1.0 / 3.0);
    assert_true(vl_json_find_number(json.text, "outer.inner.value", &value));
    assert_true(value == -0.1);
    static const char *const absent[] = {"outer.value", "missing", "third.x", "list", "", "outer.inner.value.x", "text"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
      assert_false(vl_json_find_number(json.text, absent[i], &value));
    assert_false(vl_json_find_string(json.text, "none", &text));
    assert_null(text);
    vl_json_clear(&json);
  }
}

/* Invalid UTF-8 becomes U+FFFD, valid stays as it is. */
static void test_utf8(void **state)
{
  (void)state;
  static const struct {
    const char *in, *out;
  } cases[] = {
      {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x8a", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x8a"},
      {"a\xff"
       "b",
       "a\xef\xbf\xbd"
       "b"},
      {"\xc3", "\xef\xbf\xbd"},
      {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                                 /* overlong slash */
      {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                 /* surrogate */
      {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* beyond U+10FFFF */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vlJson json;
    char *back;
    vl_json_begin(&json, false);
    vl_json_object(&json, NULL);
    vl_json_string(&json, "s", cases[i].in);
    vl_json_end(&json);
    assert_int_equal(vl_json_finish(&json, NULL), VL_OK);
    assert_true(vl_json_find_string(json.text, "s", &back));
    assert_string_equal(back, cases[i].out);
    free(back);
    vl_json_clear(&json);
  }
}

static void test_not_finite_is_refused(void **state)
{
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  static const char *const words[] = {"'speed' is nan", "'speed' is inf", "'speed' is -inf"};
  for (int i = 0; i < 3; i++) {
    vlJson json;
    vlStatus status = {0};
    vl_json_begin(&json, false);
    vl_json_object(&json, NULL);
    vl_json_number(&json, "speed", bad[i]);
    vl_json_end(&json);
    assert_int_equal(vl_json_finish(&json, &status), VL_ERROR_INTERNAL);
    assert_non_null(strstr(status.message, words[i]));
    vl_json_clear(&json);
  }
}

/* Every prefix of a good text, and every text with one byte replaced, ends in an answer. */
static void test_damaged_text(void **state)
{
  (void)state;
  vlJson json;
  build(&json, true);
  assert_int_equal(vl_json_finish(&json, NULL), VL_OK);
  for (size_t i = 0; i < json.length; i++) {
    char *cut = strndup(json.text, i), *text;
    double value;
    assert_non_null(cut);
    assert_false(vl_json_find_number(cut, "outer.inner.none", &value));
    if (vl_json_find_string(cut, "text", &text)) free(text);
    free(cut);
    for (const char *c = "\"\\{}[]:,u\n"; *c; c++) {
      char *copy = strdup(json.text);
      assert_non_null(copy);
      copy[i] = *c;
      vl_json_find_number(copy, "outer.inner.value", &value);
      if (vl_json_find_string(copy, "text", &text)) free(text);
      free(copy);
    }
  }
  /* what looks like an escape and is none: no more room is taken than there is */
  char *text;
  assert_true(vl_json_find_string("{\"a\": \"\\u fff\\u+fff\\u-1\\u00e9\"}", "a", &text));
  assert_string_equal(text, "u fffu+fffu-1\u00e9");
  free(text);
  /* nesting that would use up the stack */
  size_t n = 4 << 20;
  char *deep = malloc(n);
  assert_non_null(deep);
  memset(deep, '[', n - 1);
  memcpy(deep, "{\"a\":", 5);
  deep[n - 1] = '\0';
  double value;
  assert_false(vl_json_find_number(deep, "b", &value));
  free(deep);
  vl_json_clear(&json);
}

static void test_run_json(void **state)
{
  (void)state;
  char folder[] = "/tmp/vl_json_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/run.json", folder);
  char scene_path[] = "my \"scene\".yaml", scene_text[] = "grid:\n  cells: 8\n";
  vlScene scene = {.path = scene_path, .text = scene_text, .name = "mine"};
  static const char *const settings[] = {"grid.cells=16", "cfl=1"};
  vlRunRecord record = {.scene = &scene, .settings = settings, .setting_count = 2, .threads = 3, .started = 1700000000};
  assert_int_equal(vl_run_json_write(path, &record, NULL), VL_OK);
  const struct {
    const char *key, *value;
  } running[] = {{"state", "running"},   {"started", "2023-11-14T22:13:20Z"}, {"scene.path", scene_path},
                 {"scene.name", "mine"}, {"scene.text", scene_text},          {"version", VELELLA_VERSION}};
  char *text, *value;
  size_t length;
  double number;
  assert_int_equal(vl_file_read(path, 1 << 20, &text, &length, NULL), VL_OK);
  for (size_t i = 0; i < sizeof running / sizeof *running; i++) {
    assert_true(vl_json_find_string(text, running[i].key, &value));
    assert_string_equal(value, running[i].value);
    free(value);
  }
  assert_false(vl_json_find_string(text, "finished", &value));
  assert_false(vl_json_find_string(text, "exit_reason", &value));
  assert_non_null(strstr(text, "\"grid.cells=16\""));
  assert_true(vl_json_find_number(text, "machine.cores", &number));
  assert_true(number >= 1);
  free(text);

  record.state = VL_RUN_FAILED;
  record.exit_code = VL_ERROR_SOLVER;
  record.exit_reason = "step 5 failed";
  record.steps = 4;
  record.stage_seconds[3] = 0.25;
  assert_int_equal(vl_run_json_write(path, &record, NULL), VL_OK);
  assert_int_equal(vl_file_read(path, 1 << 20, &text, &length, NULL), VL_OK);
  assert_true(vl_json_find_string(text, "state", &value));
  assert_string_equal(value, "failed");
  free(value);
  assert_true(vl_json_find_number(text, "exit_code", &number));
  assert_true(number == VL_ERROR_SOLVER);
  assert_true(vl_json_find_number(text, "totals.stage_seconds.velocity", &number));
  assert_true(number == 0.25);
  free(text);
  /* a total that is no number is refused and the old file stays */
  record.wall_seconds = NAN;
  vlStatus status = {0};
  assert_int_equal(vl_run_json_write(path, &record, &status), VL_ERROR_INTERNAL);
  assert_non_null(strstr(status.message, "wall_seconds"));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_line),     cmocka_unit_test(test_reads_back),
      cmocka_unit_test(test_utf8),         cmocka_unit_test(test_not_finite_is_refused),
      cmocka_unit_test(test_damaged_text), cmocka_unit_test(test_run_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
