/* The pressure system by the method of one's choice. Multigrid works on the blocks; the others on rows of a sparse matrix.
 * Under p >= 0 in some cells multigrid preconditions MPRGP (linear/mprgp.c) whatever the solver's name.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "pressure/pressure.h"

enum { DIRECT_PASSES = 4 };

/* L, or L + J S^-1 J^T, over cells or over the rows of a sparse matrix. */
typedef struct Coupled {
  vlOperator liquid;
  const vlCoupling *coupling;
  const int *place; /* row of each compact cell; NULL: vectors are compact */
} Coupled;

static void apply_coupled(void *data, const double *x, double *y)
{
  const Coupled *c = data;
  c->liquid.apply(c->liquid.data, x, y);
  vl_coupling_add(c->coupling, c->place, x, y);
}

static vlOperator with_bodies(const vlPressure *pressure, vlOperator liquid, const int *place, Coupled *coupled)
{
  *coupled = (Coupled){liquid, &pressure->coupling, place};
  if (!pressure->coupled || pressure->coupling.rows == 0) return liquid;
  return (vlOperator){.n = liquid.n, .pad = liquid.pad, .apply = apply_coupled, .data = coupled};
}

static void project_blocks(void *data, double *x) { vl_pressure_project(data, x); }

/* Bodies of few modes beside a preconditioner of L. */
static vlCode correct_bodies(vlPressure *pressure, const vlSealed *sealed, const int *place, const double *b,
                             double tolerance, vlStatus *status)
{
  vlWoodburyCase now = {.coupling = &pressure->coupling,
                        .sealed = sealed,
                        .label = pressure->label,
                        .region = pressure->region,
                        .cells = vl_stencil_length(&pressure->stencil),
                        .place = place,
                        .rho = pressure->step.rho,
                        .tolerance = tolerance};
  double size = 0.0;
  for (size_t i = 0; i < pressure->woodbury.inner.n; i++) size = fmax(size, fabs(b[i]));
  return vl_woodbury_prepare(&pressure->woodbury, &now, size > 0.0 && isfinite(size) ? size : 1.0, status);
}

/* p by MPRGP over all liquid cells, with what CG would have worked with: L + J S^-1 J^T. */
static vlSolveInfo solve_bounded(vlPressure *pressure, vlOperator system, vlOperator preconditioner, vlProjector null_space,
                                 vlSolveOptions options)
{
  vlBoundedProblem problem = {.a = system,
                              .preconditioner = preconditioner,
                              .null_space = null_space,
                              .diagonal = pressure->stencil.diagonal,
                              .bounded = pressure->bounded,
                              .b = pressure->b};
  return vl_mprgp(&problem, pressure->p, pressure->bounded_work, options);
}

static vlCode solve_multigrid(vlPressure *pressure, vlSolveOptions options, vlSolveInfo *info, vlStatus *status)
{
  vlCode code = pressure->multigrid_ready ? VL_OK : vl_multigrid_build(pressure->multigrid, &pressure->stencil, status);
  if (code) return code;
  pressure->multigrid_ready = true;
  vlProjector null_space = {.apply = pressure->null_count ? project_blocks : NULL, .data = pressure};
  Coupled coupled;
  vlOperator system = with_bodies(pressure, vl_stencil_operator(&pressure->stencil), NULL, &coupled);
  vlOperator preconditioner = vl_multigrid_operator(pressure->multigrid);
  if (pressure->coupled) preconditioner = vl_woodbury_operator(&pressure->woodbury, preconditioner);
  code = vl_sealed_prepare(&pressure->sealed, &pressure->coupling, pressure->region, pressure->sealed_count, preconditioner,
                           &preconditioner, status);
  if (!code && pressure->coupled)
    code = correct_bodies(pressure, pressure->sealed_count > 0 ? &pressure->sealed : NULL, NULL, pressure->b,
                          options.tolerance, status);
  if (!code && pressure->bounds)
    *info = solve_bounded(pressure, system, preconditioner, null_space, options);
  else if (!code)
    *info = vl_cg(system, preconditioner, null_space, pressure->b, pressure->p, pressure->work, options);
  return code;
}

/* The system over unknowns alone. */
typedef struct Rows {
  vlPressure *pressure;
  vlCsr *a;
  int *row_of;                  /* of each compact cell */
  double *b, *x, *work, *cells; /* cells: a compact vector for the projector */
} Rows;

static void rows_clear(Rows *rows)
{
  vl_csr_destroy(&rows->a);
  free(rows->row_of);
  free(rows->b);
  free(rows->x);
  free(rows->work);
  free(rows->cells);
  *rows = (Rows){0};
}

static vlCode rows_create(Rows *rows, vlPressure *pressure, vlStatus *status)
{
  size_t cells = vl_stencil_length(&pressure->stencil), n = (size_t)pressure->stencil.unknowns;
  *rows = (Rows){.pressure = pressure};
  rows->row_of = malloc((cells + VL_BLOCK) * sizeof(int));
  rows->b = malloc((n + 1) * sizeof(double));
  rows->x = malloc((n + 1) * sizeof(double));
  rows->work = malloc((4 * n + 1) * sizeof(double));
  rows->cells = calloc(cells + 1, sizeof(double));
  bool ok = rows->row_of && rows->b && rows->x && rows->work && rows->cells;
  vlCode code = ok ? vl_stencil_to_csr(&rows->a, &pressure->stencil, rows->row_of, status)
                   : vl_fail_memory(status, (cells + 6 * n) * sizeof(double), "the pressure matrix in rows");
  if (code) {
    rows_clear(rows);
    return code;
  }
  for (size_t i = 0; i < cells; i++) {
    if (rows->row_of[i] < 0) continue;
    rows->b[rows->row_of[i]] = pressure->b[i];
    rows->x[rows->row_of[i]] = pressure->p[i];
  }
  return VL_OK;
}

static void project_rows(void *data, double *x)
{
  Rows *rows = data;
  size_t cells = vl_stencil_length(&rows->pressure->stencil);
  for (size_t i = 0; i < cells; i++)
    if (rows->row_of[i] >= 0) rows->cells[i] = x[rows->row_of[i]];
  vl_pressure_project(rows->pressure, rows->cells);
  for (size_t i = 0; i < cells; i++)
    if (rows->row_of[i] >= 0) x[rows->row_of[i]] = rows->cells[i];
}

static void project_null(Rows *rows, double *x)
{
  if (rows->pressure->null_count) project_rows(rows, x);
}

/* vl_cg or vl_sweeps */
typedef vlSolveInfo Iteration(vlOperator a, vlOperator preconditioner, vlProjector null_space, const double *b, double *x,
                              double *work, vlSolveOptions options);

static vlSolveInfo iterate_rows(Rows *rows, vlOperator preconditioner, Iteration *iterate, vlSolveOptions options)
{
  vlProjector null_space = {.apply = rows->pressure->null_count ? project_rows : NULL, .data = rows};
  Coupled coupled;
  vlOperator system = with_bodies(rows->pressure, vl_csr_operator(rows->a), rows->row_of, &coupled);
  return iterate(system, preconditioner, null_space, rows->b, rows->x, rows->work, options);
}

static vlSolveInfo cg_rows(Rows *rows, vlOperator preconditioner, vlSolveOptions options)
{
  return iterate_rows(rows, preconditioner, vl_cg, options);
}

static vlCode solve_incomplete(Rows *rows, double modified, vlSolveOptions options, vlSolveInfo *info, vlStatus *status)
{
  vlIncomplete *factor = NULL;
  vlCode code = vl_incomplete_create(&factor, rows->a, modified, status);
  if (!code) *info = cg_rows(rows, vl_incomplete_operator(factor), options);
  vl_incomplete_destroy(&factor);
  return code;
}

static vlCode solve_jacobi(Rows *rows, Iteration *iterate, vlSolveOptions options, vlSolveInfo *info, vlStatus *status)
{
  vlJacobi *jacobi = NULL;
  vlCode code = vl_jacobi_create(&jacobi, rows->a, status);
  if (!code) *info = iterate_rows(rows, vl_jacobi_operator(jacobi), iterate, options);
  vl_jacobi_destroy(&jacobi);
  return code;
}

static double *diagonal_entry(vlCsr *a, int row)
{
  for (int64_t e = a->start[row]; e < a->start[row + 1]; e++)
    if (a->column[e] == row) return &a->value[e];
  return NULL;
}

/* Doubles the diagonal of the first cell of every region without air, or takes that back. */
static void hold_regions(Rows *rows, double factor)
{
  const vlPressure *pressure = rows->pressure;
  int cells = (int)vl_stencil_length(&pressure->stencil);
  for (int i = 0; i < cells; i++)
    if (pressure->label[i] == i && pressure->region[i] != VL_REGION_OPEN)
      *diagonal_entry(rows->a, rows->row_of[i]) *= factor;
}

/* work = b - A x; returns its norm over that of b */
static double rows_residual(Rows *rows)
{
  size_t n = (size_t)rows->a->rows;
  vl_csr_apply(rows->a, rows->x, rows->work);
  for (size_t i = 0; i < n; i++) rows->work[i] = rows->b[i] - rows->work[i];
  double bb = vl_vector_dot(rows->b, rows->b, n), rr = vl_vector_dot(rows->work, rows->work, n);
  return bb > 0.0 ? sqrt(rr / bb) : sqrt(rr + bb); /* 0 for b = 0, NaN for a NaN */
}

/* x = 0, then x += A^-1 (b - A x): once as a rule, again where round-off left more than the tolerance. */
static vlCode refine(Rows *rows, vlCholesky *factor, double tolerance, vlSolveInfo *info, vlStatus *status)
{
  size_t n = (size_t)rows->a->rows;
  double *r = rows->work, *correction = rows->work + n;
  *info = (vlSolveInfo){.reason = VL_SOLVE_ITERATIONS};
  memset(rows->x, 0, n * sizeof(double));
  memcpy(r, rows->b, n * sizeof(double));
  while (info->reason == VL_SOLVE_ITERATIONS && info->iterations < DIRECT_PASSES) {
    vlCode code = vl_cholesky_solve(factor, r, correction, status);
    if (code) return code;
    for (size_t i = 0; i < n; i++) rows->x[i] += correction[i];
    project_null(rows, rows->x);
    info->iterations++;
    info->residual = rows_residual(rows);
    if (info->residual <= tolerance) info->reason = VL_SOLVE_CONVERGED;
    if (!isfinite(info->residual)) *info = (vlSolveInfo){VL_SOLVE_NAN, info->iterations, NAN};
  }
  return VL_OK;
}

static void apply_factor(void *data, const double *x, double *y)
{
  vlStatus ignored;
  (void)vl_cholesky_solve(data, x, y, &ignored);
}

/* With bodies of few modes in it: without others CG takes a step or two. */
static vlCode cg_factor(Rows *rows, vlCholesky *factor, vlSolveOptions options, vlSolveInfo *info, vlStatus *status)
{
  vlOperator inverse = {.n = (size_t)rows->a->rows, .apply = apply_factor, .data = factor};
  vlOperator corrected = vl_woodbury_operator(&rows->pressure->woodbury, inverse);
  vl_woodbury_forget(&rows->pressure->woodbury);
  vlCode code = correct_bodies(rows->pressure, NULL, rows->row_of, rows->b, options.tolerance, status);
  if (!code) *info = cg_rows(rows, corrected, options);
  vl_woodbury_forget(&rows->pressure->woodbury);
  return code;
}

/* Direct, with bodies CG on the factor of L. A closed region is made definite for the factor by holding its first cell: its
 * equations add up to zero, so the held cell comes out as zero and the solution is one of the true matrix; its mean is taken
 * out. */
static vlCode solve_cholmod(Rows *rows, vlSolveOptions options, vlSolveInfo *info, vlStatus *status)
{
  vlCholesky *factor = NULL;
  project_null(rows, rows->b);
  hold_regions(rows, 2.0);
  vlCode code = vl_cholesky_create(&factor, rows->a, status);
  hold_regions(rows, 0.5);
  if (!code && rows->pressure->coupled && rows->pressure->coupling.rows > 0)
    code = cg_factor(rows, factor, options, info, status);
  else if (!code)
    code = refine(rows, factor, options.tolerance, info, status);
  vl_cholesky_destroy(&factor);
  return code;
}

static vlCode solve_rows(vlPressure *pressure, vlSolverKind kind, vlSolveOptions options, vlSolveInfo *info,
                         vlStatus *status)
{
  Rows rows;
  vlCode code = rows_create(&rows, pressure, status);
  if (code) return code;
  switch (kind) {
  case VL_SOLVER_MIC:
    code = solve_incomplete(&rows, 0.97, options, info, status);
    break;
  case VL_SOLVER_IC:
    code = solve_incomplete(&rows, 0.0, options, info, status);
    break;
  case VL_SOLVER_JACOBI:
    code = solve_jacobi(&rows, vl_cg, options, info, status);
    break;
  case VL_SOLVER_SWEEPS:
    code = solve_jacobi(&rows, vl_sweeps, options, info, status);
    break;
  default:
    code = solve_cholmod(&rows, options, info, status);
    break;
  }
  for (size_t i = 0; i < vl_stencil_length(&pressure->stencil) && !code; i++)
    if (rows.row_of[i] >= 0) pressure->p[i] = rows.x[rows.row_of[i]];
  rows_clear(&rows);
  return code;
}

vlCode vl_pressure_solve(vlPressure *pressure, vlSolverKind kind, vlSolveOptions options, vlPressureSolve *result,
                         vlStatus *status)
{
  vlPressureStep step = pressure->step;
  *result = (vlPressureSolve){0};
  if (pressure->stencil.unknowns == 0) return VL_OK;
  result->discarded_flux = vl_pressure_project(pressure, pressure->b) * step.dt * step.dx / step.rho;
  if (kind == VL_SOLVER_MULTIGRID || pressure->bounds) return solve_multigrid(pressure, options, &result->info, status);
  return solve_rows(pressure, kind, options, &result->info, status);
}

vlCode vl_pressure_bound(vlPressure *pressure, const vlFluid *fluid, const unsigned short *wall, vlStatus *status)
{
  const vlBlocks *blocks = &pressure->stencil.blocks;
  size_t n = vl_stencil_length(&pressure->stencil), doubles = VL_MPRGP_VECTORS * (n + 2 * VL_BLOCK);
  if (!vl_array_reserve((void **)&pressure->bounded, &pressure->bounded_capacity, n + 1, sizeof *pressure->bounded) ||
      !vl_array_reserve((void **)&pressure->bounded_work, &pressure->bounded_work_capacity, doubles, sizeof(double)))
    return vl_fail_memory(status, doubles * sizeof(double), "pressure that does not pull");
  memset(pressure->bounded, 0, n);
  for (int b = 0; b < blocks->count; b++) {
    int from = vl_blocks_find(fluid->wet, blocks->at[b].bx, blocks->at[b].j, blocks->at[b].k);
    for (int l = 0; l < VL_BLOCK; l++) pressure->bounded[b * VL_BLOCK + l] = wall[from] >> l & 1u;
  }
  pressure->bounds = true;
  return VL_OK;
}

vlCode vl_pressure_export(const vlPressure *pressure, const char *folder, vlStatus *status)
{
  Rows rows;
  vlCode code = rows_create(&rows, (vlPressure *)pressure, status); /* which is not changed here */
  if (code) return code;
  char path[4096];
  snprintf(path, sizeof path, "%s/system_A.mtx", folder);
  code = vl_csr_write(rows.a, path, status);
  snprintf(path, sizeof path, "%s/system_b.mtx", folder);
  if (!code) code = vl_vector_write(rows.b, rows.a->rows, path, status);
  snprintf(path, sizeof path, "%s/system_p.mtx", folder);
  if (!code) code = vl_vector_write(rows.x, rows.a->rows, path, status);
  rows_clear(&rows);
  return code;
}
