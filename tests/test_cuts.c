/* Cut cells: every cell closes, volumes are exact, grid-aligned walls leave no slivers, blocks get the same areas as single
 * faces. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <omp.h>
#include <stdlib.h>

#include "solids.h"

static const double DX = 0.05;
static const vlVec3 ORIGIN = {.v = {-0.3, 0.1, 0.2}};

static vlGrid usual_grid(void) { return make_grid(19, 17, 14, DX, ORIGIN); }

static vlVec3 middle_of(const vlGrid *g)
{
  vlBox3 box = vl_grid_box(g);
  return vl_scale(vl_add(box.lo, box.hi), 0.5);
}

/* Upper minus lower open area plus surface is nothing along every axis, areas are within [0, dx2], the three volumes agree.
 */
static void check_cells(const vlCuts *cuts)
{
  const vlGrid *g = &cuts->grid;
  double full = g->dx * g->dx, volume_sum = 0.0;
  assert_int_equal(cuts->clamped, 0);
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const vlCutCell *cut = vl_cuts_find(cuts, i, j, k);
        double volume[3];
        for (int a = 0; a < 3; a++) {
          double lower = vl_cuts_open_area(cuts, a, i, j, k),
                 upper = vl_cuts_open_area(cuts, a, i + (a == 0), j + (a == 1), k + (a == 2));
          assert_true(lower >= 0.0 && lower <= full && upper >= 0.0 && upper <= full);
          assert_true(fabs(upper - lower + (cut ? cut->s.v[a] : 0.0)) <= 1e-12 * full);
          volume[a] = vl_cuts_cell_volume(cuts, a, i, j, k, lower);
        }
        assert_true(fabs(volume[0] - volume[1]) <= 1e-12 * full * g->dx &&
                    fabs(volume[0] - volume[2]) <= 1e-12 * full * g->dx);
        assert_true(volume[0] >= -1e-12 * full * g->dx && volume[0] <= (1 + 1e-12) * full * g->dx);
        volume_sum += volume[0];
      }
  double box = full * g->dx * g->n[0] * g->n[1] * g->n[2];
  assert_true(fabs(box - volume_sum - vl_cuts_solid_volume(cuts)) <= 1e-12 * box);
}

/* Uniform flow of liquid and solid together: sum over the faces of A_f v plus s.v. */
static void check_free_stream(const vlCuts *cuts, vlVec3 v)
{
  for (int c = 0; c < cuts->count; c++) {
    const vlCutCell *cut = &cuts->cut[c];
    bool inside = true;
    for (int a = 0; a < 3; a++) inside = inside && cut->cell[a] >= 0 && cut->cell[a] < cuts->grid.n[a];
    if (!inside) continue;
    double outflow = vl_dot(cut->s, v);
    for (int a = 0; a < 3; a++) {
      int o[3] = {cut->cell[0], cut->cell[1], cut->cell[2]};
      outflow -= v.v[a] * vl_cuts_open_area(cuts, a, o[0], o[1], o[2]);
      o[a]++;
      outflow += v.v[a] * vl_cuts_open_area(cuts, a, o[0], o[1], o[2]);
    }
    assert_true(fabs(outflow) <= 1e-12 * vl_norm(v) * DX * DX);
  }
}

/* rho g times the volume that the faces across y see: exactly the push of hydrostatic pressure at cell centres. */
static void check_buoyancy(const vlCuts *cuts)
{
  const vlGrid *g = &cuts->grid;
  double rho_g = 9810.0, push = 0.0, volume = 0.0;
  for (int c = 0; c < cuts->count; c++) {
    const int *cell = cuts->cut[c].cell;
    push += -rho_g * vl_grid_center(g, cell[0], cell[1], cell[2]).y * cuts->cut[c].s.y;
  }
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) volume += g->dx * (g->dx * g->dx - vl_cuts_open_area(cuts, 1, i, j, k));
  assert_true(fabs(push - rho_g * volume) <= 1e-10 * rho_g * volume);
}

static void check_inside_solid(const vlTriMesh *mesh, const vlGrid *g)
{
  vlCuts *cuts = make_cuts(mesh, false, g);
  check_cells(cuts);
  double volume = vl_trimesh_volume(mesh);
  assert_true(fabs(vl_cuts_solid_volume(cuts) - volume) <= 1e-10 * volume);
  check_free_stream(cuts, vl_vec(0.3, -1.2, 0.7));
  check_buoyancy(cuts);
  vl_cuts_destroy(&cuts);
  assert_null(cuts);
  vl_cuts_destroy(&cuts);
}

static void solids_inside(void **state)
{
  (void)state;
  uint64_t seed = 1;
  vlGrid g = usual_grid();
  for (int t = 0; t < 20; t++) {
    vlVec3 at = vl_add(middle_of(&g), random_vec(&seed, -0.05, 0.05));
    vlTriMesh *box = make_box(random_vec(&seed, 0.05, 0.3), random_rotation(&seed), at);
    check_inside_solid(box, &g);
    vl_trimesh_destroy(&box);
    vlTriMesh *ball = make_ball(random_between(&seed, 0.02, 0.28), at, t % 4);
    check_inside_solid(ball, &g);
    vl_trimesh_destroy(&ball);
    vlVec3 x[4];
    for (int v = 0; v < 4; v++) x[v] = vl_add(at, random_vec(&seed, -0.28, 0.28));
    vlTriMesh *tetrahedron = make_tetrahedron(x);
    check_inside_solid(tetrahedron, &g);
    vl_trimesh_destroy(&tetrahedron);
  }
}

/* Far thinner than a cell: the areas of both sides cancel nearly, but not quite. */
static void thin_plates(void **state)
{
  (void)state;
  vlGrid g = usual_grid();
  vlTriMesh *plate =
      make_box(vl_vec(0.02 * DX, 0.5, 0.4), vl_mat_identity(), vl_add(middle_of(&g), vl_vec(0.26 * DX, 0, 0)));
  check_inside_solid(plate, &g);
  vl_trimesh_destroy(&plate);
  uint64_t seed = 8;
  plate = make_box(vl_vec(0.02 * DX, 0.3, 0.3), random_rotation(&seed), middle_of(&g));
  check_inside_solid(plate, &g);
  vl_trimesh_destroy(&plate);
}

/* Walls within a cell are counted, with the first place; walls from a cell's diagonal on and gaps between solids are not. */
static void thin_walls_are_counted(void **state)
{
  (void)state;
  vlGrid g = make_grid(12, 11, 10, DX, vl_vec(0, 0, 0));
  /* in the middle of cells i = 5, whole cells j = 2..7 and k = 1..8 and parts of those around */
  vlTriMesh *gate = make_exact_box(vl_vec(5.31 * DX, 1.5 * DX, 0.6 * DX), vl_vec(5.69 * DX, 8.4 * DX, 9.3 * DX));
  vlCuts *cuts = make_cuts(gate, false, &g);
  /* cells at the rim hold its narrow side too, which is 0.38 wide against twice 0.3 and more */
  assert_in_range(cuts->thin, 6 * 8, 8 * 10);
  assert_int_equal(cuts->thin_cell[0], 5);
  assert_in_range(cuts->thin_cell[1], 1, 2);
  assert_in_range(cuts->thin_cell[2], 0, 1);
  vl_cuts_destroy(&cuts);
  vl_trimesh_destroy(&gate);

  uint64_t seed = 11;
  for (int t = 0; t < 20; t++) {
    vlMat3 turn = random_rotation(&seed);
    vlVec3 at = vl_add(middle_of(&g), random_vec(&seed, -0.02, 0.02));
    for (int thick = 0; thick < 2; thick++) {
      vlTriMesh *wall = make_box(vl_vec(thick ? 1.75 * DX : 0.4 * DX, 0.45, 0.4), turn, at);
      cuts = make_cuts(wall, false, &g);
      assert_int_equal(cuts->thin == 0, thick);
      vl_cuts_destroy(&cuts);
      vl_trimesh_destroy(&wall);
    }
    /* A gap as narrow as that wall. */
    vlVec3 across = vl_mat_apply(turn, vl_vec(0.1 + 0.2 * DX, 0, 0));
    vlTriMesh *pair = join_meshes(make_box(vl_vec(0.2, 0.3, 0.3), turn, vl_add(at, across)),
                                  make_box(vl_vec(0.2, 0.3, 0.3), turn, vl_sub(at, across)));
    cuts = make_cuts(pair, false, &g);
    assert_int_equal(cuts->thin, 0);
    vl_cuts_destroy(&cuts);
    vl_trimesh_destroy(&pair);
  }
}

/* Two boxes that overlap by 1e-8 of a cell: where their sides are open, areas are beyond their limits by that part. */
static void small_overlaps_are_counted(void **state)
{
  (void)state;
  vlGrid g = usual_grid();
  vlVec3 lo = vl_vec(0.013, 0.317, 0.441), hi = vl_vec(0.333, 0.577, 0.691);
  double x = hi.x - 1e-8 * DX;
  vlTriMesh *pair = join_meshes(make_exact_box(lo, hi), make_exact_box(vl_vec(x, lo.y, lo.z), vl_vec(x + 0.2, hi.y, hi.z)));
  vlCuts *cuts = make_cuts(pair, false, &g);
  assert_true(cuts->clamped > 0);
  vl_cuts_destroy(&cuts);
  vl_trimesh_destroy(&pair);
}

/* Through sides, edges and corners of the domain, and around all of it. The row's far end is checked by vl_cuts_create
 * itself. */
static void solids_across_the_sides(void **state)
{
  (void)state;
  uint64_t seed = 2;
  vlGrid g = usual_grid();
  vlBox3 box = vl_grid_box(&g);
  for (int t = 0; t < 40; t++) {
    vlVec3 at;
    for (int a = 0; a < 3; a++) {
      int side = t < 27 ? (int[]){t % 3, t / 3 % 3, t / 9}[a] : (int)random_between(&seed, 0, 3);
      at.v[a] = side == 0 ? box.lo.v[a] : side == 1 ? 0.5 * (box.lo.v[a] + box.hi.v[a]) : box.hi.v[a];
    }
    vlVec3 size = random_vec(&seed, 0.1, t % 5 == 0 ? 3.0 : 0.7);
    vlTriMesh *solid = make_box(size, random_rotation(&seed), vl_add(at, random_vec(&seed, -0.03, 0.03)));
    vlCuts *cuts = make_cuts(solid, false, &g);
    check_cells(cuts);
    check_free_stream(cuts, vl_vec(1, 2, 3));
    assert_true(cuts->closure < 1e-10);
    vl_cuts_destroy(&cuts);
    vl_trimesh_destroy(&solid);
  }
}

/* A box across a side: the volume within is known. */
static void volume_across_a_side(void **state)
{
  (void)state;
  vlGrid g = usual_grid();
  vlBox3 box = vl_grid_box(&g);
  vlTriMesh *solid = make_exact_box(vl_vec(box.lo.x - 0.7, box.lo.y - 3, box.lo.z + 0.12),
                                    vl_vec(box.lo.x + 0.213, box.lo.y + 0.331, box.hi.z + 9));
  vlCuts *cuts = make_cuts(solid, false, &g);
  double volume = 0.213 * 0.331 * (box.hi.z - box.lo.z - 0.12);
  assert_true(fabs(vl_cuts_solid_volume(cuts) - volume) <= 1e-10 * volume);
  assert_true(vl_cuts_open_area(cuts, 0, 0, 0, 5) == 0.0);
  assert_true(vl_cuts_open_area(cuts, 0, 0, 12, 5) == DX * DX);
  check_cells(cuts);
  vl_cuts_destroy(&cuts);
  vl_trimesh_destroy(&solid);
}

/* The whole domain deep inside a solid: nothing is open, there are no cut cells in it. */
static void buried_domain(void **state)
{
  (void)state;
  vlGrid g = usual_grid();
  uint64_t seed = 3;
  vlTriMesh *solid = make_box(vl_vec(9, 9, 9), random_rotation(&seed), middle_of(&g));
  vlCuts *cuts = make_cuts(solid, false, &g);
  check_cells(cuts);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i <= 14; i++) assert_true(vl_cuts_open_area(cuts, a, i, i, a == 2 ? i : 3) == 0.0);
  double box = DX * DX * DX * 19 * 17 * 14;
  assert_true(fabs(vl_cuts_solid_volume(cuts) - box) <= 1e-12 * box);
  vl_cuts_destroy(&cuts);
  vl_trimesh_destroy(&solid);
}

/* Solid outside: the same surface seen from within, triangles towards the fluid. */
static void containers(void **state)
{
  (void)state;
  uint64_t seed = 4;
  vlGrid g = usual_grid();
  double box = DX * DX * DX * 19 * 17 * 14;
  for (int t = 0; t < 10; t++) {
    vlTriMesh *inside =
        t % 2 ? make_ball(0.3, middle_of(&g), 3) : make_box(vl_vec(0.4, 0.35, 0.3), random_rotation(&seed), middle_of(&g));
    double volume = vl_trimesh_volume(inside);
    vl_trimesh_flip(inside);
    vlCuts *cuts = make_cuts(inside, true, &g);
    check_cells(cuts);
    assert_true(fabs(box - vl_cuts_solid_volume(cuts) - volume) <= 1e-10 * volume);
    assert_true(vl_cuts_open_area(cuts, 1, 0, 0, 0) == 0.0);
    vl_cuts_destroy(&cuts);
    vl_trimesh_destroy(&inside);
  }
}

/* Walls exactly on grid planes: faces are open or closed, cells full or empty, and only cells on the fluid side are cut. */
static void aligned_walls_leave_no_slivers(void **state)
{
  (void)state;
  const double steps[] = {0.05, 0.1, 1.0 / 3.0, 0.0123};
  for (int t = 0; t < 4; t++)
    for (int outside = 0; outside < 2; outside++) {
      double dx = steps[t];
      vlGrid g = make_grid(12, 11, 10, dx, vl_vec(0.7, -0.3, 0.1));
      vlTriMesh *box = make_exact_box(vl_axpy(g.origin, dx, vl_vec(3, 0, 4)), vl_axpy(g.origin, dx, vl_vec(9, 5, 7)));
      if (outside) vl_trimesh_flip(box);
      vlCuts *cuts = make_cuts(box, outside, &g);
      check_cells(cuts);
      for (int k = 0; k < 10; k++)
        for (int j = 0; j < 11; j++)
          for (int i = 0; i < 12; i++) {
            bool solid = (i >= 3 && i < 9 && j < 5 && k >= 4 && k < 7) != outside;
            if (solid) assert_null(vl_cuts_find(cuts, i, j, k));
            for (int a = 0; a < 3; a++) {
              double lower = vl_cuts_open_area(cuts, a, i, j, k),
                     upper = vl_cuts_open_area(cuts, a, i + (a == 0), j + (a == 1), k + (a == 2));
              assert_true((lower == 0.0 || lower == dx * dx) && (upper == 0.0 || upper == dx * dx));
              if (solid) assert_true(lower == 0.0 && upper == 0.0);
              double volume = vl_cuts_cell_volume(cuts, a, i, j, k, lower);
              assert_true(fabs(volume - (solid ? 0.0 : dx * dx * dx)) <= 1e-12 * dx * dx * dx);
            }
          }
      vl_cuts_destroy(&cuts);
      vl_trimesh_destroy(&box);
    }
}

/* Sides between planes, ends on planes: no cut cells beyond the ends. */
static void aligned_ends_leave_no_slivers(void **state)
{
  (void)state;
  vlGrid g = make_grid(12, 11, 10, 0.1, vl_vec(0, 0, 0));
  vlTriMesh *box = make_exact_box(vl_vec(0.317, 0.2, 0.441), vl_vec(0.833, 0.7, 0.777));
  place_mesh(box, vl_vec(1, 1, 1), vl_mat_rotation(1, 0.3), vl_vec(0.03, 0, 0.04));
  vlCuts *cuts = make_cuts(box, false, &g);
  check_cells(cuts);
  for (int c = 0; c < cuts->count; c++)
    assert_in_range(cuts->cut[c].cell[1], 1, 7); /* the ends' own patches lie in 1 and 7 */
  vl_cuts_destroy(&cuts);
  vl_trimesh_destroy(&box);
}

static bool chosen(int bx, int j, int k, int part)
{
  unsigned h = (unsigned)(bx * 7919 + j * 104729 + k * 1299709) ^ (unsigned)part * 2654435761u;
  h = (h ^ h >> 15) * 2246822519u;
  return part == 0 || (h ^ h >> 13) % 4 < (unsigned)part;
}

static void check_fill(const vlCuts *cuts, int part)
{
  const vlGrid *g = &cuts->grid;
  vlBlocks blocks;
  vlStatus status = {0};
  double *area[3];
  for (int a = 0; a < 3; a++) area[a] = vl_field_create(g);
  assert_int_equal(vl_blocks_create(&blocks, g->n, &status), VL_OK);
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int bx = 0; bx < blocks.columns; bx++)
        if (chosen(bx, j, k, part)) assert_true(vl_blocks_append(&blocks, bx, j, k));
  vl_blocks_end(&blocks);
  vl_cuts_fill_areas(cuts, &blocks, area);
  for (int b = 0; b < blocks.count; b++) {
    vlBlockPosition p = blocks.at[b];
    for (int l = 0; l < vl_blocks_width(&blocks, p); l++)
      for (int a = 0; a < 3; a++)
        for (int upper = 0; upper < 2; upper++) {
          int f[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
          f[a] += upper;
          assert_true(area[a][vl_grid_at(g, f[0], f[1], f[2])] == vl_cuts_open_area(cuts, a, f[0], f[1], f[2]));
        }
  }
  vl_blocks_clear(&blocks);
  for (int a = 0; a < 3; a++) vl_field_destroy(g, &area[a]);
}

static void blocks_get_the_same_areas(void **state)
{
  (void)state;
  uint64_t seed = 5;
  int threads = omp_get_max_threads();
  vlGrid g = make_grid(37, 17, 14, 0.03, vl_vec(0, 0, 0));
  for (int t = 0; t < 6; t++) {
    vlVec3 at = t % 2 ? vl_grid_box(&g).hi : middle_of(&g);
    vlTriMesh *solid =
        t == 5 ? make_ball(0.2, middle_of(&g), 3) : make_box(random_vec(&seed, 0.1, 0.9), random_rotation(&seed), at);
    bool outside = t > 3;
    if (outside) vl_trimesh_flip(solid);
    vlCuts *cuts = make_cuts(solid, outside, &g);
    for (int part = 0; part < 4; part++)
      for (int n = 1; n <= 2; n++) {
        omp_set_num_threads(n);
        check_fill(cuts, part);
      }
    vl_cuts_destroy(&cuts);
    vl_trimesh_destroy(&solid);
  }
  omp_set_num_threads(threads);
}

static void slabs(void **state)
{
  (void)state;
  vlGrid g = make_grid(30, 25, 1, 0.04, vl_vec(0, 0, -0.02));
  vlTriMesh *bar = make_box(vl_vec(0.4, 0.3, 1.0), vl_mat_rotation(2, 0.4), vl_vec(0.6, 0.5, 0));
  vlCuts *cuts = make_cuts(bar, false, &g);
  check_cells(cuts);
  double volume = 0.4 * 0.3 * 0.04;
  assert_true(fabs(vl_cuts_solid_volume(cuts) - volume) <= 1e-10 * volume);
  check_fill(cuts, 0);
  vl_cuts_destroy(&cuts);
  vl_trimesh_destroy(&bar);
}

static void no_solids(void **state)
{
  (void)state;
  vlGrid g = usual_grid();
  vlTriMesh *nothing = vl_trimesh_create(0, 0);
  if (!nothing) return;
  vlCuts *cuts = make_cuts(nothing, false, &g);
  assert_int_equal(cuts->count, 0);
  check_cells(cuts);
  assert_true(fabs(vl_cuts_solid_volume(cuts)) <= 1e-12 * DX * DX * DX * 19 * 17 * 14);
  check_fill(cuts, 2);
  vl_cuts_destroy(&cuts);
  vl_trimesh_destroy(&nothing);
}

/* Take one triangle away, or turn one over: refused, with the place. */
static void open_surfaces_are_refused(void **state)
{
  (void)state;
  vlGrid g = usual_grid();
  for (int t = 0; t < 12; t++) {
    uint64_t seed = 6;
    vlTriMesh *box = make_box(vl_vec(0.3, 0.25, 0.2), random_rotation(&seed), middle_of(&g));
    if (t % 2) {
      box->triangle_count--;
      memcpy(box->tri[t], box->tri[box->triangle_count], sizeof *box->tri);
    } else {
      int first = box->tri[t][0];
      box->tri[t][0] = box->tri[t][1];
      box->tri[t][1] = first;
    }
    vlCuts *cuts = NULL;
    vlStatus status = {0};
    assert_int_equal(vl_cuts_create(&cuts, box, false, &g, &status), VL_ERROR_MESH);
    assert_null(cuts);
    assert_non_null(strstr(status.message, "not closed"));
    vl_trimesh_destroy(&box);
  }
  /* the right surface with the wrong side solid: areas become negative and are counted */
  vlTriMesh *ball = make_ball(0.2, middle_of(&g), 2);
  vlCuts *cuts = make_cuts(ball, true, &g);
  assert_true(cuts->clamped > 0);
  vl_cuts_destroy(&cuts);
  vl_trimesh_destroy(&ball);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  int threads = omp_get_max_threads();
  vlGrid g = usual_grid();
  vlTriMesh *ball = make_ball(0.33, vl_grid_box(&g).lo, 6); /* several chunks of triangles */
  assert_true(ball->triangle_count > 3 * 2048);
  omp_set_num_threads(1);
  vlCuts *one = make_cuts(ball, false, &g);
  for (int t = 2; t <= 4; t *= 2) {
    omp_set_num_threads(t);
    vlCuts *many = make_cuts(ball, false, &g);
    assert_int_equal(many->count, one->count);
    for (int c = 0; c < one->count; c++) {
      assert_memory_equal(many->cut[c].cell, one->cut[c].cell, sizeof one->cut[c].cell);
      assert_memory_equal(&many->cut[c].s, &one->cut[c].s, sizeof one->cut[c].s);
      assert_memory_equal(&many->cut[c].moment, &one->cut[c].moment, sizeof one->cut[c].moment);
      assert_memory_equal(many->cut[c].open, one->cut[c].open, sizeof one->cut[c].open);
    }
    vl_cuts_destroy(&many);
  }
  vl_cuts_destroy(&one);
  vl_trimesh_destroy(&ball);
  omp_set_num_threads(threads);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_inside),
      cmocka_unit_test(thin_plates),
      cmocka_unit_test(thin_walls_are_counted),
      cmocka_unit_test(small_overlaps_are_counted),
      cmocka_unit_test(solids_across_the_sides),
      cmocka_unit_test(volume_across_a_side),
      cmocka_unit_test(buried_domain),
      cmocka_unit_test(containers),
      cmocka_unit_test(aligned_walls_leave_no_slivers),
      cmocka_unit_test(aligned_ends_leave_no_slivers),
      cmocka_unit_test(blocks_get_the_same_areas),
      cmocka_unit_test(slabs),
      cmocka_unit_test(no_solids),
      cmocka_unit_test(open_surfaces_are_refused),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
