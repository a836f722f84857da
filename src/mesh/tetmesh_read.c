/* Reading tetrahedral meshes: the file, its format, and the finished mesh.
 *
 * Gmsh, MEDIT and VTU files say in their first word what they are; otherwise the name's ending decides. TetGen's two files
 * are found by their ending: NAME.node or NAME.ele stands for both. What was read is oriented and checked, and messages
 * speak of nodes and tetrahedra by the numbers they have in the file.
 *
 * path → mesh that can be an elastic body, or an error with its line, byte or element. */
#include <stdio.h>
#include <stdlib.h>

#include "mesh/read_tet.h"

#define FORMATS "a tetrahedral mesh (Gmsh .msh, MEDIT .mesh, TetGen .node and .ele, VTU)"

static bool is_tetgen(const char *path) { return vl_path_ends_in(path, ".node") || vl_path_ends_in(path, ".ele"); }

static bool begins_with(const vlReader *r, const char *text)
{
  size_t n = strlen(text);
  return (size_t)(r->end - r->at) >= n && memcmp(r->at, text, n) == 0;
}

static vlCode read_by_format(vlTetReader *t)
{
  vlReader *r = &t->r;
  if (r->end == r->text) return vl_fail(r->status, VL_ERROR_MESH, "%s: the file is empty, expected " FORMATS, r->path);
  if (begins_with(r, "\xef\xbb\xbf")) r->at += 3; /* mark of UTF-8 */
  vl_tet_begin_line(t);
  if (begins_with(r, "$MeshFormat")) return vl_read_msh(t);
  if (begins_with(r, "MeshVersionFormatted")) return vl_read_medit(t);
  if (begins_with(r, "<?xml") || begins_with(r, "<VTKFile")) return vl_read_vtu(t);
  if (vl_path_ends_in(r->path, ".msh")) return vl_read_msh(t);
  if (vl_path_ends_in(r->path, ".mesh")) return vl_read_medit(t);
  if (vl_path_ends_in(r->path, ".vtu")) return vl_read_vtu(t);
  return vl_fail(r->status, VL_ERROR_MESH, "%s: neither content nor name say what it is; " VL_MESH_KINDS, r->path);
}

/* Reads one file, or data[length] where it is given, into t. */
static vlCode read_one(vlTetReader *t, const char *data, size_t length, const char *path, vlCode (*read)(vlTetReader *t))
{
  char *text;
  t->r = (vlReader){.path = path, .status = t->r.status};
  vlCode code = vl_reader_open(&t->r, data, length, &text);
  if (code == VL_OK) code = read(t);
  vl_reader_close(&t->r, &text);
  return code;
}

/* TetGen: nodes in NAME.node, tetrahedra in NAME.ele.
 *
 *   .node  COUNT 3 ATTRIBUTES MARKERS, then NUMBER X Y Z attribute... marker
 *   .ele   COUNT 4 ATTRIBUTES, then NUMBER A B C D attribute...
 * Numbers begin with 0 or 1; whatever the first file says, the second one refers to. The mark # begins a comment. */

/* The first line: how many entries, and a number that must be `wanted`. */
static vlCode read_head(vlTetReader *t, int64_t *count, const char *what, int64_t wanted, const char *expected)
{
  int64_t number = 0;
  vl_tet_begin_line(t);
  vlCode code = vl_tet_text_count(t, count, what);
  if (code != VL_OK) return code;
  vl_reader_skip_blanks(&t->r);
  vlReader before = t->r;
  code = vl_tet_text_integer(t, &number, expected);
  if (code == VL_OK && number != wanted) {
    t->r = before;
    return vl_tet_expected(t, expected);
  }
  if (code == VL_OK) vl_reader_next_line(&t->r);
  return code;
}

static vlCode expect_end(vlTetReader *t, const char *what)
{
  vl_tet_begin_line(t);
  return t->r.at < t->r.end ? vl_tet_expected(t, what) : VL_OK;
}

static vlCode read_tetgen_nodes(vlTetReader *t)
{
  int64_t count = 0, label = 0;
  vlVec3 x;
  vlCode code = read_head(t, &count, "the count of nodes", 3, "3 dimensions");
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    vl_tet_begin_line(t);
    code = vl_tet_text_integer(t, &label, "the number of a node");
    if (code == VL_OK) code = vl_tet_text_place(t, &x);
    if (code == VL_OK) code = vl_tet_add_label(t, label);
    if (code == VL_OK) code = vl_tet_add_place(t, x);
    if (code == VL_OK) vl_reader_next_line(&t->r);
  }
  if (code == VL_OK) code = expect_end(t, "the end of the file after the nodes");
  return code == VL_OK ? vl_tet_end_nodes(t) : code;
}

static vlCode read_tetgen_tets(vlTetReader *t)
{
  int64_t count = 0, label = 0, node[4];
  vlCode code = read_head(t, &count, "the count of tetrahedra", 4, "4 nodes for each tetrahedron (first order)");
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    vl_tet_begin_line(t);
    code = vl_tet_text_integer(t, &label, "the number of a tetrahedron");
    if (code == VL_OK) code = vl_tet_text_nodes(t, node, 4);
    if (code == VL_OK) code = vl_tet_add_tet(t, label, node);
    if (code == VL_OK) vl_reader_next_line(&t->r);
  }
  return code == VL_OK ? expect_end(t, "the end of the file after the tetrahedra") : code;
}

static vlCode read_pair(vlTetReader *t, const char *path)
{
  size_t stem = (size_t)(strrchr(path, '.') - path), room = stem + sizeof ".node";
  char *name = malloc(room);
  if (!name) return vl_fail_memory(t->r.status, room, path);
  bool given_node = vl_path_ends_in(path, ".node");
  snprintf(name, room, "%.*s%s", (int)stem, path, given_node ? ".ele" : ".node");
  vlCode code = read_one(t, NULL, 0, given_node ? path : name, read_tetgen_nodes);
  if (code == VL_OK) code = read_one(t, NULL, 0, given_node ? name : path, read_tetgen_tets);
  free(name);
  return code;
}

/* Hands the arrays over, oriented and checked. */
static vlCode finish(vlTetReader *t, vlTetMesh *mesh, const char *path)
{
  *mesh = (vlTetMesh){t->node, t->tet, (int)t->node_count, (int)t->tet_count};
  t->node = NULL;
  t->tet = NULL;
  vl_tetmesh_orient(mesh);
  vlCode code = vl_tetmesh_check(mesh, path, &(vlTetLabels){t->node_label, t->tet_label}, t->r.status);
  if (code != VL_OK) vl_tetmesh_clear(mesh);
  return code;
}

vlCode vl_tetmesh_read(vlTetMesh *mesh, const char *path, vlStatus *status)
{
  *mesh = (vlTetMesh){0};
  vlTetReader t = {.r.status = status};
  vlCode code = is_tetgen(path) ? read_pair(&t, path) : read_one(&t, NULL, 0, path, read_by_format);
  if (code == VL_OK) code = finish(&t, mesh, path);
  vl_tet_reader_clear(&t);
  return code;
}

vlCode vl_tetmesh_read_memory(vlTetMesh *mesh, const char *text, size_t length, const char *name, vlStatus *status)
{
  *mesh = (vlTetMesh){0};
  if (is_tetgen(name))
    return vl_fail(status, VL_ERROR_MESH,
                   "%s: TetGen's pairs of files are read from a folder only, expected one file (Gmsh, MEDIT, VTU)", name);
  vlTetReader t = {.r.status = status};
  vlCode code = read_one(&t, text ? text : "", length, name, read_by_format);
  if (code == VL_OK) code = finish(&t, mesh, name);
  vl_tet_reader_clear(&t);
  return code;
}
