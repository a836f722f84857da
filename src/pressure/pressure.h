/* The pressure solve: one symmetric positive-definite system per step,
 *   L p = -div u*,        u = u* - (dt/rho) grad p,            with bodies that of coupling.h,
 * L a 7-point Laplacian over the liquid cells whose faces have an open area A_f and a distance d_f: dx between two liquid
 * cells, theta dx from a liquid cell to the free surface (ghost fluid). docs/theory/pressure.md. */
#ifndef VL_PRESSURE_PRESSURE_H
#define VL_PRESSURE_PRESSURE_H

#include "cut/cuts.h"
#include "linear/multigrid.h"
#include "linear/stencil.h"
#include "pressure/coupling.h"
#include "pressure/sealed.h"
#include "pressure/woodbury.h"

/* What the liquid fills, on the grid. Fields of grid/grid.h; all are read only here. */
typedef struct vlFluid {
  const vlGrid *grid;
  const vlBlocks *wet; /* blocks that hold every liquid cell and every neighbour of one */
  const vlCuts *cuts;
  const double *const *area; /* m2: open area of lower faces, area[axis] */
  const double *phi;         /* m: liquid level set at cell centres, negative in liquid, continued into solids */
  double theta_min;          /* smallest distance to the free surface, cells */
  const double *open;        /* open part of each cell's volume, 0..1; NULL: all open */
  const double *gain;        /* part of their volume that cells of liquid with a free surface gain in a step; NULL: none */
  const unsigned short *parted; /* liquid cells whose pressure is zero because they part from a wall, a bit each
                                   (separation.h) [wet]; NULL: none. Only vl_pressure_part reads it. */
  const double *const *jump;    /* Pa: pressure on the free surface where it crosses a face, jump[axis]; NULL: zero */
  const vlBodySet *bodies;      /* begun for the step; NULL: none */
  const vlPatches *patches;     /* of their surfaces */
  vlContactSolve *contact;      /* what they touch */
  bool bodies_given;            /* their velocities do not answer to this step's pressure (weak coupling) */
} vlFluid;

/* A cell whose widest face is smaller than this part of dx2 is left out: rounding errors of its neighbours' fluxes would be
 * large in it. */
#define VL_PRESSURE_ORPHAN 1e-8

/* What becomes of a cell's pressure level. */
enum {
  VL_REGION_NONE = -1,  /* no unknown */
  VL_REGION_OPEN = -2,  /* the free surface sets it */
  VL_REGION_SEALED = -3 /* no air, but a body that yields; the next such region is -4, and so on */
};                      /* 0 and more: number of a closed region between rigid walls, where only differences count */

typedef struct vlPressure {
  vlStencil stencil; /* L in units of (dt/rho) dx: open faces weigh 1 */
  unsigned short
      *active; /* liquid cells of each wet block that take part, a bit each; all but parted ones are unknowns [wet] */
  unsigned short *surface; /* unknowns with a link to the free surface [stencil blocks] */
  unsigned short *parted;  /* cells that the system holds at zero pressure: those of the last vl_pressure_part [wet] */
  unsigned char *stale;    /* scratch: blocks whose coefficients are to be found anew [stencil blocks] */
  size_t active_capacity, surface_capacity, parted_capacity, stale_capacity;
  int orphans;         /* liquid cells left out because all their faces are closed */
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
  bool bounds;            /* p >= 0 where `bounded` says so (bounded.c); gone with the next assembly */
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
/* b = -div u* in the units of the stencil; u* must be the walls' velocity, zero, on the domain's sides. First guess from the
 * field `guess` (Pa). */
void vl_pressure_rhs(vlPressure *pressure, const vlFluid *fluid, double *const u_star[3], const double *guess, double dt,
                     double rho);
/* Puts the bodies' part into b, after vl_pressure_rhs: what they would do without pressure, or, where their velocities are
 * given, what they do under the pressure of the first guess. */
void vl_pressure_rhs_bodies(vlPressure *pressure);
/* Solves by the named method. Not converging is a reason in the result, not an error. */
vlCode vl_pressure_solve(vlPressure *pressure, vlSolverKind kind, vlSolveOptions options, double dt, double rho, double dx,
                         vlPressureSolve *result, vlStatus *status);
/* From now on the system is solved under p >= 0 in the cells of `wall` [wet]; nothing may be parted. */
vlCode vl_pressure_bound(vlPressure *pressure, const vlFluid *fluid, const unsigned short *wall, vlStatus *status);
/* Part of vl_pressure_solve: p by MPRGP, with what CG would have worked with. */
vlSolveInfo vl_pressure_solve_bounded(vlPressure *pressure, vlOperator system, vlOperator preconditioner,
                                      vlProjector null_space, vlSolveOptions options);
/* Compact pressure into a field, zero on wet cells that are no unknowns. */
void vl_pressure_store(const vlPressure *pressure, const vlFluid *fluid, double *p);
/* u = u* - (dt/rho) grad p on open faces of unknowns. Elsewhere u = u* on open faces whose bit is set in keep[axis] (spray
 * in free flight; keep may be NULL: none, [wet]), and zero on all others of the wet blocks. u may be u*. */
void vl_pressure_apply(const vlPressure *pressure, const vlFluid *fluid, const double *p, double *const u_star[3], double dt,
                       double rho, unsigned short *const *keep, double *const u[3]);

/* Distance along a face from liquid (level set in) to the free surface towards air (level set out), in cells. */
static inline double vl_pressure_theta(double in, double out, double theta_min)
{
  double theta = in / (in - out);
  return theta < theta_min ? theta_min : theta > 1.0 ? 1.0 : theta;
}

/* For each face of the grid that carries flow: its open area (m2), its distance d_f (m), and which sides are unknowns. */
typedef struct vlFlowFace {
  double area, distance;
  bool lower, upper; /* the cell below / above is an unknown; false for both: nothing flows */
} vlFlowFace;
/* Lower face along `axis` of cell l of wet block b. */
vlFlowFace vl_pressure_face(const vlPressure *pressure, const vlFluid *fluid, int b, int l, int axis);
/* The lower faces of wet block b along an axis that carry flow, a bit each; of these, in *inner, those between two unknowns,
 * whose distance is dx. */
unsigned vl_pressure_flow(const vlPressure *pressure, const vlFluid *fluid, int b, int axis, unsigned *inner);

/* Writes system_A.mtx, system_b.mtx and system_p.mtx of the last system. */
vlCode vl_pressure_export(const vlPressure *pressure, const char *folder, vlStatus *status);

#endif
