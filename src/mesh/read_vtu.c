/* VTU, VTK's XML files of unstructured grids, of one piece and not compressed.
 *
 *   <VTKFile type="UnstructuredGrid" byte_order header_type> ... <Piece NumberOfPoints NumberOfCells>
 *     <Points> <DataArray 3 components> / <Cells> <DataArray connectivity, offsets, types>
 *   <AppendedData>
 * Cell i has the points connectivity[offsets[i-1] .. offsets[i]) and the type types[i]: 10 is a tetrahedron, those up to 9
 * are points, lines and surfaces. Points and cells are numbered from 0.
 *
 * text and bytes → nodes and tetrahedra. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mesh/read_vtu.h"

enum { POINTS, CONNECTIVITY, OFFSETS, TYPES, ARRAYS };

typedef struct Vtu {
  vlTetReader *t;
  vlVtuStore store;
  vlVtuArray array[ARRAYS];
  int64_t point_count, cell_count;
  int pieces;
} Vtu;

static vlCode read_file_tag(Vtu *vtu, const vlXmlTag *tag)
{
  if (!vl_xml_attribute_is(tag, "type", "UnstructuredGrid"))
    return vl_tet_fail(vtu->t, "found another type in <VTKFile>, expected type=\"UnstructuredGrid\"");
  vlWord word;
  if (vl_xml_attribute(tag, "compressor", &word) && word.length > 0)
    return vl_tet_fail(vtu->t, "found compressed data (%.*s), expected data without compression",
                       (int)(word.length < 60 ? word.length : 60), word.begin);
  vtu->store.big = vl_xml_attribute_is(tag, "byte_order", "BigEndian");
  vtu->store.size_bytes = vl_xml_attribute_is(tag, "header_type", "UInt64") ? 8 : 4;
  return VL_OK;
}

static vlCode read_piece_tag(Vtu *vtu, const vlXmlTag *tag)
{
  if (vtu->pieces++ > 0) return vl_tet_fail(vtu->t, "found a second <Piece>, expected one");
  if (!vl_xml_attribute_count(tag, "NumberOfPoints", &vtu->point_count) ||
      !vl_xml_attribute_count(tag, "NumberOfCells", &vtu->cell_count))
    return vl_tet_fail(vtu->t, "found a <Piece> without counts, expected NumberOfPoints and NumberOfCells");
  return VL_OK;
}

static vlCode read_appended_tag(Vtu *vtu, const vlXmlTag *tag)
{
  vlReader *r = &vtu->t->r;
  const char *mark = memchr(tag->end, '_', (size_t)(r->end - tag->end));
  vtu->store.appended = mark ? mark + 1 : NULL;
  vtu->store.appended_is_bytes = vl_xml_attribute_is(tag, "encoding", "raw");
  if (!vtu->store.appended_is_bytes && !vl_xml_attribute_is(tag, "encoding", "base64"))
    return vl_tet_fail(vtu->t, "found another encoding in <AppendedData>, expected raw or base64");
  return VL_OK;
}

static void note_array(Vtu *vtu, const vlXmlTag *tag, bool in_points)
{
  for (int i = 0; i < ARRAYS; i++) {
    vlVtuArray *array = &vtu->array[i];
    bool wanted = in_points ? i == POINTS : i != POINTS && vl_xml_attribute_is(tag, "Name", array->what);
    if (!wanted || array->found) continue;
    array->found = true;
    array->tag = *tag;
  }
}

/* Notes where the arrays are, without looking into them. */
static vlCode find_arrays(Vtu *vtu)
{
  vlReader *r = &vtu->t->r;
  const char *at = r->at;
  vlXmlTag tag;
  vlCode code = VL_OK;
  bool in_file = false, in_points = false, in_cells = false, appended = false;
  while (code == VL_OK && !appended && vl_xml_next(&at, r->end, &tag)) {
    if (vl_word_is(tag.name, "Points")) in_points = !tag.closes && !tag.empty;
    if (vl_word_is(tag.name, "Cells")) in_cells = !tag.closes && !tag.empty;
    if (tag.closes) continue;
    if (vl_word_is(tag.name, "VTKFile")) {
      in_file = true;
      code = read_file_tag(vtu, &tag);
    } else if (vl_word_is(tag.name, "Piece")) {
      code = read_piece_tag(vtu, &tag);
    } else if (vl_word_is(tag.name, "DataArray") && (in_points || in_cells)) {
      note_array(vtu, &tag, in_points);
    } else if (vl_word_is(tag.name, "AppendedData")) {
      appended = true;
      code = read_appended_tag(vtu, &tag);
    }
  }
  if (code == VL_OK && !in_file) return vl_tet_fail(vtu->t, "found no <VTKFile type=\"UnstructuredGrid\">, expected one");
  if (code == VL_OK && vtu->pieces == 0) return vl_tet_fail(vtu->t, "found no <Piece>, expected one");
  return code;
}

static vlCode check_count(Vtu *vtu, const vlVtuArray *array, int64_t tuples, int components)
{
  if ((double)array->count == (double)tuples * components) return VL_OK;
  return vl_tet_fail(vtu->t, "found %zu values in the array '%s', expected %lld", array->count, array->what,
                     (long long)(tuples * components));
}

static vlCode add_points(Vtu *vtu)
{
  const double *x = vtu->array[POINTS].value;
  vlCode code = check_count(vtu, &vtu->array[POINTS], vtu->point_count, 3);
  for (int64_t i = 0; i < vtu->point_count && code == VL_OK; i++, x += 3) {
    code = vl_tet_add_label(vtu->t, i);
    if (code == VL_OK) code = vl_tet_add_place(vtu->t, vl_vec(x[0], x[1], x[2]));
  }
  return code == VL_OK ? vl_tet_end_nodes(vtu->t) : code;
}

/* Whether cell i is a tetrahedron; cells that cannot be passed over are refused. */
static vlCode check_type(Vtu *vtu, int64_t i, bool *is_tet)
{
  char kind[96];
  double type = vtu->array[TYPES].value[i];
  *is_tet = type == 10.0;
  if (type >= 1.0 && type <= 10.0) return VL_OK;
  const char *name = type == 24.0 ? "a tetrahedron of 10 nodes (second order)" : "a solid, higher order or unknown";
  snprintf(kind, sizeof kind, "cell %lld of type %g (%s)", (long long)i, type, name);
  return vl_tet_fail_kind(vtu->t, kind);
}

static vlCode add_tet(Vtu *vtu, int64_t i, double begin, double end)
{
  const vlVtuArray *connectivity = &vtu->array[CONNECTIVITY];
  if (end - begin != 4.0 || !(begin >= 0.0 && end <= (double)connectivity->count && begin == floor(begin)))
    return vl_tet_fail(vtu->t, "found tetrahedron %lld with the offsets %g to %g, expected 4 of the %zu values of '%s'",
                       (long long)i, begin, end, connectivity->count, connectivity->what);
  int64_t node[4];
  for (int k = 0; k < 4; k++) {
    double index = connectivity->value[(size_t)begin + (size_t)k];
    node[k] = fabs(index) < 9e15 && index == floor(index) ? (int64_t)index : -1;
  }
  return vl_tet_add_tet(vtu->t, i, node);
}

static vlCode add_cells(Vtu *vtu)
{
  const double *offset = vtu->array[OFFSETS].value;
  vlCode code = check_count(vtu, &vtu->array[OFFSETS], vtu->cell_count, 1);
  if (code == VL_OK) code = check_count(vtu, &vtu->array[TYPES], vtu->cell_count, 1);
  for (int64_t i = 0; i < vtu->cell_count && code == VL_OK; i++) {
    bool is_tet = false;
    code = check_type(vtu, i, &is_tet);
    if (code == VL_OK && is_tet) code = add_tet(vtu, i, i > 0 ? offset[i - 1] : 0.0, offset[i]);
  }
  return code;
}

vlCode vl_read_vtu(vlTetReader *t)
{
  Vtu vtu = {.t = t, .store.size_bytes = 4};
  static const char *const what[ARRAYS] = {"Points", "connectivity", "offsets", "types"};
  for (int i = 0; i < ARRAYS; i++) vtu.array[i].what = what[i];
  t->where = VL_WHERE_FILE;
  vlCode code = find_arrays(&vtu);
  for (int i = 0; i < ARRAYS && code == VL_OK; i++) code = vl_vtu_load(t, &vtu.store, &vtu.array[i]);
  if (code == VL_OK) code = add_points(&vtu);
  if (code == VL_OK) code = add_cells(&vtu);
  for (int i = 0; i < ARRAYS; i++) free(vtu.array[i].value);
  return code;
}
