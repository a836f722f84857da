/* Elastic bodies of tetrahedra: corotational or neo-Hookean, implicit in time.
 *
 * Once per step a body turns its equations of motion into a linear system for the velocities at the step's end,
 *
 *     S v - J^T p = -w            S symmetric positive definite          [zarifi2017, eq. 6, 18]
 *
 * and whoever couples it with something puts the loads J^T p in:
 *
 *     vl_elastic_begin(body, dt, gravity)     S factored, w            (state untouched: may be repeated with another dt)
 *     vl_elastic_solve(body, r, y)            y = S^-1 r, as often as needed
 *     vl_elastic_finish(body, J^T p)          v = S^-1 (J^T p - w), positions, reactions
 *
 * Vectors have one vlVec3 for each node. Unknowns that are held (pins, prescribed motion) are no part of S: solve gives 0
 * there, w already holds their share S_fp v_p in the rows of the free ones, and `given` holds v_p itself. */
#ifndef VL_SOLID_ELASTIC_H
#define VL_SOLID_ELASTIC_H

#include "mesh/tetmesh.h"

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
  /* The body; constant. Nodes of the mesh keep their numbers, midpoints of edges follow. */
  vlElasticMaterial material;
  vlElasticOptions options;
  double lambda, mu;            /* Pa: Lame's constants */
  int node_count, corner_count; /* all nodes; those of the mesh */
  int element_count;            /* tetrahedra; a rigid body has none */
  int element_nodes, points;    /* of one element: 4 and 1, or 10 and 4 */
  int triangle_count;
  vlVec3 *rest;       /* m: position at rest X [node_count] */
  double *mass;       /* kg: lumped; NULL of a rigid body [node_count] */
  int *node;          /* nodes of elements: corners, then edges 01 02 03 12 13 23 [element_count][element_nodes] */
  vlVec3 *gradient;   /* 1/m: of the shape functions at rest [element_count][points][element_nodes] */
  double *volume;     /* m3: of one integration point, V0 / points [element_count] */
  int (*triangle)[3]; /* the surface, outward; four flat ones for each face of a quadratic element [triangle_count] */

  /* State: what a restart needs. After writing to it call vl_elastic_restart. */
  vlVec3 *x, *v;         /* m, m/s [node_count] */
  vlVec3 *x_old, *v_old; /* one step before [node_count] */
  vlVec3 *load;          /* N: the caller's note of what pressed on the body last; it is not used here [node_count] */
  double dt_old;         /* s: that step; 0: there was none */
  vlMat3 *rotation;      /* R of every integration point, fallback where there is none [element_count][points] */

  /* What acts on the body; the caller writes `force` and `held_velocity`, and `held` through the functions below. */
  vlVec3 *force;         /* N: external, besides gravity [node_count] */
  bool *held;            /* per unknown, 3 node + axis [3 node_count] */
  double *held_velocity; /* m/s: at the end of the coming step, where held [3 node_count] */

  /* Of the step between begin and finish. */
  double dt;         /* s: 0 outside */
  double mass_share; /* S = mass_share M + stiffness_share K */
  double stiffness_share;
  bool elastic_first;      /* elastic forces act alone, then loads and damping: for comparison; set by the caller */
  double reach;            /* s: beta of x = base + beta v at the step's end */
  vlVec3 *base;            /* m [node_count] */
  vlVec3 *w;               /* N [node_count] */
  vlVec3 *given;           /* m/s: held_velocity where held, else 0 [node_count] */
  vlVec3 *turned;          /* 1/m: R g; corotational [element_count][points][element_nodes] */
  double (*tangent)[9][9]; /* Pa: dP/dF made positive; neo-Hookean, else NULL [element_count][points] */
  int inverted;            /* integration points inside out */

  /* Of the last finished step. */
  vlVec3 *reaction; /* N: what the holders push with, 0 where free [node_count] */

  vlVec3 *corner_force;           /* N: scratch [element_count][element_nodes] */
  vlVec3 *scratch;                /* [node_count] */
  struct vlElasticSystem *system; /* stiffness blocks, S and its factor; NULL of a rigid body */
  struct vlRigid *rigid;          /* it does not yield: six velocities instead of those of all nodes; NULL: it is elastic */
} vlElastic;

typedef struct vlElasticMeasure {
  double kinetic, elastic, potential; /* J; potential = - sum m g.x */
  vlVec3 momentum;                    /* kg m/s */
  vlVec3 angular_momentum;            /* kg m2/s, about the origin */
  vlVec3 center;                      /* m: of mass */
  vlVec3 reaction;                    /* N: sum over held unknowns, last step */
  double mass, volume;                /* kg; m3 inside the surface triangles */
} vlElasticMeasure;

/* `name` stands in messages. VL_ERROR_MESH: an element flat or inside out, a node of no element; VL_ERROR_SCENE: a value of
 * the material out of range. Starts at rest, free, without force. */
vlCode vl_elastic_create(vlElastic **body, const vlTetMesh *mesh, vlElasticMaterial material, vlElasticOptions options,
                         const char *name, vlStatus *status);
void vl_elastic_destroy(vlElastic **body);
/* A rigid body: nodes are the vertices of its closed surface, there are no elements, and mass, centre and inertia are those
 * of what it encloses, with an even density. It lies as given and stands still. Its nodes are seen and pushed as those of
 * any body; holding them does nothing. VL_ERROR_MESH: the surface has no volume. */
vlCode vl_elastic_create_rigid(vlElastic **body, const vlTriMesh *surface, double density, const char *name,
                               vlStatus *status);
/* Whether it is rigid and goes its own way whatever pushes it: S^-1 = 0. */
bool vl_elastic_driven(const vlElastic *body);
/* Nodes where the rigid body's pose has them, at its velocities; after these were written. */
void vl_elastic_follow_rigid(vlElastic *body);

/* Holding takes an unknown out of S. Those held before the first step cost nothing; those held later stay in the pattern as
 * rows of the identity; releasing one of the first kind makes the next begin analyse anew. */
void vl_elastic_hold(vlElastic *body, int node, int axis, double velocity);
void vl_elastic_release(vlElastic *body, int node, int axis);
/* All nodes whose rest position lies in the box, along the axes of the mask (bit a: axis a), at velocity 0; returns how
 * many nodes. A slab, plane strain: the whole body along z. */
int vl_elastic_hold_box(vlElastic *body, vlBox3 box, unsigned axes);
/* The velocity to prescribe so that a held unknown is at `target` after a step of dt; where backward Euler takes over for
 * BDF2, nearly there. */
double vl_elastic_velocity_to(const vlElastic *body, double dt, int node, int axis, double target);

/* Forgets the step before: the next one is of first order. Needed after positions or velocities were written. */
void vl_elastic_restart(vlElastic *body);

vlCode vl_elastic_begin(vlElastic *body, double dt, vlVec3 gravity, vlStatus *status);
vlCode vl_elastic_solve(vlElastic *body, const vlVec3 *r, vlVec3 *y, vlStatus *status);
vlCode vl_elastic_finish(vlElastic *body, const vlVec3 *load, vlStatus *status);      /* load NULL: none */
vlCode vl_elastic_step(vlElastic *body, double dt, vlVec3 gravity, vlStatus *status); /* begin, finish without load */

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

vlElasticMeasure vl_elastic_measure(const vlElastic *body, vlVec3 gravity);

#endif
