/* The vortex of the stream function sin2 sin2 over a rectangle [batty2007, fig. 2], in coordinates X, Y from its corner,
 * with edges a and b and m the shorter of them:
 *
 *     psi = speed (m/pi) sin2(pi X/a) sin2(pi Y/b)        u = d psi/dY,  v = -d psi/dX
 *
 * It is free of divergence, stands still on the rectangle's edges, and nothing moves faster than `speed`. */
#include "liquid/swirl.h"

#include <math.h>

#include "base/mat3.h"

vlVec3 vl_swirl_velocity(const vlLiquidDef *liquid, vlVec3 x)
{
  vlVec3 r = vl_mat_apply(vl_mat_transpose(liquid->swirl_rotation), vl_sub(x, liquid->swirl_center));
  double a = liquid->swirl_size.x, b = liquid->swirl_size.y, m = fmin(a, b);
  if (!(liquid->swirl_speed != 0.0) || fabs(r.x) >= 0.5 * a || fabs(r.y) >= 0.5 * b) return vl_vec(0, 0, 0);
  double X = VL_PI * (r.x / a + 0.5), Y = VL_PI * (r.y / b + 0.5), u = m / b * sin(X) * sin(X) * sin(2.0 * Y),
         v = -m / a * sin(2.0 * X) * sin(Y) * sin(Y);
  return vl_mat_apply(liquid->swirl_rotation, vl_scale(vl_vec(u, v, 0.0), liquid->swirl_speed));
}

void vl_swirl_add(vlParticles *p, const vlGrid *g, const vlLiquidDef *liquid)
{
  const double step = 1e-3; /* cells: for differences */
  if (liquid->swirl_speed == 0.0) return;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < p->count; i++) {
    vlVec3 x = vl_axpy(g->origin, g->dx, vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]));
    vlVec3 v = vl_swirl_velocity(liquid, x);
    for (int a = 0; a < 3; a++)
      if (g->n[a] > 1) p->v[a][i] += (float)v.v[a];
    for (int b = 0; b < 3 && p->affine; b++) {
      vlVec3 before = x, after = x;
      if (g->n[b] == 1) continue;
      before.v[b] -= step * g->dx;
      after.v[b] += step * g->dx;
      vlVec3 change = vl_sub(vl_swirl_velocity(liquid, after), vl_swirl_velocity(liquid, before));
      for (int a = 0; a < 3; a++)
        if (g->n[a] > 1) p->c[a][b][i] += (float)(change.v[a] / (2.0 * step * g->dx));
    }
  }
}
