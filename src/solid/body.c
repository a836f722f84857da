/* What all bodies have in common: their table, memory, the one formula of their velocities, and measures as a whole. */
#include "solid/body.h"

#include <math.h>
#include <stdlib.h>

#include "base/excerpt.h"
#include "base/status.h"
#include "base/vec.h"
#include "solid/elastic.h"
#include "solid/reduced.h"
#include "solid/rigid_body.h"

static const vlBodyType *const types[VL_BODY_KIND_COUNT] = {
    [VL_BODY_ELASTIC] = &vl_elastic_type,
    [VL_BODY_RIGID] = &vl_rigid_type,
    [VL_BODY_SCRIPTED] = &vl_scripted_type,
    [VL_BODY_REDUCED] = &vl_reduced_type,
};

const vlBodyType *vl_body_type(vlBodyKind kind) { return types[kind]; }

vlCode vl_body_reserve(vlBody *b, vlStatus *status)
{
  size_t nodes = (size_t)b->node_count;
  vlVec3 **per_node[] = {&b->x, &b->v, &b->load, &b->layer, &b->reaction, &b->first, &b->force, &b->base, &b->w, &b->given};
  bool good = true;
  for (size_t i = 0; i < sizeof per_node / sizeof *per_node; i++)
    good = (*per_node[i] = calloc(nodes, sizeof **per_node[i])) && good;
  good = (b->held = calloc(3 * nodes, sizeof *b->held)) && good;
  if (!good) return vl_fail_memory(status, nodes * 10 * sizeof(vlVec3), "the state of a body");
  for (size_t i = 0; i < nodes; i++) b->x[i] = b->first[i] = b->rest[i];
  return VL_OK;
}

void vl_body_destroy(vlBody **body)
{
  if (!body || !*body) return;
  vlBody *b = *body;
  if (b->type->destroy) b->type->destroy(b);
  void *arrays[] = {b->rest,  b->node,  b->triangle, b->x,    b->v, b->load,  b->layer,       b->reaction,
                    b->first, b->force, b->held,     b->base, b->w, b->given, b->control.pin, b->control.grab};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(b);
  *body = NULL;
}

void vl_body_make(vlBody *b, vlBodyMaterial material)
{
  b->material = material;
  b->density = material.density;
  b->type->make(b, material);
}

void vl_body_velocity(vlBody *b, const vlVec3 *load, vlVec3 *v)
{
  for (int i = 0; i < b->node_count; i++) v[i] = vl_sub(load ? load[i] : vl_vec(0, 0, 0), b->w[i]);
  vl_body_solve(b, v, v);
  for (int i = 0; i < b->node_count; i++) v[i] = vl_add(v[i], b->given[i]);
}

vlBodyInfo vl_body_info(const vlBody *b, vlVec3 gravity, vlVec3 zero)
{
  vlBodyMeasure m = vl_body_measure(b, gravity);
  vlBodyInfo info = {.mass = m.mass,
                     .volume = m.volume,
                     .center = m.center,
                     .rotation = m.rotation,
                     .momentum = m.momentum,
                     .angular_momentum = m.spin,
                     .contact_force = b->contact_force,
                     .reaction = m.reaction,
                     .kinetic_energy = m.kinetic,
                     .elastic_energy = m.elastic,
                     .potential_energy = m.potential + m.mass * vl_dot(gravity, zero),
                     .inverted = vl_body_inverted(b),
                     .velocity = vl_scale(m.momentum, 1.0 / m.mass),
                     .angular_velocity = m.omega};
  for (int i = 0; i < b->node_count; i++) {
    info.power += vl_dot(b->reaction[i], b->v[i]);
    vlVec3 load = vl_add(b->load[i], b->layer[i]);
    info.load_force = vl_add(info.load_force, load);
    info.load_torque = vl_add(info.load_torque, vl_cross(vl_sub(b->x[i], m.center), load));
  }
  return info;
}

static vlBox3 bounds_of(const vlVec3 *x, int count)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < count; i++) box = vl_box_add(box, x[i]);
  return box;
}

double vl_pieces_cling(vlLayerPiece *piece, int count, double mass)
{
  double film = 0.0;
  for (int q = 0; q < count; q++) film += piece[q].film;
  double lacks = fmax(film - mass, 0.0);
  for (int q = 0; q < count && lacks > 0.0; q++) piece[q].clings = piece[q].film * (lacks / film);
  return lacks;
}

vlBox3 vl_body_bounds(const vlBody *b) { return bounds_of(b->x, b->node_count); }

double vl_body_size(const vlBody *b)
{
  vlBox3 box = bounds_of(b->rest, b->node_count);
  return vl_norm(vl_sub(box.hi, box.lo));
}

double vl_body_enclosed(const vlBody *b)
{
  double volume = 0.0;
  for (int t = 0; t < b->triangle_count; t++) { /* about the first node: small numbers */
    const int *c = b->triangle[t];
    vlVec3 o = b->x[0], p = vl_sub(b->x[c[0]], o), q = vl_sub(b->x[c[1]], o), r = vl_sub(b->x[c[2]], o);
    volume += vl_dot(p, vl_cross(q, r)) / 6.0;
  }
  return volume;
}

vlVec3 vl_body_push(const vlBody *b, double t, double dt)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  bool leaps = b->kick > 0.0;
  double acts = leaps ? b->kick : dt, end = leaps ? t + 0.5 * dt : t + dt, begin = leaps ? end - acts : t;
  for (int i = 0; i < b->def->push_count; i++) {
    const vlPushDef *push = &b->def->pushes[i];
    double lasts = fmin(end, push->end) - fmax(begin, push->start);
    if (lasts > 0.0) sum = vl_axpy(sum, fmin(lasts / acts, 1.0), push->force);
  }
  sum = vl_scale(sum, b->scene->grid.slab ? b->scene->grid.size.z : 1.0); /* of a metre across */
  return b->control.pushed ? vl_add(sum, b->control.force) : sum;
}

int vl_body_state(vlBody *b, vlBodyArray list[VL_BODY_ARRAYS])
{
  size_t nodes = (size_t)b->node_count;
  const vlBodyArray arrays[] = {{"x", b->x, sizeof *b->x, nodes, VL_BODY_KEPT, VL_NUMBERS_PLACE},
                                {"v", b->v, sizeof *b->v, nodes, VL_BODY_KEPT, VL_NUMBERS_SPEED},
                                {"load", b->load, sizeof *b->load, nodes, VL_BODY_KEPT, VL_NUMBERS_OTHER},
                                {"layer", b->layer, sizeof *b->layer, nodes, VL_BODY_KEPT, VL_NUMBERS_OTHER},
                                {"reaction", b->reaction, sizeof *b->reaction, nodes, VL_BODY_KEPT, VL_NUMBERS_OTHER},
                                {"inverted", &b->inverted, sizeof b->inverted, 1, VL_BODY_TRIED, VL_NUMBERS_COUNT},
                                {"contact", &b->contact_force, sizeof b->contact_force, 1, VL_BODY_KEPT, VL_NUMBERS_OTHER}};
  int count = sizeof arrays / sizeof *arrays;
  for (int i = 0; i < count; i++) list[i] = arrays[i];
  return count;
}

double vl_von_mises(const double s[6])
{
  double xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
  return sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

vlVec3 vl_rotation_vector(vlMat3 R)
{
  double(*m)[3] = R.m;
  vlVec3 sine = vl_scale(vl_vec(m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]), 0.5);
  double s = vl_norm(sine), c = 0.5 * (m[0][0] + m[1][1] + m[2][2] - 1.0), angle = atan2(s, c);
  if (c > 0.0) return vl_scale(sine, s > 0.0 ? angle / s : 1.0);
  /* where sines are small the axis comes from sym R = c I + (1 - c) n n^T: the column with the largest entry of n */
  int k = m[0][0] >= m[1][1] ? (m[0][0] >= m[2][2] ? 0 : 2) : (m[1][1] >= m[2][2] ? 1 : 2);
  vlVec3 n;
  for (int i = 0; i < 3; i++) n.v[i] = 0.5 * (m[i][k] + m[k][i]) - (i == k ? c : 0.0);
  return vl_scale(vl_unit(n), vl_dot(n, sine) < 0.0 ? -angle : angle);
}

vlCode vl_body_locate(vlCode code, const vlScene *scene, const vlBodyDef *def, vlSource where, vlStatus *status)
{
  if (!code) return code;
  vl_status_prefix(status, "body '%.63s': ", def->name);
  vl_status_locate(status, scene->path, scene->text, where);
  return code;
}
