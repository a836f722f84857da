/* The volume of sealed liquid, kept over the whole step.
 *
 * J v is the flow into a body at the step's beginning. Its nodes then move on straight lines, x + d, and the surface turns
 * and stretches on the way: a shell that spins without any J v has grown by (omega dt)^2 of itself at the end of the step.
 * Liquid with a free surface makes up for it, sealed liquid cannot: the shell would swell step by step. A patch keeps its
 * part of its triangle, with area vector S(t) = (e + t f) x (e' + t f') / 2 where f, f' are the changes of the edges e, e',
 * and sweeps over exactly
 *   integral over 0 <= t <= 1 of (|s| / |S(0)|) S(t) . d(centre) dt.
 * What this is beyond dt J v goes to the right-hand side as a known flow, and the system is solved again from where it was,
 * until outflow + (swept volume)/dt = 0 in every cell. The liquid stays free of divergence, the bodies' velocities take the
 * difference, and the volume inside the mesh is what it was.
 *
 * Faces of six nodes are drawn flat in four parts, but liquid feels them move as the curved faces they are (solid/face.h):
 * the centre's way d is sum of b d_i, and what the curved face sweeps over beyond its four parts is shared by its patches as
 * they share its area. The volume inside the curved surface is kept then; that inside the drawn one differs from it by the
 * bend of faces, of second order in their size, and stays so. Shares of faces (weights.h) sweep over no surface: with them
 * sealed liquid keeps what the faces say. */
#include "pressure/pressure.h"

#include <math.h>

#include "base/vec.h"
#include "solid/face.h"

static const double ENOUGH = 1e-8; /* of a region's volume */
enum { SMALL = 27 };               /* cells: regions that are not worth a solve of their own */

/* How the node moves in the step, m. */
static vlVec3 displacement(const vlBody *body, int node, vlVec3 v)
{
  return vl_sub(vl_axpy(body->base[node], body->span, v), body->x[node]);
}

/* Nodes of a face at the step's beginning and what they move in it, m. */
typedef struct Motion {
  vlVec3 x[VL_PIECE_NODES], d[VL_PIECE_NODES];
} Motion;

static Motion find_motion(const vlFace *face, const vlBody *body, const vlVec3 *v)
{
  Motion m;
  for (int i = 0; i < face->nodes; i++) {
    m.x[i] = body->x[face->node[i]];
    m.d[i] = displacement(body, face->node[i], v[face->node[i]]);
  }
  return m;
}

static vlVec3 weighted(const double *b, const vlVec3 *x, int count)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int i = 0; i < count; i++) sum = vl_axpy(sum, b[i], x[i]);
  return sum;
}

/* A product of two vectors at the step's beginning, e x g, and what its mean over the step, as they change by f and h, is
 * beyond it. */
typedef struct Turning {
  vlVec3 start, more;
} Turning;

static Turning turning(vlVec3 e, vlVec3 g, vlVec3 f, vlVec3 h)
{
  vlVec3 turn = vl_add(vl_cross(f, g), vl_cross(e, h));
  return (Turning){vl_cross(e, g), vl_axpy(vl_scale(turn, 0.5), 1.0 / 3.0, vl_cross(f, h))};
}

/* Twice the area vector of the flat triangle. */
static Turning flat_area(const vlFace *face, const Motion *m)
{
  const int *k = face->own;
  return turning(vl_sub(m->x[k[1]], m->x[k[0]]), vl_sub(m->x[k[2]], m->x[k[0]]), vl_sub(m->d[k[1]], m->d[k[0]]),
                 vl_sub(m->d[k[2]], m->d[k[0]]));
}

/* m3, twice: swept by the curved part of a face that is drawn as the triangle. Of degree 4 in the triangle, for which six
 * points are exact. */
static double swept_curved(const vlFace *face, const Motion *m)
{
  static const double share[2] = {0.223381589678011, 0.109951743655322}, at[2] = {0.445948490915965, 0.091576213509771};
  double sum = 0.0;
  for (int p = 0; p < 6; p++) {
    double lambda[3] = {at[p / 3], at[p / 3], at[p / 3]}, weight[VL_PIECE_NODES], slope[VL_PIECE_NODES][2];
    lambda[p % 3] = 1.0 - 2.0 * at[p / 3];
    vl_face_weights(face, lambda, weight);
    vl_face_slopes(face, lambda, slope);
    vlVec3 along[4] = {{{0}}}; /* slopes of x along both coordinates, then of d */
    for (int i = 0; i < face->nodes; i++)
      for (int a = 0; a < 4; a++) along[a] = vl_axpy(along[a], slope[i][a % 2], a < 2 ? m->x[i] : m->d[i]);
    Turning s = turning(along[0], along[1], along[2], along[3]);
    sum += share[p / 3] * vl_dot(vl_add(s.start, s.more), weighted(weight, m->d, face->nodes));
  }
  return sum;
}

/* m3, twice: the same of the flat triangle with the nodes' weights over it, as its patches have it. */
static double swept_flat(const vlFace *face, const Motion *m)
{
  static const double middle[3] = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0};
  double b[VL_PIECE_NODES] = {0};
  for (int side = 0; side < 3; side++) {
    double lambda[3] = {0.5, 0.5, 0.5}, weight[VL_PIECE_NODES];
    lambda[side] = 0.0;
    vl_face_weights(face, lambda, weight);
    for (int i = 0; i < face->nodes; i++) b[i] += weight[i] / 3.0;
  }
  vl_face_level(face, m->x, middle, b);
  Turning s = flat_area(face, m);
  return vl_dot(vl_add(s.start, s.more), weighted(b, m->d, face->nodes));
}

/* m3: what a curved face sweeps over beyond its flat parts, for each m2 of them. */
static double curved_excess(const vlBody *body, int triangle, const vlVec3 *v)
{
  double excess = 0.0, area = 0.0;
  for (int part = 0; part < 4; part++) {
    vlFace face = vl_face_of(body, triangle / 4 * 4 + part);
    Motion m = find_motion(&face, body, v);
    excess += swept_curved(&face, &m) - swept_flat(&face, &m);
    area += vl_norm(flat_area(&face, &m).start);
  }
  return area > 0.0 ? excess / area : 0.0;
}

/* m3: swept by the patch in the step, less dt s . v */
static double beyond_flow(const vlCoupling *c, const vlPatch *q, const vlBody *body, int first, double dt)
{
  vlFace face = vl_face_of(body, q->triangle);
  Motion m = find_motion(&face, body, c->velocity + first);
  vlVec3 center = weighted(q->b, m.d, q->nodes), flow = vl_vec(0, 0, 0);
  for (int k = 0; k < q->nodes; k++) flow = vl_axpy(flow, q->b[k] * dt, c->velocity[q->node[k]]);
  Turning s = flat_area(&face, &m);
  /* s = share S(0); s points into the body, the triangle out of it */
  double square = vl_dot(s.start, s.start), share = square > 0.0 ? vl_dot(q->s, s.start) / square : 0.0;
  double beyond = vl_dot(vl_axpy(q->s, share, s.more), center) - vl_dot(q->s, flow);
  return body->curved ? beyond - vl_norm(q->s) * curved_excess(body, q->triangle, c->velocity + first) : beyond;
}

/* m3/s: what the row's patches take beyond J v */
static double row_excess(const vlCoupling *c, int row, double dt)
{
  double sum = 0.0;
  for (int q = c->patch_start[row]; q < c->patch_start[row + 1]; q++) {
    const vlPatch *patch = &c->patches->patch[c->patches_of[q].patch];
    int b = vl_bodies_owner(c->bodies, patch->node[0]);
    if (!c->bodies->body[b]->stiff) /* a stiff one turns on circles and keeps its volume */
      sum += beyond_flow(c, patch, c->bodies->body[b], c->bodies->first_node[b], dt);
  }
  return sum / dt;
}

/* A body whose nodes move by reach v answers to a change of b by reach/dt of it. */
static double row_gain(const vlCoupling *c, int row, double dt)
{
  const vlPatch *patch = &c->patches->patch[c->patches_of[c->patch_start[row]].patch];
  return dt / c->bodies->body[vl_bodies_owner(c->bodies, patch->node[0])]->span;
}

/* Largest part of its volume by which a region would change, from what its rows add up to. Regions are known by their first
 * cell. */
static double largest_change(const vlPressure *pressure, const double *off, double dt, double dx)
{
  const vlCoupling *c = &pressure->coupling;
  double *change = pressure->work, most = 0.0;
  int n = (int)vl_stencil_length(&pressure->stencil);
  for (int r = 0; r < c->rows; r++) change[pressure->label[c->cell[r]]] = 0.0;
  for (int r = 0; r < c->rows; r++) change[pressure->label[c->cell[r]]] += dt * off[r];
  for (int r = 0; r < c->rows; r++) {
    int region = pressure->label[c->cell[r]], cells = 0;
    if (change[region] == 0.0) continue;
    for (int i = region; i < n; i++) cells += pressure->label[i] == region;
    if (cells >= SMALL) most = fmax(most, fabs(change[region]) / (cells * dx * dx * dx));
    change[region] = 0.0; /* once is enough */
  }
  return most;
}

bool vl_swept_holds(vlPressure *pressure, double dt, double dx)
{
  vlCoupling *c = &pressure->coupling;
  double *off = pressure->work + vl_stencil_length(&pressure->stencil); /* of each row: excess that b lacks, m3/s */
  if (!pressure->coupled || pressure->sealed_count == 0 || c->patches->of_faces) return true;
  for (int r = 0; r < c->rows; r++)
    off[r] = pressure->region[c->cell[r]] <= VL_REGION_SEALED ? row_excess(c, r, dt) - c->excess[r] : 0.0;
  if (largest_change(pressure, off, dt, dx) <= ENOUGH) return true;
  for (int r = 0; r < c->rows; r++) {
    double more = row_gain(c, r, dt) * off[r];
    c->excess[r] += more;
    pressure->b[c->cell[r]] -= c->scale * more;
  }
  return false;
}
