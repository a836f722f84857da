/* Scenes of the immersed engine, and what is measured in them. Include cmocka first. */
#ifndef VL_TESTS_IMMERSED_SCENE_H
#define VL_TESTS_IMMERSED_SCENE_H

#include <stdio.h>
#include <string.h>

#include "engine/immersed/immersed.h"
#include "moving.h"
#include "scene/scene.h"
#include "solid/reduced.h"

static inline vlSim *immersed(const char *text, int threads)
{
  vlScene scene;
  vlStatus status = {0};
  if (vl_scene_parse(&scene, text, strlen(text), "immersed.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, threads);
  vl_scene_clear(&scene);
  return sim;
}

/* A ball in a pool half a metre deep; the text lives until the next call. */
static inline const char *floating(int cells, double density, double height)
{
  static char text[512];
  snprintf(text, sizeof text,
           "{engine: immersed, grid: {cells: %d}, liquid: {level: 0.5}, bodies: [{name: a, shape: sphere, center: [0.5, %g, "
           "0.5], radius: 0.2, cell: 0.06, young: 2e5, density: %g}]}",
           cells, height, density);
  return text;
}

static inline const vlBody *body_at(const vlSim *sim, int b) { return vl_sharp(sim)->state.bodies.body[b]; }
static inline vlBodyInfo info_of(const vlSim *sim, int b) { return vl_sim_body(sim, b).info; }

/* m3: of its tetrahedra at rest. */
static inline double first_volume(const vlSim *sim, int b) { return ((const vlReduced *)body_at(sim, b))->volume; }

static inline double fastest_particle(const vlSim *sim)
{
  vlParticleView p = vl_sim_particles(sim);
  double most = 0.0;
  for (size_t i = 0; i < p.count; i++)
    most = fmax(most, vl_norm(vl_vec((double)p.v[0][i], (double)p.v[1][i], (double)p.v[2][i])));
  return most;
}

/* Part of a body below the level in a corner of the box. */
static inline double under_water(const vlSim *sim, int b)
{
  const vlBody *body = body_at(sim, b);
  vlGridView g = vl_sim_grid(sim);
  vlProbeDef probe = {.kind = VL_PROBE_HEIGHT, .position = vl_axpy(g.origin, g.dx, vl_vec(2.5, 0, 2.5))};
  double level[3] = {0}, in = 0.0, all = 0.0;
  vl_sim_probe(sim, &probe, level);
  for (int e = 0; e < body->element_count; e++) {
    const int *node = body->node + 4 * e;
    double volume = body->type->element_volume(body, e);
    for (int q = 0; q < 4; q++) { /* points of a rule for tetrahedra */
      double y = 0.0;
      for (int c = 0; c < 4; c++) y += (c == q ? 0.58541 : 0.13820) * body->x[node[c]].y;
      in += y < g.origin.y + level[0] ? 0.25 * volume : 0.0;
    }
    all += volume;
  }
  return in / all;
}

/* Largest norm of F - R over clusters: what of a body's form is strain. */
static inline double strain_of(const vlBody *body)
{
  const vlReduced *b = (const vlReduced *)body;
  double most = 0.0;
  for (int c = 0; c < b->cluster_count; c++) {
    vlMat3 F = {0}, R = vl_mat_identity();
    for (int64_t e = b->block_start[c]; e < b->block_start[c + 1]; e++)
      for (int d = 0; d < 3; d++)
        for (int j = 0; j < 4; j++)
          for (int i = 0; i < 3; i++) F.m[i][d] += b->block[e][4 * d + j] * b->q[4 * b->block_handle[e] + j][i];
    vl_mat_polar(F, &R);
    for (int i = 0; i < 9; i++) F.m[i / 3][i % 3] -= R.m[i / 3][i % 3];
    most = fmax(most, vl_mat_norm(F));
  }
  return most;
}

static inline void assert_same_bodies(const vlSim *one, const vlSim *other)
{
  for (int b = 0; b < vl_sim_body_count(one); b++) {
    const vlBody *p = body_at(one, b), *q = body_at(other, b);
    assert_memory_equal(p->x, q->x, (size_t)p->node_count * sizeof *p->x);
    assert_memory_equal(p->v, q->v, (size_t)p->node_count * sizeof *p->v);
  }
}

static inline double six(const vlVec3 p[4])
{
  return vl_dot(vl_sub(p[1], p[0]), vl_cross(vl_sub(p[2], p[0]), vl_sub(p[3], p[0])));
}

static inline bool in_element(const vlBody *body, int e, vlVec3 x)
{
  vlVec3 p[4], lo = vl_vec(INFINITY, INFINITY, INFINITY), hi = vl_scale(lo, -1.0);
  for (int c = 0; c < 4; c++) {
    p[c] = body->x[body->node[4 * e + c]];
    for (int a = 0; a < 3; a++) {
      lo.v[a] = fmin(lo.v[a], p[c].v[a]);
      hi.v[a] = fmax(hi.v[a], p[c].v[a]);
    }
  }
  for (int a = 0; a < 3; a++)
    if (x.v[a] < lo.v[a] || x.v[a] > hi.v[a]) return false;
  double volume = six(p);
  for (int c = 0; c < 4; c++) {
    vlVec3 corner = p[c];
    p[c] = x;
    if (six(p) / volume < 0.0) return false;
    p[c] = corner;
  }
  return true;
}

#endif
