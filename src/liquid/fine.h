/* The liquid's surface, finer than the grid: a level set at nodes `refine` times as dense as the grid's cells along each
 * axis, held near the surface alone [chen2020, sec. 3].
 *
 * A cell is near when a cell that the surface passes through is within VL_FINE_BAND cells of it along each axis; at all
 * nodes of near cells (corners and sides included) phi is a distance, negative in liquid, continued into solids. Elsewhere
 * only the side is known: liquid or air. The surface is state: velocities carry it from step to step, particles put back
 * what it loses. Loops go over near cells, so memory and time follow the surface's area. */
#ifndef VL_LIQUID_FINE_H
#define VL_LIQUID_FINE_H

#include "grid/visitor.h"
#include "liquid/particles.h"
#include "liquid/seed.h"

enum { VL_FINE_BAND = 2 }; /* cells; and distances where none is known */

typedef struct vlFine {
  const vlGrid *grid;   /* of the cells */
  int refine;           /* 2, 4 or 8 */
  vlGrid nodes;         /* the fine nodes as if they were cells of a grid: n = refine grid->n + 1; node (i, j, k) lies at
                           grid->origin + nodes.dx (i, j, k) */
  double *phi;          /* m: field of `nodes` */
  vlBlocks band;        /* blocks of cells of `grid` that hold near cells */
  unsigned short *near; /* near cells, a bit each [band] */
  size_t near_capacity;
  double *side;            /* -1: a cell of liquid that is not near, 0: air, or near; field of `grid` */
  struct vlFineWork *work; /* scratch */
} vlFine;

vlCode vl_fine_create(vlFine *fine, const vlGrid *grid, int refine, vlStatus *status);
void vl_fine_clear(vlFine *fine); /* frees; accepts one that was zeroed */
double vl_fine_bytes(const vlFine *fine);

/* From a signed distance, where it is below 0 within `bounds`; exact at all nodes. */
vlCode vl_fine_from_distance(vlFine *fine, vlDistance *distance, const void *data, vlBox3 bounds, vlStatus *status);

static inline bool vl_fine_is_near(const vlFine *f, int i, int j, int k)
{
  int b = vl_blocks_find(&f->band, i / VL_BLOCK, j, k);
  return b >= 0 && f->near[b] >> i % VL_BLOCK & 1u;
}
/* phi of the node (l, m, n) of a cell, 0 to refine. */
static inline ptrdiff_t vl_fine_node(const vlFine *f, const int cell[3], int l, int m, int n)
{
  return vl_grid_at(&f->nodes, f->refine * cell[0] + l, f->refine * cell[1] + m, f->refine * cell[2] + n);
}
/* m: at x (cells), trilinear between nodes; where no distance is known, plus or minus VL_FINE_BAND cells. gradient: NULL, or
 * gets d phi / dx, no unit vector; zero where no distance is known. */
double vl_fine_at(const vlFine *fine, const double x[3], double gradient[3]);
/* phi at the centres of the cells of `wet` -> field of the grid. */
void vl_fine_to_cells(const vlFine *fine, const vlBlocks *wet, double *phi);
/* m3 of liquid that the surface encloses in the box, solids not counted: exact where phi is linear within fine cells. */
double vl_fine_volume(const vlFine *fine);

/* What carries the surface. */
typedef struct vlFineFlow {
  double dt;        /* s */
  double *const *u; /* m/s: velocity at lower faces, u[axis], known within cfl + 2 cells of the surface; fields */
  /* The surface moves along its normal out of the liquid faster than u by push/weight, each taken trilinearly between the
   * centres of cells at the closest point of the surface; NULL: it does not. Fields: m3/s, m2. */
  const double *push, *weight;
  bool liquid_beyond[6]; /* sides of the box, by 2 axis, + 1 for the upper one, through which comes what is before them;
                            through others comes air */
} vlFineFlow;
/* phi(x, t + dt) = phi(x - dt v, t), traced by the midpoint rule, phi going on linearly beyond the box's sides; then near
 * cells are found anew. */
vlCode vl_fine_advect(vlFine *fine, const vlFineFlow *flow, vlStatus *status);

/* Unions liquid with balls (x in cells, radius in m): what particles stand for whose liquid the surface has lost. */
typedef struct vlFineBall {
  double x[3], radius;
} vlFineBall;
vlCode vl_fine_add(vlFine *fine, const vlFineBall *balls, int count, vlStatus *status);
/* Liquid where a signed distance is below 0, within `bounds`, is added: phi <- min(phi, d), or taken away:
 * phi <- max(phi, -d). */
vlCode vl_fine_unite(vlFine *fine, vlDistance *distance, const void *data, vlBox3 bounds, vlStatus *status);
vlCode vl_fine_take(vlFine *fine, vlDistance *distance, const void *data, vlBox3 bounds, vlStatus *status);
/* Takes liquid away that no particle stands for: in cells of `wet` without any, farther than `reach`, m, from all of them.
 * The particles are sorted. */
vlCode vl_fine_open(vlFine *fine, const vlParticles *particles, const vlBlocks *wet, double reach, vlStatus *status);
/* Continues the surface into solids; where it lies on their walls, or on sides of the domain, there is none. distance: to
 * solids, below 0 inside; NULL: there are none; open: part of each cell that they leave, field, known around near cells. */
vlCode vl_fine_at_walls(vlFine *fine, vlDistance *distance, const void *data, const double *open, vlStatus *status);
/* Makes phi a distance again from the surface that it describes, where it is none any more: once a step, after all else. */
vlCode vl_fine_mend(vlFine *fine, vlStatus *status);

/* Shows phi of the near cells and the side of the others (checkpoints). */
vlCode vl_fine_visit(vlFine *fine, vlVisitor *visitor, vlStatus *status);

#endif
