/* The coupled step of liquid and elastic bodies as plain sparse matrices, in the forms of [zarifi2017]: for comparison with
 * the Schur form of the engine, for the paper's tables, and for other programs.
 *
 *   L p + J v = b,   J^T p - S v = w                                                              [zarifi2017, eq. 19] */
#ifndef VL_PRESSURE_FORMS_H
#define VL_PRESSURE_FORMS_H

#include "linear/solve.h"

typedef struct vlCoupledSystem {
  int pressures, unknowns; /* liquid cells; velocity components of nodes that are not held */
  vlCsr *l;                /* (dt/rho) G^T A G [pressures x pressures], m4 s/kg */
  vlCsr *j;                /* flux into the solid by cell and unknown [pressures x unknowns], m2 */
  vlCsr *s;                /* (1/dt + tau_m) M + (dt + tau_k) K [unknowns x unknowns], kg/s */
  double *mass;            /* diagonal of (1/dt + tau_m) M [unknowns], kg/s */
  double *b;               /* [pressures], m3/s */
  double *w;               /* [unknowns], N */
} vlCoupledSystem;

typedef enum vlCoupledForm {
  VL_FORM_SPD,      /* eq. 33, conjugate gradients with IC(0) */
  VL_FORM_BICGSTAB, /* eq. 19, BiCGSTAB with ILU(0) */
  VL_FORM_MINRES,   /* eq. 19, MINRES with IC(0) of L + J diag(S)^-1 J^T and of S */
  VL_FORM_SCHUR     /* (L + J S^-1 J^T) p = b + J S^-1 w, conjugate gradients with MIC(0) of L and a direct factor of S */
} vlCoupledForm;

/* What is left of eq. 19 for given p and v. A block is measured against its own right side, or, where that is zero, against
 * its largest term. */
typedef struct vlCoupledResidual {
  double fluid; /* ||b - L p - J v|| / ||b|| */
  double solid; /* ||w - J^T p + S v|| / ||w|| */
  double total; /* both together, which the larger right side rules: mostly w */
  double worst; /* the larger of fluid and solid: what "solved" is judged by */
} vlCoupledResidual;

/* Frees all parts; the struct itself is the caller's. Fine on a zeroed one. */
void vl_coupled_clear(vlCoupledSystem *system);
/* Sizes fit together, columns are in range, mass is positive: else VL_ERROR_SOLVER with what is wrong. */
vlCode vl_coupled_check(const vlCoupledSystem *system, vlStatus *status);

/* Eq. 19 as one matrix [ L J ; J^T -S ]; rhs: [b; w] in new memory [pressures + unknowns]. */
vlCode vl_forms_indefinite(const vlCoupledSystem *system, vlCsr **a, double **rhs, vlStatus *status);
/* Eq. 33 with Z1 = sigma mass, 0 < sigma < 1; its unknowns are [p; v / alpha]. *alpha > 0 is taken as it is, 0 becomes
 * ||rhs1|| / ||rhs2||. */
vlCode vl_forms_spd(const vlCoupledSystem *system, double sigma, double *alpha, vlCsr **a, double **rhs, vlStatus *status);

/* The right side of eq. 33 for any b and w, which may be those of a correction [pressures + unknowns]. */
void vl_forms_spd_rhs(const vlCoupledSystem *system, double sigma, double alpha, const double *b, const double *w,
                      double *rhs);

/* r: [b - L p - J v; w - J^T p + S v], or NULL [pressures + unknowns]. */
vlCode vl_coupled_residual(const vlCoupledSystem *system, const double *p, const double *v, double *r,
                           vlCoupledResidual *residual, vlStatus *status);

/* Solves until `worst` meets the tolerance. p and v hold the first guess and return the answer. info->residual is `worst`,
 * also where it stays above the tolerance: then info->reason says why. sigma and alpha count for VL_FORM_SPD alone. */
vlCode vl_coupled_solve(const vlCoupledSystem *system, vlCoupledForm form, double sigma, double alpha,
                        vlSolveOptions options, double *p, double *v, vlSolveInfo *info, vlStatus *status);
const char *vl_coupled_form_name(vlCoupledForm form);

/* Condition number of the matrix of a form (eq. 19 for VL_FORM_BICGSTAB and VL_FORM_MINRES), within about one percent. Every
 * step is a product and a Schur solve. */
vlCode vl_coupled_condition(const vlCoupledSystem *system, vlCoupledForm form, double sigma, double alpha,
                            vlCondition *condition, vlStatus *status);

/* L.mtx, J.mtx, S.mtx, mass.mtx, b.mtx and w.mtx in an existing folder; 17 digits. */
vlCode vl_coupled_write(const vlCoupledSystem *system, const char *folder, vlStatus *status);

#endif
