/* Pieces: the connected parts of the liquid within a cell of the grid [chen2020, sec. 4], from the fine level set and the
 * fine open areas that solids leave.
 *
 * A cell is *cut* when the free surface passes through its liquid, or when what is solid in it parts its liquid; its liquid
 * is then a list of pieces. Other cells with liquid are whole, and no piece says anything of them. Pieces join through open
 * faces of fine cells. All areas of a piece add up to nothing: links, free surface, solids, sides.
 *
 * In: fine level set, solids' cuts of the fine grid, blocks of liquid. Out: pieces, links between them and to whole cells.
 */
#ifndef VL_CUT_PIECES_H
#define VL_CUT_PIECES_H

#include "cut/cuts.h"
#include "liquid/fine.h"

typedef struct vlPiece {
  int cell;          /* wet cell VL_BLOCK b + l */
  int rank;          /* by volume among the pieces of its cell: 0 the largest */
  double volume;     /* m3 */
  double phi;        /* m: mean of the level set over it, below 0 */
  double deepest;    /* m: least phi at its nodes */
  vlVec3 center;     /* m: middle of its volume */
  vlVec3 air;        /* m2: area vector of its free surface, out of the liquid */
  double air_area;   /* m2: sum of the sizes of its parts, by fine cell */
  vlVec3 air_center; /* m */
  vlVec3 solid;      /* m2: area vector of solids and bodies in the cell, out of the liquid */
  vlVec3 side;       /* m2: area vector of what is open of the domain's sides (and towards blocks not in `wet`), out of it */
  double open;       /* m2: sum of its links' areas */
} vlPiece;

/* An end of a link that is no piece: the whole cell VL_BLOCK b + l. */
static inline int vl_pieces_whole(int cell) { return -1 - cell; } /* and back */

typedef struct vlPieceLink {
  int below, above; /* pieces, or whole cells: of neighbours along the axis */
  int axis;
  double area;   /* m2 */
  vlVec3 center; /* m */
} vlPieceLink;

/* The air of cut cells, in connected parts as the liquid is: fine cells with an air node, joined through open faces with
 * one. */
typedef struct vlPieceFacet {
  int piece, part; /* what of its free surface borders which part of the air in its cell */
  double area;     /* m2: these add up to the piece's */
  vlVec3 air;      /* m2: area vector, out of the liquid */
  vlVec3 center;   /* m */
} vlPieceFacet;
typedef struct vlPieceAir {
  bool wanted;            /* set by the caller: it is found */
  unsigned char *part_of; /* of each fine cell, from the cell's first part; VL_PIECES_NONE: no air [cuts refine^3] */
  int *first;             /* part of each cut cell [cuts + 1] */
  double *volume;         /* m3 [parts] */
  vlPieceFacet *facet;    /* by piece, then part [facets] */
  int parts, facets;
} vlPieceAir;

enum { VL_PIECES_NONE = 255 }; /* of `rank_of`: no liquid; a cell has fewer pieces */

typedef struct vlPieces {
  int refine;
  vlPiece *piece; /* [count], by cell, then rank */
  int count;
  vlPieceLink *link; /* [link_count], by axis, then by the cell above */
  int link_count;
  unsigned short *cut;    /* cut cells, a bit each: all links through their faces are in `link` [wet] */
  int *first_cut;         /* number of cut cells before each wet block [wet + 1] */
  int *first_piece;       /* of each cut cell [cuts + 1] */
  unsigned char *rank_of; /* the piece that each fine cell belongs to [cuts refine^3], x first */
  int cuts;
  vlPieceAir air;
  struct vlPiecesWork *work; /* scratch */
} vlPieces;

/* open: how solids and bodies cut the grid of fine cells (its cells are those between the nodes of `fine`); NULL: no solids.
 */
vlCode vl_pieces_build(vlPieces *pieces, const vlFine *fine, const vlCuts *open, const vlBlocks *wet, vlStatus *status);
void vl_pieces_clear(vlPieces *pieces);
double vl_pieces_bytes(const vlPieces *pieces);

/* Number of a cut cell by its wet cell VL_BLOCK b + l, or -1. */
static inline int vl_pieces_cut(const vlPieces *p, int cell)
{
  unsigned bits = p->cut[cell / VL_BLOCK], l = (unsigned)cell % VL_BLOCK;
  return bits >> l & 1u ? p->first_cut[cell / VL_BLOCK] + __builtin_popcount(bits & ((1u << l) - 1u)) : -1;
}
/* The piece at x (cells), which lies in the wet cell `cell` that is cut: that of its fine cell, else the one nearest by fine
 * cells of this cell. -1: the cell has none. */
int vl_pieces_at(const vlPieces *pieces, int cell, const double x[3]);

/* What a piece touches of a side of the domain. */
typedef struct vlPieceSide {
  int piece, side; /* side: 2 axis + upper */
  double area;     /* m2 */
  vlVec3 center;   /* m */
} vlPieceSide;
/* All of them, by cell, side and piece: into *side, grown as it needs, and *count. After vl_pieces_build of the same. */
vlCode vl_pieces_sides(const vlPieces *pieces, const vlFine *fine, const vlCuts *open, const vlBlocks *wet,
                       vlPieceSide **side, size_t *capacity, int *count, vlStatus *status);

#endif
