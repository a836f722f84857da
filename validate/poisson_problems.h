/* Poisson problems on [-1, 1]^2 with irregular boundaries, and how far our solution is from the exact one.
 *
 * Dirichlet (ghost fluid) after [gibou2002]: circle R 0.7 and star r = 0.6 + 0.12 sin 5t about (0.0123, -0.0217), solution
 * q = sin(2x+1) cos(3y-0.5) + x^2 y. Neumann (face areas) after [ng2009]: the circle as a container, u* = curl psi + grad q
 * projected onto u = curl psi, psi = 2 (X^2 + Y^2 - 0.49)(1 + 0.5 X). Errors are taken over cell and face centres inside the
 * shape: beyond its boundary there is no exact solution to compare with. Reference errors: our own independent 2-D
 * computation. Used by validate_poisson.c and tests/test_poisson.c. */
#ifndef VL_VALIDATE_POISSON_PROBLEMS_H
#define VL_VALIDATE_POISSON_PROBLEMS_H

#include "base/vec.h"
#include "engine/sharp/sharp.h"

enum { POISSON_SIZES = 5 };

static const int poisson_cells[POISSON_SIZES] = {32, 64, 128, 256, 512};
static const double poisson_center_x = 0.0123, poisson_center_y = -0.0217;

/* L-infinity of p, L1 of p, for N = 32 ... 512 */
static const double poisson_circle_reference[POISSON_SIZES][2] = {
    {2.512e-3, 9.539e-4}, {8.006e-4, 2.404e-4}, {2.037e-4, 6.051e-5}, {5.085e-5, 1.510e-5}, {1.269e-5, 3.712e-6}};
static const double poisson_star_reference[POISSON_SIZES][2] = {
    {2.415e-3, 9.349e-4}, {8.423e-4, 2.551e-4}, {2.119e-4, 6.386e-5}, {5.224e-5, 1.567e-5}, {1.352e-5, 3.959e-6}};
/* L-infinity and L1 of p, then of u */
static const double poisson_neumann_reference[POISSON_SIZES][4] = {{1.826e-3, 3.832e-4, 4.505e-2, 1.522e-3},
                                                                   {4.449e-4, 9.483e-5, 2.271e-2, 4.388e-4},
                                                                   {1.195e-4, 2.380e-5, 1.147e-2, 1.201e-4},
                                                                   {3.518e-5, 6.396e-6, 5.308e-3, 2.938e-5},
                                                                   {8.946e-6, 1.536e-6, 2.979e-3, 7.833e-6}};

static inline double poisson_q(double x, double y) { return sin(2 * x + 1) * cos(3 * y - 0.5) + x * x * y; }
static inline double poisson_q_gradient(int axis, double x, double y)
{
  return axis == 0 ? 2 * cos(2 * x + 1) * cos(3 * y - 0.5) + 2 * x * y : -3 * sin(2 * x + 1) * sin(3 * y - 0.5) + x * x;
}
static inline double poisson_q_laplacian(double x, double y) { return -13 * sin(2 * x + 1) * cos(3 * y - 0.5) + 2 * y; }

/* u = (d psi / dY, -d psi / dX) */
static inline double poisson_swirl(int axis, double x, double y)
{
  double X = x - poisson_center_x, Y = y - poisson_center_y;
  return axis == 0 ? 4 * Y * (1 + 0.5 * X) : -(4 * X * (1 + 0.5 * X) + (X * X + Y * Y - 0.49));
}

static inline double poisson_circle(double x, double y) { return hypot(x - poisson_center_x, y - poisson_center_y) - 0.7; }
static inline double poisson_star(double x, double y)
{
  double X = x - poisson_center_x, Y = y - poisson_center_y;
  return hypot(X, Y) - (0.6 + 0.12 * sin(5 * atan2(Y, X)));
}

/* A slab over [-1, 1]^2, with a container or without. */
static inline vlScene poisson_scene(int n, vlSolidDef *tank)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.liquid.transfer = VL_TRANSFER_STILL;
  scene.grid.origin = vl_vec(-1, -1, -1.0 / n);
  scene.grid.size = vl_vec(2, 2, 2.0 / n);
  scene.grid.cells = n;
  scene.grid.slab = true;
  scene.liquid.has_level = true;
  scene.liquid.level = 10.0;
  scene.solids = tank;
  scene.solid_count = tank ? 1 : 0;
  return scene;
}

/* Applies f(i, j, field index) to every wet cell. */
typedef void PoissonCell(vlSim *sim, void *data, int i, int j, ptrdiff_t at);
static inline void poisson_for_cells(vlSim *sim, PoissonCell *f, void *data)
{
  for (int j = 0; j < vl_sharp(sim)->grid.n[1]; j++)
    for (int i = 0; i < vl_sharp(sim)->grid.n[0]; i++) f(sim, data, i, j, vl_grid_at(&vl_sharp(sim)->grid, i, j, 0));
}

typedef struct PoissonNorms {
  double p_max, p_sum, u_max, u_sum;
  double shift; /* Neumann: mean of p - q */
  int cells, faces;
} PoissonNorms;

typedef struct PoissonDirichlet {
  double (*phi)(double x, double y);
  double *jump[3];
  vlFluid fluid;
  PoissonNorms norms;
} PoissonDirichlet;

static inline vlVec3 poisson_center(const vlSim *sim, int i, int j) { return vl_grid_center(&vl_sharp(sim)->grid, i, j, 0); }

static inline void poisson_set_phi(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  vlVec3 x = poisson_center(sim, i, j);
  vl_sharp(sim)->work.level.phi[at] = ((PoissonDirichlet *)data)->phi(x.x, x.y);
}

/* q where the boundary crosses a face, found as the solver finds it: linearly between the two cells */
static inline void poisson_set_jump(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  PoissonDirichlet *d = data;
  vlVec3 x = poisson_center(sim, i, j);
  for (int a = 0; a < 2; a++) {
    double above = vl_sharp(sim)->work.level.phi[at],
           below = vl_sharp(sim)->work.level.phi[at - vl_sharp(sim)->grid.stride[a]];
    if ((a == 0 ? i : j) == 0 || (above < 0.0) == (below < 0.0)) continue;
    double t = above / (above - below); /* from the cell above down to the crossing */
    vlVec3 c = x;
    c.v[a] -= t * vl_sharp(sim)->grid.dx;
    d->jump[a][at] = poisson_q(c.x, c.y);
  }
}

static inline void poisson_add_source(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  vlStencil *s = &vl_sharp(sim)->work.pressure->stencil;
  int b = vl_blocks_find(&s->blocks, i / VL_BLOCK, j, 0);
  (void)data;
  (void)at;
  if (b < 0 || s->diagonal[b * VL_BLOCK + i % VL_BLOCK] <= 0.0) return;
  vlVec3 x = poisson_center(sim, i, j);
  vl_sharp(sim)->work.pressure->b[b * VL_BLOCK + i % VL_BLOCK] -=
      vl_sharp(sim)->grid.dx * vl_sharp(sim)->grid.dx * poisson_q_laplacian(x.x, x.y);
}

static inline bool poisson_unknown(const vlSim *sim, int i, int j)
{
  int b = vl_blocks_find(&vl_sharp(sim)->work.wet, i / VL_BLOCK, j, 0);
  return b >= 0 && vl_sharp(sim)->work.pressure->links.active[b] >> (i % VL_BLOCK) & 1;
}

static inline void poisson_add_error(vlSim *sim, PoissonNorms *norms, double (*phi)(double, double), int i, int j,
                                     ptrdiff_t at)
{
  vlVec3 x = poisson_center(sim, i, j);
  if (!poisson_unknown(sim, i, j) || phi(x.x, x.y) > 0.0) return;
  double error = fabs(vl_sharp(sim)->state.p[at] - norms->shift - poisson_q(x.x, x.y));
  norms->p_max = fmax(norms->p_max, error);
  norms->p_sum += error;
  norms->cells++;
}

static inline void poisson_measure_p(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  PoissonDirichlet *d = data;
  poisson_add_error(sim, &d->norms, d->phi, i, j, at);
}

/* norms: of the solution on n x n cells. */
static inline vlCode poisson_dirichlet(double (*phi)(double, double), int n, PoissonNorms *norms, vlStatus *status)
{
  vlScene scene = poisson_scene(n, NULL);
  vlSim *sim = NULL;
  PoissonDirichlet d = {.phi = phi};
  vlPressureSolve result;
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, status);
  if (code) return code;
  for (int a = 0; a < 3; a++) d.jump[a] = vl_field_create(&vl_sharp(sim)->grid);
  poisson_for_cells(sim, poisson_set_phi, &d);
  poisson_for_cells(sim, poisson_set_jump, &d);
  d.fluid = vl_sharp_fluid(vl_sharp(sim));
  d.fluid.jump = (const double *const *)d.jump;
  d.fluid.theta_min = 1e-9;
  vlPressure *pressure = vl_sharp(sim)->work.pressure;
  code = vl_pressure_assemble(pressure, &d.fluid, status);
  if (!code) {
    vl_pressure_rhs(pressure, &d.fluid, vl_sharp(sim)->work.u, NULL, 1.0, 1.0);
    poisson_for_cells(sim, poisson_add_source, &d);
    code = vl_pressure_solve(pressure, VL_SOLVER_MULTIGRID, (vlSolveOptions){1e-12, 200}, &result, status);
  }
  if (!code) {
    vl_pressure_store(pressure, &d.fluid, vl_sharp(sim)->state.p);
    poisson_for_cells(sim, poisson_measure_p, &d);
    *norms = d.norms;
  }
  for (int a = 0; a < 3; a++) vl_field_destroy(&vl_sharp(sim)->grid, &d.jump[a]);
  vl_sim_destroy(&sim);
  return code;
}

static inline void poisson_set_u_star(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  vlVec3 x = poisson_center(sim, i, j);
  (void)data;
  for (int a = 0; a < 2; a++) {
    vlVec3 f = x;
    f.v[a] -= 0.5 * vl_sharp(sim)->grid.dx;
    vl_sharp(sim)->work.u[a][at] =
        (a == 0 ? i : j) == 0 ? 0.0 : poisson_swirl(a, f.x, f.y) + poisson_q_gradient(a, f.x, f.y);
  }
}

static inline void poisson_add_mean(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  PoissonNorms *norms = data;
  vlVec3 x = poisson_center(sim, i, j);
  if (!poisson_unknown(sim, i, j) || poisson_circle(x.x, x.y) > 0.0) return;
  norms->shift += vl_sharp(sim)->state.p[at] - poisson_q(x.x, x.y);
  norms->cells++;
}

static inline void poisson_measure_p_u(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  PoissonNorms *norms = data;
  vlFluid fluid = vl_sharp_fluid(vl_sharp(sim));
  vlVec3 x = poisson_center(sim, i, j);
  int b = vl_blocks_find(&vl_sharp(sim)->work.wet, i / VL_BLOCK, j, 0);
  poisson_add_error(sim, norms, poisson_circle, i, j, at);
  if (b < 0) return;
  for (int a = 0; a < 2; a++) {
    vlLink link = vl_links_at(&vl_sharp(sim)->work.pressure->links, &fluid, b * VL_BLOCK + i % VL_BLOCK, a);
    if (link.kind != VL_LINK_INNER) continue;
    vlVec3 f = x;
    f.v[a] -= 0.5 * vl_sharp(sim)->grid.dx;
    if (poisson_circle(f.x, f.y) > 0.0) continue;
    double error = fabs(vl_sharp(sim)->work.u[a][at] - poisson_swirl(a, f.x, f.y));
    norms->u_max = fmax(norms->u_max, error);
    norms->u_sum += error;
    norms->faces++;
  }
}

static inline vlCode poisson_neumann(int n, PoissonNorms *norms, vlStatus *status)
{
  vlSolidDef tank = {.name = "circle",
                     .container = true,
                     .shape = {.kind = VL_SHAPE_CYLINDER,
                               .center = vl_vec(poisson_center_x, poisson_center_y, 0),
                               .rotation = vl_mat_rotation(VL_X, 0.5 * VL_PI),
                               .radius = 0.7,
                               .height = 1.0,
                               .scale = {{1, 1, 1}}}};
  vlScene scene = poisson_scene(n, &tank);
  vlSim *sim = NULL;
  vlPressureSolve result;
  PoissonNorms mean = {0};
  *norms = (PoissonNorms){0};
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, status);
  if (code) return code;
  vlFluid fluid = vl_sharp_fluid(vl_sharp(sim));
  vlPressure *pressure = vl_sharp(sim)->work.pressure;
  poisson_for_cells(sim, poisson_set_u_star, NULL);
  code = vl_pressure_assemble(pressure, &fluid, status);
  if (!code) {
    vl_pressure_rhs(pressure, &fluid, vl_sharp(sim)->work.u, NULL, 1.0, 1.0);
    code = vl_pressure_solve(pressure, VL_SOLVER_MULTIGRID, (vlSolveOptions){1e-12, 200}, &result, status);
  }
  if (!code) {
    vl_pressure_store(pressure, &fluid, vl_sharp(sim)->state.p);
    vl_pressure_apply(pressure, &fluid, vl_sharp(sim)->state.p, vl_sharp(sim)->work.u, NULL, vl_sharp(sim)->work.u);
    poisson_for_cells(sim, poisson_add_mean, &mean);
    norms->shift = mean.shift / mean.cells;
    poisson_for_cells(sim, poisson_measure_p_u, norms);
  }
  vl_sim_destroy(&sim);
  return code;
}

#endif
