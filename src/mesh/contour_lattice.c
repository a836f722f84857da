/* Signs of a region on a lattice, at a cost that follows its surface.
 *
 * The distance is 1-Lipschitz: groups of 8^3 blocks, blocks of 8^3 nodes and then octants of a block whose middle is farther
 * from the surface than their half diagonal have one sign. Each node belongs to one block and has one sign, so what is
 * built from the signs is consistent even for a region that breaks the rule.
 *
 * The region is cut by the box; the lattice reaches past it on all sides. Its nodes lie 0.37, 0.41 and 0.43 of a cube off
 * whole steps from the box's lower corner, so that they miss the planes on which people put things. */
#include "mesh/contour_lattice.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"

enum { SIDE = VL_LATTICE_SIDE, NODES = VL_LATTICE_NODES, WINDOW = VL_LATTICE_WINDOW };
enum { INSIDE = VL_LATTICE_INSIDE, OUTSIDE = VL_LATTICE_OUTSIDE };

static void block_corner(const vlLattice *l, size_t block, int corner[3])
{
  corner[0] = SIDE * (int)(block % l->blocks[0]);
  corner[1] = SIDE * (int)(block / l->blocks[0] % l->blocks[1]);
  corner[2] = SIDE * (int)(block / (l->blocks[0] * l->blocks[1]));
}

/* +1 or -1 when all of the n^3 nodes from `corner` on lie outside or inside, 0 when that is not certain. The margin is for
 * distances that are 1-Lipschitz only nearly. */
static int uniform_sign(const vlLattice *l, const int corner[3], int n)
{
  const vlClipped *c = &l->clipped;
  double half = 0.5 * (n - 1), reach = 1.1 * half * sqrt(3.0) * c->h;
  vlVec3 middle;
  for (int a = 0; a < 3; a++) middle.v[a] = c->origin.v[a] + (corner[a] + half) * c->h;
  double d = vl_clipped_distance(c, middle);
  if (n == 1) return d < 0.0 ? -1 : 1;
  return d < -reach ? -1 : d > reach ? 1 : 0;
}

static vlCode lay_out(vlLattice *l, vlStatus *status)
{
  static const double shift[3] = {0.37, 0.41, 0.43};
  vlClipped *c = &l->clipped;
  double count = 1.0;
  for (int a = 0; a < 3; a++) {
    c->origin.v[a] = c->box.lo.v[a] - (1.0 + shift[a]) * c->h;
    double nodes = ceil((c->box.hi.v[a] - c->box.lo.v[a]) / c->h + 1.0 + shift[a]) + 2.0;
    double blocks = ceil(nodes / SIDE);
    count *= blocks;
    if (!(count <= INT_MAX && nodes < INT_MAX - SIDE))
      return vl_fail(status, VL_ERROR_SCENE, "contouring: the box holds too many cubes of side %g m", c->h);
    l->blocks[a] = (size_t)blocks;
  }
  l->block_count = (size_t)count;
  l->signs_of = malloc(l->block_count * sizeof *l->signs_of);
  return l->signs_of ? VL_OK : vl_fail_memory(status, l->block_count * sizeof *l->signs_of, "the contouring lattice");
}

/* Sets signs_of to INSIDE, OUTSIDE or 0 (to be sampled) for a group of 8^3 blocks. */
static void classify_group(vlLattice *l, const size_t group[3])
{
  int corner[3];
  for (int a = 0; a < 3; a++) corner[a] = (int)group[a] * SIDE * SIDE;
  int sign = uniform_sign(l, corner, SIDE * SIDE);
  for (int i = 0; i < NODES; i++) {
    size_t b[3] = {group[0] * SIDE + (size_t)(i % SIDE), group[1] * SIDE + (size_t)(i / SIDE % SIDE),
                   group[2] * SIDE + (size_t)(i / (SIDE * SIDE))};
    if (b[0] >= l->blocks[0] || b[1] >= l->blocks[1] || b[2] >= l->blocks[2]) continue;
    size_t block = b[0] + l->blocks[0] * (b[1] + l->blocks[1] * b[2]);
    block_corner(l, block, corner);
    int own = sign ? sign : uniform_sign(l, corner, SIDE);
    l->signs_of[block] = own < 0 ? INSIDE : own > 0 ? OUTSIDE : 0;
  }
}

/* Signs of n^3 nodes of a block from local node `at` on, halving n where the sign may change. */
static void sample(const vlLattice *l, unsigned char signs[NODES], const int corner[3], const int at[3], int n)
{
  int global[3] = {corner[0] + at[0], corner[1] + at[1], corner[2] + at[2]}, sign = uniform_sign(l, global, n);
  if (sign == 0 && n > 1) {
    int m = n / 2;
    for (int i = 0; i < 8; i++)
      sample(l, signs, corner, (int[3]){at[0] + (i & 1) * m, at[1] + (i >> 1 & 1) * m, at[2] + (i >> 2) * m}, m);
    return;
  }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) memset(&signs[at[0] + SIDE * (at[1] + j + SIDE * (at[2] + k))], sign < 0, (size_t)n);
}

static vlCode sample_signs(vlLattice *l, vlStatus *status)
{
  size_t groups[3];
  for (int a = 0; a < 3; a++) groups[a] = (l->blocks[a] + SIDE - 1) / SIDE;
  long group_count = (long)(groups[0] * groups[1] * groups[2]);
#pragma omp parallel for schedule(dynamic, 1)
  for (long g = 0; g < group_count; g++) {
    size_t i = (size_t)g;
    classify_group(l, (size_t[3]){i % groups[0], i / groups[0] % groups[1], i / (groups[0] * groups[1])});
  }
  for (size_t b = 0; b < l->block_count; b++)
    if (l->signs_of[b] == 0) l->signs_of[b] = l->sampled_count++;
  size_t bytes = (size_t)l->sampled_count * sizeof *l->signs;
  l->signs = malloc(bytes + 1);
  if (!l->signs) return vl_fail_memory(status, bytes, "the contouring lattice");
#pragma omp parallel for schedule(dynamic, 16)
  for (long b = 0; b < (long)l->block_count; b++) {
    if (l->signs_of[b] < 0) continue;
    int corner[3];
    block_corner(l, (size_t)b, corner);
    sample(l, l->signs[l->signs_of[b]], corner, (int[3]){0, 0, 0}, SIDE);
  }
  return VL_OK;
}

vlCode vl_lattice_create(vlLattice *lattice, vlClipped clipped, vlStatus *status)
{
  *lattice = (vlLattice){.clipped = clipped};
  vlCode code = lay_out(lattice, status);
  return code ? code : sample_signs(lattice, status);
}

void vl_lattice_clear(vlLattice *lattice)
{
  free(lattice->signs_of);
  free(lattice->signs);
  *lattice = (vlLattice){0};
}

bool vl_block_view(vlBlockView *view, const vlLattice *l, size_t block)
{
  int state[27];
  bool mixed = false;
  view->lattice = l;
  view->block = block;
  block_corner(l, block, view->corner);
  for (int i = 0; i < 27; i++) {
    int d[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    bool exists = true;
    ptrdiff_t b = (ptrdiff_t)block + d[0] + (ptrdiff_t)l->blocks[0] * (d[1] + (ptrdiff_t)l->blocks[1] * d[2]);
    for (int a = 0; a < 3; a++) {
      int at = view->corner[a] / SIDE + d[a];
      exists &= at >= 0 && at < (int)l->blocks[a];
    }
    state[i] = exists ? l->signs_of[b] : OUTSIDE;
    mixed |= state[i] >= 0 || state[i] != state[0];
  }
  if (!mixed) return false;
  for (int k = 0, w = 0; k < WINDOW; k++)
    for (int j = 0; j < WINDOW; j++)
      for (int i = 0; i < WINDOW; i++, w++) {
        /* Window node i is local node i - 1: of the block below for 0, above for 9. */
        int from = (i + SIDE - 1) / SIDE + 3 * ((j + SIDE - 1) / SIDE) + 9 * ((k + SIDE - 1) / SIDE);
        int node = (i + SIDE - 1) % SIDE + SIDE * ((j + SIDE - 1) % SIDE + SIDE * ((k + SIDE - 1) % SIDE));
        view->inside[w] = state[from] >= 0 ? l->signs[state[from]][node] : state[from] == INSIDE;
      }
  return true;
}

/* Whether the middle of a side is inside; both cubes at the side compute it from the same numbers. */
static bool side_middle_inside(const vlBlockView *view, const int n[3], int side)
{
  const vlClipped *c = &view->lattice->clipped;
  vlVec3 x;
  for (int a = 0; a < 3; a++) {
    double shift = a != side / 2 ? 0.5 : side % 2;
    x.v[a] = c->origin.v[a] + (view->corner[a] + n[a] + shift) * c->h;
  }
  return vl_clipped_distance(c, x) < 0.0;
}

int vl_block_joined(const vlBlockView *view, const int n[3], int ambiguous)
{
  int joined = 0;
  for (int side = 0; ambiguous >> side; side++)
    if (ambiguous >> side & 1 && side_middle_inside(view, n, side)) joined |= 1 << side;
  return joined;
}
