/* Bodies that begin deep inside each other and may: they come apart, slowly, and nothing but their momentum is kept. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contact_scene.h"

enum { CELLS = 16, STEPS_MOST = 300 };

static const double DT = 0.005;

static vlSim *begin(const char *bodies, bool slab)
{
  vlStatus status = {0};
  vlScene scene;
  char text[1024];
  snprintf(text, sizeof text, "grid: {cells: %d%s}\ngravity: %s\ntime: {dt_fixed: %g}\nchecks: 1\nbodies:\n%s", CELLS,
           slab ? ", slab: yes, size: [1, 1]" : "", slab ? "[0, 0]" : "[0, 0, 0]", DT, bodies);
  if (vl_scene_parse(&scene, text, strlen(text), "deep.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start_with(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

/* Until they are apart. A step pushes by a twentieth of a cell, as fast as that the bodies go in the end; one may do all of
 * it and what turns makes its ends faster, so three times that is allowed. Momentum is zero as it began. */
static void assert_come_apart(const char *bodies, bool slab)
{
  vlSim *sim = begin(bodies, slab);
  double dx = vl_sharp(sim)->grid.dx, most = 3.0 * 0.05 * dx / DT, fastest = 0.0, scale = 0.0;
  int steps = 0, count = vl_sim_body_count(sim);
  for (; steps < STEPS_MOST; steps++) {
    vlStepInfo info = step(sim);
    vlVec3 momentum = vl_vec(0, 0, 0);
    bool moves_alone = false;
    for (int b = 0; b < count; b++) {
      vlBodyView view = vl_sim_body(sim, b);
      moves_alone = moves_alone || vl_sharp(sim)->scene->bodies[b].kind == VL_BODY_SCRIPTED;
      momentum = vl_add(momentum, view.info.momentum);
      scale = fmax(scale, vl_norm(view.info.momentum));
      for (int i = 0; i < view.node_count; i++) fastest = fmax(fastest, vl_norm(view.v[i]));
    }
    if (!(fastest < most)) fail_msg("%s\nstep %d: %g m/s", bodies, steps, fastest);
    if (!moves_alone && !(vl_norm(momentum) <= 1e-9 * scale))
      fail_msg("%s\nstep %d: momentum %g", bodies, steps, vl_norm(momentum));
    if (info.overlap < 0.05 * dx && sampled_overlap(sim) < 0.1) break;
  }
  if (steps == STEPS_MOST) fail_msg("%s\nstill %g cells deep after %d steps", bodies, sampled_overlap(sim), steps);
  vl_sim_destroy(&sim);
}

static void test_corners(void **state)
{
  (void)state;
  assert_come_apart("  - {name: a, rigid: yes, overlap: yes, shape: box, size: [0.2,0.2,0.2], center: [0.5,0.5,0.5]}\n"
                    "  - {name: b, rigid: yes, shape: box, size: [0.2,0.2,0.2], center: [0.55,0.55,0.5]}\n",
                    false);
  assert_come_apart("  - {name: a, overlap: yes, shape: box, size: [0.2,0.2,0.2], cells: [3,3,3], mass_damping: 0, center: [0.5,0.5,0.5]}\n"
                    "  - {name: b, rigid: yes, shape: box, size: [0.2,0.2,0.2], center: [0.6,0.53,0.52]}\n",
                    false);
  assert_come_apart("  - {name: a, rigid: yes, overlap: yes, shape: box, size: [0.2,0.2], center: [0.5,0.5]}\n"
                    "  - {name: b, rigid: yes, shape: sphere, radius: 0.1, center: [0.55,0.55]}\n",
                    true);
}

/* No node of one is in the other; across each other's middles; at the very same place; one within the other. */
static void test_no_way_told(void **state)
{
  (void)state;
  assert_come_apart("  - {name: a, rigid: yes, overlap: yes, shape: box, size: [0.6,0.15,0.15], center: [0.5,0.5,0.5]}\n"
                    "  - {name: b, rigid: yes, shape: box, size: [0.15,0.15,0.6], center: [0.5,0.5,0.5]}\n",
                    false);
  assert_come_apart("  - {name: a, rigid: yes, overlap: yes, shape: box, size: [0.2,0.2,0.2], center: [0.5,0.5,0.5]}\n"
                    "  - {name: b, rigid: yes, shape: box, size: [0.2,0.2,0.2], center: [0.5,0.5,0.5]}\n",
                    false);
  assert_come_apart("  - {name: a, rigid: yes, overlap: yes, shape: box, size: [0.3,0.3,0.3], center: [0.5,0.5,0.5]}\n"
                    "  - {name: b, rigid: yes, shape: sphere, radius: 0.08, center: [0.52,0.5,0.5]}\n",
                    false);
}

/* A body that goes its own way pushes what began inside it out. */
static void test_scripted(void **state)
{
  (void)state;
  assert_come_apart("  - {name: a, overlap: yes, shape: box, size: [0.2,0.2,0.2], center: [0.5,0.5,0.5],\n"
                    "     motion: [{move: slide, velocity: [0.01,0,0]}]}\n"
                    "  - {name: b, rigid: yes, shape: box, size: [0.2,0.2,0.2], center: [0.6,0.52,0.5]}\n",
                    false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_corners), cmocka_unit_test(test_no_way_told),
                                     cmocka_unit_test(test_scripted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
