/* Velella's own VTK files: an XML head, then raw blocks.
 *
 * The file is read whole. Its head ends at <AppendedData>; the tail must be the two closing tags. An array is found by its
 * name, and its offset leads to 8 bytes of size and the numbers. Sizes are compared with what is wanted before anything is
 * used, so a cut, damaged or foreign file is an error and never a crash. Not a reader for any VTK file: it takes what
 * Velella writes. Input: a path. Output: the text, the time, and pointers to blocks in it. */
#include "files/read_appended.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/file.h"

static const size_t LARGEST_FILE = (size_t)1 << 36;
static const char data_mark[] = "<AppendedData encoding=\"raw\">\n_", closing[] = "\n</AppendedData>\n</VTKFile>\n";

vlCode vl_appended_damaged(const vlAppended *file, vlStatus *status, const char *why)
{
  return vl_fail(status, VL_ERROR_FILE, "%s is damaged or not Velella's: %s", file->path, why);
}

bool vl_appended_tag(const vlAppended *file, const char *name, vlXmlTag *tag)
{
  const char *at = file->text;
  while (vl_xml_next(&at, file->head_end, tag))
    if (!tag->closes && vl_word_is(tag->name, name)) return true;
  return false;
}

/* The tag of the array `name`, one whose numbers are appended or one that holds them itself. */
static bool find_array(const vlAppended *file, const char *name, bool appended, vlXmlTag *tag)
{
  const char *at = file->text;
  while (vl_xml_next(&at, file->head_end, tag)) {
    bool array = !tag->closes && vl_word_is(tag->name, "DataArray") && vl_xml_attribute_is(tag, "Name", name);
    if (array && vl_xml_attribute_is(tag, "format", "appended") == appended) return true;
  }
  return false;
}

static vlCode find_data(vlAppended *file, size_t length, vlStatus *status)
{
  size_t tail = sizeof closing - 1;
  const char *mark = memmem(file->text, length, data_mark, sizeof data_mark - 1);
  if (!mark) return vl_appended_damaged(file, status, "it has no appended data");
  const char *end = file->text + length - tail;
  file->data = mark + sizeof data_mark - 1;
  if (end < file->data || strcmp(end, closing) != 0) return vl_appended_damaged(file, status, "its end is missing");
  file->bytes = (uint64_t)(end - file->data);
  file->head_end = mark;
  return VL_OK;
}

static vlCode read_head(vlAppended *file, const char *kind, vlStatus *status)
{
  vlXmlTag tag;
  vlWord type;
  bool known = vl_appended_tag(file, "VTKFile", &tag) && vl_xml_attribute_is(&tag, "byte_order", "LittleEndian") &&
               vl_xml_attribute_is(&tag, "header_type", "UInt64") && vl_xml_attribute(&tag, "type", &type);
  if (!known) return vl_appended_damaged(file, status, "its head is not that of a little-endian VTK file with 64-bit sizes");
  if (!vl_word_is(type, kind))
    return vl_fail(status, VL_ERROR_FILE, "%s holds %.*s; %s is expected", file->path, (int)type.length, type.begin, kind);
  const char *value = find_array(file, "TimeValue", false, &tag) ? tag.end : NULL;
  if (value) file->time = strtod(value, NULL);
  return value && isfinite(file->time) ? VL_OK : vl_appended_damaged(file, status, "it has no time");
}

vlCode vl_appended_open(vlAppended *file, const char *path, const char *kind, vlStatus *status)
{
  size_t length = 0;
  *file = (vlAppended){.path = path};
  vlCode code = vl_file_read(path, LARGEST_FILE, &file->text, &length, status);
  if (code == VL_OK) code = find_data(file, length, status);
  return code == VL_OK ? read_head(file, kind, status) : code;
}

void vl_appended_close(vlAppended *file)
{
  free(file->text);
  *file = (vlAppended){0};
}

vlCode vl_appended_find(const vlAppended *file, const vlAppendedBlock *wanted, const char **block, vlStatus *status)
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
