/* Particles on a grid with every block wet, for the tests of liquid/. */
#ifndef VL_TESTS_POND_H
#define VL_TESTS_POND_H

#include <omp.h>
#include <string.h>

#include "grids.h"
#include "liquid/transfer.h"

typedef struct Pond {
  vlGrid grid;
  vlParticles *particles;
  vlBlocks wet;
  double *u[3], *u_old[3], *weight[3], *phi, *open;
  vlFaceMask known, scratch;
} Pond;

static inline double pond_random(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

static inline void pond_create(Pond *pond, int nx, int ny, int nz, double dx, bool affine)
{
  vlStatus status = {0};
  *pond = (Pond){.grid = make_grid(nx, ny, nz, dx, vl_vec(-0.3, 0.2, 1.1))};
  const vlGrid *g = &pond->grid;
  assert_int_equal(vl_particles_create(&pond->particles, g, affine ? VL_PARTICLES_AFFINE : 0, &status), VL_OK);
  assert_int_equal(vl_blocks_create(&pond->wet, g->n, &status), VL_OK);
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++)
      for (int bx = 0; bx < g->blocks_x; bx++) assert_true(vl_blocks_append(&pond->wet, bx, j, k));
  vl_blocks_end(&pond->wet);
  double **fields[] = {&pond->u[0], &pond->u[1], &pond->u[2],      &pond->u_old[0],  &pond->u_old[1], &pond->u_old[2],
                       &pond->phi,  &pond->open, &pond->weight[0], &pond->weight[1], &pond->weight[2]};
  for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) assert_non_null(*fields[f] = vl_field_create(g));
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++) pond->open[vl_grid_at(g, i, j, k)] = 1.0;
  assert_true(vl_face_mask_reserve(&pond->known, pond->wet.count));
  assert_true(vl_face_mask_reserve(&pond->scratch, pond->wet.count));
}

static inline void pond_destroy(Pond *pond)
{
  for (int a = 0; a < 3; a++) {
    vl_field_destroy(&pond->grid, &pond->u[a]);
    vl_field_destroy(&pond->grid, &pond->weight[a]);
    vl_field_destroy(&pond->grid, &pond->u_old[a]);
  }
  vl_field_destroy(&pond->grid, &pond->phi);
  vl_field_destroy(&pond->grid, &pond->open);
  vl_blocks_clear(&pond->wet);
  vl_face_mask_clear(&pond->known);
  vl_face_mask_clear(&pond->scratch);
  vl_particles_destroy(&pond->particles);
  assert_null(pond->particles);
  vl_particles_destroy(&pond->particles);
}

/* Random particles with random velocities in the cells [lo, hi), not yet sorted. */
static inline void pond_scatter(Pond *pond, int count, const double lo[3], const double hi[3], uint64_t seed)
{
  vlStatus status = {0};
  assert_int_equal(vl_particles_reserve(pond->particles, pond->particles->count + (size_t)count, &status), VL_OK);
  for (int i = 0; i < count; i++) {
    float x[3], v[3];
    for (int a = 0; a < 3; a++) {
      x[a] = pond->grid.n[a] == 1 ? 0.5f : (float)(lo[a] + (hi[a] - lo[a]) * pond_random(&seed));
      x[a] = fminf(x[a], nextafterf((float)hi[a], 0.0f));
      v[a] = pond->grid.n[a] == 1 ? 0.0f : (float)(2.0 * pond_random(&seed) - 1.0);
    }
    vl_particles_add(pond->particles, x, v);
  }
}

static inline void pond_sort(Pond *pond)
{
  vlStatus status = {0};
  if (vl_particles_sort(pond->particles, &pond->grid, &status)) fail_msg("%s", status.message);
}

/* A linear velocity: component a at x (cells) is c[a][3] + c[a] . x. */
typedef struct Linear {
  double c[3][4];
} Linear;

static inline double linear_at(const Linear *linear, int a, const double x[3])
{
  const double *c = linear->c[a];
  return c[3] + c[0] * x[0] + c[1] * x[1] + c[2] * x[2];
}

/* Middle of the lower face along a of a cell, in cells. */
static inline void face_middle(const vlGrid *g, int a, int i, int j, int k, double x[3])
{
  const int cell[3] = {i, j, k};
  for (int b = 0; b < 3; b++) x[b] = g->n[b] == 1 ? 0.5 : cell[b] + (b == a ? 0.0 : 0.5);
}

/* The field on all faces, those of the upper sides too. */
static inline void linear_fill(const Linear *linear, const vlGrid *g, double *const u[3])
{
  for (int a = 0; a < 3; a++)
    for (int k = 0; k < g->n[2] + (a == 2); k++)
      for (int j = 0; j < g->n[1] + (a == 1); j++)
        for (int i = 0; i < g->n[0] + (a == 0); i++) {
          double x[3];
          face_middle(g, a, i, j, k, x);
          u[a][vl_grid_at(g, i, j, k)] = linear_at(linear, a, x);
        }
}

static inline bool face_known(const Pond *pond, int a, int i, int j, int k)
{
  int b = vl_blocks_find(&pond->wet, i / VL_BLOCK, j, k);
  return b >= 0 && (pond->known.bits[a][b] >> i % VL_BLOCK & 1u);
}

#endif
