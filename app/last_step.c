/* Reads the last line of series.csv without the lines before it: the header, then the end of the file. Columns are found by
 * their names, so a file of another version gives what it has. */
#include "last_step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "files/file.h"

enum { ROOM = 8192 }; /* bytes; far longer than a line */

/* The header line and the last whole line after it. */
static bool read_ends(FILE *file, char header[static ROOM], char tail[static ROOM], const char **last)
{
  if (!fgets(header, ROOM, file) || fseek(file, 0, SEEK_END) != 0) return false;
  long size = ftell(file), first = (long)strlen(header), from = size > ROOM - 1 ? size - (ROOM - 1) : 0;
  if (from < first) from = first;
  if (size <= from || fseek(file, from, SEEK_SET) != 0) return false;
  size_t n = fread(tail, 1, (size_t)(size - from), file);
  while (n && tail[n - 1] != '\n') n--; /* a line that is being written */
  if (!n) return false;
  tail[n - 1] = '\0';
  const char *before = strrchr(tail, '\n');
  *last = before ? before + 1 : tail;
  return true;
}

/* The value below the column whose header is `name` or "name [unit]"; 0: no such column. */
static double column(const char *header, const char *line, const char *name)
{
  size_t n = strlen(name);
  while (header && line) {
    if (strncmp(header, name, n) == 0 && strchr(" ,\r\n", header[n])) return strtod(line, NULL);
    header = strchr(header, ',');
    line = strchr(line, ',');
    if (header) header++;
    if (line) line++;
  }
  return 0.0;
}

/* A count; what is none, in a damaged file, is 0. */
static int64_t whole(const char *header, const char *line, const char *name)
{
  double value = column(header, line, name);
  return fabs(value) < 9e15 ? (int64_t)value : 0;
}

static vlVec3 columns(const char *header, const char *line, const char *name)
{
  vlVec3 v;
  for (int a = 0; a < 3; a++) {
    char full[64];
    snprintf(full, sizeof full, "%s_%c", name, "xyz"[a]);
    v.v[a] = column(header, line, full);
  }
  return v;
}

bool vl_last_step_read(const char *folder, vlStepInfo *info)
{
  *info = (vlStepInfo){0};
  char header[ROOM], tail[ROOM], *path = vl_path_join(folder, "series.csv");
  const char *line;
  FILE *file = path ? fopen(path, "re") : NULL;
  bool read = file && read_ends(file, header, tail, &line);
  if (read) {
    info->step = whole(header, line, "step");
    info->time = column(header, line, "time");
    info->liquid_cells = whole(header, line, "liquid_cells");
    info->iterations = (int)whole(header, line, "iterations");
    info->max_speed = column(header, line, "max_speed");
    info->volume = column(header, line, "volume");
    info->particle_volume = column(header, line, "particle_volume");
    info->wall_force = columns(header, line, "wall_force");
    info->body_force = columns(header, line, "body_force");
    info->weight = columns(header, line, "weight");
    info->bodies = (int)whole(header, line, "bodies");
    info->inverted = (int)whole(header, line, "inverted");
    info->separation_loops = (int)whole(header, line, "separation_loops");
    info->separation_fallbacks = (int)whole(header, line, "separation_fallbacks");
    info->parted = whole(header, line, "parted");
  }
  if (file) fclose(file);
  free(path);
  return read && info->step > 0;
}

double vl_last_step_force(const vlStepInfo *info)
{
  double weight2 = vl_dot(info->weight, info->weight);
  return weight2 > 0.0 ? vl_dot(vl_add(info->wall_force, info->body_force), info->weight) / weight2 : NAN;
}
