/* Liquid on a grid with solids, made by hand, and one pressure step on it: for the tests of pressure/. */
#ifndef VL_TESTS_TANK_H
#define VL_TESTS_TANK_H

#include <omp.h>

#include "pressure/pressure.h"
#include "solids.h"

typedef double PhiAt(const void *data, vlVec3 x); /* m */

typedef struct Tank {
  vlGrid grid;
  vlCuts *cuts;
  vlBlocks wet;
  double *phi, *p, *area[3], *u[3], *u_star[3], *jump[3];
  vlPressure *pressure;
  double rho, dt;
  vlPressureSolve result;
} Tank;

/* mesh: used up; NULL for none. Wet blocks: those with a cell closer than a cell to the liquid. */
static inline void tank_fill(Tank *t, vlGrid grid, vlTriMesh *mesh, PhiAt *phi, const void *data)
{
  vlStatus status = {0};
  *t = (Tank){.grid = grid, .rho = 1000.0, .dt = 0.01, .phi = vl_field_create(&grid), .p = vl_field_create(&grid)};
  for (int a = 0; a < 3; a++) {
    double **fields[] = {&t->area[a], &t->u[a], &t->u_star[a], &t->jump[a]};
    for (int f = 0; f < 4; f++) assert_non_null(*fields[f] = vl_field_create(&grid));
  }
  if (!mesh) mesh = vl_trimesh_create(0, 0);
  t->cuts = make_cuts(mesh, false, &grid);
  vl_trimesh_destroy(&mesh);
  assert_int_equal(vl_blocks_create(&t->wet, grid.n, &status), VL_OK);
  for (int k = 0; k < grid.n[2]; k++)
    for (int j = 0; j < grid.n[1]; j++)
      for (int bx = 0; bx < grid.blocks_x; bx++) {
        bool near = false;
        for (int i = bx * VL_BLOCK; i < (bx + 1) * VL_BLOCK && i < grid.n[0]; i++) {
          double value = phi(data, vl_grid_center(&grid, i, j, k));
          near = near || value < 1.01 * grid.dx;
          t->phi[vl_grid_at(&grid, i, j, k)] = value;
        }
        if (near) assert_true(vl_blocks_append(&t->wet, bx, j, k));
      }
  vl_blocks_end(&t->wet);
  vl_cuts_fill_areas(t->cuts, &t->wet, t->area);
  assert_int_equal(vl_pressure_create(&t->pressure, &grid, &status), VL_OK);
}

/* A tank whose level set and open areas are noise: liquid in every pattern, a third of the faces closed or all but closed.
 * full: no air, and no face closed. All blocks are wet; the grid ends within one. */
static inline double phi_below(const void *data, vlVec3 x)
{
  (void)data;
  (void)x;
  return -1.0;
}

static inline void tank_noise(Tank *t, int nz, uint64_t seed, bool full)
{
  vlGrid g = make_grid(37, 9, nz, 0.1, vl_vec(0, 0, 0));
  tank_fill(t, g, NULL, phi_below, NULL);
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < 9; j++)
      for (int i = 0; i < 37; i++) {
        ptrdiff_t at = vl_grid_at(&g, i, j, k);
        if (!full) t->phi[at] = random_between(&seed, -0.1, 0.06);
        for (int a = 0; a < 3; a++) {
          double kind = random_between(&seed, 0, full ? 2 : 3), part = random_between(&seed, 0, 1);
          t->area[a][at] = g.dx * g.dx * (kind < 1 ? 1.0 : kind < 2 ? part : kind < 2.4 ? 1e-9 : 0.0);
        }
      }
}

static inline void tank_drain(Tank *t)
{
  for (int a = 0; a < 3; a++) {
    vl_field_destroy(&t->grid, &t->area[a]);
    vl_field_destroy(&t->grid, &t->u[a]);
    vl_field_destroy(&t->grid, &t->u_star[a]);
    vl_field_destroy(&t->grid, &t->jump[a]);
  }
  vl_field_destroy(&t->grid, &t->phi);
  vl_field_destroy(&t->grid, &t->p);
  vl_blocks_clear(&t->wet);
  vl_cuts_destroy(&t->cuts);
  vl_pressure_destroy(&t->pressure);
  assert_null(t->pressure);
  vl_pressure_destroy(&t->pressure);
}

static inline vlFluid tank_fluid(const Tank *t)
{
  return (vlFluid){.grid = &t->grid,
                   .wet = &t->wet,
                   .cuts = t->cuts,
                   .area = (const double *const *)t->area,
                   .phi = t->phi,
                   .theta_min = 1e-4};
}

/* u* = u + dt g inside, zero on the domain's sides. */
static inline void tank_forces(Tank *t, vlVec3 gravity)
{
  for (int b = 0; b < t->wet.count; b++) {
    vlBlockPosition p = t->wet.at[b];
    for (int l = 0; l < vl_blocks_width(&t->wet, p); l++) {
      const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      ptrdiff_t at = vl_blocks_field(&t->grid, p) + l;
      for (int a = 0; a < 3; a++) t->u_star[a][at] = cell[a] > 0 ? t->u[a][at] + t->dt * gravity.v[a] : 0.0;
    }
  }
}

static inline void tank_random_flow(Tank *t, uint64_t seed)
{
  for (int b = 0; b < t->wet.count; b++) {
    vlBlockPosition p = t->wet.at[b];
    for (int l = 0; l < vl_blocks_width(&t->wet, p); l++) {
      const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      ptrdiff_t at = vl_blocks_field(&t->grid, p) + l;
      for (int a = 0; a < 3; a++) t->u_star[a][at] = cell[a] > 0 ? random_between(&seed, -1, 1) : 0.0;
    }
  }
}

/* u* to u. guess: may be NULL. */
static inline void tank_project(Tank *t, const vlFluid *fluid, vlSolverKind kind, double tolerance, const double *guess)
{
  vlStatus status = {0};
  if (vl_pressure_assemble(t->pressure, fluid, &status)) fail_msg("%s", status.message);
  vl_pressure_rhs(t->pressure, fluid, t->u_star, guess, t->dt, t->rho);
  vlSolveOptions options = {.tolerance = tolerance, .max_iterations = 3000};
  if (vl_pressure_solve(t->pressure, kind, options, &t->result, &status)) fail_msg("%s", status.message);
  if (t->result.info.reason != VL_SOLVE_CONVERGED)
    fail_msg("%s: %.2e", vl_solve_reason_text(t->result.info.reason), t->result.info.residual);
  vl_pressure_store(t->pressure, fluid, t->p);
  vl_pressure_apply(t->pressure, fluid, t->p, t->u_star, NULL, t->u);
}

static inline bool tank_unknown(const Tank *t, int b, int l) { return t->pressure->links.active[b] >> l & 1u; }

static inline double tank_max_speed(const Tank *t)
{
  double largest = 0.0;
  for (int b = 0; b < t->wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t->wet, t->wet.at[b]); l++)
      for (int a = 0; a < 3; a++) {
        double u = t->u[a][vl_blocks_field(&t->grid, t->wet.at[b]) + l];
        largest = isfinite(u) ? fmax(largest, fabs(u)) : INFINITY;
      }
  return largest;
}

/* Largest |sum over the faces of A_f u_f| of an unknown, over dx2. */
static inline double tank_max_outflow(const Tank *t, double *const u[3])
{
  double largest = 0.0;
  for (int b = 0; b < t->wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t->wet, t->wet.at[b]); l++) {
      if (!tank_unknown(t, b, l)) continue;
      ptrdiff_t at = vl_blocks_field(&t->grid, t->wet.at[b]) + l;
      double outflow = 0.0;
      for (int a = 0; a < 3; a++) {
        ptrdiff_t upper = at + t->grid.stride[a];
        outflow += t->area[a][upper] * u[a][upper] - t->area[a][at] * u[a][at];
      }
      largest = fmax(largest, fabs(outflow));
    }
  return largest / (t->grid.dx * t->grid.dx);
}

/* J: each face that carries flow counts with its own volume A_f d_f. */
static inline double tank_energy(const Tank *t, const vlFluid *fluid, double *const u[3])
{
  double energy = 0.0;
  for (int b = 0; b < t->wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t->wet, t->wet.at[b]); l++)
      for (int a = 0; a < 3; a++) {
        vlLink link = vl_links_at(&t->pressure->links, fluid, b * VL_BLOCK + l, a);
        double speed = u[a][vl_blocks_field(&t->grid, t->wet.at[b]) + l];
        if (link.kind) energy += 0.5 * t->rho * link.area * link.distance * speed * speed;
      }
  return energy;
}

/* The same tank and flow with 1, 2 and 4 threads: pressure and velocity must be the same bits. Returns the unknowns; above
 * 32768 also the sums of CG run in parallel. */
static inline int64_t tank_check_threads(void (*fill)(Tank *t), uint64_t seed)
{
  int threads = omp_get_max_threads();
  Tank first;
  for (int n = 1; n <= 4; n *= 2) {
    omp_set_num_threads(n);
    Tank t;
    fill(&t);
    vlFluid fluid = tank_fluid(&t);
    tank_random_flow(&t, seed);
    tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-8, NULL);
    if (n == 1) {
      first = t;
      continue;
    }
    assert_memory_equal(first.p, t.p, t.grid.length * sizeof(double));
    for (int a = 0; a < 3; a++) assert_memory_equal(first.u[a], t.u[a], t.grid.length * sizeof(double));
    tank_drain(&t);
  }
  int64_t unknowns = first.pressure->stencil.unknowns;
  tank_drain(&first);
  omp_set_num_threads(threads);
  return unknowns;
}

#endif
