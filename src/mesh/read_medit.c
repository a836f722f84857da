/* MEDIT's .mesh files as text: keywords, each with a count and as many lines.
 *
 *   MeshVersionFormatted 1|2 / Dimension 3
 *   Vertices COUNT, then X Y Z REFERENCE / Tetrahedra COUNT, then A B C D REFERENCE / other keywords / End
 * Nodes are numbered from 1 in their order. Keywords other than these are passed over up to the next line that begins with a
 * letter, save those of solid elements that are not tetrahedra of four nodes. A reference must be there, so that a file that
 * was cut off inside a number is noticed.
 *
 * text → nodes and tetrahedra. */
#include <ctype.h>
#include <stdio.h>

#include "mesh/read_tet.h"

static vlCode read_count(vlTetReader *t, int64_t *count, const char *what)
{
  vl_tet_begin_line(t);
  vlCode code = vl_tet_text_count(t, count, what);
  return code == VL_OK ? vl_tet_end_line(t, what) : code;
}

static vlCode end_entry(vlTetReader *t, const char *what)
{
  int64_t reference;
  vlCode code = vl_tet_text_integer(t, &reference, "a reference");
  return code == VL_OK ? vl_tet_end_line(t, what) : code;
}

static vlCode read_vertices(vlTetReader *t)
{
  int64_t count = 0;
  vlVec3 x;
  if (t->nodes_ended) return vl_tet_fail(t, "found a second 'Vertices', expected one");
  vlCode code = read_count(t, &count, "the count of vertices");
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    vl_tet_begin_line(t);
    code = vl_tet_text_place(t, &x);
    if (code == VL_OK) code = vl_tet_add_label(t, i + 1);
    if (code == VL_OK) code = vl_tet_add_place(t, x);
    if (code == VL_OK) code = end_entry(t, "a vertex");
  }
  return code == VL_OK ? vl_tet_end_nodes(t) : code;
}

static vlCode read_tetrahedra(vlTetReader *t)
{
  int64_t count = 0, node[4];
  if (!t->nodes_ended) return vl_tet_fail(t, "found 'Tetrahedra', expected 'Vertices' before it");
  vlCode code = read_count(t, &count, "the count of tetrahedra");
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    vl_tet_begin_line(t);
    code = vl_tet_text_nodes(t, node, 4);
    if (code == VL_OK) code = vl_tet_add_tet(t, (int64_t)t->tet_count + 1, node);
    if (code == VL_OK) code = end_entry(t, "a tetrahedron");
  }
  return code;
}

static vlCode read_dimension(vlTetReader *t)
{
  vl_tet_begin_line(t);
  vlReader before = t->r;
  int64_t dimension = 0;
  vlCode code = vl_tet_text_integer(t, &dimension, "the dimension");
  if (code != VL_OK || dimension == 3) return code == VL_OK ? vl_tet_end_line(t, "the dimension") : code;
  t->r = before;
  return vl_tet_expected(t, "dimension 3");
}

/* Solid elements that would be missing from the body; none of them are welcome. */
static vlCode refuse_solids(vlTetReader *t, vlWord keyword)
{
  int64_t count = 0;
  char kind[64];
  vlReader before = t->r;
  vlCode code = read_count(t, &count, "the count of elements");
  if (code != VL_OK || count == 0) return code;
  t->r = before;
  snprintf(kind, sizeof kind, "'%.*s'", (int)(keyword.length < 40 ? keyword.length : 40), keyword.begin);
  return vl_tet_fail_kind(t, kind);
}

static bool is_solid(vlWord keyword)
{
  static const char *const solids[] = {"TetrahedraP", "Hexahedra", "Hexaedra", "Prisms", "Pentahedra", "Pyramids"};
  for (size_t i = 0; i < sizeof solids / sizeof *solids; i++)
    if (keyword.length >= strlen(solids[i]) && memcmp(keyword.begin, solids[i], strlen(solids[i])) == 0) return true;
  return false;
}

static void skip_to_letter(vlTetReader *t)
{
  vlReader *r = &t->r;
  for (vl_reader_next_line(r); r->at < r->end; vl_reader_next_line(r)) {
    vl_reader_skip_blanks(r);
    if (isalpha((unsigned char)*r->at)) return;
  }
}

vlCode vl_read_medit(vlTetReader *t)
{
  vlReader *r = &t->r;
  int64_t version;
  bool has_tetrahedra = false;
  vl_tet_begin_line(t);
  vlReader before = *r;
  if (!vl_word_is(vl_reader_word(r), "MeshVersionFormatted")) {
    *r = before;
    return vl_tet_expected(t, "'MeshVersionFormatted'");
  }
  vl_tet_begin_line(t);
  vlCode code = vl_tet_text_integer(t, &version, "the version of the format");
  while (code == VL_OK) {
    vl_tet_begin_line(t);
    before = *r;
    vlWord word = vl_reader_word(r);
    if (word.length == 0 || vl_word_is(word, "End")) break;
    if (vl_word_is(word, "Dimension")) {
      code = read_dimension(t);
    } else if (vl_word_is(word, "Vertices")) {
      code = read_vertices(t);
    } else if (vl_word_is(word, "Tetrahedra")) {
      has_tetrahedra = true;
      code = read_tetrahedra(t);
    } else if (is_solid(word)) {
      code = refuse_solids(t, word);
    } else if (isalpha((unsigned char)*word.begin)) {
      skip_to_letter(t);
    } else {
      *r = before;
      code = vl_tet_expected(t, "a keyword (Vertices, Tetrahedra, ..., End)");
    }
  }
  if (code == VL_OK && !has_tetrahedra) return vl_tet_expected(t, "'Tetrahedra'");
  return code;
}
