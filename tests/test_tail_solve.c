/* Systems with a tail of many pieces (voxel_tail.h): they are symmetric, positive definite and solved as a direct solver
 * does, in as many steps with multigrid as pieces within cells are worth; the same bits for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "voxel_tail.h"

static bool no_plate(const void *data, const int fine[3], int axis, int n)
{
  (void)data;
  (void)fine;
  (void)axis;
  (void)n;
  return false;
}

static double pool(const double x[3], double level) { return x[1] - level - 0.03 * sin(11.0 * x[0]) * cos(9.0 * x[2]); }

/* Drops of a quarter to a whole cell, by bins. */
enum { BINS = 32, BIN_MOST = 32 };
static int bin[BINS * BINS * BINS][BIN_MOST], bin_count[BINS * BINS * BINS];
static double drop[8192][4];
static int drop_count;

static int bin_of(double x) { return (int)fmin(BINS - 1, fmax(0, floor(x * BINS))); }

static void throw_drops(int count, double dx)
{
  uint64_t seed = 77;
  memset(bin_count, 0, sizeof bin_count);
  drop_count = count;
  for (int d = 0; d < count; d++) {
    for (int a = 0; a < 3; a++) drop[d][a] = random_between(&seed, a == 1 ? 0.45 : 0.02, 0.98);
    double r = drop[d][3] = dx * random_between(&seed, 0.25, 1.0);
    int lo[3], hi[3];
    for (int a = 0; a < 3; a++) lo[a] = bin_of(drop[d][a] - 1.5 * r), hi[a] = bin_of(drop[d][a] + 1.5 * r);
    for (int k = lo[2]; k <= hi[2]; k++)
      for (int j = lo[1]; j <= hi[1]; j++)
        for (int i = lo[0]; i <= hi[0]; i++) {
          int at = i + BINS * (j + BINS * k);
          if (bin_count[at] < BIN_MOST) bin[at][bin_count[at]++] = d;
        }
  }
}

static double drops_phi(const void *data, const double x[3])
{
  (void)data;
  double phi = pool(x, 0.4);
  int at = bin_of(x[0]) + BINS * (bin_of(x[1]) + BINS * bin_of(x[2]));
  for (int q = 0; q < bin_count[at]; q++) {
    const double *d = drop[bin[at][q]];
    double r = sqrt((x[0] - d[0]) * (x[0] - d[0]) + (x[1] - d[1]) * (x[1] - d[1]) + (x[2] - d[2]) * (x[2] - d[2]));
    phi = fmin(phi, r - d[3]);
  }
  return phi;
}

/* Waving sheets of 0.35 to 2 cells of a grid of `*data` cells over a pool, in pairs half a cell apart. */
static double splash_phi(const void *data, const double x[3])
{
  double dx = 1.0 / *(const int *)data, phi = pool(x, 0.3);
  double wave = 0.02 * sin(9.0 * x[0] + 4.0 * x[2]);
  for (int q = 0; q < 6; q++) {
    double thick = dx * (q % 2 ? 0.6 : 0.35 + 0.8 * (q / 2)), middle = 0.45 + 0.16 * (q / 2) + wave * (q / 2 - 0.5);
    if (q % 2) middle += dx * (0.5 * (0.35 + 0.8 * (q / 2)) + 0.8);
    phi = fmin(phi, fabs(x[1] - middle) - 0.5 * thick);
  }
  return phi;
}

static double full_pool(const void *data, const double x[3])
{
  (void)data;
  return pool(x, 0.8);
}

/* A wall through the middles of cells with slits of half a cell. */
static bool slit_wall(const void *data, const int f[3], int axis, int n)
{
  (void)data;
  return axis == 0 && f[0] == 2 * n + 2 && f[1] % 12 > 1;
}

/* Plates 0.75 cells apart with gaps at both ends. */
static bool plates(const void *data, const int f[3], int axis, int n)
{
  (void)data;
  return axis == 1 && f[1] % 3 == 0 && f[0] > n / 4 && f[0] < FINE * n - n / 4;
}

/* A full box of closed layers. */
static double full_phi(const void *data, const double x[3])
{
  (void)data;
  (void)x;
  return -1.0;
}
static bool layers(const void *data, const int f[3], int axis, int n)
{
  (void)data;
  return axis == 1 && f[1] % (FINE * n / 4 + 3) == 0;
}

typedef enum Kind { DROPS, SPLASH, SLITS, PLATES, KINDS } Kind;

static VoxelScene scene_of(Kind kind, const int *n)
{
  static double (*const phi[KINDS])(const void *, const double[3]) = {drops_phi, splash_phi, full_pool, full_pool};
  static bool (*const plate[KINDS])(const void *, const int[3], int, int) = {no_plate, no_plate, slit_wall, plates};
  if (kind == DROPS) throw_drops(8000 * (*n / 8) * (*n / 8) * (*n / 8) / 512, 1.0 / *n);
  return (VoxelScene){phi[kind], plate[kind], n, false};
}

static int cut_cells(const Voxels *v)
{
  int count = 0;
  for (int b = 0; b < v->tank.wet.count; b++) count += __builtin_popcount(v->cut[b]);
  return count;
}

static vlPressureSolve project(Voxels *v, vlSolverKind kind, double tolerance)
{
  vlFluid fluid = voxels_fluid(v);
  tank_project(&v->tank, &fluid, kind, tolerance, NULL);
  return v->tank.result;
}

static double *noise_of(const vlStencil *s, uint64_t seed)
{
  double *x = vl_stencil_vector_create(vl_stencil_blocks(s));
  for (size_t i = 0; i < vl_stencil_length(s); i++) x[i] = s->diagonal[i] > 0.0 ? random_between(&seed, -1, 1) : 0.0;
  return x;
}

/* x.Ay = y.Ax and x.Ax > 0, to so many digits. */
static void check_symmetric(vlOperator a, const vlStencil *s, double digits)
{
  size_t n = vl_stencil_length(s);
  double *x = noise_of(s, 1), *y = noise_of(s, 2), *ax = noise_of(s, 3), *ay = noise_of(s, 4);
  a.apply(a.data, x, ax);
  a.apply(a.data, y, ay);
  double xx = vl_vector_dot(x, ax, n), yy = vl_vector_dot(y, ay, n);
  assert_true(xx > 0.0 && yy > 0.0);
  assert_true(fabs(vl_vector_dot(y, ax, n) - vl_vector_dot(x, ay, n)) <= digits * sqrt(xx * yy));
  double *all[] = {x, y, ax, ay};
  for (int v = 0; v < 4; v++) vl_stencil_vector_free(all[v]);
}

/* Multigrid and the factors of the matrix give one solution; the preconditioner is symmetric to the digits of floats. */
static void as_a_direct_solver_has_it(void **state)
{
  (void)state;
  int n = 16;
  for (Kind kind = 0; kind < KINDS; kind++) {
    Voxels by[2];
    VoxelScene scene = scene_of(kind, &n);
    double largest = 0.0, off = 0.0;
    for (int q = 0; q < 2; q++) {
      voxels_fill(&by[q], &scene, n, 5);
      project(&by[q], q ? VL_SOLVER_CHOLMOD : VL_SOLVER_MULTIGRID, 1e-13);
    }
    const vlPressure *p = by[0].tank.pressure, *direct = by[1].tank.pressure;
    assert_true(by[0].tail.extras > 20 && p->null_count == 0);
    for (size_t i = 0; i < vl_stencil_length(&p->stencil); i++) {
      largest = fmax(largest, fabs(direct->p[i]));
      off = fmax(off, fabs(p->p[i] - direct->p[i]));
    }
    if (!(off <= 1e-10 * largest)) fail_msg("scene %d: p off by %.1e", kind, off / largest);
    check_symmetric(vl_stencil_operator(&p->stencil), &p->stencil, 1e-13);
    check_symmetric(vl_multigrid_operator(p->multigrid), &p->stencil, 1e-5);
    for (int q = 0; q < 2; q++) voxels_free(&by[q]);
  }
}

/* Steps to 1e-8 with multigrid. Drops, sheets and slits take no more of them on a finer grid; between plates, where there is
 * an extra node in each cell and coarser cells join what plates part, they grow as the grid. */
static void steps_do_not_grow(void **state)
{
  (void)state;
  static const char *const name[KINDS] = {"drops", "splash", "slits", "plates"};
  static const int most[KINDS][2] = {{10, 10}, {10, 10}, {13, 13}, {60, 110}};
  for (Kind kind = 0; kind < KINDS; kind++)
    for (int finer = 0; finer < 2; finer++) {
      int n = (kind == PLATES ? 16 : 32) << finer;
      Voxels v;
      VoxelScene scene = scene_of(kind, &n);
      voxels_fill(&v, &scene, n, 6);
      vlPressureSolve result = project(&v, VL_SOLVER_MULTIGRID, 1e-8);
      const vlStencil *s = &v.tank.pressure->stencil;
      print_message("%-7s %d^3: %lld unknowns, %d cut cells, %d extra nodes, %d links, %d pairs: %d steps\n", name[kind], n,
                    (long long)s->unknowns, cut_cells(&v), v.tail.extras, v.tail.count, s->pair_count,
                    result.info.iterations);
      assert_true(v.tail.extras > 100 && result.info.iterations <= most[kind][finer]);
      voxels_free(&v);
    }
}

/* Every cell is the tail's, and closed layers of liquid run through the cells. */
static void layers_without_air(void **state)
{
  (void)state;
  static const vlSolverKind kind[] = {VL_SOLVER_MULTIGRID, VL_SOLVER_CHOLMOD, VL_SOLVER_MIC};
  for (int k = 0; k < 3; k++) {
    Voxels v;
    VoxelScene scene = {full_phi, layers, NULL, true};
    voxels_fill(&v, &scene, 16, 8);
    project(&v, kind[k], 1e-12);
    const vlPressure *p = v.tank.pressure;
    assert_int_equal(p->null_count, 4);
    for (int r = 0; r < p->null_count; r++) {
      double sum = 0.0, largest = 0.0;
      for (int c = p->null_start[r]; c < p->null_start[r + 1]; c++) {
        sum += p->p[p->null_cell[c]];
        largest = fmax(largest, fabs(p->p[p->null_cell[c]]));
      }
      assert_true(largest > 0.0 && fabs(sum) <= 1e-10 * largest * (p->null_start[r + 1] - p->null_start[r]));
    }
    assert_true(v.tail.extras >= 3 * 256);
    voxels_free(&v);
  }
}

static void same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  int threads = omp_get_max_threads(), n = 24;
  for (Kind kind = 0; kind < KINDS; kind++) {
    Voxels first = {0};
    VoxelScene scene = scene_of(kind, &n);
    for (int count = 1; count <= 4; count *= 2) {
      Voxels v;
      omp_set_num_threads(count);
      voxels_fill(&v, &scene, n, 9);
      project(&v, VL_SOLVER_MULTIGRID, 1e-8);
      if (count == 1) {
        first = v;
        continue;
      }
      assert_memory_equal(first.tank.p, v.tank.p, v.tank.grid.length * sizeof(double));
      assert_memory_equal(first.tail.p, v.tail.p, (size_t)v.tail.extras * sizeof(double));
      assert_memory_equal(first.tail.u, v.tail.u, (size_t)v.tail.count * sizeof(double));
      voxels_free(&v);
    }
    voxels_free(&first);
  }
  omp_set_num_threads(threads);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_a_direct_solver_has_it),
      cmocka_unit_test(steps_do_not_grow),
      cmocka_unit_test(layers_without_air),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
