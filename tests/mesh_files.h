/* Mesh files of every format, written byte by byte for the tests of the readers. */
#ifndef VL_TESTS_MESH_FILES_H
#define VL_TESTS_MESH_FILES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh_shapes.h"

/* Bytes of a file under construction. */
typedef struct Bytes {
  char data[65536];
  size_t count;
} Bytes;

static inline void put(Bytes *b, const void *data, size_t count)
{
  assert_true(b->count + count <= sizeof b->data);
  memcpy(b->data + b->count, data, count);
  b->count += count;
}

static inline void put_text(Bytes *b, const char *text) { put(b, text, strlen(text)); }

/* The machine that runs the tests is little-endian. */
static inline void put_number(Bytes *b, const void *value, size_t count, bool big)
{
  for (size_t i = 0; i < count; i++) put(b, (const char *)value + (big ? count - 1 - i : i), 1);
}

static inline void put_float(Bytes *b, float value, bool big) { put_number(b, &value, sizeof value, big); }
static inline void put_int(Bytes *b, int32_t value, bool big) { put_number(b, &value, sizeof value, big); }

static inline Bytes write_obj(const vlTriMesh *mesh)
{
  Bytes b = {.count = 0};
  char line[128];
  for (int i = 0; i < mesh->vertex_count; i++) {
    snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", mesh->x[i].x, mesh->x[i].y, mesh->x[i].z);
    put_text(&b, line);
  }
  for (int t = 0; t < mesh->triangle_count; t++) {
    snprintf(line, sizeof line, "f %d %d %d\n", mesh->tri[t][0] + 1, mesh->tri[t][1] + 1, mesh->tri[t][2] + 1);
    put_text(&b, line);
  }
  return b;
}

static const char *const ply_formats[3] = {"ascii", "binary_little_endian", "binary_big_endian"};

/* format 0 text, 1 little-endian, 2 big-endian. With a dropped element and dropped properties around. */
static inline Bytes write_ply(const vlTriMesh *mesh, int format)
{
  Bytes b = {.count = 0};
  char line[512];
  snprintf(line, sizeof line,
           "ply\nformat %s 1.0\ncomment by hand\nobj_info none\nelement camera 2\nproperty list uchar double lens\n"
           "element vertex %d\nproperty short tag\nproperty double x\nproperty double y\nproperty double z\n"
           "property list int short near\nelement nothing 4000000000\nelement face %d\nproperty uchar red\n"
           "property list uchar int vertex_indices\nproperty float quality\nend_header\n",
           ply_formats[format], mesh->vertex_count, mesh->triangle_count);
  put_text(&b, line);
  bool big = format == 2;
  if (format == 0) {
    put_text(&b, "0\n3 1 2.5 -3e-7\n");
  } else {
    put(&b, "\0\1", 2);
    put_number(&b, &(double){NAN}, sizeof(double), big);
  }
  for (int i = 0; i < mesh->vertex_count; i++) {
    if (format == 0) {
      snprintf(line, sizeof line, "-7 %.17g %.17g %.17g 1 5\n", mesh->x[i].x, mesh->x[i].y, mesh->x[i].z);
      put_text(&b, line);
      continue;
    }
    put_number(&b, &(int16_t){-7}, sizeof(int16_t), big);
    for (int a = 0; a < 3; a++) put_number(&b, &mesh->x[i].v[a], sizeof(double), big);
    put_int(&b, 1, big);
    put_number(&b, &(int16_t){5}, sizeof(int16_t), big);
  }
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *tri = mesh->tri[t];
    if (format == 0) {
      snprintf(line, sizeof line, "255 3 %d %d %d 0.5\n", tri[0], tri[1], tri[2]);
      put_text(&b, line);
      continue;
    }
    put(&b, "\xff\3", 2);
    for (int k = 0; k < 3; k++) put_int(&b, tri[k], big);
    put_float(&b, 0.5f, big);
  }
  return b;
}

static inline Bytes write_stl_text(const vlTriMesh *mesh)
{
  Bytes b = {.count = 0};
  char line[128];
  put_text(&b, "solid a cube\n");
  for (int t = 0; t < mesh->triangle_count; t++) {
    put_text(&b, "  facet normal nan nan -nan(ind)\n    outer loop\n");
    for (int k = 0; k < 3; k++) {
      vlVec3 x = mesh->x[mesh->tri[t][k]];
      snprintf(line, sizeof line, "      vertex %.9g %.9g %.9g\n", x.x, x.y, x.z);
      put_text(&b, line);
    }
    put_text(&b, "    endloop\n  endfacet\n");
  }
  put_text(&b, "endsolid a cube\n");
  return b;
}

static inline Bytes write_stl_binary(const vlTriMesh *mesh, const char *title)
{
  Bytes b = {.count = 0};
  char header[80] = {0};
  memcpy(header, title, strlen(title));
  put(&b, header, sizeof header);
  put_int(&b, mesh->triangle_count, false);
  for (int t = 0; t < mesh->triangle_count; t++) {
    for (int a = 0; a < 3; a++) put_float(&b, NAN, false);
    for (int k = 0; k < 9; k++) put_float(&b, (float)mesh->x[mesh->tri[t][k / 3]].v[k % 3], false);
    put(&b, "\0\0", 2);
  }
  return b;
}

#endif
