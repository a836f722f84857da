/* A run's results as JSON, an object on each line: "event" is "frame" for each frame and "end" for the last line. */
#include "report.h"

#include <math.h>
#include <stdio.h>

#include "files/json.h"
#include "last_step.h"

static void print_line(vlJson *json)
{
  vl_json_end(json);
  vlStatus status = {0};
  if (vl_json_finish(json, &status) == VL_OK) {
    fputs(json->text, stdout);
    fflush(stdout);
  } else {
    fprintf(stderr, "velella: warning: %s\n", status.message);
  }
  vl_json_clear(json);
}

static void begin_line(vlJson *json, const char *event)
{
  vl_json_begin(json, false);
  vl_json_object(json, NULL);
  vl_json_string(json, "event", event);
}

void vl_report_frame(const vlRunRecord *record, const vlStepInfo *info, int frame)
{
  vlJson json;
  begin_line(&json, "frame");
  vl_json_integer(&json, "frame", frame);
  vl_json_number(&json, "time", record->time);
  vl_json_integer(&json, "step", record->steps);
  vl_json_integer(&json, "liquid_cells", record->liquid_cells);
  vl_json_number(&json, "wall_seconds", record->wall_seconds);
  if (record->steps > 0) {
    vl_json_integer(&json, "iterations", info->iterations);
    vl_json_number(&json, "residual", info->residual);
    vl_json_number(&json, "max_speed", info->max_speed);
    vl_json_number(&json, "volume", info->volume);
  }
  print_line(&json);
}

void vl_report_end(const vlRunRecord *record, const vlStepInfo *info, const char *folder)
{
  static const char *const states[] = {"running", "finished", "interrupted", "failed"};
  vlJson json;
  begin_line(&json, "end");
  vl_json_string(&json, "state", states[record->state]);
  vl_json_integer(&json, "exit_code", record->exit_code);
  vl_json_string(&json, "reason", record->exit_reason);
  vl_json_string(&json, "folder", folder);
  vl_json_number(&json, "time", record->time);
  vl_json_integer(&json, "steps", record->steps);
  vl_json_integer(&json, "frames", record->frames);
  vl_json_integer(&json, "liquid_cells", record->liquid_cells);
  vl_json_number(&json, "wall_seconds", record->wall_seconds);
  if (record->steps > 0) {
    double force = vl_last_step_force(info);
    vl_json_number(&json, "max_speed", info->max_speed);
    vl_json_number(&json, "volume", info->volume);
    if (!isnan(force)) vl_json_number(&json, "force_over_weight", force);
  }
  print_line(&json);
}
