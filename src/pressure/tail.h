/* A tail of links: nodes of the pressure beyond one a cell, for whoever knows of several pieces of liquid within a cell.
 *
 * The tail brings extra nodes and links between any two of: an extra node, the node of a cell (main node), the free surface.
 * A face of the grid belongs either to the links of its cells or to the tail, which then says all that flows through it,
 * in as many links as there are pieces. A cell whose liquid is pieces only has no node of its own.
 *
 * A link is what it is elsewhere (links.h): weight A_f / (d_f dx), outflow +-A_f u_f, u = u* - (dt/rho) difference / d_f. In
 * vectors of the system extra nodes stand behind the zero block (linear/stencil.h). No tail: nothing of this runs. Extra
 * nodes do not part from walls, gain no volume, and no body presses on them. */
#ifndef VL_PRESSURE_TAIL_H
#define VL_PRESSURE_TAIL_H

#include "velella/types.h"

struct vlFluid;
struct vlLinks;
struct vlPressure;

/* The end of a link: a main node by its wet cell VL_BLOCK b + l, the surface, or an extra node. */
enum { VL_TAIL_SURFACE = -1 };
static inline int vl_tail_extra(int e) { return -2 - e; } /* and back */

typedef struct vlTailLink {
  int below, above;      /* ends; u goes from below to above */
  int axis;              /* of the face it lies on, below and above along it; -1: on none */
  double area, distance; /* m2: A_f, m: d_f */
  double pressure;       /* Pa: p_s, where an end is the surface */
} vlTailLink;

typedef struct vlLinkTail {
  int extras, count;
  const int *cell;                  /* wet cell that each extra node lies in [extras] */
  const vlTailLink *link;           /* [count] */
  const unsigned short (*faces)[3]; /* lower faces that are the tail's, by axis [wet] */
  const unsigned short *hollow;     /* cells without a node of their own [wet]; NULL: none */
  double *u;                        /* m/s: u* of each link, u after vl_pressure_apply [count] */
  double *p;                        /* Pa: of each extra node, first guess, solved after vl_pressure_store [extras] */
} vlLinkTail;

/* Ends of links by what they lie in: wet blocks, then extra nodes. */
typedef struct vlTailEnds {
  int blocks;
  int *first; /* [blocks + extras + 1], and scratch behind */
  int *end;   /* 2 link, + 1 for the one above */
  size_t first_capacity, end_capacity;
} vlTailEnds;

vlCode vl_tail_sort(struct vlLinks *links, const struct vlFluid *fluid, vlStatus *status);
/* Of a wet block b, or of the extra node e as the one cell of block `blocks + e`: adds what flows out of each node, m3/s. */
void vl_tail_outflow(const struct vlLinks *links, int b, double *outflow);
/* Adds the weights of the nodes' links, those to a fixed pressure apart; returns the nodes that have such. */
unsigned vl_tail_weigh(const struct vlPressure *pressure, double dx, int b, double *linked, double *fixed);
/* Adds weight times pressure of the unknowns' links to the surface. */
void vl_tail_press(const struct vlPressure *pressure, double dx, int b, double *right);
/* What is not of blocks: diagonals of extra nodes and pairs of the stencil, whose blocks are assembled. */
vlCode vl_tail_assemble(struct vlPressure *pressure, const struct vlFluid *fluid, vlStatus *status);
/* Entries of extra nodes in b, and in the first guess where there is one. */
void vl_tail_rhs(struct vlPressure *pressure, const struct vlFluid *fluid, bool guess);
/* Pressure at an end of a link; p: field. */
double vl_tail_pressure(const struct vlFluid *fluid, const vlTailLink *link, int end, const double *p);
/* What the solved pressure makes of the velocity of link q. */
double vl_tail_velocity(const struct vlFluid *fluid, int q, const double *p, double step);
/* m3/s: outflow of a main node through the tail with these velocities. */
double vl_tail_outflow_after(const struct vlLinks *links, const struct vlFluid *fluid, int node, const double *p,
                             double step);

#endif
