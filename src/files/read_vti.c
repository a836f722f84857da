/* VTI: the box of cells and the arrays of a frame, the way back of vti.c. How the file is read and checked:
 * files/read_appended.h. Input: a path and the names of the arrays that are wanted. Output: the box and copies of these
 * arrays. */
#include "files/read_vti.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/read_appended.h"

/* Largest grid index that a file may have; the grid allows 1e5 cells along a side. */
static const double LARGEST_INDEX = 1e6;

/* An attribute of the first element of that name as `count` numbers between blanks. */
static vlCode read_numbers(const vlAppended *input, const char *element, const char *attribute, double *numbers, int count,
                           vlStatus *status)
{
  vlXmlTag tag;
  vlWord value = {0};
  bool good = vl_appended_tag(input, element, &tag) && vl_xml_attribute(&tag, attribute, &value);
  /* a number ends at the closing quote at the latest */
  const char *s = value.begin, *end = value.begin + value.length;
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

static vlCode read_box(const vlAppended *input, vlVti *vti, vlStatus *status)
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
  return good ? VL_OK : vl_appended_damaged(input, status, "its box of cells cannot be");
}

static vlCode copy_array(const vlAppended *input, const vlVti *vti, vlVtiArray *array, vlStatus *status)
{
  size_t count = (size_t)array->components;
  for (int a = 0; a < 3; a++) {
    size_t side = (size_t)(vti->hi[a] - vti->lo[a]);
    /* before the product could overflow */
    if (count > input->bytes / side) return vl_appended_damaged(input, status, "it has fewer bytes than its box has cells");
    count *= side;
  }
  const char *block = NULL;
  vlAppendedBlock wanted = {array->name, "Float32", array->components, count * sizeof(float)};
  vlCode code = vl_appended_find(input, &wanted, &block, status);
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
  vlAppended input;
  vlCode code = vl_appended_open(&input, path, "ImageData", status);
  vti->time = input.time;
  if (code == VL_OK) code = read_box(&input, vti, status);
  for (int i = 0; i < count && code == VL_OK; i++) code = copy_array(&input, vti, &arrays[i], status);
  if (code != VL_OK) vl_vti_clear(arrays, count);
  vl_appended_close(&input);
  return code;
}

void vl_vti_clear(vlVtiArray *arrays, int count)
{
  for (int i = 0; i < count; i++) {
    free(arrays[i].data);
    arrays[i].data = NULL;
  }
}
