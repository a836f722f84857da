/* Where a run goes on.
 *
 * A checkpoint is made only when the files tell all that the simulation did up to then: every step has its lines, and every
 * frame time that was reached has its frame. So its time tells how many frames there are. run.json keeps its start, and its
 * seconds go on to be counted; those of steps behind the checkpoint, which are made anew, are counted twice. Settings that
 * the run was started with still hold. */
#include "resume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/file.h"
#include "files/json.h"
#include "run_folder.h"

double vl_frame_rounding(const vlScene *scene) { return 1e-9 / scene->time.frames_per_second; }

/* Frames whose time is reached. */
static int frames_until(const vlScene *scene, double time)
{
  int frames = (int)fmin(time * scene->time.frames_per_second, 99999.0);
  while (frames > 0 && (frames - 1) / scene->time.frames_per_second - time > vl_frame_rounding(scene)) frames--;
  while (frames / scene->time.frames_per_second - time <= vl_frame_rounding(scene)) frames++;
  return frames;
}

static time_t read_moment(const char *json, const char *key)
{
  char *text = NULL;
  struct tm utc = {0};
  time_t moment = 0;
  if (vl_json_find_string(json, key, &text) && strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc)) moment = timegm(&utc);
  free(text);
  return moment;
}

/* What another version's file does not tell stays 0. */
static vlCode read_former(const char *path, vlRunRecord *record, vlStatus *status)
{
  char *json = NULL;
  size_t length;
  vlCode code = vl_file_read(path, VL_LARGEST_RUN_JSON, &json, &length, status);
  if (code != VL_OK) return code;
  record->started = read_moment(json, "started");
  vl_json_find_number(json, "totals.wall_seconds", &record->wall_seconds);
  for (int i = 0; i < VL_STAGE_COUNT; i++) {
    char key[64];
    snprintf(key, sizeof key, "totals.stage_seconds.%s", vl_stage_name((vlStageKind)i));
    vl_json_find_number(json, key, &record->stage_seconds[i]);
  }
  free(json);
  return VL_OK;
}

static bool append(char ***list, int *count, char *text)
{
  char **grown = text ? realloc(*list, ((size_t)*count + 1) * sizeof *grown) : NULL;
  if (grown) {
    *list = grown;
    grown[(*count)++] = text;
  } else {
    free(text);
  }
  return grown != NULL;
}

vlCode vl_resume_settings(const char *run_json, const char *const *given, int given_count, char ***settings, int *count,
                          vlStatus *status)
{
  char *json = NULL, *text = NULL, key[64] = "scene.settings.0";
  size_t length;
  bool whole = true;
  *settings = NULL;
  *count = 0;
  vlCode code = vl_file_read(run_json, VL_LARGEST_RUN_JSON, &json, &length, status);
  if (code != VL_OK) return code;
  while (whole && vl_json_find_string(json, key, &text)) {
    whole = append(settings, count, text);
    snprintf(key, sizeof key, "scene.settings.%d", *count);
  }
  int same = 0;
  while (same < given_count && given_count <= *count && strcmp((*settings)[*count - given_count + same], given[same]) == 0)
    same++;
  for (int i = 0; i < given_count && whole && same < given_count; i++) whole = append(settings, count, strdup(given[i]));
  free(json);
  if (whole) return VL_OK;
  vl_resume_settings_clear(settings, count);
  return vl_fail_memory(status, 1024, "the run's settings");
}

void vl_resume_settings_clear(char ***settings, int *count)
{
  for (int i = 0; i < *count; i++) free((*settings)[i]);
  free(*settings);
  *settings = NULL;
  *count = 0;
}

vlCode vl_resume(vlSim *sim, const char *checkpoint, const char *run_json, vlRunRecord *record, vlStatus *status)
{
  vlCode code = vl_sim_resume(sim, checkpoint, status);
  if (code != VL_OK) {
    vl_status_prefix(status, "cannot go on: ");
    return code;
  }
  record->steps = vl_sim_step_count(sim);
  record->time = vl_sim_time(sim);
  record->frames = frames_until(record->scene, record->time);
  return read_former(run_json, record, status);
}
