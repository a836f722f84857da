/* The pressure solve: one symmetric positive-definite system per step,
 *   L p = -div u*,        u = u* - (dt/rho) grad p,            with bodies that of coupling.h,
 * L a 7-point Laplacian over the liquid cells whose faces have an open area A_f and a distance d_f: dx between two liquid
 * cells, theta dx from a liquid cell to the free surface (ghost fluid). docs/theory/pressure.md. */
#ifndef VL_PRESSURE_PRESSURE_H
#define VL_PRESSURE_PRESSURE_H

#include "linear/multigrid.h"
#include "linear/stencil.h"
#include "liquid/particles.h"
#include "pressure/links.h"
#include "pressure/sealed.h"
#include "pressure/woodbury.h"

/* What becomes of a cell's pressure level. */
enum {
  VL_REGION_NONE = -1,  /* no unknown */
  VL_REGION_OPEN = -2,  /* the free surface sets it */
  VL_REGION_SEALED = -3 /* no air, but a body that yields; the next such region is -4, and so on */
};                      /* 0 and more: number of a closed region between rigid walls, where only differences count */

/* What b and the update stand for. */
typedef struct vlPressureStep {
  double dt, rho, dx; /* s, kg/m3, m */
} vlPressureStep;

typedef struct vlPressure {
  vlLinks links;           /* of the liquid; their nodes, but parted ones, are the unknowns */
  vlStencil stencil;       /* L in units of (dt/rho) dx: open faces weigh 1 */
  unsigned short *surface; /* unknowns with a link to a fixed pressure: free surface, parted cells [stencil blocks] */
  unsigned short *parted;  /* cells that the system holds at zero pressure: those of the last vl_pressure_part [wet] */
  unsigned char *stale;    /* scratch: blocks whose coefficients are to be found anew [stencil blocks] */
  size_t surface_capacity, parted_capacity, stale_capacity;
  vlPressureStep step; /* of the last vl_pressure_rhs */
  vlCoupling coupling; /* with bodies */
  bool coupled;        /* bodies take part in the solve; else only their velocity in the right-hand side */
  /* Closed regions without free surface: their constant is no pressure difference. */
  int null_count;
  int *null_start; /* first entry in null_cell of each region [null_count + 1] */
  int *null_cell;  /* compact indices, ascending in each region */
  size_t null_start_capacity, null_cell_capacity;
  int sealed_count; /* regions without air that bodies close off */
  vlSealed sealed;
  vlWoodbury woodbury;    /* bodies of few modes in the preconditioner */
  double *b, *p, *work;   /* compact vectors: right-hand side, pressure (Pa), CG's scratch */
  int *label;             /* component of each compact cell: its smallest index, -1: no unknown */
  int *region;            /* closed region of each compact cell, or VL_REGION_ */
  size_t vector_capacity; /* blocks */
  vlMultigrid *multigrid;
  bool multigrid_ready;   /* built for the stencil as it is */
  bool bounds;            /* p >= 0 where `bounded` says so; gone with the next assembly */
  unsigned char *bounded; /* [compact] */
  double *bounded_work;   /* scratch of MPRGP */
  size_t bounded_capacity, bounded_work_capacity;
} vlPressure;

typedef struct vlPressureSolve {
  vlSolveInfo info;
  double discarded_flux; /* m3/s: net inflow into closed regions, which no pressure can balance */
} vlPressureSolve;

vlCode vl_pressure_create(vlPressure **pressure, const vlGrid *grid, vlStatus *status);
void vl_pressure_destroy(vlPressure **pressure);

/* Unknowns, weights, closed regions, of all liquid: nothing is parted. */
vlCode vl_pressure_assemble(vlPressure *pressure, const vlFluid *fluid, vlStatus *status);
/* Makes it the system in which the cells of fluid->parted have no pressure, which must lie in regions with air. Only blocks
 * around cells that changed are looked at, and regions stay what they are: what is cut off from the air by parted cells
 * borders on their zero. The right-hand side must be found anew. */
vlCode vl_pressure_part(vlPressure *pressure, const vlFluid *fluid, vlStatus *status);
/* Finds the closed regions of the assembled system; part of vl_pressure_assemble. */
vlCode vl_pressure_find_closed(vlPressure *pressure, vlStatus *status);
/* Takes the mean over each closed region out of a compact vector; returns the sum of |total| removed. */
double vl_pressure_project(const vlPressure *pressure, double *x);
/* b = -div u* in the units of the stencil; on the domain's sides u* is given, zero at walls that stand still. First guess
 * from the field `guess` (Pa). */
void vl_pressure_rhs(vlPressure *pressure, const vlFluid *fluid, double *const u_star[3], const double *guess, double dt,
                     double rho);
/* middle.c: the divergence, 1/s, that liquid of velocity u before a step of length h is to have when its velocity is that of
 * the step's middle, so that its way keeps its volume; after vl_pressure_assemble, on the wet blocks. Returns the largest.
 */
double vl_pressure_middle(vlPressure *pressure, const vlFluid *fluid, double *const u[3], double h, double *swell);
/* volume.c: the velocity that carries places so that cells gain volume. After the step's solve: path = u + w with div w =
 * gain / dt on faces with a link, path = u elsewhere as vl_pressure_apply has it; so too for the links of a tail, whose
 * extra nodes gain nothing and whose u and p stay as they are. Overwrites b and p. */
typedef struct vlGrowth {
  const double *excess; /* of each cell's density, field; NULL: no matter */
  const double *room;   /* part of each cell that is to gain, field; NULL: what is open */
  vlDensityShares shares;
  double dt; /* s: in which places move by `path` */
  double *q; /* Pa: scratch, field */
} vlGrowth;
vlCode vl_pressure_grow(vlPressure *pressure, const vlFluid *fluid, vlGrowth growth, double *const u[3],
                        unsigned short *const *keep, double *const path[3], vlStatus *status);
/* Puts the bodies' part into b, after vl_pressure_rhs: what they would do without pressure, or, where their velocities are
 * given, what they do under the pressure of the first guess. */
void vl_pressure_rhs_bodies(vlPressure *pressure);
/* Solves by the named method. Not converging is a reason in the result, not an error. */
vlCode vl_pressure_solve(vlPressure *pressure, vlSolverKind kind, vlSolveOptions options, vlPressureSolve *result,
                         vlStatus *status);
/* From now on the system is solved under p >= 0 in the cells of `wall` [wet]; nothing may be parted. */
vlCode vl_pressure_bound(vlPressure *pressure, const vlFluid *fluid, const unsigned short *wall, vlStatus *status);
/* swept.c: what bodies that seal liquid off take from it over a whole step.
 * After a solve and vl_coupling_velocity: puts what the bodies sweep over beyond dt J v, in cells of sealed regions, into b
 * in place of what was there. True when no region of more than a few cells changes its volume by more than 1e-8 on that
 * account, and always without sealed regions; else the system is to be solved again. */
bool vl_swept_holds(vlPressure *pressure, double dt, double dx);
/* Compact pressure into a field, zero on wet cells that are no unknowns. */
void vl_pressure_store(const vlPressure *pressure, const vlFluid *fluid, double *p);
/* The same of any compact vector, in cells alone. */
void vl_pressure_scatter(const vlPressure *pressure, const vlFluid *fluid, const double *x, double *p);
/* u = u* - (dt/rho) grad p on faces with a link, of the step of the right-hand side. Elsewhere u = u* on open faces on the
 * domain's sides, given ones and on those whose bit is set in keep[axis] (spray in free flight; keep may be NULL: none,
 * [wet]), and zero on all others that are lower faces of wet blocks. u may be u*. */
void vl_pressure_apply(const vlPressure *pressure, const vlFluid *fluid, const double *p, double *const u_star[3],
                       unsigned short *const *keep, double *const u[3]);

/* outlets.c: what a side of the domain that is open adds to a block, of which `own` are unknowns: to the diagonal, as a link
 * to a fixed pressure half a cell away, returning the bits of the cells that have one; to b; and their velocity, m/s. */
unsigned vl_outlets_weigh(const vlFluid *fluid, vlBlockPosition p, unsigned own, double fixed[VL_BLOCK]);
void vl_outlets_press(const vlFluid *fluid, vlBlockPosition p, unsigned own, double b[VL_BLOCK]);
void vl_outlets_apply(const vlPressure *pressure, const vlFluid *fluid, const double *p, double *const u_star[3],
                      double *const u[3]);
double vl_outlet_velocity(const vlFluid *fluid, const int cell[3], int side, double p, double u_star, double step);
static inline bool vl_outlet_open(const vlFluid *fluid, int side) { return fluid->outlet && fluid->outlet[side].open; }

/* Writes system_A.mtx, system_b.mtx and system_p.mtx of the last system. */
vlCode vl_pressure_export(const vlPressure *pressure, const char *folder, vlStatus *status);

#endif
