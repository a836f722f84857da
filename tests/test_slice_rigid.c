/* Rigid bodies in frames and on slices: triangles in VTU files and back, velocities inside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "figures/slice_parts.h"
#include "files/vtk.h"
#include "frames/body_mesh.h"
#include "solid/body_set.h"
#include "solid/rigid_body.h"

enum { N = 20 };

static const char *const TEXT =
    "{grid: {size: [1, 1, 1], cells: 20}, bodies: ["
    "{name: ball, rigid: yes, shape: sphere, radius: 0.2, center: [0.3, 0.4, 0.5], velocity: [0.3, -1, 0.2], spin: [1, 2, "
    "3]},"
    "{name: jelly, shape: box, size: [0.2, 0.2, 0.2], center: [0.7, 0.8, 0.5], velocity: [0, 2, 0]},"
    "{name: brick, rigid: yes, shape: box, size: [0.3, 0.2, 0.3], center: [0.75, 0.3, 0.5], rotate: z 30}]}";

static vlSim *make(void)
{
  vlScene scene;
  vlStatus status;
  vlCode code = vl_scene_parse(&scene, TEXT, strlen(TEXT), "/tmp/x.yaml", NULL, 0, &status);
  vlSim *sim = NULL;
  if (!code) code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status);
  if (code) fail_msg("%s", status.message);
  vl_scene_clear(&scene);
  return sim;
}

static void write_frame(const vlSim *sim, const char *path)
{
  vlBodyGrid g;
  vlStatus status;
  vlCode code = vl_body_grid_create(&g, sim, &status);
  const vlVtkArray point[] = {{"displacement", 3, g.displacement}, {"velocity", 3, g.velocity}},
                   cell[] = {{"stress", 6, g.stress}, {"von_mises", 1, g.von_mises}};
  if (!code) code = vl_vtu_write(path, &g.grid, 0.0, point, 2, cell, 2, &status);
  if (code) fail_msg("%s", status.message);
  vl_body_grid_clear(&g);
}

/* All triangles of the bodies' surfaces come back, and only those, first. */
static void test_frame(void **state)
{
  (void)state;
  const char *path = "/tmp/velella_test_slice_rigid.vtu";
  vlVtuFrame frame;
  vlStatus status;
  int(*triangle)[3], count, outer, surface = 0, cells = 0;
  vlSim *sim = make();
  write_frame(sim, path);
  if (vl_vtu_frame_read(&frame, path, &status) || vl_vtu_frame_faces(&frame, &triangle, &count, &outer, &status))
    fail_msg("%s", status.message);
  for (int b = 0; b < 3; b++) {
    vlBodyView body = vl_sim_body(sim, b);
    surface += body.triangle_count;
    cells += body.element_count > 0 ? body.element_count : body.triangle_count;
  }
  assert_int_equal(outer, surface);
  assert_true(count > outer); /* inside the jelly */
  assert_int_equal(frame.cell_count, cells);
  assert_int_equal(frame.body[0], 0);
  assert_int_equal(frame.body[cells - 1], 2);
  vlTriMesh mesh = {frame.points, triangle, frame.point_count, outer};
  double volume = 4.0 / 3.0 * VL_PI * 0.008 + 0.008 + 0.018;
  assert_true(fabs(vl_trimesh_volume(&mesh) - volume) <= 1e-3 * volume);
  free(triangle);
  vl_vtu_frame_clear(&frame);
  vl_sim_destroy(&sim);
  remove(path);
}

/* On the plane z = 0.5 cells in the ball have v + omega x r, to the precision of floats; others and the jelly's none. */
static void test_velocity(void **state)
{
  (void)state;
  const char *path = "/tmp/velella_test_slice_rigid2.vtu";
  vlVtuFrame frame;
  vlStatus status;
  bool in_body[N * N] = {0};
  float velocity[2 * N * N] = {0};
  vlSim *sim = make();
  write_frame(sim, path);
  vlSlice s = {.axis = 2, .u = 0, .v = 1, .position = 0.5, .dx = 1.0 / N, .n = {N, N}};
  s.in_body = in_body;
  s.body_velocity = velocity;
  if (vl_vtu_frame_read(&frame, path, &status) || vl_slice_rigid(&s, &frame, &status)) fail_msg("%s", status.message);
  int ball = 0, brick = 0;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      double x = (i + 0.5) / N - 0.3, y = (j + 0.5) / N - 0.4, r = hypot(x, y);
      const float *v = &velocity[2 * (i + N * j)];
      if (fabs(r - 0.2) > 0.01 && x < 0.25) assert_true(in_body[i + N * j] == (r < 0.2));
      if (x > 0.25 && y > 0.25) assert_false(in_body[i + N * j]); /* the jelly */
      brick += in_body[i + N * j] && r > 0.25;
      if (!in_body[i + N * j] || r > 0.19) continue;
      ball++;
      assert_true(fabs((double)v[0] - (0.3 - 3.0 * y)) <= 1e-5 && fabs((double)v[1] - (-1.0 + 3.0 * x)) <= 1e-5);
    }
  assert_true(ball > 40 && brick > 18 && brick < 30); /* of 0.3 x 0.2 m2: 24 cells */
  vl_vtu_frame_clear(&frame);
  vl_sim_destroy(&sim);
  remove(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_frame), cmocka_unit_test(test_velocity)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
