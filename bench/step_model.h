/* How many bytes each stage of a step must move at the least: every array that a stage needs is read once, every array that
 * it makes is written once, and what it keeps for itself in between moves nothing. Passes over the same array count anew
 * only where a sum over the whole grid, or a neighbour's finished value, stands between them. A written byte counts once, as
 * in the triad. Counted are wet cells (those of all blocks the step works on), cells of the pressure system's blocks, those
 * in blocks with coefficients of their own (others have the same everywhere), and particles; positions and velocities are
 * floats, fields are doubles, the multigrid's are floats. Not counted: lists of blocks, bits of faces, sums of kernels near
 * the surface, solids, bodies, and what waits for a cache line in no order. */
#ifndef VL_BENCH_STEP_MODEL_H
#define VL_BENCH_STEP_MODEL_H

#include "velella/velella.h"

enum { REST = VL_STAGE_COUNT, STAGES }; /* those of a step, and what none of them counts */

/* What a step worked on; means over steps need not be whole. */
typedef struct StepCounts {
  double wet_cells, system_cells, irregular_cells, particles, iterations;
} StepCounts;

typedef struct StageModel {
  const char *name;
  double wet, system, particle; /* bytes for each */
  double iteration;             /* bytes for each cell of the system in each iteration */
  double irregular;             /* and more where the block has coefficients of its own */
} StageModel;

enum { D = 8, F = 4 }; /* bytes of a double, of a float */

/* y = A x: x read, y written. */
#define OPERATOR_BYTES (2.0 * D)
#define OPERATOR_IRREGULAR (4.0 * D) /* three weights, a diagonal */

/* One V(2,2) cycle; coarser levels add a seventh.
 *   residual in, scaled to float   r read, b written
 *   sweeps down                    b read, x written; b, x read, x written (red and black in one pass)
 *   residual, to the coarser       b, x read, its b written (an eighth)
 *   from the coarser, sweeps up    x read and written, its x read (an eighth); twice b, x read, x written
 *   correction out                 x read, z written */
#define LEVEL_BYTES (2.0 * F + 3.0 * F + (2.0 + 0.125) * F + (2.0 + 0.125) * F + 2.0 * 3.0 * F)
#define CYCLE_BYTES (2.0 * (D + F) + LEVEL_BYTES * 8.0 / 7.0)
#define CYCLE_IRREGULAR (5.0 * 4.0 * F) /* in four sweeps and the residual */

/* CG beside the operator and the cycle: r for r.z; x, p read and written, z read; r read and written, q read. */
#define CG_BYTES (D + 5.0 * D + 3.0 * D)

/* The multigrid of a new system: coefficients read, five floats of the finest level written; each level read once for the
 * next one, which is written. */
#define BUILD_BYTES (4.0 * D + 5.0 * F + (4.0 * F + 5.0 * F / 8.0) * 8.0 / 7.0)

static const StageModel stage_model[STAGES] = {
    [VL_STAGE_FORCES] = {.name = "forces", .wet = 6.0 * D}, /* u_old read, u written */
    [VL_STAGE_SETUP] = {.name = "pressure set-up",
                        .wet = 4.0 * D,                               /* phi, areas read */
                        .system = (3.0 + 1.0 + 1.0 + 4.0 + 2.0) * D}, /* u, gain, guess read; coefficients, b, p written */
    [VL_STAGE_SOLVE] = {.name = "pressure solve",
                        .system =
                            BUILD_BYTES + 2.0 * 3.0 * D, /* b - A x at the start and at the end: b, x read, r written */
                        .iteration = OPERATOR_BYTES + CYCLE_BYTES + CG_BYTES,
                        .irregular = OPERATOR_IRREGULAR + CYCLE_IRREGULAR},
    [VL_STAGE_VELOCITY] = {.name = "velocity",
                           .wet = (1.0 + 1.0 + 3.0 + 6.0 + 6.0) * D, /* p, phi, areas read; u, u_old read and written */
                           .system = 2.0 * D},                       /* p from the system's order into the field's */
    [VL_STAGE_MOTION] = {.name = "motion",
                         .wet = (3.0 + 3.0 + 1.0) * D, /* u, its change, phi */
                         .particle =
                             12.0 * F + 2.0 * 7.0 * F}, /* x, v read and written; then x, v, id read and written in order */
    [VL_STAGE_TRANSFER] = {.name = "transfer",
                           .wet = 3.0 * D,       /* u_old written */
                           .particle = 6.0 * F}, /* x, v read */
    [VL_STAGE_LEVEL_SET] = {.name = "level set",
                            .wet =
                                (1.0 + 3.0) * D +
                                1.0 * F}, /* open part read, phi, filled part, gain written; particles of the cell counted */
    [VL_STAGE_BODIES] = {.name = "bodies"},
    [REST] = {.name = "rest"},
    [VL_STAGE_MEASURE] = {.name = "measure",
                          .wet = (1.0 + 1.0 + 3.0 + 3.0) * D, /* what is measured: p, phi, areas, u read */
                          .particle = 6.0 * F},               /* x, v read */
};

static inline const char *stage_key(int stage) { return stage < REST ? vl_stage_name((vlStageKind)stage) : "rest"; }

static inline double stage_bytes(int stage, const StepCounts *c)
{
  const StageModel *m = &stage_model[stage];
  return m->wet * c->wet_cells + m->system * c->system_cells + m->particle * c->particles +
         c->iterations * (m->iteration * c->system_cells + m->irregular * c->irregular_cells);
}

#endif
