/* velella bench stability: a light and stiff beam in a heavy dam break with long steps, under four ways of coupling
 * [zarifi2017, sec. 8, "Stability assessment"].
 *
 * Each way gets a verdict from what was measured: "unstable" where a step failed, a number is not finite, a tenth of the
 * beam's elements is inside out or it moved at more than 10 times the speed that it has in the full coupling; "unrealistic"
 * where the beam held more than 20 times the elastic energy that it ever holds in the full coupling; "calm" otherwise. The
 * paper found: weak coupling is unstable, coupling of damping alone runs but is unrealistic, full coupling is calm, also
 * undamped. Invariants are checked in each step: a flow that is no longer incompressible is a failure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "bench.h"
#include "files/json.h"
#include "files/machine.h"
#include "interrupt.h"
#include "progress.h"

static const double UNREALISTIC = 20.0; /* times the elastic energy of the full coupling */
static const double WILD = 10.0;        /* times the beam's speed there */
static const double RUINED = 0.1;       /* part of the elements inside out */
enum { OWN = 3, WAYS = 4, FULL = 2 };

typedef enum Verdict { CALM, UNREAL, UNSTABLE } Verdict;
static const char *const verdict_names[] = {"calm", "unrealistic", "unstable"};

static const struct {
  const char *name;
  const char *settings[OWN];
  Verdict expected;
} ways[WAYS] = {
    {"weak", {"solver.coupling=weak"}, UNSTABLE},
    {"damping_only", {"solver.coupling=damping_only"}, UNREAL},
    {"full", {"solver.coupling=schur"}, CALM},
    {"full_undamped", {"solver.coupling=schur", "bodies.beam.mass_damping=0", "bodies.beam.stiffness_damping=0"}, CALM},
};

typedef struct Outcome {
  double time, end;               /* s: reached, wanted */
  double tip, energy;             /* m, J: largest */
  double beam_speed, water_speed; /* m/s: largest */
  int inverted, elements;         /* most elements inside out; all */
  bool failed;
  char why[256]; /* it failed */
  Verdict verdict;
} Outcome;

static void measure(Outcome *out, const vlSim *sim, const vlScene *scene, const vlStepInfo *info)
{
  vlBodyView beam = vl_sim_body(sim, 0);
  double tip[3] = {0};
  vl_sim_probe(sim, &scene->probes[0], tip);
  double speed = 0.0;
  for (int i = 0; i < beam.node_count; i++) speed = fmax(speed, vl_norm(beam.v[i]));
  out->time = info->time;
  out->tip = fmax(out->tip, vl_norm(vl_vec(tip[0], tip[1], tip[2])));
  out->energy = fmax(out->energy, beam.info.elastic_energy);
  out->beam_speed = fmax(out->beam_speed, speed);
  out->water_speed = fmax(out->water_speed, info->max_speed);
  out->elements = beam.element_count;
  if (beam.info.inverted > out->inverted) out->inverted = beam.info.inverted;
  if (out->inverted > RUINED * out->elements) {
    out->failed = true;
    snprintf(out->why, sizeof out->why, "%d of %d elements are inside out at %.3g s", out->inverted, out->elements,
             info->time);
  }
  double sum = beam.info.elastic_energy + speed + info->max_speed;
  if (!isfinite(sum)) {
    out->failed = true;
    snprintf(out->why, sizeof out->why, "a number is not finite at %.3g s", info->time);
  }
}

static vlCode load(vlScene *scene, int way, vlStatus *status)
{
  vlSetting settings[OWN];
  int count = 0;
  for (int i = 0; i < OWN && ways[way].settings[i]; i++) settings[count++].text = ways[way].settings[i];
  vlCode code = vl_scene_load(scene, "stability", settings, count, status);
  scene->check_level = 1;
  if (!code && (scene->body_count != 1 || scene->probe_count < 1 || scene->probes[0].kind != VL_PROBE_NODE))
    code = vl_fail(status, VL_ERROR_SCENE, "the scene 'stability' needs one body, and first a probe of its tip");
  return code;
}

/* One way to its end, or until a step fails, which is a result. */
static vlCode run(Outcome *out, int way, const vlOptions *options, vlStatus *status)
{
  vlScene scene;
  vlSim *sim = NULL;
  *out = (Outcome){0};
  vlCode code = load(&scene, way, status);
  out->end = isnan(options->until) ? scene.time.end : options->until;
  if (!code) code = vl_sim_create(&sim, &scene, (vlSimOptions){.threads = options->threads}, status);
  while (!code && !out->failed && out->end - vl_sim_time(sim) > 1e-9) {
    vlStepInfo info;
    code = vl_sim_step(sim, out->end - vl_sim_time(sim), &info, status);
    if (code == VL_OK) measure(out, sim, &scene, &info);
    if (code == VL_OK && vl_interrupt_signal()) code = vl_fail(status, VL_INTERRUPTED, "the benchmark was stopped");
  }
  if (code == VL_ERROR_SOLVER) {
    out->failed = true;
    snprintf(out->why, sizeof out->why, "%.255s", status->message);
    code = VL_OK;
  }
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return code;
}

static Verdict judge(const Outcome *one, const Outcome *full)
{
  if (one->failed || one->beam_speed > WILD * full->beam_speed) return UNSTABLE;
  return one->energy > UNREALISTIC * full->energy ? UNREAL : CALM;
}

static void print_text(const Outcome outcome[WAYS])
{
  printf("%-14s %-12s %-12s %9s %10s %12s %11s %11s %10s\n", "coupling", "verdict", "expected", "reached", "tip moved",
         "elastic", "beam", "water", "inside out");
  for (int i = 0; i < WAYS; i++) {
    const Outcome *o = &outcome[i];
    printf("%-14s %-12s %-12s %7.3f s %8.3f m %10.4g J %7.1f m/s %7.1f m/s %4d of %d\n", ways[i].name,
           verdict_names[o->verdict], verdict_names[ways[i].expected], o->time, o->tip, o->energy, o->beam_speed,
           o->water_speed, o->inverted, o->elements);
  }
  for (int i = 0; i < WAYS; i++)
    if (outcome[i].failed) printf("%s: %s\n", ways[i].name, outcome[i].why);
}

static vlCode print_json(const Outcome outcome[WAYS], vlStatus *status)
{
  vlJson json;
  vl_bench_json_begin(&json, "stability", -1, NULL);
  vl_json_array(&json, "runs");
  for (int i = 0; i < WAYS; i++) {
    const Outcome *o = &outcome[i];
    vl_json_object(&json, NULL);
    vl_json_string(&json, "coupling", ways[i].name);
    vl_json_string(&json, "verdict", verdict_names[o->verdict]);
    vl_json_string(&json, "expected", verdict_names[ways[i].expected]);
    vl_json_number(&json, "time", o->time);
    vl_json_number(&json, "end", o->end);
    vl_bench_json_number(&json, "tip", o->tip);
    vl_bench_json_number(&json, "elastic_energy", o->energy);
    vl_bench_json_number(&json, "beam_speed", o->beam_speed);
    vl_bench_json_number(&json, "water_speed", o->water_speed);
    vl_json_integer(&json, "inverted", o->inverted);
    vl_json_integer(&json, "elements", o->elements);
    vl_json_string(&json, "why", o->failed ? o->why : NULL);
    vl_json_end(&json);
  }
  vl_json_end(&json);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

vlCode vl_bench_stability(const vlOptions *options, vlStatus *status)
{
  Outcome outcome[WAYS];
  double begun = vl_wall_seconds();
  vlCode code = VL_OK;
  for (int i = 0; i < WAYS && !code; i++) {
    fprintf(stderr, "%6.1f s  %s\n", vl_wall_seconds() - begun, ways[i].name);
    code = run(&outcome[i], i, options, status);
  }
  if (code) return code;
  for (int i = 0; i < WAYS; i++) outcome[i].verdict = judge(&outcome[i], &outcome[FULL]);
  if (options->json)
    code = print_json(outcome, status);
  else
    print_text(outcome);
  for (int i = 0; i < WAYS && !code; i++)
    if (outcome[i].verdict != ways[i].expected)
      code = vl_fail(status, VL_ERROR_SOLVER, "%s is %s instead of %s", ways[i].name, verdict_names[outcome[i].verdict],
                     verdict_names[ways[i].expected]);
  return code;
}
