/* velella modes: the lowest frequencies of a scene's elastic bodies and their shapes (vl_sim_body_modes).
 *
 * They go to standard output as text or as one JSON object; the shapes to a VTU file with an array of displacements for each
 * mode, `mode_1` and so on, to be warped by. The simulation is made without the scene's liquid, which does not count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "command.h"
#include "files/json.h"
#include "frames/body_mesh.h"
#include "scene/scene.h"
#include "velella/velella.h"

enum { USUAL = 10, NAME = 24 };

/* Modes of all bodies of a simulation. */
typedef struct Modes {
  const vlSim *sim;
  int count;        /* of each body */
  vlBodyMode *mode; /* of body after body; nothing of those that have none [bodies][count] */
  vlVec3 *shape;    /* of body after body, mode after mode [nodes of all bodies][count] */
  bool *has;        /* [bodies] */
} Modes;

static vlCode make_sim(vlSim **sim, vlScene *scene, int threads, vlStatus *status)
{
  vlLiquidDef liquid = scene->liquid;
  scene->liquid.has_level = false;
  scene->liquid.shape_count = scene->liquid.source_count = scene->liquid.sink_count = 0;
  vlCode code = vl_sim_create(sim, scene, (vlSimOptions){.threads = threads}, status);
  scene->liquid = liquid;
  return code;
}

static vlCode find(Modes *m, vlStatus *status)
{
  int bodies = vl_sim_body_count(m->sim), found = 0;
  size_t nodes = 0, before = 0, count = (size_t)m->count;
  for (int b = 0; b < bodies; b++) nodes += (size_t)vl_sim_body(m->sim, b).node_count;
  m->mode = calloc((size_t)bodies * count + 1, sizeof *m->mode);
  m->shape = calloc(nodes * count + 1, sizeof *m->shape);
  m->has = calloc((size_t)bodies + 1, sizeof *m->has);
  if (!m->mode || !m->shape || !m->has) return vl_fail_memory(status, nodes * count * sizeof *m->shape, "the modes");
  vlCode code = VL_OK;
  for (int b = 0; b < bodies && !code; b++) {
    vlBodyView body = vl_sim_body(m->sim, b);
    m->has[b] = body.element_count > 0;
    if (m->has[b])
      code = vl_sim_body_modes(m->sim, b, m->count, m->mode + (size_t)b * count, m->shape + before * count, status);
    before += (size_t)body.node_count;
    found += m->has[b];
  }
  if (!code && !found) code = vl_fail(status, VL_ERROR_SCENE, "the scene has no elastic body: only these have modes");
  return code;
}

static void print_text(const Modes *m)
{
  for (int b = 0; b < vl_sim_body_count(m->sim); b++) {
    vlBodyView body = vl_sim_body(m->sim, b);
    if (!m->has[b]) continue;
    printf("%s: %d nodes, %.6g kg, %d nodes pinned\n", body.name, body.node_count, body.info.mass, body.pinned_nodes);
    printf("  mode   frequency      period     mass along x      y      z\n");
    for (int k = 0; k < m->count; k++) {
      const vlBodyMode *mode = &m->mode[b * m->count + k];
      printf("  %4d  %8.5g Hz", k + 1, mode->frequency);
      if (mode->frequency > 0.0)
        printf("  %8.5g s  ", 1.0 / mode->frequency);
      else
        printf("  as a whole  ");
      printf("      %5.1f  %5.1f  %5.1f %%\n", 100.0 * mode->share.x, 100.0 * mode->share.y, 100.0 * mode->share.z);
    }
  }
}

static vlCode print_json(const Modes *m, vlStatus *status)
{
  vlJson json;
  vl_json_begin(&json, false);
  vl_json_object(&json, NULL);
  vl_json_array(&json, "bodies");
  for (int b = 0; b < vl_sim_body_count(m->sim); b++) {
    vlBodyView body = vl_sim_body(m->sim, b);
    if (!m->has[b]) continue;
    vl_json_object(&json, NULL);
    vl_json_string(&json, "name", body.name);
    vl_json_number(&json, "mass", body.info.mass);
    vl_json_array(&json, "modes");
    for (int k = 0; k < m->count; k++) {
      const vlBodyMode *mode = &m->mode[b * m->count + k];
      vl_json_object(&json, NULL);
      vl_json_number(&json, "frequency", mode->frequency);
      vl_json_array(&json, "share");
      for (int a = 0; a < 3; a++) vl_json_number(&json, NULL, mode->share.v[a]);
      vl_json_end(&json);
      vl_json_end(&json);
    }
    vl_json_end(&json);
    vl_json_end(&json);
  }
  vl_json_end(&json);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (!code) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

/* The shapes as arrays over the nodes of all bodies. */
static void fill(const Modes *m, float *to, int k)
{
  const vlVec3 *shape = m->shape;
  for (int b = 0; b < vl_sim_body_count(m->sim); b++) {
    int nodes = vl_sim_body(m->sim, b).node_count;
    for (int i = 0; i < 3 * nodes; i++) *to++ = (float)shape[k * nodes + i / 3].v[i % 3];
    shape += (size_t)m->count * (size_t)nodes;
  }
}

static vlCode write_shapes(const Modes *m, const char *path, vlStatus *status)
{
  vlBodyGrid grid;
  vlCode code = vl_body_grid_create(&grid, m->sim, status);
  size_t points = code ? 0 : (size_t)grid.grid.point_count, count = (size_t)m->count;
  vlVtkArray *array = calloc(count, sizeof *array);
  float *data = malloc((3 * points * count + 1) * sizeof *data);
  char(*name)[NAME] = calloc(count, sizeof *name);
  if (!code && (!array || !data || !name)) code = vl_fail_memory(status, 3 * points * count * sizeof *data, "the shapes");
  for (size_t k = 0; k < count && !code; k++) {
    snprintf(name[k], NAME, "mode_%zu", k + 1);
    fill(m, data + 3 * points * k, (int)k);
    array[k] = (vlVtkArray){name[k], 3, data + 3 * points * k};
  }
  if (!code) code = vl_vtu_write(path, &grid.grid, 0.0, array, m->count, NULL, 0, status);
  free(array);
  free(data);
  free(name);
  vl_body_grid_clear(&grid);
  return code;
}

static vlCode check_out(const char *out, vlStatus *status)
{
  size_t length = out ? strlen(out) : 0;
  if (!out || (length > 4 && strcmp(out + length - 4, ".vtu") == 0)) return VL_OK;
  return vl_fail(status, VL_ERROR_USAGE, "--out %s: the shapes are written as .vtu", out);
}

vlCode vl_command_modes(const vlOptions *options, vlStatus *status)
{
  vlScene scene;
  vlSim *sim = NULL;
  vl_scene_default(&scene);
  vlCode code = check_out(options->out, status);
  if (!code) code = vl_command_scene(&scene, options, status);
  if (!code) code = make_sim(&sim, &scene, options->threads, status);
  Modes modes = {.sim = sim, .count = options->count > 0 ? options->count : USUAL};
  if (!code) code = find(&modes, status);
  if (!code && options->out) code = write_shapes(&modes, options->out, status);
  if (!code && options->json) code = print_json(&modes, status);
  if (!code && !options->json) print_text(&modes);
  free(modes.mode);
  free(modes.shape);
  free(modes.has);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return code;
}
