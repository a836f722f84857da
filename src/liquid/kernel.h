/* Distance to the liquid's surface from particles alone, calibrated so that a flat level is found where it is.
 *
 * The weighted mean position of the particles around a point lies below it by an amount that depends only on its height over
 * the surface. That relation is known for a half-space evenly full of particles and is inverted. Where solids take part of
 * the space around the point, the mean is compared with the middle of the open part instead of the point itself. */
#ifndef VL_LIQUID_KERNEL_H
#define VL_LIQUID_KERNEL_H

#include "grid/grid.h"
#include "liquid/particles.h"

typedef struct vlKernel {
  int axes;          /* 3, or 2 in a slab */
  double full;       /* cells^axes: integral of the kernel over all space */
  float height[258]; /* cells: height over the surface against the shift of the mean, 0 .. R in 256 steps */
} vlKernel;

#define VL_KERNEL_RADIUS 2.0 /* cells */

void vl_kernel_create(vlKernel *kernel, const vlGrid *grid);
/* Height in cells over the surface for a shift of the mean (cells). */
double vl_kernel_height(const vlKernel *kernel, double shift);
/* Signed distance in cells at x (cells), negative in liquid; VL_KERNEL_RADIUS where no particle is near.
 * open: field, open part of each cell's volume 0..1, must be valid on all cells within two of x that hold particles or
 * solids; NULL: no solids but the domain's sides. */
double vl_kernel_distance(const vlKernel *kernel, const vlGrid *grid, const vlParticles *particles, const double *open,
                          const double x[3]);

/* The same in parts. sum: sum of w d and of w, d = place - x in cells, over the particles (liquid) and over what is not open
 * (solid). */
void vl_kernel_liquid(const vlGrid *grid, const vlParticles *particles, const double x[3], double sum[4]);
double vl_kernel_weight(double squared_distance); /* cells^2 */
void vl_kernel_solid(const vlGrid *grid, const double *open, const double x[3], double sum[4]);
double vl_kernel_resolve(const vlKernel *kernel, const double liquid[4], const double solid[4]);

/* The liquid's level set from its particles. */

/* How full the inside of the liquid is, for keeping its volume. */
typedef struct vlFilling {
  int64_t cells;     /* open cells deep inside the liquid */
  int64_t particles; /* in them */
} vlFilling;

/* What vl_particle_level writes. */
typedef struct vlLevelOutput {
  double *phi; /* m at cell centres, field */
  vlFilling filling;
} vlLevelOutput;

typedef struct vlLevelWork {
  unsigned short *held;   /* cells of each wet block that hold particles or are closed, a bit each [wet] */
  unsigned short *narrow; /* cells that are not wholly open [wet] */
  size_t capacity, narrow_capacity;
} vlLevelWork;

/* phi at the cell centres of the wet blocks. Cells with particles all around are deep and take the kernel's largest depth
 * without a sum. A cell too full of particles is liquid whatever the kernel says, so that pressure can hold what has been
 * pressed together. per_cell: particles in a full cell. */
vlCode vl_particle_level(const vlKernel *kernel, const vlGrid *grid, const vlParticles *particles, int per_cell,
                         const double *open, const vlBlocks *wet, vlLevelWork *work, vlLevelOutput *out, vlStatus *status);

/* Mends the level set (m at cell centres, field) of wet cells. open: part of each cell that is not solid, field; area: m2
 * that is open of lower faces, area[axis], fields. `work` as vl_particle_level left it on the same blocks. */
void vl_wall_level(const vlGrid *grid, const vlBlocks *wet, const vlParticles *particles, const double *open,
                   double *const area[3], vlLevelWork *work, double *phi);

#endif
