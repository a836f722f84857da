/* The command line after the command's name: options by one table, and the words between them. */
#ifndef VL_APP_OPTIONS_H
#define VL_APP_OPTIONS_H

#include <stdio.h>

#include "velella/types.h"

/* Commands, as bits: which of them take an option. */
enum {
  VL_FOR_RUN = 1,
  VL_FOR_CHECK = 2,
  VL_FOR_LIST = 4,
  VL_FOR_INFO = 8,
  VL_FOR_SLICE = 16,
  VL_FOR_BENCH = 32,
  VL_FOR_MESH = 64,
  VL_FOR_MODES = 128,
  VL_FOR_SETTLE = 256,
  VL_OWN_OPTIONS = 1 << 30
};

typedef struct vlOptions {
  const char **settings; /* each --set as given [setting_count] */
  int setting_count;
  const char **words; /* what is no option [word_count] */
  int word_count;
  const char *const *arguments; /* the whole command line [argument_count] */
  int argument_count;
  const char *out; /* NULL: runs/NAME */
  /* of slice, as given; NULL: by default */
  const char *plane, *frame, *show, *window, *format;
  const char *start; /* of run: file of a state to begin with; NULL: as the scene has it */
  double tolerance;  /* of settle; 0: by default */
  const char *sizes; /* of bench, as given; NULL: by default */
  int size;          /* px; 0: by default */
  int threads;       /* 0: all cores */
  int check_level;   /* -1: the scene's */
  double until;      /* s; NaN: the scene's */
  bool json, quiet, overwrite, resume, export_system;
  double cell, scale;                       /* of mesh: m, 0: by default; factor, 0: 1 */
  bool repair, uniform;                     /* of mesh */
  bool hard, no_condition, indefinite_peer; /* of bench */
  bool small;                               /* of bench */
  int steps;                                /* of bench and settle; 0: by default */
  int count;                                /* of modes; 0: by default */
  bool help;                                /* --help or -h: the rest was not read */
} vlOptions;

/* Reads argv[2..] for the command with the given name and bit. */
vlCode vl_options_parse(vlOptions *options, int argc, char **argv, const char *command, int bit, vlStatus *status);
void vl_options_clear(vlOptions *options);
void vl_options_help(FILE *out, int bit); /* a line for each option of the command */

#endif
