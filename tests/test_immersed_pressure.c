/* The immersed engine's ways to solve for the pressure: they end at the same one, nearer with each iteration; what they
 * begin with; densities in the matrix or in the right side; which scenes may ask for them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <omp.h>

#include "engine/sharp/sharp.h"
#include "moving.h"

/* A ball half in water. */
static const char pool[] = "engine: immersed\n"
                           "grid: {cells: 16}\n"
                           "liquid: {level: 0.6}\n"
                           "bodies: [{name: ball, shape: sphere, radius: 0.2, cell: 0.1, center: [0.45, 0.6, 0.52], "
                           "handles: 6, young: 50 kPa, density: 400, velocity: [0, -1, 0]}]\n";

static vlCode parse(vlScene *scene, const char *text, const char *const *set, int count, vlStatus *status)
{
  vlSetting settings[8] = {{NULL}};
  for (int i = 0; i < count; i++) settings[i].text = set[i];
  return vl_scene_parse(scene, text, strlen(text), "pool.yaml", settings, count, status);
}

/* After so many steps of 1/60 s. */
static vlSim *begin(const char *const *set, int count, int steps)
{
  vlScene scene;
  vlStatus status = {0};
  if (parse(&scene, pool, set, count, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  for (int i = 0; i < steps; i++) one_step(sim, 1.0 / 60);
  return sim;
}

static vlPressure *prepare(vlSim *sim)
{
  vlStatus status = {0};
  if (vl_sharp_prepare(vl_sharp(sim), 1.0 / 60, &status)) fail_msg("%s", status.message);
  return vl_sharp(sim)->work.pressure;
}

/* p of the prepared system, from the guess, in a new compact vector. */
static double *solve(vlPressure *pressure, vlSolverKind kind, const double *guess, double tolerance, int most)
{
  size_t n = vl_stencil_length(&pressure->stencil);
  double *p = vl_stencil_vector_create(vl_stencil_blocks(&pressure->stencil));
  vlPressureSolve result;
  vlStatus status = {0};
  memcpy(pressure->p, guess, n * sizeof *p);
  vlSolveOptions options = {.tolerance = tolerance, .max_iterations = most};
  if (!p || vl_pressure_solve(pressure, kind, options, &result, &status)) fail_msg("%s", status.message);
  memcpy(p, pressure->p, n * sizeof *p);
  return p;
}

/* sqrt(r . D^-1 r), r = b - L p; and sqrt(e . L e), e = p - exact */
static double left(const vlPressure *pressure, const double *p, const double *exact)
{
  const vlStencil *s = &pressure->stencil;
  size_t n = vl_stencil_length(s);
  double *e = vl_stencil_vector_create(vl_stencil_blocks(s)), *r = vl_stencil_vector_create(vl_stencil_blocks(s)), sum = 0.0;
  for (size_t i = 0; i < n; i++) e[i] = exact ? p[i] - exact[i] : p[i];
  vl_stencil_apply(s, e, r);
  for (size_t i = 0; i < n; i++) {
    if (s->diagonal[i] > 0.0)
      sum += exact ? e[i] * r[i] : (pressure->b[i] - r[i]) * (pressure->b[i] - r[i]) / s->diagonal[i];
  }
  vl_stencil_vector_free(e);
  vl_stencil_vector_free(r);
  return sqrt(fmax(sum, 0.0));
}

static void check_near(const vlPressure *pressure, const double *p, const double *exact)
{
  double most = 0.0, apart = 0.0;
  for (size_t i = 0; i < vl_stencil_length(&pressure->stencil); i++) {
    most = fmax(most, fabs(exact[i]));
    apart = fmax(apart, fabs(p[i] - exact[i]));
  }
  if (!(apart <= 1e-8 * most)) fail_msg("%g of %g Pa", apart, most);
}

/* Sweeps and iterations, from nothing and from the last pressure, with both ways to count densities. */
static void test_same_pressure(void **state)
{
  (void)state;
  for (int cells = 0; cells < 2; cells++) {
    const char *set[] = {cells ? "pressure.density=cells" : "pressure.density=faces"};
    vlSim *sim = begin(set, 1, 12);
    vlPressure *pressure = prepare(sim);
    assert_int_equal(pressure->null_count, 0);
    size_t n = vl_stencil_length(&pressure->stencil);
    double *last = calloc(n, sizeof *last), *zero = calloc(n, sizeof *zero), first[2][2];
    memcpy(last, pressure->p, n * sizeof *last);
    double *exact = solve(pressure, VL_SOLVER_MULTIGRID, zero, 1e-13, 500);
    for (int cold = 0; cold < 2; cold++) {
      const double *guess = cold ? zero : last;
      double before = left(pressure, guess, NULL), error = left(pressure, guess, exact);
      for (int k = 1; k <= 64; k *= 2) {
        double *p = solve(pressure, VL_SOLVER_SWEEPS, guess, 1e-30, k), now = left(pressure, p, NULL);
        if (!(now < before)) fail_msg("%d sweeps: %g after %g", k, now, before);
        before = now;
        if (k == 16) first[0][cold] = left(pressure, p, exact);
        vl_stencil_vector_free(p);
      }
      for (int k = 1; k <= 5; k++) { /* conjugate gradients lessen the error in this norm, not the residual */
        double *p = solve(pressure, VL_SOLVER_MULTIGRID, guess, 1e-30, k), now = left(pressure, p, exact);
        if (!(now < error)) fail_msg("%d iterations: %g after %g", k, now, error);
        error = now;
        if (k == 2) first[1][cold] = now;
        vl_stencil_vector_free(p);
      }
      double *p = solve(pressure, VL_SOLVER_SWEEPS, guess, 1e-12, 20000);
      check_near(pressure, p, exact);
      vl_stencil_vector_free(p);
    }
    for (int m = 0; m < 2; m++) /* of what lasts, most is in the last pressure */
      if (!(first[m][0] < 0.5 * first[m][1])) fail_msg("%g from the last, %g from nothing", first[m][0], first[m][1]);
    vl_stencil_vector_free(exact);
    free(last);
    free(zero);
    vl_sim_destroy(&sim);
  }
}

/* The keys do as the solve above. */
static void test_guess(void **state)
{
  (void)state;
  const char *set[] = {"pressure.guess=zero"};
  vlSim *sim = begin(set, 1, 3);
  vlPressure *pressure = prepare(sim);
  for (size_t i = 0; i < vl_stencil_length(&pressure->stencil); i++) assert_true(pressure->p[i] == 0.0);
  sim->scene->pressure.guess = VL_GUESS_LAST;
  pressure = prepare(sim);
  double most = 0.0;
  for (size_t i = 0; i < vl_stencil_length(&pressure->stencil); i++) most = fmax(most, pressure->p[i]);
  assert_true(most > 0.3 * 9810.0 * 0.6); /* of water so deep */
  vl_sim_destroy(&sim);
}

/* The right side by cells is that by faces times the density there: 1 in water, that of the body deep in it. */
static void test_cells(void **state)
{
  (void)state;
  vlSim *sim = begin(NULL, 0, 6);
  vlPressure *pressure = prepare(sim);
  size_t n = vl_stencil_length(&pressure->stencil);
  double *b = malloc(n * sizeof *b), least = INFINITY, most = 0.0;
  memcpy(b, pressure->b, n * sizeof *b);
  sim->scene->pressure.density = VL_DENSITY_CELLS;
  pressure = prepare(sim);
  assert_int_equal(n, vl_stencil_length(&pressure->stencil));
  int pure = 0;
  for (size_t i = 0; i < n; i++) {
    if (!(fabs(b[i]) > 1e-6)) continue;
    double ratio = pressure->b[i] / b[i];
    least = fmin(least, ratio);
    most = fmax(most, ratio);
    pure += ratio == 1.0;
  }
  assert_true(pure > (int)n / 4);
  assert_true(most == 1.0);
  if (!(fabs(least - 0.4) < 0.01)) fail_msg("%g", least); /* of 400 kg/m3 */
  for (size_t i = 0; i < n; i++)                          /* one Laplacian for all: whole weights, but at the surface */
    for (int a = 0; a < 3; a++) assert_true(pressure->stencil.w[a][i] == 0.0 || pressure->stencil.w[a][i] == 1.0);
  free(b);
  vl_sim_destroy(&sim);
}

static double divergence(const char *density, const char *body)
{
  char text[64];
  snprintf(text, sizeof text, "bodies.ball.density=%s", body);
  const char *set[] = {density, text, "pressure.tolerance=1e-12", "pressure.max_iterations=300"};
  vlSim *sim = begin(set, 4, 5);
  double d = one_step(sim, 1.0 / 60).mean_divergence;
  vl_sim_destroy(&sim);
  return d;
}

/* Solved to the end nothing is left by faces; by cells it is where densities differ, and only there. */
static void test_left(void **state)
{
  (void)state;
  double faces = divergence("pressure.density=faces", "400"), cells = divergence("pressure.density=cells", "400"),
         same = divergence("pressure.density=cells", "1000");
  if (!(faces < 1e-8 && same < 1e-8 && cells > 1e-3)) fail_msg("%g, %g and %g 1/s", faces, same, cells);
}

/* Same bits for any number of threads; as many iterations as asked for, and no more. */
static void test_threads(void **state)
{
  (void)state;
  const char *set[] = {"pressure.solver=sweeps", "pressure.max_iterations=30"};
  double p[2] = {0};
  for (int t = 0; t < 2; t++) {
    omp_set_num_threads(1 + 2 * t);
    vlSim *sim = begin(set, 2, 3);
    vlStepInfo info = one_step(sim, 1.0 / 60);
    assert_int_equal(info.iterations, 30);
    assert_true(info.residual > 1e-6);
    p[t] = info.mean_divergence;
    vl_sim_destroy(&sim);
  }
  omp_set_num_threads(1);
  assert_true(p[0] == p[1] && p[0] > 0.0);
}

static int iterations_of(const char *const *set, int count)
{
  vlScene scene;
  vlStatus status = {0};
  if (parse(&scene, pool, set, count, &status)) fail_msg("%s", status.message);
  int iterations = scene.pressure.max_iterations;
  vl_scene_clear(&scene);
  return iterations;
}

static void test_keys(void **state)
{
  (void)state;
  const char *sweeps = "pressure.solver=sweeps", *both[] = {sweeps, "pressure.max_iterations=10"};
  assert_int_equal(iterations_of(NULL, 0), 4);
  assert_int_equal(iterations_of(&sweeps, 1), 200);
  assert_int_equal(iterations_of(both, 2), 10);
  const char *direct = "pressure.solver=cholmod";
  assert_int_equal(iterations_of(&direct, 1), 500); /* to its tolerance */
  static const struct {
    const char *key, *value, *why;
  } refused[] = {{"solver", "sweeps", "each step is solved to its tolerance"},
                 {"guess", "zero", "each step is solved to its tolerance"},
                 {"density", "cells", "bodies have a surface"}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    char text[128], place[64];
    vlScene scene;
    vlStatus status = {0};
    snprintf(text, sizeof text, "grid: {cells: 8}\nliquid: {level: 0.5}\npressure: {%s: %s}\n", refused[i].key,
             refused[i].value);
    snprintf(place, sizeof place, "pool.yaml:3:%d: pressure.%s: %s only with engine: immersed",
             (int)(strlen("pressure: {: ") + strlen(refused[i].key)) + 1, refused[i].key, refused[i].value);
    assert_int_equal(parse(&scene, text, NULL, 0, &status), VL_ERROR_SCENE);
    if (!strstr(status.message, place) || !strstr(status.message, refused[i].why)) fail_msg("%s", status.message);
    vl_scene_clear(&scene);
  }
}

static double drawn_volume(vlSim *sim)
{
  vlMeshView mesh;
  vlStatus status = {0};
  if (vl_sim_surface(sim, &mesh, &status)) fail_msg("%s", status.message);
  return vl_mesh_volume(&mesh);
}

/* Few sweeps let the particles crowd together; the drawn liquid shows it, and keeps its volume otherwise. */
static void test_drawn(void **state)
{
  (void)state;
  static const char *const few[] = {"bodies=[]", "pressure.solver=sweeps", "pressure.guess=zero",
                                    "pressure.max_iterations=10"};
  vlSim *lost = begin(few, 4, 60), *kept = begin(few, 1, 60);
  double least = drawn_volume(lost), most = drawn_volume(kept);
  print_message("drawn after 1 s: %.4f m3 with 10 sweeps, %.4f m3 with multigrid\n", least, most);
  assert_true(least < 0.85 * 0.6 && fabs(most - 0.6) < 0.03 * 0.6);
  vl_sim_destroy(&lost);
  vl_sim_destroy(&kept);
}

int main(void)
{
  omp_set_num_threads(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_pressure), cmocka_unit_test(test_guess),
                                     cmocka_unit_test(test_cells),         cmocka_unit_test(test_left),
                                     cmocka_unit_test(test_threads),       cmocka_unit_test(test_drawn),
                                     cmocka_unit_test(test_keys)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
