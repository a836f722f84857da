/* The pressure solve on a dam-break-like system: iterations and time to 1e-10 for every preconditioner over sizes.
 * The system: a column of liquid with a wavy tilted surface, droplets above it and bubbles in it, 40 % of the box
 * (tests/liquid_blob.h). */
#include <stdio.h>
#include <stdlib.h>

#include "../tests/liquid_blob.h"
#include "base/memory.h"
#include "base/timer.h"
#include "linear/multigrid.h"

enum { SIZES = 4 };

static const int cells[SIZES] = {32, 64, 128, 256};

typedef struct Timing {
  int iterations;
  double setup, solve; /* s */
} Timing;

static void fail(const vlStatus *status)
{
  fprintf(stderr, "bench_solver: %s\n", status->message);
  exit(1);
}

static Timing run_multigrid(const vlStencil *s, const double *b)
{
  vlStatus status = {0};
  vlMultigrid *multigrid = NULL;
  size_t n = vl_stencil_length(s);
  double *x = vl_stencil_vector_create((size_t)s->blocks.count),
         *work = vl_aligned_alloc(4 * (n + 2 * VL_BLOCK) * sizeof(double));
  if (vl_multigrid_create(&multigrid, s->blocks.n, &status)) fail(&status);
  double start = vl_seconds();
  if (vl_multigrid_build(multigrid, s, &status)) fail(&status);
  double built = vl_seconds();
  vlSolveInfo info = vl_cg(vl_stencil_operator(s), vl_multigrid_operator(multigrid), (vlProjector){0}, b, x, work,
                           (vlSolveOptions){1e-10, 200});
  Timing timing = {info.iterations, built - start, vl_seconds() - built};
  vl_multigrid_destroy(&multigrid);
  vl_stencil_vector_free(x);
  vl_aligned_free(work);
  return timing;
}

static Timing run_incomplete(const vlStencil *s, const double *b, double modified)
{
  vlStatus status = {0};
  vlCsr *a = NULL;
  vlIncomplete *factor = NULL;
  int *row_of = malloc((vl_stencil_length(s) + VL_BLOCK) * sizeof(int));
  double start = vl_seconds();
  if (!row_of || vl_stencil_to_csr(&a, s, row_of, &status) || vl_incomplete_create(&factor, a, modified, &status))
    fail(&status);
  size_t n = (size_t)a->rows;
  double *rhs = malloc(n * sizeof(double)), *x = calloc(n, sizeof(double)), *work = malloc(4 * n * sizeof(double));
  if (!rhs || !x || !work) exit(1);
  for (size_t i = 0; i < vl_stencil_length(s); i++)
    if (row_of[i] >= 0) rhs[row_of[i]] = b[i];
  double built = vl_seconds();
  vlSolveInfo info = vl_cg(vl_csr_operator(a), vl_incomplete_operator(factor), (vlProjector){0}, rhs, x, work,
                           (vlSolveOptions){1e-10, 5000});
  Timing timing = {info.iterations, built - start, vl_seconds() - built};
  vl_incomplete_destroy(&factor);
  vl_csr_destroy(&a);
  free(row_of);
  free(rhs);
  free(x);
  free(work);
  return timing;
}

int main(void)
{
  int first = 0, last = 0, worst = 0;
  printf("%6s %10s | %-28s | %-28s | %-28s\n", "n", "unknowns", "multigrid  its  set-up  solve",
         "MIC(0)     its  set-up  solve", "IC(0)      its  set-up  solve");
  for (int s = 0; s < SIZES; s++) {
    vlStatus status = {0};
    vlStencil stencil;
    if (blob_stencil(&stencil, cells[s], cells[s], &status)) fail(&status);
    double *b = vl_stencil_vector_create((size_t)stencil.blocks.count);
    for (size_t i = 0; i < vl_stencil_length(&stencil); i++)
      b[i] = stencil.diagonal[i] > 0.0 ? blob_hash((int)i, 7, 3) - 0.5 : 0.0;
    Timing mg = run_multigrid(&stencil, b);
    printf("%6d %10lld | %14d %6.3f %6.3f |", cells[s], (long long)stencil.unknowns, mg.iterations, mg.setup, mg.solve);
    if (cells[s] <= 128) { /* the others take minutes beyond */
      Timing mic = run_incomplete(&stencil, b, 0.97), ic = run_incomplete(&stencil, b, 0.0);
      printf(" %14d %6.3f %6.3f | %14d %6.3f %6.3f", mic.iterations, mic.setup, mic.solve, ic.iterations, ic.setup,
             ic.solve);
    }
    printf("\n");
    if (cells[s] == 64) first = mg.iterations;
    last = mg.iterations;
    worst = mg.iterations > worst ? mg.iterations : worst;
    vl_stencil_vector_free(b);
    vl_stencil_clear(&stencil);
  }
  printf("multigrid: at most %d iterations (limit 20), %d more at 256 than at 64 (limit 4)\n", worst, last - first);
  return worst > 20 || last - first > 4;
}
