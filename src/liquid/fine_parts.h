/* What the files of the fine level set share.
 *
 * A node is known when |phi| < vl_fine_far: all nodes of near cells are. Around them, in the blocks of rows of nodes that
 * hold known ones and in the blocks next to these, unknown nodes read plus or minus vl_fine_far, so that differences and
 * cubes that reach beyond the near cells show it by their size. A slab's rows are those of its first plane of nodes; the
 * others repeat it. Distances and places within these files are in fine cells where they are called q. */
#ifndef VL_LIQUID_FINE_PARTS_H
#define VL_LIQUID_FINE_PARTS_H

#include "liquid/fine.h"

/* Cells, or nodes, a bit each in the blocks that hold any. */
typedef struct vlFineSet {
  vlBlocks blocks;
  unsigned short *bits; /* [blocks] */
  size_t capacity;
} vlFineSet;

vlCode vl_fine_set_create(vlFineSet *set, const int n[3], vlStatus *status);
void vl_fine_set_clear(vlFineSet *set);
double vl_fine_set_bytes(const vlFineSet *set);
/* Rebuilds a set, in sorted order: vl_blocks_begin, append, vl_blocks_end. False: no memory. */
bool vl_fine_set_append(vlFineSet *set, int bx, int j, int k, unsigned bits);
static inline unsigned vl_fine_set_bits(const vlFineSet *set, vlBlockPosition p)
{
  int b = vl_blocks_find(&set->blocks, p.bx, p.j, p.k);
  return b < 0 ? 0u : set->bits[b];
}
bool vl_fine_set_covers(const vlFineSet *set, const vlFineSet *part);
/* All return false where memory ran out. */
bool vl_fine_set_unite(const vlFineSet *a, const vlFineSet *b, vlFineSet *both);
bool vl_fine_set_grow(const vlFineSet *set, vlFineSet *grown); /* by VL_FINE_BAND cells along each axis */
bool vl_fine_set_nodes(const vlFineSet *cells, int refine, vlFineSet *nodes);
/* The cells of a set among whose nodes some are in liquid and others are not. */
bool vl_fine_set_crossed(const vlFine *fine, const vlFineSet *cells, const double *phi, vlFineSet *crossed);

typedef struct vlFineFront {
  ptrdiff_t at;
  int q[3];
  double value;
} vlFineFront;

struct vlFineWork {
  double *next;          /* m: field of nodes, which becomes phi */
  vlPageUse pages;       /* of phi and next */
  vlPageUse side_pages;  /* of side */
  int64_t deep;          /* cells whose side is -1 */
  vlFineSet nodes;       /* of the near cells */
  vlFineSet seen, spare; /* cells whose nodes have been looked at */
  vlFineSet crossed, found;
  vlFineSet looked, more; /* nodes of the cells seen, before and after they became more */
  unsigned short *which;  /* nodes to look at, or unknown ones [which_capacity] */
  size_t which_capacity;
  unsigned short *edge; /* unknown nodes next to known ones */
  size_t edge_capacity;
  double *sum; /* of each block */
  size_t sum_capacity;
  int (*beside)[4];
  size_t beside_capacity;
  vlFineFront *front; /* unknown nodes that get their values next */
  size_t front_capacity;
};

static inline double vl_fine_far(const vlFine *f) { return 1e6 * f->grid->dx; }
static inline bool vl_fine_slab(const vlFine *f) { return f->grid->n[2] == 1; }
static inline vlFineSet vl_fine_near_set(const vlFine *f)
{
  return (vlFineSet){.blocks = f->band, .bits = f->near, .capacity = f->near_capacity};
}
static inline double vl_clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

/* The cell that x (cells) lies in, or the one nearest. */
static inline void vl_fine_cell_of(const vlFine *f, const double x[3], int cell[3])
{
  for (int a = 0; a < 3; a++) cell[a] = (int)vl_clamp(floor(x[a]), 0.0, f->grid->n[a] - 1.0);
}
static inline double vl_fine_side_of(const vlFine *f, const int cell[3])
{
  return f->side[vl_grid_at(f->grid, cell[0], cell[1], cell[2])] < 0.0 ? -1.0 : 1.0;
}

/* A node's value, or which side it is on where it has none. */
double vl_fine_phi_or_side(const vlFine *fine, const int q[3], ptrdiff_t at);
/* phi at q (fine cells) in or on a near cell, trilinear, and its slope per fine cell, which may be NULL. */
double vl_fine_linear(const vlFine *fine, const double *phi, const int cell[3], const double q[3], double slope[3]);
/* grad phi at a known node, by central differences; one-sided where only one neighbour is known. */
void vl_fine_slope(const vlFine *fine, const double *phi, ptrdiff_t at, double slope[3]);
/* phi at q, wherever it is, and its slope per fine cell by the tensor product of cubics through four nodes along each axis,
 * those nearest that the box has. slope: may be NULL. */
double vl_fine_cubic(const vlFine *fine, const double *phi, const double q[3], double slope[3]);

/* Gives work->next its values, known or plus or minus vl_fine_far, at those nodes of a block that have a bit. */
typedef void vlFineLook(const vlFine *fine, vlBlockPosition block, unsigned bits, const void *data);
/* Looks at the nodes of work->seen, which holds the near cells; takes work->next for phi, and finds near cells and sides
 * anew: where near cells turn out to be others, these are looked at too. Unknown nodes of near cells get their distances. */
vlCode vl_fine_renew(vlFine *fine, vlFineLook *look, const void *data, vlStatus *status);
/* Sets work->seen to the near cells. */
vlCode vl_fine_see_near(vlFine *fine, vlStatus *status);
/* The nodes of the near cells; around them unknown ones; pages. */
vlCode vl_fine_settle(vlFine *fine, vlStatus *status);
void vl_fine_surround(const vlFine *fine, double *phi); /* unknown nodes around those of work->nodes */
void vl_fine_repeat(const vlFine *fine, double *phi);   /* a slab's first plane of nodes in its other planes */
vlCode vl_fine_room(void *array, size_t *capacity, size_t need, size_t size, vlStatus *status);

/* Distances from known nodes outwards -> unknown nodes of near cells, whose sign they keep. Closest points are those of
 * `surface`, which may be the same field. */
vlCode vl_fine_fill(vlFine *fine, double *phi, const double *surface, vlStatus *status);
/* Part of the nodes within 6 fine cells of the surface at which phi is no distance. */
double vl_fine_bent(const vlFine *fine);
/* Makes phi a distance from the surface that it describes. */
vlCode vl_fine_redistance(vlFine *fine, vlStatus *status);

#endif
