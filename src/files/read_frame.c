/* A frame's file into memory, whatever its format, and the checks that both formats need: finite numbers and indices of
 * vertices that exist.
 * In: a file. Out: mesh, arrays and time, or an error that names the file and the first thing that is wrong. */
#include "files/read_frame.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "files/file.h"

static const size_t LARGEST = (size_t)16 << 30; /* bytes of a file that is read */

const struct vlNumberNames vl_number_types[] = {
    [VL_NUMBER_FLOAT32] = {"Float32", {"float", "float32"}, 4},
    [VL_NUMBER_FLOAT64] = {"Float64", {"double", "float64"}, 8},
    [VL_NUMBER_INT32] = {"Int32", {"int", "int32"}, 4},
    [VL_NUMBER_UINT32] = {"UInt32", {"uint", "uint32"}, 4},
    [VL_NUMBER_INT64] = {.vtk = "Int64", .size = 8},
    [VL_NUMBER_UINT8] = {"UInt8", {"uchar", "uint8"}, 1},
    [VL_NUMBER_INT8] = {.vtk = "Int8", .size = 1},
};

double vl_number_at(vlNumberType type, const char *at)
{
  union {
    float f;
    double d;
    int32_t i;
    uint32_t u;
    int64_t l;
    unsigned char b;
    signed char c;
  } x;
  memcpy(&x, at, vl_number_types[type].size);
  switch (type) {
  case VL_NUMBER_FLOAT32:
    return x.f;
  case VL_NUMBER_FLOAT64:
    return x.d;
  case VL_NUMBER_INT32:
    return x.i;
  case VL_NUMBER_UINT32:
    return x.u;
  case VL_NUMBER_INT64:
    return (double)x.l;
  case VL_NUMBER_UINT8:
    return x.b;
  default:
    return x.c;
  }
}

void vl_frame_mesh_clear(vlFrameMesh *frame)
{
  vl_trimesh_destroy(&frame->mesh);
  for (int i = 0; i < frame->array_count; i++) free(frame->arrays[i].data);
  free(frame->arrays);
  *frame = (vlFrameMesh){.time = NAN};
}

vlFrameArray *vl_frame_mesh_add(vlFrameMesh *frame, const char *name, bool of_points, int components)
{
  int tuples = of_points ? frame->mesh->vertex_count : frame->mesh->triangle_count;
  vlFrameArray *arrays = realloc(frame->arrays, (size_t)(frame->array_count + 1) * sizeof *arrays);
  if (!arrays) return NULL;
  frame->arrays = arrays;
  vlFrameArray *array = &arrays[frame->array_count];
  *array = (vlFrameArray){.components = components, .of_points = of_points};
  snprintf(array->name, sizeof array->name, "%s", name);
  array->data = calloc((size_t)tuples * (size_t)components + 1, sizeof *array->data);
  if (!array->data) return NULL;
  frame->array_count++;
  return array;
}

const float *vl_frame_mesh_array(const vlFrameMesh *frame, const char *name, bool of_points, int components)
{
  for (int i = 0; i < frame->array_count; i++) {
    const vlFrameArray *array = &frame->arrays[i];
    if (array->of_points == of_points && array->components == components && strcmp(array->name, name) == 0)
      return array->data;
  }
  return NULL;
}

static vlCode check_array(const vlFrameMesh *frame, const vlFrameArray *array, const char *path, vlStatus *status)
{
  int tuples = array->of_points ? frame->mesh->vertex_count : frame->mesh->triangle_count;
  size_t count = (size_t)tuples * (size_t)array->components, i = 0;
  while (i < count && isfinite(array->data[i])) i++;
  if (i == count) return VL_OK;
  char text[VL_NUMBER_TEXT];
  return vl_fail(status, VL_ERROR_MESH, "%s: array '%s' holds %s at index %zu; finite numbers only", path, array->name,
                 vl_number_text(array->data[i], text), i / (size_t)array->components);
}

static vlCode check_mesh(const vlTriMesh *mesh, const char *path, vlStatus *status)
{
  char text[VL_NUMBER_TEXT];
  for (int i = 0; i < mesh->vertex_count; i++)
    for (int a = 0; a < 3; a++)
      if (!(fabs(mesh->x[i].v[a]) <= 1e15))
        return vl_fail(status, VL_ERROR_MESH, "%s: vertex %d has %c = %s; finite numbers up to 1e15 are allowed", path, i,
                       "xyz"[a], vl_number_text(mesh->x[i].v[a], text));
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int c = 0; c < 3; c++)
      if (mesh->tri[t][c] < 0 || mesh->tri[t][c] >= mesh->vertex_count)
        return vl_fail(status, VL_ERROR_MESH, "%s: triangle %d has the vertex %d; there are %d, counted from 0", path, t,
                       mesh->tri[t][c], mesh->vertex_count);
  return VL_OK;
}

vlCode vl_frame_mesh_read(vlFrameMesh *frame, const char *path, vlStatus *status)
{
  char *text = NULL;
  size_t length = 0;
  *frame = (vlFrameMesh){.time = NAN};
  vlCode code = vl_file_read(path, LARGEST, &text, &length, status);
  if (code == VL_OK && !length) code = vl_fail(status, VL_ERROR_FILE, "%s is empty", path);
  if (code == VL_OK && strncmp(text, "ply", 3) == 0)
    code = vl_frame_read_ply(frame, path, text, length, status);
  else if (code == VL_OK)
    code = vl_frame_read_vtp(frame, path, text, length, status);
  if (code == VL_OK) code = check_mesh(frame->mesh, path, status);
  for (int i = 0; i < frame->array_count && code == VL_OK; i++) code = check_array(frame, &frame->arrays[i], path, status);
  free(text);
  if (code != VL_OK) vl_frame_mesh_clear(frame);
  return code;
}

/* Frames by the names of their files: STEM_NNNNN.ENDING. Lists of frames (.pvd) are not needed, so frames of other programs
 * may be put in a folder too, and a folder can be listed while a run writes to it. */

int vl_frame_number(const char *name, const char *stem, const char *ending)
{
  size_t n = strlen(stem), digits = 0;
  if (strncmp(name, stem, n) != 0 || name[n] != '_') return -1;
  const char *number = name + n + 1;
  while (number[digits] >= '0' && number[digits] <= '9') digits++;
  bool named = digits >= 5 && digits <= 9 && number[digits] == '.' && strcmp(number + digits + 1, ending) == 0;
  return named ? atoi(number) : -1;
}

static int compare(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

vlCode vl_frame_numbers(const char *folder, const char *stem, const char *ending, int **numbers, int *count,
                        vlStatus *status)
{
  void *list = NULL;
  size_t capacity = 0;
  *numbers = NULL;
  *count = 0;
  DIR *handle = opendir(folder);
  if (!handle && (errno == ENOENT || errno == ENOTDIR)) return VL_OK;
  if (!handle) return vl_fail(status, VL_ERROR_FILE, "cannot read the folder %s: %s", folder, strerror(errno));
  vlCode code = VL_OK;
  for (struct dirent *entry; code == VL_OK && (entry = readdir(handle));) {
    int number = vl_frame_number(entry->d_name, stem, ending);
    if (number < 0) continue;
    if (vl_array_reserve(&list, &capacity, (size_t)*count + 1, sizeof **numbers))
      ((int *)list)[(*count)++] = number;
    else
      code = vl_fail_memory(status, capacity * sizeof **numbers, "a list of frames");
  }
  closedir(handle);
  if (code != VL_OK) {
    free(list);
    *count = 0;
    return code;
  }
  if (*count) qsort(list, (size_t)*count, sizeof **numbers, compare);
  *numbers = list;
  return VL_OK;
}
