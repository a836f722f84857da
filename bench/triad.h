/* The bandwidth of main memory that threads of this program can have: a_i = b_i + s c_i over arrays far larger than the
 * caches, as in the STREAM benchmark [mccalpin1995]. Counted are 24 bytes for an element, two read and one written. A cache
 * that reads a line before it writes to it moves 32, so the bus may be a third busier than the figure says; stages of a step
 * are counted in the same way (step_model.h), so that the two can be compared. The fastest of some passes counts. */
#ifndef VL_BENCH_TRIAD_H
#define VL_BENCH_TRIAD_H

#include <omp.h>
#include <stdlib.h>

#include "base/timer.h"
#include "own_process.h"

typedef struct TriadTask {
  int threads;
  bool processor; /* processor time instead of the clock's; for one thread */
  size_t length;  /* of each array */
} TriadTask;

static inline void triad_pass(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
}

/* OwnWork: bytes per second; 0 without memory. */
static inline void triad_run(const void *data, void *result)
{
  enum { PASSES = 8 };
  const TriadTask *task = data;
  double *rate = result, *memory = malloc(3 * task->length * sizeof(double)), best = 0.0;
  size_t n = task->length;
  *rate = 0.0;
  if (!memory) return;
  double *a = memory, *b = a + n, *c = b + n;
  omp_set_num_threads(task->threads);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    a[i] = 0.0;
    b[i] = 1.0;
    c[i] = (double)i;
  }
  for (int pass = 0; pass < PASSES; pass++) {
    double start = task->processor ? processor_seconds() : vl_seconds();
    triad_pass(a, b, c, n);
    double seconds = (task->processor ? processor_seconds() : vl_seconds()) - start;
    if (pass == 0 || seconds < best) best = seconds;
  }
  if (a[n - 1] == 1.0 + 3.0 * (double)(n - 1)) *rate = 24.0 * (double)n / best;
  free(memory);
}

/* Doubles in each of the three arrays: four times the last cache, all three together at most an eighth of the memory. */
static inline size_t triad_length(double machine_memory)
{
  double bytes = 4.0 * (double)sysconf(_SC_LEVEL3_CACHE_SIZE), most = machine_memory / 24.0;
  if (bytes < 268435456.0) bytes = 268435456.0;
  return (size_t)((bytes < most ? bytes : most) / sizeof(double));
}

static inline double triad_rate(int threads, bool processor, double machine_memory)
{
  TriadTask task = {threads, processor, triad_length(machine_memory)};
  double rate = 0.0;
  return own_process(triad_run, &task, &rate, sizeof rate) > 0.0 ? rate : 0.0;
}

#endif
