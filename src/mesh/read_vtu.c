/* VTU, VTK's XML files of unstructured grids, of one piece and not compressed.
 *
 *   <VTKFile type="UnstructuredGrid" byte_order header_type> ... <Piece NumberOfPoints NumberOfCells>
 *     <Points> <DataArray 3 components> / <Cells> <DataArray connectivity, offsets, types>
 *   <AppendedData>
 * Cell i has the points connectivity[offsets[i-1] .. offsets[i]) and the type types[i]: 10 is a tetrahedron, those up to 9
 * are points, lines and surfaces. Points and cells are numbered from 0. Arrays are
 *   format="ascii"     numbers as text between the tags
 *   format="binary"    base64 between the tags
 *   format="appended"  at offset="N" behind the underscore of <AppendedData encoding="raw" or "base64">
 * A block of bytes begins with how many follow, as a number of 4 or 8 bytes (header_type). All values become doubles, which
 * hold every index a mesh can have. The size of a block is compared with what is left of the file before it is believed.
 *
 * text and bytes → nodes and tetrahedra. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mesh/read.h"
#include "mesh/read_tet.h"

/* What the whole file says about its arrays. */
typedef struct Store {
  bool big;
  int size_bytes;         /* of the number of bytes in front of a block: 4 or 8 */
  const char *appended;   /* first byte behind the underscore, NULL: none */
  bool appended_is_bytes; /* else base64 */
} Store;

/* One <DataArray>. */
typedef struct Array {
  const char *what; /* for messages: "Points", "connectivity", "offsets", "types" */
  bool found;
  vlXmlTag tag;
  double *value; /* [count] */
  size_t count;
} Array;

static vlCode fail_array(vlTetReader *t, const Array *array, const char *found, const char *expected)
{
  return vl_tet_fail(t, "found %s in the array '%s', expected %s", found, array->what, expected);
}

static bool parse_type(const vlXmlTag *tag, vlValueType *type)
{
  static const char *const names[VL_VALUE_TYPES] = {"Int8",   "UInt8",   "Int16",   "UInt16", "Int32",
                                                    "UInt32", "Float32", "Float64", "Int64",  "UInt64"};
  for (int i = 0; i < VL_VALUE_TYPES; i++)
    if (vl_xml_attribute_is(tag, "type", names[i])) {
      *type = (vlValueType)i;
      return true;
    }
  return false;
}

/* Goes to a place of the text, counting lines from its beginning. */
static void go_to(vlReader *r, const char *place)
{
  r->at = r->text;
  r->line = 1;
  while (r->at < place) {
    const char *end = memchr(r->at, '\n', (size_t)(place - r->at));
    if (!end) break;
    r->at = end + 1;
    r->line++;
  }
  r->at = place;
}

static vlCode load_text(vlTetReader *t, Array *array)
{
  vlReader *r = &t->r;
  size_t capacity = 0;
  go_to(r, array->tag.end);
  const char *file_end = r->end, *close = memchr(r->at, '<', (size_t)(r->end - r->at));
  if (!close) return fail_array(t, array, "the end of the file", "numbers and </DataArray>");
  r->end = close; /* the numbers stop there */
  t->where = VL_WHERE_LINE;
  vlCode code = VL_OK;
  for (;;) {
    vl_reader_skip_lines(r);
    if (r->at >= r->end) break;
    if (!vl_array_reserve(&array->value, &capacity, array->count + 1, sizeof *array->value)) {
      code = vl_fail_memory(r->status, 2 * capacity * sizeof *array->value, r->path);
      break;
    }
    code = vl_reader_number(r, &array->value[array->count], array->what);
    if (code != VL_OK) break;
    array->count++;
  }
  r->end = file_end;
  t->where = VL_WHERE_FILE;
  return code;
}

/* bytes[0..size) as values. */
static vlCode decode_values(vlTetReader *t, const Store *store, Array *array, const char *bytes, uint64_t size)
{
  vlValueType type;
  if (!parse_type(&array->tag, &type)) return fail_array(t, array, "no known type", "Int8 to UInt64, Float32 or Float64");
  size_t each = (size_t)vl_value_bytes(type);
  if (size % each != 0)
    return vl_tet_fail(t, "found %llu bytes in the array '%s', expected a multiple of %zu", (unsigned long long)size,
                       array->what, each);
  array->count = (size_t)size / each;
  array->value = malloc((array->count + 1) * sizeof *array->value);
  if (!array->value) return vl_fail_memory(t->r.status, array->count * sizeof *array->value, t->r.path);
  for (size_t i = 0; i < array->count; i++) array->value[i] = vl_value_decode(bytes + i * each, type, store->big);
  return VL_OK;
}

static vlCode fail_short(vlTetReader *t, const Array *array)
{
  return fail_array(t, array, "too few bytes", "as many as its size says");
}

static vlCode load_bytes(vlTetReader *t, const Store *store, Array *array, const char *at)
{
  size_t left = (size_t)(t->r.end - at), head = (size_t)store->size_bytes;
  if (left < head) return fail_short(t, array);
  uint64_t size = vl_bytes_integer(at, store->size_bytes, store->big);
  if (size > left - head) return fail_short(t, array);
  return decode_values(t, store, array, at + head, size);
}

static vlCode load_base64(vlTetReader *t, const Store *store, Array *array, const char *at)
{
  char head[8];
  size_t head_bytes = (size_t)store->size_bytes;
  const char *place = at;
  if (vl_base64_decode(&place, t->r.end, head, head_bytes) < head_bytes) return fail_short(t, array);
  uint64_t size = vl_bytes_integer(head, store->size_bytes, store->big);
  if (size > (uint64_t)(t->r.end - at)) return fail_short(t, array);
  /* anew with the head: it ends inside a group of letters unless it was encoded by itself */
  size_t total = (size_t)size + head_bytes;
  char *bytes = malloc(total);
  if (!bytes) return vl_fail_memory(t->r.status, total, t->r.path);
  vlCode code = VL_OK;
  if (vl_base64_decode(&at, t->r.end, bytes, total) < total)
    code = fail_short(t, array);
  else
    code = decode_values(t, store, array, bytes + head_bytes, size);
  free(bytes);
  return code;
}

static vlCode load_appended(vlTetReader *t, const Store *store, Array *array)
{
  int64_t offset;
  if (!vl_xml_attribute_count(&array->tag, "offset", &offset))
    return fail_array(t, array, "no offset", "a whole number from 0 on");
  if (!store->appended) return fail_array(t, array, "appended data", "<AppendedData> with an underscore in the file");
  if (offset > t->r.end - store->appended)
    return fail_array(t, array, "an offset behind the end of the file", "a lower one");
  const char *at = store->appended + offset;
  return store->appended_is_bytes ? load_bytes(t, store, array, at) : load_base64(t, store, array, at);
}

/* Fills array->value, to be freed with free(), also after a failure. */
static vlCode load_array(vlTetReader *t, const Store *store, Array *array)
{
  if (!array->found) return vl_tet_fail(t, "found no array '%s', expected one", array->what);
  if (vl_xml_attribute_is(&array->tag, "format", "appended")) return load_appended(t, store, array);
  if (array->tag.empty) return VL_OK;
  if (vl_xml_attribute_is(&array->tag, "format", "binary")) return load_base64(t, store, array, array->tag.end);
  vlWord format;
  if (!vl_xml_attribute(&array->tag, "format", &format) || vl_word_is(format, "ascii")) return load_text(t, array);
  return fail_array(t, array, "an unknown format", "ascii, binary or appended");
}

enum { POINTS, CONNECTIVITY, OFFSETS, TYPES, ARRAYS };

typedef struct Vtu {
  vlTetReader *t;
  Store store;
  Array array[ARRAYS];
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
    Array *array = &vtu->array[i];
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

static vlCode check_count(Vtu *vtu, const Array *array, int64_t tuples, int components)
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
  const Array *connectivity = &vtu->array[CONNECTIVITY];
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
  for (int i = 0; i < ARRAYS && code == VL_OK; i++) code = load_array(t, &vtu.store, &vtu.array[i]);
  if (code == VL_OK) code = add_points(&vtu);
  if (code == VL_OK) code = add_cells(&vtu);
  for (int i = 0; i < ARRAYS; i++) free(vtu.array[i].value);
  return code;
}
