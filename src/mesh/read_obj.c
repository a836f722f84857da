/* Wavefront OBJ: lines of a keyword and its values.
 *
 *   v x y z ...        a vertex; values after the third (weight, colour) are not used
 *   f i/t/n j//n k ... a face; only the vertex indices count: from 1, or negative from the latest vertex back
 * Other keywords of the format are passed over; unknown words are errors, since a file of them is no OBJ.
 * A face of n corners becomes the fan of n - 2 triangles about its first. A face may come before its
 * vertices, so the largest index is judged at the end.
 *
 * text → vertices and triangles. */
#include <limits.h>

#include "mesh/read.h"

/* The largest vertex index of the file, from 0, and the line it stands on. */
typedef struct Largest {
  int64_t index;
  int64_t line;
} Largest;

static bool is_passed_over(vlWord word)
{
  static const char *const keywords[] = {
      "vt",       "vn",     "vp",   "g",          "o",         "s",     "l",     "p",    "mtllib", "usemtl", "mg",
      "usemap",   "maplib", "lod",  "bevel",      "c_interp",  "ctech", "stech", "deg",  "cstype", "bmat",   "step",
      "d_interp", "curv",   "surf", "curv2",      "parm",      "trim",  "hole",  "scrv", "sp",     "end",    "con",
      "call",     "csh",    "bsp",  "shadow_obj", "trace_obj", "bzp",   "cdc",   "cdp",  "res"};
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (vl_word_is(word, keywords[i])) return true;
  return false;
}

static vlCode read_vertex(vlReader *r)
{
  static const char *const what[3] = {"x of a vertex", "y of a vertex", "z of a vertex"};
  vlVec3 x;
  for (int a = 0; a < 3; a++) {
    vlCode code = vl_reader_number(r, &x.v[a], what[a]);
    if (code != VL_OK) return code;
  }
  if (!vl_reader_usable(x))
    return vl_reader_fail_line(r, "found a vertex at (%g, %g, %g), expected coordinates up to %g", x.x, x.y, x.z,
                               VL_READ_COORDINATE_MAX);
  return vl_reader_add_vertex(r, x);
}

/* "/", "/5", "//7" or "/5/7" behind a vertex index. */
static void skip_texture_and_normal(vlReader *r)
{
  int64_t unused;
  for (int i = 0; i < 2 && r->at < r->end && *r->at == '/'; i++) {
    r->at++;
    vl_reader_integer(r, &unused);
  }
}

static vlCode read_corner(vlReader *r, int *vertex, Largest *largest)
{
  static const char expected[] = "a vertex index (like 7, -1, 7/1 or 7//2)";
  const char *word = r->at;
  int64_t index;
  if (!vl_reader_integer(r, &index)) return vl_reader_expected(r, expected);
  skip_texture_and_normal(r);
  bool whole_word = vl_reader_at_line_end(r) || *r->at == ' ' || *r->at == '\t' || *r->at == '\\';
  if (!whole_word) {
    r->at = word;
    return vl_reader_expected(r, expected);
  }
  int64_t count = (int64_t)r->vertex_count;
  if (index == 0) return vl_reader_fail_line(r, "found vertex index 0, expected an index from 1 on, or from -1 down");
  if (index < -count)
    return vl_reader_fail_line(r, "found vertex index %lld, expected one from -%lld on: that many vertices came before",
                               (long long)index, (long long)count);
  index = index > 0 ? index - 1 : count + index;
  if (index > largest->index) *largest = (Largest){index, r->line};
  *vertex = index < INT_MAX ? (int)index : INT_MAX;
  return VL_OK;
}

static vlCode read_face(vlReader *r, Largest *largest)
{
  int first = 0, last = 0, corners = 0;
  vlCode code = VL_OK;
  vl_reader_skip_blanks(r);
  for (; code == VL_OK && !vl_reader_at_line_end(r) && *r->at != '#'; vl_reader_skip_blanks(r)) {
    int vertex = 0;
    code = read_corner(r, &vertex, largest);
    if (code != VL_OK) break;
    corners++;
    if (corners == 1) first = vertex;
    if (corners >= 3) code = vl_reader_add_triangle(r, first, last, vertex);
    last = vertex;
  }
  if (code == VL_OK && corners < 3) return vl_reader_fail_line(r, "found a face of %d corners, expected 3 or more", corners);
  return code;
}

/* To the next statement, over lines that are joined to this one. */
static void skip_statement(vlReader *r)
{
  do {
    while (!vl_reader_at_line_end(r) && *r->at != '\\') r->at++;
    vl_reader_skip_blanks(r);
    if (r->at < r->end && *r->at == '\\') r->at++;
  } while (!vl_reader_at_line_end(r));
  vl_reader_next_line(r);
}

static vlCode read_statement(vlReader *r, Largest *largest)
{
  const char *begin = r->at;
  vlWord word = vl_reader_word(r);
  if (word.length == 0 || word.begin[0] == '#') {
    vl_reader_next_line(r);
    return VL_OK;
  }
  vlCode code = VL_OK;
  if (vl_word_is(word, "v")) {
    code = read_vertex(r);
  } else if (vl_word_is(word, "f") || vl_word_is(word, "fo")) {
    code = read_face(r, largest);
  } else if (!is_passed_over(word)) {
    r->at = begin;
    return vl_reader_expected(r, "an OBJ keyword (v, vt, vn, f, g, o, s, ...) or a comment");
  }
  if (code == VL_OK) skip_statement(r);
  return code;
}

vlCode vl_read_obj(vlReader *r)
{
  Largest largest = {-1, 0};
  r->joins_lines = true;
  while (r->at < r->end) {
    vlCode code = read_statement(r, &largest);
    if (code != VL_OK) return code;
  }
  if (largest.index < (int64_t)r->vertex_count) return VL_OK;
  r->line = largest.line;
  return vl_reader_fail_line(r, "found vertex index %lld, expected one up to %zu: the file has that many vertices",
                             (long long)(largest.index + 1), r->vertex_count);
}
