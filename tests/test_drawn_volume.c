/* The drawn surface encloses the volume that the particles stand for: sheets, drops and skins thinner than a cell, thinned
 * and crowded liquid; level water stays as it is; nothing jumps; any number of threads. Lengths in cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <string.h>

#include "grids.h"
#include "liquid/surface.h"
#include "velella/velella.h"

enum { CELLS = 24, PER_CELL = 8 };

typedef struct Water {
  vlGrid grid;
  vlKernel kernel;
  vlParticles *particles;
  uint64_t seed;
} Water;

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

static Water no_water(uint64_t seed)
{
  Water w = {.grid = make_grid(CELLS, CELLS, CELLS, 0.05, vl_vec(0.3, -0.2, 0.1)), .seed = seed};
  vlStatus status = {0};
  vl_kernel_create(&w.kernel, &w.grid);
  assert_int_equal(vl_particles_create(&w.particles, &w.grid, 0, &status), VL_OK);
  assert_int_equal(vl_particles_reserve(w.particles, CELLS * CELLS * CELLS * PER_CELL, &status), VL_OK);
  return w;
}

static void add(Water *w, double x, double y, double z)
{
  const float at[3] = {(float)x, (float)y, (float)z}, still[3] = {0};
  vl_particles_add(w->particles, at, still);
}

/* A particle anywhere in each eighth of a cell, if a cell's volume `density` has room for it, between two heights. */
static void fill(Water *w, double from, double to, double density)
{
  for (int i = 0; i < 8 * CELLS * CELLS * CELLS; i++) {
    int n = 2 * CELLS;
    double x = 0.5 * (i % n + uniform(&w->seed)), y = 0.5 * (i / n % n + uniform(&w->seed)),
           z = 0.5 * (i / n / n + uniform(&w->seed));
    if (y >= from && y < to && uniform(&w->seed) < density) add(w, x, y, z);
  }
}

static vlSurface draw(const Water *w, double per_cell, int refine)
{
  vlSurfaceInput in = {
      .grid = &w->grid, .kernel = &w->kernel, .particles = w->particles, .per_cell = per_cell, .refine = refine};
  vlSurface s;
  vlStatus status = {0};
  vlTriMeshDefects defects;
  if (vl_surface_create(&s, &in, &status)) fail_msg("%s", status.message);
  assert_int_equal(vl_trimesh_check(s.mesh, &defects, &status), VL_OK);
  assert_int_equal(defects.open_edges + defects.bad_edges, 0);
  for (int v = 0; v < s.mesh->vertex_count; v++)
    for (int a = 0; a < 3; a++) {
      double x = (s.mesh->x[v].v[a] - w->grid.origin.v[a]) / w->grid.dx;
      assert_true(x > -1e-9 && x < CELLS + 1e-9); /* rounding of metres */
    }
  return s;
}

/* Drawn volume over that of the particles. */
static double fatness(const Water *w, double per_cell, int refine)
{
  vlSurface s = draw(w, per_cell, refine);
  double cells = vl_trimesh_volume(s.mesh) / pow(w->grid.dx, 3.0);
  vl_surface_clear(&s);
  return cells * PER_CELL / (double)w->particles->count;
}

static void end(Water *w) { vl_particles_destroy(&w->particles); }

static void sort(Water *w)
{
  vlStatus status = {0};
  assert_int_equal(vl_particles_sort(w->particles, &w->grid, &status), VL_OK);
}

/* Held within the limit; without that it would be off by at least so much, or the case would show nothing. */
static void check(Water *w, const char *what, double limit, double at_least)
{
  sort(w);
  double held = fatness(w, PER_CELL, 2), free = fatness(w, 0.0, 2);
  if (fabs(held - 1.0) > limit) fail_msg("%s: %.3f of the particles' volume", what, held);
  if (fabs(free - 1.0) < at_least) fail_msg("%s: %.3f even so", what, free);
  end(w);
}

static void sheets(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    Water w = no_water((uint64_t)i + 1);
    fill(&w, 11.3, 11.6 + 0.2 * i, 1.0);
    check(&w, "a sheet", 0.01, 0.2);
  }
}

/* Averaged distances draw these too thin: they guess what the floor hides. */
static void skins(void **state)
{
  (void)state;
  Water w = no_water(4);
  fill(&w, 0.0, 0.3, 1.0);
  check(&w, "a skin on the floor", 0.03, 0.15);
}

/* Those that touch are one drop, whose middle is none of theirs. */
static void drops(void **state)
{
  (void)state;
  Water w = no_water(5);
  for (int i = 0; i < 200; i++) add(&w, 1 + 22 * uniform(&w.seed), 1 + 22 * uniform(&w.seed), 1 + 22 * uniform(&w.seed));
  check(&w, "drops", 0.05, 1.0);
}

/* What is missing deep below is found at the top. */
static void thinned_and_crowded_liquid(void **state)
{
  (void)state;
  for (int crowded = 0; crowded < 2; crowded++) {
    Water w = no_water(6);
    fill(&w, 0.0, 4.0, crowded ? 1.0 : 0.85);
    if (crowded) fill(&w, 0.0, 3.0, 0.1);
    fill(&w, 4.0, 8.0, 1.0);
    check(&w, crowded ? "crowded liquid" : "thinned liquid", 0.03, 0.03);
  }
}

/* As deep as liquid that has lost a seventh of itself has to sink: more than a pull is long. */
static void liquid_that_sinks(void **state)
{
  (void)state;
  Water w = no_water(7);
  fill(&w, 0.0, 8.0, 0.86);
  fill(&w, 8.0, 10.0, 1.0);
  check(&w, "liquid that sinks", 0.03, 0.1);
}

/* Heights of the vertices on top, away from the sides. */
static double roughness(const Water *w, double level, double per_cell)
{
  vlSurface s = draw(w, per_cell, 2);
  double sum = 0.0, squares = 0.0;
  int count = 0;
  for (int v = 0; v < s.mesh->vertex_count; v++) {
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = (s.mesh->x[v].v[a] - w->grid.origin.v[a]) / w->grid.dx;
    if (x[1] < level - 3 || fmin(x[0], x[2]) < 2 || fmax(x[0], x[2]) > CELLS - 2) continue;
    sum += x[1] - level;
    squares += (x[1] - level) * (x[1] - level);
    count++;
  }
  vl_surface_clear(&s);
  assert_true(count > 1000);
  assert_true(fabs(sum / count) < 0.05);
  return sqrt(squares / count);
}

/* Particles are jittered here; where they are fitted to the level, as scenes begin, it is calmer still. */
static void level_water_stays_calm(void **state)
{
  (void)state;
  for (int i = 0; i < 5; i++) {
    Water w = no_water((uint64_t)i + 10);
    double level = 9.1 + 0.2 * i;
    fill(&w, 0.0, level, 1.0);
    sort(&w);
    double free = roughness(&w, level, 0.0), held = roughness(&w, level, PER_CELL);
    if (held > free + 0.005) fail_msg("level at %g: rms %.4f cells, %.4f without", level, held, free);
    end(&w);
  }
}

/* Sheet, drops and pool in one. */
static Water splash(void)
{
  Water w = no_water(20);
  fill(&w, 0.0, 6.0, 1.0);
  fill(&w, 14.0, 14.4, 1.0);
  for (int i = 0; i < 100; i++) add(&w, 23.9 * uniform(&w.seed), 6 + 17 * uniform(&w.seed), 23.9 * uniform(&w.seed));
  sort(&w);
  return w;
}

/* A particle moves by 1e-4 cells: no vertex jumps (they move up to 9 times as far, at any step), and the volume
 * hardly changes. */
static void continuous_in_particles(void **state)
{
  (void)state;
  const double step = 1e-4;
  Water w = splash();
  vlSurface before = draw(&w, PER_CELL, 2);
  for (int trial = 0; trial < 12; trial++) {
    size_t i = w.particles->count * (size_t)(2 * trial + 1) / 24;
    float old = w.particles->x[1][i];
    w.particles->x[1][i] = old + (float)(floorf(old + (float)step) > floorf(old) ? -step : step); /* stays in its cell */
    vlSurface after = draw(&w, PER_CELL, 2);
    w.particles->x[1][i] = old;
    double gained = (vl_trimesh_volume(after.mesh) - vl_trimesh_volume(before.mesh)) / pow(w.grid.dx, 3.0), most = 0.0;
    if (fabs(gained) > step) fail_msg("%g cells^3 for a step of %g", gained, step);
    assert_int_equal(after.mesh->vertex_count, before.mesh->vertex_count);
    for (int v = 0; v < before.mesh->vertex_count; v++)
      most = fmax(most, vl_norm(vl_sub(after.mesh->x[v], before.mesh->x[v])) / w.grid.dx);
    if (most > 20.0 * step) fail_msg("%g cells for a step of %g", most, step);
    vl_surface_clear(&after);
  }
  vl_surface_clear(&before);
  end(&w);
}

static void same_for_any_number_of_threads(void **state)
{
  (void)state;
  Water w = splash();
  omp_set_num_threads(1);
  vlSurface one = draw(&w, PER_CELL, 2);
  omp_set_num_threads(3);
  vlSurface three = draw(&w, PER_CELL, 2);
  assert_int_equal(three.mesh->vertex_count, one.mesh->vertex_count);
  assert_memory_equal(three.mesh->x, one.mesh->x, (size_t)one.mesh->vertex_count * sizeof *one.mesh->x);
  vl_surface_clear(&one);
  vl_surface_clear(&three);
  end(&w);
}

/* In a box of more than 64^3 cells, through the public functions. */
static void sheet_of_a_scene(void **state)
{
  (void)state;
  const char *text = "grid: {size: [1, 1, 1], cells: 72}\n"
                     "liquid: {shapes: [{shape: box, center: [0.5, 0.507, 0.5], size: [0.6, 0.005, 0.6]}]}\n";
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlMeshView mesh;
  if (vl_scene_parse(&scene, text, strlen(text), "test.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  if (vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, &status)) fail_msg("%s", status.message);
  if (vl_sim_surface(sim, &mesh, &status)) fail_msg("%s", status.message);
  vlParticleView particles = vl_sim_particles(sim);
  double wanted = (double)particles.count * particles.volume, drawn = vl_mesh_volume(&mesh);
  if (!(fabs(drawn / wanted - 1.0) < 0.03)) fail_msg("%g m3 drawn of %g", drawn, wanted);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sheets),
      cmocka_unit_test(skins),
      cmocka_unit_test(drops),
      cmocka_unit_test(thinned_and_crowded_liquid),
      cmocka_unit_test(liquid_that_sinks),
      cmocka_unit_test(sheet_of_a_scene),
      cmocka_unit_test(level_water_stays_calm),
      cmocka_unit_test(continuous_in_particles),
      cmocka_unit_test(same_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
