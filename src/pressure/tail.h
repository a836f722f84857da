/* A tail of links: nodes of the pressure beyond one a cell, for whoever knows of several pieces of liquid within a cell.
 *
 * The tail decides of some cells, those that the free surface cuts as a rule: what liquid is in such a cell is in pieces,
 * the first of which may be the node of the cell (main node), as the links know it; the others are extra nodes. Elsewhere
 * the level set decides. The tail brings links between any two of: an extra node, a main node, of any cell, the free
 * surface. A face of the grid inside the domain belongs either to the links of its cells or to the tail, which then says all
 * that flows through it, in as many links as there are pieces; those of cut cells are the tail's. What flows through sides
 * of the domain, outlets and given faces (links.h) of a cut cell flows out of its main node.
 *
 * A link is what it is elsewhere (links.h): weight A_f / (d_f dx), outflow +-A_f u_f, u = u* - (dt/rho) difference / d_f. In
 * the matrix one that lies on a face between two main nodes is a weight of the seven points like any other; others are pairs
 * of the stencil (linear/stencil.h), and extra nodes stand behind the zero block. No tail: nothing of this runs. Extra nodes
 * do not part from walls and gain no volume. Bodies press on the piece that they are told to touch. */
#ifndef VL_PRESSURE_TAIL_H
#define VL_PRESSURE_TAIL_H

#include "cut/patches.h"

struct vlFluid;
struct vlLinks;
struct vlPressure;

/* The end of a link: a main node by its wet cell VL_BLOCK b + l, the surface, or an extra node. */
enum { VL_TAIL_SURFACE = -1 };
static inline int vl_tail_extra(int e) { return -2 - e; } /* and back */

typedef struct vlTailLink {
  int below, above;      /* ends; u goes from below to above */
  int axis;              /* of the face it lies on, below and above along it; -1: on none */
  double area, distance; /* m2: A_f, m: d_f > 0 */
  double pressure;       /* Pa: p_s, where an end is the surface */
  bool given;            /* u is given: it flows out of one end into the other, and no pressure changes it */
} vlTailLink;

typedef struct vlLinkTail {
  int extras, count;
  int airs;               /* of the extra nodes the last ones, that are air: nothing goes along with bodies there */
  const int *cell;        /* wet cell that each extra node lies in, -1: in none [extras] */
  const vlTailLink *link; /* [count] */
  const unsigned short (
      *faces)[3];             /* lower faces that are the tail's beside those of cut cells, by axis [wet]; NULL: none */
  const unsigned short *cut;  /* cells of which the tail decides [wet]; NULL: none */
  const unsigned short *main; /* those of them with a main node, which has links, also if to the surface alone [wet];
                                 NULL: none */
  /* The node that a patch of a body borders: a wet cell, an extra node, or VL_TAIL_SURFACE for none, asked with `data`.
   * NULL: the main node of its cell. */
  int (*find)(const void *data, const vlPatch *patch);
  /* m: the way from where the pressure of the patch's node is to x, its centre, asked with `data`. NULL: from the middle of
   * its cell. */
  vlVec3 (*arm)(const void *data, const vlPatch *patch, vlVec3 x);
  const void *data;
  double *u;    /* m/s: u* of each link, u after vl_pressure_apply [count] */
  double *p;    /* Pa: of each extra node, first guess, solved after vl_pressure_store [extras] */
  double *path; /* m/s: of each link, u + w of vl_pressure_grow [count]; NULL: not wanted */
} vlLinkTail;

/* Ends of links by what they lie in: wet blocks, then extra nodes. */
typedef struct vlTailEnds {
  int blocks;
  int *first;             /* [blocks + extras + 1], and scratch behind */
  int *end;               /* 2 link, + 1 for the one above */
  unsigned short *linked; /* cells with an open link [blocks] */
  size_t first_capacity, end_capacity, linked_capacity;
} vlTailEnds;

vlCode vl_tail_sort(struct vlLinks *links, const struct vlFluid *fluid, vlStatus *status);
/* Of a wet block: lower faces that are the tail's. */
unsigned vl_tail_faces(const struct vlFluid *fluid, int b, int axis);
/* A node as the ends of links name it, for a patch: with a tail and without. VL_TAIL_SURFACE: none, so far as the liquid
 * tells before there are links. */
int vl_tail_find(const struct vlFluid *fluid, const vlPatch *patch);
/* Is it an extra node of air? */
static inline bool vl_tail_is_air(const vlLinkTail *tail, int node)
{
  return node < VL_TAIL_SURFACE && vl_tail_extra(node) >= tail->extras - tail->airs;
}
/* Of a wet block b, or of the extra node e as the one cell of block `blocks + e`: adds what flows out of each node, m3/s. */
void vl_tail_outflow(const struct vlLinks *links, int b, double *outflow);
/* Adds the weights of the nodes' links, those to a fixed pressure apart, and to the lower faces w[axis] of a wet block those
 * of links on them between main nodes; returns the nodes with a fixed pressure beside them. */
unsigned vl_tail_weigh(const struct vlPressure *pressure, const struct vlFluid *fluid, int b, double *linked, double *fixed,
                       double *const w[3]);
/* Adds weight times pressure of the unknowns' links to the surface. */
void vl_tail_press(const struct vlPressure *pressure, double dx, int b, double *right);
/* Where a node stands in vectors; -1 where no block of the system holds it. */
int vl_tail_place(const struct vlPressure *pressure, const struct vlFluid *fluid, int node);
/* What is not of blocks: diagonals of extra nodes and pairs of the stencil, whose blocks are assembled. */
vlCode vl_tail_assemble(struct vlPressure *pressure, const struct vlFluid *fluid, vlStatus *status);
/* Entries of extra nodes in b, and in the first guess where there is one. */
void vl_tail_rhs(struct vlPressure *pressure, const struct vlFluid *fluid, bool guess);
/* Pressure at an end of a link; p: field. */
double vl_tail_pressure(const struct vlFluid *fluid, const vlTailLink *link, int end, const double *p);
/* What the solved pressure makes of the velocity of link q. */
double vl_tail_velocity(const struct vlFluid *fluid, int q, const double *p, double step);
/* path = u - step grad q, q that of the vector in cells and extra nodes, zero beyond the surface. */
void vl_tail_path(const struct vlPressure *pressure, const struct vlFluid *fluid, const double *q, double step);
/* m3/s: outflow of a main node through the tail with these velocities. */
double vl_tail_outflow_after(const struct vlLinks *links, const struct vlFluid *fluid, int node, const double *p,
                             double step);

#endif
