/* Elastic bodies of tetrahedra: corotational or neo-Hookean, implicit in time. A kind of body (body.h) with
 *
 *     S v - J^T p = -w            S symmetric positive definite          [zarifi2017, eq. 6, 18]
 *
 * Unknowns that are held (pins, prescribed motion) are no part of S: solve gives 0 there, w already holds their share
 * S_fp v_p in the rows of the free ones, and `given` holds v_p itself. */
#ifndef VL_SOLID_ELASTIC_H
#define VL_SOLID_ELASTIC_H

#include "mesh/stuff.h"
#include "mesh/tetmesh.h"
#include "solid/body.h"

typedef enum vlElasticModel {
  VL_ELASTIC_COROTATIONAL, /* "corotational": the paper's; linear in the stretches */
  VL_ELASTIC_NEO_HOOKEAN   /* "neo_hookean": as rubber: pulled long it keeps its volume, pressed short it stiffens */
} vlElasticModel;

typedef struct vlElasticMaterial {
  double density;           /* kg/m3, > 0 */
  double young;             /* Pa, > 0 */
  double poisson;           /* 0 .. 0.45 */
  double mass_damping;      /* 1/s: tau_m >= 0 */
  double stiffness_damping; /* s: tau_k >= 0 */
  vlElasticModel model;
} vlElasticMaterial;

typedef enum vlElasticElement {
  VL_ELASTIC_LINEAR,   /* "linear": 4 nodes, the paper's; bends too stiffly where few lie across a thickness */
  VL_ELASTIC_QUADRATIC /* "quadratic": 10 nodes, bends freely with a single element across */
} vlElasticElement;

typedef enum vlElasticScheme {
  VL_ELASTIC_BACKWARD_EULER, /* "backward_euler": the paper's; damps */
  VL_ELASTIC_BDF2            /* "bdf2": second order, damps only what the step does not resolve; first order in a
                              * step that turns some part by over 20 degrees (neo-Hookean: 4) */
} vlElasticScheme;

typedef struct vlElasticOptions {
  vlElasticElement element;
  vlElasticScheme scheme;
} vlElasticOptions;

typedef struct vlElastic {
  vlBody body; /* nodes of the mesh keep their numbers, midpoints of edges follow */
  /* Constant. */
  vlElasticMaterial material;
  vlElasticOptions options;
  double lambda, mu;   /* Pa: Lame's constants */
  int corner_count;    /* nodes of the mesh */
  int points;          /* of one element: 1, or 4 */
  double *mass;        /* kg: lumped [node_count] */
  vlVec3 *gradient;    /* 1/m: of the shape functions at rest [element_count][points][element_nodes] */
  double *volume;      /* m3: of one integration point, V0 / points [element_count] */
  vlStuffInfo stuffed; /* what was met when it was filled with tetrahedra; all zero: it was not */
  int *pin;            /* pin of the scene that moves each unknown, the last that claims it; -1: none [3 node_count] */

  /* State, besides the body's. After writing to it call vl_elastic_restart. */
  vlVec3 *x_old, *v_old; /* one step before [node_count] */
  double dt_old;         /* s: that step; 0: there was none */
  vlMat3 *rotation;      /* R of every integration point, fallback where there is none [element_count][points] */
  int *row;              /* row of each unknown in S, -1: left out; all -2: S was not made yet [3 node_count] */

  double *
      held_velocity; /* m/s: at the end of the coming step, where held; written through the functions below [3 node_count] */
  bool elastic_first; /* elastic forces act alone, then loads and damping: for comparison; set by the caller */

  /* Liquid that goes along with the surface in the coming step (body.h, vlLayerPiece), in elastic_carry.c. */
  vlMat3 *carried;         /* kg: sum b (m n n^T + what clings) [node_count] */
  vlVec3 *carried_weight;  /* N [node_count] */
  double *carried_least;   /* kg: sum of the m below 0 [node_count] */
  double *carried_wanted;  /* kg: scratch [node_count] */
  struct vlExcess *excess; /* scratch */
  size_t excess_capacity;

  /* Of the step between begin and finish. */
  double mass_share; /* S = mass_share M + stiffness_share K + carried_share (carried) */
  double stiffness_share, carried_share;
  vlVec3 *turned;          /* 1/m: R g; corotational [element_count][points][element_nodes] */
  double (*tangent)[9][9]; /* Pa: dP/dF made positive; neo-Hookean, else NULL [element_count][points] */

  vlVec3 *corner_force;           /* N: scratch [element_count][element_nodes] */
  vlVec3 *scratch;                /* [node_count] */
  struct vlElasticSystem *system; /* stiffness blocks, S and its factor */
  struct vlElasticGrabs *grabs;   /* what they add to S; NULL: there never were any */
} vlElastic;

extern const vlBodyType vl_elastic_type;

/* `name` stands in messages. VL_ERROR_MESH: an element flat or inside out, a node of no element; VL_ERROR_SCENE: a value of
 * the material out of range. Starts at rest, free, without force. */
vlCode vl_elastic_create(vlElastic **body, const vlTetMesh *mesh, vlElasticMaterial material, vlElasticOptions options,
                         const char *name, vlStatus *status);

/* Holding takes an unknown out of S. Those held before the first step cost nothing; those held later stay in the pattern as
 * rows of the identity; releasing one of the first kind makes the next begin analyse anew. */
void vl_elastic_hold(vlElastic *body, int node, int axis, double velocity);
void vl_elastic_release(vlElastic *body, int node, int axis);
/* The velocity to prescribe so that a held unknown is at `target` after a step of dt; where backward Euler takes over for
 * BDF2, nearly there. */
double vl_elastic_velocity_to(const vlElastic *body, double dt, int node, int axis, double target);

/* Of another material of the same model from the next step on; velocities stay. */
void vl_elastic_make(vlBody *body, vlBodyMaterial material);

void vl_elastic_halt(vlBody *body);

/* Forgets the step before: the next one is of first order. Needed after positions or velocities were written. */
void vl_elastic_restart(vlElastic *body);

/* y = K x with the stiffness of the last begin, all nodes. */
void vl_elastic_stiffness_apply(const vlElastic *body, const vlVec3 *x, vlVec3 *y);

/* Prepares K at the shape y: rotations into body->rotation and body->turned, or body->tangent. Returns how many points are
 * inside out. */
int vl_elastic_linearise(vlElastic *body, const vlVec3 *y);
/* The forces against which the body pushes. Corotational: sum_e R_e K_e (R_e^T y_e - X_e) with the rotations last found,
 * so linear in y; neo-Hookean: those of the shape y. */
void vl_elastic_force(vlElastic *body, const vlVec3 *y, vlVec3 *f);
/* Largest change of a deformation gradient (Frobenius) between two shapes. */
double vl_elastic_change(const vlElastic *body, const vlVec3 *from, const vlVec3 *to);
/* Strain energy (J) of the shape y, 0 at rest; body->rotation is not touched. */
double vl_elastic_energy(const vlElastic *body, const vlVec3 *y);

#endif
