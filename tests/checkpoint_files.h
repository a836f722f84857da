/* A checkpoint of every kind of chunk, its bytes, and the means to spoil them, for the tests of checkpoints. */
#ifndef VL_TESTS_CHECKPOINT_FILES_H
#define VL_TESTS_CHECKPOINT_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/checkpoint_format.h"
#include "files/file.h"
#include "place.h"

static inline void put_file(const char *path, const void *bytes, size_t length)
{
  FILE *stream = fopen(path, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(bytes, 1, length, stream), length);
  assert_int_equal(fclose(stream), 0);
}

static inline void get_file(const char *path, char **bytes, size_t *length)
{
  assert_int_equal(vl_file_read(path, 1 << 28, bytes, length, NULL), VL_OK);
}

/* Opening fails, names the path and holds `reason`. */
static inline void assert_no_open(const char *path, const char *reason)
{
  vlStatus status = {0};
  vlCheckpointReader *reader;
  assert_int_equal(vl_checkpoint_open(&reader, path, &status), VL_ERROR_FILE);
  assert_null(reader);
  assert_non_null(strstr(status.message, path));
  if (!strstr(status.message, reason)) fail_msg("'%s' lacks '%s'", status.message, reason);
}

enum { LETTERS = 21, NUMBERS = 9 };
static const char sample_text[LETTERS] = "twenty letters long.";
static const double sample_numbers[NUMBERS] = {0.0, -0.0, 1.0 / 3.0, 1e300, 5e-324, -7.0, 2.5, 1e-9, 3.0};

/* "text" of bytes, "step" of one element, "none" without any, "u" and "v" of doubles. */
static inline void write_sample(const char *path)
{
  vlCheckpointWriter *writer;
  const int64_t step = 1234567890123;
  assert_int_equal(vl_checkpoint_create(&writer, path, NULL), VL_OK);
  vl_checkpoint_add(writer, "text", sample_text, 1, LETTERS);
  vl_checkpoint_add(writer, "step", &step, sizeof step, 1);
  vl_checkpoint_add(writer, "none", NULL, 4, 0);
  vl_checkpoint_add(writer, "u", sample_numbers, sizeof(double), NUMBERS);
  vl_checkpoint_add(writer, "v", sample_numbers + 1, sizeof(double), NUMBERS - 1);
  assert_int_equal(vl_checkpoint_commit(&writer, NULL), VL_OK);
  assert_null(writer);
}

/* Where the parts of a file lie, found without the reader. */
enum { PARTS_MAX = 16 };
typedef struct Parts {
  char *bytes;
  size_t length;
  int count;              /* chunks */
  size_t head[PARTS_MAX]; /* of each chunk; [count]: the tail */
} Parts;

static inline void take_parts(Parts *parts, const char *path)
{
  *parts = (Parts){0};
  get_file(path, &parts->bytes, &parts->length);
  size_t at = VL_CHECKPOINT_UNIT;
  while (at + VL_CHECKPOINT_UNIT < parts->length) {
    vlCheckpointHead head;
    memcpy(&head, parts->bytes + at, sizeof head);
    parts->head[parts->count++] = at;
    at += (VL_CHECKPOINT_UNIT + head.size * head.count + sizeof(uint64_t) + VL_CHECKPOINT_UNIT - 1) / VL_CHECKPOINT_UNIT *
          VL_CHECKPOINT_UNIT;
  }
  parts->head[parts->count] = at;
  assert_int_equal(at + VL_CHECKPOINT_UNIT, parts->length);
}

/* Makes the last 8 of the 64 bytes at `part` their right checksum. */
static inline void seal(char *part)
{
  vlCrc64 crc;
  vl_crc64_create(&crc);
  uint64_t checksum = vl_crc64(&crc, 0, part, VL_CHECKPOINT_UNIT - sizeof checksum);
  memcpy(part + VL_CHECKPOINT_UNIT - sizeof checksum, &checksum, sizeof checksum);
}

#endif
