/* velella slice: figures of a plane through a run's frames.
 *
 * Everything on the command line is checked before a frame is read. Several frames share the scales of pressure and
 * velocity, so that they can be compared: their range is found in a first pass. A frame of several that cannot be read is
 * named there and left out. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "command.h"
#include "figures/slice.h"
#include "files/file.h"
#include "scene/quantity.h"
#include "words.h"

static const double DEFAULT_SIZE = 1200.0;

typedef enum Format { FORMAT_SVG, FORMAT_PNG, FORMAT_COUNT } Format;
static const char *const format_names[FORMAT_COUNT] = {"svg", "png"};

static const struct {
  const char *name;
  unsigned bit;
} parts[] = {{"grid", VL_SHOW_GRID},       {"kinds", VL_SHOW_KINDS},     {"pressure", VL_SHOW_PRESSURE},
             {"liquid", VL_SHOW_LIQUID},   {"solid", VL_SHOW_SOLID},     {"areas", VL_SHOW_AREAS},
             {"patches", VL_SHOW_PATCHES}, {"samples", VL_SHOW_SAMPLES}, {"velocity", VL_SHOW_VELOCITY},
             {"bodies", VL_SHOW_BODIES},   {"mesh", VL_SHOW_MESH}};
enum { PART_COUNT = sizeof parts / sizeof *parts };

typedef struct Job {
  vlSliceRun run;
  vlSliceStyle style;
  int axis;
  double position; /* m; NaN: the middle */
  Format format;
  int *frames; /* those to draw [count] */
  int count;
  int broken; /* frames that could not be read, with --frame all */
  vlCode first_error;
  bool all;
  const char *out; /* NULL: RUN/slices */
} Job;

/* A length from text[n]. */
static vlCode read_length(const char *option, const char *text, size_t n, double *value, vlStatus *status)
{
  char why[VL_WHY];
  while (n > 0 && *text == ' ') text++, n--;
  if (vl_quantity_read(text, n, VL_DIM_LENGTH, value, why)) return VL_OK;
  return vl_fail(status, VL_ERROR_USAGE, "--%s: '%.*s': %s", option, (int)n, text, why);
}

static vlCode read_plane(Job *job, const char *text, vlStatus *status)
{
  job->axis = VL_Z;
  job->position = NAN;
  if (!text) return VL_OK;
  if (text[0] < 'x' || text[0] > 'z' || (text[1] && text[1] != '='))
    return vl_fail(status, VL_ERROR_USAGE, "--plane %s: x, y or z is wanted, alone or with a place, as in z=0.5", text);
  job->axis = text[0] - 'x';
  return text[1] ? read_length("plane", text + 2, strlen(text + 2), &job->position, status) : VL_OK;
}

static vlCode read_window(Job *job, const char *text, vlStatus *status)
{
  for (int i = 0; i < 4 && text; i++) {
    size_t n = strcspn(text, ",");
    if ((i < 3) != (text[n] == ','))
      return vl_fail(status, VL_ERROR_USAGE, "--window needs four lengths with commas, as in 0.2,0.1,0.6,0.5");
    vlCode code = read_length("window", text, n, &job->style.window[i], status);
    if (code != VL_OK) return code;
    text += n + (i < 3);
  }
  return VL_OK;
}

static vlCode read_show(Job *job, const char *text, vlStatus *status)
{
  while (text && *text) {
    size_t n = strcspn(text, ",");
    char word[32];
    const char *near = NULL;
    unsigned bit = 0;
    snprintf(word, sizeof word, "%.*s", (int)n, text);
    for (int i = 0; i < PART_COUNT; i++) {
      if (strcmp(word, parts[i].name) == 0) bit = parts[i].bit;
      vl_word_offer(word, parts[i].name, &near);
    }
    if (!bit)
      return vl_fail(
          status, VL_ERROR_USAGE,
          "--show: '%s' cannot be shown%s%s%s\nthere are grid, kinds, pressure, liquid, solid, bodies, mesh, areas, "
          "patches, samples and velocity",
          word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    job->style.show |= bit;
    text += n + (text[n] == ',');
  }
  return VL_OK;
}

static vlCode read_format(Job *job, const vlOptions *options, vlStatus *status)
{
  const char *dot = options->out ? strrchr(options->out, '.') : NULL, *word = options->format;
  if (!word && dot && !job->all && !strchr(dot, '/')) word = dot + 1;
  for (int f = 0; f < FORMAT_COUNT && word; f++) {
    if (strcmp(word, format_names[f]) != 0) continue;
    job->format = (Format)f;
    return VL_OK;
  }
  if (options->format) return vl_fail(status, VL_ERROR_USAGE, "--format %s: svg or png is wanted", options->format);
  if (options->out && !job->all)
    return vl_fail(status, VL_ERROR_USAGE, "--out %s: a name that ends in .svg or .png is wanted, or --format",
                   options->out);
  return VL_OK;
}

/* Turns what was asked for into a list of frames; there are `count` of them with fields. */
static vlCode choose_frames(Job *job, const char *text, vlStatus *status)
{
  int first = job->frames[0], last = job->frames[job->count - 1];
  if (job->all) return VL_OK;
  long wanted = last;
  if (text && strcmp(text, "last") != 0) {
    char *end;
    errno = 0;
    wanted = strtol(text, &end, 10);
    if (end == text || *end || errno || wanted < 0)
      return vl_fail(status, VL_ERROR_USAGE, "--frame %s: a frame's number, last or all is wanted", text);
  }
  for (int i = 0; i < job->count; i++) {
    if (job->frames[i] != wanted) continue;
    job->frames[0] = (int)wanted;
    job->count = 1;
    return VL_OK;
  }
  return vl_fail(status, VL_ERROR_USAGE, "--frame %s: the run in %s has %d frames of fields, from %d to %d", text,
                 job->run.folder, job->count, first, last);
}

/* The scales of all frames. Of several, one that cannot be read is named, taken off the list and counted. */
static vlCode find_range(Job *job, vlStatus *status)
{
  int good = 0;
  vlCode code = VL_OK;
  job->style.range = vl_slice_range_empty();
  for (int i = 0; i < job->count && code == VL_OK; i++) {
    vlSlice *slice;
    code = vl_slice_create(&slice, &job->run, job->frames[i], job->axis, job->position, status);
    if (job->all && (code == VL_ERROR_FILE || code == VL_ERROR_MESH)) {
      fprintf(stderr, "velella: error: %s\n", status->message);
      if (!job->broken++) job->first_error = code;
      code = VL_OK;
      continue;
    }
    if (code == VL_OK && good == 0) code = vl_slice_window(slice, job->style.window, status);
    if (code == VL_OK) vl_slice_range_add(&job->style.range, slice, job->style.window);
    vl_slice_destroy(&slice);
    job->frames[good++] = job->frames[i];
  }
  job->count = good;
  return code;
}

/* Where a frame's figure goes, in new memory: the named file, or a file in the named folder or in RUN/slices. */
static char *figure_path(const Job *job, int frame)
{
  if (job->out && !job->all) return strdup(job->out);
  char name[48];
  snprintf(name, sizeof name, "%c_%05d.%s", 'x' + job->axis, frame, format_names[job->format]);
  char *folder = job->out ? strdup(job->out) : vl_path_join(job->run.folder, "slices");
  char *path = folder ? vl_path_join(folder, name) : NULL;
  free(folder);
  return path;
}

static vlCode write_figure(const vlDrawing *drawing, Format format, const char *path, vlStatus *status)
{
  const char *slash = strrchr(path, '/');
  char *folder = slash && slash > path ? strndup(path, (size_t)(slash - path)) : NULL;
  vlCode code = folder ? vl_folder_create(folder, status) : VL_OK;
  free(folder);
  if (code != VL_OK) return code;
  return format == FORMAT_PNG ? vl_drawing_write_png(drawing, path, status) : vl_drawing_write_svg(drawing, path, status);
}

static vlCode draw_frame(const Job *job, int frame, vlStatus *status)
{
  vlSlice *slice;
  vlDrawing drawing = {0};
  char *path = figure_path(job, frame);
  if (!path) return vl_fail_memory(status, strlen(job->run.folder), "a file's name");
  vlCode code = vl_slice_create(&slice, &job->run, frame, job->axis, job->position, status);
  if (code == VL_OK) code = vl_slice_draw(&drawing, slice, &job->style, status);
  if (code == VL_OK) code = write_figure(&drawing, job->format, path, status);
  if (code == VL_OK) printf("%s\n", path);
  vl_drawing_clear(&drawing);
  vl_slice_destroy(&slice);
  free(path);
  return code;
}

vlCode vl_command_slice(const vlOptions *options, vlStatus *status)
{
  Job job = {.out = options->out, .all = options->frame && strcmp(options->frame, "all") == 0};
  job.style.size = options->size ? options->size : DEFAULT_SIZE;
  vlCode code = read_plane(&job, options->plane, status);
  if (code == VL_OK) code = read_window(&job, options->window, status);
  if (code == VL_OK) code = read_show(&job, options->show, status);
  if (code == VL_OK) code = read_format(&job, options, status);
  if (code == VL_OK) code = vl_slice_run_open(&job.run, options->words[0], status);
  if (code == VL_OK) code = vl_slice_frames(&job.run, &job.frames, &job.count, status);
  if (code == VL_OK) code = choose_frames(&job, options->frame, status);
  job.style.name = job.run.name;
  if (code == VL_OK) code = find_range(&job, status);
  for (int i = 0; i < job.count && code == VL_OK; i++) code = draw_frame(&job, job.frames[i], status);
  if (code == VL_OK && job.broken)
    code = vl_fail(status, job.first_error, "%d of %d frames could not be drawn", job.broken, job.broken + job.count);
  free(job.frames);
  vl_slice_run_close(&job.run);
  return code;
}
