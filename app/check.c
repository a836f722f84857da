/* velella check: reads a scene, builds the simulation, makes two steps to measure memory and time, and says what a run would
 * cost. A large grid is not built: its cells and memory are estimated from the scene's numbers alone. */
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "base/status.h"
#include "command.h"
#include "doubts.h"
#include "estimate.h"
#include "files/json.h"
#include "frames/frames.h"
#include "progress.h"
#include "scene/scene.h"
#include "velella/velella.h"
#include "words.h"

/* Direct factors grow faster than the system: a few hundred thousand unknowns take minutes a step. */
enum { CHOLMOD_CELLS = 100000 };

typedef struct Estimate {
  bool large; /* not tried: only cells, memory and the number of frames are known, and not exactly */
  vlSimFacts facts;
  vlStepInfo trial;
  double create_seconds, first_seconds, step_seconds; /* measured: building, the first step, the one after it */
  double bytes;                                       /* most that the process has held so far */
  double steps, run_seconds;                          /* of a whole run with steps like the trial ones */
  double frames, frame_bytes;                         /* a frame with the liquid as it is at the start */
  double checkpoint_bytes;
  double disk_bytes, disk_most; /* checkpoint and all frames like that, and with liquid all over the box */
  double disk_free;             /* where the run would be written; NaN: not known */
} Estimate;

static double peak_bytes(void)
{
  struct rusage usage = {0};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss; /* Linux counts KiB */
}

static void warn_slow_solver(const vlScene *scene, int64_t cells, vlLog log)
{
  if (scene->pressure.solver != VL_SOLVER_CHOLMOD || cells <= CHOLMOD_CELLS) return;
  vl_log(log, VL_LOG_WARNING,
         "pressure.solver: cholmod is meant for up to about %d liquid cells, here are %lld: expect minutes a step and much "
         "memory; multigrid gives the same pressure",
         CHOLMOD_CELLS, (long long)cells);
}

/* The first step finds cold memory and no pressure to start from, so the one after it is the measure for all others. */
static vlCode try_steps(Estimate *estimate, vlSim *sim, const vlScene *scene, vlStatus *status)
{
  double frame = 1.0 / scene->time.frames_per_second, begun = vl_wall_seconds();
  vlCode code = vl_sim_step(sim, fmin(frame, scene->time.end), &estimate->trial, status);
  estimate->first_seconds = estimate->step_seconds = vl_wall_seconds() - begun;
  double left = scene->time.end - estimate->trial.time;
  if (code == VL_OK && left > 1e-9 * frame) {
    vlStepInfo second;
    begun = vl_wall_seconds();
    code = vl_sim_step(sim, fmin(estimate->trial.dt, left), &second, status);
    estimate->step_seconds = vl_wall_seconds() - begun;
  }
  if (code != VL_OK) vl_status_prefix(status, "the trial step failed: ");
  return code;
}

static double count_frames(const vlScene *scene)
{
  return floor(scene->time.end * scene->time.frames_per_second + 1e-9) + 1.0;
}

/* On the disk of the folder runs, or of what it would be made in. */
static double free_bytes(void)
{
  struct statvfs disk;
  if (statvfs("runs", &disk) != 0 && statvfs(".", &disk) != 0) return NAN;
  return (double)disk.f_bavail * (double)disk.f_frsize;
}

static void warn_full_disk(const Estimate *e, vlLog log)
{
  char need[VL_WORDS_ROOM], have[VL_WORDS_ROOM];
  bool surely = e->disk_bytes > e->disk_free;
  if (!(e->disk_most > e->disk_free)) return;
  vl_log(log, VL_LOG_WARNING,
         "the run %s %s of disk, and %s are free; fewer frames (time.frames_per_second) or fewer files in each (output) "
         "take less",
         surely ? "takes about" : "may take up to", vl_words_bytes(surely ? e->disk_bytes : e->disk_most, need),
         vl_words_bytes(e->disk_free, have));
}

static vlCode estimate_disk(Estimate *estimate, const vlScene *scene, vlSim *sim, vlStatus *status)
{
  double most;
  vlCode code = vl_frame_bytes(sim, &estimate->frame_bytes, &most, status);
  if (vl_frames_wanted(sim)) estimate->frames = count_frames(scene);
  estimate->checkpoint_bytes = vl_sim_checkpoint_bytes(sim);
  estimate->disk_bytes = estimate->frames * estimate->frame_bytes + estimate->checkpoint_bytes;
  estimate->disk_most = estimate->frames * most + estimate->checkpoint_bytes;
  if (scene->liquid.transfer == VL_TRANSFER_STILL) estimate->disk_most = estimate->disk_bytes;
  estimate->disk_free = free_bytes();
  return code;
}

static void take_large(Estimate *estimate, const vlScene *scene, const vlEstimate *from)
{
  estimate->large = true;
  estimate->facts = (vlSimFacts){.dx = from->grid.dx, .liquid_cells = (int64_t)from->liquid_cells};
  for (int a = 0; a < 3; a++) estimate->facts.n[a] = from->grid.n[a];
  estimate->bytes = from->bytes;
  estimate->frames = count_frames(scene);
}

/* The simulation is left for what is to be told of it. */
static vlCode measure(Estimate *estimate, vlSim **sim, const vlScene *scene, const vlOptions *options, vlProgress *progress,
                      vlStatus *status)
{
  vlLog log = {vl_progress_log, progress};
  vlEstimate guess;
  vlCode code = vl_estimate_make(&guess, scene, status);
  if (code != VL_OK) return code;
  if (vl_estimate_is_large(&guess)) {
    take_large(estimate, scene, &guess);
    return VL_OK;
  }
  vl_estimate_tell(&guess, "building");
  double begun = vl_wall_seconds();
  code = vl_sim_create(sim, scene, (vlSimOptions){.log = log, .threads = options->threads}, status);
  estimate->create_seconds = vl_wall_seconds() - begun;
  if (code == VL_OK) {
    estimate->facts = vl_sim_facts(*sim);
    code = estimate_disk(estimate, scene, *sim, status);
  }
  if (code == VL_OK) {
    vl_doubts_say(scene, &estimate->facts, progress);
    warn_full_disk(estimate, log);
    warn_slow_solver(scene, estimate->facts.liquid_cells, log);
    vl_estimate_tell(&guess, "making two steps with");
    code = try_steps(estimate, *sim, scene, status);
  }
  if (code == VL_OK) {
    estimate->bytes = peak_bytes();
    estimate->facts.body_bytes = vl_sim_facts(*sim).body_bytes; /* with the factors that a step needs */
    estimate->steps = ceil(scene->time.end / estimate->trial.dt - 1e-9);
    estimate->run_seconds =
        estimate->create_seconds + estimate->first_seconds + (estimate->steps - 1.0) * estimate->step_seconds;
  }
  return code;
}

static void add_vector(vlJson *json, const char *key, vlVec3 v)
{
  vl_json_array(json, key);
  for (int a = 0; a < 3; a++) vl_json_number(json, NULL, v.v[a]);
  vl_json_end(json);
}

/* What only a trial tells. */
static void add_trial(vlJson *json, const Estimate *e)
{
  vl_json_integer(json, "solid_triangles", e->facts.solid_triangles);
  vl_json_number(json, "solid_volume", e->facts.solid_volume);
  vl_json_number(json, "body_bytes", e->facts.body_bytes);
  vl_json_number(json, "frame_bytes", e->frame_bytes);
  vl_json_number(json, "checkpoint_bytes", e->checkpoint_bytes);
  vl_json_number(json, "disk_bytes", e->disk_bytes);
  vl_json_number(json, "disk_bytes_most", e->disk_most);
  if (isfinite(e->disk_free)) vl_json_number(json, "disk_bytes_free", e->disk_free);
  vl_json_number(json, "trial_dt", e->trial.dt);
  vl_json_integer(json, "trial_iterations", e->trial.iterations);
  vl_json_number(json, "step_seconds", e->step_seconds);
  vl_json_number(json, "steps", e->steps);
  vl_json_number(json, "run_seconds", e->run_seconds);
}

static void add_bodies(vlJson *json, const vlSim *sim, const vlScene *scene)
{
  vl_json_array(json, "bodies");
  for (int i = 0; i < vl_sim_body_count(sim); i++) {
    vlBodyView body = vl_sim_body(sim, i);
    vl_json_object(json, NULL);
    vl_json_string(json, "name", body.name);
    vl_json_integer(json, "nodes", body.node_count);
    vl_json_integer(json, "elements", body.element_count);
    vl_json_number(json, "volume", body.element_count > 0 ? body.info.mass / scene->bodies[i].density : body.info.volume);
    vl_json_number(json, "mass", body.info.mass);
    vl_json_integer(json, "pinned_nodes", body.pinned_nodes);
    if (body.missing_volume != 0.0) vl_json_number(json, "missing_volume", body.missing_volume);
    vl_json_end(json);
  }
  vl_json_end(json);
}

static vlCode print_json(const Estimate *e, const vlSim *sim, const vlScene *scene, vlStatus *status)
{
  vlJson json;
  vl_json_begin(&json, false);
  vl_json_object(&json, NULL);
  vl_json_string(&json, "scene", scene->name);
  vl_json_array(&json, "cells");
  for (int a = 0; a < 3; a++) vl_json_integer(&json, NULL, e->facts.n[a]);
  vl_json_end(&json);
  vl_json_number(&json, "dx", e->facts.dx);
  add_vector(&json, "size", vl_facts_size(&e->facts));
  add_vector(&json, "size_wanted", scene->grid.size);
  vl_json_integer(&json, "liquid_cells", e->facts.liquid_cells);
  vl_json_number(&json, "memory_bytes", e->bytes);
  vl_json_number(&json, "frames", e->frames);
  vl_json_bool(&json, "tried", !e->large);
  if (!e->large) add_trial(&json, e);
  if (!e->large) add_bodies(&json, sim, scene);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

static void print_disk(const Estimate *e)
{
  char all[VL_WORDS_ROOM], one[VL_WORDS_ROOM], most[VL_WORDS_ROOM];
  printf("disk             %s, estimated: ", vl_words_bytes(e->disk_bytes, all));
  if (e->frames > 0.0)
    printf("%.0f frames of %s", e->frames, vl_words_bytes(e->frame_bytes, one));
  else
    printf("no frames");
  printf(", checkpoint %s", vl_words_bytes(e->checkpoint_bytes, one));
  if (e->disk_most > 1.1 * e->disk_bytes)
    printf("; %s if the liquid spreads over the box", vl_words_bytes(e->disk_most, most));
  if (isfinite(e->disk_free)) printf("; %s free", vl_words_bytes(e->disk_free, most));
  putchar('\n');
}

static void print_bodies(const Estimate *e, const vlSim *sim)
{
  char text[VL_BODY_WORDS_ROOM], memory[VL_WORDS_ROOM];
  for (int i = 0; i < vl_sim_body_count(sim); i++) {
    vlBodyWords words = vl_words_of_body(sim, i);
    printf("%-15s  %s\n", i ? "" : "bodies", vl_words_body(&words, text));
  }
  bool slab = e->facts.n[2] == 1;
  double across = slab ? e->facts.dx : 1.0;
  if (e->facts.bodies > 1)
    printf("%-15s  together %lld nodes, %lld tetrahedra, %.4g %s, %.4g %s\n", "", (long long)e->facts.body_nodes,
           (long long)e->facts.body_elements, e->facts.body_volume / across, slab ? "m2" : "m3", e->facts.body_mass / across,
           slab ? "kg/m" : "kg");
  if (e->facts.bodies > 0) printf("body memory      about %s\n", vl_words_bytes(e->facts.body_bytes, memory));
}

static void print_text(const Estimate *e, const vlSim *sim, const vlScene *scene)
{
  char memory[VL_WORDS_ROOM], total[VL_WORDS_ROOM], one[VL_WORDS_ROOM];
  const int *n = e->facts.n;
  printf("scene            %s\n", scene->name);
  printf("cells            %d x %d x %d of %g m\n", n[0], n[1], n[2], e->facts.dx);
  vlVec3 size = vl_facts_size(&e->facts);
  printf("box              %g x %g x %g m, from (%g, %g, %g) m\n", size.x, size.y, size.z, scene->grid.origin.x,
         scene->grid.origin.y, scene->grid.origin.z);
  if (e->large) {
    printf("liquid cells     about %.2g, at the start\n", (double)e->facts.liquid_cells);
    printf("memory           about %s\n", vl_words_bytes(e->bytes, memory));
    printf("frames           up to %.0f\n", e->frames);
    printf("time             not measured on a grid of this size: try half the cells along a side; this one takes about %d "
           "times as long\n",
           scene->grid.slab ? 8 : 16);
    return;
  }
  printf("liquid cells     %lld\n", (long long)e->facts.liquid_cells);
  printf("solid triangles  %d\n", e->facts.solid_triangles);
  printf("solid volume     %g m3\n", e->facts.solid_volume);
  print_bodies(e, sim);
  printf("memory           %s, after two steps\n", vl_words_bytes(e->bytes, memory));
  print_disk(e);
  printf("time             %s, estimated: %.0f steps of %g s, %s each\n", vl_words_duration(e->run_seconds, total), e->steps,
         e->trial.dt, vl_words_duration(e->step_seconds, one));
}

vlCode vl_command_check(const vlOptions *options, vlStatus *status)
{
  vlScene scene;
  vl_scene_default(&scene);
  vlProgress progress = {0};
  Estimate estimate = {0};
  vlSim *sim = NULL;
  vlCode code = vl_command_scene(&scene, options, status);
  if (code == VL_OK) code = measure(&estimate, &sim, &scene, options, &progress, status);
  if (code == VL_OK && options->json)
    code = print_json(&estimate, sim, &scene, status);
  else if (code == VL_OK)
    print_text(&estimate, sim, &scene);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return code;
}
