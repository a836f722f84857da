/* Liquid finer than the grid in the sharp engine (liquid.surface: subgrid) [chen2020]: every connected piece of liquid in a
 * cell has a pressure of its own.
 *
 * The surface is a fine level set, carried from step to step (state). From it follow the pieces of the cells that it cuts
 * (src/cut), and from these the links of the pressure (src/pressure/tail.h):
 *
 *   phi_c = mean of phi over the piece        d_cd = (phi_d - phi_c) / (d phi / d axis)       [docs/theory/subgrid.md]
 *   free surface: p = 0, over the area of the piece's surface, at the distance |phi_c|
 *
 * Pieces that fill their cells well move by the velocities of faces, as all liquid does. The others, drops and sheets
 * beside other liquid in a cell, are *loose*: they have a velocity of their own, v + B (x - middle), of their particles,
 * which gives u* on their links and takes their change back. */
#ifndef VL_ENGINE_SHARP_SUBGRID_H
#define VL_ENGINE_SHARP_SUBGRID_H

#include "cut/pieces.h"
#include "engine/sharp/sharp.h"

/* How a piece moves. */
typedef struct vlPieceMotion {
  int node;   /* of the pressure, as tail.h names ends */
  int beside; /* that of most of the air beside it, VL_TAIL_SURFACE or a pocket's */
  bool bare;  /* too shallow for a pressure of its own: it has that of the air */
  double phi; /* m: where its pressure is, 0 without a node */
  bool loose; /* it has a velocity of its own */
  int particles;
  vlVec3 x, v;   /* cells, m/s: means of its particles, before forces */
  vlMat3 slope;  /* 1/s: B */
  vlVec3 change; /* m/s: of v in the step, by forces and pressure */
  vlVec3 normal; /* of its free surface, unit, out of the liquid; zero: there is none */
  double air;    /* m/s: velocity of its free surface along that after the step's solve, of a bare piece */
} vlPieceMotion;

/* Sums of a least square over areas. */
typedef struct vlPieceFit {
  vlMat3 a;
  vlVec3 r;
  double area;
} vlPieceFit;

/* What pieces touch of a wall, in a fine cell: s of it is wet. */
typedef struct vlPieceWall {
  int piece, wall;  /* wall: a side of the box, or VL_SIDES + solid */
  bool rest;        /* what the piece's areas lacked */
  vlVec3 s, x, arm; /* m2: into the wall; m: middle; m: from where the piece's pressure is to there */
} vlPieceWall;

/* What all parts that a piece touches come to. */
typedef struct vlPieceTouch {
  vlVec3 s, bodies; /* m2: of all, of bodies' */
  double area;      /* m2: of the largest */
  int largest;      /* its number; -1: there is none */
} vlPieceTouch;

/* A free surface of a piece, by what air it borders. */
typedef struct vlAirFacet {
  int piece, pocket;        /* -1: free air */
  double area;              /* m2 */
  vlVec3 normal;            /* area vector over the area, out of the liquid */
  vlVec3 center;            /* m */
  double speed, path_speed; /* m/s: along the normal after the step's solve; the same that carries places */
  double shift;             /* m: it is to move out by this, for the volume of liquid and trapped air */
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
  vlGrid cells;               /* the grid of fine cells */
  vlNodeDistance solid_nodes; /* distance to static solids at their corners */
  vlBlocks beside;            /* fine blocks of wet ones near solids: where that is known */
  vlFineObstacles obstacles;
  unsigned short *carry[3]; /* lower faces with links, of all cells [wet] */
  unsigned short
      *keep[3]; /* those beside which solids leave a gap narrower than a cell, and closed ones around them [wet] */
  size_t carry_capacity[3], keep_capacity[3];
  vlCuts *statics;   /* how static solids cut it; NULL: there are none */
  vlCuts *cuts;      /* and bodies as they lie with them; `statics` where there are none */
  vlPatches patches; /* of the bodies on fine cells */
  vlPieces pieces;
  vlPieceMotion *motion; /* [pieces.count] */
  vlPieceFit *fit;       /* scratch [pieces.count] */
  size_t motion_capacity, fit_capacity;
  vlLinkTail tail;
  vlTailLink *link;  /* the tail's: those of the pieces, in their order, then one for each free surface [tail.count] */
  int *source;       /* the piece's link that each of them is, or -1 - facet of a free surface [tail.count] */
  vlAirFacet *facet; /* by piece [facets] */
  int facets;
  size_t facet_capacity;
  vlAir air;        /* where it is trapped */
  int *extra_cell;  /* [tail.extras] */
  int *extra_piece; /* [tail.extras] */
  double *u, *path, *p;
  double *gap;  /* m: levels of a link's ends are apart by so much more than its distance says [tail.count] */
  double *pull; /* m/s2: that the pressure between these levels has part in u* with [tail.count] */
  size_t gap_capacity, pull_capacity;
  size_t link_capacity, source_capacity, u_capacity, path_capacity, cell_capacity, piece_capacity, p_capacity;
  unsigned short (*flow)[3]; /* lower faces of cut cells that liquid flows through [wet] */
  unsigned short *main;      /* cut cells with a main node [wet] */
  size_t flow_capacity, main_capacity;
  vlWallPatches walls; /* of static solids in fine cells */
  vlPatches wet;       /* of bodies: those that liquid touches, in cut cells with the number of the piece, 1 + i, and what
                          lies at its surface, -1 - i; elsewhere those of the cells, 0; in trapped air, 1 + pieces + pocket */
  vlPatches dry;       /* of bodies: what trapped air touches in cut cells */
  vlVec3 *arm;         /* m: of wet patches of pieces [wet.count] */
  vlPieceWall *wall;   /* other walls of pieces, found when they are measured [wall_count] */
  int wall_count;
  vlPieceSide *sides;
  vlPieceTouch *touched; /* [pieces.count] */
  size_t arm_capacity, wall_capacity, sides_capacity, touched_capacity;
  int *group; /* bodies of liquid: the first of each, by wet cell, then by piece [16 wet + pieces] */
  size_t group_capacity;
  vlFineBall *ball;
  size_t ball_capacity;
};

/* vlObstacles.fine, and faces that keep their velocity beside walls (vl_slip); NULL: not with this method. */
static inline const vlFineObstacles *vl_subgrid_obstacles(const vlSharp *sim)
{
  return sim->subgrid && sim->subgrid->obstacles.distance ? &sim->subgrid->obstacles : NULL;
}
static inline unsigned short *const *vl_subgrid_flows(const vlSharp *sim)
{
  return sim->subgrid ? sim->subgrid->keep : NULL;
}
/* The wet cell above a link's face. */
static inline int vl_subgrid_above(const vlSubgrid *s, const vlPieceLink *link)
{
  return link->above >= 0 ? s->pieces.piece[link->above].cell : vl_pieces_whole(link->above);
}
/* Lower faces of a wet block through which liquid flows between pieces. */
static inline unsigned vl_subgrid_flow(const vlSharp *sim, int b, int axis) { return sim->subgrid->flow[b][axis]; }

/* Where link q of the tail leads: unit, but for bent surfaces. */
static inline vlVec3 vl_subgrid_way(const vlSharp *sim, int q)
{
  const vlSubgrid *s = sim->subgrid;
  vlVec3 way = {.v = {0, 0, 0}};
  if (s->source[q] < 0) return s->facet[-1 - s->source[q]].normal;
  way.v[s->link[q].axis] = 1.0;
  return way;
}

/* Node of the pressure of a pocket of trapped air, -1: of free air. */
static inline int vl_subgrid_air_node(const vlSubgrid *s, int pocket)
{
  return pocket < 0 ? VL_TAIL_SURFACE : vl_tail_extra(s->tail.extras - s->tail.airs + pocket);
}
/* The piece that a wet patch of a body belongs to; -1: none. */
static inline int vl_subgrid_piece_of(const vlSubgrid *s, const vlPatch *patch)
{
  int i = (patch->piece < 0 ? -patch->piece : patch->piece) - 1;
  return i < s->pieces.count ? i : -1;
}

extern const vlMethod vl_method_subgrid;

vlCode vl_subgrid_create(vlSharp *sim, vlStatus *status); /* before the liquid is seeded */
void vl_subgrid_destroy(vlSharp *sim);
/* The fine level set of the scene's shapes; drops without particles get one. */
vlCode vl_subgrid_seed(vlSharp *sim, const vlLiquidShapes *shapes, vlStatus *status);

/* One particle in the middle of a shape that is too small to get one from the lattice, if air is there; adds to *added. */
vlCode vl_subgrid_seed_drop(vlSharp *sim, const vlSdf *shape, vlVec3 velocity, size_t *added, vlStatus *status);

/* subgrid_links.c: pieces and links, from the surface as it is. */
vlCode vl_subgrid_find(vlSharp *sim, vlStatus *status);
/* subgrid_walls.c: what pieces touch of bodies, after they were found; and as the pressure's tail asks for it. */
vlCode vl_subgrid_wet_bodies(vlSharp *sim, vlStatus *status);
int vl_subgrid_find_node(const void *sim, const vlPatch *patch);
vlVec3 vl_subgrid_arm(const void *sim, const vlPatch *patch, vlVec3 x);
/* Stage: what pieces touch of the box and of static solids; then what the liquid along these does, and what presses on
 * outlets; and all of it added to the walls' loads. */
vlStageRun vl_subgrid_walls;
vlWallsLayer vl_subgrid_walls_layer(const vlSharp *sim, vlVec3 *outlets);
void vl_subgrid_push_walls(const vlSharp *sim, vlWallLoad *walls);
double vl_subgrid_pressure(const vlSharp *sim, int piece); /* Pa */
/* subgrid_motion.c: velocities of pieces from their particles, after their links are there; then stages: u* of links; what
 * the solve has made of them on the faces of the grid and of the pieces; the same of what carries places. */
void vl_subgrid_weigh(vlSharp *sim);
vlStageRun vl_subgrid_narrow, vl_subgrid_star, vl_subgrid_spread, vl_subgrid_spread_path;
/* What sources give to links whose middles lie in them, once it is known which stand still. */
void vl_subgrid_give(vlSharp *sim);
/* Sides of the domain that the liquid before them does not touch carry the velocity of the face before them. */
void vl_subgrid_free_sides(const vlSharp *sim, double *const u[3]);
/* vlCarry.held: particles of loose pieces. */
bool vl_subgrid_hold(const void *sim, const double x[3], const double own[3], double v[3], double way[3]);
bool vl_subgrid_flies(const void *sim, const double x[3]);
vlCode vl_subgrid_at_walls(vlSharp *sim, vlStatus *status); /* the surface goes on into solids */
/* subgrid_air.c: pockets of trapped air, from the pieces and the parts of the air in their cells; the pieces' facets; what
 * the pockets are to have, told by where they were. */
vlCode vl_air_find(vlSharp *sim, vlStatus *status);
/* Of the air in a fine cell; -1: none. */
int vl_air_pocket_at(const vlSharp *sim, const int fine[3]);
/* Keeps the pressures just solved for. */
void vl_air_keep_pressures(vlSharp *sim);
vlCode vl_air_visit(vlSharp *sim, vlVisitor *visitor, vlStatus *status);
void vl_air_clear(vlSubgrid *subgrid);
/* subgrid_surface.c: stages: the surface goes with the liquid; particles put back what it has lost. What bodies of liquid
 * lack to the volume of their particles, after pieces are there. */
vlStageRun vl_subgrid_carry, vl_subgrid_mend;
vlCode vl_subgrid_balance(vlSharp *sim, vlStatus *status);

#endif
