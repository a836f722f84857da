/* Commands about scene files: new, list, schema; and how options become a scene. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "command.h"
#include "io/json.h"
#include "scene/scene.h"

vlCode vl_command_scene(vlScene *scene, const vlOptions *options, vlStatus *status)
{
  vlSetting *settings = calloc((size_t)options->setting_count + 1, sizeof *settings);
  if (!settings) return vl_fail_memory(status, (size_t)options->setting_count * sizeof *settings, "the settings");
  for (int i = 0; i < options->setting_count; i++) settings[i].text = options->settings[i];
  vlCode code = vl_scene_load(scene, options->words[0], settings, options->setting_count, status);
  free(settings);
  if (code != VL_OK) return code;
  if (!isnan(options->until)) scene->end_time = options->until;
  if (options->check_level >= 0) scene->check_level = options->check_level;
  return VL_OK;
}

/* "dir/pond" or "dir/pond.yaml": the file and the name "pond". */
static vlCode starter_names(const char *word, char **path, char **name, vlStatus *status)
{
  static const char ending[] = ".yaml";
  size_t n = strlen(word), e = sizeof ending - 1;
  if (n > e && strcmp(word + n - e, ending) == 0) n -= e;
  const char *base = memrchr(word, '/', n);
  base = base ? base + 1 : word;
  if (base == word + n) return vl_fail(status, VL_ERROR_USAGE, "'%s' names no file: velella new NAME", word);
  *path = malloc(n + sizeof ending);
  *name = strndup(base, (size_t)(word + n - base));
  if (!*path || !*name) return vl_fail_memory(status, n, "a file's name");
  memcpy(*path, word, n);
  memcpy(*path + n, ending, sizeof ending);
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
