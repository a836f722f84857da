/* A folder for one test file's output, and whether something stands at a path. */
#ifndef VL_TESTS_PLACE_H
#define VL_TESTS_PLACE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Place {
  char folder[64], path[96], part[104]; /* the file a test writes, and its name while it is written */
} Place;

static inline int make_place(void **state)
{
  Place *place = calloc(1, sizeof *place);
  if (!place) return -1;
  strcpy(place->folder, "/tmp/vl_test_XXXXXX");
  if (!mkdtemp(place->folder)) return -1;
  snprintf(place->path, sizeof place->path, "%s/data", place->folder);
  snprintf(place->part, sizeof place->part, "%s.part", place->path);
  *state = place;
  return 0;
}

/* Fails when a test has left anything behind but `path`. */
static inline int remove_place(void **state)
{
  Place *place = *state;
  unlink(place->path);
  int code = rmdir(place->folder);
  free(place);
  return code;
}

static inline bool there(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0;
}

#endif
