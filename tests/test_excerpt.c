/* Lines of files with a caret below, and messages that carry them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/excerpt.h"

static void locate(const char *text, vlSource where, const char *message, const char *expected)
{
  vlStatus status = {0};
  vl_fail(&status, VL_ERROR_SCENE, "%s", message);
  vl_status_locate(&status, "a.yaml", text, where);
  assert_string_equal(status.message, expected);
  assert_int_equal(status.code, VL_ERROR_SCENE);
}

static void test_locate(void **state)
{
  (void)state;
  locate("one\n  two: 2\nthree", (vlSource){2, 3}, "no", "a.yaml:2:3: no\n    2 |   two: 2\n      |   ^");
  locate("one\r\ntwo\r\n", (vlSource){1, 1}, "no", "a.yaml:1:1: no\n    1 | one\n      | ^");
  /* what stands below a message's first line stays below */
  locate("one", (vlSource){1, 2}, "no\n  allowed: 1", "a.yaml:1:2: no\n    1 | one\n      |  ^\n  allowed: 1");
  /* columns count characters; a byte order mark is none */
  locate("\xef\xbb\xbf\xc3\xa4\xc3\xb6x", (vlSource){1, 3}, "no", "a.yaml:1:3: no\n    1 | \xc3\xa4\xc3\xb6x\n      |   ^");
}

static void test_nothing_to_show(void **state)
{
  (void)state;
  vlStatus status = {0};
  vl_fail(&status, VL_ERROR_SCENE, "no");
  vl_status_locate(&status, NULL, "text", (vlSource){1, 1});
  vl_status_locate(&status, "a.yaml", "text", (vlSource){0, 0});
  assert_string_equal(status.message, "no");
  locate(NULL, (vlSource){7, 1}, "no", "a.yaml:7:1: no");
  locate("one\ntwo", (vlSource){7, 1}, "no", "a.yaml:7:1: no");
  locate("one", (vlSource){1, 9}, "no", "a.yaml:1:9: no\n    1 | one\n      |    ^");
  vl_status_locate(NULL, "a.yaml", "text", (vlSource){1, 1});
}

/* However long file, line and message are, the message fits and the caret stands below the place. */
static void test_long(void **state)
{
  (void)state;
  static char line[5000], path[3000], message[4000];
  vlStatus status = {0};
  memset(line, 'x', sizeof line - 1);
  memset(path, 'p', sizeof path - 1);
  memset(message, 'm', sizeof message - 1);
  line[2000] = 'Y';
  vl_fail(&status, VL_ERROR_SCENE, "no");
  vl_status_locate(&status, path, line, (vlSource){1, 2001});
  const char *shown = strstr(status.message, "\n    1 | "), *caret = strrchr(status.message, '\n');
  assert_non_null(shown);
  assert_int_equal(strchr(shown, 'Y') - shown, strchr(caret, '^') - caret);
  vl_fail(&status, VL_ERROR_SCENE, "%s", message);
  vl_status_locate(&status, path, line, (vlSource){1, 2001});
  assert_true(strlen(status.message) < sizeof status.message);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_locate),
      cmocka_unit_test(test_nothing_to_show),
      cmocka_unit_test(test_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
