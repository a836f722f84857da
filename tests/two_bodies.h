/* A simulation with two elastic bodies, a pinned beam of linear elements and a free block of quadratic ones, in a box with a
 * little water; and steps of the bodies alone. Include cmocka first. */
#ifndef VL_TESTS_TWO_BODIES_H
#define VL_TESTS_TWO_BODIES_H

#include <string.h>

#include "base/vec.h"
#include "engine/sharp/sharp.h"

static inline void two_bodies_scene(vlScene *scene)
{
  vlStatus status = {0};
  vl_scene_default(scene);
  scene->grid.size = vl_vec(1, 1, 1);
  scene->grid.cells = 8;
  scene->liquid.has_level = true;
  scene->liquid.level = 0.1;
  vlBodyDef beam = vl_body_default(), block = vl_body_default();
  strcpy(beam.name, "beam");
  beam.center = vl_vec(0.3, 0.6, 0.5);
  beam.size = vl_vec(0.1, 0.4, 0.1);
  beam.cells[1] = 4;
  beam.young = 1e5;
  beam.scheme = VL_SCHEME_BDF2;
  vlPinDef top = vl_pin_default(VL_SHAPE_BOX);
  top.region.center = vl_vec(0.3, 0.8, 0.5);
  top.region.size = vl_vec(0.2, 0.02, 0.2);
  top.amplitude = vl_vec(0.02, 0, 0);
  top.frequency = 2.0;
  beam.pins = &top;
  beam.pin_count = 1;
  strcpy(block.name, "block");
  block.center = vl_vec(0.7, 0.6, 0.5);
  block.size = vl_vec(0.2, 0.2, 0.2);
  block.cells[0] = block.cells[1] = 2;
  block.rotation = vl_mat_multiply(vl_mat_rotation(2, 0.3), vl_mat_rotation(0, 0.2));
  block.element = VL_ELEMENT_QUADRATIC;
  block.young = 3e4;
  block.density = 500.0;
  block.stretch = vl_vec(1.1, 1.0, 0.95);
  block.velocity = vl_vec(0.1, 0.2, 0.3);
  block.spin = vl_vec(1, 2, 3);
  if (vl_scene_add_body(scene, &beam, &status) || vl_scene_add_body(scene, &block, &status)) fail_msg("%s", status.message);
}

static inline vlSim *two_bodies(const vlScene *scene, int threads)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  if (vl_sim_create(&sim, scene, (vlSimOptions){.threads = threads}, &status)) fail_msg("%s", status.message);
  return sim;
}

static inline vlSim *two_bodies_start(void)
{
  vlScene scene;
  two_bodies_scene(&scene);
  vlSim *sim = two_bodies(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

/* The bodies move, the liquid waits. */
static inline void move_bodies(vlSim *sim, int steps)
{
  const double dt = 0.01;
  vlStatus status = {0};
  vlBodySet *bodies = &vl_sharp(sim)->state.bodies;
  for (int s = 0; s < steps; s++) {
    vl_bodies_drive(bodies, vl_sharp(sim)->state.time, dt);
    for (int i = 0; i < bodies->count; i++)
      if (vl_body_begin(bodies->body[i], dt, sim->scene->gravity, &status) || vl_body_finish(bodies->body[i], NULL, &status))
        fail_msg("%s", status.message);
    vl_sharp(sim)->state.time += dt;
    vl_sharp(sim)->state.step++;
  }
}

#endif
