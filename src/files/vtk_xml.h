/* What VTI, VTP and VTU share: the XML around the data, and the appended blocks behind it. */
#ifndef VL_FILES_VTK_XML_H
#define VL_FILES_VTK_XML_H

#include "files/file.h"
#include "files/vtk.h"

/* One appended block: 8 bytes of size, then the data. */
typedef struct vlVtkBlock {
  const char *name, *type; /* type: "Float32", "Float64", "Int32", "UInt32", "Int64" or "UInt8" */
  int components;
  const void *data;
  uint64_t bytes;
} vlVtkBlock;

/* Refuses NaN and infinities, naming path, array and index. */
vlCode vl_vtk_check(const char *path, const vlVtkArray *array, int64_t tuples, vlStatus *status);
vlCode vl_vtk_check_number(const char *path, const char *what, double value, vlStatus *status);

/* From the XML declaration to the field data that holds the time. `kind`: "ImageData", "PolyData" or "UnstructuredGrid";
 * `attributes`: of the data set's element, with a leading blank, or "". */
void vl_vtk_begin(vlFile *file, const char *kind, const char *attributes, double time);
/* <SECTION> with one element for each block; *offset is where the first one's data will start and is moved on. */
void vl_vtk_section(vlFile *file, const char *section, const vlVtkBlock *blocks, int count, uint64_t *offset);
/* Closes the piece and the data set, and ends the file: between the two the caller writes each block, in the order of their
 * sections. */
void vl_vtk_data_begin(vlFile *file, const char *kind);
void vl_vtk_data_end(vlFile *file);
/* Text of an XML attribute's value. */
void vl_vtk_escape(vlFile *file, const char *text);

#endif
