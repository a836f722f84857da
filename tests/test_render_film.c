/* Pictures: the silhouette of a ball, the same bits for any number of threads, what the denoiser removes and what it keeps,
 * tones, the camera's place, PNG files and their notes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>

#include "film.h"
#include "mesh_shapes.h"
#include "place.h"
#include "png_file.h"

enum { WIDTH = 192, HEIGHT = 108 };

/* A ball of radius 1 around the origin under an even sky; `albedo` 0 makes it black. */
static vlWorld *make_ball(float albedo, bool wet)
{
  vlWorld *world;
  vlTriMesh *sphere = make_sphere(6);
  vlWorldPlan plan = {.box = {vl_vec(-1, -1, -1), vl_vec(1, 1, 1)}, .sky = vl_sky_uniform(1.0f), .fade = 1e6};
  vlMaterial material = vl_material(VL_MATERIAL_MATTE, f3_all(albedo));
  if (wet) material.kind = VL_SURFACE_WATER;
  vlWorldPart part = {.mesh = sphere, .materials = &material, .material_count = 1, .crease = 30.0f};
  assert_int_equal(vl_world_create(&world, &plan, NULL), VL_OK);
  assert_int_equal(vl_world_add(world, &part, NULL), VL_OK);
  assert_int_equal(vl_world_commit(world, NULL), VL_OK);
  vl_trimesh_destroy(&sphere);
  return world;
}

static void expose(vlFilm *film, const vlWorld *world, const vlCamera *camera, int samples)
{
  vlTraceOptions options = {.bounces = 2, .splits = 1, .brightest = INFINITY};
  assert_int_equal(vl_film_create(film, WIDTH, HEIGHT, NULL), VL_OK);
  assert_true(vl_film_expose(film, world, camera, &options, samples, 0, NULL));
}

/* A ball at distance D in the middle of the picture is a circle of radius tan(asin(r / D)). */
static void test_silhouette(void **state)
{
  (void)state;
  vlWorld *world = make_ball(0.0f, false);
  vlFilm film;
  for (double distance = 3.0; distance < 6.0; distance += 1.1) {
    vlCamera camera = vl_camera(vl_vec(0, 0, distance), vl_vec(0, 0, 0), 45.0, (double)WIDTH / HEIGHT);
    expose(&film, world, &camera, 16);
    double dark = 0.0, radius = tan(asin(1.0 / distance));
    for (int i = 0; i < WIDTH * HEIGHT; i++) dark += 1.0 - film.light[i].x;
    double area = dark / (WIDTH * HEIGHT) * 4.0 * camera.half_width * camera.half_height;
    /* 0.3 %: the ball has 32768 flat triangles, and 16 samples find an edge pixel's part to a few per cent */
    assert_float_equal(area / (VL_PI * radius * radius), 1.0, 3e-3);
    vl_film_clear(&film);
  }
  vl_world_destroy(&world);
}

static void test_same_bits_for_any_threads(void **state)
{
  (void)state;
  size_t bytes = (size_t)WIDTH * HEIGHT * sizeof(vlF3);
  vlCamera camera = vl_camera(vl_vec(1, 1, 3), vl_vec(0, 0, 0), 45.0, (double)WIDTH / HEIGHT);
  vlFilm films[3];
  int before = omp_get_max_threads();
  for (int i = 0; i < 3; i++) {
    omp_set_num_threads(i + 1);
    vlWorld *world = make_ball(1.0f, true);
    expose(&films[i], world, &camera, 4);
    assert_int_equal(vl_film_denoise(&films[i], NULL), VL_OK);
    vl_world_destroy(&world);
  }
  omp_set_num_threads(before);
  for (int i = 1; i < 3; i++) assert_memory_equal(films[0].light, films[i].light, bytes);
  for (int i = 0; i < 3; i++) vl_film_clear(&films[i]);
}

/* Two flat regions with noise of known size, told apart by their albedo. */
static double true_light(int i) { return i % WIDTH < WIDTH / 2 ? 0.4 : 0.6; }

static void test_denoiser(void **state)
{
  (void)state;
  const double noise = 0.1;
  uint64_t seed = 5;
  vlFilm film;
  assert_int_equal(vl_film_create(&film, WIDTH, HEIGHT, NULL), VL_OK);
  double before = 0.0, after = 0.0, edge = 0.0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    double error = random_between(&seed, -1.0, 1.0) * noise * sqrt(3.0);
    film.light[i] = f3_all((float)(true_light(i) + error));
    film.normal[i] = f3(0, 1, 0);
    film.albedo[i] = f3_all(i % WIDTH < WIDTH / 2 ? 0.3f : 0.7f);
    film.variance[i] = (float)(noise * noise);
    before += error * error;
  }
  assert_int_equal(vl_film_denoise(&film, NULL), VL_OK);
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    double error = film.light[i].x - true_light(i);
    after += error * error;
    if (i % WIDTH == WIDTH / 2 - 1 || i % WIDTH == WIDTH / 2) edge += fabs(error);
  }
  assert_true(sqrt(after / before) < 0.15);       /* what an average of 45 pixels leaves */
  assert_true(edge / (2 * HEIGHT) < 0.2 * noise); /* the edge is no blur */
  vl_film_clear(&film);
}

/* Of few samples a pixel may be dark by chance, and say that it is sure; its neighbour as well. Edges stay. */
static void test_specks(void **state)
{
  (void)state;
  vlFilm film;
  assert_int_equal(vl_film_create(&film, WIDTH, HEIGHT, NULL), VL_OK);
  film.samples = 4;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      int i = y * WIDTH + x;
      bool speck = y % 8 == 4 && x % 8 >= 4 && x % 8 <= 5;
      film.light[i] = f3_all(speck ? 0.02f : (float)true_light(i));
      film.normal[i] = f3(0, 1, 0);
      film.albedo[i] = f3_all(x < WIDTH / 2 ? 0.3f : 0.7f);
      film.variance[i] = speck ? 0.0f : 1e-3f;
    }
  assert_int_equal(vl_film_denoise(&film, NULL), VL_OK);
  for (int i = 0; i < WIDTH * HEIGHT; i++) assert_true(fabs(film.light[i].x - true_light(i)) < 0.02);
  vl_film_clear(&film);
}

static void test_tones(void **state)
{
  (void)state;
  assert_true(vl_tone(0.0f) == 0.0f);
  for (float x = 0.0f; x < 20.0f; x += 0.01f) {
    assert_true(vl_tone(x + 0.01f) >= vl_tone(x));
    assert_true(vl_tone(x) <= 1.0f);
  }
}

static void test_camera_frames_the_box(void **state)
{
  (void)state;
  const vlBox3 boxes[] = {{{.v = {0, 0, 0}}, {.v = {1, 1, 1}}}, {{.v = {-3, 2, 5}}, {.v = {40, 3, 6}}}};
  for (int b = 0; b < 2; b++) {
    vlCamera c = vl_camera_frame(boxes[b], vl_vec(-0.5, -0.4, -0.8), 30.0, 16.0 / 9.0);
    double most = 0.0, lo[2] = {9, 9}, hi[2] = {-9, -9};
    for (int i = 0; i < 8; i++) {
      vlVec3 x = vl_vec(i & 1 ? boxes[b].hi.x : boxes[b].lo.x, i & 2 ? boxes[b].hi.y : boxes[b].lo.y,
                        i & 4 ? boxes[b].hi.z : boxes[b].lo.z);
      vlVec3 r = vl_sub(x, c.position);
      double depth = vl_dot(r, c.forward);
      double at[2] = {vl_dot(r, c.right) / (depth * c.half_width), vl_dot(r, c.up) / (depth * c.half_height)};
      assert_true(depth > 0.0);
      for (int a = 0; a < 2; a++) {
        most = fmax(most, fabs(at[a]));
        lo[a] = fmin(lo[a], at[a]);
        hi[a] = fmax(hi[a], at[a]);
      }
    }
    assert_float_equal(most, 0.95, 1e-6); /* it fits, and not by more than the margin */
    for (int a = 0; a < 2; a++) assert_float_equal(lo[a] + hi[a], 0.0, 0.05);
    vlCamera around = vl_camera_turn(c, vl_vec(1, 2, 3), 2.0 * VL_PI);
    assert_true(vl_norm(vl_sub(around.position, c.position)) < 1e-9 * 100.0);
    /* the middle of the picture is forward */
    assert_true(vl_norm(vl_sub(vl_camera_direction(&c, 0.5, 0.5), c.forward)) < 1e-12);
  }
}

static void test_png_knows_what_it_shows(void **state)
{
  const Place *place = *state;
  unsigned char bytes[4 * 2 * 3] = {255, 0, 0, 1, 2, 3};
  assert_int_equal(vl_png_write(place->path, 4, 2, bytes, "picture 7", NULL), VL_OK);
  assert_true(vl_png_has_note(place->path, "picture 7"));
  assert_false(vl_png_has_note(place->path, "picture 8"));
  assert_false(vl_png_has_note(place->path, "picture"));
  struct stat info;
  assert_int_equal(stat(place->path, &info), 0);
  for (off_t n = info.st_size - 1; n >= 0; n--) { /* cut short anywhere it is no picture */
    assert_int_equal(truncate(place->path, n), 0);
    assert_false(vl_png_has_note(place->path, "picture 7"));
  }
  unlink(place->path);
  assert_false(vl_png_has_note(place->path, "picture 7"));
  vlStatus status = {0};
  assert_int_equal(vl_png_write("/nowhere/at/all.png", 4, 2, bytes, "", &status), VL_ERROR_FILE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_silhouette),
      cmocka_unit_test(test_same_bits_for_any_threads),
      cmocka_unit_test(test_denoiser),
      cmocka_unit_test(test_specks),
      cmocka_unit_test(test_tones),
      cmocka_unit_test(test_camera_frames_the_box),
      cmocka_unit_test_setup_teardown(test_png_knows_what_it_shows, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
