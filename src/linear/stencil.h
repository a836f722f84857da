/* A symmetric 7-point operator on the active cells of a set of blocks:
 *   (L p)_i = diagonal_i p_i - sum over the six faces of w_f p_j,   diagonal_i = sum_f w_f + d_i
 * with d_i >= 0 the links to fixed values (free surface). Face weights w_f are zero unless both cells are unknowns.
 * All arrays are compact over `blocks` (grid/blocks.h) with one block of zeros before and after, and the entries of cells
 * that are no unknowns are zero in every coefficient and every vector.
 *
 * A stencil may have a tail: unknowns that are no cells, whose entries stand behind the zero block, and pairs of any two
 * unknowns that are linked beside the seven points, A_ij = A_ji = -w; their weights are part of the diagonals. */
#ifndef VL_LINEAR_STENCIL_H
#define VL_LINEAR_STENCIL_H

#include "grid/blocks.h"
#include "linear/solve.h"

typedef struct vlStencilPair {
  int i, j; /* places in a vector */
  double w; /* more than 0 */
} vlStencilPair;

typedef struct vlStencil {
  vlBlocks blocks;  /* blocks that hold at least one unknown; owned */
  size_t capacity;  /* blocks the arrays have room for */
  double *w[3];     /* weight of each cell's lower face along axis a [count blocks] */
  double *diagonal; /* [length]; 0: no unknown */
  int (*side)[4];   /* list index of the blocks at y-1, y+1, z-1, z+1; `count` (a block of zeros) where there is none */
  unsigned char *
      regular; /* every cell an unknown, every weight `unit`, every diagonal sum of weights: coefficients need not be read */
  int axes;    /* axes with more than one cell */
  int64_t unknowns;
  int extra;       /* unknowns of the tail; set before vl_stencil_resize, which ends the list of pairs */
  int *extra_cell; /* place of the cell that stands for each of them on coarser grids; -1: none, as from vl_stencil_resize;
                      owned [extra] */
  size_t extra_cell_capacity;
  int pair_count;
  vlStencilPair *pair; /* [pair_count]; owned */
  size_t pair_capacity;
} vlStencil;

vlCode vl_stencil_create(vlStencil *stencil, const int n[3], vlStatus *status);
void vl_stencil_clear(vlStencil *stencil);
/* After `blocks` was rebuilt: room for all arrays, zeroed, and the neighbours. */
vlCode vl_stencil_resize(vlStencil *stencil, vlStatus *status);
/* After the coefficients were written: marks regular blocks and counts unknowns. */
void vl_stencil_finish(vlStencil *stencil);

/* Place of the tail's first unknown in a vector. */
static inline size_t vl_stencil_tail(const vlStencil *s) { return ((size_t)s->blocks.count + 1) * VL_BLOCK; }
/* Length of a vector: all listed blocks, and a block of zeros and the tail where there is one. Vectors passed to the
 * operator need VL_BLOCK readable zeros before and after. */
static inline size_t vl_stencil_length(const vlStencil *s)
{
  return s->extra > 0 ? vl_stencil_tail(s) + (size_t)s->extra : (size_t)s->blocks.count * VL_BLOCK;
}
/* Blocks of room for it. */
static inline size_t vl_stencil_blocks(const vlStencil *s) { return (vl_stencil_length(s) + VL_BLOCK - 1) / VL_BLOCK; }
/* A compact vector of zeros with its two zero blocks; points at the first value. NULL without memory. */
double *vl_stencil_vector_create(size_t blocks);
void vl_stencil_vector_free(double *vector);

/* A cell in the open: both faces along each of the axes weigh 1 (along others 0), and nothing links it to a fixed value. */
static inline bool vl_stencil_cell_regular(int axes, double diagonal, const double face[6])
{
  int open = 0;
  for (int f = 0; f < 6; f++) open += face[f] == 1.0;
  return open == 2 * axes && diagonal == 2.0 * axes;
}

void vl_stencil_apply(const vlStencil *stencil, const double *x, double *y);
vlOperator vl_stencil_operator(const vlStencil *stencil);

/* Connected components of unknowns through w_f > 0: label[i] = smallest compact index of the component, -1 for no unknown.
 */
void vl_stencil_components(const vlStencil *stencil, int *label);

/* The same matrix over unknowns numbered in order; row_of[compact index] = row or -1. */
vlCode vl_stencil_to_csr(vlCsr **csr, const vlStencil *stencil, int *row_of, vlStatus *status);

#endif
