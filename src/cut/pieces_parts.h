/* What the files of pieces share: one cell and its fine cells, and the lists that parts of the cells are written to. */
#ifndef VL_CUT_PIECES_PARTS_H
#define VL_CUT_PIECES_PARTS_H

#include "cut/pieces.h"

enum {
  VL_PIECES_FINEST = 8,  /* fine cells along a side of a cell, at most */
  VL_PIECES_NODES = 729, /* (VL_PIECES_FINEST + 1)^3 */
  VL_PIECES_CELLS = 512, /* VL_PIECES_FINEST^3 */
  VL_PIECES_PARTS = 64   /* that blocks are divided into, for any number of threads */
};

/* One cell and its fine cells. Arrays are over its nodes, (refine + 1)^3, x first; a face and a fine cell stand where their
 * lower corner is. Lengths are in fine cells, from the cell's lower corner. */
typedef struct vlPieceCell {
  int refine, nodes, stride[3];
  double raw[VL_PIECES_NODES], phi[VL_PIECES_NODES];         /* m: at nodes, as it is and kept off 0 */
  unsigned char liquid[VL_PIECES_NODES];                     /* nodes */
  unsigned char face[3][VL_PIECES_NODES];                    /* open to liquid */
  unsigned char some[VL_PIECES_NODES], all[VL_PIECES_NODES]; /* nodes of the fine cell are liquid */
  double area[3][VL_PIECES_NODES];      /* liquid part of a face, solids not counted; where the fine cells at it need it */
  bool walled;                          /* what follows is set; otherwise nothing in the cell is solid */
  double open[3][VL_PIECES_NODES];      /* open part of a face */
  double part[VL_PIECES_NODES];         /* open part of a fine cell */
  unsigned char label[VL_PIECES_CELLS]; /* number of the connected part, by first fine cell; VL_PIECES_NONE: no liquid */
} vlPieceCell;

typedef struct vlPiecePart {
  vlPiece *piece;
  size_t count, capacity;
  vlPieceLink *link[3];
  size_t link_count[3], link_capacity[3];
  vlPieceFacet *facet; /* of this part's own pieces and parts of the air, from 0 on */
  double *air;         /* m3: volumes */
  size_t facets, facet_capacity, airs, air_capacity;
  bool failed; /* no memory */
} vlPiecePart;

struct vlPiecesWork {
  size_t cut_capacity, block_capacity, first_piece_capacity, rank_capacity, piece_capacity, link_capacity, walled_capacity;
  size_t part_of_capacity, first_air_capacity, volume_capacity, facet_capacity;
  unsigned short *walled; /* cells with solids' surface in them, a bit each [wet] */
  vlPiecePart part[VL_PIECES_PARTS];
};

/* What all stages look at. */
typedef struct vlPieceView {
  const vlFine *fine;
  const vlCuts *open;
  const vlBlocks *wet;
  const unsigned short *walled; /* NULL: no solids */
} vlPieceView;

static inline bool vl_piece_walled(const vlPieceView *v, int cell)
{
  return v->walled && v->walled[cell / VL_BLOCK] >> cell % VL_BLOCK & 1u;
}
static inline void vl_piece_position(const vlPieceView *v, int cell, int at[3])
{
  vlBlockPosition p = v->wet->at[cell / VL_BLOCK];
  at[0] = p.bx * VL_BLOCK + cell % VL_BLOCK;
  at[1] = p.j;
  at[2] = p.k;
}

/* The wet cell before (step -1) or behind along an axis, or -1: it is not in the grid, or its block is not wet. */
static inline int vl_piece_neighbour(const vlPieceView *v, int cell, int axis, int step)
{
  int b = cell / VL_BLOCK, l = cell % VL_BLOCK;
  vlBlockPosition p = v->wet->at[b];
  if (axis == 0) {
    int next = l + step;
    if (p.bx * VL_BLOCK + next >= v->wet->n[0]) return -1;
    if (next >= 0 && next < VL_BLOCK) return b * VL_BLOCK + next;
    int other = vl_blocks_find(v->wet, p.bx + step, p.j, p.k);
    return other < 0 ? -1 : other * VL_BLOCK + (next & (VL_BLOCK - 1));
  }
  int other = vl_blocks_find(v->wet, p.bx, p.j + (axis == 1 ? step : 0), p.k + (axis == 2 ? step : 0));
  return other < 0 ? -1 : other * VL_BLOCK + l;
}

/* Nodes are kept this far from 0, in fine cells: cuts never hit nodes, and stay planes. */
#define VL_PIECES_OFF 1e-6
/* m: with the sign it has; 0 counts as air. */
static inline double vl_piece_off(double phi, double least)
{
  double size = fabs(phi) < least ? least : fabs(phi);
  return phi < 0.0 ? -size : size;
}

/* Liquid part of a triangle on which phi is linear. Where one corner o differs from the other two, the triangle at it has
 * the part o^2 / ((o - p)(o - q)). */
static inline double vl_triangle_part(double a, double b, double c)
{
  bool la = a < 0.0, lb = b < 0.0, lc = c < 0.0;
  if (la == lb && lb == lc) return la;
  double o = lb == lc ? a : la == lc ? b : c, p = lb == lc ? b : a, q = la == lb ? b : c;
  double part = o * o / ((o - p) * (o - q));
  return o < 0.0 ? part : 1.0 - part;
}
/* Of a square cut along the diagonal from its lower corner, as the six tetrahedra of a fine cell are: from both sides the
 * same bits. */
static inline double vl_square_part(double p00, double p10, double p01, double p11)
{
  return 0.5 * (vl_triangle_part(p00, p10, p11) + vl_triangle_part(p00, p01, p11));
}

void vl_piece_shape(vlPieceCell *c, int refine);
/* Nodes and what is open. known: phi at the nodes is; otherwise all are liquid. */
void vl_piece_gather(vlPieceCell *c, const vlPieceView *view, int cell, bool known);
/* Labels the connected parts of the liquid; how many there are. */
int vl_piece_flood(vlPieceCell *c);
/* The pieces of a cell after it was gathered, by rank, and the ranks of its fine cells; how many. */
int vl_piece_measure(vlPieceCell *c, const vlPieceView *view, int cell, vlPiece piece[VL_PIECES_NONE], unsigned char *rank);
/* Turns liquid to air and air to liquid, but for areas. */
void vl_piece_turn(vlPieceCell *c);
/* Of a mixed fine cell whose lower corner is node `at`, after the cell was measured; solids not counted, lengths in fine
 * cells from its lower corner: share of liquid; area vector of the free surface, out of the liquid, and its middle. */
double vl_piece_fine(const vlPieceCell *c, int at, vlVec3 *air, vlVec3 *middle);
/* After it was measured, with its pieces and the ranks of its fine cells: appends its parts of the air and their facets;
 * part_of of its fine cells. piece_first: number of its first piece in the list. Returns how many parts there are. */
int vl_piece_air(vlPieceCell *c, const vlPieceView *view, int cell, vlPiecePart *part, int piece_first, int pieces,
                 const unsigned char *rank, unsigned char *part_of);
/* What solids leave open in a cell with their surface in it. */
void vl_piece_open(vlPieceCell *c, const vlCuts *open, const int cell[3]);
/* All links through lower faces of the cells of a block. */
void vl_piece_links(vlPiecePart *part, const vlPieceView *view, const vlPieces *pieces, int block);

#endif
