/* Velocities to the grid and back: what is reproduced exactly, what is conserved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carry_parts.h"
#include "pond.h"

static const vlFlight GROUND = {.phi = NULL}; /* nothing flies */

static const Linear FIELD = {{{0.3, -0.7, 0.2, 1.0}, {-0.4, 0.1, 0.6, -2.0}, {0.5, 0.25, -0.35, 0.7}}};

static void give_linear(Pond *pond, const Linear *field)
{
  vlParticles *p = pond->particles;
  for (size_t i = 0; i < p->count; i++) {
    const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
    for (int a = 0; a < 3; a++) {
      if (pond->grid.n[a] == 1) continue;
      p->v[a][i] = (float)linear_at(field, a, x);
      for (int b = 0; b < 3 && p->affine; b++)
        p->c[a][b][i] = pond->grid.n[b] == 1 ? 0.0f : (float)(field->c[a][b] / pond->grid.dx);
    }
  }
}

/* A pond full of random particles, off the sides where they would be stopped. */
static void fill(Pond *pond, int nz, bool affine)
{
  pond_create(pond, 21, 8, nz, 0.1, affine);
  const double lo[3] = {0.03, 0.03, 0.03}, hi[3] = {20.97, 7.97, nz - 0.03};
  pond_scatter(pond, 21 * 8 * nz * 8, lo, hi, 9);
  pond_sort(pond);
}

static void to_grid(Pond *pond)
{
  vl_transfer_to_grid(pond->particles, &pond->grid, &pond->wet, pond->u, pond->weight, &pond->known);
}

/* Largest error of u against the field over the known faces that are not walls; touched: how many there are. */
static double face_error(const Pond *pond, const Linear *field, int *touched)
{
  const vlGrid *g = &pond->grid;
  double error = 0.0;
  *touched = 0;
  for (int a = 0; a < 3; a++)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          const int cell[3] = {i, j, k};
          double x[3], u = pond->u[a][vl_grid_at(g, i, j, k)];
          if (g->n[a] == 1) continue;
          if (cell[a] == 0) assert_true(u == 0.0 && face_known(pond, a, i, j, k));
          if (!face_known(pond, a, i, j, k)) assert_true(u == 0.0);
          if (cell[a] == 0 || !face_known(pond, a, i, j, k)) continue;
          face_middle(g, a, i, j, k, x);
          error = fmax(error, fabs(u - linear_at(field, a, x)));
          (*touched)++;
        }
  return error;
}

/* Every face's mean from the formula: all particles, trilinear weights. Doubles added in another order. */
static void test_plain(void **state)
{
  (void)state;
  for (int mode = 0; mode < 4; mode++) {
    Pond pond;
    fill(&pond, mode & 1 ? 1 : 4, mode & 2);
    const vlGrid *g = &pond.grid;
    const vlParticles *p = pond.particles;
    uint64_t seed = 3;
    for (size_t i = 0; i < p->count && p->affine; i++)
      for (int a = 0; a < 9; a++) p->c[a / 3][a % 3][i] = (float)(2.0 * pond_random(&seed) - 1.0);
    to_grid(&pond);
    for (int f = 0; f < 3 * g->n[0] * g->n[1] * g->n[2]; f += 7) {
      int a = f % 3, i = f / 3 % g->n[0], j = f / 3 / g->n[0] % g->n[1], k = f / 3 / g->n[0] / g->n[1];
      const int cell[3] = {i, j, k};
      double x[3], sum = 0.0, weight = 0.0;
      if (g->n[a] == 1 || cell[a] == 0) continue;
      face_middle(g, a, i, j, k, x);
      for (size_t q = 0; q < p->count; q++) {
        double w = 1.0, v = (double)p->v[a][q];
        for (int b = 0; b < 3; b++) {
          double d = g->n[b] == 1 ? 0.0 : x[b] - (double)p->x[b][q];
          w *= fmax(0.0, 1.0 - fabs(d));
          if (p->affine) v += (double)p->c[a][b][q] * d * g->dx;
        }
        sum += w * v;
        weight += w;
      }
      double u = pond.u[a][vl_grid_at(g, i, j, k)];
      assert_true(weight > 1e-9 ? fabs(u - sum / weight) <= 1e-12 : u == 0.0);
    }
    pond_destroy(&pond);
  }
}

/* A quarter of the grid holds particles; only faces within a cell of them are known. */
static void test_constant(void **state)
{
  (void)state;
  const Linear constant = {{{0, 0, 0, 1.5}, {0, 0, 0, -0.75}, {0, 0, 0, 0.1f}}};
  for (int nz = 1; nz <= 6; nz += 5)
    for (int affine = 0; affine < 2; affine++) {
      Pond pond;
      int touched;
      pond_create(&pond, 37, 8, nz, 0.1, affine);
      const double lo[3] = {10, 2, 0}, hi[3] = {19, 5, nz};
      pond_scatter(&pond, 2000, lo, hi, 9);
      pond_sort(&pond);
      give_linear(&pond, &constant);
      to_grid(&pond);
      /* a mean of equal values: rounding of the division only */
      assert_true(face_error(&pond, &constant, &touched) < 1e-14);
      /* u: 10 faces + none beyond along x, two more across y; and so on */
      int z = nz == 1 ? 1 : nz, u = 10 * 5 * z, v = 11 * 4 * z, w = nz == 1 ? 0 : 11 * 5 * (nz - 1);
      assert_int_equal(touched, u + v + w);
      pond_destroy(&pond);
    }
}

/* Affine particles carry a linear field to the grid without loss, and back. Single precision of values up to 15. */
static void test_affine_round_trip(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 6; nz += 5) {
    Pond pond;
    int touched;
    fill(&pond, nz, true);
    vlParticles *p = pond.particles;
    give_linear(&pond, &FIELD);
    to_grid(&pond);
    assert_true(face_error(&pond, &FIELD, &touched) < 4e-6);
    assert_true(touched > 21 * 8 * nz);
    /* back: through the exact field, so that the sides do not matter */
    linear_fill(&FIELD, &pond.grid, pond.u);
    give_velocities(p, &pond.grid, pond.u, pond.u_old, 0.0, &GROUND);
    for (size_t i = 0; i < p->count; i++) {
      const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
      bool inside = true;
      for (int a = 0; a < 3; a++) inside = inside && (pond.grid.n[a] == 1 || (x[a] > 0.5 && x[a] < pond.grid.n[a] - 0.5));
      for (int a = 0; a < 3 && inside; a++) {
        if (pond.grid.n[a] == 1) continue;
        assert_true(fabs((double)p->v[a][i] - linear_at(&FIELD, a, x)) < 2e-6);
        for (int b = 0; b < 3; b++) {
          double c = pond.grid.n[b] == 1 ? 0.0 : FIELD.c[a][b] / pond.grid.dx;
          assert_true(fabs((double)p->c[a][b][i] - c) < 2e-6);
        }
      }
    }
    pond_destroy(&pond);
  }
}

/* PIC takes the grid's value; FLIP 1 with nothing changed takes nothing; a share of both in between. */
static void test_pic_and_flip(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 6; nz += 5) {
    Pond pond;
    fill(&pond, nz, false);
    vlParticles *p = pond.particles;
    linear_fill(&FIELD, &pond.grid, pond.u);
    float kept[64][3];
    for (int i = 0; i < 64; i++)
      for (int a = 0; a < 3; a++) kept[i][a] = p->v[a][i];
    give_velocities(p, &pond.grid, pond.u, pond.u_old, 1.0, &GROUND);
    for (int i = 0; i < 64; i++)
      for (int a = 0; a < 3; a++) assert_true(fabsf(kept[i][a] - p->v[a][i]) <= 1e-6f);
    give_velocities(p, &pond.grid, pond.u, pond.u_old, 0.75, &GROUND);
    float mixed[64][3];
    for (int i = 0; i < 64; i++)
      for (int a = 0; a < 3; a++) mixed[i][a] = p->v[a][i];
    give_velocities(p, &pond.grid, pond.u, pond.u_old, 0.0, &GROUND);
    for (size_t i = 0; i < p->count; i++) {
      const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
      bool inside = true;
      for (int a = 0; a < 3; a++) inside = inside && (pond.grid.n[a] == 1 || (x[a] > 0.5 && x[a] < pond.grid.n[a] - 0.5));
      for (int a = 0; a < 3 && inside; a++)
        if (pond.grid.n[a] > 1) assert_true(fabs((double)p->v[a][i] - linear_at(&FIELD, a, x)) < 2e-6);
      for (int a = 0; a < 3 && i < 64; a++)
        assert_true(fabsf(mixed[i][a] - (0.75f * kept[i][a] + 0.25f * p->v[a][i])) < 4e-6f);
    }
    pond_destroy(&pond);
  }
}

/* Away from the sides the weights of a particle add up to one, so sum w u over faces is the momentum of the particles.
 * Weights are counted here with particles of velocity one: the mean times the weight must give back the sum. */
static void test_momentum(void **state)
{
  (void)state;
  for (int affine = 0; affine < 2; affine++) {
    Pond pond;
    pond_create(&pond, 37, 9, 8, 0.1, affine);
    const double lo[3] = {3, 2, 2}, hi[3] = {33, 7, 6};
    pond_scatter(&pond, 5000, lo, hi, 9);
    pond_sort(&pond);
    const vlGrid *g = &pond.grid;
    vlParticles *p = pond.particles;
    uint64_t seed = 4;
    for (size_t i = 0; i < p->count; i++)
      for (int a = 0; a < 9 && affine; a++) p->c[a / 3][a % 3][i] = (float)(10.0 * pond_random(&seed) - 5.0);
    to_grid(&pond);
    for (int a = 0; a < 3; a++) {
      double *weight = vl_field_create(g), sum = 0.0, momentum = 0.0;
      for (size_t i = 0; i < p->count; i++) {
        momentum += (double)p->v[a][i];
        double q[3], base[3];
        for (int b = 0; b < 3; b++) {
          q[b] = (double)p->x[b][i] - (b == a ? 0.0 : 0.5);
          base[b] = floor(q[b]);
        }
        for (int c = 0; c < 8; c++) {
          const int step[3] = {c & 1, c >> 1 & 1, c >> 2};
          double w = 1.0;
          for (int b = 0; b < 3; b++) w *= step[b] ? q[b] - base[b] : 1.0 - (q[b] - base[b]);
          weight[vl_grid_at(g, (int)base[0] + step[0], (int)base[1] + step[1], (int)base[2] + step[2])] += w;
        }
      }
      for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++)
          for (int i = 0; i < g->n[0]; i++) sum += weight[vl_grid_at(g, i, j, k)] * pond.u[a][vl_grid_at(g, i, j, k)];
      /* the affine part adds sum w c (x_f - x_p) = 0 */
      assert_true(fabs(sum - momentum) < 1e-9 * (double)p->count);
      vl_field_destroy(g, &weight);
    }
    pond_destroy(&pond);
  }
}

static void test_same_bits_for_threads(void **state)
{
  (void)state;
  Pond pond[3];
  int before = omp_get_max_threads();
  for (int t = 0; t < 3; t++) {
    omp_set_num_threads(1 << t);
    fill(&pond[t], 6, true);
    give_linear(&pond[t], &FIELD);
    to_grid(&pond[t]);
    for (int a = 0; a < 3; a++) {
      assert_memory_equal(pond[t].u[a], pond[0].u[a], pond[0].grid.length * sizeof(double));
      assert_memory_equal(pond[t].known.bits[a], pond[0].known.bits[a], (size_t)pond[0].wet.count * sizeof(unsigned short));
    }
    give_velocities(pond[t].particles, &pond[t].grid, pond[t].u, pond[t].u_old, 0.0, &GROUND);
    for (int a = 0; a < 3; a++)
      assert_memory_equal(pond[t].particles->v[a], pond[0].particles->v[a], pond[0].particles->count * sizeof(float));
  }
  omp_set_num_threads(before);
  for (int t = 0; t < 3; t++) pond_destroy(&pond[t]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain),        cmocka_unit_test(test_constant), cmocka_unit_test(test_affine_round_trip),
      cmocka_unit_test(test_pic_and_flip), cmocka_unit_test(test_momentum), cmocka_unit_test(test_same_bits_for_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
