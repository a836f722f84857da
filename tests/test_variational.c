/* The pressure solve as a projection of the velocities of liquid and rigid bodies together [batty2007]: it takes energy, all
 * of it orthogonal to what is left; a second one changes nothing; momentum goes nowhere but into bodies, walls and weight;
 * the matrix is symmetric and positive, its rows add up to their links to the surface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solid/rigid_body.h"
#include "wet_body.h"

static const double RHO = 1000.0, DT = 0.005;

typedef struct Case {
  vlBodyDef body[2];
  vlScene scene;
  vlSim *sim;
  vlPressure *pressure;
  double *u[3]; /* of the liquid before a projection */
} Case;

static vlBodyDef stone(vlVec3 center, double density, const char *name)
{
  vlBodyDef body = turned_box(center, vl_vec(0.31, 0.23, 0.27), 3);
  body.kind = VL_BODY_RIGID;
  body.density = density;
  body.velocity = vl_vec(0.6, -0.8, 0.3);
  body.spin = vl_vec(2.0, -1.0, 3.0);
  strcpy(body.name, name);
  return body;
}

/* Two stones in a turbulent bath without gravity. */
static void begin(Case *c, double density, double level)
{
  c->body[0] = stone(vl_vec(0.3, 0.3, 0.35), density, "one");
  c->body[1] = stone(vl_vec(0.7, 0.35, 0.65), 3.0 * density, "other");
  c->scene = coupled_scene(16, c->body);
  c->scene.body_count = 2;
  c->scene.gravity = vl_vec(0, 0, 0);
  c->scene.liquid.has_level = true;
  c->scene.liquid.level = level;
  c->sim = start(&c->scene);
  c->pressure = vl_sharp(c->sim)->work.pressure;
  uint64_t seed = 7;
  for (int a = 0; a < 3; a++) {
    assert_non_null(c->u[a] = vl_field_create(&vl_sharp(c->sim)->grid));
    for (size_t i = 0; i < vl_sharp(c->sim)->grid.length; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      vl_sharp_before(vl_sharp(c->sim))[a][i] = (double)(seed >> 40) * 0x1p-23 - 1.0;
    }
  }
}

static void finish(Case *c)
{
  for (int a = 0; a < 3; a++) vl_field_destroy(&vl_sharp(c->sim)->grid, &c->u[a]);
  vl_sim_destroy(&c->sim);
}

static void prepare(Case *c)
{
  vlStatus status = {0};
  assert_int_equal(vl_sharp_prepare(vl_sharp(c->sim), DT, &status), VL_OK);
  assert_int_equal(vl_sharp(c->sim)->work.contact.contacts.count, 0);
}

/* From work.u and the bodies' V_free, in place; u keeps what the liquid had, V[b] is what the bodies have then. */
static void project(Case *c, double tolerance, vlRigidMode V[2])
{
  vlStatus status = {0};
  vlPressureSolve result;
  vlFluid fluid = vl_sharp_fluid(vl_sharp(c->sim));
  vlSim *sim = c->sim;
  for (int a = 0; a < 3; a++) memcpy(c->u[a], vl_sharp(sim)->work.u[a], vl_sharp(sim)->grid.length * sizeof(double));
  assert_int_equal(vl_pressure_assemble(c->pressure, &fluid, &status), VL_OK);
  vl_pressure_rhs(c->pressure, &fluid, vl_sharp(sim)->work.u, vl_sharp(sim)->state.p, DT, RHO);
  vl_pressure_rhs_bodies(c->pressure);
  assert_int_equal(vl_pressure_solve(c->pressure, VL_SOLVER_MULTIGRID, (vlSolveOptions){tolerance, 400}, &result, &status),
                   VL_OK);
  assert_int_equal(result.info.reason, VL_SOLVE_CONVERGED);
  vl_coupling_velocity(&c->pressure->coupling, c->pressure->p);
  vl_pressure_store(c->pressure, &fluid, vl_sharp(sim)->state.p);
  vl_pressure_apply(c->pressure, &fluid, vl_sharp(sim)->state.p, vl_sharp(sim)->work.u, NULL, vl_sharp(sim)->work.u);
  for (int b = 0; b < 2; b++) {
    const vlBody *body = vl_sharp(sim)->state.bodies.body[b];
    const vlVec3 *load = c->pressure->coupling.load + vl_sharp(sim)->state.bodies.first_node[b];
    vlVec3 force = vl_vec(0, 0, 0), torque = force;
    for (int i = 0; i < body->node_count; i++) {
      force = vl_add(force, load[i]);
      torque = vl_add(torque, vl_cross(vl_sub(body->x[i], vl_rigid_of(body)->pose.center), load[i]));
    }
    vlRigidMode more = vl_rigid_answer(vl_rigid_of(body), force, torque);
    V[b].v = vl_add(vl_rigid_of(body)->free_v, more.v);
    V[b].omega = vl_add(vl_rigid_of(body)->free_omega, more.omega);
  }
}

/* J: of the liquid's faces that flow, u or u - v where v is given. */
static double liquid_energy(const Case *c, double *const u[3], double *const v[3])
{
  double energy = 0.0;
  vlFluid fluid = vl_sharp_fluid(vl_sharp(c->sim));
  const vlBlocks *wet = &vl_sharp(c->sim)->work.wet;
  for (int b = 0; b < wet->count; b++)
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++)
      for (int a = 0; a < 3; a++) {
        vlLink link = vl_links_at(&c->pressure->links, &fluid, b * VL_BLOCK + l, a);
        ptrdiff_t at = vl_blocks_field(&vl_sharp(c->sim)->grid, wet->at[b]) + l;
        double speed = u[a][at] - (v ? v[a][at] : 0.0);
        if (link.kind) energy += 0.5 * RHO * link.area * link.distance * speed * speed;
      }
  return energy;
}

/* With the liquid that goes along. */
static double body_energy(const vlRigid *r, vlVec3 v, vlVec3 omega)
{
  double carried = 0.0;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      carried += (i < 3 ? v.v[i] : omega.v[i - 3]) * r->carried.m[i][j] * (j < 3 ? v.v[j] : omega.v[j - 3]);
  return 0.5 * (r->mass * vl_dot(v, v) + vl_dot(omega, vl_mat_apply(vl_rigid_inertia(r), omega)) + carried);
}

/* Energy never grows, and what is lost is the energy of the change: the two are orthogonal. Light, even and heavy bodies;
 * with a surface and without air. Then the same again: idempotent. */
static void test_projection(void **state)
{
  (void)state;
  static const double density[] = {1.0, 1000.0, 20000.0};
  for (int k = 0; k < 6; k++) {
    Case c = {0};
    vlRigidMode V[2], again[2];
    begin(&c, density[k % 3], k < 3 ? 0.6 : 2.0);
    prepare(&c);
    double before = 0.0, after = 0.0, change = 0.0, most = 0.0;
    project(&c, 1e-12, V);
    before += liquid_energy(&c, c.u, NULL);
    after += liquid_energy(&c, vl_sharp(c.sim)->work.u, NULL);
    change += liquid_energy(&c, vl_sharp(c.sim)->work.u, c.u);
    for (int b = 0; b < 2; b++) {
      const vlRigid *r = vl_rigid_of(vl_sharp(c.sim)->state.bodies.body[b]);
      before += body_energy(r, r->free_v, r->free_omega);
      after += body_energy(r, V[b].v, V[b].omega);
      change += body_energy(r, vl_sub(V[b].v, r->free_v), vl_sub(V[b].omega, r->free_omega));
    }
    print_message("density %g: %.6g J, then %.6g J, change %.6g J\n", density[k % 3], before, after, change);
    assert_true(after < before);
    assert_true(fabs(before - after - change) <= 1e-10 * before); /* the residual, 1e-12, times pressures */
    /* once more, from there */
    for (int b = 0; b < 2; b++) {
      vlBody *body = vl_sharp(c.sim)->state.bodies.body[b];
      vl_rigid_of(body)->free_v = V[b].v;
      vl_rigid_of(body)->free_omega = V[b].omega;
      for (int i = 0; i < body->node_count; i++)
        body->given[i] = vl_rigid_velocity_at(V[b].v, V[b].omega, vl_rigid_of(body)->pose.center, body->x[i]);
    }
    memset(vl_sharp(c.sim)->state.p, 0, vl_sharp(c.sim)->grid.length * sizeof(double));
    project(&c, 1e-6, again);
    assert_true(liquid_energy(&c, vl_sharp(c.sim)->work.u, c.u) <= 1e-18 * before); /* speeds to 1e-9 */
    for (int b = 0; b < 2; b++) {
      most = fmax(most, vl_norm(vl_sub(again[b].v, V[b].v)));
      most = fmax(most, vl_norm(vl_sub(again[b].omega, V[b].omega)));
    }
    assert_true(most <= 1e-8);
    finish(&c);
  }
}

/* Of liquid, bodies and what walls and weight give, nothing is left over. */
static void test_momentum(void **state)
{
  (void)state;
  vlBodyDef body = stone(vl_vec(0.5, 0.45, 0.5), 200.0, "stone");
  vlScene scene = coupled_scene(20, &body);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.6;
  vlSim *sim = start(&scene);
  const vlRigid *r = vl_rigid_of(vl_sharp(sim)->state.bodies.body[0]);
  double *area[3];
  for (int a = 0; a < 3; a++) assert_non_null(area[a] = vl_field_create(&vl_sharp(sim)->grid));
  for (int s = 0; s < 3; s++) {
    for (int a = 0; a < 3; a++) memcpy(area[a], vl_sharp(sim)->work.area[a], vl_sharp(sim)->grid.length * sizeof(double));
    vlVec3 before = r->momentum, *v0 = copy_velocities(sim);
    vlStepInfo info = step(sim);
    vlVec3 liquid = vl_add(liquid_gain(sim, area), layer_gain(sim, v0)), stone_gain = vl_sub(r->momentum, before);
    vlVec3 outside = vl_sub(vl_axpy(info.weight, r->mass, scene.gravity), info.wall_force);
    vlVec3 off = vl_axpy(vl_add(liquid, stone_gain), -info.dt, outside);
    free(v0);
    assert_true(vl_norm(stone_gain) > 0.01 * r->mass * 9.81 * info.dt);
    assert_true(vl_norm(off) <= 1e-9 * info.dt * vl_norm(info.weight));
  }
  for (int a = 0; a < 3; a++) vl_field_destroy(&vl_sharp(sim)->grid, &area[a]);
  vl_sim_destroy(&sim);
}

/* A hundredth of the water's density, thrown in from above, spinning: it bobs, and neither speeds nor energy run away. */
static void test_light_is_stable(void **state)
{
  (void)state;
  vlBodyDef body = stone(vl_vec(0.5, 0.75, 0.5), 10.0, "cork");
  body.velocity = vl_vec(0.3, -2.0, 0.0);
  vlScene scene = coupled_scene(16, &body);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.5;
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  scene.pressure.tolerance = 1e-6;
  vlSim *sim = start(&scene);
  const vlRigid *r = vl_rigid_of(vl_sharp(sim)->state.bodies.body[0]);
  for (int s = 0; s < 80; s++) {
    vlStepInfo info = step(sim);
    /* sqrt(2 g h) of the box and what it was thrown with */
    assert_true(vl_norm(vl_rigid_velocity(r)) < 2.1 + sqrt(2.0 * 9.81));
    assert_true(info.iterations <= 40);
  }
  /* afloat: its middle above the water's level, and slow */
  print_message("after %g s at %.3f m, %.3f m/s\n", vl_sharp(sim)->state.time, r->pose.center.y,
                vl_norm(vl_rigid_velocity(r)));
  assert_true(r->pose.center.y > 0.5 && r->pose.center.y < 0.8);
  assert_true(vl_norm(vl_rigid_velocity(r)) < 1.0);
  vl_sim_destroy(&sim);
}

/* L without bodies is an M-matrix, and its rows add up to their links to the surface, sum of A_f/(dx2 theta); with bodies
 * the whole is symmetric and not negative, and zero for the constant of a closed box. */
static void test_matrix(void **state)
{
  (void)state;
  for (int full = 0; full < 2; full++) {
    Case c = {0};
    begin(&c, 100.0, full ? 2.0 : 0.57);
    prepare(&c);
    vlFluid fluid = vl_sharp_fluid(vl_sharp(c.sim));
    vl_pressure_rhs(c.pressure, &fluid, vl_sharp(c.sim)->work.u, vl_sharp(c.sim)->state.p, DT, RHO);
    const vlStencil *stencil = &c.pressure->stencil;
    size_t n = vl_stencil_length(stencil);
    double *x[4], *links = calloc(n, sizeof *links);
    for (int k = 0; k < 4; k++) assert_non_null(x[k] = vl_stencil_vector_create((size_t)stencil->blocks.count));
    assert_non_null(links);
    /* the links, face by face */
    const vlBlocks *wet = &vl_sharp(c.sim)->work.wet;
    double dx = vl_sharp(c.sim)->grid.dx;
    for (int b = 0; b < wet->count; b++)
      for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++)
        for (int a = 0; a < 3; a++) {
          vlLink link = vl_links_at(&c.pressure->links, &fluid, b * VL_BLOCK + l, a);
          if (link.kind == VL_LINK_NONE || link.kind == VL_LINK_INNER) continue;
          int at[3] = {wet->at[b].bx * VL_BLOCK + l, wet->at[b].j, wet->at[b].k};
          at[a] -= link.kind == VL_LINK_BELOW;
          int block = vl_blocks_find(&stencil->blocks, at[0] / VL_BLOCK, at[1], at[2]);
          assert_true(block >= 0);
          links[block * VL_BLOCK + at[0] % VL_BLOCK] += link.area / (dx * link.distance);
        }
    for (size_t i = 0; i < n; i++) {
      x[0][i] = stencil->diagonal[i] > 0.0;
      for (int a = 0; a < 3; a++) assert_true(stencil->w[a][i] >= 0.0);
    }
    vl_stencil_apply(stencil, x[0], x[1]);
    int linked = 0;
    for (size_t i = 0; i < n; i++) {
      assert_true(fabs(x[1][i] - links[i]) <= 1e-13 * stencil->diagonal[i]); /* a few roundings of a sum of six */
      linked += links[i] > 0.0;
    }
    assert_true(full ? linked == 0 : linked > 50);
    /* the constant presses in vain on bodies all around */
    if (full) {
      vl_coupling_add(&c.pressure->coupling, NULL, x[0], x[1]);
      for (size_t i = 0; i < n; i++) assert_true(fabs(x[1][i]) <= 1e-10);
    }
    uint64_t seed = 11;
    for (size_t i = 0; i < n; i++)
      for (int k = 0; k < 2; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[k][i] = stencil->diagonal[i] > 0.0 ? (double)(seed >> 40) * 0x1p-23 - 1.0 : 0.0;
      }
    for (int k = 0; k < 2; k++) {
      vl_stencil_apply(stencil, x[k], x[2 + k]);
      vl_coupling_add(&c.pressure->coupling, NULL, x[k], x[2 + k]);
    }
    double one = vl_vector_dot(x[0], x[2], n), two = vl_vector_dot(x[1], x[3], n);
    assert_true(one > 0.0 && two > 0.0);
    assert_true(fabs(vl_vector_dot(x[0], x[3], n) - vl_vector_dot(x[1], x[2], n)) <= 1e-12 * sqrt(one * two));
    for (int k = 0; k < 4; k++) vl_stencil_vector_free(x[k]);
    free(links);
    finish(&c);
  }
}

/* In a full closed tank only differences of pressure count, so walls that may not pull change nothing. */
static void test_full_tank_never_parts(void **state)
{
  (void)state;
  Case c[2] = {0};
  for (int k = 0; k < 2; k++) {
    begin(&c[k], 300.0, 2.0);
    vl_sim_destroy(&c[k].sim);
    c[k].scene.pressure.separation = k;
    c[k].scene.gravity = vl_vec(0, -9.81, 0);
    c[k].sim = start(&c[k].scene);
    step(c[k].sim);
  }
  for (int b = 0; b < 2; b++) {
    const vlRigid *r[2] = {vl_rigid_of(vl_sharp(c[0].sim)->state.bodies.body[b]),
                           vl_rigid_of(vl_sharp(c[1].sim)->state.bodies.body[b])};
    assert_true(vl_norm(vl_sub(vl_rigid_velocity(r[0]), vl_rigid_velocity(r[1]))) <= 1e-8);
    assert_true(vl_norm(vl_rigid_velocity(r[0])) > 0.1);
  }
  for (int a = 0; a < 3; a++)
    for (size_t i = 0; i < vl_sharp(c[0].sim)->grid.length; i++)
      assert_true(fabs(vl_sharp(c[0].sim)->state.u[a][i] - vl_sharp(c[1].sim)->state.u[a][i]) <= 1e-8);
  for (int k = 0; k < 2; k++) finish(&c[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_projection), cmocka_unit_test(test_momentum),
                                     cmocka_unit_test(test_light_is_stable), cmocka_unit_test(test_matrix),
                                     cmocka_unit_test(test_full_tank_never_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
