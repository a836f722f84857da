/* Options of the command line, all in one table: name, where its value goes, what is allowed, which commands take it.
 * "--name value" and "--name=value" mean the same, -o is --out; "--" ends the options. Mistakes name the option, its value
 * and what is allowed, and the nearest name for one that does not exist. After --help or -h nothing more is read. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "scene/keys.h"
#include "scene/quantity.h"
#include "words.h"

typedef enum OptionKind {
  OPTION_FLAG,
  OPTION_INT,
  OPTION_TIME,
  OPTION_LENGTH,
  OPTION_NUMBER,
  OPTION_TEXT,
  OPTION_SETTING
} OptionKind;

typedef struct Option {
  const char *name, *value; /* value: how help calls it, NULL for a flag */
  OptionKind kind;
  size_t offset; /* in vlOptions */
  double lo, hi; /* of a number */
  int commands;  /* bits */
  const char *help;
} Option;

static const Option options_table[] = {
    {"set", "KEY=VALUE", OPTION_SETTING, 0, 0, 0, VL_FOR_RUN | VL_FOR_CHECK | VL_FOR_MODES | VL_FOR_SETTLE,
     "change a key of the scene; may be repeated"},
    {"threads", "N", OPTION_INT, offsetof(vlOptions, threads), 1, 1024,
     VL_FOR_RUN | VL_FOR_CHECK | VL_FOR_MODES | VL_FOR_SETTLE,
     "threads to compute with, 1 to 1024 (default: all cores); results do not depend on it"},
    {"sizes", "LIST", OPTION_TEXT, offsetof(vlOptions, sizes), 0, 0, VL_FOR_BENCH,
     "table2, subgrid: cells along a side, with commas (default: 40,60,80,100; 32,64)"},
    {"hard", NULL, OPTION_FLAG, offsetof(vlOptions, hard), 0, 0, VL_FOR_BENCH,
     "table2: a light and stiff beam without damping and a step of 1/60 s"},
    {"no-condition", NULL, OPTION_FLAG, offsetof(vlOptions, no_condition), 0, 0, VL_FOR_BENCH,
     "table2: leave out the condition numbers"},
    {"indefinite-peer", NULL, OPTION_FLAG, offsetof(vlOptions, indefinite_peer), 0, 0, VL_FOR_BENCH,
     "table2: Eigen on eq. 19 also beyond 60 cells"},
    {"small", NULL, OPTION_FLAG, offsetof(vlOptions, small), 0, 0, VL_FOR_BENCH,
     "table1, immersed: small versions of the scenes"},
    {"steps", "N", OPTION_INT, offsetof(vlOptions, steps), 1, 100000, VL_FOR_BENCH,
     "table1, immersed, subgrid: steps of which the mean is taken, 1 to 100000 (default: 20, 30, 30)"},
    {"threads", "N", OPTION_INT, offsetof(vlOptions, threads), 1, 1024, VL_FOR_BENCH,
     "threads to simulate with; table2: and, beyond 1, of a second measurement of our solve"},
    {"out", "DIR", OPTION_TEXT, offsetof(vlOptions, out), 0, 0, VL_FOR_BENCH,
     "table2: keep the matrices and the table as JSON in this folder"},
    {"until", "T", OPTION_TIME, offsetof(vlOptions, until), 0, 1e9, VL_FOR_BENCH,
     "stability: end time in seconds or with a unit, instead of 2 s"},
    {"json", NULL, OPTION_FLAG, offsetof(vlOptions, json), 0, 0, VL_FOR_BENCH,
     "results on standard output as one JSON object"},
    {"out", "DIR", OPTION_TEXT, offsetof(vlOptions, out), 0, 0, VL_FOR_RUN, "folder of the run (default: runs/NAME)"},
    {"out", "FILE", OPTION_TEXT, offsetof(vlOptions, out), 0, 0, VL_FOR_SLICE,
     "the figure's file, or the folder of all of them (default: RUN/slices)"},
    {"out", "FILE", OPTION_TEXT, offsetof(vlOptions, out), 0, 0, VL_FOR_MESH,
     "file to write, .msh (Gmsh 4.1) or .vtu (default: none, only tell)"},
    {"count", "N", OPTION_INT, offsetof(vlOptions, count), 1, 200, VL_FOR_MODES,
     "how many modes of each body, 1 to 200 (default: 10)"},
    {"out", "FILE", OPTION_TEXT, offsetof(vlOptions, out), 0, 0, VL_FOR_MODES,
     "file of their shapes to write, .vtu (default: none, only tell)"},
    {"tolerance", "R", OPTION_NUMBER, offsetof(vlOptions, tolerance), 0, 1, VL_FOR_SETTLE,
     "how much of its weight may still push a body (default: 0.001)"},
    {"steps", "N", OPTION_INT, offsetof(vlOptions, steps), 1, 1000000, VL_FOR_SETTLE,
     "steps after which it is given up, 1 to 1000000 (default: 10000)"},
    {"out", "FILE", OPTION_TEXT, offsetof(vlOptions, out), 0, 0, VL_FOR_SETTLE,
     "file to write the state to (default: NAME.settled.vl)"},
    {"overwrite", NULL, OPTION_FLAG, offsetof(vlOptions, overwrite), 0, 0, VL_FOR_SETTLE, "replace a file that is there"},
    {"cell", "H", OPTION_LENGTH, offsetof(vlOptions, cell), 0, 1e9, VL_FOR_MESH,
     "longest edge of the tetrahedra at the surface, in metres or with a unit (default: a thirtieth of the longest side)"},
    {"scale", "S", OPTION_NUMBER, offsetof(vlOptions, scale), 0, 1e12, VL_FOR_MESH,
     "factor on the file's coordinates, which are then metres (default: 1)"},
    {"repair", NULL, OPTION_FLAG, offsetof(vlOptions, repair), 0, 0, VL_FOR_MESH,
     "close holes and bad edges by the winding number"},
    {"uniform", NULL, OPTION_FLAG, offsetof(vlOptions, uniform), 0, 0, VL_FOR_MESH,
     "tetrahedra of one size, also deep inside"},
    {"threads", "N", OPTION_INT, offsetof(vlOptions, threads), 1, 1024, VL_FOR_MESH,
     "threads to compute with, 1 to 1024 (default: all cores); the mesh does not depend on it"},
    {"plane", "z=0.5", OPTION_TEXT, offsetof(vlOptions, plane), 0, 0, VL_FOR_SLICE,
     "where to cut: x, y or z, and a place in metres or with a unit (default: z, in the middle)"},
    {"frame", "N", OPTION_TEXT, offsetof(vlOptions, frame), 0, 0, VL_FOR_SLICE, "which frame, or all (default: the last)"},
    {"show", "LIST", OPTION_TEXT, offsetof(vlOptions, show), 0, 0, VL_FOR_SLICE,
     "what to draw, with commas: grid, kinds, pressure, liquid, solid, bodies, mesh, areas, patches, samples, velocity"},
    {"window", "A,B,C,D", OPTION_TEXT, offsetof(vlOptions, window), 0, 0, VL_FOR_SLICE,
     "only the part of the plane from its corner (A, B) to (C, D), in metres"},
    {"size", "N", OPTION_INT, offsetof(vlOptions, size), 200, 10000, VL_FOR_SLICE,
     "width of the figure in pixels, 200 to 10000 (default: 1200)"},
    {"format", "svg|png", OPTION_TEXT, offsetof(vlOptions, format), 0, 0, VL_FOR_SLICE,
     "kind of file (default: by FILE's ending, else svg)"},
    {"until", "T", OPTION_TIME, offsetof(vlOptions, until), 0, 1e9, VL_FOR_RUN | VL_FOR_CHECK,
     "end time in seconds or with a unit (\"500 ms\"), instead of the scene's"},
    {"check-level", "N", OPTION_INT, offsetof(vlOptions, check_level), 0, 3, VL_FOR_RUN | VL_FOR_CHECK,
     "how many invariants are checked in each step, 0 to 3, instead of the scene's"},
    {"overwrite", NULL, OPTION_FLAG, offsetof(vlOptions, overwrite), 0, 0, VL_FOR_RUN,
     "replace a run that is in the folder"},
    {"resume", NULL, OPTION_FLAG, offsetof(vlOptions, resume), 0, 0, VL_FOR_RUN,
     "go on with the run in the folder, from its checkpoint"},
    {"start", "FILE", OPTION_TEXT, offsetof(vlOptions, start), 0, 0, VL_FOR_RUN,
     "begin with the state that velella settle has written"},
    {"export-system", NULL, OPTION_FLAG, offsetof(vlOptions, export_system), 0, 0, VL_FOR_RUN,
     "write the last pressure system as Matrix Market"},
    {"json", NULL, OPTION_FLAG, offsetof(vlOptions, json), 0, 0,
     VL_FOR_RUN | VL_FOR_CHECK | VL_FOR_LIST | VL_FOR_INFO | VL_FOR_MESH | VL_FOR_MODES | VL_FOR_SETTLE,
     "results on standard output as JSON, an object on each line"},
    {"quiet", NULL, OPTION_FLAG, offsetof(vlOptions, quiet), 0, 0, VL_FOR_RUN | VL_FOR_MESH | VL_FOR_SETTLE,
     "nothing but warnings and errors: no progress, no line at the end"},
};

enum { OPTION_COUNT = sizeof options_table / sizeof *options_table };

/* The key of scene files with this name, "grid.cells" for "cells"; NULL: there is none. */
static const char *find_key(const char *name, char *path, size_t room)
{
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    bool settable = key->type != VL_KEY_SECTION && !vl_groups[key->group].bytes;
    if (settable && strcmp(key->name, name) == 0) return vl_key_path(key, path, room);
  }
  return NULL;
}

static vlCode unknown_option(const char *name, const char *value, const char *command, int bit, vlStatus *status)
{
  char path[128];
  const char *near = NULL, *key = bit & (VL_FOR_RUN | VL_FOR_CHECK | VL_FOR_MODES | VL_FOR_SETTLE)
                                      ? find_key(name, path, sizeof path)
                                      : NULL;
  if (key)
    return vl_fail(status, VL_ERROR_USAGE, "'%s' has no option --%s; it is a key of the scene: --set %s=%s", command, name,
                   key, value ? value : "VALUE");
  for (int i = 0; i < OPTION_COUNT; i++) {
    if (options_table[i].commands & bit) vl_word_offer(name, options_table[i].name, &near);
  }
  const char *hint[3] = {near ? "; did you mean --" : "", near ? near : "", near ? "?" : ""};
  return vl_fail(status, VL_ERROR_USAGE, "'%s' has no option --%s%s%s%s\nsee: velella help %s", command, name, hint[0],
                 hint[1], hint[2], command);
}

static vlCode set_integer(const Option *option, const char *value, int *field, vlStatus *status)
{
  char *end = NULL;
  errno = 0;
  long number = strtol(value, &end, 10);
  if (end == value || *end || errno || number < option->lo || number > option->hi)
    return vl_fail(status, VL_ERROR_USAGE, "--%s %s: a whole number from %g to %g is wanted", option->name, value,
                   option->lo, option->hi);
  *field = (int)number;
  return VL_OK;
}

/* As times are written in scenes: a plain number is in seconds. */
static vlCode set_time(const Option *option, const char *value, double *field, vlStatus *status)
{
  char why[VL_WHY] = "out of range";
  double seconds;
  bool read = vl_quantity_read(value, strlen(value), VL_DIM_TIME, &seconds, why);
  if (!read || !(seconds > option->lo && seconds <= option->hi))
    return vl_fail(status, VL_ERROR_USAGE,
                   "--%s %s: %s\na time in seconds, more than %g and at most %g, is wanted, as in 0.5 or \"500 ms\"",
                   option->name, value, why, option->lo, option->hi);
  *field = seconds;
  return VL_OK;
}

static vlCode set_quantity(const Option *option, vlDimension dimension, const char *what, const char *value, double *field,
                           vlStatus *status)
{
  char why[VL_WHY] = "out of range";
  double number;
  bool read = vl_quantity_read(value, strlen(value), dimension, &number, why);
  if (!read || !(number > option->lo && number <= option->hi))
    return vl_fail(status, VL_ERROR_USAGE, "--%s %s: %s\n%s, more than %g and at most %g, is wanted", option->name, value,
                   why, what, option->lo, option->hi);
  *field = number;
  return VL_OK;
}

static vlCode set_value(vlOptions *options, const Option *option, const char *value, vlStatus *status)
{
  char *member = (char *)options + option->offset;
  switch (option->kind) {
  case OPTION_FLAG:
    *(bool *)member = true;
    return VL_OK;
  case OPTION_TEXT:
    if (!*value) return vl_fail(status, VL_ERROR_USAGE, "--%s needs a %s that is not empty", option->name, option->value);
    *(const char **)member = value;
    return VL_OK;
  case OPTION_SETTING:
    options->settings[options->setting_count++] = value;
    return VL_OK;
  case OPTION_INT:
    return set_integer(option, value, (int *)member, status);
  case OPTION_TIME:
    return set_time(option, value, (double *)member, status);
  case OPTION_LENGTH:
    return set_quantity(option, VL_DIM_LENGTH, "a length in metres", value, (double *)member, status);
  case OPTION_NUMBER:
    return set_quantity(option, VL_DIM_NONE, "a number", value, (double *)member, status);
  }
  return VL_OK;
}

/* argv[*at] begins with "--" or is "-o"; *at is moved on when the value is a word of its own. */
static vlCode take_option(vlOptions *options, int argc, char **argv, int *at, const char *command, int bit, vlStatus *status)
{
  const char *text = strcmp(argv[*at], "-o") == 0 ? "out" : argv[*at] + 2, *equals = strchr(text, '=');
  size_t n = equals ? (size_t)(equals - text) : strlen(text);
  const Option *option = NULL;
  for (int i = 0; i < OPTION_COUNT; i++) {
    const Option *one = &options_table[i];
    if ((one->commands & bit) && strlen(one->name) == n && strncmp(one->name, text, n) == 0) option = one;
  }
  if (!option) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    return unknown_option(name, equals ? equals + 1 : NULL, command, bit, status);
  }
  if (option->kind == OPTION_FLAG) {
    if (equals) return vl_fail(status, VL_ERROR_USAGE, "--%s takes no value, but has '%s'", option->name, equals + 1);
    return set_value(options, option, NULL, status);
  }
  if (equals) return set_value(options, option, equals + 1, status);
  if (*at + 1 >= argc)
    return vl_fail(status, VL_ERROR_USAGE, "--%s needs a value: --%s %s", option->name, option->name, option->value);
  return set_value(options, option, argv[++*at], status);
}

vlCode vl_options_parse(vlOptions *options, int argc, char **argv, const char *command, int bit, vlStatus *status)
{
  *options = (vlOptions){.check_level = -1, .until = NAN, .arguments = (const char *const *)argv, .argument_count = argc};
  options->settings = calloc((size_t)argc + 1, sizeof *options->settings);
  options->words = calloc((size_t)argc + 1, sizeof *options->words);
  vlCode code = VL_OK;
  if (!options->settings || !options->words)
    code = vl_fail_memory(status, (size_t)argc * sizeof(char *), "the command line");
  bool ended = false;
  for (int i = 2; i < argc && code == VL_OK && !options->help; i++) {
    if (ended || argv[i][0] != '-' || !argv[i][1])
      options->words[options->word_count++] = argv[i];
    else if (strcmp(argv[i], "--") == 0)
      ended = true;
    else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
      options->help = true;
    else if (argv[i][1] == '-' || strcmp(argv[i], "-o") == 0)
      code = take_option(options, argc, argv, &i, command, bit, status);
    else
      code = vl_fail(status, VL_ERROR_USAGE, "'%s' has no option %s; options begin with two dashes\nsee: velella help %s",
                     command, argv[i], command);
  }
  if (code != VL_OK) vl_options_clear(options);
  return code;
}

void vl_options_clear(vlOptions *options)
{
  free(options->settings);
  free(options->words);
  *options = (vlOptions){0};
}

void vl_options_help(FILE *out, int bit)
{
  for (int i = 0; i < OPTION_COUNT; i++) {
    const Option *option = &options_table[i];
    char head[48];
    if (!(option->commands & bit)) continue;
    snprintf(head, sizeof head, "--%s%s%s", option->name, option->value ? " " : "", option->value ? option->value : "");
    fprintf(out, "  %-20s  %s\n", head, option->help);
  }
}
