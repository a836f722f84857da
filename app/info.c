/* velella info: this build and machine; velella info RUN: what a run's run.json and the last line of its series.csv
 * say; velella version. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "base/words.h"
#include "command.h"
#include "files/file.h"
#include "files/json.h"
#include "files/machine.h"
#include "frames/series.h"
#include "last_step.h"
#include "process.h"
#include "run_folder.h"
#include "velella/velella.h"
#include "words.h"

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

/* The state in words: "running" alone may be the last word of a process that crashed. */
static vlCode print_state(const char *path, const char *text, vlStatus *status)
{
  char *state;
  vlProcess process;
  double time = 0.0;
  if (!vl_json_find_string(text, "state", &state)) return missing(path, "state", status);
  bool running = strcmp(state, "running") == 0 && vl_process_of_run(text, &process);
  vlPresence presence = running ? vl_process_presence(&process) : VL_PRESENCE_GONE;
  vl_json_find_number(text, "totals.time", &time);
  if (!running)
    printf("%-17s  %s\n", "state", state);
  else if (presence == VL_PRESENCE_HERE)
    printf("%-17s  running (pid %lld)\n", "state", (long long)process.pid);
  else if (presence == VL_PRESENCE_ELSEWHERE)
    printf("%-17s  running on %s (pid %lld), if it did not crash there\n", "state", process.host, (long long)process.pid);
  else
    printf("%-17s  ended without saying so (last frame at %g s)\n", "state", time);
  free(state);
  return VL_OK;
}

/* Lines of text values. */
static vlCode print_texts(const char *path, const char *text, vlStatus *status)
{
  static const struct {
    const char *label, *key;
    bool needed;
  } rows[] = {{"scene", "scene.name", true},      {"file", "scene.path", false}, {"because", "exit_reason", false},
              {"version", "version", true},       {"started", "started", false}, {"finished", "finished", false},
              {"processor", "machine.cpu", false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *value;
    bool found = vl_json_find_string(text, rows[i].key, &value);
    if (found) printf("%-17s  %s\n", rows[i].label, value);
    free(value);
    if (!found && rows[i].needed) return missing(path, rows[i].key, status);
  }
  return VL_OK;
}

/* A line for each body. */
static void print_bodies(const char *text)
{
  double deep = 0.0, dx = 0.0;
  bool slab = vl_json_find_number(text, "grid.cells.2", &deep) && vl_json_find_number(text, "grid.dx", &dx) && deep == 1.0;
  for (int i = 0;; i++) {
    static const char *const keys[] = {"nodes", "elements", "mass", "pinned_nodes", "missing_volume"};
    char path[64], line[VL_BODY_WORDS_ROOM], *name = NULL, *element = NULL, *model = NULL;
    double value[5] = {0};
    snprintf(path, sizeof path, "bodies.%d.name", i);
    bool found = vl_json_find_string(text, path, &name);
    for (int k = 0; k < 5 && found; k++) {
      snprintf(path, sizeof path, "bodies.%d.%s", i, keys[k]);
      found = vl_json_find_number(text, path, &value[k]) || k == 4; /* most bodies lack nothing */
    }
    snprintf(path, sizeof path, "bodies.%d.element", i);
    vl_json_find_string(text, path, &element); /* of bodies made of elements */
    snprintf(path, sizeof path, "bodies.%d.model", i);
    found = found && vl_json_find_string(text, path, &model);
    if (found) {
      vlBodyWords words = {name,
                           value[0],
                           value[1],
                           value[2],
                           value[3],
                           value[4],
                           element && strcmp(element, vl_word(vl_element_words, VL_ELEMENT_QUADRATIC)) == 0,
                           model,
                           slab ? dx : 0.0};
      printf("%-17s  %s\n", i ? "" : "bodies", vl_words_body(&words, line));
    }
    free(name);
    free(element);
    free(model);
    if (!found) return;
  }
}

/* What the last step found. */
static void print_last_step(const char *folder)
{
  vlStepInfo info;
  if (!vl_last_step_read(folder, &info)) return;
  double force = vl_last_step_force(&info);
  printf("last step          %lld, at %.9g s\n", (long long)info.step, info.time);
  printf("  liquid cells     %lld\n", (long long)info.liquid_cells);
  printf("  iterations       %d\n", info.iterations);
  if (info.separation_loops > 0)
    printf("  parted           %lld cells, after %d solves%s\n", (long long)info.parted, info.separation_loops,
           info.separation_fallbacks > 0 ? ", the last by MPRGP" : "");
  printf("  max speed        %.6g m/s\n", info.max_speed);
  printf("  volume           %.9g m3", info.volume);
  if (info.particle_volume > 0.0) printf(" inside the surface, %.9g m3 by particles", info.particle_volume);
  printf("\n");
  if (info.bodies > 0)
    printf("  force on bodies  (%.4g, %.4g, %.4g) N\n", info.body_force.x, info.body_force.y, info.body_force.z);
  if (info.inverted > 0) printf("  inside out       %d elements of bodies\n", info.inverted);
  if (!isnan(force))
    printf("  force / weight   %.9g (%.6g N of %.6g N)\n", force, force * vl_norm(info.weight), vl_norm(info.weight));
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
              {"wall time", "totals.wall_seconds", " s"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double value;
    if (!vl_json_find_number(text, rows[i].key, &value)) return missing(path, rows[i].key, status);
    printf("%-17s  %.9g%s\n", rows[i].label, value, rows[i].unit);
  }
  for (int i = 0; i < VL_STAGE_COUNT; i++) {
    char key[64];
    double value;
    snprintf(key, sizeof key, "totals.stage_seconds.%s", vl_stage_name((vlStageKind)i));
    if (!vl_json_find_number(text, key, &value)) continue; /* a stage that the version that ran did not know */
    printf("  %-15s  %.3g s\n", vl_stage_name((vlStageKind)i), value);
  }
  return VL_OK;
}

/* "RUN" or "RUN/run.json": the folder, in new memory. */
static char *folder_of(const char *word)
{
  static const char file[] = "run.json";
  size_t n = strlen(word), m = sizeof file - 1;
  bool named = n >= m && strcmp(word + n - m, file) == 0 && (n == m || word[n - m - 1] == '/');
  struct stat about;
  if (!named || stat(word, &about) != 0 || !S_ISREG(about.st_mode)) return strdup(word);
  return n == m ? strdup(".") : strndup(word, n - m);
}

static vlCode show_run(const char *word, bool json, vlStatus *status)
{
  char *folder = folder_of(word), *path = folder ? vl_path_join(folder, "run.json") : NULL, *text = NULL;
  size_t length;
  vlCode code = VL_OK;
  if (!path) code = vl_fail_memory(status, strlen(word), "a file's name");
  if (code == VL_OK) code = vl_file_read(path, VL_LARGEST_RUN_JSON, &text, &length, status);
  if (code == VL_ERROR_FILE) vl_status_prefix(status, "%s is not the folder of a run: ", word);
  if (code == VL_OK && json) {
    fputs(text, stdout);
  } else if (code == VL_OK) {
    code = print_state(path, text, status);
    if (code == VL_OK) code = print_texts(path, text, status);
    if (code == VL_OK) code = print_numbers(path, text, status);
    if (code == VL_OK) print_bodies(text);
    if (code == VL_OK) print_last_step(folder);
  }
  free(text);
  free(path);
  free(folder);
  return code;
}

vlCode vl_command_info(const vlOptions *options, vlStatus *status)
{
  if (options->word_count > 0) return show_run(options->words[0], options->json, status);
  if (options->json) return build_json(status);
  build_text();
  return VL_OK;
}
