/* The liquid's particles: a structure of arrays, kept sorted by cell.
 *
 * Positions are in cells from the grid's lower corner, so single precision serves any place and scale; velocities in m/s.
 * Every particle keeps its id for life. */
#ifndef VL_LIQUID_PARTICLES_H
#define VL_LIQUID_PARTICLES_H

#include "grid/blocks.h"

/* Places beyond the last particle that may be read: finite numbers, whatever they are. */
enum { VL_PARTICLES_SPARE = 8 };

typedef struct vlParticles {
  size_t count, capacity;
  float *x[3];    /* cells [count] */
  float *v[3];    /* m/s [count] */
  float *c[3][3]; /* 1/s: affine velocity, c[a][b] = d v_a / d x_b [count]; NULL unless affine */
  uint32_t *id;   /* [count] */
  uint32_t next_id;
  bool affine;
  /* Set by vl_particles_sort: */
  vlBlocks home;   /* blocks that hold particles */
  int *cell_start; /* first particle of compact cell [16 home.count + 1] */
  size_t cell_capacity;
  /* scratch of the sort */
  float *swap;
  uint64_t *key;
  uint32_t *index;
  int *cursor;
  size_t cursor_capacity;
} vlParticles;

vlCode vl_particles_create(vlParticles **particles, const vlGrid *grid, bool affine, vlStatus *status);
void vl_particles_destroy(vlParticles **particles);
vlCode vl_particles_reserve(vlParticles *particles, size_t count, vlStatus *status);
/* Appends one with the next id; room must have been reserved. */
void vl_particles_add(vlParticles *particles, const float x[3], const float v[3]);
/* Keeps the particles with keep[i] != 0, in order. */
void vl_particles_filter(vlParticles *particles, const unsigned char *keep);
/* m/s: the largest part along an axis of any particle's velocity. */
double vl_particles_fastest(const vlParticles *particles);
/* Sorts by block and cell; within a cell the former order stays. Particles must lie inside the grid. */
vlCode vl_particles_sort(vlParticles *particles, const vlGrid *grid, vlStatus *status);

/* Particles [*first, *last) in the cells [lo, hi) of a block of `home`, 0 <= lo <= hi <= VL_BLOCK. */
static inline void vl_particles_in(const vlParticles *p, int block, int lo, int hi, int *first, int *last)
{
  *first = p->cell_start[block * VL_BLOCK + lo];
  *last = p->cell_start[block * VL_BLOCK + hi];
}

#endif
