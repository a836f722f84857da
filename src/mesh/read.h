/* Inside the mesh readers: the text of a file with a place in it, and the mesh found so far.
 * Only read*.c include this. */
#ifndef VL_MESH_READ_H
#define VL_MESH_READ_H

#include <locale.h>
#include <string.h>

#include "base/status.h"
#include "mesh/trimesh.h"

typedef struct vlReader {
  const char *path;
  const char *text, *end; /* the whole file; a 0 byte stands at end */
  const char *at;         /* next byte to read */
  int64_t line;           /* of `at`, from 1 */
  bool joins_lines;       /* OBJ: a backslash before the end of a line hides that end */
  locale_t c_locale;      /* numbers have a point whatever the program's locale */
  vlVec3 *x;              /* m: vertices [vertex_count] */
  int (*tri)[3];          /* vertex indices from 0, checked by each format [triangle_count] */
  size_t vertex_count, vertex_capacity, triangle_count, triangle_capacity;
  vlStatus *status;
} vlReader;

/* A word of the text; not terminated. */
typedef struct vlWord {
  const char *begin;
  size_t length;
} vlWord;

/* Takes data[length], or the file r->path when data is NULL; *text holds it. Close also after a failure. */
vlCode vl_reader_open(vlReader *r, const char *data, size_t length, char **text);
void vl_reader_close(vlReader *r, char **text);
bool vl_path_ends_in(const char *path, const char *ending); /* whatever the case */

vlCode vl_read_obj(vlReader *r);
vlCode vl_read_ply(vlReader *r);
vlCode vl_read_stl_text(vlReader *r);
vlCode vl_read_stl_binary(vlReader *r);

/* Errors: "path:line: text", "path: byte N: text", "path:line: found 'word', expected text". */
vlCode vl_reader_fail_line(vlReader *r, const char *format, ...) VL_PRINTF(2, 3);
vlCode vl_reader_fail_byte(vlReader *r, const char *where, const char *format, ...) VL_PRINTF(3, 4);
vlCode vl_reader_expected(vlReader *r, const char *what);

void vl_reader_skip_blanks(vlReader *r); /* stays on the line */
void vl_reader_next_line(vlReader *r);
void vl_reader_skip_lines(vlReader *r); /* blanks and empty lines, to the next word on any line */
bool vl_reader_at_line_end(const vlReader *r);
vlWord vl_reader_word(vlReader *r); /* after blanks; length 0 at the end of the line */
bool vl_word_is(vlWord word, const char *text);
bool vl_word_is_any_case(vlWord word, const char *text);

/* A finite decimal number that is a whole word; `what` names it in the error. */
vlCode vl_reader_number(vlReader *r, double *value, const char *what);
/* Digits with an optional sign; false and nothing read where there are none. Saturates. */
bool vl_reader_integer(vlReader *r, int64_t *value);

/* Coordinates beyond this would overflow in products of six of them. */
#define VL_READ_COORDINATE_MAX 1e50
bool vl_reader_usable(vlVec3 x);
vlCode vl_reader_add_vertex(vlReader *r, vlVec3 x);
vlCode vl_reader_add_triangle(vlReader *r, int a, int b, int c);

/* Values as bytes. */
typedef enum vlValueType {
  VL_INT8,
  VL_UINT8,
  VL_INT16,
  VL_UINT16,
  VL_INT32,
  VL_UINT32,
  VL_FLOAT32,
  VL_FLOAT64,
  VL_INT64,
  VL_UINT64,
  VL_VALUE_TYPES
} vlValueType;

int vl_value_bytes(vlValueType type);
/* The first `count` bytes, up to 8, as a whole number without sign; big: the highest byte comes first. */
uint64_t vl_bytes_integer(const char *bytes, int count, bool big);
/* A value as a double, which holds all but the largest whole numbers of 64 bits exactly. */
double vl_value_decode(const char *bytes, vlValueType type, bool big);
/* Decodes base64 from [*at, end) until `count` bytes are there and moves *at behind what it took; blanks and line ends are
 * passed over, and padding may stand between parts. Returns how many bytes it found before the end or a foreign letter. */
size_t vl_base64_decode(const char **at, const char *end, char *bytes, size_t count);

/* Inside the mesh readers: the tags of an XML text. Only read*.c include this. */
typedef struct vlXmlTag {
  const char *begin, *end; /* '<', and one past '>' */
  vlWord name;
  bool closes; /* </name> */
  bool empty;  /* <name/> */
} vlXmlTag;

/* The next tag at or behind *at, which is moved behind it; declarations and comments are passed over. False: there is none.
 */
bool vl_xml_next(const char **at, const char *end, vlXmlTag *tag);
/* The text of an attribute, without its quotes and with no entity replaced; false: the tag has none of that name. */
bool vl_xml_attribute(const vlXmlTag *tag, const char *name, vlWord *value);
bool vl_xml_attribute_is(const vlXmlTag *tag, const char *name, const char *value);
/* A whole number from 0 on. */
bool vl_xml_attribute_count(const vlXmlTag *tag, const char *name, int64_t *value);

#endif
