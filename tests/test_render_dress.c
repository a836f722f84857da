/* Materials of solids and bodies and whose triangles wear them; the legend of coloured pictures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "dress.h"
#include "legend.h"

static bool equal(vlF3 a, vlF3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* What nothing is said of: containers glass, solids and bodies satin, bodies each of a colour of its own. */
static void test_defaults(void **state)
{
  (void)state;
  const vlLookSolid looks[] = {{.container = true}, {0}, {.has_color = true, .color = vl_vec(0, 1, 0)}};
  vlDress solids, bodies;
  vlStatus status = {0};
  assert_int_equal(vl_dress_solids(&solids, looks, 3, &status), VL_OK);
  assert_int_equal(vl_dress_bodies(&bodies, looks + 1, 2, &status), VL_OK);
  vlMaterial satin = vl_material(VL_MATERIAL_AUTO, f3_all(0.5f));
  assert_int_equal(solids.materials[0].kind, VL_SURFACE_GLASS);
  assert_true(solids.materials[1].kind == VL_SURFACE_COATED && solids.materials[1].coat == satin.coat && satin.coat > 0.0f);
  assert_true(bodies.materials[0].coat == satin.coat && bodies.materials[0].roughness == satin.roughness);
  assert_true(equal(bodies.materials[1].albedo, f3(0, 1, 0)) && equal(solids.materials[2].albedo, f3(0, 1, 0)));
  vl_dress_clear(&solids);
  vl_dress_clear(&bodies);
  /* a run that says nothing has one look for all */
  assert_int_equal(vl_dress_bodies(&bodies, NULL, 0, &status), VL_OK);
  assert_int_equal(bodies.count, 1);
  vl_dress_clear(&bodies);
}

/* The first ten stand apart by more than a tenth of the way from black to white, later ones differ at least; a run's own
 * colours win, and numbers that it does not have are no harm. */
static void test_body_colors(void **state)
{
  (void)state;
  enum { COUNT = 200 };
  for (int i = 0; i < COUNT; i++) {
    vlVec3 color = vl_look_color(i);
    for (int c = 0; c < 3; c++) assert_true(color.v[c] >= 0.0 && color.v[c] <= 1.0);
    for (int k = 0; k < i; k++) {
      vlVec3 other = vl_look_color(k);
      double apart = sqrt(pow(color.x - other.x, 2) + pow(color.y - other.y, 2) + pow(color.z - other.z, 2));
      assert_true(apart > (i < 10 ? 0.17 : 1e-4));
    }
  }
  vlLookSolid looks[] = {{0}, {.has_color = true, .color = vl_vec(0, 1, 0)}};
  const vlLook look = {.bodies = looks, .body_count = 2};
  vlVec3 own = vl_look_body_color(&look, 1), first = vl_look_body_color(&look, 0), beyond = vl_look_body_color(&look, 2);
  assert_true(own.x == 0.0 && own.y == 1.0 && own.z == 0.0);
  assert_true(first.x == vl_look_color(0).x && beyond.x == vl_look_color(2).x);
  assert_true(vl_look_body_color(&look, -1).x == vl_look_color(0).x);
}

/* Two triangles of bodies 1 and 7, which is not there, as arrays of triangles and of vertices. */
static void test_owners(void **state)
{
  (void)state;
  const vlLookSolid looks[] = {{0}, {.material = VL_MATERIAL_GLASS}};
  for (int of_points = 0; of_points < 2; of_points++) {
    vlDress dress;
    vlWorn worn;
    vlStatus status = {0};
    vlFrameMesh frame = {.mesh = vl_trimesh_create(6, 2)};
    assert_non_null(frame.mesh);
    for (int i = 0; i < 6; i++) frame.mesh->tri[i / 3][i % 3] = i;
    vlFrameArray *owner = vl_frame_mesh_add(&frame, "body", of_points, 1);
    assert_non_null(owner);
    for (int i = 0; i < (of_points ? 6 : 2); i++) owner->data[i] = i < (of_points ? 3 : 1) ? 1.0f : 7.0f;
    assert_int_equal(vl_dress_bodies(&dress, looks, 2, &status), VL_OK);
    assert_int_equal(vl_dress_wear(&dress, &frame, &worn, &status), VL_OK);
    assert_true(worn.opaque_of[0] == -1 && worn.glass_of[0] == 1);
    assert_true(worn.opaque_of[1] == 0 && worn.glass_of[1] == -1);
    vl_worn_clear(&worn);
    vl_dress_clear(&dress);
    vl_frame_mesh_clear(&frame);
  }
}

/* The legend covers part of the lower left quarter, shows both ends of the ramp, and nothing in a small picture. */
static void test_legend(void **state)
{
  (void)state;
  enum { WIDTH = 480, HEIGHT = 270 };
  const size_t bytes = (size_t)3 * WIDTH * HEIGHT;
  unsigned char *rgb = malloc(bytes);
  assert_non_null(rgb);
  memset(rgb, 0, bytes);
  vlStatus status = {0};
  vlLegend legend = {WIDTH, HEIGHT, "stress", "Pa", 12345.0};
  assert_int_equal(vl_legend_draw(&legend, rgb, &status), VL_OK);
  int changed = 0, blue = 0, orange = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    const unsigned char *p = rgb + 3 * (size_t)i;
    if (!p[0] && !p[1] && !p[2]) continue;
    changed++;
    assert_true(i % WIDTH < WIDTH / 2 && i / WIDTH > HEIGHT / 2);
    blue += p[0] < 40 && p[2] > 80 && p[2] > 2 * p[1];
    orange += p[0] > 240 && p[1] > 150 && p[1] < 190 && p[2] < 90;
  }
  assert_true(changed > 3000 && blue > 10 && orange > 10);
  memset(rgb, 0, bytes);
  legend.width = 48;
  legend.height = 32;
  assert_int_equal(vl_legend_draw(&legend, rgb, &status), VL_OK);
  for (size_t i = 0; i < bytes; i++) assert_int_equal(rgb[i], 0);
  free(rgb);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_body_colors),
      cmocka_unit_test(test_owners),
      cmocka_unit_test(test_legend),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
