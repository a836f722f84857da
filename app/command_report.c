/* velella report RUN: one HTML page about a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "figures/report.h"
#include "files/file.h"
#include "files/json.h"
#include "process.h"
#include "progress.h"
#include "run_folder.h"
#include "words.h"

/* A run.json that says "running" though its process has ended. What cannot be read is told by the report itself. */
static bool is_gone(const char *folder)
{
  char *path = vl_path_join(folder, "run.json"), *text = NULL, *state = NULL;
  size_t length;
  vlProcess process;
  bool gone = path && vl_file_read(path, VL_LARGEST_RUN_JSON, &text, &length, NULL) == VL_OK &&
              vl_json_find_string(text, "state", &state) && strcmp(state, "running") == 0 &&
              vl_process_of_run(text, &process) && vl_process_presence(&process) == VL_PRESENCE_GONE;
  free(state);
  free(text);
  free(path);
  return gone;
}

vlCode vl_command_report(const vlOptions *options, vlStatus *status)
{
  const char *folder = options->words[0];
  vlReport report;
  vlProgress none = {0};
  vlCode code = vl_report_write(folder, is_gone(folder), (vlLog){vl_progress_log, &none}, &report, status);
  if (code != VL_OK) return code;
  char size[VL_WORDS_ROOM], *path = vl_path_join(folder, "report.html");
  printf("%s: %s, %lld step%s, ", path ? path : "report.html", vl_words_bytes((double)report.bytes, size),
         (long long)report.steps, report.steps == 1 ? "" : "s");
  if (report.bodies) printf("%d %s, ", report.bodies, report.bodies == 1 ? "body" : "bodies");
  if (report.pictures)
    printf("%d of %d %s, ", report.pictures, report.rendered, report.preview ? "previews" : "pictures");
  else
    printf("no pictures, ");
  printf("%s\n", report.video == VL_VIDEO_INSIDE   ? "video inside"
                 : report.video == VL_VIDEO_LINKED ? "video too large, linked"
                                                   : "no video");
  if (!report.rendered) fprintf(stderr, "velella: pictures and a video come from: velella render %s\n", folder);
  free(path);
  return VL_OK;
}
