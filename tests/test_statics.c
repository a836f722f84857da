/* Static solids: what stays exact, what is united, what is swallowed, and what the messages say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "solid/statics.h"

enum { MOST = 5 };

/* A cube of 2 m with 20 cells a side about the origin, and its solids. */
typedef struct {
  vlScene scene;
  vlSolidDef solids[MOST];
  vlGrid grid;
  vlStatics *statics;
  vlStatus status;
  char log[4096];
} World;

static void keep_line(void *user, vlLogLevel level, const char *line)
{
  World *w = user;
  size_t n = strlen(w->log);
  snprintf(w->log + n, sizeof w->log - n, "%s%s\n", level == VL_LOG_WARNING ? "warning: " : "", line);
}

static void world_begin(World *w)
{
  *w = (World){.scene = {.path = "pool.yaml", .grid = {.origin = {.v = {-1, -1, -1}}, .size = {.v = {2, 2, 2}}, .dx = 0.1}}};
  w->scene.solids = w->solids;
  assert_int_equal(vl_grid_create(&w->grid, &w->scene.grid, &w->status), VL_OK);
}

static vlSolidDef *add(World *w, const char *name, vlShapeKind kind, vlVec3 center)
{
  vlSolidDef *def = &w->solids[w->scene.solid_count++];
  snprintf(def->name, sizeof def->name, "%s", name);
  def->shape =
      (vlShape){.kind = kind, .center = center, .rotation = vl_mat_identity(), .scale = {{1, 1, 1}}, .where = {7, 3}};
  return def;
}

static vlSolidDef *add_box(World *w, const char *name, vlVec3 center, vlVec3 size)
{
  vlSolidDef *def = add(w, name, VL_SHAPE_BOX, center);
  def->shape.size = size;
  return def;
}

static const vlTriMesh *world_build(World *w)
{
  vlCode code = vl_statics_create(&w->statics, &w->scene, &w->grid, (vlLog){keep_line, w}, &w->status);
  if (code) print_message("%s\n", w->status.message);
  assert_int_equal(code, VL_OK);
  const vlTriMesh *m = vl_statics_surface(w->statics);
  vlTriMeshDefects defects;
  assert_int_equal(vl_trimesh_check(m, &defects, &w->status), VL_OK);
  assert_int_equal(defects.open_edges, 0);
  assert_int_equal(defects.bad_edges, 0);
  return m;
}

static void world_end(World *w)
{
  vl_statics_destroy(&w->statics);
  assert_null(w->statics);
}

static void test_no_solids(void **state)
{
  (void)state;
  World w;
  world_begin(&w);
  assert_int_equal(world_build(&w)->triangle_count, 0);
  assert_false(vl_statics_solid_at_infinity(w.statics));
  assert_true(vl_statics_distance(w.statics, vl_vec(0, 0, 0)) > 1e30);
  world_end(&w);
}

static void test_separate_boxes_keep_their_triangles(void **state)
{
  (void)state;
  World w;
  world_begin(&w);
  add_box(&w, "left", vl_vec(-0.5, 0, 0), vl_vec(0.4, 0.4, 0.4));
  vlSolidDef *right = add_box(&w, "right", vl_vec(0.5, 0, 0), vl_vec(0.5, 0.5, 0.5));
  right->shape.rotation = vl_mat_rotation(1, 0.3);
  const vlTriMesh *m = world_build(&w);
  assert_int_equal(m->triangle_count, 24);
  assert_true(fabs(vl_trimesh_volume(m) - (0.064 + 0.125)) < 1e-14);
  assert_true(fabs(vl_statics_distance(w.statics, vl_vec(-0.2, 0, 0)) - 0.1) < 1e-14);
  world_end(&w);
}

/* Gaps of 1/8 cell are closed, gaps of half a cell are not. */
static void test_touching_boxes_become_one(void **state)
{
  (void)state;
  static const double gaps[4] = {-0.1, 0.0, 0.0125, 0.05};
  for (int i = 0; i < 4; i++) {
    World w;
    world_begin(&w);
    add_box(&w, "left", vl_vec(-0.25, 0.013, 0.017), vl_vec(0.5, 0.4, 0.6));
    add_box(&w, "right", vl_vec(0.25 + gaps[i], 0.013, 0.017), vl_vec(0.5, 0.6, 0.6));
    const vlTriMesh *m = world_build(&w);
    double exact = 0.5 * 0.4 * 0.6 + 0.5 * 0.6 * 0.6 + fmin(gaps[i], 0.0) * 0.4 * 0.6;
    bool united = i < 3;
    assert_int_equal(m->triangle_count > 24, united);
    assert_int_equal(strstr(w.log, "united: 'left', 'right'") != NULL, united);
    /* Faces are flat and edges sharp; a gap narrower than the cubes is filled or not. */
    double tolerance = gaps[i] > 0.0 && united ? gaps[i] * 0.4 * 0.6 + 1e-9 : 1e-9;
    assert_true(fabs(vl_trimesh_volume(m) - exact) < tolerance);
    world_end(&w);
  }
}

static void test_box_on_a_floor(void **state)
{
  (void)state;
  World w;
  world_begin(&w);
  add(&w, "floor", VL_SHAPE_HALFSPACE, vl_vec(0, -0.7, 0))->shape.normal = vl_vec(0, 1, 0);
  add_box(&w, "block", vl_vec(0.1, -0.6, 0), vl_vec(0.5, 0.6, 0.5));
  const vlTriMesh *m = world_build(&w);
  /* The floor in the domain grown by three cells, and the block above it. */
  double exact = 2.6 * 2.6 * 0.6 + 0.5 * 0.5 * 0.4;
  assert_true(fabs(vl_trimesh_volume(m) - exact) < 1e-9);
  world_end(&w);
}

static void test_container_is_turned_inside_out(void **state)
{
  (void)state;
  World w;
  world_begin(&w);
  add_box(&w, "tank", vl_vec(0, 0, 0), vl_vec(1.6, 1.6, 1.6))->container = true;
  add_box(&w, "block", vl_vec(0, 0, 0), vl_vec(0.4, 0.4, 0.4));
  const vlTriMesh *m = world_build(&w);
  assert_int_equal(m->triangle_count, 24);
  assert_true(vl_statics_solid_at_infinity(w.statics));
  /* Normals point out of the solid: the volume is that of the block less that of the liquid's room. */
  assert_true(fabs(vl_trimesh_volume(m) - (0.064 - 4.096)) < 1e-12);
  assert_true(fabs(vl_statics_distance(w.statics, vl_vec(0.5, 0, 0)) - 0.3) < 1e-14);
  assert_true(vl_statics_distance(w.statics, vl_vec(0.9, 0, 0)) < 0.0);
  assert_true(vl_statics_distance(w.statics, vl_vec(0, 0, 0)) < 0.0);
  world_end(&w);
}

static void test_obstacle_through_a_wall(void **state)
{
  (void)state;
  World w;
  world_begin(&w);
  add_box(&w, "tank", vl_vec(0, 0, 0), vl_vec(1.6, 1.6, 1.6))->container = true;
  add_box(&w, "bar", vl_vec(0.7, 0.03, 0.02), vl_vec(0.6, 0.4, 0.4));
  const vlTriMesh *m = world_build(&w);
  assert_non_null(strstr(w.log, "united: 'bar', 'tank'"));
  /* The bar reaches from x = 0.4 to the wall at 0.8. */
  assert_true(fabs(vl_trimesh_volume(m) - (0.4 * 0.4 * 0.4 - 4.096)) < 1e-9);
  world_end(&w);
}

static void test_two_containers(void **state)
{
  (void)state;
  for (int overlap = 0; overlap < 2; overlap++) {
    World w;
    world_begin(&w);
    add_box(&w, "first", vl_vec(-0.5, 0, 0), vl_vec(0.8, 1, 1))->container = true;
    add_box(&w, "second", vl_vec(overlap ? 0.2 : 0.5, 0, 0), vl_vec(0.8, 0.9, 0.9))->container = true;
    const vlTriMesh *m = world_build(&w);
    double room = 0.8 + 0.8 * 0.81 - (overlap ? 0.1 * 0.81 : 0.0);
    assert_int_equal(m->triangle_count == 24, !overlap);
    assert_true(fabs(vl_trimesh_volume(m) + room) < 1e-9);
    assert_true(fabs(vl_statics_distance(w.statics, vl_vec(-0.5, 0, 0)) - 0.4) < 1e-14);
    world_end(&w);
  }
}

static void test_swallowed_solids_leave_no_surface(void **state)
{
  (void)state;
  World w;
  world_begin(&w);
  add_box(&w, "stone", vl_vec(0, 0, 0), vl_vec(0.2, 0.2, 0.2));
  add_box(&w, "big", vl_vec(0, 0, 0), vl_vec(0.8, 0.8, 0.8));
  add_box(&w, "behind", vl_vec(0.9, 0, 0), vl_vec(0.1, 0.1, 0.1));
  add_box(&w, "tank", vl_vec(0, 0, 0), vl_vec(1.5, 1.5, 1.5))->container = true;
  const vlTriMesh *m = world_build(&w);
  assert_int_equal(m->triangle_count, 24);
  assert_non_null(strstr(w.log, "'behind' lies outside all containers"));
  assert_true(fabs(vl_trimesh_volume(m) - (0.512 - 3.375)) < 1e-12);
  world_end(&w);
}

static void test_distant_solids_are_dropped_with_a_warning(void **state)
{
  (void)state;
  World w;
  world_begin(&w);
  add_box(&w, "moon", vl_vec(9, 0, 0), vl_vec(1, 1, 1));
  add(&w, "ball", VL_SHAPE_SPHERE, vl_vec(0, 0, 0))->shape.radius = 0.5;
  const vlTriMesh *m = world_build(&w);
  assert_non_null(strstr(w.log, "warning: solid 'moon'"));
  /* Contoured at dx/2 = r/10: (h/r)^2 / 8. */
  assert_true(fabs(vl_trimesh_volume(m) / (VL_PI / 6.0) - 1.0) < 0.0025);
  world_end(&w);
}

/* A vessel of five boxes that overlap at its edges, open on top, and its volume. */
static double add_vessel(World *w, double t)
{
  double a = -0.613, b = 0.617, o = b - a;
  add_box(w, "floor", vl_vec(0.002, a + 0.5 * t, 0.002), vl_vec(o, t, o));
  add_box(w, "left", vl_vec(a + 0.5 * t, 0.002, 0.002), vl_vec(t, o, o));
  add_box(w, "right", vl_vec(b - 0.5 * t, 0.002, 0.002), vl_vec(t, o, o));
  add_box(w, "back", vl_vec(0.002, 0.002, a + 0.5 * t), vl_vec(o, o, t));
  add_box(w, "front", vl_vec(0.002, 0.002, b - 0.5 * t), vl_vec(o, o, t));
  return o * o * o - (o - 2 * t) * (o - 2 * t) * (o - t);
}

/* Flat walls come out exactly as long as they are thicker than the smallest cubes, dx/8; below that there is a warning. */
static void test_thin_walls_are_kept(void **state)
{
  (void)state;
  static const double cells[4] = {1.0, 0.38, 0.13, 0.03};
  int triangles = 0;
  for (int i = 0; i < 4; i++) {
    World w;
    world_begin(&w);
    double exact = add_vessel(&w, 0.1 * cells[i]);
    const vlTriMesh *m = world_build(&w);
    bool kept = cells[i] > 0.125;
    assert_int_equal(fabs(vl_trimesh_volume(m) - exact) < 1e-9, kept);
    assert_int_equal(strstr(w.log, "warning") != NULL, !kept);
    if (!kept) assert_non_null(strstr(w.log, "warning: solids 'floor', 'left', 'right', 'back', 'front': "));
    /* Thick walls stay at dx/2: two faces of ten areas of 12.3 cells, 2 x 4 triangles a cell each. */
    if (i == 0) triangles = m->triangle_count;
    assert_true(i > 0 || triangles < 2 * 5 * 13 * 13 * 8);
    assert_true(i != 1 || m->triangle_count > 3 * triangles);
    world_end(&w);
  }
}

/* A floor under an exact plate must not cost the plate, nor a container around it. */
static void test_thin_gate_among_others(void **state)
{
  (void)state;
  for (int container = 0; container < 2; container++) {
    World w;
    world_begin(&w);
    double t = 0.034;
    add_box(&w, "gate", vl_vec(0.05, 0, 0), vl_vec(t, 1.4, 1.2));
    if (container) {
      add_box(&w, "room", vl_vec(0, 0, 0), vl_vec(1.5, 1.2, 1))->container = true;
    } else {
      add_box(&w, "floor", vl_vec(0, -0.8, 0), vl_vec(1.5, 0.2, 1.4));
    }
    const vlTriMesh *m = world_build(&w);
    double exact = container ? t * 1.2 - 1.5 * 1.2 : t * 1.4 * 1.2 + 1.5 * 0.2 * 1.4;
    assert_true(fabs(vl_trimesh_volume(m) - exact) < 1e-9);
    assert_null(strstr(w.log, "warning"));
    world_end(&w);
  }
}

/* Between two spheres: a bent wall. */
static void test_thin_shells(void **state)
{
  (void)state;
  static const double cells[3] = {0.7, 0.34, 0.05};
  for (int i = 0; i < 3; i++) {
    World w;
    world_begin(&w);
    double t = 0.1 * cells[i], r = 0.5;
    vlShape parts[2] = {{.kind = VL_SHAPE_SPHERE, .radius = r, .rotation = vl_mat_identity()},
                        {.kind = VL_SHAPE_SPHERE, .radius = r - t, .rotation = vl_mat_identity()}};
    vlSolidDef *def = add(&w, "shell", VL_SHAPE_DIFFERENCE, vl_vec(0.01, 0.02, 0.03));
    def->shape.parts = parts;
    def->shape.part_count = 2;
    const vlTriMesh *m = world_build(&w);
    double exact = 4.0 / 3.0 * VL_PI * (r * r * r - pow(r - t, 3)), error = fabs(vl_trimesh_volume(m) / exact - 1.0);
    /* Both spheres are too large by (h/r)^2 / 8 of their volumes at most, h = dx/4. */
    assert_int_equal(error < 0.002, i < 2);
    assert_int_equal(strstr(w.log, "warning: solid 'shell': the surface has holes") != NULL, i == 2);
    assert_int_equal(strstr(w.log, "walls must be at least 0.0188 m") != NULL, i == 2); /* 1.5 dx/8 */
    world_end(&w);
  }
}

/* Corners, rims and tips are no thin walls: nothing is refined for them. */
static void test_sharp_shapes_have_no_walls(void **state)
{
  (void)state;
  static const vlShapeKind kinds[3] = {VL_SHAPE_CYLINDER, VL_SHAPE_CONE, VL_SHAPE_BOX};
  for (int i = 0; i < 6; i++) {
    World w;
    world_begin(&w);
    vlSolidDef *def = add(&w, "thing", kinds[i % 3], vl_vec(0.1, 0.3 * (i > 2), 0.07));
    def->shape.size = vl_vec(0.7, 0.8, 0.9);
    def->shape.radius = 0.45;
    def->shape.height = 0.8;
    def->shape.round = i % 3 == 2 ? 0.05 : 0.0;
    if (i > 2) def->shape.rotation = vl_mat_rotation(2, 0.7);
    def->container = i > 2;
    world_build(&w);
    assert_non_null(strstr(w.log, "cubes of 0.05 m"));
    assert_null(strstr(w.log, "warning"));
    world_end(&w);
  }
}

static void expect_error(World *w, vlCode code, const char *texts[], int count)
{
  assert_int_equal(vl_statics_create(&w->statics, &w->scene, &w->grid, (vlLog){0}, &w->status), code);
  assert_null(w->statics);
  for (int i = 0; i < count; i++) {
    if (!strstr(w->status.message, texts[i])) print_message("no '%s' in: %s\n", texts[i], w->status.message);
    assert_non_null(strstr(w->status.message, texts[i]));
  }
}

static void test_errors_say_where(void **state)
{
  (void)state;
  World w;
  world_begin(&w);
  vlSolidDef *def = add_box(&w, "block", vl_vec(0, 0, 0), vl_vec(0.4, 0.2, 0.4));
  def->shape.round = 0.3;
  expect_error(&w, VL_ERROR_SCENE, (const char *[]){"pool.yaml:7:3: solid 'block': ", "round is 0.3", "0.1 m"}, 3);

  char missing[] = "no-such-file.obj";
  def->shape = (vlShape){
      .kind = VL_SHAPE_MESH, .rotation = vl_mat_identity(), .scale = {{1, 1, 1}}, .file = missing, .where = {9, 5}};
  expect_error(&w, VL_ERROR_FILE, (const char *[]){"pool.yaml:9:5: solid 'block': ", missing}, 2);

  /* A tetrahedron without its slanted side: three open edges, the first between two of (1,0,0), (0,1,0), (0,0,1). */
  char path[] = VL_BINARY_DIR "/test_statics_holed.obj";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 4 3\nf 1 2 4\n", file);
  fclose(file);
  def->shape.file = path;
  expect_error(&w, VL_ERROR_MESH,
               (const char *[]){"pool.yaml:9:5: solid 'block': ", path, "3 open edges", "0.5", "repair: true"}, 5);

  def->shape.repair = true;
  const vlTriMesh *m = world_build(&w);
  /* The winding number closes the hole with a surface near the missing side. */
  assert_true(vl_trimesh_volume(m) > 0.8 / 6.0 && vl_trimesh_volume(m) < 1.4 / 6.0);
  world_end(&w);
  remove(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_solids),
      cmocka_unit_test(test_separate_boxes_keep_their_triangles),
      cmocka_unit_test(test_touching_boxes_become_one),
      cmocka_unit_test(test_box_on_a_floor),
      cmocka_unit_test(test_container_is_turned_inside_out),
      cmocka_unit_test(test_obstacle_through_a_wall),
      cmocka_unit_test(test_two_containers),
      cmocka_unit_test(test_swallowed_solids_leave_no_surface),
      cmocka_unit_test(test_distant_solids_are_dropped_with_a_warning),
      cmocka_unit_test(test_thin_walls_are_kept),
      cmocka_unit_test(test_thin_gate_among_others),
      cmocka_unit_test(test_thin_shells),
      cmocka_unit_test(test_sharp_shapes_have_no_walls),
      cmocka_unit_test(test_errors_say_where),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
