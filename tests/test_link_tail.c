/* Links beyond one a face and nodes beyond one a cell: faces and cells that are given as a tail are what they were, pieces
 * of cells make a symmetric system of their own, and with it liquid rests, keeps its volume and is one region. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tail_pieces.h"

/* Largest outflow of a node, main or extra, over dx2. */
static double largest_outflow(const Tank *t, const vlFluid *fluid)
{
  const vlLinks *links = &t->pressure->links;
  double largest = 0.0;
  for (int b = 0; b < t->wet.count; b++) {
    double outflow[VL_BLOCK] = {0};
    vl_links_outflow(links, fluid, b, t->u, outflow);
    for (unsigned left = links->active[b]; left; left &= left - 1u)
      largest = fmax(largest, fabs(outflow[__builtin_ctz(left)]));
  }
  for (int e = 0; fluid->tail && e < fluid->tail->extras; e++) {
    double outflow = 0.0;
    vl_tail_outflow(links, links->ends.blocks + e, &outflow);
    largest = fmax(largest, fabs(outflow));
  }
  return largest / (t->grid.dx * t->grid.dx);
}

static void noise_with_pressed_surface(Tank *t, vlFluid *fluid, uint64_t seed)
{
  tank_noise(t, 7, seed, false);
  tank_random_flow(t, seed + 1);
  for (int a = 0; a < 3; a++)
    for (size_t i = 0; i < t->grid.length; i++) t->jump[a][i] = random_between(&seed, -100, 100);
  *fluid = tank_fluid(t);
  fluid->jump = (const double *const *)t->jump;
}

static double largest_of(const double *x, size_t n)
{
  double largest = 0.0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

/* A tank solved without tail and with one that says the same of a share of faces and cells. */
static void compare(vlSolverKind kind, double tolerance, double faces, double cells, bool mains)
{
  Tank plain, t;
  vlFluid plain_fluid, fluid;
  noise_with_pressed_surface(&plain, &plain_fluid, 3);
  noise_with_pressed_surface(&t, &fluid, 3);
  Tail m = make_tail_of(&t, &fluid, faces, cells, 1, mains, 4);
  fluid.tail = &m.tail;
  for (int c = 0; c < t.wet.count * VL_BLOCK; c++) /* where the tail decides the level set has no say */
    if (m.first_extra[c] >= 0) t.phi[vl_blocks_field(&t.grid, t.wet.at[c / VL_BLOCK]) + c % VL_BLOCK] *= c % 3 ? -1.0 : 1.0;
  tank_project(&plain, &plain_fluid, kind, tolerance, NULL);
  tank_project(&t, &fluid, kind, tolerance, NULL);
  assert_int_equal(t.pressure->stencil.unknowns, plain.pressure->stencil.unknowns);
  assert_int_equal(t.pressure->null_count, plain.pressure->null_count);
  if (mains || cells == 0.0) assert_int_equal(t.pressure->stencil.pair_count, 0);
  double p = largest_of(plain.p, plain.grid.length), speed = tank_max_speed(&plain), off_p = 0.0, off_u = 0.0;
  for (int b = 0; b < t.wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t.wet, t.wet.at[b]); l++) {
      ptrdiff_t at = vl_blocks_field(&t.grid, t.wet.at[b]) + l;
      int e = mains ? -1 : m.first_extra[b * VL_BLOCK + l];
      off_p = fmax(off_p, fabs((e < 0 ? t.p[at] : m.p[e]) - plain.p[at]));
      for (int a = 0; a < 3; a++)
        if (!(m.faces[b][a] >> l & 1u)) off_u = fmax(off_u, fabs(t.u[a][at] - plain.u[a][at]));
    }
  for (int q = 0; q < m.tail.count; q++) {
    ptrdiff_t at = vl_blocks_field(&t.grid, t.wet.at[m.face[q] / VL_BLOCK]) + m.face[q] % VL_BLOCK;
    off_u = fmax(off_u, fabs(m.u[q] - plain.u[m.link[q].axis][at]));
  }
  if (!(off_p <= 1e-10 * p && off_u <= 1e-10 * speed)) fail_msg("p off by %.1e, u by %.1e", off_p / p, off_u / speed);
  assert_true(largest_outflow(&t, &fluid) <= fmax(2.0 * largest_outflow(&plain, &plain_fluid), 1e-11));
  assert_true(m.tail.count > 300);
  free_tail(&m);
  tank_drain(&plain);
  tank_drain(&t);
}

static void faces_of_the_tail_are_faces(void **state)
{
  (void)state;
  static const vlSolverKind kind[] = {VL_SOLVER_MULTIGRID, VL_SOLVER_CHOLMOD, VL_SOLVER_MIC, VL_SOLVER_IC, VL_SOLVER_JACOBI};
  for (int k = 0; k < 5; k++) compare(kind[k], 1e-13, 0.3, 0.0, false);
}

static void cells_of_the_tail_are_cells(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    for (int mains = 0; mains < 2; mains++) {
      compare(VL_SOLVER_MULTIGRID, 1e-13, k == 1 ? 0.3 : 0.0, k == 2 ? 1.0 : 0.2, mains);
      compare(VL_SOLVER_CHOLMOD, 1e-13, k == 1 ? 0.3 : 0.0, k == 2 ? 1.0 : 0.2, mains);
    }
  }
}

/* Noise for unknowns, with its zero blocks. */
static double *noise_of(const vlStencil *s, uint64_t seed)
{
  double *x = vl_stencil_vector_create(vl_stencil_blocks(s));
  for (size_t i = 0; i < vl_stencil_length(s); i++) x[i] = s->diagonal[i] > 0.0 ? random_between(&seed, -1, 1) : 0.0;
  return x;
}

/* What main nodes are told to lose through the tail before the update is what they lose after it. */
static void check_outflow_after(Tank *t, const vlFluid *fluid, Tail *m, const double *u_star)
{
  const vlLinks *links = &t->pressure->links;
  int seen = 0;
  double *u = m->u, *star = malloc((size_t)m->tail.count * sizeof *star);
  memcpy(star, u_star, (size_t)m->tail.count * sizeof *star);
  for (int b = 0; b < t->wet.count; b++) {
    double outflow[VL_BLOCK] = {0};
    m->tail.u = u;
    vl_tail_outflow(links, b, outflow);
    m->tail.u = star;
    for (unsigned left = links->active[b]; left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      double told = vl_tail_outflow_after(links, fluid, b * VL_BLOCK + l, t->p, t->dt / t->rho);
      assert_true(fabs(told - outflow[l]) <= 1e-15); /* m3/s: the same sums, of at most 0.01 m2 m/s */
      seen += outflow[l] != 0.0;
    }
  }
  assert_true(seen > 100);
  m->tail.u = u;
  free(star);
}

/* Also as rows, and flow that pieces pass on is kept by each of them. */
static void pieces_of_cells(void **state)
{
  (void)state;
  Tank t;
  vlFluid fluid;
  vlStatus status = {0};
  noise_with_pressed_surface(&t, &fluid, 5);
  Tail m = make_tail(&t, &fluid, 0.1, 0.2, 2, 6);
  fluid.tail = &m.tail;
  double *u_star = malloc((size_t)m.tail.count * sizeof *u_star);
  memcpy(u_star, m.u, (size_t)m.tail.count * sizeof *u_star);
  tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-12, NULL);
  check_outflow_after(&t, &fluid, &m, u_star);
  free(u_star);
  const vlStencil *s = &t.pressure->stencil;
  size_t n = vl_stencil_length(s);
  double *x = noise_of(s, 1), *y = noise_of(s, 2), *ax = noise_of(s, 3), *ay = noise_of(s, 4);
  vl_stencil_apply(s, x, ax);
  vl_stencil_apply(s, y, ay);
  double size = sqrt(vl_vector_dot(ax, ax, n) * vl_vector_dot(y, y, n));
  assert_true(fabs(vl_vector_dot(y, ax, n) - vl_vector_dot(x, ay, n)) <= 1e-13 * size); /* round-off of sums */
  assert_true(vl_vector_dot(x, ax, n) > 0.0 && vl_vector_dot(y, ay, n) > 0.0);
  int *row_of = malloc((n + VL_BLOCK) * sizeof *row_of);
  vlCsr *rows;
  assert_int_equal(vl_stencil_to_csr(&rows, s, row_of, &status), VL_OK);
  double *in = calloc((size_t)rows->rows, sizeof *in), *out = calloc((size_t)rows->rows, sizeof *out);
  assert_int_equal(rows->rows, s->unknowns);
  for (size_t i = 0; i < n; i++)
    if (row_of[i] >= 0) in[row_of[i]] = x[i];
  vl_csr_apply(rows, in, out);
  for (size_t i = 0; i < n; i++) assert_true(fabs(ax[i] - (row_of[i] < 0 ? 0.0 : out[row_of[i]])) <= 1e-13 * s->diagonal[i]);
  double b = largest_of(t.pressure->b, n) / t.pressure->coupling.scale / (t.grid.dx * t.grid.dx);
  assert_true(m.tail.extras > 200 && largest_outflow(&t, &fluid) <= 1e-10 * b);
  double *all[] = {x, y, ax, ay};
  for (int v = 0; v < 4; v++) vl_stencil_vector_free(all[v]);
  vl_csr_destroy(&rows);
  free(row_of);
  free(in);
  free(out);
  free_tail(&m);
  tank_drain(&t);
}

/* A flat surface between two layers of cells: p = rho g depth in pieces too, and nothing moves. */
static void pieces_at_rest(void **state)
{
  (void)state;
  Tank t;
  tank_noise(&t, 7, 8, false);
  const double GRAVITY = 9.81, level = 0.63;
  for (int k = 0; k < 7; k++)
    for (int j = 0; j < 9; j++)
      for (int i = 0; i < 37; i++) t.phi[vl_grid_at(&t.grid, i, j, k)] = vl_grid_center(&t.grid, i, j, k).y - level;
  tank_forces(&t, vl_vec(0, -GRAVITY, 0));
  vlFluid fluid = tank_fluid(&t);
  Tail m = make_tail(&t, &fluid, 0.2, 0.2, 2, 9);
  fluid.tail = &m.tail;
  tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-13, NULL);
  double falling = t.dt * GRAVITY, largest = t.rho * GRAVITY * level;
  assert_true(tank_max_speed(&t) <= 1e-9 * falling && largest_of(m.u, (size_t)m.tail.count) <= 1e-9 * falling);
  size_t extra = vl_stencil_tail(&t.pressure->stencil);
  int seen = 0;
  for (int e = 0; e < m.tail.extras; e++) {
    vlBlockPosition p = t.wet.at[m.cell[e] / VL_BLOCK];
    double depth = level - vl_grid_center(&t.grid, p.bx * VL_BLOCK + m.cell[e] % VL_BLOCK, p.j, p.k).y;
    if (t.pressure->region[extra + (size_t)e] != VL_REGION_OPEN) continue;
    seen++;
    assert_true(fabs(m.p[e] - t.rho * GRAVITY * depth) <= 1e-9 * largest);
  }
  assert_true(seen > 200);
  free_tail(&m);
  tank_drain(&t);
}

/* No air: one closed region with its pieces, whose mean pressure is that of the first guess. */
static void closed_box(void **state)
{
  (void)state;
  static const vlSolverKind kind[] = {VL_SOLVER_MULTIGRID, VL_SOLVER_CHOLMOD, VL_SOLVER_MIC};
  for (int k = 0; k < 3; k++) {
    Tank t;
    tank_noise(&t, 7, 11, true);
    tank_random_flow(&t, 12);
    vlFluid fluid = tank_fluid(&t);
    Tail m = make_tail(&t, &fluid, 0.2, 0.2, 2, 13);
    fluid.tail = &m.tail;
    tank_project(&t, &fluid, kind[k], 1e-12, NULL);
    const vlPressure *p = t.pressure;
    double sum = 0.0;
    assert_int_equal(p->null_count, 1);
    assert_int_equal(p->null_start[1], p->stencil.unknowns);
    for (int c = 0; c < p->null_start[1]; c++) sum += p->p[p->null_cell[c]];
    assert_true(fabs(sum) <= 1e-10 * p->null_start[1] * largest_of(p->p, vl_stencil_length(&p->stencil)));
    assert_true(t.result.discarded_flux <= 1e-12 * t.grid.dx * t.grid.dx * p->null_start[1]);
    assert_true(largest_outflow(&t, &fluid) <= 1e-9);
    free_tail(&m);
    tank_drain(&t);
  }
}

/* A cell without open faces, where the level set says air: a node if the tail says that it has one and links it, be it to
 * the surface alone, whose pressure it has then. */
static void a_link_makes_a_node(void **state)
{
  (void)state;
  for (int link = 0; link < 2; link++) {
    Tank t;
    tank_noise(&t, 7, 51, true);
    const int cell[3] = {11, 4, 3};
    ptrdiff_t at = vl_grid_at(&t.grid, cell[0], cell[1], cell[2]);
    t.phi[at] = 0.05;
    for (int a = 0; a < 3; a++) t.area[a][at] = t.area[a][at + t.grid.stride[a]] = 0.0;
    vlFluid fluid = tank_fluid(&t);
    double u = 0.0;
    int node = wet_cell(&t, cell);
    unsigned short *cut = calloc((size_t)t.wet.count, sizeof *cut);
    cut[node / VL_BLOCK] = (unsigned short)(1u << node % VL_BLOCK);
    vlTailLink to = {node, VL_TAIL_SURFACE, -1, 1e-9 * t.grid.dx * t.grid.dx, 0.3 * t.grid.dx, 17.0, false};
    vlLinkTail tail = {.count = link, .link = &to, .cut = cut, .main = cut, .u = &u};
    fluid.tail = &tail;
    tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-12, NULL);
    assert_int_equal(t.pressure->links.active[node / VL_BLOCK] >> node % VL_BLOCK & 1u, link);
    assert_int_equal(t.pressure->links.orphans, 1 - link);
    assert_true(fabs(t.p[at] - (link ? 17.0 : 0.0)) <= 1e-9);
    assert_int_equal(t.pressure->null_count, 1); /* what is left of the box */
    free(cut);
    tank_drain(&t);
  }
}

/* Two closed pools beside a wall, and a hose through it: nothing can flow there, but the pressure is one. */
static void a_link_joins_two_pools(void **state)
{
  (void)state;
  for (int hose = 0; hose < 2; hose++) {
    Tank t;
    tank_noise(&t, 7, 15, true);
    tank_random_flow(&t, 16);
    for (int k = 0; k < 7; k++)
      for (int j = 0; j < 9; j++) t.area[0][vl_grid_at(&t.grid, 20, j, k)] = 0.0;
    vlFluid fluid = tank_fluid(&t);
    double u = 0.5;
    vlTailLink link = {.below = wet_cell(&t, (const int[3]){3, 2, 1}),
                       .above = wet_cell(&t, (const int[3]){30, 5, 4}),
                       .axis = -1,
                       .area = 0.2 * t.grid.dx * t.grid.dx,
                       .distance = 3.0};
    unsigned short(*faces)[3] = calloc((size_t)t.wet.count, sizeof *faces);
    vlLinkTail tail = {.count = 1, .link = &link, .faces = (const unsigned short(*)[3])faces, .u = &u};
    if (hose) fluid.tail = &tail;
    tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-12, NULL);
    assert_int_equal(t.pressure->null_count, hose ? 1 : 2);
    assert_true(largest_outflow(&t, &fluid) <= 1e-9);
    if (hose) assert_true(fabs(u) <= 1e-8);
    free(faces);
    tank_drain(&t);
  }
}

/* Cells beside the tail part and join again: step by step as at once, and back to what was. */
static void parting_beside_the_tail(void **state)
{
  (void)state;
  Tank t;
  vlFluid fluid;
  vlStatus status = {0};
  uint64_t seed = 21;
  noise_with_pressed_surface(&t, &fluid, 18);
  Tail m = make_tail(&t, &fluid, 0.3, 0.2, 2, 19);
  fluid.tail = &m.tail;
  vlPressure *p = t.pressure;
  assert_int_equal(vl_pressure_assemble(p, &fluid, &status), VL_OK);
  size_t n = vl_stencil_length(&p->stencil), pairs = (size_t)p->stencil.pair_count;
  double *before = malloc(n * sizeof *before), *parting = malloc(n * sizeof *parting);
  memcpy(before, p->stencil.diagonal, n * sizeof *before);
  unsigned short *parted = calloc((size_t)t.wet.count, sizeof *parted), *none = calloc((size_t)t.wet.count, sizeof *none);
  int away = 0;
  for (int step = 0; step < 4; step++) { /* twice the same, then nothing, then all of it at once */
    for (int b = 0; b < t.wet.count && step < 2; b++)
      if (b % 2 == step) parted[b] = p->links.active[b] & (unsigned short)random_between(&seed, 0, 65535);
    fluid.parted = step == 2 ? none : parted;
    assert_int_equal(vl_pressure_part(p, &fluid, &status), VL_OK);
    if (step == 1) memcpy(parting, p->stencil.diagonal, n * sizeof *parting);
    if (step == 2) assert_memory_equal(before, p->stencil.diagonal, n * sizeof *before);
    if (step == 2) assert_int_equal(p->stencil.pair_count, pairs);
    if (step == 3) assert_memory_equal(parting, p->stencil.diagonal, n * sizeof *parting);
  }
  for (int b = 0; b < t.wet.count; b++) away += __builtin_popcount(parted[b]);
  assert_true(away > 200 && p->stencil.pair_count < (int)pairs);
  for (size_t i = 0; i < n; i++) /* parting moves weights between the two sums of a diagonal, no more */
    assert_true(parting[i] == 0.0 || fabs(parting[i] - before[i]) <= 1e-14 * before[i]);
  free(before);
  free(parting);
  free(parted);
  free(none);
  free_tail(&m);
  tank_drain(&t);
}

/* The same of whole cells where walls do not pull; extra nodes may. */
static void bounds_beside_the_tail(void **state)
{
  (void)state;
  Tank t[2];
  vlFluid fluid[2];
  Tail m = {0};
  vlStatus status = {0};
  for (int with = 0; with < 2; with++) {
    noise_with_pressed_surface(&t[with], &fluid[with], 31);
    if (with) {
      m = make_tail(&t[1], &fluid[1], 0.2, 0.2, 1, 32);
      fluid[1].tail = &m.tail;
    } else {
      m = make_tail(&t[0], &fluid[0], 0.2, 0.2, 1, 32); /* for its cells */
    }
    unsigned short *wall = calloc((size_t)t[with].wet.count, sizeof *wall);
    assert_int_equal(vl_pressure_assemble(t[with].pressure, &fluid[with], &status), VL_OK);
    for (int b = 0; b < t[with].wet.count; b++)
      for (int l = 0; l < VL_BLOCK; l++) {
        vlBlockPosition p = t[with].wet.at[b];
        int at = vl_blocks_find(&t[with].pressure->stencil.blocks, p.bx, p.j, p.k) * VL_BLOCK + l;
        bool open = at >= 0 && t[with].pressure->region[at] == VL_REGION_OPEN;
        if (open && l % 3 == 0 && m.first_extra[b * VL_BLOCK + l] < 0) wall[b] |= (unsigned short)(1u << l);
      }
    vl_pressure_rhs(t[with].pressure, &fluid[with], t[with].u_star, NULL, t[with].dt, t[with].rho);
    assert_int_equal(vl_pressure_bound(t[with].pressure, &fluid[with], wall, &status), VL_OK);
    vlSolveOptions options = {.tolerance = 1e-11, .max_iterations = 3000};
    assert_int_equal(vl_pressure_solve(t[with].pressure, VL_SOLVER_MULTIGRID, options, &t[with].result, &status), VL_OK);
    assert_int_equal(t[with].result.info.reason, VL_SOLVE_CONVERGED);
    vl_pressure_store(t[with].pressure, &fluid[with], t[with].p);
    free(wall);
    if (!with) free_tail(&m);
  }
  double largest = largest_of(t[0].p, t[0].grid.length), least = 0.0;
  for (int b = 0; b < t[0].wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t[0].wet, t[0].wet.at[b]); l++) {
      ptrdiff_t at = vl_blocks_field(&t[0].grid, t[0].wet.at[b]) + l;
      int e = m.first_extra[b * VL_BLOCK + l];
      assert_true(fabs((e < 0 ? t[1].p[at] : m.p[e]) - t[0].p[at]) <= 1e-7 * largest);
      if (e >= 0) least = fmin(least, m.p[e]);
    }
  assert_true(least < 0.0);
  free_tail(&m);
  tank_drain(&t[0]);
  tank_drain(&t[1]);
}

/* Of liquid that is to gain volume, of which main nodes alone do: the velocity of places along the tail, beside u and p,
 * which stay, and what presses on the surface, which is not felt again. */
static void grow(Tank *t, const vlFluid *fluid, const double *excess)
{
  vlStatus status = {0};
  assert_int_equal(vl_pressure_assemble(t->pressure, fluid, &status), VL_OK);
  vl_pressure_rhs(t->pressure, fluid, t->u_star, NULL, t->dt, t->rho);
  vlGrowth growth = {.excess = excess, .shares = vl_density_shares(1.0), .dt = t->dt, .q = t->p};
  assert_int_equal(vl_pressure_grow(t->pressure, fluid, growth, t->u_star, NULL, t->u, &status), VL_OK);
}

static void cells_of_the_tail_gain_as_cells(void **state)
{
  (void)state;
  Tank plain, t;
  vlFluid plain_fluid, fluid;
  uint64_t seed = 41;
  noise_with_pressed_surface(&plain, &plain_fluid, 42);
  noise_with_pressed_surface(&t, &fluid, 42);
  Tail m = make_tail_of(&t, &fluid, 0.3, 0.2, 1, true, 43);
  fluid.tail = &m.tail;
  double *excess = vl_field_create(&t.grid), speed = 0.0, off = 0.0;
  for (size_t i = 0; i < t.grid.length; i++) excess[i] = random_between(&seed, -0.1, 0.3);
  grow(&plain, &plain_fluid, excess);
  grow(&t, &fluid, excess);
  for (int q = 0; q < m.tail.count; q++) {
    ptrdiff_t at = vl_blocks_field(&t.grid, t.wet.at[m.face[q] / VL_BLOCK]) + m.face[q] % VL_BLOCK;
    assert_true(m.u[q] == t.u_star[m.link[q].axis][at]);
    speed = fmax(speed, fabs(plain.u[m.link[q].axis][at] - m.u[q]));
    off = fmax(off, fabs(plain.u[m.link[q].axis][at] - m.path[q]));
  }
  assert_true(speed > 0.0 && off <= 1e-10 * speed);
  vl_field_destroy(&t.grid, &excess);
  free_tail(&m);
  tank_drain(&plain);
  tank_drain(&t);
}

static void pieces_gain_nothing_but_the_first(void **state)
{
  (void)state;
  for (int full = 0; full < 2; full++) {
    Tank t;
    uint64_t seed = 44;
    tank_noise(&t, 7, 45, full);
    tank_random_flow(&t, 46);
    vlFluid fluid = tank_fluid(&t);
    Tail m = make_tail_of(&t, &fluid, 0.1, 0.2, 2, true, 47);
    fluid.tail = &m.tail;
    double *excess = vl_field_create(&t.grid), *w[3], wanted = 0.0, off = 0.0, mean = 0.0, cells = 0.0;
    for (size_t i = 0; i < t.grid.length; i++) excess[i] = random_between(&seed, -0.1, 0.3);
    for (int e = 0; e < m.tail.extras; e++) m.p[e] = 7.0;
    grow(&t, &fluid, excess);
    for (int e = 0; e < m.tail.extras; e++) assert_true(m.p[e] == 7.0);
    const vlPressure *p = t.pressure;
    for (int a = 0; a < 3; a++) {
      w[a] = vl_field_create(&t.grid);
      for (size_t i = 0; i < t.grid.length; i++) w[a][i] = t.u[a][i] - t.u_star[a][i];
    }
    for (int q = 0; q < m.tail.count; q++) m.path[q] -= m.u[q];
    m.tail.u = m.path;
    vlDensityShares shares = vl_density_shares(1.0);
    for (int pass = full ? 0 : 1; pass < 2; pass++)
      for (int b = 0; b < t.wet.count; b++) {
        double outflow[VL_BLOCK] = {0};
        vl_links_outflow(&p->links, &fluid, b, w, outflow);
        for (unsigned left = p->links.active[b]; left; left &= left - 1u) {
          int l = __builtin_ctz(left), at = vl_tail_place(p, &fluid, b * VL_BLOCK + l);
          if (p->region[at] != VL_REGION_OPEN && !full) continue;
          double gain =
              vl_density_gain(excess[vl_blocks_field(&t.grid, t.wet.at[b]) + l], shares) * pow(t.grid.dx, 3) / t.dt;
          if (pass == 0) {
            mean += gain;
            cells += 1.0;
          } else {
            double ask = full ? gain - mean / cells : gain;
            wanted += ask * ask;
            off += (outflow[l] - ask) * (outflow[l] - ask);
          }
        }
      }
    for (int e = 0; e < m.tail.extras; e++) {
      double outflow = 0.0;
      vl_tail_outflow(&p->links, p->links.ends.blocks + e, &outflow);
      off += outflow * outflow;
    }
    assert_true(wanted > 0.0 && off <= 1.1e-4 * wanted); /* the solve's tolerance is 1e-2 */
    m.tail.u = m.u;
    for (int a = 0; a < 3; a++) vl_field_destroy(&t.grid, &w[a]);
    vl_field_destroy(&t.grid, &excess);
    free_tail(&m);
    tank_drain(&t);
  }
}

static void same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  int threads = omp_get_max_threads();
  Tank first = {0};
  Tail tail = {0};
  for (int n = 1; n <= 4; n *= 2) {
    omp_set_num_threads(n);
    Tank t;
    vlFluid fluid;
    noise_with_pressed_surface(&t, &fluid, 23);
    Tail m = make_tail(&t, &fluid, 0.2, 0.3, 2, 24);
    fluid.tail = &m.tail;
    tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-8, NULL);
    if (n == 1) {
      first = t;
      tail = m;
      continue;
    }
    assert_memory_equal(first.p, t.p, t.grid.length * sizeof(double));
    for (int a = 0; a < 3; a++) assert_memory_equal(first.u[a], t.u[a], t.grid.length * sizeof(double));
    assert_memory_equal(tail.p, m.p, (size_t)m.tail.extras * sizeof(double));
    assert_memory_equal(tail.u, m.u, (size_t)m.tail.count * sizeof(double));
    free_tail(&m);
    tank_drain(&t);
  }
  free_tail(&tail);
  tank_drain(&first);
  omp_set_num_threads(threads);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faces_of_the_tail_are_faces),
      cmocka_unit_test(cells_of_the_tail_are_cells),
      cmocka_unit_test(pieces_of_cells),
      cmocka_unit_test(pieces_at_rest),
      cmocka_unit_test(closed_box),
      cmocka_unit_test(a_link_makes_a_node),
      cmocka_unit_test(a_link_joins_two_pools),
      cmocka_unit_test(parting_beside_the_tail),
      cmocka_unit_test(bounds_beside_the_tail),
      cmocka_unit_test(cells_of_the_tail_gain_as_cells),
      cmocka_unit_test(pieces_gain_nothing_but_the_first),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
