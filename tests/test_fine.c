/* The fine level set: planes stay exact, what is carried keeps its volume and place, distances are made without moving the
 * surface, memory follows the surface. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <omp.h>
#include <stdio.h>
#include <time.h>

#include "fine_flow.h"

static void planes_stay_exact(void **state)
{
  (void)state;
  vlGrid g = make_grid(20, 18, 19, 0.1, vl_vec(-0.3, 0.2, 0.1));
  const vlVec3 tilt[] = {{{0, 1, 0}}, {{1, 0, 0}}, {{0.6, 0.8, 0}}, {{0.3, 0.9, -0.4}}, {{-1, 1, 1}}, {{0.01, 1, 0.02}}};
  for (int refine = 2; refine <= 8; refine *= 2)
    for (int t = 0; t < 6; t++) {
      Plane plane = {vl_unit(tilt[t]), vl_vec(0.7, 1.1, 1.05)}; /* 1.1 and 0.7: on planes of the grid */
      vlFine f = make_fine(&g, refine, plane_distance, &plane);
      assert_true(largest_error(&f, plane_distance, &plane, 1e9) < 1e-12);
      assert_band(&f);
      Air air = make_air(&g);
      blow(&g, &air, even_wind, 0.0);
      for (int step = 0; step < 4; step++) {
        double dt = step == 3 ? 0.5 : 0.15; /* up to 1.55 cells */
        advect(&f, &air, dt);
        plane.at = vl_add(plane.at, vl_scale(even_wind(plane.at, 0), dt));
        /* but where the box's sides clamp where it came from: within the way from the sides it enters by */
        double error = 0.0;
        for (int a = 0; a < 200; a++) {
          double x[3];
          for (int c = 0; c < 3; c++) x[c] = 4.0 + (g.n[c] - 8.0) * vl_random((uint64_t)(a * 3 + c));
          double slope[3], phi = vl_fine_at(&f, x, slope), d = plane_distance(&plane, vl_grid_place(&g, x));
          if (fabs(d) > 0.75 * VL_FINE_BAND * g.dx) continue;
          error = fmax(error, fabs(phi - d) / f.nodes.dx);
          for (int c = 0; c < 3; c++) error = fmax(error, 1e-2 * fabs(slope[c] - plane.n.v[c]));
        }
        if (error > 1e-12) fail_msg("refine %d, tilt %d, step %d: %g fine cells", refine, t, step, error);
      }
      clear_air(&g, &air);
      vl_fine_clear(&f);
    }
}

static vlVec3 middle_of(const vlFine *f)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  double weight = 0.0, h = f->nodes.dx;
  int slab = f->grid->n[2] == 1;
  for (int k = 0; k < (slab ? 1 : f->nodes.n[2]); k++)
    for (int j = 0; j < f->nodes.n[1]; j++)
      for (int i = 0; i < f->nodes.n[0]; i++) {
        double x[3] = {(double)i / f->refine, (double)j / f->refine, (double)k / f->refine};
        double part = vl_clamp(0.5 - vl_fine_at(f, x, NULL) / h, 0.0, 1.0);
        weight += part;
        sum = vl_add(sum, vl_scale(vl_grid_place(f->grid, x), part));
      }
  return vl_scale(sum, 1.0 / weight);
}

static void sphere_travels(void **state)
{
  (void)state;
  vlGrid g = make_grid(24, 20, 20, 0.05, vl_vec(0, 0, 0));
  Ball ball = {vl_vec(0.42, 0.45, 0.6), 0.2, false};
  vlFine f = make_fine(&g, 4, ball_distance, &ball);
  double h = f.nodes.dx, exact = 4.0 / 3.0 * 3.14159265358979 * 0.008, before = vl_fine_volume(&f);
  printf("sphere: linear in its tetrahedra %+.2f h2/R2\n", (before / exact - 1.0) * ball.r * ball.r / (h * h));
  assert_true(fabs(before / exact - 1.0) <
              h * h / (ball.r * ball.r)); /* chords: 1/8 h2/R for each curvature on edges of h */
  Air air = make_air(&g);
  blow(&g, &air, even_wind, 0.0);
  double dt = 0.05 * 0.05, way = 5.0 * g.dx / 0.31;
  int steps = (int)round(way / (0.4 * g.dx / 0.31));
  dt = way / steps;
  for (int s = 0; s < steps; s++) {
    advect(&f, &air, dt);
    ball.at = vl_add(ball.at, vl_scale(even_wind(ball.at, 0), dt));
  }
  double volume = vl_fine_volume(&f) / before - 1.0, off = vl_norm(vl_sub(middle_of(&f), ball.at)) / h;
  printf("sphere: volume %+.2e, centre off by %.4f h, phi off by %.3f h near, %.3f h all\n", volume, off,
         largest_error(&f, ball_distance, &ball, 4.0), largest_error(&f, ball_distance, &ball, 1e9));
  assert_true(fabs(volume) < 5e-3);
  assert_true(off < 0.05);
  assert_band(&f);
  clear_air(&g, &air);
  vl_fine_clear(&f);
}

/* u = curl of psi = sin^2(pi x) sin^2(pi y)/pi, turned round at half time. */
static vlVec3 vortex(vlVec3 x, double t)
{
  double pi = 3.14159265358979, sx = sin(pi * x.x), sy = sin(pi * x.y);
  return vl_scale(vl_vec(-2.0 * sx * sx * sy * cos(pi * x.y), 2.0 * sx * cos(pi * x.x) * sy * sy, 0), t);
}

static void vortex_returns(void **state)
{
  (void)state;
  vlGrid g = make_grid(32, 32, 1, 1.0 / 32, vl_vec(0, 0, 0));
  Ball disc = {vl_vec(0.5, 0.75, 0), 0.15, true};
  vlFine f = make_fine(&g, 4, ball_distance, &disc);
  double before = vl_fine_volume(&f);
  Air air = make_air(&g);
  int steps = 64;
  for (int s = 0; s < steps; s++) {
    blow(&g, &air, vortex, s < steps / 2 ? 1.0 : -1.0);
    advect(&f, &air, 2.0 / steps);
  }
  double loss = 1.0 - vl_fine_volume(&f) / before;
  printf("vortex: loses %.2f %% of the area\n", 100 * loss);
  assert_true(fabs(loss) < 0.03);
  clear_air(&g, &air);
  vlStatus status = {0};
  double area = vl_fine_volume(&f);
  vlFineBall ball = {{6.0, 6.2, 0.5}, 0.05};
  assert_int_equal(vl_fine_add(&f, &ball, 1, &status), VL_OK);
  assert_true(fabs((vl_fine_volume(&f) - area) / (3.14159265358979 * 0.0025 / 32.0) - 1.0) < 0.03); /* a disc */
  assert_int_equal(vl_fine_redistance(&f, &status), VL_OK);
  assert_band(&f);
  /* a slab's planes are the same bits */
  for (int b = 0; b < f.work->nodes.blocks.count; b++) {
    double *row = f.phi + vl_blocks_field(&f.nodes, f.work->nodes.blocks.at[b]);
    for (int l = 0; l < VL_BLOCK; l++)
      for (int k = 1; k <= f.refine && f.work->nodes.bits[b] >> l & 1; k++)
        assert_true(row[l] == row[l + k * f.nodes.stride[2]]);
  }
  vl_fine_clear(&f);
}

static void redistancing_leaves_the_surface(void **state)
{
  (void)state;
  vlGrid g = make_grid(16, 16, 16, 0.1, vl_vec(0, 0, 0));
  vlStatus status = {0};
  Ball ball = {vl_vec(0.81, 0.79, 0.77), 0.2, false}; /* R = 8 h */
  vlFine f = make_fine(&g, 4, ball_distance, &ball);
  assert_true(vl_fine_bent(&f) <= 0.01); /* nothing to be done */
  double volume = vl_fine_volume(&f);
  vlVec3 middle = middle_of(&f);
  for (int i = 0; i < 3; i++) assert_int_equal(vl_fine_redistance(&f, &status), VL_OK);
  double change = (vl_fine_volume(&f) / volume - 1.0) / 3.0, off = vl_norm(vl_sub(middle_of(&f), middle)) / f.nodes.dx;
  printf("redistanced: volume %+.1e each time, centre %.1e h, phi off by %.4f h near, %.4f h all\n", change, off,
         largest_error(&f, ball_distance, &ball, 4.0), largest_error(&f, ball_distance, &ball, 7.0));
  assert_true(fabs(change) < 1e-4);
  assert_true(off < 1e-3);
  assert_true(largest_error(&f, ball_distance, &ball, 4.0) < 0.01);
  assert_true(largest_error(&f, ball_distance, &ball, 7.0) < 0.3); /* its own centre is 8 h away */
  vl_fine_clear(&f);
}

/* phi <- phi (1 + 0.4 sin ...): the same surface, and no distance. */
static void distances_come_back(void **state)
{
  (void)state;
  vlGrid g = make_grid(24, 24, 24, 0.1, vl_vec(0, 0, 0));
  vlStatus status = {0};
  Ball ball = {vl_vec(1.21, 1.19, 1.17), 0.6, false};
  vlFine f = make_fine(&g, 4, ball_distance, &ball);
  double volume = vl_fine_volume(&f);
  for (int b = 0; b < f.work->nodes.blocks.count; b++) {
    vlBlockPosition p = f.work->nodes.blocks.at[b];
    double *row = f.phi + vl_blocks_field(&f.nodes, p);
    for (int l = 0; l < VL_BLOCK; l++)
      if (f.work->nodes.bits[b] >> l & 1)
        row[l] *= 1.3 + 0.4 * sin(0.1 * (p.bx * VL_BLOCK + l) + 0.07 * p.j) * cos(0.08 * p.k);
  }
  assert_true(vl_fine_bent(&f) > 0.5);
  clock_t start = clock();
  assert_int_equal(vl_fine_mend(&f, &status), VL_OK);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  long nodes = 0;
  for (int b = 0; b < f.work->nodes.blocks.count; b++) nodes += __builtin_popcount(f.work->nodes.bits[b]);
  printf("made a distance: off by %.4f h near, %.4f h within 10 h, %.4f h all, volume %+.1e; %.0f ns a node\n",
         largest_error(&f, ball_distance, &ball, 4.0), largest_error(&f, ball_distance, &ball, 10.0),
         largest_error(&f, ball_distance, &ball, 1e9), vl_fine_volume(&f) / volume - 1.0, 1e9 * seconds / (double)nodes);
  assert_true(vl_fine_bent(&f) < 0.01);
  assert_true(largest_error(&f, ball_distance, &ball, 10.0) < 0.01);
  assert_true(largest_error(&f, ball_distance, &ball, 1e9) < 0.5); /* its own centre is 24 h away */
  assert_true(fabs(vl_fine_volume(&f) / volume - 1.0) < 1e-4);
  vl_fine_clear(&f);
}

static void noise_does_not_grow(void **state)
{
  (void)state;
  vlGrid g = make_grid(16, 16, 16, 0.1, vl_vec(0, 0, 0));
  vlStatus status = {0};
  Plane plane = {vl_unit(vl_vec(0.2, 1, 0.3)), vl_vec(0.8, 0.83, 0.8)};
  vlFine f = make_fine(&g, 4, plane_distance, &plane);
  for (int b = 0; b < f.work->nodes.blocks.count; b++) {
    ptrdiff_t at = vl_blocks_field(&f.nodes, f.work->nodes.blocks.at[b]);
    for (int l = 0; l < VL_BLOCK; l++)
      if (f.work->nodes.bits[b] >> l & 1) f.phi[at + l] += 0.1 * f.nodes.dx * (2.0 * vl_random((uint64_t)(at + l)) - 1.0);
  }
  assert_int_equal(vl_fine_redistance(&f, &status), VL_OK);
  double close = largest_error(&f, plane_distance, &plane, 1.0), worst = largest_error(&f, plane_distance, &plane, 1e9);
  printf("noise of 0.1 h: off by %.3f h next to the surface, %.3f h all\n", close, worst);
  assert_true(close < 0.3 && worst < 1.5);
  vl_fine_clear(&f);
}

/* Liquid that crosses the box leaves no memory behind. */
static void memory_follows(void **state)
{
  (void)state;
  vlGrid g = make_grid(96, 24, 24, 0.1, vl_vec(0, 0, 0));
  Ball ball = {vl_vec(0.8, 1.2, 1.2), 0.5, false};
  vlFine f = make_fine(&g, 4, ball_distance, &ball);
  Air air = make_air(&g);
  vlStatus status = {0};
  assert_int_equal(vl_fine_redistance(&f, &status), VL_OK); /* its scratch stays */
  for (size_t i = 0; i < g.length; i++) air.u[0][i] = 1.0;
  double first = 0.0, most = 0.0;
  for (int s = 0; s < 60; s++) {
    advect(&f, &air, 0.13);
    double bytes = vl_fine_bytes(&f);
    if (s == 3) first = bytes;
    if (s > 3) most = fmax(most, bytes);
  }
  long cells = 0;
  for (int b = 0; b < f.band.count; b++) cells += __builtin_popcount(f.near[b]);
  printf("memory: %.1f MB at first, %.1f MB at most, %.0f bytes a near cell\n", first * 1e-6, most * 1e-6,
         most / (double)cells);
  assert_true(most < 1.3 * first);
  assert_band(&f);
  clear_air(&g, &air);
  vl_fine_clear(&f);
}

static void push_moves_planes(void **state)
{
  (void)state;
  vlGrid g = make_grid(18, 18, 18, 0.1, vl_vec(0, 0, 0));
  vlStatus status = {0};
  Plane plane = {vl_unit(vl_vec(0.2, 1, 0.3)), vl_vec(0.9, 0.93, 0.9)};
  vlFine f = make_fine(&g, 4, plane_distance, &plane);
  Air air = make_air(&g);
  blow(&g, &air, no_wind, 0.0);
  double *push = vl_field_create(&g), *weight = vl_field_create(&g);
  for (size_t i = 0; i < g.length; i++) push[i] = 0.02, weight[i] = 0.05;
  vlFineFlow flow = {.dt = 0.05, .u = air.u, .push = push, .weight = weight};
  assert_int_equal(vl_fine_advect(&f, &flow, &status), VL_OK);
  plane.at = vl_add(plane.at, vl_scale(plane.n, 0.4 * 0.05));
  double worst = 0.0;
  for (int a = 0; a < 300; a++) {
    double x[3] = {2 + 14 * vl_random((uint64_t)a), 18 * vl_random((uint64_t)a + 1000),
                   2 + 14 * vl_random((uint64_t)a + 2000)};
    double d = plane_distance(&plane, vl_grid_place(&g, x));
    if (fabs(d) < 0.75 * VL_FINE_BAND * g.dx) worst = fmax(worst, fabs(vl_fine_at(&f, x, NULL) - d) / f.nodes.dx);
  }
  assert_true(worst < 1e-12);
  for (size_t i = 0; i < g.length; i++) weight[i] = 0.0; /* no surface: no push */
  assert_int_equal(vl_fine_advect(&f, &flow, &status), VL_OK);
  double x[3] = {8.2, 9.3, 8.7};
  assert_true(fabs(vl_fine_at(&f, x, NULL) - plane_distance(&plane, vl_grid_place(&g, x))) < 1e-12);
  vl_field_destroy(&g, &push);
  vl_field_destroy(&g, &weight);
  clear_air(&g, &air);
  vl_fine_clear(&f);
}

static void balls_are_added(void **state)
{
  (void)state;
  vlGrid g = make_grid(24, 20, 20, 0.1, vl_vec(0, 0, 0));
  vlStatus status = {0};
  Plane plane = {vl_vec(0, 1, 0), vl_vec(0, 0.62, 0)};
  vlFine f = make_fine(&g, 4, plane_distance, &plane);
  double before = vl_fine_volume(&f);
  assert_true(fabs(before - 2.4 * 0.62 * 2.0) < 1e-12);
  vlFineBall ball[3] = {{{18.1, 16.2, 3.3}, 0.12}, {{6.0, 6.1, 9.0}, 0.1}, {{12.0, 1.0, 9.0}, 0.2}};
  assert_int_equal(vl_fine_add(&f, ball, 3, &status), VL_OK);
  assert_band(&f);
  double pi = 3.14159265358979, depth = 0.62 - 0.61, cap = 2.0 / 3.0 * pi * 1e-3 - pi * depth * (0.01 - depth * depth / 3.0);
  double gained = vl_fine_volume(&f) - before, exact = 4.0 / 3.0 * pi * 0.12 * 0.12 * 0.12 + cap;
  printf("balls: %+.1f %% of their volume\n", 100 * (gained / exact - 1.0));
  assert_true(fabs(gained / exact - 1.0) < 0.06); /* chords of h at R = 4.8 and 4 h */
  double x[3] = {18.1, 16.2, 3.3};
  assert_true(fabs(vl_fine_at(&f, x, NULL) + 0.12) < f.nodes.dx);
  vl_fine_clear(&f);
}

/* A ball half in a pool, another deep in it, a third in the air: united, then taken out again; then a plate above all that
 * is deeper than what is near. */
static void shapes_are_united_and_taken(void **state)
{
  (void)state;
  double pi = 3.14159265358979;
  for (int slab = 0; slab < 2; slab++) {
    vlGrid g = make_grid(24, 30, slab ? 1 : 20, 0.1, vl_vec(-0.4, 0.3, 0.2));
    vlStatus status = {0};
    Plane plane = {vl_vec(0, 1, 0), vl_vec(0, 0.93, 0)};
    vlFine f = make_fine(&g, 4, plane_distance, &plane);
    double wide = slab ? 0.1 : 2.0, pool = vl_fine_volume(&f), r = 0.31;
    assert_true(fabs(pool - 2.4 * 0.63 * wide) < 1e-12);
    Ball half = {vl_vec(0.8, 0.93, slab ? 0.25 : 1.2), r, slab}, air = half, deep = half;
    air.at.y = 2.2;
    deep.at = vl_vec(0.8, 0.55, half.at.z), deep.r = 0.05;
    double of_ball = slab ? pi * r * r * 0.1 : 4.0 / 3.0 * pi * r * r * r, h = f.nodes.dx;
    const Ball *balls[3] = {&half, &air, &deep};
    double parts[3] = {0.5 * of_ball, of_ball, 0.0};
    for (int b = 0; b < 3; b++) {
      vlVec3 reach = vl_vec(balls[b]->r, balls[b]->r, balls[b]->r);
      vlBox3 box = {vl_sub(balls[b]->at, reach), vl_add(balls[b]->at, reach)};
      double before = vl_fine_volume(&f);
      for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(vl_fine_unite(&f, ball_distance, balls[b], box, &status), VL_OK);
        assert_band(&f);
      }
      double error = vl_fine_volume(&f) - before - parts[b];
      if (fabs(error) > of_ball * h * h / (r * r)) fail_msg("ball %d: %+.2e of a ball too much", b, error / of_ball);
    }
    vlBox3 all = {vl_vec(-9, 0.93, -9), vl_vec(9, 9, 9)};
    Plane above = {vl_vec(0, -1, 0), plane.at};
    assert_int_equal(vl_fine_take(&f, plane_distance, &above, all, &status), VL_OK);
    assert_band(&f);
    if (fabs(vl_fine_volume(&f) - pool) > 1e-3 * of_ball)
      fail_msg("%+.2e of a ball left", (vl_fine_volume(&f) - pool) / of_ball);
    /* out of the pool's middle: what is near knows of a cavity */
    Ball cavity = {vl_vec(0.8, 0.62, half.at.z), 0.15, slab};
    assert_int_equal(vl_fine_take(&f, ball_distance, &cavity, vl_grid_box(&g), &status), VL_OK);
    assert_band(&f);
    double hole = slab ? pi * 0.15 * 0.15 * 0.1 : 4.0 / 3.0 * pi * 0.15 * 0.15 * 0.15;
    assert_true(fabs(pool - vl_fine_volume(&f) - hole) < hole * h * h / (0.15 * 0.15));
    /* all cells are liquid, whatever was near before */
    Plane below = {vl_vec(0, 1, 0), vl_vec(0, 9, 0)};
    assert_int_equal(vl_fine_unite(&f, plane_distance, &below, vl_grid_box(&g), &status), VL_OK);
    assert_int_equal(f.band.count, 0);
    assert_true(fabs(vl_fine_volume(&f) - 2.4 * 3.0 * wide) < 1e-12);
    Plane none = {vl_vec(0, -1, 0), vl_vec(0, -9, 0)};
    assert_int_equal(vl_fine_take(&f, plane_distance, &none, vl_grid_box(&g), &status), VL_OK);
    none.n.y = 1.0, none.at.y = 9;
    assert_int_equal(vl_fine_take(&f, plane_distance, &none, vl_grid_box(&g), &status), VL_OK);
    assert_true(vl_fine_volume(&f) == 0.0 && f.band.count == 0);
    vl_fine_clear(&f);
  }
}

static void assert_same(const vlFine *a, const vlFine *b)
{
  assert_int_equal(a->band.count, b->band.count);
  for (int i = 0; i < a->band.count; i++) {
    vlBlockPosition p = a->band.at[i], q = b->band.at[i];
    assert_true(p.bx == q.bx && p.j == q.j && p.k == q.k && a->near[i] == b->near[i]);
  }
  assert_memory_equal(a->side, b->side, a->grid->length * sizeof(double));
  const vlFineSet *s = &a->work->nodes;
  for (int i = 0; i < s->blocks.count; i++) {
    ptrdiff_t at = vl_blocks_field(&a->nodes, s->blocks.at[i]);
    for (int l = 0; l < VL_BLOCK; l++)
      if (s->bits[i] >> l & 1) assert_true(a->phi[at + l] == b->phi[at + l]);
  }
  assert_true(vl_fine_volume(a) == vl_fine_volume(b));
}

static void same_bits_for_any_threads_and_after_a_restart(void **state)
{
  (void)state;
  vlGrid g = make_grid(20, 20, 20, 0.05, vl_vec(0, 0, 0));
  vlStatus status = {0};
  Ball ball = {vl_vec(0.42, 0.45, 0.55), 0.2, false};
  Air air = make_air(&g);
  blow(&g, &air, vortex, 1.0);
  vlFine run[3];
  Memory memory = {.count = 0};
  int threads = omp_get_max_threads();
  for (int r = 0; r < 2; r++) {
    omp_set_num_threads(r + 1);
    run[r] = make_fine(&g, 4, ball_distance, &ball);
    for (int s = 0; s < 3; s++) advect(&run[r], &air, 0.03);
    assert_int_equal(vl_fine_redistance(&run[r], &status), VL_OK);
    Ball other = {vl_vec(0.61, 0.43, 0.5), 0.17, false}, hole = {vl_vec(0.35, 0.5, 0.5), 0.1, false};
    assert_int_equal(vl_fine_unite(&run[r], ball_distance, &other, vl_grid_box(&g), &status), VL_OK);
    assert_int_equal(vl_fine_take(&run[r], ball_distance, &hole, vl_grid_box(&g), &status), VL_OK);
  }
  assert_same(&run[0], &run[1]);
  vlVisitor writer = {.data = &memory, .array = remember_array, .field = remember_field};
  assert_int_equal(vl_fine_visit(&run[0], &writer, &status), VL_OK);
  Plane plane = {vl_vec(1, 0, 0), vl_vec(0.5, 0, 0)}; /* something else was there */
  run[2] = make_fine(&g, 4, plane_distance, &plane);
  vlVisitor reader = {
      .restoring = true, .data = &memory, .array = recall_array, .field = recall_field, .find = recall_found};
  assert_int_equal(vl_fine_visit(&run[2], &reader, &status), VL_OK);
  assert_same(&run[0], &run[2]);
  for (int r = 0; r < 3; r++) advect(&run[r], &air, 0.03);
  assert_same(&run[0], &run[2]);
  assert_same(&run[0], &run[1]);
  omp_set_num_threads(threads);
  forget(&memory);
  for (int r = 0; r < 3; r++) vl_fine_clear(&run[r]);
  clear_air(&g, &air);
}

static void cells_read_their_middles(void **state)
{
  (void)state;
  vlGrid g = make_grid(20, 16, 1, 0.1, vl_vec(0, 0, 0));
  Plane plane = {vl_unit(vl_vec(0.3, 1, 0)), vl_vec(1, 0.8, 0)};
  vlFine f = make_fine(&g, 4, plane_distance, &plane);
  vlBlocks wet;
  vlStatus status = {0};
  assert_int_equal(vl_blocks_create(&wet, g.n, &status), VL_OK);
  vl_blocks_begin(&wet);
  for (int j = 0; j < g.n[1]; j++)
    for (int bx = 0; bx < g.blocks_x; bx++) assert_true(vl_blocks_append(&wet, bx, j, 0));
  vl_blocks_end(&wet);
  double *phi = vl_field_create(&g);
  vl_fine_to_cells(&f, &wet, phi);
  for (int j = 0; j < g.n[1]; j++)
    for (int i = 0; i < g.n[0]; i++) {
      double d = plane_distance(&plane, vl_grid_center(&g, i, j, 0)), v = phi[vl_grid_at(&g, i, j, 0)];
      if (vl_fine_is_near(&f, i, j, 0))
        assert_true(fabs(v - d) < 1e-12);
      else
        assert_true(v == (d < 0.0 ? -0.2 : 0.2));
    }
  assert_true(fabs(vl_fine_volume(&f) - 2.0 * 0.8 * 0.1) < 1e-12);
  Air air = make_air(&g);
  blow(&g, &air, even_flat_wind, 0);
  advect(&f, &air, 0.1);
  clear_air(&g, &air);
  vl_field_destroy(&g, &phi);
  vl_blocks_clear(&wet);
  vl_fine_clear(&f);
}

static double timed(vlFine *f, const Air *air, double dt, bool again)
{
  vlStatus status = {0};
  clock_t start = clock();
  if (again)
    assert_int_equal(vl_fine_redistance(f, &status), VL_OK);
  else
    advect(f, air, dt);
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

typedef struct Cube {
  vlVec3 at;
  double half;
} Cube;
static double cube_distance(const void *data, vlVec3 x)
{
  const Cube *c = data;
  double out = 0.0, in = -INFINITY;
  for (int a = 0; a < 3; a++) {
    double d = fabs(x.v[a] - c->at.v[a]) - c->half;
    out += d > 0.0 ? d * d : 0.0;
    in = fmax(in, d);
  }
  return out > 0.0 ? sqrt(out) : in;
}

/* Where two sides are equally far grad phi is no unit vector, and yet phi is a distance. */
static void edges_are_no_reason_to_redistance(void **state)
{
  (void)state;
  vlGrid g = make_grid(20, 20, 20, 0.1, vl_vec(0, 0, 0));
  vlStatus status = {0};
  Cube cube = {vl_vec(1.01, 0.98, 1.0), 0.5};
  vlFine f = make_fine(&g, 4, cube_distance, &cube);
  double bent = vl_fine_bent(&f), volume = vl_fine_volume(&f);
  assert_true(bent < 0.01);
  assert_int_equal(vl_fine_redistance(&f, &status), VL_OK);
  printf("cube: %.4f bent; redistanced %.4f bent, off by %.3f h, volume %+.1e\n", bent, vl_fine_bent(&f),
         largest_error(&f, cube_distance, &cube, 1e9), vl_fine_volume(&f) / volume - 1.0);
  assert_true(fabs(vl_fine_volume(&f) / volume - 1.0) < 3e-3);     /* edges become round by about a tenth of h2 */
  assert_true(largest_error(&f, cube_distance, &cube, 1e9) < 2.0); /* marched outwards from edges */
  vl_fine_clear(&f);
}

static void rest_is_rest(void **state)
{
  (void)state;
  vlGrid g = make_grid(20, 20, 20, 0.05, vl_vec(0, 0, 0));
  Ball ball = {vl_vec(0.42, 0.45, 0.95), 0.3, false}; /* cut by a side of the box */
  vlFine f = make_fine(&g, 4, ball_distance, &ball);
  Air air = make_air(&g);
  for (int s = 0; s < 2; s++) advect(&f, &air, 0.1);
  assert_true(largest_error(&f, ball_distance, &ball, 1e9) < 1e-13); /* but for rounding */
  clear_air(&g, &air);
  vl_fine_clear(&f);
}

static void what_it_costs(void **state)
{
  (void)state;
  vlGrid g = make_grid(48, 48, 48, 1.0 / 48, vl_vec(0, 0, 0));
  Ball ball = {vl_vec(0.5, 0.5, 0.5), 0.3, false};
  vlFine f = make_fine(&g, 4, ball_distance, &ball);
  Air air = make_air(&g);
  blow(&g, &air, even_wind, 0.0);
  long nodes = 0;
  for (int b = 0; b < f.work->nodes.blocks.count; b++) nodes += __builtin_popcount(f.work->nodes.bits[b]);
  timed(&f, &air, 0.03, false);
  double carry = timed(&f, &air, 0.03, false), bent = vl_fine_bent(&f), distance = timed(&f, &air, 0, true);
  printf("%ld nodes: %.0f ns a node to advect, %.0f to redistance (%.4f bent)\n", nodes, 1e9 * carry / (double)nodes,
         1e9 * distance / (double)nodes, bent);
  clear_air(&g, &air);
  vl_fine_clear(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes_stay_exact),
      cmocka_unit_test(sphere_travels),
      cmocka_unit_test(vortex_returns),
      cmocka_unit_test(redistancing_leaves_the_surface),
      cmocka_unit_test(distances_come_back),
      cmocka_unit_test(noise_does_not_grow),
      cmocka_unit_test(memory_follows),
      cmocka_unit_test(push_moves_planes),
      cmocka_unit_test(balls_are_added),
      cmocka_unit_test(shapes_are_united_and_taken),
      cmocka_unit_test(same_bits_for_any_threads_and_after_a_restart),
      cmocka_unit_test(cells_read_their_middles),
      cmocka_unit_test(edges_are_no_reason_to_redistance),
      cmocka_unit_test(rest_is_rest),
      cmocka_unit_test(what_it_costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
