/* Round solids and rigid bodies in slabs: how their areas and the force of still water on them converge, and what their
 * surfaces cost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cut/patches.h"
#include "mesh/contour.h"
#include "mesh/sdf.h"
#include "moving.h"
#include "scene/scene.h"
#include "solid/rigid_body.h"
#include "solid/statics.h"

enum { PLACES = 4 };

static vlScene parse(const char *text)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "slab.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  return scene;
}

static vlScene with_solid(int cells, const char *solid, int place)
{
  char text[512];
  snprintf(text, sizeof text,
           "{grid: {slab: yes, size: [1, 1], cells: %d}, liquid: {transfer: still, level: 2}, pressure: {tolerance: 1e-11}, "
           "solids: [{name: it, %s, center: [%.17g, %.17g]}]}",
           cells, solid, 0.5 + 0.013 * sin(3.0 * place), 0.5 + 0.011 * cos(5.0 * place + 1.0));
  return parse(text);
}

/* m2 of solid in the box; the triangles of its surface. */
static double solid_area(int cells, const char *solid, int place, int *triangles)
{
  vlStatus status = {0};
  vlScene scene = with_solid(cells, solid, place);
  vlGrid grid;
  vlStatics *statics = NULL;
  vlCuts *cuts = NULL;
  assert_int_equal(vl_scene_complete(&scene, &status), VL_OK);
  assert_int_equal(vl_grid_create(&grid, &scene.grid, &status), VL_OK);
  if (vl_statics_create(&statics, &scene, &grid, (vlLog){0}, &status)) fail_msg("%s", status.message);
  const vlTriMesh *surface = vl_statics_surface(statics);
  vlTriMeshDefects defects;
  assert_int_equal(vl_trimesh_check(surface, &defects, &status), VL_OK);
  assert_int_equal(defects.open_edges + defects.bad_edges + defects.unused_vertices, 0);
  *triangles = surface->triangle_count;
  if (vl_cuts_create(&cuts, surface, vl_statics_solid_at_infinity(statics), &grid, &status)) fail_msg("%s", status.message);
  double area = vl_cuts_solid_volume(cuts) / grid.dx;
  vl_cuts_destroy(&cuts);
  vl_statics_destroy(&statics);
  vl_scene_clear(&scene);
  return area;
}

/* Root mean squares at 16, 32, 64 and 128 cells fall with the square of the cell: a mean order of 1.9 at least. */
static void assert_second_order(const char *what, const double square[4])
{
  double e[4];
  for (int i = 0; i < 4; i++) e[i] = sqrt(square[i]);
  print_message("%-40.40s %.2e %.2e %.2e %.2e\n", what, e[0], e[1], e[2], e[3]);
  if (!(log2(e[0] / e[3]) / 3.0 >= 1.9)) fail_msg("%s: order %.2f", what, log2(e[0] / e[3]) / 3.0);
}

/* A ball or a cylinder across the slab is a disc. The surface's triangles follow the rows, not the cells. */
static void test_areas(void **state)
{
  (void)state;
  static const struct {
    const char *keys;
    double area;
  } cases[] = {{"shape: sphere, radius: 0.2", VL_PI * 0.04},
               {"shape: cylinder, radius: 0.2, height: 3, rotate: x 90", VL_PI * 0.04},
               {"shape: cylinder, radius: 0.45, height: 3, rotate: x 90, solid: outside", 1.0 - VL_PI * 0.2025},
               {"shape: capsule, radius: 0.1, height: 0.3, rotate: z 25", VL_PI * 0.01 + 0.06}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double square[4] = {0.0};
    int triangles[4];
    for (int fine = 0; fine < 4; fine++)
      for (int place = 0; place < PLACES; place++) {
        double error = solid_area(16 << fine, cases[c].keys, place, &triangles[fine]) / cases[c].area - 1.0;
        square[fine] += error * error / PLACES;
      }
    assert_second_order(cases[c].keys, square);
    assert_true(triangles[3] < 2.2 * triangles[2]);
  }
}

/* Corners of a section are met, and a shape that is thinner than the slab is as thick as it: a slab knows no z. */
static void test_polygons(void **state)
{
  (void)state;
  static const struct {
    const char *keys;
    double area;
  } cases[] = {{"shape: box, size: [0.4, 0.3], rotate: z 20", 0.12},
               {"shape: box, size: [0.4, 0.3, 0.01], rotate: z 20", 0.12},
               {"shape: box, size: [0.3, 0.2, 0.1], rotate: y 45", 0.2 * 0.1 * 1.4142135623730951},
               {"shape: difference, parts: [{shape: box, size: [0.5, 0.5, 2]}, {shape: box, size: [0.3, 0.2, 3]}]", 0.19}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int triangles;
    for (int place = 0; place < PLACES; place++) {
      double area = solid_area(24, cases[c].keys, place, &triangles);
      if (!(fabs(area / cases[c].area - 1.0) <= 1e-9)) fail_msg("%s: %.12g m2", cases[c].keys, area);
    }
  }
}

/* Lift of a disc that stands in still water, against rho g times its area; it acts at the middle, and nothing pushes
 * sideways. */
static void test_lift_on_a_solid(void **state)
{
  (void)state;
  double square[4] = {0.0}, radius = 0.2;
  for (int fine = 0; fine < 4; fine++)
    for (int place = 0; place < PLACES; place++) {
      vlScene scene = with_solid(16 << fine, "shape: sphere, radius: 0.2", place);
      vlVec3 middle = scene.solids[0].shape.center;
      vlSim *sim = start(&scene, 1);
      one_step(sim, 0.01);
      int wall = vl_sim_wall_count(sim) - 1;
      vlWallView disc = vl_sim_wall(sim, wall);
      double lift = 9810.0 * VL_PI * radius * radius / (16 << fine), error = disc.force.y / lift - 1.0;
      double turn = disc.torque.z - (middle.x * disc.force.y - middle.y * disc.force.x);
      assert_string_equal(disc.name, "it");
      assert_true(fabs(disc.force.x) <= 1e-9 * lift);
      assert_true(fabs(turn) <= 0.5 / (16 << (2 * fine)) * lift * radius);
      square[fine] += error * error / PLACES;
      vl_sim_destroy(&sim);
      vl_scene_clear(&scene);
    }
  assert_second_order("lift", square);
}

/* A rigid body's lift is that of its surface, at its middle, and does not depend on the grid: as dense as water and with its
 * exact mass it rests, and hardly turns. What its slices alone miss falls with dx^1.5, as the errors of cells that a curve
 * passes do that add up at random: the liquid between them and the surface is what makes it good. */
static void test_lift_on_a_body(void **state)
{
  (void)state;
  static const struct {
    const char *keys;
    double area, error; /* of the contour */
  } bodies[] = {
      {"shape: sphere, radius: 0.2", VL_PI * 0.04, 2e-5},
      {"shape: capsule, radius: 0.1, height: 0.3, rotate: z 25", VL_PI * 0.01 + 0.06, 1e-4},
      {"shape: difference, parts: [{shape: sphere, radius: 0.2}, {shape: sphere, radius: 0.1, center: [0.05, 0.02, "
       "0]}], rotate: z 70",
       VL_PI * 0.03, 1e-4}};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
    for (int fine = 0; fine < 3; fine++)
      for (int place = 0; place < PLACES; place++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{grid: {slab: yes, size: [1, 1], cells: %d}, liquid: {transfer: still, level: 2}, pressure: {tolerance: "
                 "1e-11}, bodies: [{name: it, rigid: yes, %s, density: 1000, center: [%.17g, %.17g]}]}",
                 16 << fine, bodies[k].keys, 0.5 + 0.03 * sin(3.0 * place), 0.5 + 0.03 * cos(5.0 * place + 1.0));
        vlScene scene = parse(text);
        vlSim *sim = start(&scene, 1);
        one_step(sim, 0.01);
        const vlRigid *it = vl_rigid_of(vl_sharp(sim)->state.bodies.body[0]);
        vlSlices s = vl_slices_of(&vl_sharp(sim)->work.patches, &vl_sharp(sim)->state.bodies, 0, it->pose.center,
                                  vl_vec(0.0, -1.0, 0.0), true);
        double area = s.volume.v[1] * (16 << fine);
        assert_true(vl_norm(vl_rigid_velocity(it)) <= 1e-5 * 0.0981); /* of a free fall */
        assert_true(0.2 * fabs(vl_sim_body(sim, 0).info.angular_velocity.z) <= 1e-4 * 0.0981);
        if (!(fabs(area / bodies[k].area - 1.0) <= bodies[k].error)) fail_msg("%s: %.8g m2", bodies[k].keys, area);
        vl_sim_destroy(&sim);
        vl_scene_clear(&scene);
      }
}

typedef struct Counted {
  double radius;
  int distances, gradients;
} Counted;

static double counted_distance(const void *data, vlVec3 x)
{
  Counted *c = *(Counted *const *)data;
#pragma omp atomic
  c->distances++;
  return vl_norm(x) - c->radius;
}

static vlVec3 counted_gradient(const void *data, vlVec3 x)
{
  Counted *c = *(Counted *const *)data;
#pragma omp atomic
  c->gradients++;
  return vl_unit(x);
}

/* What a section asks of its shape follows its boundary: squares of side h along it, and not those inside or around. */
static void test_work(void **state)
{
  (void)state;
  double each[3];
  for (int fine = 0; fine < 3; fine++) {
    Counted counted = {.radius = 0.45}, *data = &counted;
    double h = 1.0 / (64 << fine), squares = 2.0 * VL_PI * 0.45 / h;
    vlStatus status = {0};
    vlTriMesh *mesh = NULL;
    vlBox3 box = {vl_vec(-0.6, -0.61, 0), vl_vec(0.6, 0.6, 0)};
    vlRegion disc = {counted_distance, counted_gradient, &data};
    assert_int_equal(vl_section_prism(&mesh, disc, box, h, 0.1, &status), VL_OK);
    each[fine] = counted.distances / squares;
    print_message("h %.4f: %.1f distances and %.1f gradients for each square on the boundary, %d triangles\n", h, each[fine],
                  counted.gradients / squares, mesh->triangle_count);
    assert_true(each[fine] <= 40.0 && counted.gradients <= 8.0 * squares);
    assert_true(mesh->triangle_count <= 12.0 * squares);
    assert_true(fabs(vl_trimesh_volume(mesh) / (0.1 * VL_PI * 0.2025) - 1.0) <= 2.0 * h * h);
    vl_trimesh_destroy(&mesh);
  }
  assert_true(each[2] <= 1.1 * each[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_areas), cmocka_unit_test(test_polygons),
                                     cmocka_unit_test(test_lift_on_a_solid), cmocka_unit_test(test_lift_on_a_body),
                                     cmocka_unit_test(test_work)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
