/* velella settle: where the bodies of a scene rest in its liquid (vl_sim_settle), told, and written as a state that a run
 * begins with (velella run --start). Nothing is written unless all has settled; what has not is told all the same. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "command.h"
#include "interrupt.h"
#include "progress.h"
#include "scene/scene.h"
#include "settle_tell.h"

enum { LINES_EVERY = 200, NAME_ROOM = 512 };

static void log_line(void *user, vlLogLevel level, const char *line)
{
  (void)user;
  if (level != VL_LOG_INFO) fprintf(stderr, "velella: warning: %s\n", line);
}

static bool is_stopped(void *user)
{
  (void)user;
  return vl_interrupt_signal() != 0;
}

typedef struct Progress {
  const vlSim *sim;
  bool terminal, quiet, drawn;
  double shown; /* s */
} Progress;

/* A line that stays on a terminal, one of many steps elsewhere. */
static void tell(void *user, const vlSettleInfo *info)
{
  Progress *p = user;
  double now = vl_wall_seconds();
  if (p->quiet || (p->terminal ? now - p->shown < 0.2 : info->steps % LINES_EVERY != 0)) return;
  p->shown = now;
  p->drawn = p->terminal;
  fprintf(stderr, "%sstep %lld: %.2e of its weight pushes %.63s, %.2e m/s; %lld cuts%s", p->terminal ? "\r\x1b[K" : "",
          (long long)info->steps, info->residual, vl_sim_body(p->sim, info->worst).name, info->speed, (long long)info->cuts,
          p->terminal ? "" : "\n");
}

static vlCode choose_out(char out[static NAME_ROOM], const vlScene *scene, const vlOptions *options, vlStatus *status)
{
  int length =
      options->out ? snprintf(out, NAME_ROOM, "%s", options->out) : snprintf(out, NAME_ROOM, "%s.settled.vl", scene->name);
  if (length < 0 || length >= NAME_ROOM)
    return vl_fail(status, VL_ERROR_USAGE, "--out: a name of %d bytes; at most %d are possible", length, NAME_ROOM - 1);
  if (!options->overwrite && access(out, F_OK) == 0)
    return vl_fail(status, VL_ERROR_USAGE, "%s is there already; --overwrite replaces it, --out names another", out);
  return VL_OK;
}

/* Bodies with what is to be told of them. */
typedef struct Bodies {
  vlVec3 *begun;
  vlSettleBody *left;
} Bodies;

static vlCode make_bodies(Bodies *bodies, const vlSim *sim, vlStatus *status)
{
  size_t count = (size_t)vl_sim_body_count(sim);
  bodies->begun = calloc(count + 1, sizeof *bodies->begun);
  bodies->left = calloc(count + 1, sizeof *bodies->left);
  if (!bodies->begun || !bodies->left) return vl_fail_memory(status, count * sizeof(vlSettleBody), "the bodies");
  for (size_t b = 0; b < count; b++) bodies->begun[b] = vl_sim_body(sim, (int)b).info.center;
  return VL_OK;
}

static vlCode fail_stopped(const vlSettleInfo *info, vlStatus *status)
{
  return vl_fail(status, VL_INTERRUPTED, "stopped by %s after %lld steps; nothing was written",
                 vl_interrupt_signal() == SIGINT ? "Ctrl-C" : "SIGTERM", (long long)info->steps);
}

static vlCode settle(vlSim *sim, const vlOptions *options, const char *out, vlStatus *status)
{
  Bodies bodies = {0};
  Progress progress = {.sim = sim, .terminal = isatty(STDERR_FILENO) == 1, .quiet = options->quiet || options->json};
  const vlSettleOptions how = {
      .tolerance = options->tolerance, .most_steps = options->steps, .told = tell, .user = &progress};
  vlSettleInfo info = {0};
  vlStatus ignored;
  vlCode code = make_bodies(&bodies, sim, status);
  if (!code) code = vl_sim_settle(sim, how, &info, bodies.left, status);
  if (progress.drawn) fputs("\r\x1b[K", stderr);
  bool settled = !code, told = settled || (code == VL_ERROR_SOLVER && info.steps > 0);
  if (code == VL_INTERRUPTED) code = fail_stopped(&info, status);
  if (!code) code = vl_sim_save(sim, out, status);
  const vlSettled end = {sim, bodies.begun, &info, bodies.left};
  if (told && options->json) {
    vlCode next = vl_settled_json(&end, settled, code ? NULL : out, code ? &ignored : status);
    code = code ? code : next;
  } else if (told && !options->quiet) {
    vl_settled_print(&end);
    if (!code)
      printf("settled in %lld steps; velella run %s --start %s begins so\n", (long long)info.steps, options->words[0], out);
  }
  free(bodies.begun);
  free(bodies.left);
  return code;
}

vlCode vl_command_settle(const vlOptions *options, vlStatus *status)
{
  vlScene scene;
  vlSim *sim = NULL;
  char out[NAME_ROOM];
  const vlSimOptions sim_options = {
      .threads = options->threads, .log = {.write = log_line}, .cancel = {.asked = is_stopped}};
  vl_scene_default(&scene);
  vlCode code = vl_command_scene(&scene, options, status);
  if (!code) code = choose_out(out, &scene, options, status);
  if (!code) code = vl_sim_create(&sim, &scene, sim_options, status);
  vl_interrupt_watch();
  if (!code) code = settle(sim, options, out, status);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return code;
}
