/* Scenes: loading, and those that are built in.
 *
 * text → tree (tree.c, settings.c) → vlScene by the table (read.c) → completed and checked (check.c).
 * In: a file, a built-in scene's name or text, and the settings of the command line. Out: a vlScene that owns all it
 * points to, or the default scene and a message. */
#include "scene/scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "scene/check.h"

/* File name without folder and ending, in characters that every file system takes: letters of any language, digits and
 * "-_."; everything else becomes '_', and so does a '.' at the beginning, which would hide the run or lead out of its
 * folder. Built-in scenes keep their folder: "rest/cube" is rest-cube. */
static void set_name(vlScene *scene, const char *path, bool builtin)
{
  static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  const char *slash = builtin ? NULL : strrchr(path, '/'), *begin = slash ? slash + 1 : path, *dot = strrchr(begin, '.');
  size_t length = dot && dot > begin ? (size_t)(dot - begin) : strlen(begin), used = 0;
  for (size_t i = 0, n; i < length && used + 4 < sizeof scene->name; i += n) {
    n = vl_utf8_length(begin + i, length - i);
    bool letter = n > 1 && !(n == 2 && (unsigned char)begin[i] == 0xc2); /* below U+00C0: signs and controls */
    if (!letter) n = 1;
    if (letter)
      memcpy(scene->name + used, begin + i, n);
    else
      scene->name[used] = begin[i] == '/' ? '-' : strchr(good, begin[i]) && (used || begin[i] != '.') ? begin[i] : '_';
    used += n;
  }
  if (used) scene->name[used] = 0;
}

static vlCode keep_source(vlScene *scene, const char *text, size_t length, const char *path, bool builtin, vlStatus *status)
{
  scene->path = strdup(path);
  scene->text = malloc(length + 1);
  if (!scene->path || !scene->text) return vl_fail_memory(status, length, "the scene's text");
  if (length) memcpy(scene->text, text, length);
  scene->text[length] = 0;
  set_name(scene, path, builtin);
  return VL_OK;
}

static vlCode parse(vlScene *scene, const char *text, size_t length, const char *path, const char *folder, bool builtin,
                    const vlSetting *settings, int setting_count, vlStatus *status)
{
  vlTree tree;
  vlMistakes mistakes = {.all = status};
  vl_scene_default(scene);
  vlCode code = vl_tree_create(&tree, path, text, length, settings, setting_count, status);
  if (code == VL_OK) code = keep_source(scene, text, length, path, builtin, status);
  if (code == VL_OK) code = vl_scene_read(scene, &tree, folder, builtin, &mistakes);
  if (code == VL_OK) code = vl_scene_check(scene, &tree, &mistakes);
  if (code == VL_OK) code = vl_mistakes_finish(&mistakes);
  vl_tree_destroy(&tree);
  if (code != VL_OK) vl_scene_clear(scene);
  return code;
}

vlCode vl_scene_parse(vlScene *scene, const char *text, size_t length, const char *path, const vlSetting *settings,
                      int setting_count, vlStatus *status)
{
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : NULL;
  vlCode code;
  if (slash && !folder) {
    vl_scene_default(scene);
    code = vl_fail_memory(status, strlen(path), "the scene's folder");
  } else {
    code = parse(scene, text, length, path, folder, false, settings, setting_count, status);
  }
  free(folder);
  return code;
}

/* The whole file, up to one byte more than a scene may have; the caller frees it. */
static vlCode read_stream(FILE *stream, const char *name, char **text, size_t *length, vlStatus *status)
{
  size_t capacity = 0;
  *text = NULL;
  *length = 0;
  while (*length <= VL_TREE_BYTES) {
    if (!vl_array_reserve(text, &capacity, *length + 4096, 1)) return vl_fail_memory(status, *length, name);
    size_t n = fread(*text + *length, 1, capacity - *length, stream);
    *length += n;
    if (n == 0) break;
  }
  if (ferror(stream))
    return vl_fail(status, VL_ERROR_FILE, "%.1000s: reading the scene file failed: %s", name, strerror(errno));
  return VL_OK;
}

static const char *last_part(const char *name)
{
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

/* The built-in scene that may have been meant: "rest/cube" for "cube", or one that is near in its name. */
static const char *nearest_builtin(const char *name)
{
  enum { MOST = 256 };
  const char *names[MOST], *parts[MOST];
  int count = vl_builtin_scene_count < MOST ? vl_builtin_scene_count : MOST;
  for (int i = 0; i < count; i++) {
    names[i] = vl_builtin_scenes[i].name;
    parts[i] = last_part(names[i]);
  }
  const char *near = NULL;
  for (int i = 0; i < count && !near; i++)
    if (strcmp(parts[i], name) == 0) near = names[i];
  if (!near) near = vl_nearest(name, names, count);
  const char *part = near ? NULL : vl_nearest(last_part(name), parts, count);
  for (int i = 0; i < count && part && !near; i++)
    if (parts[i] == part) near = names[i];
  return near;
}

static vlCode fail_missing(const char *name, int error, bool folder, vlStatus *status)
{
  if (folder)
    vl_fail(status, VL_ERROR_FILE, "%.1000s: a folder, not a scene file", name);
  else if (error == ENOENT || error == ENOTDIR)
    vl_fail(status, VL_ERROR_FILE, "%.1000s: there is no scene file and no built-in scene of this name", name);
  else
    vl_fail(status, VL_ERROR_FILE, "%.1000s: the scene file cannot be opened: %s", name, strerror(error));
  const char *near = nearest_builtin(name);
  if (near) vl_tree_note(status, "did you mean '%s'?", near);
  return VL_ERROR_FILE;
}

vlCode vl_scene_load(vlScene *scene, const char *name, const vlSetting *settings, int setting_count, vlStatus *status)
{
  vl_scene_default(scene);
  FILE *stream = fopen(name, "rb");
  int error = stream ? 0 : errno;
  struct stat about;
  bool folder = stream && fstat(fileno(stream), &about) == 0 && S_ISDIR(about.st_mode);
  if (stream && !folder) {
    char *text;
    size_t length;
    vlCode code = read_stream(stream, name, &text, &length, status);
    if (code == VL_OK) code = vl_scene_parse(scene, text, length, name, settings, setting_count, status);
    free(text);
    fclose(stream);
    return code;
  }
  if (stream) fclose(stream);
  for (int i = 0; i < vl_builtin_scene_count; i++) {
    const vlBuiltinScene *own = &vl_builtin_scenes[i];
    if (strcmp(own->name, name) == 0)
      return parse(scene, own->text, strlen(own->text), name, NULL, true, settings, setting_count, status);
  }
  return fail_missing(name, error, folder, status);
}

int vl_scene_builtin_count(void) { return vl_builtin_scene_count; }
const char *vl_scene_builtin_name(int index) { return vl_builtin_scenes[index].name; }
const char *vl_scene_builtin_text(int index) { return vl_builtin_scenes[index].text; }
const char *vl_scene_builtin_about(int index) { return vl_builtin_scenes[index].about; }
