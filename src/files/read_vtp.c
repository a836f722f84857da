/* VTP read back: poly data with raw appended blocks, as vtp.c and points.c write it.
 *
 * The XML in front of the data is walked tag by tag; each DataArray names its type, width and the offset of its block, and
 * the block's own size must agree with the number of points or triangles. Nothing is taken from beyond the file's end, so a
 * file that was cut off, or is still being written by a foreign program, is refused by name.
 * Left out on purpose: compression, base64, text data, big endian, polygons with more than three corners. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/read_frame.h"
#include "mesh/read.h"

enum { NAME_ROOM = 64 };

typedef struct Xml {
  const char *path;
  const char *head, *head_end; /* from the first '<' to <AppendedData */
  const char *data, *end;      /* the byte behind the underscore, and the end of the file */
  vlFrameMesh *frame;
  vlStatus *status;
} Xml;

/* An array as its tag describes it. */
typedef struct Block {
  char name[NAME_ROOM];
  vlNumberType type;
  int components;
  const char *bytes;
  uint64_t size;
} Block;

static vlCode wrong(const Xml *xml, const char *what)
{
  return vl_fail(xml->status, VL_ERROR_MESH, "%s: %s", xml->path, what);
}

/* The next opening tag of that name at or behind *at, which is moved behind it. */
static bool find_tag(const char **at, const char *end, const char *name, vlXmlTag *tag)
{
  while (vl_xml_next(at, end, tag))
    if (!tag->closes && vl_word_is(tag->name, name)) return true;
  return false;
}

/* The attribute as text; false: the tag has none, or one that is too long. */
static bool attribute(const vlXmlTag *tag, const char *name, char *out, size_t room)
{
  vlWord value;
  if (!vl_xml_attribute(tag, name, &value) || value.length >= room) return false;
  memcpy(out, value.begin, value.length);
  out[value.length] = '\0';
  return true;
}

static vlCode find_data(Xml *xml, const char *text, size_t length)
{
  static const char begin[] = "<AppendedData";
  const char *end = text + length, *data = memmem(text, length, begin, sizeof begin - 1), *at = text;
  vlXmlTag tag;
  if (!find_tag(&at, data ? data : end, "VTKFile", &tag) || !vl_xml_attribute_is(&tag, "type", "PolyData"))
    return wrong(xml, "no VTP file: <VTKFile type=\"PolyData\"> is expected");
  if (!vl_xml_attribute_is(&tag, "byte_order", "LittleEndian") || !vl_xml_attribute_is(&tag, "header_type", "UInt64"))
    return wrong(xml, "byte_order=\"LittleEndian\" and header_type=\"UInt64\" are expected");
  if (!data) return wrong(xml, "not whole: it ends before its data (<AppendedData>)");
  xml->head = at;
  xml->head_end = at = data;
  bool tagged = find_tag(&at, end, "AppendedData", &tag) && tag.begin == data;
  if (tagged && !vl_xml_attribute_is(&tag, "encoding", "raw")) return wrong(xml, "its data must be encoding=\"raw\"");
  const char *under = tagged ? at + strspn(at, " \t\r\n") : NULL;
  if (!under || *under != '_') return wrong(xml, "not whole: no '_' before its data");
  xml->data = under + 1;
  xml->end = end;
  return VL_OK;
}

static bool find_type(const vlXmlTag *tag, vlNumberType *type)
{
  for (*type = 0; *type < VL_NUMBER_TYPES; (*type)++)
    if (vl_xml_attribute_is(tag, "type", vl_number_types[*type].vtk)) return true;
  return false;
}

/* The block that a DataArray's tag points at, of tuples[count]. */
static vlCode find_block(const Xml *xml, const vlXmlTag *tag, size_t tuples, Block *block)
{
  char width[16] = "1", offset[32];
  if (!attribute(tag, "Name", block->name, sizeof block->name)) return wrong(xml, "an array has no name below 64 bytes");
  attribute(tag, "NumberOfComponents", width, sizeof width);
  block->components = atoi(width);
  if (!vl_xml_attribute_is(tag, "format", "appended") || !attribute(tag, "offset", offset, sizeof offset))
    return vl_fail(xml->status, VL_ERROR_MESH, "%s: array '%s' must have format=\"appended\" and an offset", xml->path,
                   block->name);
  if (!find_type(tag, &block->type))
    return vl_fail(xml->status, VL_ERROR_MESH,
                   "%s: array '%s' has no type out of Float32, Float64, Int8, UInt8, Int32, UInt32 and Int64", xml->path,
                   block->name);
  if (block->components < 1 || block->components > 9)
    return vl_fail(xml->status, VL_ERROR_MESH, "%s: array '%s' has %d components; 1 to 9 are allowed", xml->path,
                   block->name, block->components);
  uint64_t at = strtoull(offset, NULL, 10), room = (uint64_t)(xml->end - xml->data);
  uint64_t wanted = (uint64_t)tuples * (uint64_t)block->components * vl_number_types[block->type].size;
  if (at > room || room - at < sizeof block->size || room - at - sizeof block->size < wanted)
    return vl_fail(xml->status, VL_ERROR_MESH, "%s: not whole: it ends inside of array '%s'", xml->path, block->name);
  memcpy(&block->size, xml->data + at, sizeof block->size);
  if (block->size != wanted)
    return vl_fail(xml->status, VL_ERROR_MESH, "%s: array '%s' has %llu bytes; %llu are expected", xml->path, block->name,
                   (unsigned long long)block->size, (unsigned long long)wanted);
  block->bytes = xml->data + at + sizeof block->size;
  return VL_OK;
}

/* Where the arrays of a section begin; false: it is not there or empty. */
static bool enter(const Xml *xml, const char *section, const char **at)
{
  vlXmlTag tag;
  *at = xml->head;
  return find_tag(at, xml->head_end, section, &tag) && !tag.empty;
}

/* The next array of a section. */
static bool next_array(const Xml *xml, const char *section, const char **at, vlXmlTag *tag)
{
  while (vl_xml_next(at, xml->head_end, tag)) {
    if (tag->closes && vl_word_is(tag->name, section)) return false;
    if (!tag->closes && vl_word_is(tag->name, "DataArray")) return true;
  }
  return false;
}

/* The array called `name` (NULL: the first one) in a section. */
static vlCode find_in(const Xml *xml, const char *section, const char *name, size_t tuples, Block *block)
{
  const char *at;
  vlXmlTag tag;
  for (bool inside = enter(xml, section, &at); inside && next_array(xml, section, &at, &tag);)
    if (!name || vl_xml_attribute_is(&tag, "Name", name)) return find_block(xml, &tag, tuples, block);
  return vl_fail(xml->status, VL_ERROR_MESH, "%s: no array %s in <%s>", xml->path, name ? name : "of points", section);
}

static vlCode read_positions(const Xml *xml)
{
  vlTriMesh *mesh = xml->frame->mesh;
  Block block;
  vlCode code = find_in(xml, "Points", NULL, (size_t)mesh->vertex_count, &block);
  if (code != VL_OK) return code;
  if (block.components != 3) return wrong(xml, "points must have 3 components");
  size_t size = vl_number_types[block.type].size;
  for (size_t i = 0; i < (size_t)mesh->vertex_count; i++)
    for (size_t a = 0; a < 3; a++) mesh->x[i].v[a] = vl_number_at(block.type, block.bytes + (3 * i + a) * size);
  return VL_OK;
}

static vlCode read_triangles(const Xml *xml)
{
  vlTriMesh *mesh = xml->frame->mesh;
  size_t count = (size_t)mesh->triangle_count;
  Block corners, ends;
  if (!count) return VL_OK;
  vlCode code = find_in(xml, "Polys", "offsets", count, &ends);
  size_t size = code == VL_OK ? vl_number_types[ends.type].size : 0;
  for (size_t t = 0; t < count && code == VL_OK; t++)
    if (vl_number_at(ends.type, ends.bytes + t * size) != 3.0 * (double)(t + 1))
      code = vl_fail(xml->status, VL_ERROR_MESH, "%s: polygon %zu has not three corners; triangles only", xml->path, t);
  if (code == VL_OK) code = find_in(xml, "Polys", "connectivity", 3 * count, &corners);
  if (code != VL_OK) return code;
  size = vl_number_types[corners.type].size;
  for (size_t i = 0; i < 3 * count; i++) {
    double index = vl_number_at(corners.type, corners.bytes + i * size);
    mesh->tri[i / 3][i % 3] = index >= 0.0 && index < INT_MAX ? (int)index : -1;
  }
  return VL_OK;
}

static vlCode read_arrays(const Xml *xml, const char *section, bool of_points)
{
  const vlTriMesh *mesh = xml->frame->mesh;
  size_t tuples = (size_t)(of_points ? mesh->vertex_count : mesh->triangle_count);
  const char *at;
  vlXmlTag tag;
  vlCode code = VL_OK;
  for (bool inside = enter(xml, section, &at); inside && code == VL_OK && next_array(xml, section, &at, &tag);) {
    Block block;
    code = find_block(xml, &tag, tuples, &block);
    if (code != VL_OK) break;
    vlFrameArray *array = vl_frame_mesh_add(xml->frame, block.name, of_points, block.components);
    if (!array) return vl_fail_memory(xml->status, tuples * (size_t)block.components * sizeof(float), xml->path);
    size_t size = vl_number_types[block.type].size;
    for (size_t i = 0; i < tuples * (size_t)block.components; i++)
      array->data[i] = (float)vl_number_at(block.type, block.bytes + i * size);
  }
  return code;
}

/* A count that is not given is 0. */
static bool read_count(const vlXmlTag *piece, const char *name, int *count)
{
  vlWord given;
  int64_t number = 0;
  bool good = !vl_xml_attribute(piece, name, &given) || vl_xml_attribute_count(piece, name, &number);
  *count = good && number < INT_MAX / 4 ? (int)number : 0;
  return good && number < INT_MAX / 4;
}

static void read_time(const Xml *xml)
{
  const char *at = xml->head;
  for (vlXmlTag tag; find_tag(&at, xml->head_end, "DataArray", &tag);)
    if (vl_xml_attribute_is(&tag, "Name", "TimeValue") && vl_xml_attribute_is(&tag, "format", "ascii"))
      xml->frame->time = strtod(at, NULL);
}

vlCode vl_frame_read_vtp(vlFrameMesh *frame, const char *path, const char *text, size_t length, vlStatus *status)
{
  Xml xml = {.path = path, .frame = frame, .status = status};
  vlCode code = find_data(&xml, text, length);
  if (code != VL_OK) return code;
  const char *at = xml.head;
  vlXmlTag piece;
  int points, triangles;
  bool found = find_tag(&at, xml.head_end, "Piece", &piece) && read_count(&piece, "NumberOfPoints", &points);
  if (!found || !read_count(&piece, "NumberOfPolys", &triangles))
    return wrong(&xml, "no <Piece> with numbers of points and polygons below 5e8");
  /* what a count announces must be in the file before memory is taken for it */
  if ((size_t)points * 12 > length || (size_t)triangles * 12 > length)
    return wrong(&xml, "not whole: it announces more points and triangles than it has bytes for");
  frame->mesh = vl_trimesh_create(points, triangles);
  if (!frame->mesh) return vl_fail_memory(status, (size_t)points * sizeof(vlVec3), path);
  read_time(&xml);
  code = read_positions(&xml);
  if (code == VL_OK) code = read_triangles(&xml);
  if (code == VL_OK) code = read_arrays(&xml, "PointData", true);
  if (code == VL_OK) code = read_arrays(&xml, "CellData", false);
  return code;
}
