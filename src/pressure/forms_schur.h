/* The Schur form of a coupled system on sparse rows: the reference that other forms and condition numbers lean on. */
#ifndef VL_PRESSURE_FORMS_SCHUR_H
#define VL_PRESSURE_FORMS_SCHUR_H

#include "linear/solve.h"
#include "pressure/forms.h"

typedef struct vlFormsSchur {
  const vlCoupledSystem *system;
  vlCsr *jt;
  vlFrontal *s;       /* NULL without solid unknowns */
  vlIncomplete *l;    /* MIC(0) of L */
  double *t, *u;      /* [unknowns] */
  double *q;          /* [pressures] */
  double *rhs, *work; /* [pressures], [4 pressures] */
} vlFormsSchur;

vlCode vl_forms_schur_create(vlFormsSchur *schur, const vlCoupledSystem *system, vlStatus *status);
void vl_forms_schur_clear(vlFormsSchur *schur);
/* L + J S^-1 J^T */
vlOperator vl_forms_schur_operator(vlFormsSchur *schur);
/* L p + J v = b, J^T p - S v = w; p is the first guess. The residual is that of the Schur form. */
vlSolveInfo vl_forms_schur_solve(vlFormsSchur *schur, const double *b, const double *w, vlSolveOptions options, double *p,
                                 double *v);

#endif
