/* Progress on standard error. On a terminal a bar is redrawn in place, at most ten times a second; into a file or pipe
 * goes a plain line before the first step, after each twentieth of the time, and for the last step. The time left is
 * extrapolated from the simulated time so far. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "words.h"

enum { BAR_WIDTH = 24, LINES = 20 };

static const double LONG = 2.0; /* s: of silence */

double vl_wall_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void vl_progress_begin(vlProgress *progress, bool quiet, double end_time, int last_frame)
{
  bool terminal = isatty(STDERR_FILENO);
  *progress = (vlProgress){
      .bar = !quiet && terminal, .lines = !quiet && !terminal, .end_time = end_time, .last_frame = last_frame, .lined = -1};
  progress->begun = vl_wall_seconds();
}

static void draw(vlProgress *progress, const vlRunRecord *record)
{
  double now = vl_wall_seconds(), part = record->time / progress->end_time;
  char bar[BAR_WIDTH + 1], spent[VL_WORDS_ROOM], left[VL_WORDS_ROOM];
  for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < part * BAR_WIDTH ? '#' : '.';
  bar[BAR_WIDTH] = '\0';
  vl_words_duration(now - progress->begun, spent);
  if (part > 0.0)
    vl_words_duration((now - progress->begun) * (1.0 - part) / part, left);
  else
    snprintf(left, sizeof left, "?");
  fprintf(stderr, "\r\033[K[%s] %3.0f%%  frame %d/%d  t %.4g s  step %lld  %s, %s left", bar, 100.0 * part,
          record->frames > 0 ? record->frames - 1 : 0, progress->last_frame, record->time, (long long)record->steps, spent,
          left);
  fflush(stderr);
  progress->drawn = true;
  progress->shown = now;
}

void vl_progress_clear(vlProgress *progress)
{
  if (progress->drawn) fputs("\r\033[K", stderr);
  progress->drawn = false;
}

static void print_line(vlProgress *progress, const vlRunRecord *record, const vlStepInfo *info)
{
  char spent[VL_WORDS_ROOM], bodies[VL_BODY_WORDS_ROOM];
  fprintf(stderr, "t %.6g s  %3.0f%%  steps %lld  ", record->time, 100.0 * record->time / progress->end_time,
          (long long)record->steps);
  if (record->liquid_cells == 0 && *vl_words_fastest_body(record->sim, bodies))
    fprintf(stderr, "%s", bodies);
  else
    fprintf(stderr, "liquid cells %lld  iterations %d  max speed %.3g m/s", (long long)record->liquid_cells,
            info->iterations, info->max_speed);
  fprintf(stderr, "  %s\n", vl_words_duration(vl_wall_seconds() - progress->begun, spent));
  progress->lined = record->steps;
}

/* Which of the LINES parts of the time is over; the hair is for sums of steps that end just below. */
static int part_of(const vlProgress *progress, double time) { return (int)(LINES * time / progress->end_time + 1e-9); }

void vl_progress_step(vlProgress *progress, const vlRunRecord *record, const vlStepInfo *info)
{
  if (progress->bar && vl_wall_seconds() - progress->shown > 0.1) draw(progress, record);
  if (!progress->lines) return;
  bool first = progress->lined < 0;
  if (first || part_of(progress, record->time) > part_of(progress, record->time - info->dt))
    print_line(progress, record, info);
}

void vl_progress_frame(vlProgress *progress, const vlRunRecord *record)
{
  if (progress->bar) draw(progress, record);
}

void vl_progress_end(vlProgress *progress, const vlRunRecord *record, const vlStepInfo *info)
{
  if (progress->lines && progress->lined >= 0 && record->steps > progress->lined) print_line(progress, record, info);
  if (progress->drawn) fputc('\n', stderr);
  progress->drawn = false;
}

/* What is being prepared: in place on a terminal, elsewhere a line once it takes long. */
static void tell_patience(vlProgress *progress, const char *line)
{
  if (progress->bar) {
    fprintf(stderr, "\r\033[K%s ...", line);
    fflush(stderr);
    progress->drawn = true;
  } else if (progress->lines && vl_wall_seconds() - progress->begun > LONG) {
    fprintf(stderr, "velella: %s ...\n", line);
  }
}

void vl_progress_log(void *user, vlLogLevel level, const char *line)
{
  static const char *const names[] = {"error", "warning"};
  vlProgress *progress = user;
  vl_progress_clear(progress);
  if (level > VL_LOG_WARNING) {
    tell_patience(progress, line);
    return;
  }
  fprintf(stderr, "velella: %s: %s\n", names[level], line);
}
