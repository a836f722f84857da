/* One level of the multigrid: a float copy of a stencil, with its kernels. Private to multigrid.c and level*.c. */
#ifndef VL_LINEAR_LEVEL_H
#define VL_LINEAR_LEVEL_H

#include "linear/stencil.h"

typedef struct vlLevel {
  const vlBlocks *blocks; /* the finest level shares the stencil's; coarser ones own theirs in `own` */
  vlBlocks own;
  unsigned char *seen; /* scratch while `own` is built: marks in a plane of its places; NULL on the finest level */
  size_t capacity;     /* blocks */
  int axes;            /* axes with more than one cell */
  float *w[3];         /* lower face weights, compact, padded by a zero block on both ends, as are all below */
  float *inverse;      /* 1 / diagonal; 0: no unknown */
  float *diagonal;
  float *x, *b, *r; /* correction, right-hand side, residual */
  float *extra;     /* share of the parent beside trilinear interpolation (level_transfer.c) */
  int (*side)[4];   /* as in vlStencil */
  unsigned char *regular;
  unsigned char *plain; /* extra is zero in the whole block */
  /* Blocks that transfers read, `count` (zeros) where there is none; set by vl_level_prepare_transfer. */
  int (*finer)[16][4]; /* of a coarse block: left, two and right of the fine rows around it, by row */
  int (*parent)[4];    /* of a fine block: that of its parents in the coarse rows around it, by row */
  int (*beside)[4];    /* and the block left or right of that, on the fine block's side */
  int64_t unknowns;
} vlLevel;

/* Passes over a level. Gauss-Seidel goes over one colour of a checkerboard at a time. */
typedef enum vlPass {
  VL_PASS_BEGIN, /* x = 0, then red */
  VL_PASS_RED,
  VL_PASS_BLACK,
  VL_PASS_RESIDUAL /* r = b - A x */
} vlPass;

void vl_level_clear(vlLevel *level);
double vl_level_bytes(const vlLevel *level); /* memory it holds */
vlCode vl_level_from_stencil(vlLevel *level, const vlStencil *stencil, vlStatus *status);
/* Re-discretises `fine` on cells twice as large along every axis that has more than one cell. */
vlCode vl_level_coarsen(vlLevel *coarse, const vlLevel *fine, vlStatus *status);

/* Sets `extra` of the finer level, right after vl_level_coarsen; overwrites the coarser x. */
void vl_level_prepare_transfer(vlLevel *coarse, vlLevel *fine);

/* Several passes one after the other, led over the level together. */
void vl_level_passes(vlLevel *level, const vlPass *pass, int count);
void vl_level_passes_plain(vlLevel *level, const vlPass *pass, int count); /* the same, one at a time: the reference */
void vl_level_restrict(const vlLevel *fine, vlLevel *coarse); /* coarse b = scaled transpose of prolongation of fine r */
void vl_level_prolong(const vlLevel *coarse, vlLevel *fine);  /* fine x += P coarse x */

#endif
