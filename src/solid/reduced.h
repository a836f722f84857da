/* Elastic bodies of tetrahedra in few unknowns [brandt2019, brandt2018]: a kind of body (body.h) that can be one medium with
 * liquid.
 *
 * Handles g = 0 .. k-1 lie at vertices c_g; each carries an affine map, and the mesh is their blend,
 *
 *     x_v = sum_g w_g(v) ( T_g^T (X_v - c_g)/r + t_g ) = (U q)_v        q: 4k rows of three numbers, T_g and t_g
 *
 * with weights that fall off with the way through the body and sum to 1, so that affine motions are in the space exactly.
 * Grains p lie in tetrahedra, x_p = (B U q)_p =: (P q)_p. Both share q: twin subspaces [brandt2019, sec. 4].
 *
 *     mass       m_p G,  G = P^T P + E          E: a little of the mesh's own mass, where grains say nothing
 *     energy     lambda/2 sum_j V_j |F_j - R_c(j)|^2      R_c: rotation of the mean F of a cluster of tetrahedra
 *     elastic    (m_p G (1 + a dt)/dt^2 + lambda K) (q - y) = sum_c lambda V_c B_c^T (R_c - F_c(y))^T
 *     projection G (q - q_el) = P^T (x_p - P q_el)                         [brandt2019, eq. 13]
 *
 * lambda = young / (1 + poisson) is twice the shear modulus: for small strains the energy is that of a material of this
 * shear modulus that does not mind its volume, which is the liquid's task. Rows of vectors in the subspace have four
 * doubles, the last 0, for the sake of speed. */
#ifndef VL_SOLID_REDUCED_H
#define VL_SOLID_REDUCED_H

#include "mesh/stuff.h"
#include "mesh/tetmesh.h"
#include "solid/body.h"

typedef struct vlReducedMaterial {
  double density, young, poisson; /* kg/m3; Pa; 0 .. 0.45 */
  double mass_damping;            /* 1/s: tau_m >= 0, on momenta */
} vlReducedMaterial;

typedef struct vlReducedOptions {
  int handles, clusters; /* at most; fewer where the mesh or the grains do not allow as many */
  int iterations;        /* of a step's local-global solve; 0: 10 */
  double spacing;        /* m: of grains */
  vlVec3 origin;         /* m: a corner of their lattice */
} vlReducedOptions;

/* The body's hands (grab.h) in the step that has begun. Each draws sum c_i x_i to a place by a spring. */
typedef struct vlReducedGrabs {
  int count;      /* 0: nobody holds it */
  size_t room;    /* hands that there is room for */
  vlVec3 *place;  /* m [count] */
  double *weight; /* N/m: of the springs [count] */
  double *row;    /* a = U^T c [count][size] */
  double *answer; /* A^-1 a along each axis [3][count][size] */
  double *inner;  /* 1/w + a^T A^-1 a, factored; then scratch [3][count][count], [count] */
} vlReducedGrabs;

typedef struct vlReduced {
  vlBody body;
  /* Constant. */
  vlReducedMaterial material;
  vlStuffInfo stuffed;
  int iterations;
  vlVec3 center;          /* m: C, coordinates of the form at rest are counted from there */
  double volume;          /* m3: of all tetrahedra */
  double radius;          /* m: r */
  int handle_count;       /* k */
  int size;               /* 4k */
  vlVec3 *handle;         /* m: c_g - C [k] */
  double *node_volume;    /* m3: a quarter of the tetrahedra about each node [node_count] */
  int64_t *start;         /* of each node's handles, ascending [node_count + 1] */
  int *of;                /* handle [start[node_count]] */
  double *weight;         /* w_g(v) [start[node_count]] */
  int cluster_count;      /* of tetrahedra */
  int *cluster;           /* of each tetrahedron [element_count] */
  int64_t *block_start;   /* of each cluster's handles [cluster_count + 1] */
  int *block_handle;      /* [block_start[cluster_count]] */
  double (*block)[12];    /* 1/m: B_c, d(mean F row d)/d(row j of q) at 4 d + j [block_start[cluster_count]] */
  double *cluster_volume; /* m3 [cluster_count] */
  double *gram;           /* G [size][size] */
  double *stiffness;      /* m: K for lambda = 1 [size][size] */
  vlGrains grains;
  int (*grain_node)[4];     /* corners of its tetrahedron [count] */
  double (*grain_share)[4]; /* its barycentric coordinates there [count] */
  vlVec3 *grain_normal;     /* at rest [count] */
  int64_t *node_start;      /* of each node's grains [node_count + 1] */
  int *node_grain;          /* 4 grain + corner [4 count] */
  int64_t *twin_start;      /* P: of each grain's handles [count + 1] */
  int *twin_of;             /* handle [twin_start[count]] */
  double (*twin)[4];        /* sum over its corners of share w_g(v) (X_v; 1) [twin_start[count]] */
  int *pin;                 /* pin of the scene that moves each unknown, the last that claims it; -1: none [3 node_count] */

  /* State, besides the body's. */
  double (*q)[4];    /* m [size] */
  double (*rate)[4]; /* m/s [size] */

  /* What holds it in the coming step. */
  bool *clamped;  /* unknowns 3 node + axis that are drawn to their target [3 node_count] */
  double *target; /* m: at the end of the step [3 node_count] */
  int clamps[3];  /* how many, along each axis */
  vlReducedGrabs grabs;
  vlVec3 *carried; /* N: weight of the liquid between its surface and the middles of cells [node_count] */
  bool carries;    /* any */
  vlVec3 push;     /* m/s2: what pushes as a whole */
  vlVec3 turning;  /* 1/s2: and turns it, about its centre */

  /* Follows from these, made where it is stale. */
  bool stale;
  double built_dt;                            /* s: A^-1 is for such a step, to nine digits */
  double clamp_weight[3];                     /* N/m: of each clamped unknown */
  double *inverse[3];                         /* A^-1 along each axis; those that are equal are one array [size][size] */
  double *projection[3];                      /* the same of (G + clamps) */
  double *own_inverse[3], *own_projection[3]; /* their memory */
  double *free_projection;                    /* G^-1 */

  /* Scratch, and of the step between predict and settle. */
  double (*next)[4];                                             /* m/s: the rate that the step ends with [size] */
  double (*force)[4], (*held_force)[4], (*moved)[4], (*gone)[4]; /* [size] */
  double (*fallen)[4];                                           /* m/s: the rate after forces, before elasticity [size] */
  double (*borne)[4];                                            /* N: of walls on its grains, in the subspace [size] */
  double (*pushed)[4];                                           /* m/s2: what the medium's push is in the subspace [size] */
  double (*turned)[12];                                          /* mean F of clusters at y [cluster_count] */
  double *pieces;                                                /* sums of pieces */
  double *linear;                                                /* blended linear parts of nodes [node_count][9] */
} vlReduced;

extern const vlBodyType vl_reduced_type;

/* `name` stands in messages. Starts at rest in the mesh's form, free. */
vlCode vl_reduced_create(vlReduced **body, const vlTetMesh *mesh, vlReducedMaterial material, vlReducedOptions options,
                         const char *name, vlStatus *status);

/* Places and velocities of nodes and grains as q and its rate say; call it after writing to them. */
void vl_reduced_follow(vlReduced *body);
/* q and rate of an affine map of the form at rest: x = linear (X - about) + place, its velocity the same of the other two.
 */
void vl_reduced_set_affine(vlReduced *body, vlVec3 about, vlMat3 linear, vlVec3 place, vlMat3 linear_rate, vlVec3 rate);
/* lambda/2 sum V |F - R_c|^2 as it lies, J. */
double vl_reduced_energy(const vlReduced *body);

#endif
