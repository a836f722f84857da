/* The drawn surface of a level set finer than the grid: closed against everything, volumes against theory, any number of
 * threads. Lengths in cells. */
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

/* Distances in cells to all that a case may hold; what has no size is not there. */
typedef struct Shape {
  vlVec3 center; /* of the ball, or on the plane */
  double radius;
  vlVec3 normal;       /* of the plane, outwards */
  double thickness;    /* of a sheet whose middle the plane is; 0: all below the plane */
  double flat;         /* 1: the ball is a cylinder along z */
  double noise;        /* added to the distance */
  double ripple, wave; /* height and length of waves along x */
} Shape;

typedef struct Case {
  vlGrid grid;
  vlFine fine;
  double *open;
  Shape liquid, solid;
} Case;

static double hash(vlVec3 x)
{
  uint64_t h = 0;
  for (int a = 0; a < 3; a++)
    h = (h + (uint64_t)(int64_t)floor(x.v[a] * 64.0 + 0.5)) * 6364136223846793005u + 1442695040888963407u;
  return (double)((h ^ h >> 29) * 0x9e3779b97f4a7c15u >> 11) * 0x1p-53;
}

static double distance_to(const Shape *s, vlVec3 x)
{
  vlVec3 d = vl_sub(x, s->center);
  double phi = INFINITY;
  if (s->flat > 0.0) d.z = 0.0;
  if (s->radius > 0.0) phi = vl_norm(d) - s->radius;
  if (vl_norm(s->normal) > 0.0) {
    double above = vl_dot(d, vl_unit(s->normal));
    phi = fmin(phi, s->thickness > 0.0 ? fabs(above) - 0.5 * s->thickness : above);
  }
  if (s->ripple > 0.0) phi -= s->ripple * cos(2.0 * VL_PI * x.x / s->wave);
  return s->noise > 0.0 ? phi + s->noise * (hash(x) - 0.5) : phi;
}

static vlVec3 to_cells(const Case *c, vlVec3 x) { return vl_scale(vl_sub(x, c->grid.origin), 1.0 / c->grid.dx); }

static double solid_distance(const void *data, vlVec3 x)
{
  const Case *c = data;
  return distance_to(&c->solid, to_cells(c, x)) * c->grid.dx;
}

static double phi_of_node(const Case *c, const int cell[3], int l, int m, int n)
{
  double h = 1.0 / c->fine.refine;
  return distance_to(&c->liquid, vl_vec(cell[0] + l * h, cell[1] + m * h, c->grid.n[2] == 1 ? 0.5 : cell[2] + n * h));
}

static bool crossed(const Case *c, const int cell[3])
{
  int r = c->fine.refine, inside = 0;
  for (int i = 0; i < (r + 1) * (r + 1) * (r + 1); i++)
    inside += phi_of_node(c, cell, i % (r + 1), i / (r + 1) % (r + 1), i / (r + 1) / (r + 1)) < 0.0;
  return inside > 0 && inside < (r + 1) * (r + 1) * (r + 1);
}

static void fill_cell(Case *c, const int cell[3], bool near)
{
  vlFine *f = &c->fine;
  int r = f->refine;
  if (!near) {
    bool deep = distance_to(&c->liquid, vl_vec(cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5)) < 0.0;
    f->side[vl_grid_at(&c->grid, cell[0], cell[1], cell[2])] = deep ? -1.0 : 0.0;
    return;
  }
  for (int n = 0; n <= r; n++)
    for (int m = 0; m <= r; m++)
      for (int l = 0; l <= r; l++) f->phi[vl_fine_node(f, cell, l, m, n)] = phi_of_node(c, cell, l, m, n) * c->grid.dx;
}

/* The cells of the row that are within the band of crossed ones get distances; what nobody knows is no number. */
static void fill_fine(Case *c)
{
  vlFine *f = &c->fine;
  const int *n = c->grid.n;
  size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  bool *near = calloc(cells, sizeof *near);
  assert_non_null(near);
  for (size_t i = 0; i < f->nodes.length; i++) f->phi[i] = NAN;
  for (int i = 0; i < (int)cells; i++) {
    int cell[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]}, lo[3], hi[3];
    if (!crossed(c, cell)) continue;
    for (int a = 0; a < 3; a++) {
      lo[a] = cell[a] < VL_FINE_BAND ? 0 : cell[a] - VL_FINE_BAND;
      hi[a] = cell[a] + VL_FINE_BAND < n[a] ? cell[a] + VL_FINE_BAND : n[a] - 1;
    }
    for (int z = lo[2]; z <= hi[2]; z++)
      for (int y = lo[1]; y <= hi[1]; y++)
        for (int x = lo[0]; x <= hi[0]; x++) near[x + n[0] * (y + n[1] * z)] = true;
  }
  f->near = calloc((size_t)f->band.columns * (size_t)n[1] * (size_t)n[2], sizeof *f->near);
  assert_non_null(f->near);
  vl_blocks_begin(&f->band);
  for (int i = 0; i < f->band.columns * n[1] * n[2]; i++) {
    vlBlockPosition p = {i % f->band.columns, i / f->band.columns % n[1], i / f->band.columns / n[1]};
    unsigned bits = 0;
    for (int l = 0; l < VL_BLOCK && p.bx * VL_BLOCK + l < n[0]; l++) {
      int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      bool is = near[cell[0] + n[0] * (p.j + n[1] * p.k)];
      fill_cell(c, cell, is);
      bits |= (unsigned)is << l;
    }
    if (!bits) continue;
    f->near[f->band.count] = (unsigned short)bits;
    assert_true(vl_blocks_append(&f->band, p.bx, p.j, p.k));
  }
  vl_blocks_end(&f->band);
  free(near);
}

static void make_case(Case *c, int nx, int ny, int nz, int refine, Shape liquid)
{
  vlStatus status = {0};
  vlVec3 origin = vl_vec(0.3, -0.2, 0.1);
  *c = (Case){.liquid = liquid};
  vlGridDef box = {.origin = origin, .size = vl_vec(nx * DX, ny * DX, nz * DX), .dx = DX, .slab = nz == 1};
  assert_int_equal(vl_grid_create(&c->grid, &box, &status), VL_OK);
  c->fine = (vlFine){.grid = &c->grid, .refine = refine};
  c->fine.nodes = make_grid(refine * nx + 1, refine * ny + 1, refine * nz + 1, DX / refine, origin);
  c->fine.phi = vl_field_create(&c->fine.nodes);
  c->fine.side = vl_field_create(&c->grid);
  assert_int_equal(vl_blocks_create(&c->fine.band, c->grid.n, &status), VL_OK);
  fill_fine(c);
}

static void end_case(Case *c)
{
  vl_field_destroy(&c->fine.nodes, &c->fine.phi);
  vl_field_destroy(&c->grid, &c->fine.side);
  vl_field_destroy(&c->grid, &c->open);
  vl_blocks_clear(&c->fine.band);
  free(c->fine.near);
}

/* Open parts by sampling each cell at 8^3 points. */
static void put_solid(Case *c, Shape solid, bool with_open)
{
  c->solid = solid;
  if (!with_open) return;
  c->open = vl_field_create(&c->grid);
  assert_non_null(c->open);
  for (int k = 0; k < c->grid.n[2]; k++)
    for (int j = 0; j < c->grid.n[1]; j++)
      for (int i = 0; i < c->grid.n[0]; i++) {
        int count = 0;
        for (int s = 0; s < 512; s++)
          count +=
              distance_to(&solid, vl_vec(i + (s % 8 + 0.5) / 8, j + (s / 8 % 8 + 0.5) / 8, k + (s / 64 + 0.5) / 8)) > 0.0;
        c->open[vl_grid_at(&c->grid, i, j, k)] = count / 512.0;
      }
}

/* Makes the surface and checks that it is closed, faces outwards and stays in the domain. */
static vlSurface contour(const Case *c)
{
  bool solid = c->solid.radius > 0.0 || vl_norm(c->solid.normal) > 0.0;
  vlSurfaceInput in = {
      .grid = &c->grid, .fine = &c->fine, .open = c->open, .solid = solid ? solid_distance : NULL, .solid_data = c};
  vlSurface s;
  vlStatus status = {0};
  vlTriMeshDefects defects;
  if (vl_surface_create(&s, &in, &status)) fail_msg("%s", status.message);
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

static double volume_now(const Case *c)
{
  vlSurface s = contour(c);
  double v = vl_trimesh_volume(s.mesh) / pow(c->grid.dx, 3.0);
  vl_surface_clear(&s);
  return v;
}

/* Draws what is liquid and not solid, and compares. */
static void check(Case *c, const char *what, double exact, double limit)
{
  double error = volume_now(c) / exact - 1.0;
  if (!(fabs(error) < limit)) fail_msg("%s, %d nodes a cell: %+.3f %% of its volume", what, c->fine.refine, 100.0 * error);
  end_case(c);
}

static double ball_volume(double radius) { return 4.0 / 3.0 * VL_PI * radius * radius * radius; }

static vlVec3 anywhere(vlVec3 middle, int trial)
{
  double t = trial;
  return vl_add(middle,
                vl_vec(fmod(0.137 + 0.618034 * t, 1.0), fmod(0.411 + 0.754878 * t, 1.0), fmod(0.733 + 0.569840 * t, 1.0)));
}

static void nothing_gives_nothing(void **state)
{
  (void)state;
  Case c;
  make_case(&c, 18, 6, 6, 4, (Shape){0});
  vlSurface s = contour(&c);
  assert_int_equal(s.mesh->triangle_count, 0);
  vl_surface_clear(&s);
  end_case(&c);
}

static void ball_keeps_its_volume(void **state)
{
  (void)state;
  for (int r = 2; r <= 8; r *= 2)
    for (int trial = 0; trial < 3; trial++) {
      Case c;
      make_case(&c, 20, 9, 9, r, (Shape){.center = anywhere(vl_vec(14, 4, 4), trial), .radius = 3.0});
      check(&c, "a ball", ball_volume(3.0), 0.001);
    }
}

/* Their radii are 1.2 and 2.4 fine cells. */
static void drops(void **state)
{
  (void)state;
  for (int r = 4; r <= 8; r *= 2)
    for (int trial = 0; trial < 12; trial++) {
      Case c;
      make_case(&c, 6, 6, 6, r, (Shape){.center = anywhere(vl_vec(2, 2, 2), trial), .radius = 0.3});
      check(&c, "a drop", ball_volume(0.3), r == 4 ? 0.1 : 0.01);
    }
}

static void pools(void **state)
{
  (void)state;
  for (int r = 2; r <= 8; r *= 2)
    for (int h = 0; h < 5; h++) {
      Case c;
      double level = 2.0 + 0.2 * h * h;
      make_case(&c, 18, 9, 7, r, (Shape){.center = vl_vec(0, level, 0), .normal = vl_vec(0, 1, 0)});
      check(&c, "a pool", 18 * 7 * level, 1e-3);
      make_case(&c, 18, 14, 7, r, (Shape){.center = vl_vec(9, 4 + level, 3.5), .normal = vl_vec(0.3, 1, -0.2)});
      check(&c, "a tilted pool", 18 * 7 * (4 + level), 0.002);
    }
}

/* Without any surface, the box is the box. */
static void full_box_is_the_box(void **state)
{
  (void)state;
  for (int r = 2; r <= 8; r *= 2) {
    Case c;
    make_case(&c, 18, 5, 7, r, (Shape){.center = vl_vec(0, 90, 0), .normal = vl_vec(0, 1, 0)});
    assert_int_equal(c.fine.band.count, 0);
    check(&c, "a full box", 18 * 5 * 7, 1e-6);
  }
}

/* Two or four fine cells thick, and one: then half of the nodes next to the surface see both of its sides. */
static void sheets(void **state)
{
  (void)state;
  for (int r = 4; r <= 8; r *= 2)
    for (int i = 0; i < 6; i++) {
      Case c;
      double thickness = i % 2 ? 1.0 / r : 0.5;
      vlVec3 normal = i < 2 ? vl_vec(0, 1, 0) : i < 4 ? vl_vec(0.2, 1, 0.1) : vl_vec(0.5, 1, -0.4);
      make_case(&c, 18, 17, 7, r,
                (Shape){.center = vl_vec(9, 8.37 + 0.1 * i, 3.5), .normal = normal, .thickness = thickness});
      check(&c, i % 2 ? "a sheet of one fine cell" : "a sheet of half a cell", 18 * 7 * thickness * vl_norm(normal),
            i == 5 ? 0.15 : 0.02);
    }
}

/* Waves of 2 to 16 fine cells are drawn as high as they are, the shortest no higher. */
static void ripples(void **state)
{
  (void)state;
  const double height = 0.05;
  for (int length = 2; length <= 16; length *= 2) {
    Case c;
    make_case(&c, 20, 9, 7, 4,
              (Shape){.center = vl_vec(0, 4.37, 0), .normal = vl_vec(0, 1, 0), .ripple = height, .wave = 0.25 * length});
    vlSurface s = contour(&c);
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < s.mesh->vertex_count; i++) {
      vlVec3 x = to_cells(&c, s.mesh->x[i]);
      if (x.y < 3.0 || x.x < 4.0 || x.x > 16.0 || x.z < 2.0 || x.z > 5.0) continue;
      lo = fmin(lo, x.y);
      hi = fmax(hi, x.y);
    }
    double drawn = 0.5 * (hi - lo) / height;
    if (getenv("TELL")) print_message("wave %d %.3f\n", length, drawn);
    assert_true(drawn < 1.1);
    assert_true(length < 8 || drawn > 0.9);
    vl_surface_clear(&s);
    end_case(&c);
  }
}

/* Of a ball of radius a, what lies in one of radius b at a distance d. */
static double lens(double a, double b, double d)
{
  double s = a + b - d;
  return VL_PI * s * s * (d * d + 2.0 * d * (a + b) - 3.0 * (a - b) * (a - b)) / (12.0 * d);
}

static void against_solids(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    int r = 2 << i / 2;
    bool with_open = i % 2;
    Case c;
    vlVec3 center = vl_vec(13.3, 6.1, 5.8), to = vl_unit(vl_vec(0.3, -1.0, 0.2));
    make_case(&c, 20, 12, 12, r, (Shape){.center = center, .radius = 3.0});
    put_solid(&c, (Shape){.center = vl_axpy(center, 4.0, to), .radius = 3.5}, with_open);
    check(&c, "a ball against a ball", ball_volume(3.0) - lens(3.0, 3.5, 4.0), 0.005);
    make_case(&c, 24, 17, 14, r, (Shape){.center = vl_vec(0, 14.3, 0), .normal = vl_vec(0, 1, 0)});
    put_solid(&c, (Shape){.center = vl_vec(12.2, 6.9, 7.1), .radius = 4.0}, with_open);
    check(&c, "a ball deep in a pool", 24 * 14 * 14.3 - ball_volume(4.0), 0.002);
    make_case(&c, 20, 12, 7, r, (Shape){.center = vl_vec(0, 9.3, 0), .normal = vl_vec(0, 1, 0)});
    put_solid(&c, (Shape){.center = vl_vec(0, 3, 0), .normal = vl_vec(0, 1, 0)}, with_open);
    check(&c, "a floor between cells", 20 * 7 * 6.3, 0.002);
    make_case(&c, 20, 12, 7, r, (Shape){.center = vl_vec(0, 9.3, 0), .normal = vl_vec(0, 1, 0)});
    put_solid(&c, (Shape){.center = vl_vec(10, 2.5, 3.5), .normal = vl_vec(0.3, 1, 0)}, with_open);
    check(&c, "a ramp", 20 * 7 * 6.8 - 7 * (0.5 * 0.3 * (10 - 2.5 / 0.3) * (10 - 2.5 / 0.3)), 0.002);
  }
}

static void slab(void **state)
{
  (void)state;
  for (int r = 2; r <= 8; r *= 2) {
    Case c;
    make_case(&c, 20, 20, 1, r, (Shape){.center = vl_vec(10.2, 9.7, 0.5), .radius = 3.0, .flat = 1.0});
    check(&c, "a disc", VL_PI * 9.0, 0.005);
    make_case(&c, 20, 20, 1, r, (Shape){.center = vl_vec(10, 9.7, 0.5), .normal = vl_vec(0.4, 1, 0)});
    check(&c, "a wedge", 20 * 9.7, 0.002);
  }
}

/* Nodes may be inside and outside as they like, beside solids and sides too. */
static void froth(Case *c, int refine, bool solid)
{
  make_case(c, 20, 10, 9, refine, (Shape){.center = vl_vec(10, 5, 4), .normal = vl_vec(0.2, 1, 0.3), .noise = 6.0});
  if (solid) put_solid(c, (Shape){.center = vl_vec(9, 5, 3), .radius = 3.0}, true);
}

static void froth_is_closed(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    Case c;
    froth(&c, i % 2 ? 4 : 2, i / 2);
    vlSurface s = contour(&c);
    assert_true(s.mesh->triangle_count > 1000);
    vl_surface_clear(&s);
    end_case(&c);
  }
}

static void same_for_any_number_of_threads(void **state)
{
  (void)state;
  Case c;
  froth(&c, 4, true);
  omp_set_num_threads(1);
  vlSurface one = contour(&c);
  omp_set_num_threads(2);
  vlSurface two = contour(&c);
  omp_set_num_threads(1);
  assert_int_equal(two.mesh->vertex_count, one.mesh->vertex_count);
  assert_int_equal(two.mesh->triangle_count, one.mesh->triangle_count);
  assert_memory_equal(two.mesh->x, one.mesh->x, (size_t)one.mesh->vertex_count * sizeof *one.mesh->x);
  assert_memory_equal(two.mesh->tri, one.mesh->tri, (size_t)one.mesh->triangle_count * sizeof *one.mesh->tri);
  vl_surface_clear(&one);
  vl_surface_clear(&two);
  end_case(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_gives_nothing),
      cmocka_unit_test(ball_keeps_its_volume),
      cmocka_unit_test(drops),
      cmocka_unit_test(pools),
      cmocka_unit_test(full_box_is_the_box),
      cmocka_unit_test(sheets),
      cmocka_unit_test(ripples),
      cmocka_unit_test(against_solids),
      cmocka_unit_test(slab),
      cmocka_unit_test(froth_is_closed),
      cmocka_unit_test(same_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
