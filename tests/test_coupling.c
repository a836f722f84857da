/* Liquid and elastic bodies in one solve: the invariants of the coupling, each on one solve with real geometry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wet_body.h"

static const vlVec3 MIDDLE = {.v = {0.5, 0.5, 0.5}};

/* Body and liquid move together, nothing pushes: neither is to notice. Areas and patches come from the same pieces, so the
 * right-hand side is zero to round-off: pressures below 1e-12 of rho u dx / dt, which a velocity jump u would need. */
static void test_free_stream(void **state)
{
  (void)state;
  vlBodyDef body = turned_box(MIDDLE, vl_vec(0.21, 0.33, 0.17), 3);
  body.velocity = vl_vec(0.6, -0.3, 0.45);
  vlShape liquid = ball(MIDDLE, 0.35);
  vlScene scene = coupled_scene(24, &body);
  scene.gravity = vl_vec(0, 0, 0);
  scene.liquid.shapes = &liquid;
  scene.liquid.shape_count = 1;
  vlSim *sim = start(&scene);
  set_velocity(sim, body.velocity);
  const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  step(sim);
  assert_true(vl_sharp(sim)->work.pressure->coupling.rows > 100);
  double most = 0.0, scale = 1000.0 * vl_norm(body.velocity) * vl_sharp(sim)->grid.dx / scene.time.dt_fixed;
  for (size_t i = 0; i < vl_stencil_length(&vl_sharp(sim)->work.pressure->stencil); i++)
    most = fmax(most, fabs(vl_sharp(sim)->work.pressure->p[i]));
  assert_true(most <= 1e-12 * scale);
  for (int i = 0; i < e->node_count; i++)
    assert_true(vl_norm(vl_sub(e->v[i], body.velocity)) <= 1e-11 * vl_norm(body.velocity));
  vl_sim_destroy(&sim);
}

/* Still water lifts any submerged closed body by the weight of its volume, to the solver's tolerance, wherever it cuts the
 * cells: slices of cells, and the liquid between them and the surface. The water is held at rest by a body that is held. */
static void test_buoyancy(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    vlBodyDef body = turned_box(vl_vec(0.47, 0.4, 0.52), vl_vec(0.31, 0.23, 0.27), 3);
    body.element = kind == 0 ? VL_ELEMENT_LINEAR : VL_ELEMENT_QUADRATIC;
    vlPinDef pin = {.region = ball(MIDDLE, 2.0), .axes = 7, .end = INFINITY};
    body.pins = &pin;
    body.pin_count = 1;
    vlScene scene = coupled_scene(20, &body);
    scene.liquid.has_level = true;
    scene.liquid.level = 0.83;
    vlSim *sim = start(&scene);
    vlStepInfo info = step(sim);
    double lift = 1000.0 * 9.81 * vl_body_enclosed(vl_sharp(sim)->state.bodies.body[0]), volume = 0.31 * 0.23 * 0.27;
    assert_true(fabs(lift - 1000.0 * 9.81 * volume) <= 1e-12 * lift);
    assert_true(fabs(info.body_force.y - lift) <= 1e-9 * lift);
    assert_true(fabs(info.body_force.x) + fabs(info.body_force.z) <= 1e-9 * lift);
    assert_true(info.max_speed <= 1e-9);
    vl_sim_destroy(&sim);
  }
}

/* A soft body hangs in the liquid of a half-filled box and falls: everything is in motion. */
static vlSim *splash(vlScene *scene, vlBodyDef *body, vlCouplingKind coupling, vlSolverKind solver)
{
  *body = turned_box(vl_vec(0.52, 0.42, 0.45), vl_vec(0.35, 0.2, 0.25), 3);
  body->velocity = vl_vec(0.3, -0.8, 0.1);
  body->density = 300.0;
  *scene = coupled_scene(20, body);
  scene->coupling.kind = coupling;
  scene->pressure.solver = solver;
  scene->liquid.has_level = true;
  scene->liquid.level = 0.53;
  return start(scene);
}

/* v.J^T p = p.J v, and the Schur operator's J S^-1 J^T is symmetric and not negative. */
static void test_power(void **state)
{
  (void)state;
  vlScene scene;
  vlBodyDef body;
  vlSim *sim = splash(&scene, &body, VL_COUPLING_SCHUR, VL_SOLVER_MULTIGRID);
  step(sim);
  vlStatus status = {0};
  vlFluid fluid = vl_sharp_fluid(vl_sharp(sim));
  vlCoupling *c = &vl_sharp(sim)->work.pressure->coupling;
  assert_int_equal(vl_body_step_begin(vl_sharp(sim), &(vlStep){.dt = 0.005}, &status), VL_OK);
  assert_int_equal(vl_pressure_assemble(vl_sharp(sim)->work.pressure, &fluid, &status), VL_OK);
  size_t n = vl_stencil_length(&vl_sharp(sim)->work.pressure->stencil),
         nodes = (size_t)vl_sharp(sim)->state.bodies.first_node[1];
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *ax = calloc(n, sizeof *ax), *ay = calloc(n, sizeof *ay);
  vlVec3 *v = calloc(nodes, sizeof *v), *load = calloc(nodes, sizeof *load);
  assert_true(x && y && ax && ay && v && load);
  uint64_t seed = 5;
  for (size_t i = 0; i < n; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = (double)(seed >> 40) * 0x1p-24 - 0.5;
    y[i] = (double)(seed >> 16 & 0xffffff) * 0x1p-24 - 0.5;
  }
  for (size_t i = 0; i < nodes; i++) v[i] = vl_vec(sin((double)i), cos(3.0 * (double)i), sin(7.0 * (double)i));
  vl_coupling_load(c, x, load);
  vl_coupling_flux(c, v, 1.0, NULL, ay);
  double by_nodes = 0.0, by_cells = 0.0, size = 0.0;
  for (size_t i = 0; i < nodes; i++) by_nodes += vl_dot(v[i], load[i]), size += vl_norm(v[i]) * vl_norm(load[i]);
  for (size_t i = 0; i < n; i++) by_cells += x[i] * ay[i];
  assert_true(fabs(by_nodes - by_cells) <= 1e-13 * size);
  c->scale = 1.0;
  memset(ay, 0, n * sizeof *ay);
  vl_coupling_add(c, NULL, x, ax);
  vl_coupling_add(c, NULL, y, ay);
  double xy = vl_vector_dot(y, ax, n), yx = vl_vector_dot(x, ay, n), xx = vl_vector_dot(x, ax, n),
         yy = vl_vector_dot(y, ay, n);
  assert_true(xx > 0.0 && yy > 0.0 && fabs(xy - yx) <= 1e-12 * sqrt(xx * yy));
  free(x);
  free(y);
  free(ax);
  free(ay);
  free(v);
  free(load);
  vl_sim_destroy(&sim);
}

/* What the body gains of momentum in a step is the impulse of pressure, weight and nothing else; what the liquid gains is
 * that of its weight, less what it gives to the body and the sides. */
static void test_momentum(void **state)
{
  (void)state;
  vlScene scene;
  vlBodyDef body;
  vlSim *sim = splash(&scene, &body, VL_COUPLING_SCHUR, VL_SOLVER_MULTIGRID);
  const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  double *area[3];
  for (int a = 0; a < 3; a++) assert_non_null(area[a] = vl_field_create(&vl_sharp(sim)->grid));
  for (int s = 0; s < 3; s++) {
    for (int a = 0; a < 3; a++) memcpy(area[a], vl_sharp(sim)->work.area[a], vl_sharp(sim)->grid.length * sizeof(double));
    vlVec3 before = vl_body_measure(e, scene.gravity).momentum, *v0 = copy_velocities(sim);
    vlStepInfo info = step(sim);
    vlBodyMeasure after = vl_body_measure(e, scene.gravity);
    vlVec3 push = vl_scale(vl_axpy(info.body_force, after.mass, scene.gravity), info.dt);
    vlVec3 gain = vl_sub(after.momentum, before);
    double size = vl_norm(after.momentum) + vl_norm(push);
    assert_true(vl_norm(vl_sub(gain, push)) <= 1e-9 * size);
    vlVec3 all = vl_scale(vl_sub(info.weight, vl_add(info.wall_force, info.body_force)), info.dt);
    vlVec3 liquid = vl_add(liquid_gain(sim, area), layer_gain(sim, v0));
    free(v0);
    assert_true(vl_norm(vl_sub(liquid, all)) <= 1e-9 * (vl_norm(liquid) + info.dt * vl_norm(info.weight)));
  }
  for (int a = 0; a < 3; a++) vl_field_destroy(&vl_sharp(sim)->grid, &area[a]);
  vl_sim_destroy(&sim);
}

static bool same_pressure(const vlSim *a, const vlSim *b, double tolerance)
{
  double size = 0.0, gap = 0.0;
  for (size_t i = 0; i < vl_stencil_length(&vl_sharp(a)->work.pressure->stencil); i++) {
    size = fmax(size, fabs(vl_sharp(a)->work.pressure->p[i]));
    gap = fmax(gap, fabs(vl_sharp(a)->work.pressure->p[i] - vl_sharp(b)->work.pressure->p[i]));
  }
  return gap <= tolerance * size;
}

/* Methods of solving give the same pressure and the same body. */
static void test_solvers_agree(void **state)
{
  (void)state;
  vlScene scene;
  vlBodyDef body;
  vlSim *reference = splash(&scene, &body, VL_COUPLING_SCHUR, VL_SOLVER_MULTIGRID);
  step(reference);
  const vlBody *e = vl_sharp(reference)->state.bodies.body[0];
  static const vlSolverKind solvers[] = {VL_SOLVER_MIC, VL_SOLVER_IC, VL_SOLVER_JACOBI, VL_SOLVER_CHOLMOD};
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    vlScene other;
    vlBodyDef own;
    vlSim *sim = splash(&other, &own, VL_COUPLING_SCHUR, solvers[k]);
    sim->scene->pressure.max_iterations = 2000;
    step(sim);
    assert_true(same_pressure(reference, sim, 1e-8));
    for (int i = 0; i < e->node_count; i++)
      assert_true(vl_norm(vl_sub(e->v[i], vl_sharp(sim)->state.bodies.body[0]->v[i])) <= 1e-8);
    vl_sim_destroy(&sim);
  }
  vl_sim_destroy(&reference);
}

/* The forms of the paper give the same as the Schur form, with the alpha of the paper, a large one and the heuristic. */
static void test_forms_agree(void **state)
{
  (void)state;
  static const struct {
    vlCouplingKind kind;
    double alpha;
  } forms[] = {{VL_COUPLING_SPD, 0.001},
               {VL_COUPLING_SPD, 1.0},
               {VL_COUPLING_SPD, 0.0},
               {VL_COUPLING_INDEFINITE, 0.0},
               {VL_COUPLING_MINRES, 0.0}};
  vlScene scene;
  vlBodyDef body;
  vlSim *reference = splash(&scene, &body, VL_COUPLING_SCHUR, VL_SOLVER_MULTIGRID);
  step(reference);
  const vlBody *e = vl_sharp(reference)->state.bodies.body[0];
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
    vlScene other;
    vlBodyDef own;
    vlSim *sim = splash(&other, &own, forms[k].kind, VL_SOLVER_MULTIGRID);
    sim->scene->coupling.alpha = forms[k].alpha;
    sim->scene->pressure.max_iterations = 20000;
    sim->scene->pressure.tolerance = 1e-10;
    step(sim);
    assert_true(same_pressure(reference, sim, 1e-8));
    for (int i = 0; i < e->node_count; i++)
      assert_true(vl_norm(vl_sub(e->v[i], vl_sharp(sim)->state.bodies.body[0]->v[i])) <= 1e-8);
    vl_sim_destroy(&sim);
  }
  vl_sim_destroy(&reference);
}

/* A body that pins push through the liquid: every cell keeps its volume (check level 3 looks), and all forms agree. */
static void test_moving_pins(void **state)
{
  (void)state;
  static const vlCouplingKind kinds[] = {VL_COUPLING_SCHUR, VL_COUPLING_SPD, VL_COUPLING_INDEFINITE, VL_COUPLING_MINRES};
  vlSim *reference = NULL;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    vlBodyDef body = turned_box(vl_vec(0.52, 0.42, 0.45), vl_vec(0.35, 0.2, 0.25), 3);
    vlPinDef pin = {
        .region = ball(vl_vec(0.62, 0.42, 0.45), 0.13), .axes = 7, .velocity = vl_vec(0.7, 0.2, -0.1), .end = INFINITY};
    body.pins = &pin;
    body.pin_count = 1;
    vlScene scene = coupled_scene(20, &body);
    scene.coupling.kind = kinds[k];
    scene.pressure.max_iterations = 20000;
    scene.pressure.tolerance = k ? 1e-10 : 1e-12;
    scene.liquid.has_level = true;
    scene.liquid.level = 0.63;
    vlSim *sim = start(&scene);
    vlStepInfo info = step(sim);
    assert_true(info.max_speed > 0.1);
    if (reference) assert_true(same_pressure(reference, sim, 1e-7));
    if (reference)
      vl_sim_destroy(&sim);
    else
      reference = sim;
  }
  vl_sim_destroy(&reference);
}

/* Without gravity one solve takes energy away or keeps it: liquid, body and what the springs hold (linear here: one step
 * from rest shape). */
static void test_energy(void **state)
{
  (void)state;
  vlBodyDef body = turned_box(vl_vec(0.52, 0.42, 0.45), vl_vec(0.35, 0.2, 0.25), 3);
  body.velocity = vl_vec(0.3, -0.8, 0.1);
  vlScene scene = coupled_scene(20, &body);
  scene.gravity = vl_vec(0, 0, 0);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.53;
  vlSim *sim = start(&scene);
  const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  double before = vl_body_measure(e, scene.gravity).kinetic;
  vlStepInfo info = step(sim);
  vlBodyMeasure after = vl_body_measure(e, scene.gravity);
  assert_true(info.kinetic_energy > 1e-3 * before);
  assert_true(after.kinetic + after.elastic + info.kinetic_energy <= before * (1.0 + 1e-12));
  vl_sim_destroy(&sim);
}

/* Liquid that fills a box between rigid walls with a body in it: the body gives the pressure its level, nothing is singular.
 */
static void test_sealed(void **state)
{
  (void)state;
  vlBodyDef body = turned_box(vl_vec(0.52, 0.42, 0.45), vl_vec(0.35, 0.2, 0.25), 3);
  body.velocity = vl_vec(0.2, 0.1, 0.0);
  vlScene scene = coupled_scene(16, &body);
  scene.liquid.has_level = true;
  scene.liquid.level = 1.5;
  scene.pressure.tolerance = 1e-10;
  vlSim *sim = start(&scene);
  for (int s = 0; s < 3; s++) {
    vlStepInfo info = step(sim);
    assert_int_equal(info.null_components, 0);
    assert_true(info.iterations <= 80);
    assert_true(info.discarded_flux == 0.0);
  }
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_stream), cmocka_unit_test(test_buoyancy),      cmocka_unit_test(test_power),
      cmocka_unit_test(test_momentum),    cmocka_unit_test(test_solvers_agree), cmocka_unit_test(test_forms_agree),
      cmocka_unit_test(test_moving_pins), cmocka_unit_test(test_energy),        cmocka_unit_test(test_sealed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
