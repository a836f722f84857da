/* Poisson problems on [-1, 1]^2 with irregular boundaries; set-up and reference errors after [gibou2002] (Dirichlet, ghost
 * fluid) and [ng2009] (Neumann, face areas), from our own independent 2-D computation. Dirichlet: circle R 0.7 and star r =
 * 0.6 + 0.12 sin 5t about (0.0123, -0.0217), solution q = sin(2x+1) cos(3y-0.5) + x^2 y. Neumann: the circle as a container,
 * u* = curl psi + grad q projected onto u = curl psi, psi = 2 (X^2 + Y^2 - 0.49)(1 + 0.5 X). Errors are taken over cell and
 * face centres inside the shape: beyond its boundary there is no exact solution to compare with. */
#include <stdlib.h>

#include "base/vec.h"
#include "engine/sim.h"
#include "report.h"

enum { SIZES = 5 };

static const int cells[SIZES] = {32, 64, 128, 256, 512};
static const double center_x = 0.0123, center_y = -0.0217;

/* L-infinity of p, L1 of p, for N = 32 ... 512 */
static const double circle_reference[SIZES][2] = {
    {2.512e-3, 9.539e-4}, {8.006e-4, 2.404e-4}, {2.037e-4, 6.051e-5}, {5.085e-5, 1.510e-5}, {1.269e-5, 3.712e-6}};
static const double star_reference[SIZES][2] = {
    {2.415e-3, 9.349e-4}, {8.423e-4, 2.551e-4}, {2.119e-4, 6.386e-5}, {5.224e-5, 1.567e-5}, {1.352e-5, 3.959e-6}};
/* L-infinity and L1 of p, then of u */
static const double neumann_reference[SIZES][4] = {{1.826e-3, 3.832e-4, 4.505e-2, 1.522e-3},
                                                   {4.449e-4, 9.483e-5, 2.271e-2, 4.388e-4},
                                                   {1.195e-4, 2.380e-5, 1.147e-2, 1.201e-4},
                                                   {3.518e-5, 6.396e-6, 5.308e-3, 2.938e-5},
                                                   {8.946e-6, 1.536e-6, 2.979e-3, 7.833e-6}};

static double q(double x, double y) { return sin(2 * x + 1) * cos(3 * y - 0.5) + x * x * y; }
static double q_gradient(int axis, double x, double y)
{
  return axis == 0 ? 2 * cos(2 * x + 1) * cos(3 * y - 0.5) + 2 * x * y : -3 * sin(2 * x + 1) * sin(3 * y - 0.5) + x * x;
}
static double q_laplacian(double x, double y) { return -13 * sin(2 * x + 1) * cos(3 * y - 0.5) + 2 * y; }

/* u = (d psi / dY, -d psi / dX) */
static double swirl(int axis, double x, double y)
{
  double X = x - center_x, Y = y - center_y;
  return axis == 0 ? 4 * Y * (1 + 0.5 * X) : -(4 * X * (1 + 0.5 * X) + (X * X + Y * Y - 0.49));
}

static double circle(double x, double y) { return hypot(x - center_x, y - center_y) - 0.7; }
static double star(double x, double y)
{
  double X = x - center_x, Y = y - center_y;
  return hypot(X, Y) - (0.6 + 0.12 * sin(5 * atan2(Y, X)));
}

static void fail(vlCode code, const vlStatus *status)
{
  if (!code) return;
  fprintf(stderr, "%s\n", status->message);
  exit(1);
}

/* A slab over [-1, 1]^2, with a container or without. */
static vlScene make_scene(int n, vlSolidDef *tank)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.origin = vl_vec(-1, -1, -1.0 / n);
  scene.size = vl_vec(2, 2, 2.0 / n);
  scene.cells = n;
  scene.slab = true;
  scene.liquid.has_level = true;
  scene.liquid.level = 10.0;
  scene.solids = tank;
  scene.solid_count = tank ? 1 : 0;
  return scene;
}

/* Applies f(i, j, field index) to every wet cell. */
typedef void CellFunction(vlSim *sim, void *data, int i, int j, ptrdiff_t at);
static void for_cells(vlSim *sim, CellFunction *f, void *data)
{
  for (int j = 0; j < sim->grid.n[1]; j++)
    for (int i = 0; i < sim->grid.n[0]; i++) f(sim, data, i, j, vl_grid_at(&sim->grid, i, j, 0));
}

typedef struct Norms {
  double p_max, p_sum, u_max, u_sum;
  double shift; /* Neumann: mean of p - q */
  int cells, faces;
} Norms;

typedef struct Dirichlet {
  double (*phi)(double x, double y);
  double *jump[3];
  vlFluid fluid;
  Norms norms;
} Dirichlet;

static vlVec3 at_center(const vlSim *sim, int i, int j) { return vl_grid_center(&sim->grid, i, j, 0); }

static void set_phi(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  vlVec3 x = at_center(sim, i, j);
  sim->state.phi[at] = ((Dirichlet *)data)->phi(x.x, x.y);
}

/* q where the boundary crosses a face, found as the solver finds it: linearly between the two cells */
static void set_jump(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  Dirichlet *d = data;
  vlVec3 x = at_center(sim, i, j);
  for (int a = 0; a < 2; a++) {
    double above = sim->state.phi[at], below = sim->state.phi[at - sim->grid.stride[a]];
    if ((a == 0 ? i : j) == 0 || (above < 0.0) == (below < 0.0)) continue;
    double t = above / (above - below); /* from the cell above down to the crossing */
    vlVec3 c = x;
    c.v[a] -= t * sim->grid.dx;
    d->jump[a][at] = q(c.x, c.y);
  }
}

static void add_source(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  vlStencil *s = &sim->work.pressure->stencil;
  int b = vl_blocks_find(&s->blocks, i / VL_BLOCK, j, 0);
  (void)data;
  (void)at;
  if (b < 0 || s->diagonal[b * VL_BLOCK + i % VL_BLOCK] <= 0.0) return;
  vlVec3 x = at_center(sim, i, j);
  sim->work.pressure->b[b * VL_BLOCK + i % VL_BLOCK] -= sim->grid.dx * sim->grid.dx * q_laplacian(x.x, x.y);
}

static bool is_unknown(const vlSim *sim, int i, int j)
{
  int b = vl_blocks_find(&sim->work.wet, i / VL_BLOCK, j, 0);
  return b >= 0 && sim->work.pressure->active[b] >> (i % VL_BLOCK) & 1;
}

static void add_pressure_error(vlSim *sim, Norms *norms, double (*phi)(double, double), int i, int j, ptrdiff_t at)
{
  vlVec3 x = at_center(sim, i, j);
  if (!is_unknown(sim, i, j) || phi(x.x, x.y) > 0.0) return;
  double error = fabs(sim->state.p[at] - norms->shift - q(x.x, x.y));
  norms->p_max = fmax(norms->p_max, error);
  norms->p_sum += error;
  norms->cells++;
}

static void measure_dirichlet(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  Dirichlet *d = data;
  add_pressure_error(sim, &d->norms, d->phi, i, j, at);
}

static Norms run_dirichlet(double (*phi)(double, double), int n)
{
  vlStatus status = {0};
  vlScene scene = make_scene(n, NULL);
  vlSim *sim = NULL;
  Dirichlet d = {.phi = phi};
  vlPressureSolve result;
  fail(vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status), &status);
  for (int a = 0; a < 3; a++) d.jump[a] = vl_field_create(&sim->grid);
  for_cells(sim, set_phi, &d);
  for_cells(sim, set_jump, &d);
  d.fluid = vl_sim_fluid(sim);
  d.fluid.jump = (const double *const *)d.jump;
  d.fluid.theta_min = 1e-9;
  vlPressure *pressure = sim->work.pressure;
  fail(vl_pressure_assemble(pressure, &d.fluid, &status), &status);
  vl_pressure_rhs(pressure, &d.fluid, sim->work.u_star, NULL, 1.0, 1.0);
  for_cells(sim, add_source, &d);
  fail(vl_pressure_solve(pressure, VL_SOLVER_MULTIGRID, (vlSolveOptions){1e-12, 200}, 1.0, 1.0, sim->grid.dx, &result,
                         &status),
       &status);
  vl_pressure_store(pressure, &d.fluid, sim->state.p);
  for_cells(sim, measure_dirichlet, &d);
  for (int a = 0; a < 3; a++) vl_field_destroy(&sim->grid, &d.jump[a]);
  vl_sim_destroy(&sim);
  return d.norms;
}

static void set_u_star(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  vlVec3 x = at_center(sim, i, j);
  (void)data;
  for (int a = 0; a < 2; a++) {
    vlVec3 f = x;
    f.v[a] -= 0.5 * sim->grid.dx;
    sim->work.u_star[a][at] = (a == 0 ? i : j) == 0 ? 0.0 : swirl(a, f.x, f.y) + q_gradient(a, f.x, f.y);
  }
}

static void add_mean(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  Norms *norms = data;
  vlVec3 x = at_center(sim, i, j);
  if (!is_unknown(sim, i, j) || circle(x.x, x.y) > 0.0) return;
  norms->shift += sim->state.p[at] - q(x.x, x.y);
  norms->cells++;
}

static void measure_neumann(vlSim *sim, void *data, int i, int j, ptrdiff_t at)
{
  Norms *norms = data;
  vlFluid fluid = vl_sim_fluid(sim);
  vlVec3 x = at_center(sim, i, j);
  int b = vl_blocks_find(&sim->work.wet, i / VL_BLOCK, j, 0);
  add_pressure_error(sim, norms, circle, i, j, at);
  if (b < 0) return;
  for (int a = 0; a < 2; a++) {
    vlFlowFace face = vl_pressure_face(sim->work.pressure, &fluid, b, i % VL_BLOCK, a);
    if (!face.lower || !face.upper) continue;
    vlVec3 f = x;
    f.v[a] -= 0.5 * sim->grid.dx;
    if (circle(f.x, f.y) > 0.0) continue;
    double error = fabs(sim->state.u[a][at] - swirl(a, f.x, f.y));
    norms->u_max = fmax(norms->u_max, error);
    norms->u_sum += error;
    norms->faces++;
  }
}

static Norms run_neumann(int n)
{
  vlStatus status = {0};
  vlSolidDef tank = {.name = "circle",
                     .container = true,
                     .shape = {.kind = VL_SHAPE_CYLINDER,
                               .center = vl_vec(center_x, center_y, 0),
                               .rotation = vl_mat_rotation(VL_X, 0.5 * VL_PI),
                               .radius = 0.7,
                               .height = 1.0,
                               .scale = 1.0}};
  vlScene scene = make_scene(n, &tank);
  vlSim *sim = NULL;
  vlPressureSolve result;
  Norms mean = {0}, norms = {0};
  fail(vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status), &status);
  vlFluid fluid = vl_sim_fluid(sim);
  vlPressure *pressure = sim->work.pressure;
  for_cells(sim, set_u_star, NULL);
  fail(vl_pressure_assemble(pressure, &fluid, &status), &status);
  vl_pressure_rhs(pressure, &fluid, sim->work.u_star, NULL, 1.0, 1.0);
  fail(vl_pressure_solve(pressure, VL_SOLVER_MULTIGRID, (vlSolveOptions){1e-12, 200}, 1.0, 1.0, sim->grid.dx, &result,
                         &status),
       &status);
  vl_pressure_store(pressure, &fluid, sim->state.p);
  vl_pressure_apply(pressure, &fluid, sim->state.p, sim->work.u_star, 1.0, 1.0, sim->state.u);
  for_cells(sim, add_mean, &mean);
  norms.shift = mean.shift / mean.cells;
  for_cells(sim, measure_neumann, &norms);
  vl_sim_destroy(&sim);
  return norms;
}

static void dirichlet(Report *report, const char *title, double (*phi)(double, double), const double reference[SIZES][2])
{
  char line[80];
  double last[2] = {0}, first[2] = {0};
  report_title(title, "poisson_irregular_reference_errors, dirichlet_gibou2002");
  for (int s = 0; s < SIZES; s++) {
    Norms norms = run_dirichlet(phi, cells[s]);
    double error[2] = {norms.p_max, norms.p_sum / norms.cells};
    printf("  N %4d   p max %9.3e (%5.2f)   p mean %9.3e (%5.2f)\n", cells[s], error[0],
           s ? report_order(last[0], error[0], 2) : 0.0, error[1], s ? report_order(last[1], error[1], 2) : 0.0);
    for (int e = 0; e < 2; e++) {
      snprintf(line, sizeof line, "N %d: %s error of p over the reference", cells[s], e ? "mean" : "largest");
      report_at_most(report, line, error[e] / reference[s][e], 2.0);
      last[e] = error[e];
      if (s == 0) first[e] = error[e];
    }
  }
  for (int e = 0; e < 2; e++)
    report_at_least(report, e ? "rate of the mean error, N 32 to 512" : "rate of the largest error, N 32 to 512",
                    report_order(first[e], last[e], 16), 1.8);
}

static void neumann(Report *report)
{
  static const char *const name[4] = {"largest error of p", "mean error of p", "largest error of u", "mean error of u"};
  char line[80];
  double first[4] = {0}, last[4] = {0};
  report_title("Neumann: circle as a container, exact face areas",
               "poisson_irregular_reference_errors, neumann_ng2009_area_fraction");
  for (int s = 0; s < SIZES; s++) {
    Norms norms = run_neumann(cells[s]);
    double error[4] = {norms.p_max, norms.p_sum / norms.cells, norms.u_max, norms.u_sum / norms.faces};
    printf("  N %4d", cells[s]);
    for (int e = 0; e < 4; e++) printf("   %9.3e (%5.2f)", error[e], s ? report_order(last[e], error[e], 2) : 0.0);
    printf("\n");
    for (int e = 0; e < 4; e++) {
      snprintf(line, sizeof line, "N %d: %s over the reference", cells[s], name[e]);
      report_at_most(report, line, error[e] / neumann_reference[s][e], 2.0);
      last[e] = error[e];
      if (s == 0) first[e] = error[e];
    }
  }
  for (int e = 0; e < 2; e++) {
    snprintf(line, sizeof line, "rate of the %s, N 32 to 512", name[e]);
    report_at_least(report, line, report_order(first[e], last[e], 16), 1.8);
  }
}

int main(void)
{
  Report report = {0};
  dirichlet(&report, "Dirichlet: circle", circle, circle_reference);
  dirichlet(&report, "Dirichlet: star", star, star_reference);
  neumann(&report);
  return report_end(&report);
}
