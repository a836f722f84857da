/* Text from files as it is shown to people.
 *
 * Everything that a file can make long is cut, so that a message always fits vlStatus.message; characters that would move
 * the cursor become '?'. Columns count characters, not bytes. In: a file's text and a place in it. Out: the line with a
 * caret, as in
 *
 *      7 |   - {shape: sphere, raduis: 0.3}
 *        |                     ^                */
#include "base/excerpt.h"

#include <stdio.h>
#include <string.h>

size_t vl_utf8_length(const char *text, size_t length)
{
  const unsigned char *c = (const unsigned char *)text;
  if (!length) return 0;
  if (c[0] < 0x80) return 1;
  size_t n = c[0] >= 0xf0 && c[0] <= 0xf4 ? 4 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : 0;
  if (!n || n > length) return 0;
  for (size_t i = 1; i < n; i++)
    if ((c[i] & 0xc0) != 0x80) return 0;
  /* over-long forms, surrogates, beyond U+10FFFF */
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f)) return 0;
  if ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f)) return 0;
  return n;
}

/* Where the character after the one at text[at] begins. */
static size_t next(const char *text, size_t length, size_t at)
{
  size_t n = vl_utf8_length(text + at, length - at);
  return at + (n ? n : 1);
}

size_t vl_utf8_count(const char *text, size_t length)
{
  size_t count = 0;
  for (size_t at = 0; at < length; at = next(text, length, at)) count++;
  return count;
}

/* Appends one character as it may be shown; returns the bytes it took from text. */
static size_t show_character(char **out, const char *text, size_t length)
{
  size_t n = vl_utf8_length(text, length);
  unsigned char c = (unsigned char)text[0];
  bool control = n == 1 ? c < 0x20 || c == 0x7f : n == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0;
  if (c == '\t') {
    *(*out)++ = ' ';
  } else if (!n || control) {
    *(*out)++ = '?';
  } else {
    memcpy(*out, text, n);
    *out += n;
  }
  return n ? n : 1;
}

const char *vl_shown(const char *text, size_t length, size_t limit, char *out, size_t size)
{
  char *end = out;
  size_t at = 0;
  if (4 * limit + 4 > size) limit = (size - 4) / 4;
  for (size_t i = 0; at < length && i < limit; i++) at += show_character(&end, text + at, length - at);
  strcpy(end, at < length ? "..." : "");
  return out;
}

void vl_excerpt_write(const char *text, size_t length, size_t at, size_t line, char out[static VL_EXCERPT_ROOM])
{
  while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) length--;
  if (at > length) at = length;
  size_t column = vl_utf8_count(text, at), total = column + vl_utf8_count(text + at, length - at), skip = 0, from = 0;
  if (total > VL_EXCERPT_LINE && column > VL_EXCERPT_LINE / 2) skip = column - VL_EXCERPT_LINE / 2;
  for (size_t i = 0; i < skip; i++) from = next(text, length, from);
  char shown[4 * VL_EXCERPT_LINE + 4];
  vl_shown(text + from, length - from, VL_EXCERPT_LINE, shown, sizeof shown);
  const char *dots = skip ? "..." : "";
  snprintf(out, VL_EXCERPT_ROOM, "\n%5zu | %s%s\n      | %*s^", line, dots, shown, (int)(column - skip + strlen(dots)), "");
}

/* The line with a number from 1 on, without the mark some editors put before the first; NULL: there is none. */
static const char *find_line(const char *text, int number, size_t *length)
{
  for (int i = 1; i < number && text; i++) {
    text = strchr(text, '\n');
    if (text) text++;
  }
  if (!text) return NULL;
  if (number == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  *length = strcspn(text, "\n");
  return text;
}

void vl_status_locate(vlStatus *status, const char *path, const char *text, vlSource where)
{
  if (!status || !path || where.line <= 0) return;
  char shown[4 * VL_EXCERPT_PATH + 4], excerpt[VL_EXCERPT_ROOM] = "", rest[sizeof status->message];
  size_t length = 0, at = 0;
  const char *line = text ? find_line(text, where.line, &length) : NULL;
  for (int i = 1; i < where.column && line && at < length; i++) at = next(line, length, at);
  if (line) vl_excerpt_write(line, length, at, (size_t)where.line, excerpt);

  /* below the first line, above what was added to it */
  size_t first = strcspn(status->message, "\n");
  strcpy(rest, status->message + first);
  snprintf(status->message + first, sizeof status->message - first, "%s%s", excerpt, rest);
  vl_status_prefix(status, "%s:%d:%d: ", vl_shown(path, strlen(path), VL_EXCERPT_PATH, shown, sizeof shown), where.line,
                   where.column);
}
