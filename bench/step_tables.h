/* What bench_step.c prints of its runs, and the file it keeps. */
#ifndef VL_BENCH_STEP_TABLES_H
#define VL_BENCH_STEP_TABLES_H

#include "step_run.h"

enum { MOST_RUNS = 64 };

typedef struct Run {
  const char *name; /* of the case */
  StepTask task;
  double rate; /* bytes/s of the triad with as many threads */
  StepResult result;
} Run;

typedef struct Runs {
  Run run[MOST_RUNS];
  int count;
} Runs;

static inline bool went_well(const Run *run) { return !run->result.error[0]; }

/* The run of the case with that many cells and threads, if it is there and went well. */
static inline const Run *find_run(const Runs *runs, const char *name, int cells, int threads)
{
  for (int i = 0; i < runs->count; i++) {
    const Run *run = &runs->run[i];
    if (!strcmp(run->name, name) && run->task.cells == cells && run->task.threads == threads && went_well(run)) return run;
  }
  return NULL;
}

static inline double all_bytes(const StepResult *r)
{
  double sum = 0.0;
  for (int k = 0; k < STAGES; k++) sum += r->bytes[k];
  return sum;
}

static inline void print_stage(const char *name, double seconds, double bytes, double step, double rate)
{
  printf("  %-16s %9.4f %6.1f %%", name, seconds, 100.0 * seconds / step);
  if (bytes > 0.0) printf(" %9.1f %8.2f %8.2f", bytes / 1e6, 1e-9 * bytes / seconds, seconds * rate / bytes);
  printf("\n");
}

static inline void print_run(const Run *run)
{
  const StepResult *r = &run->result;
  printf("\n%s, %d^3 cells in a box of %g m, %d thread%s:", run->name, run->task.cells, run->task.box, run->task.threads,
         run->task.threads > 1 ? "s" : "");
  if (!went_well(run)) {
    printf(" %s\n", r->error);
    return;
  }
  printf(" %.0f liquid cells, %.0f wet ones, %.0f particles\n", r->liquid_cells, r->counts.wet_cells, r->counts.particles);
  printf("  %-16s %9s %8s %9s %8s %8s\n", "stage", "s/step", "share", "MB", "GB/s", "x limit");
  for (int k = 0; k < STAGES; k++) print_stage(stage_model[k].name, r->stage[k], r->bytes[k], r->step, run->rate);
  print_stage("step", r->step, all_bytes(r), r->step, run->rate);
  printf("  %d steps of %.2e s; processor %.4f s/step; %.3g cells/s, %.3g particles/s; "
         "%.1f iterations; %.0f reseeded; "
         "made in %.2f s; peak %.0f MiB\n",
         run->task.steps, r->dt, r->cpu, r->liquid_cells / r->step, r->counts.particles / r->step, r->counts.iterations,
         r->reseeded, r->create, r->peak / 1048576);
  fflush(stdout);
}

static inline double stage_seconds(const StepResult *r, int stage) { return stage < STAGES ? r->stage[stage] : r->step; }
static inline const char *stage_name(int stage) { return stage < STAGES ? stage_model[stage].name : "step"; }

/* Slope of log(seconds) over log(liquid cells) by least squares; NaN with fewer than two sizes. */
static inline double exponent(const Runs *runs, const char *name, int threads, int stage)
{
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (int i = 0; i < runs->count; i++) {
    const Run *run = &runs->run[i];
    if (strcmp(run->name, name) != 0 || run->task.threads != threads || !went_well(run)) continue;
    double u = log(run->result.liquid_cells), v = log(stage_seconds(&run->result, stage));
    n += 1.0;
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  return n > 1.0 ? (n * xy - x * y) / (n * xx - x * x) : NAN;
}

/* Microseconds per liquid cell at every size, and the power of the number of liquid cells that the time grows with. */
static inline void print_sizes(const Runs *runs, const char *name, const int *sizes, int count, int threads)
{
  printf("\nover sizes, %d thread%s: microseconds per liquid cell, and time ~ cells^e\n  %-16s", threads,
         threads > 1 ? "s" : "", "stage");
  for (int s = 0; s < count; s++) printf(" %6d^3", sizes[s]);
  printf(" %8s\n", "e");
  for (int k = 0; k <= STAGES; k++) {
    printf("  %-16s", stage_name(k));
    for (int s = 0; s < count; s++) {
      const Run *run = find_run(runs, name, sizes[s], threads);
      if (run)
        printf(" %8.4f", 1e6 * stage_seconds(&run->result, k) / run->result.liquid_cells);
      else
        printf(" %8s", "-");
    }
    printf(" %8.2f\n", exponent(runs, name, threads, k));
  }
}

/* How many times as fast all threads are as one. */
static inline void print_threads(const Runs *runs, const char *name, const int *sizes, int count, int threads, double triad)
{
  printf("\n%d threads over one: how many times as fast; the triad: %.2f\n  %-16s", threads, triad, "stage");
  for (int s = 0; s < count; s++) printf(" %6d^3", sizes[s]);
  printf("\n");
  for (int k = 0; k <= STAGES; k++) {
    printf("  %-16s", stage_name(k));
    for (int s = 0; s < count; s++) {
      const Run *one = find_run(runs, name, sizes[s], 1), *all = find_run(runs, name, sizes[s], threads);
      if (one && all)
        printf(" %8.2f", stage_seconds(&one->result, k) / stage_seconds(&all->result, k));
      else
        printf(" %8s", "-");
    }
    printf("\n");
  }
}

static inline double operator_bytes(const StepCounts *c)
{
  return OPERATOR_BYTES * c->system_cells + OPERATOR_IRREGULAR * c->irregular_cells;
}

static inline double cycle_bytes(const StepCounts *c)
{
  return CYCLE_BYTES * c->system_cells + CYCLE_IRREGULAR * c->irregular_cells;
}

/* One thread: the operator, the cycle and the whole solve against what their bytes take at the triad's rate. */
static inline void print_solve(const Runs *runs, const char *name, const int *sizes, int count)
{
  printf(
      "\npressure solve, one thread: milliseconds, and times the bandwidth limit\n  %8s %10s %10s %6s %10s %6s %10s %6s\n",
      "size", "irregular", "operator", "", "cycle", "", "solve", "");
  for (int s = 0; s < count; s++) {
    const Run *run = find_run(runs, name, sizes[s], 1);
    if (!run || run->result.operator_seconds <= 0.0) continue;
    const StepResult *r = &run->result;
    const StepCounts *c = &r->counts;
    printf("  %6d^3 %8.1f %% %10.3f %6.2f %10.3f %6.2f %10.3f %6.2f\n", sizes[s],
           100.0 * c->irregular_cells / c->system_cells, 1e3 * r->operator_seconds,
           r->operator_seconds * run->rate / operator_bytes(c), 1e3 * r->cycle_seconds,
           r->cycle_seconds * run->rate / cycle_bytes(c), 1e3 * r->stage[VL_STAGE_SOLVE],
           r->stage[VL_STAGE_SOLVE] * run->rate / r->bytes[VL_STAGE_SOLVE]);
  }
}

static inline void write_line(FILE *file, const Run *run, const char *stage, double seconds, double bytes)
{
  const StepResult *r = &run->result;
  fprintf(file, "%s,%d,%g,%d,%s,%.4g,%d,%.0f,%.0f,%.0f,%.2f,%.4g,%.5g,%.5g,%.0f,%s,%.5g,%.5g,%.4g\n", run->name,
          run->task.cells, run->task.box, run->task.threads, run->task.processor ? "processor" : "clock", run->rate,
          run->task.steps, r->liquid_cells, r->counts.wet_cells, r->counts.particles, r->counts.iterations, r->create,
          r->step, r->cpu, r->peak, stage, seconds, bytes, bytes > 0.0 ? seconds * run->rate / bytes : 0.0);
}

/* A line for each stage of each run, and for the parts of the solve that were timed by themselves; false when the file could
 * not be written. */
static inline bool write_csv(const Runs *runs, const char *path)
{
  FILE *file = fopen(path, "we");
  if (!file) return false;
  fprintf(file, "case,cells,box [m],threads,times,triad [B/s],steps,liquid_cells,wet_cells,particles,iterations,create [s],"
                "step [s],step_processor [s],peak [B],stage,stage [s],stage [B],times_limit\n");
  for (int i = 0; i < runs->count; i++) {
    const Run *run = &runs->run[i];
    const StepResult *r = &run->result;
    if (!went_well(run)) continue;
    for (int k = 0; k < STAGES; k++) write_line(file, run, stage_key(k), r->stage[k], r->bytes[k]);
    if (r->operator_seconds <= 0.0) continue;
    write_line(file, run, "operator", r->operator_seconds, operator_bytes(&r->counts));
    write_line(file, run, "cycle", r->cycle_seconds, cycle_bytes(&r->counts));
  }
  bool ok = !ferror(file);
  return fclose(file) == 0 && ok;
}

#endif
