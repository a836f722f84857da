/* TetGen: nodes in NAME.node, tetrahedra in NAME.ele.
 *
 *   .node  COUNT 3 ATTRIBUTES MARKERS, then NUMBER X Y Z attribute... marker
 *   .ele   COUNT 4 ATTRIBUTES, then NUMBER A B C D attribute...
 * Numbers begin with 0 or 1; whatever the first file says, the second one refers to. The mark # begins a comment.
 *
 * text → nodes, tetrahedra. */
#include "mesh/read_tet.h"

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

vlCode vl_read_tetgen_nodes(vlTetReader *t)
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

vlCode vl_read_tetgen_tets(vlTetReader *t)
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
