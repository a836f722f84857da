/* STL, text and binary: triangles as three corners each, joined to a mesh by welding equal corners.
 *
 *   solid name / facet normal x y z / outer loop / 3 times: vertex x y z / endloop / endfacet / endsolid name
 *   80 bytes of anything, count (uint32), then per triangle: normal, 3 corners (12 float32), 2 bytes unused
 * All numbers of the binary kind are little-endian. Normals are not used: the order of the corners says
 * which side is outside. Bytes after the last binary triangle are left alone; some programs put colours there.
 *
 * text or bytes → vertices and triangles, welded. */
#include "mesh/read.h"

enum { HEADER_BYTES = 84, TRIANGLE_BYTES = 50 };

/* Three corners of their own for each triangle. */
static vlCode add_corners(vlReader *r, const vlVec3 corner[3])
{
  vlCode code = VL_OK;
  int first = (int)r->vertex_count;
  for (int k = 0; k < 3 && code == VL_OK; k++) code = vl_reader_add_vertex(r, corner[k]);
  return code == VL_OK ? vl_reader_add_triangle(r, first, first + 1, first + 2) : code;
}

static vlCode weld_corners(vlReader *r)
{
  vlTriMesh mesh = {r->x, r->tri, (int)r->vertex_count, (int)r->triangle_count};
  if (mesh.triangle_count == 0) return VL_OK;
  vlCode code = vl_trimesh_weld(&mesh, 0.0, r->status);
  r->vertex_count = (size_t)mesh.vertex_count;
  r->triangle_count = (size_t)mesh.triangle_count;
  return code;
}

/* Reads `keyword` or fails at the place of what stands there instead. */
static vlCode expect_word(vlReader *r, const char *keyword, const char *expected)
{
  vl_reader_skip_lines(r);
  vlWord word = vl_reader_word(r);
  if (vl_word_is_any_case(word, keyword)) return VL_OK;
  r->at = word.begin;
  return vl_reader_expected(r, expected);
}

static vlCode read_text_corner(vlReader *r, vlVec3 *corner)
{
  static const char *const what[3] = {"x of a corner", "y of a corner", "z of a corner"};
  vlCode code = expect_word(r, "vertex", "'vertex'");
  for (int a = 0; a < 3 && code == VL_OK; a++) code = vl_reader_number(r, &corner->v[a], what[a]);
  if (code == VL_OK && !vl_reader_usable(*corner))
    return vl_reader_fail_line(r, "found a corner at (%g, %g, %g), expected coordinates up to %g", corner->x, corner->y,
                               corner->z, VL_READ_COORDINATE_MAX);
  return code;
}

/* Behind the word "facet". */
static vlCode read_text_facet(vlReader *r)
{
  vlVec3 corner[3];
  vl_reader_next_line(r); /* the normal */
  vlCode code = expect_word(r, "outer", "'outer loop'");
  if (code == VL_OK) code = expect_word(r, "loop", "'loop'");
  for (int k = 0; k < 3 && code == VL_OK; k++) code = read_text_corner(r, &corner[k]);
  if (code == VL_OK) code = expect_word(r, "endloop", "'endloop' after three corners");
  if (code == VL_OK) code = expect_word(r, "endfacet", "'endfacet'");
  return code == VL_OK ? add_corners(r, corner) : code;
}

/* From "solid" to "endsolid". */
static vlCode read_text_solid(vlReader *r)
{
  vlCode code = expect_word(r, "solid", "'solid'");
  vl_reader_next_line(r); /* the name */
  while (code == VL_OK) {
    vl_reader_skip_lines(r);
    vlWord word = vl_reader_word(r);
    if (vl_word_is_any_case(word, "endsolid")) {
      vl_reader_next_line(r);
      return VL_OK;
    }
    if (!vl_word_is_any_case(word, "facet")) {
      r->at = word.begin;
      return vl_reader_expected(r, "'facet' or 'endsolid'");
    }
    code = read_text_facet(r);
  }
  return code;
}

vlCode vl_read_stl_text(vlReader *r)
{
  vlCode code = VL_OK;
  for (vl_reader_skip_lines(r); code == VL_OK && r->at < r->end; vl_reader_skip_lines(r)) code = read_text_solid(r);
  return code == VL_OK ? weld_corners(r) : code;
}

static vlCode read_binary_triangle(vlReader *r, const char *bytes)
{
  vlVec3 corner[3];
  for (int k = 0; k < 3; k++) {
    const char *place = bytes + 12 + 12 * k; /* after the normal */
    for (int a = 0; a < 3; a++) corner[k].v[a] = vl_value_decode(place + 4 * a, VL_FLOAT32, false);
    if (!vl_reader_usable(corner[k]))
      return vl_reader_fail_byte(r, place, "found a corner at (%g, %g, %g), expected finite numbers", corner[k].x,
                                 corner[k].y, corner[k].z);
  }
  return add_corners(r, corner);
}

vlCode vl_read_stl_binary(vlReader *r)
{
  size_t size = (size_t)(r->end - r->text);
  if (size < HEADER_BYTES)
    return vl_reader_fail_byte(r, r->end, "found the end of the file, expected the %d bytes every binary STL begins with",
                               HEADER_BYTES);
  uint32_t count = (uint32_t)vl_bytes_integer(r->text + 80, 4, false);
  uint64_t need = HEADER_BYTES + TRIANGLE_BYTES * (uint64_t)count;
  if (need > size)
    return vl_reader_fail_byte(r, r->text + 80,
                               "found a count of %u triangles in a file of %zu bytes, expected %llu bytes for it", count,
                               size, (unsigned long long)need);
  vlCode code = VL_OK;
  for (uint32_t t = 0; t < count && code == VL_OK; t++)
    code = read_binary_triangle(r, r->text + HEADER_BYTES + TRIANGLE_BYTES * (size_t)t);
  return code == VL_OK ? weld_corners(r) : code;
}
