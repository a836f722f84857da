/* velella run: a scene becomes a folder of frames.
 *
 * Scene, meshes and simulation are made before the folder, so a mistake leaves nothing behind. Frame n is at n / fps and
 * every stretch between two frames is stepped with the remaining time as the limit, so frames are hit exactly and no error
 * adds up. run.json says "running" from the start, is rewritten after the frames with the totals so far, and at the end,
 * whatever the end is; files are closed after every frame or line, so a run that ended early can be read up to there.
 * checkpoint.vl holds the state to go on from: after every so many frames or minutes, and at the end, whatever the end is. A
 * signal ends the step it comes in before that is taken. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "doubts.h"
#include "estimate.h"
#include "files/file.h"
#include "files/look.h"
#include "files/machine.h"
#include "frames/frames.h"
#include "frames/series.h"
#include "interrupt.h"
#include "last_step.h"
#include "process.h"
#include "progress.h"
#include "report.h"
#include "resume.h"
#include "run_folder.h"
#include "scene/scene.h"
#include "words.h"

typedef struct Run {
  const vlOptions *options;
  vlScene scene;
  vlSim *sim;
  vlSeries *series;
  vlFrames *frames;
  char *folder, *json, *checkpoint; /* RUN, RUN/run.json, RUN/checkpoint.vl */
  vlFolderUse use;
  char **settings; /* that a resumed run goes on with [setting_count] */
  int setting_count;
  bool started; /* the folder is ours */
  bool past;    /* resumed, and beyond the end time: there is nothing to do */
  bool stepped; /* a step was made, not only resumed from */
  bool whole;   /* the files tell all that the simulation did: a checkpoint may be made */
  int last_frame;
  int64_t saved;   /* the step of the checkpoint; -1: none yet */
  double saved_at; /* s, vl_wall_seconds() when it was written, or the run began */
  vlProgress progress;
  vlRunRecord record;
  vlStepInfo info; /* of the last step */
  vlProcess process;
  vlRunFiles files;
  double recorded; /* s, vl_wall_seconds() when run.json was last written */
} Run;

static vlCode name_files(Run *run, vlStatus *status)
{
  const vlOptions *options = run->options;
  run->folder = options->out ? strdup(options->out) : vl_path_join("runs", run->scene.name);
  run->json = run->folder ? vl_path_join(run->folder, "run.json") : NULL;
  run->checkpoint = run->folder ? vl_path_join(run->folder, "checkpoint.vl") : NULL;
  return run->json && run->checkpoint ? VL_OK : vl_fail_memory(status, 1024, "the run's folder name");
}

static void tell_bodies(const vlSim *sim)
{
  for (int i = 0; i < vl_sim_body_count(sim); i++) {
    char text[VL_BODY_WORDS_ROOM];
    vlBodyWords words = vl_words_of_body(sim, i);
    fprintf(stderr, "velella: body %s\n", vl_words_body(&words, text));
  }
}

static bool is_stopped(void *user)
{
  (void)user;
  return vl_interrupt_signal() != 0;
}

/* What was settled before stands at the very beginning. */
static vlCode begin_with(Run *run, const char *start, vlStatus *status)
{
  vlCode code = vl_sim_resume(run->sim, start, status);
  if (code) vl_status_prefix(status, "--start %s: ", start);
  if (code || (vl_sim_step_count(run->sim) == 0 && vl_sim_time(run->sim) == 0.0)) return code;
  return vl_fail(status, VL_ERROR_USAGE,
                 "--start %s: a state at t = %g s, after %lld steps; a run begins with states at t = 0, as velella settle "
                 "writes them",
                 start, vl_sim_time(run->sim), (long long)vl_sim_step_count(run->sim));
}

static vlCode create_sim(Run *run, vlStatus *status)
{
  vlSimOptions sim_options = {
      .log = {vl_progress_log, &run->progress}, .threads = run->options->threads, .cancel = {.asked = is_stopped}};
  vlEstimate estimate;
  vlCode code = vl_estimate_make(&estimate, &run->scene, status);
  if (code != VL_OK) return code;
  if (!run->options->quiet) vl_estimate_tell(&estimate, "building");
  vl_progress_begin(&run->progress, run->options->quiet, run->scene.time.end, 0); /* of what comes before the run's own */
  code = vl_sim_create(&run->sim, &run->scene, sim_options, status);
  vl_progress_clear(&run->progress);
  if (code == VL_OK && run->options->start) code = begin_with(run, run->options->start, status);
  if (code != VL_OK) return code;
  vlSimFacts facts = vl_sim_facts(run->sim);
  run->record.liquid_cells = facts.liquid_cells;
  run->record.sim = run->sim;
  vl_doubts_say(&run->scene, &facts, &run->progress);
  if (!run->options->quiet) tell_bodies(run->sim);
  return VL_OK;
}

/* The scene once more, with the settings that the run has had so far. */
static vlCode keep_settings(Run *run, vlStatus *status)
{
  vlOptions options = *run->options;
  vlCode code =
      vl_resume_settings(run->json, options.settings, options.setting_count, &run->settings, &run->setting_count, status);
  if (code != VL_OK) return code;
  run->record.settings = options.settings = (const char **)run->settings;
  run->record.setting_count = options.setting_count = run->setting_count;
  code = vl_command_scene(&run->scene, &options, status);
  if (code != VL_OK) vl_status_prefix(status, "with the settings that the run in %s has had so far: ", run->folder);
  return code;
}

static vlCode go_on(Run *run, vlStatus *status)
{
  vlCode code = vl_resume(run->sim, run->checkpoint, run->json, &run->record, status);
  if (code == VL_OK) code = vl_series_check(run->sim, run->folder, run->record.steps, status);
  run->past = code == VL_OK && run->record.time - run->scene.time.end > vl_frame_rounding(&run->scene);
  return code;
}

/* Everything that can be wrong before anything is written. */
static vlCode validate(Run *run, vlStatus *status)
{
  const vlOptions *options = run->options;
  if (options->resume && options->overwrite)
    return vl_fail(status, VL_ERROR_USAGE, "--resume goes on with a run and --overwrite replaces it; give one of them");
  if (options->resume && options->start)
    return vl_fail(status, VL_ERROR_USAGE, "--resume goes on with a run and --start begins one; give one of them");
  run->use = options->resume ? VL_FOLDER_RESUME : options->overwrite ? VL_FOLDER_OVERWRITE : VL_FOLDER_NEW;
  vlCode code = vl_command_scene(&run->scene, options, status);
  if (code != VL_OK) return code;
  run->record.scene = &run->scene;
  code = name_files(run, status);
  if (code == VL_OK) code = vl_run_folder_check(run->folder, run->use, status);
  if (code == VL_OK && options->resume) code = keep_settings(run, status);
  if (code == VL_OK) code = create_sim(run, status);
  if (code == VL_OK && options->resume) code = go_on(run, status);
  /* a hair more, so that 1 s at 30 frames a second ends with frame 30 */
  run->last_frame = (int)fmin(floor(run->scene.time.end * run->scene.time.frames_per_second + 1e-9), 99999.0);
  return code;
}

/* Resumed, it may have been started with other settings that made it write other files. */
static vlCode list_files(Run *run, vlStatus *status)
{
  vlCode code = VL_OK;
  if (run->use == VL_FOLDER_RESUME) code = vl_run_folder_files(run->folder, &run->files, status);
  if (code == VL_OK) code = vl_run_files_make(&run->files, run->sim, run->options->export_system, status);
  run->record.files = run->files.name;
  run->record.file_count = run->files.count;
  return code;
}

static vlCode open_files(Run *run, vlStatus *status)
{
  vlCode code = list_files(run, status);
  if (code == VL_OK) code = vl_run_folder_prepare(run->folder, run->use, run->record.frames, status);
  if (code != VL_OK) return code;
  run->started = true;
  if (!run->record.started) run->record.started = time(NULL);
  code = vl_run_json_write(run->json, &run->record, status);
  if (code == VL_OK) code = vl_series_create(&run->series, run->sim, run->folder, status);
  if (code == VL_OK) code = vl_frames_create(&run->frames, run->sim, run->folder, status);
  if (code == VL_OK) code = vl_look_write(run->sim, run->folder, status);
  if (code == VL_OK && run->scene.output.solids && run->scene.solid_count > 0)
    code = vl_frame_solids_write(run->sim, run->folder, status);
  return code;
}

/* What was written behind the checkpoint is taken back. */
static vlCode rewind_files(Run *run, vlStatus *status)
{
  vlCode code = vl_series_keep(run->series, run->record.steps, status);
  if (code == VL_OK) code = vl_frames_continue(run->frames, status);
  if (code == VL_OK && vl_last_step_read(run->folder, &run->info)) run->record.liquid_cells = run->info.liquid_cells;
  run->whole = code == VL_OK;
  run->saved = run->record.steps;
  return code;
}

/* The state as it is now, unless the checkpoint already holds it. */
static vlCode save(Run *run, vlStatus *status)
{
  if (!run->whole || run->saved == run->record.steps) return VL_OK;
  vlCode code = vl_series_flush(run->series, status);
  if (code == VL_OK) code = vl_sim_save(run->sim, run->checkpoint, status);
  if (code == VL_OK) run->saved = run->record.steps;
  run->saved_at = vl_wall_seconds();
  return code;
}

/* A run of hours that is killed should not have to begin anew. */
static vlCode save_in_time(Run *run, vlStatus *status)
{
  double every = run->scene.output.checkpoint_seconds;
  return every > 0.0 && vl_wall_seconds() - run->saved_at >= every ? save(run, status) : VL_OK;
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
  int frame = run->record.frames, every = run->scene.output.checkpoint_every;
  run->whole = false;
  vlCode code = vl_frames_write(run->frames, frame, status);
  if (code != VL_OK) return code;
  run->whole = true;
  run->record.frames++;
  vl_progress_frame(&run->progress, &run->record);
  if (run->options->json) vl_report_frame(&run->record, &run->info, frame);
  if (every > 0 && frame > 0 && frame % every == 0) code = save(run, status);
  return code == VL_OK ? record_frame(run, status) : code;
}

static vlCode write_lines(Run *run, vlStatus *status)
{
  run->whole = false;
  vlCode code = vl_series_add(run->series, &run->info, status);
  run->whole = code == VL_OK;
  return code;
}

static vlCode fail_stopped(const Run *run, vlStatus *status)
{
  return vl_fail(status, VL_INTERRUPTED,
                 "stopped by %s at t = %g s; what was written so far can be read, and --resume goes on from there",
                 vl_interrupt_signal() == SIGINT ? "Ctrl-C" : "SIGTERM", run->record.time);
}

static vlCode step(Run *run, double dt_limit, vlStatus *status)
{
  vlRunRecord *record = &run->record;
  vlStepInfo info = {0};
  vlCode code = vl_sim_step(run->sim, dt_limit, &info, status);
  record->wall_seconds = vl_wall_seconds() - run->progress.begun;
  if (code == VL_INTERRUPTED) return fail_stopped(run, status);
  if (code != VL_OK) {
    run->whole = vl_sim_step_count(run->sim) == record->steps; /* else it failed half-way */
    return code;
  }
  run->stepped = true;
  run->info = info;
  if (!(run->info.dt > 0.0))
    return vl_fail(status, VL_ERROR_INTERNAL, "step %lld did not move time", (long long)run->info.step);
  record->time = vl_sim_time(run->sim);
  record->steps++;
  record->liquid_cells = run->info.liquid_cells;
  for (int i = 0; i < VL_STAGE_COUNT; i++) record->stage_seconds[i] += run->info.seconds[i];
  vl_progress_step(&run->progress, record, &run->info);
  code = write_lines(run, status);
  return code == VL_OK ? save_in_time(run, status) : code;
}

/* Steps until `target` is reached. */
static vlCode advance(Run *run, double target, vlStatus *status)
{
  double rounding = vl_frame_rounding(&run->scene);
  vlCode code = VL_OK;
  for (double left; code == VL_OK && (left = target - vl_sim_time(run->sim)) > rounding;) {
    code = vl_interrupt_signal() ? fail_stopped(run, status) : step(run, left, status);
  }
  return code;
}

static vlCode simulate(Run *run, vlStatus *status)
{
  vlCode code = run->use == VL_FOLDER_RESUME ? rewind_files(run, status) : VL_OK;
  vl_progress_step(&run->progress, &run->record, &run->info);
  if (code == VL_OK && run->record.frames == 0) code = write_frame(run, status);
  while (code == VL_OK && run->record.frames <= run->last_frame) {
    /* a last frame a hair beyond the end is the end */
    double target = fmin(run->record.frames / run->scene.time.frames_per_second, run->scene.time.end);
    code = advance(run, target, status);
    if (code == VL_OK) code = write_frame(run, status);
  }
  if (code == VL_OK) code = advance(run, run->scene.time.end, status);
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
  char spent[VL_WORDS_ROOM], bodies[VL_BODY_WORDS_ROOM];
  double force = vl_last_step_force(&run->info);
  printf("%lld steps and %d frames in %s; ", (long long)record->steps, record->frames,
         vl_words_duration(record->wall_seconds, spent));
  if (record->liquid_cells > 0)
    printf("max speed %.3g m/s, volume %.6g m3", run->info.max_speed, run->info.volume);
  else
    printf("no liquid");
  if (record->liquid_cells > 0 && run->info.particle_volume > 0.0)
    printf(" inside the surface, %.6g m3 by particles", run->info.particle_volume);
  if (!isnan(force)) printf(", force / weight %.6g", force);
  if (*vl_words_fastest_body(run->sim, bodies)) printf("; %s", bodies);
  printf("; files in %s\n", run->folder);
}

static vlCode finish(Run *run, vlCode code, vlStatus *status)
{
  vlRunRecord *record = &run->record;
  vlStatus other = {0};
  vl_progress_end(&run->progress, record, &run->info);
  code = also(code, save(run, &other), &other, status);
  if (run->started && run->options->export_system && run->stepped)
    code = also(code, vl_sim_export_system(run->sim, run->folder, &other), &other, status);
  char reached[160];
  if (run->past)
    snprintf(reached, sizeof reached, "the run is already at %g s, past the end time of %g s: nothing was done",
             record->time, run->scene.time.end);
  else
    snprintf(reached, sizeof reached, "reached the end time of %g s", run->scene.time.end);
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
    vl_report_end(record, &run->info, run->started || run->past ? run->folder : NULL);
  else if (run->past && code == VL_OK && !run->options->quiet)
    printf("%s: %s\n", run->folder, reached);
  else if ((code == VL_OK || code == VL_INTERRUPTED) && run->started && !run->options->quiet)
    say_end(run);
  return code;
}

vlCode vl_command_run(const vlOptions *options, vlStatus *status)
{
  Run run = {.options = options, .saved = -1};
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
  if (code == VL_OK && !run.past) {
    vl_interrupt_watch();
    vl_progress_begin(&run.progress, options->quiet, run.scene.time.end, run.last_frame);
    run.progress.begun -= run.record.wall_seconds;
    run.saved_at = vl_wall_seconds();
    code = open_files(&run, status);
    if (code == VL_OK) code = simulate(&run, status);
  }
  code = finish(&run, code, status);
  vl_frames_destroy(&run.frames);
  vl_series_destroy(&run.series);
  vl_sim_destroy(&run.sim);
  vl_scene_clear(&run.scene);
  vl_run_files_clear(&run.files);
  vl_resume_settings_clear(&run.settings, &run.setting_count);
  free(run.folder);
  free(run.json);
  free(run.checkpoint);
  return code;
}
