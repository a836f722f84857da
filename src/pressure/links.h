/* Which cells the pressure joins, over what area and distance: the one place that says so.
 *
 * The nodes of the pressure are the liquid cells: those whose centre lies in liquid (the level set is continued into solids)
 * and that have an open face inside the domain. A face f of the grid links its two cells over its open area A_f by what lies
 * on both sides:
 *   two nodes            inner: d_f = dx
 *   a node and air       surface: d_f = theta dx to where the level set crosses zero [gibou2002], pressure p_s there
 *   anything else        none: walls, sides of the domain, air on both sides, and the sliver towards an orphan, a liquid
 * cell whose faces are all closed From these follow the matrix (weight A_f / (d_f dx), assemble.c), net outflow and velocity
 * update (sum of +-A_f u_f, grad p = difference / d_f, apply.c), mass of a face (rho A_f d_f, measure.c), what parts from
 * walls (separation.c) and which faces have a velocity to continue (motion.c).
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

/* What the liquid fills, on the grid. Fields of grid/grid.h; all are read only here. */
typedef struct vlFluid {
  const vlGrid *grid;
  const vlBlocks *wet; /* blocks that hold every liquid cell and every neighbour of one */
  const vlCuts *cuts;
  const double *const *area; /* m2: open area of lower faces, area[axis] */
  const double *phi;         /* m: liquid level set at cell centres, negative in liquid, continued into solids */
  double theta_min;          /* smallest distance to the free surface, cells */
  const double *open;        /* open part of each cell's volume, 0..1; NULL: all open */
  const double *gain;        /* part of their volume that cells of liquid with a free surface gain in a step; NULL: none */
  const unsigned short *parted; /* liquid cells whose pressure is zero because they part from a wall, a bit each
                                   (separation.h) [wet]; NULL: none. vl_pressure_part makes a system of it. */
  const double *const *jump;    /* Pa: p_s where the surface crosses a face, jump[axis]; NULL: zero */
  vlWetBodies bodies;           /* elastic bodies, begun for the step; count 0: none */
  bool bodies_given;            /* their velocities do not answer to this step's pressure (weak coupling) */
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
  bool pressed; /* p_s is not zero everywhere */
  int orphans;  /* liquid cells that are no nodes */
  size_t active_capacity, block_capacity, surface_capacity;
} vlLinks;

vlCode vl_links_build(vlLinks *links, const vlFluid *fluid, vlStatus *status);
void vl_links_clear(vlLinks *links);

/* Lower faces of a wet block along an axis through which liquid flows. */
static inline unsigned vl_links_flow(const vlLinks *links, int b, int axis)
{
  return (unsigned)links->block[b].inner[axis] | links->block[b].surface[axis];
}
/* The link through the lower face of cell l of wet block b, which is a surface link. */
static inline const vlSurfaceLink *vl_links_surface(const vlLinks *links, int b, int l, int axis)
{
  const vlLinkBlock *block = &links->block[b];
  int at = block->first + __builtin_popcount(block->surface[axis] & ((1u << l) - 1u));
  for (int a = 0; a < axis; a++) at += __builtin_popcount(block->surface[a]);
  return &links->surface[at];
}

/* One link by itself. The kind tells which of its cells are nodes. */
typedef enum vlLinkKind { VL_LINK_NONE, VL_LINK_BELOW, VL_LINK_ABOVE, VL_LINK_INNER } vlLinkKind;
typedef struct vlLink {
  vlLinkKind kind; /* BELOW, ABOVE: the cell on that side and the free surface */
  double area;     /* m2: A_f */
  double distance; /* m: d_f */
  double pressure; /* Pa: p_s */
} vlLink;
/* That of the lower face along `axis` of cell l of wet block b. */
vlLink vl_links_at(const vlLinks *links, const vlFluid *fluid, int b, int l, int axis);
/* u* - step (p above - p below) / d_f, where the pressure is that of the field p on nodes and p_s on the surface. `face` is
 * the index of the lower face into fields, stride the grid's. */
static inline double vl_link_update(const vlLink *link, const double *p, ptrdiff_t face, ptrdiff_t stride, double u_star,
                                    double step)
{
  double below = link->kind & VL_LINK_BELOW ? p[face - stride] : link->pressure,
         above = link->kind & VL_LINK_ABOVE ? p[face] : link->pressure;
  return u_star - step * (above - below) / link->distance;
}

/* The links of a wet block's cells through their lower or upper faces along an axis, a bit for each cell. */
typedef struct vlLinkSide {
  unsigned inner, surface;
  int axis, first; /* that of cell l goes through the lower face of cell first + l, counted over all wet blocks */
} vlLinkSide;
vlLinkSide vl_links_side(const vlLinks *links, const vlBlocks *wet, int b, int axis, bool upper);
static inline const vlSurfaceLink *vl_side_surface(const vlLinks *links, vlLinkSide side, int l)
{
  return vl_links_surface(links, (side.first + l) / VL_BLOCK, (side.first + l) % VL_BLOCK, side.axis);
}
static inline vlLink vl_side_link(const vlLinks *links, const vlFluid *fluid, vlLinkSide side, int l)
{
  if (!((side.inner | side.surface) >> l & 1u)) return (vlLink){.kind = VL_LINK_NONE};
  return vl_links_at(links, fluid, (side.first + l) / VL_BLOCK, (side.first + l) % VL_BLOCK, side.axis);
}
/* Of bits by wet blocks, those of the neighbours of a block's cells below or above along an axis. */
unsigned vl_links_beyond(const vlBlocks *wet, const unsigned short *bits, int b, int axis, bool upper);
/* m3/s: adds what flows out of each cell of a wet block through its links, at velocities u of lower faces. */
void vl_links_outflow(const vlLinks *links, const vlFluid *fluid, int b, double *const u[3], double outflow[VL_BLOCK]);

#endif
