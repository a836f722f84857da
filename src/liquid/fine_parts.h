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
bool vl_fine_set_grow(const vlFineSet *set, int by,
                      vlFineSet *grown); /* by so many cells along each axis, VL_FINE_BAND at most */
bool vl_fine_set_nodes(const vlFineSet *cells, int refine, vlFineSet *nodes);
/* The cells of a set among whose nodes some are in liquid and others are not. */
bool vl_fine_set_crossed(const vlFine *fine, const vlFineSet *cells, const double *phi, vlFineSet *crossed);

/* A piece of the surface, in fine cells: a point of it, its normal out of the liquid, and how that turns:
 * S = {xx, yy, zz, xy, yz, zx}, `away` from it. */
typedef struct vlFineElement {
  double p[3], n[3], turn[6], away;
  bool smooth; /* no edge: turn and away are there */
} vlFineElement;
/* Of the nodes of a block the nearest element, -1: none, and its point. */
typedef struct vlFineNearest {
  float p[3][VL_BLOCK];
  int element[VL_BLOCK];
} vlFineNearest;

struct vlFineWork {
  double *next;          /* m: field of nodes, which becomes phi */
  vlPageUse pages;       /* of phi and next */
  vlPageUse side_pages;  /* of side */
  int64_t deep;          /* cells whose side is -1 */
  vlFineSet nodes;       /* of the near cells */
  vlFineSet seen, spare; /* cells whose nodes have been looked at */
  vlFineSet crossed, found;
  vlFineSet looked, more; /* nodes of the cells seen, before and after they became more */
  unsigned short *which;  /* nodes to look at, or known ones [which_capacity] */
  size_t which_capacity;
  unsigned short *edge; /* unknown nodes next to known ones */
  size_t edge_capacity;
  unsigned short *air; /* nodes in air, while those in liquid are in `edge` */
  size_t air_capacity;
  double *sum; /* of each block */
  size_t sum_capacity;
  int (*beside)[6]; /* blocks of `nodes` next to each one along each axis, lower and upper; -1: there is none */
  size_t beside_capacity;
  vlFineElement *element;
  vlFineNearest *nearest; /* [nodes] */
  unsigned char *turn;    /* blocks next to which nearer elements have been found [nodes] */
  size_t element_capacity, nearest_capacity, turn_capacity;
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

/* The node beside node l of a block of work->nodes, as block * VL_BLOCK + l; side: 2 axis, + 1 for the upper one. -1: none.
 */
static inline int vl_fine_beside(const struct vlFineWork *w, int b, int l, int side)
{
  int to = side > 1 ? l : l + 2 * side - 1;
  if (to >= 0 && to < VL_BLOCK && side < 2) return b * VL_BLOCK + to;
  int other = w->beside[b][side];
  return other < 0 ? -1 : other * VL_BLOCK + (to & (VL_BLOCK - 1));
}
static inline bool vl_fine_has(const unsigned short *bits, int node)
{
  return node >= 0 && bits[node / VL_BLOCK] >> node % VL_BLOCK & 1u;
}
/* Bits of `bits` [work->nodes] at the six neighbours of each node of a block, laid over each other or on each other. */
static inline unsigned vl_fine_around(const struct vlFineWork *w, const unsigned short *bits, int b, bool all)
{
  const int *beside = w->beside[b];
  unsigned side[6] = {(unsigned)bits[b] << 1, bits[b] >> 1};
  if (beside[0] >= 0) side[0] |= bits[beside[0]] >> (VL_BLOCK - 1);
  if (beside[1] >= 0) side[1] |= (unsigned)bits[beside[1]] << (VL_BLOCK - 1);
  for (int s = 2; s < 6; s++) side[s] = beside[s] < 0 ? 0u : bits[beside[s]];
  unsigned some = side[0] | side[1] | side[2] | side[3] | side[4] | side[5];
  unsigned each = side[0] & side[1] & side[2] & side[3] & side[4] & side[5];
  return (all ? each : some) & 0xffffu;
}

/* Gives values to those unknown nodes of a block that have a bit, and have known ones beside them, or none has. Nodes that
 * are not in `known` get theirs at the same time. */
typedef void vlFineGrow(const vlFine *fine, double *phi, const unsigned short *known, int block, unsigned bits);
/* From the nodes of `known` [work->nodes] outwards, until all of work->nodes are in it. */
vlCode vl_fine_outwards(vlFine *fine, double *phi, unsigned short *known, vlFineGrow *grow, vlStatus *status);
/* Distances from known nodes outwards -> unknown nodes of near cells, whose sign they keep. */
vlCode vl_fine_fill(vlFine *fine, double *phi, vlStatus *status);
/* Part of the nodes within 6 fine cells of the surface at which phi is no distance. */
double vl_fine_bent(const vlFine *fine);
/* Makes phi a distance from the surface that it describes. */
vlCode vl_fine_redistance(vlFine *fine, vlStatus *status);

#endif
