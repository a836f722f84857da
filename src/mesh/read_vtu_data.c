/* The data arrays of a VTU file: text, base64, or bytes appended to the XML.
 *
 *   format="ascii"     numbers as text between the tags
 *   format="binary"    base64 between the tags
 *   format="appended"  at offset="N" behind the underscore of <AppendedData encoding="raw" or "base64">
 * A block of bytes begins with how many follow, as a number of 4 or 8 bytes (header_type). All values become doubles, which
 * hold every index a mesh can have. The size of a block is compared with what is left of the file before it is believed.
 *
 * tag of an array → its values. */
#include <stdlib.h>

#include "base/memory.h"
#include "mesh/read.h"
#include "mesh/read_vtu.h"

static vlCode fail_array(vlTetReader *t, const vlVtuArray *array, const char *found, const char *expected)
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

static vlCode load_text(vlTetReader *t, vlVtuArray *array)
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
    vl_reader_skip_blanks(r);
    while (r->at < r->end && vl_reader_at_line_end(r)) {
      vl_reader_next_line(r);
      vl_reader_skip_blanks(r);
    }
    if (r->at >= r->end) break;
    void *data = array->value;
    if (!vl_array_reserve(&data, &capacity, array->count + 1, sizeof *array->value)) {
      code = vl_fail_memory(r->status, 2 * capacity * sizeof *array->value, r->path);
      break;
    }
    array->value = data;
    code = vl_reader_number(r, &array->value[array->count], array->what);
    if (code != VL_OK) break;
    array->count++;
  }
  r->end = file_end;
  t->where = VL_WHERE_FILE;
  return code;
}

/* bytes[0..size) as values. */
static vlCode decode_values(vlTetReader *t, const vlVtuStore *store, vlVtuArray *array, const char *bytes, uint64_t size)
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

static vlCode fail_short(vlTetReader *t, const vlVtuArray *array)
{
  return fail_array(t, array, "too few bytes", "as many as its size says");
}

static vlCode load_bytes(vlTetReader *t, const vlVtuStore *store, vlVtuArray *array, const char *at)
{
  size_t left = (size_t)(t->r.end - at), head = (size_t)store->size_bytes;
  if (left < head) return fail_short(t, array);
  uint64_t size = vl_bytes_integer(at, store->size_bytes, store->big);
  if (size > left - head) return fail_short(t, array);
  return decode_values(t, store, array, at + head, size);
}

static vlCode load_base64(vlTetReader *t, const vlVtuStore *store, vlVtuArray *array, const char *at)
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

static vlCode load_appended(vlTetReader *t, const vlVtuStore *store, vlVtuArray *array)
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

vlCode vl_vtu_load(vlTetReader *t, const vlVtuStore *store, vlVtuArray *array)
{
  if (!array->found) return vl_tet_fail(t, "found no array '%s', expected one", array->what);
  if (vl_xml_attribute_is(&array->tag, "format", "appended")) return load_appended(t, store, array);
  if (array->tag.empty) return VL_OK;
  if (vl_xml_attribute_is(&array->tag, "format", "binary")) return load_base64(t, store, array, array->tag.end);
  vlWord format;
  if (!vl_xml_attribute(&array->tag, "format", &format) || vl_word_is(format, "ascii")) return load_text(t, array);
  return fail_array(t, array, "an unknown format", "ascii, binary or appended");
}
