/* velella bench immersed [PART...]: the immersed engine beside its paper [brandt2019].
 *
 *   speed    what a step costs in pools of the paper's sizes, and what part of it each stage takes (fig. 7)
 *   table1   the same of the scenes that are built in for its table; only if named
 *   fig9     a mat that water falls on, in both engines
 *   fig10    the divergence that the pressure solve leaves, over its iterations
 *   fit      a reduced body beside the elastic one that it stands for
 *
 * Times are by the clock, so that a busy machine makes them longer; processor time of all threads together stands beside
 * them, which it hardly changes. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "bench.h"
#include "bench_immersed.h"
#include "files/machine.h"
#include "interrupt.h"
#include "progress.h"
#include "words.h"

enum { PARTS = 5, MOST_SETTINGS = 16 };
static const vlImmersedPart *const parts[PARTS] = {&vl_immersed_speed, &vl_immersed_table1, &vl_immersed_fig9,
                                                   &vl_immersed_fig10, &vl_immersed_fit};

typedef struct Job {
  const vlOptions *options;
  bool wanted[PARTS];
  void *results[PARTS]; /* of those that were run */
  double load[2];       /* runnable processes, mean of a minute, before and after */
} Job;

void vl_immersed_tell(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  fprintf(stderr, "\n");
  va_end(list);
}

vlCode vl_immersed_begin(vlSim **sim, const char *name, const char *text, const char *const *settings, int threads,
                         vlStatus *status)
{
  vlSetting own[MOST_SETTINGS];
  vlScene scene;
  int count = 0;
  for (; settings && settings[count] && count < MOST_SETTINGS; count++) own[count].text = settings[count];
  vlCode code = text ? vl_scene_parse(&scene, text, strlen(text), name, own, count, status)
                     : vl_scene_load(&scene, name, own, count, status);
  if (!code) code = vl_sim_create(sim, &scene, (vlSimOptions){.threads = threads}, status);
  vl_scene_clear(&scene);
  return code;
}

vlCode vl_immersed_step(vlSim *sim, double dt, vlStepInfo *info, vlImmersedCost *cost, vlStatus *status)
{
  clock_t before = clock();
  double begun = vl_wall_seconds();
  vlCode code = vl_sim_step(sim, dt, info, status);
  double seconds = vl_wall_seconds() - begun;
  if (code) return code;
  if (cost) {
    cost->steps++;
    cost->seconds += seconds;
    cost->worst = fmax(cost->worst, seconds);
    cost->cpu += (double)(clock() - before) / CLOCKS_PER_SEC;
    cost->iterations += info->iterations;
    for (int k = 0; k < VL_STAGE_COUNT; k++) cost->stage[k] += info->seconds[k];
  }
  return vl_interrupt_signal() ? vl_fail(status, VL_INTERRUPTED, "the benchmark was stopped") : VL_OK;
}

double vl_immersed_ms(const vlImmersedCost *cost, double seconds)
{
  return cost->steps > 0 ? 1e3 * seconds / cost->steps : 0.0;
}

static vlCode choose(Job *job, vlStatus *status)
{
  const vlOptions *options = job->options;
  for (int p = 0; p < PARTS; p++) job->wanted[p] = options->word_count == 1 && !parts[p]->asked;
  for (int w = 1; w < options->word_count; w++) {
    const char *near = NULL;
    int found = -1;
    for (int p = 0; p < PARTS; p++) {
      vl_word_offer(options->words[w], parts[p]->name, &near);
      if (strcmp(options->words[w], parts[p]->name) == 0) found = p;
    }
    if (found < 0)
      return vl_fail(status, VL_ERROR_USAGE,
                     "'bench immersed' has no part '%s'%s%s%s\nit has speed, table1, fig9, fig10 and fit", options->words[w],
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    job->wanted[found] = true;
  }
  return VL_OK;
}

static vlCode run(Job *job, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int p = 0; p < PARTS && !code; p++) {
    if (!job->wanted[p]) continue;
    job->results[p] = calloc(1, parts[p]->bytes);
    if (!job->results[p]) return vl_fail_memory(status, parts[p]->bytes, "results");
    code = parts[p]->run(job->options, job->results[p], status);
  }
  return code;
}

static void print_text(const Job *job)
{
  vlMachine machine = vl_machine_describe();
  printf("processor  %s, %d cores, %d threads; load %.2f before, %.2f after\n", machine.cpu, machine.cores,
         job->options->threads ? job->options->threads : machine.cores, job->load[0], job->load[1]);
  for (int p = 0; p < PARTS; p++) {
    if (!job->results[p]) continue;
    printf("\n%s: %s\n", parts[p]->name, parts[p]->about);
    parts[p]->print(job->results[p]);
  }
}

static vlCode print_json(const Job *job, vlStatus *status)
{
  vlJson json;
  vl_bench_json_begin(&json, "immersed", job->options->threads, job->load);
  for (int p = 0; p < PARTS; p++) {
    if (!job->results[p]) continue;
    vl_json_object(&json, parts[p]->name);
    parts[p]->json(&json, job->results[p]);
    vl_json_end(&json);
  }
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

vlCode vl_bench_immersed(const vlOptions *options, vlStatus *status)
{
  Job job = {.options = options};
  vlCode code = choose(&job, status);
  if (getloadavg(&job.load[0], 1) != 1) job.load[0] = 0.0;
  if (!code) code = run(&job, status);
  if (getloadavg(&job.load[1], 1) != 1) job.load[1] = 0.0;
  if (!code && options->json)
    code = print_json(&job, status);
  else if (!code)
    print_text(&job);
  for (int p = 0; p < PARTS; p++) free(job.results[p]);
  return code;
}
