/* The few types that every part of Velella shares: vectors, boxes, results, the log.
 * All lengths are metres, all quantities SI, y is up. */
#ifndef VELELLA_TYPES_H
#define VELELLA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VL_X = 0, VL_Y = 1, VL_Z = 2 };

typedef union vlVec3 {
  struct {
    double x, y, z;
  };
  double v[3];
} vlVec3;

/* Row-major: m[row][column]. */
typedef struct vlMat3 {
  double m[3][3];
} vlMat3;

/* Axis-aligned box; empty when any lo > hi. Sides may be infinite. */
typedef struct vlBox3 {
  vlVec3 lo, hi;
} vlBox3;

/* What a function that can fail returns; also the exit codes of the command `velella`. */
typedef enum vlCode {
  VL_OK = 0,
  VL_ERROR_INTERNAL = 1, /* a bug of ours */
  VL_ERROR_USAGE = 2,    /* command line */
  VL_ERROR_SCENE = 3,    /* scene file: syntax, unknown key, value out of range */
  VL_ERROR_FILE = 4,     /* missing, unreadable, unwritable, disk full, run exists */
  VL_ERROR_MESH = 5,     /* mesh file: syntax, holes, bad edges */
  VL_ERROR_MEMORY = 6,   /* not enough memory */
  VL_ERROR_SOLVER = 7,   /* a step failed even after retries; the last good state is saved */
  VL_ERROR_BACKEND = 8,  /* this build or machine lacks what was asked for */
  VL_INTERRUPTED = 9     /* stopped by the user; the run can be read */
} vlCode;

/* A result with its explanation. The message names the thing, its value and what is allowed; it may span several lines (an
 * excerpt with a caret, and all mistakes of a scene). Functions write it only when they fail; NULL may be given for it. */
typedef struct vlStatus {
  vlCode code;
  char message[16384];
} vlStatus;

typedef enum vlLogLevel { VL_LOG_ERROR, VL_LOG_WARNING, VL_LOG_INFO, VL_LOG_DEBUG } vlLogLevel;

/* The library never prints: it hands every line, without its end, to the caller's function (NULL: dropped). The line lives
 * as long as the call, which comes from the thread that called the library. */
typedef struct vlLog {
  void (*write)(void *user, vlLogLevel level, const char *line);
  void *user; /* handed on */
} vlLog;

#endif
