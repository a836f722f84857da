/* One float V(2,2) cycle as a symmetric preconditioner for a stencil. */
#ifndef VL_LINEAR_MULTIGRID_H
#define VL_LINEAR_MULTIGRID_H

#include "linear/stencil.h"

typedef struct vlMultigrid vlMultigrid;

vlCode vl_multigrid_create(vlMultigrid **multigrid, const int n[3], vlStatus *status);
void vl_multigrid_destroy(vlMultigrid **multigrid);
/* Coarse levels for the stencil as it is now. Keeps memory from one call to the next. */
vlCode vl_multigrid_build(vlMultigrid *multigrid, const vlStencil *stencil, vlStatus *status);
/* z = M^-1 r; valid until the stencil changes. */
vlOperator vl_multigrid_operator(vlMultigrid *multigrid);
double vl_multigrid_bytes(const vlMultigrid *multigrid); /* memory it holds */

#endif
