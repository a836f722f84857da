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
#include "io/read_frame.h"

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
  char type[16];
  int components;
  const char *bytes;
  uint64_t size;
} Block;

static vlCode wrong(const Xml *xml, const char *what)
{
  return vl_fail(xml->status, VL_ERROR_MESH, "%s: %s", xml->path, what);
}

/* The attribute `name` of the tag at `tag`; false: it has none, or one that is too long. */
static bool attribute(const char *tag, const char *name, char *out, size_t room)
{
  const char *close = strchr(tag, '>');
  size_t n = strlen(name);
  for (const char *at = tag; close && (at = strstr(at, name)) && at < close; at++) {
    if (at[n] != '=' || at[n + 1] != '"' || (at[-1] != ' ' && at[-1] != '\n')) continue;
    const char *value = at + n + 2, *end = strchr(value, '"');
    if (!end || end > close || (size_t)(end - value) >= room) return false;
    memcpy(out, value, (size_t)(end - value));
    out[end - value] = '\0';
    return true;
  }
  return false;
}

static bool attribute_is(const char *tag, const char *name, const char *wanted)
{
  char value[NAME_ROOM];
  return attribute(tag, name, value, sizeof value) && strcmp(value, wanted) == 0;
}

/* The first tag that begins with `name` between `from` and `to`. */
static const char *find_tag(const char *from, const char *to, const char *name)
{
  size_t n = strlen(name);
  for (const char *at = from; (at = memchr(at, '<', (size_t)(to - at))); at++) {
    if ((size_t)(to - at) <= n + 1) return NULL;
    if (strncmp(at + 1, name, n) == 0 && strchr(" >\n/", at[n + 1])) return at;
  }
  return NULL;
}

static vlCode find_data(Xml *xml, const char *text, size_t length)
{
  static const char begin[] = "<AppendedData";
  const char *file = find_tag(text, text + length, "VTKFile");
  const char *data = memmem(text, length, begin, sizeof begin - 1);
  if (!file || (data && file > data) || !attribute_is(file, "type", "PolyData"))
    return wrong(xml, "no VTP file: <VTKFile type=\"PolyData\"> is expected");
  if (!attribute_is(file, "byte_order", "LittleEndian") || !attribute_is(file, "header_type", "UInt64"))
    return wrong(xml, "byte_order=\"LittleEndian\" and header_type=\"UInt64\" are expected");
  if (!data) return wrong(xml, "not whole: it ends before its data (<AppendedData>)");
  if (!attribute_is(data, "encoding", "raw")) return wrong(xml, "its data must be encoding=\"raw\"");
  const char *close = strchr(data, '>'), *under = close ? close + 1 + strspn(close + 1, " \t\r\n") : NULL;
  if (!under || *under != '_') return wrong(xml, "not whole: no '_' before its data");
  xml->head = file;
  xml->head_end = data;
  xml->data = under + 1;
  xml->end = text + length;
  return VL_OK;
}

static size_t type_size(const char *type)
{
  static const struct {
    const char *name;
    size_t size;
  } types[] = {{"Float32", 4}, {"Float64", 8}, {"Int32", 4}, {"UInt32", 4}, {"Int64", 8}, {"UInt8", 1}, {"Int8", 1}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, type) == 0) return types[i].size;
  return 0;
}

static double value_of(const char *type, const char *at)
{
  union {
    float f;
    double d;
    int32_t i;
    uint32_t u;
    int64_t l;
  } x;
  memcpy(&x, at, type_size(type));
  if (strcmp(type, "Float32") == 0) return x.f;
  if (strcmp(type, "Float64") == 0) return x.d;
  if (strcmp(type, "Int32") == 0) return x.i;
  if (strcmp(type, "UInt32") == 0) return x.u;
  if (strcmp(type, "Int64") == 0) return (double)x.l;
  return strcmp(type, "UInt8") == 0 ? (unsigned char)*at : (signed char)*at;
}

/* The block that a DataArray's tag points at, of tuples[count]. */
static vlCode find_block(const Xml *xml, const char *tag, size_t tuples, Block *block)
{
  char width[16] = "1", offset[32];
  if (!attribute(tag, "Name", block->name, sizeof block->name)) return wrong(xml, "an array has no name below 64 bytes");
  attribute(tag, "NumberOfComponents", width, sizeof width);
  block->components = atoi(width);
  if (!attribute_is(tag, "format", "appended") || !attribute(tag, "offset", offset, sizeof offset))
    return vl_fail(xml->status, VL_ERROR_MESH, "%s: array '%s' must have format=\"appended\" and an offset", xml->path,
                   block->name);
  if (!attribute(tag, "type", block->type, sizeof block->type) || !type_size(block->type))
    return vl_fail(xml->status, VL_ERROR_MESH,
                   "%s: array '%s' has no type out of Float32, Float64, Int8, UInt8, Int32, UInt32 and Int64", xml->path,
                   block->name);
  if (block->components < 1 || block->components > 9)
    return vl_fail(xml->status, VL_ERROR_MESH, "%s: array '%s' has %d components; 1 to 9 are allowed", xml->path,
                   block->name, block->components);
  uint64_t at = strtoull(offset, NULL, 10), room = (uint64_t)(xml->end - xml->data);
  uint64_t wanted = (uint64_t)tuples * (uint64_t)block->components * type_size(block->type);
  if (at > room || room - at < sizeof block->size || room - at - sizeof block->size < wanted)
    return vl_fail(xml->status, VL_ERROR_MESH, "%s: not whole: it ends inside of array '%s'", xml->path, block->name);
  memcpy(&block->size, xml->data + at, sizeof block->size);
  if (block->size != wanted)
    return vl_fail(xml->status, VL_ERROR_MESH, "%s: array '%s' has %llu bytes; %llu are expected", xml->path, block->name,
                   (unsigned long long)block->size, (unsigned long long)wanted);
  block->bytes = xml->data + at + sizeof block->size;
  return VL_OK;
}

/* The array called `name` (NULL: the first one) in a section. */
static vlCode find_in(const Xml *xml, const char *section, const char *name, size_t tuples, Block *block)
{
  char closing[NAME_ROOM];
  snprintf(closing, sizeof closing, "/%s", section);
  const char *begin = find_tag(xml->head, xml->head_end, section);
  const char *end = begin ? find_tag(begin, xml->head_end, closing) : NULL;
  for (const char *tag = begin; end && (tag = find_tag(tag + 1, end, "DataArray"));)
    if (!name || attribute_is(tag, "Name", name)) return find_block(xml, tag, tuples, block);
  return vl_fail(xml->status, VL_ERROR_MESH, "%s: no array %s in <%s>", xml->path, name ? name : "of points", section);
}

static vlCode read_positions(const Xml *xml)
{
  vlTriMesh *mesh = xml->frame->mesh;
  Block block;
  vlCode code = find_in(xml, "Points", NULL, (size_t)mesh->vertex_count, &block);
  if (code != VL_OK) return code;
  if (block.components != 3) return wrong(xml, "points must have 3 components");
  size_t size = type_size(block.type);
  for (size_t i = 0; i < (size_t)mesh->vertex_count; i++)
    for (size_t a = 0; a < 3; a++) mesh->x[i].v[a] = value_of(block.type, block.bytes + (3 * i + a) * size);
  return VL_OK;
}

static vlCode read_triangles(const Xml *xml)
{
  vlTriMesh *mesh = xml->frame->mesh;
  size_t count = (size_t)mesh->triangle_count;
  Block corners, ends;
  if (!count) return VL_OK;
  vlCode code = find_in(xml, "Polys", "offsets", count, &ends);
  size_t size = code == VL_OK ? type_size(ends.type) : 0;
  for (size_t t = 0; t < count && code == VL_OK; t++)
    if (value_of(ends.type, ends.bytes + t * size) != 3.0 * (double)(t + 1))
      code = vl_fail(xml->status, VL_ERROR_MESH, "%s: polygon %zu has not three corners; triangles only", xml->path, t);
  if (code == VL_OK) code = find_in(xml, "Polys", "connectivity", 3 * count, &corners);
  if (code != VL_OK) return code;
  size = type_size(corners.type);
  for (size_t i = 0; i < 3 * count; i++) {
    double index = value_of(corners.type, corners.bytes + i * size);
    mesh->tri[i / 3][i % 3] = index >= 0.0 && index < INT_MAX ? (int)index : -1;
  }
  return VL_OK;
}

static vlCode read_arrays(const Xml *xml, const char *section, bool of_points)
{
  const vlTriMesh *mesh = xml->frame->mesh;
  size_t tuples = (size_t)(of_points ? mesh->vertex_count : mesh->triangle_count);
  char closing[NAME_ROOM];
  snprintf(closing, sizeof closing, "/%s", section);
  const char *begin = find_tag(xml->head, xml->head_end, section);
  const char *end = begin ? find_tag(begin, xml->head_end, closing) : NULL;
  vlCode code = VL_OK;
  for (const char *tag = begin; end && code == VL_OK && (tag = find_tag(tag + 1, end, "DataArray"));) {
    Block block;
    code = find_block(xml, tag, tuples, &block);
    if (code != VL_OK) break;
    vlFrameArray *array = vl_frame_mesh_add(xml->frame, block.name, of_points, block.components);
    if (!array) return vl_fail_memory(xml->status, tuples * (size_t)block.components * sizeof(float), xml->path);
    size_t size = type_size(block.type);
    for (size_t i = 0; i < tuples * (size_t)block.components; i++)
      array->data[i] = (float)value_of(block.type, block.bytes + i * size);
  }
  return code;
}

static bool read_count(const char *piece, const char *name, int *count)
{
  char text[32] = "0", *end;
  attribute(piece, name, text, sizeof text);
  long long number = strtoll(text, &end, 10);
  *count = (int)number;
  return end > text && !*end && number >= 0 && number < INT_MAX / 4;
}

static void read_time(const Xml *xml)
{
  for (const char *tag = xml->head; (tag = find_tag(tag + 1, xml->head_end, "DataArray"));)
    if (attribute_is(tag, "Name", "TimeValue") && attribute_is(tag, "format", "ascii"))
      xml->frame->time = strtod(strchr(tag, '>') + 1, NULL);
}

vlCode vl_frame_read_vtp(vlFrameMesh *frame, const char *path, const char *text, size_t length, vlStatus *status)
{
  Xml xml = {.path = path, .frame = frame, .status = status};
  vlCode code = find_data(&xml, text, length);
  if (code != VL_OK) return code;
  const char *piece = find_tag(xml.head, xml.head_end, "Piece");
  int points, triangles;
  if (!piece || !read_count(piece, "NumberOfPoints", &points) || !read_count(piece, "NumberOfPolys", &triangles))
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
