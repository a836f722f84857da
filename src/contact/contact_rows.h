/* Rows of contacts, for the files that solve for their forces. */
#ifndef VL_CONTACT_CONTACT_ROWS_H
#define VL_CONTACT_CONTACT_ROWS_H

#include "contact/contact_solve.h"

#define VL_CONTACT_COMPLIANCE 1e-3 /* part of G's diagonal by which a contact yields */

static inline int vl_contact_rows(const vlContact *c) { return c->friction > 0.0 ? 3 : 1; }

/* The normal or tangent of a row's contact that the row is along. */
static inline vlVec3 vl_contact_axis(const vlContactSolve *s, int row)
{
  return s->contacts.list[s->contact_of[row]].frame[row - s->first_row[s->contact_of[row]]];
}

/* m/s: C_row v */
static inline double vl_contact_velocity(const vlContactSolve *s, int row, const vlVec3 *v)
{
  const vlContact *c = &s->contacts.list[s->contact_of[row]];
  vlVec3 u = vl_vec(0, 0, 0);
  for (int k = 0; k < c->count; k++) u = vl_axpy(u, c->weight[k], v[c->node[k]]);
  return vl_dot(u, vl_contact_axis(s, row));
}

/* A row of G, over the rows of its island, which is not large. */
static inline double *vl_contact_g(const vlContactSolve *s, int row)
{
  const vlContactIsland *island = &s->island[s->island_of[row]];
  return s->g + island->at + (size_t)s->place[row] * (size_t)island->rows;
}

static inline double vl_contact_diagonal(const vlContactSolve *s, int row) { return s->diagonal[row]; }

/* Islands of contacts whose rows are numbered, and room for their matrices; false: memory ran out. */
bool vl_contact_islands_find(vlContactSolve *solve);

/* Lists the rows that the states make equalities and factors G over them. */
void vl_contact_solve_factor(vlContactSolve *solve);

#endif
