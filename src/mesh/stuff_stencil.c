/* Stencils of isosurface stuffing, after [labelle2007].
 *
 * With p corners inside, z on the surface and n outside, the part inside is
 *
 *     n = 0         the tetrahedron itself
 *     p = 1         a tetrahedron: corners outside give way to the cut points on their edges to the one inside
 *     p = 2, z = 1  a pyramid over a quadrilateral, two tetrahedra
 *     p = 2, n = 2  a prism, three tetrahedra
 *     p = 3, n = 1  a prism, three tetrahedra
 *
 * A quadrilateral lies in a face with corners a, b inside and o outside; its diagonal must be the same seen from both sides.
 * It is chosen by the lattice alone. Of the edges a-o and b-o one may be long: the diagonal then begins at the short one's
 * corner and ends at the cut point of the long one. Where both are short, a and b differ along one axis only, so exactly one
 * of them has an odd number of coordinates above those of o; the diagonal begins there. These choices never go
 * round in a circle, so every prism can be split. A prism's quadrilateral in the surface belongs to nobody else; where its
 * diagonal is free, the shorter one is taken.
 * In: signs, places, nodes of corners and cut points. Out: up to three tetrahedra. */
#include "mesh/stuff_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static bool is_long(const int a[3], const int b[3]) { return (a[0] != b[0]) + (a[1] != b[1]) + (a[2] != b[2]) == 1; }

static bool is_odd(const int a[3], const int o[3]) { return ((a[0] > o[0]) + (a[1] > o[1]) + (a[2] > o[2])) % 2 == 1; }

/* Does the diagonal of the face of corners a, b inside and o outside begin at a, and end at the cut point of b-o? */
static bool begins_at(const vlStuffStencil *s, int a, int b, int o)
{
  bool a_long = is_long(s->place[a], s->place[o]), b_long = is_long(s->place[b], s->place[o]);
  if (a_long != b_long) return b_long;
  return is_odd(s->place[a], s->place[o]);
}

/* Corners in the order of falling signs, by an even permutation. */
static void sort_corners(const int sign[4], int order[4])
{
  int swaps = 0;
  for (int i = 0; i < 4; i++) order[i] = i;
  for (int i = 1; i < 4; i++)
    for (int j = i; j > 0 && sign[order[j]] > sign[order[j - 1]]; j--, swaps++) {
      int swap = order[j];
      order[j] = order[j - 1];
      order[j - 1] = swap;
    }
  if (swaps % 2 == 0) return;
  /* two of the four have equal signs: swapping them changes nothing else */
  for (int i = 0; i < 3; i++) {
    if (sign[order[i]] != sign[order[i + 1]]) continue;
    int swap = order[i];
    order[i] = order[i + 1];
    order[i + 1] = swap;
    return;
  }
}

/* The prism with ends a and b, split so that rank[i] < rank[j] means a diagonal from a[i] to b[j]. (a0, a1, a2, b0) has a
 * positive volume. */
static int fill_prism(const int a[3], const int b[3], const int rank[3], int tets[3][4])
{
  int at[3];
  for (int i = 0; i < 3; i++) at[rank[i]] = i;
  int i = at[0], j = at[1], k = at[2];
  const int odd[3][4] = {{b[i], a[i], b[j], b[k]}, {a[i], a[j], b[j], b[k]}, {a[j], a[i], a[k], b[k]}};
  const int even[3][4] = {{a[i], b[i], b[j], b[k]}, {a[j], a[i], b[j], b[k]}, {a[i], a[j], a[k], b[k]}};
  memcpy(tets, (j + 3 - i) % 3 == 1 ? even : odd, sizeof even);
  return 3;
}

static double length2(const vlStuffStencil *s, int a, int b)
{
  vlVec3 d = vl_sub(s->x[a], s->x[b]);
  return vl_dot(d, d);
}

/* Corners 0, 1 of the order inside, 2, 3 outside. */
static int fill_two(const vlStuffStencil *s, const int c[4], int tets[3][4])
{
  int a[3] = {s->corner[c[0]], s->cut[c[0]][c[2]], s->cut[c[0]][c[3]]};
  int b[3] = {s->corner[c[1]], s->cut[c[1]][c[2]], s->cut[c[1]][c[3]]};
  bool first = begins_at(s, c[0], c[1], c[2]), second = begins_at(s, c[0], c[1], c[3]);
  int rank[3];
  if (first != second) { /* one diagonal leads from the edge inside to either side of it */
    rank[0] = 1;
    rank[1] = first ? 2 : 0;
    rank[2] = first ? 0 : 2;
  } else {
    bool across = length2(s, a[1], b[2]) < length2(s, a[2], b[1]);
    rank[0] = first ? 0 : 2;
    rank[1] = (first ? 1 : 0) + !across;
    rank[2] = (first ? 1 : 0) + across;
  }
  return fill_prism(a, b, rank, tets);
}

static int fill_three(const vlStuffStencil *s, const int c[4], int tets[3][4])
{
  int a[3], b[3], rank[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    a[i] = s->corner[c[i]];
    b[i] = s->cut[c[i]][c[3]];
    for (int j = 0; j < i; j++) rank[begins_at(s, c[i], c[j], c[3]) ? j : i]++;
  }
  return fill_prism(a, b, rank, tets);
}

/* Two inside, one on the surface, one outside. */
static int fill_pyramid(const vlStuffStencil *s, const int c[4], int tets[3][4])
{
  int cut[2] = {s->cut[c[0]][c[3]], s->cut[c[1]][c[3]]}, z = s->corner[c[2]];
  int a = begins_at(s, c[0], c[1], c[3]) ? 0 : 1;
  int whole[4] = {s->corner[c[0]], s->corner[c[1]], z, cut[1 - a]};
  int rest[4] = {s->corner[c[0]], s->corner[c[1]], z, cut[a]};
  rest[1 - a] = cut[1 - a];
  memcpy(tets[0], whole, sizeof whole);
  memcpy(tets[1], rest, sizeof rest);
  return 2;
}

int vl_stuff_stencil_fill(const vlStuffStencil *stencil, int tets[3][4])
{
  int inside = 0, outside = 0, c[4];
  for (int i = 0; i < 4; i++) {
    inside += stencil->sign[i] > 0;
    outside += stencil->sign[i] < 0;
  }
  if (!inside) return 0;
  sort_corners(stencil->sign, c);
  if (inside == 3 && outside == 1) return fill_three(stencil, c, tets);
  if (inside == 2 && outside == 2) return fill_two(stencil, c, tets);
  if (inside == 2 && outside == 1) return fill_pyramid(stencil, c, tets);
  for (int i = 0; i < 4; i++) tets[0][i] = stencil->sign[c[i]] < 0 ? stencil->cut[c[0]][c[i]] : stencil->corner[c[i]];
  return 1;
}
