/* velella bench table2: the table of [zarifi2017] that compares solvers of the coupled step.
 *
 * For every size n a dam breaks against a hanging beam in a box of n^3 cells, 36 % of it water. The engine runs it to 0.3 s
 * with steps of its own; then the system of a step of given length is taken once and solved in all ways (bench_solve.c,
 * bench_peer.c). Solutions that met the tolerance must agree. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "files/file.h"
#include "interrupt.h"
#include "progress.h"

static const double START = 0.3; /* s */
enum { SMALLEST = 8, LARGEST = 512, MOST_SIZES = 16, PEER_INDEFINITE = 60 };

/* The beam is as fine as in the paper: 135, 352 and 725 nodes. */
static int across(int n) { return n < 60 ? 2 : n < 80 ? 3 : 4; }

static const char scene_format[] = "grid: {size: [1, 1, 1], cells: %d}\n"
                                   "liquid: {shapes: [{shape: box, center: [0, 0, 0.5], size: [0.8, 1.8, 2]}]}\n"
                                   "bodies:\n"
                                   "  - name: beam\n"
                                   "    shape: box\n"
                                   "    center: [0.55, 0.305, 0.5]\n"
                                   "    size: [0.07, 0.49, 0.07]\n"
                                   "    cells: [%d, %d, %d]\n"
                                   "    %s\n"
                                   "    pins: [{shape: box, center: [0.55, 0.55, 0.5], size: [0.1, 0.01, 0.1]}]\n"
                                   "pressure: {tolerance: 1e-6}\n";
static const char *const usual = "density: 1000\n    young: 200 kPa";
static const char *const hard = "density: 100\n    young: 10 MPa\n    mass_damping: 0\n    stiffness_damping: 0";

typedef struct Job {
  const vlOptions *options;
  vlBenchTable table;
  char peer[PATH_MAX];
  double begun; /* s, vl_wall_seconds() */
} Job;

static void tell(const Job *job, int n, const char *what)
{
  fprintf(stderr, "%6.1f s  n = %d: %s\n", vl_wall_seconds() - job->begun, n, what);
}

static vlCode stop(vlStatus *status)
{
  return vl_interrupt_signal() ? vl_fail(status, VL_INTERRUPTED, "the benchmark was stopped") : VL_OK;
}

vlCode vl_bench_sizes(const char *text, int *sizes, int most, int *count, vlStatus *status)
{
  *count = 0;
  for (const char *at = text;; at++) {
    char *end;
    errno = 0;
    long n = strtol(at, &end, 10);
    if (end == at || errno || n < SMALLEST || n > LARGEST || (*end && *end != ','))
      return vl_fail(status, VL_ERROR_USAGE, "--sizes %s: whole numbers from %d to %d with commas are wanted, as in 40,60",
                     text, (int)SMALLEST, (int)LARGEST);
    if (*count == most) return vl_fail(status, VL_ERROR_USAGE, "--sizes %s: more than %d sizes", text, most);
    sizes[(*count)++] = (int)n;
    if (!*end) return VL_OK;
    at = end;
  }
}

static vlCode create_sim(const Job *job, int n, vlSim **sim, vlStatus *status)
{
  char text[1024];
  int k = across(n);
  vlScene scene;
  int length = snprintf(text, sizeof text, scene_format, n, k, 7 * k, k, job->table.hard ? hard : usual);
  vlCode code = vl_scene_parse(&scene, text, (size_t)length, "table2", NULL, 0, status);
  if (!code) code = vl_sim_create(sim, &scene, (vlSimOptions){.threads = job->options->threads}, status);
  vl_scene_clear(&scene);
  return code;
}

static vlCode advance(const Job *job, vlSim *sim, int n, vlStatus *status)
{
  vlCode code = VL_OK;
  tell(job, n, "simulating up to 0.3 s");
  while (!code && START - vl_sim_time(sim) > 1e-9) {
    code = vl_sim_step(sim, START - vl_sim_time(sim), NULL, status);
    if (!code) code = stop(status);
  }
  return code;
}

static vlCode find_conditions(const vlCoupledSystem *system, vlBenchRow *row, vlStatus *status)
{
  static const vlCoupledForm form[VL_BENCH_MATRICES] = {VL_FORM_BICGSTAB, VL_FORM_SPD, VL_FORM_SCHUR};
  for (int i = 0; i < VL_BENCH_MATRICES; i++) {
    vlCondition condition;
    vlCode code = vl_coupled_condition(system, form[i], 0.9, 0.001, &condition, status);
    if (!code) row->condition[i] = log10(condition.condition);
    if (code == VL_ERROR_SOLVER) /* a number less in the table */
      fprintf(stderr, "velella: warning: no condition number: %s\n", status->message);
    else if (code)
      return code;
    if (stop(status)) return VL_INTERRUPTED;
  }
  return VL_OK;
}

/* The folder of one size: kept with --out, else temporary. */
static vlCode name_folder(const Job *job, int n, char **folder, vlStatus *status)
{
  char name[32];
  if (!job->options->out) return vl_bench_folder_create(folder, status);
  snprintf(name, sizeof name, "n%d", n);
  *folder = vl_path_join(job->options->out, name);
  return *folder ? vl_folder_create(*folder, status) : vl_fail_memory(status, PATH_MAX, "a folder's name");
}

static vlCode ask_peer(Job *job, vlBenchSystem *bench, vlBenchRow *row, vlStatus *status)
{
  char *folder = NULL;
  vlCode code = name_folder(job, row->n, &folder, status);
  if (!code && job->table.peer) {
    bool indefinite = row->n <= PEER_INDEFINITE || job->options->indefinite_peer;
    tell(job, row->n, indefinite ? "Eigen on eq. 33 and eq. 19" : "Eigen on eq. 33");
    code = vl_bench_peer(bench, job->peer, folder, indefinite, row, job->table.peer_program, status);
    if (code && stop(status)) code = VL_INTERRUPTED;
  } else if (!code && job->options->out) {
    code = vl_coupled_write(&bench->system, folder, status);
  }
  if (job->options->out)
    free(folder);
  else
    vl_bench_folder_remove(&folder);
  return code;
}

static vlCode solve_all(Job *job, vlBenchSystem *bench, vlBenchRow *row, vlStatus *status)
{
  int n = row->n;
  tell(job, n, "Schur form with multigrid");
  vlCode code = vl_bench_ours(bench, 1, &row->way[VL_BENCH_OURS], status);
  if (!code && job->table.threads > 1)
    code = vl_bench_ours(bench, job->table.threads, &row->way[VL_BENCH_OURS_THREADS], status);
  if (!code) tell(job, n, "eq. 33 with IC(0)");
  if (!code) code = vl_bench_form(bench, VL_FORM_SPD, &row->way[VL_BENCH_SPD], &row->nonzeros[VL_BENCH_EQ33], status);
  if (!code) code = stop(status);
  if (!code) tell(job, n, "eq. 19 with ILU(0)");
  if (!code)
    code = vl_bench_form(bench, VL_FORM_BICGSTAB, &row->way[VL_BENCH_INDEFINITE], &row->nonzeros[VL_BENCH_EQ19], status);
  if (!code) code = stop(status);
  if (!code) code = ask_peer(job, bench, row, status);
  if (code || job->options->no_condition) return code;
  tell(job, n, "condition numbers");
  return find_conditions(&bench->system, row, status);
}

static vlCode measure(Job *job, int n, vlBenchRow *row, vlStatus *status)
{
  vlSim *sim = NULL;
  vlBenchSystem bench = {0};
  *row = (vlBenchRow){.n = n, .dt = job->table.hard ? 1.0 / 60.0 : 1.0 / 120.0, .condition = {NAN, NAN, NAN}};
  vlCode code = create_sim(job, n, &sim, status);
  if (!code) code = advance(job, sim, n, status);
  if (!code) code = vl_bench_system_create(&bench, sim, row->dt, status);
  if (!code) {
    row->time = vl_sim_time(sim);
    row->nodes = vl_sim_body(sim, 0).node_count;
    row->pressures = bench.system.pressures;
    row->unknowns = bench.system.unknowns;
    code = solve_all(job, &bench, row, status);
  }
  vl_bench_system_clear(&bench);
  vl_sim_destroy(&sim);
  if (code && code != VL_INTERRUPTED) vl_status_prefix(status, "n = %d: ", n);
  return code;
}

/* Ours must meet the tolerance; all that do must agree with it. */
static vlCode judge(const vlBenchTable *table, vlStatus *status)
{
  static const char *const names[VL_BENCH_WAYS] = {
      "ours", "ours on several threads", "eq. 33 with IC(0)", "eq. 19 with ILU(0)", "Eigen's eq. 33", "Eigen's eq. 19"};
  for (int i = 0; i < table->count; i++) {
    const vlBenchRow *row = &table->row[i];
    for (int w = 0; w < VL_BENCH_WAYS; w++) {
      const vlBenchSolve *s = &row->way[w];
      if (w <= VL_BENCH_OURS_THREADS && s->there && !s->solved)
        return vl_fail(status, VL_ERROR_SOLVER, "n = %d: %s ended with a residual of %.1e instead of %.0e", row->n, names[w],
                       s->residual, VL_BENCH_TOLERANCE);
      if (s->solved && !(fmax(s->p_apart, s->v_apart) <= VL_BENCH_APART))
        return vl_fail(status, VL_ERROR_SOLVER, "n = %d: %s and ours differ by %.1e in p and %.1e in v, more than %.0e",
                       row->n, names[w], s->p_apart, s->v_apart, VL_BENCH_APART);
    }
  }
  return VL_OK;
}

static vlCode show(const Job *job, vlStatus *status)
{
  char *text = NULL, *path = NULL;
  vlFile file;
  vlCode code = VL_OK;
  if (job->options->json || job->options->out) code = vl_bench_table_json(&job->table, &text, status);
  if (!code && job->options->json) fputs(text, stdout);
  if (!code && !job->options->json) vl_bench_table_print(&job->table);
  if (!code && job->options->out) {
    path = vl_path_join(job->options->out, "table2.json");
    code = path ? vl_file_open(&file, path, status) : vl_fail_memory(status, PATH_MAX, "a file's name");
    if (!code) {
      vl_file_write(&file, text, strlen(text));
      code = vl_file_commit(&file, status);
    }
  }
  free(path);
  free(text);
  return code;
}

vlCode vl_bench_table2(const vlOptions *options, vlStatus *status)
{
  Job job = {.options = options, .begun = vl_wall_seconds()};
  vlBenchRow rows[MOST_SIZES];
  int sizes[MOST_SIZES], count;
  vlCode code = vl_bench_sizes(options->sizes ? options->sizes : "40,60,80,100", sizes, MOST_SIZES, &count, status);
  if (!code && options->out) code = vl_folder_create(options->out, status);
  if (code) return code;
  job.table = (vlBenchTable){.hard = options->hard, .threads = options->threads > 1 ? options->threads : 1, .row = rows};
  job.table.peer = vl_bench_peer_path(job.peer, sizeof job.peer);
  if (!job.table.peer)
    fprintf(stderr, "velella: warning: velella-peer-eigen is not beside this program, so Eigen's columns stay empty; it is\n"
                    "built with the target peer_eigen where Eigen 3 is installed (Debian: libeigen3-dev)\n");
  if (getloadavg(&job.table.load[0], 1) != 1) job.table.load[0] = NAN;
  for (; job.table.count < count && !code; job.table.count += !code)
    code = measure(&job, sizes[job.table.count], &rows[job.table.count], status);
  if (getloadavg(&job.table.load[1], 1) != 1) job.table.load[1] = NAN;
  if (!code) code = show(&job, status);
  return code ? code : judge(&job.table, status);
}
