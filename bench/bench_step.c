/* What a step costs, stage by stage, beside what the machine's memory allows.
 *
 * First the bandwidth of the triad (triad.h), with one thread and with all. Then dam breaks of several sizes, each in a
 * process of its own, with one thread and with all: seconds of every stage, the bytes it must move at the least
 * (step_model.h), and how many times longer it took than moving them at the triad's rate ("x limit"; below 1 means that
 * caches helped). From these, how the time grows with the liquid, what threads gain, and the parts of the pressure solve.
 * Last the same liquid in a box eight times as large; with --large also a box of 512^3 cells of which 3 % are liquid.
 * A step's time is that of the whole call of vl_sim_step. The machine should have nothing else to do; the load is told. For
 * one that is busy --processor runs one thread and tells processor times. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/machine.h"
#include "step_tables.h"
#include "triad.h"

enum { MOST_SIZES = 12, LARGE = 512 };

static const char DAM[] = "dam break", ROOM[] = "larger box", THIN[] = "thin dam break";
static const double MOST_BYTES = 8.0 * 1024 * 1024 * 1024; /* at 256^3 */
static const double MOST_TIME = 1.3, MOST_MEMORY = 2.5;    /* of the larger box over the smaller one */

typedef struct Settings {
  int sizes[MOST_SIZES], size_count;
  int steps;   /* 0: as many as the size asks for */
  int threads; /* the most */
  bool large, processor;
  const char *csv; /* file or folder; NULL: none */
} Settings;

static int usage(const char *wrong)
{
  if (wrong) fprintf(stderr, "bench_step: %s\n", wrong);
  fprintf(stderr,
          "usage: bench_step [--sizes N,N,...] [--steps N] [--threads N] [--processor] [--large] [--csv FILE or FOLDER]\n");
  return 2;
}

static bool read_sizes(Settings *settings, const char *text)
{
  settings->size_count = 0;
  for (const char *at = text; settings->size_count < MOST_SIZES; at++) {
    char *end;
    long n = strtol(at, &end, 10);
    if (end == at || n < 8 || n > 1024) return false;
    settings->sizes[settings->size_count++] = (int)n;
    at = end;
    if (*at != ',') return *at == '\0';
  }
  return false;
}

/* Returns what is wrong, or NULL. */
static const char *read_options(Settings *settings, int count, char **words)
{
  for (int i = 1; i < count; i++) {
    const char *option = words[i], *value = i + 1 < count ? words[i + 1] : "";
    bool large = !strcmp(option, "--large"), processor = !strcmp(option, "--processor");
    settings->large = settings->large || large;
    settings->processor = settings->processor || processor;
    if (large || processor) continue;
    i++;
    if (!strcmp(option, "--sizes")) {
      if (!read_sizes(settings, value)) return "--sizes: up to 12 whole numbers from 8 to 1024, with commas between them";
    } else if (!strcmp(option, "--steps")) {
      settings->steps = atoi(value);
      if (settings->steps < 1) return "--steps: a whole number, 1 or more";
    } else if (!strcmp(option, "--threads")) {
      settings->threads = atoi(value);
      if (settings->threads < 1 || settings->threads > 1024) return "--threads: a whole number from 1 to 1024";
    } else if (!strcmp(option, "--csv") && *value) {
      settings->csv = value;
    } else {
      return "no such option, or no value for it";
    }
  }
  return NULL;
}

typedef struct Bench {
  const Settings *settings;
  int threads[2], kinds; /* numbers of threads to run with: one, and all where that is more */
  double rate[2];        /* bytes/s of the triad with each */
  Runs runs;
  bool ok; /* all runs went well and kept to their limits */
} Bench;

/* Enough for a steady mean, in bearable time. */
static int steps_for(const Settings *settings, int cells)
{
  return settings->steps > 0 ? settings->steps : cells <= 128 ? 10 : cells <= 200 ? 5 : 3;
}

/* With threads[kind] threads; returns NULL when the run failed. The kernels are timed with one thread. */
static const Run *measure(Bench *bench, const char *name, int kind, StepTask task)
{
  Run *run = &bench->runs.run[bench->runs.count++];
  task.threads = bench->threads[kind];
  task.processor = bench->settings->processor;
  task.kernels = kind == 0;
  *run = (Run){.name = name, .task = task, .rate = bench->rate[kind], .result = step_in_own_process(&task)};
  print_run(run);
  bench->ok = bench->ok && went_well(run);
  return went_well(run) ? run : NULL;
}

/* Of the CPU's name, letters and digits with single dashes between them, and the number of cores. */
static void csv_path(const vlMachine *machine, const char *wanted, char path[static 512])
{
  struct stat info;
  char name[128];
  size_t n = 0;
  for (const char *c = machine->cpu; *c && n + 2 < sizeof name; c++) {
    if (!strncmp(c, "(R)", 3) || !strncmp(c, "(TM)", 4))
      c = strchr(c, ')');
    else if (isalnum((unsigned char)*c))
      name[n++] = (char)tolower((unsigned char)*c);
    else if (n > 0 && name[n - 1] != '-')
      name[n++] = '-';
  }
  name[n] = '\0';
  if (stat(wanted, &info) == 0 && S_ISDIR(info.st_mode))
    snprintf(path, 512, "%.300s/%s-%d.csv", wanted, name, machine->cores);
  else
    snprintf(path, 512, "%.500s", wanted);
}

static double load(void)
{
  double mean[1] = {0.0};
  return getloadavg(mean, 1) == 1 ? mean[0] : NAN;
}

static void measure_triad(Bench *bench, double machine_memory)
{
  printf("triad over three arrays of %.0f MiB, 24 bytes counted for an element:",
         (double)triad_length(machine_memory) * sizeof(double) / 1048576);
  for (int t = 0; t < bench->kinds; t++) {
    int threads = bench->threads[t];
    bench->rate[t] = triad_rate(threads, bench->settings->processor, machine_memory);
    printf("%s %.1f GB/s with %d thread%s", t ? "," : "", 1e-9 * bench->rate[t], threads, threads > 1 ? "s" : "");
  }
  printf("\n");
  fflush(stdout);
}

static void measure_sizes(Bench *bench)
{
  const Settings *settings = bench->settings;
  for (int s = 0; s < settings->size_count; s++)
    for (int t = 0; t < bench->kinds; t++) {
      int n = settings->sizes[s];
      StepTask task = {.cells = n, .box = 1.0, .water = vl_vec(0.4, 0.75, 1.0), .steps = steps_for(settings, n)};
      const Run *run = measure(bench, DAM, t, task);
      if (!run || n > 256 || run->result.peak < MOST_BYTES) continue;
      printf("  more memory than the %.0f GiB that 256^3 may take\n", MOST_BYTES / 1073741824);
      bench->ok = false;
    }
  for (int t = 0; t < bench->kinds; t++)
    print_sizes(&bench->runs, DAM, settings->sizes, settings->size_count, bench->threads[t]);
  if (bench->kinds > 1)
    print_threads(&bench->runs, DAM, settings->sizes, settings->size_count, settings->threads,
                  bench->rate[1] / bench->rate[0]);
  print_solve(&bench->runs, DAM, settings->sizes, settings->size_count);
}

/* The block of water of the middle size in a box eight times as large, which may cost a little more, not eight times as
 * much. */
static void measure_room(Bench *bench)
{
  const Settings *settings = bench->settings;
  int n = settings->sizes[settings->size_count / 2];
  const Run *small = find_run(&bench->runs, DAM, n, settings->threads);
  StepTask task = {.cells = 2 * n, .box = 2.0, .water = vl_vec(0.4, 0.75, 1.0), .steps = steps_for(settings, n)};
  const Run *large = measure(bench, ROOM, bench->kinds - 1, task);
  if (!small || !large) return;
  double time = large->result.step / small->result.step, memory = large->result.peak / small->result.peak;
  printf("\nthe same liquid in a box eight times as large: time %.2f (at most %.1f), memory %.2f (at most %.1f)\n", time,
         MOST_TIME, memory, MOST_MEMORY);
  bench->ok = bench->ok && time <= MOST_TIME && memory <= MOST_MEMORY;
}

int main(int count, char **words)
{
  vlMachine machine = vl_machine_describe();
  Settings settings = {.sizes = {64, 100, 128, 200, 256}, .size_count = 5, .threads = machine.cores};
  const char *wrong = read_options(&settings, count, words);
  if (wrong) return usage(wrong);
  if (settings.processor) settings.threads = 1;
  Bench *bench = calloc(1, sizeof *bench);
  if (!bench) return 6;
  *bench =
      (Bench){.settings = &settings, .threads = {1, settings.threads}, .kinds = settings.threads > 1 ? 2 : 1, .ok = true};
  printf("%s, %d cores, %.1f GiB, %s, %s; load %.2f; %s\n", machine.cpu, machine.cores, machine.memory / 1073741824.0,
         machine.kernel, vl_compiler_text(), load(), settings.processor ? "processor times" : "times by the clock");
  measure_triad(bench, machine.memory);
  measure_sizes(bench);
  measure_room(bench);
  if (settings.large) {
    StepTask task = {.cells = LARGE, .box = 1.0, .water = vl_vec(0.4, 0.75, 0.1), .steps = steps_for(&settings, LARGE)};
    measure(bench, THIN, bench->kinds - 1, task);
  }
  printf("load at the end %.2f\n", load());
  if (settings.csv) {
    char path[512];
    csv_path(&machine, settings.csv, path);
    bool written = write_csv(&bench->runs, path);
    printf("%s %s\n", written ? "kept in" : "could not be written:", path);
    bench->ok = bench->ok && written;
  }
  bool ok = bench->ok;
  free(bench);
  return !ok;
}
