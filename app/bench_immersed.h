/* Parts of `velella bench immersed`, each a file of its own: what it measures, as text and as JSON. */
#ifndef VL_APP_BENCH_IMMERSED_H
#define VL_APP_BENCH_IMMERSED_H

#include "files/json.h"
#include "options.h"
#include "velella/velella.h"

#define VL_IMMERSED_DT (1.0 / 60.0) /* s: of a step, as in [brandt2019] */

/* The figure of the pools, 2.86 m tall, as keys of a body: capsules that melt into each other. More parts may follow. */
#define VL_IMMERSED_FIGURE                                                                                                  \
  "    shape: union\n"                                                                                                      \
  "    blend: 15 cm\n"                                                                                                      \
  "    parts:\n"                                                                                                            \
  "      - {shape: capsule, radius: 0.42, height: 0.6}\n"                                                                   \
  "      - {shape: capsule, radius: 0.3, height: 0.1, center: [0, 0.95, 0.1]}\n"                                            \
  "      - {shape: capsule, radius: 0.17, height: 0.6, center: [0.6, 0.4, 0.15], rotate: z -50}\n"                          \
  "      - {shape: capsule, radius: 0.17, height: 0.6, center: [-0.6, 0.4, 0.15], rotate: z 50}\n"                          \
  "      - {shape: capsule, radius: 0.2, height: 0.55, center: [0.26, -0.95, 0.05]}\n"                                      \
  "      - {shape: capsule, radius: 0.2, height: 0.55, center: [-0.26, -0.95, 0.05]}\n"

typedef struct vlImmersedPart {
  const char *name, *about;
  size_t bytes; /* of its results, which begin as zeros */
  bool asked;   /* it takes long, and is only run where it is named */
  vlCode (*run)(const vlOptions *options, void *results, vlStatus *status);
  void (*print)(const void *results);
  void (*json)(vlJson *json, const void *results); /* members of an object that is open */
} vlImmersedPart;

extern const vlImmersedPart vl_immersed_speed, vl_immersed_table1, vl_immersed_fig9, vl_immersed_fig10, vl_immersed_fit;

/* What steps cost. */
typedef struct vlImmersedCost {
  int steps;
  double seconds, cpu, worst;   /* s by the clock and of processor time, all together; by the clock, the worst */
  double stage[VL_STAGE_COUNT]; /* s by the clock, all together */
  double iterations;
} vlImmersedCost;

/* Says what is measured now. */
void vl_immersed_tell(const char *format, ...) VL_PRINTF(1, 2);
/* A scene from its text, under its name in messages; text NULL: a built-in one. settings: ended by a NULL; NULL: none. */
vlCode vl_immersed_begin(vlSim **sim, const char *name, const char *text, const char *const *settings, int threads,
                         vlStatus *status);
/* One step, of dt or less; cost NULL: it does not count. */
vlCode vl_immersed_step(vlSim *sim, double dt, vlStepInfo *info, vlImmersedCost *cost, vlStatus *status);
double vl_immersed_ms(const vlImmersedCost *cost, double seconds); /* of a step: some of its seconds */

#endif
