/* Frames read back: the same bits as written; anything cut, changed or not finite is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/vec.h"
#include "files/file.h"
#include "files/read_vtk.h"
#include "files/vtk.h"
#include "place.h"

enum { NX = 4, NY = 3, NZ = 2, CELLS = NX * NY * NZ };
static const int lo[3] = {2, -1, 0}, hi[3] = {2 + NX, -1 + NY, NZ};

static float level[CELLS], velocity[CELLS][3];

static void write_sample(const char *path)
{
  for (int c = 0; c < CELLS; c++) {
    level[c] = 1.0f / (float)(c + 3);
    for (int a = 0; a < 3; a++) velocity[c][a] = (float)c - 0.3f * (float)a;
  }
  const vlVtkArray list[] = {{"level", 1, level}, {"velocity", 3, velocity[0]}};
  assert_int_equal(vl_vti_write(path, lo, hi, vl_vec(-1.0, 0.1, 1.0 / 3.0), 0.1, 1.0 / 7.0, list, 2, NULL), VL_OK);
}

static void test_round_trip(void **state)
{
  const Place *place = *state;
  write_sample(place->path);
  vlVti vti;
  vlVtiArray array[] = {{"velocity", 3, NULL}, {"level", 1, NULL}};
  assert_int_equal(vl_vti_read(place->path, &vti, array, 2, NULL), VL_OK);
  assert_memory_equal(vti.lo, lo, sizeof lo);
  assert_memory_equal(vti.hi, hi, sizeof hi);
  assert_true(vti.dx == 0.1 && vti.time == 1.0 / 7.0);
  assert_true(vti.origin.x == -1.0 && vti.origin.y == 0.1 && vti.origin.z == 1.0 / 3.0);
  assert_memory_equal(array[0].data, velocity, sizeof velocity);
  assert_memory_equal(array[1].data, level, sizeof level);
  assert_int_equal(vl_vti_at(&vti, 3, 0, 1), 1 + NX * (1 + NY));
  vl_vti_clear(array, 2);
  assert_null(array[0].data);
}

/* Reads text[length] as a file; it must be refused, and the message name the file. */
static void refuse(const Place *place, const char *text, size_t length, const char *why)
{
  FILE *file = fopen(place->path, "wb");
  assert_non_null(file);
  fwrite(text, 1, length, file);
  fclose(file);
  vlStatus status = {0};
  vlVti vti;
  vlVtiArray array[] = {{"level", 1, NULL}, {"velocity", 3, NULL}};
  assert_int_equal(vl_vti_read(place->path, &vti, array, 2, &status), VL_ERROR_FILE);
  assert_null(array[0].data);
  assert_null(array[1].data);
  assert_non_null(strstr(status.message, place->path));
  if (!strstr(status.message, why)) fail_msg("no '%s' in: %s", why, status.message);
}

static void test_cut_short(void **state)
{
  const Place *place = *state;
  char *text;
  size_t length;
  write_sample(place->path);
  assert_int_equal(vl_file_read(place->path, 1 << 20, &text, &length, NULL), VL_OK);
  for (size_t keep = 0; keep < length; keep++) refuse(place, text, keep, "");
  refuse(place, text, length - 1, "its end is missing");
  free(text);
}

/* One thing changed at a time; `from` and `to` have the same length. */
static void test_changed(void **state)
{
  static const struct {
    const char *from, *to, *why;
  } changes[] = {{"ImageData\" ", "PolyData\"  ", "ImageData is expected"},
                 {"LittleEndian", "BigEndian   ", "little-endian"},
                 {"Spacing=\"0.1 0.1 0.1\"", "Spacing=\"0.1 0.1 0.2\"", "box of cells"},
                 {"Spacing=\"0.1 0.1 0.1\"", "Spacing=\"0.1 0.1 nan\"", "Spacing with 3 numbers"},
                 {"Piece Extent=\"2 6", "Piece Extent=\"6 2", "box of cells"},
                 {"Piece Extent=\"2 6", "Piece Extent=\"2 5", "bytes"},
                 {"Name=\"level\"", "Name=\"lever\"", "no array 'level'"},
                 {"NumberOfComponents=\"3\"", "NumberOfComponents=\"1\"", "Float32 with 3"},
                 {"offset=\"104\"", "offset=\"904\"", "beyond its end"},
                 {"offset=\"104\"", "offset=\"105\"", ""},
                 {"Float32", "Float64", "Float32"},
                 {"Name=\"TimeValue\"", "Name=\"TimeValve\"", "no time"}};
  const Place *place = *state;
  char *text;
  size_t length;
  write_sample(place->path);
  assert_int_equal(vl_file_read(place->path, 1 << 20, &text, &length, NULL), VL_OK);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    size_t n = strlen(changes[i].from);
    char *at = strstr(text, changes[i].from);
    assert_non_null(at);
    assert_int_equal(strlen(changes[i].to), n);
    memcpy(at, changes[i].to, n);
    refuse(place, text, length, changes[i].why);
    memcpy(at, changes[i].from, n);
  }
  /* a number that is none, in the last array */
  static const float bad = NAN;
  memcpy(text + length - strlen("\n</AppendedData>\n</VTKFile>\n") - sizeof bad, &bad, sizeof bad);
  refuse(place, text, length, "'velocity' holds a number that is not finite at index 23, component 2");
  free(text);
}

/* A box of 2^62 + 833 cells: its bytes, counted in 64 bits, are those of 833 cells, which are there. */
static void test_box_that_overflows(void **state)
{
  static const char head[] =
      "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<ImageData Origin=\"0 0 0\" "
      "Spacing=\"1 1 1\">\n<DataArray Name=\"TimeValue\">0</DataArray>\n<Piece Extent=\"-999945 999946 -893569 893570 "
      "-645156 645157\">\n<DataArray type=\"Float32\" Name=\"level\" NumberOfComponents=\"1\" format=\"appended\" "
      "offset=\"0\"/>\n</Piece>\n<AppendedData encoding=\"raw\">\n_";
  static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
  const uint64_t size = 833 * sizeof(float);
  char text[8192] = {0}, *at = text + sizeof head - 1;
  memcpy(text, head, sizeof head - 1);
  memcpy(at, &size, sizeof size);
  memcpy(at + sizeof size + size, tail, sizeof tail - 1);
  refuse(*state, text, sizeof head - 1 + sizeof size + size + sizeof tail - 1, "fewer bytes than its box has cells");
}

static void test_missing(void **state)
{
  const Place *place = *state;
  vlStatus status = {0};
  vlVti vti;
  vlVtiArray array[] = {{"level", 1, NULL}};
  assert_int_equal(vl_vti_read(place->path, &vti, array, 1, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, place->path));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_round_trip, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_cut_short, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_changed, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_box_that_overflows, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_missing, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
