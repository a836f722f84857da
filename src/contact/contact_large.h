/* Islands of contacts with many more rows than their bodies have ways to move. For the files of this folder. */
#ifndef VL_CONTACT_CONTACT_LARGE_H
#define VL_CONTACT_CONTACT_LARGE_H

#include "contact/contact_solve.h"

/* Decides for every island, whose rows are counted, whether it is one, and makes room; false: memory ran out. */
bool vl_contact_large_find(vlContactSolve *solve, const int *of_body);
void vl_contact_large_clear(vlContactSolve *solve);
/* C in the bodies' coordinates, S, S^-1 C^T and the diagonal of G; false: S of a body is not positive. */
bool vl_contact_large_build(vlContactSolve *solve);

/* m/s: C_row S^-1 C^T f for the forces in `settled`, which change by vl_contact_large_push or, all of them, before
 * vl_contact_large_settled. */
double vl_contact_large_velocity(const vlContactSolve *solve, int row);
void vl_contact_large_push(vlContactSolve *solve, int row, double force);
void vl_contact_large_settled(vlContactSolve *solve);

/* Of the equations of the active rows, as for any other island. */
bool vl_contact_large_factor(vlContactSolve *solve, const vlContactIsland *island);
void vl_contact_large_unknowns(const vlContactSolve *solve, const vlContactIsland *island, double *x);

#endif
