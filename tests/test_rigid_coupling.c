/* Rigid bodies and liquid in one solve: rest, free stream, momentum, closed boxes, light and heavy ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solid/rigid_body.h"
#include "wet_body.h"

static vlBodyDef stone(double density)
{
  vlBodyDef body = turned_box(vl_vec(0.47, 0.45, 0.52), vl_vec(0.31, 0.23, 0.27), 3);
  body.kind = VL_BODY_RIGID;
  body.density = density;
  return body;
}

/* Body and liquid move together and nothing pushes. */
static void test_free_stream(void **state)
{
  (void)state;
  vlBodyDef body = stone(700.0);
  body.velocity = vl_vec(0.6, -0.3, 0.45);
  vlScene scene = coupled_scene(24, &body);
  assert_true(free_stream(&scene, body.velocity) <= 1e-11);
}

/* In a full closed box: the mean pressure is no unknown, with one region around the body; a heavy body sinks, a light one
 * rises, both at what added mass allows, and momentum balances. */
static void test_closed_box(void **state)
{
  (void)state;
  for (int c = 0; c < 4; c++) {
    const double density[] = {1.0, 300.0, 3000.0, 100000.0};
    vlBodyDef body = stone(density[c]);
    vlScene scene = coupled_scene(20, &body);
    scene.liquid.has_level = true;
    scene.liquid.level = 2.0;
    scene.pressure.tolerance = 1e-11;
    vlSim *sim = start(&scene);
    const vlRigid *r = vl_rigid_of(vl_sharp(sim)->state.bodies.body[0]);
    vlVec3 before = r->momentum;
    vlStepInfo info = step(sim);
    assert_int_equal(info.null_components, 1);
    assert_true(info.iterations <= 60);
    /* the body's momentum changes by weight and pressure */
    vlVec3 push = vl_add(info.body_force, vl_scale(scene.gravity, r->mass));
    vlVec3 gained = vl_sub(r->momentum, before);
    assert_true(vl_norm(vl_axpy(gained, -info.dt, push)) <= 1e-9 * r->mass * 9.81 * info.dt);
    double v = vl_rigid_velocity(r).y;
    assert_true(density[c] < 1000.0 ? v > 0.0 : v < 0.0);
    assert_true(fabs(v) <= 9.81 * info.dt * (density[c] < 1000.0 ? 2.0 : 1.0)); /* added mass of at least half the water */
    vl_sim_destroy(&sim);
  }
}

/* A body of a thousandth of the water's density let go under water rises calmly. */
static void test_light_one(void **state)
{
  (void)state;
  vlBodyDef body = stone(1.0);
  vlScene scene = coupled_scene(20, &body);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.8;
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  vlSim *sim = start(&scene);
  double fastest = 0.0;
  for (int s = 0; s < 20; s++) {
    step(sim);
    fastest = fmax(fastest, vl_norm(vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0]))));
  }
  assert_true(vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])).y > 0.1);
  assert_true(fastest < 20 * scene.time.dt_fixed * 2.0 * 9.81);
  vl_sim_destroy(&sim);
}

/* The six numbers are what the nodes say: distances between nodes stay. */
static void test_stays_rigid(void **state)
{
  (void)state;
  vlBodyDef body = stone(400.0);
  body.spin = vl_vec(1, 2, -1);
  vlScene scene = coupled_scene(20, &body);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.5;
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  vlSim *sim = start(&scene);
  for (int s = 0; s < 10; s++) step(sim);
  const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  for (int i = 1; i < e->node_count; i++) {
    double now = vl_norm(vl_sub(e->x[i], e->x[0])), rest = vl_norm(vl_sub(e->rest[i], e->rest[0]));
    assert_true(fabs(now - rest) <= 1e-12);
  }
  vl_sim_destroy(&sim);
}

/* An elastic and a rigid body in one bath are one solve: the light rigid one rises. */
static void test_with_elastic(void **state)
{
  (void)state;
  vlBodyDef bodies[2] = {stone(500.0), turned_box(vl_vec(0.75, 0.4, 0.3), vl_vec(0.15, 0.2, 0.15), 2)};
  bodies[0].center = vl_vec(0.3, 0.4, 0.6);
  strcpy(bodies[1].name, "jelly");
  vlScene scene = coupled_scene(20, bodies);
  scene.body_count = 2;
  scene.liquid.has_level = true;
  scene.liquid.level = 0.6;
  vlSim *sim = start(&scene);
  vlStepInfo info = step(sim);
  assert_true(info.iterations <= 80);
  assert_true(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0]) && !vl_rigid_of(vl_sharp(sim)->state.bodies.body[1]));
  assert_true(vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])).y > 0.0);
  /* the tank is full: the elastic one gives the pressure its level */
  vl_sim_destroy(&sim);
  scene.liquid.level = 2.0;
  sim = start(&scene);
  info = step(sim);
  assert_int_equal(info.null_components, 0);
  assert_int_equal(vl_sharp(sim)->work.pressure->sealed_count, 1);
  assert_true(info.iterations <= 80);
  vl_sim_destroy(&sim);
}

/* Dropped onto the floor it comes to rest there, without water. */
static void test_lands(void **state)
{
  (void)state;
  vlBodyDef body = stone(700.0);
  body.rotation = vl_mat_rotation(2, 0.1);
  body.center = vl_vec(0.5, 0.16, 0.5);
  vlScene scene = coupled_scene(16, &body);
  vlSim *sim = start(&scene);
  for (int s = 0; s < 200; s++) step(sim);
  const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  double lowest = 1.0, fastest = 0.0;
  for (int i = 0; i < e->node_count; i++) {
    lowest = fmin(lowest, e->x[i].y);
    fastest = fmax(fastest, vl_norm(e->v[i]));
  }
  assert_true(lowest > -0.05 * vl_sharp(sim)->grid.dx && lowest < 0.1 * vl_sharp(sim)->grid.dx);
  assert_true(fastest < 1e-3);
  vl_sim_destroy(&sim);
}

/* A piston across a full tank, free on all sides by a fraction of a cell at most: two chambers, of whose pressures only the
 * common part is no unknown. It follows a push at once, and what one chamber loses the other gains. */
static void test_piston(void **state)
{
  (void)state;
  vlBodyDef piston = turned_box(vl_vec(0.5, 0.5, 0.5), vl_vec(0.25, 1.0, 1.0), 4);
  piston.rotation = vl_mat_rotation(0, 0.0);
  piston.kind = VL_BODY_RIGID;
  piston.density = 500.0;
  piston.velocity = vl_vec(0.2, 0, 0);
  vlScene scene = coupled_scene(16, &piston);
  scene.gravity = vl_vec(0, 0, 0);
  scene.liquid.has_level = true;
  scene.liquid.level = 2.0;
  vlSim *sim = start(&scene);
  vlStepInfo info = step(sim);
  /* between rigid ends nothing can move, whatever the piston weighs: each chamber keeps its volume */
  assert_true(info.null_components >= 1);
  assert_true(fabs(vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])).x) <= 1e-9);
  vl_sim_destroy(&sim);
}

/* A dry rigid body somewhere changes nothing for liquid sealed by an elastic one of which a part is held. */
static void test_dry_one_is_no_matter(void **state)
{
  (void)state;
  int iterations[2];
  for (int dry = 0; dry < 2; dry++) {
    vlBodyDef bodies[2] = {turned_box(vl_vec(0.5, 0.4, 0.5), vl_vec(0.35, 0.3, 0.35), 3), stone(800.0)};
    vlPinDef half = vl_pin_default(VL_SHAPE_BOX);
    half.region.size = vl_vec(1.0, 4, 4);
    bodies[0].pins = &half;
    bodies[0].pin_count = 1;
    bodies[1].center = vl_vec(0.85, 0.9, 0.85);
    bodies[1].size = vl_vec(0.1, 0.1, 0.1);
    strcpy(bodies[1].name, "dry");
    vlScene scene = coupled_scene(20, bodies);
    scene.body_count = 1 + dry;
    scene.liquid.has_level = true;
    scene.liquid.level = 0.7;
    vlSolidDef lid = {.shape = vl_shape_default(VL_SHAPE_BOX)};
    lid.shape.center = vl_vec(0.5, 0.72, 0.5);
    lid.shape.size = vl_vec(2, 0.16, 2);
    scene.solids = &lid;
    scene.solid_count = 1;
    vlSim *sim = start(&scene);
    vlStepInfo info = step(sim);
    assert_int_equal(info.null_components, 0);
    iterations[dry] = info.iterations;
    vl_sim_destroy(&sim);
  }
  assert_int_equal(iterations[0], iterations[1]);
}

/* Pressure and node velocities of one step, in new memory. */
static double *one_step(const vlScene *scene, size_t *cells, size_t *all, double *discarded)
{
  vlSim *sim = start(scene);
  vlStepInfo info = step(sim);
  *discarded = info.discarded_flux;
  *cells = vl_stencil_length(&vl_sharp(sim)->work.pressure->stencil);
  size_t nodes = (size_t)vl_sharp(sim)->state.bodies.first_node[scene->body_count];
  double *x = malloc((*cells + 3 * nodes) * sizeof *x);
  assert_non_null(x);
  memcpy(x, vl_sharp(sim)->work.pressure->p, *cells * sizeof *x);
  for (int b = 0; b < scene->body_count; b++)
    memcpy(x + *cells + 3 * vl_sharp(sim)->state.bodies.first_node[b], vl_sharp(sim)->state.bodies.body[b]->v,
           (size_t)vl_sharp(sim)->state.bodies.body[b]->node_count * sizeof(vlVec3));
  *all = *cells + 3 * nodes;
  vl_sim_destroy(&sim);
  return x;
}

static double apart(const double *x, const double *y, size_t n)
{
  double most = 0.0, off = 0.0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(y[i]));
    off = fmax(off, fabs(x[i] - y[i]));
  }
  return off / most;
}

/* Every form and every method has the answer of schur: a rigid body alone, beside an elastic one, in a box without air where
 * the mean pressure is no unknown, in a slab. */
static void test_forms_agree(void **state)
{
  (void)state;
  for (int c = 0; c < 4; c++) {
    vlBodyDef bodies[2] = {stone(300.0), turned_box(vl_vec(0.75, 0.4, 0.3), vl_vec(0.2, 0.2, 0.2), 2)};
    bodies[0].center = c == 1 ? vl_vec(0.3, 0.4, 0.6) : vl_vec(0.47, 0.45, 0.52);
    bodies[0].velocity = vl_vec(0.3, -0.2, 0.1);
    bodies[0].spin = vl_vec(1.0, 0.0, 2.0);
    strcpy(bodies[1].name, "jelly");
    vlScene scene = coupled_scene(c == 3 ? 24 : 16, bodies);
    scene.body_count = c == 1 ? 2 : 1;
    scene.liquid.has_level = true;
    scene.liquid.level = c == 2 ? 2.0 : 0.6;
    scene.pressure.tolerance = 1e-11;
    scene.pressure.max_iterations = 5000;
    if (c == 3) {
      scene.grid.slab = true;
      bodies[0].center.z = bodies[0].velocity.z = bodies[0].spin.x = 0.0;
      bodies[0].rotation = vl_mat_rotation(2, 0.7);
      bodies[0].size.z = 1.0 / 24;
      bodies[0].cells[2] = 1;
    }
    size_t cells, all;
    double discarded, *schur = one_step(&scene, &cells, &all, &discarded);
    static const vlCouplingKind kinds[] = {VL_COUPLING_SPD, VL_COUPLING_INDEFINITE, VL_COUPLING_MINRES};
    for (int k = 0; k < 3; k++) {
      scene.coupling.kind = kinds[k];
      double *other = one_step(&scene, &cells, &all, &discarded);
      double p = apart(other, schur, cells), v = apart(other + cells, schur + cells, all - cells);
      print_message("case %d, form %d: p %.1e v %.1e\n", c, (int)kinds[k], p, v);
      assert_true(p <= 1e-8 && v <= 1e-8);
      free(other);
    }
    scene.coupling.kind = VL_COUPLING_SCHUR;
    static const vlSolverKind solvers[] = {VL_SOLVER_MIC, VL_SOLVER_IC, VL_SOLVER_JACOBI, VL_SOLVER_CHOLMOD};
    for (int k = 0; k < 4; k++) {
      scene.pressure.solver = solvers[k];
      double *other = one_step(&scene, &cells, &all, &discarded);
      double p = apart(other, schur, cells), v = apart(other + cells, schur + cells, all - cells);
      print_message("case %d, method %d: p %.1e v %.1e\n", c, (int)solvers[k], p, v);
      assert_true(p <= 1e-8 && v <= 1e-8);
      free(other);
    }
    free(schur);
  }
}

/* A rigid body has no elasticity to treat apart: damping_only is schur to the last bit. Weak coupling takes last step's
 * pressure: heavy bodies fall as they should, to a percent of schur after a few steps. */
static void test_forms_for_comparison(void **state)
{
  (void)state;
  double speed[3];
  static const vlCouplingKind kinds[] = {VL_COUPLING_SCHUR, VL_COUPLING_DAMPING_ONLY, VL_COUPLING_WEAK};
  for (int k = 0; k < 3; k++) {
    vlBodyDef body = stone(20000.0);
    vlScene scene = coupled_scene(16, &body);
    scene.coupling.kind = kinds[k];
    scene.liquid.has_level = true;
    scene.liquid.level = 0.8;
    vlSim *sim = start(&scene);
    for (int s = 0; s < 10; s++) step(sim);
    speed[k] = vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])).y;
    vl_sim_destroy(&sim);
  }
  print_message("schur %g, damping only %g, weak %g m/s\n", speed[0], speed[1], speed[2]);
  assert_true(speed[1] == speed[0]);
  assert_true(speed[0] < -0.3 && fabs(speed[2] - speed[0]) < 0.02 * fabs(speed[0]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_stream),  cmocka_unit_test(test_closed_box),
                                     cmocka_unit_test(test_light_one),    cmocka_unit_test(test_stays_rigid),
                                     cmocka_unit_test(test_with_elastic), cmocka_unit_test(test_lands),
                                     cmocka_unit_test(test_piston),       cmocka_unit_test(test_dry_one_is_no_matter),
                                     cmocka_unit_test(test_forms_agree),  cmocka_unit_test(test_forms_for_comparison)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
