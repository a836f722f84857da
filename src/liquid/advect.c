/* Ways of particles: out of solids along the distance's gradient and into the domain. Bodies move in the same time: the way
 * is followed as seen from the body, so that one that sweeps over a particle takes it along on the side where it was. A
 * particle that cannot be brought out (it met a spot thinner than the grid sees) stays with the body, or where it was. */
#include "liquid/advect.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "grid/sample.h"

static const double CLEARANCE = 0.02; /* cells a particle keeps from solids */
static const double PIECE = 0.5;      /* cells of a way that are looked at together */
static const double NO_SOLID = 1e9;

static bool valid(const vlGrid *g, vlObstacles o, const unsigned char *near, const double x[3])
{
  int i = (int)x[0], j = (int)x[1], k = (int)x[2];
  if (!near || x[0] < 0 || x[1] < 0 || x[2] < 0 || i >= g->n[0] || j >= g->n[1] || k >= g->n[2]) return false;
  return near[vl_blocks_place(o.shape, i / VL_BLOCK, j, k)] == 2;
}

/* Distance to static solids, cells, and its gradient. */
static double static_distance(const vlGrid *g, vlObstacles o, const double x[3], double gradient[3])
{
  const vlFineObstacles *f = o.fine;
  vlStencil8 s = vl_sample_at(g, VL_NODES, x);
  double coarse = vl_sample_value(&s, o.distance);
  vl_sample_slope(&s, o.distance, gradient);
  if (!f) return coarse;
  const double q[3] = {x[0] * f->refine, x[1] * f->refine, x[2] * f->refine};
  int known = f->near[vl_blocks_place(f->shape, (int)q[0] / VL_BLOCK, (int)q[1], (int)q[2])];
  if (known == 0) return coarse;
  if (known == 1) return fmax(coarse, VL_FINE_OBSTACLES_CLOSE / f->refine);
  s = vl_sample_at(f->grid, VL_NODES, q);
  vl_sample_slope(&s, f->distance, gradient);
  return vl_sample_value(&s, f->distance) / f->refine;
}

double vl_obstacle_distance(const vlGrid *g, vlObstacles o, const double x[3], double gradient[3], double velocity[3])
{
  bool solid = valid(g, o, o.distance ? o.near : NULL, x), body = valid(g, o, o.body_distance ? o.body_near : NULL, x);
  for (int a = 0; a < 3 && velocity; a++) velocity[a] = 0.0;
  if (!solid && !body) return NO_SOLID;
  vlStencil8 s = vl_sample_at(g, VL_NODES, x);
  double to_solid = solid ? static_distance(g, o, x, gradient) : NO_SOLID;
  double to_body = body ? vl_sample_value(&s, o.body_distance) : NO_SOLID;
  body = to_body < to_solid;
  if (body) vl_sample_slope(&s, o.body_distance, gradient);
  for (int a = 0; a < 3 && velocity && body; a++) velocity[a] = vl_sample_value(&s, o.body_velocity[a]);
  return body ? to_body : to_solid;
}

static void clamp_to_domain(const vlGrid *g, double x[3])
{
  for (int a = 0; a < 3; a++) {
    double lo = VL_SIDE_MARGIN, hi = g->n[a] - VL_SIDE_MARGIN;
    if (g->n[a] == 1) lo = hi = 0.5;
    x[a] = x[a] < lo ? lo : x[a] > hi ? hi : x[a];
  }
}

/* Of bodies alone; where none is near, a large value and nothing in the gradient and the velocity. */
static double body_distance(const vlGrid *g, vlObstacles o, const double x[3], double gradient[3], double velocity[3])
{
  o.distance = NULL;
  for (int a = 0; a < 3; a++) gradient[a] = 0.0;
  return vl_obstacle_distance(g, o, x, gradient, velocity);
}

/* Newton steps along the gradient until the clearance is kept, a little longer each time lest they go to and fro in a
 * corner; false when it does not succeed. `side`: the way out of the body on the side where the particle was; a gradient
 * against it would lead out at the back of a thin body. */
static bool push_out(const vlGrid *g, vlObstacles o, const double side[3], double x[3], bool *by_body)
{
  double n[3], back[3];
  *by_body = false;
  for (int attempt = 0; attempt < 12; attempt++) {
    double d = vl_obstacle_distance(g, o, x, n, NULL);
    if (d >= CLEARANCE) return true;
    *by_body = o.body_distance && body_distance(g, o, x, back, NULL) == d;
    if (*by_body && n[0] * side[0] + n[1] * side[1] + n[2] * side[2] < 0.0)
      for (int a = 0; a < 3; a++) n[a] = side[a];
    double norm = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (norm < 1e-6) break;
    /* a shallow gradient must not throw the particle far */
    double length = (CLEARANCE * (1 + attempt) + 1e-3 - d) / (norm > 0.25 ? norm : 0.25);
    for (int a = 0; a < 3; a++) x[a] += length * n[a];
    clamp_to_domain(g, x);
  }
  return vl_obstacle_distance(g, o, x, n, NULL) >= 0.0;
}

/* A way longer than PIECE could end beyond a wall: it is cut short at the first of its pieces that ends in a solid, from
 * where the push leads back to the side it came from. */
static void stop_inside(const vlGrid *g, vlObstacles o, const double x[3], double to[3])
{
  double way = fmax(fabs(to[0] - x[0]), fmax(fabs(to[1] - x[1]), fabs(to[2] - x[2]))), n[3];
  int pieces = (int)ceil(way / PIECE);
  for (int q = 1; q < pieces; q++) {
    double at[3];
    for (int a = 0; a < 3; a++) at[a] = x[a] + (to[a] - x[a]) * q / pieces;
    if (vl_obstacle_distance(g, o, at, n, NULL) >= 0.0) continue;
    for (int a = 0; a < 3; a++) to[a] = at[a];
    return;
  }
}

/* A particle that was pushed loses the part of its velocity that ran against the push, seen from the wall. */
static void stop_at_wall(const double meant[3], const double at[3], const double wall[3], double v[3])
{
  double push[3], square = 0.0, along = 0.0;
  for (int a = 0; a < 3; a++) {
    push[a] = at[a] - meant[a];
    square += push[a] * push[a];
    along += push[a] * (v[a] - wall[a]);
  }
  if (square <= 0.0 || along >= 0.0) return;
  for (int a = 0; a < 3; a++) v[a] -= along / square * push[a];
}

static void move(const double x[3], const double v[3], double h, double to[3])
{
  for (int a = 0; a < 3; a++) to[a] = x[a] + h * v[a];
}

/* Follows the way from x to `to` against static solids, and against bodies as seen from them: there the particle starts
 * from where the body's motion alone would take it. *wall is the body's velocity, `side` the way out of it at the start. */
static void follow(const vlGrid *g, vlObstacles o, double h, const double x[3], double to[3], double wall[3], double side[3])
{
  vlObstacles solids = o, bodies = o;
  double n[3], from[3];
  solids.body_distance = bodies.distance = NULL;
  for (int a = 0; a < 3; a++) wall[a] = side[a] = 0.0;
  if (o.distance) stop_inside(g, solids, x, to);
  if (!o.body_distance) return;
  body_distance(g, o, x, n, wall);
  move(x, wall, h, from);
  clamp_to_domain(g, from);
  if (body_distance(g, o, from, n, NULL) > 0.0)
    for (int a = 0; a < 3; a++) side[a] = n[a];
  stop_inside(g, bodies, from, to);
}

/* Where a particle that cannot be brought out stays: with the body it is at, a little inside it rather than left behind for
 * it to sweep over, or, where that leads into a solid, where it was. */
static void stay(const vlGrid *g, vlObstacles o, double h, const double x[3], const double wall[3], double to[3])
{
  double n[3];
  move(x, wall, h, to);
  clamp_to_domain(g, to);
  o.body_distance = NULL;
  if (vl_obstacle_distance(g, o, to, n, NULL) >= 0.0) return;
  for (int a = 0; a < 3; a++) to[a] = x[a];
}

bool vl_advect_keep_out(const vlGrid *g, const vlObstacles *obstacles, double h, const double x[3], double to[3],
                        double v[3])
{
  const double meant[3] = {to[0], to[1], to[2]};
  clamp_to_domain(g, to);
  const double clamped[3] = {to[0], to[1], to[2]};
  if (!vl_meets_nothing(obstacles, x, to)) {
    static const double STILL[3] = {0.0, 0.0, 0.0};
    double wall[3], side[3];
    bool by_body;
    follow(g, *obstacles, h, x, to, wall, side);
    const double inside[3] = {to[0], to[1], to[2]};
    if (!push_out(g, *obstacles, side, to, &by_body)) {
      stay(g, *obstacles, h, x, wall, to);
      for (int a = 0; a < 3; a++) v[a] = wall[a];
      return false;
    }
    stop_at_wall(inside, to, by_body ? wall : STILL, v);
  }
  for (int a = 0; a < 3; a++) /* at a side of the domain it stops along that axis only */
    if ((clamped[a] - meant[a]) * v[a] < 0.0) v[a] = 0.0;
  return true;
}

void vl_advect_faces(const vlGrid *g, const vlBlocks *wet, double *const u[3], double dt, double *const u_old[3])
{
  double h = -dt / g->dx;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int a = 0; a < 3; a++) {
      for (int l = 0; l < vl_blocks_width(wet, p); l++) {
        const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
        double x[3], from[3], k[3];
        for (int c = 0; c < 3; c++) x[c] = cell[c] + (c == a ? 0.0 : 0.5);
        u_old[a][at + l] = 0.0;
        if (cell[a] == 0) continue;
        vl_sample_velocity(g, u, x, k);
        for (int c = 0; c < 3; c++) from[c] = x[c] + 0.5 * h * k[c];
        vl_sample_velocity(g, u, from, k);
        for (int c = 0; c < 3; c++) from[c] = x[c] + h * k[c];
        vlStencil8 s = vl_sample_at(g, a, from);
        u_old[a][at + l] = vl_sample_value(&s, u[a]);
      }
    }
  }
}

/* A block is calm when neither it nor any block within VL_CALM_WAY cells of it, along all axes, has distances to solids or
 * bodies: then a way of that length from it reads none. First in its own plane, then over the planes above and below.
 * Places outside the set have no distances, as for whoever looks them up; only a plane in which the block has no neighbour
 * in the set is not trusted. */

static bool calm_in_plane(const vlObstacles *o, vlBlockPosition p)
{
  const vlBlocks *s = o->shape;
  for (int j = p.j - VL_CALM_WAY; j <= p.j + VL_CALM_WAY; j++)
    for (int bx = p.bx - 1; bx <= p.bx + 1 && j >= 0 && j < s->n[1]; bx++)
      if (vl_obstacles_near(o, vl_blocks_place(s, bx, j, p.k)))
        return false; /* places beside the grid are there and empty */
  return true;
}

static bool calm_across_planes(const vlBlocks *s, const unsigned char *row, vlBlockPosition p)
{
  for (int k = p.k - VL_CALM_WAY; k <= p.k + VL_CALM_WAY; k++) {
    if (k < 0 || k >= s->n[2]) continue;
    int b = vl_blocks_find(s, p.bx, p.j, k);
    if (b < 0 || !row[b]) return false;
  }
  return true;
}

vlCode vl_calm_update(vlCalm *calm, const vlObstacles *o, vlStatus *status)
{
  if (!o->distance && !o->body_distance) return VL_OK;
  const vlBlocks *s = o->shape;
  bool room = vl_array_reserve(&calm->block, &calm->capacity, (size_t)s->count + 1, 1);
  room = vl_array_reserve(&calm->row, &calm->row_capacity, (size_t)s->count + 1, 1) && room;
  if (!room) return vl_fail_memory(status, 2 * (size_t)s->count, "blocks without solids");
#pragma omp parallel for schedule(static)
  for (int b = 0; b < s->count; b++) calm->row[b] = calm_in_plane(o, s->at[b]);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < s->count; b++) calm->block[b] = calm_across_planes(s, calm->row, s->at[b]);
  return VL_OK;
}

void vl_calm_clear(vlCalm *calm)
{
  free(calm->block);
  free(calm->row);
  *calm = (vlCalm){0};
}
