/* velella info: this build and machine; velella info RUN: what a run's run.json says; velella version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "io/file.h"
#include "io/json.h"
#include "io/machine.h"
#include "io/series.h"
#include "velella/velella.h"
#include "words.h"

enum { LARGEST_RUN_JSON = 64 << 20 };

vlCode vl_command_version(const vlOptions *options, vlStatus *status)
{
  (void)options;
  (void)status;
  printf("velella %s\n", VELELLA_VERSION);
  return VL_OK;
}

static vlCode build_json(vlStatus *status)
{
  vlMachine machine = vl_machine_describe();
  vlLibrary libraries[VL_LIBRARY_COUNT];
  vl_machine_libraries(libraries);
  vlJson json;
  vl_json_begin(&json, false);
  vl_json_object(&json, NULL);
  vl_json_string(&json, "version", VELELLA_VERSION);
  vl_json_string(&json, "compiler", vl_compiler_text());
  vl_json_object(&json, "libraries");
  for (int i = 0; i < VL_LIBRARY_COUNT; i++) vl_json_string(&json, libraries[i].name, libraries[i].version);
  vl_json_end(&json);
  vl_json_string(&json, "cpu", machine.cpu);
  vl_json_integer(&json, "cores", machine.cores);
  vl_json_number(&json, "memory_bytes", machine.memory);
  vl_json_string(&json, "kernel", machine.kernel);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

static void build_text(void)
{
  vlMachine machine = vl_machine_describe();
  vlLibrary libraries[VL_LIBRARY_COUNT];
  char memory[VL_WORDS_ROOM];
  vl_machine_libraries(libraries);
  printf("version    %s\n", VELELLA_VERSION);
  printf("compiler   %s\n", vl_compiler_text());
  for (int i = 0; i < VL_LIBRARY_COUNT; i++)
    printf("%-9s  %s %s\n", i ? "" : "libraries", libraries[i].name, libraries[i].version);
  printf("processor  %s, %d cores\n", machine.cpu, machine.cores);
  printf("memory     %s\n", vl_words_bytes(machine.memory, memory));
  printf("system     %s\n", machine.kernel);
}

static vlCode missing(const char *path, const char *key, vlStatus *status)
{
  return vl_fail(status, VL_ERROR_FILE, "%s has no '%s'; it is damaged or not a run's file", path, key);
}

/* Lines of text values. */
static vlCode print_texts(const char *path, const char *text, vlStatus *status)
{
  static const struct {
    const char *label, *key;
    bool needed;
  } rows[] = {{"scene", "scene.name", true},     {"file", "scene.path", false},      {"state", "state", true},
              {"because", "exit_reason", false}, {"version", "version", true},       {"started", "started", false},
              {"finished", "finished", false},   {"processor", "machine.cpu", false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *value;
    bool found = vl_json_find_string(text, rows[i].key, &value);
    if (found) printf("%-17s  %s\n", rows[i].label, value);
    free(value);
    if (!found && rows[i].needed) return missing(path, rows[i].key, status);
  }
  return VL_OK;
}

/* Lines of numbers. */
static vlCode print_numbers(const char *path, const char *text, vlStatus *status)
{
  static const struct {
    const char *label, *key, *unit;
  } rows[] = {{"threads", "threads", ""},
              {"steps", "totals.steps", ""},
              {"frames", "totals.frames", ""},
              {"simulated", "totals.time", " s"},
              {"liquid cells", "totals.liquid_cells", ""},
              {"wall time", "totals.wall_seconds", " s"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double value;
    if (!vl_json_find_number(text, rows[i].key, &value)) return missing(path, rows[i].key, status);
    printf("%-17s  %.9g%s\n", rows[i].label, value, rows[i].unit);
  }
  for (int i = 0; i < VL_STAGE_COUNT; i++) {
    char key[64];
    double value;
    snprintf(key, sizeof key, "totals.stage_seconds.%s", vl_stage_names[i]);
    if (!vl_json_find_number(text, key, &value)) return missing(path, key, status);
    printf("  %-15s  %.3g s\n", vl_stage_names[i], value);
  }
  return VL_OK;
}

static vlCode show_run(const char *folder, bool json, vlStatus *status)
{
  char *path = vl_path_join(folder, "run.json"), *text = NULL;
  size_t length;
  if (!path) return vl_fail_memory(status, strlen(folder), "a file's name");
  vlCode code = vl_file_read(path, LARGEST_RUN_JSON, &text, &length, status);
  if (code != VL_OK) vl_status_prefix(status, "%s is not the folder of a run: ", folder);
  if (code == VL_OK && json) {
    fputs(text, stdout);
  } else if (code == VL_OK) {
    code = print_texts(path, text, status);
    if (code == VL_OK) code = print_numbers(path, text, status);
  }
  free(text);
  free(path);
  return code;
}

vlCode vl_command_info(const vlOptions *options, vlStatus *status)
{
  if (options->word_count > 0) return show_run(options->words[0], options->json, status);
  if (options->json) return build_json(status);
  build_text();
  return VL_OK;
}
