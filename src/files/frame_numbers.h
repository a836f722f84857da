/* Which frames a folder holds, by the names of its files. */
#ifndef VL_FILES_FRAME_NUMBERS_H
#define VL_FILES_FRAME_NUMBERS_H

#include "velella/types.h"

/* The number in "frame_00012.png" for the stem "frame" and the ending "png", written with five digits or more; -1: another
 * name. */
int vl_frame_number(const char *name, const char *stem, const char *ending);
/* All of them in a folder, ascending, in new memory; no such folder: none. */
vlCode vl_frame_numbers(const char *folder, const char *stem, const char *ending, int **numbers, int *count,
                        vlStatus *status);

#endif
