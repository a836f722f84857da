/* Text from files as it is shown to people, and messages that show the place they speak of. */
#ifndef VL_BASE_EXCERPT_H
#define VL_BASE_EXCERPT_H

#include <stddef.h>

#include "base/status.h"
#include "velella/scene.h"

enum { VL_EXCERPT_LINE = 100, VL_EXCERPT_PATH = 300, VL_EXCERPT_ROOM = 6 * VL_EXCERPT_LINE + 64 };

/* Bytes of the UTF-8 character at text[0 .. length), 0 when it is none. */
size_t vl_utf8_length(const char *text, size_t length);
/* Characters in text[0 .. length); a byte that is none counts as one. */
size_t vl_utf8_count(const char *text, size_t length);
/* text[length] on one line: unprintable bytes as '?', cut to `limit` characters with "..."; fits in 4 limit + 4. */
const char *vl_shown(const char *text, size_t length, size_t limit, char *out, size_t size);
/* "\n   7 | text" and a caret below the byte `at` of the line text[0 .. length); long lines are cut around the place. */
void vl_excerpt_write(const char *text, size_t length, size_t at, size_t line, char out[static VL_EXCERPT_ROOM]);

/* Puts "path:line:column: " before the message and shows that line of `text`, the whole file, below the message's first
 * line. Nothing where there is no path or no line; without a text, or where it is shorter, nothing is shown. */
void vl_status_locate(vlStatus *status, const char *path, const char *text, vlSource where);

#endif
