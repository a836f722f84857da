/* Which cells the pressure joins, over what area and distance: the one place that says so.
 *
 * The nodes of the pressure are the liquid cells: those whose centre lies in liquid (the level set is continued into solids)
 * and that have an open face inside the domain. A face f of the grid links its two cells over its open area A_f by what lies
 * on both sides:
 *   inner      two nodes: d_f = dx
 *   surface    a node and air: d_f = theta dx to where the level set crosses zero [gibou2002], and there the pressure p_s
 *   none       walls, sides of the domain, air on both sides, the sliver towards an orphan, a liquid cell that is closed:
 *              no liquid flows but through sides of the domain and faces whose velocity is given (vlFluid.given), where u*
 *              says what flows and pressure does nothing
 *
 * From these follow the matrix (weight A_f / (d_f dx), times rho/rho_f where densities differ, assemble.c), net outflow and
 * velocity update (sum of +-A_f u_f, grad p = difference / d_f, apply.c), mass of a face (rho A_f d_f, measure.c), what
 * parts from walls (separation.c) and which faces have a velocity to continue (motion.c).
 *
 * Liquid in several pieces within a cell comes with links of its own (tail.h), which stand behind these. It may also say
 * of cells whether they have a node, in place of the level set.
 *
 * Links belong to the liquid's geometry and are found once a step. Cells that part from a wall (separation.h) stay nodes and
 * keep their links; their pressure is zero, and only the matrix knows: it has no row for them, and an inner link to one
 * counts as fixed.
 *
 * Stored are bits, two for each face, and two numbers for each surface link: areas stay in their fields, inner links all
 * have the distance dx. */
#ifndef VL_PRESSURE_LINKS_H
#define VL_PRESSURE_LINKS_H

#include "cut/cuts.h"
#include "pressure/coupling.h"
#include "pressure/tail.h"

/* A side of the domain that is no wall: what the pressure is beyond it, max(0, pressure + pull . x), or just pressure where
 * there is no pull. */
typedef struct vlOutlet {
  bool open;
  double pressure; /* Pa */
  vlVec3 pull;     /* Pa/m */
} vlOutlet;

/* What the liquid fills, on the grid. Fields of grid/grid.h; all are read only here. */
typedef struct vlFluid {
  const vlGrid *grid;
  const vlBlocks *wet; /* blocks that hold every liquid cell and every neighbour of one */
  const vlCuts *cuts;
  const double *const *area;          /* m2: open area of lower faces, area[axis] */
  const double *phi;                  /* m: liquid level set at cell centres, negative in liquid, continued into solids */
  const double *const *light;         /* rho over the density at lower faces, light[axis]; NULL: one density, 1 */
  double theta_min;                   /* smallest distance to the free surface, cells */
  const double *open;                 /* open part of each cell's volume, 0..1; NULL: all open */
  const double *swell;                /* 1/s: divergence that the new velocity is to have (middle.c); NULL: none */
  const unsigned short *parted;       /* liquid cells whose pressure is zero because they part from a wall, a bit each
                                         (separation.h) [wet]; NULL: none. vl_pressure_part makes a system of it. */
  const unsigned short *const *given; /* lower faces without links through which u* flows, a bit each, given[axis][wet];
                                         NULL: none */
  const vlOutlet *outlet;             /* [6] by 2 axis, + 1 for the upper side; NULL: all sides are walls */
  const vlLinkTail *tail;             /* links and nodes of liquid in several pieces; NULL: none */
  const double *const *jump;          /* Pa: p_s where the surface crosses a face, jump[axis]; NULL: zero */
  const vlBodySet *bodies;            /* begun for the step; NULL: none */
  const vlPatches *patches;           /* of their surfaces */
  vlContactSolve *contact;            /* what they touch */
  bool bodies_given;                  /* their velocities do not answer to this step's pressure (weak coupling) */
} vlFluid;

/* A cell whose widest face is smaller than this part of dx2 is left out: rounding errors of its neighbours' fluxes would be
 * large in it. */
#define VL_PRESSURE_ORPHAN 1e-8

/* Links through the lower faces of a wet block, a bit for each cell. */
typedef struct vlLinkBlock {
  unsigned short inner[3], surface[3]; /* by axis */
  int first;                           /* of its surface links, which follow by axis, then by cell */
} vlLinkBlock;

typedef struct vlSurfaceLink {
  double theta;    /* distance to the surface, cells */
  double pressure; /* Pa: p_s */
} vlSurfaceLink;

typedef struct vlLinks {
  unsigned short *active; /* nodes of each wet block, a bit each [wet] */
  vlLinkBlock *block;     /* [wet] */
  vlSurfaceLink *surface; /* [surface_count] */
  int surface_count;
  bool pressed; /* p_s is given; else it is zero */
  int orphans;  /* liquid cells that are no nodes */
  int slivers;  /* open faces between one and a node, which count as closed */
  size_t active_capacity, block_capacity, surface_capacity;
  const unsigned short *given[3]; /* the fluid's; NULL: none */
  const vlLinkTail *tail;         /* the fluid's: it stands behind the blocks in every walk */
  vlTailEnds ends;
} vlLinks;

/* Whether a cell of the grid is one so far as the fluid tells; of any, on wet blocks or not. */
bool vl_links_is_node(const vlFluid *fluid, const int cell[3]);
vlCode vl_links_build(vlLinks *links, const vlFluid *fluid, vlStatus *status);
void vl_links_clear(vlLinks *links);

/* Faces are named by the cell whose lower one along an axis they are, counted over all wet blocks: VL_BLOCK b + l. */

/* Lower faces of a wet block along an axis through which liquid flows. */
static inline unsigned vl_links_flow(const vlLinks *links, int b, int axis)
{
  return (unsigned)links->block[b].inner[axis] | links->block[b].surface[axis];
}
/* The link through a face that is a surface link. */
static inline vlSurfaceLink *vl_links_surface(const vlLinks *links, int face, int axis)
{
  const vlLinkBlock *block = &links->block[face / VL_BLOCK];
  int at = block->first + __builtin_popcount(block->surface[axis] & ((1u << face % VL_BLOCK) - 1u));
  for (int a = 0; a < axis; a++) at += __builtin_popcount(block->surface[a]);
  return &links->surface[at];
}

/* One link by itself. The kind tells which of its cells are nodes. */
typedef enum vlLinkKind { VL_LINK_NONE, VL_LINK_BELOW, VL_LINK_ABOVE, VL_LINK_INNER } vlLinkKind;
typedef struct vlLink {
  vlLinkKind kind; /* BELOW, ABOVE: the cell on that side and the free surface */
  ptrdiff_t at;    /* index of the face into fields */
  double area;     /* m2: A_f */
  double distance; /* m: d_f */
  double pressure; /* Pa: p_s */
} vlLink;
static inline vlLink vl_links_at(const vlLinks *links, const vlFluid *fluid, int face, int axis)
{
  int b = face / VL_BLOCK, l = face % VL_BLOCK;
  vlLink link = {.at = vl_blocks_field(fluid->grid, fluid->wet->at[b]) + l, .distance = fluid->grid->dx};
  link.area = fluid->area[axis][link.at];
  if (links->block[b].inner[axis] >> l & 1u) {
    link.kind = VL_LINK_INNER;
  } else if (links->block[b].surface[axis] >> l & 1u) {
    const vlSurfaceLink *surface = vl_links_surface(links, face, axis);
    link.kind = links->active[b] >> l & 1u ? VL_LINK_ABOVE : VL_LINK_BELOW;
    link.distance *= surface->theta;
    link.pressure = surface->pressure;
  }
  return link;
}
/* A_f / (d_f dx) with d_f = theta dx: what a link weighs in the matrix. */
static inline double vl_link_weight(double area, double dx2, double theta) { return area / dx2 / theta; }
/* Density rho over that at a face. */
static inline double vl_fluid_light(const vlFluid *fluid, int axis, ptrdiff_t at)
{
  return fluid->light ? fluid->light[axis][at] : 1.0;
}
/* What the pressure makes of a link's velocity. */
static inline double vl_link_velocity(double u_star, double step, double below, double above, double distance)
{
  return u_star - step * (above - below) / distance;
}
/* Pressures on both sides: that of the field p on nodes, p_s on the surface. */
static inline double vl_link_below(vlLink link, ptrdiff_t stride, const double *p)
{
  return link.kind & VL_LINK_BELOW ? p[link.at - stride] : link.pressure;
}
static inline double vl_link_above(vlLink link, const double *p)
{
  return link.kind & VL_LINK_ABOVE ? p[link.at] : link.pressure;
}
static inline double vl_link_update(vlLink link, ptrdiff_t stride, const double *p, double u_star, double step)
{
  return vl_link_velocity(u_star, step, vl_link_below(link, stride, p), vl_link_above(link, p), link.distance);
}

/* The lower or upper faces of a wet block's cells along an axis, a bit for each cell: those with links, and those on a side
 * of the domain and given ones, through which flows what u* says. Nothing flows through others of a node. */
typedef struct vlLinkSide {
  unsigned inner, surface, domain, given;
  int first; /* face of its first cell; the others' follow */
} vlLinkSide;
vlLinkSide vl_links_side(const vlLinks *links, const vlBlocks *wet, int b, int axis, bool upper);
/* Of bits by wet blocks, those of the neighbours of a block's cells below or above along an axis. */
unsigned vl_links_beyond(const vlBlocks *wet, const unsigned short *bits, int b, int axis, bool upper);
/* What stands at a face of a cell; side: 2 axis, + 1 for the upper one. Axes of one cell have none. */
typedef enum vlFaceWall { VL_WALL_NONE, VL_WALL_NARROW, VL_WALL_DOMAIN } vlFaceWall; /* NARROW: not wholly open */
static inline vlFaceWall vl_links_wall(const vlGrid *g, const double *const area[3], const int cell[3], int side)
{
  int a = side / 2, upper = side % 2;
  double whole = g->dx * g->dx * (1.0 - 1e-9);
  if (g->n[a] == 1) return VL_WALL_NONE;
  if (cell[a] == (upper ? g->n[a] - 1 : 0)) return VL_WALL_DOMAIN;
  ptrdiff_t at = vl_grid_at(g, cell[0], cell[1], cell[2]) + (upper ? g->stride[a] : 0);
  return area[a][at] < whole ? VL_WALL_NARROW : VL_WALL_NONE;
}
/* m3/s: adds what flows out of each node of a wet block through its links and sides of the domain. u: of lower faces.
 * Entries of other cells mean nothing. */
void vl_links_outflow(const vlLinks *links, const vlFluid *fluid, int b, double *const u[3], double outflow[VL_BLOCK]);

#endif
