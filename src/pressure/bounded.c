/* The pressure system under p >= 0 in some cells, by MPRGP (linear/mprgp.c). Multigrid preconditions it whatever the
 * solver's name: the operator is that of CG, L + J S^-1 J^T over all liquid cells. In: a system with its right-hand side in
 * which nothing is parted, and the cells of W. Out: p. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "pressure/pressure.h"

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

vlSolveInfo vl_pressure_solve_bounded(vlPressure *pressure, vlOperator system, vlOperator preconditioner,
                                      vlProjector null_space, vlSolveOptions options)
{
  vlBoundedProblem problem = {.a = system,
                              .preconditioner = preconditioner,
                              .null_space = null_space,
                              .diagonal = pressure->stencil.diagonal,
                              .bounded = pressure->bounded,
                              .b = pressure->b};
  return vl_mprgp(&problem, pressure->p, pressure->bounded_work, options);
}
