/* The machine and compiler, in words, for run.json and `velella info`. */
#ifndef VL_FILES_MACHINE_H
#define VL_FILES_MACHINE_H

#include "velella/types.h"

typedef struct vlMachine {
  char cpu[128];    /* model name; "unknown" where the system does not say */
  char kernel[256]; /* system, release, architecture */
  int cores;        /* that this process may use */
  double memory;    /* bytes */
} vlMachine;

vlMachine vl_machine_describe(void);
const char *vl_compiler_text(void); /* as in "gcc 12.2.0" */

typedef struct vlLibrary {
  const char *name;
  char version[32];
} vlLibrary;

enum { VL_LIBRARY_COUNT = 3 };
/* The libraries we stand on, with the versions found at run time. */
void vl_machine_libraries(vlLibrary libraries[static VL_LIBRARY_COUNT]);

#endif
