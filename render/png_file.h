/* Pictures as PNG files, with a note of what they show. */
#ifndef VL_RENDER_PNG_FILE_H
#define VL_RENDER_PNG_FILE_H

#include "velella/types.h"

/* bytes: red, green, blue, row by row from the top; note: kept in the file under the key "Velella". */
vlCode vl_png_write(const char *path, int width, int height, const unsigned char *bytes, const char *note, vlStatus *status);
/* Is there a whole PNG file with this note? */
bool vl_png_has_note(const char *path, const char *note);
/* Is `path` there, and not older than the file `than`? */
bool vl_png_is_newer(const char *path, const char *than);

#endif
