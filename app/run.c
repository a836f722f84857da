/* velella run: a scene becomes a folder of frames.
 *
 * Scene, meshes and simulation are made before the folder, so a mistake leaves nothing behind. Frame n is at n / fps and
 * every stretch between two frames is stepped with the remaining time as the limit, so frames are hit exactly and no error
 * adds up. run.json says "running" from the start, is rewritten after the frames with the totals so far, and at the end,
 * whatever the end is; files are closed after every frame or line, so a run that ended early can be read up to there. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "doubts.h"
#include "interrupt.h"
#include "io/file.h"
#include "io/frames.h"
#include "io/machine.h"
#include "io/series.h"
#include "io/vtk.h"
#include "last_step.h"
#include "process.h"
#include "progress.h"
#include "report.h"
#include "run_folder.h"
#include "scene/scene.h"
#include "words.h"

typedef struct Run {
  const vlOptions *options;
  vlScene scene;
  vlSim *sim;
  vlSeries *series;
  vlPvd *pvd;
  char *folder, *fields, *json; /* RUN, RUN/fields, RUN/run.json */
  bool started;                 /* the folder is ours */
  int last_frame;
  vlProgress progress;
  vlRunRecord record;
  vlStepInfo info; /* of the last step */
  vlProcess process;
  double recorded; /* s, vl_wall_seconds() when run.json was last written */
} Run;

/* Everything that can be wrong before anything is written. */
static vlCode validate(Run *run, vlStatus *status)
{
  const vlOptions *options = run->options;
  vlCode code = vl_command_scene(&run->scene, options, status);
  if (code != VL_OK) return code;
  run->record.scene = &run->scene;
  run->folder = options->out ? strdup(options->out) : vl_path_join("runs", run->scene.name);
  run->fields = run->folder ? vl_path_join(run->folder, "fields") : NULL;
  run->json = run->folder ? vl_path_join(run->folder, "run.json") : NULL;
  if (!run->fields || !run->json) return vl_fail_memory(status, 1024, "the run's folder name");
  code = vl_run_folder_check(run->folder, options->overwrite, status);
  if (code != VL_OK) return code;
  vlSimOptions sim_options = {.log = {vl_progress_log, &run->progress}, .threads = options->threads};
  code = vl_sim_create(&run->sim, &run->scene, sim_options, status);
  if (code == VL_OK) {
    vlSimFacts facts = vl_sim_facts(run->sim);
    run->record.liquid_cells = facts.liquid_cells;
    vl_doubts_say(&run->scene, &facts, &run->progress);
  }
  /* a hair more, so that 1 s at 30 frames a second ends with frame 30 */
  run->last_frame = (int)fmin(floor(run->scene.end_time * run->scene.frames_per_second + 1e-9), 99999.0);
  return code;
}

static vlCode open_files(Run *run, vlStatus *status)
{
  vlCode code = vl_run_folder_prepare(run->folder, run->options->overwrite, run->scene.write_fields, status);
  if (code != VL_OK) return code;
  run->started = true;
  run->record.started = time(NULL);
  code = vl_run_json_write(run->json, &run->record, status);
  if (code == VL_OK) code = vl_series_create(&run->series, run->folder, status);
  if (code == VL_OK && run->scene.write_solids && run->scene.solid_count > 0)
    code = vl_frame_solids_write(run->sim, run->folder, status);
  if (code == VL_OK && run->scene.write_fields) {
    char *path = vl_path_join(run->folder, "fields.pvd");
    code = path ? vl_pvd_create(&run->pvd, path, status) : vl_fail_memory(status, strlen(run->folder), "a file's name");
    free(path);
  }
  return code;
}

/* Totals so far, for whoever looks at the folder. At most ten times a second: each time the disk is waited for. */
static vlCode record_frame(Run *run, vlStatus *status)
{
  double now = vl_wall_seconds();
  if (now - run->recorded < 0.1) return VL_OK;
  run->recorded = now;
  run->record.wall_seconds = now - run->progress.begun;
  return vl_run_json_write(run->json, &run->record, status);
}

static vlCode write_frame(Run *run, vlStatus *status)
{
  int frame = run->record.frames;
  vlCode code = VL_OK;
  if (run->pvd) {
    char name[64];
    snprintf(name, sizeof name, "fields/fields_%05d.vti", frame);
    code = vl_frame_write(run->sim, run->fields, frame, status);
    if (code == VL_OK) code = vl_pvd_add(run->pvd, run->record.time, name, status);
  }
  if (code != VL_OK) return code;
  run->record.frames++;
  vl_progress_frame(&run->progress, &run->record);
  if (run->options->json) vl_report_frame(&run->record, &run->info, frame);
  return record_frame(run, status);
}

static vlCode step(Run *run, double dt_limit, vlStatus *status)
{
  vlRunRecord *record = &run->record;
  vlStepInfo info = {0};
  vlCode code = vl_sim_step(run->sim, dt_limit, &info, status);
  record->wall_seconds = vl_wall_seconds() - run->progress.begun;
  if (code != VL_OK) return code;
  run->info = info;
  if (!(run->info.dt > 0.0))
    return vl_fail(status, VL_ERROR_INTERNAL, "step %lld did not move time", (long long)run->info.step);
  record->time = vl_sim_time(run->sim);
  record->steps++;
  record->liquid_cells = run->info.liquid_cells;
  for (int i = 0; i < VL_STAGE_COUNT; i++) record->stage_seconds[i] += run->info.seconds[i];
  vl_progress_step(&run->progress, record, &run->info);
  return vl_series_add(run->series, &run->info, status);
}

/* Steps until `target` is reached. What is left then is rounding, far below any step. */
static vlCode advance(Run *run, double target, vlStatus *status)
{
  double rounding = 1e-9 / run->scene.frames_per_second;
  vlCode code = VL_OK;
  for (double left; code == VL_OK && (left = target - vl_sim_time(run->sim)) > rounding;) {
    int caught = vl_interrupt_signal();
    if (caught)
      code = vl_fail(status, VL_INTERRUPTED, "stopped by %s at t = %g s; what was written so far can be read",
                     caught == SIGINT ? "Ctrl-C" : "SIGTERM", run->record.time);
    else
      code = step(run, left, status);
  }
  return code;
}

static vlCode simulate(Run *run, vlStatus *status)
{
  vl_progress_step(&run->progress, &run->record, &run->info);
  vlCode code = write_frame(run, status);
  while (code == VL_OK && run->record.frames <= run->last_frame) {
    /* a last frame a hair beyond the end is the end */
    double target = fmin(run->record.frames / run->scene.frames_per_second, run->scene.end_time);
    code = advance(run, target, status);
    if (code == VL_OK) code = write_frame(run, status);
  }
  if (code == VL_OK) code = advance(run, run->scene.end_time, status);
  return code;
}

static vlRunState state_of(vlCode code)
{
  if (code == VL_OK) return VL_RUN_FINISHED;
  return code == VL_INTERRUPTED ? VL_RUN_INTERRUPTED : VL_RUN_FAILED;
}

/* Keeps the first failure; a later one is only printed. */
static vlCode also(vlCode code, vlCode next, const vlStatus *next_status, vlStatus *status)
{
  if (next == VL_OK) return code;
  if (code == VL_OK)
    *status = *next_status;
  else
    fprintf(stderr, "velella: warning: %s\n", next_status->message);
  return code == VL_OK ? next : code;
}

static void say_end(const Run *run)
{
  const vlRunRecord *record = &run->record;
  char spent[VL_WORDS_ROOM];
  double force = vl_last_step_force(&run->info);
  printf("%lld steps and %d frames in %s; max speed %.3g m/s, volume %.6g m3", (long long)record->steps, record->frames,
         vl_words_duration(record->wall_seconds, spent), run->info.max_speed, run->info.volume);
  if (!isnan(force)) printf(", force / weight %.6g", force);
  printf("; files in %s\n", run->folder);
}

static vlCode finish(Run *run, vlCode code, vlStatus *status)
{
  vlRunRecord *record = &run->record;
  vlStatus other = {0};
  vl_progress_end(&run->progress, record, &run->info);
  if (run->started && run->options->export_system && record->steps > 0)
    code = also(code, vl_sim_export_system(run->sim, run->folder, &other), &other, status);
  char reached[64];
  snprintf(reached, sizeof reached, "reached the end time of %g s", run->scene.end_time);
  record->state = state_of(code);
  record->exit_code = code;
  record->exit_reason = code == VL_OK ? reached : status->message;
  record->finished = time(NULL);
  if (run->started) {
    code = also(code, vl_run_json_write(run->json, record, &other), &other, status);
    record->state = state_of(code);
    record->exit_code = code;
  }
  if (run->options->json)
    vl_report_end(record, &run->info, run->started ? run->folder : NULL);
  else if ((code == VL_OK || code == VL_INTERRUPTED) && run->started && !run->options->quiet)
    say_end(run);
  return code;
}

vlCode vl_command_run(const vlOptions *options, vlStatus *status)
{
  Run run = {.options = options};
  vl_scene_default(&run.scene);
  run.record.settings = options->settings;
  run.record.setting_count = options->setting_count;
  run.record.arguments = options->arguments;
  run.record.argument_count = options->argument_count;
  run.record.threads = options->threads ? options->threads : vl_machine_describe().cores;
  run.process = vl_process_self();
  run.record.pid = run.process.pid;
  run.record.pid_start = run.process.start;
  run.record.host = *run.process.host ? run.process.host : NULL;
  vlCode code = validate(&run, status);
  if (code == VL_OK) {
    vl_interrupt_watch();
    vl_progress_begin(&run.progress, options->quiet, run.scene.end_time, run.last_frame);
    code = open_files(&run, status);
    if (code == VL_OK) code = simulate(&run, status);
  }
  code = finish(&run, code, status);
  vl_pvd_destroy(&run.pvd);
  vl_series_destroy(&run.series);
  vl_sim_destroy(&run.sim);
  vl_scene_clear(&run.scene);
  free(run.folder);
  free(run.fields);
  free(run.json);
  return code;
}
