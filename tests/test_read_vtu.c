/* Frames of elastic bodies read back: what was written comes back, faces close around each body, and no cut or changed file
 * is taken for a good one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "body_frame.h"
#include "files/file.h"
#include "files/read_vtk.h"
#include "place.h"

static const vlBox3 left = {{{0.1, 0.2, 0.3}}, {{0.4, 0.9, 0.6}}}, right = {{{1.0, 0.0, 0.0}}, {{1.5, 0.5, 1.0}}};
static const int cells[3] = {2, 3, 1};

static BodyFrame two_boxes(const char *path)
{
  BodyFrame f = {0};
  add_box(&f, left, cells, false);
  add_box(&f, right, cells, true);
  write_bodies(&f, path, 0.125);
  return f;
}

static void test_round_trip(void **state)
{
  const Place *place = *state;
  BodyFrame f = two_boxes(place->path);
  vlVtuFrame frame;
  assert_int_equal(vl_vtu_frame_read(&frame, place->path, NULL), VL_OK);
  assert_true(frame.time == 0.125);
  assert_int_equal(frame.point_count, f.point_count);
  assert_int_equal(frame.cell_count, f.cell_count);
  assert_memory_equal(frame.points, f.points, (size_t)f.point_count * sizeof *f.points);
  assert_memory_equal(frame.velocity, f.velocity, 3 * (size_t)f.point_count * sizeof *f.velocity);
  for (int c = 0, k = 0; c < f.cell_count; c++)
    for (int i = 0; i < 10; i++) assert_int_equal(frame.nodes[10 * c + i], k < f.ends[c] ? f.nodes[k++] : -1);
  vl_vtu_frame_clear(&frame);
  assert_null(frame.points);
  vl_vtu_frame_clear(&frame);
  clear_bodies(&f);
}

/* A box of 2 x 3 x 1 cuboids has 12 triangles on a side of 6 squares, and so on: 44 in all; four times as many with middles.
 * 36 tetrahedra have 4 x 36 faces, of which 44 are outside and the others shared by two. */
static void test_faces(void **state)
{
  const Place *place = *state;
  BodyFrame f = two_boxes(place->path);
  vlVtuFrame frame;
  int(*triangle)[3], count, outer;
  assert_int_equal(vl_vtu_frame_read(&frame, place->path, NULL), VL_OK);
  assert_int_equal(vl_vtu_frame_faces(&frame, &triangle, &count, &outer, NULL), VL_OK);
  assert_int_equal(outer, 44 + 4 * 44);
  assert_int_equal(count - outer, 5 * (4 * 36 - 44) / 2);
  vlTriMesh surface = {frame.points, triangle, frame.point_count, outer};
  vlTriMeshDefects defects;
  assert_int_equal(vl_trimesh_check(&surface, &defects, NULL), VL_OK);
  assert_true(defects.open_edges == 0 && defects.bad_edges == 0 && !defects.inside_out);
  assert_true(fabs(vl_trimesh_volume(&surface) - (0.3 * 0.7 * 0.3 + 0.25)) < 1e-12);
  free(triangle);
  vl_vtu_frame_clear(&frame);
  clear_bodies(&f);
}

static void refuse(const char *path, const char *says)
{
  vlStatus status = {0};
  vlVtuFrame frame;
  assert_int_equal(vl_vtu_frame_read(&frame, path, &status), VL_ERROR_FILE);
  assert_null(frame.points);
  assert_non_null(strstr(status.message, path));
  if (!strstr(status.message, says)) fail_msg("no '%s' in: %s", says, status.message);
}

static void write_bytes(const char *path, const char *bytes, size_t length)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

/* Bytes of one array, as they stand in the file. */
static void damage(const char *path, const char *text, size_t length, const void *bytes, size_t size, const void *by)
{
  char *at = memmem(text, length, bytes, size), *copy = malloc(length);
  assert_non_null(at);
  memcpy(copy, text, length);
  memcpy(copy + (at - text), by, size);
  write_bytes(path, copy, length);
  free(copy);
}

static void test_damaged(void **state)
{
  const Place *place = *state;
  BodyFrame f = two_boxes(place->path);
  char *text;
  size_t length;
  assert_int_equal(vl_file_read(place->path, 1 << 24, &text, &length, NULL), VL_OK);
  for (size_t keep = 0; keep < length; keep += keep < 3000 ? 7 : 311) {
    write_bytes(place->path, text, keep);
    refuse(place->path, "");
  }
  /* a node that is not there, a cell that is none, a place that is none */
  int64_t bad[3] = {f.nodes[0], f.nodes[1], f.point_count}, ends[3] = {4, 8, 13};
  damage(place->path, text, length, f.nodes, sizeof bad, bad);
  refuse(place->path, "cell 0 is no tetrahedron");
  damage(place->path, text, length, f.ends, sizeof ends, ends);
  refuse(place->path, "cell 2 is no tetrahedron");
  vlVec3 nowhere[2] = {f.points[0], vl_vec(0.0, NAN, 0.0)};
  damage(place->path, text, length, f.points, sizeof nowhere, nowhere);
  refuse(place->path, "node 1 has a place");
  damage(place->path, text, length, "NumberOfCells=\"72\"", 18, "NumberOfCells=\"71\"");
  refuse(place->path, "568 are expected");
  char is[40], would[40];
  int n = snprintf(is, sizeof is, "NumberOfPoints=\"%d\"", f.point_count);
  snprintf(would, sizeof would, "NumberOfPoints=\"%.*s\"", n - 17, "999999");
  damage(place->path, text, length, is, (size_t)n, would);
  refuse(place->path, "");
  free(text);
  unlink(place->path);
  refuse(place->path, "cannot");
  clear_bodies(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_round_trip, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_faces, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_damaged, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
