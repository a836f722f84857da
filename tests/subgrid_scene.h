/* Scenes of liquid finer than the grid. Include cmocka first. */
#ifndef VL_TESTS_SUBGRID_SCENE_H
#define VL_TESTS_SUBGRID_SCENE_H

#include <stdio.h>
#include <string.h>

#include "engine/sharp/subgrid.h"
#include "moving.h"
#include "scene/scene.h"

static inline vlSim *subgrid(const char *text, int threads)
{
  vlScene scene;
  vlStatus status = {0};
  if (vl_scene_parse(&scene, text, strlen(text), "subgrid.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = NULL;
  if (vl_sim_create(&sim, &scene, (vlSimOptions){.threads = threads}, &status)) fail_msg("%s", status.message);
  vl_scene_clear(&scene);
  return sim;
}

static inline double fastest_of(const vlSim *sim)
{
  const vlParticles *p = vl_sharp(sim)->state.particles;
  double most = 0.0;
  for (size_t i = 0; i < p->count; i++)
    most = fmax(most, vl_norm(vl_vec((double)p->v[0][i], (double)p->v[1][i], (double)p->v[2][i])));
  return most;
}

/* m3: of liquid on one side of a plane x = position, by particles. */
static inline double volume_beyond(const vlSim *sim, double position)
{
  const vlSharp *s = vl_sharp(sim);
  const vlParticles *p = s->state.particles;
  double sum = 0.0;
  for (size_t i = 0; i < p->count; i++) sum += s->grid.origin.x + (double)p->x[0][i] * s->grid.dx > position;
  return sum * s->grid.dx * s->grid.dx * s->grid.dx / s->per_cell;
}

#endif
