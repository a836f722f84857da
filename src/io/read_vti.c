/* VTI: the box of cells and the arrays of a frame, the way back of vti.c.
 *
 * The file is read whole. Its head ends at <AppendedData>; the tail must be the two closing tags. An array is found by its
 * name, and its offset leads to 8 bytes of size and the numbers. Sizes are compared with what the box asks for before
 * anything is used, so a cut, damaged or foreign file is an error and never a crash. Not a reader for any VTI file: it takes
 * what Velella writes. Input: a path and the names of the arrays that are wanted. Output: the box and copies of these
 * arrays. */
#include "io/read_vti.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/file.h"
#include "mesh/read_xml.h"

static const size_t LARGEST_FILE = (size_t)1 << 36;
/* Largest grid index that a file may have; the grid allows 1e5 cells along a side. */
static const double LARGEST_INDEX = 1e6;
static const char data_mark[] = "<AppendedData encoding=\"raw\">\n_", closing[] = "\n</AppendedData>\n</VTKFile>\n";

typedef struct Input {
  const char *path;
  char *text;           /* the whole file */
  const char *head_end; /* where <AppendedData> begins */
  const char *data;     /* blocks, from the byte behind its underscore [bytes] */
  uint64_t bytes;
} Input;

static vlCode damaged(const Input *input, vlStatus *status, const char *why)
{
  return vl_fail(status, VL_ERROR_FILE, "%s is damaged or not Velella's: %s", input->path, why);
}

/* The first opening tag of that name in the head. */
static bool find_tag(const Input *input, const char *name, vlXmlTag *tag)
{
  const char *at = input->text;
  while (vl_xml_next(&at, input->head_end, tag))
    if (!tag->closes && vl_word_is(tag->name, name)) return true;
  return false;
}

static vlCode open_input(Input *input, const char *path, vlStatus *status)
{
  size_t length = 0, tail = sizeof closing - 1;
  *input = (Input){.path = path};
  vlCode code = vl_file_read(path, LARGEST_FILE, &input->text, &length, status);
  if (code != VL_OK) return code;
  const char *mark = memmem(input->text, length, data_mark, sizeof data_mark - 1);
  if (!mark) return damaged(input, status, "it has no appended data");
  const char *end = input->text + length - tail;
  input->data = mark + sizeof data_mark - 1;
  if (end < input->data || strcmp(end, closing) != 0) return damaged(input, status, "its end is missing");
  input->bytes = (uint64_t)(end - input->data);
  input->head_end = mark;
  return VL_OK;
}

/* The tag of the array `name`, one whose numbers are appended or one that holds them itself. */
static bool find_array(const Input *input, const char *name, bool appended, vlXmlTag *tag)
{
  const char *at = input->text;
  while (vl_xml_next(&at, input->head_end, tag)) {
    bool array = !tag->closes && vl_word_is(tag->name, "DataArray") && vl_xml_attribute_is(tag, "Name", name);
    if (array && vl_xml_attribute_is(tag, "format", "appended") == appended) return true;
  }
  return false;
}

static vlCode read_head(const Input *input, vlVti *vti, vlStatus *status)
{
  vlXmlTag tag;
  vlWord type;
  bool known = find_tag(input, "VTKFile", &tag) && vl_xml_attribute_is(&tag, "byte_order", "LittleEndian") &&
               vl_xml_attribute_is(&tag, "header_type", "UInt64") && vl_xml_attribute(&tag, "type", &type);
  if (!known) return damaged(input, status, "its head is not that of a little-endian VTK file with 64-bit sizes");
  if (!vl_word_is(type, "ImageData"))
    return vl_fail(status, VL_ERROR_FILE, "%s holds %.*s; ImageData is expected", input->path, (int)type.length, type.begin);
  const char *value = find_array(input, "TimeValue", false, &tag) ? tag.end : NULL;
  if (value) vti->time = strtod(value, NULL);
  return value && isfinite(vti->time) ? VL_OK : damaged(input, status, "it has no time");
}

/* An attribute of the first element of that name as `count` numbers between blanks. */
static vlCode read_numbers(const Input *input, const char *element, const char *attribute, double *numbers, int count,
                           vlStatus *status)
{
  vlXmlTag tag;
  vlWord value = {0};
  bool good = find_tag(input, element, &tag) && vl_xml_attribute(&tag, attribute, &value);
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

static vlCode read_box(const Input *input, vlVti *vti, vlStatus *status)
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

/* The block of an array, of `wanted` bytes. */
static vlCode find_block(const Input *input, const vlVtiArray *array, uint64_t wanted, const char **block, vlStatus *status)
{
  vlXmlTag tag;
  vlWord type = {0}, width = {0};
  int64_t components = 0, place = 0;
  if (!find_array(input, array->name, true, &tag))
    return vl_fail(status, VL_ERROR_FILE, "%s has no array '%s'", input->path, array->name);
  bool described = vl_xml_attribute(&tag, "type", &type) && vl_xml_attribute(&tag, "NumberOfComponents", &width) &&
                   vl_xml_attribute_count(&tag, "NumberOfComponents", &components) &&
                   vl_xml_attribute_count(&tag, "offset", &place);
  if (!described || !vl_word_is(type, "Float32") || components != array->components)
    return vl_fail(status, VL_ERROR_FILE, "%s: array '%s' is %.*s with %.*s components; Float32 with %d is expected",
                   input->path, array->name, (int)type.length, type.begin ? type.begin : "", (int)width.length,
                   width.begin ? width.begin : "", array->components);
  uint64_t size = 0, offset = (uint64_t)place;
  bool inside = offset <= input->bytes && input->bytes - offset >= sizeof size;
  if (inside) memcpy(&size, input->data + offset, sizeof size);
  if (!inside || size > input->bytes - offset - sizeof size)
    return vl_fail(status, VL_ERROR_FILE, "%s is cut short: array '%s' leads beyond its end", input->path, array->name);
  if (size != wanted)
    return vl_fail(status, VL_ERROR_FILE, "%s: array '%s' has %llu bytes; %llu are expected", input->path, array->name,
                   (unsigned long long)size, (unsigned long long)wanted);
  *block = input->data + offset + sizeof size;
  return VL_OK;
}

static vlCode copy_array(const Input *input, const vlVti *vti, vlVtiArray *array, vlStatus *status)
{
  size_t count = (size_t)array->components;
  for (int a = 0; a < 3; a++) {
    size_t side = (size_t)(vti->hi[a] - vti->lo[a]);
    /* before the product could overflow */
    if (count > input->bytes / side) return damaged(input, status, "it has fewer bytes than its box has cells");
    count *= side;
  }
  const char *block = NULL;
  vlCode code = find_block(input, array, count * sizeof(float), &block, status);
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
  Input input;
  vlCode code = open_input(&input, path, status);
  if (code == VL_OK) code = read_head(&input, vti, status);
  if (code == VL_OK) code = read_box(&input, vti, status);
  for (int i = 0; i < count && code == VL_OK; i++) code = copy_array(&input, vti, &arrays[i], status);
  if (code != VL_OK) vl_vti_clear(arrays, count);
  free(input.text);
  return code;
}

void vl_vti_clear(vlVtiArray *arrays, int count)
{
  for (int i = 0; i < count; i++) {
    free(arrays[i].data);
    arrays[i].data = NULL;
  }
}
