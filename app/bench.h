/* Measurements behind `velella bench`: the tables of [zarifi2017] and its study of stability, the
 * immersed engine beside [brandt2019] (bench_immersed.h), and liquid finer than the grid beside plain cells. */
#ifndef VL_APP_BENCH_H
#define VL_APP_BENCH_H

#include "files/json.h"
#include "options.h"
#include "pressure/system.h"
#include "velella/velella.h"

#define VL_BENCH_TOLERANCE 1e-10          /* of both blocks of eq. 19 */
#define VL_BENCH_APART 1e-7               /* largest relative difference between solutions */
enum { VL_BENCH_REPEAT = 3 };             /* solves of which the fastest counts */
static const double VL_BENCH_LONG = 10.0; /* s: a solve that takes longer is not repeated */

/* Ways to solve the same step. */
typedef enum vlBenchWay {
  VL_BENCH_OURS,             /* Schur form, multigrid, one thread */
  VL_BENCH_OURS_THREADS,     /* the same on --threads */
  VL_BENCH_SPD,              /* eq. 33, CG with IC(0), our own */
  VL_BENCH_INDEFINITE,       /* eq. 19, BiCGSTAB with ILU(0), our own */
  VL_BENCH_EIGEN_SPD,        /* eq. 33, Eigen's CG with IncompleteCholesky */
  VL_BENCH_EIGEN_INDEFINITE, /* eq. 19, Eigen's BiCGSTAB with IncompleteLUT */
  VL_BENCH_WAYS
} vlBenchWay;

typedef struct vlBenchSolve {
  bool there;              /* it was tried */
  bool solved;             /* the tolerance was reached */
  bool judged;             /* its p and v were compared with ours */
  int iterations;          /* of the last successful solve */
  double seconds;          /* set-up and solve, without assembly, by the clock: the fastest */
  double cpu;              /* s: the same in processor time, which a busy machine hardly changes; one thread alone */
  double factor;           /* s: part of it: rotations, stiffness, S and its factor; ours alone */
  double residual;         /* the worse block of eq. 19 */
  double p_apart, v_apart; /* ||x - ours|| / ||ours|| */
} vlBenchSolve;

typedef enum vlBenchMatrix { VL_BENCH_EQ19, VL_BENCH_EQ33, VL_BENCH_SCHUR, VL_BENCH_MATRICES } vlBenchMatrix;

/* One size of the table. */
typedef struct vlBenchRow {
  int n; /* cells along a side */
  int nodes, pressures, unknowns;
  double time, dt;                     /* s: when the system was taken, and of which step */
  int64_t nonzeros[VL_BENCH_SCHUR];    /* of eq. 19 and eq. 33 */
  double condition[VL_BENCH_MATRICES]; /* log10; NaN: not measured */
  vlBenchSolve way[VL_BENCH_WAYS];
} vlBenchRow;

typedef struct vlBenchTable {
  bool hard;
  int threads;           /* of VL_BENCH_OURS_THREADS; 1: none */
  bool peer;             /* the program that uses Eigen is there */
  char peer_program[64]; /* as it calls itself */
  double load[2];        /* runnable processes of the machine, mean of a minute, before and after */
  vlBenchRow *row;       /* [count] */
  int count;
} vlBenchTable;

/* bench.c: what the JSON of all of them begins with, in an object that stays open. threads 0: all cores, -1: not told;
 * load: runnable processes before and after, NULL: not told. */
void vl_bench_json_begin(vlJson *json, const char *name, int threads, const double load[2]);
void vl_bench_json_number(vlJson *json, const char *key, double x); /* null where it is no number */

/* bench_solve.c: a step's system, taken from a simulation, and its solutions. */
typedef struct vlBenchSystem {
  vlSim *sim;
  double dt;
  vlCoupledSystem system;
  vlSystemMap map;
  double *p, *v; /* our solution */
  double *other_p, *other_v;
} vlBenchSystem;

vlCode vl_bench_system_create(vlBenchSystem *bench, vlSim *sim, double dt, vlStatus *status);
void vl_bench_system_clear(vlBenchSystem *bench);
/* Schur form and multigrid on so many threads. The first call's solution is what the others are compared with. */
vlCode vl_bench_ours(vlBenchSystem *bench, int threads, vlBenchSolve *solve, vlStatus *status);
/* One of the other forms by our own solvers, on one thread; *nonzeros of its matrix. */
vlCode vl_bench_form(vlBenchSystem *bench, vlCoupledForm form, vlBenchSolve *solve, int64_t *nonzeros, vlStatus *status);
/* Compares a solution with ours. */
void vl_bench_judge(const vlBenchSystem *bench, const double *p, const double *v, vlBenchSolve *solve);

/* bench_peer.c: velella-peer-eigen on the same matrices. */
bool vl_bench_peer_path(char *path, size_t room); /* beside this program; false: it is not there */
/* Writes the system into the folder and lets the peer solve it. */
vlCode vl_bench_peer(vlBenchSystem *bench, const char *path, const char *folder, bool indefinite, vlBenchRow *row,
                     char program[64], vlStatus *status);
/* A new folder for temporary files, in new memory; then with all files in it removed. */
vlCode vl_bench_folder_create(char **folder, vlStatus *status);
void vl_bench_folder_remove(char **folder);

/* bench_print.c */
void vl_bench_table_print(const vlBenchTable *table);
vlCode vl_bench_table_json(const vlBenchTable *table, char **text, vlStatus *status); /* text in new memory */

/* "40,60,80", of cells along a side, at most `most`. */
vlCode vl_bench_sizes(const char *text, int *sizes, int most, int *count, vlStatus *status);

/* bench_table1.c, bench_table2.c, bench_stability.c, bench_immersed.c, bench_subgrid.c */
vlCode vl_bench_table1(const vlOptions *options, vlStatus *status);
vlCode vl_bench_table2(const vlOptions *options, vlStatus *status);
vlCode vl_bench_stability(const vlOptions *options, vlStatus *status);
vlCode vl_bench_immersed(const vlOptions *options, vlStatus *status);
vlCode vl_bench_subgrid(const vlOptions *options, vlStatus *status);

#endif
