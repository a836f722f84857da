/* velella check: reads a scene, builds the simulation, makes one step to measure the time, and says what a run would cost.
 */
#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "command.h"
#include "io/json.h"
#include "progress.h"
#include "scene/scene.h"
#include "velella/velella.h"
#include "words.h"

typedef struct Estimate {
  vlSimFacts facts;
  vlStepInfo trial;
  double create_seconds, step_seconds; /* measured */
  double steps, run_seconds;           /* of a whole run with steps like the trial one */
} Estimate;

static vlCode measure(Estimate *estimate, const vlScene *scene, const vlOptions *options, vlProgress *progress,
                      vlStatus *status)
{
  vlSim *sim = NULL;
  double begun = vl_wall_seconds();
  vlCode code =
      vl_sim_create(&sim, scene, (vlSimOptions){.log = {vl_progress_log, progress}, .threads = options->threads}, status);
  double created = vl_wall_seconds();
  if (code == VL_OK) {
    estimate->facts = vl_sim_facts(sim);
    double limit = fmin(1.0 / scene->frames_per_second, scene->end_time);
    code = vl_sim_step(sim, limit, &estimate->trial, status);
    if (code != VL_OK) vl_status_prefix(status, "the trial step failed: ");
  }
  estimate->create_seconds = created - begun;
  estimate->step_seconds = vl_wall_seconds() - created;
  if (code == VL_OK) {
    estimate->steps = ceil(scene->end_time / estimate->trial.dt - 1e-9);
    estimate->run_seconds = estimate->create_seconds + estimate->steps * estimate->step_seconds;
  }
  vl_sim_destroy(&sim);
  return code;
}

static vlCode print_json(const Estimate *e, const vlScene *scene, vlStatus *status)
{
  vlJson json;
  vl_json_begin(&json, false);
  vl_json_object(&json, NULL);
  vl_json_string(&json, "scene", scene->name);
  vl_json_array(&json, "cells");
  for (int a = 0; a < 3; a++) vl_json_integer(&json, NULL, e->facts.n[a]);
  vl_json_end(&json);
  vl_json_number(&json, "dx", e->facts.dx);
  vl_json_integer(&json, "liquid_cells", e->facts.liquid_cells);
  vl_json_integer(&json, "solid_triangles", e->facts.solid_triangles);
  vl_json_number(&json, "solid_volume", e->facts.solid_volume);
  vl_json_number(&json, "memory_bytes", e->facts.bytes);
  vl_json_number(&json, "trial_dt", e->trial.dt);
  vl_json_integer(&json, "trial_iterations", e->trial.iterations);
  vl_json_number(&json, "step_seconds", e->step_seconds);
  vl_json_number(&json, "steps", e->steps);
  vl_json_number(&json, "run_seconds", e->run_seconds);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

static void print_text(const Estimate *e, const vlScene *scene)
{
  char memory[VL_WORDS_ROOM], total[VL_WORDS_ROOM], one[VL_WORDS_ROOM];
  const int *n = e->facts.n;
  printf("scene            %s\n", scene->name);
  printf("cells            %d x %d x %d of %g m\n", n[0], n[1], n[2], e->facts.dx);
  printf("liquid cells     %lld\n", (long long)e->facts.liquid_cells);
  printf("solid triangles  %d\n", e->facts.solid_triangles);
  printf("solid volume     %g m3\n", e->facts.solid_volume);
  printf("memory           %s, estimated\n", vl_words_bytes(e->facts.bytes, memory));
  printf("time             %s, estimated: %.0f steps of %g s, %s each\n", vl_words_duration(e->run_seconds, total), e->steps,
         e->trial.dt, vl_words_duration(e->step_seconds, one));
}

vlCode vl_command_check(const vlOptions *options, vlStatus *status)
{
  vlScene scene;
  vl_scene_default(&scene);
  vlProgress progress = {0};
  Estimate estimate = {0};
  vlCode code = vl_command_scene(&scene, options, status);
  if (code == VL_OK) code = measure(&estimate, &scene, options, &progress, status);
  if (code == VL_OK && options->json)
    code = print_json(&estimate, &scene, status);
  else if (code == VL_OK)
    print_text(&estimate, &scene);
  vl_scene_clear(&scene);
  return code;
}
