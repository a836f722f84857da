/* VTI, VTP and PVD byte by byte: offsets point at blocks of the stated size, the data is bitwise what was given, bad
 * input writes nothing. `test_vtk write FOLDER` leaves sample files for test_vtk_reader.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "files/file.h"
#include "files/vtk.h"

enum { NX = 4, NY = 3, NZ = 2, CELLS = NX * NY * NZ };
static const int lo[3] = {2, -1, 0}, hi[3] = {2 + NX, -1 + NY, NZ};
static const double sample_time = 1.0 / 3.0;

typedef struct Sample {
  float level[CELLS], velocity[CELLS][3]; /* level of grid cell (i,j,k): i + 10 j + 100 k */
  vlVtkArray cell[2];
  vlVec3 x[4];
  int tri[4][3];
  vlTriMesh mesh; /* the corner tetrahedron of the unit cube */
  float heat[4], color[4][3];
  vlVtkArray point[1], face[1];
} Sample;

static void fill(Sample *s)
{
  for (int c = 0; c < CELLS; c++) {
    int i = lo[0] + c % NX, j = lo[1] + c / NX % NY, k = lo[2] + c / NX / NY;
    s->level[c] = (float)(i + 10 * j + 100 * k);
    for (int a = 0; a < 3; a++) s->velocity[c][a] = (float)c + 0.25f * (float)a;
  }
  s->cell[0] = (vlVtkArray){"level <m>", 1, s->level};
  s->cell[1] = (vlVtkArray){"velocity", 3, s->velocity[0]};
  static const vlVec3 x[4] = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1.0 / 3.0}}};
  static const int tri[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  memcpy(s->x, x, sizeof x);
  memcpy(s->tri, tri, sizeof tri);
  s->mesh = (vlTriMesh){.x = s->x, .tri = s->tri, .vertex_count = 4, .triangle_count = 4};
  for (int i = 0; i < 4; i++) {
    s->heat[i] = 0.5f * (float)i;
    for (int a = 0; a < 3; a++) s->color[i][a] = (float)(10 * i + a);
  }
  s->point[0] = (vlVtkArray){"heat", 1, s->heat};
  s->face[0] = (vlVtkArray){"color", 3, s->color[0]};
}

static vlCode write_vti(const char *path, const Sample *s, double time, vlStatus *status)
{
  return vl_vti_write(path, lo, hi, vl_vec(-1.0, 0.1, 2.0), 0.1, time, s->cell, 2, status);
}

static vlCode write_vtp(const char *path, const Sample *s, vlStatus *status)
{
  return vl_vtp_write(path, &s->mesh, sample_time, s->point, 1, s->face, 1, status);
}

typedef struct Place {
  char folder[64], path[96], again[96];
} Place;

static int make_place(void **state)
{
  Place *place = calloc(1, sizeof *place);
  if (!place) return -1;
  strcpy(place->folder, "/tmp/vl_vtk_XXXXXX");
  if (!mkdtemp(place->folder)) return -1;
  snprintf(place->path, sizeof place->path, "%s/data", place->folder);
  snprintf(place->again, sizeof place->again, "%s/again", place->folder);
  *state = place;
  return 0;
}

static int remove_place(void **state)
{
  Place *place = *state;
  unlink(place->path);
  unlink(place->again);
  int code = rmdir(place->folder);
  free(place);
  return code;
}

static void slurp(const char *path, char **text, size_t *length)
{
  assert_int_equal(vl_file_read(path, 1 << 20, text, length, NULL), VL_OK);
}

/* The data block of the array `name`: checks its stored size against `bytes`. */
static const char *block(const char *text, const char *name, uint64_t bytes)
{
  char key[64];
  snprintf(key, sizeof key, "Name=\"%s\"", name);
  const char *tag = strstr(text, key);
  assert_non_null(tag);
  const char *offset = strstr(tag, "offset=\"");
  assert_non_null(offset);
  const char *data = strstr(text, "<AppendedData encoding=\"raw\">\n_");
  assert_non_null(data);
  data += strlen("<AppendedData encoding=\"raw\">\n_") + strtoull(offset + 8, NULL, 10);
  uint64_t stored;
  memcpy(&stored, data, sizeof stored);
  assert_int_equal(stored, bytes);
  return data + sizeof stored;
}

static void test_vti_bytes(void **state)
{
  const Place *place = *state;
  Sample s;
  fill(&s);
  vlStatus status = {0};
  assert_int_equal(write_vti(place->path, &s, sample_time, &status), VL_OK);
  size_t length;
  char *text;
  slurp(place->path, &text, &length);
  assert_non_null(strstr(text, "type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\""));
  assert_non_null(strstr(text, "WholeExtent=\"2 6 -1 2 0 2\" Origin=\"-1 0.1 2\" Spacing=\"0.1 0.1 0.1\""));
  const char *time = strstr(text, "Name=\"TimeValue\"");
  assert_non_null(time);
  double back = strtod(strchr(time, '>') + 1, NULL);
  assert_memory_equal(&back, &sample_time, sizeof back);
  assert_memory_equal(block(text, "level &lt;m&gt;", sizeof s.level), s.level, sizeof s.level);
  const char *velocity = block(text, "velocity", sizeof s.velocity);
  assert_memory_equal(velocity, s.velocity, sizeof s.velocity);
  /* the last block ends where the closing tags begin, and those end the file */
  const char *tail = "\n</AppendedData>\n</VTKFile>\n";
  assert_string_equal(velocity + sizeof s.velocity, tail);
  assert_ptr_equal(text + length, velocity + sizeof s.velocity + strlen(tail));
  free(text);
}

static void test_vtp_bytes(void **state)
{
  const Place *place = *state;
  Sample s;
  fill(&s);
  assert_int_equal(write_vtp(place->path, &s, NULL), VL_OK);
  size_t length;
  char *text;
  slurp(place->path, &text, &length);
  assert_non_null(strstr(text, "<Piece NumberOfPoints=\"4\" NumberOfPolys=\"4\">"));
  assert_memory_equal(block(text, "Points", sizeof s.x), s.x, sizeof s.x);
  assert_memory_equal(block(text, "heat", sizeof s.heat), s.heat, sizeof s.heat);
  assert_memory_equal(block(text, "color", sizeof s.color), s.color, sizeof s.color);
  const char *corners = block(text, "connectivity", 12 * sizeof(int64_t));
  const char *ends = block(text, "offsets", 4 * sizeof(int64_t));
  for (int t = 0; t < 4; t++) {
    int64_t corner[3], end;
    memcpy(corner, corners + (size_t)t * sizeof corner, sizeof corner);
    memcpy(&end, ends + (size_t)t * sizeof end, sizeof end);
    for (int c = 0; c < 3; c++) assert_int_equal(corner[c], s.tri[t][c]);
    assert_int_equal(end, 3 * (t + 1));
  }
  free(text);
}

static void test_vtp_without_triangles(void **state)
{
  const Place *place = *state;
  vlTriMesh empty = {0};
  assert_int_equal(vl_vtp_write(place->path, &empty, 0.0, NULL, 0, NULL, 0, NULL), VL_OK);
  size_t length;
  char *text;
  slurp(place->path, &text, &length);
  block(text, "Points", 0);
  block(text, "offsets", 0);
  free(text);
}

static void test_equal_input_equal_bytes(void **state)
{
  const Place *place = *state;
  for (int kind = 0; kind < 2; kind++) {
    Sample s[2];
    char *text[2];
    size_t length[2];
    for (int i = 0; i < 2; i++) {
      memset(&s[i], i ? 0xff : 0, sizeof s[i]);
      fill(&s[i]);
      const char *path = i ? place->again : place->path;
      assert_int_equal(kind ? write_vtp(path, &s[i], NULL) : write_vti(path, &s[i], sample_time, NULL), VL_OK);
      slurp(path, &text[i], &length[i]);
    }
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(text[0], text[1], length[0]);
    free(text[0]);
    free(text[1]);
  }
}

static void assert_refused(const Place *place, vlCode code, const vlStatus *status, const char *array, const char *index)
{
  struct stat info;
  char part[104];
  snprintf(part, sizeof part, "%s.part", place->path);
  assert_int_equal(code, VL_ERROR_INTERNAL);
  assert_int_equal(status->code, code);
  assert_non_null(strstr(status->message, place->path));
  assert_non_null(strstr(status->message, array));
  assert_non_null(strstr(status->message, index));
  assert_int_not_equal(lstat(place->path, &info), 0);
  assert_int_not_equal(lstat(part, &info), 0);
}

static void test_not_finite_is_refused(void **state)
{
  const Place *place = *state;
  Sample s;
  vlStatus status = {0};
  fill(&s);
  s.velocity[CELLS - 1][2] = NAN;
  assert_refused(place, write_vti(place->path, &s, 0.0, &status), &status, "'velocity' holds nan", "index 23, component 2");
  fill(&s);
  s.level[5] = -INFINITY;
  assert_refused(place, write_vti(place->path, &s, 0.0, &status), &status, "'level <m>' holds -inf", "index 5,");
  fill(&s);
  assert_refused(place, write_vti(place->path, &s, INFINITY, &status), &status, "time", "inf");
  s.x[3].z = NAN;
  assert_refused(place, write_vtp(place->path, &s, &status), &status, "'Points'", "index 3, component 2");
  fill(&s);
  s.color[2][1] = NAN;
  assert_refused(place, write_vtp(place->path, &s, &status), &status, "'color' holds nan", "index 2, component 1");
}

static void test_full_disk(void **state)
{
  const Place *place = *state;
  if (access("/dev/full", W_OK) != 0) skip();
  char part[104];
  snprintf(part, sizeof part, "%s.part", place->path);
  Sample s;
  fill(&s);
  for (int kind = 0; kind < 2; kind++) {
    vlStatus status = {0};
    struct stat info;
    assert_int_equal(symlink("/dev/full", part), 0);
    vlCode code = kind ? write_vtp(place->path, &s, &status) : write_vti(place->path, &s, 0.0, &status);
    assert_int_equal(code, VL_ERROR_FILE);
    assert_non_null(strstr(status.message, place->path));
    assert_non_null(strstr(status.message, strerror(ENOSPC)));
    assert_int_not_equal(lstat(place->path, &info), 0);
    assert_int_not_equal(lstat(part, &info), 0);
  }
}

static int count_of(const char *text, const char *word)
{
  int n = 0;
  for (; (text = strstr(text, word)); text += strlen(word)) n++;
  return n;
}

static void test_pvd_lists_what_is_there(void **state)
{
  const Place *place = *state;
  vlPvd *pvd;
  struct stat info;
  size_t length;
  vlStatus status = {0};
  assert_int_equal(vl_pvd_create(&pvd, place->path, &status), VL_OK);
  assert_int_not_equal(lstat(place->path, &info), 0);
  for (int i = 0; i < 20; i++) {
    char file[32];
    snprintf(file, sizeof file, "fields/f&%d.vti", i);
    assert_int_equal(vl_pvd_add(pvd, i / 30.0, file, &status), VL_OK);
    char *text;
    slurp(place->path, &text, &length);
    assert_int_equal(count_of(text, "<DataSet "), i + 1);
    snprintf(file, sizeof file, "file=\"fields/f&amp;%d.vti\"", i);
    const char *last = strstr(text, file);
    assert_non_null(last);
    while (strncmp(last, "timestep=\"", 10) != 0) last--;
    double back = strtod(last + 10, NULL), time = i / 30.0;
    assert_memory_equal(&back, &time, sizeof back);
    free(text);
  }
  /* a frame that cannot be listed leaves list and file alone */
  char part[104];
  snprintf(part, sizeof part, "%s.part", place->path);
  assert_int_equal(mkdir(part, 0777), 0);
  assert_int_equal(vl_pvd_add(pvd, 1.0, "lost.vti", &status), VL_ERROR_FILE);
  assert_int_equal(vl_pvd_add(pvd, NAN, "lost.vti", &status), VL_ERROR_INTERNAL);
  assert_int_equal(rmdir(part), 0);
  assert_int_equal(vl_pvd_add(pvd, 1.0, "kept.vti", &status), VL_OK);
  char *text;
  slurp(place->path, &text, &length);
  assert_int_equal(count_of(text, "<DataSet "), 21);
  assert_null(strstr(text, "lost.vti"));
  free(text);
  vl_pvd_destroy(&pvd);
  assert_null(pvd);
  vl_pvd_destroy(&pvd);
}

/* Two frames with different extents, a surface, and their list. */
static int write_samples(const char *folder)
{
  Sample s;
  vlPvd *pvd = NULL;
  char path[512];
  vlStatus status = {0};
  fill(&s);
  snprintf(path, sizeof path, "%s/list.pvd", folder);
  vlCode code = vl_pvd_create(&pvd, path, &status);
  snprintf(path, sizeof path, "%s/a.vti", folder);
  if (code == VL_OK) code = write_vti(path, &s, sample_time, &status);
  if (code == VL_OK) code = vl_pvd_add(pvd, sample_time, "a.vti", &status);
  snprintf(path, sizeof path, "%s/b.vti", folder);
  int one[3] = {lo[0] + 1, lo[1] + 1, lo[2] + 1};
  vlVtkArray level = {"level <m>", 1, s.level};
  if (code == VL_OK) code = vl_vti_write(path, lo, one, vl_vec(-1.0, 0.1, 2.0), 0.1, 0.5, &level, 1, &status);
  if (code == VL_OK) code = vl_pvd_add(pvd, 0.5, "b.vti", &status);
  snprintf(path, sizeof path, "%s/surface.vtp", folder);
  if (code == VL_OK) code = write_vtp(path, &s, &status);
  vl_pvd_destroy(&pvd);
  if (code != VL_OK) fprintf(stderr, "%s\n", status.message);
  return code;
}

int main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "write") == 0) return write_samples(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_vti_bytes, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_vtp_bytes, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_vtp_without_triangles, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_equal_input_equal_bytes, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_not_finite_is_refused, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_full_disk, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_pvd_lists_what_is_there, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
