/* Messages about a scene file: where, what, and the line itself with a caret.
 *
 *   pool.yaml:7:21: solids[0].raduis: unknown key
 *      7 |   - {shape: sphere, raduis: 0.3}
 *        |                     ^
 *     a sphere takes: shape, name, solid, center, rotate, radius
 *     did you mean 'radius'?
 * What came from a --set shows that setting instead of file, line and column. Everything a file can make long (path, key,
 * value, line) is cut, so that a message always fits vlStatus.message; unprintable characters become '?'. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/tree.h"

enum { LINE_SHOWN = 100, PATH_SHOWN = 300, SETTING_SHOWN = 100 };

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

const char *vl_node_path(const vlNode *node, char path[static VL_TREE_PATH])
{
  const vlNode *chain[VL_TREE_DEPTH + 2];
  int count = 0;
  for (; node && node->parent && count < VL_TREE_DEPTH + 2; node = node->parent) chain[count++] = node;
  size_t used = 0;
  path[0] = 0;
  while (count-- > 0 && used < VL_TREE_PATH - 1) {
    char key[128];
    int n;
    if (chain[count]->key) {
      vl_shown(chain[count]->key, strlen(chain[count]->key), 30, key, sizeof key);
      n = snprintf(path + used, VL_TREE_PATH - used, "%s%s", used ? "." : "", key);
    } else {
      n = snprintf(path + used, VL_TREE_PATH - used, "[%d]", chain[count]->index);
    }
    used += (size_t)n;
  }
  return path;
}

static size_t find_line(const vlTree *tree, size_t at)
{
  size_t lo = 0, hi = tree->line_count;
  while (hi - lo > 1) {
    size_t middle = lo + (hi - lo) / 2;
    if (tree->lines[middle] <= at)
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}

static size_t line_begin(const vlTree *tree, size_t line)
{
  bool marked = line == 0 && tree->length >= 3 && memcmp(tree->text, "\xef\xbb\xbf", 3) == 0;
  return tree->lines[line] + (marked ? 3 : 0);
}

/* Characters between two bytes of one line. */
static size_t count_characters(const vlTree *tree, size_t begin, size_t end)
{
  size_t count = 0;
  while (begin < end) {
    size_t n = vl_utf8_length(tree->text + begin, end - begin);
    begin += n ? n : 1;
    count++;
  }
  return count;
}

vlSource vl_tree_source(const vlTree *tree, const vlNode *node)
{
  if (node->setting >= 0 || !tree->line_count) return (vlSource){0, 0};
  size_t line = find_line(tree, node->at);
  return (vlSource){(int)line + 1, (int)count_characters(tree, line_begin(tree, line), node->at) + 1};
}

/* "   7 | text" and the caret below; long lines are cut around the place. */
static void write_excerpt(const vlTree *tree, size_t at, char *out, size_t size)
{
  size_t line = find_line(tree, at), begin = line_begin(tree, line);
  size_t end = line + 1 < tree->line_count ? tree->lines[line + 1] : tree->length;
  while (end > begin && (tree->text[end - 1] == '\n' || tree->text[end - 1] == '\r')) end--;
  if (at < begin) at = begin;
  if (at > end) at = end;

  size_t column = count_characters(tree, begin, at), total = column + count_characters(tree, at, end), skip = 0;
  if (total > LINE_SHOWN && column > LINE_SHOWN / 2) skip = column - LINE_SHOWN / 2;
  size_t from = begin;
  for (size_t i = 0; i < skip; i++) {
    size_t n = vl_utf8_length(tree->text + from, end - from);
    from += n ? n : 1;
  }
  char text[4 * LINE_SHOWN + 4];
  vl_shown(tree->text + from, end - from, LINE_SHOWN, text, sizeof text);
  const char *dots = skip ? "..." : "";
  snprintf(out, size, "\n%5zu | %s%s\n      | %*s^", line + 1, dots, text, (int)(column - skip + strlen(dots)), "");
}

static void write_place(const vlTree *tree, int setting, size_t at, char *out, size_t size)
{
  char shown[4 * PATH_SHOWN + 4];
  if (setting >= 0) {
    const char *text = tree->settings[setting].text;
    snprintf(out, size, "--set %s", vl_shown(text, strlen(text), SETTING_SHOWN, shown, sizeof shown));
    return;
  }
  size_t line = find_line(tree, at);
  snprintf(out, size, "%s:%zu:%zu", vl_shown(tree->path, strlen(tree->path), PATH_SHOWN, shown, sizeof shown), line + 1,
           count_characters(tree, line_begin(tree, line), at) + 1);
}

static vlCode fail(const vlTree *tree, vlStatus *status, int setting, size_t at, const char *key, const char *what)
{
  char where[4 * PATH_SHOWN + 64], excerpt[4 * LINE_SHOWN + 2 * LINE_SHOWN + 64] = "";
  if (at > tree->length && setting < 0) at = tree->length;
  write_place(tree, setting, at, where, sizeof where);
  if (setting < 0) write_excerpt(tree, at, excerpt, sizeof excerpt);
  return vl_fail(status, VL_ERROR_SCENE, "%s: %s%s%s%s", where, key, *key ? ": " : "", what, excerpt);
}

vlCode vl_tree_fail_at(const vlTree *tree, vlStatus *status, int setting, size_t at, const char *format, ...)
{
  char what[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return fail(tree, status, setting, at, "", what);
}

vlCode vl_tree_fail(const vlTree *tree, vlStatus *status, const vlNode *node, vlPlace place, const char *format, ...)
{
  char what[1024], path[VL_TREE_PATH];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  size_t at = place == VL_AT_KEY && node->key ? node->key_at : node->at;
  return fail(tree, status, node->setting, at, vl_node_path(node, path), what);
}

vlCode vl_tree_note(vlStatus *status, const char *format, ...)
{
  if (!status) return VL_ERROR_SCENE;
  size_t used = strlen(status->message), left = sizeof status->message - used;
  int head = snprintf(status->message + used, left, "\n  ");
  if ((size_t)head >= left) return status->code;
  va_list args;
  va_start(args, format);
  vsnprintf(status->message + used + head, left - (size_t)head, format, args);
  va_end(args);
  return status->code;
}

static int lower(char c) { return tolower((unsigned char)c); }
static int smallest(int a, int b) { return a < b ? a : b; }

/* Edits that turn a into b: insert, delete, replace, swap neighbours; upper and lower case are the same. */
static int edit_distance(const char *a, const char *b)
{
  enum { LONGEST = 40 };
  int row[3][LONGEST + 1];
  int n = (int)strlen(a), m = (int)strlen(b);
  if (n > LONGEST || m > LONGEST) return LONGEST;
  for (int j = 0; j <= m; j++) row[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = smallest(smallest(last[j], now[j - 1]) + 1, last[j - 1] + !equal);
      bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) now[j] = smallest(now[j], before[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

const char *vl_nearest(const char *word, const char *const *candidates, int count)
{
  const char *synonym = vl_synonym(word, candidates, count);
  if (synonym) return synonym;
  size_t length = strnlen(word, 64);
  int best = 1 + (length > 3) + (length > 8); /* a third of the word or so */
  const char *nearest = NULL;
  for (int i = 0; i < count; i++) {
    int distance = edit_distance(word, candidates[i]);
    if (distance > best || distance >= (int)strlen(candidates[i]) || (nearest && distance == best)) continue;
    best = distance;
    nearest = candidates[i];
  }
  return nearest;
}
