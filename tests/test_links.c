/* The links of the pressure: bits and list against plain formulas, face by face, on level sets and areas that are noise;
 * what the matrix makes of them, with cells parted and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tank.h"

/* Liquid with a way out, said without bits. */
static bool is_node(const Tank *t, const int cell[3])
{
  if (!vl_grid_holds(&t->grid, cell)) return false;
  ptrdiff_t at = vl_grid_at(&t->grid, cell[0], cell[1], cell[2]);
  double widest = 0.0;
  for (int a = 0; a < 3; a++) {
    if (cell[a] > 0) widest = fmax(widest, t->area[a][at]);
    if (cell[a] < t->grid.n[a] - 1) widest = fmax(widest, t->area[a][at + t->grid.stride[a]]);
  }
  return t->phi[at] < 0.0 && widest > 1e-8 * t->grid.dx * t->grid.dx;
}

/* The link through the lower face of a cell, from the two cells alone. */
static vlLink plain_link(const Tank *t, const int cell[3], int axis)
{
  int other[3] = {cell[0], cell[1], cell[2]};
  other[axis]--;
  ptrdiff_t at = vl_grid_at(&t->grid, cell[0], cell[1], cell[2]);
  vlLink link = {.at = at, .area = t->area[axis][at], .distance = t->grid.dx};
  if (!vl_grid_holds(&t->grid, cell) || !vl_grid_holds(&t->grid, other) || !(link.area > 0.0)) return link;
  bool below = is_node(t, other), above = is_node(t, cell);
  double in = t->phi[above ? at : at - t->grid.stride[axis]], out = t->phi[above ? at - t->grid.stride[axis] : at];
  if (below == above) {
    link.kind = above ? VL_LINK_INNER : VL_LINK_NONE;
  } else if (out >= 0.0) { /* else an orphan */
    link.kind = above ? VL_LINK_ABOVE : VL_LINK_BELOW;
    link.distance = t->grid.dx * fmin(1.0, fmax(1e-4, in / (in - out)));
    link.pressure = t->jump[axis][at];
  }
  return link;
}

static void cell_of(const vlBlocks *wet, int b, int l, int cell[3])
{
  cell[0] = wet->at[b].bx * VL_BLOCK + l;
  cell[1] = wet->at[b].j;
  cell[2] = wet->at[b].k;
}

/* Of a built tank: `pressed` noise on its surface. */
static void build(Tank *t, vlLinks *links, vlFluid *fluid, bool pressed)
{
  vlStatus status = {0};
  uint64_t seed = 77;
  *fluid = tank_fluid(t);
  for (int a = 0; a < 3 && pressed; a++)
    for (int k = 0; k < t->grid.n[2]; k++)
      for (int j = 0; j < t->grid.n[1]; j++)
        for (int i = 0; i < t->grid.n[0]; i++) t->jump[a][vl_grid_at(&t->grid, i, j, k)] = random_between(&seed, -100, 100);
  if (pressed) fluid->jump = (const double *const *)t->jump;
  assert_int_equal(vl_links_build(links, fluid, &status), VL_OK);
}

static void links_are_what_faces_say(void **state)
{
  (void)state;
  int all[5] = {0};
  for (int run = 0; run < 6; run++) {
    Tank t;
    vlLinks links = {0};
    vlFluid fluid;
    int kinds[4] = {0}, orphans = 0;
    tank_noise(&t, run % 2 ? 1 : 7, (uint64_t)run + 1, false);
    build(&t, &links, &fluid, run % 3 == 0);
    assert_int_equal(links.pressed, run % 3 == 0);
    for (int b = 0; b < t.wet.count; b++)
      for (int l = 0; l < VL_BLOCK; l++) {
        int cell[3];
        cell_of(&t.wet, b, l, cell);
        bool node = is_node(&t, cell), inside = vl_grid_holds(&t.grid, cell);
        assert_int_equal(links.active[b] >> l & 1u, node);
        orphans += inside && !node && t.phi[vl_grid_at(&t.grid, cell[0], cell[1], cell[2])] < 0.0;
        for (int a = 0; a < 3; a++) {
          vlLink plain = plain_link(&t, cell, a), link = vl_links_at(&links, &fluid, b * VL_BLOCK + l, a);
          assert_int_equal(link.kind, plain.kind);
          assert_int_equal(vl_links_flow(&links, b, a) >> l & 1u, plain.kind != VL_LINK_NONE);
          kinds[plain.kind]++;
          if (!plain.kind) continue;
          assert_true(link.at == plain.at && link.area == plain.area && link.pressure == plain.pressure);
          assert_true(link.distance == plain.distance); /* the same formula, the same bits */
        }
      }
    assert_int_equal(links.surface_count, kinds[VL_LINK_BELOW] + kinds[VL_LINK_ABOVE]);
    assert_int_equal(links.orphans, orphans);
    for (int k = 0; k < 4; k++) all[k] += kinds[k];
    all[4] += orphans;
    vl_links_clear(&links);
    tank_drain(&t);
  }
  for (int k = 0; k < 5; k++) assert_true(all[k] > (k < 4 ? 1000 : 5)); /* all of them have been seen */
}

/* A cell's upper link is the lower one of the cell above it, also into the next block and at the sides of the domain. */
static void both_cells_see_the_same_link(void **state)
{
  (void)state;
  Tank t;
  vlLinks links = {0};
  vlFluid fluid;
  tank_noise(&t, 7, 3, false);
  build(&t, &links, &fluid, false);
  int seen = 0, across = 0;
  for (int b = 0; b < t.wet.count; b++)
    for (int side = 0; side < 6; side++) {
      int a = side / 2, upper = side % 2;
      vlLinkSide to = vl_links_side(&links, &t.wet, b, a, upper);
      assert_int_equal(to.inner & to.surface, 0);
      for (int l = 0; l < VL_BLOCK; l++) {
        int cell[3];
        cell_of(&t.wet, b, l, cell);
        if (l < vl_blocks_width(&t.wet, t.wet.at[b]))
          assert_int_equal(to.domain >> l & 1u, cell[a] == (upper ? t.grid.n[a] - 1 : 0));
        cell[a] += upper;
        vlLink plain = plain_link(&t, cell, a);
        assert_int_equal(to.inner >> l & 1u, plain.kind == VL_LINK_INNER);
        assert_int_equal(to.surface >> l & 1u, plain.kind == VL_LINK_BELOW || plain.kind == VL_LINK_ABOVE);
        if (!plain.kind) continue;
        assert_true(vl_links_at(&links, &fluid, to.first + l, a).at == plain.at);
        seen++;
        across += a == 0 && upper && l == VL_BLOCK - 1;
      }
    }
  assert_true(seen > 1000 && across > 20);
  vl_links_clear(&links);
  tank_drain(&t);
}

/* Also through sides of the domain, and not through the sliver towards an orphan. */
static void outflow_adds_up_faces(void **state)
{
  (void)state;
  Tank t;
  vlLinks links = {0};
  vlFluid fluid;
  tank_noise(&t, 7, 4, false);
  tank_random_flow(&t, 5);
  for (int k = 0; k < 7; k++)
    for (int j = 0; j < 9; j++) t.u_star[0][vl_grid_at(&t.grid, 0, j, k)] = 0.5;
  build(&t, &links, &fluid, false);
  int nodes = 0, slivers = 0;
  for (int b = 0; b < t.wet.count; b++) {
    double outflow[VL_BLOCK] = {[3] = 0.25}; /* added to */
    vl_links_outflow(&links, &fluid, b, t.u_star, outflow);
    for (unsigned left = links.active[b]; left; left &= left - 1u) {
      int l = __builtin_ctz(left), cell[3];
      double plain = l == 3 ? 0.25 : 0.0, size = 0.0;
      for (int side = 0; side < 6; side++) {
        int a = side / 2;
        cell_of(&t.wet, b, l, cell);
        cell[a] += side % 2;
        ptrdiff_t at = vl_grid_at(&t.grid, cell[0], cell[1], cell[2]);
        bool wall = cell[a] == 0 || cell[a] == t.grid.n[a];
        bool open = wall || plain_link(&t, cell, a).kind;
        slivers += !open && t.area[a][at] > 0.0;
        plain += (side % 2 ? 1.0 : -1.0) * (open ? t.area[a][at] * t.u_star[a][at] : 0.0);
        size += t.area[a][at];
      }
      assert_true(fabs(outflow[l] - plain) <= 1e-15 * (size + 1.0));
      nodes++;
    }
  }
  assert_true(nodes > 500 && slivers > 0 && slivers == links.slivers);
  vl_links_clear(&links);
  tank_drain(&t);
}

/* The weights of an unknown's links, by plain formulas: *fixed to the surface and to parted cells, and their sum. */
static double plain_weights(const Tank *t, const unsigned short *parted, const int cell[3], double *fixed)
{
  double sum = *fixed = 0.0;
  for (int side = 0; side < 6; side++) {
    int a = side / 2, at[3] = {cell[0], cell[1], cell[2]}, other[3] = {cell[0], cell[1], cell[2]};
    at[a] += side % 2;
    other[a] += side % 2 ? 1 : -1;
    vlLink link = plain_link(t, at, a);
    if (!link.kind) continue;
    double w = link.area / (link.distance * t->grid.dx);
    int b = vl_blocks_find(&t->wet, other[0] / VL_BLOCK, other[1], other[2]);
    sum += w;
    if (link.kind != VL_LINK_INNER || parted[b] >> other[0] % VL_BLOCK & 1u) *fixed += w;
  }
  return sum;
}

/* Every unknown's links add up to its diagonal, and those to a fixed pressure to its row; links stay what they are when
 * cells part. */
static void links_make_the_matrix(void **state)
{
  (void)state;
  for (int parting = 0; parting < 2; parting++) {
    Tank t;
    vlStatus status = {0};
    uint64_t seed = 8;
    tank_noise(&t, 7, 6, false);
    vlFluid fluid = tank_fluid(&t);
    vlPressure *p = t.pressure;
    assert_int_equal(vl_pressure_assemble(p, &fluid, &status), VL_OK);
    unsigned short *parted = calloc((size_t)t.wet.count, sizeof *parted);
    vlLinkBlock *before = malloc((size_t)t.wet.count * sizeof *before);
    memcpy(before, p->links.block, (size_t)t.wet.count * sizeof *before);
    int64_t nodes = 0, away = 0;
    for (int b = 0; b < t.wet.count; b++) {
      if (parting) parted[b] = p->links.active[b] & (unsigned short)random_between(&seed, 0, 65535);
      nodes += __builtin_popcount(p->links.active[b]);
      away += __builtin_popcount(parted[b]);
    }
    fluid.parted = parted;
    if (parting) assert_int_equal(vl_pressure_part(p, &fluid, &status), VL_OK);
    assert_memory_equal(before, p->links.block, (size_t)t.wet.count * sizeof *before);
    assert_int_equal(p->stencil.unknowns, nodes - away);
    size_t blocks = (size_t)p->stencil.blocks.count;
    double *one = vl_stencil_vector_create(blocks), *row = vl_stencil_vector_create(blocks);
    for (size_t i = 0; i < blocks * VL_BLOCK; i++) one[i] = p->stencil.diagonal[i] > 0.0;
    vl_stencil_apply(&p->stencil, one, row);
    for (size_t i = 0; i < blocks * VL_BLOCK; i++) {
      int cell[3], l = (int)(i % VL_BLOCK);
      double fixed, sum;
      cell_of(&p->stencil.blocks, (int)(i / VL_BLOCK), l, cell);
      int b = vl_blocks_find(&t.wet, cell[0] / VL_BLOCK, cell[1], cell[2]);
      bool unknown = (p->links.active[b] & ~parted[b]) >> l & 1;
      sum = unknown ? plain_weights(&t, parted, cell, &fixed) : (fixed = 0.0);
      assert_true(fabs(p->stencil.diagonal[i] - sum) <= 1e-14 * sum); /* sums of six */
      assert_true(fabs(row[i] - fixed) <= 1e-14 * sum);
      assert_int_equal(p->surface[i / VL_BLOCK] >> l & 1u, fixed > 0.0);
    }
    assert_true(nodes > 1000 && (!parting || away > 300));
    vl_stencil_vector_free(one);
    vl_stencil_vector_free(row);
    free(parted);
    free(before);
    tank_drain(&t);
  }
}

static void same_links_for_any_number_of_threads(void **state)
{
  (void)state;
  int threads = omp_get_max_threads();
  Tank t;
  vlLinks one = {0}, four = {0};
  vlFluid fluid;
  tank_noise(&t, 7, 9, false);
  omp_set_num_threads(1);
  build(&t, &one, &fluid, true);
  omp_set_num_threads(4);
  build(&t, &four, &fluid, true);
  omp_set_num_threads(threads);
  size_t blocks = (size_t)t.wet.count;
  assert_memory_equal(one.active, four.active, blocks * sizeof *one.active);
  assert_memory_equal(one.block, four.block, blocks * sizeof *one.block);
  assert_int_equal(one.surface_count, four.surface_count);
  assert_memory_equal(one.surface, four.surface, (size_t)one.surface_count * sizeof *one.surface);
  vl_links_clear(&one);
  vl_links_clear(&four);
  tank_drain(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_are_what_faces_say),
      cmocka_unit_test(both_cells_see_the_same_link),
      cmocka_unit_test(outflow_adds_up_faces),
      cmocka_unit_test(links_make_the_matrix),
      cmocka_unit_test(same_links_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
