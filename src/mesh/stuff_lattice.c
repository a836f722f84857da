/* Tetrahedra over the leaves of an octree, after [labelle2007].
 *
 * Points are the corners and middles of the leaves. At each face of a leaf, with its middle c, they are by the leaf beyond:
 *
 *     of the same size, middle d    for each edge pq of the face (c, d, p, q); where smaller octants at the edge have put a
 *                                   point m in its middle, (c, d, p, m) and (c, d, m, q)
 *     smaller                       with the face's middle f, for each half edge pm (c, f, p, m)
 *     larger                        the face is cut by its diagonal from f, the middle of the larger leaf's face: two
 *                                   tetrahedra with c
 *
 * Both sides of a face agree, so the tetrahedra fit. In a part with leaves of one size they are the regular lattice: two
 * opposite long edges along axes and four shorter ones, dihedral angles of 60 and 90 degrees.
 * In: tree and shape. Out: points with their distances, and the tetrahedra that have a point inside. */
#include "mesh/stuff_parts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

typedef struct Builder {
  vlStuffLattice *lattice;
  const vlStuffTree *tree;
  vlStatus *status;
} Builder;

/* Lower corner of an octant, in places; its edge is 2 << level of them. */
static void corner_of(vlOctant o, int place[3])
{
  for (int a = 0; a < 3; a++) place[a] = o.i[a] << (o.level + 1);
}

static void middle_of(vlOctant o, int place[3])
{
  for (int a = 0; a < 3; a++) place[a] = (2 * o.i[a] + 1) << o.level;
}

static vlCode number_places(vlStuffLattice *lattice, const vlOctant *leaf, size_t count, vlStatus *status)
{
  bool room = true;
  for (size_t n = 0; n < count && room; n++) {
    int lo[3], p[3], edge = 2 << leaf[n].level;
    middle_of(leaf[n], p);
    room = vl_keymap_add(&lattice->place, vl_place_key(p)) >= 0;
    corner_of(leaf[n], lo);
    for (int c = 0; c < 8 && room; c++) {
      for (int a = 0; a < 3; a++) p[a] = lo[a] + (c >> a & 1) * edge;
      room = vl_keymap_add(&lattice->place, vl_place_key(p)) >= 0;
    }
  }
  return room ? VL_OK : vl_fail_memory(status, lattice->place.count * sizeof(uint64_t), "the points of a lattice");
}

static vlCode measure(vlStuffLattice *lattice, const vlStuffTree *tree, const vlSdf *sdf, vlStatus *status)
{
  size_t count = lattice->place.count;
  lattice->phi = malloc((count + 1) * sizeof *lattice->phi);
  if (!lattice->phi) return vl_fail_memory(status, count * sizeof *lattice->phi, "the distances of a lattice");
#pragma omp parallel for schedule(dynamic, 256)
  for (size_t n = 0; n < count; n++) {
    int place[3];
    vl_place_of_key(lattice->place.key[n], place);
    lattice->phi[n] = vl_sdf_distance(sdf, vl_place_position(tree, place));
  }
  return VL_OK;
}

static int64_t volume6(int p[4][3])
{
  int64_t d[3][3];
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 3; a++) d[i][a] = p[i + 1][a] - p[0][a];
  return d[2][0] * (d[0][1] * d[1][2] - d[0][2] * d[1][1]) + d[2][1] * (d[0][2] * d[1][0] - d[0][0] * d[1][2]) +
         d[2][2] * (d[0][0] * d[1][1] - d[0][1] * d[1][0]);
}

/* Takes the tetrahedron with these places where one of them is inside. */
static vlCode add_tet(const Builder *b, int p[4][3], bool regular)
{
  vlStuffLattice *lattice = b->lattice;
  vlStuffTet tet = {.regular = regular};
  bool inside = false;
  for (int i = 0; i < 4; i++) {
    tet.v[i] = vl_keymap_find(&lattice->place, vl_place_key(p[i]));
    if (tet.v[i] < 0) return vl_fail(b->status, VL_ERROR_INTERNAL, "a tetrahedron of the lattice lacks a point");
    inside = inside || lattice->phi[tet.v[i]] < 0.0;
  }
  if (!inside) return VL_OK;
  if (volume6(p) < 0) {
    int swap = tet.v[2];
    tet.v[2] = tet.v[3];
    tet.v[3] = swap;
  }
  bool room = vl_array_reserve(&lattice->tet, &lattice->tet_capacity, lattice->tet_count + 1, sizeof tet);
  if (!room) return vl_fail_memory(b->status, lattice->tet_count * sizeof tet, "the tetrahedra of a lattice");
  lattice->tet[lattice->tet_count++] = tet;
  return VL_OK;
}

static vlCode add_points(const Builder *b, const int *p, const int *q, const int *r, const int *s, bool regular)
{
  int place[4][3];
  for (int a = 0; a < 3; a++) {
    place[0][a] = p[a];
    place[1][a] = q[a];
    place[2][a] = r[a];
    place[3][a] = s[a];
  }
  return add_tet(b, place, regular);
}

/* A face of a leaf: its corners around it, the middles of its edges (from corner k to k + 1) and its own middle. */
typedef struct Face {
  int corner[4][3], half[4][3], middle[3];
} Face;

static Face face_of(vlOctant o, int axis, int side)
{
  static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  int lo[3], edge = 2 << o.level, u = (axis + 1) % 3, v = (axis + 2) % 3;
  Face face;
  corner_of(o, lo);
  for (int k = 0; k < 4; k++) {
    face.corner[k][axis] = lo[axis] + side * edge;
    face.corner[k][u] = lo[u] + around[k][0] * edge;
    face.corner[k][v] = lo[v] + around[k][1] * edge;
  }
  for (int a = 0; a < 3; a++) {
    for (int k = 0; k < 4; k++) face.half[k][a] = (face.corner[k][a] + face.corner[(k + 1) % 4][a]) / 2;
    face.middle[a] = (face.corner[0][a] + face.corner[2][a]) / 2;
  }
  return face;
}

static vlCode join_equal(const Builder *b, vlOctant o, vlOctant other, const Face *face)
{
  int c[3], d[3];
  vlCode code = VL_OK;
  middle_of(o, c);
  middle_of(other, d);
  for (int k = 0; k < 4 && !code; k++) {
    const int *p = face->corner[k], *q = face->corner[(k + 1) % 4], *m = face->half[k];
    bool halved = o.level > 0 && vl_keymap_find(&b->lattice->place, vl_place_key(m)) >= 0;
    code = add_points(b, c, d, p, halved ? m : q, o.level == 0);
    if (halved && !code) code = add_points(b, c, d, m, q, false);
  }
  return code;
}

static vlCode join_smaller(const Builder *b, vlOctant o, const Face *face)
{
  int c[3];
  vlCode code = VL_OK;
  middle_of(o, c);
  for (int k = 0; k < 8 && !code; k++)
    code = add_points(b, c, face->middle, face->half[k / 2], face->corner[(k / 2 + k % 2) % 4], false);
  return code;
}

static vlCode join_larger(const Builder *b, vlOctant o, vlOctant other, int axis, const Face *face)
{
  int c[3], f[3], k = 0, u = (axis + 1) % 3, v = (axis + 2) % 3;
  vlOctant large = {o.level + 1, {other.i[0] >> 1, other.i[1] >> 1, other.i[2] >> 1}};
  middle_of(o, c);
  middle_of(large, f);
  while (k < 3 && (face->corner[k][u] != f[u] || face->corner[k][v] != f[v])) k++;
  const int *far = face->corner[(k + 2) % 4];
  vlCode code = add_points(b, c, face->corner[k], face->corner[(k + 1) % 4], far, false);
  return code ? code : add_points(b, c, face->corner[k], far, face->corner[(k + 3) % 4], false);
}

static vlCode fill_leaf(const Builder *b, vlOctant o)
{
  vlCode code = VL_OK;
  for (int k = 0; k < 6 && !code; k++) {
    int axis = k / 2, side = k % 2;
    vlOctant other = o;
    other.i[axis] += side ? 1 : -1;
    if (!vl_octant_inside(b->tree, other)) continue;
    Face face = face_of(o, axis, side);
    if (vl_octant_has_children(b->tree, other))
      code = join_smaller(b, o, &face);
    else if (!vl_octant_is_there(b->tree, other))
      code = join_larger(b, o, other, axis, &face);
    else if (side)
      code = join_equal(b, o, other, &face); /* seen from below only */
  }
  return code;
}

vlCode vl_stuff_lattice_create(vlStuffLattice *lattice, const vlStuffTree *tree, const vlSdf *sdf, vlStatus *status)
{
  *lattice = (vlStuffLattice){0};
  vlOctant *leaf = NULL;
  size_t count = 0;
  const Builder builder = {lattice, tree, status};
  vlCode code = vl_stuff_tree_leaves(&leaf, &count, tree, status);
  if (!code) code = number_places(lattice, leaf, count, status);
  if (!code) code = measure(lattice, tree, sdf, status);
  for (size_t n = 0; n < count && !code; n++) code = fill_leaf(&builder, leaf[n]);
  free(leaf);
  if (code) vl_stuff_lattice_clear(lattice);
  return code;
}

void vl_stuff_lattice_clear(vlStuffLattice *lattice)
{
  vl_keymap_clear(&lattice->place);
  free(lattice->phi);
  free(lattice->tet);
  *lattice = (vlStuffLattice){0};
}
