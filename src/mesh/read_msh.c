/* Gmsh: sections between $NAME and $EndNAME, as text or bytes, version 2.2 or 4.1.
 *
 *   $MeshFormat / VERSION 0|1 8 / (bytes: the 4-byte number 1) / $EndMeshFormat
 *   2.2  $Nodes    COUNT, then NUMBER X Y Z
 *        $Elements COUNT, then NUMBER TYPE TAGS tag... node...; as bytes in blocks TYPE COUNT TAGS with (NUMBER tag...
 * node...) 4.1  $Nodes    BLOCKS COUNT MIN MAX, then blocks DIMENSION ENTITY PARAMETRIC COUNT, all NUMBERs, all X Y Z
 * (parameters) $Elements BLOCKS COUNT MIN MAX, then blocks DIMENSION ENTITY TYPE COUNT with (NUMBER node...) Bytes are
 * 4-byte numbers in 2.2; in 4.1 counts and NUMBERs have 8 bytes. The number 1 tells their order. Other sections are passed
 * over. Text and bytes differ only in how one number is fetched, so each section is read by one function.
 *
 * text or bytes → nodes and tetrahedra. */
#include <stdio.h>

#include "mesh/read.h"
#include "mesh/read_tet.h"

typedef struct Msh {
  vlTetReader *t;
  bool version_4;
  bool bytes, big;
  bool has_elements;
} Msh;

static vlCode get_integer(Msh *m, int size, int64_t *value, const char *what)
{
  vlReader *r = &m->t->r;
  if (!m->bytes) return vl_tet_text_integer(m->t, value, what);
  if (r->end - r->at < size) {
    r->at = r->end;
    return vl_tet_expected(m->t, what);
  }
  uint64_t bits = vl_bytes_integer(r->at, size, m->big);
  *value = size == 4 ? (int64_t)(int32_t)bits : (int64_t)bits;
  r->at += size;
  return VL_OK;
}

static vlCode get_place(Msh *m, vlVec3 *x)
{
  vlReader *r = &m->t->r;
  if (!m->bytes) return vl_tet_text_place(m->t, x);
  if (r->end - r->at < 24) {
    r->at = r->end;
    return vl_tet_expected(m->t, "the coordinates of a node");
  }
  for (int a = 0; a < 3; a++, r->at += 8) x->v[a] = vl_value_decode(r->at, VL_FLOAT64, m->big);
  return VL_OK;
}

/* The parametric coordinates behind a place are of no use here. */
static vlCode skip_numbers(Msh *m, int64_t count)
{
  vlReader *r = &m->t->r;
  double unused;
  vlCode code = VL_OK;
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    if (!m->bytes) {
      code = vl_reader_number(r, &unused, "a parameter of a node");
    } else if (r->end - r->at < 8) {
      code = vl_tet_expected(m->t, "a parameter of a node");
    } else {
      r->at += 8;
    }
  }
  return code;
}

/* Bytes have no lines. */
static void begin_line(Msh *m)
{
  if (!m->bytes) vl_tet_begin_line(m->t);
}

static vlCode end_line(Msh *m, const char *after) { return m->bytes ? VL_OK : vl_tet_end_line(m->t, after); }

static vlCode get_count(Msh *m, int size, int64_t *count, const char *what)
{
  vlReader before = m->t->r;
  vlCode code = get_integer(m, size, count, what);
  if (code != VL_OK || *count >= 0) return code;
  m->t->r = before;
  return vl_tet_fail(m->t, "found %lld, expected a number from 0 on (%s)", (long long)*count, what);
}

/* How many nodes an element has that is passed over or read (type 4); others are refused. */
static vlCode check_type(Msh *m, int64_t type, int *nodes)
{
  static const char *const solids[3] = {"a hexahedron", "a prism", "a pyramid"};
  char kind[64];
  *nodes = type == 15 ? 1 : type == 1 ? 2 : type == 2 ? 3 : type == 3 || type == 4 ? 4 : 0;
  if (*nodes > 0) return VL_OK;
  if (type >= 5 && type <= 7) return vl_tet_fail_kind(m->t, solids[type - 5]);
  if (type == 11) return vl_tet_fail_kind(m->t, "a tetrahedron of 10 nodes (second order)");
  snprintf(kind, sizeof kind, "an element of type %lld (higher order or unknown)", (long long)type);
  return vl_tet_fail_kind(m->t, kind);
}

/* The nodes of an element, which is added when it is a tetrahedron. */
static vlCode read_element_nodes(Msh *m, int64_t type, int nodes, int size, int64_t label)
{
  int64_t node[4] = {0};
  vlCode code = VL_OK;
  for (int k = 0; k < nodes && code == VL_OK; k++) code = get_integer(m, size, &node[k], "a node of an element");
  if (code == VL_OK && type == 4) code = vl_tet_add_tet(m->t, label, node);
  return code;
}

static vlCode skip_tags(Msh *m, int64_t tags)
{
  int64_t unused;
  vlCode code = VL_OK;
  for (int64_t i = 0; i < tags && code == VL_OK; i++) code = get_integer(m, 4, &unused, "a tag of an element");
  return code;
}

/* Version 2.2 has the count as text even among bytes. */
static vlCode read_count_2(Msh *m, int64_t *count, const char *what)
{
  vl_tet_begin_line(m->t);
  vlCode code = vl_tet_text_count(m->t, count, what);
  return code == VL_OK ? vl_tet_end_line(m->t, what) : code;
}

static vlCode read_nodes_2(Msh *m)
{
  int64_t count = 0, label = 0;
  vlVec3 x;
  vlCode code = read_count_2(m, &count, "the count of nodes");
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    begin_line(m);
    code = get_integer(m, 4, &label, "the number of a node");
    if (code == VL_OK) code = get_place(m, &x);
    if (code == VL_OK) code = vl_tet_add_label(m->t, label);
    if (code == VL_OK) code = vl_tet_add_place(m->t, x);
    if (code == VL_OK) code = end_line(m, "a node");
  }
  return code;
}

static vlCode read_element_line_2(Msh *m)
{
  int64_t label = 0, type = 0, tags = 0;
  int nodes = 0;
  begin_line(m);
  vlCode code = get_integer(m, 4, &label, "the number of an element");
  if (code == VL_OK) code = get_integer(m, 4, &type, "the type of an element");
  if (code == VL_OK) code = check_type(m, type, &nodes);
  if (code == VL_OK) code = get_count(m, 4, &tags, "how many tags an element has");
  if (code == VL_OK) code = skip_tags(m, tags);
  if (code == VL_OK) code = read_element_nodes(m, type, nodes, 4, label);
  return code == VL_OK ? end_line(m, "an element") : code;
}

/* One block of elements as bytes; *left counts down. */
static vlCode read_element_block_2(Msh *m, int64_t *left)
{
  int64_t label = 0, type = 0, count = 0, tags = 0;
  int nodes = 0;
  vlReader before = m->t->r;
  vlCode code = get_integer(m, 4, &type, "the type of a block of elements");
  if (code == VL_OK) code = check_type(m, type, &nodes);
  if (code == VL_OK) code = get_integer(m, 4, &count, "how many elements a block has");
  if (code == VL_OK) code = get_count(m, 4, &tags, "how many tags an element has");
  if (code == VL_OK && (count < 1 || count > *left)) {
    m->t->r = before;
    return vl_tet_fail(m->t, "found a block of %lld elements, expected 1 to %lld", (long long)count, (long long)*left);
  }
  *left -= count;
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    code = get_integer(m, 4, &label, "the number of an element");
    if (code == VL_OK) code = skip_tags(m, tags);
    if (code == VL_OK) code = read_element_nodes(m, type, nodes, 4, label);
  }
  return code;
}

static vlCode read_elements_2(Msh *m)
{
  int64_t left = 0;
  vlCode code = read_count_2(m, &left, "the count of elements");
  while (code == VL_OK && left > 0) {
    if (m->bytes) {
      code = read_element_block_2(m, &left);
    } else {
      code = read_element_line_2(m);
      left--;
    }
  }
  return code;
}

/* How many blocks and how many nodes or elements in all of them. */
static vlCode read_head_4(Msh *m, int64_t *blocks, int64_t *count)
{
  int64_t unused;
  begin_line(m);
  vlCode code = get_count(m, 8, blocks, "the count of blocks");
  if (code == VL_OK) code = get_count(m, 8, count, "the count of nodes or elements");
  if (code == VL_OK) code = get_integer(m, 8, &unused, "the lowest number");
  if (code == VL_OK) code = get_integer(m, 8, &unused, "the highest number");
  return code == VL_OK ? end_line(m, "the highest number") : code;
}

/* DIMENSION ENTITY kind COUNT; kind: whether nodes have parameters, or the type of the elements. */
static vlCode read_block_head_4(Msh *m, int64_t *dimension, int64_t *kind, int64_t *count, int64_t *left)
{
  int64_t unused;
  begin_line(m);
  vlReader before = m->t->r;
  vlCode code = get_integer(m, 4, dimension, "the dimension of a block");
  if (code == VL_OK) code = get_integer(m, 4, &unused, "the entity of a block");
  if (code == VL_OK) code = get_integer(m, 4, kind, "the type of a block");
  if (code == VL_OK) code = get_count(m, 8, count, "how many nodes or elements a block has");
  if (code == VL_OK) code = end_line(m, "the head of a block");
  if (code != VL_OK) return code;
  if (*dimension < 0 || *dimension > 3 || *count > *left) {
    m->t->r = before;
    return vl_tet_fail(m->t, "found a block of dimension %lld with %lld members, expected dimension 0 to 3 and up to %lld",
                       (long long)*dimension, (long long)*count, (long long)*left);
  }
  *left -= *count;
  return VL_OK;
}

static vlCode read_node_block_4(Msh *m, int64_t *left)
{
  int64_t dimension = 0, parametric = 0, count = 0, label = 0;
  vlVec3 x;
  vlCode code = read_block_head_4(m, &dimension, &parametric, &count, left);
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    begin_line(m);
    code = get_integer(m, 8, &label, "the number of a node");
    if (code == VL_OK) code = vl_tet_add_label(m->t, label);
    if (code == VL_OK) code = end_line(m, "the number of a node");
  }
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    begin_line(m);
    code = get_place(m, &x);
    if (code == VL_OK) code = skip_numbers(m, parametric ? dimension : 0);
    if (code == VL_OK) code = vl_tet_add_place(m->t, x);
    if (code == VL_OK) code = end_line(m, "a node");
  }
  return code;
}

static vlCode read_element_block_4(Msh *m, int64_t *left)
{
  int64_t dimension = 0, type = 0, count = 0, label = 0;
  int nodes = 0;
  begin_line(m);
  vlReader head = m->t->r;
  vlCode code = read_block_head_4(m, &dimension, &type, &count, left);
  vlReader body = m->t->r;
  m->t->r = head; /* the place of the type, for the error */
  if (code == VL_OK && count > 0) code = check_type(m, type, &nodes);
  m->t->r = body;
  for (int64_t i = 0; i < count && code == VL_OK; i++) {
    begin_line(m);
    code = get_integer(m, 8, &label, "the number of an element");
    if (code == VL_OK) code = read_element_nodes(m, type, nodes, 8, label);
    if (code == VL_OK) code = end_line(m, "an element");
  }
  return code;
}

static vlCode read_blocks_4(Msh *m, vlCode (*read_block)(Msh *m, int64_t *left))
{
  int64_t blocks = 0, left = 0;
  vlCode code = read_head_4(m, &blocks, &left);
  for (int64_t i = 0; i < blocks && code == VL_OK; i++) code = read_block(m, &left);
  if (code == VL_OK && left > 0)
    return vl_tet_fail(m->t, "found %lld fewer nodes or elements in the blocks than their count says", (long long)left);
  return code;
}

static vlCode read_nodes(Msh *m)
{
  if (m->t->nodes_ended) return vl_tet_fail(m->t, "found a second section $Nodes, expected one");
  vlCode code = m->version_4 ? read_blocks_4(m, read_node_block_4) : read_nodes_2(m);
  return code == VL_OK ? vl_tet_end_nodes(m->t) : code;
}

static vlCode read_elements(Msh *m)
{
  if (!m->t->nodes_ended) return vl_tet_fail(m->t, "found $Elements, expected $Nodes before it");
  if (m->has_elements) return vl_tet_fail(m->t, "found a second section $Elements, expected one");
  m->has_elements = true;
  return m->version_4 ? read_blocks_4(m, read_element_block_4) : read_elements_2(m);
}

static bool is_end_of(vlWord word, vlWord section)
{
  return word.length == section.length + 3 && memcmp(word.begin, "$End", 4) == 0 &&
         memcmp(word.begin + 4, section.begin + 1, section.length - 1) == 0;
}

static vlCode expect_end(Msh *m, vlWord section)
{
  char what[64];
  vlReader *r = &m->t->r;
  vl_tet_begin_line(m->t);
  vlReader before = *r;
  if (is_end_of(vl_reader_word(r), section)) {
    vl_reader_next_line(r);
    return VL_OK;
  }
  *r = before;
  snprintf(what, sizeof what, "'$End%.*s'", (int)(section.length < 40 ? section.length - 1 : 40), section.begin + 1);
  return vl_tet_expected(m->t, what);
}

/* Goes behind the line that ends the section. Among bytes it may stand anywhere. */
static bool find_end(Msh *m, vlWord section)
{
  vlReader *r = &m->t->r;
  while (r->at < r->end) {
    vlReader before = *r;
    bool found = *r->at == '$' && is_end_of(vl_reader_word(r), section);
    if (!found) *r = before;
    if (m->bytes && !found)
      r->at++;
    else
      vl_reader_next_line(r);
    if (found) return true;
  }
  return false;
}

/* VERSION 0|1 8, and with bytes the number 1. */
static vlCode read_format(Msh *m)
{
  vlTetReader *t = m->t;
  vlReader *r = &t->r;
  double version;
  int64_t bytes = 0, size = 0;
  vl_tet_begin_line(t);
  vlReader before = *r;
  vlCode code = vl_reader_number(r, &version, "the version of the format");
  if (code != VL_OK) return code;
  m->version_4 = version == 4.1;
  if (version != 4.1 && version != 2.2 && version != 2.1 && version != 2.0) {
    *r = before;
    return vl_tet_expected(t, "version 2.2 or 4.1 of the format");
  }
  code = vl_tet_text_integer(t, &bytes, "0: text, 1: bytes");
  if (code == VL_OK) code = vl_tet_text_integer(t, &size, "the size of numbers");
  if (code != VL_OK) return code;
  if (size != 8 || bytes < 0 || bytes > 1)
    return vl_tet_fail(t, "found the format %lld %lld, expected 0 8 (text) or 1 8 (bytes)", (long long)bytes,
                       (long long)size);
  code = vl_tet_end_line(t, "the format");
  if (code != VL_OK || bytes == 0) return code;
  t->where = VL_WHERE_BYTE;
  m->bytes = true;
  int64_t one = 0;
  code = get_integer(m, 4, &one, "the number 1, which tells the order of bytes");
  m->big = one == 0x01000000;
  if (code == VL_OK && one != 1 && !m->big) {
    r->at -= 4;
    return vl_tet_expected(t, "the number 1, which tells the order of bytes");
  }
  return code;
}

static vlCode read_section(Msh *m, vlWord section)
{
  vlCode code;
  vl_reader_next_line(&m->t->r);
  if (vl_word_is(section, "$Nodes"))
    code = read_nodes(m);
  else if (vl_word_is(section, "$Elements"))
    code = read_elements(m);
  else
    return find_end(m, section) ? VL_OK : expect_end(m, section);
  return code == VL_OK ? expect_end(m, section) : code;
}

vlCode vl_read_msh(vlTetReader *t)
{
  Msh m = {.t = t};
  vlReader *r = &t->r;
  vl_tet_begin_line(t);
  vlReader before = *r;
  vlWord word = vl_reader_word(r);
  if (!vl_word_is(word, "$MeshFormat")) {
    *r = before;
    return vl_tet_expected(t, "'$MeshFormat'");
  }
  vl_reader_next_line(r);
  vlCode code = read_format(&m);
  if (code == VL_OK) code = expect_end(&m, word);
  while (code == VL_OK) {
    vl_tet_begin_line(t);
    if (r->at >= r->end) break;
    before = *r;
    word = vl_reader_word(r);
    if (word.length > 1 && *word.begin == '$') {
      code = read_section(&m, word);
    } else {
      *r = before;
      code = vl_tet_expected(t, "a section ('$Nodes', '$Elements', ...)");
    }
  }
  if (code == VL_OK && !t->nodes_ended) return vl_tet_expected(t, "a section '$Nodes'");
  if (code == VL_OK && !m.has_elements) return vl_tet_expected(t, "a section '$Elements'");
  return code;
}
