/* Bodies of scenes: where they are, how they begin, what is pinned and where pins go, what is refused. Bodies step alone
 * here, without liquid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "scene/scene.h"
#include "solid/body_set.h"
#include "solid/elastic.h"

static const vlVec3 no_gravity = {{0, 0, 0}};

static void load(vlScene *scene, vlBodySet *bodies, const char *text)
{
  vlStatus status = {0};
  if (vl_scene_parse(scene, text, strlen(text), "test.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  if (vl_bodies_create(bodies, scene, (vlLog){0}, &status)) fail_msg("%s", status.message);
}

static void unload(vlScene *scene, vlBodySet *bodies)
{
  vl_bodies_clear(bodies);
  assert_true(!bodies->body && !bodies->first_node && bodies->count == 0);
  vl_scene_clear(scene);
}

static void step(vlBodySet *bodies, double time, double dt, vlVec3 gravity)
{
  vlStatus status = {0};
  vl_bodies_drive(bodies, time, dt);
  for (int b = 0; b < bodies->count; b++)
    if (vl_body_begin(bodies->body[b], dt, gravity, &status) || vl_body_finish(bodies->body[b], NULL, &status))
      fail_msg("%s", status.message);
}

static int count_held(const vlBody *body)
{
  int count = 0;
  for (int i = 0; i < 3 * body->node_count; i++) count += body->held[i];
  return count;
}

/* Two pins of one node hold it along the axes of both, as one with all these axes does, whatever their order. */
static void test_pins_add_up(void **state)
{
  (void)state;
  static const char *const pins[] = {
      "{shape: box, center: [0.3, 0.6, 0.5], size: [0.02, 0.2, 0.2], axes: xyz}",
      "{shape: box, center: [0.3, 0.6, 0.5], size: [0.02, 0.2, 0.2], axes: x}, {shape: box, center: [0.3, 0.6, 0.5], size: "
      "[0.02, 0.2, 0.2], axes: yz}",
      "{shape: sphere, center: [0.3, 0.6, 0.5], radius: 0.1, axes: zy}, {shape: box, center: [0.3, 0.6, 0.5], size: [0.02, "
      "0.2, 0.2], axes: xz}"};
  vlVec3 tip[3];
  for (int p = 0; p < 3; p++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "bodies: [{name: beam, shape: box, center: [0.5, 0.6, 0.5], size: [0.4, 0.1, 0.1], cells: [4, 1, 1], young: 1e5, "
        "pins: [%s]}]",
        pins[p]);
    vlScene scene;
    vlBodySet bodies;
    load(&scene, &bodies, text);
    assert_int_equal(count_held(bodies.body[0]), 12);
    for (int s = 0; s < 5; s++) step(&bodies, 0.01 * s, 0.01, vl_vec(1, -9.81, 2));
    tip[p] = bodies.body[0]->x[bodies.body[0]->node_count - 1];
    unload(&scene, &bodies);
  }
  assert_memory_equal(&tip[0], &tip[1], sizeof tip[0]);
  assert_memory_equal(&tip[0], &tip[2], sizeof tip[0]);
}

static void test_none(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  load(&scene, &bodies, "{}");
  assert_true(bodies.count == 0 && vl_bodies_fastest(&bodies) == 0.0);
  vl_bodies_drive(&bodies, 0.0, 0.1);
  unload(&scene, &bodies);
  vl_bodies_clear(NULL);
}

/* A turned box, in its own axes, is the box; it starts at rest there. */
static void test_box(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  load(&scene, &bodies,
       "bodies: [{shape: box, center: [0.5, 0.6, 0.4], size: [0.1, 0.2, 0.3], cells: [2, 3, 4], rotate: \"z 30, x 20\", "
       "density: 500}]");
  const vlBody *body = bodies.body[0];
  const vlBodyDef *def = &scene.bodies[0];
  assert_true(body->node_count == 3 * 4 * 5 && body->element_count == 6 * 2 * 3 * 4 && ((vlElastic *)body)->dt_old == 0.0);
  vlBox3 own = vl_box_empty();
  vlMat3 back = vl_mat_transpose(def->rotation);
  for (int i = 0; i < body->node_count; i++) {
    own = vl_box_add(own, vl_mat_apply(back, vl_sub(body->rest[i], def->center)));
    assert_memory_equal(&body->x[i], &body->rest[i], sizeof body->x[i]);
    assert_memory_equal(&body->first[i], &body->rest[i], sizeof body->x[i]);
  }
  /* some roundings of numbers below 1 */
  assert_true(vl_norm(vl_sub(own.hi, vl_scale(def->size, 0.5))) < 1e-15);
  assert_true(vl_norm(vl_add(own.lo, vl_scale(def->size, 0.5))) < 1e-15);
  vlBodyMeasure m = vl_body_measure(body, no_gravity);
  assert_true(fabs(m.mass - 500 * 0.006) < 1e-13 && vl_norm(vl_sub(m.center, def->center)) < 1e-14);
  assert_true(m.kinetic == 0.0 && count_held(body) == 0);
  unload(&scene, &bodies);
}

/* The paper's beam: counts of Table 1, one layer of nodes at the upper end held. */
static void test_beam(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  vlStatus status = {0};
  static const struct {
    const char *name;
    int nodes, tets, held;
    double top;
  } beams[] = {{"beam", 725, 2688, 25, 0.55}, {"beam_small", 135, 336, 9, 0.55}, {"stability", 189, 480, 9, 0.55}};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(vl_scene_load(&scene, beams[i].name, NULL, 0, &status), VL_OK);
    if (vl_bodies_create(&bodies, &scene, (vlLog){0}, &status)) fail_msg("%s", status.message);
    const vlBody *body = bodies.body[0];
    assert_true(body->node_count == beams[i].nodes && body->element_count == beams[i].tets);
    assert_int_equal(count_held(body), 3 * beams[i].held);
    for (int n = 0; n < body->node_count; n++) assert_int_equal(body->held[3 * n], body->x[n].y > beams[i].top - 1e-9);
    unload(&scene, &bodies);
  }
  assert_int_equal(vl_scene_load(&scene, "soft_block", NULL, 0, &status), VL_OK);
  if (vl_bodies_create(&bodies, &scene, (vlLog){0}, &status)) fail_msg("%s", status.message);
  assert_true(bodies.body[0]->node_count == 216 && count_held(bodies.body[0]) == 0);
  unload(&scene, &bodies);
}

/* Tetrahedra from memory and from a text that is built in, scaled, turned and moved; also of 10 nodes. */
static void test_mesh(void **state)
{
  (void)state;
  static const char medit[] = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                              "Tetrahedra 1\n1 2 3 4 0\nEnd\n";
  vlVec3 nodes[4] = {vl_vec(0, 0, 0), vl_vec(1, 0, 0), vl_vec(0, 1, 0), vl_vec(0, 0, 1)};
  int tets[1][4] = {{0, 1, 3, 2}}; /* inside out: it is turned over */
  vlScene scene;
  vlBodySet bodies;
  vlStatus status = {0};
  vlBodyDef body = vl_body_default();
  body.shape = VL_BODY_MESH;
  body.scale = (vlVec3){{0.1, 0.1, 0.1}};
  body.rotation = vl_mat_rotation(2, VL_PI / 2);
  body.center = vl_vec(0.5, 0.5, 0.5);
  vl_scene_default(&scene);
  body.nodes = nodes;
  body.node_count = 4;
  body.tets = tets;
  body.tet_count = 1;
  assert_int_equal(vl_scene_add_body(&scene, &body, &status), VL_OK);
  body.nodes = NULL;
  body.tets = NULL;
  body.file = (char[]){"tet.mesh"};
  body.data = medit;
  body.data_length = strlen(medit);
  body.element = VL_ELEMENT_QUADRATIC;
  assert_int_equal(vl_scene_add_body(&scene, &body, &status), VL_OK);
  assert_int_equal(vl_scene_complete(&scene, &status), VL_OK);
  if (vl_bodies_create(&bodies, &scene, (vlLog){0}, &status)) fail_msg("%s", status.message);
  assert_true(bodies.body[0]->node_count == 4 && bodies.body[1]->node_count == 10);
  const vlVec3 places[4] = {vl_vec(0.5, 0.5, 0.5), vl_vec(0.5, 0.6, 0.5), vl_vec(0.4, 0.5, 0.5), vl_vec(0.5, 0.5, 0.6)};
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < 4; i++) /* cos(pi/2) is 6e-17 */
      assert_true(vl_norm(vl_sub(bodies.body[b]->rest[i], places[i])) < 1e-15);
  unload(&scene, &bodies);
}

/* Stretched along its own axes about its centre of mass, moving and spinning from there. */
static void test_start(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  load(&scene, &bodies,
       "bodies: [{shape: box, center: [0.5, 0.5, 0.5], size: [0.1, 0.2, 0.3], cells: [2, 2, 2], rotate: \"y 25, z 40\", "
       "stretch: [0.5, 1.25, 1.5], velocity: [1, 2, 3], spin: [4, 5, 6]}]");
  const vlBody *body = bodies.body[0];
  const vlBodyDef *def = &scene.bodies[0];
  vlMat3 back = vl_mat_transpose(def->rotation);
  double fastest = 0.0;
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 was = vl_mat_apply(back, vl_sub(body->rest[i], def->center)), r = vl_sub(body->x[i], def->center);
    vlVec3 is = vl_mat_apply(back, r), v = vl_add(def->velocity, vl_cross(def->spin, r));
    for (int a = 0; a < 3; a++) assert_true(fabs(is.v[a] - def->stretch.v[a] * was.v[a]) < 1e-14);
    assert_true(vl_norm(vl_sub(body->v[i], v)) < 1e-13);
    assert_memory_equal(&body->first[i], &body->x[i], sizeof body->x[i]);
    fastest = fmax(fastest, vl_norm(body->v[i]));
  }
  vlBodyMeasure m = vl_body_measure(body, no_gravity);
  assert_true(fabs(m.volume - 0.5 * 1.25 * 1.5 * 0.006) < 1e-15 && vl_norm(vl_sub(m.center, def->center)) < 1e-14);
  assert_true(vl_norm(vl_sub(m.momentum, vl_scale(def->velocity, m.mass))) < 1e-12 * m.mass * 10);
  assert_true(vl_bodies_fastest(&bodies) == fastest && fastest > vl_norm(def->velocity));
  unload(&scene, &bodies);
}

/* A free body of no strain flies on. */
static void test_flight(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  load(&scene, &bodies,
       "bodies: [{shape: box, center: [0.5, 0.5, 0.5], size: [0.1, 0.1, 0.1], velocity: [1, 0, 0], mass_damping: 0}]");
  for (int i = 0; i < 10; i++) step(&bodies, 0.01 * i, 0.01, no_gravity);
  vlBodyMeasure m = vl_body_measure(bodies.body[0], no_gravity);
  assert_true(vl_norm(vl_sub(m.center, vl_vec(0.6, 0.5, 0.5))) < 1e-9); /* as exact as its solves */
  unload(&scene, &bodies);
}

#define PADDLE                                                                                                              \
  "bodies: [{shape: box, center: [0.5, 0.5, 0.5], size: [0.1, 0.4, 0.1], cells: [1, 4, 1], young: 1e5, integrator: %s, "    \
  "pins: [{shape: box, center: [0.5, 0.7, 0.5], size: [0.1, 0.002, 0.1], axes: xy, velocity: [0.2, 0, 0], "                 \
  "amplitude: [0, 0.03, 0], frequency: 2, start: 0.1, end: 0.4}]}]"

/* Pinned unknowns are where the scene says after every step, whatever its length; the others are not. The region's sides
 * go right through nodes. */
static void check_motion(const char *scheme)
{
  static const double dts[] = {0.01, 0.013, 0.02, 0.007};
  char text[512];
  vlScene scene;
  vlBodySet bodies;
  snprintf(text, sizeof text, PADDLE, scheme);
  load(&scene, &bodies, text);
  vlBody *body = bodies.body[0];
  assert_int_equal(count_held(body), 2 * 4);
  double time = 0.0;
  for (int k = 0; k < 40; k++) {
    double dt = dts[k % 4];
    step(&bodies, time, dt, vl_vec(0, 0, -1));
    time += dt;
    double s = fmax(fmin(time, 0.4) - 0.1, 0.0);
    for (int i = 0; i < body->node_count; i++) {
      bool top = body->first[i].y > 0.69;
      assert_true(body->held[3 * i] == top && body->held[3 * i + 1] == top && !body->held[3 * i + 2]);
      if (!top) continue;
      vlVec3 moved = vl_sub(body->x[i], body->first[i]);
      /* roundings of places and of velocities times steps */
      assert_true(fabs(moved.x - 0.2 * s) < 1e-13 && fabs(moved.y - 0.03 * sin(4.0 * VL_PI * s)) < 1e-13);
    }
  }
  vlBodyMeasure m = vl_body_measure(body, no_gravity);
  assert_true(m.center.x > 0.52 && m.center.z < 0.45); /* dragged along, and falling along the free axis */
  unload(&scene, &bodies);
}

static void test_pins_move(void **state)
{
  (void)state;
  check_motion("backward_euler");
  check_motion("bdf2");
}

/* A wholly held body that is let go falls like a stone: v = -g t in every scheme, since g is constant. */
static void test_release(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  load(&scene, &bodies,
       "bodies: [{shape: box, center: [0.5, 0.5, 0.5], size: [0.1, 0.1, 0.1], cells: [2, 2, 2], mass_damping: 0, "
       "pins: [{shape: sphere, center: [0.5, 0.5, 0.5], radius: 1, end: 0.05, release: yes}]}]");
  const vlBody *body = bodies.body[0];
  assert_int_equal(count_held(body), 3 * 27);
  for (int k = 0; k < 10; k++) {
    step(&bodies, 0.01 * k, 0.01, vl_vec(0, -10, 0));
    assert_int_equal(count_held(body), k < 5 ? 3 * 27 : 0);
    double v = k < 5 ? 0.0 : -10.0 * 0.01 * (k - 4);
    for (int i = 0; i < body->node_count; i++)
      assert_true(vl_norm(vl_sub(body->v[i], vl_vec(0, v, 0))) < 1e-9); /* as exact as its solves */
  }
  unload(&scene, &bodies);
}

/* Holding depends on the time alone: bodies made anew hold at any time what a run holds there. */
static void test_pins_depend_on_time(void **state)
{
  (void)state;
  static const char text[] = "bodies: [{shape: box, center: [0.5, 0.5, 0.5], size: [0.1, 0.1, 0.1], "
                             "pins: [{shape: sphere, center: [0.5, 0.5, 0.5], radius: 1, end: 1, release: yes}, "
                             "{shape: halfspace, center: [0.5, 0.5, 0.5], axes: y}]}]";
  vlScene scene;
  vlBodySet bodies;
  load(&scene, &bodies, text);
  const vlBody *body = bodies.body[0];
  assert_int_equal(count_held(body), 3 * 8);
  vl_bodies_drive(&bodies, 2.0, 0.1);
  assert_int_equal(count_held(body), 4); /* the later pin has the lower nodes' y */
  for (int i = 0; i < body->node_count; i++) assert_int_equal(body->held[3 * i + 1], body->x[i].y < 0.5);
  vl_bodies_drive(&bodies, 0.5, 0.1);
  assert_int_equal(count_held(body), 3 * 8);
  unload(&scene, &bodies);
}

/* A pin that moves from the start gives its nodes their velocity; the rest has the body's. */
static void test_first_velocity(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  load(&scene, &bodies,
       "bodies: [{shape: box, center: [0.5, 0.5, 0.5], size: [0.1, 0.1, 0.1], velocity: [0, 0, 1], pins: [{shape: "
       "halfspace, center: [0.5, 0.5, 0.5], axes: xz, velocity: [1, 0, 0], amplitude: [0.1, 0, 0], frequency: 2}]}]");
  const vlBody *body = bodies.body[0];
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 v = body->x[i].y < 0.5 ? vl_vec(1 + 0.4 * VL_PI, 0, 0) : vl_vec(0, 0, 1);
    assert_true(vl_norm(vl_sub(body->v[i], v)) < 1e-15);
  }
  unload(&scene, &bodies);
}

/* A box as thick as the slab, held along z for ever; pins see its middle plane. */
static void test_slab(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  load(&scene, &bodies,
       "{grid: {slab: yes, size: [1, 1], cells: 10}, bodies: [{shape: box, center: [0.5, 0.5, 0], size: [0.4, 0.1], cells: "
       "[4, 2], rotate: z 30, density: 200, spin: [0, 0, 1], element: quadratic, pins: [{shape: sphere, center: [0.5, 0.5, "
       "0], radius: 1 cm, end: 0.05, release: yes}]}]}");
  vlBody *body = bodies.body[0];
  assert_int_equal(((vlElastic *)body)->corner_count, 5 * 3 * 2);
  assert_true(fabs(vl_body_measure(body, no_gravity).mass - 200 * 0.4 * 0.1 * 0.1) < 1e-14);
  int flat = 0, pinned = 0;
  for (int i = 0; i < body->node_count; i++) {
    flat += body->held[3 * i + 2];
    pinned += body->held[3 * i];
    assert_true(fabs(body->x[i].z) < 0.05 + 1e-15 && body->v[i].z == 0.0);
  }
  assert_true(flat == body->node_count && pinned == 3); /* the two nodes of the middle, and that between them */
  for (int k = 0; k < 10; k++) step(&bodies, 0.01 * k, 0.01, vl_vec(0, -10, 0));
  for (int i = 0; i < body->node_count; i++)
    assert_true(body->held[3 * i + 2] && !body->held[3 * i] && body->x[i].z == body->rest[i].z);
  unload(&scene, &bodies);
}

static void refuse(const char *text, vlCode code, const char *message)
{
  vlScene scene;
  vlBodySet bodies;
  vlStatus status = {0};
  if (vl_scene_parse(&scene, text, strlen(text), "test.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  assert_int_equal(vl_bodies_create(&bodies, &scene, (vlLog){0}, &status), code);
  assert_int_equal(status.code, code);
  if (strncmp(status.message, message, strlen(message)) != 0) fail_msg("%s\ninstead of %s", status.message, message);
  assert_true(!bodies.body && bodies.count == 0);
  vl_scene_clear(&scene);
}

static void test_refused(void **state)
{
  (void)state;
  refuse("bodies:\n  - {shape: box, center: [0.5, 0.5, 0.5], size: [0.1, 0.1, 0.1]}\n"
         "  - {name: jelly, shape: box, center: [0.96, 0.5, 0.5], size: [0.1, 0.1, 0.1]}\n",
         VL_ERROR_SCENE, "test.yaml:3:5: body 'jelly': it begins from x = 0.91 to 1.01 m; the box is from 0 to 1 m");
  refuse("bodies:\n  - name: jelly\n    shape: box\n    center: [0.5, 0.5, 0.5]\n    size: [0.1, 0.1, 0.1]\n    pins:\n"
         "      - {shape: sphere, center: [0.5, 0.6, 0.5], radius: 4 cm}\n",
         VL_ERROR_SCENE,
         "test.yaml:7:9: body 'jelly': pins[0]: there is no node in its region; the body begins from (0.45,");
  refuse("bodies:\n  - {name: jelly, shape: box, center: [0.5, 0.5, 0.5], size: [0.1, 0.1, 0.1], stretch: [1, 20, 1]}\n",
         VL_ERROR_SCENE, "test.yaml:2:5: body 'jelly': it begins from y = -0.5 to 1.5 m");
  refuse("bodies:\n  - {name: jelly, shape: box, size: [0.1, 0.1, 0.1], cells: [1000, 1000, 1000]}\n", VL_ERROR_SCENE,
         "test.yaml:2:5: body 'jelly': mesh of a box: 1000 x 1000 x 1000 cells");
  refuse("bodies:\n  - {name: dust, rigid: yes, shape: box, center: [0.5, 0.5, 0.5], size: [0.1, 0.1, 0.1], mass: 1e-9}\n",
         VL_ERROR_SCENE,
         "test.yaml:2:5: body 'dust': mass is 1e-09 kg, a density of 1e-06 kg/m3; allowed are 0.001 to 1e+12");
  refuse("bodies:\n  - {name: toy, shape: mesh, file: tests/tet_files.h}\n", VL_ERROR_MESH,
         "test.yaml:2:36: body 'toy': tests/tet_files.h: neither content nor name say what it is");
}

/* The wall itself belongs to the box: 0.7 + 0.1 is not 0.8 in binary. */
static void test_touching_walls(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  load(
      &scene, &bodies,
      "{grid: {origin: [0.1, 0.1, 0.1], size: [0.7, 0.7, 0.7], cells: 7}, bodies: [{shape: box, center: [0.45, 0.45, 0.45], "
      "size: [0.7, 0.7, 0.7]}]}");
  unload(&scene, &bodies);
}

static void test_flat_tetrahedron(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  vlStatus status = {0};
  static const char text[] = "bodies:\n  - {name: toy, shape: mesh, file: flat.mesh, scale: 0.1, center: [0.5, 0.5, 0.5]}\n";
  if (vl_scene_parse(&scene, text, strlen(text), "tests/broken/toy.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  assert_int_equal(vl_bodies_create(&bodies, &scene, (vlLog){0}, &status), VL_ERROR_MESH);
  static const char begin[] = "tests/broken/toy.yaml:2:36: body 'toy': tests/broken/flat.mesh: ";
  if (strncmp(status.message, begin, strlen(begin)) != 0 || !strstr(status.message, "tetrahedron 2"))
    fail_msg("%s", status.message);
  vl_scene_clear(&scene);
}

static void test_body_without_mesh(void **state)
{
  (void)state;
  vlScene scene;
  vlBodySet bodies;
  vlStatus status = {0};
  vlBodyDef body = vl_body_default();
  body.shape = VL_BODY_MESH;
  strcpy(body.name, "toy");
  vl_scene_default(&scene);
  assert_int_equal(vl_scene_add_body(&scene, &body, &status), VL_OK);
  assert_int_equal(vl_bodies_create(&bodies, &scene, (vlLog){0}, &status), VL_ERROR_SCENE);
  assert_string_equal(status.message, "body 'toy': shape: mesh; it must have a file, or nodes and tetrahedra");
  vl_scene_clear(&scene);
}

static int go_to_source(void **state)
{
  (void)state;
  return chdir(VL_SOURCE_DIR);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_none),
      cmocka_unit_test(test_pins_add_up),
      cmocka_unit_test(test_box),
      cmocka_unit_test(test_beam),
      cmocka_unit_test(test_mesh),
      cmocka_unit_test(test_start),
      cmocka_unit_test(test_flight),
      cmocka_unit_test(test_pins_move),
      cmocka_unit_test(test_release),
      cmocka_unit_test(test_pins_depend_on_time),
      cmocka_unit_test(test_first_velocity),
      cmocka_unit_test(test_slab),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_touching_walls),
      cmocka_unit_test(test_flat_tetrahedron),
      cmocka_unit_test(test_body_without_mesh),
  };
  return cmocka_run_group_tests(tests, go_to_source, NULL);
}
