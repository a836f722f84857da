/* Particles: what they carry, storage and sorting.
 *
 * Sort: mark the blocks that hold particles, list them in order, drop every particle's index into its block's bucket, sort
 * each small bucket by cell and former place, and gather all arrays in that order. Buckets are filled by atomic counters,
 * but the order inside is restored by the small sort, so the result is the same for any number of threads. */
#include "liquid/particles.h"

#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "grid/visitor.h"

/* What the particles of a liquid carry, the one list of it. Place and velocity are given to a new particle by who adds it,
 * and to a reseeded one by who moves it; frames show places as points. */
static const vlColumn TABLE[] = {
    {"position", "cells", VL_COLUMN_FLOAT, 3, {"x", "y", "z"}, .member = offsetof(vlParticles, x)},
    {"velocity", "m/s", VL_COLUMN_FLOAT, 3, {"vx", "vy", "vz"}, .shown = true, .member = offsetof(vlParticles, v)},
    {"affine",
     "1/s",
     VL_COLUMN_FLOAT,
     9,
     {"cxx", "cxy", "cxz", "cyx", "cyy", "cyz", "czx", "czy", "czz"},
     .renewed = true,
     .needs = VL_PARTICLES_AFFINE,
     .member = offsetof(vlParticles, c)},
    {"id",
     "",
     VL_COLUMN_UINT32,
     1,
     {"id"},
     .fresh = VL_FRESH_ID,
     .renewed = true,
     .shown = true,
     .member = offsetof(vlParticles, id)},
};

_Static_assert(sizeof(float) == VL_COLUMN_BYTES && sizeof(uint32_t) == VL_COLUMN_BYTES, "elements are moved as they are");
_Static_assert(sizeof(float *) == sizeof(void *) && sizeof(uint32_t *) == sizeof(void *), "so are pointers to them");

vlCode vl_particles_create(vlParticles **particles, const vlGrid *grid, unsigned with, vlStatus *status)
{
  *particles = calloc(1, sizeof **particles);
  if (!*particles) return vl_fail_memory(status, sizeof **particles, "particles");
  (*particles)->affine = with & VL_PARTICLES_AFFINE;
  for (size_t r = 0; r < sizeof TABLE / sizeof *TABLE; r++)
    if ((TABLE[r].needs & with) == TABLE[r].needs) vl_particles_add_column(*particles, &TABLE[r]);
  vlCode code = vl_blocks_create(&(*particles)->home, grid->n, status);
  if (code) vl_particles_destroy(particles);
  return code;
}

void vl_particles_destroy(vlParticles **particles)
{
  if (!particles || !*particles) return;
  vlParticles *p = *particles;
  for (int n = 0; n < p->columns; n++)
    for (int c = 0; c < VL_COLUMN_PARTS; c++) free(p->column[n].part[c]);
  free(p->swap);
  free(p->key);
  free(p->index);
  free(p->cursor);
  free(p->cell_start);
  vl_blocks_clear(&p->home);
  free(p);
  *particles = NULL;
}

void vl_particles_add_column(vlParticles *p, const vlColumn *row)
{
  assert(p->columns < VL_COLUMNS && row->components <= VL_COLUMN_PARTS && p->capacity == 0);
  p->column[p->columns++].row = row;
  p->arrays += row->components;
}

/* The columns' arrays have moved: the names of their own follow. */
static void name_columns(vlParticles *p)
{
  for (int n = 0; n < p->columns; n++) {
    const vlColumn *row = p->column[n].row;
    if (row->member) memcpy((char *)p + row->member, p->column[n].part, (size_t)row->components * sizeof(void *));
  }
}

size_t vl_particles_bytes_each(const vlParticles *p)
{
  return ((size_t)p->arrays + 1) * VL_COLUMN_BYTES + sizeof *p->key + sizeof *p->index;
}

static bool grow(void **array, size_t before, size_t elements, size_t size)
{
  char *moved = realloc(*array, (elements + VL_PARTICLES_SPARE) * size);
  if (!moved) return false;
  *array = moved;
  size_t kept = before > 0 ? before + VL_PARTICLES_SPARE : 0;
  memset(moved + kept * size, 0, (elements + VL_PARTICLES_SPARE - kept) * size);
  return true;
}

enum { MOST = 1900000000 }; /* the sort counts in int, and an eighth is added */

vlCode vl_particles_reserve(vlParticles *p, size_t count, vlStatus *status)
{
  if (count <= p->capacity) return VL_OK;
  if (count > MOST)
    return vl_fail(status, VL_ERROR_MEMORY, "%zu particles; at most %zu can be counted", count, (size_t)MOST);
  size_t room = count + count / 8;
  void *key = p->key, *index = p->index;
  bool ok = grow(&p->swap, p->capacity, room, VL_COLUMN_BYTES);
  ok = grow(&key, p->capacity, room, sizeof *p->key) && ok;
  ok = grow(&index, p->capacity, room, sizeof *p->index) && ok;
  p->key = key;
  p->index = index;
  for (int n = 0; n < p->columns; n++)
    for (int c = 0; c < p->column[n].row->components; c++)
      ok = grow(&p->column[n].part[c], p->capacity, room, VL_COLUMN_BYTES) && ok;
  name_columns(p);
  if (!ok) return vl_fail_memory(status, room * vl_particles_bytes_each(p), "particles");
  p->capacity = room;
  return VL_OK;
}

/* Particle i gets what a new one gets in a column. */
static void make_fresh(vlParticles *p, int n, size_t i)
{
  const vlColumn *row = p->column[n].row;
  for (int c = 0; c < row->components; c++) {
    uint32_t bits;
    memcpy(&bits, &row->value, sizeof bits);
    if (row->fresh == VL_FRESH_ID) bits = p->next_id++;
    memcpy((char *)p->column[n].part[c] + i * VL_COLUMN_BYTES, &bits, sizeof bits);
  }
}

void vl_particles_add(vlParticles *p, const float x[3], const float v[3])
{
  size_t i = p->count++;
  for (int n = 0; n < p->columns; n++) make_fresh(p, n, i);
  for (int a = 0; a < 3; a++) {
    p->x[a][i] = x[a];
    p->v[a][i] = v[a];
  }
}

void vl_particles_renew(vlParticles *p, size_t i)
{
  for (int n = 0; n < p->columns; n++)
    if (p->column[n].row->renewed) make_fresh(p, n, i);
}

vlParticleArray vl_particles_array(const vlParticles *p, int k)
{
  for (int axis = 0; axis < 3; axis++)
    for (int n = 0; n < p->columns; n++) {
      const vlColumn *row = p->column[n].row;
      int first = axis * row->components / 3, count = (axis + 1) * row->components / 3 - first;
      if (k < count) return (vlParticleArray){row->part[first + k], p->column[n].part[first + k]};
      k -= count;
    }
  return (vlParticleArray){0};
}

static vlCode check_part(const vlColumn *row, int part, const void *data, size_t count, const vlGrid *g, vlStatus *status)
{
  if (row->type != VL_COLUMN_FLOAT) return VL_OK; /* any number is one */
  if (row->member == offsetof(vlParticles, x)) {
    double most = (double)nextafterf((float)g->n[part], 0.0f);
    return vl_numbers_check_in(row->part[part], VL_NUMBERS_FLOAT, data, count, 0.0, most, status);
  }
  bool speed = row->member == offsetof(vlParticles, v);
  return vl_numbers_check(row->part[part], speed ? VL_NUMBERS_FLOAT_SPEED : VL_NUMBERS_FLOAT, data, count, status);
}

vlCode vl_particles_check(const vlParticles *p, const vlGrid *grid, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int n = 0; n < p->columns; n++)
    for (int c = 0; c < p->column[n].row->components && !code; c++)
      code = check_part(p->column[n].row, c, p->column[n].part[c], p->count, grid, status);
  return code;
}

double vl_particles_fastest(const vlParticles *p)
{
  enum { WIDTH = 16, PIECE = 4096 }; /* so many at once, which the compiler does not dare by itself */
  float fastest = 0.0f;
#pragma omp parallel for schedule(static) reduction(max : fastest)
  for (size_t first = 0; first < p->count; first += PIECE)
    for (int a = 0; a < 3; a++) {
      size_t end = first + PIECE < p->count ? first + PIECE : p->count, i = first;
      float most[WIDTH] = {0.0f};
      for (; i + WIDTH <= end; i += WIDTH)
        for (int l = 0; l < WIDTH; l++) most[l] = fabsf(p->v[a][i + l]) > most[l] ? fabsf(p->v[a][i + l]) : most[l];
      for (; i < end; i++) most[0] = fabsf(p->v[a][i]) > most[0] ? fabsf(p->v[a][i]) : most[0];
      for (int l = 0; l < WIDTH; l++) fastest = most[l] > fastest ? most[l] : fastest;
    }
  return (double)fastest;
}

static void filter_array(char *array, size_t count, const unsigned char *keep)
{
  char *to = array;
  for (size_t i = 0; i < count; i++) {
    if (!keep[i]) continue;
    memmove(to, array + i * VL_COLUMN_BYTES, VL_COLUMN_BYTES);
    to += VL_COLUMN_BYTES;
  }
}

void vl_particles_filter(vlParticles *p, const unsigned char *keep)
{
  size_t kept = 0;
  for (int n = 0; n < p->columns; n++)
    for (int c = 0; c < p->column[n].row->components; c++) filter_array(p->column[n].part[c], p->count, keep);
  for (size_t i = 0; i < p->count; i++) kept += keep[i] != 0;
  p->count = kept;
}

/* Particles come in the order of the last sort, so many in a row lie in one block: each run of them counts at once. */
typedef struct Chunk {
  size_t first, last;
} Chunk;

static Chunk own_chunk(size_t count)
{
  size_t threads = (size_t)omp_get_num_threads(), t = (size_t)omp_get_thread_num();
  return (Chunk){count * t / threads, count * (t + 1) / threads};
}

static size_t run_end(const uint32_t *place, size_t first, size_t last)
{
  size_t end = first + 1;
  while (end < last && place[end] == place[first]) end++;
  return end;
}

/* Place of every particle's block, in p->index, and the cells in use. */
static void find_places(vlParticles *p, int lo[3], int hi[3])
{
  int x0 = lo[0], y0 = lo[1], z0 = lo[2], x1 = hi[0], y1 = hi[1], z1 = hi[2];
#pragma omp parallel for simd schedule(static) reduction(min : x0, y0, z0) reduction(max : x1, y1, z1)
  for (size_t i = 0; i < p->count; i++) {
    int x = (int)p->x[0][i], y = (int)p->x[1][i], z = (int)p->x[2][i];
    p->index[i] = (uint32_t)vl_blocks_place(&p->home, x / VL_BLOCK, y, z);
    x0 = x < x0 ? x : x0;
    y0 = y < y0 ? y : y0;
    z0 = z < z0 ? z : z0;
    x1 = x > x1 ? x : x1;
    y1 = y > y1 ? y : y1;
    z1 = z > z1 ? z : z1;
  }
  const int least[3] = {x0, y0, z0}, most[3] = {x1, y1, z1};
  for (int a = 0; a < 3; a++) lo[a] = least[a], hi[a] = most[a];
}

/* Marks and lists the blocks that hold particles; cursor[block] becomes its number of particles. */
static vlCode find_home(vlParticles *p, const vlGrid *g, vlStatus *status)
{
  int lo[3] = {g->n[0], g->n[1], g->n[2]}, hi[3] = {-1, -1, -1};
  vl_blocks_begin(&p->home);
  int *map = p->home.map;
  find_places(p, lo, hi);
  /* counts of particles stand in the map until the list is made */
#pragma omp parallel
  {
    Chunk own = own_chunk(p->count);
    for (size_t i = own.first, end; i < own.last; i = end) {
      end = run_end(p->index, i, own.last);
#pragma omp atomic
      map[p->index[i]] += (int)(end - i);
    }
  }
  bool ok = true;
  for (int k = lo[2]; k <= hi[2]; k++)
    for (int j = lo[1]; j <= hi[1]; j++)
      for (int bx = lo[0] / VL_BLOCK; bx <= hi[0] / VL_BLOCK; bx++) {
        int count = map[vl_blocks_place(&p->home, bx, j, k)];
        if (!count || !ok) continue;
        ok = vl_array_reserve(&p->cursor, &p->cursor_capacity, (size_t)p->home.count + 2, sizeof(int));
        if (!ok) continue;
        p->cursor[p->home.count] = count;
        ok = vl_blocks_append(&p->home, bx, j, k);
      }
  vl_blocks_end(&p->home);
  return ok ? VL_OK : vl_fail_memory(status, (size_t)p->home.count * sizeof(int), "sorting particles");
}

/* Drops every particle's cell and former place into its block's bucket. */
static void fill_buckets(vlParticles *p)
{
  const int *map = p->home.map;
#pragma omp parallel
  {
    Chunk own = own_chunk(p->count);
    for (size_t i = own.first, end; i < own.last; i = end) {
      end = run_end(p->index, i, own.last);
      int block = map[p->index[i]] - 1, run = (int)(end - i), at;
#pragma omp atomic capture
      {
        at = p->cursor[block];
        p->cursor[block] += run;
      }
      for (size_t q = i; q < end; q++) p->key[at++] = (uint64_t)((int)p->x[0][q] % VL_BLOCK) << 32 | (uint32_t)q;
    }
  }
}

static int compare_keys(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Buckets are small and nearly in order. */
static void sort_bucket(uint64_t *key, int count)
{
  if (count > 512) {
    qsort(key, (size_t)count, sizeof *key, compare_keys);
    return;
  }
  for (int i = 1; i < count; i++) {
    uint64_t moving = key[i];
    int at = i;
    for (; at > 0 && key[at - 1] > moving; at--) key[at] = key[at - 1];
    key[at] = moving;
  }
}

static void order_bucket(vlParticles *p, int block, int first, int last)
{
  sort_bucket(p->key + first, last - first);
  int cell = 0;
  for (int i = first; i < last; i++) {
    int lane = (int)(p->key[i] >> 32);
    p->index[i] = (uint32_t)p->key[i];
    while (cell <= lane) p->cell_start[block * VL_BLOCK + cell++] = i;
  }
  while (cell < VL_BLOCK) p->cell_start[block * VL_BLOCK + cell++] = last;
}

/* Spare places behind the last particle are cleared: the array that comes in may have held numbers of another type. */
static void gather(vlParticles *p, void **array)
{
  char *to = p->swap;
  const char *from = *array;
  const uint32_t *index = p->index;
  size_t count = p->count;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++)
    memcpy(to + i * VL_COLUMN_BYTES, from + (size_t)index[i] * VL_COLUMN_BYTES, VL_COLUMN_BYTES);
  if (to) memset(to + count * VL_COLUMN_BYTES, 0, VL_PARTICLES_SPARE * VL_COLUMN_BYTES);
  p->swap = *array;
  *array = to;
}

vlCode vl_particles_sort(vlParticles *p, const vlGrid *grid, vlStatus *status)
{
  vlCode code = find_home(p, grid, status);
  if (code) return code;
  int blocks = p->home.count;
  bool ok = vl_array_reserve(&p->cell_start, &p->cell_capacity, (size_t)blocks * VL_BLOCK + 1, sizeof(int));
  if (!ok) return vl_fail_memory(status, (size_t)blocks * VL_BLOCK * sizeof(int), "sorting particles");
  /* counts become first places, then cursors */
  int total = 0;
  for (int b = 0; b < blocks; b++) {
    int count = p->cursor[b];
    p->cursor[b] = total;
    p->cell_start[b * VL_BLOCK] = total;
    total += count;
  }
  p->cell_start[blocks * VL_BLOCK] = total;
  fill_buckets(p);
#pragma omp parallel for schedule(dynamic, 64)
  for (int b = 0; b < blocks; b++) order_bucket(p, b, b ? p->cursor[b - 1] : 0, p->cursor[b]);
  for (int n = 0; n < p->columns; n++)
    for (int k = 0; k < p->column[n].row->components; k++) gather(p, &p->column[n].part[k]);
  name_columns(p);
  return VL_OK;
}
