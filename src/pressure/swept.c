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
 * difference, and the volume inside the mesh is what it was. Shares of faces (weights.h) sweep over no surface: with them
 * sealed liquid keeps what the faces say. */
#include "pressure/pressure.h"

#include <math.h>

#include "base/vec.h"

static const double ENOUGH = 1e-8; /* of a region's volume */
enum { SMALL = 27 };               /* cells: regions that are not worth a solve of their own */

/* How the node moves in the step, m. */
static vlVec3 displacement(const vlBody *body, int node, vlVec3 v)
{
  return vl_sub(vl_axpy(body->base[node], body->span, v), body->x[node]);
}

/* m3: swept by the patch in the step, less dt s . v */
static double beyond_flow(const vlCoupling *c, const vlPatch *q, const vlBody *body, int first, double dt)
{
  vlVec3 x[3], d[3], center = vl_vec(0, 0, 0), flow = center;
  for (int k = 0; k < 3; k++) {
    vlVec3 v = c->velocity[q->node[k]];
    x[k] = body->x[q->node[k] - first];
    d[k] = displacement(body, q->node[k] - first, v);
    center = vl_axpy(center, q->b[k], d[k]);
    flow = vl_axpy(flow, q->b[k] * dt, v);
  }
  vlVec3 e = vl_sub(x[1], x[0]), g = vl_sub(x[2], x[0]), f = vl_sub(d[1], d[0]), h = vl_sub(d[2], d[0]);
  vlVec3 start = vl_cross(e, g), turn = vl_add(vl_cross(f, g), vl_cross(e, h));
  /* s = share S(0); s points into the body, the triangle out of it */
  double square = vl_dot(start, start), share = square > 0.0 ? vl_dot(q->s, start) / square : 0.0;
  vlVec3 mean = vl_axpy(vl_scale(turn, 0.5 * share), share / 3.0, vl_cross(f, h));
  return vl_dot(vl_add(q->s, mean), center) - vl_dot(q->s, flow);
}

/* m3/s: what the row's patches take beyond J v */
static double row_excess(const vlCoupling *c, int row, double dt)
{
  double sum = 0.0;
  int first = c->patch[row], last = vl_patches_of_cell(c->patches, first);
  for (int q = first; q < last; q++) {
    const vlPatch *patch = &c->patches->patch[q];
    int b = vl_bodies_owner(c->bodies, patch->node[0]);
    if (!c->bodies->body[b]->stiff) /* a stiff one turns on circles and keeps its volume */
      sum += beyond_flow(c, patch, c->bodies->body[b], c->bodies->first_node[b], dt);
  }
  return sum / dt;
}

/* A body whose nodes move by reach v answers to a change of b by reach/dt of it. */
static double row_gain(const vlCoupling *c, int row, double dt)
{
  return dt / c->bodies->body[vl_bodies_owner(c->bodies, c->patches->patch[c->patch[row]].node[0])]->span;
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
