/* Light against analysis: Fresnel and Snell, white furnaces, a form factor, the way through a slab of water, shadows in
 * water. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh_shapes.h"
#include "trace.h"

static const vlTraceOptions long_paths = {.bounces = 1000, .splits = 1, .brightest = INFINITY};

/* A world in the box [-1, 1]^3 under a sky of radiance 1 from everywhere; absorption in 1/m. */
static vlWorld *make_world(double absorption)
{
  vlWorld *world;
  vlWorldPlan plan = {.box = {vl_vec(-1, -1, -1), vl_vec(1, 1, 1)},
                      .sky = vl_sky_uniform(1.0f),
                      .absorption = f3_all((float)absorption),
                      .gap = 1e-3,
                      .fade = 1e6};
  assert_int_equal(vl_world_create(&world, &plan, NULL), VL_OK);
  return world;
}

static void add(vlWorld *world, const vlTriMesh *mesh, vlMaterial material)
{
  vlWorldPart part = {.mesh = mesh, .materials = &material, .material_count = 1, .crease = 30.0f};
  assert_int_equal(vl_world_add(world, &part, NULL), VL_OK);
}

static vlTriMesh *moved(vlTriMesh *mesh, vlVec3 scale, vlVec3 by)
{
  for (int i = 0; i < mesh->vertex_count; i++)
    for (int a = 0; a < 3; a++) mesh->x[i].v[a] = mesh->x[i].v[a] * scale.v[a] + by.v[a];
  return mesh;
}

static vlMaterial matte(float albedo) { return vl_material(VL_MATERIAL_MATTE, f3_all(albedo)); }
static const vlMaterial water = {.kind = VL_SURFACE_WATER, .albedo = {1, 1, 1}};

/* Mean radiance along a ray, and how certain it is. */
static double mean_light(const vlWorld *world, vlVec3 from, vlVec3 along, int samples, double *error)
{
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < samples; i++) {
    vlSampler sampler = vl_sampler(3, 5, 7, (uint32_t)i, (uint32_t)samples);
    vlFeatures features;
    vlRay ray = {vl_world_place(world, from), f3_from(vl_unit(along))};
    double light = vl_trace(world, ray, false, &long_paths, &sampler, &features).x;
    sum += light;
    squares += light * light;
  }
  double mean = sum / samples;
  if (error) *error = sqrt(fmax(0.0, squares / samples - mean * mean) / samples);
  return mean;
}

static void test_fresnel(void **state)
{
  (void)state;
  const float n = VL_WATER_INDEX, head_on = ((n - 1) / (n + 1)) * ((n - 1) / (n + 1));
  assert_float_equal(vl_fresnel(1.0f, n), head_on, 1e-6);
  assert_float_equal(vl_fresnel(1.0f, 1.0f / n), head_on, 1e-6);
  assert_float_equal(vl_fresnel(0.0f, n), 1.0f, 1e-5);
  /* what passes one way passes the other: both sides of a ray reflect the same part */
  for (float s = 0.0f; s < 0.99f; s += 0.03f) {
    float outside = sqrtf(1.0f - s * s), inside = sqrtf(1.0f - s * s / (n * n));
    assert_float_equal(vl_fresnel(outside, n), vl_fresnel(inside, 1.0f / n), 1e-4);
  }
  /* beyond the critical angle, sin = 1/n, everything is reflected */
  assert_true(vl_fresnel(sqrtf(1.0f - 1.001f / (n * n)), 1.0f / n) == 1.0f);
  assert_true(vl_fresnel(sqrtf(1.0f - 0.98f / (n * n)), 1.0f / n) < 1.0f);
}

static void test_snell(void **state)
{
  (void)state;
  vlF3 up = {0, 1, 0}, in, back;
  for (float s = 0.0f; s < 1.0f; s += 0.05f) {
    vlF3 d = f3(s, -sqrtf(1.0f - s * s), 0.0f);
    assert_true(vl_refract(d, up, VL_WATER_INDEX, &in));
    assert_float_equal(in.x * VL_WATER_INDEX, s, 1e-6); /* n sin = n' sin' */
    assert_float_equal(f3_dot(in, in), 1.0f, 1e-6);
    assert_true(vl_refract(f3_scale(in, -1.0f), f3_scale(up, -1.0f), 1.0f / VL_WATER_INDEX, &back));
    assert_float_equal(f3_dot(back, d), -1.0f, 1e-5); /* the way back is the same */
  }
  assert_false(vl_refract(f3(0.8f, 0.6f, 0.0f), f3(0, -1, 0), 1.0f / VL_WATER_INDEX, &in)); /* sin = 0.8 > 1/n */
}

/* Where nothing absorbs, a sky of radiance 1 makes everything look 1. */
static void test_white_furnace(void **state)
{
  (void)state;
  double error;
  vlTriMesh *sphere = make_sphere(4);
  vlWorld *world = make_world(0.0);
  add(world, sphere, matte(1.0f));
  assert_int_equal(vl_world_commit(world, NULL), VL_OK);
  assert_float_equal(mean_light(world, vl_vec(0.3, 0.2, 3), vl_vec(0, 0, -1), 64, NULL), 1.0, 1e-5);
  vl_world_destroy(&world);

  /* a cup, seen from above: light leaves after many reflections; without the lid, the last two triangles */
  vlTriMesh *cup = moved(make_cube(), vl_vec(1, 1, 2), vl_vec(-0.5, -0.5, -1));
  world = make_world(0.0);
  cup->triangle_count -= 1;
  int lid = 0;
  for (int t = 0; t < cup->triangle_count; t++) {
    bool top = true;
    for (int c = 0; c < 3; c++) top = top && cup->x[cup->tri[t][c]].z > 0.9;
    if (!top) memcpy(cup->tri[lid++], cup->tri[t], sizeof *cup->tri);
  }
  cup->triangle_count = lid;
  add(world, cup, matte(1.0f));
  assert_int_equal(vl_world_commit(world, NULL), VL_OK);
  double light = mean_light(world, vl_vec(0.1, 0.05, 3), vl_vec(0, 0, -1), 4096, &error);
  assert_float_equal(light, 1.0, 4.0 * error + 1e-3); /* 1e-3: paths of more than 48 surfaces are cut */
  vl_world_destroy(&world);

  world = make_world(0.0);
  add(world, sphere, water);
  assert_int_equal(vl_world_commit(world, NULL), VL_OK);
  light = mean_light(world, vl_vec(0.3, 0.2, 3), vl_vec(0, 0, -1), 4096, &error);
  assert_float_equal(light, 1.0, 4.0 * error + 1e-3);
  vl_world_destroy(&world);

  /* a coat hands out no more than it gets */
  static const vlMaterialKind coats[] = {VL_MATERIAL_GLOSSY, VL_MATERIAL_RUBBER};
  for (int i = 0; i < 2; i++) {
    world = make_world(0.0);
    add(world, sphere, vl_material(coats[i], f3_all(1.0f)));
    assert_int_equal(vl_world_commit(world, NULL), VL_OK);
    light = mean_light(world, vl_vec(0.6, 0.2, 3), vl_vec(0, 0, -1), 4096, &error);
    assert_in_range((int)(1000.0 * light), 930, 1010);
    vl_world_destroy(&world);
  }
  vl_trimesh_destroy(&cup);
  vl_trimesh_destroy(&sphere);
}

/* A film of water on a white board, thinner than the gap at which water touches solids, hides no light: with the board in
 * its underside, and just below it. */
static void test_film_is_bright(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    double error, under = k == 0 ? -1e-4 : 1e-4;
    vlTriMesh *board = moved(make_cube(), vl_vec(1, 1, 0.2), vl_vec(-0.5, -0.5, -0.2));
    vlTriMesh *film = moved(make_cube(), vl_vec(0.8, 0.8, 3e-4 - under), vl_vec(-0.4, -0.4, under));
    vlWorld *world = make_world(0.0);
    add(world, board, matte(1.0f));
    add(world, film, water);
    assert_int_equal(vl_world_commit(world, NULL), VL_OK);
    double light = mean_light(world, vl_vec(0.1, 0.05, 3), vl_vec(0.01, 0.02, -1), 4096, &error);
    assert_float_equal(light, 1.0, 4.0 * error + 1e-2); /* 1e-2: paths of more than 48 surfaces are cut */
    vl_world_destroy(&world);
    vl_trimesh_destroy(&board);
    vl_trimesh_destroy(&film);
  }
}

/* A point under a black disc of radius r at height h does not see the part r^2 / (r^2 + h^2) of a sky weighted by cosine. */
static void test_form_factor(void **state)
{
  (void)state;
  enum { CORNERS = 256 };
  static const double r = 0.6, h = 0.45;
  double polygon[CORNERS][2], error;
  for (int i = 0; i < CORNERS; i++) {
    polygon[i][0] = r * cos(2.0 * VL_PI * i / CORNERS);
    polygon[i][1] = r * sin(2.0 * VL_PI * i / CORNERS);
  }
  vlTriMesh *disc = moved(make_prism((const double(*)[2])polygon, CORNERS), vl_vec(1, 1, 1e-4), vl_vec(0, 0, h));
  vlTriMesh *patch = moved(make_cube(), vl_vec(0.02, 0.02, 1e-4), vl_vec(-0.01, -0.01, -1e-4));
  vlWorld *world = make_world(0.0);
  add(world, disc, matte(0.0f));
  add(world, patch, matte(1.0f));
  assert_int_equal(vl_world_commit(world, NULL), VL_OK);
  /* seen from the side below the disc */
  double light = mean_light(world, vl_vec(-0.9, 0, 0.18), vl_vec(0.9, 0, -0.18), 20000, &error);
  assert_float_equal(light, 1.0 - r * r / (r * r + h * h), 4.0 * error + 1e-3); /* 1e-3: a polygon, a patch with a size */
  vl_world_destroy(&world);
  vl_trimesh_destroy(&disc);
  vl_trimesh_destroy(&patch);
}

/* All the light that a slab of water sends towards the camera, head-on, summed over inner reflections. */
static void test_slab_absorbs(void **state)
{
  (void)state;
  const double a = 0.7, d = 0.8, n = VL_WATER_INDEX, f = pow((n - 1) / (n + 1), 2), t = exp(-a * d);
  double reflected = f + (1 - f) * (1 - f) * f * t * t / (1 - f * f * t * t),
         passed = (1 - f) * (1 - f) * t / (1 - f * f * t * t);
  double error;
  vlTriMesh *slab = moved(make_cube(), vl_vec(2, 2, d), vl_vec(-1, -1, -0.5 * d));
  vlWorld *world = make_world(a);
  add(world, slab, water);
  assert_int_equal(vl_world_commit(world, NULL), VL_OK);
  double light = mean_light(world, vl_vec(0.1, 0.2, 3), vl_vec(0, 0, -1), 4096, &error);
  assert_float_equal(light, reflected + passed, 4.0 * error + 1e-5);

  /* a shadow ray goes straight through: two surfaces and the way between */
  vlRay ray = {vl_world_place(world, vl_vec(0.1, 0.2, -2)), {0, 0, 1}};
  assert_float_equal(vl_world_visible(world, ray).x, (1 - f) * (1 - f) * t, 1e-5);
  ray.origin = vl_world_place(world, vl_vec(0.1, 0.2, 0));
  assert_true(vl_world_in_water(world, ray.origin));
  assert_float_equal(vl_world_visible(world, ray).x, (1 - f) * exp(-0.5 * a * d), 1e-5);
  assert_false(vl_world_in_water(world, vl_world_place(world, vl_vec(0, 0, 0.9))));
  vl_world_destroy(&world);
  vl_trimesh_destroy(&slab);
}

/* A ray along a diagonal of a block of water meets all its sides beyond the critical angle and never gets out. Behind glass
 * it is reflected once, at z = 0.5 after 0.3 sqrt(3) m, and leaves at y = 0.5 after 0.4 sqrt(3) m. */
static void test_glass_holds_no_light_back(void **state)
{
  (void)state;
  static const double a = 1.0, way = 0.692820323; /* 1/m, m */
  const vlMaterial clear = {.kind = VL_SURFACE_GLASS, .albedo = {1, 1, 1}};
  vlTriMesh *block = moved(make_cube(), vl_vec(1, 1, 1), vl_vec(-0.5, -0.5, -0.5));
  vlTriMesh *glass = moved(make_cube(), vl_vec(1.0008, 1.0008, 1.0008), vl_vec(-0.5004, -0.5004, -0.5004));
  vl_trimesh_flip(glass); /* solid outside */
  for (int held = 0; held < 2; held++) {
    double error;
    vlWorld *world = make_world(a);
    add(world, block, water);
    if (held) add(world, glass, clear);
    assert_int_equal(vl_world_commit(world, NULL), VL_OK);
    double light = mean_light(world, vl_vec(0.0, 0.1, 0.2), vl_vec(1, 1, 1), 1024, &error);
    assert_float_equal(light, held ? exp(-a * way) : 0.0, 4.0 * error + 1e-3); /* 1e-3: 48 sides without glass */
    vl_world_destroy(&world);
  }
  vl_trimesh_destroy(&glass);
  vl_trimesh_destroy(&block);
}

/* Behind a slab of thickness d the ray is shifted by d (tan - tan'): found by where it meets the edge of a white board. */
static void test_slab_shifts_the_view(void **state)
{
  (void)state;
  const double d = 0.3, sine = 0.6, tangent = 0.75, inner = sine / VL_WATER_INDEX;
  vlTriMesh *slab = moved(make_cube(), vl_vec(2, 2, d), vl_vec(-1, -1, 0));
  vlTriMesh *board = moved(make_cube(), vl_vec(1, 2, 0.1), vl_vec(0, -1, -0.9));
  vlWorld *world = make_world(0.0);
  add(world, slab, water);
  add(world, board, matte(0.5f));
  assert_int_equal(vl_world_commit(world, NULL), VL_OK);
  double lo = -1.5, hi = 0.0; /* where the ray starts, at z = 0.9, leaning towards +x; the board's lower edge is met first */
  for (int i = 0; i < 40; i++) {
    double x = 0.5 * (lo + hi);
    vlSampler sampler = vl_sampler(0, 0, 0, 0, 1);
    vlFeatures features;
    vlRay ray = {vl_world_place(world, vl_vec(x, 0, 0.9)), f3((float)sine, 0, -0.8f)};
    vl_trace(world, ray, false, &long_paths, &sampler, &features);
    bool board_seen = features.albedo.x < 0.75f; /* beside it the sky's 1 is seen */
    *(board_seen ? &hi : &lo) = x;
  }
  double straight = -(0.9 + 0.9 - d) * tangent, bent = -d * inner / sqrt(1.0 - inner * inner);
  assert_float_equal(lo, straight + bent, 1e-4); /* new rays start 2e-5 m off their surface */
  vl_world_destroy(&world);
  vl_trimesh_destroy(&slab);
  vl_trimesh_destroy(&board);
}

/* The sun on a matte floor: irradiance times cosine times albedo / pi; nothing behind an obstacle. */
static void test_sun_and_shadow(void **state)
{
  (void)state;
  vlWorld *world;
  vlWorldPlan plan = {
      .box = {vl_vec(-1, -1, -1), vl_vec(1, 1, 1)}, .sky = vl_sky_uniform(0.0f), .floor = -1.0, .ground = true, .fade = 1e6};
  plan.sky.sun = f3_all(3.0f);
  plan.sky.sun_direction = f3_unit(f3(0.0f, 1.0f, 0.5f));
  plan.sky.sun_cosine = cosf(1e-3f);
  plan.ground_albedo = f3_all(0.5f);
  assert_int_equal(vl_world_create(&world, &plan, NULL), VL_OK);
  vlTriMesh *block = moved(make_cube(), vl_vec(0.4, 0.4, 0.4), vl_vec(-0.2, -0.5, -0.2));
  add(world, block, matte(0.0f));
  assert_int_equal(vl_world_commit(world, NULL), VL_OK);
  double lit = 3.0 * (1.0 / sqrt(1.25)) * 0.5 / VL_PI;
  /* in the middle of a tile, far from the block */
  assert_float_equal(mean_light(world, vl_vec(5.0, 0, 5.0), vl_vec(0, -1, 0), 16, NULL), lit, 1e-3 * lit);
  /* the block's shadow: from its height 0.5 to 0.9 above the floor, 0.5 of that along -z */
  assert_true(mean_light(world, vl_vec(0.0, -0.99, -0.35), vl_vec(0, -1, 0), 16, NULL) == 0.0);
  vl_world_destroy(&world);
  vl_trimesh_destroy(&block);
}

/* A sun as wide as the sky lights the bottom of a pool as a sky of its radiance does, though the one is found by straight
 * shadow rays and the other by paths that are refracted. */
static void test_sun_and_sky_under_water(void **state)
{
  (void)state;
  double light[2], error[2];
  vlTriMesh *pool = moved(make_cube(), vl_vec(40, 0.5, 40), vl_vec(-20, -1, -20));
  for (int sun = 0; sun < 2; sun++) {
    vlWorld *world;
    vlWorldPlan plan = {.box = {vl_vec(-1, -1, -1), vl_vec(1, 1, 1)}, .floor = -1.0, .ground = true, .fade = 1e6};
    plan.sky = vl_sky_uniform(sun ? 0.0f : 1.0f);
    plan.sky.sun = f3_all(sun ? 2.0f * (float)VL_PI : 0.0f); /* radiance 1 from the upper half */
    plan.sky.sun_cosine = 0.0f;
    plan.ground_albedo = f3_all(0.5f);
    assert_int_equal(vl_world_create(&world, &plan, NULL), VL_OK);
    vlMaterial wet = water;
    vlWorldPart part = {.mesh = pool, .materials = &wet, .material_count = 1, .crease = 30.0f, .drop_floor = true};
    assert_int_equal(vl_world_add(world, &part, NULL), VL_OK);
    assert_int_equal(vl_world_commit(world, NULL), VL_OK);
    /* from below the surface, which would mirror the sky and not the sun, to the middle of a tile */
    double sum = 0.0, squares = 0.0;
    enum { SAMPLES = 20000 };
    for (int i = 0; i < SAMPLES; i++) {
      vlSampler sampler = vl_sampler(3, 5, 7, (uint32_t)i, SAMPLES);
      vlFeatures features;
      vlRay ray = {vl_world_place(world, vl_vec(5.0, -0.6, 5.0)), {0, -1, 0}};
      double one = vl_trace(world, ray, true, &long_paths, &sampler, &features).x;
      sum += one;
      squares += one * one;
    }
    light[sun] = sum / SAMPLES;
    error[sun] = sqrt((squares / SAMPLES - light[sun] * light[sun]) / SAMPLES);
    vl_world_destroy(&world);
  }
  assert_float_equal(light[1], light[0], 4.0 * (error[0] + error[1]) + 1e-3);
  vl_trimesh_destroy(&pool);
}

/* A solid that sticks out of the box ends at its side: a ray meets the cut there, and nothing beyond. */
static void test_solids_end_at_the_box(void **state)
{
  (void)state;
  vlTriMesh *beam = moved(make_cube(), vl_vec(8, 1, 1), vl_vec(-4, -0.5, -0.5));
  vlWorld *world = make_world(0.0);
  add(world, beam, matte(0.5f));
  assert_int_equal(vl_world_commit(world, NULL), VL_OK);
  vlHit hit;
  /* along the beam, from within the part that is cut off; the box's half is 0.5 in the world's lengths, and a margin */
  vlRay ray = {vl_world_place(world, vl_vec(3, 0.1, 0.1)), {-1, 0, 0}};
  assert_true(vl_world_hit(world, ray, INFINITY, &hit));
  assert_float_equal(hit.point.x, 0.5, 2e-3);
  assert_float_equal(hit.n.x, 1.0, 1e-6);
  /* slanting through the cut corner: in and out of the box, inside of the beam all the way */
  ray = (vlRay){vl_world_place(world, vl_vec(2, 0, 0)), f3_unit(f3(-1, 0, 0.001f))};
  assert_true(vl_world_hit(world, ray, INFINITY, &hit));
  assert_float_equal(hit.point.x, 0.5, 2e-3);
  /* across the part that is cut off */
  ray = (vlRay){vl_world_place(world, vl_vec(3, 3, 0)), {0, -1, 0}};
  assert_false(vl_world_hit(world, ray, INFINITY, &hit));
  assert_true(vl_world_visible(world, ray).x == 1.0f);
  /* across what is left */
  ray = (vlRay){vl_world_place(world, vl_vec(0.5, 3, 0)), {0, -1, 0}};
  assert_true(vl_world_hit(world, ray, INFINITY, &hit));
  assert_float_equal(hit.point.y, 0.25, 1e-5);
  assert_true(vl_world_visible(world, ray).x == 0.0f);
  vl_world_destroy(&world);
  vl_trimesh_destroy(&beam);
}

/* Draws fill their interval evenly and differ from pixel to pixel. */
static void test_draws_are_spread(void **state)
{
  (void)state;
  enum { N = 64 };
  for (int dimension = 0; dimension < 8; dimension++) {
    int cells[8][8] = {{0}}, filled = 0, line[N] = {0};
    for (uint32_t i = 0; i < N; i++) {
      vlSampler s = vl_sampler(11, 13, 0, i, N);
      float u[2];
      for (int k = 0; k < dimension; k++) vl_draw(&s);
      vl_draw_pair(&s, u);
      assert_true(u[0] >= 0.0f && u[0] < 1.0f && u[1] >= 0.0f && u[1] < 1.0f);
      cells[(int)(8 * u[0])][(int)(8 * u[1])]++;
      line[(int)(N * vl_draw(&s))]++;
    }
    for (int i = 0; i < 64; i++) filled += cells[i / 8][i % 8] > 0;
    assert_in_range(filled, 48, 64); /* dice would fill 41 */
    for (int i = 0; i < N; i++) assert_in_range(line[i], 0, 3);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fresnel),
      cmocka_unit_test(test_snell),
      cmocka_unit_test(test_glass_holds_no_light_back),
      cmocka_unit_test(test_white_furnace),
      cmocka_unit_test(test_film_is_bright),
      cmocka_unit_test(test_form_factor),
      cmocka_unit_test(test_slab_absorbs),
      cmocka_unit_test(test_slab_shifts_the_view),
      cmocka_unit_test(test_sun_and_shadow),
      cmocka_unit_test(test_sun_and_sky_under_water),
      cmocka_unit_test(test_draws_are_spread),
      cmocka_unit_test(test_solids_end_at_the_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
