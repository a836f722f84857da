/* Files of tetrahedral meshes in every format, whole and broken: what is read, and what the errors say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "place.h"
#include "tet_files.h"

/* Twelve nodes at places that need all digits, twelve tetrahedra. */
static vlTetMesh make_body(void)
{
  vlTetMesh mesh;
  uint64_t seed = 7;
  vlBox3 box = {{.v = {-0.1, 0.2, 0.3}}, {.v = {0.7, 0.5, 0.7}}};
  assert_int_equal(vl_tetmesh_box(&mesh, box, (const int[3]){2, 1, 1}, NULL), VL_OK);
  for (int i = 0; i < mesh.node_count; i++) mesh.node[i] = vl_axpy(mesh.node[i], 0.02, random_vec(&seed, -1.0, 1.0));
  return mesh;
}

static void assert_same(vlTetMesh *read, const vlTetMesh *mesh)
{
  assert_int_equal(read->node_count, mesh->node_count);
  assert_int_equal(read->tet_count, mesh->tet_count);
  assert_memory_equal(read->node, mesh->node, (size_t)mesh->node_count * sizeof *mesh->node);
  assert_memory_equal(read->tet, mesh->tet, (size_t)mesh->tet_count * sizeof *mesh->tet);
  vl_tetmesh_clear(read);
}

/* From an array of just that size, so that the sanitizer sees a look behind it. */
static vlCode read_bytes(vlTetMesh *mesh, const char *name, const void *data, size_t count, vlStatus *status)
{
  char *copy = malloc(count + !count);
  memcpy(copy, data, count);
  *status = (vlStatus){0};
  vlCode code = vl_tetmesh_read_memory(mesh, copy, count, name, status);
  free(copy);
  assert_int_equal(code, status->code);
  assert_true((code == VL_OK) == (mesh->node != NULL));
  return code;
}

static void assert_reads(const char *name, const Bytes *b, const vlTetMesh *mesh)
{
  vlTetMesh read;
  vlStatus status;
  if (read_bytes(&read, name, b->data, b->count, &status) != VL_OK) fail_msg("%s", status.message);
  assert_same(&read, mesh);
}

static void assert_refused(const char *name, const void *data, size_t count, const char *rest)
{
  vlTetMesh mesh;
  vlStatus status;
  char expected[1024];
  assert_int_equal(read_bytes(&mesh, name, data, count, &status), VL_ERROR_MESH);
  snprintf(expected, sizeof expected, "%s%s", name, rest);
  assert_string_equal(status.message, expected);
}

static void assert_text_refused(const char *name, const char *text, const char *rest)
{
  assert_refused(name, text, strlen(text), rest);
}

static void test_msh_round(void **state)
{
  (void)state;
  vlTetMesh mesh = make_body();
  static const TetFormat formats[3] = {{false, false}, {true, false}, {true, true}};
  for (int f = 0; f < 3; f++) {
    Bytes b = write_msh_2(&mesh, formats[f]);
    assert_reads("a.msh", &b, &mesh);
    assert_reads("wrong.vtu", &b, &mesh);
    b = write_msh_4(&mesh, formats[f]);
    assert_reads("a.msh", &b, &mesh);
    assert_reads("no_ending", &b, &mesh);
  }
  vl_tetmesh_clear(&mesh);
}

/* Other line ends, blank lines, and a body written inside out. */
static void test_medit_round(void **state)
{
  (void)state;
  vlTetMesh mesh = make_body();
  Bytes b = write_medit(&mesh), crlf = {.count = 0};
  assert_reads("a.mesh", &b, &mesh);
  assert_reads("wrong.msh", &b, &mesh);
  for (size_t i = 0; i < b.count; i++) {
    if (b.data[i] == '\n') put_text(&crlf, " \t\r");
    put(&crlf, b.data + i, 1);
  }
  assert_reads("a.mesh", &crlf, &mesh);
  vlTetMesh inside_out = make_body();
  for (int t = 0; t < mesh.tet_count; t++) {
    inside_out.tet[t][2] = mesh.tet[t][3];
    inside_out.tet[t][3] = mesh.tet[t][2];
  }
  b = write_medit(&inside_out);
  assert_reads("a.mesh", &b, &mesh);
  vl_tetmesh_clear(&inside_out);
  vl_tetmesh_clear(&mesh);
}

static void test_vtu_round(void **state)
{
  (void)state;
  vlTetMesh mesh = make_body();
  for (int kind = 0; kind < VTU_KINDS; kind++)
    for (int wide = 0; wide < 2; wide++)
      for (int big = 0; big < 2; big++) {
        Bytes b = write_vtu(&mesh, (VtuKind)kind, wide, big);
        assert_reads("a.vtu", &b, &mesh);
        assert_reads("wrong.msh", &b, &mesh);
      }
  vl_tetmesh_clear(&mesh);
}

static void write_file(const char *path, const void *data, size_t count)
{
  FILE *file = fopen(path, "wb");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  assert_int_equal(fwrite(data, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
}

/* The names of a pair of files in the test's folder. */
typedef struct Pair {
  char node[128], ele[128];
} Pair;

static Pair make_pair(void **state)
{
  const Place *place = *state;
  Pair pair;
  snprintf(pair.node, sizeof pair.node, "%s/body.v1.node", place->folder);
  snprintf(pair.ele, sizeof pair.ele, "%s/body.v1.ele", place->folder);
  return pair;
}

static void test_tetgen_round(void **state)
{
  Pair pair = make_pair(state);
  vlTetMesh mesh = make_body(), read;
  vlStatus status = {0};
  for (int first = 0; first < 2; first++) {
    Bytes node = write_node(&mesh, first), ele = write_ele(&mesh, first);
    write_file(pair.node, node.data, node.count);
    write_file(pair.ele, ele.data, ele.count);
    if (vl_tetmesh_read(&read, pair.node, &status) != VL_OK) fail_msg("%s", status.message);
    assert_same(&read, &mesh);
    if (vl_tetmesh_read(&read, pair.ele, &status) != VL_OK) fail_msg("%s", status.message);
    assert_same(&read, &mesh);
  }
  vl_tetmesh_clear(&mesh);
  unlink(pair.node);
  unlink(pair.ele);
}

/* The message must be the path and `rest`, for the file that is `at_node` or not. */
static void assert_pair_refused(void **state, const char *node, const char *ele, bool at_node, const char *rest)
{
  Pair pair = make_pair(state);
  vlTetMesh mesh;
  vlStatus status = {0};
  char expected[1024];
  write_file(pair.node, node, strlen(node));
  write_file(pair.ele, ele, strlen(ele));
  assert_int_equal(vl_tetmesh_read(&mesh, pair.ele, &status), VL_ERROR_MESH);
  snprintf(expected, sizeof expected, "%s%s", at_node ? pair.node : pair.ele, rest);
  assert_string_equal(status.message, expected);
  assert_null(mesh.node);
  unlink(pair.node);
  unlink(pair.ele);
}

#define NODES "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"

static void test_tetgen_errors(void **state)
{
  assert_pair_refused(state, "4 2 0 0\n", "", true, ":1: found '2', expected 3 dimensions");
  assert_pair_refused(state, "# empty\n", "", true,
                      ":2: found the end of the file, expected a whole number (the count of nodes)");
  assert_pair_refused(state, "-4 3\n", "", true, ":1: found -4, expected a number from 0 on (the count of nodes)");
  assert_pair_refused(state, "2 3\n1 0 0 0\n", "", true,
                      ":3: found the end of the file, expected a whole number (the number of a node)");
  assert_pair_refused(state, "1 3\n1 0 0 # 0\n", "", true, ":2: found '#', expected a finite number (z of a node)");
  assert_pair_refused(state, "1 3\n1 0 0 nan\n", "", true, ":2: found 'nan', expected a finite number (z of a node)");
  assert_pair_refused(state, "1 3\n1 0 0 0\n2 0 0 0\n", "", true,
                      ":3: found '2', expected the end of the file after the nodes");
  assert_pair_refused(state, "2 3\n1 0 0 0\n1 0 0 0\n", "", true,
                      ":4: found node 1 twice, expected a number of its own for each node");
  assert_pair_refused(state, NODES, "1 10 0\n", false,
                      ":1: found '10', expected 4 nodes for each tetrahedron (first order)");
  assert_pair_refused(state, NODES, "1 4 0\n1 0 1 2 3\n", false,
                      ":2: found node 0 in tetrahedron 1, expected one of the 4 nodes numbered from 1 to 4");
  assert_pair_refused(state, NODES, "1 4 0\n1 1 2 3\n", false,
                      ":2: found the end of the line, expected a whole number (a node of an element)");
  assert_pair_refused(state, NODES, "999999999999 4 0\n1 1 2 3 4\n", false,
                      ":3: found the end of the file, expected a whole number (the number of a tetrahedron)");
  assert_pair_refused(state, NODES, "1 4 0\n1 1 2 3 3\n", false,
                      ": tetrahedron 1 has the node 3 twice, its nodes must differ");
  assert_pair_refused(state, NODES, "0 4 0\n", false, ": has no tetrahedra, expected at least one");
  assert_pair_refused(state, "0 3\n", "1 4 0\n1 1 2 3 3\n", false,
                      ":2: found node 1 in tetrahedron 1, expected nodes before: there are none");
}

#define MSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH_NODES "$Nodes\n4\n11 0 0 0\n12 1 0 0\n13 0 1 0\n14 0 0 1\n$EndNodes\n"
#define MSH_4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define MSH_4_NODES "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
#define ONLY "expected tetrahedra of 4 nodes only (points, lines and surfaces are passed over)"

static void test_msh_format_errors(void **state)
{
  (void)state;
  assert_text_refused("a.msh", "nodes\n", ":1: found 'nodes', expected '$MeshFormat'");
  assert_text_refused("a.msh", "$MeshFormat\n4.0 0 8\n", ":2: found '4.0', expected version 2.2 or 4.1 of the format");
  assert_text_refused("a.msh", "$MeshFormat\n4.1 0 4\n", ":2: found the format 0 4, expected 0 8 (text) or 1 8 (bytes)");
  assert_text_refused("a.msh", "$MeshFormat\n4.1 0 8 1\n", ":2: found '1', expected the end of the line after the format");
  assert_text_refused("a.msh", "$MeshFormat\n2.2 1 8\n0000$EndMeshFormat\n",
                      ": byte 20: found something else, expected the number 1, which tells the order of bytes");
  assert_text_refused("a.msh", "$MeshFormat\n2.2 1 8\n00",
                      ": byte 22: found the end of the file, expected the number 1, which tells the order of bytes");
  assert_text_refused("a.msh", "$MeshFormat\n2.2 0 8\n$Nodes\n", ":3: found '$Nodes', expected '$EndMeshFormat'");
  assert_text_refused("a.msh", MSH "4\n", ":4: found '4', expected a section ('$Nodes', '$Elements', ...)");
  assert_text_refused("a.msh", MSH, ":4: found the end of the file, expected a section '$Nodes'");
  assert_text_refused("a.msh", MSH MSH_NODES, ":11: found the end of the file, expected a section '$Elements'");
  assert_text_refused("a.msh", MSH "$Elements\n0\n", ":5: found $Elements, expected $Nodes before it");
  assert_text_refused("a.msh", MSH MSH_NODES MSH_NODES, ":12: found a second section $Nodes, expected one");
  assert_text_refused("a.msh", MSH "$Comments\nlong\n", ":6: found the end of the file, expected '$EndComments'");
  assert_text_refused("a.msh", MSH "$Nodes\n1\n1 0 0 0\n$EndElements\n", ":7: found '$EndElements', expected '$EndNodes'");
}

static void test_msh_errors(void **state)
{
  (void)state;
  assert_text_refused("a.msh", MSH "$Nodes\n3\n1 0 0 0\n",
                      ":7: found the end of the file, expected a whole number (the number of a node)");
  assert_text_refused("a.msh", MSH "$Nodes\n2\n1 0 0\n",
                      ":6: found the end of the line, expected a finite number (z of a node)");
  assert_text_refused("a.msh", MSH "$Nodes\n2\n1 0 0 1e51\n",
                      ":6: found a node at (0, 0, 1e+51), expected finite coordinates up to 1e+50");
  assert_text_refused("a.msh", MSH "$Nodes\n2\n1 0 0 0 0\n", ":6: found '0', expected the end of the line after a node");
  assert_text_refused("a.msh", MSH MSH_NODES "$Elements\n1\n7 4 0 11 12 13 15\n",
                      ":13: found node 15 in tetrahedron 7, expected one of the 4 nodes numbered from 11 to 14");
  assert_text_refused("a.msh", MSH MSH_NODES "$Elements\n1\n7 5 0 11 12 13 14 11 12 13 14\n",
                      ":13: found a hexahedron, " ONLY);
  assert_text_refused("a.msh", MSH MSH_NODES "$Elements\n1\n7 11 0 1 2 3 4 5 6 7 8 9 10\n",
                      ":13: found a tetrahedron of 10 nodes (second order), " ONLY);
  assert_text_refused("a.msh", MSH MSH_NODES "$Elements\n1\n7 8 0 1 2 3\n",
                      ":13: found an element of type 8 (higher order or unknown), " ONLY);
  assert_text_refused("a.msh", MSH MSH_NODES "$Elements\n1\n7 4 -1 11 12 13 14\n",
                      ":13: found -1, expected a number from 0 on (how many tags an element has)");
  assert_text_refused("a.msh", MSH MSH_NODES "$Elements\n1\n7 2 0 11 12 13\n$EndElements\n",
                      ": has no tetrahedra, expected at least one");
  assert_text_refused("a.msh", MSH MSH_NODES "$Elements\n2\n7 4 0 11 12 13 14\n9 4 0 11 12 13 14\n$EndElements\n",
                      ": tetrahedra 7 and 9 have the same nodes 11, 12, 13, 14, each must be there once");
  assert_text_refused("a.msh", MSH_4 MSH_4_NODES "$Elements\n1 1 7 7\n3 1 4 2\n",
                      ":18: found a block of dimension 3 with 2 members, expected dimension 0 to 3 and up to 1");
  assert_text_refused("a.msh", MSH_4 MSH_4_NODES "$Elements\n1 2 7 7\n3 1 4 1\n7 1 2 3 4\n$EndElements\n",
                      ":20: found 1 fewer nodes or elements in the blocks than their count says");
  assert_text_refused("a.msh", MSH_4 MSH_4_NODES "$Elements\n1 1 7 7\n3 1 4 1\n7 1 2 3 5\n",
                      ":19: found node 5 in tetrahedron 7, expected one of the 4 nodes numbered from 1 to 4");
  assert_text_refused("a.msh", MSH_4 MSH_4_NODES "$Elements\n1 1 7 7\n3 1 7 1\n7 1 2 3 4 1\n",
                      ":18: found a pyramid, " ONLY);
}

/* Counts far beyond the file cost neither memory nor time. */
static void test_msh_bytes_errors(void **state)
{
  (void)state;
  Bytes b = {.count = 0};
  char rest[256];
  put_msh_head(&b, "2.2", (TetFormat){true, false});
  put_text(&b, "$Nodes\n2000000000\n");
  snprintf(rest, sizeof rest, ": byte %zu: found the end of the file, expected the number of a node", b.count);
  assert_refused("a.msh", b.data, b.count, rest);
  b.count = 0;
  put_msh_head(&b, "4.1", (TetFormat){true, false});
  put_text(&b, "$Nodes\n");
  size_t head = b.count;
  for (int i = 0; i < 4; i++) put_long(&b, i < 2 ? INT64_MAX : 1, false);
  snprintf(rest, sizeof rest, ": byte %zu: found the end of the file, expected the dimension of a block", b.count);
  assert_refused("a.msh", b.data, b.count, rest);
  memset(b.data + head, 0xff, 8);
  snprintf(rest, sizeof rest, ": byte %zu: found -1, expected a number from 0 on (the count of blocks)", head);
  assert_refused("a.msh", b.data, b.count, rest);

  vlTetMesh mesh = make_body();
  mesh.node[3].y = NAN;
  b = write_msh_2(&mesh, (TetFormat){true, false});
  vlTetMesh read;
  vlStatus status;
  assert_int_equal(read_bytes(&read, "a.msh", b.data, b.count, &status), VL_ERROR_MESH);
  assert_non_null(strstr(status.message, ": found a node at ("));
  assert_non_null(strstr(status.message, "nan, "));
  vl_tetmesh_clear(&mesh);
}

#define MEDIT "MeshVersionFormatted 1\nDimension 3\n"
#define MEDIT_NODES "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"

static void test_medit_errors(void **state)
{
  (void)state;
  assert_text_refused("a.mesh", "Mesh\n", ":1: found 'Mesh', expected 'MeshVersionFormatted'");
  assert_text_refused("a.mesh", "MeshVersionFormatted 1\nDimension 2\n", ":2: found '2', expected dimension 3");
  assert_text_refused("a.mesh", MEDIT "Tetrahedra\n", ":3: found 'Tetrahedra', expected 'Vertices' before it");
  assert_text_refused("a.mesh", MEDIT "Vertices many\n",
                      ":3: found 'many', expected a whole number (the count of vertices)");
  assert_text_refused("a.mesh", MEDIT "Vertices\n1\n0 0 0\n",
                      ":5: found the end of the line, expected a whole number (a reference)");
  assert_text_refused("a.mesh", MEDIT MEDIT_NODES MEDIT_NODES, ":9: found a second 'Vertices', expected one");
  assert_text_refused("a.mesh", MEDIT MEDIT_NODES, ":9: found the end of the file, expected 'Tetrahedra'");
  assert_text_refused("a.mesh", MEDIT MEDIT_NODES "7\n",
                      ":9: found '7', expected a keyword (Vertices, Tetrahedra, ..., End)");
  assert_text_refused("a.mesh", MEDIT MEDIT_NODES "Tetrahedra\n1\n0 1 2 3 0\n",
                      ":11: found node 0 in tetrahedron 1, expected one of the 4 nodes numbered from 1 to 4");
  assert_text_refused("a.mesh", MEDIT MEDIT_NODES "Tetrahedra\n2\n1 2 3 4 0\n",
                      ":12: found the end of the file, expected a whole number (a node of an element)");
  assert_text_refused("a.mesh", MEDIT MEDIT_NODES "Tetrahedra\n1\n1 2 3 4 0 0\n",
                      ":11: found '0', expected the end of the line after a tetrahedron");
  assert_text_refused("a.mesh", MEDIT MEDIT_NODES "Hexahedra\n1\n1 2 3 4 1 2 3 4 0\n", ":9: found 'Hexahedra', " ONLY);
  assert_text_refused("a.mesh", MEDIT MEDIT_NODES "TetrahedraP2 1\n1 2 3 4 1 2 3 4 1 2 0\n",
                      ":9: found 'TetrahedraP2', " ONLY);
  assert_text_refused(
      "a.mesh", MEDIT "Vertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n2 2 2 0\nTetrahedra\n1\n1 2 3 4 0\n",
      ": node 5 at (2, 2, 2) belongs to no tetrahedron, so it has no mass; 1 of 5 nodes are unused and must be "
      "removed");
}

/* A VTU file as text, with its parts to be replaced. */
static void assert_vtu_refused(const char *old, const char *new, const char *rest)
{
  static const char file[] =
      "<VTKFile type=\"UnstructuredGrid\">\n<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n"
      "<Points><DataArray type=\"Float32\" format=\"ascii\">\n0 0 0 1 0 0 0 1 0 0 0 1\n</DataArray></Points>\n"
      "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\n"
      "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>\n"
      "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells>\n</Piece></VTKFile>\n";
  Bytes b = {.count = 0};
  const char *at = strstr(file, old);
  assert_non_null(at);
  put(&b, file, (size_t)(at - file));
  put_text(&b, new);
  put_text(&b, at + strlen(old));
  if (rest) {
    assert_refused("a.vtu", b.data, b.count, rest);
    return;
  }
  vlTetMesh mesh;
  vlStatus status;
  if (read_bytes(&mesh, "a.vtu", b.data, b.count, &status) != VL_OK) fail_msg("%s", status.message);
  vl_tetmesh_clear(&mesh);
}

static void test_vtu_errors(void **state)
{
  (void)state;
  assert_vtu_refused("10<", "10<", NULL);
  assert_vtu_refused("VTKFile", "File", ": found no <VTKFile type=\"UnstructuredGrid\">, expected one");
  assert_vtu_refused("UnstructuredGrid", "PolyData",
                     ": found another type in <VTKFile>, expected type=\"UnstructuredGrid\"");
  assert_vtu_refused("d\">\n<Piece", "d\" compressor=\"vtkZLibDataCompressor\">\n<Piece",
                     ": found compressed data (vtkZLibDataCompressor), expected data without compression");
  assert_vtu_refused("<Piece", "<Part", ": found no <Piece>, expected one");
  assert_vtu_refused("<Points>", "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>",
                     ": found a second <Piece>, expected one");
  assert_vtu_refused("NumberOfCells=\"1\"", "",
                     ": found a <Piece> without counts, expected NumberOfPoints and NumberOfCells");
  assert_vtu_refused("Name=\"offsets\"", "", ": found no array 'offsets', expected one");
  assert_vtu_refused("1 0 0 0 1 0", "1 0 x 0 1 0", ":4: found 'x', expected a finite number (Points)");
  assert_vtu_refused("1 0 0 0 1 0", "1 0 nan 0 1 0", ":4: found 'nan', expected a finite number (Points)");
  assert_vtu_refused("1 0 0 0 1 0", "1 0 0 1 0", ": found 11 values in the array 'Points', expected 12");
  assert_vtu_refused("1 0 0 0 1 0", "1 0 0 0 1e51 0",
                     ": found a node at (0, 1e+51, 0), expected finite coordinates up to 1e+50");
  assert_vtu_refused("NumberOfPoints=\"4\"", "NumberOfPoints=\"999999999999999999\"",
                     ": found 12 values in the array 'Points', expected 2999999999999999997");
  assert_vtu_refused("NumberOfCells=\"1\"", "NumberOfCells=\"2\"", ": found 1 values in the array 'offsets', expected 2");
  assert_vtu_refused(">4<", ">5<",
                     ": found tetrahedron 0 with the offsets 0 to 5, expected 4 of the 4 values of 'connectivity'");
  assert_vtu_refused("0 1 2 3", "0 1 2",
                     ": found tetrahedron 0 with the offsets 0 to 4, expected 4 of the 3 values of 'connectivity'");
  assert_vtu_refused("0 1 2 3", "0 1 2 4",
                     ": found node 4 in tetrahedron 0, expected one of the 4 nodes numbered from 0 to 3");
  assert_vtu_refused(">10<", ">12<", ": found cell 0 of type 12 (a solid, higher order or unknown), " ONLY);
  assert_vtu_refused(">10<", ">24<", ": found cell 0 of type 24 (a tetrahedron of 10 nodes (second order)), " ONLY);
  assert_vtu_refused(">10<", ">5<", ": has no tetrahedra, expected at least one");
}

#define SHORT ": found too few bytes in the array 'types', expected as many as its size says"

static void test_vtu_block_errors(void **state)
{
  (void)state;
  static const char types[] = "format=\"ascii\">10<";
  assert_vtu_refused(types, "format=\"binary\">AQAAAAo=<", NULL);     /* 1 byte: 10 */
  assert_vtu_refused(types, "format=\"binary\">AQAAAA==Cg==<", NULL); /* the same in two parts */
  assert_vtu_refused(types, "format=\"binary\">AQAAAA=<", SHORT);
  assert_vtu_refused(types, "format=\"binary\">AgAAAAo=<", SHORT);
  assert_vtu_refused(types, "format=\"binary\">/////wo=<", SHORT);
  assert_vtu_refused(types, "format=\"binary\">AQ!AAo=<", SHORT);
  assert_vtu_refused("type=\"UInt8\" Name=\"types\" format=\"ascii\">10<",
                     "type=\"Int32\" Name=\"types\" format=\"binary\">AQAAAAo=<",
                     ": found 1 bytes in the array 'types', expected a multiple of 4");
  assert_vtu_refused("type=\"UInt8\" Name=\"types\" format=\"ascii\">10<",
                     "type=\"Bit\" Name=\"types\" format=\"binary\">AQAAAAo=<",
                     ": found no known type in the array 'types', expected Int8 to UInt64, Float32 or Float64");
  assert_vtu_refused(types, "format=\"gif\">10<",
                     ": found an unknown format in the array 'types', expected ascii, binary or appended");
  assert_vtu_refused(types, "format=\"appended\"><",
                     ": found no offset in the array 'types', expected a whole number from 0 on");
  assert_vtu_refused(types, "format=\"appended\" offset=\"0\"><",
                     ": found appended data in the array 'types', expected <AppendedData> with an underscore in the file");
  assert_vtu_refused("format=\"ascii\">10</DataArray></Cells>\n</Piece>",
                     "format=\"appended\" offset=\"9000\"/></Cells></Piece><AppendedData encoding=\"raw\">_",
                     ": found an offset behind the end of the file in the array 'types', expected a lower one");
  assert_vtu_refused("</Piece>", "</Piece><AppendedData encoding=\"ink\">_",
                     ": found another encoding in <AppendedData>, expected raw or base64");
}

static void test_file_errors(void **state)
{
  const Place *place = *state;
  vlTetMesh mesh;
  vlStatus status = {0};
  char path[128], expected[512];
  snprintf(path, sizeof path, "%s/missing.msh", place->folder);
  assert_int_equal(vl_tetmesh_read(&mesh, path, &status), VL_ERROR_FILE);
  snprintf(expected, sizeof expected, "%s: cannot be read: No such file or directory", path);
  assert_string_equal(status.message, expected);
  Pair pair = make_pair(state);
  write_file(pair.node, NODES, strlen(NODES));
  assert_int_equal(vl_tetmesh_read(&mesh, pair.node, &status), VL_ERROR_FILE);
  snprintf(expected, sizeof expected, "%s: cannot be read: No such file or directory", pair.ele);
  assert_string_equal(status.message, expected);
  assert_null(mesh.node);
  unlink(pair.node);
  static const char formats[] = "expected a tetrahedral mesh (Gmsh .msh, MEDIT .mesh, TetGen .node and .ele, VTU)";
  snprintf(expected, sizeof expected, ": the file is empty, %s", formats);
  assert_refused("a.msh", "", 0, expected);
  snprintf(expected, sizeof expected,
           ": neither content nor name say what it is; meshes are read from OBJ, PLY, STL "
           "(triangles), Gmsh .msh, MEDIT .mesh, TetGen .node and .ele, VTU (tetrahedra)");
  assert_text_refused("notes.txt", "Dear diary", expected);
  assert_text_refused("a.ele", "1 4 0\n",
                      ": TetGen's pairs of files are read from a folder only, expected one file (Gmsh, MEDIT, VTU)");
  assert_int_equal(vl_tetmesh_read_memory(&mesh, NULL, 0, "a.msh", NULL), VL_ERROR_MESH);
}

/* What was read can be a body; an error has a text. */
static void assert_sane(vlTetMesh *mesh, const vlStatus *status)
{
  if (status->code == VL_OK)
    assert_int_equal(vl_tetmesh_check(mesh, "mesh", NULL, NULL), VL_OK);
  else
    assert_true(strlen(status->message) > 0);
  vl_tetmesh_clear(mesh);
}

/* Cut off anywhere but behind the last mark of the format, a file is refused. */
static void test_cut_off_files(void **state)
{
  (void)state;
  vlTetMesh body = make_body(), mesh;
  static Bytes files[8];
  static const char *const last[8] = {"$EndElements", "$EndElements", "$EndElements", "$EndElements",
                                      "Edges",        "</DataArray>", "\n</App",      "\n</App"};
  files[0] = write_msh_2(&body, (TetFormat){false, false});
  files[1] = write_msh_2(&body, (TetFormat){true, false});
  files[2] = write_msh_4(&body, (TetFormat){false, false});
  files[3] = write_msh_4(&body, (TetFormat){true, true});
  files[4] = write_medit(&body);
  files[5] = write_vtu(&body, VTU_TEXT, true, false);
  files[6] = write_vtu(&body, VTU_RAW, true, false);
  files[7] = write_vtu(&body, VTU_BASE64, false, false);
  for (int f = 0; f < 8; f++) {
    vlStatus status;
    const char *mark = NULL;
    for (size_t i = 0; i + strlen(last[f]) <= files[f].count; i++)
      if (memcmp(files[f].data + i, last[f], strlen(last[f])) == 0) mark = files[f].data + i;
    assert_non_null(mark);
    size_t whole = (size_t)(mark - files[f].data) - (f < 4 ? 0 : 4); /* the last number's end, or padding, may be missing */
    for (size_t n = 0; n < files[f].count; n++) {
      vlCode code = read_bytes(&mesh, "a.file", files[f].data, n, &status);
      if (n < whole) assert_int_equal(code, VL_ERROR_MESH);
      assert_sane(&mesh, &status);
    }
  }
  vl_tetmesh_clear(&body);
}

static void test_cut_off_pairs(void **state)
{
  Pair pair = make_pair(state);
  vlTetMesh body = make_body(), mesh;
  Bytes node = write_node(&body, 1), ele = write_ele(&body, 1);
  vlStatus status = {0};
  write_file(pair.ele, ele.data, ele.count);
  for (size_t n = 0; n < node.count; n += 3) {
    write_file(pair.node, node.data, n);
    status.code = vl_tetmesh_read(&mesh, pair.node, &status);
    assert_sane(&mesh, &status);
  }
  write_file(pair.node, node.data, node.count);
  for (size_t n = 0; n < ele.count; n++) {
    write_file(pair.ele, ele.data, n);
    status.code = vl_tetmesh_read(&mesh, pair.node, &status);
    assert_sane(&mesh, &status);
  }
  vl_tetmesh_clear(&body);
  unlink(pair.node);
  unlink(pair.ele);
}

/* Bytes changed at random. */
static void test_damaged_files(void **state)
{
  (void)state;
  static const char *const pieces[] = {" ", "\n", "-", "9", "$", "nan", "<", "\"", "1e400", "\xff\xff\xff\x7f",
                                       "0", "#",  "=", "_"};
  vlTetMesh body = make_body(), mesh;
  uint64_t seed = 5;
  static Bytes damaged;
  for (int f = 0; f < 9 + VTU_KINDS; f++) {
    Bytes file = f < 3   ? write_msh_2(&body, (TetFormat){f > 0, f > 1})
                 : f < 6 ? write_msh_4(&body, (TetFormat){f > 3, f > 4})
                 : f < 9 ? write_medit(&body)
                         : write_vtu(&body, (VtuKind)(f - 9), f % 2, false);
    vlStatus status;
    for (int i = 0; i < 500; i++) {
      damaged.count = file.count;
      memcpy(damaged.data, file.data, file.count);
      for (int change = 0; change < 1 + i % 4; change++) {
        const char *piece = pieces[(int)random_between(&seed, 0, sizeof pieces / sizeof *pieces)];
        size_t at = (size_t)random_between(&seed, 0, (double)(damaged.count - strlen(piece)));
        memcpy(damaged.data + at, piece, strlen(piece));
      }
      read_bytes(&mesh, "a.file", damaged.data, damaged.count, &status);
      assert_sane(&mesh, &status);
    }
  }
  vl_tetmesh_clear(&body);
}

/* Bodies nobody here made; the surface's triangles stand in the README beside them. */
static void test_shared_meshes(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int tets, triangles;
  } known[] = {{"dinosaur_polyfem.msh", 49973, 17212}, {"octopus-low.mesh", 1140, 898}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char path[512];
    vlTetMesh mesh;
    vlTriMesh *surface;
    int *node;
    vlStatus status = {0};
    snprintf(path, sizeof path, "%s/../shared/meshes/%s", VL_SOURCE_DIR, known[i].name);
    if (access(path, R_OK) != 0) {
      print_message("skipped: %s is not there\n", path);
      skip();
    }
    if (vl_tetmesh_read(&mesh, path, &status) != VL_OK) fail_msg("%s", status.message);
    assert_int_equal(mesh.tet_count, known[i].tets);
    assert_int_equal(vl_tetmesh_surface(&surface, &node, &mesh, NULL), VL_OK);
    assert_int_equal(surface->triangle_count, known[i].triangles);
    double volume = vl_tetmesh_volume(&mesh);
    assert_true(fabs(vl_trimesh_volume(surface) - volume) < 1e-12 * volume); /* sums of up to 50 000 terms */
    free(node);
    vl_trimesh_destroy(&surface);
    vl_tetmesh_clear(&mesh);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_msh_round),        cmocka_unit_test(test_medit_round),
      cmocka_unit_test(test_vtu_round),        cmocka_unit_test(test_tetgen_round),
      cmocka_unit_test(test_tetgen_errors),    cmocka_unit_test(test_msh_format_errors),
      cmocka_unit_test(test_msh_errors),       cmocka_unit_test(test_msh_bytes_errors),
      cmocka_unit_test(test_medit_errors),     cmocka_unit_test(test_vtu_errors),
      cmocka_unit_test(test_vtu_block_errors), cmocka_unit_test(test_file_errors),
      cmocka_unit_test(test_cut_off_files),    cmocka_unit_test(test_cut_off_pairs),
      cmocka_unit_test(test_damaged_files),    cmocka_unit_test(test_shared_meshes),
  };
  return cmocka_run_group_tests(tests, make_place, remove_place);
}
