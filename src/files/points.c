/* Particles as VTP and PLY.
 *
 * The particles lie in memory as one array for each component, in the files as one record for each particle, of places
 * and data together (PLY) or one after the other (VTP). Records are made in a small buffer that is filled and written again
 * and again, so a frame takes no memory that grows with the number of particles. Positions are computed in doubles,
 * x = offset + scale X, and rounded once to the floats of the file. Both formats count particles in 32 bits.
 * Inputs: arrays of X and of the data, scale, offset, time. Output: one file. */
#include "files/points.h"

#include <math.h>
#include <string.h>

#include "files/file.h"
#include "files/vtk_xml.h"

enum { NUMBER = 4, BUFFER = 1 << 16 }; /* bytes of any number in the files, of the buffer */

static float place(const vlPoints *p, size_t i, int a) { return (float)(p->offset.v[a] + p->scale * (double)p->x[a][i]); }

static vlCode refuse(const char *path, const vlPoints *p, const char *name, size_t i, int component, float value,
                     vlStatus *status)
{
  char what[128];
  snprintf(what, sizeof what, "%s of the particle at index %zu (id %u), component %d,", name, i, p->id[i], component);
  return vl_vtk_check_number(path, what, (double)value, status);
}

/* A position beyond the largest float is refused as the infinity it would be written as. */
static vlCode check_points(const char *path, const vlPoints *p, vlStatus *status)
{
  if (p->count > INT32_MAX)
    return vl_fail(status, VL_ERROR_FILE, "%s is not written: it would hold %zu particles; at most %d are allowed", path,
                   p->count, INT32_MAX);
  vlCode code = vl_vtk_check_number(path, "time", p->time, status);
  for (int a = 0; a < 3; a++)
    for (size_t i = 0; i < p->count && code == VL_OK; i++)
      if (!isfinite(place(p, i, a))) code = refuse(path, p, "position", i, a, place(p, i, a), status);
  for (const vlColumnView *d = p->data; d < p->data + p->data_count; d++)
    for (int c = 0; c < d->components && !d->whole; c++) {
      const float *value = d->value[c];
      for (size_t i = 0; i < p->count && code == VL_OK; i++)
        if (!isfinite(value[i])) code = refuse(path, p, d->name, i, c, value[i], status);
    }
  return code;
}

/* Numbers of one array into records of `record` bytes, from particle `first` on. */
static void put(unsigned char *to, size_t record, const void *value, size_t first, size_t n)
{
  const unsigned char *from = (const unsigned char *)value + first * NUMBER;
  for (size_t i = 0; i < n; i++) memcpy(to + i * record, from + i * NUMBER, NUMBER);
}

static void put_places(unsigned char *to, size_t record, const vlPoints *p, int a, size_t first, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    float x = place(p, first + i, a);
    memcpy(to + i * record, &x, NUMBER);
  }
}

static size_t record_bytes(bool places, const vlColumnView *data, int count)
{
  size_t components = places ? 3 : 0;
  for (int d = 0; d < count; d++) components += (size_t)data[d].components;
  return components * NUMBER;
}

/* A record for each particle: its place if asked for, then the data. */
static void write_records(vlFile *file, const vlPoints *p, bool places, const vlColumnView *data, int count)
{
  unsigned char buffer[BUFFER];
  size_t record = record_bytes(places, data, count), most = BUFFER / record;
  for (size_t first = 0; first < p->count; first += most) {
    size_t n = p->count - first < most ? p->count - first : most;
    unsigned char *to = buffer;
    for (int a = 0; a < 3 && places; a++, to += NUMBER) put_places(to, record, p, a, first, n);
    for (int d = 0; d < count; d++)
      for (int c = 0; c < data[d].components; c++, to += NUMBER) put(to, record, data[d].value[c], first, n);
    vl_file_write(file, buffer, n * record);
  }
}

/* The numbers from, from + 1, ..., one for each particle. */
static void write_range(vlFile *file, size_t count, int32_t from)
{
  int32_t buffer[BUFFER / NUMBER];
  for (size_t first = 0, n; first < count; first += n, from += (int32_t)n) {
    n = count - first < BUFFER / NUMBER ? count - first : BUFFER / NUMBER;
    for (size_t i = 0; i < n; i++) buffer[i] = from + (int32_t)i;
    vl_file_write(file, buffer, n * NUMBER);
  }
}

vlCode vl_points_write_vtp(const char *path, const vlPoints *p, vlStatus *status)
{
  vlFile file;
  vlCode code = check_points(path, p, status);
  if (code == VL_OK) code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;

  uint64_t at = 0, each = NUMBER * (uint64_t)p->count;
  const vlVtkBlock place_block = {"Points", "Float32", 3, NULL, 3 * each},
                   verts[2] = {{"connectivity", "Int32", 1, NULL, each}, {"offsets", "Int32", 1, NULL, each}};
  vlVtkBlock data[VL_POINTS_DATA];
  for (int d = 0; d < p->data_count; d++) {
    const vlColumnView *from = &p->data[d];
    data[d] = (vlVtkBlock){from->name, from->whole ? "UInt32" : "Float32", from->components, NULL,
                           each * (uint64_t)from->components};
  }
  vl_vtk_begin(&file, "PolyData", "", p->time);
  vl_file_print(&file, "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\">\n", p->count, p->count);
  vl_vtk_section(&file, "PointData", data, p->data_count, &at);
  vl_vtk_section(&file, "Points", &place_block, 1, &at);
  vl_vtk_section(&file, "Verts", verts, 2, &at);
  vl_vtk_data_begin(&file, "PolyData");
  for (int d = 0; d < p->data_count; d++) {
    vl_file_write(&file, &data[d].bytes, sizeof data[d].bytes);
    write_records(&file, p, false, &p->data[d], 1);
  }
  vl_file_write(&file, &place_block.bytes, sizeof place_block.bytes);
  write_records(&file, p, true, NULL, 0);
  for (int end = 0; end < 2; end++) {
    vl_file_write(&file, &each, sizeof each);
    write_range(&file, p->count, end);
  }
  vl_vtk_data_end(&file);
  return vl_file_commit(&file, status);
}

vlCode vl_points_write_ply(const char *path, const vlPoints *p, vlStatus *status)
{
  vlFile file;
  vlCode code = check_points(path, p, status);
  if (code == VL_OK) code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;

  char text[VL_NUMBER_TEXT];
  vl_file_print(&file, "ply\nformat binary_little_endian 1.0\ncomment time %s s\nelement vertex %zu\n",
                vl_number_text(p->time, text), p->count);
  vl_file_print(&file, "property float x\nproperty float y\nproperty float z\n");
  for (int d = 0; d < p->data_count; d++)
    for (int c = 0; c < p->data[d].components; c++)
      vl_file_print(&file, "property %s %s\n", p->data[d].whole ? "uint" : "float", p->data[d].part[c]);
  vl_file_print(&file, "end_header\n");
  write_records(&file, p, true, p->data, p->data_count);
  return vl_file_commit(&file, status);
}
