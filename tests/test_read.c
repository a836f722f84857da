/* Mesh files of every format, whole and broken: what is read, and what the errors say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "mesh_files.h"

#define KINDS                                                                                                               \
  "meshes are read from OBJ, PLY, STL (triangles), Gmsh .msh, MEDIT .mesh, TetGen .node and .ele, VTU (tetrahedra)"

static int make_folder(void **state)
{
  char *folder = strdup("/tmp/vl_read_XXXXXX");
  *state = folder;
  return folder && mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  DIR *folder = opendir(*state);
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if (entry->d_name[0] != '.') unlinkat(dirfd(folder), entry->d_name, 0);
  if (folder) closedir(folder);
  rmdir(*state);
  free(*state);
  return 0;
}

static vlCode read_bytes(void **state, const char *name, const void *data, size_t count, vlTriMesh **mesh, vlStatus *status)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", (const char *)*state, name);
  FILE *file = fopen(path, "wb");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  assert_int_equal(fwrite(data, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
  *status = (vlStatus){0};
  vlCode code = vl_trimesh_read(mesh, path, status);
  assert_int_equal(code, status->code);
  assert_true((code == VL_OK) == (*mesh != NULL));
  return code;
}

static vlTriMesh *read_good(void **state, const char *name, const void *data, size_t count)
{
  vlTriMesh *mesh = NULL;
  vlStatus status;
  if (read_bytes(state, name, data, count, &mesh, &status) != VL_OK) fail_msg("%s", status.message);
  return mesh;
}

/* The message must be "PATH" and `rest`. */
static void assert_refused(void **state, const char *name, const void *data, size_t count, const char *rest)
{
  vlTriMesh *mesh = NULL;
  vlStatus status;
  char expected[512];
  assert_int_equal(read_bytes(state, name, data, count, &mesh, &status), VL_ERROR_MESH);
  snprintf(expected, sizeof expected, "%s/%s%s", (const char *)*state, name, rest);
  assert_string_equal(status.message, expected);
}

static void assert_text_refused(void **state, const char *name, const char *text, const char *rest)
{
  assert_refused(state, name, text, strlen(text), rest);
}

static void assert_same(vlTriMesh *a, const vlTriMesh *b)
{
  assert_int_equal(a->vertex_count, b->vertex_count);
  assert_int_equal(a->triangle_count, b->triangle_count);
  assert_memory_equal(a->x, b->x, (size_t)a->vertex_count * sizeof *a->x);
  assert_memory_equal(a->tri, b->tri, (size_t)a->triangle_count * sizeof *a->tri);
  vl_trimesh_destroy(&a);
}

/* Closed, volume 1. */
static void assert_unit_cube(vlTriMesh *mesh)
{
  vlTriMeshDefects d;
  assert_int_equal(vl_trimesh_check(mesh, &d, NULL), VL_OK);
  assert_int_equal(mesh->vertex_count, 8);
  assert_int_equal(mesh->triangle_count, 12);
  assert_int_equal(d.open_edges + d.bad_edges + d.flat_triangles + d.unused_vertices, 0);
  assert_true(vl_trimesh_volume(mesh) == 1.0);
  vl_trimesh_destroy(&mesh);
}

static void test_obj_and_ply_round(void **state)
{
  uint64_t seed = 1;
  vlTriMesh *mesh = make_sphere(2);
  for (int i = 0; i < mesh->vertex_count; i++)
    mesh->x[i] = vl_scale(random_vec(&seed, -1.0, 1.0), exp(random_between(&seed, -50, 50)));
  Bytes b = write_obj(mesh);
  assert_same(read_good(state, "a.obj", b.data, b.count), mesh);
  assert_same(read_good(state, "no_ending", b.data, b.count), mesh);
  assert_same(read_good(state, "wrong.stl", b.data, b.count), mesh);
  for (int format = 0; format < 3; format++) {
    b = write_ply(mesh, format);
    assert_same(read_good(state, "a.ply", b.data, b.count), mesh);
    assert_same(read_good(state, "wrong.obj", b.data, b.count), mesh);
  }
  vl_trimesh_destroy(&mesh);
}

static void test_stl_round(void **state)
{
  vlTriMesh *cube = make_cube();
  Bytes b = write_stl_text(cube);
  assert_unit_cube(read_good(state, "a.stl", b.data, b.count));
  b = write_stl_binary(cube, "made by hand");
  assert_unit_cube(read_good(state, "b.stl", b.data, b.count));
  assert_unit_cube(read_good(state, "no_ending", b.data, b.count));
  b = write_stl_binary(cube, "solid binary, whatever it says");
  assert_unit_cube(read_good(state, "c.stl", b.data, b.count));
  put_text(&b, "colours of some program");
  assert_unit_cube(read_good(state, "d.stl", b.data, b.count));
  vl_trimesh_destroy(&cube);
}

static const char cube_vertices[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";

/* Squares, every way to write a corner, indices from the end, joined and very long lines, other line ends. */
static void test_obj_spellings(void **state)
{
  Bytes b = {.count = 0};
  put_text(&b, "\xef\xbb\xbf# a cube\n#");
  for (int i = 0; i < 20000; i++) put_text(&b, "x");
  put_text(&b, "\n\nmtllib none.mtl\no cube\n");
  put_text(&b, cube_vertices);
  put_text(&b, "vt 0 0\nvn 0 0 1\ng sides\ns off\nf 4 3 2 1\n\tf 5/1 6/1 7/1 8/1 # top\nf 1/1/1 2/1/1 6/1/1 5/1/1\n");
  put_text(&b, "f 2//1 3//1 \\\n 7//1 6//1\nf -6 -5 -1 -2\nf +1 5 8 4 ");
  assert_unit_cube(read_good(state, "a.obj", b.data, b.count));
  Bytes crlf = {.count = 0}, cr = {.count = 0};
  for (size_t i = 0; i < b.count; i++) {
    if (b.data[i] == '\n') put(&crlf, "\r", 1);
    put(&crlf, b.data + i, 1);
    put(&cr, b.data[i] == '\n' ? "\r" : b.data + i, 1);
  }
  assert_unit_cube(read_good(state, "b.obj", crlf.data, crlf.count));
  assert_unit_cube(read_good(state, "c.obj", cr.data, cr.count));
  static const char forward[] = "f 1 2 3\nv 0 0 0 1 0.5 0.5 0.5\nv 1 0 0\nv 0 1 0";
  vlTriMesh *mesh = read_good(state, "d.obj", forward, strlen(forward));
  assert_int_equal(mesh->triangle_count, 1);
  vl_trimesh_destroy(&mesh);
}

/* Numbers as strtod in the C locale gives them, whatever the locale of the program. */
static void test_numbers(void **state)
{
  static const char *const numbers[] = {"0",
                                        "-0.0",
                                        "1.",
                                        ".5",
                                        "+2.5E+1",
                                        "0.1",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "8.5e-45",
                                        "123456789012345678901234567890e-20",
                                        "0.000000000000000000000000000001",
                                        "1e-400",
                                        "179769313486231570000000000000e-10",
                                        "3.14159265358979323846264338327950288",
                                        "0000000000000000000000000000012.5",
                                        "4.9e-324",
                                        "1e0000000000000000000001"};
  setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is not installed the C locale stays */
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char text[256];
    snprintf(text, sizeof text, "v %s 0 0\nf 1 1 1\n", numbers[i]);
    vlTriMesh *mesh = read_good(state, "a.obj", text, strlen(text));
    setlocale(LC_ALL, "C");
    double expected = strtod(numbers[i], NULL);
    assert_memory_equal(&mesh->x[0].x, &expected, sizeof expected);
    vl_trimesh_destroy(&mesh);
  }
  uint64_t seed = 2;
  for (int i = 0; i < 500; i++) {
    char number[64], text[128];
    snprintf(number, sizeof number, "%.*e", (int)random_between(&seed, 0, 24),
             random_between(&seed, -1, 1) * pow(10.0, floor(random_between(&seed, -40, 40))));
    snprintf(text, sizeof text, "v 0 %s 0\nf 1 1 1", number);
    vlTriMesh *mesh = read_good(state, "b.obj", text, strlen(text));
    double expected = strtod(number, NULL);
    assert_memory_equal(&mesh->x[0].y, &expected, sizeof expected);
    vl_trimesh_destroy(&mesh);
  }
}

static void test_obj_errors(void **state)
{
  assert_text_refused(state, "a.obj", "v 0 0\nf 1 1 1\n",
                      ":1: found the end of the line, expected a finite number (z of a vertex)");
  assert_text_refused(state, "a.obj", "\nv 0 zero 0\n", ":2: found 'zero', expected a finite number (y of a vertex)");
  assert_text_refused(state, "a.obj", "v 0 1,5 0\n", ":1: found '1,5', expected a finite number (y of a vertex)");
  assert_text_refused(state, "a.obj", "v nan 0 0\n", ":1: found 'nan', expected a finite number (x of a vertex)");
  assert_text_refused(state, "a.obj", "v -inf 0 0\n", ":1: found '-inf', expected a finite number (x of a vertex)");
  assert_text_refused(state, "a.obj", "v 0x10 0 0\n", ":1: found '0x10', expected a finite number (x of a vertex)");
  assert_text_refused(state, "a.obj", "v 1e999 0 0\n", ":1: found '1e999', expected a finite number (x of a vertex)");
  assert_text_refused(state, "a.obj", "v 1e60 0 0", ":1: found a vertex at (1e+60, 0, 0), expected coordinates up to 1e+50");
  assert_text_refused(state, "a.obj", "v 0 0", ":1: found the end of the file, expected a finite number (z of a vertex)");
  assert_text_refused(state, "a.obj", "v 0 0 0\nf 1 1\n", ":2: found a face of 2 corners, expected 3 or more");
  assert_text_refused(state, "a.obj", "v 0 0 0\nf 1 0 1\n",
                      ":2: found vertex index 0, expected an index from 1 on, or from -1 down");
  assert_text_refused(state, "a.obj", "v 0 0 0\nf -1 -2 -1\n",
                      ":2: found vertex index -2, expected one from -1 on: that many vertices came before");
  assert_text_refused(state, "a.obj", "v 0 0 0\r\nf 1 1 1\r\nf 1 2 1\r\nf 1 1 1",
                      ":3: found vertex index 2, expected one up to 1: the file has that many vertices");
  assert_text_refused(state, "a.obj", "v 0 0 0\nf 1 99999999999999999999999 1\n",
                      ":2: found vertex index 9223372036854775807, expected one up to 1: the file has that many vertices");
  assert_text_refused(state, "a.obj", "v 0 0 0\nf 1 1/a 1\n",
                      ":2: found '1/a', expected a vertex index (like 7, -1, 7/1 or 7//2)");
  assert_text_refused(state, "a.obj", "v 0 0 0\nf 1 1.5 1\n",
                      ":2: found '1.5', expected a vertex index (like 7, -1, 7/1 or 7//2)");
  assert_text_refused(state, "a.obj", "v 0 0 0\nvertex 1 2 3\n",
                      ":2: found 'vertex', expected an OBJ keyword (v, vt, vn, f, g, o, s, ...) or a comment");
  assert_text_refused(state, "a.obj", "v 0 0 0\n", ": has no triangles, expected at least one");
  assert_refused(state, "a.obj", "\0\1\2\377garbage", 11,
                 ":1: found '????garbage', expected an OBJ keyword (v, vt, vn, f, g, o, s, ...) or a comment");
}

#define PLY_VERTEX "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE "element face 1\nproperty list uchar int vertex_index\n"
#define PLY_TEXT "ply\nformat ascii 1.0\n" PLY_VERTEX PLY_FACE "end_header\n"

static void test_ply_errors(void **state)
{
  assert_text_refused(state, "a.ply", PLY_TEXT "0 0 0\n1 0 0\n0 1 x\n3 0 1 2\n",
                      ":12: found 'x', expected a finite number (a value of an element)");
  assert_text_refused(state, "a.ply", PLY_TEXT "0 0 0\n1 0\n0 1 0\n3 0 1 2\n",
                      ":11: found the end of the line, expected a finite number (a value of an element)");
  assert_text_refused(state, "a.ply", PLY_TEXT "0 0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
                      ":10: found '0', expected the end of the line after the last property");
  assert_text_refused(state, "a.ply", PLY_TEXT "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
                      ":13: found vertex index 3, expected a whole number from 0 to 2");
  assert_text_refused(state, "a.ply", PLY_TEXT "0 0 0\n1 0 0\n0 1 0\n3 0 -1 2\n",
                      ":13: found vertex index -1, expected a whole number from 0 to 2");
  assert_text_refused(state, "a.ply", PLY_TEXT "0 0 0\n1 0 0\n0 1 0\n2 0 1\n",
                      ":13: found a list of 2 values, expected 3 or more");
  assert_text_refused(state, "a.ply", PLY_TEXT "0 0 0\n1 0 0\n",
                      ":12: found the end of the file, expected a finite number (a value of an element)");
  assert_text_refused(state, "a.ply", PLY_TEXT "0 0 0\n1e51 0 0\n",
                      ":11: found a vertex at (1e+51, 0, 0), expected finite coordinates up to 1e+50");
  assert_text_refused(state, "a.ply", "ply\nformat ascii 1.0\nelement vertex many\n",
                      ":3: found 'many', expected how many elements there are, as a whole number");
  assert_text_refused(state, "a.ply", "ply\nformat ascii 1.0\nelement vertex -3\n",
                      ":3: found '-3', expected how many elements there are, as a whole number");
  assert_text_refused(state, "a.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999\n",
                      ":3: found a count of 99999999999, expected up to 2147483647");
  assert_text_refused(state, "a.ply", "ply\nformat ascii 1.0\nproperty int x\n",
                      ":3: found a property before any element, expected 'element'");
  assert_text_refused(
      state, "a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty real x\n",
      ":4: found 'real', expected a type (char, uchar, short, ushort, int, uint, float, double, int8 ... float64)");
  assert_text_refused(state, "a.ply", "ply\nformat cuneiform 1.0\n",
                      ":2: found 'cuneiform', expected ascii, binary_little_endian or binary_big_endian");
  assert_text_refused(state, "a.ply", "ply\nformat ascii 1.0\n" PLY_VERTEX "end_header\n",
                      ":7: found no list 'vertex_indices' of an element 'face' in the header, expected one");
  assert_text_refused(state, "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n" PLY_FACE "end_header\n",
                      ":7: found no property 'y' of an element 'vertex' in the header, expected x, y and z");
  assert_text_refused(state, "a.ply", "ply\n" PLY_VERTEX PLY_FACE "end_header\n",
                      ":8: found no line 'format' in the header, expected one");
  assert_text_refused(state, "a.ply", "ply\nformat ascii 1.0\n" PLY_VERTEX PLY_VERTEX,
                      ":7: found a second element of the same name, expected one");
  assert_text_refused(state, "a.ply", "ply\nformat ascii 1.0\n",
                      ":3: found the end of the file, expected format, element, property, comment, obj_info or end_header");
  assert_text_refused(state, "a.ply", "plywood\n", ":1: found 'plywood', expected the line 'ply'");
}

static void test_ply_binary_errors(void **state)
{
  vlTriMesh *cube = make_cube();
  Bytes b = write_ply(cube, 1);
  /* the last face has 2 bytes of colour and count, 3 indices, a float */
  size_t last_index = b.count - 8;
  char rest[128];
  snprintf(rest, sizeof rest, ": byte %zu: found the end of the file, expected 12 elements 'face'", b.count - 4);
  assert_refused(state, "a.ply", b.data, b.count - 1, rest);
  b.data[last_index] = 8;
  snprintf(rest, sizeof rest, ": byte %zu: found vertex index 8, expected a whole number from 0 to 7", last_index);
  assert_refused(state, "a.ply", b.data, b.count, rest);
  b.data[last_index - 9] = 2;
  snprintf(rest, sizeof rest, ": byte %zu: found a list of 2 values, expected 3 or more", last_index - 9);
  assert_refused(state, "a.ply", b.data, b.count, rest);
  vl_trimesh_destroy(&cube);

  /* counts far beyond the file cost neither memory nor time */
  static const char huge[] = "ply\nformat binary_big_endian 1.0\nelement vertex 2147483647\nproperty float x\n"
                             "property float y\nproperty float z\n" PLY_FACE "end_header\n";
  snprintf(rest, sizeof rest, ": byte %zu: found the end of the file, expected 2147483647 elements 'vertex'", strlen(huge));
  assert_refused(state, "a.ply", huge, strlen(huge), rest);
}

/* Lists may have counts and values of any type; one of seven corners makes five triangles. */
static void test_ply_list_types(void **state)
{
  static const char *const types[8] = {"char", "uint8", "short", "ushort", "int32", "uint", "float32", "double"};
  static const size_t bytes[8] = {1, 1, 2, 2, 4, 4, 4, 8};
  for (int pair = 0; pair < 64; pair++) {
    int type[2] = {pair % 8, pair / 8}; /* of the count, of the values */
    Bytes b = {.count = 0};
    char header[512];
    snprintf(header, sizeof header,
             "ply\r\nformat binary_big_endian 1.0\r\nelement face 1\r\nproperty list %s %s vertex_indices\r\n"
             "element vertex 7\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\nend_header\r\n",
             types[type[0]], types[type[1]]);
    put_text(&b, header);
    for (int i = -1; i < 7; i++) {
      int kind = type[i >= 0], whole = i < 0 ? 7 : i;
      if (kind == 7)
        put_number(&b, &(double){whole}, 8, true);
      else if (kind == 6)
        put_float(&b, (float)whole, true);
      else
        put_number(&b, &whole, bytes[kind], true);
    }
    for (int i = 0; i < 21; i++) put_float(&b, (float)i, true);
    vlTriMesh *mesh = read_good(state, "a.ply", b.data, b.count);
    assert_int_equal(mesh->triangle_count, 5);
    for (int t = 0; t < 5; t++) {
      const int fan[3] = {0, t + 1, t + 2};
      assert_memory_equal(mesh->tri[t], fan, sizeof fan);
    }
    assert_true(mesh->x[6].z == 20.0);
    vl_trimesh_destroy(&mesh);
  }
}

#define FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"

static void test_stl_errors(void **state)
{
  assert_text_refused(state, "a.stl", "solid\n" FACET, ":9: found the end of the file, expected 'facet' or 'endsolid'");
  assert_text_refused(state, "a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
                      ":6: found 'endloop', expected 'vertex'");
  assert_text_refused(state, "a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n",
                      ":4: found 'inf', expected a finite number (z of a corner)");
  assert_text_refused(state, "a.stl", "solid\nfacet normal 0 0 1\nloop\n", ":3: found 'loop', expected 'outer loop'");
  assert_text_refused(state, "a.stl", "solid\nendsolid\n", ": has no triangles, expected at least one");
  assert_text_refused(state, "a.stl", "solid\n" FACET "endsolid\nfacet", ":10: found 'facet', expected 'solid'");
  assert_text_refused(state, "a.stl", "liquid\n", ":1: found 'liquid', expected 'solid'");
  vlTriMesh *cube = make_cube();
  Bytes b = write_stl_binary(cube, "solid or not");
  assert_refused(state, "a.stl", b.data, b.count - 1,
                 ": byte 80: found a count of 12 triangles in a file of 683 bytes, expected 684 bytes for it");
  assert_refused(state, "a.stl", b.data, 83,
                 ": byte 83: found the end of the file, expected the 84 bytes every binary STL begins with");
  b.data[84 + 50 + 12 + 12 + 7] = 0x7f; /* second triangle, second corner, y: NaN or infinite with the next byte */
  b.data[84 + 50 + 12 + 12 + 6] = (char)0x80;
  b.data[84 + 50 + 12 + 12 + 5] = 0;
  b.data[84 + 50 + 12 + 12 + 4] = 0;
  vlTriMesh *mesh = NULL;
  vlStatus status;
  assert_int_equal(read_bytes(state, "a.stl", b.data, b.count, &mesh, &status), VL_ERROR_MESH);
  assert_non_null(strstr(status.message, "a.stl: byte 158: found a corner at ("));
  b = write_stl_binary(cube, "many");
  memset(b.data + 80, 0xff, 4);
  assert_refused(
      state, "a.stl", b.data, b.count,
      ": byte 80: found a count of 4294967295 triangles in a file of 684 bytes, expected 214748364834 bytes for it");
  vl_trimesh_destroy(&cube);

  static const char two[] = "SOLID one\n" FACET "ENDSOLID one\nsolid two\n" FACET "endsolid";
  mesh = read_good(state, "b.stl", two, strlen(two));
  assert_int_equal(mesh->triangle_count, 2);
  assert_int_equal(mesh->vertex_count, 3);
  vl_trimesh_destroy(&mesh);
}

static void test_file_errors(void **state)
{
  vlTriMesh *mesh = NULL;
  vlStatus status = {0};
  char path[256], expected[512];
  snprintf(path, sizeof path, "%s/missing.obj", (const char *)*state);
  assert_int_equal(vl_trimesh_read(&mesh, path, &status), VL_ERROR_FILE);
  snprintf(expected, sizeof expected, "%s: cannot be read: No such file or directory", path);
  assert_string_equal(status.message, expected);
  assert_int_equal(vl_trimesh_read(&mesh, *state, &status), VL_ERROR_FILE);
  snprintf(expected, sizeof expected, "%s: cannot be read: Is a directory", (const char *)*state);
  assert_string_equal(status.message, expected);
  assert_int_equal(vl_trimesh_read(&mesh, path, NULL), VL_ERROR_FILE);
  assert_null(mesh);
  assert_refused(state, "empty.obj", "", 0, ": the file is empty, expected a mesh (OBJ, PLY, STL)");
  assert_text_refused(state, "mark", "\xef\xbb\xbf\x05", ": neither content nor name say what it is; " KINDS);
  assert_text_refused(state, "notes.txt", "Dear diary", ": neither content nor name say what it is; " KINDS);

  snprintf(path, sizeof path, "%s/large.obj", (const char *)*state);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  if (ftruncate(fileno(file), (off_t)5 << 30) == 0) {
    assert_int_equal(vl_trimesh_read(&mesh, path, &status), VL_ERROR_FILE);
    snprintf(expected, sizeof expected, "%s: the file has 5368709120 bytes, a mesh file may have up to 4294967295", path);
    assert_string_equal(status.message, expected);
  }
  fclose(file);
}

/* A mesh that was read has only finite coordinates and indices in range; an error has a text. */
static void assert_sane(vlTriMesh *mesh, const vlStatus *status)
{
  if (!mesh) {
    assert_true(strlen(status->message) > 0);
    return;
  }
  for (int i = 0; i < mesh->vertex_count; i++) assert_true(vl_finite(mesh->x[i]));
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) assert_in_range(mesh->tri[t][k], 0, mesh->vertex_count - 1);
  vl_trimesh_destroy(&mesh);
}

/* Each file cut off at every length, and with bytes changed at random. */
static void test_damaged_files(void **state)
{
  vlTriMesh *cube = make_cube();
  Bytes files[6] = {write_obj(cube),    write_ply(cube, 0),   write_ply(cube, 1),
                    write_ply(cube, 2), write_stl_text(cube), write_stl_binary(cube, "x")};
  static const char *const names[6] = {"a.obj", "a.ply", "b.ply", "c.ply", "a.stl", "b.stl"};
  static const char *const pieces[] = {" ",    "\n", "-", "9", "/", "nan", "\\\n", "1e400", "\xff\xff\xff\x7f",
                                       "list", "0",  "#"};
  uint64_t seed = 3;
  for (int f = 0; f < 6; f++) {
    vlTriMesh *mesh = NULL;
    vlStatus status;
    for (size_t n = 0; n < files[f].count; n += 7) {
      read_bytes(state, names[f], files[f].data, n, &mesh, &status);
      assert_sane(mesh, &status);
    }
    for (int i = 0; i < 1000; i++) {
      Bytes damaged = files[f];
      for (int change = 0; change < 1 + i % 4; change++) {
        const char *piece = pieces[(int)random_between(&seed, 0, sizeof pieces / sizeof *pieces)];
        size_t at = (size_t)random_between(&seed, 0, (double)(damaged.count - strlen(piece)));
        memcpy(damaged.data + at, piece, strlen(piece));
      }
      read_bytes(state, names[f], damaged.data, damaged.count, &mesh, &status);
      assert_sane(mesh, &status);
    }
  }
  vl_trimesh_destroy(&cube);
}

/* Counts that stand in the README beside the meshes. */
static void test_shared_meshes(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int triangles, open_edges, bad_edges;
  } known[] = {{"spot.obj", 5856, 0, 0}, {"stanford-bunny.obj", 69451, 223, 0}, {"dragon_npm_q4.obj", 11102, 0, 803}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char path[512];
    vlTriMesh *mesh = NULL;
    vlStatus status = {0};
    snprintf(path, sizeof path, "%s/../shared/meshes/%s", VL_SOURCE_DIR, known[i].name);
    if (access(path, R_OK) != 0) {
      print_message("skipped: %s is not there\n", path);
      skip();
    }
    if (vl_trimesh_read(&mesh, path, &status) != VL_OK) fail_msg("%s", status.message);
    vlTriMeshDefects d;
    assert_int_equal(vl_trimesh_check(mesh, &d, NULL), VL_OK);
    assert_int_equal(mesh->triangle_count, known[i].triangles);
    assert_int_equal(d.open_edges, known[i].open_edges);
    assert_int_equal(d.bad_edges, known[i].bad_edges);
    assert_false(d.inside_out);
    vl_trimesh_destroy(&mesh);
  }
}

/* No byte behind the text may be looked at: the array has no end mark, and the sanitizer would see it. */
static void test_memory(void **state)
{
  (void)state;
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3";
  vlTriMesh *mesh = NULL;
  vlStatus status = {0};
  size_t length = sizeof text - 1;
  char *copy = malloc(length);
  memcpy(copy, text, length);
  assert_int_equal(vl_trimesh_read_memory(&mesh, copy, length, "in/memory.obj", &status), VL_OK);
  assert_true(mesh->vertex_count == 3 && mesh->triangle_count == 1 && mesh->tri[0][2] == 2);
  vl_trimesh_destroy(&mesh);
  assert_int_equal(vl_trimesh_read_memory(&mesh, copy, length - 1, "in/memory.obj", &status), VL_ERROR_MESH);
  assert_null(mesh);
  assert_int_equal(strncmp(status.message, "in/memory.obj:4: ", 17), 0);
  assert_int_equal(vl_trimesh_read_memory(&mesh, NULL, 0, "in/memory.obj", &status), VL_ERROR_MESH);
  free(copy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_obj_and_ply_round),
      cmocka_unit_test(test_stl_round),
      cmocka_unit_test(test_obj_spellings),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_obj_errors),
      cmocka_unit_test(test_ply_errors),
      cmocka_unit_test(test_ply_binary_errors),
      cmocka_unit_test(test_ply_list_types),
      cmocka_unit_test(test_stl_errors),
      cmocka_unit_test(test_file_errors),
      cmocka_unit_test(test_damaged_files),
      cmocka_unit_test(test_shared_meshes),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
