/* Bodies of a few modes, as rigid ones have six, in the preconditioner.
 *
 * Multigrid knows L alone. A rigid body that is lighter than its water adds up to six eigenvalues of about (added mass)/(its
 * mass) to the preconditioned system, and CG has to find each of them. They are few and known: with f_k the modes of the
 * bodies (body.h) and U = sqrt(scale) J N f, a column for each, the bodies are U U^T, and for P the cycle [batty2007;
 * hager1989, Woodbury's formula]
 *
 *   (P^-1 + U B U^T)^-1 = P - P U C U^T P,      C = F (1 + F^T G F)^-1 F^T,      G = U^T P U,      B = F F^T.
 *
 * B is the identity but where contacts hold the bodies, or where sealed liquid does (sealed.h): there the constraint takes
 * out a part, B = 1 - W^T G_c^-1 W. The columns P U do not depend on it: they are found once for each assembled system, a
 * cycle each, and kept while contacts are found in turns. It is applied as z = P (r - U C (P U)^T r): one cycle, and the
 * cycle never sees what the bodies answer to, so single precision is enough.
 *
 * Symmetric and positive for any B and any columns, up to the round-off of P.
 *
 * A column costs a cycle, and so does an iteration: only bodies that save more iterations than they have modes are
 * corrected, which are few and light ones. How many they save is estimated from density, number and tolerance
 * (added_iterations). */
#ifndef VL_PRESSURE_WOODBURY_H
#define VL_PRESSURE_WOODBURY_H

#include "linear/solve.h"
#include "pressure/coupling.h"
#include "pressure/sealed.h"

enum {
  VL_WOODBURY_MODES = 6, /* that a body may have to be corrected: those of a rigid one */
  VL_WOODBURY_MOST = 48  /* columns: eight bodies. Each is four bytes for every cell, read in every iteration. */
};

typedef enum vlWoodburyUse {
  VL_WOODBURY_AUTO, /* where it saves more cycles than it costs: see below */
  VL_WOODBURY_NEVER,
  VL_WOODBURY_ALWAYS
} vlWoodburyUse;

/* U of one body on one row of the coupling. */
typedef struct vlWoodburyRow {
  int at;                      /* entry of a vector */
  int cell;                    /* compact cell */
  int first;                   /* column */
  double u[VL_WOODBURY_MODES]; /* of the columns from there on, as many as the body has */
} vlWoodburyRow;

/* What is to be corrected. */
typedef struct vlWoodburyCase {
  const vlCoupling *coupling;
  const vlSealed *sealed;    /* prepared; NULL: no level is solved for beside */
  const int *label, *region; /* of each compact cell, see pressure.h */
  size_t cells;              /* compact */
  const int *place;          /* entry of each compact cell in vectors, NULL: the same */
  double rho;                /* kg/m3: of the liquid */
  double tolerance;          /* that the solve is to reach */
} vlWoodburyCase;

typedef struct vlWoodbury {
  vlWoodburyUse use;
  bool ready;       /* the columns belong to the system as it is assembled, */
  double tolerance; /* and were chosen for a solve to this */
  vlOperator inner;
  int count;                                               /* columns, 0: nothing is corrected */
  int bodies;                                              /* that are corrected, in order of their numbers */
  int body[VL_WOODBURY_MOST], first[VL_WOODBURY_MOST + 1]; /* number and first column of each */
  vlWoodburyRow *row;                                      /* U where it is not zero [rows] */
  int rows;
  float *y;        /* P U, one column after the other [count][n] */
  double *reduced; /* r - U C (P U)^T r, between two blocks of zeros */
  double *part;    /* partial sums */
  double *g, *c;   /* G and C [count][count] */
  size_t row_capacity, y_capacity, reduced_capacity, part_capacity, g_capacity, c_capacity;
  /* Liquid without air, where P may not meet constants: U has its mean there taken out. */
  int pools;
  int *pool;    /* of each entry, -1: none [n] */
  double *mean; /* of the columns in each [pools][count] */
  double *held; /* W of contacts, then scratch [count + 1][active rows] */
  size_t pool_capacity, mean_capacity, held_capacity;
} vlWoodbury;

/* The corrected operator around `inner`; it is that until it is prepared. */
vlOperator vl_woodbury_operator(vlWoodbury *woodbury, vlOperator inner);
/* Chooses the bodies, finds the columns unless they are there, and C. `size` is about that of the residuals to come. */
vlCode vl_woodbury_prepare(vlWoodbury *woodbury, const vlWoodburyCase *now, double size, vlStatus *status);
/* The system has changed. */
void vl_woodbury_forget(vlWoodbury *woodbury);
void vl_woodbury_clear(vlWoodbury *woodbury);

#endif
