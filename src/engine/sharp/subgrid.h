/* Liquid finer than the grid in the sharp engine (liquid.surface: subgrid) [chen2020]: every connected piece of liquid in a cell
 * has a pressure of its own.
 *
 * The surface is a fine level set, carried from step to step (state). From it follow the pieces of the cells that it cuts (src/cut),
 * and from these the links of the pressure (src/pressure/tail.h):
 *
 *   phi_c = mean of phi over the piece        d_cd = (phi_d - phi_c) / (d phi / d axis)       [docs/theory/subgrid.md]
 *   free surface: p = 0, over the area of the piece's surface, at the distance |phi_c|
 *
 * Pieces that fill their cells well move by the velocities of faces, as all liquid does. The others, drops and sheets
 * beside other liquid in a cell, are *loose*: they have a velocity of their own, v + B (x - middle), of their particles, which
 * gives u* on their links and takes their change back. */
#ifndef VL_ENGINE_SHARP_SUBGRID_H
#define VL_ENGINE_SHARP_SUBGRID_H

#include "cut/pieces.h"
#include "engine/sharp/sharp.h"

/* How a piece moves. */
typedef struct vlPieceMotion {
  int node;       /* of the pressure, as tail.h names ends */
  bool bare;      /* too shallow for one of its own: it has that of the air beside it, VL_TAIL_SURFACE or a pocket's */
  double phi;     /* m: where its pressure is, 0 without a node */
  bool loose;     /* it has a velocity of its own */
  int particles;
  vlVec3 x, v;    /* cells, m/s: means of its particles, before forces */
  vlMat3 slope;   /* 1/s: B */
  vlVec3 change;  /* m/s: of v in the step, by forces and pressure */
  vlVec3 normal;  /* of its free surface, unit, out of the liquid; zero: there is none */
  double air;     /* m/s: velocity of its free surface along that after the step's solve, of a bare piece */
} vlPieceMotion;

/* Sums of a least square over areas. */
typedef struct vlPieceFit {
  vlMat3 a;
  vlVec3 r;
  double area;
} vlPieceFit;

/* A free surface of a piece, by what air it borders. */
typedef struct vlAirFacet {
  int piece, pocket; /* -1: free air */
  double area;       /* m2 */
  vlVec3 normal;     /* area vector over the area, out of the liquid */
  vlVec3 center;     /* m */
  double speed, path_speed; /* m/s: along the normal after the step's solve; the same that carries places */
} vlAirFacet;

/* Air without a way out: subgrid_air.c. */
typedef struct vlAirPlaces {
  int *of; /* of each cell of the grid: pocket, or one of the words in subgrid_air.c; with cut cells what their number is */
  int *pocket_of;         /* of the parts of the air in cut cells */
  unsigned char *part_of; /* vlPieceAir, copied */
  int *first;
  size_t of_capacity, pocket_capacity, part_capacity, first_capacity;
  int count; /* pockets */
} vlAirPlaces;
typedef struct vlAir {
  vlAirPlaces now, before; /* before: count < 0: not known */
  unsigned char *open;     /* upper faces of cells along each axis, a bit each, and 8: the cell is open [cells] */
  int *up;                 /* union-find over cells, then parts */
  double *volume;          /* m3: as pockets are [now.count] */
  size_t open_capacity, up_capacity, volume_capacity;
} vlAir;

struct vlSubgrid {
  vlGrid cells;      /* the grid of fine cells */
  vlCuts *statics;   /* how static solids cut it; NULL: there are none */
  vlCuts *cuts;      /* and bodies as they lie with them; `statics` where there are none */
  vlPatches patches; /* of the bodies on fine cells */
  vlPieces pieces;
  vlPieceMotion *motion; /* [pieces.count] */
  vlPieceFit *fit;       /* scratch [pieces.count] */
  size_t motion_capacity, fit_capacity;
  vlLinkTail tail;
  vlTailLink *link; /* the tail's: those of the pieces, in their order, then one for each free surface [tail.count] */
  int *source;      /* the piece's link that each of them is, or -1 - facet of a free surface [tail.count] */
  vlAirFacet *facet; /* by piece [facets] */
  int facets;
  size_t facet_capacity;
  vlAir air; /* where it is trapped */
  int *extra_cell;  /* [tail.extras] */
  int *extra_piece; /* [tail.extras] */
  double *u, *path, *p;
  size_t link_capacity, source_capacity, u_capacity, path_capacity, cell_capacity, piece_capacity, p_capacity;
  unsigned short (*flow)[3]; /* lower faces of cut cells that liquid flows through [wet] */
  unsigned short *main;      /* cut cells with a main node [wet] */
  size_t flow_capacity, main_capacity;
  int *group; /* bodies of liquid: the first of each, by wet cell, then by piece [16 wet + pieces] */
  size_t group_capacity;
  vlFineBall *ball;
  size_t ball_capacity;
};

/* The wet cell above a link's face. */
static inline int vl_subgrid_above(const vlSubgrid *s, const vlPieceLink *link)
{
  return link->above >= 0 ? s->pieces.piece[link->above].cell : vl_pieces_whole(link->above);
}
/* Lower faces of a wet block through which liquid flows between pieces. */
static inline unsigned vl_subgrid_flow(const vlSharp *sim, int b, int axis) { return sim->subgrid->flow[b][axis]; }

extern const vlMethod vl_method_subgrid;

vlCode vl_subgrid_create(vlSharp *sim, vlStatus *status); /* before the liquid is seeded */
void vl_subgrid_destroy(vlSharp *sim);
/* The fine level set of the scene's shapes. */
vlCode vl_subgrid_seed(vlSharp *sim, const vlLiquidShapes *shapes, vlStatus *status);

/* subgrid_links.c: pieces and links, from the surface as it is. */
vlCode vl_subgrid_find(vlSharp *sim, vlStatus *status);
/* subgrid_motion.c: velocities of pieces from their particles, after their links are there; then stages: u* of links; what the
 * solve has made of them on the faces of the grid and of the pieces; the same of what carries places. */
void vl_subgrid_weigh(vlSharp *sim);
vlStageRun vl_subgrid_star, vl_subgrid_spread, vl_subgrid_spread_path;
/* Sides of the domain that the pieces of their cells do not touch carry the velocity of the face before them. */
void vl_subgrid_free_sides(const vlSharp *sim, double *const u[3]);
/* vlCarry.held: particles of loose pieces. */
bool vl_subgrid_hold(const void *sim, const double x[3], const double own[3], double v[3], double way[3]);
bool vl_subgrid_flies(const void *sim, const double x[3]);
/* subgrid_air.c: pockets of trapped air, from the pieces and the parts of the air in their cells; the pieces' facets; what
 * the pockets are to have, told by where they were. */
vlCode vl_air_find(vlSharp *sim, vlStatus *status);
/* -1: none. At a place in a cell, both in cells. */
int vl_air_pocket_at(const vlSharp *sim, const int cell[3], const double x[3]);
/* Keeps the pressures just solved for. */
void vl_air_keep_pressures(vlSharp *sim);
vlCode vl_air_visit(vlSharp *sim, vlVisitor *visitor, vlStatus *status);
void vl_air_clear(vlSubgrid *subgrid);
/* subgrid_surface.c: stages: the surface goes with the liquid; particles put back what it has lost. */
vlStageRun vl_subgrid_carry, vl_subgrid_mend;

#endif
