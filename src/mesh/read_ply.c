/* PLY: a header that describes the elements of the file, then the elements as text or bytes.
 *
 *   ply / format ascii|binary_little_endian|binary_big_endian 1.0
 *   element NAME COUNT / property TYPE NAME / property list COUNT_TYPE TYPE NAME / end_header
 * Used are x, y, z of the element "vertex" and the list vertex_indices (or vertex_index) of "face"; all
 * others are read and dropped. Elements may come in any order and values be of any type, so every value is
 * read as a double, which holds all of them exactly. Text has one element on each line.
 * A face of n corners becomes the fan of n - 2 triangles about its first.
 *
 * text or bytes → vertices and triangles. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "mesh/read.h"

enum { MAX_ELEMENTS = 64, MAX_PROPERTIES = 512 };
enum { TYPE_COUNT = VL_FLOAT64 + 1 }; /* those that PLY knows */
typedef enum Format { TEXT, LITTLE, BIG } Format;
typedef enum Role { DROPPED, COORDINATE_X, COORDINATE_Y, COORDINATE_Z, CORNERS } Role;

typedef struct Property {
  bool is_list;
  vlValueType count_type, type;
  Role role;
} Property;

typedef struct Element {
  vlWord name;
  int64_t count;
  int first, property_count; /* in Ply.property */
} Element;

typedef struct Ply {
  vlReader *r;
  Format format;
  Element element[MAX_ELEMENTS];
  Property property[MAX_PROPERTIES];
  int element_count, property_count;
  const Element *vertices, *faces; /* NULL: not in the header */
} Ply;

static bool parse_type(vlWord word, vlValueType *type)
{
  static const char *const names[TYPE_COUNT][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                   {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                   {"float", "float32"}, {"double", "float64"}};
  for (int t = 0; t < TYPE_COUNT; t++)
    if (vl_word_is(word, names[t][0]) || vl_word_is(word, names[t][1])) {
      *type = (vlValueType)t;
      return true;
    }
  return false;
}

static vlCode read_type(Ply *ply, vlValueType *type)
{
  vlReader *r = ply->r;
  vlWord word = vl_reader_word(r);
  if (parse_type(word, type)) return VL_OK;
  r->at = word.begin;
  return vl_reader_expected(r, "a type (char, uchar, short, ushort, int, uint, float, double, int8 ... float64)");
}

static vlCode read_format(Ply *ply)
{
  static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  vlReader *r = ply->r;
  vlWord word = vl_reader_word(r);
  for (int f = TEXT; f <= BIG; f++)
    if (vl_word_is(word, names[f])) {
      ply->format = (Format)f;
      return VL_OK;
    }
  r->at = word.begin;
  return vl_reader_expected(r, "ascii, binary_little_endian or binary_big_endian");
}

static vlCode read_element_line(Ply *ply)
{
  vlReader *r = ply->r;
  if (ply->element_count == MAX_ELEMENTS)
    return vl_reader_fail_line(r, "found element %d, expected up to %d", MAX_ELEMENTS + 1, MAX_ELEMENTS);
  Element *element = &ply->element[ply->element_count];
  *element = (Element){.first = ply->property_count};
  element->name = vl_reader_word(r);
  if (element->name.length == 0) return vl_reader_expected(r, "the name of an element");
  vl_reader_skip_blanks(r);
  vlReader before = *r;
  if (!vl_reader_integer(r, &element->count) || !vl_reader_at_line_end(r) || element->count < 0) {
    *r = before;
    return vl_reader_expected(r, "how many elements there are, as a whole number");
  }
  const Element **known = vl_word_is(element->name, "vertex") ? &ply->vertices
                          : vl_word_is(element->name, "face") ? &ply->faces
                                                              : NULL;
  if (known && *known) return vl_reader_fail_line(r, "found a second element of the same name, expected one");
  if (known && element->count > INT_MAX)
    return vl_reader_fail_line(r, "found a count of %lld, expected up to %d", (long long)element->count, INT_MAX);
  if (known) *known = element;
  ply->element_count++;
  return VL_OK;
}

static Role role_of(const Ply *ply, const Element *element, vlWord name, bool is_list)
{
  if (element == ply->vertices && !is_list && name.length == 1 && *name.begin >= 'x' && *name.begin <= 'z')
    return (Role)(COORDINATE_X + (*name.begin - 'x'));
  bool corners = vl_word_is(name, "vertex_indices") || vl_word_is(name, "vertex_index");
  return element == ply->faces && is_list && corners ? CORNERS : DROPPED;
}

static vlCode read_property_line(Ply *ply)
{
  vlReader *r = ply->r;
  if (ply->element_count == 0) return vl_reader_fail_line(r, "found a property before any element, expected 'element'");
  if (ply->property_count == MAX_PROPERTIES)
    return vl_reader_fail_line(r, "found property %d, expected up to %d", MAX_PROPERTIES + 1, MAX_PROPERTIES);
  Element *element = &ply->element[ply->element_count - 1];
  Property p = {0};
  vlReader before = *r;
  p.is_list = vl_word_is(vl_reader_word(r), "list");
  if (!p.is_list) *r = before;
  vlCode code = p.is_list ? read_type(ply, &p.count_type) : VL_OK;
  if (code == VL_OK) code = read_type(ply, &p.type);
  if (code != VL_OK) return code;
  vlWord name = vl_reader_word(r);
  if (name.length == 0) return vl_reader_expected(r, "the name of a property");
  p.role = role_of(ply, element, name, p.is_list);
  ply->property[ply->property_count++] = p;
  element->property_count++;
  return VL_OK;
}

static bool has_role(const Ply *ply, const Element *element, Role role)
{
  for (int i = 0; element && i < element->property_count; i++)
    if (ply->property[element->first + i].role == role) return true;
  return false;
}

static vlCode check_header(Ply *ply)
{
  vlReader *r = ply->r;
  for (int a = 0; a < 3; a++)
    if (!has_role(ply, ply->vertices, (Role)(COORDINATE_X + a)))
      return vl_reader_fail_line(r, "found no property '%c' of an element 'vertex' in the header, expected x, y and z",
                                 'x' + a);
  if (!has_role(ply, ply->faces, CORNERS))
    return vl_reader_fail_line(r, "found no list 'vertex_indices' of an element 'face' in the header, expected one");
  return VL_OK;
}

/* Bytes begin right behind the line end of end_header. A lone CR ends lines only where it ends the first
 * one: in other files LF after it belongs to it. */
static void skip_header_end(vlReader *r, bool lone_cr)
{
  while (!vl_reader_at_line_end(r)) r->at++;
  if (lone_cr && r->at < r->end) {
    r->at++;
    r->line++;
  } else {
    vl_reader_next_line(r);
  }
}

static vlCode read_header(Ply *ply)
{
  vlReader *r = ply->r;
  bool lone_cr = r->at[3] == '\r' && r->at[4] != '\n', has_format = false;
  for (vl_reader_next_line(r);; vl_reader_next_line(r)) {
    vlCode code = VL_OK;
    vl_reader_skip_blanks(r);
    vlReader before = *r;
    vlWord word = vl_reader_word(r);
    if (vl_word_is(word, "end_header")) {
      if (!has_format) return vl_reader_fail_line(r, "found no line 'format' in the header, expected one");
      code = check_header(ply);
      skip_header_end(r, lone_cr);
      return code;
    }
    if (vl_word_is(word, "format")) {
      code = read_format(ply);
      has_format = true;
    } else if (vl_word_is(word, "element")) {
      code = read_element_line(ply);
    } else if (vl_word_is(word, "property")) {
      code = read_property_line(ply);
    } else if (!vl_word_is(word, "comment") && !vl_word_is(word, "obj_info") && (word.length > 0 || r->at >= r->end)) {
      *r = before;
      return vl_reader_expected(r, "format, element, property, comment, obj_info or end_header");
    }
    if (code != VL_OK) return code;
  }
}

/* An error at the reader's place, by line or byte. */
static vlCode VL_PRINTF(2, 3) fail_here(Ply *ply, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return ply->format == TEXT ? vl_reader_fail_line(ply->r, "%s", text) : vl_reader_fail_byte(ply->r, ply->r->at, "%s", text);
}

static vlCode read_value(Ply *ply, const Element *element, vlValueType type, double *value)
{
  vlReader *r = ply->r;
  if (ply->format == TEXT) return vl_reader_number(r, value, "a value of an element");
  if (r->end - r->at < vl_value_bytes(type))
    return fail_here(ply, "found the end of the file, expected %lld elements '%.*s'", (long long)element->count,
                     (int)(element->name.length < 40 ? element->name.length : 40), element->name.begin);
  *value = vl_value_decode(r->at, type, ply->format == BIG);
  r->at += vl_value_bytes(type);
  return VL_OK;
}

static vlCode read_corner(Ply *ply, const Element *element, vlValueType type, int *vertex)
{
  vlReader before = *ply->r;
  double index;
  vlCode code = read_value(ply, element, type, &index);
  if (code != VL_OK) return code;
  if (index >= 0.0 && index < (double)ply->vertices->count && index == floor(index)) {
    *vertex = (int)index;
    return VL_OK;
  }
  *ply->r = before;
  return fail_here(ply, "found vertex index %g, expected a whole number from 0 to %lld", index,
                   (long long)ply->vertices->count - 1);
}

static vlCode read_list(Ply *ply, const Element *element, const Property *p)
{
  vlReader before = *ply->r;
  double count;
  vlCode code = read_value(ply, element, p->count_type, &count);
  if (code != VL_OK) return code;
  double least = p->role == CORNERS ? 3.0 : 0.0;
  if (!(count >= least && count <= UINT32_MAX && count == floor(count))) {
    *ply->r = before;
    return fail_here(ply, "found a list of %g values, expected %g or more", count, least);
  }
  int first = 0, last = 0, vertex = 0;
  double unused;
  for (int64_t i = 0; i < (int64_t)count && code == VL_OK; i++) {
    code = p->role == CORNERS ? read_corner(ply, element, p->type, &vertex) : read_value(ply, element, p->type, &unused);
    if (code != VL_OK || p->role != CORNERS) continue;
    if (i == 0) first = vertex;
    if (i >= 2) code = vl_reader_add_triangle(ply->r, first, last, vertex);
    last = vertex;
  }
  return code;
}

static vlCode read_element(Ply *ply, const Element *element)
{
  vlReader *r = ply->r;
  vlVec3 x = {.v = {0, 0, 0}};
  vlCode code = VL_OK;
  double value;
  for (int i = 0; i < element->property_count && code == VL_OK; i++) {
    const Property *p = &ply->property[element->first + i];
    if (p->is_list) {
      code = read_list(ply, element, p);
      continue;
    }
    code = read_value(ply, element, p->type, &value);
    if (code == VL_OK && p->role >= COORDINATE_X && p->role <= COORDINATE_Z) x.v[p->role - COORDINATE_X] = value;
  }
  if (code != VL_OK || element != ply->vertices) return code;
  if (!vl_reader_usable(x))
    return fail_here(ply, "found a vertex at (%g, %g, %g), expected finite coordinates up to %g", x.x, x.y, x.z,
                     VL_READ_COORDINATE_MAX);
  return vl_reader_add_vertex(r, x);
}

/* Text: empty lines before an element are skipped, more values than it has are an error. */
static vlCode read_text_element(Ply *ply, const Element *element)
{
  vlReader *r = ply->r;
  vl_reader_skip_lines(r);
  vlCode code = read_element(ply, element);
  if (code != VL_OK) return code;
  vl_reader_skip_blanks(r);
  if (!vl_reader_at_line_end(r)) return vl_reader_expected(r, "the end of the line after the last property");
  vl_reader_next_line(r);
  return VL_OK;
}

vlCode vl_read_ply(vlReader *r)
{
  Ply ply = {.r = r};
  vlCode code = read_header(&ply);
  for (int e = 0; e < ply.element_count && code == VL_OK; e++) {
    const Element *element = &ply.element[e];
    /* an element without properties takes no room, whatever its count */
    int64_t count = element->property_count > 0 ? element->count : 0;
    for (int64_t i = 0; i < count && code == VL_OK; i++)
      code = ply.format == TEXT ? read_text_element(&ply, element) : read_element(&ply, element);
  }
  return code;
}
