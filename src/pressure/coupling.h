/* Bodies in the pressure solve: J between the pressures of cells and the velocities of nodes
 * [zarifi2017, eq. 19; docs/theory/coupling.md].
 *
 *   liquid   L p + J v = b          (J v)_i = sum over the patches of cell i of s_q . v(centre of the patch)
 *   bodies   S v - J^T p = -w
 *
 * With the bodies eliminated, v = v_held + S^-1 (J^T p - w), pressure alone is left:
 *   (L + J S^-1 J^T) p = b + J (S^-1 w - v_held) */
#ifndef VL_PRESSURE_COUPLING_H
#define VL_PRESSURE_COUPLING_H

#include "contact/contact_solve.h"
#include "cut/patches.h"

typedef struct vlCoupledPatch {
  int cell, patch; /* index of the unknown in a compact vector, number of the patch */
} vlCoupledPatch;

typedef struct vlCoupling {
  const vlBodySet *bodies;  /* begun for the step; NULL: none, before the first build */
  const vlPatches *patches; /* of their surfaces */
  vlContactSolve *contact;  /* what they touch, begun for the step; NULL: nothing */
  /* J: rows are the unknowns that patches border: cells, and pieces of liquid within them. */
  int rows;
  int *cell;      /* index of the unknown in a compact vector, ascending [rows] */
  int *start;     /* [rows + 1] */
  int *node;      /* ascending in a row [start[rows]] */
  vlVec3 *weight; /* m2: sum of b s over the row's patches at the node [start[rows]] */
  size_t row_capacity, start_capacity, node_capacity, weight_capacity;
  bool *wet; /* the body has entries in J [count] */
  size_t wet_capacity;
  double *right; /* what vl_coupling_right has put into b [rows] */
  size_t right_capacity;
  int *patch_start;           /* of each row in the list of patches [rows + 1] */
  vlCoupledPatch *patches_of; /* by row, then by number [patch_start[rows]] */
  double *excess;             /* m3/s: what the row's bodies take beyond J v, as it stands in b (swept.c) [rows] */
  size_t patch_start_capacity, patches_of_capacity, excess_capacity;
  double scale; /* what J is multiplied with in the stencil's units: rho / (dt dx) */
  /* Node vectors, all bodies one after the other [first_node[count]]. */
  vlVec3 *load;     /* N: J^T p */
  vlVec3 *velocity; /* m/s: scratch of the operator, then the velocities that belong to the solved pressure */
  size_t load_capacity, velocity_capacity;
} vlCoupling;

/* Index of the node that a patch borders in a compact vector, or -1 where it is no unknown. Asked for every patch. */
typedef int vlFindUnknown(const void *data, const vlPatch *patch);

/* J of the bodies and patches that stand in it. */
vlCode vl_coupling_build(vlCoupling *coupling, vlFindUnknown *find, const void *data, vlStatus *status);
void vl_coupling_clear(vlCoupling *coupling);
/* load = J^T p */
void vl_coupling_load(const vlCoupling *coupling, const double *p, vlVec3 *load);
/* out += factor J v; `place` maps the cells of compact vectors to those of `out`, NULL: the same. */
void vl_coupling_flux(const vlCoupling *coupling, const vlVec3 *v, double factor, const int *place, double *out);
/* (J v) of one row, m3/s */
double vl_coupling_row_flux(const vlCoupling *coupling, const vlVec3 *v, int row);
/* y = S^-1 r on every wet body, 0 on dry ones, with active contacts S_c^-1 r; y may be r. */
void vl_coupling_solve(const vlCoupling *coupling, const vlVec3 *r, vlVec3 *y);
/* q += scale J S^-1 J^T p */
void vl_coupling_add(const vlCoupling *coupling, const int *place, const double *p, double *q);
/* b += scale J (S^-1 w - v_held), with contacts their part too; called again, it takes back what it had put there. */
void vl_coupling_right(vlCoupling *coupling, double *b);
/* Same with the velocities that the bodies have under the pressure p, which then stand in `velocity`. */
void vl_coupling_right_given(vlCoupling *coupling, const double *p, double *b);
/* load = J^T p and velocity = v_held + S^-1 (load + contact forces - w), dry bodies too. */
void vl_coupling_velocity(vlCoupling *coupling, const double *p);
/* The first row at or behind an index of a compact vector. */
int vl_coupling_first_row(const vlCoupling *coupling, int index);
/* Whether pressure on the row can move a node. */
bool vl_coupling_row_yields(const vlCoupling *coupling, int row);

#endif
