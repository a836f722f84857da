/* One float V(2,2) cycle as a preconditioner [mcadams2010].
 *
 * Red-black Gauss-Seidel, red then black on the way down and black then red on the way up, so that the cycle is symmetric;
 * trilinear transfer and its transpose; coarse operators re-discretised (level.c); dense Cholesky once few unknowns are
 * left. The first residual is scaled to order one before it becomes float, and those that follow by
 * the same. Sweeps over the stencil's tail go around those of the finest level (tail_sweep.h). */
#include "linear/multigrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "linear/level.h"
#include "linear/tail_sweep.h"

enum { MAX_LEVELS = 24, DENSE = 256 };

struct vlMultigrid {
  int n[3];
  vlLevel level[MAX_LEVELS];
  int count;            /* levels in use */
  int dense_n;          /* unknowns of the coarsest level */
  int *dense_cell;      /* compact index of each [DENSE] */
  double *dense_factor; /* [DENSE * DENSE] */
  double *dense_x;      /* [DENSE] */
  double scale;         /* of the first residual since the build, 0: none yet */
  size_t length;        /* of vectors, with the tail */
  vlTailSweep tail;     /* of the stencil */
};

vlCode vl_multigrid_create(vlMultigrid **multigrid, const int n[3], vlStatus *status)
{
  vlMultigrid *mg = calloc(1, sizeof *mg);
  *multigrid = mg;
  if (!mg) return vl_fail_memory(status, sizeof *mg, "the multigrid");
  memcpy(mg->n, n, sizeof mg->n);
  mg->dense_cell = malloc(DENSE * sizeof(int));
  mg->dense_factor = malloc(DENSE * DENSE * sizeof(double));
  mg->dense_x = malloc(DENSE * sizeof(double));
  if (mg->dense_cell && mg->dense_factor && mg->dense_x) return VL_OK;
  vl_multigrid_destroy(multigrid);
  return vl_fail_memory(status, DENSE * DENSE * sizeof(double), "the multigrid");
}

void vl_multigrid_destroy(vlMultigrid **multigrid)
{
  if (!multigrid || !*multigrid) return;
  vlMultigrid *mg = *multigrid;
  for (int i = 0; i < MAX_LEVELS; i++) vl_level_clear(&mg->level[i]);
  vl_tail_sweep_clear(&mg->tail);
  free(mg->dense_cell);
  free(mg->dense_factor);
  free(mg->dense_x);
  free(mg);
  *multigrid = NULL;
}

/* The coarsest matrix, with a breath on the diagonal so that closed regions can be factored too. */
static bool factor_coarsest(vlMultigrid *mg)
{
  const vlLevel *level = &mg->level[mg->count - 1];
  int total = level->blocks->count * VL_BLOCK, n = 0;
  int row_of[VL_BLOCK * DENSE];
  if (total > VL_BLOCK * DENSE) return false;
  for (int i = 0; i < total; i++) {
    row_of[i] = level->inverse[i] > 0.0f ? n : -1;
    if (row_of[i] >= 0) mg->dense_cell[n++] = i;
  }
  mg->dense_n = n;
  memset(mg->dense_factor, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int row = 0; row < n; row++) {
    int i = mg->dense_cell[row], b = i / VL_BLOCK, l = i % VL_BLOCK;
    const int lower[3] = {i - 1, level->side[b][0] * VL_BLOCK + l, level->side[b][2] * VL_BLOCK + l};
    mg->dense_factor[row * n + row] = (double)level->diagonal[i] * (1.0 + 1e-6);
    for (int a = 0; a < 3; a++) {
      if (level->w[a][i] <= 0.0f) continue;
      int column = row_of[lower[a]];
      mg->dense_factor[row * n + column] = mg->dense_factor[column * n + row] = -(double)level->w[a][i];
    }
  }
  return vl_dense_factor(mg->dense_factor, n);
}

vlCode vl_multigrid_build(vlMultigrid *mg, const vlStencil *stencil, vlStatus *status)
{
  mg->count = 1;
  mg->scale = 0.0;
  mg->length = vl_stencil_length(stencil);
  vlCode code = vl_tail_sweep_build(&mg->tail, stencil, status);
  if (!code) code = vl_level_from_stencil(&mg->level[0], stencil, status);
  /* closed regions smaller than a coarse cell leave blocks without unknowns behind, so both are counted */
  while (!code && mg->count < MAX_LEVELS &&
         (mg->level[mg->count - 1].unknowns > DENSE || mg->level[mg->count - 1].blocks->count > DENSE)) {
    bool gather = mg->count == 1 && mg->tail.count > 0;
    if (gather) code = vl_tail_sweep_gather(&mg->tail, stencil, &mg->level[0], status);
    if (!code) code = vl_level_coarsen(&mg->level[mg->count], &mg->level[mg->count - 1], status);
    if (!code) vl_level_prepare_transfer(&mg->level[mg->count], &mg->level[mg->count - 1]);
    if (!code && gather) code = vl_level_from_stencil(&mg->level[0], stencil, status);
    mg->count++;
  }
  if (code) return code;
  if (!factor_coarsest(mg)) return vl_fail(status, VL_ERROR_INTERNAL, "the coarsest multigrid matrix could not be factored");
  return VL_OK;
}

double vl_multigrid_bytes(const vlMultigrid *mg)
{
  double bytes = sizeof *mg + DENSE * (sizeof(int) + (DENSE + 1) * sizeof(double));
  for (int i = 0; i < MAX_LEVELS; i++) bytes += vl_level_bytes(&mg->level[i]);
  return bytes + vl_tail_sweep_bytes(&mg->tail);
}

static void solve_coarsest(vlMultigrid *mg)
{
  vlLevel *level = &mg->level[mg->count - 1];
  for (int row = 0; row < mg->dense_n; row++) mg->dense_x[row] = (double)level->b[mg->dense_cell[row]];
  vl_dense_solve(mg->dense_factor, mg->dense_n, mg->dense_x);
  memset(level->x, 0, (size_t)level->blocks->count * VL_BLOCK * sizeof(float));
  for (int row = 0; row < mg->dense_n; row++) level->x[mg->dense_cell[row]] = (float)mg->dense_x[row];
}

/* r: residual of the first level's tail, z: its correction; both NULL without tail. */
static void cycle(vlMultigrid *mg, const double *r, double *z)
{
  static const vlPass down[5] = {VL_PASS_BEGIN, VL_PASS_BLACK, VL_PASS_RED, VL_PASS_BLACK, VL_PASS_RESIDUAL},
                      up[4] = {VL_PASS_BLACK, VL_PASS_RED, VL_PASS_BLACK, VL_PASS_RED};
  for (int i = 0; i < mg->count - 1; i++) {
    bool tail = i == 0 && mg->tail.count > 0;
    vl_level_passes(&mg->level[i], down, tail ? 4 : 5);
    if (tail) {
      vl_tail_sweep_down(&mg->tail, r, z, &mg->level[0], mg->scale);
      vl_level_passes(&mg->level[0], down + 4, 1);
      vl_tail_sweep_residual(&mg->tail, r, z, &mg->level[0], mg->scale);
    }
    vl_level_restrict(&mg->level[i], &mg->level[i + 1]);
  }
  solve_coarsest(mg);
  for (int i = mg->count - 2; i >= 0; i--) {
    bool tail = i == 0 && mg->tail.count > 0;
    if (tail) vl_tail_sweep_hold(&mg->tail, &mg->level[0]);
    vl_level_prolong(&mg->level[i + 1], &mg->level[i]);
    if (tail) vl_tail_sweep_up(&mg->tail, r, z, &mg->level[0], mg->scale);
    vl_level_passes(&mg->level[i], up, 4);
  }
}

static double largest_of(const double *r, size_t n)
{
  double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (size_t i = 0; i < n; i++) { /* by comparison: fmax is a call */
    double size = fabs(r[i]);
    if (size > largest) largest = size;
  }
  return largest > 0.0 ? largest : 1.0;
}

/* Floats reach from 1e-38 to 1e38: residuals of one solve have room at the scale of the first. */
static void apply(void *data, const double *r, double *z)
{
  vlMultigrid *mg = data;
  vlLevel *fine = &mg->level[0];
  size_t n = (size_t)fine->blocks->count * VL_BLOCK;
  if (mg->scale == 0.0) mg->scale = largest_of(r, mg->length);
  double scale = mg->scale, inverse = 1.0 / scale;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) fine->b[i] = (float)(r[i] * inverse);
  vl_tail_sweep_begin(&mg->tail, r, z, fine, scale);
  cycle(mg, r, z);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) z[i] = scale * (double)fine->x[i];
  vl_tail_sweep_end(&mg->tail, r, z);
}

vlOperator vl_multigrid_operator(vlMultigrid *mg)
{
  return (vlOperator){.n = mg->length, .pad = 0, .apply = apply, .data = mg};
}
