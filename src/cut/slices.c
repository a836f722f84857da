/* Slices of bodies [batty2007, sec. 3].
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
 * cells and the direction of gravity. Departing from taking the centre of mass from slices too: X stays the centre that the
 * body turns about, and the slices' centroid counts where it matters, in the weight's torque. Both differ from the exact
 * ones by O(dx^2).
 *
 * Where the liquid between patches and middles of cells pushes too (pressure/layer.h), pressure is felt at c_q instead of
 * x_i: V_a is then the volume itself, and only the torque differs from that of the exact mass. patches, bodies -> what the grid sees of them; what a body makes of it is its own business
 * (solid/rigid_body.c). */
#include "cut/patches.h"

#include "base/vec.h"

vlSlices vl_slices_of(const vlPatches *patches, const vlBodySet *bodies, int b, vlVec3 X, vlVec3 slope, bool layer)
{
  const vlGrid *g = bodies->grid;
  const vlBody *body = bodies->body[b];
  int first_node = bodies->first_node[b];
  vlSlices s = {.whole = true, .axes = g->n[2] > 1 ? 3 : 2};
  for (int q = 0; q < patches->count; q++) {
    const vlPatch *p = &patches->patch[q];
    if (p->node[0] < first_node || p->node[0] >= first_node + body->node_count) continue;
    bool outside[3];
    for (int a = 0; a < 3; a++) outside[a] = p->cell[a] < 0 || p->cell[a] >= g->n[a];
    if (outside[0] || outside[1] || (outside[2] && g->n[2] > 1)) s.whole = false;
    if (outside[2]) continue; /* a slab's lids, which push along z only */
    vlVec3 x = vl_sub(vl_grid_center(g, p->cell[0], p->cell[1], p->cell[2]), X), c = vl_scale(X, -1.0);
    for (int k = 0; k < p->nodes; k++) c = vl_axpy(c, p->b[k], body->x[p->node[k] - first_node]);
    vlVec3 felt = layer ? c : x;
    double rise = vl_dot(slope, felt);
    for (int a = 0; a < 3; a++) s.volume.v[a] -= felt.v[a] * p->s.v[a];
    s.push = vl_axpy(s.push, rise, p->s);
    s.turn = vl_axpy(s.turn, rise, vl_cross(c, p->s));
  }
  return s;
}

void vl_slices_weigh(vlBodySet *bodies, const vlPatches *patches, vlVec3 gravity, bool layer)
{
  for (int b = 0; b < bodies->count; b++) {
    vlBody *body = bodies->body[b];
    if (!body->sliced) continue;
    vlSlices s = vl_slices_of(patches, bodies, b, vl_body_measure(body, gravity).center, gravity, layer);
    body->type->weigh(body, &s, gravity);
  }
}
