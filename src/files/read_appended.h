/* Velella's own VTK files, read back: the head, and the blocks of numbers behind it. */
#ifndef VL_FILES_READ_APPENDED_H
#define VL_FILES_READ_APPENDED_H

#include "mesh/read.h"

typedef struct vlAppended {
  const char *path;
  char *text;           /* the whole file */
  const char *head_end; /* where <AppendedData> begins */
  const char *data;     /* blocks, from the byte behind its underscore [bytes] */
  uint64_t bytes;
  double time; /* s */
} vlAppended;

/* What a block must be. */
typedef struct vlAppendedBlock {
  const char *name, *type; /* "Float32" */
  int components;
  uint64_t bytes;
} vlAppendedBlock;

/* The whole file; `kind` is "ImageData" or the like. To be closed in any case. */
vlCode vl_appended_open(vlAppended *file, const char *path, const char *kind, vlStatus *status);
void vl_appended_close(vlAppended *file);
/* The first opening tag of that name in the head. */
bool vl_appended_tag(const vlAppended *file, const char *name, vlXmlTag *tag);
vlCode vl_appended_find(const vlAppended *file, const vlAppendedBlock *wanted, const char **block, vlStatus *status);
/* "PATH is damaged or not Velella's: why" */
vlCode vl_appended_damaged(const vlAppended *file, vlStatus *status, const char *why);

#endif
