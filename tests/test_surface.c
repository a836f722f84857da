/* The liquid's surface: closed against everything, levels and volumes against theory, continuous in the particles, any
 * number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "grids.h"
#include "liquid/surface.h"

static const double DX = 0.05; /* m */

/* Particles, and all that stands around them; lengths in cells. */
typedef struct Case {
  vlGrid grid;
  vlKernel kernel;
  vlParticles *particles;
  double *open;
  vlVec3 center; /* of the ball or the round container */
  double radius, level;
  bool container;
} Case;

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

static Case make_case(int nx, int ny, int nz)
{
  Case c = {.grid = make_grid(nx, ny, nz, DX, vl_vec(0.3, -0.2, 0.1)), .radius = INFINITY, .level = INFINITY};
  vlStatus status = {0};
  vl_kernel_create(&c.kernel, &c.grid);
  assert_int_equal(vl_particles_create(&c.particles, &c.grid, 0, &status), VL_OK);
  assert_int_equal(vl_particles_reserve(c.particles, (size_t)nx * (size_t)ny * (size_t)nz * 8 + 8, &status), VL_OK);
  return c;
}

static void end_case(Case *c)
{
  vl_particles_destroy(&c->particles);
  vl_field_destroy(&c->grid, &c->open);
}

static void add(Case *c, double x, double y, double z)
{
  const float at[3] = {(float)x, (float)y, (float)z}, still[3] = {0};
  vl_particles_add(c->particles, at, still);
}

static void sort(Case *c)
{
  vlStatus status = {0};
  assert_int_equal(vl_particles_sort(c->particles, &c->grid, &status), VL_OK);
}

/* Eight particles in a cell, one anywhere in each octant, those in the ball and below the level kept. */
static void fill(Case *c, uint64_t seed)
{
  const int *n = c->grid.n;
  int deep = n[2] == 1 ? 1 : 2;
  for (int k = 0; k < deep * n[2]; k++)
    for (int j = 0; j < 2 * n[1]; j++)
      for (int i = 0; i < 2 * n[0]; i++) {
        double x = 0.5 * (i + uniform(&seed)), y = 0.5 * (j + uniform(&seed)), z = (k + uniform(&seed)) / deep;
        x = fmin(x, n[0] - 1e-4), y = fmin(y, n[1] - 1e-4), z = n[2] == 1 ? 0.5 : fmin(z, n[2] - 1e-4);
        vlVec3 d = vl_sub(vl_vec(x, y, z), c->center);
        if (y < c->level && vl_norm(d) < c->radius) add(c, x, y, z);
      }
  sort(c);
}

static vlVec3 to_cells(const Case *c, vlVec3 x) { return vl_scale(vl_sub(x, c->grid.origin), 1.0 / c->grid.dx); }

/* Solid outside the ball; metres. */
static double container(const void *data, vlVec3 x)
{
  const Case *c = data;
  return (c->radius - vl_norm(vl_sub(to_cells(c, x), c->center))) * c->grid.dx;
}

/* Open parts by sampling each cell at 8^3 points. */
static void open_container(Case *c)
{
  c->container = true;
  c->open = vl_field_create(&c->grid);
  assert_non_null(c->open);
  for (int k = 0; k < c->grid.n[2]; k++)
    for (int j = 0; j < c->grid.n[1]; j++)
      for (int i = 0; i < c->grid.n[0]; i++) {
        int count = 0;
        for (int s = 0; s < 512; s++) {
          vlVec3 x = vl_vec(i + (s % 8 + 0.5) / 8, j + (s / 8 % 8 + 0.5) / 8, k + (s / 64 + 0.5) / 8);
          count += vl_norm(vl_sub(x, c->center)) < c->radius;
        }
        c->open[vl_grid_at(&c->grid, i, j, k)] = count / 512.0;
      }
}

static vlVec3 spin(const void *data, vlVec3 x)
{
  (void)data;
  return vl_vec(-x.y, x.x, 2.0);
}

/* Makes the surface and checks that it is closed, faces outwards and stays in the domain. */
static vlSurface contour(const Case *c, int refine)
{
  vlSurfaceInput in = {.grid = &c->grid,
                       .kernel = &c->kernel,
                       .particles = c->particles,
                       .open = c->open,
                       .refine = refine,
                       .solid = c->container ? container : NULL,
                       .solid_data = c,
                       .velocity = spin};
  vlSurface s;
  vlStatus status = {0};
  vlTriMeshDefects defects;
  assert_int_equal(vl_surface_create(&s, &in, &status), VL_OK);
  assert_int_equal(vl_trimesh_check(s.mesh, &defects, &status), VL_OK);
  assert_int_equal(defects.open_edges, 0);
  assert_int_equal(defects.bad_edges, 0);
  assert_int_equal(defects.flat_triangles, 0);
  assert_int_equal(defects.unused_vertices, 0);
  assert_false(defects.inside_out);
  for (int i = 0; i < s.mesh->vertex_count; i++) {
    vlVec3 x = to_cells(c, s.mesh->x[i]);
    for (int a = 0; a < 3; a++) assert_true(x.v[a] > -1e-9 && x.v[a] < c->grid.n[a] + 1e-9); /* rounding of metres */
  }
  return s;
}

static double volume(const Case *c, const vlSurface *s) { return vl_trimesh_volume(s->mesh) / pow(c->grid.dx, 3.0); }

static double volume_now(const Case *c, int refine)
{
  vlSurface s = contour(c, refine);
  double v = volume(c, &s);
  vl_surface_clear(&s);
  return v;
}

static void nothing_gives_nothing(void **state)
{
  (void)state;
  Case c = make_case(20, 6, 6);
  sort(&c);
  vlSurface s = contour(&c, 2);
  assert_int_equal(s.mesh->triangle_count, 0);
  assert_int_equal(s.mesh->vertex_count, 0);
  vl_surface_clear(&s);
  assert_null(s.mesh);
  vl_surface_clear(&s);
  vlSurfaceInput in = {.grid = &c.grid, .kernel = &c.kernel, .particles = c.particles, .refine = 3};
  vlStatus status = {0};
  assert_int_equal(vl_surface_create(&s, &in, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "refine is 3"));
  assert_null(s.mesh);
  end_case(&c);
}

/* Levels at ten heights in a cell. 0.1 cells is a fifth of the particles' spacing; sides count, edges of the mesh do not. */
static void flat_levels(void **state)
{
  (void)state;
  for (int h = 0; h < 10; h++) {
    Case c = make_case(20, 12, 20);
    c.level = 6.03 + 0.1 * h;
    fill(&c, (uint64_t)h + 1);
    vlSurface s = contour(&c, 1 + h % 2);
    double sum = 0.0, squares = 0.0;
    int count = 0;
    for (int i = 0; i < s.mesh->vertex_count; i++) {
      vlVec3 x = to_cells(&c, s.mesh->x[i]);
      bool side = x.x < 1e-6 || x.z < 1e-6 || x.x > 20 - 1e-6 || x.z > 20 - 1e-6;
      if (side || x.y < 1e-6) continue;
      sum += x.y - c.level;
      squares += (x.y - c.level) * (x.y - c.level);
      count++;
    }
    assert_true(count >= 19 * 19);
    assert_true(fabs(sum / count) < 0.1);
    assert_true(sqrt(squares / count) < 0.1);
    /* the pool with its walls and floor */
    assert_true(fabs(volume(&c, &s) / (400.0 * c.level) - 1.0) < 0.01);
    vl_surface_clear(&s);
    end_case(&c);
  }
}

/* Uncorrected, the kernel would lose 3 x 0.4/10^2 = 1.2 % of this ball. */
static void ball_keeps_its_volume(void **state)
{
  (void)state;
  for (int refine = 1; refine <= 2; refine++) {
    Case c = make_case(28, 28, 28);
    c.center = vl_vec(14.3, 13.8, 14.1);
    c.radius = 10.0;
    fill(&c, 7);
    vlSurface s = contour(&c, refine);
    assert_true(fabs(volume(&c, &s) / (4.0 / 3.0 * VL_PI * 1000.0) - 1.0) < 0.01);
    double squares = 0.0;
    for (int i = 0; i < s.mesh->vertex_count; i++) {
      double e = vl_norm(vl_sub(to_cells(&c, s.mesh->x[i]), c.center)) - c.radius;
      squares += e * e;
    }
    assert_true(sqrt(squares / s.mesh->vertex_count) < 0.1);
    vl_surface_clear(&s);
    end_case(&c);
  }
}

/* A box full to the brim is that box, with its edges and corners. */
static void full_box_is_the_box(void **state)
{
  (void)state;
  for (int refine = 1; refine <= 2; refine++) {
    Case c = make_case(18, 5, 7);
    fill(&c, 5);
    assert_true(fabs(volume_now(&c, refine) - 18 * 5 * 7) < 1e-6);
    end_case(&c);
  }
}

/* A round container at several levels. */
static void container_is_filled_to_its_wall(void **state)
{
  (void)state;
  for (int h = 0; h < 3; h++) {
    Case c = make_case(28, 28, 28);
    c.center = vl_vec(14.2, 13.9, 14.4);
    c.radius = 12.0;
    c.level = 9.4 + 4.5 * h;
    fill(&c, (uint64_t)h + 3);
    open_container(&c);
    vlSurface s = contour(&c, 2);
    double depth = c.level - c.center.y + c.radius, exact = VL_PI * depth * depth * (3.0 * c.radius - depth) / 3.0;
    assert_true(fabs(volume(&c, &s) / exact - 1.0) < 0.01);
    int at_wall = 0;
    for (int i = 0; i < s.mesh->vertex_count; i++) {
      vlVec3 x = to_cells(&c, s.mesh->x[i]);
      double d = c.radius - vl_norm(vl_sub(x, c.center));
      assert_true(d > -0.05);
      if (x.y > c.level - 1.0) continue;
      /* below the level there is nothing but wall; linear distances bend by h^2/(8 r) = 0.003, faces by as much */
      assert_true(d < 0.05);
      at_wall++;
    }
    assert_true(at_wall > 500);
    vl_surface_clear(&s);
    end_case(&c);
  }
}

/* Half cells see a single particle wherever it is, and whole cells let it come and go gently: moved by a little, it
 * changes by a little. */
static void single_particle(void **state)
{
  (void)state;
  const double step = 0.004;
  for (int refine = 1; refine <= 2; refine++) {
    double before = -1.0, least = INFINITY, most = 0.0;
    for (int i = 0; i < 150; i++) {
      Case c = make_case(16, 16, 16);
      add(&c, 7.1 + step * i, 7.3 + 0.7 * step * i, 7.9 - 0.4 * step * i);
      sort(&c);
      double v = volume_now(&c, refine);
      least = fmin(least, v);
      most = fmax(most, v);
      /* The surface moves as far as the particle, a few times over, on less than 3 cells^2. When a node changes sides, a
       * face of the mesh folds out to it by about h^2/8 (k1 + k2) = 0.15 cells on h^2 = 0.25 cells^2, a third of a pyramid.
       */
      if (before >= 0.0) assert_true(fabs(v - before) < 6.0 * step + 0.0125);
      before = v;
      end_case(&c);
    }
    assert_true(most < 1.0);
    if (refine == 2) assert_true(least > 0.05);
  }
}

/* One particle moves by 1e-4 cells: no vertex moves farther than the particle, and the volume hardly. */
static void continuous_in_particles(void **state)
{
  (void)state;
  const double step = 1e-4;
  Case c = make_case(20, 20, 20);
  c.center = vl_vec(10.1, 9.7, 10.2);
  c.radius = 6.0;
  fill(&c, 11);
  for (int refine = 1; refine <= 2; refine++)
    for (int trial = 0; trial < 20; trial++) {
      size_t i = c.particles->count * (size_t)trial / 20;
      vlSurface a = contour(&c, refine);
      float old = c.particles->x[1][i];
      c.particles->x[1][i] = old + (float)(floorf(old + (float)step) > floorf(old) ? -step : step); /* stays in its cell */
      vlSurface b = contour(&c, refine);
      c.particles->x[1][i] = old;
      assert_true(fabs(volume(&c, &a) - volume(&c, &b)) < step);
      if (a.mesh->vertex_count == b.mesh->vertex_count && a.mesh->triangle_count == b.mesh->triangle_count)
        for (int v = 0; v < a.mesh->vertex_count; v++)
          assert_true(vl_norm(vl_sub(a.mesh->x[v], b.mesh->x[v])) < step * c.grid.dx);
      vl_surface_clear(&a);
      vl_surface_clear(&b);
    }
  end_case(&c);
}

/* Spray: particles anywhere, also at the sides, with and without solids. The sign of every lattice node may then be
 * anything, and the mesh must still close. */
static Case spray(bool solids, uint64_t seed)
{
  Case c = make_case(37, 18, 18);
  c.center = vl_vec(18.0, 9.0, 9.0);
  c.radius = 14.0;
  if (solids) open_container(&c);
  for (int i = 0; i < 6000; i++) {
    vlVec3 x = vl_vec(36.999 * uniform(&seed), 17.999 * uniform(&seed), 17.999 * uniform(&seed));
    if (!solids || vl_norm(vl_sub(x, c.center)) < c.radius) add(&c, x.x, x.y, x.z);
  }
  sort(&c);
  return c;
}

static void spray_is_closed(void **state)
{
  (void)state;
  for (int i = 0; i < 8; i++) {
    Case c = spray(i % 2, (uint64_t)i + 20);
    vlSurface s = contour(&c, 1 + i / 2 % 2);
    assert_true(s.mesh->triangle_count > 1000);
    vl_surface_clear(&s);
    end_case(&c);
  }
}

static void same_for_any_number_of_threads(void **state)
{
  (void)state;
  Case c = spray(true, 31);
  omp_set_num_threads(1);
  vlSurface one = contour(&c, 2);
  omp_set_num_threads(3);
  vlSurface three = contour(&c, 2);
  size_t vertices = (size_t)one.mesh->vertex_count, triangles = (size_t)one.mesh->triangle_count;
  assert_int_equal(three.mesh->vertex_count, one.mesh->vertex_count);
  assert_int_equal(three.mesh->triangle_count, one.mesh->triangle_count);
  assert_memory_equal(three.mesh->x, one.mesh->x, vertices * sizeof *one.mesh->x);
  assert_memory_equal(three.mesh->tri, one.mesh->tri, triangles * sizeof *one.mesh->tri);
  assert_memory_equal(three.velocity, one.velocity, 3 * vertices * sizeof(float));
  vl_surface_clear(&one);
  vl_surface_clear(&three);
  end_case(&c);
}

/* Velocities are those of the callback at the vertices. */
static void velocity_at_vertices(void **state)
{
  (void)state;
  Case c = make_case(12, 12, 12);
  c.level = 5.4;
  fill(&c, 2);
  vlSurface s = contour(&c, 1);
  for (int i = 0; i < s.mesh->vertex_count; i++) {
    vlVec3 u = spin(NULL, s.mesh->x[i]);
    for (int a = 0; a < 3; a++) assert_true(s.velocity[3 * i + a] == (float)u.v[a]);
  }
  vl_surface_clear(&s);
  end_case(&c);
}

/* A disc in a slab one cell thick is a cylinder of that height. */
static void slab(void **state)
{
  (void)state;
  for (int refine = 1; refine <= 2; refine++) {
    vlGridDef box = {.size = vl_vec(30 * DX, 30 * DX, DX), .dx = DX, .slab = true};
    Case c = make_case(30, 30, 1);
    vlStatus status = {0};
    assert_int_equal(vl_grid_create(&c.grid, &box, &status), VL_OK);
    c.center = vl_vec(15.2, 14.7, 0.5);
    c.radius = 10.0;
    fill(&c, 4);
    /* 4 particles in a cell: the edge is known to a quarter of a cell at any place, much better in the mean */
    assert_true(fabs(volume_now(&c, refine) / (VL_PI * 100.0) - 1.0) < 0.02);
    end_case(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_gives_nothing),
      cmocka_unit_test(flat_levels),
      cmocka_unit_test(ball_keeps_its_volume),
      cmocka_unit_test(full_box_is_the_box),
      cmocka_unit_test(single_particle),
      cmocka_unit_test(container_is_filled_to_its_wall),
      cmocka_unit_test(continuous_in_particles),
      cmocka_unit_test(spray_is_closed),
      cmocka_unit_test(velocity_at_vertices),
      cmocka_unit_test(same_for_any_number_of_threads),
      cmocka_unit_test(slab),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
