/* velella bench WHAT: finds the measurement by its name and refuses options that belong to the other one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "bench.h"
#include "command.h"
#include "interrupt.h"
#include "words.h"

static const struct {
  const char *name;
  vlCode (*run)(const vlOptions *options, vlStatus *status);
} kinds[] = {{"table2", vl_bench_table2}, {"stability", vl_bench_stability}};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static vlCode check_options(const vlOptions *options, vlStatus *status)
{
  bool table = strcmp(options->words[0], "table2") == 0;
  const struct {
    const char *name;
    bool given, of_table;
  } own[] = {{"sizes", options->sizes != NULL, true},       {"hard", options->hard, true},
             {"no-condition", options->no_condition, true}, {"indefinite-peer", options->indefinite_peer, true},
             {"out", options->out != NULL, true},           {"until", !isnan(options->until), false}};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (own[i].given && own[i].of_table != table)
      return vl_fail(status, VL_ERROR_USAGE, "'bench %s' has no option --%s; 'bench %s' has", options->words[0], own[i].name,
                     table ? "stability" : "table2");
  return VL_OK;
}

vlCode vl_command_bench(const vlOptions *options, vlStatus *status)
{
  const char *word = options->words[0], *near = NULL;
  for (int i = 0; i < KIND_COUNT; i++) {
    vl_word_offer(word, kinds[i].name, &near);
    if (strcmp(word, kinds[i].name) != 0) continue;
    vlCode code = check_options(options, status);
    vl_interrupt_watch();
    return code == VL_OK ? kinds[i].run(options, status) : code;
  }
  return vl_fail(status, VL_ERROR_USAGE, "there is no benchmark '%s'%s%s%s\nthere are table2 and stability", word,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
