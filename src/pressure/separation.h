/* Liquid that lets go of walls [batty2007, section 5].
 *
 * Pressure at a wall may push and not pull. In liquid cells that touch something solid, W,
 *     p >= 0,   net outflow >= 0,   one of the two is zero,
 * all others keep net outflow = 0: the least energy under p >= 0 on W. Here is the set of cells that part from their wall,
 * p = 0, and how a solve changes it, the policy: of the cells of W those whose pressure pulls are parted, and parted ones
 * that would take in liquid from nowhere are joined to their wall again. Without bodies the matrix is an M-matrix, the sets
 * move one way and end at the only solution; with them they may return, which is told by their hashes. The loop of solves is
 * engine/sharp/separate.c's. */
#ifndef VL_PRESSURE_SEPARATION_H
#define VL_PRESSURE_SEPARATION_H

#include "pressure/pressure.h"

/* Cells by their places in the grid, i + n0 (j + n1 k), ascending: for the next step, whose blocks are others. */
typedef struct vlPartedPlaces {
  int64_t *place; /* [count] */
  int64_t count;
  size_t capacity;
} vlPartedPlaces;

typedef struct vlPartedCell {
  int cell;       /* of a wet block: VL_BLOCK b + l */
  double outflow; /* m3/s */
} vlPartedCell;

enum { VL_SEPARATION_MOST = 32 }; /* sets of a step that are remembered */

typedef struct vlSeparation {
  unsigned short *wall;   /* cells that may part, W, a bit each [wet] */
  unsigned short *parted; /* those that do [wet] */
  vlPartedCell *cell;     /* those of the last solve, ascending [count] */
  size_t wall_capacity, parted_capacity, cell_capacity;
  int64_t count;                     /* parted cells of the last solve */
  uint64_t seen[VL_SEPARATION_MOST]; /* hashes of the sets since the step began [seen_count] */
  int seen_count, loops, fallbacks;  /* solves of the step, and of these those by MPRGP after a set returned */
  double worst_pull;                 /* Pa: most negative pressure at a wall that is left, as a positive number */
  double worst_gain;                 /* 1/s: largest net inflow of a parted cell that is left, over its volume */
} vlSeparation;

void vl_separation_clear(vlSeparation *separation);
/* Of cells at walls: may the liquid there part? Asked from several threads at once; NULL: always. */
typedef struct vlMayPart {
  bool (*ask)(const void *data, const int cell[3]);
  const void *data;
} vlMayPart;
/* A new step, its system assembled: finds W, the cells with air in their region and a face that is not wholly open that may
 * part. Parted are those that were in the step before. */
vlCode vl_separation_begin(vlSeparation *separation, const vlPressure *pressure, const vlFluid *fluid, vlMayPart may,
                           const vlPartedPlaces *before, vlStatus *status);
/* What counts as zero. */
typedef struct vlSeparationZero {
  double pull; /* Pa */
  double gain; /* m3/s */
} vlSeparationZero;
/* eps of the largest pressure, and of the largest outflow that the solve removed. */
vlSeparationZero vl_separation_zero(const vlPressure *pressure, double eps);
/* What a solve with the set as it is has left; the bodies' velocities are those of the coupling. */
typedef struct vlSeparationLook {
  double *const *u_star; /* m/s: as the solve saw it, u_star[axis], fields */
  const double *p;       /* Pa: solved, field */
  vlSeparationZero zero;
} vlSeparationLook;
/* Parts and joins cells, and tells how many. */
vlCode vl_separation_update(vlSeparation *separation, const vlPressure *pressure, const vlFluid *fluid,
                            const vlSeparationLook *look, int64_t *changed, vlStatus *status);
/* Has the set been here since the step began? It is remembered. */
bool vl_separation_returns(vlSeparation *separation, const vlBlocks *wet);
/* The set for the next step. */
vlCode vl_separation_keep(const vlSeparation *separation, const vlBlocks *wet, vlPartedPlaces *places, vlStatus *status);

#endif
