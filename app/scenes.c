/* Commands about scene files: new, list, schema; and how options become a scene. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "command.h"
#include "files/json.h"
#include "scene/scene.h"
#include "words.h"

enum { LARGEST_SCENE = 16 << 20 }; /* bytes; the parser takes no more */

/* All of standard input in new memory, as far as a scene may go and a byte more. */
static vlCode read_input(char **text, size_t *length, vlStatus *status)
{
  size_t capacity = 0;
  *text = NULL;
  *length = 0;
  for (size_t n = 1; n > 0 && *length <= LARGEST_SCENE; *length += n) {
    if (!vl_array_reserve((void **)text, &capacity, *length + 4096, 1))
      return vl_fail_memory(status, *length, "the scene from standard input");
    n = fread(*text + *length, 1, capacity - *length, stdin);
  }
  if (ferror(stdin)) return vl_fail(status, VL_ERROR_FILE, "cannot read standard input: %s", strerror(errno));
  return VL_OK;
}

/* Neither a file nor built in: the nearest built-in scene by its whole name, or the one whose last part it is. */
static vlCode unknown_scene(const char *word, vlStatus *status)
{
  const char *near = NULL;
  for (int i = 0; i < vl_scene_builtin_count(); i++) {
    const char *name = vl_scene_builtin_name(i), *slash = strrchr(name, '/');
    vl_word_offer(word, name, &near);
    if (slash && strcmp(slash + 1, word) == 0) near = name;
  }
  return vl_fail(status, VL_ERROR_FILE,
                 "there is no scene file '%s' and no built-in scene of this name%s%s%s\n"
                 "see: velella list for the built-in scenes, velella new NAME for a file to start from",
                 word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool is_builtin(const char *word)
{
  for (int i = 0; i < vl_scene_builtin_count(); i++)
    if (strcmp(word, vl_scene_builtin_name(i)) == 0) return true;
  return false;
}

/* Standard input can be read only once: a scene that was loaded from it before is made from its text. */
static vlCode load(vlScene *scene, const char *word, const vlSetting *settings, int count, vlStatus *status)
{
  char *text = scene->text;
  size_t length = text ? strlen(text) : 0;
  scene->text = NULL;
  vl_scene_clear(scene);
  if (strcmp(word, "-") != 0) {
    free(text);
    bool missing = access(word, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
    return missing && !is_builtin(word) ? unknown_scene(word, status) : vl_scene_load(scene, word, settings, count, status);
  }
  vlCode code = text ? VL_OK : read_input(&text, &length, status);
  if (code == VL_OK) code = vl_scene_parse(scene, text, length, "stdin", settings, count, status);
  free(text);
  return code;
}

vlCode vl_command_scene(vlScene *scene, const vlOptions *options, vlStatus *status)
{
  vlSetting *settings = calloc((size_t)options->setting_count + 1, sizeof *settings);
  if (!settings) return vl_fail_memory(status, (size_t)options->setting_count * sizeof *settings, "the settings");
  for (int i = 0; i < options->setting_count; i++) settings[i].text = options->settings[i];
  vlCode code = load(scene, options->words[0], settings, options->setting_count, status);
  free(settings);
  if (code != VL_OK) return code;
  if (!isnan(options->until)) scene->time.end = options->until;
  if (options->check_level >= 0) scene->check_level = options->check_level;
  return VL_OK;
}

/* "dir/pond", "dir/pond.yaml" or "dir/pond.yml": the file and the name "pond". */
static vlCode starter_names(const char *word, char **path, char **name, vlStatus *status)
{
  const char *slash = strrchr(word, '/'), *base = slash ? slash + 1 : word, *dot = strrchr(base, '.');
  bool yaml = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
  if (!*base || (yaml && dot == base) || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
    return vl_fail(status, VL_ERROR_USAGE, "'%s' names no file: velella new NAME", word);
  if (dot > base && !yaml)
    return vl_fail(status, VL_ERROR_USAGE,
                   "'%s' ends in %s, but the scene to start from is YAML with comments: name it %.*s.yaml or %.*s.yml", word,
                   dot, (int)(dot - word), word, (int)(dot - word), word);
  size_t room = strlen(word) + sizeof ".yaml";
  *path = malloc(room);
  *name = strndup(base, yaml ? (size_t)(dot - base) : strlen(base));
  if (!*path || !*name) return vl_fail_memory(status, room, "a file's name");
  snprintf(*path, room, "%s%s", word, yaml ? "" : ".yaml");
  return VL_OK;
}

static vlCode write_starter(const char *path, const char *name, vlStatus *status)
{
  FILE *file = fopen(path, "wxe"); /* x: fails when the file is there */
  if (!file && errno == EEXIST) return vl_fail(status, VL_ERROR_FILE, "%s is there already and is not overwritten", path);
  if (!file) return vl_fail(status, VL_ERROR_FILE, "cannot create %s: %s", path, strerror(errno));
  vl_scene_starter(file, name);
  errno = 0;
  bool bad = fflush(file) != 0 || ferror(file);
  int error = errno ? errno : EIO;
  bad = fclose(file) != 0 || bad;
  if (!bad) return VL_OK;
  unlink(path);
  return vl_fail(status, VL_ERROR_FILE, "cannot write %s: %s", path, strerror(error));
}

vlCode vl_command_new(const vlOptions *options, vlStatus *status)
{
  char *path = NULL, *name = NULL;
  vlCode code = starter_names(options->words[0], &path, &name, status);
  if (code == VL_OK) code = write_starter(path, name, status);
  if (code == VL_OK) printf("%s\n", path);
  free(path);
  free(name);
  return code;
}

static vlCode list_json(vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < vl_scene_builtin_count() && code == VL_OK; i++) {
    vlJson json;
    vl_json_begin(&json, false);
    vl_json_object(&json, NULL);
    vl_json_string(&json, "name", vl_scene_builtin_name(i));
    vl_json_string(&json, "about", vl_scene_builtin_about(i));
    vl_json_end(&json);
    code = vl_json_finish(&json, status);
    if (code == VL_OK) fputs(json.text, stdout);
    vl_json_clear(&json);
  }
  return code;
}

vlCode vl_command_list(const vlOptions *options, vlStatus *status)
{
  if (options->json) return list_json(status);
  int width = 0;
  for (int i = 0; i < vl_scene_builtin_count(); i++) {
    int n = (int)strlen(vl_scene_builtin_name(i));
    if (n > width) width = n;
  }
  for (int i = 0; i < vl_scene_builtin_count(); i++) {
    const char *about = vl_scene_builtin_about(i);
    printf("%-*s  %s\n", width, vl_scene_builtin_name(i), about ? about : "");
  }
  return VL_OK;
}

vlCode vl_command_schema(const vlOptions *options, vlStatus *status)
{
  (void)options;
  (void)status;
  vl_scene_schema(stdout);
  return VL_OK;
}
