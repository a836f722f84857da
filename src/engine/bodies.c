#include "engine/bodies.h"
#include "base/mat3.h"
#include "mesh/sdf.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
vlCode vl_bodies_create(vlBodies *B, const vlScene *scene, vlStatus *status)
{
  B->count = scene->body_count;
  B->body = calloc(B->count + 1, sizeof *B->body);
  B->contact = calloc(B->count + 1, sizeof *B->contact);
  for (int b = 0; b < B->count; b++) {
    const vlBodyDef *d = &scene->bodies[b];
    vlTetMesh m = {0};
    vlVec3 h = vl_scale(d->size, 0.5);
    vl_tetmesh_box(&m, (vlBox3){vl_scale(h, -1), h}, d->cells, status);
    vl_tetmesh_transform(&m, d->rotation, d->center);
    vlElasticMaterial mat = {d->density, d->young, d->poisson, d->mass_damping, d->stiffness_damping};
    vlElasticOptions o = {(vlElasticElement)d->element, (vlElasticScheme)d->scheme};
    vlCode c = vl_elastic_create(&B->body[b], &m, mat, o, d->name, status);
    if (c) return c;
    B->contact[b] = calloc(3 * B->body[b]->node_count, 1);
    for (int i = 0; i < B->body[b]->node_count; i++) B->body[b]->v[i] = d->velocity;
    for (int p = 0; p < d->pin_count; p++) {
      vlSdf *s;
      vl_sdf_create(&s, &d->pins[p].region, status);
      for (int i = 0; i < B->body[b]->node_count; i++)
        for (int a = 0; a < 3; a++)
          if (vl_sdf_distance(s, B->body[b]->x[i]) < 1e-9 && d->pins[p].axes >> a & 1)
            vl_elastic_hold(B->body[b], i, a, 0.0);
      vl_sdf_destroy(&s);
    }
    vl_tetmesh_clear(&m);
  }
  return VL_OK;
}
void vl_bodies_clear(vlBodies *B)
{
  for (int b = 0; b < B->count; b++) {
    vl_elastic_destroy(&B->body[b]);
    free(B->contact[b]);
  }
  free(B->body);
  free(B->contact);
  *B = (vlBodies){0};
}
void vl_bodies_pin(vlBodies *bodies, const vlScene *scene, double time, double dt)
{
  (void)bodies;
  (void)scene;
  (void)time;
  (void)dt;
}
double vl_bodies_fastest(const vlBodies *B)
{
  double v = 0;
  for (int b = 0; b < B->count; b++)
    for (int i = 0; i < B->body[b]->node_count; i++) v = fmax(v, vl_norm(B->body[b]->v[i]));
  return v;
}
