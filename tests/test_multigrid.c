/* The multigrid preconditioner: symmetric, positive, transfers adjoint, few iterations whatever the size and shape. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grids.h"
#include "linear/level.h"
#include "linear/multigrid.h"
#include "liquid_blob.h"
#include "multigrid_solve.h"

static double phi_blob(const int n[3], int i, int j, int k)
{
  if (n[1] > 1 && n[1] < 16) return phi_pool(n, i, j, k); /* the blob would fill it */
  int size = n[0] > n[1] ? n[0] : n[1];
  return n[1] > 1 ? blob_phi(size, i, j, k) : blob_phi(size, i, k, j);
}

static const int SHAPES[][3] = {{32, 32, 32}, {33, 47, 21}, {64, 64, 1}, {37, 50, 1},
                                {50, 1, 33},  {1, 40, 40},  {17, 2, 90}, {300, 3, 3}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES };

/* x.My = y.Mx and x.Mx > 0. Floats carry 6e-8; a cycle adds up some hundred of them. */
static void check_symmetric(const vlStencil *s)
{
  size_t n = vl_stencil_length(s);
  vlMultigrid *mg = NULL;
  vlStatus status = {0};
  assert_int_equal(vl_multigrid_create(&mg, s->blocks.n, &status), VL_OK);
  assert_int_equal(vl_multigrid_build(mg, s, &status), VL_OK);
  vlOperator m = vl_multigrid_operator(mg);
  double *mx = stencil_zero(s), *my = stencil_zero(s);
  for (uint64_t seed = 1; seed < 4; seed++) {
    double *x = stencil_random(s, seed), *y = stencil_random(s, seed + 50);
    m.apply(m.data, x, mx);
    m.apply(m.data, y, my);
    double xmx = vl_vector_dot(x, mx, n), ymy = vl_vector_dot(y, my, n);
    assert_true(xmx > 0.0 && ymy > 0.0);
    assert_true(fabs(vl_vector_dot(x, my, n) - vl_vector_dot(y, mx, n)) <= 1e-5 * sqrt(xmx * ymy));
    vl_stencil_vector_free(x);
    vl_stencil_vector_free(y);
  }
  vl_stencil_vector_free(mx);
  vl_stencil_vector_free(my);
  vl_multigrid_destroy(&mg);
}

static void preconditioner_is_symmetric_and_positive(void **state)
{
  (void)state;
  for (int c = 0; c < SHAPE_COUNT; c++) {
    vlStencil s;
    make_stencil(&s, SHAPES[c], c % 2 ? phi_pool : phi_blob);
    check_symmetric(&s);
    vl_stencil_clear(&s);
  }
}

/* Narrows the faces of a few cells by up to 1e-8, as solids that leave slivers do; some of the cells are neighbours. */
static void add_slivers(vlStencil *s)
{
  size_t n = vl_stencil_length(s);
  double *open = stencil_random(s, 77), *fixed = stencil_zero(s);
  for (size_t i = 0; i < n; i++) open[i] = s->diagonal[i] > 0.0 && open[i] > 0.6 ? pow(10.0, -20.0 * (open[i] - 0.6)) : 1.0;
  for (int pass = 0; pass < 2;
       pass++) /* the links to air first, which are the diagonal less all faces; then everything anew */
    for (size_t i = 0; i < n; i++) {
      const int *side = s->side[i / VL_BLOCK];
      size_t l = i % VL_BLOCK, lower[3] = {i - 1, (size_t)side[0] * VL_BLOCK + l, (size_t)side[2] * VL_BLOCK + l};
      size_t upper[3] = {i + 1, (size_t)side[1] * VL_BLOCK + l, (size_t)side[3] * VL_BLOCK + l};
      if (!(s->diagonal[i] > 0.0)) continue;
      double faces = 0.0;
      for (int a = 0; a < 3; a++) {
        if (pass == 1 && s->w[a][i] > 0.0) s->w[a][i] = fmin(open[i], open[lower[a]]);
        faces += s->w[a][i];
        double above = s->w[a][upper[a]];
        faces += pass == 1 && above > 0.0 ? fmin(open[i], open[upper[a]]) : above;
      }
      if (pass == 0) fixed[i] = fmax(0.0, s->diagonal[i] - faces) * open[i];
      if (pass == 1) s->diagonal[i] = faces + fixed[i];
    }
  vl_stencil_finish(s);
  vl_stencil_vector_free(open);
  vl_stencil_vector_free(fixed);
}

/* As above with x scaled by the root of the diagonal, so that narrow cells do not drown the others. */
static void slivers_keep_it_symmetric_and_positive(void **state)
{
  (void)state;
  vlStencil s;
  vlStatus status = {0};
  vlMultigrid *mg = NULL;
  make_stencil(&s, (const int[3]){40, 33, 29}, phi_pool);
  add_slivers(&s);
  size_t n = vl_stencil_length(&s);
  assert_int_equal(vl_multigrid_create(&mg, s.blocks.n, &status), VL_OK);
  assert_int_equal(vl_multigrid_build(mg, &s, &status), VL_OK);
  vlOperator m = vl_multigrid_operator(mg);
  double *x = stencil_random(&s, 1), *y = stencil_random(&s, 2), *mx = stencil_zero(&s), *my = stencil_zero(&s);
  for (size_t i = 0; i < n; i++) {
    x[i] *= sqrt(s.diagonal[i]);
    y[i] *= sqrt(s.diagonal[i]);
  }
  m.apply(m.data, x, mx);
  m.apply(m.data, y, my);
  double xmx = vl_vector_dot(x, mx, n), ymy = vl_vector_dot(y, my, n);
  assert_true(xmx > 0.0 && ymy > 0.0);
  assert_true(fabs(vl_vector_dot(x, my, n) - vl_vector_dot(y, mx, n)) <= 1e-5 * sqrt(xmx * ymy));
  double *vectors[] = {x, y, mx, my};
  for (int i = 0; i < 4; i++) vl_stencil_vector_free(vectors[i]);
  vl_multigrid_destroy(&mg);
  vl_stencil_clear(&s);
}

static void fill_random(float *x, const vlLevel *level, uint64_t seed)
{
  for (size_t i = 0; i < (size_t)level->blocks->count * VL_BLOCK; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = level->inverse[i] > 0.0f ? (float)((double)(seed >> 11) * 0x1p-52 - 1.0) : 0.0f;
  }
}

static double dot(const float *x, const float *y, const vlLevel *level)
{
  double sum = 0.0;
  for (size_t i = 0; i < (size_t)level->blocks->count * VL_BLOCK; i++) sum += (double)x[i] * (double)y[i];
  return sum;
}

/* (R r).x = 2^(2 - axes) r.(P x), and P of a constant is that constant away from air. */
static void check_transfer(const vlLevel *fine_level, vlLevel *coarse, vlLevel *fine)
{
  (void)fine_level;
  size_t n = (size_t)fine->blocks->count * VL_BLOCK;
  fill_random(fine->r, fine, 7);
  fill_random(coarse->x, coarse, 8);
  vl_level_restrict(fine, coarse);
  memset(fine->x, 0, n * sizeof(float));
  vl_level_prolong(coarse, fine);
  double down = dot(coarse->b, coarse->x, coarse), up = dot(fine->r, fine->x, fine) * pow(2.0, 2.0 - fine->axes);
  double size = sqrt(dot(coarse->b, coarse->b, coarse) * dot(coarse->x, coarse->x, coarse));
  assert_true(size > 0.0);
  assert_true(fabs(down - up) <= 1e-6 * size); /* rounding of the floats, mostly averaged out */
}

static void restriction_is_the_transpose_of_prolongation(void **state)
{
  (void)state;
  for (int c = 0; c < SHAPE_COUNT; c++) {
    vlStencil s;
    vlStatus status = {0};
    vlLevel level[3] = {0};
    make_stencil(&s, SHAPES[c], c % 2 ? phi_blob : phi_pool);
    assert_int_equal(vl_level_from_stencil(&level[0], &s, &status), VL_OK);
    for (int i = 0; i < 2; i++) {
      assert_int_equal(vl_level_coarsen(&level[i + 1], &level[i], &status), VL_OK);
      vl_level_prepare_transfer(&level[i + 1], &level[i]);
      check_transfer(&level[i], &level[i + 1], &level[i]);
    }
    for (int i = 0; i < 3; i++) vl_level_clear(&level[i]);
    vl_stencil_clear(&s);
  }
}

/* In a closed box interpolation keeps constants, and coarse matrices keep the null space. */
static void constants_survive_in_a_closed_box(void **state)
{
  (void)state;
  for (int c = 0; c < SHAPE_COUNT; c++) {
    vlStencil s;
    vlStatus status = {0};
    vlLevel fine = {0}, coarse = {0};
    make_stencil(&s, SHAPES[c], phi_full);
    assert_int_equal(vl_level_from_stencil(&fine, &s, &status), VL_OK);
    assert_int_equal(vl_level_coarsen(&coarse, &fine, &status), VL_OK);
    vl_level_prepare_transfer(&coarse, &fine);
    for (size_t i = 0; i < (size_t)coarse.blocks->count * VL_BLOCK; i++)
      coarse.x[i] = coarse.inverse[i] > 0.0f ? 1.0f : 0.0f;
    memset(coarse.b, 0, (size_t)coarse.blocks->count * VL_BLOCK * sizeof(float));
    vl_level_passes(&coarse, (const vlPass[]){VL_PASS_RESIDUAL}, 1);
    for (size_t i = 0; i < (size_t)coarse.blocks->count * VL_BLOCK; i++) assert_true(fabsf(coarse.r[i]) <= 1e-6f);
    vl_level_prolong(&coarse, &fine);
    for (size_t i = 0; i < (size_t)fine.blocks->count * VL_BLOCK; i++)
      assert_true(fabsf(fine.x[i] - (fine.inverse[i] > 0.0f ? 1.0f : 0.0f)) <= 1e-6f);
    vl_level_clear(&fine);
    vl_level_clear(&coarse);
    vl_stencil_clear(&s);
  }
}

/* Passes that are led over a level together do what they do one at a time, bit for bit, for any number of threads; with
 * four the parts are too thin for wedges at 32 planes. */
static void passes_together_are_passes_in_turn(void **state)
{
  (void)state;
  static const vlPass PASSES[5] = {VL_PASS_BEGIN, VL_PASS_BLACK, VL_PASS_RED, VL_PASS_BLACK, VL_PASS_RESIDUAL};
  const int shapes[][3] = {{64, 40, 70}, {48, 64, 32}, {64, 64, 1}};
  int before = omp_get_max_threads();
  for (int c = 0; c < 3; c++) {
    vlStencil s;
    vlStatus status = {0};
    vlLevel level = {0};
    make_stencil(&s, shapes[c], phi_pool);
    assert_int_equal(vl_level_from_stencil(&level, &s, &status), VL_OK);
    size_t n = (size_t)level.blocks->count * VL_BLOCK;
    float *x = malloc(n * sizeof *x), *r = malloc(n * sizeof *r);
    assert_true(x && r);
    for (size_t i = 0; i < n; i++) level.b[i] = level.inverse[i] > 0.0f ? sinf(0.37f * (float)i) : 0.0f;
    vl_level_passes_plain(&level, PASSES, 5);
    memcpy(x, level.x, n * sizeof *x);
    memcpy(r, level.r, n * sizeof *r);
    for (int threads = 1; threads <= 4; threads++) {
      omp_set_num_threads(threads);
      for (size_t i = 0; i < n; i++) level.x[i] = level.r[i] = 7.0f;
      vl_level_passes(&level, PASSES, 5);
      assert_memory_equal(level.x, x, n * sizeof *x);
      assert_memory_equal(level.r, r, n * sizeof *r);
    }
    omp_set_num_threads(before);
    free(x);
    free(r);
    vl_level_clear(&level);
    vl_stencil_clear(&s);
  }
}

static void iterations_do_not_grow(void **state)
{
  (void)state;
  int least = 1000, most = 0;
  for (int n = 16; n <= 64; n *= 2) {
    vlStencil s;
    vlStatus status = {0};
    assert_int_equal(blob_stencil(&s, n, n, &status), VL_OK);
    int iterations = multigrid_iterations(&s, false, NULL);
    vl_stencil_clear(&s);
    assert_true(iterations <= 20);
    if (n < 32) continue;
    least = iterations < least ? iterations : least;
    most = iterations > most ? iterations : most;
  }
  assert_true(most - least <= 4);
}

static void awkward_shapes_converge(void **state)
{
  (void)state;
  for (int c = 0; c < SHAPE_COUNT; c++)
    for (int blob = 0; blob < 2; blob++) {
      vlStencil s;
      make_stencil(&s, SHAPES[c], blob ? phi_blob : phi_pool);
      int iterations = multigrid_iterations(&s, false, NULL);
      if (iterations > 20) fail_msg("%d iterations on %d x %d x %d", iterations, SHAPES[c][0], SHAPES[c][1], SHAPES[c][2]);
      vl_stencil_clear(&s);
    }
}

static void closed_boxes_converge(void **state)
{
  (void)state;
  for (int c = 0; c < SHAPE_COUNT; c++) {
    vlStencil s;
    make_stencil(&s, SHAPES[c], phi_full);
    int iterations = multigrid_iterations(&s, true, NULL);
    if (iterations > 20) fail_msg("%d iterations on %d x %d x %d", iterations, SHAPES[c][0], SHAPES[c][1], SHAPES[c][2]);
    vl_stencil_clear(&s);
  }
}

static double phi_single(const int n[3], int i, int j, int k)
{
  return i == n[0] / 2 && j == n[1] / 2 && k == n[2] / 2 ? -0.3 : 0.7;
}

static void a_single_cell_takes_one_iteration(void **state)
{
  (void)state;
  vlStencil s;
  make_stencil(&s, (const int[3]){40, 30, 20}, phi_single);
  assert_int_equal(s.unknowns, 1);
  assert_in_range(multigrid_iterations(&s, false, NULL), 1, 2);
  vl_stencil_clear(&s);
}

/* Drops of one cell, far apart: on coarse levels there are more blocks than unknowns to be solved directly. */
static double phi_drops(const int n[3], int i, int j, int k)
{
  (void)n;
  return i % 8 == 1 && j % 4 == 1 && k % 4 == 1 ? -0.5 : 0.5;
}

/* Pairs of cells shut in: they have no weight left on the next level, but their blocks are still listed there. */
static void add_shut_pairs(vlStencil *s)
{
  for (int b = 0; b < s->blocks.count; b++) {
    s->diagonal[b * VL_BLOCK] = s->diagonal[b * VL_BLOCK + 1] = 1.0;
    s->w[0][b * VL_BLOCK + 1] = 1.0;
  }
  vl_stencil_finish(s);
}

static void remove_pair_means(void *data, double *x)
{
  const vlStencil *s = data;
  for (int b = 0; b < s->blocks.count; b++) {
    double mean = 0.5 * (x[b * VL_BLOCK] + x[b * VL_BLOCK + 1]);
    x[b * VL_BLOCK] -= mean;
    x[b * VL_BLOCK + 1] -= mean;
  }
}

static void scattered_liquid_converges(void **state)
{
  (void)state;
  vlStencil drops, pairs;
  vlStatus status = {0};
  make_stencil(&drops, (const int[3]){96, 64, 64}, phi_drops);
  assert_true(multigrid_iterations(&drops, false, NULL) <= 20);
  vl_stencil_clear(&drops);

  assert_int_equal(vl_stencil_create(&pairs, (const int[3]){160, 64, 64}, &status), VL_OK);
  vl_blocks_begin(&pairs.blocks);
  for (int k = 0; k < 64; k += 4)
    for (int j = 0; j < 64; j += 4)
      for (int bx = 0; bx < 10; bx += 2) assert_true(vl_blocks_append(&pairs.blocks, bx, j, k));
  vl_blocks_end(&pairs.blocks);
  assert_int_equal(vl_stencil_resize(&pairs, &status), VL_OK);
  add_shut_pairs(&pairs);
  vlProjector projector = {.apply = remove_pair_means, .data = &pairs};
  assert_true(multigrid_iterations_projected(&pairs, projector, NULL) <= 20);
  vl_stencil_clear(&pairs);
}

static void rebuilding_gives_the_same_as_building(void **state)
{
  (void)state;
  vlStencil big, small;
  vlStatus status = {0};
  const int n[3] = {48, 48, 48};
  make_stencil(&big, n, phi_pool);
  make_stencil(&small, n, phi_blob);
  vlMultigrid *used = NULL, *fresh = NULL;
  assert_int_equal(vl_multigrid_create(&used, n, &status), VL_OK);
  assert_int_equal(vl_multigrid_create(&fresh, n, &status), VL_OK);
  assert_int_equal(vl_multigrid_build(used, &big, &status), VL_OK);
  double *x = stencil_random(&big, 5), *y = stencil_zero(&big), *z = stencil_zero(&small), *r = stencil_random(&small, 6);
  vlOperator m = vl_multigrid_operator(used);
  m.apply(m.data, x, y);
  assert_int_equal(vl_multigrid_build(used, &small, &status), VL_OK);
  assert_int_equal(vl_multigrid_build(fresh, &small, &status), VL_OK);
  double *w = stencil_zero(&small);
  m = vl_multigrid_operator(used);
  m.apply(m.data, r, z);
  m = vl_multigrid_operator(fresh);
  m.apply(m.data, r, w);
  assert_memory_equal(z, w, vl_stencil_length(&small) * sizeof(double));
  double *vectors[] = {x, y, z, r, w};
  for (int i = 0; i < 5; i++) vl_stencil_vector_free(vectors[i]);
  vl_multigrid_destroy(&used);
  assert_null(used);
  vl_multigrid_destroy(&used);
  vl_multigrid_destroy(&fresh);
  vl_stencil_clear(&big);
  vl_stencil_clear(&small);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  int threads = omp_get_max_threads();
  double *first = NULL;
  vlStencil s;
  make_stencil(&s, (const int[3]){48, 40, 33}, phi_blob);
  size_t bytes = vl_stencil_length(&s) * sizeof(double);
  for (int t = 1; t <= 4; t *= 2) {
    omp_set_num_threads(t);
    double *x = stencil_zero(&s);
    multigrid_iterations(&s, false, x);
    if (first)
      assert_memory_equal(first, x, bytes);
    else
      first = memcpy(malloc(bytes), x, bytes);
    vl_stencil_vector_free(x);
  }
  free(first);
  vl_stencil_clear(&s);
  omp_set_num_threads(threads);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(preconditioner_is_symmetric_and_positive),
      cmocka_unit_test(slivers_keep_it_symmetric_and_positive),
      cmocka_unit_test(restriction_is_the_transpose_of_prolongation),
      cmocka_unit_test(constants_survive_in_a_closed_box),
      cmocka_unit_test(passes_together_are_passes_in_turn),
      cmocka_unit_test(iterations_do_not_grow),
      cmocka_unit_test(awkward_shapes_converge),
      cmocka_unit_test(closed_boxes_converge),
      cmocka_unit_test(a_single_cell_takes_one_iteration),
      cmocka_unit_test(scattered_liquid_converges),
      cmocka_unit_test(rebuilding_gives_the_same_as_building),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
