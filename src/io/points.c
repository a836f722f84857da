/* Particles as VTP and PLY.
 *
 * The particles lie in memory as one array for each coordinate, in the files as one record for each particle. They are
 * put in order in a small buffer that is filled and written again and again, so a frame takes no memory that grows with
 * the number of particles. Positions are computed in doubles, x = offset + scale X, and rounded once to the floats of the
 * file. Both formats count particles in 32 bits.
 * Inputs: arrays of X, v and id, scale, offset, time. Output: one file. */
#include "io/points.h"

#include <math.h>
#include <string.h>

#include "io/file.h"
#include "io/vtk_xml.h"

enum { CHUNK = 2048 }; /* particles in the buffer */

typedef struct Points {
  size_t count;
  const float *const *x, *const *v;
  const uint32_t *id;
  double scale;
  vlVec3 offset;
} Points;

static float place(const Points *p, size_t i, int a) { return (float)(p->offset.v[a] + p->scale * (double)p->x[a][i]); }

/* A position beyond the largest float is refused as the infinity it would be written as. */
static vlCode check_points(const char *path, const Points *p, double time, vlStatus *status)
{
  if (p->count > INT32_MAX)
    return vl_fail(status, VL_ERROR_FILE, "%s is not written: it would hold %zu particles; at most %d are allowed", path,
                   p->count, INT32_MAX);
  vlCode code = vl_vtk_check_number(path, "time", time, status);
  for (size_t i = 0; i < p->count && code == VL_OK; i++)
    for (int a = 0; a < 3 && code == VL_OK; a++) {
      bool placed = isfinite(place(p, i, a));
      if (placed && isfinite(p->v[a][i])) continue;
      char what[96];
      snprintf(what, sizeof what, "%s of the particle at index %zu (id %u), component %d,", placed ? "velocity" : "position",
               i, p->id[i], a);
      code = vl_vtk_check_number(path, what, placed ? p->v[a][i] : place(p, i, a), status);
    }
  return code;
}

/* The blocks of a VTP file, in its order; each knows how to put particle i into the buffer. */
typedef enum Kind { VELOCITY, ID, PLACE, CONNECTIVITY, END, KIND_COUNT } Kind;

typedef union Value {
  float f[3];
  uint32_t u;
  int32_t i;
} Value;

static Value value_of(const Points *p, Kind kind, size_t i)
{
  switch (kind) {
  case VELOCITY:
    return (Value){.f = {p->v[0][i], p->v[1][i], p->v[2][i]}};
  case PLACE:
    return (Value){.f = {place(p, i, 0), place(p, i, 1), place(p, i, 2)}};
  case ID:
    return (Value){.u = p->id[i]};
  case CONNECTIVITY:
    return (Value){.i = (int32_t)i};
  default:
    return (Value){.i = (int32_t)(i + 1)};
  }
}

static void write_block(vlFile *file, const Points *p, Kind kind, uint64_t bytes)
{
  unsigned char buffer[CHUNK * sizeof(Value)];
  size_t size = kind == VELOCITY || kind == PLACE ? 3 * sizeof(float) : sizeof(uint32_t);
  vl_file_write(file, &bytes, sizeof bytes);
  for (size_t first = 0; first < p->count; first += CHUNK) {
    size_t n = p->count - first < CHUNK ? p->count - first : CHUNK;
    for (size_t i = 0; i < n; i++) {
      Value value = value_of(p, kind, first + i);
      memcpy(buffer + i * size, &value, size);
    }
    vl_file_write(file, buffer, n * size);
  }
}

vlCode vl_points_write_vtp(const char *path, size_t count, const float *const x[3], const float *const v[3],
                           const uint32_t *id, double scale, vlVec3 offset, double time, vlStatus *status)
{
  Points p = {count, x, v, id, scale, offset};
  vlFile file;
  vlCode code = check_points(path, &p, time, status);
  if (code == VL_OK) code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;

  const vlVtkBlock block[KIND_COUNT] = {[VELOCITY] = {"velocity", "Float32", 3, NULL, 12 * (uint64_t)count},
                                        [ID] = {"id", "UInt32", 1, NULL, 4 * (uint64_t)count},
                                        [PLACE] = {"Points", "Float32", 3, NULL, 12 * (uint64_t)count},
                                        [CONNECTIVITY] = {"connectivity", "Int32", 1, NULL, 4 * (uint64_t)count},
                                        [END] = {"offsets", "Int32", 1, NULL, 4 * (uint64_t)count}};
  uint64_t at = 0;
  vl_vtk_begin(&file, "PolyData", "", time);
  vl_file_print(&file, "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\">\n", count, count);
  vl_vtk_section(&file, "PointData", block, 2, &at);
  vl_vtk_section(&file, "Points", block + PLACE, 1, &at);
  vl_vtk_section(&file, "Verts", block + CONNECTIVITY, 2, &at);
  vl_vtk_data_begin(&file, "PolyData");
  for (int k = 0; k < KIND_COUNT; k++) write_block(&file, &p, (Kind)k, block[k].bytes);
  vl_vtk_data_end(&file);
  return vl_file_commit(&file, status);
}

/* One particle of a PLY file. */
typedef struct Record {
  float x[3], v[3];
  uint32_t id;
} Record;
_Static_assert(sizeof(Record) == 28, "records are written as they lie in memory");

vlCode vl_points_write_ply(const char *path, size_t count, const float *const x[3], const float *const v[3],
                           const uint32_t *id, double scale, vlVec3 offset, double time, vlStatus *status)
{
  Points p = {count, x, v, id, scale, offset};
  vlFile file;
  vlCode code = check_points(path, &p, time, status);
  if (code == VL_OK) code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;

  static const char *const names[6] = {"x", "y", "z", "vx", "vy", "vz"};
  char text[VL_NUMBER_TEXT];
  vl_file_print(&file, "ply\nformat binary_little_endian 1.0\ncomment time %s s\nelement vertex %zu\n",
                vl_number_text(time, text), count);
  for (int i = 0; i < 6; i++) vl_file_print(&file, "property float %s\n", names[i]);
  vl_file_print(&file, "property uint id\nend_header\n");
  for (size_t first = 0; first < count; first += CHUNK) {
    Record buffer[CHUNK];
    size_t n = count - first < CHUNK ? count - first : CHUNK;
    for (size_t i = 0; i < n; i++) {
      buffer[i].id = id[first + i];
      for (int a = 0; a < 3; a++) {
        buffer[i].x[a] = place(&p, first + i, a);
        buffer[i].v[a] = v[a][first + i];
      }
    }
    vl_file_write(&file, buffer, n * sizeof *buffer);
  }
  return vl_file_commit(&file, status);
}
