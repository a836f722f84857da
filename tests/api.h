/* What the tests of the public API share: velella.h and nothing else of the library. */
#ifndef VL_TESTS_API_H
#define VL_TESTS_API_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <velella/velella.h>

static inline void assert_near(double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance))
    fail_msg("%.17g instead of %.17g, off by more than %g", found, wanted, tolerance);
}

static inline void assert_says(const vlStatus *status, const char *words)
{
  if (!strstr(status->message, words)) fail_msg("'%s' is not said in: %s", words, status->message);
}

static inline vlSim *start(const vlScene *scene)
{
  vlStatus status;
  vlSim *sim = NULL;
  if (vl_sim_create(&sim, scene, (vlSimOptions){.threads = 1}, &status)) fail_msg("%s", status.message);
  return sim;
}

static inline vlSim *start_text(const char *text)
{
  vlScene scene;
  vlStatus status;
  if (vl_scene_parse(&scene, text, strlen(text), "test.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene);
  vl_scene_clear(&scene);
  return sim;
}

static inline void step(vlSim *sim, int steps)
{
  vlStatus status;
  for (int i = 0; i < steps; i++)
    if (vl_sim_step(sim, 0.01, NULL, &status)) fail_msg("%s", status.message);
}

/* Same particles, in the same order, to the last bit. */
static inline void assert_same(const vlSim *a, const vlSim *b)
{
  vlParticleView p = vl_sim_particles(a), q = vl_sim_particles(b);
  assert_true(vl_sim_time(a) == vl_sim_time(b));
  assert_true(p.count == q.count && p.count > 0);
  assert_memory_equal(p.id, q.id, p.count * sizeof *p.id);
  for (int axis = 0; axis < 3; axis++) {
    assert_memory_equal(p.x[axis], q.x[axis], p.count * sizeof(float));
    assert_memory_equal(p.v[axis], q.v[axis], p.count * sizeof(float));
  }
}

/* m3 inside a closed mesh, by the divergence theorem. */
static inline double volume_of(const vlMeshView *mesh)
{
  double sum = 0.0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const double *a = mesh->vertices[mesh->triangles[t][0]].v, *b = mesh->vertices[mesh->triangles[t][1]].v,
                 *c = mesh->vertices[mesh->triangles[t][2]].v;
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      sum += a[i] * (b[j] * c[k] - b[k] * c[j]) / 6.0;
    }
  }
  return sum;
}

#endif
