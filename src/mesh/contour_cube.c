/* Sheets of the surface in a cube.
 *
 * The surface cuts each side of a cube in lines between crossed edges. A side with two crossed edges has one line. On a
 * side whose inside corners are diagonal (four crossed edges) two lines run around the inside corners, so that inside
 * corners are kept apart; this looks at nothing but the side, so neighbours agree. The lines join the crossed edges of
 * a cube into loops; each loop is one sheet and receives one vertex, as in dual marching cubes [nielson2004]. Sheets
 * that pass a cube separately, such as both faces of a thin wall, then stay apart. */
#include "mesh/contour_cube.h"

static int edge_index(int axis, int s, int t) { return 4 * axis + s + 2 * t; }

int vl_cube_edge_corner(int edge)
{
  int axis = edge / 4, b = (axis + 1) % 3, c = (axis + 2) % 3;
  return (edge & 1) << b | (edge >> 1 & 1) << c;
}

int vl_cube_side_pairs(int configuration, int axis, int side, int pairs[2][2])
{
  int b = (axis + 1) % 3, c = (axis + 2) % 3, low = side << axis;
  /* Corners around the side; edge k runs from corner k to corner k + 1. Along b the other axes are (c, axis), along c (axis,
   * b). */
  int corner[4] = {low, low | 1 << b, low | 1 << b | 1 << c, low | 1 << c};
  int edge[4] = {edge_index(b, 0, side), edge_index(c, side, 1), edge_index(b, 1, side), edge_index(c, side, 0)};
  bool inside[4];
  int crossed[4], count = 0;
  for (int k = 0; k < 4; k++) inside[k] = configuration >> corner[k] & 1;
  for (int k = 0; k < 4; k++)
    if (inside[k] != inside[(k + 1) % 4]) crossed[count++] = edge[k];
  if (count == 4) {
    int first = inside[0] ? 0 : 1;
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

static void build_sheets(vlCubeTable *table, int configuration)
{
  int root[12];
  bool crossed[12] = {false};
  for (int e = 0; e < 12; e++) root[e] = e;
  for (int side = 0; side < 6; side++) {
    int pairs[2][2], n = vl_cube_side_pairs(configuration, side / 2, side % 2, pairs);
    for (int i = 0; i < n; i++) {
      int p = root[pairs[i][0]], q = root[pairs[i][1]];
      crossed[pairs[i][0]] = crossed[pairs[i][1]] = true;
      for (int e = 0; e < 12; e++)
        if (root[e] == p || root[e] == q) root[e] = p < q ? p : q;
    }
  }
  int count = 0;
  for (int e = 0; e < 12; e++) {
    signed char *sheet = table->sheet[configuration];
    if (!crossed[e])
      sheet[e] = -1;
    else
      sheet[e] = root[e] == e ? (signed char)count++ : sheet[root[e]];
  }
  table->count[configuration] = (unsigned char)count;
}

void vl_cube_table_build(vlCubeTable *table)
{
  for (int i = 0; i < 256; i++) build_sheets(table, i);
}

bool vl_cube_side_pinched(const vlCubeTable *table, int below, int above, int axis)
{
  int up[2][2], down[2][2];
  if (vl_cube_side_pairs(above, axis, 0, up) < 2 || vl_cube_side_pairs(below, axis, 1, down) < 2) return false;
  return table->sheet[above][up[0][0]] == table->sheet[above][up[1][0]] &&
         table->sheet[below][down[0][0]] == table->sheet[below][down[1][0]];
}
