/* Frames read back bit by bit, and everything that is not a whole, sane file refused by name: every shorter version of a
 * good file, NaN, indices beyond the vertices, counts that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/vec.h"
#include "files/file.h"
#include "files/look.h"
#include "files/ply.h"
#include "files/points.h"
#include "files/read_frame.h"
#include "files/vtk.h"
#include "place.h"

static vlVec3 x[4] = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1.0 / 3.0}}};
static int tri[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
static const float velocity[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -11.5f}, kind[4] = {0, 1, 0, 2};
static const vlTriMesh mesh = {.x = x, .tri = tri, .vertex_count = 4, .triangle_count = 4};

static void write_sample(const Place *place, bool ply)
{
  const vlVtkArray point = {"velocity", 3, velocity}, face = {"solid", 1, kind};
  vlCode code = ply ? vl_ply_write_mesh(place->path, &mesh, velocity, 1.0 / 3.0, NULL)
                    : vl_vtp_write(place->path, &mesh, 0.125, &point, 1, &face, 1, NULL);
  assert_int_equal(code, VL_OK);
}

static void put(const Place *place, const char *bytes, size_t length)
{
  FILE *file = fopen(place->path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

static void get(const Place *place, char **bytes, size_t *length)
{
  assert_int_equal(vl_file_read(place->path, 1 << 20, bytes, length, NULL), VL_OK);
}

/* The file is refused, and the message names it and says `words`. */
static void assert_refused(const Place *place, const char *words)
{
  vlFrameMesh frame;
  vlStatus status = {0};
  assert_int_not_equal(vl_frame_mesh_read(&frame, place->path, &status), VL_OK);
  assert_null(frame.mesh);
  assert_int_equal(frame.array_count, 0);
  assert_non_null(strstr(status.message, place->path));
  assert_non_null(strstr(status.message, words));
}

static void test_round_trip(void **state)
{
  const Place *place = *state;
  for (int ply = 0; ply < 2; ply++) {
    vlFrameMesh frame;
    vlStatus status = {0};
    write_sample(place, ply);
    vlCode code = vl_frame_mesh_read(&frame, place->path, &status);
    if (code != VL_OK) fail_msg("%s", status.message);
    assert_int_equal(frame.mesh->vertex_count, 4);
    assert_int_equal(frame.mesh->triangle_count, 4);
    assert_memory_equal(frame.mesh->x, x, sizeof x);
    assert_memory_equal(frame.mesh->tri, tri, sizeof tri);
    const float *v = vl_frame_mesh_array(&frame, "velocity", true, 3);
    assert_non_null(v);
    assert_memory_equal(v, velocity, sizeof velocity);
    assert_true(frame.time == (ply ? 1.0 / 3.0 : 0.125));
    if (!ply) {
      assert_memory_equal(vl_frame_mesh_array(&frame, "solid", false, 1), kind, sizeof kind);
    }
    assert_null(vl_frame_mesh_array(&frame, "velocity", true, 1));
    vl_frame_mesh_clear(&frame);
  }
}

static void test_particles(void **state)
{
  const Place *place = *state;
  const float a[2] = {1, 2}, b[2] = {3, 4}, c[2] = {5, 6};
  const uint32_t id[2] = {7, 9};
  const void *const speed[3] = {c, a, b}, *const number = id;
  static const char *const parts[3] = {"vx", "vy", "vz"}, *const name = "id";
  const vlPoints points = {.count = 2,
                           .x = {a, b, c},
                           .id = id,
                           .data = {{"velocity", "", parts, false, 3, speed}, {"id", "", &name, true, 1, &number}},
                           .data_count = 2,
                           .scale = 1.0,
                           .time = 0.5};
  for (int ply = 0; ply < 2; ply++) {
    vlFrameMesh frame;
    assert_int_equal((ply ? vl_points_write_ply : vl_points_write_vtp)(place->path, &points, NULL), VL_OK);
    assert_int_equal(vl_frame_mesh_read(&frame, place->path, NULL), VL_OK);
    assert_int_equal(frame.mesh->vertex_count, 2);
    assert_int_equal(frame.mesh->triangle_count, 0);
    assert_true(frame.mesh->x[1].z == 6.0 && frame.time == 0.5);
    assert_true(vl_frame_mesh_array(&frame, "velocity", true, 3)[3] == 6.0f);
    assert_true(vl_frame_mesh_array(&frame, "id", true, 1)[1] == 9.0f);
    vl_frame_mesh_clear(&frame);
  }
}

/* What a program that was killed, or a disk that was full, leaves behind. */
static void test_every_shorter_file_is_refused(void **state)
{
  const Place *place = *state;
  for (int ply = 0; ply < 2; ply++) {
    char *bytes;
    size_t length;
    write_sample(place, ply);
    get(place, &bytes, &length);
    /* a VTP's closing tags hold no data: without them it is still whole */
    size_t tail = ply ? 0 : strlen("\n</AppendedData>\n</VTKFile>\n");
    for (size_t n = 0; n < length - tail; n++) {
      put(place, bytes, n);
      assert_refused(place, n ? "" : "is empty");
    }
    free(bytes);
  }
}

/* One byte changed anywhere may be refused or read, but nothing worse. */
static void test_no_byte_does_harm(void **state)
{
  const Place *place = *state;
  for (int ply = 0; ply < 2; ply++) {
    char *bytes;
    size_t length;
    write_sample(place, ply);
    get(place, &bytes, &length);
    for (size_t i = 0; i < length; i += 3) {
      char kept = bytes[i];
      bytes[i] = (char)(kept ^ (i % 2 ? 0x15 : 0xff));
      put(place, bytes, length);
      vlFrameMesh frame;
      vlStatus status = {0};
      if (vl_frame_mesh_read(&frame, place->path, &status) == VL_OK) {
        for (int t = 0; t < frame.mesh->triangle_count; t++)
          for (int c = 0; c < 3; c++) assert_in_range(frame.mesh->tri[t][c], 0, frame.mesh->vertex_count - 1);
        for (int v = 0; v < frame.mesh->vertex_count; v++) assert_true(vl_finite(frame.mesh->x[v]));
      }
      vl_frame_mesh_clear(&frame);
      bytes[i] = kept;
    }
    free(bytes);
  }
}

/* Overwrites the first `size` bytes equal to `from` with `to`. */
static void patch(const Place *place, const void *from, const void *to, size_t size)
{
  char *bytes;
  size_t length;
  get(place, &bytes, &length);
  char *at = memmem(bytes, length, from, size);
  assert_non_null(at);
  memcpy(at, to, size);
  put(place, bytes, length);
  free(bytes);
}

static void test_bad_numbers_are_named(void **state)
{
  const Place *place = *state;
  const float speed = -11.5f, no_speed = NAN, far = INFINITY;
  const double third = 1.0 / 3.0, nowhere = NAN;
  for (int ply = 0; ply < 2; ply++) {
    write_sample(place, ply);
    patch(place, &speed, &no_speed, sizeof speed);
    assert_refused(place, "array 'velocity' holds nan at index 3");
    write_sample(place, ply);
    patch(place, &speed, &far, sizeof speed);
    assert_refused(place, "array 'velocity' holds inf at index 3");
    write_sample(place, ply);
    patch(place, &third, &nowhere, sizeof third);
    assert_refused(place, "vertex 3 has z = nan");
  }
}

static void test_bad_shapes_are_named(void **state)
{
  const Place *place = *state;
  const int64_t corner[3] = {1, 2, 3}, beyond[3] = {1, 2, 4};
  const int32_t corner32[3] = {1, 2, 3}, below32[3] = {1, 2, -3};
  write_sample(place, false);
  patch(place, corner, beyond, sizeof corner);
  assert_refused(place, "triangle 3 has the vertex 4; there are 4");
  write_sample(place, true);
  patch(place, corner32, below32, sizeof corner32);
  assert_refused(place, "triangle 3 has the vertex -3");
  write_sample(place, false);
  patch(place, "NumberOfPoints=\"4\"", "NumberOfPoints=\"3\"", 18);
  assert_refused(place, "bytes");
  write_sample(place, false);
  patch(place, "LittleEndian", "BigEndian   ", 12);
  assert_refused(place, "byte_order");
  put(place, "solid dust", 10);
  assert_refused(place, "no VTP file");
  unlink(place->path);
  assert_refused(place, "cannot read");
}

/* Headers that announce what cannot be, or what this reader does not take; none gets memory first. */
static void test_bad_headers_are_named(void **state)
{
  static const char place_of[] = "property float x\nproperty float y\nproperty float z\n",
                    list[] = "property list uchar int vertex_indices\n";
  static const struct {
    const char *element, *properties, *more, *words;
  } headers[] = {{"element vertex 500000000\n", "", "", "no property x"},
                 {"element vertex 500000000\n", place_of, "", "are needed"},
                 {"element face 1\n", list, "element vertex 1\n", "'element vertex 1' is not read"},
                 {"element vertex 0\n", place_of, "element face 1\n", "no list of indices"},
                 {"element face 1\n", list, list, "is not read"}};
  const Place *place = *state;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    char text[512];
    int n = snprintf(text, sizeof text, "ply\nformat binary_little_endian 1.0\n%s%s%send_header\n", headers[i].element,
                     headers[i].properties, headers[i].more);
    put(place, text, (size_t)n);
    assert_refused(place, headers[i].words);
  }
}

static void put_look(const Place *place, const char *text)
{
  char path[128];
  snprintf(path, sizeof path, "%s/look.json", place->folder);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void test_look_has_a_default_for_everything(void **state)
{
  const Place *place = *state;
  char path[128];
  vlLook look;
  vlStatus status = {0};
  assert_int_equal(vl_look_read(&look, place->folder, &status), VL_OK);
  assert_true(vl_box_is_empty(look.box) && look.solid_count == 0 && look.def.ground && !look.def.has_camera);
  vl_look_clear(&look);
  put_look(
      place,
      "{\"lo\": [0, 1, 2], \"hi\": [3, 4, 5], \"render\": {\"camera\": [1, 2, 3], \"fov\": 500, \"walls\": false,"
      " \"sky\": 1}, \"solids\": [{\"container\": true, \"material\": 3}, {\"container\": false, \"color\": [1, 0.5, 9]}]}");
  assert_int_equal(vl_look_read(&look, place->folder, &status), VL_OK);
  assert_true(look.box.lo.z == 2.0 && look.box.hi.x == 3.0 && look.def.camera.y == 2.0 && look.def.has_camera);
  assert_true(look.def.fov < 161.0 && !look.def.walls && look.def.sky == VL_SKY_DAY);
  assert_int_equal(look.solid_count, 2);
  assert_true(look.solids[0].container && look.solids[0].material == VL_MATERIAL_RUBBER && !look.solids[0].has_color);
  assert_true(look.solids[1].has_color && look.solids[1].color.z == 1.0);
  vl_look_clear(&look);
  put_look(place, "{\"liquid\": {\"fastest\": 2}, \"bodies\": [{\"name\": \"a\", \"material\": 0}, {\"color\": [0, 1, 0], "
                  "\"material\": 4}], \"body_start\": {\"lo\": [0, 0, 0], \"hi\": [1, 2, 1], \"fastest\": 3}}");
  assert_int_equal(vl_look_read(&look, place->folder, &status), VL_OK);
  assert_true(look.solid_count == 0 && look.body_count == 2 && look.body_start.hi.y == 2.0 && look.fastest == 3.0);
  assert_true(look.bodies[0].material == VL_MATERIAL_AUTO && !look.bodies[0].has_color);
  assert_true(look.bodies[1].material == VL_MATERIAL_GLASS && look.bodies[1].color.y == 1.0);
  vl_look_clear(&look);
  put_look(place, "{\"lo\": [0, 0, 0], \"hi\": [1, 1, 1e38], \"render\": {\"camera\": [1, 2, 1e300]}}");
  assert_int_equal(vl_look_read(&look, place->folder, &status), VL_OK);
  assert_true(vl_box_is_empty(look.box) && !look.def.has_camera);
  vl_look_clear(&look);
  put_look(place, "{\"lo\": [0, 1,");
  assert_int_equal(vl_look_read(&look, place->folder, &status), VL_OK);
  assert_true(vl_box_is_empty(look.box));
  vl_look_clear(&look);
  put_look(place, "pixels");
  assert_int_equal(vl_look_read(&look, place->folder, &status), VL_ERROR_FILE);
  snprintf(path, sizeof path, "%s/look.json", place->folder);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_round_trip, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_particles, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_every_shorter_file_is_refused, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_no_byte_does_harm, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_bad_numbers_are_named, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_bad_shapes_are_named, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_bad_headers_are_named, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_look_has_a_default_for_everything, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
