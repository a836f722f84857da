/* Options by one table: name, how its value is called in the help, a function that takes it. --preview and --quality set
 * several things at once and come first, whatever their place on the line, so that --size and --samples can change them. A
 * "--" ends the options. */
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "base/words.h"

typedef bool Take(vlRenderOptions *o, const char *value);

typedef struct Option {
  const char *name, *value; /* value: NULL for a flag */
  Take *take;
  bool early;
  const char *wanted, *help;
} Option;

static bool whole(const char *text, char **end, int lo, int hi, int *number)
{
  long n = strtol(text, end, 10);
  if (*end == text || n < lo || n > hi) return false;
  *number = (int)n;
  return true;
}

static bool take_whole(const char *text, int lo, int hi, int *number)
{
  char *end;
  return whole(text, &end, lo, hi, number) && !*end;
}

static bool take_out(vlRenderOptions *o, const char *v)
{
  o->out = v;
  return *v != '\0';
}

/* "12", "10-40", "10-", "0-60/5" */
static bool take_frames(vlRenderOptions *o, const char *v)
{
  char *end;
  o->range = true;
  if (!whole(v, &end, 0, 99999, &o->first)) return false;
  o->last = o->first;
  if (*end == '-') {
    const char *rest = end + 1;
    o->last = -1;
    if (*rest && *rest != '/' && !whole(rest, &end, o->first, 99999, &o->last)) return false;
    if (!*rest || *rest == '/') end = (char *)rest;
  }
  if (*end == '/' && !whole(end + 1, &end, 1, 99999, &o->step)) return false;
  return !*end;
}

static bool take_preview(vlRenderOptions *o, const char *v)
{
  (void)v;
  o->preview = true;
  o->width = 416;
  o->height = 234;
  o->samples = 4;
  o->bounces = 1;
  return true;
}

static bool take_quality(vlRenderOptions *o, const char *v)
{
  static const struct {
    const char *name;
    int width, height, samples, bounces;
  } levels[] = {
      {"low", 640, 360, 8, 2}, {"medium", 960, 540, 16, 3}, {"high", 1280, 720, 64, 4}, {"best", 1920, 1080, 256, 6}};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    if (strcmp(levels[i].name, v) != 0) continue;
    o->width = levels[i].width;
    o->height = levels[i].height;
    o->samples = levels[i].samples;
    o->bounces = levels[i].bounces;
    return true;
  }
  return false;
}

static bool take_size(vlRenderOptions *o, const char *v)
{
  char *end;
  return whole(v, &end, 16, 16384, &o->width) && *end == 'x' && take_whole(end + 1, 16, 16384, &o->height);
}

static bool take_samples(vlRenderOptions *o, const char *v) { return take_whole(v, 1, 65536, &o->samples); }
static bool take_threads(vlRenderOptions *o, const char *v) { return take_whole(v, 1, 1024, &o->threads); }
static bool take_turntable(vlRenderOptions *o, const char *v) { return take_whole(v, 2, 99999, &o->turntable); }

static bool take_vector(const char *text, vlVec3 *x)
{
  for (int a = 0; a < 3; a++) {
    char *end;
    x->v[a] = strtod(text, &end);
    if (end == text || !isfinite(x->v[a]) || *end != (a < 2 ? ',' : '\0')) return false;
    text = end + 1;
  }
  return true;
}

static bool take_camera(vlRenderOptions *o, const char *v) { return o->has_camera = take_vector(v, &o->camera); }
static bool take_target(vlRenderOptions *o, const char *v) { return o->has_target = take_vector(v, &o->target); }

static bool take_number(const char *v, double lo, double hi, double *x)
{
  char *end;
  *x = strtod(v, &end);
  return end > v && !*end && *x >= lo && *x <= hi;
}

static bool take_fov(vlRenderOptions *o, const char *v) { return take_number(v, 1.0, 160.0, &o->fov); }
static bool take_exposure(vlRenderOptions *o, const char *v) { return take_number(v, -10.0, 10.0, &o->exposure); }

static bool take_color(vlRenderOptions *o, const char *v)
{
  int found = vl_word_find(vl_coloring_words, v);
  if (found >= 0) o->coloring = (vlColoringKind)found;
  return o->has_coloring = found >= 0;
}

static bool take_video(vlRenderOptions *o, const char *v)
{
  (void)v;
  return o->video = true;
}

static bool take_no_video(vlRenderOptions *o, const char *v)
{
  (void)v;
  return o->no_video = true;
}

static bool take_no_denoise(vlRenderOptions *o, const char *v)
{
  (void)v;
  return o->no_denoise = true;
}

static bool take_overwrite(vlRenderOptions *o, const char *v)
{
  (void)v;
  return o->overwrite = true;
}

static bool take_quiet(vlRenderOptions *o, const char *v)
{
  (void)v;
  return o->quiet = true;
}

static const Option table[] = {
    {"frames", "RANGE", take_frames, false, "a frame or a range is wanted, as in 12, 10-40, 10- or 0-60/5",
     "which frames: 12, 10-40, 10- or every fifth, 0-60/5 (default: all)"},
    {"preview", NULL, take_preview, true, NULL, "quick looks: 416x234, 4 samples, into RUN/preview"},
    {"quality", "WORD", take_quality, true, "low, medium, high or best is wanted",
     "low, medium (default: 960x540, 16 samples), high (1280x720, 64) or best (1920x1080, 256)"},
    {"size", "WxH", take_size, false, "width and height from 16 to 16384 are wanted, as in 1280x720", "size in pixels"},
    {"samples", "N", take_samples, false, "a whole number from 1 to 65536 is wanted", "light paths for each pixel"},
    {"out", "DIR", take_out, false, "the name of a folder is wanted", "folder of the pictures (default: RUN/render)"},
    {"overwrite", NULL, take_overwrite, false, NULL, "make pictures anew that are already there"},
    {"turntable", "N", take_turntable, false, "a whole number from 2 to 99999 is wanted",
     "N pictures once around the scene, while time runs through the frames"},
    {"color", "WORD", take_color, false, "natural, speed or stress is wanted",
     "natural, or liquid and bodies by their speed, or bodies by their stress, instead of the scene's"},
    {"camera", "X,Y,Z", take_camera, false, "three numbers are wanted, as in 2,1,3", "place of the camera in metres"},
    {"target", "X,Y,Z", take_target, false, "three numbers are wanted, as in 0.5,0.3,0.5", "point it looks at"},
    {"fov", "DEGREES", take_fov, false, "a number from 1 to 160 is wanted",
     "angle of view, from the lower to the upper edge"},
    {"exposure", "STOPS", take_exposure, false, "a number from -10 to 10 is wanted", "brightness: 1 doubles the light"},
    {"video", NULL, take_video, false, NULL, "fail when ffmpeg cannot join the pictures to video.mp4 (default: only warn)"},
    {"no-video", NULL, take_no_video, false, NULL, "pictures only"},
    {"no-denoise", NULL, take_no_denoise, false, NULL, "leave the noise in"},
    {"threads", "N", take_threads, false, "a whole number from 1 to 1024 is wanted",
     "threads to compute with (default: all cores); pictures do not depend on it"},
    {"quiet", NULL, take_quiet, false, NULL, "no progress"},
};
enum { OPTION_COUNT = sizeof table / sizeof *table };

void vl_render_help(FILE *out)
{
  fprintf(out,
          "velella render RUN\nmake pictures and a video of a run.\n\n"
          "RUN is the folder of a run. Pictures that are there, newer than their frame and made with the same options are\n"
          "kept, so a command that was stopped goes on when it is given again. A frame that cannot be read is named and\n"
          "left out.\n\n");
  for (int i = 0; i < OPTION_COUNT; i++) {
    char head[48];
    snprintf(head, sizeof head, "--%s%s%s", table[i].name, table[i].value ? " " : "", table[i].value ? table[i].value : "");
    fprintf(out, "  %-18s  %s\n", head, table[i].help);
  }
}

static const Option *find(const char *text, size_t n)
{
  for (int i = 0; i < OPTION_COUNT; i++)
    if (strlen(table[i].name) == n && strncmp(table[i].name, text, n) == 0) return &table[i];
  return NULL;
}

static vlCode take_one(vlRenderOptions *o, int argc, char **argv, int *at, bool early, vlStatus *status)
{
  const char *text = argv[*at] + 2, *equals = strchr(text, '='), *value = equals ? equals + 1 : NULL;
  size_t n = equals ? (size_t)(equals - text) : strlen(text);
  const Option *option = find(text, n);
  if (!option)
    return vl_fail(status, VL_ERROR_USAGE, "'render' has no option --%.*s\nsee: velella render --help", (int)n, text);
  if (!option->value && value)
    return vl_fail(status, VL_ERROR_USAGE, "--%s takes no value, but has '%s'", option->name, value);
  if (option->value && !value) value = ++*at < argc ? argv[*at] : NULL;
  if (option->value && !value)
    return vl_fail(status, VL_ERROR_USAGE, "--%s needs a value: --%s %s", option->name, option->name, option->value);
  if (option->early == early && !option->take(o, value))
    return vl_fail(status, VL_ERROR_USAGE, "--%s %s: %s", option->name, value ? value : "", option->wanted);
  return VL_OK;
}

static vlCode take_word(vlRenderOptions *o, const char *word, bool early, vlStatus *status)
{
  if (early) return VL_OK;
  if (o->run) return vl_fail(status, VL_ERROR_USAGE, "'render' does not take '%s': velella render RUN", word);
  o->run = word;
  return VL_OK;
}

vlCode vl_render_options(vlRenderOptions *o, int argc, char **argv, vlStatus *status)
{
  *o = (vlRenderOptions){.last = -1, .step = 1, .fov = NAN, .exposure = NAN};
  take_quality(o, "medium");
  vlCode code = VL_OK;
  for (int early = 1; early >= 0; early--) {
    bool ended = false;
    for (int i = 1; i < argc && code == VL_OK && !o->help; i++) {
      if (ended || argv[i][0] != '-')
        code = take_word(o, argv[i], early, status);
      else if (strcmp(argv[i], "--") == 0)
        ended = true;
      else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
        o->help = true;
      else if (argv[i][1] == '-')
        code = take_one(o, argc, argv, &i, early, status);
      else
        code = vl_fail(status, VL_ERROR_USAGE,
                       "'render' has no option %s; options begin with two dashes\nsee: velella "
                       "render --help",
                       argv[i]);
    }
  }
  if (code != VL_OK || o->help) return code;
  if (!o->run) return vl_fail(status, VL_ERROR_USAGE, "'render' needs the folder of a run: velella render RUN");
  if (o->has_camera && o->has_target && vl_norm(vl_sub(o->camera, o->target)) == 0.0)
    return vl_fail(status, VL_ERROR_USAGE, "--camera and --target are the same point");
  if (o->video && o->no_video) return vl_fail(status, VL_ERROR_USAGE, "--video and --no-video exclude each other");
  return VL_OK;
}
