/* The table of `velella bench table2`, for people and as JSON, beside the values that [zarifi2017, table 2] gives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "files/json.h"
#include "files/machine.h"

#ifndef VL_BUILD_FLAGS
#define VL_BUILD_FLAGS "unknown"
#endif

/* Eq. 19, then eq. 33. Their machine: AMD FX-8370E at 3.3 GHz. */
typedef struct Paper {
  int n, nonzeros[2];
  double condition[2], seconds[2];
} Paper;

static const Paper paper_table[] = {{40, {157498, 185503}, {8.347, 10.497}, {1.635, 1.813}},
                                    {60, {499787, 610697}, {8.579, 11.311}, {16.121, 8.292}},
                                    {80, {1177419, 1439173}, {8.819, 11.497}, {100.875, 28.020}}};

static const char *const way_keys[VL_BENCH_WAYS] = {"ours",       "ours_threads", "spd",
                                                    "indefinite", "eigen_spd",    "eigen_indefinite"};

/* NULL: the paper has no such size, or its case is another one. */
static const Paper *paper_of(const vlBenchTable *table, int n)
{
  for (size_t i = 0; i < sizeof paper_table / sizeof *paper_table && !table->hard; i++)
    if (paper_table[i].n == n) return &paper_table[i];
  return NULL;
}

/* Eigen's eq. 33 over ours; NaN where there is no such. */
static double ratio(const vlBenchRow *row)
{
  const vlBenchSolve *ours = &row->way[VL_BENCH_OURS], *eigen = &row->way[VL_BENCH_EIGEN_SPD];
  return ours->solved && eigen->solved ? eigen->cpu / ours->cpu : NAN;
}

enum { ROOM = 32 };

/* A number in few characters, "-" for NaN. */
static const char *number(char text[static ROOM], int decimals, double x)
{
  if (isnan(x)) return "-";
  snprintf(text, ROOM, "%.*f", decimals, x);
  return text;
}

static void print_head(const vlBenchTable *table)
{
  vlMachine machine = vl_machine_describe();
  char before[ROOM], after[ROOM];
  printf("One step of liquid and a hanging beam%s, from zero to %.0e of both blocks of eq. 19.\n",
         table->hard ? ", light, stiff and undamped" : "", VL_BENCH_TOLERANCE);
  printf("processor  %s, %d cores; load %s before, %s after\n", machine.cpu, machine.cores,
         number(before, 2, table->load[0]), number(after, 2, table->load[1]));
  printf("compiler   %s, %s\n", vl_compiler_text(), VL_BUILD_FLAGS);
  printf("peer       %s\n", table->peer ? table->peer_program : "none");
}

static void print_systems(const vlBenchTable *table)
{
  printf("\nThe matrices, in brackets the paper's\n");
  printf("%4s %9s %6s  %21s %21s  %16s %16s %8s\n", "", "", "", "nonzeros", "nonzeros", "log10 condition", "log10 condition",
         "");
  printf("%4s %9s %6s  %21s %21s  %16s %16s %8s\n", "n", "pressures", "solid", "eq. 19", "eq. 33", "eq. 19", "eq. 33",
         "Schur");
  for (int i = 0; i < table->count; i++) {
    const vlBenchRow *row = &table->row[i];
    const Paper *paper = paper_of(table, row->n);
    char text[ROOM];
    printf("%4d %9d %6d ", row->n, row->pressures, row->unknowns);
    for (int k = 0; k < 2; k++) {
      printf(" %10lld ", (long long)row->nonzeros[k]);
      printf(paper ? " (%7d)" : "          ", paper ? paper->nonzeros[k] : 0);
    }
    printf(" ");
    for (int k = 0; k < 2; k++) {
      printf(" %6s ", number(text, 3, row->condition[k]));
      printf(paper ? " (%6.3f)" : "         ", paper ? paper->condition[k] : 0.0);
    }
    printf(" %7s\n", number(text, 3, row->condition[VL_BENCH_SCHUR]));
  }
}

static void print_solve(const vlBenchSolve *s)
{
  if (!s->there)
    printf(" | %14s", "-");
  else if (s->solved)
    printf(" | %5d %8.*f", s->iterations, s->cpu < 1.0 ? 4 : 3, s->cpu);
  else
    printf(" | not: %8.1e", s->residual);
}

static void print_solves(const vlBenchTable *table)
{
  static const vlBenchWay shown[] = {VL_BENCH_OURS, VL_BENCH_SPD, VL_BENCH_INDEFINITE, VL_BENCH_EIGEN_SPD,
                                     VL_BENCH_EIGEN_INDEFINITE};
  printf("\nIterations and seconds of processor time on one thread\n");
  printf("%4s | %14s | %14s | %14s | %14s | %14s | %15s | %s\n", "n", "Schur, multig.", "eq. 33, IC(0)", "eq. 19, ILU(0)",
         "Eigen, eq. 33", "Eigen, eq. 19", "paper, 33 / 19", "Eigen 33 / Schur");
  for (int i = 0; i < table->count; i++) {
    const vlBenchRow *row = &table->row[i];
    const Paper *paper = paper_of(table, row->n);
    char text[ROOM];
    printf("%4d", row->n);
    for (size_t w = 0; w < sizeof shown / sizeof *shown; w++) print_solve(&row->way[shown[w]]);
    if (paper)
      printf(" | %6.3f / %7.3f", paper->seconds[1], paper->seconds[0]);
    else
      printf(" | %16s", "-");
    printf(" | %s\n", number(text, 0, ratio(row)));
  }
}

static void print_ours(const vlBenchTable *table)
{
  printf(
      "\nOurs: seconds by the clock, and the part of them that takes the beam's rotations, stiffness, S and its factor\n");
  for (int i = 0; i < table->count; i++)
    for (int w = VL_BENCH_OURS; w <= VL_BENCH_OURS_THREADS; w++) {
      const vlBenchSolve *s = &table->row[i].way[w];
      int threads = w == VL_BENCH_OURS ? 1 : table->threads;
      if (s->there)
        printf("%4d  %d thread%s  %4d iterations  %.4f s  %.4f s  residual %.1e\n", table->row[i].n, threads,
               threads == 1 ? " " : "s", s->iterations, s->seconds, s->factor, s->residual);
    }
}

static void print_agreement(const vlBenchTable *table)
{
  static const char *const heads[VL_BENCH_WAYS] = {NULL,     "ours, threads", "eq. 33",
                                                   "eq. 19", "Eigen, eq. 33", "Eigen, eq. 19"};
  printf("\nDifference from ours, relative: p and v (allowed: %.0e)\n", VL_BENCH_APART);
  for (int i = 0; i < table->count; i++) {
    printf("%4d", table->row[i].n);
    for (int w = VL_BENCH_OURS_THREADS; w < VL_BENCH_WAYS; w++) {
      const vlBenchSolve *s = &table->row[i].way[w];
      if (s->judged) printf("  %s %.1e %.1e", heads[w], s->p_apart, s->v_apart);
    }
    printf("\n");
  }
}

void vl_bench_table_print(const vlBenchTable *table)
{
  print_head(table);
  print_systems(table);
  print_solves(table);
  print_ours(table);
  print_agreement(table);
}

static void add_solve(vlJson *json, const vlBenchTable *table, int w, const vlBenchSolve *s)
{
  if (!s->there) {
    vl_json_string(json, way_keys[w], NULL);
    return;
  }
  vl_json_object(json, way_keys[w]);
  vl_json_integer(json, "threads", w == VL_BENCH_OURS_THREADS ? table->threads : 1);
  vl_json_bool(json, "solved", s->solved);
  vl_json_integer(json, "iterations", s->iterations);
  vl_bench_json_number(json, "seconds", s->seconds);
  vl_bench_json_number(json, "cpu_seconds", w == VL_BENCH_OURS_THREADS ? NAN : s->cpu);
  if (w <= VL_BENCH_OURS_THREADS) vl_bench_json_number(json, "factor_seconds", s->factor);
  vl_bench_json_number(json, "residual", s->residual);
  vl_bench_json_number(json, "p_difference", s->judged ? s->p_apart : NAN);
  vl_bench_json_number(json, "v_difference", s->judged ? s->v_apart : NAN);
  vl_json_end(json);
}

static void add_row(vlJson *json, const vlBenchTable *table, const vlBenchRow *row)
{
  static const char *const matrices[VL_BENCH_MATRICES] = {"eq19", "eq33", "schur"};
  const Paper *paper = paper_of(table, row->n);
  vl_json_object(json, NULL);
  vl_json_integer(json, "n", row->n);
  vl_json_number(json, "time", row->time);
  vl_json_number(json, "dt", row->dt);
  vl_json_integer(json, "nodes", row->nodes);
  vl_json_integer(json, "pressures", row->pressures);
  vl_json_integer(json, "unknowns", row->unknowns);
  vl_json_object(json, "nonzeros");
  for (int k = 0; k < VL_BENCH_SCHUR; k++) vl_json_integer(json, matrices[k], row->nonzeros[k]);
  vl_json_end(json);
  vl_json_object(json, "log10_condition");
  for (int k = 0; k < VL_BENCH_MATRICES; k++) vl_bench_json_number(json, matrices[k], row->condition[k]);
  vl_json_end(json);
  for (int w = 0; w < VL_BENCH_WAYS; w++) add_solve(json, table, w, &row->way[w]);
  vl_bench_json_number(json, "eigen_spd_over_ours", ratio(row));
  if (paper) {
    vl_json_object(json, "paper");
    for (int k = 0; k < 2; k++) {
      vl_json_object(json, matrices[k]);
      vl_json_integer(json, "nonzeros", paper->nonzeros[k]);
      vl_json_number(json, "log10_condition", paper->condition[k]);
      vl_json_number(json, "seconds", paper->seconds[k]);
      vl_json_end(json);
    }
    vl_json_end(json);
  } else {
    vl_json_string(json, "paper", NULL);
  }
  vl_json_end(json);
}

vlCode vl_bench_table_json(const vlBenchTable *table, char **text, vlStatus *status)
{
  vlJson json;
  vl_bench_json_begin(&json, "table2", -1, table->load);
  vl_json_bool(&json, "hard", table->hard);
  vl_json_number(&json, "tolerance", VL_BENCH_TOLERANCE);
  vl_json_number(&json, "difference_allowed", VL_BENCH_APART);
  vl_json_string(&json, "flags", VL_BUILD_FLAGS);
  vl_json_string(&json, "peer", table->peer ? table->peer_program : NULL);
  vl_json_array(&json, "sizes");
  for (int i = 0; i < table->count; i++) add_row(&json, table, &table->row[i]);
  vl_json_end(&json);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  *text = code == VL_OK ? strdup(json.text) : NULL;
  if (code == VL_OK && !*text) code = vl_fail_memory(status, json.length, "the table");
  vl_json_clear(&json);
  return code;
}
