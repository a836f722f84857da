/* Probes as a table: what each probe of the scene measures (vl_sim_probe), a line after every step.
 * Lines are "step,time,..." with all digits, so equal runs give equal bytes. */
#include "frames/series.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "files/file.h"
#include "files/table.h"

struct vlProbes {
  const vlSim *sim;
  vlTable table;
  char *line; /* room for a line of any kind [room] */
  size_t room;
};

/* "step,time [s],gauge [m],stream_x [m/s],..." */
static void header_line(vlProbes *probes)
{
  size_t n = (size_t)snprintf(probes->line, probes->room, "step,time [s]");
  for (int i = 0; i < vl_sim_scene(probes->sim)->probe_count; i++) {
    const vlProbeDef *probe = &vl_sim_scene(probes->sim)->probes[i];
    int count = vl_probe_count(probe->kind);
    for (int v = 0; v < count; v++) {
      const char part[3] = {'_', "xyz"[v], '\0'};
      n += (size_t)snprintf(probes->line + n, probes->room - n, ",%s%s [%s]", probe->name, count > 1 ? part : "",
                            vl_probe_unit(probe->kind));
    }
  }
  snprintf(probes->line + n, probes->room - n, "\n");
}

vlCode vl_probes_create(vlProbes **probes, const vlSim *sim, const char *folder, vlStatus *status)
{
  *probes = NULL;
  if (vl_sim_scene(sim)->probe_count == 0) return VL_OK;
  vlProbes *p = *probes = calloc(1, sizeof *p);
  if (!p) return vl_fail_memory(status, sizeof *p, "the probes");
  p->sim = sim;
  p->table = VL_TABLE_CLOSED;
  /* three columns of a probe, each with a name and a unit or a number */
  p->room = 128 + (size_t)vl_sim_scene(sim)->probe_count * 3 * (sizeof vl_sim_scene(sim)->probes->name + VL_NUMBER_TEXT);
  p->line = malloc(p->room);
  vlCode code = VL_OK;
  if (!p->line) {
    code = vl_fail_memory(status, p->room, "the probes");
  } else {
    header_line(p);
    code = vl_table_open(&p->table, folder, "probes.csv", p->line, status);
  }
  if (code) vl_probes_destroy(probes);
  return code;
}

vlCode vl_probes_keep(vlProbes *probes, int64_t step, vlStatus *status)
{
  return probes ? vl_table_keep(&probes->table, step, status) : VL_OK;
}

vlCode vl_probes_add(vlProbes *probes, vlStatus *status)
{
  if (!probes) return VL_OK;
  const vlSim *sim = probes->sim;
  char text[VL_NUMBER_TEXT];
  size_t n = (size_t)snprintf(probes->line, probes->room, "%lld,%s", (long long)vl_sim_step_count(sim),
                              vl_number_text(vl_sim_time(sim), text));
  for (int i = 0; i < vl_sim_scene(sim)->probe_count; i++) {
    double value[3];
    int count = vl_sim_probe(sim, &vl_sim_scene(sim)->probes[i], value);
    for (int v = 0; v < count; v++)
      n += (size_t)snprintf(probes->line + n, probes->room - n, ",%s", vl_number_text(value[v], text));
  }
  n += (size_t)snprintf(probes->line + n, probes->room - n, "\n");
  return vl_table_append(&probes->table, probes->line, n, status);
}

void vl_probes_destroy(vlProbes **probes)
{
  if (!probes || !*probes) return;
  vl_table_close(&(*probes)->table);
  free((*probes)->line);
  free(*probes);
  *probes = NULL;
}
