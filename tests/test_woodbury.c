/* Rigid bodies in the preconditioner: symmetric and positive; the inverse itself where the inner one is; the same solution
 * in fewer iterations; with contacts, without air, beside elastic bodies, in slabs; the same bits for any threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <omp.h>
#include <stdio.h>

#include "solid/rigid.h"
#include "wet_body.h"

static vlBodyDef stone(vlVec3 center, double density)
{
  vlBodyDef body = turned_box(center, vl_vec(0.31, 0.23, 0.27), 3);
  body.kind = VL_BODY_RIGID;
  body.density = density;
  return body;
}

/* A scene with its system assembled and the bodies' part in b. */
typedef struct Case {
  vlBodyDef body[3];
  vlScene scene;
  vlSim *sim;
  vlPressure *pressure;
  size_t n;
} Case;

static void assemble(Case *c)
{
  vlStatus status = {0};
  c->sim = start(&c->scene);
  c->pressure = vl_sharp(c->sim)->work.pressure;
  assert_int_equal(vl_sharp_prepare(vl_sharp(c->sim), c->scene.time.dt_fixed, &status), VL_OK);
  vl_pressure_rhs_bodies(c->pressure);
  c->n = vl_stencil_length(&c->pressure->stencil);
}

static void begin(Case *c, int bodies, double density, double level)
{
  static const double x[3][3] = {{0.3, 0.3, 0.35}, {0.7, 0.35, 0.65}, {0.33, 0.3, 0.74}};
  for (int b = 0; b < bodies; b++) {
    c->body[b] = stone(vl_vec(x[b][0], x[b][1], x[b][2]), density);
    snprintf(c->body[b].name, sizeof c->body[b].name, "stone %d", b);
  }
  c->scene = coupled_scene(20, c->body);
  c->scene.body_count = bodies;
  c->scene.liquid.has_level = true;
  c->scene.liquid.level = level;
}

static vlSolveInfo solve(Case *c, vlSolverKind kind, vlWoodburyUse use)
{
  vlStatus status = {0};
  vlPressureSolve result;
  vl_woodbury_forget(&c->pressure->woodbury);
  c->pressure->woodbury.use = use;
  memset(c->pressure->p, 0, c->n * sizeof *c->pressure->p);
  vlSolveOptions options = {.tolerance = c->scene.pressure.tolerance, .max_iterations = 400};
  assert_int_equal(vl_pressure_solve(c->pressure, kind, options, &result, &status), VL_OK);
  assert_int_equal(result.info.reason, VL_SOLVE_CONVERGED);
  return result.info;
}

static double *copy_of(const double *x, size_t n)
{
  double *y = malloc(n * sizeof *y);
  assert_non_null(y);
  memcpy(y, x, n * sizeof *y);
  return y;
}

/* Solves plainly and corrected; returns the difference of the pressures over the largest, and the iterations. */
static double both(Case *c, vlSolverKind kind, int iterations[2])
{
  double most = 0.0, off = 0.0;
  iterations[0] = solve(c, kind, VL_WOODBURY_NEVER).iterations;
  double *plain = copy_of(c->pressure->p, c->n);
  iterations[1] = solve(c, kind, VL_WOODBURY_ALWAYS).iterations;
  assert_true(c->pressure->woodbury.count > 0);
  for (size_t i = 0; i < c->n; i++) {
    most = fmax(most, fabs(plain[i]));
    off = fmax(off, fabs(plain[i] - c->pressure->p[i]));
  }
  print_message("%d bodies: %d iterations, corrected %d, with %d columns; off by %.1e\n", c->scene.body_count, iterations[0],
                iterations[1], c->pressure->woodbury.count, off / most);
  free(plain);
  return off / most;
}

static void fill(const Case *c, double *x, uint64_t seed)
{
  for (size_t i = 0; i < c->n; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = c->pressure->stencil.diagonal[i] > 0.0 ? (double)(seed >> 40) * 0x1p-24 - 0.5 : 0.0;
  }
}

/* As the inner one is, here the diagonal's inverse, which has no round-off to speak of; y^T M x = x^T M y to what columns in
 * single precision leave, and positive also along the bodies' own columns, where the correction takes almost all. */
static void divide(void *data, const double *x, double *y)
{
  const vlPressure *pressure = data;
  for (size_t i = 0; i < vl_stencil_length(&pressure->stencil); i++)
    y[i] = pressure->stencil.diagonal[i] > 0.0 ? x[i] / pressure->stencil.diagonal[i] : 0.0;
}

static void test_symmetric(void **state)
{
  (void)state;
  vlStatus status = {0};
  for (int full = 0; full < 2; full++) {
    Case c = {0};
    begin(&c, 2, 1.0, full ? 2.0 : 0.6);
    assemble(&c);
    vlWoodbury *w = &c.pressure->woodbury;
    w->use = VL_WOODBURY_ALWAYS;
    vlOperator m = vl_woodbury_operator(w, (vlOperator){.n = c.n, .apply = divide, .data = c.pressure});
    vlWoodburyCase now = {.coupling = &c.pressure->coupling,
                          .label = c.pressure->label,
                          .region = c.pressure->region,
                          .cells = c.n,
                          .rho = 1000.0,
                          .tolerance = 1e-6};
    assert_int_equal(vl_woodbury_prepare(w, &now, 1.0, &status), VL_OK);
    assert_int_equal(w->count, 12);
    assert_int_equal(w->pools, full);
    double *x = calloc(4 * c.n, sizeof *x), *y = x + c.n, *mx = y + c.n, *my = mx + c.n;
    assert_non_null(x);
    fill(&c, x, 3);
    fill(&c, y, 4);
    m.apply(m.data, x, mx);
    m.apply(m.data, y, my);
    double xx = vl_vector_dot(x, mx, c.n), yy = vl_vector_dot(y, my, c.n);
    assert_true(xx > 0.0 && yy > 0.0);
    assert_true(fabs(vl_vector_dot(y, mx, c.n) - vl_vector_dot(x, my, c.n)) <= 1e-6 * sqrt(xx * yy));
    /* x = U c for c of ones */
    memset(x, 0, c.n * sizeof *x);
    for (int q = 0; q < w->rows; q++)
      for (int k = 0; k < 6; k++) x[w->row[q].at] += w->row[q].u[k];
    m.apply(m.data, x, mx);
    divide(c.pressure, x, my);
    double corrected = vl_vector_dot(x, mx, c.n), plain = vl_vector_dot(x, my, c.n);
    assert_true(corrected > 0.0 && corrected < 0.2 * plain);
    free(x);
    vl_sim_destroy(&c.sim);
  }
}

/* With a direct factor of L the corrected one is the inverse, to the columns' single precision: 1e-12 in at most four
 * iterations, where the factor alone takes as many as the bodies have modes or more. */
static void test_exact(void **state)
{
  (void)state;
  for (int bodies = 1; bodies <= 3; bodies += 2) {
    Case c = {0};
    int iterations[2];
    begin(&c, bodies, 10.0, 0.6);
    assemble(&c);
    assert_true(both(&c, VL_SOLVER_CHOLMOD, iterations) <= 1e-9);
    assert_true(iterations[1] <= 4);
    assert_true(iterations[0] >= 7);
    vl_sim_destroy(&c.sim);
  }
}

/* A brick of a thousandth of the water: less than half the iterations. */
static void test_light(void **state)
{
  (void)state;
  for (int full = 0; full < 2; full++) { /* 1e-12 of the residual is less than 1e-9 of the pressure */
    Case c = {0};
    int iterations[2];
    begin(&c, 1, 1.0, full ? 2.0 : 0.6);
    assemble(&c);
    assert_int_equal(c.pressure->null_count, full);
    assert_true(both(&c, VL_SOLVER_MULTIGRID, iterations) <= 1e-9);
    assert_true(2 * iterations[1] < iterations[0]);
    assert_true(iterations[1] <= 20);
    /* by itself it is chosen for such a body alone */
    solve(&c, VL_SOLVER_MULTIGRID, VL_WOODBURY_AUTO);
    assert_int_equal(c.pressure->woodbury.count, 6);
    vl_sim_destroy(&c.sim);
    begin(&c, 1, 1000.0, 0.6);
    assemble(&c);
    solve(&c, VL_SOLVER_MULTIGRID, VL_WOODBURY_AUTO);
    assert_int_equal(c.pressure->woodbury.count, 0);
    vl_sim_destroy(&c.sim);
  }
}

/* Of a light body among heavy ones only it is worth the cycles. */
static void test_choice(void **state)
{
  (void)state;
  Case c = {0};
  begin(&c, 3, 2000.0, 0.6);
  c.body[1].density = 0.5;
  assemble(&c);
  solve(&c, VL_SOLVER_MULTIGRID, VL_WOODBURY_AUTO);
  assert_int_equal(c.pressure->woodbury.bodies, 1);
  assert_int_equal(c.pressure->woodbury.body[0], 1);
  vl_sim_destroy(&c.sim);
}

/* A light and an elastic body in a tank without air: its level is solved for beside, the elastic body is left to CG. */
static void test_sealed(void **state)
{
  (void)state;
  Case c = {0};
  int iterations[2];
  begin(&c, 2, 1.0, 2.0);
  c.body[1].kind = VL_BODY_ELASTIC;
  c.body[1].density = 1000.0;
  assemble(&c);
  assert_int_equal(c.pressure->sealed_count, 1);
  assert_true(both(&c, VL_SOLVER_MULTIGRID, iterations) <= 1e-9);
  assert_int_equal(c.pressure->woodbury.count, 6);
  assert_true(iterations[1] < iterations[0] - 6);
  vl_sim_destroy(&c.sim);
}

/* A light brick on the floor under water with contacts closed: they take a part of its six motions, and the correction
 * knows: forgotten, it would take out what is not there, and the iterations would be as many as without it. */
static void test_contacts(void **state)
{
  (void)state;
  Case c = {0};
  int iterations[2];
  begin(&c, 1, 5.0, 0.6);
  c.body[0].center = vl_vec(0.5, 0.1372, 0.5); /* on an edge, free to rock and to slide */
  c.body[0].rotation = vl_mat_rotation(2, 0.15);
  c.body[0].velocity = vl_vec(0, -5.0, 0);
  c.body[0].friction = 0.0;
  assemble(&c);
  assert_true(vl_sharp(c.sim)->work.contact.active_count > 0);
  assert_true(both(&c, VL_SOLVER_MULTIGRID, iterations) <= 1e-9);
  assert_true(iterations[1] <= 20 && iterations[1] < iterations[0] - 3);
  vl_sim_destroy(&c.sim);
}

/* In a slab a body has three motions. */
static void test_slab(void **state)
{
  (void)state;
  Case c = {0};
  int iterations[2];
  begin(&c, 1, 1.0, 0.6);
  c.body[0].center = vl_vec(0.5, 0.3, 0);
  c.body[0].rotation = vl_mat_rotation(2, 0.7);
  c.scene.grid.slab = true;
  c.scene.grid.cells = 32;
  c.body[0].size.z = 1.0 / 32;
  c.body[0].cells[2] = 1;
  assemble(&c);
  assert_true(both(&c, VL_SOLVER_MULTIGRID, iterations) <= 1e-9);
  assert_int_equal(c.pressure->woodbury.count, 3);
  assert_true(iterations[1] < iterations[0]);
  vl_sim_destroy(&c.sim);
}

static void test_threads(void **state)
{
  (void)state;
  Case c = {0};
  begin(&c, 2, 1.0, 2.0);
  c.scene.grid.cells = 32;
  assemble(&c);
  double *first = NULL, *b = copy_of(c.pressure->b, c.n); /* a solve may shift it */
  int before = omp_get_max_threads();
  for (int threads = 1; threads <= 3; threads++) {
    omp_set_num_threads(threads);
    memcpy(c.pressure->b, b, c.n * sizeof *b);
    solve(&c, VL_SOLVER_MULTIGRID, VL_WOODBURY_ALWAYS);
    if (first) assert_memory_equal(first, c.pressure->p, c.n * sizeof *first);
    if (!first) first = copy_of(c.pressure->p, c.n);
  }
  omp_set_num_threads(before);
  free(b);
  free(first);
  vl_sim_destroy(&c.sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_symmetric), cmocka_unit_test(test_exact),
                                     cmocka_unit_test(test_light),     cmocka_unit_test(test_choice),
                                     cmocka_unit_test(test_sealed),    cmocka_unit_test(test_contacts),
                                     cmocka_unit_test(test_slab),      cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
