/* Stable neo-Hookean elasticity at one integration point, from its deformation gradient F. */
#ifndef VL_SOLID_ELASTIC_NEO_H
#define VL_SOLID_ELASTIC_NEO_H

#include "base/vec.h"

/* Constants of the law, Pa. */
typedef struct vlNeo {
  double mu, lambda; /* lambda is not that of Lame */
} vlNeo;

/* The law that answers small strains as Lame's constants say. */
vlNeo vl_neo_from_lame(double lambda, double mu);
/* Energy in a volume at rest, J/m3: 0 where F is a rotation. */
double vl_neo_energy(vlNeo neo, vlMat3 F);
/* P = dPsi/dF, Pa: force on an area at rest. */
vlMat3 vl_neo_stress(vlNeo neo, vlMat3 F);
/* dP/dF, row and column 3 i + j for F_ij, symmetric to the last bit. `positive`: with 0 or the absolute value for each
 * negative eigenvalue, so positive semi-definite. Zero where F is not finite. */
void vl_neo_tangent(vlNeo neo, vlMat3 F, bool positive, double H[9][9]);

#endif
