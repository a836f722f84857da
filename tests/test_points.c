/* Particle files byte by byte: every value is where the headers say and is the one given; the ids keep their order; many
 * particles and none; any data they carry; bad input and a full disk leave nothing behind.
 * `test_points write FOLDER` leaves sample files for test_vtk_reader.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "files/file.h"
#include "files/points.h"
#include "files/vtk.h"
#include "place.h"

static const double sample_time = 1.0 / 3.0, scale = 0.125;
static const vlVec3 offset = {{-1.0, 0.5, 2.0}};

/* With scale and offset above every position is exact in floats: i / 4 cells, and so on. */
typedef struct Cloud {
  size_t count;
  float *x[3], *v[3];
  uint32_t *id;
} Cloud;

static Cloud make_cloud(size_t count)
{
  Cloud c = {.count = count};
  for (int a = 0; a < 3; a++) {
    c.x[a] = malloc((count + 1) * sizeof(float));
    c.v[a] = malloc((count + 1) * sizeof(float));
  }
  c.id = malloc((count + 1) * sizeof *c.id);
  for (size_t i = 0; i < count; i++) {
    c.id[i] = (uint32_t)(UINT32_MAX - 7 * i);
    for (int a = 0; a < 3; a++) {
      c.x[a][i] = 0.25f * (float)(i % 1000) + (float)a;
      c.v[a][i] = (float)i - 10.0f * (float)a;
    }
  }
  return c;
}

static void free_cloud(Cloud *c)
{
  for (int a = 0; a < 3; a++) {
    free(c->x[a]);
    free(c->v[a]);
  }
  free(c->id);
}

typedef enum Kind { VTP, PLY, KINDS } Kind;

static vlCode write_points(Kind kind, const char *path, const vlPoints *points, vlStatus *status)
{
  return (kind == PLY ? vl_points_write_ply : vl_points_write_vtp)(path, points, status);
}

static vlCode write_cloud(Kind kind, const char *path, const Cloud *c, double time, vlStatus *status)
{
  static const char *const parts[3] = {"vx", "vy", "vz"}, *const name = "id";
  const void *const v[3] = {c->v[0], c->v[1], c->v[2]}, *const id = c->id;
  vlPoints points = {.count = c->count,
                     .x = {c->x[0], c->x[1], c->x[2]},
                     .id = c->id,
                     .data = {{"velocity", "", parts, false, 3, v}, {"id", "", &name, true, 1, &id}},
                     .data_count = 2,
                     .scale = scale,
                     .offset = offset,
                     .time = time};
  return write_points(kind, path, &points, status);
}

static void slurp(const char *path, char **text, size_t *length)
{
  assert_int_equal(vl_file_read(path, 1 << 28, text, length, NULL), VL_OK);
}

/* The appended block of the array `name`, which must have `bytes` bytes. */
static const char *block(const char *text, const char *name, uint64_t bytes)
{
  char key[64];
  snprintf(key, sizeof key, "Name=\"%s\"", name);
  const char *tag = strstr(text, key), *mark = "<AppendedData encoding=\"raw\">\n_", *data = strstr(text, mark);
  assert_non_null(tag);
  assert_non_null(data);
  data += strlen(mark) + strtoull(strstr(tag, "offset=\"") + 8, NULL, 10);
  uint64_t stored;
  memcpy(&stored, data, sizeof stored);
  assert_int_equal(stored, bytes);
  return data + sizeof stored;
}

static float expected_place(const Cloud *c, size_t i, int a) { return (float)(offset.v[a] + scale * (double)c->x[a][i]); }

static void assert_triple(const char *found, const float expected[3]) { assert_memory_equal(found, expected, 12); }

static void check_vtp(const char *path, const Cloud *c)
{
  size_t length, n = c->count;
  char *text, piece[96];
  slurp(path, &text, &length);
  snprintf(piece, sizeof piece, "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\">", n, n);
  assert_non_null(strstr(text, piece));
  const char *x = block(text, "Points", 12 * n), *v = block(text, "velocity", 12 * n), *id = block(text, "id", 4 * n);
  const char *corners = block(text, "connectivity", 4 * n), *ends = block(text, "offsets", 4 * n);
  if (n > 0) assert_memory_equal(id, c->id, 4 * n);
  for (size_t i = 0; i < n; i++) {
    assert_triple(x + 12 * i, (float[3]){expected_place(c, i, 0), expected_place(c, i, 1), expected_place(c, i, 2)});
    assert_triple(v + 12 * i, (float[3]){c->v[0][i], c->v[1][i], c->v[2][i]});
    assert_memory_equal(corners + 4 * i, &(int32_t){(int32_t)i}, 4);
    assert_memory_equal(ends + 4 * i, &(int32_t){(int32_t)i + 1}, 4);
  }
  const char *tail = "\n</AppendedData>\n</VTKFile>\n";
  assert_memory_equal(ends + 4 * n, tail, strlen(tail));
  assert_ptr_equal(ends + 4 * n + strlen(tail), text + length);
  free(text);
}

static void check_ply(const char *path, const Cloud *c)
{
  size_t length, n = c->count;
  char *text, header[512];
  slurp(path, &text, &length);
  snprintf(header, sizeof header,
           "ply\nformat binary_little_endian 1.0\ncomment time 0.3333333333333333 s\nelement vertex %zu\nproperty float x\n"
           "property float y\nproperty float z\nproperty float vx\nproperty float vy\nproperty float vz\n"
           "property uint id\nend_header\n",
           n);
  assert_int_equal(length, strlen(header) + 28 * n);
  assert_memory_equal(text, header, strlen(header));
  const char *record = text + strlen(header);
  for (size_t i = 0; i < n; i++, record += 28) {
    assert_triple(record, (float[3]){expected_place(c, i, 0), expected_place(c, i, 1), expected_place(c, i, 2)});
    assert_triple(record + 12, (float[3]){c->v[0][i], c->v[1][i], c->v[2][i]});
    assert_memory_equal(record + 24, &c->id[i], 4);
  }
  free(text);
}

/* None, one, and counts about the writers' buffer. */
static void test_every_value_is_there(void **state)
{
  const Place *place = *state;
  static const size_t counts[] = {0, 1, 2, 2339, 2340, 2341, 5461, 5462, 16384, 16385, 300001};
  for (size_t t = 0; t < sizeof counts / sizeof *counts; t++) {
    Cloud c = make_cloud(counts[t]);
    vlStatus status = {0};
    assert_int_equal(write_cloud(VTP, place->path, &c, sample_time, &status), VL_OK);
    check_vtp(place->path, &c);
    assert_int_equal(write_cloud(PLY, place->path, &c, sample_time, &status), VL_OK);
    check_ply(place->path, &c);
    assert_false(there(place->part));
    free_cloud(&c);
  }
}

static void test_positions_in_metres(void **state)
{
  const Place *place = *state;
  Cloud c = make_cloud(5);
  assert_int_equal(write_cloud(VTP, place->path, &c, 0.0, NULL), VL_OK);
  size_t length;
  char *text;
  slurp(place->path, &text, &length);
  /* particle 4: cells (1, 2, 3), eighths of a metre from (-1, 0.5, 2) */
  assert_triple(block(text, "Points", 60) + 48, (float[3]){-0.875f, 0.75f, 2.375f});
  free(text);
  free_cloud(&c);
}

/* Data of other names, types and widths; records that do not fill the writers' buffer to its end. */
static void test_other_data(void **state)
{
  const Place *place = *state;
  Cloud c = make_cloud(9001);
  static const char *const heat = "T", *const parts[2] = {"from", "to"};
  const void *const t = c.v[1], *const pair[2] = {c.id, c.id + 1};
  vlPoints points = {.count = c.count - 1,
                     .x = {c.x[0], c.x[1], c.x[2]},
                     .id = c.id,
                     .data = {{"pair", "", parts, true, 2, pair}, {"temperature", "", &heat, false, 1, &t}},
                     .data_count = 2,
                     .scale = 1.0};
  size_t length, n = c.count - 1;
  char *text;
  assert_int_equal(write_points(VTP, place->path, &points, NULL), VL_OK);
  slurp(place->path, &text, &length);
  assert_non_null(strstr(text, "type=\"UInt32\" Name=\"pair\" NumberOfComponents=\"2\""));
  assert_non_null(strstr(text, "type=\"Float32\" Name=\"temperature\" NumberOfComponents=\"1\""));
  for (size_t i = 0; i < n; i++) assert_memory_equal(block(text, "pair", 8 * n) + 8 * i, c.id + i, 8);
  assert_memory_equal(block(text, "temperature", 4 * n), c.v[1], 4 * n);
  free(text);
  assert_int_equal(write_points(PLY, place->path, &points, NULL), VL_OK);
  slurp(place->path, &text, &length);
  const char *record = strstr(text, "z\nproperty uint from\nproperty uint to\nproperty float T\nend_header\n");
  assert_non_null(record);
  record = strstr(record, "end_header\n") + strlen("end_header\n");
  assert_ptr_equal(record + 24 * n, text + length);
  for (size_t i = 0; i < n; i++, record += 24) {
    assert_triple(record, (float[3]){c.x[0][i], c.x[1][i], c.x[2][i]});
    assert_memory_equal(record + 12, c.id + i, 8);
    assert_memory_equal(record + 20, &c.v[1][i], 4);
  }
  free(text);
  free_cloud(&c);
}

static void assert_refused(const Place *place, const Cloud *c, double time, const char *what)
{
  for (int kind = 0; kind < KINDS; kind++) {
    vlStatus status = {0};
    assert_int_equal(write_cloud((Kind)kind, place->path, c, time, &status), VL_ERROR_INTERNAL);
    assert_non_null(strstr(status.message, place->path));
    if (!strstr(status.message, what)) fail_msg("'%s' lacks '%s'", status.message, what);
    assert_false(there(place->path));
    assert_false(there(place->part));
  }
}

static void test_not_finite_is_refused(void **state)
{
  const Place *place = *state;
  Cloud c = make_cloud(3000);
  c.id[2999] = 77;
  c.x[1][2999] = NAN;
  assert_refused(place, &c, 0.0, "position of the particle at index 2999 (id 77), component 1, is nan");
  c.x[1][2999] = -INFINITY;
  assert_refused(place, &c, 0.0, "position of the particle at index 2999 (id 77), component 1, is -inf");
  c.x[1][2999] = 0.0f;
  c.v[2][0] = INFINITY;
  assert_refused(place, &c, 0.0, "velocity of the particle at index 0 (id 4294967295), component 2, is inf");
  c.v[2][0] = 0.0f;
  assert_refused(place, &c, NAN, "time is nan");
  assert_int_equal(write_cloud(VTP, place->path, &c, 0.0, NULL), VL_OK);
  free_cloud(&c);
}

/* A finite place in cells that no float holds in metres. */
static void test_overflow_is_refused(void **state)
{
  const Place *place = *state;
  const float x0 = 1.0f, big = FLT_MAX;
  const uint32_t id = 5;
  const vlPoints points = {.count = 1, .x = {&x0, &x0, &big}, .id = &id, .scale = 100.0, .offset = offset};
  vlStatus status = {0};
  assert_int_equal(write_points(PLY, place->path, &points, &status), VL_ERROR_INTERNAL);
  assert_non_null(strstr(status.message, "position of the particle at index 0 (id 5), component 2, is inf"));
}

/* Refused by its count, before any of the particles that are not there is looked at. */
static void test_too_many(void **state)
{
  const Place *place = *state;
  Cloud c = {.count = (size_t)1 << 31};
  for (int kind = 0; kind < KINDS; kind++) {
    vlStatus status = {0};
    assert_int_equal(write_cloud((Kind)kind, place->path, &c, 0.0, &status), VL_ERROR_FILE);
    assert_non_null(strstr(status.message, "2147483648 particles; at most 2147483647"));
    assert_false(there(place->path));
  }
}

static void test_full_disk(void **state)
{
  const Place *place = *state;
  if (access("/dev/full", W_OK) != 0) skip();
  for (size_t count = 1; count <= 100000; count *= 100000)
    for (int kind = 0; kind < KINDS; kind++) {
      Cloud c = make_cloud(count);
      vlStatus status = {0};
      assert_int_equal(symlink("/dev/full", place->part), 0);
      assert_int_equal(write_cloud((Kind)kind, place->path, &c, 0.0, &status), VL_ERROR_FILE);
      assert_non_null(strstr(status.message, place->path));
      assert_non_null(strstr(status.message, strerror(ENOSPC)));
      assert_false(there(place->path));
      assert_false(there(place->part));
      free_cloud(&c);
    }
}

static int write_samples(const char *folder)
{
  char path[512];
  vlStatus status = {0};
  static const struct {
    const char *name;
    Kind kind;
    size_t count;
  } files[] = {{"points.vtp", VTP, 3000}, {"points.ply", PLY, 3000}, {"none.vtp", VTP, 0}};
  vlCode code = VL_OK;
  for (int i = 0; i < 3 && code == VL_OK; i++) {
    Cloud c = make_cloud(files[i].count);
    snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
    code = write_cloud(files[i].kind, path, &c, sample_time, &status);
    free_cloud(&c);
  }
  if (code != VL_OK) fprintf(stderr, "%s\n", status.message);
  return code;
}

int main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "write") == 0) return write_samples(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_every_value_is_there, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_positions_in_metres, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_other_data, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_not_finite_is_refused, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_overflow_is_refused, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_too_many, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_full_disk, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
