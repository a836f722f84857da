/* Sheets of the surface in a cube.
 *
 * The surface cuts each side of a cube in lines between crossed edges. A side with two crossed edges has one line. A side
 * whose inside corners are diagonal has four crossed edges and two lines, around the outside corners if the inside ones
 * are joined, else around the inside corners. The caller decides from the region at the side's middle; both cubes at
 * the side decide alike. The lines join the crossed edges of a cube into loops; each loop is one sheet and receives one
 * vertex, as in dual marching cubes [nielson2004]. Sheets that pass a cube separately, such as both faces of a thin
 * wall, then stay apart, and diagonal walls have no holes. */
#include "mesh/contour_mesh.h"

static int edge_index(int axis, int s, int t) { return 4 * axis + s + 2 * t; }

int vl_cube_edge_corner(int edge)
{
  int axis = edge / 4, b = (axis + 1) % 3, c = (axis + 2) % 3;
  return (edge & 1) << b | (edge >> 1 & 1) << c;
}

/* Whether the corners around a side are inside, counter-clockwise in the plane of the next two axes. */
static void side_corners(int inside, int side, bool in[4])
{
  int axis = side / 2, low = (side % 2) << axis, b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3;
  int corner[4] = {low, low | b, low | b | c, low | c};
  for (int k = 0; k < 4; k++) in[k] = inside >> corner[k] & 1;
}

int vl_cube_ambiguous_sides(int inside)
{
  int sides = 0;
  for (int side = 0; side < 6; side++) {
    bool in[4];
    side_corners(inside, side, in);
    if (in[0] == in[2] && in[1] == in[3] && in[0] != in[1]) sides |= 1 << side;
  }
  return sides;
}

int vl_cube_side_pairs(const vlCube *cube, int side, int pairs[2][2])
{
  int axis = side / 2, s = side % 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
  /* Edge k runs from corner k to corner k + 1. The other axes of edges along b are (c, axis), along c (axis, b). */
  int edge[4] = {edge_index(b, 0, s), edge_index(c, s, 1), edge_index(b, 1, s), edge_index(c, s, 0)};
  bool in[4];
  side_corners(cube->inside, side, in);
  int crossed[4], count = 0;
  for (int k = 0; k < 4; k++)
    if (in[k] != in[(k + 1) % 4]) crossed[count++] = edge[k];
  if (count == 4) {
    /* The lines run around the corners `first` and `first + 2`. */
    bool joined = cube->joined >> side & 1;
    int first = in[0] != joined ? 0 : 1;
    for (int i = 0; i < 2; i++) {
      int k = first + 2 * i;
      pairs[i][0] = edge[(k + 3) % 4];
      pairs[i][1] = edge[k];
    }
  } else if (count == 2) {
    pairs[0][0] = crossed[0];
    pairs[0][1] = crossed[1];
  }
  return count / 2;
}

void vl_cube_build(vlCube *cube, int inside, int joined)
{
  int root[12];
  bool crossed[12] = {false};
  *cube = (vlCube){.inside = (unsigned char)inside, .joined = (unsigned char)joined};
  for (int e = 0; e < 12; e++) root[e] = e;
  for (int side = 0; side < 6; side++) {
    int pairs[2][2], n = vl_cube_side_pairs(cube, side, pairs);
    for (int i = 0; i < n; i++) {
      int p = root[pairs[i][0]], q = root[pairs[i][1]];
      crossed[pairs[i][0]] = crossed[pairs[i][1]] = true;
      for (int e = 0; e < 12; e++)
        if (root[e] == p || root[e] == q) root[e] = p < q ? p : q;
    }
  }
  for (int e = 0; e < 12; e++) {
    if (!crossed[e])
      cube->sheet[e] = -1;
    else
      cube->sheet[e] = root[e] == e ? (signed char)cube->count++ : cube->sheet[root[e]];
  }
}

bool vl_cube_side_pinched(const vlCube *below, const vlCube *above, int axis)
{
  int up[2][2], down[2][2];
  if (vl_cube_side_pairs(above, 2 * axis, up) < 2 || vl_cube_side_pairs(below, 2 * axis + 1, down) < 2) return false;
  return above->sheet[up[0][0]] == above->sheet[up[1][0]] && below->sheet[down[0][0]] == below->sheet[down[1][0]];
}
