/* run.json: everything needed to repeat a run and to judge its timings.
 *
 * Written when the run starts with "state": "running", again with the totals so far while it goes, and once more when it
 * ends; a file that still says "running" after the process is gone tells of a crash. Times are UTC. */
#include "frames/run_json.h"

#include <string.h>

#include "base/words.h"
#include "files/file.h"
#include "files/json.h"
#include "files/machine.h"
#include "frames/series.h"
#include "grid/grid.h"

static const char *const state_names[] = {"running", "finished", "interrupted", "failed"};

static void add_moment(vlJson *json, const char *key, time_t moment)
{
  char text[32];
  struct tm utc;
  bool known = moment && gmtime_r(&moment, &utc) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  vl_json_string(json, key, known ? text : NULL);
}

static void add_words(vlJson *json, const char *key, const char *const *words, int count)
{
  vl_json_array(json, key);
  for (int i = 0; i < count; i++) vl_json_string(json, NULL, words[i]);
  vl_json_end(json);
}

/* How it was computed: what the scene came to with its settings and defaults, under the scene's own keys. */
static void add_numerics(vlJson *json, const vlScene *scene)
{
  vlGrid grid;
  vl_json_string(json, "engine", vl_word(vl_engine_words, scene->engine));
  if (vl_grid_create(&grid, &scene->grid, NULL) == VL_OK) {
    vl_json_object(json, "grid");
    vl_json_array(json, "cells");
    for (int a = 0; a < 3; a++) vl_json_integer(json, NULL, grid.n[a]);
    vl_json_end(json);
    vl_json_number(json, "dx", grid.dx);
    vl_json_array(json, "origin");
    for (int a = 0; a < 3; a++) vl_json_number(json, NULL, grid.origin.v[a]);
    vl_json_end(json);
    vl_json_end(json);
  }
  vl_json_object(json, "time");
  vl_json_number(json, "end", scene->time.end);
  vl_json_number(json, "frames_per_second", scene->time.frames_per_second);
  vl_json_number(json, "cfl", scene->time.cfl);
  vl_json_end(json);
  vl_json_object(json, "liquid");
  vl_json_string(json, "transfer", vl_word(vl_transfer_words, scene->liquid.transfer));
  vl_json_end(json);
  vl_json_object(json, "pressure");
  vl_json_string(json, "solver", vl_word(vl_solver_words, scene->pressure.solver));
  vl_json_number(json, "tolerance", scene->pressure.tolerance);
  if (scene->body_count > 0) vl_json_string(json, "coupling", vl_word(vl_coupling_words, scene->coupling.kind));
  vl_json_end(json);
}

static void add_facts(vlJson *json, const vlSim *sim, int body)
{
  vlBodyFact facts[VL_BODY_FACTS];
  for (int f = 0, count = vl_sim_body_facts(sim, body, facts); f < count; f++)
    if (facts[f].word)
      vl_json_string(json, facts[f].name, facts[f].word);
    else
      vl_json_number(json, facts[f].name, facts[f].number);
}

/* Each body: what it is made of, its table, and the probes on its nodes. */
static void add_bodies(vlJson *json, const vlScene *scene, const vlSim *sim)
{
  vl_json_array(json, "bodies");
  for (int i = 0; sim && i < vl_sim_body_count(sim); i++) {
    vlBodyView body = vl_sim_body(sim, i);
    char table[VL_BODY_TABLE_ROOM];
    vl_json_object(json, NULL);
    vl_json_string(json, "name", body.name);
    vl_json_string(json, "table", vl_body_table_name(body.name, i, table));
    vl_json_integer(json, "nodes", body.node_count);
    vl_json_integer(json, "elements", body.element_count);
    vl_json_number(json, "mass", body.info.mass);
    vl_json_integer(json, "pins", scene->bodies[i].pin_count);
    vl_json_integer(json, "pinned_nodes", body.pinned_nodes);
    if (body.missing_volume != 0.0) vl_json_number(json, "missing_volume", body.missing_volume);
    bool weighed = scene->bodies[i].mass > 0.0; /* its mass was given */
    vl_json_number(json, "density", weighed ? body.info.mass / body.info.volume : scene->bodies[i].density);
    add_facts(json, sim, i);
    vl_json_array(json, "probes");
    for (int p = 0; p < scene->probe_count; p++)
      if (scene->probes[p].kind == VL_PROBE_NODE && strcmp(scene->probes[p].body, body.name) == 0)
        vl_json_string(json, NULL, scene->probes[p].name);
    vl_json_end(json);
    vl_json_end(json);
  }
  vl_json_end(json);
}

static void add_scene(vlJson *json, const vlRunRecord *record)
{
  vl_json_object(json, "scene");
  vl_json_string(json, "name", record->scene->name);
  vl_json_string(json, "path", record->scene->path);
  vl_json_string(json, "about", record->scene->about);
  vl_json_string(json, "text", record->scene->text);
  add_words(json, "settings", record->settings, record->setting_count);
  vl_json_end(json);
}

static void add_machine(vlJson *json)
{
  vlMachine machine = vl_machine_describe();
  vl_json_object(json, "machine");
  vl_json_string(json, "cpu", machine.cpu);
  vl_json_integer(json, "cores", machine.cores);
  vl_json_number(json, "memory_bytes", machine.memory);
  vl_json_string(json, "kernel", machine.kernel);
  vl_json_end(json);
}

static void add_totals(vlJson *json, const vlRunRecord *record)
{
  vl_json_object(json, "totals");
  vl_json_integer(json, "steps", record->steps);
  vl_json_integer(json, "frames", record->frames);
  vl_json_number(json, "time", record->time);
  vl_json_integer(json, "liquid_cells", record->liquid_cells);
  vl_json_number(json, "wall_seconds", record->wall_seconds);
  vl_json_object(json, "stage_seconds");
  for (int i = 0; i < VL_STAGE_COUNT; i++) vl_json_number(json, vl_stage_name((vlStageKind)i), record->stage_seconds[i]);
  vl_json_end(json);
  vl_json_end(json);
}

vlCode vl_run_json_write(const char *path, const vlRunRecord *record, vlStatus *status)
{
  vlJson json;
  vl_json_begin(&json, true);
  vl_json_object(&json, NULL);
  vl_json_string(&json, "program", "velella");
  vl_json_string(&json, "version", VELELLA_VERSION);
  vl_json_string(&json, "compiler", vl_compiler_text());
  vl_json_string(&json, "state", state_names[record->state]);
  vl_json_string(&json, "exit_reason", record->exit_reason);
  vl_json_integer(&json, "exit_code", record->exit_code);
  add_moment(&json, "started", record->started);
  add_moment(&json, "finished", record->finished);
  vl_json_integer(&json, "pid", record->pid);
  vl_json_integer(&json, "pid_start", record->pid_start);
  vl_json_string(&json, "host", record->host);
  vl_json_integer(&json, "threads", record->threads);
  add_words(&json, "command", record->arguments, record->argument_count);
  add_words(&json, "files", (const char *const *)record->files, record->file_count);
  add_totals(&json, record);
  add_machine(&json);
  add_numerics(&json, record->scene);
  add_bodies(&json, record->scene, record->sim);
  add_scene(&json, record);
  vl_json_end(&json);

  vlFile file;
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) code = vl_file_open(&file, path, status);
  if (code == VL_OK) {
    vl_file_write(&file, json.text, json.length);
    code = vl_file_commit(&file, status);
  }
  vl_json_clear(&json);
  return code;
}
