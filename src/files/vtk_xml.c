/* The frame of a VTK XML file, version 1.0 with 64-bit block sizes:
 *
 *   <VTKFile ...> <ImageData or PolyData> field data (TimeValue), piece with its arrays' descriptions </...>
 *   <AppendedData encoding="raw">_ size data size data ... </AppendedData> </VTKFile>
 *
 * Each description carries the offset of its block, counted from the byte behind the underscore; sizes and numbers are
 * little endian. Raw bytes are no XML, but every VTK reader takes them and nothing is faster or smaller. No date, name or
 * address enters the file: equal input gives equal bytes. */
#include "files/vtk_xml.h"

#include <math.h>
#include <string.h>

#include "files/file.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "Float32 and Float64");

vlVtkBlock vl_vtk_block(const vlVtkArray *array, int64_t tuples)
{
  uint64_t bytes = (uint64_t)tuples * (uint64_t)array->components * sizeof(float);
  return (vlVtkBlock){array->name, "Float32", array->components, array->data, bytes};
}

vlCode vl_vtk_check(const char *path, const vlVtkArray *array, int64_t tuples, vlStatus *status)
{
  int64_t count = tuples * array->components, i = 0;
  while (i < count && isfinite(array->data[i])) i++;
  if (i == count) return VL_OK;
  char text[VL_NUMBER_TEXT];
  return vl_fail(status, VL_ERROR_INTERNAL,
                 "%s is not written: array '%s' holds %s at index %lld, component %d; finite numbers only", path,
                 array->name, vl_number_text(array->data[i], text), (long long)(i / array->components),
                 (int)(i % array->components));
}

vlCode vl_vtk_check_number(const char *path, const char *what, double value, vlStatus *status)
{
  if (isfinite(value)) return VL_OK;
  char text[VL_NUMBER_TEXT];
  return vl_fail(status, VL_ERROR_INTERNAL, "%s is not written: its %s is %s; finite numbers only", path, what,
                 vl_number_text(value, text));
}

void vl_vtk_escape(vlFile *file, const char *text)
{
  static const struct {
    char raw;
    const char *entity;
  } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  for (; *text; text++) {
    const char *entity = NULL;
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
      if (*text == entities[i].raw) entity = entities[i].entity;
    vl_file_write(file, entity ? entity : text, entity ? strlen(entity) : 1);
  }
}

void vl_vtk_begin(vlFile *file, const char *kind, const char *attributes, double time)
{
  char text[VL_NUMBER_TEXT];
  vl_file_print(file, "<?xml version=\"1.0\"?>\n");
  vl_file_print(file, "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n", kind);
  vl_file_print(file, "<%s%s>\n<FieldData>\n", kind, attributes);
  vl_file_print(file,
                "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%s</DataArray>\n",
                vl_number_text(time, text));
  vl_file_print(file, "</FieldData>\n");
}

void vl_vtk_section(vlFile *file, const char *section, const vlVtkBlock *blocks, int count, uint64_t *offset)
{
  vl_file_print(file, "<%s>\n", section);
  for (int i = 0; i < count; i++) {
    vl_file_print(file, "<DataArray type=\"%s\" Name=\"", blocks[i].type);
    vl_vtk_escape(file, blocks[i].name);
    vl_file_print(file, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n", blocks[i].components,
                  (unsigned long long)*offset);
    *offset += sizeof(uint64_t) + blocks[i].bytes;
  }
  vl_file_print(file, "</%s>\n", section);
}

void vl_vtk_data_begin(vlFile *file, const char *kind)
{
  vl_file_print(file, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", kind);
}

void vl_vtk_data_end(vlFile *file) { vl_file_print(file, "\n</AppendedData>\n</VTKFile>\n"); }

void vl_vtk_end(vlFile *file, const char *kind, const vlVtkBlock *blocks, int count)
{
  vl_vtk_data_begin(file, kind);
  for (int i = 0; i < count; i++) {
    vl_file_write(file, &blocks[i].bytes, sizeof blocks[i].bytes);
    vl_file_write(file, blocks[i].data, blocks[i].bytes);
  }
  vl_vtk_data_end(file);
}
