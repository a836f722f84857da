/* Scripted bodies in liquid: where they are, what they do to liquid that cannot give way, to bodies that can, and what a
 * restart makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "solid/rigid_body.h"
#include "wet_body.h"

/* A plate across the box, without friction on its sides; from x = lo to hi. */
static vlBodyDef plate(double lo, double hi, const char *name)
{
  vlBodyDef body = turned_box(vl_vec(0.5 * (lo + hi), 0.5, 0.5), vl_vec(hi - lo, 1.0, 1.0), 4);
  body.rotation = vl_mat_identity();
  body.friction = 0.0;
  body.kind = VL_BODY_RIGID;
  strcpy(body.name, name);
  return body;
}

static vlMotionDef slide(vlVec3 velocity)
{
  vlMotionDef m = vl_motion_default(VL_MOTION_SLIDE);
  m.velocity = velocity;
  return m;
}

/* Warnings, counted by a word in them. */
typedef struct Told {
  const char *word;
  int count;
} Told;

static void count_told(void *user, vlLogLevel level, const char *line)
{
  Told *told = user;
  told->count += level == VL_LOG_WARNING && strstr(line, told->word) != NULL;
}

static vlSim *start_telling(const vlScene *scene, Told *told)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlSimOptions options = {.threads = 2, .log = {count_told, told}};
  if (vl_sim_create(&sim, scene, options, &status)) fail_msg("%s", status.message);
  return sim;
}

/* Body and liquid move together: nothing on the right-hand side. */
static void test_free_stream(void **state)
{
  (void)state;
  vlMotionDef motion = slide(vl_vec(0.6, -0.3, 0.45));
  vlBodyDef body = turned_box(vl_vec(0.47, 0.45, 0.52), vl_vec(0.31, 0.23, 0.27), 3);
  body.motion = &motion;
  body.motion_count = 1;
  vlScene scene = coupled_scene(24, &body);
  /* the step's velocity is a difference of places over dt: round-off of 1 m / 5 mm */
  assert_true(free_stream(&scene, motion.velocity) <= 1e-10);
}

/* After every step it is where the path has it, to the bit, and its nodes with it; the liquid does not stop it. */
static void test_where_it_is(void **state)
{
  (void)state;
  vlMotionDef motion[2] = {vl_motion_default(VL_MOTION_SPIN), vl_motion_default(VL_MOTION_SWAY)};
  motion[0].axis = vl_vec(1, 1, 0);
  motion[0].rate = 3.0;
  motion[1].amplitude = vl_vec(0.1, 0, 0.05);
  motion[1].frequency = 2.0;
  vlBodyDef body = turned_box(vl_vec(0.47, 0.4, 0.52), vl_vec(0.31, 0.13, 0.27), 3);
  body.motion = motion;
  body.motion_count = 2;
  vlScene scene = coupled_scene(16, &body);
  scene.pressure.tolerance = 1e-6;
  scene.liquid.has_level = true;
  scene.liquid.level = 0.5;
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  scene.check_level = 1;
  scene.time.dt_fixed = 0.0;
  vlSim *sim = start(&scene);
  const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
  vlPath path = vl_path_of(sim->scene, &sim->scene->bodies[0]);
  for (int s = 0; s < 12; s++) {
    step(sim);
    vlPose pose = vl_path_pose(&path, vl_rigid_of(e)->rest_center, vl_sim_time(sim));
    assert_memory_equal(&pose, &vl_rigid_of(e)->pose, sizeof pose);
    for (int i = 0; i < e->node_count; i++)
      assert_true(vl_norm(vl_sub(e->x[i], vl_rigid_place(vl_rigid_of(e), e->rest[i]))) == 0.0);
  }
  /* what drives it works against the liquid: the force on it, and the power of it */
  vlBodyView view = vl_sim_body(sim, 0);
  assert_int_equal(view.kind, VL_BODY_SCRIPTED);
  assert_string_equal(view.kind_name, "scripted");
  assert_true(vl_norm(vl_add(view.info.reaction, view.info.load_force)) <= 1e-9 * vl_norm(view.info.load_force));
  assert_true(view.info.power != 0.0);
  vl_sim_destroy(&sim);
}

/* A piston that fills the end of a full tank, and goes in: all of area times speed is too much. */
static void test_squeezed_chamber(void **state)
{
  (void)state;
  vlMotionDef motion = slide(vl_vec(0.2, 0, 0));
  vlBodyDef piston = plate(-0.1, 0.26, "piston"); /* a part of it begins outside the box */
  piston.motion = &motion;
  piston.motion_count = 1;
  vlScene scene = coupled_scene(12, &piston);
  scene.liquid.has_level = true;
  scene.liquid.level = 2.0;
  vlSim *sim = start(&scene);
  vlStepInfo info = step(sim);
  assert_int_equal(info.null_components, 1);
  assert_true(fabs(info.discarded_flux - 0.2) <= 1e-9);
  vl_sim_destroy(&sim);

  scene.liquid.transfer = VL_TRANSFER_FLIP; /* and with liquid that moves nothing worse comes of it */
  scene.pressure.tolerance = 1e-6;
  scene.check_level = 1;
  Told told = {.word = "squeeze"};
  sim = start_telling(&scene, &told);
  for (int s = 0; s < 60; s++) {
    info = step(sim);
    assert_true(isfinite(info.kinetic_energy) && info.max_speed < 1.0);
  }
  assert_int_equal(told.count, 1);
  assert_true(fabs(info.discarded_flux - 0.2) <= 1e-6);
  vl_sim_destroy(&sim);
}

/* A free piston between two chambers without air, one end of each a scripted piston: only their common pressure is no
 * unknown, and it goes with the volume, whatever it weighs. */
static void test_free_piston(void **state)
{
  (void)state;
  for (int light = 0; light < 2; light++) {
    vlMotionDef motion[2] = {slide(vl_vec(0.2, 0, 0)), slide(vl_vec(0.2, 0, 0))};
    vlBodyDef bodies[3] = {plate(-0.1, 0.17, "left"), plate(0.4, 0.6, "free"), plate(0.81, 1.1, "right")};
    for (int e = 0; e < 2; e++) {
      bodies[2 * e].motion = &motion[e];
      bodies[2 * e].motion_count = 1;
    }
    bodies[1].density = light ? 10.0 : 5000.0;
    vlScene scene = coupled_scene(14, bodies);
    scene.body_count = 3;
    scene.liquid.has_level = true;
    scene.liquid.level = 2.0;
    scene.gravity = vl_vec(0, 0, 0);
    vlSim *sim = start(&scene);
    vlStepInfo info = step(sim);
    vlVec3 v = vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[1]));
    assert_int_equal(info.null_components, 1);
    assert_true(info.discarded_flux <= 1e-9);
    assert_true(vl_norm(vl_sub(v, vl_vec(0.2, 0, 0))) <= 1e-9);
    vl_sim_destroy(&sim);
    /* the right end stands still: what is too much is told, and the pressure stays a number */
    motion[1].velocity = vl_vec(0, 0, 0);
    sim = start(&scene);
    info = step(sim);
    v = vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[1]));
    assert_int_equal(info.null_components, 1);
    assert_true(fabs(info.discarded_flux - 0.2) <= 1e-9);
    assert_true(v.x > 0.0 && v.x < 0.2);
    vl_sim_destroy(&sim);
  }
}

/* Two chambers on both sides of a scripted plate have nothing to do with each other. */
static void test_plate_between(void **state)
{
  (void)state;
  vlMotionDef motion = slide(vl_vec(0.1, 0, 0));
  vlBodyDef body = plate(0.4, 0.6, "plate");
  body.motion = &motion;
  body.motion_count = 1;
  vlScene scene = coupled_scene(12, &body);
  scene.liquid.has_level = true;
  scene.liquid.level = 2.0;
  vlSim *sim = start(&scene);
  vlStepInfo info = step(sim);
  assert_int_equal(info.null_components, 2);
  assert_true(fabs(info.discarded_flux - 0.2) <= 1e-9); /* one is squeezed, one pulled */
  vl_sim_destroy(&sim);
}

/* A scripted plate stands still for five steps, then takes a free block along, which it meets in the first step that it
 * moves, farther away than a contact is looked for without knowing that. */
static void test_pushes_a_free_body(void **state)
{
  (void)state;
  vlMotionDef motion = slide(vl_vec(2.4, 0, 0)); /* 12 mm in a step; a cell has 62.5 */
  motion.start = 0.025;
  vlBodyDef bodies[2] = {plate(0.1, 0.2, "plate"), turned_box(vl_vec(0.283, 0.5, 0.5), vl_vec(0.148, 0.2, 0.2), 2)};
  bodies[0].motion = &motion;
  bodies[0].motion_count = 1;
  bodies[1].rotation = vl_mat_identity();
  bodies[1].kind = VL_BODY_RIGID;
  strcpy(bodies[1].name, "block");
  vlScene scene = coupled_scene(16, bodies);
  scene.body_count = 2;
  scene.gravity = vl_vec(0, 0, 0);
  vlSim *sim = start(&scene);
  for (int s = 0; s < 25; s++) {
    vlStepInfo info = step(sim);
    assert_true(info.overlap <= 0.02 * vl_sharp(sim)->grid.dx);
  }
  vlVec3 v = vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[1]));
  assert_true(fabs(v.x - 2.4) <= 1e-3 * 2.4); /* contacts yield by a thousandth */
  assert_true(fabs(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])->pose.center.x - 0.39) <= 1e-12);
  vl_sim_destroy(&sim);
}

/* Between a scripted plate and the wall there is no room for the block: it is told, and nothing breaks. */
static void test_crushed(void **state)
{
  (void)state;
  vlMotionDef motion = slide(vl_vec(1, 0, 0));
  vlBodyDef bodies[2] = {plate(0.5, 0.6, "plate"), turned_box(vl_vec(0.85, 0.5, 0.5), vl_vec(0.25, 0.2, 0.2), 2)};
  bodies[0].motion = &motion;
  bodies[0].motion_count = 1;
  bodies[1].rotation = vl_mat_identity();
  bodies[1].kind = VL_BODY_RIGID;
  strcpy(bodies[1].name, "block");
  vlScene scene = coupled_scene(16, bodies);
  scene.body_count = 2;
  scene.check_level = 1;
  Told told = {.word = "crushed"};
  vlSim *sim = start_telling(&scene, &told);
  for (int s = 0; s < 40; s++) step(sim);
  assert_true(told.count >= 1 && told.count <= 3);
  assert_true(vl_finite(vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[1]))));
  vl_sim_destroy(&sim);
}

/* Through a post and another scripted body as if they were not there; said before where it leaves the box. */
static void test_passes_through(void **state)
{
  (void)state;
  vlMotionDef motion[2] = {slide(vl_vec(2, 0, 0)), slide(vl_vec(-2, 0, 0))};
  vlBodyDef bodies[2] = {turned_box(vl_vec(0.3, 0.5, 0.5), vl_vec(0.2, 0.2, 0.2), 2),
                         turned_box(vl_vec(0.7, 0.5, 0.5), vl_vec(0.2, 0.2, 0.2), 2)};
  strcpy(bodies[1].name, "other");
  for (int b = 0; b < 2; b++) {
    bodies[b].motion = &motion[b];
    bodies[b].motion_count = 1;
  }
  vlSolidDef post = {.shape = vl_shape_default(VL_SHAPE_BOX)};
  post.shape.center = vl_vec(0.5, 0.5, 0.5);
  post.shape.size = vl_vec(0.1, 2, 0.1);
  vlScene scene = coupled_scene(12, bodies);
  scene.body_count = 2;
  scene.solids = &post;
  scene.solid_count = 1;
  scene.liquid.has_level = true;
  scene.liquid.level = 0.55;
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  scene.pressure.tolerance = 1e-6;
  scene.check_level = 1;
  scene.time.end = 0.5;
  Told told = {.word = "out of the box"};
  vlSim *sim = start_telling(&scene, &told);
  assert_int_equal(told.count, 2);
  for (int s = 0; s < 80; s++) {
    vlStepInfo info = step(sim);
    assert_int_equal(info.contacts, 0);
    assert_true(isfinite(info.kinetic_energy));
  }
  assert_true(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])->pose.center.x > 1.0);
  vl_sim_destroy(&sim);
}

/* No step takes it farther than cfl cells, also one that begins while it stands still. */
static void test_steps_see_it_coming(void **state)
{
  (void)state;
  vlMotionDef motion = vl_motion_default(VL_MOTION_SLIDE);
  motion.velocity = vl_vec(0, 8, 0);
  motion.start = 0.0201; /* just after a step has begun that would be 0.02 s long */
  vlBodyDef body = turned_box(vl_vec(0.5, 0.4, 0.5), vl_vec(0.3, 0.3, 0.3), 2);
  body.motion = &motion;
  body.motion_count = 1;
  vlScene scene = coupled_scene(16, &body);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.2;
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  scene.pressure.tolerance = 1e-6;
  scene.check_level = 1;
  scene.time.dt_fixed = 0.0;
  scene.gravity = vl_vec(0, -0.1, 0);
  vlSim *sim = start(&scene);
  double at = 0.4, far = scene.time.cfl * vl_sharp(sim)->grid.dx;
  bool long_one = false;
  for (int s = 0; s < 12; s++) {
    vlStatus status = {0};
    vlStepInfo info;
    assert_int_equal(vl_sim_step(sim, 0.02, &info, &status), VL_OK);
    double now = vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])->pose.center.y;
    assert_true(now - at <= 1.0001 * far);
    at = now;
    long_one = long_one || info.dt > 0.019;
  }
  assert_true(long_one && at > 0.8);
  vl_sim_destroy(&sim);
}

/* A push that is as large as the weight holds a body in the air, and lets it fall when it ends. */
static void test_pushes(void **state)
{
  (void)state;
  for (int rigid = 0; rigid < 2; rigid++) {
    vlBodyDef body = turned_box(vl_vec(0.5, 0.5, 0.5), vl_vec(0.2, 0.2, 0.2), 2);
    vlPushDef push = {.force = vl_vec(0, 9.81 * 700.0 * 0.008, 0), .end = 0.0525};
    body.kind = rigid ? VL_BODY_RIGID : VL_BODY_ELASTIC;
    body.pushes = &push;
    body.push_count = 1;
    vlScene scene = coupled_scene(12, &body);
    vlSim *sim = start(&scene);
    for (int s = 0; s < 10; s++) step(sim);
    vlBodyInfo info = vl_sim_body(sim, 0).info;
    assert_true(vl_norm(info.momentum) <= 1e-12 * info.mass && vl_norm(info.angular_momentum) <= 1e-12);
    step(sim); /* half of a step is pushed */
    assert_true(fabs(vl_sim_body(sim, 0).info.momentum.y + 0.0025 * 9.81 * info.mass) <= 1e-9 * info.mass);
    vl_sim_destroy(&sim);
  }
}

/* In a slab forces are those on a metre across, as masses are: cells of any size give the same speed. */
static void test_pushes_in_slabs(void **state)
{
  (void)state;
  for (int trial = 0; trial < 4; trial++) {
    vlBodyDef body = turned_box(vl_vec(0.5, 0.5, 0), vl_vec(0.2, 0.2, 0), 2);
    vlPushDef push = {.force = vl_vec(10.0, 0, 0), .end = INFINITY};
    body.rotation = vl_mat_identity();
    body.cells[2] = 1;
    body.kind = trial % 2 ? VL_BODY_RIGID : VL_BODY_ELASTIC;
    body.density = 250.0; /* 10 kg for a metre */
    body.pushes = &push;
    body.push_count = 1;
    vlScene scene = coupled_scene(trial < 2 ? 10 : 20, &body);
    scene.grid.slab = true;
    scene.gravity = vl_vec(0, 0, 0);
    vlSim *sim = start(&scene);
    for (int s = 0; s < 10; s++) step(sim);
    vlBodyInfo info = vl_sim_body(sim, 0).info;
    assert_true(fabs(info.momentum.x / info.mass - 0.05) <= 1e-9); /* 1 m/s2 for 50 ms; round-off of the sums */
    vl_sim_destroy(&sim);
  }
}

/* A wheel in a tank, for what follows. */
static vlScene wheel_scene(vlBodyDef *body, vlMotionDef *motion)
{
  *motion = vl_motion_default(VL_MOTION_SPIN);
  motion->axis = vl_vec(0, 0.2, 1);
  motion->rate = 4.0;
  *body = turned_box(vl_vec(0.5, 0.4, 0.5), vl_vec(0.6, 0.15, 0.4), 3);
  body->motion = motion;
  body->motion_count = 1;
  vlScene scene = coupled_scene(16, body);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.45;
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  scene.pressure.tolerance = 1e-6;
  scene.check_level = 1;
  scene.time.dt_fixed = 0.0;
  return scene;
}

static void steps(vlSim *sim, int count)
{
  vlStatus status = {0};
  for (int s = 0; s < count; s++)
    if (vl_sim_step(sim, 0.01, NULL, &status)) fail_msg("%s", status.message);
}

/* The bytes of a checkpoint; the caller frees them. */
static char *bytes_of(const vlSim *sim, const char *path, long *count)
{
  vlStatus status = {0};
  if (vl_sim_save(sim, path, &status)) fail_msg("%s", status.message);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *count = ftell(file);
  rewind(file);
  char *bytes = malloc((size_t)*count);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, (size_t)*count, file), *count);
  fclose(file);
  return bytes;
}

static void assert_same_state(const vlSim *a, const vlSim *b, const char *path)
{
  long one, two;
  char *x = bytes_of(a, path, &one), *y = bytes_of(b, path, &two);
  assert_int_equal(one, two);
  assert_memory_equal(x, y, (size_t)one);
  free(x);
  free(y);
}

/* Whatever the threads, and whether it was stopped in between: the same bytes. A motion that has the body elsewhere by then
 * is refused; one that changes later goes on. */
static void test_restart(void **state)
{
  (void)state;
  char path[] = "/tmp/vl_scripted_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  vlBodyDef body;
  vlMotionDef motion;
  vlScene scene = wheel_scene(&body, &motion);
  vlStatus status = {0};
  vlSim *through = start_with(&scene, 1), *other = start_with(&scene, 2);
  steps(through, 8);
  steps(other, 8);
  assert_same_state(through, other, path);
  vlSim *resumed = start_with(&scene, 2);
  if (vl_sim_resume(resumed, path, &status)) fail_msg("%s", status.message);
  steps(through, 6);
  steps(resumed, 6);
  char again[sizeof path + 2];
  snprintf(again, sizeof again, "%s.2", path);
  assert_same_state(through, resumed, again);
  vl_sim_destroy(&resumed);
  vl_sim_destroy(&through);

  motion.rate = 4.1;
  resumed = start_with(&scene, 1);
  assert_int_equal(vl_sim_resume(resumed, path, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "motion"));
  vl_sim_destroy(&resumed);
  motion.rate = 4.0;
  motion.end = vl_sim_time(other) + 0.02;
  resumed = start_with(&scene, 1);
  if (vl_sim_resume(resumed, path, &status)) fail_msg("%s", status.message);
  steps(resumed, 6);
  assert_true(vl_norm(vl_rigid_omega(vl_rigid_of(vl_sharp(resumed)->state.bodies.body[0]))) == 0.0); /* it has stopped */
  vl_sim_destroy(&resumed);
  vl_sim_destroy(&other);
  unlink(path);
  unlink(again);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_stream), cmocka_unit_test(test_where_it_is),     cmocka_unit_test(test_squeezed_chamber),
      cmocka_unit_test(test_free_piston), cmocka_unit_test(test_plate_between),   cmocka_unit_test(test_pushes_a_free_body),
      cmocka_unit_test(test_crushed),     cmocka_unit_test(test_passes_through),  cmocka_unit_test(test_steps_see_it_coming),
      cmocka_unit_test(test_pushes),      cmocka_unit_test(test_pushes_in_slabs), cmocka_unit_test(test_restart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
