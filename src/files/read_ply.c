/* PLY read back: binary little endian, as ply.c and points.c write it.
 *
 * The header lists the properties of a vertex, of which x, y, z become positions, vx, vy, vz the array `velocity`, and other
 * numbers arrays of their own names; a face is a list of three indices with nothing behind it.
 * Surfaces from other programs in all of PLY's variety are read by vl_trimesh_read, without their arrays. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/read_frame.h"

enum { MOST = 32, LINE = 256, FACE = 1 + 3 * sizeof(int32_t) }; /* FACE: bytes of a triangle */
static const char *const places[] = {"x", "y", "z"};

typedef struct Header {
  char names[MOST][64];
  vlNumberType types[MOST];
  size_t offsets[MOST], record; /* bytes: of a property in a vertex, of a vertex */
  int count;
  long long vertices, faces;
  bool lists; /* faces are lists of indices */
  double time;
  const char *body;
} Header;

static bool find_type(const char *word, vlNumberType *type)
{
  for (*type = 0; *type < VL_NUMBER_TYPES; (*type)++)
    for (int n = 0; n < 2 && vl_number_types[*type].ply[n]; n++)
      if (strcmp(word, vl_number_types[*type].ply[n]) == 0) return true;
  return false;
}

/* One line of the header; false: not understood. */
static bool read_line(Header *h, const char *line, char element[static 16])
{
  char word[3][64];
  long long number;
  if (strncmp(line, "comment", 7) == 0) {
    sscanf(line, "comment time %lf", &h->time);
    return true;
  }
  if (sscanf(line, "element %15s %lld", element, &number) == 2) {
    long long *count = strcmp(element, "vertex") == 0 ? &h->vertices : strcmp(element, "face") == 0 ? &h->faces : NULL;
    if (!count || *count || number < 0 || number > INT_MAX / 4 || (count == &h->vertices && h->faces)) return false;
    *count = number;
    return true;
  }
  if (sscanf(line, "property list %63s %63s %63s", word[0], word[1], word[2]) == 3) {
    vlNumberType count, index;
    bool known = strcmp(element, "face") == 0 && find_type(word[0], &count) && find_type(word[1], &index);
    bool first = !h->lists;
    h->lists = true;
    return known && first && count == VL_NUMBER_UINT8 && (index == VL_NUMBER_INT32 || index == VL_NUMBER_UINT32);
  }
  if (sscanf(line, "property %63s %63s", word[0], word[1]) != 2 || strcmp(element, "vertex") != 0 || h->count == MOST)
    return false;
  if (!find_type(word[0], &h->types[h->count])) return false;
  memcpy(h->names[h->count], word[1], sizeof word[1]);
  h->offsets[h->count] = h->record;
  h->record += vl_number_types[h->types[h->count]].size;
  h->count++;
  return true;
}

static vlCode read_header(Header *h, const char *path, const char *text, size_t length, vlStatus *status)
{
  char element[16] = "", line[LINE];
  const char *at = text, *end = text + length;
  for (int n = 1;; n++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t size = stop ? (size_t)(stop - at) : 0;
    if (!stop || size >= sizeof line)
      return vl_fail(status, VL_ERROR_MESH, "%s:%d: not whole: it ends inside of its header", path, n);
    memcpy(line, at, size);
    line[size && line[size - 1] == '\r' ? size - 1 : size] = '\0';
    at = stop + 1;
    if (n == 1) continue;
    if (strcmp(line, "end_header") == 0) break;
    bool format = strncmp(line, "format ", 7) == 0;
    if (format ? strcmp(line, "format binary_little_endian 1.0") != 0 : !read_line(h, line, element))
      return vl_fail(status, VL_ERROR_MESH, "%s:%d: '%.60s' is not read here; PLY in binary_little_endian with triangles is",
                     path, n, line);
  }
  h->body = at;
  return VL_OK;
}

static int find_property(const Header *h, const char *name)
{
  for (int i = 0; i < h->count; i++)
    if (strcmp(h->names[i], name) == 0) return i;
  return -1;
}

/* Column i of all vertices into out[vertex * stride]. */
static void read_column(const Header *h, int i, float *out, int stride)
{
  for (long long v = 0; v < h->vertices; v++)
    out[v * stride] = (float)vl_number_at(h->types[i], h->body + (size_t)v * h->record + h->offsets[i]);
}

/* What must hold before memory is taken for the counts that the header announces. */
static vlCode check_header(const Header *h, const char *path, size_t room, vlStatus *status)
{
  size_t vertex_bytes = (size_t)h->vertices * h->record, needed = vertex_bytes + (size_t)h->faces * FACE;
  for (int a = 0; a < 3; a++)
    if (find_property(h, places[a]) < 0)
      return vl_fail(status, VL_ERROR_MESH, "%s: its vertices have no property %s", path, places[a]);
  if (h->faces && !h->lists) return vl_fail(status, VL_ERROR_MESH, "%s: its faces have no list of indices", path);
  if (room >= needed) return VL_OK;
  return vl_fail(status, VL_ERROR_MESH, "%s: not whole: %zu bytes behind its header, %zu are needed", path, room, needed);
}

static vlCode read_vertices(vlFrameMesh *frame, const Header *h, const char *path, vlStatus *status)
{
  static const char *const speeds[] = {"vx", "vy", "vz"};
  int speed[3];
  for (int a = 0; a < 3; a++) {
    int column = find_property(h, places[a]);
    speed[a] = find_property(h, speeds[a]);
    for (long long v = 0; v < h->vertices; v++)
      frame->mesh->x[v].v[a] = vl_number_at(h->types[column], h->body + (size_t)v * h->record + h->offsets[column]);
  }
  bool moves = speed[0] >= 0 && speed[1] >= 0 && speed[2] >= 0;
  vlFrameArray *array = moves ? vl_frame_mesh_add(frame, "velocity", true, 3) : NULL;
  if (moves && !array) return vl_fail_memory(status, (size_t)h->vertices * 12, path);
  for (int a = 0; a < 3 && array; a++) read_column(h, speed[a], array->data + a, 3);
  for (int i = 0; i < h->count; i++) {
    if (strlen(h->names[i]) == 1 && strchr("xyz", *h->names[i])) continue;
    if (moves && (i == speed[0] || i == speed[1] || i == speed[2])) continue;
    array = vl_frame_mesh_add(frame, h->names[i], true, 1);
    if (!array) return vl_fail_memory(status, (size_t)h->vertices * 4, path);
    read_column(h, i, array->data, 1);
  }
  return VL_OK;
}

vlCode vl_frame_read_ply(vlFrameMesh *frame, const char *path, const char *text, size_t length, vlStatus *status)
{
  Header h = {.time = NAN};
  vlCode code = read_header(&h, path, text, length, status);
  if (code == VL_OK) code = check_header(&h, path, (size_t)(text + length - h.body), status);
  if (code != VL_OK) return code;
  size_t vertex_bytes = (size_t)h.vertices * h.record;
  frame->mesh = vl_trimesh_create((int)h.vertices, (int)h.faces);
  if (!frame->mesh) return vl_fail_memory(status, vertex_bytes, path);
  frame->time = h.time;
  code = read_vertices(frame, &h, path, status);
  const char *at = h.body + vertex_bytes;
  for (long long t = 0; t < h.faces && code == VL_OK; t++, at += FACE) {
    if (*at != 3)
      code = vl_fail(status, VL_ERROR_MESH, "%s: face %lld has %d corners; triangles only", path, t, (unsigned char)*at);
    else
      memcpy(frame->mesh->tri[t], at + 1, 3 * sizeof(int32_t));
  }
  return code;
}
