/* Bodies that touch, without or with little liquid, and how deep they lie in each other as sampled by the test itself.
 * Include cmocka first. */
#ifndef VL_TESTS_CONTACT_SCENE_H
#define VL_TESTS_CONTACT_SCENE_H

#include "wet_body.h"

/* A box of one metre without liquid; gravity as by default. */
static inline vlScene dry(vlBodyDef *bodies, int count)
{
  vlScene scene = coupled_scene(16, bodies);
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  scene.body_count = count;
  scene.time.dt_fixed = 0.0;
  scene.time.dt_max = 0.005;
  return scene;
}

/* A box along the axes, of nx ny nz cuboids. */
static inline vlBodyDef bar(const char *name, vlVec3 center, vlVec3 size, int nx, int ny, int nz)
{
  vlBodyDef body = turned_box(center, size, 1);
  body.rotation = vl_mat_identity();
  body.stiffness_damping = 2e-3;
  body.cells[0] = nx, body.cells[1] = ny, body.cells[2] = nz;
  strcpy(body.name, name);
  return body;
}

static inline vlBodyDef block(const char *name, vlVec3 center, double size)
{
  return bar(name, center, vl_vec(size, size, size), 2, 2, 2);
}

enum { SPLIT = 4 }; /* points along the side of a triangle */

/* m: distance to all other bodies and static solids, at x of body b. */
static inline double distance_to_others(const vlSim *sim, int b, vlVec3 x)
{
  double d = vl_statics_surface(vl_sharp(sim)->statics)->triangle_count > 0 ? vl_statics_distance(vl_sharp(sim)->statics, x)
                                                                            : INFINITY;
  for (int other = 0; other < vl_sharp(sim)->state.bodies.count; other++)
    if (other != b) d = fmin(d, vl_bvh_signed_distance(vl_sharp(sim)->work.body_distance.tree[other], x));
  for (int a = 0; a < 3; a++) {
    if (vl_sharp(sim)->grid.n[a] == 1) continue;
    vlBox3 box = vl_grid_box(&vl_sharp(sim)->grid);
    d = fmin(d, fmin(x.v[a] - box.lo.v[a], box.hi.v[a] - x.v[a]));
  }
  return d;
}

/* Cells: how deep points of the bodies' triangles lie in other bodies, solids or beyond the box. */
static inline double sampled_overlap(const vlSim *sim)
{
  double deepest = 0.0;
  for (int b = 0; b < vl_sharp(sim)->state.bodies.count; b++) {
    const vlTriMesh *s = &vl_sharp(sim)->work.body_distance.surface[b];
    for (int t = 0; t < s->triangle_count; t++)
      for (int i = 0; i <= SPLIT; i++)
        for (int j = 0; i + j <= SPLIT; j++) {
          double w1 = (double)i / SPLIT, w2 = (double)j / SPLIT;
          vlVec3 x = vl_scale(s->x[s->tri[t][0]], 1.0 - w1 - w2);
          x = vl_axpy(vl_axpy(x, w1, s->x[s->tri[t][1]]), w2, s->x[s->tri[t][2]]);
          deepest = fmax(deepest, -distance_to_others(sim, b, x));
        }
  }
  return deepest / vl_sharp(sim)->grid.dx;
}

#endif
