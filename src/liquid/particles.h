/* The liquid's particles: columns of numbers, kept sorted by cell.
 *
 * What a particle carries is said once, by the rows of one table (particles.c); storage, sort, filter, checkpoints, frames
 * and reseeding walk them. A structure of arrays: each component of a column is an array of its own, and loops that need
 * speed read the ones below by name.
 * Positions are in cells from the grid's lower corner, so single precision serves any place and scale; velocities in m/s.
 * Every particle keeps its id for life. */
#ifndef VL_LIQUID_PARTICLES_H
#define VL_LIQUID_PARTICLES_H

#include <math.h>

#include "grid/blocks.h"

enum {
  VL_PARTICLES_SPARE = 8, /* places beyond the last particle that may be read: finite numbers, whatever they are */
  VL_COLUMN_BYTES = 4,    /* of an element of any type */
  VL_COLUMN_PARTS = 9,    /* most components of a column */
  VL_COLUMNS = 16         /* most columns */
};

/* What only some simulations' particles have. */
enum { VL_PARTICLES_AFFINE = 1 };

typedef enum vlColumnType { VL_COLUMN_FLOAT, VL_COLUMN_UINT32 } vlColumnType;

/* What a new particle gets: the column's value, or a number of its own. */
typedef enum vlColumnFresh { VL_FRESH_VALUE, VL_FRESH_ID } vlColumnFresh;

/* A row of the table. */
typedef struct vlColumn {
  const char *name, *unit; /* the name is that of the array in frames */
  vlColumnType type;
  int components;
  const char *part[VL_COLUMN_PARTS]; /* names of the components in checkpoints, and in frames where each has its own */
  vlColumnFresh fresh;
  float value;
  bool renewed;   /* a particle that reseeding moves gets what a new one gets; otherwise it keeps what it has */
  bool shown;     /* frames have it */
  unsigned needs; /* VL_PARTICLES_... without which it is not there */
  size_t member;  /* place in vlParticles of one pointer for each component; 0: none */
} vlColumn;

typedef struct vlParticles {
  size_t count, capacity;
  /* Columns with a name of their own; the same arrays as in `column`: */
  float *x[3];    /* cells [count] */
  float *v[3];    /* m/s [count] */
  float *c[3][3]; /* 1/s: affine velocity, c[a][b] = d v_a / d x_b [count]; NULL unless affine */
  uint32_t *id;   /* [count] */
  struct {
    const vlColumn *row;
    void *part[VL_COLUMN_PARTS]; /* elements of each component [count] */
  } column[VL_COLUMNS];
  int columns, arrays; /* arrays: components of all columns */
  uint32_t next_id;
  bool affine;
  /* Set by vl_particles_sort: */
  vlBlocks home;   /* blocks that hold particles */
  int *cell_start; /* first particle of compact cell [16 home.count + 1] */
  size_t cell_capacity;
  /* scratch of the sort */
  void *swap;
  uint64_t *key;
  uint32_t *index;
  int *cursor;
  size_t cursor_capacity;
} vlParticles;

/* `with`: VL_PARTICLES_... of this simulation. */
vlCode vl_particles_create(vlParticles **particles, const vlGrid *grid, unsigned with, vlStatus *status);
void vl_particles_destroy(vlParticles **particles);
/* A column behind those of the table, before room is reserved for any particle; the row must outlive the particles. */
void vl_particles_add_column(vlParticles *particles, const vlColumn *row);
vlCode vl_particles_reserve(vlParticles *particles, size_t count, vlStatus *status);
/* Appends one, new in all columns but place and velocity; room must have been reserved. */
void vl_particles_add(vlParticles *particles, const float x[3], const float v[3]);
/* Particle i becomes another one in the columns that reseeding renews. */
void vl_particles_renew(vlParticles *particles, size_t i);
/* Keeps the particles with keep[i] != 0, in order. */
void vl_particles_filter(vlParticles *particles, const unsigned char *keep);
/* m/s: the largest part along an axis of any particle's velocity. */
double vl_particles_fastest(const vlParticles *particles);
/* Sorts by block and cell; within a cell the former order stays. Particles must lie inside the grid. */
vlCode vl_particles_sort(vlParticles *particles, const vlGrid *grid, vlStatus *status);

/* Particles that were read from a file: do all lie inside the grid, and is what they carry finite? VL_ERROR_FILE names the
 * array, the index and the value. */
vlCode vl_particles_check(const vlParticles *particles, const vlGrid *grid, vlStatus *status);

/* Bytes of memory for each particle, with the scratch of the sort. */
size_t vl_particles_bytes_each(const vlParticles *particles);

/* Array k, 0 <= k < arrays, as checkpoints order them: of every column what belongs to x, then to y, then the rest. */
typedef struct vlParticleArray {
  const char *name;
  void *data; /* VL_COLUMN_BYTES each [count] */
} vlParticleArray;
vlParticleArray vl_particles_array(const vlParticles *particles, int k);

/* Particles [*first, *last) in the cells [lo, hi) of a block of `home`, 0 <= lo <= hi <= VL_BLOCK. */
static inline void vl_particles_in(const vlParticles *p, int block, int lo, int hi, int *first, int *last)
{
  *first = p->cell_start[block * VL_BLOCK + lo];
  *last = p->cell_start[block * VL_BLOCK + hi];
}
/* How many there are in a cell of the grid. */
static inline int vl_particles_in_cell(const vlParticles *p, const int cell[3])
{
  int block = vl_blocks_find(&p->home, cell[0] / VL_BLOCK, cell[1], cell[2]), l = cell[0] % VL_BLOCK, first = 0, last = 0;
  if (block >= 0) vl_particles_in(p, block, l, l + 1, &first, &last);
  return last - first;
}

/* How densely the particles stand in the volume that the surface gives them. */
typedef struct vlDensity {
  double *filled;    /* part of each cell that is open and below the surface, 0..1, field */
  double *excess;    /* density of particles in a cell, less 1 and what is chance: > 0 crowded, < 0 sparse, field */
  double excess_max; /* largest |excess| */
} vlDensity;

/* Filled part of the wet cells, then their excess. per_cell: particles in a full cell. */
void vl_density_fill(vlDensity *density, const vlGrid *grid, const double *open, const double *phi, const vlBlocks *wet);
void vl_density_compare(vlDensity *density, const vlGrid *grid, const vlParticles *particles, int per_cell,
                        const double *phi, const vlBlocks *wet);
/* Part of its volume that a cell with this excess gains in a step that is worth so many of the usual length. */
typedef struct vlDensityShares {
  double share, out, in;
} vlDensityShares;
vlDensityShares vl_density_shares(double steps);
static inline double vl_density_gain(double excess, vlDensityShares s) { return fmax(-s.in, fmin(s.out, s.share * excess)); }

/* The wet blocks around particles, and what each step needs to know of the space there. */

/* Lists every block with a cell within `reach` cells of a cell that holds particles, of the guests too. */
vlCode vl_wet_around(const vlParticles *particles, vlParticles *const *guests, int guest_count, const vlGrid *grid,
                     int reach, vlBlocks *wet, vlStatus *status);
/* Zeroes fields on the blocks of `before` that are not in `now`. */
void vl_wet_forget(const vlGrid *grid, const vlBlocks *before, const vlBlocks *now, double *const *fields, int count);

#endif
