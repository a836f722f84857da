/* Velella's own VTK files: an XML head, then raw blocks.
 *
 * The file is read whole. Its head ends at <AppendedData>; the tail must be the two closing tags. An array is found by its
 * name, and its offset leads to 8 bytes of size and the numbers. Sizes are compared with what is wanted before anything is
 * used, so a cut, damaged or foreign file is an error and never a crash. Not a reader for any VTK file: it takes what
 * Velella writes. Input: a path. Output: the text, the time, and pointers to blocks in it. */
#include "files/read_vtk.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/file.h"
#include "files/vtk.h"
#include "mesh/read.h"
#include "mesh/tetmesh.h"

typedef struct Appended {
  const char *path;
  char *text;           /* the whole file */
  const char *head_end; /* where <AppendedData> begins */
  const char *data;     /* blocks, from the byte behind its underscore [bytes] */
  uint64_t bytes;
  double time; /* s */
} Appended;

/* What a block must be. */
typedef struct Wanted {
  const char *name, *type; /* "Float32" */
  int components;
  uint64_t bytes;
} Wanted;

static const size_t LARGEST_FILE = (size_t)1 << 36;
static const char data_mark[] = "<AppendedData encoding=\"raw\">\n_", closing[] = "\n</AppendedData>\n</VTKFile>\n";

/* "PATH is damaged or not Velella's: why" */
static vlCode damaged(const Appended *file, vlStatus *status, const char *why)
{
  return vl_fail(status, VL_ERROR_FILE, "%s is damaged or not Velella's: %s", file->path, why);
}

/* The first opening tag of that name in the head. */
static bool find_first(const Appended *file, const char *name, vlXmlTag *tag)
{
  const char *at = file->text;
  while (vl_xml_next(&at, file->head_end, tag))
    if (!tag->closes && vl_word_is(tag->name, name)) return true;
  return false;
}

/* The tag of the array `name`, one whose numbers are appended or one that holds them itself. */
static bool find_array(const Appended *file, const char *name, bool appended, vlXmlTag *tag)
{
  const char *at = file->text;
  while (vl_xml_next(&at, file->head_end, tag)) {
    bool array = !tag->closes && vl_word_is(tag->name, "DataArray") && vl_xml_attribute_is(tag, "Name", name);
    if (array && vl_xml_attribute_is(tag, "format", "appended") == appended) return true;
  }
  return false;
}

static vlCode find_data(Appended *file, size_t length, vlStatus *status)
{
  size_t tail = sizeof closing - 1;
  const char *mark = memmem(file->text, length, data_mark, sizeof data_mark - 1);
  if (!mark) return damaged(file, status, "it has no appended data");
  const char *end = file->text + length - tail;
  file->data = mark + sizeof data_mark - 1;
  if (end < file->data || strcmp(end, closing) != 0) return damaged(file, status, "its end is missing");
  file->bytes = (uint64_t)(end - file->data);
  file->head_end = mark;
  return VL_OK;
}

static vlCode read_head(Appended *file, const char *kind, vlStatus *status)
{
  vlXmlTag tag;
  vlWord type;
  bool known = find_first(file, "VTKFile", &tag) && vl_xml_attribute_is(&tag, "byte_order", "LittleEndian") &&
               vl_xml_attribute_is(&tag, "header_type", "UInt64") && vl_xml_attribute(&tag, "type", &type);
  if (!known) return damaged(file, status, "its head is not that of a little-endian VTK file with 64-bit sizes");
  if (!vl_word_is(type, kind))
    return vl_fail(status, VL_ERROR_FILE, "%s holds %.*s; %s is expected", file->path, (int)type.length, type.begin, kind);
  const char *value = find_array(file, "TimeValue", false, &tag) ? tag.end : NULL;
  if (value) file->time = strtod(value, NULL);
  return value && isfinite(file->time) ? VL_OK : damaged(file, status, "it has no time");
}

/* The whole file; `kind` is "ImageData" or the like. To be closed in any case. */
static vlCode appended_open(Appended *file, const char *path, const char *kind, vlStatus *status)
{
  size_t length = 0;
  *file = (Appended){.path = path};
  vlCode code = vl_file_read(path, LARGEST_FILE, &file->text, &length, status);
  if (code == VL_OK) code = find_data(file, length, status);
  return code == VL_OK ? read_head(file, kind, status) : code;
}

static void appended_close(Appended *file)
{
  free(file->text);
  *file = (Appended){0};
}

static vlCode find_block(const Appended *file, const Wanted *wanted, const char **block, vlStatus *status)
{
  vlXmlTag tag;
  vlWord type = {0}, width = {0};
  int64_t components = 0, place = 0;
  if (!find_array(file, wanted->name, true, &tag))
    return vl_fail(status, VL_ERROR_FILE, "%s has no array '%s'", file->path, wanted->name);
  bool described = vl_xml_attribute(&tag, "type", &type) && vl_xml_attribute(&tag, "NumberOfComponents", &width) &&
                   vl_xml_attribute_count(&tag, "NumberOfComponents", &components) &&
                   vl_xml_attribute_count(&tag, "offset", &place);
  if (!described || !vl_word_is(type, wanted->type) || components != wanted->components)
    return vl_fail(status, VL_ERROR_FILE, "%s: array '%s' is %.*s with %.*s components; %s with %d is expected", file->path,
                   wanted->name, (int)type.length, type.begin ? type.begin : "", (int)width.length,
                   width.begin ? width.begin : "", wanted->type, wanted->components);
  uint64_t size = 0, offset = (uint64_t)place;
  bool inside = offset <= file->bytes && file->bytes - offset >= sizeof size;
  if (inside) memcpy(&size, file->data + offset, sizeof size);
  if (!inside || size > file->bytes - offset - sizeof size)
    return vl_fail(status, VL_ERROR_FILE, "%s is cut short: array '%s' leads beyond its end", file->path, wanted->name);
  if (size != wanted->bytes)
    return vl_fail(status, VL_ERROR_FILE, "%s: array '%s' has %llu bytes; %llu are expected", file->path, wanted->name,
                   (unsigned long long)size, (unsigned long long)wanted->bytes);
  *block = file->data + offset + sizeof size;
  return VL_OK;
}

/* VTI: the box of cells and the arrays of a frame, as vl_vti_write makes them. Input: a path and the names of the arrays
 * that are wanted. Output: the box and copies of these arrays. */

/* Largest grid index that a file may have; the grid allows 1e5 cells along a side. */
static const double LARGEST_INDEX = 1e6;

/* An attribute of the first element of that name as `count` numbers between blanks. */
static vlCode read_numbers(const Appended *input, const char *element, const char *attribute, double *numbers, int count,
                           vlStatus *status)
{
  vlXmlTag tag;
  vlWord value = {0};
  bool good = find_first(input, element, &tag) && vl_xml_attribute(&tag, attribute, &value);
  /* a number ends at the closing quote at the latest */
  const char *s = value.begin, *end = good ? value.begin + value.length : NULL;
  for (int i = 0; i < count && good; i++) {
    char *next;
    numbers[i] = strtod(s, &next);
    good = next > s && isfinite(numbers[i]);
    s = next;
  }
  if (good && s + strspn(s, " ") == end) return VL_OK;
  return vl_fail(status, VL_ERROR_FILE, "%s is damaged or not Velella's: <%s> needs %s with %d numbers", input->path,
                 element, attribute, count);
}

static vlCode read_box(const Appended *input, vlVti *vti, vlStatus *status)
{
  double extent[6], origin[3], spacing[3];
  vlCode code = read_numbers(input, "Piece", "Extent", extent, 6, status);
  if (code == VL_OK) code = read_numbers(input, "ImageData", "Origin", origin, 3, status);
  if (code == VL_OK) code = read_numbers(input, "ImageData", "Spacing", spacing, 3, status);
  if (code != VL_OK) return code;
  vti->dx = spacing[0];
  bool good = spacing[0] > 0.0 && spacing[1] == spacing[0] && spacing[2] == spacing[0];
  for (int a = 0; a < 3 && good; a++) {
    good = fabs(extent[2 * a]) < LARGEST_INDEX && fabs(extent[2 * a + 1]) < LARGEST_INDEX;
    if (!good) break;
    vti->lo[a] = (int)extent[2 * a];
    vti->hi[a] = (int)extent[2 * a + 1];
    vti->origin.v[a] = origin[a];
    good = vti->lo[a] == extent[2 * a] && vti->hi[a] == extent[2 * a + 1] && vti->lo[a] < vti->hi[a];
  }
  return good ? VL_OK : damaged(input, status, "its box of cells cannot be");
}

static vlCode copy_array(const Appended *input, const vlVti *vti, vlVtiArray *array, vlStatus *status)
{
  size_t count = (size_t)array->components;
  for (int a = 0; a < 3; a++) {
    size_t side = (size_t)(vti->hi[a] - vti->lo[a]);
    /* before the product could overflow */
    if (count > input->bytes / side) return damaged(input, status, "it has fewer bytes than its box has cells");
    count *= side;
  }
  const char *block = NULL;
  Wanted wanted = {array->name, "Float32", array->components, count * sizeof(float)};
  vlCode code = find_block(input, &wanted, &block, status);
  if (code != VL_OK) return code;
  array->data = malloc(count * sizeof(float));
  if (!array->data) return vl_fail_memory(status, count * sizeof(float), input->path);
  memcpy(array->data, block, count * sizeof(float));
  size_t i = 0, width = (size_t)array->components;
  while (i < count && isfinite(array->data[i])) i++;
  if (i == count) return VL_OK;
  return vl_fail(status, VL_ERROR_FILE, "%s: array '%s' holds a number that is not finite at index %zu, component %zu",
                 input->path, array->name, i / width, i % width);
}

vlCode vl_vti_read(const char *path, vlVti *vti, vlVtiArray *arrays, int count, vlStatus *status)
{
  for (int i = 0; i < count; i++) arrays[i].data = NULL;
  *vti = (vlVti){0};
  Appended input;
  vlCode code = appended_open(&input, path, "ImageData", status);
  vti->time = input.time;
  if (code == VL_OK) code = read_box(&input, vti, status);
  for (int i = 0; i < count && code == VL_OK; i++) code = copy_array(&input, vti, &arrays[i], status);
  if (code != VL_OK) vl_vti_clear(arrays, count);
  appended_close(&input);
  return code;
}

void vl_vti_clear(vlVtiArray *arrays, int count)
{
  for (int i = 0; i < count; i++) {
    free(arrays[i].data);
    arrays[i].data = NULL;
  }
}

/* VTU: nodes, velocities and tetrahedra of a frame's bodies, or triangles of rigid ones, as vl_vtu_write makes them; and the
 * faces of the tetrahedra. Bodies of 4 and of 10 nodes may stand side by side. Shapes are not judged: elements may be inside
 * out.
 *
 * A face of one tetrahedron only is on the surface. Faces are found by their corners; with nodes in the middles of edges a
 * face is the four flat triangles that the run's own surface has. Input: a path. Output: arrays; triangles over its nodes.
 */

enum { NODES = 10 };

static vlCode read_counts(const Appended *file, vlVtuFrame *frame, vlStatus *status)
{
  vlXmlTag piece;
  int64_t points, cells;
  bool found = find_first(file, "Piece", &piece) && vl_xml_attribute_count(&piece, "NumberOfPoints", &points) &&
               vl_xml_attribute_count(&piece, "NumberOfCells", &cells);
  if (!found) return damaged(file, status, "it has no <Piece> with numbers of points and cells");
  /* what is announced must be there before memory is taken for it */
  if ((uint64_t)points > file->bytes / sizeof(vlVec3) || (uint64_t)cells > file->bytes / (3 * sizeof(int64_t)) ||
      points > INT_MAX / NODES || cells > INT_MAX / (4 * NODES))
    return damaged(file, status, "it announces more points or cells than it has bytes for");
  frame->point_count = (int)points;
  frame->cell_count = (int)cells;
  return VL_OK;
}

static vlCode read_points(const Appended *file, vlVtuFrame *frame, vlStatus *status)
{
  size_t n = (size_t)frame->point_count;
  const char *points = NULL, *velocity = NULL;
  const Wanted wanted[2] = {{"Points", "Float64", 3, n * sizeof(vlVec3)}, {"velocity", "Float32", 3, n * 3 * sizeof(float)}};
  vlCode code = find_block(file, &wanted[0], &points, status);
  if (code == VL_OK) code = find_block(file, &wanted[1], &velocity, status);
  if (code != VL_OK) return code;
  frame->points = malloc((n + 1) * sizeof *frame->points);
  frame->velocity = malloc((3 * n + 1) * sizeof *frame->velocity);
  if (!frame->points || !frame->velocity) return vl_fail_memory(status, n * sizeof *frame->points, file->path);
  memcpy(frame->points, points, n * sizeof *frame->points);
  memcpy(frame->velocity, velocity, 3 * n * sizeof *frame->velocity);
  for (size_t i = 0; i < 3 * n; i++)
    if (!(fabs(frame->points[i / 3].v[i % 3]) <= 1e15) || !isfinite(frame->velocity[i]))
      return vl_fail(status, VL_ERROR_FILE, "%s: node %zu has a place or a velocity that is not finite", file->path, i / 3);
  return VL_OK;
}

/* Nodes of one cell from connectivity; false: they are not there. */
static bool read_cell(const char *connectivity, int64_t begin, int64_t end, int point_count, int *nodes)
{
  for (int i = 0; i < NODES; i++) {
    int64_t node = -1;
    if (i < end - begin) {
      memcpy(&node, connectivity + (size_t)(begin + i) * sizeof node, sizeof node);
      if (node < 0 || node >= point_count) return false;
    }
    nodes[i] = (int)node;
  }
  return true;
}

static vlCode read_cells(const Appended *file, vlVtuFrame *frame, vlStatus *status)
{
  size_t n = (size_t)frame->cell_count;
  const char *ends = NULL, *types = NULL, *connectivity = NULL, *bodies = NULL;
  const Wanted wanted[3] = {
      {"offsets", "Int64", 1, n * sizeof(int64_t)}, {"types", "UInt8", 1, n}, {"body", "Int32", 1, n * sizeof(int32_t)}};
  vlCode code = find_block(file, &wanted[0], &ends, status);
  if (code == VL_OK) code = find_block(file, &wanted[1], &types, status);
  if (code == VL_OK) code = find_block(file, &wanted[2], &bodies, status);
  if (code != VL_OK) return code;
  int64_t last = 0;
  if (n > 0) memcpy(&last, ends + (n - 1) * sizeof last, sizeof last);
  if (last < 0 || last > (int64_t)(NODES * n)) return damaged(file, status, "its cells have too many nodes");
  const Wanted list = {"connectivity", "Int64", 1, (uint64_t)last * sizeof last};
  code = find_block(file, &list, &connectivity, status);
  if (code != VL_OK) return code;
  frame->nodes = malloc((n * NODES + 1) * sizeof *frame->nodes);
  frame->body = malloc((n + 1) * sizeof *frame->body);
  if (!frame->nodes || !frame->body) return vl_fail_memory(status, n * NODES * sizeof *frame->nodes, file->path);
  int64_t begin = 0, end = 0;
  for (size_t c = 0; c < n; c++, begin = end) {
    memcpy(&end, ends + c * sizeof end, sizeof end);
    int type = (unsigned char)types[c];
    bool known = (type == VL_VTU_TET4 && end - begin == 4) || (type == VL_VTU_TET10 && end - begin == NODES) ||
                 (type == VL_VTU_TRIANGLE && end - begin == 3);
    int32_t body;
    memcpy(&body, bodies + c * sizeof body, sizeof body);
    frame->body[c] = body;
    if (!known || end > last || !read_cell(connectivity, begin, end, frame->point_count, frame->nodes + c * NODES))
      return vl_fail(status, VL_ERROR_FILE,
                     "%s is damaged or not Velella's: cell %zu is no tetrahedron of 4 or 10 of its nodes and no triangle",
                     file->path, c);
  }
  return VL_OK;
}

vlCode vl_vtu_frame_read(vlVtuFrame *frame, const char *path, vlStatus *status)
{
  Appended file;
  *frame = (vlVtuFrame){0};
  vlCode code = appended_open(&file, path, "UnstructuredGrid", status);
  frame->time = file.time;
  if (code == VL_OK) code = read_counts(&file, frame, status);
  if (code == VL_OK) code = read_points(&file, frame, status);
  if (code == VL_OK) code = read_cells(&file, frame, status);
  appended_close(&file);
  if (code != VL_OK) vl_vtu_frame_clear(frame);
  return code;
}

void vl_vtu_frame_clear(vlVtuFrame *frame)
{
  free(frame->points);
  free(frame->velocity);
  free(frame->nodes);
  free(frame->body);
  *frame = (vlVtuFrame){0};
}

/* One triangle, or four around the middles of its edges. Returns how many. */
static int add_face(const int *nodes, int corner, int (*to)[3])
{
  static const int middle[4][4] = {{-1, 4, 6, 7}, {4, -1, 5, 8}, {6, 5, -1, 9}, {7, 8, 9, -1}};
  const int *k = vl_tet_face_corner[corner];
  int a = nodes[k[0]], b = nodes[k[1]], c = nodes[k[2]];
  int ab = nodes[middle[k[0]][k[1]]], bc = nodes[middle[k[1]][k[2]]], ca = nodes[middle[k[2]][k[0]]];
  if (ab < 0) {
    memcpy(to[0], (int[3]){a, b, c}, sizeof to[0]);
    return 1;
  }
  const int four[4][3] = {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}};
  memcpy(to, four, sizeof four);
  return 4;
}

/* The tetrahedra among the cells, and which cells they are; the triangles among them go straight to the list. */
static void sort_cells(const vlVtuFrame *frame, vlTetMesh *mesh, int *cell, int (*triangles)[3], int *count)
{
  for (int c = 0; c < frame->cell_count; c++) {
    const int *nodes = frame->nodes + (size_t)c * NODES;
    if (nodes[3] < 0) {
      memcpy(triangles[(*count)++], nodes, sizeof *triangles);
      continue;
    }
    cell[mesh->tet_count] = c;
    memcpy(mesh->tet[mesh->tet_count++], nodes, sizeof *mesh->tet);
  }
}

vlCode vl_vtu_frame_faces(const vlVtuFrame *frame, int (**triangles)[3], int *count, int *outer, vlStatus *status)
{
  size_t cells = (size_t)frame->cell_count, faces = 0;
  vlTetMesh mesh = {.node = frame->points, .node_count = frame->point_count};
  vlTetFace *face = NULL;
  int *cell = malloc((cells + 1) * sizeof *cell);
  mesh.tet = malloc((cells + 1) * sizeof *mesh.tet);
  *triangles = malloc((16 * cells + 1) * sizeof **triangles);
  *count = *outer = 0;
  vlCode code = VL_OK;
  if (!cell || !mesh.tet || !*triangles)
    code = vl_fail_memory(status, 16 * cells * sizeof **triangles, "the faces of elastic bodies");
  if (code == VL_OK) {
    sort_cells(frame, &mesh, cell, *triangles, count);
    code = vl_tet_faces_sorted(&face, &faces, &mesh, status);
  }
  for (int inner = 0; inner < 2 && code == VL_OK; inner++) {
    for (size_t i = 0, end; i < faces; i = end) {
      end = vl_tet_faces_end(face, faces, i);
      if ((end - i > 1) == inner)
        *count += add_face(frame->nodes + (size_t)cell[face[i].tet] * NODES, face[i].corner, *triangles + *count);
    }
    if (!inner) *outer = *count;
  }
  free(face);
  free(cell);
  free(mesh.tet);
  if (code != VL_OK) {
    free(*triangles);
    *triangles = NULL;
  }
  return code;
}
