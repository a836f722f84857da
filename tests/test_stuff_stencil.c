/* Stencils of isosurface stuffing: volumes, and the search for the worst dihedral angles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/vec.h"
#include "mesh/stuff_parts.h"
#include "mesh/tetmesh.h"
#include "mesh_shapes.h"

/* A stencil with random moves and cut points. */
typedef struct Case {
  vlStuffStencil stencil;
  vlVec3 x[8];     /* corners, then cut points */
  int along[4][3]; /* corners on the surface: the edge along which they were moved, in places; zero: not moved */
} Case;

static int pick(uint64_t *seed, int n) { return (int)random_between(seed, 0.0, n); }

/* Ends of ranges are the worst more often than not. */
static double share(uint64_t *seed)
{
  int kind = pick(seed, 4);
  return kind == 0 ? 0.0 : kind < 3 ? 1.0 : random_between(seed, 0.0, 1.0);
}

static bool is_long(const int *a, const int *b) { return (a[0] != b[0]) + (a[1] != b[1]) + (a[2] != b[2]) == 1; }

static void move_corner(Case *c, int i, uint64_t *seed)
{
  bool along_axis = pick(seed, 14) < 6;
  int axis = pick(seed, 3);
  double alpha = along_axis ? VL_STUFF_ALPHA_LONG : VL_STUFF_ALPHA_SHORT, t = alpha * share(seed);
  for (int a = 0; a < 3; a++) {
    int sign = pick(seed, 2) ? 1 : -1;
    c->along[i][a] = along_axis ? (a == axis ? 2 * sign : 0) : sign;
    c->x[i].v[a] += t * c->along[i][a];
  }
}

/* Two ends of an edge never both move along it: the first move forgets its cut point. */
static bool is_possible(const Case *c)
{
  const vlStuffStencil *s = &c->stencil;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) {
      bool both = s->sign[i] == 0 && s->sign[j] == 0;
      for (int a = 0; a < 3; a++) {
        int edge = s->place[j][a] - s->place[i][a];
        both = both && c->along[i][a] == edge && c->along[j][a] == -edge;
      }
      if (both) return false;
    }
  return true;
}

/* One of the 12 tetrahedra of the lattice up to translation and of its mirror images, with any signs. */
static void make_case(Case *c, uint64_t *seed)
{
  static const int place[4][3] = {{0, 0, 0}, {2, 0, 0}, {1, 1, -1}, {1, 1, 1}};
  vlStuffStencil *s = &c->stencil;
  int turn = pick(seed, 3), flips = pick(seed, 8), nodes = 4;
  bool mirrored = (flips & 1) ^ (flips >> 1 & 1) ^ (flips >> 2);
  memset(c, 0, sizeof *c);
  for (int i = 0; i < 4; i++) {
    int from = mirrored && i < 2 ? 1 - i : i;
    s->sign[i] = pick(seed, 3) - 1;
    s->corner[i] = i;
    for (int a = 0; a < 3; a++) {
      s->place[i][(a + turn) % 3] = (flips >> a & 1 ? -1 : 1) * place[from][a] + 4;
    }
    for (int a = 0; a < 3; a++) c->x[i].v[a] = s->place[i][a];
    if (s->sign[i] == 0) move_corner(c, i, seed);
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) {
      if (s->sign[i] * s->sign[j] >= 0) continue;
      double alpha = is_long(s->place[i], s->place[j]) ? VL_STUFF_ALPHA_LONG : VL_STUFF_ALPHA_SHORT;
      double t = alpha + (1.0 - 2.0 * alpha) * share(seed);
      c->x[nodes] = vl_add(vl_scale(c->x[i], 1.0 - t), vl_scale(c->x[j], t));
      s->cut[i][j] = s->cut[j][i] = nodes++;
    }
  s->x = c->x;
}

static double volume_of(const vlVec3 x[4])
{
  return vl_dot(vl_sub(x[3], x[0]), vl_cross(vl_sub(x[1], x[0]), vl_sub(x[2], x[0]))) / 6.0;
}

/* The bounds of [labelle2007], 10.7 and 164.8 degrees, hold for our numbers as far as a search can tell. */
static void test_angles(void **state)
{
  (void)state;
  uint64_t seed = 7;
  double least = 180.0, most = 0.0;
  for (int n = 0; n < 400000; n++) {
    Case c;
    int tets[3][4];
    make_case(&c, &seed);
    if (!is_possible(&c)) continue;
    int count = vl_stuff_stencil_fill(&c.stencil, tets);
    for (int t = 0; t < count; t++) {
      vlVec3 x[4];
      double angle[6];
      for (int i = 0; i < 4; i++) x[i] = c.x[tets[t][i]];
      assert_true(volume_of(x) > 0.0);
      vl_tet_dihedrals(x, angle);
      for (int e = 0; e < 6; e++) {
        least = fmin(least, angle[e]);
        most = fmax(most, angle[e]);
      }
    }
  }
  assert_true(least > 10.7 && most < 164.8);
  assert_true(least < 11.5 && most > 160.0); /* the search did come near to the worst */
}

/* Without moves, the tetrahedra inside and those of the same cuts with all signs turned over make up the whole. */
static void test_volumes(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int n = 0; n < 20000; n++) {
    Case c;
    make_case(&c, &seed);
    bool mixed = false;
    for (int i = 0; i < 4; i++) {
      for (int a = 0; a < 3; a++) c.x[i].v[a] = c.stencil.place[i][a];
      for (int j = 0; j < i; j++) mixed = mixed || c.stencil.sign[i] * c.stencil.sign[j] < 0;
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < i; j++)
        if (c.stencil.sign[i] * c.stencil.sign[j] < 0) c.x[c.stencil.cut[i][j]] = vl_scale(vl_add(c.x[i], c.x[j]), 0.5);
    if (!mixed) continue;
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
      int tets[3][4], count = vl_stuff_stencil_fill(&c.stencil, tets);
      for (int t = 0; t < count; t++) {
        vlVec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = c.x[tets[t][i]];
        sum += volume_of(x);
      }
      for (int i = 0; i < 4; i++) c.stencil.sign[i] = -c.stencil.sign[i];
    }
    assert_true(fabs(sum - volume_of(c.x)) <= 1e-14);
  }
}

static void test_empty(void **state)
{
  (void)state;
  Case c;
  uint64_t seed = 3;
  int tets[3][4];
  make_case(&c, &seed);
  for (int i = 0; i < 4; i++) c.stencil.sign[i] = i == 0 ? 0 : -1;
  assert_int_equal(vl_stuff_stencil_fill(&c.stencil, tets), 0);
  for (int i = 0; i < 4; i++) c.stencil.sign[i] = i == 2;
  assert_int_equal(vl_stuff_stencil_fill(&c.stencil, tets), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_angles),
      cmocka_unit_test(test_volumes),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
