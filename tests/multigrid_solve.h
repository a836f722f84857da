/* Solves a stencil by CG with the multigrid to 1e-10 and counts the iterations; shared by the fast and the slow test. */
#ifndef VL_TESTS_MULTIGRID_SOLVE_H
#define VL_TESTS_MULTIGRID_SOLVE_H

#include "base/memory.h"
#include "grids.h"
#include "linear/multigrid.h"

static inline void remove_unknowns_mean(void *data, double *x)
{
  const vlStencil *s = data;
  double sum = 0.0;
  for (size_t i = 0; i < vl_stencil_length(s); i++) sum += x[i];
  for (size_t i = 0; i < vl_stencil_length(s); i++)
    if (s->diagonal[i] > 0.0) x[i] -= sum / (double)s->unknowns;
}

/* A random right-hand side, so that every frequency takes part. solution: may be NULL. */
static inline int multigrid_iterations_projected(const vlStencil *s, vlProjector projector, double *solution)
{
  vlMultigrid *mg = NULL;
  vlStatus status = {0};
  size_t n = vl_stencil_length(s);
  assert_int_equal(vl_multigrid_create(&mg, s->blocks.n, &status), VL_OK);
  vlCode code = vl_multigrid_build(mg, s, &status);
  if (code) fail_msg("%s", status.message);
  double *b = stencil_random(s, 21), *x = stencil_zero(s), *work = vl_aligned_alloc(4 * (n + 2 * VL_BLOCK) * sizeof(double));
  assert_non_null(work);
  vlSolveInfo info = vl_cg(vl_stencil_operator(s), vl_multigrid_operator(mg), projector, b, x, work,
                           (vlSolveOptions){.tolerance = 1e-10, .max_iterations = 60});
  if (info.reason != VL_SOLVE_CONVERGED)
    fail_msg("%d x %d x %d cells: %s: %.2e", s->blocks.n[0], s->blocks.n[1], s->blocks.n[2],
             vl_solve_reason_text(info.reason), info.residual);

  /* the residual once more, by hand */
  if (projector.apply) projector.apply(projector.data, b);
  vl_stencil_apply(s, x, work);
  double bb = vl_vector_dot(b, b, n);
  for (size_t i = 0; i < n; i++) work[i] -= b[i];
  assert_true(sqrt(vl_vector_dot(work, work, n) / bb) <= 2e-10);
  if (solution)
    for (size_t i = 0; i < n; i++) solution[i] = x[i];
  vl_stencil_vector_free(b);
  vl_stencil_vector_free(x);
  vl_aligned_free(work);
  vl_multigrid_destroy(&mg);
  return info.iterations;
}

static inline int multigrid_iterations(const vlStencil *s, bool closed, double *solution)
{
  vlProjector projector = {.apply = closed ? remove_unknowns_mean : NULL, .data = (void *)s};
  return multigrid_iterations_projected(s, projector, solution);
}

#endif
