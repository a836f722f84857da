/* Moving liquid through the whole program: free fall, rest, a dam break, solids, sources and sinks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "moving.h"

typedef struct Cloud {
  vlVec3 middle;   /* m */
  vlVec3 momentum; /* kg m/s */
  double mass;     /* kg */
} Cloud;

static Cloud cloud_of(const vlSim *sim)
{
  const vlParticles *p = vl_sharp(sim)->state.particles;
  const vlGrid *g = &vl_sharp(sim)->grid;
  double each = sim->scene->liquid.density * pow(g->dx, 3) / vl_sharp(sim)->per_cell;
  Cloud cloud = {.mass = each * (double)p->count};
  for (size_t i = 0; i < p->count; i++) {
    vlVec3 x = vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]);
    cloud.middle = vl_axpy(cloud.middle, g->dx / (double)p->count, x);
    cloud.momentum = vl_axpy(cloud.momentum, each, vl_vec((double)p->v[0][i], (double)p->v[1][i], (double)p->v[2][i]));
  }
  cloud.middle = vl_add(cloud.middle, g->origin);
  return cloud;
}

/* Nothing acts on a ball in the air but gravity. */
static void free_fall(vlTransferKind transfer, bool slab)
{
  vlScene scene = moving_scene(slab ? 48 : 28);
  vlShape ball = make_shape(VL_SHAPE_SPHERE, vl_vec(0.4, 0.75, slab ? 0.0 : 0.5));
  ball.radius = 0.15;
  scene.grid.slab = slab;
  scene.liquid.shapes = &ball;
  scene.liquid.shape_count = 1;
  scene.liquid.transfer = transfer;
  scene.liquid.velocity = vl_vec(0.5, 0.0, 0.0);
  vlSim *sim = start(&scene, 1);
  Cloud before = cloud_of(sim);
  vlStepInfo info = advance_to(sim, 0.25);
  Cloud after = cloud_of(sim);
  double t = vl_sim_time(sim), fall = 0.5 * 9.81 * t * t;
  assert_true(fabs(t - 0.25) < 1e-9);
  /* one per cent of the fall; velocities are stepped first, places after, which is off by dt/t of it: g t dt / 2 */
  assert_true(fabs(before.middle.y - after.middle.y - fall) < 0.01 * fall + 0.5 * 9.81 * t * info.dt);
  assert_true(fabs(after.middle.x - before.middle.x - 0.5 * t) < 0.01 * 0.5 * t);
  assert_true(fabs(after.momentum.y + after.mass * 9.81 * t) < 0.01 * after.mass * 9.81 * t);
  assert_true(fabs(after.momentum.x - after.mass * 0.5) < 0.01 * after.mass * 0.5);
  /* the step tells of the particles as they are after it */
  assert_true(fabs(info.momentum.y - after.momentum.y) < 1e-6 * fabs(after.momentum.y));
  assert_true(fabs(info.potential_energy - after.mass * 9.81 * after.middle.y) < 1e-6 * info.potential_energy);
  assert_int_equal(info.particles, vl_sharp(sim)->state.particles->count);
  assert_int_equal(info.stuck, 0);
  vl_sim_destroy(&sim);
}

static void test_free_fall(void **state)
{
  (void)state;
  free_fall(VL_TRANSFER_FLIP, false);
  free_fall(VL_TRANSFER_APIC, false);
  free_fall(VL_TRANSFER_PIC, true);
  free_fall(VL_TRANSFER_SEMI_LAGRANGIAN, true);
}

/* Mean height of the zero crossings of phi over all columns, m. */
static double level_of(const vlSim *sim)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  double sum = 0.0;
  int count = 0;
  for (int k = 0; k < g->n[2]; k++)
    for (int i = 0; i < g->n[0]; i++)
      for (int j = 0; j + 1 < g->n[1]; j++) {
        double a = vl_sharp(sim)->work.level.phi[vl_grid_at(g, i, j, k)],
               b = vl_sharp(sim)->work.level.phi[vl_grid_at(g, i, j + 1, k)];
        if (!(a < 0.0 && b >= 0.0)) continue;
        sum += g->origin.y + (j + 0.5 + a / (a - b)) * g->dx;
        count++;
      }
  return sum / count;
}

/* Rest stays rest: the level within 0.05 cells, no speed above 0.05 sqrt(g H), no energy gained after a second. */
static void pool_at_rest(vlTransferKind transfer, double depth)
{
  vlScene scene = moving_scene(16);
  scene.liquid.has_level = true;
  scene.liquid.level = depth / 16.0;
  scene.liquid.transfer = transfer;
  vlSim *sim = start(&scene, 1);
  double level = level_of(sim), speed = 0.0, early = 0.0, late = 0.0;
  size_t count = vl_sharp(sim)->state.particles->count;
  while (vl_sim_time(sim) < 3.0 - 1e-9) {
    vlStepInfo info = one_step(sim, 1.0 / 30.0);
    speed = fmax(speed, info.max_speed);
    /* means over a few periods of the waves */
    if (info.time > 0.75 && info.time <= 1.25) early += info.dt * info.kinetic_energy;
    if (info.time > 2.5) late += info.dt * info.kinetic_energy;
  }
  double drift = (level_of(sim) - level) / vl_sharp(sim)->grid.dx, allowed = 0.05 * sqrt(9.81 * scene.liquid.level);
  if (speed > allowed || fabs(drift) > 0.05)
    fail_msg("depth %g: speed up to %.4f m/s of %.4f, drift %.4f cells", depth, speed, allowed, drift);
  assert_true(late <= early);
  assert_int_equal(vl_sharp(sim)->state.particles->count, count);
  vl_sim_destroy(&sim);
}

/* Depths in cells: just above and below the middles of cells the surface passes through cells that come and go. */
static void test_pool_at_rest(void **state)
{
  (void)state;
  pool_at_rest(VL_TRANSFER_FLIP, 6.0);
  pool_at_rest(VL_TRANSFER_FLIP, 6.3);
  pool_at_rest(VL_TRANSFER_FLIP, 6.49);
  pool_at_rest(VL_TRANSFER_FLIP, 6.54);
  pool_at_rest(VL_TRANSFER_APIC, 6.6);
}

/* J: of particles, which in PIC have the grid's velocity. */
static double moving_energy(const vlSim *sim)
{
  const vlParticles *p = vl_sharp(sim)->state.particles;
  double sum = 0.0;
  for (size_t i = 0; i < p->count; i++)
    for (int a = 0; a < 3; a++) sum += 0.5 * (double)p->v[a][i] * (double)p->v[a][i];
  return sum * cloud_of(sim).mass / (double)p->count;
}

static void test_dam_break(void **state)
{
  (void)state;
  for (int kind = 0; kind < VL_TRANSFER_STILL; kind++) {
    vlScene scene = moving_scene(kind == VL_TRANSFER_FLIP ? 24 : 16);
    vlShape column = make_shape(VL_SHAPE_BOX, vl_vec(0.2, 0.3, 0.5));
    column.size = vl_vec(0.4, 0.6, 1.0);
    scene.liquid.shapes = &column;
    scene.liquid.shape_count = 1;
    scene.liquid.transfer = (vlTransferKind)kind;
    scene.liquid.integrator = kind % 2 ? VL_INTEGRATOR_RK2 : VL_INTEGRATOR_RK3;
    vlSim *sim = start(&scene, 1);
    size_t count = vl_sharp(sim)->state.particles->count;
    double first = cloud_of(sim).mass * 9.81 * cloud_of(sim).middle.y, volume = 0.0, most = 0.0, off = 0.0;
    int64_t stuck = 0;
    while (vl_sim_time(sim) < 0.5) {
      vlStepInfo info = one_step(sim, 1.0 / 30.0);
      if (info.step == 1) volume = info.volume;
      most = fmax(most, (info.kinetic_energy + info.potential_energy) / first);
      off = fmax(off, fabs(info.volume / volume - 1.0));
      stuck += info.stuck;
      if (kind == VL_TRANSFER_PIC) assert_true(fabs(info.kinetic_energy / moving_energy(sim) - 1.0) <= 0.005);
    }
    assert_true(most <= 1.005);
    assert_true(off <= 0.03);
    assert_int_equal(vl_sharp(sim)->state.particles->count, count);
    assert_int_equal(stuck, 0);
    /* it has moved */
    assert_true(cloud_of(sim).middle.x > 0.3 && vl_sharp(sim)->state.max_speed > 1.0);
    vl_sim_destroy(&sim);
  }
}

/* A column breaks in a tilted container against a turned block: no particle is lost, none enters a solid. */
static void test_out_of_solids(void **state)
{
  (void)state;
  vlSolidDef solids[2] = {{.name = "tank", .container = true, .shape = make_shape(VL_SHAPE_BOX, vl_vec(0.5, 0.5, 0.5))},
                          {.name = "block", .shape = make_shape(VL_SHAPE_BOX, vl_vec(0.62, 0.3, 0.5))}};
  solids[0].shape.size = vl_vec(0.8, 0.7, 0.6);
  solids[0].shape.rotation = vl_mat_rotation(VL_Z, 0.2);
  solids[1].shape.size = vl_vec(0.15, 0.3, 0.2);
  solids[1].shape.rotation = vl_mat_rotation(VL_Y, 0.4);
  vlShape column = make_shape(VL_SHAPE_BOX, vl_vec(0.2, 0.4, 0.5));
  column.size = vl_vec(0.4, 0.7, 1.0);
  vlScene scene = moving_scene(26);
  scene.solids = solids;
  scene.solid_count = 2;
  scene.liquid.shapes = &column;
  scene.liquid.shape_count = 1;
  vlSim *sim = start(&scene, 1);
  const vlParticles *p = vl_sharp(sim)->state.particles;
  size_t count = p->count;
  int64_t stuck = 0;
  assert_true(count > 5000);
  while (vl_sim_time(sim) < 0.5) {
    stuck += one_step(sim, 1.0 / 30.0).stuck;
    double deepest = 1.0;
    for (size_t i = 0; i < p->count; i += 3) {
      vlVec3 x = vl_axpy(vl_sharp(sim)->grid.origin, vl_sharp(sim)->grid.dx,
                         vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]));
      deepest = fmin(deepest, vl_statics_distance(vl_sharp(sim)->statics, x) / vl_sharp(sim)->grid.dx);
    }
    /* particles are kept out by the distance between corners, which cuts the block's edges */
    assert_true(deepest > -0.45);
  }
  assert_int_equal(p->count, count);
  assert_int_equal(stuck, 0);
  vl_sim_destroy(&sim);
}

/* A source adds what it says, a sink takes away, and both are counted. */
static void test_source_and_sink(void **state)
{
  (void)state;
  vlSourceDef source = {.shape = make_shape(VL_SHAPE_BOX, vl_vec(0.15, 0.8, 0.5)), .velocity = vl_vec(1, 0, 0), .end = 0.2};
  source.shape.size = vl_vec(0.2, 0.2, 0.2);
  vlSinkDef sink = {.shape = make_shape(VL_SHAPE_BOX, vl_vec(0.5, 0.0, 0.5))};
  sink.shape.size = vl_vec(1, 0.6, 1);
  vlScene scene = moving_scene(25);
  scene.liquid.sources = &source;
  scene.liquid.source_count = 1;
  scene.liquid.sinks = &sink;
  scene.liquid.sink_count = 1;
  vlSim *sim = start(&scene, 1);
  const vlParticles *p = vl_sharp(sim)->state.particles;
  int64_t added = (int64_t)p->count, removed = 0, late = 0; /* it is full from the start */
  while (vl_sim_time(sim) < 0.6) {
    double before = vl_sim_time(sim);
    vlStepInfo info = one_step(sim, 1.0 / 60.0);
    added += info.added;
    removed += info.removed;
    if (before >= 0.2) late += info.added;
    assert_int_equal(p->count, added - removed);
    assert_int_equal(info.particles, added - removed);
    for (size_t i = 0; i < p->count; i++) assert_true((double)p->x[1][i] * vl_sharp(sim)->grid.dx >= 0.3 - 1e-6);
  }
  /* 0.008 m3 at once, then 0.04 m2 at 1 m/s for 0.2 s: 0.016 m3, less what the last step before 0.2 s brings after it */
  double volume = (double)added * pow(vl_sharp(sim)->grid.dx, 3) / 8;
  assert_true(volume > 0.0147 && volume < 0.0165);
  assert_int_equal(late, 0);
  assert_true(removed > added / 2);
  vl_sim_destroy(&sim);
}

/* The flow out of a source is its velocity times its section, whatever the speed and the transfer. */
static void test_source_flux(void **state)
{
  (void)state;
  for (int n = 0; n < 6; n++) {
    double speed = n % 3 == 0 ? 0.5 : n % 3 == 1 ? 2.0 : 8.0, end = 0.4 / speed;
    vlSourceDef source = {
        .shape = make_shape(VL_SHAPE_BOX, vl_vec(0.2, 0.5, 0.5)), .velocity = vl_vec(speed, 0, 0), .end = 1e9};
    source.shape.size = vl_vec(0.2, 0.2, 0.2);
    vlScene scene = moving_scene(24);
    scene.gravity = vl_vec(0, 0, 0);
    scene.liquid.sources = &source;
    scene.liquid.source_count = 1;
    scene.liquid.transfer = n < 3 ? VL_TRANSFER_FLIP : VL_TRANSFER_SEMI_LAGRANGIAN;
    vlSim *sim = start(&scene, 1);
    vlStepInfo info = advance_to(sim, end);
    double volume = info.particle_volume, expected = 0.008 + 0.04 * speed * end;
    if (fabs(volume / expected - 1.0) > 0.05)
      fail_msg("%g m/s, transfer %d: %.5f m3 of %.5f", speed, n / 3, volume, expected);
    /* and it has gone where it was sent, up to 0.3 + 0.4 m */
    double farthest = 0.0;
    for (size_t i = 0; i < vl_sharp(sim)->state.particles->count; i++)
      farthest = fmax(farthest, (double)vl_sharp(sim)->state.particles->x[0][i] / 24);
    if (!(farthest > 0.6 && farthest < 0.75)) fail_msg("%g m/s, transfer %d: %g m", speed, n / 3, farthest);
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_fall),     cmocka_unit_test(test_pool_at_rest),    cmocka_unit_test(test_dam_break),
      cmocka_unit_test(test_out_of_solids), cmocka_unit_test(test_source_and_sink), cmocka_unit_test(test_source_flux),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
