/* Messages about a scene file: where, what, and the line itself with a caret.
 *
 *   pool.yaml:7:21: solids[0].raduis: unknown key
 *      7 |   - {shape: sphere, raduis: 0.3}
 *        |                     ^
 *     a sphere takes: shape, name, solid, center, rotate, radius
 *     did you mean 'radius'?
 * What came from a --set shows that setting instead of file, line and column. Everything a file can make long (path, key,
 * value, line) is cut, so that a message always fits vlStatus.message; unprintable characters become '?'. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/tree.h"

enum { SETTING_SHOWN = 100 };

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

/* Characters of the line before the byte `at`. */
static size_t column_of(const vlTree *tree, size_t line, size_t at)
{
  size_t begin = line_begin(tree, line);
  return at > begin ? vl_utf8_count(tree->text + begin, at - begin) : 0;
}

vlSource vl_tree_source(const vlTree *tree, const vlNode *node)
{
  if (node->setting >= 0 || !tree->line_count) return (vlSource){0, 0};
  size_t line = find_line(tree, node->at);
  return (vlSource){(int)line + 1, (int)column_of(tree, line, node->at) + 1};
}

static void write_excerpt(const vlTree *tree, size_t at, char out[static VL_EXCERPT_ROOM])
{
  size_t line = find_line(tree, at), begin = line_begin(tree, line);
  size_t end = line + 1 < tree->line_count ? tree->lines[line + 1] : tree->length;
  vl_excerpt_write(tree->text + begin, end > begin ? end - begin : 0, at > begin ? at - begin : 0, line + 1, out);
}

static void write_place(const vlTree *tree, int setting, size_t at, char *out, size_t size)
{
  char shown[4 * VL_EXCERPT_PATH + 4];
  if (setting >= 0) {
    const char *text = tree->settings[setting].text;
    snprintf(out, size, "--set %s", vl_shown(text, strlen(text), SETTING_SHOWN, shown, sizeof shown));
    return;
  }
  size_t line = find_line(tree, at);
  snprintf(out, size, "%s:%zu:%zu", vl_shown(tree->path, strlen(tree->path), VL_EXCERPT_PATH, shown, sizeof shown), line + 1,
           column_of(tree, line, at) + 1);
}

static vlCode fail(const vlTree *tree, vlStatus *status, int setting, size_t at, const char *key, const char *what)
{
  char where[4 * VL_EXCERPT_PATH + 64], excerpt[VL_EXCERPT_ROOM] = "";
  if (at > tree->length && setting < 0) at = tree->length;
  write_place(tree, setting, at, where, sizeof where);
  if (setting < 0) write_excerpt(tree, at, excerpt);
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
