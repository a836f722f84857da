/* Mass from slices [batty2007, sec. 3].
 *
 * A face of the grid of which a body closes A^S stands for the slice A^S dx of it. Pressure that rises evenly, p = g.x at
 * the middles of cells, pushes a body by Jp: along each axis by g_a times the slices along that axis, and about its centre X
 * as if that acted at the slices' centroid. This follows from the closure of cells, row by row, to round-off:
 *
 *     sum_i (g.x_i) s_i = -sum_a g_a V_a e_a,     V_a = dx sum over faces along a of A^S = -sum_i x_ia s_ia
 *
 * So a body whose weight is, with its own density rho_s,
 *
 *     force = -rho_s sum_i (g.x_i) s_i,       torque = -rho_s sum_i (g.x_i) sum_q (c_q - X) x s_q
 *
 * is in balance with the liquid at rest around it to round-off if it is as dense, whatever its shape, its place among the
 * cells and the direction of gravity. Its mass is rho_s V with V = sum g_a^2 V_a / |g|^2, the slices along gravity; its
 * inertia the exact one in the same proportion. Departing from taking the centre of mass from slices too: X stays the centre
 * that the body turns about, and the slices' centroid counts where it matters, in the weight's torque. Both differ from the
 * exact ones by O(dx^2).
 *
 * V changes a little as the body passes from cell to cell. Velocities stay then and momenta follow: a body that moves along
 * with the liquid must go on doing so. Where the slices say nothing, of a body partly outside or smaller than two cells, the
 * exact mass and weight are taken.
 * patches, bodies -> mass, inertia, weight of the coming step. */
#include "engine/slice_mass.h"

#include <math.h>

#include "base/vec.h"
#include "solid/rigid.h"

static const double FAR_OFF = 0.5; /* part of the volume by which slices may be wrong */

vlSlices vl_slices_of(const vlPatches *patches, const vlGrid *g, const vlElastic *body, int first_node, vlVec3 slope)
{
  vlSlices s = {.whole = true};
  vlVec3 X = body->rigid->pose.center;
  for (int q = 0; q < patches->count; q++) {
    const vlPatch *p = &patches->patch[q];
    if (p->node[0] < first_node || p->node[0] >= first_node + body->node_count) continue;
    bool outside[3];
    for (int a = 0; a < 3; a++) outside[a] = p->cell[a] < 0 || p->cell[a] >= g->n[a];
    if (outside[0] || outside[1] || (outside[2] && g->n[2] > 1)) s.whole = false;
    if (outside[2]) continue; /* a slab's lids, which push along z only */
    vlVec3 x = vl_sub(vl_grid_center(g, p->cell[0], p->cell[1], p->cell[2]), X), c = vl_scale(X, -1.0);
    for (int k = 0; k < 3; k++) c = vl_axpy(c, p->b[k], body->x[p->node[k] - first_node]);
    double rise = vl_dot(slope, x);
    for (int a = 0; a < 3; a++) s.volume.v[a] -= x.v[a] * p->s.v[a];
    s.push = vl_axpy(s.push, rise, p->s);
    s.turn = vl_axpy(s.turn, rise, vl_cross(c, p->s));
  }
  return s;
}

/* m3: slices along gravity; without gravity, the mean. A slab has none along z. */
static double slice_volume(const vlSlices *s, const vlGrid *g, vlVec3 gravity)
{
  int axes = g->n[2] > 1 ? 3 : 2;
  double sum = 0.0, weight = 0.0;
  for (int a = 0; a < axes; a++) {
    double share = vl_norm(gravity) > 0.0 ? gravity.v[a] * gravity.v[a] : 1.0;
    sum += share * s->volume.v[a];
    weight += share;
  }
  return sum / weight;
}

void vl_slice_mass_update(vlElastic *body, const vlPatches *patches, const vlGrid *g, int first_node, vlVec3 gravity)
{
  vlRigid *r = body->rigid;
  if (!r || !r->sliced) return;
  double rho = body->material.density, exact = r->whole.mass / rho;
  vlSlices s = vl_slices_of(patches, g, body, first_node, gravity);
  double volume = slice_volume(&s, g, gravity);
  bool tells = s.whole && fabs(volume - exact) <= FAR_OFF * exact;
  vl_rigid_set_mass(r, rho * (tells ? volume : exact));
  r->weight = tells ? vl_scale(s.push, -rho) : vl_scale(gravity, r->mass);
  r->weight_torque = tells ? vl_scale(s.turn, -rho) : vl_vec(0, 0, 0);
}
