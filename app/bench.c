/* velella bench WHAT: finds the measurement by its name and refuses options that belong to another one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "command.h"
#include "files/machine.h"
#include "interrupt.h"
#include "words.h"

typedef enum Kind { TABLE1, TABLE2, STABILITY, IMMERSED, SUBGRID, KIND_COUNT } Kind;

static const struct {
  const char *name;
  vlCode (*run)(const vlOptions *options, vlStatus *status);
} kinds[KIND_COUNT] = {{"table1", vl_bench_table1},
                       {"table2", vl_bench_table2},
                       {"stability", vl_bench_stability},
                       {"immersed", vl_bench_immersed},
                       {"subgrid", vl_bench_subgrid}};

static vlCode check_options(const vlOptions *options, Kind kind, vlStatus *status)
{
  const struct {
    const char *name;
    bool given;
    Kind of, also, too;
  } own[] = {{"small", options->small, TABLE1, IMMERSED, IMMERSED},
             {"steps", options->steps > 0, TABLE1, IMMERSED, SUBGRID},
             {"sizes", options->sizes != NULL, TABLE2, SUBGRID, SUBGRID},
             {"hard", options->hard, TABLE2, TABLE2, TABLE2},
             {"no-condition", options->no_condition, TABLE2, TABLE2, TABLE2},
             {"indefinite-peer", options->indefinite_peer, TABLE2, TABLE2, TABLE2},
             {"out", options->out != NULL, TABLE2, TABLE2, TABLE2},
             {"until", !isnan(options->until), STABILITY, STABILITY, STABILITY}};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (own[i].given && own[i].of != kind && own[i].also != kind && own[i].too != kind)
      return vl_fail(status, VL_ERROR_USAGE, "'bench %s' has no option --%s; 'bench %s' has", kinds[kind].name, own[i].name,
                     kinds[own[i].of].name);
  return VL_OK;
}

void vl_bench_json_number(vlJson *json, const char *key, double x)
{
  if (isfinite(x))
    vl_json_number(json, key, x);
  else
    vl_json_string(json, key, NULL);
}

void vl_bench_json_begin(vlJson *json, const char *name, int threads, const double load[2])
{
  vlMachine machine = vl_machine_describe();
  vl_json_begin(json, true);
  vl_json_object(json, NULL);
  vl_json_string(json, "bench", name);
  vl_json_string(json, "version", VELELLA_VERSION);
  vl_json_string(json, "compiler", vl_compiler_text());
  vl_json_string(json, "cpu", machine.cpu);
  vl_json_integer(json, "cores", machine.cores);
  if (threads >= 0) vl_json_integer(json, "threads", threads ? threads : machine.cores);
  if (!load) return;
  vl_bench_json_number(json, "load_before", load[0]);
  vl_bench_json_number(json, "load_after", load[1]);
}

vlCode vl_command_bench(const vlOptions *options, vlStatus *status)
{
  const char *word = options->words[0], *near = NULL;
  for (int i = 0; i < KIND_COUNT; i++) {
    vl_word_offer(word, kinds[i].name, &near);
    if (strcmp(word, kinds[i].name) != 0) continue;
    vlCode code = check_options(options, (Kind)i, status);
    if (!code && i != IMMERSED && options->word_count > 1)
      code = vl_fail(status, VL_ERROR_USAGE, "'bench %s' has no parts, but '%s' is named; 'bench immersed' has",
                     kinds[i].name, options->words[1]);
    vl_interrupt_watch();
    return code == VL_OK ? kinds[i].run(options, status) : code;
  }
  return vl_fail(status, VL_ERROR_USAGE,
                 "there is no benchmark '%s'%s%s%s\nthere are table1, table2, stability, immersed and subgrid", word,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
