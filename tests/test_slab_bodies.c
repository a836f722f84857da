/* Elastic bodies in slabs: the triangles of their sections, their modes against theory, how they float, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/stuff.h"
#include "moving.h"
#include "scene/scene.h"
#include "solid/body_shape.h"

static const double DX = 1.0 / 16;

static vlScene parse(const char *text)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "slab.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  if (vl_scene_complete(&scene, &status)) fail_msg("%s", status.message);
  return scene;
}

static vlScene with_body(const char *keys)
{
  char text[900];
  snprintf(text, sizeof text, "{grid: {slab: yes, size: [1, 1], cells: 16}, bodies: [{name: it, center: [0.5, 0.5], %s}]}",
           keys);
  return parse(text);
}

static vlTetMesh fill(const char *keys, vlStuffInfo *info)
{
  vlTetMesh mesh;
  vlStatus status = {0};
  vlScene scene = with_body(keys);
  if (vl_body_fill(&mesh, info, &scene, &scene.bodies[0], &status)) fail_msg("%s: %s", keys, status.message);
  vl_scene_clear(&scene);
  return mesh;
}

/* The part of a shape, turned in the lattice of its body. */
static vlTetMesh fill_turned(const char *shape, double degrees, double cell, vlStuffInfo *info)
{
  char keys[600];
  snprintf(keys, sizeof keys, "shape: union, cell: %.17g, parts: [{%s, rotate: \"%s z %g\"}]", cell, shape,
           strstr(shape, "torus") ? "x 90," : "", degrees);
  return fill(keys, info);
}

/* Degrees: the smallest angle of the triangles at the lower end, which are every third tetrahedron's. */
static double least_angle(const vlTetMesh *mesh)
{
  double least = 180.0;
  for (int t = 0; t < mesh->tet_count; t++) {
    int c[4], low = 0;
    for (int k = 0; k < 4; k++)
      if (mesh->node[mesh->tet[t][k]].z < 0.0) c[low++] = mesh->tet[t][k];
    for (int k = 0; k < 3 && low == 3; k++) {
      vlVec3 a = mesh->node[c[k]], b = vl_sub(mesh->node[c[(k + 1) % 3]], a), d = vl_sub(mesh->node[c[(k + 2) % 3]], a);
      least = fmin(least, atan2(vl_norm(vl_cross(b, d)), vl_dot(b, d)) * 180.0 / VL_PI);
    }
  }
  return least;
}

/* V - E + F of the closed surface of prisms: 2 for each part, 2 less for each hole. */
static int euler(const vlTetMesh *mesh)
{
  vlTriMesh *surface;
  int *node;
  vlStatus status = {0};
  vlTriMeshDefects defects;
  assert_int_equal(vl_tetmesh_surface(&surface, &node, mesh, &status), VL_OK);
  assert_int_equal(vl_trimesh_check(surface, &defects, &status), VL_OK);
  assert_int_equal(defects.open_edges + defects.bad_edges + defects.unused_vertices, 0);
  int chi = surface->vertex_count - surface->triangle_count / 2;
  assert_int_equal(surface->vertex_count, mesh->node_count); /* one prism across */
  vl_trimesh_destroy(&surface);
  free(node);
  return chi;
}

static const struct {
  const char *keys;
  double area;
  int holes;
} sections[] = {
    {"shape: sphere, radius: 0.3", VL_PI * 0.09, 0},
    {"shape: box, size: [0.5, 0.3]", 0.15, 0},
    {"shape: capsule, radius: 0.1, height: 0.3", VL_PI * 0.01 + 0.06, 0},
    {"shape: cone, radius: 0.2, height: 0.4", 0.08, 0},
    {"shape: torus, radius: 0.3, tube_radius: 0.07", VL_PI * 4.0 * 0.3 * 0.07, 1},
    {"shape: union, parts: [{shape: box, size: [0.5, 0.12]}, {shape: box, size: [0.12, 0.5]}]", 0.1056, 0},
    {"shape: difference, parts: [{shape: box, size: [0.5, 0.4]}, {shape: box, size: [0.3, 0.2]}]", 0.14, 1},
    {"shape: difference, parts: [{shape: sphere, radius: 0.3}, {shape: sphere, radius: 0.2, center: [0.02, 0.01, 0]}]",
     VL_PI * 0.05, 1},
};
enum { SECTIONS = sizeof sections / sizeof *sections, TURNS = 8 };

/* Sections are whole, closed, of good angles, and hold what the slab cuts: exactly in size where they are smooth, to second
 * order in the cell where corners lie as they like. */
static void test_sections(void **state)
{
  (void)state;
  double worst = 180.0;
  for (int s = 0; s < SECTIONS; s++) {
    double square[3] = {0.0};
    for (int fine = 0; fine < 3; fine++)
      for (int turn = 0; turn < TURNS; turn++) {
        vlStuffInfo info;
        double cell = (0.036 + 0.0017 * turn) / (1 << fine);
        vlTetMesh mesh = fill_turned(sections[s].keys, 11.3 * turn, cell, &info);
        double area = vl_tetmesh_volume(&mesh) / DX, error = area / sections[s].area - 1.0, angle = least_angle(&mesh);
        vlBox3 box = vl_tetmesh_bounds(&mesh);
        assert_int_equal(euler(&mesh), 2 - 2 * sections[s].holes);
        assert_int_equal(info.pieces, 1);
        assert_true(fabs(info.missing + error) <= 1e-3 * (fine ? 0.25 : 1.0) + 0.05 * fabs(error));
        assert_true(box.lo.z == -0.5 * DX && box.hi.z == 0.5 * DX);
        if (!(angle >= 12.0)) fail_msg("%s at %g m, turned by %g: %.2f degrees", sections[s].keys, cell, 11.3 * turn, angle);
        worst = fmin(worst, angle);
        square[fine] += error * error / TURNS;
        vl_tetmesh_clear(&mesh);
      }
    double e[3] = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2])};
    print_message("%-60.60s %.2e %.2e %.2e\n", sections[s].keys, e[0], e[1], e[2]);
    for (int fine = 0; fine < 3; fine++)
      if (!(e[fine] <= 0.024 / (1 << (2 * fine)))) fail_msg("%s: %.2e at %d", sections[s].keys, e[fine], fine);
  }
  print_message("smallest angle %.1f degrees\n", worst);
}

/* Hz of mode number `mode`. */
static double frequency(const char *keys, int mode)
{
  enum { MOST = 6 };
  vlBodyMode modes[MOST];
  vlVec3 *shape;
  vlStatus status = {0};
  vlScene scene = with_body(keys);
  vlSim *sim = NULL;
  if (vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, &status)) fail_msg("%s: %s", keys, status.message);
  shape = malloc((size_t)mode * (size_t)vl_sim_body(sim, 0).node_count * sizeof *shape);
  assert_non_null(shape);
  if (vl_sim_body_modes(sim, 0, mode, modes, shape, &status)) fail_msg("%s", status.message);
  free(shape);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return modes[mode - 1].frequency;
}

/* A cantilever of filled triangles swings as one of cuboids does, however it lies in its lattice. */
static void test_cantilever(void **state)
{
  (void)state;
  static const char material[] = "element: quadratic, young: 1e6, poisson: 0.3";
  char keys[500];
  snprintf(keys, sizeof keys,
           "%s, shape: box, size: [0.6, 0.1], cells: [24, 4], pins: [{shape: box, center: [0.2, 0.5], size: "
           "[0.002, 1]}]",
           material);
  double cuboids = frequency(keys, 1);
  for (int turn = 0; turn < 4; turn++) {
    double angle = 31.0 * turn, c = cos(angle * VL_PI / 180.0), s = sin(angle * VL_PI / 180.0);
    snprintf(
        keys, sizeof keys,
        "%s, shape: union, cell: 0.025, parts: [{shape: box, size: [0.6, 0.1], rotate: z %g}], pins: [{shape: box, center: "
        "[%.17g, %.17g], size: [0.002, 1], rotate: z %g}]",
        material, angle, 0.5 - 0.3 * c, 0.5 - 0.3 * s, angle);
    double filled = frequency(keys, 1);
    print_message("turned by %3g: %.4f Hz, of cuboids %.4f Hz\n", angle, filled, cuboids);
    assert_true(fabs(filled / cuboids - 1.0) <= 0.01);
  }
}

/* The first bending of a free ring, 2 waves around: omega^2 = 36/5 E I / ((1 - nu^2) rho A R^4), less what shear and turning
 * inertia take, about (t/R)^2 / 2. It is the fourth mode; the fifth is the same, turned by 45 degrees. */
static void test_ring(void **state)
{
  (void)state;
  const double R = 0.3, t = 0.06, young = 1e6, poisson = 0.3;
  const char *keys =
      "shape: torus, rotate: x 90, radius: 0.3, tube_radius: 0.03, cell: 0.025, element: quadratic, young: 1e6, "
      "poisson: 0.3";
  double thin = sqrt(7.2 * young * t * t / 12.0 / (1.0 - poisson * poisson) / 1000.0) / (R * R) / (2.0 * VL_PI);
  double fourth = frequency(keys, 4), fifth = frequency(keys, 5);
  print_message("ring: %.4f and %.4f Hz, thin %.4f Hz\n", fourth, fifth, thin);
  assert_true(frequency(keys, 3) <= 1e-3 * thin);
  assert_true(fabs(fourth / thin - 1.0) <= 0.02);
  assert_true(fabs(fifth / fourth - 1.0) <= 0.003);
}

/* The part of a disc's area that is below a line s radii over its middle. */
static double part_below(double s) { return 1.0 - (acos(s) - s * sqrt(1.0 - s * s)) / VL_PI; }

/* A disc that is let go at its draft stays there. */
static void test_float(void **state)
{
  (void)state;
  static const double densities[] = {500.0, 700.0};
  for (int k = 0; k < 2; k++) {
    double lo = -1.0, hi = 1.0, radius = 0.16;
    for (int i = 0; i < 60; i++) *(part_below(0.5 * (lo + hi)) < densities[k] / 1000.0 ? &lo : &hi) = 0.5 * (lo + hi);
    char text[600];
    snprintf(text, sizeof text,
             "{grid: {slab: yes, size: [1, 1], cells: 32}, liquid: {level: 0.5}, bodies: [{name: disc, shape: sphere, cell: "
             "0.04, "
             "radius: %g, density: %g, young: 1e6, center: [0.5, %.17g]}]}",
             radius, densities[k], 0.5 - lo * radius);
    vlScene scene = parse(text);
    vlSim *sim = start(&scene, 1);
    vlBodyView first = vl_sim_body(sim, 0);
    advance_to(sim, 0.1);
    vlBodyView last = vl_sim_body(sim, 0);
    double rise = last.info.center.y - first.info.center.y, fall = 0.5 * 9.81 * 0.01;
    print_message("density %g: middle %g m over the water, moves by %.2e m, %.2e of a free fall\n", densities[k],
                  -lo * radius, rise, rise / fall);
    assert_true(fabs(32.0 * first.info.mass / (densities[k] * VL_PI * radius * radius) - 1.0) <= 1e-3);
    assert_true(fabs(rise) <= 0.005 * fall);
    vl_sim_destroy(&sim);
    vl_scene_clear(&scene);
  }
}

/* Under water a body as dense as it rests on every grid: its round surface is lifted as its tetrahedra weigh. What turns it
 * falls with the cell. It is so stiff that it is hardly squeezed, which would move it too. */
static void test_rest(void **state)
{
  (void)state;
  static const char *const shapes[] = {
      "shape: sphere, radius: 0.2, cell: 0.05", "shape: torus, rotate: x 90, radius: 0.2, tube_radius: 0.05, cell: 0.06",
      "shape: capsule, radius: 0.1, height: 0.25, rotate: z 25, cell: 0.04, element: quadratic"};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int cells = 16; cells <= 64; cells *= 2) {
      double turn = 0.0, fall = 9.81 * 0.01, lift = 0.0;
      for (int place = 0; place < 4; place++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{grid: {slab: yes, size: [1, 1], cells: %d}, liquid: {transfer: still, level: 2}, pressure: {tolerance: "
                 "1e-11}, bodies: [{%s, young: 1e11, density: 1000, center: [%.17g, %.17g]}]}",
                 cells, shapes[k], 0.5 + 0.03 * sin(3.0 * place), 0.5 + 0.03 * cos(5.0 * place + 1.0));
        vlScene scene = parse(text);
        vlSim *sim = start(&scene, 1);
        one_step(sim, 0.01);
        vlBodyInfo info = vl_sim_body(sim, 0).info;
        lift = fmax(lift, vl_norm(info.velocity) / fall);
        turn += 0.25 * pow(0.2 * info.angular_velocity.z / fall, 2);
        vl_sim_destroy(&sim);
        vl_scene_clear(&scene);
      }
      print_message("%-60.60s %d: %.1e of a free fall, turns with %.1e\n", shapes[k], cells, lift, sqrt(turn));
      assert_true(lift <= 3e-6);
      assert_true(sqrt(turn) <= 5e-4 * pow(16.0 / cells, 1.5));
    }
}

static void refuse(const char *keys, vlCode wanted, const char *message)
{
  vlTetMesh mesh;
  vlStuffInfo info;
  vlStatus status = {0};
  vlScene scene = with_body(keys);
  vlCode code = vl_body_fill(&mesh, &info, &scene, &scene.bodies[0], &status);
  if (code != wanted || !strstr(status.message, message)) fail_msg("%s: %d, '%s'", keys, code, status.message);
  assert_null(mesh.tet);
  vl_scene_clear(&scene);
}

/* What is not there, has no end or is smaller than a cell is refused; parts that do not hang together are counted. */
static void test_what_is_cut(void **state)
{
  (void)state;
  static const char none[] = "nothing of the shape is in the slab, at z = 0", outside[] = "the shape has no end along x";
  refuse("shape: union, parts: [{shape: sphere, radius: 0.1, center: [0, 0, 0.11]}]", VL_ERROR_SCENE, none);
  refuse("shape: union, cell: 0.02, parts: [{shape: sphere, radius: 0.1, center: [0, 0, 0.11]}]", VL_ERROR_SCENE, none);
  refuse("shape: intersection, parts: [{shape: halfspace, normal: [0, 1, 0]}]", VL_ERROR_SCENE, outside);
  refuse("shape: torus, rotate: x 90, radius: 0.1, tube_radius: 0.01, cell: 0.2", VL_ERROR_MESH,
         "cell is 0.2 m: no triangle of that size fits into the section");
  vlStuffInfo info;
  vlTetMesh mesh =
      fill("shape: union, cell: 0.02, parts: [{shape: sphere, radius: 0.1, center: [0.2, 0, 0]}, {shape: box, size: "
           "[0.1, 0.1]}]",
           &info);
  assert_int_equal(info.pieces, 2);
  assert_int_equal(euler(&mesh), 4);
  vl_tetmesh_clear(&mesh);
  /* a ball cut off its middle; a long box turned out of the plane; one of two entries with a cell */
  static const struct {
    const char *keys;
    double area;
  } cuts[] = {{"shape: union, parts: [{shape: sphere, radius: 0.13, center: [0, 0, 0.05]}]", VL_PI * 0.0144},
              {"shape: box, size: [0.4, 0.3, 0.2], cell: 0.02, rotate: y 90", 0.06},
              {"shape: box, size: [0.4, 0.3], cell: 0.02, rotate: z 25", 0.12},
              {"shape: box, size: [0.4, 0.3], cell: 0.01, round: 0.05, rotate: z 25", 0.12 - (4.0 - VL_PI) * 0.0025},
              {"shape: cylinder, radius: 0.2, height: 0.1, rotate: x 90", VL_PI * 0.04},
              {"shape: cylinder, radius: 0.1, height: 0.4, rotate: z 30", 0.08}};
  for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
    mesh = fill(cuts[k].keys, &info);
    double area = vl_tetmesh_volume(&mesh) / DX;
    if (!(fabs(area / cuts[k].area - 1.0) <= 2e-4)) fail_msg("%s: %.8g m2", cuts[k].keys, area);
    vl_tetmesh_clear(&mesh);
  }
}

/* Tetrahedra that a program gives are cut too, and filled anew. */
static void test_given(void **state)
{
  (void)state;
  vlTetMesh given, mesh;
  vlStuffInfo info;
  vlStatus status = {0};
  vlScene scene = with_body("shape: sphere, radius: 0.1");
  vlBox3 box = {vl_vec(-0.1, -0.15, -0.2), vl_vec(0.1, 0.15, 0.2)};
  assert_int_equal(vl_tetmesh_box(&given, box, (const int[3]){2, 3, 4}, &status), VL_OK);
  vlBodyDef def = scene.bodies[0];
  def.shape = VL_BODY_MESH;
  def.rotation = vl_mat_rotation(0, 0.5 * VL_PI);
  def.nodes = given.node;
  def.node_count = given.node_count;
  def.tets = given.tet;
  def.tet_count = given.tet_count;
  if (vl_body_fill(&mesh, &info, &scene, &def, &status)) fail_msg("%s", status.message);
  assert_true(fabs(vl_tetmesh_volume(&mesh) / DX / 0.08 - 1.0) <= 1e-9);
  vl_tetmesh_clear(&mesh);
  vl_tetmesh_clear(&given);
  vl_scene_clear(&scene);
}

/* Parts that only touch, walls and gaps of a cell, sides that lie on the lattice: triangles are never turned over. */
static void test_hard_ones(void **state)
{
  (void)state;
  static const char *const hard[] = {
      "shape: difference, cell: 0.05, parts: [{shape: cone, radius: 0.2, height: 0.1, center: [-0.1, 0, 0], rotate: z 180}, "
      "{shape: cone, radius: 0.25, height: 0.25, center: [-0.1, -0.15, 0], rotate: z 270}, {shape: box, size: [0.3, 0.05], "
      "center: "
      "[-0.05, 0]}]",
      "shape: union, cell: 0.025030314076683137, parts: [{shape: box, size: [0.202222, 0.0614242], center: [0.0754756, "
      "0.0723545], "
      "rotate: z 8}, {shape: torus, radius: 0.144587, tube_radius: 0.0251902, center: [0.0369514, 0.146856, 0], rotate: x "
      "90}, "
      "{shape: torus, radius: 0.111165, tube_radius: 0.0228886, center: [-0.00854221, 0.0242743, 0], rotate: x 90}]",
      "shape: difference, cell: 0.05, parts: [{shape: capsule, radius: 0.0666667, height: 0.2, center: [-0.05, 0.1, 0], "
      "rotate: z "
      "270}, {shape: cone, radius: 0.2, height: 0.1, center: [-0.15, 0.1, 0]}]",
      "shape: union, cell: 0.02, parts: [{shape: sphere, radius: 0.1, center: [-0.1, 0, 0]}, {shape: sphere, radius: 0.1, "
      "center: "
      "[0.1, 0, 0]}]",
      "shape: union, cell: 0.02, parts: [{shape: box, size: [0.1, 0.1], center: [-0.05, -0.05]}, {shape: box, size: [0.1, "
      "0.1], "
      "center: [0.05, 0.05]}]"};
  for (size_t k = 0; k < sizeof hard / sizeof *hard; k++) {
    vlStuffInfo info;
    vlTetMesh mesh = fill(hard[k], &info); /* which is checked */
    double least = least_angle(&mesh);
    print_message("smallest angle %.1f degrees, %d pieces\n", least, info.pieces);
    assert_true(least >= 2.0);
    euler(&mesh);
    vl_tetmesh_clear(&mesh);
  }
}

/* Without a cell walls get two triangles across, whatever the size of the whole. */
static void test_thin(void **state)
{
  (void)state;
  vlStuffInfo info;
  vlTetMesh mesh = fill("shape: torus, radius: 0.4, tube_radius: 0.004, rotate: x 90", &info);
  assert_true(info.cell <= 0.008 / 1.42 && info.cell >= 0.002);
  assert_int_equal(info.thin + info.narrow + info.crumbs, 0);
  assert_int_equal(euler(&mesh), 0);
  vl_tetmesh_clear(&mesh);
  mesh = fill("shape: torus, radius: 0.4, tube_radius: 0.004, rotate: x 90, cell: 0.007", &info);
  assert_true(vl_stuff_is_coarse(&info));
  vl_tetmesh_clear(&mesh);
  mesh = fill("shape: sphere, radius: 0.3", &info);
  assert_true(mesh.tet_count >= 3000 && mesh.tet_count <= 8000);
  vl_tetmesh_clear(&mesh);
}

static double checksum(const vlSim *sim)
{
  double sum = 0.0;
  for (int b = 0; b < vl_sim_body_count(sim); b++) {
    vlBodyView body = vl_sim_body(sim, b);
    for (int i = 0; i < body.node_count; i++)
      sum += (1 + i % 7) * body.x[i].x + (1 + i % 5) * body.x[i].y + 1e3 * body.v[i].y;
  }
  return sum;
}

/* Two rings that fall on a pool and on each other: in the plane, with the same bits for one and three threads and after a
 * checkpoint. */
static void test_run(void **state)
{
  (void)state;
  static const char text[] =
      "{grid: {slab: yes, size: [1, 1], cells: 24}, liquid: {level: 0.3}, bodies: [{name: ring, shape: torus, rotate: x 90, "
      "radius: 0.15, tube_radius: 0.04, cell: 0.05, young: 2e4, density: 600, center: [0.45, 0.5], velocity: [0, -2, 0]}, "
      "{name: plus, shape: union, cell: 0.04, young: 2e4, density: 700, center: [0.55, 0.86], velocity: [0, -3, 0], spin: "
      "[0, 0, 4], parts: [{shape: box, size: [0.24, 0.08]}, {shape: box, size: [0.08, 0.24]}]}]}";
  const char *path = "test_slab_bodies.checkpoint";
  vlScene scene = parse(text);
  vlStatus status = {0};
  vlSim *one = start(&scene, 1), *three = start(&scene, 3), *resumed = start(&scene, 2);
  int contacts = 0;
  for (int s = 0; s < 20; s++) {
    contacts += one_step(one, 0.01).contacts;
    one_step(three, 0.01);
    if (s == 8 && (vl_sim_save(one, path, &status) || vl_sim_resume(resumed, path, &status))) fail_msg("%s", status.message);
    if (s > 8) one_step(resumed, 0.01);
  }
  remove(path);
  assert_true(contacts > 0);
  assert_true(checksum(one) == checksum(three));
  assert_true(checksum(one) == checksum(resumed));
  for (int b = 0; b < 2; b++) {
    vlBodyView body = vl_sim_body(one, b);
    for (int i = 0; i < body.node_count; i++) assert_true(body.v[i].z == 0.0 && body.x[i].z == body.rest[i].z);
  }
  vl_sim_destroy(&one);
  vl_sim_destroy(&three);
  vl_sim_destroy(&resumed);
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sections), cmocka_unit_test(test_cantilever),
                                     cmocka_unit_test(test_ring),     cmocka_unit_test(test_float),
                                     cmocka_unit_test(test_rest),     cmocka_unit_test(test_what_is_cut),
                                     cmocka_unit_test(test_given),    cmocka_unit_test(test_hard_ones),
                                     cmocka_unit_test(test_thin),     cmocka_unit_test(test_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
