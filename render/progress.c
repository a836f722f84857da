/* Progress on standard error. The time left is that of the pictures so far, times those to come. On a terminal a line is
 * drawn over for each picture; elsewhere there is a line after each tenth of them. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double clock_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char *duration(double seconds, char text[static 32])
{
  long long s = (long long)(seconds + 0.5);
  if (seconds < 60.0)
    snprintf(text, 32, "%.1f s", seconds);
  else if (s < 3600)
    snprintf(text, 32, "%lld min %02lld s", s / 60, s % 60);
  else
    snprintf(text, 32, "%lld h %02lld min", s / 3600, s % 3600 / 60);
  return text;
}

void vl_render_progress_begin(vlRenderProgress *p, bool quiet, int count)
{
  *p = (vlRenderProgress){.quiet = quiet, .terminal = isatty(STDERR_FILENO), .count = count};
  p->begun = p->last = clock_seconds();
}

/* After how many pictures the k-th of ten lines comes. */
static int mark(const vlRenderProgress *p, int k) { return (int)(((long long)p->count * k + 9) / 10); }

static bool is_marked(const vlRenderProgress *p)
{
  for (int k = 1; k <= 10; k++)
    if (mark(p, k) == p->done) return true;
  return false;
}

static void clear_line(vlRenderProgress *p)
{
  if (p->drawn) fputs("\r\033[K", stderr);
  p->drawn = false;
}

void vl_render_progress_picture(vlRenderProgress *p, int frame, bool kept)
{
  double now = clock_seconds(), took = now - p->last;
  char one[32], left[32];
  p->last = now;
  p->done++;
  if (!kept) {
    p->made++;
    p->spent += took;
  }
  if (p->quiet || (!p->terminal && (kept || !is_marked(p)))) return;
  duration(took, one);
  duration(p->made ? p->spent / p->made * (p->count - p->done) : 0.0, left);
  clear_line(p);
  fprintf(stderr, "picture %d/%d  frame %d  %s  %s left%s", p->done, p->count, frame, one, left, p->terminal ? "" : "\n");
  fflush(stderr);
  p->drawn = p->terminal;
}

void vl_render_progress_error(vlRenderProgress *p, int count, int first, int last, const char *message)
{
  clear_line(p);
  p->last = clock_seconds();
  p->done += count;
  if (first == last)
    fprintf(stderr, "velella: error: frame %d: %s\n", first, message);
  else
    fprintf(stderr, "velella: error: frames %d to %d: %s\n", first, last, message);
}

void vl_render_progress_end(vlRenderProgress *p)
{
  if (p->drawn) fputc('\n', stderr);
  p->drawn = false;
}
